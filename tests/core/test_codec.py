"""Plans read from files and written back: tolerant reading, exact writing."""

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitwfp.change.changeset import between
from gitwfp.change.merge import Rules, merge
from gitwfp.errors import Severity
from gitwfp.files.bookkeeping import is_bookkeeping_line, set_counts
from gitwfp.files.codec import read_plan
from gitwfp.files.tree import Entry, EntryKind, MemoryFiles, OverlayFiles
from gitwfp.files.writing import plan_edits
from gitwfp.model import fields as f
from gitwfp.model.plan import (
    IMPL_PLAN,
    PLAN_JSON,
    SESSION_JSON,
    TODO_LIST,
    Document,
    Place,
    Plan,
    SessionRef,
)
from gitwfp.model.task import Status, Task, TaskId
from gitwfp.model.values import Value, freeze
from tests.plans import Shape, plan_folder
from tests.strategies import (
    FEWER,
    LAYOUTS,
    SHAPES,
    Layout,
    Written,
    plan_pairs,
    ref_of,
    written_plans,
)

FOLDER = ".workflow/active/WFS-t"
REF = SessionRef("WFS-t", FOLDER, Place.ACTIVE, ".workflow")
ROLLBACK = Rules(is_bookkeeping_line, set_counts, theirs_first=True)


def read(files: Mapping[str, bytes], ref: SessionRef = REF) -> Plan:
    """Reads a plan from files in memory."""
    return read_plan(MemoryFiles(files), ref, companions=True)


def after_edits(files: Mapping[str, bytes], edits: Mapping[str, bytes | None]) -> dict[str, bytes]:
    """Returns the files after some edits."""
    whole = {**files, **edits}
    return {path: data for path, data in sorted(whole.items()) if data is not None}


def task_file(raw: object, name: str = "IMPL-1") -> dict[str, bytes]:
    """Returns a session of one task."""
    data = json.dumps(raw, indent=2, ensure_ascii=False).encode()
    return {f"{FOLDER}/.task/{name}.json": data}


def changed_lines(before: bytes, after: bytes) -> tuple[list[str], list[str]]:
    """Returns the lines that went and the lines that came, but for those that got a comma."""
    old = before.decode().splitlines(keepends=True)
    new = after.decode().splitlines(keepends=True)
    steps = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    gone = [line for tag, i, j, _, _ in steps if tag != "equal" for line in old[i:j]]
    come = [line for tag, _, _, i, j in steps if tag != "equal" for line in new[i:j]]
    bare = {line.replace(",", "") for line in gone} & {line.replace(",", "") for line in come}
    return (
        [line for line in gone if line.replace(",", "") not in bare],
        [line for line in come if line.replace(",", "") not in bare],
    )


# ------------------------------------------------------------------------------ properties


@given(written_plans())
def test_an_unchanged_plan_gives_no_edits(written: Written) -> None:
    """Writing a plan that says what its files say changes no byte, however they are laid out."""
    plan = written.plan
    assert plan_edits(plan, plan) == {}
    assert plan_edits(plan, written.plan) == {}


@FEWER
@given(plan_pairs())
def test_files_after_the_edits_state_the_plan(pair: tuple[Written, Plan]) -> None:
    """The files changed by the edits read as the plan that was wanted."""
    written, after = pair
    before = written.plan
    tree = OverlayFiles(MemoryFiles(written.files), plan_edits(before, after))
    again = read_plan(tree, written.ref, companions=True)
    assert between(after, again).changes == ()


@FEWER
@given(plan_pairs())
def test_undoing_gives_back_the_bytes(pair: tuple[Written, Plan]) -> None:
    """What was changed and is taken back at once leaves the bytes that were there before."""
    written, after = pair
    before = written.plan
    files = after_edits(written.files, plan_edits(before, after))
    now = read(files, written.ref)
    merged = merge(now, now, before, ROLLBACK)
    assert merged.conflicts == ()
    assert after_edits(files, plan_edits(now, merged.plan, like=before)) == dict(written.files)


