"""Dimension D: tasks wait for what they need, and for nothing else."""

from collections.abc import Iterator

from gitwfp.errors import say, say_n
from gitwfp.model import fields as f
from gitwfp.model.findings import Dimension, Level
from gitwfp.model.plan import Place
from gitwfp.model.task import Status, TaskId
from gitwfp.verify import consistency
from gitwfp.verify.facts import Facts
from gitwfp.verify.rule import Hit, Input, rule

_PLACEHOLDER = "CROSS::"


@rule(
    "circular-dependency",
    Dimension.DEPENDENCIES,
    Level.CRITICAL,
    finds=say("Tasks that wait for one another in a circle."),
    why=say("None of them can ever start."),
    example=say("IMPL-1 depends on IMPL-2, IMPL-2 on IMPL-1."),
    remedy=say("Take one of these dependencies away."),
)
def circular_dependency(facts: Facts) -> Iterator[Hit]:
    """Finds one circle for each knot of tasks."""
    for finding in consistency.cycles(facts.plan):
        yield Hit(finding.message, finding.subject, finding.location.task, field=f.DEPENDS_ON)


@rule(
    "dangling-dependency",
    Dimension.DEPENDENCIES,
    Level.CRITICAL,
    finds=say("A dependency on a task that does not exist."),
    why=say("The task that has it can never start, or starts too early."),
    example=say("IMPL-3 depends on IMPL-9; there is no IMPL-9."),
    remedy=say("Correct the id or remove the dependency."),
)
def dangling_dependency(facts: Facts) -> Iterator[Hit]:
    """Finds edges that lead nowhere; place holders between modules have a rule of their own."""
    for finding in consistency.dangling(facts.plan):
        is_hidden = facts.is_unreadable(finding.subject)
        if not finding.subject.startswith(_PLACEHOLDER) and not is_hidden:
            yield Hit(
                finding.message,
                finding.subject,
                finding.location.task,
                field=f.DEPENDS_ON,
                advice=finding.recommendation,
            )


@rule(
    "unresolved-placeholder",
    Dimension.DEPENDENCIES,
    Level.MEDIUM,
    finds=say("A place holder for a task of another module that was never filled in."),
    why=say("Nobody knows which task is meant, so the order is not known."),
    example=say("IMPL-B1 depends on CROSS::A::login."),
    remedy=say("Put the id of the task in its place."),
)
def unresolved_placeholder(facts: Facts) -> Iterator[Hit]:
    """Finds dependencies that begin with CROSS::."""
    for task in facts.live:
        for on in task.depends_on:
            if on.startswith(_PLACEHOLDER):
                yield Hit(
                    say("Task {task} depends on the place holder {on}.", task=task.id, on=on),
                    on,
                    task.id,
                    field=f.DEPENDS_ON,
                )


@rule(
    "done-before-its-dependency",
    Dimension.DEPENDENCIES,
    Level.HIGH,
    finds=say("A completed task that depends on one which is not."),
    why=say("Either it was not done, or it does not depend on that."),
    example=say("IMPL-3 is completed; IMPL-2, which it depends on, is pending."),
    remedy=say("Correct the status, or remove the dependency."),
    inputs=(Input.INTENT, Input.PROGRESS),
)
def done_before_its_dependency(facts: Facts) -> Iterator[Hit]:
    """Finds completed tasks above open ones."""
    tasks = facts.plan.tasks
    # Nobody writes the statuses of lite tasks, so one that is missing says nothing.
    if facts.plan.ref.place is Place.LITE:
        return
    for task in facts.work:
        if task.status is not Status.COMPLETED:
            continue
        waiting = [on for on in facts.edges[task.id] if tasks[on].is_open]
        if waiting:
            yield Hit(
                say_n(
                    "{task} is completed, and {on}, which it depends on, is not.",
                    "{task} is completed, and {on}, which it depends on, are not.",
                    len(waiting),
                    task=task.id,
                    on=", ".join(waiting),
                ),
                " ".join(waiting),
                task.id,
                field=f.STATUS,
            )


