"""Documents that are run: every `console` block in a Markdown file, compared with what it shows.

A block holds commands behind `$ `, continued behind `> `, each followed by what it prints; `# `
begins a remark. Commands run in a shell, in one folder, one after another. Ids and times differ
from run to run: they are left out of the comparison, and where a later command names one, the one
of this run takes its place.

    python -m pytest tests/test_readme.py tests/test_tutorial.py

compares; with WFP_REWRITE_DOCS=1 in the environment it writes the documents anew instead.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Looked at when the module is loaded: a test's own environment knows nothing of the machine's.
REWRITE = bool(os.environ.get("WFP_REWRITE_DOCS"))
PATIENCE = 60.0

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TIME = re.compile(
    r"\b\d{4}-\d\d-\d\d[T ]\d\d[:-]\d\d(?:[:-]\d\d)?(?:-\d{1,2}\b)?(?:Z|[+-]\d\d:?\d\d)?"
    r"|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} \d{1,2} \d\d:\d\d:\d\d \d{4} [+-]\d{4}"
    r"|\b\d{4}-\d\d-\d\d\b"
)
_ID = re.compile(r"\b[0-9a-f]{7,64}\b")
_TOKEN = re.compile(f"{_TIME.pattern}|{_ID.pattern}")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One command of a block.

    Attributes:
        shown: Its lines in the document, prompts included, and remarks before it.
        command: What is run.
        output: What the document says it prints.
    """

    shown: str
    command: str
    output: str


def exchanges(block: str) -> tuple[Exchange, ...]:
    """Returns the commands of a block with their outputs."""
    found: list[Exchange] = []
    shown: list[str] = []
    command: list[str] = []
    output: list[str] = []

    def finish() -> None:
        if command:
            found.append(Exchange("".join(shown), "\n".join(command), "".join(output)))
            shown.clear()
            command.clear()
            output.clear()

    for line in block.splitlines(keepends=True):
        if line.startswith(("# ", "$ ")):
            if command:
                finish()
            shown.append(line)
            if line.startswith("$ "):
                command.append(line[2:].rstrip("\n"))
        elif (line.startswith("> ") or line == ">\n") and not output:
            shown.append(line)
            command.append(line[2:].rstrip("\n"))
        else:
            output.append(line)
    finish()
    assert not shown, f"a remark without a command: {shown}"
    return tuple(found)


def normal(text: str) -> str:
    """Returns a text without what differs from run to run."""
    # Of two replans in one second, the later one leaves the time of the last replan as it is.
    text = text.replace("session last_replan, ", "")
    return _ID.sub("<id>", _TIME.sub("<time>", text))


def replay(document: str, run: Callable[[str], str]) -> str:
    """Returns a document with the outputs of this run in its blocks.

    Args:
        document: The Markdown text.
        run: Runs a command line and returns what it prints.
    """
    known: dict[str, str] = {}

    def again(match: re.Match[str]) -> str:
        parts = []
        for exchange in exchanges(match[1]):
            command = _TOKEN.sub(lambda token: known.get(token[0], token[0]), exchange.command)
            shown = _TOKEN.sub(lambda token: known.get(token[0], token[0]), exchange.shown)
            output = run(command)
            if output and not output.endswith("\n"):
                output += "\n"
            # A blank line sets the next command apart from what was printed before.
            blank = "\n" if exchange.output.endswith("\n\n") or exchange.output == "\n" else ""
            known.update(zip(_TOKEN.findall(exchange.output), _TOKEN.findall(output), strict=False))
            parts.append(shown + output + blank)
        return "```console\n" + "".join(parts) + "```"

    return _BLOCK.sub(again, document)


class Shell:
    """A shell in one folder, in which `git wfp` is the program of this tree.

    Args:
        folder: Where commands run.
        tools: An empty folder, for the program's entry.
    """

    def __init__(self, folder: Path, tools: Path) -> None:
        tools.mkdir(parents=True, exist_ok=True)
        entry = tools / "git-wfp"
        entry.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gitwfp "$@"\n')
        entry.chmod(0o755)
        self._folder = folder
        self._path = os.pathsep.join([str(tools), os.environ["PATH"]])

    def run(self, command: str) -> str:
        """Returns what a command prints, errors included; its folder stays when it is `cd`."""
        if command.startswith("cd "):
            self._folder = (self._folder / command[3:]).resolve()
            return ""
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self._folder,
            env={**os.environ, "PATH": self._path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
            check=False,
        )
        return done.stdout.decode("utf-8")


def check_document(path: Path, shell: Shell) -> None:
    """Asserts that a document shows what its commands print, or writes it anew."""
    document = path.read_text("utf-8")
    assert _BLOCK.search(document), f"{path.name} has no console block"
    replayed = replay(document, shell.run)
    if REWRITE:
        path.write_text(replayed, "utf-8")
        return
    was, now = normal(document).splitlines(), normal(replayed).splitlines()
    # Printed in full by hand: pytest cuts the difference of two long texts out of a short report.
    assert was == now, "\n".join(unified_diff(was, now, "documented", "printed", n=1, lineterm=""))
