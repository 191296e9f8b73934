"""Whatever happens to a command, its user gets an exit code, one answer, and no traceback."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitwfp.cli.main import main
from gitwfp.cli.table import COMMANDS
from tests.cli.commands import SECRET, TABLE
from tests.scene import PATIENCE, Run, Scene

HEAVY = {"networkx", "pydantic", "pygit2", "rich", "tomlkit", "watchdog"}

Wfp = Callable[..., Run]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets commands that run in this process or below a shell stand in a folder of the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))


@pytest.fixture
def wfp(scene: Scene) -> Wfp:
    """Runs the `git wfp` that has the commands of `tests.cli.commands`."""

    def run(*argv: str, **more: Any) -> Run:
        return scene.python("-m", "tests.cli.commands", *argv, **more)

    return run


def in_shell(redirection: str, *argv: str) -> subprocess.CompletedProcess[bytes]:
    """Runs a test command with one of its streams redirected by a shell."""
    line = f'exec "$0" -m tests.cli.commands "$@" {redirection}'
    return subprocess.run(
        ["sh", "-c", line, sys.executable, *argv],
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )


def test_a_refusal_is_said_as_git_says_it(wfp: Wfp) -> None:
    """Error with its place, details and hint go to standard error, values made harmless."""
    run = wfp("refuse").expect(4)
    assert run.out == ""
    assert run.err.splitlines() == [
        "warning: This is odd.",
        "error: dir/file.json:3:5: A value is missing here.",
        "  b.json:1: Berth 1 is taken.",
        "  Berth 2 is taken.",
        "  hint: Ask for berth 3.",
        r"hint: Look at a \x1b[31mred\u202e one.",
    ]


def test_a_refusal_is_one_document(wfp: Wfp) -> None:
    """With --json the same is one document on standard output, and nothing is said beside it."""
    run = wfp("refuse", "--json").expect(4)
    assert run.err == ""
    document = run.json
    diagnostics = document.pop("diagnostics")
    assert document == {
        "schema_version": "1",
        "kind": "error",
        "ok": False,
        "exit_code": 4,
        "data": None,
    }
    assert [(d["severity"], d["code"]) for d in diagnostics] == [
        ("error", "no-berth"),
        ("warning", "berth"),
        ("warning", "berth"),
        ("warning", "odd"),
    ]
    assert diagnostics[0]["location"] == {
        "path": "dir/file.json",
        "line": 3,
        "column": 5,
        "session": None,
        "task": "IMPL-1",
        "field": None,
    }
    assert diagnostics[0]["hint"] == "Look at a \x1b[31mred\u202e one."
    assert diagnostics[1]["hint"] is None
    assert "\x1b" not in run.out
    assert "\u202e" not in run.out


def test_people_read_their_language_and_programs_english(wfp: Wfp) -> None:
    """The locale changes what a person reads and nothing in JSON."""
    chinese = {"LC_ALL": "zh_CN.UTF-8", "PYTHONUTF8": "1"}
    assert "此处缺少一个值。" in wfp("refuse", env=chinese).expect(4).err
    document = wfp("refuse", "--json", env=chinese).expect(4).json
    assert document["diagnostics"][0]["message"] == "A value is missing here."


@pytest.mark.parametrize(
    ("argv", "code", "message", "hint"),
    [
        (("sya", "x"), "unknown-command", "There is no command git wfp sya.", "say"),
        (("inner", "sya"), "unknown-command", "There is no command git wfp inner sya.", "say"),
        (("zzz",), "unknown-command", "There is no command git wfp zzz.", "git wfp -h lists"),
        (("say", "x", "--time", "2"), "unknown-option", "There is no option --time.", "--times"),
        (("--jsno", "say"), "unknown-option", "There is no option --jsno.", "--json"),
        (("say", "x", "-C", "."), "unknown-option", "There is no option -C.", "git wfp -C ..."),
        (("say", "- x"), "unknown-option", "There is no option - .", "git wfp say ... -- ..."),
        (("say", "-5"), "unknown-option", "There is no option -5.", "git wfp say ... -- ..."),
        (("say",), "missing-parameter", "TEXT is missing.", "git wfp say -h"),
        (("say", "x", "--times", "0"), "bad-value", "--times has a value", "git wfp say -h"),
        (("say", "x", "--times"), "usage", "The command line cannot be understood: Option", "-h"),
        (("say", "x", "y"), "usage", "The command line cannot be understood: Got", "-h"),
        (("-C", "nowhere", "say", "x"), "no-such-folder", "-C nowhere: there is no", ""),
        ((), "no-command", "There is no command after git wfp.", "git wfp -h lists"),
        (("inner",), "no-command", "There is no command after git wfp inner.", "git wfp inner -h"),
    ],
)
def test_words_that_are_not_understood(
    argv: tuple[str, ...],
    code: str,
    message: str,
    hint: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A usage error exits with 2, says what is wrong and what was meant, in JSON as well."""
    assert main(argv, TABLE) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert f"error: {message}" in said.err
    assert hint in said.err
    assert "Traceback" not in said.err
    assert main(["--json", *argv], TABLE) == 2
    said = capsys.readouterr()
    assert said.err == ""
    document = json.loads(said.out)
    assert (document["ok"], document["exit_code"], document["data"]) == (False, 2, None)
    assert document["diagnostics"][0]["code"] == code
    assert document["diagnostics"][0]["message"].startswith(message)


