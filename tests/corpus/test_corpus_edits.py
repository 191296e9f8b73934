"""Real plan folders: editing one field of a task touches that field's lines and no others.

Every kind of field is edited, one replan each, in every live session of the corpus: as it was
found, with CRLF line endings, and without final newlines.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest

from gitwfp.config import Settings
from gitwfp.config.settings import Limits
from gitwfp.files.bookkeeping import is_bookkeeping_line
from gitwfp.files.codec import read_plan
from gitwfp.files.paths import FileKind, inside_of, kind_of
from gitwfp.files.places import SESSION, TASK
from gitwfp.files.tree import MemoryFiles
from gitwfp.model import fields as f
from gitwfp.model.graph import dependents_of, edges_of
from gitwfp.model.plan import IMPL_PLAN, PLANNING_NOTES, SESSION_JSON, TODO_LIST, Plan, SessionRef
from gitwfp.model.task import Task
from tests.corpus.folders import (
    Folder,
    folder_names,
    git,
    make_repository,
    read_folder,
    with_crlf,
    without_final_newline,
)
from tests.corpus.linewise import Keys, Touched, differences, touched_lines, value_lines
from tests.corpus.trials import Bench, Operation, can_be_replanned, ticking_clock

TEXT = "Answer a repeated request as the first one"

Edit = Callable[[Plan, Task], Mapping[str, Any] | None]


def _add(name: str, text: str = TEXT) -> Edit:
    return lambda _plan, _task: {name: {"add": [text]}}


def _set(name: str) -> Edit:
    return lambda _plan, _task: {"set": {name: "unusual"}}


def _replace(name: str, field: str) -> Edit:
    def edit(plan: Plan, task: Task) -> Mapping[str, Any] | None:
        held = task.texts(field)
        return {name: {"replace": [{"old": held[0], "new": "Something else"}]}} if held else None

    return edit


def _remove(name: str, field: str) -> Edit:
    def edit(plan: Plan, task: Task) -> Mapping[str, Any] | None:
        held = task.texts(field)
        return {name: {"remove": [held[-1]]}} if len(held) > 1 else None

    return edit


def _depend(plan: Plan, task: Task) -> Mapping[str, Any] | None:
    """Returns a dependency more that closes no cycle, if there is one."""
    behind = {task.id, *dependents_of(edges_of(plan), (task.id,)), *task.depends_on}
    free = [other for other in plan.tasks if other not in behind]
    return {"depends_on": {"add": [free[0]]}} if free else None


def _depend_less(plan: Plan, task: Task) -> Mapping[str, Any] | None:
    return {"depends_on": {"remove": [task.depends_on[-1]]}} if task.depends_on else None


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of edit.

    Attributes:
        name: What it is called.
        field: The field that it changes.
        edit: What it adds to the operation, None where the task allows no such edit.
    """

    name: str
    field: str
    edit: Edit


KINDS = (
    Kind("title", f.TITLE, lambda _plan, _task: {"title": "Answer repeated requests"}),
    Kind("requirement added", f.REQUIREMENTS, _add("requirements")),
    Kind("requirement replaced", f.REQUIREMENTS, _replace("requirements", f.REQUIREMENTS)),
    Kind("requirement removed", f.REQUIREMENTS, _remove("requirements", f.REQUIREMENTS)),
    Kind("criterion added", f.ACCEPTANCE, _add("acceptance")),
    Kind("criterion replaced", f.ACCEPTANCE, _replace("acceptance", f.ACCEPTANCE)),
    Kind("criterion removed", f.ACCEPTANCE, _remove("acceptance", f.ACCEPTANCE)),
    Kind("path added", f.FOCUS_PATHS, _add("focus_paths", "src/requests/again.py")),
    Kind("path removed", f.FOCUS_PATHS, _remove("focus_paths", f.FOCUS_PATHS)),
    Kind("dependency added", f.DEPENDS_ON, _depend),
    Kind("dependency removed", f.DEPENDS_ON, _depend_less),
    Kind("note added", f.INHERITED, _add("notes")),
    Kind("step added", f.IMPLEMENTATION, _add("implementation")),
    Kind(
        "execution",
        f.EXECUTION,
        lambda _plan, _task: {"execution": {"method": "cli", "cli_tool": "qwen"}},
    ),
    *(Kind(name, name, _set(name)) for name in (f.TYPE, f.PRIORITY, f.EFFORT, f.AGENT, f.SCOPE)),
)

