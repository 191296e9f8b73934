"""Texts that a command takes from a file or from standard input, no larger than a plan file."""

import sys
from typing import BinaryIO

from gitwfp.cli.command import App
from gitwfp.errors import ExitCode, Location, Refusal, say
from gitwfp.flows.env import Env

STDIN = "-"


def words_of(app: App, env: Env, words: tuple[str, ...]) -> str:
    """Returns a request: the words, or the content of the .md file or stdin that they name.

    Raises:
        Refusal: See `read_input`.
    """
    name = words[0] if len(words) == 1 else ""
    if name == STDIN or (name.lower().endswith(".md") and len(name.split()) == 1):
        return read_input(app, env, name).decode("utf-8-sig", "surrogateescape")
    return " ".join(words)


def read_input(app: App, env: Env, name: str) -> bytes:
    """Returns what a file holds, or standard input where the name is `-`.

    Raises:
        Refusal: There is no standard input (usage), the file cannot be read (not found), or there
            is more than `limits.file_bytes` of it (refused).
    """
    if name == STDIN:
        if sys.stdin is None or sys.stdin.closed:
            raise Refusal(
                "no-input",
                say("There is no standard input to read from."),
                ExitCode.USAGE,
                hint=say("Name a file instead of -."),
            )
        return _read(sys.stdin.buffer, name, env.settings.limits.file_bytes)
    try:
        with open(app.path(name), "rb") as file:
            return _read(file, name, env.settings.limits.file_bytes)
    except OSError as error:
        raise Refusal(
            "cannot-read-input",
            say("'{path}' cannot be read: {why}.", path=name, why=error.strerror or error),
            ExitCode.NOT_FOUND,
        ) from error


def _read(stream: BinaryIO, name: str, limit: int) -> bytes:
    data = stream.read(limit + 1)
    if len(data) > limit:
        raise Refusal(
            "input-too-large",
            say("The input has more than {limit} bytes.", limit=limit),
            ExitCode.REFUSED,
            hint=say("Split it, or raise limits.file_bytes in .wfp.toml."),
            location=Location(None if name == STDIN else name),
        )
    return data
