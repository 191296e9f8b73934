"""Requirements with an id: where they are stated, and what names them.

Ids are a kind and a number, `FR-3`, `NFR-002`, `US-101`; those of decisions, epics and features
(`ADR-1`, `EP-2`, `F-3`) are no requirements. `FR-1 to FR-4` names four of them.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.files.markdown import Lines, Outline, read_outline
from gitwfp.patterns import regex
from gitwfp.verify.notes import Note, plain, says_something

_KINDS: Final = "FR|NFR|BR|REQ|US|UC|TR|SR|SEC|PERF|UI|UX|DR|IR"
_ID: Final = regex(rf"(?<![\w-])(?P<kind>{_KINDS})[-_ ]?(?P<number>\d{{1,4}})(?![\w]|-\d)")
_RANGE: Final = regex(
    rf"(?<![\w-])(?P<kind>{_KINDS})[-_ ]?(?P<first>\d{{1,4}})"
    r"\s*(?:-|–|—|~|\.\.+|to|through|至|到)\s*"
    rf"(?:(?P=kind)[-_ ]?)?(?P<last>\d{{1,4}})(?![\w.])"
)
_STATED: Final = regex(
    rf"[ \t]*(?:#{{1,6}}[ \t]+|[-*+][ \t]+(?:\[[ xX]?\][ \t]+)?|\d{{1,3}}[.)][ \t]+"
    rf"|\|[ \t]*)?(?:\*\*|__|`|\[)*"
    rf"(?P<kind>{_KINDS})[-_ ]?(?P<number>\d{{1,4}})(?:\*\*|__|`|\])*[ \t]*"
    r"(?:[:：|–—-]|\([^)]*\)[ \t]*[:：])[ \t]*(?:\*\*|__)?[ \t]*(?P<text>.*)"
)
_STORY: Final = regex(
    r"(?:\bI want(?: to)?|\bI can|\bI need(?: to)?|我想要?|我希望|我需要)\s*"
    r"(?P<want>.+?)(?:,?\s*\bso that\b.*|,?\s*\bin order to\b.*"
    r"|[，,]\s*(?:以便|从而|这样|为了).*|\Z)",
    re.IGNORECASE,
)
_LATER: Final = regex(
    r"\b(?:phase|stage|release|iteration) [2-9]\b|\b(?:future|later|out of scope|backlog)\b"
    r"|[二三四五]期|第[二三四五](?:阶段|期)|后续|远期|以后|未来",
    re.IGNORECASE,
)
_SPAN: Final = 200
_QUALITIES: Final = frozenset({"NFR", "PERF", "SEC"})


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement.

    Attributes:
        id: Its id in one spelling, `FR-3`.
        notes: Where it is stated, and in which words.
        is_later: Whether every place says that it is for a later phase.
    """

    id: str
    notes: tuple[Note, ...]
    is_later: bool = False

    @property
    def gist(self) -> str:
        """What is wanted, without for whom and what for, which a user story says too."""
        text = self.notes[0].text
        story = _STORY.search(text)
        return story["want"] if story is not None else text

    @property
    def is_quality(self) -> bool:
        """Whether it is about how well something is done (non-functional)."""
        return self.id.partition("-")[0] in _QUALITIES


def mentions(text: str) -> frozenset[str]:
    """Returns the ids of the requirements that a text names."""
    found = {_spelt(match["kind"], match["number"]) for match in _ID.finditer(text)}
    for match in _RANGE.finditer(text):
        first, last = int(match["first"]), int(match["last"])
        if first < last <= first + _SPAN:
            found |= {_spelt(match["kind"], str(number)) for number in range(first, last + 1)}
    return frozenset(found)


def requirements(documents: Iterable[tuple[str, Lines]]) -> tuple[Requirement, ...]:
    """Returns the requirements that documents state.

    Args:
        documents: Their paths and lines.
    """
    found: dict[str, list[Note]] = {}
    now: set[str] = set()
    for path, lines in documents:
        for name, note, is_later in _stated(path, lines):
            found.setdefault(name, []).append(note)
            now |= set() if is_later else {name}
    return tuple(Requirement(name, tuple(notes), name not in now) for name, notes in found.items())


def _later_lines(outline: Outline) -> frozenset[int]:
    """Returns the lines below headings that speak of a later phase."""
    later: set[int] = set()
    for heading in outline.headings:
        if _LATER.search(heading.text):
            later.update(outline.section(heading))
            later.add(heading.line)
    return frozenset(later)


def _stated(path: str, lines: Lines) -> Iterator[tuple[str, Note, bool]]:
    outline = read_outline(lines)
    later = _later_lines(outline)
    for at, line in enumerate(lines):
        form = _STATED.fullmatch(line) if outline.is_text[at] else None
        if form is None:
            continue
        cells = [plain(cell) for cell in form["text"].split("|")]
        text = next((cell for cell in cells if says_something(cell)), "")
        # A line that only says which task is for it states nothing.
        if len(text.split()) > 1 or not text.isascii():
            yield _spelt(form["kind"], form["number"]), Note(text, path, at + 1), at in later


def _spelt(kind: str, number: str) -> str:
    return f"{kind}-{int(number)}"
