"""Structural forms as operations: ids resolved, items sorted into a new task's fields."""

from typing import assert_never

from gitwfp.errors import say
from gitwfp.model import fields as f
from gitwfp.model.plan import Plan
from gitwfp.model.task import TaskId
from gitwfp.policy.operations import (
    CreateTask,
    DeleteTask,
    MergeTasks,
    Operation,
    Part,
    ReorderTask,
    SplitTask,
)
from gitwfp.policy.reasons import Because
from gitwfp.policy.request.forms import Delete, Form, Merge, Move, Split
from gitwfp.policy.request.grammar import Unclear
from gitwfp.policy.request.mentions import Masked, Mention
from gitwfp.policy.request.needs import Needs
from gitwfp.policy.request.newtask import Create
from gitwfp.policy.request.pathwords import KnownPaths, paths_in
from gitwfp.policy.request.phrases import Added, Phrase, is_special, plain_requirement, read_phrase
from gitwfp.policy.request.replacing import Removed, Replaced
from gitwfp.policy.tasks import required_task


def operations_of(
    masked: Masked,
    form: Form,
    plan: Plan,
    this: TaskId | None,
    words: str,
    known: KnownPaths,
    tools: tuple[str, ...],
) -> tuple[Operation, ...] | Unclear:
    """Turns a structural form into operations.

    Args:
        masked: The request.
        form: The form.
        plan: The plan.
        this: The task that the request is about, if it is about one.
        words: The statement as it was written.
        known: Which paths the tree has.
        tools: The tools that may execute tasks.

    Raises:
        Refusal: It names a task that is not there (not found).
    """
    match form:
        case Create():
            return _create(masked, form, plan, words, known, tools)
        case Delete():
            reason = form.why or Because(say("the request deletes it"))
            return tuple(
                DeleteTask(task=task, reason=reason, words=words)
                for task in _tasks(plan, form.tasks, this)
            )
        case Merge():
            return _merge(form, plan, this, words)
        case Split():
            return _split(masked, form, plan, this, words, known, tools)
        case Move():
            return _move(form, plan, this, words)
        case _:
            assert_never(form)


def _tasks(plan: Plan, named: tuple[Mention, ...], this: TaskId | None) -> tuple[TaskId, ...]:
    if not named and this is not None:
        return (this,)
    return tuple(required_task(plan, each.task or each.words).id for each in named)


def _merge(
    form: Merge, plan: Plan, this: TaskId | None, words: str
) -> tuple[Operation, ...] | Unclear:
    own = (this,) if form.with_this and this is not None else ()
    tasks = tuple(dict.fromkeys((*own, *_tasks(plan, form.tasks, None))))
    if len(tasks) < 2:
        return Unclear(say("A merge needs two tasks or more."))
    title = form.title
    if form.into is not None:
        title = required_task(plan, form.into.task or form.into.words).title
    return (
        MergeTasks(
            tasks=tasks, title=title, reason=Because(say("the request merges them")), words=words
        ),
    )


def _split(
    masked: Masked,
    form: Split,
    plan: Plan,
    this: TaskId | None,
    words: str,
    known: KnownPaths,
    tools: tuple[str, ...],
) -> tuple[Operation, ...] | Unclear:
    (task,) = _tasks(plan, form.tasks, this)
    if any(is_special(masked, title, known, tools) for title, _ in form.parts):
        return Unclear(say("The parts of the split are not clear."))
    return (
        SplitTask(
            task=task,
            parts=tuple(Part(title=title, requirements=said) for title, said in form.parts),
            order="parallel" if form.in_parallel else "chain",
            reason=Because(say("the request splits it")),
            words=words,
        ),
    )


def _move(
    form: Move, plan: Plan, this: TaskId | None, words: str
) -> tuple[Operation, ...] | Unclear:
    (task,) = _tasks(plan, form.tasks, this)
    (anchor,) = _tasks(plan, (form.anchor,), None)
    if task == anchor:
        return Unclear(say("A task cannot be moved before or behind itself."))
    before = anchor
    if form.behind:
        others = [each for each in plan.order if each != task]
        following = others[others.index(anchor) + 1 :]
        if not following:
            return Unclear(say("Say which task it is to stand before; it cannot go to the end."))
        before = following[0]
    return (
        ReorderTask(
            task=task, before=before, reason=Because(say("the request moves it")), words=words
        ),
    )


def _create(
    masked: Masked,
    form: Create,
    plan: Plan,
    words: str,
    known: KnownPaths,
    tools: tuple[str, ...],
) -> tuple[Operation, ...] | Unclear:
    if form.id is not None and form.id.task is not None:
        return Unclear(say("There is a task {task} already.", task=form.id.task))
    if any(form.said):
        made: list[Operation] = []
        for title, said in zip(form.titles, form.said, strict=True):
            one = Create((title,), (said,) if said else (), (), form.after, form.needs)
            created = _create(masked, one, plan, words, known, tools)
            if isinstance(created, Unclear):
                return created
            made.extend(created)
        return tuple(made)
    paths = [path for title in form.titles for path in paths_in(title, known)]
    lists: dict[str, list[str]] = {f.REQUIREMENTS: [], f.ACCEPTANCE: [], f.FOCUS_PATHS: paths}
    needs = [*_tasks(plan, form.needs, None)]
    for item in form.items:
        for phrase in _as_asked(masked, item, known, tools):
            if isinstance(phrase, Added) and phrase.field in lists:
                lists[phrase.field].extend(phrase.texts)
            elif isinstance(phrase, Needs) and phrase.add and not phrase.remove:
                needs.extend(_tasks(plan, phrase.add, None))
            elif isinstance(phrase, Unclear):
                return phrase
            else:
                return Unclear(say("It says of a new task what a new task cannot have yet."))
    after = _tasks(plan, (form.after,), None)[0] if form.after is not None else None
    return tuple(
        CreateTask(
            title=title,
            id=form.id.words if form.id is not None else None,
            requirements=tuple(dict.fromkeys(lists[f.REQUIREMENTS])),
            acceptance=tuple(dict.fromkeys(lists[f.ACCEPTANCE])),
            focus_paths=tuple(dict.fromkeys(lists[f.FOCUS_PATHS])),
            depends_on=tuple(dict.fromkeys(needs)),
            after=after,
            reason=Because(say("the request adds it")),
            words=words,
        )
        for title in form.titles
    )


def _as_asked(
    masked: Masked, item: str, known: KnownPaths, tools: tuple[str, ...]
) -> tuple[Phrase, ...]:
    """Reads what a new task asks for: there is nothing in it yet to remove or to replace."""
    said = read_phrase(masked, item, known, tools)
    if any(isinstance(phrase, Removed | Replaced) for phrase in said):
        return plain_requirement(masked, item, known)
    return said
