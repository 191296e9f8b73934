"""Commands for what-ifs, replans that wait on their branches: compare, drop."""

from collections.abc import Callable, Iterable

import click

from gitwfp.change.changeset import ChangeSet
from gitwfp.cli import comparisons
from gitwfp.cli.changes import change_lines as rendered_changes
from gitwfp.cli.command import App, Result, command, option
from gitwfp.cli.history import problems_of
from gitwfp.cli.lines import change_lines
from gitwfp.cli.look import Look, Style, cells, fit, pad, visible
from gitwfp.cli.options import DRY_RUN
from gitwfp.cli.surroundings import surroundings
from gitwfp.errors import Text, say
from gitwfp.flows.compare import Compared, Contest, Variant
from gitwfp.flows.compare import compare as compare_revisions
from gitwfp.flows.conflicts import conflict_line
from gitwfp.flows.whatif import drop as drop_what_if

_NAMED = 12


@command(
    "compare",
    help=say("Shows two what-ifs, or any two revisions, side by side."),
    examples=(
        "git wfp compare wfp/WFS-auth/replan-2026-11-30T19-07-52 HEAD",
        "git wfp compare main topic --session WFS-auth",
    ),
)
@click.argument("left", metavar="A")
@click.argument("right", metavar="B")
@option("--session", "-s", metavar="WFS-x", help=say("Only this session."))
def compare(app: App, left: str, right: str, session: str | None) -> Result:
    """Answers `git wfp compare`."""
    with surroundings(app) as env:
        found = compare_revisions(env, left, right, session)
        data = comparisons.Compare(
            found.base, found.left, found.right, tuple(map(_contest, found.sessions))
        )
        names = (left, right)
        plans = (side.plan for one in found.sessions for side in (one.left, one.right))
        return Result(
            data,
            lambda look: _compare_lines(found, names, look),
            diagnostics=problems_of(*plans),
            pages=True,
        )


@command(
    "drop",
    help=say("Deletes a what-if's branch; its commit is kept aside."),
    examples=("git wfp drop wfp/WFS-auth/replan-2026-11-30T19-07-52",),
)
@click.argument("branch")
@DRY_RUN
def drop(app: App, branch: str, dry_run: bool) -> Result:
    """Answers `git wfp drop`."""
    with surroundings(app) as env:
        gone = drop_what_if(env, branch, dry_run=dry_run)
        data = comparisons.Drop(gone.branch, gone.commit, gone.kept_as, written=not dry_run)
        return Result(data, lambda look: _drop_lines(data, look))


def _contest(contest: Contest) -> comparisons.ContestLine:
    return comparisons.ContestLine(
        contest.ref.id,
        contest.ref.folder,
        _variant(contest.left, contest.only_left),
        _variant(contest.right, contest.only_right),
        change_lines(contest.shared),
        tuple(conflict_line(contest.ref, conflict) for conflict in contest.conflicts),
    )


def _variant(variant: Variant, only: ChangeSet) -> comparisons.VariantLine:
    return comparisons.VariantLine(
        len(variant.plan.tasks),
        len(variant.plan.open_tasks),
        variant.edges,
        variant.critical_path,
        variant.changes.added,
        variant.changes.updated,
        variant.changes.deleted,
        change_lines(only),
    )


def _compare_lines(found: Compared, names: tuple[str, str], look: Look) -> Iterable[str]:
    yield f"A  {visible(names[0])}  {found.left[:_NAMED]}"
    yield f"B  {visible(names[1])}  {found.right[:_NAMED]}"
    yield look.paint(
        look.say(say("Both start from {commit}.", commit=found.base[:_NAMED])), Style.QUIET
    )
    if not found.sessions:
        yield look.say(say("Neither of them changes a plan."))
    for contest in found.sessions:
        yield ""
        yield look.paint(visible(contest.ref.id), Style.HEADING)
        yield from _table(contest, look)
        for title, changes in (
            (say("Only in A:"), contest.only_left),
            (say("Only in B:"), contest.only_right),
            (say("In both:"), contest.shared),
        ):
            if changes:
                yield look.say(title)
                yield from rendered_changes(changes, look)
        if contest.conflicts:
            yield look.say(say("Not both can land as they are (here is A, there is B):"))
        for conflict in contest.conflicts:
            yield "  " + look.say(conflict_line(contest.ref, conflict).message)


def _table(contest: Contest, look: Look) -> Iterable[str]:
    rows: list[tuple[Text, str, str]] = [
        (say("Tasks"), *_both(contest, lambda v: str(len(v.plan.tasks)))),
        (say("Open"), *_both(contest, lambda v: str(len(v.plan.open_tasks)))),
        (say("Dependencies"), *_both(contest, lambda v: str(v.edges))),
        (say("Added"), *_both(contest, lambda v: ", ".join(v.changes.added) or "-")),
        (say("Updated"), *_both(contest, lambda v: ", ".join(v.changes.updated) or "-")),
        (say("Deleted"), *_both(contest, lambda v: ", ".join(v.changes.deleted) or "-")),
        (say("Critical path"), *_both(contest, lambda v: " > ".join(v.critical_path) or "-")),
    ]
    table = [("", "A", "B"), *((look.say(label), one, other) for label, one, other in rows)]
    widths = [max(cells(row[column]) for row in table) for column in range(2)]
    for label, one, other in table:
        line = (
            f"  {pad(label, widths[0])}  {pad(visible(one), widths[1])}  {visible(other)}".rstrip()
        )
        yield line if look.columns is None else fit(line, look.columns, mark=look.mark)


def _both(contest: Contest, told: Callable[[Variant], str]) -> tuple[str, str]:
    return told(contest.left), told(contest.right)


def _drop_lines(data: comparisons.Drop, look: Look) -> Iterable[str]:
    if not data.written:
        yield look.say(say("{branch} would go (dry run).", branch=data.branch))
        return
    yield look.say(say("{branch} is gone.", branch=data.branch))
    if data.kept_as is None:
        yield look.say(
            say("Its commit {commit} is on another branch.", commit=data.commit[:_NAMED])
        )
    else:
        back = f"git branch {data.branch} {data.kept_as}"
        yield look.say(say("Its commit is kept; to have it back: {command}", command=back))
