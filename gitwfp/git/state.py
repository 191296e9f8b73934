"""What index and worktree are like, and what git is in the middle of.

Each use of the git program is one function, and so is each look into git's own folder.
"""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gitwfp.classes import dataclass, replace
from gitwfp.git.program import GitProgram, to_bytes, to_text
from gitwfp.git.smallfiles import read_if_file

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository


@dataclass(frozen=True, slots=True)
class FileState:
    """One path that is not simply clean.

    Attributes:
        path: From the repository root.
        staged: HEAD and index differ.
        unstaged: Index and worktree differ.
        untracked: Not in the index and not ignored.
        conflict: The index has it unmerged.
        submodule: It is a submodule.
        skip_worktree: The index says not to look at it (known only if asked for).
        assume_unchanged: The index says to take it for unchanged (known only if asked for).
        intent_to_add: In the index without content.
        code: The two letters of git status, such as `.M`; `??` if untracked, `..` if clean.
    """

    path: str
    staged: bool = False
    unstaged: bool = False
    untracked: bool = False
    conflict: bool = False
    submodule: bool = False
    skip_worktree: bool = False
    assume_unchanged: bool = False
    intent_to_add: bool = False
    code: str = ".."


@dataclass(frozen=True, slots=True)
class StagedEntry:
    """One entry of the index.

    Attributes:
        path: From the repository root.
        mode: Git's mode.
        id: Object id in hexadecimal.
        stage: 0, or 1 to 3 for the sides of an unmerged path; an unmerged path comes once.
    """

    path: str
    mode: int
    id: str
    stage: int


@dataclass(frozen=True, slots=True)
class Worktree:
    """One worktree of a repository, as git lists it.

    Attributes:
        path: Its top folder, as git knows it.
        ref: The branch that is checked out, as a full ref; None when detached or bare.
        is_prunable: Its folder is gone.
    """

    path: str
    ref: str | None
    is_prunable: bool


def file_states(git: GitProgram, prefix: str) -> tuple[FileState, ...]:
    """Asks git for the status of all paths below a folder, sorted by path."""
    command = ("status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames")
    done = git.run(*command, "--ignore-submodules=none", *_pathspec(prefix))
    return tuple(sorted(parse_status(done.out), key=lambda state: state.path))


def parse_status(output: bytes) -> Iterator[FileState]:
    """Yields the paths in the output of `git status --porcelain=v2 -z --no-renames`."""
    for record in filter(None, output.split(b"\0")):
        kind = record[:1]
        if kind in {b"1", b"u"}:
            fields = record.split(b" ", 8 if kind == b"1" else 10)
            code = fields[1].decode("ascii")
            yield FileState(
                to_text(fields[-1]),
                staged=kind == b"1" and code[0] != ".",
                unstaged=code[1] != ".",
                conflict=kind == b"u",
                submodule=fields[2].startswith(b"S"),
                intent_to_add=code == ".A",
                code=code,
            )
        elif kind == b"?":
            yield FileState(to_text(record[2:]), untracked=True, code="??")


def with_hidden(
    states: tuple[FileState, ...], hidden: dict[str, tuple[bool, bool]]
) -> tuple[FileState, ...]:
    """Returns states with the marks that keep git from looking, and the paths so hidden."""
    by_path = {state.path: state for state in states}
    for path, (skip, assume) in hidden.items():
        state = by_path.get(path, FileState(path))
        by_path[path] = replace(state, skip_worktree=skip, assume_unchanged=assume)
    return tuple(by_path[path] for path in sorted(by_path))


def hidden_paths(git: GitProgram, prefix: str) -> dict[str, tuple[bool, bool]]:
    """Returns the paths marked skip-worktree or assume-unchanged, and which of the two."""
    found = {}
    for record in filter(
        None, git.run("ls-files", "-v", "-z", *_pathspec(prefix)).out.split(b"\0")
    ):
        tag = record[:1].decode("ascii")
        if tag.upper() == "S" or tag.islower():
            found[to_text(record[2:])] = (tag.upper() == "S", tag.islower())
    return found


def staged_entries(repo: "Repository", prefix: str) -> tuple[StagedEntry, ...]:
    """Returns the index entries below a folder, without those that are only announced."""
    found: dict[str, StagedEntry] = {}
    done = repo.git.run("ls-files", "-s", "-z", *_pathspec(prefix))
    for record in filter(None, done.out.split(b"\0")):
        facts, _, path = record.partition(b"\t")
        mode, object_id, stage = facts.decode("ascii").split(" ")
        entry = StagedEntry(to_text(path), int(mode, 8), object_id, int(stage))
        found.setdefault(entry.path, entry)
    # `add --intent-to-add` makes an entry with the empty blob; only status tells that from an
    # empty file.
    empty = [path for path, entry in found.items() if entry.id == EMPTY_BLOBS[repo.object_format]]
    if empty and repo.top is not None:
        announced = {state.path for state in file_states(repo.git, prefix) if state.intent_to_add}
        return tuple(entry for path, entry in found.items() if path not in announced)
    return tuple(found.values())


