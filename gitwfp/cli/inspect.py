"""Commands that look at plans as they stand: status, list, next, use."""

import click

from gitwfp.cli import answers, looking
from gitwfp.cli.command import App, Result, command, option
from gitwfp.cli.options import AT_HELP, SESSION_HELP, STAGED_HELP
from gitwfp.cli.surroundings import surroundings
from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.flows.sessions import choose_session, remember_choice, remembered_choice
from gitwfp.flows.view import source_of


@command(
    "status",
    help=say("Shows where a session's plan stands."),
    examples=("git wfp status", "git wfp status WFS-auth --at HEAD~3"),
)
@click.argument("session", required=False)
@option("--session", "-s", "named", metavar="WFS-x", help=SESSION_HELP)
@option("--at", metavar="REV|DATE", help=AT_HELP)
@option("--staged", is_flag=True, help=STAGED_HELP)
def status(
    app: App, session: str | None, named: str | None, at: str | None, staged: bool
) -> Result:
    """Answers `git wfp status`."""
    return looking.status(app, _one_session(session, named), at=at, staged=staged)


@command(
    "list",
    help=say("Lists the sessions."),
    examples=("git wfp list", "git wfp list --what-ifs"),
)
@option("--what-ifs", "what_ifs", is_flag=True, help=say("Also the what-ifs that wait."))
@option("--at", metavar="REV|DATE", help=AT_HELP)
@option("--staged", is_flag=True, help=STAGED_HELP)
def list_(app: App, what_ifs: bool, at: str | None, staged: bool) -> Result:
    """Answers `git wfp list`."""
    return looking.list_(app, what_ifs=what_ifs, at=at, staged=staged)


@command(
    "next",
    help=say("Shows which tasks can be started."),
    examples=("git wfp next", "git wfp next --json"),
)
@click.argument("session", required=False)
@option("--session", "-s", "named", metavar="WFS-x", help=SESSION_HELP)
@option("--at", metavar="REV|DATE", help=AT_HELP)
@option("--staged", is_flag=True, help=STAGED_HELP)
def next_(app: App, session: str | None, named: str | None, at: str | None, staged: bool) -> Result:
    """Answers `git wfp next`."""
    return looking.next_(app, _one_session(session, named), at=at, staged=staged)


@command(
    "use",
    help=say("Chooses the session of this worktree, or shows which one is chosen."),
    examples=("git wfp use WFS-auth",),
)
@click.argument("session", required=False)
def use(app: App, session: str | None) -> Result:
    """Answers `git wfp use`."""
    with surroundings(app) as env:
        tree = source_of(env).tree
        if session is None:
            chosen = remembered_choice(env)
            data = answers.Use(chosen, None)
            text = (
                say("No session is chosen.")
                if chosen is None
                else say("The session chosen here is {id}.", id=chosen)
            )
            return Result(data, lambda look: [look.say(text)])
        ref = choose_session(env, tree, session, writing=False)
        remember_choice(env, ref.id)
        done = say("This worktree uses {id} now.", id=ref.id)
        return Result(answers.Use(ref.id, ref.folder), lambda look: [look.say(done)])


def _one_session(word: str | None, flag: str | None) -> str | None:
    """Returns the session that is named, by its word or by the flag."""
    if word is not None and flag is not None and word != flag:
        raise Refusal(
            "two-sessions",
            say("Two sessions are named: {one} and {other}.", one=word, other=flag),
            ExitCode.USAGE,
            hint=say("Name one of them."),
        )
    return flag or word
