"""Notes: read and written as git does it, at any fan-out, by many at once."""

import os
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from gitwfp.git.notes import read_note, write_notes
from gitwfp.git.repository import Repository
from tests.scene import Scene

REF = "refs/notes/wfp"
NOW = datetime(2026, 1, 2, tzinfo=UTC)


def opened(scene: Scene) -> Repository:
    """Opens the repository of a scene."""
    return Repository.open(str(scene.path), os.environ)


def written(scene: Scene, notes: dict[str, bytes]) -> bool:
    """Writes notes in a repository that is opened for it."""
    with opened(scene) as repo:
        return write_notes(repo, REF, notes, now=NOW, subject="records")


def blob(scene: Scene, text: str) -> str:
    """Stores a blob; returns its id."""
    return scene.git("hash-object", "-w", "--stdin", input=text)


def test_git_reads_what_is_written(scene: Scene) -> None:
    """A note shows with `git notes`, and one that is written again is replaced."""
    one, other = blob(scene, "one"), blob(scene, "other")
    assert written(scene, {one: b"first\n", other: b"second\n"})
    assert scene.git("notes", "--ref=wfp", "show", one) == "first"
    tip = scene.git("rev-parse", REF)
    assert written(scene, {one: b"first\n"})
    assert scene.git("rev-parse", REF) == tip
    assert written(scene, {one: b"again\n"})
    assert scene.git("notes", "--ref=wfp", "show", one) == "again"
    assert scene.git("rev-parse", f"{REF}^") == tip
    assert scene.git("fsck", "--strict", "--no-dangling") == ""


@pytest.mark.parametrize("count", [3, 400])
def test_what_git_writes_is_read(scene: Scene, count: int) -> None:
    """Git moves notes into folders as they grow in number; ours go among them."""
    ids = [blob(scene, f"{number}") for number in range(count)]
    scene.git("notes", "--ref=wfp", "add", "-m", "note 0", ids[0])
    copies = "".join(f"{ids[0]} {name}\n" for name in ids[1:])
    scene.git("notes", "--ref=wfp", "copy", "--stdin", input=copies)
    with opened(scene) as repo:
        assert {read_note(repo, REF, name) for name in ids} == {b"note 0\n"}
        assert read_note(repo, REF, "0" * 40) is None
    assert written(scene, {ids[1]: b"ours\n"})
    assert scene.git("notes", "--ref=wfp", "show", ids[1]) == "ours"
    assert len(scene.git("notes", "--ref=wfp", "list").split("\n")) == count
    scene.git("notes", "--ref=wfp", "add", "-f", "-m", "theirs", ids[2])
    with opened(scene) as repo:
        assert read_note(repo, REF, ids[2]) == b"theirs\n"
        assert read_note(repo, REF, ids[1]) == b"ours\n"


def test_many_at_once(scene: Scene) -> None:
    """Each of many writers finds its note afterwards, whoever was faster."""
    names = [blob(scene, f"{number}") for number in range(12)]
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda name: written(scene, {name: name.encode()}), names))
    with opened(scene) as repo:
        for name, is_done in zip(names, done, strict=True):
            assert read_note(repo, REF, name) == (name.encode() if is_done else None)
    assert sum(done) >= 6


def test_no_notes(scene: Scene) -> None:
    """Where there is no ref there is no note."""
    with opened(scene) as repo:
        assert read_note(repo, REF, "1" * 40) is None
        assert write_notes(repo, REF, {}, now=NOW, subject="x")
    assert scene.git("for-each-ref", REF) == ""
