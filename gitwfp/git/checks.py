"""What must be true before plan files are written: cheap questions that change nothing."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, Text, say
from gitwfp.git.state import FileState
from gitwfp.git.steps import unmerged

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository


def check_ready(repo: "Repository", paths: Sequence[str]) -> tuple[FileState, ...]:
    """Raises a refusal unless plan files at or below some paths can be committed now.

    Args:
        repo: The repository.
        paths: Files or folders from the repository root.

    Returns:
        The paths there that differ between HEAD, index and worktree.

    Raises:
        Refusal: There is no worktree; git is in the middle of something; there are conflicts; the
            branch is checked out in another worktree; `.workflow` is no folder, or is ignored; a
            file's staged and unstaged versions differ.
    """
    repo.require_worktree()
    operation = repo.operation_in_progress()
    if operation is not None:
        raise _environment(
            "operation-in-progress",
            say("Git is in the middle of a {operation}.", operation=operation),
            say(
                "Finish or abort the {operation}, then run the command again.", operation=operation
            ),
        )
    conflicts = repo.unmerged_paths()
    if conflicts:
        raise unmerged(conflicts[0])
    _check_branch(repo)
    for folder in dict.fromkeys(map(_workspace, paths)):
        _check_workspace(repo, folder)
    for path in paths:
        _check_ignored(repo, path)
    return _check_staged(repo, paths)


def _check_branch(repo: "Repository") -> None:
    ref = repo.head().ref
    elsewhere = None if ref is None else repo.checked_out_elsewhere(ref)
    if elsewhere is not None:
        raise _environment(
            "checked-out-elsewhere",
            say(
                "{ref} is checked out in another worktree too: {worktree}.",
                ref=ref,
                worktree=elsewhere,
            ),
            say("Work in that worktree, or switch one of the two to another branch."),
        )


def _check_workspace(repo: "Repository", folder: str) -> None:
    message = _not_a_folder(repo.workflow_kind(folder), folder)
    if message is not None:
        raise Refusal(
            "workspace-not-a-folder",
            message,
            ExitCode.ENVIRONMENT,
            hint=say("Run the command in the repository that really holds the plan."),
            location=Location(path=folder),
        )


def _not_a_folder(kind: str, folder: str) -> Text | None:
    if kind == "link":
        return say(
            "{folder} is a symbolic link; plans are only written into a real folder.", folder=folder
        )
    if kind == "submodule":
        return say(
            "{folder} is a submodule; plans are only written into a folder of this repository.",
            folder=folder,
        )
    if kind in ("file", "other"):
        return say("{folder} is not a folder, so no plan can be written there.", folder=folder)
    return None


def _check_ignored(repo: "Repository", path: str) -> None:
    rule = repo.ignored_by(path)
    if rule is not None:
        source, line, pattern = rule
        raise Refusal(
            "ignored",
            say(
                "{path} is ignored by git: rule {pattern} in {source}, line {line}.",
                path=path,
                pattern=pattern,
                source=source,
                line=line,
            ),
            ExitCode.ENVIRONMENT,
            hint=say("Remove that rule, or add an exception line below it: !{path}", path=path),
            location=Location(path=path),
        )


def _check_staged(repo: "Repository", paths: Sequence[str]) -> tuple[FileState, ...]:
    states = [state for path in dict.fromkeys(paths) for state in repo.worktree_state(path)]
    staged = {state.path for state in states if state.staged}
    both = sorted(staged & {s.path for s in states if s.unstaged or s.untracked})
    if both:
        raise Refusal(
            "staged-and-unstaged",
            say("{path} has staged changes and other changes that are not staged.", path=both[0]),
            ExitCode.CONFLICT,
            hint=say("Stage all of it with git add, or unstage it, then run the command again."),
            location=Location(path=both[0]),
            details=tuple(
                Diagnostic(
                    "staged-and-unstaged",
                    say("{path} differs between index and worktree.", path=path),
                    Severity.ERROR,
                    Location(path=path),
                )
                for path in both[1:]
            ),
        )
    return tuple(states)


def _workspace(path: str) -> str:
    parts = path.split("/")
    if ".workflow" in parts:
        return "/".join(parts[: parts.index(".workflow") + 1])
    return parts[0]


def _environment(code: str, message: Text, hint: Text) -> Refusal:
    return Refusal(code, message, ExitCode.ENVIRONMENT, hint=hint)
