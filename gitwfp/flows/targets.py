"""What a rollback takes back: the replan named, the newest ones, or all since a revision."""

from typing import Final

from gitwfp.change.merge import Side
from gitwfp.classes import dataclass, field
from gitwfp.errors import ExitCode, Location, Refusal, say
from gitwfp.flows.env import Env
from gitwfp.flows.history import Kind, Record
from gitwfp.flows.lookup import find_record, names_a_part
from gitwfp.flows.work import Options
from gitwfp.git.history import is_ancestor
from gitwfp.model.plan import SessionRef

_REPLANS: Final = (Kind.REPLAN, Kind.ADOPT, Kind.ROLLBACK)


@dataclass(frozen=True, slots=True)
class RollbackRequest:
    """What is to be taken back.

    Attributes:
        replan: A replan id or a revision; None for the newest ones not taken back yet.
        count: How many of the newest ones.
        to: Take back every replan newer than this revision instead.
        redo: Take back the newest rollback that still stands instead.
        session: The session named, if one was.
        prefer: The side that decides conflicts, if one was named.
        options: How it is carried out.
    """

    replan: str | None = None
    count: int = 1
    to: str | None = None
    redo: bool = False
    session: str | None = None
    prefer: Side | None = None
    options: Options = field(default_factory=Options)


def targets_of(
    env: Env, ref: SessionRef, records: tuple[Record, ...], head: str, request: RollbackRequest
) -> tuple[Record, ...]:
    """Returns what a request takes back, newest first.

    Args:
        env: The surroundings.
        ref: The session.
        records: Its history at HEAD, newest first.
        head: The commit at HEAD.
        request: What was asked for.

    Raises:
        Refusal: There is nothing to take back (not found), it is on another branch (not found),
            or a part of a squash (conflict).
    """
    if request.to is not None:
        return _newer(env, records, request.to)
    if request.redo:
        return (_to_redo(ref, records),)
    if request.replan is None:
        last = tuple(filter(_can_be_last, records))[: request.count]
        if not last:
            raise nothing_to_take_back(ref, is_cut=env.repo.is_shallow)
        return last
    record = find_record(env, ref, records, request.replan)
    if not is_ancestor(env.repo, record.commit, head):
        raise Refusal(
            "replan-elsewhere",
            say("{name} is not part of this branch's history.", name=record.name),
            ExitCode.NOT_FOUND,
            hint=say("Switch to the branch that has it to take it back there."),
            location=Location(session=ref.id),
        )
    if names_a_part(env, record, request.replan):
        raise _squashed(ref, record, request.replan)
    return (record,)


def with_merged(
    env: Env, records: tuple[Record, ...], targets: tuple[Record, ...]
) -> tuple[Record, ...]:
    """Returns the targets, and for a merge commit also the standing changes that it brought."""
    brought = [
        record
        for target in targets
        if len(target.info.parents) > 1
        for record in records
        if record.undone_by is None
        and record.commit != target.commit
        and is_ancestor(env.repo, record.commit, target.commit)
        and not is_ancestor(env.repo, record.commit, target.info.parents[0])
    ]
    return (*targets, *brought)


def _newer(env: Env, records: tuple[Record, ...], since: str) -> tuple[Record, ...]:
    base = env.repo.resolve(since)
    return tuple(
        record
        for record in records
        if record.kind in _REPLANS and not is_ancestor(env.repo, record.commit, base)
    )


def _squashed(ref: SessionRef, record: Record, wanted: str) -> Refusal:
    """Returns the refusal to take back one of several replans that are one commit now."""
    return Refusal(
        "replan-squashed",
        say(
            "{name} was squashed into one commit with others: {others}.",
            name=wanted,
            others=", ".join(n for n in record.replans if not f"/{n}".endswith(f"/{wanted}")),
        ),
        ExitCode.CONFLICT,
        hint=say("Name the commit {commit} to take all of it back.", commit=record.commit[:12]),
        location=Location(session=ref.id),
    )


def _can_be_last(record: Record) -> bool:
    return record.kind in (Kind.REPLAN, Kind.ADOPT) and record.undone_by is None


def _to_redo(ref: SessionRef, records: tuple[Record, ...]) -> Record:
    """Returns the newest rollback that can be redone; a replan made since clears the way back."""
    rollbacks = {record.name for record in records if record.kind is Kind.ROLLBACK}
    for record in records:
        if record.kind is Kind.ROLLBACK:
            # What took back replans and rollbacks alike is no redo, and can be redone.
            if record.undone_by is None and not rollbacks.issuperset(record.reverts):
                return record
        elif _can_be_last(record) and not _was_redone(record, records):
            break
    raise Refusal(
        "nothing-to-redo",
        say("Session {session} has nothing to redo.", session=ref.id),
        ExitCode.NOT_FOUND,
        hint=say("Only what was rolled back since the newest replan can be redone."),
        location=Location(ref.folder, session=ref.id),
    )


def _was_redone(record: Record, records: tuple[Record, ...]) -> bool:
    """Tells whether a standing replan stands because its rollback was taken back."""
    return any(record.name in other.reverts for other in records)


def nothing_to_take_back(ref: SessionRef, *, is_cut: bool = False) -> Refusal:
    """Returns the refusal of a rollback in a session that has no replan.

    Args:
        ref: The session.
        is_cut: Whether the history here is cut off, so that there may be one beyond.
    """
    return Refusal(
        "nothing-to-roll-back",
        say("Session {session} has no replan to take back.", session=ref.id),
        ExitCode.NOT_FOUND,
        hint=say("This clone is shallow; git fetch --unshallow brings the rest of its history.")
        if is_cut
        else say("git wfp log lists its history."),
        location=Location(ref.folder, session=ref.id),
    )
