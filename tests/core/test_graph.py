"""The task graph: cycles, order, readiness, the way to what depends on a task."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitwfp.change.changeset import between
from gitwfp.model import fields as f
from gitwfp.model.graph import (
    Edge,
    Edges,
    critical_path,
    dangling_edges,
    dependents_of,
    edges_of,
    find_cycles,
    nearest_ids,
    nearest_ways,
    readiness,
    shown_cycle,
)
from gitwfp.model.plan import Place, Plan, SessionRef
from gitwfp.model.task import Task, TaskId, id_key
from gitwfp.model.values import Value
from gitwfp.policy.impact import assess
from gitwfp.verify.consistency import check

REF = SessionRef("WFS-t", ".workflow/active/WFS-t", Place.ACTIVE, ".workflow")


def plan_with(needs: dict[str, list[str]], statuses: dict[str, str] | None = None) -> Plan:
    """Returns a plan of tasks with their dependencies."""
    tasks = {}
    for name, wanted in needs.items():
        fields: dict[str, Value] = {f.TITLE: name, f.DEPENDS_ON: tuple(wanted)}
        if statuses is not None and name in statuses:
            fields[f.STATUS] = statuses[name]
        tasks[TaskId(name)] = Task(TaskId(name), fields)
    ordered = {key: tasks[key] for key in sorted(tasks, key=id_key)}
    return Plan(ref=REF, session={}, tasks=ordered, documents={})


def graph(needs: dict[str, list[str]]) -> Edges:
    """Returns edges as given."""
    return {TaskId(a): tuple(map(TaskId, targets)) for a, targets in needs.items()}


NAMES = st.sampled_from("ABCDEF")
graphs = st.dictionaries(NAMES, st.lists(NAMES, max_size=3, unique=True), max_size=6)


@pytest.mark.parametrize(
    ("needs", "cycles"),
    [
        ({}, ()),
        ({"A": []}, ()),
        ({"A": ["A"]}, (("A",),)),
        ({"A": ["B"], "B": ["A"]}, (("A", "B"),)),
        ({"A": ["B"], "B": ["C"], "C": ["A"], "D": ["A"]}, (("A", "B", "C"),)),
        ({"A": ["B"], "B": ["A"], "C": ["D"], "D": ["C"]}, (("A", "B"), ("C", "D"))),
        ({"A": ["B", "C"], "B": ["D"], "C": ["D"], "D": []}, ()),
        ({"A": ["B", "A"], "B": ["A"]}, (("A",),)),
        ({"IMPL-10": ["IMPL-9"], "IMPL-9": ["IMPL-10"]}, (("IMPL-9", "IMPL-10"),)),
    ],
)
def test_cycles(needs: dict[str, list[str]], cycles: tuple[tuple[str, ...], ...]) -> None:
    """Each knot gives one cycle, which starts at its smallest id; a self-loop is one too."""
    assert find_cycles(graph(needs)) == cycles


@given(graphs)
def test_cycles_are_real_and_none_is_missed(needs: dict[str, list[str]]) -> None:
    """Each cycle found is one, and without the tasks of the cycles there is none left."""
    plan = plan_with(needs)
    edges = edges_of(plan)
    cycles = find_cycles(edges)
    for cycle in cycles:
        for task, on in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
            assert on in edges[task]
    order = {task: len(dependents_of(edges, (task,))) for task in edges}
    if not cycles:
        assert all(order[on] > order[task] for task in edges for on in edges[task])


@given(graphs)
def test_readiness_sorts_every_pending_task(needs: dict[str, list[str]]) -> None:
    """Each pending task is ready or waits for something; a missing dependency is never met."""
    plan = plan_with(needs, {"A": "completed", "B": "skipped", "C": "in_progress"})
    ready, waiting = readiness(plan)
    assert {*ready, *(each.task for each in waiting)} == plan.tasks.keys() - {"A", "B", "C"}
    for each in waiting:
        assert each.unmet or each.missing
        assert not set(each.missing) & plan.tasks.keys()
    for task in ready:
        assert set(plan.tasks[task].depends_on) <= {"A", "B"}


def test_a_missing_dependency_is_not_done() -> None:
    """F-GR-02: a task that depends on a task which exists nowhere is not ready and says why."""
    plan = plan_with({"T1": ["GHOST"], "T2": []})
    ready, waiting = readiness(plan)
    assert ready == ("T2",)
    assert [(each.task, each.missing) for each in waiting] == [("T1", ("GHOST",))]
    assert dangling_edges(plan) == (Edge(TaskId("T1"), TaskId("GHOST")),)
    assert [finding.rule for finding in check(plan)] == ["dangling-dependency"]


def test_a_ladder_is_no_trouble() -> None:
    """A ladder of 200 steps has 2^200 ways down; cycles, dependents and impact do not walk them."""
    needs: dict[str, list[str]] = {"L-0": [], "R-0": []}
    for step in range(1, 200):
        needs[f"L-{step}"] = needs[f"R-{step}"] = [f"L-{step - 1}", f"R-{step - 1}"]
    plan = plan_with(needs)
    assert find_cycles(edges_of(plan)) == ()
    assert len(dependents_of(edges_of(plan), (TaskId("L-0"),))) == 398
    assert len(critical_path(plan)) == 200
    after = plan.with_task(plan.tasks[TaskId("L-0")].with_field(f.TITLE, "x"))
    assert len(assess(plan, after, between(plan, after)).dependents) == 398


@pytest.mark.parametrize("is_padded", [False, True])
def test_five_thousand_tasks(is_padded: bool) -> None:
    """F-GR-03: 5,000 tasks and 20,000 edges, also spelt unlike the ids; one more is a ring."""
    form = "IMPL-{:05}" if is_padded else "IMPL-{}"
    needs = {
        f"IMPL-{task}": [form.format(max(task - step, 0)) for step in (1, 7, 50, 333) if task]
        for task in range(5000)
    }
    plan = plan_with(needs)
    edges = edges_of(plan)
    assert sum(map(len, edges.values())) > 19_000
    assert find_cycles(edges) == ()
    assert check(plan) == ()
    assert readiness(plan)[0] == ("IMPL-0",)
    ring = plan.with_task(plan.tasks[TaskId("IMPL-0")].with_field(f.DEPENDS_ON, ("IMPL-4999",)))
    [cycle] = find_cycles(edges_of(ring))
    assert cycle[0] == "IMPL-0"
    assert cycle[1] == "IMPL-4999"


def test_a_long_chain_needs_no_stack() -> None:
    """A chain of 20,000 tasks is walked without recursion."""
    edges = {TaskId(f"T{n}"): (TaskId(f"T{n + 1}"),) for n in range(20_000)}
    assert find_cycles(edges) == ()
    edges[TaskId("T20000")] = (TaskId("T0"),)
    assert len(find_cycles(edges)[0]) == 20_001


def test_edges_are_spelt_as_tasks_are() -> None:
    """An edge with other padding or case leads to that task; a doubtful one is loose."""
    plan = plan_with(
        {"IMPL-001": [], "IMPL-2": ["impl-1", "IMPL-001"], "a-1": [], "A-01": ["A-001"]}
    )
    edges = edges_of(plan)
    assert edges[TaskId("IMPL-2")] == ("IMPL-001",)
    assert edges[TaskId("A-01")] == ()
    assert dangling_edges(plan) == (Edge(TaskId("A-01"), TaskId("A-001")),)


def test_the_critical_path_is_the_longest_chain_of_open_tasks() -> None:
    """Closed tasks do not lengthen the path; in a ring there is none."""
    needs = {"A": [], "B": ["A"], "C": ["B"], "D": [], "E": ["D"]}
    assert critical_path(plan_with(needs)) == ("A", "B", "C")
    assert critical_path(plan_with(needs, {"A": "completed", "B": "completed"})) == ("D", "E")
    assert critical_path(plan_with({"A": ["B"], "B": ["A"]})) == ()


def test_a_long_cycle_is_cut_in_the_middle() -> None:
    """A short cycle is shown whole, of a long one the two ends and how much is left out."""
    ids = [TaskId(f"T{number}") for number in range(1, 1001)]
    assert shown_cycle(ids[:3]) == "T1 -> T2 -> T3 -> T1"
    assert shown_cycle(ids[:19]).count(" -> ") == 19
    said = shown_cycle(ids)
    assert said.startswith("T1 -> T2 -> T3 ")
    assert said.endswith(" -> T999 -> T1000 -> T1")
    shown = said.count(" -> ")
    assert f"... ({1001 - shown})" in said
    assert len(said) < 250


def test_the_nearest_ids_are_like_the_wanted_one() -> None:
    """Ids are near by spelling, then by number; what is like nothing has no neighbour."""
    ids = [TaskId(f"IMPL-{number}") for number in range(1, 30)]
    assert nearest_ids("IMPL-100", ids)[0] == "IMPL-10"
    assert nearest_ids("impl-31", ids, 2) == ("IMPL-3", "IMPL-1")
    assert nearest_ids("Redis", ids) == ()
    assert nearest_ids("IMPL-9", ids[:4]) == ("IMPL-4", "IMPL-3", "IMPL-2")


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20), st.data())
def test_one_walk_finds_what_a_walk_from_each_goal_finds(
    pairs: list[tuple[int, int]], data: st.DataObject
) -> None:
    """The nearest way to any of several goals is the shortest that walks from each of them find."""
    ids = [TaskId(f"T{number}") for number in range(8)]
    edges = {
        task: tuple(dict.fromkeys(ids[on] for one, on in pairs if ids[one] == task)) for task in ids
    }
    goals = data.draw(st.lists(st.sampled_from(ids), max_size=4, unique=True))
    lengths: dict[TaskId, int] = {}
    for goal in goals:
        for task, way in dependents_of(edges, (goal,)).items():
            lengths[task] = min(len(way), lengths.get(task, len(way)))
    found = nearest_ways(edges, goals)
    assert {task: len(way) for task, way in found.items()} == lengths
    for task, way in found.items():
        assert way[0] == task
        assert way[-1] in goals
        assert all(on in edges[one] for one, on in pairwise(way))
