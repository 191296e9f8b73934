"""The one pipeline: apply in memory, verify, show, confirm, publish.

A command that changes a plan brings a `Work`: it says what it makes of the plan as it stands,
and how the commit is to be described. Everything else happens here, the same for all of them.
"""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from gitwfp.change.changeset import between
from gitwfp.change.kinds import FileChanged
from gitwfp.classes import replace
from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, Text, say
from gitwfp.files.codec import read_plan
from gitwfp.files.paths import inside_of
from gitwfp.files.tree import FileTree
from gitwfp.flows.env import Env
from gitwfp.flows.names import Stamp, free_stamp
from gitwfp.flows.snapshot import Snapshot, refuse_edits, refuse_private, take_snapshot
from gitwfp.flows.ui import Choice
from gitwfp.flows.work import Draft, Landing, Options, Outcome, Step, Work, as_diagnostic
from gitwfp.git.publish import NewCommit, drop_old_branches, publish
from gitwfp.model.findings import Finding
from gitwfp.model.plan import Plan, SessionRef
from gitwfp.policy import message as m
from gitwfp.verify.consistency import check, compare

_ATTEMPTS: Final = 20
_MOVED: Final = frozenset(
    {"branch-moved", "changed-meanwhile", "staged-differently", "read-back-differs"}
)


def carry_out(env: Env, ref: SessionRef, work: Work, options: Options) -> Outcome:
    """Carries out a change of one session's plan, all or nothing.

    When the branch moves while this command thinks, the change is made again on the new plan
    under a new look at everything, a few times at most. An edit saved meanwhile wins.

    Args:
        env: The surroundings.
        ref: The session.
        work: What is to be done.
        options: How.

    Returns:
        What was done.

    Raises:
        Refusal: The change is not possible, was declined, or somebody else's change overlaps it.
    """
    env.begin_writing()
    earlier: _Moved | None = None
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            return _attempt(env, ref, work, options, earlier)
        except _Moved as moved:
            if attempt == _ATTEMPTS:
                raise _busy(ref) from moved
            # What was adjusted and agreed to is what is tried again.
            earlier, work = moved, moved.work
    raise AssertionError("the last attempt returns or raises")


class _Moved(Exception):  # noqa: N818 - it never leaves this module
    """The branch moved on; what was seen and shown before is remembered."""

    def __init__(self, refusal: Refusal, work: Work, snapshot: Snapshot, shown: Outcome) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal
        self.work = work
        self.snapshot = snapshot
        self.shown = shown

    def check_edits(self, snapshot: Snapshot) -> None:
        """Stops when somebody saved an edit meanwhile: it wins."""
        for path, data in snapshot.differing.items():
            if path not in self.snapshot.differing or self.snapshot.differing[path] != data:
                raise self.refusal


def _attempt(
    env: Env, ref: SessionRef, work: Work, options: Options, earlier: _Moved | None
) -> Outcome:
    snapshot = take_snapshot(env, ref)
    shown = None
    if earlier is not None:
        earlier.check_edits(snapshot)
        shown = earlier.shown
    on_dirty = env.settings.replan.on_dirty
    if not work.takes_edits or options.branch_only or on_dirty == "refuse":
        refuse_edits(snapshot, ref)
    stamp = free_stamp(env, ref, work.kind, snapshot, shown.stamp if shown is not None else None)
    draft = work.draft(env, snapshot, stamp)
    refuse_private(snapshot, ref, draft.edits)
    proposal = draft.proposal
    changes = proposal.changes if proposal is not None else between(draft.before, draft.after)
    empty = Outcome(ref, False, False, stamp, changes, notices=draft.notes)
    if not draft.steps:
        return empty
    judged = compare(draft.before, draft.after, max_tasks=env.settings.limits.max_tasks)
    tolerated = {finding.key for plan in draft.tolerates for finding in check(plan)}
    added = tuple(finding for finding in judged.added if finding.key not in tolerated)
    if added:
        raise (draft.refusal or _refused)(added)
    notices = (*draft.notes, *_checkpoint_notes(snapshot, ref, draft))
    outcome = replace(empty, changed=True, draft=draft, older=judged.older, notices=notices)
    was_agreed = shown is not None and env.ui.interactive and not options.yes
    if was_agreed and shown is not None and shown.changes.of_intent != changes.of_intent:
        raise _overlap(ref)
    if shown is None:
        if options.dry_run or not options.yes:
            env.ui.show(outcome)
        if options.dry_run:
            return outcome
        adjusted = _confirm(env, draft, options)
        if adjusted is not None:
            return _attempt(env, ref, adjusted, options, None)
    return _publish_unless_moved(env, work, snapshot, outcome, options)


