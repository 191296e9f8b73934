"""Commands that take changes back, and land what was left on a branch."""

import click

from gitwfp.change.merge import Side
from gitwfp.cli.command import App, Result, command, option
from gitwfp.cli.outcome import DRY_RUN, SESSION, YES, result_of
from gitwfp.cli.surroundings import surroundings
from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.flows.land import land as land_branches
from gitwfp.flows.targets import RollbackRequest
from gitwfp.flows.undo import rollback as roll_back
from gitwfp.flows.work import Options


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
    with surroundings(app) as env:
        request = RollbackRequest(
            replan=name,
            to=to,
            session=session,
            prefer=_preferred(ours=ours, theirs=theirs),
            options=Options(yes=yes, dry_run=dry_run, landing=env.settings.replan.landing),
        )
        return result_of(roll_back(env, request), "rollback")


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
    with surroundings(app) as env:
        options = Options(yes=yes, dry_run=dry_run, landing=env.settings.replan.landing)
        request = RollbackRequest(count=count, session=session, options=options)
        return result_of(roll_back(env, request), "undo")


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
    with surroundings(app) as env:
        options = Options(yes=yes, dry_run=dry_run, landing=env.settings.replan.landing)
        request = RollbackRequest(redo=True, session=session, options=options)
        return result_of(roll_back(env, request), "redo")


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
    with surroundings(app) as env:
        side = _preferred(ours=ours, theirs=theirs)
        landing = env.settings.replan.landing if env.settings.replan.landing != "manual" else "ff"
        options = Options(yes=yes, dry_run=dry_run, landing=landing)
        return result_of(land_branches(env, branches, side, options), "land")


def _preferred(*, ours: bool, theirs: bool) -> Side | None:
    """Returns the side that decides conflicts."""
    if ours and theirs:
        raise Refusal(
            "two-sides",
            say("--ours and --theirs exclude each other."),
            ExitCode.USAGE,
            hint=say("Give one of them, or neither to see the conflicts."),
        )
    return Side.OURS if ours else Side.THEIRS if theirs else None
