"""A throw-away repository with a plan, commands run in it as a person would, and their checks.

The project in it is made up and lies in the package, commit by commit. The repository is one that
plain git reads well: it has an identity of its own, and the hooks, signatures and line endings
that a user has set up elsewhere do not reach into it.
"""

import json
import os
import subprocess
from collections.abc import Collection, Iterator, Mapping, Sequence
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from typing import Any, Final

from gitwfp.classes import dataclass
from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.git.program import GitProgram

SESSION: Final = "WFS-two-factor-login"
TASK: Final = "IMPL-3"
LOCK_OUT: Final = "Lock the second step for 15 minutes after five wrong codes"
BY_HAND: Final = "Log wrong codes without the codes themselves"

_FOLDER: Final = f".workflow/active/{SESSION}"
_TASK_FILE: Final = f"{_FOLDER}/.task/{TASK}.json"
_BOOKKEEPING: Final = frozenset({f"{_FOLDER}/IMPL_PLAN.md", f"{_FOLDER}/workflow-session.json"})
_LISTS: Final = ("requirements", "acceptance")

# Packages and other repositories must not take these for their own, so they lie there undotted.
_DOTTED: Final = frozenset({"gitignore", "workflow"})

_CONFIG: Final = {
    "user.name": "Noor Haddad",
    "user.email": "noor@toolshed.example",
    "commit.gpgSign": "false",
    "core.autocrlf": "false",
    "core.excludesFile": ".git/info/exclude",
    "core.hooksPath": ".git/hooks",
    "color.ui": "auto",
    "wfp.limits.maxTasks": "10",
    "wfp.replan.landing": "ff",
    "wfp.replan.onDirty": "checkpoint",
}

# Where a user's configuration lies stays theirs; which repository, index or author they are at
# work with just now does not concern the demo's.
_KEPT: Final = frozenset(
    {
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CONFIG_SYSTEM",
        "GIT_EXEC_PATH",
        "WFP_UI_LANGUAGE",
    }
)


@dataclass(frozen=True, slots=True)
class Ran:
    """One command and what came of it.

    Attributes:
        words: The command as it is typed, a word each.
        code: Its exit code.
        output: What it said, errors included.
    """

    words: tuple[str, ...]
    code: int
    output: str


