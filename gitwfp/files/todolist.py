"""Editing TODO_LIST.md: each editor changes the lines of one task and no others.

Editors are functions from lines to lines. They write in the manner of the neighbours: bold or
plain, with the bullets, arrows and link labels that the list uses. Where there is nothing to edit
(a task without a line, a list that is a table) they return the lines as they are; `is_editable`
tells beforehand.

    >>> add_task(("- [ ] IMPL-1: Log in",), "IMPL-2", "Log out", "./.task/IMPL-2.json")
    ('- [ ] IMPL-1: Log in', '- [ ] IMPL-2: Log out')

Reading lives in `gitwfp.files.todoitems` and is offered here as well.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from gitwfp.classes import dataclass, replace
from gitwfp.files.markdown import (
    Lines,
    Outline,
    block_end,
    content_end,
    plain_heading,
    read_outline,
)
from gitwfp.files.taskline import as_title
from gitwfp.files.todoitems import (
    Read,
    TodoItem,
    has_task_lines,
    ids_mentioned,
    is_editable,
    neutral_lines,
    read_items,
    spelled,
    todo_items,
    width,
)
from gitwfp.model.task import IdIndex, TaskId
from gitwfp.patterns import regex

__all__ = [
    "Lines",
    "TodoItem",
    "add_task",
    "has_task_lines",
    "ids_mentioned",
    "is_editable",
    "move_task",
    "neutral_lines",
    "remove_task",
    "retitle",
    "retitle_all",
    "strike",
    "strike_all",
    "todo_items",
]

_LINK: Final = regex(
    r"(?P<arrow>[ \t]?(?:→|->|=>|\|)?[ \t]?)\[(?P<label>[^\[\]]*)\]\((?P<href>[^()]*)\)"
)
_USUAL_LABEL: Final = "📋"
_SERIES: Final = regex(r"(?P<family>.*?(?P<module>[A-Za-z]?))\d[\d.]*(?:-[a-z0-9-]+)?\Z")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a new line goes: in front of a line, how far in, like which item."""

    at: int
    indent: str
    model: Read
    spaced: bool = False


def add_task(
    lines: Lines,
    task_id: str,
    title: str,
    link: str,
    *,
    after_id: str | None = None,
    known_ids: Collection[str] = (),
) -> Lines:
    """Adds an open line for a task.

    Args:
        lines: The list.
        task_id: The task's id. If the list has a live line for it, nothing changes; a struck line
            is opened again.
        title: The task's title.
        link: Target of the link to the task's file; written only where the list has such links.
        after_id: The task to stand behind; by default the last one of its module, or of the list.
            A subtask goes to its siblings, or below its parent.
        known_ids: The ids of the tasks there are, whatever form they have.

    Returns:
        The list with the line behind its neighbour's children and notes.
    """
    outline = read_outline(lines)
    found = [one for one in read_items(lines, outline, (*known_ids, task_id)) if one.item.id]
    held = spelled(task_id, found)
    same = [one for one in found if one.item.id == held]
    if any(one.is_live for one in same):
        return lines
    if same:
        old = same[-1]
        again = _line(replace(old, entry=old.entry.plain()), found, held, title, link)
        return _with_line(lines, old.item.line, old.item.indent + again)
    place = _place(lines, outline, found, task_id, after_id)
    if place is None or place.at > outline.end:
        return lines  # no place, or one inside a fence that is never closed
    new = place.indent + _line(_model(place.model, found), found, task_id, title, link)
    block = ("", new) if place.spaced else (new,)
    return lines[: place.at] + block + lines[place.at :]


def retitle(lines: Lines, task_id: str, title: str, known_ids: Collection[str] = ()) -> Lines:
    """Gives the live lines of a task another title; links and notes stay."""
    return retitle_all(lines, {task_id: title}, known_ids)


def retitle_all(lines: Lines, titles: Mapping[str, str], known_ids: Collection[str] = ()) -> Lines:
    """Gives the live lines of several tasks other titles; the list is read once.

    Args:
        lines: The list.
        titles: The new titles by id.
        known_ids: The ids of the tasks there are, whatever form they have.
    """
    result = list(lines)
    for task_id, one in _lines_of(lines, titles, known_ids):
        title = titles[task_id]
        if one.is_live and one.item.title != as_title(title):
            result[one.item.line] = one.written(one.entry.retitled(title))
    return tuple(result)


def strike(
    lines: Lines, task_id: str, label: str = "obsolete", known_ids: Collection[str] = ()
) -> Lines:
    """Marks the lines of a task that was removed; see `strike_all`."""
    return strike_all(lines, (task_id,), label, known_ids)


