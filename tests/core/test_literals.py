"""What a pattern cannot do without: whenever it matches, one of those words is there."""

import json
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gitwfp.policy.request as room
from gitwfp.policy.request.grammar import Lazy
from gitwfp.policy.request.literals import folded, needed

BATTERY = Path(__file__).resolve().parent.parent / "battery"


def lazy_patterns() -> Iterator[Lazy]:
    """Yields every pattern of the rules planner."""
    for info in pkgutil.iter_modules(room.__path__):
        for value in vars(import_module(f"{room.__name__}.{info.name}")).values():
            found = value if isinstance(value, tuple) else (value,)
            yield from (each for each in found if isinstance(each, Lazy))


PATTERNS = tuple(dict.fromkeys(lazy_patterns()))


def requests() -> list[str]:
    """Returns the requests of the battery, and their statements one by one."""
    whole = [
        case["request"]
        for name in ("english", "chinese")
        for case in json.loads((BATTERY / f"{name}.json").read_text("utf-8"))
    ]
    parts = [part.strip() for text in whole for part in re.split(r"[.;,。；，\n]", text)]
    return list(dict.fromkeys(filter(None, [*whole, *parts])))


def test_a_pattern_that_matches_was_worth_compiling() -> None:
    """No request of the battery, whole or in parts, is kept from a pattern that matches it."""
    assert len(PATTERNS) > 300
    kept_away = 0
    forms = [form for text in requests() for form in (text, text.upper())]
    for pattern in PATTERNS:
        fresh = Lazy(pattern._text, pattern._flags)
        for form in forms:
            if not fresh.can_match(form):
                kept_away += 1
                assert pattern.compiled.search(form) is None, (pattern._text, form)
    assert kept_away > 100_000


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("delete|drop|删除", ("delete", "drop", "删除")),
        ("(?:把|将)?foo(bar)?x", ("foo",)),
        ("a?(?:one|two)+ three", (" three",)),
        ("(?:one|two)+ ", ("one", "two")),
        ("(?P<t>x+)?", None),
        ("(?=abc)", None),
        ("(?!abc)d", ("d",)),
        ("(?<=abc)d", ("d",)),
        ("[abc]def", ("def",)),
        (r"[\]x]def", ("def",)),
        ("[]x]def", ("def",)),
        ("ab{2}c", ("a",)),
        ("ab*c|(?:d)", ("a", "d")),
        ("(?i)abc", ("abc",)),
        (r"(?P<a>q)(?P=a)zz", ("zz",)),
        ("(?:x|y|)z*", None),
        (r"\bABC\b", ("abc",)),
        (r"\u3400x", ("x",)),
        ("", None),
        (".*", None),
    ],
)
def test_words_that_are_needed(pattern: str, words: tuple[str, ...] | None) -> None:
    """Groups, sets, escapes, looks around and what may be left out are told apart."""
    assert needed(pattern) == words


PLAIN = st.sampled_from(["a", "B", "ab", "i", "s", "k", "删", r"\.", r"\w", "|", "."])
SETS = st.sampled_from(
    ["[ab]", "[^a]", "(?:a|b)", "(a|bc)?", "(?P<n>a)", "(?:ab)+", "(?=a)", "(?!a)"]
)
REPEATED = st.sampled_from(["a*", "b?", "c{0,2}", "d{2}", "e+?", "除?"])
PIECES = PLAIN | SETS | REPEATED


@given(
    st.lists(PIECES, max_size=7).map("".join),
    st.text("abcdeABCDE.删除isk\u0131\u017f\u212a", max_size=8),
)
def test_no_match_is_ever_kept_away(pattern: str, text: str) -> None:
    """Whatever the pattern: where it matches, one of the words that it needs is there."""
    if pattern.count("(?P<n>") > 1:
        return
    words = needed(pattern)
    if words is not None and not any(word in folded(text) for word in words):
        assert re.search(pattern, text, re.IGNORECASE) is None
