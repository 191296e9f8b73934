"""What config, prime, help and completion answer in JSON; see `gitwfp.cli.answers`."""

from typing import ClassVar

from gitwfp.classes import dataclass
from gitwfp.cli.answers import TaskLine
from gitwfp.errors import Text


@dataclass(frozen=True, slots=True)
class SettingLine:
    """One setting.

    Attributes:
        name: Its name, `replan.on_dirty`.
        value: The value in force: a truth value, a number, a text, a list of texts, or null.
        origin: The kind of place that the value comes from: `default`, `file`, `git` or
            `environment`.
        place: The file, the key of git's configuration, or the variable; null for a default.
        scope: For `git`, which of its files: `system`, `global`, `local`, `worktree`, `command`.
        meaning: What it is for.
        allowed: Which values it can have.
    """

    name: str
    value: bool | int | float | str | tuple[str, ...] | None
    origin: str
    place: str | None
    scope: str | None
    meaning: Text
    allowed: Text


@dataclass(frozen=True, slots=True)
class ConfigList:
    """The answer of `git wfp config list`: every setting there is."""

    KIND: ClassVar[str] = "config-list"

    settings: tuple[SettingLine, ...]


@dataclass(frozen=True, slots=True)
class ConfigGet:
    """The answer of `git wfp config get`."""

    KIND: ClassVar[str] = "config-get"

    setting: SettingLine


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """The answer of `git wfp config set` and `git wfp config unset`.

    Attributes:
        name: The setting.
        target: Where it is changed: `file`, `local` or `global`.
        place: The file, or the key of git's configuration.
        value: The value that was asked for; null when it is taken out.
        changed: Whether anything changes.
        written: Whether it was written; false for a dry run.
    """

    KIND: ClassVar[str] = "config-change"

    name: str
    target: str
    place: str
    value: bool | int | float | str | tuple[str, ...] | None
    changed: bool
    written: bool


@dataclass(frozen=True, slots=True)
class ConfigEdit:
    """The answer of `git wfp config edit`.

    Attributes:
        path: The file, from the repository root.
        changed: Whether it holds something else now.
    """

    KIND: ClassVar[str] = "config-edit"

    path: str
    changed: bool


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A command that somebody needs, and what for."""

    command: str
    purpose: str


@dataclass(frozen=True, slots=True)
class ExitLine:
    """An exit code, and what to do about it."""

    code: int
    meaning: str


@dataclass(frozen=True, slots=True)
class Prime:
    """The answer of `git wfp prime`.

    Attributes:
        session: The session's id; null where there is none.
        folder: Its folder.
        title: Its title.
        others: Ids of the other sessions that are not archived.
        tasks: Number of tasks.
        done: Number of tasks that are done.
        in_progress: The tasks that somebody works on.
        ready: The tasks that can be started, in order.
        waiting: Number of tasks that wait for others.
        problems: Number of files that could not be understood.
        commands: The commands to know.
        exit_codes: The exit codes that matter.
        text: The briefing as it is printed.
    """

    KIND: ClassVar[str] = "prime"

    session: str | None
    folder: str | None
    title: str | None
    others: tuple[str, ...]
    tasks: int
    done: int
    in_progress: tuple[TaskLine, ...]
    ready: tuple[TaskLine, ...]
    waiting: int
    problems: int
    commands: tuple[CommandLine, ...]
    exit_codes: tuple[ExitLine, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Completion:
    """The answer of `git wfp completion`.

    Attributes:
        shell: `bash`, `zsh` or `fish`.
        script: What the shell has to read.
    """

    KIND: ClassVar[str] = "completion-script"

    shell: str
    script: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A word that can be typed.

    Attributes:
        word: The whole word.
        meaning: What it stands for.
    """

    word: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Candidates:
    """The answer of `git wfp complete`: what the last word can become."""

    KIND: ClassVar[str] = "complete"

    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Manual:
    """The answer of `git wfp help`.

    Attributes:
        command: The command as it is typed.
        text: Its help as people read it.
        page: The file of the manual page; null where it is not installed.
    """

    KIND: ClassVar[str] = "manual"

    command: str
    text: str
    page: str | None
