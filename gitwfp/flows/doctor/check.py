"""What a look at one thing has found, and how looks that fail become findings too."""

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.errors import Diagnostic, Location, Refusal, Severity, Text, say
from gitwfp.flows.env import Env


class Grade(StrEnum):
    """How bad it is."""

    OK = "ok"
    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


class Fix(StrEnum):
    """What can be put right safely."""

    JOURNAL = "journal"
    PENDING = "pending"
    IGNORE = "ignore"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    Attributes:
        code: Stable kebab-case reference.
        grade: How bad it is.
        observed: What is so.
        expected: What should be so.
        why: Why it matters.
        remedy: What to do, in a sentence; never a complete destructive command.
        location: Where.
        fix: What can be done about it here and now.
    """

    code: str
    grade: Grade
    observed: Text
    expected: Text
    why: Text
    remedy: Text | None = None
    location: Location = Location()
    fix: Fix | None = None

    @property
    def is_bad(self) -> bool:
        """Whether it is worse than a note."""
        return self.grade in (Grade.WARNING, Grade.ERROR)


Probe = Callable[[Env], Iterator[Check]]

_GRADES: Final = {
    Severity.NOTE: Grade.NOTE,
    Severity.WARNING: Grade.WARNING,
    Severity.ERROR: Grade.ERROR,
}


def looked(code: str, probe: Callable[[], Iterable[Check]]) -> Iterator[Check]:
    """Yields what a probe finds; its own failure is a finding as well.

    Args:
        code: The reference of a finding that says that the probe failed.
        probe: What is looked at.
    """
    try:
        yield from probe()
    except Refusal as refusal:
        yield refused(code, refusal)
    except Exception as error:  # noqa: BLE001 - what no one expected is a finding here, too
        yield Check(
            code,
            Grade.ERROR,
            say(
                "This could not be looked at: {kind}: {error}",
                kind=type(error).__name__,
                error=error,
            ),
            say("It can be looked at."),
            _UNKNOWN,
            say("Look at what the message names; if nothing is wrong with it, report a bug."),
        )


def refused(
    code: str, refusal: Refusal, expected: Text | None = None, why: Text | None = None
) -> Check:
    """Returns the finding that a refusal amounts to."""
    return Check(
        code,
        Grade.ERROR,
        refusal.message,
        expected or say("It can be looked at."),
        why or _UNKNOWN,
        refusal.hint,
        refusal.location,
    )


def from_diagnostic(code: str, told: Diagnostic, expected: Text, why: Text) -> Check:
    """Returns the finding that a diagnostic amounts to."""
    return Check(
        code, _GRADES[told.severity], told.message, expected, why, told.hint, told.location
    )


_UNKNOWN: Final = say("What cannot be looked at may be in any state.")
