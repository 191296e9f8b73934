"""Plans, changes and replans as people read them in a terminal.

Every function takes values and a `Look` and returns finished lines. Nothing that comes from a plan
gets into a line without being made harmless.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, assert_never

from gitwfp.change.kinds import TaskEdited
from gitwfp.classes import dataclass
from gitwfp.cli.changes import change_lines
from gitwfp.cli.console import diagnostic_lines
from gitwfp.cli.look import PLAIN, Look, Style, cells, fit, pad, visible
from gitwfp.errors import Diagnostic, Text, say, say_n
from gitwfp.model import fields as f
from gitwfp.model.plan import IMPL_PLAN, SESSION_JSON, TODO_LIST, Plan
from gitwfp.model.task import Status, TaskId
from gitwfp.policy.impact import Dependent
from gitwfp.policy.operations import (
    CreateTask,
    DeleteTask,
    EditSession,
    MergeTasks,
    Operation,
    ReorderTask,
    SplitTask,
    UpdateTask,
)
from gitwfp.policy.reasons import said
from gitwfp.policy.replan import Proposal

if TYPE_CHECKING:
    from gitwfp.flows.ui import Preview

__all__ = ["change_lines", "modification_plan", "plan_summary", "preview", "table"]

_GAP: Final = 2
_NARROWEST: Final = 8
_EDITS: Final = (
    "requirements",
    "acceptance",
    "focus_paths",
    "depends_on",
    "implementation",
    "notes",
)
_STYLES: Final = {
    Status.COMPLETED: Style.ADDED,
    Status.IN_PROGRESS: Style.CHANGED,
    Status.FAILED: Style.REMOVED,
    Status.BLOCKED: Style.REMOVED,
    Status.FROZEN: Style.HINT,
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        title: What stands above it.
        right: Whether it is aligned to the right, as numbers are.
        grows: Whether it gives way when the terminal is narrow.
    """

    title: Text
    right: bool = False
    grows: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table that is shown in a style."""

    text: str
    style: Style


def table(
    rows: Sequence[Sequence[str | Cell]], columns: Sequence[Column], look: Look = PLAIN
) -> tuple[str, ...]:
    """Returns a table with its heading; wide characters are aligned, long texts cut to fit.

    Args:
        rows: The cells, as they come from a plan.
        columns: One for each cell of a row.
        look: How text is shown; a look without columns cuts nothing.
    """
    heading = [Cell(look.say(column.title), Style.HEADING) for column in columns]
    lines: list[Sequence[str | Cell]] = [heading]
    lines += [
        [
            Cell(visible(cell.text), cell.style) if isinstance(cell, Cell) else visible(cell)
            for cell in row
        ]
        for row in rows
    ]
    widths = [max(cells(_text(line[i])) for line in lines) for i in range(len(columns))]
    if look.columns is not None:
        widths = _narrowed(widths, columns, look.columns)
    return tuple(_line(line, widths, columns, look) for line in lines)


def _text(cell: str | Cell) -> str:
    return cell.text if isinstance(cell, Cell) else cell


def _narrowed(widths: list[int], columns: Sequence[Column], room: int) -> list[int]:
    """Takes what is too much from the columns that may give way, the widest one first."""
    excess = sum(widths) + _GAP * (len(widths) - 1) - room
    widths = list(widths)
    while excess > 0:
        wide = [i for i, c in enumerate(columns) if c.grows and widths[i] > _NARROWEST]
        if not wide:
            break
        widest = max(wide, key=lambda i: widths[i])
        widths[widest] -= 1
        excess -= 1
    return widths


def _line(
    line: Sequence[str | Cell], widths: list[int], columns: Sequence[Column], look: Look
) -> str:
    parts = []
    for cell, width, column in zip(line, widths, columns, strict=True):
        text = fit(_text(cell), width, mark=look.mark)
        if column is not columns[-1] or column.right:
            text = pad(text, width, right=column.right)
        parts.append(look.paint(text, cell.style) if isinstance(cell, Cell) else text)
    return (" " * _GAP).join(parts).rstrip()


def plan_summary(plan: Plan, look: Look = PLAIN) -> tuple[str, ...]:
    """Returns a plan at a glance: what it is for, how far it has come, its tasks."""
    tasks = [plan.tasks[task_id] for task_id in plan.order]
    counts = {status: sum(task.status is status for task in tasks) for status in Status}
    told = ", ".join(f"{n} {status.value}" for status, n in counts.items() if n)
    total = say_n("{count} task: {told}", "{count} tasks: {told}", len(tasks), told=told)
    lines = [_session_line(plan, look)]
    if not tasks:
        return (*lines, look.say(say("There are no tasks.")))
    rows = [
        (
            task.id,
            Cell(task.status.value, _STYLES.get(task.status, Style.PLAIN)),
            task.title,
            ", ".join(task.depends_on),
        )
        for task in tasks
    ]
    columns = (
        Column(say("Task")),
        Column(say("Status")),
        Column(say("Title"), grows=True),
        Column(say("Depends on"), grows=True),
    )
    return (*lines, look.say(total), "", *table(rows, columns, look))


def _session_line(plan: Plan, look: Look) -> str:
    heading = look.paint(visible(plan.ref.id), Style.HEADING)
    return heading if plan.title == plan.ref.id else f"{heading}  {visible(plan.title)}"


def preview(block: "Preview", look: Look = PLAIN) -> tuple[str, ...]:
    """Returns a change that has not happened yet: as a replan's plan, or as what it changes."""
    proposal = block.draft.proposal if block.draft is not None else None
    if proposal is not None:
        notices = tuple(note for note in block.notices if note not in proposal.notes)
        return modification_plan(proposal, look, notices)
    heading = look.say(say("Changes to {session}", session=block.ref.id))
    return (
        look.paint(heading, Style.HEADING),
        *change_lines(block.changes, look),
        *_notes(block.notices, look),
    )


