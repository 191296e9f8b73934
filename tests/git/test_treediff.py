"""What differs between two trees is what `git diff-tree` says."""

import os

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitwfp.git.objectstore import FILE_MODE, LINK_MODE, SUBMODULE_MODE, TreeEntry
from gitwfp.git.repository import Repository
from gitwfp.git.treediff import ChangedPath, differing
from tests.scene import Scene

_NAMES = st.sampled_from(["a", "a.b", "a-b", "b", "é", "tab\there"])
_LEAVES = st.tuples(
    st.sampled_from([FILE_MODE, 0o100755, 0o100664, LINK_MODE, SUBMODULE_MODE]),
    st.sampled_from([b"1", b"2"]),
)
_TREES = st.recursive(_LEAVES, lambda inner: st.dictionaries(_NAMES, inner, max_size=4))


def _stored(repo: Repository, tree: object) -> tuple[int, str]:
    store = repo.objects()
    if isinstance(tree, tuple):
        mode, data = tree
        return mode, "1" * 40 if mode == SUBMODULE_MODE else store.write_blob(data)
    assert isinstance(tree, dict)
    entries = [TreeEntry(name, *_stored(repo, below)) for name, below in tree.items()]
    return 0o040000, store.write_tree(entries)


def _by_git(scene: Scene, before: str, after: str, prefix: str) -> tuple[ChangedPath, ...]:
    words = (
        "--literal-pathspecs",
        "diff-tree",
        "-r",
        "-z",
        "--raw",
        "--no-renames",
        "--ignore-submodules=none",
    )
    out = scene.git(*words, before, after, "--", *filter(None, [prefix]))
    fields = out.split("\0")[:-1]
    found = []
    for facts, path in zip(fields[::2], fields[1::2], strict=True):
        old_mode, new_mode, old, new, _ = facts.removeprefix(":").split(" ")
        was, now = (each if int(each, 16) else None for each in (old, new))
        found.append(ChangedPath(path, was, now, int(old_mode, 8), int(new_mode, 8)))
    return tuple(sorted(found, key=lambda change: change.path))


_FOLDERS = st.dictionaries(_NAMES, _TREES, max_size=4)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=_FOLDERS, after=_FOLDERS, prefix=st.sampled_from(["", "a", "a/b", "*"]))
def test_the_same_as_gits(scene: Scene, before: object, after: object, prefix: str) -> None:
    """Files, links, submodules and folders that become one another, of any mode, at any depth."""
    with Repository.open(str(scene.path), os.environ) as repo:
        old, new = _stored(repo, before)[1], _stored(repo, after)[1]
        repo.objects().flush()
        found = differing(repo.objects(), old, new, prefix)
        assert found == _by_git(scene, old, new, prefix)
        assert differing(repo.objects(), new, new, prefix) == ()
