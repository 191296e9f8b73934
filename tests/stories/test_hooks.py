"""Hooks: installed beside whatever is there, running with it, and taken out byte for byte."""

import os
import shutil
import stat
import venv
from pathlib import Path

import pytest

from tests.core.damages import FOLDER
from tests.scene import Scene
from tests.stories.pushing import BROKEN, central, damage, git, guarded, planned, push

SPOOL = "seen.txt"
REACHED = "A push from here reaches the gate."
RECORD = f"""#!/bin/sh
# Stands for a tool that needs what git gives; \u00e9 is not ASCII.
{{ printf '%s\\n' "$@"; cat; }} > "$(git rev-parse --show-toplevel)/../{SPOOL}"
exit ${{RECORDED_EXIT-0}}
"""


def hook(scene: Scene, name: str = "pre-push") -> Path:
    """Returns where a hook of a scene is."""
    return scene.path / ".git" / "hooks" / name


def install(file: Path, content: str | bytes, mode: int = 0o755) -> None:
    """Writes a hook."""
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    file.chmod(mode)


def codes(scene: Scene, *words: str) -> list[str]:
    """Runs init; returns the codes of its diagnostics."""
    run = scene.run("init", "-y", "--json", *words).expect(0)
    return [one["code"] for one in run.json["diagnostics"]]


def seen(scene: Scene) -> str:
    """Returns what the recording hook has seen."""
    return (scene.path.parent / SPOOL).read_text()


def looked(scene: Scene) -> str:
    """Returns what doctor has to say of the hook."""
    run = scene.run("doctor", "--json").expect(0)
    [check] = [one for one in run.json["data"]["checks"] if one["code"] == "hook"]
    return str(check["observed"])


def test_a_hook_that_is_there_sees_what_git_gives(scene: Scene) -> None:
    """F-GT-08: arguments and standard input are the same with and without the gate."""
    planned(scene)
    bare = central(scene)
    install(hook(scene), RECORD)
    push(scene, "origin", "main:alone", "main:beside").expect(0)
    alone = seen(scene)
    assert alone.count("\n") == 4
    for branch in ("alone", "beside"):
        bare.git("update-ref", "-d", f"refs/heads/{branch}")
    scene.git("update-ref", "-d", "refs/remotes/origin/alone")
    scene.git("update-ref", "-d", "refs/remotes/origin/beside")
    scene.run("init", "-y").expect(0)
    push(scene, "origin", "main:alone", "main:beside").expect(0)
    assert seen(scene) == alone
    push(scene, "origin", "main:third", env={"RECORDED_EXIT": "3"}).expect(1)
    damage(scene, BROKEN)
    scene.commit("broken")
    push(scene, "origin", "main").expect(1)


def test_a_hook_that_is_added_later(scene: Scene) -> None:
    """F-GT-08: lines after our section read the same input, and survive deinit."""
    planned(scene)
    guarded(scene)
    ours = hook(scene).read_bytes()
    lines = RECORD.partition("\n")[2].encode()
    hook(scene).write_bytes(ours + lines)
    push(scene).expect(0)
    assert "refs/heads/main" in seen(scene)
    push(scene, "origin", "main:x", env={"RECORDED_EXIT": "3"}).expect(1)
    scene.run("deinit", "-y").expect(0)
    assert hook(scene).read_bytes() == b"#!/bin/sh\n" + lines
    push(scene, "origin", "main:y").expect(0)


