"""The receipt of `git wfp init`: what it made and changed, with the bytes that were there before.

It lies in `wfp/receipt.json` below the worktree's own git folder and is all that
`git wfp deinit` needs. While init or deinit writes, the receipt also says what is being done, so
that whoever comes after a crash can take it back first (`gitwfp.git.setup`).

Files are removed and overwritten by what it says, so it is read strictly: one that names anything
that init does not make was not written by init, and is refused as a whole.
"""

import errno
import fcntl
import hashlib
import json
import os
import re
import time
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from gitwfp.classes import dataclass, field
from gitwfp.config.reading import FILE_NAME
from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.files.paths import WORKFLOW, is_safe_path
from gitwfp.git.ignores import IGNORE_FILE
from gitwfp.git.journal import sync_folder
from gitwfp.git.program import to_bytes
from gitwfp.git.smallfiles import open_own, own_place, read_own
from gitwfp.patterns import regex

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

SETTINGS_FILE = FILE_NAME
ATTRIBUTES_FILE = f"{WORKFLOW}/.gitattributes"

VERSION = 1
_NAME = "receipt.json"
_JUDGED = "judged"
"""What has passed the gate; it can be judged again (`gitwfp.flows.passed`)."""
_FIELDS = {"version", "files", "folders", "own_folder", "doing"}
_TAG = regex("[0-9a-f]{12}")
_DIGEST = regex("sha256:[0-9a-f]{64}")
_ANSWER = regex(r"(status|list|next|log)-[0-9a-f]{8}(\.[0-9]+)?")
"""Names of the files in which answers are remembered (`gitwfp.front.memory`)."""

_LONGEST = 4096
"""Bytes that a path may have, as Linux has it."""
_LONGEST_NAME = 255
"""Bytes that a part of one may have."""

_PAUSE = 0.02
_NO_LOCKS = frozenset({errno.EBADF, errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP})
"""What network file systems answer that cannot lock a folder."""


@dataclass(frozen=True, slots=True)
class Made:
    """What happened to one file.

    Attributes:
        path: The file, from the repository root.
        before: What it held, None where there was no file.
        after: Digest of what it was made to hold, None for a removal.
    """

    path: str
    before: bytes | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Doing:
    """What is being done right now; whoever finds it takes it back.

    Attributes:
        tag: Part of the names of temporary files.
        files: The files that are written, in their order.
        folders: The folders that are made for them, outermost first.
    """

    tag: str
    files: tuple[Made, ...]
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """All that init has made here and deinit has not taken back.

    Attributes:
        files: The files, in the order in which they were made.
        folders: The folders that were made for them, outermost first.
        own_folder: The folder that holds the receipt was made for it.
        doing: What is being done, None when nothing is.
    """

    files: tuple[Made, ...] = ()
    folders: tuple[str, ...] = ()
    own_folder: bool = False
    doing: Doing | None = field(default=None)


def digest(content: bytes | None) -> str | None:
    """Returns what a receipt notes of a file's bytes; None stands for no file."""
    return None if content is None else "sha256:" + hashlib.sha256(content).hexdigest()


def receipt_file(repo: "Repository") -> str:
    """Returns where the receipt of this worktree is kept."""
    return own_place(repo, _NAME)


def read_receipt(repo: "Repository") -> Receipt | None:
    """Returns the receipt, None if there is none.

    Raises:
        Refusal: It cannot be read, a newer version wrote it, or it names what init does not make.
    """
    place, data = receipt_file(repo), read_own(repo, _NAME)
    if data is None:
        return None
    try:
        return _receipt(json.loads(data))
    except (ValueError, RecursionError) as error:
        raise _unreadable(place) from error


