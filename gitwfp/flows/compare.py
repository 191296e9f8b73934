"""Compare: two what-ifs, or any two revisions, side by side as seen from where they parted."""

from gitwfp.change.changeset import ChangeSet, between
from gitwfp.change.merge import Conflict, Rules, merge
from gitwfp.classes import dataclass
from gitwfp.errors import ExitCode, Location, Refusal, say
from gitwfp.files.bookkeeping import is_bookkeeping_line, set_counts
from gitwfp.files.codec import read_plan
from gitwfp.flows.env import Env
from gitwfp.flows.sessions import sessions_here
from gitwfp.flows.view import path_of
from gitwfp.git.history import merge_base
from gitwfp.model.graph import edges_of
from gitwfp.model.plan import Plan, SessionRef
from gitwfp.model.task import TaskId


@dataclass(frozen=True, slots=True)
class Variant:
    """What one side made of a plan.

    Attributes:
        plan: The plan there.
        changes: What it changed since the sides parted, bookkeeping left out.
        critical_path: The longest chain of open tasks.
    """

    plan: Plan
    changes: ChangeSet
    critical_path: tuple[TaskId, ...]

    @property
    def edges(self) -> int:
        """The number of dependencies."""
        return sum(len(on) for on in edges_of(self.plan).values())


@dataclass(frozen=True, slots=True)
class Contest:
    """One session on both sides.

    Attributes:
        ref: The session.
        left: The first side's.
        right: The second side's.
        conflicts: What both changed, differently: ours is the left side's.
    """

    ref: SessionRef
    left: Variant
    right: Variant
    conflicts: tuple[Conflict, ...]

    @property
    def shared(self) -> ChangeSet:
        """The changes that both sides made alike."""
        return _among(self.left.changes, self.right.changes, wanted=True)

    @property
    def only_left(self) -> ChangeSet:
        """The changes that only the first side made, or made in its own way."""
        return _among(self.left.changes, self.right.changes, wanted=False)

    @property
    def only_right(self) -> ChangeSet:
        """The changes that only the second side made, or made in its own way."""
        return _among(self.right.changes, self.left.changes, wanted=False)


@dataclass(frozen=True, slots=True)
class Compared:
    """Two revisions side by side.

    Attributes:
        base: The commit where they parted.
        left: The first one's commit.
        right: The second one's commit.
        sessions: The sessions that either of them changed.
    """

    base: str
    left: str
    right: str
    sessions: tuple[Contest, ...]


def compare(env: Env, left: str, right: str, session: str | None) -> Compared:
    """Reads what two revisions made of the plans since they parted.

    Args:
        env: The surroundings.
        left: The first revision.
        right: The second one.
        session: The one session that is meant; None for all of the workspace.

    Raises:
        Refusal: A revision or the session is not there (not found), or the revisions have no
            commit in common (refused).
    """
    one, other = env.repo.resolve(left), env.repo.resolve(right)
    base = merge_base(env.repo, one, other)
    if base is None:
        raise Refusal(
            "no-common-history",
            say("{left} and {right} have no history in common.", left=left, right=right),
            ExitCode.REFUSED,
            hint=say("git wfp diff compares any two revisions, without asking where they parted."),
        )
    limit = env.settings.limits.file_bytes
    trees = [env.repo.commit_files(commit, limit) for commit in (base, one, other)]
    refs = {ref.folder: ref for tree in trees for ref in sessions_here(env, tree)}
    chosen = [ref for ref in refs.values() if session is None or ref.id == session]
    if session is not None and not chosen:
        raise Refusal(
            "session-not-found",
            say("There is no session {id} in either version.", id=session),
            ExitCode.NOT_FOUND,
            location=Location(session=session),
        )
    contests = (_contest(ref, *(read_plan(tree, ref) for tree in trees)) for ref in sorted(chosen))
    changed = tuple(c for c in contests if c.left.changes or c.right.changes)
    return Compared(base, one, other, changed)


def _contest(ref: SessionRef, base: Plan, left: Plan, right: Plan) -> Contest:
    merged = merge(base, left, right, Rules(is_bookkeeping_line, set_counts))
    return Contest(ref, _variant(base, left), _variant(base, right), merged.conflicts)


def _variant(base: Plan, plan: Plan) -> Variant:
    return Variant(plan, between(base, plan).of_intent, path_of(plan))


def _among(changes: ChangeSet, others: ChangeSet, *, wanted: bool) -> ChangeSet:
    return ChangeSet(tuple(c for c in changes.changes if (c in others.changes) is wanted))
