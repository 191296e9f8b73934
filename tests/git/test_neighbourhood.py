"""A publication changes plan paths, one branch and HEAD, and nothing else in the repository."""

import errno
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitwfp.errors import ExitCode, Refusal
from gitwfp.git.publish import NewCommit, check_ready
from tests.git.publishing import (
    BRANCH,
    FOLDER,
    GONE,
    LIST,
    NEW_FILES,
    OLD_FILES,
    TASK,
    fail_at,
    files_now,
    leavings,
    open_at,
    plan,
    replan,
)
from tests.scene import Scene

MOVED = ("refs/heads/main", f"refs/heads/{BRANCH}")


def neighbours(scene: Scene) -> None:
    """Fills the repository with everything that a planning command must leave alone."""
    for name in ("staged", "both", "dirty", "skipped", "assumed", "stashed"):
        scene.write({f"src/{name}.cfg": "old\n"})
    plan(scene)
    scene.write({"src/stashed.cfg": "stashed\n"})
    scene.git("stash", "--quiet")
    scene.write({"src/staged.cfg": "staged\n", "src/both.cfg": "staged\n"})
    scene.git("add", "src/staged.cfg", "src/both.cfg")
    scene.write({"src/both.cfg": "dirty\n", "src/dirty.cfg": "dirty\n"})
    scene.git("update-index", "--skip-worktree", "src/skipped.cfg")
    scene.git("update-index", "--assume-unchanged", "src/assumed.cfg")
    scene.write({"src/skipped.cfg": "private\n", "src/assumed.cfg": "private\n"})
    scene.write({"src/announced.cfg": "soon\n", "src/untracked.cfg": "new\n"})
    scene.git("add", "--intent-to-add", "src/announced.cfg")
    scene.git("branch", "other")
    scene.git("tag", "kept")
    hook = scene.path / ".git" / "hooks" / "post-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)


def test_everything_else_stays(scene: Scene) -> None:
    """Staged, dirty, hidden, announced and untracked files, refs, stash and hooks are untouched."""
    neighbours(scene)
    before = scene.snapshot().outside(".workflow").without_refs(*MOVED, "HEAD")
    replan(scene)
    after = scene.snapshot()
    assert after.outside(".workflow").without_refs(*MOVED, "HEAD") == before
    assert not [path for path in after.status if path.startswith(".workflow")]
    changed = scene.git("diff-tree", "-r", "--name-only", "--no-commit-id", "HEAD").split()
    assert sorted(changed) == sorted(OLD_FILES)
    assert leavings(scene) == []


def test_a_refused_publication_changes_nothing_at_all(scene: Scene) -> None:
    """When a hook refuses the new branch, index, files, refs and logs are as they were."""
    neighbours(scene)
    hook = scene.path / ".git" / "hooks" / "reference-transaction"
    hook.write_text("#!/bin/sh\n! grep -q refs/heads/main\n")
    hook.chmod(0o755)
    before = scene.snapshot()
    with pytest.raises(Refusal) as refused:
        replan(scene)
    assert refused.value.exit_code == ExitCode.ENVIRONMENT
    assert "hook" in str(refused.value)
    assert scene.snapshot() == before
    assert leavings(scene) == []


def test_a_branch_alone_moves_nothing(scene: Scene) -> None:
    """With nothing to move, the branch is the only thing that appears."""
    neighbours(scene)
    before = scene.snapshot()
    made = replan(scene, move=None)
    assert made.moved is None
    assert scene.git("rev-parse", BRANCH) == made.commits[0]
    assert scene.snapshot().without_refs(f"refs/heads/{BRANCH}") == before
    assert leavings(scene) == []


