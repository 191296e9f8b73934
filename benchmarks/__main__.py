"""Benchmarks: `make bench`, or `python -m benchmarks`.

Machines differ, so only ratios count: each is taken inside its round, to a reference measured in
that round. Run it when the machine has nothing else to do.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.cases import cases, make_workspace, units
from benchmarks.clockwork import as_table, measured
from benchmarks.judging import judging_cases, judging_units
from benchmarks.places import sealed_environment

HISTORY = 20_000


def main() -> int:
    """Measures and prints the table; a missed goal is in the table and no failure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small data, one round: a smoke test")
    parser.add_argument("--rounds", type=int, default=15, help="how many rounds count")
    parser.add_argument(
        "--history", action="store_true", help=f"put {HISTORY} commits of code under the plans"
    )
    asked = parser.parse_args()
    top = Path(tempfile.mkdtemp(prefix="wfp-bench-"))
    (top / "home").mkdir()
    environ = sealed_environment(top / "home")
    files, sessions, tasks = (60, 5, 6) if asked.quick else (2000, 40, 25)
    commits = HISTORY if asked.history else 0
    large = make_workspace(
        top / "large", environ, files=files, sessions=sessions, tasks=tasks, commits=commits
    )
    small = make_workspace(top / "small", environ, files=60, sessions=1, tasks=10, commits=0)
    rounds, warm_ups, merged = (1, 0, 20) if asked.quick else (asked.rounds, 1, 500)
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout
    print(
        f"{files} files, {sessions} sessions, {sessions * tasks} tasks, {commits} commits before; "
        f"medians of {rounds} rounds; Python {sys.version.split()[0]}, {git.strip()}\n"
    )
    judged = 60 if asked.quick else 1000
    found = (
        {**units(large, merged), **judging_units(judged)},
        [*cases(large, small, merged), *judging_cases(large, small, judged)],
    )
    print(as_table(measured(*found, rounds, warm_ups=warm_ups)))
    shutil.rmtree(top)
    return 0


if __name__ == "__main__":
    sys.exit(main())
