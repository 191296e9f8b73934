"""Reading JSON files strictly, finding places in them, and writing new ones."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitwfp.files.jsonfaults import decode
from gitwfp.files.jsonspans import scan
from gitwfp.files.jsontext import MAX_DEPTH, BadJson, Json, locate, parse, render, rewrite
from tests.core.json_documents import VALUES, documents, strict

BAD_FILES = [
    (b"", "empty", 1, 1),
    (b"\xef\xbb\xbf", "empty", 1, 1),
    (b" \n\t", "empty", 1, 1),
    (b"\xff\xfe{\x00}\x00", "encoding", 1, 1),
    (b"\xfe\xff\x00{\x00}", "encoding", 1, 1),
    (b"\xff\xfe\x00\x00{\x00\x00\x00", "encoding", 1, 1),
    (b"\x00\x00\xfe\xff", "encoding", 1, 1),
    (b'{"a":\n  "\xe6\x96\x87\xff"}', "encoding", 2, 5),
    (b'{"a": "\xed\xa0\x80"}', "encoding", 1, 8),
    (b'{"a": 1,\n "b": {"a": 2},\n "a": 3}', "duplicate-key", 3, 2),
    (b'{"a": 1, "\\u0061": 2}', "duplicate-key", 1, 10),
    (b'{"n": NaN}', "not-a-number", 1, 7),
    (b"[\n Infinity]", "not-a-number", 2, 2),
    (b"-Infinity", "not-a-number", 1, 1),
    (b"[1e999]", "number-too-large", 1, 2),
    (b"[-" + b"9" * 100_000 + b"]", "number-too-large", 1, 2),
    (b"[" * 100_000 + b"]" * 100_000, "too-deep", 1, MAX_DEPTH + 1),
    (b'{"a":' * 2_000 + b"1" + b"}" * 2_000, "too-deep", 1, 5 * MAX_DEPTH + 1),
    (b'{\n<<<<<<< ours\n"a": 1\n=======\n"a": 2\n>>>>>>> theirs\n}', "conflict-markers", 2, 1),
    (b'{"a": 1}\r\n=======\r\n', "conflict-markers", 2, 1),
    (b'["a\x00b"]', "control-character", 1, 4),
    (b'["a\tb"]', "control-character", 1, 4),
    (b'["a\nb"]', "control-character", 1, 4),
    (b"\x00", "control-character", 1, 1),
    (b'["rg \\.write"]', "bad-escape", 1, 6),
    (b'["\\u12x4"]', "bad-escape", 1, 3),
    (b'["a', "unfinished", 1, 2),
    (b'["a"', "unfinished", 1, 5),
    (b'{"a":', "unfinished", 1, 6),
    (b'["a",]', "trailing-comma", 1, 5),
    (b'{"a": 1}}', "trailing-text", 1, 9),
    (b'{"a" 1}', "syntax", 1, 6),
    (b'{"a": 1 "b": 2}', "syntax", 1, 9),
    (b'{"total": 9,166}', "syntax", 1, 13),
    (b"{a: 1}", "syntax", 1, 2),
    (b"{'a': 1}", "syntax", 1, 2),
    (b"// plan\n{}", "syntax", 1, 1),
    (b"[True]", "syntax", 1, 2),
    (b"[01]", "syntax", 1, 2),
    (b"[1.]", "syntax", 1, 2),
    (b"[,1]", "syntax", 1, 2),
]


@pytest.mark.parametrize(
    ("data", "code", "line", "column"), BAD_FILES, ids=[str(row[0][:24]) for row in BAD_FILES]
)
def test_bad_file_is_refused_with_code_and_place(
    data: bytes, code: str, line: int, column: int
) -> None:
    """What is wrong with a file is named by a code, a sentence, a line and a column."""
    with pytest.raises(BadJson) as caught:
        parse(data)
    assert (caught.value.code, caught.value.line, caught.value.column) == (code, line, column)
    assert str(caught.value.reason).endswith(".")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "the file is empty"),
        (b"[" * 501, "nested too deeply"),
        (b"\xff\xfe", "byte order mark of UTF-16"),
        (b"\xff", "not UTF-8"),
        (
            b'{"tasks": 1,\n "tasks": 2}',
            'The key "tasks" occurs twice in one object, first in line 1',
        ),
        (b'{"a": [1', "the [ of line 1 is never closed"),
        (b"<<<<<<< HEAD", "conflict markers"),
    ],
)
def test_reason_says_it_in_words(data: bytes, words: str) -> None:
    """The reason is a sentence that a person understands."""
    with pytest.raises(BadJson) as caught:
        parse(data)
    assert words in str(caught.value.reason)


def test_strange_keys_cannot_break_the_message() -> None:
    """A key with line breaks, escapes or great length is shown on one short line."""
    key = json.dumps("\x1b[31m\n{}\u202e" + "x" * 500)
    with pytest.raises(BadJson) as caught:
        parse(f"{{{key}: 1, {key}: 2}}".encode())
    assert str(caught.value.reason).isprintable()
    assert len(str(caught.value.reason)) < 200


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        (b" 1 \r\n", 1),
        (b'"\\ud800"', "\ud800"),
        (b'"\\ud83d\\ude00 \\u0000"', "😀 \x00"),
        (b"[1e2, -0.0, 1.0]", [100.0, -0.0, 1.0]),
        (b"9" * 4_000, int("9" * 4_000)),
        (b'["<<<<<<< x", "======="]', ["<<<<<<< x", "======="]),
        (b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, None),
    ],
    ids=["mark", "space", "half-pair", "pair", "floats", "digits", "quoted-markers", "depth"],
)
def test_unusual_but_valid_files_are_read(data: bytes, value: Json) -> None:
    """What JSON allows is read as it is, up to the limits themselves."""
    read = parse(data)
    if value is not None:
        assert strict(read) == strict(value)


def test_many_shallow_brackets_are_not_deep() -> None:
    """The depth limit counts nesting and not brackets."""
    data = b"[" + b"[],{}," * 2_000 + b'"[[[["]'
    assert parse(data) == scan(data.decode()).value


def test_deep_files_are_read_from_deep_calls() -> None:
    """A caller far down the stack reads the same as one at its top."""
    data = b"[" * MAX_DEPTH + b"]" * MAX_DEPTH

    def read_below(levels: int) -> Json:
        return read_below(levels - 1) if levels else parse(data)

    depth, value = 0, read_below(600)
    while isinstance(value, list) and value:
        depth, value = depth + 1, value[0]
    assert depth == MAX_DEPTH - 1


TOKENS = ["1", "-", "0", ".5", "e9", "NaN", "true", "null", '"a"', '"b":', "\\u0041", "=======\n"]
JSON_LIKE = st.lists(
    st.sampled_from([*'[]{},:" \n\\', *TOKENS, "\ud7ff", "\x00", "\ufeff", "<<<<<<< "]), max_size=12
).map("".join)


def outcome(data: bytes) -> Json | BadJson:
    """Returns what reading a file gives: its value or its error."""
    try:
        return parse(data)
    except BadJson as error:
        return error


@given(st.one_of(st.binary(max_size=40), JSON_LIKE.map(str.encode)))
def test_parse_raises_only_bad_json(data: bytes) -> None:
    """Whatever the bytes are, a file is read or refused in one way, at a place that it has."""
    found = outcome(data)
    if isinstance(found, BadJson):
        lines = data.split(b"\n")
        assert 1 <= found.line <= len(lines)
        assert 1 <= found.column <= len(lines[found.line - 1]) + 1
    else:
        assert strict(found) == strict(json.loads(data.decode("utf-8-sig")))


@given(st.one_of(documents(), JSON_LIKE.map(str.encode)))
def test_quick_and_careful_reader_agree(data: bytes) -> None:
    """The reader that knows places and the one that does not read the same files alike."""
    found = outcome(data)
    if isinstance(found, BadJson):
        with pytest.raises(BadJson) as caught:
            scan(decode(data)[1])
        assert caught.value.code == found.code
    else:
        assert strict(scan(decode(data)[1]).value) == strict(found)


def test_locate_finds_values_of_every_kind() -> None:
    """A path of keys and indexes leads to line and column of its value."""
    tasks = '{"id": "T1"}, {"id": "T2", "文": [[], 7]}'
    data = f'\ufeff{{\r\n  "任务": [\r\n    {tasks}\r\n  ]\r\n}}'.encode()
    assert locate(data, ()) == (1, 1)
    assert locate(data, ("任务",)) == (2, 9)
    assert locate(data, ("任务", 1)) == (3, 19)
    assert locate(data, ("任务", 1, "文", 1)) == (3, 42)
    for nowhere in [("x",), ("任务", 2), ("任务", -1), (0,), ("任务", "0"), ("任务", 0, "id", 0)]:
        assert locate(data, nowhere) is None


def test_locate_refuses_a_bad_file() -> None:
    """A file that cannot be read has no places."""
    with pytest.raises(BadJson):
        locate(b"{", ("a",))


@given(VALUES)
def test_render_gives_the_usual_layout(value: Json) -> None:
    """A new file has two spaces a level, letters as they are, and a final newline."""
    data = render(value)
    assert strict(parse(data)) == strict(value)
    if not any("\ud800" <= c <= "\udfff" for c in json.dumps(value, ensure_ascii=False)):
        assert data == json.dumps(value, ensure_ascii=False, indent=2).encode() + b"\n"


def test_render_takes_the_style_of_another_file() -> None:
    """Indentation, line endings, final newline and escaping come from the file named."""
    value: Json = {"a": ["é", {}], "b": {"c": 1}}
    like = b'{\r\n\t"x": "\\u6587"\r\n}'
    wanted = (
        b'{\r\n\t"a": [\r\n\t\t"\\u00e9",\r\n\t\t{}\r\n\t],\r\n\t"b": {\r\n\t\t"c": 1\r\n\t}\r\n}'
    )
    assert render(value, like) == wanted
    assert render(value, b'{"a":[1,2]}\n') == '{"a":["é",{}],"b":{"c":1}}\n'.encode()
    assert render([1], b"{}") == b"[\n  1\n]"


@given(VALUES, documents())
def test_render_in_any_style_keeps_the_value(value: Json, like: bytes) -> None:
    """A style changes how a file looks and never what it says."""
    assert strict(parse(render(value, like))) == strict(value)


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": -float("inf")}])
def test_numbers_outside_json_are_never_written(value: Json) -> None:
    """NaN and infinities are a mistake of the caller, found before anything is made."""
    with pytest.raises(ValueError, match="not a JSON number"):
        render(value)
    with pytest.raises(ValueError, match="not a JSON number"):
        rewrite(b"{}", value)


def test_what_could_not_be_read_again_is_not_written() -> None:
    """Too deep a value and a value that JSON does not know are mistakes of the caller."""
    deep: Json = []
    for _ in range(MAX_DEPTH):
        deep = [deep]
    with pytest.raises(ValueError, match="nested too deeply"):
        render(deep)
    with pytest.raises(TypeError, match="not a JSON value"):
        render({"a": (1, 2)})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="keys"):
        render({1: 2})  # type: ignore[dict-item]


def corpus_files(corpus: Path) -> Iterator[tuple[Path, bytes, Json]]:
    """Yields every JSON file of the corpus that can be read."""
    for path in sorted(corpus.rglob("*.json")):
        data = path.read_bytes()
        value = outcome(data)
        if not isinstance(value, BadJson):
            yield path, data, value


def test_corpus_is_read_and_survives(corpus: Path) -> None:
    """Real plan files are read as the standard library reads them, and keep every byte."""
    count = 0
    for path, data, value in corpus_files(corpus):
        assert value == json.loads(data.decode("utf-8-sig")), path
        assert rewrite(data, value) == data, path
        count += 1
    assert count > 0
