"""The neighbourhood of a plan: everything in a repository that a planning command leaves alone."""

import hashlib
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a repository looks like at one moment; two are compared with `==`.

    Attributes:
        index: Flags, mode, object and stage by path, as `git ls-files -s -v` tells them.
        status: What `git status` says about each path that is not clean.
        config: Configuration files of the repository, by name.
        hooks: Mode and content hash of each hook.
        stash: The stash entries.
        head: What HEAD points to.
        refs: Object by ref.
        reflogs: Content of each reflog.
        worktree: Mode and content hash of each file of the worktree, ignored ones too.
    """

    index: Mapping[str, str]
    status: Mapping[str, str]
    config: Mapping[str, str]
    hooks: Mapping[str, str]
    stash: tuple[str, ...]
    head: str
    refs: Mapping[str, str]
    reflogs: Mapping[str, str]
    worktree: Mapping[str, str]

    def outside(self, folder: str) -> "Snapshot":
        """Returns the same without the paths below a folder of the worktree."""
        prefix = folder.rstrip("/") + "/"

        def others(entries: Mapping[str, str]) -> dict[str, str]:
            return {path: value for path, value in entries.items() if not path.startswith(prefix)}

        return replace(
            self,
            index=others(self.index),
            status=others(self.status),
            worktree=others(self.worktree),
        )

    def without_refs(self, *prefixes: str) -> "Snapshot":
        """Returns the same without the refs and reflogs that begin with one of the prefixes."""

        def others(entries: Mapping[str, str]) -> dict[str, str]:
            return {ref: value for ref, value in entries.items() if not ref.startswith(prefixes)}

        return replace(self, refs=others(self.refs), reflogs=others(self.reflogs))


def take_snapshot(root: Path, git: Callable[..., str]) -> Snapshot:
    """Looks at a repository without changing anything in it, not even the index's timestamps.

    Args:
        root: The folder of the worktree, or the bare repository.
        git: Runs git there and returns what it printed.
    """
    bare = git("rev-parse", "--is-bare-repository") == "true"
    git_dir = root / git("rev-parse", "--absolute-git-dir")
    common = root / git("rev-parse", "--path-format=absolute", "--git-common-dir")
    return Snapshot(
        index={} if bare else _index(git),
        status={} if bare else _status(git),
        config=_contents([common / "config", git_dir / "config.worktree"]),
        hooks=_hashes(common / "hooks"),
        stash=tuple(git("stash", "list").splitlines()),
        head=git("symbolic-ref", "--quiet", "HEAD", ok=(0, 1)) or git("rev-parse", "HEAD"),
        refs=_refs(git),
        reflogs=_reflogs(git_dir, common),
        worktree={} if bare else _hashes(root, skip=".git"),
    )


def _index(git: Callable[..., str]) -> dict[str, str]:
    entries: dict[str, str] = {}
    for record in git("ls-files", "-s", "-v", "-z").split("\0"):
        if record:
            facts, path = record.split("\t", 1)
            entries[path] = entries[path] + " " + facts if path in entries else facts
    return entries


def _status(git: Callable[..., str]) -> dict[str, str]:
    """Reads porcelain v2, in which a rename has a second field: the old path."""
    out = git("--no-optional-locks", "status", "--porcelain=v2", "-z", "--untracked-files=all")
    records = iter(out.split("\0"))
    fields = {"1": 8, "2": 9, "u": 10, "?": 1, "!": 1}
    found = {}
    for record in records:
        if record:
            parts = record.split(" ", fields[record[0]])
            facts = " ".join(parts[:-1])
            if record[0] == "2":
                facts += f" from {next(records)}"
            found[parts[-1]] = facts
    return found


def _contents(files: list[Path]) -> dict[str, str]:
    return {file.name: file.read_text("utf-8", "replace") for file in files if file.exists()}


def _refs(git: Callable[..., str]) -> dict[str, str]:
    lines = git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    return {name: target for name, _, target in (line.partition(" ") for line in lines)}


def _reflogs(git_dir: Path, common: Path) -> dict[str, str]:
    """Reads the logs; in a linked worktree, HEAD is its own, and the main one's is named apart."""
    found = {}
    for file in sorted((common / "logs").rglob("*")):
        if file.is_file():
            found[file.relative_to(common / "logs").as_posix()] = file.read_text("utf-8", "replace")
    own = git_dir / "logs" / "HEAD"
    if git_dir != common and own.exists():
        found["main-worktree/HEAD"] = found.pop("HEAD", "")
        found["HEAD"] = own.read_text("utf-8", "replace")
    return found


def _hashes(folder: Path, skip: str | None = None) -> dict[str, str]:
    """Returns mode and hash of every file below a folder; of a link, its target."""
    found = {}
    for parent, folders, files in os.walk(folder):
        here = Path(parent)
        if skip is not None and here == folder:
            folders[:] = [name for name in folders if name != skip]
        for name in [*files, *(f for f in folders if (here / f).is_symlink())]:
            file = here / name
            mode = file.lstat().st_mode
            if stat.S_ISLNK(mode):
                value = f"link {file.readlink()}"
            elif stat.S_ISREG(mode):
                value = f"{stat.S_IMODE(mode):o} {hashlib.sha256(file.read_bytes()).hexdigest()}"
            else:
                value = f"special {stat.S_IFMT(mode):o}"
            found[file.relative_to(folder).as_posix()] = value
    return found
