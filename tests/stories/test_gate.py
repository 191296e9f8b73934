"""The gate: pushes through real git are judged by the commits in them, whatever lies around."""

import os
import shutil

import pytest

from tests.core.damages import FOLDER
from tests.scene import Scene
from tests.stories.harbour import Operation, replanned
from tests.stories.pushing import (
    BROKEN,
    SESSION,
    TASK,
    central,
    damage,
    guarded,
    has,
    judged,
    planned,
    push,
)


def waiting(task: str, other: str) -> Operation:
    """Returns the operation that lets a task wait for another one."""
    return {"type": "update", "task": task, "depends_on": {"add": [other]}}


ZEROS = "0" * 40
STOPPED = "The push is stopped"


def test_a_good_plan_passes_and_a_broken_one_does_not(scene: Scene) -> None:
    """The refusal names ref, session, rule and task, what mends it, and how to go past it."""
    planned(scene)
    bare = guarded(scene)
    push(scene).expect(0)
    tip = bare.git("rev-parse", "main")
    damage(scene, BROKEN)
    scene.commit("a dependency on nothing")
    run = push(scene).expect(1)
    text = run.out + run.err
    for part in ("refs/heads/main", SESSION, "dangling-dependency", "IMPL-1", STOPPED):
        assert part in text
    for part in ("git wfp waive", "--from-findings", "--no-verify"):
        assert part in text
    assert bare.git("rev-parse", "main") == tip
    push(scene, "--no-verify", "origin", "main").expect(0)


def test_deleting_a_branch(scene: Scene) -> None:
    """F-GT-01: a deletion is no plan; beside it a broken branch is refused nevertheless."""
    planned(scene)
    bare = guarded(scene)
    push(scene, "origin", "main", "main:old", "main:older").expect(0)
    push(scene, "origin", ":old").expect(0)
    assert not has(bare, "refs/heads/old")
    damage(scene, BROKEN)
    scene.commit("broken")
    assert BROKEN in push(scene, "origin", ":older", "main").expect(1).out
    assert has(bare, "refs/heads/older")


def test_the_first_push_of_a_branch(scene: Scene) -> None:
    """F-GT-02: what counts is the plan in the pushed commit: a new one, a known one, anywhere."""
    planned(scene)
    bare = guarded(scene)
    push(scene).expect(0)
    scene.git("switch", "-qc", "topic")
    damage(scene, BROKEN)
    scene.commit("broken")
    assert BROKEN in push(scene, "origin", "topic").expect(1).out
    push(scene, "--no-verify", "origin", "topic").expect(0)
    scene.git("branch", "again")
    assert BROKEN in push(scene, "origin", "again").expect(1).out
    other = Scene(scene.path.parent / "other.git", home=scene.home, init=("--bare",))
    assert BROKEN in push(scene, str(other.path), "topic").expect(1).out
    assert not has(bare, "refs/heads/again")


def test_a_new_branch_that_touches_no_plan(scene: Scene) -> None:
    """A plan that was broken before stops nobody who did not touch it."""
    planned(scene, BROKEN)
    guarded(scene)
    push(scene, "--no-verify", "origin", "main").expect(0)
    scene.git("switch", "-qc", "topic")
    scene.write({"src/more.py": "more = 1\n"})
    scene.commit("code")
    run = push(scene, "origin", "topic").expect(0)
    assert SESSION not in run.out + run.err


def test_a_remote_commit_that_was_never_fetched(scene: Scene) -> None:
    """F-GT-03: nothing is said of bad objects; the plan decides."""
    planned(scene)
    bare = guarded(scene)
    push(scene).expect(0)
    scene.git("clone", "-q", str(bare.path), "../second")
    second = scene.beside("second")
    second.write({"src/other.py": "x = 1\n"})
    second.commit("theirs")
    push(second).expect(0)
    scene.write({"src/mine.py": "y = 1\n"})
    scene.commit("mine")
    run = push(scene, "--force", "origin", "main").expect(0)
    assert "bad object" not in run.err
    push(second, "--force", "origin", "main").expect(0)
    damage(scene, BROKEN)
    scene.commit("broken")
    run = push(scene, "--force", "origin", "main").expect(1)
    assert BROKEN in run.out
    assert "bad object" not in run.err
    assert push(scene, "origin", "main").expect(1).code == 1


