"""Works out what a publication will do to index entries and to files, before it does any of it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gitwfp.errors import ExitCode, Location, Refusal, say
from gitwfp.git.commits import NewCommit
from gitwfp.git.history import changed_paths
from gitwfp.git.index import IndexEntry, read_entries
from gitwfp.git.journal import EntryStep, FileStep
from gitwfp.git.state import EMPTY_BLOBS
from gitwfp.git.switch import staged_differently
from gitwfp.git.worktree import EditedMeanwhile, Worktree

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository


def plan_entries(
    repo: "Repository", base: str | None, commits: Sequence[str]
) -> tuple[tuple[EntryStep, ...], frozenset[str]]:
    """Returns the steps for the index, and the paths that a sparse checkout leaves out.

    Args:
        repo: The repository.
        base: The commit at HEAD.
        commits: The new commits; the last one is where the index goes.

    Raises:
        Refusal: An entry is in conflict, or holds a version that is in no commit.
    """
    steps = [_differences(repo, base, commit) for commit in commits]
    paths = sorted({path for step in steps for path in step})
    there = read_entries(repo, paths)
    outside = _outside(repo, [path for path in paths if path not in there])
    empty = EMPTY_BLOBS[repo.object_format]
    entries = []
    for path in paths:
        before = next(step[path][0] for step in steps if path in step)
        after = steps[-1][path][1] if path in steps[-1] else before
        known = {before, *(step[path][1] for step in steps if path in step)}
        entry = there.get(path, IndexEntry(""))
        if entry.unmerged:
            raise unmerged(path)
        # A path that is only announced (git add -N) has an entry for the empty blob.
        is_announced = before == "" and entry.entry.endswith(f" {empty}")
        if entry.entry not in known and not is_announced:
            raise staged_differently(path)
        entries.append(
            EntryStep(
                path,
                entry.entry,
                after,
                skip_worktree=entry.skip_worktree or path in outside,
                assume_unchanged=entry.assume_unchanged,
            )
        )
    skipped = {path for path, entry in there.items() if entry.skip_worktree}
    # A file makes way before a folder of its name comes.
    entries.sort(key=lambda step: step.after != "")
    return tuple(entries), frozenset(skipped | outside)


def plan_files(
    repo: "Repository",
    commits: Sequence[NewCommit],
    entries: Sequence[EntryStep],
    absent: frozenset[str],
    expect: Mapping[str, bytes | None],
    contents: dict[str, bytes],
) -> tuple[tuple[FileStep, ...], tuple[str, ...]]:
    """Returns the steps for the worktree and the folders that they will make.

    Args:
        repo: The repository; it has a worktree.
        commits: The new commits.
        entries: The steps for the index.
        absent: Paths that need not be in the worktree.
        expect: What the worktree must hold at each path.
        contents: Gets the bytes of every blob that the steps name.

    Raises:
        EditedMeanwhile: The worktree holds something else.
    """
    final: dict[str, bytes | None] = {}
    for commit in commits:
        final.update(commit.edits)
    modes = {step.path: step.after.split(" ")[0] for step in entries}
    files = Worktree(repo.require_worktree(), "")
    steps = []
    folders: dict[str, None] = {}
    for path in sorted(final, key=lambda path: (final[path] is not None, path)):
        there = files.read(path)
        if there is None and path in absent:
            continue
        if there != expect[path]:
            raise EditedMeanwhile(path)
        after = final[path]
        if there is None and after is not None:
            folders.update(dict.fromkeys(files.missing_folders(path)))
        steps.append(
            FileStep(
                path,
                _stored(repo, there, contents),
                _stored(repo, after, contents),
                executable=modes.get(path) == "100755",
            )
        )
    return tuple(steps), tuple(folders)


def unmerged(path: str) -> Refusal:
    """Returns the refusal for a path in the middle of a merge."""
    return Refusal(
        "unmerged",
        say("{path} has a merge conflict that is not resolved yet.", path=path),
        ExitCode.ENVIRONMENT,
        hint=say("Resolve it and stage the file with git add, then run the command again."),
        location=Location(path=path),
    )


def _stored(repo: "Repository", content: bytes | None, contents: dict[str, bytes]) -> str | None:
    if content is None:
        return None
    blob = repo.objects().write_blob(content)
    contents[blob] = content
    return blob


def _differences(repo: "Repository", a: str | None, b: str) -> Mapping[str, tuple[str, str]]:
    """Returns the entries before and after of each path that differs between two commits."""
    return {
        changed.path: (
            _entry(changed.before_mode, changed.before),
            _entry(changed.after_mode, changed.after),
        )
        for changed in changed_paths(repo, a, b)
    }


def _entry(mode: int, oid: str | None) -> str:
    return "" if oid is None else f"{mode:06o} {oid}"


def _outside(repo: "Repository", new: Sequence[str]) -> frozenset[str]:
    """Returns the new paths whose folder a sparse checkout leaves out.

    Git can say so itself only from 2.41 on. Here a new file belongs where its neighbours are: in
    the nearest folder above it that git knows, is anything checked out?
    """
    if not new or not repo.config().get_bool("core.sparsecheckout"):
        return frozenset()
    tops = {path.split("/", 1)[0] for path in new if "/" in path}
    known = read_entries(repo, tops)
    outside = set()
    for path in new:
        parts = path.split("/")[:-1]
        for depth in range(len(parts), 0, -1):
            folder = "/".join(parts[:depth]) + "/"
            below = [entry for name, entry in known.items() if name.startswith(folder)]
            if below:
                if all(entry.skip_worktree for entry in below):
                    outside.add(path)
                break
    return frozenset(outside)
