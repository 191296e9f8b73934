"""Recipes: what each operation makes of a plan, and what follows from it."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitwfp.change.changeset import between
from gitwfp.errors import ExitCode, Refusal
from gitwfp.files.codec import read_plan
from gitwfp.files.tree import MemoryFiles, OverlayFiles
from gitwfp.files.writing import plan_edits
from gitwfp.model import fields as f
from gitwfp.model.graph import dangling_edges, edges_of, find_cycles
from gitwfp.model.plan import IMPL_PLAN, PLAN_JSON, PLANNING_NOTES, TODO_LIST, Plan
from gitwfp.model.task import TaskId
from gitwfp.model.values import freeze
from gitwfp.policy import operations as o
from gitwfp.policy.bookkeeping import Entry
from gitwfp.policy.replan import Limits, Proposal, propose, scope_of
from tests.plans import PlanFolder, Shape, plan_folder
from tests.strategies import SHAPES, bytes_of, operations, plan_of, ref_of

ENTRY = Entry(
    "WFS-berths/2026-02-01T10-00-00", "2026-02-01T10:00:00Z", "why", o.Scope.COMPREHENSIVE, "HEAD"
)


def start(shape: Shape = "nested", tasks: int = 4, done: int = 0) -> Plan:
    """Returns a plan whose ids are alike in each shape."""
    return plan_of(plan_folder(shape, tasks, ids="IMPL-{}", done=done))


def carried(plan: Plan, *wanted: o.Operation, limits: Limits | None = None) -> Proposal:
    """Compiles operations."""
    return propose(plan, wanted, ENTRY, limits or Limits())


def texts(plan: Plan, task: str, name: str) -> tuple[str, ...]:
    """Returns a text list of a task."""
    return plan.tasks[TaskId(task)].texts(name)


@pytest.mark.parametrize("shape", SHAPES)
@given(data=st.data())
def test_every_operation_gives_a_plan_that_files_can_hold(
    shape: Shape, data: st.DataObject
) -> None:
    """What an operation compiles to is what is read after it was written, and has no loose edge."""
    folder = plan_folder(shape, 5, ids="IMPL-{}")
    plan = plan_of(folder)
    operation = data.draw(operations(start("lite", 5), "IMPL-9"))
    if isinstance(operation, o.EditSession) and shape == "lite":
        with pytest.raises(Refusal, match="no file that could hold a title"):
            carried(plan, operation)
        return
    proposal = carried(plan, operation)
    tree = OverlayFiles(MemoryFiles(bytes_of(folder)), plan_edits(plan, proposal.after))
    again = read_plan(tree, ref_of(folder))
    assert between(proposal.after, again).changes == ()
    assert proposal.changes == between(plan, proposal.after)
    assert dangling_edges(proposal.after) == ()
    if not isinstance(operation, o.MergeTasks):
        assert find_cycles(edges_of(proposal.after)) == ()


@pytest.mark.parametrize("shape", SHAPES)
def test_an_operation_that_changes_nothing(shape: Shape) -> None:
    """An addition that is there already, a title that is the same: no change, also no history."""
    plan = start(shape)
    task = plan.tasks[TaskId("IMPL-2")]
    operation = o.UpdateTask(
        task="IMPL-2",
        title=task.title,
        requirements=o.ListEdit(add=(task.texts(f.REQUIREMENTS)[0].upper() + ".",)),
    )
    proposal = carried(plan, operation)
    assert not proposal.changes
    assert proposal.after is plan


@pytest.mark.parametrize("shape", SHAPES)
def test_replacing_sentences(shape: Shape) -> None:
    """Of a text of two sentences that replaces one, or one that replaces two, nothing is lost."""
    plan = start(shape)
    one, two = texts(plan, "IMPL-2", f.REQUIREMENTS)
    more = o.ListEdit(replace=(o.Replacement(one, "Do A. Do B."),))
    after = carried(plan, o.UpdateTask(task="IMPL-2", requirements=more)).after
    words = " ".join(texts(after, "IMPL-2", f.REQUIREMENTS))
    assert "Do A" in words
    assert "Do B" in words
    assert one not in words
    if shape != "nested":
        less = o.ListEdit(replace=(o.Replacement(f"{one}. {two}.", "Do A."),))
        after = carried(plan, o.UpdateTask(task="IMPL-2", requirements=less)).after
        assert texts(after, "IMPL-2", f.REQUIREMENTS) == ("Do A",)


def test_steps_stay_whole() -> None:
    """Steps that are objects stay as they are when another step comes, also two of one text."""
    plan = start()
    steps = freeze([{"step": 1, "title": "Same"}, {"step": 2, "title": "Same"}, "Last"])
    task = plan.tasks[TaskId("IMPL-2")].with_field(f.IMPLEMENTATION, steps)
    edit = o.UpdateTask(task="IMPL-2", implementation=o.ListEdit(add=("New",), remove=("last.",)))
    after = carried(plan.with_task(task), edit).after
    assert isinstance(steps, tuple)
    assert after.tasks[TaskId("IMPL-2")].fields[f.IMPLEMENTATION] == (*steps[:2], "New")


def test_new_steps_are_as_the_others_are() -> None:
    """Among objects a new step is one, numbered on; one that says something else stays one."""
    plan = start()
    step = {"step": 1, "title": "Draw", "description": "Draw", "logic_flow": ["a"], "output": "x"}
    task = plan.tasks[TaskId("IMPL-2")].with_field(f.IMPLEMENTATION, freeze([step]))
    edit = o.ListEdit(add=("Paint",), replace=(o.Replacement("Draw", "Sketch"),))
    after = carried(plan.with_task(task), o.UpdateTask(task="IMPL-2", implementation=edit)).after
    assert after.tasks[TaskId("IMPL-2")].fields[f.IMPLEMENTATION] == freeze(
        [
            {**step, "title": "Sketch", "description": "Sketch"},
            {"step": 2, "title": "Paint", "description": "Paint", "logic_flow": []},
        ]
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_requirements_leave_steps_alone(shape: Shape) -> None:
    """A new requirement or another executor never touches the implementation steps."""
    plan = start(shape)
    edit = o.UpdateTask(
        task="IMPL-2",
        requirements=o.ListEdit(add=("Log it",)),
        execution=o.Execution("cli", "codex"),
    )
    after = carried(plan, edit).after.tasks[TaskId("IMPL-2")]
    before = plan.tasks[TaskId("IMPL-2")]
    assert after.fields[f.IMPLEMENTATION] == before.fields[f.IMPLEMENTATION]
    assert after.fields[f.EXECUTION] == {
        "method": "cli",
        "cli_tool": "codex",
        "enable_resume": True,
    }


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("rewire", "wanted"), [(o.Rewire.BRIDGE, ("IMPL-1", "IMPL-3")), (o.Rewire.DROP, ("IMPL-3",))]
)
def test_deleting_rewires(shape: Shape, rewire: o.Rewire, wanted: tuple[str, ...]) -> None:
    """The dependents of a deleted task depend on what it depended on, or no longer."""
    after = carried(start(shape), o.DeleteTask(task="IMPL-2", dependents=rewire)).after
    assert after.tasks[TaskId("IMPL-4")].depends_on == wanted


def test_deleting_a_needed_task_is_refused() -> None:
    """A task that others depend on is not deleted unless it is said what becomes of them."""
    with pytest.raises(Refusal) as refusal:
        carried(start(), o.DeleteTask(task="IMPL-1"))
    assert refusal.value.exit_code is ExitCode.REFUSED
    assert "IMPL-2, IMPL-3" in str(refusal.value.message)


@pytest.mark.parametrize("order", [("IMPL-2", "IMPL-4"), ("IMPL-4", "IMPL-2")])
def test_deletions_are_judged_together(order: tuple[str, ...]) -> None:
    """A task goes together with those that need it, whichever is named first."""
    after = carried(start(), *(o.DeleteTask(task=task) for task in order)).after
    assert not {"IMPL-2", "IMPL-4"} & after.tasks.keys()
    assert dangling_edges(after) == ()


def test_deleting_heeds_what_dependents_do_instead() -> None:
    """The edge to a deleted task may be moved in the same request, before or behind it."""
    delete = o.DeleteTask(task="IMPL-2")
    moved = o.ListEdit(add=("IMPL-1",), remove=("IMPL-2",))
    update = o.UpdateTask(task="IMPL-4", depends_on=moved)
    for order in ((delete, update), (update, delete)):
        after = carried(start(), *order).after
        assert "IMPL-2" not in after.tasks
        assert dangling_edges(after) == ()


def test_the_refused_one_of_several_is_named() -> None:
    """A deletion that leaves a dependent is refused with its place and an answer to give."""
    deletions = (o.DeleteTask(task="IMPL-3"), o.DeleteTask(task="IMPL-2"))
    with pytest.raises(Refusal) as refusal:
        carried(start(), *deletions)
    assert refusal.value.location.field in ("/operations/0", "/operations/1")
    assert "IMPL-4 depends on it." in str(refusal.value.message)
    assert "IMPL-4 no longer depends on" in str(refusal.value.hint)


def test_rewiring_knows_like_ids_apart() -> None:
    """Deleting IMPL-01 leaves edges to IMPL-1 alone, also if it needs itself."""
    plan = start()
    twin = replace(plan.tasks[TaskId("IMPL-1")], id=TaskId("IMPL-01"))
    plan = plan.with_task(twin.with_field(f.DEPENDS_ON, ("IMPL-01",)))
    user = plan.tasks[TaskId("IMPL-4")].with_field(f.DEPENDS_ON, ("IMPL-01", "IMPL-1"))
    delete = o.DeleteTask(task="IMPL-01", dependents=o.Rewire.BRIDGE)
    after = carried(plan.with_task(user), delete).after
    assert after.tasks[TaskId("IMPL-4")].depends_on == ("IMPL-1",)
    assert after.tasks[TaskId("IMPL-2")].depends_on == ("IMPL-1",)
    assert dangling_edges(after) == ()


@pytest.mark.parametrize("shape", SHAPES)
def test_merging_takes_the_union(shape: Shape) -> None:
    """A merged task asks for all that its tasks asked for, and their dependents depend on it."""
    plan = start(shape)
    after = carried(plan, o.MergeTasks(tasks=("IMPL-2", "IMPL-3"), id="IMPL-5")).after
    for name in (f.REQUIREMENTS, f.ACCEPTANCE, f.FOCUS_PATHS):
        whole = (*texts(plan, "IMPL-2", name), *texts(plan, "IMPL-3", name))
        assert texts(after, "IMPL-5", name) == whole
    assert after.tasks[TaskId("IMPL-5")].depends_on == ("IMPL-1",)
    assert after.tasks[TaskId("IMPL-4")].depends_on == ("IMPL-5",)
    assert set(after.tasks) == {"IMPL-1", "IMPL-4", "IMPL-5"}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("order", ["chain", "parallel"])
def test_splitting_loses_nothing(shape: Shape, order: str) -> None:
    """The parts of a split have together what the task had, and its place in the graph."""
    plan = start(shape)
    parts = (o.Part(title="Find free berths", id="IMPL-5"), o.Part(title="Offer", id="IMPL-6"))
    operation = o.SplitTask(task="IMPL-2", parts=parts)
    if order == "parallel":
        operation = replace(operation, order="parallel")
    after = carried(plan, operation).after
    for name in (f.REQUIREMENTS, f.ACCEPTANCE, f.FOCUS_PATHS):
        both = (*texts(after, "IMPL-5", name), *texts(after, "IMPL-6", name))
        assert sorted(both) == sorted(texts(plan, "IMPL-2", name))
    first, second = (after.tasks[TaskId(each)].depends_on for each in ("IMPL-5", "IMPL-6"))
    assert first == ("IMPL-1",)
    assert second == (("IMPL-5",) if order == "chain" else ("IMPL-1",))
    heirs = ("IMPL-6",) if order == "chain" else ("IMPL-5", "IMPL-6")
    assert after.tasks[TaskId("IMPL-4")].depends_on == (*heirs, "IMPL-3")


def test_reordering_never_touches_edges() -> None:
    """A move changes the order of lists and nothing in any task."""
    plan = start("flat")
    after = carried(plan, o.ReorderTask(task="IMPL-4", before="IMPL-2")).after
    assert after.tasks == plan.tasks
    assert after.documents[PLAN_JSON].parts[f.TASK_IDS] == ("IMPL-1", "IMPL-4", "IMPL-2", "IMPL-3")
    listed = [line[8:14] for line in after.documents[TODO_LIST].lines if line.startswith("- [")]
    assert listed[:4] == ["IMPL-1", "IMPL-4", "IMPL-2", "IMPL-3"]


@pytest.mark.parametrize(
    "operation",
    [
        o.UpdateTask(task="IMPL-9", title="x"),
        o.DeleteTask(task="IMPL-9"),
        o.SplitTask(task="IMPL-9", parts=(o.Part(title="a"), o.Part(title="b"))),
        o.MergeTasks(tasks=("IMPL-1", "IMPL-9")),
        o.ReorderTask(task="IMPL-9", before="IMPL-1"),
        o.CreateTask(title="x", depends_on=("IMPL-9",)),
        o.UpdateTask(task="IMPL-2", depends_on=o.ListEdit(add=("IMPL-9",))),
    ],
    ids=lambda each: each.type,
)
def test_what_is_not_there(operation: o.Operation) -> None:
    """An operation on a task that is not there is refused, naming the tasks there are."""
    with pytest.raises(Refusal) as refusal:
        carried(start(), operation)
    assert refusal.value.exit_code is ExitCode.NOT_FOUND
    assert "IMPL-1" in str(refusal.value.hint)


@pytest.mark.parametrize(
    "operation",
    [
        o.UpdateTask(task="IMPL-1", title="x"),
        o.DeleteTask(task="IMPL-1", dependents=o.Rewire.DROP),
        o.SplitTask(task="IMPL-1", parts=(o.Part(title="a"), o.Part(title="b"))),
        o.MergeTasks(tasks=("IMPL-1", "IMPL-2")),
    ],
    ids=lambda each: each.type,
)
def test_completed_tasks_need_force(operation: o.Operation) -> None:
    """A completed task is changed with force only, and the refusal suggests a new task."""
    plan = start(done=1)
    with pytest.raises(Refusal) as refusal:
        carried(plan, operation)
    assert refusal.value.code == "task-completed"
    assert carried(plan, operation, limits=Limits(force=True)).changes


@pytest.mark.parametrize(
    "operation",
    [
        o.CreateTask(title="x", id="IMPL-2"),
        o.CreateTask(title="x", id="impl-02"),
        o.CreateTask(title="x", id="../x"),
        o.CreateTask(title="x", id="a/b"),
        o.CreateTask(title="x", id=""),
        o.CreateTask(title="x", id="-x"),
        o.CreateTask(title="x", id="I" * 65),
        o.SplitTask(task="IMPL-2", parts=(o.Part(title="a"),)),
        o.MergeTasks(tasks=("IMPL-1", "impl-01")),
        o.ReorderTask(task="IMPL-1", before="IMPL-01"),
        o.UpdateTask(task="IMPL-2", requirements=o.ListEdit(remove=("Nothing of the kind",))),
    ],
    ids=str,
)
def test_what_cannot_be_done(operation: o.Operation) -> None:
    """Ids in use or unfit for a file, splits and merges of one, entries not there: refused."""
    with pytest.raises(Refusal) as refusal:
        carried(start(), operation)
    assert refusal.value.exit_code is ExitCode.REFUSED


def test_ids_are_not_used_again() -> None:
    """An id deleted in the same replan is not free, nor is one whose file cannot be read."""
    folder = plan_folder("nested", 3, ids="IMPL-{}")
    files = bytes_of(folder) | {f"{folder.path}/.task/IMPL-4.json": b"{broken"}
    plan = read_plan(MemoryFiles(files), ref_of(folder))
    for wanted in ("IMPL-3", "IMPL-4"):
        with pytest.raises(Refusal) as refusal:
            carried(plan, o.DeleteTask(task="IMPL-3"), o.CreateTask(title="x", id=wanted))
        assert refusal.value.code == "task-exists"
    after = carried(plan, o.DeleteTask(task="IMPL-3"), o.CreateTask(title="x")).after
    assert set(after.tasks) == {"IMPL-1", "IMPL-2", "IMPL-5"}


def test_flat_tasks_of_a_mixed_session() -> None:
    """Decision 11: each file of a mixed session keeps its shape when requirements change."""
    nested, flat = plan_folder("nested", 3, ids="IMPL-{}"), plan_folder("flat", 3, ids="IMPL-{}")
    files = bytes_of(nested)
    name = ".task/IMPL-3.json"
    files[f"{nested.path}/{name}"] = flat.files[f"{flat.path}/{name}"].encode()
    plan = read_plan(MemoryFiles(files), ref_of(nested))
    edit = o.ListEdit(add=("Do A. Do B.",))
    for task, wanted in (("IMPL-2", ("Do A. Do B",)), ("IMPL-3", ("Do A", "Do B"))):
        after = carried(plan, o.UpdateTask(task=task, requirements=edit)).after
        assert texts(after, task, f.REQUIREMENTS)[2:] == wanted
        tree = OverlayFiles(MemoryFiles(files), plan_edits(plan, after))
        assert between(after, read_plan(tree, ref_of(nested))).changes == ()


# --------------------------------------------------------------------- scope and limits


@pytest.mark.parametrize(
    ("operation", "needed"),
    [
        (o.UpdateTask(task="IMPL-1", title="x"), o.Scope.TASKS_ONLY),
        (o.CreateTask(title="x"), o.Scope.TASK_RESTRUCTURE),
        (o.DeleteTask(task="IMPL-4"), o.Scope.TASK_RESTRUCTURE),
        (o.ReorderTask(task="IMPL-4", before="IMPL-1"), o.Scope.TASK_RESTRUCTURE),
        (o.EditSession(title="x"), o.Scope.COMPREHENSIVE),
    ],
    ids=lambda each: str(each)[:20],
)
def test_scopes(operation: o.Operation, needed: o.Scope) -> None:
    """Decision 21: an operation needs its scope; a smaller one is refused naming what is needed."""
    assert scope_of((operation,), None) is needed
    for wanted in o.Scope:
        if wanted.rank >= needed.rank:
            assert scope_of((operation,), wanted) is wanted
        else:
            with pytest.raises(Refusal) as refusal:
                scope_of((operation,), wanted)
            assert refusal.value.exit_code is ExitCode.USAGE
            assert needed.value in str(refusal.value.message)


def test_the_plan_document_needs_its_scope() -> None:
    """With scope tasks_only IMPL_PLAN.md stays as it is; from plan_update on it is amended."""
    plan = start()
    edit = o.UpdateTask(task="IMPL-2", title="Another")
    for scope in o.Scope:
        after = propose(plan, (edit,), replace(ENTRY, scope=scope), Limits()).after
        is_same = after.documents[IMPL_PLAN] == plan.documents[IMPL_PLAN]
        assert is_same == (scope is o.Scope.TASKS_ONLY)
        assert after.documents[TODO_LIST] != plan.documents[TODO_LIST]


def having(folder: PlanFolder, name: str, text: str) -> PlanFolder:
    """Returns a folder with another text in one of its files."""
    return replace(folder, files={**folder.files, f"{folder.path}/{name}": text})


SECTIONS = """# Plan