def test_the_worktree_says_the_opposite(scene: Scene) -> None:
    """F-GT-04: a fix that is not committed helps nothing, and a mess on disk harms nothing."""
    planned(scene)
    guarded(scene)
    push(scene).expect(0)
    damage(scene, BROKEN)
    scene.commit("broken")
    scene.git("checkout", "-q", "HEAD~1", "--", ".workflow")
    scene.run("gate", "range", "HEAD~1..HEAD").expect(1)
    assert BROKEN in push(scene).expect(1).out
    scene.git("reset", "-q", "--hard", "HEAD~1")
    scene.write(
        {
            "src/fine.py": "fine = 1\n",
            f"{FOLDER}/TODO_LIST.md": scene.read(f"{FOLDER}/TODO_LIST.md") + "\n",
        }
    )
    scene.commit("good")
    damage(scene, BROKEN)
    scene.write({f"{FOLDER}/.task/IMPL-99.json": "{"})
    push(scene).expect(0)


def test_a_branch_that_is_not_checked_out(scene: Scene) -> None:
    """F-GT-05: the pushed branch counts and not HEAD, also under another name."""
    planned(scene)
    guarded(scene)
    scene.git("switch", "-qc", "broken")
    damage(scene, BROKEN)
    scene.commit("broken")
    scene.git("switch", "-q", "main")
    assert BROKEN in push(scene, "origin", "broken").expect(1).out
    scene.git("switch", "-q", "broken")
    push(scene, "origin", "main").expect(0)
    assert "refs/heads/release" in push(scene, "origin", "HEAD:refs/heads/release").expect(1).out


@pytest.mark.parametrize("name", ["a", "m", "z"])
def test_many_refs_in_one_push(scene: Scene, name: str) -> None:
    """F-GT-06: every line is looked at, wherever the broken one stands."""
    planned(scene)
    guarded(scene)
    for branch in ("b", "n", "y"):
        scene.git("branch", branch)
    scene.git("switch", "-qc", name)
    damage(scene, BROKEN)
    scene.commit("broken")
    run = push(scene, "--all", "origin").expect(1)
    assert f"refs/heads/{name}: {SESSION}: BLOCK_EXECUTION" in run.out


def test_one_commit_under_two_names_is_judged_once(scene: Scene) -> None:
    """The findings are printed once."""
    planned(scene, BROKEN)
    guarded(scene)
    run = push(scene, "origin", "main:one", "main:two").expect(1)
    assert run.out.count("dangling-dependency") == 1
    assert run.out.count("BLOCK_EXECUTION") == 2


def test_tags(scene: Scene) -> None:
    """F-GT-07: a tag is judged by its commit; one of something else holds no plan."""
    planned(scene)
    guarded(scene)
    scene.git("tag", "light")
    scene.git("tag", "-a", "-m", "annotated", "heavy")
    scene.git("tag", "blob", scene.git("rev-parse", f"HEAD:{TASK}"))
    push(scene, "--tags", "origin").expect(0)
    damage(scene, BROKEN)
    scene.commit("broken")
    scene.git("tag", "-a", "-m", "annotated", "broken")
    assert "refs/tags/broken" in push(scene, "origin", "broken").expect(1).out


def test_a_linked_worktree(scene: Scene) -> None:
    """F-GT-12: installed once, from anywhere, and GIT_DIR in the environment misleads nobody."""
    planned(scene)
    central(scene)
    scene.git("worktree", "add", "-q", "-b", "side", "../side")
    side = scene.beside("side")
    side.run("init", "-y").expect(0)
    damage(side, BROKEN)
    side.commit("broken")
    for cwd in ("", "src"):
        assert BROKEN in push(side, "origin", "side", cwd=cwd).expect(1).out
    push(scene, "origin", "main").expect(0)


