"""A scene: a real repository, plans in it, and runs of the command that must be looked at.

Example:
    ```python
    def test_status_names_the_session(scene):
        plan = scene.session("nested", tasks=3)
        scene.commit("plan: berths")
        run = scene.run("status")
        assert run.code == 0
        assert plan.id in run.out
    ```
"""

import json
import os
import subprocess
import sys
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.plans import PlanFolder, Shape, plan_folder
from tests.snapshots import Snapshot, take_snapshot
from tests.terminal import run_in_terminal, without_machine

Content = str | bytes | Mapping[str, Any] | list[Any] | None

DAWN = datetime(2026, 1, 1, tzinfo=UTC)
PATIENCE = 60.0


def logical_time(n: int) -> datetime:
    """Returns the moment that stands for logical time n: n minutes after the year began."""
    return DAWN + timedelta(minutes=n)


class Run:
    """What one run of a command did; reading `code` counts as having looked at it.

    Attributes:
        argv: The words of the command.
        out: Standard output; on a terminal, everything.
        err: Standard error; empty on a terminal.
        looked_at: Whether a test has read the exit code.
    """

    def __init__(
        self, argv: tuple[str, ...], code: int, out: str, err: str, scene: "Scene"
    ) -> None:
        self.argv = argv
        self.out = out
        self.err = err
        self.looked_at = False
        self._code = code
        self._scene = scene

    @property
    def code(self) -> int:
        """The exit code; negative for a signal."""
        self.looked_at = True
        return self._code

    @property
    def text(self) -> str:
        """Output, then errors, with the machine's paths, ids and times replaced by names."""
        places = {str(self._scene.path): "<repo>", str(self._scene.home): "<home>"}
        return without_machine(self.out + self.err, places)

    @property
    def json(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)

    def expect(self, code: int) -> "Run":
        """Asserts the exit code, showing what the run said; returns the run itself."""
        assert self.code == code, f"{self!r}\n{self.out}{self.err}"
        return self

    def __repr__(self) -> str:
        return f"<{' '.join(self.argv)}: exit {self._code}>"


