"""What click says about a command line that it does not understand, in our own words."""

import click

from gitwfp.cli.command import PROGRAM
from gitwfp.errors import ExitCode, Refusal, Text, say


def as_refusal(error: click.ClickException) -> Refusal:
    """Returns an error of click as a refusal (usage)."""
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    code, message = _sentence(error)
    return Refusal(code, message, ExitCode.USAGE, hint=_hint(error, ctx))


def _sentence(error: click.ClickException) -> tuple[str, Text]:
    match error:
        case click.NoSuchOption():
            return "unknown-option", say("There is no option {option}.", option=error.option_name)
        case click.MissingParameter():
            return "missing-parameter", say("{parameter} is missing.", parameter=_name(error))
        case click.BadParameter(param=click.Parameter(type=click.IntRange(min=0))):
            return "bad-value", say(
                "{parameter} takes a whole number from 0 on.", parameter=_name(error)
            )
        case click.BadParameter():
            return "bad-value", say(
                "{parameter} has a value that it cannot have: {reason}",
                parameter=_name(error),
                reason=error.message,
            )
        case _:
            return "usage", say(
                "The command line cannot be understood: {reason}", reason=error.format_message()
            )


def _name(error: click.BadParameter) -> str:
    """Returns how a parameter is spelt: `--scope`, or `NAME` for an argument."""
    parameter = error.param
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len)
    if parameter is not None:
        return parameter.human_readable_name
    return str(error.param_hint or "")


def _hint(error: click.ClickException, ctx: click.Context | None) -> Text | None:
    # The parser's own errors know no context.
    program = ctx.command_path if ctx is not None else PROGRAM
    if isinstance(error, click.NoSuchOption) and ctx is not None:
        if error.possibilities:
            names = ", ".join(error.possibilities)
            return say("Did you mean: {names}?", names=names)
        if not error.option_name.strip("-")[:1].isalpha() or " " in error.option_name:
            return say(
                "What begins with a dash goes last, behind two dashes: {program} ... -- ...",
                program=program,
            )
        top = ctx.find_root()
        known = {name for param in top.command.params for name in param.opts}
        if ctx is not top and error.option_name in known:
            return say(
                "{option} goes before the command, as in: {program} {option} ...",
                option=error.option_name,
                program=top.command_path,
            )
    return say("{program} -h explains the command.", program=program)
