"""Patterns as the rules planner uses them: several for one meaning, each for a whole statement.

A pattern is compiled when it is first tried: there are some hundreds of them, a request needs
few, and a command that reads no request needs none.
"""

import re
from collections.abc import Callable, Iterator

from gitwfp.classes import dataclass
from gitwfp.errors import Text
from gitwfp.policy.request.literals import folded, needed


class Lazy:
    """A regular expression that is compiled when a text may match it for the first time."""

    __slots__ = ("_flags", "_made", "_needed", "_text")

    def __init__(self, text: str, flags: re.RegexFlag | int = 0) -> None:
        self._text = text
        self._flags = flags
        self._made: re.Pattern[str] | None = None
        self._needed: tuple[str, ...] | None | bool = False

    @property
    def compiled(self) -> re.Pattern[str]:
        """The compiled expression."""
        if self._made is None:
            self._made = re.compile(self._text, self._flags)
        return self._made

    def can_match(self, text: str) -> bool:
        """Tells whether it is worth compiling: False only if the text surely does not match."""
        if self._made is not None:
            return True
        if self._needed is False:
            self._needed = None if self._flags & re.VERBOSE else needed(self._text)
        if not isinstance(self._needed, tuple):
            return True
        said = folded(text)
        return any(word in said for word in self._needed)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Matches all of a text."""
        return self.compiled.fullmatch(text) if self.can_match(text) else None

    def match(self, text: str) -> re.Match[str] | None:
        """Matches the beginning of a text."""
        return self.compiled.match(text) if self.can_match(text) else None

    def search(self, text: str) -> re.Match[str] | None:
        """Finds the first place that matches."""
        return self.compiled.search(text) if self.can_match(text) else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Finds every place that matches."""
        return self.compiled.finditer(text) if self.can_match(text) else iter(())

    def findall(self, text: str) -> list[str]:
        """Returns what matches; of an expression without groups."""
        return [found[0] for found in self.finditer(text)]

    def split(self, text: str) -> list[str]:
        """Splits a text where the expression matches; of an expression without groups."""
        return self.compiled.split(text) if self.can_match(text) else [text]

    def sub(self, new: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        """Puts something else where the expression matches."""
        return self.compiled.sub(new, text, count) if self.can_match(text) else text


Patterns = tuple[Lazy, ...]


def patterns(*texts: str) -> Patterns:
    """Returns patterns in which upper and lower case do not count."""
    return tuple(Lazy(text, re.IGNORECASE) for text in texts)


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