## Berths (src/berths)

Boats lie in berths.

### IMPL-2: Reserve

- The first who asks gets it

## Changes of heart

None so far.
"""


@pytest.mark.parametrize("scope", list(o.Scope))
def test_the_section_concerned_is_told(scope: o.Scope) -> None:
    """Decision 15: from plan_update on, the section of the task or module names what is new."""
    folder = plan_folder("nested", 4, ids="IMPL-{}")
    folder = having(folder, "IMPL_PLAN.md", SECTIONS)
    plan = plan_of(folder)
    wanted = (
        o.UpdateTask(task="IMPL-2", requirements=o.ListEdit(add=("Ask twice",))),
        o.UpdateTask(task="IMPL-3", notes=o.ListEdit(add=("IMPL-2: Ask twice",))),
        o.UpdateTask(task="IMPL-2", execution=o.Execution("cli", "codex")),
    )
    after = propose(plan, wanted, replace(ENTRY, scope=scope), Limits()).after
    edits = plan_edits(plan, after)
    path = f"{folder.path}/IMPL_PLAN.md"
    if scope is o.Scope.TASKS_ONLY:
        assert path not in edits
        return
    written = edits[path]
    assert written is not None
    text = written.decode()
    assert "- The first who asks gets it\n- Ask twice\n\n## Changes of heart" in text
    rest = text.replace("- Ask twice\n", "").partition("\n## Changes\n")[0]
    assert rest == SECTIONS
    back = read_plan(OverlayFiles(MemoryFiles(bytes_of(folder)), edits), ref_of(folder))
    assert plan_edits(back, plan, like=plan)[path] == SECTIONS.encode()


def test_a_new_task_is_told_to_its_module() -> None:
    """A new task stands in the section of its module, and leaves it when it is deleted."""
    folder = plan_folder("flat", 4, ids="IMPL-{}")
    folder = having(folder, "IMPL_PLAN.md", SECTIONS)
    create = o.CreateTask(title="Swap berths", focus_paths=("src/berths/swap.ts",))
    after = carried(plan_of(folder), create).after
    told = after.documents[IMPL_PLAN].lines
    assert told[told.index("Boats lie in berths.") + 2] == "- IMPL-5: Swap berths"
    gone = carried(after, o.DeleteTask(task="IMPL-5")).after
    assert gone.documents[IMPL_PLAN].lines == plan_of(folder).documents[IMPL_PLAN].lines


@pytest.mark.parametrize(("said", "is_told"), [("- **GOAL**: x", True), ("Nothing.", False)])
def test_the_goal_reaches_the_planning_notes(said: str, is_told: bool) -> None:
    """A new goal of the session is written where the notes state it; else that is reported."""
    folder = plan_folder("nested", 4, ids="IMPL-{}")
    folder = having(folder, "planning-notes.md", f"# Notes\n\n{said}\n- **SCOPE**: y\n")
    proposal = carried(plan_of(folder), o.EditSession(title="Berths for all"))
    lines = proposal.after.documents[PLANNING_NOTES].lines
    assert lines[2] == ("- **GOAL**: Berths for all" if is_told else said)
    assert lines[3] == "- **SCOPE**: y"
    assert [note.code for note in proposal.notes] == ([] if is_told else ["goal-left-alone"])


def test_no_dependencies_forbids_edges() -> None:
    """Decision 16: with dependencies "no", asked-for edges are a usage error, rewiring is not."""
    limits = Limits(dependencies=False)
    plan = start()
    for operation in (
        o.UpdateTask(task="IMPL-2", depends_on=o.ListEdit(add=("IMPL-3",))),
        o.CreateTask(title="x", depends_on=("IMPL-1",)),
    ):
        with pytest.raises(Refusal) as refusal:
            carried(plan, operation, limits=limits)
        assert refusal.value.exit_code is ExitCode.USAGE
    bridge = o.DeleteTask(task="IMPL-2", dependents=o.Rewire.BRIDGE)
    assert carried(plan, bridge, limits=limits).changes


@pytest.mark.parametrize("name", [".task/IMPL-2.json", "workflow-session.json", "plan.json"])
def test_broken_files_refuse_what_concerns_them(name: str) -> None:
    """Decision 12: broken JSON refuses a replan only if the replan touches that file."""
    folder = plan_folder("flat", 4, ids="IMPL-{}")
    files = bytes_of(folder) | {f"{folder.path}/{name}": b'{"id": '}
    plan = read_plan(MemoryFiles(files), ref_of(folder))
    touching = o.UpdateTask(task="IMPL-2", title="x")
    with pytest.raises(Refusal) as refusal:
        carried(plan, touching)
    assert refusal.value.code == "invalid-plan-file"
    assert refusal.value.location.path == f"{folder.path}/{name}"
    assert refusal.value.location.line == 1
    if name.startswith(".task"):
        assert carried(plan, o.UpdateTask(task="IMPL-3", title="x")).changes


def test_impact_tells_the_way() -> None:
    """The dependents of a changed task are listed from near and far, each with its chain."""
    proposal = carried(start(tasks=5), o.UpdateTask(task="IMPL-1", title="x"))
    ways = {each.task: each.way for each in proposal.impact.dependents}
    assert ways == {
        "IMPL-2": ("IMPL-2", "IMPL-1"),
        "IMPL-3": ("IMPL-3", "IMPL-1"),
        "IMPL-4": ("IMPL-4", "IMPL-2", "IMPL-1"),
        "IMPL-5": ("IMPL-5", "IMPL-4", "IMPL-2", "IMPL-1"),
    }
    assert not any(each.touched for each in proposal.impact.dependents)
    assert proposal.impact.tasks == ("IMPL-1",)
