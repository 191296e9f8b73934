"""Hints from the system about changed files; the only user of watchdog.

They are hints and no more: kinds that are reads are not asked for, since otherwise each look of
ours would be reported to us; and what the system drops or never reports is found by a sweep
(`gitwfp.daemon.sweep`). A file that is moved out of a folder holds every later report back for half
a second, while the library waits for the other half of the move.
"""

import logging
import os
import sys
import warnings
from collections.abc import Mapping
from typing import Final

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, ObservedWatch

from gitwfp.daemon.inbox import Inbox
from gitwfp.git.program import to_text

_PAUSE: Final = 3600.0
"""Seconds after which the library looks whether it is still wanted; stopping wakes it."""

_FOLDER_KINDS: Final[list[type[FileSystemEvent]]] = [
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
]
_FILE_KINDS: Final[list[type[FileSystemEvent]]] = [
    FileCreatedEvent,
    FileDeletedEvent,
    FileMovedEvent,
    # Where the system tells that a file was written and closed, that is when to look.
    FileClosedEvent if sys.platform == "linux" else FileModifiedEvent,
]

Identity = tuple[int, int]


class Watcher:
    """Watches folders and puts hints into an inbox.

    Args:
        inbox: Takes the hints.
    """

    def __init__(self, inbox: Inbox) -> None:
        # A folder that vanishes while it is added makes the library warn with all that it knows.
        warnings.filterwarnings("ignore", module=r"watchdog\.")
        self._handler = _Handler(inbox)
        self._listener = _Listener(inbox)
        self._watches: dict[str, tuple[ObservedWatch, Identity]] = {}
        self._observer: BaseObserver = Observer(timeout=_PAUSE)
        self._observer.start()
        self._log = logging.getLogger("watchdog")
        self._log.addHandler(self._listener)

    def aim(self, folders: Mapping[str, bool]) -> None:
        """Watches some folders and no others.

        Args:
            folders: By path, whether what is below is watched too. One that is not there, or is no
                folder, is left out.

        Raises:
            OSError: The system does not let us; what could be watched before may be so no more.
        """
        wanted = {path: found for path in folders if (found := _identity(path)) is not None}
        for path, (watch, known) in tuple(self._watches.items()):
            if wanted.get(path) != known:
                del self._watches[path]
                self._observer.unschedule(watch)
        for path, found in wanted.items():
            if path not in self._watches:
                watch = self._observer.schedule(
                    self._handler,
                    path,
                    recursive=folders[path],
                    event_filter=_FOLDER_KINDS + _FILE_KINDS,
                )
                self._watches[path] = watch, found

    def count(self) -> int | None:
        """Returns how many folders the system watches for us, None where it does not say."""
        return watched_folders()

    def stop(self) -> None:
        """Ends watching."""
        self._log.removeHandler(self._listener)
        self._observer.stop()
        self._observer.join()


def watched_folders() -> int | None:
    """Returns how many folders the system watches for this process, None where it does not say.

    The library passes in silence over a folder below one that it watches if the system refuses it,
    as it does when a user's watches are used up.
    """
    try:
        numbers = os.listdir("/proc/self/fd")
    except OSError:
        return None
    count = 0
    for number in numbers:
        try:
            if os.readlink(f"/proc/self/fd/{number}") != "anon_inode:inotify":
                continue
            with open(f"/proc/self/fdinfo/{number}", encoding="ascii") as facts:
                count += sum(line.startswith("inotify ") for line in facts)
        except OSError:
            # It was closed since it was listed.
            continue
    return count


def _identity(path: str) -> Identity | None:
    try:
        status = os.stat(path, follow_symlinks=False)
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if status.st_mode & 0o170000 == 0o040000 else None


class _Handler(FileSystemEventHandler):
    """Puts what is reported into the inbox."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Takes one event, with both names of a move."""
        for path in (event.src_path, event.dest_path):
            if path:
                self._inbox.put(to_text(os.fsencode(path)), is_folder=event.is_directory)


class _Listener(logging.Handler):
    """Takes what the library only writes into its log: that the system has dropped events."""

    def __init__(self, inbox: Inbox) -> None:
        super().__init__(logging.WARNING)
        self._inbox = inbox

    def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002 - any of them is a reason
        """Has everything looked at."""
        self._inbox.put_everything()
