"""Judging one session as it is saved: read it whole, and verify it if its content changed."""

from collections.abc import Mapping

from gitwfp.classes import dataclass, replace
from gitwfp.daemon.board import NO_TASK, State
from gitwfp.daemon.tree import Seen, SeenFiles, Surroundings
from gitwfp.errors import Diagnostic, Location, Refusal, Severity, say
from gitwfp.files.codec import read_plan
from gitwfp.files.tree import FileTree, MissingFile
from gitwfp.flows.env import Env
from gitwfp.flows.verify import judged
from gitwfp.model.plan import Plan, SessionRef


@dataclass(frozen=True, slots=True)
class Judged:
    """One judgement.

    Attributes:
        state: What is known now.
        seen: What it was made from.
        elsewhere: Paths outside of the session that it was made from, and whether they are there.
        is_torn: Whether a plan file that was not broken before looks half written.
        broken: All plan files that cannot be understood.
    """

    state: State
    seen: Seen
    elsewhere: Mapping[str, bool]
    is_torn: bool
    broken: frozenset[str]


def judge(
    env: Env,
    tree: FileTree,
    ref: SessionRef,
    around: Surroundings,
    known: Judged | None,
    *,
    again: bool = False,
) -> Judged | None:
    """Judges a session.

    Args:
        env: The surroundings.
        tree: The worktree.
        ref: The session.
        around: What is known of the files elsewhere.
        known: The judgement before.
        again: Whether it is judged although nothing has changed.

    Returns:
        The judgement: the same one if nothing has changed, None if there is no such session any
        more.
    """
    files = SeenFiles(tree, ref.folder, around)
    if known is not None and not again and files.is_still(known.seen, known.elsewhere):
        return known
    plan = read_plan(files, ref)
    if not plan.source.files and not plan.problems:
        return None
    broken = plan.source.unreadable
    fresh = broken if known is None else broken - known.broken
    is_torn = any(_ends_early(files, path) for path in fresh)
    state = _state(env, files, plan)
    if known is not None and _tells_the_same(known.state, state):
        state = known.state
    return Judged(state, files.seen, files.elsewhere, is_torn, broken)


def _ends_early(files: FileTree, path: str) -> bool:
    """Tells whether a file looks as if its writer were not done with it."""
    try:
        text = files.read(path).rstrip()
    except MissingFile:
        return False
    return not text.endswith((b"}", b"]"))


def _state(env: Env, files: FileTree, plan: Plan) -> State:
    ref = plan.ref
    if not plan.tasks and not plan.problems:
        return State(ref, None, _without_tasks(ref), env.time())
    try:
        verified = judged(env, files, plan, is_whole=False)
    except Refusal as refusal:
        return State(ref, None, _refused(refusal, ref), env.time())
    # What the plan says is read anew each time; held for every session, it would fill the memory.
    return State(ref, replace(verified, plan=Plan(ref, {}, {}, {})), None, env.time())


def _tells_the_same(one: State, other: State) -> bool:
    if one.verified is None or other.verified is None:
        return one.verified is other.verified and one.why_not == other.why_not
    return (
        one.verified.report == other.verified.report
        and one.verified.digest == other.verified.digest
        and one.passes == other.passes
    )


def failed(env: Env, ref: SessionRef, error: Exception) -> Judged:
    """Returns the judgement of a session that we fail at, so that it disturbs no other."""
    why = Diagnostic(
        "judgement-failed",
        say("The session could not be judged: {reason}", reason=f"{type(error).__name__}: {error}"),
        Severity.ERROR,
        Location(ref.folder, session=ref.id),
        say("The log of the daemon has more: git wfp daemon logs."),
    )
    # What no look ever finds: it is judged again as soon as there is a reason to.
    return Judged(
        State(ref, None, why, env.time()), {"": b""}, {}, is_torn=False, broken=frozenset()
    )


def _without_tasks(ref: SessionRef) -> Diagnostic:
    return Diagnostic(
        NO_TASK,
        say("Session {session} has no task to verify.", session=ref.id),
        Severity.NOTE,
        Location(ref.folder, session=ref.id),
    )


def _refused(refusal: Refusal, ref: SessionRef) -> Diagnostic:
    return Diagnostic(
        refusal.code,
        refusal.message,
        Severity.ERROR,
        Location(ref.folder, session=ref.id),
        refusal.hint,
    )
