"""Doctor: what is odd is named with what to do about it; nothing changes without being asked."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gitwfp.git import worktree
from tests.conftest import ROOT
from tests.git.publishing import leavings
from tests.scene import Run, Scene, logical_time
from tests.stories.dialogue import conversation
from tests.stories.harbour import FOLDER, SESSION, harbour, need, operations, replanned
from tests.stories.test_json_matrix import schema_errors
from tests.stories.test_setup import everything, init, killed

GRADES = ("ok", "note", "warning", "error")


def examined(scene: Scene, *words: str, code: int | None = None, **more: Any) -> Any:
    """Runs doctor; returns the data of its document, which fits its schema and its exit code."""
    run = scene.run("doctor", "--json", *words, **more)
    document = run.json
    assert schema_errors(document) == []
    data = document["data"]
    bad = [check for check in data["checks"] if check["severity"] in ("warning", "error")]
    assert data["healthy"] == (not bad)
    assert run.code == (1 if bad else 0)
    assert code is None or run.code == code, bad
    for check in bad:
        assert check["remedy"] or check["location"], check
    return data


def found(data: Any, code: str) -> Any:
    """Returns the worst finding of a code."""
    fitting = [check for check in data["checks"] if check["code"] == code]
    return max(fitting, key=lambda check: GRADES.index(check["severity"]))


def test_a_healthy_repository(scene: Scene) -> None:
    """All is well: exit 0, every look says what it saw, and not one byte or file time changes."""
    harbour(scene)
    init(scene)
    scene.git("status")
    before = everything(scene.path.parent)
    data = examined(scene, code=0)
    assert data["fixed"] == []
    assert {check["severity"] for check in data["checks"]} == {"ok"}
    for check in data["checks"]:
        assert check["observed"]
        assert check["expected"]
        assert check["why"]
    told = scene.run("doctor").expect(0)
    assert told.out.splitlines()[-1] == "All is well."
    assert "git is version" in told.out
    assert everything(scene.path.parent) == before


def test_outside_of_a_repository(scene: Scene, tmp_path: Path) -> None:
    """Where there is no repository the programs are looked at nevertheless."""
    (tmp_path / "nowhere").mkdir()
    data = examined(scene.beside("nowhere"), code=1)
    assert found(data, "python")["severity"] == "ok"
    assert found(data, "git-version")["severity"] == "ok"
    assert "not in a git repository" in found(data, "repository")["observed"]


def test_without_git(scene: Scene, tmp_path: Path) -> None:
    """Where there is no git, that is the answer."""
    data = examined(scene, code=1, env={"PATH": str(tmp_path)})
    assert "not found" in found(data, "git-version")["observed"]
    assert found(data, "repository")["severity"] == "error"


def test_an_empty_repository(scene: Scene) -> None:
    """A fresh repository is healthy; what init does is named as the next step."""
    data = examined(scene, code=0)
    assert "git wfp init" in found(data, "workspace")["remedy"]
    assert "no commit yet" in found(data, "head")["observed"]


def test_no_identity(scene: Scene) -> None:
    """F-RP-06: without a name the settings to make are named."""
    scene.git("config", "--global", "--unset-all", "user.name")
    scene.git("config", "--global", "--unset-all", "user.email")
    scene.git("config", "user.useConfigOnly", "true")
    check = found(examined(scene, code=1), "identity")
    assert check["severity"] == "error"
    assert "user.name" in check["remedy"]


def test_kinds_of_repository(scene: Scene) -> None:
    """Shallow and bare clones, sparse checkouts and worktrees are named, and are no trouble."""
    harbour(scene)
    scene.commit("second")
    shallow = examined(scene.clone("shallow", "--depth=1", "--no-local"), code=0)
    assert "shallow" in found(shallow, "features")["observed"]
    assert "--unshallow" in found(shallow, "history")["remedy"]
    bare = examined(scene.clone("bare.git", "--bare"), code=0)
    assert found(bare, "workspace")["severity"] == "note"
    assert found(bare, "sessions")["observed"] == "1 session is read."
    scene.git("worktree", "add", "--quiet", "-b", "side", "../linked")
    linked = examined(scene.beside("linked"), code=0)
    assert "linked worktree" in found(linked, "features")["observed"]
    assert "2 worktrees" in found(linked, "worktrees")["observed"]
    (scene.path.parent / "linked").rename(scene.path.parent / "moved")
    assert found(examined(scene, code=0), "worktrees")["severity"] == "note"
    scene.git("config", "core.repositoryFormatVersion", "1")
    scene.git("config", "extensions.teleport", "true")
    assert found(examined(scene, code=1), "repository")["severity"] == "error"


def test_git_in_the_middle_of_something(scene: Scene) -> None:
    """An unfinished merge and its conflicts are named."""
    scene.write({"a.txt": "a\n"})
    scene.commit("a")
    scene.git("switch", "--quiet", "-c", "side")
    scene.write({"a.txt": "b\n"})
    scene.commit("b")
    scene.git("switch", "--quiet", "main")
    scene.write({"a.txt": "c\n"})
    scene.commit("c")
    scene.git("merge", "--quiet", "side", ok=(1,))
    data = examined(scene, code=1)
    assert "merge" in found(data, "operation")["observed"]
    assert found(data, "conflicts")["location"]["path"] == "a.txt"


def test_a_hidden_workspace(scene: Scene) -> None:
    """The ignore rule is named, and --fix writes the exception into the file that it named."""
    scene.write({".gitignore": "*.log\n.workflow/\n"})
    check = found(examined(scene, code=1), "ignore-rules")
    assert "rule .workflow/ in .gitignore, line 2" in check["observed"]
    assert "!/.workflow/" in check["remedy"]
    assert check["fix"] == "ignore"
    data = examined(scene, "--fix", "-y", code=0)
    assert data["fixed"] == ["ignore"]
    assert "!/.workflow/" in scene.read(".gitignore")
    scene.run("deinit", "-y").expect(0)
    assert scene.read(".gitignore") == "*.log\n.workflow/\n"


def test_fix_asks(scene: Scene) -> None:
    """Without a terminal and a yes it is exit 2; a person is asked, and no is the default."""
    scene.write({".gitignore": ".workflow/\n"})
    before = everything(scene.path)
    assert "--yes" in scene.run("doctor", "--fix").expect(2).err
    code, said = conversation(scene, "doctor", "--fix", answers=["\n"])
    assert code == 1
    assert "exception to the ignore rule" in said
    assert everything(scene.path) == before
    code, said = conversation(scene, "doctor", "--fix", answers=["y\n"])
    assert code == 0
    assert "The exception to the ignore rule is written." in said


def test_filters_and_conversions(scene: Scene) -> None:
    """A filter on plan files is a warning; line endings and $Id$ are only told."""
    harbour(scene)
    scene.write({".gitattributes": "*.json filter=lfs\n*.md ident text eol=crlf\n"})
    data = examined(scene, code=1)
    checks = [check for check in data["checks"] if check["code"] == "attributes"]
    assert [check["severity"] for check in checks] == ["warning", "note", "note"]
    assert checks[0]["location"]["path"].startswith(FOLDER)
    scene.write({".workflow/.gitattributes": "*.json -filter\n"})
    assert found(examined(scene, code=0), "attributes")["severity"] == "note"


def test_settings(scene: Scene) -> None:
    """F-CF-02: unknown and impossible settings are findings, not the end of the examination."""
    scene.write({".wfp.toml": "[replan]\nkeep-branches = 3\n"})
    check = found(examined(scene, code=1), "settings")
    assert check["severity"] == "warning"
    assert "keep_branches" in check["remedy"]
    assert check["location"]["line"] == 2
    scene.write({".wfp.toml": "[replan]\nkeep_branches = -1\nlanding = 'up'\n"})
    data = examined(scene, code=1)
    assert len([check for check in data["checks"] if check["code"] == "settings"]) == 2
    scene.write({".wfp.toml": "[replan\n"})
    assert found(examined(scene, code=1), "settings")["severity"] == "error"


def test_sessions_that_cannot_be_read(scene: Scene) -> None:
    """Broken files are named with line and column; a great many of them are cut short."""
    harbour(scene)
    scene.write({f"{FOLDER}/.task/IMPL-2.json": '{\n  "id": "IMPL-2",\n  "title": \n}\n'})
    check = found(examined(scene, code=1), "sessions")
    place = check["location"]
    assert place["path"].endswith("IMPL-2.json")
    assert place["line"] == 4
    scene.write({f"{FOLDER}/.task/IMPL-{n}.json": "{" for n in range(10, 50)})
    data = examined(scene, code=1)
    checks = [check for check in data["checks"] if check["code"] == "sessions"]
    assert len(checks) == 21
    assert "more" in checks[-1]["observed"]


def test_one_id_in_two_places(scene: Scene) -> None:
    """The folders of sessions with one id are named."""
    plan = harbour(scene)
    scene.write({p.replace("/active/", "/sessions/"): text for p, text in plan.files.items()})
    check = found(examined(scene, code=1), "session-ids")
    assert SESSION in check["observed"]
    assert ".workflow/sessions/WFS-berths" in check["observed"]


CUT_OFF = """
import os, signal, sys
from gitwfp.cli.main import main
from gitwfp.git import publish
step = sys.argv[1]
def hook(name):
    if name == step:
        os.kill(os.getpid(), signal.SIGKILL)
