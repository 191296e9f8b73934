"""The daemon in a process of its own: every field case of its area, and what users do to it."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.scene import PATIENCE, Scene
from tests.stories.harbour import FOLDER, SESSION, TASK, edit, harbour
from tests.stories.watching import Watched, daemon, eventually, pause, rules_of

FIRST = f"{FOLDER}/.task/IMPL-1.json"
CYCLE = "circular-dependency"


@pytest.fixture
def watched(scene: Scene) -> Iterator[Watched]:
    """A worktree with a plan of four tasks, and a daemon."""
    harbour(scene)
    with daemon(scene) as made:
        yield made


def make_cycle(scene: Scene) -> str:
    """Has the first task depend on the last one; returns what its file said before."""
    before = scene.read(FIRST)
    edit(scene, '"depends_on": []', '"depends_on": ["IMPL-4"]', FIRST)
    return before


def findings(watched: Watched, operation: str = "as-of-now") -> set[str]:
    """Returns the rules of what is found in the session."""
    return rules_of(watched.board(operation), SESSION)


# ------------------------------------------------------------------------------ the main job


def test_a_save_is_judged_and_a_fix_too(watched: Watched) -> None:
    """What breaks a plan is found without being asked for, and so is what mends it."""
    before = make_cycle(watched.scene)
    watched.sees(SESSION, CYCLE)
    assert watched.board("status")["passes"] is False
    watched.scene.write({FIRST: before})
    watched.no_longer_sees(SESSION, CYCLE)
    assert watched.board("status")["passes"] is True


def test_a_subscriber_is_told_only_what_became_of_it(watched: Watched) -> None:
    """A line names the decision before and after, and the findings that came or went."""
    with watched.subscription() as following:
        assert following()["kind"] == "board"
        before = make_cycle(watched.scene)
        line = following()
        while not line["data"]["changes"]:
            line = following()
        (change,) = line["data"]["changes"]
        assert (change["session"], change["after"]) == (SESSION, "BLOCK_EXECUTION")
        assert [one["rule"] for one in change["found"]] == [CYCLE]
        assert change["resolved"] == []
        watched.scene.write({FIRST: before})
        while not (line["data"]["changes"] and line["data"]["changes"][0]["resolved"]):
            line = following()
        assert line["data"]["changes"][0]["before"] == "BLOCK_EXECUTION"
        assert [one["rule"] for one in line["data"]["changes"][0]["resolved"]] == [CYCLE]


def test_nothing_of_the_user_is_touched(watched: Watched) -> None:
    """Index, refs, HEAD and worktree stay as they were, and git finds nothing of ours."""
    before = watched.scene.snapshot()
    text = make_cycle(watched.scene)
    watched.sees(SESSION, CYCLE)
    watched.scene.write({FIRST: text})
    watched.no_longer_sees(SESSION, CYCLE)
    assert watched.scene.snapshot() == before


def test_the_board_lies_in_the_git_folder_while_the_daemon_runs(watched: Watched) -> None:
    """The file says what the socket says, and goes with the daemon, so that it is never old."""
    make_cycle(watched.scene)
    watched.sees(SESSION, CYCLE)
    file = Path(watched.folder).parent / "board.json"
    assert rules_of(json.loads(file.read_text())["data"], SESSION) == findings(watched)
    watched.stop()
    assert not file.exists()


def test_watch_once_names_file_and_task(watched: Watched) -> None:
    """An agent asks after an edit, and learns what it broke; the exit code is that of verify."""
    before = make_cycle(watched.scene)
    run = watched.scene.run("watch", "--once", "--json").expect(1)
    (found,) = [
        one for one in run.json["data"]["sessions"][0]["report"]["findings"] if one["rule"] == CYCLE
    ]
    assert found["location"]["path"] == FIRST
    assert found["location"]["task"] == "IMPL-1"
    watched.scene.write({FIRST: before})
    watched.scene.run("watch", "--once", "--json").expect(0)


def test_watch_once_says_the_same_without_a_daemon(scene: Scene) -> None:
    """Whether or not one runs, the state as of now is the same."""
    harbour(scene)
    make_cycle(scene)
    alone = scene.run("watch", "--once", "--json").expect(1).json["data"]
    with daemon(scene) as watched:
        served = watched.scene.run("watch", "--once", "--json").expect(1).json["data"]
    for board in (alone, served):
        for name in ("rounds", "time", "backend"):
            del board[name]
        for state in board["sessions"]:
            del state["since"]
    assert alone == served
    assert CYCLE in scene.run("watch", "--once").expect(1).out


def test_the_live_view_shows_what_comes_and_goes(scene: Scene) -> None:
    """A person sees the state, then each change; interrupted, it ends with the last state."""
    harbour(scene)
    words = [sys.executable, "-m", "gitwfp", "watch", "--json"]
    with subprocess.Popen(words, cwd=scene.path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        assert first["data"]["judged"] == [SESSION]
        make_cycle(scene)
        line: Any = {"data": {"changes": []}}
        while not line["data"]["changes"]:
            line = json.loads(process.stdout.readline())
        assert line["data"]["changes"][0]["found"][0]["rule"] == CYCLE
        process.send_signal(signal.SIGINT)
        last = json.loads(process.stdout.read().splitlines()[-1])
    assert last["kind"] == "board"
    assert process.returncode == last["exit_code"] == 1


# ------------------------------------------------------------------------------ field cases


def test_editors_that_save_by_rename(watched: Watched) -> None:
    """F-DM-01: each save is judged under the file's own name, the temporary one never."""
    good = watched.scene.read(FIRST)
    bad = good.replace('"depends_on": []', '"depends_on": ["IMPL-4"]')
    temporary = watched.scene.path / FOLDER / ".task" / ".IMPL-1.json.tmp"
    for number in range(10):
        temporary.write_text(bad if number % 2 == 0 else good)
        temporary.rename(watched.scene.path / FIRST)
        if number % 2 == 0:
            watched.sees(SESSION, CYCLE)
        else:
            watched.no_longer_sees(SESSION, CYCLE)
    assert "json.tmp" not in watched.log()
    assert "json.tmp" not in json.dumps(watched.board())