@FEWER
@given(plan_pairs())
def test_files_that_say_the_same_stay(pair: tuple[Written, Plan]) -> None:
    """Only files of tasks and documents that differ are written."""
    written, after = pair
    before = written.plan
    edits = plan_edits(before, after)
    changes = between(before, after)
    touched = {*changes.touched}
    for path in edits:
        if "/.task/" in path:
            held = [t.id for t in before.tasks.values() if t.origin and t.origin.path == path]
            assert set(held) & touched or path not in written.files


# ------------------------------------------------------------------- one field at a time


def written(shape: Shape, layout: Layout) -> tuple[dict[str, bytes], Plan]:
    """Returns the files of a plan of four tasks in a layout, and the plan."""
    folder = plan_folder(shape, 4, ids="IMPL-{}", done=1)
    files = layout.tree(folder)
    return files, read(files, ref_of(folder))


TWO = TaskId("IMPL-2")

FIELDS: tuple[tuple[str, Value, tuple[str, ...]], ...] = (
    (f.TITLE, "Another title", ("title",)),
    (f.STATUS, "completed", ("status",)),
    (f.STATUS, "blocked", ("status",)),
    (f.REQUIREMENTS, ("Find the free berths", "Offer the tightest first"), ("Find", "description")),
    (f.REQUIREMENTS, (), ("Find", "Offer", "description", "requirements", "]")),
    (f.ACCEPTANCE, ("An empty harbour offers every berth", "More"), ("A boat", "An empty", "More")),
    (f.FOCUS_PATHS, ("src/search/free.py", "src/new"), ("src/", "focus_paths", "]")),
    (f.DEPENDS_ON, ("IMPL-1", "IMPL-3"), ("IMPL-", "depends_on", "]")),
    (f.DEPENDS_ON, (), ("IMPL-", "depends_on", "]")),
    (f.EXECUTION, freeze({"method": "cli", "cli_tool": "codex", "enable_resume": True}), ()),
    (f.PRIORITY, "high", ("priority",)),
    (f.INHERITED, ("IMPL-1: more",), ()),
    ("/meta/wave", 3, ("meta", "wave", "}")),
    ("/unknown key", ("a", freeze({"b": 1})), ()),
)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("name", "value", "words"), FIELDS, ids=[str(x[0]) for x in FIELDS])
def test_one_field_of_a_task(
    shape: Shape, layout: Layout, name: str, value: Value, words: tuple[str, ...]
) -> None:
    """A changed field changes its own lines in its task's file and reads as it was meant."""
    files, plan = written(shape, layout)
    after = plan.with_task(plan.tasks[TWO].with_field(name, value))
    edits = plan_edits(plan, after)
    [(path, data)] = edits.items()
    assert data is not None
    again = read(after_edits(files, edits), plan.ref)
    assert between(after, again).changes == ()
    assert data.endswith(b"\n") == layout.is_ended
    assert data.startswith("\ufeff".encode()) == layout.has_mark
    assert (b"\r\n" in data) == (layout.newline == "\r\n")
    assert data.count(b"\n") == data.count(layout.newline.encode())
    gone, come = changed_lines(files[path], data)
    if words and not layout.is_ascii:
        assert [line for line in gone if not any(word in line for word in words)] == []
    assert all(line.startswith(layout.indent or "") or line[0] in "{}[]" for line in come)
    assert len(gone) <= 4
    back = plan_edits(again, merge(again, again, plan, ROLLBACK).plan, like=plan)
    assert back == {path: files[path]}


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_one_field_of_the_session(layout: Layout) -> None:
    """A changed session field changes its own line and no other."""
    files, plan = written("nested", layout)
    path = f"{plan.ref.folder}/{SESSION_JSON}"
    for name, value in (
        (f.TITLE, "Another goal"),
        (f.STATUS, "paused"),
        ("/type", "tdd"),
        ("/created_at", "2026-02-02"),
    ):
        after = _with_session(plan, name, value)
        edits = plan_edits(plan, after)
        assert edits.keys() == {path}
        data = edits[path]
        assert data is not None
        gone, come = changed_lines(files[path], data)
        assert (len(gone), len(come)) == (1, 1)
        assert between(after, read(after_edits(files, edits), plan.ref)).changes == ()


