"""What landed is known to have landed, also when it was made again or taken back since."""

from typing import Any

import pytest

from tests.scene import Scene
from tests.stories.harbour import (
    assert_clean,
    assert_untouched,
    edit,
    harbour,
    log,
    need,
    replanned,
    requirements,
    rolled_back,
)

LOG = "Log every attempt"
LOG_IT = need("IMPL-3", LOG)
MEANWHILE = need("IMPL-2", "Show the harbour map")
LOG_FAILED = {
    "type": "update",
    "task": "IMPL-3",
    "requirements": {"remove": [LOG], "add": ["Log every attempt that failed"]},
}


def waiting(scene: Scene, *, moved: bool) -> Any:
    """Leaves a what-if on its branch, and moves HEAD meanwhile; returns its data."""
    harbour(scene)
    data = replanned(scene, LOG_IT, words=("--branch-only",))
    if moved:
        replanned(scene, MEANWHILE)
    return data


def land(scene: Scene, *words: str) -> Any:
    """Lands branches; returns the document."""
    return scene.run("land", *words, "--json", "-y").expect(0).json


@pytest.mark.parametrize("moved", [False, True], ids=["fast-forward", "made again"])
def test_what_was_changed_since_it_landed_does_not_come_back(scene: Scene, moved: bool) -> None:
    """Landed a second time, a what-if brings nothing, whatever became of what it brought."""
    branch = waiting(scene, moved=moved)["branch"]
    land(scene, branch)
    replanned(scene, LOG_FAILED, words=("-y",))
    before = scene.snapshot()
    again = land(scene, branch)
    assert [told["code"] for told in again["diagnostics"]] == ["landed-already"]
    assert not again["data"]["changed"]
    assert_untouched(scene, before)
    assert LOG not in requirements(scene)
    ids = [entry["replan"] for entry in log(scene) if entry["replan"]]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("moved", [False, True], ids=["fast-forward", "made again"])
def test_what_was_taken_back_since_it_landed(scene: Scene, moved: bool) -> None:
    """Land says that it was taken back, and the command that it names brings it again."""
    left = waiting(scene, moved=moved)
    land(scene, left["branch"])
    back = rolled_back(scene, left["replan"])
    before = scene.snapshot()
    again = land(scene, left["branch"])
    (note,) = again["diagnostics"]
    assert note["code"] == "landed-already"
    assert back["replan"] in note["message"]
    assert_untouched(scene, before)
    words = note["hint"].partition("git wfp ")[2].rstrip(".").split()
    scene.run(*words, "-y").expect(0)
    assert LOG in requirements(scene)
    assert "took it back" not in scene.run("land", left["branch"]).expect(0).err
    assert_clean(scene)


def test_what_landed_overlaps_with_nothing(scene: Scene) -> None:
    """A what-if that landed by being made again is not among those that wait."""
    first = waiting(scene, moved=True)
    land(scene, first["branch"])
    replanned(scene, LOG_FAILED, words=("-y",))
    second = replanned(scene, need("IMPL-3", "Count the berths"), words=("--branch-only",))
    assert land(scene, second["branch"])["diagnostics"] == []


def test_only_what_is_new_on_a_branch_lands(scene: Scene) -> None:
    """A branch that went on after it landed brings what came since, once."""
    left = waiting(scene, moved=True)
    land(scene, left["branch"])
    replanned(scene, LOG_FAILED, words=("-y",))
    scene.git("switch", "--quiet", left["branch"])
    more = replanned(scene, need("IMPL-1", "Keep the list short"))
    scene.git("switch", "--quiet", "main")
    done = land(scene, left["branch"] + "~0", more["branch"])
    assert done["data"]["replan"] == more["replan"]
    assert LOG not in requirements(scene)
    assert [entry["replan"] for entry in log(scene)].count(left["replan"]) == 1
    assert_clean(scene)


def test_commits_of_other_tools_land_once(scene: Scene) -> None:
    """A plan commit without an id that is made again to land is known by the commit it names."""
    harbour(scene)
    scene.git("switch", "--quiet", "--create", "idea")
    edit(scene, "full euros", "cents")
    scene.commit("cents")
    scene.git("switch", "--quiet", "main")
    replanned(scene, MEANWHILE)
    land(scene, "idea")
    rolled_back(scene, "HEAD")
    before = scene.snapshot()
    (note,) = land(scene, "idea")["diagnostics"]
    assert "took it back" in note["message"]
    assert_untouched(scene, before)


def listed(scene: Scene) -> Any:
    """Returns the what-ifs that wait, as list gives them."""
    return scene.run("list", "--what-ifs", "--json").expect(0).json["data"]["what_ifs"]


def test_the_what_ifs_that_wait_are_listed(scene: Scene) -> None:
    """Branch, subject and tasks, until it landed in any form or was dropped; never from memory."""
    left = waiting(scene, moved=True)
    other = replanned(scene, need("IMPL-1", "Keep it short"), words=("--branch-only",))
    assert scene.run("list", "--json").expect(0).json["data"]["what_ifs"] is None
    first, second = listed(scene)
    assert (first["branch"], first["replan"], first["tasks"]) == (
        left["branch"],
        left["replan"],
        ["IMPL-3"],
    )
    assert first["subject"] == scene.git("log", "-1", "--format=%s", left["branch"])
    assert second["branch"] == other["branch"]
    out = scene.run("list", "--what-ifs").expect(0).out
    assert left["branch"] in out
    land(scene, left["branch"])
    assert [one["branch"] for one in listed(scene)] == [other["branch"]]
    scene.run("drop", other["branch"]).expect(0)
    assert listed(scene) == []
    assert "No what-if waits." in scene.run("list", "--what-ifs").expect(0).out


def test_what_ifs_of_a_session_with_an_odd_name(scene: Scene) -> None:
    """Where a ref cannot be spelt like the session, its what-ifs are found all the same."""
    scene.session("nested", 2, session="WFS-a~b")
    scene.commit("plan: odd")
    done = replanned(scene, need("IMPL-1", "Keep it short"), words=("--branch-only",))
    assert [one["branch"] for one in listed(scene)] == [done["branch"]]