def test_branches_without_a_plan(scene: Scene) -> None:
    """F-GT-13: a branch without plans passes, and so does the commit that takes them away."""
    planned(scene)
    guarded(scene)
    push(scene).expect(0)
    scene.git("switch", "-q", "--orphan", "pages")
    scene.write({"index.html": "<p>hello</p>\n"})
    scene.commit("pages")
    push(scene, "origin", "pages").expect(0)
    scene.git("switch", "-q", "main")
    scene.git("rm", "-qr", ".workflow")
    scene.commit("no plans any more")
    run = push(scene).expect(0)
    assert f"{SESSION} is not in the pushed commit any more" in run.err


def test_a_push_cannot_weaken_its_own_gate(scene: Scene) -> None:
    """The settings are those of what is there already; that they differ is said."""
    planned(scene)
    guarded(scene)
    push(scene).expect(0)
    damage(scene, BROKEN)
    scene.write({".wfp.toml": '[gate]\npolicy = "BLOCK_EXECUTION"\n'})
    scene.commit("anything goes")
    run = push(scene).expect(1)
    assert ".wfp.toml sets the gate otherwise" in run.err
    scene.git("checkout", "-q", "HEAD~1", "--", FOLDER)
    scene.commit("the plan is good again")
    push(scene).expect(0)
    damage(scene, BROKEN)
    scene.commit("broken, and now allowed")
    push(scene).expect(0)


def test_a_broken_settings_file_can_be_mended(scene: Scene) -> None:
    """Defaults are in force then, and a broken plan does not pass under its cover."""
    planned(scene)
    guarded(scene)
    push(scene).expect(0)
    scene.write({".wfp.toml": "[gate\n"})
    scene.commit("half a table")
    push(scene).expect(0)
    damage(scene, BROKEN)
    scene.commit("broken")
    assert BROKEN in push(scene).expect(1).out
    scene.git("checkout", "-q", "HEAD~2", "--", ".workflow")
    scene.write({".wfp.toml": ""})
    scene.commit("mended")
    push(scene).expect(0)


def test_a_merge_is_judged_as_merged(scene: Scene) -> None:
    """Two plans that are valid alone are refused where they are broken together."""
    planned(scene)
    guarded(scene)
    push(scene).expect(0)
    scene.git("switch", "-qc", "one")
    other = f"{FOLDER}/.task/IMPL-2.json"
    before = scene.read(other)
    replanned(scene, waiting("IMPL-2", "IMPL-3"))
    scene.git("switch", "-q", "main")
    replanned(scene, waiting("IMPL-3", "IMPL-2"))
    push(scene, "origin", "main", "one").expect(0)
    assert before.strip() != scene.git("show", f"one:{other}").strip()
    scene.git("merge", "-q", "--no-edit", "one")
    run = push(scene).expect(1)
    assert "circular-dependency" in run.out


def test_what_if_branches(scene: Scene) -> None:
    """They are verified like any other and named; a setting keeps them here."""
    planned(scene)
    guarded(scene)
    push(scene).expect(0)
    request = (
        '{"operations": [{"type": "update", "task": "IMPL-1", "title": "Another"}], "reason": "x"}'
    )
    done = scene.run("replan", "--branch-only", "--from", "-", "--json", input=request).expect(0)
    branch = done.json["data"]["branch"]
    run = push(scene, "origin", branch).expect(0)
    assert f"{branch} is the branch of a what-if" in run.err
    scene.git("push", "-q", "origin", f":{branch}")
    scene.git("config", "wfp.gate.allowWhatIf", "false")
    run = push(scene, "origin", branch).expect(1)
    assert "gate.allow_what_if is false" in run.out


