"""Rollback: takes back exactly one replan's effect on the plan as it is now."""

from functools import partial
from typing import Final

from gitwfp.change.changeset import between
from gitwfp.change.kinds import sentence
from gitwfp.change.merge import Conflict, Rules, Side, merge
from gitwfp.classes import dataclass, replace
from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, say, say_n
from gitwfp.files.bookkeeping import is_bookkeeping_line, set_counts
from gitwfp.files.paths import inside_of
from gitwfp.files.tree import FileEdits
from gitwfp.files.writing import plan_edits
from gitwfp.flows.change import carry_out
from gitwfp.flows.conflicts import conflict_refusal
from gitwfp.flows.env import Env
from gitwfp.flows.history import Kind, Record, as_checked_out, history, plans_at
from gitwfp.flows.names import Stamp
from gitwfp.flows.sessions import (
    choose_session_of_history,
    session_of_commit,
    session_of_replan,
)
from gitwfp.flows.snapshot import Snapshot
from gitwfp.flows.targets import (
    RollbackRequest,
    nothing_to_take_back,
    targets_of,
    with_merged,
)
from gitwfp.flows.whole import Way, taken_whole, with_edits
from gitwfp.flows.work import Draft, Outcome, Step, as_diagnostic
from gitwfp.model.findings import Finding
from gitwfp.model.plan import Plan, SessionRef
from gitwfp.model.task import unpadded
from gitwfp.patterns import regex
from gitwfp.policy import message as m
from gitwfp.policy.names import as_argument

_MORE: Final = regex(r"(?: \(and \d+ more\))+\Z")
_SUBJECT: Final = regex(r"[a-z]+\((?P<about>[^()]+)\): (?P<reason>.+)")


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
        records, targets = self._found(env, snapshot)
        nothing = Draft(before=snapshot.here, after=snapshot.here, steps=())
        if not targets:
            return nothing
        undone = [record for record in targets if record.undone_by is not None]
        empty = [record for record in targets if record.kind is Kind.OUTSIDE and not undone]
        if empty and all(_changes_nothing(env, self.ref, record) for record in targets):
            return replace(nothing, notes=tuple(map(_without_plan, empty)))
        if self.request.to is None and len(undone) == len(targets):
            return replace(nothing, notes=tuple(map(_already, undone)))
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
            rules = Rules(
                is_bookkeeping_line, set_counts, theirs_first=True, prefer=self.request.prefer
            )
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
        if self.request.prefer is Side.OURS and not between(snapshot.here, plan).of_intent:
            return replace(nothing, notes=tuple(map(_kept, targets)))
        goes = not (plan.session or plan.tasks)
        notes = _staying(env, self.ref, edits) if goes else ()
        reverts = with_merged(env, records, targets)
        message = self._message(env, snapshot, records, targets, reverts, plan, stamp)
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
            refusal=partial(_breaks, records, targets),
        )

    def _found(self, env: Env, snapshot: Snapshot) -> tuple[tuple[Record, ...], tuple[Record, ...]]:
        """Returns the session's history, and what of it is to be taken back, newest first."""
        head = snapshot.head.commit
        if head is None:
            raise nothing_to_take_back(self.ref)
        records = history(env, self.ref, head)
        return records, targets_of(env, self.ref, records, head, self.request)

    def _message(
        self,
        env: Env,
        snapshot: Snapshot,
        records: tuple[Record, ...],
        targets: tuple[Record, ...],
        reverts: tuple[Record, ...],
        plan: Plan,
        stamp: Stamp,
    ) -> m.Message:
        changes = between(snapshot.here, plan)
        note = "\n".join(f"This reverts commit {record.commit}." for record in targets)
        return m.Message(
            m.subject(_verb(records, targets), *_about(self.ref, targets)),
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
                m.REVERTS: _named(reverts),
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


def _verb(records: tuple[Record, ...], targets: tuple[Record, ...]) -> str:
    """Returns the word of the subject: taking back a rollback is a redo."""
    return "redo" if all(_takes_away(record, records) for record in targets) else "rollback"


def _takes_away(record: Record, records: tuple[Record, ...]) -> bool:
    """Tells whether a record is a rollback whose effect is that of taking something back."""
    is_away = False
    known = {one.name: one for one in records}
    seen: set[str] = set()
    at: Record | None = record
    while at is not None and at.kind is Kind.ROLLBACK and at.name not in seen:
        seen.add(at.name)
        is_away = not is_away
        at = known.get(at.reverts[0]) if at.reverts else None
    return is_away


def _changes_nothing(env: Env, ref: SessionRef, record: Record) -> bool:
    before, after = plans_at(env, ref, record.info)
    return not between(before, after) and before.others == after.others


def _without_plan(record: Record) -> Diagnostic:
    return Diagnostic(
        "changes-no-plan",
        say(
            "{name} changes nothing in this plan, so there is nothing to take back.",
            name=record.name,
        ),
        Severity.NOTE,
        hint=say("git revert takes back what it changes elsewhere."),
    )


def _named(targets: tuple[Record, ...]) -> str:
    return ", ".join(record.name for record in targets)


def _breaks(
    records: tuple[Record, ...],
    targets: tuple[Record, ...],
    findings: tuple[Finding, ...],
) -> Refusal:
    """Returns the refusal of a rollback that later changes do not allow, naming them."""
    worst = findings[0]
    needing = {unpadded(one.location.task) for one in findings if one.location.task is not None}
    oldest = max((records.index(one) for one in targets if one in records), default=0)
    later = [
        record
        for record in records[:oldest]
        if record not in targets
        and record.undone_by is None
        and any(unpadded(task) in needing for task in record.tasks)
    ]
    return Refusal(
        worst.rule,
        say(
            "{name} cannot be taken back; the plan would not hold together: {why}",
            name=_named(targets),
            why=worst.message,
        ),
        ExitCode.REFUSED,
        hint=say(
            "Nothing was written. Take back first what came later: {later}.",
            later=", ".join(record.name for record in later),
        )
        if later
        else say("Nothing was written. Change first what still needs it."),
        location=worst.location,
        details=tuple(as_diagnostic(finding) for finding in findings[1:]),
    )


def _kept(record: Record) -> Diagnostic:
    return Diagnostic(
        "kept-as-it-is",
        say("{name} is not taken back: --ours keeps all that it changed.", name=record.name),
        Severity.NOTE,
        hint=say("--theirs takes it back, and what changed it since with it."),
    )


def _already(record: Record) -> Diagnostic:
    return Diagnostic(
        "already-rolled-back",
        say("{name} is already rolled back.", name=record.name),
        Severity.NOTE,
        hint=say("To redo it, roll back {by}.", by=as_argument(record.undone_by))
        if record.undone_by
        else None,
    )
