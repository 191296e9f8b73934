"""Takes worktree, index and refs together from one commit to another, or back again.

A `Switch` carries out a journal. Each of its steps can be repeated: the publication runs them once,
and recovery runs them again after a crash. Files and index entries come first, the refs last, so
that until the very end nothing needs more than putting files back.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from gitwfp.errors import Diagnostic, ExitCode, Refusal, Severity, say
from gitwfp.git import index as git_index
from gitwfp.git.commits import DURABLE
from gitwfp.git.journal import Journal, drop_journal, touch_journal
from gitwfp.git.program import GitFailed
from gitwfp.git.refs import read_ref
from gitwfp.git.worktree import EditedMeanwhile, Worktree

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

FailAt = Callable[[str], None]

_HOOK_SECONDS = 300.0
"""How long a reference-transaction hook may think; nobody can interrupt it by hand."""


class Switch:
    """One journal being carried out.

    Args:
        repo: The repository; it has a worktree.
        journal: What to do; it is on disk already.
        contents: Bytes by blob id that need not be read back.
        fail_at: Called with the name of each step when it is done.
        seen: The state of the index when the entries were planned (`index.settled_state`).
        is_new: Whether none of its steps can have been carried out before.
    """

    def __init__(
        self,
        repo: "Repository",
        journal: Journal,
        contents: Mapping[str, bytes],
        fail_at: FailAt,
        *,
        seen: tuple[int, ...] | None = None,
        is_new: bool = False,
    ) -> None:
        self._repo = repo
        self._journal = journal
        self._contents = contents
        self._fail_at = fail_at
        self._seen = seen
        self._is_new = is_new
        self._files = Worktree(repo.require_worktree(), journal.tag)

    def lock(self, wait: float) -> None:
        """Keeps every other git away from the index."""
        journal = self._journal
        spare = git_index.spare_lock(journal.index, journal.tag)
        git_index.lock_index(journal.index, journal.mark, spare, wait)
        self._fail_at("index-locked")

    def advance(self) -> None:
        """Goes to the new state, up to and including the refs; the index is locked.

        Raises:
            EditedMeanwhile: Somebody saved one of the files.
            Refusal: HEAD or an index entry is not what it was, or git refuses.
        """
        self.check_head()
        self._check_entries()
        for number in range(len(self._journal.files)):
            self._advance_file(number)
        self._fail_at("files")
        journal = self._journal
        if journal.entries:
            git_index.write_entries(
                self._repo, journal.index, journal.tag, journal.entries, keep_old=True
            )
        self._fail_at("entries")
        for number, step in enumerate(journal.files):
            if self._files.is_aside_edited(step.path, number, self._bytes(step.before)):
                raise EditedMeanwhile(step.path)
        self._fail_at("checked")
        self.move_refs()
        self._fail_at("refs")

    def undo(self) -> None:
        """Goes back to the old state; the index is locked, and no ref has moved.

        What anybody else wrote into a file or an index entry stays.
        """
        journal = self._journal
        for number in reversed(range(len(journal.files))):
            step = journal.files[number]
            before, after = self._bytes(step.before), self._bytes(step.after)
            self._files.restore(step.path, number, before, after)
        for folder in reversed(journal.folders):
            self._files.drop_empty(iter((folder,)))
        if not git_index.put_back(journal.index, journal.tag):
            self._undo_entries()

    def finish(self) -> None:
        """Removes what only the journal needed, and the journal last."""
        journal = self._journal
        for number, step in enumerate(journal.files):
            self._files.settle(step.path, number, self._bytes(step.before))
        self._fail_at("settled")
        self.close()

    def close(self) -> None:
        """Gives the index free and drops the journal."""
        journal = self._journal
        git_index.drop_copies(journal.index, journal.tag)
        git_index.unlock_index(journal.index, journal.mark)
        self._fail_at("index-unlocked")
        drop_journal(self._repo)
        self._fail_at("journal-dropped")

    def forget_old_index(self) -> None:
        """Drops the kept old index, because others may have written the index since."""
        git_index.drop_copies(self._journal.index, self._journal.tag)

    def edited(self) -> tuple[str, ...]:
        """Returns the files that hold neither the old nor the new version."""
        return tuple(step.path for step in self._journal.files if not self._is_known(step.path))

    def check_head(self) -> None:
        """Raises a refusal unless HEAD is where the journal starts."""
        head, journal = self._repo.head(), self._journal
        ref = "HEAD" if head.ref is None else head.ref
        if ref != journal.move or head.commit != journal.old:
            raise moved(ref if ref != journal.move else journal.move)

    def move_refs(self) -> None:
        """Creates the replan branch and moves the user's, in one transaction."""
        journal = self._journal
        commands = []
        if journal.branch is not None and (
            self._is_new or read_ref(self._repo, journal.branch) != journal.tip
        ):
            commands.append(f"create {journal.branch} {journal.tip}\n")
        zero = "0" * len(journal.new)
        if journal.move == "HEAD":
            commands.append("option no-deref\n")
        commands.append(f"update {journal.move} {journal.new} {journal.old or zero}\n")
        touch_journal(self._repo)
        try:
            update_refs(self._repo, commands, journal.reflog)
        except GitFailed as error:
            tip = read_ref(self._repo, journal.move)
            if tip == journal.new:
                return
            if tip != journal.old:
                raise moved(journal.move) from error
            raise refused_by_git(error) from error

    def _is_known(self, path: str) -> bool:
        step = next(step for step in self._journal.files if step.path == path)
        try:
            there = self._files.read(path)
        except Refusal:
            # A link or a folder is in the file's place: somebody else's doing.
            return False
        return there in (self._bytes(step.before), self._bytes(step.after))

    def _advance_file(self, number: int) -> None:
        step = self._journal.files[number]
        before, after = self._bytes(step.before), self._bytes(step.after)
        there = self._files.read(step.path)
        if there == after:
            return
        if there != before:
            raise EditedMeanwhile(step.path)
        if after is not None:
            self._files.prepare(step.path, number, after, executable=step.executable)
            self._fail_at("file-ready")
        if before is not None:
            self._files.set_aside(step.path, number)
            self._fail_at("file-aside")
        self._files.place(step.path, number, before, remove=after is None)
        self._fail_at("file-placed")

    def _check_entries(self) -> None:
        journal = self._journal
        if self._seen is not None and self._seen == git_index.state_of(journal.index):
            # Since the entries were read, nobody has written the index.
            return
        entries = journal.entries
        there = git_index.read_entries(self._repo, [step.path for step in entries])
        for step in entries:
            found = there.get(step.path)
            if ("" if found is None else found.entry) not in (step.before, step.after):
                raise staged_differently(step.path)

    def _undo_entries(self) -> None:
        entries = self._journal.entries
        there = git_index.read_entries(self._repo, [step.path for step in entries])
        back = []
        for step in entries:
            found = there.get(step.path)
            if step.before != step.after and ("" if found is None else found.entry) == step.after:
                back.append(
                    type(step)(
                        step.path,
                        step.after,
                        step.before,
                        step.skip_worktree,
                        step.assume_unchanged,
                    )
                )
        if back:
            journal = self._journal
            git_index.write_entries(self._repo, journal.index, journal.tag, back, keep_old=False)

    def _bytes(self, blob: str | None) -> bytes | None:
        if blob is None:
            return None
        known = self._contents.get(blob)
        return self._repo.objects().read_blob(blob) if known is None else known


