"""Code against plan: commits that belong to no task, and tasks that are done without a commit."""

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.errors import Diagnostic, Location, Severity, say
from gitwfp.model import fields as f
from gitwfp.model.plan import Plan
from gitwfp.model.task import Status, Task, TaskId
from gitwfp.model.values import strings
from gitwfp.patterns import regex
from gitwfp.verify.facts import written_paths

TASK_TRAILER: Final = "Wfp-Task"
"""The trailer in which a commit names the tasks that it belongs to."""

_LINES = regex(r":\d+(?:-\d+)?\Z")
_WILD = regex(r"[*?\[]")
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class CodeCommit:
    """One commit, as far as it matters here.

    Attributes:
        id: Its id.
        subject: The first line of its message.
        tasks: The tasks that it names.
        paths: The files outside of any plan that it changes.
    """

    id: str
    subject: str
    tasks: tuple[str, ...]
    paths: tuple[str, ...]


def unplanned(commits: Iterable[CodeCommit], plans: Iterable[Plan]) -> Iterator[Diagnostic]:
    """Yields the commits whose files belong to no task.

    A commit that names a task of the plans belongs to it. Where no task names a file at all,
    nothing can be told.

    Args:
        commits: The commits.
        plans: The plans of the active sessions, before and after.
    """
    known = tuple(plans)
    tasks = [task for plan in known for task in plan.tasks.values()]
    patterns = {pattern for task in tasks for pattern in task_paths(task)}
    ids = {task.id for task in tasks}
    if not patterns:
        return
    for one in commits:
        if not one.paths or ids.intersection(one.tasks):
            continue
        stray = [path for path in one.paths if not _is_among(path, patterns)]
        if stray:
            more = len(stray) - _SHOWN
            yield Diagnostic(
                "unplanned-work",
                say(
                    "Commit {id} ({subject}) changes what no task names: {paths}{more}.",
                    id=one.id[:12],
                    subject=one.subject,
                    paths=", ".join(stray[:_SHOWN]),
                    more=f" (+{more})" if more > 0 else "",
                ),
                Severity.WARNING,
                Location(stray[0]),
                say(
                    "Name the task in the commit's message ({key}: IMPL-2), or plan the work: "
                    "git wfp replan.",
                    key=TASK_TRAILER,
                ),
            )


def newly_done(before: Plan | None, after: Plan) -> tuple[Task, ...]:
    """Returns the tasks that name files and were completed between two versions of a plan."""
    held = {} if before is None else before.tasks
    return tuple(
        task
        for task in after.tasks.values()
        if task.status is Status.COMPLETED
        and (task.id not in held or held[task.id].status is not Status.COMPLETED)
        and task_paths(task)
    )


def phantom(plan: Plan, task_id: TaskId) -> Diagnostic:
    """Returns what is said of a task that is done without a commit to its files."""
    origin = plan.tasks[task_id].origin
    return Diagnostic(
        "phantom-completion",
        say("Task {task} is completed, and no commit changes a file of its.", task=task_id),
        Severity.WARNING,
        Location(
            None if origin is None else origin.path,
            session=plan.ref.id,
            task=task_id,
            field=f.STATUS,
        ),
        say("Commit the work, or correct the status or the files of the task."),
    )


def task_paths(task: Task) -> tuple[str, ...]:
    """Returns the files, folders and patterns that a task is about."""
    named = [
        _LINES.sub("", text.strip().strip("`")) for text in strings(task.fields.get(f.FOCUS_PATHS))
    ]
    paths = (path.removeprefix("./").rstrip("/") for path in (*named, *written_paths(task)))
    return tuple(dict.fromkeys(path for path in paths if path and path != "."))


def is_about(task: Task, path: str) -> bool:
    """Tells whether a task names a file, a folder above it, or a pattern that it fits."""
    return _is_among(path, task_paths(task))


def _is_among(path: str, patterns: Iterable[str]) -> bool:
    for pattern in patterns:
        if path == pattern or path.startswith(pattern + "/"):
            return True
        if _WILD.search(pattern) and (
            fnmatchcase(path, pattern) or fnmatchcase(path, pattern.replace("**/", ""))
        ):
            return True
    return False