@rule(
    "waits-for-what-is-gone",
    Dimension.DEPENDENCIES,
    Level.HIGH,
    finds=say("An open task that depends on one which was cancelled or discarded."),
    why=say("What it waits for will never come."),
    example=say("IMPL-4 depends on IMPL-2, which is cancelled."),
    remedy=say("Remove the dependency, or name what takes the place of that task."),
    inputs=(Input.INTENT, Input.PROGRESS),
)
def waits_for_what_is_gone(facts: Facts) -> Iterator[Hit]:
    """Finds dependencies of open tasks on tasks that nobody is going to do."""
    gone = (Status.CANCELLED, Status.DISCARDED)
    for task in facts.work:
        for on in facts.edges[task.id]:
            if task.is_open and facts.plan.tasks[on].status in gone:
                yield Hit(
                    say(
                        "{task} waits for {on}, which is not going to be done.", task=task.id, on=on
                    ),
                    on,
                    task.id,
                    field=f.DEPENDS_ON,
                )


@rule(
    "used-before-made",
    Dimension.DEPENDENCIES,
    Level.HIGH,
    finds=say("A task that changes a file which another one makes, without waiting for it."),
    why=say("If it comes first, there is no such file yet."),
    example=say("IMPL-2 creates src/auth/token.ts; IMPL-1 modifies it and comes before."),
    remedy=say("Add the dependency on the task that makes the file."),
    inputs=(Input.INTENT, Input.TREE),
)
def used_before_made(facts: Facts) -> Iterator[Hit]:
    """Finds files that one task makes and an unordered one changes or consumes."""
    makers: dict[str, TaskId] = {}
    for task in facts.work:
        for path in facts.creates[task.id]:
            makers.setdefault(path, task.id)
        for path in task.texts("/outputs"):
            makers.setdefault(path, task.id)
    for task in facts.work:
        used = (*facts.writes[task.id], *task.texts("/inputs"))
        for path in dict.fromkeys(used):
            maker = makers.get(path)
            if maker is None or maker == task.id or path in facts.creates[task.id]:
                continue
            if maker not in facts.reach.get(task.id, ()):
                is_reversed = task.id in facts.reach.get(maker, ())
                yield Hit(
                    say(
                        "{task} uses {path}, which {maker} makes, and does not wait for it.",
                        task=task.id,
                        path=path,
                        maker=maker,
                    ),
                    f"{path} {maker}",
                    task.id,
                    field=f.DEPENDS_ON,
                    level=None if is_reversed or not facts.exists(path) else Level.MEDIUM,
                )


@rule(
    "order-against-dependencies",
    Dimension.DEPENDENCIES,
    Level.LOW,
    finds=say("A task that plan.json lists before one it depends on."),
    why=say("Who works in the order of the list comes to it too early."),
    example=say("task_ids: IMPL-2, IMPL-1; IMPL-2 depends on IMPL-1."),
    remedy=say("Reorder the tasks: git wfp replan --from with a reorder operation."),
)
def order_against_dependencies(facts: Facts) -> Iterator[Hit]:
    """Finds tasks whose place in the plan's order comes before that of a dependency."""
    place = {task_id: at for at, task_id in enumerate(facts.plan.order)}
    knotted = {
        member
        for finding in consistency.cycles(facts.plan)
        for member in finding.subject.split(" ")
    }
    for task in facts.work:
        for on in facts.edges[task.id]:
            if place[on] > place[task.id] and not {task.id, on} & knotted:
                yield Hit(
                    say("{task} comes before {on}, which it depends on.", task=task.id, on=on),
                    on,
                    task.id,
                    field=f.DEPENDS_ON,
                )


@rule(
    "redundant-dependency",
    Dimension.DEPENDENCIES,
    Level.LOW,
    finds=say("A dependency that follows from the others."),
    why=say("It says nothing, and has to be changed whenever the others are."),
    example=say("IMPL-3 depends on IMPL-1 and IMPL-2; IMPL-2 depends on IMPL-1."),
    remedy=say("It can go."),
)
def redundant_dependency(facts: Facts) -> Iterator[Hit]:
    """Finds edges that a longer way makes needless."""
    for task in facts.work:
        targets = facts.edges[task.id]
        if task.id in facts.reach.get(task.id, ()):
            continue
        for on in targets:
            by_way_of = next(
                (other for other in targets if other != on and on in facts.reach.get(other, ())),
                None,
            )
            if by_way_of is not None and by_way_of not in facts.reach.get(on, ()):
                yield Hit(
                    say(
                        "{task} depends on {on} by way of {other} already.",
                        task=task.id,
                        on=on,
                        other=by_way_of,
                    ),
                    on,
                    task.id,
                    field=f.DEPENDS_ON,
                )