def test_reading_wakes_nobody(watched: Watched) -> None:
    """F-DM-02: a save is one round; reading files and touching their access times is none."""
    edit(
        watched.scene, "Search free berths", "Search all free berths", f"{FOLDER}/.task/IMPL-2.json"
    )
    eventually(lambda: watched.board("status")["rounds"] == 2, "the round of the save")
    for path in (watched.scene.path / FOLDER).rglob("*.json"):
        path.read_text()
        status = path.stat()
        os.utime(path, ns=(status.st_atime_ns + 1_000_000_000, status.st_mtime_ns))
    assert watched.board()["rounds"] == 2
    assert watched.board()["rounds"] == 2


def test_the_folder_vanishes_and_comes_back(watched: Watched) -> None:
    """F-DM-03: while there is no plan it says so, and afterwards it sees what is saved."""
    scene = watched.scene
    scene.git("checkout", "--quiet", "--orphan", "bare")
    scene.git("rm", "--quiet", "-rf", ".")
    scene.git("commit", "--quiet", "--allow-empty", "--message", "nothing")
    assert not (scene.path / ".workflow").exists()
    gone = eventually(lambda: watched.board("status")["doubts"], "a doubt")
    assert gone[0]["code"] == "no-workspace"
    assert watched.board()["sessions"] == []
    scene.git("checkout", "--quiet", "main")
    eventually(lambda: watched.board("status")["sessions"], "the session")
    assert watched.board("status")["trustworthy"] is True
    make_cycle(scene)
    watched.sees(SESSION, CYCLE)


