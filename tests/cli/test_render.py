"""Plans, changes and replans look as people expect from git, whatever a plan says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitwfp.change.changeset import ChangeSet
from gitwfp.change.kinds import (
    Change,
    DocumentEdited,
    FileChanged,
    SessionEdited,
    TaskAdded,
    TaskDropped,
    TaskEdited,
)
from gitwfp.classes import dataclass, replace
from gitwfp.cli.console import Console
from gitwfp.cli.look import Look, Style, cells, harmless, visible
from gitwfp.cli.render import (
    Cell,
    Column,
    change_lines,
    modification_plan,
    plan_summary,
    preview,
    table,
)
from gitwfp.errors import Diagnostic, Severity, say
from gitwfp.files.codec import read_plan
from gitwfp.files.tree import MemoryFiles
from gitwfp.model.plan import Place, Plan, SessionRef
from gitwfp.model.task import Task, TaskId
from gitwfp.model.values import Value
from gitwfp.policy.bookkeeping import Entry
from gitwfp.policy.operations import (
    CreateTask,
    DeleteTask,
    EditSession,
    Execution,
    ListEdit,
    MergeTasks,
    Operation,
    Part,
    ReorderTask,
    Rewire,
    Scope,
    SplitTask,
    UpdateTask,
)
from gitwfp.policy.replan import Limits, Proposal, propose
from tests.cli.test_console import Terminal
from tests.plans import plan_folder

TASK = TaskId("IMPL-3")
RED = "\x1b[31m"


def shown(*changes: Change) -> str:
    """Returns the diff of some changes."""
    return "\n".join(change_lines(ChangeSet(changes)))


def edited(before: Value, after: Value, field: str = "requirements") -> list[str]:
    """Returns the lines below the heading of one edit."""
    heading, *lines = change_lines(ChangeSet((TaskEdited(TASK, field, before, after),)))
    assert heading == f"  ~ IMPL-3 {field}"
    return [line.removeprefix("    ") for line in lines]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (("a", "b"), ("a", "c"), ["- b", "+ c"]),
        (("a", "b"), ("b", "a"), ["  (the order changes)"]),
        (("a", "b", "c"), ("c", "d", "a"), ["- b", "+ d", "  (the order changes)"]),
        (("a", "a"), ("a",), ["- a"]),
        (None, ("a",), ["+ a"]),
        (("a",), None, ["- a"]),
        ("old", "new", ["- old", "+ new"]),
        (1, True, ["- 1", "+ true"]),
        ({"a": 1, "b": 2}, {"a": 1, "b": "x"}, ["- b: 2", "+ b: x"]),
        (({"x": "泊"},), (), ['- {"x": "泊"}']),
        ("a\nb\nc\nd", "a\nb\nc\nD", ["@@ -3,2 +3,2 @@", "  c", "- d", "+ D"]),
        ("a", "a\nb", ["@@ -1 +1,2 @@", "  a", "+ b"]),
        ("", "x", ["-", "+ x"]),
        ((f"{RED}a\nb",), (), ["- \\x1b[31ma\\nb"]),
    ],
)
def test_fields_are_compared_by_what_they_are(
    before: Value, after: Value, expected: list[str]
) -> None:
    """Lists are sets with an order, objects have keys, long texts have lines."""
    assert edited(before, after) == expected


def test_documents_are_compared_by_line() -> None:
    """A document is shown as hunks with one line of context; new and gone ones in full."""
    before = tuple(f"line {n}" for n in range(1, 9))
    after = (*before[:3], "\tnew \x9b", *before[4:])
    assert shown(DocumentEdited("TODO_LIST.md", "lines", before, after)).splitlines() == [
        "  ~ TODO_LIST.md",
        "    @@ -3,3 +3,3 @@",
        "      line 3",
        "    - line 4",
        "    +     new \\x9b",
        "      line 5",
    ]
    assert shown(DocumentEdited("n.md", "lines", None, ("a",))).splitlines() == [
        "  + n.md",
        "    @@ -0,0 +1 @@",
        "    + a",
    ]
    assert shown(DocumentEdited("n.md", "lines", ("a",), None)).startswith("  - n.md\n")


def test_tasks_and_files_come_and_go() -> None:
    """A task comes and goes with what it states, a companion file with its sizes."""
    steps: Value = ({"title": "One", "step": 1}, {"title": "Two", "step": 2})
    fields: dict[str, Value] = {
        "title": "Moor",
        "requirements": ("a", "b"),
        "implementation": steps,
    }
    task = Task(TASK, {**fields, "status": "pending", "scope": {"x": 1}})
    assert shown(TaskAdded(task)).splitlines() == [
        "  + IMPL-3 Moor",
        "    + requirements: a",
        "    + requirements: b",
        "    + implementation: One",
        "    + implementation: Two",
        '    + scope: {"x": 1}',
    ]
    assert shown(TaskDropped(task)).startswith("  - IMPL-3 Moor\n    - requirements: a\n")
    assert shown(
        FileChanged("a/b\x1b", b"12", None),
        FileChanged("c", None, b"1"),
        FileChanged("d", b"", b"1"),
    ).splitlines() == [
        "  - a/b\\x1b",
        "    2 -> 0 bytes",
        "  + c",
        "    0 -> 1 bytes",
        "  ~ d",
        "    0 -> 1 bytes",
    ]


def test_bookkeeping_is_one_line() -> None:
    """What can be derived is named in the last line and not shown."""
    assert shown(
        SessionEdited("last_replan", "x", "y"),
        SessionEdited("goal", ("a",), ("b",)),
        DocumentEdited("plan.json", "task_ids", (), ("IMPL-1",)),
        TaskEdited(TASK, "/meta/module", "x", "y"),
        TaskEdited(TASK, "status", "pending", "completed"),
    ).splitlines() == [
        "  ~ session goal",
        "    - a",
        "    + b",
        "  ~ IMPL-3 meta.module",
        "    - x",
        "    + y",
        "  ~ IMPL-3 status",
        "    - pending",
        "    + completed",
        "  . bookkeeping: session last_replan, plan.json task_ids",
    ]
    assert change_lines(ChangeSet()) == ()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(st.characters(), max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(json_values, json_values, st.sampled_from(["requirements", "/x/y", "lines", "title"]))
def test_any_value_can_be_shown(before: Value, after: Value, field: str) -> None:
    """Whatever a field held and holds, the diff is lines without anything a terminal obeys."""
    changes = (
        TaskEdited(TASK, field, before, after),
        DocumentEdited("d\x1b", field, before, after),
        TaskAdded(Task(TASK, {field: after})),
    )
    for line in change_lines(ChangeSet(changes)):
        assert visible(line) == line
    for line in change_lines(ChangeSet(changes), Look(colour=True)):
        assert harmless(line, colour=True) == line


COLUMNS = (
    Column(say("Task")),
    Column(say("Number"), right=True),
    Column(say("Title"), grows=True),
    Column(say("End")),
)


def test_tables_are_aligned() -> None:
    """Wide characters take two columns, numbers stand to the right, nothing trails."""
    rows = (
        ("IMPL-1", Cell("1", Style.ADDED), "登录模块", "x"),
        ("IMPL-10", "20", f"a\n{RED}", ""),
    )
    assert table(rows, COLUMNS) == (
        "Task     Number  Title        End",
        "IMPL-1        1  登录模块     x",
        "IMPL-10      20  a\\n\\x1b[31m",
    )
    coloured = table(rows, COLUMNS, Look(colour=True))
    assert "\x1b[32m     1\x1b[0m" in coloured[1]
    assert table((), COLUMNS) == ("Task  Number  Title  End",)


@pytest.mark.parametrize("columns", [30, 34, 40])
def test_tables_fit_a_narrow_terminal(columns: int) -> None:
    """The columns that may give way do, with a mark; the others stay whole."""
    rows = (("IMPL-1", "1", "Store 登录 berths and bookings", "end"),)
    lines = table(rows, COLUMNS, Look(columns=columns))
    assert max(map(cells, lines)) <= columns
    assert lines[1].startswith("IMPL-1       1  Store")
    assert lines[1].endswith("…  end") or lines[1].endswith("… end")
    plain = table(rows, COLUMNS, Look(columns=columns, mark="..."))
    assert plain[1].isascii() or "登" in plain[1]
    assert "..." in plain[1]


def berths(tasks: int = 5, done: int = 1) -> Plan:
    """Returns the plan of a session as it is read from its files."""
    folder = plan_folder("nested", tasks, done=done)
    files = {path: text.encode() for path, text in folder.files.items()}
    return read_plan(
        MemoryFiles(files), SessionRef(folder.id, folder.path, Place.ACTIVE, ".workflow")
    )


def test_a_plan_at_a_glance() -> None:
    """Session, counts by status and a table of tasks in the plan's order."""
    assert plan_summary(berths(), Look(columns=50)) == (
        "WFS-berths  Let guests book a berth in the harbour without a phone call",
        "5 tasks: 4 pending, 1 completed",
        "",
        "Task    Status     Title            Depends on",
        "IMPL-1  completed  Store berths a…",
        "IMPL-2  pending    Search free be…  IMPL-1",
        "IMPL-3  pending    Quote a price    IMPL-1",
        "IMPL-4  pending    Book a berth i…  IMPL-2, IMPL-3",
        "IMPL-5  pending    Confirm a book…  IMPL-4",
    )
    empty = replace(berths(), tasks={}, session={})
    assert plan_summary(empty) == ("WFS-berths", "There are no tasks.")


