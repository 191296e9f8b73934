"""From operations to a change set: compiling, deriving what follows, judging the scope."""

from collections.abc import Iterable
from dataclasses import dataclass

from gitwfp.change.changeset import ChangeSet, between
from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, say
from gitwfp.files import todolist
from gitwfp.files.paths import inside_of, is_task_file, stem_of
from gitwfp.model.plan import IMPL_PLAN, PLAN_JSON, SESSION_JSON, TODO_LIST, Plan
from gitwfp.model.task import find_id, unpadded
from gitwfp.policy.bookkeeping import Entry, derive
from gitwfp.policy.ids import new_ids
from gitwfp.policy.impact import Impact, assess
from gitwfp.policy.operations import (
    CreateTask,
    Operation,
    Scope,
    UpdateTask,
    scope_needed,
)
from gitwfp.policy.recipes import carry_out_operation
from gitwfp.policy.tasks import Draft

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
        taken_ids: Ids that were in use once; list lines are looked at besides.

    Raises:
        Refusal: An operation cannot be carried out, reaches too far, or touches a file that
            cannot be read.
    """
    _check_dependencies(operations, limits)
    ids = new_ids(plan, [*taken_ids, *_listed_ids(plan), *_file_stems(plan)])
    draft = Draft(plan, {})
    for operation in operations:
        _check_readable(plan, operation)
        draft = carry_out_operation(draft, operation, ids, force=limits.force)
    if not draft.moves and not between(plan, draft.plan):
        return Proposal(
            plan, plan, ChangeSet(), operations, entry.scope, assess(plan, plan, ChangeSet())
        )
    derived = derive(plan, draft, entry)
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
    """Refuses an operation on a task that may lie in a file which cannot be read."""
    named = [getattr(operation, "task", None), *getattr(operation, "tasks", ())]
    for wanted in named:
        if wanted is None:
            continue
        for path in sorted(plan.source.unreadable):
            inside = inside_of(plan.ref, path)
            stem = stem_of(inside)
            unknown = find_id(wanted, plan.tasks) is None
            if is_task_file(inside) and (unpadded(stem) == unpadded(wanted) or unknown):
                raise _unreadable(plan, path)


def _check_document(plan: Plan, name: str) -> None:
    path = f"{plan.ref.folder}/{name}"
    if path in plan.source.unreadable:
        raise _unreadable(plan, path)


def _unreadable(plan: Plan, path: str) -> Refusal:
    problem = next((p for p in plan.problems if p.location.path == path), None)
    where = problem.location if problem is not None else Location(path, session=plan.ref.id)
    return Refusal(
        "invalid-plan-file",
        say("'{path}' cannot be understood, and this change concerns it.", path=path),
        ExitCode.REFUSED,
        hint=say("Correct the file and run the command again."),
        location=where,
        details=(problem,) if problem is not None else (),
    )
