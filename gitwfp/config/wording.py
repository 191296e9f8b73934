"""How names and values of settings appear in messages, and which name was probably meant."""

import re
from collections.abc import Iterable

from gitwfp.config.keys import LARGEST
from gitwfp.errors import Text, say

_BARE = r"[A-Za-z0-9_-]+"
_LONGEST = 60
_SIMILAR = 0.6
_SIMILAR_FIELD = 0.75


def dotted(path: Iterable[str]) -> str:
    """Returns the name of a setting or table as TOML spells it, safe to show."""
    return plain(".".join(part if re.fullmatch(_BARE, part) else repr(part) for part in path))


def plain(text: str) -> str:
    """Returns a text without control characters, cut to a length that fits in a sentence."""
    safe = text if text.isprintable() else repr(text)[1:-1]
    return safe if len(safe) <= _LONGEST else safe[:_LONGEST] + "..."


def shown(value: object) -> str | Text:
    """Returns what a message says of a value of any type."""
    match value:
        case None:
            return say("without a value")
        case bool():
            return str(value).lower()
        case int() if abs(value) > LARGEST:
            return say("too large a number")
        case str():
            return repr(plain(value)) if value.isprintable() else plain(repr(value))
        case dict():
            return say("a table")
        case list():
            return say("a list")
    return plain(str(value))


def nearest(name: str, known: Iterable[str], likeness: float = _SIMILAR) -> str | None:
    """Returns the known name that is most like another one; None if none is like it.

    Case, hyphens and underscores make no difference. If the whole is like none, the last part
    may be: `max_tasks` and `general.max_tasks` are `limits.max_tasks` in the wrong place.

    Args:
        name: The name that is not known.
        known: Those that are.
        likeness: How alike they must be, from 0 to 1.
    """
    from difflib import get_close_matches

    names = {_folded(each): each for each in known}
    found = get_close_matches(_folded(name), names, n=1, cutoff=likeness)
    if not found:
        names = {_folded(each).rpartition(".")[2]: each for each in names.values()}
        last = _folded(name).rpartition(".")[2]
        found = get_close_matches(last, names, n=1, cutoff=_SIMILAR_FIELD)
    return names[found[0]] if found else None


def _folded(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")
