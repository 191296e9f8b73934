"""Findings and reports: what a check says about a plan, as values."""

from enum import StrEnum

from gitwfp.classes import dataclass
from gitwfp.errors import Location, Text


class Level(StrEnum):
    """How much a finding weighs."""

    CRITICAL = "CRITICAL"
    HIGH = "HIGH"
    MEDIUM = "MEDIUM"
    LOW = "LOW"


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of a check.

    Attributes:
        rule: The rule's stable id.
        level: How much it weighs.
        message: What is the matter.
        location: Where.
        subject: What tells this finding from others of its rule, independent of their order.
        recommendation: What to do.
    """

    rule: str
    level: Level
    message: Text
    location: Location
    subject: str
    recommendation: Text | None = None

    @property
    def key(self) -> tuple[str, str | None, str]:
        """What stays the same when the same trouble is found in another version of the plan."""
        return (self.rule, self.location.task, self.subject)
