"""Which words a pattern cannot do without, told from its text and without compiling it.

Compiling takes a hundred times as long as looking whether a word is there at all, and of the some
hundred patterns of a request few have their words in it. What is not certain is no condition.
"""

import re
from typing import Final

from gitwfp.classes import dataclass, field

_PARTS: Final = re.compile(
    r"(?P<escape>\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.))"
    r"|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])"
    r"|(?P<open>\((?:\?(?:P<\w+>|P=\w+|<[=!]|[:=!>]|[a-zA-Z-]+[:)]))?)"
    r"|(?P<close>\))"
    r"|(?P<either>\|)"
    r"|(?P<maybe>[?*]|\{[^}]*\})"
    r"|(?P<more>\+)"
    r"|(?P<any>[.^$])"
    r"|(?P<plain>.)",
    re.DOTALL,
)


Words = tuple[str, ...]
"""Of which a text must have one."""


@dataclass(slots=True)
class _Level:
    """What is known of a group, or of the whole: its alternatives so far, and the one at hand."""

    counts: bool = True
    alternatives: list[Words | None] = field(default_factory=list)
    best: Words | None = None
    run: str = ""

    def end_run(self) -> None:
        if self.run:
            self.offer((self.run.casefold(),))
        self.run = ""

    def offer(self, words: Words | None) -> None:
        if words is not None and (self.best is None or _weight(words) > _weight(self.best)):
            self.best = words

    def end_alternative(self) -> None:
        self.end_run()
        self.alternatives.append(self.best)
        self.best = None

    def words(self) -> Words | None:
        """Returns the words of a level that has ended: those of all its alternatives."""
        found = [words for words in self.alternatives if words is not None]
        if not self.counts or len(found) < len(self.alternatives):
            return None
        return tuple(dict.fromkeys(word for words in found for word in words))


def needed(text: str) -> Words | None:
    """Returns words of which a text must have at least one to match, None where that is open.

    Args:
        text: A regular expression, not a verbose one.
    """
    levels = [_Level()]
    # What the last group asks for counts only if nothing behind it makes the group optional.
    last: Words | None = None
    for part in _PARTS.finditer(text):
        kind, found = part.lastgroup, part[0]
        level = levels[-1]
        if kind != "maybe":
            level.offer(last)
        last = None
        if kind == "plain":
            level.run += found
            continue
        if kind == "maybe":
            # It holds for the character before, if that is not a group; neither need be there.
            level.run = level.run[:-1]
        level.end_run()
        if kind == "either":
            level.end_alternative()
        elif kind == "close":
            level.end_alternative()
            last = levels.pop().words()
        elif kind == "open" and not (found.startswith("(?") and found.endswith(")")):
            # `(?i)` opens nothing; what looks ahead or behind may look for what is not there.
            levels.append(_Level(counts=found in ("(", "(?:") or found.startswith("(?P<")))
    levels[0].offer(last)
    levels[0].end_alternative()
    return levels[0].words()


def _weight(words: Words) -> int:
    """Tells how much a condition says: few texts have long words, or both scripts."""
    return min(len(word) + 2 * (not word.isascii()) for word in words) if words else 0


def folded(text: str) -> str:
    """Returns a text in which letters are the same that are so where case does not count."""
    # A dotless i is an i for regular expressions, and for nobody else.
    return text.casefold().replace("\u0131", "i")