@pytest.mark.parametrize(
    ("content", "mode"),
    [
        (b"#!/bin/sh\n# \xff\xfe no UTF-8\nexit 0\n", 0o755),
        (b"#!/usr/bin/env bash\nset -eu\nread -r line\nexit 0", 0o750),
        (b"#!/bin/sh -e\r\nexit 0\r\n", 0o755),
        (b"exit 0\n", 0o755),
        (b"#!/usr/bin/env python3\nimport sys\nsys.exit(0)\n", 0o755),
        (b"#!/bin/sh\n'''exec' python3 \"$0\" \"$@\" # '''\nimport sys\nsys.exit(0)\n", 0o755),
        (b"#!/bin/sh\nexit 9\n", 0o644),
        (b"", 0o644),
    ],
    ids=["bytes", "bash", "crlf", "no-shebang", "python", "runs-again", "not-executable", "empty"],
)
def test_a_hook_comes_back_as_it_was(scene: Scene, content: bytes, mode: int) -> None:
    """F-GT-09: init as often as you like; after deinit its bytes and its mode are back."""
    planned(scene)
    central(scene)
    install(hook(scene), content, mode)
    for _ in range(3):
        scene.run("init", "-y").expect(0)
    if b"\r" not in content:
        push(scene).expect(0)
    damage(scene, BROKEN)
    scene.commit("broken")
    push(scene).expect(1)
    scene.run("deinit", "-y").expect(0)
    assert hook(scene).read_bytes() == content
    assert stat.S_IMODE(hook(scene).stat().st_mode) == mode
    assert [one.name for one in hook(scene).parent.iterdir() if "wfp" in one.name] == []
    assert not (scene.path / ".git" / "wfp").exists()


def test_a_hook_that_is_a_link(scene: Scene) -> None:
    """What it leads to is not written; the link is back afterwards."""
    planned(scene)
    central(scene)
    script = scene.path / "scripts" / "pre-push"
    script.parent.mkdir()
    install(script, RECORD)
    hook(scene).parent.mkdir(exist_ok=True)
    hook(scene).symlink_to("../../scripts/pre-push")
    scene.run("init", "-y").expect(0)
    push(scene).expect(0)
    assert "refs/heads/main" in seen(scene)
    assert script.read_text() == RECORD
    scene.run("deinit", "-y").expect(0)
    assert hook(scene).readlink() == Path("../../scripts/pre-push")


def test_a_hook_that_was_changed_since(scene: Scene) -> None:
    """Our section alone goes out of it, and that is said."""
    planned(scene)
    central(scene)
    install(hook(scene), "#!/bin/sh\nexit 0\n")
    scene.run("init", "-y").expect(0)
    hook(scene).write_bytes(hook(scene).read_bytes().replace(b"exit 0\n", b"true\nexit 0\n"))
    run = scene.run("deinit", "-y", "--json").expect(0)
    assert "left-as-it-is" in [one["code"] for one in run.json["diagnostics"]]
    assert hook(scene).read_bytes() == b"#!/bin/sh\ntrue\nexit 0\n"


@pytest.mark.parametrize("where", [".husky/_", ".githooks", "../hooks", "/dev/null"])
def test_hooks_that_come_from_elsewhere(scene: Scene, where: str) -> None:
    """F-GT-10: nothing is written there, the lines to add are printed, doctor tells the truth."""
    planned(scene)
    central(scene)
    scene.git("config", "core.hooksPath", where)
    if where != "/dev/null":
        (scene.path / where).mkdir(parents=True)
        install(scene.path / where / "pre-push", RECORD)
    before = {
        path: path.read_bytes() for path in scene.path.parent.rglob("pre-push") if path.is_file()
    }
    run = scene.run("init", "-y", "--json").expect(0)
    told = [one for one in run.json["diagnostics"] if one["code"] == "hooks-elsewhere"]
    assert len(told) == 1
    assert where == "/dev/null" or "gate pre-push" in told[0]["hint"]
    assert not hook(scene).exists()
    assert scene.git("config", "core.hooksPath") == where
    assert all(path.read_bytes() == content for path, content in before.items())
    assert looked(scene) == "No hook judges what is pushed from here."


