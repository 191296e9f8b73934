"""Killed or failing at any moment, a publication leaves the old plan or the new one."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from gitwfp.errors import ExitCode, Refusal
from gitwfp.git import deadlocks
from gitwfp.git.journal import read_journal
from gitwfp.git.publish import STEPS, pending_journal, recover
from gitwfp.git.recovery import INTERRUPTED
from tests.git.publishing import (
    BRANCH,
    LIST,
    NEW,
    NEW_FILES,
    OLD_FILES,
    TASK,
    fail_at,
    files_now,
    leavings,
    open_at,
    plan,
    replan,
)
from tests.scene import Scene

BEFORE_REFS = STEPS[: STEPS.index("refs")]

# Runs the replan in a process of its own, which kills itself at one step or waits to be killed.
CHILD = """
import os, signal, sys
from pathlib import Path
from tests.git import publishing
from tests.scene import Scene
path, home, step = sys.argv[1:]
scene = Scene(Path(path), home=Path(home), init=None)
print("ready", flush=True)
hook = publishing.fail_at(step, lambda: os.kill(os.getpid(), signal.SIGKILL))
publishing.replan(scene, fail_at=hook)
"""


def start(scene: Scene, step: str) -> subprocess.Popen[bytes]:
    """Starts the replan in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(scene.path), str(scene.home), step],
        cwd=Path(__file__).resolve().parents[2],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def kill_at(scene: Scene, step: str) -> None:
    """Runs the replan until a step, at which it is killed."""
    with start(scene, step) as child:
        _, err = child.communicate()
    assert child.returncode == -signal.SIGKILL, err.decode()


def recovered(scene: Scene) -> str:
    """Recovers, and returns the code of what was said about it ("" for nothing)."""
    with open_at(scene) as repo:
        told = recover(repo)
    return "" if told is None else told.code


def assert_whole(scene: Scene, old: str) -> bool:
    """Asserts that HEAD, index and worktree agree on one plan; tells whether it is the new one."""
    is_new = scene.git("rev-parse", "HEAD") != old
    assert files_now(scene) == (NEW_FILES if is_new else OLD_FILES)
    assert scene.git("status", "--porcelain", "--untracked-files=all") == ""
    assert scene.git("diff-index", "--cached", "HEAD") == ""
    assert (BRANCH in scene.git("branch", "--format=%(refname:short)")) == is_new
    assert leavings(scene) == []
    scene.git("fsck", "--strict", "--no-dangling")
    return is_new


@pytest.mark.parametrize("step", STEPS)
def test_a_kill_at_any_step_leaves_one_whole_plan(scene: Scene, step: str) -> None:
    """After a kill at a named step the next command settles it, and the next replan works."""
    old = plan(scene)
    kill_at(scene, step)
    told = recovered(scene)
    is_new = assert_whole(scene, old)
    assert is_new == (STEPS.index(step) >= STEPS.index("journal"))
    in_section = STEPS.index("journal") <= STEPS.index(step) < STEPS.index("journal-dropped")
    assert told == ("recovered-finished" if in_section else "")
    assert recovered(scene) == ""
    if not is_new:
        replan(scene)
        assert assert_whole(scene, old)


@pytest.mark.parametrize("step", ["journal", "file-aside", "files", "entries", "refs", "settled"])
def test_recovery_itself_may_be_killed(scene: Scene, step: str, tmp_path: Path) -> None:
    """A recovery that is killed at a step is finished by the next one."""
    old = plan(scene)
    kill_at(scene, "file-placed")
    script = (
        "import os, signal, sys\n"
        "from gitwfp.git import switch, recovery\n"
        "from gitwfp.git.repository import Repository\n"
        "def hook(name):\n"
        f"    if name == {step!r}: os.kill(os.getpid(), signal.SIGKILL)\n"
        "recovery.no_hook = hook\n"
        "recovery.recover(Repository.open(sys.argv[1], os.environ))\n"
    )
    subprocess.run([sys.executable, "-c", script, str(scene.path)], check=False)
    recovered(scene)
    assert assert_whole(scene, old)


def test_kills_at_random_moments_leave_one_whole_plan(scene: Scene) -> None:
    """Killing the whole process group at any time, git included, loses nothing either."""
    chance = random.Random(os.environ.get("WFP_CHANCE", "harbour"))
    old = plan(scene)
    span = life_of(scene, None)
    assert assert_whole(scene, old)
    for _ in range(int(os.environ.get("WFP_KILLS", "25"))):
        scene.git("reset", "--quiet", "--hard", old)
        scene.git("update-ref", "-d", f"refs/heads/{BRANCH}")
        life_of(scene, chance.uniform(0, span))
        recovered(scene)
        assert_whole(scene, old)


