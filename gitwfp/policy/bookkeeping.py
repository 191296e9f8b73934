"""What follows from changed tasks: lists, overviews, counts, histories.

Nothing here is decided by anybody: it is derived from the plan before and after, in one place,
so that a list can never say other things than the tasks do because of us.
"""

from collections.abc import Mapping
from typing import Final

from gitwfp.classes import dataclass, replace
from gitwfp.errors import Diagnostic, Location, Severity, say
from gitwfp.files import bookkeeping as dates
from gitwfp.files import implplan, todolist
from gitwfp.files.documents import change_entry
from gitwfp.files.planningnotes import set_goal
from gitwfp.files.plansections import News, tell_section
from gitwfp.model import fields as f
from gitwfp.model.plan import IMPL_PLAN, PLAN_JSON, PLANNING_NOTES, TODO_LIST, Document, Plan
from gitwfp.model.task import Task, TaskId, find_id, id_key, same_fields
from gitwfp.model.values import Value, strings
from gitwfp.policy.operations import Scope
from gitwfp.policy.tasks import Draft

Lines = tuple[str, ...]

_SCOPE_OF_PLAN: Final = Scope.PLAN_UPDATE


@dataclass(frozen=True, slots=True)
class Entry:
    """What the histories record of a replan.

    Attributes:
        replan: Its id.
        time: ISO 8601, UTC.
        reason: In the requester's words, one line.
        scope: How far it reaches.
        backup: A git expression for the commit before it.
        obsolete: The word for a struck task, in the content language.
    """

    replan: str
    time: str
    reason: str
    scope: Scope
    backup: str
    obsolete: str = "obsolete"


def derive(before: Plan, draft: Draft, entry: Entry) -> Draft:
    """Returns the draft with its documents, overview and session file brought in line.

    Args:
        before: The plan that the operations started from.
        draft: What they made of it.
        entry: What the histories record.
    """
    after = draft.plan
    notes = list(draft.notes)
    if TODO_LIST in after.documents and _concerns_lists(before, draft):
        lines = after.documents[TODO_LIST].lines
        if todolist.is_editable(lines, tuple(before.tasks)):
            after = after.with_document(
                _with_lines(after.documents[TODO_LIST], _todo_lines(lines, before, draft, entry))
            )
        else:
            notes.append(_left_alone(before, TODO_LIST))
    if IMPL_PLAN in after.documents and entry.scope.rank >= _SCOPE_OF_PLAN.rank:
        after = after.with_document(_impl_plan(after.documents[IMPL_PLAN], before, after, entry))
    if PLANNING_NOTES in after.documents and before.session.get(f.TITLE) != after.session.get(
        f.TITLE
    ):
        notes_lines = set_goal(after.documents[PLANNING_NOTES].lines, after.title)
        if notes_lines is None:
            notes.append(_without_goal(before))
        else:
            after = after.with_document(_with_lines(after.documents[PLANNING_NOTES], notes_lines))
    if PLAN_JSON in after.documents:
        after = after.with_document(_overview(after.documents[PLAN_JSON], before, draft))
    if after.session:
        after = replace(after, session=_session(before, after, entry))
    return replace(draft, plan=after, notes=tuple(notes))


def _concerns_lists(before: Plan, draft: Draft) -> bool:
    return (
        bool(draft.moves)
        or bool(_retitled(before, draft.plan))
        or (before.tasks.keys() != draft.plan.tasks.keys())
    )


def _todo_lines(lines: Lines, before: Plan, draft: Draft, entry: Entry) -> Lines:
    after = draft.plan
    added = sorted(after.tasks.keys() - before.tasks.keys(), key=id_key)
    for task_id in added:
        lines = todolist.add_task(
            lines,
            task_id,
            after.tasks[task_id].title,
            f"./.task/{task_id}.json",
            after_id=draft.placed.get(task_id),
        )
    lines = todolist.strike_all(lines, before.tasks.keys() - after.tasks.keys(), entry.obsolete)
    lines = todolist.retitle_all(lines, _titles(before, after))
    for move in draft.moves:
        lines = todolist.move_task(lines, move.task, before=move.before)
    return lines


def _impl_plan(document: Document, before: Plan, after: Plan, entry: Entry) -> Document:
    lines = document.lines
    for task_id in sorted(after.tasks.keys() - before.tasks.keys(), key=id_key):
        lines = implplan.add_task_line(lines, task_id, after.tasks[task_id].title)
    gone = before.tasks.keys() - after.tasks.keys()
    lines = implplan.strike_tasks(lines, gone, entry.obsolete)
    lines = implplan.retitle_tasks(lines, _titles(before, after))
    for task_id in sorted(before.tasks.keys() | after.tasks.keys(), key=id_key):
        lines = _told(lines, task_id, before.tasks.get(task_id), after.tasks.get(task_id))
    if len(before.tasks) != len(after.tasks):
        lines = dates.set_counts(lines, len(before.tasks), len(after.tasks))
    lines = dates.set_modified_date(lines, entry.time[:10])
    entries = strings(document.parts.get(f.CHANGES))
    note = change_entry(entry.time[:10], entry.reason, entry.replan)
    return Document(document.name, {**document.parts, f.LINES: lines, f.CHANGES: (*entries, note)})


