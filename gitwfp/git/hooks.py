"""Installs hooks and takes them out again, byte for byte.

What was there before is kept in `wfp/hooks.json` below the git folder that all worktrees share,
written before the hook itself. A hook that somebody changed since loses our section alone.
"""

import json
import os
import stat
from base64 import b64decode, b64encode
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from gitwfp.classes import dataclass, replace
from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.git.folders import cannot_write
from gitwfp.git.hooktext import (
    HOOKS,
    chaining,
    is_bare,
    new_hook,
    section_in,
    with_section,
    without_section,
)
from gitwfp.git.receipt import digest
from gitwfp.git.smallfiles import read_if_file

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

VERSION: Final = 1
_NAME: Final = "hooks.json"
_KEPT: Final = ".before-wfp"
_RENAMED: Final = (".legacy", ".old")
_FILES: Final = frozenset(hook + ending for hook in HOOKS for ending in ("", ".legacy"))


@dataclass(frozen=True, slots=True)
class Installed:
    """One hook that init has written.

    Attributes:
        file: Its path.
        before: What was there, None where nothing was.
        mode: The permissions of what was there.
        kept: The name that what was there has now, where it runs from a file of its own.
        after: Digest of what init wrote.
    """

    file: str
    before: bytes | None
    mode: int
    kept: str | None
    after: str


@dataclass(frozen=True, slots=True)
class HookReceipt:
    """What init has made in the git folder that all worktrees share.

    Attributes:
        hooks: The hooks.
        driver: Git's configuration, if the merge driver was written into it.
        worktrees: The git folders of the worktrees in which init was run.
    """

    hooks: tuple[Installed, ...] = ()
    driver: Installed | None = None
    worktrees: tuple[str, ...] = ()


def read_hook_receipt(repo: "Repository") -> HookReceipt:
    """Returns what init has made for all worktrees; an empty receipt where there is none.

    Raises:
        Refusal: It cannot be understood (environment).
    """
    place = _place(repo)
    data = read_if_file(place)
    if data is None:
        return HookReceipt()
    try:
        return _receipt(json.loads(data))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Refusal(
            "receipt-unreadable",
            say("The receipt {path} of git wfp init cannot be read by this version.", path=place),
            ExitCode.ENVIRONMENT,
            hint=say("Use the version of git-wfp that wrote it, or move it away."),
        ) from error


def write_hook_receipt(repo: "Repository", receipt: HookReceipt) -> None:
    """Puts the receipt on disk, whole or not at all; one that says nothing is removed.

    Raises:
        Refusal: It cannot be written (environment).
    """
    place = _place(repo)
    with disk(place):
        if receipt == HookReceipt():
            with suppress(FileNotFoundError):
                os.unlink(place)
            with suppress(OSError):
                # Not empty: others keep something there.
                os.rmdir(os.path.dirname(place))
            return
        os.makedirs(os.path.dirname(place), exist_ok=True)
        content = {
            "version": VERSION,
            "hooks": [_as_json(one) for one in receipt.hooks],
            "driver": None if receipt.driver is None else _as_json(receipt.driver),
            "worktrees": list(receipt.worktrees),
        }
        write_file(place, json.dumps(content, indent=1).encode("ascii") + b"\n", 0o644)


def install(repo: "Repository", file: str, ours: bytes) -> bool:
    """Puts our section into a hook; tells whether the hook was another one before.

    Args:
        repo: The repository.
        file: The hook.
        ours: Our section.

    Raises:
        Refusal: It cannot be written (environment).
    """
    known = read_hook_receipt(repo)
    earlier = next((one for one in known.hooks if one.file == file), None)
    there, mode = look(file)
    is_ours = earlier is not None and there is not None and digest(there) == earlier.after
    before = earlier.before if earlier is not None and is_ours else there
    kept = earlier.kept if earlier is not None and is_ours else None
    wanted, kept = _wanted(file, there, mode, ours, kept)
    if wanted == there and mode & 0o111:
        return False
    made = Installed(
        file,
        before,
        earlier.mode if earlier is not None and is_ours else mode,
        kept,
        str(digest(wanted)),
    )
    others = tuple(one for one in known.hooks if one.file != file)
    with disk(file):
        os.makedirs(os.path.dirname(file), exist_ok=True)
        write_hook_receipt(repo, replace(known, hooks=(*others, made)))
        if kept is not None and not is_ours:
            os.rename(file, os.path.join(os.path.dirname(file), kept))
        write_file(file, wanted, (mode or 0o644) | (0o111 & ~_umask(repo)) | 0o100)
    return True


