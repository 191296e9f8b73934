"""The closed union of changes: each is one typed fact with before and after.

Whatever somebody wants done to a plan compiles to these six, and the same six are shown,
applied, committed, inverted and merged.
"""

from collections.abc import Mapping
from typing import Final, assert_never

from gitwfp.classes import dataclass
from gitwfp.errors import Text, say
from gitwfp.model import fields as f
from gitwfp.model.task import Task, TaskId
from gitwfp.model.values import Value, strings

_SHOWN: Final = 160


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
    """Returns one sentence that states the change; long values are cut."""
    match change:
        case TaskAdded(task):
            return say("Task {id} is added: {title}", id=task.id, title=task.title)
        case TaskDropped(task):
            return say("Task {id} is removed: {title}", id=task.id, title=task.title)
        case TaskEdited(task_id, name, before, after):
            return say("Task {id}: {what}", id=task_id, what=_edit(name, before, after))
        case SessionEdited(name, before, after):
            return say("Session: {what}", what=_edit(name, before, after))
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


def _edit(name: str, before: Value, after: Value) -> Text:
    """Returns what an edit does to a field: the entries of a list, or old and new of the rest."""
    label = f.label(name)
    if name == f.EXECUTION and _executor(before) != _executor(after):
        before, after = _executor(before), _executor(after)
    if isinstance(before, tuple | None) and isinstance(after, tuple | None):
        old, new = strings(before), strings(after)
        gone = tuple(text for text in old if text not in new)
        come = tuple(text for text in new if text not in old)
        if gone and come:
            return say(
                "{field}: {new} instead of {old}.",
                field=label,
                new=_quoted(come),
                old=_quoted(gone),
            )
        if come:
            return say("{field} gains {new}.", field=label, new=_quoted(come))
        if gone:
            return say("{field} loses {old}.", field=label, old=_quoted(gone))
        return say("{field} is reordered.", field=label)
    if isinstance(before, str | None) and isinstance(after, str | None):
        if before is None:
            return say("{field} becomes {new}.", field=label, new=_quoted(strings(after)))
        if after is None:
            return say("{field} is removed.", field=label)
        return say(
            "{field} becomes {new} instead of {old}.",
            field=label,
            new=_quoted(strings(after)),
            old=_quoted(strings(before)),
        )
    return say("{field} changes.", field=label)


def _executor(config: Value) -> Value:
    """Returns the tool or agent that executes a task; the configuration where it names neither."""
    if not isinstance(config, Mapping):
        return config
    who = config.get("cli_tool") or config.get("method")
    return who if isinstance(who, str) else config


def _quoted(texts: tuple[str, ...]) -> str:
    text = "; ".join(texts)
    return f"'{text}'" if len(text) <= _SHOWN else f"'{text[: _SHOWN - 1]}\u2026'"
