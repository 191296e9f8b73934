"""The consistency check that every change set must pass before a ref moves.

The plan before is compared with the plan after: only what the change adds can refuse it. What
was wrong already is listed and left to its owner.
"""

from typing import Final

from gitwfp.classes import dataclass, replace
from gitwfp.errors import Location, Severity, Text, say, say_n
from gitwfp.files import todolist
from gitwfp.model.findings import Finding, Level
from gitwfp.model.graph import (
    Edge,
    Edges,
    cycle_through,
    dangling_edges,
    edges_of,
    find_cycles,
    nearest_ids,
    shown_cycle,
)
from gitwfp.model.plan import TODO_LIST, Plan
from gitwfp.model.task import IdIndex, TaskId

_CYCLE: Final = "circular-dependency"
_MOST_EDGES: Final = 8


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a check finds in a plan, compared with the plan before.

    Attributes:
        added: Findings that the plan before did not have.
        older: Findings that it had already.
    """

    added: tuple[Finding, ...]
    older: tuple[Finding, ...]


def compare(before: Plan, after: Plan, *, max_tasks: int) -> Comparison:
    """Checks a plan against the plan it was made from.

    Args:
        before: The plan as it was.
        after: The plan as it would be.
        max_tasks: How many open tasks a session may have; one that has more already may
            shrink or stay, not grow.
    """
    known = {finding.key for finding in check(before)}
    found = check(after)
    old_edges = edges_of(before)
    added = [finding for finding in found if finding.key not in known and finding.rule != _CYCLE]
    added.extend(_with_new_edge(cycle, after, old_edges) for cycle in _new_cycles(after, old_edges))
    count, was = len(after.open_tasks), len(before.open_tasks)
    if count > max_tasks and count > was:
        added.append(_too_many(after, count, max_tasks))
    return Comparison(tuple(added), tuple(f for f in found if f.key in known))


def check(plan: Plan) -> tuple[Finding, ...]:
    """Returns everything about one plan that is inconsistent by itself."""
    return (*_unreadable(plan), *cycles(plan), *dangling(plan), *todo_drift(plan))


def _unreadable(plan: Plan) -> list[Finding]:
    return [
        Finding(
            problem.code,
            Level.CRITICAL,
            problem.message,
            problem.location,
            problem.location.path or "",
            problem.hint,
        )
        for problem in plan.problems
        if problem.severity is Severity.ERROR
    ]


def cycles(plan: Plan) -> list[Finding]:
    """Returns a finding for each knot of tasks that wait for one another."""
    return [_cycle(plan, cycle) for cycle in find_cycles(edges_of(plan))]


def _cycle(plan: Plan, cycle: tuple[TaskId, ...]) -> Finding:
    return Finding(
        _CYCLE,
        Level.CRITICAL,
        say("Circular dependency: {cycle}.", cycle=shown_cycle(cycle)),
        Location(session=plan.ref.id, task=cycle[0]),
        " ".join(sorted(cycle)),
        say("Take one of these dependencies away."),
    )


def _new_cycles(after: Plan, old: Edges) -> list[Finding]:
    """Finds the cycles that new dependencies close.

    They are sought edge by edge, because a new cycle may share its tasks with an old one.
    """
    edges = edges_of(after)
    if not find_cycles(edges):
        return []
    found: dict[str, Finding] = {}
    for task, targets in edges.items():
        for on in targets:
            cycle = cycle_through(edges, Edge(task, on)) if on not in old.get(task, ()) else None
            if cycle is not None:
                finding = _cycle(after, cycle)
                found.setdefault(finding.subject, finding)
    return list(found.values())


def _with_new_edge(finding: Finding, after: Plan, old: Edges) -> Finding:
    """Returns a cycle's finding with a word on the edges in it that are new."""
    if finding.rule != _CYCLE:
        return finding
    members = frozenset(finding.subject.split(" "))
    fresh = [
        f"{task} -> {on}"
        for task, targets in edges_of(after).items()
        for on in targets
        if task in members and on in members and on not in old.get(task, ())
    ]
    if not fresh:
        return finding
    if len(fresh) > _MOST_EDGES:
        word = say(
            "The new dependencies are {edges} and {count} more.",
            edges=", ".join(fresh[:_MOST_EDGES]),
            count=len(fresh) - _MOST_EDGES,
        )
        return replace(finding, recommendation=word)
    word = say_n(
        "The new dependency is {edges}.",
        "The new dependencies are {edges}.",
        len(fresh),
        edges=", ".join(fresh),
    )
    return replace(finding, recommendation=word)


def dangling(plan: Plan) -> list[Finding]:
    """Returns a finding for each dependency on a task that does not exist."""
    return [
        Finding(
            "dangling-dependency",
            Level.CRITICAL,
            say("Task {task} depends on {on}, which does not exist.", task=edge.task, on=edge.on),
            Location(session=plan.ref.id, task=edge.task),
            edge.on,
            _instead_of(plan, edge),
        )
        for edge in dangling_edges(plan)
    ]


def _instead_of(plan: Plan, edge: Edge) -> Text:
    near = nearest_ids(edge.on, [task for task in plan.tasks if task != edge.task])
    if not near:
        return say("Correct the id or remove the dependency.")
    return say(
        "Correct the id or remove the dependency; the nearest tasks are {tasks}.",
        tasks=", ".join(near),
    )


def todo_drift(plan: Plan) -> list[Finding]:
    """Returns tasks without a line in the list and lines without a task."""
    document = plan.documents.get(TODO_LIST)
    if document is None:
        return []
    items = todolist.todo_items(document.lines, tuple(plan.tasks))
    listed = [TaskId(item.id) for item in items if item.id is not None and not item.obsolete]
    if not listed:
        return []
    path = f"{plan.ref.folder}/{TODO_LIST}"
    lines, ids = IdIndex(listed), IdIndex(plan.tasks)
    missing = [task_id for task_id in plan.tasks if lines.find(task_id) is None]
    stray = [text for text in dict.fromkeys(listed) if ids.find(text) is None]
    return [
        Finding(
            "task-not-listed",
            Level.MEDIUM,
            say("Task {task} has no line in {document}.", task=task_id, document=TODO_LIST),
            Location(path, session=plan.ref.id, task=task_id),
            task_id,
            say("Add a line for it to the list."),
        )
        for task_id in missing
    ] + [
        Finding(
            "listed-without-task",
            Level.MEDIUM,
            say("{document} lists {task}, which does not exist.", task=text, document=TODO_LIST),
            Location(path, session=plan.ref.id, task=text),
            text,
            say("Strike the line, or add the task."),
        )
        for text in stray
    ]


def _too_many(plan: Plan, count: int, limit: int) -> Finding:
    return Finding(
        "too-many-tasks",
        Level.CRITICAL,
        say_n(
            "Replan would create {count} task (limit: {limit}).",
            "Replan would create {count} tasks (limit: {limit}).",
            count,
            limit=limit,
        ),
        Location(session=plan.ref.id),
        "",
        say("Combine tasks, split the session, or remove tasks."),
    )
