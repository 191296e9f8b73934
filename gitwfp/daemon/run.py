"""One daemon from its start to its end: the lock, the threads, the loop, the signals."""

import contextlib
import gc
import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.config.settings import Daemon
from gitwfp.daemon import place
from gitwfp.daemon.autosave import Autosaver
from gitwfp.daemon.backend import Backend, Watching
from gitwfp.daemon.board import Board, Delta
from gitwfp.daemon.inbox import Inbox
from gitwfp.daemon.keeper import Keeper, Pace
from gitwfp.daemon.serve import Server, Voice
from gitwfp.daemon.surroundings import Opened, Outside
from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.flows.env import Env
from gitwfp.git.smallfiles import write_own
from gitwfp.model.plan import SessionRef

_LOG: Final = logging.getLogger("gitwfp.daemon")
_ANSWER_BY: Final = 10.0
"""Seconds after which `as-of-now` is answered although something still waits to be judged."""

_END_BY: Final = 1.5
"""Seconds after which a daemon that shall stop stops in the middle of what it does."""


class AlreadyRunning(Refusal):
    """Another daemon has the lock of this worktree."""

    def __init__(self) -> None:
        super().__init__(
            "daemon-running",
            say("A daemon is already running for this worktree."),
            ExitCode.DONE,
        )


def run(open_env: Callable[[], Opened], voice: Voice) -> None:
    """Runs the daemon of a worktree until it is stopped, or its worktree is gone.

    Args:
        open_env: Opens the repository and reads the settings.
        voice: Puts into words what it tells.

    Raises:
        AlreadyRunning: There is one.
        Refusal: There is no worktree, or the system does not let us work as it was wanted.
    """
    outside = Outside(open_env)
    env, _ = outside.env()
    top = env.repo.require_worktree()
    folder = place.folder_of(env.repo, make=True)
    held = place.hold(folder)
    if held is None:
        raise AlreadyRunning
    try:
        listening = place.listen(folder)
        try:
            with _loop(outside, env, top, folder, voice) as loop:
                server = Server(listening, voice, loop.as_of_now, loop.stop)
                loop.serve(server)
        finally:
            place.close(folder)
    except OSError as error:
        raise _cannot_run(error) from error
    finally:
        outside.close()
        os.close(held)


@contextlib.contextmanager
def _loop(outside: Outside, env: Env, top: str, folder: str, voice: Voice) -> "Iterator[Loop]":
    loop = Loop(outside, env, top, folder, voice)
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    for number in before:
        signal.signal(number, loop.on_signal)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        yield loop
    finally:
        loop.end()
        for number, handler in before.items():
            signal.signal(number, handler)


def watching(inbox: Inbox) -> Watching:
    """Returns what watches folders by the system."""
    from gitwfp.daemon.watch import Watcher

    return Watcher(inbox)


@dataclass(slots=True)
class _Question:
    """Somebody who wants the board as of a moment; `by` is when it is answered at the latest."""

    answer: Callable[[Board], None]
    by: float


