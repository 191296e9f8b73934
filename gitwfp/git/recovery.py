"""After a crash: brings worktree, index and refs to the old plan or to the new one.

The refs say which. Are they where the publication started, it is carried through, unless somebody
has edited one of its files since: that edit stays, and everything else goes back. Have they moved
to the new commit, only cleaning up is left. Are they anywhere else, somebody has gone on by hand;
then nothing is touched but our own leavings, and the commit is kept under a ref of ours.
"""

from contextlib import suppress
from typing import TYPE_CHECKING

from gitwfp.errors import Diagnostic, Location, Refusal, Severity, Text, say
from gitwfp.git import deadlocks
from gitwfp.git import index as git_index
from gitwfp.git import journal as journals
from gitwfp.git.journal import Journal
from gitwfp.git.program import GitFailed
from gitwfp.git.refs import read_ref
from gitwfp.git.smallfiles import disk_errors
from gitwfp.git.switch import Switch, no_hook, update_refs
from gitwfp.git.worktree import EditedMeanwhile

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

LOCK_WAIT = 2.0
"""Seconds to wait for a lock, where nobody says otherwise."""

INTERRUPTED = "refs/wfp/replans/interrupted/"
"""Where commits are kept whose publication was interrupted and did not come about."""


def recover(repo: "Repository", *, lock_wait: float = LOCK_WAIT) -> Diagnostic | None:
    """Finishes or undoes what an interrupted command left behind; writers call it first.

    Args:
        repo: The repository.
        lock_wait: Seconds to wait for the lock.

    Returns:
        What was done, None if there was nothing to do.

    Raises:
        Refusal: Another process is at work, or another git holds a lock; the journal stays.
    """
    if not journals.pending_journal(repo) and not journals.abandoned(repo):
        return None
    with disk_errors(repo), journals.locked(repo, lock_wait):
        return recover_locked(repo, lock_wait)


def recover_locked(repo: "Repository", lock_wait: float) -> Diagnostic | None:
    """Does what `recover` does; the caller holds the lock."""
    journal = journals.read_journal(repo)
    told = None
    if journal is not None:
        told = _settle(repo, journal, lock_wait)
        _drop_abandoned(repo, journal.tag)
    for tag in journals.abandoned(repo):
        _drop_abandoned(repo, tag)
    return told


def drop_pending(repo: "Repository", tag: str) -> Diagnostic | None:
    """Drops the ref that kept new commits from being pruned; a failure is only a notice."""
    ref = journals.PENDING + tag
    target = read_ref(repo, ref)
    if target is not None:
        try:
            update_refs(repo, [f"delete {ref} {target}\n"], "wfp: publication ended")
        except GitFailed as error:
            return Diagnostic(
                "pending-ref-left",
                say("{ref} could not be deleted: {reason}", ref=ref, reason=error.text),
                Severity.NOTE,
            )
    journals.forget_mark(repo, tag)
    return None


def _drop_abandoned(repo: "Repository", tag: str) -> None:
    deadlocks.drop_locks_of_pending(repo, tag)
    target = read_ref(repo, journals.PENDING + tag)
    if target is not None:
        deadlocks.drop_locks_of_branch(repo, target)
    drop_pending(repo, tag)


def _settle(repo: "Repository", journal: Journal, lock_wait: float) -> Diagnostic:
    deadlocks.drop_locks_of_switch(repo, journal)
    switch = Switch(repo, journal, {}, no_hook)
    head = repo.head()
    is_there = ("HEAD" if head.ref is None else head.ref) == journal.move
    if is_there and head.commit == journal.new:
        if journal.branch is not None and read_ref(repo, journal.branch) is None:
            with suppress(GitFailed):
                update_refs(repo, [f"create {journal.branch} {journal.tip}\n"], journal.reflog)
        switch.finish()
        return _finished(journal)
    if not is_there or head.commit != journal.old:
        _keep(repo, journal)
        switch.finish()
        return _left_alone(journal)
    if not git_index.is_ours(journal.index, journal.mark):
        # Somebody removed our lock: the index may have been written since by anybody.
        switch.forget_old_index()
    switch.lock(lock_wait)
    edited = switch.edited()
    if not edited:
        try:
            switch.advance()
        except EditedMeanwhile as error:
            edited = (error.location.path or "?",)
        except Refusal as error:
            switch.undo()
            _keep(repo, journal)
            switch.close()
            return _undone(journal, error)
        else:
            switch.finish()
            return _finished(journal)
    switch.undo()
    _keep(repo, journal)
    switch.close()
    return _edited(journal, edited)


def _keep(repo: "Repository", journal: Journal) -> None:
    ref = INTERRUPTED + journal.tag
    if read_ref(repo, ref) is None:
        update_refs(repo, [f"create {ref} {journal.new}\n"], journal.reflog)


def _finished(journal: Journal) -> Diagnostic:
    return Diagnostic(
        "recovered-finished",
        say(
            "An interrupted command was finished: {move} is at {new}.",
            move=journal.move,
            new=journal.new,
        ),
        Severity.NOTE,
    )


def _undone(journal: Journal, error: Refusal) -> Diagnostic:
    return Diagnostic(
        "recovered-undone",
        say(
            "An interrupted command was undone, because it could not be finished: {reason}",
            reason=str(error),
        ),
        Severity.WARNING,
        hint=_kept(journal),
    )


def _edited(journal: Journal, paths: tuple[str, ...]) -> Diagnostic:
    return Diagnostic(
        "recovered-undone",
        say(
            "An interrupted command was undone; {paths} was edited since and stays as it is.",
            paths=", ".join(paths),
        ),
        Severity.WARNING,
        Location(path=paths[0]),
        hint=_kept(journal),
    )


def _left_alone(journal: Journal) -> Diagnostic:
    return Diagnostic(
        "recovered-left-alone",
        say(
            "{move} has moved on since a command was interrupted; its files were left as they are.",
            move=journal.move,
        ),
        Severity.WARNING,
        hint=_kept(journal),
    )


def _kept(journal: Journal) -> Text:
    return say(
        "The commit it was making is kept as {ref}; compare it with git diff HEAD {ref}.",
        ref=INTERRUPTED + journal.tag,
    )