def _told(lines: Lines, task_id: TaskId, old: Task | None, new: Task | None) -> Lines:
    """Writes what is new about a task into the section that speaks of it or of its module."""
    known = new if new is not None else old
    paths = known.texts(f.FOCUS_PATHS) if known is not None else ()
    for news in _news(old, new):
        lines = tell_section(lines, task_id, paths, news)
    return lines


def _news(old: Task | None, new: Task | None) -> tuple[News, ...]:
    """Returns what changed between two states of a task, None standing for no task.

    A new task is told by its title, as its section is its module's; a task that is no more takes
    along what was told of it.
    """
    if old is None:
        return (News(come=(new.title,)),) if new is not None else ()
    news: list[News] = []
    if new is None or new.title != old.title:
        titles = (new.title,) if new is not None else ()
        news.append(News((old.title,), titles, only_instead=True))
    for name in (f.REQUIREMENTS, f.ACCEPTANCE):
        held = old.texts(name)
        wanted = new.texts(name) if new is not None else ()
        gone = tuple(text for text in held if text not in wanted)
        come = tuple(text for text in wanted if text not in held)
        if gone or come:
            # What a requirement says already need not be said a second time as a criterion.
            is_second = any(each.come and not each.only_instead for each in news)
            is_criterion = name == f.ACCEPTANCE
            news.append(News(gone, come, is_criterion, only_listed=is_criterion and is_second))
    return tuple(news)


def _overview(document: Document, before: Plan, draft: Draft) -> Document:
    """Brings `task_ids` and `task_count` in line; ids that are there keep their place."""
    parts: dict[str, Value] = dict(document.parts)
    after = draft.plan
    if f.TASK_IDS in parts:
        gone = before.tasks.keys() - after.tasks.keys()
        order = [
            text for text in strings(parts[f.TASK_IDS]) if find_id(text, before.tasks) not in gone
        ]
        for task_id in sorted(after.tasks.keys() - before.tasks.keys(), key=id_key):
            if find_id(task_id, map(TaskId, order)) is None:
                order.insert(_place_after(order, draft.placed.get(task_id)), task_id)
        for move in draft.moves:
            order = _moved(order, move.task, move.before)
        parts[f.TASK_IDS] = tuple(order)
    if f.TASK_COUNT in parts:
        count = parts[f.TASK_COUNT]
        if isinstance(count, int):
            parts[f.TASK_COUNT] = count + len(after.tasks) - len(before.tasks)
    return Document(document.name, parts)


def _session(before: Plan, after: Plan, entry: Entry) -> Mapping[str, Value]:
    updated = [
        task_id
        for task_id, task in after.tasks.items()
        if task_id in before.tasks and not same_fields(task.fields, before.tasks[task_id].fields)
    ]
    added = sorted(after.tasks.keys() - before.tasks.keys(), key=id_key)
    removed = sorted(before.tasks.keys() - after.tasks.keys(), key=id_key)
    record: dict[str, Value] = {
        "timestamp": entry.time,
        "reason": entry.reason,
        "scope": entry.scope.value,
        "replan_id": entry.replan,
        "backup_location": entry.backup,
        "changes": {
            "added_tasks": tuple(added),
            "removed_tasks": tuple(removed),
            "updated_tasks": tuple(updated),
        },
    }
    history = after.session.get(f.REPLAN_HISTORY)
    return {
        **after.session,
        f.CURRENT_TASKS: tuple(after.tasks),
        f.LAST_REPLAN: entry.time,
        f.REPLAN_HISTORY: (*(history if isinstance(history, tuple) else ()), record),
    }


def _titles(before: Plan, after: Plan) -> dict[str, str]:
    """Returns the new titles of the tasks that have one, by id."""
    return {task_id: after.tasks[task_id].title for task_id in _retitled(before, after)}


def _retitled(before: Plan, after: Plan) -> tuple[TaskId, ...]:
    return tuple(
        task_id
        for task_id, task in after.tasks.items()
        if task_id in before.tasks and before.tasks[task_id].title != task.title
    )


def _place_after(order: list[str], wanted: TaskId | None) -> int:
    found = find_id(wanted, map(TaskId, order)) if wanted is not None else None
    return order.index(found) + 1 if found is not None else len(order)


def _moved(order: list[str], task: TaskId, before: TaskId) -> list[str]:
    known = [TaskId(text) for text in order]
    one, other = find_id(task, known), find_id(before, known)
    if one is None or other is None:
        return order
    rest = [text for text in order if text != one]
    rest.insert(rest.index(other), one)
    return rest


def _with_lines(document: Document, lines: Lines) -> Document:
    return Document(document.name, {**document.parts, f.LINES: lines})


def _left_alone(plan: Plan, name: str) -> Diagnostic:
    return Diagnostic(
        "list-left-alone",
        say("{document} holds no task lines and was left alone.", document=name),
        Severity.NOTE,
        Location(f"{plan.ref.folder}/{name}", session=plan.ref.id),
    )


def _without_goal(plan: Plan) -> Diagnostic:
    return Diagnostic(
        "goal-left-alone",
        say("{document} states no goal and was left alone.", document=PLANNING_NOTES),
        Severity.NOTE,
        Location(f"{plan.ref.folder}/{PLANNING_NOTES}", session=plan.ref.id),
    )
