"""Others commit, save, lock and veto while a command waits or works: nothing is lost, all said."""

from pathlib import Path

import pytest

from tests.git.publishing import leavings
from tests.scene import Scene
from tests.stories.dialogue import CTRL_C, PROMPT, asked, dialogue
from tests.stories.harbour import (
    FOLDER,
    TASK,
    assert_clean,
    assert_untouched,
    edit,
    harbour,
    log,
    need,
    operations,
    replan,
    replanned,
    requirements,
    retitle,
    rolled_back,
)

PRICE_FIRST = need("IMPL-3", "Show the price before asking for a name")
FIRST = PRICE_FIRST["requirements"]["add"][0]
QUICK = {"WFP_LOCK_TIMEOUT": "0.2"}


@pytest.fixture
def waiting(scene: Scene, home: Path) -> tuple[str, ...]:
    """The words of a replan that will ask, in a harbour."""
    harbour(scene)
    file = home / "operations.json"
    file.write_text(operations(PRICE_FIRST))
    return ("replan", "--from", str(file))


def put_hook(scene: Scene, script: str) -> Path:
    """Makes a reference-transaction hook."""
    hook = scene.path / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{script}")
    hook.chmod(0o755)
    return hook


def test_confirm(scene: Scene, waiting: tuple[str, ...]) -> None:
    """The plan is shown, then asked about; nothing is written before the answer."""
    before = scene.snapshot()
    code, said = asked(
        scene, *waiting, meanwhile=lambda: assert_untouched(scene, before), answer="y\n"
    )
    assert code == 0, said
    assert said.index("Modification plan") < said.index(FIRST) < said.index(PROMPT)
    assert requirements(scene)[-1] == FIRST
    assert_clean(scene)


@pytest.mark.parametrize("answer", ["n\n", "2\n", b"\x04"])
def test_cancel_leaves_no_trace(
    scene: Scene, waiting: tuple[str, ...], answer: str | bytes
) -> None:
    """No, or the end of input, ends with 1 and leaves everything as it was."""
    before = scene.snapshot()
    code, said = asked(scene, *waiting, meanwhile=lambda: None, answer=answer)
    assert code == 1, said
    assert "Cancelled; nothing was changed." in said
    assert_untouched(scene, before)


def test_ctrl_c_leaves_no_trace(scene: Scene, waiting: tuple[str, ...]) -> None:
    """Ctrl-C at the prompt ends with 130, without a traceback, and leaves everything as it was."""
    before = scene.snapshot()
    code, said = asked(scene, *waiting, meanwhile=lambda: None, answer=CTRL_C)
    assert code == 130, said
    assert "Traceback" not in said
    assert_untouched(scene, before)


def test_code_is_committed_meanwhile(scene: Scene, waiting: tuple[str, ...]) -> None:
    """A commit of code made while the prompt is open stays below the replan that was agreed to."""
    made: list[str] = []

    def meanwhile() -> None:
        scene.write({"src/app.py": "print('meanwhile')\n"})
        made.append(scene.commit("meanwhile"))

    code, said = asked(scene, *waiting, meanwhile=meanwhile, answer="y\n")
    assert code == 0, said
    assert scene.git("rev-parse", "HEAD~1") == made[0]
    assert scene.read("src/app.py") == "print('meanwhile')\n"
    assert_clean(scene)


def test_another_task_is_replanned_meanwhile(scene: Scene, waiting: tuple[str, ...]) -> None:
    """A replan of another task made while the prompt is open stays, and so does this one."""
    code, said = asked(
        scene, *waiting, meanwhile=lambda: replanned(scene, retitle("IMPL-1", "A")), answer="y\n"
    )
    assert code == 0, said
    assert [entry["tasks"] for entry in log(scene)][:2] == [["IMPL-3"], ["IMPL-1"]]
    assert '"title": "A"' in scene.read(f"{FOLDER}/.task/IMPL-1.json")
    assert requirements(scene)[-1] == FIRST
    assert_clean(scene)


