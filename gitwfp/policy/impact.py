"""Impact: which files a change set reaches, and which other tasks, with the way to them."""

from collections.abc import Set as AbstractSet

from gitwfp.change.changeset import ChangeSet
from gitwfp.change.kinds import DocumentEdited, SessionEdited, TaskEdited
from gitwfp.classes import dataclass
from gitwfp.errors import Text, say
from gitwfp.model import fields as f
from gitwfp.model.graph import edges_of, nearest_ways
from gitwfp.model.plan import IMPL_PLAN, TODO_LIST, Plan
from gitwfp.model.task import TaskId, id_key


@dataclass(frozen=True, slots=True)
class Dependent:
    """A task that depends on a changed one.

    Attributes:
        task: The dependent.
        way: The chain from it down to the changed task, both included.
        touched: Whether the change set changes it too.
        why: Why it is or is not touched.
    """

    task: TaskId
    way: tuple[TaskId, ...]
    touched: bool
    why: Text


@dataclass(frozen=True, slots=True)
class Impact:
    """What a change set reaches.

    Attributes:
        impl_plan: Whether IMPL_PLAN.md changes.
        todo_list: Whether TODO_LIST.md changes.
        session_meta: Whether the session file changes.
        tasks: The tasks that change, come or go.
        dependents: The tasks that depend on those, also from afar.
    """

    impl_plan: bool
    todo_list: bool
    session_meta: bool
    tasks: tuple[TaskId, ...]
    dependents: tuple[Dependent, ...]


def assess(before: Plan, after: Plan, changes: ChangeSet) -> Impact:
    """Returns what a change set reaches.

    Args:
        before: The plan as it is.
        after: The plan after the change set.
        changes: The change set.
    """
    documents = {c.document for c in changes.changes if isinstance(c, DocumentEdited)}
    touched = changes.touched
    changed = frozenset(touched)
    ways: dict[TaskId, tuple[TaskId, ...]] = {}
    for plan in (before, after):
        edges = edges_of(plan)
        for dependent, way in nearest_ways(edges, filter(plan.tasks.__contains__, touched)).items():
            if dependent not in ways or len(way) < len(ways[dependent]):
                ways[dependent] = way
    rewired = {
        c.task for c in changes.changes if isinstance(c, TaskEdited) and c.field == f.DEPENDS_ON
    }
    return Impact(
        impl_plan=IMPL_PLAN in documents,
        todo_list=TODO_LIST in documents,
        session_meta=any(isinstance(c, SessionEdited) for c in changes.changes),
        tasks=touched,
        dependents=tuple(
            _dependent(task, ways[task], changed, rewired) for task in sorted(ways, key=id_key)
        ),
    )


def _dependent(
    task: TaskId,
    way: tuple[TaskId, ...],
    changed: AbstractSet[TaskId],
    rewired: AbstractSet[TaskId],
) -> Dependent:
    if task not in changed:
        why = say("It depends on {task}; nothing in it changes.", task=way[1])
        return Dependent(task, way, False, why)
    if task in rewired:
        return Dependent(task, way, True, say("Its dependencies are rewired."))
    return Dependent(task, way, True, say("The request changes it as well."))
