"""Change sets: what lies between two plans, applied, taken back, refused."""

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gitwfp.change.changeset import ChangeSet, between
from gitwfp.change.kinds import (
    Change,
    DocumentEdited,
    FileChanged,
    SessionEdited,
    TaskAdded,
    TaskDropped,
    TaskEdited,
    inverse,
    sentence,
    task_of,
)
from gitwfp.errors import ExitCode, Refusal
from gitwfp.model import fields as f
from gitwfp.model.plan import Plan
from gitwfp.model.task import Task, TaskId
from gitwfp.model.values import freeze
from gitwfp.policy import operations as o
from gitwfp.policy.bookkeeping import Entry
from gitwfp.policy.replan import Limits, propose, scope_of
from tests.plans import Shape, plan_folder
from tests.strategies import FEWER, SHAPES, Written, operations, plan_of, plan_pairs


def entry(operation: o.Operation) -> Entry:
    """Returns what the histories record of a replan of one operation."""
    scope = scope_of((operation,), None)
    return Entry("WFS-t/2026-02-01T10-00-00", "2026-02-01T10:00:00Z", "why", scope, "HEAD")


def states(one: Plan, other: Plan) -> bool:
    """Tells whether two plans state the same."""
    return not between(one, other) and not between(other, one)


@FEWER
@given(plan_pairs())
def test_apply_reaches_the_other_plan(pair: tuple[Written, Plan]) -> None:
    """Applying what lies between two plans to the first one gives the second."""
    before, after = pair[0].plan, pair[1]
    changes = between(before, after)
    assert states(changes.apply(before), after)


@FEWER
@given(plan_pairs())
def test_the_inverse_leads_back(pair: tuple[Written, Plan]) -> None:
    """The inverse of a change set undoes it, and the inverse of that is the change set."""
    before, after = pair[0].plan, pair[1]
    changes = between(before, after)
    assert states(changes.inverse.apply(after), before)
    assert changes.inverse.inverse == changes


@FEWER
@given(plan_pairs())
def test_nothing_lies_between_a_plan_and_itself(pair: tuple[Written, Plan]) -> None:
    """A plan does not differ from itself, nor from the same files read again."""
    written, after = pair
    assert not between(written.plan, written.plan)
    assert not between(after, after)


@FEWER
@given(plan_pairs())
def test_a_change_set_does_not_apply_twice(pair: tuple[Written, Plan]) -> None:
    """A change that is already made is stale, and applying it again is refused as a conflict."""
    before, after = pair[0].plan, pair[1]
    changes = between(before, after)
    if changes:
        with pytest.raises(Refusal) as refusal:
            changes.apply(after)
        assert refusal.value.exit_code is ExitCode.CONFLICT


@FEWER
@given(plan_pairs(), st.data())
def test_only_what_differs_is_named(pair: tuple[Written, Plan], data: st.DataObject) -> None:
    """The tasks that a change set names are those that differ, each with a sentence."""
    before, after = pair[0].plan, pair[1]
    changes = between(before, after)
    assert set(changes.added) == after.tasks.keys() - before.tasks.keys()
    assert set(changes.deleted) == before.tasks.keys() - after.tasks.keys()
    assert set(changes.touched) == {*changes.added, *changes.deleted, *changes.updated}
    for change in changes.changes:
        assert str(sentence(change))
        assert inverse(inverse(change)) == change
        assert task_of(change) in {None, *changes.touched}


@pytest.mark.parametrize(
    "change",
    [
        TaskAdded(Task(TaskId("IMPL-1"), {f.TITLE: "again"})),
        TaskDropped(Task(TaskId("IMPL-9"), {})),
        TaskDropped(Task(TaskId("IMPL-1"), {f.TITLE: "other"})),
        TaskEdited(TaskId("IMPL-9"), f.TITLE, "a", "b"),
        TaskEdited(TaskId("IMPL-1"), f.TITLE, "other", "b"),
        TaskEdited(TaskId("IMPL-1"), f.PRIORITY, "high", None),
        SessionEdited(f.TITLE, "other", "b"),
        DocumentEdited("TODO_LIST.md", f.LINES, ("other",), ()),
        DocumentEdited("nothing.md", f.LINES, ("other",), ()),
        FileChanged("x", b"other", None),
    ],
)
def test_stale_changes_are_refused(change: TaskAdded | TaskDropped | TaskEdited) -> None:
    """A change whose before is not what the plan states is refused, whatever its kind."""
    plan = plan_of(plan_folder("nested"))
    with pytest.raises(Refusal) as refusal:
        ChangeSet((change,)).apply(plan)
    assert refusal.value.exit_code is ExitCode.CONFLICT


