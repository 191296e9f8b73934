"""Blame: which commit gave each fact of a task its present form.

What counts is the plan, not the text: an item of a list belongs to the commit that brought it, also
when later commits moved it about or wrote the file anew.
"""

from collections.abc import Iterator
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.errors import ExitCode, Location, Refusal, say
from gitwfp.flows.env import Env
from gitwfp.flows.history import Record, history, plans_at
from gitwfp.model import fields as f
from gitwfp.model.plan import Plan, SessionRef
from gitwfp.model.task import Task, unpadded
from gitwfp.model.values import Value, same, strings
from gitwfp.policy.tasks import required_task

_SHOWN_FIRST: Final[tuple[str, ...]] = (
    f.TITLE,
    f.DESCRIPTION,
    f.REQUIREMENTS,
    f.ACCEPTANCE,
    f.FOCUS_PATHS,
)


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that a task states.

    Attributes:
        field: The field.
        value: One item of a list, one sentence of prose, or the whole of any other field.
        record: The entry of the history that gave it this form; None where the history that is
            here does not reach back to it.
    """

    field: str
    value: Value
    record: Record | None


def blame(
    env: Env, ref: SessionRef, plan: Plan, rev: str, task: str, field: str | None
) -> tuple[Fact, ...]:
    """Returns the facts of a task with the commits that they are from.

    Args:
        env: The surroundings.
        ref: The session.
        plan: Its plan at the revision.
        rev: The revision, as a commit id.
        task: The task, as a person names it.
        field: The one field that is wanted, as `git wfp show` spells it.

    Raises:
        Refusal: There is no such task, or it has no such field (not found); see also
            `gitwfp.policy.tasks.required_task`.
    """
    found = required_task(plan, task)
    facts = list(_facts(found, _wanted_fields(found, field)))
    origins: dict[int, Record] = {}
    open_facts = set(range(len(facts)))
    for record in history(env, ref, rev):
        if not open_facts or record.info.is_boundary:
            break
        before, after = plans_at(env, ref, record.info)
        now, then = after.tasks.get(found.id), before.tasks.get(found.id)
        brought = {
            n for n in open_facts if _states(now, *facts[n]) and not _states(then, *facts[n])
        }
        origins.update(dict.fromkeys(brought, record))
        open_facts -= brought
    return tuple(Fact(*fact, origins.get(number)) for number, fact in enumerate(facts))


def _wanted_fields(task: Task, wanted: str | None) -> tuple[str, ...]:
    stated = [name for name in task.fields if f.role_of(name) is f.Role.INTENT and name != f.ID]
    ordered = [name for name in _SHOWN_FIRST if name in stated]
    ordered += [name for name in stated if name not in ordered]
    if wanted is None:
        return tuple(ordered)
    folded = wanted.casefold()
    fitting = tuple(n for n in ordered if folded in (n.casefold(), f.label(n).casefold()))
    if not fitting:
        raise Refusal(
            "field-not-found",
            say("Task {task} has no field {field}.", task=task.id, field=wanted),
            ExitCode.NOT_FOUND,
            hint=say("Its fields are {fields}.", fields=", ".join(map(f.label, ordered))),
            location=Location(task=task.id),
        )
    return fitting


def _facts(task: Task, fields: tuple[str, ...]) -> Iterator[tuple[str, Value]]:
    for name in fields:
        value = task.fields[name]
        if name in f.TEXT_LISTS:
            yield from ((name, item) for item in dict.fromkeys(strings(value)))
        elif isinstance(value, tuple):
            yield from ((name, item) for item in value)
        else:
            yield name, value


def _states(task: Task | None, name: str, item: Value) -> bool:
    """Tells whether a task states a fact."""
    if task is None or name not in task.fields:
        return False
    if name == f.DEPENDS_ON:
        return unpadded(str(item)) in map(unpadded, strings(task.fields[name]))
    if name in f.TEXT_LISTS:
        return item in strings(task.fields[name])
    value = task.fields[name]
    return any(same(held, item) for held in (value if isinstance(value, tuple) else (value,)))
