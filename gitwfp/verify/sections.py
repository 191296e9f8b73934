"""Sections of IMPL_PLAN.md that rules read: success criteria, and what it says of each task."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from gitwfp.classes import dataclass
from gitwfp.files.markdown import Lines, plain_heading, read_outline
from gitwfp.files.taskline import known, read_entry
from gitwfp.model.plan import IMPL_PLAN, PLANNING_NOTES, Plan
from gitwfp.patterns import regex
from gitwfp.verify.notes import Note, items

if TYPE_CHECKING:
    from gitwfp.verify.facts import Facts

_CRITERIA: Final = regex(
    r"(?:overall |project |key )?success (?:criteria|metrics)\b.*|definition of done\b.*"
    r"|(?:整体|项目)?(?:成功|完成|验收)(?:标准|指标|条件)\Z"
)
_ENTRY: Final = regex(
    r"[ \t]*(?:#{1,6}[ \t]+|(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[^\]]?\][ \t]+)?)(?P<rest>\S.*)"
)


def success_criteria(facts: "Facts") -> tuple[Note, ...]:
    """Returns the success criteria of the whole, as the documents state them."""
    found: list[Note] = []
    for name in (PLANNING_NOTES, IMPL_PLAN):
        document = facts.plan.documents.get(name)
        if document is None:
            continue
        outline = read_outline(document.lines)
        for heading in outline.headings:
            # One of a single task is that task's acceptance.
            if heading.level <= 2 and _CRITERIA.match(plain_heading(heading.text)):
                body = outline.section(heading)
                found.extend(items(facts.path(name), document.lines, outline, body))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Titled:
    """A title that a document gives to a task.

    Attributes:
        line: Index of the line.
        title: The title.
        is_sure: Whether the line can only be a title; an item may be a sentence on the task.
    """

    line: int
    title: str
    is_sure: bool


def titles(plan: Plan, lines: Lines) -> Mapping[str, Titled]:
    """Returns the titles that headings and list items of a document give to tasks, by id.

    The first line that gives a task one counts.
    """
    outline = read_outline(lines)
    ids = known(tuple(plan.tasks))
    found: dict[str, Titled] = {}
    for at, text in _entries(lines, outline.is_text):
        entry = read_entry(text, ids)
        if entry.id is None or not entry.is_sure or not entry.title or entry.is_obsolete:
            continue
        is_heading = lines[at].lstrip().startswith("#")
        found.setdefault(entry.id, Titled(at, entry.title, is_heading))
    return found


def _entries(lines: Lines, is_text: tuple[bool, ...]) -> Iterator[tuple[int, str]]:
    for at, line in enumerate(lines):
        form = _ENTRY.fullmatch(line) if is_text[at] else None
        if form is not None:
            yield at, form["rest"]
