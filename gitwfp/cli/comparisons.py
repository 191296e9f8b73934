"""What blame and the commands for what-ifs answer in JSON; see `gitwfp.cli.answers`."""

from typing import ClassVar

from gitwfp.classes import dataclass
from gitwfp.cli.answers import ChangeLine, LogLine
from gitwfp.errors import Diagnostic


@dataclass(frozen=True, slots=True)
class BlameLine:
    """One fact of a task.

    Attributes:
        field: The field.
        value: One item of a list, one sentence of prose, or the whole of any other field.
        origin: What gave it this form; null where the history here does not reach back to it.
    """

    field: str
    value: object
    origin: LogLine | None


@dataclass(frozen=True, slots=True)
class Blame:
    """The answer of `git wfp blame`.

    Attributes:
        session: The session's id.
        task: The task's id.
        commit: The commit that the plan was read at.
        facts: What the task states.
    """

    KIND: ClassVar[str] = "blame"

    session: str
    task: str
    commit: str
    facts: tuple[BlameLine, ...]


@dataclass(frozen=True, slots=True)
class VariantLine:
    """What one side made of a session.

    Attributes:
        tasks: Number of tasks.
        open: Number of tasks that still count as work.
        dependencies: Number of dependencies.
        critical_path: The longest chain of open tasks.
        added: Tasks added since the sides parted.
        updated: Tasks changed since.
        deleted: Tasks removed since.
        changes: What only this side changed, or in its own way.
    """

    tasks: int
    open: int
    dependencies: int
    critical_path: tuple[str, ...]
    added: tuple[str, ...]
    updated: tuple[str, ...]
    deleted: tuple[str, ...]
    changes: tuple[ChangeLine, ...]


@dataclass(frozen=True, slots=True)
class ContestLine:
    """One session on both sides.

    Attributes:
        session: The session's id.
        folder: Its folder.
        left: The first side's.
        right: The second side's.
        shared: What both changed alike.
        conflicts: What both changed, differently; in the messages, here is the first side.
    """

    session: str
    folder: str
    left: VariantLine
    right: VariantLine
    shared: tuple[ChangeLine, ...]
    conflicts: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Compare:
    """The answer of `git wfp compare`; sessions that neither side changes are left out.

    Attributes:
        base: The commit where the two parted.
        left: The first one's commit.
        right: The second one's commit.
        sessions: What they made of each session.
    """

    KIND: ClassVar[str] = "compare"

    base: str
    left: str
    right: str
    sessions: tuple[ContestLine, ...]


@dataclass(frozen=True, slots=True)
class Drop:
    """The answer of `git wfp drop`.

    Attributes:
        branch: The branch.
        commit: The commit that it was at.
        kept_as: The ref that keeps the commit now; null where another branch reaches it.
        written: Whether it is gone; false for a dry run.
    """

    KIND: ClassVar[str] = "drop"

    branch: str
    commit: str
    kept_as: str | None
    written: bool
