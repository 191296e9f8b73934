"""Repositories to measure and to torture, and an environment that knows nothing of the machine."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.plans import PlanFolder, Shape, plan_folder

ROOT = Path(__file__).resolve().parent.parent

_GIT_CONFIG = """\
[user]
\tname = Ada Lin
\temail = ada@example.org
[init]
\tdefaultBranch = main
[gc]
\tauto = 0
[maintenance]
\tauto = false
"""

_DROPPED = ("GIT_", "LC_", "LANG", "WFP_", "XDG_", "PYTHON")


def sealed_environment(home: Path) -> dict[str, str]:
    """Returns an environment whose home is an existing, empty folder."""
    config = home / ".gitconfig"
    config.write_text(_GIT_CONFIG)
    kept = {name: held for name, held in os.environ.items() if not name.startswith(_DROPPED)}
    return kept | {
        "GIT_CONFIG_GLOBAL": str(config),
        "GIT_CONFIG_NOSYSTEM": "1",
        "HOME": str(home),
        "LC_ALL": "C",
        "PYTHONPATH": str(ROOT),
        "TZ": "UTC",
        "XDG_CONFIG_HOME": str(home / ".config"),
    }


class Place:
    """A repository in a folder.

    Args:
        path: The folder; it is made where it is not there.
        environ: The environment of every command.
    """

    def __init__(self, path: Path, environ: Mapping[str, str]) -> None:
        self.path = path
        self.environ = dict(environ)
        path.mkdir(parents=True, exist_ok=True)

    def git(self, *words: str, input: str | None = None) -> str:
        """Runs git and returns what it printed; a failure is an error."""
        done = subprocess.run(
            ["git", *words],
            cwd=self.path,
            env=self.environ,
            input=input,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"git {' '.join(words)}: {done.stderr}")
        return done.stdout.rstrip("\n")

    def write(self, files: Mapping[str, str]) -> None:
        """Writes files, making the folders on the way."""
        for name, content in files.items():
            file = self.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, "utf-8")

    def commit(self, message: str) -> None:
        """Commits everything."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)

    def plan(self, shape: Shape, tasks: int, session: str) -> PlanFolder:
        """Writes a session."""
        folder = plan_folder(shape, tasks, session=session, ids="IMPL-{}")
        self.write(folder.files)
        return folder

    def operations(self, name: str, tasks: Sequence[str], text: str) -> Path:
        """Writes operations that give tasks one more requirement; returns their file.

        The file lies beside the repository, so that it is no part of it.
        """
        edit = {"requirements": {"add": [text]}}
        listed = [{"type": "update", "task": task, **edit} for task in tasks]
        file = self.path.parent / f"{name}.json"
        file.write_text(json.dumps({"operations": listed, "reason": text}), "utf-8")
        return file


def command(*words: str) -> list[str]:
    """Returns the words that start `git wfp` from this tree."""
    return [sys.executable, "-m", "gitwfp", *words]
