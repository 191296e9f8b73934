"""Wherever the plan and its user are: folders, worktrees, repositories, eras of the format."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.git.publishing import leavings
from tests.plans import Shape, plan_folder
from tests.scene import Scene
from tests.stories.harbour import (
    FOLDER,
    SESSION,
    TASK,
    assert_clean,
    assert_untouched,
    harbour,
    log,
    need,
    plan_tree,
    replan,
    replanned,
    requirements,
    rolled_back,
    touched,
)

PRICE_FIRST = need("IMPL-3", "Show the price before asking for a name")
FIRST = PRICE_FIRST["requirements"]["add"][0]


def there_and_back(scene: Scene, **more: Any) -> None:
    """Replans, looks and rolls back; the plans of HEAD are as before, and git is content."""
    before = plan_tree(scene)
    replanned(scene, PRICE_FIRST, **more)
    assert plan_tree(scene) != before
    scene.run("status", **more).expect(0)
    scene.run("log", **more).expect(0)
    rolled_back(scene, "--last", **more)
    assert plan_tree(scene) == before
    assert_clean(scene)


def test_nested_workspaces(scene: Scene) -> None:
    """The nearest workspace upward counts; each package's plan is changed in its own folder."""
    harbour(scene)
    inner = scene.session("nested", 4, session="WFS-web", root="packages/web/")
    scene.write({"packages/web/src/deep/x.py": "x\n"})
    scene.commit("web")
    assert "WFS-web" in scene.run("status", cwd="packages/web/src/deep").expect(0).out
    assert SESSION in scene.run("status", cwd="packages").expect(0).out
    listed = scene.run("list", "--json", cwd="packages/web").expect(0).json["data"]["sessions"]
    assert [session["folder"] for session in listed] == [inner.path]
    outer = plan_tree(scene)
    replanned(scene, PRICE_FIRST, cwd="packages/web")
    assert all(path.startswith("packages/web/.workflow/") for path in touched(scene))
    assert plan_tree(scene) == outer
    rolled_back(scene, "--last", cwd="packages/web")
    assert scene.read(inner.file_of("IMPL-3")) == inner.files[inner.file_of("IMPL-3")]
    scene.run("start", "Sell ice", cwd="packages/web/src").expect(0)
    assert (scene.path / "packages/web/.workflow/active/WFS-sell-ice").is_dir()
    assert_clean(scene)


def test_inside_a_session(scene: Scene) -> None:
    """Who stands in a session's folder means that session, wherever else there are some."""
    harbour(scene)
    scene.session("nested", 2, session="WFS-other")
    scene.commit("another")
    for folder in (FOLDER, f"{FOLDER}/.task"):
        assert SESSION in scene.run("status", cwd=folder).expect(0).out
    done = replanned(scene, PRICE_FIRST, cwd=f"{FOLDER}/.task")
    assert done["session"] == SESSION


def test_a_linked_worktree(scene: Scene) -> None:
    """A linked worktree has its own HEAD, choice and lock; the main one is not touched."""
    harbour(scene)
    scene.session("nested", 2, session="WFS-other")
    scene.commit("another")
    scene.git("worktree", "add", "--quiet", "-b", "side", "../linked")
    linked = scene.beside("linked")
    linked.run("use", SESSION).expect(0)
    before = scene.snapshot()
    there_and_back(linked)
    replan(scene, PRICE_FIRST).expect(3)
    after = scene.snapshot()
    moved = ("refs/heads/wfp/", "refs/heads/side")
    assert after.without_refs(*moved) == before.without_refs(*moved)


def test_a_submodule(scene: Scene) -> None:
    """In a submodule the submodule's plan is meant, and the outer repository stays as it is."""
    harbour(scene)
    outer = Scene(scene.path.parent / "outer", home=scene.home)
    outer.git("submodule", "--quiet", "add", str(scene.path), "inner")
    outer.commit("with a submodule")
    inner = outer.beside("outer/inner")
    there_and_back(inner)
    assert outer.git("status", "--porcelain") == " M inner"


def test_a_plan_that_is_a_submodule(scene: Scene) -> None:
    """A `.workflow` that is a submodule is refused by name: 6, and nothing is written."""
    other = Scene(scene.path.parent / "plans", home=scene.home)
    other.write({"active/WFS-berths/.task/IMPL-1.json": '{"id": "IMPL-1", "title": "A"}\n'})
    other.commit("plans")
    scene.git("submodule", "--quiet", "add", str(other.path), ".workflow")
    scene.commit("plans are a submodule")
    before = scene.snapshot()
    run = replan(scene, need("IMPL-1", "More")).expect(6)
    assert ".workflow is a submodule" in run.err
    assert_untouched(scene, before)


