"""Publishes commits: write, look, move.

*Write*: blobs, trees and commits, held by a pending ref that nobody sees. *Look*: the caller reads
the last commit back and may refuse. *Move*: under the worktree's lock and a journal, files, index
entries and at last the refs go to it, each only if it still is what the caller saw. Up to the move
nothing changes that anybody else can see; a failure in the move puts everything back; a crash in it
is settled by the next command (`gitwfp.git.recovery`).
"""

import os
import secrets
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from types import FrameType
from typing import TYPE_CHECKING

from gitwfp.classes import dataclass
from gitwfp.errors import Diagnostic, ExitCode, Refusal, say
from gitwfp.files.paths import is_safe_path
from gitwfp.files.tree import FileTree
from gitwfp.git import index as git_index
from gitwfp.git import journal as journals
from gitwfp.git.branches import drop_branch, drop_old_branches, free_branch_name, refuse_blocked
from gitwfp.git.checks import check_ready
from gitwfp.git.commits import NewCommit, write_commits
from gitwfp.git.conversion import worktree_form, worktree_forms
from gitwfp.git.journal import Journal, pending_journal
from gitwfp.git.program import GitFailed
from gitwfp.git.recovery import LOCK_WAIT, drop_pending, recover, recover_locked
from gitwfp.git.refs import read_ref
from gitwfp.git.smallfiles import disk_errors
from gitwfp.git.steps import plan_entries, plan_files
from gitwfp.git.switch import (
    FailAt,
    Switch,
    no_hook,
    refused_by_git,
    unfinished,
    update_refs,
)
from gitwfp.git.trees import FILE_BYTES
from gitwfp.git.worktree import EditedMeanwhile, Worktree

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

__all__ = [
    "STEPS",
    "NewCommit",
    "Published",
    "check_ready",
    "drop_branch",
    "drop_old_branches",
    "free_branch_name",
    "pending_journal",
    "publish",
    "recover",
    "worktree_form",
    "worktree_forms",
]

STEPS = (
    "commits",
    "pending",
    "looked",
    "locked",
    "journal",
    "index-locked",
    "file-ready",
    "file-aside",
    "file-placed",
    "files",
    "entries",
    "checked",
    "refs",
    "settled",
    "index-unlocked",
    "journal-dropped",
    "pending-dropped",
)
"""The steps of a publication that moves a branch, in their order; `file-*` come once a file."""

SIGN_SECONDS = 120.0
"""How long a signing program may take: time enough to type a passphrase."""

_HELD_BACK = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class Published:
    """What a publication made.

    Attributes:
        commits: The commits, in the order in which they were asked for.
        branch: The short name of the branch that was created.
        moved: The full name of the branch that was moved, or HEAD.
        notices: What a person should know: an earlier command that was recovered, leavings.
    """

    commits: tuple[str, ...]
    branch: str | None
    moved: str | None
    notices: tuple[Diagnostic, ...] = ()


def publish(  # noqa: PLR0913 - each is one fact that only the caller knows
    repo: "Repository",
    *,
    base: str | None,
    commits: Sequence[NewCommit],
    branch: str | None,
    move: str | None,
    reflog: str,
    expect: Mapping[str, bytes | None],
    look: Callable[[FileTree], None],
    now: datetime,
    signoff: bool = False,
    lock_wait: float = LOCK_WAIT,
    sign_timeout: float = SIGN_SECONDS,
    file_bytes: int = FILE_BYTES,
    fail_at: FailAt = no_hook,
) -> Published:
    """Makes commits and moves the user's branch, index and worktree to the last of them.

    Args:
        repo: The repository.
        base: The commit at HEAD; None on an unborn branch.
        commits: The commits, stacked on the base; at least one.
        branch: Short name of the branch to create for the last one, such as `wfp/WFS-a/replan-...`.
        move: Full name of the branch checked out here, `HEAD` if it is detached. None makes the
            branch only: HEAD, index and worktree stay.
        reflog: The reflog's message.
        expect: What the worktree holds at each path now, None for no file.
        look: Gets the last commit as a file tree before anything moves; raises to refuse it.
        now: The commits' date, where the environment sets none.
        signoff: Add a Signed-off-by trailer to each commit.
        lock_wait: Seconds to wait for locks.
        sign_timeout: Seconds that signing may take.
        file_bytes: Size above which the look does not read a file; the same as the caller's own.
        fail_at: Called with the name of each step when it is done; for tests.

    Returns:
        What was made.

    Raises:
        Refusal: Somebody else changed what this starts from (exit code 5), or git or the system
            stands in the way (exit code 6). Everything is as it was.
    """
    ref = None if branch is None else f"refs/heads/{branch}"
    if branch is not None:
        refuse_blocked(repo, branch)
    for commit in commits:
        for path in commit.edits:
            if not is_safe_path(path):
                raise _unsafe(path)
    missing = {path for commit in commits for path in commit.edits} - expect.keys()
    if move is not None and missing:
        raise ValueError(f"nothing is expected at {sorted(missing)}")
    ids = write_commits(repo, base, commits, now=now, signoff=signoff, timeout=sign_timeout)
    fail_at("commits")
    tag = secrets.token_hex(8)
    notices: list[Diagnostic] = []
    with journals.alive(repo, tag):
        try:
            _create(repo, journals.PENDING + tag, ids[-1], reflog)
            fail_at("pending")
            look(repo.commit_files(ids[-1], file_bytes))
            fail_at("looked")
            if move is not None:
                start = _Start(tag, base, ref, move, reflog)
                notices += _move(repo, start, commits, ids, expect, lock_wait, fail_at)
            elif ref is not None:
                _check_expected(repo, expect)
                _create(repo, ref, _tip(commits, ids), reflog)
        finally:
            left = _drop_pending(repo, tag)
            if left is not None:
                notices.append(left)
    fail_at("pending-dropped")
    return Published(ids, branch, move, tuple(notices))