VARIANTS: Mapping[str, Callable[[bytes], bytes]] = {
    "as found": bytes,
    "CRLF": with_crlf,
    "no final newline": without_final_newline,
}

SHARES = {"as found": 4, "CRLF": 8, "no final newline": 8}
"""The sessions share the kinds of edits: each makes one in so many, to stay quick."""

EVERYTHING = "WFP_EXAMPLES" in os.environ
"""Whether each session makes every kind of edit: minutes instead of seconds."""

pytestmark = [pytest.mark.usefixtures("corpus"), pytest.mark.timeout(600)]


@pytest.fixture(params=[name for name in folder_names() if "/" not in name] or ("",))
def folder(request: pytest.FixtureRequest, corpus: Path) -> Folder:
    """Each folder of the corpus; earlier states of a session have the shape that it has now."""
    return read_folder(str(request.param))


@pytest.mark.parametrize("variant", VARIANTS)
def test_an_edit_touches_the_lines_of_its_field(
    folder: Folder, variant: str, tmp_path: Path
) -> None:
    """Whatever field is edited, `git diff` shows lines of that field and of the books only."""
    place = _bench(folder, variant, tmp_path / "repository")
    wrong: list[str] = []
    for number, ref in enumerate(folder.sessions):
        if not can_be_replanned(ref, place.plan(ref)):
            continue
        for position, kind in enumerate(KINDS):
            if EVERYTHING or (number + position) % SHARES[variant] == 0:
                wrong += (f"{ref.id}: {kind.name}: {say}" for say in _edited(place, ref, kind))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_new_title_of_the_session_touches_that_and_the_books(
    folder: Folder, variant: str, tmp_path: Path
) -> None:
    """Renaming a session changes its title, the goal in the notes, and a bullet in the plan."""
    place = _bench(folder, variant, tmp_path / "repository")
    wrong: list[str] = []
    fitting = [r for r in folder.sessions if can_be_replanned(r, p := place.plan(r)) and p.session]
    for ref in fitting if variant == "as found" or EVERYTHING else fitting[:1]:
        operation = {"type": "session", "title": "Requests that come twice"}
        wrong += (
            f"{ref.id}: {say}"
            for file in _committed(place, _plan_here(place, ref), operation)
            for say in _judged_books(ref, file, SESSION.known[f.TITLE])
        )
    assert not wrong, "\n".join(wrong)


def _bench(folder: Folder, variant: str, path: Path) -> Bench:
    plan_files = {
        name: VARIANTS[variant](content)
        for name, content in folder.files.items()
        if any(
            name.startswith(ref.folder + "/") and kind_of(inside_of(ref, name)) is FileKind.PLAN
            for ref in folder.sessions
        )
    }
    make_repository(folder, path, plan_files)
    settings = Settings(limits=Limits(max_tasks=1000))
    return Bench(folder, path, settings, ticking_clock())


def _plan_here(place: Bench, ref: SessionRef) -> Plan:
    top = place.path / ref.folder
    files = {
        file.relative_to(place.path).as_posix(): file.read_bytes()
        for file in sorted(top.rglob("*"))
        if file.is_file()
    }
    return read_plan(MemoryFiles(files), ref)


@dataclass(frozen=True, slots=True)
class Edited:
    """One file that a commit changed.

    Attributes:
        path: Its path.
        texts: Its text before and after.
        lines: The lines that git shows.
    """

    path: str
    texts: tuple[str, str]
    lines: Touched


def _edited(place: Bench, ref: SessionRef, kind: Kind) -> Iterator[str]:
    """Edits one field of an open task and yields what is wrong with the commit."""
    plan = _plan_here(place, ref)
    edits = ((task, kind.edit(plan, task)) for task in plan.open_tasks)
    task, edit = next(((t, e) for t, e in edits if e is not None), (None, None))
    if task is None or edit is None or task.origin is None:
        return
    operation = {"type": "update", "task": task.id, **edit}
    for file in _committed(place, plan, operation):
        if file.path == task.origin.path:
            places = (*TASK.known[kind.field], *TASK.prose.get(kind.field, ()))
            within: Keys = () if task.origin.index is None else ("tasks", task.origin.index)
            yield from _judged_json(file, [within + place for place in places])
        elif inside_of(ref, file.path) == TODO_LIST and kind.field == f.TITLE:
            for line in (*file.lines.removed.values(), *file.lines.added.values()):
                if task.id not in line:
                    yield f"{file.path}: a line about something else: {line!r}"
        else:
            yield from _judged_books(ref, file, ())


