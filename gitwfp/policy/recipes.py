"""Recipes: each operation as a pure function from a plan to the plan that is wanted.

A recipe changes tasks (and the session's title) only. What follows from that for lists,
overviews and histories is derived afterwards by `gitwfp.policy.bookkeeping`, once for all.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import assert_never

from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, say
from gitwfp.model import fields as f
from gitwfp.model.graph import dependents_of, edges_of
from gitwfp.model.plan import Plan, Shape
from gitwfp.model.prose import sentences
from gitwfp.model.task import Status, Task, TaskId, find_id, id_key, is_task_id, with_field
from gitwfp.model.values import Value, freeze
from gitwfp.policy.lists import edit_list, plain
from gitwfp.policy.operations import (
    CreateTask,
    DeleteTask,
    EditSession,
    ListEdit,
    MergeTasks,
    Operation,
    Part,
    ReorderTask,
    Replacement,
    Rewire,
    SplitTask,
    UpdateTask,
)


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


def carry_out_operation(
    draft: Draft, operation: Operation, ids: Iterator[TaskId], *, force: bool
) -> Draft:
    """Returns the draft after one more operation.

    Args:
        draft: The plan so far.
        operation: What is wanted.
        ids: The free ids, next one first.
        force: Whether a completed task may be changed.

    Raises:
        Refusal: The operation names what is not there, or may not be done to this plan.
    """
    match operation:
        case CreateTask():
            return _create(draft, operation, ids)
        case UpdateTask():
            return _update(draft, operation, force)
        case DeleteTask():
            return _delete(draft, operation, force)
        case MergeTasks():
            return _merge(draft, operation, ids, force)
        case SplitTask():
            return _split(draft, operation, ids, force)
        case ReorderTask():
            return _reorder(draft, operation)
        case EditSession():
            session = with_field(draft.plan.session, f.TITLE, operation.title)
            return replace(draft, plan=replace(draft.plan, session=session))
        case _:
            assert_never(operation)


def required_task(plan: Plan, wanted: str) -> Task:
    """Returns the task that is meant.

    Raises:
        Refusal: There is none; the tasks there are, nearest first (not found).
    """
    task = plan.task(wanted)
    if task is not None:
        return task
    fitting = [task_id for task_id in plan.tasks if plain(task_id).startswith(plain(wanted))]
    from difflib import get_close_matches

    near = get_close_matches(wanted, list(plan.tasks), n=len(plan.tasks), cutoff=0.0)
    ordered = list(dict.fromkeys([*fitting, *near, *plan.tasks]))
    raise Refusal(
        "task-not-found",
        say("Session {session} has no task {task}.", session=plan.ref.id, task=wanted),
        ExitCode.NOT_FOUND,
        hint=say("Its tasks are: {tasks}.", tasks=", ".join(ordered))
        if ordered
        else say("It has no task at all."),
        location=Location(session=plan.ref.id, task=wanted),
    )


def entries_of(plan: Plan, texts: tuple[str, ...]) -> tuple[str, ...]:
    """Returns requirements as a session of this shape can hold them.

    A flat task keeps its requirements as the sentences of its description, so a text of two
    sentences counts as two; a nested task keeps a list, and only a final full stop is dropped.
    """
    if plan.shape is Shape.NESTED:
        bare = (text.strip() for text in texts)
        return tuple(_without_stop(text) for text in bare if text)
    return tuple(sentence for text in texts for sentence in sentences(text))


def _without_stop(text: str) -> str:
    return text[:-1].rstrip() if text[-1] in ".。" and not text.endswith("..") else text


def _create(draft: Draft, operation: CreateTask, ids: Iterator[TaskId]) -> Draft:
    plan = draft.plan
    fields: dict[str, Value] = {
        f.TITLE: operation.title,
        f.TYPE: operation.task_type or ("feature" if plan.shape is not Shape.EMBEDDED else None),
        f.PRIORITY: operation.priority,
        f.REQUIREMENTS: entries_of(plan, operation.requirements),
        f.ACCEPTANCE: operation.acceptance,
        f.FOCUS_PATHS: operation.focus_paths,
        f.DEPENDS_ON: tuple(required_task(plan, wanted).id for wanted in operation.depends_on),
    }
    task = _new_task(plan, operation.id, ids, fields)
    after = required_task(plan, operation.after).id if operation.after else None
    return replace(draft, plan=plan.with_task(task), placed={**draft.placed, task.id: after})


def _new_task(
    plan: Plan, wanted: str | None, ids: Iterator[TaskId], fields: Mapping[str, Value]
) -> Task:
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
    if find_id(task_id, plan.tasks) is not None:
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


def _update(draft: Draft, operation: UpdateTask, force: bool) -> Draft:
    plan = draft.plan
    task = _changeable(plan, operation.task, force)
    if operation.title is not None:
        task = task.with_field(f.TITLE, operation.title)
    task = _edit_texts(task, f.REQUIREMENTS, _as_entries(plan, operation.requirements))
    task = _edit_texts(task, f.ACCEPTANCE, operation.acceptance)
    task = _edit_texts(task, f.FOCUS_PATHS, operation.focus_paths)
    task = _edit_texts(task, f.DEPENDS_ON, _as_ids(plan, task, operation.depends_on))
    task = _edit_texts(task, f.INHERITED, operation.notes)
    if operation.implementation:
        task = _edit_steps(task, operation.implementation)
    if operation.execution is not None:
        task = task.with_field(f.EXECUTION, _execution(task, operation))
    for name, value in operation.set.items():
        task = task.with_field(name, value)
    return replace(draft, plan=plan.with_task(task))


def _edit_texts(task: Task, name: str, edit: ListEdit) -> Task:
    if not edit:
        return task
    return task.with_field(name, edit_list(task.texts(name), edit, task=task.id, field=name))


def _edit_steps(task: Task, edit: ListEdit) -> Task:
    """Edits implementation steps; a step that is an object counts by its text and stays whole."""
    held = task.fields.get(f.IMPLEMENTATION)
    steps = held if isinstance(held, tuple) else ()
    by_text = dict(zip(task.texts(f.IMPLEMENTATION), steps, strict=False))
    texts = edit_list(tuple(by_text), edit, task=task.id, field=f.IMPLEMENTATION)
    return task.with_field(f.IMPLEMENTATION, tuple(by_text.get(text, text) for text in texts))


def _execution(task: Task, operation: UpdateTask) -> Value:
    held = task.fields.get(f.EXECUTION)
    kept = dict(held) if isinstance(held, Mapping) else {}
    wanted = operation.execution.config() if operation.execution is not None else {}
    return freeze({**kept, **wanted})


def _as_entries(plan: Plan, edit: ListEdit) -> ListEdit:
    return ListEdit(
        add=entries_of(plan, edit.add),
        remove=entries_of(plan, edit.remove),
        replace=tuple(
            Replacement(old, new)
            for item in edit.replace
            for old, new in zip(
                entries_of(plan, (item.old,)), entries_of(plan, (item.new,)), strict=False
            )
        ),
        set=None if edit.set is None else entries_of(plan, edit.set),
    )


def _as_ids(plan: Plan, task: Task, edit: ListEdit) -> ListEdit:
    """Spells the ids of a dependency edit as the tasks spell them; removed ones may be dangling."""

    def known(wanted: str) -> str:
        return required_task(plan, wanted).id

    def held(wanted: str) -> str:
        return find_id(wanted, task.depends_on) or wanted

    return ListEdit(
        add=tuple(known(wanted) for wanted in edit.add),
        remove=tuple(held(wanted) for wanted in edit.remove),
        replace=tuple(Replacement(held(item.old), known(item.new)) for item in edit.replace),
        set=None if edit.set is None else tuple(known(wanted) for wanted in edit.set),
    )


def _delete(draft: Draft, operation: DeleteTask, force: bool) -> Draft:
    plan = draft.plan
    task = _changeable(plan, operation.task, force)
    dependents = _direct_dependents(plan, task.id)
    if dependents and operation.dependents is Rewire.REFUSE:
        raise Refusal(
            "task-has-dependents",
            say(
                "Task {task} cannot be deleted: {dependents} depend on it.",
                task=task.id,
                dependents=", ".join(dependents),
            ),
            ExitCode.REFUSED,
            hint=say("Remove these dependencies first, or say what they shall depend on instead."),
            location=Location(session=plan.ref.id, task=task.id),
        )
    heirs = task.depends_on if operation.dependents is Rewire.BRIDGE else ()
    plan = _rewire(plan.without_task(task.id), (task.id,), heirs)
    return replace(draft, plan=plan)


def _merge(draft: Draft, operation: MergeTasks, ids: Iterator[TaskId], force: bool) -> Draft:
    plan = draft.plan
    merged = [_changeable(plan, wanted, force) for wanted in dict.fromkeys(operation.tasks)]
    if len({task.id for task in merged}) < 2:
        raise Refusal(
            "merge-needs-two",
            say("A merge needs at least two different tasks."),
            ExitCode.REFUSED,
        )
    inside = {task.id for task in merged}
    first = merged[0]
    fields: dict[str, Value] = dict(first.fields)
    for name in (f.REQUIREMENTS, f.ACCEPTANCE, f.FOCUS_PATHS, f.TARGET_FILES, f.IMPLEMENTATION):
        fields[name] = _union(merged, name)
    outside = (
        wanted
        for task in merged
        for wanted in task.depends_on
        if (find_id(wanted, plan.tasks) or wanted) not in inside
    )
    fields[f.DEPENDS_ON] = tuple(dict.fromkeys(outside))
    fields[f.TITLE] = operation.title or " + ".join(task.title for task in merged)
    fields = {name: value for name, value in fields.items() if not _is_of_one_task(name)}
    plan_without = plan
    for task in merged:
        plan_without = plan_without.without_task(task.id)
    new = _new_task(plan, operation.id, ids, fields)
    plan = _rewire(plan_without.with_task(new), tuple(inside), (new.id,))
    return replace(draft, plan=plan, placed={**draft.placed, new.id: merged[-1].id})


def _split(draft: Draft, operation: SplitTask, ids: Iterator[TaskId], force: bool) -> Draft:
    plan = draft.plan
    task = _changeable(plan, operation.task, force)
    if len(operation.parts) < 2:
        raise Refusal(
            "split-needs-two",
            say("A split of task {task} needs at least two parts.", task=task.id),
            ExitCode.REFUSED,
            location=Location(session=plan.ref.id, task=task.id),
        )
    shares = {
        name: _share_out(task.texts(name), operation.parts, name)
        for name in (f.REQUIREMENTS, f.ACCEPTANCE, f.FOCUS_PATHS)
    }
    remaining = plan.without_task(task.id)
    made: list[Task] = []
    placed = dict(draft.placed)
    for position, part in enumerate(operation.parts):
        chained = operation.order == "chain" and made
        fields: dict[str, Value] = {
            name: value
            for name, value in task.fields.items()
            if name in (f.TYPE, f.PRIORITY, f.SCOPE, f.AGENT, f.EXECUTION, f.PARENT)
        }
        fields[f.TITLE] = part.title
        own = entries_of(plan, part.requirements)
        fields[f.REQUIREMENTS] = tuple(dict.fromkeys([*own, *shares[f.REQUIREMENTS][position]]))
        fields[f.ACCEPTANCE] = tuple(
            dict.fromkeys([*part.acceptance, *shares[f.ACCEPTANCE][position]])
        )
        fields[f.FOCUS_PATHS] = tuple(
            dict.fromkeys([*part.focus_paths, *shares[f.FOCUS_PATHS][position]])
        )
        fields[f.DEPENDS_ON] = (made[-1].id,) if chained else task.depends_on
        new = _new_task(plan, part.id, ids, fields)
        placed[new.id] = made[-1].id if made else task.id
        made.append(new)
        remaining = remaining.with_task(new)
        plan = plan.with_task(new)
    heirs = (made[-1].id,) if operation.order == "chain" else tuple(part.id for part in made)
    return replace(draft, plan=_rewire(remaining, (task.id,), heirs), placed=placed)


def _share_out(
    entries: tuple[str, ...], parts: tuple[Part, ...], name: str
) -> list[tuple[str, ...]]:
    """Gives each entry that no part names to the part that shares most words with it."""
    named = {plain(text) for part in parts for text in getattr(part, name)}
    shares: list[list[str]] = [[] for _ in parts]
    words = [_words(" ".join([part.title, *part.requirements])) for part in parts]
    for entry in entries:
        if plain(entry) in named:
            continue
        scores = [len(_words(entry) & own) for own in words]
        shares[scores.index(max(scores))].append(entry)
    return [tuple(share) for share in shares]


def _words(text: str) -> frozenset[str]:
    folded = text.casefold()
    latin = set("".join(c if c.isalnum() else " " for c in folded).split())
    wide = {folded[i : i + 2] for i in range(len(folded) - 1) if folded[i] > "\u2e7f"}
    return frozenset(latin | wide)


def _reorder(draft: Draft, operation: ReorderTask) -> Draft:
    task = required_task(draft.plan, operation.task)
    before = required_task(draft.plan, operation.before)
    if task.id == before.id:
        raise Refusal(
            "move-before-itself",
            say("Task {task} cannot be moved before itself.", task=task.id),
            ExitCode.REFUSED,
            location=Location(session=draft.plan.ref.id, task=task.id),
        )
    return replace(draft, moves=(*draft.moves, Move(task.id, before.id)))


def _changeable(plan: Plan, wanted: str, force: bool) -> Task:
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


def _direct_dependents(plan: Plan, task_id: TaskId) -> tuple[TaskId, ...]:
    ways = dependents_of(edges_of(plan), (task_id,))
    direct = [task for task, way in ways.items() if len(way) == 2]
    return tuple(sorted(direct, key=id_key))


def _rewire(plan: Plan, gone: tuple[TaskId, ...], heirs: tuple[TaskId, ...]) -> Plan:
    """Returns the plan with every edge to a task that is gone leading to its heirs instead."""
    for task in plan.tasks.values():
        wanted: list[str] = []
        hit = False
        for target in task.depends_on:
            if find_id(target, gone) is not None:
                hit = True
                wanted.extend(heir for heir in heirs if heir != task.id)
            else:
                wanted.append(target)
        if hit:
            plan = plan.with_task(task.with_field(f.DEPENDS_ON, tuple(dict.fromkeys(wanted))))
    return plan


def _union(tasks: list[Task], name: str) -> Value:
    from gitwfp.model.values import canonical

    held: dict[str, Value] = {}
    for task in tasks:
        value = task.fields.get(name)
        for item in value if isinstance(value, tuple) else ():
            key = plain(item) if isinstance(item, str) else canonical(item)
            held.setdefault(key, item)
    return tuple(held.values())


def _is_of_one_task(name: str) -> bool:
    """Tells whether a field speaks of one task alone and so does not pass to a merged one."""
    return (
        name == f.STATUS
        or name.startswith("/cli_execution")
        or f.role_of(name) is not f.Role.INTENT
    )
