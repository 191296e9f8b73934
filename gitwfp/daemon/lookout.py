"""Where sessions are, which of them a changed file belongs to, and what changed unannounced."""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, Protocol

from gitwfp.daemon.inbox import Hints
from gitwfp.daemon.sweep import Stamps, differing, sweep
from gitwfp.daemon.tree import Surroundings
from gitwfp.errors import Diagnostic, Location, Refusal, Severity, say
from gitwfp.files.codec import unread_folder
from gitwfp.files.paths import WORKFLOW, FileKind, inside_of, kind_of, session_at, survey
from gitwfp.flows.env import Env
from gitwfp.git.program import to_bytes
from gitwfp.git.workspaces import workspaces_of
from gitwfp.model.plan import Place, SessionRef

ALL: Final = ""
"""The key of a look at everything."""

_COUNTING: Final = (FileKind.PLAN, FileKind.COMPANION)
_BURST: Final = 200
"""So many hints at once may be more than the system could report."""

_LATE: Final = 1.0
"""Seconds after which a change should have been announced."""


class Aim(Protocol):
    """What watches folders; see `gitwfp.daemon.watch.Watcher` and `gitwfp.daemon.backend`."""

    @property
    def name(self) -> str:
        """`native` or `poll`."""
        ...

    @property
    def interval(self) -> float:
        """Seconds between two looks at all files."""
        ...

    def aim(self, top: str, git_dir: str, workspaces: Iterable[str]) -> None:
        """Watches what is to be watched from now on."""
        ...

    def check(self, folders: int, missed: int) -> None:
        """Takes what a look has found, to see whether watching can be relied on.

        Args:
            folders: How many folders there are to watch.
            missed: How many changes nothing had announced.
        """
        ...

    def heard(self, path: str) -> None:
        """Takes a hint about our own files in the git folder."""
        ...

    def remarks(self) -> tuple[Diagnostic, ...]:
        """Returns what a person should know of how changes are noticed."""
        ...

    def doubts(self) -> tuple[Diagnostic, ...]:
        """Returns why changes may go unnoticed."""
        ...