@pytest.mark.parametrize("limit", [0, 4])
def test_the_watch_limit_is_said_and_does_not_stop_it(scene: Scene, limit: int) -> None:
    """F-DM-04: where the system gives no watches, or too few, all files are looked at instead."""
    harbour(scene)
    lowered = f"echo {limit} > /proc/sys/user/max_inotify_watches"
    try:
        subprocess.run(["unshare", "-Ur", "sh", "-c", lowered], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("the system does not let a test have limits of its own")
    start = f'{lowered} && exec "$@"'
    words = [sys.executable, "-m", "gitwfp", "daemon", "start"]
    command = ["unshare", "-Ur", "sh", "-c", start, "sh", *words]
    subprocess.run(command, cwd=scene.path, check=True, capture_output=True, timeout=PATIENCE)
    watched = Watched(scene)
    try:
        eventually(lambda: watched.board("status")["backend"] == "poll", "polling")
        (remark,) = watched.board("status")["remarks"]
        assert "max_user_watches" in remark["message"]
        assert "disk" not in remark["message"]
        make_cycle(scene)
        watched.sees(SESSION, CYCLE)
    finally:
        watched.stop()


def test_folders_that_hold_no_plan_cost_no_watches(scene: Scene) -> None:
    """F-DM-04: a forest of other folders is not watched."""
    harbour(scene)
    scene.write({".gitignore": "node_modules/\n"})
    scene.commit("ignore")
    for number in range(300):
        (scene.path / "node_modules" / f"m{number}" / "lib").mkdir(parents=True)
    with daemon(scene) as watched:
        assert watched.board()["backend"] == "native"
        count = sum(
            line.startswith("inotify ")
            for file in Path(f"/proc/{watched.pid}/fdinfo").iterdir()
            for line in file.read_text().splitlines()
        )
        assert 0 < count < 20


def test_a_branch_switch_is_one_round(scene: Scene) -> None:
    """F-DM-05: hundreds of changed files are a handful of rounds, and the last report is right."""
    for number in range(25):
        scene.session("nested", tasks=10, session=f"WFS-pier-{number:02}")
    scene.commit("plan: piers")
    scene.git("checkout", "--quiet", "-b", "other")
    for number in range(25):
        folder = f".workflow/active/WFS-pier-{number:02}/.task"
        for task in range(1, 11):
            path = f"{folder}/IMPL-{task}.json"
            if number == 0 and task == 10:
                scene.write({path: None})
            else:
                text = scene.read(path)
                scene.write({path: text.replace('"depends_on": []', '"depends_on": ["IMPL-9"]')})
    scene.commit("plan: another order")
    with daemon(scene) as watched:
        before = watched.board()["rounds"]
        for _ in range(5):
            scene.git("checkout", "--quiet", "main")
            scene.git("checkout", "--quiet", "other")
        board = watched.board()
        assert CYCLE in rules_of(board, "WFS-pier-07")
        assert board["rounds"] - before <= 30
        scene.git("checkout", "--quiet", "main")
        assert CYCLE not in rules_of(watched.board(), "WFS-pier-07")
        assert "Error" not in watched.log()


def test_a_file_that_is_still_being_written(watched: Watched) -> None:
    """F-DM-06: half of a file is not reported while the other half is coming."""
    file = watched.scene.path / FIRST
    whole = file.read_bytes()
    with watched.subscription() as following:
        following()
        for number in range(5):
            text = whole.replace(b'"pending"', b'"pending" ' + b" " * number)
            with file.open("wb") as writing:
                for at in range(0, len(text), max(1, len(text) // 8)):
                    writing.write(text[at : at + len(text) // 8])
                    writing.flush()
                    pause(0.03)
        assert watched.board()["passes"] is True
        watched.scene.write({FIRST: "done"})
        seen: list[Any] = []
        while not seen or seen[-1]["data"]["passes"]:
            seen.append(following())
    assert all(not one["data"]["changes"] for one in seen[:-1])


def test_files_in_new_folders(watched: Watched) -> None:
    """F-DM-07: what is written into a folder right after it is made is seen, each time."""
    for number in range(15):
        folder = f".workflow/active/WFS-new-{number}/.task"
        watched.scene.write({f"{folder}/IMPL-1.json": "{ broken"})
    for number in range(15):
        name = f"WFS-new-{number}"
        eventually(partial(watched.rules, name), f"the broken file of {name}")


def test_a_folder_that_is_moved_in(watched: Watched) -> None:
    """F-DM-07: a folder that was made elsewhere comes in with all that it holds."""
    elsewhere = watched.scene.path.parent / "WFS-moved"
    (elsewhere / ".task").mkdir(parents=True)
    (elsewhere / ".task" / "IMPL-1.json").write_text("{ broken")
    elsewhere.rename(watched.scene.path / ".workflow/active/WFS-moved")
    eventually(lambda: watched.rules("WFS-moved"), "the broken file")
    shutil.rmtree(watched.scene.path / ".workflow/active/WFS-moved")
    eventually(
        lambda: "WFS-moved" not in {s["session"] for s in watched.board("status")["sessions"]},
        "the session gone",
    )


def test_polling_needs_no_events(scene: Scene) -> None:
    """F-DM-08: with daemon.backend=poll all files are looked at, and status says so."""
    harbour(scene)
    with daemon(scene, "wfp.daemon.backend=poll", "wfp.daemon.pollInterval=0.05") as watched:
        assert watched.board()["backend"] == "poll"
        make_cycle(scene)
        watched.sees(SESSION, CYCLE)
        assert "looking" in scene.run("daemon", "status").expect(0).out


@pytest.mark.parametrize("lock", [None, b"", b"\xff\x00garbage", b"1\n"])
def test_a_daemon_that_was_killed(scene: Scene, lock: bytes | None) -> None:
    """F-DM-09: what a dead one left behind stands in nobody's way."""
    harbour(scene)
    with daemon(scene) as watched:
        os.kill(watched.pid, signal.SIGKILL)
        eventually(lambda: not watched.is_running, "its end")
        if lock is not None:
            Path(watched.folder, "lock").write_bytes(lock)
        run = scene.run("daemon", "status", "--json").expect(1)
        assert run.json["data"]["running"] is False
        scene.run("daemon", "stop").expect(0)
        watched.start()
        make_cycle(scene)
        assert CYCLE in findings(watched)


def test_ten_starts_make_one_daemon(scene: Scene) -> None:
    """F-DM-10: whoever comes first runs, the others say that one runs."""
    harbour(scene)
    words = [sys.executable, "-m", "gitwfp", "daemon", "start", "--json"]
    starts = [
        subprocess.Popen(words, cwd=scene.path, stdout=subprocess.PIPE, text=True)
        for _ in range(10)
    ]
    answers = [json.loads(start.communicate(timeout=PATIENCE)[0]) for start in starts]
    watched = Watched(scene)
    try:
        assert [start.returncode for start in starts] == [0] * 10
        assert sum(answer["data"]["changed"] for answer in answers) == 1
        assert {answer["data"]["pid"] for answer in answers} == {watched.pid}
    finally:
        watched.stop()
    assert not watched.is_running


def test_starting_holds_nobody_up(scene: Scene) -> None:
    """F-DM-11: whoever captures the output of start gets it at once; streams lead nowhere."""
    harbour(scene)
    script = f'out=$("{sys.executable}" -m gitwfp daemon start); echo "$out"'
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=scene.path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    watched = Watched(scene)
    try:
        assert done.returncode == 0
        assert str(watched.pid) in done.stdout
        streams = [os.readlink(f"/proc/{watched.pid}/fd/{number}") for number in (0, 1)]
        assert streams == [os.devnull] * 2
    finally:
        watched.stop()


def test_starting_in_a_hook(scene: Scene) -> None:
    """F-DM-11: started by a hook, it outlives it, and git's variables do not mislead it."""
    harbour(scene)
    hook = scene.path / ".git/hooks/pre-commit"
    hook.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gitwfp daemon start\n')
    hook.chmod(0o755)
    watched = Watched(scene)
    try:
        scene.write({"src/more.py": "print('more')\n"})
        scene.commit("code: more")
        make_cycle(scene)
        assert CYCLE in findings(watched)
    finally:
        watched.stop()


def test_bad_files_disturb_no_others(watched: Watched) -> None:
    """F-DM-12: odd files are each reported, and a cycle that is saved later is found."""
    folder = watched.scene.path / FOLDER / ".task"
    (folder / "IMPL-7.json").write_bytes(os.urandom(2000))
    with (folder / "IMPL-8.json").open("wb") as large:
        large.truncate(100_000_000)
    os.mkfifo(folder / "IMPL-9.json")
    (folder / "IMPL-10.json").symlink_to("/dev/zero")
    report = watched.board()["sessions"][0]["report"]
    said = {one["location"]["path"] for one in report["findings"]}
    for number in (7, 8, 9, 10):
        assert f"{FOLDER}/.task/IMPL-{number}.json" in said
    make_cycle(watched.scene)
    watched.sees(SESSION, CYCLE)


# ---------------------------------------------------------------------- whatever else happens


def test_nothing_is_judged_while_git_is_at_work(watched: Watched) -> None:
    """A lock of the index, or a merge with conflicts, holds judging back; then it goes on."""
    lock = watched.scene.path / ".git/index.lock"
    lock.write_bytes(b"")
    make_cycle(watched.scene)
    eventually(lambda: watched.board("status")["busy"], "that git is at work")
    assert CYCLE not in watched.rules(SESSION)
    lock.unlink()
    watched.sees(SESSION, CYCLE)
    assert watched.board("status")["busy"] is None


def test_a_rebase_ends_with_the_right_board(watched: Watched) -> None:
    """After a rebase with a conflict in between, the board is that of the result."""
    scene = watched.scene
    scene.git("checkout", "--quiet", "-b", "topic")
    make_cycle(scene)
    scene.commit("plan: a cycle")
    scene.git("checkout", "--quiet", "main")
    scene.write({"src/app.py": "print('main')\n"})
    scene.commit("code: main")
    scene.git("checkout", "--quiet", "topic")
    scene.write({"src/app.py": "print('topic')\n"})
    scene.commit("code: topic")
    scene.git("rebase", "main", ok=(1,))
    eventually(lambda: watched.board("status")["busy"] == "rebase", "the rebase")
    scene.write({"src/app.py": "print('both')\n"})
    scene.git("add", "--all")
    scene.git("-c", "core.editor=true", "rebase", "--continue")
    watched.sees(SESSION, CYCLE)
    assert watched.board()["busy"] is None


def test_a_replan_of_ours_is_seen(watched: Watched) -> None:
    """What a command of ours publishes is on the board, and git finds the plan committed."""
    words = ("replan", "IMPL-3", "Rename it to Quote a fair price", "-y", "--json")
    watched.scene.run(*words).expect(0)
    head = watched.scene.git("rev-parse", "HEAD")
    assert watched.board()["commit"] == head
    eventually(lambda: watched.board("status")["commit"] == head, "the commit")


def test_the_folder_becomes_a_link(watched: Watched) -> None:
    """A link in the place of the plans is not followed, and the board says so."""
    scene = watched.scene
    (scene.path / ".workflow").rename(scene.path.parent / "elsewhere")
    (scene.path / ".workflow").symlink_to(scene.path.parent / "elsewhere")
    eventually(lambda: not watched.board("status")["sessions"], "no session")
    remarks = watched.board()["remarks"]
    assert [one["location"]["path"] for one in remarks] == [".workflow"]
    (scene.path / ".workflow").unlink()
    (scene.path.parent / "elsewhere").rename(scene.path / ".workflow")
    make_cycle(scene)
    watched.sees(SESSION, CYCLE)


def test_two_worktrees_have_two_daemons(watched: Watched) -> None:
    """Each has its own board."""
    watched.scene.git("worktree", "add", "--quiet", "../other", "-b", "other")
    with daemon(watched.scene.beside("other")) as other:
        assert other.pid != watched.pid
        make_cycle(other.scene)
        other.sees(SESSION, CYCLE)
        assert CYCLE not in findings(watched)


def test_it_ends_with_its_worktree(scene: Scene) -> None:
    """When the worktree is removed, so is the daemon."""
    harbour(scene)
    scene.git("worktree", "add", "--quiet", "../other", "-b", "other")
    other = Watched(scene.beside("other"))
    other.start()
    scene.git("worktree", "remove", "--force", "../other")
    eventually(lambda: not other.is_running, "its end")


def test_it_ends_when_nothing_happens(scene: Scene) -> None:
    """With daemon.idle_exit it ends by itself."""
    harbour(scene)
    scene.git("config", "wfp.daemon.idleExit", "0.3")
    watched = Watched(scene)
    watched.start()
    eventually(lambda: not watched.is_running, "its end")
    scene.run("daemon", "status").expect(1)


def test_a_long_way_to_the_socket(scene: Scene) -> None:
    """The length of the path does not matter."""
    deep = scene.path.parent / ("long-" * 12) / ("deep-" * 12)
    deep.mkdir(parents=True)
    far = Scene(deep / "project", home=scene.home)
    harbour(far)
    with daemon(far) as watched:
        make_cycle(far)
        watched.sees(SESSION, CYCLE)
    far.run("daemon", "status").expect(1)


def test_settings_change_under_it(watched: Watched) -> None:
    """What .wfp.toml says counts from the next look on."""
    make_cycle(watched.scene)
    watched.sees(SESSION, CYCLE)
    watched.scene.write({".wfp.toml": '[gate]\npolicy = "BLOCK_EXECUTION"\n'})
    eventually(lambda: watched.board("status")["passes"], "the other policy")


def test_files_elsewhere_come_and_go(watched: Watched) -> None:
    """A file that a task speaks of and that is made later is not missed as of now."""
    scene = watched.scene
    rule = "focus-path-missing"
    assert rule in findings(watched)
    paths = {
        path
        for number in range(1, 5)
        for path in json.loads(scene.read(f"{FOLDER}/.task/IMPL-{number}.json"))["context"][
            "focus_paths"
        ]
    }
    scene.write(dict.fromkeys(paths, "print()\n"))
    assert rule not in findings(watched)


@pytest.mark.parametrize(
    "request_line",
    [b"\n", b"null\n", b"[]\n", b'{"op": 1}\n', b"\xff\xfe\n", b"[" * 70000, b'{"op": "eat"}\n'],
)
def test_nonsense_on_the_socket(watched: Watched, request_line: bytes) -> None:
    """What is no request is answered with an error, and everybody else is served."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(PATIENCE)
        client.connect(os.path.join(watched.folder, "socket"))
        client.sendall(request_line)
        answer = client.makefile("rb").readline()
    assert json.loads(answer)["diagnostics"][0]["code"] == "unknown-request"
    assert watched.board("status")["passes"] is True


def test_the_socket_is_its_owners(watched: Watched) -> None:
    """Nobody else gets at it."""
    folder = Path(watched.folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "socket").stat().st_mode & 0o777 == 0o600


def test_a_subscriber_that_does_not_read(watched: Watched) -> None:
    """One that never reads holds nobody up."""
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(os.path.join(watched.folder, "socket"))
        client.sendall(b'{"op": "subscribe"}\n' * 50)
        make_cycle(watched.scene)
        watched.sees(SESSION, CYCLE)


def test_stop_ends_it_in_the_middle_of_work(watched: Watched) -> None:
    """Stop does not wait for what has nothing to lose; the next start finds nothing in its way."""
    os.kill(watched.pid, signal.SIGSTOP)
    watched.stop()
    assert not watched.is_running
    watched.start()
    assert watched.board()["passes"] is True


def test_the_log_is_shown_and_followed(watched: Watched) -> None:
    """The log says what happened."""
    assert "started" in watched.scene.run("daemon", "logs").expect(0).out
    run = watched.scene.run("daemon", "logs", "-n", "1", "--json").expect(0)
    assert len(run.json["data"]["lines"]) == 1


def test_the_unit_starts_what_runs_now(scene: Scene) -> None:
    """A folder with blanks and percent signs is spelt as systemd wants it."""
    odd = Scene(scene.path.parent / 'my 50% "project"', home=scene.home)
    harbour(odd)
    text = odd.run("daemon", "unit").expect(0).out
    assert "50%% " in text
    assert 'daemon" "run"' in text


def test_saves_in_a_burst(watched: Watched) -> None:
    """None of many saves is lost, and the last state is right."""
    text = watched.scene.read(TASK)
    file = watched.scene.path / TASK
    for number in range(2000):
        file.write_text(text.replace("pending", "pending" if number % 2 else "in_progress"))
    make_cycle(watched.scene)
    watched.sees(SESSION, CYCLE)
    assert watched.board()["pending"] == []
    assert (watched.scene.path / TASK).read_text() == text
