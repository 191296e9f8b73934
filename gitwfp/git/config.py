"""Git's effective configuration as a value."""

from collections.abc import Sequence
from typing import overload


class Config:
    """All settings in force, later ones winning over earlier ones.

    Args:
        settings: (scope, key as git lists it, value or None for a bare key) in git's order.
    """

    def __init__(self, settings: Sequence[tuple[str, str, str | None]]) -> None:
        raise NotImplementedError

    @overload
    def get(self, key: str) -> str | None: ...
    @overload
    def get(self, key: str, default: str) -> str: ...
    def get(self, key: str, default: str | None = None) -> str | None:
        """Returns the last value of a key, or the default."""
        raise NotImplementedError

    def get_all(self, key: str) -> tuple[str, ...]:
        """Returns all values of a key in git's order."""
        raise NotImplementedError

    def get_bool(self, key: str, default: bool = False) -> bool:
        """Returns a key as git reads a boolean."""
        raise NotImplementedError

    def get_int(self, key: str, default: int) -> int:
        """Returns a key as git reads a number."""
        raise NotImplementedError

    def scope(self, key: str) -> str | None:
        """Returns where the value in force comes from: system, global, local, worktree, command."""
        raise NotImplementedError
