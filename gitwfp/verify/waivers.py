"""The session's `.process/waivers.json`: findings that somebody has decided to live with."""

from collections.abc import Mapping
from typing import Final

from gitwfp.errors import Diagnostic, Location, Severity, say
from gitwfp.model.findings import Finding, Waiver
from gitwfp.model.plan import WAIVERS_JSON, Plan
from gitwfp.model.values import Value
from gitwfp.patterns import regex

_DATE: Final = regex(r"\d{4}-\d\d-\d\d")
_LIST: Final = "/waivers"


def read_waivers(plan: Plan) -> tuple[tuple[Waiver, ...], tuple[Diagnostic, ...]]:
    """Returns the waivers of a session, and what is the matter with entries that are none."""
    document = plan.documents.get(WAIVERS_JSON)
    listed = document.parts.get(_LIST) if document is not None else None
    found: list[Waiver] = []
    problems: list[Diagnostic] = []
    for number, entry in enumerate(listed if isinstance(listed, tuple) else (), 1):
        waiver = _waiver(entry)
        if waiver is not None:
            found.append(waiver)
            continue
        problems.append(
            Diagnostic(
                "odd-waiver",
                say(
                    "Waiver {number} has no rule or no reason, so it counts for nothing.",
                    number=number,
                ),
                Severity.WARNING,
                Location(f"{plan.ref.folder}/{WAIVERS_JSON}", session=plan.ref.id),
                say("Write it with git wfp waive."),
            )
        )
    return tuple(found), tuple(problems)


def _waiver(entry: Value) -> Waiver | None:
    if not isinstance(entry, Mapping):
        return None
    texts = {name: value for name, value in entry.items() if isinstance(value, str)}
    until = texts.get("until")
    if not texts.get("rule") or not texts.get("reason", "").strip():
        return None
    if until is not None and not _DATE.fullmatch(until):
        return None
    return Waiver(
        texts["rule"],
        texts.get("task"),
        texts.get("subject", ""),
        texts["reason"],
        texts.get("by", ""),
        until,
    )


def waiver_of(finding: Finding, reason: str, by: str, until: str | None) -> Waiver:
    """Returns the waiver of a finding."""
    return Waiver(finding.rule, finding.location.task, finding.subject, reason, by, until)


def as_object(waiver: Waiver) -> dict[str, str | None]:
    """Returns a waiver as it stands in the file."""
    return {
        "rule": waiver.rule,
        "task": waiver.task,
        "subject": waiver.subject,
        "reason": waiver.reason,
        "by": waiver.by,
        "until": waiver.until,
    }
