"""The corpus as repositories: every folder of it, and every earlier state, by itself."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gitwfp.files.paths import find_sessions, find_workspaces
from gitwfp.files.tree import MemoryFiles
from gitwfp.model.plan import SessionRef

ROOT = Path(__file__).resolve().parent.parent.parent
HISTORY = "_history"
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Folder:
    """One repository of the corpus.

    Attributes:
        name: Its path from the corpus.
        files: Its files by path.
        sessions: The sessions in it, those of nested workspaces too.
    """

    name: str
    files: Mapping[str, bytes]
    sessions: tuple[SessionRef, ...]


def corpus_path() -> Path:
    """Returns where the corpus is looked for: `WFP_CORPUS`, or beside the project."""
    return Path(os.environ.get("WFP_CORPUS", ROOT.parent / "shared" / "corpus"))


def folder_names() -> tuple[str, ...]:
    """Returns the names of the folders; none where there is no corpus."""
    top = corpus_path()
    if not top.is_dir():
        return ()
    found = []
    for repository in sorted(path for path in top.iterdir() if path.is_dir()):
        found.append(repository.name)
        history = repository / HISTORY
        states = sorted(history.iterdir()) if history.is_dir() else ()
        found.extend(state.relative_to(top).as_posix() for state in states)
    return tuple(found)


@cache
def read_folder(name: str) -> Folder:
    """Reads one folder of the corpus."""
    top = corpus_path() / name
    files = {
        path.relative_to(top).as_posix(): path.read_bytes()
        for path in sorted(top.rglob("*"))
        if path.is_file() and path.relative_to(top).parts[0] != HISTORY
    }
    tree = MemoryFiles(files)
    sessions = tuple(
        ref for workspace in find_workspaces(tree) for ref in find_sessions(tree, workspace)
    )
    return Folder(name, files, sessions)


def all_folders() -> Iterator[Folder]:
    """Reads every folder of the corpus."""
    return map(read_folder, folder_names())


def make_repository(folder: Folder, path: Path, files: Mapping[str, bytes] | None = None) -> None:
    """Makes a repository that holds a folder in one commit.

    Args:
        folder: The folder.
        path: Where; it is emptied first.
        files: Other content for some of its files, such as the same with other line endings.
    """
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    for name, content in {**folder.files, **(files or {})}.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    git(path, "init", "--quiet")
    git(path, "add", "--all", "--force")
    git(path, "commit", "--quiet", "--allow-empty", "--message", "corpus")


def git(path: Path, *words: str) -> str:
    """Runs git in a repository and returns what it printed."""
    done = subprocess.run(["git", *words], cwd=path, capture_output=True, check=False)
    if done.returncode:
        raise AssertionError(f"git {' '.join(words)}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")


def with_crlf(content: bytes) -> bytes:
    """Returns a text with CRLF at the end of every line."""
    return content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def without_final_newline(content: bytes) -> bytes:
    """Returns a text without any newline at its end."""
    return content.rstrip(b"\r\n")
