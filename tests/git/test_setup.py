"""Writing by receipt: edits of others stay, failures leave nothing, and what is done is undone."""

import errno
import fcntl
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitwfp.errors import Refusal
from gitwfp.files.paths import is_safe_path
from gitwfp.git import ignores, receipt
from gitwfp.git.receipt import Doing, Made, Receipt, read_receipt, write_receipt
from gitwfp.git.repository import Repository
from gitwfp.git.setup import STEPS, Edits, carry_out, settle, take_back
from gitwfp.git.worktree import Worktree
from tests.git.publishing import fail_at, open_at
from tests.scene import Scene

NEW, OLD = ".workflow/.gitattributes", ".gitignore"
EDITS: Edits = {
    NEW: (None, b"new\n"),
    OLD: (b"old\r\n", b"old\r\nmore\r\n"),
    ".wfp.toml": (None, b"last\n"),
}
WAIT = 0.2


@pytest.fixture
def repo(scene: Scene) -> Repository:
    """A repository with one of the files."""
    scene.write({OLD: "old\r\n"})
    return open_at(scene)


def held(scene: Scene) -> dict[str, bytes]:
    """Returns every file of the worktree with its bytes."""
    files = (path for path in scene.path.rglob("*") if ".git" not in path.parts and path.is_file())
    return {path.relative_to(scene.path).as_posix(): path.read_bytes() for path in files}


AFTER = {path: after for path, (_, after) in EDITS.items()}
BEFORE = {OLD: b"old\r\n"}


def back(repo: Repository) -> Edits:
    """Returns the edits that take everything back."""
    found = read_receipt(repo)
    assert found is not None
    return {made.path: (AFTER[made.path], made.before) for made in reversed(found.files)}


def test_there_and_back(scene: Scene, repo: Repository) -> None:
    """What is written is noted, and taking it back leaves neither files nor folders nor receipt."""
    carry_out(repo, EDITS, lock_wait=WAIT)
    assert held(scene) == AFTER
    found = read_receipt(repo)
    assert found is not None
    assert found.folders == (".workflow",)
    take_back(repo, back(repo), lock_wait=WAIT)
    assert held(scene) == BEFORE
    assert not (scene.path / ".workflow").exists()
    assert not (scene.path / ".git" / "wfp").exists()


@pytest.mark.parametrize("step", [step for step in STEPS if step != "written"])
@pytest.mark.parametrize("undoing", [False, True])
def test_a_failure_at_any_step(scene: Scene, repo: Repository, step: str, undoing: bool) -> None:
    """Whatever goes wrong at a step, files and receipt are what they were."""
    if undoing:
        carry_out(repo, EDITS, lock_wait=WAIT)
    before, noted = held(scene), read_receipt(repo)

    def fail() -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "disk")

    act = take_back if undoing else carry_out
    with pytest.raises(Refusal, match="No space left"):
        act(repo, back(repo) if undoing else EDITS, lock_wait=WAIT, fail_at=fail_at(step, fail))
    assert held(scene) == before
    assert read_receipt(repo) == noted
    assert (scene.path / ".workflow").exists() == undoing


def test_a_failure_to_put_back(
    scene: Scene, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When even that fails both reasons are told, and the next one puts it right."""

    def fail() -> None:
        monkeypatch.setattr(Worktree, "restore", broken)
        raise OSError(errno.ENOSPC, "No space left on device", "disk")

    def broken(*_: Any) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with pytest.raises(Refusal, match=r"No space left.*Input/output error"):
        carry_out(repo, EDITS, lock_wait=WAIT, fail_at=fail_at("checked", fail))
    monkeypatch.undo()
    assert settle(repo, lock_wait=WAIT)
    assert held(scene) == BEFORE


@pytest.mark.parametrize("step", ["noted", "prepared", "placed"])
@pytest.mark.parametrize("path", [OLD, NEW])
def test_an_edit_meanwhile_wins(scene: Scene, repo: Repository, step: str, path: str) -> None:
    """A file that somebody saves while the command runs stays as it was saved."""
    saves = iter([b"an edit\n"])

    def save() -> None:
        edit = next(saves, None)
        if edit is None:
            return
        file = scene.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        beside = file.with_name("saved~")
        beside.write_bytes(edit)
        beside.rename(file)

    try:
        carry_out(repo, EDITS, lock_wait=WAIT, fail_at=fail_at(step, save))
    except Refusal as refusal:
        assert refusal.code == "changed-meanwhile"
        assert held(scene) == {**BEFORE, path: b"an edit\n"}
        assert read_receipt(repo) is None
    else:
        assert held(scene) == {**AFTER, path: b"an edit\n"}


def test_a_file_system_without_hard_links(
    scene: Scene, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no second name can be given to a file, both ways work all the same."""

    def no_link(*_: Any, **__: Any) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_link)
    carry_out(repo, EDITS, lock_wait=WAIT)
    assert held(scene) == AFTER
    take_back(repo, back(repo), lock_wait=WAIT)
    assert held(scene) == BEFORE


def test_one_at_a_time(repo: Repository) -> None:
    """While one is at work another one is refused after a while."""
    with (
        receipt.guarded(repo, WAIT),
        pytest.raises(Refusal, match="at work in this repository"),
    ):
        carry_out(repo, EDITS, lock_wait=WAIT)


