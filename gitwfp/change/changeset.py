"""Change sets: what lies between two plans, and how to get from one to the other.

Changes are never stored. They are recomputed from two snapshots, so they cannot disagree with
the files; only the intent is kept, in the trailers of the commit.
"""

from collections.abc import Iterable, Mapping
from typing import assert_never

from gitwfp.change.kinds import (
    Change,
    DocumentEdited,
    FileChanged,
    SessionEdited,
    TaskAdded,
    TaskDropped,
    TaskEdited,
    inverse,
    role_of,
    task_of,
)
from gitwfp.classes import dataclass, replace
from gitwfp.errors import ExitCode, Location, Refusal, say
from gitwfp.model import fields as f
from gitwfp.model.plan import Document, Plan
from gitwfp.model.task import TaskId, id_key, same_fields, with_field
from gitwfp.model.values import Value, same


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Ordered changes of one session's plan."""

    changes: tuple[Change, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changes)

    @property
    def inverse(self) -> "ChangeSet":
        """The change set that takes this one back."""
        return ChangeSet(tuple(inverse(change) for change in reversed(self.changes)))

    @property
    def of_intent(self) -> "ChangeSet":
        """The changes that concern what the plan means; progress and bookkeeping left aside."""
        return ChangeSet(tuple(c for c in self.changes if role_of(c) is f.Role.INTENT))

    @property
    def added(self) -> tuple[TaskId, ...]:
        """The tasks that appear."""
        return tuple(c.task.id for c in self.changes if isinstance(c, TaskAdded))

    @property
    def deleted(self) -> tuple[TaskId, ...]:
        """The tasks that go."""
        return tuple(c.task.id for c in self.changes if isinstance(c, TaskDropped))

    @property
    def updated(self) -> tuple[TaskId, ...]:
        """The tasks of which a field changes."""
        ids = (c.task for c in self.changes if isinstance(c, TaskEdited))
        return tuple(sorted(dict.fromkeys(ids), key=id_key))

    @property
    def touched(self) -> tuple[TaskId, ...]:
        """Every task that a change concerns."""
        ids = (task_of(change) for change in self.changes)
        return tuple(sorted({task_id for task_id in ids if task_id is not None}, key=id_key))

    def then(self, changes: Iterable[Change]) -> "ChangeSet":
        """Returns the change set with more changes after its own."""
        return ChangeSet((*self.changes, *changes))

    def apply(self, plan: Plan) -> Plan:
        """Returns the plan after the changes.

        Raises:
            Refusal: The plan does not state what a change says was there before (conflict).
        """
        for change in self.changes:
            plan = _apply(plan, change)
        return plan


def between(before: Plan, after: Plan) -> ChangeSet:
    """Returns the changes that lead from one plan to another of the same session.

    The order is fixed: the session, tasks that go, tasks that come, edits by task, documents,
    companion files.
    """
    changes: list[Change] = [SessionEdited(*edit) for edit in _edits(before.session, after.session)]
    gone = sorted(before.tasks.keys() - after.tasks.keys(), key=id_key)
    come = sorted(after.tasks.keys() - before.tasks.keys(), key=id_key)
    changes.extend(TaskDropped(before.tasks[task_id]) for task_id in gone)
    changes.extend(TaskAdded(after.tasks[task_id]) for task_id in come)
    for task_id in sorted(before.tasks.keys() & after.tasks.keys(), key=id_key):
        one, other = before.tasks[task_id].fields, after.tasks[task_id].fields
        changes.extend(TaskEdited(task_id, *edit) for edit in _edits(one, other))
    for name in sorted(before.documents.keys() | after.documents.keys()):
        one = before.documents[name].parts if name in before.documents else {}
        other = after.documents[name].parts if name in after.documents else {}
        changes.extend(DocumentEdited(name, *edit) for edit in _edits(one, other))
    for path in sorted(before.others.keys() | after.others.keys()):
        old, new = before.others.get(path), after.others.get(path)
        if old != new:
            changes.append(FileChanged(path, old, new))
    return ChangeSet(tuple(changes))


def _edits(
    before: Mapping[str, Value], after: Mapping[str, Value]
) -> list[tuple[str, Value, Value]]:
    names = sorted(before.keys() | after.keys())
    return [
        (name, before.get(name), after.get(name))
        for name in names
        if not same(before.get(name), after.get(name))
    ]


def _apply(plan: Plan, change: Change) -> Plan:  # noqa: C901 - one case a kind of change
    match change:
        case TaskAdded(task):
            if task.id in plan.tasks:
                raise _stale(task=task.id)
            return plan.with_task(replace(task, origin=None))
        case TaskDropped(task):
            held = plan.tasks.get(task.id)
            if held is None or not same_fields(held.fields, task.fields):
                raise _stale(task=task.id)
            return plan.without_task(task.id)
        case TaskEdited(task_id, name, before, after):
            held = plan.tasks.get(task_id)
            if held is None or not same(held.fields.get(name), before):
                raise _stale(task=task_id, field=name)
            return plan.with_task(held.with_field(name, after))
        case SessionEdited(name, before, after):
            if not same(plan.session.get(name), before):
                raise _stale(field=name)
            return replace(plan, session=with_field(plan.session, name, after))
        case DocumentEdited(document, name, before, after):
            parts = plan.documents[document].parts if document in plan.documents else {}
            if not same(parts.get(name), before):
                raise _stale(path=document, field=name)
            return plan.with_document(Document(document, _with_part(parts, name, after)))
        case FileChanged(path, old, new):
            if plan.others.get(path) != old:
                raise _stale(path=path)
            others = {key: data for key, data in plan.others.items() if key != path}
            return replace(plan, others=others if new is None else {**others, path: new})
        case _:
            assert_never(change)


def _with_part(parts: Mapping[str, Value], name: str, value: Value) -> Mapping[str, Value]:
    """Sets a part of a document; an empty list of lines is an empty file, not a missing one."""
    if value is None:
        return {key: held for key, held in parts.items() if key != name}
    return {**parts, name: value}


def _stale(task: str | None = None, path: str | None = None, field: str | None = None) -> Refusal:
    return Refusal(
        "stale-change",
        say("The plan has changed since this change was made."),
        ExitCode.CONFLICT,
        hint=say("Run the command again."),
        location=Location(path=path, task=task, field=field),
    )
