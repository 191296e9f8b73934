"""Commands that judge plans: verify, explain."""

from collections.abc import Iterable, Iterator
from typing import Final

import click

from gitwfp import __version__
from gitwfp.classes import replace
from gitwfp.cli import findings as f
from gitwfp.cli.command import App, Result, command, option
from gitwfp.cli.look import Look, Style, cells, pad, visible, wrap
from gitwfp.cli.options import AT_HELP, SESSION_HELP, STAGED_HELP, YES
from gitwfp.cli.reportlines import report_line
from gitwfp.cli.surroundings import surroundings
from gitwfp.errors import Diagnostic, ExitCode, Refusal, Severity, say, say_n
from gitwfp.flows.env import Env
from gitwfp.flows.records import Records
from gitwfp.flows.ui import Choice
from gitwfp.flows.verify import Verified, judge, leave_report, sessions_to_verify
from gitwfp.flows.view import Source, source_of
from gitwfp.model.findings import Dimension, Finding, Level, Report
from gitwfp.verify.annotations import annotations
from gitwfp.verify.reportfile import DIMENSIONS, place_of
from gitwfp.verify.rule import Rule
from gitwfp.verify.run import find_rule, rules

_STYLES: Final = {
    Level.CRITICAL: Style.ERROR,
    Level.HIGH: Style.ERROR,
    Level.MEDIUM: Style.WARNING,
    Level.LOW: Style.QUIET,
}
_FORMATS: Final = ("text", "sarif", "github", "markdown")


@command(
    "verify",
    help=say("Judges a plan in ten dimensions, and says whether it may be carried out."),
    examples=("git wfp verify", "git wfp verify --all --at main", "git wfp verify --sarif"),
    notes=(
        say("It exits with 1 when the decision is below gate.policy."),
        say(
            "It changes no plan. It writes .process/PLAN_VERIFICATION.md and "
            ".process/verification-findings.json in the session, unless --no-write, --at or "
            "--staged is given."
        ),
        say("git wfp explain RULE says what a rule means; git wfp waive lives with a finding."),
    ),
)
@click.argument("session", required=False)
@option("--session", "-s", "named", metavar="WFS-x", help=SESSION_HELP)
@option("--all", "every", is_flag=True, help=say("Every session that is not archived."))
@option("--at", metavar="REV|DATE", help=AT_HELP)
@option("--staged", is_flag=True, help=STAGED_HELP)
@option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    metavar="FORMAT",
    help=say("How to print it: text, sarif, github (annotations) or markdown."),
)
@option("--sarif", "form", flag_value="sarif", help=say("The same as --format sarif."))
@option("--no-write", is_flag=True, help=say("Writes no report."))
@YES
def verify(
    app: App,
    session: str | None,
    named: str | None,
    every: bool,
    at: str | None,
    staged: bool,
    form: str | None,
    no_write: bool,
    yes: bool,
) -> Result:
    """Answers `git wfp verify`."""
    wanted = _one_session(session, named, every=every)
    with surroundings(app) as env:
        source = source_of(env, at=at, staged=staged)
        while True:
            records = Records(env)
            found, failed = _verified(env, source, wanted, records, every=every)
            if source.name == "worktree" and env.repo.top is not None and not no_write:
                found = tuple(_left(env, one) for one in found)
            result = _result(env, source, found, failed, form or "text")
            if yes or form or not env.ui.interactive or every:
                return result
            if not _again(app, env, result, found):
                return replace(result, lines=lambda _: ())


def _again(app: App, env: Env, result: Result, found: tuple[Verified, ...]) -> bool:
    """Shows the result and asks what to do with it; True to verify again."""
    console = app.console
    console.note(list(result.lines(console.error_look)))
    choices = [
        Choice("done", say("leave it at that")),
        Choice("review", say("show the whole report")),
        Choice("again", say("verify again, after an edit")),
    ]
    while True:
        answer = env.ui.choose(say("What now?"), choices, "done", flag="--yes")
        if answer != "review":
            return answer == "again"
        for one in found:
            console.note(_report_lines(one, console.error_look, whole=True))


