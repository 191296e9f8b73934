"""Recipes: each operation as a pure function from a plan to the plan that is wanted.

A recipe changes tasks (and the session's title) only. What follows from that for lists,
overviews and histories is derived afterwards by `gitwfp.policy.bookkeeping`, once for all.
"""

from collections.abc import Iterator, Mapping
from typing import assert_never

from gitwfp.classes import replace
from gitwfp.errors import ExitCode, Location, Refusal, say, say_n
from gitwfp.model import fields as f
from gitwfp.model.plan import Plan, Shape
from gitwfp.model.task import IdIndex, Task, TaskId, find_id, id_key, with_field
from gitwfp.model.values import Value, freeze, strings
from gitwfp.policy.lists import edit_list, find_entry
from gitwfp.policy.operations import (
    CreateTask,
    DeleteTask,
    EditSession,
    ListEdit,
    MergeTasks,
    Operation,
    ReorderTask,
    Replacement,
    Rewire,
    SplitTask,
    UpdateTask,
)
from gitwfp.policy.restructure import merge_tasks, split_task
from gitwfp.policy.tasks import (
    Draft,
    Move,
    changeable_task,
    checked_title,
    entries_of,
    new_task,
    required_task,
    rewire,
)


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
            return merge_tasks(draft, operation, ids, force)
        case SplitTask():
            return split_task(draft, operation, ids, force)
        case ReorderTask():
            return _reorder(draft, operation)
        case EditSession():
            return _edit_session(draft, operation)
        case _:
            assert_never(operation)


def _edit_session(draft: Draft, operation: EditSession) -> Draft:
    plan = draft.plan
    if not plan.session:
        raise Refusal(
            "no-session-file",
            say("Session {session} has no file that could hold a title.", session=plan.ref.id),
            ExitCode.REFUSED,
            hint=say("Leave the title out of the request."),
            location=Location(session=plan.ref.id),
        )
    session = with_field(plan.session, f.TITLE, operation.title)
    return replace(draft, plan=replace(plan, session=session))


def _create(draft: Draft, operation: CreateTask, ids: Iterator[TaskId]) -> Draft:
    plan = draft.plan
    fields: dict[str, Value] = {
        f.TITLE: checked_title(plan, operation.title),
        f.TYPE: operation.task_type or ("feature" if plan.shape is not Shape.EMBEDDED else None),
        f.PRIORITY: operation.priority,
        f.REQUIREMENTS: entries_of(plan, operation.requirements),
        f.ACCEPTANCE: operation.acceptance,
        f.FOCUS_PATHS: operation.focus_paths,
        f.DEPENDS_ON: tuple(required_task(plan, wanted).id for wanted in operation.depends_on),
    }
    task = new_task(plan, operation.id, ids, fields)
    after = required_task(plan, operation.after).id if operation.after else None
    return replace(draft, plan=plan.with_task(task), placed={**draft.placed, task.id: after})


def _update(draft: Draft, operation: UpdateTask, force: bool) -> Draft:
    plan = draft.plan
    task = changeable_task(plan, operation.task, force=force)
    if operation.title is not None:
        task = task.with_field(f.TITLE, checked_title(plan, operation.title))
    task = _edit_texts(task, f.REQUIREMENTS, _as_entries(plan, task, operation.requirements))
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
    """Edits implementation steps; a step that is an object counts by its text and stays whole.

    One that says something else keeps its other facts, and a new one among objects is an object.
    """
    held = task.fields.get(f.IMPLEMENTATION)
    steps = held if isinstance(held, tuple) else () if held is None else (held,)
    texts = strings(steps)
    # Steps of the same text are as many as they were, each with its own object.
    stock: dict[str, list[Value]] = {}
    for text, step in zip(texts, steps, strict=True):
        stock.setdefault(text, []).append(step)
    wanted = edit_list(texts, edit, task=task.id, field=f.IMPLEMENTATION)
    for item in edit.replace:
        old = find_entry(texts, item.old)
        if old is not None and item.new not in stock:
            stock[item.new] = [_retold(stock[old][0], old, item.new)]
    result: list[Value] = []
    for text in wanted:
        result.append(stock[text].pop(0) if stock.get(text) else _new_step(steps, result, text))
    return task.with_field(f.IMPLEMENTATION, tuple(result))


