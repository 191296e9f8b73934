"""What lies beside a plan stays where it is, and what a branch may not bring never lands."""

from tests.scene import Scene
from tests.stories.harbour import (
    FOLDER,
    assert_clean,
    drop,
    harbour,
    log,
    need,
    replan,
    replanned,
    rolled_back,
)

SUMMARY = f"{FOLDER}/.summaries/IMPL-1-summary.md"


def test_an_uncommitted_companion_stays_uncommitted(scene: Scene) -> None:
    """A summary that nobody committed does not stand in the way, and is not committed either."""
    harbour(scene)
    scene.write({SUMMARY: "done\n"})
    done = replanned(scene, need("IMPL-3", "Tokens expire"))
    assert done["checkpoint"] is None
    rolled_back(scene, done["replan"])
    assert scene.git("status", "--porcelain", "-uall").strip() == f"?? {SUMMARY}"


def test_a_flaw_that_was_there_may_come_back(scene: Scene) -> None:
    """Taking back the deletion of a task that the list never had is not refused for that."""
    harbour(scene)
    todo = f"{FOLDER}/TODO_LIST.md"
    last = "IMPL-4"
    lines = scene.read(todo).splitlines(keepends=True)
    scene.write({todo: "".join(line for line in lines if last not in line)})
    scene.commit("a list without the last task")
    tree = scene.git("rev-parse", "HEAD:.workflow")
    done = replanned(scene, drop(last), words=("-y",))
    rolled_back(scene, done["replan"])
    assert scene.git("rev-parse", "HEAD:.workflow") == tree
    assert_clean(scene)


def test_a_branch_cannot_bring_a_git_folder(scene: Scene) -> None:
    """A branch whose tree holds a file called .git in a session's folder does not land."""
    harbour(scene)
    made = replanned(scene, need("IMPL-3", "Tokens expire"), words=("--branch-only",))
    blob = scene.git("hash-object", "-w", "--stdin", input="gitdir: ../../../evil\n").strip()
    tree = scene.git("ls-tree", f"{made['branch']}:{FOLDER}")
    session = scene.git("mktree", input=f"{tree}\n100644 blob {blob}\t.git\n").strip()
    active = scene.git("mktree", input=f"040000 tree {session}\tWFS-berths\n").strip()
    workflow = scene.git("mktree", input=f"040000 tree {active}\tactive\n").strip()
    top = scene.git("ls-tree", "HEAD").replace(
        scene.git("rev-parse", "HEAD:.workflow").strip(), workflow
    )
    root = scene.git("mktree", input=top).strip()
    commit = scene.git("commit-tree", root, "-p", "HEAD", "-m", "innocent").strip()
    run = scene.run("land", commit, "-y").expect(4)
    assert ".git" in run.err
    assert not (scene.path / FOLDER / ".git").exists()
    assert scene.git("status", "--porcelain") == ""


def test_a_commit_from_a_strange_date_is_shown(scene: Scene) -> None:
    """A date that no calendar has does not keep the history from being shown."""
    harbour(scene)
    replan(scene, need("IMPL-3", "Tokens expire")).expect(0)
    text = scene.read(f"{FOLDER}/TODO_LIST.md") + "\nA note.\n"
    scene.write({f"{FOLDER}/TODO_LIST.md": text})
    scene.git("add", "-A")
    scene.git("commit", "-qm", "from afar", env={"GIT_AUTHOR_DATE": "@99999999999999 +0000"})
    assert log(scene)[0]["kind"] == "outside"
