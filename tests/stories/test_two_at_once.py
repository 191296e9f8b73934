"""Two people who did the same at once: ids that both took, landings that are refused in part."""

from tests.scene import Scene
from tests.stories.harbour import FOLDER, Operation, harbour, need, replanned

ALPHA: Operation = {"type": "create", "title": "Alpha berth", "depends_on": ["IMPL-1"]}
BETA: Operation = {"type": "create", "title": "Beta berth", "depends_on": ["IMPL-2"]}


def what_if(scene: Scene, *wanted: Operation) -> str:
    """Makes a what-if; returns its branch."""
    data = replanned(scene, *wanted, words=("--branch-only", "-y"))
    branch: str = data["branch"]
    return branch


def test_two_new_tasks_of_one_id_are_not_mixed(scene: Scene) -> None:
    """The second one is refused as a whole; --theirs puts it in the place of the first."""
    harbour(scene)
    one, other = what_if(scene, ALPHA), what_if(scene, BETA)
    scene.run("land", one, "-y").expect(0)
    refused = scene.run("land", other, "-y", "--json").expect(5).json
    assert any("IMPL-5" in one["message"] for one in refused["diagnostics"])
    assert "replan it anew" in refused["diagnostics"][0]["hint"]
    scene.run("land", other, "-y", "--theirs").expect(0)
    shown = scene.run("show", "HEAD", "--json").expect(0).json
    assert shown["ok"]
    text = scene.read(f"{FOLDER}/.task/IMPL-5.json")
    assert "Beta berth" in text
    assert "IMPL-2" in text
    assert "IMPL-1" not in text


def test_two_new_tasks_of_one_title_are_two(scene: Scene) -> None:
    """The title alone does not make them one."""
    harbour(scene)
    one = what_if(scene, ALPHA)
    other = what_if(scene, {**ALPHA, "depends_on": ["IMPL-3"], "requirements": ["Other thing"]})
    scene.run("land", one, "-y").expect(0)
    scene.run("land", other, "-y").expect(5)


def test_a_landing_that_is_refused_whole_changes_nothing(scene: Scene) -> None:
    """--ours keeps a task that was changed since: no commit says that it is gone."""
    harbour(scene)
    gone = what_if(scene, {"type": "delete", "task": "IMPL-4"})
    replanned(scene, need("IMPL-4", "Say the price again"))
    head = scene.git("rev-parse", "HEAD")
    scene.run("land", gone, "-y").expect(5)
    done = scene.run("land", gone, "-y", "--ours", "--json").expect(0).json
    assert done["data"]["changed"] is False
    assert [one["code"] for one in done["diagnostics"]] == ["kept-as-it-is"]
    assert scene.git("rev-parse", "HEAD") == head


def test_a_landing_that_is_refused_in_part_says_what_lands(scene: Scene) -> None:
    """The commit names what it changes, and the lists still hold the task that stays."""
    harbour(scene)
    both = what_if(scene, {"type": "delete", "task": "IMPL-4"}, need("IMPL-1", "Remember the pier"))
    replanned(scene, need("IMPL-4", "Say the price again"))
    scene.run("land", both, "-y", "--ours").expect(0)
    message = scene.git("log", "-1", "--format=%B")
    assert "Remember the pier" in message
    assert "Wfp-Tasks-Deleted" not in message
    assert '"IMPL-4"' in scene.read(f"{FOLDER}/workflow-session.json")


def test_taking_back_a_redo_is_a_rollback(scene: Scene) -> None:
    """The word of the subject says which way it goes."""
    harbour(scene)
    replanned(scene, need("IMPL-1", "Remember the pier"))
    for words, kind in ((("undo",), "rollback"), (("redo",), "redo")):
        scene.run(*words, "-y").expect(0)
        assert scene.git("log", "-1", "--format=%s").startswith(kind)
    for kind in ("rollback", "redo", "rollback"):
        scene.run("rollback", "HEAD", "-y").expect(0)
        assert scene.git("log", "-1", "--format=%s").startswith(f"{kind}(")


def test_a_commit_without_a_plan_is_no_rolled_back_one(scene: Scene) -> None:
    """There is nothing to take back, and that is what is said."""
    harbour(scene)
    scene.write({"notes.txt": "x"})
    scene.commit("notes")
    done = scene.run("rollback", "HEAD", "-y", "--json").expect(0).json
    assert [one["code"] for one in done["diagnostics"]] == ["changes-no-plan"]


def test_a_broken_task_is_not_a_deleted_one(scene: Scene) -> None:
    """The file cannot be read, says `diff`, and nothing of a task that is gone."""
    harbour(scene)
    scene.write({f"{FOLDER}/.task/IMPL-3.json": "{"})
    done = scene.run("diff", "--json").expect(0).json
    assert [one for one in done["data"]["sessions"] if one["deleted"] or one["changes"]] == []
    assert [one["location"]["path"] for one in done["diagnostics"]] == [
        f"{FOLDER}/.task/IMPL-3.json"
    ]


def test_a_shallow_clone_says_that_it_is_one(scene: Scene) -> None:
    """Where the history is cut off, there may be something to take back beyond."""
    harbour(scene)
    replanned(scene, need("IMPL-1", "Remember the pier"))
    scene.write({f"{FOLDER}/IMPL_PLAN.md": scene.read(f"{FOLDER}/IMPL_PLAN.md") + "\nMore.\n"})
    scene.commit("by hand")
    clone = scene.clone("shallow", "--depth=1", "--no-local")
    done = clone.run("undo", "-y", "--json").expect(3).json
    assert "--unshallow" in done["diagnostics"][0]["hint"]
