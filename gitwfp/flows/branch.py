"""A branch that is to land: which session it is about, and what it brings."""

from collections.abc import Iterable
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.errors import ExitCode, Location, Refusal, say
from gitwfp.files.paths import is_safe_path, session_at, workspace_of
from gitwfp.flows.env import Env
from gitwfp.flows.whatif import Landed, commits_beyond
from gitwfp.git.history import CommitInfo, changed_paths, commit_info, merge_base
from gitwfp.model.plan import SessionRef

_PLAIN: Final = (0, 0o100644, 0o100755)
"""Modes of what may land: nothing any more, a file."""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A branch that is to land.

    Attributes:
        branch: Its name, as it was typed.
        tip: The commit that it is at.
        ref: The session that it changes.
    """

    branch: str
    tip: str
    ref: SessionRef

    def missing(self, env: Env, head: str | None, here: Landed) -> list[CommitInfo]:
        """Returns its commits that have not landed in any form yet, newest first."""
        beyond = commits_beyond(env, self.ref, head, self.tip)
        return [info for info in beyond if not here.holds(info)]


def brought(
    env: Env, what_ifs: Iterable[WhatIf], head: str | None, here: Landed
) -> dict[WhatIf, list[CommitInfo]]:
    """Returns what each branch brings that has not landed and that none before it brings."""
    new: dict[WhatIf, list[CommitInfo]] = {}
    for one in what_ifs:
        taken = {info.id for infos in new.values() for info in infos}
        new[one] = [info for info in one.missing(env, head, here) if info.id not in taken]
    return new


def what_if(env: Env, branch: str, head: str | None) -> WhatIf:
    """Returns the branch that a person named to land.

    Raises:
        Refusal: It has no history in common with HEAD, changes more than plans, or not exactly
            one session.
    """
    tip = env.repo.resolve(branch)
    base = merge_base(env.repo, head, tip) if head is not None else None
    if base is None:
        raise Refusal(
            "no-common-history",
            say("{branch} has no history in common with HEAD.", branch=branch),
            ExitCode.REFUSED,
            hint=say("Only a branch that was made from this one can land."),
        )
    # What has landed already still says by its last commit which session it was about.
    since = base if base != tip else next(iter(commit_info(env.repo, tip).parents), None)
    return WhatIf(branch, tip, _one_session(env, since, tip, branch))


def _one_session(env: Env, base: str | None, tip: str, branch: str) -> SessionRef:
    items = tuple(changed_paths(env.repo, base, tip, ""))
    changed = [item.path for item in items]
    odd = [i.path for i in items if not is_safe_path(i.path) or i.after_mode not in _PLAIN]
    if odd:
        raise Refusal(
            "branch-has-odd-files",
            say(
                "{branch} has something that is not a plain file: {path}.",
                branch=branch,
                path=odd[0],
            ),
            ExitCode.REFUSED,
            hint=say("Look at the branch with git before you use anything of it."),
            location=Location(odd[0]),
        )
    foreign = [path for path in changed if workspace_of(path) is None]
    if foreign:
        raise Refusal(
            "branch-has-code",
            say("{branch} changes more than plans: {path}.", branch=branch, path=foreign[0]),
            ExitCode.REFUSED,
            hint=say("Merge it with git merge."),
            location=Location(foreign[0]),
        )
    refs: dict[str, SessionRef] = {}
    for path in changed:
        ref = session_at(workspace_of(path) or "", path)
        if ref is not None:
            refs.setdefault(ref.folder, ref)
    if len(refs) != 1:
        raise Refusal(
            "not-one-session",
            say("{branch} does not change exactly one session.", branch=branch),
            ExitCode.REFUSED,
            hint=say("Sessions concerned: {ids}.", ids=", ".join(r.id for r in refs.values()))
            if refs
            else say("It changes none; there is nothing to land."),
        )
    return next(iter(refs.values()))
