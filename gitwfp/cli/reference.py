"""Writes the reference of all commands from their helps: `python -m gitwfp.cli.reference`."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import click

from gitwfp.cli.command import PROGRAM, App, Command, page_of
from gitwfp.cli.console import Console
from gitwfp.cli.group import Group, root
from gitwfp.cli.guide import Guide, page_lines
from gitwfp.cli.look import PLAIN
from gitwfp.cli.table import COMMANDS, Table

FILE: Final = "docs/commands.md"

_INTRODUCTION: Final = """\
# Commands

What `git wfp COMMAND -h` says, for all of them. This page is written by
`python -m gitwfp.cli.reference`. What commands answer with `--json` and how they exit is in the
[recipes](recipes.md)."""


def page(table: Table = COMMANDS) -> str:
    """Returns the reference as Markdown, with one section for each command that is listed."""
    sections = [_INTRODUCTION]
    for context, guide in helps(table):
        text = "\n".join(page_lines(page_of(context, guide), PLAIN))
        sections.append(f"## {context.command_path}\n\n```text\n{text}\n```")
    return "\n\n".join(sections) + "\n"


def write(path: str = FILE) -> None:
    """Writes the reference into a file."""
    Path(path).write_text(page(), "utf-8", newline="\n")


def helps(table: Table = COMMANDS) -> Iterator[tuple[click.Context, Guide]]:
    """Yields what is needed to show the help of `git wfp`, then of each command that is listed."""
    app = App(Console(None, None, None, {}), ".", ".", {})
    return _helps(root(table), PROGRAM, None, app)


def _helps(
    command: click.Command, name: str, parent: click.Context | None, app: App
) -> Iterator[tuple[click.Context, Guide]]:
    """Yields what is needed to show the help of a command, then of those below it."""
    if not isinstance(command, Command | Group):
        raise TypeError(f"{name} has no help of ours")
    context = click.Context(command, info_name=name, parent=parent, obj=app)
    yield context, command.guide
    if isinstance(command, Group):
        for below, entry in command.table.items():
            found = command.get_command(context, below)
            if not entry.hidden and found is not None:
                yield from _helps(found, below, context, app)


def main(words: Sequence[str]) -> None:
    """Writes the reference, into the file named first if there is one."""
    write(*words[:1])


if __name__ == "__main__":
    main(sys.argv[1:])
