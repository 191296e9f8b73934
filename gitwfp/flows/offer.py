"""Offers, in the message of a commit that is being written, the tasks that it may belong to."""

import os
from collections.abc import Iterator
from typing import Final

from gitwfp.errors import say
from gitwfp.files.codec import read_plan
from gitwfp.files.paths import find_sessions
from gitwfp.flows.env import Env
from gitwfp.flows.sessions import workspace_here
from gitwfp.git.program import to_bytes, to_text
from gitwfp.model.plan import Place
from gitwfp.model.task import Status, Task
from gitwfp.verify.code import TASK_TRAILER, is_about

_EDITED: Final = frozenset({"", "default", "strip"})
"""Values of commit.cleanup by which git takes comments out of a message."""

_MOST: Final = 8


def offer(env: Env, file: str) -> tuple[str, ...]:
    """Adds a comment for each task to a message; whoever takes the mark away names the task.

    Args:
        env: The surroundings.
        file: The file with the message.

    Returns:
        The ids of the tasks that are offered.
    """
    repo = env.repo
    config = repo.config()
    mark = config.get("core.commentchar", "#")
    mark = config.get("core.commentstring", mark)
    if config.get("commit.cleanup", "") not in _EDITED or mark == "auto" or repo.top is None:
        return ()
    with open(file, "rb") as opened:
        message = to_text(opened.read())
    if f"{TASK_TRAILER}:" in message:
        return ()
    tasks = {task.id: task.title for task in _fitting(env)}
    if not tasks:
        return ()
    lines = [f"{mark} {env.words(_LEAD)}"]
    lines += [f"{mark}{TASK_TRAILER}: {name} ({title})" for name, title in tasks.items()]
    first, _, rest = message.partition("\n")
    text = "\n".join((first, "", *lines, rest))
    temporary = f"{file}.wfp-{os.getpid()}"
    with open(temporary, "wb") as opened:
        opened.write(to_bytes(text))
    os.replace(temporary, file)
    return tuple(tasks)


_LEAD: Final = say("Does this commit belong to a task? Take the mark before its line away:")


def _fitting(env: Env) -> Iterator[Task]:
    """Yields the tasks in progress, and those that name a file of the commit, the former first."""
    done = env.repo.git.run("diff", "--cached", "--name-only", "-z", "--no-renames")
    staged = [path for path in to_text(done.out).split("\0") if path]
    tree = env.repo.worktree_files(env.settings.limits.file_bytes)
    tasks = [
        task
        for ref in find_sessions(tree, workspace_here(env, tree))
        if ref.place is not Place.ARCHIVED
        for task in read_plan(tree, ref).tasks.values()
    ]
    started = [task for task in tasks if task.status is Status.IN_PROGRESS]
    touched = [
        task
        for task in tasks
        if task.status is Status.PENDING and any(is_about(task, path) for path in staged)
    ]
    yield from (started + touched)[:_MOST]
