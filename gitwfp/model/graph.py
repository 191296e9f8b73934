"""The task graph: an edge points from a task to what it depends on.

Order, readiness and a first cycle are plain code over the tasks, because the commands that
people run all day need nothing more; networkx is imported for the critical path alone.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.model.plan import Plan
from gitwfp.model.task import IdIndex, Status, TaskId, id_key

_MOST_SHOWN: Final = 20
_LIKE: Final = 0.5

Edges = Mapping[TaskId, tuple[TaskId, ...]]


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """One dependency: `task` depends on `on`."""

    task: TaskId
    on: TaskId


def edges_of(plan: Plan) -> Edges:
    """Returns each task's dependencies that exist, spelt as the tasks' ids are."""
    ids = IdIndex(plan.tasks)
    return {
        task.id: tuple(
            dict.fromkeys(
                found for wanted in task.depends_on if (found := ids.find(wanted)) is not None
            )
        )
        for task in plan.tasks.values()
    }


def dangling_edges(plan: Plan) -> tuple[Edge, ...]:
    """Returns the edges that lead to no task of the plan."""
    ids = IdIndex(plan.tasks)
    return tuple(
        Edge(task.id, wanted)
        for task in plan.tasks.values()
        for wanted in task.depends_on
        if ids.find(wanted) is None
    )


def nearest_ids(wanted: str, known: Iterable[TaskId], most: int = 3) -> tuple[TaskId, ...]:
    """Returns the ids most like one that no task has: by spelling, then by number."""
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(b=wanted.lower())
    ranked: list[tuple[float, int, TaskId]] = []
    for task_id in known:
        matcher.set_seq1(task_id.lower())
        ranked.append((-round(matcher.ratio(), 2), _apart(task_id, wanted), task_id))
    ranked.sort(key=lambda one: (one[0], one[1], id_key(one[2])))
    return tuple(task_id for likeness, _, task_id in ranked[:most] if -likeness >= _LIKE)


def _apart(one: str, other: str) -> int:
    """Returns how far the last numbers of two ids are apart."""
    numbers = [re.findall(r"\d{1,9}", text) for text in (one, other)]
    return abs(int(numbers[0][-1]) - int(numbers[1][-1])) if all(numbers) else 0


def find_cycles(edges: Edges) -> tuple[tuple[TaskId, ...], ...]:
    """Returns one cycle for each knot of tasks that depend on one another.

    A cycle starts at its smallest id and each task depends on the next one; the last depends
    on the first. Runs in linear time and without recursion.
    """
    cycles = []
    for knot in _knots(edges):
        inside = frozenset(knot)
        start = min(knot, key=id_key)
        cycles.append(_shortest_way_round(start, edges, inside))
    return tuple(sorted(cycles, key=lambda cycle: id_key(cycle[0])))


def _shortest_way_round(
    start: TaskId, edges: Edges, inside: frozenset[TaskId]
) -> tuple[TaskId, ...]:
    came_from: dict[TaskId, TaskId] = {}
    queue = [start]
    for at in queue:
        for on in edges.get(at, ()):
            if on == start:
                way = [at]
                while way[-1] != start:
                    way.append(came_from[way[-1]])
                return tuple(reversed(way))
            if on in inside and on not in came_from:
                came_from[on] = at
                queue.append(on)
    raise AssertionError("a knot holds a way round")


def shown_cycle(cycle: Sequence[TaskId]) -> str:
    """Returns a cycle as text, `A -> B -> A`; of a long one the beginning and the end.

    Args:
        cycle: The tasks, each of which depends on the next one and the last on the first.
    """
    shown: list[str] = [*cycle, cycle[0]]
    if len(shown) > _MOST_SHOWN:
        left_out = len(shown) - _MOST_SHOWN + 1
        half = (_MOST_SHOWN - 1) // 2
        shown = [*shown[: _MOST_SHOWN - 1 - half], f"... ({left_out})", *shown[-half:]]
    return " -> ".join(shown)


def cycle_through(edges: Edges, edge: Edge) -> tuple[TaskId, ...] | None:
    """Returns the shortest cycle that an edge closes, from its smallest id, or None."""
    came_from: dict[TaskId, TaskId] = {}
    queue = [edge.on]
    for at in queue:
        if at == edge.task:
            way = [at]
            while way[-1] != edge.on:
                way.append(came_from[way[-1]])
            way.reverse()
            first = way.index(min(way, key=id_key))
            return (*way[first:], *way[:first])
        for on in edges.get(at, ()):
            if on not in came_from and on != edge.on:
                came_from[on] = at
                queue.append(on)
    return None


def _knots(edges: Edges) -> list[list[TaskId]]:
    """Finds strongly connected groups that hold a cycle (Tarjan 1972, made iterative)."""
    index: dict[TaskId, int] = {}
    low: dict[TaskId, int] = {}
    stack: list[TaskId] = []
    on_stack: set[TaskId] = set()
    knots: list[list[TaskId]] = []
    for root in edges:
        if root in index:
            continue
        work = [(root, iter(edges[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            at, following = work[-1]
            for on in following:
                if on not in index:
                    index[on] = low[on] = len(index)
                    stack.append(on)
                    on_stack.add(on)
                    work.append((on, iter(edges.get(on, ()))))
                    break
                if on in on_stack:
                    low[at] = min(low[at], index[on])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[at])
                if low[at] == index[at]:
                    group: list[TaskId] = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        group.append(member)
                        if member == at:
                            break
                    if len(group) > 1 or at in edges.get(at, ()):
                        knots.append(group)
    return knots


def dependents_of(edges: Edges, start: Iterable[TaskId]) -> dict[TaskId, tuple[TaskId, ...]]:
    """Returns every task that reaches one of `start`, with the way to it.

    Returns:
        For each dependent the shortest chain from it down to a task of `start`, both included.
    """
    backwards: dict[TaskId, list[TaskId]] = {}
    for task, targets in edges.items():
        for on in targets:
            backwards.setdefault(on, []).append(task)
    ways: dict[TaskId, tuple[TaskId, ...]] = {task_id: (task_id,) for task_id in start}
    queue = list(ways)
    for at in queue:
        for task in sorted(backwards.get(at, ()), key=id_key):
            if task not in ways:
                ways[task] = (task, *ways[at])
                queue.append(task)
    return {task: way for task, way in ways.items() if len(way) > 1}


def nearest_ways(edges: Edges, goals: Iterable[TaskId]) -> dict[TaskId, tuple[TaskId, ...]]:
    """Returns every task that reaches a goal other than itself, with the shortest way to one.

    Args:
        edges: The dependencies.
        goals: Tasks; of two that are equally near, the one that stands first here counts.

    Returns:
        For each such task the chain from it down to the goal, both included. Takes one walk over
        the edges for all goals together.
    """
    backwards: dict[TaskId, list[TaskId]] = {}
    for task in sorted(edges, key=id_key):
        for on in edges[task]:
            backwards.setdefault(on, []).append(task)
    queue: list[tuple[TaskId, ...]] = [(goal,) for goal in dict.fromkeys(goals)]
    ways = {way[0]: [way] for way in queue}
    for way in queue:
        for task in backwards.get(way[0], ()):
            held = ways.setdefault(task, [])
            # Two goals are enough: a goal itself is one, and what is behind it needs the other.
            if len(held) < 2 and all(other[-1] != way[-1] for other in held):
                held.append((task, *way))
                queue.append(held[-1])
    return {
        task: others[0]
        for task, held in ways.items()
        if (others := [way for way in held if way[-1] != task])
    }


@dataclass(frozen=True, slots=True)
class Waiting:
    """Why a task is not ready: what it waits for, and what it names that does not exist."""

    task: TaskId
    unmet: tuple[TaskId, ...]
    missing: tuple[TaskId, ...]


def readiness(plan: Plan) -> tuple[tuple[TaskId, ...], tuple[Waiting, ...]]:
    """Sorts the pending tasks into those that can be started and those that wait.

    A dependency counts as met when its task is completed or skipped. One that exists nowhere
    is never met.
    """
    met = frozenset(
        task.id for task in plan.tasks.values() if task.status in (Status.COMPLETED, Status.SKIPPED)
    )
    edges = edges_of(plan)
    missing: dict[TaskId, list[TaskId]] = {}
    for edge in dangling_edges(plan):
        missing.setdefault(edge.task, []).append(edge.on)
    ready: list[TaskId] = []
    waiting: list[Waiting] = []
    for task_id in plan.order:
        if plan.tasks[task_id].status is not Status.PENDING:
            continue
        unmet = tuple(on for on in edges[task_id] if on not in met)
        if unmet or task_id in missing:
            waiting.append(Waiting(task_id, unmet, tuple(missing.get(task_id, ()))))
        else:
            ready.append(task_id)
    return tuple(ready), tuple(waiting)


def critical_path(plan: Plan) -> tuple[TaskId, ...]:
    """Returns the longest chain of open tasks in the order of work, or nothing in a cycle."""
    import networkx as nx

    edges = edges_of(plan)
    if find_cycles(edges):
        return ()
    graph = nx.DiGraph()
    open_ids = sorted((task.id for task in plan.open_tasks), key=id_key)
    graph.add_nodes_from(open_ids)
    graph.add_edges_from(
        (on, task) for task in open_ids for on in edges[task] if plan.tasks[on].is_open
    )
    path: list[TaskId] = nx.dag_longest_path(graph)
    return tuple(path)