def test_other_worktrees_are_not_touched(scene: Scene) -> None:
    """A publication in a linked worktree leaves the main one as it is, and the other way round."""
    plan(scene)
    scene.git("worktree", "add", "--quiet", "-b", "side", "../side")
    side = scene.beside("side")
    before = scene.snapshot()
    made = replan(side)
    assert made.moved == "refs/heads/side"
    assert files_now(side) == NEW_FILES
    assert side.git("status", "--porcelain") == ""
    assert scene.snapshot().without_refs("refs/heads/side", f"refs/heads/{BRANCH}") == (
        before.without_refs("refs/heads/side")
    )
    assert leavings(side) == leavings(scene) == []


def test_marks_on_plan_entries_stay(scene: Scene) -> None:
    """A plan file that is marked assume-unchanged keeps that mark."""
    plan(scene)
    scene.git("update-index", "--assume-unchanged", TASK)
    replan(scene)
    assert scene.snapshot().index[TASK].startswith("h 100644 ")
    assert files_now(scene) == NEW_FILES


def test_file_modes_stay(scene: Scene) -> None:
    """Permissions of a rewritten file and its mode in the tree are those it had."""
    scene.write({TASK: OLD_FILES[TASK]})
    (scene.path / TASK).chmod(0o750)
    plan(scene)
    replan(scene)
    assert (scene.path / TASK).stat().st_mode & 0o777 == 0o750
    assert scene.git("ls-tree", "HEAD", TASK).startswith("100755 ")
    assert scene.git("status", "--porcelain") == ""


@pytest.mark.parametrize("kind", ["split", "untracked-cache", "version-4"])
def test_every_kind_of_index_is_kept(scene: Scene, kind: str) -> None:
    """Split indexes, untracked caches and version 4 survive and stay right."""
    option = {
        "split": ("--split-index",),
        "untracked-cache": ("--force-untracked-cache",),
        "version-4": ("--index-version", "4"),
    }[kind]
    neighbours(scene)
    scene.git("update-index", *option)
    before = scene.snapshot().outside(".workflow")
    replan(scene)
    after = scene.snapshot()
    assert after.outside(".workflow").index == before.index
    assert after.outside(".workflow").status == before.status
    assert files_now(scene) == NEW_FILES
    assert not [path for path in after.status if path.startswith(".workflow")]
    assert leavings(scene) == []


@pytest.mark.parametrize("sparse_index", [False, True])
def test_a_sparse_checkout_without_the_plan_gets_no_files(scene: Scene, sparse_index: bool) -> None:
    """Outside the cone the index entries change, and no file appears."""
    plan(scene)
    scene.write({"docs/guide.md": "guide\n"})
    scene.commit("docs")
    index = "--sparse-index" if sparse_index else "--no-sparse-index"
    scene.git("sparse-checkout", "init", "--cone", index)
    scene.git("sparse-checkout", "set", "src")
    replan(scene)
    assert set(files_now(scene).values()) == {None}
    assert scene.git("status", "--porcelain") == ""
    assert scene.git("show", f"HEAD:{LIST}").encode() + b"\n" == NEW_FILES[LIST]
    scene.git("sparse-checkout", "disable")
    assert files_now(scene) == NEW_FILES
    assert scene.git("status", "--porcelain") == ""


def test_a_sparse_checkout_with_the_plan_gets_its_files(scene: Scene) -> None:
    """Inside the cone everything is as usual."""
    plan(scene)
    scene.write({"docs/guide.md": "guide\n"})
    scene.commit("docs")
    scene.git("sparse-checkout", "set", "--cone", ".workflow")
    replan(scene)
    assert files_now(scene) == NEW_FILES
    assert scene.git("status", "--porcelain") == ""
    assert not (scene.path / "docs").exists()


def test_files_are_never_written_through_links(scene: Scene, tmp_path: Path) -> None:
    """A folder that was replaced by a link is refused, and nothing appears where it leads."""
    plan(scene)
    elsewhere = tmp_path / "elsewhere"
    (scene.path / FOLDER).rename(elsewhere)
    (scene.path / FOLDER).symlink_to(elsewhere)
    before = sorted(path.read_bytes() for path in elsewhere.rglob("*") if path.is_file())
    with pytest.raises(Refusal) as refused:
        replan(scene)
    assert refused.value.exit_code == ExitCode.ENVIRONMENT
    assert sorted(p.read_bytes() for p in elsewhere.rglob("*") if p.is_file()) == before
    assert BRANCH not in scene.git("branch")
    assert leavings(scene) == []


