"""What is measured of verify and of the gate: whole commands, and what the hook adds to a push.

The unit P is `json.loads` of the files of a session with a thousand tasks.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.cases import CHOSEN, wfp
from benchmarks.clockwork import Case, Measure, Seconds, timed
from benchmarks.places import Place
from gitwfp.files.codec import read_plan
from gitwfp.files.tree import MemoryFiles
from gitwfp.model.plan import Place as SessionPlace
from gitwfp.model.plan import SessionRef
from gitwfp.verify.facts import Facts
from gitwfp.verify.run import verify
from tests.plans import plan_folder

NOTES = "refs/notes/wfp"


def judging_units(tasks: int) -> dict[str, Case]:
    """Returns the references."""
    texts = [text for path, text in _session(tasks).items() if path.endswith(".json")]

    def parse(_: int) -> Seconds:
        start = time.perf_counter()
        for text in texts:
            json.loads(text)
        return time.perf_counter() - start

    return {"P": Case("", f"P: json.loads of a session of {tasks} tasks", parse)}


def judging_cases(large: Place, small: Place, tasks: int) -> list[Case]:
    """Returns everything that is measured of verify and of the gate.

    Args:
        large: A repository with a thousand tasks.
        small: One with a session of ten.
        tasks: How many tasks the session has that is verified in process.
    """
    central = _publish_to_central(large)
    one = lambda _: wfp("verify", "--no-write", "-s", CHOSEN)  # noqa: E731
    every = lambda _: wfp("verify", "--all", "--no-write")  # noqa: E731
    return [
        Case(
            "5",
            "git wfp verify, 10 tasks, nothing recorded",
            _unrecorded(small, one),
            {"B": 1},
            8.0,
        ),
        Case("5", "git wfp verify, 10 tasks, recorded", _recorded(small, one), {"B": 1}, 4.0),
        Case("6", "git wfp verify --all, all tasks", _unrecorded(large, every), {"B": 1}, 8.0),
        Case("7", f"verify in process, {tasks} tasks", _in_process(tasks), {"P": 1}, 40.0),
        Case("9", "the hook, no plan touched", _hook(large, central, "code"), {"G": 1}, 4.0),
        Case("9", "the hook, judged before", _hook(large, central, "known"), {"G": 1}, 4.0),
        Case("10", "the hook, one session changed", _hook(large, central, "plan"), {"B": 1}, 4.0),
    ]


def _session(tasks: int) -> dict[str, str]:
    return dict(plan_folder("nested", tasks, session="WFS-large").files)


def _forget(place: Place) -> None:
    place.git("update-ref", "-d", NOTES)


def _unrecorded(place: Place, words: Callable[[int], list[str]]) -> Measure:
    def measure(number: int) -> Seconds:
        _forget(place)
        return timed(words(number), str(place.path), place.environ)

    return measure


def _recorded(place: Place, words: Callable[[int], list[str]]) -> Measure:
    def measure(number: int) -> Seconds:
        timed(words(number), str(place.path), place.environ)
        return timed(words(number), str(place.path), place.environ)

    return measure


def _in_process(tasks: int) -> Measure:
    files = {path: text.encode() for path, text in _session(tasks).items()}
    ref = SessionRef("WFS-large", ".workflow/active/WFS-large", SessionPlace.ACTIVE, ".workflow")
    tree = MemoryFiles(files)

    def measure(_: int) -> Seconds:
        start = time.perf_counter()
        verify(Facts(read_plan(tree, ref), tree, max_tasks=tasks), is_whole=False)
        return time.perf_counter() - start

    return measure


def _publish_to_central(place: Place) -> Path:
    """Makes a central repository that has all of a place's commits, and installs the gate."""
    central = place.path.parent / "central.git"
    place.git("clone", "--quiet", "--bare", str(place.path), str(central))
    place.git("remote", "add", "origin", str(central))
    place.git("fetch", "--quiet", "origin")
    timed(wfp("init", "-y"), str(place.path), place.environ)
    return central


def _hook(place: Place, central: Path, what: str) -> Measure:
    """Measures what the hook adds to a push of one commit that goes nowhere."""
    tips: dict[str, str] = {}

    def tip(number: int) -> str:
        """Makes a commit beside HEAD that changes code or a plan; returns its id."""
        key = what if what == "known" else f"{what}{number}"
        if key not in tips:
            path = "src/part0/module0.py"
            content = f"pushed = {number}, {time.time_ns()}\n"
            if what != "code":
                path = f".workflow/active/{CHOSEN}/TODO_LIST.md"
                content = place.git("show", f"HEAD:{path}") + f"\n\nRound {number}.\n"
            blob = place.git("hash-object", "-w", "--stdin", input=content)
            index = {**place.environ, "GIT_INDEX_FILE": str(place.path.parent / "bench-index")}
            other = Place(place.path, index)
            other.git("read-tree", "origin/main")
            other.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
            tree = other.git("write-tree")
            tips[key] = place.git("commit-tree", "-p", "origin/main", "-m", "pushed", tree)
        return tips[key]

    def measure(number: int) -> Seconds:
        words = ["push", "--quiet", "--dry-run", "origin", f"{tip(number)}:refs/heads/main"]
        if what == "plan":
            _forget(place)
        else:
            timed(["git", *words], str(place.path), place.environ)
        plain = timed(
            ["git", "-c", "core.hooksPath=/dev/null", *words], str(place.path), place.environ
        )
        return timed(["git", *words], str(place.path), place.environ) - plain

    if not central.is_dir():
        raise FileNotFoundError(central)
    return measure
