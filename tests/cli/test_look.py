"""Text is made harmless, measured, cut and wrapped as a terminal shows it."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitwfp.cli.look import PLAIN, Look, Style, cells, fit, harmless, pad, visible, wrap
from gitwfp.errors import Text, say

any_text = st.text(st.characters(), max_size=60)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain 登录 🚀", "plain 登录 🚀"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("\x9b31m", r"\x9b31m"),
        ("a\nb\r\tc\x7f", r"a\nb\r\tc\x7f"),
        ("\u202eabc\u2066\u200f\u061c", r"\u202eabc\u2066\u200f\u061c"),
        ("a\u2028b", r"a\u2028b"),
        ("\udcff\ud83d", r"\xff\ud83d"),
        ("👩\u200d💻", "👩\u200d💻"),
    ],
)
def test_what_a_terminal_would_obey_is_shown(text: str, expected: str) -> None:
    """Escapes, control characters and marks of direction are written out; all else stays."""
    assert visible(text) == expected


@given(any_text)
def test_visible_text_is_harmless(text: str) -> None:
    """No control character and no half of a pair is left, whatever the text."""
    shown = visible(text)
    assert not {unicodedata.category(c) for c in shown} & {"Cc", "Cs", "Zl", "Zp"}
    assert visible(shown) == shown
    assert harmless(text, colour=False) == shown


def test_finished_lines_keep_colours_and_nothing_else() -> None:
    """The last look at a line lets colours pass where they are wanted, and only those."""
    line = "\x1b[31mred\x1b[0m \x1b[2J \x1b]0;x\x07"
    assert harmless(line, colour=True) == "\x1b[31mred\x1b[0m \\x1b[2J \\x1b]0;x\\x07"
    assert harmless(line, colour=False) == visible(line)


def test_values_of_sentences_are_harmless() -> None:
    """What fills a sentence is made harmless, also in a sentence inside; numbers stay numbers."""
    inner = say("inner {x}", x="\x1b")
    text = Text("{a} {n:02} {inner} {b}", {"a": "\n", "n": 7, "inner": inner, "b": b"\x1b"})
    assert PLAIN.say(text) == r"\n 07 inner \x1b b'\x1b'"


def test_colours_are_painted_only_where_wanted() -> None:
    """A look without colour returns the text itself."""
    assert PLAIN.paint("x", Style.ERROR) == "x"
    assert Look(colour=True).paint("x", Style.ADDED) == "\x1b[32mx\x1b[0m"
    assert Look(colour=True).paint("", Style.ADDED) == ""


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        ("short", 5, "short"),
        ("longer", 5, "long…"),
        ("登录模块", 8, "登录模块"),
        ("登录模块", 7, "登录模…"),
        ("登录模块", 6, "登录…"),
        ("abc", 1, "…"),
        ("abc", 0, ""),
    ],
)
def test_texts_are_cut_by_columns(text: str, columns: int, expected: str) -> None:
    """A text that is too wide ends in a mark and never takes more columns than it may."""
    assert fit(text, columns) == expected


@given(any_text.map(visible), st.integers(0, 30))
def test_fitted_text_fits(text: str, columns: int) -> None:
    """Whatever the text, what is cut fits and what is padded fills its columns."""
    cut = fit(text, columns)
    assert cells(cut) <= columns
    assert cells(pad(cut, columns)) == columns
    assert pad(cut, columns, right=True).endswith(cut)


def test_lines_break_at_spaces_and_between_wide_characters() -> None:
    """English breaks between words, Chinese between characters."""
    assert wrap("one two three", 8) == ("one two", "three")
    assert wrap("登录模块需要两步", 8) == ("登录模块", "需要两步")
    assert wrap("a 登录 b", 4) == ("a 登", "录 b")
    assert wrap("incomprehensibilities", 8) == ("incomprehensibilities",)
    assert wrap("", 8) == ("",)
