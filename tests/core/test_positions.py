"""Entries that a request names by their place in a list, and paths with blanks in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitwfp.model import fields as f
from gitwfp.policy.request.pathwords import Trust, only_paths
from gitwfp.policy.request.positions import read_places

LISTS = (f.REQUIREMENTS, f.ACCEPTANCE, f.FOCUS_PATHS)


@pytest.mark.parametrize(
    ("words", "fields", "wanted"),
    [
        ("second", (f.REQUIREMENTS,), (f.REQUIREMENTS, (1,))),
        ("2", (f.ACCEPTANCE,), (f.ACCEPTANCE, (1,))),
        ("the 3rd", (f.ACCEPTANCE,), (f.ACCEPTANCE, (2,))),
        ("first and last", (f.REQUIREMENTS,), (f.REQUIREMENTS, (0, -1))),
        ("second requirement", LISTS, (f.REQUIREMENTS, (1,))),
        ("requirement 2", LISTS, (f.REQUIREMENTS, (1,))),
        ("第二条", (f.REQUIREMENTS,), (f.REQUIREMENTS, (1,))),
        ("第2条需求", LISTS, (f.REQUIREMENTS, (1,))),
        ("最后一条验收标准", LISTS, (f.ACCEPTANCE, (-1,))),
        ("第一条和第三条", (f.REQUIREMENTS,), (f.REQUIREMENTS, (0, 2))),
    ],
)
def test_places_are_read(
    words: str, fields: tuple[str, ...], wanted: tuple[str, tuple[int, ...]]
) -> None:
    """A place in a list is read in both languages, in words and in digits."""
    assert read_places(words, fields) == wanted


@pytest.mark.parametrize(
    ("words", "fields"),
    [
        ("second", LISTS),
        ("second factor", (f.REQUIREMENTS,)),
        ("a 2nd try", (f.REQUIREMENTS,)),
        ("第二个因素", (f.REQUIREMENTS,)),
    ],
)
def test_other_words_name_no_place(words: str, fields: tuple[str, ...]) -> None:
    """Words that hold a number are no place, nor is a number without a list."""
    assert read_places(words, fields) is None


@given(st.text(max_size=30))
def test_any_words_can_be_asked(words: str) -> None:
    """Whatever the words are, they name places or none."""
    named = read_places(words, (f.REQUIREMENTS,))
    assert named is None or named[1]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('"src/my dir/a b.ts"', ("src/my dir/a b.ts",)),
        ("`./src/my dir/` and src/x.ts", ("src/my dir/", "src/x.ts")),
        ('"src/a.ts src/b.ts"', ("src/a.ts", "src/b.ts")),
        ('" \u3000 "', ()),
        ('"/etc/my dir/x.ts"', ()),
    ],
)
def test_quotes_hold_a_path_together(text: str, wanted: tuple[str, ...]) -> None:
    """A path with blanks in its names is one path where quotes stand around it."""
    assert only_paths(text, lambda _: False, Trust.EXPECTED) == wanted
