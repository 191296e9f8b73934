"""What a worktree is in the middle of: file states, operations, other worktrees."""

from dataclasses import dataclass


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
        skip_worktree: The index says not to look at it (only with `hidden=True`).
        assume_unchanged: The index says to believe that it is unchanged (only with `hidden=True`).
        intent_to_add: In the index without content.
        code: The two letters of git status, `??` for untracked ones.
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
    code: str = "  "