EMPTY_BLOBS = {
    "sha1": "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "sha256": "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
}
"""The id of the blob without content, by object format."""


def unmerged(git: GitProgram, prefix: str) -> tuple[str, ...]:
    """Returns the paths below a folder that the index has unmerged, each once."""
    records = git.run("ls-files", "-u", "-z", *_pathspec(prefix)).out.split(b"\0")
    return tuple(dict.fromkeys(to_text(r.partition(b"\t")[2]) for r in records if r))


def ignoring_rule(git: GitProgram, path: str) -> tuple[str, int, str] | None:
    """Returns source, line and pattern of the rule by which git ignores a path.

    A path in the index is not ignored, whatever the rules say.
    """
    # This command does not take literal pathspecs; behind the dot, a colon has no meaning.
    options = ("check-ignore", "-v", "-z", "--stdin")
    name = b"./" + to_bytes(path) + b"\0"
    done = git.run(*options, input=name, ok=(0, 1), env={"GIT_LITERAL_PATHSPECS": "0"})
    if done.code == 1:
        return None
    source, line, pattern = map(to_text, done.out.split(b"\0")[:3])
    # The rule that decides may also be one that takes the path out again.
    return None if pattern.startswith("!") else (source, int(line), pattern)


def worktrees(git: GitProgram) -> tuple[Worktree, ...]:
    """Returns all worktrees of the repository, the main one (or the bare repository) first."""
    found = []
    for block in git.run("worktree", "list", "--porcelain", "-z").out.split(b"\0\0"):
        facts = dict(_fact(line) for line in block.split(b"\0") if line)
        if facts:
            found.append(Worktree(facts["worktree"], facts.get("branch"), "prunable" in facts))
    return tuple(found)


def _fact(line: bytes) -> tuple[str, str]:
    name, _, value = line.partition(b" ")
    return to_text(name), to_text(value)


# The first that is there names the operation; several can be, as a rebase is made of cherry-picks.
_OPERATION_FILES = (
    ("rebase-merge", "rebase"),
    ("rebase-apply/applying", "am"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
)


def operation(repo: "Repository") -> str | None:
    """Names what git is in the middle of: merge, rebase, cherry-pick, revert, bisect or am."""
    for name, meaning in _OPERATION_FILES:
        if os.path.exists(os.path.join(repo.git_dir, name)):
            return meaning
        # A table of refs holds these two, so that there is no file of that name.
        if name.endswith(("PICK_HEAD", "REVERT_HEAD")) and repo.has_ref_table:
            command = ("show-ref", "--verify", "--quiet", name)
            if repo.git.run(*command, ok=(0, 1, 128)).code == 0:
                return meaning
    # Between two steps of a series there is only the list of what is left to do.
    todo = _lines(os.path.join(repo.git_dir, "sequencer", "todo"))
    if not todo:
        return None
    return "revert" if todo[0].startswith("revert") else "cherry-pick"


def replayed_branches(git_dir: str) -> frozenset[str]:
    """Returns the branches, as full refs, that an unfinished rebase or bisect will come back to.

    While one of these runs, HEAD is detached, so that git does not list the branch as checked out.
    """
    found: set[str] = set()
    for name in ("rebase-merge/head-name", "rebase-apply/head-name", "rebase-merge/update-refs"):
        lines = _lines(os.path.join(git_dir, name))
        found.update(line for line in lines if line.startswith("refs/heads/"))
    found.update("refs/heads/" + line for line in _lines(os.path.join(git_dir, "BISECT_START")))
    return frozenset(found)


def linked_folders(common_dir: str) -> tuple[tuple[str, str], ...]:
    """Returns the git folder and the worktree of each linked worktree."""
    folder = os.path.join(common_dir, "worktrees")
    if not os.path.isdir(folder):
        return ()
    found: list[tuple[str, str]] = []
    for name in sorted(os.listdir(folder)):
        git_dir = os.path.join(folder, name)
        # Since git 2.48 this may be relative to the folder that it stands in.
        found.extend(
            (git_dir, os.path.dirname(os.path.join(git_dir, line)))
            for line in _lines(os.path.join(git_dir, "gitdir"))
        )
    return tuple(found)


def _lines(path: str) -> list[str]:
    """Returns the lines of one of git's small files, none if it is not there."""
    return to_text(read_if_file(path) or b"").splitlines()


def _pathspec(prefix: str) -> tuple[str, ...]:
    return ("--", prefix) if prefix else ()
