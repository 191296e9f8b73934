"""Findings as the workflow commands of GitHub Actions, which show them beside the changed lines."""

from collections.abc import Iterable, Iterator
from typing import Final

from gitwfp.model.findings import Finding, Level

_KINDS: Final = {Level.CRITICAL: "error", Level.HIGH: "error", Level.MEDIUM: "warning"}


def annotations(findings: Iterable[Finding]) -> Iterator[str]:
    """Yields a line for each finding.

    The form is `::error file=...,line=...,title=...::message`, in which `%`, line ends and, in
    properties, `:` and `,` are written as percent codes.
    """
    for one in findings:
        where = one.location
        properties = {
            "file": where.path,
            "line": None if where.line is None else str(where.line),
            "title": f"{one.rule} ({one.level})",
        }
        listed = ",".join(
            f"{name}={_property(value)}" for name, value in properties.items() if value is not None
        )
        yield f"::{_KINDS.get(one.level, 'notice')} {listed}::{_message(str(one.message))}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
