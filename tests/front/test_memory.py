"""Remembered answers are those that the plain path would give, whatever happens in between."""

import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from gitwfp import front
from gitwfp.front import memory
from tests.plans import PlanFolder
from tests.scene import Scene

QUESTIONS = (
    ("status",),
    ("list",),
    ("next",),
    ("status", "--json"),
    ("list", "--json"),
    ("next", "--json"),
    ("status", "-s", "WFS-second"),
    ("log",),
    ("log", "-n", "2", "--json"),
)

ANY = range(256)
"""Exit codes of a git that may refuse."""

# Modules that cost more than the answer.
TOO_DEAR = frozenset(
    {"click", "pydantic", "pygit2", "networkx", "rich", "tomlkit", "watchdog", "typing", "inspect"}
    | {"dataclasses", "re", "json", "subprocess", "ssl", "asyncio", "enum", "pathlib"}
)

# Says which modules an answer took, which files it opened, and which processes it started.
REPORT = """\
import sys
before = set(sys.modules)
events = []
kinds = ("open", "os.posix_spawn", "os.fork", "os.exec", "subprocess.Popen")
sys.addaudithook(lambda name, args: events.append((name, args[0])) if name in kinds else None)
from gitwfp.front import main
code = main()
modules = set(sys.modules) - before
opened = [str(what) for name, what in events if name == "open"]
started = [name for name, _ in events if name != "open"]
import json
print(json.dumps([code, sorted(modules), opened, started]), file=sys.stderr)
"""


@pytest.fixture
def plans(scene: Scene) -> list[PlanFolder]:
    """Two sessions, committed; the second one has dependencies that wait."""
    found = [scene.session("nested", 4), scene.session("flat", 3, session="WFS-second")]
    scene.commit("plans")
    return found


@pytest.fixture
def ask(
    scene: Scene, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, str]]:
    """Asks in this process, from memory if there is any or by the plain path."""

    def asked(*words: str, plain: bool = False, folder: str = ".") -> tuple[int, str, str]:
        monkeypatch.chdir(scene.path / folder)
        monkeypatch.setattr(sys, "argv", ["git-wfp", *words])
        if plain:
            monkeypatch.setenv("WFP_NO_CACHE", "1")
        else:
            monkeypatch.delenv("WFP_NO_CACHE", raising=False)
        capfd.readouterr()
        # The streams that pytest hands out are its own; what is remembered goes to the descriptors.
        with open(1, "w", closefd=False) as out, open(2, "w", closefd=False) as err:
            monkeypatch.setattr(sys, "stdout", out)
            monkeypatch.setattr(sys, "stderr", err)
            code = front.main()
        told = capfd.readouterr()
        return code, told.out, told.err

    return asked


def entries(scene: Scene) -> list[Path]:
    """Returns the files of the memory."""
    return sorted((scene.path / ".git/wfp/answers").glob("*"))


def settle(scene: Scene) -> None:
    """Makes every file look as if it had been left alone for a while."""
    mark = Path(scene.git("rev-parse", "--absolute-git-dir")) / "now"
    newest = max(os.lstat(path).st_ctime_ns for path in scene.path.rglob("*"))
    while True:
        mark.write_text("")
        if mark.stat().st_mtime_ns > newest + 30_000_000:
            break
    mark.unlink()


@pytest.mark.usefixtures("plans")
def test_an_answer_is_remembered_and_given_again(
    scene: Scene, ask: Callable[..., tuple[int, str, str]]
) -> None:
    """The second answer comes from memory, the same to the byte, complaints included."""
    scene.write({".wfp.toml": "[replan]\nlandign = 1\n"})
    settle(scene)
    for words in QUESTIONS:
        plain = ask(*words, plain=True)
        first = ask(*words)
        known = len(entries(scene))
        assert first == plain
        assert ask(*words) == plain
        assert len(entries(scene)) == known
    assert len(entries(scene)) == len(QUESTIONS)


