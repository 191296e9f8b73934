"""Regular expressions that wait for their first use are right, and are what `re` makes of them."""

import importlib
import pkgutil
import re
from typing import Any

import pytest

import gitwfp
from gitwfp import patterns


def _waiting() -> list[Any]:
    """Returns every expression at the level of a module, also those in tuples and mappings."""
    found: list[Any] = []
    for module in pkgutil.walk_packages(gitwfp.__path__, "gitwfp."):
        if not module.name.endswith("__main__"):
            pending = list(vars(importlib.import_module(module.name)).values())
            while pending:
                value = pending.pop()
                if isinstance(value, patterns._Lazy):
                    found.append(value)
                elif type(value) is tuple:
                    pending += value
                elif type(value) is dict:
                    pending += value.values()
    return found


def test_every_expression_is_one() -> None:
    """None has a mistake that would show only when a command comes to use it."""
    found = _waiting()
    assert len(found) > 90
    for each in found:
        assert isinstance(each.pattern, (str, bytes))


@pytest.mark.parametrize("flags", [0, re.IGNORECASE])
def test_methods_are_those_of_re(flags: int) -> None:
    """What it finds is what the compiled expression finds, at the first use and later."""
    made = re.compile("(a)b*", flags)
    for text in ("abb", "xABy", "", "a a"):
        lazy = patterns.regex("(a)b*", flags)
        for _ in range(2):
            assert lazy.sub("-", text) == made.sub("-", text)
            assert lazy.findall(text) == made.findall(text)
            assert lazy.split(text) == made.split(text)
            assert bool(lazy.search(text)) is bool(made.search(text))
            assert bool(lazy.match(text)) is bool(made.match(text))
            assert bool(lazy.fullmatch(text)) is bool(made.fullmatch(text))
            assert [m[0] for m in lazy.finditer(text)] == [m[0] for m in made.finditer(text)]
            assert lazy.groups == made.groups