def _wanted(
    file: str, there: bytes | None, mode: int, ours: bytes, kept: str | None
) -> tuple[bytes, str | None]:
    """Returns what a hook is to hold, and the name that what is there gets besides."""
    if kept is not None:
        return chaining(ours, kept), kept
    if there is None and not os.path.lexists(file):
        return new_hook(ours), None
    made = None
    if there is not None and not os.path.islink(file):
        made = with_section(there, ours, is_run=bool(mode & 0o111))
    if made is not None:
        return made, None
    name = os.path.basename(file) + _KEPT
    number = 1
    while os.path.lexists(os.path.join(os.path.dirname(file), name)):
        number += 1
        name = f"{os.path.basename(file)}{_KEPT}-{number}"
    return chaining(ours, name), name


def take_out(one: Installed, *, dry_run: bool = False) -> bool:
    """Takes our section out of a hook; tells whether the hook is now as it was before.

    Args:
        one: The hook as the receipt has it.
        dry_run: Whether only to tell.

    Raises:
        Refusal: It cannot be written (environment).
    """
    file = _where(one.file)
    with disk(file):
        there, mode = look(file)
        kept = None if one.kept is None else os.path.join(os.path.dirname(file), one.kept)
        is_as_left = there is not None and digest(there) == one.after
        if dry_run:
            return is_as_left or there == one.before
        if is_as_left or (there is None and kept is not None):
            if kept is not None and os.path.lexists(kept):
                os.rename(kept, file)
            elif one.before is None:
                os.unlink(file)
            else:
                write_file(file, one.before, one.mode)
            return True
        rest = without_section(there) if there is not None else None
        if there is None or rest is None:
            return there == one.before
        if is_bare(rest):
            os.unlink(file)
        else:
            write_file(file, rest, mode)
        return rest == one.before


def _where(file: str) -> str:
    """Returns where a hook is now: pre-commit and lefthook give those that they find a name."""
    for place in (file, *(file + ending for ending in _RENAMED)):
        content = read_if_file(place)
        if content is not None and section_in(content) is not None:
            return place
    return file


def look(file: str) -> tuple[bytes | None, int]:
    """Returns the bytes of a hook and its permissions; a link is followed, a folder is refused."""
    try:
        mode = os.stat(file).st_mode
    except FileNotFoundError:
        return None, 0
    if not stat.S_ISREG(mode):
        raise Refusal("not-a-file", say("{path} is not a file.", path=file), ExitCode.ENVIRONMENT)
    with open(file, "rb") as opened:
        return opened.read(), stat.S_IMODE(mode)


def write_file(file: str, content: bytes, mode: int) -> None:
    """Writes a file, whole or not at all."""
    temporary = f"{file}.wfp-{os.getpid()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with open(os.open(temporary, flags, 0o600), "wb") as opened:
            opened.write(content)
            opened.flush()
            os.fchmod(opened.fileno(), mode)
            os.fsync(opened.fileno())
        os.replace(temporary, file)
    except OSError:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _umask(repo: "Repository") -> int:
    """Returns the permissions that files of the repository lack, by those of its folder."""
    return ~stat.S_IMODE(os.stat(repo.common_dir).st_mode) & 0o777


@contextmanager
def disk(path: str) -> Iterator[None]:
    """Turns what the system says about writing into a refusal."""
    try:
        yield
    except OSError as error:
        raise cannot_write(str(error.filename or path), error) from error


def _place(repo: "Repository") -> str:
    return os.path.join(repo.common_dir, "wfp", _NAME)


def _receipt(content: Mapping[str, object]) -> HookReceipt:
    """Returns the receipt that a JSON document is; raises `ValueError` where it is none."""
    if content["version"] != VERSION:
        raise ValueError("no receipt of this version")
    hooks = tuple(_installed(one, _FILES) for one in _list(content["hooks"]))
    driver = content["driver"]
    return HookReceipt(
        hooks,
        None if driver is None else _installed(driver, {"config"}),
        tuple(map(str, _list(content["worktrees"]))),
    )


def _as_json(one: Installed) -> Mapping[str, object]:
    return {
        "file": one.file,
        "before": None if one.before is None else b64encode(one.before).decode("ascii"),
        "mode": one.mode,
        "kept": one.kept,
        "after": one.after,
    }


def _installed(one: object, names: Collection[str]) -> Installed:
    if not isinstance(one, dict):
        raise ValueError("no hook")  # noqa: TRY004 - it is the document that is wrong
    file, kept, before, mode = one["file"], one["kept"], one["before"], one["mode"]
    name = os.path.basename(file)
    is_kept = kept is None or (kept.startswith(name + _KEPT) and "/" not in kept)
    if name not in names or not os.path.isabs(file) or not is_kept or not isinstance(mode, int):
        raise ValueError("not a hook that init makes")
    content = None if before is None else b64decode(before, validate=True)
    return Installed(file, content, stat.S_IMODE(mode), kept, str(one["after"]))


def _list(content: object) -> Sequence[object]:
    if not isinstance(content, list):
        raise ValueError("no list")  # noqa: TRY004 - it is the document that is wrong
    return content
