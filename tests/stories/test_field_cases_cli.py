"""The field cases of the area cli: what went wrong for users of other tools, and not here."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gitwfp.cli.table import COMMANDS
from tests.scene import PATIENCE, Run, Scene
from tests.stories.harbour import (
    SESSION,
    assert_untouched,
    drop,
    harbour,
    need,
    operations,
    plan_tree,
    replanned,
    requirements,
    retitle,
)

PRICE_FIRST = need("IMPL-3", "Show the price before asking for a name")
ODD_TITLE = "预订泊位 ✓ → 🚢"


def test_help_at_every_level(scene: Scene) -> None:
    """F-CL-01: -h works through git and for every command, with an example of each."""
    listed = scene.git("wfp", "-h")
    for name, entry in COMMANDS.items():
        assert (f"\n    {name} " in listed) is not entry.hidden
    for name in ("replan", "rollback", "log"):
        told = scene.run(name, "-h").expect(0).out
        assert f"git wfp {name}" in told
        assert scene.run(name, "--help").expect(0).out == told


def test_from_a_subfolder(scene: Scene) -> None:
    """F-CL-02: from deep in the tree the plan at the root is meant, and paths are the user's."""
    harbour(scene)
    scene.write({"src/deep/ops.json": operations(PRICE_FIRST)})
    scene.commit("deep")
    assert SESSION in scene.run("status", cwd="src/deep").expect(0).out
    scene.run("replan", "--from", "ops.json", "-y", cwd="src/deep").expect(0)
    assert requirements(scene)[-1] == PRICE_FIRST["requirements"]["add"][0]
    scene.run("start", "Open a second harbour", cwd="src/deep").expect(0)
    assert [path.parent for path in scene.path.rglob(".workflow")] == [scene.path]
    assert scene.git("status", "--porcelain") == ""


def test_through_an_alias_that_starts_with_a_bang(scene: Scene) -> None:
    """F-CL-02: through such an alias git starts us at the root; paths still are the user's."""
    harbour(scene)
    scene.write({"src/deep/ops.json": operations(PRICE_FIRST)})
    scene.commit("deep")
    alias = ("-c", "alias.p=!git-wfp", "-C", "src/deep", "p")
    assert SESSION in scene.git(*alias, "status")
    scene.git(*alias, "replan", "--from", "ops.json", "-y")
    assert requirements(scene)[-1] == PRICE_FIRST["requirements"]["add"][0]


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_output_that_cannot_be_encoded(scene: Scene, home: Path, encoding: str) -> None:
    """F-CL-03: what the output cannot hold is replaced; nothing fails, nothing is half done."""
    harbour(scene)
    poor = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = replanned(scene, retitle("IMPL-3", ODD_TITLE), env=poor)
    assert json.loads(scene.git("show", f"HEAD:{done['files'][0]}"))["title"] == ODD_TITLE
    commands = (
        ("status",),
        ("list",),
        ("next",),
        ("log",),
        ("show",),
        ("diff", "HEAD~1"),
        ("replan", "IMPL-3", f"{ODD_TITLE} must hold", "--dry-run"),
        ("start", ODD_TITLE, "--dry-run"),
    )

    def run(words: tuple[str, ...]) -> None:
        file = home / words[0]
        with file.open("wb") as out:
            ended = subprocess.run(
                [sys.executable, "-m", "gitwfp", *words],
                cwd=scene.path,
                env={**os.environ, **poor},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.PIPE,
                timeout=PATIENCE,
                check=False,
            )
        assert ended.returncode == 0, (words, ended.stderr)
        assert b"Traceback" not in ended.stderr
        assert file.read_bytes().decode(encoding)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(run, commands))
    run(("rollback", "--last"))


PROMPTING: Mapping[str, tuple[tuple[str, ...], int, str]] = {
    "delete": (("replan", "--from", "drop.json"), 2, "--yes"),
    "which session": (("replan", "--from", "need.json"), 3, "--session"),
    "questions": (("replan", "-i", "IMPL-3", "A text"), 2, ""),
    "a side": (("rollback", "--last", "--theirs"), 2, "--yes"),
}


