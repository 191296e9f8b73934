"""Commands that stop a broken plan: gate pre-push, pre-receive and range."""

from typing import Final

import click

from gitwfp.cli import judging
from gitwfp.cli.app import App, Result
from gitwfp.cli.command import command
from gitwfp.cli.gate_answers import Offer
from gitwfp.cli.group import group
from gitwfp.cli.table import Entry, Table
from gitwfp.cli.tolerant import tolerant_surroundings
from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.flows.offer import offer as offer_tasks

_GATES: Final[Table] = {
    "pre-push": Entry("gitwfp.cli.gate:pre_push", say("Judges a push before it goes (a hook).")),
    "pre-receive": Entry(
        "gitwfp.cli.gate:pre_receive", say("Judges a push where it arrives (a hook).")
    ),
    "offer": Entry(
        "gitwfp.cli.gate:offer", say("Offers the tasks that a commit may belong to (a hook).")
    ),
    "range": Entry("gitwfp.cli.gate:range_", say("Judges what one commit has more than another.")),
}

gate = group(
    "gate",
    _GATES,
    help=say("Stops a push that would break a plan."),
    examples=(
        "git wfp gate range origin/main..HEAD",
        "git push --dry-run",
    ),
    notes=(
        say(
            "The plan in the pushed commits is judged, never the worktree. What decides is "
            "gate.policy as it stands in what the other side has already."
        ),
        say(
            "It exits with 1 when a plan does not pass, and with 6 when a push could not be judged."
        ),
    ),
)


@command(
    "pre-push",
    help=say("Judges a push before it goes; the hook that init installs calls it."),
    examples=("git wfp gate pre-push origin ../central.git",),
    notes=(
        say("It reads what git writes to the standard input of a pre-push hook."),
        say("Without REMOTE it takes what pre-commit says in its variables (PRE_COMMIT_*)."),
    ),
)
@click.argument("remote", required=False)
@click.argument("url", required=False)
def pre_push(app: App, remote: str | None, url: str | None) -> Result:  # noqa: ARG001 - git gives both
    """Answers `git wfp gate pre-push`."""
    return judging.pre_push(app, remote)


@command(
    "pre-receive",
    help=say("Judges a push where it arrives; for the pre-receive hook of a server."),
    examples=("git wfp gate pre-receive",),
    notes=(say("It reads what git writes to the standard input of a pre-receive hook."),),
)
def pre_receive(app: App) -> Result:
    """Answers `git wfp gate pre-receive`."""
    return judging.pre_receive(app)


@command(
    "range",
    help=say("Judges what one commit has more than another, as in a pipeline."),
    examples=("git wfp gate range origin/main..HEAD", "git wfp gate range v1.0..v1.1 --json"),
    notes=(say("A..B: the plan at B is judged by the settings at A, where it differs from A."),),
)
@click.argument("commits", metavar="A..B")
def range_(app: App, commits: str) -> Result:
    """Answers `git wfp gate range`."""
    base, dots, tip = commits.partition("..")
    tip = tip.removeprefix(".")
    if not dots:
        raise Refusal(
            "no-range",
            say("{text} is no range of commits.", text=commits),
            ExitCode.USAGE,
            hint=say("Give two revisions: origin/main..HEAD."),
        )
    return judging.commit_range(app, base or "HEAD", tip or "HEAD")


@command(
    "offer",
    help=say("Offers, in a commit's message, the tasks that it may belong to; for a hook."),
    examples=("git wfp gate offer .git/COMMIT_EDITMSG",),
    notes=(
        say(
            "git wfp init --hook prepare-commit-msg installs the hook. Comments are added to the "
            "message; a task is named by taking the mark before it away."
        ),
    ),
)
@click.argument("file")
@click.argument("source", required=False)
def offer(app: App, file: str, source: str | None) -> Result:
    """Answers `git wfp gate offer`."""
    if source not in (None, "", "template"):
        return Result(Offer(()))
    with tolerant_surroundings(app) as (env, _):
        return Result(Offer(offer_tasks(env, app.path(file))))
