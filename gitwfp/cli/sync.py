"""Commands about what a team shares besides branches: sync fetch, sync push, audit."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

import click

from gitwfp.cli.command import App, Result, command
from gitwfp.cli.gate_answers import Audit, AuditLine, Sync
from gitwfp.cli.group import group
from gitwfp.cli.look import Look, Style, visible
from gitwfp.cli.surroundings import surroundings
from gitwfp.cli.table import Entry, Table
from gitwfp.errors import ExitCode, say, say_n
from gitwfp.flows.audit import Audited, Breach
from gitwfp.flows.audit import audit as look_through
from gitwfp.git.history import CommitInfo
from gitwfp.git.sharing import fetch_shared, push_shared

_WAYS: Final[Table] = {
    "fetch": Entry("gitwfp.cli.sync:fetch", say("Fetches records and backups of others.")),
    "push": Entry("gitwfp.cli.sync:push", say("Pushes records and backups.")),
}

sync = group(
    "sync",
    _WAYS,
    help=say("Shares records of verifications and backups of replans."),
    examples=("git wfp sync fetch", "git wfp sync push origin"),
    notes=(
        say(
            "They are refs that git push and git fetch leave alone: refs/notes/wfp and "
            "refs/wfp/replans. Plans themselves are shared by pushing branches."
        ),
    ),
)


@command(
    "fetch",
    help=say("Fetches records and backups of others; what is here stays."),
    examples=("git wfp sync fetch", "git wfp sync fetch upstream"),
)
@click.argument("remote", default="origin")
def fetch(app: App, remote: str) -> Result:
    """Answers `git wfp sync fetch`."""
    with surroundings(app) as env:
        notes, backups = fetch_shared(env.repo, remote)
        return Result(
            Sync("fetch", remote, notes, backups),
            lambda look: [
                look.say(say_n("{count} record is new.", "{count} records are new.", notes)),
                look.say(say_n("{count} backup is new.", "{count} backups are new.", backups)),
            ],
        )


@command(
    "push",
    help=say("Pushes records and backups; where others were faster, theirs come in first."),
    examples=("git wfp sync push", "git wfp sync push upstream"),
    notes=(say("Hooks do not run."),),
)
@click.argument("remote", default="origin")
def push(app: App, remote: str) -> Result:
    """Answers `git wfp sync push`."""
    with surroundings(app) as env:
        fetch_shared(env.repo, remote)
        refs = push_shared(env.repo, remote)
        backups = sum(not ref.startswith("refs/notes/") for ref in refs)
        notes = len(refs) - backups
        return Result(
            Sync("push", remote, notes, backups),
            lambda look: [
                look.say(say("Records are pushed.") if notes else say("Records were there.")),
                look.say(say_n("{count} backup pushed.", "{count} backups pushed.", backups)),
            ],
        )


@command(
    "audit",
    help=say("Finds commits that changed plans otherwise than they say."),
    examples=("git wfp audit", "git wfp audit origin/main..HEAD --json"),
    notes=(
        say(
            "It names commits that changed what a plan means without gitwfp, and commits whose "
            "trailers do not match what they change. It exits with 1 when there is one."
        ),
    ),
)
@click.argument("commits", metavar="[A..B]", default="HEAD")
def audit(app: App, commits: str) -> Result:
    """Answers `git wfp audit`."""
    with surroundings(app) as env:
        count, found = look_through(env, commits)
        lines = tuple(
            AuditLine(
                one.commit.id,
                one.session,
                one.breach.value,
                one.tasks,
                one.commit.subject,
                one.commit.author.rpartition(" <")[0],
                _time(one.commit),
            )
            for one in found
        )
        return Result(
            Audit(count, lines),
            lambda look: _audit_lines(count, found, look),
            ExitCode.NEGATIVE if found else ExitCode.DONE,
            pages=True,
        )


def _time(commit: CommitInfo) -> str:
    seconds, minutes = commit.time
    zone = timezone(timedelta(minutes=minutes)) if abs(minutes) < 24 * 60 else UTC
    return datetime.fromtimestamp(seconds, zone).isoformat()


def _audit_lines(count: int, found: tuple[Audited, ...], look: Look) -> Iterator[str]:
    for one in found:
        head = f"{one.commit.id[:12]}  {visible(one.session)}  {visible(one.commit.subject)}"
        yield look.paint(head, Style.WARNING)
        tasks = ", ".join(map(visible, one.tasks)) or "-"
        if one.breach is Breach.OUTSIDE:
            text = say("It changed the plan without gitwfp: {tasks}.", tasks=tasks)
        else:
            text = say("Its trailers do not match what it changes: {tasks}.", tasks=tasks)
        yield f"  {look.say(text)}"
    yield look.say(
        say_n(
            "{count} commit changed plans; {bad} of them to be looked at.",
            "{count} commits changed plans; {bad} of them to be looked at.",
            count,
            bad=len(found),
        )
    )
