"""The text of a hook: our section in it, between its marks, and all else, which stays as it is.

Everything is bytes: a hook may be a script in any encoding, or no script at all.
"""

import os
import re
from functools import cache
from typing import Final

from gitwfp.git.program import to_bytes
from gitwfp.patterns import regex

HOOKS: Final = ("pre-push", "prepare-commit-msg", "post-merge")
"""The hooks that init can install; the first one is installed unless nothing is wanted."""

PROBE: Final = "WFP_HOOK_PROBE"
"""The variable by which a hook is asked whether it is reached; it then stops the push."""

_SHELL = regex(rb"#![^\n]*[/ ](?:sh|ash|bash|dash|ksh|zsh)[ \t\r]*(?:-[^\n]*)?\r?\n")
_RUN_AGAIN = regex(rb"""exec['"]?[ \t][^\n]*\$(?:0|\{0\})["' \t]""")
_START: Final = b"#!/bin/sh\n"
_NEVER_RUN: Final = b"exit 0 # git could not run what follows before, and does not now\n"


def section(hook: str, program: str) -> bytes:
    """Returns our section of a hook.

    Args:
        hook: The hook's name.
        program: The program to start, as an absolute path.
    """
    quoted = b"'" + to_bytes(program).replace(b"'", b"'\\''") + b"'"
    return _template(hook).replace(b"@PROGRAM@", quoted)


@cache
def _template(hook: str) -> bytes:
    # A wheel holds the hooks inside of the package; a source tree has them beside it.
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for folder in (package, os.path.dirname(package)):
        place = os.path.join(folder, "hooks", hook)
        if os.path.isfile(place):
            with open(place, "rb") as file:
                return file.read()
    raise FileNotFoundError(os.path.join(package, "hooks", hook))


def new_hook(ours: bytes) -> bytes:
    """Returns a hook that is nothing but our section."""
    return _START + ours


def chaining(ours: bytes, kept: str) -> bytes:
    """Returns a hook that goes on with another one in the same folder, which is no shell script."""
    return _START + ours + b'exec "${0%/*}/' + to_bytes(kept) + b'" "$@"\n'


def with_section(content: bytes, ours: bytes, *, is_run: bool = True) -> bytes | None:
    """Returns a shell script with our section at its beginning, None for anything else.

    Args:
        content: The hook as it is.
        ours: Our section.
        is_run: Whether git can run it; if not, what is in it is not run now either.
    """
    held = without_section(content)
    rest = content if held is None else held
    if _RUN_AGAIN.search(rest):
        # The rest of it is in another language, and so would our lines be.
        return None
    first = _SHELL.match(rest)
    if first is None and (rest.startswith(b"#!") or b"\0" in rest or not rest.strip()):
        return None if rest.strip() else new_hook(ours)
    start = rest[: first.end()] if first is not None else b""
    tail = rest[len(start) :].removeprefix(_NEVER_RUN)
    return start + ours + (b"" if is_run else _NEVER_RUN) + tail


def without_section(content: bytes) -> bytes | None:
    """Returns a hook without our section, None if it has none."""
    found = _SECTION.search(content)
    if found is None:
        return None
    return content[: found.start()] + content[found.end() :].removeprefix(_NEVER_RUN)


def section_in(content: bytes) -> bytes | None:
    """Returns our section as it stands in a hook, None if there is none."""
    found = _SECTION.search(content)
    return None if found is None else found[0]


def is_bare(content: bytes) -> bool:
    """Tells whether nothing is left in a hook from which our section was taken."""
    return content in (b"", _START)


_NAMES = b"|".join(re.escape(name.encode()) for name in HOOKS)
_SECTION = regex(
    rb"^# >>> git-wfp (" + _NAMES + rb") >>>\n.*?^# <<< git-wfp \1 <<<\n", re.DOTALL | re.MULTILINE
)
