"""The goal in planning-notes.md: the one line of the notes that follows the session.

>>> set_goal(("- **GOAL**: Sign in",), "Sign in and out")
('- **GOAL**: Sign in and out',)
"""

import re
from typing import Final

from gitwfp.files.markdown import Lines, as_paragraph, is_paragraph, plain_heading, read_outline
from gitwfp.patterns import regex

_GOAL: Final = regex(
    r"(?P<front>[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)?(?:goal|objective|目标)(?:\*\*|__)?[ \t]*[:：]"
    r"(?:\*\*|__)?[ \t]*)(?P<text>\S.*)\Z",
    re.IGNORECASE | re.DOTALL,
)
_HEADINGS: Final = frozenset({"goal", "objective", "目标"})


def set_goal(lines: Lines, goal: str) -> Lines | None:
    """Writes the goal where the notes state it.

    Args:
        lines: The notes.
        goal: The goal as it is now.

    Returns:
        The notes: the first line labelled as goal has it, or else the paragraph of one line below
        a heading that is such a label. None if they have neither.
    """
    outline = read_outline(lines)
    goal = " ".join(goal.split())
    for at, line in enumerate(lines):
        form = _GOAL.match(line) if outline.is_text[at] else None
        if form is not None:
            return (*lines[:at], form["front"] + goal, *lines[at + 1 :])
    for heading in outline.headings:
        if plain_heading(heading.text) not in _HEADINGS:
            continue
        said = [at for at in outline.own_lines(heading) if lines[at].strip()]
        if said and outline.is_text[said[0]] and is_paragraph(lines[said[0]]):
            at = said[0]
            if at + 1 not in said:
                return (*lines[:at], as_paragraph(goal), *lines[at + 1 :])
    return None
