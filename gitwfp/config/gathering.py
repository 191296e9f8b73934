"""Values gathered from several places, and the settings that they make together."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from gitwfp.classes import dataclass, fields, replace
from gitwfp.config.keys import TOOLS, Key, Value, rows
from gitwfp.config.settings import USUAL_TOOLS, Settings, Tool
from gitwfp.config.wording import nearest
from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, Text, say, say_n

# A file of nothing but unknown names is not worth a screenful, and similarity is slow to tell.
_MOST_SHOWN = 20


class Source(StrEnum):
    """The kinds of places that values come from, the weakest first."""

    DEFAULT = "default"
    FILE = "file"
    GIT = "git"
    ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the value in force comes from.

    Attributes:
        source: The kind of place.
        name: Path of the file, key as git's configuration has it, or variable; None for a default.
    """

    source: Source
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings in force, and how they came about.

    Attributes:
        settings: The settings.
        diagnostics: Warnings about names that are not known.
        origins: Where each setting's value comes from, by its name, `tools.codex.enabled`.
    """

    settings: Settings
    diagnostics: tuple[Diagnostic, ...]
    origins: Mapping[str, Origin]


class Gathering:
    """What has been read so far; a later value replaces an earlier one.

    It knows the usual tools from the start, and others once they are mentioned.
    """

    def __init__(self) -> None:
        self._tools: dict[str, None] = dict.fromkeys(USUAL_TOOLS)
        self._values: dict[str, Value] = {}
        self._origins: dict[str, Origin] = {}
        self._warnings: list[Diagnostic] = []
        self._errors: list[Diagnostic] = []
        self._unknown = 0

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of the known tools."""
        return tuple(self._tools)

    def add_tool(self, name: str) -> None:
        """Makes a tool known."""
        self._tools.setdefault(name)

    def take(self, key: Key, tool: str, value: Value, origin: Origin) -> None:
        """Sets a setting to a value that it can have."""
        if tool:
            self.add_tool(tool)
        self._values[key.spelled(tool)] = value
        self._origins[key.spelled(tool)] = origin

    def refuse(self, message: Text, location: Location | None = None) -> None:
        """Notes a value that a setting cannot have."""
        hint = say("Correct it, or take it out for the default.")
        place = location or Location()
        self._errors.append(Diagnostic("bad-setting", message, Severity.ERROR, place, hint))

    def warn(
        self, message: Text, name: str, known: Iterable[str], location: Location | None = None
    ) -> None:
        """Notes a name that is not known, and the nearest of those that are."""
        self._unknown += 1
        if self._unknown > _MOST_SHOWN:
            return
        near = nearest(name, known)
        hint = (
            say("The nearest known name is {name}.", name=near)
            if near
            else say("`git wfp config list` shows the settings there are.")
        )
        place = location or Location()
        self._warnings.append(Diagnostic("unknown-setting", message, Severity.WARNING, place, hint))

    def loaded(self) -> Loaded:
        """Returns the settings; raises the refusal `bad-setting` if any value was refused."""
        if self._errors:
            first, *others = self._errors
            raise Refusal(
                first.code,
                first.message,
                ExitCode.USAGE,
                hint=first.hint,
                location=first.location,
                details=tuple(others[:_MOST_SHOWN]),
            )
        warnings = list(self._warnings)
        if self._unknown > _MOST_SHOWN:
            more = say_n(
                "{count} more setting is not known.",
                "{count} more settings are not known.",
                self._unknown - _MOST_SHOWN,
            )
            warnings.append(Diagnostic("unknown-setting", more))
        names = (key.spelled(tool) for key, tool in rows(self._tools))
        origins = dict.fromkeys(names, Origin(Source.DEFAULT)) | self._origins
        return Loaded(self._settings(), tuple(warnings), MappingProxyType(origins))

    def _settings(self) -> Settings:
        given: dict[str, dict[str, Any]] = {}
        for name, value in self._values.items():
            table, _, field = name.rpartition(".")
            given.setdefault(table, {})[field] = value
        defaults = Settings()
        tables: dict[str, Any] = {
            table.name: replace(getattr(defaults, table.name), **given.get(table.name, {}))
            for table in fields(defaults)
            if table.name != TOOLS
        }
        tools = {name: Tool(**given.get(f"{TOOLS}.{name}", {})) for name in self._tools}
        return Settings(**tables, tools=MappingProxyType(tools))
