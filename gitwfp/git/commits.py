"""Writes blobs, trees and commits that no ref shows yet."""

import codecs
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from gitwfp.classes import dataclass
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
    form = _form(repo, now=now, signoff=signoff, timeout=timeout)
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
            parent = _commit(repo, tree, (*above, *commit.parents), commit.message, form)
        else:
            parent = commit.made
        ids.append(parent)
    store.flush()
    return tuple(ids)


@dataclass(frozen=True, slots=True)
class _Form:
    """What all commits of a publication have in common.

    Attributes:
        dates: The variables that give git their date.
        author: Who wrote them, as git writes it.
        committer: Who committed them, as git writes it.
        signoff: Add the committer's Signed-off-by trailer.
        timeout: Seconds that signing may take.
    """

    dates: Mapping[str, str]
    author: str
    committer: str
    signoff: bool
    timeout: float


def _form(repo: "Repository", *, now: datetime, signoff: bool, timeout: float) -> _Form:
    date = f"@{int(now.timestamp())} {now.strftime('%z')[:5] or '+0000'}"
    names = ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE")
    dates = {name: date for name in names if name not in repo.git.environ}
    author = repo.identity("author", dates)
    committer = author if _is_one_person(repo) else repo.identity("committer", dates)
    return _Form(dates, author, committer, signoff, timeout)


def _is_one_person(repo: "Repository") -> bool:
    """Tells whether nothing makes the committer another one than the author, at another time."""
    config = repo.config()
    return not (
        config.keys_below("author")
        or config.keys_below("committer")
        or any(name.startswith(("GIT_AUTHOR_", "GIT_COMMITTER_")) for name in repo.git.environ)
    )


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
    if form.signoff:
        message = _signed_off(repo, message, form.committer)
    config = repo.config()
    sign = config.get_bool("commit.gpgsign")
    if not sign and config.get("i18n.commitencoding") is None:
        raw = raw_commit(tree, parents, form.author, form.committer, message)
        if raw is not None:
            return repo.objects().write_commit(raw)
    return _commit_by_git(repo, tree, parents, message, form, sign=sign)


def raw_commit(
    tree: str, parents: Sequence[str], author: str, committer: str, message: str
) -> bytes | None:
    """Returns a commit as git keeps it, None where git would change or refuse it.

    Args:
        tree: Id of its tree.
        parents: Ids of its parents; each counts once.
        author: Who wrote it, as `Repository.identity` says it.
        committer: Who committed it, likewise.
        message: The whole message.
    """
    lines = [f"tree {tree}", *(f"parent {parent}" for parent in dict.fromkeys(parents))]
    lines += [f"author {author}", f"committer {committer}"]
    try:
        head = "\n".join(lines).encode("utf-8")
    except UnicodeEncodeError:
        return None
    raw = head + b"\n\n" + _encoded(message, None)[1]
    return None if b"\0" in raw else raw


def _commit_by_git(
    repo: "Repository",
    tree: str,
    parents: Sequence[str],
    message: str,
    form: _Form,
    *,
    sign: bool,
) -> str:
    repo.objects().flush()
    encoding, data = _encoded(message, repo.config().get("i18n.commitencoding"))
    options = [*DURABLE, *encoding, "commit-tree", *(("-S",) if sign else ())]
    for parent in parents:
        options += ["-p", parent]
    timeout = form.timeout if sign else None
    try:
        done = repo.git.run(*options, "-F", "-", tree, input=data, env=form.dates, timeout=timeout)
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


def _signed_off(repo: "Repository", message: str, committer: str) -> str:
    who = committer.rsplit(">", 1)[0] + ">"
    done = repo.git.run(
        "interpret-trailers",
        "--no-divider",
        "--if-exists=addIfDifferent",
        f"--trailer=Signed-off-by: {who}",
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
