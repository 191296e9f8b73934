"""Where hints arrive from other threads, each once however often it comes."""

import threading
from collections.abc import Callable

from gitwfp.classes import dataclass


@dataclass(frozen=True, slots=True)
class Hints:
    """What may have changed since hints were taken the last time.

    Attributes:
        paths: Files and folders, absolute.
        folders: Those of them that are, or were, folders.
        everything: Whether anything else may have changed too.
        calls: What others want to have done in the thread that takes the hints.
    """

    paths: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    everything: bool = False
    calls: tuple[Callable[[], None], ...] = ()


class Inbox:
    """A set of hints that one thread takes and others put."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._paths: set[str] = set()
        self._folders: set[str] = set()
        self._everything = False
        self._calls: list[Callable[[], None]] = []

    def put(self, path: str, *, is_folder: bool = False) -> None:
        """Says that something at a path may have changed."""
        with self._changed:
            (self._folders if is_folder else self._paths).add(path)
            self._changed.notify()

    def put_everything(self) -> None:
        """Says that anything may have changed."""
        with self._changed:
            self._everything = True
            self._changed.notify()

    def call(self, what: Callable[[], None]) -> None:
        """Has something done in the thread that takes the hints."""
        with self._changed:
            self._calls.append(what)
            self._changed.notify()

    def take(self, timeout: float | None) -> Hints:
        """Returns and forgets the hints, and waits for the first one.

        Args:
            timeout: Seconds to wait; None for as long as it takes.
        """
        with self._changed:
            if not (self._paths or self._folders or self._everything or self._calls):
                self._changed.wait(timeout)
            taken = Hints(
                frozenset(self._paths | self._folders),
                frozenset(self._folders),
                self._everything,
                tuple(self._calls),
            )
            self._paths.clear()
            self._folders.clear()
            self._calls.clear()
            self._everything = False
        return taken
