"""Remembered answers, and what makes sure that they are still right.

An entry is a marshal file below `wfp/answers/` in the worktree's git folder. It is read only if it
is this user's own, in a repository that is this user's own, since marshal is safe for nobody
else's data. It holds

- the key: program, words, place, terminal, and the variables that decide,
- the facts: for each path that the answer depends on, what `lstat` said of it,
- the answer: exit code and the bytes for both outputs.

As in git's index, a fact is worth nothing if it is not older than the look at it: what changed in
the same tick of the clock would not show. Such an answer is not kept.
"""

import marshal
import os
import sys
import time

from gitwfp import __version__

TYPE_CHECKING = False  # The constant of typing, whose import costs as much as Python itself.
if TYPE_CHECKING:
    from typing import TextIO

    from gitwfp.git.witness import Witness

    Fact = tuple[bytes, tuple[int, ...] | None]
    Chunk = tuple[int, bytes]

FORM = 1
"""Of the files; another one is not read."""

_GRAIN = 20_000_000
"""Nanoseconds by which the times of files may lag behind the clock."""

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
_OWN = ("status-", "list-", "next-", "log-")
_ENCODINGS = ("ascii", "iso8859-1", "latin-1", "us-ascii", "utf-8")
_LARGEST = 4 * 1024 * 1024
_MOST = 64
_LONGEST = 8192

_PREFIXES = ("GIT_", "LANG", "LC_", "PYTHON", "WFP_", "XDG_")
_NAMES = frozenset(
    {"CLICOLOR_FORCE", "COLUMNS", "FORCE_COLOR", "HOME", "LESS", "LINES", "NO_COLOR", "PAGER"}
    | {"TERM", "TEXTDOMAINDIR", "TZ"}
)
_HARMLESS = frozenset(
    {"GIT_ASKPASS", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "GIT_EDITOR"}
    | {"GIT_EXEC_PATH", "GIT_MERGE_AUTOEDIT", "GIT_OPTIONAL_LOCKS", "GIT_PAGER"}
    | {"GIT_SEQUENCE_EDITOR", "GIT_TERMINAL_PROMPT", "GIT_TEXTDOMAINDIR"}
)
# Of who the user is, and of the network.
_ALSO_HARMLESS = ("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CURL_", "GIT_HTTP_", "GIT_SSH", "GIT_SSL_")


def find_memory(words: list[str]) -> "Memory | None":
    """Returns the memory for a command, None where nothing may be remembered."""
    environ = os.environ
    if "WFP_NO_CACHE" in environ:
        return None
    decisive = []
    for name, value in environ.items():
        if name.startswith(_PREFIXES) or name in _NAMES:
            is_known = name in _HARMLESS or name.startswith(_ALSO_HARMLESS)
            if name.startswith("GIT_") and not is_known:
                # It may lead git elsewhere, or have it tell more.
                return None
            decisive.append((name, value))
    try:
        if not all(_is_plain(stream) for stream in (sys.stdout, sys.stderr)):
            return None
        folder = os.getcwd()
        git_dir = _git_dir(folder)
        if git_dir is None:
            return None
        terminals = tuple(_terminal(number) for number in (0, 1, 2))
    except (OSError, ValueError):
        return None
    program = (__version__, sys.version, __file__, _source())
    key = (FORM, program, words, folder, terminals, sorted(decisive))
    return Memory(words, git_dir, marshal.dumps(key))


def _is_plain(stream: "TextIO | None") -> bool:
    """Tells whether a stream is open and writes one text always by the same bytes."""
    return stream is not None and stream.encoding.lower().replace("_", "-") in _ENCODINGS


