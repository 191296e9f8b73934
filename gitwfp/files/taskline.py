"""What one line says about a task: its id, its title, and what is written around them.

The forms in the wild differ in decoration (`**ID**:`, `**ID: title**`, backticks, plain), in the
separator, and in what follows the title: links to the task file and the summary, a note on
dependencies, a remark that the task is obsolete. An `Entry` keeps all of it, so that a line can be
written again with one part changed.

    >>> entry = read_entry("**IMPL-2**: Add login → [📋](./.task/IMPL-2.json)", known(()))
    >>> entry.id, entry.title, entry.links
    ('IMPL-2', 'Add login', ' → [📋](./.task/IMPL-2.json)')
"""

import re
from collections.abc import Collection
from typing import Final

from gitwfp.classes import dataclass, replace
from gitwfp.patterns import regex

_MARKS: Final = ("~~", "**", "__", "`")
_OPENING: Final = regex(r"(?:~~|\*\*|__|`)*[ \t]*")
_ID: Final = regex(r"[A-Za-z][A-Za-z0-9]*(?:[-._][A-Za-z0-9]+)*")
_LONG: Final = regex(
    r"(?P<family>[A-Za-z]{2,12})-(?:[A-Za-z]{2,12}-)?[A-Z]?\d+(?:\.\d+){0,2}(?:-[a-z0-9-]+)?\Z"
)
_SHORT: Final = regex(r"[A-Z]{1,5}\d+(?:\.\d+)?\Z")
# Ids of these families are believed without decoration or separator; `SHA-256 support` is not.
_FAMILIES: Final = frozenset({"IMPL", "TASK"})
_AFTER_ID: Final = regex(r"(?:[A-Za-z0-9_/、]|,|[-.][A-Za-z0-9]|~[^~])")
_SEPARATOR: Final = regex(r"[ \t]*(?::|：|(?:-|–|—|→|->)(?=[ \t]))")
_OBSOLETE: Final = regex(r"(?:obsolete|已废弃|deprecated|removed|cancelled)", re.IGNORECASE)
_SURELY_OBSOLETE: Final = regex(r"(?:obsolete|已废弃)", re.IGNORECASE)
_DEPENDS: Final = regex(r"depends?[ _-]?on|依赖", re.IGNORECASE)
_LINK: Final = regex(r"(?P<arrow>→|->|=>|\|)?[ \t]?\[(?P<label>[^\[\]]*)\]\((?P<href>[^()]*)\)")
_ARROWS: Final = ("→", "->", "=>")


@dataclass(frozen=True, slots=True)
class KnownIds:
    """The ids of the tasks there are; odd ones are those that do not look like ids."""

    ids: frozenset[str]
    odd: tuple[str, ...]


def known(ids: Collection[str]) -> KnownIds:
    """Prepares task ids for `read_entry`."""
    odd = sorted((one for one in ids if one and not _ID.fullmatch(one)), key=len, reverse=True)
    return KnownIds(frozenset(ids), tuple(odd))


@dataclass(frozen=True, slots=True)
class Entry:
    """A line's words in the order in which they stand.

    Attributes:
        opening: Decoration in front of the id (or of the title, if there is no id).
        id: The task's id; None if the line names no task.
        lead: From the id to the title: decoration, separator, space.
        title: The title.
        closing: Decoration behind the title.
        note: A note on dependencies in brackets.
        links: Links to the task file and the summary, with the arrow in front.
        remark: "(obsolete)" or its like, and trailing space.
        is_struck: Whether id or title are struck out.
        is_sure: Whether decoration or a separator set the id off.
    """

    opening: str
    id: str | None
    lead: str
    title: str
    closing: str
    note: str
    links: str
    remark: str
    is_struck: bool
    is_sure: bool

    def __str__(self) -> str:
        return (
            f"{self.opening}{self.id or ''}{self.lead}{self.title}"
            f"{self.closing}{self.note}{self.links}{self.remark}"
        )

    @property
    def is_obsolete(self) -> bool:
        """Whether the line says that its task is no more."""
        return self.is_struck or bool(self.remark.strip())

    def retitled(self, title: str) -> "Entry":
        """Returns the entry with another title."""
        lead = self.lead
        if self.id is not None and not lead.endswith((" ", "\t", "：")):
            lead += " "
        return replace(self, lead=lead, title=as_title(title))

    def struck(self, label: str) -> "Entry":
        """Returns the entry struck out; the links go, because their files do."""
        plain = self.plain()
        rest = "".join(f" {word}" for word in _LINK.sub("", plain.links).strip(" \t|").split())
        return replace(
            plain,
            opening="~~" + plain.opening,
            title=plain.title.replace("~~", ""),
            closing=plain.closing + ("" if plain.note else "~~"),
            note=plain.note + "~~" if plain.note else "",
            links="",
            remark=f" ({label}){rest}",
            is_struck=True,
        )

    def plain(self) -> "Entry":
        """Returns the entry as it was before it was struck out."""
        return replace(
            self,
            opening=self.opening.replace("~~", ""),
            lead=self.lead.replace("~~", ""),
            closing=self.closing.replace("~~", ""),
            remark="",
            is_struck=False,
        )


