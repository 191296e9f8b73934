"""The README shows what really happens, and says what the code says."""

import os
import re
import sys
from pathlib import Path

import pytest

from gitwfp.cli import rulebook
from gitwfp.cli.reference import FILE, page
from gitwfp.cli.table import COMMANDS
from gitwfp.errors import ExitCode
from gitwfp.flows.demo import SESSION, Playground
from tests.scene import Scene
from tests.transcripts import ROOT, Shell, check_document

README = ROOT / "README.md"
ENTRY = (sys.executable, "-m", "gitwfp")
_HEREDOC = re.compile(
    r"^git wfp replan (--from .*?) <<'JSON'\n(.*?)^JSON$", re.MULTILINE | re.DOTALL
)
_LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")


def rows_below(heading: str, document: Path) -> list[tuple[str, ...]]:
    """Returns the cells of the table below a heading."""
    section = document.read_text("utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines[2:]]


@pytest.mark.timeout(600)  # many commands, one after another
def test_readme_shows_what_happens(tmp_path: Path) -> None:
    """The transcript in the README is what its commands print in the demo's repository."""
    playground = Playground(
        str(tmp_path / "toolshed"), os.environ, (sys.executable, "-m", "gitwfp")
    )
    playground.make()
    check_document(README, Shell(tmp_path / "toolshed", tmp_path / "tools"))


def test_readme_lists_the_commands() -> None:
    """The README has every listed command, in the order and with the words of the program."""
    listed = [(f"`{name}`", str(one.help)) for name, one in COMMANDS.items() if not one.hidden]
    assert rows_below("Commands", README) == listed


def test_exit_codes_are_documented() -> None:
    """README and recipes name exactly the exit codes that there are."""
    codes = [str(int(code)) for code in ExitCode]
    assert [row[0] for row in rows_below("Exit codes", README)] == codes
    assert [row[0] for row in rows_below("Exit codes", ROOT / "docs" / "recipes.md")] == codes


def test_reference_is_what_the_program_says() -> None:
    """The page of all commands is the one that the program writes."""
    assert (ROOT / FILE).read_text("utf-8") == page(), "run python -m gitwfp.cli.reference"


def test_rulebook_is_what_the_rules_say() -> None:
    """The page of all rules is the one that the program writes."""
    held = (ROOT / rulebook.FILE).read_text("utf-8")
    assert held == rulebook.page(), "run python -m gitwfp.cli.rulebook"


def test_links_lead_somewhere() -> None:
    """Every link from one document to another leads to a file that is there."""
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    broken = [
        f"{document.relative_to(ROOT)}: {target}"
        for document in documents
        for target in _LINK.findall(document.read_text("utf-8"))
        if not (document.parent / target).exists()
    ]
    assert broken == []


def test_operations_in_the_recipes_work(scene: Scene) -> None:
    """The operations that the recipes show are accepted, and become one commit."""
    playground = Playground(str(scene.path.parent / "shed"), os.environ, ENTRY)
    playground.make()
    shed = scene.beside("shed")
    text = (ROOT / "docs" / "recipes.md").read_text("utf-8")
    (command, operations) = _HEREDOC.findall(text)[0]
    words = ("-s", SESSION, *command.split())
    before = shed.git("rev-list", "--count", "HEAD")
    shed.run("replan", *words, input=operations).expect(0)
    assert int(shed.git("rev-list", "--count", "HEAD")) == int(before) + 1
    answer = shed.run("show", "--session", SESSION, "--json").expect(0).json
    assert answer["data"]["entry"]["kind"] == "replan"
