"""The merge of plans, which is rollback, landing and merging in one."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitwfp.change.changeset import between
from gitwfp.change.merge import Conflict, Merged, Rules, Side, merge
from gitwfp.files.bookkeeping import is_bookkeeping_line, set_counts
from gitwfp.model import fields as f
from gitwfp.model.plan import IMPL_PLAN, PLAN_JSON, TODO_LIST, Document, Plan
from gitwfp.model.task import Task, TaskId
from gitwfp.model.values import Value, canonical
from gitwfp.policy import operations as o
from gitwfp.policy.bookkeeping import Entry
from gitwfp.policy.replan import Limits, propose
from tests.plans import Shape, plan_folder
from tests.strategies import (
    FEWER,
    SHAPES,
    Written,
    edited_plans,
    plan_of,
    plan_pairs,
    written_plans,
)

RULES = Rules(is_bookkeeping_line, set_counts)
ONE, TWO = TaskId("IMPL-1"), TaskId("IMPL-2")


def start(shape: Shape = "nested") -> Plan:
    """Returns a plan of four tasks."""
    return plan_of(plan_folder(shape, 4, ids="IMPL-{}"))


def states(one: Plan, other: Plan) -> bool:
    """Tells whether two plans state the same."""
    return not between(one, other)


def with_field(plan: Plan, task: TaskId, name: str, value: Value) -> Plan:
    """Returns a plan with one field of a task changed."""
    return plan.with_task(plan.tasks[task].with_field(name, value))


def with_line(plan: Plan, document: str, old: str, new: str) -> Plan:
    """Returns a plan with a text replaced in a document."""
    held = plan.documents[document]
    lines = tuple(line.replace(old, new) for line in held.lines)
    assert lines != held.lines
    return plan.with_document(Document(document, {**held.parts, f.LINES: lines}))


def replan(plan: Plan, number: int, *operations: o.Operation) -> Plan:
    """Returns a plan after the operations of one replan."""
    entry = Entry(
        f"WFS-berths/2026-02-01T10-00-0{number}",
        f"2026-02-0{number}T10:00:00Z",
        f"reason {number}",
        o.Scope.COMPREHENSIVE,
        "HEAD",
    )
    return propose(plan, operations, entry, Limits()).after


def unordered(plan: Plan) -> object:
    """Returns what a plan states, with the order of its lists left out."""

    def loose(value: Value) -> object:
        return sorted(map(canonical, value)) if isinstance(value, tuple) else canonical(value)

    def record(fields: dict[str, Value]) -> object:
        return {name: loose(value) for name, value in fields.items()}

    return (
        record(dict(plan.session)),
        {task.id: record(dict(task.fields)) for task in plan.tasks.values()},
        {name: record(dict(held.parts)) for name, held in plan.documents.items()},
        plan.others,
    )


@FEWER
@given(plan_pairs(), st.booleans())
def test_revert_is_a_merge(pair: tuple[Written, Plan], theirs_first: bool) -> None:
    """Taking back what was just done gives the plan before, whatever was done."""
    before, after = pair[0].plan, pair[1]
    merged = merge(after, after, before, replace(RULES, theirs_first=theirs_first))
    assert merged.conflicts == ()
    assert states(merged.plan, before)


@FEWER
@given(plan_pairs())
def test_a_side_that_did_nothing_changes_nothing(pair: tuple[Written, Plan]) -> None:
    """Merging with an unchanged side gives the other side, whichever of the two it is."""
    base, other = pair[0].plan, pair[1]
    for ours, theirs in ((base, other), (other, base), (other, other)):
        merged = merge(base, ours, theirs, RULES)
        assert merged.conflicts == ()
        assert states(merged.plan, other)


@FEWER
@given(st.data())
def test_a_clean_merge_has_no_sides(data: st.DataObject) -> None:
    """A merge without conflicts states the same whichever side is called ours, order aside."""
    base = data.draw(written_plans()).plan
    ours, theirs = data.draw(edited_plans(base)), data.draw(edited_plans(base))
    one, other = merge(base, ours, theirs, RULES), merge(base, theirs, ours, RULES)
    assert len(one.conflicts) == len(other.conflicts)
    if not one.conflicts:
        assert unordered(one.plan) == unordered(other.plan)


@FEWER
@given(st.data())
def test_preferring_a_side_leaves_no_conflict(data: st.DataObject) -> None:
    """With a side preferred nothing is reported; where nothing conflicts it makes no difference."""
    base = data.draw(written_plans()).plan
    ours, theirs = data.draw(edited_plans(base)), data.draw(edited_plans(base))
    plain = merge(base, ours, theirs, RULES)
    for side in Side:
        decided = merge(base, ours, theirs, replace(RULES, prefer=side))
        assert decided.conflicts == ()
        if not plain.conflicts or side is Side.OURS:
            assert states(decided.plan, plain.plan)


@FEWER
@given(st.data())
def test_merges_make_nothing_up(data: st.DataObject) -> None:
    """Each line and each field of a merged plan stands in one of the plans; no marker appears."""
    base = data.draw(written_plans()).plan
    ours, theirs = data.draw(edited_plans(base)), data.draw(edited_plans(base))
    merged = merge(base, ours, theirs, RULES).plan
    assert set(merged.tasks) <= {*ours.tasks, *theirs.tasks}
    for name, document in merged.documents.items():
        known = {
            line.lower().replace("[x]", "[ ]").replace("[~]", "[ ]")
            for side in (base, ours, theirs)
            for line in (side.documents[name].lines if name in side.documents else ())
        }
        found = {
            line.lower().replace("[x]", "[ ]").replace("[~]", "[ ]") for line in document.lines
        }
        assert found <= known
        assert not any(line.startswith(("<<<<<<<", "=======", ">>>>>>>")) for line in found)


def addition(field: str, edit: o.ListEdit) -> o.UpdateTask:
    """Returns an operation on one list of a task."""
    match field:
        case f.REQUIREMENTS:
            return o.UpdateTask(task="IMPL-2", requirements=edit)
        case f.ACCEPTANCE:
            return o.UpdateTask(task="IMPL-2", acceptance=edit)
        case _:
            return o.UpdateTask(task="IMPL-2", notes=edit)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("field", [f.REQUIREMENTS, f.ACCEPTANCE, f.INHERITED])
def test_three_additions_never_conflict(shape: Shape, field: str) -> None:
    """Three replans that each add an entry to one list, taken back or merged in any order."""
    base = start(shape)
    additions = [addition(field, o.ListEdit(add=(f"Entry {number}",))) for number in (1, 2, 3)]
    sides = [replan(base, number, each) for number, each in enumerate(additions, 1)]
    merged = sides[0]
    for side in sides[1:]:
        outcome = merge(base, merged, side, RULES)
        assert outcome.conflicts == ()
        merged = outcome.plan
    held = base.tasks[TWO].texts(field)
    assert merged.tasks[TWO].texts(field) == (*held, "Entry 1", "Entry 2", "Entry 3")
    line = [base]
    for number, each in enumerate(additions, 1):
        line.append(replan(line[-1], number, each))
    for number in (1, 2, 3):
        rules = replace(RULES, theirs_first=True)
        back = merge(line[number], line[3], line[number - 1], rules)
        assert back.conflicts == ()
        rest = tuple(f"Entry {n}" for n in (1, 2, 3) if n != number)
        assert back.plan.tasks[TWO].texts(field) == (*held, *rest)


@pytest.mark.parametrize("shape", SHAPES)
def test_an_entry_beside_a_removed_one(shape: Shape) -> None:
    """One side removes a requirement, the other adds one next to it: both happen."""
    base = start(shape)
    first = base.tasks[TWO].texts(f.REQUIREMENTS)[0]
    ours = replan(base, 1, o.UpdateTask(task="IMPL-2", requirements=o.ListEdit(remove=(first,))))
    theirs = replan(base, 2, o.UpdateTask(task="IMPL-2", requirements=o.ListEdit(add=("Log it",))))
    merged = merge(base, ours, theirs, RULES)
    assert merged.conflicts == ()
    assert merged.plan.tasks[TWO].texts(f.REQUIREMENTS) == (
        *base.tasks[TWO].texts(f.REQUIREMENTS)[1:],
        "Log it",
    )


@pytest.mark.parametrize("is_swapped", [False, True])
def test_a_ticked_box_and_a_new_title(is_swapped: bool) -> None:
    """One side ticks a task's box, the other retitles it: the line has both."""
    base = start()
    ticked = with_line(base, TODO_LIST, "- [ ] **IMPL-2**", "- [x] **IMPL-2**")
    titled = replan(base, 1, o.UpdateTask(task="IMPL-2", title="Find a berth"))
    ours, theirs = (titled, ticked) if is_swapped else (ticked, titled)
    merged = merge(base, ours, theirs, RULES)
    assert merged.conflicts == ()
    [line] = [x for x in merged.plan.documents[TODO_LIST].lines if "**IMPL-2**" in x]
    assert line.startswith("- [x] **IMPL-2**: Find a berth")


