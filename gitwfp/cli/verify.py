"""The command that judges plans: verify."""

from typing import Final

import click

from gitwfp.cli import verifying
from gitwfp.cli.app import App, Result
from gitwfp.cli.command import command, option
from gitwfp.cli.options import AT_HELP, SESSION_HELP, STAGED_HELP, YES
from gitwfp.errors import say

_FORMATS: Final = ("text", "sarif", "github", "markdown")


@command(
    "verify",
    help=say("Judges a plan in ten dimensions, and says whether it may be carried out."),
    examples=("git wfp verify", "git wfp verify --all --at main", "git wfp verify --sarif"),
    notes=(
        say("It exits with 1 when the decision is below gate.policy."),
        say(
            "It changes no plan. It writes .process/PLAN_VERIFICATION.md and "
            ".process/verification-findings.json in the session, unless --no-write, --at or "
            "--staged is given."
        ),
        say("git wfp explain RULE says what a rule means; git wfp waive lives with a finding."),
    ),
)
@click.argument("session", required=False)
@option("--session", "-s", "named", metavar="WFS-x", help=SESSION_HELP)
@option("--all", "every", is_flag=True, help=say("Every session that is not archived."))
@option("--at", metavar="REV|DATE", help=AT_HELP)
@option("--staged", is_flag=True, help=STAGED_HELP)
@option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    metavar="FORMAT",
    help=say("How to print it: text, sarif, github (annotations) or markdown."),
)
@option("--sarif", "form", flag_value="sarif", help=say("The same as --format sarif."))
@option("--no-write", is_flag=True, help=say("Writes no report."))
@YES
def verify(
    app: App,
    session: str | None,
    named: str | None,
    every: bool,
    at: str | None,
    staged: bool,
    form: str | None,
    no_write: bool,
    yes: bool,
) -> Result:
    """Answers `git wfp verify`."""
    wanted = verifying.one_session(session, named, every=every)
    return verifying.verify(
        app, wanted, every=every, at=at, staged=staged, form=form, no_write=no_write, yes=yes
    )
