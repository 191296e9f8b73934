"""What makes a half-done publication visible: the journal, the lock, and marks of live processes.

All of it lies in `wfp/` below the worktree's own git folder:

- `journal` is there exactly while worktree, index and refs may disagree. It names the old and the
  new state completely enough to reach either (`gitwfp.git.recovery`).
- `lock` is locked by the operating system, so that it vanishes with its holder, however that ends.
- `pending/TAG` is locked in the same way while the process lives that made `refs/wfp/pending/TAG`.
"""

import fcntl
import json
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from gitwfp.classes import asdict, dataclass
from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.git.smallfiles import disk_errors, no_folder, open_own, own_place, read_own
from gitwfp.patterns import regex

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

VERSION = 1
PENDING = "refs/wfp/pending/"
_TAG = regex("[0-9a-f]{16}")
_PAUSE = 0.02
"""Seconds between two looks at a lock."""


@dataclass(frozen=True, slots=True)
class FileStep:
    """What happens to one file of the worktree.

    Attributes:
        path: The file.
        before: Blob with the exact bytes that are there, None for no file.
        after: Blob with the exact bytes that will be there, None for a removal.
        executable: A new file is made executable.
    """

    path: str
    before: str | None
    after: str | None
    executable: bool = False


@dataclass(frozen=True, slots=True)
class EntryStep:
    """What happens to one entry of the index; `""` stands for no entry.

    Attributes:
        path: The file.
        before: `MODE ID` now.
        after: `MODE ID` then.
        skip_worktree: The file is outside a sparse checkout.
        assume_unchanged: The entry carries that mark.
    """

    path: str
    before: str
    after: str
    skip_worktree: bool = False
    assume_unchanged: bool = False


@dataclass(frozen=True, slots=True)
class Journal:
    """One publication, between the first file that it writes and the ref that it moves.

    Attributes:
        tag: Hexadecimal name of this publication: pending ref, lock mark, temporary files.
        pid: The process.
        branch: Full name of the branch to create, if any.
        tip: The commit that the branch is created at: `new`, or what a merge at `new` joins.
        move: Full name of the branch to move, or HEAD.
        old: The commit that it is at; None for an unborn branch.
        new: The commit that it goes to.
        reflog: The reflog's message.
        index: The index file.
        folders: Folders that are made for new files, outermost first.
        files: Worktree files.
        entries: Index entries.
    """

    tag: str
    pid: int
    branch: str | None
    tip: str
    move: str
    old: str | None
    new: str
    reflog: str
    index: str
    folders: tuple[str, ...]
    files: tuple[FileStep, ...]
    entries: tuple[EntryStep, ...]

    @property
    def mark(self) -> bytes:
        """What our own index.lock holds from its first instant."""
        return f"gitwfp {self.tag} {self.pid}\n".encode()


def pending_journal(repo: "Repository") -> bool:
    """Tells whether a publication in this worktree was interrupted or is under way."""
    return os.path.lexists(own_place(repo, "journal"))


def read_journal(repo: "Repository") -> Journal | None:
    """Returns the journal, None if there is none.

    Raises:
        Refusal: It cannot be read, or a newer version wrote it.
    """
    place = own_place(repo, "journal")
    data = read_own(repo, "journal")
    if data is None:
        return None
    try:
        fields: dict[str, Any] = json.loads(data)
        if fields.pop("version") == VERSION:
            fields["folders"] = tuple(fields["folders"])
            fields["files"] = tuple(FileStep(**step) for step in fields["files"])
            fields["entries"] = tuple(EntryStep(**step) for step in fields["entries"])
            return Journal(**fields)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _unreadable(place) from error
    raise _unreadable(place)


def write_journal(repo: "Repository", journal: Journal) -> None:
    """Puts the journal on disk, whole or not at all."""
    place = own_place(repo, "journal")
    temporary = f"{place}.{journal.tag}"
    content = json.dumps({"version": VERSION, **asdict(journal)}, indent=1).encode("ascii")
    with open(temporary, "wb") as file:
        file.write(content + b"\n")
        file.flush()
        os.fsync(file.fileno())
    os.rename(temporary, place)
    sync_folder(os.path.dirname(place))


