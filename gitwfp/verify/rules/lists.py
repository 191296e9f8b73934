"""Dimension C: the lists of tasks name the tasks there are."""

from collections.abc import Iterator, Mapping

from gitwfp.errors import say
from gitwfp.files import todolist
from gitwfp.files.markdown import read_outline
from gitwfp.model.findings import Dimension, Level
from gitwfp.model.plan import IMPL_PLAN, TODO_LIST, Place
from gitwfp.model.task import IdIndex, TaskId
from gitwfp.patterns import regex
from gitwfp.verify import consistency
from gitwfp.verify.facts import Facts
from gitwfp.verify.rule import Hit, rule


@rule(
    "task-not-listed",
    Dimension.CONSISTENCY,
    Level.MEDIUM,
    finds=say("A task without a line in TODO_LIST.md."),
    why=say("Who works through the list does not get to it."),
    example=say("IMPL-4.json is there; the list ends with IMPL-3."),
    remedy=say("Add a line for it to the list."),
)
def task_not_listed(facts: Facts) -> Iterator[Hit]:
    """Finds tasks that the list leaves out."""
    is_lite = facts.plan.ref.place is Place.LITE
    if TODO_LIST not in facts.plan.documents and len(facts.live) > 1 and not is_lite:
        yield Hit(
            say("There is no {document}.", document=TODO_LIST), "list", path=facts.path(TODO_LIST)
        )
    for finding in consistency.todo_drift(facts.plan):
        if finding.rule == "task-not-listed":
            where = finding.location
            yield Hit(finding.message, "line", where.task, where.path)
    headed = [TaskId(name) for name in _headed(facts)]
    ids = IdIndex(headed)
    for task in facts.live if headed else ():
        if ids.find(task.id) is None:
            yield Hit(
                say("Task {task} has no line in {document}.", task=task.id, document=TODO_LIST),
                "line",
                task.id,
                facts.path(TODO_LIST),
            )


@rule(
    "listed-without-task",
    Dimension.CONSISTENCY,
    Level.MEDIUM,
    finds=say("A line of TODO_LIST.md for a task that does not exist."),
    why=say("Who works through the list has nothing to work by."),
    example=say("The list names IMPL-9; there is no IMPL-9.json."),
    remedy=say("Strike the line, or add the task."),
)
def listed_without_task(facts: Facts) -> Iterator[Hit]:
    """Finds lines of the list without a task."""
    for finding in consistency.todo_drift(facts.plan):
        where = finding.location
        if finding.rule == "listed-without-task" and not facts.is_unreadable(where.task or ""):
            yield Hit(finding.message, "line", where.task, where.path)
    ids = IdIndex(facts.plan.tasks)
    for name, at in _headed(facts).items():
        if ids.find(name) is None and not facts.is_unreadable(name):
            yield Hit(
                say(
                    "{document} lists {task}, which does not exist.", document=TODO_LIST, task=name
                ),
                "line",
                name,
                facts.path(TODO_LIST),
                at + 1,
            )


def _headed(facts: Facts) -> Mapping[str, int]:
    """Returns the tasks that a list without items names in headings, by line; none otherwise."""
    document, tasks = facts.plan.documents.get(TODO_LIST), facts.plan.tasks
    if document is None or todolist.has_task_lines(document.lines, tuple(tasks)):
        return {}
    outline, ids = read_outline(document.lines), IdIndex(tasks)
    found: dict[str, int] = {}
    for heading in outline.headings:
        form = _HEADED.match(heading.text)
        if form is not None:
            found.setdefault(form["id"], heading.line)
    # Only where most tasks have one is it the list of them.
    return found if sum(ids.find(name) is not None for name in found) * 2 > len(tasks) else {}


_HEADED = regex(r"(?:\*\*|`|\[)*(?P<id>IMPL-[A-Z]?\d+(?:\.\d+)*)(?![\w.-])")
_PLANNED = regex(
    r"[ \t]*(?:#{2,6}[ \t]+|[-*+][ \t]+(?:\[[ xX]?\][ \t]+)?|\|[ \t]*)(?:\*\*|`|\[)*"
    r"(?P<id>IMPL-[A-Z]?\d+(?:\.\d+)*)(?![\w.-])(?!\s*(?:to|-|–|~|至|到)\s*IMPL).*"
)


@rule(
    "planned-without-task",
    Dimension.CONSISTENCY,
    Level.MEDIUM,
    finds=say("A task that IMPL_PLAN.md plans and that does not exist."),
    why=say("Who reads the plan counts on work that nobody is going to do."),
    example=say("IMPL_PLAN.md has a heading for IMPL-6; there is no IMPL-6.json."),
    remedy=say("Add the task, or take it out of the plan."),
)
def planned_without_task(facts: Facts) -> Iterator[Hit]:
    """Finds headings, items and rows of the plan for ids that no task has."""
    lines = facts.impl_plan or ()
    outline, ids = read_outline(lines), IdIndex(facts.plan.tasks)
    found: dict[str, int] = {}
    for at, line in enumerate(lines):
        form = _PLANNED.fullmatch(line) if outline.is_text[at] and "~~" not in line else None
        if form is not None:
            found.setdefault(form["id"], at)
    is_listing = sum(ids.find(name) is not None for name in found) * 2 >= len(facts.plan.tasks)
    for name, at in found.items():
        # IMPL-1.2 below a task IMPL-1 is one of its details.
        is_detail = any(
            ids.find(name.rsplit(".", depth)[0]) is not None
            for depth in range(1, name.count(".") + 1)
        )
        is_there = ids.find(name) is not None or is_detail or facts.is_unreadable(name)
        if is_listing and not is_there:
            yield Hit(
                say("IMPL_PLAN.md plans {task}, which does not exist.", task=name),
                name,
                path=facts.path(IMPL_PLAN),
                line=at + 1,
            )
