"""The order of what a request asks for, and what follows from it.

A request may say something of a task that it also splits, merges or deletes. Updates go before
the form that takes their task apart; what is said to a task that goes for good is left out.
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
from gitwfp.policy.request.edits import Leave, TaskEdits


def in_order(
    asked: Sequence[Operation | TaskId], edits: Mapping[TaskId, TaskEdits], leave: Leave
) -> tuple[Operation, ...]:
    """Returns the operations of a request in the order of first mention.

    Args:
        asked: The structural operations, and the tasks with edits where they were first named.
        edits: The edits by task.
        leave: Where words go that change nothing.
    """
    gone: dict[TaskId, Operation] = {}
    kept: list[Operation | TaskId] = []
    for each in asked:
        if not isinstance(each, str):
            tasks = tasks_of(each)
            if any(task in gone for task in tasks):
                leave(each.words, say("The request has done away with that task before."))
                continue
            if isinstance(each, DeleteTask | MergeTasks | SplitTask):
                gone.update(dict.fromkeys(tasks, each))
        kept.append(each)
    result: list[Operation] = []
    for each in kept:
        if not isinstance(each, str):
            taken = [task for task in tasks_of(each) if gone.get(task) is each and task in edits]
            if isinstance(each, DeleteTask):
                _leave_all(taken, edits, leave)
            else:
                result.extend(_updates(taken, edits))
            result.append(each)
        elif each not in gone:
            result.extend(_updates([each], edits))
    return tuple(result)


def _leave_all(tasks: Sequence[TaskId], edits: Mapping[TaskId, TaskEdits], leave: Leave) -> None:
    for task in tasks:
        for words in edits[task].words:
            leave(words, say("The request deletes that task."))


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


def derived_from(operations: tuple[Operation, ...]) -> list[Text]:
    """Returns what structural operations answer by themselves: scope and task changes."""
    structural = [each for each in operations if not isinstance(each, UpdateTask)]
    if not structural:
        return []
    derived = [
        say(
            "The scope is {scope}: the request says '{words}'.",
            scope=scope_needed(structural[0]).value,
            words=structural[0].words,
        )
    ]
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
