"""`git wfp completion` prints the script for a shell; what that asks is `git wfp complete`."""

import os
from typing import Final

import click

from gitwfp.cli import aids
from gitwfp.cli.app import App, Result
from gitwfp.cli.command import command, option
from gitwfp.cli.completing import FOLDER
from gitwfp.cli.completion import complete_words
from gitwfp.errors import say

SHELLS: Final = ("bash", "zsh", "fish")


@command(
    "completion",
    help=say("Prints what makes a shell complete git wfp."),
    examples=(
        'eval "$(git wfp completion bash)"',
        "git wfp completion zsh > ~/.zfunc/_git-wfp",
        "git wfp completion fish > ~/.config/fish/completions/git-wfp.fish",
    ),
    notes=(
        say(
            "Commands, options, sessions, tasks, replans, branches and settings are completed, "
            "after git-wfp and, through git's own completion, after git wfp."
        ),
        say("The first example belongs into ~/.bashrc; the folder of the second into fpath."),
    ),
)
@click.argument("shell", type=click.Choice(SHELLS))
def completion(app: App, shell: str) -> Result:  # noqa: ARG001 - every command is given it
    """Answers `git wfp completion`."""
    with open(os.path.join(FOLDER, f"git-wfp.{shell}"), encoding="utf-8") as file:
        script = file.read()
    lines = script.removesuffix("\n").replace("\t", "    ").split("\n")
    return Result(aids.Completion(shell, script), lambda _: lines)


@command(
    "complete",
    help=say("Answers a shell that completes."),
    examples=('git wfp complete -- status ""',),
    notes=(
        say(
            "WORDS are those after git wfp, the last one as far as it is typed. Each candidate is "
            "a line, followed by a line that says what it stands for."
        ),
    ),
)
@option("--quoted", is_flag=True, help=say("The words are as typed, with quotes."))
@click.argument("words", nargs=-1, metavar="WORDS...")
def complete(app: App, quoted: bool, words: tuple[str, ...]) -> Result:
    """Answers `git wfp complete`."""
    return complete_words(app, words, quoted=quoted)
