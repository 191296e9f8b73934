"""Files that cannot be understood are taken back and landed as whole files, or not at all."""

import pytest

from tests.plans import Shape
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
    rolled_back,
)

SESSION_FILE = f"{FOLDER}/workflow-session.json"
LOG = need("IMPL-2", "Log every attempt")


def break_file(scene: Scene, path: str, why: str = "broken") -> None:
    """Commits a file with one brace too many at its start."""
    scene.write({path: "{" + scene.read(path)})
    scene.commit(why)


@pytest.mark.parametrize("path", [TASK, SESSION_FILE])
def test_a_commit_that_broke_a_file_is_taken_back(scene: Scene, path: str) -> None:
    """The old bytes come back into the same file, and go again when that is taken back."""
    harbour(scene)
    good = plan_tree(scene)
    break_file(scene, path)
    bad = plan_tree(scene)
    rolled_back(scene, "HEAD")
    assert plan_tree(scene) == good
    rolled_back(scene, "HEAD")
    assert plan_tree(scene) == bad
    assert_clean(scene)


def test_what_else_the_commit_did_is_taken_back_by_a_merge(scene: Scene) -> None:
    """Beside the broken file, later replans stay and what the commit edited goes."""
    harbour(scene)
    good = plan_tree(scene)
    other = f"{FOLDER}/.task/IMPL-2.json"
    edit(scene, '"status": "pending"', '"status": "pending", "owner": "Ada"', other)
    break_file(scene, TASK)
    done = replanned(scene, LOG)
    rolled_back(scene, "HEAD~1")
    assert "Log every attempt" in scene.read(other)
    assert "Ada" not in scene.read(other)
    rolled_back(scene, done["replan"])
    assert plan_tree(scene) == good


def test_a_broken_file_that_was_changed_since(scene: Scene) -> None:
    """It is not guessed at: 4, the file is named, nothing is written."""
    harbour(scene)
    break_file(scene, TASK)
    break_file(scene, TASK, "worse")
    before = scene.snapshot()
    assert TASK in scene.run("rollback", "HEAD~1", "-y").expect(4).err
    assert_untouched(scene, before)


def test_a_broken_file_that_was_mended_since(scene: Scene) -> None:
    """Of a commit that broke a file which can be read again, nothing is left to take back."""
    harbour(scene)
    text = scene.read(TASK)
    break_file(scene, TASK)
    scene.write({TASK: text.replace("full euros", "cents")})
    scene.commit("mended")
    before = scene.snapshot()
    assert "Nothing changed" in scene.run("rollback", "HEAD~1", "-y").expect(0).out
    assert_untouched(scene, before)


def test_a_replan_of_a_session_whose_file_is_broken_by_now(scene: Scene) -> None:
    """What was replanned before a file broke is not guessed at either: nothing is written."""
    harbour(scene)
    edit(scene, '"WFS-berths"', '"WFS-berths", "description": "Quieter"', SESSION_FILE)
    scene.commit("description")
    break_file(scene, SESSION_FILE)
    before = scene.snapshot()
    run = scene.run("rollback", "HEAD~1", "-y")
    assert run.code in (4, 5)
    assert "workflow-session.json" in run.err
    assert_untouched(scene, before)


def test_a_what_if_with_a_broken_file(scene: Scene) -> None:
    """A branch that broke a task file never deletes the task when it lands: 4."""
    harbour(scene)
    scene.git("switch", "--quiet", "--create", "idea")
    break_file(scene, TASK)
    scene.git("switch", "--quiet", "main")
    replanned(scene, LOG)
    before = scene.snapshot()
    assert TASK in scene.run("land", "idea", "-y").expect(4).err
    assert_untouched(scene, before)


def test_a_what_if_that_mends_a_broken_file(scene: Scene) -> None:
    """Its bytes land in the file that was broken, and no second file appears."""
    harbour(scene)
    text = scene.read(TASK)
    break_file(scene, TASK)
    scene.git("switch", "--quiet", "--create", "idea")
    scene.write({TASK: text})
    scene.commit("mended")
    scene.git("switch", "--quiet", "main")
    done = replanned(scene, LOG)
    scene.run("land", "idea", "-y").expect(0)
    assert scene.read(TASK) == text
    assert requirements(scene)
    names = scene.git("ls-files", f"{FOLDER}/.task").splitlines()
    assert len(names) == 4
    rolled_back(scene, done["replan"])
    assert_clean(scene)


@pytest.mark.parametrize("shape", ["nested", "lite"])
def test_a_commit_that_made_a_session(scene: Scene, shape: Shape) -> None:
    """Taken back, its plan and companions go, and what stays is named; redone, all is back."""
    scene.session("flat", 2, session="WFS-other")
    scene.commit("plan: other")
    bare = scene.git("rev-parse", "HEAD:.workflow")
    plan = scene.session(shape, 3)
    companions = (".summaries/T1.md", ".process/verification.json", "exploration-auth.json")
    scene.write({f"{plan.path}/{name}": "{}\n" for name in companions})
    scene.commit("plan: berths")
    tree = scene.git("rev-parse", "HEAD:.workflow")
    scene.run("rollback", "HEAD", "-y").expect(0)
    assert scene.git("rev-parse", "HEAD:.workflow") == bare
    scene.run("rollback", "HEAD", "-y").expect(0)
    assert scene.git("rev-parse", "HEAD:.workflow") == tree
    scene.run("rollback", "HEAD", "-y").expect(0)
    scene.write({f"{plan.path}/notes.txt": "mine\n"})
    scene.commit("notes")
    scene.run("rollback", "HEAD~1", "-y").expect(0)
    for words in (("--dry-run",), ("-y",)):
        run = scene.run("rollback", "HEAD", *words).expect(0)
        assert "notes.txt" in run.out + run.err
    assert scene.git("ls-files", plan.path) == f"{plan.path}/notes.txt"
    assert_clean(scene)


def test_a_lite_plan_that_is_nothing_but_tasks(scene: Scene) -> None:
    """Its file goes with its tasks, and no empty list is left behind."""
    harbour(scene)
    path = ".workflow/.lite-plan/ropes-2025-03-15/plan.json"
    scene.write({path: '{"tasks": [{"id": "T1", "title": "Buy ropes"}]}\n'})
    scene.commit("plan: ropes")
    scene.run("rollback", "HEAD", "-y").expect(0)
    assert scene.git("ls-files", path) == ""
    assert_clean(scene)


def test_a_branch_that_takes_itself_back(scene: Scene) -> None:
    """What one commit of a branch adds and the next takes away lands as nothing."""
    harbour(scene)
    scene.git("switch", "--quiet", "--create", "idea")
    done = replanned(scene, LOG)
    replanned(scene, need("IMPL-3", "Show the price"))
    rolled_back(scene, done["replan"])
    scene.git("switch", "--quiet", "main")
    replanned(scene, need("IMPL-1", "Keep the list short"))
    text = scene.read(f"{FOLDER}/.task/IMPL-2.json")
    scene.run("land", "idea", "-y").expect(0)
    assert scene.read(f"{FOLDER}/.task/IMPL-2.json") == text
    assert "Show the price" in requirements(scene)
    assert_clean(scene)