def no_hook(step: str) -> None:
    """Takes the name of a step and does nothing with it."""


def update_refs(repo: "Repository", commands: list[str], reflog: str) -> None:
    """Runs `update-ref` commands as one transaction.

    Raises:
        GitFailed: A ref is not what it was, its lock is held, or a hook says no; nothing moved.
    """
    message = " ".join(reflog.split()) or "wfp"
    data = "".join(commands).encode("utf-8", "surrogateescape")
    repo.git.run(
        *DURABLE, "update-ref", "-m", message, "--stdin", input=data, timeout=_HOOK_SECONDS
    )


def moved(ref: str) -> Refusal:
    """Returns the refusal for a HEAD or branch that somebody moved."""
    return Refusal(
        "branch-moved",
        say("{ref} was moved by somebody else while the command ran.", ref=ref),
        ExitCode.CONFLICT,
        hint=say("Nothing was written. Run the command again; it will start from the new commit."),
    )


def staged_differently(path: str) -> Refusal:
    """Returns the refusal for an index entry that holds a third version."""
    return Refusal(
        "staged-differently",
        say(
            "The version of {path} that is staged is neither committed nor in the worktree.",
            path=path,
        ),
        ExitCode.CONFLICT,
        hint=say("Commit it, stage the file again or unstage it, and run the command again."),
    )


def refused_by_git(error: GitFailed) -> Refusal:
    """Returns the refusal for refs that git would not move."""
    return Refusal(
        "refs-refused",
        say("Git refused to move the branch: {reason}", reason=error.text),
        ExitCode.ENVIRONMENT,
        hint=say(
            "Everything is as it was. A held lock or a reference-transaction hook can be why."
        ),
    )


def unfinished(error: Exception) -> Diagnostic:
    """Returns the notice for a publication that stands but could not be tidied up after."""
    return Diagnostic(
        "tidy-later",
        say("The change is made, but cleaning up after it failed: {reason}", reason=str(error)),
        Severity.WARNING,
        hint=say("The next command that writes will try again."),
    )