def as_title(text: str) -> str:
    """Returns a text as a title: on one line."""
    return " ".join(text.split())


def looks_like_id(word: str) -> bool:
    """Tells whether a word has the form of a task id, such as IMPL-3, IMPL-A1.2 or T4."""
    return bool(_LONG.match(word) or _SHORT.match(word))


def read_entry(text: str, ids: KnownIds, *, is_open: bool = True) -> Entry:
    """Reads what a line says, from behind its bullet and box.

    Args:
        text: The rest of the line.
        ids: The ids of the tasks there are.
        is_open: Whether its box, if any, is not ticked. Then "(deprecated)" at the end may well
            be what the task is about, and only the plain words for obsolete count.
    """
    end, remark = _take_remark(text, _SURELY_OBSOLETE if is_open else _OBSOLETE)
    return replace(_read(text[:end], ids), remark=remark)


def _read(text: str, ids: KnownIds) -> Entry:
    opened = _OPENING.match(text)
    at = opened.end() if opened else 0
    open_marks = _split_marks(text[:at])
    name = _id_at(text, at, ids)
    entry = None if name is None else _with_id(text, at, name, open_marks, ids)
    return entry or _split_title(text, at, None, "", open_marks, is_sure=False)


def _with_id(text: str, at: int, name: str, open_marks: list[str], ids: KnownIds) -> Entry | None:
    """Reads a line that begins with what may be an id; None if it is none after all."""
    left = list(open_marks)
    end = _skip_marks(text, at + len(name), left)
    separator = _SEPARATOR.match(text, end)
    sign = separator[0].strip() if separator else ""
    end = _skip_marks(text, separator.end() if separator else end, left)
    while text[end : end + 1] in (" ", "\t") and end < len(text):
        end += 1
    is_set_off = bool(open_marks) or bool(sign)
    other = _id_at(text, end, ids)
    if other is not None and sign not in {":", "："} and looks_like_id(other):
        return None  # an edge of the graph, `IMPL-1 → IMPL-2`
    if name not in ids.ids and not is_set_off:
        form = _LONG.match(name)
        if form is None or form["family"].upper() not in _FAMILIES:
            return None
    lead = text[at + len(name) : end]
    entry = _split_title(text, end, name, lead, left, is_sure=is_set_off)
    return replace(entry, opening=text[:at], is_struck=entry.is_struck or "~~" in open_marks)


def _id_at(text: str, at: int, ids: KnownIds) -> str | None:
    """Reads a task id at a place: one of a task there is, or a word of that form."""
    while text[at : at + 2] in ("**", "__", "~~") or text[at : at + 1] == "`":
        at += 1
    word = _ID.match(text, at)
    if word is not None:
        is_id = word[0] in ids.ids or looks_like_id(word[0])
        if is_id and not _AFTER_ID.match(text, word.end()):
            return word[0]
    for name in ids.odd:
        if text.startswith(name, at) and not _AFTER_ID.match(text, at + len(name)):
            return name
    return None


