"""Finding the repository that a folder belongs to, by one run of `git rev-parse`."""

import os
from collections.abc import Mapping

from gitwfp.classes import dataclass, replace
from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.git.program import GitFailed, GitProgram, to_text, too_old


@dataclass(frozen=True, slots=True)
class Place:
    """Where a repository is and what kind it is; see `Repository` for the attributes."""

    is_bare: bool
    is_shallow: bool
    object_format: str
    git_dir: str
    common_dir: str
    prefix: str
    top: str | None


_FACTS = ("--is-bare-repository", "--is-shallow-repository", "--show-object-format")
_PATHS = ("--git-dir", "--git-common-dir", "--show-prefix")
_ABSOLUTE = "--path-format=absolute"


def find(start: str, environ: Mapping[str, str]) -> tuple[Place, GitProgram]:
    """Returns where the repository is and the program to ask it with; see `Repository.open`."""
    git = GitProgram(start, environ)
    place = _place(git)
    if not place.prefix:
        place = replace(place, prefix=_alias_prefix(place, environ))
    return place, GitProgram(place.top or place.git_dir, _environment(place, environ))


def _place(git: GitProgram) -> Place:
    # A worktree is asked for last: where there is none, git fails only after it has said all else.
    done = git.run("rev-parse", _ABSOLUTE, *_FACTS, *_PATHS, "--show-toplevel", ok=(0, 128))
    lines = to_text(done.out).split("\n")[:-1]
    if lines and lines[0] == _ABSOLUTE:
        raise too_old(git.version())
    if len(lines) < len(_FACTS):
        raise _unusable(git.cwd, done.code, to_text(done.err).strip())
    bare, shallow, object_format, *paths = lines
    if len(paths) != len(_PATHS) + (done.code == 0):
        # Some folder has a line break in its name.
        paths = [_one(git, question) for question in (*_PATHS, "--show-toplevel")]
        paths = paths if paths[-1] else paths[:-1]
    git_dir, common_dir, prefix = paths[:3]
    top = paths[3] if len(paths) > len(_PATHS) else None
    # A hook on the side that is pushed to runs in the git folder with GIT_DIR set to it, and git
    # then takes that folder for the worktree.
    if top is not None and os.path.realpath(top) == os.path.realpath(git_dir):
        top = None
    return Place(bare == "true", shallow == "true", object_format, git_dir, common_dir, prefix, top)


def _one(git: GitProgram, question: str) -> str:
    return to_text(git.run("rev-parse", _ABSOLUTE, question, ok=(0, 128)).out)[:-1]


def _alias_prefix(place: Place, environ: Mapping[str, str]) -> str:
    """Returns where the user stood when git started us through an alias that begins with `!`."""
    prefix = environ.get("GIT_PREFIX", "")
    is_inside = prefix.endswith("/") and {"", ".", ".."}.isdisjoint(prefix[:-1].split("/"))
    is_folder = place.top is not None and os.path.isdir(os.path.join(place.top, prefix))
    return prefix if is_inside and is_folder else ""


def _environment(place: Place, environ: Mapping[str, str]) -> dict[str, str]:
    """Returns the environment in which git finds the same repository from its own top."""
    is_plain = place.top is None or os.path.lexists(os.path.join(place.top, ".git"))
    given = [name for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR") if environ.get(name)]
    if is_plain and not given:
        return dict(environ)
    found = {**environ, "GIT_DIR": place.git_dir}
    if "GIT_COMMON_DIR" in given:
        found["GIT_COMMON_DIR"] = place.common_dir
    if place.top is None:
        found.pop("GIT_WORK_TREE", None)
    else:
        found["GIT_WORK_TREE"] = place.top
    return found


def _unusable(start: str, code: int, text: str) -> Refusal:
    """Returns the refusal for a folder in which git would not work, in git's own words."""
    first, _, advice = text.removeprefix("fatal: ").partition("\n")
    if first.startswith("not a git repository"):
        return Refusal(
            "not-a-repository",
            say("{folder} is not in a git repository.", folder=start),
            ExitCode.ENVIRONMENT,
            hint=say("Go into a repository, or make one with git init."),
        )
    if "dubious ownership" in first or "safe.bareRepository" in text:
        return Refusal(
            "repository-not-trusted",
            say("Git does not trust this repository: {reason}.", reason=first),
            ExitCode.ENVIRONMENT,
            hint=say("{advice}", advice=" ".join(advice.split())) if advice else None,
        )
    if any(sign in text for sign in _UNKNOWN_FORMAT):
        return Refusal(
            "repository-unsupported",
            say(
                "This git does not know the format of the repository: {reason}.",
                reason=" ".join(text.removeprefix("fatal: ").split()),
            ),
            ExitCode.ENVIRONMENT,
            hint=say("Install the git that made it, or a newer one."),
        )
    return GitFailed("rev-parse", code, " ".join(text.split()))


_UNKNOWN_FORMAT = (
    "unknown repository extension",
    "unknown object format",
    "unknown ref storage",
    "invalid value for 'extensions.",
    "Expected git repo version",
    "repo version is 0, but v1-only extension",
)
