"""What the stories about the daemon share: starting one, waiting for what it finds, ending it."""

import json
import os
import select
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from gitwfp.daemon import control, place
from tests.scene import PATIENCE, Scene

Found = TypeVar("Found")

_PAUSE = 0.02


def pause(seconds: float) -> None:
    """Waits between two looks, or between two writes of somebody who writes slowly."""
    select.select([], [], [], seconds)


def eventually(look: Callable[[], Found], what: str = "") -> Found:
    """Returns what a look finds as soon as it finds something true.

    Args:
        look: The look.
        what: What is waited for, for the message.
    """
    deadline = time.monotonic() + PATIENCE
    while True:
        found = look()
        if found:
            return found
        assert time.monotonic() < deadline, f"{what or look}: {found!r}"
        pause(_PAUSE)


class Watched:
    """A worktree with a daemon.

    Attributes:
        scene: The repository.
        folder: The daemon's folder.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        git_dir = scene.git("rev-parse", "--path-format=absolute", "--git-dir")
        self.folder = os.path.join(git_dir, "wfp", "daemon")

    @property
    def pid(self) -> int:
        """The daemon's process."""
        running = control.ask(self.folder, "hello")
        assert running is not None
        assert running.pid is not None
        return running.pid

    @property
    def is_running(self) -> bool:
        """Whether a daemon has the lock."""
        return place.is_held(self.folder)

    def board(self, operation: str = "as-of-now") -> Any:
        """Returns what the daemon knows, by default of all that is saved by now."""
        running = control.ask(self.folder, operation)
        assert running is not None, self.log()
        return running.answer["data"]

    def rules(self, session: str) -> set[str]:
        """Returns the rules of what the daemon has found by itself in a session."""
        return rules_of(self.board("status"), session)

    def sees(self, session: str, rule: str) -> None:
        """Waits until the daemon has found something by itself."""
        eventually(lambda: rule in self.rules(session), f"{rule} in {session}")

    def no_longer_sees(self, session: str, rule: str) -> None:
        """Waits until the daemon has noticed by itself that something is gone."""
        eventually(lambda: rule not in self.rules(session), f"no {rule} in {session}")

    def log(self) -> str:
        """Returns the daemon's log."""
        file = Path(self.folder, place.LOG)
        return file.read_text() if file.exists() else ""

    def start(self) -> None:
        """Starts the daemon."""
        self.scene.run("daemon", "start").expect(0)

    def stop(self) -> None:
        """Ends the daemon, if there is one."""
        self.scene.run("daemon", "stop").expect(0)

    @contextmanager
    def subscription(self) -> Iterator[Callable[[], Any]]:
        """Subscribes; yields what returns the next line of the daemon."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(PATIENCE)
            client.connect(os.path.join(self.folder, "socket"))
            client.sendall(b'{"op": "subscribe"}\n')
            with client.makefile("rb") as lines:
                yield lambda: json.loads(lines.readline())


def rules_of(board: Any, session: str) -> set[str]:
    """Returns the rules of the findings of a session."""
    for state in board["sessions"]:
        if state["session"] == session and state["report"] is not None:
            return {finding["rule"] for finding in state["report"]["findings"]}
    return set()


@contextmanager
def daemon(scene: Scene, *settings: str) -> Iterator[Watched]:
    """Runs a daemon for a while.

    Args:
        scene: The repository.
        settings: Settings in git's configuration, as `wfp.daemon.backend=poll`.
    """
    for setting in settings:
        name, _, value = setting.partition("=")
        scene.git("config", name, value)
    watched = Watched(scene)
    watched.start()
    try:
        yield watched
    finally:
        watched.stop()
