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
