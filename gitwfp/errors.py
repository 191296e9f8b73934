"""Sentences for people, places in plans, and the refusals that carry both.

Three kinds of bad news exist and no more: a *finding* or `Diagnostic` is a value that is
returned, a `Refusal` is raised when a command will not go on, and anything else is a bug
that escapes to the one boundary in `gitwfp.cli.main`.

Nothing here prints, and nothing here translates: a `Text` keeps its English template and
its values apart, so that the rim can translate it for a terminal and leave it English in JSON.
"""

from collections.abc import Mapping
from enum import IntEnum, StrEnum

from gitwfp.classes import dataclass, field


class ExitCode(IntEnum):
    """The documented exit codes of `git wfp`."""

    DONE = 0
    NEGATIVE = 1
    USAGE = 2
    NOT_FOUND = 3
    REFUSED = 4
    CONFLICT = 5
    ENVIRONMENT = 6
    BUG = 70
    INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Text:
    """A sentence for people: an English template and the values that fill it.

    Attributes:
        template: English text with `str.format` fields; the key of the message catalogue.
        values: What fills the fields; never translated.
        plural: The template for all numbers but one, when the sentence counts something.
        count: The number that chooses between `template` and `plural`.
    """

    template: str
    values: Mapping[str, object] = field(default_factory=dict)
    plural: str | None = None
    count: int = 1

    def __str__(self) -> str:
        chosen = self.template if self.plural is None or self.count == 1 else self.plural
        return chosen.format(**self.values)

    def __hash__(self) -> int:
        # The values need not be hashable.
        return hash((self.template, self.count))


def say(template: str, /, **values: object) -> Text:
    """Marks an English template as translatable and keeps the values that fill it."""
    return Text(template, values)


def say_n(singular: str, plural: str, count: int, /, **values: object) -> Text:
    """Marks a sentence that counts something; the field `{count}` is filled with the number."""
    return Text(singular, {"count": count, **values}, plural, count)


@dataclass(frozen=True, slots=True)
class Location:
    """A place that a message points to; what does not apply is None.

    Attributes:
        path: File path from the repository root, with forward slashes.
        line: Line, counted from 1.
        column: Column in characters, counted from 1.
        session: Session id.
        task: Task id.
        field: Field name as `gitwfp.model.fields` spells it.
    """

    path: str | None = None
    line: int | None = None
    column: int | None = None
    session: str | None = None
    task: str | None = None
    field: str | None = None


class Severity(StrEnum):
    """How bad a diagnostic is."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Something that a person should know, as a value.

    Attributes:
        code: Stable kebab-case reference.
        message: What is the matter.
        severity: How bad it is.
        location: Where.
        hint: What to do, if anything.
    """

    code: str
    message: Text
    severity: Severity = Severity.WARNING
    location: Location = Location()
    hint: Text | None = None


class Refusal(Exception):  # noqa: N818 - it is the product's word, and not every refusal is an error
    """A command will not go on, for a reason that its user can act upon.

    Args:
        code: Stable kebab-case reference.
        message: What is wrong.
        exit_code: The process's exit code.
        hint: What to do next; never a complete destructive command.
        location: Where.
        details: Further lines: the tasks there are, the files concerned.
    """

    def __init__(
        self,
        code: str,
        message: Text,
        exit_code: ExitCode,
        *,
        hint: Text | None = None,
        location: Location | None = None,
        details: tuple[Diagnostic, ...] = (),
    ) -> None:
        super().__init__(str(message))
        self.code = code
        self.message = message
        self.exit_code = exit_code
        self.hint = hint
        self.location = location if location is not None else Location()
        self.details = details