def proposal(*operations: Operation, tasks: int = 5) -> Proposal:
    """Returns what some operations make of the plan about berths."""
    entry = Entry("WFS-berths/x", "2026-11-30T19:07:52Z", "why", Scope.COMPREHENSIVE, "b~1")
    return propose(berths(tasks), operations, entry, Limits())


def test_a_replan_is_shown_before_it_happens() -> None:
    """Scope with boxes, numbered operations with reasons, dependents with the way, the diff."""
    made = proposal(
        UpdateTask(
            task="impl-2",
            requirements=ListEdit(add=(f"Show {RED}deep berths",)),
            reason="asked for",
            words=f"Show {RED}deep berths",
        ),
        CreateTask(title="登录", requirements=("a",), depends_on=("IMPL-2",)),
    )
    text = "\n".join(modification_plan(made))
    assert text.startswith(
        "Modification plan for WFS-berths\n"
        "\n"
        "Impact scope (comprehensive)\n"
        "  [x] IMPL_PLAN.md\n"
        "  [x] TODO_LIST.md\n"
        "  [x] workflow-session.json\n"
        "  [x] IMPL-2: requirements\n"
        "  [x] IMPL-6: new, 登录\n"
        "\n"
        "Change operations\n"
        "  1. Update IMPL-2: requirements\n"
        "     because: asked for\n"
        '     "Show \\x1b[31mdeep berths"\n'
        "  2. Create: 登录\n"
        "\n"
        "Tasks that depend on them\n"
        "  [ ] IMPL-4 -> IMPL-2: It depends on IMPL-2; nothing in it changes.\n"
    )
    assert "\n  ~ IMPL-2 requirements\n    + Show \\x1b[31mdeep berths\n" in text
    assert text.endswith("IMPL_PLAN.md changes")
    assert "\n\n\nChanges" not in text


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (
            UpdateTask(
                task="IMPL-2",
                title="New",
                execution=Execution("cli", "codex"),
                set={"priority": "high"},
            ),
            "Update IMPL-2: title, execution_config, priority",
        ),
        (
            DeleteTask(task="IMPL-05"),
            "Delete IMPL-5: Confirm a booking by mail",
        ),
        (
            MergeTasks(tasks=("IMPL-2", "impl-3"), title="Both"),
            "Merge IMPL-2, IMPL-3 into: Both",
        ),
        (MergeTasks(tasks=("IMPL-2", "IMPL-3")), "Merge IMPL-2, IMPL-3 into one task"),
        (
            SplitTask(task="IMPL-2", parts=(Part(title="A"), Part(title="B"))),
            "Split IMPL-2 into: A; B",
        ),
        (ReorderTask(task="IMPL-4", before="IMPL-2"), "Move IMPL-4 before IMPL-2"),
        (EditSession(title="Marina"), "Call the session: Marina"),
    ],
)
def test_each_operation_is_a_sentence(operation: Operation, expected: str) -> None:
    """Every kind of operation is named with the tasks as their files spell them."""
    lines = modification_plan(proposal(operation))
    assert f"  1. {expected}" in lines


