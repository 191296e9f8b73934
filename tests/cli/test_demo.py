"""The demo runs, leaves what it says, and says so when something is not as it should be."""

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gitwfp.errors import ExitCode, Refusal
from gitwfp.flows.demo import BY_HAND, LOCK_OUT, SESSION, Playground
from tests.scene import Run, Scene

ENTRY = (sys.executable, "-m", "gitwfp")
TASK_FILE = f".workflow/active/{SESSION}/.task/IMPL-3.json"
STUBBORN = """\
[user]
\tname = Somebody Else
\temail = else@example.org
[commit]
\tgpgSign = true
[core]
\tautocrlf = true
\texcludesFile = {home}/ignored
\thooksPath = {home}/hooks
[wfp "replan"]
\tlanding = manual
\tonDirty = refuse
"""
STEPS = 23
# A demo starts twenty-three programs one after another: on a busy machine each takes its time.
PATIENCE = 500.0
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives a run as long as a whole walk may take."""
    monkeypatch.setattr("tests.scene.PATIENCE", PATIENCE)


def commands_of(run: Run) -> list[str]:
    """Returns the commands that a demo shows for people."""
    return [line[2:] for line in run.out.splitlines() if line.startswith("$ ")]


def check_what_is_left(folder: Path, scene: Scene) -> None:
    """Asserts that a demo's repository is what the demo says, by plain git alone."""
    left = scene.beside(folder.relative_to(scene.path.parent).as_posix())
    subjects = left.git("log", "--first-parent", "--format=%s").splitlines()
    kinds = [subject.partition("(")[0] for subject in subjects[:5]]
    assert kinds == ["rollback", "replan", "adopt", "replan", "replan"]
    assert len(subjects) == 11
    assert left.git("fsck", "--strict", "--no-progress") == ""
    assert left.git("status", "--porcelain") == ""
    assert left.git("config", "--local", "user.email") == "noor@toolshed.example"
    assert left.git("log", "-1", "--format=%an %cn") == "Noor Haddad Noor Haddad"
    requirements = json.loads(left.read(TASK_FILE))["context"]["requirements"]
    assert BY_HAND in requirements
    assert LOCK_OUT not in requirements
    assert not (folder / "workflow").exists()


def test_demo_needs_no_configuration(scene: Scene) -> None:
    """Without any configuration the demo is green and leaves a repository that git reads well."""
    run = scene.run("demo", "../shed", env={"GIT_CONFIG_GLOBAL": os.devnull}).expect(0)
    shown = commands_of(run)
    assert len(shown) == STEPS
    assert shown[-3:] == [
        "git log --first-parent --oneline",
        "git show --stat HEAD",
        "git fsck --strict --no-progress",
    ]
    assert str(scene.path.parent / "shed") in run.out
    assert run.err == ""
    check_what_is_left(scene.path.parent / "shed", scene)


def test_demo_answers_a_program_whatever_the_user_has_set_up(scene: Scene, home: Path) -> None:
    """Hooks, signing, ignore rules, settings and repositories of the user stay out of it."""
    (home / "ignored").write_text(".workflow/\n")
    (home / "hooks").mkdir()
    hook = home / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    (home / "stubborn").write_text(STUBBORN.format(home=home))
    before = scene.snapshot()
    env = {
        "GIT_CONFIG_GLOBAL": str(home / "stubborn"),
        "GIT_DIR": str(scene.path / ".git"),
        "GIT_INDEX_FILE": str(scene.path / ".git" / "other-index"),
        "GIT_AUTHOR_NAME": "Nobody",
        "WFP_LIMITS_MAX_TASKS": "1",
    }
    run = scene.run("demo", "../shed", "--json", env=env).expect(0)
    answer = run.json
    assert (answer["kind"], answer["ok"], answer["diagnostics"]) == ("demo", True, [])
    data = answer["data"]
    assert data["folder"] == str(scene.path.parent / "shed")
    assert [step["exit_code"] for step in data["steps"]] == [0] * STEPS
    assert len(data["things_to_try"]) == 3
    assert run.err == ""
    assert scene.snapshot() == before
    check_what_is_left(scene.path.parent / "shed", scene)


def test_demo_without_a_folder_takes_a_temporary_one(scene: Scene, tmp_path: Path) -> None:
    """In Chinese and without a folder named, the demo is green in a fresh temporary folder."""
    place = tmp_path / "temporary"
    place.mkdir()
    run = scene.run("demo", env={"LC_ALL": "zh_CN.UTF-8", "TMPDIR": str(place)}).expect(0)
    (folder,) = place.glob("git-wfp-demo-*/toolshed")
    assert str(folder) in run.out
    assert len(commands_of(run)) == STEPS
    check_what_is_left(folder, scene)


