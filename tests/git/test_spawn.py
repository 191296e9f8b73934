"""Programs that are run without the library end as those that are run with it."""

import os
import signal
import subprocess
import sys

import pytest

from gitwfp.errors import Refusal
from gitwfp.git.program import GitFailed, GitProgram
from gitwfp.git.spawn import MOST_INPUT, TookTooLong, run_to_end
from tests.scene import Scene

SCRIPTS = {
    "quiet": "pass",
    "fails": "import sys; sys.exit(7)",
    "echoes": "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read()[::-1])",
    "floods both": "import os; [os.write(1 + n % 2, b'x' * 70000) for n in range(20)]",
    "is killed": "import os; os.kill(os.getpid(), 9)",
    "tells its variables": "import os; print(sorted(os.environ))",
    "closes its outputs": "import os, sys; os.close(1); os.close(2); sys.stdin.read()",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_run_is_that_of_the_library(name: str) -> None:
    """Exit code and both outputs are those that `subprocess` gives."""
    words = [os.fsencode(sys.executable), b"-S", b"-c", SCRIPTS[name].encode()]
    environ = {"PATH": os.environ["PATH"], "WORD": "\udcff"}
    given = b"ab\0c" * (MOST_INPUT // 4)
    done = subprocess.run(words, env=environ, input=given, capture_output=True, check=False)
    assert run_to_end(words, environ, given) == (done.returncode, done.stdout, done.stderr)


def test_signals_that_python_ignores_are_not_ignored() -> None:
    """A program ends by a broken pipe as it does when a shell has started it."""
    words = [b"sh", b"-c", b"kill -PIPE $$; echo alive"]
    assert run_to_end(words, os.environ, b"") == (-signal.SIGPIPE, b"", b"")


@pytest.mark.parametrize("script", ["exec sleep 60", "trap '' TERM; while :; do sleep 60; done"])
def test_what_takes_too_long_is_ended(script: str) -> None:
    """A program whose time is over is ended, whether it listens to a polite request or not."""
    with pytest.raises(TookTooLong):
        run_to_end([b"sh", b"-c", script.encode()], os.environ, b"", timeout=0.05)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_no_pipe_stays_open() -> None:
    """As many files are open after a run as before, also where the program is missing."""
    before = os.dup(0)
    os.close(before)
    run_to_end([os.fsencode(sys.executable), b"-S", b"-c", b"pass"], os.environ, b"")
    with pytest.raises(FileNotFoundError):
        run_to_end([b"no-such-program-anywhere"], os.environ, b"")
    after = os.dup(0)
    os.close(after)
    assert before == after


def test_git_answers_the_same_by_both_ways(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers, failures and refusals of git do not depend on how it is started."""
    scene.write({"a": "1\n"})
    scene.commit("one")

    def answers() -> list[object]:
        git = GitProgram(str(scene.path), os.environ)
        told: list[object] = [
            git.run("rev-parse", "--show-toplevel", "HEAD"),
            git.run("hash-object", "--stdin", input=b"x" * MOST_INPUT),
            git.run("hash-object", "--stdin", input=b"x" * MOST_INPUT * 50),
        ]
        with pytest.raises(GitFailed) as late:
            git.run("-c", "alias.wait=!sleep 60", "wait", timeout=0.1)
        told.append((late.value.exit_status, late.value.text))
        for words in (("rev-parse", "--verify", "nothing"), ("no-such-command",)):
            with pytest.raises(GitFailed) as failed:
                git.run(*words)
            told.append((failed.value.exit_status, failed.value.text))
        with pytest.raises(Refusal) as refused:
            GitProgram(str(scene.path / "gone"), os.environ).run("version")
        return [*told, refused.value.code, str(refused.value)]

    spawned = answers()
    monkeypatch.setattr("gitwfp.git.program.MOST_INPUT", -1)
    assert answers() == spawned
