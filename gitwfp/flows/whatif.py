"""What-ifs that wait on their branches: which there are, and dropping one."""

from dataclasses import dataclass

from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.flows.env import Env
from gitwfp.git.branches import BRANCHES, drop_branch
from gitwfp.git.history import is_ancestor

PREFIX = "wfp/"
"""What the names of all our branches begin with."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A branch that is gone.

    Attributes:
        branch: Its short name.
        commit: The commit that it was at.
        kept_as: The ref that keeps the commit now; None where another branch reaches it.
    """

    branch: str
    commit: str
    kept_as: str | None


def open_what_ifs(env: Env, session: str) -> dict[str, str]:
    """Returns a session's branches that have not landed here, by short name with their commits."""
    head = env.repo.head().commit
    found = env.repo.refs(f"{BRANCHES}{PREFIX}{session}/")
    return {
        name.removeprefix(BRANCHES): commit
        for name, commit in sorted(found.items())
        if head is None or not is_ancestor(env.repo, commit, head)
    }


def drop(env: Env, branch: str, *, dry_run: bool) -> Dropped:
    """Deletes the branch of a what-if; its commit stays reachable.

    Args:
        env: The surroundings.
        branch: Its short or full name.
        dry_run: Whether to stop before anything is written.

    Raises:
        Refusal: There is no such branch (not found), it is none of ours (refused), or it is
            checked out somewhere (environment).
    """
    name = branch.removeprefix(BRANCHES)
    commit = env.repo.refs(BRANCHES + name).get(BRANCHES + name)
    if commit is None:
        raise Refusal(
            "branch-not-found",
            say("There is no branch {name}.", name=name),
            ExitCode.NOT_FOUND,
            hint=say("git branch --list 'wfp/*' lists the branches of replans."),
        )
    if not name.startswith(PREFIX):
        raise Refusal(
            "not-a-what-if",
            say("{name} is not the branch of a replan.", name=name),
            ExitCode.REFUSED,
            hint=say("Only branches below wfp/ are dropped; git branch deletes any other."),
        )
    if dry_run:
        return Dropped(name, commit, None)
    return Dropped(name, commit, drop_branch(env.repo, name))
