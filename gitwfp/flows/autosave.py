"""Autosave: keep each state of a plan that HEAD does not have, and have it back."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.errors import ExitCode, Location, Refusal, say
from gitwfp.files.paths import FileKind, inside_of, kind_of, session_at, workspace_of
from gitwfp.files.tree import EntryKind, FileTree, MissingFile
from gitwfp.flows.env import Env
from gitwfp.git.autosave import Save, Saves, no_saves
from gitwfp.git.journal import locked
from gitwfp.git.packing import object_id
from gitwfp.git.reports import write_report
from gitwfp.git.worktree import Worktree
from gitwfp.model.plan import SessionRef
from gitwfp.patterns import regex

_KEPT: Final = (FileKind.PLAN, FileKind.COMPANION)
_TIME: Final = regex(r"(\d{4})-?(\d\d)-?(\d\d)[T ](\d\d):?(\d\d)(?::?(\d\d)(?:\.(\d{1,6}))?)?Z?", 0)
NEWEST: Final = "newest"
PREVIOUS: Final = "previous"


def keep(env: Env, refs: Sequence[SessionRef]) -> Save | None:
    """Saves the state of some sessions, as far as HEAD has another one.

    Args:
        env: The surroundings.
        refs: The sessions.

    Returns:
        What was saved, None if HEAD or the newest saved state has all of it.

    Raises:
        Refusal: It cannot be saved.
    """
    tree = env.repo.worktree_files(env.settings.limits.file_bytes)
    head = env.repo.commit_files(env.repo.head().commit)
    edits: dict[str, bytes | None] = {}
    folders = []
    with _saves(env, make=True) as saves:
        newest = next(iter(saves.listed()), None)
        saved = None if newest is None else saves.files(newest)
        for ref in refs:
            found = _files(tree, ref)
            # What is committed, or gone, needs no keeping.
            if found and _differs(env, head, ref, found):
                known = set() if saved is None else set(_paths(saved, ref))
                folders.append(ref.folder)
                edits.update(dict.fromkeys(known - found.keys()))
                edits.update(found)
        return saves.add(env.now(), edits, folders) if edits else None


def thin_out(env: Env) -> int:
    """Drops the saved states that are too old or too many; returns how many.

    Raises:
        Refusal: They cannot be dropped.
    """
    settings = env.settings.daemon
    saves = Saves.open(env.repo)
    if saves is None:
        return 0
    try:
        oldest = env.now() - timedelta(days=settings.autosave_days)
        listed = saves.listed()
        dropped = [
            save
            for number, save in enumerate(listed)
            if number >= settings.autosave_count or save.time < oldest
        ]
        saves.drop(dropped)
    finally:
        saves.close()
    return len(dropped)


def saved_states(env: Env, session: str | None) -> tuple[Save, ...]:
    """Returns the saved states, newest first.

    Args:
        env: The surroundings.
        session: The id of the session that is meant; None for all.
    """
    saves = Saves.open(env.repo)
    if saves is None:
        return ()
    try:
        found = saves.listed()
    finally:
        saves.close()
    if session is None:
        return found
    return tuple(save for save in found if any(is_of(folder, session) for folder in save.sessions))


def is_of(folder: str, session: str) -> bool:
    """Tells whether a session's folder is that of an id."""
    ref = ref_of(folder)
    return ref is not None and ref.id == session


def ref_of(folder: str) -> SessionRef | None:
    """Returns the session of a folder, None for a folder that is none."""
    workspace = workspace_of(folder + "/")
    return None if workspace is None else session_at(workspace, folder + "/")


@dataclass(frozen=True, slots=True)
class Restored:
    """What having a saved state back does.

    Attributes:
        save: The saved state.
        before: What was saved of the state before it; None if that was saved already.
        written: The files that get another content.
        removed: The files that go.
    """

    save: Save
    before: Save | None
    written: tuple[str, ...]
    removed: tuple[str, ...]


@contextmanager
def state_at(env: Env, wanted: str, session: str | None = None) -> Iterator[tuple[Save, FileTree]]:
    """Opens a saved state.

    Args:
        env: The surroundings.
        wanted: `newest`; `previous`, the newest one that the worktree differs from; a time, of a
            list or any, for the newest one that is not younger; or the start of a commit id.
        session: The session that must be in it.

    Raises:
        Refusal: There is no such state (not found).
    """
    with _saves(env, make=False) as saves:
        listed = saves.listed()
        if session is not None:
            listed = tuple(one for one in listed if any(is_of(f, session) for f in one.sessions))
        save = _previous(env, saves, listed) if wanted == PREVIOUS else _chosen(listed, wanted)
        yield save, saves.files(save)


def _previous(env: Env, saves: Saves, listed: Sequence[Save]) -> Save:
    tree = env.repo.worktree_files(env.settings.limits.file_bytes)
    now: dict[SessionRef, dict[str, bytes]] = {}
    for save in listed:
        files = saves.files(save)
        for ref in filter(None, map(ref_of, save.sessions)):
            found = now.setdefault(ref, _files(tree, ref))
            if found != _files(files, ref):
                return save
    raise Refusal(
        "save-not-found",
        say("No saved state differs from what is in the worktree."),
        ExitCode.NOT_FOUND,
        hint=say("What is committed comes back with git restore."),
    )


