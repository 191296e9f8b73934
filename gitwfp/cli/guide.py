"""The help of a command, in the person's language, aligned for wide characters too."""

from gitwfp.classes import dataclass
from gitwfp.cli.look import Look, Style, cells, pad, wrap
from gitwfp.errors import Text, say

_WIDEST = 100
_USUAL = 80
_INDENT = 4
_SPELLINGS = 26
"""Columns beyond which a spelling gets a line of its own."""


@dataclass(frozen=True, slots=True)
class Guide:
    """What a help says besides the parameters.

    Attributes:
        summary: What the command does, in one sentence.
        examples: Command lines to learn from.
        notes: Further paragraphs.
        commands: The commands below this one, with what each does.
        ending: Paragraphs at the very end.
    """

    summary: Text
    examples: tuple[str, ...]
    notes: tuple[Text, ...] = ()
    commands: tuple[tuple[str, Text], ...] = ()
    ending: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """The help of one command.

    Attributes:
        command: The command as it is typed.
        arguments: What follows it, as the usage shows it.
        guide: What is said besides the parameters.
        options: Each option's spelling, its meaning, and what stands behind that.
    """

    command: str
    arguments: str
    guide: Guide
    options: tuple[tuple[str, Text, str], ...]


def page_lines(page: Page, look: Look) -> tuple[str, ...]:
    """Returns the help of a command as lines."""
    guide = page.guide
    columns = min(look.columns or _USUAL, _WIDEST)
    usage = look.say(
        say("usage: {command} {arguments}", command=page.command, arguments=page.arguments)
    )
    lines = [*wrap(usage, columns), ""]
    for paragraph in (guide.summary, *guide.notes):
        lines += [*wrap(look.say(paragraph), columns), ""]
    if guide.commands:
        rows = [(name, look.say(text)) for name, text in guide.commands]
        lines += _section(say("Commands:"), rows, look, columns)
    rows = [(name, look.say(text) + behind) for name, text, behind in page.options]
    lines += _section(say("Options:"), rows, look, columns)
    heading = look.say(say("Examples:") if len(guide.examples) > 1 else say("Example:"))
    lines += [look.paint(heading, Style.HEADING)]
    lines += [" " * _INDENT + example for example in guide.examples]
    for paragraph in guide.ending:
        lines += ["", *wrap(look.say(paragraph), columns)]
    return tuple(lines)


def _section(heading: Text, rows: list[tuple[str, str]], look: Look, columns: int) -> list[str]:
    widths = [cells(name) for name, _ in rows]
    left = max((width for width in widths if width <= _SPELLINGS), default=0)
    margin = " " * (_INDENT + left + 2)
    lines = [look.paint(look.say(heading), Style.HEADING)]
    for name, text in rows:
        texts = wrap(text, max(columns - len(margin), _SPELLINGS))
        start = " " * _INDENT + pad(name, left)
        if cells(name) > left:
            lines += [start, *(margin + line for line in texts)]
        else:
            lines += [f"{start}  {texts[0]}", *(margin + line for line in texts[1:])]
    return [*lines, ""]
