"""The merge driver: one file of a plan, merged field by field, as git asks for it."""

from collections.abc import Mapping
from typing import Final

from gitwfp.change.merge import Conflict, Rules, merge
from gitwfp.classes import dataclass
from gitwfp.errors import Severity
from gitwfp.files.bookkeeping import is_bookkeeping_line, set_counts, stated_counts
from gitwfp.files.codec import read_plan
from gitwfp.files.conflictrecords import Undecided, recorded
from gitwfp.files.paths import FileKind, inside_of, kind_of, session_at, workspace_of
from gitwfp.files.tree import MemoryFiles
from gitwfp.files.writing import plan_edits
from gitwfp.git.program import GitProgram
from gitwfp.model import fields as f
from gitwfp.model.plan import Document, Plan, SessionRef
from gitwfp.model.values import Value

_RULES: Final = Rules(is_bookkeeping_line, set_counts)


@dataclass(frozen=True, slots=True)
class FileMerge:
    """The outcome of merging one file.

    Attributes:
        content: What the file is to hold: ours wherever there is a conflict, which it records.
        conflicts: The conflicts.
        is_read: Whether all three versions could be understood; if not, the content is ours.
    """

    content: bytes
    conflicts: tuple[Conflict, ...]
    is_read: bool = True

    @property
    def is_clean(self) -> bool:
        """Whether nothing is left to decide."""
        return self.is_read and not self.conflicts


def session_of_file(path: str) -> SessionRef | None:
    """Returns the session of which a path is a plan file, None for all other files."""
    workspace = workspace_of(path)
    ref = None if workspace is None else session_at(workspace, path)
    if ref is None or kind_of(inside_of(ref, path)) is not FileKind.PLAN:
        return None
    return ref


def merge_file(ref: SessionRef, path: str, base: bytes, ours: bytes, theirs: bytes) -> FileMerge:
    """Merges three versions of one plan file.

    Args:
        ref: The session.
        path: The file, from the repository root.
        base: The version before; empty where both sides added the file.
        ours: Our version.
        theirs: Their version.
    """
    old, mine, their = (_read(ref, path, data) for data in (base, ours, theirs))
    if old is None or mine is None or their is None:
        return _whole(mine, path, ours, theirs)
    merged = merge(old, mine, their, _RULES)
    plan = _counted(old, mine, their, merged.plan)
    edits = plan_edits(mine, recorded(plan, map(_undecided, merged.conflicts)), like=their)
    if set(edits) - {path} or edits.get(path, b"") is None:
        # One side gave the task another id: that is no merge of one file.
        return _whole(mine, path, ours, theirs)
    return FileMerge(edits.get(path) or ours, merged.conflicts)


def _whole(plan: Plan | None, path: str, ours: bytes, theirs: bytes) -> FileMerge:
    """Returns our version, which records theirs as a whole where it can hold a record."""
    if plan is None:
        return FileMerge(ours, (), is_read=False)
    entry: dict[str, Value] = {
        "field": "",
        "base": None,
        "ours": None,
        "theirs": theirs.decode("utf-8", "replace"),
    }
    task = next(iter(plan.tasks), None) if not plan.documents and not plan.session else None
    document = next(iter(plan.documents), None)
    edits = plan_edits(plan, recorded(plan, (Undecided(entry, task, document),)))
    return FileMerge(edits.get(path) or ours, (), is_read=False)


def _undecided(one: Conflict) -> Undecided:
    entry: dict[str, Value] = {
        "field": one.field,
        "base": one.base,
        "ours": one.ours,
        "theirs": one.theirs,
    }
    return Undecided(entry, one.task, one.document)


def _read(ref: SessionRef, path: str, data: bytes) -> Plan | None:
    if not data.strip():
        return read_plan(MemoryFiles({}), ref)
    plan = read_plan(MemoryFiles({path: data}), ref)
    return None if any(one.severity is Severity.ERROR for one in plan.problems) else plan


def merge_lines(folder: str, environ: Mapping[str, str], base: str, ours: str, theirs: str) -> bool:
    """Merges three files by lines, as git does without a driver; tells whether all fitted.

    Args:
        folder: Where git runs.
        environ: The environment.
        base: The file with the version before.
        ours: The file with our version; it gets the result.
        theirs: The file with their version.
    """
    git = GitProgram(folder, environ)
    return git.run("merge-file", "--quiet", ours, base, theirs, ok=tuple(range(128))).code == 0


def _counted(base: Plan, ours: Plan, theirs: Plan, merged: Plan) -> Plan:
    """Returns a merged plan whose documents state what both sides added to the number of tasks.

    One file does not tell how many tasks there are; where each side states one number, the
    changes of both count.
    """
    for name, document in merged.documents.items():
        stated = [_stated(side, name) for side in (base, ours, theirs, merged)]
        was, mine, their, now = stated
        if was is None or mine is None or their is None or now is None:
            continue
        lines = set_counts(document.lines, now, mine + their - was)
        merged = merged.with_document(Document(name, {**document.parts, f.LINES: lines}))
    return merged


def _stated(plan: Plan, name: str) -> int | None:
    document = plan.documents.get(name)
    if document is None or f.LINES not in document.parts:
        return None
    numbers = {number for _, number in stated_counts(document.lines)}
    return numbers.pop() if len(numbers) == 1 else None