def strike_all(
    lines: Lines,
    task_ids: Collection[str],
    label: str = "obsolete",
    known_ids: Collection[str] = (),
) -> Lines:
    """Marks the lines of tasks that were removed: ticked, struck out, with a remark.

    Args:
        lines: The list, which is read once.
        task_ids: The tasks' ids.
        label: The remark, in the language of the list.
        known_ids: The ids of the tasks there are, whatever form they have.
    """
    result = list(lines)
    for _, one in _lines_of(lines, task_ids, known_ids):
        if one.is_live:
            box = None if one.item.is_container else "[x] "
            result[one.item.line] = one.written(one.entry.struck(as_title(label)), box)
    return tuple(result)


def remove_task(lines: Lines, task_id: str, known_ids: Collection[str] = ()) -> Lines:
    """Takes the lines of a task out, with their notes; other tasks below it stay."""
    outline = read_outline(lines)
    found = read_items(lines, outline, (*known_ids, task_id))
    task_id = spelled(task_id, found)
    gone: set[int] = set()
    for one in found:
        if one.item.id == task_id:
            block = range(one.item.line, block_end(lines, outline, one.item.line))
            taken = set(block)
            for other in found:
                if other.item.line in block and other.item.id not in (None, task_id):
                    taken -= set(range(other.item.line, block_end(lines, outline, other.item.line)))
            if len(taken) == len(block) and _is_blank_around(lines, block):
                taken.add(block.start - 1)
            gone |= taken
    return tuple(line for at, line in enumerate(lines) if at not in gone)


def move_task(lines: Lines, task_id: str, *, before: str, known_ids: Collection[str] = ()) -> Lines:
    """Moves the lines of a task, with children and notes, in front of another task's line."""
    outline = read_outline(lines)
    found = read_items(lines, outline, (*known_ids, task_id, before))
    task_id, before = spelled(task_id, found), spelled(before, found)
    goal = next((one.item.line for one in found if one.item.id == before), None)
    if goal is None or task_id == before:
        return lines
    blocks: list[range] = []
    for one in found:
        start = one.item.line
        if one.item.id == task_id and not (blocks and start in blocks[-1]):
            blocks.append(range(start, block_end(lines, outline, start)))
    if not blocks or any(goal in block for block in blocks):
        return lines
    moved: list[str] = []
    gone: set[int] = set()
    for block in blocks:
        moved.extend(lines[block.start : block.stop])
        gone |= set(block)
        if _is_blank_around(lines, block):
            gone.add(block.start - 1)
            moved.append("")
    head = [line for at, line in enumerate(lines[:goal]) if at not in gone]
    tail = [line for at, line in enumerate(lines) if at >= goal and at not in gone]
    return (*head, *moved, *tail)


def _lines_of(
    lines: Lines, task_ids: Collection[str], known_ids: Collection[str]
) -> Iterator[tuple[str, Read]]:
    """Yields the items of some tasks, each with the id that was asked for."""
    if not task_ids:
        return
    found = read_items(lines, read_outline(lines), (*known_ids, *task_ids))
    held = IdIndex(TaskId(one.item.id) for one in found if one.item.id is not None)
    others = frozenset((*known_ids, *task_ids))
    wanted: dict[str, str] = {}
    for task_id in task_ids:
        line_id = held.find(task_id) or task_id
        # A line that spells the id in another way is this task's, unless that is a task as well.
        if line_id == task_id or line_id not in others:
            wanted[line_id] = task_id
    for one in found:
        if one.item.id in wanted:
            yield wanted[one.item.id], one


def _with_line(lines: Lines, at: int, line: str) -> Lines:
    return (*lines[:at], line, *lines[at + 1 :])


def _is_blank_around(lines: Lines, block: range) -> bool:
    """Tells whether a block has a blank line in front, and a blank line or the end behind."""
    is_open = block.stop == len(lines) or not lines[block.stop].strip()
    return block.start > 0 and not lines[block.start - 1].strip() and is_open


