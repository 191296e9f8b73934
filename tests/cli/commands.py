"""Commands that do one thing each, for tests of what is around commands.

`python -m tests.cli.commands WORDS...` is a `git wfp` that has these and no others.
"""

import os
import signal
import sys
from typing import ClassVar

import click

from gitwfp.classes import dataclass
from gitwfp.cli.command import App, Result, command, option
from gitwfp.cli.group import group
from gitwfp.cli.main import main
from gitwfp.cli.table import Entry, Table
from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, say
from gitwfp.flows.ui import Choice

SECRET = "hunter2-hunter2"


@dataclass(frozen=True, slots=True)
class Said:
    """What a test command answers."""

    KIND: ClassVar[str] = "said"

    text: str


@command("say", help=say("Says a text."), examples=("git wfp say hello",))
@click.argument("text")
@option("--times", type=click.IntRange(1, 9999), default=1, help=say("How often."))
@option("--exit", "code", type=int, default=0, help=say("The exit code."))
def say_text(app: App, text: str, times: int, code: int) -> Result:
    """Says a text, as a title that a plan holds."""
    sentence = say("It is called {text}.", text=text)
    return Result(Said(text), lambda look: [look.say(sentence)] * times, ExitCode(code), pages=True)


@command("warn", help=say("Warns."), examples=("git wfp warn",))
def warn(app: App) -> Result:
    """Warns once on the way and says it again at the end."""
    warning = Diagnostic("odd", say("This is odd."), location=Location(path="a.json", line=3))
    app.console.tell(say("Working."))
    app.console.warn(warning)
    note = Diagnostic("well", say("All is well."), Severity.NOTE)
    return Result(Said("done"), lambda _: ["done"], diagnostics=(warning, note))


@command("refuse", help=say("Refuses."), examples=("git wfp refuse",))
def refuse(app: App) -> Result:
    """Refuses with everything that a refusal can have."""
    app.console.warn(Diagnostic("odd", say("This is odd.")))
    raise Refusal(
        "no-berth",
        say("A value is missing here."),
        ExitCode.REFUSED,
        hint=say("Look at {title}.", title="a \x1b[31mred\u202e one"),
        location=Location(path="dir/file.json", line=3, column=5, task="IMPL-1"),
        details=(
            Diagnostic("berth", say("Berth 1 is taken."), location=Location(path="b.json", line=1)),
            Diagnostic("berth", say("Berth 2 is taken."), hint=say("Ask for berth 3.")),
        ),
    )


@command("bug", help=say("Fails."), examples=("git wfp bug",))
@click.argument("words", nargs=-1)
def bug(app: App, words: tuple[str, ...]) -> Result:
    """Fails as nobody expects, saying what nobody should read."""
    password = app.environ.get("WFP_TEST_PASSWORD", "")
    raise RuntimeError(f"{password} {' '.join(words)} {os.path.expanduser('~')}/notes.txt")


@command("interrupt", help=say("Is interrupted."), examples=("git wfp interrupt",))
def interrupt(app: App) -> Result:
    """Is interrupted as by Ctrl-C."""
    signal.raise_signal(signal.SIGINT)
    return Result(Said("never"))


@command("ask", help=say("Asks."), examples=("git wfp ask",))
def ask(app: App) -> Result:
    """Asks a question."""
    answer = app.console.choose(
        say("How far may it reach?"),
        (
            Choice("tasks_only", say("Tasks"), say("Only what tasks say.")),
            Choice("task_restructure", say("Structure")),
            Choice("plan_update", say("The plan too")),
        ),
        "tasks_only",
        flag="--scope",
    )
    return Result(Said(answer), lambda _: [f"answer: {answer}"])


@command("where", help=say("Says where it stands."), examples=("git wfp where",))
@click.argument("path", default="file")
def where(app: App, path: str) -> Result:
    """Answers with the folder to run in and the place that a path means."""
    told = f"{os.path.realpath(app.folder)} {os.path.realpath(app.path(path))}"
    return Result(Said(told), lambda _: [told])


INNER: Table = {"say": Entry("tests.cli.commands:say_text", say("Says a text."))}
inner = group("inner", INNER, help=say("Holds a command."), examples=("git wfp inner say x",))

TABLE: Table = {
    name: Entry(f"tests.cli.commands:{attribute}", say("Is for tests."))
    for name, attribute in (
        ("say", "say_text"),
        ("warn", "warn"),
        ("refuse", "refuse"),
        ("bug", "bug"),
        ("interrupt", "interrupt"),
        ("ask", "ask"),
        ("where", "where"),
        ("inner", "inner"),
        ("lost", "not_there"),
    )
}

if __name__ == "__main__":
    sys.exit(main(None, TABLE))