def write_receipt(repo: "Repository", receipt: Receipt) -> None:
    """Puts the receipt on disk, whole or not at all; its folder is there."""
    place = receipt_file(repo)
    content = {
        "version": VERSION,
        "files": [_as_json(made) for made in receipt.files],
        "folders": receipt.folders,
        "own_folder": receipt.own_folder,
        "doing": None
        if receipt.doing is None
        else {
            "tag": receipt.doing.tag,
            "files": [_as_json(made) for made in receipt.doing.files],
            "folders": receipt.doing.folders,
        },
    }
    with open(open_own(f"{place}~", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
        file.write(json.dumps(content, indent=1).encode("ascii") + b"\n")
        file.flush()
        os.fsync(file.fileno())
    os.rename(f"{place}~", place)
    sync_folder(os.path.dirname(place))


def make_folder(repo: "Repository") -> bool:
    """Makes the folder for the receipt; tells whether nobody else has used it."""
    folder = os.path.dirname(receipt_file(repo))
    is_new = not os.path.lexists(folder)
    own_place(repo, _NAME, make=True)
    return is_new or not os.listdir(folder)


def drop_receipt(repo: "Repository", *, own_folder: bool) -> None:
    """Removes the receipt, and the folder that was made for it unless somebody else uses it.

    Answers that are remembered in that folder can be had again and keep nobody from removing it.
    """
    place = receipt_file(repo)
    for name in (place, f"{place}~"):
        with suppress(FileNotFoundError):
            os.unlink(name)
    if not own_folder:
        sync_folder(os.path.dirname(place))
        return
    with suppress(FileNotFoundError, IsADirectoryError):
        os.unlink(os.path.join(os.path.dirname(place), _JUDGED))
    _drop_answers(os.path.join(os.path.dirname(place), "answers"))
    _drop_if_empty(os.path.dirname(place))
    sync_folder(repo.git_dir)


def _drop_answers(folder: str) -> None:
    """Removes the answers that the front door remembers; what else lies among them stays."""
    if not os.path.isdir(folder) or os.path.islink(folder):
        return
    for name in os.listdir(folder):
        if _ANSWER.fullmatch(name):
            with suppress(FileNotFoundError, IsADirectoryError):
                os.unlink(os.path.join(folder, name))
    _drop_if_empty(folder)


def _drop_if_empty(folder: str) -> None:
    try:
        os.rmdir(folder)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise


@contextmanager
def guarded(repo: "Repository", wait: float) -> Iterator[None]:
    """Keeps every other init and deinit out of this repository; leaves no file behind.

    Args:
        repo: The repository.
        wait: Seconds to wait for another one.

    Raises:
        Refusal: Another one is still at work.
    """
    descriptor = os.open(repo.common_dir, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        deadline = time.monotonic() + wait
        while not _try_lock(descriptor):
            if time.monotonic() >= deadline:
                raise Refusal(
                    "locked",
                    say("Another git wfp init or deinit is at work in this repository."),
                    ExitCode.ENVIRONMENT,
                    hint=say("Wait until it is done and run the command again."),
                )
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        # Without this lock each file is still only replaced if it is what it was.
        if error.errno not in _NO_LOCKS:
            raise
    return True


def _as_json(made: Made) -> Mapping[str, str | None]:
    before = None if made.before is None else b64encode(made.before).decode("ascii")
    return {"path": made.path, "before": before, "after": made.after}


def _receipt(content: object) -> Receipt:
    """Returns the receipt that a JSON document is; raises `ValueError` where it is none."""
    fields = _object(content, _FIELDS)
    version, own_folder, doing = fields["version"], fields["own_folder"], fields["doing"]
    if type(version) is not int or version != VERSION or not isinstance(own_folder, bool):
        raise ValueError("no receipt of this version")
    files = _files(fields["files"])
    if any(made.after is None for made in files):
        raise ValueError("init removes nothing")
    return Receipt(
        files,
        _folders(fields["folders"]),
        own_folder,
        None if doing is None else _doing(_object(doing, {"tag", "files", "folders"})),
    )


def _doing(fields: Mapping[str, object]) -> Doing:
    tag = _matching(_TAG, fields["tag"])
    return Doing(tag, _files(fields["files"]), _folders(fields["folders"]))


def _files(content: object) -> tuple[Made, ...]:
    files = tuple(_made(_object(entry, {"path", "before", "after"})) for entry in _list(content))
    if len({made.path for made in files}) < len(files):
        raise ValueError("one file twice")
    return files


def _made(fields: Mapping[str, object]) -> Made:
    path, before, after = fields["path"], fields["before"], fields["after"]
    if not isinstance(path, str) or not isinstance(before, str | None):
        raise ValueError("no path, or no bytes")  # noqa: TRY004 - it is the document that is wrong
    if path == SETTINGS_FILE:
        # It is made where there is nothing, and removed again.
        is_made = (before is None) != (after is None)
    else:
        is_known = path == ATTRIBUTES_FILE or _is_ignore_file(path)
        is_made = is_known and (before is not None or after is not None)
    if not is_made:
        raise ValueError("not what init does to a file")
    return Made(
        path,
        None if before is None else b64decode(before, validate=True),
        None if after is None else _matching(_DIGEST, after),
    )


def _is_ignore_file(path: str) -> bool:
    """Tells whether a path is one of the ignore files that init adds an exception to."""
    parts = path.split("/")
    encoded = [to_bytes(part) for part in parts]
    return (
        parts[-1] == IGNORE_FILE
        # Those inside of a workspace are the affair of whoever put them there.
        and WORKFLOW not in parts
        and is_safe_path(path)
        and max(map(len, encoded)) <= _LONGEST_NAME
        and len(b"/".join(encoded)) < _LONGEST
    )


def _folders(content: object) -> tuple[str, ...]:
    if content not in ([], [WORKFLOW]):
        raise ValueError("not the folder that init makes")
    return tuple(map(str, _list(content)))


def _object(content: object, names: set[str]) -> dict[str, object]:
    if not isinstance(content, dict) or content.keys() != names:
        raise ValueError("not the fields of a receipt")
    return content


def _list(content: object) -> list[object]:
    if not isinstance(content, list):
        raise ValueError("no list")  # noqa: TRY004 - it is the document that is wrong
    return content


def _matching(pattern: re.Pattern[str], content: object) -> str:
    if not isinstance(content, str) or pattern.fullmatch(content) is None:
        raise ValueError("not what a receipt notes")
    return content


def _unreadable(place: str) -> Refusal:
    return Refusal(
        "receipt-unreadable",
        say("The receipt {path} of git wfp init cannot be read by this version.", path=place),
        ExitCode.ENVIRONMENT,
        hint=say(
            "Use the version of git-wfp that wrote it, or move it away; deinit then has nothing "
            "to go by."
        ),
    )