def _with_session(plan: Plan, name: str, value: Value) -> Plan:
    return replace(plan, session={**plan.session, name: value})


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_fields_of_the_overview(layout: Layout) -> None:
    """Ids and count of plan.json change in their lines; what we do not know is editable too."""
    files, plan = written("flat", layout)
    document = plan.documents[PLAN_JSON]
    for name, value, most in (
        (f.TASK_IDS, ("IMPL-1", "IMPL-2", "IMPL-4"), 1),
        (f.TASK_COUNT, 5, 1),
        ("/_metadata/schema_version", "3.0", 1),
        ("/shared_context/tech_stack", ("Python",), 2),
    ):
        parts = {**document.parts, name: value}
        after = plan.with_document(Document(PLAN_JSON, parts))
        [(path, data)] = plan_edits(plan, after).items()
        assert data is not None
        gone, _ = changed_lines(files[path], data)
        assert len(gone) <= most
        assert between(after, read(after_edits(files, {path: data}), plan.ref)).changes == ()


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("name", [TODO_LIST, IMPL_PLAN])
def test_lines_of_documents(layout: Layout, name: str) -> None:
    """A line changed, put in or taken out is the only one that differs, ending included."""
    files, plan = written("nested", layout)
    held = plan.documents[name].lines
    path = f"{plan.ref.folder}/{name}"
    for at in (0, 2, len(held) - 1):
        for lines, most in (
            ((*held[:at], "Changed 线", *held[at + 1 :]), (1, 1)),
            ((*held[:at], "New", *held[at:]), (0, 1)),
            ((*held[:at], *held[at + 1 :]), (1, 0)),
            ((*held, "", "Last"), (1, 3)),
            ((*held, ""), (1, 2)),
        ):
            after = plan.with_document(Document(name, {f.LINES: lines}))
            edits = plan_edits(plan, after)
            data = edits[path]
            assert data is not None
            gone, come = changed_lines(files[path], data)
            ends = 0 if layout.is_ended else 1  # the line that was or becomes the last one
            assert len(gone) <= most[0] + ends
            assert len(come) <= most[1] + ends
            assert data.count(b"\n") == data.count(layout.newline.encode())
            again = read(after_edits(files, edits), plan.ref)
            assert between(after, again).changes == ()
            merged = merge(again, again, plan, ROLLBACK).plan
            assert plan_edits(again, merged, like=plan) == {path: files[path]}


# ------------------------------------------------------------------------------ dialects


@pytest.mark.parametrize(
    ("word", "status"),
    [
        (None, Status.PENDING),
        ("", Status.PENDING),
        ("todo", Status.PENDING),
        ("not_started", Status.PENDING),
        ("active", Status.IN_PROGRESS),
        ("In Progress", Status.IN_PROGRESS),
        ("in_progress", Status.IN_PROGRESS),
        ("DONE", Status.COMPLETED),
        ("complete", Status.COMPLETED),
        ("✅", Status.COMPLETED),
        ("failed", Status.FAILED),
        ("blocked", Status.BLOCKED),
        ("skipped", Status.SKIPPED),
        ("canceled", Status.CANCELLED),
        ("cancelled", Status.CANCELLED),
        ("container", Status.CONTAINER),
        ("discarded", Status.DISCARDED),
        ({"state": "completed"}, Status.COMPLETED),
        ({"value": "in_progress"}, Status.IN_PROGRESS),
        ({}, Status.PENDING),
        ("someday", Status.PENDING),
        (7, Status.PENDING),
    ],
)
def test_status_words(word: object, status: Status) -> None:
    """Each word for a status that any era wrote is understood; an unknown one is reported."""
    plan = read(task_file({"id": "IMPL-1", "title": "t", "status": word}))
    task = plan.tasks[TaskId("IMPL-1")]
    assert task.status is status
    unknown = [p.code for p in plan.problems if p.code == "unknown-status"]
    assert unknown == (["unknown-status"] if word in ("someday", 7) else [])
    assert plan_edits(plan, plan) == {}


