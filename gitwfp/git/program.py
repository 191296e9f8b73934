"""The only place that starts the git program.

A `GitProgram` is git in one folder with one environment. It never opens an editor, a pager or a
prompt, never reads our own standard input, and takes every path that it is given literally. What
git says is asked for in English, because some answers can be told apart only by their text.
"""

import os
import re
from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING

from gitwfp.classes import dataclass
from gitwfp.errors import ExitCode, Refusal, Text, say
from gitwfp.git.spawn import MOST_INPUT, TookTooLong, run_to_end

if TYPE_CHECKING:
    import subprocess

OLDEST_VERSION = (2, 38)
"""The first git whose commands all do what this package asks of them."""

USAGE_ERROR = 129
"""Git's exit code for an option or a command that it does not know."""

# Set for each child. Optional locks are those of a refreshed index; leaving them out keeps a reader
# from getting into the way of the user's own git.
_FIXED_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_EDITOR": "false",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_SEQUENCE_EDITOR": "false",
    "GIT_TERMINAL_PROMPT": "0",
}

# LANGUAGE overrides LC_ALL in some C libraries; git refuses literal pathspecs next to the other
# kinds; traces on standard error would be mixed into git's own words.
_DROPPED_VARIABLES = frozenset(
    {"LANGUAGE", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_TRACE"}
)


@dataclass(frozen=True, slots=True)
class Completed:
    """How one run of git ended.

    Attributes:
        code: Exit code; negative for a signal.
        out: Standard output.
        err: Standard error.
    """

    code: int
    out: bytes
    err: bytes


class GitFailed(Refusal):
    """The git program refused, and says why in its own words.

    Args:
        command: The git command, such as `update-ref`.
        code: Its exit code, negative for a signal.
        text: What it wrote to standard error.
        hint: What to do next, where that is known.
    """

    def __init__(self, command: str, code: int, text: str, *, hint: Text | None = None) -> None:
        message = say(
            "git {command} failed with exit code {code}: {text}",
            command=command,
            code=code,
            text="; ".join(filter(None, map(str.strip, text.split("\n")))) or "it gave no reason",
        )
        super().__init__("git-failed", message, ExitCode.ENVIRONMENT, hint=hint)
        self.command = command
        self.exit_status = code
        self.text = text


class GitProgram:
    """Git, to be run in one folder with one environment.

    Args:
        cwd: Folder to run in.
        environ: The environment that git gets, apart from what keeps it quiet.

    Attributes:
        runs: How many times it was started with a question whose answer may become another one.
    """

    def __init__(self, cwd: str, environ: Mapping[str, str]) -> None:
        self.cwd = cwd
        self.environ = {k: v for k, v in environ.items() if k not in _DROPPED_VARIABLES}
        self.environ.update(_FIXED_ENVIRONMENT)
        self._version: tuple[int, ...] | None = None
        self.runs = 0

    def run(
        self,
        *args: str,
        input: bytes | None = None,
        ok: tuple[int, ...] = (0,),
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
        by_id: bool = False,
    ) -> Completed:
        """Runs git to its end.

        Args:
            args: The command and its arguments.
            input: Standard input; nothing when None.
            ok: The exit codes that are answers and not failures.
            env: Variables to set for this run only.
            timeout: Seconds after which git is killed.
            by_id: Whether it is asked of objects by their ids alone, which always say the same.

        Returns:
            The exit code and both outputs.

        Raises:
            GitFailed: The exit code is another one, or the time is over.
            Refusal: There is no git, or it is too old.
        """
        self.runs += not by_id
        environ = {**self.environ, **(env or {})}
        given = b"" if input is None else input
        try:
            done = self._run(args, environ, given, timeout)
        except TookTooLong as error:
            text = f"no answer within {timeout:g} seconds"
            raise GitFailed(command_of(args), -1, text) from error
        except OSError as error:
            raise self.cannot_start(error) from error
        if done.code not in ok:
            raise self.failure(args, done.code, done.err)
        return done

    def _run(
        self, args: Sequence[str], environ: dict[str, str], input: bytes, timeout: float | None
    ) -> Completed:
        folder = to_bytes(self.cwd)
        has_our_path = environ.get("PATH") == os.environ.get("PATH")
        if len(input) <= MOST_INPUT and has_our_path and os.path.isdir(folder):
            words = self.arguments("-C", self.cwd, *args)
            return Completed(*run_to_end(words, environ, input, timeout))
        import subprocess

        words = self.arguments(*args)
        try:
            done = subprocess.run(
                words,
                cwd=folder,
                env=environ,
                input=input,
                capture_output=True,
                timeout=timeout,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise TookTooLong from error
        return Completed(done.returncode, done.stdout, done.stderr)

    def start(
        self, *args: str, stderr: IO[bytes], by_id: bool = False
    ) -> "subprocess.Popen[bytes]":
        """Starts a git that answers until its standard input is closed.

        Args:
            args: The command and its arguments.
            stderr: Open file that takes what git complains about.
            by_id: See `run`.

        Returns:
            The process, with pipes at its standard input and output.

        Raises:
            Refusal: There is no git.
        """
        import subprocess

        self.runs += not by_id
        try:
            return subprocess.Popen(
                self.arguments(*args),
                cwd=to_bytes(self.cwd),
                env=self.environ,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        except OSError as error:
            raise self.cannot_start(error) from error

    def arguments(self, *args: str) -> list[bytes]:
        """Returns the whole argument vector for a command."""
        return [b"git", *map(to_bytes, args)]

    def version(self) -> tuple[int, ...]:
        """Returns the version of git as numbers, asked for once."""
        if self._version is None:
            done = self.run("version")
            found = re.search(rb"(\d+)\.(\d+)(?:\.(\d+))?", done.out)
            if found is None:
                raise GitFailed("version", done.code, to_text(done.out).strip())
            self._version = tuple(int(part) for part in found.groups() if part is not None)
        return self._version

    def require_version(self, oldest: tuple[int, ...] = OLDEST_VERSION) -> None:
        """Raises the refusal `git-too-old` if git is older than the oldest one that will do."""
        if self.version() < oldest:
            raise too_old(self.version())

    def failure(self, args: Sequence[str], code: int, err: bytes) -> Refusal:
        """Returns the refusal for a run that ended with an exit code that nobody expected.

        Git answers an option that it does not know with its usage and 129, so that is when
        it is worth a second run to see whether git is simply too old.
        """
        text = to_text(err).strip()
        if code == USAGE_ERROR and command_of(args) != "version":
            version = self.version()
            if version < OLDEST_VERSION:
                return too_old(version)
        return GitFailed(command_of(args), code, text)

    def cannot_start(self, error: OSError) -> Refusal:
        """Returns the refusal for a git that could not be started at all."""
        # subprocess raises the same error for a missing program and for a missing folder.
        if not os.path.isdir(to_bytes(self.cwd)):
            return Refusal(
                "folder-missing",
                say("The folder {folder} does not exist.", folder=self.cwd),
                ExitCode.ENVIRONMENT,
            )
        if not isinstance(error, FileNotFoundError):
            return Refusal(
                "git-not-started",
                say("The git program cannot be started: {reason}.", reason=error.strerror),
                ExitCode.ENVIRONMENT,
                hint=say("See that PATH leads to a git that you may run, and the folder is yours."),
            )
        return Refusal(
            "git-missing",
            say("The git program was not found: {reason}.", reason=error.strerror),
            ExitCode.ENVIRONMENT,
            hint=say("Install git 2.38 or newer and make sure that PATH leads to it."),
        )


def too_old(version: tuple[int, ...]) -> Refusal:
    """Returns the refusal for a git that is older than this package needs."""
    return Refusal(
        "git-too-old",
        say(
            "This git is version {version}, but {oldest} or newer is needed.",
            version=".".join(map(str, version)),
            oldest=".".join(map(str, OLDEST_VERSION)),
        ),
        ExitCode.ENVIRONMENT,
        hint=say("Install a newer git and make sure that PATH leads to it."),
    )


def command_of(args: Sequence[str]) -> str:
    """Returns the git command in an argument list, passing over options before it."""
    rest = iter(args)
    for arg in rest:
        if arg in ("-c", "-C"):
            next(rest, None)
        elif not arg.startswith("-"):
            return arg
    return "git"


def to_text(data: bytes) -> str:
    """Returns bytes from git or the file system as text; what is not UTF-8 becomes surrogates.

    The encoding does not follow the locale: git stores paths as bytes, and a tree must read the
    same for every user.
    """
    return data.decode("utf-8", "surrogateescape")


def to_bytes(text: str) -> bytes:
    """Returns the bytes that `to_text` made a text from."""
    return text.encode("utf-8", "surrogateescape")
