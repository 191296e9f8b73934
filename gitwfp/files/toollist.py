"""The list of tools that the original planning tool keeps in a project: `cli-tools.json`.

{"tools": {"gemini": {"enabled": true}, "opencode": {"enabled": false}}}
"""

from collections.abc import Mapping
from typing import Final

from gitwfp.classes import dataclass, field
from gitwfp.errors import Diagnostic, Location, Severity, say
from gitwfp.files.jsonfaults import BadJson
from gitwfp.files.jsontext import parse
from gitwfp.files.tree import FileTree, MissingFile

TOOL_LIST: Final = ".claude/cli-tools.json"


@dataclass(frozen=True, slots=True)
class ToolList:
    """The tools of a project's list.

    Attributes:
        tools: Whether each is enabled, by name; empty where there is no list.
        problem: Why the list could not be understood.
    """

    tools: Mapping[str, bool] = field(default_factory=dict)
    problem: Diagnostic | None = None


def read_tool_list(tree: FileTree) -> ToolList:
    """Reads a project's list; a tool that does not say otherwise is enabled."""
    try:
        content = parse(tree.read(TOOL_LIST))
    except MissingFile:
        return ToolList()
    except BadJson as error:
        place = Location(TOOL_LIST, error.line, error.column)
        return ToolList(problem=Diagnostic("bad-tool-list", error.reason, Severity.WARNING, place))
    tools = content.get("tools") if isinstance(content, dict) else None
    if not isinstance(tools, dict):
        message = say("{path} lists no tools that could be imported.", path=TOOL_LIST)
        return ToolList(
            problem=Diagnostic("bad-tool-list", message, Severity.NOTE, Location(TOOL_LIST))
        )
    return ToolList(
        {
            name: tool.get("enabled") is not False
            for name, tool in tools.items()
            if isinstance(tool, dict)
        }
    )