@pytest.mark.parametrize(
    "old", [{"state": "pending", "by": "x"}, {"value": "done"}, "todo", "Done"]
)
@pytest.mark.parametrize("new", [None, "completed", "blocked"])
def test_statuses_keep_their_form(old: object, new: str | None) -> None:
    """A status that is an object stays one, with its other keys; the new word is what is read."""
    files = task_file({"id": "IMPL-1", "title": "t", "status": old})
    plan = read(files)
    after = plan.with_task(plan.tasks[TaskId("IMPL-1")].with_field(f.STATUS, new))
    [raw] = written_json(files, plan, after)
    held = raw["status"]
    if isinstance(old, dict):
        assert isinstance(held, dict)
        assert held.keys() == old.keys()
    else:
        assert held in (new or "pending", old)


@pytest.mark.parametrize("plain", [None, "pending", "completed", "failed"])
@pytest.mark.parametrize("unified", ["completed", "failed", "pending"])
@pytest.mark.parametrize("new", [None, "completed", "in_progress"])
def test_a_status_kept_twice(plain: str | None, unified: str, new: str | None) -> None:
    """Beside a missing or pending status that of the executor counts; a new one is read back."""
    raw: dict[str, object] = {"id": "IMPL-1", "title": "t", "_execution": {"status": unified}}
    if plain is not None:
        raw["status"] = plain
    files = task_file(raw)
    plan = read(files)
    task = plan.tasks[TaskId("IMPL-1")]
    assert task.status == (unified if plain in (None, "pending") else plain)
    written_json(files, plan, plan.with_task(task.with_field(f.STATUS, new)))


def written_json(files: Mapping[str, bytes], plan: Plan, after: Plan) -> list[dict[str, object]]:
    """Writes a plan, checks that it reads as it was meant, and returns the JSON of its files."""
    edits = plan_edits(plan, after)
    now = after_edits(files, edits)
    assert between(after, read(now, plan.ref)).changes == ()
    return [json.loads(data) for path, data in now.items() if path.endswith(".json")]


@pytest.mark.parametrize(
    ("raw", "stem", "wanted"),
    [
        ({"id": "IMPL-7"}, "IMPL-1", "IMPL-7"),
        ({"task_id": "IMPL-7"}, "IMPL-1", "IMPL-7"),
        ({"id": "", "task_id": "IMPL-7"}, "IMPL-1", "IMPL-7"),
        ({"id": 7}, "IMPL-1", "7"),
        ({"id": True}, "IMPL-1", "IMPL-1"),
        ({"id": None}, "IMPL-001.3-validation", "IMPL-001.3-validation"),
        ({"id": " IMPL-7 "}, "IMPL-1", "IMPL-7"),
        ({}, "IMPL-1", "IMPL-1"),
        ({"id": "IMPL-²"}, "IMPL-1", "IMPL-²"),
        ({"id": "IMPL-" + "9" * 5000}, "IMPL-1", "IMPL-" + "9" * 5000),
    ],
)
def test_ids(raw: dict[str, object], stem: str, wanted: str) -> None:
    """A task is known by its id, else its task_id, else its file; odd ids are kept as they are."""
    plan = read(task_file({**raw, "title": "t"}, stem))
    assert list(plan.tasks) == [wanted]


DEPENDENCY_PLACES: tuple[tuple[str, ...], ...] = (
    ("depends_on",),
    ("context", "depends_on"),
    ("dependencies",),
    ("dependencies", "depends_on"),
    ("dependencies", "upstream"),
    ("context", "dependencies"),
    ("blocked_by",),
)


def placed(path: tuple[str, ...], value: object) -> dict[str, object]:
    """Returns an object with a value at a path."""
    for key in reversed(path):
        value = {key: value}
    assert isinstance(value, dict)
    return value


