"""The names that a repository knows just now, for completion: sessions, tasks, replans, branches.

A shell that completes is no place for complaints: where there is no repository, or what lies in it
cannot be understood, there are no names.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from gitwfp.classes import dataclass
from gitwfp.cli.completing import Candidate, Line, words_of_commands
from gitwfp.config.keys import Kind, find_key, rows
from gitwfp.config.settings import USUAL_TOOLS, Settings
from gitwfp.errors import Refusal, Text, say

if TYPE_CHECKING:
    from gitwfp.files.tree import FileTree
    from gitwfp.flows.env import Env
    from gitwfp.model.plan import SessionRef

_MOST_REPLANS: Final = 50
_MOST_REFS: Final = 200
_MOST_WHAT_IFS: Final = 20
_PLACES: Final = {
    "active": say("Active"),
    "lite": say("Lite"),
    "archived": say("Archived"),
}


@dataclass(frozen=True, slots=True)
class LiveWords:
    """Answers with live names; see `gitwfp.cli.completing.Live`.

    Attributes:
        folder: Where the command stands.
        environ: The environment.
        now: The clock.
    """

    folder: str
    environ: Mapping[str, str]
    now: Callable[[], datetime]

    def __call__(self, kind: str, begun: str, line: Line) -> Sequence[Candidate]:
        """Returns the names of a kind that are there now."""
        folder = os.path.join(self.folder, *line.folders)
        match kind:
            case "file" | "folder":
                return tuple(_files(folder, begun, folders_only=kind == "folder"))
            case "setting":
                return [(key.spelled(tool), key.doc) for key, tool in rows(USUAL_TOOLS)]
            case "value":
                return _values(line.arguments[0])
            case "schema":
                return _schemas()
            case "command":
                above = words_of_commands().get(" ".join(line.arguments), {})
                return [(name, Text(told)) for name, told in above.get("commands", ())]
        try:
            return tuple(self._of_repository(kind, folder, line))
        except (Refusal, OSError):
            return ()

    def _of_repository(self, kind: str, folder: str, line: Line) -> Iterator[Candidate]:
        from gitwfp.cli.console import Console
        from gitwfp.flows.env import Env
        from gitwfp.git.repository import Repository

        with Repository.open(folder, self.environ) as repo:
            # A console without streams asks nobody and tells nobody.
            env = Env(repo, Settings(), Console(None, None, None, {}, json=True), self.now)
            match kind:
                case "session":
                    yield from _sessions(env)
                case "task":
                    yield from _tasks(env, line)
                case "replan":
                    yield from _replans(env, line)
                case "branch":
                    yield from _what_ifs(env)
                case "revision":
                    yield ("HEAD", "")
                    yield from _refs(env, ("refs/heads/", "refs/tags/", "refs/remotes/"))


def _files(folder: str, begun: str, *, folders_only: bool) -> Iterator[Candidate]:
    """Yields the files whose paths begin so; folders end with a slash."""
    name = begun.rpartition("/")[2]
    start = begun[: len(begun) - len(name)]
    try:
        with os.scandir(os.path.join(folder, os.path.expanduser(start or "."))) as entries:
            found = sorted((entry.name, entry.is_dir()) for entry in entries)
    except OSError:
        return
    for entry, is_folder in found:
        hidden = entry.startswith(".") and not name.startswith(".")
        if entry.startswith(name) and not hidden and (is_folder or not folders_only):
            yield f"{start}{entry}{'/' if is_folder else ''}", ""


def _values(name: str) -> Sequence[Candidate]:
    key = find_key(name)
    if key is None:
        return ()
    words = ("true", "false") if key.kind is Kind.BOOLEAN else key.choices
    return [(word, "") for word in words]


def _schemas() -> Sequence[Candidate]:
    folder = os.path.join(os.path.dirname(os.path.dirname(__file__)), "schemas")
    return [
        (f"{side}/{name.removesuffix('.json')}", "")
        for side in ("in", "out")
        for name in sorted(os.listdir(os.path.join(folder, side)))
    ]


def _sessions(env: "Env") -> Iterator[Candidate]:
    from gitwfp.flows.sessions import sessions_here
    from gitwfp.flows.view import source_of

    for ref in sessions_here(env, source_of(env).tree):
        yield ref.id, _PLACES[ref.place.value]


def _tasks(env: "Env", line: Line) -> Iterator[Candidate]:
    from gitwfp.files.codec import read_plan
    from gitwfp.flows.view import source_of

    tree = source_of(env, at=line.options.get("--at")).tree
    plan = read_plan(tree, _session(env, tree, line))
    taken = set(line.arguments)
    yield from ((id_, plan.tasks[id_].title) for id_ in plan.order if id_ not in taken)


def _replans(env: "Env", line: Line) -> Iterator[Candidate]:
    from gitwfp.flows.view import source_of
    from gitwfp.git.history import plan_commits
    from gitwfp.policy.message import REPLAN

    head = env.repo.head().commit
    if head is None:
        return
    ref = _session(env, source_of(env).tree, line)
    for commit in plan_commits(env.repo, head, (ref.folder,), limit=_MOST_REPLANS):
        for name in commit.trailers.get(REPLAN, ()):
            yield name, commit.subject


def _session(env: "Env", tree: "FileTree", line: Line) -> "SessionRef":
    from gitwfp.flows.sessions import choose_session

    return choose_session(env, tree, line.options.get("--session"), writing=False)


def _what_ifs(env: "Env") -> Iterator[Candidate]:
    from gitwfp.git.history import is_ancestor

    head = env.repo.head().commit
    # Newest first: their names end with the time.
    branches = sorted(env.repo.refs("refs/heads/wfp/").items(), reverse=True)[:_MOST_WHAT_IFS]
    for name, commit in branches:
        if head is None or not is_ancestor(env.repo, commit, head):
            yield name.removeprefix("refs/heads/"), ""


def _refs(env: "Env", folders: tuple[str, ...]) -> Iterator[Candidate]:
    for folder in folders:
        for name in sorted(env.repo.refs(folder))[:_MOST_REFS]:
            short = name.removeprefix("refs/heads/").removeprefix("refs/tags/")
            yield short.removeprefix("refs/remotes/"), ""