def touch_journal(repo: "Repository") -> None:
    """Notes in the journal's file time that the refs move now."""
    os.utime(own_place(repo, "journal"))


def last_touched(repo: "Repository") -> float:
    """Returns the journal's file time."""
    return os.stat(own_place(repo, "journal")).st_mtime


def drop_journal(repo: "Repository") -> None:
    """Declares the publication finished."""
    place = own_place(repo, "journal")
    with suppress(FileNotFoundError):
        os.unlink(place)
    sync_folder(os.path.dirname(place))


@contextmanager
def locked(repo: "Repository", wait: float) -> Iterator[None]:
    """Holds the one lock of this worktree.

    Args:
        repo: The repository.
        wait: Seconds to wait for another holder.

    Raises:
        Refusal: Another process still holds it; the message has its pid and age.
    """
    place = own_place(repo, "lock", make=True)
    descriptor = _open_lock(place)
    try:
        deadline = time.monotonic() + wait
        while not _try_lock(descriptor):
            if time.monotonic() >= deadline:
                raise _held(descriptor)
            time.sleep(_PAUSE)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


@contextmanager
def alive(repo: "Repository", tag: str) -> Iterator[None]:
    """Marks a pending ref as one whose process lives, for as long as that is so."""
    with disk_errors(repo):
        folder = own_place(repo, "pending", make=True)
        if os.path.lexists(folder) and not _is_folder(folder):
            raise no_folder(folder)
        os.makedirs(folder, exist_ok=True)
        descriptor = _open_lock(os.path.join(folder, tag))
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def mark_of(repo: "Repository", tag: str) -> str:
    """Returns the file that marks a pending ref as one whose process lives."""
    return os.path.join(own_place(repo, "pending"), tag)


def forget_mark(repo: "Repository", tag: str) -> None:
    """Removes the mark of a pending ref that is gone, and a journal that was not finished."""
    for place in (own_place(repo, f"journal.{tag}"), mark_of(repo, tag)):
        with suppress(FileNotFoundError):
            os.unlink(place)


def abandoned(repo: "Repository") -> tuple[str, ...]:
    """Returns the tags of pending refs whose process died."""
    folder = own_place(repo, "pending")
    if not os.path.lexists(folder):
        return ()
    if not _is_folder(folder):
        raise no_folder(folder)
    tags = sorted(name for name in os.listdir(folder) if _TAG.fullmatch(name))
    return tuple(tag for tag in tags if _is_free(os.path.join(folder, tag)))


def _is_folder(place: str) -> bool:
    return stat.S_ISDIR(os.lstat(place).st_mode)


def sync_folder(folder: str) -> None:
    """Puts the names in a folder on disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _open_lock(place: str) -> int:
    descriptor = open_own(place, os.O_RDWR | os.O_CREAT)
    group = os.stat(os.path.dirname(place)).st_mode & 0o060
    mode = os.fstat(descriptor).st_mode & 0o7777
    if mode | group != mode:
        # Only the file's owner may do this, and only the owner needs to.
        with suppress(PermissionError):
            os.fchmod(descriptor, mode | group)
    return descriptor


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_free(place: str) -> bool:
    try:
        descriptor = open_own(place, os.O_RDWR)
    except (FileNotFoundError, Refusal):
        # It ended just now, it is another user's, who will look after it, or it is no mark at all.
        return False
    try:
        return _try_lock(descriptor)
    finally:
        os.close(descriptor)


def _held(descriptor: int) -> Refusal:
    holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip() or "?"
    age = max(0, round(time.time() - os.fstat(descriptor).st_mtime))
    return Refusal(
        "locked",
        say(
            "Another git wfp is writing in this worktree: process {pid}, for {age} seconds.",
            pid=holder,
            age=age,
        ),
        ExitCode.ENVIRONMENT,
        hint=say("Wait until it is done and run the command again."),
    )


def _unreadable(place: str) -> Refusal:
    return Refusal(
        "journal-unreadable",
        say(
            "The journal {path} of an interrupted command cannot be read by this version.",
            path=place,
        ),
        ExitCode.ENVIRONMENT,
        hint=say(
            "Use the version of git-wfp that wrote it, or look at git status, put the plan right "
            "and move the journal away."
        ),
    )