@pytest.mark.parametrize("path", DEPENDENCY_PLACES, ids=".".join)
@pytest.mark.parametrize("held", [["IMPL-1"], [], "IMPL-1", [" IMPL-1 "], [{"task_id": "IMPL-1"}]])
@pytest.mark.parametrize("wanted", [(), ("IMPL-1",), ("IMPL-1", "IMPL-3"), ("IMPL-3", "IMPL-1")])
def test_dependencies_in_every_place(
    path: tuple[str, ...], held: object, wanted: tuple[str, ...]
) -> None:
    """Dependencies are read from, and written to, whichever place and form a file uses."""
    files = task_file({"id": "IMPL-2", "title": "t", **placed(path, held)})
    plan = read(files)
    task = plan.tasks[TaskId("IMPL-2")]
    assert task.depends_on == (("IMPL-1",) if held else ())
    [raw] = written_json(files, plan, plan.with_task(task.with_field(f.DEPENDS_ON, wanted)))
    inner: object = raw
    for key in path:
        assert isinstance(inner, dict)
        inner = inner[key]
    assert len(inner if isinstance(inner, list) else [inner]) == len(wanted)
    assert set(raw) == {"id", "title", path[0]}


@given(
    st.lists(st.sampled_from(["A-1", "A-2", "A-3"]), unique=True),
    st.lists(st.sampled_from(["A-1", "A-2", "A-3"]), unique=True),
    st.lists(st.sampled_from(["A-1", "A-2", "A-3", "A-4"]), unique=True).map(tuple),
)
def test_dependencies_in_two_places(one: list[str], other: list[str], wanted: Value) -> None:
    """Dependencies kept in two places are their union, and any order of them can be written."""
    files = task_file(
        {"id": "IMPL-2", "title": "t", "depends_on": one, "context": {"depends_on": other}}
    )
    plan = read(files)
    task = plan.tasks[TaskId("IMPL-2")]
    assert set(task.depends_on) == {*one, *other}
    written_json(files, plan, plan.with_task(task.with_field(f.DEPENDS_ON, wanted)))


MISFITS: tuple[dict[str, object], ...] = (
    {"convergence": "until it works"},
    {"context": "some text"},
    {"context": ["a", "b"]},
    {"flow_control": {"implementation_approach": {"task_description": "x"}}},
    {"implementation": {"steps": ["x"]}, "acceptance": {"a": 1}, "description": ["a", "b"]},
    {"meta": "none", "inherited": "IMPL-0", "requirements": {"a": "b"}},
    {"depends_on": {"hard": ["IMPL-1"]}, "dependencies": {"downstream": ["IMPL-3"]}},
    {"title": {"en": "t"}, "status": ["pending"], "focus_paths": 7, "priority": 1},
    {"focus_paths": "src/a;src/b", "acceptance": "It works", "depends_on": "IMPL-9"},
    {"context": {"acceptance": {"must": ["a"]}, "requirements": "Do it"}},
    {"description": None, "convergence": None, "context": None, "meta": {}},
    {"execution_config": "codex", "meta": {"execution_config": None}},
    {"meta": {"execution_config": "codex"}},
)


@pytest.mark.parametrize("raw", MISFITS, ids=str)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        (f.TITLE, "New"),
        (f.STATUS, "completed"),
        (f.REQUIREMENTS, ("Do A", "Do B")),
        (f.ACCEPTANCE, ("It works",)),
        (f.FOCUS_PATHS, ("src/a",)),
        (f.DEPENDS_ON, ("IMPL-5",)),
        (f.IMPLEMENTATION, ("Step",)),
        (f.INHERITED, ("IMPL-5: note",)),
        (f.EXECUTION, freeze({"method": "agent"})),
    ],
    ids=lambda x: str(x)[:20],
)
def test_values_of_unexpected_types_survive(
    raw: dict[str, object], name: str, value: Value
) -> None:
    """A field is never written over something of another kind that stands in its place."""
    files = task_file({"id": "IMPL-2", **raw})
    plan = read(files)
    task = plan.tasks[TaskId("IMPL-2")]
    if name in task.fields and not isinstance(task.fields[name], type(value)):
        value = None
    written_json(files, plan, plan.with_task(task.with_field(name, value)))


