"""Random plans, pairs of plans and operations, for the tests of the core.

A plan is drawn as files and then read, never built by hand: so it can only say what files can
say. What a plan is changed to is drawn in memory, within what its fields can hold.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from hypothesis import settings
from hypothesis import strategies as st

from gitwfp.files.codec import read_plan
from gitwfp.files.tree import MemoryFiles
from gitwfp.model import fields as f
from gitwfp.model.plan import Document, Place, Plan, SessionRef
from gitwfp.model.prose import one_sentence
from gitwfp.model.task import Status, Task, TaskId
from gitwfp.model.values import Value, freeze
from gitwfp.policy import operations as o
from tests.plans import PlanFolder, Shape

FEWER = settings(max_examples=50)
"""For properties of whole plans, which take a while to draw."""

WORDS = (
    "berth",
    "Log in",
    "limit 5/min",
    "支持双因素登录",
    "限流",
    "e.g. v1.2",
    "src/auth.ts",
    "naïve — “x”",
    "🚢",
    'say "no"',
    "back\\slash",
    "a\tb",
    "IMPL-1.2",
    "~a/b~1",
    "<b>&amp;",
    "(see x)",
    "`code. here`",
)

titles = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
raw_texts = st.one_of(titles, st.text(min_size=1, max_size=12).filter(lambda text: text.strip()))
texts = raw_texts.map(one_sentence).filter(bool)
"""Texts of which each is one sentence, so that every shape can hold them."""

list_texts = st.lists(texts, max_size=4, unique=True)
scalars: st.SearchStrategy[object] = st.one_of(
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([1.0, 0.5, 10**40]),
    raw_texts,
)
leaves = st.one_of(scalars, st.lists(scalars, min_size=1, max_size=3))
values: st.SearchStrategy[object] = st.recursive(
    st.one_of(scalars, st.none(), st.just("")),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("xyz"), inner, max_size=3)
    ),
    max_leaves=5,
)
extra_keys = st.sampled_from(["x", "notes", "module", "a/b", "~t", "键", "evidence", "risk level"])
extras = st.dictionaries(extra_keys, values, max_size=3)

task_ids = st.sampled_from(
    ["IMPL-1", "IMPL-2", "IMPL-3", "IMPL-010", "IMPL-2.1", "IMPL-A1", "IMPL-fix-1", "TASK-001"]
)
status_words: st.SearchStrategy[object] = st.sampled_from(
    [
        "pending",
        "completed",
        "Done",
        "in_progress",
        "active",
        "blocked",
        "✅",
        "someday",
        {"state": "completed"},
        {"value": "in_progress", "since": 3},
    ]
)
statuses = st.sampled_from([None, *(s.value for s in Status if s is not Status.PENDING)])


@dataclass(frozen=True, slots=True)
class Layout:
    """How the files of a plan are laid out.

    Attributes:
        indent: What JSON files are indented by; None for one line.
        newline: The line ending.
        is_ended: Whether files end with a line ending.
        has_mark: Whether files begin with a byte order mark.
        is_ascii: Whether JSON files escape what is not ASCII.
    """

    indent: str | None = "  "
    newline: str = "\n"
    is_ended: bool = True
    has_mark: bool = False
    is_ascii: bool = False

    def json(self, value: object) -> bytes:
        """Returns a JSON file."""
        separators = (", ", ": ") if self.indent is None else None
        text = json.dumps(
            value, indent=self.indent, ensure_ascii=self.is_ascii, separators=separators
        )
        return self.text(text)

    def text(self, text: str) -> bytes:
        """Returns a text file."""
        whole = text.rstrip("\n").replace("\n", self.newline) + self.newline * self.is_ended
        return ("\ufeff" * self.has_mark + whole).encode()

    def tree(self, folder: PlanFolder) -> dict[str, bytes]:
        """Returns the files of a written plan in this layout."""
        return {
            path: self.json(json.loads(text)) if path.endswith(".json") else self.text(text)
            for path, text in folder.files.items()
        }


SHAPES: tuple[Shape, ...] = ("nested", "flat", "lite")

layouts = st.builds(
    Layout,
    indent=st.sampled_from(["  ", "    ", "\t", " ", None]),
    newline=st.sampled_from(["\n", "\r\n"]),
    is_ended=st.booleans(),
    has_mark=st.sampled_from([False, False, True]),
    is_ascii=st.booleans(),
)
LAYOUTS = (
    Layout(),
    Layout(indent="    ", newline="\r\n"),
    Layout(indent="\t", is_ended=False),
    Layout(indent="   ", newline="\r\n", is_ended=False, has_mark=True),
    Layout(is_ascii=True),
)


def ref_of(folder: PlanFolder) -> SessionRef:
    """Returns the address of a written plan."""
    place = Place.LITE if folder.shape == "lite" else Place.ACTIVE
    return SessionRef(folder.id, folder.path, place, ".workflow")


def bytes_of(folder: PlanFolder) -> dict[str, bytes]:
    """Returns the files of a written plan as they are."""
    return {path: text.encode() for path, text in folder.files.items()}


def plan_of(folder: PlanFolder) -> Plan:
    """Reads a written plan."""
    return read_plan(MemoryFiles(bytes_of(folder)), ref_of(folder))


def _with_extras(draw: st.DrawFn, raw: dict[str, object]) -> dict[str, object]:
    """Mixes keys that nobody knows into an object, at random places."""
    items = [*raw.items(), *((k, v) for k, v in draw(extras).items() if k not in raw)]
    return dict(draw(st.permutations(items)))


@st.composite
def nested_tasks(draw: st.DrawFn, task_id: str) -> dict[str, object]:
    """Draws a task of the first eras."""
    context: dict[str, object] = {
        "requirements": draw(list_texts),
        "focus_paths": draw(list_texts),
        "acceptance": draw(list_texts),
        "depends_on": draw(st.lists(task_ids, max_size=2, unique=True)),
    }
    meta: dict[str, object] = {"type": "feature", "agent": "@code-developer"}
    if draw(st.booleans()):
        meta["execution_config"] = {"method": "agent", "cli_tool": None, "enable_resume": False}
    return _with_extras(
        draw,
        {
            "id": task_id,
            "title": draw(titles),
            "status": draw(status_words),
            "meta": _with_extras(draw, meta),
            "context": _with_extras(draw, context),
            "flow_control": {
                "pre_analysis": [{"step": "look", "action": draw(texts)}],
                "implementation_approach": [{"step": 1, "title": draw(texts), "depends_on": []}],
                "target_files": draw(list_texts),
            },
        },
    )


@st.composite
def flat_tasks(draw: st.DrawFn, task_id: str) -> dict[str, object]:
    """Draws a task of the newest era."""
    stop = draw(st.sampled_from([".", "。", ""]))
    return _with_extras(
        draw,
        {
            "id": task_id,
            "title": draw(titles),
            "description": (stop + " ").join(draw(list_texts)) + stop,
            "status": draw(status_words),
            "type": "feature",
            "focus_paths": draw(list_texts),
            "depends_on": draw(st.lists(task_ids, max_size=2, unique=True)),
            "convergence": {"criteria": draw(list_texts), "verification": "make test"},
            "files": [{"path": path} for path in draw(list_texts)],
            "implementation": draw(list_texts),
        },
    )


@st.composite
def lite_tasks(draw: st.DrawFn, task_id: str) -> dict[str, object]:
    """Draws a task that lies in plan.json."""
    return _with_extras(
        draw,
        {
            "id": task_id,
            "title": draw(titles),
            "description": ". ".join(draw(list_texts)),
            "implementation": draw(list_texts),
            "acceptance": draw(list_texts),
            "depends_on": draw(st.lists(task_ids, max_size=2, unique=True)),
        },
    )


@st.composite
def todo_lists(draw: st.DrawFn, ids: list[str]) -> str:
    """Draws a TODO list that mentions some of the tasks."""
    lines = ["# Tasks", ""]
    for task_id in ids:
        box = draw(st.sampled_from("x ~"))
        form = draw(st.sampled_from(["- [{}] **{}**: {}", "- [{}] {}: {}", "* [{}] `{}` {}"]))
        lines.append(form.format(box, task_id, draw(titles)))
        lines.extend(draw(st.sampled_from([[], [], ["  - a note"], [""], ["## Phase"]])))
    return "\n".join(lines)


@st.composite
def impl_plans(draw: st.DrawFn, ids: list[str]) -> str:
    """Draws a plan document that mentions some of the tasks."""
    lines = ["# Plan", "", "Last modified: 2026-01-05", ""]
    lines += ["## Task Breakdown", f"**{len(ids)} tasks**", ""]
    lines += [f"- **{task_id}**: {draw(titles)}" for task_id in ids]
    if draw(st.booleans()):
        for task_id in ids:
            lines += ["", f"### {task_id}: {draw(titles)}", draw(st.sampled_from(["Text.", "- x"]))]
    if draw(st.booleans()):
        lines += ["", "## Changes", "", "- 2026-01-06: why (WFS-t/2026-01-06T10-00-00)"]
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Written:
    """A plan on a disk in memory: its address and its files."""

    ref: SessionRef
    files: Mapping[str, bytes]

    @property
    def plan(self) -> Plan:
        """The plan as it is read."""
        return read_plan(MemoryFiles(self.files), self.ref, companions=True)


@st.composite
def written_plans(draw: st.DrawFn, shape: Shape | None = None) -> Written:
    """Draws a plan as files, in any shape and layout."""
    chosen: Shape = shape if shape is not None else draw(st.sampled_from(SHAPES))
    layout = draw(layouts)
    ids = draw(st.lists(task_ids, max_size=4, unique=True))
    maker = {"nested": nested_tasks, "flat": flat_tasks, "lite": lite_tasks}[chosen]
    tasks = [draw(maker(task_id)) for task_id in ids]
    if chosen == "lite":
        folder = ".workflow/.lite-plan/t"
        ref = SessionRef("t", folder, Place.LITE, ".workflow")
        whole = _with_extras(draw, {"summary": draw(titles), "tasks": tasks})
        return Written(ref, {f"{folder}/plan.json": layout.json(whole)})
    folder = ".workflow/active/WFS-t"
    ref = SessionRef("WFS-t", folder, Place.ACTIVE, ".workflow")
    files = {f"{folder}/.task/{i}.json": layout.json(t) for i, t in zip(ids, tasks, strict=True)}
    session = {"session_id": "WFS-t", "project": draw(titles), "status": "planning"}
    files[f"{folder}/workflow-session.json"] = layout.json(_with_extras(draw, {**session}))
    if draw(st.booleans()):
        files[f"{folder}/TODO_LIST.md"] = layout.text(draw(todo_lists(ids)))
    if draw(st.booleans()):
        files[f"{folder}/IMPL_PLAN.md"] = layout.text(draw(impl_plans(ids)))
    if draw(st.booleans()):
        overview = {"summary": draw(titles), "task_ids": ids, "task_count": len(ids)}
        files[f"{folder}/plan.json"] = layout.json(_with_extras(draw, {**overview}))
    if draw(st.booleans()):
        files[f"{folder}/.summaries/IMPL-1-summary.md"] = b"# Done\n"
    return Written(ref, files)


def _new_value(draw: st.DrawFn, name: str, held: Value) -> Value:
    """Draws another value for a field, of the kind that the field holds."""
    if name in (f.REQUIREMENTS, f.ACCEPTANCE, f.FOCUS_PATHS, f.INHERITED):
        kept = [t for t in (held if isinstance(held, tuple) else ()) if draw(st.booleans())]
        fresh = [text for text in draw(list_texts) if text not in kept]
        return tuple(draw(st.permutations([*kept, *fresh])))
    if name == f.DEPENDS_ON:
        return tuple(draw(st.lists(task_ids, max_size=3, unique=True)))
    if name == f.STATUS:
        return draw(statuses)
    if name == f.EXECUTION:
        return freeze({"method": "cli", "cli_tool": draw(titles), "enable_resume": True})
    if name == f.IMPLEMENTATION:
        return tuple(draw(list_texts))
    if name.startswith("/"):
        return freeze(draw(st.one_of(st.none(), leaves)))
    return draw(titles)


EDITABLE = (
    f.TITLE,
    f.STATUS,
    f.REQUIREMENTS,
    f.ACCEPTANCE,
    f.FOCUS_PATHS,
    f.DEPENDS_ON,
    f.EXECUTION,
    f.IMPLEMENTATION,
    f.PRIORITY,
    f.INHERITED,
    "/meta/wave",
    "/added key",
)


def _edited_task(draw: st.DrawFn, task: Task) -> Task:
    known = [name for name in task.fields if name.startswith("/")]
    for name in draw(st.lists(st.sampled_from([*EDITABLE, *known]), max_size=3, unique=True)):
        task = task.with_field(name, _new_value(draw, name, task.fields.get(name)))
    return task


def _edited_lines(draw: st.DrawFn, lines: tuple[str, ...]) -> tuple[str, ...]:
    kept = [line for line in lines if draw(st.sampled_from([True, True, True, False]))]
    for text in draw(st.lists(titles, max_size=2)):
        kept.insert(draw(st.integers(0, len(kept))), text)
    return tuple(kept)


@st.composite
def edited_plans(draw: st.DrawFn, plan: Plan) -> Plan:
    """Draws a plan that somebody may have made of another one."""
    for task_id, task in list(plan.tasks.items()):
        fate = draw(st.sampled_from(["keep", "edit", "edit", "drop"]))
        if fate == "drop":
            plan = plan.without_task(task_id)
        elif fate == "edit":
            plan = plan.with_task(_edited_task(draw, task))
    for number in draw(st.lists(st.sampled_from(["IMPL-7", "IMPL-8", "T-9"]), unique=True)):
        fields: dict[str, Value] = {f.TITLE: draw(titles)}
        for name in draw(st.lists(st.sampled_from(EDITABLE), max_size=4, unique=True)):
            value = _new_value(draw, name, None)
            if value:
                fields[name] = value
        plan = plan.with_task(Task(TaskId(number), fields))
    for name, document in list(plan.documents.items()):
        if f.LINES in document.parts and draw(st.booleans()):
            lines = _edited_lines(draw, document.lines)
            plan = plan.with_document(Document(name, {**document.parts, f.LINES: lines}))
    return plan


@st.composite
def plan_pairs(draw: st.DrawFn) -> tuple[Written, Plan]:
    """Draws a written plan and a plan that it may become."""
    written = draw(written_plans())
    return written, draw(edited_plans(written.plan))


def entries_for(name: str, held: tuple[str, ...]) -> st.SearchStrategy[o.ListEdit]:
    """Draws an edit of a text list that adds, and removes or replaces what is there."""
    added = st.lists(texts.map(lambda text: f"{name} {text}"), max_size=2).map(tuple)
    some = st.sampled_from(held).map(lambda text: (text,)) if held else st.just(())
    removals: st.SearchStrategy[tuple[str, ...]] = st.one_of(st.just(()), some)
    return st.builds(lambda add, remove: o.ListEdit(add=add, remove=remove), added, removals)


@st.composite
def operations(draw: st.DrawFn, plan: Plan, fresh_id: str) -> o.Operation:
    """Draws an operation that a plan with tasks can undergo.

    Args:
        draw: Hypothesis.
        plan: The plan.
        fresh_id: An id that is not in use; a split takes it with `a` and `b` behind it.
    """
    ids = list(plan.tasks)
    task = plan.tasks[draw(st.sampled_from(ids))]
    kinds = ["create", "update", "update", "delete", "split", "session"]
    kinds += ["merge", "reorder"] if len(ids) > 1 else []
    kind = draw(st.sampled_from(kinds))
    others = [task_id for task_id in ids if task_id != task.id]
    if kind == "create":
        return o.CreateTask(
            id=fresh_id,
            title=draw(titles),
            requirements=tuple(draw(list_texts)),
            acceptance=tuple(draw(list_texts)),
            depends_on=tuple(draw(st.lists(st.sampled_from(ids), max_size=2, unique=True))),
            after=draw(st.sampled_from([None, *ids])),
        )
    if kind == "delete":
        return o.DeleteTask(task=task.id, dependents=draw(st.sampled_from(list(o.Rewire)[1:])))
    if kind == "split":
        parts = tuple(o.Part(id=f"{fresh_id}{end}", title=draw(titles)) for end in "ab")
        return o.SplitTask(
            task=task.id, parts=parts, order=draw(st.sampled_from(["chain", "parallel"]))
        )
    if kind == "merge":
        return o.MergeTasks(id=fresh_id, tasks=(task.id, draw(st.sampled_from(others))))
    if kind == "reorder":
        return o.ReorderTask(task=task.id, before=draw(st.sampled_from(others)))
    if kind == "session":
        return o.EditSession(title=draw(titles))
    return o.UpdateTask(
        task=task.id,
        title=draw(st.one_of(st.none(), titles)),
        requirements=draw(entries_for("Do", task.texts(f.REQUIREMENTS))),
        acceptance=draw(entries_for("Check", task.texts(f.ACCEPTANCE))),
        focus_paths=draw(entries_for("src/", task.texts(f.FOCUS_PATHS))),
        execution=draw(st.sampled_from([None, o.Execution("agent"), o.Execution("cli", "codex")])),
    )
