"""What recipes share: the draft, finding and making tasks, rewiring edges."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from gitwfp.classes import dataclass
from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, say
from gitwfp.files.dialects import keeps_list
from gitwfp.files.paths import inside_of, is_task_file, stem_of, task_path
from gitwfp.files.writing import task_json
from gitwfp.model import fields as f
from gitwfp.model.plan import Plan, Shape
from gitwfp.model.prose import sentences
from gitwfp.model.task import (
    IdIndex,
    Status,
    Task,
    TaskId,
    find_id,
    is_task_id,
    unpadded,
    with_field,
)
from gitwfp.model.values import Value
from gitwfp.policy.lists import plain
from gitwfp.policy.message import one_line


@dataclass(frozen=True, slots=True)
class Move:
    """A task's new place in the order of the list."""

    task: TaskId
    before: TaskId


@dataclass(frozen=True, slots=True)
class Draft:
    """A plan under way: what the operations so far have made of it.

    Attributes:
        plan: The plan now.
        placed: For each new task the task that it follows in lists, if one is known.
        moves: Changes of order, in their order.
        notes: What a person should know.
    """

    plan: Plan
    placed: Mapping[TaskId, TaskId | None]
    moves: tuple[Move, ...] = ()
    notes: tuple[Diagnostic, ...] = ()


def required_task(plan: Plan, wanted: str) -> Task:
    """Returns the task that is meant.

    Raises:
        Refusal: There is none; the tasks there are, nearest first (not found). Or its file cannot
            be understood (plan refused).
    """
    task = plan.task(wanted)
    if task is not None:
        return task
    broken = unreadable_task(plan, wanted)
    if broken is not None:
        raise unreadable_file(plan, broken)
    fitting = [task_id for task_id in plan.tasks if plain(task_id).startswith(plain(wanted))]
    near = get_close_matches(wanted, list(plan.tasks), n=len(plan.tasks) + 1, cutoff=0.0)
    ordered = list(dict.fromkeys([*fitting, *near, *plan.tasks]))
    raise Refusal(
        "task-not-found",
        say("Session {session} has no task {task}.", session=plan.ref.id, task=wanted),
        ExitCode.NOT_FOUND,
        hint=say("Its tasks are: {tasks}.", tasks=", ".join(ordered))
        if ordered
        else say('It has no task yet; make one: git wfp replan "Add task ...".'),
        location=Location(session=plan.ref.id, task=wanted),
    )


def unreadable_task(plan: Plan, wanted: str) -> str | None:
    """Returns the path of a task's file that cannot be understood, None if there is none."""
    for path in sorted(plan.source.unreadable):
        inside = inside_of(plan.ref, path)
        if is_task_file(inside) and unpadded(stem_of(inside)) == unpadded(wanted):
            return path
    return None


def unreadable_file(plan: Plan, path: str) -> Refusal:
    """Returns the refusal to change what a file says that cannot be understood."""
    problem = next((p for p in plan.problems if p.location.path == path), None)
    where = problem.location if problem is not None else Location(path, session=plan.ref.id)
    return Refusal(
        "invalid-plan-file",
        say("'{path}' cannot be understood, and this change concerns it.", path=path),
        ExitCode.REFUSED,
        hint=say("Correct the file and run the command again."),
        location=where,
        details=(problem,) if problem is not None else (),
    )


def entries_of(plan: Plan, texts: tuple[str, ...], task: Task | None = None) -> tuple[str, ...]:
    """Returns requirements as a task can hold them.

    A flat task keeps its requirements as the sentences of its description, so a text of two
    sentences counts as two; a nested task keeps a list, and only a final full stop is dropped.

    Args:
        plan: The plan, whose shape a new task takes.
        texts: The requirements.
        task: The task that gets them, if it is there already; it keeps the shape of its file.
    """
    raw = task_json(plan, task) if task is not None else {}
    if keeps_list(raw, f.REQUIREMENTS) if raw else plan.shape is Shape.NESTED:
        bare = (text.strip() for text in texts)
        return tuple(_without_stop(text) for text in bare if text)
    return tuple(sentence for text in texts for sentence in sentences(text))


def _without_stop(text: str) -> str:
    return text[:-1].rstrip() if text[-1] in ".。" and not text.endswith("..") else text


def checked_title(plan: Plan, title: str) -> str:
    """Returns a title on one line.

    Raises:
        Refusal: It says nothing (plan refused).
    """
    text = one_line(title)
    if not text:
        raise Refusal(
            "empty-title",
            say("A title says nothing."),
            ExitCode.REFUSED,
            hint=say("Give every task a title that says what is to be done."),
            location=Location(session=plan.ref.id),
        )
    return text


def new_task(
    plan: Plan, wanted: str | None, ids: Iterator[TaskId], fields: Mapping[str, Value]
) -> Task:
    """Returns a new task with the id that is wanted, or the next free one.

    Raises:
        Refusal: The id is no id, or is in use (plan refused).
    """
    task_id = TaskId(wanted) if wanted is not None else next(ids)
    if not is_task_id(task_id):
        raise Refusal(
            "bad-task-id",
            say("'{id}' cannot be a task's id.", id=task_id),
            ExitCode.REFUSED,
            hint=say(
                "An id is a word and a number, such as IMPL-4; leave it out for the next one."
            ),
        )
    path = task_path(plan.ref, task_id)
    is_file_taken = plan.shape is not Shape.EMBEDDED and path in plan.source.paths
    if find_id(task_id, plan.tasks) is not None or is_file_taken:
        raise Refusal(
            "task-exists",
            say("Session {session} has a task {task} already.", session=plan.ref.id, task=task_id),
            ExitCode.REFUSED,
            hint=say("Leave the id out to get the next free one."),
            location=Location(session=plan.ref.id, task=task_id),
        )
    held: Mapping[str, Value] = {}
    for name, value in fields.items():
        held = with_field(held, name, value)
    return Task(task_id, held)


def changeable_task(plan: Plan, wanted: str, *, force: bool) -> Task:
    """Returns the task that is meant, if it may be changed.

    Raises:
        Refusal: There is no such task (not found), or it is completed (plan refused).
    """
    task = required_task(plan, wanted)
    if task.status is Status.COMPLETED and not force:
        raise Refusal(
            "task-completed",
            say("Task {task} is completed.", task=task.id),
            ExitCode.REFUSED,
            hint=say("Consider a new task for additional work, or use --force to change this one."),
            location=Location(session=plan.ref.id, task=task.id),
        )
    return task


def rewire(plan: Plan, gone: tuple[TaskId, ...], heirs: tuple[TaskId, ...]) -> Plan:
    """Returns the plan with every edge to a task that is gone leading to its heirs instead.

    Args:
        plan: The plan without the tasks that are gone.
        gone: What the edges lead to.
        heirs: What they shall lead to; of these, tasks that are gone themselves do not count.
    """
    ids, lost = IdIndex([*plan.tasks, *gone]), frozenset(gone)
    heirs = tuple(heir for heir in heirs if ids.find(heir) not in lost)
    for task in plan.tasks.values():
        wanted: list[str] = []
        hit = False
        for target in task.depends_on:
            if ids.find(target) in lost:
                hit = True
                wanted.extend(heir for heir in heirs if heir != task.id)
            else:
                wanted.append(target)
        if hit:
            plan = plan.with_task(task.with_field(f.DEPENDS_ON, tuple(dict.fromkeys(wanted))))
    return plan
