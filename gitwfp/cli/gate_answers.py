"""What the gate answers in JSON; see `gitwfp.cli.answers`."""

from typing import ClassVar

from gitwfp.classes import dataclass
from gitwfp.cli.findings import ReportLine
from gitwfp.errors import Diagnostic


@dataclass(frozen=True, slots=True)
class RefLine:
    """One ref of a push.

    Attributes:
        ref: Its full name on the other side; for a range, the end of it.
        outcome: `judged`, `untouched` (no plan differs), `no_plan`, `deleted`, `no_commit` (a tag
            of something else), `private` (records and backups) or `could_not_judge`.
        passes: Whether it may go.
        commit: The commit that was judged, null if none was.
        base: The commits that it was held against; none where the whole plan counts.
        policy: The lowest decision that passes.
        sessions: The sessions that were verified.
        reasons: Why it is stopped, besides the decisions about the sessions.
    """

    ref: str
    outcome: str
    passes: bool
    commit: str | None
    base: tuple[str, ...]
    policy: str
    sessions: tuple[ReportLine, ...]
    reasons: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Gate:
    """The answer of `git wfp gate`.

    Attributes:
        gate: `pre-push`, `pre-receive` or `range`.
        passes: Whether everything may go.
        judged: Whether everything could be judged.
        refs: The refs, in git's order.
    """

    KIND: ClassVar[str] = "gate"

    gate: str
    passes: bool
    judged: bool
    refs: tuple[RefLine, ...]


@dataclass(frozen=True, slots=True)
class MergeDriver:
    """The answer of `git wfp merge-driver`.

    Attributes:
        path: The file.
        clean: Whether nothing is left to decide.
        conflicts: What is left to decide; the file records it.
    """

    KIND: ClassVar[str] = "merge-driver"

    path: str
    clean: bool
    conflicts: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Offer:
    """The answer of `git wfp gate offer`.

    Attributes:
        tasks: The tasks that the message offers.
    """

    KIND: ClassVar[str] = "offer"

    tasks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sync:
    """The answer of `git wfp sync fetch` and `git wfp sync push`.

    Attributes:
        way: `fetch` or `push`.
        remote: The remote.
        records: fetch: how many records are new here; push: 1 where records were pushed, else 0.
        backups: How many backups of replans are new on this, or on the other side.
    """

    KIND: ClassVar[str] = "sync"

    way: str
    remote: str
    records: int
    backups: int


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One commit to be looked at.

    Attributes:
        commit: Its id.
        session: The session whose plan it changed.
        breach: `outside`: gitwfp did not make it; `trailers`: they do not match what it changes.
        tasks: The tasks concerned.
        subject: The first line of its message.
        author: The name of its author.
        time: When it was written, in ISO 8601.
    """

    commit: str
    session: str
    breach: str
    tasks: tuple[str, ...]
    subject: str
    author: str
    time: str


@dataclass(frozen=True, slots=True)
class Audit:
    """The answer of `git wfp audit`.

    Attributes:
        commits: How many commits changed what a plan means.
        found: Those that are to be looked at, newest first.
    """

    KIND: ClassVar[str] = "audit"

    commits: int
    found: tuple[AuditLine, ...]
