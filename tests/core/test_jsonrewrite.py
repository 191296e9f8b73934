"""Rewriting JSON files by as few bytes as a change needs."""

import copy
import difflib
from enum import StrEnum
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gitwfp.files.jsontext import MAX_DEPTH, Json, locate, parse, render, rewrite
from tests.core.json_documents import KEYS, SCALARS, VALUES, documents, plain_documents, strict
from tests.core.test_jsontext import corpus_files

Path_ = tuple[str | int, ...]


def places(value: Json, at: Path_ = ()) -> list[tuple[Path_, Json]]:
    """Lists every value inside a value, with its path."""
    found = [(at, value)]
    if isinstance(value, dict):
        for key, item in value.items():
            found += places(item, (*at, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found += places(item, (*at, index))
    return found


def changed(value: Json, path: Path_, new: Json) -> Json:
    """Returns a copy of a value with another value at a path."""
    if not path:
        return new
    result = copy.deepcopy(value)
    inner = result
    for step in path[:-1]:
        inner = inner[step]  # type: ignore[index]
    inner[path[-1]] = new  # type: ignore[index]
    return result


@given(documents())
def test_same_value_same_bytes(data: bytes) -> None:
    """A file that already says what it shall say is not touched."""
    assert rewrite(data, parse(data)) == data


@given(documents(), VALUES)
def test_any_value_can_be_written_into_any_file(data: bytes, value: Json) -> None:
    """The new file says what was asked for, whatever the old one was."""
    assert strict(parse(rewrite(data, value))) == strict(value)
    assert data.startswith(b"\xef\xbb\xbf") == rewrite(data, value).startswith(b"\xef\xbb\xbf")


@given(VALUES, VALUES)
def test_new_file_can_be_rewritten(value: Json, wanted: Json) -> None:
    """A file that we rendered is a file like any other."""
    assert strict(parse(rewrite(render(value), wanted))) == strict(wanted)


@given(plain_documents(), st.data())
def test_nearby_values_are_reached(data: bytes, draws: st.DataObject) -> None:
    """Several changes at once, of any kind and at any place, arrive together."""
    wanted = parse(data)
    for _ in range(draws.draw(st.integers(1, 4))):
        path, _old = draws.draw(st.sampled_from(places(wanted)))
        wanted = changed(wanted, path, draws.draw(VALUES))
    assert strict(parse(rewrite(data, wanted))) == strict(wanted)


@given(documents(), st.data())
def test_insert_then_remove_leaves_no_trace(data: bytes, draws: st.DataObject) -> None:
    """Elements and members that are put in and taken out again leave the old bytes."""
    value = parse(data)
    spots = [spot for spot in places(value) if isinstance(spot[1], list | dict)]
    assume(spots)
    path, item = draws.draw(st.sampled_from(spots))
    more: Json = None
    if isinstance(item, list):
        grown: list[Json] = list(item)
        for new in draws.draw(st.lists(st.one_of(VALUES, *map(st.just, item)), min_size=1)):
            grown.insert(draws.draw(st.integers(0, len(grown))), new)
        more = grown
    elif isinstance(item, dict):
        pairs = list(item.items())
        for key, new in draws.draw(st.dictionaries(KEYS, VALUES, min_size=1)).items():
            if key not in item:
                pairs.insert(draws.draw(st.integers(0, len(pairs))), (key, new))
        more = dict(pairs)
    wanted = changed(value, path, more)
    grown_file = rewrite(data, wanted)
    assert strict(parse(grown_file)) == strict(wanted)
    assert rewrite(grown_file, value) == data


@given(documents(), st.lists(SCALARS, min_size=1, max_size=4), st.data())
def test_steps_are_undone_one_by_one(data: bytes, added: list[Json], draws: st.DataObject) -> None:
    """Insertions at several places, each its own rewrite, are taken back in reverse order."""
    states = [(data, parse(data))]
    for new in added:
        file, value = states[-1]
        spots = [(path, item) for path, item in places(value) if isinstance(item, list)]
        assume(spots)
        path, item = draws.draw(st.sampled_from(spots))
        at = draws.draw(st.integers(0, len(item)))
        wanted = changed(value, path, [*item[:at], new, *item[at:]])
        states.append((rewrite(file, wanted), wanted))
    while len(states) > 1:
        file, _ = states.pop()
        assert rewrite(file, states[-1][1]) == states[-1][0]


@given(plain_documents(), st.data())
def test_scalar_there_and_back(data: bytes, draws: st.DataObject) -> None:
    """A scalar that is changed and changed back leaves the old bytes, and no others change."""
    value = parse(data)
    spots = [spot for spot in places(value) if not isinstance(spot[1], list | dict)]
    assume(spots)
    path, old = draws.draw(st.sampled_from(spots))
    others: list[Json] = [True, 7, 2.5, "x"]
    new: Json = old + "é" if isinstance(old, str) else draws.draw(st.sampled_from(others))
    wanted = changed(value, path, new)
    other = rewrite(data, wanted)
    assert rewrite(other, value) == data
    place = locate(data, path)
    lines, other_lines = data.split(b"\n"), other.split(b"\n")
    assert place is not None
    assert len(lines) == len(other_lines)
    pairs = enumerate(zip(lines, other_lines, strict=True), 1)
    differing = [number for number, (before, after) in pairs if before != after]
    assert differing == ([place[0]] if strict(old) != strict(new) else [])


def test_values_are_compared_strictly() -> None:
    """True and 1, 1 and 1.0, 0.0 and -0.0 are different values; 1e2 and 100.0 are not."""
    assert rewrite(b"[1, 1, 0.0, 1e2]", [True, 1.0, -0.0, 100.0]) == b"[true, 1.0, -0.0, 1e2]"
    assert rewrite(b'{"a": 1}', {"a": True}) == b'{"a": true}'


def test_words_of_enumerations_are_strings() -> None:
    """A string of a subclass is the string that it is."""

    class Word(StrEnum):
        DONE = "done"

    assert rewrite(b'["\\u0064one", "open"]', [Word.DONE, Word.DONE]) == b'["\\u0064one", "done"]'


EXAMPLES: dict[str, tuple[str, Json, str]] = {
    "append to lines": (
        '{\n  "a": [\n    "x"\n  ]\n}\n',
        {"a": ["x", "y"]},
        '{\n  "a": [\n    "x",\n    "y"\n  ]\n}\n',
    ),
    "append inline": (
        '{\n  "a": ["x", "z"]\n}',
        {"a": ["x", "y", "z", "é"]},
        '{\n  "a": ["x", "y", "z", "é"]\n}',
    ),
    "append to a single inline element": (
        '{\n  "a": ["x"]\n}',
        {"a": ["x", "y"]},
        '{\n  "a": ["x", "y"]\n}',
    ),
    "append compact": (
        '{"a":["x"]}',
        {"a": ["x", "y"], "b": [1, 2]},
        '{"a":["x","y"],"b":[1,2]}',
    ),
    "fill an empty list": (
        '{\n\t"a": []\n}',
        {"a": ["x", "y"]},
        '{\n\t"a": [\n\t\t"x",\n\t\t"y"\n\t]\n}',
    ),
    "fill an empty list, default unit": (
        '{\n"a": []\n}',
        {"a": ["x"]},
        '{\n"a": [\n  "x"\n]\n}',
    ),
    "fill in one line": (
        '{"a": [], "b": {}}',
        {"a": ["x", "y"], "b": {"c": 1}},
        '{"a": ["x", "y"], "b": {"c": 1}}',
    ),
    "fill inside an inline object": (
        '[\n  {"a": 1, "b": []}\n]',
        [{"a": 1, "b": ["x"]}],
        '[\n  {"a": 1, "b": ["x"]}\n]',
    ),
    "empty a list": (
        '{\n  "a": [\n    "x"\n  ],\n  "b": [ 1 ]\n}',
        {"a": [], "b": []},
        '{\n  "a": [],\n  "b": []\n}',
    ),
    "remove the first": (
        "[\n  1,\n  2\n]",
        [2],
        "[\n  2\n]",
    ),
    "remove the middle": (
        "[\n  1,\n  2,\n  3\n]",
        [1, 3],
        "[\n  1,\n  3\n]",
    ),
    "remove the last": (
        "[\n  1,\n  2\n]",
        [1],
        "[\n  1\n]",
    ),
    "remove the head of a row": (
        "[1, 2,\n 3, 4]",
        [1, 2, 4],
        "[1, 2,\n 4]",
    ),
    "remove a member": (
        '{\r\n  "a": 1,\r\n  "b": 2\r\n}',
        {"a": 1},
        '{\r\n  "a": 1\r\n}',
    ),
    "add a member at the end": (
        '{\r\n   "a": 1\r\n}',
        {"a": 1, "b": {"c": []}},
        '{\r\n   "a": 1,\r\n   "b": {\r\n      "c": []\r\n   }\r\n}',
    ),
    "add a member before another": (
        '{"a": 1, "c": 3}',
        {"b": 2, "a": 1, "x": 0, "c": 3},
        '{"b": 2, "a": 1, "x": 0, "c": 3}',
    ),
    "order of the file stays": (
        '{"a": 1, "b": 2}',
        {"b": 2, "a": 3},
        '{"a": 3, "b": 2}',
    ),
    "colon like the neighbours": (
        '{\n "a" : 1\n}',
        {"a": 1, "b": 2},
        '{\n "a" : 1,\n "b" : 2\n}',
    ),
    "closing bracket on the last line": (
        "[\n  1,\n  2]",
        [1, 2, 3],
        "[\n  1,\n  2,\n  3]",
    ),
    "comma first": (
        "[ 1\n, 2\n]",
        [1, 2, 3],
        "[ 1\n, 2\n, 3\n]",
    ),
    "element like its sibling, inline": (
        '[\n  {"id": 1, "n": []}\n]',
        [{"id": 1, "n": []}, {"id": 2, "n": [3]}],
        '[\n  {"id": 1, "n": []},\n  {"id": 2, "n": [3]}\n]',
    ),
    "element like its sibling, hugging": (
        '{"t": [{\n    "id": 1\n}]}',
        {"t": [{"id": 1}, {"id": 2}]},
        '{"t": [{\n    "id": 1\n}, {\n    "id": 2\n}]}',
    ),
    "list like that of a sibling": (
        '[\n  {\n    "d": [1, 2]\n  }\n]',
        [{"d": [1, 2]}, {"d": [3, 4]}],
        '[\n  {\n    "d": [1, 2]\n  },\n  {\n    "d": [3, 4]\n  }\n]',
    ),
    "objects are matched by id": (
        '[{"id": 1, "t": "\\u0061"}, {"id": 2, "t": "\\u0062"}]',
        [{"id": 2, "t": "b", "n": 0}],
        '[{"id": 2, "t": "\\u0062", "n": 0}]',
    ),
    "kind of value": (
        '{\n  "a": 1,\n  "b": [\n    2\n  ]\n}',
        {"a": [1], "b": None},
        '{\n  "a": [\n    1\n  ],\n  "b": null\n}',
    ),
    "escapes where the file escapes": (
        '["\\u6587", "a"]',
        ["文", "é"],
        '["\\u6587", "\\u00e9"]',
    ),
    "letters where the file has letters": (
        '["文", "\\u00e8"]',
        ["文", "é"],
        '["文", "é"]',
    ),
    "an escaped backslash is no escape": (
        '["\\\\u6587", "\\u001b"]',
        ["\\u6587", "é"],
        '["\\\\u6587", "é"]',
    ),
    "half a pair stays an escape": (
        '["\\ud800", 1]',
        ["\ud800", "\udc00é"],
        '["\\ud800", "\\udc00\\u00e9"]',
    ),
}


@pytest.mark.parametrize(("before", "value", "after"), EXAMPLES.values(), ids=EXAMPLES)
def test_layout_of_a_change(before: str, value: Json, after: str) -> None:
    """What is new looks like what stands beside it, and all else keeps its bytes."""
    assert rewrite(before.encode(), value).decode() == after


def test_depth_is_no_danger() -> None:
    """The deepest file that can be read can be rewritten at its bottom."""
    data = b"[" * MAX_DEPTH + b"1" + b"]" * MAX_DEPTH
    wanted: Json = [2, {"a": 1}["a"]]
    for _ in range(MAX_DEPTH - 1):
        wanted = [wanted]
    assert rewrite(data, wanted) == b"[" * MAX_DEPTH + b"2, 1" + b"]" * MAX_DEPTH


def test_long_lists_are_matched() -> None:
    """Changes far apart in a long list touch only their own lines."""
    numbers: list[Json] = list(range(3_000))
    value: list[Json] = [{"n": n} for n in numbers]
    wanted: list[Json] = [{"n": -1}, *value[:1_500], *value[1_501:], {"n": -2}]
    wanted[0], wanted[1] = wanted[1], wanted[0]
    old, new = render(value), rewrite(render(value), wanted)
    assert parse(new) == wanted
    diff = difflib.unified_diff(
        old.decode().split("\n"), new.decode().split("\n"), n=0, lineterm=""
    )
    assert len([line for line in diff if line[:1] in "+-"]) < 20
    same: list[Json] = ["a"] * 20_000
    assert parse(rewrite(render(["b", *same, "b"]), ["c", "a", "d", *same])) == [
        "c",
        "a",
        "d",
        *same,
    ]


def test_one_string_of_a_real_file_is_one_line(corpus: Path) -> None:
    """Editing one string, and adding an element and taking it out, works on real plan files."""
    chance = Random(7)
    for path, data, value in corpus_files(corpus):
        leaves = [(p, item) for p, item in places(value) if isinstance(item, str) and p]
        if leaves:
            at, old = chance.choice(leaves)
            new = rewrite(data, changed(value, at, f"{old} – 新"))
            pairs = zip(data.split(b"\n"), new.split(b"\n"), strict=True)
            place = locate(data, at)
            assert place is not None
            assert [i for i, (a, b) in enumerate(pairs, 1) if a != b] == [place[0]], path
        lists = [(p, item) for p, item in places(value) if isinstance(item, list)]
        if lists:
            at, items = chance.choice(lists)
            new = rewrite(data, changed(value, at, [*items, {"id": "X", "list": ["y"]}]))
            assert rewrite(new, value) == data, path