def test_the_same_change_is_made_meanwhile(scene: Scene, waiting: tuple[str, ...]) -> None:
    """When the replan would no longer be what was agreed to, it is refused: 5."""
    code, said = asked(
        scene, *waiting, meanwhile=lambda: replanned(scene, PRICE_FIRST), answer="y\n"
    )
    assert code in (0, 5), said
    assert len(log(scene)) == 2
    assert requirements(scene).count(FIRST) == 1
    assert_clean(scene)


def test_the_plan_is_edited_meanwhile(scene: Scene, waiting: tuple[str, ...]) -> None:
    """An edit saved while the prompt is open wins: 5, the file is named, nothing is written."""
    head = scene.git("rev-parse", "HEAD")
    code, said = asked(
        scene, *waiting, meanwhile=lambda: edit(scene, "full euros", "cents"), answer="y\n"
    )
    assert code == 5, said
    assert "IMPL-3.json" in said
    assert scene.git("rev-parse", "HEAD") == head
    assert "cents" in scene.read(TASK)
    assert FIRST not in requirements(scene)
    assert leavings(scene) == []


def test_code_is_committed_and_the_plan_edited_meanwhile(
    scene: Scene, waiting: tuple[str, ...]
) -> None:
    """Both at once: the commit and the edit stay, and the replan is refused: 5."""

    def meanwhile() -> None:
        scene.write({"src/app.py": "print('meanwhile')\n"})
        scene.commit("meanwhile")
        edit(scene, "full euros", "cents")

    code, said = asked(scene, *waiting, meanwhile=meanwhile, answer="y\n")
    assert code == 5, said
    assert scene.git("log", "-1", "--format=%s") == "meanwhile"
    assert "cents" in scene.read(TASK)
    assert FIRST not in requirements(scene)
    assert leavings(scene) == []


def test_the_branch_is_switched_meanwhile(scene: Scene, waiting: tuple[str, ...]) -> None:
    """A switch to another branch while the prompt is open moves neither branch unawares."""
    main = scene.git("rev-parse", "main")
    code, said = asked(
        scene,
        *waiting,
        meanwhile=lambda: scene.git("switch", "--quiet", "--create", "other"),
        answer="y\n",
    )
    assert code in (0, 5), said
    assert scene.git("rev-parse", "main") == main
    assert leavings(scene) == []


def test_a_merge_begins_meanwhile(scene: Scene, waiting: tuple[str, ...]) -> None:
    """A merge that stops in a conflict while the prompt is open is not disturbed: 5 or 6."""
    scene.git("switch", "--quiet", "--create", "other")
    scene.write({"src/app.py": "print('theirs')\n"})
    scene.commit("theirs")
    scene.git("switch", "--quiet", "main")
    scene.write({"src/app.py": "print('ours')\n"})
    ours = scene.commit("ours")
    code, said = asked(
        scene, *waiting, meanwhile=lambda: scene.git("merge", "other", ok=(1,)), answer="y\n"
    )
    assert code in (0, 5, 6), said
    if code != 0:
        assert scene.git("rev-parse", "HEAD") == ours
    assert (scene.path / ".git" / "MERGE_HEAD").exists()


def test_several_sessions_are_asked_about(scene: Scene, waiting: tuple[str, ...]) -> None:
    """With several sessions the terminal asks which; the answer holds for this run."""
    scene.session("nested", 2, session="WFS-other")
    scene.commit("another")
    with dialogue(scene, *waiting) as talk:
        talk.until("Which session?")
        talk.until(PROMPT)
        talk.type("1\n")
        talk.until("Apply this change?")
        talk.type("y\n")
        assert talk.end() == 0, talk.said
    assert requirements(scene)[-1] == FIRST


def test_a_held_index_lock(scene: Scene) -> None:
    """While another git holds the index, adopt ends with 6 and names the lock, which stays."""
    harbour(scene)
    replanned(scene, PRICE_FIRST)
    edit(scene, '"title": "Quote a price"', '"title": "Quote"')
    before = scene.snapshot()
    lock = scene.path / ".git" / "index.lock"
    lock.touch()
    run = scene.run("adopt", "shorter", env=QUICK).expect(6)
    assert "index.lock" in run.err
    assert lock.exists()
    lock.unlink()
    assert_untouched(scene, before)
    scene.run("adopt", "shorter").expect(0)
    assert_clean(scene)


