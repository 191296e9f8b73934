"""What-ifs that wait on their branches: which there are, what of them landed, dropping one."""

from gitwfp.classes import dataclass
from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.flows.env import Env
from gitwfp.flows.history import Record, history, picked_by, replans_of
from gitwfp.git.branches import BRANCHES, drop_branch
from gitwfp.git.history import CommitInfo, is_ancestor, merge_base, plan_commits
from gitwfp.model.plan import SessionRef
from gitwfp.policy import message as m
from gitwfp.policy.names import BRANCHES as BRANCH_FOLDER
from gitwfp.policy.names import ref_part

PREFIX = f"{BRANCH_FOLDER}/"
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


class Landed:
    """What the history of HEAD holds of a session, also of what was made again to land.

    Args:
        env: The surroundings.
        ref: The session.
        head: The commit at HEAD; None before the first.
    """

    def __init__(self, env: Env, ref: SessionRef, head: str | None) -> None:
        self._records: dict[str, Record] = {}
        for record in history(env, ref, head) if head is not None else ():
            for name in (record.commit, *record.replans, *picked_by(record.info)):
                self._records.setdefault(name, record)

    def holds(self, info: CommitInfo) -> bool:
        """Tells whether a commit landed: itself, or all that it did under the same replan id."""
        names = replans_of(info)
        return info.id in self._records or (
            bool(names) and all(name in self._records for name in names)
        )

    def taken_back_by(self, info: CommitInfo) -> str | None:
        """Returns the name of the standing rollback that took a landed commit back, if one did."""
        found = (self._records.get(name) for name in (info.id, *replans_of(info)))
        return next((r.undone_by for r in found if r is not None and r.undone_by), None)


def picked_from(info: CommitInfo) -> str:
    """Returns the line by which a commit is known that has no id and is made again to land."""
    return f"(cherry picked from commit {info.id})"


def commits_beyond(env: Env, ref: SessionRef, head: str | None, tip: str) -> list[CommitInfo]:
    """Returns a session's commits that HEAD lacks, newest first; what merges only is left out."""
    base = None if head is None else merge_base(env.repo, head, tip)
    found = plan_commits(env.repo, tip, (ref.folder,), since=base)
    return [info for info in found if len(info.parents) == 1]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A branch with replans that have not landed here.

    Attributes:
        ref: The session.
        branch: Its short name.
        tip: The commit that it is at.
        commits: Those of its commits that have not landed in any form, newest first.
    """

    ref: SessionRef
    branch: str
    tip: str
    commits: tuple[CommitInfo, ...]

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that its commits name, in the order of the history."""
        keys = (m.ADDED, m.UPDATED, m.DELETED)
        found = (i.trailers.get(key, ()) for i in self.commits[::-1] for key in keys)
        return tuple(dict.fromkeys(m.ids_in(value for values in found for value in values)))


def open_what_ifs(env: Env, ref: SessionRef) -> tuple[Waiting, ...]:
    """Returns a session's branches that have not landed here, by name."""
    head = env.repo.head().commit
    found = env.repo.refs(f"{BRANCHES}{PREFIX}{ref_part(ref.id)}/")
    beyond = {
        name.removeprefix(BRANCHES): tip
        for name, tip in sorted(found.items())
        if head is None or not is_ancestor(env.repo, tip, head)
    }
    landed = Landed(env, ref, head) if beyond else None
    waiting = []
    for name, tip in beyond.items():
        infos = commits_beyond(env, ref, head, tip)
        new = tuple(info for info in infos if landed is None or not landed.holds(info))
        if new:
            waiting.append(Waiting(ref, name, tip, new))
    return tuple(waiting)


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
            hint=say("git wfp list --what-ifs lists those that wait."),
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
