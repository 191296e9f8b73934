"""The commented example of a settings file: every setting with its meaning and its default."""

import json
import textwrap
from collections.abc import Iterator

from gitwfp.config.keys import KEYS, TABLES, TOOL_KEYS, TOOLS, Key, Value
from gitwfp.config.settings import USUAL_TOOLS

_HEAD = """\
# Settings of git wfp with their defaults. Copy what you want to change to `.wfp.toml` in the
# root of the repository; what is left out keeps its default. Git's configuration
# (`git config wfp.replan.onDirty refuse`) wins over the file, and a variable of the environment
# (WFP_REPLAN_ON_DIRTY=refuse) over both.
"""
_WIDTH = 88


def example() -> str:
    """Returns the content of `.wfp.toml.example`."""
    return _HEAD + "".join(
        part for table in TABLES for part in (_tools() if table == TOOLS else _table(table))
    )


def toml_value(value: Value) -> str:
    """Returns a value as TOML spells it; a value that is None has no spelling and is a bug."""
    match value:
        case tuple():
            return f"[{', '.join(map(toml_value, value))}]"
        case bool() | str():
            return json.dumps(value, ensure_ascii=False)
        case int() | float():
            return repr(value)
    raise TypeError(value)


def _table(table: str) -> Iterator[str]:
    yield f"\n[{table}]\n"
    for key in KEYS:
        if key.path[0] == table:
            yield f"\n{_comment(key)}{key.path[-1]} = {toml_value(key.default)}\n"


def _tools() -> Iterator[str]:
    first, *others = USUAL_TOOLS
    yield f"\n[{TOOLS}.{first}]\n"
    for key in TOOL_KEYS:
        yield f"\n{_comment(key, first)}{_line(key, first)}"
    for tool in others:
        yield f"\n[{TOOLS}.{tool}]\n" + "".join(_line(key, tool) for key in TOOL_KEYS)


def _line(key: Key, tool: str) -> str:
    field = key.path[-1]
    if key.default is None:
        return f"# {field} = {toml_value((tool,))}\n"
    return f"{field} = {toml_value(key.default)}\n"


def _comment(key: Key, tool: str = "") -> str:
    lines = textwrap.wrap(str(key.doc), _WIDTH, break_long_words=False, break_on_hyphens=False)
    lines.append(f"Value: {key.allowed}.")
    lines.append(f"Also: git config {key.git_name(tool)}, {key.variable(tool)}")
    return "".join(f"# {line}\n" for line in lines)
