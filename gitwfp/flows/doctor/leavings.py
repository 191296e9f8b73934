"""Looks at what commands that died may have left: journal, refs, locks, files, receipt."""

import os
from collections.abc import Iterator
from typing import Final

from gitwfp.errors import Location, Refusal, Text, say, say_n
from gitwfp.flows.doctor.check import Check, Fix, Grade
from gitwfp.flows.env import Env
from gitwfp.git.journal import PENDING, abandoned, pending_journal, read_journal
from gitwfp.git.program import to_bytes, to_text
from gitwfp.git.receipt import digest, read_receipt, receipt_file
from gitwfp.git.state import linked_folders
from gitwfp.git.worktree import Worktree

_STALE: Final = 600
"""Seconds after which a lock is probably nobody's any more."""

_MOST_SHOWN: Final = 10


def journal(env: Env) -> Iterator[Check]:
    """Looks for a command that was interrupted while it wrote."""
    is_there = pending_journal(env.repo)
    if is_there:
        # One that cannot be read is refused, and that is what there is to say about it.
        read_journal(env.repo)
    yield Check(
        "journal",
        Grade.WARNING if is_there else Grade.OK,
        say("A command was interrupted while it wrote, or one is writing now.")
        if is_there
        else say("No command was interrupted."),
        say("There is no journal."),
        say("Until it is settled, plan files and commits may disagree."),
        say("The next command that writes finishes it or takes it back.") if is_there else None,
        fix=Fix.JOURNAL if is_there else None,
    )


def pending_refs(env: Env) -> Iterator[Check]:
    """Looks for commits that are held for a command that is not there any more."""
    expected = say("No commit is held for a command that died.")
    why = say("Such a commit is in no history and is kept for nothing.")
    tags = abandoned(env.repo)
    if tags:
        yield Check(
            "pending-refs",
            Grade.WARNING,
            say_n(
                "{count} command died before its commit was published.",
                "{count} commands died before their commits were published.",
                len(tags),
            ),
            expected,
            why,
            say("The next command that writes drops what they left."),
            fix=Fix.PENDING,
        )
    marked = {PENDING + tag for tag in _marks(env)}
    unmarked = sorted(ref for ref in env.repo.refs(PENDING) if ref not in marked)
    if unmarked:
        yield Check(
            "pending-refs",
            Grade.NOTE,
            say("{ref} belongs to no command that is known here.", ref=unmarked[0]),
            expected,
            why,
            say("It may have come with a clone; look at it with git log before you let it go."),
        )
    if not tags and not unmarked:
        yield Check("pending-refs", Grade.OK, say("No commit is pending."), expected, why)


def _marks(env: Env) -> set[str]:
    folders = [
        env.repo.common_dir,
        *(git_dir for git_dir, _ in linked_folders(env.repo.common_dir)),
    ]
    found: set[str] = set()
    for folder in folders:
        pending = os.path.join(folder, "wfp", "pending")
        if os.path.isdir(pending):
            found.update(os.listdir(pending))
    return found


def locks(env: Env) -> Iterator[Check]:
    """Looks for lock files that a git which died may have left."""
    expected = say("No lock file is older than the git that made it.")
    why = say("A lock keeps every git from writing what it guards.")
    now = env.now().timestamp()
    found = sorted(_locks(env))
    for place, made in found[:_MOST_SHOWN]:
        age = max(0, round(now - made))
        is_old = age >= _STALE
        yield Check(
            "locks",
            Grade.WARNING if is_old else Grade.NOTE,
            say("There is a lock, {path}, {age} seconds old.", path=place, age=age),
            expected,
            why,
            say("If no git is at work in this repository, remove that file.")
            if is_old
            else say("A git may be at work; look again when it is done."),
        )
    if not found:
        yield Check("locks", Grade.OK, say("There is no lock file."), expected, why)


def _locks(env: Env) -> Iterator[tuple[str, float]]:
    tops = dict.fromkeys(map(os.path.realpath, (env.repo.git_dir, env.repo.common_dir)))
    for top in tops:
        for name in os.listdir(top):
            if name.endswith(".lock"):
                yield from _with_time(os.path.join(top, name))
    for parent, _, names in os.walk(os.path.join(env.repo.common_dir, "refs")):
        for name in names:
            if name.endswith(".lock"):
                yield from _with_time(os.path.join(parent, name))


def _with_time(place: str) -> Iterator[tuple[str, float]]:
    try:
        yield place, os.lstat(place).st_mtime
    except FileNotFoundError:
        # The git that held it was done between the two looks.
        return


def temporary_files(env: Env) -> Iterator[Check]:
    """Looks for files that a write which was cut off left beside plan files."""
    if env.repo.top is None:
        return
    found = sorted(_temporary(env.repo.top))
    expected = say("No temporary file of ours lies beside plan files.")
    why = say("One that ends in .old~ may hold an edit that exists nowhere else.")
    if found and not pending_journal(env.repo):
        yield Check(
            "temporary-files",
            Grade.WARNING,
            say_n(
                "{count} temporary file was left, {path}.",
                "{count} temporary files were left, the first is {path}.",
                len(found),
                path=found[0],
            ),
            expected,
            why,
            say("Compare it with the file it stands beside, keep what you need, and remove it."),
            Location(found[0]),
        )
    else:
        yield Check("temporary-files", Grade.OK, say("No temporary file was left."), expected, why)


def _temporary(top: str) -> Iterator[str]:
    root = to_bytes(top)
    below = os.walk(os.path.join(root, b".workflow"))
    for parent, names in (
        (root, os.listdir(root)),
        *((parent, names) for parent, _, names in below),
    ):
        for name in names:
            if name.startswith(b".wfp-") and name.endswith((b".new~", b".old~")):
                yield to_text(os.path.relpath(os.path.join(parent, name), root))


def receipt(env: Env) -> Iterator[Check]:
    """Looks at what `git wfp init` made: whether it is whole, and what was changed since."""
    expected = say("What git wfp init made is as it left it.")
    why = say("git wfp deinit takes back only what is still so.")
    found = read_receipt(env.repo)
    if found is None:
        yield Check("receipt", Grade.OK, say("git wfp init made nothing here."), expected, why)
        return
    if found.doing is not None:
        yield Check(
            "receipt",
            Grade.WARNING,
            say("A git wfp init or deinit was interrupted, or is at work now."),
            expected,
            why,
            say("Run git wfp init or git wfp deinit; each takes that back first."),
            Location(receipt_file(env.repo)),
        )
        return
    files = Worktree(env.repo.require_worktree(), "")
    changed = [made.path for made in found.files if _held(files, made.path) != made.after]
    yield Check(
        "receipt",
        Grade.NOTE if changed else Grade.OK,
        say("Changed since git wfp init: {paths}.", paths=", ".join(changed))
        if changed
        else _all_as_left(len(found.files)),
        expected,
        why,
    )


def _all_as_left(count: int) -> Text:
    return say_n(
        "{count} file that git wfp init wrote is as it left it.",
        "{count} files that git wfp init wrote are as it left them.",
        count,
    )


def _held(files: Worktree, path: str) -> str | None:
    try:
        return digest(files.read(path))
    except Refusal:
        return "not a file"
