"""Editing IMPL_PLAN.md: what a replan touches in the prose of a plan, and nothing else.

The plan belongs to its writers. A replan writes task lines and task headings, counts, the date of
change, one bullet under "Changes", and with a wider scope one sentence into the section that names
the task or module concerned. All else stays as it is; where a document has no such place, the
editors return it unchanged.

    >>> drop_change(note_change(("# Plan",), "Split IMPL-2"), "Split IMPL-2")
    ('# Plan',)
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from gitwfp.files.bookkeeping import is_bookkeeping_line, set_counts, set_modified_date
from gitwfp.files.markdown import (
    Heading,
    Lines,
    Outline,
    as_paragraph,
    block_end,
    content_end,
    indent_of,
    plain_heading,
    read_outline,
)
from gitwfp.files.planchanges import change_entries, drop_change, note_change
from gitwfp.files.taskline import Entry, KnownIds, as_title, known, read_entry

__all__ = [
    "Heading",
    "Lines",
    "add_task_line",
    "amend_section",
    "change_entries",
    "drop_change",
    "headings",
    "is_bookkeeping_line",
    "mentions",
    "note_change",
    "retitle_task",
    "section",
    "section_of",
    "set_counts",
    "set_modified_date",
    "strike_task",
]

_TASK_ITEM: Final = re.compile(
    r"(?P<indent>[ \t]*)(?P<bullet>[-*+]|\d{1,9}[.)])(?P<space>[ \t]+(?:\[[^\]]?\][ \t]+)?)"
    r"(?P<rest>\S.*)\Z",
    re.DOTALL,
)
_BREAKDOWN: Final = re.compile(
    r"task (?:breakdown|structure|list|summary)\b|tasks\Z|任务(?:分解|拆解|清单|列表|结构)"
)
_HEAD: Final = re.compile(
    r"(?P<marks> {0,3}#{1,6}[ \t]+(?:[^\w\s~*_`#]+[ \t]+)?)(?P<rest>\S.*)\Z", re.DOTALL
)
# What people hang behind a title in a heading: tags in square brackets and signs of status.
_TAGS: Final = re.compile(
    r"(?:[ \t]?(?:\[[^\[\]]*\](?:\([^()]*\))?|[✅☑☐⏳🔵🟢🟡❌]\ufe0f?"
    r"(?:[ \t]?(?:completed|done|已完成))?))+[ \t#]*\Z",
    re.IGNORECASE,
)
_TASKS_LINE: Final = re.compile(
    r"[ \t]*(?:[-*+][ \t]+)?\**(?:tasks?|任务)\**[ \t]*[:：]", re.IGNORECASE
)


def headings(lines: Lines) -> tuple[Heading, ...]:
    """Returns the headings of a document; those in front matter, code and comments are none."""
    return read_outline(lines).headings


def section(lines: Lines, title_match: str | Callable[[str], bool]) -> range | None:
    """Finds a section by its heading.

    Args:
        lines: The document.
        title_match: The words that the heading begins with, numbers and case aside, or a function
            that judges a heading's text.

    Returns:
        The first such section's lines from its heading, with subsections; None if there is none.
    """
    outline = read_outline(lines)
    for heading in outline.headings:
        if isinstance(title_match, str):
            is_match = plain_heading(heading.text).startswith(plain_heading(title_match))
        else:
            is_match = title_match(heading.text)
        if is_match:
            return outline.section(heading)
    return None


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
    result = list(lines)
    for one in _named(lines, task_id):
        if not one.entry.is_obsolete and one.entry.title != as_title(title):
            result[one.line] = f"{one.front}{one.entry.retitled(title)}{one.back}"
    return tuple(result)


def strike_task(lines: Lines, task_id: str, label: str = "obsolete") -> Lines:
    """Strikes a task out in its line of the task breakdown and in its headings."""
    result = list(lines)
    for one in _named(lines, task_id):
        if not one.entry.is_obsolete:
            result[one.line] = f"{one.front}{one.entry.struck(as_title(label))}{one.back}"
    return tuple(result)


def mentions(lines: Lines, task_id: str) -> tuple[int, ...]:
    """Returns the indexes of the lines of text that name a task; IMPL-10 does not name IMPL-1."""
    outline = read_outline(lines)
    form = _mention(task_id)
    return tuple(at for at, line in enumerate(lines) if outline.is_text[at] and form.search(line))


def section_of(lines: Lines, task_id: str, module: str | None = None) -> range | None:
    """Finds the section that names a task or a module: the place for a sentence about it.

    Args:
        lines: The document.
        task_id: The task's id.
        module: A module's name or path.

    Returns:
        The section's lines: of the heading that names the task, else of the one that names the
        module, else of the one whose "Tasks:" line names the task. None if there is none.
    """
    outline = read_outline(lines)
    form = _mention(task_id)
    ids = known((task_id,))
    named = [one for one in outline.headings if form.search(one.text)]
    introduced = [one for one in named if read_entry(one.text, ids).id == task_id]
    folder = (module or "").strip("/ ").rpartition("/")[2]
    for name in (module, folder):
        if name and name.strip("/ "):
            of_module = _module_mention(name.strip("/ "))
            named.extend(one for one in outline.headings if of_module.search(one.text))
    if introduced or named:
        return outline.section((introduced or named)[0])
    for heading in outline.headings:
        for at in outline.own_lines(heading):
            if outline.is_text[at] and _TASKS_LINE.match(lines[at]) and form.search(lines[at]):
                return outline.section(heading)
    return None


def amend_section(lines: Lines, section_range: range, sentence: str) -> Lines:
    """Adds a sentence to a section, as a paragraph of its own in front of its subsections.

    Args:
        lines: The document.
        section_range: The section's lines, as `section` and `section_of` return them.
        sentence: What to say. If a line of the section says it already, nothing changes.
    """
    sentence = as_paragraph(sentence)
    outline = read_outline(lines)
    held = next((one for one in outline.headings if one.line == section_range.start), None)
    body = section_range if held is None else outline.own_lines(held)
    if not sentence or sentence in (lines[at].strip() for at in body):
        return lines
    end = content_end(lines, body)
    if end > outline.end:
        return lines  # the section ends inside a fence that is never closed
    behind = ("",) if end < len(lines) and lines[end].strip() else ()
    return (*lines[:end], "", sentence, *behind, *lines[end:])


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


def _named(lines: Lines, task_id: str) -> list[_Named]:
    """Returns the lines and headings that introduce a task."""
    outline = read_outline(lines)
    ids = known((task_id,))
    found = [one for one in _task_list(lines, outline, ids) if one.entry.id == task_id]
    for heading in outline.headings:
        form = _HEAD.match(lines[heading.line]) if heading.lines == 1 else None
        if form is None:
            continue
        tags = _TAGS.search(form["rest"])
        cut = tags.start() if tags is not None else len(form["rest"])
        entry = read_entry(form["rest"][:cut], ids)
        if entry.id == task_id and entry.is_sure and entry.title:
            found.append(_Named(heading.line, form["marks"], entry, form["rest"][cut:]))
    return found


def _mention(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9_.-]){re.escape(name)}(?![A-Za-z0-9_]|[.-][A-Za-z0-9])")


def _module_mention(name: str) -> re.Pattern[str]:
    """Returns a pattern for a module's name, whatever its case; a letter alone is no name."""
    plain = _mention(name).pattern
    return re.compile(rf"(?:module|模块)[ \t]*{plain}" if len(name) == 1 else plain, re.IGNORECASE)
