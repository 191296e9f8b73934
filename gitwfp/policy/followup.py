"""Additional work on a completed task: a new task instead of a change to what is done."""

from gitwfp.model.plan import Plan
from gitwfp.policy.operations import CreateTask, Operation, UpdateTask
from gitwfp.policy.tasks import required_task


def as_new_tasks(plan: Plan, operations: tuple[Operation, ...]) -> tuple[Operation, ...]:
    """Returns operations in which every update of a completed task makes a new task instead.

    The new task asks for what the update adds, and depends on the completed one.

    Raises:
        Refusal: A task that is named does not exist (not found).
    """
    return tuple(_instead(plan, operation) for operation in operations)


def _instead(plan: Plan, operation: Operation) -> Operation:
    if not isinstance(operation, UpdateTask):
        return operation
    task = required_task(plan, operation.task)
    if task.is_open:
        return operation
    wanted = operation.requirements.add or operation.acceptance.add or (operation.words,)
    return CreateTask(
        title=operation.title or wanted[0] or task.title,
        requirements=operation.requirements.add,
        acceptance=operation.acceptance.add,
        focus_paths=operation.focus_paths.add or task.texts("focus_paths"),
        depends_on=(task.id,),
        after=task.id,
        reason=operation.reason,
        words=operation.words,
    )