def life_of(scene: Scene, seconds: float | None) -> float:
    """Runs the replan, kills it and all its children after some time, and returns that time."""
    with start(scene, "never") as child:
        assert child.stdout is not None
        child.stdout.readline()
        began = time.monotonic()
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        return time.monotonic() - began


@pytest.mark.parametrize("step", BEFORE_REFS)
def test_a_failure_at_any_step_before_the_refs_puts_everything_back(
    scene: Scene, step: str
) -> None:
    """An exception in the middle leaves the repository as it was, without any recovery."""
    old = plan(scene)
    before = scene.snapshot()

    def fail() -> None:
        raise RuntimeError("out of luck")

    with pytest.raises(RuntimeError, match="out of luck"):
        replan(scene, fail_at=fail_at(step, fail))
    assert scene.snapshot() == before
    assert not assert_whole(scene, old)


def test_an_edit_after_the_crash_wins(scene: Scene) -> None:
    """A file edited after the crash stays; the rest goes back, and the commit is kept."""
    old = plan(scene)
    kill_at(scene, "files")
    scene.write({LIST: "- [ ] mine\n"})
    with open_at(scene) as repo:
        told = recover(repo)
    assert told is not None
    assert told.code == "recovered-undone"
    assert LIST in str(told.message)
    assert scene.git("rev-parse", "HEAD") == old
    assert files_now(scene) == {**OLD_FILES, LIST: b"- [ ] mine\n"}
    assert scene.git("status", "--porcelain") == f" M {LIST}"
    assert leavings(scene) == []
    (kept,) = scene.git("for-each-ref", "--format=%(refname)", INTERRUPTED).split()
    assert scene.git("show", f"{kept}:{TASK}").encode() + b"\n" == NEW_FILES[TASK]


def test_an_edit_staged_after_the_crash_is_kept(scene: Scene) -> None:
    """Whoever removes our lock and stages something finds it staged after recovery."""
    old = plan(scene)
    kill_at(scene, "entries")
    (scene.path / ".git" / "index.lock").unlink()
    scene.write({"src/app.py": "print('mine')\n"})
    scene.git("add", "src/app.py")
    scene.write({TASK: "{}\n"})
    assert recovered(scene) == "recovered-undone"
    assert scene.git("rev-parse", "HEAD") == old
    status = scene.git("status", "--porcelain")
    assert status == f" M {TASK}\nM  src/app.py"
    assert leavings(scene) == []


def test_a_branch_that_moved_on_after_the_crash_is_left_alone(scene: Scene) -> None:
    """Somebody who committed by hand after the crash keeps that commit and the files."""
    plan(scene)
    kill_at(scene, "files")
    (scene.path / ".git" / "index.lock").unlink()
    scene.write({"src/app.py": "print('mine')\n"})
    scene.git("commit", "--quiet", "--message", "mine", "src/app.py")
    mine = scene.git("rev-parse", "HEAD")
    assert recovered(scene) == "recovered-left-alone"
    assert scene.git("rev-parse", "HEAD") == mine
    assert files_now(scene) == NEW_FILES
    assert leavings(scene) == []


def test_recovery_waits_for_another_git_and_leaves_its_lock(scene: Scene) -> None:
    """A foreign index.lock stops recovery, which works once the lock is gone."""
    old = plan(scene)
    kill_at(scene, "files")
    lock = scene.path / ".git" / "index.lock"
    lock.unlink()
    lock.write_bytes(b"")
    with open_at(scene) as repo, pytest.raises(Refusal) as refused:
        recover(repo, lock_wait=0.05)
    assert refused.value.code == "index-locked"
    assert lock.exists()
    lock.unlink()
    assert recovered(scene) == "recovered-finished"
    assert assert_whole(scene, old)


def test_ref_locks_of_our_dead_git_are_removed(scene: Scene) -> None:
    """A git that is killed while it holds the locks of our refs does not block the next one."""
    old = plan(scene)
    hook = scene.path / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        "#!/bin/sh\nif [ $1 = prepared ] && grep -q refs/heads/main; then kill -9 0; fi\n"
    )
    hook.chmod(0o755)
    with start(scene, "never") as child:
        child.communicate()
    assert child.returncode == -signal.SIGKILL
    assert (scene.path / ".git" / "refs" / "heads" / "main.lock").exists()
    hook.unlink()
    assert recovered(scene) == "recovered-finished"
    assert assert_whole(scene, old)


