"""Deinit: takes back byte for byte what init made, as far as it is still as init left it."""

import os
from enum import StrEnum

from gitwfp.classes import dataclass
from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, say
from gitwfp.flows.env import Env
from gitwfp.flows.hooks import HookReturn, take_out_hooks
from gitwfp.flows.init import begin
from gitwfp.flows.ui import Choice
from gitwfp.git.program import to_bytes, to_text
from gitwfp.git.receipt import Made, Receipt, digest, guarded, read_receipt
from gitwfp.git.setup import take_back
from gitwfp.git.worktree import Worktree


class Fate(StrEnum):
    """What becomes of something that init made."""

    REMOVED = "removed"
    RESTORED = "restored"
    KEPT = "kept"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Returned:
    """One file or folder that init had made or changed.

    Attributes:
        path: From the repository root.
        is_folder: Whether it is a folder.
        fate: What becomes of it.
        is_shared: Whether it is a hook or a setting, which all worktrees share.
    """

    path: str
    is_folder: bool
    fate: Fate
    is_shared: bool = False


@dataclass(frozen=True, slots=True)
class Deinitialised:
    """What deinit has found and done.

    Attributes:
        returned: What becomes of everything that init had made.
        notices: What a person should know.
        changed: Whether there is anything to take back.
        written: Whether it happened; false for a dry run.
    """

    returned: tuple[Returned, ...]
    notices: tuple[Diagnostic, ...]
    changed: bool
    written: bool


def deinit(env: Env, *, yes: bool, dry_run: bool) -> Deinitialised:
    """Takes back what init made in this worktree.

    Args:
        env: The surroundings.
        yes: Whether not to ask.
        dry_run: Whether to stop before anything is written.

    Raises:
        Refusal: There is no worktree (environment), nobody to ask (usage), or a person says no
            (negative).
    """
    top = env.repo.require_worktree()
    notices = begin(env, dry_run=dry_run)
    receipt = read_receipt(env.repo)
    shared, told, has_hooks = take_out_hooks(env.repo, dry_run=True)
    notices += told
    if receipt is None and not has_hooks:
        return Deinitialised((), notices, changed=False, written=False)
    receipt = receipt or Receipt()
    files = Worktree(top, "")
    there = {made.path: _read(files, made.path) for made in receipt.files}
    fates = {made.path: _fate(made, there[made.path]) for made in receipt.files}
    edits = {
        made.path: (there[made.path], made.before)
        for made in reversed(receipt.files)
        if fates[made.path] in (Fate.REMOVED, Fate.RESTORED)
    }
    leaving = [path for path, fate in fates.items() if fate in (Fate.REMOVED, Fate.GONE)]
    returned = [Returned(path, is_folder=False, fate=fate) for path, fate in fates.items()]
    for folder in reversed(receipt.folders):
        fate = _folder_fate(env, folder, leaving)
        if fate is not Fate.KEPT:
            leaving.append(folder)
        returned.append(Returned(folder, is_folder=True, fate=fate))
    returned += [_returned(one) for one in shared]
    notices += tuple(_kept(one) for one in returned if one.fate is Fate.KEPT)
    if not dry_run:
        _confirm(env, tuple(returned), yes=yes)
        with guarded(env.repo, env.settings.lock.timeout):
            take_out_hooks(env.repo, dry_run=False)
        take_back(env.repo, edits, lock_wait=env.settings.lock.timeout)
    return Deinitialised(tuple(returned), notices, changed=True, written=not dry_run)


def _read(files: Worktree, path: str) -> bytes | None:
    """Returns what a file holds; what is no file any more is as good as something else in it."""
    try:
        return files.read(path)
    except Refusal:
        return b""


def _fate(made: Made, there: bytes | None) -> Fate:
    if digest(there) == made.after:
        return Fate.REMOVED if made.before is None else Fate.RESTORED
    if there == made.before:
        return Fate.GONE
    return Fate.KEPT


def _folder_fate(env: Env, folder: str, leaving: list[str]) -> Fate:
    kind = env.repo.workflow_kind(folder)
    if kind == "absent":
        return Fate.GONE
    if kind != "folder":
        return Fate.KEPT
    place = os.path.join(to_bytes(env.repo.require_worktree()), to_bytes(folder))
    inside = {f"{folder}/{to_text(name)}" for name in os.listdir(place)}
    return Fate.KEPT if inside - set(leaving) else Fate.REMOVED


def _returned(one: HookReturn) -> Returned:
    fate = Fate.RESTORED if one.before else Fate.REMOVED
    if not one.is_exact:
        fate = Fate.KEPT
    return Returned(one.name, is_folder=False, fate=fate, is_shared=True)


def _kept(one: Returned) -> Diagnostic:
    if one.is_shared:
        message = say(
            "{path} was changed since; what git wfp init put into it is taken out, the rest stays.",
            path=one.path,
        )
        return Diagnostic("left-as-it-is", message, Severity.NOTE)
    message = (
        say("{path} holds more than git wfp init made, so it stays.", path=one.path)
        if one.is_folder
        else say("{path} is not as git wfp init left it any more, so it stays.", path=one.path)
    )
    return Diagnostic("left-as-it-is", message, Severity.NOTE, Location(one.path))


def _confirm(env: Env, returned: tuple[Returned, ...], *, yes: bool) -> None:
    if yes:
        return
    going = [one.path for one in returned if one.fate is Fate.REMOVED]
    back = [one.path for one in returned if one.fate is Fate.RESTORED]
    choices = (Choice("y", say("yes")), Choice("n", say("no")))
    question = say(
        "Take back what git wfp init made? To be removed: {going}; as it was: {back}.",
        going=", ".join(going) or "-",
        back=", ".join(back) or "-",
    )
    if env.ui.choose(question, choices, default="n", flag="--yes") == "n":
        raise Refusal("cancelled", say("Cancelled; nothing was changed."), ExitCode.NEGATIVE)
