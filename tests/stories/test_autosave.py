"""Saved states: every version of a plan that came to rest can be had back."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from gitwfp.daemon.control import ask
from tests.scene import Scene
from tests.stories.harbour import FOLDER, SESSION, edit, harbour
from tests.stories.watching import Watched, daemon, eventually

FIRST = f"{FOLDER}/.task/IMPL-1.json"
LIST = f"{FOLDER}/TODO_LIST.md"


@pytest.fixture
def watched(scene: Scene) -> Iterator[Watched]:
    """A worktree with a plan of four tasks, and a daemon."""
    harbour(scene)
    with daemon(scene) as made:
        assert ask(made.folder, "as-of-now") is not None
        yield made


def saves(scene: Scene, *words: str) -> list[Any]:
    """Returns the saved states, newest first."""
    found: list[Any] = (
        scene.run("autosave", "list", "--json", *words).expect(0).json["data"]["saves"]
    )
    return found


def saved(watched: Watched, old: str, new: str, path: str = FIRST) -> str:
    """Edits a file and waits until that is saved; returns the file's text."""
    before = len(saves(watched.scene))
    text = edit(watched.scene, old, new, path)
    eventually(lambda: len(saves(watched.scene)) > before, "the saved state")
    return text


def test_what_was_overwritten_comes_back(watched: Watched) -> None:
    """Two edits that were never committed: the first one is had back, and the second is kept."""
    scene = watched.scene
    first = saved(watched, "Store berths and bookings", "Store all bookings")
    second = saved(watched, "Store all bookings", "Store no bookings")
    done = scene.run("autosave", "restore", "--json").expect(0).json["data"]
    assert done["files"] == [FIRST]
    assert scene.read(FIRST) == first
    names = [one["time"] for one in saves(scene)]
    assert names == sorted(names, reverse=True)
    scene.run("autosave", "restore", names[-2]).expect(0)
    assert scene.read(FIRST) == second
    scene.run("autosave", "restore", names[-1][:19]).expect(0)
    assert scene.read(FIRST) == first


def test_a_deleted_plan_comes_back(watched: Watched) -> None:
    """After `rm -rf .workflow`, the edits that were never committed are not lost."""
    scene = watched.scene
    text = saved(watched, "Store berths and bookings", "Store all bookings")
    whole = {path: path.read_bytes() for path in (scene.path / FOLDER).rglob("*") if path.is_file()}
    scene.python("-c", "import shutil; shutil.rmtree('.workflow')").expect(0)
    eventually(lambda: not watched.board("status")["sessions"], "that it is gone")
    scene.run("autosave", "restore").expect(0)
    assert scene.read(FIRST) == text
    assert {path: path.read_bytes() for path in whole} == whole


def test_a_task_that_was_added_goes_and_comes(watched: Watched) -> None:
    """Restoring is exact: a task file that was not there then goes, and is kept."""
    scene = watched.scene
    saved(watched, "Store berths and bookings", "Store all bookings")
    before = saves(scene)[0]["time"]
    new = f"{FOLDER}/.task/IMPL-5.json"
    scene.write({new: {"id": "IMPL-5", "title": "Swim", "status": "pending"}})
    eventually(lambda: new in saves(scene)[0]["files"], "the new task saved")
    done = scene.run("autosave", "restore", before, "--json").expect(0).json["data"]
    assert done["removed"] == [new]
    assert not (scene.path / new).exists()
    scene.run("autosave", "restore").expect(0)
    assert (scene.path / new).exists()


def test_one_file_of_a_state(watched: Watched) -> None:
    """A file that is named comes back alone; show prints it."""
    scene = watched.scene
    list_before = scene.read(LIST)
    text = saved(watched, "Store berths and bookings", "Store all bookings")
    then = saves(scene)[0]["time"]
    saved(watched, "Store all bookings", "Store no bookings")
    scene.write({LIST: list_before + "\nA note.\n"})
    assert scene.run("autosave", "show", then, FIRST).expect(0).out == text
    scene.run("autosave", "restore", then, FIRST).expect(0)
    assert scene.read(FIRST) == text
    assert scene.read(LIST) == list_before + "\nA note.\n"


def test_a_dry_run_writes_nothing(watched: Watched) -> None:
    """It says what would come back."""
    scene = watched.scene
    saved(watched, "Store berths and bookings", "Store all bookings")
    now = saved(watched, "Store all bookings", "Store no bookings")
    done = scene.run("autosave", "restore", "--dry-run", "--json").expect(0).json["data"]
    assert (done["changed"], done["written"], done["files"]) == (True, False, [FIRST])
    assert scene.read(FIRST) == now


