"""What the commands about plans answer in JSON: one frozen dataclass a kind.

Together with `gitwfp.cli.outputs` these are the published schemas `out/<kind>`. Paths are from
the repository root, ids are as the plan spells them, times are ISO 8601.
"""

from collections.abc import Mapping
from typing import ClassVar

from gitwfp.classes import dataclass
from gitwfp.cli.waiting import WhatIfLine


@dataclass(frozen=True, slots=True)
class TaskLine:
    """A task at a glance.

    Attributes:
        id: Its id.
        title: Its title.
        status: Where it stands, in the words of `git wfp`.
        depends_on: What it depends on, as the file says.
        unmet: Dependencies that are not done yet.
        missing: Dependencies that name no task.
    """

    id: str
    title: str
    status: str
    depends_on: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionLine:
    """A session at a glance.

    Attributes:
        id: Its id.
        folder: Its folder.
        place: `active`, `lite` or `archived`.
        title: Its title.
        status: The session file's word for where it stands.
        tasks: Number of tasks.
        counts: Number of tasks by status.
        ready: Ids of the tasks that can be started.
        problems: Number of files that could not be understood.
        chosen: Whether it is this worktree's choice.
    """

    id: str
    folder: str
    place: str
    title: str
    status: str | None
    tasks: int
    counts: Mapping[str, int]
    ready: tuple[str, ...]
    problems: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class Status:
    """The answer of `git wfp status`.

    Attributes:
        source: What was looked at: `worktree`, `index` or a revision.
        commit: The commit looked at, if it is one.
        session: The session.
        tasks: Its tasks in the plan's order.
        digest: The intent digest.
    """

    KIND: ClassVar[str] = "status"

    source: str
    commit: str | None
    session: SessionLine
    tasks: tuple[TaskLine, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class List:
    """The answer of `git wfp list`.

    Attributes:
        source: What was looked at: `worktree`, `index` or a revision.
        commit: The commit looked at, if it is one.
        sessions: The sessions.
        what_ifs: The what-ifs that wait; None where they were not asked for.
    """

    KIND: ClassVar[str] = "list"

    source: str
    commit: str | None
    sessions: tuple[SessionLine, ...]
    what_ifs: tuple[WhatIfLine, ...] | None = None


@dataclass(frozen=True, slots=True)
class Next:
    """The answer of `git wfp next`.

    Attributes:
        source: What was looked at.
        commit: The commit looked at, if it is one.
        session: The session's id.
        ready: The tasks that can be started, in order.
        waiting: The pending tasks that cannot, and what they wait for.
    """

    KIND: ClassVar[str] = "next"

    source: str
    commit: str | None
    session: str
    ready: tuple[TaskLine, ...]
    waiting: tuple[TaskLine, ...]


@dataclass(frozen=True, slots=True)
class Use:
    """The answer of `git wfp use`."""

    KIND: ClassVar[str] = "use"

    session: str | None
    folder: str | None


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """One change of a plan.

    Attributes:
        kind: `task_added`, `task_dropped`, `task_edited`, `session_edited`, `document_edited` or
            `file_changed`.
        role: `intent`, `progress` or `bookkeeping`.
        task: The task concerned.
        document: The document or file concerned.
        field: The field concerned.
        before: What it was.
        after: What it is.
    """

    kind: str
    role: str
    task: str | None = None
    document: str | None = None
    field: str | None = None
    before: object = None
    after: object = None


@dataclass(frozen=True, slots=True)
class DependentLine:
    """A task that depends on a changed one, and why it is or is not touched."""

    task: str
    way: tuple[str, ...]
    touched: bool
    why: str


@dataclass(frozen=True, slots=True)
class ImpactLine:
    """What a replan reaches."""

    impl_plan: bool
    todo_list: bool
    session_meta: bool
    tasks: tuple[str, ...]
    dependents: tuple[DependentLine, ...]


@dataclass(frozen=True, slots=True)
class OperationLine:
    """One operation as it was understood: its kind, its target, the words that caused it."""

    type: str
    target: str
    reason: str
    words: str


@dataclass(frozen=True, slots=True)
class StepLine:
    """A step of a replan.

    Attributes:
        step: Its name: `detect`, `clarify`, `analyze`, `backup`, `apply`, `verify`; about one task
            `detect`, `confirm`, `apply`.
        status: `completed`, or `pending` where a dry run or a request without effect stops before.
    """

    step: str
    status: str


@dataclass(frozen=True, slots=True)
class Change:
    """The answer of a command that changes a plan: replan, adopt, rollback, land, start.

    Attributes:
        command: The command.
        changed: Whether anything changes.
        written: Whether it was written; false for a dry run.
        session: The session's id.
        folder: Its folder.
        replan: The replan id; null when nothing changes.
        commit: The commit made.
        checkpoint: The commit that was made before it of edits not committed yet.
        backup: The commit to go back to.
        branch: The branch that holds the commit.
        landed: The ref that was moved to it; null while it is only on its branch.
        scope: How far a replan reaches.
        operations: What was understood.
        impact: What it reaches.
        added: Ids of tasks added.
        updated: Ids of tasks updated.
        deleted: Ids of tasks deleted.
        files: Files that change, from the repository root.
        changes: The change set.
        rollback: The command that takes it back.
        steps: The steps of a replan: six about a session, three about one task; none for other
            commands.
    """

    KIND: ClassVar[str] = "change"

    command: str
    changed: bool
    written: bool
    session: str
    folder: str
    replan: str | None
    commit: str | None
    checkpoint: str | None
    backup: str | None
    branch: str | None
    landed: str | None
    scope: str | None
    operations: tuple[OperationLine, ...]
    impact: ImpactLine | None
    added: tuple[str, ...]
    updated: tuple[str, ...]
    deleted: tuple[str, ...]
    files: tuple[str, ...]
    changes: tuple[ChangeLine, ...]
    rollback: str | None
    steps: tuple[StepLine, ...] = ()


@dataclass(frozen=True, slots=True)
class LogLine:
    """One entry of the history.

    Attributes:
        kind: `start`, `replan`, `adopt`, `rollback`, `checkpoint` or `outside`.
        commit: The commit.
        replan: The replan id.
        replans: All replan ids in the message; several after a squash.
        time: When, ISO 8601 with the author's zone.
        author: Who.
        subject: The first line of the message.
        tasks: The tasks it names.
        reverts: What it takes back.
        undone_by: The rollback that took it back and still stands.
        branch: The branch it was made on.
    """

    kind: str
    commit: str
    replan: str | None
    replans: tuple[str, ...]
    time: str
    author: str
    subject: str
    tasks: tuple[str, ...]
    reverts: tuple[str, ...]
    undone_by: str | None
    branch: str | None


@dataclass(frozen=True, slots=True)
class Log:
    """The answer of `git wfp log`, newest first.

    Attributes:
        session: The session's id.
        complete: Whether the history reaches back to the session's first commit; false in a
            shallow clone.
        entries: The history.
    """

    KIND: ClassVar[str] = "log"

    session: str
    complete: bool
    entries: tuple[LogLine, ...]


@dataclass(frozen=True, slots=True)
class Show:
    """The answer of `git wfp show`: one entry of the history in full."""

    KIND: ClassVar[str] = "show"

    session: str
    entry: LogLine
    message: str
    trailers: Mapping[str, str]
    changes: tuple[ChangeLine, ...]


@dataclass(frozen=True, slots=True)
class EdgeLine:
    """A dependency."""

    task: str
    on: str


@dataclass(frozen=True, slots=True)
class SessionDiff:
    """What differs in one session.

    Attributes:
        session: The session's id.
        folder: Its folder.
        added: Tasks added.
        deleted: Tasks removed.
        renamed: Tasks with another title.
        edges_added: Dependencies that came.
        edges_removed: Dependencies that went.
        critical_path_before: The longest chain of open tasks before.
        critical_path_after: The same after.
        changes: The change set.
    """

    session: str
    folder: str
    added: tuple[str, ...]
    deleted: tuple[str, ...]
    renamed: tuple[str, ...]
    edges_added: tuple[EdgeLine, ...]
    edges_removed: tuple[EdgeLine, ...]
    critical_path_before: tuple[str, ...]
    critical_path_after: tuple[str, ...]
    changes: tuple[ChangeLine, ...]


@dataclass(frozen=True, slots=True)
class Diff:
    """The answer of `git wfp diff`; sessions that do not differ are left out."""

    KIND: ClassVar[str] = "diff"

    before: str
    after: str
    sessions: tuple[SessionDiff, ...]


@dataclass(frozen=True, slots=True)
class DemoStep:
    """One step of the demo: why, the command as typed, its exit code and what it said."""

    narration: str
    command: str
    exit_code: int
    output: str


@dataclass(frozen=True, slots=True)
class Demo:
    """The answer of `git wfp demo`.

    Attributes:
        folder: Where the repository lies.
        session: The session that the demo works on.
        steps: What was done, in order.
        things_to_try: Commands to go on with.
    """

    KIND: ClassVar[str] = "demo"

    folder: str
    session: str
    steps: tuple[DemoStep, ...]
    things_to_try: tuple[str, ...]


ANSWERS = (Status, List, Next, Use, Change, Log, Show, Diff, Demo)
"""Every kind of answer about plans."""