def test_dependents_that_change_are_marked() -> None:
    """A dependent that the change set changes too has its box checked."""
    made = proposal(DeleteTask(task="IMPL-2", dependents=Rewire.BRIDGE))
    lines = modification_plan(made)
    assert "  [x] IMPL-2: goes, Search free berths" in lines
    assert "  [x] IMPL-4: depends_on" in lines
    at = lines.index("Tasks that depend on them")
    assert lines[at + 1 : at + 3] == (
        "  [x] IMPL-4 -> IMPL-2: Its dependencies are rewired.",
        "  [ ] IMPL-5 -> IMPL-4: It depends on IMPL-4; nothing in it changes.",
    )


@dataclass(frozen=True, slots=True)
class Proposed:
    """What stands behind a preview."""

    proposal: Proposal | None


@dataclass(frozen=True, slots=True)
class Block:
    """A preview as use cases hand it over."""

    ref: SessionRef
    changes: ChangeSet
    draft: Proposed | None
    notices: tuple[Diagnostic, ...]


def test_a_preview_is_said_once() -> None:
    """A notice that was shown with the preview is not said again with the answer."""
    from gitwfp.cli.envelope import Document

    made = proposal(CreateTask(title="New"))
    note = Diagnostic("odd", say("This is odd."), Severity.NOTE)
    block = Block(made.before.ref, made.changes, Proposed(made), (note,))
    out, err = Terminal(), Terminal()
    console = Console(Terminal(), out, err, {"NO_COLOR": "1"})
    console.show(block)
    console.answer(Document("said", None, diagnostics=(note,)), lambda _: ["done"])
    assert out.getvalue().count("note: This is odd.") == 1
    assert out.getvalue().endswith("\ndone\n")
    assert err.getvalue() == ""


def test_a_change_without_replan_is_its_diff() -> None:
    """A rollback or an adoption is shown by what it changes."""
    ref = berths().ref
    note = Diagnostic("odd", say("This is odd."), Severity.NOTE)
    changes = ChangeSet((TaskEdited(TASK, "title", "a", "b"),))
    for draft in (None, Proposed(None)):
        assert preview(Block(ref, changes, draft, (note,))) == (
            "Changes to WFS-berths",
            "  ~ IMPL-3 title",
            "    - a",
            "    + b",
            "note: This is odd.",
        )
