"""The one table of everything that can be set, and what follows from a row of it.

A row names a setting, its kind, what it means and which values it may have. The spellings in
`.wfp.toml`, in git's configuration and in the environment, the check of a value and the
commented example are derived from it; the default is the one of `gitwfp.config.settings`.

Example:
    >>> key = find_key("replan.on_dirty")
    >>> key.git_name(), key.variable()
    ('wfp.replan.onDirty', 'WFP_REPLAN_ON_DIRTY')
    >>> accept(key, text_value(key, "refuse"))
    'refuse'
"""

import math
import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any, Final

from gitwfp.classes import dataclass
from gitwfp.config.settings import Settings, Tool
from gitwfp.errors import Text, say

Value = bool | int | float | str | tuple[str, ...] | None

TOOLS: Final = "tools"
VARIABLES: Final = "WFP_"
SECTION: Final = "wfp"
# What a TOML integer holds everywhere, and far below the digits that Python refuses to print.
LARGEST: Final = 2**63 - 1

_ANY_TOOL = "*"
_DAY = 24 * 60 * 60
_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0", ""})
_WHOLE = r"([+-]?[0-9]{1,19})([kmgKMG]?)"
_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3}


class Kind(StrEnum):
    """What sort of value a setting has."""

    BOOLEAN = "boolean"
    WHOLE = "whole"
    WHOLE_OR_ALL = "whole-or-all"
    SECONDS = "seconds"
    CHOICE = "choice"
    TEXT = "text"
    COMMAND = "command"


class NotAllowed(ValueError):  # noqa: N818 - reads as the fact that it states
    """A setting cannot have that value; `Key.allowed` says what it can have."""


@dataclass(frozen=True, slots=True)
class Key:
    """One row of the table: a setting.

    Attributes:
        name: Table and field with dots, `replan.on_dirty`; `tools.*.enabled` is one of any tool.
        kind: What sort of value it has.
        doc: What it means.
        choices: The values of a choice.
        minimum: The least number; of a text, the least length.
    """

    name: str
    kind: Kind
    doc: Text
    choices: tuple[str, ...] = ()
    minimum: int = 0

    @property
    def path(self) -> tuple[str, ...]:
        """The name in its parts."""
        return tuple(self.name.split("."))

    @property
    def default(self) -> Value:
        """The value if nobody sets one."""
        table, *_, field = self.path
        holder: Any = Tool() if table == TOOLS else getattr(Settings(), table)
        value: Value = getattr(holder, field)
        return value

    @property
    def allowed(self) -> Text:
        """The phrase that says which values there are: "it must be ..."."""
        match self.kind:
            case Kind.BOOLEAN:
                return say("true or false")
            case Kind.WHOLE:
                return say("a whole number, at least {minimum}", minimum=self.minimum)
            case Kind.WHOLE_OR_ALL:
                return say('a whole number, at least {minimum}, or "all"', minimum=self.minimum)
            case Kind.SECONDS:
                return say(
                    "a number of seconds from {minimum} to {maximum}",
                    minimum=self.minimum,
                    maximum=_DAY,
                )
            case Kind.CHOICE:
                return say(
                    "one of {choices}", choices=", ".join(f'"{choice}"' for choice in self.choices)
                )
            case Kind.TEXT if self.minimum > 0:
                return say("a text of one line that is not empty")
            case Kind.TEXT:
                return say("a text of one line")
            case Kind.COMMAND:
                return say('a list of texts, the program first, such as ["program", "argument"]')

    def spelled(self, tool: str = "") -> str:
        """Returns the name in `.wfp.toml`, with the name of a tool in its place."""
        return self.name.replace(_ANY_TOOL, tool)

    def git_name(self, tool: str = "") -> str:
        """Returns the name in git's configuration, `wfp.replan.onDirty`.

        Names of git have no underscores; the table, or table and tool, is a subsection.
        """
        table, _, field = self.spelled(tool).rpartition(".")
        first, *others = field.split("_")
        return f"{SECTION}.{table}.{first}{''.join(map(str.capitalize, others))}"

    def variable(self, tool: str = "") -> str:
        """Returns the name in the environment, `WFP_REPLAN_ON_DIRTY`."""
        return VARIABLES + self.spelled(tool).replace(".", "_").replace("-", "_").upper()


