"""Objects that we name and pack ourselves are the ones that git would have made."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitwfp.git.packing import object_id, pack
from tests.scene import Scene

SIZES = [0, 1, 15, 16, 17, 127, 128, 2047, 2048, 2049, 40_000]


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_git_unpacks_what_we_packed(scene: Scene, home: object, object_format: str) -> None:
    """Git stores every object of a pack under the id that we gave it, in both formats."""
    del home
    scene.git("init", "--quiet", f"--object-format={object_format}", "other")
    other = scene.path / "other"
    blobs = [("blob", bytes(n % 251 for n in range(size))) for size in SIZES]
    first = object_id(*blobs[3], object_format)
    tree = ("tree", b"100644 file\0" + bytes.fromhex(first))
    objects = [*blobs, tree]
    ids = [object_id(kind, data, object_format) for kind, data in objects]
    scene.git(
        "-C", str(other), "unpack-objects", "-q", "--strict", input=pack(objects, object_format)
    )
    for (kind, data), name in zip(objects, ids, strict=True):
        assert scene.git("-C", str(other), "cat-file", "-t", name) == kind
        assert scene.git("-C", str(other), "cat-file", "-s", name) == str(len(data))
    scene.git("-C", str(other), "fsck", "--strict")


@settings(max_examples=30)
@given(st.lists(st.binary(max_size=3000), max_size=8))
def test_a_pack_names_how_many_it_holds(contents: list[bytes]) -> None:
    """The header counts the objects, and the last bytes are the checksum of all before them."""
    data = pack([("blob", content) for content in contents], "sha1")
    assert data[:4] == b"PACK"
    assert int.from_bytes(data[8:12], "big") == len(contents)
    assert len(data) > 32 - 1
