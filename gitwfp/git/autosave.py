"""Saved states in a bare repository of their own, inside the worktree's git folder.

No ref of the user's repository leads there, so nothing of it is ever pushed, cloned or listed. Each
state is a commit without parents, held by a ref that is named after its time; a tree holds the plan
files of all sessions that were saved so far. Dropping a ref is all that it takes to forget one.
"""

import json
import os
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, Self

from gitwfp.classes import dataclass
from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.git.objectstore import FILE_MODE, ObjectStore, rewrite_tree
from gitwfp.git.opening import find
from gitwfp.git.program import GitProgram, to_text
from gitwfp.git.repository import Repository
from gitwfp.git.smallfiles import own_place
from gitwfp.git.trees import CommitFiles

if TYPE_CHECKING:
    from gitwfp.files.tree import FileTree

_NAME: Final = "autosave.git"
_REFS: Final = "refs/saves/"
_STAMP: Final = "%Y%m%dT%H%M%S.%fZ"
_WHO: Final = b"gitwfp autosave <autosave@localhost>"


@dataclass(frozen=True, slots=True)
class Save:
    """One saved state.

    Attributes:
        stamp: Its name: when it was made, in UTC.
        commit: The commit that holds it.
        sessions: The folders of the sessions that were saved.
        files: The files that were new, changed or gone.
    """

    stamp: str
    commit: str
    sessions: tuple[str, ...]
    files: tuple[str, ...]

    @property
    def time(self) -> datetime:
        """When it was made."""
        return datetime.strptime(self.stamp, _STAMP).replace(tzinfo=UTC)


class Saves:
    """The saved states of one worktree; to be closed.

    Args:
        repo: The bare repository.
    """

    def __init__(self, repo: Repository) -> None:
        self._repo = repo

    @classmethod
    def open(cls, repo: Repository, *, make: bool = False) -> Self | None:
        """Opens the saves of a worktree.

        Args:
            repo: The user's repository.
            make: Make them where there are none.

        Returns:
            The saves, None where there are none.

        Raises:
            Refusal: They cannot be made or opened.
        """
        folder = own_place(repo, _NAME, make=make)
        environ = {name: value for name, value in repo.git.environ.items() if _is_kept(name)}
        if not os.path.isdir(os.path.join(folder, "objects")):
            if not make:
                return None
            git = GitProgram(os.path.dirname(folder), environ)
            form = f"--object-format={repo.object_format}"
            git.run("init", "--quiet", "--bare", "--template=", form, folder)
        found = find(folder, {**environ, "GIT_DIR": folder})
        return cls(Repository(*found))

    def close(self) -> None:
        """Lets go of processes and open files."""
        self._repo.close()

    def listed(self) -> tuple[Save, ...]:
        """Returns all saved states, newest first."""
        done = self._repo.git.run(
            "for-each-ref", "--format=%(refname) %(objectname)%00%(contents)%00", _REFS
        )
        parts = done.out.split(b"\0")
        found = []
        for head, message in zip(parts[::2], parts[1::2], strict=False):
            name, _, commit = to_text(head).strip().partition(" ")
            save = _read(name.removeprefix(_REFS), commit, message)
            if save is not None:
                found.append(save)
        return tuple(sorted(found, key=lambda save: save.stamp, reverse=True))

    def files(self, save: Save) -> "FileTree":
        """Returns the files of a saved state."""
        store = self._repo.objects()
        return CommitFiles(store, store.tree_of(save.commit))

    def add(
        self, now: datetime, edits: Mapping[str, bytes | None], sessions: Collection[str]
    ) -> Save | None:
        """Saves a state: the newest one with some files changed.

        Args:
            now: The time.
            edits: The content of files by path, None for one that is gone.
            sessions: The folders of the sessions that are saved.

        Returns:
            What was saved, None if the newest state is the same.
        """
        store = self._repo.objects()
        newest = self._newest()
        base = None if newest is None else store.tree_of(newest[1])
        blobs = {
            path: None if data is None else (FILE_MODE, store.write_blob(data))
            for path, data in edits.items()
        }
        tree = rewrite_tree(store, base, blobs)
        if tree is None:
            tree = store.write_tree(())
        if tree == base or (base is None and not any(data is not None for data in edits.values())):
            return None
        before = {} if base is None else _ids(store, base, sessions)
        after = _ids(store, tree, sessions)
        changed = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
        return self._commit(now, newest, tree, sessions, changed, store)

    def _commit(
        self,
        now: datetime,
        newest: tuple[str, str] | None,
        tree: str,
        sessions: Collection[str],
        changed: list[str],
        store: ObjectStore,
    ) -> Save:
        moment = now.astimezone(UTC)
        if newest is not None and moment.strftime(_STAMP) <= newest[0]:
            # Names are times, and must go on even where the clock does not.
            last = datetime.strptime(newest[0], _STAMP).replace(tzinfo=UTC)
            moment = last + timedelta(microseconds=1)
        seconds = int(moment.timestamp())
        facts = json.dumps({"sessions": sorted(sessions), "files": changed})
        data = b"tree %b\nauthor %b %d +0000\ncommitter %b %d +0000\n\nautosave\n\n%b\n" % (
            tree.encode("ascii"),
            _WHO,
            seconds,
            _WHO,
            seconds,
            facts.encode("ascii"),
        )
        commit = store.write_commit(data)
        store.flush()
        stamp = moment.strftime(_STAMP)
        self._repo.git.run("update-ref", _REFS + stamp, commit, "")
        return Save(stamp, commit, tuple(sorted(sessions)), tuple(changed))

    def drop(self, saves: Collection[Save]) -> None:
        """Forgets some states, and what only they held."""
        if not saves:
            return
        lines = "".join(f"delete {_REFS}{save.stamp}\n" for save in saves)
        self._repo.git.run("update-ref", "--stdin", input=lines.encode("ascii"))
        self.close()
        self._repo.git.run("gc", "--quiet", "--prune=now")

    def _newest(self) -> tuple[str, str] | None:
        command = ("for-each-ref", "--sort=-refname", "--count=1")
        done = self._repo.git.run(*command, "--format=%(refname) %(objectname)", _REFS)
        name, _, commit = to_text(done.out).strip().partition(" ")
        return (name.removeprefix(_REFS), commit) if commit else None


