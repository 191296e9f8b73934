"""Fetches and pushes refs that git leaves alone: notes of verifications, and backups of replans."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.git.notes import NOTES
from gitwfp.git.program import GitFailed, to_text
from gitwfp.git.refs import read_ref
from gitwfp.git.switch import update_refs

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

REPLANS: Final = "refs/wfp/replans/"
_THEIRS: Final = "refs/notes/wfp-fetched"
"""Where the notes of a remote are while they are merged; git merges notes only below refs/notes."""


def remote_refs(repo: "Repository", remote: str) -> Mapping[str, str]:
    """Returns the refs of a remote that are shared, with what they lead to.

    Args:
        repo: The repository.
        remote: Its name or address.

    Raises:
        Refusal: There is no such remote (not found), or it cannot be reached.
    """
    _check_remote(repo, remote)
    done = repo.git.run("ls-remote", "--end-of-options", remote, NOTES, f"{REPLANS}*")
    pairs = (line.split("\t") for line in to_text(done.out).splitlines())
    return {name: oid for oid, name in pairs}


def _check_remote(repo: "Repository", remote: str) -> None:
    is_known = bool(repo.config().keys_below(f"remote.{remote}"))
    is_address = "/" in remote or ":" in remote
    if not (is_known or is_address or os.path.exists(os.path.join(repo.git.cwd, remote))):
        raise Refusal(
            "remote-not-found",
            say("There is no remote {name}.", name=remote),
            ExitCode.NOT_FOUND,
            hint=say("git remote lists those that there are."),
        )


def fetch_shared(repo: "Repository", remote: str) -> tuple[int, int]:
    """Fetches what a remote shares; what is here stays.

    Args:
        repo: The repository.
        remote: Its name or address.

    Returns:
        How many notes and how many backups are new here.

    Raises:
        Refusal: It cannot be reached, or git refuses.
    """
    there = remote_refs(repo, remote)
    here = repo.refs(REPLANS)
    missing = [ref for ref in there if ref.startswith(REPLANS) and ref not in here]
    wanted = [f"{ref}:{ref}" for ref in missing]
    has_notes = NOTES in there and there[NOTES] != read_ref(repo, NOTES)
    if has_notes:
        wanted.append(f"+{NOTES}:{_THEIRS}")
    if not wanted:
        return 0, 0
    options = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head")
    repo.git.run("fetch", *options, "--end-of-options", remote, *wanted)
    before = _count(repo)
    if has_notes:
        _merge_notes(repo)
    return _count(repo) - before, len(missing)


def push_shared(repo: "Repository", remote: str) -> tuple[str, ...]:
    """Pushes what is shared; hooks do not run, since nothing of it is work.

    Args:
        repo: The repository.
        remote: Its name or address.

    Returns:
        The refs that were pushed.

    Raises:
        Refusal: It cannot be reached, or it refuses.
    """
    there = remote_refs(repo, remote)
    here = {**repo.refs(REPLANS)}
    notes = read_ref(repo, NOTES)
    if notes is not None:
        here[NOTES] = notes
    wanted = [ref for ref, oid in here.items() if there.get(ref) != oid]
    # A backup never changes, so one that is there under its name stays.
    wanted = [ref for ref in wanted if ref == NOTES or ref not in there]
    if wanted:
        _push(repo, remote, wanted)
    return tuple(wanted)


def _push(repo: "Repository", remote: str, refs: Sequence[str]) -> None:
    repo.git.run(
        "push", "--quiet", "--no-verify", "--end-of-options", remote, *(f"{r}:{r}" for r in refs)
    )


def _merge_notes(repo: "Repository") -> None:
    """Merges fetched notes into ours; where both have one, ours stays."""
    theirs = read_ref(repo, _THEIRS)
    ours = read_ref(repo, NOTES)
    try:
        if ours is None:
            zeros = "0" * len(theirs or "")
            update_refs(repo, [f"update {NOTES} {theirs} {zeros}\n"], "wfp: sync fetch")
        else:
            repo.git.run("notes", "--ref", NOTES, "merge", "--quiet", "-s", "ours", _THEIRS)
    finally:
        update_refs(repo, [f"delete {_THEIRS} {theirs}\n"], "wfp: sync fetch")


def _count(repo: "Repository") -> int:
    try:
        done = repo.git.run("notes", "--ref", NOTES, "list")
    except GitFailed:
        return 0
    return done.out.count(b"\n")
