"""What planning-notes.md and its like say: goal, scope, constraints, decisions, what is deferred.

The notes are written by people and agents by a template that has changed over the years; headings
and labels are recognised by what they say, in English and Chinese, and what is not recognised is
left alone.
"""

import re
from collections.abc import Iterator
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.files.markdown import Lines, Outline, indent_of, plain_heading, read_outline
from gitwfp.patterns import regex

_ITEM: Final = regex(
    r"[ \t]*(?:[-*+]|(?P<number>\d{1,3})[.)、])[ \t]+(?:\[[ xX]?\][ \t]+)?(?P<text>\S.*)"
)
_LABEL: Final = regex(
    r"[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)?"
    r"(?P<label>[A-Za-z_][A-Za-z_ +/-]{1,30}|[\u4e00-\u9fff]{2,8})"
    r"(?:\*\*|__)?[ \t]*[:：](?:\*\*|__)?[ \t]*(?P<text>.*)"
)
_ROW: Final = regex(r"[ \t]*\|(?P<cells>.*)\|[ \t]*")
_RULER: Final = regex(r"[ \t|:-]*-[ \t|:-]*")
_UNFILLED: Final = regex(
    r"\(?(?:to be filled|none|n/?a|tbd|待填写|待补充|无|暂无)\b.*|\(?(?:无|暂无)\)?", re.IGNORECASE
)
_MARKS: Final = regex(r"\*\*|__|`|~~")
_STRUCK: Final = regex(r"~~.*~~")

_GOALS: Final = frozenset({"goal", "objective", "目标"})
_SCOPES: Final = frozenset({"scope", "范围", "in scope"})
_OUT: Final = regex(
    r"(?:explicitly )?(?:out[- ]of[- ]scope|non[- ]?goals?|not in scope|exclu(?:ded|sions?|des)"
    r"(?: scope)?|scope exclusions?|what is not included"
    r"|不在范围(?:内)?|范围(?:之)?外|非目标|排除(?:范围|项)?"
    r"|不包[括含](?:内容)?|不做(?:的事)?)\b.*"
)
_CONSTRAINTS: Final = regex(
    r"(?:consolidated |key[ _]|hard |project |technical )?constraints?\b.*"
    r"|(?:综合|关键|硬性|技术|主要)?约束(?:条件)?.*"
)
_DECISIONS: Final = regex(r"(?:key )?decisions?\Z|(?:关键)?决策(?:表|记录)?\Z")
_DEFERRED: Final = regex(
    r"deferred\b.*|推迟.*|延[后期].*|暂缓.*|后续(?:迭代|版本)?(?:事项|处理)?\Z"
)


@dataclass(frozen=True, slots=True)
class Note:
    """One statement of a document.

    Attributes:
        text: What it says, without marks of Markdown.
        path: The file, from the repository root.
        line: Its line, from 1.
        label: Its number in its list, or its first column; "" if it has none.
    """

    text: str
    path: str
    line: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """A row of the table of decisions.

    Attributes:
        note: The decision.
        why: Its rationale.
        is_open: Whether it is to be looked at again.
    """

    note: Note
    why: str
    is_open: bool


@dataclass(frozen=True, slots=True)
class Notes:
    """What a document says, statement by statement."""

    goals: tuple[Note, ...] = ()
    scopes: tuple[Note, ...] = ()
    excluded: tuple[Note, ...] = ()
    constraints: tuple[Note, ...] = ()
    decisions: tuple[Decision, ...] = ()
    deferred: tuple[Note, ...] = ()


