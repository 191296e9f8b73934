"""The JSON document is one line, valid for every reader, and loses nothing that JSON can hold."""

import json
from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitwfp.classes import dataclass
from gitwfp.cli.envelope import Document, dump, envelope, failure, to_json
from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, say, say_n


class Colour(StrEnum):
    """An enumeration."""

    RED = "red"


@dataclass(frozen=True, slots=True)
class Inner:
    """A dataclass in a dataclass."""

    name: str
    parts: tuple[str, ...] = ()


def test_values_become_json() -> None:
    """Dataclasses, tuples, sets, enumerations, sentences, bytes and odd numbers have one form."""
    value = {
        "inner": Inner("x", ("a", "b")),
        "colour": Colour.RED,
        "code": ExitCode.CONFLICT,
        "set": frozenset({"b", "a"}),
        "text": say_n("{count} task", "{count} tasks", 2),
        "bytes": b"\xe6\xb3\x8a\xff",
        "nan": float("nan"),
        "half": 0.5,
        "none": None,
        "yes": True,
    }
    assert to_json(value) == {
        "inner": {"name": "x", "parts": ["a", "b"]},
        "colour": "red",
        "code": 5,
        "set": ["a", "b"],
        "text": "2 tasks",
        "bytes": "泊\ufffd",
        "nan": None,
        "half": 0.5,
        "none": None,
        "yes": True,
    }
    with pytest.raises(TypeError, match="object has no form"):
        to_json(object())


def test_the_envelope_is_complete() -> None:
    """Each document has all fields, in the published order, absent ones as null."""
    note = Diagnostic("odd", say("It is {x}.", x="odd"), Severity.NOTE)
    made = envelope(Document("said", Inner("x"), ExitCode.NEGATIVE, (note,)))
    nowhere = dict.fromkeys(("path", "line", "column", "session", "task", "field"))
    assert list(made) == ["schema_version", "kind", "ok", "exit_code", "data", "diagnostics"]
    assert made == {
        "schema_version": "1",
        "kind": "said",
        "ok": False,
        "exit_code": 1,
        "data": {"name": "x", "parts": []},
        "diagnostics": [
            {
                "severity": "note",
                "code": "odd",
                "message": "It is odd.",
                "location": nowhere,
                "hint": None,
            }
        ],
    }


def test_a_failure_says_why_first() -> None:
    """The refusal is the first diagnostic, its details come next, earlier warnings last."""
    detail, earlier = Diagnostic("two", say("Two.")), Diagnostic("three", say("Three."))
    refusal = Refusal(
        "one",
        say("One."),
        ExitCode.NOT_FOUND,
        location=Location(task="IMPL-1"),
        details=(detail,),
    )
    made = failure(refusal, (earlier,))
    assert (made.kind, made.data, made.exit_code) == ("error", None, ExitCode.NOT_FOUND)
    assert [d.code for d in made.diagnostics] == ["one", "two", "three"]
    assert made.diagnostics[0].location.task == "IMPL-1"


@given(st.recursive(st.none() | st.text(st.characters()), st.lists), st.booleans())
def test_json_is_one_harmless_line(value: object, ascii_only: bool) -> None:
    """Any text survives but for halves of pairs, and nothing in it can move a terminal."""
    text = dump({"x": value}, ascii_only=ascii_only)
    assert not [c for c in text if c < " " or "\x7f" <= c <= "\x9f" or c in "\u202e\u2028"]
    assert text.isascii() or not ascii_only
    text.encode("utf-8")
    plain = json.dumps({"x": value}, ensure_ascii=False)
    expected = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in plain)
    assert json.loads(text) == json.loads(expected)


def test_json_can_be_indented() -> None:
    """With an indentation the same value takes several lines."""
    assert dump({"a": ["\n\x9b"]}, indent=2) == '{\n  "a": [\n    "\\n\\u009b"\n  ]\n}'