@pytest.mark.parametrize("argv", [("zzz", "--json"), ("say", "--json"), ("--zzz", "--json")])
def test_json_is_seen_wherever_it_stands(
    argv: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """Words that are not understood are answered in JSON even if --json comes after them."""
    assert main(argv, TABLE) == 2
    said = capsys.readouterr()
    assert json.loads(said.out)["kind"] == "error"
    assert said.err == ""


def test_words_after_two_dashes_are_no_options(wfp: Wfp) -> None:
    """A text that reads --json is a text where the user says so."""
    run = wfp("say", "--", "--json").expect(0)
    assert run.out == "It is called --json.\n"


def test_an_answer_comes_with_its_exit_code(wfp: Wfp) -> None:
    """A negative answer is no failure: its data are there, its exit code is 1, ok is false."""
    assert wfp("say", "x", "--exit", "1").expect(1).out == "It is called x.\n"
    document = wfp("say", "x", "--exit", "1", "--json").expect(1).json
    assert (document["kind"], document["ok"], document["data"]) == ("said", False, {"text": "x"})
    assert wfp("--json", "say", "x").expect(0).json["ok"] is True


def test_what_a_person_should_know_is_said_once(wfp: Wfp) -> None:
    """Results go to standard output, the rest to standard error, nothing twice."""
    run = wfp("warn").expect(0)
    assert run.out == "done\n"
    assert run.err.splitlines() == [
        "Working.",
        "warning: a.json:3: This is odd.",
        "note: All is well.",
    ]
    run = wfp("warn", "--json").expect(0)
    assert run.err == ""
    assert [d["code"] for d in run.json["diagnostics"]] == ["odd", "well"]


def reports(scene: Scene) -> list[Path]:
    """Returns the reports of bugs in a repository."""
    return sorted((scene.path / ".git" / "wfp").glob("crash-*.txt"))


def test_a_bug_leaves_a_report(wfp: Wfp, scene: Scene, home: Path) -> None:
    """A bug exits with 70, prints one line that names a report, and never a traceback."""
    env = {"WFP_TEST_PASSWORD": SECRET}
    words = ("bug", "https://ada:pw@host/x", "token=abcdef", "ghp_0123456789abcdef")
    run = wfp(*words, env=env).expect(70)
    (report,) = reports(scene)
    assert run.out == ""
    assert run.err == f"error: This is a bug in gitwfp; its report is in {report}\n"
    text = report.read_text("utf-8")
    assert "Traceback" in text
    assert "RuntimeError: *** https://***@host/x token=*** *** ~/notes.txt" in text
    assert "pygit2 " in text
    assert "git wfp ['bug', " in text
    for hidden in (SECRET, "ada:pw", "abcdef", str(home)):
        assert hidden not in text + run.err
    assert report.stat().st_mode & 0o077 == 0


def test_a_bug_is_one_document(wfp: Wfp, scene: Scene) -> None:
    """With --json a bug is a document that names the report."""
    run = wfp("bug", "--json").expect(70)
    assert run.err == ""
    (diagnostic,) = run.json["diagnostics"]
    assert diagnostic["code"] == "bug"
    assert str(reports(scene)[0]) in diagnostic["message"]


def test_a_command_that_cannot_be_loaded_is_a_bug(wfp: Wfp, scene: Scene) -> None:
    """What goes wrong before a command runs comes to the same boundary."""
    assert "Traceback" not in wfp("lost").expect(70).err
    assert len(reports(scene)) == 1


def test_reports_lie_where_the_command_stood(wfp: Wfp, scene: Scene, tmp_path: Path) -> None:
    """With -C, in a linked worktree and outside of repositories, a report has its place."""
    scene.commit("first")
    scene.git("worktree", "add", "--quiet", "../linked")
    (scene.path / "src").mkdir()
    wfp("-C", "src", "bug", cwd="..").expect(2)
    wfp("-C", "project/src", "bug", cwd="..").expect(70)
    assert len(reports(scene)) == 1
    linked = scene.path / ".git" / "worktrees" / "linked" / "wfp"
    wfp("bug", cwd="../linked").expect(70)
    assert len(list(linked.glob("crash-*.txt"))) == 1
    (tmp_path / "temp").mkdir()
    run = wfp("bug", cwd="..", env={"TMPDIR": str(tmp_path / "temp")}).expect(70)
    (report,) = (tmp_path / "temp").glob("crash-*.txt")
    assert str(report) in run.err


def test_a_report_that_cannot_be_written_is_said(wfp: Wfp, scene: Scene) -> None:
    """Where no report can be written, the one line says so and names the error."""
    (scene.path / ".git" / "wfp").write_text("a file in the way")
    program = (
        "import sys, tempfile; tempfile.tempdir = '/dev/null/nowhere';"
        "from gitwfp.cli.main import main; from tests.cli.commands import TABLE;"
        "sys.exit(main(['bug'], TABLE))"
    )
    run = scene.python("-c", program).expect(70)
    assert run.err == (
        "error: This is a bug in gitwfp (RuntimeError), and no report of it could be written.\n"
    )


def test_an_interruption_exits_with_130(wfp: Wfp) -> None:
    """Ctrl-C ends a command without a traceback, in JSON with a document."""
    run = wfp("interrupt").expect(130)
    assert (run.out, run.err) == ("", "error: Interrupted.\n")
    run = wfp("interrupt", "--json").expect(130)
    assert run.json["exit_code"] == 130
    assert run.err == ""


def test_a_reader_that_has_gone_is_no_error(scene: Scene) -> None:
    """`git wfp log | head` ends quietly with the exit code of the command."""
    for words in (("say", "x", "--times", "9999"), ("say", "x", "--json"), ("refuse", "--json")):
        reading, writing = os.pipe()
        os.close(reading)
        try:
            done = subprocess.run(
                [sys.executable, "-m", "tests.cli.commands", *words],
                stdout=writing,
                stderr=subprocess.PIPE,
                timeout=PATIENCE,
                check=False,
            )
        finally:
            os.close(writing)
        assert (done.returncode, done.stderr) == (4 if words[0] == "refuse" else 0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_output_that_cannot_be_written_is_an_error(scene: Scene) -> None:
    """A full disk under standard output exits with 6 and says so, in JSON as well."""
    for words in (("say", "x"), ("say", "x", "--json")):
        done = in_shell(">/dev/full", *words)
        assert done.returncode == 6
        assert b"error: The output cannot be written: " in done.stderr
        assert done.stderr.count(b"\n") == 1
    assert in_shell(">/dev/full", "refuse", "--json").returncode == 4
    assert in_shell("2>/dev/full", "warn").stdout == b"done\n"


@pytest.mark.parametrize("redirection", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_hurt_nobody(scene: Scene, redirection: str) -> None:
    """A command works with its standard streams closed and keeps its exit code."""
    assert in_shell(redirection, "say", "x").returncode == 0
    assert in_shell(redirection, "warn").returncode == 0
    assert in_shell(redirection, "refuse").returncode == 4
    assert in_shell(redirection, "refuse", "--json").returncode == 4
    assert in_shell(redirection, "bug").returncode == 70


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8", "gbk"])
def test_every_terminal_can_show_every_title(wfp: Wfp, encoding: str) -> None:
    """What an encoding lacks is replaced; JSON loses nothing but halves of characters."""
    env = {"PYTHONIOENCODING": f"{encoding}:strict", "PYTHONUTF8": "0"}
    title = "é 登录 🚀 \ud83d \udcff ✓"
    program = (
        "import sys; from gitwfp.cli.main import main; from tests.cli.commands import TABLE;"
        f"sys.exit(main(['say', {title!a}, *sys.argv[1:]], TABLE))"
    )
    run = wfp("say", "\udcff", env=env).expect(0)
    assert run.out == "It is called \\xff.\n"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **env},
        capture_output=True,
        timeout=PATIENCE,
        check=True,
    )
    known = "é 登录 🚀".encode(encoding, "replace").decode(encoding)
    assert done.stdout.decode(encoding).startswith(f"It is called {known} \\ud83d \\xff ")
    assert done.stderr == b""
    done = subprocess.run(
        [sys.executable, "-c", program, "--json"],
        env={**os.environ, **env},
        capture_output=True,
        timeout=PATIENCE,
        check=True,
    )
    data = json.loads(done.stdout.decode(encoding))["data"]
    assert data == {"text": "é 登录 🚀 \ufffd \ufffd ✓"}


def test_the_folder_is_the_users(wfp: Wfp, scene: Scene) -> None:
    """-C goes where it says, one after the other, and git's aliases keep the user's folder."""
    deep = scene.path / "src" / "deep"
    deep.mkdir(parents=True)
    top = os.path.realpath(scene.path)
    assert wfp("where").expect(0).out == f"{top} {top}/file\n"
    assert wfp("-C", "src", "-C", "deep", "where").expect(0).out == (
        f"{top}/src/deep {top}/src/deep/file\n"
    )
    alias = f"!{sys.executable} -m tests.cli.commands where"
    deeper = Scene(deep, home=scene.home, init=None)
    assert deeper.git("-c", f"alias.w={alias}", "w") == f"{top} {top}/src/deep/file"
    away = f"!{sys.executable} -m tests.cli.commands -C .. where"
    assert deeper.git("-c", f"alias.w={away}", "w") == f"{top}/src {top}/src/file"


def test_a_lost_folder_is_said(scene: Scene) -> None:
    """A command that is started in a folder that has gone says so and exits with 6."""
    (scene.path / "gone").mkdir()
    program = (
        "import os, sys; os.chdir('gone'); os.rmdir('../gone');"
        "from gitwfp.cli.main import main; sys.exit(main(['-h']))"
    )
    run = scene.python("-c", program).expect(6)
    assert "is not there any more" in run.err


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_is_at_every_level(wfp: Wfp, flag: str) -> None:
    """Help goes to standard output at each level, with examples, and is a document in JSON."""
    for words in ((), ("say",), ("inner",), ("inner", "say")):
        run = wfp(*words, flag).expect(0)
        assert run.out.startswith(f"usage: {' '.join(('git wfp', *words))} ")
        assert "\nExample" in run.out
        assert "-h, --help" in run.out
        document = wfp(*words, flag, "--json").expect(0).json
        assert document["kind"] == "help"
        assert document["data"]["text"] == run.out.removesuffix("\n")
    assert "git wfp --help opens the manual page" in wfp("-h").expect(0).out


def test_the_version_is_said(wfp: Wfp) -> None:
    """The version is a line for people and a document for programs."""
    from gitwfp import __version__

    assert wfp("--version").expect(0).out == f"git-wfp {__version__}\n"
    assert wfp("--version", "--json").expect(0).json["data"] == {"version": __version__}


def test_git_finds_the_command(scene: Scene) -> None:
    """`git wfp` and `python -m gitwfp` are one program."""
    assert scene.git("wfp", "--version") + "\n" == scene.run("--version").expect(0).out


def test_help_is_cheap(scene: Scene) -> None:
    """The list of commands imports none of them and none of the heavy libraries."""
    program = (
        "import sys; from gitwfp.cli.main import main; main(['-h']);"
        "print(*sys.modules, file=sys.stderr)"
    )
    run = scene.python("-c", program).expect(0)
    loaded = set(run.err.split())
    assert loaded & HEAVY == set()
    assert loaded & {entry.target.partition(":")[0] for entry in COMMANDS.values()} == set()
    for name, entry in COMMANDS.items():
        assert (f"\n    {name} " in run.out) is not entry.hidden


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each command of the table can be loaded and has a help with an example."""
    assert main([name, "-h"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"usage: git wfp {name} ")
    assert "\nExample" in text
    assert f"    git wfp {name}" in text


def test_the_table_of_the_tests_is_not_the_product(capsys: pytest.CaptureFixture[str]) -> None:
    """A table is an argument: nothing of one run is left in the next."""
    assert main(["warn"], TABLE) == 0
    assert main(["warn"]) == 2
    assert "There is no command git wfp warn." in capsys.readouterr().err