def read_notes(path: str, lines: Lines) -> Notes:
    """Reads a document of notes.

    Args:
        path: Its path, from the repository root.
        lines: Its lines.
    """
    outline = read_outline(lines)
    found: dict[str, list[Note]] = {
        name: [] for name in ("goals", "scopes", "excluded", "constraints", "deferred")
    }
    decisions: list[Decision] = []
    for heading in outline.headings:
        words = plain_heading(heading.text)
        body = outline.section(heading)
        kind = _kind_of(words)
        if kind is not None:
            found[kind].extend(items(path, lines, outline, body))
        elif _DECISIONS.match(words):
            decisions.extend(_decisions(path, lines, outline, body))
    for at, line in enumerate(lines):
        label = _LABEL.fullmatch(line) if outline.is_text[at] else None
        kind = _kind_of(label["label"].strip().lower()) if label is not None else None
        if label is None or kind is None or kind == "deferred":
            continue
        said = plain(label["text"])
        if says_something(said):
            found[kind].append(Note(said, path, at + 1))
        found[kind].extend(_below(path, lines, outline, at))
    return Notes(
        **{name: _unique(notes) for name, notes in found.items()}, decisions=tuple(decisions)
    )


def _kind_of(words: str) -> str | None:
    if words in _GOALS:
        return "goals"
    if words in _SCOPES:
        return "scopes"
    for kind, form in (
        ("excluded", _OUT),
        ("constraints", _CONSTRAINTS),
        ("deferred", _DEFERRED),
    ):
        if form.match(words):
            return kind
    return None


def items(path: str, lines: Lines, outline: Outline, body: range) -> Iterator[Note]:
    """Yields the list items among some lines of a document, each with what it says.

    Args:
        path: The document's path.
        lines: The document.
        outline: Its outline.
        body: The lines to look at.
    """
    for at in body:
        item = _ITEM.fullmatch(lines[at]) if outline.is_text[at] else None
        if item is None or _STRUCK.fullmatch(item["text"].strip()):
            continue
        said = plain(item["text"])
        if says_something(said):
            yield Note(said, path, at + 1, item["number"] or "")


def _below(path: str, lines: Lines, outline: Outline, at: int) -> Iterator[Note]:
    """Yields the items that belong to a labelled line: deeper ones, or those that follow it."""
    own = indent_of(lines[at])
    is_item = _ITEM.fullmatch(lines[at]) is not None
    for below in range(at + 1, len(lines)):
        line = lines[below]
        if not line.strip() or not outline.is_text[below]:
            break
        item = _ITEM.fullmatch(line)
        if item is None or (is_item and indent_of(line) <= own):
            break
        said = plain(item["text"])
        if says_something(said):
            yield Note(said, path, below + 1, item["number"] or "")


def rows(lines: Lines, outline: Outline, body: range) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yields the rows of the tables among some lines, the head of each among them.

    Returns:
        The index of the line, and what the cells say.
    """
    for at in body:
        row = _ROW.fullmatch(lines[at]) if outline.is_text[at] else None
        if row is None or _RULER.fullmatch(lines[at]):
            continue
        yield at, tuple(plain(cell) for cell in row["cells"].split("|"))


def _decisions(path: str, lines: Lines, outline: Outline, body: range) -> Iterator[Decision]:
    for at, cells in rows(lines, outline, body):
        if len(cells) < 2 or not says_something(cells[0]):
            continue
        if _DECISIONS.match(cells[0].lower()) or cells[0].lower() in ("decision", "决策", "决定"):
            continue
        again = cells[2].strip().lower() if len(cells) > 2 else ""
        is_open = again.startswith(("yes", "是", "需要", "true"))
        yield Decision(Note(cells[0], path, at + 1), cells[1], is_open)


def plain(text: str) -> str:
    """Returns what a piece of Markdown says, without the marks around words."""
    return _MARKS.sub("", text).strip().strip("|").strip()


def says_something(text: str) -> bool:
    """Tells whether a text is more than a place holder of the template."""
    return any(sign.isalnum() for sign in text) and not _UNFILLED.fullmatch(text)


def _unique(notes: list[Note]) -> tuple[Note, ...]:
    return tuple({(note.line, note.text): note for note in notes}.values())