def test_a_line_in_a_hook_of_the_team(scene: Scene) -> None:
    """The line that is printed stops a broken plan; without the program it passes and says so."""
    planned(scene)
    central(scene)
    scene.git("config", "core.hooksPath", ".githooks")
    run = scene.run("init", "-y", "--json").expect(0)
    [told] = [one for one in run.json["diagnostics"] if one["code"] == "hooks-elsewhere"]
    line = told["hint"].partition("pre-push: ")[2]
    install(scene.path / ".githooks" / "pre-push", f"#!/bin/sh\n{line}\n")
    scene.commit("hooks")
    push(scene).expect(0)
    assert looked(scene) == REACHED
    damage(scene, BROKEN)
    scene.commit("broken")
    push(scene).expect(1)
    without = os.pathsep.join(
        one for one in os.environ["PATH"].split(os.pathsep) if not Path(one, "git-wfp").exists()
    )
    run = push(scene, env={"PATH": without}).expect(0)
    assert "git-wfp is missing" in run.err


def test_beside_pre_commit(scene: Scene) -> None:
    """pre-commit runs `pre-push.legacy` first with the same input; that is where we go."""
    planned(scene)
    central(scene)
    theirs = (
        "#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\n"
        'HERE="$(cd "$(dirname "$0")" && pwd)"\nlines=$(cat)\n'
        'if [ -x "$HERE/pre-push.legacy" ]; then\n'
        '    printf "%s\\n" "$lines" | "$HERE/pre-push.legacy" "$@" || exit 1\nfi\n'
    )
    install(hook(scene), theirs)
    scene.run("init", "-y").expect(0)
    assert hook(scene).read_text() == theirs
    push(scene).expect(0)
    damage(scene, BROKEN)
    scene.commit("broken")
    push(scene).expect(1)
    scene.run("deinit", "-y").expect(0)
    assert not hook(scene, "pre-push.legacy").exists()


def test_beside_lefthook(scene: Scene) -> None:
    """Its hook calls no other, so that its configuration is what is to be changed."""
    planned(scene)
    install(hook(scene), "#!/bin/sh\ncall_lefthook run pre-push\n")
    scene.write({"lefthook.yml": "pre-push: {}\n"})
    run = scene.run("init", "-y", "--json").expect(0)
    [told] = [one for one in run.json["diagnostics"] if one["code"] == "hooks-elsewhere"]
    assert "use_stdin: true" in told["hint"]
    assert hook(scene).read_text() == "#!/bin/sh\ncall_lefthook run pre-push\n"


def test_the_program_is_gone(scene: Scene, tmp_path: Path) -> None:
    """F-GT-11: the push is refused in a sentence that says how to go on, and never hangs."""
    planned(scene)
    guarded(scene)
    system = os.pathsep.join(
        one for one in os.environ["PATH"].split(os.pathsep) if not Path(one, "git-wfp").exists()
    )
    push(scene, "origin", "main:first", env={"PATH": system}).expect(0)
    content = hook(scene).read_text()
    [line] = [one for one in content.splitlines() if one.startswith("_wfp_program='")]
    gone = tmp_path / "bin" / "git-wfp"
    hook(scene).write_text(content.replace(line, f"_wfp_program='{gone}'"))
    for state in ("no file", "no interpreter"):
        if state == "no interpreter":
            gone.parent.mkdir()
            install(gone, "#!/nowhere/python\n")
        run = push(scene, "origin", "main", env={"PATH": system}).expect(1)
        assert "git-wfp cannot be started" in run.err
        assert "git wfp init" in run.err
        assert "--no-verify" in run.err
    push(scene, "--no-verify", "origin", "main").expect(0)


def test_a_code_push_starts_no_python(scene: Scene, tmp_path: Path) -> None:
    """Where no plan differs, the shell decides: the program is not even there."""
    planned(scene)
    guarded(scene)
    scene.commit("set up")
    push(scene).expect(0)
    content = hook(scene).read_text()
    [line] = [one for one in content.splitlines() if one.startswith("_wfp_program='")]
    trap = tmp_path / "git-wfp"
    install(trap, f"#!/bin/sh\ntouch {tmp_path}/started\nexit 1\n")
    scene.write({"src/more.py": "more = 1\n"})
    scene.commit("code")
    hook(scene).write_text(content.replace(line, f"_wfp_program='{trap}'"))
    push(scene).expect(0)
    assert not (tmp_path / "started").exists()
    damage(scene, BROKEN)
    scene.commit("the plan")
    push(scene).expect(1)
    assert (tmp_path / "started").exists()