def test_demo_runs_on_a_terminal(scene: Scene) -> None:
    """On a Chinese terminal the demo is green and asks nothing."""
    run = scene.run("demo", "../shed", tty=True, env={"LC_ALL": "zh_CN.UTF-8"}).expect(0)
    assert run.out.count("$ git") == STEPS
    check_what_is_left(scene.path.parent / "shed", scene)


def test_demo_fails_when_a_command_does(scene: Scene, tmp_path: Path) -> None:
    """A step with another exit code than 0 ends the demo with a failure that shows the step."""
    git = shutil.which("git")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "git").write_text(
        f'#!/bin/sh\ncase " $* " in *" update-ref "*) exit 1;; esac\nexec "{git}" "$@"\n'
    )
    (tools / "git").chmod(0o755)
    env = {"PATH": os.pathsep.join([str(tools), os.environ["PATH"]])}
    run = scene.run("demo", "../shed", "--json", env=env).expect(ExitCode.NEGATIVE)
    first, *details = run.json["diagnostics"]
    assert first["code"] == "demo-failed"
    assert LOCK_OUT in first["message"]
    assert details[-1]["message"] == str(scene.path.parent / "shed")


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_demo_leaves_a_folder_alone_that_is_in_use(scene: Scene, words: tuple[str, ...]) -> None:
    """A folder that is not empty is refused and stays as it is."""
    scene.write({"notes.txt": "mine\n"})
    before = scene.snapshot()
    run = scene.run("demo", ".", *words).expect(ExitCode.USAGE)
    if words:
        assert run.json["diagnostics"][0]["code"] == "folder-not-empty"
    assert scene.snapshot() == before


def test_demo_refuses_a_folder_that_cannot_be_made(scene: Scene) -> None:
    """Where a file is in the way, one line says so."""
    scene.write({"notes.txt": "mine\n"})
    run = scene.run("demo", "notes.txt/shed").expect(ExitCode.ENVIRONMENT)
    assert "notes.txt/shed" in run.err


def commit_requirements(shed: Scene, edit: Callable[[list[str]], list[str]]) -> str:
    """Commits another list of requirements of the demo's task; returns the commit."""
    task = json.loads(shed.read(TASK_FILE))
    task["context"]["requirements"] = edit(task["context"]["requirements"])
    shed.write({TASK_FILE: task})
    return shed.commit("requirements")


@pytest.mark.parametrize(
    ("lost", "other", "is_right"),
    [
        ({LOCK_OUT}, None, True),
        ({LOCK_OUT, BY_HAND}, None, False),
        ({BY_HAND}, None, False),
        (set(), None, False),
        ({LOCK_OUT}, "README.md", False),
    ],
    ids=["just that", "too much", "the wrong one", "nothing", "another file"],
)
def test_demo_knows_a_rollback_from_a_wrong_one(
    scene: Scene, lost: set[str], other: str | None, is_right: bool
) -> None:
    """The demo's check passes only when the first replan, and nothing else, was taken back."""
    playground = Playground(str(scene.path.parent / "shed"), os.environ, ENTRY)
    playground.make()
    shed = scene.beside("shed")
    first = commit_requirements(shed, lambda entries: [*entries, LOCK_OUT])
    playground.edit_by_hand()
    shed.commit("by hand")
    if other is not None:
        shed.write({other: "overwritten\n"})
    commit_requirements(shed, lambda entries: [entry for entry in entries if entry not in lost])
    if is_right:
        playground.check_rollback(first)
        return
    with pytest.raises(Refusal) as caught:
        playground.check_rollback(first)
    assert caught.value.exit_code is ExitCode.NEGATIVE


def test_demo_tells_when_something_is_left_over(scene: Scene) -> None:
    """A file beside the plan that changed or is untracked makes the demo's last check fail."""
    playground = Playground(str(scene.path.parent / "shed"), os.environ, ENTRY)
    playground.make()
    start = playground.commit_id("HEAD")
    playground.check_neighbourhood(start)
    shed = scene.beside("shed")
    shed.write({"left-over": "x"})
    with pytest.raises(Refusal, match="left-over"):
        playground.check_neighbourhood(start)
    shed.commit("left over")
    with pytest.raises(Refusal, match="left-over"):
        playground.check_neighbourhood(start)
