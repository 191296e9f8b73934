"""verification-findings.json: a report as the file that the original tool and its agents read."""

import json
from collections.abc import Callable
from typing import Final

from gitwfp.errors import Text
from gitwfp.model.findings import Level, Report, tier_of
from gitwfp.model.plan import SessionRef
from gitwfp.verify.reportfile import DIMENSIONS, place_of

NAME: Final = ".process/verification-findings.json"


def findings_text(ref: SessionRef, report: Report, time: str, words: Callable[[Text], str]) -> str:
    """Returns the file.

    Args:
        ref: The session.
        report: What was found.
        time: When, in ISO 8601.
        words: Puts a sentence into the language of the repository.
    """
    content = {
        "session_id": ref.id,
        "timestamp": time,
        "verification_tiers_completed": [f"Tier {tier}" for tier in report.tiers],
        "findings": [
            {
                "id": one.id,
                "rule": one.rule,
                "dimension": one.dimension.value,
                "dimension_name": str(DIMENSIONS[one.dimension]),
                "tier": tier_of(one.dimension),
                "severity": one.level.value,
                "location": [place_of(ref, one)],
                "summary": words(one.message),
                "recommendation": "" if one.recommendation is None else words(one.recommendation),
            }
            for one in report.findings
        ],
        "waived": [
            {"id": one.finding.id, "rule": one.finding.rule, "reason": one.waiver.reason}
            for one in report.waived
        ],
        "summary": {
            "critical_count": report.counts[Level.CRITICAL],
            "high_count": report.counts[Level.HIGH],
            "medium_count": report.counts[Level.MEDIUM],
            "low_count": report.counts[Level.LOW],
            "total_findings": sum(report.counts.values()),
            "coverage_percentage": 100 if report.coverage is None else report.coverage,
            "recommendation": report.decision.value,
        },
    }
    text = json.dumps(content, ensure_ascii=False, indent=2)
    return text.encode("utf-8", "replace").decode("utf-8") + "\n"
