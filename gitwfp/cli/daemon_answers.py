"""What the daemon, watch and autosave answer in JSON; see `gitwfp.cli.answers`."""

from typing import ClassVar

from gitwfp.classes import dataclass
from gitwfp.cli.findings import FindingLine, ReportLine
from gitwfp.errors import Diagnostic


@dataclass(frozen=True, slots=True)
class StateLine:
    """What is known of one session.

    Attributes:
        session: The session's id.
        folder: Its folder.
        passes: Whether it is at least as good as gate.policy.
        since: Since when this is known, ISO 8601 in UTC.
        report: Its verification; null where it could not be verified.
        problem: Why it could not; null where it was.
    """

    session: str
    folder: str
    passes: bool
    since: str
    report: ReportLine | None
    problem: Diagnostic | None


@dataclass(frozen=True, slots=True)
class Board:
    """What is known of all sessions of a worktree that are not archived.

    Attributes:
        worktree: The worktree's top.
        passes: Whether every session passes.
        trustworthy: Whether what is said here can be relied on.
        doubts: Why not.
        remarks: What a person should know besides.
        backend: `native` (the system tells of changes) or `poll` (all files are looked at).
        commit: The commit that is checked out, null on a branch without commits.
        busy: What git is in the middle of, so that nothing is judged; null for nothing.
        pending: Folders of sessions that were saved and are not judged yet.
        rounds: How often something was judged.
        time: When this was known to be right, ISO 8601 in UTC.
        sessions: What is known of each session.
    """

    KIND: ClassVar[str] = "board"

    worktree: str
    passes: bool
    trustworthy: bool
    doubts: tuple[Diagnostic, ...]
    remarks: tuple[Diagnostic, ...]
    backend: str
    commit: str | None
    busy: str | None
    pending: tuple[str, ...]
    rounds: int
    time: str
    sessions: tuple[StateLine, ...]


@dataclass(frozen=True, slots=True)
class DeltaLine:
    """What became of one session that was saved.

    Attributes:
        session: The session's id.
        folder: Its folder.
        before: The decision before; null where there was none.
        after: The decision now; null where there is none.
        passes: Whether it passes now.
        found: The findings that are new.
        resolved: The findings that are gone.
        problem: Why it cannot be verified; null where it can, or is gone.
    """

    session: str
    folder: str
    before: str | None
    after: str | None
    passes: bool
    found: tuple[FindingLine, ...]
    resolved: tuple[FindingLine, ...]
    problem: Diagnostic | None


@dataclass(frozen=True, slots=True)
class Watch:
    """One line of `git wfp watch --json`, and of a subscription.

    Attributes:
        passes: Whether every session passes.
        trustworthy: Whether what is said here can be relied on.
        doubts: Why not.
        busy: What git is in the middle of, so that nothing is judged; null for nothing.
        pending: Folders of sessions that were saved and are not judged yet.
        rounds: How often something was judged.
        time: When this was known to be right, ISO 8601 in UTC.
        judged: Ids of the sessions that were judged in this round.
        changes: What became of the sessions about which something else is known now.
    """

    KIND: ClassVar[str] = "watch"

    passes: bool
    trustworthy: bool
    doubts: tuple[Diagnostic, ...]
    busy: str | None
    pending: tuple[str, ...]
    rounds: int
    time: str
    judged: tuple[str, ...]
    changes: tuple[DeltaLine, ...]


@dataclass(frozen=True, slots=True)
class Daemon:
    """The answer of the commands about the daemon.

    Attributes:
        action: `start`, `stop`, `restart`, `status`, `run` or `logs`.
        running: Whether a daemon runs now.
        changed: Whether the command started or ended one.
        pid: Its process; null where none runs, or the system does not say.
        worktree: The worktree.
        log: The file that it writes what happens into.
        board: What it knows; null where none runs, or nobody asked.
        lines: The log, for `logs`.
    """

    KIND: ClassVar[str] = "daemon"

    action: str
    running: bool
    changed: bool
    pid: int | None
    worktree: str
    log: str
    board: Board | None = None
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unit:
    """The answer of `git wfp daemon unit`.

    Attributes:
        name: The name of the file, as systemd wants it.
        text: What goes into it.
    """

    KIND: ClassVar[str] = "unit"

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class SaveLine:
    """One saved state.

    Attributes:
        time: Its name: when it was made, in UTC.
        commit: The commit that holds it, in the repository of saved states.
        sessions: Ids of the sessions that were saved.
        files: The files that were new, changed or gone.
    """

    time: str
    commit: str
    sessions: tuple[str, ...]
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Saves:
    """The answer of `git wfp autosave list`, newest first."""

    KIND: ClassVar[str] = "autosaves"

    saves: tuple[SaveLine, ...]


@dataclass(frozen=True, slots=True)
class SavedFile:
    """A file of a saved state.

    Attributes:
        path: From the repository root.
        differs: Whether the worktree has something else there, or nothing.
        text: Its text, where it was asked for by its path; null else.
    """

    path: str
    differs: bool
    text: str | None


@dataclass(frozen=True, slots=True)
class SavedState:
    """The answer of `git wfp autosave show`."""

    KIND: ClassVar[str] = "autosave"

    save: SaveLine
    files: tuple[SavedFile, ...]


@dataclass(frozen=True, slots=True)
class Restored:
    """The answer of `git wfp autosave restore`.

    Attributes:
        save: The state that is restored.
        changed: Whether anything was not as it was then.
        written: Whether it was written; false for a dry run.
        before: The state that was saved before; null if it was saved already.
        files: The files that get another content.
        removed: The files that go.
    """

    KIND: ClassVar[str] = "restored"

    save: SaveLine
    changed: bool
    written: bool
    before: SaveLine | None
    files: tuple[str, ...]
    removed: tuple[str, ...]