def _left(env: Env, one: Verified) -> Verified:
    written, notices = leave_report(env, one)
    return replace(one, written=written, notices=(*one.notices, *notices))


def _one_session(word: str | None, flag: str | None, *, every: bool) -> str | None:
    if sum((word is not None, flag is not None, every)) > 1 and word != flag:
        raise Refusal(
            "two-sessions",
            say("Several sessions are named in different ways."),
            ExitCode.USAGE,
            hint=say("Name one, or give --all."),
        )
    return flag or word


def _verified(
    env: Env, source: Source, wanted: str | None, records: Records, *, every: bool
) -> tuple[tuple[Verified, ...], tuple[Diagnostic, ...]]:
    """Returns what could be verified, and of several sessions why one could not."""
    found: list[Verified] = []
    failed: list[Diagnostic] = []
    for ref in sessions_to_verify(env, source, wanted, every=every):
        try:
            found.append(judge(env, source.tree, ref, records))
        except Refusal as refusal:
            if not every:
                raise
            failed.append(
                Diagnostic(
                    refusal.code, refusal.message, Severity.ERROR, refusal.location, refusal.hint
                )
            )
    told = records.keep()
    if told:
        found[-1] = replace(found[-1], notices=(*found[-1].notices, *told))
    return tuple(found), tuple(failed)


def _result(
    env: Env,
    source: Source,
    found: tuple[Verified, ...],
    failed: tuple[Diagnostic, ...],
    form: str,
) -> Result:
    passes = all(one.passes for one in found) and not failed
    data = f.Verify(
        source.name,
        source.commit,
        env.settings.gate.policy,
        passes,
        tuple(report_line(one) for one in found),
    )
    notices = tuple(notice for one in found for notice in one.notices)
    return Result(
        data,
        lambda look: _lines(env, found, form, look),
        ExitCode.DONE if passes else ExitCode.NEGATIVE,
        (*failed, *notices) if form == "text" else failed,
        pages=form == "text",
    )


def _lines(env: Env, found: tuple[Verified, ...], form: str, look: Look) -> Iterable[str]:
    if form == "sarif":
        from gitwfp.cli.envelope import dump
        from gitwfp.verify.sarif import sarif

        return dump(sarif((one.report for one in found), __version__), indent=2).split("\n")
    if form == "github":
        return [visible(line) for one in found for line in annotations(one.report.findings)]
    if form == "markdown":
        from gitwfp.verify.reportfile import report_text

        return [
            line
            for one in found
            for line in report_text(one.plan.ref, one.report, env.time(), look.speak).split("\n")
        ]
    lines: list[str] = []
    for number, one in enumerate(found):
        lines.extend([""] if number else [])
        lines.extend(_report_lines(one, look, whole=len(found) == 1))
    if not found:
        lines.append(look.say(say("There is no session to verify.")))
    return lines


def _report_lines(one: Verified, look: Look, *, whole: bool) -> Iterator[str]:
    report = one.report
    yield look.paint(f"{visible(report.session)}: {report.decision}", _style(one))
    width = max((cells(finding.id) for finding in report.findings), default=0)
    for finding in report.findings:
        yield from _finding_lines(one, finding, width, look, whole=whole)
    for tier, count in report.cut.items():
        yield "  " + look.say(
            say_n(
                "and {count} more in tier {tier}",
                "and {count} more in tier {tier}",
                count,
                tier=tier,
            )
        )
    yield "  " + _summary(report, look)
    for waived in report.waived:
        text = say("{id} is waived: {reason}", id=waived.finding.id, reason=waived.waiver.reason)
        yield "  " + look.paint(look.say(text), Style.QUIET)