def restore(
    env: Env, wanted: str, session: str | None, paths: Sequence[str], *, dry_run: bool = False
) -> Restored:
    """Writes a saved state into the worktree; the state before is saved first.

    Args:
        env: The surroundings.
        wanted: Which state; see `state_at`.
        session: The session that is meant; None for those that were saved then.
        paths: The files that are meant, from the root; none for all of the session.
        dry_run: Whether nothing is written.

    Raises:
        Refusal: There is no such state or file (not found), or a file cannot be written.
    """
    with state_at(env, wanted, session) as (save, files):
        refs = _meant(save, session, paths)
        tree = env.repo.worktree_files(env.settings.limits.file_bytes)
        now = {path: data for ref in refs for path, data in _files(tree, ref).items()}
        then = {path: files.read(path) for ref in refs for path in _paths(files, ref)}
        if paths:
            for path in paths:
                if path not in then:
                    raise _no_file(path, save)
            now = {path: data for path, data in now.items() if path in paths}
            then = {path: data for path, data in then.items() if path in paths}
        written = tuple(sorted(path for path in then if now.get(path) != then[path]))
        removed = tuple(sorted(path for path in now if path not in then and _is_plan(refs, path)))
        if dry_run or not (written or removed):
            return Restored(save, None, written, removed)
        before = keep(env, refs)
        with locked(env.repo, env.settings.lock.timeout):
            for path in written:
                refusal = write_report(env.repo, path, then[path])
                if refusal is not None:
                    raise refusal
            worktree = Worktree(env.repo.require_worktree(), "autosave")
            for path in removed:
                worktree.set_aside(path, 0)
                worktree.place(path, 0, now[path], remove=True)
                worktree.settle(path, 0, now[path])
        return Restored(save, before, written, removed)


@contextmanager
def _saves(env: Env, *, make: bool) -> Iterator[Saves]:
    saves = Saves.open(env.repo, make=make)
    if saves is None:
        raise no_saves()
    try:
        yield saves
    finally:
        saves.close()


def _files(tree: FileTree, ref: SessionRef) -> dict[str, bytes]:
    """Returns the files of a session that are kept, as far as they can be read."""
    found = {}
    for path in _paths(tree, ref):
        try:
            found[path] = tree.read(path)
        except MissingFile:
            continue
    return found


def _paths(tree: FileTree, ref: SessionRef) -> Iterator[str]:
    for entry in tree.entries(ref.folder):
        if entry.kind is EntryKind.FILE and kind_of(inside_of(ref, entry.path)) in _KEPT:
            yield entry.path


def _is_plan(refs: Sequence[SessionRef], path: str) -> bool:
    return any(
        path.startswith(ref.folder + "/") and kind_of(inside_of(ref, path)) is FileKind.PLAN
        for ref in refs
    )


def _differs(env: Env, head: FileTree, ref: SessionRef, found: dict[str, bytes]) -> bool:
    known = {
        entry.path: entry.id
        for entry in head.entries(ref.folder)
        if kind_of(inside_of(ref, entry.path)) in _KEPT
    }
    form = env.repo.object_format
    return known != {path: object_id("blob", data, form) for path, data in found.items()}


def _meant(save: Save, session: str | None, paths: Sequence[str]) -> tuple[SessionRef, ...]:
    folders = save.sessions
    if paths:
        refs = []
        for path in paths:
            workspace = workspace_of(path)
            ref = None if workspace is None else session_at(workspace, path)
            if ref is None:
                raise _no_file(path, save)
            refs.append(ref)
        return tuple(dict.fromkeys(refs))
    found = tuple(
        ref
        for folder in folders
        if (ref := ref_of(folder)) is not None and (session is None or ref.id == session)
    )
    if not found:
        raise Refusal(
            "session-not-found",
            say("Session {id} was not saved at {time}.", id=session or "-", time=save.stamp),
            ExitCode.NOT_FOUND,
            hint=say("git wfp autosave list shows what was saved when."),
        )
    return found


def _chosen(saves: Sequence[Save], wanted: str) -> Save:
    if wanted == NEWEST and saves:
        return saves[0]
    for save in saves:
        if save.stamp == wanted or (len(wanted) >= 7 and save.commit.startswith(wanted)):
            return save
    limit = _as_stamp(wanted)
    if limit is not None:
        for save in saves:
            if save.stamp[: len(limit)] <= limit:
                return save
    raise Refusal(
        "save-not-found",
        say("No state was saved at {time}.", time=wanted),
        ExitCode.NOT_FOUND,
        hint=say("git wfp autosave list shows the times; give one of them, or newest.")
        if saves
        else no_saves().hint,
    )


def _as_stamp(wanted: str) -> str | None:
    """Returns the start of the names of states up to a time in UTC, None for what is no time."""
    found = _TIME.fullmatch(wanted)
    if found is None:
        return None
    year, month, day, hour, minute, second, fraction = found.groups()
    stamp = f"{year}{month}{day}T{hour}{minute}"
    if second is not None:
        stamp += second
    return stamp if fraction is None else f"{stamp}.{fraction}"


def _no_file(path: str, save: Save) -> Refusal:
    return Refusal(
        "file-not-saved",
        say("{path} is not among the files that were saved at {time}.", path=path, time=save.stamp),
        ExitCode.NOT_FOUND,
        hint=say("git wfp autosave show {time} lists them.", time=save.stamp),
        location=Location(path=path),
    )
