"""Values in what people write: "from 15 minutes to 10", "five instead of three", "提高到 9 元".

A new value goes where the old one stands in an entry. Which entry that is, is told by the old
value or by its unit together with the other words.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.model.glossary import meanings_of
from gitwfp.model.words import share_of
from gitwfp.policy.request.grammar import Lazy, match_whole, patterns
from gitwfp.policy.request.mentions import Masked
from gitwfp.policy.request.words import Entry, tidy


@dataclass(frozen=True, slots=True)
class Revalued:
    """A value that gives way to another.

    Attributes:
        what: Words about the entry that holds it.
        old: The old value; None when only the new one is said.
        new: The new value.
        whole: The statement in its own words, a requirement where no entry has the value.
        surely_old: Whether the statement says that there is an old value.
        is_order: Whether it orders the change of it, so that it is no requirement by itself.
    """

    what: str
    old: str | None
    new: str
    whole: str
    surely_old: bool = True
    is_order: bool = False


_SMALL: Final = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|"
    r"fifty|sixty|ninety|hundred|once|twice"
)
_LONGEST: Final = 240
_HAN: Final = Lazy("[\u3400-\u9fff]")
_SMALL_ZH: Final = "[一二两三四五六七八九十百千万]{1,6}"
# Chinese writes numbers without blanks, so only Latin letters make a word of digits.
_DIGITS: Final = r"(?<![A-Za-z0-9_.])[$€£¥]?\d[\d.,]*(?![A-Za-z0-9_.]*\d)[%‰]?"
_NUMBER: Final = rf"(?:{_DIGITS}|\b(?:{_SMALL})\b|{_SMALL_ZH})"
_VALUE: Final = Lazy(_NUMBER, re.IGNORECASE)
_SAID: Final = (
    rf"(?:{_NUMBER})(?: ?(?:[A-Za-z%°]+|[\u3400-\u9fff]{{1,3}}))?(?: [a-z]+){{0,2}}(?: per [a-z]+)?"
)
_DIGIT_OF: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
_UNIT: Final = Lazy(
    rf"(?P<number>{_NUMBER}) ?(?P<unit>[A-Za-z%]+|[\u3400-\u9fff]{{1,2}})?", re.IGNORECASE
)
_UP_OR_DOWN: Final = (
    r"(?:change|raise|lower|increase|decrease|reduce|extend|shorten|lengthen|cut|bump|set|limit|"
    r"adjust|update|drop)"
)
_MOVED_ZH: Final = r"提高|降低|增加|减少|缩短|延长|上调|下调|调高|调低|提升|放宽|收紧"
_UP_OR_DOWN_ZH: Final = rf"(?:{_MOVED_ZH}|加大|缩小|调整|更改|修改|改|变|换)"
_FROM: Final = patterns(
    rf"{_UP_OR_DOWN} (?:the )?(?P<what>.+?) from (?P<old>{_SAID}) to (?P<new>{_SAID})",
    rf"(?:把|将)?(?P<what>.+?)(?:从|由) ?(?P<old>{_SAID}) ?{_UP_OR_DOWN_ZH}(?:到|至|为|成) ?"
    rf"(?P<new>{_SAID})",
)
_TOLD: Final = patterns(
    rf"(?P<what>.+?) (?:changes?|goes|moves?|drops?|rises?) from (?P<old>{_SAID})"
    rf" to (?P<new>{_SAID})",
)
_TO: Final = patterns(
    r"(?:raise|lower|increase|decrease|reduce|extend|shorten|lengthen|cut|bump) (?:the )?"
    rf"(?P<what>.+?) to (?P<new>{_SAID})",
    rf"(?:把|将)?(?P<what>.+?) ?(?:{_MOVED_ZH}|改|调整|变)"
    rf"(?:到|至|为|成) ?(?P<new>{_SAID})",
)
_ARROW: Final = patterns(
    rf"(?P<what>.+?) ?[:：] ?(?P<old>{_SAID}) ?(?:->|=>|→) ?(?P<new>{_SAID})",
    rf"(?P<what>.+?) (?P<old>{_SAID}) ?(?:->|=>|→) ?(?P<new>{_SAID})",
)
# "30 minutes, not 15", and "replace 401 with 403 for wrong passwords".
_NOT: Final = patterns(
    rf"(?P<what>.*?(?P<new>{_SAID}).*?),? (?:and )?not (?P<old>{_SAID})",
    rf"replace (?P<old>{_NUMBER}) (?:with|by) (?P<new>{_NUMBER}) (?:for|in|on|when|where) "
    r"(?P<what>.+)",
    rf"(?P<what>.*?(?P<new>{_SAID}).*?)[，,]? ?(?:而)?不(?:再)?是 ?(?P<old>{_SAID})",
)
_ALONE: Final = Lazy(rf"{_SAID}(?: times?)?", re.IGNORECASE)


def read_value(masked: Masked, words: str) -> Revalued | None:
    """Reads a change of a value, or returns None if the statement is none."""
    if len(words) > _LONGEST:
        return None
    order = match_whole(_FROM, words)
    found = order or match_whole((*_TOLD, *_TO, *_ARROW, *_NOT), words)
    if found is None:
        return None
    whole = tidy(masked.plain(words))
    old = found.get("old")
    return Revalued(
        masked.plain(found["what"]),
        old,
        found["new"],
        whole,
        surely_old=old is not None,
        is_order=order is not None,
    )


def value_instead(new: str, old: str, whole: str) -> Revalued | None:
    """Reads "`new` instead of `old`" as a change of a value, where the old words are one."""
    values = [found[0] for found in _VALUE.finditer(new)]
    if not _ALONE.fullmatch(old) or not values:
        return None
    first = _VALUE.search(old)
    if first is None:
        return None
    unit, other = (
        old[first.end() :].strip(),
        new[new.rindex(values[-1]) + len(values[-1]) :].strip(),
    )
    if unit and other and not _same_unit(unit.casefold(), other.casefold()):
        # "One hour instead of ten minutes": the unit goes with its number.
        at = new.rindex(values[-1])
        return Revalued(new[:at], old, new[at:], whole)
    return Revalued(new, first[0], values[-1], whole)


def with_value(entries: Iterable[Entry], change: Revalued) -> tuple[Entry, str] | None:
    """Finds the one entry that a value changes in.

    Args:
        entries: Where to look.
        change: The change.

    Returns:
        The entry and what it becomes; None when none has such a value, or several fit as well.
    """
    unit = _UNIT.match(change.new)
    about = " ".join((change.what, change.new[unit.end("number") :] if unit else ""))
    fits: list[tuple[float, Entry, str]] = []
    for entry in entries:
        share = max(share_of(about, entry.text), _share_of_meaning(about, entry.text))
        text = _placed(entry.text, change)
        if text is not None and share > 0:
            fits.append((share, entry, text))
    fits.sort(key=lambda fit: -fit[0])
    if not fits or (change.old is None and fits[0][0] < 0.4):
        return None
    if len(fits) > 1 and fits[1][0] > fits[0][0] - 0.15:
        return None
    return fits[0][1], fits[0][2]


def _share_of_meaning(wanted: str, held: str) -> float:
    """Returns the share of some words that an entry in the other language holds."""
    asked = set(meanings_of(wanted))
    return len(asked & set(meanings_of(held))) / len(asked) if asked else 0.0


def _placed(text: str, change: Revalued) -> str | None:
    """Returns an entry with the new value, or None if the old one is not there just once."""
    number = _VALUE.match(change.new)
    if change.old is not None:
        places = _places_of(text, change.old)
        new = change.new
        held = _VALUE.match(change.old)
        if not places and held is not None and number is not None and _is_foreign(change.old, text):
            places, new = _places_of(text, held[0]), number[0]
        elif number is not None and held is not None and held[0] == change.old:
            # "30 minutes, not 15": the unit stands in the entry.
            new = number[0]
    else:
        places = _places_like(text, change.new)
        new = number[0] if number is not None else change.new
    if len(places) != 1:
        return None
    start, end = places[0]
    held = _VALUE.match(change.old or "")
    if held is not None and number is not None and text[start:end].startswith(held[0]):
        is_same_unit = change.old is not None and (
            change.old[held.end() :].strip() == change.new[number.end() :].strip()
        )
        if is_same_unit:
            # The entry keeps its way to write the unit.
            end, new = start + held.end(), number[0]
    return text[:start] + new + text[end:]


def _is_foreign(value: str, text: str) -> bool:
    """Tells whether the unit of a value is in another language than a text."""
    return bool(_HAN.search(value)) and not _HAN.search(text)


def _places_of(text: str, old: str) -> list[tuple[int, int]]:
    """Returns where a value stands in an entry, in digits or in words, with or without blanks."""
    number = _VALUE.match(old)
    unit = old[number.end() :].strip() if number else ""
    spaced = (f"{number[0]} {unit}",) if number and unit else ()
    for form in (old, old.replace(" ", ""), *spaced, *_other_forms(old)):
        pattern = re.escape(form)
        if form.isascii():
            pattern = rf"(?<![A-Za-z0-9_.]){pattern}(?![A-Za-z0-9_]|\.\d)"
        places = [found.span() for found in re.finditer(pattern, text, re.IGNORECASE)]
        if places:
            return places
    return []


def _other_forms(value: str) -> Iterator[str]:
    """Yields a small number in words for digits and in digits for words."""
    number, blank, unit = value.partition(" ")
    for word, digit in _DIGIT_OF.items():
        if number.lower() == word:
            yield f"{digit}{blank}{unit}"
        elif number == str(digit):
            yield f"{word}{blank}{unit}"


def _places_like(text: str, new: str) -> list[tuple[int, int]]:
    """Returns where values with the unit of a new one stand; all values, if it has no unit."""
    wanted = _UNIT.match(new)
    unit = ((wanted["unit"] if wanted else None) or "").casefold()
    return [
        found.span("number")
        for found in _UNIT.finditer(text)
        if not unit or _same_unit((found["unit"] or "").casefold(), unit)
    ]


def _same_unit(held: str, wanted: str) -> bool:
    held, wanted = held.rstrip("s"), wanted.rstrip("s")
    return bool(held) and (held.startswith(wanted) or wanted.startswith(held))