def _style(one: Verified) -> Style:
    if not one.passes:
        return Style.ERROR
    return Style.ADDED if not one.report.findings else Style.HEADING


def _finding_lines(
    one: Verified, finding: Finding, width: int, look: Look, *, whole: bool
) -> Iterator[str]:
    place = visible(place_of(one.plan.ref, finding))
    head = f"  {pad(finding.id, width)}  {finding.level}  {finding.rule}  {place}"
    yield look.paint(head, _STYLES[finding.level])
    columns = None if look.columns is None else max(20, look.columns - 6)
    texts = [look.say(finding.message)]
    if whole and finding.recommendation is not None:
        texts.append(look.paint(look.say(finding.recommendation), Style.HINT))
    for text in texts:
        for line in (text,) if columns is None else wrap(text, columns):
            yield f"      {line}"


def _summary(report: Report, look: Look) -> str:
    parts = [f"{count} {level.value.lower()}" for level, count in report.counts.items() if count]
    text = ", ".join(parts) or look.say(say("nothing was found"))
    if report.coverage is not None:
        text += "; " + look.say(say("requirements covered: {share} %", share=report.coverage))
    if len(report.tiers) < 4:
        text += "; " + look.say(
            say("tiers 3 and 4 were not looked at, because of what is critical")
        )
    return text


@command(
    "explain",
    help=say("Says what a rule of verify means, why, an example, and how to put it right."),
    examples=("git wfp explain circular-dependency", "git wfp explain"),
    notes=(say("Without RULE it lists the rules by dimension."),),
)
@click.argument("rule", required=False)
def explain(app: App, rule: str | None) -> Result:  # noqa: ARG001 - every command is given it
    """Answers `git wfp explain`."""
    if rule is None:
        data = f.Explain(tuple(_rule_line(one) for one in rules()))
        return Result(data, _list_lines, pages=True)
    found = find_rule(rule)
    if found is None:
        raise _no_rule(rule)
    return Result(f.Explain((_rule_line(found),)), lambda look: _rule_lines(found, look))


def _no_rule(wanted: str) -> Refusal:
    from difflib import get_close_matches

    close = get_close_matches(wanted, [one.id for one in rules()])
    return Refusal(
        "rule-not-found",
        say("There is no rule {rule}.", rule=wanted),
        ExitCode.NOT_FOUND,
        hint=say("Did you mean: {names}?", names=", ".join(close))
        if close
        else say("git wfp explain lists the rules."),
    )


def _rule_line(rule: Rule) -> f.RuleLine:
    return f.RuleLine(
        rule.id,
        rule.dimension.value,
        rule.level.value,
        tuple(sorted(one.value for one in rule.inputs)),
        str(rule.finds),
        str(rule.why),
        str(rule.example),
        str(rule.remedy),
        f'git wfp waive {rule.id} --reason "..."',
    )


def _rule_lines(rule: Rule, look: Look) -> Iterator[str]:
    yield look.paint(rule.id, Style.HEADING)
    dimension = look.say(DIMENSIONS[rule.dimension])
    yield f"  {rule.dimension.value}. {dimension}, {rule.level}"
    for label, text in (
        (say("Finds"), rule.finds),
        (say("Why"), rule.why),
        (say("Example"), rule.example),
        (say("Remedy"), rule.remedy),
    ):
        yield f"  {look.say(label)}: {look.say(text)}"
    accept = look.say(say("To live with it"))
    yield f'  {accept}: git wfp waive {rule.id} --reason "..."'


def _list_lines(look: Look) -> Iterator[str]:
    width = max(len(one.id) for one in rules())
    for dimension in Dimension:
        title = f"{dimension.value}. {look.say(DIMENSIONS[dimension])}"
        yield look.paint(title, Style.HEADING)
        for one in rules():
            if one.dimension is dimension:
                yield f"  {pad(one.id, width)}  {pad(one.level, 8)}  {look.say(one.finds)}"