class Lookout:
    """Knows the sessions of a worktree and the stamps of their files.

    Args:
        top: The worktree's top.
        aim: What watches.

    Attributes:
        aim: The same.
        around: What is known of the files elsewhere.
        head: The commit that was checked out at the last look.
    """

    def __init__(self, top: str, aim: Aim) -> None:
        self.aim = aim
        self.around = Surroundings(top)
        self.head: str | None = None
        self._top = top
        self._refs: dict[str, SessionRef] = {}
        self._hiding: tuple[Diagnostic, ...] = ()
        self._stamps: Stamps = {}
        self._workspaces: tuple[str, ...] = (WORKFLOW,)
        self._surveyed_at: str | None = None

    @property
    def sessions(self) -> tuple[tuple[str, SessionRef], ...]:
        """The sessions that are not archived, by folder."""
        return tuple(self._refs.items())

    def forget(self, folder: str) -> None:
        """Takes that a session is not there any more."""
        self._refs.pop(folder, None)

    def look(
        self,
        env: Env,
        clock: float,
        elsewhere: Mapping[str, Mapping[str, bool]],
        announced: Collection[str] | None,
    ) -> frozenset[str]:
        """Looks at the stamps of all files, and returns the keys of what differs.

        Args:
            env: The surroundings.
            clock: The time in seconds since 1970.
            elsewhere: By session, the files outside of it that it was judged by, and whether they
                were there.
            announced: Keys of what was announced; None where somebody had asked for the look, so
                that it proves nothing if something else differs.
        """
        self.around.forget()
        head = env.repo.head().commit
        if self._surveyed_at != (head or "-"):
            # Workspaces besides the root's come and go with commits, or by much work.
            self._surveyed_at = head or "-"
            self._workspaces = workspaces_of(env.repo)
        # Watches first: what changes between a look and a watch would be seen by neither.
        self.aim.aim(self._top, env.repo.git_dir, self._workspaces)
        stamps, folders = sweep(self._top, self._workspaces)
        changed = differing(self._stamps, stamps)
        keys = {key for path in changed for key in self._key(path, is_folder=False)}
        is_same_place = bool(self._stamps) and head == self.head
        missed = 0
        if announced is not None and is_same_place:
            settled = (clock - _LATE) * 1e9
            old = (path for path in changed if (stamp := stamps.get(path)) and stamp[3] < settled)
            late = {key for path in old for key in self._key(path, is_folder=False)}
            missed = len(late.difference(announced))
        self.aim.check(folders, missed)
        keys.update(
            folder
            for folder, known in elsewhere.items()
            if any(self.around.is_there(path) is not was for path, was in known.items())
        )
        if announced is None or not is_same_place or ALL in keys:
            self.head = head
            self._survey(env)
        self._stamps = stamps
        return frozenset(keys)

    def doubts(self) -> tuple[Diagnostic, ...]:
        """Returns why something may go unnoticed, or there is nothing to notice."""
        return (*self._missing(), *self.aim.doubts())

    def remarks(self) -> tuple[Diagnostic, ...]:
        """Returns what a person should know of where plans are and how they are watched."""
        return (*self._hiding, *self.aim.remarks())

    def _survey(self, env: Env) -> None:
        """Looks for sessions."""
        tree = env.repo.worktree_files(env.settings.limits.file_bytes)
        found = [survey(tree, workspace) for workspace in self._workspaces]
        refs = (ref for one in found for ref in one.sessions if ref.place is not Place.ARCHIVED)
        self._refs = {ref.folder: ref for ref in refs}
        self._hiding = tuple(unread_folder(entry) for one in found for entry in one.hiding)

    def keys(self, env: Env, hints: Hints) -> Iterator[str]:
        """Yields the keys of what hints are about: the folders of sessions, or everything."""
        if hints.everything or len(hints.paths) >= _BURST:
            yield ALL
        git_dir = os.path.join(env.repo.git_dir, "")
        top = os.path.join(self._top, "")
        for path in hints.paths:
            self.aim.heard(path)
            if path.startswith(git_dir):
                if path[len(git_dir) :] in ("HEAD", "index") and self._has_moved(env):
                    yield ALL
            elif path == self._top:
                yield ALL
            elif path.startswith(top):
                yield from self._key(path[len(top) :], is_folder=path in hints.folders)

    def _has_moved(self, env: Env) -> bool:
        try:
            return env.repo.head().commit != self.head
        except Refusal:
            return True

    def _key(self, path: str, *, is_folder: bool) -> Iterator[str]:
        """Yields the key of what a path belongs to, if that is any plan."""
        workspace = next(
            (one for one in self._workspaces if path == one or path.startswith(one + "/")), None
        )
        if workspace is None:
            if path.rpartition("/")[2] == WORKFLOW:
                self._surveyed_at = None
                yield ALL
            elif path == ".wfp.toml":
                yield ALL
            return
        ref = session_at(workspace, path + "/" if is_folder else path)
        if ref is None:
            yield ALL
        elif ref.place is Place.ARCHIVED:
            return
        elif is_folder or kind_of(inside_of(ref, path)) in _COUNTING:
            self._refs.setdefault(ref.folder, ref)
            yield ref.folder

    def _missing(self) -> Iterator[Diagnostic]:
        place = os.path.join(to_bytes(self._top), to_bytes(WORKFLOW))
        if self._workspaces == (WORKFLOW,) and not os.path.lexists(place):
            yield Diagnostic(
                "no-workspace",
                say("There is no {folder} folder here now.", folder=WORKFLOW),
                Severity.WARNING,
                Location(WORKFLOW),
                say("When it comes back, its plans are judged again."),
            )
