"""A short torture: what `make torture` does at length, a few rounds of it.

`docs/reliability.md` has the figures of a long run.
"""

from pathlib import Path

import pytest

from benchmarks.places import sealed_environment
from benchmarks.torture import kill_at_random, linked_places, make_place, many_at_once

pytestmark = pytest.mark.timeout(600)


@pytest.fixture
def environ(home: Path) -> dict[str, str]:
    """The environment of the commands."""
    return sealed_environment(home)


def test_a_killed_replan_leaves_the_old_plan_or_the_new_one(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    """Whenever a replan is killed, the next command finds a whole repository and goes on."""
    tally = kill_at_random(make_place(tmp_path / "one", environ, files=20), kills=6, seed=1)
    assert tally.counts["kills"] == tally.counts["old plan"] + tally.counts["new plan"] == 6


def test_many_at_once_lose_nothing(tmp_path: Path, environ: dict[str, str]) -> None:
    """Four processes with three replans each: a commit a success, a reason a refusal."""
    tally = many_at_once([make_place(tmp_path / "one", environ, files=20)], processes=4, rounds=3)
    assert tally.counts["replans"] == 12
    assert tally.counts["commits"] == tally.counts["done"] > 0


def test_many_at_once_in_two_worktrees_lose_nothing(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    """Two linked worktrees of one repository: each branch has what was reported there."""
    tally = many_at_once(linked_places(tmp_path, environ), processes=4, rounds=2)
    assert tally.counts["replans"] == 8
    assert tally.counts["commits"] == tally.counts["done"] > 0
