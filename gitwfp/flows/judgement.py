"""The judgement of one pushed commit, by the plans in it and by its code."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from gitwfp.classes import dataclass, replace
from gitwfp.config.reading import FILE_NAME
from gitwfp.errors import Diagnostic, Location, Refusal, Severity, say
from gitwfp.files.codec import read_plan
from gitwfp.files.paths import (
    FileKind,
    find_sessions,
    find_workspaces,
    inside_of,
    kind_of,
    session_at,
    workspace_of,
)
from gitwfp.files.tree import FileTree, MissingFile
from gitwfp.flows.env import Env
from gitwfp.flows.records import Records
from gitwfp.flows.verify import Verified, judged
from gitwfp.git import pushes
from gitwfp.git.pushes import Update
from gitwfp.git.treediff import differing
from gitwfp.model.findings import GateDecision
from gitwfp.model.plan import IMPL_PLAN, Place, Plan, SessionRef
from gitwfp.verify.code import TASK_TRAILER, CodeCommit, newly_done, phantom, task_paths, unplanned

_COUNTING = (FileKind.PLAN, FileKind.COMPANION)


class Outcome(StrEnum):
    """What the gate made of one ref."""

    JUDGED = "judged"
    UNTOUCHED = "untouched"
    NO_PLAN = "no_plan"
    DELETED = "deleted"
    NO_COMMIT = "no_commit"
    PRIVATE = "private"
    COULD_NOT_JUDGE = "could_not_judge"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be said of one ref.

    Attributes:
        update: The ref, and where it shall lead.
        outcome: What was done.
        commit: The commit that was judged.
        base: The commits that it was held against; none where all of it counts.
        policy: The lowest decision that passes.
        sessions: The sessions that were verified.
        reasons: Why it is stopped, besides the decisions about the sessions.
        notices: What stops nothing.
    """

    update: Update
    outcome: Outcome
    commit: str | None = None
    base: tuple[str, ...] = ()
    policy: GateDecision = GateDecision.PROCEED_WITH_FIXES
    sessions: tuple[Verified, ...] = ()
    reasons: tuple[Diagnostic, ...] = ()
    notices: tuple[Diagnostic, ...] = ()

    @property
    def passes(self) -> bool:
        """Whether the ref may go."""
        return not self.reasons and all(one.passes for one in self.sessions)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of one commit against what the other side has.

    Attributes:
        env: The surroundings, with the settings that count.
        commit: The commit.
        base: The commits that the other side has; none where all of the plan counts.
        fork: Where the plan is compared from, if that is not the base.
        records: What is known already, and takes what is found.
    """

    env: Env
    commit: str
    base: tuple[str, ...]
    fork: str | None
    records: Records

    def verdict(self, update: Update) -> Verdict:
        """Returns what is to be said of a ref that is to lead to the commit."""
        store = self.env.repo.objects()
        tree = self.env.repo.commit_files(self.commit, self.env.settings.limits.file_bytes)
        compared = (self.fork,) if self.fork is not None else self.base
        trees = [store.tree_of(one) for one in compared]
        if not trees:
            refs = [ref for space in find_workspaces(tree) for ref in find_sessions(tree, space)]
            touched = dict.fromkeys(refs)
        else:
            touched = self._touched(trees)
        verdict = Verdict(
            update,
            Outcome.JUDGED,
            self.commit,
            self.base,
            GateDecision(self.env.settings.gate.policy),
        )
        if not touched:
            outcome = Outcome.UNTOUCHED if trees else Outcome.NO_PLAN
            return self._with_code(replace(verdict, outcome=outcome), ())
        return self._with_code(self._judged(verdict, tree, touched), tuple(touched))

    def _touched(self, trees: Sequence[str]) -> dict[SessionRef, None]:
        """Returns the sessions that differ from each of some trees in more than reports."""
        store = self.env.repo.objects()
        new = store.tree_of(self.commit)
        found: list[set[SessionRef]] = []
        for old in trees:
            refs = set()
            for change in differing(store, old, new):
                workspace = workspace_of(change.path)
                ref = None if workspace is None else session_at(workspace, change.path)
                if ref is not None and kind_of(inside_of(ref, change.path)) in _COUNTING:
                    refs.add(ref)
            found.append(refs)
        return dict.fromkeys(sorted(set.intersection(*found)))

    def _judged(
        self, verdict: Verdict, tree: FileTree, touched: Mapping[SessionRef, None]
    ) -> Verdict:
        sessions: list[Verified] = []
        reasons: list[Diagnostic] = []
        notices: list[Diagnostic] = []
        for ref in touched:
            plan = read_plan(tree, ref)
            _raise_what_is_missing(tree, plan)
            if not plan.source.files:
                notices.append(_gone(ref))
            elif ref.place is Place.ARCHIVED:
                reasons.extend(one for one in plan.problems if one.severity is Severity.ERROR)
            elif not plan.tasks and not plan.problems:
                notices.append(_without_tasks(ref))
            else:
                if IMPL_PLAN not in plan.documents and ref.place is not Place.LITE:
                    notices.append(_without_document(ref))
                one = judged(self.env, tree, plan, self.records, is_whole=False)
                sessions.append(one)
                warned = (note for note in one.notices if note.severity is Severity.WARNING)
                notices.extend(warned)
        return replace(
            verdict,
            sessions=tuple(sessions),
            reasons=(*verdict.reasons, *reasons),
            notices=(*verdict.notices, *notices),
        )

    def _with_code(self, verdict: Verdict, touched: Sequence[SessionRef]) -> Verdict:
        """Returns a verdict with what the code and the plan say of each other."""
        wanted = self.env.settings.gate.code
        compared = (self.fork,) if self.fork is not None else self.base
        # Where nothing is there to compare with, all code there is was written before any plan.
        if wanted == "off" or not compared or not (touched or wanted == "block"):
            return verdict
        found = tuple(self._code(compared, verdict.sessions))
        if wanted == "block":
            errors = tuple(replace(one, severity=Severity.ERROR) for one in found)
            return replace(verdict, reasons=(*verdict.reasons, *errors))
        return replace(verdict, notices=(*verdict.notices, *found))

    def _code(self, compared: Sequence[str], sessions: Sequence[Verified]) -> Iterator[Diagnostic]:
        env = self.env
        before = env.repo.commit_files(compared[0])
        plans = [*self._active(before), *self._active(env.repo.commit_files(self.commit))]
        commits = pushes.commits_between(env.repo, self.commit, compared, TASK_TRAILER)
        yield from unplanned(map(_as_code, commits), plans)
        committed = {path for one in commits for path in one.paths}
        for one in sessions:
            ref, plan = one.plan.ref, one.plan
            for task in newly_done(read_plan(before, ref), plan):
                paths = task_paths(task)
                if any(_is_below(path, paths) for path in committed) or task.origin is None:
                    continue
                if pushes.has_commit_since(env.repo, self.commit, task.origin.path, paths) is False:
                    yield phantom(plan, task.id)

    def _active(self, tree: FileTree) -> Iterator[Plan]:
        for workspace in find_workspaces(tree):
            for ref in find_sessions(tree, workspace):
                if ref.place is not Place.ARCHIVED:
                    yield read_plan(tree, ref)


def _raise_what_is_missing(tree: FileTree, plan: Plan) -> None:
    """Raises the refusal of the object store for a file that the plan should be judged by.

    A repository that lacks an object says nothing about the plan.
    """
    for path in plan.source.unreadable:
        try:
            tree.read(path)
        except MissingFile as missing:
            if isinstance(missing.__cause__, Refusal):
                raise missing.__cause__ from None


def _as_code(one: pushes.Pushed) -> CodeCommit:
    outside = (path for path in one.paths if workspace_of(path) is None)
    paths = tuple(path for path in outside if path != FILE_NAME)
    tasks = tuple(name for text in one.tasks for name in text.replace(",", " ").split())
    return CodeCommit(one.id, one.subject, tasks, paths)


def _is_below(path: str, folders: Sequence[str]) -> bool:
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


def _gone(ref: SessionRef) -> Diagnostic:
    return Diagnostic(
        "session-gone",
        say("Session {session} is not in the pushed commit any more.", session=ref.id),
        Severity.NOTE,
        Location(ref.folder, session=ref.id),
    )


def _without_document(ref: SessionRef) -> Diagnostic:
    return Diagnostic(
        "no-impl-plan",
        say(
            "Session {session} has no {document}; what depends on it was not looked at.",
            session=ref.id,
            document=IMPL_PLAN,
        ),
        Severity.WARNING,
        Location(ref.folder, session=ref.id),
    )


def _without_tasks(ref: SessionRef) -> Diagnostic:
    return Diagnostic(
        "no-task",
        say("Session {session} has no task to verify.", session=ref.id),
        Severity.NOTE,
        Location(ref.folder, session=ref.id),
    )