@pytest.mark.parametrize("form", ["json", "markdown"])
def test_marks_of_a_merge_do_not_pass(scene: Scene, form: str) -> None:
    """A file with marks, or that is no JSON, is refused by its name."""
    planned(scene)
    guarded(scene)
    push(scene).expect(0)
    path = TASK if form == "json" else f"{FOLDER}/TODO_LIST.md"
    marks = "<<<<<<< HEAD\n" + scene.read(path) + "=======\n>>>>>>> other\n"
    scene.write({path: marks})
    scene.commit("marks")
    run = push(scene).expect(1)
    assert path.removeprefix(f"{FOLDER}/") in run.out


def test_code_against_plan(scene: Scene) -> None:
    """Work that no task names and tasks done without a commit are told, or stop the push."""
    planned(scene)
    guarded(scene)
    push(scene).expect(0)
    scene.write({"lib/stray.py": "stray = 1\n"})
    scene.commit("an idea of mine")
    text = scene.read(TASK).replace('"status": "pending"', '"status": "completed"')
    scene.write({TASK: text})
    scene.commit("done")
    run = push(scene).expect(0)
    assert "an idea of mine" in run.err
    assert "lib/stray.py" in run.err
    assert "no commit changes a file of its" in run.err
    scene.git("reset", "-q", "--hard", "HEAD~1")
    scene.git("push", "-q", "--no-verify", "--force", "origin", "HEAD~1:main")
    scene.git("config", "wfp.gate.code", "block")
    assert "lib/stray.py" in push(scene).expect(1).out
    scene.git("commit", "-q", "--amend", "-m", "an idea\n\nWfp-Task: IMPL-2")
    push(scene).expect(0)


