"""What is measured: whole commands, and in process the publication and the merge.

The numbers of the rows are those of the project's list of goals. Units, measured in the same run:
B `python -c pass`, G `git log -1`, C `git add` of five files and `git commit`, J reading the three
plans of a merge.
"""

import shutil
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.clockwork import Case, Measure, Seconds, timed
from benchmarks.places import Place
from gitwfp.change.merge import Rules, merge
from gitwfp.files.bookkeeping import is_bookkeeping_line, set_counts
from gitwfp.files.codec import read_plan
from gitwfp.files.tree import FileTree, MemoryFiles
from gitwfp.git.commits import NewCommit
from gitwfp.git.publish import publish
from gitwfp.git.repository import Repository
from gitwfp.model import fields as f
from gitwfp.model.plan import Place as SessionPlace
from gitwfp.model.plan import Plan, SessionRef
from tests.plans import plan_folder

CHOSEN = "WFS-berths-1"
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def make_workspace(
    path: Path, environ: Mapping[str, str], *, files: int, sessions: int, tasks: int, commits: int
) -> Place:
    """Makes a repository with code and sessions.

    Args:
        path: Where.
        environ: The environment of every command.
        files: How many files of code.
        sessions: How many sessions.
        tasks: How many tasks each session has.
        commits: How many commits of code come before the plans.
    """
    place = Place(path, environ)
    place.git("init", "--quiet")
    if commits:
        place.git("fast-import", "--quiet", input=_history(commits))
        place.git("reset", "--quiet", "--hard")
    place.write({f"src/part{n % 50}/module{n}.py": f"n = {n}\n" for n in range(files)})
    for number in range(sessions):
        place.plan("nested", tasks, f"WFS-berths-{number + 1}")
    place.commit("plans and code")
    timed(wfp("use", CHOSEN), str(path), place.environ)
    return place


def _history(commits: int) -> str:
    """Returns a stream of commits for `git fast-import`, one file changed in each."""
    stream = []
    for number in range(commits):
        text = f"n = {number}\n"
        stream.append(
            "commit refs/heads/main\n"
            f"committer Ada Lin <ada@example.org> {1700000000 + 60 * number} +0000\n"
            f"data {len(text)}\n{text}"
            f"M 100644 inline src/old{number % 500}.py\ndata {len(text)}\n{text}\n"
        )
    return "".join(stream)


def wfp(*words: str) -> list[str]:
    """Returns the words that start `git wfp`: the installed script where there is one."""
    script = Path(sys.executable).parent / "git-wfp"
    return [str(script), *words] if script.exists() else [sys.executable, "-m", "gitwfp", *words]


def units(large: Place, merged_tasks: int) -> dict[str, Case]:
    """Returns the references; the plans that are merged have so many tasks."""
    pass_words = [sys.executable, "-c", "pass"]
    versions = _plans_of_a_merge(merged_tasks)
    reading = [MemoryFiles(plan.source.files) for plan in versions]

    def read(_: int) -> Seconds:
        start = time.perf_counter()
        for tree in reading:
            read_plan(tree, versions[0].ref)
        return time.perf_counter() - start

    return {
        "B": Case("", "B: python -c pass", _running(large, lambda _: pass_words)),
        "G": Case("", "G: git log -1", _running(large, lambda _: ["git", "log", "-1"])),
        "C": Case("", "C: git add of five files, git commit", _commit(large)),
        "J": Case("", f"J: reading three plans of {merged_tasks} tasks", read),
    }


def cases(large: Place, small: Place, merged_tasks: int) -> list[Case]:
    """Returns everything that is measured.

    Args:
        large: A repository with a thousand tasks.
        small: One with ten.
        merged_tasks: How many tasks the plans have that are merged.
    """
    words = ("status", "list", "next")
    found = [
        Case("1", f"git wfp {word}, all tasks, again", _again(large, word), {"B": 1}, 2.0)
        for word in words
    ]
    found += [
        Case("2", f"git wfp {word}, 10 tasks, again", _again(small, word), {"B": 1}, 1.5)
        for word in words
    ]
    for place, size in ((small, "10 tasks"), (large, "all tasks")):
        forget, change = _forgetting(place, "status"), _changing(place, "status")
        found += [
            Case("2", f"git wfp status, {size}, nothing cached", forget, {"B": 1}, 5.0),
            Case("2", f"git wfp status, {size}, one session changed", change, {"B": 1}, 3.0),
        ]
    found += [
        Case("8", "git wfp -h", _running(large, lambda _: wfp("-h")), {"B": 1}, 4.5),
        Case(
            "8", "git wfp replan -h", _running(large, lambda _: wfp("replan", "-h")), {"B": 1}, 4.5
        ),
        Case("11", "publish five files, warm", _publish(large), {"C": 1}, 0.8),
        Case("12", 'git wfp replan IMPL-3 "..." -y', _replan(large), {"B": 6, "C": 1.5}, 1.0),
        Case(
            "12", "git wfp replan -y --from, four tasks", _from_file(large), {"B": 6, "C": 1.5}, 1.0
        ),
        Case("13", "git wfp rollback --last -y", _rollback(large), {"B": 6, "C": 1.5}, 1.0),
        Case("14", "git wfp log, again", _again(large, "log"), {"G": 3, "B": 5}, 1.0),
        Case("14", "git wfp log, nothing cached", _forgetting(large, "log"), {"G": 3, "B": 5}, 1.0),
        Case(
            "19", f"merge of two plans of {merged_tasks} tasks", _merge(merged_tasks), {"J": 1}, 3.0
        ),
    ]
    return found


