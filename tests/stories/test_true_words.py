"""What is said of histories and landings is true also at their edges."""

import json

import pytest

from tests.scene import Scene
from tests.stories.harbour import (
    assert_untouched,
    harbour,
    need,
    plan_tree,
    replanned,
    retitle,
)


@pytest.mark.parametrize("made", [1, 3])
def test_more_is_to_be_undone_than_there_is(scene: Scene, made: int) -> None:
    """Undo takes back what there is, and says how many that were."""
    harbour(scene)
    for number in range(made):
        replanned(scene, need("IMPL-3", f"Point {number} counts"))
    run = scene.run("undo", "99", "--json").expect(0).json
    (note,) = run["diagnostics"]
    assert note["code"] == "fewer-than-asked"
    assert str(made) in note["message"]
    replanned(scene, need("IMPL-3", "Count the berths"))
    assert scene.run("undo", "1", "--json").expect(0).json["diagnostics"] == []


def test_two_what_ifs_that_contradict_each_other(scene: Scene) -> None:
    """Landed together they are refused by name, and the plan is not said to have changed."""
    harbour(scene)
    one = replanned(scene, retitle("IMPL-3", "Quote now"), words=("--branch-only",))["branch"]
    two = replanned(scene, retitle("IMPL-3", "Quote later"), words=("--branch-only",))["branch"]
    fine = replanned(scene, need("IMPL-1", "Keep it short"), words=("--branch-only",))["branch"]
    before = scene.snapshot()
    run = scene.run("land", one, fine, two, "--json", "-y").expect(5).json
    told = json.dumps(run["diagnostics"])
    assert one in told
    assert two in told
    assert fine not in told
    assert "changed since" not in told
    assert_untouched(scene, before)
    replanned(scene, retitle("IMPL-3", "Quote today"))
    assert "changed since" in scene.run("land", fine, two, "-y").expect(5).err


def test_a_date_before_the_first_commit(scene: Scene) -> None:
    """It is understood as a date: there was no commit yet."""
    harbour(scene)
    run = scene.run("status", "--at", "2001-01-01").expect(3)
    assert "no commit yet at 2001-01-01" in run.err


def test_a_history_of_which_nothing_is_shown(scene: Scene) -> None:
    """An empty list says why it is empty, and not that nothing happened."""
    harbour(scene)
    replanned(scene, need("IMPL-3", "Count the berths"))
    assert "asked for no entry" in scene.run("log", "-n", "0").expect(0).out
    assert "IMPL-99" in scene.run("log", "--task", "IMPL-99").expect(0).out
    assert "since 2999-01-01" in scene.run("log", "--since", "2999-01-01").expect(0).out


def test_all_that_was_taken_back_at_once_is_redone(scene: Scene) -> None:
    """Redo finds a rollback of replans and rollbacks together, as no replan came since."""
    harbour(scene)
    start = scene.git("rev-parse", "HEAD")
    for number in range(3):
        replanned(scene, need("IMPL-3", f"Point {number} counts"))
    scene.run("undo", "2", "-y").expect(0)
    scene.run("redo", "-y").expect(0)
    tree = plan_tree(scene)
    scene.run("rollback", "--to", start, "-y").expect(0)
    assert plan_tree(scene) == plan_tree(scene, start)
    scene.run("redo", "-y").expect(0)
    assert plan_tree(scene) == tree
    scene.run("redo", "-y").expect(3)