def test_two_worktrees_share_the_hook(scene: Scene) -> None:
    """It goes with the last of them."""
    planned(scene)
    scene.git("worktree", "add", "-q", "-b", "side", "../side")
    side = scene.beside("side")
    scene.run("init", "-y").expect(0)
    side.run("init", "-y").expect(0)
    run = scene.run("deinit", "-y", "--json").expect(0)
    assert "hooks-stay" in [one["code"] for one in run.json["diagnostics"]]
    assert hook(scene).exists()
    side.run("deinit", "-y").expect(0)
    assert not hook(scene).exists()
    assert "merge.wfp" not in scene.git("config", "--list")


def test_doctor_tries_a_push(scene: Scene) -> None:
    """It tells a hook that is reached from one that only lies there."""
    planned(scene)
    central(scene)
    assert looked(scene) == "No hook judges what is pushed from here."
    scene.run("init", "-y").expect(0)
    assert looked(scene) == REACHED
    hook(scene).write_text("#!/bin/sh\nexit 0\n" + hook(scene).read_text())
    run = scene.run("doctor").expect(1)
    assert "does not reach the gate" in run.out
    hook(scene).unlink()
    assert "is gone" in scene.run("doctor").expect(1).out


def test_without_hooks(scene: Scene) -> None:
    """--no-hooks installs neither hook nor driver."""
    planned(scene)
    scene.run("init", "-y", "--no-hooks").expect(0)
    assert not hook(scene).exists()
    assert "merge.wfp" not in scene.git("config", "--list")


def test_the_hook_of_an_earlier_version(scene: Scene) -> None:
    """A section that says something else is replaced, once, and its place stays."""
    planned(scene)
    guarded(scene)
    content = hook(scene).read_text()
    hook(scene).write_text(content.replace("_wfp_judge=yes", "_wfp_judge=") + "true\n")
    scene.run("init", "-y").expect(0)
    assert hook(scene).read_text() == content + "true\n"


def test_an_environment_that_was_deleted(scene: Scene, tmp_path: Path) -> None:
    """F-GT-11: installed from an environment of its own that is deleted afterwards."""
    place = tmp_path / "env"
    venv.create(place, with_pip=False, symlinks=True)
    program = place / "bin" / "git-wfp"
    install(program, f"#!{place}/bin/python\n")
    planned(scene)
    guarded(scene)
    content = hook(scene).read_text()
    [line] = [one for one in content.splitlines() if one.startswith("_wfp_program='")]
    hook(scene).write_text(content.replace(line, f"_wfp_program='{program}'"))
    shutil.rmtree(place)
    system = os.pathsep.join(
        one for one in os.environ["PATH"].split(os.pathsep) if not Path(one, "git-wfp").exists()
    )
    assert "cannot be started" in push(scene, env={"PATH": system}).expect(1).err


def test_a_commit_is_offered_its_tasks(scene: Scene) -> None:
    """The editor shows them as comments; one without its mark becomes a trailer."""
    planned(scene)
    scene.run("init", "-y", "--hook", "prepare-commit-msg").expect(0)
    scene.commit("set up")
    scene.write({"src/store/bookings.py": "x = 1\n", "src/prices/quote.py": "y = 1\n"})
    scene.git("add", "-A")
    take = "sed -i -e '1s/^/Store it/' -e 's/^#\\(Wfp-Task: IMPL-1\\) .*/\\1/'"
    scene.git("commit", "-q", env={"GIT_EDITOR": take})
    message = scene.git("log", "-1", "--format=%B")
    assert message.strip() == "Store it\n\nWfp-Task: IMPL-1"
    assert scene.git("log", "-1", "--format=%(trailers:key=Wfp-Task,valueonly)").strip() == "IMPL-1"
    scene.git("commit", "-q", "--allow-empty", "-m", "said at once")
    assert "Wfp-Task" not in scene.git("log", "-1", "--format=%B")
    scene.git("config", "commit.cleanup", "verbatim")
    scene.git("commit", "-q", "--allow-empty", env={"GIT_EDITOR": "sed -i 1s/^/verbatim/"})
    assert "Wfp-Task" not in scene.git("log", "-1", "--format=%B")