def test_bookkeeping_never_conflicts() -> None:
    """Two replans at different times, with tasks added by both: no conflict in any list of ours."""
    for shape in SHAPES:
        base = start(shape)
        ours = replan(base, 1, o.CreateTask(title="One", id="IMPL-5"))
        theirs = replan(base, 2, o.CreateTask(title="Two", id="IMPL-6"))
        merged = merge(base, ours, theirs, RULES)
        assert merged.conflicts == ()
        assert set(merged.plan.tasks) == {*base.tasks, "IMPL-5", "IMPL-6"}
        history = merged.plan.session.get(f.REPLAN_HISTORY, ())
        assert isinstance(history, tuple)
        assert len(history) == (0 if shape == "lite" else 2)
        if IMPL_PLAN in base.documents:
            entries = merged.plan.documents[IMPL_PLAN].parts[f.CHANGES]
            assert isinstance(entries, tuple)
            assert [str(entry)[12:20] for entry in entries] == ["reason 1", "reason 2"]


def test_counts_after_a_rollback_fit_the_tasks() -> None:
    """Taking back one of two replans that each added a task leaves the count of what is there."""
    base = start("flat")
    one = replan(base, 1, o.CreateTask(title="One", id="IMPL-5"))
    two = replan(one, 2, o.CreateTask(title="Two", id="IMPL-6"))
    merged = merge(one, two, base, replace(RULES, theirs_first=True))
    assert merged.conflicts == ()
    assert merged.plan.documents[PLAN_JSON].parts[f.TASK_COUNT] == len(merged.plan.tasks) == 5


