"""Watching without a daemon: the same keeper, in this process and for as long as it is wanted."""

import os
import time
from collections.abc import Callable
from tempfile import TemporaryDirectory
from typing import Final

from gitwfp.daemon.backend import Backend
from gitwfp.daemon.board import Board, Delta
from gitwfp.daemon.inbox import Inbox
from gitwfp.daemon.keeper import Keeper, Told
from gitwfp.daemon.place import PROBE
from gitwfp.daemon.run import pace_of, watching
from gitwfp.daemon.surroundings import Opened, Outside
from gitwfp.flows.env import Env
from gitwfp.model.plan import SessionRef

_STEP: Final = 0.5
"""Seconds after which an interruption is noticed at the latest."""


class Watching:
    """Watches a worktree.

    Args:
        open_env: Opens the repository and reads the settings.
        top: The worktree's top.
        told: Told of every new board.
    """

    def __init__(self, open_env: Callable[[], Opened], top: str, told: Told) -> None:
        self._outside = Outside(open_env)
        env, _ = self._outside.env()
        settings = env.settings.daemon
        self._inbox = Inbox()
        self._scratch = TemporaryDirectory(prefix="gitwfp-")
        probe = os.path.join(self._scratch.name, PROBE)
        self._backend = Backend(
            settings.backend, settings.poll_interval, self._inbox, probe, watching
        )
        self._keeper = Keeper(top, self._outside, self._backend, pace_of(settings), told)
        self._is_over = False

    def stop(self) -> None:
        """Ends `run` after the step that it is at."""
        self._is_over = True

    def run(self) -> None:
        """Watches until it is stopped, or the worktree is gone."""
        now = time.monotonic()
        self._keeper.look_at_all(now, at_once=True)
        hints = self._inbox.take(0.0)
        while not self._is_over:
            now = time.monotonic()
            wake = self._keeper.step(hints, now, time.time())
            if self._keeper.is_gone:
                return
            hints = self._inbox.take(max(0.0, min(wake - time.monotonic(), _STEP)))

    def end(self) -> None:
        """Lets go of threads and files."""
        self._backend.stop()
        self._outside.close()
        self._scratch.cleanup()


class _Looking:
    """Notices nothing: for one look."""

    name = "poll"
    interval = 3600.0

    def aim(self, *_: object) -> None:
        """Watches nothing."""

    def check(self, *_: object) -> None:
        """Minds nothing."""

    def heard(self, *_: object) -> None:
        """Hears nothing."""

    def remarks(self) -> tuple[()]:
        """Returns nothing."""
        return ()

    def doubts(self) -> tuple[()]:
        """Returns nothing."""
        return ()


def settled_board(open_env: Callable[[], Opened], top: str, timeout: float) -> Board | None:
    """Returns the board as of now, once what was saved has come to rest.

    Args:
        open_env: Opens the repository and reads the settings.
        top: The worktree's top.
        timeout: Seconds to wait at most.

    Returns:
        The board; None if nothing could be judged in that time.
    """
    outside = Outside(open_env)
    env, _ = outside.env()
    inbox = Inbox()
    keeper = Keeper(top, outside, _Looking(), pace_of(env.settings.daemon), _nobody)
    deadline = time.monotonic() + timeout
    keeper.look_at_all(time.monotonic(), at_once=True)
    try:
        while True:
            now = time.monotonic()
            wake = keeper.step(inbox.take(0.0), now, time.time())
            board = keeper.board
            if (keeper.is_settled and board.time) or (board.doubts and not board.time):
                return board
            if now >= deadline or keeper.is_gone:
                return None
            inbox.take(max(0.0, min(wake, deadline) - time.monotonic()))
    finally:
        outside.close()


def _nobody(_: Env | None, __: Board, ___: tuple[Delta, ...], ____: tuple[SessionRef, ...]) -> None:
    """Is told and tells nobody."""
