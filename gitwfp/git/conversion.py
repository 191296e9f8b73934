"""Between the bytes in the worktree and the blob that git keeps for them.

Line endings, `ident`, encodings and filters are git's business, and git does them itself here. Most
files are touched by none of these; one question about the attributes of all paths finds those out.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from gitwfp.classes import dataclass
from gitwfp.git.program import to_bytes, to_text

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

_ATTRIBUTES = ("text", "crlf", "eol", "filter", "ident", "working-tree-encoding")
_ABSENT = frozenset({"unspecified", "unset", "set"})
"""Answers that name no filter and no encoding."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What git does to one path on its way into the repository and out of it.

    Attributes:
        eol: None: line endings stay. "text": they are converted. "auto": they are converted in
            what looks like text, unless the index already holds CRLF.
        program: A filter or an encoding is in force.
        ident: `$Id$` is expanded.
        out: Line endings may become CRLF on the way out.
    """

    eol: str | None
    program: bool
    ident: bool
    out: bool

    def may_clean(self, content: bytes) -> bool:
        """Tells whether git may store something else than these bytes."""
        if self.program or (self.ident and b"$Id" in content):
            return True
        return self.eol is not None and b"\r\n" in content

    def may_smudge(self, content: bytes) -> bool:
        """Tells whether git may write something else than these bytes into the worktree."""
        if self.program or (self.ident and b"$Id" in content):
            return True
        return self.out and b"\n" in content


def rules_for(repo: "Repository", paths: Iterable[str]) -> Mapping[str, Rules]:
    """Returns what git does to each path: one `check-attr` for all of them."""
    wanted = b"\0".join(map(to_bytes, paths))
    if not wanted:
        return {}
    done = repo.git.run("check-attr", "-z", "--stdin", *_ATTRIBUTES, input=wanted + b"\0")
    config = repo.config()
    autocrlf = _autocrlf(config.get("core.autocrlf", "false"))
    native = autocrlf == "true" or (
        autocrlf == "false" and config.get("core.eol", "native").lower() == "crlf"
    )
    answers: dict[str, dict[str, str]] = {}
    fields = iter(to_text(done.out).split("\0")[:-1])
    for path, attribute, value in zip(fields, fields, fields, strict=True):
        answers.setdefault(path, {})[attribute] = value
    return {path: _rules(found, autocrlf, native=native) for path, found in answers.items()}


def stored_blob(
    repo: "Repository", path: str, content: bytes, rules: Rules | None, indexed: str | None
) -> str | None:
    """Stores a file the way `git add` does, if that may differ from its plain bytes.

    Args:
        repo: The repository.
        path: The file's path.
        content: Its bytes in the worktree.
        rules: What git does to that path.
        indexed: The blob that the index has for it, if any.

    Returns:
        The blob's id, None where the blob holds just these bytes.
    """
    if rules is None or not rules.may_clean(content):
        return None
    if (
        rules.eol == "auto"
        and not rules.program
        and not (rules.ident and b"$Id" in content)
        and indexed is not None
        and b"\r\n" in repo.objects().read_blob(indexed)
    ):
        # hash-object does not look into the index; git add does, and leaves such a file alone.
        return None
    return to_text(
        repo.git.run("hash-object", "-w", f"--path={path}", "--stdin", input=content).out
    ).strip()


def worktree_form(repo: "Repository", path: str, blob: str) -> bytes:
    """Returns what a checkout would write for a blob at a path."""
    return worktree_forms(repo, {path: blob})[path]


def worktree_forms(repo: "Repository", blobs: Mapping[str, str]) -> Mapping[str, bytes]:
    """Returns what a checkout would write, for several paths at once."""
    rules = rules_for(repo, blobs)
    forms = {}
    for path, blob in blobs.items():
        content = repo.objects().read_blob(blob)
        if path in rules and rules[path].may_smudge(content):
            content = repo.git.run("cat-file", "--filters", f"--path={path}", blob).out
        forms[path] = content
    return forms


def _rules(found: Mapping[str, str], autocrlf: str, *, native: bool) -> Rules:
    eol = found["eol"]
    text = found["text"]
    if text == "unspecified":
        # The old name of the attribute.
        text = {"set": "set", "unset": "unset", "input": "input"}.get(found["crlf"], text)
    mode: str | None
    if text == "unset":
        mode = None
    elif text in ("set", "input"):
        mode = "text"
    elif text == "auto":
        mode = "auto"
    elif eol in ("lf", "crlf"):
        mode = "text"
    else:
        mode = "auto" if autocrlf != "false" else None
    return Rules(
        eol=mode,
        program=found["filter"] not in _ABSENT or found["working-tree-encoding"] not in _ABSENT,
        ident=found["ident"] == "set",
        out=mode is not None and (eol == "crlf" or (eol != "lf" and text != "input" and native)),
    )


def _autocrlf(value: str) -> str:
    value = value.lower()
    if value == "input":
        return value
    return "true" if value in ("true", "yes", "on", "1", "") else "false"
