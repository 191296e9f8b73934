"""Verification of one plan: the rules tier by tier, what is waived, the limits, the report.

Tiers, limits and the early end are those of the verification that plans of this format are
written for: nothing is cut from tier 1, of the others 15, 20 and 15 findings are kept, and 50 of
all together; a critical finding is never cut. A critical finding on intent or coverage ends the
verification before tiers 3 and 4.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Final

from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, say
from gitwfp.model.findings import (
    LEVELS,
    TIERS,
    Dimension,
    Finding,
    Level,
    Report,
    Waived,
    Waiver,
    tier_of,
)
from gitwfp.model.plan import IMPL_PLAN, PLANNING_NOTES, SESSION_JSON, Place
from gitwfp.model.task import id_key
from gitwfp.verify.facts import Facts
from gitwfp.verify.rule import INTENT_ALONE, Rule, declared

VERSION: Final = "2"
"""Of the set of rules; results of another version are not comparable."""

MOST: Final = 50
_TIER_LIMITS: Final[Mapping[int, int | None]] = {1: None, 2: 15, 3: 20, 4: 15}
_ENDING: Final = frozenset({Dimension.INTENT, Dimension.COVERAGE})


Results = dict[str, tuple[Finding, ...]]
"""What rules found that depend on the intent alone, by the rule's id."""


@cache
def rules() -> tuple[Rule, ...]:
    """Returns every rule, in the order of the tiers and, inside of one, of the dimensions."""
    from gitwfp.verify.rules import (  # noqa: F401 - each declares its rules
        consistency,
        constraints,
        context,
        coverage,
        dependencies,
        duplication,
        feasibility,
        intent,
        lists,
        reading,
        specification,
        synthesis,
    )

    order = [dimension for tier in TIERS for dimension in tier]
    return tuple(sorted(declared().values(), key=lambda one: order.index(one.dimension)))


def find_rule(name: str) -> Rule | None:
    """Returns the rule of an id, None if there is none."""
    return next((one for one in rules() if one.id == name), None)


def verify(
    facts: Facts,
    *,
    waivers: Sequence[Waiver] = (),
    today: str = "",
    is_whole: bool = True,
    results: Results | None = None,
) -> Report:
    """Verifies a plan.

    Args:
        facts: What is known of it.
        waivers: Findings that somebody has decided to live with.
        today: The date, `YYYY-MM-DD`, that waivers are held against.
        is_whole: Whether the plan is to be all there; else what is there is verified.
        results: What rules found that need not run again; it takes what others find.

    Returns:
        The report.

    Raises:
        Refusal: There is no IMPL_PLAN.md, or no task at all (plan).
    """
    if is_whole:
        _need_a_plan(facts)
    standing = {one.key: one for one in waivers if one.until is None or one.until >= today}
    kept: list[Finding] = []
    waived: list[Waived] = []
    cut: dict[int, int] = {}
    counts = dict.fromkeys(LEVELS, 0)
    done: list[int] = []
    for number, dimensions in enumerate(TIERS, 1):
        if number > 2 and any(
            one.level is Level.CRITICAL and one.dimension in _ENDING for one in kept
        ):
            break
        found = _sorted(
            finding
            for one in rules()
            if one.dimension in dimensions
            for finding in _found(one, facts, results)
        )
        counting = [one for one in found if one.key not in standing]
        waived.extend(Waived(one, standing[one.key]) for one in found if one.key in standing)
        for one in counting:
            counts[one.level] += 1
        limit = _TIER_LIMITS[number]
        held = _limited(counting, limit)
        cut[number] = len(counting) - len(held)
        kept.extend(held)
        done.append(number)
    shown = _limited(_sorted(kept), MOST)
    for one in kept:
        if one not in shown:
            cut[tier_of(one.dimension)] += 1
    return Report(
        facts.plan.ref.id,
        tuple(shown),
        tuple(waived),
        counts,
        {tier: number for tier, number in cut.items() if number},
        tuple(done),
        _coverage(facts),
        _notes(facts, waivers, today),
    )


def _found(one: Rule, facts: Facts, results: Results | None) -> Iterable[Finding]:
    if results is None or one.inputs != INTENT_ALONE:
        return one.findings(facts)
    if one.id not in results:
        results[one.id] = tuple(one.findings(facts))
    return results[one.id]


def _need_a_plan(facts: Facts) -> None:
    plan = facts.plan
    if not plan.tasks and not plan.problems:
        raise Refusal(
            "no-task",
            say("Session {session} has no task to verify.", session=plan.ref.id),
            ExitCode.REFUSED,
            hint=say("Add the first one: git wfp replan 'add task \"...\"'."),
            location=Location(plan.ref.folder, session=plan.ref.id),
        )
    is_lite = plan.ref.place is Place.LITE
    unread = facts.path(IMPL_PLAN) in plan.source.unreadable
    if IMPL_PLAN not in plan.documents and not is_lite and not unread:
        raise Refusal(
            "no-impl-plan",
            say("Session {session} has no {document}.", session=plan.ref.id, document=IMPL_PLAN),
            ExitCode.REFUSED,
            hint=say("Write one, or restore it with git; a plan is verified against it."),
            location=Location(facts.path(IMPL_PLAN), session=plan.ref.id),
        )


def _sorted(findings: Iterable[Finding]) -> list[Finding]:
    """Returns findings without repetitions, the heaviest first, then by dimension, rule, place."""
    unique = {(one.key, one.message): one for one in findings}
    return sorted(
        unique.values(),
        key=lambda one: (
            LEVELS.index(one.level),
            one.dimension.value,
            one.rule,
            id_key(one.location.task or ""),
            one.subject,
        ),
    )


def _limited(findings: Sequence[Finding], limit: int | None) -> list[Finding]:
    if limit is None:
        return list(findings)
    critical = sum(one.level is Level.CRITICAL for one in findings)
    return list(findings[: max(limit, critical)])


def _coverage(facts: Facts) -> int | None:
    wanted = [one for one in facts.requirements if not one.is_later]
    if not wanted:
        return None
    covered = sum(bool(facts.covering[one.id]) for one in wanted)
    return round(100 * covered / len(wanted))


def _notes(facts: Facts, waivers: Sequence[Waiver], today: str) -> tuple[Diagnostic, ...]:
    """Returns what could not be looked at because it is not there, and waivers that have ended."""
    plan = facts.plan
    notes: list[Diagnostic] = []
    absent = []
    if plan.ref.place is not Place.LITE:
        absent = [name for name in (PLANNING_NOTES,) if name not in plan.documents]
        if not plan.session:
            absent.append(SESSION_JSON)
        if not facts.analyses:
            absent.append(".brainstorming")
    if absent:
        notes.append(
            Diagnostic(
                "input-missing",
                say(
                    "There is no {names}; what depends on it was not looked at.",
                    names=", ".join(absent),
                ),
                Severity.NOTE,
                Location(session=plan.ref.id),
            )
        )
    notes.extend(
        Diagnostic(
            "waiver-ended",
            say("The waiver of {rule} ended on {date}.", rule=one.rule, date=one.until),
            Severity.WARNING,
            Location(session=plan.ref.id, task=one.task),
        )
        for one in waivers
        if one.until is not None and one.until < today
    )
    return tuple(notes)
