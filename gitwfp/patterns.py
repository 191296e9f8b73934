"""Regular expressions that are compiled when they are first used.

There are some two hundred of them at the level of modules, and a command uses a few: compiling
them all took a tenth of its time.
"""

import re
from typing import TYPE_CHECKING, Any, AnyStr

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")


class _Lazy:
    """Stands for a pattern until one of its methods is called."""

    def __init__(self, text: Any, flags: int) -> None:
        self._made = (text, flags)

    def __getattr__(self, name: str) -> Any:
        made = re.compile(*self._made)
        # From now on these are found without coming here.
        vars(self).update((method, getattr(made, method)) for method in _METHODS)
        return getattr(made, name)


def regex(text: AnyStr, flags: int = 0) -> "re.Pattern[AnyStr]":
    """Returns a regular expression as `re.compile` does, whose mistakes show at its first use."""
    if TYPE_CHECKING:
        return re.compile(text, flags)
    return _Lazy(text, flags)
