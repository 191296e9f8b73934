"""Each situation in which a replan will not go on: what it says, and its exit code.

What other stories show at length is not repeated here: a file that changes under us
(`test_concurrent_edit`), a lock that is held and an interruption (`test_field_cases_replan`).
"""

from collections.abc import Callable

import pytest

from tests.scene import Scene
from tests.stories.harbour import FOLDER, TASK, assert_untouched, edit, harbour

ALL_TASKS = "Its tasks are: IMPL-4, IMPL-3, IMPL-2, IMPL-1."
EIGHT = "; ".join(f"Berth plan {number}" for number in range(8))


def refused(scene: Scene, code: int, *words: str) -> str:
    """Runs a replan that is refused and leaves everything as it was; returns what it says."""
    before = scene.snapshot()
    said = scene.run("replan", *words).expect(code).err
    assert_untouched(scene, before)
    assert said.startswith("error: ")
    assert "\nhint: " in said
    return said


def test_what_is_asked_for_is_so_already(scene: Scene) -> None:
    """Nothing changes where all is as it was asked for: that is no failure, and is said."""
    harbour(scene)
    before = scene.snapshot()
    run = scene.run("replan", "IMPL-2", "depends on IMPL-1", "--json").expect(0)
    assert run.json["data"]["changed"] is False
    assert "depends on just that already" in run.json["diagnostics"][0]["message"]
    again = scene.run("replan", "IMPL-2", "depends on IMPL-1").expect(0)
    assert "depends on just that already" in again.err
    assert_untouched(scene, before)


@pytest.mark.parametrize(
    ("code", "words", "says"),
    [
        (3, ("-s", "WFS-quay", "x"), ("no session WFS-quay", "The sessions are: WFS-berths")),
        (3, ("IMPL-9", "must pass lint"), ("no task IMPL-9", ALL_TASKS)),
        (3, ("IMPL-2", "depends on IMPL-9"), ("no task IMPL-9", ALL_TASKS)),
        (2, (), ("No modifications specified", "git wfp replan IMPL-3")),
        (2, ("IMPL-2", "never mind"), ("No modifications", "asks for nothing")),
        (
            4,
            ("IMPL-1", "depends on IMPL-4"),
            (
                "Circular dependency: IMPL-1 -> IMPL-4 -> IMPL-2 -> IMPL-1.",
                "The new dependency is IMPL-1 -> IMPL-4.",
            ),
        ),
        (
            4,
            (f"add tasks: {EIGHT}", "-y"),
            ("Replan would create 12 tasks (limit: 10).", "Combine tasks, split the session"),
        ),
        (4, ("delete IMPL-1", "-y"), ("cannot be deleted: IMPL-2, IMPL-3 depend on it",)),
        (
            2,
            ("delete IMPL-4", "-y", "--task-changes", "update_only"),
            ("--task-changes update_only excludes that", "delete IMPL-4"),
        ),
        (
            2,
            ("split IMPL-4 into Hold; Confirm", "-y", "--scope", "tasks_only"),
            ("needs the scope task_restructure",),
        ),
        (
            2,
            ("IMPL-3", "Show the price first", "--update-type", "depends_on"),
            ("No modifications specified", "because the update type is depends_on"),
        ),
        (2, ("delete IMPL-4",), ("-y",)),
    ],
    ids=[
        "session not found", "task not found", "dependency not found", "nothing said",
        "nothing to change", "cycle", "too many tasks", "dependents", "task changes exclude it",
        "scope too small", "update type excludes it", "needs yes",
    ],
)  # fmt: skip
def test_what_is_asked_cannot_be_done(
    scene: Scene, code: int, words: tuple[str, ...], says: tuple[str, ...]
) -> None:
    """The refusal names what is wrong and what to do, and nothing is touched."""
    harbour(scene)
    said = refused(scene, code, *words)
    for text in says:
        assert text in said


def test_no_active_session(scene: Scene) -> None:
    """Without a session it is said how to start one."""
    scene.write({"src/app.py": "print('harbour')\n"})
    scene.commit("no plan yet")
    assert "git wfp start" in refused(scene, 3, "IMPL-1", "must pass lint")


def test_a_completed_task(scene: Scene) -> None:
    """A completed task is not changed without --force; a new task is suggested instead."""
    harbour(scene)
    edit(scene, '"status": "pending"', '"status": "completed"')
    scene.commit("IMPL-3 is done")
    said = refused(scene, 4, "IMPL-3", "must pass lint")
    assert "Task IMPL-3 is completed." in said
    assert "a new task" in said
    scene.run("replan", "IMPL-3", "must pass lint", "--force").expect(0)


def test_invalid_json(scene: Scene) -> None:
    """File, line and column are named, and a command that reads shows what else there is."""
    harbour(scene)
    scene.write({TASK: '{\n  "id": "IMPL-3",\n  "title": \n}\n'})
    said = refused(scene, 4, "IMPL-3", "must pass lint")
    assert f"{FOLDER}/.task/IMPL-3.json:4:1" in said
    assert "IMPL-2" in scene.run("status").expect(0).text


def merging(scene: Scene) -> None:
    """Leaves a merge with a conflict outside the plan unfinished."""
    scene.git("checkout", "-q", "-b", "side")
    scene.write({"src/app.py": "one\n"})
    scene.commit("one")
    scene.git("checkout", "-q", "main")
    scene.write({"src/app.py": "two\n"})
    scene.commit("two")
    scene.git("merge", "side", ok=(1,))


def bisecting(scene: Scene) -> None:
    """Begins a search for a bad commit."""
    scene.git("bisect", "start")


@pytest.mark.parametrize(("begin", "name"), [(merging, "merge"), (bisecting, "bisect")])
def test_in_the_middle_of_something(
    scene: Scene, begin: Callable[[Scene], None], name: str
) -> None:
    """What is in progress is named, and that it is to be finished or aborted first."""
    harbour(scene)
    begin(scene)
    said = refused(scene, 6, "IMPL-3", "must pass lint")
    assert f"in the middle of a {name}" in said
    assert f"Finish or abort the {name}" in said


def test_not_in_a_repository(scene: Scene, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Outside of a repository it is said where git has looked, and what to do."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    run = scene.run("-C", str(elsewhere), "replan", "IMPL-1", "must pass lint").expect(6)
    assert run.err.startswith("error: ")
    assert "\nhint: " in run.err