KEYS: Final[tuple[Key, ...]] = (
    Key(
        "limits.max_tasks",
        Kind.WHOLE,
        say("How many open tasks, subtasks included, a session may have."),
        minimum=1,
    ),
    Key(
        "limits.file_bytes",
        Kind.WHOLE,
        say("How many bytes a plan file may have; 8388608 is 8 MiB."),
        minimum=1,
    ),
    Key(
        "replan.on_dirty",
        Kind.CHOICE,
        say(
            "What happens to plan edits that are not committed yet: they become a checkpoint "
            "commit of their own first, or the command refuses."
        ),
        choices=("checkpoint", "refuse"),
    ),
    Key(
        "replan.landing",
        Kind.CHOICE,
        say(
            "How a replan reaches the branch that is checked out: by fast-forward, by a merge "
            "commit, or not before you land it."
        ),
        choices=("ff", "merge", "manual"),
    ),
    Key(
        "replan.keep_branches",
        Kind.WHOLE_OR_ALL,
        say("How many branches of landed replans a session keeps."),
    ),
    Key(
        "replan.signoff",
        Kind.BOOLEAN,
        say("Whether commits of plans get a Signed-off-by line."),
    ),
    Key(
        "replan.planner",
        Kind.TEXT,
        say("Who turns a request into operations: the built-in rules, or a tool by its name."),
        minimum=1,
    ),
    Key(
        "gate.policy",
        Kind.CHOICE,
        say(
            "The lowest decision of a verification that passes; BLOCK_EXECUTION lets everything "
            "pass."
        ),
        choices=(
            "PROCEED",
            "PROCEED_WITH_CAUTION",
            "PROCEED_WITH_FIXES",
            "BLOCK_EXECUTION",
        ),
    ),
    Key(
        "gate.on_error",
        Kind.CHOICE,
        say("What the gate does when it cannot judge a push: refuse it, or warn and let it pass."),
        choices=("block", "warn"),
    ),
    Key(
        "gate.code",
        Kind.CHOICE,
        say(
            "Whether the gate compares pushed code with the plan: files that no task names, and "
            "tasks that are done without a commit."
        ),
        choices=("off", "report", "block"),
    ),
    Key(
        "gate.allow_what_if",
        Kind.BOOLEAN,
        say("Whether branches of what-ifs may be pushed."),
    ),
    Key(
        "gate.trust_records",
        Kind.BOOLEAN,
        say(
            "Whether the gate believes a verification that is recorded, perhaps by somebody else; "
            "a bare repository believes none unless git's configuration there says so."
        ),
    ),
    Key(
        "daemon.backend",
        Kind.CHOICE,
        say(
            "How the daemon notices what is saved: told by the system, by looking at all files "
            "from time to time, or the latter only where the former does not work."
        ),
        choices=("auto", "native", "poll"),
    ),
    Key(
        "daemon.quiet",
        Kind.SECONDS,
        say("For how long nothing must be saved before the daemon judges what was."),
    ),
    Key(
        "daemon.patience",
        Kind.SECONDS,
        say("After how long the daemon judges in any case, also what looks half written."),
    ),
    Key(
        "daemon.poll_interval",
        Kind.SECONDS,
        say("How often the daemon looks at all files where the system does not tell."),
    ),
    Key(
        "daemon.idle_exit",
        Kind.SECONDS,
        say("After how long without any work the daemon ends by itself; 0 is never."),
    ),
    Key(
        "daemon.autosave",
        Kind.BOOLEAN,
        say("Whether the daemon keeps every state of a plan that is saved and not committed."),
    ),
    Key(
        "daemon.autosave_days",
        Kind.WHOLE,
        say("For how many days a saved state is kept."),
        minimum=1,
    ),
    Key(
        "daemon.autosave_count",
        Kind.WHOLE,
        say("How many saved states are kept."),
        minimum=1,
    ),
    Key(
        "lock.timeout",
        Kind.SECONDS,
        say("How long a writing command waits for another one to finish."),
    ),
    Key(
        "ui.language",
        Kind.TEXT,
        say("The language of messages, en or zh_CN; when empty, the locale decides."),
    ),
    Key(
        "content.language",
        Kind.CHOICE,
        say("The language of everything that is written into the repository."),
        choices=("en", "zh_CN"),
    ),
    Key(
        "tools.*.enabled",
        Kind.BOOLEAN,
        say("Whether tasks may be handed to this tool."),
    ),
    Key(
        "tools.*.command",
        Kind.COMMAND,
        say("How to start this tool; no shell reads it, and it does not run before you trust it."),
    ),
)

