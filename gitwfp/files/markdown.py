"""The outline of a Markdown document: which lines are text, its headings, its sections.

A document is a tuple of lines without endings; a line is named by its index. Front matter, fenced
code and HTML comments are no text: what looks like a heading or a task there is none. This reads
lines once and knows no more of Markdown than plan files need, because lists are read by commands
that must be fast.
"""

import re
from functools import lru_cache
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.patterns import regex

Lines = tuple[str, ...]

_FENCE: Final = regex(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<bar>`{3,}(?=[^`]*\Z)|~{3,})")
_ATX: Final = regex(r" {0,3}(?P<marks>#{1,6})(?:[ \t]+(?P<text>.*))?\Z", re.DOTALL)
_UNDERLINE: Final = regex(r" {0,3}(=+|-+)[ \t]*\Z")
_RULE: Final = regex(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})\Z")
_BULLET: Final = regex(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|\Z)")
_OTHER_BLOCK: Final = regex(r"[ \t]*(?:[>|▸]|<[A-Za-z!/?]|\[[^\]\n]{0,12}\][ \t])")
_YAML: Final = regex(r"[A-Za-z_][\w-]*[ \t]*:(?:[ \t]|\Z)")
_NUMBERING: Final = regex(
    r"(?:\d+(?:\.\d+)*[.)、:：]?|[一二三四五六七八九十]+、)[ \t]+|\d+(?:\.\d+)*、"
)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading.

    Attributes:
        line: Index of its line.
        level: 1 to 6.
        text: What it says, without the marks.
        lines: How many lines it takes; an underlined one takes two.
    """

    line: int
    level: int
    text: str
    lines: int = 1


@dataclass(frozen=True, slots=True)
class Outline:
    """What the lines of a document are.

    Attributes:
        is_text: For each line, whether it is text.
        headings: The headings in order.
        end: Where a block at the end of the document goes: behind the last line that is not
            blank, but before a fence or a comment that is never closed.
    """

    is_text: tuple[bool, ...]
    headings: tuple[Heading, ...]
    end: int

    def section(self, heading: Heading) -> range:
        """Returns the lines of a heading's section, from the heading, with its subsections."""
        for other in self.headings:
            if other.line > heading.line and other.level <= heading.level:
                return range(heading.line, other.line)
        return range(heading.line, len(self.is_text))

    def own_lines(self, heading: Heading) -> range:
        """Returns the lines between a heading and the next one of any level."""
        begin = heading.line + heading.lines
        for other in self.headings:
            if other.line > heading.line:
                return range(begin, other.line)
        return range(begin, len(self.is_text))


# Editors of one document each ask for it, and most of them leave the lines as they are.
@lru_cache(maxsize=4)
def read_outline(lines: Lines) -> Outline:
    """Reads which lines of a document are text, and its headings."""
    is_text: list[bool] = []
    open_since: int | None = None
    fence: re.Match[str] | None = None
    in_comment = False
    front = _front_matter(lines)
    for at, line in enumerate(lines):
        if at < front:
            is_text.append(False)
        elif fence is not None:
            is_text.append(False)
            if _closes(line, fence):
                fence, open_since = None, None
        elif in_comment or line.lstrip(" \t").startswith("<!--"):
            is_text.append(False)
            open_since = open_since if in_comment else at
            in_comment = "-->" not in line
            open_since = open_since if in_comment else None
        else:
            fence = _FENCE.match(line)
            open_since = at if fence is not None else None
            is_text.append(fence is None)
    end = len(lines) if open_since is None else open_since
    while end > 0 and not lines[end - 1].strip():
        end -= 1
    return Outline(tuple(is_text), _headings(lines, is_text), end)


def plain_heading(text: str) -> str:
    """Returns a heading's words for comparing: no number, decoration, emoji, or upper case."""
    words = text.strip().lstrip("*_`~ ")
    while words and not (words[0].isalnum() or words[0] in "([（【"):
        words = words[1:].lstrip()
    words = _NUMBERING.sub("", words, count=1) if _NUMBERING.match(words) else words
    return " ".join(words.strip("*_`~ :：").casefold().split())


