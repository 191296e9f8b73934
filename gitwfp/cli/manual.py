"""Writes the manual page of all commands from their helps: `python -m gitwfp.cli.manual`."""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import click

from gitwfp.cli.guide import Guide
from gitwfp.cli.look import PLAIN
from gitwfp.cli.reference import helps
from gitwfp.cli.table import COMMANDS, Table
from gitwfp.errors import ExitCode
from gitwfp.patterns import regex

FILE: Final = "man/git-wfp.1"

EXIT_CODES: Final[Mapping[ExitCode, str]] = {
    ExitCode.DONE: "Done; also when there was nothing to change.",
    ExitCode.NEGATIVE: "A negative answer: something differs, something was cancelled.",
    ExitCode.USAGE: "Wrong usage, or an answer is missing that only a person could give.",
    ExitCode.NOT_FOUND: "Not found: a session, a task, a revision, a setting.",
    ExitCode.REFUSED: "The plan does not allow it.",
    ExitCode.CONFLICT: "Conflict: changed meanwhile, or a merge with two opinions.",
    ExitCode.ENVIRONMENT: "The surroundings do not allow it: no repository, a lock, a merge in "
    "progress.",
    ExitCode.BUG: "A bug in gitwfp; a report was written.",
    ExitCode.INTERRUPTED: "Interrupted.",
}

_FILES: Final = (
    (".workflow/", "The plans: one folder for each session."),
    (".wfp.toml", "Settings that the repository shares; see git wfp config."),
)

_ENVIRONMENT: Final = (
    ("WFP_*", "A setting each: WFP_REPLAN_LANDING is replan.landing. They win over other places."),
    ("WFP_NO_INPUT", "When set, nobody is asked."),
    ("NO_COLOR", "When set, nothing is coloured."),
    ("GIT_PAGER, PAGER", "What shows long output on a terminal, as for git."),
)

_SPECIAL: Final = regex(r"[\\-]|[^\x00-\x7f]")


def page(table: Table = COMMANDS) -> str:
    """Returns the manual page as roff, with one part for each command that is listed."""
    return "".join(f"{line}\n" for line in _lines(table))


def write(path: str = FILE) -> None:
    """Writes the manual page into a file."""
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(page(), "ascii", newline="\n")


def _lines(table: Table) -> Iterator[str]:
    (root, guide), *below = helps(table)
    summary = PLAIN.say(guide.summary)
    yield '.TH GIT\\-WFP 1 "" "gitwfp" "Git Manual"'
    yield ".SH NAME"
    yield f"git\\-wfp \\- {_text(summary[0].lower() + summary[1:].removesuffix('.'))}"
    yield ".SH SYNOPSIS"
    yield from _usage(root)
    yield ".SH DESCRIPTION"
    yield from _paragraphs(guide)
    yield ".SH OPTIONS"
    yield from _options(root)
    yield ".SH COMMANDS"
    for context, told in below:
        yield f".SS {_text(context.command_path)}"
        yield from _usage(context)
        yield from _paragraphs(told)
        yield from _options(context)
        yield from _examples(told)
    yield ".SH EXAMPLES"
    yield from _examples(guide)
    yield ".SH EXIT STATUS"
    for code, meaning in EXIT_CODES.items():
        yield from _item(str(int(code)), meaning)
    yield ".SH FILES"
    for name, meaning in _FILES:
        yield from _item(name, meaning)
    yield ".SH ENVIRONMENT"
    for name, meaning in _ENVIRONMENT:
        yield from _item(name, meaning)
    yield ".SH SEE ALSO"
    yield ".BR git (1),"
    yield ".BR git\\-config (1)"


def _usage(context: click.Context) -> Iterator[str]:
    pieces = " ".join(context.command.collect_usage_pieces(context))
    yield ".PP"
    yield f"\\fB{_text(context.command_path)}\\fR {_text(pieces)}"


def _paragraphs(guide: Guide) -> Iterator[str]:
    for paragraph in (guide.summary, *guide.notes):
        yield ".PP"
        yield _text(PLAIN.say(paragraph))
    for name, meaning in guide.commands:
        yield from _item(name, PLAIN.say(meaning))
    for paragraph in guide.ending:
        yield ".PP"
        yield _text(PLAIN.say(paragraph))


def _options(context: click.Context) -> Iterator[str]:
    for parameter in context.command.params:
        record = parameter.get_help_record(context)
        if record is not None:
            yield from _item(*record)


def _item(name: str, meaning: str) -> Iterator[str]:
    yield ".TP"
    yield f"\\fB{_text(name)}\\fR"
    yield _text(meaning)


def _examples(guide: Guide) -> Iterator[str]:
    yield ".PP"
    yield ".RS 4"
    yield ".nf"
    yield from map(_text, guide.examples)
    yield ".fi"
    yield ".RE"


def _text(text: str) -> str:
    """Returns a line as roff shows it to the letter."""
    shown = _SPECIAL.sub(_escaped, text)
    return f"\\&{shown}" if shown.startswith((".", "'")) else shown


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    if character == "\\":
        return "\\e"
    return "\\-" if character == "-" else f"\\[u{ord(character):04X}]"


def main(words: Sequence[str]) -> None:
    """Writes the manual page, into the file named first if there is one."""
    write(*words[:1])


if __name__ == "__main__":
    main(sys.argv[1:])
