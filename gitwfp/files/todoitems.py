"""Reading TODO_LIST.md: its items, in every form that is out there.

An item is a line with a box, or with the caret `▸` that stands for a container. It is a task if it
begins with the id of a task there is, or with a word that looks like one. Fenced code, the legend
and the section on dependencies between modules hold no items.
"""

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Final, Literal

from gitwfp.classes import dataclass, replace
from gitwfp.files.markdown import Lines, Outline, indent_of, plain_heading, read_outline
from gitwfp.files.taskline import Entry, KnownIds, known, looks_like_id, read_entry
from gitwfp.model.task import TaskId, find_id
from gitwfp.patterns import regex

Mark = Literal["open", "done", "in_progress", "blocked"]

_ITEM: Final = regex(
    r"(?P<indent>[ \t]*)(?P<bullet>(?:[-*+][ \t]+)?)"
    r"(?:(?P<caret>▸)|\[(?P<mark>[^\]\n]{0,12})\])(?P<space>[ \t]+)(?P<rest>\S.*)\Z",
    re.DOTALL,
)
_MARKS: Final[dict[str, Mark]] = {
    "": "open",
    **dict.fromkeys(("x", "✅", "✓", "✔", "☑", "completed", "done"), "done"),
    **dict.fromkeys(("~", "/", "⧗", ">", "⏳", "🔄", "in progress", "in_progress"), "in_progress"),
    **dict.fromkeys(("-", "!", "⚠", "❌", "blocked", "cancelled"), "blocked"),
}
_HIDDEN: Final = regex(
    r"(?:.* )?legend\b|.*(?:状态说明|状态图例|图例)|cross[- ]module dependencies|跨模块依赖"
)
_SIGN: Final = regex(r"[✅☑☐⬜⏳🔄🔵🟢❌⚠]\ufe0f?[ \t]?")
_CELL_ID: Final = regex(r"[ \t]*\|[ \t]*[*`~]*([A-Za-z][\w.-]*)")


@dataclass(frozen=True, slots=True)
class TodoItem:
    """One item of a list.

    Attributes:
        line: Index of its line, from 0.
        indent: White space in front of it.
        id: The task's id; None for an item that names no task.
        mark: What its box says; "open" for a container without a box.
        obsolete: Whether it is struck out or says that it is obsolete: its task was removed,
            whatever the box says.
        title: Its title, without links and notes.
        is_container: Whether it is a container line, with a caret instead of a box.
    """

    line: int
    indent: str
    id: str | None
    mark: Mark
    obsolete: bool
    title: str
    is_container: bool


@dataclass(frozen=True, slots=True)
class Read:
    """An item together with the parts of its line.

    Attributes:
        item: The item.
        entry: What stands behind the box.
        bullet: The bullet and the space behind it.
        box: The box or the caret, and the space behind it.
        is_own: Whether the list itself holds the item; not so for a detail of a task that has a
            heading of its own.
    """

    item: TodoItem
    entry: Entry
    bullet: str
    box: str
    is_own: bool

    @property
    def is_live(self) -> bool:
        """Whether it stands for a task that there is."""
        return self.item.id is not None and not self.item.obsolete

    def written(self, entry: Entry, box: str | None = None) -> str:
        """Returns the line with another entry, and another box if one is given."""
        return self.item.indent + self.bullet + (self.box if box is None else box) + str(entry)


def todo_items(lines: Lines, known_ids: Collection[str] = ()) -> tuple[TodoItem, ...]:
    """Reads the items of a TODO list, those without an id among them.

    Args:
        lines: The list.
        known_ids: The ids of the tasks there are, whatever form they have. Below a heading that
            names a task, `### IMPL-1: Title`, an item IMPL-1.2 is one of its details and has no
            id of its own unless it is known.
    """
    return _todo_items(tuple(lines), tuple(known_ids))


@lru_cache(maxsize=4)
def _todo_items(lines: Lines, known_ids: tuple[str, ...]) -> tuple[TodoItem, ...]:
    # Several rules look at one list, which takes longer to read than to look at.
    found = read_items(lines, read_outline(lines), known_ids)
    return tuple(one.item if one.is_own else _without_id(one).item for one in found)


def has_task_lines(lines: Lines, known_ids: Collection[str] = ()) -> bool:
    """Tells whether any item of a list stands for a task."""
    return any(item.id is not None for item in todo_items(lines, known_ids))


def is_editable(lines: Lines, known_ids: Collection[str] = ()) -> bool:
    """Tells whether a list keeps its tasks as items, so that the editors can work on it.

    A list without items, or one that keeps its tasks in a table or as headings, is left alone.
    """
    return has_task_lines(lines, known_ids)


