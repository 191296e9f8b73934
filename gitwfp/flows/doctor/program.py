"""Looks at the programs: this one, Python, its libraries, git."""

import re
import sys
from collections.abc import Iterator, Mapping
from importlib import metadata
from typing import Final

from gitwfp import __version__
from gitwfp.errors import say
from gitwfp.flows.doctor.check import Check, Grade
from gitwfp.git.program import OLDEST_VERSION, GitProgram
from gitwfp.patterns import regex

_NAME: Final = "gitwfp"
_OLDEST_PYTHON: Final = (3, 11)
_NEEDED: Final = regex(r"([A-Za-z0-9._-]+)\s*>=\s*([0-9.]+)\s*")


def python() -> Iterator[Check]:
    """Looks at the Python that runs this."""
    version = sys.version_info[:3]
    is_new = version >= _OLDEST_PYTHON
    yield Check(
        "python",
        Grade.OK if is_new else Grade.ERROR,
        say(
            "gitwfp {version} runs on Python {python}, {place}.",
            version=__version__,
            python=_dotted(version),
            place=sys.executable,
        ),
        say("Python {oldest} or newer.", oldest=_dotted(_OLDEST_PYTHON)),
        say("Older ones do not have what the program is made of."),
        None if is_new else say("Install gitwfp with a newer Python."),
    )


def libraries() -> Iterator[Check]:
    """Looks at the libraries that the package names."""
    found, bad = [], []
    for name, oldest in _needed().items():
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            version = "-"
        found.append(f"{name} {version}")
        if _numbers(version) < _numbers(oldest):
            bad.append(f"{name} {version} < {oldest}")
    yield Check(
        "libraries",
        Grade.ERROR if bad else Grade.OK,
        say("Too old or missing: {names}.", names=", ".join(bad))
        if bad
        else say("The libraries are: {names}.", names=", ".join(found))
        if found
        else say("The package is not installed, so its libraries are not known."),
        say("Each library is there and new enough."),
        say("A command that needs one of them would fail."),
        say("Install gitwfp anew, best in an environment of its own.") if bad else None,
    )


def git(folder: str, environ: Mapping[str, str]) -> Iterator[Check]:
    """Looks at the git program.

    Args:
        folder: Where to run it.
        environ: Its environment.
    """
    version = GitProgram(folder, environ).version()
    is_new = version >= OLDEST_VERSION
    yield Check(
        "git-version",
        Grade.OK if is_new else Grade.ERROR,
        say("git is version {version}.", version=_dotted(version)),
        say("git {oldest} or newer.", oldest=_dotted(OLDEST_VERSION)),
        say("Older ones do not know all commands that are used."),
        None if is_new else say("Install a newer git and make sure that PATH leads to it."),
    )


def _needed() -> Mapping[str, str]:
    try:
        lines = metadata.requires(_NAME) or []
    except metadata.PackageNotFoundError:
        return {}
    matches = (_NEEDED.fullmatch(line) for line in lines)
    return {match[1]: match[2] for match in matches if match is not None}


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version.partition("+")[0])[:3])


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
