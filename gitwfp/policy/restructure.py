"""Recipes that change the structure of a plan: merging tasks, splitting one."""

from collections.abc import Iterator

from gitwfp.classes import replace
from gitwfp.errors import ExitCode, Location, Refusal, say
from gitwfp.model import fields as f
from gitwfp.model.task import Task, TaskId, find_id
from gitwfp.model.values import Value, canonical
from gitwfp.policy.lists import plain
from gitwfp.policy.operations import MergeTasks, Part, SplitTask
from gitwfp.policy.tasks import (
    Draft,
    changeable_task,
    checked_title,
    entries_of,
    new_task,
    rewire,
)


def merge_tasks(draft: Draft, operation: MergeTasks, ids: Iterator[TaskId], force: bool) -> Draft:
    """Returns the draft with several tasks made one; see `MergeTasks`."""
    plan = draft.plan
    merged = [
        changeable_task(plan, wanted, force=force) for wanted in dict.fromkeys(operation.tasks)
    ]
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
    together = " + ".join(task.title for task in merged)
    wanted = operation.title if operation.title is not None else together
    fields[f.TITLE] = checked_title(plan, wanted)
    fields = {name: value for name, value in fields.items() if not _is_of_one_task(name)}
    plan_without = plan
    for task in merged:
        plan_without = plan_without.without_task(task.id)
    new = new_task(plan, operation.id, ids, fields)
    plan = rewire(plan_without.with_task(new), tuple(inside), (new.id,))
    return replace(draft, plan=plan, placed={**draft.placed, new.id: merged[-1].id})


def split_task(draft: Draft, operation: SplitTask, ids: Iterator[TaskId], force: bool) -> Draft:
    """Returns the draft with one task made several; see `SplitTask`."""
    plan = draft.plan
    task = changeable_task(plan, operation.task, force=force)
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
        fields[f.TITLE] = checked_title(plan, part.title)
        own = entries_of(plan, part.requirements)
        fields[f.REQUIREMENTS] = tuple(dict.fromkeys([*own, *shares[f.REQUIREMENTS][position]]))
        fields[f.ACCEPTANCE] = tuple(
            dict.fromkeys([*part.acceptance, *shares[f.ACCEPTANCE][position]])
        )
        fields[f.FOCUS_PATHS] = tuple(
            dict.fromkeys([*part.focus_paths, *shares[f.FOCUS_PATHS][position]])
        )
        fields[f.DEPENDS_ON] = (made[-1].id,) if chained else task.depends_on
        new = new_task(plan, part.id, ids, fields)
        placed[new.id] = made[-1].id if made else task.id
        made.append(new)
        remaining = remaining.with_task(new)
        plan = plan.with_task(new)
    heirs = (made[-1].id,) if operation.order == "chain" else tuple(part.id for part in made)
    return replace(draft, plan=rewire(remaining, (task.id,), heirs), placed=placed)


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


def _union(tasks: list[Task], name: str) -> Value:
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
