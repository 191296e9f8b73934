"""How far a request may go: what answers and flags leave of the operations it was read as.

A flag that contradicts the text is a mistake of the caller; an update that reaches beyond the
kind of update that was asked for is left out and said.
"""

from typing import Final

from gitwfp.classes import replace
from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, say
from gitwfp.policy.clarify import Answers, TaskChanges, UpdateType
from gitwfp.policy.operations import (
    CreateTask,
    DeleteTask,
    EditSession,
    ListEdit,
    MergeTasks,
    Operation,
    ReorderTask,
    SplitTask,
    UpdateTask,
)

_ALLOWED: Final[dict[TaskChanges, tuple[type[object], ...]]] = {
    "update_only": (UpdateTask, EditSession),
    "add_remove": (UpdateTask, EditSession, CreateTask, DeleteTask, ReorderTask),
    "merge_split": (UpdateTask, EditSession, MergeTasks, SplitTask, ReorderTask),
}

_KEPT: Final[dict[UpdateType, tuple[str, ...]]] = {
    "requirements": ("requirements", "acceptance"),
    "implementation": ("implementation",),
    "focus_paths": ("focus_paths",),
    "depends_on": ("depends_on",),
    "all": ("requirements", "acceptance", "implementation", "focus_paths", "depends_on"),
}

_NAMES: Final = {
    "requirements": say("requirements"),
    "acceptance": say("acceptance criteria"),
    "implementation": say("implementation steps"),
    "focus_paths": say("focus paths"),
    "depends_on": say("dependencies"),
}


def bounded(
    operations: tuple[Operation, ...], answers: Answers
) -> tuple[tuple[Operation, ...], tuple[Diagnostic, ...]]:
    """Returns the operations that the answers allow, and what was left out of them.

    Args:
        operations: What a request was read as.
        answers: How far it shall go.

    Raises:
        Refusal: The request restructures tasks in a way that the answers exclude (usage).
    """
    if answers.task_changes is not None:
        for operation in operations:
            if not isinstance(operation, _ALLOWED[answers.task_changes]):
                raise _contradiction(operation, answers.task_changes)
    if answers.update_type is None:
        return operations, ()
    kept: list[Operation] = []
    notes: list[Diagnostic] = []
    for operation in operations:
        if not isinstance(operation, UpdateTask):
            kept.append(operation)
            continue
        left = _limited(operation, answers.update_type, notes)
        if left is not None:
            kept.append(left)
    return tuple(kept), tuple(notes)


def check_execution(operations: tuple[Operation, ...], tools: tuple[str, ...]) -> None:
    """Refuses an execution that names no tool, or one that is not enabled.

    Args:
        operations: What is wanted.
        tools: The names of the enabled tools.

    Raises:
        Refusal: The tool is not one of them (plan refused); they are listed.
    """
    for number, operation in enumerate(operations):
        wanted = operation.execution if isinstance(operation, UpdateTask) else None
        if wanted is None:
            continue
        fits = wanted.cli_tool in tools if wanted.method == "cli" else wanted.cli_tool is None
        if not fits:
            raise Refusal(
                "tool-not-enabled",
                say("'{tool}' is not an enabled tool.", tool=wanted.cli_tool or ""),
                ExitCode.REFUSED,
                hint=say(
                    "Enabled are agent, without a tool, and: {tools}.", tools=", ".join(tools)
                ),
                location=Location(field=f"/operations/{number}/execution"),
            )


def _limited(
    operation: UpdateTask, update_type: UpdateType, notes: list[Diagnostic]
) -> UpdateTask | None:
    out = [name for name in _NAMES if name not in _KEPT[update_type] and getattr(operation, name)]
    notes.extend(_left_out(operation.task, name, update_type) for name in out)
    nothing = ListEdit()
    limited = replace(
        operation,
        requirements=nothing if "requirements" in out else operation.requirements,
        acceptance=nothing if "acceptance" in out else operation.acceptance,
        implementation=nothing if "implementation" in out else operation.implementation,
        focus_paths=nothing if "focus_paths" in out else operation.focus_paths,
        depends_on=nothing if "depends_on" in out else operation.depends_on,
    )
    says_something = (
        any(getattr(limited, name) for name in _NAMES)
        or limited.title is not None
        or limited.execution is not None
        or limited.notes
        or limited.set
    )
    return limited if says_something else None


def _left_out(task: str, name: str, update_type: UpdateType) -> Diagnostic:
    return Diagnostic(
        "outside-update-type",
        say(
            "Task {task}: the {what} are left out, because the update type is {type}.",
            task=task,
            what=_NAMES[name],
            type=update_type,
        ),
        Severity.WARNING,
        Location(task=task, field=name),
    )


def _contradiction(operation: Operation, task_changes: TaskChanges) -> Refusal:
    return Refusal(
        "flag-contradicts-request",
        say(
            "The request asks to {kind} tasks, and --task-changes {value} excludes that.",
            kind=operation.type,
            value=task_changes,
        ),
        ExitCode.USAGE,
        hint=say(
            "Leave --task-changes out, or take that out of the request: {words}",
            words=operation.words or operation.type,
        ),
    )
