"""Measures: cases in turn, each beside a reference of the same round, medians of the ratios."""

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

Seconds = float
Measure = Callable[[int], Seconds]
"""Runs a case in a round, numbered from 0, and returns how long it took."""


@dataclass(frozen=True, slots=True)
class Case:
    """Something to measure.

    Attributes:
        row: Its number in the list of goals; "" for a unit.
        what: What it is.
        measure: How.
        against: The reference: how many of each unit.
        goal: The largest ratio that meets the goal; None for a unit.
    """

    row: str
    what: str
    measure: Measure
    against: Mapping[str, float] = field(default_factory=dict)
    goal: float | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A measured case.

    Attributes:
        case: The case.
        milliseconds: The median.
        ratio: The median of the ratios to the reference of the same round; None for a unit.
    """

    case: Case
    milliseconds: float
    ratio: float | None

    @property
    def verdict(self) -> str:
        """Whether the goal is met."""
        if self.ratio is None or self.case.goal is None:
            return ""
        return "met" if self.ratio <= self.case.goal else "missed"


def measured(
    units: Mapping[str, Case], cases: Sequence[Case], rounds: int, *, warm_ups: int = 1
) -> list[Line]:
    """Measures every case once a round, in an order that is rotated from round to round.

    Args:
        units: The units by name.
        cases: The cases.
        rounds: How many rounds count.
        warm_ups: How many rounds come before these and do not count.
    """
    everything = [*units.values(), *cases]
    names = {id(case): name for name, case in units.items()}
    taken: dict[int, list[Seconds]] = {id(case): [] for case in everything}
    for number in range(warm_ups + rounds):
        turn = number % len(everything)
        for case in (*everything[turn:], *everything[:turn]):
            seconds = case.measure(number)
            if number >= warm_ups:
                taken[id(case)].append(seconds)
    unit_times = {name: taken[id(case)] for name, case in units.items()}
    lines = []
    for case in everything:
        times = taken[id(case)]
        ratios = [
            seconds / sum(count * unit_times[unit][at] for unit, count in case.against.items())
            for at, seconds in enumerate(times)
            if case.against
        ]
        is_unit = id(case) in names
        ratio = None if is_unit or not ratios else median(ratios)
        lines.append(Line(case, median(times) * 1000, ratio))
    return lines


def timed(words: Sequence[str], cwd: str, environ: Mapping[str, str]) -> Seconds:
    """Runs a program and returns the time from its start to its end; a failure is an error."""
    with open(os.devnull, "r+b") as nothing:
        start = time.perf_counter()
        with subprocess.Popen(
            words, cwd=cwd, env=environ, stdin=nothing, stdout=nothing, stderr=nothing
        ) as process:
            code = process.wait()
        seconds = time.perf_counter() - start
    if code:
        raise RuntimeError(f"exit {code}: {' '.join(words)}")
    return seconds


def as_table(lines: Sequence[Line]) -> str:
    """Returns the lines as a table in Markdown."""
    rows = [("row", "what", "median ms", "reference", "ratio", "goal", "verdict")]
    rows += [
        (
            line.case.row,
            line.case.what,
            f"{line.milliseconds:.1f}",
            " + ".join(_term(count, unit) for unit, count in line.case.against.items()),
            "" if line.ratio is None else f"{line.ratio:.2f}",
            "" if line.case.goal is None else f"<= {line.case.goal:g}",
            line.verdict,
        )
        for line in lines
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    rows.insert(1, tuple("-" * width for width in widths))  # type: ignore[arg-type]
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in rows
    )


def _term(count: float, unit: str) -> str:
    return unit if count == 1 else f"{count:g} {unit}"
