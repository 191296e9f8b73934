"""The check before a ref moves: only what a change adds can refuse it."""

from dataclasses import replace

import pytest
from hypothesis import given

from gitwfp.errors import Location
from gitwfp.files.codec import read_plan
from gitwfp.files.tree import MemoryFiles
from gitwfp.model import fields as f
from gitwfp.model.plan import TODO_LIST, Document, Plan
from gitwfp.model.task import Status, Task, TaskId
from gitwfp.verify.consistency import check, compare
from tests.plans import plan_folder
from tests.strategies import SHAPES, Written, bytes_of, plan_of, plan_pairs, ref_of


def start(tasks: int = 4) -> Plan:
    """Returns a plan with nothing wrong in it."""
    return plan_of(plan_folder("nested", tasks))


def needing(plan: Plan, task: str, *needs: str) -> Plan:
    """Returns the plan with other dependencies of a task."""
    return plan.with_task(plan.tasks[TaskId(task)].with_field(f.DEPENDS_ON, needs))


def added(before: Plan, after: Plan, limit: int = 10) -> list[str]:
    """Returns the rules that a change breaks."""
    return [finding.rule for finding in compare(before, after, max_tasks=limit).added]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_good_plan(shape: str) -> None:
    """A plan as its tool writes it has no finding, in any shape."""
    folders = {name: plan_folder(name, 10) for name in SHAPES}
    plan = plan_of(next(folder for name, folder in folders.items() if name == shape))
    assert check(plan) == ()
    assert compare(plan, plan, max_tasks=1).added == ()


@given(plan_pairs())
def test_what_was_there_is_not_added(pair: tuple[Written, Plan]) -> None:
    """A plan compared with itself adds nothing; all that is wrong with it is older."""
    for plan in (pair[0].plan, pair[1]):
        outcome = compare(plan, plan, max_tasks=0)
        assert outcome.added == ()
        assert outcome.older == check(plan)


def test_a_new_cycle_names_itself_and_the_new_edge() -> None:
    """A dependency that closes a ring is refused with the whole ring and the edge that is new."""
    before = start()
    after = needing(before, "IMPL-1", "IMPL-4")
    [finding] = compare(before, after, max_tasks=10).added
    assert finding.rule == "circular-dependency"
    assert str(finding.message) == "Circular dependency: IMPL-1 -> IMPL-4 -> IMPL-2 -> IMPL-1."
    assert str(finding.recommendation) == "The new dependency is IMPL-1 -> IMPL-4."
    assert added(after, before) == []


def test_a_new_cycle_beside_an_old_one() -> None:
    """An old ring does not hide a new one that shares its tasks, nor does it refuse a change."""
    old = needing(start(), "IMPL-1", "IMPL-2")
    assert added(start(), old) == ["circular-dependency"]
    titled = old.with_task(old.tasks[TaskId("IMPL-1")].with_field(f.TITLE, "x"))
    assert added(old, titled) == []
    assert [x.rule for x in compare(old, titled, max_tasks=10).older] == ["circular-dependency"]
    worse = needing(old, "IMPL-1", "IMPL-2", "IMPL-3")
    assert added(old, worse) == ["circular-dependency"]
    alone = needing(old, "IMPL-4", "IMPL-4")
    assert added(old, alone) == ["circular-dependency"]


def test_dangling_edges() -> None:
    """A dependency on a task that is not there is added once; another task's older one is not."""
    before = needing(start(), "IMPL-2", "GHOST")
    after = needing(before, "IMPL-3", "GHOST", "IMPL-1")
    [finding] = compare(before, after, max_tasks=10).added
    assert (finding.rule, finding.location.task) == ("dangling-dependency", "IMPL-3")
    assert "GHOST" in str(finding.message)
    assert added(start(), start().without_task(TaskId("IMPL-1"))) == [
        "dangling-dependency",
        "dangling-dependency",
        "listed-without-task",
    ]


