"""The manual page is what the program says, it is sound, and git and man find it."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from gitwfp.cli.help import PAGE, find_page
from gitwfp.cli.manual import EXIT_CODES, FILE, page
from gitwfp.cli.table import COMMANDS, Entry
from gitwfp.errors import ExitCode, say
from tests.conftest import ROOT
from tests.scene import PATIENCE, Scene

needs_man = pytest.mark.skipif(shutil.which("man") is None, reason="man is not on this machine")
needs_groff = pytest.mark.skipif(
    shutil.which("groff") is None, reason="groff is not on this machine"
)


def test_the_page_is_what_the_program_says() -> None:
    """The file is the one that the helps give, and it goes into the wheel."""
    assert (ROOT / FILE).read_text("ascii") == page(), "run python -m gitwfp.cli.manual"
    targets = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    assert targets["targets"]["wheel"]["shared-data"][FILE] == f"share/man/man1/{PAGE}"
    assert "/man" in targets["targets"]["sdist"]["include"]


def test_every_command_and_exit_code_is_told() -> None:
    """Every listed command has its part, hidden ones have none, and every exit code is there."""
    parts = [line.removeprefix(".SS ") for line in page().splitlines() if line.startswith(".SS ")]
    listed = [f"git wfp {name}" for name, entry in COMMANDS.items() if not entry.hidden]
    assert [part for part in parts if part.count(" ") == 2] == listed
    assert "git wfp config set" in parts
    assert set(EXIT_CODES) == set(ExitCode)


def test_what_roff_would_obey_is_text() -> None:
    """Backslashes, dots at the beginning of a line, hyphens and other letters are shown as such."""
    odd = Entry("tests.cli.commands:say_text", say(".PP \\fB--x é"))
    assert "\n\\&.PP \\efB\\-\\-x \\[u00E9]\n" in page({"odd": odd})


@needs_groff
def test_the_page_is_sound() -> None:
    """The formatter has nothing to complain about."""
    words = ["groff", "-man", "-Tascii", "-ww", "-z", str(ROOT / FILE)]
    done = subprocess.run(words, capture_output=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@needs_man
@needs_groff
def test_git_opens_the_page(scene: Scene, tmp_path: Path) -> None:
    """F-CL-01: where it lies beside the program, --help and git help find it by themselves."""
    (tmp_path / "bin").mkdir()
    pages = tmp_path / "share" / "man" / "man1"
    pages.mkdir(parents=True)
    shutil.copy(ROOT / FILE, pages)
    starter = tmp_path / "bin" / "git-wfp"
    starter.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m gitwfp \"$@\"\n")
    starter.chmod(0o755)
    path = os.pathsep.join([str(tmp_path / "bin"), os.environ["PATH"]])
    env = {"PATH": path, "MANPAGER": "cat", "GIT_PAGER": "cat"}
    for words in (("wfp", "--help"), ("help", "wfp")):
        told = scene.git(*words, env=env)
        assert "git-wfp" in told
        assert "Commits what was edited by hand" in " ".join(told.split())


def test_help_without_man(scene: Scene) -> None:
    """The help of any command is printed, with the path of the page at its end."""
    told = scene.run("help").expect(0).out
    assert told.startswith(scene.run("-h").expect(0).out)
    found = find_page()
    assert found is not None
    assert told.endswith(f"The manual page: {found}\n")
    told = scene.run("help", "config", "set").expect(0).out
    assert told.startswith(scene.run("config", "set", "-h").expect(0).out)
    data = scene.run("help", "status", "--json").expect(0).json["data"]
    assert (data["command"], data["page"]) == ("git wfp status", found)


@pytest.mark.parametrize("words", [("nothing",), ("status", "more"), ("config", "nothing")])
def test_help_for_what_is_not_there(scene: Scene, words: tuple[str, ...]) -> None:
    """A word that is no command is refused as it is elsewhere."""
    assert scene.run("help", *words, "--json").expect(2).json["diagnostics"][0]["code"] == (
        "unknown-command"
    )
