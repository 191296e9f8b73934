"""Files that cannot be understood go between two commits as bytes, or not at all.

A merge of plans knows nothing of such a file but that its task or document is missing, and would
take that for a deletion, or write what is in it a second time beside it.
"""

from typing import Final

from gitwfp.classes import dataclass
from gitwfp.errors import ExitCode, Location, Refusal, say
from gitwfp.files.codec import read_plan
from gitwfp.files.tree import FileEdits, OverlayFiles
from gitwfp.flows.env import Env
from gitwfp.flows.snapshot import Snapshot
from gitwfp.git.conversion import worktree_form
from gitwfp.git.history import changed_paths
from gitwfp.model.plan import Plan

_PLAIN: Final = (0, 0o100644, 0o100755)
"""Modes of what can be written: nothing, a file."""


@dataclass(frozen=True, slots=True)
class Whole:
    """What of a commit is taken over as whole files.

    Attributes:
        base: The plan that a merge starts from, without these files.
        theirs: The plan that it leads to, without these files.
        edits: The bytes that these files get in the worktree.
    """

    base: Plan
    theirs: Plan
    edits: FileEdits


@dataclass(frozen=True, slots=True)
class Way:
    """From one commit to another, its parent or its child.

    Attributes:
        start: The commit that the way starts at; None before a root commit.
        end: The one that it leads to.
        base: The plan at the start.
        theirs: The plan at the end.
    """

    start: str | None
    end: str | None
    base: Plan
    theirs: Plan

    @property
    def unreadable(self) -> frozenset[str]:
        """The files that cannot be understood at either end."""
        return self.base.source.unreadable | self.theirs.source.unreadable


def taken_whole(env: Env, snapshot: Snapshot, here: Plan, way: Way, done: FileEdits) -> Whole:
    """Returns the files that go the way of a commit as bytes, and what a merge does of the rest.

    Args:
        env: The surroundings.
        snapshot: The session as it stands.
        here: Its plan with what is decided already.
        way: The way.
        done: What is decided already.

    Raises:
        Refusal: Such a file is not here any more as it was at the start of the way.
    """
    folder = here.ref.folder
    steps = [
        c for c in changed_paths(env.repo, way.start, way.end, folder) if c.path in way.unreadable
    ]
    if not steps:
        return Whole(way.base, way.theirs, {})
    moved = {c.path for c in changed_paths(env.repo, way.start, snapshot.head.commit, folder)}
    edits: dict[str, bytes | None] = {}
    for step in steps:
        form = _form(env, step.path, step.after)
        if step.path in done:
            still = done[step.path] == _form(env, step.path, step.before)
        else:
            still = step.path not in moved and step.path not in snapshot.differing
        if still and step.before_mode in _PLAIN and step.after_mode in _PLAIN:
            edits[step.path] = form
        elif here.source.files.get(step.path) != form and not _was_mended(here, way, step.path):
            raise _refused(way, here, step.path)
    held = frozenset(step.path for step in steps)
    limit = env.settings.limits.file_bytes
    base, theirs = (
        read_plan(
            OverlayFiles(env.repo.commit_files(commit, limit), dict.fromkeys(held)),
            here.ref,
            companions=True,
        )
        for commit in (way.start, way.end)
    )
    return Whole(base, theirs, edits)


def with_edits(env: Env, plan: Plan, edits: FileEdits) -> Plan:
    """Returns the plan in the worktree as some edits would make it."""
    files = env.repo.worktree_files(env.settings.limits.file_bytes)
    return read_plan(OverlayFiles(files, edits), plan.ref, companions=True)


def _form(env: Env, path: str, blob: str | None) -> bytes | None:
    return None if blob is None else worktree_form(env.repo, path, blob)


def _was_mended(here: Plan, way: Way, path: str) -> bool:
    """Tells whether a file that the way starts with as broken can be understood by now."""
    broken = path in way.base.source.unreadable and path not in way.theirs.source.unreadable
    return broken and path in here.source.files and path not in here.source.unreadable


def _refused(way: Way, here: Plan, path: str) -> Refusal:
    broken = path in way.base.source.unreadable
    return Refusal(
        "invalid-plan-file",
        say(
            "'{path}' cannot be understood at {commit}, and it is another file here.",
            path=path,
            commit=((way.start if broken else way.end) or "")[:12],
        ),
        ExitCode.REFUSED,
        hint=say("Nothing was written. Restore that file with git, then run the command again."),
        location=Location(path, session=here.ref.id),
        details=tuple(
            problem
            for problem in (way.base if broken else way.theirs).problems
            if problem.location.path == path
        ),
    )