def test_a_hook_vetoes(scene: Scene) -> None:
    """A reference-transaction hook that says no to the branch is quoted: 6, all as it was."""
    harbour(scene)
    before = scene.snapshot()
    hook = put_hook(
        scene,
        'if [ "$1" = prepared ] && grep -q " refs/heads/main$"; then\n'
        '  echo "main is closed until Monday" >&2; exit 1\nfi\n',
    )
    run = replan(scene, PRICE_FIRST).expect(6)
    assert "main is closed until Monday" in run.err
    hook.unlink()
    assert_untouched(scene, before)
    replanned(scene, PRICE_FIRST)


def test_saved_before_the_files_move(scene: Scene) -> None:
    """An edit saved when the commit is already there, but not the files, wins: 5."""
    harbour(scene)
    head = scene.git("rev-parse", "HEAD")
    put_hook(
        scene,
        'if [ "$1" = committed ] && grep -q " refs/wfp/pending/"; then\n'
        f'  sed -i "s/full euros/cents/" "{scene.path / TASK}"\nfi\n',
    )
    run = replan(scene, PRICE_FIRST).expect(5)
    assert "IMPL-3.json" in run.err
    assert scene.git("rev-parse", "HEAD") == head
    assert "cents" in scene.read(TASK)
    assert FIRST not in requirements(scene)
    assert leavings(scene) == []


def test_saved_while_the_branch_moves(scene: Scene) -> None:
    """An edit saved when only the branch is left to move stays, as an edit of the new plan."""
    harbour(scene)
    put_hook(
        scene,
        'if [ "$1" = prepared ] && grep -q " refs/heads/main$"; then\n'
        f'  sed -i "s/full euros/cents/" "{scene.path / TASK}"\nfi\n',
    )
    replan(scene, PRICE_FIRST).expect(0)
    assert "cents" in scene.read(TASK)
    assert requirements(scene, rev="HEAD")[-1] == FIRST
    assert scene.git("status", "--porcelain") == f" M {TASK}"
    assert leavings(scene) == []


def test_checked_out_elsewhere(scene: Scene) -> None:
    """A branch that two worktrees have checked out is moved under neither: 6, both are named."""
    harbour(scene)
    scene.git("worktree", "add", "--quiet", "--force", "../linked", "main")
    before = scene.snapshot()
    run = replan(scene, PRICE_FIRST).expect(6)
    assert "linked" in run.err
    assert "checked out" in run.err
    linked = scene.beside("linked")
    replan(linked, PRICE_FIRST).expect(6)
    assert_untouched(scene, before)


def test_the_replan_branch_is_checked_out_elsewhere(scene: Scene) -> None:
    """An old replan branch in use in another worktree is not tidied away."""
    harbour(scene)
    scene.git("config", "wfp.replan.keepBranches", "0")
    done = replanned(scene, PRICE_FIRST, words=("--branch-only",))
    scene.git("worktree", "add", "--quiet", "../linked", done["branch"])
    tip = scene.git("rev-parse", done["branch"])
    scene.run("land", done["branch"], "-y").expect(0)
    replanned(scene, retitle("IMPL-3", "Quote"))
    assert scene.git("rev-parse", done["branch"]) == tip
    assert scene.beside("linked").git("status", "--porcelain") == ""


def test_a_killed_prompt_leaves_no_lock(scene: Scene, waiting: tuple[str, ...]) -> None:
    """A prompt holds no lock: others work beside it, and killing it leaves nothing behind."""
    with dialogue(scene, *waiting) as talk:
        talk.until(PROMPT)
        replanned(scene, retitle("IMPL-1", "Store"))
        rolled_back(scene, "--last")
    assert leavings(scene) == []
    replanned(scene, PRICE_FIRST)
    assert_clean(scene)


def test_nobody_is_asked_when_input_is_off(scene: Scene, waiting: tuple[str, ...]) -> None:
    """With --no-input or WFP_NO_INPUT a terminal is not asked."""
    for words, env in (((*waiting, "--no-input"), {}), (waiting, {"WFP_NO_INPUT": "1"})):
        run = scene.run(*words, tty=True, env=env).expect(0)
        assert PROMPT not in run.out
    assert len(log(scene)) == 2
