"""The intent digest: the id of what a plan means.

Statuses, check marks, timestamps, histories, counts and reports are left out, so finishing a
task does not change it.
"""

from collections.abc import Mapping

from gitwfp.files import todolist
from gitwfp.files.bookkeeping import is_bookkeeping_line
from gitwfp.model import fields as f
from gitwfp.model.plan import TODO_LIST, Document, Plan
from gitwfp.model.values import Value, canonical

VERSION = "1"


def intent_digest(plan: Plan) -> str:
    """Returns the digest of a plan's meaning, as 64 hexadecimal digits."""
    from hashlib import sha256

    return sha256(intent_text(plan).encode("ascii")).hexdigest()


def intent_text(plan: Plan) -> str:
    """Returns the one text that plans of equal meaning share."""
    from hashlib import sha256

    whole: Value = {
        "version": VERSION,
        "session": _intent(plan.session),
        "tasks": {task_id: _intent(task.fields) for task_id, task in plan.tasks.items()},
        "documents": {name: _document(held) for name, held in plan.documents.items()},
        "unreadable": {
            path: sha256(plan.source.files.get(path, b"")).hexdigest()
            for path in sorted(plan.source.unreadable)
        },
    }
    return canonical(whole)


def neutral_lines(document: Document) -> tuple[str, ...]:
    """Returns a Markdown document's lines without what is progress or bookkeeping in them."""
    lines = document.lines
    if document.name == TODO_LIST:
        lines = todolist.neutral_lines(lines)
    return tuple(line for line in lines if not is_bookkeeping_line(line))


def _document(document: Document) -> Value:
    parts = _intent(document.parts)
    if f.LINES not in document.parts:
        return parts
    return {**parts, f.LINES: neutral_lines(document)}


def _intent(fields: Mapping[str, Value]) -> dict[str, Value]:
    return {name: held for name, held in fields.items() if f.role_of(name) is f.Role.INTENT}