def test_a_symbolic_link(scene: Scene, tmp_path: Path) -> None:
    """A `.workflow` that is a link is not followed: nothing is read or written outside."""
    plan = plan_folder("nested", 4)
    outside = tmp_path / "outside"
    for path, text in plan.files.items():
        file = outside / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (scene.path / ".workflow").symlink_to(outside / ".workflow")
    scene.commit("a link")
    before = scene.snapshot()
    contents = {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()}
    for run in (replan(scene, PRICE_FIRST), scene.run("start", "Sell ice")):
        run.expect(6)
        assert ".workflow is a symbolic link" in run.err
    scene.run("list").expect(0)
    assert_untouched(scene, before)
    assert {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()} == contents


def test_a_task_file_that_is_a_link(scene: Scene, tmp_path: Path) -> None:
    """A task file that leads out of the repository is neither read nor written through."""
    harbour(scene)
    secret = tmp_path / "secret.json"
    secret.write_text('{"id": "IMPL-9", "title": "A secret title"}')
    (scene.path / FOLDER / ".task" / "IMPL-9.json").symlink_to(secret)
    scene.commit("a link")
    assert "A secret title" not in scene.run("status").expect(0).out
    run = replan(scene, need("IMPL-9", "More"))
    assert run.code in (3, 4, 6), run.err
    assert secret.read_text() == '{"id": "IMPL-9", "title": "A secret title"}'


def test_a_bare_repository(scene: Scene) -> None:
    """In a bare repository readers look at HEAD, and writers are refused: 6."""
    harbour(scene)
    replanned(scene, PRICE_FIRST)
    bare = scene.clone("bare.git", "--bare")
    for words in (("status",), ("list",), ("next",), ("log",), ("show",), ("diff", "HEAD~1")):
        bare.run(*words).expect(0)
    assert "HEAD" in bare.run("status", "--json").expect(0).json["data"]["source"]
    before = bare.git("for-each-ref")
    for run in (
        replan(bare, PRICE_FIRST),
        bare.run("rollback", "--last"),
        bare.run("start", "Sell ice"),
        bare.run("adopt"),
    ):
        run.expect(6)
        assert "worktree" in run.err
    assert bare.git("for-each-ref") == before


def test_a_sparse_checkout(scene: Scene) -> None:
    """Files outside of a sparse checkout stay out of the worktree and stay in the commits."""
    scene.write({"big/data.txt": "data\n"})
    harbour(scene)
    scene.git("sparse-checkout", "set", "--cone", ".workflow")
    there_and_back(scene)
    assert not (scene.path / "big").exists()
    assert scene.git("show", "HEAD:big/data.txt") == "data"


def test_a_checkout_with_crlf(scene: Scene) -> None:
    """Where a checkout writes CRLF, so does a replan, and the commits keep LF."""
    harbour(scene)
    scene.git("config", "core.autocrlf", "true")
    scene.git("rm", "--quiet", "-r", "--cached", ".")
    scene.git("reset", "--quiet", "--hard")
    assert "\r\n" in scene.read(TASK)
    there_and_back(scene)
    assert "\r\n" in scene.read(TASK)
    assert "\r\n" not in scene.git("show", f"HEAD:{TASK}")


ERAS = (
    ".workflow/active/WFS-era",
    ".workflow/sessions/WFS-era",
    ".workflow/WFS-era",
    ".workflow/.lite-plan/era-2026-01-05",
)


@pytest.mark.parametrize("folder", ERAS)
def test_sessions_of_every_era(scene: Scene, folder: str) -> None:
    """A session is found, changed and rolled back where its era kept it."""
    name = folder.rpartition("/")[2]
    shape: Shape = "lite" if ".lite-plan" in folder else "nested"
    plan = plan_folder(shape, 4, ids="IMPL-{}")
    files = {path.replace(plan.path, folder): text for path, text in plan.files.items()}
    scene.write({path: text.replace(plan.id, name) for path, text in files.items()})
    scene.commit("plan of some era")
    assert name in scene.run("status").expect(0).out
    there_and_back(scene)
    assert all(path.startswith(folder + "/") for path in touched(scene))


@pytest.mark.parametrize("place", ["archives", ".archives", "archived"])
def test_archived_sessions_are_read_only(scene: Scene, place: str) -> None:
    """An archived session is listed and shown, and a replan of it is refused: 4."""
    plan = plan_folder("nested", 4)
    scene.write({p.replace("/active/", f"/{place}/"): text for p, text in plan.files.items()})
    scene.commit("archived")
    assert plan.id in scene.run("list").expect(0).out
    scene.run("status", plan.id).expect(0)
    before = scene.snapshot()
    assert "Archived are" in replan(scene, PRICE_FIRST).expect(3).err
    run = replan(scene, PRICE_FIRST, words=("--session", plan.id)).expect(4)
    assert "Unarchive it first" in run.err
    assert_untouched(scene, before)


def test_one_session_id_in_two_places(scene: Scene) -> None:
    """The folders are named, 3, until the user stands in one of them."""
    harbour(scene)
    plan = plan_folder("nested", 4)
    scene.write({p.replace("/active/", "/sessions/"): text for p, text in plan.files.items()})
    scene.commit("twice")
    before = scene.snapshot()
    run = replan(scene, PRICE_FIRST, words=("--session", SESSION)).expect(3)
    assert ".workflow/active/WFS-berths" in run.err
    assert ".workflow/sessions/WFS-berths" in run.err
    assert_untouched(scene, before)
    done = replanned(scene, PRICE_FIRST, cwd=FOLDER)
    assert done["folder"] == FOLDER