def read_stamp(stamp: str) -> datetime | None:
    """Returns the time that a saved state is named after, None for another name."""
    try:
        return datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None


def _read(stamp: str, commit: str, message: bytes) -> Save | None:
    """Returns a saved state from its commit, None for what is none of ours."""
    try:
        facts = json.loads(message.partition(b"\n\n")[2])
        sessions, files = facts["sessions"], facts["files"]
    except (ValueError, KeyError, TypeError):
        return None
    if read_stamp(stamp) is None:
        return None
    return Save(stamp, commit, tuple(map(str, sessions)), tuple(map(str, files)))


def _ids(store: ObjectStore, tree: str, sessions: Collection[str]) -> dict[str, str | None]:
    files = CommitFiles(store, tree)
    return {entry.path: entry.id for folder in sessions for entry in files.entries(folder)}


def _is_kept(name: str) -> bool:
    """Tells whether a variable says nothing of which repository is meant."""
    return not name.startswith("GIT_") or name in _HARMLESS


_HARMLESS: Final = frozenset(
    {
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CONFIG_SYSTEM",
        "GIT_EXEC_PATH",
        "GIT_LITERAL_PATHSPECS",
        "GIT_OPTIONAL_LOCKS",
        "GIT_TERMINAL_PROMPT",
    }
)


def no_saves() -> Refusal:
    """Returns the refusal of a question about saves where there are none."""
    return Refusal(
        "no-saves",
        say("Nothing has been saved in this worktree yet."),
        ExitCode.NOT_FOUND,
        hint=say("git wfp daemon start has every saved edit kept from now on."),
    )
