"""Git's effective configuration as a value, with git's own rules for keys and for types."""

import os
from collections.abc import Mapping, Sequence
from typing import overload

from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.git.program import GitProgram, to_text

_TRUE = frozenset({"true", "yes", "on"})
_FALSE = frozenset({"false", "no", "off", ""})
_UNITS = {"k": 1024, "m": 1024**2, "g": 1024**3}


class Config:
    """All settings in force, from the system's down to those of the command line.

    Section and name of a key have no case, what stands between them has. Of several values the
    last one wins.

    Args:
        settings: Scope, key and value (None for a key without `=`) in git's order.
        origins: The file that each of them is from; "" for one that is from no file.

    Attributes:
        origins: The same.
    """

    def __init__(
        self, settings: Sequence[tuple[str, str, str | None]], origins: Sequence[str] = ()
    ) -> None:
        self.origins = tuple(origins)
        self._includes = [
            (origin, key, value or "")
            for origin, (_, key, value) in zip(self.origins, settings, strict=False)
            if normal_key(key).startswith(("include.", "includeif."))
        ]
        self._settings: dict[str, list[tuple[str, str | None]]] = {}
        for scope, key, value in settings:
            self._settings.setdefault(normal_key(key), []).append((scope, value))

    @overload
    def get(self, key: str) -> str | None: ...
    @overload
    def get(self, key: str, default: str) -> str: ...
    def get(self, key: str, default: str | None = None) -> str | None:
        """Returns the last value of a key, or the default; a key without `=` is empty."""
        values = self.get_all(key)
        return values[-1] if values else default

    def get_all(self, key: str) -> tuple[str, ...]:
        """Returns all values of a key in git's order."""
        return tuple(value or "" for _, value in self._settings.get(normal_key(key), ()))

    def get_bool(self, key: str, default: bool = False) -> bool:
        """Returns a value as git reads a boolean; raises the refusal `bad-config` if it is none."""
        found = self._settings.get(normal_key(key))
        if not found:
            return default
        value = found[-1][1]
        if value is None or value.lower() in _TRUE:
            return True
        if value.lower() in _FALSE:
            return False
        return self.get_int(key, 0) != 0

    def get_int(self, key: str, default: int) -> int:
        """Returns a value as git reads a number, with the units k, m and g."""
        value = self.get(key)
        if value is None:
            return default
        digits, unit = (value[:-1], value[-1:].lower()) if value[-1:].isalpha() else (value, "")
        try:
            return int(digits) * (_UNITS[unit] if unit else 1)
        except (ValueError, KeyError):
            raise Refusal(
                "bad-config",
                say(
                    "Git's setting {key} cannot have the value {value}.", key=key, value=repr(value)
                ),
                ExitCode.ENVIRONMENT,
            ) from None

    def scope(self, key: str) -> str | None:
        """Returns where the value in force is from: system, global, local, worktree or command."""
        found = self._settings.get(normal_key(key))
        return found[-1][0] if found else None

    def keys_below(self, section: str) -> tuple[str, ...]:
        """Returns the keys of a section, such as `remote` or `remote.origin`, in normal form."""
        start = normal_key(section + ".x")[:-1]
        return tuple(sorted(key for key in self._settings if key.startswith(start)))

    def below(self, section: str) -> Mapping[str, str | None]:
        """Returns the last value of each key of a section."""
        return {key: self.get(key) for key in self.keys_below(section)}

    @property
    def includes(self) -> tuple[tuple[str, str, str], ...]:
        """The settings that include other files: the file that says so, key, value."""
        return tuple(self._includes)

    def as_mapping(self) -> Mapping[str, tuple[str, ...]]:
        """Returns all values by key in normal form."""
        return {key: self.get_all(key) for key in self._settings}


def normal_key(key: str) -> str:
    """Returns a key with the parts in lower case that have no case."""
    section, _, rest = key.partition(".")
    middle, dot, name = rest.rpartition(".")
    return f"{section.lower()}.{middle}{dot}{name.lower()}"


def read_config(git: GitProgram) -> Config:
    """Asks git for all settings in force."""
    done = git.run("config", "-z", "--list", "--show-scope", "--show-origin")
    fields = to_text(done.out).split("\0")
    settings, origins = [], []
    for scope, origin, setting in zip(fields[0::3], fields[1::3], fields[2::3], strict=False):
        key, has_value, value = setting.partition("\n")
        settings.append((scope, key, value if has_value else None))
        kind, _, name = origin.partition(":")
        origins.append(os.path.join(git.cwd, name) if kind == "file" else "")
    return Config(settings, origins)
