"""What verify, explain and waive answer in JSON; see `gitwfp.cli.answers`."""

from typing import ClassVar

from gitwfp.classes import dataclass
from gitwfp.errors import Location


@dataclass(frozen=True, slots=True)
class FindingLine:
    """One finding.

    Attributes:
        id: Its id: the same in every run that finds it.
        rule: The rule's id; `git wfp explain` knows it.
        dimension: Letter of the dimension.
        severity: CRITICAL, HIGH, MEDIUM or LOW.
        message: What is the matter.
        location: Where.
        recommendation: What to do.
    """

    id: str
    rule: str
    dimension: str
    severity: str
    message: str
    location: Location
    recommendation: str | None


@dataclass(frozen=True, slots=True)
class WaivedLine:
    """One finding that does not count.

    Attributes:
        finding: The finding.
        reason: Why it is lived with.
        by: Who decided that.
        until: The last day on which it is, null for good.
    """

    finding: FindingLine
    reason: str
    by: str
    until: str | None


@dataclass(frozen=True, slots=True)
class Counts:
    """How many findings there are of each severity, those that are not listed included."""

    critical: int
    high: int
    medium: int
    low: int


@dataclass(frozen=True, slots=True)
class CutLine:
    """Findings that are counted and not listed.

    Attributes:
        tier: Number of the tier.
        count: How many.
    """

    tier: int
    count: int


@dataclass(frozen=True, slots=True)
class ReportLine:
    """The verification of one session.

    Attributes:
        session: The session's id.
        digest: The intent digest of the plan.
        decision: PROCEED, PROCEED_WITH_CAUTION, PROCEED_WITH_FIXES or BLOCK_EXECUTION.
        passes: Whether that is at least as good as gate.policy.
        coverage: Share of the requirements that a task covers, in percent; null if the plan names
            no requirement.
        tiers: The tiers that were looked at.
        counts: How many findings there are.
        findings: The findings, the heaviest first.
        cut: What is left out of them.
        waived: What was found and does not count.
        reports: The files that were written.
    """

    session: str
    digest: str
    decision: str
    passes: bool
    coverage: int | None
    tiers: tuple[int, ...]
    counts: Counts
    findings: tuple[FindingLine, ...]
    cut: tuple[CutLine, ...]
    waived: tuple[WaivedLine, ...]
    reports: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verify:
    """The answer of `git wfp verify`.

    Attributes:
        source: `worktree`, `index`, or the revision as it was given.
        commit: The commit's id, null unless a commit was looked at.
        policy: The lowest decision that passes.
        passes: Whether every session passes.
        sessions: The sessions.
    """

    KIND: ClassVar[str] = "verify"

    source: str
    commit: str | None
    policy: str
    passes: bool
    sessions: tuple[ReportLine, ...]


@dataclass(frozen=True, slots=True)
class RuleLine:
    """One rule.

    Attributes:
        id: Its id.
        dimension: Letter of the dimension.
        severity: How much its findings usually weigh.
        inputs: What its answer depends on.
        finds: What it finds.
        why: Why that matters.
        example: A plan that has it.
        remedy: How to put it right.
        waive: How to live with it.
    """

    id: str
    dimension: str
    severity: str
    inputs: tuple[str, ...]
    finds: str
    why: str
    example: str
    remedy: str
    waive: str


@dataclass(frozen=True, slots=True)
class Explain:
    """The answer of `git wfp explain`.

    Attributes:
        rules: The rule that was asked for, or all of them.
    """

    KIND: ClassVar[str] = "explain"

    rules: tuple[RuleLine, ...]
