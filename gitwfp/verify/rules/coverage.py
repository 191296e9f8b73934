"""Dimension B: every requirement has a task, every task a requirement."""

from collections.abc import Iterator

from gitwfp.errors import say
from gitwfp.model import fields as f
from gitwfp.model.findings import Dimension, Level
from gitwfp.patterns import regex
from gitwfp.verify import texts
from gitwfp.verify.facts import Facts
from gitwfp.verify.requirements import mentions
from gitwfp.verify.rule import Hit, rule

_MEASURED = regex(r"\d|\b(?:all|every|each|none|no|zero|never|always)\b|所有|每|全部|零|无|不")


@rule(
    "requirement-uncovered",
    Dimension.COVERAGE,
    Level.CRITICAL,
    finds=say("A requirement that no task names and none matches."),
    why=say("It would be forgotten without anybody having decided that."),
    example=say("planning-notes.md states FR-3; no task names FR-3 or says what it says."),
    remedy=say("Name it in the task that covers it, or add one: git wfp replan."),
)
def requirement_uncovered(facts: Facts) -> Iterator[Hit]:
    """Finds requirements with an id that no task covers."""
    if not facts.work:
        return
    for one in facts.requirements:
        if facts.covering[one.id] or one.is_later:
            continue
        note = one.notes[0]
        yield Hit(
            say("No task covers {id}: {text}", id=one.id, text=texts.short(note.text)),
            one.id,
            path=note.path,
            line=note.line,
            level=Level.HIGH if one.is_quality else None,
        )


@rule(
    "requirement-unknown",
    Dimension.COVERAGE,
    Level.MEDIUM,
    finds=say("A requirement that a task names and no document states."),
    why=say("What the task is for can be looked up nowhere."),
    example=say("IMPL-5 names FR-77; the requirements end with FR-12."),
    remedy=say("Correct the id, or state the requirement."),
)
def requirement_unknown(facts: Facts) -> Iterator[Hit]:
    """Finds ids that tasks name, of a kind that the documents number, and that these lack."""
    stated = {one.id for one in facts.requirements}
    kinds = {name.partition("-")[0] for name in stated}
    spoken = mentions("\n".join(line for lines in facts.documents for line in lines))
    for task in facts.work:
        for name in sorted(facts.named[task.id] - stated - spoken):
            if name.partition("-")[0] in kinds:
                yield Hit(
                    say("Task {task} names {id}, which is stated nowhere.", task=task.id, id=name),
                    name,
                    task.id,
                )


@rule(
    "task-without-requirement",
    Dimension.COVERAGE,
    Level.MEDIUM,
    finds=say("A task that maps to no requirement, in a plan whose other tasks do."),
    why=say("Either a requirement was forgotten in the list, or the task is not needed."),
    example=say("Nine tasks name the requirement they are for, IMPL-10 names none."),
    remedy=say("Name the requirement in the task, or remove the task."),
)
def task_without_requirement(facts: Facts) -> Iterator[Hit]:
    """Finds tasks that name no requirement where most of them do."""
    if len(facts.requirements) < 2 or len(facts.work) < 3:
        return
    covers = {task for tasks in facts.covering.values() for task in tasks}
    naming = [task for task in facts.work if facts.named[task.id]]
    if len(naming) * 2 <= len(facts.work):
        return
    for task in facts.work:
        if task.id not in covers and not facts.named[task.id]:
            yield Hit(say("Task {task} maps to no requirement.", task=task.id), "task", task.id)


@rule(
    "quality-without-acceptance",
    Dimension.COVERAGE,
    Level.HIGH,
    finds=say("A non-functional requirement whose tasks accept nothing that could be measured."),
    why=say("Nobody can tell whether it is met."),
    example=say("IMPL-2 names NFR-1 (answers within 200 ms); its acceptance speaks of no time."),
    remedy=say("Add a criterion with a number to the acceptance of the task."),
)
def quality_without_acceptance(facts: Facts) -> Iterator[Hit]:
    """Finds non-functional requirements that no covering task's acceptance takes up."""
    for one in facts.requirements:
        tasks = facts.covering[one.id]
        if not one.is_quality or not tasks:
            continue
        wanted = texts.terms(one.notes[0].text)
        accepted = [text for task in tasks for text in facts.plan.tasks[task].texts(f.ACCEPTANCE)]
        if any(_MEASURED.search(text) and texts.terms(text) & wanted for text in accepted):
            continue
        if any(one.id in mentions(text) for text in accepted):
            continue
        task = min(tasks)
        yield Hit(
            say("The acceptance of {task} does not measure {id}.", task=task, id=one.id),
            one.id,
            task=task,
            field=f.ACCEPTANCE,
        )
