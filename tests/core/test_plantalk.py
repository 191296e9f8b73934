"""What is said about the plan itself is no requirement; what is said of the software stays one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitwfp.policy.request.chatter import takes_back, why_idle
from gitwfp.policy.request.mentions import mask
from gitwfp.policy.request.plantalk import why_no_requirement
from tests.battery.judge import battery_plan

PLAN = battery_plan()


@pytest.mark.parametrize(
    "words",
    [
        "Don't touch the title",
        "rename it to something shorter",
        "IMPL-003 and IMPL-004 can run in parallel",
        "IMPL-004 must not be deleted",
        "Undo the last change",
        "Claude should not run it",
        "put it at the end of the list",
        "use src/schema instead",
        "不要动标题",
        "优先级调高",
        "放到最前面",
        "IMPL-004 不能删",
    ],
)
def test_words_about_the_plan(words: str) -> None:
    """Such a statement is no requirement, whatever else it may be."""
    assert why_no_requirement(mask(words, PLAN).text) is not None


@pytest.mark.parametrize(
    "words",
    [
        "Show the title of each product",
        "Never change the price of a paid order",
        "Users can undo the last change of their address",
        "The agent of the bank confirms each refund",
        "Orders must be deleted after a year",
        "Acceptance tests run on every push",
        "Requests run in parallel",
        "Split large orders into parcels",
        "标题最多显示两行",
        "优先级高的邮件先发送",
        "报表不能被修改",
        "用户可以撤销上一步操作",
    ],
)
def test_words_about_the_software(words: str) -> None:
    """Such a statement may be a requirement."""
    text = mask(words, PLAN).text
    assert why_no_requirement(text) is None
    assert why_idle(text) is None


@pytest.mark.parametrize(
    ("words", "is_so"),
    [
        ("Never mind", True),
        ("Actually no, don't", True),
        ("Never mind, leave it as it is.", True),
        ("Not yet.", True),
        ("算了，不改了", True),
        ("还是算了", True),
        ("Never mind the colours", False),
        ("Forget the session after an hour", False),
        ("No, use blue", False),
        ("不改了的订单要归档", False),
    ],
)
def test_what_takes_back(words: str, is_so: bool) -> None:
    """Only a whole statement takes back what was said before it."""
    assert takes_back(words) is is_so


def test_wide_ids() -> None:
    """An id that an input method wrote in wide letters is the id; other wide signs stay."""
    wide = {ord(sign): ord(sign) + 0xFEE0 for sign in "IMPL-004"}
    request = f"{'IMPL-004'.translate(wide)}: {'ILP'.translate(wide)}"
    masked = mask(request, PLAN)
    assert [mention.task for mention in masked.mentions] == ["IMPL-004"]
    assert masked.plain(masked.text) == f"IMPL-004: {'ILP'.translate(wide)}"


@given(st.text())
def test_any_words_are_read(words: str) -> None:
    """Whatever is said is one or the other, and no bug."""
    why_no_requirement(words)
    takes_back(words)
