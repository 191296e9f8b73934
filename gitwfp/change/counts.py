"""Counts of tasks after a merge: they follow the tasks, not the two sides' arithmetic.

Two sides that both went from five tasks to six state the same number, and the plan with both of
their tasks has seven. A count that was out of step with the tasks stays out of step.
"""

from collections.abc import Callable
from typing import TypeAlias

from gitwfp.model import fields as f
from gitwfp.model.plan import Document, Plan
from gitwfp.model.values import Value

SetCounts: TypeAlias = Callable[[tuple[str, ...], int, int], tuple[str, ...]]
"""Writes a number of tasks into a document's lines wherever they state another one."""


def recounted(base: Plan, ours: Plan, theirs: Plan, merged: Plan, set_counts: SetCounts) -> Plan:
    """Returns a merged plan whose documents state the number of its tasks.

    Args:
        base: The common ancestor.
        ours: The side whose text the result has.
        theirs: The other side.
        merged: What came of them.
        set_counts: Writes counts, see `SetCounts`.
    """
    numbers = tuple(len(plan.tasks) for plan in (base, ours, theirs, merged))
    for name, document in merged.documents.items():
        was, mine, their = (
            side.documents[name].parts if name in side.documents else {}
            for side in (base, ours, theirs)
        )
        _, own, other, wanted = numbers
        if (was == mine and other == wanted) or (was == their and own == wanted):
            continue
        parts = dict(document.parts)
        if f.LINES in document.parts:
            sides = tuple(
                (side.documents[name].lines, len(side.tasks))
                for side in (ours, theirs)
                if name in side.documents
            )
            parts[f.LINES] = _lines_recounted(document.lines, sides, numbers, set_counts)
        count = _count(tuple(side.get(f.TASK_COUNT) for side in (was, mine, their)), numbers)
        if count is not None:
            parts[f.TASK_COUNT] = count
        if parts != document.parts:
            merged = merged.with_document(Document(name, parts))
    return merged


def _lines_recounted(
    lines: tuple[str, ...],
    sides: tuple[tuple[tuple[str, ...], int], ...],
    numbers: tuple[int, ...],
    set_counts: SetCounts,
) -> tuple[str, ...]:
    base, own, their, wanted = numbers
    if any(set_counts(text, count, count + 1) == text for text, count in sides):
        return lines
    for stated in {own, their, own + their - base} - {wanted}:
        lines = set_counts(lines, stated, wanted)
    return lines


def _count(counts: tuple[Value, ...], numbers: tuple[int, ...]) -> int | None:
    """Returns the number of tasks, as far out of step as the two sides made it."""
    stated = [count for count in counts if isinstance(count, int)]
    if len(stated) < len(counts):
        return None
    was, mine, theirs = (count - tasks for count, tasks in zip(stated, numbers, strict=False))
    return numbers[-1] + mine + theirs - was
