"""Writes the reference of all rules of verify: `python -m gitwfp.cli.rulebook`."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from gitwfp.model.findings import TIERS
from gitwfp.verify.reportfile import DIMENSIONS
from gitwfp.verify.run import rules

FILE: Final = "docs/rules.md"

_INTRODUCTION: Final = """\
# Rules

What `git wfp verify` looks for, in the order in which it does. This page is written by
`python -m gitwfp.cli.rulebook`; `git wfp explain RULE` says the same in the terminal, in your
language.

Any CRITICAL finding makes the decision `BLOCK_EXECUTION`, else any HIGH one
`PROCEED_WITH_FIXES`, else any MEDIUM one `PROCEED_WITH_CAUTION`; without one of these it is
`PROCEED`. A finding that is waived does not count. A CRITICAL finding in A or B ends the
verification before tiers 3 and 4. Of tiers 2, 3 and 4 at most 15, 20 and 15 findings are
listed, of all together 50; the rest is counted. CRITICAL ones are always listed.

A rule's inputs say what its answer depends on: `intent` is what the plan means, `progress` its
statuses, `tree` the files of the repository."""


def page() -> str:
    """Returns the reference as Markdown."""
    return "\n".join([_INTRODUCTION, *_tiers()]) + "\n"


def _tiers() -> Iterator[str]:
    for number, dimensions in enumerate(TIERS, 1):
        for dimension in dimensions:
            yield f"\n## {dimension.value}. {DIMENSIONS[dimension]} (tier {number})"
            for rule in rules():
                if rule.dimension is dimension:
                    inputs = ", ".join(sorted(one.value for one in rule.inputs))
                    yield f"\n### {rule.id}"
                    yield f"\n{rule.level}, from {inputs}. {rule.finds}"
                    yield f"\n- Why: {rule.why}"
                    yield f"- Example: {rule.example}"
                    yield f"- Remedy: {rule.remedy}"


def write(path: str = FILE) -> None:
    """Writes the reference into a file."""
    Path(path).write_text(page(), "utf-8", newline="\n")


def main(words: Sequence[str]) -> None:
    """Writes the reference, into the file named first if there is one."""
    write(*words[:1])


if __name__ == "__main__":
    main(sys.argv[1:])
