"""Conflicts of a merge, recorded in the plan files themselves, so that these stay valid.

A JSON object gets a key `_wfp_conflicts` with a list of `{field, base, ours, theirs}`; a Markdown
document gets a comment in its last line. What the file says besides is our side.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from gitwfp.classes import dataclass, replace
from gitwfp.model import fields as f
from gitwfp.model.plan import SESSION_JSON, Document, Plan
from gitwfp.model.task import TaskId, with_field
from gitwfp.model.values import Value, thaw

KEY: Final = "_wfp_conflicts"
FIELD: Final = f"/{KEY}"
MARK: Final = "<!-- wfp-conflict "
_END: Final = " -->"


@dataclass(frozen=True, slots=True)
class Undecided:
    """One conflict, as it is recorded.

    Attributes:
        entry: `field`, `base`, `ours` and `theirs`.
        task: The task that it is about, if it is about one.
        document: The document that it is about; None for the session's file.
    """

    entry: Mapping[str, Value]
    task: TaskId | None
    document: str | None


def recorded(plan: Plan, conflicts: Iterable[Undecided]) -> Plan:
    """Returns a merged plan that records its conflicts.

    Args:
        plan: What came of the merge, with our side wherever there is a conflict.
        conflicts: The conflicts.
    """
    tasks: dict[TaskId, list[Value]] = {}
    documents: dict[str, list[Value]] = {}
    for one in conflicts:
        if one.task is not None and one.task in plan.tasks:
            tasks.setdefault(one.task, []).append(one.entry)
        else:
            documents.setdefault(one.document or _holder(plan), []).append(one.entry)
    for task_id, entries in tasks.items():
        task = plan.tasks[task_id]
        plan = plan.with_task(replace(task, fields=_with(task.fields, entries)))
    for name, entries in documents.items():
        held = plan.documents.get(name)
        if name == SESSION_JSON or held is None:
            plan = replace(plan, session=_with(plan.session, entries))
        elif f.LINES in held.parts:
            lines = (*held.lines, *(_comment(entry) for entry in entries))
            plan = plan.with_document(Document(name, {**held.parts, f.LINES: lines}))
        else:
            plan = plan.with_document(Document(name, _with(held.parts, entries)))
    return plan


def _holder(plan: Plan) -> str:
    """Returns the file that records what is about no other: the session's, else the first."""
    return SESSION_JSON if plan.session else next(iter(plan.documents), SESSION_JSON)


def is_recorded(fields: Mapping[str, Value]) -> bool:
    """Tells whether a record holds a conflict that is not decided yet."""
    return any(name == FIELD or name.startswith(f"{FIELD}/") for name in fields)


def marked_line(lines: Sequence[str]) -> int | None:
    """Returns the number of the first line, from 1, of an undecided conflict; None if none is.

    It is our comment, or the marks that git leaves where it merges lines.
    """
    starts = [at for at, line in enumerate(lines, 1) if line.startswith("<<<<<<< ")]
    has_marks = starts and any(line.startswith(">>>>>>> ") for line in lines[starts[0] :])
    ours = [at for at, line in enumerate(lines, 1) if line.startswith(MARK)]
    return min([*ours, *(starts if has_marks else ())], default=None)


def _with(fields: Mapping[str, Value], entries: list[Value]) -> Mapping[str, Value]:
    held = fields.get(FIELD)
    return with_field(fields, FIELD, (*(held if isinstance(held, tuple) else ()), *entries))


def _comment(entry: Value) -> str:
    # A comment ends at two hyphens and a bracket, so there is neither in it.
    text = json.dumps(thaw(entry), ensure_ascii=False).replace(">", "\\u003e")
    return MARK + text.replace("--", "-\\u002d") + _END