def _publish_unless_moved(
    env: Env, work: Work, snapshot: Snapshot, outcome: Outcome, options: Options
) -> Outcome:
    try:
        return _publish(env, snapshot, outcome, options)
    except Refusal as refusal:
        if _is_overtaken(env, snapshot, outcome.stamp, refusal):
            raise _Moved(refusal, work, snapshot, outcome) from refusal
        raise


def _is_overtaken(env: Env, snapshot: Snapshot, stamp: Stamp, refusal: Refusal) -> bool:
    """Tells whether a refusal only says that another command was faster.

    It moved the branch, or from a linked worktree it took the name that this change was to have.
    """
    if refusal.code == "refs-refused":
        return bool(env.repo.refs(f"refs/heads/{stamp.branch}"))
    return refusal.code in _MOVED and env.repo.head() != snapshot.head


def _busy(ref: SessionRef) -> Refusal:
    return Refusal(
        "branch-moved",
        say("Other commands moved the branch {count} times while this one ran.", count=_ATTEMPTS),
        ExitCode.CONFLICT,
        hint=say("Nothing was written. Run the command again when they have ended."),
        location=Location(ref.folder, session=ref.id),
    )


def _why_yes(draft: Draft) -> Text:
    """Returns why a change needs somebody's consent."""
    if draft.proposal is not None:
        return say("This change does more than update tasks, and there is nobody to ask.")
    if not (draft.after.session or draft.after.tasks):
        return say("This change takes the whole session away, and there is nobody to ask.")
    return say("This change decides conflicts for one side, and there is nobody to ask.")


def _confirm(env: Env, draft: Draft, options: Options) -> Work | None:
    """Asks whether a change is to be applied; returns other work when it was adjusted."""
    if options.yes:
        return None
    if not env.ui.interactive:
        if draft.asks_for_yes:
            raise Refusal(
                "needs-yes",
                _why_yes(draft),
                ExitCode.USAGE,
                hint=say("Look at it with --dry-run, then say --yes."),
            )
        return None
    confirm = Choice("y", say("Confirm"), say("Apply all of it."))
    adjust = Choice("a", say("Adjust"), say("Answer the questions about how far it goes."))
    cancel = Choice("n", say("Cancel"), say("Leave everything as it is."))
    choices = (confirm, cancel) if draft.adjust is None else (confirm, adjust, cancel)
    choice = env.ui.choose(say("Apply this change?"), choices, default="y", flag="--yes")
    if choice == "n":
        raise Refusal("cancelled", say("Cancelled; nothing was changed."), ExitCode.NEGATIVE)
    return draft.adjust() if choice == "a" and draft.adjust is not None else None


def _publish(env: Env, snapshot: Snapshot, outcome: Outcome, options: Options) -> Outcome:
    ref, stamp, draft = outcome.ref, outcome.stamp, outcome.draft
    if draft is None:
        raise AssertionError("only a change is published")
    base = snapshot.head.commit
    first: list[NewCommit] = []
    if not draft.is_adoption and snapshot.needs_checkpoint(draft.edits):
        first.append(_checkpoint(env, snapshot, ref))
    known = "" if first or base is None else base
    commits = [*first, *(_new_commit(step, known) for step in draft.steps)]
    if options.landing == Landing.MERGE and base is not None and not options.branch_only:
        commits.append(_merge_commit(draft, stamp))
    move = _branch_to_move(snapshot, options)
    done = publish(
        env.repo,
        base=base,
        commits=commits,
        branch=None if draft.steps[-1].made is not None else stamp.branch,
        move=move,
        reflog=f"wfp: {draft.steps[-1].message.subject}",
        expect=_expected(snapshot, commits),
        look=_reader(ref, draft.after, _paths_of(commits)),
        now=env.now(),
        signoff=env.settings.replan.signoff,
        lock_wait=env.settings.lock.timeout,
        file_bytes=env.settings.limits.file_bytes,
    )
    _tidy(env, stamp)
    return replace(
        outcome,
        written=True,
        commit=done.commits[len(first) + len(draft.steps) - 1],
        checkpoint=done.commits[0] if first else None,
        backup=done.commits[0] if first else base,
        branch=done.branch,
        landed=done.moved,
        notices=(*outcome.notices, *done.notices),
    )


