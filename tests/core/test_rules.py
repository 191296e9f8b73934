"""Every rule finds its own trouble, says it well, and is silent on a plan that is good."""

from typing import TYPE_CHECKING

import pytest

from gitwfp.errors import Refusal
from gitwfp.model.findings import TIERS, Dimension, GateDecision, Level, Waiver
from gitwfp.verify.run import find_rule, rules, verify
from tests.core.damages import DAMAGES, FOLDER, facts_of, good

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.core.damages import Files

CASES = [(rule, at) for rule, damages in DAMAGES.items() for at in range(len(damages))]


def test_a_good_plan_has_no_finding() -> None:
    """Nothing is found where nothing is wrong."""
    report = verify(facts_of(good()))
    assert [(one.rule, str(one.message)) for one in report.findings] == []
    assert report.decision is GateDecision.PROCEED
    assert report.coverage == 100
    assert report.tiers == (1, 2, 3, 4)
    assert report.notes == ()


def test_every_rule_has_a_damage() -> None:
    """No rule is without a plan that shows it."""
    assert {rule.id for rule in rules()} == set(DAMAGES)


@pytest.mark.parametrize(("name", "at"), CASES, ids=[f"{name}-{at}" for name, at in CASES])
def test_a_rule_finds_its_damage(name: str, at: int) -> None:
    """The damage is found by the rule that is for it, and by its id when looked at again."""
    files = good()
    DAMAGES[name][at](files)
    rule = find_rule(name)
    assert rule is not None
    found = list(rule.findings(facts_of(files)))
    assert found
    assert [one.id for one in found] == [one.id for one in rule.findings(facts_of(files))]
    assert len({one.id for one in found}) == len(found)
    for one in found:
        assert one.dimension is rule.dimension
        assert str(one.message).strip()
        assert one.recommendation
        assert one.id[0] == one.level.value[0]
        assert one.id[1:].isdigit()


def test_every_rule_is_documented() -> None:
    """Each says what it finds, why, an example and a remedy, in whole sentences."""
    for rule in rules():
        for text in (rule.finds, rule.why, rule.example, rule.remedy):
            assert str(text).endswith((".", ".”", '".')), (rule.id, str(text))
        assert rule.inputs


def test_every_dimension_has_rules() -> None:
    """No dimension is empty, and the tiers hold each once."""
    assert {rule.dimension for rule in rules()} == set(Dimension)
    assert sorted(d for tier in TIERS for d in tier) == sorted(Dimension)


def damaged(*names: str) -> "Files":
    """Returns the good plan with some damages, the first of each rule."""
    files = good()
    for name in names:
        change: Callable[[Files], None] = DAMAGES[name][0]
        change(files)
    return files


@pytest.mark.parametrize(
    ("name", "decision"),
    [
        ("dangling-dependency", GateDecision.BLOCK_EXECUTION),
        ("done-before-its-dependency", GateDecision.PROCEED_WITH_FIXES),
        ("no-acceptance", GateDecision.PROCEED_WITH_CAUTION),
        ("redundant-dependency", GateDecision.PROCEED),
    ],
)
def test_the_worst_finding_decides(name: str, decision: GateDecision) -> None:
    """One critical finding blocks, one high one asks for fixes, and so on."""
    assert verify(facts_of(damaged(name))).decision is decision


def test_a_critical_finding_on_intent_ends_early() -> None:
    """Tiers 3 and 4 are not looked at when the plan is not what was asked for."""
    report = verify(facts_of(damaged("excluded-but-planned", "no-acceptance")))
    assert report.tiers == (1, 2)
    assert all(one.rule != "no-acceptance" for one in report.findings)


def test_a_critical_finding_elsewhere_does_not() -> None:
    """A cycle is no reason not to look at the rest."""
    report = verify(facts_of(damaged("dangling-dependency", "no-acceptance")))
    assert report.tiers == (1, 2, 3, 4)


def test_limits_cut_the_light_ones() -> None:
    """A tier keeps its share, counts what it leaves out, and never leaves out what is critical."""
    files = good()
    steps = [f"src/missing/part{n}.py" for n in range(30)]
    from tests.core.damages import edit

    edit(files, "IMPL-2", lambda value: value["context"].update(focus_paths=steps))
    report = verify(facts_of(files))
    assert report.counts[Level.MEDIUM] == 30
    assert len(report.findings) == 20
    assert report.cut == {3: 10}


def test_a_waived_finding_does_not_count() -> None:
    """It is listed as waived, with the reason, until its last day has passed."""
    files = damaged("no-acceptance")
    [finding] = verify(facts_of(files)).findings
    waiver = Waiver(*finding.key, reason="spike", by="Ada", until="2026-01-31")
    report = verify(facts_of(files), waivers=[waiver], today="2026-01-31")
    assert report.findings == ()
    assert [one.finding.id for one in report.waived] == [finding.id]
    assert report.decision is GateDecision.PROCEED
    later = verify(facts_of(files), waivers=[waiver], today="2026-02-01")
    assert [one.id for one in later.findings] == [finding.id]
    assert [one.code for one in later.notes] == ["waiver-ended"]


def test_missing_inputs_are_said_and_do_not_fail() -> None:
    """Notes and analyses may be absent; a missing plan document is an error."""
    files = good()
    del files[f"{FOLDER}/planning-notes.md"]
    del files[f"{FOLDER}/.brainstorming/harbour-master/analysis.md"]
    report = verify(facts_of(files))
    assert [one.code for one in report.notes] == ["input-missing"]
    del files[f"{FOLDER}/IMPL_PLAN.md"]
    with pytest.raises(Refusal, match=r"IMPL_PLAN\.md"):
        verify(facts_of(files))


def test_no_task_is_an_error() -> None:
    """A session without tasks has no plan to verify."""
    files = {path: text for path, text in good().items() if "/.task/" not in path}
    with pytest.raises(Refusal, match="no task"):
        verify(facts_of(files))


def test_the_order_of_files_changes_nothing() -> None:
    """The report is a function of the plan, byte for byte."""
    files = damaged("overlapping-tasks", "parallel-writes", "title-drift")
    backwards = dict(reversed(list(files.items())))
    assert verify(facts_of(files)) == verify(facts_of(backwards))
