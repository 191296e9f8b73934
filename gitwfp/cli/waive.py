"""The command that decides to live with a finding: waive."""

import click

from gitwfp.cli.command import App, Result, command, option
from gitwfp.cli.options import DRY_RUN, SESSION, YES
from gitwfp.cli.outcome import result_of
from gitwfp.cli.surroundings import surroundings
from gitwfp.errors import say
from gitwfp.flows.waive import waive as record_waiver
from gitwfp.flows.work import Options


@command(
    "waive",
    help=say("Records that a finding is lived with, as a commit."),
    examples=(
        'git wfp waive H20417733 --reason "The spike is thrown away."',
        'git wfp waive no-acceptance --reason "Written next week." --until 2026-01-31',
    ),
    notes=(
        say(
            "The finding stays in reports as waived and does not count. The waiver lies in "
            ".process/waivers.json of the session and is taken back with git wfp rollback."
        ),
    ),
)
@click.argument("finding")
@option("--reason", required=True, metavar="TEXT", help=say("Why it can be lived with."))
@option("--until", metavar="DATE", help=say("The last day on which it is, as 2026-01-31."))
@SESSION
@DRY_RUN
@YES
def waive(
    app: App,
    finding: str,
    reason: str,
    until: str | None,
    session: str | None,
    dry_run: bool,
    yes: bool,
) -> Result:
    """Answers `git wfp waive`."""
    with surroundings(app) as env:
        options = Options(yes=yes, dry_run=dry_run, landing=env.settings.replan.landing)
        outcome = record_waiver(env, session, finding, reason, until, options)
        return result_of(outcome, "waive")
