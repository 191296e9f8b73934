"""Operations: what somebody wants done to a plan, in the form that planners and agents speak.

These dataclasses are the published schema (`git wfp schema in/operations`): pydantic reads and
checks JSON against them at the border, everything inside works on the values. Operations are
many and each compiles to few changes; see `gitwfp.policy.recipes`.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import ClassVar, Literal

from gitwfp.classes import dataclass, field

STRICT: dict[str, object] = {"extra": "forbid", "str_strip_whitespace": True}
"""How pydantic reads these classes: an unknown key is an error, never dropped."""


class Scope(StrEnum):
    """How far a replan may reach; each scope includes those before it."""

    TASKS_ONLY = "tasks_only"
    PLAN_UPDATE = "plan_update"
    TASK_RESTRUCTURE = "task_restructure"
    COMPREHENSIVE = "comprehensive"

    @property
    def rank(self) -> int:
        """The place in the order of reach, from 0."""
        return list(Scope).index(self)


class Rewire(StrEnum):
    """What happens to the tasks that depend on a deleted one.

    `refuse` refuses the deletion and names them, `bridge` lets them depend on what the deleted
    task depended on, `drop` takes the dependency away.
    """

    REFUSE = "refuse"
    BRIDGE = "bridge"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class Replacement:
    """One entry of a list that gives way to another."""

    __pydantic_config__: ClassVar[dict[str, object]] = STRICT

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class ListEdit:
    """What happens to a list: entries replaced, removed, added; or the whole list set.

    Entries are named by their text; case, white space and a final full stop do not count.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = STRICT

    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    replace: tuple[Replacement, ...] = ()
    set: tuple[str, ...] | None = None

    def __bool__(self) -> bool:
        return bool(self.add or self.remove or self.replace) or self.set is not None


@dataclass(frozen=True, slots=True)
class Execution:
    """How a task is to be executed: by the agent itself or by a command-line tool."""

    __pydantic_config__: ClassVar[dict[str, object]] = STRICT

    method: Literal["agent", "cli"]
    cli_tool: str | None = None

    def config(self) -> dict[str, str | bool | None]:
        """Returns the `execution_config` that goes into the task."""
        return {
            "method": self.method,
            "cli_tool": self.cli_tool,
            "enable_resume": self.method != "agent",
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTask:
    """A new task; without an id it gets the next free one of its session."""

    __pydantic_config__: ClassVar[dict[str, object]] = STRICT

    type: Literal["create"] = "create"
    title: str
    id: str | None = None
    requirements: tuple[str, ...] = ()
    acceptance: tuple[str, ...] = ()
    focus_paths: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    task_type: str | None = None
    priority: str | None = None
    after: str | None = None
    reason: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateTask:
    """Changes to one task; what is left out stays."""

    __pydantic_config__: ClassVar[dict[str, object]] = STRICT

    type: Literal["update"] = "update"
    task: str
    title: str | None = None
    requirements: ListEdit = field(default_factory=ListEdit)
    acceptance: ListEdit = field(default_factory=ListEdit)
    focus_paths: ListEdit = field(default_factory=ListEdit)
    depends_on: ListEdit = field(default_factory=ListEdit)
    implementation: ListEdit = field(default_factory=ListEdit)
    notes: ListEdit = field(default_factory=ListEdit)
    execution: Execution | None = None
    set: Mapping[Literal["type", "priority", "effort", "agent", "scope"], str] = field(
        default_factory=dict
    )
    reason: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteTask:
    """A task goes; its file leaves the tree and lives on in the commit before."""

    __pydantic_config__: ClassVar[dict[str, object]] = STRICT

    type: Literal["delete"] = "delete"
    task: str
    dependents: Rewire = Rewire.REFUSE
    reason: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeTasks:
    """Several tasks become a new one that takes the union of what they ask for."""

    __pydantic_config__: ClassVar[dict[str, object]] = STRICT

    type: Literal["merge"] = "merge"
    tasks: tuple[str, ...]
    title: str | None = None
    id: str | None = None
    reason: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One of the tasks that a split makes."""

    __pydantic_config__: ClassVar[dict[str, object]] = STRICT

    title: str
    id: str | None = None
    requirements: tuple[str, ...] = ()
    acceptance: tuple[str, ...] = ()
    focus_paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitTask:
    """One task becomes several: a chain, or side by side.

    What the parts do not name of the original's requirements, criteria and paths goes to the
    part whose title shares most words with it.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = STRICT

    type: Literal["split"] = "split"
    task: str
    parts: tuple[Part, ...]
    order: Literal["chain", "parallel"] = "chain"
    reason: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReorderTask:
    """A task moves in the order of the list; dependencies stay as they are."""

    __pydantic_config__: ClassVar[dict[str, object]] = STRICT

    type: Literal["reorder"] = "reorder"
    task: str
    before: str
    reason: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditSession:
    """The session's own title changes: what the whole plan is for."""

    __pydantic_config__: ClassVar[dict[str, object]] = STRICT

    type: Literal["session"] = "session"
    title: str
    reason: str = ""
    words: str = ""


Operation = (
    CreateTask | UpdateTask | DeleteTask | MergeTasks | SplitTask | ReorderTask | EditSession
)


def scope_needed(operation: Operation) -> Scope:
    """Returns the smallest scope that allows an operation."""
    match operation:
        case UpdateTask():
            return Scope.TASKS_ONLY
        case EditSession():
            return Scope.COMPREHENSIVE
        case _:
            return Scope.TASK_RESTRUCTURE
