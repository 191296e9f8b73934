"""The section of IMPL_PLAN.md that speaks of a task or a module: what it is told of a change.

It gets a bullet for each new entry, in the list that such entries have there; a bullet that says
exactly what an entry said before gives way to the new one, or goes. Whatever else people wrote
stays byte for byte, and a document that has no section for the task is returned unchanged.

    >>> tell_section(("## IMPL-2: API", "", "JSON."), "IMPL-2", (), News(come=("Limit it",)))
    ('## IMPL-2: API', '', 'JSON.', '', '- Limit it')
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from gitwfp.classes import dataclass
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
from gitwfp.files.taskline import Entry, known, read_entry
from gitwfp.patterns import regex

_TASKS_LINE: Final = regex(r"[ \t]*(?:[-*+][ \t]+)?\**(?:tasks?|任务)\**[ \t]*[:：]", re.IGNORECASE)
_BULLET: Final = regex(
    r"(?P<front>[ \t]*(?P<mark>[-*+]|\d{1,9}[.)])[ \t]+)(?P<text>\S.*)\Z", re.DOTALL
)
_LABEL: Final = regex(
    r"[ \t]*(?:[-*+][ \t]+)?"
    r"(?:(?:\*\*|__)(?P<bold>[^*_:：]{1,40})(?:[:：](?:\*\*|__)|(?:\*\*|__)[:：]?)"
    r"|(?P<plain>[^*_:：]{1,40})[:：])[ \t]*\Z"
)
_OF_REQUIREMENTS: Final = regex(
    r"(?:.* )?(?:requirements?|scope|deliverables?)\Z|.*(?:需求|要求|范围|交付物?)\Z"
)
_OF_CRITERIA: Final = regex(
    r"(?:.* )?(?:acceptance|criteria|done when)\Z|.*(?:验收|验收标准|验收条件|完成标准)\Z"
)
_BRACKETS: Final = regex(r"[(（\[【][^()（）\[\]【】]*[)）\]】]")
_KIND: Final = r"(?:module|layer|service|package|component|模块|层|服务|组件)"
_OTHER_MARK: Final = {"-": "*", "*": "-", "+": "-"}


@dataclass(frozen=True, slots=True)
class News:
    """What changed in a task, as far as its section is concerned.

    Attributes:
        gone: Entries that are no more.
        come: Entries that are new; the first of them stand in the place of those that are no more.
        are_criteria: Whether they are acceptance criteria rather than requirements.
        only_listed: Whether new ones are written only into a list of their kind.
        only_instead: Whether new ones are written only in the place of others.
    """

    gone: tuple[str, ...] = ()
    come: tuple[str, ...] = ()
    are_criteria: bool = False
    only_listed: bool = False
    only_instead: bool = False


@dataclass(frozen=True, slots=True)
class _Place:
    """A section.

    Attributes:
        heading: Its heading.
        lines: The lines that speak of the task, from behind the heading.
        front: What stands before an entry: the task's id, unless the heading introduces the task.
    """

    heading: Heading
    lines: range
    front: str


def tell_section(lines: Lines, task_id: str, paths: Iterable[str], news: News) -> Lines:
    """Writes news of a task into the section that speaks of it.

    Args:
        lines: The document.
        task_id: The task's id.
        paths: The paths that the task works on: they say which module it belongs to.
        news: What changed.
    """
    modules = tuple(_modules(paths))
    come = list(news.come)
    for text in news.gone:
        instead = come[0] if come else None
        changed = _instead(lines, task_id, modules, text, instead)
        if changed is not None:
            lines, come = changed, come[1:]
    if not news.only_instead:
        for text in come:
            lines = _added(lines, task_id, modules, text, news)
    return lines


def section_of(lines: Lines, task_id: str, paths: Iterable[str] = ()) -> range | None:
    """Finds the section that speaks of a task.

    Args:
        lines: The document.
        task_id: The task's id.
        paths: The paths that the task works on.

    Returns:
        The section's lines with subsections: of the heading that introduces the task, else of one
        that names it, else of one that names its module, else of the one whose "Tasks:" line names
        the task. None if there is none.
    """
    outline = read_outline(lines)
    place = _place(lines, outline, task_id, tuple(_modules(paths)))
    return None if place is None else outline.section(place.heading)


def _instead(
    lines: Lines, task_id: str, modules: tuple[str, ...], old: str, new: str | None
) -> Lines | None:
    """Puts an entry in the place of another, or nothing; None if no bullet says the other."""
    outline = read_outline(lines)
    place = _place(lines, outline, task_id, modules)
    at = None if place is None else _bullet_of(lines, outline, place, old)
    if place is None or at is None:
        return None
    form = _BULLET.match(lines[at])
    if form is not None and new is not None and _bullet_of(lines, outline, place, new) is None:
        return (*lines[:at], form["front"] + _said(place, new), *lines[at + 1 :])
    start = at
    is_alone = at + 1 == place.lines.stop or not lines[at + 1].strip()
    if is_alone and not lines[at - 1].strip() and at - 1 >= place.lines.start:
        start -= 1
    return lines[:start] + lines[at + 1 :]


def _added(lines: Lines, task_id: str, modules: tuple[str, ...], text: str, news: News) -> Lines:
    """Adds a bullet; nothing if the section says it already, or has not the list it needs."""
    outline = read_outline(lines)
    place = _place(lines, outline, task_id, modules)
    if place is None or not text.strip() or _bullet_of(lines, outline, place, text) is not None:
        return lines
    wanted = _OF_CRITERIA if news.are_criteria else _OF_REQUIREMENTS
    last = _labelled_list(lines, outline, place, wanted)
    own = outline.own_lines(place.heading)
    end = content_end(lines, own)
    is_labelled = False
    if last is None and news.only_listed:
        return lines
    if last is None:
        last, is_labelled = _list_before(lines, outline, own, end)
    if last is not None and not is_labelled:
        at = block_end(lines, outline, last)
        return (*lines[:at], _next_bullet(lines[last]) + _said(place, text), *lines[at:])
    if end > outline.end:
        return lines  # the section ends inside a fence that is never closed
    mark = "-" if last is None else _OTHER_MARK.get(lines[last].lstrip()[:1], "-")
    behind = ("",) if end < len(lines) and lines[end].strip() else ()
    return (*lines[:end], "", f"{mark} {_said(place, text)}", *behind, *lines[end:])


def _said(place: _Place, text: str) -> str:
    return as_paragraph(place.front + text)


def _place(lines: Lines, outline: Outline, task_id: str, modules: tuple[str, ...]) -> _Place | None:
    own = _introducing(outline, task_id)
    if own is not None:
        whole = outline.section(own)
        return _Place(own, range(own.line + own.lines, whole.stop), "")
    named = next(_speaking(lines, outline, task_id, modules), None)
    return None if named is None else _Place(named, outline.own_lines(named), f"{task_id}: ")


def _introducing(outline: Outline, task_id: str) -> Heading | None:
    """Returns the heading that introduces a task which is not struck out."""
    ids = known((task_id,))

    def introduces(entry: Entry) -> bool:
        return entry.id == task_id and not entry.is_obsolete

    return next((one for one in outline.headings if introduces(read_entry(one.text, ids))), None)


def _speaking(
    lines: Lines, outline: Outline, task_id: str, modules: tuple[str, ...]
) -> Iterator[Heading]:
    """Yields the headings that name a task or its module, or have a line of tasks with it."""
    task, ids = _mention(task_id), known((task_id,))
    for heading in outline.headings:
        entry = read_entry(heading.text, ids)
        if task.search(heading.text) and not (entry.id == task_id and entry.is_obsolete):
            yield heading
    for module in modules:
        # The title of the document speaks of everything.
        yield from (
            one for one in outline.headings if one.level > 1 and _names_module(one.text, module)
        )
    for heading in outline.headings:
        for at in outline.own_lines(heading):
            if outline.is_text[at] and _TASKS_LINE.match(lines[at]) and task.search(lines[at]):
                yield heading


def _modules(paths: Iterable[str]) -> Iterator[str]:
    """Yields paths and the folders above them that can name a module, the nearest first."""
    seen: set[str] = set()
    for path in paths:
        parts = [part for part in path.strip().strip("/").split("/") if part not in ("", ".", "*")]
        for length in range(len(parts), min(len(parts), 2) - 1, -1):
            name = "/".join(parts[:length])
            if name and name not in seen:
                seen.add(name)
                yield name


def _names_module(heading: str, module: str) -> bool:
    """Tells whether a heading names a module: by its path, or by the name of its folder alone."""
    if "/" in module and re.search(_mention(module).pattern, heading, re.IGNORECASE):
        return True
    name = re.escape(module.rpartition("/")[2].casefold())
    said = plain_heading(_BRACKETS.sub(" ", heading))
    return bool(
        re.fullmatch(
            rf"(?:{_KIND}[ \t]*(?:[a-z0-9]{{1,2}}[ \t]*)?[:：-]?[ \t]*)?{name}(?:[ \t]*{_KIND})?",
            said,
        )
    )


def _mention(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9_.-]){re.escape(name)}(?![A-Za-z0-9_]|[.-][A-Za-z0-9])")


def _bullet_of(lines: Lines, outline: Outline, place: _Place, text: str) -> int | None:
    """Returns the line of the bullet that says an entry and nothing else."""
    wanted = _plain(place.front + text)
    for at in place.lines:
        form = _BULLET.match(lines[at]) if outline.is_text[at] else None
        if form is not None and _plain(form["text"]) == wanted:
            return at if block_end(lines, outline, at) == at + 1 else None
    return None


def _plain(text: str) -> str:
    """Returns the form in which entries are compared: case, white space, a final stop aside."""
    return " ".join(text.split()).rstrip(".。").rstrip().casefold()


def _labelled_list(
    lines: Lines, outline: Outline, place: _Place, wanted: re.Pattern[str]
) -> int | None:
    """Returns the last item of the list under a label, or under a heading that is one."""
    heads = {one.line: one for one in outline.headings}
    for at in place.lines:
        if at in heads:
            label = heads[at].text
        else:
            form = _LABEL.match(lines[at]) if outline.is_text[at] else None
            label = (form["bold"] or form["plain"]) if form is not None else ""
        if not wanted.match(plain_heading(label)):
            continue
        below = (after for after in place.lines if after > at and lines[after].strip())
        first = next(below, None)
        if first is None or not outline.is_text[first] or not _BULLET.match(lines[first]):
            continue
        is_item = _BULLET.match(lines[at]) is not None and at not in heads
        if not is_item or indent_of(lines[first]) > indent_of(lines[at]):
            return _last_item(lines, outline, first, place.lines.stop)
    return None


def _last_item(lines: Lines, outline: Outline, first: int, stop: int) -> int:
    """Returns the last item of the list that begins with an item."""
    last = at = first
    while at < stop:
        at = block_end(lines, outline, last)
        while at < stop and not lines[at].strip():
            at += 1
        is_item = at < stop and outline.is_text[at] and _BULLET.match(lines[at])
        if not is_item or not _are_of_one_list(lines[at], lines[first]):
            break
        last = at
    return last


def _list_before(lines: Lines, outline: Outline, body: range, end: int) -> tuple[int | None, bool]:
    """Returns the last item of the list that some text ends with, and whether it has a label."""
    items = [at for at in body if at < end and outline.is_text[at] and _BULLET.match(lines[at])]
    last = next((at for at in items if block_end(lines, outline, at) == end), None)
    if last is None:
        return None, False
    first = last
    for at in reversed(items):
        if at < first and _are_of_one_list(lines[at], lines[last]):
            if _last_item(lines, outline, at, end) != last:
                break
            first = at
    above = next((at for at in range(first - 1, body.start - 1, -1) if lines[at].strip()), None)
    return last, above is not None and lines[above].rstrip(" \t*_").endswith((":", "："))


def _are_of_one_list(one: str, other: str) -> bool:
    """Tells whether two items can be of one list: the same indent, the same kind of mark."""
    ends = [line.split(maxsplit=1)[0][-1] for line in (one, other)]
    return ends[0] == ends[1] and indent_of(one) == indent_of(other)


def _next_bullet(line: str) -> str:
    """Returns what stands before the text of the item behind one; numbers count on."""
    form = _BULLET.match(line)
    front = form["front"] if form is not None else "- "
    return re.sub(r"\d+", lambda number: str(int(number[0]) + 1), front, count=1)
