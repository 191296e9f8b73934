"""The benchmarks run; what they measure is no matter for a test."""

import subprocess
import sys

import pytest

from benchmarks.clockwork import Case, as_table, measured


@pytest.mark.timeout(600)
def test_the_benchmarks_run() -> None:
    """A quick run measures every row and gives each a verdict."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    rows = [line.split("|") for line in done.stdout.splitlines() if line.startswith("|")]
    numbers = {row[1].strip() for row in rows[2:]}
    assert {"1", "2", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "19"} <= numbers
    assert {row[7].strip() for row in rows[2:] if row[1].strip()} <= {"met", "missed"}


def test_ratios_are_taken_inside_their_round() -> None:
    """A round in which the machine was slow does not count against a case."""
    slowness = (9.0, 1.0, 10.0, 2.0)
    unit = Case("", "unit", lambda number: 0.01 * slowness[number])
    case = Case("7", "case", lambda number: 0.03 * slowness[number], {"U": 2}, goal=1.6)
    lines = measured({"U": unit}, [case], rounds=3)  # and one before them
    assert lines[0].ratio is None
    assert lines[1].ratio == pytest.approx(1.5)
    assert lines[1].verdict == "met"
    assert "<= 1.6" in as_table(lines)
