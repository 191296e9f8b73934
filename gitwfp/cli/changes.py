"""A change set as a diff by field, in the manner of `git diff`.

    ~ IMPL-3 requirements
      - Tokens never expire
      + Tokens expire after an hour

Lists are compared as sets, with a line where their order changes; documents as lines; what can be
derived is folded into one line.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from difflib import unified_diff
from typing import Final, assert_never

from gitwfp.change.changeset import ChangeSet
from gitwfp.change.kinds import (
    Change,
    DocumentEdited,
    FileChanged,
    SessionEdited,
    TaskAdded,
    TaskDropped,
    TaskEdited,
    role_of,
)
from gitwfp.cli.look import PLAIN, Look, Style, visible
from gitwfp.errors import Text, say
from gitwfp.model import fields as f
from gitwfp.model.task import Task
from gitwfp.model.values import Value, strings, thaw

_HEAD: Final = "  "
_BODY: Final = "    "
_CONTEXT: Final = 1
_TAB: Final = 4
_MARKS: Final[Mapping[str, Style | None]] = {
    "+": Style.ADDED,
    "-": Style.REMOVED,
    "@": Style.CHANGED,
    " ": None,
}


def change_lines(changes: ChangeSet, look: Look = PLAIN) -> tuple[str, ...]:
    """Returns a change set as a diff by field.

    Args:
        changes: What changes.
        look: How text is shown.
    """
    lines: list[str] = []
    derived = [change for change in changes.changes if role_of(change) is f.Role.BOOKKEEPING]
    for change in changes.changes:
        if change not in derived:
            lines += _change(change, look)
    if derived:
        names = ", ".join(_name(change) for change in derived)
        text = look.say(say("bookkeeping: {names}", names=names))
        lines.append(look.paint(f"{_HEAD}. {text}", Style.QUIET))
    return tuple(lines)


def _change(change: Change, look: Look) -> list[str]:
    match change:
        case TaskAdded(task):
            return _task("+", task, look)
        case TaskDropped(task):
            return _task("-", task, look)
        case FileChanged(path, before, after):
            return [_heading(_sign(before, after), path, look), *_sizes(before, after, look)]
        case DocumentEdited(document, f.LINES, before, after):
            return [_heading(_sign(before, after), document, look), *_hunks(before, after, look)]
        case TaskEdited() | SessionEdited() | DocumentEdited():
            heading = _heading("~", _name(change), look)
            return [heading, *_values(change.before, change.after, look)]
        case _:
            assert_never(change)


def _name(change: Change) -> str:
    """Returns what a change of one field is about, as identifiers."""
    match change:
        case TaskEdited(task, field):
            return f"{task} {f.label(field)}"
        case SessionEdited(field):
            return f"session {f.label(field)}"
        case DocumentEdited(document, field):
            return f"{document} {f.label(field)}"
        case FileChanged(path):
            return path
        case TaskAdded(task) | TaskDropped(task):
            return task.id
        case _:
            assert_never(change)


def _sign(before: object, after: object) -> str:
    if before is None:
        return "+"
    return "-" if after is None else "~"


def _heading(sign: str, name: str, look: Look) -> str:
    style = {"+": Style.ADDED, "-": Style.REMOVED}.get(sign, Style.HEADING)
    return look.paint(f"{_HEAD}{sign} {visible(name)}", style)


def _marked(mark: str, text: str, look: Look) -> str:
    style = _MARKS[mark]
    line = f"{_BODY}{mark} {text}".rstrip()
    return line if style is None else look.paint(line, style)


def _task(sign: str, task: Task, look: Look) -> list[str]:
    """Returns a task that comes or goes with all that it states."""
    lines = [_heading(sign, f"{task.id} {task.title}", look)]
    for name, value in task.fields.items():
        if f.role_of(name) is f.Role.INTENT and name not in (f.ID, f.TITLE):
            start = f"{visible(f.label(name))}: "
            lines += [_marked(sign, start + visible(text), look) for text in _told(value)]
    return lines


def _told(value: Value) -> tuple[str, ...]:
    """Returns what is told of a value that has no counterpart: of objects, their telling text."""
    return (_written(value),) if isinstance(value, Mapping) else strings(value)


def _values(before: Value, after: Value, look: Look) -> list[str]:
    old, new = _items(before), _items(after)
    is_prose = any(isinstance(value, str) and "\n" in value for value in (before, after))
    if is_prose:
        return _hunks(old, new, look)
    gone, come = Counter(old) - Counter(new), Counter(new) - Counter(old)
    lines = [_marked("-", visible(text), look) for text in _picked(old, gone)]
    lines += [_marked("+", visible(text), look) for text in _picked(new, come)]
    if _picked(old, Counter(old) & Counter(new)) != _picked(new, Counter(old) & Counter(new)):
        note = look.say(say("(the order changes)"))
        lines.append(look.paint(f"{_BODY}  {note}", Style.QUIET))
    return lines


def _picked(items: Sequence[str], wanted: Counter[str]) -> list[str]:
    """Returns as many of each item as are wanted, in the order of the list."""
    left = Counter(wanted)
    found = []
    for item in items:
        if left[item] > 0:
            left[item] -= 1
            found.append(item)
    return found


def _items(value: Value) -> list[str]:
    """Returns a value as texts, one for each entry of a list, key of an object, line of a text."""
    if value is None:
        return []
    if isinstance(value, tuple):
        return [_written(item) for item in value]
    if isinstance(value, Mapping):
        return [f"{key}: {_written(item)}" for key, item in value.items()]
    return _written(value).splitlines() or [""]


def _written(value: Value) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(thaw(value), ensure_ascii=False, sort_keys=True)


def _hunks(before: Value | Iterable[str], after: Value | Iterable[str], look: Look) -> list[str]:
    """Returns lines that differ with a line of context, as a unified diff without its header."""
    old, new = ([_flat(line) for line in _lines(side)] for side in (before, after))
    diff = list(unified_diff(old, new, lineterm="", n=_CONTEXT))[2:]
    return [_hunk_line(line, look) for line in diff]


def _hunk_line(line: str, look: Look) -> str:
    if line.startswith("@"):
        return look.paint(f"{_BODY}{line}", Style.CHANGED)
    return _marked(line[0], visible(line[1:]), look)


def _lines(side: Value | Iterable[str]) -> list[str]:
    return [str(line) for line in side] if isinstance(side, tuple | list) else []


def _flat(line: str) -> str:
    return line.expandtabs(_TAB)


def _sizes(before: bytes | None, after: bytes | None, look: Look) -> list[str]:
    def told(content: bytes | None) -> int:
        return len(content) if content is not None else 0

    text: Text = say("{before} -> {after} bytes", before=told(before), after=told(after))
    return [f"{_BODY}{look.say(text)}"]
