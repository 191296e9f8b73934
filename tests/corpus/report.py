"""Prints what came of changing every live session of the corpus: `python -m tests.corpus.report`.

With `--all` every open task is updated, not only the first of each session.
"""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from gitwfp.config import Settings
from gitwfp.config.settings import Limits
from tests.corpus.folders import all_folders, corpus_path
from tests.corpus.trials import (
    REFUSED,
    SAME_TREE,
    Trial,
    bench,
    can_be_replanned,
    structural,
    table,
    try_out,
    update,
)


def trials(path: Path, *, every_task: bool) -> Iterator[Trial]:
    """Tries everything in every live session of the corpus."""
    settings = Settings(limits=Limits(max_tasks=1000))
    for folder in all_folders():
        place = bench(folder, path, settings)
        for ref in folder.sessions:
            plan = place.plan(ref)
            if not can_be_replanned(ref, plan):
                continue
            tasks = plan.open_tasks if every_task else plan.open_tasks[:1]
            for task in tasks:
                yield try_out(place, ref, "update", update(task.id))
            for name, operations in structural(plan):
                yield try_out(place, ref, name, operations)


def main() -> int:
    """Prints the tables; the exit code is 1 when anything but a success or a refusal happened."""
    if not corpus_path().is_dir():
        sys.stderr.write("no corpus: set WFP_CORPUS to a folder of plan folders\n")
        return 2
    with tempfile.TemporaryDirectory() as scratch:
        done = list(trials(Path(scratch) / "repository", every_task="--all" in sys.argv[1:]))
    failed = [trial for trial in done if trial.end != SAME_TREE]
    live = {(trial.folder, trial.session) for trial in done}
    lines = [
        table(done),
        *map(str, failed),
        f"{len(live)} live sessions, {len(done)} changes, {len(failed)} not taken back to the byte",
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if any(trial.end not in (SAME_TREE, REFUSED) for trial in failed) else 0


if __name__ == "__main__":
    sys.exit(main())