def test_nothing_of_it_is_in_the_users_repository(watched: Watched) -> None:
    """No ref, no object and no mirror has it."""
    scene = watched.scene
    refs, objects = scene.git("for-each-ref"), scene.git("count-objects")
    saved(watched, "Store berths and bookings", "Store all bookings")
    assert scene.git("for-each-ref") == refs
    assert scene.git("count-objects") == objects
    mirror = scene.clone("mirror", "--mirror")
    assert "saves" not in mirror.git("for-each-ref")
    scene.git("fsck", "--strict", "--no-dangling")


def test_what_is_committed_is_not_saved_again(watched: Watched) -> None:
    """A state that HEAD has needs no other keeping."""
    scene = watched.scene
    saved(watched, "Store berths and bookings", "Store all bookings")
    scene.commit("plan: all bookings")
    watched.board()
    before = saves(scene)
    scene.git("checkout", "--quiet", "HEAD~1")
    watched.board()
    scene.git("checkout", "--quiet", "main")
    watched.board()
    assert saves(scene) == before


def test_old_states_and_too_many_go(scene: Scene) -> None:
    """What is older than autosave_days, or beyond autosave_count, is dropped with its objects."""
    harbour(scene)
    with daemon(scene, "wfp.daemon.autosaveCount=2") as watched:
        watched.board()
        for number in range(4):
            old = f"{number - 1} bookings" if number else "berths and bookings"
            saved_now = edit(scene, f"Store {old}", f"Store {number} bookings", FIRST)
            eventually(lambda: len(saves(scene)) > number, "the saved state")  # noqa: B023
            assert f"{number} bookings" in saved_now
        scene.run("daemon", "restart").expect(0)
        eventually(lambda: len(saves(scene)) == 2, "two left")
        texts = [
            scene.run("autosave", "show", one["time"], FIRST).expect(0).out for one in saves(scene)
        ]
        assert ["3 bookings" in texts[0], "2 bookings" in texts[1]] == [True, True]


def test_it_can_be_turned_off(scene: Scene) -> None:
    """With daemon.autosave=false nothing is kept."""
    harbour(scene)
    with daemon(scene, "wfp.daemon.autosave=false") as watched:
        edit(scene, "Store berths and bookings", "Store all bookings", FIRST)
        watched.board()
        assert saves(scene) == []
        scene.run("autosave", "restore").expect(3)


@pytest.mark.parametrize(
    "words",
    [
        ("show", "20260101T000000"),
        ("show", "--", "--all"),
        ("show", "never"),
        ("restore", "newest", "src/app.py"),
        ("restore", "newest", "../../etc/passwd"),
        ("restore", "newest", f"{FOLDER}/.task/IMPL-99.json"),
        ("restore", "newest", "--session", "WFS-none"),
    ],
)
def test_what_was_not_saved_is_not_found(watched: Watched, words: tuple[str, ...]) -> None:
    """A time, a file or a session that is not there is refused, and nothing is written."""
    saved(watched, "Store berths and bookings", "Store all bookings")
    before = watched.scene.snapshot()
    run = watched.scene.run("--json", "autosave", *words).expect(3)
    assert run.json["diagnostics"][0]["hint"]
    assert watched.scene.snapshot() == before


def test_odd_bytes_come_back_as_they_were(watched: Watched) -> None:
    """Line endings, encodings and broken JSON are kept as they are."""
    scene = watched.scene
    odd = b'\xef\xbb\xbf{"id": "IMPL-1",\r\n "title": "\xff\xfe broken'
    before = len(saves(scene))
    scene.write({FIRST: odd})
    eventually(lambda: len(saves(scene)) > before, "the saved state")
    then = saves(scene)[0]["time"]
    scene.git("checkout", "--quiet", ".")
    scene.run("autosave", "restore", then).expect(0)
    assert (scene.path / FIRST).read_bytes() == odd


def test_lists_name_sessions_and_files(watched: Watched) -> None:
    """People see when, which session and which files; programs get the same."""
    scene = watched.scene
    saved(watched, "Store berths and bookings", "Store all bookings")
    saved(watched, "Store all bookings", "Store no bookings")
    newest, *_ = saves(scene, "--session", SESSION)
    assert newest["sessions"] == [SESSION]
    assert newest["files"] == [FIRST]
    out = scene.run("autosave", "list", "-n", "1").expect(0).out
    assert newest["time"] in out
    assert "IMPL-1.json" in out
    assert saves(scene, "--session", "WFS-other") == []
    shown = scene.run("autosave", "show", "newest", "--json").expect(0).json["data"]["files"]
    assert [one["path"] for one in shown if one["differs"]] == []
    assert json.loads(scene.read(FIRST))["id"] == "IMPL-1"