def _committed(place: Bench, plan: Plan, operation: Operation) -> Iterator[Edited]:
    """Commits an operation; yields the files that it changed, the endings of them judged."""
    old = git(place.path, "rev-parse", "HEAD")
    assert place.replan(plan.ref, [operation]) is not None, f"{operation}: nothing changed"
    for path, lines in touched_lines(place.path, old, "HEAD").items():
        before = _text(plan.source.files[path])
        after = _text((place.path / path).read_bytes())
        assert before.endswith("\n") == after.endswith("\n"), f"{path}: another end of the file"
        assert _endings(before) >= _endings(after), f"{path}: another kind of line ending"
        yield Edited(path, (before, after), lines)


def _text(content: bytes) -> str:
    return content.decode("utf-8-sig", "surrogateescape")


def _endings(text: str) -> set[str]:
    return set(re.findall(r"\r?\n", text))


def _judged_json(edit: Edited, places: list[Keys]) -> Iterator[str]:
    """Yields what a change of a JSON file touches besides the values at some places."""
    old, new = edit.texts
    where = list(differences(json.loads(old), json.loads(new)))
    for keys in where:
        if not any(known[: len(keys)] == keys or keys[: len(known)] == known for known in places):
            yield f"{edit.path}: {keys} changed"
    spans = (value_lines(old), value_lines(new))
    rests, sizes = [], []
    for text, own in zip((old, new), _own_lines(where, spans), strict=True):
        lines = [_without_comma(line) for line in text.split("\n")]
        # Some writers part the members of an object by blank lines; a new one then gets one too.
        rests.append([line for number, line in enumerate(lines, 1) if line and number not in own])
        sizes.append(len(own))
    if rests[0] != rests[1]:
        shown = "\n".join(unified_diff(rests[0], rests[1], lineterm="", n=0))
        yield f"{edit.path}: lines besides those of {where} changed:\n{shown}"
    # A comma comes to the line before, or goes from it.
    counts = [sum(map(bool, map(str.strip, found.values()))) for found in edit.lines.both]
    if counts[0] > sizes[0] + 1 or counts[1] > sizes[1] + 1:
        yield f"{edit.path}: {counts} lines were rewritten, but {where} has {sizes}"


def _own_lines(
    where: list[Keys], spans: tuple[Mapping[Keys, range], Mapping[Keys, range]]
) -> tuple[set[int], set[int]]:
    """Returns the lines of the values that differ, in the older and in the newer text.

    Where a value comes into an object that was all on one line, or leaves it on one, the lines of
    that object's brackets count too.
    """
    own: tuple[set[int], set[int]] = (set(), set())
    for keys in where:
        holder = keys
        while not all(holder in known for known in spans):
            holder = holder[:-1]
        for known, lines in zip(spans, own, strict=True):
            lines.update(known.get(keys, ()))
        if any(len(known[holder]) == 1 for known in spans):
            for known, lines in zip(spans, own, strict=True):
                lines.update((known[holder][0], known[holder][-1]))
    return own


def _without_comma(line: str) -> str:
    return line.rstrip("\r").rstrip().removesuffix(",")


def _judged_books(ref: SessionRef, edit: Edited, more: tuple[Keys, ...]) -> Iterator[str]:
    """Yields what a change of a file touches besides what keeps the books."""
    inside = inside_of(ref, edit.path)
    if inside == SESSION_JSON:
        books = (f.LAST_REPLAN, f.CURRENT_TASKS, f.REPLAN_HISTORY)
        known = [where for name in books for where in SESSION.known[name]]
        yield from _judged_json(edit, [*known, *more])
    elif inside == IMPL_PLAN and more:
        removed, added = ([line.rstrip("\r") for line in d.values()] for d in edit.lines.both)
        for line in removed:
            # A last line without a newline gets one when something follows it.
            if line.strip() and line not in added and not is_bookkeeping_line(line):
                yield f"{edit.path}: removed {line!r}"
        for line in added:
            is_entry = line.startswith(("- ", "## ")) or not line.strip()
            if not is_entry and line not in removed and not is_bookkeeping_line(line):
                yield f"{edit.path}: added {line!r}"
    elif inside == PLANNING_NOTES and more:
        removed, added = (list(d.values()) for d in edit.lines.both)
        if (len(removed), len(added)) != (1, 1) or "Requests that come twice" not in added[0]:
            yield f"{edit.path}: {removed} becomes {added}"
    else:
        yield f"{edit.path}: it has nothing to do with the change"
