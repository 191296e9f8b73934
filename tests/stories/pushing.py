"""What the stories about pushes share: a plan, a central repository, and pushes by real git."""

import json
import os
import subprocess
from collections.abc import Mapping
from typing import Any

from tests.core.damages import DAMAGES, FOLDER, good
from tests.scene import PATIENCE, Run, Scene

SESSION = "WFS-berths"
TASK = f"{FOLDER}/.task/IMPL-1.json"
BROKEN = "dangling-dependency"


def planned(scene: Scene, *damages: str) -> str:
    """Commits the good plan with some damages; returns the commit."""
    files = good()
    for name in damages:
        DAMAGES[name][0](files)
    scene.write(files)
    return scene.commit(f"the plan {' '.join(damages)}".strip())


def central(scene: Scene, name: str = "central.git") -> Scene:
    """Makes a bare repository beside the scene, known to it as origin."""
    bare = Scene(scene.path.parent / name, home=scene.home, init=("--bare", "-b", "main"))
    scene.git("remote", "add", "origin", str(bare.path))
    return bare


def guarded(scene: Scene) -> Scene:
    """Installs the gate and makes a central repository; returns that."""
    bare = central(scene)
    scene.run("init", "-y").expect(0)
    return bare


def push(scene: Scene, *words: str, cwd: str = "", env: Mapping[str, str] | None = None) -> Run:
    """Pushes; whoever calls looks at the exit code."""
    return git(scene, "push", *(words or ("origin", "main")), cwd=cwd, env=env)


def git(scene: Scene, *words: str, cwd: str = "", env: Mapping[str, str] | None = None) -> Run:
    """Runs git; whoever calls looks at the exit code."""
    done = subprocess.run(
        ["git", *words],
        cwd=scene.path / cwd,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    out, err = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
    return Run(("git", *words), done.returncode, out, err, scene)


def damage(scene: Scene, *names: str) -> None:
    """Damages the plan in the worktree, uncommitted."""
    files = {path: scene.read(path) for path in good() if (scene.path / path).is_file()}
    changed = dict(files)
    for name in names:
        DAMAGES[name][0](changed)
    scene.write({path: changed.get(path) for path in files if changed.get(path) != files[path]})


def has(bare: Scene, ref: str) -> bool:
    """Tells whether a ref is there."""
    return bool(bare.git("for-each-ref", ref))


def judged(scene: Scene, lines: str, code: int, *words: str) -> Any:
    """Asks the gate itself about lines as git writes them; returns the data of its answer."""
    run = scene.run("gate", *(words or ("pre-push", "origin")), "--json", input=lines).expect(code)
    document = json.loads(run.out)
    assert document["exit_code"] == code
    return document["data"]
