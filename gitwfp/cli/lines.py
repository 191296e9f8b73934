"""From plans and changes to the answers that programs read.

What only commands that change plans need is imported where it is used: the commands that look
come here too, and they start often.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Final, assert_never

from gitwfp.change import kinds
from gitwfp.change.changeset import ChangeSet, between
from gitwfp.cli import answers
from gitwfp.flows.view import Comparison, Overview
from gitwfp.model import fields as f
from gitwfp.model.graph import Waiting
from gitwfp.model.plan import Plan
from gitwfp.model.task import TaskId
from gitwfp.model.values import Value, thaw
from gitwfp.policy import message as m
from gitwfp.policy.names import as_argument

if TYPE_CHECKING:
    from gitwfp.flows.history import Record
    from gitwfp.flows.work import Outcome
    from gitwfp.policy.impact import Impact
    from gitwfp.policy.operations import Operation
    from gitwfp.policy.replan import Proposal

_LAST_SECOND: Final = 253402214400
_LAST_MINUTE: Final = 1439


def session_line(view: Overview) -> answers.SessionLine:
    """Returns a session at a glance."""
    plan = view.plan
    status = plan.session.get(f.STATUS)
    return answers.SessionLine(
        id=plan.ref.id,
        folder=plan.ref.folder,
        place=plan.ref.place.value,
        title=plan.title,
        status=status if isinstance(status, str) else None,
        tasks=len(plan.tasks),
        counts={status.value: count for status, count in view.counts.items()},
        ready=view.ready,
        problems=len(plan.source.unreadable),
        chosen=view.is_chosen,
    )


def task_line(plan: Plan, task_id: TaskId, waiting: Waiting | None = None) -> answers.TaskLine:
    """Returns a task at a glance."""
    task = plan.tasks[task_id]
    return answers.TaskLine(
        id=task.id,
        title=task.title,
        status=task.status.value,
        depends_on=task.depends_on,
        unmet=waiting.unmet if waiting is not None else (),
        missing=waiting.missing if waiting is not None else (),
    )


def change_lines(changes: ChangeSet) -> tuple[answers.ChangeLine, ...]:
    """Returns a change set as programs read it."""
    return tuple(_change_line(change) for change in changes.changes)


def change(outcome: "Outcome", command: str) -> answers.Change:
    """Returns what a command did to a plan, or would do."""
    draft = outcome.draft
    proposal = draft.proposal if draft is not None else None
    return answers.Change(
        command=command,
        changed=outcome.changed,
        written=outcome.written,
        session=outcome.ref.id,
        folder=outcome.ref.folder,
        replan=outcome.stamp.replan if outcome.changed else None,
        commit=outcome.commit,
        checkpoint=outcome.checkpoint,
        backup=outcome.backup,
        branch=outcome.branch,
        landed=outcome.landed,
        scope=proposal.scope.value if proposal is not None else None,
        operations=_operations(proposal) if proposal is not None else (),
        impact=_impact(proposal.impact) if proposal is not None else None,
        added=outcome.changes.added,
        updated=outcome.changes.updated,
        deleted=outcome.changes.deleted,
        files=tuple(sorted(draft.edits)) if draft is not None else (),
        changes=change_lines(outcome.changes),
        rollback=rollback_command(outcome),
    )


def rollback_command(outcome: "Outcome") -> str | None:
    """Returns the command that takes a landed change back."""
    if not outcome.written or outcome.landed is None:
        return None
    return f"git wfp rollback {outcome.back or as_argument(outcome.stamp.replan)}"


def log_line(record: "Record") -> answers.LogLine:
    """Returns an entry of the history as programs read it."""
    branch = record.info.trailers.get(m.BRANCH, ())
    return answers.LogLine(
        kind=record.kind.value,
        commit=record.commit,
        replan=record.replan,
        replans=record.replans,
        time=iso_time(record.info.time),
        author=record.info.author,
        subject=record.info.subject,
        tasks=record.tasks,
        reverts=record.reverts,
        undone_by=record.undone_by,
        branch=branch[0] if branch else None,
    )


def iso_time(time: tuple[int, int]) -> str:
    """Returns seconds since 1970 and minutes east of UTC as ISO 8601, cut to what dates can be."""
    seconds = min(max(time[0], 0), _LAST_SECOND)
    minutes = min(max(time[1], -_LAST_MINUTE), _LAST_MINUTE)
    return datetime.fromtimestamp(seconds, timezone(timedelta(minutes=minutes))).isoformat()


def session_diff(compared: Comparison) -> answers.SessionDiff:
    """Returns what differs between two versions of a session."""
    before, after = compared.before, compared.after
    changes = between(before, after)
    old, new = _edges(before), _edges(after)
    renamed = (
        c.task for c in changes.changes if isinstance(c, kinds.TaskEdited) and c.field == f.TITLE
    )
    return answers.SessionDiff(
        session=after.ref.id,
        folder=after.ref.folder,
        added=changes.added,
        deleted=changes.deleted,
        renamed=tuple(renamed),
        edges_added=tuple(answers.EdgeLine(*edge) for edge in new if edge not in old),
        edges_removed=tuple(answers.EdgeLine(*edge) for edge in old if edge not in new),
        critical_path_before=compared.path_before,
        critical_path_after=compared.path_after,
        changes=change_lines(changes),
    )


def _edges(plan: Plan) -> list[tuple[str, str]]:
    return [(task.id, on) for task in plan.tasks.values() for on in task.depends_on]


def _change_line(change: kinds.Change) -> answers.ChangeLine:
    role = kinds.role_of(change).value
    match change:
        case kinds.TaskAdded(task):
            return answers.ChangeLine("task_added", role, task.id, after=_fields(task.fields))
        case kinds.TaskDropped(task):
            return answers.ChangeLine("task_dropped", role, task.id, before=_fields(task.fields))
        case kinds.TaskEdited(task_id, name, before, after):
            return answers.ChangeLine(
                "task_edited", role, task_id, None, f.label(name), thaw(before), thaw(after)
            )
        case kinds.SessionEdited(name, before, after):
            return answers.ChangeLine(
                "session_edited", role, None, None, f.label(name), thaw(before), thaw(after)
            )
        case kinds.DocumentEdited(document, name, before, after):
            return answers.ChangeLine(
                "document_edited", role, None, document, f.label(name), thaw(before), thaw(after)
            )
        case kinds.FileChanged(path, before, after):
            return answers.ChangeLine(
                "file_changed", role, None, path, None, _size(before), _size(after)
            )
        case _:
            assert_never(change)


def _fields(fields: Mapping[str, Value]) -> dict[str, object]:
    return {f.label(name): thaw(value) for name, value in fields.items()}


def _size(data: bytes | None) -> int | None:
    return None if data is None else len(data)


def _operations(proposal: "Proposal") -> tuple[answers.OperationLine, ...]:
    return tuple(
        answers.OperationLine(o.type, _target(o), o.reason, o.words) for o in proposal.operations
    )


def _target(operation: "Operation") -> str:
    from gitwfp.policy.operations import CreateTask, EditSession, MergeTasks

    match operation:
        case MergeTasks():
            return m.listed(operation.tasks)
        case CreateTask() | EditSession():
            return operation.title
        case _:
            return operation.task


def _impact(impact: "Impact") -> answers.ImpactLine:
    return answers.ImpactLine(
        impl_plan=impact.impl_plan,
        todo_list=impact.todo_list,
        session_meta=impact.session_meta,
        tasks=impact.tasks,
        dependents=tuple(
            answers.DependentLine(one.task, one.way, one.touched, str(one.why))
            for one in impact.dependents
        ),
    )
