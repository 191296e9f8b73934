"""The rules planner against requests that were written by somebody who had not seen it."""

import sys
from collections import Counter

import pytest

from gitwfp.errors import Refusal
from gitwfp.model.plan import Plan
from gitwfp.planners.rules import RulesPlanner
from tests.battery.judge import (
    ANSWERS,
    TOOLS,
    Request,
    answer_to,
    battery_plan,
    requests,
    verdict,
)

LANGUAGES = ("english", "chinese")
REACHED = 1.0
"""Precision and recall on clear requests, in both languages; the aim is 0.95."""


@pytest.fixture(scope="module")
def plan() -> Plan:
    """Returns the plan that all requests are about."""
    return battery_plan()


def judged(language: str, plan: Plan, *, clear: bool) -> tuple[Counter[str], list[str]]:
    """Counts the effects of a language's requests and lists what is wrong with them."""
    counts: Counter[str] = Counter()
    wrong = []
    for request in requests(language):
        if request["clear"] is clear:
            found, faults = verdict(request, answer_to(request, plan))
            counts += found
            wrong += [f"{request['id']} {request['request']!r}: {fault}" for fault in faults]
    return counts, wrong


@pytest.mark.parametrize("language", LANGUAGES)
def test_clear_requests_do_what_they_say(language: str, plan: Plan) -> None:
    """Precision and recall of what clear requests change do not fall below what was reached."""
    counts, wrong = judged(language, plan, clear=True)
    right = counts["right"]
    precision = right / (right + counts["extra"])
    recall = right / (right + counts["missing"])
    sys.stdout.write(
        f"{language:8} right {right:4} extra {counts['extra']:3} missing {counts['missing']:3}"
        f" precision {precision:.3f} recall {recall:.3f}\n"
    )
    assert min(precision, recall) >= REACHED, "\n".join(wrong)
    assert not wrong


@pytest.mark.parametrize("language", LANGUAGES)
def test_unclear_requests_change_nothing_wrong(language: str, plan: Plan) -> None:
    """What a careful colleague would ask back about changes nothing but its clear parts."""
    counts, wrong = judged(language, plan, clear=False)
    assert counts["extra"] == 0, "\n".join(wrong)
    assert not wrong


@pytest.mark.parametrize("language", LANGUAGES)
def test_operations_say_what_caused_them(language: str, plan: Plan) -> None:
    """Every operation carries words of the request and a reason, and no leftover is lost."""
    for request in requests(language):
        text = "".join(request["request"].split()).casefold()
        for words, reason in causes(request, plan):
            assert reason
            for word in words.replace(";", " ").split():
                assert word.casefold() in text


def causes(request: Request, plan: Plan) -> list[tuple[str, str]]:
    """Returns words and reason of each operation that a request leads to."""
    planner = RulesPlanner(request["request"], request["task"], TOOLS, lambda _: False)
    try:
        planned = planner.plan(plan, ANSWERS, ())
    except Refusal:
        return []
    return [(each.words, each.reason) for each in planned.operations]
