"""Torture: the real command killed at random, and many of them at once.

`make torture` runs all of it and prints what was counted; `docs/reliability.md` has the figures of
one such run. A round that finds anything amiss raises with what it found and leaves the repository.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from benchmarks.places import Place, command, sealed_environment

SESSIONS = ("WFS-harbour", "WFS-pier", "WFS-crane")
TASKS = 6
REFUSALS = frozenset({5, 6})
"""Somebody else was faster, or the lock was held for too long: what many at once may be told."""

PATIENCE = 120.0

_RECENT = 5
"""So many runs say how long one takes now: the machine may have other things to do."""

FOREIGN: Mapping[str, str] = {
    "src/staged.py": "staged = True\n",
    "src/dirty.py": "dirty = True\n",
    "notes.txt": "nobody tracks me\n",
}


class Amiss(AssertionError):  # noqa: N818 - it reads as what it states
    """What must never happen did."""


@dataclass(slots=True)
class Tally:
    """What was counted in a run.

    Attributes:
        title: What was run.
        counts: The figures by name, in the order of the table.
    """

    title: str
    counts: Counter[str] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        """Returns the tally as a table in Markdown."""
        rows = [f"| {name} | {count} |" for name, count in self.counts.items()]
        return ["", f"### {self.title}", "", "| what | count |", "|---|---|", *rows]


def make_place(path: Path, environ: Mapping[str, str], files: int = 200) -> Place:
    """Makes a repository with three plans, code, and work of its user that nobody may touch."""
    place = Place(path, environ)
    place.git("init", "--quiet")
    place.write({f"src/part{n % 20}/module{n}.py": f"n = {n}\n" for n in range(files)})
    place.write({"src/dirty.py": "dirty = False\n"})
    place.plan("nested", TASKS, SESSIONS[0])
    place.plan("flat", TASKS, SESSIONS[1])
    place.plan("nested", TASKS, SESSIONS[2])
    place.commit("harbour")
    add_foreign_work(place)
    return place


def add_foreign_work(place: Place) -> None:
    """Stages one file, edits another and leaves a third untracked."""
    place.write(FOREIGN)
    place.git("add", "src/staged.py")


def check(place: Place, texts: Mapping[str, bool | None]) -> dict[str, bool]:
    """Checks that a repository is whole.

    Args:
        place: The repository.
        texts: Requirements that somebody tried to add: whether it was done, None for unknown.

    Returns:
        Which of them are there.

    Raises:
        Amiss: HEAD, index and worktree disagree, objects are broken, foreign work was touched, or
            a change is lost or came although it was refused.
    """
    if differing := place.git("status", "--porcelain", "--", ".workflow"):
        raise Amiss(f"HEAD, index and worktree disagree:\n{differing}")
    if broken := place.git("fsck", "--strict", "--no-dangling", "--no-progress"):
        raise Amiss(f"git fsck: {broken}")
    for name, content in FOREIGN.items():
        if (place.path / name).read_text("utf-8") != content:
            raise Amiss(f"{name} was touched")
    staged = place.git("diff", "--cached", "--name-only")
    dirty = place.git("diff", "--name-only")
    if (staged, dirty) != ("src/staged.py", "src/dirty.py"):
        raise Amiss(f"staged are {staged!r}, edited are {dirty!r}")
    plan = "".join(
        file.read_text("utf-8") for file in sorted((place.path / ".workflow").rglob(".task/*.json"))
    )
    found = {text: text in plan for text in texts}
    for text, expected in texts.items():
        if expected is not None and found[text] is not expected:
            raise Amiss(f"{text!r}: reported {expected}, there {found[text]}")
    return found


def replan(place: Place, session: str, name: str, task: str, text: str) -> list[str]:
    """Returns the words of a replan that adds a requirement to a task."""
    file = place.operations(name, (task,), text)
    return command("replan", "-y", "--json", "-s", session, "--from", str(file))


def task_of(number: int) -> str:
    """Returns the id of a task."""
    return f"IMPL-{number % TASKS + 1}"


def kill_at_random(place: Place, kills: int, seed: int, *, deadline: float = float("inf")) -> Tally:
    """Kills replans at random moments and lets the next command find the repository.

    Args:
        place: The repository.
        kills: How many.
        seed: Decides the moments.
        deadline: When to stop, on the monotonic clock.

    Raises:
        Amiss: A round found something wrong.
    """
    rng = random.Random(seed)
    tally = Tally(f"SIGKILL at random moments of a replan (seed {seed})")
    counts = tally.counts
    for name in (
        "kills",
        "old plan",
        "new plan",
        "ended before the kill",
        "journal left",
        "lock left",
    ):
        counts[name] = 0
    spans = _typical_seconds(place)
    texts: dict[str, bool | None] = {}
    while counts["kills"] < kills and time.monotonic() < deadline:
        number = counts["kills"]
        session = SESSIONS[number % len(SESSIONS)]
        text = f"Survive kill {number} of seed {seed}"
        words = replan(place, session, "killed", task_of(number), text)
        # The second half is where things are written.
        span = median(spans[-_RECENT:]) * 1.05
        wait = rng.uniform(0.0 if number % 2 else span / 2, span)
        ended = _run_and_kill(place, words, wait)
        counts["kills"] += 1
        counts["ended before the kill"] += ended
        counts["journal left"] += (place.path / ".git/wfp/journal").exists()
        counts["lock left"] += (place.path / ".git/index.lock").exists()

        after = f"Go on after kill {number} of seed {seed}"
        words = replan(place, session, "after", task_of(number + 1), after)
        start = time.monotonic()
        done = subprocess.run(
            words, cwd=place.path, env=place.environ, capture_output=True, check=False
        )
        spans.append(time.monotonic() - start)
        slowest = int(1000 * spans[-1])
        counts["slowest next command, ms"] = max(slowest, counts["slowest next command, ms"])
        if done.returncode:
            raise Amiss(f"the command after kill {number}: {done.stdout!r} {done.stderr!r}")
        texts = {text: True if ended else None, after: True}
        is_new = check(place, texts)[text]
        counts["new plan" if is_new else "old plan"] += 1
    return tally


def _typical_seconds(place: Place) -> list[float]:
    spans: list[float] = []
    for number in range(3):
        words = replan(place, SESSIONS[0], "warm", task_of(0), f"Warm up number {number} here")
        start = time.monotonic()
        subprocess.run(words, cwd=place.path, env=place.environ, capture_output=True, check=True)
        spans.append(time.monotonic() - start)
    return spans


def _run_and_kill(place: Place, words: Sequence[str], wait: float) -> bool:
    """Starts a command, kills its whole process group, and tells whether it had ended well."""
    with subprocess.Popen(
        words,
        cwd=place.path,
        env=place.environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            process.wait(wait)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        else:
            if process.returncode:
                raise Amiss(f"a replan ended with {process.returncode} before it was killed")
            return True
    return False


def many_at_once(
    places: Sequence[Place], processes: int, rounds: int, *, deadline: float = float("inf")
) -> Tally:
    """Runs replans from many processes at once.

    Args:
        places: The worktrees; the processes are shared out among them.
        processes: How many at a time.
        rounds: How many replans each of them makes.
        deadline: When to start no more, on the monotonic clock.

    Raises:
        Amiss: A change was lost, came twice, or was refused without a reason.
    """
    where = "one worktree" if len(places) == 1 else f"{len(places)} linked worktrees"
    tally = Tally(f"{processes} processes x {rounds} replans at once in {where}")
    bases = [place.git("rev-parse", "HEAD") for place in places]
    with ThreadPoolExecutor(processes) as pool:
        runs = [
            run
            for done in pool.map(
                lambda worker: _work(places[worker % len(places)], worker, rounds, deadline),
                range(processes),
            )
            for run in done
        ]
    counts = tally.counts
    counts["replans"] = len(runs)
    counts["done"] = sum(run.code == 0 for run in runs)
    counts["refused, with a reason"] = 0
    for run in runs:
        if run.code == 0:
            continue
        if run.code not in REFUSALS or not run.reason:
            raise Amiss(f"{run.text}: exit {run.code}, {run.said}")
        counts["refused, with a reason"] += 1
        counts[f"refused: {run.reason}"] += 1
    ids: list[str] = []
    for place, base in zip(places, bases, strict=True):
        own = [run for run in runs if run.place is place]
        check(place, {run.text: run.code == 0 for run in own})
        log = place.git("log", "--format=%(trailers:key=Wfp-Replan,valueonly)", f"{base}..HEAD")
        made = log.split()
        if len(made) != sum(run.code == 0 for run in own):
            raise Amiss(f"{len(made)} commits, but {sum(run.code == 0 for run in own)} successes")
        ids += made
        words = replan(place, SESSIONS[0], "after", task_of(0), f"Go on from {base}")
        subprocess.run(words, cwd=place.path, env=place.environ, capture_output=True, check=True)
        check(place, {})
    if len(set(ids)) != len(ids):
        raise Amiss(f"replan ids came twice: {[i for i, n in Counter(ids).items() if n > 1]}")
    counts["commits"] = len(ids)
    counts["different replan ids"] = len(set(ids))
    return tally


@dataclass(frozen=True, slots=True)
class Run:
    """One replan among many.

    Attributes:
        place: Where.
        text: The requirement that it adds.
        code: Its exit code.
        reason: The reference of its refusal.
        said: Everything that it said.
    """

    place: Place
    text: str
    code: int
    reason: str
    said: str


def _work(place: Place, worker: int, rounds: int, deadline: float) -> list[Run]:
    runs = []
    for number in range(rounds):
        if time.monotonic() > deadline:
            break
        session = SESSIONS[(worker + number) % len(SESSIONS)]
        text = f"Worker {worker} asks for number {number} here"
        words = replan(place, session, f"worker{worker}", task_of(number), text)
        done = subprocess.run(
            words,
            cwd=place.path,
            env=place.environ,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        runs.append(Run(place, text, done.returncode, _reason(done.stdout), done.stdout))
    return runs


def _reason(document: str) -> str:
    try:
        diagnostics = json.loads(document)["diagnostics"]
    except ValueError:
        return ""
    return next((d["code"] for d in diagnostics if d["severity"] == "error"), "")


def linked_places(path: Path, environ: Mapping[str, str]) -> list[Place]:
    """Makes a repository with a second worktree on a branch of its own."""
    first = make_place(path / "one", environ)
    first.git("worktree", "add", "--quiet", "-b", "other", str(path / "two"), "HEAD")
    second = Place(path / "two", environ)
    add_foreign_work(second)
    return [first, second]


def main() -> int:
    """Runs all of it and prints the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.torture", description=__doc__)
    parser.add_argument("--kills", type=int, default=500, help="how many replans are killed")
    parser.add_argument("--processes", type=int, default=8, help="how many run at once")
    parser.add_argument(
        "--rounds", type=int, default=50, help="how many replans each of them makes"
    )
    parser.add_argument("--seed", type=int, default=20261130, help="decides when to kill")
    parser.add_argument("--minutes", type=float, default=60.0, help="stop each part after so long")
    parser.add_argument(
        "--part", choices=("killed", "many", "linked"), action="append", help="only this part"
    )
    asked = parser.parse_args()
    top = Path(tempfile.mkdtemp(prefix="wfp-torture-"))
    (top / "home").mkdir()
    environ = sealed_environment(top / "home")

    def killed() -> Tally:
        place = make_place(top / "killed", environ)
        return kill_at_random(place, asked.kills, asked.seed, deadline=until())

    def many() -> Tally:
        places = [make_place(top / "many" / "one", environ)]
        return many_at_once(places, asked.processes, asked.rounds, deadline=until())

    def linked() -> Tally:
        places = linked_places(top / "linked", environ)
        return many_at_once(places, asked.processes, asked.rounds // 2, deadline=until())

    def until() -> float:
        return time.monotonic() + float(asked.minutes) * 60

    parts = {"killed": killed, "many": many, "linked": linked}
    for part in (parts[name] for name in asked.part or parts):
        start = time.monotonic()
        tally = part()
        print("\n".join(tally.lines()), f"\n\n({time.monotonic() - start:.0f} s)", flush=True)
    shutil.rmtree(top)
    return 0


if __name__ == "__main__":
    sys.exit(main())
