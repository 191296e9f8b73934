"""Which words a pattern cannot do without, told from its text and without compiling it.

Compiling takes a hundred times as long as looking whether a word is there at all, and of the some
hundred patterns of a request few have their words in it. What is not certain is no condition.
"""

import re
from typing import Final

_PARTS: Final = re.compile(
    r"[^\\\[()|?*{+.^$]+"
    r"|[|)?*]"
    r"|\((?:\?(?:P<\w+>|P=\w+|<[=!]|[:=!>]|[a-zA-Z-]+[:)]))?"
    r"|\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)"
    r"|\[\^?\]?(?:\\.|[^\]\\])*\]"
    r"|\{[^}]*\}"
    r"|.",
    re.DOTALL,
)
"""Plain text, signs, openings of groups, escapes, sets and numbers of times."""

_SIGNS: Final = frozenset("\\[()|?*{+.^$")
_PLAIN_ALONE: Final = frozenset("\\[{")
"""What is a sign only with something behind it."""

_OTHER_SCRIPT: Final = 2

Words = tuple[str, ...]
"""Of which a text must have one."""


def needed(text: str) -> Words | None:  # noqa: C901 - one loop, as it runs for hundreds
    """Returns words of which a text must have at least one to match, None where that is open.

    Args:
        text: A regular expression, not a verbose one.
    """
    # Of the group at hand: whether it counts, what its alternatives so far need, and the best of
    # this one with its weight; in `above` the same of the groups around it.
    counts, alternatives, best, weight = True, [], None, -1
    above: list[tuple[bool, list[Words | None], Words | None, int]] = []
    # What the last group asks for counts only if nothing behind it makes the group optional.
    last: Words | None = None
    run = ""
    for part in _PARTS.findall(text):
        sign = part[0]
        is_plain = sign not in _SIGNS or (part in _PLAIN_ALONE)
        is_maybe = not is_plain and sign in "?*{"
        if last is not None:
            if not is_maybe and _weight(last) > weight:
                best, weight = last, _weight(last)
            last = None
        if is_plain:
            run += part
            continue
        if is_maybe:
            # It holds for the character before, if that is not a group; neither need be there.
            run = run[:-1]
        if run:
            word = run.casefold()
            heavy = len(word) if word.isascii() else len(word) + _OTHER_SCRIPT
            if heavy > weight:
                best, weight = (word,), heavy
            run = ""
        if sign == "|":
            alternatives.append(best)
            best, weight = None, -1
        elif sign == ")":
            alternatives.append(best)
            last = _words(alternatives) if counts else None
            counts, alternatives, best, weight = above.pop()
        elif sign == "(" and not (len(part) > 1 and part[-1] == ")"):
            # `(?i)` opens nothing; what looks ahead or behind may look for what is not there.
            above.append((counts, alternatives, best, weight))
            counts = part in ("(", "(?:") or part.startswith("(?P<")
            alternatives, best, weight = [], None, -1
    if above:
        # A parenthesis was taken for something else.
        return None
    for words in (last, (run.casefold(),) if run else None):
        if words is not None and _weight(words) > weight:
            best, weight = words, _weight(words)
    return _words([*alternatives, best])


def _words(alternatives: list[Words | None]) -> Words | None:
    """Returns the words of a group that has ended: those of all its alternatives."""
    found: dict[str, None] = {}
    for words in alternatives:
        if words is None:
            return None
        found.update(dict.fromkeys(words))
    return tuple(found)


def _weight(words: Words) -> int:
    """Tells how much a condition says: few texts have long words, or both scripts."""
    return min(len(word) if word.isascii() else len(word) + _OTHER_SCRIPT for word in words)


def folded(text: str) -> str:
    """Returns a text in which letters are the same that are so where case does not count."""
    # A dotless i is an i for regular expressions, and for nobody else.
    return text.casefold().replace("\u0131", "i")