def _retold(step: Value, old: str, new: str) -> Value:
    """Returns a step that says something else."""
    if not isinstance(step, Mapping):
        return new
    return freeze({key: new if value == old else value for key, value in step.items()})


def _new_step(steps: tuple[Value, ...], before: list[Value], text: str) -> Value:
    """Returns a step as the others of its task are: a text, or an object with their keys."""
    model = steps[-1] if steps else None
    if not isinstance(model, Mapping) or not all(isinstance(step, Mapping) for step in steps):
        return text
    held = [step.get("step") for step in before if isinstance(step, Mapping)]
    numbers = [number for number in held if isinstance(number, int)]
    made: dict[str, Value] = {}
    for key, value in model.items():
        if key == "step" and isinstance(value, int):
            made[key] = max(numbers, default=0) + 1
        elif key in ("title", "description", "text", "name"):
            made[key] = text
        elif isinstance(value, tuple):
            made[key] = ()
    return freeze(made) if text in strings((freeze(made),)) else text


def _execution(task: Task, operation: UpdateTask) -> Value:
    held = task.fields.get(f.EXECUTION)
    kept = dict(held) if isinstance(held, Mapping) else {}
    wanted = operation.execution.config() if operation.execution is not None else {}
    return freeze({**kept, **wanted})


def _as_entries(plan: Plan, task: Task, edit: ListEdit) -> ListEdit:
    """Spells an edit of requirements in entries that the task can hold.

    Where a text of several sentences gives way to another, the sentences change one by one, and
    what is left over of either goes or comes as a whole.
    """
    replacements: list[Replacement] = []
    add: list[str] = []
    remove: list[str] = []
    for item in edit.replace:
        old = entries_of(plan, (item.old,), task)
        new = entries_of(plan, (item.new,), task)
        replacements.extend(map(Replacement, old, new))
        remove.extend(old[len(new) :])
        add.extend(new[len(old) :])
    return ListEdit(
        add=(*add, *entries_of(plan, edit.add, task)),
        remove=(*remove, *entries_of(plan, edit.remove, task)),
        replace=tuple(replacements),
        set=None if edit.set is None else entries_of(plan, edit.set, task),
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
    task = changeable_task(plan, operation.task, force=force)
    plan = plan.without_task(task.id)
    if operation.dependents is not Rewire.REFUSE:
        heirs = task.depends_on if operation.dependents is Rewire.BRIDGE else ()
        plan = rewire(plan, (task.id,), heirs)
    return replace(draft, plan=plan)


def check_deleted(before: Plan, after: Plan, operation: DeleteTask) -> None:
    """Refuses a deletion when tasks still depend on what is gone after all was carried out.

    Args:
        before: The plan that the operations are meant for.
        after: What all of them make of it.
        operation: The deletion.

    Raises:
        Refusal: Tasks depend on the task, and the deletion does not say what becomes of that
            (plan refused).
    """
    task = before.task(operation.task)
    if task is None or operation.dependents is not Rewire.REFUSE:
        return
    wanting = {other.id for other in after.tasks.values() if _needs(after, other, task.id)}
    if not wanting or task.id in after.tasks:
        return
    # A task that is new takes the edge from one that the request may name.
    reshaped = {
        other.id
        for other in before.tasks.values()
        if other.id not in after.tasks and _needs(before, other, task.id)
    }
    left = sorted((wanting & before.tasks.keys()) | reshaped, key=id_key)
    raise Refusal(
        "task-has-dependents",
        say_n(
            "Task {task} cannot be deleted: {dependents} depends on it.",
            "Task {task} cannot be deleted: {dependents} depend on it.",
            len(left),
            task=task.id,
            dependents=", ".join(left),
        ),
        ExitCode.REFUSED,
        hint=say(
            "Say in the same request what becomes of that: '{dependent} no longer depends on "
            "{task}', or '{dependent} depends on ... instead of {task}'; an operation takes "
            '"dependents": "bridge" or "drop".',
            dependent=left[0],
            task=task.id,
        ),
        location=Location(session=before.ref.id, task=task.id),
    )


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


def _needs(plan: Plan, task: Task, gone: TaskId) -> bool:
    ids = IdIndex([*plan.tasks, gone])
    return any(ids.find(wanted) == gone for wanted in task.depends_on)
