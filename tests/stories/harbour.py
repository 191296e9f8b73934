"""What the stories share: a small project with a plan, replans of it, and looks at what is left.

Every story runs the real command in a process of its own. Operations come in as JSON, so that a
story says exactly what is changed; the words of a request have tests of their own.
"""

import json
from collections.abc import Mapping
from typing import Any

from tests.git.publishing import leavings
from tests.plans import PlanFolder, Shape
from tests.scene import Run, Scene
from tests.snapshots import Snapshot

SESSION = "WFS-berths"
FOLDER = f".workflow/active/{SESSION}"
TASK = f"{FOLDER}/.task/IMPL-3.json"

Operation = Mapping[str, Any]


def harbour(scene: Scene, shape: Shape = "nested", tasks: int = 4, **more: Any) -> PlanFolder:
    """Commits a project with a source file and one session; returns the session."""
    scene.write({"src/app.py": "print('harbour')\n"})
    plan = scene.session(shape, tasks, **more)
    scene.commit("plan: berths")
    return plan


def need(task: str, *requirements: str) -> Operation:
    """Returns the operation that adds requirements to a task."""
    return {"type": "update", "task": task, "requirements": {"add": list(requirements)}}


def retitle(task: str, title: str) -> Operation:
    """Returns the operation that gives a task another title."""
    return {"type": "update", "task": task, "title": title}


def drop(task: str, dependents: str = "bridge") -> Operation:
    """Returns the operation that deletes a task."""
    return {"type": "delete", "task": task, "dependents": dependents}


def operations(*wanted: Operation, reason: str = "as agreed") -> str:
    """Returns the document that `replan --from` reads."""
    return json.dumps({"operations": list(wanted), "reason": reason})


def replan(scene: Scene, *wanted: Operation, words: tuple[str, ...] = (), **more: Any) -> Run:
    """Runs a replan; `words` are further words of the command, `more` is for `Scene.run`."""
    return scene.run("replan", "--from", "-", *words, input=operations(*wanted), **more)


def replanned(scene: Scene, *wanted: Operation, words: tuple[str, ...] = (), **more: Any) -> Any:
    """Carries out a replan; returns the data of its JSON document."""
    return replan(scene, *wanted, words=("--json", *words), **more).expect(0).json["data"]


def rolled_back(scene: Scene, *words: str, **more: Any) -> Any:
    """Rolls something back; returns the data of the JSON document."""
    return scene.run("rollback", *words, "--json", **more).expect(0).json["data"]


def log(scene: Scene, *words: str) -> list[Any]:
    """Returns the entries of the history, newest first."""
    entries: list[Any] = scene.run("log", "--json", *words).expect(0).json["data"]["entries"]
    return entries


def kinds(scene: Scene, *words: str) -> list[str]:
    """Returns the kinds of the entries of the history, newest first."""
    return [entry["kind"] for entry in log(scene, *words)]


def requirements(scene: Scene, task: str = "IMPL-3", rev: str | None = None) -> list[str]:
    """Returns what a task of the nested plan asks for: in the worktree, or in a commit."""
    path = f"{FOLDER}/.task/{task}.json"
    text = scene.read(path) if rev is None else scene.git("show", f"{rev}:{path}")
    found: list[str] = json.loads(text)["context"]["requirements"]
    return found


def edit(scene: Scene, old: str, new: str, path: str = TASK) -> str:
    """Edits a file of the worktree as by hand; returns its new text."""
    text = scene.read(path)
    assert old in text
    text = text.replace(old, new)
    scene.write({path: text})
    return text


def plan_tree(scene: Scene, rev: str = "HEAD") -> str:
    """Returns the id of the tree that holds the plans of a commit."""
    return scene.git("rev-parse", f"{rev}:.workflow")


def touched(scene: Scene, rev: str = "HEAD") -> list[str]:
    """Returns the paths that a commit changes."""
    return scene.git("show", "--format=", "--name-only", "--no-renames", rev).split()


def assert_clean(scene: Scene) -> None:
    """Asserts that git finds nothing to complain about and no command left anything behind."""
    assert scene.git("status", "--porcelain") == ""
    assert leavings(scene) == []
    scene.git("fsck", "--strict", "--no-dangling")


def assert_untouched(scene: Scene, before: Snapshot) -> None:
    """Asserts that the repository looks as it did, and that no command left anything behind."""
    assert scene.snapshot() == before
    assert leavings(scene) == []
