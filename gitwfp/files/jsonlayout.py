"""How JSON text is laid out, and new values written in the same manner.

`survey` learns the habits of a document from its tree of spans; `compose` writes a value that
the document does not have yet, so that it looks like its neighbours: line breaks and indentation
or all on one line, the spaces around colons and commas, escapes.
"""

import json
from collections.abc import Iterator, Mapping
from math import isfinite

from gitwfp.classes import dataclass, field
from gitwfp.files.jsonspans import MAX_DEPTH, Json, Node
from gitwfp.patterns import regex

_INDENT = regex(r"[ \t]*")
_LINE_INDENT = regex(r"\n([ \t]*)(?=[^ \t\r\n])")
_SURROGATE = regex("[\ud800-\udfff]")
# A backslash that is escaped itself begins no escape; \u0000 to \u007f are no letters.
_ESCAPED_LETTER = regex(r"(?<!\\)(?:\\\\)*\\u(?!00[0-7])")

_COLON = ": "
_UNIT = "  "

Models = Mapping[tuple[str, bool], Node]
"""Filled containers by their key and whether they are objects: examples to copy."""


@dataclass(frozen=True, slots=True)
class Style:
    """The habits of a document.

    Attributes:
        newline: The line ending that most lines have.
        unit: One step of indentation.
        is_ascii: Its letters beyond ASCII are all written as escapes.
        is_multiline: It takes more than one line.
        ends_with_newline: Its last line is ended.
        colon: What stands between a key and its value.
        gap: What follows a comma inside a line.
        models: Examples of containers.
    """

    newline: str = "\n"
    unit: str = _UNIT
    is_ascii: bool = False
    is_multiline: bool = True
    ends_with_newline: bool = True
    colon: str = _COLON
    gap: str = " "
    models: Models = field(default_factory=dict)

    def model(self, key: str | None, value: Json) -> Node | None:
        """Returns an example for a list or an object that is to be written below a key."""
        return None if key is None else self.models.get((key, isinstance(value, dict)))


@dataclass(frozen=True, slots=True)
class Spot:
    """Where new text will stand.

    Attributes:
        indent: The indentation of the line that it begins on.
        newline: The line ending there.
        is_multiline: Whether a list or an object takes a line for each of its items there.
    """

    indent: str
    newline: str
    is_multiline: bool


@dataclass(frozen=True, slots=True)
class _Look:
    """How one container spreads its items."""

    is_multiline: bool
    unit: str
    gap: str
    colon: str
    opening: str = ""
    closing: str = ""


@dataclass(frozen=True, slots=True)
class _Pending:
    value: Json
    spot: Spot
    model: Node | None


