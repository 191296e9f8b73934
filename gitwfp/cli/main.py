"""The entry point `git-wfp`, and the one boundary that every kind of bad news comes to.

A refusal is said in the manner of git and ends with its exit code. An interruption ends with 130.
Anything else is a bug: a report is written, one line names it, and nobody sees a traceback. With
`--json` each of them is the one document on standard output, even when the words of the command
are not understood.
"""

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from gitwfp.cli import streams
from gitwfp.cli.console import Console
from gitwfp.cli.table import COMMANDS, Table
from gitwfp.errors import ExitCode, Refusal, say

if TYPE_CHECKING:
    from gitwfp.cli.app import App, Result
    from gitwfp.git.witness import Witness

_END_OF_OPTIONS: Final = "--"
_COMPLETE: Final = "complete"
_EVERY_DAY: Final = ("status", "list", "next", "verify", "gate", _COMPLETE)
_HELP: Final = ("-h", "--help")


def main(
    argv: Sequence[str] | None = None,
    commands: Table = COMMANDS,
    *,
    witness: "Witness | None" = None,
) -> int:
    """Runs one command.

    Args:
        argv: The words after `git wfp`; by default those that the process was started with.
        commands: The commands that there are.
        witness: Notes what on disk the answer depends on.

    Returns:
        The exit code of the process.
    """
    streams.open_missing_streams()
    words = list(sys.argv[1:] if argv is None else argv)
    options = words[: words.index(_END_OF_OPTIONS)] if _END_OF_OPTIONS in words else words
    console = Console(
        sys.stdin,
        sys.stdout,
        sys.stderr,
        os.environ,
        json="--json" in options,
        no_input="--no-input" in options,
    )
    invocation = _Invocation(words, commands, console, witness)
    try:
        return invocation.run()
    except Refusal as refusal:
        return console.refuse(refusal)
    except KeyboardInterrupt:
        return console.refuse(Refusal("interrupted", say("Interrupted."), ExitCode.INTERRUPTED))
    except Exception as error:  # noqa: BLE001 - this is the boundary
        return console.refuse(_bug(error, words, invocation.folder))


class _Invocation:
    """One run of a command; it remembers where the command stood, for the report of a bug."""

    def __init__(
        self, words: list[str], commands: Table, console: Console, witness: "Witness | None"
    ) -> None:
        self.folder = os.sep
        self._words = words
        self._commands = commands
        self._console = console
        self._witness = witness

    def run(self) -> int:
        from gitwfp.cli.app import App

        self.folder = _current_folder()
        app = App(self._console, self.folder, self.folder, os.environ, witness=self._witness)
        if self._commands is COMMANDS and self._words:
            result = _answered_at_once(self._words, app)
            if result is not None:
                return app.finish(result)
        return self._run_parsed(app)

    def _run_parsed(self, app: "App") -> int:
        """Has click understand the words."""
        import click

        from gitwfp.cli.command import PROGRAM, Result, app_of
        from gitwfp.cli.group import root
        from gitwfp.cli.usage import as_refusal

        command = root(self._commands)
        try:
            with command.make_context(PROGRAM, list(self._words), obj=app) as ctx:
                try:
                    result = command.invoke(ctx)
                finally:
                    self.folder = app_of(ctx).folder
        except click.exceptions.Exit as done:
            return done.exit_code
        except click.ClickException as error:
            raise as_refusal(error) from error
        if not isinstance(result, Result):
            raise TypeError(f"a command answered with {type(result).__name__}")
        return app.finish(result)


def _answered_at_once(words: Sequence[str], app: "App") -> "Result | None":
    """Answers what needs no library to be understood, with what click would lead to."""
    # A shell may ask what `-h` can become; that is no question for the help.
    if words[0] in _EVERY_DAY and (words[-1] not in _HELP or words[0] == _COMPLETE):
        from gitwfp.cli.app import standing
        from gitwfp.cli.everyday import everyday

        answer = everyday(words)
        return None if answer is None else answer(standing(app, ()))
    if words[-1] in _HELP:
        from gitwfp.cli.app import help_result
        from gitwfp.cli.guide import page_lines
        from gitwfp.cli.readyhelp import ready_help

        page = ready_help(words)
        if page is not None:
            return help_result(page.command, "\n".join(page_lines(page, app.console.look)))
    return None


def _current_folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        raise Refusal(
            "no-such-folder",
            say("The folder that this command was started in is not there any more."),
            ExitCode.ENVIRONMENT,
        ) from None


def _bug(error: Exception, words: Sequence[str], folder: str) -> Refusal:
    from datetime import UTC, datetime

    from gitwfp.cli.crash import as_refusal

    now = datetime.now(UTC)  # noqa: TID251 - this is the edge that the time comes in at
    return as_refusal(error, words, folder, os.environ, now)
