"""Readers: which tree a command looks at, and the plans in it."""

from collections.abc import Mapping

from gitwfp.classes import dataclass
from gitwfp.errors import ExitCode, Location, Refusal, say
from gitwfp.files.codec import read_plan
from gitwfp.files.tree import FileTree
from gitwfp.flows.env import Env
from gitwfp.flows.sessions import choose_session, remembered_choice, sessions_here
from gitwfp.model.graph import Waiting, critical_path, edges_of, find_cycles, readiness
from gitwfp.model.plan import Plan, SessionRef
from gitwfp.model.task import Status, TaskId


@dataclass(frozen=True, slots=True)
class Source:
    """Where a reader looks.

    Attributes:
        tree: The files.
        commit: The commit's id, when it is a commit.
        name: `worktree`, `index`, or the revision as it was given.
    """

    tree: FileTree
    commit: str | None
    name: str


@dataclass(frozen=True, slots=True)
class Overview:
    """One session at a glance.

    Attributes:
        plan: The plan.
        counts: Number of tasks by status; statuses that no task has are left out.
        ready: What can be started, in the plan's order.
        waiting: What cannot, and why.
        is_chosen: Whether it is this worktree's choice.
    """

    plan: Plan
    counts: Mapping[Status, int]
    ready: tuple[TaskId, ...]
    waiting: tuple[Waiting, ...]
    is_chosen: bool


def source_of(env: Env, *, at: str | None = None, staged: bool = False) -> Source:
    """Returns the tree that a reader looks at: the worktree, the index or a commit.

    Args:
        env: The surroundings.
        at: A revision or a date.
        staged: Whether the index is meant.

    Raises:
        Refusal: There is no such commit, or no worktree.
    """
    limit = env.settings.limits.file_bytes
    if at is not None and staged:
        raise Refusal(
            "two-sources",
            say("--at and --staged exclude each other."),
            ExitCode.USAGE,
            hint=say("Give one of them, or neither for the worktree."),
        )
    if at is not None:
        commit = env.repo.resolve(at)
        return Source(env.repo.commit_files(commit, limit), commit, at)
    if staged:
        return Source(env.repo.index_files(limit), None, "index")
    if env.repo.top is None:
        head = env.repo.head().commit
        return Source(env.repo.commit_files(head, limit), head, "HEAD")
    env.begin_reading()
    return Source(env.repo.worktree_files(limit), None, "worktree")


def overview(env: Env, tree: FileTree, ref: SessionRef) -> Overview:
    """Reads one session and counts."""
    plan = read_plan(tree, ref)
    counts: dict[Status, int] = {}
    for task in plan.tasks.values():
        counts[task.status] = counts.get(task.status, 0) + 1
    ready, waiting = readiness(plan)
    return Overview(plan, counts, ready, waiting, ref.id == remembered_choice(env))


def chosen_overview(env: Env, source: Source, session: str | None) -> Overview:
    """Reads the session that a reader is about."""
    ref = choose_session(env, source.tree, session, writing=False)
    return overview(env, source.tree, ref)


def all_overviews(env: Env, source: Source) -> tuple[Overview, ...]:
    """Reads every session of the workspace where the user stands."""
    return tuple(overview(env, source.tree, ref) for ref in sessions_here(env, source.tree))


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two versions of one session.

    Attributes:
        before: The older plan.
        after: The newer plan.
        path_before: The critical path before.
        path_after: The critical path after.
    """

    before: Plan
    after: Plan
    path_before: tuple[TaskId, ...]
    path_after: tuple[TaskId, ...]


def compare_sources(
    env: Env, old: Source, new: Source, session: str | None
) -> tuple[Comparison, ...]:
    """Reads the sessions that differ between two trees, from both of them.

    Args:
        env: The surroundings.
        old: The tree before.
        new: The tree after.
        session: The one session that is meant; None for all of the workspace.

    Raises:
        Refusal: The session named is in neither tree (not found).
    """
    refs = {ref.folder: ref for tree in (old.tree, new.tree) for ref in sessions_here(env, tree)}
    chosen = [ref for ref in refs.values() if session is None or ref.id == session]
    if session is not None and not chosen:
        raise Refusal(
            "session-not-found",
            say("There is no session {id} in either version.", id=session),
            ExitCode.NOT_FOUND,
            location=Location(session=session),
        )
    found = []
    for ref in sorted(chosen):
        before, after = read_plan(old.tree, ref), read_plan(new.tree, ref)
        if before.source.files != after.source.files:
            before, after = with_unread(before, after), with_unread(after, before)
            found.append(Comparison(before, after, path_of(before), path_of(after)))
    return tuple(found)


def with_unread(plan: Plan, other: Plan) -> Plan:
    """Returns a plan with the tasks that it has and cannot read, as another version has them.

    A task whose file is broken is not gone; the problems of the plan say what is the matter.
    """
    for task in other.tasks.values():
        path = task.origin.path if task.origin is not None else ""
        if path in plan.source.unreadable and task.id not in plan.tasks:
            plan = plan.with_task(task)
    return plan


def path_of(plan: Plan) -> tuple[TaskId, ...]:
    """Returns the critical path of a plan, empty where it has a cycle."""
    return () if find_cycles(edges_of(plan)) else critical_path(plan)
