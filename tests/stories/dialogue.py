"""A command on a terminal that waits for an answer while other things happen."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tests.scene import PATIENCE, Scene
from tests.terminal import COLUMNS, LINES

CTRL_C = "\x03"
END_OF_INPUT = "\x04"
ENTER, SPACE, ESCAPE = "\r", " ", "\x1b"
UP, DOWN = "\x1b[A", "\x1b[B"

CAPABLE = {"TERM": "xterm-256color"}
"""What a terminal says that gets lists to move in; by default it gets numbered lines."""

PROMPT = "Number or name"
LIST = "then Enter)"
"""What stands beside each question with a list, once."""

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Dialogue:
    """One command whose three streams are a terminal of its own.

    Attributes:
        said: Everything that it has printed so far.
        modes: How its terminal was set when it began.
    """

    def __init__(self, program: subprocess.Popen[bytes], terminal: int, modes: list[Any]) -> None:
        self.said = ""
        self.modes = modes
        self._program = program
        self._terminal = terminal

    @property
    def text(self) -> str:
        """What it has said, without what moves and colours."""
        return _ESCAPES.sub("", self.said)

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

    def until_list(self, number: int, mark: str = LIST) -> str:
        """Reads until the command has shown so many lists; returns all that it said."""
        while self.said.count(mark) < number:
            assert self._read(), f"the command ended before list {number}; it said:\n{self.said}"
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

    def hang_up(self) -> int:
        """Takes the terminal away; returns the exit code, negative for a signal."""
        os.close(self._terminal)
        self._terminal = -1
        return self._program.wait(timeout=PATIENCE)

    def signal(self, number: int) -> None:
        """Sends the command a signal, as another program does."""
        self._program.send_signal(number)

    def assert_restored(self) -> None:
        """Asserts that the terminal is left as it was: modes, cursor, pasting, wrapping."""
        assert termios.tcgetattr(self._terminal) == self.modes
        for shown, hidden in (("\x1b[?25h", "\x1b[?25l"), ("\x1b[?7h", "\x1b[?7l")):
            assert self.said.rfind(shown) >= self.said.rfind(hidden)
        assert self.said.rfind("\x1b[?2004l") >= self.said.rfind("\x1b[?2004h")

    def close(self) -> None:
        """Takes the terminal away, if it is there still, and ends the command."""
        if self._terminal >= 0:
            os.close(self._terminal)
        if self._program.poll() is None:
            self._program.kill()
        self._program.wait()

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
    scene: Scene,
    *argv: str,
    env: Mapping[str, str] | None = None,
    cwd: str = "",
    columns: int = COLUMNS,
    module: str = "gitwfp",
    ignoring: Sequence[signal.Signals] = (),
) -> Iterator[Dialogue]:
    """Starts `git wfp` on a terminal; what is typed is not echoed.

    Args:
        scene: The repository.
        argv: The words after `git wfp`.
        env: Variables on top of the test's environment; without `CAPABLE` it is a simple terminal.
        cwd: The folder to stand in, from the repository root.
        columns: How wide the terminal is.
        module: The Python module to run, if it is not the real command.
        ignoring: Signals that the command is deaf to.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, columns, 0, 0))
    modes = termios.tcgetattr(theirs)
    modes[1] &= ~termios.OPOST
    modes[3] &= ~termios.ECHO
    termios.tcsetattr(theirs, termios.TCSANOW, modes)
    modes = termios.tcgetattr(theirs)

    def prepare() -> None:
        for number in ignoring:
            signal.signal(number, signal.SIG_IGN)
        _take_terminal()

    program = subprocess.Popen(
        (sys.executable, "-m", module, *argv),
        cwd=scene.path / cwd,
        env={**os.environ, "TERM": "dumb", "NO_COLOR": "1", **(env or {})},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=prepare,  # noqa: PLW1509 - it does a few system calls
    )
    os.close(theirs)
    talk = Dialogue(program, ours, modes)
    try:
        yield talk
    finally:
        talk.close()


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
    answers: Sequence[str],
    prompt: str = PROMPT,
    env: Mapping[str, str] | None = None,
) -> tuple[int, str]:
    """Runs a command on a simple terminal and answers its questions one after the other.

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


def picked(
    scene: Scene,
    *argv: str,
    answers: Sequence[str],
    mark: str = LIST,
    env: Mapping[str, str] | None = None,
    **more: Any,
) -> tuple[int, str]:
    """Runs a command on a capable terminal and picks from its lists one after the other.

    Args:
        scene: The repository.
        argv: The words after `git wfp`.
        answers: The keys that are typed at each list.
        mark: What stands beside each question.
        env: Variables on top of the test's environment.
        more: What else `dialogue` takes.

    Returns:
        The exit code, and what the command printed without what moves and colours. The terminal
        is left as it was.
    """
    with dialogue(scene, *argv, env={**CAPABLE, **(env or {})}, **more) as talk:
        for number, answer in enumerate(answers, 1):
            talk.until_list(number, mark)
            talk.type(answer)
        code = talk.end()
        talk.assert_restored()
        return code, talk.text


def _take_terminal() -> None:
    """Makes standard input the terminal whose Ctrl-C the command gets, as from a shell.

    Where the tests run in the background, Ctrl-C is ignored, and that is inherited.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
