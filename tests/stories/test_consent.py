"""What commands say of themselves: what they assumed, why they want a yes, what they took back."""

import pytest

from tests.scene import Scene
from tests.stories.harbour import harbour, need, replan, replanned


def test_nothing_derived_is_called_assumed(scene: Scene) -> None:
    """The notes of a request that adds a task do not say that tasks are only updated."""
    harbour(scene)
    notes = scene.run("replan", 'add task "Audit log"', "-y").expect(0).err
    assert "Task changes include add_remove" in notes
    assert "update_only" not in notes
    assert "tasks_only" not in notes
    assert "all affected modules" in notes


def test_a_side_that_is_taken_is_the_reason(scene: Scene) -> None:
    """A rollback that decides a conflict asks for a yes because of that and not of its tasks."""
    harbour(scene)
    old, new = "Round the total to full euros", "Round the total to cents"
    first = replanned(scene, replacing(old, new))["replan"]
    replanned(scene, replacing(new, "Round the total to dimes"))
    refused = scene.run("rollback", first, "--theirs").expect(2).err
    assert "decides conflicts" in refused
    assert "more than update tasks" not in refused
    taken = scene.run("rollback", first, "--theirs", "-y").expect(0).out
    assert "Round the total to full euros" in taken


def replacing(old: str, new: str) -> dict[str, object]:
    """Returns the operation that puts one requirement of IMPL-3 in the place of another."""
    return {
        "type": "update",
        "task": "IMPL-3",
        "requirements": {"replace": [{"old": old, "new": new}]},
    }


def test_the_subject_of_a_rollback_counts_once(scene: Scene) -> None:
    """Taking back a rollback of several says how many changes it takes back, and no sum twice."""
    harbour(scene)
    start = scene.git("rev-parse", "HEAD")
    for words in ("one", "two", "three"):
        replan(scene, need("IMPL-3", words)).expect(0)
    scene.run("undo", "2", "-y").expect(0)
    assert scene.git("log", "-1", "--format=%s").endswith("(and 1 more)")
    replan(scene, need("IMPL-3", "four")).expect(0)
    scene.run("rollback", "HEAD", "-y").expect(0)
    scene.run("rollback", "--to", start, "-y").expect(0)
    subject = scene.git("log", "-1", "--format=%s")
    assert subject.count("more)") == 1


@pytest.mark.parametrize("wanted", ["delete IMPL-3 and IMPL-4", "删除 IMPL-3 和 IMPL-4"])
def test_tasks_that_need_each_other_go_together(scene: Scene, wanted: str) -> None:
    """Deleting a task and the one that needs it works in whichever order they are named."""
    harbour(scene)
    scene.run("replan", wanted, "-y").expect(0)
    assert "IMPL-4" not in scene.git("ls-tree", "-r", "--name-only", "HEAD")