def test_what_cannot_be_judged(scene: Scene) -> None:
    """It stops the push with a reason of its own and exit code 6; a setting lets it through."""
    planned(scene)
    guarded(scene)
    push(scene).expect(0)
    damage(scene, BROKEN)
    tip = scene.commit("broken")
    blob = scene.git("rev-parse", f"HEAD:{TASK}")
    (scene.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    old = scene.git("rev-parse", "HEAD~1")
    line = f"refs/heads/main {tip} refs/heads/main {old}\n"
    data = judged(scene, line, 6)
    assert data["passes"] is False
    assert data["judged"] is False
    assert data["refs"][0]["outcome"] == "could_not_judge"
    run = push(scene).expect(1)
    assert "could not be judged" in run.err
    scene.git("config", "wfp.gate.onError", "warn")
    assert judged(scene, line, 0)["judged"] is False


def test_lines_that_git_does_not_write(scene: Scene) -> None:
    """They are refused with 6; nothing at all is nothing to judge."""
    planned(scene)
    assert judged(scene, "", 0)["refs"] == []
    run = scene.run("gate", "pre-push", "origin", "--json", input="rubbish\n").expect(6)
    assert run.json["diagnostics"][0]["code"] == "odd-hook-line"
    tip = scene.git("rev-parse", "HEAD")
    data = judged(scene, f"HEAD@{{1 day ago}} {tip} refs/heads/x {ZEROS}\n", 0)
    assert [one["outcome"] for one in data["refs"]] == ["judged"]
    missing = "1" * 40
    data = judged(scene, f"refs/heads/x {missing} refs/heads/x {ZEROS}\n", 6)
    assert data["refs"][0]["reasons"][0]["code"] == "object-missing"
    data = judged(scene, f"refs/notes/wfp {tip} refs/notes/wfp {ZEROS}\n", 0)
    assert data["refs"][0]["outcome"] == "private"


def test_a_range_for_pipelines(scene: Scene) -> None:
    """A..B judges B by the settings of A; revisions that are none are not found."""
    planned(scene)
    damage(scene, BROKEN)
    scene.commit("broken")
    scene.run("gate", "range", "HEAD~1..HEAD").expect(1)
    scene.run("gate", "range", "HEAD~1..").expect(1)
    scene.run("gate", "range", "HEAD..HEAD").expect(0)
    scene.run("gate", "range", "HEAD").expect(2)
    scene.run("gate", "range", "nowhere..HEAD").expect(3)


def test_a_server_refuses_without_any_client(scene: Scene) -> None:
    """pre-receive judges objects in quarantine, from a clone that has no hook."""
    planned(scene)
    bare = central(scene)
    push(scene).expect(0)
    hook = bare.path / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    shutil.copy("hooks/pre-receive", hook)
    damage(scene, BROKEN)
    scene.commit("broken")
    run = push(scene).expect(1)
    assert "dangling-dependency" in run.err
    assert bare.git("log", "-1", "--format=%s", "main") == "the plan"
    scene.git("reset", "-q", "--hard", "HEAD~1")
    scene.write({"src/good.py": "good = 1\n"})
    scene.commit("good")
    push(scene).expect(0)


def test_a_server_without_the_program_refuses(scene: Scene) -> None:
    """It does not pass in silence."""
    planned(scene)
    bare = central(scene)
    hook = bare.path / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    shutil.copy("hooks/pre-receive", hook)
    run = push(scene, env={"PATH": without_us()}).expect(1)
    assert "git-wfp is not installed here" in run.err


def without_us() -> str:
    """Returns a search path on which git is, and git-wfp is not."""
    folders = os.environ["PATH"].split(os.pathsep)
    return os.pathsep.join(one for one in folders if not os.path.exists(f"{one}/git-wfp"))


def test_a_ref_that_moved_unseen_is_judged_whole(scene: Scene) -> None:
    """Another branch of the remote that holds the broken plan excuses nothing."""
    planned(scene)
    bare = guarded(scene)
    push(scene).expect(0)
    scene.git("clone", "-q", str(bare.path), "../second")
    second = scene.beside("second")
    second.write({"src/other.py": "x = 1\n"})
    second.commit("theirs")
    push(second).expect(0)
    damage(scene, BROKEN)
    scene.commit("broken")
    scene.write({"README.md": "more\n"})
    scene.commit("code")
    push(scene, "--no-verify", "origin", "HEAD~1:refs/heads/x1").expect(0)
    scene.git("fetch", "-q", "origin", "x1:refs/remotes/origin/x1")
    assert BROKEN in push(scene, "--force", "origin", "main").expect(1).out


def test_a_session_with_a_name_that_a_shell_would_run(scene: Scene) -> None:
    """The command that is printed has it quoted."""
    folder = "WFS-$(touch pwn)"
    planned(scene, BROKEN)
    (scene.path / FOLDER).rename(scene.path / FOLDER.replace(SESSION, folder))
    scene.commit("odd")
    run = scene.run("gate", "range", "HEAD~1..HEAD").expect(1)
    assert f"--session '{folder}'" in run.err


@pytest.mark.parametrize("form", ["'code' = 'block'", 'code = """block"""', 'code = "\\u0062lock"'])
def test_every_spelling_of_a_setting_counts(scene: Scene, form: str) -> None:
    """The shell decides nothing where a setting might say that code is checked."""
    planned(scene)
    guarded(scene)
    scene.write({".wfp.toml": f"[gate]\n{form}\n"})
    scene.commit("set up")
    push(scene).expect(0)
    scene.write({"lib/stray.py": "x = 1\n"})
    scene.commit("stray")
    assert "lib/stray.py" in push(scene).expect(1).out


def test_a_plan_without_its_document_is_told(scene: Scene) -> None:
    """It is judged by what there is, and not in silence."""
    planned(scene)
    guarded(scene)
    push(scene).expect(0)
    scene.git("rm", "-q", f"{FOLDER}/IMPL_PLAN.md")
    scene.commit("no document")
    assert "has no IMPL_PLAN.md" in push(scene).expect(0).err
