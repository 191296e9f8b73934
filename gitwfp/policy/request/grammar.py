"""Patterns as the rules planner uses them: several for one meaning, each for a whole statement."""

import re
from dataclasses import dataclass

from gitwfp.errors import Text

Patterns = tuple[re.Pattern[str], ...]


def patterns(*texts: str) -> Patterns:
    """Compiles patterns in which upper and lower case do not count."""
    return tuple(re.compile(text, re.IGNORECASE) for text in texts)


def match_whole(tried: Patterns, words: str) -> dict[str, str] | None:
    """Returns the named groups of the first pattern that a statement is, all of it.

    A group that took no part is left out; one that is empty is kept.
    """
    for pattern in tried:
        found = pattern.fullmatch(words)
        if found:
            return {name: text for name, text in found.groupdict().items() if text is not None}
    return None


@dataclass(frozen=True, slots=True)
class Unclear:
    """A statement that is left out, and why."""

    reason: Text
