"""What init, deinit and doctor answer in JSON; see `gitwfp.cli.answers`."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from gitwfp.classes import dataclass
from gitwfp.errors import Location, Text


@dataclass(frozen=True, slots=True)
class SetupStep:
    """A file or folder that is made, changed, taken back or left.

    Attributes:
        path: From the repository root; of a setting of git's, its key.
        kind: `file`, `folder`, `hook`, or `setting` (of git's, in this repository).
        action: init: `make`, `change`; deinit: `remove`, `restore`, `keep` (it is not as init left
            it), `gone` (it is not there any more).
    """

    path: str
    kind: Literal["file", "folder", "hook", "setting"]
    action: Literal["make", "change", "remove", "restore", "keep", "gone"]


@dataclass(frozen=True, slots=True)
class AdoptedLine:
    """A session that was there already.

    Attributes:
        id: Its id.
        folder: Its folder.
        place: `active`, `lite` or `archived`.
        title: Its title.
        tasks: Number of tasks.
        problems: Number of files that could not be understood.
    """

    id: str
    folder: str
    place: str
    title: str
    tasks: int
    problems: int


@dataclass(frozen=True, slots=True)
class IgnoreLine:
    """The ignore rule that hides the plans.

    Attributes:
        source: The file that holds it.
        line: Its line.
        pattern: The rule.
        exception_file: The file that an exception would go to; null where none would help.
        exception: The lines of the exception.
    """

    source: str
    line: int
    pattern: str
    exception_file: str | None
    exception: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Init:
    """The answer of `git wfp init`.

    Attributes:
        workspace: The folder of the plans.
        changed: Whether there is anything to make or change.
        written: Whether it happened; false for a dry run.
        steps: What is made and changed.
        sessions: The sessions that were there already; none of their bytes change.
        tools: Tools that were imported, and whether each is enabled.
        ignored: The rule that hides the plans from git, null when none does.
        next: The command that comes next.
    """

    KIND: ClassVar[str] = "init"

    workspace: str
    changed: bool
    written: bool
    steps: tuple[SetupStep, ...]
    sessions: tuple[AdoptedLine, ...]
    tools: Mapping[str, bool]
    ignored: IgnoreLine | None
    next: str


@dataclass(frozen=True, slots=True)
class Deinit:
    """The answer of `git wfp deinit`.

    Attributes:
        changed: Whether there is anything to take back.
        written: Whether it happened; false for a dry run.
        steps: What becomes of everything that init had made.
    """

    KIND: ClassVar[str] = "deinit"

    changed: bool
    written: bool
    steps: tuple[SetupStep, ...]


@dataclass(frozen=True, slots=True)
class CheckLine:
    """One thing that was looked at.

    Attributes:
        code: Stable kebab-case reference.
        severity: How bad it is.
        observed: What is so.
        expected: What should be so.
        why: Why it matters.
        remedy: What to do, null where there is nothing to do.
        location: Where.
        fix: What `--fix` can do about it: `journal`, `pending`, `ignore`; null if nothing.
    """

    code: str
    severity: Literal["ok", "note", "warning", "error"]
    observed: Text
    expected: Text
    why: Text
    remedy: Text | None
    location: Location
    fix: Literal["journal", "pending", "ignore"] | None


@dataclass(frozen=True, slots=True)
class Doctor:
    """The answer of `git wfp doctor`.

    Attributes:
        healthy: Whether nothing is worse than a note.
        checks: All that was looked at.
        fixed: What `--fix` did, in order.
    """

    KIND: ClassVar[str] = "doctor"

    healthy: bool
    checks: tuple[CheckLine, ...]
    fixed: tuple[str, ...]
