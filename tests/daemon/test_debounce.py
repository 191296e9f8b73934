"""Properties of waiting until something that is saved has come to rest."""

from hypothesis import given
from hypothesis import strategies as st

from gitwfp.daemon.debounce import Pending, due, touched, wake_at, without

QUIET, PATIENCE = 0.06, 1.0
TIMES = st.lists(st.floats(0.0, 0.5), min_size=1, max_size=40)
KEYS = st.sampled_from(["a", "b", "c"])


def after(steps: list[float]) -> tuple[Pending, float]:
    """Returns what is pending after touches with some pauses between them, and the time."""
    pending, now = Pending(), 0.0
    for step in steps:
        now += step
        pending = touched(pending, ["a"], now)
    return pending, now


@given(TIMES)
def test_what_is_touched_is_due_after_the_pause(steps: list[float]) -> None:
    """However it was touched, nothing waits longer than the pause after the last touch."""
    pending, now = after(steps)
    assert due(pending, now + QUIET, QUIET, PATIENCE) == {"a"}


@given(TIMES)
def test_nothing_waits_longer_than_patience(steps: list[float]) -> None:
    """Whoever never stops saving is judged all the same."""
    pending, _ = after(steps)
    first = pending.keys["a"].first
    assert due(pending, first + PATIENCE, QUIET, PATIENCE) == {"a"}


@given(TIMES, st.floats(0.0, 2.0))
def test_waking_and_being_due_agree(steps: list[float], later: float) -> None:
    """Something is due exactly from the time on that was to be woken at."""
    pending, now = after(steps)
    wake = wake_at(pending, QUIET, PATIENCE)
    assert wake is not None
    assert bool(due(pending, now + later, QUIET, PATIENCE)) == (now + later >= wake)


@given(st.lists(KEYS), st.sets(KEYS))
def test_only_what_was_looked_at_is_forgotten(keys: list[str], looked_at: set[str]) -> None:
    """What was touched meanwhile stays."""
    pending = touched(Pending(), keys, 1.0)
    assert set(without(pending, looked_at).keys) == set(keys) - looked_at


def test_nothing_pending_wakes_nobody() -> None:
    """An idle daemon sleeps."""
    assert wake_at(Pending(), QUIET, PATIENCE) is None