class Scene:
    """A repository in a folder of its own, with everything that a test does to it.

    Commits are dated by logical time, so a scene that is set twice has the same commit ids.

    Attributes:
        path: The repository's folder.
        home: The home folder of the test.
    """

    def __init__(
        self,
        path: Path,
        *,
        home: Path,
        init: tuple[str, ...] | None = (),
        runs: list[Run] | None = None,
    ) -> None:
        """Makes the repository.

        Args:
            path: Where; parents are made.
            home: The test's home folder.
            init: Further words for `git init`, such as `--bare`; None for a folder in which a
                repository is already there.
            runs: Where runs are noted; by default a list of its own.
        """
        self.path = path
        self.home = home
        self._now = 0
        self._runs: list[Run] = [] if runs is None else runs
        if init is not None:
            path.mkdir(parents=True)
            self.git("init", "--quiet", *init)

    def git(
        self,
        *args: str,
        ok: Collection[int] = (0,),
        input: str | bytes | None = None,
        env: Mapping[str, str] | None = None,
    ) -> str:
        """Runs git in the repository.

        Args:
            args: The words after `git`.
            ok: Exit codes that are as they should be.
            input: Standard input; none by default.
            env: Variables on top of the test's environment.

        Returns:
            Standard output without its last newline; bytes that are not UTF-8 are surrogates.
        """
        done = subprocess.run(
            ["git", *args],
            cwd=self.path,
            env={**os.environ, **(env or {})},
            input=_bytes(input or b""),
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        out, err = _text(done.stdout), _text(done.stderr)
        assert done.returncode in ok, f"git {' '.join(args)}: exit {done.returncode}\n{out}{err}"
        return out.removesuffix("\n")

    def write(self, files: Mapping[str, Content]) -> None:
        """Writes files into the worktree.

        Args:
            files: Content by path: text and bytes as they are, a dict or list as JSON, None to
                remove the file. Parent folders are made.
        """
        for name, content in files.items():
            file = self.path / name
            if content is None:
                file.unlink()
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, str | bytes):
                file.write_bytes(_bytes(content))
            else:
                file.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", "utf-8")

    def read(self, path: str) -> str:
        """Returns the text of a file of the worktree, line endings as they are."""
        return _text((self.path / path).read_bytes())

    def commit(self, message: str, n: int | None = None) -> str:
        """Commits everything in the worktree, also when nothing changed.

        Args:
            message: The message.
            n: Logical time; by default one after the last commit's.

        Returns:
            The commit's id.
        """
        self._now = self._now + 1 if n is None else n
        date = logical_time(self._now).isoformat()
        self.git("add", "--all")
        self.git(
            "commit",
            "--quiet",
            "--allow-empty",
            "--message",
            message,
            env={"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date},
        )
        return self.git("rev-parse", "HEAD")

    def session(
        self,
        shape: Shape = "nested",
        tasks: int = 4,
        *,
        session: str | None = None,
        ids: str | None = None,
        done: int = 0,
        root: str = "",
    ) -> PlanFolder:
        """Writes a session into the worktree; see `tests.plans.plan_folder`.

        Args:
            shape: How the plan is written: nested, flat or lite.
            tasks: How many tasks it has.
            session: Session id.
            ids: Pattern of the task ids; twins may share one.
            done: How many of the first tasks are completed.
            root: The folder that holds `.workflow/`, such as `packages/web/`.

        Returns:
            What was written, with paths from the repository root.
        """
        plan = plan_folder(shape, tasks, session=session, ids=ids, done=done)
        files = {root + path: text for path, text in plan.files.items()}
        self.write(files)
        return PlanFolder(plan.id, root + plan.path, shape, plan.tasks, files)

    def run(
        self,
        *argv: str,
        input: str | bytes | None = None,
        tty: bool = False,
        env: Mapping[str, str] | None = None,
        cwd: str = "",
    ) -> Run:
        """Runs `git wfp` in a process of its own; the test must look at the exit code.

        Args:
            argv: The words after `git wfp`.
            input: What is typed or piped in; nothing by default.
            tty: Whether input, output and errors are a terminal of 24 lines and 80 columns.
            env: Variables on top of the test's environment.
            cwd: The folder to stand in, from the repository root.
        """
        return self.python("-m", "gitwfp", *argv, input=input, tty=tty, env=env, cwd=cwd)

    def python(
        self,
        *argv: str,
        input: str | bytes | None = None,
        tty: bool = False,
        env: Mapping[str, str] | None = None,
        cwd: str = "",
    ) -> Run:
        """Runs this Python in a process of its own; the arguments are those of `run`."""
        words = (sys.executable, *argv)
        folder = self.path / cwd
        environ = {**os.environ, **(env or {})}
        if tty:
            code, output = run_in_terminal(words, folder, environ, _bytes(input or b""), PATIENCE)
            out, err = _text(output), ""
        else:
            done = subprocess.run(
                words,
                cwd=folder,
                env=environ,
                input=_bytes(input or b""),
                capture_output=True,
                timeout=PATIENCE,
                check=False,
            )
            code, out, err = done.returncode, _text(done.stdout), _text(done.stderr)
        run = Run(argv, code, out, err, self)
        self._runs.append(run)
        return run

    def clone(self, name: str, *args: str) -> "Scene":
        """Clones the repository into a neighbouring folder; the clone's runs count as its own."""
        path = self.path.parent / name
        self.git("clone", "--quiet", *args, str(self.path), str(path))
        return self.beside(name)

    def beside(self, name: str) -> "Scene":
        """Returns a scene for a repository or linked worktree in a neighbouring folder."""
        return Scene(self.path.parent / name, home=self.home, init=None, runs=self._runs)

    def snapshot(self) -> Snapshot:
        """Returns all that must stay as it was; see `tests.snapshots.Snapshot`."""
        return take_snapshot(self.path, self.git)

    def unchecked_runs(self) -> tuple[str, ...]:
        """Returns the commands whose exit code no one has looked at."""
        return tuple(" ".join(run.argv) for run in self._runs if not run.looked_at)


def _bytes(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape")


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")