def modification_plan(
    proposal: Proposal, look: Look = PLAIN, notices: tuple[Diagnostic, ...] = ()
) -> tuple[str, ...]:
    """Returns a replan for a person to judge.

    Args:
        proposal: The replan that is going to be applied, and no other.
        look: How text is shown.
        notices: What a person should know besides the replan's own notes.
    """
    heading = say("Modification plan for {session}", session=proposal.before.ref.id)
    lines = [look.paint(look.say(heading), Style.HEADING), ""]
    lines += _titled(
        say("Impact scope ({scope})", scope=proposal.scope.value), _impact(proposal, look), look
    )
    operations: list[str] = []
    for number, operation in enumerate(proposal.operations, 1):
        operations += _operation(number, operation, proposal.before, look)
    lines += _titled(say("Change operations"), operations, look)
    dependents = [_dependent(dependent, look) for dependent in proposal.impact.dependents]
    lines += _titled(say("Tasks that depend on them"), dependents, look)
    lines += _titled(say("Changes, field by field"), change_lines(proposal.changes, look), look)
    lines += _notes((*proposal.notes, *notices), look)
    return tuple(lines[:-1] if lines and not lines[-1] else lines)


def _titled(title: Text, lines: Iterable[str], look: Look) -> list[str]:
    found = list(lines)
    return [look.paint(look.say(title), Style.HEADING), *found, ""] if found else []


def _notes(notes: Sequence[Diagnostic], look: Look) -> list[str]:
    return [line for note in notes for line in diagnostic_lines(note, look)]


def _impact(proposal: Proposal, look: Look) -> list[str]:
    impact = proposal.impact
    files = (
        (IMPL_PLAN, impact.impl_plan),
        (TODO_LIST, impact.todo_list),
        (SESSION_JSON, impact.session_meta),
    )
    lines = [f"  {'[x]' if touched else '[ ]'} {name}" for name, touched in files]
    return lines + [f"  [x] {_touched(task, proposal, look)}" for task in impact.tasks]


def _touched(task: TaskId, proposal: Proposal, look: Look) -> str:
    changes = proposal.changes
    if task in changes.added:
        title = proposal.after.tasks[task].title
        return look.say(say("{task}: new, {title}", task=task, title=title))
    if task in changes.deleted:
        title = proposal.before.tasks[task].title
        return look.say(say("{task}: goes, {title}", task=task, title=title))
    edits = [c for c in changes.changes if isinstance(c, TaskEdited) and c.task == task]
    names = ", ".join(f.label(edit.field) for edit in edits)
    return look.say(say("{task}: {fields}", task=task, fields=names))


def _operation(number: int, operation: Operation, plan: Plan, look: Look) -> list[str]:
    lines = [f"  {number}. {look.say(_sentence(operation, plan))}"]
    margin = " " * (len(str(number)) + 4)
    if operation.reason:
        lines.append(margin + look.say(say("because: {reason}", reason=said(operation.reason))))
    if operation.words:
        lines.append(
            margin + look.paint(look.say(say('"{words}"', words=operation.words)), Style.QUIET)
        )
    return lines


def _sentence(operation: Operation, plan: Plan) -> Text:
    match operation:
        case CreateTask():
            return say("Create: {title}", title=operation.title)
        case UpdateTask():
            fields = ", ".join(_edited(operation))
            return say("Update {task}: {fields}", task=_id(plan, operation.task), fields=fields)
        case DeleteTask():
            held = plan.task(operation.task)
            title = held.title if held is not None else operation.task
            return say("Delete {task}: {title}", task=_id(plan, operation.task), title=title)
        case MergeTasks():
            tasks = ", ".join(_id(plan, task) for task in operation.tasks)
            if operation.title is None:
                return say("Merge {tasks} into one task", tasks=tasks)
            return say("Merge {tasks} into: {title}", tasks=tasks, title=operation.title)
        case SplitTask():
            parts = "; ".join(part.title for part in operation.parts)
            return say("Split {task} into: {parts}", task=_id(plan, operation.task), parts=parts)
        case ReorderTask():
            task, before = _id(plan, operation.task), _id(plan, operation.before)
            return say("Move {task} before {before}", task=task, before=before)
        case EditSession():
            return say("Call the session: {title}", title=operation.title)
        case _:
            assert_never(operation)


def _id(plan: Plan, wanted: str) -> str:
    """Returns a task's id as its file spells it; operations may spell it otherwise."""
    held = plan.task(wanted)
    return held.id if held is not None else wanted


def _edited(operation: UpdateTask) -> list[str]:
    names = ["title"] if operation.title is not None else []
    names += [name for name in _EDITS if getattr(operation, name)]
    if operation.execution is not None:
        names.append(f.EXECUTION)
    return names + list(operation.set)


def _dependent(dependent: Dependent, look: Look) -> str:
    way = " -> ".join(map(visible, dependent.way))
    box = "[x]" if dependent.touched else "[ ]"
    return f"  {box} {way}: {look.say(dependent.why)}"
