"""Real plan folders: each opens, and a changed field changes its own lines and no others."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from gitwfp.change.changeset import between
from gitwfp.change.merge import Rules, merge
from gitwfp.files.bookkeeping import is_bookkeeping_line, set_counts
from gitwfp.files.codec import read_plan
from gitwfp.files.paths import find_sessions, find_workspaces
from gitwfp.files.tree import MemoryFiles, OverlayFiles
from gitwfp.files.writing import plan_edits
from gitwfp.model import fields as f
from gitwfp.model.plan import Document, Plan, SessionRef
from gitwfp.model.task import Task
from gitwfp.model.values import Value, freeze

ROLLBACK = Rules(is_bookkeeping_line, set_counts, theirs_first=True)


@cache
def sessions_of(folder: Path) -> tuple[tuple[MemoryFiles, SessionRef], ...]:
    """Reads a folder of repositories and finds every session in it."""
    found: list[tuple[MemoryFiles, SessionRef]] = []
    for repository in sorted(folder.iterdir()):
        if not repository.is_dir():
            continue
        tree = MemoryFiles(
            {
                path.relative_to(repository).as_posix(): path.read_bytes()
                for path in repository.rglob("*")
                if path.is_file()
            }
        )
        for workspace in find_workspaces(tree):
            found.extend((tree, ref) for ref in find_sessions(tree, workspace))
    return tuple(found)


@pytest.fixture
def plans(corpus: Path) -> Iterator[tuple[MemoryFiles, Plan]]:
    """Every session of the corpus, read."""
    return ((tree, read_plan(tree, ref)) for tree, ref in sessions_of(corpus))


def test_every_session_opens(plans: Iterator[tuple[MemoryFiles, Plan]]) -> None:
    """Each session is read without an exception, and what was not understood is named."""
    count = tasks = 0
    for tree, plan in plans:
        count += 1
        tasks += len(plan.tasks)
        held = {p.location.path for p in plan.problems}
        assert plan.source.unreadable <= held
        for path in plan.source.files:
            assert tree.read(path) == plan.source.files[path]
    assert count > 30
    assert tasks > 100


def test_an_unchanged_plan_gives_no_edits(plans: Iterator[tuple[MemoryFiles, Plan]]) -> None:
    """Writing what is there writes nothing."""
    for _, plan in plans:
        assert plan_edits(plan, plan) == {}


def fresh_values(task: Task) -> Mapping[str, Value]:
    """Returns another value for each field of a task that a replan can change."""
    kept = task.fields.get(f.EXECUTION)
    execution = {"method": "cli", "cli_tool": "codex", "enable_resume": True}
    return {
        f.TITLE: "Another title",
        f.STATUS: "blocked" if task.fields.get(f.STATUS) != "blocked" else "completed",
        f.REQUIREMENTS: (*task.texts(f.REQUIREMENTS), "Log each call"),
        f.ACCEPTANCE: (*task.texts(f.ACCEPTANCE), "Calls are logged"),
        f.FOCUS_PATHS: (*task.texts(f.FOCUS_PATHS), "src/new"),
        f.DEPENDS_ON: (*task.depends_on, "IMPL-999"),
        f.INHERITED: (*task.texts(f.INHERITED), "IMPL-1: more"),
        f.EXECUTION: freeze({**(kept if isinstance(kept, Mapping) else {}), **execution}),
    }


def test_one_field_at_a_time(plans: Iterator[tuple[MemoryFiles, Plan]]) -> None:
    """A field changed in a task changes few lines of one file, is read back, and can be undone."""
    for tree, plan in plans:
        for task in list(plan.tasks.values())[:2]:
            for name, value in fresh_values(task).items():
                after = plan.with_task(task.with_field(name, value))
                check_edit(tree, plan, after, lines=5)


def test_removing_what_is_there(plans: Iterator[tuple[MemoryFiles, Plan]]) -> None:
    """A list entry taken out takes out its own line, and comes back where it was."""
    for tree, plan in plans:
        for task in list(plan.tasks.values())[:2]:
            for name in (f.REQUIREMENTS, f.ACCEPTANCE, f.FOCUS_PATHS, f.DEPENDS_ON):
                held = task.fields.get(name)
                if isinstance(held, tuple) and len(set(held)) == len(held) > 1:
                    after = plan.with_task(task.with_field(name, held[1:]))
                    check_edit(tree, plan, after, lines=3)


def test_unknown_fields(plans: Iterator[tuple[MemoryFiles, Plan]]) -> None:
    """What nobody knows can be changed and taken away, field by field, and be undone."""
    for tree, plan in plans:
        for task in list(plan.tasks.values())[:1]:
            for name in [key for key in task.fields if key.startswith("/")][:3]:
                for value in ("other", None):
                    after = plan.with_task(task.with_field(name, value))
                    check_edit(tree, plan, after, lines=None)


def test_sessions_and_documents(plans: Iterator[tuple[MemoryFiles, Plan]]) -> None:
    """The session's title, and a line of each document, change alone and can be undone."""
    for tree, plan in plans:
        if plan.session:
            check_edit(
                tree, plan, replace(plan, session={**plan.session, f.TITLE: "Goal"}), lines=3
            )
            entry = freeze({"replan_id": "x", "changes": {"added_tasks": ["a"]}})
            held = plan.session.get(f.REPLAN_HISTORY, ())
            assert isinstance(held, tuple)
            session = {**plan.session, f.REPLAN_HISTORY: (*held, entry), f.LAST_REPLAN: "now"}
            check_edit(tree, plan, replace(plan, session=session), lines=None)
        for name, document in plan.documents.items():
            if f.LINES not in document.parts:
                continue
            for at in {0, len(document.lines) // 2, len(document.lines)}:
                lines = (*document.lines[:at], "A new line", *document.lines[at:])
                after = plan.with_document(Document(name, {**document.parts, f.LINES: lines}))
                check_edit(tree, plan, after, lines=2)


def test_tasks_that_go_and_come(plans: Iterator[tuple[MemoryFiles, Plan]]) -> None:
    """A task taken out and brought back by a rollback leaves every byte as it was."""
    for tree, plan in plans:
        for task_id in list(plan.tasks)[:3]:
            check_edit(tree, plan, plan.without_task(task_id), lines=None)


def check_edit(tree: MemoryFiles, before: Plan, after: Plan, *, lines: int | None) -> None:
    """Checks that an edit is exact: what is read back, how much changes, and the way back."""
    edits = plan_edits(before, after)
    assert len(edits) == bool(between(before, after)), before.ref
    if not edits:
        return
    [(path, data)] = edits.items()
    now = OverlayFiles(tree, edits)
    again = read_plan(now, before.ref)
    assert between(after, again).changes == (), path
    old = before.source.files[path]
    if lines is not None and data is not None:
        assert changed_lines(old, data) <= lines, (path, data)
    merged = merge(again, again, before, ROLLBACK)
    assert merged.conflicts == ()
    assert plan_edits(again, merged.plan, like=before) == {path: old}


def changed_lines(old: bytes, new: bytes) -> int:
    """Counts the lines of the old file that are not in the new one, but for a comma."""
    kept: dict[bytes, int] = {}
    for line in new.split(b"\n"):
        kept[bare(line)] = kept.get(bare(line), 0) + 1
    gone = 0
    for line in old.split(b"\n"):
        if kept.get(bare(line), 0):
            kept[bare(line)] -= 1
        else:
            gone += 1
    return gone


def bare(line: bytes) -> bytes:
    """Returns a line without its ending and the comma before it."""
    return line.rstrip(b"\r").rstrip(b" ,")
