"""What the last word of an unfinished command line can become, as far as the words tell.

The commands, options and choices are read from a file that `gitwfp.cli.wordlist` writes, and live
names are asked for by their kind, so that nothing heavy is imported. Nothing here fails: a line
that makes no sense has no candidates.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from gitwfp.classes import dataclass, field
from gitwfp.errors import Text
from gitwfp.patterns import regex

FOLDER: Final = os.path.join(os.path.dirname(os.path.dirname(__file__)), "completions")
WORDS: Final = "words.json"

Candidate = tuple[str, str | Text]
"""A whole word, and what it stands for."""

_QUOTED: Final = regex(r"\\(.)|'([^']*)(?:'|\Z)|\"((?:[^\"\\]|\\.)*)(?:\"|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Line:
    """An unfinished command line, as far as it is understood.

    Attributes:
        command: The words of the command, `config set`.
        folders: The values of `-C`.
        options: The values of the options given so far, by their first name.
        arguments: The arguments given so far.
        ended: Whether `--` has ended the options.
    """

    command: str = ""
    folders: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    ended: bool = False


Live = Callable[[str, str, Line], Sequence[Candidate]]
"""Answers with the names of a kind, for the word begun and the line before it."""


def words_of_commands() -> Mapping[str, Any]:
    """Returns the words of all commands, as the file has them."""
    with open(os.path.join(FOLDER, WORDS), encoding="utf-8") as file:
        found: Mapping[str, Any] = json.load(file)
    return found


def candidates(words: Sequence[str], known: Mapping[str, Any], live: Live) -> tuple[Candidate, ...]:
    """Returns what the last word can become.

    Args:
        words: The words after `git wfp`; the last one is the one to complete, and may be empty.
        known: The words of all commands.
        live: Answers with names that a repository knows.
    """
    *before, begun = words or [""]
    line, waiting = _read(before, known)
    command = known[line.command]
    if waiting is not None:
        found = _of_kind(waiting, begun, line, live)
    elif begun.startswith("--") and "=" in begun and not line.ended:
        name, _, value = begun.partition("=")
        option = _option(command, name)
        kind = None if option is None else option["value"]
        values = () if kind is None else _of_kind(kind, value, line, live)
        found = tuple((f"{name}={word}", meaning) for word, meaning in values)
    elif begun.startswith("-") and not line.ended:
        found = tuple(_options(command, begun))
    else:
        found = _arguments(command, begun, line, live)
    wanted = {word: meaning for word, meaning in found if word.startswith(begun)}
    # What cannot be shown cannot be typed either, and a shell might obey it.
    return tuple((word, told) for word, told in wanted.items() if word.isprintable())


def unquoted(word: str) -> str:
    """Returns a word of a command line as its program would get it; an open quote is closed."""
    return _QUOTED.sub(_plain, word)


def _plain(match: re.Match[str]) -> str:
    if match[3] is not None:
        return re.sub(r'\\([$`"\\])', r"\1", match[3])
    return match[1] if match[1] is not None else match[2]


def _read(words: Sequence[str], known: Mapping[str, Any]) -> tuple[Line, str | None]:
    """Returns what a line says so far, and what kind of value the option at its end waits for."""
    name, ended = "", False
    folders: list[str] = []
    options: dict[str, str] = {}
    arguments: list[str] = []
    rest = iter(words)
    waiting = None
    for word in rest:
        if word == "--" and not ended:
            ended = True
        elif word.startswith("-") and len(word) > 1 and not ended:
            spelled, _, value = word.partition("=")
            option = _option(known[name], spelled)
            if option is None or option["value"] is None:
                continue
            given = value if "=" in word else next(rest, None)
            if given is None:
                waiting = option["value"]
            elif option["names"][0] == "-C":
                folders.append(given)
            else:
                options[option["names"][0]] = given
        elif "commands" in known[name] and not arguments:
            below = f"{name} {word}".strip()
            name = below if below in known else name
            arguments += [] if below == name else [word]
        else:
            arguments.append(word)
    return Line(name, tuple(folders), options, tuple(arguments), ended), waiting


def _option(command: Mapping[str, Any], spelled: str) -> Mapping[str, Any] | None:
    found: Iterator[Mapping[str, Any]] = (
        option for option in command["options"] if spelled in option["names"]
    )
    return next(found, None)


def _options(command: Mapping[str, Any], begun: str) -> Iterator[Candidate]:
    for option in command["options"]:
        meaning = Text(option["meaning"])
        for name in option["names"]:
            # Short ones are for those who know them; they are not in the way of the others.
            if name.startswith("--") or begun == "-":
                yield name, meaning


def _arguments(
    command: Mapping[str, Any], begun: str, line: Line, live: Live
) -> tuple[Candidate, ...]:
    if "commands" in command:
        if line.arguments:
            return ()
        return tuple((name, Text(meaning)) for name, meaning in command["commands"])
    kinds = command["arguments"]
    place = len(line.arguments)
    if place >= len(kinds) and not (command["more"] and kinds):
        return ()
    # Of a request only the first word is a name; what follows is prose.
    if line.command == "replan" and place > 0:
        return ()
    return _of_kind(kinds[min(place, len(kinds) - 1)], begun, line, live)


def _of_kind(kind: str, begun: str, line: Line, live: Live) -> tuple[Candidate, ...]:
    if kind.startswith("="):
        return tuple((word, "") for word in kind[1:].split(" "))
    return tuple(live(kind, begun, line)) if kind else ()
