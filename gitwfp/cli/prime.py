"""`git wfp prime`: what an agent has to know before it works here, on less than a page.

It is for a program, so it is English whatever the language of the person is, and short.
"""

from collections.abc import Iterator
from typing import Final

from gitwfp.classes import replace
from gitwfp.cli import aids
from gitwfp.cli.answers import TaskLine
from gitwfp.cli.command import App, Result, command, option
from gitwfp.cli.lines import task_line
from gitwfp.cli.look import fit, visible
from gitwfp.cli.options import SESSION_HELP
from gitwfp.cli.surroundings import surroundings
from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.flows.env import Env
from gitwfp.flows.sessions import sessions_here
from gitwfp.flows.view import Overview, Source, chosen_overview, source_of
from gitwfp.model.plan import Place
from gitwfp.model.task import Status

_READY_SHOWN: Final = 8
_BEGUN_SHOWN: Final = 4
_OTHERS_SHOWN: Final = 5
_WIDTH: Final = 100

COMMANDS: Final = (
    aids.CommandLine("git wfp next --json", "what can be started, and what waits"),
    aids.CommandLine("git wfp status --json", "every task and where it stands"),
    aids.CommandLine(
        'git wfp replan TASK "what changes" --yes --json', "changes the plan: one commit"
    ),
    aids.CommandLine("git wfp log --json", "what happened to the plan, newest first"),
    aids.CommandLine("git wfp rollback REPLAN --yes --json", "takes back that one change"),
)

EXIT_CODES: Final = (
    aids.ExitLine(ExitCode.DONE, "done; `changed` is false when there was nothing to change"),
    aids.ExitLine(ExitCode.USAGE, "wrong usage, or an answer is missing: give the flag it names"),
    aids.ExitLine(ExitCode.NOT_FOUND, "no such session, task or revision: take one that it lists"),
    aids.ExitLine(ExitCode.REFUSED, "the plan does not allow it: change the request"),
    aids.ExitLine(ExitCode.CONFLICT, "changed meanwhile: read again, then decide"),
    aids.ExitLine(
        ExitCode.ENVIRONMENT, "repository, lock or merge in the way: do as the hint says"
    ),
)


@command(
    "prime",
    help=say("Briefs an agent: session, ready tasks, the commands it needs."),
    examples=("git wfp prime", "git wfp prime --session WFS-auth --json"),
    notes=(say("The briefing is in English, because it is for a program."),),
)
@option("--session", "-s", metavar="WFS-x", help=SESSION_HELP)
def prime(app: App, session: str | None) -> Result:
    """Answers `git wfp prime`."""
    with surroundings(app) as env:
        source = source_of(env)
        view = _view(env, source, session)
        chosen = None if view is None else view.plan.ref.folder
        others = tuple(
            ref.id
            for ref in sessions_here(env, source.tree)
            if ref.place is not Place.ARCHIVED and ref.folder != chosen
        )
        data = _briefed(view, others)
        lines = tuple(_lines(data))
        problems = () if view is None else view.plan.problems
        return Result(replace(data, text="\n".join(lines)), lambda _: lines, diagnostics=problems)


def _view(env: Env, source: Source, session: str | None) -> Overview | None:
    try:
        return chosen_overview(env, source, session)
    except Refusal as refusal:
        # Before the first session there is something to tell as well: how to make one.
        if refusal.code == "no-active-session":
            return None
        raise


def _briefed(view: Overview | None, others: tuple[str, ...]) -> aids.Prime:
    """Returns the facts; the text is made from them."""
    facts = aids.Prime(None, None, None, others, 0, 0, (), (), 0, 0, COMMANDS, EXIT_CODES, "")
    if view is None:
        return facts
    plan = view.plan
    at_work = [task.id for task in plan.tasks.values() if task.status is Status.IN_PROGRESS]
    return replace(
        facts,
        session=plan.ref.id,
        folder=plan.ref.folder,
        title=plan.title,
        tasks=len(plan.tasks),
        done=view.counts.get(Status.COMPLETED, 0),
        in_progress=tuple(task_line(plan, task_id) for task_id in at_work),
        ready=tuple(task_line(plan, task_id) for task_id in view.ready),
        waiting=len(view.waiting),
        problems=len(plan.source.unreadable),
    )


def _lines(data: aids.Prime) -> Iterator[str]:
    yield "The work plan of this repository lies in git. Change it with git wfp, not by hand."
    yield ""
    if data.session is None:
        yield 'There is no session yet; git wfp start "GOAL" --json makes one.'
    else:
        yield _fitted(f"session: {data.session}  {data.title}")
        yield _fitted(f"folder:  {data.folder}")
        yield (
            f"plan:    {data.tasks} tasks: {data.done} completed, {len(data.in_progress)} in "
            f"progress, {len(data.ready)} ready, {data.waiting} waiting"
        )
    if data.problems:
        yield f"files that could not be understood: {data.problems} (git wfp status --json)"
    if data.others:
        names = ", ".join(data.others[:_OTHERS_SHOWN])
        more = len(data.others) - _OTHERS_SHOWN
        yield _fitted(f"other sessions (--session ID): {names}" + (f" +{more}" if more > 0 else ""))
    yield from _tasks("In progress:", data.in_progress, _BEGUN_SHOWN)
    yield from _tasks("Ready to start:", data.ready, _READY_SHOWN)
    yield ""
    yield "Commands:"
    width = max(len(one.command) for one in data.commands)
    yield from (f"  {one.command:{width}}  {one.purpose}" for one in data.commands)
    yield ""
    yield "Exit codes:"
    yield from (f"  {one.code}  {one.meaning}" for one in data.exit_codes)


def _tasks(heading: str, tasks: tuple[TaskLine, ...], room: int) -> Iterator[str]:
    if tasks:
        yield ""
        yield heading
    yield from (_fitted(f"  {task.id}  {task.title}") for task in tasks[:room])
    if len(tasks) > room:
        yield f"  and {len(tasks) - room} more"


def _fitted(line: str) -> str:
    return fit(visible(line), _WIDTH, mark="...")