@pytest.mark.parametrize("path", [TASK, GONE, LIST])
def test_a_file_that_became_a_link_is_refused(scene: Scene, tmp_path: Path, path: str) -> None:
    """A linked plan file is neither followed nor replaced."""
    plan(scene)
    target = tmp_path / "target"
    (scene.path / path).rename(target)
    (scene.path / path).symlink_to(target)
    before = scene.snapshot()
    content = target.read_bytes()
    with pytest.raises(Refusal) as refused:
        replan(scene)
    assert refused.value.code == "not-a-file"
    assert target.read_bytes() == content
    assert scene.snapshot() == before


def test_a_folder_that_cannot_be_written_leaves_the_old_state(scene: Scene) -> None:
    """Without permission nothing is half done."""
    plan(scene)
    before = scene.snapshot()
    folder = (scene.path / TASK).parent
    folder.chmod(0o555)
    if os.access(folder, os.W_OK):
        pytest.skip("this user may write everywhere")
    try:
        with pytest.raises(Refusal) as refused:
            replan(scene)
    finally:
        folder.chmod(0o755)
    assert refused.value.code == "cannot-write"
    assert scene.snapshot() == before
    assert leavings(scene) == []


@pytest.mark.parametrize(
    ("step", "suffix"), [("journal", "new"), ("file-ready", "old")], ids=["temporary", "aside"]
)
def test_a_folder_in_place_of_a_file_of_ours_leaves_the_old_state(
    scene: Scene, step: str, suffix: str
) -> None:
    """What somebody else made under the name of a file of ours stays, and all else goes back."""
    plan(scene)
    before = scene.snapshot()
    made: list[Path] = []

    def get_in_the_way() -> None:
        if not made:
            journal = json.loads((scene.path / ".git/wfp/journal").read_bytes())
            number, file = next(
                (number, scene.path / file["path"])
                for number, file in enumerate(journal["files"])
                if file["before"] and file["after"]
            )
            made.append(file.with_name(f".wfp-{journal['tag']}-{number}.{suffix}~"))
            made[0].mkdir()

    with pytest.raises(Refusal) as refused:
        replan(scene, fail_at=fail_at(step, get_in_the_way))
    assert refused.value.code == "cannot-write"
    made[0].rmdir()
    assert scene.snapshot() == before
    assert leavings(scene) == []