publish.no_hook = hook
publish.publish.__kwdefaults__["fail_at"] = hook
sys.exit(main(sys.argv[2:]))
"""


def cut_off(scene: Scene, step: str) -> None:
    """Runs a replan that kills itself at a step."""
    scene.write({"ops.json": operations(need("IMPL-3", "Show the price"))})
    done = subprocess.run(
        [sys.executable, "-c", CUT_OFF, step, "replan", "--from", "ops.json", "-y"],
        cwd=scene.path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert done.returncode < 0, done.stderr.decode()


def test_an_interrupted_replan(scene: Scene) -> None:
    """A journal is a finding that says what happens next; --fix settles it, and all is well."""
    harbour(scene)
    cut_off(scene, "files")
    before = everything(scene.path)
    check = found(examined(scene, code=1), "journal")
    assert check["fix"] == "journal"
    assert everything(scene.path) == before
    data = examined(scene, "--fix", "-y", code=0)
    assert "journal" in data["fixed"]
    assert leavings(scene) == []


def test_an_abandoned_commit(scene: Scene) -> None:
    """A commit whose command died before it landed is a finding; --fix lets go of it."""
    harbour(scene)
    cut_off(scene, "pending")
    assert scene.git("for-each-ref", "refs/wfp/pending/")
    check = found(examined(scene, code=1), "pending-refs")
    assert check["fix"] == "pending"
    assert examined(scene, "--fix", "-y", code=0)["fixed"] == ["pending"]
    assert scene.git("for-each-ref", "refs/wfp/pending/") == ""
    scene.git("update-ref", "refs/wfp/pending/cafe", "HEAD")
    assert found(examined(scene, code=0), "pending-refs")["severity"] == "note"


def test_stale_locks(scene: Scene) -> None:
    """An old lock is a warning, a fresh one a note; no command that removes it is printed."""
    harbour(scene)
    lock = scene.path / ".git" / "index.lock"
    lock.write_text("")
    assert found(examined(scene, code=0), "locks")["severity"] == "note"
    old = logical_time(0).timestamp()
    os.utime(lock, (old, old))
    (scene.path / ".git/refs/heads/main.lock").write_text("")
    os.utime(scene.path / ".git/refs/heads/main.lock", (old, old))
    data = examined(scene, code=1)
    checks = [check for check in data["checks"] if check["code"] == "locks"]
    assert [check["severity"] for check in checks] == ["warning", "warning"]
    assert "rm " not in json.dumps(data)
    assert lock.exists()


def test_temporary_files(scene: Scene) -> None:
    """A version that was set aside and forgotten is named: it may be the only one there is."""
    harbour(scene)
    aside = Path(FOLDER) / os.fsdecode(worktree.Worktree("", "beef")._aside(0))
    scene.write({aside.as_posix(): "an edit\n"})
    check = found(examined(scene, code=1), "temporary-files")
    assert check["location"]["path"] == aside.as_posix()


def test_the_receipt(scene: Scene) -> None:
    """Files that were changed since init are noted; an init that was killed is a warning."""
    init(scene)
    scene.write({".wfp.toml": "# mine\n"})
    check = found(examined(scene, code=0), "receipt")
    assert check["severity"] == "note"
    assert ".wfp.toml" in check["observed"]
    scene.write({".wfp.toml": None})
    killed(scene, "placed", 1, "init")
    assert found(examined(scene, code=1), "receipt")["severity"] == "warning"
    init(scene)
    assert found(examined(scene, code=0), "receipt")["severity"] == "ok"
    (scene.path / ".git" / "wfp" / "receipt.json").write_text("{")
    assert found(examined(scene, code=1), "receipt")["severity"] == "error"


BROKEN_PROBE = """
import sys
from gitwfp.cli.main import main
from gitwfp.flows.doctor import leavings
def broken(env):
    raise RuntimeError("out of order")
