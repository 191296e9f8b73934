"""Dimension H: the plan can be carried out as it is cut."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

from gitwfp.errors import say
from gitwfp.model import fields as f
from gitwfp.model.findings import Dimension, Level
from gitwfp.model.task import Task, TaskId
from gitwfp.model.values import strings
from gitwfp.verify.facts import Facts
from gitwfp.verify.rule import Hit, Input, rule

_MANY_STEPS = 12
_FEW = 3


_CROWD = 12
"""Of more tasks that change one file not each pair is told."""


@rule(
    "parallel-writes",
    Dimension.FEASIBILITY,
    Level.LOW,
    finds=say("Two tasks that change one file, and neither waits for the other."),
    why=say("Carried out at the same time, they run into one another."),
    example=say("IMPL-2 and IMPL-3 both modify src/app.ts and are independent."),
    remedy=say("Make one depend on the other, or split the file's changes differently."),
    inputs=(Input.INTENT, Input.PROGRESS),
)
def parallel_writes(facts: Facts) -> Iterator[Hit]:
    """Finds unordered open tasks that write the same file."""
    writers: dict[str, list[TaskId]] = defaultdict(list)
    for task in facts.work:
        if task.is_open:
            for path in facts.writes[task.id]:
                writers[path].append(task.id)
    told: dict[tuple[TaskId, TaskId], list[str]] = defaultdict(list)
    for path, tasks in writers.items():
        if len(tasks) > _CROWD:
            yield _crowd(path, tasks)
            continue
        for one, other in combinations(tasks, 2):
            if not facts.are_ordered(one, other):
                told[one, other].append(path)
    for (one, other), paths in told.items():
        yield Hit(
            say(
                "{one} and {other} both change {path}, and neither waits for the other.",
                one=one,
                other=other,
                path=", ".join(paths[:3]),
            ),
            other,
            one,
            level=Level.MEDIUM if _same_group(facts, one, other) else None,
        )


def _crowd(path: str, tasks: list[TaskId]) -> Hit:
    return Hit(
        say(
            "{count} tasks change {path}: {tasks} and others; see which wait for which.",
            count=len(tasks),
            path=path,
            tasks=", ".join(tasks[:3]),
        ),
        path,
    )


def _same_group(facts: Facts, one: TaskId, other: TaskId) -> bool:
    """Tells whether the plan says that two tasks may run at once."""
    for name in ("/meta/execution_group", "/parallel_group"):
        here = facts.plan.tasks[one].fields.get(name)
        if here is not None and here == facts.plan.tasks[other].fields.get(name):
            return True
    return False


@rule(
    "oversized-task",
    Dimension.FEASIBILITY,
    Level.LOW,
    finds=say("A task that is far larger than the others."),
    why=say("It is the one that is not finished in time, and hard to review."),
    example=say("IMPL-3 has 30 requirements and steps, the others have about five."),
    remedy=say("Split it: git wfp replan IMPL-N with a split operation."),
)
def oversized_task(facts: Facts) -> Iterator[Hit]:
    """Finds tasks of more than four times the usual size, and at least a dozen parts."""
    if len(facts.work) < _FEW:
        return
    sizes = {task.id: _size(facts, task) for task in facts.work}
    usual = sorted(sizes.values())[len(sizes) // 2]
    for task_id, size in sizes.items():
        if size >= _MANY_STEPS and size > 3 * max(usual, 2):
            yield Hit(
                say(
                    "{task} has {size} requirements, criteria, steps and files; "
                    "the others have about {usual}.",
                    task=task_id,
                    size=size,
                    usual=usual,
                ),
                "size",
                task_id,
            )


def _size(facts: Facts, task: Task) -> int:
    steps = task.fields.get(f.IMPLEMENTATION)
    return (
        len(task.texts(f.REQUIREMENTS))
        + len(task.texts(f.ACCEPTANCE))
        + (len(steps) if isinstance(steps, tuple) else 0)
        + len(facts.writes[task.id])
    )


@rule(
    "effort-mismatch",
    Dimension.FEASIBILITY,
    Level.LOW,
    finds=say("A task that is called small or simple and is not, or the other way round."),
    why=say("Whoever plans by that word plans wrong."),
    example=say('IMPL-2 says effort "small" and touches eleven files.'),
    remedy=say("Correct the effort, or cut the task."),
)
def effort_mismatch(facts: Facts) -> Iterator[Hit]:
    """Finds tasks whose stated effort does not fit their size."""
    for task in facts.work:
        word = " ".join(
            text.lower()
            for name in (f.EFFORT, "/meta/complexity", "/complexity")
            for text in strings(task.fields.get(name))
        )
        size = _size(facts, task)
        is_small = word in ("small", "low", "simple", "s", "xs", "trivial")
        is_large = word in ("large", "high", "complex", "l", "xl")
        if (is_small and size > 2 * _MANY_STEPS) or (is_large and size <= _FEW and size > 0):
            yield Hit(
                say(
                    "{task} is called {word}, and has {size} requirements, criteria, "
                    "steps and files.",
                    task=task.id,
                    word=word,
                    size=size,
                ),
                "effort",
                task.id,
                field=f.EFFORT,
            )


@rule(
    "too-many-tasks",
    Dimension.FEASIBILITY,
    Level.MEDIUM,
    finds=say("More open tasks than limits.max_tasks allows."),
    why=say("A plan that large is not read any more; replans would be refused."),
    example=say("A session with 14 open tasks, limit 10."),
    remedy=say("Split the session, merge tasks, or raise limits.max_tasks."),
    inputs=(Input.INTENT, Input.PROGRESS),
)
def too_many_tasks(facts: Facts) -> Iterator[Hit]:
    """Finds sessions over the limit."""
    count = len(facts.plan.open_tasks)
    if count > facts.max_tasks:
        yield Hit(
            say(
                "There are {count} open tasks (limit: {limit}).",
                count=count,
                limit=facts.max_tasks,
            ),
            "count",
        )
