"""What a rollback leaves behind: true counts, true marks, and words for what stands against it."""

import pytest

from tests.scene import Scene
from tests.stories.harbour import (
    FOLDER,
    SESSION,
    TASK,
    Operation,
    assert_clean,
    assert_untouched,
    edit,
    harbour,
    log,
    need,
    plan_tree,
    replanned,
    requirements,
    retitle,
    rolled_back,
)

PRICE = need("IMPL-3", "Show the price before asking for a name")
NAMES = need("IMPL-2", "Ask for the name of the boat")


def new_task(title: str) -> Operation:
    """Returns the operation that makes a task."""
    return {"type": "create", "title": title, "requirements": [title]}


def session_file(scene: Scene) -> str:
    """Returns the text of the session file."""
    return scene.read(f"{FOLDER}/workflow-session.json")


@pytest.mark.parametrize("count", ["**Total Tasks**: 4", "## 3. Steps (4 tasks)"])
def test_counts_follow_the_tasks(scene: Scene, count: str) -> None:
    """Two tasks added and taken back in the order they came leave the number that was there."""
    harbour(scene)
    plan = scene.read(f"{FOLDER}/IMPL_PLAN.md")
    if count not in plan:
        scene.write({f"{FOLDER}/IMPL_PLAN.md": f"{count}\n\n{plan}"})
        scene.commit("with a count")
    text = scene.read(f"{FOLDER}/IMPL_PLAN.md")
    one = replanned(scene, new_task("Print a receipt"), words=("-y",))["replan"]
    two = replanned(scene, new_task("Send a reminder"), words=("-y",))["replan"]
    assert count.replace("4", "6") in scene.read(f"{FOLDER}/IMPL_PLAN.md")
    rolled_back(scene, one, "-y")
    assert count.replace("4", "5") in scene.read(f"{FOLDER}/IMPL_PLAN.md")
    rolled_back(scene, two, "-y")
    assert scene.read(f"{FOLDER}/IMPL_PLAN.md") == text
    assert "last_replan" not in session_file(scene)
    assert_clean(scene)


def test_the_time_of_the_last_replan_is_that_of_one_that_stands(scene: Scene) -> None:
    """When the newest replan is taken back, the time recorded is that of the one before it."""
    harbour(scene)
    replanned(scene, PRICE)
    before = session_file(scene)
    newest = replanned(scene, NAMES)["replan"]
    replanned(scene, need("IMPL-1", "Keep bookings for ten years"))
    rolled_back(scene, "HEAD")
    rolled_back(scene, newest)
    assert session_file(scene) == before


def test_a_part_of_a_squash_by_its_commit(scene: Scene) -> None:
    """A commit that went into a squash with others is refused as its replan id is."""
    harbour(scene)
    scene.git("switch", "--quiet", "--create", "work")
    replanned(scene, PRICE)
    replanned(scene, NAMES)
    parts = scene.git("rev-list", "main..work").split()
    scene.git("switch", "--quiet", "main")
    scene.git("merge", "--quiet", "--squash", "work")
    scene.git("commit", "--quiet", "--no-edit")
    (newest, *_) = log(scene, "--task", "IMPL-2")
    assert newest["tasks"] == ["IMPL-2", "IMPL-3"]
    before = scene.snapshot()
    for part in parts:
        run = scene.run("rollback", part).expect(5)
        assert "squashed into one commit with others" in run.err
        assert newest["commit"][:12] in run.err
    assert_untouched(scene, before)


def test_what_a_merge_brought_is_marked(scene: Scene) -> None:
    """After a merge commit is taken back, the replans that it brought are taken back, too."""
    harbour(scene)
    tree = plan_tree(scene)
    done = replanned(scene, PRICE, words=("--branch-only",))
    scene.write({"src/app.py": "print('meanwhile')\n"})
    scene.commit("meanwhile")
    scene.git("merge", "--quiet", "--no-ff", "--no-edit", done["branch"])
    back = rolled_back(scene, "HEAD")["replan"]
    assert plan_tree(scene) == tree
    marks = {entry["replan"]: entry["undone_by"] for entry in log(scene)}
    assert marks[done["replan"]] == back
    assert "no replan to take back" in scene.run("undo").expect(3).err
    scene.run("redo").expect(0)
    assert PRICE["requirements"]["add"][0] in requirements(scene)


def test_a_task_that_is_needed_by_now(scene: Scene) -> None:
    """Taking back a new task that another depends on says what would break and what goes first."""
    harbour(scene)
    tree = plan_tree(scene)
    one = replanned(scene, new_task("Print a receipt"), words=("-y",))["replan"]
    two = replanned(scene, {"type": "update", "task": "IMPL-4", "depends_on": {"add": ["IMPL-5"]}})[
        "replan"
    ]
    before = scene.snapshot()
    run = scene.run("rollback", one, "-y").expect(4)
    assert f"{one} cannot be taken back" in run.err
    assert "IMPL-4 depends on IMPL-5" in run.err
    assert f"Take back first what came later: {two}." in run.err
    assert_untouched(scene, before)
    rolled_back(scene, two)
    rolled_back(scene, one, "-y")
    assert "IMPL-5" not in scene.read(f"{FOLDER}/TODO_LIST.md")
    assert plan_tree(scene) == tree


def test_our_side_that_keeps_all_of_it(scene: Scene) -> None:
    """With --ours nothing may be left to take back: nothing is marked so, and --theirs works."""
    plan = harbour(scene)
    first = replanned(scene, retitle("IMPL-3", "Quote fairly"))["replan"]
    replanned(scene, retitle("IMPL-3", "Quote at once"))
    before = scene.snapshot()
    run = scene.run("rollback", first, "--ours", "-y").expect(0)
    assert "is not taken back: --ours keeps all that it changed" in run.err
    assert_untouched(scene, before)
    rolled_back(scene, first, "--theirs", "-y")
    assert scene.read(TASK) == plan.files[TASK]


@pytest.mark.parametrize("moved", [False, True])
def test_a_hand_edit_that_lands_with_a_replan(scene: Scene, moved: bool) -> None:
    """Landing tells of a commit that is no replan how to take it back, and that works."""
    harbour(scene)
    tree = plan_tree(scene)
    done = replanned(scene, PRICE, words=("--branch-only",))
    scene.git("switch", "--quiet", done["branch"])
    edit(scene, "full euros", "cents")
    by_hand = scene.commit("by hand")
    scene.git("switch", "--quiet", "main")
    if moved:
        scene.write({"src/app.py": "print('meanwhile')\n"})
        scene.commit("meanwhile")
    start = scene.git("rev-parse", "HEAD").strip()
    run = scene.run("land", done["branch"]).expect(0)
    assert f"git wfp rollback --to {start}" in run.out
    assert f"git wfp rollback {by_hand[:12]} takes it back" in run.err
    rolled_back(scene, "--to", start)
    assert "full euros" not in scene.read(TASK)
    rolled_back(scene, by_hand[:12])
    assert plan_tree(scene) == tree
    assert log(scene, "--session", SESSION)[0]["kind"] == "rollback"
