"""Commands that change plans: start, replan, adopt, rollback, land."""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import click

from gitwfp.change.kinds import sentence
from gitwfp.change.merge import Side
from gitwfp.cli.command import App, Result, command, option
from gitwfp.cli.inspect import SESSION_HELP
from gitwfp.cli.lines import change, rollback_command
from gitwfp.cli.look import Look, Style, visible
from gitwfp.cli.surroundings import surroundings
from gitwfp.errors import ExitCode, Refusal, Severity, Text, say
from gitwfp.flows.adopt import adopt as adopt_plan
from gitwfp.flows.change import Options, Outcome, as_diagnostic, changed_files
from gitwfp.flows.env import Env
from gitwfp.flows.land import land as land_branch
from gitwfp.flows.replan import Request
from gitwfp.flows.replan import replan as replan_session
from gitwfp.flows.start import start as start_session
from gitwfp.flows.undo import RollbackRequest
from gitwfp.flows.undo import rollback as roll_back
from gitwfp.policy.operations import Scope
from gitwfp.policy.planning import Planner
from gitwfp.policy.replan import Limits

YES = option("--yes", "-y", is_flag=True, help=say("Ask nothing; take the defaults."))
DRY_RUN = option("--dry-run", is_flag=True, help=say("Show everything and write nothing."))
SESSION = option("--session", "-s", metavar="WFS-x", help=SESSION_HELP)
BRANCH_ONLY = option(
    "--branch-only", is_flag=True, help=say("Leave it on its branch; land it later.")
)


@command(
    "start",
    help=say("Starts a session for a goal: a text, a file ending in .md, or - for stdin."),
    examples=('git wfp start "Add two-factor login"',),
)
@click.argument("text", nargs=-1, required=True)
@YES
@DRY_RUN
def start(app: App, text: tuple[str, ...], yes: bool, dry_run: bool) -> Result:
    """Answers `git wfp start`."""
    goal = words_of(app, text)
    with surroundings(app) as env:
        options = Options(yes=yes or not env.ui.interactive, dry_run=dry_run)
        return _result(start_session(env, goal, options), "start")


@command(
    "replan",
    help=say("Changes a plan: one branch, one commit, landed on the branch you are on."),
    examples=(
        'git wfp replan IMPL-3 "Tokens expire after one hour"',
        "git wfp replan IMPL-3 changes.md --dry-run",
        "git wfp replan --from operations.json --branch-only",
    ),
)
@click.argument("requirements", nargs=-1, metavar="[TASK_ID] REQUIREMENTS...")
@SESSION
@option(
    "--scope",
    type=click.Choice([scope.value for scope in Scope]),
    help=say("How far it may reach."),
)
@option(
    "--dependencies/--no-dependencies",
    "dependencies",
    default=None,
    help=say("Whether dependencies may change."),
)
@option(
    "--update-type",
    type=click.Choice(["requirements", "implementation", "focus_paths", "depends_on", "all"]),
    help=say("What of a task may change."),
)
@option(
    "--from",
    "source",
    metavar="FILE|-",
    help=say("Take operations made elsewhere, as JSON (git wfp schema in/operations)."),
)
@option("--force", is_flag=True, help=say("Allow a completed task to change."))
@BRANCH_ONLY
@YES
@DRY_RUN
def replan(  # noqa: PLR0913, PLR0917 - one parameter an option
    app: App,
    requirements: tuple[str, ...],
    session: str | None,
    scope: str | None,
    dependencies: bool | None,
    update_type: str | None,
    source: str | None,
    force: bool,
    branch_only: bool,
    yes: bool,
    dry_run: bool,
) -> Result:
    """Answers `git wfp replan`."""
    planner_data = None if source is None else _read_input(app, source)
    with surroundings(app) as env:
        if planner_data is not None:
            planner = _file_planner(planner_data, " ".join(requirements))
        else:
            planner = _rules_planner(app, env, requirements, update_type)
        request = Request(
            planner=planner,
            session=session,
            limits=Limits(
                scope=Scope(scope) if scope is not None else None,
                dependencies=dependencies,
                force=force,
            ),
            options=Options(
                yes=yes,
                dry_run=dry_run,
                branch_only=branch_only,
                landing=env.settings.replan.landing,
            ),
        )
        return _result(replan_session(env, request), "replan")


@command(
    "adopt",
    help=say("Commits what was edited by hand in a plan, verified and with a reason."),
    examples=('git wfp adopt "Criteria agreed in the review"',),
)
@click.argument("reason", nargs=-1)
@SESSION
@YES
@DRY_RUN
def adopt(
    app: App, reason: tuple[str, ...], session: str | None, yes: bool, dry_run: bool
) -> Result:
    """Answers `git wfp adopt`."""
    with surroundings(app) as env:
        options = Options(yes=yes, dry_run=dry_run, landing=env.settings.replan.landing)
        return _result(adopt_plan(env, session, " ".join(reason), options), "adopt")


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
@option("--ours", "prefer", flag_value="ours", help=say("In conflicts keep what is there now."))
@option("--theirs", "prefer", flag_value="theirs", help=say("In conflicts take the older form."))
@SESSION
@YES
@DRY_RUN
def rollback(
    app: App,
    name: str | None,
    last: bool,
    to: str | None,
    prefer: str | None,
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
            session=session or _session_of(name),
            prefer=Side(prefer) if prefer is not None else None,
            options=Options(yes=yes, dry_run=dry_run, landing=env.settings.replan.landing),
        )
        return _result(roll_back(env, request), "rollback")