def steps_of_history(scene: Scene, rng: random.Random) -> list[Callable[[], object]]:
    """Returns the ways in which the history may become another one, or seem to."""
    top = scene.path

    def commit() -> None:
        (top / "work").write_text(str(rng.random()))
        scene.git("add", "--all", ".workflow", "work", ok=ANY)
        scene.git("commit", "--quiet", "--allow-empty", "-m", f"Work {rng.randrange(100)}", ok=ANY)

    def replace_commit() -> None:
        if (top / ".git/refs/replace").is_dir() and rng.random() < 0.5:
            scene.git("replace", "--delete", *scene.git("replace", "--list").split()[:1], ok=ANY)
            return
        other = scene.git("rev-parse", "HEAD~1", ok=ANY)
        scene.git("replace", "--force", "HEAD", other, ok=ANY)

    def graft() -> None:
        (top / ".git/info").mkdir(exist_ok=True)
        head = scene.git("rev-parse", "--verify", "--quiet", "HEAD", ok=ANY)
        (top / ".git/info/grafts").write_text(head + "\n")

    def graft_no_more() -> None:
        (top / ".git/info/grafts").unlink(missing_ok=True)

    def branch() -> None:
        scene.git("symbolic-ref", "HEAD", f"refs/heads/{rng.choice(['main', 'side'])}")

    return [
        commit,
        commit,
        replace_commit,
        graft,
        graft_no_more,
        branch,
        lambda: scene.git("branch", "--force", "side", "HEAD", ok=ANY),
        lambda: scene.git("reset", "--quiet", "--soft", "HEAD~1", ok=ANY),
        lambda: scene.git("pack-refs", "--all", ok=ANY),
        lambda: scene.git("gc", "--quiet", "--prune=now", ok=ANY),
        lambda: scene.git("checkout", "--quiet", "--detach", ok=ANY),
    ]


def edits(  # noqa: C901 - a list of small ways
    scene: Scene, plans: list[PlanFolder], rng: random.Random
) -> list[Callable[[], object]]:
    """Returns the ways in which the answer may become another one, or seem to."""
    plan = rng.choice(plans)
    file = scene.path / plan.file_of(rng.choice(plan.tasks))
    folder = file.parent
    top = scene.path

    def retitle() -> None:
        if not file.is_file():
            return
        try:
            task = json.loads(file.read_text("utf-8"))
        except json.JSONDecodeError:
            # It was broken, and committed so.
            task = {}
        task["title"] = f"Title {rng.randrange(10)}"
        file.write_text(json.dumps(task), "utf-8")

    def retitle_unseen() -> None:
        """Same size, same time of change, and in place: only the inode's own time tells."""
        if not file.is_file():
            return
        text, times = file.read_text("utf-8"), file.stat()
        other = (
            text.replace("berth", "boats") if "berth" in text else text.replace("boats", "berth")
        )
        file.write_text(other, "utf-8")
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))

    def replace() -> None:
        if file.is_file():
            new = folder / "new.tmp"
            new.write_text(file.read_text("utf-8").replace("pending", "completed"), "utf-8")
            new.rename(file)

    def swap() -> None:
        """One file takes the place of another by rename, with all its times."""
        files = sorted(path for path in folder.glob("IMPL*.json") if path.is_file())
        if len(files) > 1:
            one, other = files[0], files[-1]
            one.rename(folder / "kept")
            other.rename(one)
            (folder / "kept").rename(other)

    def link() -> None:
        if file.is_file() and not file.is_symlink():
            file.rename(folder / "aside")
            file.symlink_to("aside")

    def nest() -> None:
        (top / "src" / ".workflow/active/WFS-inner").mkdir(parents=True, exist_ok=True)
        (top / "src" / ".workflow/active/WFS-inner/workflow-session.json").write_text("{}")

    def choose() -> None:
        (top / ".git/wfp").mkdir(exist_ok=True)
        (top / ".git/wfp/session").write_text(f"{rng.choice(plans).id}\n")

    def interrupt() -> None:
        journal = top / ".git/wfp/journal"
        journal.parent.mkdir(exist_ok=True)
        if journal.exists():
            journal.unlink()
        else:
            journal.write_text("{}")

    return [
        retitle,
        *steps_of_history(scene, rng),
        retitle_unseen,
        replace,
        swap,
        link,
        nest,
        choose,
        interrupt,
        lambda: file.unlink(missing_ok=True),
        lambda: file.write_text('{"broken'),
        lambda: (folder / f"IMPL-{rng.randrange(20)}.json").write_text('{"title": "New"}'),
        lambda: (folder / ".git").mkdir(exist_ok=True),
        lambda: (folder / ".git").rmdir() if (folder / ".git").is_dir() else None,
        lambda: (top / ".wfp.toml").write_text(f"[limits]\nmax_taks = {rng.randrange(9)}\n"),
        lambda: (top / ".wfp.toml").unlink(missing_ok=True),
        lambda: scene.git("config", "wfp.ui.language", rng.choice(["en", "zh_CN"])),
        lambda: scene.git("config", "--global", "wfp.limits.maxTsks", str(rng.randrange(9))),
        lambda: scene.git("config", "include.path", "more"),
        lambda: (top / ".git/more").write_text(
            f'[wfp "limits"]\n\tmaxTakss = {rng.randrange(9)}\n'
        ),
        lambda: scene.git("checkout", "--quiet", "--force", "HEAD", "--", ".", ok=ANY),
        lambda: None,
    ]


