"""The closed union of changes: each is one typed fact with before and after.

Whatever somebody wants done to a plan compiles to these six, and the same six are shown,
applied, committed, inverted and merged.
"""

from dataclasses import dataclass
from typing import assert_never

from gitwfp.errors import Text, say
from gitwfp.model import fields as f
from gitwfp.model.task import Task, TaskId
from gitwfp.model.values import Value


@dataclass(frozen=True, slots=True)
class TaskAdded:
    """A task that was not there is there."""

    task: Task


@dataclass(frozen=True, slots=True)
class TaskDropped:
    """A task that was there is not there any more."""

    task: Task


@dataclass(frozen=True, slots=True)
class TaskEdited:
    """One field of a task changed."""

    task: TaskId
    field: str
    before: Value
    after: Value


@dataclass(frozen=True, slots=True)
class SessionEdited:
    """One field of the session file changed."""

    field: str
    before: Value
    after: Value


@dataclass(frozen=True, slots=True)
class DocumentEdited:
    """One part of another plan file changed; a file that appears or goes changes all its parts."""

    document: str
    field: str
    before: Value
    after: Value


@dataclass(frozen=True, slots=True)
class FileChanged:
    """A companion file changed; its content is opaque."""

    path: str
    before: bytes | None
    after: bytes | None


Change = TaskAdded | TaskDropped | TaskEdited | SessionEdited | DocumentEdited | FileChanged


def inverse(change: Change) -> Change:
    """Returns the change that takes this one back."""
    match change:
        case TaskAdded(task):
            return TaskDropped(task)
        case TaskDropped(task):
            return TaskAdded(task)
        case TaskEdited(task_id, name, before, after):
            return TaskEdited(task_id, name, after, before)
        case SessionEdited(name, before, after):
            return SessionEdited(name, after, before)
        case DocumentEdited(document, name, before, after):
            return DocumentEdited(document, name, after, before)
        case FileChanged(path, before, after):
            return FileChanged(path, after, before)
        case _:
            assert_never(change)


def task_of(change: Change) -> TaskId | None:
    """Returns the task that a change concerns, if it concerns one."""
    match change:
        case TaskAdded(task) | TaskDropped(task):
            return task.id
        case TaskEdited(task_id):
            return task_id
        case SessionEdited() | DocumentEdited() | FileChanged():
            return None
        case _:
            assert_never(change)


def role_of(change: Change) -> f.Role:
    """Returns whether a change concerns the plan's meaning, its progress or bookkeeping."""
    match change:
        case TaskEdited(field=name) | SessionEdited(field=name) | DocumentEdited(field=name):
            return f.role_of(name)
        case TaskAdded() | TaskDropped() | FileChanged():
            return f.Role.INTENT
        case _:
            assert_never(change)


def sentence(change: Change) -> Text:  # noqa: PLR0911 - one return a kind of change
    """Returns one sentence that states the change without its values."""
    match change:
        case TaskAdded(task):
            return say("Task {id} is added: {title}", id=task.id, title=task.title)
        case TaskDropped(task):
            return say("Task {id} is removed: {title}", id=task.id, title=task.title)
        case TaskEdited(task_id, name):
            return say("Task {id}: {field} changes.", id=task_id, field=f.label(name))
        case SessionEdited(name):
            return say("Session: {field} changes.", field=f.label(name))
        case DocumentEdited(document, name):
            if name in (f.LINES, f.CHANGES):
                return say("{document} changes.", document=document)
            return say("{document}: {field} changes.", document=document, field=f.label(name))
        case FileChanged(path, before, after):
            if before is None:
                return say("File '{path}' is added.", path=path)
            if after is None:
                return say("File '{path}' is removed.", path=path)
            return say("File '{path}' changes.", path=path)
        case _:
            assert_never(change)
