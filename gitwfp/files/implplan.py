"""Editing IMPL_PLAN.md: what a replan touches in the prose of a plan, and nothing else.

The plan belongs to its writers. A replan writes task lines and task headings, counts, the date of
change, one bullet under "Changes", and what is new into the section that speaks of the task or
module concerned (`gitwfp.files.plansections`). All else stays as it is; where a document has no
such place, the editors return it unchanged.

    >>> drop_change(note_change(("# Plan",), "Split IMPL-2"), "Split IMPL-2")
    ('# Plan',)
"""

import re
from collections.abc import Collection, Mapping
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.files.bookkeeping import is_bookkeeping_line, set_counts, set_modified_date
from gitwfp.files.markdown import (
    Heading,
    Lines,
    Outline,
    block_end,
    indent_of,
    plain_heading,
    read_outline,
)
from gitwfp.files.planchanges import change_entries, drop_change, note_change
from gitwfp.files.taskline import Entry, KnownIds, as_title, known, read_entry
from gitwfp.patterns import regex

__all__ = [
    "Heading",
    "Lines",
    "add_task_line",
    "change_entries",
    "drop_change",
    "headings",
    "is_bookkeeping_line",
    "note_change",
    "retitle_task",
    "retitle_tasks",
    "set_counts",
    "set_modified_date",
    "strike_task",
    "strike_tasks",
]

_TASK_ITEM: Final = regex(
    r"(?P<indent>[ \t]*)(?P<bullet>[-*+]|\d{1,9}[.)])(?P<space>[ \t]+(?:\[[^\]]?\][ \t]+)?)"
    r"(?P<rest>\S.*)\Z",
    re.DOTALL,
)
_BREAKDOWN: Final = regex(
    r"task (?:breakdown|structure|list|summary)\b|tasks\Z|任务(?:分解|拆解|清单|列表|结构)"
)
_HEAD: Final = regex(
    r"(?P<marks> {0,3}#{1,6}[ \t]+(?:[^\w\s~*_`#]+[ \t]+)?)(?P<rest>\S.*)\Z", re.DOTALL
)
# What people hang behind a title in a heading: tags in square brackets and signs of status.
_TAGS: Final = regex(
    r"(?:[ \t]?(?:\[[^\[\]]*\](?:\([^()]*\))?|[✅☑☐⏳🔵🟢🟡❌]\ufe0f?"
    r"(?:[ \t]?(?:completed|done|已完成))?))+[ \t#]*\Z",
    re.IGNORECASE,
)


def headings(lines: Lines) -> tuple[Heading, ...]:
    """Returns the headings of a document; those in front matter, code and comments are none."""
    return read_outline(lines).headings


def add_task_line(lines: Lines, task_id: str, title: str) -> Lines:
    """Adds a task to the list of tasks in the task breakdown, in the manner of its neighbours.

    Args:
        lines: The document; unchanged if it has no such list, or the list names the task.
        task_id: The task's id.
        title: The task's title.
    """
    outline = read_outline(lines)
    listed = _task_list(lines, outline, known((task_id,)))
    if not listed or any(one.entry.id == task_id for one in listed):
        return lines
    last = listed[-1]
    live = [one for one in listed if not one.entry.is_obsolete]
    model = (live or listed)[-1].entry.plain()
    entry = Entry(
        model.opening,
        task_id,
        model.lead,
        as_title(title),
        model.closing,
        note="",
        links="",
        remark="",
        is_struck=False,
        is_sure=True,
    )
    bullet = last.front
    if (number := re.search(r"\d+", bullet)) is not None:
        bullet = bullet[: number.start()] + str(int(number[0]) + 1) + bullet[number.end() :]
    bullet = re.sub(r"\[[^\]]?\]", "[ ]", bullet)
    end = block_end(lines, outline, last.line)
    return (*lines[:end], f"{bullet}{entry}", *lines[end:])


def retitle_task(lines: Lines, task_id: str, title: str) -> Lines:
    """Gives a task another title in its line of the task breakdown and in its headings."""
    return retitle_tasks(lines, {task_id: title})


def retitle_tasks(lines: Lines, titles: Mapping[str, str]) -> Lines:
    """Gives several tasks other titles, by id; the document is read once."""
    result = list(lines)
    for one in _named(lines, titles):
        title = titles[one.entry.id or ""]
        if not one.entry.is_obsolete and one.entry.title != as_title(title):
            result[one.line] = f"{one.front}{one.entry.retitled(title)}{one.back}"
    return tuple(result)


def strike_task(lines: Lines, task_id: str, label: str = "obsolete") -> Lines:
    """Strikes a task out in its line of the task breakdown and in its headings."""
    return strike_tasks(lines, (task_id,), label)


def strike_tasks(lines: Lines, task_ids: Collection[str], label: str = "obsolete") -> Lines:
    """Strikes several tasks out; the document is read once."""
    result = list(lines)
    for one in _named(lines, task_ids):
        if not one.entry.is_obsolete:
            result[one.line] = f"{one.front}{one.entry.struck(as_title(label))}{one.back}"
    return tuple(result)


@dataclass(frozen=True, slots=True)
class _Named:
    """A line that introduces a task: what stands before its entry, the entry, what follows."""

    line: int
    front: str
    entry: Entry
    back: str = ""


def _task_list(lines: Lines, outline: Outline, ids: KnownIds) -> list[_Named]:
    """Returns the lines of the first list of tasks in the task breakdown."""
    for heading in outline.headings:
        if not _BREAKDOWN.match(plain_heading(heading.text)):
            continue
        stops = {one.line for one in outline.headings}
        found: list[_Named] = []
        for at in outline.section(heading)[1:]:
            if at in stops and found:
                break
            one = _task_item(lines[at], at, ids) if outline.is_text[at] else None
            if one is not None and (not found or _depth(one) == _depth(found[0])):
                found.append(one)
        if found:
            return found
    return []


def _task_item(line: str, at: int, ids: KnownIds) -> _Named | None:
    form = _TASK_ITEM.match(line)
    if form is None:
        return None
    entry = read_entry(form["rest"], ids)
    if entry.id is None or not entry.is_sure or not entry.title:
        return None
    return _Named(at, line[: form.start("rest")], entry)


def _depth(one: _Named) -> int:
    return indent_of(one.front)


def _named(lines: Lines, task_ids: Collection[str]) -> list[_Named]:
    """Returns the lines and headings that introduce some tasks."""
    if not task_ids:
        return []
    outline = read_outline(lines)
    ids = known(task_ids)
    found = [one for one in _task_list(lines, outline, ids) if one.entry.id in task_ids]
    for heading in outline.headings:
        form = _HEAD.match(lines[heading.line]) if heading.lines == 1 else None
        if form is None:
            continue
        tags = _TAGS.search(form["rest"])
        cut = tags.start() if tags is not None else len(form["rest"])
        entry = read_entry(form["rest"][:cut], ids)
        if entry.id in task_ids and entry.is_sure and entry.title:
            found.append(_Named(heading.line, form["marks"], entry, form["rest"][cut:]))
    return found