def change_title(plan: Plan, text: str) -> Plan:
    """Gives a task a title."""
    return with_field(plan, ONE, f.TITLE, text)


def change_entry(plan: Plan, text: str) -> Plan:
    """Replaces the first requirement."""
    held = plan.tasks[ONE].texts(f.REQUIREMENTS)
    return with_field(plan, ONE, f.REQUIREMENTS, (text, *held[1:]))


def change_unknown(plan: Plan, text: str) -> Plan:
    """Changes a field that nobody knows."""
    return with_field(plan, ONE, "/context_package_path", text)


def change_goal(plan: Plan, text: str) -> Plan:
    """Changes what the session is for."""
    return replace(plan, session={**plan.session, f.TITLE: text})


def change_prose(plan: Plan, text: str) -> Plan:
    """Changes a line of prose."""
    held = plan.documents[IMPL_PLAN]
    at = held.lines.index("## 4. Implementation Strategy") + 1
    lines = (*held.lines[:at], text, *held.lines[at + 1 :])
    return plan.with_document(Document(IMPL_PLAN, {f.LINES: lines}))


def change_file(plan: Plan, text: str) -> Plan:
    """Changes a companion file."""
    return replace(plan, others={f"{plan.ref.folder}/.summaries/a.md": text.encode()})


CHANGES = [
    (change_title, f.TITLE, ONE, None),
    (change_entry, f.REQUIREMENTS, ONE, None),
    (change_unknown, "/context_package_path", ONE, None),
    (change_goal, f.TITLE, None, None),
    (change_prose, f.LINES, None, IMPL_PLAN),
]


@pytest.mark.parametrize(("change", "name", "task", "document"), CHANGES)
def test_conflicts_name_the_field_and_both_sides(
    change: Callable[[Plan, str], Plan], name: str, task: TaskId | None, document: str | None
) -> None:
    """Two different changes of one thing are one conflict, with both sides; ours is kept."""
    base = change(start(), "before")
    ours, theirs = change(base, "here"), change(base, "there")
    merged = merge(base, ours, theirs, RULES)
    [conflict] = merged.conflicts
    assert (conflict.field, conflict.task, conflict.document) == (name, task, document)
    for side, word in (
        (conflict.base, "before"),
        (conflict.ours, "here"),
        (conflict.theirs, "there"),
    ):
        assert side in (word, (word,))
    assert states(merged.plan, ours)
    assert states(merge(base, ours, theirs, replace(RULES, prefer=Side.OURS)).plan, ours)
    assert states(merge(base, ours, theirs, replace(RULES, prefer=Side.THEIRS)).plan, theirs)


