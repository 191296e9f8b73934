"""The history of plans, read from the commits; the refs are an index, not the truth."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from gitwfp.change.changeset import between
from gitwfp.change.merge import Rules, merge
from gitwfp.classes import dataclass, replace
from gitwfp.errors import ExitCode, Location, Refusal, say
from gitwfp.files.bookkeeping import is_bookkeeping_line, set_counts
from gitwfp.files.codec import read_plan
from gitwfp.files.digest import intent_digest
from gitwfp.flows.env import Env
from gitwfp.git.conversion import worktree_forms
from gitwfp.git.history import CommitInfo, changed_paths, merge_base, plan_commits
from gitwfp.model.plan import Plan, SessionRef, empty_plan
from gitwfp.model.task import unpadded
from gitwfp.patterns import regex
from gitwfp.policy import message as m

_REPLAN_LINE: Final = regex(rf"^\s*{m.REPLAN}:\s*(\S+)\s*$", re.MULTILINE)
_REVERTS_LINE: Final = regex(rf"^\s*{m.REVERTS}:\s*(\S.*?)\s*$", re.MULTILINE)
_GIT_REVERT: Final = regex(r"^This reverts commit ([0-9a-f]{40,64})", re.MULTILINE)
_PICKED: Final = regex(r"^\(cherry picked from commit ([0-9a-f]{40,64})\)$", re.MULTILINE)


class Kind(StrEnum):
    """What a commit did to a plan."""

    START = "start"
    REPLAN = "replan"
    ADOPT = "adopt"
    ROLLBACK = "rollback"
    CHECKPOINT = "checkpoint"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class Record:
    """One entry of the history.

    Attributes:
        kind: What the commit did.
        commit: Its full id.
        info: What the commit says about itself.
        replan: Its replan id, if it has one.
        replans: Every replan id that its message holds; several after a squash.
        reverts: The replans or commits that it takes back.
        session: The session.
        tasks: The tasks that it names.
        undone_by: The replan id of the rollback that took it back and still stands.
    """

    kind: Kind
    commit: str
    info: CommitInfo
    replan: str | None
    replans: tuple[str, ...]
    reverts: tuple[str, ...]
    session: str
    tasks: tuple[str, ...]
    undone_by: str | None = None

    @property
    def name(self) -> str:
        """The replan id, or the commit's id where it has none."""
        return self.replan or self.commit


def history(env: Env, ref: SessionRef, rev: str, *, since: str | None = None) -> tuple[Record, ...]:
    """Returns what commits did to a session's plan, newest first.

    Commits that changed what the plan means without gitwfp are among them; those that changed
    only progress, reports or files that are not the plan's are not.

    Args:
        env: The surroundings.
        ref: The session.
        rev: Where the history ends.
        since: The date of the oldest entry wanted, as ISO 8601; in UTC if it names no zone.

    Raises:
        Refusal: The date is none (usage).
    """
    commits = plan_commits(env.repo, rev, (ref.folder,), full=True)
    records = [record for commit in commits if (record := record_of(env, ref, commit)) is not None]
    marked = mark_undone(records)
    if since is None:
        return marked
    earliest = _moment(since)
    return tuple(record for record in marked if record.info.time[0] >= earliest)


def mark_undone(records: Iterable[Record]) -> tuple[Record, ...]:
    """Returns the records, newest first, with those marked that a standing rollback took back."""
    taken_back: dict[str, str] = {}
    result = []
    for record in records:
        by = taken_back.get(record.name) or taken_back.get(record.commit)
        if by is None:
            for name in record.reverts:
                taken_back.setdefault(name, record.name)
        result.append(replace(record, undone_by=by))
    return tuple(result)


def plans_at(env: Env, ref: SessionRef, commit: CommitInfo) -> tuple[Plan, Plan]:
    """Returns a session's plan at a commit's first parent and at the commit.

    Raises:
        Refusal: The history is cut off right here, so that the parent is not known.
    """
    if commit.is_boundary:
        raise Refusal(
            "history-cut-off",
            say("The history ends at {commit}; what was before is not here.", commit=commit.id),
            ExitCode.ENVIRONMENT,
            hint=say("Fetch more of the history: git fetch --deepen=50."),
            location=Location(session=ref.id),
        )
    limit = env.settings.limits.file_bytes
    after = read_plan(env.repo.commit_files(commit.id, limit), ref, companions=True)
    if not commit.parents:
        return empty_plan(ref), after
    files = env.repo.commit_files(commit.parents[0], limit)
    return read_plan(files, ref, companions=True), after


def as_checked_out(env: Env, plan: Plan, commit: str | None, other: str | None) -> Plan:
    """Returns a plan with the bytes that a checkout of its commit would write.

    Args:
        env: The surroundings.
        plan: The plan as the commit holds it.
        commit: Its commit; None for the plan before a root commit.
        other: The commit that is checked out; files that are the same there stay as they are.
    """
    if commit is None:
        return plan
    blobs = {
        changed.path: changed.after
        for changed in changed_paths(env.repo, other, commit, plan.ref.folder)
        if changed.after is not None and changed.path in plan.source.files
    }
    forms = worktree_forms(env.repo, blobs)
    return replace(plan, source=replace(plan.source, files={**plan.source.files, **forms}))