def test_a_change_of_type_is_a_change() -> None:
    """True, 1, 1.0 and "1" are four values: going from one to another is a change."""
    plan = plan_of(plan_folder("nested"))
    name = "/meta/wave"
    seen = []
    for value in (True, 1, 1.0, "1"):
        task = plan.tasks[TaskId("IMPL-1")].with_field(name, value)
        seen.append(plan.with_task(task))
    for one in seen:
        for other in seen:
            assert bool(between(one, other)) == (one is not other)


def test_companion_files_are_changes() -> None:
    """A companion file that appears, changes or goes is one change, and can be taken back."""
    plan = plan_of(plan_folder("nested"))
    path = f"{plan.ref.folder}/.summaries/IMPL-1-summary.md"
    one = replace(plan, others={path: b"a"})
    other = replace(plan, others={path: b"b"})
    for before, after in ((plan, one), (one, other), (other, plan)):
        changes = between(before, after)
        assert [type(change) for change in changes.changes] == [FileChanged]
        assert changes.inverse.apply(after).others == before.others


@FEWER
@given(st.data())
def test_twins_change_alike(data: st.DataObject) -> None:
    """The same operation makes the same task changes in a nested, a flat and a lite plan."""
    plans = [plan_of(plan_folder(shape, 4, ids="IMPL-{}")) for shape in SHAPES]
    operation = data.draw(operations(plans[-1], "IMPL-9"))
    assume(not isinstance(operation, o.EditSession))
    told = [
        [
            _told(change)
            for change in propose(plan, (operation,), entry(operation), Limits()).changes.changes
        ]
        for plan in plans
    ]
    nested, flat, lite = ([change for change in changes if change] for changes in told)
    assert nested == flat == lite


ALIKE = (f.TITLE, f.REQUIREMENTS, f.ACCEPTANCE, f.DEPENDS_ON)
"""The fields that all three shapes of a twin have; lite tasks have no paths of their own."""


def _told(change: Change) -> tuple[object, ...] | None:
    """Returns what a change says about a task, whatever the shape of its plan."""
    match change:
        case TaskEdited(task_id, name, old, new):
            return (task_id, name, old, new) if name in ALIKE else None
        case TaskAdded(task) | TaskDropped(task):
            return (type(change), task.id, *(task.fields.get(name) for name in ALIKE))
        case _:
            return None


@pytest.mark.parametrize("shape", SHAPES)
def test_roles_of_a_replan(shape: Shape) -> None:
    """What a replan derives is bookkeeping: of its intent only what was asked for is left."""
    plan = plan_of(plan_folder(shape, 4, ids="IMPL-{}"))
    operation = o.UpdateTask(task="IMPL-2", requirements=o.ListEdit(add=("Log each call",)))
    proposal = propose(plan, (operation,), entry(operation), Limits())
    [change] = proposal.changes.of_intent.changes
    assert isinstance(change, TaskEdited)
    assert (change.task, change.field) == ("IMPL-2", f.REQUIREMENTS)


def test_who_executes_a_task_is_told_by_name() -> None:
    """Another executor is told as such; a change that leaves it is one of the configuration."""
    agent = freeze({"method": "agent", "cli_tool": None})
    codex = freeze({"method": "cli", "cli_tool": "codex", "enable_resume": True})
    other = freeze({"method": "cli", "cli_tool": "codex", "enable_resume": False})
    told = [
        str(sentence(TaskEdited(TaskId("IMPL-1"), f.EXECUTION, before, after)))
        for before, after in ((None, codex), (agent, codex), (codex, other), (codex, None))
    ]
    assert told == [
        "Task IMPL-1: execution_config becomes 'codex'.",
        "Task IMPL-1: execution_config becomes 'codex' instead of 'agent'.",
        "Task IMPL-1: execution_config changes.",
        "Task IMPL-1: execution_config is removed.",
    ]
