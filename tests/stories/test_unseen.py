"""What git does not look at: private edits, sparse checkouts, line endings of its own making."""

import os

import pytest

from gitwfp.git import index as git_index
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
)

PRICE = need("IMPL-3", "Show the price before asking for a name")
BOAT = need("IMPL-2", "Ask for the name of the boat")
SUMMARY = f"{FOLDER}/.summaries/IMPL-1-summary.md"
MARKS = ("skip-worktree", "assume-unchanged")


def hide(scene: Scene, mark: str) -> str:
    """Gives a task file a private edit that git does not see; returns its text."""
    scene.git("update-index", f"--{mark}", TASK)
    text = scene.read(TASK).replace("Quote a price", "My own words")
    assert "My own words" in text
    scene.write({TASK: text})
    return text


@pytest.mark.parametrize("mark", MARKS)
def test_a_private_edit_is_in_no_commit(scene: Scene, mark: str) -> None:
    """F-RP-15: replan, undo and adopt of other files leave a hidden edit where it is."""
    harbour(scene)
    text = hide(scene, mark)
    tree = plan_tree(scene)
    replanned(scene, BOAT)
    assert scene.git("grep", "--count", "My own words", "HEAD", ok=(0, 1)) == ""
    run = scene.run("adopt", "mine", "-y").expect(0)
    assert f"{TASK} is marked {mark}" in run.err
    assert len(log(scene)) == 2
    scene.run("undo").expect(0)
    assert plan_tree(scene) == tree
    assert scene.read(TASK) == text


@pytest.mark.parametrize("mark", MARKS)
def test_a_private_edit_is_not_written_over(scene: Scene, mark: str) -> None:
    """A change of just that file is refused by the mark's name; without the mark it goes on."""
    harbour(scene)
    hide(scene, mark)
    before = scene.snapshot()
    run = replan(scene, PRICE).expect(5)
    assert f"{TASK} is marked {mark} and was edited" in run.err
    assert f"git update-index --no-{mark} {TASK}" in run.err
    assert_untouched(scene, before)
    scene.git("update-index", f"--no-{mark}", TASK)
    replanned(scene, PRICE)
    assert_clean(scene)


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_without_an_edit_hinders_nothing(scene: Scene, mark: str) -> None:
    """A marked file that is as the index has it is changed, and keeps its mark."""
    harbour(scene)
    tree = plan_tree(scene)
    scene.git("update-index", f"--{mark}", TASK)
    flag = scene.git("ls-files", "-v", TASK)
    replanned(scene, PRICE)
    assert PRICE["requirements"]["add"][0] in requirements(scene)
    assert scene.git("ls-files", "-v", TASK) == flag
    rolled_back(scene, "HEAD")
    assert plan_tree(scene) == tree


@pytest.mark.parametrize(
    ("setting", "attributes"),
    [("true", ""), ("input", ""), ("false", "*.md text eol=crlf\n"), ("false", "*.md text\n")],
)
def test_a_companion_with_line_ends_of_git(scene: Scene, setting: str, attributes: str) -> None:
    """F-RP-09: a report that a checkout gave other line ends stands in no command's way."""
    harbour(scene)
    if attributes:
        scene.write({".gitattributes": attributes})
    scene.git("config", "core.autocrlf", setting)
    scene.write({SUMMARY: "# Done\r\n\r\nBerths are stored.\r\n"})
    scene.commit("a report")
    assert "\r" not in scene.git("cat-file", "blob", f"HEAD:{SUMMARY}")
    tree = plan_tree(scene)
    replanned(scene, PRICE)
    rolled_back(scene, "HEAD")
    assert plan_tree(scene) == tree
    scene.write({SUMMARY: "# Done\r\n\r\nBerths are stored well.\r\n"})
    replanned(scene, BOAT)
    scene.run("adopt", "said better", "-y").expect(0)
    assert "stored well" in scene.git("show", f"HEAD:{SUMMARY}")
    scene.run("undo").expect(0)
    scene.run("undo").expect(0)
    assert plan_tree(scene) == tree
    assert_clean(scene)


@pytest.mark.parametrize("cone", [False, True])
def test_a_plan_that_a_sparse_checkout_leaves_out(scene: Scene, cone: bool) -> None:
    """Readers see the plan, commands change it, and the worktree stays as sparse as it was."""
    harbour(scene)
    scene.write({"docs/berths.md": "berths\n"})
    scene.commit("docs")
    whole = scene.run("status", "--json").expect(0).json["data"]
    tree = plan_tree(scene)
    words = ("--cone", "docs") if cone else ("--no-cone", "/*", "!/.workflow")
    scene.git("sparse-checkout", "set", *words)
    assert not os.path.exists(scene.path / ".workflow")
    assert scene.run("status", "--json").expect(0).json["data"] == whole
    assert SESSION in scene.run("list").expect(0).out
    assert scene.run("diff", "--json").expect(0).json["data"]["sessions"] == []
    replanned(scene, PRICE)
    branch = replanned(scene, BOAT, words=("--branch-only",))["branch"]
    replanned(
        scene, {"type": "create", "title": "Print", "requirements": ["Print it"]}, words=("-y",)
    )
    assert "IMPL-5" in scene.run("status").expect(0).out
    scene.run("land", branch, "-y").expect(0)
    for _ in range(3):
        scene.run("undo").expect(0)
    assert plan_tree(scene) == tree
    assert not os.path.exists(scene.path / ".workflow")
    assert scene.git("status", "--porcelain") == ""
    scene.git("sparse-checkout", "disable")
    assert_clean(scene)


def test_an_index_that_cannot_be_linked(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system allows no link to another user's index, the old one is kept as a copy."""
    harbour(scene)
    index = str(scene.path / ".git" / "index")
    with open(index, "rb") as file:
        content = file.read()

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    git_index.keep_old_index(index, "tag")
    os.unlink(index)
    assert git_index.put_back(index, "tag")
    with open(index, "rb") as file:
        assert file.read() == content
