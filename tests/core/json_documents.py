"""Random JSON values, and random ways to write one down."""

import json
from dataclasses import dataclass
from random import Random

from hypothesis import strategies as st

from gitwfp.files.jsontext import Json

SCALARS: st.SearchStrategy[Json] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([0, 1, 10**400, -(2**63)]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, -0.0, 1.0, 1e300]),
    st.text(max_size=6),
    st.sampled_from(["", "a", "id", "文档", "é", 'q"\\/', "\x00\x7f\n", "\ud800", "\udc00x", "😀"]),
)
KEYS = st.one_of(st.text(max_size=3), st.sampled_from(["id", "a", "b", "文", "\ud800"]))
VALUES: st.SearchStrategy[Json] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.lists(st.sampled_from(["a", "b"]), max_size=5),
        st.dictionaries(KEYS, inner, max_size=5),
    ),
    max_leaves=15,
)


@dataclass(frozen=True)
class Habit:
    """How a document is written.

    Attributes:
        newline: Its line ending.
        unit: One step of indentation.
        mess: How often a gap gets random white space instead of the usual.
        inline: How often a container stays on its line.
        hugging: How often a closing bracket sits on the last item's line.
        is_ascii: Whether all letters beyond ASCII are escapes.
        ending: What follows the value.
        mark: The byte order mark, or "".
    """

    newline: str
    unit: str
    mess: float
    inline: float
    hugging: float
    is_ascii: bool
    ending: str
    mark: str


HABITS = st.builds(
    Habit,
    newline=st.sampled_from(["\n", "\r\n"]),
    unit=st.sampled_from(["  ", "    ", "\t", "   "]),
    mess=st.sampled_from([0, 0, 0.2, 1]),
    inline=st.sampled_from([0, 0.3, 1]),
    hugging=st.sampled_from([0, 0, 0.5]),
    is_ascii=st.booleans(),
    ending=st.sampled_from(["", "\n", "\r\n", " \n\n"]),
    mark=st.sampled_from(["", "", "\ufeff"]),
)


def strict(value: Json) -> str:
    """Returns a text that two values share exactly if they are the same JSON."""
    return json.dumps(value, sort_keys=True)


class Writer:
    """Writes values by a habit, with chance from a seed.

    Args:
        habit: How the document is laid out.
        seed: Where chance begins.
        escaping: How often a string is written all in escapes.
    """

    def __init__(self, habit: Habit, seed: int, escaping: float = 0) -> None:
        self._habit = habit
        self._random = Random(seed)
        self._escaping = escaping

    def document(self, value: Json) -> bytes:
        """Returns a file that holds a value."""
        text = self._gap("") + self._value(value, "") + self._habit.ending
        return (self._habit.mark + text).encode()

    def _gap(self, usual: str) -> str:
        if self._random.random() >= self._habit.mess:
            return usual
        return "".join(self._random.choices([" ", "\t", "\n", "\r\n", "\r", ""], k=3))

    def _value(self, value: Json, indent: str) -> str:
        if not isinstance(value, list | dict):
            return self._scalar(value)
        left, right = "{}" if isinstance(value, dict) else "[]"
        if not value:
            return left + self._gap("") + right
        if self._random.random() < self._habit.inline:
            head, comma, tail = "", ", ", ""
            inner = indent
        else:
            inner = indent + self._habit.unit
            head, comma = self._habit.newline + inner, "," + self._habit.newline + inner
            tail = self._habit.newline + indent
            if self._random.random() < self._habit.hugging:
                tail = ""
        items = []
        for key, item in value.items() if isinstance(value, dict) else ((None, i) for i in value):
            before = "" if key is None else self._scalar(key) + self._gap("") + ":" + self._gap(" ")
            items.append(before + self._value(item, inner))
        joined = items[0]
        for text in items[1:]:
            joined += self._gap("") + "," + self._gap(comma[1:]) + text
        return left + self._gap(head) + joined + self._gap(tail) + right

    def _scalar(self, value: Json) -> str:
        if not isinstance(value, str):
            if isinstance(value, float) and value == 100 and self._escaping:
                return "1.0E+2"
            return json.dumps(value)
        plain = json.dumps(value, ensure_ascii=self._habit.is_ascii)
        if self._escaping:
            units = value.encode("utf-16-be", "surrogatepass")
            escaped = "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
            if self._random.random() < self._escaping:
                return f'"{escaped}"'
        return "".join(f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in plain)


SEEDS = st.integers(0, 2**32)


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    """Draws a file in any layout and spelling."""
    writer = Writer(draw(HABITS), draw(SEEDS), draw(st.sampled_from([0, 0.5])))
    return writer.document(draw(VALUES))


@st.composite
def plain_documents(draw: st.DrawFn) -> bytes:
    """Draws a file in any layout whose scalars are spelled in the usual way.

    For the delete character there is none: some writers that escape letters leave it raw.
    """
    plain = VALUES.filter(lambda value: "\x7f" not in json.dumps(value, ensure_ascii=False))
    return Writer(draw(HABITS), draw(SEEDS)).document(draw(plain))
