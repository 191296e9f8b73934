"""Writes the words that can be completed without a look at any repository.

`python -m gitwfp.cli.wordlist` writes them from the commands, so that the shell is answered without
the library that parses command lines.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from gitwfp.cli.command import PROGRAM, App, Command, Option
from gitwfp.cli.completing import FOLDER, WORDS
from gitwfp.cli.console import Console
from gitwfp.cli.group import Group, root
from gitwfp.cli.table import COMMANDS, Table

_KINDS: Final[Mapping[str, str]] = {
    "WFS-x": "session",
    "IMPL-3": "task",
    "REV|DATE": "revision",
    "REV": "revision",
    "[REPLAN|REV]": "replan",
    "[A] [B]": "revision",
    "A": "revision",
    "B": "revision",
    "BRANCH...": "branch",
    "[TASK_ID] REQUIREMENTS...": "task",
    "KEY": "setting",
    "DIR": "folder",
    "[DIR]": "folder",
    "PATH": "file",
    "FILE": "file",
    "FILE|-": "file",
}
"""What a placeholder in a help stands for."""

_ARGUMENTS: Final[Mapping[str, str]] = {
    "session": "session",
    "task": "task",
    "branch": "branch",
}
"""What an argument without a placeholder stands for, by its name."""

_SPECIAL: Final[Mapping[tuple[str, str], str]] = {
    ("schema", "name"): "schema",
    ("help", "command"): "command",
    ("config set", "value"): "value",
}


def content(table: Table = COMMANDS) -> str:
    """Returns the words of all commands as JSON, one command a line."""
    app = App(Console(None, None, None, {}), ".", ".", {})
    lines = [
        f"{json.dumps(name)}: {json.dumps(words, ensure_ascii=False)}"
        for name, words in _commands(root(table), "", None, app)
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def write(path: str = os.path.join(FOLDER, WORDS)) -> None:
    """Writes the words into a file."""
    Path(path).write_text(content(), "utf-8", newline="\n")


def _commands(
    command: click.Command, name: str, parent: click.Context | None, app: App
) -> Iterator[tuple[str, dict[str, Any]]]:
    if not isinstance(command, Command | Group):
        raise TypeError(f"{name} is no command of ours")
    context = click.Context(command, info_name=name or PROGRAM, parent=parent, obj=app)
    options = [option for option in command.params if isinstance(option, Option)]
    arguments = [one for one in command.params if isinstance(one, click.Argument)]
    words: dict[str, Any] = {"options": [_option(one) for one in options if not one.hidden]}
    if isinstance(command, Group):
        listed = {below: one for below, one in command.table.items() if not one.hidden}
        words["commands"] = [[below, one.help.template] for below, one in listed.items()]
        yield name, words
        for below in listed:
            found = command.get_command(context, below)
            if found is not None:
                yield from _commands(found, f"{name} {below}".strip(), context, app)
        return
    words["arguments"] = [_kind(name, one) for one in arguments]
    words["more"] = any(one.nargs == -1 for one in arguments)
    yield name, words


def _option(option: Option) -> dict[str, Any]:
    names = [*option.opts, *option.secondary_opts]
    value = None if option.is_flag else _kind("", option)
    return {"names": names, "meaning": option.text.template, "value": value}


def _kind(command: str, parameter: click.Parameter) -> str:
    """Returns what sort of word a parameter takes; "" for a word that nobody can guess."""
    if isinstance(parameter.type, click.Choice):
        return "=" + " ".join(map(str, parameter.type.choices))
    name = str(parameter.name)
    if (command, name) in _SPECIAL:
        return _SPECIAL[command, name]
    found = _KINDS.get(parameter.metavar or "")
    if found is None and isinstance(parameter, click.Argument):
        found = _ARGUMENTS.get(name)
    return found or ""


def main(words: Sequence[str]) -> None:
    """Writes the words, into the file named first if there is one."""
    write(*words[:1])


if __name__ == "__main__":
    main(sys.argv[1:])
