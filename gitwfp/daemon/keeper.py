"""Keeps the board right: one step at a time, so that it can be driven by hand.

Only the thread that steps touches the repository. A step takes the hints, waits until what was
saved has come to rest and git is not at work, reads the sessions concerned again, and tells what
became of them. Whatever fails at one session disturbs no other, and three rounds that fail in a row
make the whole board doubtful.
"""

import logging
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from gitwfp.classes import dataclass, replace
from gitwfp.config.settings import Settings
from gitwfp.daemon import debounce
from gitwfp.daemon.board import Board, Delta, State, deltas
from gitwfp.daemon.inbox import Hints
from gitwfp.daemon.judge import Judged, failed, judge
from gitwfp.daemon.lookout import ALL, Aim, Lookout
from gitwfp.daemon.surroundings import Outside, opened, what_git_does
from gitwfp.errors import Diagnostic, Location, Refusal, Severity, say
from gitwfp.files.tree import FileTree
from gitwfp.flows.env import Env
from gitwfp.git.program import to_bytes
from gitwfp.model.plan import SessionRef

_LOG: Final = logging.getLogger(__name__)

_TOO_OFTEN: Final = 3
_LONGEST: Final = 30.0
"""Seconds after which a round that failed is tried again, however often it has failed."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How patient a keeper is, in seconds.

    Attributes:
        quiet: So long nothing must be saved before it is looked at.
        patience: After so long it is looked at in any case.
        busy: Between two looks whether git is still at work, at first.
        idle: The same after a while.
    """

    quiet: float = 0.06
    patience: float = 1.0
    busy: float = 0.05
    idle: float = 1.0


Told = Callable[[Env | None, Board, tuple[Delta, ...], tuple[SessionRef, ...]], None]
"""Takes the surroundings where there are any, a new board, what became of sessions, and the
sessions that were judged."""


