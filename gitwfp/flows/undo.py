"""Rollback: takes back exactly one replan's effect on the plan as it is now."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from gitwfp.change.changeset import between
from gitwfp.change.kinds import sentence
from gitwfp.change.merge import Conflict, Rules, Side, merge
from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, Text, say, say_n
from gitwfp.files.bookkeeping import is_bookkeeping_line
from gitwfp.files.paths import inside_of
from gitwfp.files.tree import FileEdits
from gitwfp.files.writing import plan_edits
from gitwfp.flows.change import carry_out
from gitwfp.flows.env import Env
from gitwfp.flows.history import Kind, Record, as_checked_out, find_record, history, plans_at
from gitwfp.flows.names import Stamp
from gitwfp.flows.sessions import (
    choose_session_of_history,
    session_of_commit,
    session_of_replan,
)
from gitwfp.flows.snapshot import Snapshot
from gitwfp.flows.whole import Way, taken_whole, with_edits
from gitwfp.flows.work import Draft, Options, Outcome, Step
from gitwfp.git.history import is_ancestor
from gitwfp.model import fields as f
from gitwfp.model.plan import Plan, SessionRef
from gitwfp.model.values import Value, strings
from gitwfp.policy import message as m

_REPLANS: Final = (Kind.REPLAN, Kind.ADOPT, Kind.ROLLBACK)
_MORE: Final = re.compile(r"(?: \(and \d+ more\))+\Z")
_SUBJECT: Final = re.compile(r"[a-z]+\((?P<about>[^()]+)\): (?P<reason>.+)")


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


def rollback(env: Env, request: RollbackRequest) -> Outcome:
    """Takes back a replan by a plan-aware three-way merge; later replans stay.

    Raises:
        Refusal: See `gitwfp.flows.change.carry_out`; also when a field was changed again since
            (conflict), or there is nothing to take back.
    """
    env.begin_writing()
    tree = env.repo.worktree_files(env.settings.limits.file_bytes)
    head = env.repo.head().commit
    named = request.session or session_of_replan(request.replan)
    if named is None and request.replan is not None:
        named = session_of_commit(env, request.replan)
    ref = choose_session_of_history(env, tree, head, named, writing=True)
    return carry_out(env, ref, _Rollback(ref, request), request.options)


@dataclass(frozen=True, slots=True)
class _Rollback:
    ref: SessionRef
    request: RollbackRequest
    kind: str = "rollback"
    takes_edits: bool = False

    def draft(self, env: Env, snapshot: Snapshot, stamp: Stamp) -> Draft:
        targets = self._targets(env, snapshot)
        nothing = Draft(before=snapshot.here, after=snapshot.here, steps=())
        if not targets:
            return nothing
        undone = [record for record in targets if record.undone_by is not None]
        if self.request.to is None and len(undone) == len(targets):
            return Draft(
                before=snapshot.here,
                after=snapshot.here,
                steps=(),
                notes=tuple(_already(record) for record in undone),
            )
        start = plan = like = snapshot.here
        done: FileEdits = {}
        conflicts: list[Conflict] = []
        for record in targets:
            before, after = plans_at(env, self.ref, record.info)
            parent = next(iter(record.info.parents), None)
            restored = as_checked_out(env, before, parent, snapshot.head.commit)
            way = Way(record.commit, parent, after, before)
            if way.unreadable:
                done = {**done, **plan_edits(start, plan, like=like)}
                whole = taken_whole(env, snapshot, plan, way, done)
                after, before, done = whole.base, whole.theirs, {**done, **whole.edits}
                start = plan = with_edits(env, plan, done)
            rules = Rules(is_bookkeeping_line, theirs_first=True, prefer=self.request.prefer)
            merged = merge(after, plan, before, rules)
            conflicts.extend(merged.conflicts)
            plan, like = merged.plan, restored
        if conflicts:
            raise conflict_refusal(
                self.ref,
                conflicts,
                say(
                    "{name} cannot be taken back: it was changed again since.",
                    name=_named(targets),
                ),
            )
        edits = {**done, **plan_edits(start, plan, like=like)}
        goes = not (plan.session or plan.tasks)
        notes = _staying(env, self.ref, edits) if goes else ()
        message = self._message(env, snapshot, targets, plan, stamp)
        return Draft(
            before=snapshot.here,
            after=plan,
            steps=(Step(message, edits),) if edits else (),
            notes=(
                *(notes if edits else (_already(record) for record in targets)),
                *_fewer(self.ref, self.request, len(targets)),
            ),
            asks_for_yes=self.request.prefer is not None or goes,
            tolerates=(like,),
        )

    def _targets(self, env: Env, snapshot: Snapshot) -> tuple[Record, ...]:
        head = snapshot.head.commit
        if head is None:
            raise _nothing_to_take_back(self.ref)
        records = history(env, self.ref, head)
        if self.request.to is not None:
            return self._newer(env, records)
        if self.request.redo:
            return (_to_redo(self.ref, records),)
        if self.request.replan is None:
            last = tuple(filter(_can_be_last, records))[: self.request.count]
            if not last:
                raise _nothing_to_take_back(self.ref)
            return last
        record = find_record(env, self.ref, records, self.request.replan)
        if not is_ancestor(env.repo, record.commit, head):
            raise Refusal(
                "replan-elsewhere",
                say("{name} is not part of this branch's history.", name=record.name),
                ExitCode.NOT_FOUND,
                hint=say("Switch to the branch that has it to take it back there."),
                location=Location(session=self.ref.id),
            )
        self._refuse_squashed(record)
        return (record,)

    def _newer(self, env: Env, records: tuple[Record, ...]) -> tuple[Record, ...]:
        base = env.repo.resolve(self.request.to or "")
        return tuple(
            record
            for record in records
            if record.kind in _REPLANS and not is_ancestor(env.repo, record.commit, base)
        )

    def _refuse_squashed(self, record: Record) -> None:
        """Refuses to take back one of several replans that a squash made one commit of."""
        by_name = self.request.replan in record.replans
        if by_name and len(record.replans) > 1:
            raise Refusal(
                "replan-squashed",
                say(
                    "{name} was squashed into one commit with others: {others}.",
                    name=self.request.replan,
                    others=", ".join(name for name in record.replans),
                ),
                ExitCode.CONFLICT,
                hint=say(
                    "Name the commit {commit} to take all of it back.", commit=record.commit[:12]
                ),
                location=Location(session=self.ref.id),
            )

    def _message(
        self,
        env: Env,
        snapshot: Snapshot,
        targets: tuple[Record, ...],
        plan: Plan,
        stamp: Stamp,
    ) -> m.Message:
        changes = between(snapshot.here, plan)
        note = "\n".join(f"This reverts commit {record.commit}." for record in targets)
        return m.Message(
            m.subject(_verb(targets), *_about(self.ref, targets)),
            tuple(env.words(sentence(change)) for change in changes.of_intent.changes),
            {
                m.REPLAN: stamp.replan,
                m.SESSION: self.ref.id,
                m.MODE: "rollback",
                m.ADDED: m.listed(changes.added),
                m.UPDATED: m.listed(changes.updated),
                m.DELETED: m.listed(changes.deleted),
                m.BACKUP: "",
                m.BRANCH: stamp.branch,
                m.REVERTS: ", ".join(record.name for record in targets),
            },
            note=note,
        )


def _fewer(ref: SessionRef, request: RollbackRequest, found: int) -> tuple[Diagnostic, ...]:
    """Says how many there were to take back, where more were asked for."""
    if found >= request.count or not _counts(request):
        return ()
    return (
        Diagnostic(
            "fewer-than-asked",
            say_n(
                "There is {count} change to take back, not {asked}.",
                "There are {count} changes to take back, not {asked}.",
                found,
                asked=request.count,
            ),
            Severity.NOTE,
            Location(ref.folder, session=ref.id),
        ),
    )


def _counts(request: RollbackRequest) -> bool:
    return request.replan is None and request.to is None and not request.redo


def _staying(env: Env, ref: SessionRef, edits: FileEdits) -> tuple[Diagnostic, ...]:
    """Names the files that stay in the folder of a session that goes."""
    tree = env.repo.worktree_files(env.settings.limits.file_bytes)
    left = [entry.path for entry in tree.entries(ref.folder) if entry.path not in edits]
    if not left:
        return ()
    files = ", ".join(inside_of(ref, path) for path in left)
    return (
        Diagnostic(
            "files-stay",
            say("These files are not the plan's and stay in its folder: {files}.", files=files),
            Severity.NOTE,
            Location(ref.folder, session=ref.id),
        ),
    )


def conflict_refusal(
    ref: SessionRef, conflicts: Iterable[Conflict], message: Text, hint: Text | None = None
) -> Refusal:
    """Returns the refusal that lists conflicts by field, with both sides."""
    return Refusal(
        "plan-conflict",
        message,
        ExitCode.CONFLICT,
        hint=hint
        or say(
            "Nothing was written. Take back the later change first, or decide with --ours (keep "
            "what is there) or --theirs."
        ),
        location=Location(ref.folder, session=ref.id),
        details=tuple(conflict_line(ref, conflict) for conflict in conflicts),
    )


def conflict_line(ref: SessionRef, conflict: Conflict) -> Diagnostic:
    """Returns a conflict as a line for people and programs."""
    place = conflict.task or conflict.document or ref.id
    name = f.label(conflict.field) if conflict.field else say("the whole of it")
    return Diagnostic(
        "conflict",
        say(
            "{place}, {field}: here {ours}; there {theirs}.",
            place=place,
            field=name,
            ours=_short(conflict.ours),
            theirs=_short(conflict.theirs),
        ),
        Severity.ERROR,
        Location(
            path=f"{ref.folder}/{conflict.document}" if conflict.document else None,
            session=ref.id,
            task=conflict.task,
            field=conflict.field or None,
        ),
    )


def _short(value: Value) -> str:
    if value is None or value == ():
        return "nothing"
    text = " | ".join(strings(value))
    return f"'{text}'" if len(text) <= 120 else f"'{text[:119]}…'"


def _about(ref: SessionRef, targets: tuple[Record, ...]) -> tuple[str, str]:
    """Returns what a rollback is about, and the reason of what it takes back."""
    newest = targets[0]
    more = f" (and {len(targets) - 1} more)" if len(targets) > 1 else ""
    found = _SUBJECT.fullmatch(newest.info.subject)
    if found is None:
        return ref.id, newest.info.subject + more
    # What it takes back may be a rollback of several itself, and the numbers do not add up.
    reason = _MORE.sub("", found["reason"]) if more else found["reason"]
    return found["about"], reason + more


def _verb(targets: tuple[Record, ...]) -> str:
    """Returns the word of the subject: taking back a rollback is a redo."""
    return "redo" if all(record.kind is Kind.ROLLBACK for record in targets) else "rollback"


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


def _named(targets: tuple[Record, ...]) -> str:
    return ", ".join(record.name for record in targets)


def _already(record: Record) -> Diagnostic:
    return Diagnostic(
        "already-rolled-back",
        say("{name} is already rolled back.", name=record.name),
        Severity.NOTE,
        hint=say("To redo it, roll back {by}.", by=record.undone_by) if record.undone_by else None,
    )


def _nothing_to_take_back(ref: SessionRef) -> Refusal:
    return Refusal(
        "nothing-to-roll-back",
        say("Session {session} has no replan to take back.", session=ref.id),
        ExitCode.NOT_FOUND,
        hint=say("git wfp log lists its history."),
        location=Location(ref.folder, session=ref.id),
    )
