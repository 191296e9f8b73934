"""What the tests of publishing share: a scene with a neighbourhood, and one small replan in it."""

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gitwfp.files.tree import FileTree
from gitwfp.git.publish import NewCommit, Published, publish
from gitwfp.git.repository import Repository
from tests.scene import Scene

NOW = datetime(2026, 11, 30, 19, 7, 52, tzinfo=UTC)
BRANCH = "wfp/WFS-harbour/replan-2026-11-30T19-07-52"
FOLDER = ".workflow/active/WFS-harbour"
TASK = f"{FOLDER}/.task/IMPL-1.json"
GONE = f"{FOLDER}/.task/IMPL-2.json"
NEW = f"{FOLDER}/.task/sub/IMPL-3.json"
LIST = f"{FOLDER}/TODO_LIST.md"

OLD_FILES: dict[str, bytes | None] = {
    TASK: b'{"id": "IMPL-1"}\n',
    GONE: b'{"id": "IMPL-2"}\n',
    NEW: None,
    LIST: b"- [ ] IMPL-1\n- [ ] IMPL-2\n",
}
NEW_FILES: dict[str, bytes | None] = {
    TASK: b'{"id": "IMPL-1", "title": "Moor the boats"}\n',
    GONE: None,
    NEW: b'{"id": "IMPL-3"}\n',
    LIST: b"- [ ] IMPL-1\n- [ ] IMPL-3\n",
}


def look_away(files: FileTree) -> None:
    """Accepts whatever was written."""


def plan(scene: Scene) -> str:
    """Commits the plan before the replan, beside a source file; returns the commit."""
    scene.write({"src/app.py": "print('harbour')\n", **without_none(OLD_FILES)})
    return scene.commit("plan: harbour")


def without_none(files: Mapping[str, bytes | None]) -> dict[str, bytes]:
    """Returns the files that are there."""
    return {path: content for path, content in files.items() if content is not None}


def open_at(scene: Scene) -> Repository:
    """Opens the scene's repository with the environment of the test."""
    return Repository.open(str(scene.path), os.environ)


def replan(scene: Scene, **changed: Any) -> Published:
    """Publishes the replan from `OLD_FILES` to `NEW_FILES` in the branch that is checked out."""
    with open_at(scene) as repo:
        head = repo.head()
        given: dict[str, Any] = {
            "base": head.commit,
            "commits": [NewCommit("replan(IMPL-1): moor\n\nWfp-Session: WFS-harbour", NEW_FILES)],
            "branch": BRANCH,
            "move": head.ref or "HEAD",
            "reflog": "wfp: replan",
            "expect": OLD_FILES,
            "look": look_away,
            "now": NOW,
            "lock_wait": 0.3,
        }
        return publish(repo, **{**given, **changed})


def files_now(scene: Scene) -> dict[str, bytes | None]:
    """Returns what the worktree holds at the paths of the replan."""
    return {path: read(scene.path / path) for path in OLD_FILES}


def read(file: Path) -> bytes | None:
    """Returns the bytes of a file, None if it is not there."""
    return file.read_bytes() if file.exists() else None


def fail_at(step: str, act: Callable[[], object]) -> Callable[[str], None]:
    """Returns a hook that acts when a step is done."""

    def hook(name: str) -> None:
        if name == step:
            act()

    return hook


def leavings(scene: Scene) -> list[str]:
    """Returns locks, temporary files and journals that should not be there any more."""
    git_dir = scene.path / scene.git("rev-parse", "--absolute-git-dir")
    common = scene.path / scene.git("rev-parse", "--path-format=absolute", "--git-common-dir")
    found = {*git_dir.rglob("*.lock"), *common.rglob("*.lock"), *git_dir.glob("index.*")}
    found |= {*git_dir.glob("wfp/journal*"), *git_dir.glob("wfp/pending/*")}
    found |= {*(scene.path / ".workflow").rglob(".wfp-*")}
    refs = scene.git("for-each-ref", "--format=%(refname)", "refs/wfp/pending/").split()
    return sorted([*map(str, found), *refs])