class Keeper:
    """Keeps the board of one worktree.

    Args:
        top: The worktree's top.
        outside: The repository and the settings.
        aim: What watches.
        pace: How patient to be.
        told: Told of every new board.

    Attributes:
        board: What is known.
        is_gone: Whether the worktree is not there any more.
    """

    def __init__(self, top: str, outside: Outside, aim: Aim, pace: Pace, told: Told) -> None:
        self.board = Board(top)
        self.is_gone = False
        self._top = top
        self._outside = outside
        self._lookout = Lookout(top, aim)
        self._pace = pace
        self._told = told
        self._pending = debounce.Pending()
        self._known: dict[str, Judged] = {}
        self._next_look = 0.0
        self._busy_since: float | None = None
        self._failures = 0
        self._retry_at = 0.0
        self._day = ""
        self._settings: Settings | None = None
        self._again = False

    # ------------------------------------------------------------------------------ steps

    def look_at_all(self, now: float, *, at_once: bool = False) -> None:
        """Has everything looked at in the next step, or in the one after a pause."""
        self._touch([ALL], now - self._pace.patience if at_once else now)

    @property
    def is_settled(self) -> bool:
        """Whether nothing waits to be judged."""
        return not self._pending.keys

    def step(self, hints: Hints, now: float, clock: float) -> float:
        """Does what is to be done now.

        Args:
            hints: What may have changed.
            now: The time in seconds of a clock that only goes forward.
            clock: The time in seconds since 1970.

        Returns:
            When the next step is due at the latest, by the first clock.
        """
        try:
            self._step(hints, now, clock)
        except Refusal as refusal:
            self._fail(refusal.code, refusal, now)
        except Exception as error:  # noqa: BLE001 - the boundary: it goes on, and says so
            _LOG.exception("a round failed")
            self._fail("round-failed", error, now)
        return self._wake(now)

    def _step(self, hints: Hints, now: float, clock: float) -> None:
        if not os.path.isdir(to_bytes(self._top)):
            self.is_gone = True
            return
        with opened(self._outside) as (env, remarks):
            self._touch(self._lookout.keys(env, hints), now)
            rest = env.settings, env.time()[:10]
            if rest != (self._settings, self._day):
                # What settings want, and the day on which a waiver ends, decide as well.
                self._again = True
                self._settings, self._day = rest
                self._touch([ALL], now)
            if now >= self._next_look and ALL not in self._pending.keys:
                self._look(env, now, clock, on_time=True)
                # How changes are noticed may be otherwise now.
                self._publish(env, self.board.states, self.board.busy, remarks)
            self._judge_what_is_due(env, remarks, now, clock)
        self._failures = 0

    def _judge_what_is_due(
        self, env: Env, remarks: tuple[Diagnostic, ...], now: float, clock: float
    ) -> None:
        keys = debounce.due(self._pending, now, self._pace.quiet, self._pace.patience)
        if not keys:
            return
        busy = what_git_does(env, clock)
        if busy is not None:
            if self._busy_since is None:
                self._busy_since = now
            self._publish(env, self.board.states, busy, remarks)
            return
        if self._busy_since is not None:
            # A switch of branches, say: everything may be different, and is one round.
            self._busy_since = None
            keys |= {ALL}
        if ALL in keys:
            keys |= self._look(env, now, clock)
        self._round(env, remarks, keys, now)

    def _round(
        self, env: Env, remarks: tuple[Diagnostic, ...], keys: frozenset[str], now: float
    ) -> None:
        tree = env.repo.worktree_files(env.settings.limits.file_bytes)
        again, self._again = self._again, False
        states: dict[str, State] = {}
        judged_now: list[SessionRef] = []
        torn: list[str] = []
        for folder, ref in self._lookout.sessions:
            known = self._known.get(folder)
            if known is not None and folder not in keys and ALL not in keys:
                states[folder] = known.state
                continue
            found = self._judged(env, tree, ref, known, again=again)
            if found is None:
                self._lookout.forget(folder)
                continue
            if found.is_torn and not self._is_overdue(folder, now):
                # Perhaps it is still being written: what was known stands until patience is over.
                torn.append(folder)
                if known is not None:
                    states[folder] = known.state
                continue
            if found is not known:
                self._known[folder] = found
                judged_now.append(ref)
            states[folder] = found.state
        self._known = {folder: one for folder, one in self._known.items() if folder in states}
        self._pending = debounce.without(self._pending, keys.difference(torn))
        self._touch(torn, now)
        self._publish(env, states, None, remarks, tuple(judged_now))

    def _judged(
        self,
        env: Env,
        tree: FileTree,
        ref: SessionRef,
        known: Judged | None,
        *,
        again: bool,
    ) -> Judged | None:
        try:
            return judge(env, tree, ref, self._lookout.around, known, again=again)
        except Refusal:
            raise
        except Exception as error:  # noqa: BLE001 - one bad file must not silence the others
            _LOG.exception("the session in %s could not be judged", ref.folder)
            return failed(env, ref, error)

    def _is_overdue(self, folder: str, now: float) -> bool:
        since = self._pending.keys.get(folder)
        return since is not None and now >= since.first + self._pace.patience

    def _look(self, env: Env, now: float, clock: float, *, on_time: bool = False) -> frozenset[str]:
        elsewhere = {folder: known.elsewhere for folder, known in self._known.items()}
        keys = self._lookout.look(
            env, clock, elsewhere, self._pending.keys.keys() if on_time else None
        )
        self._next_look = now + self._lookout.aim.interval
        self._touch(keys, now)
        return keys

    # ------------------------------------------------------------------------------ telling

    def _publish(
        self,
        env: Env,
        states: Mapping[str, State],
        busy: str | None,
        remarks: tuple[Diagnostic, ...],
        judged_now: tuple[SessionRef, ...] = (),
    ) -> None:
        before = self.board
        pending = tuple(sorted(key for key in self._pending.keys if key != ALL))
        new = replace(
            before,
            states=states,
            backend=self._lookout.aim.name,
            head=self._lookout.head,
            busy=busy,
            pending=pending,
            doubts=self._lookout.doubts(),
            remarks=(*remarks, *self._lookout.remarks()),
            rounds=before.rounds + bool(judged_now),
            time=env.time(),
        )
        changes = deltas(before, new)
        is_news = changes or judged_now or replace(new, time=before.time) != before
        self.board = new
        if is_news:
            self._told(env, new, changes, judged_now)

    def _fail(self, code: str, error: Exception, now: float) -> None:
        self._failures += 1
        self._retry_at = now + min(self._pace.idle * self._failures, _LONGEST)
        reason = error.message if isinstance(error, Refusal) else f"{type(error).__name__}: {error}"
        text = say("The plans could not be looked at: {reason}", reason=reason)
        hint = error.hint if isinstance(error, Refusal) else None
        why = Diagnostic(code, text, Severity.ERROR, Location(), hint)
        self._outside.close()
        if self._failures >= _TOO_OFTEN or isinstance(error, Refusal):
            before = self.board
            self.board = replace(before, doubts=(why,))
            if self.board != before:
                self._told(None, self.board, (), ())

    def _touch(self, keys: Iterable[str], now: float) -> None:
        self._pending = debounce.touched(self._pending, keys, now)

    def _wake(self, now: float) -> float:
        pace = self._pace
        if self._failures:
            return self._retry_at
        if self._busy_since is not None:
            return now + (pace.busy if now - self._busy_since < 2 * pace.idle else pace.idle)
        wake = debounce.wake_at(self._pending, pace.quiet, pace.patience)
        return self._next_look if wake is None else min(self._next_look, max(wake, now))
