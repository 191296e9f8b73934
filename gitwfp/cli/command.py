"""How a command is written: a function from words to a `Result`, and its help.

Example:
    ```python
    @command("hello", help=say("Says hello."), examples=("git wfp hello Ada",))
    @click.argument("name")
    @option("--loud", is_flag=True, help=say("Says it in capitals."))
    def hello(app: App, name: str, loud: bool) -> Result:
        greeting = name.upper() if loud else name
        return Result(Greeting(greeting), lambda look: [look.say(say("Hello, {n}!", n=greeting))])
    ```

A command parses, calls a use case and says what came of it. It catches nothing: refusals and bugs
go to the one boundary in `gitwfp.cli.main`.
"""

from collections.abc import Callable
from typing import Any

import click

from gitwfp.cli.app import PROGRAM, App, Result, help_result
from gitwfp.cli.guide import Guide, Page, page_lines
from gitwfp.errors import Text, say

__all__ = ["PROGRAM", "App", "Command", "Option", "Result"]
__all__ += ["app_of", "command", "common_options", "flag", "option", "page_of"]


def app_of(ctx: click.Context) -> App:
    """Returns the surroundings of a command that is being parsed."""
    if not isinstance(ctx.obj, App):
        raise TypeError("a command was started without its surroundings")
    return ctx.obj


class Option(click.Option):
    """An option whose help is said in the person's language.

    Args:
        names: The spellings, as click takes them.
        help: What it does.
        more: Everything else that click takes.
    """

    def __init__(self, names: list[str], *, help: Text, **more: Any) -> None:
        super().__init__(names, help=str(help), **more)
        self.text = help


def option(*names: str, help: Text, **more: Any) -> Callable[[Any], Any]:
    """Returns the decorator that gives a command an option; `more` is what click takes."""
    return click.option(*names, cls=Option, help=help, **more)


def flag(*names: str, help: Text, **more: Any) -> Option:
    """Returns a flag that stands by itself, outside of a decorator."""
    return Option(list(names), help=help, is_flag=True, expose_value=False, **more)


def common_options() -> list[click.Parameter]:
    """Returns the options that every command takes, also after its name.

    The first two are looked for before anything is parsed, because an error in parsing must be
    answered as they say; here they only have to be known.
    """
    return [
        flag("--json", help=say("Prints one JSON document.")),
        flag("--no-input", help=say("Never asks; also with WFP_NO_INPUT set.")),
        flag("-h", "--help", help=say("Prints this help."), is_eager=True, callback=_show_help),
    ]


def page_of(ctx: click.Context, guide: Guide) -> Page:
    """Returns the help of the command that is being parsed."""
    options = []
    for param in ctx.command.params:
        record = param.get_help_record(ctx) if isinstance(param, Option) else None
        if record is not None and isinstance(param, Option):
            spelling, meaning = record
            options.append((spelling, param.text, meaning.removeprefix(str(param.text))))
    arguments = " ".join(ctx.command.collect_usage_pieces(ctx))
    return Page(ctx.command_path, arguments, guide, tuple(options))


def _show_help(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        result = help_result(ctx.command_path, ctx.get_help())
        ctx.exit(app_of(ctx).finish(result))


class Command(click.Command):
    """A command with a translated help that ends with examples.

    Args:
        name: Its name.
        guide: What its help says.
        more: Everything else that click takes.
    """

    def __init__(self, name: str, *, guide: Guide, **more: Any) -> None:
        # click hands over the function's docstring, which is for programmers.
        more["help"] = str(guide.summary)
        super().__init__(name, add_help_option=False, **more)
        self.params.extend(common_options())
        self.guide = guide

    def get_help(self, ctx: click.Context) -> str:
        """Returns the help in the person's language."""
        return "\n".join(page_lines(page_of(ctx, self.guide), app_of(ctx).console.look))


def command(
    name: str, *, help: Text, examples: tuple[str, ...], notes: tuple[Text, ...] = ()
) -> Callable[[Any], Command]:
    """Returns the decorator that makes a command of a function.

    The function takes the `App` and its parameters by name, and returns a `Result`.

    Args:
        name: The word after `git wfp`.
        help: What it does, in one sentence.
        examples: Command lines to learn from; at least one.
        notes: Further paragraphs.
    """

    def decorate(function: Any) -> Command:
        guide = Guide(help, examples, notes)
        made = click.command(name, cls=Command, guide=guide)(click.pass_obj(function))
        if not isinstance(made, Command):
            raise TypeError(type(made).__name__)
        return made

    return decorate
