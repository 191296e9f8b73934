"""Three-way merges of sequences: lists, lines, and where two sides meet."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitwfp.change.sequences import Overlap, merge_sequences

items = st.lists(st.sampled_from("abcdef"), max_size=6).map(tuple)
sets = st.lists(st.sampled_from("abcdef"), max_size=6, unique=True).map(tuple)

Items = tuple[str, ...]


def conflict(overlap: Overlap) -> None:
    """Settles nothing."""


def settled(overlap: Overlap) -> tuple[str, ...]:
    """Settles everything."""
    return ("S",)


def merged(base: str, ours: str, theirs: str, *, theirs_first: bool = False) -> tuple[str, int]:
    """Merges words letter by letter; returns the result and the number of conflicts."""
    result, overlaps = merge_sequences(
        base, ours, theirs, settle=conflict, theirs_first=theirs_first
    )
    return "".join(result), len(overlaps)


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "wanted", "conflicts"),
    [
        ("abc", "abc", "abc", "abc", 0),
        ("abc", "abcX", "abcY", "abcXY", 0),
        ("abc", "Xabc", "Yabc", "XYabc", 0),
        ("", "X", "Y", "XY", 0),
        ("abc", "ac", "abcY", "acY", 0),
        ("abc", "ac", "ac", "ac", 0),
        ("abc", "aXc", "aXc", "aXc", 0),
        ("abc", "aXc", "abY", "aXY", 0),
        ("abc", "aXbc", "ac", "aXc", 0),
        ("abc", "", "abcd", "d", 0),
        ("abc", "aXc", "aYc", "aXc", 1),
        ("abc", "aXc", "ac", "aXc", 1),
        ("abcd", "aXcY", "aZcW", "aXcY", 2),
        ("aa", "a", "aaX", "aX", 0),
        ("abcde", "bcdea", "Abcde", "bcdeA", 0),
        ("abcde", "Abcde", "bcdea", "bcdeA", 0),
        ("abcde", "bcdea", "bcde", "bcde", 0),
        ("abcde", "bcde", "bcdea", "bcde", 0),
        ("abcde", "bcdea", "bacde", "bcdea", 0),
    ],
)
def test_merge_table(base: str, ours: str, theirs: str, wanted: str, conflicts: int) -> None:
    """Insertions are kept, deletions hold, and only two replacements of one element conflict."""
    assert merged(base, ours, theirs) == (wanted, conflicts)


def test_theirs_may_come_first() -> None:
    """Where both insert at one place, the caller says whose insertion comes first."""
    assert merged("a", "aX", "aY", theirs_first=True) == ("aYX", 0)


@given(items, items)
def test_a_side_that_did_nothing_changes_nothing(base: Items, other: Items) -> None:
    """Merging with an unchanged side gives the other side, whichever it is."""
    for ours, theirs in ((base, other), (other, base), (other, other)):
        result, overlaps = merge_sequences(base, ours, theirs, settle=conflict)
        assert (result, overlaps) == (other, ())


@given(items, items, items)
def test_nothing_is_made_up_or_kept_against_both(base: Items, ours: Items, theirs: Items) -> None:
    """The result has no element that no side has, and a conflict shows both sides."""
    result, overlaps = merge_sequences(base, ours, theirs, settle=conflict)
    assert set(result) <= {*ours, *theirs}
    for overlap in overlaps:
        assert overlap.ours != overlap.theirs
        assert overlap.base not in (overlap.ours, overlap.theirs)


@given(sets, st.sets(st.sampled_from("abcdef")), st.sets(st.sampled_from("abcdef")))
def test_deletions_of_both_sides_hold(base: Items, one: set[str], other: set[str]) -> None:
    """What either side takes away is away, and taking away never conflicts."""
    ours = tuple(item for item in base if item not in one)
    theirs = tuple(item for item in base if item not in other)
    result, overlaps = merge_sequences(base, ours, theirs, settle=conflict)
    assert result == tuple(item for item in base if item not in one | other)
    assert not overlaps


@given(sets, st.data())
def test_insertions_of_both_sides_are_kept(base: Items, data: st.DataObject) -> None:
    """What either side puts in is in, once, and putting in never conflicts."""
    ours, theirs = list(base), list(base)
    for side, fresh in ((ours, "UVW"), (theirs, "XYZ")):
        for item in data.draw(st.lists(st.sampled_from(fresh), unique=True)):
            side.insert(data.draw(st.integers(0, len(side))), item)
    result, overlaps = merge_sequences(base, ours, theirs, settle=conflict)
    assert sorted(result) == sorted({*ours, *theirs})
    assert not overlaps


@given(items, items, items)
def test_sides_can_be_swapped(base: Items, ours: Items, theirs: Items) -> None:
    """A merge without conflicts has the same elements with the sides swapped."""
    one = merge_sequences(base, ours, theirs, settle=conflict, theirs_first=False)
    other = merge_sequences(base, theirs, ours, settle=conflict, theirs_first=True)
    assert bool(one[1]) == bool(other[1])
    if not one[1]:
        assert sorted(one[0]) == sorted(other[0])


@given(st.permutations("abcdef"), st.permutations("abcdef"), st.permutations("abcdef"))
def test_moves_lose_and_double_nothing(base: Items, ours: Items, theirs: Items) -> None:
    """However two sides order one set of elements, the merge has each of them."""
    result, overlaps = merge_sequences(base, ours, theirs, settle=conflict)
    assert overlaps or sorted(result) == sorted(base)


@given(items, items, items)
def test_overlaps_can_be_settled(base: Items, ours: Items, theirs: Items) -> None:
    """A merge whose overlaps are all settled has no conflicts and takes what was settled."""
    result, overlaps = merge_sequences(base, ours, theirs, settle=settled)
    _, open_ones = merge_sequences(base, ours, theirs, settle=conflict)
    assert not overlaps
    assert result.count("S") == len(open_ones)


@given(st.integers(0, 3000), st.integers(0, 3000))
def test_long_lists(one: int, other: int) -> None:
    """Two insertions into a list of 3,000 are both kept, wherever they are."""
    base = tuple(str(number) for number in range(3000))
    ours = (*base[:one], "X", *base[one:])
    theirs = (*base[:other], "Y", *base[other:])
    result, overlaps = merge_sequences(base, ours, theirs, settle=conflict)
    assert len(result) == 3002
    assert not overlaps