def test_mixed_sessions_keep_each_file_as_it_is() -> None:
    """In a session of both shapes, a flat task gains no context and a nested one no description."""
    nested = {"id": "IMPL-1", "title": "a", "context": {"requirements": ["Do A"]}}
    flat = {"id": "IMPL-2", "title": "b", "description": "Do A.", "depends_on": []}
    files = task_file(nested, "IMPL-1") | task_file(flat, "IMPL-2")
    plan = read(files)
    after = plan
    for task in plan.tasks.values():
        for name in (f.REQUIREMENTS, f.ACCEPTANCE, f.FOCUS_PATHS, f.DEPENDS_ON, f.INHERITED):
            changed = after.tasks[task.id].with_field(name, ("Do A", "Do B"))
            after = after.with_task(changed)
    one, two = written_json(files, plan, after)
    assert set(one) == {"id", "title", "context"}
    assert "context" not in two
    assert two["description"] == "Do A. Do B."


# ----------------------------------------------------------------------------- bad input


def test_one_id_in_two_files() -> None:
    """Two files with one id are reported with both paths; the second is not lost or written."""
    files = task_file({"id": "IMPL-1", "title": "a"}, "IMPL-1")
    files |= task_file({"id": "IMPL-1", "title": "b"}, "IMPL-1-copy")
    plan = read(files)
    [problem] = plan.problems
    assert (problem.code, problem.severity) == ("duplicate-task-id", Severity.ERROR)
    assert "IMPL-1.json" in str(problem.message)
    assert "IMPL-1-copy.json" in str(problem.message)
    dropped = plan_edits(plan, plan.without_task(TaskId("IMPL-1")))
    assert len(dropped) == 1
    assert set(files) - set(dropped)


def test_one_id_twice_in_a_lite_plan() -> None:
    """Of two embedded tasks with one id, both survive an edit of the first."""
    folder = plan_folder("lite", 2)
    path = f"{folder.path}/plan.json"
    whole = json.loads(folder.files[path])
    whole["tasks"][1]["id"] = "T1"
    files = {path: json.dumps(whole, indent=2).encode()}
    plan = read(files, ref_of(folder))
    assert [p.code for p in plan.problems] == ["duplicate-task-id"]
    after = plan.with_task(plan.tasks[TaskId("T1")].with_field(f.TITLE, "New"))
    [raw] = written_json(files, plan, after)
    tasks = raw["tasks"]
    assert isinstance(tasks, list)
    assert [task["title"] for task in tasks] == ["New", whole["tasks"][1]["title"]]


def test_files_that_are_not_tasks() -> None:
    """Leftovers of crashed writers and old backups below `.task` are not tasks."""
    files = task_file({"id": "IMPL-1", "title": "a"}) | {
        f"{FOLDER}/.task/tmp.json": b"",
        f"{FOLDER}/.task/temp.json": b"{",
        f"{FOLDER}/.task/backup/IMPL-2.json": b'{"id": "IMPL-2"}',
        f"{FOLDER}/.task/versions/1/IMPL-3.json": b'{"id": "IMPL-3"}',
        f"{FOLDER}/.task/notes.md": b"x",
    }
    plan = read(files)
    assert list(plan.tasks) == ["IMPL-1"]
    assert plan.problems == ()


