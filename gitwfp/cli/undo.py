"""Commands that take changes back, and land what was left on a branch."""

from typing import TYPE_CHECKING, Any

import click

from gitwfp.cli.command import App, Result, command, option
from gitwfp.cli.options import DRY_RUN, SESSION, YES
from gitwfp.errors import ExitCode, Refusal, say

if TYPE_CHECKING:
    # What does the work is loaded by who does it: the help of these commands needs none of it.
    from gitwfp.change.merge import Side


@command(
    "rollback",
    help=say("Takes back one replan, also an older one; later replans stay."),
    examples=(
        "git wfp rollback --last",
        "git wfp rollback WFS-auth/2026-11-30T19-07-52 --dry-run",
    ),
)
@click.argument("name", required=False, metavar="[REPLAN|REV]")
@option("--last", is_flag=True, help=say("The newest replan that is not taken back yet."))
@option("--to", metavar="REV", help=say("Every replan newer than this revision."))
@option("--ours", is_flag=True, help=say("In conflicts keep what is there now."))
@option("--theirs", is_flag=True, help=say("In conflicts take the older form."))
@SESSION
@YES
@DRY_RUN
def rollback(
    app: App,
    name: str | None,
    last: bool,
    to: str | None,
    ours: bool,
    theirs: bool,
    session: str | None,
    yes: bool,
    dry_run: bool,
) -> Result:
    """Answers `git wfp rollback`."""
    if sum((name is not None, last, to is not None)) != 1:
        raise Refusal(
            "what-to-roll-back",
            say("Say which replan is to be taken back: its id, or --last, or --to REV."),
            ExitCode.USAGE,
            hint=say("git wfp log lists them."),
        )
    side = _preferred(ours=ours, theirs=theirs)
    given = {"replan": name, "to": to, "session": session, "prefer": side}
    return _roll_back(app, "rollback", given, yes=yes, dry_run=dry_run)


@command(
    "undo",
    help=say("Takes back the newest change of a plan, or the newest N."),
    examples=("git wfp undo", "git wfp undo 2 --dry-run"),
)
@click.argument("count", type=click.IntRange(min=1), default=1, metavar="[N]")
@SESSION
@YES
@DRY_RUN
def undo(app: App, count: int, session: str | None, yes: bool, dry_run: bool) -> Result:
    """Answers `git wfp undo`."""
    given = {"count": count, "session": session}
    return _roll_back(app, "undo", given, yes=yes, dry_run=dry_run)


@command(
    "redo",
    help=say("Brings back what was taken back last."),
    examples=("git wfp redo",),
)
@SESSION
@YES
@DRY_RUN
def redo(app: App, session: str | None, yes: bool, dry_run: bool) -> Result:
    """Answers `git wfp redo`."""
    given = {"redo": True, "session": session}
    return _roll_back(app, "redo", given, yes=yes, dry_run=dry_run)


def _roll_back(
    app: App, command: str, given: dict[str, Any], *, yes: bool, dry_run: bool
) -> Result:
    """Takes back what the arguments of a request name."""
    from gitwfp.cli.outcome import result_of
    from gitwfp.cli.surroundings import surroundings
    from gitwfp.flows.targets import RollbackRequest
    from gitwfp.flows.undo import rollback as roll_back
    from gitwfp.flows.work import Options

    with surroundings(app) as env:
        options = Options(yes=yes, dry_run=dry_run, landing=env.settings.replan.landing)
        request = RollbackRequest(**given, options=options)
        return result_of(roll_back(env, request), command)


@command(
    "land",
    help=say("Lands replans that were left on their branches: all that are named, or none."),
    examples=("git wfp land wfp/WFS-auth/replan-2026-11-30T19-07-52",),
)
@click.argument("branches", nargs=-1, required=True, metavar="BRANCH...")
@option("--ours", is_flag=True, help=say("In conflicts keep what is there now."))
@option("--theirs", is_flag=True, help=say("In conflicts take the branch's."))
@YES
@DRY_RUN
def land(
    app: App, branches: tuple[str, ...], ours: bool, theirs: bool, yes: bool, dry_run: bool
) -> Result:
    """Answers `git wfp land`."""
    from gitwfp.cli.outcome import result_of
    from gitwfp.cli.surroundings import surroundings
    from gitwfp.flows.land import land as land_branches
    from gitwfp.flows.work import Options

    with surroundings(app) as env:
        side = _preferred(ours=ours, theirs=theirs)
        landing = env.settings.replan.landing if env.settings.replan.landing != "manual" else "ff"
        options = Options(yes=yes, dry_run=dry_run, landing=landing)
        return result_of(land_branches(env, branches, side, options), "land")


def _preferred(*, ours: bool, theirs: bool) -> "Side | None":
    """Returns the side that decides conflicts."""
    from gitwfp.change.merge import Side

    if ours and theirs:
        raise Refusal(
            "two-sides",
            say("--ours and --theirs exclude each other."),
            ExitCode.USAGE,
            hint=say("Give one of them, or neither to see the conflicts."),
        )
    return Side.OURS if ours else Side.THEIRS if theirs else None
