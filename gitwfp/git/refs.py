"""Where HEAD and other refs lead, asked by their exact names.

Git takes a revision for whatever it may be short for: where there is no `refs/heads/x`, that text
means `refs/heads/refs/heads/x`, and `HEAD` on a branch without commits means `refs/heads/HEAD`. So
nothing here asks for a revision.
"""

import os
from typing import TYPE_CHECKING, Final

from gitwfp.classes import dataclass
from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.git.program import GitProgram, to_text
from gitwfp.git.reffiles import find_ref
from gitwfp.git.smallfiles import read_if_file
from gitwfp.patterns import regex

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

_HEAD: Final = regex(rb"(?:ref:\s*(refs/\S+)|([0-9a-f]{40}(?:[0-9a-f]{24})?))\s*")
_ELSEWHERE: Final = b"refs/heads/.invalid"
"""What HEAD's file says where HEAD is in a table of refs: a name that no ref can have."""


@dataclass(frozen=True, slots=True)
class Head:
    """Where HEAD is.

    Attributes:
        ref: The branch that is checked out, as a full ref; None when HEAD is detached.
        commit: The commit; None on a branch that has none yet.
    """

    ref: str | None
    commit: str | None

    @property
    def branch(self) -> str | None:
        """The short name of the branch, None when HEAD is detached."""
        return None if self.ref is None else self.ref.removeprefix("refs/heads/")


def read_head(repo: "Repository") -> Head:
    """Tells where HEAD is; raises the refusal `head-broken` if it leads nowhere."""
    place = os.path.join(repo.git_dir, "HEAD")
    repo.look_at(place)
    written = _HEAD.fullmatch(read_if_file(place) or b"")
    if written is None or written[1] == _ELSEWHERE:
        ref = _symbolic_head(repo.git)
        commit = _detached_head(repo.git) if ref is None else None
    else:
        ref = None if written[1] is None else to_text(written[1])
        commit = None if written[2] is None else to_text(written[2])
    if ref is None:
        if commit is None:
            raise _broken("HEAD")
        return Head(None, commit)
    target = _target(repo, ref)
    if target.is_broken:
        raise _broken(ref)
    if target.id is None:
        # A branch can stand for another one, and that is the one which git would make.
        return Head(_symbolic_head(repo.git) or ref, None)
    return Head(target.ref, target.id)


def read_ref(repo: "Repository", ref: str) -> str | None:
    """Returns what a full ref or a detached HEAD points to, None if there is no such ref."""
    return _detached_head(repo.git) if ref == "HEAD" else _target(repo, ref).id


@dataclass(frozen=True, slots=True)
class _Target:
    """What a ref leads to.

    Attributes:
        ref: The ref at the end, where it stands for another one.
        id: The object's id; None if there is no such ref, or if it is broken.
        is_broken: There is such a ref, but it leads nowhere.
    """

    ref: str
    id: str | None
    is_broken: bool


def _target(repo: "Repository", ref: str) -> _Target:
    found = find_ref(repo, ref)
    if found is not None:
        return _Target(ref, found, is_broken=False)
    done = repo.git.run("for-each-ref", "--format=%(objectname) %(refname) %(symref)", ref)
    for line in to_text(done.out).split("\n")[:-1]:
        object_id, name, other = line.split(" ")
        if name == ref:
            return _Target(other or ref, object_id, is_broken=False)
    warnings = to_text(done.err).split("\n")
    return _Target(ref, None, is_broken=f"warning: ignoring broken ref {ref}" in warnings)


def _symbolic_head(git: GitProgram) -> str | None:
    """Returns the ref that HEAD stands for, None if it is detached or broken."""
    done = git.run("symbolic-ref", "--quiet", "HEAD", ok=(0, 1, 128))
    return to_text(done.out).removesuffix("\n") or None


def _detached_head(git: GitProgram) -> str | None:
    """Returns the commit at which HEAD is detached, None if there is none."""
    # HEAD itself comes first among all that the name could mean, if only it holds an id.
    done = git.run("rev-parse", "--verify", "--quiet", "HEAD", ok=(0, 1, 128))
    return to_text(done.out).strip() or None


def _broken(ref: str) -> Refusal:
    return Refusal(
        "head-broken",
        say("HEAD does not lead to a commit: {ref} is broken.", ref=ref),
        ExitCode.ENVIRONMENT,
        hint=say("Run git fsck; the reflog may still know where it was."),
    )
