"""New objects as one pack, so that git stores any number of them in one process.

The format is that of git's gitformat-pack: a header, then each object as its type and size and its
deflated content, then the checksum of all of it. Git unpacks it into loose objects, as if each had
been written by itself, and checks every id on the way.
"""

import zlib
from collections.abc import Iterable
from typing import Final

_TYPES: Final = {"commit": 1, "tree": 2, "blob": 3}
_QUICK: Final = 1
"""Git deflates them again when it stores them."""


def object_id(kind: str, data: bytes, object_format: str) -> str:
    """Returns the id of an object.

    Args:
        kind: blob, tree or commit.
        data: Its content.
        object_format: sha1 or sha256, as the repository's.
    """
    import hashlib

    header = b"%b %d\0" % (kind.encode("ascii"), len(data))
    return hashlib.new(object_format, header + data, usedforsecurity=False).hexdigest()


def pack(objects: Iterable[tuple[str, bytes]], object_format: str) -> bytes:
    """Returns a pack of objects, each given by its kind and content."""
    import hashlib

    parts = [_header(kind, len(data)) + zlib.compress(data, _QUICK) for kind, data in objects]
    start = b"PACK" + (2).to_bytes(4, "big") + len(parts).to_bytes(4, "big")
    content = start + b"".join(parts)
    return content + hashlib.new(object_format, content, usedforsecurity=False).digest()


def _header(kind: str, size: int) -> bytes:
    """Returns type and size: four bits of the size with the type, then seven to a byte."""
    first = _TYPES[kind] << 4 | size & 0x0F
    size >>= 4
    parts = []
    while size:
        parts.append(first | 0x80)
        first = size & 0x7F
        size >>= 7
    parts.append(first)
    return bytes(parts)
