"""Landing a what-if: what it answers must be of use afterwards."""

import pytest

from tests.scene import Scene


@pytest.mark.parametrize("moved", [False, True], ids=["fast-forward", "made again"])
def test_what_landed_is_taken_back_by_the_id_that_land_names(scene: Scene, moved: bool) -> None:
    """The rollback command in the answer of land works, whether or not HEAD moved meanwhile."""
    plan = scene.session("nested", tasks=3)
    scene.commit("plan: berths")
    left = scene.run("replan", plan.tasks[0], "Keep a log", "--branch-only", "--json").expect(0)
    branch, replan = left.json["data"]["branch"], left.json["data"]["replan"]
    if moved:
        scene.run("replan", plan.tasks[1], "Offer berths by price").expect(0)
    before = scene.read(plan.file_of(plan.tasks[0]))
    landed = scene.run("land", branch, "--json").expect(0).json["data"]
    assert landed["replan"] == replan
    assert scene.read(plan.file_of(plan.tasks[0])) != before
    words = landed["rollback"].removeprefix("git wfp ").split()
    scene.run(*words, "-y").expect(0)
    assert scene.read(plan.file_of(plan.tasks[0])) == before


def test_what_ifs_that_landed_together_are_taken_back_together(scene: Scene) -> None:
    """Where a branch brings several replans, one command takes all of them back again."""
    plan = scene.session("nested", tasks=3)
    scene.commit("plan: berths")
    tree = scene.git("rev-parse", "HEAD:.workflow")
    first = scene.run("replan", plan.tasks[0], "Keep a log", "--branch-only", "--json").expect(0)
    scene.git("switch", "--quiet", first.json["data"]["branch"])
    second = scene.run("replan", plan.tasks[1], "Offer berths by price", "--json").expect(0)
    scene.git("switch", "--quiet", "main")
    landed = scene.run("land", second.json["data"]["branch"], "--json").expect(0).json["data"]
    words = landed["rollback"].removeprefix("git wfp ").split()
    scene.run(*words, "-y").expect(0)
    assert scene.git("rev-parse", "HEAD:.workflow") == tree
    again = scene.run("land", second.json["data"]["branch"], "--json").expect(0).json
    assert [told["code"] for told in again["diagnostics"]] == ["landed-already"]
    assert not again["data"]["changed"]