class Memory:
    """The memory of one command at one place.

    Args:
        words: The words of the command.
        git_dir: The worktree's git folder.
        key: Everything but files that decides the answer.
    """

    def __init__(self, words: list[str], git_dir: str, key: bytes) -> None:
        self._words = words
        self._key = key
        self._folder = os.path.join(git_dir, "wfp", "answers")
        self._file = os.path.join(self._folder, f"{words[0]}-{_checksum(key):08x}")

    def answer(self) -> int:
        """Gives the answer, from memory or anew, and returns the exit code."""
        entry = self._recall()
        if entry is not None and _give(entry[1]):
            return entry[0]
        return self._ask()

    def _recall(self) -> "tuple[int, list[Chunk]] | None":
        try:
            descriptor = os.open(self._file, _READ)
            with open(descriptor, "rb") as file:
                status = os.fstat(descriptor)
                is_own = status.st_uid == os.geteuid() and _is_file(status.st_mode)
                if not is_own or status.st_size > _LARGEST:
                    return None
                # It is this user's own file in this user's own repository.
                key, facts, code, chunks = marshal.loads(file.read())  # noqa: S302
            if key != self._key or not _are_chunks(code, chunks):
                return None
            lstat = os.lstat
            for path, known in facts:
                try:
                    found = lstat(path)
                except OSError:
                    if known is not None:
                        return None
                    continue
                if known is None or _told(found, whole=len(known) > 2) != known:
                    return None
        except (OSError, EOFError, ValueError, TypeError, MemoryError):
            # Not there, not readable, or half written: the answer is made anew.
            return None
        return code, chunks

    def _ask(self) -> int:
        """Has the command run, and remembers its answer if that is certain to be right."""
        from gitwfp.cli.main import main as run
        from gitwfp.git.witness import Witness

        witness = Witness()
        began = time.time_ns()
        heard: list[tuple[int, str]] = []
        streams = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = (
            _Heard(stream, number, heard) for number, stream in enumerate(streams, 1)
        )
        try:
            code = int(run(self._words, witness=witness))
        finally:
            sys.stdout, sys.stderr = streams
        if code == 0 and witness.is_whole and any(number == 1 for number, _ in heard):
            encoded = [
                (
                    number,
                    text.encode(
                        streams[number - 1].encoding, streams[number - 1].errors or "strict"
                    ),
                )
                for number, text in heard
            ]
            self._keep(began, witness, code, encoded)
        return code

    def _keep(self, began: int, witness: "Witness", code: int, chunks: "list[Chunk]") -> None:
        temporary = f"{self._file}.{os.getpid()}"
        try:
            os.makedirs(self._folder, exist_ok=True)
            if not all(
                _is_own_folder(path) for path in (os.path.dirname(self._folder), self._folder)
            ):
                return
            descriptor = os.open(temporary, _WRITE, 0o666)
            with open(descriptor, "wb") as file:
                # The file system has a clock of its own, which may be elsewhere and a coarse one.
                skew = os.fstat(descriptor).st_mtime_ns - time.time_ns()
                facts = _facts(witness, began + min(skew, 0) - _GRAIN)
                data = b"" if facts is None else marshal.dumps((self._key, facts, code, chunks))
                file.write(data)
            if 0 < len(data) <= _LARGEST:
                self._make_room(os.path.basename(temporary))
                os.rename(temporary, self._file)
            else:
                os.unlink(temporary)
        except OSError:
            # The answer was given; it is made anew the next time.
            _unlink(temporary)

    def _make_room(self, kept: str) -> None:
        own = (name for name in os.listdir(self._folder) if name.startswith(_OWN))
        names = [name for name in own if name != kept]
        if len(names) > _MOST:
            for name in names:
                _unlink(os.path.join(self._folder, name))


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        # It was never made, or will be thrown out with the old answers.
        return


class _Heard:
    """A stream that goes on as before and remembers what was written.

    Args:
        stream: The stream.
        number: Its descriptor.
        heard: Takes what is written, in order, with that number.
    """

    def __init__(self, stream: "TextIO", number: int, heard: list[tuple[int, str]]) -> None:
        self._stream = stream
        self._number = number
        self._heard = heard

    def write(self, text: str) -> int:
        """Writes to the stream."""
        self._heard.append((self._number, text))
        return self._stream.write(text)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def _are_chunks(code: object, chunks: object) -> bool:
    return (
        isinstance(code, int)
        and isinstance(chunks, list)
        and all(number in (1, 2) and isinstance(data, bytes) for number, data in chunks)
    )


