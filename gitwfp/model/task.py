"""Tasks: ids and how people spell them, statuses and their transitions, the record itself."""

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Final, NewType

from gitwfp.classes import dataclass, field, replace
from gitwfp.model import fields as f
from gitwfp.model.values import Value, is_empty, same, strings
from gitwfp.patterns import regex

TaskId = NewType("TaskId", str)

ID_PATTERN: Final = regex(r"[A-Za-z][A-Za-z0-9]*(?:[-._][A-Za-z0-9]+)*")
ID_LENGTH: Final = 64

_NUMBER_RUNS: Final = regex(r"([0-9]+)")


class Status(StrEnum):
    """Where a task stands; one name for each meaning, whatever word the file uses."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    BLOCKED = "blocked"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"
    CONTAINER = "container"
    DISCARDED = "discarded"
    FROZEN = "frozen"


_STATUS_WORDS: Final[Mapping[str, Status]] = {
    **{status.value: status for status in Status},
    "": Status.PENDING,
    "todo": Status.PENDING,
    "planned": Status.PENDING,
    "not_started": Status.PENDING,
    "active": Status.IN_PROGRESS,
    "in-progress": Status.IN_PROGRESS,
    "in progress": Status.IN_PROGRESS,
    "done": Status.COMPLETED,
    "complete": Status.COMPLETED,
    "✅": Status.COMPLETED,
    "canceled": Status.CANCELLED,
}

CLOSED: Final = frozenset({Status.COMPLETED, Status.SKIPPED, Status.CANCELLED, Status.DISCARDED})
"""Statuses of tasks that nobody is going to work on again."""


def read_status(word: Value) -> Status | None:
    """Returns the status that a word from a file means, or None for a word nobody knows.

    An object with `state` or `value` counts as that word (old dashboards wrote such).
    """
    if isinstance(word, Mapping):
        word = word.get("state", word.get("value"))
    if word is None:
        return Status.PENDING
    if not isinstance(word, str):
        return None
    return _STATUS_WORDS.get(word.strip().lower())


def is_task_id(text: str) -> bool:
    """Tells whether a text can be a task's id: letters first, no path, at most 64 characters.

    `tmp` and `temp` cannot: files of that name are leftovers of crashed writers.
    """
    fits = len(text) <= ID_LENGTH and ID_PATTERN.fullmatch(text) is not None
    return fits and text.lower() not in {"tmp", "temp"}


@lru_cache(maxsize=1 << 14)
def id_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Returns the natural sort key of an id: digits count as numbers, case does not count.

    Ids that differ in zero padding or case alone have the same key.
    """
    return tuple(
        (1, 0, part.lower()) if at % 2 == 0 else (0, len(_bare(part)), _bare(part))
        for at, part in enumerate(_NUMBER_RUNS.split(text))
        if part
    )


def _bare(digits: str) -> str:
    """Takes zero padding off; Python refuses to make numbers of thousands of digits."""
    return digits.lstrip("0") or "0"


def unpadded(text: str) -> str:
    """Returns an id with the zero padding of its numbers and its case taken away."""
    return _NUMBER_RUNS.sub(lambda match: _bare(match[0]), text).lower()


def find_id(wanted: str, known: Iterable[TaskId]) -> TaskId | None:
    """Finds the task that a person means: exactly, else but for case, else but for zero padding.

    Returns:
        The one id that fits, or None when none or more than one does.
    """
    if isinstance(known, Mapping) and wanted in known:
        return TaskId(wanted)
    return IdIndex(known).find(wanted)


class IdIndex:
    """Known ids, prepared to find many others among them; see `find_id`."""

    def __init__(self, known: Iterable[TaskId]) -> None:
        self._ids = tuple(dict.fromkeys(known))
        self._exact = frozenset(self._ids)
        self._by_form: list[dict[str, TaskId | None]] | None = None

    def find(self, wanted: str) -> TaskId | None:
        """Returns the one id that fits, or None when none or more than one does."""
        if wanted in self._exact:
            return TaskId(wanted)
        if self._by_form is None:
            self._by_form = [self._indexed(form) for form in _FORMS]
        for form, ids in zip(_FORMS, self._by_form, strict=True):
            if form(wanted) in ids:
                return ids[form(wanted)]
        return None

    def _indexed(self, form: Callable[[str], str]) -> dict[str, TaskId | None]:
        ids: dict[str, TaskId | None] = {}
        for task_id in self._ids:
            key = form(task_id)
            ids[key] = None if key in ids else task_id
        return ids


_FORMS: Final[tuple[Callable[[str], str], ...]] = (str.lower, unpadded)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a task's text lies.

    Attributes:
        path: The file, from the repository root.
        index: Position in the `tasks` list of that file, or None when the file is the task.
    """

    path: str
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """One piece of work of a plan.

    Attributes:
        id: The id as the file spells it.
        fields: Its facts by field name; a fact that says nothing is left out.
        origin: Where it was read from; two equal tasks may come from different places.
    """

    id: TaskId
    fields: Mapping[str, Value]
    origin: Origin | None = field(default=None, compare=False)

    @property
    def title(self) -> str:
        """The title, or the id when there is none."""
        title = self.fields.get(f.TITLE)
        return title if isinstance(title, str) and title else self.id

    @property
    def status(self) -> Status:
        """Where it stands; an unknown word counts as pending."""
        return read_status(self.fields.get(f.STATUS)) or Status.PENDING

    @property
    def is_open(self) -> bool:
        """Whether it still counts as work: not closed and not a container of other tasks."""
        return self.status not in CLOSED and self.status is not Status.CONTAINER

    @property
    def depends_on(self) -> tuple[TaskId, ...]:
        """The ids it depends on, in file order."""
        texts = (text.strip() for text in self.texts(f.DEPENDS_ON))
        return tuple(TaskId(text) for text in texts if text)

    def texts(self, name: str) -> tuple[str, ...]:
        """Returns a field as a tuple of texts, empty when it is absent."""
        return strings(self.fields.get(name))

    def with_field(self, name: str, value: Value) -> "Task":
        """Returns the task with one field changed; an empty value takes the field away."""
        return replace(self, fields=with_field(self.fields, name, value))


def with_field(fields: Mapping[str, Value], name: str, value: Value) -> Mapping[str, Value]:
    """Returns a record's fields with one of them changed, or taken away by an empty value."""
    if is_empty(value):
        return {key: held for key, held in fields.items() if key != name}
    return {**fields, name: value}


def same_fields(one: Mapping[str, Value], other: Mapping[str, Value]) -> bool:
    """Tells whether two records state the same facts."""
    return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
