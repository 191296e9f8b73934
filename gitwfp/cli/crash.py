"""The report of a bug: a file that can be sent to somebody, and one line that names it.

The report holds the traceback, the words of the command and the versions. Home folders and what
looks like a secret are taken out of it.
"""

import os
import re
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from gitwfp import __version__
from gitwfp.errors import ExitCode, Refusal, say

_LIBRARIES: Final = ("click", "networkx", "pydantic", "pygit2", "rich", "tomlkit", "watchdog")

_SECRET_NAME: Final = re.compile(
    r"TOKEN|SECRET|PASSW|PASSPHRASE|API_?KEY|PRIVATE|CREDENTIAL|COOKIE|_AUTH|_PAT$|_KEY$",
    re.IGNORECASE,
)
_SHORTEST_SECRET: Final = 6
_SECRETS: Final = (
    # The user part of an address, and names of secrets with what follows them.
    (re.compile(r"(://)[^/\s@'\"]+@"), r"\1***@"),
    (
        re.compile(
            r"((?:token|secret|passw(?:or)?d|passphrase|api[_-]?key|authorization)"
            r"['\"]?\s*[=: ,]\s*['\"]?(?:bearer\s+|basic\s+)?)[^\s'\",]+",
            re.IGNORECASE,
        ),
        r"\1***",
    ),
    # Tokens that say by their first letters who gave them out.
    (
        re.compile(
            r"\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|sk-|AKIA|AIza)[A-Za-z0-9_-]{10,}"
        ),
        "***",
    ),
)
_HOMES: Final = re.compile(r"(?<![\w.-])/(?:home|Users)/[^/\s'\":]+")


def as_refusal(
    error: Exception, words: Sequence[str], folder: str, environ: Mapping[str, str], now: datetime
) -> Refusal:
    """Writes the report of a bug and returns what to say about it.

    Args:
        error: The exception that nobody expected.
        words: The words after `git wfp`.
        folder: Where the command ran; the report goes into its git folder if there is one.
        environ: The environment, whose secrets are kept out.
        now: The time.
    """
    text = scrubbed(_report(error, words, environ, now), environ)
    path = _write(text, folder, environ, now)
    if path is None:
        message = say(
            "This is a bug in gitwfp ({name}), and no report of it could be written.",
            name=type(error).__name__,
        )
    else:
        message = say(
            "This is a bug in gitwfp; its report is in {path}", path=scrubbed(path, environ)
        )
    return Refusal("bug", message, ExitCode.BUG)


def scrubbed(text: str, environ: Mapping[str, str]) -> str:
    """Returns a text without home folders and without what looks like a secret."""
    secrets = {
        value
        for name, value in environ.items()
        if _SECRET_NAME.search(name) and len(value) >= _SHORTEST_SECRET
    }
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "***")
    for pattern, instead in _SECRETS:
        text = pattern.sub(instead, text)
    home = environ.get("HOME", "")
    homes = {home, os.path.realpath(home), os.path.expanduser("~")} if home else {home}
    for folder in sorted(homes, key=len, reverse=True):
        if len(folder) > 1:
            text = re.sub(re.escape(folder) + r"(?=[/\s'\":]|$)", "~", text)
    return _HOMES.sub("~", text)


def _report(
    error: Exception, words: Sequence[str], environ: Mapping[str, str], now: datetime
) -> str:
    import platform

    variables = sorted(
        f"{name}={value}"
        for name, value in environ.items()
        if name in ("LANG", "LC_ALL", "TERM") or name.startswith("WFP_")
    )
    return "\n".join(
        [
            f"gitwfp {__version__}, {now:%Y-%m-%d %H:%M:%S} UTC",
            f"Python {platform.python_version()} on {platform.platform()}",
            *_versions(),
            *variables,
            "",
            f"git wfp {list(words)}",
            "",
            "".join(traceback.format_exception(error)),
        ]
    )


def _versions() -> list[str]:
    from importlib.metadata import PackageNotFoundError, version

    found = []
    for name in _LIBRARIES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} is not installed")
    return found


def _write(text: str, folder: str, environ: Mapping[str, str], now: datetime) -> str | None:
    """Writes a report where it can be written; returns its path, None if nowhere."""
    git_folder = _git_folder(folder, environ)
    places = [os.path.join(git_folder, "wfp")] if git_folder is not None else []
    for place in (*places, tempfile.gettempdir()):
        for number in range(1, 100):
            suffix = f"-{number}" if number > 1 else ""
            path = os.path.join(place, f"crash-{now:%Y%m%dT%H%M%SZ}{suffix}.txt")
            try:
                os.makedirs(place, exist_ok=True)
                # What a person does with a plan is nobody else's business on a shared machine.
                handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            except FileExistsError:
                continue
            except OSError:
                break
            with open(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
            return path
    return None


def _git_folder(folder: str, environ: Mapping[str, str]) -> str | None:
    """Finds the worktree's own git folder without git, which may be what does not work."""
    if environ.get("GIT_DIR"):
        return os.path.join(folder, environ["GIT_DIR"])
    while True:
        entry = os.path.join(folder, ".git")
        if os.path.isdir(entry):
            return entry
        if os.path.isfile(entry):
            return _linked(entry)
        if os.path.isfile(os.path.join(folder, "HEAD")) and os.path.isdir(
            os.path.join(folder, "objects")
        ):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _linked(entry: str) -> str | None:
    """Returns the git folder that the `.git` file of a linked worktree or submodule names."""
    try:
        with open(entry, encoding="utf-8", errors="surrogateescape") as file:
            first = file.readline().rstrip("\n")
    except OSError:
        return None
    if not first.startswith("gitdir: "):
        return None
    return os.path.join(os.path.dirname(entry), first.removeprefix("gitdir: "))
