"""The fields of plans: their names, how they merge, and what kind of fact they state.

A plan's records (tasks, the session, documents) are flat maps from field name to value. A
name is one of those below, whatever place an era of the format gave it, or a JSON pointer
(`/meta/module`) for what we carry along without knowing it.
"""

from enum import StrEnum
from typing import Final

from gitwfp.patterns import regex

ID: Final = "id"
TITLE: Final = "title"
STATUS: Final = "status"
DESCRIPTION: Final = "description"
REQUIREMENTS: Final = "requirements"
ACCEPTANCE: Final = "acceptance"
FOCUS_PATHS: Final = "focus_paths"
DEPENDS_ON: Final = "depends_on"
TYPE: Final = "type"
PRIORITY: Final = "priority"
EFFORT: Final = "effort"
SCOPE: Final = "scope"
AGENT: Final = "agent"
EXECUTION: Final = "execution_config"
IMPLEMENTATION: Final = "implementation"
PRE_ANALYSIS: Final = "pre_analysis"
TARGET_FILES: Final = "files"
INHERITED: Final = "inherited"
PARENT: Final = "parent"

GOAL: Final = "goal"
LAST_REPLAN: Final = "last_replan"
CURRENT_TASKS: Final = "current_tasks"
REPLAN_HISTORY: Final = "replan_history"
TASK_IDS: Final = "task_ids"
TASK_COUNT: Final = "task_count"

LINES: Final = "lines"
CHANGES: Final = "changes"

TEXT_LISTS: Final = frozenset(
    {REQUIREMENTS, ACCEPTANCE, FOCUS_PATHS, DEPENDS_ON, INHERITED, DESCRIPTION, GOAL}
)
"""Fields whose value is a tuple of texts; description and goal are read by sentence."""


class Role(StrEnum):
    """What kind of fact a field states.

    `intent` is what the plan means, `progress` how far it has come, `bookkeeping` what can be
    derived. Only intent is digested; bookkeeping never conflicts.
    """

    INTENT = "intent"
    PROGRESS = "progress"
    BOOKKEEPING = "bookkeeping"


_BOOKKEEPING: Final = frozenset(
    {LAST_REPLAN, CURRENT_TASKS, REPLAN_HISTORY, TASK_IDS, TASK_COUNT, CHANGES}
)

_PROGRESS_KEY: Final = regex(
    r"/(status|status_history|state|progress|result|results|_execution|session_version|"
    r"tasks_completed|tasks_total|completed_phases|actual_\w+|completion_\w+|commit_sha|"
    r"commit_hash|current_phase|phase_completed|execution|"
    r"(created|updated|started|completed|executed|archived|paused|resumed|switched|resolved|"
    r"last_updated|execution_started)(_at)?|timestamp|updated|last_modified)(/|$)"
)

_BOOKKEEPING_KEY: Final = regex(r"/(replan_count|last_replan|total_tasks|task_count)(/|$)")


def role_of(name: str) -> Role:
    """Returns what kind of fact a field states."""
    if name == STATUS:
        return Role.PROGRESS
    if name in _BOOKKEEPING or _BOOKKEEPING_KEY.search(name):
        return Role.BOOKKEEPING
    if name.startswith("/") and _PROGRESS_KEY.search(name):
        return Role.PROGRESS
    return Role.INTENT


def pointer(path: tuple[str, ...]) -> str:
    """Returns the JSON pointer (RFC 6901) of a path of keys."""
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in path)


def pointer_path(name: str) -> tuple[str, ...]:
    """Returns the path of keys that a JSON pointer stands for."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in name.split("/")[1:])


def label(name: str) -> str:
    """Returns a field's name as people read it: `meta.module` for `/meta/module`."""
    return ".".join(pointer_path(name)) if name.startswith("/") else name
