"""Plans in odd surroundings: hidden folders, names that do not show, files that are too large."""

import os
import subprocess
from pathlib import Path

import pytest

from gitwfp.files.paths import possible_sessions, session_at, shown_id
from gitwfp.model.plan import Place
from tests.plans import PlanFolder
from tests.scene import Scene

LARGE = 8 * 1024 * 1024 + 1
REQUEST = "Tokens expire after an hour"


@pytest.fixture
def planned(scene: Scene) -> PlanFolder:
    """A committed session of two tasks."""
    plan = scene.session("nested", tasks=2)
    scene.commit("plan: berths")
    return plan


def repository_in(folder: Path) -> None:
    """Makes a folder look like a repository of its own."""
    (folder / ".git").write_text("gitdir: elsewhere\n")


def link_instead_of(folder: Path) -> None:
    """Moves a folder away and leaves a link to it."""
    other = folder.parent.parent / f"moved-{folder.name}"
    folder.rename(other)
    folder.symlink_to(other)


def empty_repository_in(folder: Path) -> None:
    """Makes a folder one with a folder called `.git`."""
    (folder / ".git").mkdir()


HIDING = (repository_in, empty_repository_in, link_instead_of)


@pytest.mark.parametrize("hide", HIDING, ids=lambda hide: hide.__name__)
@pytest.mark.parametrize("inside", ["", "/.task", "/.process"])
def test_what_hides_tasks_is_a_finding_and_commits_nothing(
    scene: Scene, planned: PlanFolder, inside: str, hide: object
) -> None:
    """Status and list say which folder is not read; adopt and replan refuse, naming it."""
    folder = scene.path / (planned.path + inside)
    folder.mkdir(exist_ok=True)
    assert callable(hide)
    hide(folder)
    before = scene.git("rev-parse", "HEAD")
    name = f"{planned.path}{inside}"
    for words in (["status", planned.id], ["list"]):
        found = scene.run(*words, "--json").expect(0).json["diagnostics"]
        assert [d["location"]["path"] for d in found if d["code"] == "not-a-folder"] == [name]
    for command in (["adopt"], ["replan", "IMPL-1", REQUEST]):
        run = scene.run(*command, "-y", "--session", planned.id).expect(6)
        assert f"'{name}' is " in run.err
    assert scene.git("rev-parse", "HEAD") == before


@pytest.mark.parametrize("hide", HIDING, ids=lambda hide: hide.__name__)
@pytest.mark.parametrize("place", [".workflow", ".workflow/active"])
def test_what_hides_every_session_is_said(
    scene: Scene, planned: PlanFolder, place: str, hide: object
) -> None:
    """A workspace that cannot be looked into is not the same as an empty one."""
    assert callable(hide)
    hide(scene.path / place)
    run = scene.run("list", "--json").expect(0)
    assert run.json["data"]["sessions"] == []
    assert [(d["code"], d["location"]["path"]) for d in run.json["diagnostics"]] == [
        ("not-a-folder", place)
    ]


def test_a_link_beside_a_session_does_not_make_it_ambiguous(
    scene: Scene, planned: PlanFolder
) -> None:
    """A link to a session is shown as what it is, and the session stays the only one there is."""
    os.symlink(Path(planned.path).name, scene.path / ".workflow/active/WFS-latest")
    scene.run("replan", "-y", "IMPL-1", REQUEST).expect(0)
    assert "WFS-latest" in scene.run("list").expect(0).out


# ---------------------------------------------------------------------------------- names

NAMES = ("WFS-a\nb", "WFS-a\x1b[31mb", "WFS-caf\udce9", "WFS-a\u202eb", "WFS-a ", "WFS-a\\b")


@pytest.mark.parametrize("name", NAMES)
def test_a_session_has_its_history_whatever_its_folder_is_called(scene: Scene, name: str) -> None:
    """It is replanned, shown in its own history, and rolled back; its id is safe in all of them."""
    plan = scene.session("nested", tasks=2)
    scene.commit("plan: berths")
    old, new = scene.path / plan.path, scene.path / ".workflow/active" / name
    os.rename(old, os.fsencode(str(new.parent)) + b"/" + name.encode("utf-8", "surrogateescape"))
    scene.commit("another name")
    status = scene.run("status", "--json").expect(0).json
    session = status["data"]["session"]["id"]
    assert session == shown_id(name)
    assert session.isprintable()
    codes = [d["code"] for d in status["diagnostics"]]
    assert ("odd-session-name" in codes) == (session != name)
    for wanted in (session, name):
        scene.run("status", "--session", wanted).expect(0)
    scene.run("replan", "-y", "IMPL-1", REQUEST).expect(0)
    replan = scene.run("log", "--json").expect(0).json["data"]["entries"][0]
    assert replan["kind"] == "replan"
    scene.run("rollback", "-y", replan["replan"]).expect(0)
    scene.git("rm", "-rq", ".workflow")
    scene.commit("gone")
    assert "replan" in scene.run("log", "--session", session).expect(0).out