def test_a_merge_says_what_it_broke(scene: Scene) -> None:
    """post-merge judges what came in, and stops nothing."""
    planned(scene)
    scene.run("init", "-y", "--hook", "post-merge").expect(0)
    scene.commit("set up")
    scene.git("switch", "-qc", "side")
    damage(scene, BROKEN)
    scene.commit("broken")
    scene.git("switch", "-q", "main")
    run = git(scene, "merge", "side").expect(0)
    assert "dangling-dependency" in run.out + run.err
    assert scene.git("log", "-1", "--format=%s") == "broken"


def test_what_passed_before_passes_without_the_program(scene: Scene, tmp_path: Path) -> None:
    """A push that is tried again is not judged again, unless anything that decides has changed."""
    planned(scene)
    guarded(scene)
    scene.commit("set up")
    push(scene).expect(0)
    scene.write({f"{FOLDER}/TODO_LIST.md": scene.read(f"{FOLDER}/TODO_LIST.md") + "\nMore.\n"})
    scene.commit("the plan")
    for path in (scene.path / ".git" / "config", scene.home / ".gitconfig"):
        if path.exists():
            os.utime(path, (1, 1))
    push(scene, "--dry-run", "origin", "main").expect(0)
    noted = scene.path / ".git" / "wfp" / "judged"
    assert noted.read_text().partition("|")[0].endswith(" refs/heads/main")
    content = hook(scene).read_text()
    [line] = [one for one in content.splitlines() if one.startswith("_wfp_program='")]
    trap = tmp_path / "git-wfp"
    install(trap, f"#!/bin/sh\ntouch {tmp_path}/started\nexit 1\n")
    os.utime(trap, (1, 1))
    hook(scene).write_text(content.replace(line, f"_wfp_program='{trap}'"))
    push(scene, "--dry-run", "origin", "main").expect(0)
    assert not (tmp_path / "started").exists()
    for name in ("WFP_GATE_POLICY", "XDG_CONFIG_HOME"):
        push(scene, "--dry-run", "origin", "main", env={name: "PROCEED"}).expect(1)
    (tmp_path / "started").unlink()
    scene.git("config", "wfp.gate.policy", "PROCEED")
    push(scene, "--dry-run", "origin", "main").expect(1)
    assert (tmp_path / "started").exists()
    push(scene, "--dry-run", "origin", "main:other").expect(1)


@pytest.mark.parametrize("ending", [".legacy", ".old"])
def test_a_manager_that_came_later(scene: Scene, ending: str) -> None:
    """Deinit finds our section under the name that the manager gave to the hook."""
    planned(scene)
    install(hook(scene), "#!/bin/sh\nexit 0\n")
    scene.run("init", "-y").expect(0)
    renamed = hook(scene, f"pre-push{ending}")
    hook(scene).rename(renamed)
    install(hook(scene), "#!/bin/sh\n# a manager\n")
    scene.run("deinit", "-y").expect(0)
    assert renamed.read_text() == "#!/bin/sh\nexit 0\n"
    assert hook(scene).read_text() == "#!/bin/sh\n# a manager\n"


def test_an_empty_hooks_path(scene: Scene) -> None:
    """It turns hooks off for us: that is said, and init goes on."""
    planned(scene)
    scene.git("config", "core.hooksPath", "")
    assert "hooks-elsewhere" in codes(scene)
    assert "merge.wfp.driver" in scene.git("config", "--list")
