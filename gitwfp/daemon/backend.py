"""How changes are noticed: by the system, or by looking at all files from time to time.

Where the system cannot tell, or tells nothing, every file is looked at each second instead, and the
board says so.
"""

import errno
import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Final, Protocol

from gitwfp.daemon.inbox import Inbox
from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, Text, say
from gitwfp.files.paths import WORKFLOW

SWEEP: Final = 60.0
"""Seconds between two looks at all files where the system tells of changes."""

_PATIENCE: Final = 2.5
"""Seconds after which a change of our own must have been heard of, and every folder be watched."""

_MOST_MISSED: Final = 3


class Watching(Protocol):
    """What watches folders; see `gitwfp.daemon.watch.Watcher`."""

    def aim(self, folders: Mapping[str, bool]) -> None:
        """Watches some folders and no others."""
        ...

    def count(self) -> int | None:
        """Returns how many folders are watched, None where that is not known."""
        ...

    def stop(self) -> None:
        """Ends watching."""
        ...


class Backend:
    """Notices changes by the system as long as that works, else by looking.

    Args:
        wanted: `auto`, `native` or `poll`.
        interval: Seconds between two looks while polling.
        inbox: Takes the hints.
        probe: A file of ours that is written to see whether the system tells of it.
        watching: Makes what watches.
    """

    def __init__(
        self,
        wanted: str,
        interval: float,
        inbox: Inbox,
        probe: str,
        watching: Callable[[Inbox], Watching],
    ) -> None:
        self._wanted = wanted
        self._poll_interval = interval
        self._probe = probe
        self._probed_at: float | None = None
        self._is_heard = False
        self._missed = 0
        self._short_since: float | None = None
        self._others = 0
        self._why: Diagnostic | None = None
        self._watching: Watching | None = None
        if wanted != "poll":
            try:
                self._watching = watching(inbox)
            except OSError as error:
                self._give_up(_refused(error))

    @property
    def name(self) -> str:
        """`native` or `poll`."""
        return "poll" if self._watching is None else "native"

    @property
    def interval(self) -> float:
        """Seconds between two looks at all files."""
        if self._watching is None:
            return self._poll_interval
        is_unsure = not self._is_heard or self._short_since is not None
        return _SOON if is_unsure else SWEEP

    def aim(self, top: str, git_dir: str, workspaces: Iterable[str]) -> None:
        """Watches the workspaces, and besides only what says that they come, go or move."""
        if self._watching is None:
            return
        folders = {top: False, git_dir: False, os.path.dirname(self._probe): False}
        for workspace in workspaces:
            above = workspace.removesuffix(WORKFLOW).rstrip("/")
            folders.setdefault(os.path.join(top, above) if above else top, False)
            folders[os.path.join(top, workspace)] = True
        self._others = sum(not below for below in folders.values())
        try:
            self._watching.aim(folders)
        except OSError as error:
            self._give_up(_refused(error))
            return
        if self._probed_at is None:
            self._probed_at = time.monotonic()
            with suppress(OSError), open(self._probe, "wb"):
                # What cannot be written is heard of as little, and then polling is right.
                pass

    def check(self, folders: int, missed: int) -> None:
        """Takes what a look has found; see `gitwfp.daemon.keeper.Aim`."""
        if self._watching is None:
            return
        count = self._watching.count()
        now = time.monotonic()
        if count is None or count >= folders + self._others:
            self._short_since = None
        elif self._short_since is None:
            # A folder that was just made may not be watched yet.
            self._short_since = now
        self._missed = self._missed + 1 if missed else 0
        if self._short_since is not None and now > self._short_since + _PATIENCE:
            self._give_up(_LIMIT)
        elif self._missed >= _MOST_MISSED or not (
            self._is_heard or self._probed_at is None or now < self._probed_at + _PATIENCE
        ):
            self._give_up(_SILENT)

    def heard(self, path: str) -> None:
        """Takes a hint about our own files: the probe has been heard of."""
        if path == self._probe:
            self._is_heard = True

    def remarks(self) -> tuple[Diagnostic, ...]:
        """Returns why changes are noticed otherwise than was to be expected."""
        return () if self._why is None or self._wanted == "native" else (self._why,)

    def doubts(self) -> tuple[Diagnostic, ...]:
        """Returns why changes may go unnoticed for a while."""
        return (self._why,) if self._why is not None and self._wanted == "native" else ()

    def stop(self) -> None:
        """Ends watching."""
        if self._watching is not None:
            self._watching.stop()
            self._watching = None

    def require(self) -> None:
        """Raises the refusal `cannot-watch` where the system was wanted and does not do."""
        if self._wanted == "native" and self._why is not None:
            raise Refusal(
                self._why.code, self._why.message, ExitCode.ENVIRONMENT, hint=self._why.hint
            )

    def _give_up(self, why: Text) -> None:
        self._why = Diagnostic(
            "cannot-watch",
            say(
                "{why} All files are looked at each {count} s.", why=why, count=self._poll_interval
            ),
            Severity.WARNING,
            Location(WORKFLOW),
            say("See daemon.backend: git config wfp.daemon.backend poll says it is meant so."),
        )
        self.stop()


_SOON: Final = 1.0

_LIMIT: Final = say(
    "The system watches fewer folders than there are; the limit is fs.inotify.max_user_watches."
)
_SILENT: Final = say("The system does not tell of changes here, as on some network drives.")


def _refused(error: OSError) -> Text:
    if error.errno == errno.ENOSPC:
        return _LIMIT
    if error.errno == errno.EMFILE:
        return say(
            "The system has no more watchers to give; the limit is fs.inotify.max_user_instances."
        )
    return say("The system cannot watch: {reason}.", reason=error.strerror or str(error))