def _split_title(
    text: str, start: int, name: str | None, lead: str, left: list[str], *, is_sure: bool
) -> Entry:
    """Divides the rest of a line into title, closing decoration, note, links and remark."""
    end = len(text)
    end, links = _take_links(text, start, end)
    end, closing = _take_closing(text, start, end, left)
    note = ""
    if not closing:
        end, note = _take_note(text, start, end)
        end, closing = _take_closing(text, start, end, left)
    bare = len(text[start:end].rstrip(" \t"))
    closing = text[start + bare : end] + closing
    title = text[start : start + bare]
    opening = text[:start] if name is None else ""
    struck = name is None and "~~" in opening
    return Entry(opening, name, lead, title, closing, note, links, "", struck, is_sure)


def _split_marks(text: str) -> list[str]:
    found: list[str] = []
    rest = text.strip()
    while rest:
        mark = next(mark for mark in _MARKS if rest.startswith(mark))
        found.append(mark)
        rest = rest[len(mark) :]
    return found


def _skip_marks(text: str, at: int, left: list[str]) -> int:
    """Skips decoration that closes what is open; takes it off the list."""
    while True:
        mark = next((mark for mark in left if text.startswith(mark, at)), None)
        if mark is None:
            return at
        left.remove(mark)
        at += len(mark)


def _take_remark(text: str, words: re.Pattern[str]) -> tuple[int, str]:
    bare = len(text.rstrip(" \t"))
    opening = _bracket(text, 0, bare)
    if opening and words.match(text[opening + 1 : bare].lstrip()):
        begin = len(text[:opening].rstrip(" \t"))
        return begin, text[begin:]
    return bare, text[bare:]


def _take_note(text: str, start: int, end: int) -> tuple[int, str]:
    opening = _bracket(text, start, end)
    if opening and _DEPENDS.match(text[opening + 1 : end].lstrip()):
        begin = start + len(text[start:opening].rstrip(" \t"))
        return begin, text[begin:end]
    return end, ""


def _bracket(text: str, start: int, end: int) -> int:
    """Finds the opening of the round brackets that end a text; 0 if it does not end in any."""
    if end <= start or text[end - 1] not in ")）":
        return 0
    opening = max(text.rfind("(", start, end), text.rfind("（", start, end))
    is_one = opening >= start and not any(sign in text[opening : end - 1] for sign in ")）")
    return opening if is_one and opening > 0 else 0


def _take_closing(text: str, start: int, end: int, left: list[str]) -> tuple[int, str]:
    begin = end
    while True:
        mark = next((mark for mark in left if text.endswith(mark, start, begin)), None)
        if mark is None:
            return begin, text[begin:end]
        left.remove(mark)
        begin -= len(mark)


def _take_links(text: str, start: int, end: int) -> tuple[int, str]:
    """Takes links off the end, `→ [label](href) | [label](href)`, back to the arrow."""
    taken = end
    at = end
    while True:
        link, href = _link_before(text, start, at)
        if link is None:
            break
        before = start + len(text[start:link].rstrip(" \t"))
        arrow = next((one for one in _ARROWS if text.endswith(one, start, before)), None)
        if arrow is not None:
            taken = start + len(text[start : before - len(arrow)].rstrip(" \t"))
            break
        is_bar = text.endswith("|", start, before)
        if not is_bar and (href is None or not _is_plan_file(href)):
            break
        at = before - 1 if is_bar else before
        at = start + len(text[start:at].rstrip(" \t"))
        if not is_bar:
            taken = at
    if taken == end:
        # Somebody wrote more behind the links; it stays with them.
        for found in _LINK.finditer(text, start):
            if found["arrow"] and _is_plan_file(found["href"]):
                taken = start + len(text[start : found.start()].rstrip(" \t"))
                break
    return taken, text[taken:end]


def _link_before(text: str, start: int, end: int) -> tuple[int | None, str | None]:
    """Finds a link, or a word in square brackets, that ends at a place: its start and target."""
    href: str | None = None
    if text.endswith(")", start, end):
        middle = text.rfind("](", start, end)
        if middle < 0 or any(sign in text[middle + 2 : end - 1] for sign in "()"):
            return None, None
        href = text[middle + 2 : end - 1]
        end = middle + 1
    if not text.endswith("]", start, end):
        return None, None
    opening = text.rfind("[", start, end)
    if opening < 0 or "]" in text[opening : end - 1]:
        return None, None
    return opening, href


def _is_plan_file(href: str) -> bool:
    return ".task/" in href or ".summaries/" in href