class Playground:
    """The demo's repository, with what can be done in it.

    Args:
        folder: Where it lies.
        environ: The user's environment.
        entry: The words that start `git wfp`, before its own.
    """

    def __init__(self, folder: str, environ: Mapping[str, str], entry: Sequence[str]) -> None:
        self.folder = folder
        self._environ = own_environment(environ)
        self._entry = tuple(entry)
        self._git = GitProgram(folder, self._environ)

    def make(self) -> None:
        """Makes the folder and the repository with all its commits.

        Raises:
            Refusal: The folder is not empty (usage) or cannot be made, or there is no git
                (environment).
        """
        make_folder(self.folder)
        self._git.run("init", "--quiet", "--initial-branch=main", "--template=")
        for key, value in _CONFIG.items():
            self._git.run("config", "--local", key, value)
        data = resources.files("gitwfp").joinpath("data", "demo")
        for commit in json.loads(data.joinpath("history.json").read_text("utf-8")):
            self._commit(data.joinpath("files", commit["files"]), commit)

    def _commit(self, files: Traversable, commit: Mapping[str, str]) -> None:
        for path, content in _contents(files, PurePosixPath()):
            target = Path(self.folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        name, _, mail = commit["author"].removesuffix(">").partition(" <")
        who = {
            f"GIT_{role}_{part}": value
            for role in ("AUTHOR", "COMMITTER")
            for part, value in (("NAME", name), ("EMAIL", mail), ("DATE", commit["date"]))
        }
        self._git.run("add", "--all")
        self._git.run("commit", "--quiet", "--no-verify", f"--message={commit['message']}", env=who)

    def run(self, *words: str) -> Ran:
        """Runs a command, `git wfp status` or one of git's own, and returns what came of it."""
        argv = (*self._entry, *words[2:]) if words[:2] == ("git", "wfp") else words
        done = subprocess.run(
            argv,
            cwd=self.folder,
            # Through a pipe a program may otherwise write in the encoding of the locale.
            env={**self._environ, "PYTHONUTF8": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return Ran(words, done.returncode, done.stdout.decode("utf-8", "replace"))

    def edit_by_hand(self) -> None:
        """Adds a requirement to a task's file, in the line after that of the first replan.

        Raises:
            Refusal: The file has no place for it (negative).
        """
        file = Path(self.folder, _TASK_FILE)
        text = file.read_text("utf-8")
        last = json.dumps(LOCK_OUT)
        if text.count(last) != 1:
            raise failed(f"{_TASK_FILE}: {last}")
        indent = text[: text.index(last)].rpartition("\n")[2]
        edited = text.replace(last, f"{last},\n{indent}{json.dumps(BY_HAND)}")
        file.write_text(edited, "utf-8", newline="")

    def commit_id(self, revision: str) -> str:
        """Returns the full id of a commit."""
        return self._ask("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")

    def replan_id(self, revision: str) -> str:
        """Returns the replan id in the message of a commit."""
        form = "--format=%(trailers:key=Wfp-Replan,valueonly,separator=)"
        return self._ask("log", "-1", form, revision, "--")

    def newest_branch(self) -> str:
        """Returns the replan branch that was made last."""
        listed = self._ask(
            "for-each-ref", "--sort=-refname", "--format=%(refname:short)", "refs/heads/wfp/"
        )
        return listed.partition("\n")[0]

    def check_rollback(self, first: str) -> None:
        """Checks that HEAD takes back one earlier replan, and just that.

        Whatever the replan had added to its task is gone, whatever came later is there still, and
        only the files that have to do with it differ.

        Args:
            first: The commit of the replan.

        Raises:
            Refusal: It is not so (negative).
        """
        added = _entries(self._task(first)) - _entries(self._task(f"{first}^"))
        wanted, found = self._task("HEAD^"), self._task("HEAD")
        context = wanted["context"]
        for name in _LISTS:
            context[name] = [entry for entry in context[name] if (name, entry) not in added]
        if not added or found != wanted or BY_HAND not in context["requirements"]:
            raise failed(f"{_TASK_FILE}: {json.dumps(found['context'], ensure_ascii=False)}")
        self._check_files("HEAD^", {_TASK_FILE, *_BOOKKEEPING})

    def check_neighbourhood(self, start: str) -> None:
        """Checks that since a commit only plan files changed, and that nothing is left over.

        Raises:
            Refusal: It is not so (negative).
        """
        status = self._ask("status", "--porcelain")
        if status:
            raise failed(f"git status: {status}")
        outside = [path for path in self._changed(start) if not path.startswith(f"{_FOLDER}/")]
        if outside:
            raise failed(", ".join(outside))

    def _check_files(self, since: str, allowed: Collection[str]) -> None:
        others = [path for path in self._changed(since) if path not in allowed]
        if others:
            raise failed(", ".join(others))

    def _changed(self, since: str) -> list[str]:
        listed = self._ask("diff-tree", "-r", "-z", "--name-only", since, "HEAD")
        return [path for path in listed.split("\0") if path]

    def _task(self, revision: str) -> dict[str, Any]:
        task: dict[str, Any] = json.loads(self._ask("show", f"{revision}:{_TASK_FILE}"))
        return task

    def _ask(self, *args: str) -> str:
        return self._git.run(*args).out.decode("utf-8", "replace").strip()


def own_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Returns an environment that points to no other repository and to no settings of one."""
    return {
        name: value
        for name, value in environ.items()
        if name in _KEPT or not name.startswith(("GIT_", "WFP_"))
    }


def make_folder(folder: str) -> None:
    """Makes an empty folder, or takes one that is there.

    Raises:
        Refusal: It has something in it (usage), or cannot be made (environment).
    """
    try:
        os.makedirs(folder, exist_ok=True)
        is_empty = not os.listdir(folder)
    except OSError as error:
        raise Refusal(
            "cannot-make-folder",
            say("The folder '{path}' cannot be made: {why}.", path=folder, why=error.strerror),
            ExitCode.ENVIRONMENT,
        ) from error
    if not is_empty:
        raise Refusal(
            "folder-not-empty",
            say("'{path}' is there already and is not empty.", path=folder),
            ExitCode.USAGE,
            hint=say("Name a folder that is not there yet, or none for a temporary one."),
        )


def failed(found: str) -> Refusal:
    """Returns the refusal of a demo that did not turn out as it should."""
    return Refusal(
        "demo-failed",
        say("The demo did not turn out as it should: {found}", found=found),
        ExitCode.NEGATIVE,
        hint=say("Its repository is still there to look at. Please report this."),
    )


def _contents(folder: Traversable, at: PurePosixPath) -> Iterator[tuple[PurePosixPath, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        dotted = entry.name in _DOTTED and at == PurePosixPath()
        path = at / (f".{entry.name}" if dotted else entry.name)
        if entry.is_dir():
            yield from _contents(entry, path)
        else:
            yield path, entry.read_bytes()


def _entries(task: Mapping[str, Any]) -> set[tuple[str, str]]:
    return {(name, entry) for name in _LISTS for entry in task["context"][name]}