def test_a_disk_that_became_read_only_leaves_the_old_state(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that refuses even to remove what is not there leaves no lock and no journal."""
    plan(scene)
    before = scene.snapshot()
    real = {name: getattr(os, name) for name in ("link", "mkdir", "open", "rename", "unlink")}

    def refuses(name: str) -> Callable[..., Any]:
        # Files of the worktree are the only ones that are named from an open folder.
        def call(*args: Any, **given: Any) -> Any:
            is_inside = not {"dir_fd", "src_dir_fd"}.isdisjoint(given)
            is_write = name != "open" or args[1] & os.O_CREAT
            if is_inside and is_write:
                raise OSError(errno.EROFS, os.strerror(errno.EROFS))
            return real[name](*args, **given)

        return call

    def become_read_only() -> None:
        for name in real:
            monkeypatch.setattr(os, name, refuses(name))

    with pytest.raises(Refusal) as refused:
        replan(scene, fail_at=fail_at("index-locked", become_read_only))
    monkeypatch.undo()
    assert refused.value.code == "cannot-write"
    assert scene.snapshot() == before
    assert leavings(scene) == []


def test_a_full_disk_leaves_the_old_state(scene: Scene) -> None:
    """A file that cannot be written whole (a file size limit stands for the disk) is not there."""
    plan(scene)
    before = scene.snapshot()
    script = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from gitwfp.errors import Refusal\n"
        "from gitwfp.git.publish import NewCommit\n"
        "from tests.git import publishing\n"
        "from tests.scene import Scene\n"
        "scene = Scene(Path(sys.argv[1]), home=Path(sys.argv[2]), init=None)\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "def limit(): resource.setrlimit(resource.RLIMIT_FSIZE, (60000, 60000))\n"
        "big = {**publishing.NEW_FILES, publishing.LIST: b'0123456789abcdef' * 8000}\n"
        "try:\n"
        "    publishing.replan(scene, commits=[NewCommit('big', big)],\n"
        "        fail_at=publishing.fail_at('index-locked', limit))\n"
        "except Refusal as error:\n"
        "    print(error.code)\n"
    )
    done = scene.python("-c", script, str(scene.path), str(scene.home))
    assert done.code == 0, done.err
    assert done.out == "cannot-write\n"
    assert scene.snapshot() == before
    assert leavings(scene) == []


@pytest.mark.parametrize("operation", ["merge", "rebase", "cherry-pick", "revert", "bisect"])
def test_an_operation_in_progress_is_named(scene: Scene, operation: str) -> None:
    """While git is in the middle of something, writing is refused by that name."""
    plan(scene)
    base = scene.git("rev-parse", "HEAD")
    scene.git("checkout", "--quiet", "-b", "side")
    scene.write({"src/app.py": "side\n"})
    side = scene.commit("side")
    scene.git("checkout", "--quiet", "main")
    scene.write({"src/app.py": "main\n"})
    scene.commit("main")
    commands = {
        "merge": ("merge", "side"),
        "rebase": ("rebase", "side"),
        "cherry-pick": ("cherry-pick", side),
        "revert": ("revert", "--no-edit", base),
        "bisect": ("bisect", "start"),
    }
    scene.git(*commands[operation], ok=(0, 1))
    before = scene.snapshot()
    with open_at(scene) as repo, pytest.raises(Refusal) as refused:
        check_ready(repo, [".workflow"])
    assert refused.value.exit_code == ExitCode.ENVIRONMENT
    assert operation in str(refused.value)
    assert scene.snapshot() == before


def test_conflicts_without_an_operation_are_found(scene: Scene) -> None:
    """Conflicts of a stash leave no trace but unmerged entries, and are refused too."""
    plan(scene)
    scene.write({"src/app.py": "stashed\n"})
    scene.git("stash", "--quiet")
    scene.write({"src/app.py": "main\n"})
    scene.commit("main")
    scene.git("stash", "apply", "--quiet", ok=(1,))
    with open_at(scene) as repo, pytest.raises(Refusal) as refused:
        check_ready(repo, [".workflow"])
    assert refused.value.code == "unmerged"


def test_the_same_branch_elsewhere_is_refused(scene: Scene) -> None:
    """A branch that a second worktree has checked out by force is not moved."""
    plan(scene)
    scene.git("worktree", "add", "--quiet", "--force", "../side", "main")
    with open_at(scene) as repo, pytest.raises(Refusal) as refused:
        check_ready(repo, [".workflow"])
    assert refused.value.code == "checked-out-elsewhere"
    assert "side" in str(refused.value)


@pytest.mark.parametrize("where", [".gitignore", ".git/info/exclude"])
def test_an_ignored_plan_is_refused_with_its_rule(scene: Scene, where: str) -> None:
    """The refusal names the rule and the file it is in."""
    scene.write({"src/app.py": ""})
    scene.commit("first")
    scene.write({where: ".workflow/\n", TASK: "{}\n"})
    with open_at(scene) as repo, pytest.raises(Refusal) as refused:
        check_ready(repo, [TASK])
    assert refused.value.code == "ignored"
    assert ".workflow/" in str(refused.value)
    assert where.rsplit("/", 1)[-1] in str(refused.value)


def test_a_linked_workspace_is_refused(scene: Scene, tmp_path: Path) -> None:
    """A `.workflow` that is a symbolic link is named as one."""
    plan(scene)
    (scene.path / ".workflow").rename(tmp_path / "plans")
    (scene.path / ".workflow").symlink_to(tmp_path / "plans")
    with open_at(scene) as repo, pytest.raises(Refusal) as refused:
        check_ready(repo, [TASK])
    assert refused.value.exit_code == ExitCode.ENVIRONMENT
    assert "symbolic link" in str(refused.value)


def test_staged_and_unstaged_versions_are_refused(scene: Scene) -> None:
    """One plan file in two versions is refused by name; one that is only staged is fine."""
    plan(scene)
    scene.write({LIST: "- [x] IMPL-1\n"})
    scene.git("add", LIST)
    with open_at(scene) as repo:
        check_ready(repo, [".workflow"])
        scene.write({LIST: "- [ ] IMPL-9\n"})
        with pytest.raises(Refusal) as refused:
            check_ready(repo, [".workflow"])
    assert refused.value.exit_code == ExitCode.CONFLICT
    assert refused.value.location.path == LIST


def test_a_staged_hand_edit_may_be_committed(scene: Scene) -> None:
    """A plan file whose staged version is what the checkpoint commits is no obstacle."""
    plan(scene)
    edited = b"- [x] IMPL-1\n- [ ] IMPL-2\n"
    scene.write({LIST: edited})
    scene.git("add", LIST)
    commits = [NewCommit("checkpoint", {LIST: edited}), NewCommit("replan", NEW_FILES)]
    made = replan(scene, commits=commits, expect={**OLD_FILES, LIST: edited})
    assert scene.git("show", f"{made.commits[0]}:{LIST}").encode() + b"\n" == edited
    assert scene.git("status", "--porcelain") == ""
    assert files_now(scene) == NEW_FILES


def test_a_third_version_in_the_index_is_refused(scene: Scene) -> None:
    """Staged content that no commit would keep is not overwritten."""
    plan(scene)
    scene.write({LIST: "- [x] staged\n"})
    scene.git("add", LIST)
    scene.write({LIST: OLD_FILES[LIST]})
    before = scene.snapshot()
    with pytest.raises(Refusal) as refused:
        replan(scene)
    assert refused.value.code == "staged-differently"
    assert refused.value.exit_code == ExitCode.CONFLICT
    assert scene.snapshot() == before


def test_an_announced_plan_file_is_no_obstacle(scene: Scene) -> None:
    """A new plan file that was announced with `git add -N` is committed like an untracked one."""
    plan(scene)
    path = f"{FOLDER}/notes.md"
    scene.write({path: "notes\n"})
    scene.git("add", "--intent-to-add", path)
    commits = [NewCommit("checkpoint", {path: b"notes\n"}), NewCommit("replan", NEW_FILES)]
    replan(scene, commits=commits, expect={**OLD_FILES, path: b"notes\n"})
    assert scene.git("status", "--porcelain") == ""


def test_other_programs_see_no_half_written_file(scene: Scene) -> None:
    """A file that somebody has open keeps its old content: it is replaced, not rewritten."""
    plan(scene)
    with (scene.path / TASK).open("rb") as reader:
        replan(scene)
        assert reader.read() == OLD_FILES[TASK]


def test_git_add_waits_outside_while_the_section_runs(scene: Scene) -> None:
    """While files are written, nobody else can write the index; reading status works."""
    plan(scene)
    codes = []

    def rival() -> None:
        scene.write({"src/rival.py": ""})
        command = ["git", "add", "src/rival.py"]
        done = subprocess.run(command, cwd=scene.path, check=False, capture_output=True)
        codes.append(done.returncode)
        scene.git("status", "--porcelain")

    replan(scene, fail_at=fail_at("files", rival))
    assert codes == [128]
    assert scene.git("status", "--porcelain") == "?? src/rival.py"