# What a git was seen to leave that was killed at random while it moved a branch and made another:
# what its locks hold, and how many seconds after the journal's last touch they were made.
DEAD_LOCKS = {
    "empty": {"refs/heads/main": ("", 0.0)},
    "empty after a slow disk": {"refs/heads/main": ("", 30.0), BRANCH: ("{new}\n", 0.0)},
    "without the line end": {"refs/heads/main": ("{new}", 0.0), BRANCH: ("{new}\n", 0.0)},
    "prepared": {"HEAD": ("", 0.0), "refs/heads/main": ("{new}\n", 0.0)},
    "the branch only": {BRANCH: ("{new}", 0.0)},
    "the head only": {"HEAD": ("", 1.0)},
}


@pytest.mark.parametrize("locks", DEAD_LOCKS.values(), ids=DEAD_LOCKS)
def test_every_lock_that_our_dead_git_leaves_is_known(
    scene: Scene, locks: dict[str, tuple[str, float]]
) -> None:
    """Whatever our git had come to write into its locks when it died, the next command goes on."""
    old = plan(scene)
    kill_at(scene, "checked")
    with open_at(scene) as repo:
        journal = read_journal(repo)
    assert journal is not None
    touched = (scene.path / ".git" / "wfp" / "journal").stat().st_mtime
    for ref, (content, later) in locks.items():
        place = scene.path / ".git" / (f"refs/heads/{ref}.lock" if ref == BRANCH else f"{ref}.lock")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content.format(new=journal.new), "ascii")
        os.utime(place, (touched + later, touched + later))
    assert recovered(scene) == "recovered-finished"
    assert assert_whole(scene, old)


def replace_file(place: Path) -> None:
    """Puts another file with the same bytes and file time into a place."""
    content, status = place.read_bytes(), place.stat()
    place.unlink()
    place.write_bytes(content)
    os.utime(place, ns=(status.st_atime_ns, status.st_mtime_ns))