def _place(
    lines: Lines, outline: Outline, found: Sequence[Read], task_id: str, after_id: str | None
) -> _Place | None:
    parent = task_id.rpartition(".")[0]
    siblings = [one for one in found if parent and _parent(one) == parent]
    above = [one for one in found if parent and one.item.id == parent]
    after_id = None if after_id is None else spelled(after_id, found)
    named = [one for one in found if one.item.id == after_id]
    if named and after_id != parent:
        return _behind(lines, outline, named[-1], found)
    if siblings:
        return _behind(lines, outline, siblings[-1], found)
    if above:
        at = block_end(lines, outline, above[-1].item.line)
        return _Place(at, _child_indent(above[-1], found), above[-1])
    own = [one for one in found if one.is_own]
    if not own:
        return None
    series = _series(task_id)
    same = [one for one in own if _series(one.item.id or "") == series]
    if not same:
        module = _module_place(lines, outline, own, task_id)
        if module is not None:
            return module
    anchors = same or own
    outermost = min(width(one) for one in anchors)
    return _behind(lines, outline, [one for one in anchors if width(one) == outermost][-1], found)


def _behind(lines: Lines, outline: Outline, anchor: Read, found: Sequence[Read]) -> _Place:
    """Places a line behind an item's block, set off by a blank line where the items are."""
    at = block_end(lines, outline, anchor.item.line)
    is_open = at == len(lines) or not lines[at].strip()
    spaced = is_open and _is_loose(lines, outline, anchor, found)
    return _Place(at, anchor.item.indent, anchor, spaced=spaced)


def _is_loose(lines: Lines, outline: Outline, anchor: Read, found: Sequence[Read]) -> bool:
    """Tells whether the nearest neighbours up to an item have a blank line between them."""
    items = [one for one in found if one.item.line <= anchor.item.line]
    for upper, lower in reversed(list(pairwise(items))):
        gap = lower.item.line - block_end(lines, outline, upper.item.line)
        if width(upper) == width(anchor) == width(lower) and gap in (0, 1):
            return gap == 1 and not lines[lower.item.line - 1].strip()
    return False


def _module_place(
    lines: Lines, outline: Outline, own: Sequence[Read], task_id: str
) -> _Place | None:
    """Places the first task of a module under the module's heading."""
    form = _SERIES.match(task_id)
    letter = form["module"].casefold() if form is not None else ""
    if not letter:
        return None
    wanted = regex(rf"(?:module|模块)\s*{letter}(?![a-z0-9])")
    for heading in outline.headings:
        if wanted.match(plain_heading(heading.text)):
            body = outline.own_lines(heading)
            end = content_end(lines, body)
            is_open = end == len(lines) or not lines[end].strip()
            return _Place(end, own[-1].item.indent, own[-1], spaced=is_open)
    return None


def _parent(one: Read) -> str:
    return (one.item.id or "").rpartition(".")[0]


def _series(task_id: str) -> str:
    form = _SERIES.match(task_id)
    return form["family"] if form is not None else task_id


def _child_indent(parent: Read, found: Sequence[Read]) -> str:
    """Returns the indentation of a first child: as other parents of the list have it."""
    by_id = {one.item.id: one for one in found}
    for one in found:
        other = by_id.get(_parent(one))
        if other is not None and one.item.indent.startswith(other.item.indent):
            return parent.item.indent + one.item.indent[len(other.item.indent) :]
    return parent.item.indent + ("\t" if parent.item.indent.endswith("\t") else "  ")


def _model(anchor: Read, found: Sequence[Read]) -> Read:
    """Chooses the item whose manner a new line takes: the nearest live one with a box."""
    fit = [one for one in found if one.is_live and not one.item.is_container]
    if not fit:
        return replace(anchor, entry=anchor.entry.plain())
    return min(fit, key=lambda one: abs(one.item.line - anchor.item.line))


def _line(model: Read, found: Sequence[Read], task_id: str, title: str, link: str) -> str:
    """Writes an open line, without indentation, in the manner of another."""
    is_box = not model.item.is_container
    entry = replace(
        model.entry,
        id=task_id,
        note="",
        links=_link_like(model, found, link) if link else "",
        remark="",
    ).retitled(title)
    if not is_box:
        return f"- [ ] {entry}"
    space = model.box[model.box.rindex("]") + 1 :]
    return f"{model.bullet or '- '}[ ]{space}{entry}"


def _link_like(model: Read, found: Sequence[Read], link: str) -> str:
    """Writes the link to a task's file as the nearest items do; nothing if none of them has one."""
    near = sorted(found, key=lambda one: abs(one.item.line - model.item.line))
    arrow = ""
    for one in near:
        for known_link in _LINK.finditer(one.entry.links):
            if known_link["arrow"].strip() in ("", "|"):
                arrow = arrow or " → "
            else:
                arrow = known_link["arrow"]
            if known_link["href"].endswith(".json"):
                return f"{arrow}[{known_link['label']}]({link})"
    return f"{arrow}[{_USUAL_LABEL}]({link})" if arrow else ""
