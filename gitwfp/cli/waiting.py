"""The what-ifs that wait, as `git wfp list` tells of them; see `gitwfp.cli.answers`."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from gitwfp.classes import dataclass
from gitwfp.cli.look import Look, fit, visible

if TYPE_CHECKING:
    from gitwfp.flows.env import Env
    from gitwfp.model.plan import SessionRef


@dataclass(frozen=True, slots=True)
class WhatIfLine:
    """A branch with replans that have not landed.

    Attributes:
        session: The session.
        branch: Its short name, as `git wfp land` takes it.
        commit: The commit that it is at.
        replan: The id of its newest replan, if it has one.
        subject: What its newest commit that has not landed says of itself.
        commits: Number of commits that have not landed.
        tasks: The tasks that they name.
    """

    session: str
    branch: str
    commit: str
    replan: str | None
    subject: str
    commits: int
    tasks: tuple[str, ...]


def what_ifs_waiting(env: "Env", refs: Iterable["SessionRef"]) -> tuple[WhatIfLine, ...]:
    """Returns the what-ifs of sessions; git is asked for them, so that they are not remembered."""
    from gitwfp.flows.history import replans_of
    from gitwfp.flows.whatif import open_what_ifs

    return tuple(
        WhatIfLine(
            ref.id,
            one.branch,
            one.tip,
            next((replan for info in one.commits for replan in replans_of(info)), None),
            one.commits[0].subject,
            len(one.commits),
            one.tasks,
        )
        for ref in refs
        for one in open_what_ifs(env, ref)
    )


def what_if_lines(one: WhatIfLine, look: Look) -> Iterable[str]:
    """Yields a what-if's lines below its session."""
    tasks = ", ".join(map(visible, one.tasks))
    yield f"    {visible(one.branch)}"
    line = f"      {visible(one.subject)}" + (f"  [{tasks}]" if tasks else "")
    yield line if look.columns is None else fit(line, look.columns, mark=look.mark)
