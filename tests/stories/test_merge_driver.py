"""Two clones that replan the same session: git's own merges go field by field."""

import json
from typing import Any

import pytest

from tests.core.damages import FOLDER
from tests.scene import Scene
from tests.stories.harbour import Operation, need, replanned, retitle
from tests.stories.pushing import central, planned, push

TASKS = f"{FOLDER}/.task"


@pytest.fixture
def mine(scene: Scene) -> Scene:
    """A repository with a plan, pushed to a central one."""
    planned(scene)
    scene.run("init", "-y").expect(0)
    scene.commit("set up")
    central(scene)
    push(scene).expect(0)
    return scene


@pytest.fixture
def theirs(mine: Scene) -> Scene:
    """A clone of it, set up as well."""
    mine.git("clone", "-q", "../central.git", "../theirs")
    clone = mine.beside("theirs")
    clone.run("init", "-y").expect(0)
    return clone


def task(scene: Scene, name: str) -> Any:
    """Returns a task's file, which must be valid JSON."""
    return json.loads(scene.read(f"{TASKS}/{name}.json"))


def is_valid(scene: Scene) -> None:
    """Every JSON file of the plan is JSON, and the plan passes."""
    for path in scene.git("ls-files", FOLDER).split("\n"):
        if path.endswith(".json"):
            json.loads(scene.read(path))
    scene.run("verify", "--no-write").expect(0)


def test_different_tasks(mine: Scene, theirs: Scene) -> None:
    """Both changes are there, the histories of both too, and the plan is valid."""
    replanned(mine, need("IMPL-1", "Remember the pier"))
    replanned(theirs, need("IMPL-4", "Send a receipt"))
    push(mine).expect(0)
    theirs.git("pull", "-q", "--no-rebase", "--no-edit")
    assert "Remember the pier" in task(theirs, "IMPL-1")["context"]["requirements"]
    assert "Send a receipt" in task(theirs, "IMPL-4")["context"]["requirements"]
    session = json.loads(theirs.read(f"{FOLDER}/workflow-session.json"))
    assert len(session["replan_history"]) == 2
    is_valid(theirs)
    push(theirs).expect(0)


def test_different_fields_of_one_task(mine: Scene, theirs: Scene) -> None:
    """A title and two lists of one task go together."""
    replanned(mine, retitle("IMPL-1", "Keep berths and bookings"), need("IMPL-1", "A pier"))
    replanned(theirs, need("IMPL-1", "A buoy"))
    push(mine).expect(0)
    theirs.git("pull", "-q", "--no-rebase", "--no-edit")
    merged = task(theirs, "IMPL-1")
    assert merged["title"] == "Keep berths and bookings"
    assert {"A pier", "A buoy"} <= set(merged["context"]["requirements"])
    is_valid(theirs)


def test_the_same_field(mine: Scene, theirs: Scene) -> None:
    """It is a conflict in valid JSON that verify and gate stop at until it is decided."""
    replanned(mine, retitle("IMPL-1", "Mine"))
    replanned(theirs, retitle("IMPL-1", "Theirs"))
    push(mine).expect(0)
    said = theirs.git("pull", "--no-rebase", "--no-edit", ok=(1,))
    assert "CONFLICT" in said
    merged = task(theirs, "IMPL-1")
    assert merged["title"] == "Theirs"
    [conflict] = merged["_wfp_conflicts"]
    assert (conflict["field"], conflict["ours"], conflict["theirs"]) == ("title", "Theirs", "Mine")
    assert "<<<<" not in theirs.read(f"{TASKS}/IMPL-1.json")
    theirs.git("add", "-A")
    theirs.git("commit", "-q", "--no-edit")
    run = theirs.run("verify", "--no-write", "--json").expect(1)
    [finding] = [
        one
        for one in run.json["data"]["sessions"][0]["findings"]
        if one["rule"] == "unresolved-conflict" and one["location"]["task"]
    ]
    assert finding["severity"] == "CRITICAL"
    assert finding["location"]["task"] == "IMPL-1"
    push(theirs).expect(1)
    del merged["_wfp_conflicts"]
    theirs.write({f"{TASKS}/IMPL-1.json": merged})
    rest = [one for one in run.json["data"]["sessions"][0]["findings"] if "conflict" in one["rule"]]
    for one in rest:
        path = one["location"]["path"]
        if path and path.endswith(".md"):
            lines = theirs.read(path).split("\n")
            kept = [line for line in lines if not line.startswith("<!-- wfp-conflict")]
            theirs.write({path: "\n".join(kept)})
    theirs.commit("decided")
    push(theirs).expect(0)


