"""Settings from everywhere: `.wfp.toml` < git's configuration `wfp.*` < environment `WFP_*`.

A value that a setting cannot have is refused wherever it stands, also where another place
overrides it: someone meant something by it. A name that is not known has no effect and gets
a warning with the nearest one that is, because another version may know it.
"""

from collections.abc import Mapping
from typing import Final

from gitwfp.config.gathering import Gathering, Loaded, Origin, Source
from gitwfp.config.keys import (
    KEYS,
    SECTION,
    TABLES,
    TOOL_KEYS,
    TOOLS,
    VARIABLES,
    Key,
    Kind,
    NotAllowed,
    accept,
    find_key,
    is_tool_name,
    rows,
    text_value,
)
from gitwfp.config.settings import USUAL_TOOLS
from gitwfp.config.tomltext import Document, parse_document
from gitwfp.config.wording import dotted, nearest, plain, shown
from gitwfp.errors import Location, Text, say

FILE_NAME: Final = ".wfp.toml"

# Similarity is slow to tell.
_MOST_COMPARED = 50
_CLEAR_SLIP = 0.85


def load(
    toml: bytes | None,
    git_config: Mapping[str, str | None],
    environ: Mapping[str, str],
    *,
    path: str = FILE_NAME,
) -> Loaded:
    """Reads the settings in force.

    Args:
        toml: Content of the settings file; None if there is none.
        git_config: Git's settings in force by key, also those that are not ours; None is a key
            without `=`.
        environ: The environment; a variable of ours that is empty counts as not set.
        path: Name of the settings file in messages.

    Raises:
        Refusal: `bad-config-file`: the file cannot be parsed. `bad-setting`: settings have values
            that they cannot have; the details are the second and further ones.
    """
    gathering = Gathering()
    if toml is not None:
        _FileReading(gathering, parse_document(toml, path), path).read()
    for name, text in git_config.items():
        if name.lower().startswith(SECTION + "."):
            _read_git(gathering, name, text)
    for name in sorted(environ):
        if name.startswith(VARIABLES) and environ[name]:
            _read_variable(gathering, name, environ[name])
    return gathering.loaded()


class _FileReading:
    """Reads one settings file into a gathering."""

    def __init__(self, gathering: Gathering, document: Document, path: str) -> None:
        self._gathering = gathering
        self._document = document
        self._path = path

    def read(self) -> None:
        """Reads everything in the file."""
        for name, value in self._document.values.items():
            self._read((name,), value)

    def _read(self, path: tuple[str, ...], value: object) -> None:
        key = find_key(path)
        if key is not None:
            self._take(key, path, value)
        elif path[0] not in TABLES or len(path) > (2 if path[0] == TOOLS else 1):
            self._warn(path, value)
        elif not isinstance(value, dict):
            self._refuse(path, value, say("a table of settings"))
        elif len(path) == 2 and not is_tool_name(path[1]):
            self._gathering.refuse(
                say(
                    "The tool {name} in {path} must have a name of English letters, digits, - and "
                    "_ that begins with a letter or digit.",
                    name=dotted(path),
                    path=self._path,
                ),
                self._location(path),
            )
        else:
            if len(path) == 2:
                self._gathering.add_tool(path[1])
            for name, inner in value.items():
                self._read((*path, name), inner)

    def _take(self, key: Key, path: tuple[str, ...], value: object) -> None:
        try:
            accepted = accept(key, value)
        except NotAllowed:
            self._refuse(path, value, key.allowed)
        else:
            tool = path[1] if path[0] == TOOLS else ""
            self._gathering.take(key, tool, accepted, Origin(Source.FILE, self._path))

    def _refuse(self, path: tuple[str, ...], value: object, allowed: Text) -> None:
        self._gathering.refuse(
            say(
                "The setting {name} in {path} is {value}; it must be {allowed}.",
                name=dotted(path),
                path=self._path,
                value=shown(value),
                allowed=allowed,
            ),
            self._location(path),
        )

    def _warn(self, path: tuple[str, ...], value: object) -> None:
        is_table = len(path) == 1 and isinstance(value, dict)
        tools = (path[1],) if path[0] == TOOLS else USUAL_TOOLS
        self._gathering.warn(
            say(
                "{path} sets {name}, which is not known and has no effect.",
                name=dotted(path),
                path=self._path,
            ),
            ".".join(path),
            TABLES if is_table else [key.spelled(tool) for key, tool in rows(tools)],
            self._location(path),
        )

    def _location(self, path: tuple[str, ...]) -> Location:
        return Location(self._path, self._document.line(path))


