"""The tutorial is run, command by command."""

from pathlib import Path

import pytest

from tests.transcripts import ROOT, Shell, check_document, normal, replay


@pytest.mark.timeout(600)  # many commands, one after another
def test_tutorial_shows_what_happens(tmp_path: Path) -> None:
    """Every console block of the tutorial prints what the tutorial shows."""
    folder = tmp_path / "work"
    folder.mkdir()
    check_document(ROOT / "docs" / "tutorial.md", Shell(folder, tmp_path / "tools"))


def test_a_document_that_shows_something_else_is_noticed() -> None:
    """The comparison forgives ids and times, and hands those of this run to later commands."""
    shown = "```console\n$ new\nmade abcdef1 at 2026-01-02T03-04-05\n$ see abcdef1\nfound\n```\n"
    asked: list[str] = []

    def run(command: str) -> str:
        asked.append(command)
        return "made 1234567 at 2026-05-06T07-08-09-2\n" if command == "new" else "found\n"

    again = replay(shown, run)
    assert asked == ["new", "see 1234567"]
    assert normal(again) == normal(shown)
    assert normal(replay(shown, lambda _: "lost\n")) != normal(shown)