class Loop:
    """The loop of a daemon.

    Args:
        outside: The repository and the settings.
        env: Both as they are now.
        top: The worktree's top.
        folder: The daemon's folder.
        voice: Puts into words what is written and told.
    """

    def __init__(self, outside: Outside, env: Env, top: str, folder: str, voice: Voice) -> None:
        settings = env.settings.daemon
        self._inbox = Inbox()
        self._repo_env = env
        self._voice = voice
        self._outside = outside
        self._server: Server | None = None
        self._stopping = threading.Event()
        self._questions: list[_Question] = []
        self._idle_exit = settings.idle_exit
        self._active = time.monotonic()
        probe = os.path.join(folder, place.PROBE)
        self._backend = Backend(
            settings.backend, settings.poll_interval, self._inbox, probe, watching
        )
        self._backend.require()
        self._saver = Autosaver(settings)
        self._keeper = Keeper(top, outside, self._backend, pace_of(settings), self._told)

    def stop(self) -> None:
        """Ends the loop soon, from any thread."""
        self._stopping.set()
        self._inbox.put_everything()
        # Verifying a large plan takes a while and has nothing to lose.
        timer = threading.Timer(_END_BY, os._exit, (0,))
        timer.daemon = True
        timer.start()

    def on_signal(self, _number: int, _frame: FrameType | None) -> None:
        """Ends the loop soon, as a handler of signals."""
        # The inbox may be in use in this very thread, which a handler must not wait for.
        threading.Thread(target=self.stop, name="stop", daemon=True).start()

    def as_of_now(self, answer: Callable[[Board], None]) -> None:
        """Has all that is saved by now judged, and answers with the board; from any thread."""

        def ask() -> None:
            now = time.monotonic()
            self._keeper.look_at_all(now, at_once=True)
            self._questions.append(_Question(answer, now + _ANSWER_BY))

        self._inbox.call(ask)

    def serve(self, server: Server) -> None:
        """Runs until the end."""
        self._server = server
        server.start()
        _LOG.info("started, pid %d, %s", os.getpid(), self._backend.name)
        now = time.monotonic()
        self._keeper.look_at_all(now, at_once=True)
        self._saver.tidy(self._repo_env)
        wake = now
        hints = self._inbox.take(0.0)
        is_first = True
        while not self._stopping.is_set():
            now = time.monotonic()
            wake = self._keeper.step(hints, now, time.time())
            if is_first:
                # What is loaded stays; the collector need not look at it again.
                gc.collect()
                gc.freeze()
                is_first = False
            if self._keeper.is_gone:
                _LOG.info("the worktree is gone")
                return
            self._answer(now)
            if self._is_idle(now):
                _LOG.info("nothing happened for %g s", self._idle_exit)
                return
            hints = self._inbox.take(max(0.0, self._sleep_until(wake) - time.monotonic()))
            if hints.calls or hints.paths:
                self._active = time.monotonic()
            for call in hints.calls:
                call()

    def end(self) -> None:
        """Lets go of threads and files."""
        self._backend.stop()
        if self._server is not None:
            self._server.close()
        with contextlib.suppress(OSError, Refusal):
            os.unlink(os.path.join(self._repo_env.repo.git_dir, "wfp", place.BOARD))
        _LOG.info("ended")

    def _sleep_until(self, wake: float) -> float:
        times = [wake, *(question.by for question in self._questions)]
        if self._idle_exit:
            times.append(self._active + self._idle_exit)
        return min(times)

    def _is_idle(self, now: float) -> bool:
        has_listeners = self._server is not None and self._server.has_listeners
        return bool(self._idle_exit) and not has_listeners and now >= self._active + self._idle_exit

    def _answer(self, now: float) -> None:
        is_settled = self._keeper.is_settled and self._keeper.board.time != ""
        left = []
        for question in self._questions:
            if is_settled or now >= question.by:
                question.answer(self._keeper.board)
            else:
                left.append(question)
        self._questions = left

    def _told(
        self,
        env: Env | None,
        board: Board,
        deltas: tuple[Delta, ...],
        judged: tuple[SessionRef, ...],
    ) -> None:
        if self._server is not None:
            self._server.publish(board, deltas, judged)
        if env is None:
            return
        write_own(env.repo, place.BOARD, self._voice.board(board) + b"\n")
        gone = tuple(delta.ref for delta in deltas if delta.after is None)
        self._saver.save(env, (*judged, *gone))


def pace_of(settings: Daemon) -> Pace:
    """Returns how patient the settings want a keeper to be."""
    return Pace(settings.quiet, max(settings.quiet, settings.patience))


def _cannot_run(error: OSError) -> Refusal:
    return Refusal(
        "daemon-cannot-run",
        say("The daemon cannot run here: {reason}.", reason=error.strerror or str(error)),
        ExitCode.ENVIRONMENT,
        hint=say("It needs a git folder that it can write to, on a disk that has sockets."),
    )
