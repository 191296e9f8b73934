"""The next free replan id and its branch."""

from gitwfp.classes import dataclass
from gitwfp.flows.env import Env
from gitwfp.flows.snapshot import Snapshot
from gitwfp.model.plan import SessionRef
from gitwfp.policy import message as m
from gitwfp.policy.names import REPLAN_REFS, ref_part, replan_branch, replan_time


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a change is called.

    Attributes:
        time: ISO 8601, UTC.
        replan: The replan id, `<session>/<time>`.
        branch: The short name of its branch.
    """

    time: str
    replan: str
    branch: str


def free_stamp(
    env: Env, ref: SessionRef, kind: str, snapshot: Snapshot, earlier: Stamp | None = None
) -> Stamp:
    """Returns an id that no replan of the session has, with `-2`, `-3` in a busy second.

    Names of branches and private refs are looked at, and the newest commits, whose branches
    may be gone already. A change that is made again keeps its time, and so its id if it can.
    """
    time = earlier.time if earlier is not None else env.time()
    wanted = replan_time(time)
    taken = _taken(env, ref, snapshot)
    number, stamp = 1, wanted
    while stamp in taken:
        number += 1
        stamp = f"{wanted}-{number}"
    return Stamp(time, f"{ref.id}/{stamp}", replan_branch(ref.id, stamp, kind))


def _taken(env: Env, ref: SessionRef, snapshot: Snapshot) -> frozenset[str]:
    session = ref_part(ref.id)
    found: set[str] = set()
    for prefix in (f"refs/heads/wfp/{session}/", f"{REPLAN_REFS}/{session}/"):
        for name in env.repo.refs(prefix):
            last = name.rpartition("/")[2]
            found.add(last.partition("-")[2] if prefix.startswith("refs/heads/") else last)
    for commit in snapshot.recent:
        for replan in commit.trailers.get(m.REPLAN, ()):
            found.add(replan.rpartition("/")[2])
    return frozenset(found)