@dataclass(frozen=True, slots=True)
class _Start:
    tag: str
    base: str | None
    branch: str | None
    move: str
    reflog: str


def _move(
    repo: "Repository",
    start: _Start,
    commits: Sequence[NewCommit],
    ids: Sequence[str],
    expect: Mapping[str, bytes | None],
    lock_wait: float,
    fail_at: FailAt,
) -> list[Diagnostic]:
    notices = []
    with held_back_signals(), disk_errors(repo), journals.locked(repo, lock_wait):
        fail_at("locked")
        told = recover_locked(repo, lock_wait)
        if told is not None:
            notices.append(told)
        contents: dict[str, bytes] = {}
        index = git_index.index_file(repo)
        seen = git_index.settled_state(index, journals.mark_of(repo, start.tag))
        entries, absent = plan_entries(repo, start.base, ids)
        files, folders = plan_files(repo, commits, entries, absent, expect, contents)
        repo.objects().flush()
        journal = Journal(
            tag=start.tag,
            pid=os.getpid(),
            branch=start.branch,
            tip=_tip(commits, ids),
            move=start.move,
            old=start.base,
            new=ids[-1],
            reflog=start.reflog,
            index=index,
            folders=folders,
            files=files,
            entries=entries,
        )
        switch = Switch(repo, journal, contents, fail_at, seen=seen, is_new=True)
        switch.check_head()
        journals.write_journal(repo, journal)
        _carry_through(repo, switch, journal, lock_wait, fail_at)
        try:
            switch.finish()
        except (Refusal, OSError) as error:
            notices.append(unfinished(error))
    return notices


def _unsafe(path: str) -> Refusal:
    return Refusal(
        "unsafe-path",
        say("{path} is a name that git never writes into a worktree.", path=path),
        ExitCode.ENVIRONMENT,
        hint=say("Look where that file comes from before you go on."),
    )


def _tip(commits: Sequence[NewCommit], ids: Sequence[str]) -> str:
    """Returns the commit that the new branch points to: the last one that is no joining merge."""
    made = zip(commits[::-1], ids[::-1], strict=True)
    return next(commit_id for commit, commit_id in made if not commit.joins)


def _carry_through(
    repo: "Repository", switch: Switch, journal: Journal, lock_wait: float, fail_at: FailAt
) -> None:
    try:
        fail_at("journal")
        switch.lock(lock_wait)
    except BaseException:
        switch.close()
        raise
    try:
        switch.advance()
    except BaseException as error:
        if read_ref(repo, journal.move) != journal.new:
            _put_back(switch, error)
        raise


def _put_back(switch: Switch, why: BaseException) -> None:
    try:
        switch.undo()
        switch.close()
    except (Refusal, OSError) as error:
        raise Refusal(
            "half-undone",
            say(
                "The change failed ({why}), and putting everything back failed as well: {reason}",
                why=str(why),
                reason=str(error),
            ),
            ExitCode.ENVIRONMENT,
            hint=say("Remove the cause; the next command that writes will then put it right."),
        ) from why


def _create(repo: "Repository", ref: str, commit: str, reflog: str) -> None:
    try:
        update_refs(repo, [f"create {ref} {commit}\n"], reflog)
    except GitFailed as error:
        raise refused_by_git(error) from error


def _drop_pending(repo: "Repository", tag: str) -> Diagnostic | None:
    journal = journals.read_journal(repo) if pending_journal(repo) else None
    if journal is not None and journal.tag == tag:
        # Recovery will need the commits.
        return None
    return drop_pending(repo, tag)


def _check_expected(repo: "Repository", expect: Mapping[str, bytes | None]) -> None:
    if repo.top is not None:
        files = Worktree(repo.top, "")
        for path, content in expect.items():
            if files.read(path) != content:
                raise EditedMeanwhile(path)


@contextmanager
def held_back_signals() -> Iterator[None]:
    """Holds back Ctrl-C and polite requests to end until the block is left.

    They are blocked as well as caught, because the git programs started meanwhile inherit the one
    but not the other, and a terminal sends Ctrl-C to them too.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the shape of a handler
        came.append(number)

    handlers = {held: signal.signal(held, note) for held in _HELD_BACK}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _HELD_BACK)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for held, handler in handlers.items():
            signal.signal(held, handler if handler is not None else signal.SIG_DFL)
        for number in dict.fromkeys(came):
            signal.raise_signal(signal.Signals(number))