def indent_of(line: str) -> int:
    """Returns how far a line is indented, in columns."""
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip(" "))


def block_end(lines: Lines, outline: Outline, start: int) -> int:
    """Finds the end of a list item: the line behind its children, notes and continuation.

    Args:
        lines: The document.
        outline: Its outline.
        start: The item's first line.
    """
    own = indent_of(lines[start])
    end = at = start + 1
    headings = {heading.line for heading in outline.headings}
    in_fence = False
    while at < len(lines):
        line = lines[at]
        if not outline.is_text[at]:
            in_fence = in_fence or indent_of(line) > own
            if not in_fence:
                break
            end = at + 1
        elif line.strip():
            in_fence = False
            is_deeper = indent_of(line) > own and at not in headings
            if not is_deeper and not (end == at and is_paragraph(line) and at not in headings):
                break
            end = at + 1
        at += 1
    return end


def is_paragraph(line: str) -> bool:
    """Tells whether a line of text is a plain one: no list item, table, quote, heading or rule."""
    return bool(
        line.strip()
        and not _BULLET.match(line)
        and not _OTHER_BLOCK.match(line)
        and not _ATX.match(line)
        and not _RULE.match(line)
    )


def content_end(lines: Lines, body: range) -> int:
    """Returns where the content of some lines ends, before blank lines and rules at their end."""
    end = body.stop
    while end > body.start and (not lines[end - 1].strip() or _RULE.match(lines[end - 1])):
        end -= 1
    return end


def as_paragraph(text: str) -> str:
    """Returns a text on one line, escaped so that it does not begin another kind of block."""
    text = " ".join(text.split())
    is_other = not is_paragraph(text) or _FENCE.match(text) or _UNDERLINE.match(text)
    return "\\" + text if text and is_other else text


def _front_matter(lines: Lines) -> int:
    """Returns how many lines YAML front matter takes."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    first = next((line for line in lines[1:] if line.strip()), "")
    if not _YAML.match(first):
        return 0
    for at in range(1, len(lines)):
        if lines[at].rstrip() in ("---", "..."):
            return at + 1
    return 0


def _closes(line: str, fence: re.Match[str]) -> bool:
    bar = fence["bar"]
    body = line.strip()
    return (
        len(body) >= len(bar)
        and body == bar[0] * len(body)
        and indent_of(line) < indent_of(fence.string) + 4 + len(fence[0].strip()) - len(bar)
    )


def _headings(lines: Lines, is_text: list[bool]) -> tuple[Heading, ...]:
    found: list[Heading] = []
    paragraph: int | None = None  # where a paragraph that may yet be a heading began
    # What follows a list item, a table or a rule directly is left alone: it goes on with the one,
    # and behind the other stand key-value blocks that only look underlined.
    is_fresh = True
    for at, line in enumerate(lines):
        if not is_text[at] or not line.strip():
            paragraph, is_fresh = None, True
            continue
        atx = _ATX.match(line)
        if atx is not None:
            text = re.sub(r"(?:^|(?<=[ \t]))#+[ \t]*\Z", "", (atx["text"] or "").rstrip())
            found.append(Heading(at, len(atx["marks"]), text.strip()))
            paragraph = None
        elif paragraph is not None and _UNDERLINE.match(line):
            said = " ".join(part.strip() for part in lines[paragraph:at])
            level = 1 if "=" in line else 2
            found.append(Heading(paragraph, level, said, at + 1 - paragraph))
            paragraph = None
        elif paragraph is None:
            if is_fresh and is_paragraph(line) and indent_of(line) < 4:
                paragraph = at
        elif not is_paragraph(line):
            paragraph = None
        is_fresh = bool(found) and found[-1].line + found[-1].lines == at + 1
    return tuple(found)
