"""Markdown plan files: bytes to a document and back, with what nobody changed left as it is.

Lines carry no endings in the model. When a document is written, each line that was there keeps
its own ending, and a file without a final newline stays without one.

The entries of the section "Changes" that replans add to IMPL_PLAN.md are a field of their own,
because they are bookkeeping: the rest of the document merges line by line.
"""

from collections.abc import Sequence
from typing import Final

from gitwfp.files import implplan
from gitwfp.model import fields as f
from gitwfp.model.plan import IMPL_PLAN, Document
from gitwfp.model.values import Value, strings
from gitwfp.patterns import regex

_BOM: Final = "\ufeff"

_REPLAN_ENTRY: Final = regex(r"\(.+/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(-\d+)?\)$")

Lines = tuple[str, ...]


def change_entry(date: str, reason: str, replan: str) -> str:
    """Returns the entry that the section "Changes" gets for a replan; its id ends it."""
    return f"{date}: {reason} ({replan})"


def read_markdown(name: str, data: bytes) -> Document:
    """Reads a Markdown plan file.

    Args:
        name: Path inside the session's folder.
        data: The bytes; a byte order mark and CRLF endings are read past.

    Raises:
        UnicodeDecodeError: The bytes are not UTF-8.
    """
    lines = tuple(_bare(line) for line in _split(data))
    parts: dict[str, Value] = {}
    if name == IMPL_PLAN:
        entries = tuple(filter(_REPLAN_ENTRY.search, implplan.change_entries(lines)))
        if entries:
            parts[f.CHANGES] = entries
            for entry in entries:
                lines = implplan.drop_change(lines, entry)
    parts[f.LINES] = lines
    return Document(name, parts)


def markdown_bytes(data: bytes, before: Document, after: Document) -> bytes:
    """Returns a Markdown file's bytes changed from one document to another.

    Args:
        data: The bytes that `before` was read from.
        before: The document as it is.
        after: The document as it shall be.
    """
    held = tuple(_bare(line) for line in _split(data))
    wanted = _carry_body(held, before.lines, after.lines)
    was, will = strings(before.parts.get(f.CHANGES)), strings(after.parts.get(f.CHANGES))
    for entry in was:
        if entry not in will:
            wanted = implplan.drop_change(wanted, entry)
    for entry in will:
        if entry not in was:
            wanted = implplan.note_change(wanted, entry)
    return write_lines(data, wanted)


def new_markdown(document: Document) -> bytes:
    """Returns the bytes of a Markdown file that is not there yet."""
    lines = document.lines
    for entry in strings(document.parts.get(f.CHANGES)):
        lines = implplan.note_change(lines, entry)
    return "".join(line + "\n" for line in lines).encode("utf-8", "surrogateescape")


def write_lines(data: bytes, wanted: Lines) -> bytes:
    """Returns a text file's bytes with other lines; lines that stay keep their endings."""
    raw = _split(data)
    held = tuple(_bare(line) for line in raw)
    if held == wanted:
        return data
    ending = _usual_ending(raw)
    result: list[str] = []
    for tag, start, end, new_start, new_end in _steps(held, wanted):
        if tag == "equal":
            result.extend(raw[start:end])
        else:
            result.extend(line + ending for line in wanted[new_start:new_end])
    ended = not raw or raw[-1] != _bare(raw[-1]) or wanted[-1:] == ("",)
    for position, line in enumerate(result[:-1]):
        if line == _bare(line):
            result[position] = line + ending
    if result:
        last = result[-1]
        result[-1] = last if ended and last != _bare(last) else _bare(last) + ending * ended
    mark = _BOM if data.startswith(_BOM.encode()) and result else ""
    return (mark + "".join(result)).encode("utf-8", "surrogateescape")


def _carry_body(held: Lines, body: Lines, wanted: Lines) -> Lines:
    """Applies what changed between two bodies to the full text that holds the first of them."""
    if body == wanted:
        return held
    if held == body:
        return wanted
    places: list[int] = []
    at = 0
    for line in body:
        while held[at] != line:
            at += 1
        places.append(at)
        at += 1
    result = list(held)
    for tag, start, end, new_start, new_end in reversed(_steps(body, wanted)):
        if tag == "equal":
            continue
        for place in reversed(places[start:end]):
            del result[place]
        here = places[start] if end > start else (places[start - 1] + 1 if start else 0)
        result[here:here] = wanted[new_start:new_end]
    return tuple(result)


def _steps(old: Sequence[str], new: Sequence[str]) -> list[tuple[str, int, int, int, int]]:
    """Returns difflib's opcodes; what both begin and end with is taken off first."""
    from difflib import SequenceMatcher

    head = 0
    limit = min(len(old), len(new))
    while head < limit and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < limit - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    middle = SequenceMatcher(
        None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False
    )
    steps: list[tuple[str, int, int, int, int]] = []
    if head:
        steps.append(("equal", 0, head, 0, head))
    steps.extend(
        (tag, a + head, b + head, c + head, d + head) for tag, a, b, c, d in middle.get_opcodes()
    )
    if tail:
        steps.append(("equal", len(old) - tail, len(old), len(new) - tail, len(new)))
    return steps


def _split(data: bytes) -> list[str]:
    """Splits text after each line feed; form feeds and the like do not end a line."""
    text = data.decode("utf-8").removeprefix(_BOM)
    pieces = text.split("\n")
    lines = [piece + "\n" for piece in pieces[:-1]]
    return [*lines, pieces[-1]] if pieces[-1] else lines


def _bare(line: str) -> str:
    return line.removesuffix("\n").removesuffix("\r")


def _usual_ending(raw: Sequence[str]) -> str:
    crlf = sum(line.endswith("\r\n") for line in raw)
    lf = sum(line.endswith("\n") for line in raw) - crlf
    return "\r\n" if crlf > lf else "\n"