def test_companion_files_conflict_as_a_whole() -> None:
    """A companion file that both sides changed is a conflict as a whole; ours stays."""
    base = change_file(start(), "before")
    ours, theirs = change_file(base, "here"), change_file(base, "there")
    [conflict] = merge(base, ours, theirs, RULES).conflicts
    assert conflict.document == f"{base.ref.folder}/.summaries/a.md"
    decided = merge(base, ours, theirs, replace(RULES, prefer=Side.THEIRS)).plan
    assert states(decided, theirs)
    gone = replace(base, others={})
    assert len(merge(base, gone, theirs, RULES).conflicts) == 1
    assert merge(base, gone, base, RULES).plan.others == {}


def outcome_of(ours: Plan | None, theirs: Plan | None, base: Plan, prefer: Side | None) -> Merged:
    """Merges with None standing for a side that deleted the task."""
    without = base.without_task(ONE)
    rules = replace(RULES, prefer=prefer)
    return merge(base, ours or without, theirs or without, rules)


def test_deleted_here_changed_there() -> None:
    """A task that one side deleted and the other changed is a conflict about the whole task."""
    base = start()
    changed = change_title(base, "Changed")
    for ours, theirs in ((None, changed), (changed, None)):
        merged = outcome_of(ours, theirs, base, None)
        [conflict] = merged.conflicts
        assert (conflict.field, conflict.task) == ("", ONE)
        assert (conflict.ours is None) == (ours is None)
        assert (ONE in merged.plan.tasks) == (ours is not None)
        kept = outcome_of(ours, theirs, base, Side.OURS).plan
        assert (ONE in kept.tasks) == (ours is not None)
        taken = outcome_of(ours, theirs, base, Side.THEIRS).plan
        assert (ONE in taken.tasks) == (theirs is not None)


def test_progress_does_not_keep_a_task() -> None:
    """A task that one side deleted goes, also when the other side has only worked on it."""
    base = start()
    worked = with_field(base, ONE, f.STATUS, "in_progress")
    for ours, theirs in ((None, worked), (worked, None), (None, base), (base, None)):
        merged = outcome_of(ours, theirs, base, None)
        assert merged.conflicts == ()
        assert ONE not in merged.plan.tasks


def test_two_tasks_of_one_id() -> None:
    """What both sides added alike is one task; two that differ are never mixed into one."""
    base = start()
    one = base.with_task(Task(TaskId("IMPL-9"), {f.TITLE: "New", f.REQUIREMENTS: ("A", "B")}))
    other = base.with_task(Task(TaskId("IMPL-9"), {f.TITLE: "New", f.REQUIREMENTS: ("A", "C")}))
    assert merge(base, one, one, RULES).conflicts == ()
    [conflict] = merge(base, one, other, RULES).conflicts
    assert (conflict.field, conflict.ours, conflict.theirs) == ("", "New", "New")
    for side, kept in ((Side.OURS, one), (Side.THEIRS, other)):
        plan = outcome_of(one, other, base, side).plan
        assert plan.tasks[TaskId("IMPL-9")].fields == kept.tasks[TaskId("IMPL-9")].fields


def test_conflicts_come_in_one_order() -> None:
    """The conflicts of a merge are listed by task in natural order, on every run."""
    base = plan_of(plan_folder("nested", 12))
    ours = theirs = base
    for task_id in base.tasks:
        ours = with_field(ours, task_id, f.TITLE, "here")
        theirs = with_field(theirs, task_id, f.TITLE, "there")
    found: tuple[Conflict, ...] = merge(base, ours, theirs, RULES).conflicts
    assert [conflict.task for conflict in found] == list(base.tasks)


def test_two_replans_in_one_second() -> None:
    """Taking back the earlier of two leaves the time of the later one, though it is the same."""
    plan = start()
    before = replace(plan, session={**plan.session, f.REPLAN_HISTORY: ()})
    first = replace(
        before, session={**before.session, f.LAST_REPLAN: "T", f.REPLAN_HISTORY: ("1",)}
    )
    second = replace(first, session={**first.session, f.REPLAN_HISTORY: ("1", "2")})
    assert merge(first, second, before, RULES).plan.session[f.LAST_REPLAN] == "T"
    assert merge(second, second, first, RULES).plan.session[f.LAST_REPLAN] == "T"
    assert f.LAST_REPLAN not in merge(first, first, before, RULES).plan.session
