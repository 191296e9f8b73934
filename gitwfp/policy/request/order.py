"""The order of what a request asks for, and what follows from it.

A request may say something of a task that it also splits, merges or deletes. Updates go before
the form that takes their task apart; what is said to a task that goes for good contradicts it.
"""

from collections.abc import Mapping, Sequence

from gitwfp.errors import Text, say
from gitwfp.model.task import TaskId
from gitwfp.policy.operations import (
    CreateTask,
    DeleteTask,
    EditSession,
    MergeTasks,
    Operation,
    ReorderTask,
    SplitTask,
    UpdateTask,
    scope_needed,
)
from gitwfp.policy.request.edits import TaskEdits
from gitwfp.policy.request.refusals import contradiction


def in_order(
    asked: Sequence[Operation | TaskId], edits: Mapping[TaskId, TaskEdits]
) -> tuple[Operation, ...]:
    """Returns the operations of a request in the order of first mention.

    Args:
        asked: The structural operations, and the tasks with edits where they were first named.
        edits: The edits by task.

    Raises:
        Refusal: The request does away with a task and wants something of it as well (usage).
    """
    gone: dict[TaskId, Operation] = {}
    for each in asked:
        if isinstance(each, str):
            continue
        tasks = tasks_of(each)
        for task in tasks:
            if task in gone:
                raise contradiction(task, gone[task].words, each.words)
        if isinstance(each, DeleteTask | MergeTasks | SplitTask):
            gone.update(dict.fromkeys(tasks, each))
    result: list[Operation] = []
    for each in asked:
        if not isinstance(each, str):
            taken = [task for task in tasks_of(each) if gone.get(task) is each and task in edits]
            if isinstance(each, DeleteTask):
                _refuse_edits(each, taken, edits)
            else:
                result.extend(_updates(taken, edits))
            result.append(each)
        elif each not in gone:
            result.extend(_updates([each], edits))
    return tuple(result)


def _refuse_edits(
    deletion: DeleteTask, tasks: Sequence[TaskId], edits: Mapping[TaskId, TaskEdits]
) -> None:
    for task in tasks:
        for words in edits[task].words:
            raise contradiction(task, deletion.words, words)


def _updates(tasks: Sequence[TaskId], edits: Mapping[TaskId, TaskEdits]) -> list[UpdateTask]:
    made = (edits[task].operation() for task in tasks)
    return [update for update in made if update is not None]


def tasks_of(operation: Operation) -> tuple[TaskId, ...]:
    """Returns the tasks that an operation is done to."""
    match operation:
        case MergeTasks():
            return tuple(TaskId(task) for task in operation.tasks)
        case UpdateTask() | DeleteTask() | SplitTask() | ReorderTask():
            return (TaskId(operation.task),)
        case CreateTask() | EditSession():
            return ()


def derived_from(
    operations: tuple[Operation, ...], given: frozenset[str] = frozenset()
) -> list[Text]:
    """Returns what structural operations answer by themselves: scope and task changes.

    Args:
        operations: What is wanted.
        given: The names of the answers that need not be derived, as they were given.
    """
    structural = [each for each in operations if not isinstance(each, UpdateTask)]
    derived: list[Text] = []
    if structural and "scope" not in given:
        widest = max(structural, key=lambda each: scope_needed(each).rank)
        derived.append(
            say(
                "The scope is {scope}: the request says '{words}'.",
                scope=scope_needed(widest).value,
                words=widest.words,
            )
        )
    if "task_changes" in given:
        return derived
    for kinds, answer in (
        ((CreateTask, DeleteTask), "add_remove"),
        ((MergeTasks, SplitTask), "merge_split"),
    ):
        found = next((each for each in structural if isinstance(each, kinds)), None)
        if found is not None:
            derived.append(
                say(
                    "Task changes include {answer}: the request says '{words}'.",
                    answer=answer,
                    words=found.words,
                )
            )
    return derived