leavings.abandoned = broken
sys.exit(main(["doctor", *sys.argv[1:]]))
"""


def test_a_look_that_fails(scene: Scene) -> None:
    """When one look fails, that is one finding more, and every other look is made."""
    harbour(scene)
    whole = {check["code"] for check in examined(scene)["checks"]}
    run: Run = scene.python("-c", BROKEN_PROBE, "--json").expect(1)
    data = run.json["data"]
    assert {check["code"] for check in data["checks"]} == whole
    assert "out of order" in found(data, "pending-refs")["observed"]


@pytest.mark.parametrize("place", ["HEAD", "config", "index"])
def test_a_broken_git_folder(scene: Scene, place: str) -> None:
    """Whatever git's folder is like, there is an answer and no report of a bug."""
    harbour(scene)
    (scene.path / ".git" / place).write_bytes(b"\0\xff nonsense [\n")
    examined(scene)


def test_in_chinese(scene: Scene) -> None:
    """People read it in their language, programs in English."""
    scene.write({".gitignore": ".workflow/\n"})
    chinese = {"LC_ALL": "zh_CN.UTF-8"}
    said = scene.run("doctor", env=chinese).expect(1).out
    assert not any(line.isascii() for line in said.splitlines())
    told = json.dumps(examined(scene, env=chinese), ensure_ascii=False)
    assert not any("\u4e00" <= letter <= "\u9fff" for letter in told)


def test_after_real_work(scene: Scene) -> None:
    """What replans leave behind on purpose is nothing to complain about."""
    harbour(scene)
    replanned(scene, need("IMPL-3", "Show the price"))
    replanned(scene, need("IMPL-2", "Show the depth"), words=("--branch-only",))
    scene.run("use", SESSION).expect(0)
    examined(scene, code=0)
