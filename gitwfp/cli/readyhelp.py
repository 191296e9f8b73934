"""The help of the commands without the library that parses them, from a file written beforehand.

`gitwfp.cli.helpfile` writes it, one command a line. It holds what the help is made of and not its
lines, so that language, width and colours are those of the person who asks.
"""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Final

from gitwfp.cli.guide import Guide, Page
from gitwfp.errors import Text

FILE: Final = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data", "helps.json")
_HELP: Final = ("-h", "--help")


def ready_help(words: Sequence[str]) -> Page | None:
    """Returns the help that words ask for and for nothing else, None for all other words.

    Args:
        words: The words after `git wfp`.
    """
    if not words or words[-1] not in _HELP:
        return None
    start = json.dumps(" ".join(words[:-1])) + ": "
    try:
        with open(FILE, encoding="utf-8") as file:
            line = next((line for line in file if line.startswith(start)), None)
    except OSError:
        # The commands say it themselves.
        return None
    return None if line is None else _page(json.loads(line.removeprefix(start).rstrip(",\n")))


def _page(held: Mapping[str, Any]) -> Page:
    summary, *notes = map(_sentence, held["paragraphs"])
    guide = Guide(
        summary,
        tuple(held["examples"]),
        tuple(notes),
        tuple((name, _sentence(meaning)) for name, meaning in held["commands"]),
        tuple(map(_sentence, held["ending"])),
    )
    options = tuple((name, _sentence(meaning), more) for name, meaning, more in held["options"])
    return Page(held["command"], held["arguments"], guide, options)


def _sentence(held: Sequence[Any]) -> Text:
    return Text(*held)


def as_json(page: Page) -> str:
    """Returns a help as `ready_help` reads it.

    Raises:
        TypeError: A sentence of it has values that JSON does not know.
        ValueError: A sentence of it counts something.
    """
    guide = page.guide
    held = {
        "command": page.command,
        "arguments": page.arguments,
        "paragraphs": [_held(text) for text in (guide.summary, *guide.notes)],
        "commands": [[name, _held(meaning)] for name, meaning in guide.commands],
        "options": [[name, _held(meaning), more] for name, meaning, more in page.options],
        "examples": guide.examples,
        "ending": [_held(text) for text in guide.ending],
    }
    return json.dumps(held, ensure_ascii=False)


def _held(text: Text) -> list[object]:
    if text.plural is not None:
        raise ValueError(f"a help counts something: {text}")
    return [text.template, dict(text.values)] if text.values else [text.template]
