"""Hooks and merge driver: what init installs, where it must not, and what deinit takes out."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from gitwfp.classes import dataclass, replace
from gitwfp.errors import Diagnostic, Location, Refusal, Severity, say, say_n
from gitwfp.git.driver import NAME, is_registered, register, unregister
from gitwfp.git.hookfolder import HookFolder, Owner, file_for, has_lefthook, hook_folder
from gitwfp.git.hooks import (
    HookReceipt,
    install,
    look,
    read_hook_receipt,
    take_out,
    write_hook_receipt,
)
from gitwfp.git.hooktext import section, section_in

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

_CALLS: Final[Mapping[str, str]] = {
    "pre-push": 'gate pre-push "$@"',
    "prepare-commit-msg": 'gate offer "$1" "${2-}"',
    "post-merge": "gate range ORIG_HEAD..HEAD",
}


def line_for(hook: str) -> str:
    """Returns what a team adds to a hook that it commits: without the program it passes."""
    return (
        f"if command -v git-wfp >/dev/null; then git-wfp {_CALLS[hook]}; "
        "else echo 'git-wfp is missing; plans are not judged' >&2; fi"
    )


_LEFTHOOK_LINES = (
    "pre-push: {commands: {git-wfp: {use_stdin: true, run: 'if command -v git-wfp >/dev/null; "
    'then git-wfp gate pre-push {1} {2}; else echo "git-wfp is missing; plans are not judged"; '
    "fi'}}}"
)


@dataclass(frozen=True, slots=True)
class HookWish:
    """One hook, or the merge driver, that init is to install.

    Attributes:
        name: How it is named to people: its path, or the setting.
        file: The hook; None for the merge driver.
        ours: Our section in it.
        is_new: Whether there is nothing yet in its place.
    """

    name: str
    file: str | None
    ours: bytes
    is_new: bool


@dataclass(frozen=True, slots=True)
class HookPlan:
    """What init makes in the git folder.

    Attributes:
        wishes: What is to be written.
        notices: What a person should know.
        joins: Whether this worktree is to be noted in the receipt.
    """

    wishes: tuple[HookWish, ...] = ()
    notices: tuple[Diagnostic, ...] = ()
    joins: bool = False


def plan_hooks(repo: "Repository", names: Sequence[str], program: str | None) -> HookPlan:
    """Returns what is to be done about hooks and the merge driver.

    Args:
        repo: The repository.
        names: The hooks that are wanted.
        program: The program that they start, as an absolute path; None if it was not found.
    """
    if program is None:
        return HookPlan(notices=(_no_program(),))
    wishes: list[HookWish] = []
    notices: list[Diagnostic] = []
    folder = hook_folder(repo)
    for name in names:
        if folder.owner is not Owner.OURS:
            notices.append(_not_ours(repo, folder, name))
            continue
        if name == names[0] and has_lefthook(repo):
            notices.append(_lefthook(Severity.NOTE))
        file = os.path.join(folder.path, file_for(folder.path, name))
        try:
            there, mode = look(file)
        except Refusal as refusal:
            notices.append(_not_installed(name, refusal))
            continue
        ours = section(name, program)
        if there is None or section_in(there) != ours or not mode & 0o111:
            wishes.append(HookWish(shown(repo, file), file, ours, not os.path.lexists(file)))
    if not is_registered(repo, program):
        wishes.append(HookWish(f"merge.{NAME}.driver", None, program.encode(), True))
    known = read_hook_receipt(repo)
    return HookPlan(tuple(wishes), tuple(notices), joins=repo.git_dir not in known.worktrees)


def install_hooks(repo: "Repository", plan: HookPlan, program: str) -> tuple[Diagnostic, ...]:
    """Installs what was planned; returns what could not be.

    Args:
        repo: The repository.
        plan: What is to be done.
        program: The program that the merge driver starts.

    Raises:
        Refusal: The receipt cannot be written.
    """
    failed: list[Diagnostic] = []
    if not plan.wishes and not plan.joins:
        return ()
    known = read_hook_receipt(repo)
    if plan.joins:
        known = replace(known, worktrees=(*_living(known), repo.git_dir))
        write_hook_receipt(repo, known)
    for wish in plan.wishes:
        try:
            if wish.file is not None:
                install(repo, wish.file, wish.ours)
            else:
                register(repo, read_hook_receipt(repo), program)
        except Refusal as refusal:
            failed.append(_not_installed(wish.name, refusal))
    return tuple(failed)


@dataclass(frozen=True, slots=True)
class HookReturn:
    """What becomes of a hook, or of the merge driver.

    Attributes:
        name: How it is named to people.
        before: Whether there was something in its place before.
        is_exact: Whether all is as it was before.
    """

    name: str
    before: bool
    is_exact: bool


def take_out_hooks(
    repo: "Repository", *, dry_run: bool
) -> tuple[tuple[HookReturn, ...], tuple[Diagnostic, ...], bool]:
    """Takes hooks and merge driver out, when this is the last worktree that uses them.

    Args:
        repo: The repository.
        dry_run: Whether only to tell what would be.

    Returns:
        What becomes of each, what a person should know, and whether there was anything to do.

    Raises:
        Refusal: They cannot be written.
    """
    known = read_hook_receipt(repo)
    if known == HookReceipt():
        return (), (), False
    others = tuple(one for one in _living(known) if one != repo.git_dir)
    if others:
        if not dry_run:
            write_hook_receipt(repo, replace(known, worktrees=others))
        return (), (_shared_hooks(len(others)),), repo.git_dir in known.worktrees
    found = [
        HookReturn(shown(repo, one.file), one.before is not None, take_out(one, dry_run=dry_run))
        for one in known.hooks
    ]
    if known.driver is not None:
        is_exact = unregister(repo, known.driver, dry_run=dry_run)
        found.append(HookReturn(f"merge.{NAME}.driver", False, is_exact))
    if not dry_run:
        write_hook_receipt(repo, HookReceipt())
    return tuple(found), (), True


def _living(known: HookReceipt) -> tuple[str, ...]:
    return tuple(folder for folder in known.worktrees if os.path.isdir(folder))


def shown(repo: "Repository", file: str) -> str:
    """Returns a path in the git folder as people know it: from the worktree where it lies there."""
    if repo.top is not None:
        inside = os.path.relpath(file, repo.top)
        if not inside.startswith(".."):
            return inside
    return file


def _shared_hooks(count: int) -> Diagnostic:
    return Diagnostic(
        "hooks-stay",
        say_n(
            "{count} other worktree uses the hooks and the merge driver, so they stay.",
            "{count} other worktrees use the hooks and the merge driver, so they stay.",
            count,
        ),
        Severity.NOTE,
    )


def _no_program() -> Diagnostic:
    return Diagnostic(
        "program-not-found",
        say("No program git-wfp was found, so no hook and no merge driver were installed."),
        Severity.WARNING,
        hint=say("Install gitwfp so that git wfp works, then run git wfp init again."),
    )


def _not_installed(name: str, refusal: Refusal) -> Diagnostic:
    return Diagnostic(
        "hook-not-installed",
        say("{name} was not installed: {why}", name=name, why=str(refusal.message)),
        Severity.WARNING,
        refusal.location,
        refusal.hint,
    )


def _not_ours(repo: "Repository", folder: HookFolder, hook: str) -> Diagnostic:
    file = shown(repo, os.path.join(folder.path, hook))
    hint = say("Add to {file}: {line}", file=file, line=line_for(hook))
    if folder.owner is Owner.LEFTHOOK:
        return _lefthook(Severity.WARNING)
    if folder.owner is Owner.HUSKY:
        why = say(
            "husky keeps the hooks of this repository, so {hook} was not installed.", hook=hook
        )
        hint = say("Add to {file}: {line}", file=f".husky/{hook}", line=line_for(hook))
    elif folder.owner is Owner.TRACKED:
        why = say(
            "Hooks come from {folder}, which belongs to the worktree (core.hooksPath), so {hook} "
            "was not installed.",
            folder=shown(repo, folder.path),
            hook=hook,
        )
    elif folder.owner is Owner.OFF:
        why = say("core.hooksPath turns hooks off, so {hook} was not installed.", hook=hook)
        hint = say("git config --show-origin core.hooksPath says where that is set.")
    else:
        why = say(
            "Hooks come from {folder}, which serves other repositories too, so {hook} was not "
            "installed.",
            folder=folder.path,
            hook=hook,
        )
    return Diagnostic("hooks-elsewhere", why, Severity.WARNING, Location(), hint)


def _lefthook(severity: Severity) -> Diagnostic:
    return Diagnostic(
        "hooks-elsewhere",
        say("lefthook keeps the hooks of this repository; it does not call those of others."),
        severity,
        Location(),
        say("Add to {file}: {line}", file="lefthook.yml", line=_LEFTHOOK_LINES),
    )
