"""A command on a terminal that waits for an answer while other things happen."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from tests.scene import PATIENCE, Scene
from tests.terminal import COLUMNS, LINES

CTRL_C = b"\x03"
PROMPT = "Number or name"


class Dialogue:
    """One command whose three streams are a terminal of its own.

    Attributes:
        said: Everything that it has printed so far.
    """

    def __init__(self, program: subprocess.Popen[bytes], terminal: int) -> None:
        self.said = ""
        self._program = program
        self._terminal = terminal

    def until(self, text: str) -> str:
        """Reads until the command has said a text; returns all that it said."""
        while text not in self.said:
            assert self._read(), f"the command ended without {text!r}; it said:\n{self.said}"
        return self.said

    def until_prompt(self, number: int, prompt: str = PROMPT) -> str:
        """Reads until the command has asked so many times; returns all that it said."""
        while self.said.count(prompt) < number or not self.said.rstrip().endswith("]:"):
            assert self._read(), f"the command ended before prompt {number}; it said:\n{self.said}"
        return self.said

    def type(self, keys: str | bytes) -> None:
        """Types keys."""
        os.write(self._terminal, keys.encode() if isinstance(keys, str) else keys)

    def interrupt(self) -> None:
        """Types Ctrl-C until the command reacts.

        CPython sees a signal that comes just before a read begins only when the read ends.
        """
        for _ in range(int(PATIENCE)):
            self.type(CTRL_C)
            if select.select([self._terminal], [], [], 1.0)[0] or self._program.poll() is not None:
                return

    def end(self) -> int:
        """Reads to the end; returns the exit code."""
        while self._read():
            pass
        return self._program.wait(timeout=PATIENCE)

    def _read(self) -> bool:
        deadline = time.monotonic() + PATIENCE
        ready, _, _ = select.select([self._terminal], [], [], deadline - time.monotonic())
        assert ready, f"nothing more came after:\n{self.said}"
        try:
            part = os.read(self._terminal, 65536)
        except OSError:
            # Linux reports a terminal whose other end is closed as an input error.
            part = b""
        self.said += part.decode("utf-8", "replace")
        return bool(part)


@contextmanager
def dialogue(
    scene: Scene, *argv: str, env: Mapping[str, str] | None = None, cwd: str = ""
) -> Iterator[Dialogue]:
    """Starts `git wfp` on a terminal; what is typed is not echoed.

    Args:
        scene: The repository.
        argv: The words after `git wfp`.
        env: Variables on top of the test's environment.
        cwd: The folder to stand in, from the repository root.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    modes = termios.tcgetattr(theirs)
    modes[1] &= ~termios.OPOST
    modes[3] &= ~termios.ECHO
    termios.tcsetattr(theirs, termios.TCSANOW, modes)
    program = subprocess.Popen(
        (sys.executable, "-m", "gitwfp", *argv),
        cwd=scene.path / cwd,
        env={**os.environ, **(env or {}), "TERM": "xterm-256color", "NO_COLOR": "1"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=_take_terminal,  # noqa: PLW1509 - it does two system calls
    )
    os.close(theirs)
    try:
        yield Dialogue(program, ours)
    finally:
        os.close(ours)
        if program.poll() is None:
            program.kill()
        program.wait()


def asked(
    scene: Scene, *argv: str, meanwhile: Callable[[], object], answer: str | bytes
) -> tuple[int, str]:
    """Runs a command up to its question, does something else, and answers.

    Returns:
        The exit code, and everything that the command printed.
    """
    with dialogue(scene, *argv) as talk:
        talk.until(PROMPT)
        meanwhile()
        talk.type(answer)
        return talk.end(), talk.said


def conversation(
    scene: Scene,
    *argv: str,
    answers: Sequence[str | bytes],
    prompt: str = PROMPT,
    env: Mapping[str, str] | None = None,
) -> tuple[int, str]:
    """Runs a command and answers its questions one after the other.

    Returns:
        The exit code, and everything that the command printed.
    """
    with dialogue(scene, *argv, env=env) as talk:
        for number, answer in enumerate(answers, 1):
            talk.until_prompt(number, prompt)
            if answer == CTRL_C:
                talk.interrupt()
            else:
                talk.type(answer)
        return talk.end(), talk.said


def _take_terminal() -> None:
    """Makes standard input the terminal whose Ctrl-C the command gets, as from a shell.

    Where the tests run in the background, Ctrl-C is ignored, and that is inherited.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
