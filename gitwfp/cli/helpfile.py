"""Writes what the helps of all commands are made of: `python -m gitwfp.cli.helpfile`."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from gitwfp.cli.command import PROGRAM, page_of
from gitwfp.cli.readyhelp import FILE, as_json
from gitwfp.cli.reference import helps
from gitwfp.cli.table import COMMANDS, Table


def content(table: Table = COMMANDS) -> str:
    """Returns the helps of all commands that are listed as JSON, one command a line."""
    pages = (page_of(context, guide) for context, guide in helps(table))
    lines = [
        f"{json.dumps(page.command.removeprefix(PROGRAM).lstrip())}: {as_json(page)}"
        for page in pages
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main(words: Sequence[str]) -> None:
    """Writes them, into the file named first if there is one."""
    Path(*(words[:1] or (FILE,))).write_text(content(), "utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
