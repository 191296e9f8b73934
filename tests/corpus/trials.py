"""Trials: a change of a corpus session through the whole pipeline, and the way back.

A trial ends in one word. `same tree` is success: the change was committed and its rollback gave
the identical tree. `refused` has the reference of the refusal. Everything else is a failure.
"""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from gitwfp.config import Settings
from gitwfp.errors import Diagnostic, ExitCode, Refusal, Text, say
from gitwfp.files import todolist
from gitwfp.files.codec import read_plan
from gitwfp.files.tree import MemoryFiles
from gitwfp.flows.env import Env
from gitwfp.flows.replan import Request, replan
from gitwfp.flows.targets import RollbackRequest
from gitwfp.flows.ui import Choice, Preview, Stage
from gitwfp.flows.undo import rollback
from gitwfp.flows.work import Options
from gitwfp.git.repository import Repository
from gitwfp.model import fields as f
from gitwfp.model.plan import PLAN_JSON, TODO_LIST, Place, Plan, SessionRef
from gitwfp.planners.file import FilePlanner
from gitwfp.policy.clarify import Answers
from gitwfp.policy.planning import Planner
from gitwfp.verify.consistency import check
from tests.corpus.folders import Folder, git, make_repository

SAME_TREE = "same tree"
REFUSED = "refused"
NOTHING_CHANGED = "nothing changed"

REQUIREMENT = "Refuse a request that comes a second time"
CRITERION = "A second request is answered with an error"

Operation = Mapping[str, Any]


class NobodyThere:
    """A program at the other end: it is asked nothing, and what it is told is kept.

    Attributes:
        told: The warnings.
    """

    interactive = False

    def __init__(self) -> None:
        self.told: list[Diagnostic] = []

    def tell(self, text: Text) -> None:
        """Takes no notice of how far the work has come."""

    def track(self, stages: Sequence[Stage]) -> None:
        """Takes no notice of the steps."""

    def warn(self, diagnostic: Diagnostic) -> None:
        """Keeps a warning."""
        self.told.append(diagnostic)

    def show(self, block: Preview) -> None:
        """Takes no notice of a preview."""

    def choose(self, question: Text, choices: Sequence[Choice], default: str, *, flag: str) -> str:
        """Refuses to answer: a trial that needs an answer is wrong."""
        raise Refusal("asked", say("A question was asked: {q}", q=question), ExitCode.USAGE)

    def choose_several(
        self, question: Text, choices: Sequence[Choice], defaults: Sequence[str], *, flag: str
    ) -> tuple[str, ...]:
        """Refuses to answer, as above."""
        return (self.choose(question, choices, defaults[0], flag=flag),)


def ticking_clock() -> Callable[[], datetime]:
    """Returns a clock that goes on by one second whenever it is read."""
    moments: Iterator[datetime] = (
        datetime(2026, 11, 30, 19, 0, tzinfo=UTC) + timedelta(seconds=n) for n in range(10**6)
    )
    return lambda: next(moments)


def standing_place(ref: SessionRef) -> tuple[str, str | None]:
    """Returns the folder to stand in for a session, and the name to call it by from there."""
    if ref.folder == ref.workspace:
        return ref.workspace.rpartition("/")[0], ref.id
    return ref.folder, None


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of one change.

    Attributes:
        folder: The repository's name.
        session: The session's folder.
        shape: How its tasks are written.
        operation: What was tried.
        end: How it ended, in one word.
        reason: Why, where it did not succeed.
    """

    folder: str
    session: str
    shape: str
    operation: str
    end: str
    reason: str = ""

    def __str__(self) -> str:
        reason = f" ({self.reason})" if self.reason else ""
        return f"{self.folder}: {self.session}: {self.operation}: {self.end}{reason}"


@dataclass(frozen=True, slots=True)
class Bench:
    """A repository to try changes in, over and over.

    Attributes:
        folder: What it holds.
        path: Where it is.
        settings: The settings in force.
        clock: The clock.
    """

    folder: Folder
    path: Path
    settings: Settings
    clock: Callable[[], datetime]

    def plan(self, ref: SessionRef) -> Plan:
        """Returns a session's plan as the corpus has it."""
        return read_plan(MemoryFiles(self.folder.files), ref)

    def env(self, repo: Repository) -> Env:
        """Returns the surroundings of a command."""
        return Env(repo, self.settings, NobodyThere(), self.clock)

    def replan(self, ref: SessionRef, operations: Iterable[Operation]) -> str | None:
        """Replans a session by operations; returns the commit, None when nothing changed."""
        return self.ask(ref, FilePlanner(json.dumps({"operations": list(operations)}).encode()))

    def ask(self, ref: SessionRef, planner: Planner, answers: Answers | None = None) -> str | None:
        """Replans a session as a planner reads the request; returns as `replan` does."""
        place, name = standing_place(ref)
        with Repository.open(str(self.path / place), os.environ, lasts=True) as repo:
            options = Options(yes=True)
            request = Request(planner, name, answers or Answers(), options=options)
            return replan(self.env(repo), request).commit

    def roll_back(self, ref: SessionRef) -> str | None:
        """Takes the last replan of a session back; returns the commit."""
        place, name = standing_place(ref)
        with Repository.open(str(self.path / place), os.environ, lasts=True) as repo:
            request = RollbackRequest(session=name, options=Options(yes=True))
            return rollback(self.env(repo), request).commit

    def reset(self) -> None:
        """Begins anew with the folder as the corpus has it."""
        make_repository(self.folder, self.path)