def test_a_file_system_that_cannot_lock_folders(
    scene: Scene, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a folder cannot be locked it is done without."""

    def no_lock(*_: Any) -> None:
        raise OSError(errno.EBADF, "Bad file descriptor")

    monkeypatch.setattr(fcntl, "flock", no_lock)
    carry_out(repo, EDITS, lock_wait=WAIT)
    assert held(scene) == AFTER


def test_nothing_to_settle(repo: Repository) -> None:
    """Where nothing was interrupted, settling does nothing."""
    assert not settle(repo, lock_wait=WAIT)
    carry_out(repo, EDITS, lock_wait=WAIT)
    assert not settle(repo, lock_wait=WAIT)


def test_a_link_on_the_way(scene: Scene, repo: Repository, tmp_path: Path) -> None:
    """A folder that is a link is not written through, and nothing else is written either."""
    (tmp_path / "elsewhere").mkdir()
    (scene.path / ".workflow").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refusal, match="not a real folder"):
        carry_out(repo, EDITS, lock_wait=WAIT)
    assert held(scene) == BEFORE
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("thing", ["folder", "link", "pipe"])
def test_something_else_in_the_place_of_the_receipt(
    scene: Scene, repo: Repository, thing: str
) -> None:
    """What is no file in the receipt's place is neither followed nor waited for."""
    place = scene.path / ".git" / "wfp" / "receipt.json"
    place.parent.mkdir()
    makers: dict[str, Callable[[], object]] = {
        "folder": place.mkdir,
        "link": lambda: place.symlink_to(scene.path / OLD),
        "pipe": lambda: os.mkfifo(place),
    }
    makers[thing]()
    with pytest.raises(Refusal, match=r"receipt\.json"):
        carry_out(repo, EDITS, lock_wait=WAIT)
    assert held(scene) == BEFORE


digests = st.binary().map(receipt.digest)
# Names of folders that are no UTF-8 are kept as halves of surrogate pairs.
names = st.text(st.characters(categories=("L", "N"), include_characters="\udc80 ~"), min_size=1)
ignore_files = (
    st.lists(names.filter(is_safe_path), max_size=3)
    .map(lambda above: "/".join([*above, ".gitignore"]))
    .filter(lambda path: len(os.fsencode(path)) < 255)
)
made_anew = st.builds(
    Made, st.sampled_from([".wfp.toml", ".workflow/.gitattributes"]), st.none(), digests
)
made = made_anew | st.builds(Made, ignore_files, st.none() | st.binary(), digests)
removed = st.builds(Made, ignore_files, st.binary(), st.none())
folders = st.sampled_from([(), (".workflow",)])


def several(of: st.SearchStrategy[Made]) -> st.SearchStrategy[tuple[Made, ...]]:
    """Files none of which comes twice."""
    return st.lists(of, unique_by=lambda one: one.path).map(tuple)


doing = st.builds(
    Doing,
    st.text("0123456789abcdef", min_size=12, max_size=12),
    several(made | removed),
    folders,
)


@given(st.builds(Receipt, several(made), folders, st.booleans(), st.none() | doing))
def test_a_receipt_says_what_was_written(written: Receipt) -> None:
    """Any paths that init writes to, also those that are no text, and any bytes come back."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(Path(folder) / "project", home=Path(folder))
        with open_at(scene) as repo:
            receipt.make_folder(repo)
            write_receipt(repo, written)
            assert read_receipt(repo) == written


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"version": 1}', b'{"version": 9}', b"[" * 9999, b"\xff"]
)
def test_a_receipt_that_is_none(scene: Scene, repo: Repository, content: bytes) -> None:
    """What cannot be understood is refused by name."""
    receipt.make_folder(repo)
    (scene.path / ".git" / "wfp" / "receipt.json").write_bytes(content)
    with pytest.raises(Refusal, match="cannot be read by this version"):
        read_receipt(repo)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=()))
    | st.sampled_from([1, "path", ".wfp.toml", ".gitignore", ".workflow", "0" * 12, "AAAA"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=4), inner, max_size=3)
        | st.fixed_dictionaries({"path": inner, "before": inner, "after": inner})
        | st.fixed_dictionaries({"tag": inner, "files": inner, "folders": inner})
    ),
    max_leaves=12,
)


@given(
    st.fixed_dictionaries(
        {
            "version": st.just(1) | json_values,
            "files": st.just([]) | json_values,
            "folders": st.just([]) | json_values,
            "own_folder": st.booleans() | json_values,
            "doing": st.none() | json_values,
        }
    )
)
def test_a_receipt_of_any_form(content: Any) -> None:
    """Whatever a receipt holds is either refused or understood exactly as it stands."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(Path(folder) / "project", home=Path(folder))
        with open_at(scene) as repo:
            receipt.make_folder(repo)
            place = scene.path / ".git" / "wfp" / "receipt.json"
            place.write_text(json.dumps(content), "ascii")
            try:
                found = read_receipt(repo)
            except Refusal as refusal:
                assert refusal.code == "receipt-unreadable"
            else:
                assert found is not None
                write_receipt(repo, found)
                assert json.loads(place.read_text("ascii")) == content


@pytest.mark.parametrize("name", ["a[b]", "a*", "!a", "#a", "a\\b", "a b", "泊位"])
def test_exceptions_for_odd_names(scene: Scene, repo: Repository, name: str) -> None:
    """What git takes for a pattern in a folder's name is written so that it takes it literally."""
    scene.write({".gitignore": ".workflow/\n", f"{name}/x": "x\n"})
    workspace = f"{name}/.workflow"
    rule = ignores.hiding_rule(repo, workspace)
    assert rule is not None
    found = ignores.exception_for(repo, workspace, rule, "ours")
    assert found is not None
    assert len(found.patterns) == 1
    (scene.path / found.path).write_bytes(found.content("ours"))
    assert ignores.hiding_rule(repo, workspace) is None
    assert ignores.hiding_rule(repo, "other/.workflow") is not None
