"""Audit: commits that changed plans in another way than they say, or that say nothing."""

from collections.abc import Iterator
from enum import StrEnum

from gitwfp.change.changeset import between
from gitwfp.classes import dataclass
from gitwfp.files.paths import find_workspaces, session_at, workspace_of
from gitwfp.flows.env import Env
from gitwfp.flows.history import Kind, Record, plans_at, record_of
from gitwfp.git.history import CommitInfo, changed_paths, plan_commits
from gitwfp.model.plan import SessionRef
from gitwfp.policy import message as m


class Breach(StrEnum):
    """What is the matter with a commit."""

    OUTSIDE = "outside"
    """It changes what a plan means, and gitwfp did not make it."""
    TRAILERS = "trailers"
    """What its trailers say is not what it changes."""


@dataclass(frozen=True, slots=True)
class Audited:
    """One commit that an audit has something to say about.

    Attributes:
        commit: The commit.
        session: The session.
        breach: What is the matter.
        tasks: The tasks that it changes and, for trailers, does not name, or names wrongly.
    """

    commit: CommitInfo
    session: str
    breach: Breach
    tasks: tuple[str, ...]


def audit(env: Env, wanted: str) -> tuple[int, tuple[Audited, ...]]:
    """Looks through the commits of a range.

    Args:
        env: The surroundings.
        wanted: `A..B`, or a revision for all that it reaches.

    Returns:
        How many commits changed plans, and what there is to say, newest first.

    Raises:
        Refusal: There is no such commit (not found).
    """
    first, dots, last = wanted.partition("..")
    tip = env.repo.resolve((last.removeprefix(".") if dots else first) or "HEAD")
    since = env.repo.resolve(first or "HEAD") if dots else None
    spaces = tuple(dict.fromkeys((*find_workspaces(env.repo.commit_files(tip)), ".workflow")))
    count = 0
    found: list[Audited] = []
    for commit in plan_commits(env.repo, tip, spaces, since=since, full=True):
        records = [
            (ref, record)
            for ref in _sessions(env, commit)
            if (record := record_of(env, ref, commit)) is not None
        ]
        count += bool(records)
        found.extend(one for ref, record in records for one in _breaches(env, ref, record))
    return count, tuple(found)


def _sessions(env: Env, commit: CommitInfo) -> tuple[SessionRef, ...]:
    if commit.is_boundary:
        return ()
    parent = next(iter(commit.parents), None)
    found: dict[SessionRef, None] = {}
    for change in changed_paths(env.repo, parent, commit.id):
        workspace = workspace_of(change.path)
        ref = None if workspace is None else session_at(workspace, change.path)
        if ref is not None:
            found[ref] = None
    return tuple(sorted(found))


def _breaches(env: Env, ref: SessionRef, record: Record) -> Iterator[Audited]:
    info = record.info
    if record.kind is Kind.OUTSIDE:
        yield Audited(info, ref.id, Breach.OUTSIDE, record.tasks)
        return
    if record.kind is Kind.CHECKPOINT or len(record.replans) > 1:
        # A checkpoint keeps what was edited by hand, and a squash holds several messages.
        return
    changes = between(*plans_at(env, ref, info)).of_intent
    claimed = {key: set(_named(info, key)) for key in (m.ADDED, m.UPDATED, m.DELETED)}
    wrong = {*changes.added} ^ claimed[m.ADDED] | {*changes.deleted} ^ claimed[m.DELETED]
    wrong |= {*changes.updated} - claimed[m.UPDATED]
    if wrong:
        yield Audited(info, ref.id, Breach.TRAILERS, tuple(sorted(wrong)))


def _named(info: CommitInfo, key: str) -> tuple[str, ...]:
    return m.ids_in(info.trailers.get(key, ()))
