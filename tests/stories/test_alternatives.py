"""Two what-ifs from one plan: compared, landed together or one by one, dropped; and blame."""

import json
import random

import pytest

from tests.scene import Scene
from tests.stories.harbour import (
    FOLDER,
    SESSION,
    TASK,
    assert_clean,
    assert_untouched,
    harbour,
    need,
    replanned,
    requirements,
    retitle,
)

BRANCH_ONLY = ("--branch-only", "-y")


def two_what_ifs(scene: Scene) -> tuple[str, str]:
    """Makes a plan and two what-ifs of it, which both rename a task; returns their branches."""
    harbour(scene)
    wanted = (
        (need("IMPL-3", "Show the price"), retitle("IMPL-2", "Find a berth"), retitle_last("Pay")),
        (need("IMPL-4", "Send a mail"), retitle("IMPL-2", "Seek a berth"), retitle_last("Pay")),
    )
    one, other = (replanned(scene, *w, words=BRANCH_ONLY)["branch"] for w in wanted)
    return one, other


def retitle_last(title: str) -> dict[str, object]:
    """Returns the operation that both what-ifs have in common."""
    return dict(retitle("IMPL-1", title))


def tasks_of(changes: list[dict[str, str | None]]) -> list[str]:
    """Returns the tasks that changes are about; the lists in documents follow them."""
    return [task for change in changes if (task := change["task"]) is not None]


def test_two_what_ifs_side_by_side(scene: Scene) -> None:
    """Compare tells what only one side does, what both do, and where they cannot both land."""
    one, other = two_what_ifs(scene)
    before = scene.snapshot()
    told = scene.run("compare", one, other, "--json").expect(0).json["data"]
    assert told["base"] == scene.git("rev-parse", "HEAD")
    (session,) = told["sessions"]
    assert session["session"] == SESSION
    assert tasks_of(session["left"]["changes"]) == ["IMPL-2", "IMPL-3"]
    assert tasks_of(session["right"]["changes"]) == ["IMPL-2", "IMPL-4"]
    assert tasks_of(session["shared"]) == ["IMPL-1"]
    assert "IMPL-2" in [conflict["location"]["task"] for conflict in session["conflicts"]]
    shown = scene.run("compare", one, other).expect(0).out
    for line in (
        "Only in A:",
        "Only in B:",
        "In both:",
        "    + Show the price",
        "    + Send a mail",
    ):
        assert line in shown.splitlines()
    assert "IMPL-2, title: here 'Find a berth'; there 'Seek a berth'." in shown
    assert_untouched(scene, before)


def test_compare_needs_a_common_past(scene: Scene) -> None:
    """Revisions that never were one cannot be seen from where they parted; the way out is named."""
    harbour(scene)
    scene.git("switch", "--quiet", "--orphan", "elsewhere")
    scene.git("commit", "--quiet", "--allow-empty", "--message", "elsewhere")
    assert "git wfp diff" in scene.run("compare", "main", "elsewhere").expect(4).err
    scene.run("compare", "main", "nowhere").expect(3)
    scene.run("compare", "main", "main", "-s", "WFS-nowhere").expect(3)
    same = scene.run("compare", "main", "main").expect(0)
    assert "Neither of them changes a plan." in same.out


def test_the_one_lands_and_the_other_goes(scene: Scene) -> None:
    """Landing names the what-if that it shuts out; dropping that one keeps its commit."""
    one, other = two_what_ifs(scene)
    commit = scene.git("rev-parse", other)
    landed = scene.run("land", one, "-y", "--json").expect(0).json
    (note,) = landed["diagnostics"]
    assert note["code"] == "what-ifs-overlap"
    assert other in note["message"]
    assert note["location"]["task"] == "IMPL-2"
    assert scene.run("land", other).expect(5).err.count("IMPL-2, title") == 1

    dry = scene.run("drop", other, "--dry-run", "--json").expect(0).json["data"]
    assert not dry["written"]
    assert scene.git("rev-parse", other) == commit
    gone = scene.run("drop", other, "--json").expect(0).json["data"]
    assert gone["written"]
    assert scene.git("for-each-ref", f"refs/heads/{other}") == ""
    assert scene.git("rev-parse", gone["kept_as"]) == commit
    scene.git("branch", other, gone["kept_as"])
    assert scene.run("compare", "HEAD", other).expect(0).out
    assert_clean(scene)