@pytest.mark.parametrize("seed", range(6))
def test_the_answer_is_always_that_of_the_plain_path(
    scene: Scene, plans: list[PlanFolder], ask: Callable[..., tuple[int, str, str]], seed: int
) -> None:
    """After any edit, seen or unseen, memory and plain path say the same, from any folder."""
    rng = random.Random(seed)
    scene.write({"src/app.py": ""})
    settle(scene)
    for _ in range(25):
        words = rng.choice(QUESTIONS)
        folder = rng.choice([".", "src", ".workflow"])
        assert ask(*words, folder=folder) == ask(*words, folder=folder, plain=True)
        if rng.random() < 0.5:
            settle(scene)
        assert ask(*words, folder=folder) == ask(*words, folder=folder, plain=True)
        rng.choice(edits(scene, plans, rng))()
        assert ask(*words, folder=folder) == ask(*words, folder=folder, plain=True)


def test_an_edit_while_we_look_is_never_missed(
    scene: Scene, plans: list[PlanFolder], ask: Callable[..., tuple[int, str, str]]
) -> None:
    """What was saved before a question was asked is in the answer, however often it is saved."""
    plan = plans[0]
    file = scene.path / plan.file_of(plan.tasks[0])
    task = json.loads(file.read_text("utf-8"))
    saved = 0
    stop = threading.Event()

    def save() -> None:
        nonlocal saved
        while not stop.is_set():
            number = saved + 1
            new = file.with_name("new.tmp")
            new.write_text(json.dumps({**task, "title": f"Version {number}."}), "utf-8")
            new.rename(file)
            saved = number
            stop.wait(0.001 * (number % 40))

    writer = threading.Thread(target=save)
    writer.start()
    try:
        for _ in range(40):
            before = saved
            _, out, _ = ask("status", plan.id, "--json")
            title = json.loads(out)["data"]["tasks"][0]["title"]
            if before:
                assert int(title.removeprefix("Version ").removesuffix(".")) >= before
    finally:
        stop.set()
        writer.join()


@pytest.mark.usefixtures("plans")
def test_what_an_answer_from_memory_costs(scene: Scene) -> None:
    """It takes a dozen modules at most, opens no file of a plan, and starts no process."""
    settle(scene)
    for words in (("status",), ("list", "--json"), ("next",), ("log",)):
        scene.python("-c", REPORT, *words).expect(0)
        run = scene.python("-c", REPORT, *words).expect(0)
        code, modules, opened, started = json.loads(run.err.splitlines()[-1])
        assert code == 0
        assert len(modules) <= 12
        assert TOO_DEAR.isdisjoint(modules)
        assert started == []
        assert [path for path in opened if ".workflow" in path] == []


@pytest.mark.usefixtures("plans")
def test_the_memory_may_be_anything(scene: Scene, ask: Callable[..., tuple[int, str, str]]) -> None:
    """A memory that is gone, cut off, overwritten or no file changes no answer."""
    settle(scene)
    plain = ask("status", plain=True)
    assert ask("status") == plain
    (entry,) = entries(scene)
    data = entry.read_bytes()
    for damage in (b"", data[:-1], b"\0" * len(data), b"{}", data[:20] + b"\xff" + data[21:]):
        entry.write_bytes(damage)
        assert ask("status") == plain
    entry.unlink()
    entry.mkdir()
    assert ask("status") == plain
    entry.rmdir()
    os.mkfifo(entry)
    assert ask("status") == plain
    entry.unlink(missing_ok=True)
    entry.parent.rmdir()
    entry.parent.write_text("a file")
    assert ask("status") == plain


