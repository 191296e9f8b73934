"""Conflicts of a merge as people and programs read them: by field, with both sides."""

from collections.abc import Iterable

from gitwfp.change.merge import Conflict
from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, Text, say
from gitwfp.model import fields as f
from gitwfp.model.plan import SessionRef
from gitwfp.model.values import Value, strings


def conflict_refusal(
    ref: SessionRef, conflicts: Iterable[Conflict], message: Text, hint: Text | None = None
) -> Refusal:
    """Returns the refusal that lists conflicts by field, with both sides."""
    return Refusal(
        "plan-conflict",
        message,
        ExitCode.CONFLICT,
        hint=hint
        or say(
            "Nothing was written. Take back the later change first, or decide with --ours (keep "
            "what is there) or --theirs."
        ),
        location=Location(ref.folder, session=ref.id),
        details=tuple(conflict_line(ref, conflict) for conflict in conflicts),
    )


def conflict_line(ref: SessionRef, conflict: Conflict) -> Diagnostic:
    """Returns a conflict as a line for people and programs."""
    place = conflict.task or conflict.document or ref.id
    name = f.label(conflict.field) if conflict.field else say("the whole of it")
    return Diagnostic(
        "conflict",
        say(
            "{place}, {field}: here {ours}; there {theirs}.",
            place=place,
            field=name,
            ours=_short(conflict.ours),
            theirs=_short(conflict.theirs),
        ),
        Severity.ERROR,
        Location(
            path=f"{ref.folder}/{conflict.document}" if conflict.document else None,
            session=ref.id,
            task=conflict.task,
            field=conflict.field or None,
        ),
    )


def _short(value: Value) -> str:
    if value is None or value == ():
        return "nothing"
    text = " | ".join(strings(value))
    return f"'{text}'" if len(text) <= 120 else f"'{text[:119]}…'"
