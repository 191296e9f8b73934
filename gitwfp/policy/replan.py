"""From operations to a change set: compiling, deriving what follows, judging the scope."""

from collections.abc import Iterable
from itertools import chain

from gitwfp.change.changeset import ChangeSet, between
from gitwfp.classes import dataclass, replace
from gitwfp.errors import Diagnostic, ExitCode, Refusal, say
from gitwfp.files import todolist
from gitwfp.files.paths import inside_of, is_task_file, stem_of
from gitwfp.model.plan import IMPL_PLAN, PLAN_JSON, SESSION_JSON, TODO_LIST, Plan
from gitwfp.policy.bookkeeping import Entry, derive
from gitwfp.policy.ids import new_ids
from gitwfp.policy.impact import Impact, assess
from gitwfp.policy.operations import (
    CreateTask,
    DeleteTask,
    Operation,
    Scope,
    UpdateTask,
    scope_needed,
)
from gitwfp.policy.recipes import carry_out_operation, check_deleted
from gitwfp.policy.tasks import Draft, unreadable_file, unreadable_task

_DOCUMENTS = (SESSION_JSON, PLAN_JSON, TODO_LIST, IMPL_PLAN)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a caller allows a replan to do.

    Attributes:
        scope: How far it may reach; None lets the operations decide.
        dependencies: Whether dependencies may change; None lets the operations decide.
        force: Whether completed tasks may change.
    """

    scope: Scope | None = None
    dependencies: bool | None = None
    force: bool = False


@dataclass(frozen=True, slots=True)
class Proposal:
    """A replan that has not happened yet.

    Attributes:
        before: The plan it starts from.
        after: The plan it leads to.
        changes: What lies between the two.
        operations: What was asked for.
        scope: How far it reaches.
        impact: What it touches.
        notes: What a person should know.
    """

    before: Plan
    after: Plan
    changes: ChangeSet
    operations: tuple[Operation, ...]
    scope: Scope
    impact: Impact
    notes: tuple[Diagnostic, ...] = ()


def scope_of(operations: Iterable[Operation], wanted: Scope | None) -> Scope:
    """Returns the scope of a replan.

    Raises:
        Refusal: The operations need more than the scope that was asked for (usage).
    """
    needed = max(
        (scope_needed(operation) for operation in operations),
        key=lambda scope: scope.rank,
        default=Scope.TASKS_ONLY,
    )
    if wanted is not None and wanted.rank < needed.rank:
        raise Refusal(
            "scope-too-small",
            say("This request needs the scope {needed}.", needed=needed.value),
            ExitCode.USAGE,
            hint=say("Use --scope {needed}, or leave --scope out.", needed=needed.value),
        )
    return wanted if wanted is not None else needed


def propose(
    plan: Plan,
    operations: tuple[Operation, ...],
    entry: Entry,
    limits: Limits,
    taken_ids: Iterable[str] = (),
) -> Proposal:
    """Compiles operations to a change set.

    Args:
        plan: The plan they are meant for.
        operations: What is wanted, carried out in order.
        entry: What the histories record; its scope counts.
        limits: What the caller allows.
        taken_ids: Ids that were in use once, asked for when a new one is needed; list lines are
            looked at besides.

    Raises:
        Refusal: An operation cannot be carried out, reaches too far, or touches a file that
            cannot be read.
    """
    _check_dependencies(operations, limits)
    ids = new_ids(plan, chain(_listed_ids(plan), _file_stems(plan), taken_ids))
    draft = Draft(plan, {})
    for number, operation in enumerate(operations):
        _check_readable(plan, operation)
        try:
            draft = carry_out_operation(draft, operation, ids, force=limits.force)
        except Refusal as refusal:
            raise _at_operation(refusal, number) from refusal
    _check_deletions(plan, draft.plan, operations)
    nothing = Proposal(
        plan, plan, ChangeSet(), operations, entry.scope, assess(plan, plan, ChangeSet())
    )
    changed = between(plan, draft.plan)
    if not draft.moves and not changed:
        return nothing
    derived = derive(plan, draft, entry)
    if not changed and not _is_reordered(plan, derived.plan):
        return replace(nothing, notes=derived.notes)
    changes = between(plan, derived.plan)
    for name in _DOCUMENTS:
        _check_document(plan, name)
    return Proposal(
        before=plan,
        after=derived.plan,
        changes=changes,
        operations=operations,
        scope=entry.scope,
        impact=assess(plan, derived.plan, changes),
        notes=derived.notes,
    )


def _is_reordered(before: Plan, after: Plan) -> bool:
    """Tells whether a move changed a list: the order of a plan without a list is by id."""
    return before.order != after.order or before.documents.get(TODO_LIST) != after.documents.get(
        TODO_LIST
    )


def _check_deletions(before: Plan, after: Plan, operations: tuple[Operation, ...]) -> None:
    """Refuses what leaves tasks without what they depend on, whatever order it was told in."""
    for number, operation in enumerate(operations):
        if isinstance(operation, DeleteTask):
            try:
                check_deleted(before, after, operation)
            except Refusal as refusal:
                raise _at_operation(refusal, number) from refusal


def _at_operation(refusal: Refusal, number: int) -> Refusal:
    """Returns a refusal that points to the operation which caused it, where it names no field."""
    where = refusal.location
    if where.field is None:
        where = replace(where, field=f"/operations/{number}")
    return Refusal(
        refusal.code,
        refusal.message,
        refusal.exit_code,
        hint=refusal.hint,
        location=where,
        details=refusal.details,
    )


def _file_stems(plan: Plan) -> tuple[str, ...]:
    """Returns the ids that task files are named after, whatever they hold, readable or not."""
    names = (inside_of(plan.ref, path) for path in plan.source.paths)
    return tuple(stem_of(name) for name in names if is_task_file(name))


def _listed_ids(plan: Plan) -> tuple[str, ...]:
    document = plan.documents.get(TODO_LIST)
    return todolist.ids_mentioned(document.lines) if document is not None else ()


def _check_dependencies(operations: tuple[Operation, ...], limits: Limits) -> None:
    if limits.dependencies is not False:
        return
    for operation in operations:
        edits = isinstance(operation, UpdateTask) and bool(operation.depends_on)
        if edits or (isinstance(operation, CreateTask) and operation.depends_on):
            raise Refusal(
                "dependencies-not-allowed",
                say("This request changes dependencies, and --no-dependencies forbids that."),
                ExitCode.USAGE,
                hint=say("Leave --no-dependencies out, or take the dependency out of the request."),
            )


def _check_readable(plan: Plan, operation: Operation) -> None:
    """Refuses an operation on a task of which a file cannot be read, also beside a good one."""
    for wanted in (getattr(operation, "task", None), *getattr(operation, "tasks", ())):
        broken = unreadable_task(plan, wanted) if wanted is not None else None
        if broken is not None:
            raise unreadable_file(plan, broken)


def _check_document(plan: Plan, name: str) -> None:
    path = f"{plan.ref.folder}/{name}"
    if path in plan.source.unreadable:
        raise unreadable_file(plan, path)
