"""Matching the words of a request with the entries of a plan.

"Remove the CSV export" has to find "Export the list as CSV": word order, endings and small words
do not count, a typing error is forgiven, a negation or a different number is not. Chinese is
compared by pairs of characters. What is not clearly one entry is no match.
"""

import re
from collections.abc import Iterable
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.model.words import Words
from gitwfp.policy.lists import plain
from gitwfp.policy.request.grammar import Lazy

THRESHOLD: Final = 0.7
TOPIC_THRESHOLD: Final = 0.6
MARGIN: Final = 0.08

_NEGATION: Final = Lazy(
    r"\b(?:no|not|never|none|without|cannot|avoid|refuse)\b|n't\b|[不无勿禁免非]", re.IGNORECASE
)
_NUMBER: Final = Lazy(r"\d+(?:\.\d+)*")
_VALUE: Final = Lazy(r"(?<![A-Za-z0-9_-])\d")
_NEAREST: Final = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """One text in one list of a task.

    Attributes:
        field: The list's field name.
        text: The entry.
    """

    field: str
    text: str


@dataclass(frozen=True, slots=True)
class Match:
    """What a search for an entry found.

    Attributes:
        found: The entries that are meant: one, or one of each of several lists that say the same.
        rivals: Entries that fit about as well, when none is clearly meant.
        nearest: The entries most like the words, the most like one first.
    """

    found: tuple[Entry, ...]
    rivals: tuple[Entry, ...]
    nearest: tuple[Entry, ...]


def best_match(wanted: str, entries: Iterable[Entry], *, is_topic: bool = False) -> Match:
    """Finds the entry that some words mean.

    Args:
        wanted: The words.
        entries: Where to look.
        is_topic: Whether the words may be only what the entry is about; all of them must stand
            in it.

    Returns:
        The match; nothing is found below the threshold, or when two entries of one list, or two
        that say different things, fit about as well.
    """
    scored = sorted(
        ((similarity(wanted, entry.text), entry) for entry in entries),
        key=lambda pair: -pair[0],
    )
    nearest = tuple(entry for score, entry in scored[:_NEAREST])
    is_about = is_topic and bool(scored) and _is_within(wanted, scored[0][1].text)
    least = TOPIC_THRESHOLD if is_about else THRESHOLD
    if not scored or scored[0][0] < least:
        return Match((), (), nearest)
    top, best = scored[0]
    close = [entry for score, entry in scored if score >= max(least, top - MARGIN)]
    if top == 1.0:
        close = [entry for score, entry in scored if score == top]
    by_field: dict[str, Entry] = {}
    for entry in close:
        held = by_field.setdefault(entry.field, entry)
        differs = plain(held.text) != plain(entry.text)
        if differs or similarity(best.text, entry.text) < THRESHOLD:
            return Match((), tuple(close), nearest)
    return Match(tuple(by_field.values()), (), nearest)


def _is_within(wanted: str, held: str) -> bool:
    """Tells whether all of some words stand in an entry."""
    asked = Words.of(wanted)
    return asked.weight > 0 and asked.share_in(Words.of(held)) >= 1.0


def similarity(wanted: str, held: str) -> float:
    """Returns how well an entry fits some words, from 0 to 1.

    How much of the words the entry holds counts more than how much else it says.
    """
    if plain(wanted) == plain(held):
        return 1.0
    asked, there = Words.of(wanted), Words.of(held)
    if not asked.weight or not there.weight:
        return 0.0
    score = 0.6 * asked.share_in(there) + 0.4 * there.share_in(asked)
    if bool(_NEGATION.search(wanted)) != bool(_NEGATION.search(held)):
        score -= 0.3
    if not set(_NUMBER.findall(wanted)) <= set(_NUMBER.findall(held)):
        score -= 0.2
    return min(max(score, 0.0), 0.99)


def put_in_place(entry: str, old: str, new: str) -> str | None:
    """Puts some words of an entry in the place of others.

    Args:
        entry: The entry.
        old: Words that may stand in it.
        new: What is to stand there.

    Returns:
        The entry with the new words, or None when the old ones do not stand in it, stand in it
        more than once, or are so much of it that the new words are meant for the whole.
    """
    edge = r"(?<![^\W_])" if old[:1].isascii() else ""
    end = r"(?![^\W_])" if old[-1:].isascii() else ""
    places = list(re.finditer(edge + re.escape(old) + end, entry, re.IGNORECASE)) if old else []
    whole = Words.of(entry).weight
    part = Words.of(old).weight
    is_sentence = new[:1].isupper() and not old[:1].isupper() and " " in new
    if len(places) != 1 or part > 0.75 * whole or Words.of(new).weight > part + 1 or is_sentence:
        return None
    start, stop = places[0].span()
    if start == 0 and entry[0].isupper():
        new = new[:1].upper() + new[1:]
    return entry[:start] + new + entry[stop:]


def is_value_for(old: str, new: str) -> bool:
    """Tells whether new words give a value to what the old ones name: a number to a name."""
    return _VALUE.search(new) is not None and _VALUE.search(old) is None


def can_stand_for(new: str, entry: str) -> bool:
    """Tells whether new words say enough to take the place of a whole entry."""
    return Words.of(new).weight >= 0.5 * Words.of(entry).weight


def tidy(text: str) -> str:
    """Returns a text as an entry: trimmed, and without its final full stop."""
    text = text.strip(" \t,，、;；")
    return text if text.endswith(("..", "。。", "…")) else text.rstrip(".。").rstrip()


def as_title(text: str) -> str:
    """Returns words as a title: trimmed, an ordinary first word with a capital letter."""
    text = tidy(text)
    first = text.split(" ", 1)[0]
    return (
        text[:1].upper() + text[1:]
        if first.isascii() and first.islower() and first.isalpha()
        else text
    )


def says_something(text: str) -> bool:
    """Tells whether a text holds a word at all, and not only signs or a number."""
    return any(sign.isalpha() for sign in text)
