"""The page on requests in words shows what really happens, and what it says is understood."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitwfp.files.codec import read_plan
from gitwfp.files.tree import MemoryFiles
from gitwfp.model import fields as f
from gitwfp.model.plan import Place, Plan, SessionRef
from gitwfp.model.task import TaskId
from gitwfp.policy.bounds import bounded
from gitwfp.policy.clarify import Answers
from gitwfp.policy.operations import Operation, UpdateTask
from gitwfp.policy.request import understand
from tests.test_readme import rows_below
from tests.transcripts import ROOT, Shell, check_document

REQUESTS = ROOT / "docs" / "requests.md"
FOLDER = ".workflow/active/WFS-sign-in-to-the-shop"
KINDS = {
    "a requirement": f.REQUIREMENTS,
    "an acceptance criterion": f.ACCEPTANCE,
    "a path": f.FOCUS_PATHS,
    "a dependency": f.DEPENDS_ON,
    "a removal": f.REQUIREMENTS,
    "a replacement": f.REQUIREMENTS,
    "new words for an entry": f.REQUIREMENTS,
    "a title": f.TITLE,
    "a tool": "execution",
    "an implementation step": f.IMPLEMENTATION,
    "a new task": "create",
    "a deletion": "delete",
    "a split": "split",
    "a merge": "merge",
    "the order": "reorder",
    "the goal of the session": "session",
}
UPDATED = (f.REQUIREMENTS, f.ACCEPTANCE, f.FOCUS_PATHS, f.DEPENDS_ON, f.TITLE, f.IMPLEMENTATION)
OF_SESSION = ("create", "delete", "split", "merge", "reorder", "session")


@pytest.mark.timeout(600)  # many commands, one after another
def test_requests_show_what_happens(tmp_path: Path) -> None:
    """Every console block of the page prints what the page shows."""
    folder = tmp_path / "work"
    folder.mkdir()
    check_document(REQUESTS, Shell(folder, tmp_path / "tools"))


def shop() -> Plan:
    """Returns the plan that the page talks about."""
    tasks = (
        ("IMPL-1", "Auth module: check passwords", "Compare with the hash", ()),
        ("IMPL-2", "API endpoints for signing in", "Answer with a token", ("IMPL-1",)),
        ("IMPL-3", "Sign-in page", "Show what was wrong", ("IMPL-2",)),
    )
    files = {
        f"{FOLDER}/.task/{task_id}.json": {
            "id": task_id,
            "title": title,
            "description": f"{said}.",
            "status": "pending",
            "depends_on": needs,
        }
        for task_id, title, said, needs in tasks
    }
    files[f"{FOLDER}/workflow-session.json"] = {"project": "Sign in to the shop"}
    tree = MemoryFiles({path: json.dumps(held).encode() for path, held in files.items()})
    ref = SessionRef("WFS-sign-in-to-the-shop", FOLDER, Place.ACTIVE, ".workflow")
    return read_plan(tree, ref)


def forms() -> Iterator[tuple[str, str]]:
    """Yields each request in the page's table with the kind of change that it is to make."""
    for what, *cells in rows_below("What is understood", REQUESTS):
        for cell in cells:
            for request in cell.split("`")[1::2]:
                if not request.startswith("--"):
                    yield what, request


def kinds_of(operation: Operation) -> set[str]:
    """Returns what an operation changes: fields of a task, or its own kind."""
    if not isinstance(operation, UpdateTask):
        return {operation.type}
    found = {name for name in UPDATED if getattr(operation, name)}
    return found | ({"execution"} if operation.execution is not None else set())


@pytest.mark.parametrize(("what", "request_"), tuple(forms()))
def test_what_the_page_lists_is_understood(what: str, request_: str) -> None:
    """Each form in the table makes exactly the change that the table says."""
    kind = KINDS[what]
    holder = {"a removal": "IMPL-3", "a dependency": "IMPL-3"}.get(what, "IMPL-2")
    is_step = kind == f.IMPLEMENTATION
    answers = Answers(update_type="implementation") if is_step else Answers()
    found = understand(
        request_,
        shop(),
        task=None if kind in OF_SESSION else TaskId(holder),
        tools=("codex", "gemini"),
        known_paths=lambda path: path == "src/auth",
        update_type=answers.update_type,
        may_add=True,
    )
    assert found.leftovers == ()
    (operation,) = bounded(found.operations, answers)[0]
    assert kinds_of(operation) == {kind}
