"""Refs read from git's files say what `git for-each-ref` says, or leave it to git."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitwfp.git.reffiles import find_ref, find_refs
from gitwfp.git.repository import Repository
from tests.scene import Scene

_PREFIXES = ("refs/heads/", "refs/heads/wfp", "refs/heads/wfp/", "refs/heads/main", "refs/tags/")


def _listed(scene: Scene, prefix: str) -> dict[str, str]:
    lines = scene.git("for-each-ref", "--format=%(objectname) %(refname)", prefix).splitlines()
    return {name: object_id for object_id, name in (line.split(" ", 1) for line in lines)}


def _agrees(scene: Scene) -> set[str]:
    """Compares both ways for some prefixes; returns those that were left to git."""
    left = set()
    with Repository.open(str(scene.path), os.environ) as repo:
        for prefix in _PREFIXES:
            listed = _listed(scene, prefix)
            found = find_refs(repo, prefix)
            if found is None:
                left.add(prefix)
            else:
                assert list(found.items()) == list(listed.items())
            assert dict(repo.refs(prefix)) == listed
        for ref, object_id in _listed(scene, "refs/").items():
            assert find_ref(repo, ref) in (object_id, None)
    return left


@pytest.fixture
def named(scene: Scene) -> Scene:
    """A repository with refs in files, in packed-refs, and in both."""
    first = scene.commit("first")
    second = scene.commit("second")
    for name in ("wfp/WFS-a/replan-1", "wfp/WFS-a/replan-2", "wfp/任务/replan-1", "wfp.x", "z"):
        scene.git("branch", name, first)
    scene.git("tag", "-m", "annotated", "v1")
    scene.git("pack-refs", "--all")
    scene.git("branch", "-f", "wfp/WFS-a/replan-2", second)
    scene.git("branch", "wfp/WFS-b/replan-1", second)
    return scene


def test_plain_refs_are_read(named: Scene) -> None:
    """Refs in files, packed ones, and files before packed ones, in git's order."""
    assert _agrees(named) == set()
    with Repository.open(str(named.path), os.environ) as repo:
        runs = repo.git.runs
        assert find_ref(repo, "refs/heads/wfp/WFS-a/replan-2") == named.git("rev-parse", "HEAD")
        assert find_ref(repo, "refs/heads/wfp/WFS-a/replan-1") == named.git("rev-parse", "HEAD~1")
        assert find_ref(repo, "refs/heads/no-such") is None
        assert repo.head().commit == named.git("rev-parse", "HEAD")
        assert repo.git.runs == runs


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("refs/heads/wfp/other", "ref: refs/heads/main\n"),
        ("refs/heads/wfp/broken", "nonsense\n"),
        ("refs/heads/wfp/empty", ""),
        ("refs/heads/wfp/zeros", "0" * 40 + "\n"),
        ("refs/heads/wfp/long", "1" * 64 + "\n"),
        ("refs/heads/wfp/two words", "{id}\n"),
        ("refs/heads/wfp/.hidden", "{id}\n"),
        ("refs/heads/wfp/a..b", "{id}\n"),
    ],
)
def test_what_is_not_plain_is_left_to_git(named: Scene, path: str, content: str) -> None:
    """Whatever git would warn of, or follow, is git's to answer."""
    place = named.path / ".git" / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(content.format(id=named.git("rev-parse", "HEAD")))
    assert _agrees(named) >= {"refs/heads/wfp", "refs/heads/wfp/"}


def test_locks_and_odd_files(named: Scene) -> None:
    """A lock in the making is no ref, a ref to a missing object is one, a link is left to git."""
    folder = named.path / ".git/refs/heads/wfp"
    (folder / "WFS-a").mkdir(exist_ok=True)
    (folder / "WFS-a/replan-9.lock").write_text("")
    (folder / "missing").write_text("1" * 40 + "\n")
    (folder / "spaced").write_text(named.git("rev-parse", "HEAD"))
    assert _agrees(named) == set()
    (folder / "link").symlink_to(named.path / ".git/refs/heads/main")
    assert "refs/heads/wfp/" in _agrees(named)


def test_a_linked_worktree_shares_them(named: Scene, tmp_path: Path) -> None:
    """Branches are read from the folder that all worktrees share."""
    named.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    with Repository.open(str(tmp_path / "side"), os.environ) as repo:
        assert repo.refs("refs/heads/") == _listed(named, "refs/heads/")
        assert find_ref(repo, "refs/heads/side") == named.git("rev-parse", "HEAD")
        assert find_ref(repo, "refs/bisect/bad") is None


_NAMES = st.sampled_from(
    [
        "wfp/a/1",
        "wfp/a/2",
        "wfp/a",
        "wfp/b/1",
        "wfp/b.c/1",
        "wfp",
        "é/任务",
        "@",
        "main2",
        "-c",
        "a+b",
    ]
)
_DOINGS = st.sampled_from(["first", "second", "delete", "pack", "prune"])


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(doings=st.lists(st.tuples(_DOINGS, _NAMES), min_size=1, max_size=6))
def test_any_refs_in_any_state(named: Scene, doings: list[tuple[str, str]]) -> None:
    """However refs were made, moved, packed and deleted, both ways agree."""
    for doing, name in doings:
        ref = f"refs/heads/{name}"
        if doing == "delete":
            named.git("update-ref", "-d", ref, ok=(0, 1))
        elif doing in ("pack", "prune"):
            named.git("pack-refs", "--all", "--prune" if doing == "prune" else "--no-prune")
        else:
            commit = named.git("rev-parse", "HEAD" if doing == "first" else "HEAD~1")
            # Some names exclude each other; git then refuses, and nothing changes.
            named.git("update-ref", ref, commit, ok=(0, 1, 128))
    assert _agrees(named) == set()
