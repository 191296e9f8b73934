"""A session as it stands: at HEAD, in the worktree, and what lies between the two."""

import errno
import sys
from collections.abc import Iterable, Mapping
from typing import Final

from gitwfp.classes import dataclass, replace
from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, say
from gitwfp.files.codec import NOT_A_FOLDER, read_plan
from gitwfp.files.digest import intent_digest
from gitwfp.files.paths import FileKind, inside_of, kind_of
from gitwfp.files.tree import FileTree, MissingFile, OverlayFiles
from gitwfp.flows.env import Env
from gitwfp.git.checks import check_ready
from gitwfp.git.hidden import Mark, hidden_edits
from gitwfp.git.history import CommitInfo, plan_commits
from gitwfp.git.journal import pending_journal
from gitwfp.git.repository import Head
from gitwfp.model.plan import Plan, SessionRef
from gitwfp.policy.names import as_argument

_OURS = (FileKind.PLAN, FileKind.COMPANION)
_LOOKS: Final = 8
_RECENT: Final = 64


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One session read from HEAD and from the worktree at one moment.

    Attributes:
        head: Where HEAD was.
        at_head: The plan in the commit at HEAD.
        here: The plan in the worktree.
        differing: The session's plan and companion files that git sees as changed, by path,
            with the bytes they have in the worktree; None for a file that is gone.
        held: The bytes that the session's files have in the worktree, by path.
        private: The marks of files whose edits git was told not to look at, by path. The plan is
            read without these edits, and they go into no commit.
        is_edited: Whether the plan means something else in the worktree than at HEAD.
        recent: The newest commits below HEAD that touch the session, the newest first.
    """

    head: Head
    at_head: Plan
    here: Plan
    differing: Mapping[str, bytes | None]
    held: Mapping[str, bytes]
    private: Mapping[str, Mark]
    is_edited: bool
    recent: tuple[CommitInfo, ...]

    def needs_checkpoint(self, touched: Mapping[str, bytes | None]) -> bool:
        """Tells whether uncommitted content must be committed first.

        It must when the plan was edited, and also when only progress was written but into a
        file that is about to be committed: taking back the replan must not take that back.
        """
        return self.is_edited or any(path in self.differing for path in touched)


def take_snapshot(env: Env, ref: SessionRef) -> Snapshot:
    """Reads a session for a command that is going to change it.

    A publication that another process carries out meanwhile moves files, index and branch one
    after the other; what was read between them is read again when it has ended.

    Raises:
        Refusal: The repository is not ready for that: an operation is in progress, a plan file
            is staged in another version, `.workflow` is ignored or not a folder.
    """
    for _ in range(_LOOKS):
        head = env.repo.head()
        if not pending_journal(env.repo):
            try:
                snapshot = _look(env, ref, head)
            except Refusal:
                if not _has_moved(env, head):
                    raise
            else:
                if not _has_moved(env, head):
                    return snapshot
        env.begin_writing()  # waits for a publication that goes on, settles one that does not
    return _look(env, ref, env.repo.head())


def _has_moved(env: Env, head: Head) -> bool:
    return pending_journal(env.repo) or env.repo.head() != head


def _look(env: Env, ref: SessionRef, head: Head) -> Snapshot:
    limit = env.settings.limits.file_bytes
    tree: FileTree = env.repo.worktree_files(limit)
    hidden = hidden_edits(env.repo, ref.folder)
    if hidden:
        tree = OverlayFiles(tree, {path: edit.indexed for path, edit in hidden.items()})
    here = read_plan(tree, ref, companions=True)
    # Behind the reading: an edit saved between the two is then one that git sees.
    states = check_ready(env.repo, (ref.folder,))
    _refuse_hidden(here)
    at_head = read_plan(env.repo.commit_files(head.commit, limit), ref, companions=True)
    held = {**here.source.files, **here.others}
    differing: dict[str, bytes | None] = {}
    for state in states:
        path = state.path
        if kind_of(inside_of(ref, path)) in _OURS and not state.submodule:
            differing[path] = held[path] if path in held else _unread(env, here, path)
    # What is committed must be known by its bytes, also where it is too large to be understood.
    unread = {
        path: data for path, data in differing.items() if path not in held and data is not None
    }
    # A checkout may have written other line endings than the commit holds: that is no change.
    others = {
        path: data if path in differing else at_head.others.get(path, data)
        for path, data in here.others.items()
    }
    source = replace(here.source, files={**here.source.files, **unread})
    here = replace(here, source=source, others=others)
    is_edited = any(
        kind_of(inside_of(ref, path)) is FileKind.PLAN for path in differing
    ) and intent_digest(at_head) != intent_digest(here)
    recent: tuple[CommitInfo, ...] = ()
    if head.commit is not None:
        recent = tuple(plan_commits(env.repo, head.commit, (ref.folder,), limit=_RECENT))
    private = {path: edit.mark for path, edit in hidden.items() if edit.mark is not None}
    there = {
        path: data
        for path, data in {**held, **unread}.items()
        if path not in hidden or path in private
    }
    return Snapshot(head, at_head, here, differing, there, private, is_edited, recent)


def _refuse_hidden(plan: Plan) -> None:
    """Refuses to change a plan of which any part may be hidden behind what is no folder."""
    for problem in plan.problems:
        if problem.code == NOT_A_FOLDER:
            raise Refusal(
                problem.code,
                problem.message,
                ExitCode.ENVIRONMENT,
                hint=problem.hint,
                location=problem.location,
            )


def _unread(env: Env, plan: Plan, path: str) -> bytes | None:
    """Returns the bytes of a file that the plan was read without, None if it is gone.

    The limit spares us from understanding a large file, and not from keeping it.

    Raises:
        Refusal: It is there and cannot be read, so that nothing can be committed in its place.
    """
    try:
        return env.repo.worktree_files(sys.maxsize).read(path)
    except MissingFile as missing:
        if missing.args[1] in (errno.ENOENT, errno.ENOTDIR):
            return None
        why = next((p for p in plan.problems if p.location.path == path), None)
        raise Refusal(
            "unreadable-file",
            say("'{path}' cannot be read: {why}.", path=path, why=missing.args[2])
            if why is None
            else why.message,
            ExitCode.ENVIRONMENT,
            hint=say("Put it right or restore it with git, then run the command again."),
            location=Location(path, session=plan.ref.id),
        ) from missing


def refuse_private(snapshot: Snapshot, ref: SessionRef, touched: Iterable[str]) -> None:
    """Refuses to write over edits that git was told not to look at.

    Raises:
        Refusal: A file that is to be written has such an edit (conflict).
    """
    for path in sorted(set(touched) & snapshot.private.keys()):
        raise Refusal(
            "private-edit",
            say(
                "{path} is marked {mark} and was edited; this change would write over that.",
                path=path,
                mark=snapshot.private[path],
            ),
            ExitCode.CONFLICT,
            hint=say(
                "Nothing was written. Take the mark away with git update-index --no-{mark} {path}, "
                "and run the command again.",
                mark=snapshot.private[path],
                path=as_argument(path),
            ),
            location=Location(path, session=ref.id),
        )


def private_notes(snapshot: Snapshot, ref: SessionRef) -> tuple[Diagnostic, ...]:
    """Returns a note for each file whose edits stay out of every commit."""
    return tuple(
        Diagnostic(
            "private-edit",
            say("{path} is marked {mark}: its edits stay as they are.", path=path, mark=mark),
            Severity.NOTE,
            Location(path, session=ref.id),
        )
        for path, mark in snapshot.private.items()
    )


def refuse_edits(snapshot: Snapshot, ref: SessionRef) -> None:
    """Refuses to go on over plan edits that are not committed.

    Raises:
        Refusal: The plan in the worktree means something else than the one at HEAD (conflict).
    """
    if not snapshot.is_edited:
        return
    edited = sorted(
        path for path in snapshot.differing if kind_of(inside_of(ref, path)) is FileKind.PLAN
    )
    raise Refusal(
        "uncommitted-plan-edits",
        say("The plan has edits that are not committed: {files}.", files=", ".join(edited)),
        ExitCode.CONFLICT,
        hint=say("Commit them first with git wfp adopt, or restore the files with git."),
        location=Location(edited[0] if edited else ref.folder, session=ref.id),
    )