def _run_with_stdin(scene: Scene, kind: str, words: tuple[str, ...]) -> tuple[int, str]:
    """Runs a command with a standard input that will not answer."""
    argv = [sys.executable, "-m", "gitwfp", *words]
    reader, writer = os.pipe()
    try:
        if kind == "closed":
            argv = ["sh", "-c", 'exec "$0" "$@" <&-', *argv]
        stdin = subprocess.DEVNULL if kind == "empty" else reader
        done = subprocess.run(
            argv,
            cwd=scene.path,
            stdin=stdin,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
    finally:
        os.close(reader)
        os.close(writer)
    return done.returncode, done.stderr.decode()


@pytest.mark.parametrize("kind", ["closed", "empty", "silent"])
def test_prompts_without_a_terminal(scene: Scene, kind: str) -> None:
    """F-CL-04: with nobody to ask, a command names the option that answers, and changes nothing."""
    harbour(scene)
    replanned(scene, retitle("IMPL-3", "Quote"))
    scene.write({"drop.json": operations(drop("IMPL-4"))})
    scene.write({"need.json": operations(PRICE_FIRST)})
    before = scene.snapshot()
    for name, (words, code, flag) in PROMPTING.items():
        if name == "which session":
            continue
        ended, said = _run_with_stdin(scene, kind, words)
        assert ended == code, (name, said)
        assert flag in said
        assert_untouched(scene, before)
    scene.session("nested", 2, session="WFS-other")
    before = scene.snapshot()
    words, code, flag = PROMPTING["which session"]
    ended, said = _run_with_stdin(scene, kind, words)
    assert ended == code, said
    assert flag in said
    assert_untouched(scene, before)


def test_prompts_inside_a_hook(scene: Scene) -> None:
    """F-CL-04: inside a git hook nobody is asked, and git's own variables do not confuse us."""
    harbour(scene)
    scene.write({"drop.json": operations(drop("IMPL-4"))})
    hook = scene.path / ".git" / "hooks" / "pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexec git-wfp replan --from drop.json\n")
    hook.chmod(0o755)
    scene.git("init", "--quiet", "--bare", "../remote")
    tree = plan_tree(scene)
    scene.git("push", "--quiet", "../remote", "main", ok=(1,))
    assert plan_tree(scene) == tree
    hook.write_text("#!/bin/sh\nexec git-wfp status\n")
    scene.git("push", "--quiet", "../remote", "main")


def _one_document(run: Run) -> None:
    assert run.json["exit_code"] == run.code
    assert run.out.count("\n") == 1
    assert "\x1b" not in run.out


def test_machine_output_stays_clean(scene: Scene) -> None:
    """F-CL-05: with warnings, forced colours and errors, JSON alone is on standard output."""
    harbour(scene)
    scene.write({".wfp.toml": "[replan]\non_drity = 'refuse'\n"})
    scene.write({".workflow/active/WFS-berths/.task/IMPL-9.json": "{broken"})
    colours = {"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1", "PY_COLORS": "1"}
    for words in (("status",), ("list",), ("next",), ("log",), ("show", "nothing"), ("land", "x")):
        run = scene.run(*words, "--json", env=colours)
        _one_document(run)
        codes = {diagnostic["code"] for diagnostic in run.json["diagnostics"]}
        assert "unknown-setting" in codes, codes
        assert run.err == ""


def test_input_that_never_ends(scene: Scene) -> None:
    """More input than a plan file may hold is refused, wherever it is from, and not read on."""
    harbour(scene)
    scene.write({".wfp.toml": "[limits]\nfile_bytes = 65536\n", "large.md": "Say more. " * 7000})
    scene.write({"long.md": "- Say more.\n" * 2000})
    before = scene.snapshot()
    for words in (("--from", "/dev/zero"), ("--from", "large.md"), ("IMPL-3", "large.md")):
        refused = scene.run("replan", *words, "-y", "--json").expect(4).json
        assert refused["diagnostics"][0]["code"] == "input-too-large"
    refused = scene.run("replan", "--from", "-", input="[" * 70_000).expect(4)
    assert "65536 bytes" in refused.err
    assert "--from" in scene.run("replan", "IMPL-3", "long.md").expect(2).err
    assert_untouched(scene, before)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("words", [(), ("--json",)], ids=["lines", "json"])
def test_an_answer_that_cannot_be_written(scene: Scene, words: tuple[str, ...]) -> None:
    """When only the answer is lost, the error says what is done nevertheless and where."""
    harbour(scene)
    file = scene.path.parent / "operations.json"
    file.write_text(operations(PRICE_FIRST), "utf-8")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gitwfp", "replan", "--from", str(file), "-y", *words],
            cwd=scene.path,
            env=os.environ,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=PATIENCE,
            check=False,
        )
    assert done.returncode == 6
    assert f"is commit {scene.git('rev-parse', 'HEAD')}" in done.stderr.decode()
    assert requirements(scene)[-1] == PRICE_FIRST["requirements"]["add"][0]