def test_ids_that_stand_for_odd_folders_lead_back_to_them() -> None:
    """The addresses of a session that is gone include the folder that its id was made from."""
    for name in NAMES:
        ref = session_at(".workflow", f".workflow/active/{name}/x.json")
        assert ref is not None
        assert ref.place is Place.ACTIVE
        assert ref in possible_sessions(ref.id)
        assert ref in possible_sessions(name)
    for other in ("", ".", "..", "a/b", ".git", "a\0b"):
        assert possible_sessions(other) == ()


def test_a_name_that_no_ref_can_hold_is_refused_before_anything_is_written(scene: Scene) -> None:
    """Percent-encoded it is longer than a ref's part may be: one sentence, and nothing changes."""
    plan = scene.session("nested", tasks=2)
    folder = scene.path / plan.path
    folder.rename(folder.with_name("WFS-" + "%" * 110))
    scene.commit("plan: berths")
    before = scene.snapshot()
    run = scene.run("replan", "-y", "IMPL-1", REQUEST).expect(6)
    assert "longer than 250 bytes" in run.err
    assert scene.snapshot() == before
    scene.run("status").expect(0)


# ---------------------------------------------------------------------------- large files


def test_a_task_that_is_too_large_names_file_size_and_limit(
    scene: Scene, planned: PlanFolder
) -> None:
    """Other tasks are replanned; that one is refused for what it is, and nothing of it is lost."""
    path = planned.file_of("IMPL-2")
    content = '{"id": "IMPL-2", "title": "' + "x" * LARGE + '"}'
    scene.write({path: content})
    reason = f"'{path}' cannot be read: it has {len(content)} bytes, and limits.file_bytes"
    assert reason in scene.run("status").expect(0).err
    refused = scene.run("replan", "-y", "IMPL-2", REQUEST).expect(4)
    assert reason in refused.err
    scene.run("replan", "-y", "IMPL-1", REQUEST).expect(0)
    assert REQUEST in scene.git("show", f"HEAD:{planned.file_of('IMPL-1')}")
    assert scene.read(path) == content
    assert scene.git("show", f"HEAD:{path}") == content


def test_a_companion_that_is_too_large_is_kept(scene: Scene, planned: PlanFolder) -> None:
    """A file that no one needs to understand is committed with the session, and not removed."""
    path = f"{planned.path}/.process/context-package.json"
    scene.write({path: "old"})
    scene.commit("context")
    scene.write({path: "x" * LARGE, f"{planned.path}/planning-notes.md": "# Notes\n"})
    scene.run("replan", "-y", "IMPL-1", REQUEST).expect(0)
    assert scene.git("cat-file", "-s", f"HEAD:{path}") == str(LARGE)
    assert scene.git("status", "--porcelain") == ""


def test_what_cannot_be_read_is_not_committed_as_gone(scene: Scene, planned: PlanFolder) -> None:
    """A pipe or a link in the place of a task's file is refused, and the file stays committed."""
    path = scene.path / planned.file_of("IMPL-2")
    for make in (os.mkfifo, lambda place: os.symlink("IMPL-1.json", place)):
        path.unlink()
        make(path)
        before = scene.git("rev-parse", "HEAD")
        for command in (["adopt"], ["replan", "IMPL-1", REQUEST]):
            run = scene.run(*command, "-y").expect(6)
            assert f"'{planned.file_of('IMPL-2')}' is not a regular file" in run.err
        assert scene.git("rev-parse", "HEAD") == before


def test_a_plan_below_very_deep_folders_is_found(scene: Scene, planned: PlanFolder) -> None:
    """Neighbours nested deeper than the interpreter's stack stand in nobody's way."""
    here = scene.path / planned.path / ".process"
    here.mkdir()
    descriptor = os.open(here, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("d", dir_fd=descriptor)
        below = os.open("d", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    os.close(os.open("f", os.O_WRONLY | os.O_CREAT, dir_fd=descriptor))
    os.close(descriptor)
    scene.run("replan", "-y", "IMPL-1", REQUEST).expect(0)
    scene.run("status", "--at", "HEAD").expect(0)
    # Python before 3.13 removes such folders by a recursion of its own.
    subprocess.run(["rm", "-rf", str(here)], check=True)
