"""PLAN_VERIFICATION.md: a report as the document that people and agents read in the session.

Headings and tables are those of the original tool, so that what reads its reports reads ours.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from gitwfp.errors import Text, say
from gitwfp.model.findings import LEVELS, Dimension, Finding, Level, Report, Waived
from gitwfp.model.plan import SessionRef

NAME: Final = ".process/PLAN_VERIFICATION.md"

DIMENSIONS: Final = {
    Dimension.INTENT: say("User Intent Alignment"),
    Dimension.COVERAGE: say("Requirements Coverage"),
    Dimension.CONSISTENCY: say("Consistency Validation"),
    Dimension.DEPENDENCIES: say("Dependency Integrity"),
    Dimension.SYNTHESIS: say("Synthesis Alignment"),
    Dimension.SPECIFICATION: say("Task Specification Quality"),
    Dimension.DUPLICATION: say("Duplication Detection"),
    Dimension.FEASIBILITY: say("Feasibility Assessment"),
    Dimension.CONSTRAINTS: say("Constraints Compliance"),
    Dimension.CONTEXT: say("N+1 Context Validation"),
}
"""What each dimension is called."""

_TITLE: Final = say("Plan Verification Report")
_SUMMARY: Final = say("Executive Summary")
_METRIC: Final = say("Metric")
_VALUE: Final = say("Value")
_COVERAGE: Final = say("Coverage")
_WAIVED: Final = say("Waived")
_FINDINGS: Final = say("Findings Summary")
_ANALYSIS: Final = say("Analysis by Dimension")
_STEPS: Final = say("Next Steps")

Words = Callable[[Text], str]


def report_text(ref: SessionRef, report: Report, time: str, words: Words) -> str:
    """Returns the document.

    Args:
        ref: The session.
        report: What was found.
        time: When, in ISO 8601.
        words: Puts a sentence into the language of the repository.
    """
    return "\n".join([*_head(ref, report, time, words), *_body(ref, report, words), ""])


def place_of(ref: SessionRef, finding: Finding) -> str:
    """Returns where a finding is in the manner of such reports: `task:IMPL-2`, `TODO_LIST.md:L4`.

    Args:
        ref: The session.
        finding: The finding.
    """
    where = finding.location
    if where.task is not None and (where.path is None or "/.task/" in where.path):
        return f"task:{where.task}"
    path = (where.path or ref.folder).removeprefix(f"{ref.folder}/")
    line = f":L{where.line}" if where.line is not None else ""
    return f"{path}{line}"


def _head(ref: SessionRef, report: Report, time: str, words: Words) -> Iterator[str]:
    yield f"# {words(_TITLE)}"
    yield ""
    tiers = ", ".join(map(str, report.tiers))
    yield f"**Session**: {ref.id} | **Generated**: {time} | **Tiers Completed**: {tiers}"
    yield ""
    yield f"## {words(_SUMMARY)}"
    yield ""
    yield f"| {words(_METRIC)} | {words(_VALUE)} |"
    yield "|---|---|"
    numbers = "/".join(str(report.counts[level]) for level in LEVELS)
    yield f"| Critical/High/Medium/Low | {numbers} |"
    coverage = "–" if report.coverage is None else f"{report.coverage}%"
    yield f"| {words(_COVERAGE)} | {coverage} |"
    if report.waived:
        yield f"| {words(_WAIVED)} | {len(report.waived)} |"
    yield ""
    yield f"**Recommendation**: **{report.decision}**"
    yield ""


def _body(ref: SessionRef, report: Report, words: Words) -> Iterator[str]:
    yield f"## {words(_FINDINGS)}"
    yield ""
    if report.findings:
        yield "| ID | Dimension | Severity | Location | Summary |"
        yield "|---|---|---|---|---|"
        for one in report.findings:
            cells = (one.id, one.dimension, one.level, place_of(ref, one), words(one.message))
            yield f"| {' | '.join(map(_cell, cells))} |"
    else:
        yield words(say("Nothing was found."))
    for tier, number in report.cut.items():
        yield ""
        yield words(say("Tier {tier} has {number} more.", tier=tier, number=number))
    yield ""
    yield f"## {words(_ANALYSIS)}"
    for dimension in Dimension:
        found = [one for one in report.findings if one.dimension is dimension]
        if found:
            yield ""
            yield f"### {dimension.value}. {words(DIMENSIONS[dimension])}"
            for one in found:
                yield from _one(ref, one, words)
    yield from _waived(report.waived, words)
    yield from _steps(report.findings, words)


def _one(ref: SessionRef, finding: Finding, words: Words) -> Iterator[str]:
    yield ""
    yield f"#### {finding.id}: {_line(words(finding.message))}"
    yield ""
    yield f"- **Rule**: {finding.rule}"
    yield f"- **Severity**: {finding.level}"
    yield f"- **Location**: {_line(place_of(ref, finding))}"
    if finding.recommendation is not None:
        yield f"- **Recommendation**: {_line(words(finding.recommendation))}"


def _waived(waived: Iterable[Waived], words: Words) -> Iterator[str]:
    for number, one in enumerate(waived):
        if number == 0:
            yield ""
            yield f"## {words(_WAIVED)}"
            yield ""
        reason = _line(one.waiver.reason)
        said = _line(words(one.finding.message))
        yield f"- {one.finding.id} ({one.finding.rule}): {said} — {reason}"


def _steps(findings: Iterable[Finding], words: Words) -> Iterator[str]:
    heavy = [one for one in findings if one.level in (Level.CRITICAL, Level.HIGH)]
    if heavy:
        yield ""
        yield f"## {words(_STEPS)}"
        yield ""
        for one in heavy:
            advice = words(one.recommendation) if one.recommendation is not None else one.rule
            yield f"- {one.id}: {_line(advice)}"


def _line(text: str) -> str:
    """Returns a text on one line in which no character is taken for HTML or a heading."""
    return " ".join(text.split()).replace("<", "&lt;")


def _cell(text: str) -> str:
    return _line(text).replace("|", "\\|")