def test_what_drop_leaves_alone(scene: Scene) -> None:
    """Only a replan's branch is dropped, and none that is checked out; what landed needs no ref."""
    harbour(scene)
    branch = replanned(scene, need("IMPL-3", "Show the price"))["branch"]
    before = scene.snapshot()
    scene.run("drop", "main").expect(4)
    scene.run("drop", "wfp/none").expect(3)
    assert_untouched(scene, before)
    gone = scene.run("drop", branch, "--json").expect(0).json["data"]
    assert gone["kept_as"] is None
    kept = replanned(scene, need("IMPL-3", "Hide the price"), words=BRANCH_ONLY)["branch"]
    scene.git("worktree", "add", "--quiet", str(scene.path.parent / "linked"), kept)
    assert "in use" in scene.run("drop", kept).expect(6).err


def test_several_land_at_once(scene: Scene) -> None:
    """Several what-ifs land together, in the order in which they are named, each its own commit."""
    harbour(scene)
    texts = ("Show the price", "Show the depth", "Show the tide")
    made = [replanned(scene, need("IMPL-3", text), words=BRANCH_ONLY) for text in texts]
    branches = [one["branch"] for one in made]
    tree = scene.git("rev-parse", "HEAD:.workflow")
    landed = scene.run("land", branches[2], branches[0], branches[1], "--json").expect(0).json
    assert requirements(scene)[-3:] == [texts[2], texts[0], texts[1]]
    entries = scene.run("log", "-n", "3", "--json").expect(0).json["data"]["entries"]
    assert [entry["replan"] for entry in entries] == [made[n]["replan"] for n in (1, 0, 2)]
    scene.run(*landed["data"]["rollback"].split()[2:], "-y").expect(0)
    assert scene.git("rev-parse", "HEAD:.workflow") == tree
    assert_clean(scene)


def test_either_all_land_or_none(scene: Scene) -> None:
    """When one of several cannot land, the others stay where they are too."""
    one, other = two_what_ifs(scene)
    third = replanned(scene, need("IMPL-3", "Show the depth"), words=BRANCH_ONLY)["branch"]
    before = scene.snapshot()
    assert other in scene.run("land", third, one, other).expect(5).err
    assert_untouched(scene, before)
    scene.session("flat", tasks=2, session="WFS-other")
    scene.commit("another plan")
    words = ("-s", "WFS-other", "--from", "-", *BRANCH_ONLY, "--json")
    told = scene.run("replan", *words, input=json.dumps([retitle("IMPL-1", "Else")])).expect(0)
    refused = scene.run("land", one, told.json["data"]["branch"]).expect(4)
    assert "more than one session" in refused.err


def dug_up(scene: Scene, field: str) -> dict[str, str]:
    """Returns by plain git which commit brought each present item of a list of the task."""
    commits = scene.git("rev-list", "--topo-order", "HEAD", "--", TASK).split()
    lists = [json.loads(scene.git("show", f"{c}:{TASK}"))["context"][field] for c in commits]
    origins: dict[str, str] = {}
    for number, commit in enumerate(commits):
        older = lists[number + 1] if number + 1 < len(lists) else []
        for item in lists[number]:
            if item in lists[0] and item not in older:
                origins.setdefault(item, commit)
    return origins


