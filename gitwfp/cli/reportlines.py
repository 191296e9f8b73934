"""Verifications and findings as programs read them."""

from gitwfp.cli import findings as f
from gitwfp.flows.verify import Verified
from gitwfp.model.findings import Finding, Level


def report_line(one: Verified) -> f.ReportLine:
    """Returns a verification as programs read it."""
    report = one.report
    counts = report.counts
    return f.ReportLine(
        report.session,
        one.digest,
        report.decision.value,
        one.passes,
        report.coverage,
        report.tiers,
        f.Counts(
            counts[Level.CRITICAL], counts[Level.HIGH], counts[Level.MEDIUM], counts[Level.LOW]
        ),
        tuple(finding_line(finding) for finding in report.findings),
        tuple(f.CutLine(tier, count) for tier, count in report.cut.items()),
        tuple(
            f.WaivedLine(
                finding_line(waived.finding),
                waived.waiver.reason,
                waived.waiver.by,
                waived.waiver.until,
            )
            for waived in report.waived
        ),
        one.written,
    )


def finding_line(finding: Finding) -> f.FindingLine:
    """Returns a finding as programs read it."""
    advice = finding.recommendation
    return f.FindingLine(
        finding.id,
        finding.rule,
        finding.dimension.value,
        finding.level.value,
        str(finding.message),
        finding.location,
        None if advice is None else str(advice),
    )