def _checkpoint_notes(snapshot: Snapshot, ref: SessionRef, draft: Draft) -> tuple[Diagnostic, ...]:
    """Says which edits are committed first, because they were not committed yet."""
    if draft.is_adoption or not snapshot.needs_checkpoint(draft.edits):
        return ()
    files = ", ".join(inside_of(ref, path) for path in sorted(snapshot.differing))
    return (
        Diagnostic(
            "checkpoint",
            say(
                "Edits that are not committed yet become a checkpoint first: {files}.", files=files
            ),
            Severity.NOTE,
            Location(ref.folder, session=ref.id),
        ),
    )


def _new_commit(step: Step, backup: str) -> NewCommit:
    trailers = dict(step.message.trailers)
    if m.BACKUP in trailers:
        trailers[m.BACKUP] = backup
    return NewCommit(
        replace(step.message, trailers=trailers).text(), dict(step.edits), made=step.made
    )


def _merge_commit(draft: Draft, stamp: Stamp) -> NewCommit:
    """Returns the commit that joins a replan's branch: one on the first line for each replan."""
    subject = draft.steps[-1].message.subject
    return NewCommit(f"Merge {stamp.branch}: {subject}\n", {}, joins=True)


def _branch_to_move(snapshot: Snapshot, options: Options) -> str | None:
    if options.branch_only or options.landing == Landing.MANUAL:
        return None
    return snapshot.head.ref or "HEAD"


def _checkpoint(env: Env, snapshot: Snapshot, ref: SessionRef) -> NewCommit:
    files = sorted(snapshot.differing)
    reason = say("edits that were not committed yet")
    message = m.Message(
        m.subject("checkpoint", ref.id, env.words(reason)),
        tuple(files),
        {m.SESSION: ref.id, m.CHECKPOINT: env.time()},
    )
    return NewCommit(message.text(), dict(snapshot.differing))


def _expected(snapshot: Snapshot, commits: list[NewCommit]) -> Mapping[str, bytes | None]:
    return {path: snapshot.held.get(path) for commit in commits for path in commit.edits}


def _paths_of(commits: list[NewCommit]) -> AbstractSet[str]:
    return {path for commit in commits for path in commit.edits}


def _reader(ref: SessionRef, wanted: Plan, edited: AbstractSet[str]) -> Callable[[FileTree], None]:
    """Returns the look at what was really written: it must state what was shown.

    Of the files that are not understood, only those that are edited are looked at.
    """

    def look(tree: FileTree) -> None:
        written = read_plan(tree, ref, companions=True)
        changes = between(written, wanted).of_intent.changes
        if any(not isinstance(c, FileChanged) or _is_lost(c, edited) for c in changes):
            raise Refusal(
                "read-back-differs",
                say("The commit does not hold the plan that was shown; nothing was changed."),
                ExitCode.ENVIRONMENT,
                hint=say("A filter or an attribute of git may change plan files on their way in."),
                location=Location(ref.folder, session=ref.id),
            )

    return look


def _is_lost(change: FileChanged, edited: AbstractSet[str]) -> bool:
    """Tells whether an edited file was written as something else; line endings are git's."""
    one, other = (
        None if data is None else data.replace(b"\r\n", b"\n")
        for data in (change.before, change.after)
    )
    return change.path in edited and one != other


def _tidy(env: Env, stamp: Stamp) -> None:
    keep = env.settings.replan.keep_branches
    if isinstance(keep, int):
        drop_old_branches(env.repo, stamp.branch.rpartition("/")[0], keep)


def _refused(findings: tuple[Finding, ...]) -> Refusal:
    worst = findings[0]
    return Refusal(
        worst.rule,
        worst.message,
        ExitCode.REFUSED,
        hint=worst.recommendation,
        location=worst.location,
        details=tuple(as_diagnostic(finding) for finding in findings[1:]),
    )


def _overlap(ref: SessionRef) -> Refusal:
    return Refusal(
        "plan-moved",
        say("The plan changed meanwhile where this change concerns it; nothing was written."),
        ExitCode.CONFLICT,
        hint=say("Look at git wfp log, then run the command again."),
        location=Location(ref.folder, session=ref.id),
    )
