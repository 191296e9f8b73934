"""What the commands of every day answer: status, list, next.

They are asked so often that nothing is loaded or made here which their answer does not need: what
programs read is made for programs only.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from gitwfp.cli.app import App, Result
from gitwfp.cli.look import Look, Style, cells, fit, pad, visible
from gitwfp.cli.surroundings import surroundings
from gitwfp.errors import Text, say, say_n
from gitwfp.flows.view import Overview, all_overviews, chosen_overview, source_of
from gitwfp.model.graph import Waiting
from gitwfp.model.task import Status, TaskId

if TYPE_CHECKING:
    from gitwfp.cli import answers
    from gitwfp.cli.waiting import WhatIfLine

_MARKS = {
    Status.PENDING: " ",
    Status.IN_PROGRESS: ">",
    Status.COMPLETED: "x",
    Status.FAILED: "!",
    Status.BLOCKED: "-",
    Status.SKIPPED: "s",
    Status.CANCELLED: "s",
    Status.CONTAINER: "+",
    Status.DISCARDED: "d",
    Status.FROZEN: "*",
}

_STATUS_WORDS = {
    Status.PENDING: say("pending"),
    Status.IN_PROGRESS: say("in progress"),
    Status.COMPLETED: say("completed"),
    Status.FAILED: say("failed"),
    Status.BLOCKED: say("blocked"),
    Status.SKIPPED: say("skipped"),
    Status.CANCELLED: say("cancelled"),
    Status.CONTAINER: say("container"),
    Status.DISCARDED: say("discarded"),
    Status.FROZEN: say("frozen"),
}


def status(app: App, session: str | None, *, at: str | None = None, staged: bool = False) -> Result:
    """Answers `git wfp status`.

    Args:
        app: The command's surroundings.
        session: The session named, if one was.
        at: A revision or a date to look at.
        staged: Whether to look at the index.
    """
    with surroundings(app) as env:
        source = source_of(env, at=at, staged=staged)
        view = chosen_overview(env, source, session)

        def data() -> "answers.Status":
            from gitwfp.cli import answers
            from gitwfp.cli.lines import session_line, task_line
            from gitwfp.files.digest import intent_digest

            plan = view.plan
            waiting = {one.task: one for one in view.waiting}
            return answers.Status(
                source.name,
                source.commit,
                session_line(view),
                tuple(task_line(plan, task_id, waiting.get(task_id)) for task_id in plan.order),
                intent_digest(plan),
            )

        problems = view.plan.problems
        return Result(
            data, lambda look: _status_lines(view, look), diagnostics=problems, pages=True
        )


def list_(
    app: App, *, what_ifs: bool = False, at: str | None = None, staged: bool = False
) -> Result:
    """Answers `git wfp list`.

    Args:
        app: The command's surroundings.
        what_ifs: Whether what-ifs that wait are listed too.
        at: A revision or a date to look at.
        staged: Whether to look at the index.
    """
    with surroundings(app) as env:
        source = source_of(env, at=at, staged=staged)
        views = all_overviews(env, source)
        waiting: tuple[WhatIfLine, ...] | None = None
        if what_ifs:
            from gitwfp.cli.waiting import what_ifs_waiting

            waiting = what_ifs_waiting(env, (view.plan.ref for view in views))

        def data() -> "answers.List":
            from gitwfp.cli import answers
            from gitwfp.cli.lines import session_line

            sessions = tuple(map(session_line, views))
            return answers.List(source.name, source.commit, sessions, waiting)

        problems = tuple(problem for view in views for problem in view.plan.problems)
        return Result(
            data, lambda look: _list_lines(views, waiting, look), diagnostics=problems, pages=True
        )


def next_(app: App, session: str | None, *, at: str | None = None, staged: bool = False) -> Result:
    """Answers `git wfp next`; see `status`."""
    with surroundings(app) as env:
        source = source_of(env, at=at, staged=staged)
        view = chosen_overview(env, source, session)

        def data() -> "answers.Next":
            from gitwfp.cli import answers
            from gitwfp.cli.lines import task_line

            plan = view.plan
            return answers.Next(
                source.name,
                source.commit,
                plan.ref.id,
                tuple(task_line(plan, task_id) for task_id in view.ready),
                tuple(task_line(plan, one.task, one) for one in view.waiting),
            )

        problems = view.plan.problems
        return Result(data, lambda look: _next_lines(view, look), diagnostics=problems, pages=True)


def _status_lines(view: Overview, look: Look) -> Iterable[str]:
    plan = view.plan
    title = "" if plan.title == plan.ref.id else f"  {visible(plan.title)}"
    yield look.paint(f"{visible(plan.ref.id)}{title}", Style.HEADING)
    yield _counts(view, look)
    if plan.tasks:
        yield ""
    yield from _task_lines(view, plan.order, look)
    yield ""
    yield look.say(_next_step(view))


def _next_step(view: Overview) -> Text:
    if not view.plan.tasks:
        return say('The plan has no task yet: git wfp replan "Add task ...".')
    if view.ready:
        return say("Ready: {tasks}.", tasks=", ".join(view.ready))
    if any(task.status is Status.IN_PROGRESS for task in view.plan.tasks.values()):
        return say("Nothing new can be started before what is in progress is done.")
    if view.waiting:
        return say("Nothing can be started; git wfp next says why.")
    return say("Nothing is left to do.")


def _counts(view: Overview, look: Look) -> str:
    total = say_n("{count} task", "{count} tasks", len(view.plan.tasks))
    parts = [
        look.say(say("{n} {status}", n=view.counts[status], status=word))
        for status, word in _STATUS_WORDS.items()
        if status in view.counts
    ]
    return look.say(total) + (": " + ", ".join(parts) if parts else "")


def _task_lines(view: Overview, ids: Iterable[TaskId], look: Look) -> Iterable[str]:
    plan = view.plan
    waiting = {one.task: one for one in view.waiting}
    width = max((cells(task_id) for task_id in plan.tasks), default=0)
    for task_id in ids:
        task = plan.tasks[task_id]
        mark = _MARKS[task.status]
        line = f"  [{mark}] {pad(visible(task_id), width)}  {visible(task.title)}"
        note = _why(task_id, view, waiting.get(task_id), look)
        if look.columns is not None:
            line = fit(line, max(20, look.columns - cells(note)), mark=look.mark)
        done = task.status in (Status.COMPLETED, Status.SKIPPED, Status.CANCELLED)
        yield (look.paint(line, Style.QUIET) if done else line) + note


def _why(task_id: TaskId, view: Overview, waiting: Waiting | None, look: Look) -> str:
    if waiting is None:
        return look.paint("  <", Style.ADDED) if task_id in view.ready else ""
    parts = list(waiting.unmet)
    text = ""
    if parts:
        text += "  " + look.say(say("waits for {tasks}", tasks=", ".join(parts)))
    for note in _nowhere(view, waiting.missing):
        text += "  " + look.paint(look.say(note), Style.ERROR)
    return text


def _nowhere(view: Overview, missing: tuple[TaskId, ...]) -> Iterable[Text]:
    """Yields what is the matter with dependencies that lead to no task."""
    if not missing:
        return
    from gitwfp.policy.tasks import unreadable_task

    unread = [name for name in missing if unreadable_task(view.plan, name) is not None]
    absent = [name for name in missing if name not in unread]
    if unread:
        yield say("depends on {tasks}, which cannot be read", tasks=", ".join(unread))
    if absent:
        yield say_n(
            "depends on {tasks}, which does not exist",
            "depends on {tasks}, which do not exist",
            len(absent),
            tasks=", ".join(absent),
        )


def _next_lines(view: Overview, look: Look) -> Iterable[str]:
    if not view.ready:
        yield look.say(_next_step(view))
    yield from _task_lines(view, view.ready, look)
    if view.waiting:
        yield ""
        yield look.say(say("Waiting:"))
        yield from _task_lines(view, [one.task for one in view.waiting], look)


def _list_lines(
    views: tuple[Overview, ...], waiting: "tuple[WhatIfLine, ...] | None", look: Look
) -> Iterable[str]:
    if not views:
        yield look.say(say('There is no session; make one: git wfp start "your goal".'))
    width = max((cells(visible(view.plan.ref.id)) for view in views), default=0)
    place = None
    for view in views:
        ref = view.plan.ref
        if ref.place is not place:
            place = ref.place
            yield look.paint(look.say(_PLACES[place.value]), Style.HEADING)
        chosen = "*" if view.is_chosen else " "
        counts = look.say(
            say(
                "{done}/{all} done",
                done=view.counts.get(Status.COMPLETED, 0),
                all=len(view.plan.tasks),
            )
        )
        line = f"{chosen} {pad(visible(ref.id), width)}  {counts}  {visible(view.plan.title)}"
        yield line if look.columns is None else fit(line, look.columns, mark=look.mark)
        if waiting:
            from gitwfp.cli.waiting import what_if_lines

            own = (one for one in waiting if one.session == ref.id)
            yield from (line for one in own for line in what_if_lines(one, look))
    if views and waiting == ():
        yield look.say(say("No what-if waits."))


_PLACES = {
    "active": say("Active"),
    "lite": say("Lite"),
    "archived": say("Archived"),
}
