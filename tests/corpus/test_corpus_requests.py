"""Real plan folders: whatever is asked of them in words, nothing gets worse and all comes back.

Requests are drawn at random from a fixed seed; WFP_REQUESTS says how many, and with WFP_SEED they
are others. Run with `-s` to see the table.
"""

import os
import random
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

from gitwfp.config import Settings
from gitwfp.config.settings import Limits
from gitwfp.files.codec import read_plan
from gitwfp.files.tree import MemoryFiles
from gitwfp.model.plan import SessionRef
from gitwfp.planners.rules import RulesPlanner
from tests.corpus.folders import all_folders, read_folder
from tests.corpus.trials import (
    NOTHING_CHANGED,
    REFUSED,
    SAME_TREE,
    Bench,
    Trial,
    bench,
    can_be_replanned,
    table,
    try_change,
)
from tests.corpus.wishes import NONSENSE, Wish, Wisher

# Looked at when the module is loaded: a test's own environment knows nothing of the machine's.
COUNT = int(os.environ.get("WFP_REQUESTS", "10"))
SEED = int(os.environ.get("WFP_SEED", "11"))

# More than any session has, because it is not the limit that is tried here.
ROOM = Limits(max_tasks=1000)

pytestmark = pytest.mark.usefixtures("corpus")


def drawn(count: int, seed: int) -> Mapping[str, list[tuple[SessionRef, Wish]]]:
    """Draws requests about live sessions; they are returned by the folder that they are about."""
    rng = random.Random(seed)
    live = [
        (folder.name, ref, plan)
        for folder in all_folders()
        for ref in folder.sessions
        if can_be_replanned(ref, plan := read_plan(MemoryFiles(folder.files), ref))
    ]
    found: dict[str, list[tuple[SessionRef, Wish]]] = defaultdict(list)
    for _ in range(count):
        name, ref, plan = rng.choice(live)
        found[name].append((ref, Wisher(plan, rng).wish()))
    return found


def ask(place: Bench, ref: SessionRef, wish: Wish) -> Trial:
    """Tries a request; what goes wrong says which one it was."""
    tools = ("agent", "codex", "gemini")
    name = "several at once" if "+" in wish.kind else wish.kind
    planner = RulesPlanner(wish.text, wish.task, tools, place.folder.files.__contains__)
    try:
        return try_change(place, ref, name, lambda: place.ask(ref, planner, wish.answers))
    except Exception as error:
        error.add_note(f"{place.folder.name}: {ref.folder}: {wish}")
        raise


@pytest.mark.timeout(1800)
def test_whatever_is_asked_nothing_gets_worse(tmp_path: Path) -> None:
    """Each request changes the plan for no worse and comes back to the byte, or changes nothing."""
    done: list[tuple[Trial, Wish]] = []
    for name, asked in drawn(COUNT, SEED).items():
        place = bench(read_folder(name), tmp_path / "repository", Settings(limits=ROOM))
        done += [(ask(place, ref, wish), wish) for ref, wish in asked]
    sys.stdout.write(f"\n{table(trial for trial, _ in done)}\n")
    bad = [
        f"{trial}\n  {wish}"
        for trial, wish in done
        if trial.end not in (SAME_TREE, REFUSED, NOTHING_CHANGED)
        or (trial.end == SAME_TREE and wish.kind == NONSENSE)
    ]
    assert bad == [], "\n".join(bad)
    understood = [trial for trial, wish in done if wish.kind != NONSENSE]
    assert sum(trial.end == SAME_TREE for trial in understood) >= len(understood) / 2