def bench(folder: Folder, path: Path, settings: Settings | None = None) -> Bench:
    """Makes a repository of a folder to try changes in."""
    make_repository(folder, path)
    return Bench(folder, path, settings or Settings(), ticking_clock())


def try_out(bench: Bench, ref: SessionRef, name: str, operations: Iterable[Operation]) -> Trial:
    """Replans a session and takes it back; a trial that fails leaves a fresh repository."""
    return try_change(bench, ref, name, lambda: bench.replan(ref, operations))


def try_change(bench: Bench, ref: SessionRef, name: str, change: Callable[[], str | None]) -> Trial:
    """Changes a session in any way that returns a commit, and takes it back; as `try_out`."""
    end, reason = _end_of(bench, ref, change)
    if end != SAME_TREE:
        bench.reset()
    shape = bench.plan(ref).shape.value
    return Trial(bench.folder.name, ref.folder, shape, name, end, reason)


def _end_of(  # noqa: PLR0911 - one return a way to end
    bench: Bench, ref: SessionRef, change: Callable[[], str | None]
) -> tuple[str, str]:
    before = _tree(bench.path)
    known = {finding.key for finding in check(bench.plan(ref))}
    try:
        if change() is None:
            return NOTHING_CHANGED, ""
    except Refusal as refusal:
        changed = _tree(bench.path) != before or git(bench.path, "status", "--porcelain")
        return ("refused, but changed" if changed else REFUSED), refusal.code
    if _tree(bench.path) == before:
        return "committed nothing", ""
    with Repository.open(str(bench.path), os.environ, lasts=True) as repo:
        files = repo.commit_files(repo.head().commit)
        worse = [f for f in check(read_plan(files, ref)) if f.key not in known]
    if worse:
        return "verifies worse", worse[0].rule
    if unclean := git(bench.path, "status", "--porcelain"):
        return "unclean after the replan", unclean.splitlines()[0]
    try:
        bench.roll_back(ref)
    except Refusal as refusal:
        return "rollback refused", refusal.code
    if _tree(bench.path) != before:
        differing = git(bench.path, "diff", "--stat", before, _tree(bench.path))
        return "another tree", differing.splitlines()[0].strip()
    if unclean := git(bench.path, "status", "--porcelain"):
        return "unclean after the rollback", unclean.splitlines()[0]
    return SAME_TREE, ""


def _tree(path: Path) -> str:
    return git(path, "rev-parse", "HEAD^{tree}")


def can_be_replanned(ref: SessionRef, plan: Plan) -> bool:
    """Tells whether a session is alive and has an open task."""
    return ref.place is not Place.ARCHIVED and bool(plan.open_tasks)


def update(task: str) -> tuple[Operation, ...]:
    """Returns the operations of the usual replan: one more requirement and one more criterion."""
    edit = {"requirements": {"add": [REQUIREMENT]}, "acceptance": {"add": [CRITERION]}}
    return ({"type": "update", "task": task, **edit},)


def structural(plan: Plan) -> Iterator[tuple[str, tuple[Operation, ...]]]:
    """Yields the changes of structure that a plan with open tasks allows, each with its name."""
    ids = [task.id for task in plan.open_tasks]
    first, last = ids[0], ids[-1]
    new = {
        "title": "Answer repeated requests",
        "requirements": [REQUIREMENT],
        "acceptance": [CRITERION],
    }
    yield "create", ({"type": "create", **new, "after": first, "depends_on": [first]},)
    yield "split", ({"type": "split", "task": first, "parts": [{"title": "A"}, {"title": "B"}]},)
    yield "delete", ({"type": "delete", "task": first, "dependents": "bridge"},)
    if first != last:
        yield "merge", ({"type": "merge", "tasks": ids[:2]},)
    if first != last and _has_order(plan):
        yield "reorder", ({"type": "reorder", "task": last, "before": first},)


def _has_order(plan: Plan) -> bool:
    """Tells whether a plan states an order that can be written: task lines, or `task_ids`."""
    overview, todo = plan.documents.get(PLAN_JSON), plan.documents.get(TODO_LIST)
    if overview is not None and f.TASK_IDS in overview.parts:
        return True
    return todo is not None and todolist.is_editable(todo.lines, tuple(plan.tasks))


def table(trials: Iterable[Trial]) -> str:
    """Returns trials counted by what was tried, how it ended and why."""
    counted = Counter((t.operation, t.end, t.reason) for t in trials)
    totals = Counter[str]()
    for (operation, _, _), count in counted.items():
        totals[operation] += count
    rows = [("change", "end", "reason", "sessions", "share")]
    for (operation, end, reason), count in sorted(counted.items()):
        share = f"{100 * count / totals[operation]:.0f} %"
        rows.append((operation, end, reason or "-", str(count), share))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