def _give(chunks: "list[Chunk]") -> bool:
    """Writes the output, in its order; False where that fails, so that somebody has to say so."""
    for number, data in chunks:
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(number, rest) :]
            except BrokenPipeError:
                # Whoever reads has heard enough, as of a command that is piped into head.
                break
            except OSError:
                return False
    return True


def _facts(witness: "Witness", began: int) -> "list[Fact] | None":
    """Returns what is known of all that an answer depends on, None if some of it is too new."""
    facts: list[Fact] = []
    for path, is_whole in witness.seen.items():
        try:
            found = os.lstat(path)
        except OSError:
            facts.append((path, None))
            continue
        if is_whole and max(found.st_mtime_ns, found.st_ctime_ns) >= began:
            return None
        facts.append((path, _told(found, whole=is_whole)))
    return facts


def _told(found: os.stat_result, *, whole: bool) -> tuple[int, ...]:
    if not whole:
        return found.st_mode, found.st_ino
    return found.st_mode, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _git_dir(folder: str) -> str | None:
    """Returns the worktree's git folder, found as git does; None where that is not certain."""
    user = os.geteuid()
    device = os.stat(folder).st_dev
    while True:
        place = os.path.join(folder, ".git")
        try:
            status = os.lstat(place)
        except FileNotFoundError:
            status = None
        if status is not None:
            if status.st_uid != user:
                return None
            return place if _is_folder(status.st_mode) else _linked(folder, place, user)
        above = os.path.dirname(folder)
        # A folder with a HEAD may be a bare repository, and git stops at the edge of a disk.
        is_odd = os.path.lexists(os.path.join(folder, "HEAD"))
        if above == folder or is_odd or os.stat(above).st_dev != device:
            return None
        folder = above


def _linked(folder: str, place: str, user: int) -> str | None:
    """Returns the git folder that a `.git` file names, as in a linked worktree or a submodule."""
    with open(place, "rb") as file:
        start, _, name = file.read(_LONGEST).rstrip(b"\n").partition(b": ")
    git_dir = os.path.join(folder, os.fsdecode(name))
    is_plain = start == b"gitdir" and b"\n" not in name
    return git_dir if is_plain and os.stat(git_dir).st_uid == user else None


def _is_folder(mode: int) -> bool:
    return mode & 0o170000 == 0o040000


def _is_file(mode: int) -> bool:
    return mode & 0o170000 == 0o100000


def _is_own_folder(path: str) -> bool:
    status = os.lstat(path)
    return _is_folder(status.st_mode) and status.st_uid == os.geteuid()


def _terminal(number: int) -> tuple[int, ...] | None:
    """Returns the size of a terminal, None for a stream that is none."""
    try:
        return tuple(os.get_terminal_size(number)) if os.isatty(number) else None
    except OSError:
        return None


def _source() -> "list[int] | None":
    """Returns the times of the program's files where it runs from its source and may change."""
    top = os.path.dirname(os.path.dirname(__file__))
    if not os.path.exists(os.path.join(os.path.dirname(top), "pyproject.toml")):
        return None
    times = []
    folders = [top]
    while folders:
        for entry in os.scandir(folders.pop()):
            if entry.is_dir():
                folders += [] if entry.name == "__pycache__" else [entry.path]
            else:
                times.append(entry.stat().st_mtime_ns)
    return sorted(times)


def _checksum(data: bytes) -> int:
    """Returns a number that tells keys apart well enough for file names (FNV-1a, 32 bits)."""
    number = 0x811C9DC5
    for byte in data:
        number = (number ^ byte) * 0x01000193 & 0xFFFFFFFF
    return number
