"""What verify answers, whoever has understood its words."""

from collections.abc import Iterable, Iterator
from typing import Final

from gitwfp import __version__
from gitwfp.classes import replace
from gitwfp.cli import findings as f
from gitwfp.cli.app import App, Result
from gitwfp.cli.look import Look, Style, cells, pad, visible, wrap
from gitwfp.cli.reportlines import report_line
from gitwfp.cli.surroundings import surroundings
from gitwfp.errors import Diagnostic, ExitCode, Refusal, Severity, say, say_n
from gitwfp.flows.env import Env
from gitwfp.flows.records import Records
from gitwfp.flows.ui import Choice
from gitwfp.flows.verify import Verified, judge, leave_report, sessions_to_verify
from gitwfp.flows.view import Source, source_of
from gitwfp.model.findings import Finding, Level, Report
from gitwfp.verify.annotations import annotations
from gitwfp.verify.reportfile import place_of

_STYLES: Final = {
    Level.CRITICAL: Style.ERROR,
    Level.HIGH: Style.ERROR,
    Level.MEDIUM: Style.WARNING,
    Level.LOW: Style.QUIET,
}


def verify(
    app: App,
    wanted: str | None,
    *,
    every: bool = False,
    at: str | None = None,
    staged: bool = False,
    form: str | None = None,
    no_write: bool = False,
    yes: bool = False,
) -> Result:
    """Answers `git wfp verify`.

    Args:
        app: The surroundings.
        wanted: The session named, if one was.
        every: Every session that is not archived.
        at: The revision to look at.
        staged: Whether the index is looked at.
        form: How it is printed: text, sarif, github or markdown; None for text.
        no_write: Whether no report is written.
        yes: Whether nothing is asked.
    """
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


def one_session(word: str | None, flag: str | None, *, every: bool) -> str | None:
    """Returns the session that is meant.

    Args:
        word: The session named by a word.
        flag: The session named by an option.
        every: Whether all of them are meant.

    Raises:
        Refusal: Several are named in different ways (usage).
    """
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
