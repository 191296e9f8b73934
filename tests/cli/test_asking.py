"""What typed words mean, and what is marked where several answers may be given."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitwfp.cli.asking import Inquiry, inquiry
from gitwfp.cli.look import PLAIN
from gitwfp.errors import say
from gitwfp.flows.ui import Choice

CHOICES = (
    Choice("src/api", say("api")),
    Choice("src/app", say("app")),
    Choice("my docs, old", say("docs")),
    Choice("all", say("All of them"), alone=True),
)
KEYS = [choice.key for choice in CHOICES]


def asked(*, several: bool = True) -> Inquiry:
    """Returns a question with four answers, the last of which stands for all."""
    return inquiry(say("Which?"), CHOICES, ("all",), PLAIN, several=several)


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        ("1", "src/api"),
        ("4", "all"),
        ("0", None),
        ("5", None),
        ("-1", None),
        ("²", None),
        ("9" * 5000, None),
        ("", None),
        ("src/api", "src/api"),
        ("SRC/API", "src/api"),
        ("src/a", None),
        ("src/ap", None),
        ("src/app", "src/app"),
        ("docs", "my docs, old"),
        ("al", "all"),
        ("all of", "all"),
    ],
)
def test_one_answer(typed: str, key: str | None) -> None:
    """A number, a key or name in any case, and what only one of them begins with, are answers."""
    assert asked().meant(typed) == key


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("2", ("src/app",)),
        ("2,1", ("src/api", "src/app")),
        ("1 2 1", ("src/api", "src/app")),
        ("1，2、docs", ("src/api", "src/app", "my docs, old")),
        ("my docs, old", ("my docs, old",)),
        ("docs; src/app", ("src/app", "my docs, old")),
        ("1, all", ("all",)),
        ("1, nowhere", "nowhere"),
        ("1 nowhere 7", "nowhere"),
        (",", ","),
    ],
)
def test_several_answers(typed: str, meant: tuple[str, ...] | str) -> None:
    """Commas and spaces part answers; the first word that is none is named."""
    assert asked().all_meant(typed) == meant


@pytest.mark.parametrize(
    ("typed", "key", "cancels"),
    [
        *((word, "y", False) for word in ("y", "Yes", "ok", "是", "好", "1", "conf")),
        *((word, "n", False) for word in ("n", "NO", "否", "不", "2", "cancel")),
        *((word, None, True) for word in ("q", "Quit", "exit", "退出")),
        *((word, None, False) for word in ("x", "3", "nope", "yes!", "不是吧")),
    ],
)
def test_words_for_yes_and_no(typed: str, key: str | None, cancels: bool) -> None:
    """Yes and no may be said in both languages; words to leave count where they are no answer."""
    choices = (Choice("y", say("Confirm")), Choice("n", say("Cancel")))
    question = inquiry(say("Apply?"), choices, ("y",), PLAIN, several=False)
    assert question.meant(typed) == key
    assert question.cancels(typed) is cancels


@given(st.lists(st.sampled_from(KEYS)))
def test_something_is_always_marked(toggles: Sequence[str]) -> None:
    """However answers are marked and unmarked, one is, and the one for all is so alone."""
    question = asked()
    marked: tuple[str, ...] = ("all",)
    for key in toggles:
        before, marked = marked, question.toggled(marked, key)
        assert marked
        assert ("all" in marked) == (marked == ("all",))
        if key != "all":
            assert (key in marked) is (key not in before)
        assert list(marked) == [one for one in KEYS if one in marked]


@given(st.text())
def test_nothing_typed_is_a_bug(typed: str) -> None:
    """Whatever is typed means known answers, or is said to mean none."""
    question = asked()
    assert question.meant(typed) in (None, *KEYS)
    meant = question.all_meant(typed)
    assert isinstance(meant, str) or set(meant) <= set(KEYS)
    assert meant != ()