def meanwhile(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Has something done in the time that a dying git gets, which then is over."""
    monkeypatch.setattr(deadlocks, "time", SimpleNamespace(sleep=lambda _: act()))


TAKEN_OVER: dict[str, Callable[[Path], object]] = {
    "replaced": replace_file,
    "written": lambda place: place.write_bytes(b"0" * 40 + b"\n"),
}


@pytest.mark.parametrize("take_over", TAKEN_OVER.values(), ids=TAKEN_OVER)
@pytest.mark.parametrize("ref", ["HEAD", "refs/heads/main", f"refs/heads/{BRANCH}"])
@pytest.mark.parametrize("held", ["", "{new}\n"], ids=["empty", "prepared"])
def test_a_lock_that_another_git_takes_while_we_wait_stays(
    scene: Scene,
    monkeypatch: pytest.MonkeyPatch,
    ref: str,
    held: str,
    take_over: Callable[[Path], object],
) -> None:
    """A lock that is not the file any more that was judged to be ours is somebody else's."""
    old = plan(scene)
    kill_at(scene, "checked")
    with open_at(scene) as repo:
        journal = read_journal(repo)
    assert journal is not None
    touched = (scene.path / ".git" / "wfp" / "journal").stat().st_mtime
    place = scene.path / ".git" / f"{ref}.lock"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(held.format(new=journal.new), "ascii")
    os.utime(place, (touched, touched))
    meanwhile(monkeypatch, lambda: take_over(place))
    with suppress(Refusal):
        recovered(scene)
    assert place.exists()
    place.unlink()
    monkeypatch.undo()
    recovered(scene)
    if not assert_whole_but_kept(scene, old):
        replan(scene)
        assert assert_whole_but_kept(scene, old)


def assert_whole_but_kept(scene: Scene, old: str) -> bool:
    """Asserts what `assert_whole` does, beside a commit that was kept when it went back."""
    for ref in scene.git("for-each-ref", "--format=%(refname)", INTERRUPTED).split():
        scene.git("update-ref", "-d", ref)
    return assert_whole(scene, old)


PACKING: dict[str, tuple[Callable[[Path, Path], object], bool, bool]] = {
    "nothing": (lambda _lock, _packed: None, False, False),
    "another pack": (lambda _lock, packed: replace_file(packed), False, True),
    "a pack goes on": (
        lambda _lock, packed: packed.with_name("packed-refs.new").write_bytes(b"# pack-refs\n"),
        False,
        True,
    ),
    "another pending": (lambda lock, _packed: replace_file(lock), True, True),
    "ours was done": (lambda lock, _packed: lock.unlink(), False, True),
}


@pytest.mark.parametrize(("act", "is_lock_kept", "is_packed_kept"), PACKING.values(), ids=PACKING)
def test_a_pack_that_begins_while_we_wait_goes_on(
    scene: Scene,
    monkeypatch: pytest.MonkeyPatch,
    act: Callable[[Path, Path], object],
    is_lock_kept: bool,
    is_packed_kept: bool,
) -> None:
    """The lock of the packed refs goes only beside our own lock, when both are as they were."""
    old = plan(scene)
    kill_at(scene, "pending")
    (ref,) = scene.git("for-each-ref", "--format=%(refname)", "refs/wfp/pending/").split()
    lock, packed = scene.path / ".git" / f"{ref}.lock", scene.path / ".git" / "packed-refs.lock"
    for place in (lock, packed):
        place.write_bytes(b"")
    with open_at(scene) as repo:
        meanwhile(monkeypatch, lambda: act(lock, packed))
        deadlocks.drop_locks_of_pending(repo, ref.rpartition("/")[2])
    monkeypatch.undo()
    assert (lock.exists(), packed.exists()) == (is_lock_kept, is_packed_kept)
    for place in (lock, packed, packed.with_name("packed-refs.new")):
        place.unlink(missing_ok=True)
    recovered(scene)
    assert not assert_whole(scene, old)


def test_readers_see_that_a_publication_is_unfinished(scene: Scene) -> None:
    """`pending_journal` is true after a crash in the section, and false after recovery."""
    plan(scene)
    with open_at(scene) as repo:
        assert not pending_journal(repo)
        kill_at(scene, "files")
        assert pending_journal(repo)
        recover(repo)
        assert not pending_journal(repo)


def test_the_next_publication_recovers_first(scene: Scene) -> None:
    """A writer that forgot to recover does so under the lock, and then refuses the old base."""
    old = plan(scene)
    kill_at(scene, "files")
    with pytest.raises(Refusal) as refused:
        replan(scene, branch="wfp/other")
    assert refused.value.exit_code == ExitCode.CONFLICT
    assert assert_whole(scene, old)


def test_a_journal_of_a_newer_version_is_not_touched(scene: Scene) -> None:
    """What this version cannot read is left for the one that wrote it."""
    plan(scene)
    journal = scene.path / ".git" / "wfp" / "journal"
    journal.parent.mkdir()
    for content in (b'{"version": 99}', b"\x00torn", b"[]"):
        journal.write_bytes(content)
        with open_at(scene) as repo, pytest.raises(Refusal) as refused:
            recover(repo)
        assert refused.value.code == "journal-unreadable"
        assert journal.read_bytes() == content


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_are_held_back_and_then_honoured(scene: Scene, number: signal.Signals) -> None:
    """Ctrl-C in the section does not stop it, and is felt right after it."""
    old = plan(scene)
    came = []
    before = signal.signal(number, lambda n, _: came.append(n))
    try:
        replan(scene, fail_at=fail_at("files", lambda: os.kill(os.getpid(), number)))
        assert signal.getsignal(number) is not before
    finally:
        signal.signal(number, before)
    assert came == [number]
    assert assert_whole(scene, old)


def test_ctrl_c_does_not_reach_our_git_either(scene: Scene) -> None:
    """A terminal sends Ctrl-C to the whole group; the git that moves the refs ends its work."""
    # A hook in sh would die of it, because sh unblocks signals, and then everything goes back.
    old = plan(scene)
    hook = scene.path / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        f"#!{sys.executable}\nimport os, signal, sys\n"
        "if sys.argv[1] == 'prepared' and 'refs/heads/main' in sys.stdin.read():\n"
        "    os.killpg(0, signal.SIGINT)\n"
    )
    hook.chmod(0o755)
    with start(scene, "never") as child:
        _, err = child.communicate()
    assert child.returncode == -signal.SIGINT
    assert b"KeyboardInterrupt" in err
    hook.unlink()
    assert recovered(scene) == ""
    assert assert_whole(scene, old)


def test_new_file_is_gone_with_its_folder_after_an_undo(scene: Scene) -> None:
    """Folders that were made for new files go away again."""
    plan(scene)

    def fail() -> None:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        replan(scene, fail_at=fail_at("files", fail))
    assert not (scene.path / NEW).parent.exists()
