"""Findings and reports: what a check says about a plan, as values.

Dimensions, tiers and the gate decision are those of the plan verification that plans of this
format are written for.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.errors import Diagnostic, Location, Text


class Level(StrEnum):
    """How much a finding weighs."""

    CRITICAL = "CRITICAL"
    HIGH = "HIGH"
    MEDIUM = "MEDIUM"
    LOW = "LOW"


LEVELS: Final = tuple(Level)
"""The levels, the heaviest first."""


class Dimension(StrEnum):
    """What a rule looks at, by the letter that reports name it with."""

    INTENT = "A"
    COVERAGE = "B"
    CONSISTENCY = "C"
    DEPENDENCIES = "D"
    SYNTHESIS = "E"
    SPECIFICATION = "F"
    DUPLICATION = "G"
    FEASIBILITY = "H"
    CONSTRAINTS = "I"
    CONTEXT = "J"


TIERS: Final[tuple[tuple[Dimension, ...], ...]] = (
    (Dimension.INTENT, Dimension.COVERAGE, Dimension.CONSISTENCY, Dimension.CONSTRAINTS),
    (Dimension.DEPENDENCIES, Dimension.SYNTHESIS, Dimension.CONTEXT),
    (Dimension.SPECIFICATION,),
    (Dimension.DUPLICATION, Dimension.FEASIBILITY),
)
"""The dimensions in the order in which they are looked at."""


class GateDecision(StrEnum):
    """What may be done with a plan, the most cautious first."""

    BLOCK_EXECUTION = "BLOCK_EXECUTION"
    PROCEED_WITH_FIXES = "PROCEED_WITH_FIXES"
    PROCEED_WITH_CAUTION = "PROCEED_WITH_CAUTION"
    PROCEED = "PROCEED"

    def passes(self, policy: "GateDecision") -> bool:
        """Tells whether it is at least as good as the lowest one that may pass."""
        order = tuple(GateDecision)
        return order.index(self) >= order.index(policy)


_DECISIONS: Final[Mapping[Level, GateDecision]] = {
    Level.CRITICAL: GateDecision.BLOCK_EXECUTION,
    Level.HIGH: GateDecision.PROCEED_WITH_FIXES,
    Level.MEDIUM: GateDecision.PROCEED_WITH_CAUTION,
}


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
        dimension: What the rule looks at.
    """

    rule: str
    level: Level
    message: Text
    location: Location
    subject: str
    recommendation: Text | None = None
    dimension: Dimension = Dimension.CONSISTENCY

    @property
    def key(self) -> tuple[str, str | None, str]:
        """What stays the same when the same trouble is found in another version of the plan."""
        return (self.rule, self.location.task, self.subject)

    @property
    def id(self) -> str:
        """The name to call it by: the same in every run that finds it, whatever else is found.

        It begins with the letter of the level and goes on with digits, as the findings file of
        the original tool wants it.
        """
        from hashlib import sha256

        text = "\0".join((self.location.session or "", self.rule, *map(str, self.key[1:])))
        number = int(sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:12], 16)
        return f"{self.level.value[0]}{number % 10**8:08d}"


@dataclass(frozen=True, slots=True)
class Waiver:
    """A finding that somebody has decided to live with.

    Attributes:
        rule: The rule.
        task: The task that it is about, None if none.
        subject: What tells it from others of the rule.
        reason: Why.
        by: Who decided.
        until: The last day it counts, `YYYY-MM-DD`; None for good.
    """

    rule: str
    task: str | None
    subject: str
    reason: str
    by: str
    until: str | None

    @property
    def key(self) -> tuple[str, str | None, str]:
        """What it has in common with the finding that it waives."""
        return (self.rule, self.task, self.subject)


@dataclass(frozen=True, slots=True)
class Waived:
    """A finding that does not count, and why."""

    finding: Finding
    waiver: Waiver


@dataclass(frozen=True, slots=True)
class Report:
    """What a verification says about one plan.

    Attributes:
        session: The session's id.
        findings: What was found and counts, the heaviest first, cut at the limits.
        waived: What was found and does not count.
        counts: How many findings of each level there are, those cut off included.
        cut: How many findings of each tier are left out of `findings`, by its number from 1.
        tiers: The numbers of the tiers that were looked at.
        coverage: Share of the requirements that a task covers, in percent; None if the plan
            names no requirement.
        notes: What could not be looked at, and other remarks on the verification itself.
    """

    session: str
    findings: tuple[Finding, ...]
    waived: tuple[Waived, ...]
    counts: Mapping[Level, int]
    cut: Mapping[int, int]
    tiers: tuple[int, ...]
    coverage: int | None
    notes: tuple[Diagnostic, ...]

    @property
    def decision(self) -> GateDecision:
        """What may be done with the plan."""
        return decision_of(level for level, count in self.counts.items() if count)


def decision_of(levels: Iterable[Level]) -> GateDecision:
    """Returns what may be done with a plan that has findings of some levels."""
    worst = min(levels, key=LEVELS.index, default=Level.LOW)
    return _DECISIONS.get(worst, GateDecision.PROCEED)


def tier_of(dimension: Dimension) -> int:
    """Returns the number of the tier that looks at a dimension, from 1."""
    return next(at for at, dimensions in enumerate(TIERS, 1) if dimension in dimensions)