@pytest.mark.usefixtures("plans")
@pytest.mark.parametrize(
    "variables",
    [{"GIT_DIR": ".git"}, {"GIT_CONFIG_PARAMETERS": "'a.b'='c'"}, {"GIT_TRACE": "0"}],
    ids=lambda variables: next(iter(variables)),
)
def test_where_nothing_is_remembered(
    scene: Scene, variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What may lead git elsewhere, or have it say more, is for the plain path."""
    monkeypatch.chdir(scene.path)
    assert memory.find_memory(["status"]) is not None
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert memory.find_memory(["status"]) is None


def test_in_linked_worktrees_and_submodules(scene: Scene, plans: list[PlanFolder]) -> None:
    """Each worktree has a memory of its own, and answers for itself."""
    scene.git("worktree", "add", "--quiet", str(scene.path.parent / "linked"))
    linked = scene.beside("linked")
    plan = plans[0]
    for place in (scene, linked):
        settle(place)
        place.run("status", plan.id).expect(0)
    linked.write({plan.file_of(plan.tasks[0]): {"id": plan.tasks[0], "title": "Only here"}})
    assert "Only here" in linked.run("status", plan.id).expect(0).out
    assert "Only here" not in scene.run("status", plan.id).expect(0).out
    assert list((scene.path / ".git/worktrees/linked/wfp/answers").iterdir())


@pytest.mark.usefixtures("plans")
def test_old_answers_go(scene: Scene, ask: Callable[..., tuple[int, str, str]]) -> None:
    """The memory does not grow without end."""
    folder = scene.path / ".git/wfp/answers"
    folder.mkdir(parents=True)
    for number in range(200):
        (folder / f"status-{number:08x}").write_bytes(b"old")
    settle(scene)
    assert ask("list") == ask("list", plain=True)
    assert len(entries(scene)) == 1


@pytest.mark.usefixtures("plans")
def test_settings_behind_links_are_watched(
    scene: Scene, home: Path, ask: Callable[..., tuple[int, str, str]]
) -> None:
    """Where the configuration is a link into a folder of such files, the file itself counts."""
    dotfiles = home / "dotfiles"
    dotfiles.mkdir()
    (home / ".gitconfig").rename(dotfiles / "real")
    (dotfiles / "between").symlink_to("real")
    (home / ".gitconfig").symlink_to("dotfiles/between")
    settle(scene)
    for language in ("zh_CN", "en"):
        assert ask("status") == ask("status", plain=True)
        scene.git("config", "--file", str(dotfiles / "real"), "wfp.ui.language", language)
        assert ask("status") == ask("status", plain=True)
        settle(scene)
        assert ask("status") == ask("status", plain=True)


@pytest.mark.usefixtures("plans")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&-"])
def test_closed_streams_are_no_matter(scene: Scene, closed: str) -> None:
    """A stream that is closed changes neither the exit code nor what the other one says."""
    settle(scene)
    for _ in range(2):
        words = ["sh", "-c", f'exec "$0" -m gitwfp status {closed}', sys.executable]
        done = subprocess.run(words, cwd=scene.path, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        assert b"Traceback" not in done.stderr


def test_nothing_is_written_where_git_does_not_agree(scene: Scene) -> None:
    """A file that names some folder as a git folder gets nothing put into that folder."""
    victim = scene.path / "victim"
    victim.mkdir()
    scene.write({"sub/.git": f"gitdir: {victim}\n"})
    scene.run("status", cwd="sub").expect(6)
    assert list(victim.iterdir()) == []


@pytest.mark.usefixtures("plans")
def test_nothing_is_written_or_removed_through_a_link(
    scene: Scene, ask: Callable[..., tuple[int, str, str]]
) -> None:
    """When the memory's folder is a link, what it leads to stays as it is."""
    precious = scene.path.parent / "precious"
    precious.mkdir()
    for number in range(100):
        (precious / f"status-{number:08x}").write_text("mine")
    answers = scene.path / ".git/wfp/answers"
    answers.parent.mkdir(exist_ok=True)
    answers.symlink_to(precious)
    settle(scene)
    assert ask("status") == ask("status", plain=True)
    assert len(list(precious.iterdir())) == 100


@pytest.mark.usefixtures("plans")
@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "cp1252", "ascii"])
def test_bytes_are_the_same_in_any_encoding(scene: Scene, encoding: str) -> None:
    """The first answer and the next have the same bytes, whatever the output's encoding."""
    scene.write({".wfp.toml": "[limits]\nmax_taks = 1\n"})
    settle(scene)
    outputs = set()
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-m", "gitwfp", "status"],
            cwd=scene.path,
            env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=True,
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
