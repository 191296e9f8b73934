"""Repairs: what a finding says clearly enough to be put right without asking anybody.

Only what has one answer is mended: edges that lead nowhere or say nothing, lists, counts and
titles that differ from the tasks, and a path of which there is one that was meant. Which of two
dependencies of a circle goes, and what a criterion should be, is for people.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from gitwfp.classes import dataclass, replace
from gitwfp.files import bookkeeping, implplan, todolist
from gitwfp.model import fields as f
from gitwfp.model.findings import Finding
from gitwfp.model.graph import edges_of, find_cycles
from gitwfp.model.plan import IMPL_PLAN, PLAN_JSON, SESSION_JSON, TODO_LIST, Document, Plan
from gitwfp.model.task import Task, TaskId, find_id, id_key, with_field
from gitwfp.model.values import Value, strings


@dataclass(frozen=True, slots=True)
class Repaired:
    """A plan with what could be mended.

    Attributes:
        plan: The plan.
        mended: The findings that were put right.
    """

    plan: Plan
    mended: tuple[Finding, ...]


def repair(plan: Plan, findings: Iterable[Finding], obsolete: str = "obsolete") -> Repaired:
    """Puts right what has one answer.

    Args:
        plan: The plan.
        findings: What was found in it.
        obsolete: The word for a struck task, in the content language.
    """
    mended = []
    for one in findings:
        fixer = _FIXERS.get(one.rule)
        after = fixer(plan, one) if fixer is not None else None
        if after is None and one.rule == "listed-without-task":
            after = _without_line(plan, one, obsolete)
        if after is not None and after != plan:
            plan = after
            mended.append(one)
    return Repaired(plan, tuple(mended))


def _task_of(plan: Plan, one: Finding) -> Task | None:
    return None if one.location.task is None else plan.task(one.location.task)


def _without_edge(plan: Plan, one: Finding) -> Plan | None:
    task = _task_of(plan, one)
    if task is None:
        return None
    kept = tuple(on for on in task.depends_on if on != one.subject)
    return plan.with_task(replace(task, fields=with_field(task.fields, f.DEPENDS_ON, kept)))


def _without_self(plan: Plan, one: Finding) -> Plan | None:
    return _without_edge(plan, one) if one.subject == one.location.task else None


def _waiting_for_maker(plan: Plan, one: Finding) -> Plan | None:
    task, maker = _task_of(plan, one), one.message.values.get("maker")
    wanted = plan.task(str(maker)) if maker is not None else None
    if task is None or wanted is None:
        return None
    edges = (*task.depends_on, wanted.id)
    after = plan.with_task(replace(task, fields=with_field(task.fields, f.DEPENDS_ON, edges)))
    return None if len(find_cycles(edges_of(after))) > len(find_cycles(edges_of(plan))) else after


def _with_path(plan: Plan, one: Finding) -> Plan | None:
    task = _task_of(plan, one)
    meant = one.recommendation.values.get("path") if one.recommendation is not None else None
    if task is None or meant is None:
        return None
    paths = tuple(
        text.replace(one.subject, str(meant)) if one.subject in text else text
        for text in task.texts(f.FOCUS_PATHS)
    )
    return plan.with_task(
        replace(task, fields=with_field(task.fields, f.FOCUS_PATHS, tuple(dict.fromkeys(paths))))
    )


def _in_order(plan: Plan, one: Finding) -> Plan | None:
    """Moves the task that another one depends on before that one, in list and overview."""
    task, first = _task_of(plan, one), plan.task(one.subject)
    if task is None or first is None:
        return None
    todo, overview = plan.documents.get(TODO_LIST), plan.documents.get(PLAN_JSON)
    if todo is not None and _is_list(plan, todo):
        lines = todolist.move_task(todo.lines, first.id, before=task.id)
        plan = _with_lines(plan, todo, lines)
    if overview is not None and f.TASK_IDS in overview.parts:
        order = list(strings(overview.parts[f.TASK_IDS]))
        if first.id in order and task.id in order:
            order.remove(first.id)
            order.insert(order.index(task.id), first.id)
            parts = {**overview.parts, f.TASK_IDS: tuple(order)}
            plan = plan.with_document(Document(overview.name, parts))
    return plan


def _counted(plan: Plan, one: Finding) -> Plan | None:
    if one.subject in (IMPL_PLAN, TODO_LIST):
        document, stated = plan.documents[one.subject], one.message.values.get("stated")
        if not isinstance(stated, int):
            return None
        return _with_lines(
            plan, document, bookkeeping.set_counts(document.lines, stated, len(plan.tasks))
        )
    if one.subject == SESSION_JSON:
        return replace(plan, session={**plan.session, f.CURRENT_TASKS: tuple(plan.tasks)})
    overview = plan.documents.get(PLAN_JSON)
    return None if overview is None else plan.with_document(_overview(plan, overview))


def _overview(plan: Plan, overview: Document) -> Document:
    parts: dict[str, Value] = dict(overview.parts)
    if f.TASK_IDS in parts:
        listed = strings(parts[f.TASK_IDS])
        order = [name for name in listed if find_id(name, plan.tasks) is not None]
        known = [TaskId(name) for name in order]
        missing = [name for name in plan.tasks if find_id(name, known) is None]
        parts[f.TASK_IDS] = (*order, *sorted(missing, key=id_key))
    if isinstance(parts.get(f.TASK_COUNT), int):
        parts[f.TASK_COUNT] = len(plan.tasks)
    return Document(overview.name, parts)


def _titled(plan: Plan, one: Finding) -> Plan | None:
    task, document = _task_of(plan, one), plan.documents.get(one.subject)
    if task is None or document is None:
        return None
    titles: dict[str, str] = {task.id: task.title}
    if one.subject == TODO_LIST:
        return _with_lines(plan, document, todolist.retitle_all(document.lines, titles))
    return _with_lines(plan, document, implplan.retitle_tasks(document.lines, titles))


def _with_line(plan: Plan, one: Finding) -> Plan | None:
    task, document = _task_of(plan, one), plan.documents.get(TODO_LIST)
    if task is None or document is None or not _is_list(plan, document):
        return None
    link = f"./.task/{task.id}.json"
    return _with_lines(plan, document, todolist.add_task(document.lines, task.id, task.title, link))


def _without_line(plan: Plan, one: Finding, obsolete: str) -> Plan | None:
    document, task = plan.documents.get(TODO_LIST), one.location.task
    if task is None or document is None or not _is_list(plan, document):
        return None
    return _with_lines(plan, document, todolist.strike_all(document.lines, {task}, obsolete))


def _is_list(plan: Plan, document: Document) -> bool:
    return todolist.is_editable(document.lines, tuple(plan.tasks))


def _with_lines(plan: Plan, document: Document, lines: tuple[str, ...]) -> Plan:
    return plan.with_document(Document(document.name, {**document.parts, f.LINES: lines}))


_FIXERS: Final[Mapping[str, Callable[[Plan, Finding], Plan | None]]] = {
    "circular-dependency": _without_self,
    "dangling-dependency": _without_edge,
    "focus-path-missing": _with_path,
    "order-against-dependencies": _in_order,
    "redundant-dependency": _without_edge,
    "task-count-drift": _counted,
    "task-not-listed": _with_line,
    "title-drift": _titled,
    "used-before-made": _waiting_for_maker,
}
