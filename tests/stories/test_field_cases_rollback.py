"""The field cases of the area rollback: what went wrong for users of other tools, and not here."""

import json

from tests.git.publishing import leavings
from tests.scene import Scene
from tests.stories.harbour import (
    FOLDER,
    TASK,
    assert_clean,
    assert_untouched,
    edit,
    harbour,
    need,
    plan_tree,
    replanned,
    requirements,
    retitle,
    rolled_back,
    touched,
)

PRICE_FIRST = need("IMPL-3", "Show the price before asking for a name")


def test_uncommitted_edits(scene: Scene) -> None:
    """F-RB-01: a rollback lists plan files with edits, staged or not, and changes none of them."""
    harbour(scene)
    replanned(scene, PRICE_FIRST)
    other = f"{FOLDER}/.task/IMPL-1.json"
    edit(scene, "Refuse two bookings", "Refuse three bookings", other)
    scene.git("add", other)
    edit(scene, "full euros", "cents")
    before = scene.snapshot()
    run = scene.run("rollback", "--last", "-y").expect(5)
    assert TASK in run.err
    assert other in run.err
    assert_untouched(scene, before)


def test_rolling_back_twice(scene: Scene) -> None:
    """F-RB-02: the second rollback of a replan says that it is done already and makes nothing."""
    harbour(scene)
    tree = plan_tree(scene)
    done = replanned(scene, PRICE_FIRST)
    back = rolled_back(scene, done["replan"])
    before = scene.snapshot()
    run = scene.run("rollback", done["replan"]).expect(0)
    assert "already rolled back" in run.err
    assert back["replan"] in run.err
    again = rolled_back(scene, done["replan"])
    assert (again["changed"], again["commit"]) == (False, None)
    assert_untouched(scene, before)
    assert plan_tree(scene) == tree


def test_a_replan_that_was_merged(scene: Scene) -> None:
    """F-RB-03: a replan that came by a merge is taken back alone; the code beside it stays."""
    harbour(scene)
    tree = plan_tree(scene)
    done = replanned(scene, PRICE_FIRST, words=("--branch-only",))
    scene.git("switch", "--quiet", done["branch"])
    scene.write({"src/x.py": "x = 1\n"})
    scene.commit("x")
    scene.git("switch", "--quiet", "main")
    scene.git("merge", "--quiet", "--no-ff", "--no-edit", done["branch"])
    rolled_back(scene, done["replan"])
    assert plan_tree(scene) == tree
    assert scene.read("src/x.py") == "x = 1\n"
    assert all(path.startswith(".workflow/") for path in touched(scene))
    assert_clean(scene)


def test_the_merge_commit_itself(scene: Scene) -> None:
    """F-RB-03: named by the merge commit, what the merge brought to the first line is undone."""
    harbour(scene)
    tree = plan_tree(scene)
    done = replanned(scene, PRICE_FIRST, words=("--branch-only",))
    scene.write({"src/app.py": "print('meanwhile')\n"})
    scene.commit("meanwhile")
    scene.git("merge", "--quiet", "--no-ff", "--no-edit", done["branch"])
    rolled_back(scene, "HEAD")
    assert plan_tree(scene) == tree
    assert scene.read("src/app.py") == "print('meanwhile')\n"
    assert_clean(scene)


def test_a_later_replan_of_the_same_field(scene: Scene) -> None:
    """F-RB-04: both sides of the conflict are told by field, everything stays as it was.

    Rolling back the later replan first works.
    """
    harbour(scene)
    tree = plan_tree(scene)
    first = replanned(scene, retitle("IMPL-3", "Quote a fair price"))
    second = replanned(scene, retitle("IMPL-3", "Quote a price at once"))
    before = scene.snapshot()
    run = scene.run("rollback", first["replan"], "-y").expect(5)
    assert "IMPL-3, title" in run.err
    assert "'Quote a price at once'" in run.err
    assert "'Quote a price'" in run.err
    assert "Take back the later change first" in run.err
    conflict = scene.run("rollback", first["replan"], "--json").expect(5).json["diagnostics"][1]
    assert conflict["location"]["task"] == "IMPL-3"
    assert conflict["location"]["field"] == "title"
    assert_untouched(scene, before)
    assert "<<<<" not in json.dumps([scene.read(path) for path in before.worktree])
    rolled_back(scene, second["replan"])
    rolled_back(scene, first["replan"])
    assert plan_tree(scene) == tree


def test_an_amended_replan(scene: Scene) -> None:
    """F-RB-05: code that was amended into the replan commit stays when the replan is undone."""
    harbour(scene)
    tree = plan_tree(scene)
    done = replanned(scene, PRICE_FIRST)
    scene.write({"src/feature.py": "feature = 1\n"})
    scene.git("add", "src/feature.py")
    scene.git("commit", "--quiet", "--amend", "--no-edit")
    rolled_back(scene, done["replan"])
    assert plan_tree(scene) == tree
    assert scene.git("show", "HEAD:src/feature.py") == "feature = 1"
    assert all(path.startswith(".workflow/") for path in touched(scene))
    assert_clean(scene)


def test_commits_on_top_of_the_replan_branch(scene: Scene) -> None:
    """F-RB-06: the replan's branch stays while it holds commits that nothing else reaches."""
    harbour(scene)
    scene.git("config", "wfp.replan.keepBranches", "0")
    done = replanned(scene, PRICE_FIRST, words=("--branch-only",))
    branch = done["branch"]
    scene.git("switch", "--quiet", branch)
    for number in range(2):
        scene.write({f"src/{number}.py": f"{number}\n"})
        scene.commit(f"mine {number}")
    rolled_back(scene, "--last")
    tip = scene.git("rev-parse", branch)
    assert scene.git("log", "--format=%s", "-3", branch).splitlines()[1:] == ["mine 1", "mine 0"]
    scene.git("switch", "--quiet", "main")
    replanned(scene, retitle("IMPL-3", "Quote"))
    assert scene.git("rev-parse", branch) == tip
    assert leavings(scene) == []


def test_the_wrong_branch(scene: Scene) -> None:
    """F-RB-07: a replan of another branch is not undone here; where it belongs is told."""
    harbour(scene)
    scene.git("branch", "without")
    scene.git("switch", "--quiet", "--create", "with")
    done = replanned(scene, PRICE_FIRST)
    scene.git("switch", "--quiet", "without")
    before = scene.snapshot()
    run = scene.run("rollback", done["replan"], "-y").expect(3)
    assert "with" in run.err
    assert "switch there" in run.err
    run = scene.run("rollback", done["commit"], "-y").expect(3)
    assert "not part of this branch" in run.err
    scene.run("rollback", "--last", "-y").expect(3)
    assert_untouched(scene, before)
    assert PRICE_FIRST["requirements"]["add"][0] not in requirements(scene)
