"""Looks at the repository: what kind it is, where HEAD is, who commits, what git is doing."""

from collections.abc import Iterator
from typing import Final

from gitwfp.errors import Location, Refusal, say
from gitwfp.flows.doctor.check import Check, Grade, refused
from gitwfp.flows.env import Env
from gitwfp.git.state import worktrees as all_worktrees

_UNKNOWN_EXTENSION: Final = "unknown extension "


def features(env: Env) -> Iterator[Check]:
    """Looks at what is uncommon about the repository."""
    found = env.repo.features()
    unknown = [name for name in found if name.startswith(_UNKNOWN_EXTENSION)]
    expected = say("All of its kinds are known.")
    why = say("Some kinds of repository are read more slowly, or cannot be written to.")
    if unknown:
        yield Check(
            "features",
            Grade.WARNING,
            say("The repository uses what is not known here: {names}.", names=", ".join(unknown)),
            expected,
            why,
            say("See whether a newer version of gitwfp knows it."),
        )
        return
    yield Check(
        "features",
        Grade.NOTE if found else Grade.OK,
        say("The repository is: {names}.", names=", ".join(found))
        if found
        else say("It is a plain repository."),
        expected,
        why,
    )
    if env.repo.is_shallow:
        yield Check(
            "history",
            Grade.NOTE,
            say("The history is cut off here: the clone is shallow."),
            say("The history reaches back to the first plan."),
            say("Replans before the cut cannot be shown, blamed or taken back."),
            say("git fetch --unshallow gets the rest."),
        )


def head(env: Env) -> Iterator[Check]:
    """Looks at HEAD."""
    found = env.repo.head()
    expected = say("HEAD is on a branch or at a commit.")
    why = say("Readers start from it, and replans land on it.")
    if found.commit is None:
        observed = say("The branch {branch} has no commit yet.", branch=found.branch or "?")
    elif found.branch is None:
        observed = say("HEAD is detached at {commit}.", commit=found.commit[:12])
    else:
        observed = say("HEAD is on {branch}.", branch=found.branch)
    yield Check("head", Grade.OK, observed, expected, why)


def identity(env: Env) -> Iterator[Check]:
    """Looks at who would be recorded in a commit."""
    expected = say("Git knows a name and a mail address.")
    why = say("Every replan is a commit, and a commit names its author.")
    for role in ("author", "committer"):
        try:
            who = env.repo.identity(role)
        except Refusal as refusal:
            # Nobody commits where there is no worktree.
            grade = Grade.NOTE if env.repo.top is None else Grade.ERROR
            yield Check("identity", grade, refusal.message, expected, why, refusal.hint)
            return
    yield Check(
        "identity", Grade.OK, say("Commits are made by {who}.", who=_name(who)), expected, why
    )


def operation(env: Env) -> Iterator[Check]:
    """Looks at what git is in the middle of."""
    found = env.repo.operation_in_progress()
    yield Check(
        "operation",
        Grade.OK if found is None else Grade.NOTE,
        say("Git is in the middle of nothing.")
        if found is None
        else say("Git is in the middle of a {operation}.", operation=found),
        say("No merge, rebase or the like is unfinished."),
        say("Plans are not changed meanwhile."),
        None if found is None else say("Finish or abort it."),
    )
    if env.repo.top is None:
        return
    conflicts = env.repo.unmerged_paths()
    if conflicts:
        yield Check(
            "conflicts",
            Grade.WARNING,
            say("{path} has a merge conflict that is not resolved yet.", path=conflicts[0]),
            say("Nothing is in conflict."),
            say("Plans are not changed meanwhile."),
            say("Resolve it and stage the file with git add."),
            Location(conflicts[0]),
        )


def worktrees(env: Env) -> Iterator[Check]:
    """Looks at the worktrees, and whether two of them are on one branch."""
    found = all_worktrees(env.repo.git)
    gone = [tree.path for tree in found if tree.is_prunable]
    expected = say("Each worktree is there, and on a branch of its own.")
    why = say("A branch that is checked out twice is not moved.")
    ref = env.repo.head().ref
    try:
        elsewhere = None if ref is None else env.repo.checked_out_elsewhere(ref)
    except Refusal as refusal:
        yield refused("worktrees", refusal)
        return
    if elsewhere is not None:
        yield Check(
            "worktrees",
            Grade.WARNING,
            say(
                "{ref} is checked out in another worktree too: {worktree}.",
                ref=ref,
                worktree=elsewhere,
            ),
            expected,
            why,
            say("Work in that worktree, or switch one of the two to another branch."),
        )
    elif gone:
        yield Check(
            "worktrees",
            Grade.NOTE,
            say("The folder of a worktree is gone: {path}.", path=gone[0]),
            expected,
            why,
            say("If it will not come back, git worktree can forget it."),
        )
    else:
        count = say("The repository has {number} worktrees.", number=len(found))
        one = say("The repository has one worktree.")
        yield Check("worktrees", Grade.OK, count if len(found) > 1 else one, expected, why)


def _name(identity: str) -> str:
    """Returns name and address of an identity as git writes it, without time and zone."""
    return identity.rpartition(">")[0] + ">"
