"""Refs read from the files that git keeps them in, without starting git.

One file for each ref that moved lately, and `packed-refs` for all others. What is not plain, such
as a ref that stands for another one, a link, a name that git would warn about, or a table instead
of files, is left to git itself: then the answer here is None, and the caller asks git.
"""

import os
import re
import stat
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from gitwfp.git.program import to_bytes, to_text
from gitwfp.git.smallfiles import read_if_file
from gitwfp.patterns import regex

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

_SHARED: Final = ("refs/heads/", "refs/remotes/", "refs/replace/", "refs/tags/", "refs/wfp/")
"""Folders of refs that all worktrees share, as opposed to `refs/bisect/` and its like."""

_IDS: Final = {
    "sha1": regex(rb"([0-9a-f]{40})\n?"),
    "sha256": regex(rb"([0-9a-f]{64})\n?"),
}
_PACKED: Final = regex(rb"^([0-9a-f]{40,}) (.+)$", re.MULTILINE)
_UNUSUAL_NAME: Final = regex(
    r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|(?:^|/)\.|\.(?:/|$)|\.lock(?:/|$)"
)
_LOCK: Final = ".lock"


class _Unusual(Exception):  # noqa: N818 - it never leaves this module
    """Only git knows what to make of this."""


def find_ref(repo: "Repository", ref: str) -> str | None:
    """Returns what a full ref points to, None if git has to be asked.

    A ref that does not exist is a matter for git too: there are several ways of not being there.
    """
    if repo.has_ref_table or not ref.startswith(_SHARED) or not _is_plain(ref):
        return None
    place = os.path.join(repo.common_dir, ref)
    repo.look_at(place)
    repo.look_at(os.path.join(repo.common_dir, "packed-refs"))
    try:
        written = read_if_file(to_bytes(place))
        if written is not None:
            return _id_in(repo, written)
        # Git writes a ref into packed-refs before it removes the file, so the file comes first.
        packed = _packed(repo).get(ref)
        return None if packed is None or os.path.lexists(to_bytes(place)) else _id_in(repo, packed)
    except (OSError, _Unusual):
        return None


def find_refs(repo: "Repository", prefix: str) -> Mapping[str, str] | None:
    """Returns what the refs in a folder point to, sorted by name; None if git has to be asked.

    Args:
        repo: The repository.
        prefix: The folder, such as `refs/heads/wfp/`, or its name without the slash, which means
            the ref of that name too.
    """
    repo.doubt()
    folder = prefix.removesuffix("/")
    if repo.has_ref_table or not (folder + "/").startswith(_SHARED) or not _is_plain(folder):
        return None
    found: dict[str, str] = {}
    try:
        _gather(repo, folder, found, only_below=prefix.endswith("/"))
        for name, object_id in _packed(repo).items():
            if name.startswith(folder + "/") or name == prefix:
                if not _is_plain(name):
                    return None
                found.setdefault(name, _id_in(repo, object_id))
    except (OSError, _Unusual):
        return None
    return {name: found[name] for name in sorted(found, key=to_bytes)}


def _gather(repo: "Repository", ref: str, found: dict[str, str], *, only_below: bool) -> None:
    """Adds the refs that have files of their own, at a name and below it."""
    place = to_bytes(os.path.join(repo.common_dir, ref))
    try:
        mode = os.lstat(place).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    if stat.S_ISDIR(mode):
        for entry in os.listdir(place):
            name = to_text(entry)
            if not name.endswith(_LOCK):
                _gather(repo, f"{ref}/{name}", found, only_below=False)
    elif not stat.S_ISREG(mode) or not _is_plain(ref):
        raise _Unusual
    elif not only_below:
        written = read_if_file(place)
        # It may have been packed since it was listed; that file is read after this one.
        if written is not None:
            found[ref] = _id_in(repo, written)


def _id_in(repo: "Repository", written: bytes) -> str:
    """Returns the id that stands for a ref; raises `_Unusual` if anything else does."""
    match = _IDS[repo.object_format].fullmatch(written)
    if match is None or not match[1].strip(b"0"):
        raise _Unusual
    return match[1].decode("ascii")


def _packed(repo: "Repository") -> Mapping[str, bytes]:
    """Returns the refs in `packed-refs`, as they are written there."""
    written = read_if_file(os.path.join(repo.common_dir, "packed-refs")) or b""
    return {to_text(name): object_id for object_id, name in _PACKED.findall(written)}


def _is_plain(name: str) -> bool:
    return _UNUSUAL_NAME.search(name) is None
