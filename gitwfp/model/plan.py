"""A plan: one session read whole from one source, frozen."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from gitwfp.classes import dataclass, field, replace
from gitwfp.errors import Diagnostic
from gitwfp.model import fields as f
from gitwfp.model.task import IdIndex, Task, TaskId, find_id, id_key
from gitwfp.model.values import Value, strings

TODO_LIST: Final = "TODO_LIST.md"
IMPL_PLAN: Final = "IMPL_PLAN.md"
PLANNING_NOTES: Final = "planning-notes.md"
PLAN_JSON: Final = "plan.json"
FIX_PLAN_JSON: Final = "fix-plan.json"
SESSION_JSON: Final = "workflow-session.json"
WAIVERS_JSON: Final = ".process/waivers.json"


class Place(StrEnum):
    """Where a session lies, which says what may be done with it."""

    ACTIVE = "active"
    LITE = "lite"
    ARCHIVED = "archived"


class Shape(StrEnum):
    """How a session's files spell its tasks."""

    NESTED = "nested"
    FLAT = "flat"
    EMBEDDED = "embedded"


@dataclass(frozen=True, slots=True, order=True)
class SessionRef:
    """The address of a session.

    Attributes:
        id: Session id.
        folder: Its folder, from the repository root.
        place: Active, lite or archived.
        workspace: The `.workflow` folder that holds it, from the repository root.
    """

    id: str
    folder: str
    place: Place
    workspace: str


@dataclass(frozen=True, slots=True)
class Document:
    """A plan file that is neither a task nor the session file.

    Attributes:
        name: Path inside the session folder.
        parts: Its content by field name: `lines` (and `changes`) of a Markdown file, the
            fields of a JSON file. No parts: there is no such file.
    """

    name: str
    parts: Mapping[str, Value]

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of a Markdown file without their endings."""
        value = self.parts.get(f.LINES)
        return tuple(str(line) for line in value) if isinstance(value, tuple) else ()


@dataclass(frozen=True, slots=True)
class Source:
    """The text that a plan was read from.

    Attributes:
        files: Bytes of each plan file by path from the repository root.
        unreadable: Paths of plan files that could not be understood.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    unreadable: frozenset[str] = frozenset()

    @property
    def paths(self) -> frozenset[str]:
        """The paths that are taken, whether or not what is there could be read."""
        return self.unreadable.union(self.files)


@dataclass(frozen=True, slots=True)
class Plan:
    """A snapshot of one session.

    Attributes:
        ref: Which session.
        session: The session file's facts by field name.
        tasks: Its tasks by id, in natural order.
        documents: Its other plan files by name.
        others: Companion files by path: opaque bytes.
        shape: How new tasks are to be spelt.
        problems: What could not be read, or was read with a guess.
        source: The text it was read from.
    """

    ref: SessionRef
    session: Mapping[str, Value]
    tasks: Mapping[TaskId, Task]
    documents: Mapping[str, Document]
    others: Mapping[str, bytes] = field(default_factory=dict)
    shape: Shape = field(default=Shape.FLAT, compare=False)
    problems: tuple[Diagnostic, ...] = field(default=(), compare=False)
    source: Source = field(default=Source(), compare=False)

    @property
    def title(self) -> str:
        """The session's title, or its id."""
        title = self.session.get(f.TITLE)
        return title if isinstance(title, str) and title else self.ref.id

    @property
    def open_tasks(self) -> tuple[Task, ...]:
        """The tasks that still count as work."""
        return tuple(task for task in self.tasks.values() if task.is_open)

    @property
    def order(self) -> tuple[TaskId, ...]:
        """The tasks in the order the plan gives them: `task_ids` first, the rest by id."""
        overview = self.documents.get(PLAN_JSON)
        listed = strings(overview.parts.get(f.TASK_IDS)) if overview else ()
        ids = IdIndex(self.tasks)
        first = [found for text in listed if (found := ids.find(text)) is not None]
        return tuple(dict.fromkeys([*first, *self.tasks]))

    def task(self, wanted: str) -> Task | None:
        """Returns the task that a person means, tolerant of case and zero padding."""
        found = find_id(wanted, self.tasks)
        return None if found is None else self.tasks[found]

    def with_task(self, task: Task) -> "Plan":
        """Returns the plan with one task added or put in place of the old one."""
        merged = {**self.tasks, task.id: task}
        if task.id in self.tasks:
            return replace(self, tasks=merged)
        ordered = {task_id: merged[task_id] for task_id in sorted(merged, key=id_key)}
        return replace(self, tasks=ordered)

    def without_task(self, task_id: TaskId) -> "Plan":
        """Returns the plan without one task."""
        return replace(
            self, tasks={key: task for key, task in self.tasks.items() if key != task_id}
        )

    def with_document(self, document: Document) -> "Plan":
        """Returns the plan with one document in place of the old one, or without an empty one."""
        others = {name: held for name, held in self.documents.items() if name != document.name}
        if document.parts:
            others[document.name] = document
        return replace(self, documents=dict(sorted(others.items())))


def empty_plan(ref: SessionRef) -> Plan:
    """Returns the plan of a session that is not there."""
    return Plan(ref=ref, session={}, tasks={}, documents={})
