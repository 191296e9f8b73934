"""Writes blobs, trees and commits that no ref shows yet."""

import codecs
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.git.conversion import Rules, rules_for, stored_blob
from gitwfp.git.index import read_entries
from gitwfp.git.objectstore import FILE_MODE, rewrite_tree
from gitwfp.git.program import GitFailed, to_text

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

DURABLE = ("-c", "core.fsync=all")
"""Options that make git put what it writes on disk before it goes on."""


@dataclass(frozen=True, slots=True)
class NewCommit:
    """A commit to be made on top of another one.

    Attributes:
        message: The whole message, trailers included.
        edits: Bytes in their worktree form by path from the root; None removes.
        parents: Further parents, for a merge.
        made: The id of a commit that is there already and only lands; `edits` is what it changes.
        joins: Whether it is a merge that brings the commit before it onto the base: the base is
            its first parent, and it changes nothing by itself.
    """

    message: str
    edits: Mapping[str, bytes | None]
    parents: tuple[str, ...] = ()
    made: str | None = None
    joins: bool = False


def write_commits(
    repo: "Repository",
    base: str | None,
    commits: Sequence[NewCommit],
    *,
    now: datetime,
    signoff: bool,
    timeout: float,
) -> tuple[str, ...]:
    """Makes commits, the first on the base, each further one on the one before.

    Args:
        repo: The repository.
        base: The commit to start from; None makes a root commit.
        commits: What they hold.
        now: Their date, where the environment sets none.
        signoff: Add the committer's Signed-off-by trailer.
        timeout: Seconds that signing may take.

    Returns:
        The ids of the commits.

    Raises:
        Refusal: A commit cannot be signed, or an object cannot be written.
    """
    form = _Form(now, signoff, timeout)
    store = repo.objects()
    ids: list[str] = []
    parent = base
    for commit in commits:
        if commit.made is None:
            tree = None if parent is None else store.tree_of(parent)
            tree = rewrite_tree(store, tree, _blobs(repo, commit.edits))
            if tree is None:
                tree = store.write_tree(())
            above = () if parent is None else (parent,)
            if commit.joins and base is not None:
                above = (base, *above)
            store.flush()
            parent = _commit(repo, tree, (*above, *commit.parents), commit.message, form)
        else:
            parent = commit.made
        ids.append(parent)
    return tuple(ids)


@dataclass(frozen=True, slots=True)
class _Form:
    now: datetime
    signoff: bool
    timeout: float


def _blobs(
    repo: "Repository", edits: Mapping[str, bytes | None]
) -> Mapping[str, tuple[int, str] | None]:
    contents = {path: content for path, content in edits.items() if content is not None}
    rules = rules_for(repo, contents)
    undecided = [
        path for path, content in contents.items() if _depends_on_index(rules.get(path), content)
    ]
    indexed = {} if repo.top is None else read_entries(repo, undecided)
    blobs: dict[str, tuple[int, str] | None] = dict.fromkeys(edits)
    for path, content in contents.items():
        known = indexed.get(path)
        before = None if known is None else known.entry.split(" ")[1]
        blob = stored_blob(repo, path, content, rules.get(path), before)
        blobs[path] = (FILE_MODE, repo.objects().write_blob(content) if blob is None else blob)
    return blobs


def _depends_on_index(rules: Rules | None, content: bytes) -> bool:
    return rules is not None and rules.eol == "auto" and rules.may_clean(content)


def _commit(
    repo: "Repository", tree: str, parents: Sequence[str], message: str, form: _Form
) -> str:
    git = repo.git
    if form.signoff:
        message = _signed_off(repo, message)
    encoding, data = _encoded(message, repo.config().get("i18n.commitencoding"))
    sign = repo.config().get_bool("commit.gpgsign")
    options = [*DURABLE, *encoding, "commit-tree", *(("-S",) if sign else ())]
    for parent in parents:
        options += ["-p", parent]
    date = f"@{int(form.now.timestamp())} {form.now.strftime('%z')[:5] or '+0000'}"
    dates = ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE")
    env = {name: date for name in dates if name not in git.environ}
    try:
        done = git.run(
            *options, "-F", "-", tree, input=data, env=env, timeout=form.timeout if sign else None
        )
    except GitFailed as error:
        if not sign:
            raise
        raise Refusal(
            "cannot-sign",
            say("The commit cannot be signed, so it was not made: {reason}", reason=error.text),
            ExitCode.ENVIRONMENT,
            hint=say(
                "commit.gpgsign asks for a signature. Put the key right, or allow one unsigned "
                "commit with git -c commit.gpgsign=false wfp ..."
            ),
        ) from error
    return to_text(done.out).strip()


def _signed_off(repo: "Repository", message: str) -> str:
    committer = repo.identity("committer").rsplit(">", 1)[0] + ">"
    done = repo.git.run(
        "interpret-trailers",
        "--no-divider",
        "--if-exists=addIfDifferent",
        f"--trailer=Signed-off-by: {committer}",
        input=message.encode("utf-8", "backslashreplace"),
    )
    return done.out.decode("utf-8")


def _encoded(message: str, wanted: str | None) -> tuple[tuple[str, ...], bytes]:
    """Returns git's options and the message's bytes, in UTF-8 where the wish cannot be met."""
    if not message.endswith("\n"):
        message += "\n"
    plain = message.encode("utf-8", "backslashreplace")
    if wanted is None:
        return (), plain
    data = _in_encoding(message, wanted)
    return ((), data) if data is not None else (("-c", "i18n.commitEncoding=UTF-8"), plain)


def _in_encoding(message: str, wanted: str) -> bytes | None:
    """Returns a message in an encoding, None where that cannot hold it.

    It must keep ASCII as it is: git looks for line ends and trailers in the bytes.
    """
    try:
        codecs.lookup(wanted)
        data = message.encode(wanted)
        fits = "Wfp: x\n".encode(wanted) == b"Wfp: x\n" and data.decode(wanted) == message
    except (LookupError, UnicodeError):
        return None
    return data if fits else None
