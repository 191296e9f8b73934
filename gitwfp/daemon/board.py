"""The board: what is known of every session of a worktree, as one value that is swapped whole."""

from collections.abc import Mapping

from gitwfp.classes import dataclass, field
from gitwfp.errors import Diagnostic
from gitwfp.flows.verify import Verified
from gitwfp.model.findings import Finding, GateDecision
from gitwfp.model.plan import SessionRef


@dataclass(frozen=True, slots=True)
class State:
    """What is known of one session.

    Attributes:
        ref: The session.
        verified: Its verification; None where it could not be verified.
        why_not: Why it could not.
        since: When that came to be so, ISO 8601 in UTC.
    """

    ref: SessionRef
    verified: Verified | None
    why_not: Diagnostic | None
    since: str

    @property
    def decision(self) -> GateDecision | None:
        """What may be done with the plan; None where nothing could be verified."""
        return None if self.verified is None else self.verified.report.decision

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found."""
        return () if self.verified is None else self.verified.report.findings

    @property
    def passes(self) -> bool:
        """Whether the plan passes the policy; a session without any task stops nobody."""
        if self.verified is not None:
            return self.verified.passes
        return self.why_not is None or self.why_not.code == NO_TASK


NO_TASK = "no-task"
"""Why a session is not verified that has nothing to verify yet."""


@dataclass(frozen=True, slots=True)
class Delta:
    """What became of one session.

    Attributes:
        before: What was known, None for a session that is new.
        after: What is known, None for one that is gone.
    """

    before: State | None
    after: State | None

    @property
    def ref(self) -> SessionRef:
        """The session."""
        state = self.after or self.before
        assert state is not None  # noqa: S101 - one of the two is there
        return state.ref

    @property
    def found(self) -> tuple[Finding, ...]:
        """The findings that were not there before."""
        return _without(self.after, self.before)

    @property
    def resolved(self) -> tuple[Finding, ...]:
        """The findings that are not there any more."""
        return _without(self.before, self.after)


def _without(state: State | None, other: State | None) -> tuple[Finding, ...]:
    if state is None:
        return ()
    known = set() if other is None else {(one.key, one.level) for one in other.findings}
    return tuple(one for one in state.findings if (one.key, one.level) not in known)


@dataclass(frozen=True, slots=True)
class Board:
    """What is known of a worktree.

    Attributes:
        top: The worktree's top.
        states: What is known of each session that is not archived, by its folder.
        backend: `native` or `poll`: how changes are noticed.
        head: The commit that is checked out, None on a branch without commits.
        busy: What git is in the middle of, so that nothing is judged.
        pending: Folders of sessions that were saved and are not judged yet.
        doubts: Why the board may be wrong; none while it can be trusted.
        remarks: What a person should know besides.
        rounds: How often something was judged.
        time: When it was last known to be right, ISO 8601 in UTC.
    """

    top: str
    states: Mapping[str, State] = field(default_factory=dict)
    backend: str = "native"
    head: str | None = None
    busy: str | None = None
    pending: tuple[str, ...] = ()
    doubts: tuple[Diagnostic, ...] = ()
    remarks: tuple[Diagnostic, ...] = ()
    rounds: int = 0
    time: str = ""

    @property
    def passes(self) -> bool:
        """Whether every session passes the policy."""
        return all(state.passes for state in self.states.values())


def deltas(before: Board, after: Board) -> tuple[Delta, ...]:
    """Returns the sessions that differ between two boards."""
    folders = sorted({*before.states, *after.states})
    pairs = (Delta(before.states.get(folder), after.states.get(folder)) for folder in folders)
    return tuple(pair for pair in pairs if pair.before is not pair.after)
