"""New task ids: they continue the session's numbering and width and are never used twice."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from gitwfp.model.plan import Plan, Shape
from gitwfp.model.task import ID_LENGTH, TaskId, unpadded
from gitwfp.patterns import regex

_NUMBERED: Final = regex(r"([A-Za-z][A-Za-z-]*?-?)([0-9]+)")
_START: Final = {Shape.NESTED: ("IMPL-", 1), Shape.FLAT: ("IMPL-", 1), Shape.EMBEDDED: ("T", 1)}


def new_ids(plan: Plan, taken: Iterable[str]) -> Iterator[TaskId]:
    """Yields the next free ids of a session, one after the other.

    Args:
        plan: The plan; the commonest prefix of its ids and the width of their numbers are kept.
        taken: Every id that was ever in use besides: on struck list lines, in trailers.
    """
    used = [text for text in [*plan.tasks, *taken] if len(text) <= ID_LENGTH]
    known = {unpadded(text) for text in used}
    prefix, width = _style(plan)
    highest = max(
        (
            int(match[2])
            for text in used
            if (match := _NUMBERED.match(text)) and match[1].lower() == prefix.lower()
        ),
        default=0,
    )
    while True:
        highest += 1
        candidate = f"{prefix}{highest:0{width}d}"
        if unpadded(candidate) not in known:
            yield TaskId(candidate)


def _style(plan: Plan) -> tuple[str, int]:
    own = [task_id for task_id in plan.tasks if len(task_id) <= ID_LENGTH]
    matches = [match for task_id in own if (match := _NUMBERED.match(task_id))]
    if not matches:
        return _START[plan.shape]
    prefix = Counter(match[1] for match in matches).most_common(1)[0][0]
    widths = [len(match[2]) for match in matches if match[1] == prefix]
    padded = [match[2] for match in matches if match[1] == prefix and match[2].startswith("0")]
    return prefix, (max(len(text) for text in padded) if padded else min(widths))
