"""Names of replan branches: finding free ones, and letting old ones go.

A replan's branch is a name, not a store. It goes only while nothing is lost by that: somebody
else's ref must reach its commit, or a ref of ours below `refs/wfp/replans/` is made that does.
"""

from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.git.journal import PENDING
from gitwfp.git.program import GitFailed, to_bytes, to_text
from gitwfp.git.refs import read_ref
from gitwfp.git.state import linked_folders, replayed_branches, worktrees
from gitwfp.git.switch import refused_by_git, update_refs
from gitwfp.patterns import regex

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

BRANCHES = "refs/heads/"
REPLANS = "refs/wfp/replans/"
_NAME_BYTES = 255
"""How long a file's name may be; git keeps each part of a ref as one."""
_LOCK = ".lock"
"""What git appends to a ref's name while it writes it."""
_TIMED = regex(r"/[a-z]+-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)(?:-(\d+))?$")


def free_branch_name(repo: "Repository", wanted: str) -> str:
    """Returns a branch name that can be created: the one wanted, or that with `-2`, `-3` ...

    Raises:
        Refusal: Another branch is in the way, because its name is a folder of this one.
    """
    refuse_blocked(repo, wanted)
    taken = _names_near(repo, wanted)
    number = 1
    while True:
        name = wanted if number == 1 else f"{wanted}-{number}"
        folded = f"{BRANCHES}{name}".casefold()
        if not any(ref == folded or ref.startswith(folded + "/") for ref in taken):
            return name
        number += 1


def refuse_blocked(repo: "Repository", name: str) -> None:
    """Refuses a branch name that cannot be created.

    Raises:
        Refusal: A part of it is longer than a file's name may be (`branch-too-long`), or a branch
            has the name of one of its folders (`branch-blocked`).
    """
    parts = name.split("/")
    for part in parts:
        if len(to_bytes(part)) + len(_LOCK) > _NAME_BYTES:
            raise Refusal(
                "branch-too-long",
                say(
                    "The branch {name} cannot be created, because a part of its name is longer "
                    "than {limit} bytes.",
                    name=name,
                    limit=_NAME_BYTES - len(_LOCK),
                ),
                ExitCode.ENVIRONMENT,
                hint=say("Give the folder of the session a shorter name."),
            )
    folders = ["/".join(parts[:n]) for n in range(1, len(parts))]
    if not folders:
        return
    found = repo.refs(BRANCHES + folders[0])
    for folder in folders:
        if BRANCHES + folder in found:
            raise Refusal(
                "branch-blocked",
                say(
                    "The branch {name} cannot be created, because there is a branch {blocking}.",
                    name=name,
                    blocking=folder,
                ),
                ExitCode.ENVIRONMENT,
                hint=say(
                    "Rename the branch {blocking} (git branch -m), then run the command again.",
                    blocking=folder,
                ),
            )


def drop_old_branches(repo: "Repository", session_prefix: str, keep: int) -> tuple[str, ...]:
    """Deletes a session's oldest replan branches whose commits are safe without them.

    Args:
        repo: The repository.
        session_prefix: What their names start with, such as `wfp/WFS-auth`.
        keep: How many of the newest stay.

    Returns:
        The short names of the branches that are gone.
    """
    folder = BRANCHES + session_prefix.removeprefix(BRANCHES).rstrip("/")
    branches = repo.refs(folder)
    ages = {ref: _age(ref) for ref in branches}
    timed = sorted((ref for ref in branches if ages[ref]), key=lambda ref: ages[ref], reverse=True)
    old = {ref: branches[ref] for ref in timed[keep:]}
    if not old:
        return ()
    busy = _checked_out(repo)
    gone = []
    for ref, oid in old.items():
        if ref in busy:
            continue
        reaching = _reaching(repo, oid, old.keys())
        if not reaching:
            continue
        has_branch = any(other.startswith(BRANCHES) for other in reaching)
        # Another process may have moved or deleted it since: then it is not ours to drop.
        with suppress(GitFailed):
            _delete(repo, ref, oid, keep_ref=not has_branch)
            gone.append(ref.removeprefix(BRANCHES))
    return tuple(gone)


def drop_branch(repo: "Repository", name: str) -> str | None:
    """Deletes one replan branch; its commit stays reachable.

    Returns:
        The ref below `refs/wfp/replans/` that now keeps the commit, None where a branch reaches it.

    Raises:
        Refusal: There is no such branch, it is checked out somewhere, or git will not delete it.
    """
    ref = BRANCHES + name
    oid = read_ref(repo, ref)
    if oid is None:
        raise Refusal(
            "branch-not-found", say("There is no branch {name}.", name=name), ExitCode.NOT_FOUND
        )
    where = _checked_out(repo).get(ref)
    if where is not None:
        raise Refusal(
            "branch-in-use",
            say("The branch {name} is in use in {worktree}.", name=name, worktree=where),
            ExitCode.ENVIRONMENT,
            hint=say("Switch that worktree to another branch first."),
        )
    reaching = _reaching(repo, oid, (ref,))
    has_branch = any(other.startswith(BRANCHES) for other in reaching)
    try:
        return _delete(repo, ref, oid, keep_ref=not has_branch)
    except GitFailed as error:
        raise refused_by_git(error) from error


def _age(ref: str) -> tuple[str, int] | tuple[()]:
    """Returns what sorts replan branches by age; empty for any other branch."""
    match = _TIMED.search(ref)
    return () if match is None else (match[1], int(match[2] or 1))


def _delete(repo: "Repository", ref: str, oid: str, *, keep_ref: bool) -> str | None:
    commands = [f"delete {ref} {oid}\n"]
    kept = None
    if keep_ref:
        session, _, last = ref.removeprefix(BRANCHES).removeprefix("wfp/").rpartition("/")
        kept = f"{REPLANS}{session or 'other'}/{last.removeprefix('replan-')}"
        there = read_ref(repo, kept)
        if there is None:
            commands.append(f"create {kept} {oid}\n")
        elif there != oid:
            kept = f"{kept}-{oid[:12]}"
            commands.append(f"update {kept} {oid}\n")
    update_refs(repo, commands, "wfp: branch dropped")
    return kept


def _reaching(repo: "Repository", oid: str, leaving: Collection[str]) -> tuple[str, ...]:
    """Returns the refs that reach a commit and stay."""
    done = repo.git.run("for-each-ref", f"--contains={oid}", "--format=%(refname)")
    refs = to_text(done.out).split("\n")[:-1]
    return tuple(ref for ref in refs if ref not in leaving and not ref.startswith(PENDING))


def _checked_out(repo: "Repository") -> Mapping[str, str]:
    """Returns the branches in use by any worktree, checked out or being rebased or bisected."""
    found = {
        tree.ref: tree.path
        for tree in worktrees(repo.git)
        if tree.ref is not None and not tree.is_prunable
    }
    main = (repo.common_dir, repo.common_dir)
    for git_dir, path in (main, *linked_folders(repo.common_dir)):
        found.update(dict.fromkeys(replayed_branches(git_dir), path))
    return found


def _names_near(repo: "Repository", wanted: str) -> frozenset[str]:
    folder = BRANCHES + wanted.rpartition("/")[0]
    return frozenset(ref.casefold() for ref in repo.refs(folder.rstrip("/")))
