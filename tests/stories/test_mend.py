"""replan --from-findings: what verify finds and has one answer is put right, in one commit."""

import json

import pytest

from tests.core.damages import FOLDER
from tests.scene import Scene
from tests.stories.pushing import damage, planned

FIXED = (
    "dangling-dependency",
    "redundant-dependency",
    "task-count-drift",
    "title-drift",
    "task-not-listed",
    "listed-without-task",
    "focus-path-missing",
    "used-before-made",
    "order-against-dependencies",
)


def rules(scene: Scene) -> set[str]:
    """Returns the rules that find something."""
    run = scene.run("verify", "--json", "--no-write")
    assert run.code in (0, 1)
    return {one["rule"] for one in run.json["data"]["sessions"][0]["findings"]}


@pytest.mark.parametrize("name", FIXED)
def test_what_has_one_answer_is_mended(scene: Scene, name: str) -> None:
    """The rule finds nothing afterwards, nothing new is found, and it can be taken back."""
    planned(scene)
    damage(scene, name)
    scene.commit("damaged")
    before = rules(scene)
    assert name in before
    run = scene.run("replan", "--from-findings", "--json").expect(0)
    assert run.json["data"]["changed"]
    assert "finding-mended" in [one["code"] for one in run.json["diagnostics"]]
    after = rules(scene)
    assert name not in after
    assert after <= before
    planner = scene.git("log", "-1", "--format=%(trailers:key=Wfp-Planner,valueonly)")
    assert planner.strip() == "findings"
    scene.run("rollback", "--last", "-y").expect(0)
    assert rules(scene) == before


def test_several_at_once(scene: Scene) -> None:
    """One commit mends all of them, and says what is left."""
    planned(scene)
    damage(scene, *FIXED[:4], "no-acceptance")
    scene.commit("damaged")
    run = scene.run("replan", "--from-findings", "--json").expect(0)
    codes = [one["code"] for one in run.json["diagnostics"]]
    assert codes.count("finding-mended") >= 3
    assert "findings-left" in codes
    assert not set(FIXED) & rules(scene)
    assert "no-acceptance" in rules(scene)


def test_what_people_decide_is_left(scene: Scene) -> None:
    """Of a circle nobody can tell which dependency goes: nothing changes."""
    planned(scene)
    damage(scene, "circular-dependency")
    tip = scene.commit("damaged")
    run = scene.run("replan", "--from-findings", "--json").expect(0)
    assert run.json["data"]["changed"] is False
    assert scene.git("rev-parse", "HEAD") == tip
    scene.run("replan", "--from-findings", "words").expect(2)


def test_a_good_plan_stays_as_it_is(scene: Scene) -> None:
    """Nothing to mend is no change and no commit."""
    planned(scene)
    run = scene.run("replan", "--from-findings", "--json").expect(0)
    assert run.json["data"]["changed"] is False
    task = json.loads(scene.read(f"{FOLDER}/.task/IMPL-1.json"))
    assert task["id"] == "IMPL-1"


def test_a_task_that_cannot_be_read_stops_it(scene: Scene) -> None:
    """It may be what the counts speak of, so nothing is mended around it."""
    planned(scene)
    scene.write({f"{FOLDER}/.task/IMPL-3.json": "{"})
    tip = scene.commit("broken")
    scene.run("replan", "--from-findings").expect(4)
    assert scene.git("rev-parse", "HEAD") == tip
