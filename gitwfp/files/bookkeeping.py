"""Lines of Markdown plans that only keep the books: dates of change, counts, states.

They follow from the rest of the plan, so merges and the intent digest leave them out.
"""

import re
from typing import Final

from gitwfp.files.markdown import Lines, Outline, read_outline
from gitwfp.patterns import regex

_DECORATION: Final = r"[ \t>#*_(（-]*"
_COLON: Final = r"[*_]*[ \t]*[:：][ \t]*[*_]*[ \t]*"
_MODIFIED: Final = regex(
    rf"{_DECORATION}(?:last[ -]?(?:modified|updated?|changed?)|modified|updated)(?: (?:at|on))?"
    rf"(?:{_COLON}|[ \t]+)(?=\d)"
    rf"|{_DECORATION}(?:最后|最近|上次)?(?:更新|修改)(?:时间|日期|于)?(?:{_COLON}|[ \t]*)(?=\d)",
    re.IGNORECASE,
)
_DATE: Final = regex(
    r"(?P<date>\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?"
    r"(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?)"
    r"[ \t]*(?:\Z|[(（)）|*_.])"
)
_UNIT: Final = r"[ \t]*(?:(?P<word>tasks?)\b|个任务|项任务|个)"
_TOTAL_LABEL: Final = regex(
    rf"{_DECORATION}(?:total tasks?|tasks? count|number of tasks|tasks? total"
    rf"|总任务数|任务总数|任务数量?){_COLON}(?P<number>\d+)(?:{_UNIT})?",
    re.IGNORECASE,
)
_TOTAL_SUM: Final = regex(rf"{_DECORATION}(?:总计|合计){_COLON}(?P<number>\d+){_UNIT}")
_BOLD_TOTAL: Final = regex(rf"[ \t]*(?:[-*][ \t]+)?\*\*(?P<number>\d+){_UNIT}\*\*", re.IGNORECASE)
_HEADING_TOTAL: Final = regex(rf"[(（][ \t]*(?P<number>\d+){_UNIT}[ \t]*[)）]", re.IGNORECASE)
_PROGRESS: Final = regex(
    rf"{_DECORATION}(?:[a-z]+ )?(?:completed?|completion|in[ -]progress|pending|remaining|progress"
    rf"|已?完成|进行中|待开始|待处理|待办|未开始|进度){_COLON}\d+(?:[ \t]*/[ \t]*\d+)?[ \t]*%?"
    r"[ \t]*(?:\Z|[(（|✅*])",
    re.IGNORECASE,
)
_STATE: Final = regex(
    rf"{_DECORATION}(?:(?:current )?status|状态){_COLON}[^\w\s]*[ \t]*"
    r"(?:completed?|done|pending|in[ -_]progress|not started|planning|planned|ready|active|blocked"
    r"|已?完成|规划完成|进行中|待开始|规划中|未开始)[ \t]*(?:\Z|[(（✅*|,，.。!])",
    re.IGNORECASE,
)


def is_bookkeeping_line(line: str) -> bool:
    """Tells whether a line only keeps the books: a date of change, a count, a state.

    Args:
        line: A line of IMPL_PLAN.md or TODO_LIST.md.
    """
    if _modified_date(line) is not None:
        return True
    totals = (_TOTAL_LABEL, _TOTAL_SUM, _BOLD_TOTAL)
    return any(form.match(line) for form in (*totals, _PROGRESS, _STATE))


def set_modified_date(lines: Lines, date: str) -> Lines:
    """Writes a date into the lines that say when the document was changed, if it has any.

    Args:
        lines: The document.
        date: The date as it shall stand there.
    """
    outline = read_outline(lines)
    result = list(lines)
    for at, line in enumerate(lines):
        held = _modified_date(line) if outline.is_text[at] else None
        if held is not None:
            result[at] = line[: held.start("date")] + date + line[held.end("date") :]
    return tuple(result)


def set_counts(lines: Lines, old_count: int, new_count: int) -> Lines:
    """Writes the number of tasks where a document states it.

    Args:
        lines: The document.
        old_count: The number to replace; a line that states another one is left alone.
        new_count: The number of tasks.

    Returns:
        The document. A number in a heading, `(4 tasks)`, counts for the whole plan only if no
        other heading has one; else each counts the tasks of its part.
    """
    outline = read_outline(lines)
    result = list(lines)
    for at, form in _count_places(lines, outline):
        if int(form["number"]) == old_count:
            start, end = form.span("number")
            line = lines[at]
            if form["word"]:
                word = form["word"][:4] + ("" if new_count == 1 else "s")
                line = line[: form.start("word")] + word + line[form.end("word") :]
            result[at] = line[:start] + str(new_count) + line[end:]
    return tuple(result)


def stated_counts(lines: Lines) -> tuple[tuple[int, int], ...]:
    """Returns where a document states the number of its tasks: the index of the line, the number.

    The places are those that `set_counts` writes to.
    """
    places = _count_places(lines, read_outline(lines))
    return tuple((at, int(form["number"])) for at, form in places)


def _modified_date(line: str) -> re.Match[str] | None:
    label = _MODIFIED.match(line)
    return None if label is None else _DATE.match(line, label.end())


def _count_places(lines: Lines, outline: Outline) -> list[tuple[int, re.Match[str]]]:
    found: list[tuple[int, re.Match[str]]] = []
    heads = {heading.line for heading in outline.headings}
    in_headings: list[tuple[int, re.Match[str]]] = []
    for at, line in enumerate(lines):
        if not outline.is_text[at]:
            continue
        forms = (_TOTAL_LABEL, _TOTAL_SUM, _BOLD_TOTAL)
        match = next((match for form in forms if (match := form.match(line))), None)
        if match is not None:
            found.append((at, match))
        elif at in heads and (counted := _HEADING_TOTAL.search(line)):
            in_headings.append((at, counted))
    return found + (in_headings if len(in_headings) == 1 else [])
