"""Walks over commits, and what differs between two of them.

Walks are git's own, limited by path, so that replaced objects, grafts and shallow boundaries are
seen as `git log` shows them. Texts come in UTF-8 whatever the commit's encoding; bytes that are no
text at all are replaced, as these texts are for people and are never written back.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from gitwfp.classes import dataclass
from gitwfp.git.program import to_text
from gitwfp.git.smallfiles import read_if_file
from gitwfp.git.treediff import ChangedPath, differing
from gitwfp.patterns import regex

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

__all__ = [
    "ChangedPath",
    "CommitInfo",
    "branches_holding",
    "changed_paths",
    "commit_info",
    "contains",
    "is_ancestor",
    "merge_base",
    "parse_log",
    "plan_commits",
    "reachable_trailers",
]


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """What a commit says about itself.

    Attributes:
        id: Its full id.
        parents: Full ids of its parents.
        author: `Name <mail>`.
        time: When it was written, as seconds since 1970 and the author's minutes east of UTC.
        subject: First paragraph of the message, as one line.
        body: The rest of the message, trailers included.
        trailers: Values by key, in the message's order; keys as they are written there.
        is_boundary: Whether history is cut off here, so that missing parents mean nothing.
    """

    id: str
    parents: tuple[str, ...]
    author: str
    time: tuple[int, int]
    subject: str
    body: str
    trailers: Mapping[str, tuple[str, ...]]
    is_boundary: bool = False


# Trailers are taken apart by git, since what counts as one depends on its settings. The two
# separators are control characters that stand in no message.
_FIELDS = (
    "%H",
    "%P",
    "%an <%ae>",
    "%ad",
    "%s",
    "%b",
    "%(trailers:only,unfold,separator=%x1e,key_value_separator=%x1f)",
)
_FORMAT = "--format=tformat:" + "%x00".join(_FIELDS)
_LOG = (
    *("-c", "log.follow=false", "log", "-z", "--no-show-signature", "--no-color", "--no-notes"),
    *("--encoding=UTF-8", "--date=raw", _FORMAT),
)


_ID = regex(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def plan_commits(
    repo: "Repository",
    rev: str,
    paths: Sequence[str],
    *,
    since: str | None = None,
    limit: int | None = None,
    full: bool = False,
) -> Iterator[CommitInfo]:
    """Yields the commits reachable from a revision that touch some paths, newest first.

    No commit comes before one that it is an ancestor of; else their dates decide. With a limit
    their dates alone do: git need not walk the whole history first to give the newest few.

    Args:
        repo: The repository.
        rev: Where to start, as a commit id.
        paths: Files and folders that count; none means that all commits do.
        since: A commit id; it and its ancestors are left out.
        limit: How many to yield at most.
        full: Whether to go into side branches too whose changes did not survive their merge.
    """
    extent = ("--date-order",) if limit is None else (f"--max-count={limit}",)
    whole = ("--full-history",) if full else ()
    yield from _walk(repo, (*extent, *whole), rev, since, paths)


def commit_info(repo: "Repository", commit: str) -> CommitInfo:
    """Returns what one commit says about itself; raises `GitFailed` if there is no such commit."""
    return next(_walk(repo, ("--no-walk",), commit, None, ()))


def reachable_trailers(
    repo: "Repository", rev: str, keys: Sequence[str], paths: Sequence[str] = ()
) -> Mapping[str, tuple[str, ...]]:
    """Returns the values of some trailers over all commits that a revision reaches.

    Args:
        repo: The repository.
        rev: Where to start, as a commit id.
        keys: Trailer keys; upper and lower case are the same.
        paths: Files and folders that a commit must touch; none means that all commits count.

    Returns:
        Values by the key as it is asked for, those of newer commits first, each value once.
    """
    # A quick look by git spares us the messages that cannot matter.
    patterns = [f"--grep=^{key}[ \t]*:" for key in keys]
    options = ("--topo-order", "--full-history", "--regexp-ignore-case", *patterns)
    found: dict[str, dict[str, None]] = {key: {} for key in keys}
    for commit in _walk(repo, options, rev, None, paths):
        folded = {key.lower(): values for key, values in commit.trailers.items()}
        for key in keys:
            found[key].update(dict.fromkeys(folded.get(key.lower(), ())))
    return {key: tuple(values) for key, values in found.items()}


def _walk(
    repo: "Repository",
    options: Sequence[str],
    rev: str,
    since: str | None,
    paths: Sequence[str],
) -> Iterator[CommitInfo]:
    excluded = () if since is None else ("^" + since,)
    by_id = all(_ID.fullmatch(name) for name in (rev, since) if name is not None)
    repo.look_at_history()
    words = (*_LOG, *options, "--end-of-options", rev, *excluded, "--", *paths)
    done = repo.git.run(*words, by_id=by_id)
    return parse_log(done.out, _shallow_commits(repo))


def parse_log(output: bytes, boundary: frozenset[str] = frozenset()) -> Iterator[CommitInfo]:
    """Yields the commits in the output of a log in our format."""
    fields = [field.decode("utf-8", "replace") for field in output.split(b"\0")]
    for at in range(0, len(fields) - len(_FIELDS) + 1, len(_FIELDS)):
        commit, parents, author, time, subject, body, trailers = fields[at : at + len(_FIELDS)]
        yield CommitInfo(
            commit,
            tuple(parents.split()),
            author,
            _time(time),
            subject,
            body.rstrip("\n"),
            _trailers(trailers),
            is_boundary=commit in boundary,
        )


def _time(raw: str) -> tuple[int, int]:
    seconds, _, zone = raw.partition(" ")
    if not re.fullmatch(r"-?\d+", seconds) or not re.fullmatch(r"[+-]\d{4,}", zone):
        # A damaged commit may have no date at all; git shows it nevertheless.
        return 0, 0
    minutes = int(zone[-4:-2]) * 60 + int(zone[-2:])
    return int(seconds), -minutes if zone.startswith("-") else minutes


def _trailers(text: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for trailer in filter(None, text.split("\x1e")):
        key, _, value = trailer.partition("\x1f")
        found[key] = (*found.get(key, ()), value.strip())
    return found


def _shallow_commits(repo: "Repository") -> frozenset[str]:
    """Returns the commits at which a shallow repository is cut off."""
    if not repo.is_shallow:
        return frozenset()
    place = repo.git.environ.get("GIT_SHALLOW_FILE") or os.path.join(repo.common_dir, "shallow")
    content = read_if_file(os.path.join(repo.git.cwd, place))
    return frozenset(to_text(content or b"").split())


def changed_paths(
    repo: "Repository", a: str | None, b: str | None, prefix: str = ""
) -> tuple[ChangedPath, ...]:
    """Returns the paths that differ between two commits, sorted by path.

    Args:
        repo: The repository.
        a: Id of the commit before; None is an empty tree.
        b: Id of the one after; None is an empty tree.
        prefix: The folder to look in; "" is the root.
    """
    store = repo.objects()
    before, after = (None if commit is None else store.tree_of(commit) for commit in (a, b))
    return differing(store, before, after, prefix)


def merge_base(repo: "Repository", a: str, b: str) -> str | None:
    """Returns the best common ancestor of two commits, None if they share no history."""
    done = repo.git.run("merge-base", a, b, ok=(0, 1))
    return done.out.decode("ascii").strip() or None


def is_ancestor(repo: "Repository", a: str, b: str) -> bool:
    """Tells whether commit a is commit b or one of its ancestors."""
    return repo.git.run("merge-base", "--is-ancestor", a, b, ok=(0, 1)).code == 0


def contains(repo: "Repository", commit: str, prefix: str = "refs/") -> tuple[str, ...]:
    """Returns the refs, as full names, from which a commit can be reached.

    Args:
        repo: The repository.
        commit: The commit's id.
        prefix: The folder of refs to look in.
    """
    done = repo.git.run("for-each-ref", f"--contains={commit}", "--format=%(refname)", prefix)
    return tuple(to_text(done.out).splitlines())


def branches_holding(repo: "Repository", commit: str) -> tuple[str, ...]:
    """Returns the local branches, as full refs, from which a commit can be reached."""
    return contains(repo, commit, "refs/heads/")