def ids_mentioned(lines: Lines) -> tuple[str, ...]:
    """Returns every id that a list ever gave to a task, each once, in order.

    Struck items, headings and the first cells of tables count: what they name is not free.
    """
    outline = read_outline(lines)
    found = {one.item.line: one.item.id for one in read_items(lines, outline, ())}
    none = known(())
    for heading in outline.headings:
        found[heading.line] = _heading_id(heading.text, none)
    for at, line in enumerate(lines):
        cell = _CELL_ID.match(line) if outline.is_text[at] else None
        if cell is not None and looks_like_id(cell[1]):
            found[at] = cell[1]
    return tuple(dict.fromkeys(name for _, name in sorted(found.items()) if name is not None))


def neutral_lines(lines: Lines) -> Lines:
    """Returns a list with all that execution writes into it taken out, line for line.

    Boxes are emptied, links to task files and summaries dropped, and the signs of status in
    headings removed, so that finishing a task does not change what the list means.
    """
    outline = read_outline(lines)
    result = list(lines)
    for one in read_items(lines, outline, ()):
        box = one.box if one.item.is_container else "[ ] "
        bare = replace(one.entry, links="", remark=one.entry.remark.rstrip())
        result[one.item.line] = one.written(bare, box)
    for heading in outline.headings:
        result[heading.line] = _SIGN.sub("", lines[heading.line]).rstrip()
    return tuple(result)


def read_items(lines: Lines, outline: Outline, known_ids: Collection[str]) -> tuple[Read, ...]:
    """Reads the items of a list with the parts of their lines; see `todo_items`."""
    ids = known(known_ids)
    hidden: set[int] = set()
    owners: dict[int, str | None] = {}
    for heading in outline.headings:
        if _HIDDEN.match(plain_heading(heading.text)):
            hidden.update(outline.section(heading))
        owner = _heading_id(heading.text, ids)
        owners.update(dict.fromkeys(outline.own_lines(heading), owner))
    found: list[Read] = []
    for at, line in enumerate(lines):
        if outline.is_text[at] and at not in hidden:
            one = _read_item(at, line, ids, owners.get(at))
            if one is not None:
                found.append(one)
    sure = {one.item.id for one in found if one.entry.is_sure}
    return tuple(_without_id(one) if _is_mention(one, sure) else one for one in found)


def _read_item(at: int, line: str, ids: KnownIds, owner: str | None) -> Read | None:
    form = _ITEM.match(line)
    if form is None:
        return None
    word = "" if form["mark"] is None else form["mark"].replace("\ufe0f", "").strip().casefold()
    mark = _MARKS.get(word)
    entry = read_entry(form["rest"], ids, is_open=mark not in {"done", "blocked"})
    is_box = mark is not None or len(word) == 1
    if entry.id is None and not (is_box and (form["bullet"] or form["caret"])):
        return None
    item = TodoItem(
        line=at,
        indent=form["indent"],
        id=entry.id,
        mark=mark or "open",
        obsolete=entry.is_obsolete,
        title=entry.title,
        is_container=form["caret"] is not None,
    )
    box = line[form.end("bullet") : form.start("rest")]
    is_detail = owner is not None and (entry.id or "").startswith(owner + ".")
    is_own = not is_detail or entry.id in ids.ids
    return Read(item, entry, form["bullet"], box, is_own)


def _heading_id(text: str, ids: KnownIds) -> str | None:
    """Reads the task that a heading introduces, such as `### ✅ IMPL-3: Title`."""
    return read_entry(_SIGN.sub("", text).lstrip(), ids).id


def spelled(wanted: str, found: Iterable[Read]) -> str:
    """Returns an id as the items of a list spell it: `IMPL-3` where they say `IMPL-003`."""
    held = dict.fromkeys(TaskId(one.item.id) for one in found if one.item.id is not None)
    return find_id(wanted, held) or wanted


def _is_mention(one: Read, sure: set[str | None]) -> bool:
    """Tells whether an item only begins with the name of a task that has its line elsewhere."""
    return one.item.id is not None and not one.entry.is_sure and one.item.id in sure


def _without_id(one: Read) -> Read:
    entry = one.entry
    text = f"{entry.opening}{entry.id}{entry.lead}{entry.title}"
    return replace(
        one,
        item=replace(one.item, id=None, title=text),
        entry=replace(entry, opening="", id=None, lead="", title=text),
    )


def width(one: Read) -> int:
    """Returns how far an item is indented, in columns."""
    return indent_of(one.item.indent + ".")