@pytest.mark.parametrize("way", ["rebase", "cherry-pick", "stash"])
def test_other_ways_to_merge(mine: Scene, theirs: Scene, way: str) -> None:
    """Rebase, cherry-pick and stash call the same driver."""
    replanned(mine, need("IMPL-1", "A pier"), need("IMPL-2", "By size"))
    push(mine).expect(0)
    if way == "stash":
        value = task(theirs, "IMPL-1")
        value["context"]["requirements"].append("A buoy")
        theirs.write({f"{TASKS}/IMPL-1.json": value})
        theirs.git("stash", "-q")
        theirs.git("pull", "-q", "--ff-only")
        theirs.git("stash", "pop")
    else:
        replanned(theirs, need("IMPL-1", "A buoy"))
        theirs.git("fetch", "-q")
        if way == "rebase":
            theirs.git("rebase", "-q", "origin/main")
        else:
            tip = theirs.git("rev-parse", "HEAD")
            theirs.git("reset", "-q", "--hard", "origin/main")
            theirs.git("cherry-pick", tip)
    assert {"A pier", "A buoy"} <= set(task(theirs, "IMPL-1")["context"]["requirements"])
    is_valid(theirs)


ADDED: Operation = {"type": "create", "title": "Print tickets", "requirements": ["On paper"]}


def test_two_new_tasks(mine: Scene, theirs: Scene) -> None:
    """Both took the next id: that is a conflict that shows both, and nothing is lost."""
    replanned(mine, ADDED, words=("-y",))
    other = {**ADDED, "title": "Send tickets", "requirements": ["By mail"]}
    replanned(theirs, other, words=("-y",))
    push(mine).expect(0)
    theirs.git("pull", "-q", "--no-rebase", "--no-edit", ok=(1,))
    merged = task(theirs, "IMPL-5")
    assert merged["title"] == "Send tickets"
    assert "Print tickets" in json.dumps(merged["_wfp_conflicts"])


def test_numbers_of_both(mine: Scene, theirs: Scene) -> None:
    """A task that each side added under an id of its own is counted twice."""
    replanned(mine, ADDED, words=("-y",))
    value = {**task(mine, "IMPL-5"), "id": "IMPL-6", "title": "Send tickets"}
    theirs.write({f"{TASKS}/IMPL-6.json": value})
    overview = json.loads(theirs.read(f"{FOLDER}/plan.json"))
    overview["task_ids"].append("IMPL-6")
    overview["task_count"] = 5
    theirs.write({f"{FOLDER}/plan.json": overview})
    theirs.commit("by hand")
    push(mine).expect(0)
    theirs.git("pull", "-q", "--no-rebase", "--no-edit", ok=(0, 1))
    merged = json.loads(theirs.read(f"{FOLDER}/plan.json"))
    assert merged["task_count"] == 6
    assert set(merged["task_ids"]) == {f"IMPL-{n}" for n in range(1, 7)}


