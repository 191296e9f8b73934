"""Commands that change plans: start, replan, adopt."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from gitwfp.cli.command import App, Result, command, option
from gitwfp.cli.options import BRANCH_ONLY, DRY_RUN, SESSION, YES
from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.policy.operations import Scope

if TYPE_CHECKING:
    # What does the work is loaded by who does it: the help of these commands needs none of it.
    from gitwfp.flows.env import Env
    from gitwfp.policy.clarify import Ripple, TaskChanges, UpdateType
    from gitwfp.policy.planning import Planner

_LONGEST = 20_000
"""Characters of a request: many pages, and still read within seconds."""


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
    from gitwfp.cli.inputs import words_of
    from gitwfp.cli.outcome import result_of
    from gitwfp.cli.surroundings import surroundings
    from gitwfp.flows.start import start as start_session
    from gitwfp.flows.work import Options

    with surroundings(app) as env:
        goal = words_of(app, env, text)
        options = Options(yes=yes or not env.ui.interactive, dry_run=dry_run)
        return result_of(start_session(env, goal, options), "start")


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
    "--module",
    "modules",
    multiple=True,
    metavar="PATH",
    help=say("Only tasks of this module; may be given again."),
)
@option(
    "--task-changes",
    type=click.Choice(["update_only", "add_remove", "merge_split"]),
    help=say("What may happen to tasks."),
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
    "--ripple",
    type=click.Choice(["yes", "no", "analyze"]),
    help=say("Whether dependent tasks get a note of the change."),
)
@option("--interactive", "-i", is_flag=True, help=say("Ask how far it shall go; wins over --yes."))
@option(
    "--from",
    "source",
    metavar="FILE|-",
    help=say("Take operations made elsewhere, as JSON (git wfp schema in/operations)."),
)
@option(
    "--from-findings",
    is_flag=True,
    help=say("Put right what verify finds and what has one answer; the rest is named."),
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
    modules: tuple[str, ...],
    task_changes: "TaskChanges | None",
    dependencies: bool | None,
    update_type: "UpdateType | None",
    ripple: "Ripple | None",
    interactive: bool,
    source: str | None,
    from_findings: bool,
    force: bool,
    branch_only: bool,
    yes: bool,
    dry_run: bool,
) -> Result:
    """Answers `git wfp replan`."""
    from gitwfp.cli.inputs import read_input
    from gitwfp.cli.outcome import result_of
    from gitwfp.cli.surroundings import surroundings
    from gitwfp.flows.replan import Request
    from gitwfp.flows.replan import replan as replan_session
    from gitwfp.flows.work import Options
    from gitwfp.policy.clarify import Answers

    with surroundings(app) as env:
        options = Options(
            yes=yes and not interactive,
            dry_run=dry_run,
            branch_only=branch_only,
            landing=env.settings.replan.landing,
        )
        if from_findings:
            from gitwfp.flows.mend import mend

            _check_alone(requirements, source)
            return result_of(mend(env, session, options), "replan")
        if source is not None:
            _check_reason(requirements)
            planner = _file_planner(read_input(app, env, source), " ".join(requirements))
        else:
            planner = _rules_planner(app, env, requirements)
        if interactive and not env.ui.interactive:
            raise _needs_terminal()
        request = Request(
            planner=planner,
            session=session,
            answers=Answers(
                scope=Scope(scope) if scope is not None else None,
                modules=modules or None,
                task_changes=task_changes,
                dependencies=dependencies,
                update_type=update_type,
                ripple=ripple,
            ),
            force=force,
            asks=interactive,
            options=options,
        )
        outcome = replan_session(env, request)
        return result_of(outcome, "replan", app.console.stages)


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
    from gitwfp.cli.outcome import result_of
    from gitwfp.cli.surroundings import surroundings
    from gitwfp.flows.adopt import adopt as adopt_plan
    from gitwfp.flows.work import Options

    with surroundings(app) as env:
        options = Options(yes=yes, dry_run=dry_run, landing=env.settings.replan.landing)
        return result_of(adopt_plan(env, session, " ".join(reason), options), "adopt")


def _check_reason(words: tuple[str, ...]) -> None:
    """Refuses a task id beside --from: the operations name their tasks; words are the reason."""
    if words and _looks_like_id(words[0]) and " " not in words[0]:
        raise Refusal(
            "task-beside-operations",
            say(
                "With --from the operations name their tasks; '{word}' does not belong here.",
                word=words[0],
            ),
            ExitCode.USAGE,
            hint=say("Words beside --from are the reason for the history."),
        )


def _check_alone(words: tuple[str, ...], source: str | None) -> None:
    if words or source is not None:
        raise Refusal(
            "two-sources",
            say("--from-findings takes what is to change from verify, and nothing else."),
            ExitCode.USAGE,
            hint=say("Leave the words and --from away, or --from-findings."),
        )


def _needs_terminal() -> Refusal:
    return Refusal(
        "needs-terminal",
        say("There is no terminal to ask questions on."),
        ExitCode.USAGE,
        hint=say(
            "Leave --interactive out and answer with --scope, --module, --task-changes, "
            "--dependencies, --update-type and --ripple."
        ),
    )


def _rules_planner(app: App, env: "Env", requirements: tuple[str, ...]) -> "Planner":
    from gitwfp.cli.inputs import words_of
    from gitwfp.model.task import is_task_id
    from gitwfp.planners.rules import RulesPlanner

    task = None
    if requirements and _looks_like_id(requirements[0]) and is_task_id(requirements[0]):
        task, requirements = requirements[0], requirements[1:]
    text = words_of(app, env, requirements)
    if not text.strip():
        raise Refusal(
            "no-modifications",
            say("No modifications specified."),
            ExitCode.USAGE,
            hint=say('Say what shall change: git wfp replan IMPL-3 "what shall change".'),
        )
    if len(text) > _LONGEST:
        raise Refusal(
            "request-too-long",
            say(
                "The request has {count} characters; {limit} can be read.",
                count=len(text),
                limit=_LONGEST,
            ),
            ExitCode.USAGE,
            hint=say("Say it in several requests, or hand in operations with --from."),
        )
    tools = tuple(name for name, tool in env.settings.tools.items() if tool.enabled)
    return RulesPlanner(text, task, tools, _is_path(env))


def _looks_like_id(word: str) -> bool:
    return any(character.isdigit() for character in word)


def _is_path(env: "Env") -> Callable[[str], bool]:
    top = env.repo.require_worktree()

    def exists(path: str) -> bool:
        inside = not path.startswith("/") and ".." not in path.split("/")
        return inside and os.path.exists(os.path.join(top, path))

    return exists


def _file_planner(data: bytes, reason: str) -> "Planner":
    from gitwfp.planners.file import FilePlanner

    return FilePlanner(data, reason)