def _running(place: Place, words: Callable[[int], list[str]]) -> Measure:
    return lambda number: timed(words(number), str(place.path), place.environ)


def _again(place: Place, word: str) -> Measure:
    """Measures a reader that was asked the same just before, when nothing changes between."""

    def measure(_: int) -> Seconds:
        for _ in range(2):
            timed(wfp(word), str(place.path), place.environ)
        return timed(wfp(word), str(place.path), place.environ)

    return measure


def _forgetting(place: Place, word: str) -> Measure:
    """Measures a reader of which no answer is remembered."""

    def measure(_: int) -> Seconds:
        shutil.rmtree(place.path / ".git" / "wfp" / "answers", ignore_errors=True)
        return timed(wfp(word), str(place.path), place.environ)

    return measure


def _changing(place: Place, word: str) -> Measure:
    """Measures a reader after a task of the session was edited."""
    task = place.path / ".workflow" / "active" / CHOSEN / ".task" / "IMPL-1.json"

    def measure(number: int) -> Seconds:
        timed(wfp(word), str(place.path), place.environ)
        held = task.read_text("utf-8")
        try:
            task.write_text(held.replace("{", f'{{"round": {number}, ', 1), "utf-8")
            return timed(wfp(word), str(place.path), place.environ)
        finally:
            task.write_text(held, "utf-8")

    return measure


def _commit(place: Place) -> Measure:
    names = [f"src/part{n}/module{n}.py" for n in range(5)]
    script = 'git add "$@" && git commit -q -m "five files"'

    def measure(number: int) -> Seconds:
        place.write({name: f"n = {number}, {time.time_ns()}\n" for name in names})
        return timed(["sh", "-c", script, "sh", *names], str(place.path), place.environ)

    return measure


def _replan(place: Place) -> Measure:
    def words(number: int) -> list[str]:
        wish = f"Answer the request number {number} within a second"
        return wfp("replan", "IMPL-3", wish, "-y", "-s", "WFS-berths-2")

    return _running(place, words)


def _from_file(place: Place) -> Measure:
    def words(number: int) -> list[str]:
        tasks = [f"IMPL-{n}" for n in range(1, 5)]
        file = place.operations("four", tasks, f"Answer {number} guests at once")
        return wfp("replan", "-y", "-s", "WFS-berths-3", "--from", str(file))

    return _running(place, words)


def _rollback(place: Place) -> Measure:
    def measure(number: int) -> Seconds:
        file = place.operations("one", ["IMPL-2"], f"Answer {number} guests in a row")
        change = wfp("replan", "-y", "-s", "WFS-berths-4", "--from", str(file))
        timed(change, str(place.path), place.environ)
        undo = wfp("rollback", "--last", "-y", "-s", "WFS-berths-4")
        return timed(undo, str(place.path), place.environ)

    return measure


def _publish(place: Place) -> Measure:
    """Measures a publication in a process that has done one before."""
    folder = ".workflow/active/WFS-berths-5/.task"
    names = [f"{folder}/IMPL-{n}.json" for n in range(1, 6)]

    def accept(_: FileTree) -> None:
        """Takes what was written as it is."""

    def measure(number: int) -> Seconds:
        with Repository.open(str(place.path), place.environ, lasts=True) as repo:
            head = repo.head()
            held = {name: (place.path / name).read_bytes() for name in names}
            edits: dict[str, bytes | None] = {
                name: content.replace(b'"status"', b'"n%d": %d, "status"' % (number, number), 1)
                for name, content in held.items()
            }
            start = time.perf_counter()
            publish(
                repo,
                base=head.commit,
                commits=[NewCommit(f"five files {number}\n", edits)],
                branch=f"wfp/WFS-berths-5/bench-{number}",
                move=head.ref or "HEAD",
                reflog="bench",
                expect=held,
                look=accept,
                now=NOON,
            )
            return time.perf_counter() - start

    return measure


def _plans_of_a_merge(tasks: int) -> tuple[Plan, Plan, Plan]:
    folder = plan_folder("nested", tasks, session="WFS-large")
    files = {path: text.encode() for path, text in folder.files.items()}
    ref = SessionRef("WFS-large", folder.path, SessionPlace.ACTIVE, ".workflow")
    base = read_plan(MemoryFiles(files), ref)
    ours, theirs = base, base
    for number, task in enumerate(base.tasks.values()):
        wanted = (*task.texts(f.REQUIREMENTS), f"Answer request {number} once")
        changed = task.with_field(f.REQUIREMENTS, wanted)
        if number % 2:
            ours = ours.with_task(changed)
        else:
            theirs = theirs.with_task(changed.with_field(f.TITLE, f"Task {number}"))
    return base, ours, theirs


def _merge(tasks: int) -> Measure:
    base, ours, theirs = _plans_of_a_merge(tasks)
    rules = Rules(is_bookkeeping_line, set_counts)

    def measure(_: int) -> Seconds:
        start = time.perf_counter()
        merged = merge(base, ours, theirs, rules)
        seconds = time.perf_counter() - start
        if merged.conflicts:
            raise RuntimeError("the two plans were to merge without a conflict")
        return seconds

    return measure