def record_of(env: Env, ref: SessionRef, commit: CommitInfo) -> Record | None:
    """Returns what a commit did to a session's plan, None if nothing that a plan means."""
    if len(commit.parents) > 1:
        return _merge_record(env, ref, commit)
    record = forced_record(ref, commit)
    is_ours = record.kind is not Kind.OUTSIDE and _first(commit, m.SESSION) in (ref.id, None)
    if is_ours and len(record.replans) < 2:
        return record
    # A squash has the ids of what went into it in its text, perhaps those of several sessions.
    replans = tuple(name for name in record.replans if name.rpartition("/")[0] == ref.id)
    if commit.is_boundary:
        return record if is_ours else None
    before, after = plans_at(env, ref, commit)
    if not replans and intent_digest(before) == intent_digest(after):
        return None
    reverts = tuple(
        name
        for name in (*m.ids_in(_REVERTS_LINE.findall(commit.body)), *record.reverts)
        if name not in replans
    )
    return replace(
        record,
        kind=Kind.REPLAN if replans else Kind.OUTSIDE,
        replan=None,
        replans=replans,
        reverts=tuple(dict.fromkeys(reverts)),
        tasks=between(before, after).of_intent.touched,
    )


def _merge_record(env: Env, ref: SessionRef, commit: CommitInfo) -> Record | None:
    """Returns the record of a merge commit that is more than the merge of its parents' plans."""
    if commit.is_boundary:
        return None
    limit = env.settings.limits.file_bytes
    base = merge_base(env.repo, commit.parents[0], commit.parents[1])
    after, start, *sides = (
        read_plan(env.repo.commit_files(rev, limit), ref, companions=True)
        for rev in (commit.id, base, *commit.parents)
    )
    wanted = {intent_digest(side) for side in sides}
    merged = merge(start, sides[0], sides[1], Rules(is_bookkeeping_line, set_counts))
    if len(sides) == 2 and not merged.conflicts:
        wanted.add(intent_digest(merged.plan))
    if intent_digest(after) in wanted:
        return None
    return replace(
        forced_record(ref, commit),
        kind=Kind.OUTSIDE,
        replan=None,
        replans=(),
        reverts=(),
        tasks=between(sides[0], after).of_intent.touched,
    )


def forced_record(ref: SessionRef, commit: CommitInfo) -> Record:
    """Returns a commit's record without asking whether it concerns the plan at all."""
    tasks = m.ids_in(
        value for key in (m.ADDED, m.UPDATED, m.DELETED) for value in commit.trailers.get(key, ())
    )
    return Record(
        kind=_kind(commit),
        commit=commit.id,
        info=commit,
        replan=_first(commit, m.REPLAN),
        replans=replans_of(commit),
        reverts=m.ids_in(commit.trailers.get(m.REVERTS, ())) or _reverted_by_git(commit),
        session=ref.id,
        tasks=tasks,
    )


def _kind(commit: CommitInfo) -> Kind:
    if m.REVERTS in commit.trailers:
        return Kind.ROLLBACK
    if m.CHECKPOINT in commit.trailers:
        return Kind.CHECKPOINT
    if m.REPLAN not in commit.trailers:
        return Kind.OUTSIDE
    mode = _first(commit, m.MODE)
    return {"adopt": Kind.ADOPT, "start": Kind.START}.get(mode or "", Kind.REPLAN)


def replans_of(commit: CommitInfo) -> tuple[str, ...]:
    """Returns every replan id that a commit's message holds; several after a squash."""
    return tuple(dict.fromkeys(_REPLAN_LINE.findall(commit.body)))


def picked_by(commit: CommitInfo) -> tuple[str, ...]:
    """Returns the commits of which a commit says that it is another form."""
    return tuple(_PICKED.findall(commit.body))


def _reverted_by_git(commit: CommitInfo) -> tuple[str, ...]:
    """Returns the commits that `git revert` says in its message it took back."""
    return tuple(_GIT_REVERT.findall(commit.body))


def _first(commit: CommitInfo, key: str) -> str | None:
    return next(iter(commit.trailers.get(key, ())), None)


def _moment(since: str) -> float:
    try:
        moment = datetime.fromisoformat(since)
    except ValueError:
        raise Refusal(
            "bad-date",
            say("'{date}' is not a date as ISO 8601 has them.", date=since),
            ExitCode.USAGE,
            hint=say("Write it as 2026-11-30 or 2026-11-30T19:07:52Z."),
        ) from None
    return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp()


def naming(records: Iterable[Record], task: str) -> Iterator[Record]:
    """Yields the records that name a task."""
    for record in records:
        if any(unpadded(name) == unpadded(task) for name in record.tasks):
            yield record
