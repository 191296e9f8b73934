"""When something that is being saved is looked at: after a pause, or when patience is over.

Example:
    >>> pending = touched(Pending(), ["a"], now=10.0)
    >>> due(pending, now=10.03, quiet=0.06, patience=1.0)
    frozenset()
    >>> due(touched(pending, ["a"], now=10.05), now=10.1, quiet=0.06, patience=1.0)
    frozenset()
    >>> due(pending, now=10.06, quiet=0.06, patience=1.0)
    frozenset({'a'})
"""

from collections.abc import Collection, Iterable, Mapping

from gitwfp.classes import dataclass, field


@dataclass(frozen=True, slots=True)
class Since:
    """When something was touched, in seconds of one clock.

    Attributes:
        first: The first time since it was looked at.
        last: The last time.
    """

    first: float
    last: float


@dataclass(frozen=True, slots=True)
class Pending:
    """What was touched and not looked at yet.

    Attributes:
        keys: When, by what.
    """

    keys: Mapping[str, Since] = field(default_factory=dict)


def touched(pending: Pending, keys: Iterable[str], now: float) -> Pending:
    """Returns what is pending once some things are touched."""
    merged = dict(pending.keys)
    for key in keys:
        before = merged.get(key)
        merged[key] = Since(now if before is None else before.first, now)
    return Pending(merged)


def due(pending: Pending, now: float, quiet: float, patience: float) -> frozenset[str]:
    """Returns what is to be looked at now.

    Args:
        pending: What was touched.
        now: The time.
        quiet: Seconds without a touch after which it is time.
        patience: Seconds after the first touch after which it is time in any case.
    """
    return frozenset(
        key
        for key, since in pending.keys.items()
        if now >= min(since.last + quiet, since.first + patience)
    )


def without(pending: Pending, keys: Collection[str]) -> Pending:
    """Returns what is pending once some things were looked at."""
    return Pending({key: since for key, since in pending.keys.items() if key not in keys})


def wake_at(pending: Pending, quiet: float, patience: float) -> float | None:
    """Returns when the next thing is to be looked at, None for never."""
    times = (min(since.last + quiet, since.first + patience) for since in pending.keys.values())
    return min(times, default=None)
