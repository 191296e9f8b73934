"""What the words of an unfinished command line can become."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitwfp.cli.completing import (
    FOLDER,
    WORDS,
    Candidate,
    Line,
    candidates,
    unquoted,
    words_of_commands,
)
from gitwfp.cli.table import COMMANDS
from gitwfp.cli.wordlist import content

KNOWN = words_of_commands()


def asked_for(*words: str) -> tuple[str, Line] | None:
    """Returns the kind of live names that a line asks for, and how the line was understood."""
    asked: list[tuple[str, Line]] = []

    def live(kind: str, begun: str, line: Line) -> Sequence[Candidate]:
        asked.append((kind, line))
        return ()

    assert candidates(words, KNOWN, live) == ()
    return asked[0] if asked else None


def offered(*words: str) -> list[str]:
    """Returns the words that are offered where no repository is asked."""
    return [word for word, _ in candidates(words, KNOWN, lambda *_: ())]


def test_the_words_are_those_of_the_commands() -> None:
    """The file of words is the one that the commands give."""
    there = Path(FOLDER, WORDS).read_text("utf-8")
    assert there == content(), "run python -m gitwfp.cli.wordlist"


def test_every_listed_command_is_known() -> None:
    """Every command of the list is offered, with what it does; hidden ones are not."""
    listed = {name: entry.help.template for name, entry in COMMANDS.items() if not entry.hidden}
    found = candidates([""], KNOWN, lambda *_: ())
    assert {word: str(meaning) for word, meaning in found} == listed


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (("status", ""), "session"),
        (("status", "-s", "W"), "session"),
        (("log", "--session", ""), "session"),
        (("log", "--task", ""), "task"),
        (
            (
                "log",
                "--task=I",
            ),
            "task",
        ),
        (("replan", ""), "task"),
        (("replan", "IMPL-1", "wo"), None),
        (("replan", "--yes", "--scope", "all", "I"), "task"),
        (("blame", "--", ""), "task"),
        (("rollback", "--to", ""), "revision"),
        (("rollback", ""), "replan"),
        (("land", "a", "b", ""), "branch"),
        (("diff", "HEAD", ""), "revision"),
        (("compare", "HEAD", "main", ""), None),
        (("config", "set", ""), "setting"),
        (("config", "set", "a", ""), "value"),
        (("config", "nowhere", ""), None),
        (("nowhere", ""), None),
        (("schema", ""), "schema"),
        (("-C", ""), "folder"),
        (("-C", "a", "-C", "b", "status", ""), "session"),
        (("log", "-n", ""), None),
        (("start", ""), None),
    ],
)
def test_what_is_asked_for(words: tuple[str, ...], kind: str | None) -> None:
    """A place in a line asks for names of one kind, or for none."""
    asked = asked_for(*words)
    assert (None if asked is None else asked[0]) == kind


def test_the_line_is_understood() -> None:
    """What was typed before decides: folders, options with their values, arguments."""
    asked = asked_for("-C", "a", "--json", "-C", "b", "blame", "--session=WFS-x", "--", "-I")
    assert asked is not None
    kind, line = asked
    assert (kind, line.command, line.folders) == ("task", "blame", ("a", "b"))
    assert (line.options, line.arguments, line.ended) == ({"--session": "WFS-x"}, (), True)


def test_what_the_words_alone_offer() -> None:
    """Commands, options and choices need no repository."""
    assert offered("re") == ["replan", "redo"]
    assert offered("config", "s") == ["set"]
    assert offered("replan", "--sc") == ["--scope"]
    assert offered("replan", "--scope", "task") == ["tasks_only", "task_restructure"]
    assert offered("replan", "--scope=c") == ["--scope=comprehensive"]
    assert "-y" in offered("replan", "-")
    assert "-y" not in offered("replan", "--")
    assert offered("replan", "--", "--") == []
    assert offered("status", "--nowhere=") == []
    assert offered("status", "--staged=") == []
    assert offered() == offered("")


def test_what_cannot_be_shown_is_not_offered() -> None:
    """A name that would move a cursor, end a line or hide another one is left out."""
    names = ["good", "new\nline", "esc\x1b[31m", "left\u202eright", "tab\t", "byte\udcff", "名字 x"]
    found = candidates(["status", ""], KNOWN, lambda *_: [(name, "") for name in names])
    assert [word for word, _ in found] == ["good", "名字 x"]


@given(st.text(), st.sampled_from(["", "'", '"', "\\"]))
def test_quotes_are_taken_off(text: str, end: str) -> None:
    """A quoted word is what a shell makes of it; one that is still open gives something too."""
    assert unquoted(shlex.quote(text)) == text
    assert isinstance(unquoted(text + end), str)


@given(st.lists(st.sampled_from(
    ["", "-", "--", "--=", "-C", "config", "set", "status", "--session", "--session=", "-s", "x"]
) | st.text(max_size=5), max_size=6))  # fmt: skip
def test_no_line_fails(words: list[str]) -> None:
    """Whatever was typed, there are candidates or none, and each goes on from what was typed."""
    found: Any = candidates(words, KNOWN, lambda *_: [("WFS-x", "")])
    begun = words[-1] if words else ""
    assert all(word.startswith(begun) for word, _ in found)
