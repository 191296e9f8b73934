"""What a push moves, as git tells its hooks, and what the other side has already.

Git gives `pre-push` a line `local-ref local-id remote-ref remote-id` for each ref and
`pre-receive` a line `old-id new-id ref`; an id of zeros stands for no object (githooks(5)). The
local ref may be any expression, spaces included, so it is never resolved; the id is what counts.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gitwfp.classes import dataclass
from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.git.program import to_text
from gitwfp.patterns import regex

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

_ID = regex(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_MOST_COMMITS = 1000
_MARK = "\x01"


@dataclass(frozen=True, slots=True)
class Update:
    """One ref that a push moves.

    Attributes:
        ref: Its full name on the other side.
        new: The object that it shall lead to; None for a deletion.
        old: The object that it leads to now; None where it is not there yet.
    """

    ref: str
    new: str | None
    old: str | None


@dataclass(frozen=True, slots=True)
class Pushed:
    """One commit of a push.

    Attributes:
        id: Its id.
        subject: The first line of its message.
        tasks: The tasks that its trailers name.
        paths: The files that it changes.
    """

    id: str
    subject: str
    tasks: tuple[str, ...]
    paths: tuple[str, ...]


def pre_push_updates(data: bytes) -> tuple[Update, ...]:
    """Returns what the standard input of a pre-push hook says.

    Raises:
        Refusal: A line is not what git writes (environment).
    """
    return tuple(_update(line, ref, new, old) for line, (_, new, ref, old) in _lines(data, 4))


def pre_receive_updates(data: bytes) -> tuple[Update, ...]:
    """Returns what the standard input of a pre-receive hook says.

    Raises:
        Refusal: A line is not what git writes (environment).
    """
    return tuple(_update(line, ref, new, old) for line, (old, new, ref) in _lines(data, 3))


def _lines(data: bytes, parts: int) -> list[tuple[str, list[str]]]:
    found = []
    for line in to_text(data).split("\n"):
        if line:
            words = line.rsplit(" ", parts - 1)
            if len(words) != parts:
                raise _odd(line)
            found.append((line, words))
    return found


def _update(line: str, ref: str, new: str, old: str) -> Update:
    if not ref.startswith("refs/") or not all(map(_ID.fullmatch, (new, old))):
        raise _odd(line)
    return Update(ref, *(None if set(text) == {"0"} else text for text in (new, old)))


def _odd(line: str) -> Refusal:
    return Refusal(
        "odd-hook-line",
        say("This is no line that git gives to a hook: {line}", line=line[:200]),
        ExitCode.ENVIRONMENT,
        hint=say("The command reads what git writes to the standard input of the hook."),
    )


def commits_of(repo: "Repository", ids: Sequence[str]) -> Mapping[str, str]:
    """Returns the commits that objects are or, as annotated tags, lead to.

    Args:
        repo: The repository.
        ids: Full ids of objects; those that are not here, and files and trees, are left out.
    """
    asked = "".join(f"{one}^{{commit}}\n" for one in ids)
    done = repo.git.run("cat-file", "--batch-check", input=asked.encode("ascii"))
    lines = to_text(done.out).splitlines()
    answers = (line.split(" ") for line in lines)
    return {
        one: words[0]
        for one, words in zip(ids, answers, strict=True)
        if len(words) == 3 and words[1] == "commit"
    }


def is_here(repo: "Repository", object_id: str) -> bool:
    """Tells whether there is an object of that id."""
    done = repo.git.run("cat-file", "--batch-check", input=object_id.encode("ascii") + b"\n")
    return not done.out.rstrip().endswith(b"missing")


def refs_of_remote(repo: "Repository", remote: str) -> tuple[str, ...]:
    """Returns where the branches of a remote were when they were last fetched or pushed.

    Args:
        repo: The repository.
        remote: The name of the remote; an address has none of them.
    """
    if not any(key.startswith("remote.") for key in repo.config().keys_below(f"remote.{remote}")):
        return ()
    return tuple(set(repo.refs(f"refs/remotes/{remote}/").values()))


@dataclass(frozen=True, slots=True)
class Reach:
    """What a commit adds to what is somewhere already.

    Attributes:
        nearest: The commits that its new ones come after.
        is_new: Whether it adds any commit at all.
    """

    nearest: tuple[str, ...]
    is_new: bool


def reach_beyond(repo: "Repository", commit: str, known: Sequence[str]) -> Reach:
    """Tells what a commit adds to others.

    Args:
        repo: The repository.
        commit: The commit.
        known: The others, which are here.
    """
    asked = "\n".join((commit, *(f"^{one}" for one in known), ""))
    command = ("rev-list", "--boundary", "--topo-order", "--stdin")
    done = repo.git.run(*command, input=asked.encode("ascii"))
    lines = done.out.decode("ascii").split()
    nearest = tuple(line[1:] for line in lines if line.startswith("-"))
    return Reach(nearest, len(lines) > len(nearest))


def commits_between(
    repo: "Repository", commit: str, known: Sequence[str], task_key: str
) -> tuple[Pushed, ...]:
    """Returns the commits that one adds to others, merges left out, newest first.

    Args:
        repo: The repository.
        commit: The commit.
        known: The others, which are here.
        task_key: The trailer in which a commit names its tasks.
    """
    form = f"%x01%H%x02%s%x02%(trailers:key={task_key},valueonly,separator=%x1f)%x02"
    command = ("log", "-z", "--no-merges", "--name-only", "--no-renames", "--no-show-signature")
    more = (f"--max-count={_MOST_COMMITS}", f"--format=tformat:{form}", "--stdin")
    asked = "\n".join((commit, *(f"^{one}" for one in known), ""))
    done = repo.git.run(*command, *more, input=asked.encode("ascii"))
    found = []
    for chunk in to_text(done.out).split(_MARK)[1:]:
        name, subject, tasks, rest = chunk.split("\x02", 3)
        paths = tuple(path for path in rest.strip("\n").split("\0") if path.strip("\n"))
        names = tuple(one.strip() for one in tasks.split("\x1f") if one.strip())
        found.append(Pushed(name, subject, names, tuple(path.lstrip("\n") for path in paths)))
    return tuple(found)


def has_commit_since(
    repo: "Repository", commit: str, added: str, paths: Sequence[str]
) -> bool | None:
    """Tells whether a commit that changes one of some paths came since a file was added.

    Args:
        repo: The repository.
        commit: Where to start.
        added: The file, as a path.
        paths: Files and folders.

    Returns:
        None where the history does not say when the file was added.
    """
    command = ("log", "-1", "--format=%H", "--no-show-signature")
    first = repo.git.run(*command, "--diff-filter=A", commit, "--", added).out.decode().strip()
    if not first:
        return None
    done = repo.git.run(*command, commit, f"^{first}", "--", *paths)
    return bool(done.out.strip())
