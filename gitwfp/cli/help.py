"""`git wfp help`: the help of a command, and where the manual page lies."""

import os
from typing import Final

import click

from gitwfp.cli import aids
from gitwfp.cli.command import PROGRAM, App, Result, command
from gitwfp.cli.group import Group, root
from gitwfp.cli.look import Look
from gitwfp.cli.table import COMMANDS
from gitwfp.errors import ExitCode, Refusal, say

DISTRIBUTION: Final = "gitwfp"
PAGE: Final = "git-wfp.1"


def find_page() -> str | None:
    """Returns the file of the manual page, None where it is not installed."""
    from importlib.metadata import PackageNotFoundError, files

    try:
        installed = files(DISTRIBUTION) or []
    except PackageNotFoundError:
        installed = []
    places = [str(file.locate()) for file in installed if file.name == PAGE]
    # Beside the package it lies where the program runs from its sources.
    top = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    places.append(os.path.join(top, "man", PAGE))
    return next((os.path.realpath(place) for place in places if os.path.isfile(place)), None)


@command(
    "help",
    help=say("Explains a command, and says where the manual page is."),
    examples=("git wfp help", "git wfp help config set"),
    notes=(
        say(
            "git help wfp and git wfp --help open the manual page where man finds it; "
            "git wfp COMMAND -h explains one command."
        ),
    ),
)
@click.argument("command", nargs=-1, metavar="[COMMAND]")
def help_(app: App, command: tuple[str, ...]) -> Result:
    """Answers `git wfp help`."""
    found: click.Command = root(COMMANDS)
    context = click.Context(found, info_name=PROGRAM, obj=app)
    for word in command:
        if not isinstance(found, Group):
            raise Refusal(
                "unknown-command",
                say(
                    "There is no command {program} {typed}.",
                    program=context.command_path,
                    typed=word,
                ),
                ExitCode.USAGE,
                hint=say("{program} -h explains the command.", program=context.command_path),
            )
        _, below, _ = found.resolve_command(context, [word])
        if below is None:
            raise TypeError(f"{word} is in the list and is no command")
        found = below
        context = click.Context(found, info_name=word, parent=context, obj=app)
    text = found.get_help(context)
    page = find_page()

    def lines(look: Look) -> list[str]:
        told = (
            say("The manual page is not installed.")
            if page is None
            else say("The manual page: {path}", path=page)
        )
        return [*text.split("\n"), "", look.say(told)]

    return Result(aids.Manual(context.command_path, text, page), lines, pages=True)
