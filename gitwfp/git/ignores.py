"""Which ignore rules hide the plans of a workspace, and which exception would let them be seen."""

import os
import tempfile
from collections.abc import Mapping
from typing import TYPE_CHECKING

from gitwfp.classes import dataclass
from gitwfp.files.tree import MissingFile
from gitwfp.git.program import GitProgram, to_bytes, to_text
from gitwfp.git.smallfiles import disk_errors

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

IGNORE_FILE = ".gitignore"

_SESSION = "active/WFS-any"
_PROBES = (
    f"{_SESSION}/workflow-session.json",
    f"{_SESSION}/.task/IMPL-1.json",
    f"{_SESSION}/IMPL_PLAN.md",
    f"{_SESSION}/.summaries/IMPL-1-summary.md",
)
"""Plan files that nobody has; a file that git knows already is never ignored."""

_SPECIAL = frozenset("\\[]*?!#")


@dataclass(frozen=True, slots=True)
class HidingRule:
    """The rule by which git ignores plan files.

    Attributes:
        source: The file that holds it, as git names it.
        line: Its line.
        pattern: The rule.
    """

    source: str
    line: int
    pattern: str


@dataclass(frozen=True, slots=True)
class IgnoreException:
    """Lines that take a workspace out of an ignore rule.

    Attributes:
        path: The `.gitignore` that they go to, from the repository root.
        patterns: The lines.
        before: What the file holds now, None where there is none.
    """

    path: str
    patterns: tuple[str, ...]
    before: bytes | None

    def content(self, comment: str) -> bytes:
        """Returns the file with a comment and the lines at its end, in its own line endings."""
        before = self.before or b""
        ending = "\r\n" if before.endswith(b"\r\n") else "\n"
        start = "" if not before or before.endswith(b"\n") else ending
        lines = "".join(f"{line}{ending}" for line in (f"# {comment}", *self.patterns))
        return before + to_bytes(start + lines)


def hiding_rule(repo: "Repository", workspace: str) -> HidingRule | None:
    """Returns a rule that ignores new plan files of a workspace, None if there is none."""
    return _rule(repo.git, workspace)


def exception_for(
    repo: "Repository", workspace: str, rule: HidingRule, comment: str
) -> IgnoreException | None:
    """Returns the fewest lines that let git see a workspace again, None where no line does.

    Whether they do is tried in a folder of its own, so that nothing is written for it.

    Args:
        repo: The repository; it has a worktree.
        workspace: The `.workflow` folder.
        rule: What hides it.
        comment: The comment above the lines.
    """
    folder = _folder_of(rule, workspace)
    if folder is None:
        return None
    path = f"{folder}/{IGNORE_FILE}" if folder else IGNORE_FILE
    name = _literal(workspace[len(folder) + 1 :] if folder else workspace)
    before = _read(repo, path)
    if before is None and repo.workflow_kind(path) != "absent":
        return None
    for patterns in ((f"!/{name}/",), (f"!/{name}/", f"!/{name}/**")):
        tried = IgnoreException(path, patterns, before)
        if _would_be_seen(repo, workspace, {path: tried.content(comment)}):
            return tried
    return None


def _folder_of(rule: HidingRule, workspace: str) -> str | None:
    """Returns the folder whose ignore file has the last word over a rule, None for none of them."""
    folder, _, name = rule.source.rpartition("/")
    if os.path.isabs(rule.source) or name != IGNORE_FILE:
        return ""
    above = workspace.rpartition("/")[0]
    is_above = not folder or above == folder or above.startswith(folder + "/")
    # A rule inside of the workspace was put there by somebody who means the plans themselves.
    return folder if is_above else None


def _would_be_seen(repo: "Repository", workspace: str, edits: Mapping[str, bytes]) -> bool:
    """Tells whether git would see a workspace's plans if some ignore files were as given."""
    with disk_errors(repo), tempfile.TemporaryDirectory() as trial:
        for path in _ignore_files(workspace):
            content = edits.get(path) or _read(repo, path)
            if content is not None:
                place = os.path.join(to_bytes(trial), to_bytes(path))
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with open(place, "wb") as file:
                    file.write(content)
        environ = {**repo.git.environ, "GIT_DIR": repo.git_dir, "GIT_WORK_TREE": trial}
        return _rule(GitProgram(trial, environ), workspace) is None


def _ignore_files(workspace: str) -> list[str]:
    parts = [*workspace.split("/"), *_SESSION.split("/")]
    return ["/".join([*parts[:depth], IGNORE_FILE]) for depth in range(len(parts) + 1)]


def _rule(git: GitProgram, workspace: str) -> HidingRule | None:
    # This command does not take literal pathspecs; behind the dot, a colon has no meaning.
    paths = b"".join(b"./" + to_bytes(f"{workspace}/{probe}") + b"\0" for probe in _PROBES)
    options = ("check-ignore", "-v", "-z", "--no-index", "--stdin")
    done = git.run(*options, input=paths, ok=(0, 1), env={"GIT_LITERAL_PATHSPECS": "0"})
    fields = iter(to_text(done.out).split("\0")[:-1])
    for source, line, pattern, _ in zip(fields, fields, fields, fields, strict=True):
        if not pattern.startswith("!"):
            return HidingRule(source, int(line), pattern)
    return None


def _read(repo: "Repository", path: str) -> bytes | None:
    try:
        return repo.worktree_files().read(path)
    except MissingFile:
        return None


def _literal(name: str) -> str:
    return "".join(f"\\{char}" if char in _SPECIAL else char for char in name)
