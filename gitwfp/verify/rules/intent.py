"""Dimension A: the plan does what the user wants, all of it and nothing else."""

from collections import Counter
from collections.abc import Iterator

from gitwfp.errors import say
from gitwfp.model import fields as f
from gitwfp.model.findings import Dimension, Level
from gitwfp.model.plan import Place
from gitwfp.verify import texts
from gitwfp.verify.facts import Facts
from gitwfp.verify.notes import Note
from gitwfp.verify.rule import Hit, rule

# What every plan wants of itself; no task has to say it.
_GENERAL = frozenset[str]().union(
    *map(
        texts.terms,
        (
            "performance maintained improved regression bugs issues quality documentation docs",
            "all tests pass passing build succeeds green review production stable stability",
            "性能 质量 文档 测试通过 回归 新增 缺陷 稳定 构建 成功 更新",
        ),
    )
)


@rule(
    "goal-without-task",
    Dimension.INTENT,
    Level.CRITICAL,
    finds=say("No task is about what the goal says."),
    why=say("The plan can be carried out in full and the goal is not reached."),
    example=say('The goal is "Export invoices as PDF"; all tasks are about signing in.'),
    remedy=say("Add a task for the goal, or correct the goal."),
)
def goal_without_task(facts: Facts) -> Iterator[Hit]:
    """Finds goals of which not one word comes up in any task."""
    goals = [wanted for goal in facts.goals if len(wanted := texts.terms(goal)) >= 2]
    if not goals or not facts.work:
        return
    held = frozenset[str]().union(*(facts.terms[task.id] for task in facts.work))
    if len(held) < 3 or any(_same_script(goal, held) and goal & held for goal in goals):
        return
    if any(_same_script(goal, held) for goal in goals):
        yield Hit(
            say("No task is about the goal: {goal}", goal=texts.short(facts.goals[0])),
            "goal",
            path=facts.notes.goals[0].path if facts.notes.goals else None,
            line=facts.notes.goals[0].line if facts.notes.goals else None,
        )


@rule(
    "task-outside-goal",
    Dimension.INTENT,
    Level.HIGH,
    finds=say("A task serves nothing that the goal, the plan or another task speaks of."),
    why=say("Work that nobody asked for costs time and review, and hides what was asked for."),
    example=say("In a plan for invoices, one task rewrites the login page."),
    remedy=say("Remove the task, or say in the goal or scope what it is for."),
)
def task_outside_goal(facts: Facts) -> Iterator[Hit]:
    """Finds tasks that share no word with anything else in the plan and hang on no other task."""
    if len(facts.work) < 3 or facts.plan.ref.place is Place.LITE:
        return
    hits = list(_strangers(facts))
    # Where many tasks seem strange, it is the goal that is said in too few words.
    if len(hits) * 4 <= len(facts.work) or len(hits) == 1:
        yield from hits


def _strangers(facts: Facts) -> Iterator[Hit]:
    wanted = frozenset[str]().union(
        *map(texts.terms, facts.goals),
        *(texts.terms(note.text) for note in (*facts.notes.scopes, *facts.plan_notes.scopes)),
        *(texts.terms(note.text) for note in (*facts.notes.constraints, *facts.plan_notes.goals)),
        *(texts.terms(note.text) for note in facts.criteria),
        *(texts.terms(note.text) for one in facts.requirements for note in one.notes),
    )
    if len(wanted) < 4:
        return
    needed = {on for targets in facts.edges.values() for on in targets}
    counts = Counter(term for task in facts.work for term in facts.terms[task.id])
    for task in facts.work:
        title = texts.terms(task.title)
        about = frozenset[str]().union(title, *map(texts.terms, task.texts(f.REQUIREMENTS)))
        if len(title) < 2 or not _same_script(about, wanted) or facts.named[task.id]:
            continue
        paths = frozenset(part for path in task.texts(f.FOCUS_PATHS) for part in texts.terms(path))
        alone = task.id not in needed and not facts.edges[task.id]
        if about & wanted or paths & wanted:
            continue
        own = facts.terms[task.id]
        others = frozenset(term for term in title if counts[term] > (term in own))
        near = texts.share(title, others)
        if alone and near <= 0.5:
            yield Hit(
                say("Task {task} serves nothing in goal and scope.", task=task.id),
                "task",
                task=task.id,
                field=f.TITLE,
            )
        elif near == 0.0:
            yield Hit(
                say("Task {task} serves nothing in goal and scope.", task=task.id),
                "task",
                task=task.id,
                field=f.TITLE,
                level=Level.MEDIUM,
            )


@rule(
    "success-criterion-untouched",
    Dimension.INTENT,
    Level.HIGH,
    finds=say("A success criterion of the whole that no task works towards."),
    why=say("When all tasks are done, the whole is still not."),
    example=say('IMPL_PLAN.md wants "audit log kept for 90 days"; no task speaks of a log.'),
    remedy=say("Add it to the acceptance of a task, or take the criterion away."),
)
def success_criterion_untouched(facts: Facts) -> Iterator[Hit]:
    """Finds success criteria none of whose words come up in any task."""
    if not facts.work:
        return
    held = frozenset[str]().union(*(facts.terms[task.id] for task in facts.live))
    for note in facts.criteria:
        wanted = texts.terms(note.text)
        wanted -= _GENERAL
        if len(wanted) < 2 or not _same_script(wanted, held) or wanted & held:
            continue
        yield Hit(
            say("No task works towards the success criterion: {text}", text=texts.short(note.text)),
            note.text,
            path=note.path,
            line=note.line,
            level=None if any(sign.isdigit() for sign in note.text) else Level.MEDIUM,
        )


@rule(
    "excluded-but-planned",
    Dimension.INTENT,
    Level.CRITICAL,
    finds=say("A task does what the plan says is out of scope."),
    why=say("The user has said that this is not wanted."),
    example=say('Out of scope: "mobile app". IMPL-4: "Build the mobile app".'),
    remedy=say("Remove it from the task, or from what is out of scope."),
)
def excluded_but_planned(facts: Facts) -> Iterator[Hit]:
    """Finds tasks one of whose statements is about all that an exclusion is about."""
    for note in facts.excluded:
        hit = planned(facts, note)
        if hit is not None:
            task, said = hit
            yield Hit(
                say(
                    "{task} does what is out of scope: {text}. It says: {said}",
                    task=task,
                    text=texts.short(note.text),
                    said=texts.short(said),
                ),
                note.text,
                task=task,
            )


def planned(facts: Facts, note: Note) -> tuple[str, str] | None:
    """Finds a task that plans what a note says is not to be done now.

    Returns:
        The task and the words by which it does, or None.
    """
    # What stands in brackets or behind a dash says why; the thing itself comes first.
    first = texts.clauses(note.text)
    wanted = first[0].terms if first else frozenset()
    if not wanted or (len(wanted) < 2 and len(note.text) > 30):
        return None
    for task in facts.work:
        for sentence in facts.sentences[task.id]:
            for said in texts.clauses(sentence):
                if said.forbids or not wanted <= said.terms:
                    continue
                # One word alone must be most of what the clause is about.
                if len(wanted) >= 2 or len(said.terms) <= 2:
                    return task.id, said.text
    return None


def _same_script(one: frozenset[str], other: frozenset[str]) -> bool:
    """Tells whether two sets of terms are of one script, so that they could share a word."""
    return texts.is_wide(one) == texts.is_wide(other)
