"""The settings file that a repository starts with: everything in it is commented out. Pure."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from gitwfp.config.keys import KEYS, TABLES, TOOLS, is_tool_name
from gitwfp.config.sample import toml_value
from gitwfp.config.settings import USUAL_TOOLS
from gitwfp.errors import Text, say

_HEAD: Final = (
    say(
        "Settings of git wfp in this repository. Each has its default, so nothing needs to be set."
    ),
    say("Take the # away from a table and from what you want to change in it."),
    say("Git's configuration (wfp.*) wins over this file, and the environment (WFP_*) over both."),
)


def starter(tools: Mapping[str, bool], source: str, words: Callable[[Text], str]) -> str:
    """Returns the content of a new `.wfp.toml`.

    Args:
        tools: Tools to know from the start, and whether tasks may be handed to them.
        source: Where these were listed.
        words: Translates what is written into the repository.
    """
    return "".join(f"{line}\n" for line in _lines(tools, source, words))


def worth_noting(tools: Mapping[str, bool]) -> Mapping[str, bool]:
    """Returns the tools of a list that a settings file has to name, as they are not as usual."""
    return {
        name: enabled
        for name, enabled in tools.items()
        if is_tool_name(name) and (name not in USUAL_TOOLS or not enabled)
    }


def _lines(tools: Mapping[str, bool], source: str, words: Callable[[Text], str]) -> Iterator[str]:
    yield from (f"# {words(sentence)}" for sentence in _HEAD)
    for table in TABLES:
        if table != TOOLS:
            yield ""
            yield f"# [{table}]"
            for key in KEYS:
                if key.path[0] == table:
                    yield f"# {key.path[-1]} = {toml_value(key.default)}"
    if tools:
        imported = say("Tools that were listed in {path}.", path=source)
        yield ""
        yield f"# {words(imported)}"
    for number, (name, enabled) in enumerate(sorted(tools.items())):
        if number:
            yield ""
        yield f"[{TOOLS}.{name}]"
        yield f"enabled = {toml_value(enabled)}"
