"""Dimension C: every file can be read, and is what its name says."""

from collections.abc import Iterator

from gitwfp.errors import Severity, say
from gitwfp.files.conflictrecords import KEY, is_recorded, marked_line
from gitwfp.model import fields as f
from gitwfp.model.findings import Dimension, Level
from gitwfp.model.plan import SESSION_JSON
from gitwfp.model.task import TaskId, read_status
from gitwfp.verify.facts import Facts, names_id
from gitwfp.verify.rule import Hit, Input, rule


@rule(
    "unreadable-file",
    Dimension.CONSISTENCY,
    Level.CRITICAL,
    finds=say("A plan file that cannot be understood: no JSON, marks of a merge, not UTF-8."),
    why=say("What it says is lost for every tool and every agent that reads the plan."),
    example=say(".task/IMPL-2.json ends in the middle of a string."),
    remedy=say("Put the file right, or restore it with git."),
)
def unreadable_file(facts: Facts) -> Iterator[Hit]:
    """Finds plan files that could not be read."""
    for problem in facts.plan.problems:
        if problem.severity is Severity.ERROR and problem.code != "duplicate-task-id":
            where = problem.location
            yield Hit(
                problem.message,
                where.path or "",
                path=where.path,
                line=where.line,
                advice=problem.hint,
            )


@rule(
    "duplicate-task-id",
    Dimension.CONSISTENCY,
    Level.CRITICAL,
    finds=say("Two files that hold a task of the same id."),
    why=say("Only one of them would be carried out, and nobody can tell which."),
    example=say("Two branches each added IMPL-12, in files of different names."),
    remedy=say("Give one of the two tasks an id of its own."),
)
def duplicate_task_id(facts: Facts) -> Iterator[Hit]:
    """Finds ids that two files claim, also where they differ in case or padding alone."""
    for problem in facts.plan.problems:
        if problem.code == "duplicate-task-id":
            where = problem.location
            yield Hit(problem.message, where.path or "", where.task, where.path)
    seen: dict[tuple[object, ...], TaskId] = {}
    from gitwfp.model.task import id_key

    for task_id in facts.plan.tasks:
        other = seen.setdefault(id_key(task_id), task_id)
        if other != task_id:
            yield Hit(
                say("The ids {one} and {other} name the same task.", one=other, other=task_id),
                f"{other} {task_id}",
                task_id,
            )


@rule(
    "unresolved-conflict",
    Dimension.CONSISTENCY,
    Level.CRITICAL,
    finds=say("A conflict of a merge that is recorded in a plan file and not decided yet."),
    why=say("Two people want different things, and the plan holds both."),
    example=say("IMPL-2 has two titles since a merge of two branches."),
    remedy=say("Decide on a value and take the record of the conflict away."),
)
def unresolved_conflict(facts: Facts) -> Iterator[Hit]:
    """Finds what the merge driver has left to be decided."""
    plan = facts.plan
    for task in plan.tasks.values():
        if is_recorded(task.fields):
            yield Hit(say("Task {task} holds a conflict of a merge.", task=task.id), KEY, task.id)
    if is_recorded(plan.session):
        yield _undecided(facts, SESSION_JSON, None)
    for name, document in plan.documents.items():
        line = marked_line(document.lines) if f.LINES in document.parts else None
        if line is not None or is_recorded(document.parts):
            yield _undecided(facts, name, line)


def _undecided(facts: Facts, name: str, line: int | None) -> Hit:
    return Hit(
        say("{document} holds a conflict of a merge.", document=name),
        f"{KEY} {name}",
        path=facts.path(name),
        line=line,
    )


@rule(
    "unknown-status",
    Dimension.CONSISTENCY,
    Level.MEDIUM,
    finds=say("A task with a status that nobody knows."),
    why=say("Tools take it for pending, whatever it was to say."),
    example=say('IMPL-2 has the status "almost".'),
    remedy=say("Use pending, in_progress, completed, failed, blocked, skipped or cancelled."),
    inputs=(Input.PROGRESS,),
)
def unknown_status(facts: Facts) -> Iterator[Hit]:
    """Finds words of status that mean nothing."""
    for task in facts.plan.tasks.values():
        word = task.fields.get(f.STATUS)
        if word is not None and read_status(word) is None:
            yield Hit(
                say("Task {task} has the unknown status '{word}'.", task=task.id, word=word),
                "status",
                task.id,
                field=f.STATUS,
            )


@rule(
    "id-differs-from-file",
    Dimension.CONSISTENCY,
    Level.MEDIUM,
    finds=say("A task file that is named after another id than its own."),
    why=say("Tools that go by the name of the file find another task, or none."),
    example=say("IMPL-3.json holds the task IMPL-5."),
    remedy=say("Rename the file, or correct the id."),
)
def id_differs_from_file(facts: Facts) -> Iterator[Hit]:
    """Finds task files whose name does not begin with the task's id."""
    from gitwfp.model.task import id_key

    for task in facts.plan.tasks.values():
        if task.origin is None or task.origin.index is not None:
            continue
        stem = task.origin.path.rpartition("/")[2].removesuffix(".json")
        if stem.lower().startswith(task.id.lower()):
            continue
        if names_id(stem.lower(), task.id.lower()) or id_key(stem) == id_key(task.id):
            continue
        others = [other for other in facts.plan.tasks if id_key(other) == id_key(stem)]
        yield Hit(
            say("{file} holds the task {task}.", file=stem + ".json", task=task.id),
            "file",
            task.id,
            level=Level.HIGH if others else None,
        )
