"""Registers the merge driver in git's configuration of the repository, and takes it out again."""

import os
import shlex
from typing import TYPE_CHECKING, Final

from gitwfp.classes import replace
from gitwfp.git.hooks import HookReceipt, Installed, disk, look, write_file, write_hook_receipt
from gitwfp.git.receipt import digest

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

NAME: Final = "wfp"
_SECTION: Final = f"merge.{NAME}"
_TITLE: Final = "Plans, field by field"


def driver_command(program: str) -> str:
    """Returns what git runs to merge one file.

    Without the program git merges lines, as it does where no driver is registered.

    Args:
        program: The program, as an absolute path.
    """
    quoted = shlex.quote(program)
    return (
        f"if test -x {quoted}; then exec {quoted} merge-driver %O %A %B %P; "
        "else exec git merge-file --quiet %A %O %B; fi"
    )


_MERGED: Final = (
    "**/.task/*.json",
    "workflow-session.json",
    "plan.json",
    "waivers.json",
    "IMPL_PLAN.md",
    "TODO_LIST.md",
    "planning-notes.md",
)
"""Patterns of the files that the driver merges; they count from the workspace on."""


def merge_attributes() -> bytes:
    """Returns the lines of a .gitattributes file by which git merges plans with the driver."""
    lines = [f"{pattern} merge={NAME}" for pattern in _MERGED]
    return "\n".join(("# >>> git-wfp merge >>>", *lines, "# <<< git-wfp merge <<<", "")).encode()


def is_registered(repo: "Repository", program: str) -> bool:
    """Tells whether git runs this program to merge plans."""
    return repo.config().get(f"{_SECTION}.driver") == driver_command(program)


def register(repo: "Repository", known: HookReceipt, program: str) -> HookReceipt:
    """Registers the driver and returns the receipt with that in it.

    Args:
        repo: The repository.
        known: The receipt.
        program: The program, as an absolute path.

    Raises:
        Refusal: Git's configuration cannot be written.
    """
    file = os.path.join(repo.common_dir, "config")
    before, mode = look(file)
    earlier = known.driver
    is_ours = earlier is not None and digest(before) == earlier.after
    first = before if earlier is None or not is_ours else earlier.before
    receipt = replace(known, driver=Installed(file, first, mode, None, ""))
    write_hook_receipt(repo, receipt)
    for key, value in (("name", _TITLE), ("driver", driver_command(program))):
        repo.git.run("config", "--local", "--replace-all", f"{_SECTION}.{key}", value)
    after = digest(look(file)[0]) or ""
    receipt = replace(known, driver=Installed(file, first, mode, None, after))
    write_hook_receipt(repo, receipt)
    return receipt


def unregister(repo: "Repository", one: Installed, *, dry_run: bool = False) -> bool:
    """Takes the driver out; tells whether git's configuration is now as it was before.

    Args:
        repo: The repository.
        one: The configuration, as the receipt has it.
        dry_run: Whether only to tell.

    Raises:
        Refusal: Git's configuration cannot be written.
    """
    there, _ = look(one.file)
    is_as_left = one.before is not None and digest(there) == one.after
    if dry_run:
        return is_as_left or there == one.before
    if is_as_left and one.before is not None:
        lock = f"{one.file}.lock"
        with disk(one.file), open(lock, "xb") as file:
            try:
                write_file(one.file, one.before, one.mode)
            finally:
                file.close()
                os.unlink(lock)
        return True
    repo.git.run("config", "--local", "--remove-section", _SECTION, ok=(0, 1, 5, 128))
    return look(one.file)[0] == one.before