BROKEN = {
    "empty": b"",
    "cut off": b'{"id": "IMPL-2", "ti',
    "a list": b"[1, 2]",
    "a text": b'"x"',
    "markers": b'{\n<<<<<<< HEAD\n"id": "IMPL-2"\n=======\n>>>>>>> x\n}',
    "not utf-8": b'{"id": "\xff"}',
    "utf-16": '{"id": "IMPL-2"}'.encode("utf-16"),
    "nul": b"\x00\x00",
    "twice": b'{"id": "IMPL-2", "id": "IMPL-3"}',
    "nan": b'{"id": "IMPL-2", "x": NaN}',
    "deep": b"[" * 100_000,
    "two values": b"{} {}",
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize(
    "name", [".task/IMPL-2.json", SESSION_JSON, PLAN_JSON, ".process/waivers.json"]
)
def test_a_broken_file_stands_in_nobodys_way(data: bytes, name: str) -> None:
    """What cannot be read is one problem with its path; the rest is read, and it stays as it is."""
    good = task_file({"id": "IMPL-1", "title": "a"})
    path = f"{FOLDER}/{name}"
    plan = read({**good, path: data})
    assert list(plan.tasks) == ["IMPL-1"]
    [problem] = plan.problems
    assert problem.severity is Severity.ERROR
    assert problem.location.path == path
    assert plan.source.unreadable == {path}
    after = plan.with_task(plan.tasks[TaskId("IMPL-1")].with_field(f.TITLE, "b"))
    assert plan_edits(plan, after).keys() == set(good)


@pytest.mark.parametrize("name", [TODO_LIST, IMPL_PLAN])
def test_a_document_that_is_no_text(name: str) -> None:
    """A Markdown file that is not UTF-8 is reported and left alone."""
    plan = read({**task_file({"id": "IMPL-1"}), f"{FOLDER}/{name}": b"# \xff\xfe"})
    assert [p.code for p in plan.problems] == ["not-utf-8"]
    assert name not in plan.documents


class OddFiles:
    """A tree in which some paths are links, submodules or devices."""

    def __init__(self, files: Mapping[str, bytes], odd: Mapping[str, EntryKind]) -> None:
        self._files = MemoryFiles(files)
        self._odd = odd

    def entries(self, prefix: str) -> Iterator[Entry]:
        """Yields files and odd entries, sorted by path."""
        found = [*self._files.entries(prefix), *(Entry(p, k) for p, k in self._odd.items())]
        yield from sorted(found, key=lambda entry: entry.path)

    def read(self, path: str) -> bytes:
        """Returns the bytes of a file; nobody may ask for anything else."""
        assert path not in self._odd
        return self._files.read(path)


@pytest.mark.parametrize("kind", [EntryKind.LINK, EntryKind.SUBMODULE, EntryKind.OTHER])
@pytest.mark.parametrize("name", [".task/IMPL-2.json", SESSION_JSON, TODO_LIST])
def test_entries_that_are_no_files(kind: EntryKind, name: str) -> None:
    """A link, submodule or device in the place of a plan file is reported and never followed."""
    good = task_file({"id": "IMPL-1", "title": "a"})
    path = f"{FOLDER}/{name}"
    plan = read_plan(OddFiles(good, {path: kind}), REF)
    assert [(p.code, p.location.path) for p in plan.problems] == [("not-a-file", path)]
    assert list(plan.tasks) == ["IMPL-1"]


def test_a_new_file_never_takes_the_place_of_another() -> None:
    """A new task goes beside a file that has its name but holds another task, or cannot be read."""
    files = task_file({"id": "IMPL-1", "title": "a"}, "IMPL-2")
    files |= {f"{FOLDER}/.task/IMPL-3.json": b"{broken"}
    plan = read(files)
    after = plan
    for task_id in (TaskId("IMPL-2"), TaskId("IMPL-3")):
        after = after.with_task(Task(task_id, {f.TITLE: "new"}))
    edits = plan_edits(plan, after)
    assert not edits.keys() & files.keys()
    assert set(read(after_edits(files, edits)).tasks) == {"IMPL-1", "IMPL-2", "IMPL-3"}


def test_embedded_tasks_by_position() -> None:
    """A task that comes back in the middle of a list moves no other task's text."""
    folder = plan_folder("lite", 4)
    files = {path: text.encode() for path, text in folder.files.items()}
    whole = read(files, ref_of(folder))
    without = whole.without_task(TaskId("T2"))
    [less] = [after_edits(files, plan_edits(whole, without))]
    now = read(less, ref_of(folder))
    edited = now.with_task(now.tasks[TaskId("T3")].with_field(f.TITLE, "Edited"))
    files_now = after_edits(less, plan_edits(now, edited))
    current = read(files_now, ref_of(folder))
    merged = merge(now, current, whole, ROLLBACK)
    assert merged.conflicts == ()
    written_json(files_now, current, merged.plan)
    final = after_edits(files_now, plan_edits(current, merged.plan, like=whole))
    again = read(final, ref_of(folder))
    assert between(merged.plan, again).changes == ()
    tasks = json.loads(final[f"{folder.path}/plan.json"])["tasks"]
    assert [task["id"] for task in tasks] == ["T1", "T2", "T3", "T4"]
    assert tasks[2]["title"] == "Edited"