def _read_git(gathering: Gathering, name: str, text: str | None) -> None:
    found = _git_key(name)
    if found is None:
        table = name.split(".")[1:-1]
        tools = (table[1],) if len(table) == 2 and table[0] == TOOLS else USUAL_TOOLS
        gathering.warn(
            say("Git's setting {name} is not known and has no effect.", name=plain(name)),
            name,
            [key.git_name(tool) for key, tool in rows(tools)],
        )
        return
    key, tool = found
    try:
        # For git, a key without `=` is true; no other kind can do without a value.
        bare = text is None and key.kind is Kind.BOOLEAN
        value = accept(key, True if bare else text_value(key, text) if text is not None else None)
    except NotAllowed:
        gathering.refuse(
            say(
                "Git's setting {name} is {value}; it must be {allowed}.",
                name=key.git_name(tool),
                value=shown(text),
                allowed=key.allowed,
            )
        )
    else:
        gathering.take(key, tool, value, Origin(Source.GIT, name))


def _git_key(name: str) -> tuple[Key, str] | None:
    """Returns the setting and the tool that a key of git's configuration names.

    Git keeps the case of what stands between section and last part, and ignores theirs.
    """
    _, *table, last = name.split(".")
    for key in KEYS:
        field = key.path[-1]
        path = (*table, field)
        if field.replace("_", "") == last.lower() and find_key(path) is key:
            return key, table[1] if table[0] == TOOLS else ""
    return None


def _read_variable(gathering: Gathering, name: str, text: str) -> None:
    found = _variable_keys(gathering, name)
    if not found:
        # Not every variable with our prefix is a setting: only one that resembles one is a slip.
        known = [key.variable(tool) for key, tool in rows(gathering.tools[:_MOST_COMPARED])]
        starts = tuple(f"{VARIABLES}{table.upper()}_" for table in TABLES)
        if name.startswith(starts) or nearest(name, known, _CLEAR_SLIP):
            gathering.warn(
                say(
                    "The environment variable {name} is not known and has no effect.",
                    name=plain(name),
                ),
                name,
                known,
            )
        return
    for key, tool in found:
        try:
            value = accept(key, text_value(key, text))
        except NotAllowed:
            gathering.refuse(
                say(
                    "The environment variable {name} is {value}; it must be {allowed}.",
                    name=name,
                    value=shown(text),
                    allowed=key.allowed,
                )
            )
            return
        gathering.take(key, tool, value, Origin(Source.ENVIRONMENT, name))


def _variable_keys(gathering: Gathering, name: str) -> tuple[tuple[Key, str], ...]:
    """Returns the settings that a variable names: of the known tools it fits, or of a new one.

    Variables have neither small letters nor hyphens, so one may fit `my-tool` and `my_tool`.
    """
    known = tuple((key, tool) for key, tool in rows(gathering.tools) if key.variable(tool) == name)
    if known:
        return known
    start = f"{VARIABLES}{TOOLS.upper()}_"
    for key in TOOL_KEYS:
        end = f"_{key.path[-1].upper()}"
        tool = name.removeprefix(start).removesuffix(end).lower()
        if name == key.variable(tool) and is_tool_name(tool):
            return ((key, tool),)
    return ()
