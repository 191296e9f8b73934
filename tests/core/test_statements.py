"""Splitting a request into statements: layout and punctuation, in English and Chinese."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gitwfp.policy.request.statements import Kind, Statement, split_statements, without_courtesy


def words(text: str) -> list[str]:
    """Returns the words of each statement."""
    return [statement.words for statement in split_statements(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Add login. Must pass lint.", ["Add login", "Must pass lint"]),
        ("Add login; must pass lint;", ["Add login", "must pass lint"]),
        ("Stop! Really? Yes", ["Stop!", "Really?", "Yes"]),
        ("Keep v1.2.3 of src/auth.ts. Then go", ["Keep v1.2.3 of src/auth.ts", "Then go"]),
        ("Use a cache, e.g. Redis, for 1.5 s", ["Use a cache, e.g. Redis, for 1.5 s"]),
        ("See https://example.org/a;b?c=d. Done", ["See https://example.org/a;b?c=d", "Done"]),
        ("增加限流。必须通过测试；依赖登录", ["增加限流", "必须通过测试", "依赖登录"]),
        ("增加限流;必须通过测试", ["增加限流", "必须通过测试"]),
        ("- a\n- b\n* c\n• d", ["a", "b", "c", "d"]),
        ("1. a\n2) b\n(3) c\n4、d", ["a", "b", "c", "d"]),
        ("一、甲\n二、乙", ["甲", "乙"]),
        ("1. add a 2. add b 3. add c", ["add a", "add b", "add c"]),
        ("1、增加登录 2、增加退出", ["增加登录", "增加退出"]),
        ("- a long point\n  that goes on", ["a long point that goes on"]),
        ("第一行，\n第二行", ["第一行，第二行"]),
        ("Add a\nAdd b", ["Add a", "Add b"]),
        (
            "Slow down everyone who knocks at the login door\nwith brute force",
            ["Slow down everyone who knocks at the login door with brute force"],
        ),
        ("**Add** login", ["Add login"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("---", []),
        ("", []),
        ("   \n\t\n", []),
    ],
)
def test_text_is_split_where_one_thing_ends(text: str, expected: list[str]) -> None:
    """Sentences, semicolons, bullets and numbers divide; versions, paths and URLs do not."""
    assert words(text) == expected


def test_semicolons_are_told_from_full_stops() -> None:
    """A statement behind a semicolon knows that it follows another."""
    found = split_statements("a; b. c; d")
    assert [(each.words, each.follows) for each in found] == [
        ("a", False),
        ("b", True),
        ("c", False),
        ("d", True),
    ]


def test_a_line_that_ends_in_a_colon_heads_the_list_below_it() -> None:
    """Bullets and lines below a colon are under it, until a paragraph after a blank line."""
    found = split_statements("Acceptance:\n- a\n- b\n\nAdd c")
    assert found == (
        Statement("Acceptance", Kind.HEADING, is_list=True),
        Statement("a", under=(0,)),
        Statement("b", under=(0,)),
        Statement("Add c"),
    )


def test_lists_are_nested_by_indentation() -> None:
    """A bullet that ends in a colon heads what is indented deeper, and only that."""
    found = split_statements("- Acceptance:\n  - a\n- b")
    assert [(each.words, each.under) for each in found] == [
        ("Acceptance", ()),
        ("a", (0,)),
        ("b", ()),
    ]


def test_a_second_heading_ends_the_first_list_and_nests_right_below() -> None:
    """Headings side by side end one another; one right below another stands in it."""
    found = split_statements("IMPL:\nAcceptance:\n- a\nFocus:\n- b")
    assert [(each.words, each.under) for each in found] == [
        ("IMPL", ()),
        ("Acceptance", (0,)),
        ("a", (0, 1)),
        ("Focus", (0,)),
        ("b", (0, 3)),
    ]


def test_markdown_titles_head_what_follows() -> None:
    """Titles nest by level, with number signs or underlined."""
    found = split_statements("# A\n\nx\n\n## B ##\n\ny\n\nC\n===\n\nz")
    assert [(each.words, each.under) for each in found] == [
        ("A", ()),
        ("x", (0,)),
        ("B", (0,)),
        ("y", (0, 2)),
        ("C", ()),
        ("z", (4,)),
    ]
    assert not any(each.is_list for each in found)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("```\nrm -rf /; x. y\n```", Kind.CODE),
        ("~~~sh\nrm -rf /\n~~~", Kind.CODE),
        ("```\nnever closed", Kind.CODE),
        ("| a | b |", Kind.TABLE),
        ("> as they said", Kind.QUOTATION),
        ("- [x] done", Kind.TICKED),
        ("---\nstatus: draft\n---\n", Kind.FRONT_MATTER),
        ("- [ ] open", Kind.PROSE),
    ],
)
def test_what_is_no_prose_says_so(text: str, kind: Kind) -> None:
    """Code, tables, quotations, ticked boxes and front matter are told from prose by layout."""
    (only,) = split_statements(text)
    assert only.kind is kind


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Please add login", "Add login"),
        ("please add login, thanks!", "add login"),
        ("Could you please add login?", "Add login"),
        ("Also, log it", "Log it"),
        ("First, add login", "Add login"),
        ("请增加登录", "增加登录"),
        ("另外，请帮我增加登录，谢谢", "增加登录"),
        ("能否增加登录？", "增加登录"),
        ("删除吧", "删除"),
        # These only begin or end like courtesy.
        ("First names must be unique", "First names must be unique"),
        ("And/or filters", "And/or filters"),
        ("请求限流", "请求限流"),
        ("最后登录时间要显示", "最后登录时间要显示"),
        ("同时登录数有上限", "同时登录数有上限"),
        ("支持酒吧", "支持酒吧"),
        ("Thanks!", ""),
        ("谢谢", ""),
    ],
)
def test_courtesy_is_taken_off(text: str, expected: str) -> None:
    """Politeness and joining words go, and nothing that only looks like them."""
    assert without_courtesy(text) == (expected, False)


@pytest.mark.parametrize(
    "text", ["Should we use Redis?", "Delete it?", "删除吗？", "请问要删除吗？", "要不要缓存？"]
)
def test_questions_are_told_from_polite_requests(text: str) -> None:
    """A question stays as it is and says that it is one."""
    assert without_courtesy(text) == (text, True)


@given(st.text(alphabet="ab 1.;:；。：\n-#>|`*()、，？", max_size=60))
@example("1. 2. 3.")
@example("a:\n:\n- :")
def test_no_word_is_lost(text: str) -> None:
    """Every letter of a request is in some statement, in order."""
    letters = "".join(re.findall("[ab]", text))
    found = "".join(statement.words for statement in split_statements(text))
    # A fence may carry a word that names the language of its code.
    fenced = re.search(r"(?m)^\s*(```|~~~)", text)
    assert fenced or "".join(re.findall("[ab]", found)) == letters


@given(st.text(max_size=200))
def test_any_text_is_split(text: str) -> None:
    """No text breaks the splitter, headings stand before what they head, and no words are empty."""
    found = split_statements(text)
    for position, statement in enumerate(found):
        assert statement.words
        assert all(
            above < position and found[above].kind is Kind.HEADING for above in statement.under
        )
