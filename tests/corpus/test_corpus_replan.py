"""Real plan folders: every session opens, replans, and rolls back to the identical tree.

Run with `-s` to see the tables; `python -m tests.corpus.report` prints them alone.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitwfp.cli.main import main
from gitwfp.config import Settings
from gitwfp.config.settings import Limits
from gitwfp.errors import ExitCode
from tests.corpus.folders import Folder, all_folders, folder_names, git, read_folder
from tests.corpus.trials import (
    CRITERION,
    NOTHING_CHANGED,
    REFUSED,
    REQUIREMENT,
    SAME_TREE,
    Trial,
    bench,
    can_be_replanned,
    standing_place,
    structural,
    table,
    try_out,
    update,
)
from tests.scene import Scene

READERS = (
    ("status",),
    ("status", "--json"),
    ("list",),
    ("next",),
    ("log",),
    ("diff",),
    ("diff", "HEAD"),
    ("show", "HEAD"),
)

NO_REASONS = frozenset({"todo-drift", "invalid-plan-file"})
"""An old inconsistency, and a broken file that the change does not concern, refuse nothing."""

REASONS = frozenset({("merge", "dangling-dependency")})
"""What a change of structure may be refused for: a merged task that would depend on a task whose
file nobody can read."""

pytestmark = pytest.mark.usefixtures("corpus")


@pytest.fixture(params=folder_names() or ("",))
def folder(request: pytest.FixtureRequest, corpus: Path) -> Folder:
    """Each folder of the corpus."""
    return read_folder(str(request.param))


@pytest.mark.timeout(600)
def test_nearly_every_live_session_replans_and_rolls_back(tmp_path: Path) -> None:
    """An open task takes a requirement and a criterion, and gives them back to the byte."""
    trials = tuple(_updates(tmp_path / "repository"))
    sys.stdout.write(f"\n{table(trials)}\n")
    good = [trial for trial in trials if trial.end == SAME_TREE]
    assert len(good) >= 0.9 * len(trials), "\n".join(str(t) for t in trials if t not in good)
    assert [str(t) for t in trials if t.end not in (SAME_TREE, REFUSED)] == []
    assert [str(t) for t in trials if t.reason in NO_REASONS] == []


def _updates(path: Path) -> Iterator[Trial]:
    for folder in all_folders():
        place = bench(folder, path)
        for ref in folder.sessions:
            plan = place.plan(ref)
            if can_be_replanned(ref, plan):
                yield try_out(place, ref, "update", update(plan.open_tasks[0].id))


@pytest.mark.timeout(600)
def test_the_structure_of_every_live_session_can_change_and_come_back(
    folder: Folder, tmp_path: Path
) -> None:
    """Create, split, merge, delete and reorder verify no worse and roll back to the byte."""
    place = bench(folder, tmp_path / "repository", Settings(limits=Limits(max_tasks=1000)))
    trials = [
        try_out(place, ref, name, operations)
        for ref in folder.sessions
        if can_be_replanned(ref, plan := place.plan(ref))
        for name, operations in structural(plan)
    ]
    sys.stdout.write(f"\n{table(trials)}\n")
    # A plan without a list has no order that a move could change.
    trials = [t for t in trials if (t.operation, t.end) != ("reorder", NOTHING_CHANGED)]
    bad = [t for t in trials if t.end != SAME_TREE and (t.operation, t.reason) not in REASONS]
    assert bad == [], "\n".join(map(str, bad))


def test_readers_open_every_session(
    folder: Folder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every command that looks answers about every session, archived and broken ones too."""
    path = tmp_path / "repository"
    bench(folder, path)
    for ref in folder.sessions:
        where, name = standing_place(ref)
        monkeypatch.chdir(path / where)
        named = () if name is None else ("--session", name)
        for words in READERS:
            session = () if words[0] == "list" else named
            code = main([*words, *session])
            said = capsys.readouterr()
            assert code == ExitCode.DONE, f"{ref.folder}: {' '.join(words)}: {said.err}"
            assert "Traceback" not in said.out + said.err


SAMPLE = (
    ("Save-Restricted-Bot", "WFS-cache-layer"),
    ("credit-clarity", "WFS-implement-credit-clarity-platform"),
    ("diffdrone_in_isaaclab", "WFS-final-migration-delivery"),
    ("fabric-v2", "rc36-extended-bundle-2026-05-26"),
    ("cocos-state-controller", "ui-ux-redesign-2026-02-28"),
)


@pytest.mark.parametrize(("name", "session"), SAMPLE)
def test_the_command_line_does_the_same(scene: Scene, name: str, session: str) -> None:
    """Replan, log and rollback of a real session work as commands, from the session's folder."""
    folder = read_folder(name)
    ref = next(ref for ref in folder.sessions if ref.id == session)
    scene.write(folder.files)
    scene.commit("corpus")
    before = scene.git("rev-parse", "HEAD:" + ref.workspace)
    task = bench(folder, scene.path.parent / "other").plan(ref).open_tasks[0].id
    document = {"operations": update(task), "reason": "Requests may come twice"}
    scene.write({"../operations.json": document})

    file = str(scene.path.parent / "operations.json")
    done = scene.run("replan", "-y", "--from", file, "--json", cwd=ref.folder).expect(0).json
    assert done["data"]["changed"]
    shown = scene.run("show", "HEAD", cwd=ref.folder).expect(0).out
    assert REQUIREMENT in shown
    assert CRITERION in shown
    scene.run("rollback", "--last", "-y", cwd=ref.folder).expect(0)
    assert scene.git("rev-parse", "HEAD:" + ref.workspace) == before
    kinds = [
        entry["kind"]
        for entry in scene.run("log", "--json", cwd=ref.folder).expect(0).json["data"]["entries"]
    ]
    assert kinds[:2] == ["rollback", "replan"]
    assert git(scene.path, "status", "--porcelain") == ""