@pytest.mark.parametrize("broken", ["{", "[]", "\xff"])
def test_what_cannot_be_read_stays_ours(mine: Scene, theirs: Scene, broken: str) -> None:
    """No marks go into JSON, whatever the other side has made of it."""
    path = f"{TASKS}/IMPL-1.json"
    mine.write({path: broken})
    mine.commit("broken")
    push(mine, "--no-verify", "origin", "main").expect(0)
    replanned(theirs, need("IMPL-1", "A buoy"))
    before = task(theirs, "IMPL-1")
    theirs.git("pull", "-q", "--no-rebase", "--no-edit", ok=(1,))
    after = task(theirs, "IMPL-1")
    assert after.pop("_wfp_conflicts")[0]["field"] == ""
    assert after == before
    theirs.run("verify", "--no-write").expect(1)


@pytest.mark.parametrize("deleted_here", [True, False])
def test_a_lite_task_deleted_and_changed(scene: Scene, deleted_here: bool) -> None:
    """What one side changed of a task that the other took away is recorded, either way round."""
    plan = scene.session("lite", 3)
    scene.run("init", "-y").expect(0)
    scene.commit("plan")
    path = f"{plan.path}/plan.json"
    value = json.loads(scene.read(path))
    shorter = {**value, "tasks": value["tasks"][:-1]}
    value["tasks"][-1]["title"] = "Changed there"
    for branch, content in (("one", shorter), ("other", value)):
        scene.git("switch", "-qc", branch, "main")
        scene.write({path: content})
        scene.commit(branch)
    here, there = ("one", "other") if deleted_here else ("other", "one")
    scene.git("switch", "-q", here)
    scene.git("merge", "-q", "--no-edit", there, ok=(1,))
    merged = scene.read(path)
    json.loads(merged)
    assert "Changed there" in merged
    assert "_wfp_conflicts" in merged
    scene.run("verify", plan.id, "--no-write").expect(1)


def test_a_renamed_task_file(mine: Scene) -> None:
    """A task that got another id here and another title there keeps a record of the title."""
    mine.git("switch", "-qc", "side")
    replanned(mine, retitle("IMPL-4", "Changed there"))
    mine.git("switch", "-q", "main")
    value = {**task(mine, "IMPL-4"), "id": "IMPL-44"}
    mine.git("mv", f"{TASKS}/IMPL-4.json", f"{TASKS}/IMPL-44.json")
    mine.write({f"{TASKS}/IMPL-44.json": value})
    mine.commit("renamed")
    mine.git("merge", "-q", "--no-edit", "side", ok=(1,))
    assert "Changed there" in json.dumps(task(mine, "IMPL-44")["_wfp_conflicts"])


def test_a_clone_without_the_program(mine: Scene, theirs: Scene) -> None:
    """Git merges lines there, as it does without a driver."""
    command = theirs.git("config", "merge.wfp.driver")
    program = command.split()[3].rstrip(";")
    theirs.git("config", "merge.wfp.driver", command.replace(program, "/nowhere/git-wfp"))
    replanned(mine, retitle("IMPL-1", "Mine"))
    replanned(theirs, need("IMPL-1", "A buoy"))
    push(mine).expect(0)
    theirs.git("pull", "-q", "--no-rebase", "--no-edit", ok=(0, 1))
    text = theirs.read(f"{TASKS}/IMPL-1.json")
    assert '"title": "Mine"' in text
    assert "A buoy" in text


def test_driver_and_library_agree(mine: Scene, theirs: Scene) -> None:
    """A merge by git and a landing in process give the same files."""
    branch = replanned(
        mine, need("IMPL-1", "A pier"), need("IMPL-4", "A receipt"), words=("--branch-only",)
    )["branch"]
    replanned(mine, need("IMPL-1", "A buoy"), retitle("IMPL-4", "Book at once"))
    mine.git("switch", "-q", "-c", "by-git")
    mine.git("merge", "-q", "--no-edit", branch)
    mine.git("switch", "-q", "main")
    mine.run("land", branch, "-y", env={"WFP_REPLAN_LANDING": "merge"}).expect(0)
    differing = mine.git("diff", "--name-only", "by-git", "main", "--", FOLDER).split()
    assert set(differing) <= {f"{FOLDER}/workflow-session.json"}
