"""JSON text as a tree of spans: what every value is, and where it stands.

`scan` is the careful reader beside the fast one of `gitwfp.files.jsontext`: it knows where each
value begins and ends, it says in words what is wrong with a text and where, and it keeps its own
stack, so that no input reaches the interpreter's recursion limit. Offsets are characters of the
decoded text without its byte order mark.
"""

import json
import re
from math import isfinite
from typing import TypeAlias

from gitwfp.classes import dataclass, field
from gitwfp.errors import Text, say
from gitwfp.files.jsonfaults import BadJson, fault, place, shown, string_fault, unexpected
from gitwfp.patterns import regex

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
"""A value that JSON text can carry."""

MAX_DEPTH = 500
"""How many lists and objects may lie in one another."""

_SPACE = regex(r"[ \t\n\r]*")
# Without its closing quotation mark. The group is not possessive: before Python 3.11.5 such a group
# keeps half of a repetition that failed (python/cpython#106052).
_STRING = regex(r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*')
_NUMBER = regex(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?(?![-+.\w])")
_WORD = regex(r"[-+.\w]+")
_CONFLICT = regex(r"^(?:<{7} |={7}\r?$|>{7} )", re.MULTILINE)
_WORDS: dict[str, Json] = {"true": True, "false": False, "null": None}
_NOT_NUMBERS = frozenset({"NaN", "Infinity", "-Infinity", "+Infinity", "-NaN", "+NaN"})


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands.

    Attributes:
        begin: Where its member begins: at the key inside an object, else at the value itself.
        start: Where the value begins.
        end: Where the value ends.
        value: The value.
        key: Its key, when it is a member of an object.
        key_end: Where the key's text ends.
        children: Members or elements in the order of the text.
    """

    begin: int
    start: int
    end: int
    value: Json
    key: str | None = None
    key_end: int = 0
    children: tuple["Node", ...] = ()


def skip_space(text: str, at: int) -> int:
    """Returns the first offset from `at` on that holds no white space of JSON."""
    found = _SPACE.match(text, at)
    return found.end() if found else at


def scan(text: str) -> Node:
    """Reads a text into its tree of spans.

    Args:
        text: Decoded text without a byte order mark.

    Returns:
        The root value.

    Raises:
        BadJson: The text is not one JSON value, or breaks one of our limits.
    """
    if skip_space(text, 0) == len(text):
        if text:
            reason = say("There is no JSON here: the file holds only white space.")
        else:
            reason = say("There is no JSON here: the file is empty.")
        raise BadJson("empty", reason, 1, 1)
    try:
        return _Scanner(text).root()
    except BadJson as error:
        # Valid JSON has no line that begins like this, so one is looked for only now.
        marker = _CONFLICT.search(text)
        if marker is None:
            raise
        reason = say("The file holds git conflict markers; resolve the conflict first.")
        raise BadJson("conflict-markers", reason, *place(text, marker.start())) from error


@dataclass(slots=True)
class _Open:
    """A list or an object whose closing bracket has not come yet."""

    begin: int
    start: int
    key: str | None
    key_end: int
    is_object: bool
    children: list[Node] = field(default_factory=list)
    keys: dict[str, int] = field(default_factory=dict)

    def closed(self, end: int) -> Node:
        """Returns the finished value."""
        value: Json
        if self.is_object:
            value = {child.key or "": child.value for child in self.children}
        else:
            value = [child.value for child in self.children]
        children = tuple(self.children)
        return Node(self.begin, self.start, end, value, self.key, self.key_end, children)


class _Scanner:
    """One walk over one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[_Open] = []

    def root(self) -> Node:
        """Reads the whole text."""
        text = self._text
        at = skip_space(text, 0)
        begin, key, key_end = at, None, 0
        while True:
            if text[at : at + 1] in ("[", "{"):
                node, at = self._opened(at, begin, key, key_end)
            else:
                value, end = self._scalar(at)
                node = Node(begin, at, end, value, key, key_end)
            if node is not None:
                done, at = self._after(node)
                if done is not None:
                    return done
            begin, key, key_end = at, None, 0
            if self._open[-1].is_object:
                key, key_end = self._key(at)
                at = self._value_of(key, key_end)

    def _opened(
        self, at: int, begin: int, key: str | None, key_end: int
    ) -> tuple[Node | None, int]:
        """Opens a container: the node if it is empty, else None and where its content begins."""
        if len(self._open) == MAX_DEPTH:
            reason = say(
                "The values are nested too deeply: more than {limit} levels.", limit=MAX_DEPTH
            )
            raise self._bad("too-deep", reason, at)
        container = _Open(begin, at, key, key_end, self._text[at] == "{")
        inside = skip_space(self._text, at + 1)
        if self._text.startswith("}" if container.is_object else "]", inside):
            return container.closed(inside + 1), inside + 1
        self._open.append(container)
        return None, inside

    def _after(self, node: Node) -> tuple[Node | None, int]:
        """Files a value: the root if the text is done, else None and where to go on reading."""
        text = self._text
        while self._open:
            container = self._open[-1]
            container.children.append(node)
            at = skip_space(text, node.end)
            bracket = "}" if container.is_object else "]"
            found = text[at : at + 1]
            if found == ",":
                following = skip_space(text, at + 1)
                if text[following : following + 1] in ("]", "}"):
                    reason = say("Nothing follows this comma; remove the comma.")
                    raise self._bad("trailing-comma", reason, at)
                return None, following
            if found != bracket:
                raise self._unexpected(
                    at, say("A comma or {bracket} is missing here.", bracket=bracket)
                )
            node = self._open.pop().closed(at + 1)
        at = skip_space(text, node.end)
        if at < len(text):
            reason = say("The JSON value has ended before this text; remove what follows it.")
            raise self._unexpected(at, reason, "trailing-text")
        return node, at

    def _key(self, at: int) -> tuple[str, int]:
        if not self._text.startswith('"', at):
            raise self._unexpected(at, say("A key in double quotes is missing here."))
        key, end = self._string(at)
        known = self._open[-1].keys
        if key in known:
            reason = say(
                "The key {key} occurs twice in one object, first in line {first}; keep one.",
                key=shown(key),
                first=place(self._text, known[key])[0],
            )
            raise self._bad("duplicate-key", reason, at)
        known[key] = at
        return key, end

    def _value_of(self, key: str, key_end: int) -> int:
        at = skip_space(self._text, key_end)
        if not self._text.startswith(":", at):
            raise self._unexpected(
                at, say("A colon is missing after the key {key}.", key=shown(key))
            )
        return skip_space(self._text, at + 1)

    def _scalar(self, at: int) -> tuple[Json, int]:
        if self._text.startswith('"', at):
            return self._string(at)
        number = _NUMBER.match(self._text, at)
        if number is not None:
            return self._number(number), number.end()
        word = _WORD.match(self._text, at)
        if word is not None and word[0] in _WORDS:
            return _WORDS[word[0]], word.end()
        if word is not None and word[0] in _NOT_NUMBERS:
            reason = say("{word} is not JSON; write a number, a string or null.", word=word[0])
            raise self._bad("not-a-number", reason, at)
        if word is not None:
            reason = say(
                "{word} is not a JSON value; put double quotes around it if it is text.",
                word=shown(word[0]),
            )
            raise self._bad("syntax", reason, at)
        raise self._unexpected(at, say("A value is missing here."))

    def _number(self, number: re.Match[str]) -> int | float:
        try:
            value = int(number[0]) if number.lastindex is None else float(number[0])
            is_held = isinstance(value, int) or isfinite(value)
        except ValueError:
            # The interpreter refuses whole numbers of thousands of digits.
            is_held = False
        if not is_held:
            digits = shown(number[0], quoted=False)
            reason = say("The number {number} is too large.", number=digits)
            raise self._bad("number-too-large", reason, number.start())
        return value

    def _string(self, at: int) -> tuple[str, int]:
        match = _STRING.match(self._text, at)
        end = match.end() if match else at
        if not self._text.startswith('"', end):
            raise string_fault(self._text, at, end)
        inside = self._text[at + 1 : end]
        value: str = json.loads(f'"{inside}"') if "\\" in inside else inside
        return value, end + 1

    def _unexpected(self, at: int, wanted: Text, code: str = "syntax") -> BadJson:
        unclosed = self._open[-1].start if self._open else None
        return unexpected(self._text, at, wanted, unclosed=unclosed, code=code)

    def _bad(self, code: str, reason: Text, at: int) -> BadJson:
        return fault(self._text, at, code, reason)
