"""Taking back the second of six replans leaves what the other five would have made.

This is what makes rollback trustworthy: it undoes one replan's effect, not the time since. For
random runs of replans each of them is taken back by the merge, and the files that come out are
compared, byte for byte, with those that the other replans make of the same start. Bookkeeping is
left aside: dates, counts and histories tell what happened, and other things happened.

`WFP_EXAMPLES` sets the number of runs.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from difflib import unified_diff

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitwfp.change.changeset import between
from gitwfp.change.kinds import TaskAdded, TaskDropped, TaskEdited
from gitwfp.change.merge import Rules, merge
from gitwfp.errors import Refusal
from gitwfp.files.bookkeeping import is_bookkeeping_line, set_counts
from gitwfp.files.codec import read_plan
from gitwfp.files.tree import MemoryFiles
from gitwfp.files.writing import plan_edits
from gitwfp.model import fields as f
from gitwfp.model.plan import TODO_LIST, Document, Plan, SessionRef
from gitwfp.model.task import TaskId
from gitwfp.model.values import Value
from gitwfp.policy import operations as o
from gitwfp.policy.bookkeeping import Entry
from gitwfp.policy.replan import Limits, propose
from gitwfp.verify.consistency import compare
from tests.plans import PlanFolder, Shape, plan_folder
from tests.strategies import SHAPES, bytes_of, plan_of, ref_of

EXAMPLES = int(os.environ.get("WFP_EXAMPLES", "20"))
RULES = Rules(is_bookkeeping_line, set_counts, theirs_first=True)
LENGTH = 6
TASKS = 5

pytestmark = pytest.mark.timeout(120 + 4 * EXAMPLES)

Files = dict[str, bytes]


@dataclass(frozen=True, slots=True, repr=False)
class Replan:
    """One replan: what it does, and its number, which dates it."""

    number: int
    operations: tuple[o.Operation, ...]

    def __repr__(self) -> str:
        told = []
        for operation in self.operations:
            values = ((each.name, getattr(operation, each.name)) for each in fields(operation))
            told.append(" ".join(f"{name}={value!r}" for name, value in values if value))
        return f"Replan({self.number}: {'; '.join(told)})".replace("ListEdit", "")

    @property
    def entry(self) -> Entry:
        """What the histories record of it."""
        time = f"2026-02-0{self.number}T10:00:00Z"
        stamp = f"WFS-t/2026-02-0{self.number}T10-00-00"
        return Entry(stamp, time, f"reason {self.number}", o.Scope.COMPREHENSIVE, "HEAD")


@dataclass(slots=True)
class Things:
    """What the replans of a run have not touched yet, so that each touches its own."""

    titles: list[TaskId]
    entries: list[tuple[TaskId, str, str]]
    executions: list[TaskId]
    tasks: list[TaskId]
    session: bool = True


def things_of(plan: Plan) -> Things:
    """Returns what there is to touch in a plan."""
    ids = list(plan.tasks)
    entries = [
        (task_id, name, text)
        for task_id in ids
        for name in (f.REQUIREMENTS, f.ACCEPTANCE)
        for text in plan.tasks[task_id].texts(name)
    ]
    return Things(ids.copy(), entries, ids.copy(), ids.copy())


def edit_of(name: str, task: TaskId, edit: o.ListEdit) -> o.UpdateTask:
    """Returns an operation on a text list of a task."""
    if name == f.REQUIREMENTS:
        return o.UpdateTask(task=task, requirements=edit)
    if name == f.ACCEPTANCE:
        return o.UpdateTask(task=task, acceptance=edit)
    return o.UpdateTask(task=task, notes=edit)


def _taken(draw: st.DrawFn, stock: list[TaskId]) -> TaskId:
    return stock.pop(draw(st.integers(0, len(stock) - 1)))


@st.composite
def one_operation(  # noqa: PLR0911 - one case a kind of operation
    draw: st.DrawFn, plan: Plan, things: Things, number: int, turn: int
) -> o.Operation:
    """Draws an operation that touches its own things, or adds to lists that all share."""
    ids = list(plan.tasks)
    kinds = ["add", "add", "create", "reorder"]
    kinds += ["title"] * bool(things.titles) + ["execution"] * bool(things.executions)
    kinds += ["remove", "replace"] * bool(things.entries)
    kinds += ["delete", "split"] * bool(things.tasks) + ["merge"] * (len(things.tasks) > 1)
    kinds += ["session"] * things.session
    kind = draw(st.sampled_from(kinds))
    name = draw(st.sampled_from([f.REQUIREMENTS, f.ACCEPTANCE, f.INHERITED]))
    task = draw(st.sampled_from(ids))
    word = f"replan {number} turn {turn}"
    match kind:
        case "create":
            needs = draw(st.lists(st.sampled_from(ids), max_size=2, unique=True))
            return o.CreateTask(
                id=f"IMPL-{number}{turn}0",
                title=f"Made by {word}",
                requirements=(f"Do what {word} says", "And more"),
                acceptance=(f"What {word} says is done",),
                depends_on=tuple(needs),
                after=draw(st.sampled_from([None, *ids])),
            )
        case "reorder":
            other = draw(st.sampled_from([each for each in ids if each != task]))
            return o.ReorderTask(task=task, before=other)
        case "title":
            return o.UpdateTask(task=_taken(draw, things.titles), title=f"Titled by {word}")
        case "execution":
            tool = draw(
                st.sampled_from([o.Execution("cli", "codex"), o.Execution("cli", "gemini")])
            )
            return o.UpdateTask(task=_taken(draw, things.executions), execution=tool)
        case "remove" | "replace":
            at = draw(st.integers(0, len(things.entries) - 1))
            task, name, text = things.entries.pop(at)
            if kind == "remove":
                return edit_of(name, task, o.ListEdit(remove=(text,)))
            swap = o.Replacement(text, f"Replaced by {word}")
            return edit_of(name, task, o.ListEdit(replace=(swap,)))
        case "delete":
            task = _taken(draw, things.tasks)
            rewire = draw(st.sampled_from([o.Rewire.BRIDGE, o.Rewire.DROP]))
            return o.DeleteTask(task=task, dependents=rewire)
        case "split":
            task = _taken(draw, things.tasks)
            parts = tuple(
                o.Part(title=f"Part {end} by {word}", id=f"IMPL-{number}{turn}{end}")
                for end in (1, 2)
            )
            if draw(st.booleans()):
                return o.SplitTask(task=task, parts=parts, order="parallel")
            return o.SplitTask(task=task, parts=parts)
        case "merge":
            merged = (_taken(draw, things.tasks), _taken(draw, things.tasks))
            return o.MergeTasks(tasks=merged, title=f"Merged by {word}", id=f"IMPL-{number}{turn}5")
        case "session":
            things.session = False
            return o.EditSession(title=f"Goal by {word}")
        case _:
            return edit_of(name, task, o.ListEdit(add=(f"Added by {word}",)))


@st.composite
def runs(draw: st.DrawFn, *, with_session: bool = True) -> tuple[Replan, ...]:
    """Draws six replans of one or two operations, for the twins of five tasks."""
    plan = plan_of(plan_folder("lite", TASKS, ids="IMPL-{}"))
    things = things_of(plan)
    things.session = with_session
    return tuple(
        Replan(
            number,
            tuple(
                draw(one_operation(plan, things, number, turn))
                for turn in range(1, draw(st.integers(1, 2)) + 1)
            ),
        )
        for number in range(1, LENGTH + 1)
    )


def replanned(files: Files, ref: SessionRef, step: Replan) -> Files:
    """Returns the files after a replan.

    Raises:
        Refusal: It cannot be carried out.
    """
    plan = read_plan(MemoryFiles(files), ref)
    proposal = propose(plan, step.operations, step.entry, Limits(force=True))
    if compare(plan, proposal.after, max_tasks=100).added:
        raise _Inconsistent
    return edited(files, plan_edits(plan, proposal.after))


class _Inconsistent(Exception):  # noqa: N818 - it is no error, it is an outcome
    """A replan that the check would refuse."""


def edited(files: Files, edits: Mapping[str, bytes | None]) -> Files:
    """Returns files after edits."""
    whole = {**files, **edits}
    return {path: data for path, data in sorted(whole.items()) if data is not None}


def done(start: Files, ref: SessionRef, run: tuple[Replan, ...]) -> list[Files]:
    """Returns the files before and after each replan; one that is refused changes nothing."""
    states = [start]
    for step in run:
        try:
            states.append(replanned(states[-1], ref, step))
        except (Refusal, _Inconsistent):
            states.append(states[-1])
    return states


def neutral(files: Files, ref: SessionRef) -> Files:
    """Returns files without bookkeeping: dates, counts, histories, lists of what there is."""
    plan = read_plan(MemoryFiles(files), ref)
    bare = replace(plan, session=_without_books(plan.session))
    for document in plan.documents.values():
        parts = _without_books(document.parts)
        if f.LINES in parts:
            parts[f.LINES] = tuple(
                "-" if is_bookkeeping_line(line) else line for line in document.lines
            )
        bare = bare.with_document(Document(document.name, parts))
    return edited(files, plan_edits(plan, bare))


def _without_books(record: Mapping[str, Value]) -> dict[str, Value]:
    books = f.Role.BOOKKEEPING
    return {name: value for name, value in record.items() if f.role_of(name) is not books}


def difference(one: Files, other: Files, *, is_ordered: bool = True) -> list[str]:
    """Returns the lines in which files differ.

    A move in front of a task that another replan has moved means another place without that
    other replan, so after moves the order of a list is left aside.
    """
    if not is_ordered:
        one, other = (_with_sorted_list(files) for files in (one, other))
    return [
        line
        for path in sorted(one.keys() | other.keys())
        for line in unified_diff(
            one.get(path, b"").decode().split("\n"),
            other.get(path, b"").decode().split("\n"),
            fromfile=path,
            lineterm="",
        )
    ]


def _with_sorted_list(files: Files) -> Files:
    return {
        path: b"\n".join(sorted(data.split(b"\n"))) if path.endswith(TODO_LIST) else data
        for path, data in files.items()
    }


def start_of(shape: Shape) -> tuple[PlanFolder, SessionRef, Files]:
    """Returns a plan of five tasks in a shape, with shared ids."""
    folder = plan_folder(shape, TASKS, ids="IMPL-{}")
    return folder, ref_of(folder), bytes_of(folder)


def rolled_back(states: list[Files], ref: SessionRef, at: int) -> Files | None:
    """Returns the files now without one of the replans, or None if that is refused."""
    before, after, now = (
        read_plan(MemoryFiles(states[n]), ref) for n in (at, at + 1, len(states) - 1)
    )
    merged = merge(after, now, before, RULES)
    if merged.conflicts or compare(now, merged.plan, max_tasks=100).added:
        return None
    files = edited(states[-1], plan_edits(now, merged.plan, like=before))
    again = read_plan(MemoryFiles(files), ref)
    assert between(merged.plan, again).changes == ()
    return files


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=EXAMPLES)
@given(run=runs(), at=st.integers(0, LENGTH - 1))
def test_rollback_is_as_if_it_had_never_been(
    shape: Shape, run: tuple[Replan, ...], at: int
) -> None:
    """Six replans and a rollback of one give the files of the other five, or a conflict."""
    _, ref, start = start_of(shape)
    states = done(start, ref, run)
    if states[at] == states[at + 1]:
        return
    result = rolled_back(states, ref, at)
    if result is None:
        return
    others = start
    for number, step in enumerate(run):
        if number == at or states[number] == states[number + 1]:
            continue
        try:
            others = replanned(others, ref, step)
        except (Refusal, _Inconsistent):
            return
    moves = any(isinstance(each, o.ReorderTask) for step in run for each in step.operations)
    wanted, found = (neutral(files, ref) for files in (others, result))
    assert difference(wanted, found, is_ordered=not moves) == []


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=EXAMPLES)
@given(run=runs())
def test_the_newest_replan_goes_without_a_trace(shape: Shape, run: tuple[Replan, ...]) -> None:
    """Taking back each replan right after it, newest first, gives back every byte."""
    _, ref, start = start_of(shape)
    states = done(start, ref, run)
    for at in range(len(states) - 2, -1, -1):
        if states[at] != states[at + 1]:
            back = rolled_back(states[: at + 2], ref, at)
            assert back is not None
            assert difference(states[at], back) == []
            assert back == states[at]


@settings(max_examples=EXAMPLES)
@given(run=runs(with_session=False))
def test_twins_stay_twins(run: tuple[Replan, ...]) -> None:
    """A run of replans makes the same task changes in a nested, a flat and a lite plan."""
    told = []
    for shape in SHAPES:
        _, ref, start = start_of(shape)
        states = done(start, ref, run)
        one, other = (read_plan(MemoryFiles(files), ref) for files in (start, states[-1]))
        found: list[tuple[object, ...]] = []
        for change in between(one, other).changes:
            match change:
                case TaskEdited(task, name, before, after) if name in ALIKE:
                    found.append((task, name, before, after))
                case TaskAdded(task) | TaskDropped(task):
                    held = (task.fields.get(name) for name in ALIKE)
                    found.append((type(change), task.id, *held))
                case _:
                    pass
        told.append(found)
    assert told[0] == told[1] == told[2]


ALIKE = (f.TITLE, f.REQUIREMENTS, f.ACCEPTANCE, f.DEPENDS_ON, f.INHERITED)
