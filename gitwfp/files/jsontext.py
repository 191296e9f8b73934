"""JSON files of plans: read strictly, rewritten by as few bytes as a change needs.

`parse` takes what JSON's own grammar allows and nothing else, and says in words and with line
and column what is wrong. `rewrite` is given a file and the value that it shall have and leaves
all else as it is: key order, indentation, escapes, number spelling, line endings, byte order
mark, final newline. What is put in and taken out again leaves the bytes that were there before.

    >>> rewrite(b'{"id": "IMPL-1", "deps": [ "A" ]}', {"id": "IMPL-1", "deps": ["A", "B"]})
    b'{"id": "IMPL-1", "deps": [ "A", "B" ]}'
"""

import json
from math import isfinite

from gitwfp.classes import replace
from gitwfp.files.jsonfaults import BadJson, decode, place
from gitwfp.files.jsonlayout import Spot, Style, check_value, compose, survey
from gitwfp.files.jsonrewrite import rewritten
from gitwfp.files.jsonspans import MAX_DEPTH, Json, Node, scan

__all__ = ["MAX_DEPTH", "BadJson", "Json", "locate", "parse", "render", "rewrite"]


def parse(data: bytes) -> Json:
    """Reads a JSON file.

    Args:
        data: The bytes of the file: UTF-8, with or without a byte order mark.

    Returns:
        The value. An escape of half a surrogate pair is kept as that code point.

    Raises:
        BadJson: The file is not JSON, repeats a key, or breaks one of our limits.
    """
    _mark, text = decode(data)
    try:
        value: Json = _QUICK.decode(text)
        is_read = not _is_too_deep(text, value)
    except (ValueError, RecursionError):
        is_read = False
    # The careful reader finds the place and the words, and needs no interpreter stack.
    return value if is_read else scan(text).value


def rewrite(data: bytes, value: Json) -> bytes:
    """Changes a file so that it holds another value.

    Members are matched by key and stay in the order of the file; elements are matched by a
    longest common subsequence, then by their `id`, then by position. Values are compared
    strictly: true is not 1, and 1 is not 1.0.

    Args:
        data: The file as it is.
        value: What the new file holds.

    Returns:
        The new file; `parse` reads `value` from it.

    Raises:
        BadJson: The file as it is cannot be read.
        TypeError: The value holds something that is no JSON value.
        ValueError: The value holds NaN or an infinity, or is nested too deeply.
    """
    mark, text = decode(data)
    root = scan(text)
    check_value(value)
    return (mark + rewritten(text, root, value)).encode("utf-8")


def render(value: Json, like: bytes | None = None) -> bytes:
    """Writes a new JSON file.

    Args:
        value: What it holds.
        like: A file to take indentation, line endings, final newline and escaping from.

    Returns:
        The file; without `like`: two spaces, letters as they are, a final newline.

    Raises:
        BadJson: The file to take the style from cannot be read.
        TypeError: The value holds something that is no JSON value.
        ValueError: The value holds NaN or an infinity, or is nested too deeply.
    """
    check_value(value)
    style = Style() if like is None else _style_of(like)
    spot = Spot("", style.newline, style.is_multiline)
    text = compose(value, style, spot, "", None)
    return (text + style.newline * style.ends_with_newline).encode("utf-8")


def locate(data: bytes, path: tuple[str | int, ...]) -> tuple[int, int] | None:
    """Finds the place of a value.

    Args:
        data: The file.
        path: Keys of objects and indexes of lists, from the root.

    Returns:
        Line and column, counted from 1, or None if no such value is there.

    Raises:
        BadJson: The file cannot be read.
    """
    _mark, text = decode(data)
    node: Node | None = scan(text)
    for step in path:
        if node is None:
            return None
        node = _child(node, step)
    return place(text, node.start) if node is not None else None


def _child(node: Node, step: str | int) -> Node | None:
    if isinstance(step, str):
        members = node.children if isinstance(node.value, dict) else ()
        return next((child for child in members if child.key == step), None)
    elements = node.children if isinstance(node.value, list) else ()
    return elements[step] if 0 <= step < len(elements) else None


def _style_of(like: bytes) -> Style:
    _mark, text = decode(like)
    root = scan(text)
    style = survey(text, root)
    # A file without content shows no layout, and a new file copies no single container's.
    return replace(style, is_multiline=style.is_multiline or not root.children, models={})


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError
    return members


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ValueError
    return number


def _no_number(word: str) -> Json:
    raise ValueError(word)


_QUICK = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_no_number)


def _is_too_deep(text: str, value: Json) -> bool:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    level: list[Json] = [value]
    for _depth in range(MAX_DEPTH + 1):
        level = [
            child
            for item in level
            if isinstance(item, list | dict)
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, list | dict)
        ]
        if not level:
            return False
    return True
