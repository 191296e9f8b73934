"""Sentences of a text, and texts rewritten to say other sentences."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gitwfp.model.prose import is_sentence, one_sentence, rewrite_prose, sentences

WORDS = (
    "Do",
    "it",
    "now",
    "e.g.",
    "etc.",
    "No.",
    "5",
    "v1.2",
    "1.",
    "src/auth.ts",
    "IMPL-1.2",
    "https://a.b/?q=1;x",
    "支持登录",
    "**bold.**",
    "`a. b`",
    "`",
    "``",
    "(see",
    "x.)",
    '"said."',
    "“好。”",
    "Wait...",
    "-",
    "*",
    "!",
    "?",
    ".",
    ";",
    "。",
    "！",
    "；",
    "2)",
)
SPACES = ("", " ", "  ", "\n", "\r\n", "\n\n", "\n- ", "\n1. ", "\t", "\u2028", "\x1c")

scraps = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(SPACES)), max_size=10).map(
    lambda parts: "".join(word + space for word, space in parts)
)
anything = st.text(alphabet=st.characters(exclude_categories=()), max_size=40)
dense = st.text(alphabet='aB1 .!?;。！？；`"”)中-*_\n/:', max_size=16)
texts = st.one_of(scraps, dense, anything)
lists = st.lists(
    texts.map(one_sentence).filter(bool) | st.sampled_from(["Do A", "Add 2FA!", "支持登出"]),
    max_size=4,
).map(tuple)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Do A. Do B.", ("Do A", "Do B")),
        ("Do A! Do B? Do C", ("Do A!", "Do B?", "Do C")),
        ("Do A; do B", ("Do A;", "do B")),
        ("支持登录。支持登出！记录；审计", ("支持登录", "支持登出！", "记录；", "审计")),
        ("Line one\nline two\r\nline three", ("Line one", "line two", "line three")),
        ("Edit src/auth.ts. Keep v1.2 and 3.5.", ("Edit src/auth.ts", "Keep v1.2 and 3.5")),
        ("Use formats, e.g. JSON. Done.", ("Use formats, e.g. JSON", "Done")),
        ("Add tests, docs etc. for both.", ("Add tests, docs etc. for both",)),
        ("See No. 5 first. Answer is no. Go.", ("See No. 5 first", "Answer is no", "Go")),
        ("After IMPL-1.2 comes IMPL-3.", ("After IMPL-1.2 comes IMPL-3",)),
        ("Call `a. b; c` first. Then go.", ("Call `a. b; c` first", "Then go")),
        ("见 https://a.b/c?d=1;e. 然后", ("见 https://a.b/c?d=1;e", "然后")),
        ("- Do A.\n- Do B\n2. Do C", ("Do A", "Do B", "Do C")),
        ("Wait... Then go.", ("Wait...", "Then go")),
        ('He said "stop." Then left.', ('He said "stop."', "Then left")),
        ("使用 JWT.支持登出", ("使用 JWT", "支持登出")),
        (" . ; \n", (";",)),
        ("", ()),
    ],
)
def test_prose_is_split_into_sentences(text: str, wanted: tuple[str, ...]) -> None:
    """Terminators end sentences, but not inside code, links, names, numbers and abbreviations."""
    assert sentences(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted", "result"),
    [
        ("Do A", ("Do A", "Do B"), "Do A. Do B."),
        ("Do A.", ("Do A", "Do B"), "Do A. Do B."),
        ("", ("Do A",), "Do A."),
        ("Do A", ("Do B",), "Do B"),
        ("Do A.", ("Do B",), "Do B."),
        ("支持登录", ("支持登录", "支持登出"), "支持登录。支持登出。"),
        ("支持登录. 记录日志.", ("支持登录", "记录日志", "审计"), "支持登录. 记录日志. 审计."),
        ("A a.  B b. C c", ("A a", "C c"), "A a. C c"),
        ("A a.  B b. C c", ("A a", "B b"), "A a.  B b."),
        ("A a\nB b. C c.", ("A a", "C c"), "A a\nC c."),
        ("A a. B b.", ("A a", "New!", "B b"), "A a. New! B b."),
        ("A a. B b.", ("New", "A a", "B b"), "New. A a. B b."),
        ("- A\n- B\n", ("A", "B", "C"), "- A\n- B\n- C\n"),
        ("- A\n- B", ("B",), "- B"),
        ("1. A.\n2. B.", ("A", "B", "C"), "1. A.\n2. B.\n3. C."),
        ("Goal.\n\nFirst one. Second one.", ("Goal", "First one", "X"), "Goal.\n\nFirst one. X."),
        ("Do A.", (), ""),
        ("Do A.", ("Do A", "Do B. Do C."), "Do A. Do B. Do C."),
    ],
)
def test_prose_is_rewritten_in_its_own_manner(
    text: str, wanted: tuple[str, ...], result: str
) -> None:
    """Sentences come and go with the terminators, bullets and spaces that the text uses."""
    assert rewrite_prose(text, wanted) == result


@given(texts)
@example("a ` b. c")
@example("e.g. .")
def test_each_sentence_of_a_text_is_one_sentence(text: str) -> None:
    """What `sentences` returns is read the same when it stands alone."""
    for sentence in sentences(text):
        assert is_sentence(sentence)


@given(texts, lists)
@example("a ` b", ("c ` d", "e"))
@example("e.g", ("e.g", "foo"))
def test_a_rewritten_text_says_what_was_wanted(text: str, wanted: tuple[str, ...]) -> None:
    """Whatever the old text was, the new one has exactly the wanted sentences."""
    assert sentences(rewrite_prose(text, wanted)) == wanted


@given(texts)
def test_the_same_sentences_leave_a_text_alone(text: str) -> None:
    """A rewrite that changes no sentence changes no character."""
    assert rewrite_prose(text, sentences(text)) == text


@given(texts, texts.map(one_sentence).filter(bool))
def test_append_then_remove_gives_the_sentences_back(text: str, added: str) -> None:
    """A sentence that came and went leaves the text saying what it said."""
    held = sentences(text)
    longer = rewrite_prose(text, (*held, added))
    assert sentences(rewrite_prose(longer, held)) == held


@given(st.lists(st.sampled_from(["Do A.", "Do B!", "支持登录。"]), min_size=2, max_size=5))
def test_kept_sentences_keep_their_characters(parts: list[str]) -> None:
    """Taking the last sentence away leaves the characters before it untouched."""
    text = "  ".join(parts)
    assert rewrite_prose(text, sentences(text)[:-1]) == "  ".join(parts[:-1])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Add rate\n limiting.", "Add rate limiting"),
        ("Do A. Do B.", "Do A, Do B"),
        ("做 A。做 B！", "做 A，做 B！"),
        ("- item", "item"),
        (" .. \n", ".."),
        ("\n", ""),
    ],
)
def test_a_text_is_cleaned_into_one_sentence(text: str, wanted: str) -> None:
    """Line breaks become spaces and inner terminators commas."""
    assert one_sentence(text) == wanted


@given(texts)
def test_a_cleaned_text_is_one_sentence_or_nothing(text: str) -> None:
    """The result of cleaning survives being written and read."""
    result = one_sentence(text)
    assert result == "" or is_sentence(result)
    assert one_sentence(result) == result


def test_a_long_line_of_terminators_and_ticks_is_read_in_one_pass() -> None:
    """Hostile text costs time in proportion to its length, not to its square."""
    text = "a. " * 30_000 + "`x " * 9_999 + "e.g. " * 10_000
    assert len(sentences(text)) > 30_000