def test_several_sessions(scene: Scene) -> None:
    """A writer without a terminal asks for a name: 3; a reader takes the newest and says so."""
    harbour(scene)
    other = scene.session("nested", 2, session="WFS-other")
    scene.commit("another")
    before = scene.snapshot()
    run = replan(scene, PRICE_FIRST).expect(3)
    assert SESSION in run.err
    assert other.id in run.err
    assert "--session" in run.err
    assert_untouched(scene, before)
    run = scene.run("status").expect(0)
    assert "most recent" in run.err
    scene.run("use", "berths").expect(3)
    scene.run("use", SESSION).expect(0)
    assert scene.run("status").expect(0).err == ""
    assert replanned(scene, PRICE_FIRST)["session"] == SESSION
    assert scene.run("use", "--json").expect(0).json["data"]["session"] == SESSION
    replanned(scene, need("IMPL-1", "More"), words=("--session", other.id))
    assert [entry["replan"] is None for entry in log(scene, "--session", other.id)] == [False, True]
    scene.git("rm", "--quiet", "-r", FOLDER)
    scene.commit("berths are done")
    assert other.id in scene.run("status").expect(0).out


def test_other_places_for_the_repository(scene: Scene, tmp_path: Path) -> None:
    """-C and GIT_DIR with GIT_WORK_TREE lead to the plan; a `.workflow` above the root does not."""
    harbour(scene)
    empty = tmp_path / "elsewhere"
    empty.mkdir()
    elsewhere = scene.beside("elsewhere")
    assert SESSION in elsewhere.run("-C", "../project/src", "status").expect(0).out
    run = elsewhere.run("status").expect(6)
    assert "repository" in run.err
    variables = {"GIT_DIR": str(scene.path / ".git"), "GIT_WORK_TREE": str(scene.path)}
    assert SESSION in elsewhere.run("status", env=variables).expect(0).out
    (tmp_path / ".workflow" / "active" / "WFS-foreign").mkdir(parents=True)
    assert "WFS-foreign" not in scene.run("list").expect(0).out


def test_a_plan_with_a_broken_file(scene: Scene) -> None:
    """Readers show the rest and name file and line; a replan that concerns it is refused: 4."""
    harbour(scene)
    scene.write({f"{FOLDER}/.task/IMPL-2.json": '{\n  "id": "IMPL-2",\n  "title": \n}\n'})
    scene.commit("broken")
    run = scene.run("status").expect(0)
    assert "IMPL-3" in run.out
    assert "IMPL-2.json:4:1" in run.err
    before = scene.snapshot()
    assert "IMPL-2.json" in replan(scene, need("IMPL-2", "More")).expect(4).err
    assert_untouched(scene, before)
    replanned(scene, PRICE_FIRST)
    assert requirements(scene)[-1] == FIRST
    assert leavings(scene) == []


def test_a_raised_limit_holds_to_the_end(scene: Scene) -> None:
    """Where larger files are allowed than usual, they are read back in full as well."""
    harbour(scene)
    scene.write({".wfp.toml": "[limits]\nfile_bytes = 20000000\n"})
    task = json.loads(scene.read(TASK))
    scene.write({TASK: json.dumps({**task, "notes": "long " * 1_800_000})})
    scene.commit("large")
    scene.run("replan", "IMPL-3", "Show the price", "-y").expect(0)
    assert json.loads(scene.read(TASK))["context"]["requirements"][-1] == "Show the price"


def test_a_new_task_looks_like_its_neighbours(scene: Scene) -> None:
    """A new file has the indentation and the line ends of the files that it joins."""
    plan = harbour(scene)
    scene.git("config", "core.autocrlf", "false")
    for task in plan.tasks:
        value = json.loads(scene.read(plan.file_of(task)))
        text = json.dumps(value, indent=4).replace("\n", "\r\n")
        (scene.path / plan.file_of(task)).write_bytes(text.encode())
    scene.commit("from another editor")
    tree = plan_tree(scene)
    done = replanned(scene, {"type": "create", "title": "Sell ice"}, words=("-y",))
    new = (scene.path / plan.file_of("IMPL-5")).read_bytes()
    assert new.startswith(b'{\r\n    "')
    assert new.count(b"\n") == new.count(b"\r\n")
    assert not new.endswith(b"\n")
    rolled_back(scene, done["replan"])
    assert plan_tree(scene) == tree


def test_a_dependency_on_a_file_that_cannot_be_read(scene: Scene) -> None:
    """A task whose file is broken is there all the same; it is not said to be missing."""
    plan = harbour(scene)
    scene.write({plan.file_of("IMPL-1"): "{"})
    told = scene.run("status").expect(0).out
    assert "depends on IMPL-1, which cannot be read" in told
    assert "does not exist" not in told
