"""The values of the pipeline: what a command makes of a plan, and what came of it."""

from collections.abc import Callable
from typing import Final, Protocol

from gitwfp.change.changeset import ChangeSet
from gitwfp.classes import dataclass
from gitwfp.errors import Diagnostic, Refusal, Severity
from gitwfp.files.paths import FileKind, inside_of, kind_of
from gitwfp.files.tree import FileEdits
from gitwfp.flows.env import Env
from gitwfp.flows.names import Stamp
from gitwfp.flows.snapshot import Snapshot
from gitwfp.model.findings import Finding
from gitwfp.model.plan import Plan, SessionRef
from gitwfp.policy import message as m
from gitwfp.policy.replan import Proposal


class Landing:
    """How the commits reach the checked-out branch."""

    FAST_FORWARD: Final = "ff"
    MERGE: Final = "merge"
    MANUAL: Final = "manual"


@dataclass(frozen=True, slots=True)
class Step:
    """One commit of a change.

    Attributes:
        message: Its message, but for what is known only when it is made.
        edits: The new bytes of the files that it changes.
        made: Its id, when it is there already and only lands.
    """

    message: m.Message
    edits: FileEdits
    made: str | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """What a command makes of a plan.

    Attributes:
        before: The plan it starts from.
        after: The plan it leads to.
        steps: The commits that lead there.
        proposal: The replan behind it, when there is one.
        notes: What a person should know.
        asks_for_yes: Whether it takes things away, so that a program must say --yes.
        is_adoption: Whether its files are in the worktree already, and it commits just them.
        tolerates: Plans whose inconsistencies may come back, because they are restored.
        adjust: Asks the person the questions again; None where there is nothing to adjust.
        refusal: Says what inconsistencies that it would bring mean for it; None where they
            speak for themselves.
    """

    before: Plan
    after: Plan
    steps: tuple[Step, ...]
    proposal: Proposal | None = None
    notes: tuple[Diagnostic, ...] = ()
    asks_for_yes: bool = False
    is_adoption: bool = False
    tolerates: tuple[Plan, ...] = ()
    adjust: "Callable[[], Work] | None" = None
    refusal: Callable[[tuple[Finding, ...]], Refusal] | None = None

    @property
    def edits(self) -> FileEdits:
        """The new bytes of all files that it changes."""
        return {path: data for step in self.steps for path, data in step.edits.items()}


class Work(Protocol):
    """What a command wants done to a session's plan."""

    @property
    def kind(self) -> str:
        """The word that its branch carries."""
        ...

    @property
    def takes_edits(self) -> bool:
        """Whether uncommitted plan edits may be committed first as a checkpoint."""
        ...

    def draft(self, env: Env, snapshot: Snapshot, stamp: Stamp) -> Draft:
        """Returns what the command makes of the plan as it stands."""
        ...


@dataclass(frozen=True, slots=True)
class Options:
    """How a change is carried out.

    Attributes:
        yes: Whether nobody needs to be asked.
        dry_run: Whether to stop before anything is written.
        branch_only: Whether to leave the commit on its branch.
        landing: `ff`, `merge` or `manual`.
    """

    yes: bool = False
    dry_run: bool = False
    branch_only: bool = False
    landing: str = Landing.FAST_FORWARD


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command has done, or would do.

    Attributes:
        ref: The session.
        changed: Whether anything changes.
        written: Whether it was written; False for a dry run.
        stamp: The replan id and branch.
        changes: What changes.
        draft: The change in full; None when nothing changes.
        commit: The commit made.
        checkpoint: The checkpoint commit made before it.
        backup: The commit to go back to.
        branch: The branch it lies on.
        landed: The ref that was moved to it.
        older: Findings that the plan had before.
        notices: What a person should know.
        back: What rollback is told to take it back, where that is not the replan's id.
    """

    ref: SessionRef
    changed: bool
    written: bool
    stamp: Stamp
    changes: ChangeSet
    draft: Draft | None = None
    commit: str | None = None
    checkpoint: str | None = None
    backup: str | None = None
    branch: str | None = None
    landed: str | None = None
    older: tuple[Finding, ...] = ()
    notices: tuple[Diagnostic, ...] = ()
    back: str | None = None


def as_diagnostic(finding: Finding, severity: Severity = Severity.ERROR) -> Diagnostic:
    """Returns a finding as a line for people and programs."""
    return Diagnostic(
        finding.rule, finding.message, severity, finding.location, finding.recommendation
    )


def changed_files(ref: SessionRef, edits: FileEdits) -> tuple[str, ...]:
    """Returns the plan files among some edits, as seen from the session's folder."""
    inside = (inside_of(ref, path) for path in sorted(edits))
    return tuple(path for path in inside if kind_of(path) is not FileKind.OTHER)
