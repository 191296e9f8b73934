"""The help that is read from a file is the one that the commands give."""

from pathlib import Path

import pytest

from gitwfp.cli.command import PROGRAM, page_of
from gitwfp.cli.guide import page_lines
from gitwfp.cli.helpfile import content
from gitwfp.cli.language import translator
from gitwfp.cli.look import Look
from gitwfp.cli.main import main
from gitwfp.cli.readyhelp import FILE, ready_help
from gitwfp.cli.reference import helps
from gitwfp.cli.table import COMMANDS
from tests.scene import Scene

NAMES = [context.command_path.split()[2:] for context, _ in helps()]


def test_the_file_is_that_of_the_commands() -> None:
    """The file is the one that the commands give."""
    assert Path(FILE).read_text("utf-8") == content(), "run python -m gitwfp.cli.helpfile"


@pytest.mark.parametrize("names", NAMES, ids=" ".join)
@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_both_ways_give_one_help(
    names: list[str],
    language: str,
    flag: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The help is the same with click and without it, in each language, for programs too."""
    monkeypatch.setenv("WFP_UI_LANGUAGE", language)
    for words in ([*names, flag], [*names, flag, "--json"], ["--json", *names, flag]):
        ready = main(words), capsys.readouterr()
        parsed = main(words, dict(COMMANDS)), capsys.readouterr()
        assert ready == parsed


@pytest.mark.parametrize("columns", [20, 60, 133])
def test_it_fits_any_terminal(columns: int) -> None:
    """Wide or narrow, coloured, in Chinese: the lines are those of the command itself."""
    look = Look(translator("zh_CN"), colour=True, columns=columns)
    for context, guide in helps():
        page = ready_help([*context.command_path.removeprefix(PROGRAM).split(), "-h"])
        assert page is not None
        assert page_lines(page, look) == page_lines(page_of(context, guide), look)


@pytest.mark.parametrize(
    "words", [[], ["status"], ["nothing", "-h"], ["-h", "status"], ["status", "x", "-h"]]
)
def test_other_words_are_left_to_click(words: list[str]) -> None:
    """Whatever is more than a command and one word for help is not answered from the file."""
    assert ready_help(words) is None


def test_without_the_file_the_commands_say_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is missing is missed by nobody."""
    monkeypatch.setattr("gitwfp.cli.readyhelp.FILE", "/nothing/here")
    assert main(["status", "-h"]) == 0
    assert capsys.readouterr().out.startswith("usage: git wfp status")


def test_help_loads_no_click(scene: Scene) -> None:
    """Help is answered without the library that parses the command line."""
    program = (
        "import sys; from gitwfp.cli.main import main; main(['replan', '-h']);"
        "print(*sys.modules, file=sys.stderr)"
    )
    assert "click" not in scene.python("-c", program).expect(0).err.split()
