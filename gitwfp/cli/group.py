"""Commands that hold commands; each is imported only when it is run.

The root of all, `git wfp` itself, is made here from a table.
"""

from importlib import import_module
from typing import Any

import click

from gitwfp import __version__
from gitwfp.classes import replace
from gitwfp.cli.app import standing
from gitwfp.cli.command import Option, Result, app_of, common_options, flag, page_of
from gitwfp.cli.guide import Guide, page_lines
from gitwfp.cli.outputs import Version
from gitwfp.cli.table import Table
from gitwfp.errors import ExitCode, Refusal, Text, say


class Group(click.Group):
    """A command whose commands are listed in a table.

    Args:
        name: Its name.
        table: Its commands.
        guide: What its help says; the commands are filled in.
        more: Everything else that click takes.
    """

    def __init__(self, name: str, table: Table, *, guide: Guide, **more: Any) -> None:
        super().__init__(
            name,
            help=str(guide.summary),
            add_help_option=False,
            no_args_is_help=False,
            invoke_without_command=True,
            subcommand_metavar=None,
            **more,
        )
        listed = tuple((key, entry.help) for key, entry in table.items() if not entry.hidden)
        self.params.extend(common_options())
        self.table = table
        self.guide = replace(guide, commands=listed)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Returns the names of the commands in the order of the table."""
        return list(self.table)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's signature
        cmd_name: str,
    ) -> click.Command | None:
        """Imports a command and returns it, None when there is no such command."""
        entry = self.table.get(cmd_name)
        if entry is None:
            return None
        module, _, attribute = entry.target.partition(":")
        found = getattr(import_module(module), attribute)
        if not isinstance(found, click.Command):
            raise TypeError(f"{entry.target} is no command")
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Returns the command that the words begin with; see click.

        Raises:
            Refusal: There is no such command (usage).
        """
        if args[0] not in self.table:
            raise _unknown_command(args[0], ctx, tuple(name for name, _ in self.guide.commands))
        return super().resolve_command(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        """Returns the help in the person's language."""
        return "\n".join(page_lines(page_of(ctx, self.guide), app_of(ctx).console.look))


def group(
    name: str, table: Table, *, help: Text, examples: tuple[str, ...], notes: tuple[Text, ...] = ()
) -> Group:
    """Returns a command that only holds others, such as `git wfp daemon`."""
    guide = Guide(help, examples, notes)
    return Group(name, table, guide=guide, callback=click.pass_context(need_command))


def need_command(ctx: click.Context) -> None:
    """Shows the help when nothing was asked for.

    Raises:
        Refusal: There is no command among the words (usage).
    """
    if ctx.invoked_subcommand is None:
        console = app_of(ctx).console
        if isinstance(ctx.command, Group):
            page = page_of(ctx, ctx.command.guide)
            console.note([*page_lines(page, console.error_look), ""])
        raise Refusal(
            "no-command",
            say("There is no command after {program}.", program=ctx.command_path),
            ExitCode.USAGE,
            hint=say("{program} -h lists the commands.", program=ctx.command_path),
        )


def root(table: Table) -> Group:
    """Returns `git wfp` with the commands of a table."""
    made = Group(
        "git-wfp",
        table,
        guide=Guide(
            say("Makes the plan of a piece of work a first-class citizen of git."),
            ("git wfp schema in/operations", "git wfp -C ../elsewhere schema --json"),
            ending=(
                say("git wfp COMMAND -h explains a command."),
                say(
                    "git wfp --help opens the manual page, which git looks for itself; "
                    "where it is not installed, git wfp -h is the help."
                ),
            ),
        ),
        callback=click.pass_context(_stand),
    )
    made.params[:0] = [
        Option(
            ["-C", "folders"],
            metavar="DIR",
            multiple=True,
            help=say("Does as if started in DIR."),
        )
    ]
    made.params.append(
        flag("--version", help=say("Prints the version."), is_eager=True, callback=_show_version)
    )
    return made


def _stand(ctx: click.Context, folders: tuple[str, ...]) -> None:
    ctx.obj = standing(app_of(ctx), folders)
    need_command(ctx)


def _show_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        line = f"git-wfp {__version__}"
        ctx.exit(app_of(ctx).finish(Result(Version(__version__), lambda _: (line,))))


def _unknown_command(typed: str, ctx: click.Context, names: tuple[str, ...]) -> Refusal:
    from difflib import get_close_matches

    close = get_close_matches(typed, names)
    program = ctx.command_path
    return Refusal(
        "unknown-command",
        say("There is no command {program} {typed}.", program=program, typed=typed),
        ExitCode.USAGE,
        hint=say("Did you mean: {names}?", names=", ".join(close))
        if close
        else say("{program} -h lists the commands.", program=program),
    )
