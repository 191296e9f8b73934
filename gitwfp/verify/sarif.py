"""SARIF 2.1.0: findings in the form that code hosts show beside the code."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from gitwfp.model.findings import Finding, Level, Report
from gitwfp.verify.run import VERSION, find_rule

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final[Mapping[Level, str]] = {
    Level.CRITICAL: "error",
    Level.HIGH: "error",
    Level.MEDIUM: "warning",
    Level.LOW: "note",
}


def sarif(reports: Iterable[Report], version: str) -> dict[str, Any]:
    """Returns a SARIF log of some reports.

    Args:
        reports: One for each session.
        version: The version of this program.
    """
    every = list(reports)
    results = [_result(one, suppressed=None) for report in every for one in report.findings]
    results += [
        _result(one.finding, suppressed=one.waiver.reason)
        for report in every
        for one in report.waived
    ]
    names = sorted({result["ruleId"] for result in results})
    for result in results:
        result["ruleIndex"] = names.index(result["ruleId"])
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "git-wfp",
                        "version": version,
                        "rules": [_rule(name) for name in names],
                        "properties": {"ruleset": VERSION},
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": results,
            }
        ],
    }


def _rule(name: str) -> dict[str, Any]:
    rule = find_rule(name)
    if rule is None:
        return {"id": name}
    return {
        "id": name,
        "shortDescription": {"text": str(rule.finds)},
        "fullDescription": {"text": str(rule.why)},
        "help": {"text": f"{rule.remedy} {rule.example}"},
        "defaultConfiguration": {"level": _LEVELS[rule.level]},
        "properties": {"dimension": rule.dimension.value, "severity": rule.level.value},
    }


def _result(finding: Finding, *, suppressed: str | None) -> dict[str, Any]:
    where = finding.location
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "level": _LEVELS[finding.level],
        "message": {"text": str(finding.message)},
        "partialFingerprints": {"finding/v1": finding.id},
        "properties": {"severity": finding.level.value, "dimension": finding.dimension.value},
    }
    place: dict[str, Any] = {}
    if where.path is not None:
        physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(where.path)}}
        if where.line is not None:
            physical["region"] = {"startLine": where.line}
        place["physicalLocation"] = physical
    name = ".".join(filter(None, (where.session, where.task, where.field)))
    if name:
        place["logicalLocations"] = [{"fullyQualifiedName": name}]
    if place:
        result["locations"] = [place]
    if suppressed is not None:
        result["suppressions"] = [{"kind": "external", "justification": suppressed}]
    return result


def _uri(path: str) -> str:
    from urllib.parse import quote

    return quote(path.encode("utf-8", "surrogateescape"))