_BY_PATH: Final = {key.path: key for key in KEYS}
TABLES: Final = tuple(dict.fromkeys(key.path[0] for key in KEYS))
TOOL_KEYS: Final = tuple(key for key in KEYS if key.path[0] == TOOLS)


def rows(tools: Iterable[str]) -> Iterator[tuple[Key, str]]:
    """Yields every setting there is with these tools, and the tool that it is of ("" if none)."""
    yield from ((key, "") for key in KEYS if key not in TOOL_KEYS)
    yield from ((key, tool) for tool in tools for key in TOOL_KEYS)


def is_tool_name(name: str) -> bool:
    """Tells whether a tool can have that name: it must be good for a TOML key and for git."""
    return re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", name) is not None


def find_key(name: str | tuple[str, ...]) -> Key | None:
    """Returns the row of a setting, `tools.codex.enabled` or its parts; None if there is none."""
    path = tuple(name.split(".")) if isinstance(name, str) else name
    if len(path) == 3 and path[0] == TOOLS:
        path = (TOOLS, _ANY_TOOL, path[2]) if is_tool_name(path[1]) else ()
    elif _ANY_TOOL in path:
        return None
    return _BY_PATH.get(path)


def accept(key: Key, value: object) -> Value:
    """Returns a value, as TOML has it, in the form in which settings hold it.

    Raises:
        NotAllowed: The setting cannot have that value.
    """
    match key.kind, value:
        case Kind.BOOLEAN, bool():
            return value
        case ((Kind.WHOLE | Kind.WHOLE_OR_ALL), int()) if not isinstance(value, bool):
            if key.minimum <= value <= LARGEST:
                return value
        case Kind.WHOLE_OR_ALL, "all":
            return "all"
        case Kind.SECONDS, (int() | float()) if not isinstance(value, bool):
            # The comparison is false for NaN, and exact for numbers that no float can hold.
            if key.minimum <= value <= _DAY:
                return float(value)
        case Kind.CHOICE, str() if value in key.choices:
            return value
        case Kind.TEXT, str() if value.isprintable() and len(value.strip()) >= key.minimum:
            return value
        case Kind.COMMAND, list():
            words = tuple(word for word in value if isinstance(word, str) and "\0" not in word)
            if words and words[0].strip() and len(words) == len(value):
                return words
    raise NotAllowed(key.name)


def text_value(key: Key, text: str) -> object:
    """Returns what a text from git's configuration or the environment stands for, not yet accepted.

    Truth values and numbers are written as for git (yes, off, 8m), a command as a JSON list.

    Raises:
        NotAllowed: It stands for nothing of the setting's kind.
    """
    match key.kind:
        case Kind.BOOLEAN:
            word = text.lower()
            if word in _TRUE or word in _FALSE:
                return word in _TRUE
        case Kind.WHOLE | Kind.WHOLE_OR_ALL:
            whole = re.fullmatch(_WHOLE, text)
            if whole:
                return int(whole[1]) * _UNITS[whole[2].lower()]
            return text
        case Kind.SECONDS:
            if re.fullmatch(_NUMBER, text) and math.isfinite(float(text)):
                return float(text)
        case Kind.CHOICE | Kind.TEXT:
            return text
        case Kind.COMMAND:
            import json

            try:
                return json.loads(text)
            except (ValueError, RecursionError):
                raise NotAllowed(key.name) from None
    raise NotAllowed(key.name)
