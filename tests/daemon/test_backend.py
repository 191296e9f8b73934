"""When a daemon stops relying on the system, and says so."""

import errno
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from gitwfp.daemon import backend as module
from gitwfp.daemon.backend import SWEEP, Backend
from gitwfp.daemon.inbox import Inbox
from gitwfp.errors import Refusal


class Watching:
    """Watches nothing; says what it was aimed at and as many folders as a test wants."""

    def __init__(self, error: OSError | None = None, count: int | None = None) -> None:
        self.error = error
        self.counted = count
        self.folders: Mapping[str, bool] = {}
        self.stopped = False

    def aim(self, folders: Mapping[str, bool]) -> None:
        """Takes folders, or fails."""
        if self.error is not None:
            raise self.error
        self.folders = folders

    def count(self) -> int | None:
        """Returns the wanted number."""
        return self.counted

    def stop(self) -> None:
        """Notes the end."""
        self.stopped = True


class Clock:
    """The clock of the module, moved by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        """Returns the time."""
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock that the test moves."""
    made = Clock()
    monkeypatch.setattr(module, "time", made)
    return made


def backend(tmp_path: Path, watching: Watching, wanted: str = "auto") -> Backend:
    """Returns a backend in a folder of its own."""
    probe = str(tmp_path / "probe")
    return Backend(wanted, 0.5, Inbox(), probe, lambda _: watching)


def aim(made: Backend) -> None:
    """Has it watch one workspace."""
    made.aim("/w", "/w/.git", [".workflow", "web/.workflow"])


def test_only_workspaces_are_watched_below(tmp_path: Path, clock: Clock) -> None:
    """Everything else that is watched is one folder each, for what comes and goes there."""
    watching = Watching()
    aim(backend(tmp_path, watching))
    assert watching.folders == {
        "/w": False,
        "/w/.git": False,
        str(tmp_path): False,
        "/w/.workflow": True,
        "/w/web": False,
        "/w/web/.workflow": True,
    }


def test_a_silent_system_is_noticed(tmp_path: Path, clock: Clock) -> None:
    """F-DM-08: where a change of our own is not told, all files are looked at instead."""
    watching = Watching()
    made = backend(tmp_path, watching)
    aim(made)
    made.check(2, 0)
    assert (made.name, made.interval) == ("native", 1.0)
    clock.now += 10
    made.check(2, 0)
    assert (made.name, made.interval, watching.stopped) == ("poll", 0.5, True)
    assert "does not tell" in str(made.remarks()[0].message)


def test_a_system_that_tells_is_relied_on(tmp_path: Path, clock: Clock) -> None:
    """Once the probe is heard of, looks are rare."""
    made = backend(tmp_path, Watching())
    aim(made)
    made.heard(str(tmp_path / "probe"))
    clock.now += 10
    made.check(2, 0)
    assert (made.name, made.interval, made.remarks()) == ("native", SWEEP, ())


def test_changes_that_nobody_announced(tmp_path: Path, clock: Clock) -> None:
    """Three looks in a row that find such changes end the trust in the system."""
    made = backend(tmp_path, Watching())
    aim(made)
    made.heard(str(tmp_path / "probe"))
    for missed in (1, 1, 0, 1, 1):
        made.check(2, missed)
        assert made.name == "native"
    made.check(2, 1)
    assert made.name == "poll"


def test_folders_that_are_not_watched(tmp_path: Path, clock: Clock) -> None:
    """F-DM-04: too few watches are noticed, but not those that are only on their way."""
    watching = Watching(count=3)
    made = backend(tmp_path, watching)
    aim(made)
    made.heard(str(tmp_path / "probe"))
    made.check(4, 0)
    watching.counted = 8
    clock.now += 10
    made.check(4, 0)
    assert made.name == "native"
    watching.counted = 3
    made.check(4, 0)
    clock.now += 10
    made.check(4, 0)
    assert made.name == "poll"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EMFILE, errno.EACCES])
def test_a_system_that_refuses(tmp_path: Path, clock: Clock, number: int) -> None:
    """The reason is said in words of its own, none of them about disk space."""
    made = backend(tmp_path, Watching(OSError(number, os.strerror(number))))
    aim(made)
    assert made.name == "poll"
    assert "disk" not in str(made.remarks()[0].message)
    assert "space" not in str(made.remarks()[0].message)


def test_a_system_that_was_insisted_on(tmp_path: Path, clock: Clock) -> None:
    """With daemon.backend=native, not being told is a doubt about the board, or a refusal."""
    made = backend(tmp_path, Watching(OSError(errno.ENOSPC, "no space")), "native")
    aim(made)
    assert made.doubts()
    with pytest.raises(Refusal, match="max_user_watches"):
        made.require()
