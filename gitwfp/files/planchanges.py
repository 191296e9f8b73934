"""The section "Changes" of IMPL_PLAN.md: one bullet for each replan.

The section is made when the first bullet comes and goes with the last one; a section without
content therefore counts as made. Bullets that somebody continued on further lines are theirs.
"""

import re
from typing import Final

from gitwfp.files.markdown import (
    Heading,
    Lines,
    Outline,
    as_paragraph,
    block_end,
    content_end,
    plain_heading,
    read_outline,
)
from gitwfp.patterns import regex

CHANGES: Final = "Changes"
_SYNONYMS: Final = frozenset(
    {"changes", "change log", "changelog", "变更", "变更记录", "修改记录", "更新记录"}
)
_BULLET: Final = regex(r"(?P<bullet>[-*+][ \t]+)(?P<text>\S.*)\Z", re.DOTALL)


def note_change(lines: Lines, entry: str, *, heading: str = CHANGES) -> Lines:
    """Adds a bullet to the section of changes, which is made at the end if there is none.

    Args:
        lines: The document.
        entry: What changed, in one line. If a bullet says so already, nothing changes.
        heading: The section's heading, where it has to be made.
    """
    entry = as_paragraph(entry)
    outline = read_outline(lines)
    held = _section(outline, heading)
    if not entry:
        return lines
    if held is None:
        front = ("",) if outline.end else ()
        gap = ("",) if _has_air(lines, outline) else ()
        made = (*front, f"## {heading}", *gap, f"- {entry}")
        return lines[: outline.end] + made + lines[outline.end :]
    bullets = _bullets(lines, outline, held)
    if any(_says(bullet) == entry for bullet in bullets.values()):
        return lines
    if bullets:
        at, last = list(bullets.items())[-1]
        return (*lines[: at + 1], last["bullet"] + entry, *lines[at + 1 :])
    body = outline.own_lines(held)
    end = content_end(lines, body)
    end = end if end <= outline.end else body.start
    is_open = end == len(lines) or not lines[end].strip()
    has_gap = is_open if end > body.start else _has_air(lines, outline)
    return (*lines[:end], *([""] if has_gap else []), f"- {entry}", *lines[end:])


def drop_change(lines: Lines, entry: str, *, heading: str = CHANGES) -> Lines:
    """Takes a bullet out of the section of changes, and the section if nothing is left in it.

    Args:
        lines: The document.
        entry: What the bullet says.
        heading: The section's heading.
    """
    entry = as_paragraph(entry)
    outline = read_outline(lines)
    held = _section(outline, heading)
    if held is None:
        return lines
    bullets = _bullets(lines, outline, held)
    places = [at for at, bullet in bullets.items() if _says(bullet) == entry]
    if not places:
        return lines
    at = places[-1]
    body = outline.own_lines(held)
    # A fence that is never closed swallows what was below the section, which is not ours.
    content = (one for one in body if one < outline.end and one != at)
    is_last = not any(lines[one].strip() for one in content)
    if is_last and outline.section(held).stop == body.stop:
        start = held.line
    else:
        start = at
        is_open = at + 1 == len(lines) or not lines[at + 1].strip()
        if not is_open:
            return lines[:at] + lines[at + 1 :]
    if start > 0 and not lines[start - 1].strip():
        start -= 1
    return lines[:start] + lines[at + 1 :]


def change_entries(lines: Lines, *, heading: str = CHANGES) -> tuple[str, ...]:
    """Returns what the bullets of the section of changes say, in order."""
    outline = read_outline(lines)
    held = _section(outline, heading)
    if held is None:
        return ()
    return tuple(bullet["text"].rstrip() for bullet in _bullets(lines, outline, held).values())


def _section(outline: Outline, heading: str) -> Heading | None:
    names = {plain_heading(heading)}
    if names <= _SYNONYMS:
        names |= _SYNONYMS
    found = (one for one in outline.headings if one.level == 2)
    return next((one for one in found if plain_heading(one.text) in names), None)


def _bullets(lines: Lines, outline: Outline, held: Heading) -> dict[int, re.Match[str]]:
    """Returns the bullets right below a heading that take one line each."""
    found: dict[int, re.Match[str]] = {}
    for at in outline.own_lines(held):
        bullet = _BULLET.match(lines[at]) if outline.is_text[at] else None
        if bullet is not None and block_end(lines, outline, at) == at + 1:
            found[at] = bullet
    return found


def _says(bullet: re.Match[str]) -> str:
    return as_paragraph(bullet["text"])


def _has_air(lines: Lines, outline: Outline) -> bool:
    """Tells whether most headings of a document have a blank line behind them."""
    behind = [one.line + one.lines for one in outline.headings]
    blank = [at for at in behind if at < len(lines) and not lines[at].strip()]
    return 2 * len(blank) >= len(behind)