@command(
    "land",
    help=say("Lands a replan that was left on its branch."),
    examples=("git wfp land wfp/WFS-auth/replan-2026-11-30T19-07-52",),
)
@click.argument("branch")
@option("--ours", "prefer", flag_value="ours", help=say("In conflicts keep what is there now."))
@option("--theirs", "prefer", flag_value="theirs", help=say("In conflicts take the branch's."))
@YES
@DRY_RUN
def land(app: App, branch: str, prefer: str | None, yes: bool, dry_run: bool) -> Result:
    """Answers `git wfp land`."""
    with surroundings(app) as env:
        side = Side(prefer) if prefer is not None else None
        landing = env.settings.replan.landing if env.settings.replan.landing != "manual" else "ff"
        options = Options(yes=yes, dry_run=dry_run, landing=landing)
        return _result(land_branch(env, branch, side, options), "land")


def words_of(app: App, words: tuple[str, ...]) -> str:
    """Returns a request: the words, or the content of the .md file or stdin that they name."""
    name = words[0] if len(words) == 1 else ""
    is_file = name.lower().endswith(".md") and Path(app.path(name)).is_file()
    if name == "-" or is_file:
        return _read_input(app, name).decode("utf-8-sig", "surrogateescape")
    return " ".join(words)


def _rules_planner(
    app: App, env: Env, requirements: tuple[str, ...], update_type: str | None
) -> Planner:
    from gitwfp.model.task import is_task_id
    from gitwfp.planners.rules import RulesPlanner

    task = None
    if len(requirements) > 1 and _looks_like_id(requirements[0]) and is_task_id(requirements[0]):
        task, requirements = requirements[0], requirements[1:]
    text = words_of(app, requirements)
    if not text.strip():
        raise Refusal(
            "no-modifications",
            say("No modifications specified."),
            ExitCode.USAGE,
            hint=say('Say what shall change: git wfp replan IMPL-3 "what shall change".'),
        )
    tools = tuple(name for name, tool in env.settings.tools.items() if tool.enabled)
    return RulesPlanner(text, task, tools, _is_path(env), update_type)


def _looks_like_id(word: str) -> bool:
    return any(character.isdigit() for character in word)


def _is_path(env: Env) -> Callable[[str], bool]:
    top = Path(env.repo.require_worktree())

    def exists(path: str) -> bool:
        return not path.startswith("/") and ".." not in path.split("/") and (top / path).exists()

    return exists


def _file_planner(data: bytes, reason: str) -> Planner:
    from gitwfp.planners.file import FilePlanner

    return FilePlanner(data, reason)


def _read_input(app: App, name: str) -> bytes:
    if name == "-":
        if sys.stdin is None or sys.stdin.closed:
            raise Refusal(
                "no-input",
                say("There is no standard input to read from."),
                ExitCode.USAGE,
                hint=say("Name a file instead of -."),
            )
        return sys.stdin.buffer.read()
    try:
        return Path(app.path(name)).read_bytes()
    except OSError as error:
        raise Refusal(
            "cannot-read-input",
            say("'{path}' cannot be read: {why}.", path=name, why=error.strerror or error),
            ExitCode.NOT_FOUND,
        ) from error


def _session_of(name: str | None) -> str | None:
    """Returns the session that a replan id names."""
    session, slash, _ = (name or "").rpartition("/")
    return session if slash and session.startswith("WFS-") and "/" not in session else None


def _result(outcome: Outcome, name: str) -> Result:
    older = tuple(as_diagnostic(finding, Severity.NOTE) for finding in outcome.older)
    return Result(
        change(outcome, name),
        lambda look: _summary(outcome, look),
        diagnostics=(*outcome.notices, *older),
    )


def _summary(outcome: Outcome, look: Look) -> Iterable[str]:
    if not outcome.changed:
        yield look.say(say("Nothing changed."))
        return
    if not outcome.written:
        yield look.say(say("Nothing was written (dry run)."))
        return
    yield look.paint(look.say(_headline(outcome)), Style.HEADING)
    for changed in outcome.changes.of_intent.changes:
        yield f"  {look.say(sentence(changed))}"
    for label, value in _facts(outcome):
        if value:
            yield f"  {look.say(label)}: {visible(value)}"


def _headline(outcome: Outcome) -> Text:
    if outcome.landed is None:
        return say("{replan} is on its branch.", replan=outcome.stamp.replan)
    return say("{replan} is done.", replan=outcome.stamp.replan)


def _facts(outcome: Outcome) -> list[tuple[Text, str]]:
    draft = outcome.draft
    proposal = draft.proposal if draft is not None else None
    changes = outcome.changes
    command_back = rollback_command(outcome)
    facts = [
        (say("Commit"), outcome.commit or ""),
        (say("Branch"), outcome.branch or ""),
        (say("Backup"), outcome.backup or ""),
        (say("Checkpoint"), outcome.checkpoint or ""),
        (say("Scope"), proposal.scope.value if proposal is not None else ""),
        (say("Added"), ", ".join(changes.added)),
        (say("Updated"), ", ".join(changes.updated)),
        (say("Deleted"), ", ".join(changes.deleted)),
        (say("Folder"), outcome.ref.folder),
        (say("Files"), ", ".join(changed_files(outcome.ref, draft.edits)) if draft else ""),
    ]
    if command_back is not None:
        facts.append((say("To take it back"), command_back))
    elif outcome.branch is not None:
        facts.append((say("To land it"), f"git wfp land {outcome.branch}"))
    return facts