def walk(root: Node) -> Iterator[Node]:
    """Yields a node and everything inside it, in the order of the text."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))


def survey(text: str, root: Node) -> Style:
    """Returns the habits of a document.

    Args:
        text: The text, without byte order mark.
        root: Its tree of spans.
    """
    models: dict[tuple[str, bool], Node] = {}
    colon = gap = None
    for node in walk(root):
        if node.key is not None and node.children:
            models.setdefault((node.key, isinstance(node.value, dict)), node)
        if colon is None and node.key is not None:
            colon = _colon(text, node)
        if gap is None and len(node.children) > 1:
            separator = text[node.children[0].end : node.children[1].begin]
            gap = None if "\n" in separator else separator.partition(",")[2]
    if colon is None:
        colon = _COLON
    if gap is None:
        gap = " " if colon[-1:] == " " else ""
    lines = text.count("\n")
    return Style(
        newline="\r\n" if text.count("\r\n") * 2 > lines else "\n",
        unit=_unit(text),
        is_ascii=text.isascii() and _ESCAPED_LETTER.search(text) is not None,
        is_multiline="\n" in text[root.start : root.end],
        ends_with_newline=text.endswith("\n"),
        colon=colon,
        gap=gap,
        models=models,
    )


def check_value(value: Json) -> None:
    """Checks that JSON text can carry a value.

    Raises:
        TypeError: Something in it is no JSON value.
        ValueError: It holds NaN or an infinity, or is nested more than `MAX_DEPTH` deep.
    """
    stack: list[tuple[object, int]] = [(value, 0)]
    while stack:
        item, depth = stack.pop()
        if item is None or isinstance(item, str | int):
            continue
        if isinstance(item, float):
            if not isfinite(item):
                message = f"{item} is not a JSON number"
                raise ValueError(message)
        elif isinstance(item, list | dict):
            if depth == MAX_DEPTH:
                message = f"the value is nested too deeply: more than {MAX_DEPTH} levels"
                raise ValueError(message)
            if isinstance(item, dict) and not all(isinstance(key, str) for key in item):
                message = "the keys of a JSON object are strings"
                raise TypeError(message)
            inside = item.values() if isinstance(item, dict) else item
            stack.extend((child, depth + 1) for child in inside)
        else:
            message = f"{type(item).__name__} is not a JSON value"
            raise TypeError(message)


def scalar(value: Json, style: Style) -> str:
    """Returns the text of a string, a number, true, false or null."""
    text = json.dumps(value, ensure_ascii=style.is_ascii, allow_nan=False)
    # A lone surrogate has no UTF-8 form, so it stays an escape.
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def compose(value: Json, style: Style, spot: Spot, source: str, model: Node | None) -> str:
    """Writes a value as new text.

    Args:
        value: A value that `check_value` has let pass.
        style: The habits of the document.
        spot: Where the text will stand.
        source: The text that the models are from.
        model: A filled container to copy the layout of, if one fits.

    Returns:
        The text, without indentation before its first line.
    """
    pieces: list[str] = []
    stack: list[str | _Pending] = [_Pending(value, spot, model)]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            pieces.append(item)
        else:
            stack.extend(reversed(_expanded(item, style, source)))
    return "".join(pieces)


def line_indent(text: str, at: int) -> str:
    """Returns the indentation of the line that an offset lies on."""
    found = _INDENT.match(text, text.rfind("\n", 0, at) + 1)
    return found[0] if found else ""


def colon_of(text: str, node: Node, style: Style) -> str:
    """Returns what stands between key and value in an object, or in its document."""
    return _colon(text, node.children[0]) if node.children else style.colon


def _expanded(item: _Pending, style: Style, source: str) -> list[str | _Pending]:
    """Returns the text of a value with its items still to be written."""
    value = item.value
    if not isinstance(value, list | dict):
        return [scalar(value, style)]
    is_object = isinstance(value, dict)
    brackets = "{}" if is_object else "[]"
    if not value:
        return [brackets]
    look = _look(source, item.model, item.spot, style)
    if look.is_multiline:
        inner = Spot(item.spot.indent + look.unit, item.spot.newline, is_multiline=True)
        opening, closing = inner.newline + inner.indent, inner.newline + item.spot.indent
        comma = "," + opening
    else:
        inner = Spot(item.spot.indent, item.spot.newline, is_multiline=False)
        opening, closing, comma = look.opening, look.closing, "," + look.gap
    parts: list[str | _Pending] = [brackets[0], opening]
    for place, (key, child) in enumerate(_items(value)):
        if place:
            parts.append(comma)
        if key is not None:
            parts.append(scalar(key, style) + look.colon)
        parts.append(_Pending(child, inner, _model(item.model, key, child, style)))
    return [*parts, closing, brackets[1]]


def _items(value: list[Json] | dict[str, Json]) -> Iterator[tuple[str | None, Json]]:
    if isinstance(value, dict):
        yield from value.items()
    else:
        yield from ((None, child) for child in value)


def _model(parent: Node | None, key: str | None, value: Json, style: Style) -> Node | None:
    """Returns the example for an item of a new container."""
    if not isinstance(value, list | dict):
        return None
    candidates = parent.children if parent is not None else ()
    for node in candidates:
        if node.key == key and node.children and is_like(node, value):
            return node
    return style.model(key, value)


def is_like(node: Node, value: Json) -> bool:
    """Tells whether a node and a value are of one kind, lists or objects."""
    return (isinstance(node.value, dict) and isinstance(value, dict)) or (
        isinstance(node.value, list) and isinstance(value, list)
    )


def _look(text: str, model: Node | None, spot: Spot, style: Style) -> _Look:
    if model is None or not model.children:
        return _Look(spot.is_multiline, style.unit, style.gap, style.colon)
    children = model.children
    opening = text[model.start + 1 : children[0].begin]
    closing = text[children[-1].end : model.end - 1]
    separator = text[children[0].end : children[1].begin] if len(children) > 1 else ""
    is_object = isinstance(model.value, dict)
    colon = _colon(text, children[0]) if is_object else style.colon
    if "\n" in opening or "\n" in separator:
        outer, inner = line_indent(text, model.start), line_indent(text, children[0].begin)
        deeper = len(inner) > len(outer) and inner.startswith(outer)
        return _Look(True, inner[len(outer) :] if deeper else style.unit, style.gap, colon)
    gap = separator.partition(",")[2] if separator else style.gap
    pads = ("", "") if "\n" in closing else (opening, closing)
    return _Look(False, style.unit, gap, colon, *pads)


def _colon(text: str, member: Node) -> str:
    found = text[member.key_end : member.start]
    return _COLON if "\n" in found else found


def _unit(text: str) -> str:
    """Returns the first step by which one line is indented more than the line before it."""
    before = line_indent(text, 0)
    for found in _LINE_INDENT.finditer(text):
        indent = found[1]
        if len(indent) > len(before) and indent.startswith(before):
            return indent[len(before) :]
        before = indent
    return _UNIT