@pytest.mark.parametrize("field", ["acceptance", "requirements"])
def test_blame_is_what_digging_by_hand_finds(scene: Scene, field: str) -> None:
    """After ten replans that add, remove and move items, each is blamed on what brought it."""
    harbour(scene)
    rng = random.Random(field)
    for number in range(10):
        held = json.loads(scene.read(TASK))["context"][field]
        drop = [rng.choice(held)] if number % 3 == 2 and held else []
        # What was removed comes back now and then: the newest commit that brought it counts.
        add = [f"Item {number}", *([f"Item {number - 3}"] if number % 4 == 3 else [])]
        add = [item for item in add if item not in held]
        replanned(scene, {"type": "update", "task": "IMPL-3", field: {"add": add, "remove": drop}})
    told = scene.run("blame", "IMPL-3", field, "--json").expect(0).json["data"]
    found = {fact["value"]: fact["origin"]["commit"] for fact in told["facts"]}
    assert found == dug_up(scene, field)
    assert len(set(found.values())) > 4


def test_blame_of_everything(scene: Scene) -> None:
    """Every fact has an origin: outside commits, an edge, and what a rollback brought back."""
    harbour(scene)
    first = scene.git("rev-parse", "HEAD")
    done = replanned(scene, retitle("IMPL-3", "Book a place"))
    scene.run("rollback", done["replan"]).expect(0)
    told = scene.run("blame", "IMPL-03", "--json").expect(0).json["data"]
    assert told["task"] == "IMPL-3"
    origins = {
        (fact["field"], fact["value"]): fact["origin"]
        for fact in told["facts"]
        if isinstance(fact["value"], str)
    }
    title = next(origin for (field, _), origin in origins.items() if field == "title")
    assert title["kind"] == "rollback"
    edges = [origin for (field, _), origin in origins.items() if field == "depends_on"]
    assert [(edge["commit"], edge["kind"]) for edge in edges] == [(first, "outside")]
    files = [fact["value"] for fact in told["facts"] if fact["field"] == "files"]
    assert all(isinstance(value, str) for value in files)
    at_first = scene.run("blame", "IMPL-3", "Title", "--at", first).expect(0).out
    assert first[:10] in at_first


def test_blame_says_what_is_not_there(scene: Scene) -> None:
    """An unknown task or field is answered with those there are; no commit, no blame."""
    scene.session("nested", tasks=2)
    scene.run("blame", "IMPL-1").expect(3)
    scene.commit("plan")
    assert "IMPL-1" in scene.run("blame", "IMPL-9").expect(3).err
    assert "requirements" in scene.run("blame", "IMPL-1", "colour").expect(3).err


def test_blame_in_a_shallow_clone(scene: Scene) -> None:
    """What came before the history that is here is said to have come before it."""
    harbour(scene)
    replanned(scene, need("IMPL-3", "Show the price"))
    replanned(scene, need("IMPL-3", "Show the depth"))
    shallow = scene.clone("shallow", "--depth=2", "--no-local")
    told = shallow.run("blame", "IMPL-3", "requirements", "--json").expect(0).json["data"]
    newest = told["facts"][-1]
    assert newest["value"] == "Show the depth"
    assert newest["origin"]["commit"] == shallow.git("rev-parse", "HEAD")
    assert told["facts"][0]["origin"] is None
    assert "before this history" in shallow.run("blame", "IMPL-3").expect(0).out


def test_a_broken_file_is_told_beside_what_differs(scene: Scene) -> None:
    """Diff, compare and blame answer for what can be read, and name the file that cannot."""
    harbour(scene)
    scene.write({f"{FOLDER}/.task/IMPL-9.json": "{", TASK: "<<<<<<< ours\n"})
    for words in (("diff",), ("diff", "HEAD", "--json"), ("status",), ("next", "--json")):
        told = scene.run(*words).expect(0)
        assert "IMPL-9.json" in told.text
    scene.commit("broken")
    for words in (("diff", "HEAD~1", "HEAD"), ("compare", "HEAD~1", "HEAD"), ("blame", "IMPL-1")):
        scene.run(*words).expect(0)


def test_only_a_new_session_is_told_to_be_started(scene: Scene) -> None:
    """A change of a plan without a session file is told as the change that it is."""
    plan = harbour(scene, "lite")
    told = scene.run("replan", plan.tasks[0], "Show the price", "-y").expect(0).out
    assert "is started" not in told
    assert "Show the price" in told
    assert "is started" in scene.run("start", "Sell ice").expect(0).out