@pytest.mark.parametrize("status", Status)
def test_the_limit_counts_open_tasks(status: Status) -> None:
    """Decision 13: closed tasks and containers do not count, subtasks do; a full plan may stay."""
    before = start(4)
    after = before.with_task(Task(TaskId("IMPL-2.1"), {f.TITLE: "x", f.STATUS: status.value}))
    after = after.with_document(Document("TODO_LIST.md", {f.LINES: ()}))
    counts = status not in {
        Status.COMPLETED,
        Status.SKIPPED,
        Status.CANCELLED,
        Status.DISCARDED,
        Status.CONTAINER,
    }
    assert added(before, after, limit=4) == (["too-many-tasks"] if counts else [])
    assert added(before, after, limit=5) == []
    assert added(after, after, limit=1) == []
    assert added(after, before, limit=1) == []


def test_the_limit_says_how_many() -> None:
    """The refusal has the sentence that the request for this check asked for."""
    before = start(10)
    after = before.with_task(Task(TaskId("IMPL-11"), {}))
    found = compare(before, after, max_tasks=10).added
    texts = [str(finding.message) for finding in found]
    assert "Replan would create 11 tasks (limit: 10)." in texts


def test_drift_between_list_and_tasks() -> None:
    """A task without a line and a line without a task are found; struck lines are no drift."""
    plan = start()
    held = plan.documents[TODO_LIST]

    def listed(*lines: str) -> Plan:
        return plan.with_document(Document(TODO_LIST, {f.LINES: lines}))

    own = tuple(line for line in held.lines if line.startswith("- ["))
    assert added(plan, listed(*own[:3])) == ["task-not-listed"]
    assert added(plan, listed(*own, "- [ ] **IMPL-9**: x")) == ["listed-without-task"]
    assert added(plan, listed(*own, "- [x] ~~**IMPL-9**: x~~ (obsolete)")) == []
    assert added(plan, listed("No list at all")) == []
    assert added(plan, listed(*own, own[0])) == []
    padded = tuple(line.replace("IMPL-", "IMPL-00") for line in own)
    assert added(plan, listed(*padded)) == []


def test_unreadable_files_are_findings() -> None:
    """A file that became unreadable is added with its place; one that was so is older."""
    folder = plan_folder("nested", 2)
    path = f"{folder.path}/.task/IMPL-9.json"
    broken = read_plan(MemoryFiles({**bytes_of(folder), path: b"{\n  oops"}), ref_of(folder))
    outcome = compare(plan_of(folder), broken, max_tasks=10)
    [finding] = outcome.added
    assert finding.location == Location(path, 2, 3, session=folder.id)
    assert compare(broken, broken, max_tasks=10).added == ()


def test_two_files_with_one_id() -> None:
    """F-GR-05: two files that hold one id are an error that names both; one edited file is none."""
    folder = plan_folder("nested", 2)
    path = f"{folder.path}/.task/IMPL-2-other.json"
    twice = bytes_of(folder) | {path: bytes_of(folder)[folder.file_of("IMPL-2")]}
    plan = read_plan(MemoryFiles(twice), ref_of(folder))
    found = compare(plan_of(folder), plan, max_tasks=10).added
    assert [finding.rule for finding in found] == ["duplicate-task-id"]
    assert "IMPL-2.json" in str(found[0].message)
    assert "IMPL-2-other.json" in str(found[0].message)


def test_numbers_as_ids() -> None:
    """F-GR-04: the number 1 and the text "1" are one id, and edges spelt either way lead there."""
    folder = plan_folder("nested", 1)
    task = f"{folder.path}/.task"
    files = {
        f"{task}/1.json": b'{"id": 1, "title": "a"}',
        f"{task}/2.json": b'{"id": "2", "title": "b", "depends_on": [1]}',
        f"{task}/3.json": b'{"id": 3, "title": "c", "depends_on": ["1", 2]}',
    }
    plan = read_plan(MemoryFiles(files), ref_of(folder))
    assert [finding.rule for finding in check(plan)] == []
    both = read_plan(
        MemoryFiles({**files, f"{task}/4.json": b'{"id": "1", "title": "d"}'}), ref_of(folder)
    )
    assert [finding.rule for finding in check(both)] == ["duplicate-task-id"]


def test_findings_do_not_depend_on_order() -> None:
    """The keys of findings are the same when tasks are read in another order."""
    plan = needing(needing(start(), "IMPL-1", "IMPL-4", "X"), "IMPL-3", "Y")
    turned = replace(plan, tasks=dict(reversed(list(plan.tasks.items()))))
    assert {x.key for x in check(plan)} == {x.key for x in check(turned)}
