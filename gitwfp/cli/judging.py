"""What the gate answers, whoever has understood its words."""

import os
import sys
from collections.abc import Callable, Iterator
from typing import Final

from gitwfp.cli.app import App, Result
from gitwfp.cli.gate_answers import Gate, RefLine
from gitwfp.cli.look import Look, Style, visible
from gitwfp.cli.reportlines import report_line
from gitwfp.cli.tolerant import tolerant_surroundings
from gitwfp.errors import Diagnostic, ExitCode, Refusal, Severity, say
from gitwfp.flows import gate as flow
from gitwfp.flows.env import Env
from gitwfp.flows.judgement import Outcome, Verdict
from gitwfp.flows.passed import note_passed
from gitwfp.flows.verify import Verified
from gitwfp.git.hooktext import PROBE
from gitwfp.model.findings import Finding, decision_of
from gitwfp.verify.reportfile import place_of

_MOST: Final = 10


def pre_push(app: App, remote: str | None) -> Result:
    """Answers `git wfp gate pre-push`.

    Args:
        app: The surroundings.
        remote: The remote; None where pre-commit says it in its variables.

    Raises:
        Refusal: Only whether the hook is reached was asked (negative).
    """
    token = app.environ.get(PROBE)
    if token is not None:
        raise Refusal("probe", say("git-wfp is reached ({token})", token=token), ExitCode.NEGATIVE)
    if remote is None:
        return _answer(app, "pre-push", lambda env: flow.by_variables(env, app.environ))

    def judge(env: Env) -> tuple[Verdict, ...]:
        found = flow.pre_push(env, remote, _lines_of_git())
        note_passed(env, found, app.environ)
        return found

    return _answer(app, "pre-push", judge)


def pre_receive(app: App) -> Result:
    """Answers `git wfp gate pre-receive`."""
    return _answer(app, "pre-receive", lambda env: flow.pre_receive(env, _lines_of_git()))


def commit_range(app: App, base: str, tip: str) -> Result:
    """Answers `git wfp gate range`."""
    return _answer(app, "range", lambda env: flow.commit_range(env, base, tip))


def _lines_of_git() -> bytes:
    return b"" if sys.stdin is None or sys.stdin.closed else sys.stdin.buffer.read()


def _answer(app: App, name: str, judge: Callable[[Env], tuple[Verdict, ...]]) -> Result:
    with tolerant_surroundings(app) as (env, _):
        try:
            verdicts = judge(env)
        except Refusal as refusal:
            if refusal.exit_code is not ExitCode.ENVIRONMENT or not flow.is_lenient(env):
                raise
            return _unjudged(name, refusal)
        except Exception as error:
            bug = _bug(error, app, env)
            if not flow.is_lenient(env):
                raise bug from error
            return _unjudged(name, bug)
        return _result(name, verdicts)


def _bug(error: Exception, app: App, env: Env) -> Refusal:
    from gitwfp.cli.crash import as_refusal

    words = ("gate",)
    told = as_refusal(error, words, app.folder, os.environ, env.now())
    return Refusal(
        "gate-bug",
        told.message,
        ExitCode.ENVIRONMENT,
        hint=say("The push could not be judged. git push --no-verify goes past the gate once."),
    )


def _unjudged(name: str, refusal: Refusal) -> Result:
    """Returns the answer where nothing could be judged and that is to be let through."""
    told = Diagnostic(
        refusal.code, refusal.message, Severity.WARNING, refusal.location, refusal.hint
    )
    return Result(Gate(name, True, False, ()), diagnostics=(told, *refusal.details, _let_through()))


def _let_through() -> Diagnostic:
    return Diagnostic(
        "not-judged",
        say("What could not be judged is let through, as gate.on_error says."),
        Severity.WARNING,
    )


def _result(name: str, verdicts: tuple[Verdict, ...]) -> Result:
    passes = all(one.passes for one in verdicts)
    unjudged = [one for one in verdicts if one.outcome is Outcome.COULD_NOT_JUDGE]
    blocked = [one for one in verdicts if not one.passes]
    told: dict[Diagnostic, None] = {}
    for one in verdicts:
        told.update(dict.fromkeys(one.notices))
    notices = [*told]
    if any(one.passes for one in unjudged):
        notices.append(_let_through())
    code = ExitCode.DONE
    if not passes:
        is_broken = any(one.outcome is not Outcome.COULD_NOT_JUDGE for one in blocked)
        code = ExitCode.NEGATIVE if is_broken else ExitCode.ENVIRONMENT
        notices.extend(_stopped(name, blocked, is_broken=is_broken))
    data = Gate(name, passes, not unjudged, tuple(_ref_line(one) for one in verdicts))
    return Result(data, lambda look: _lines(verdicts, look), code, tuple(notices))


def _stopped(name: str, blocked: list[Verdict], *, is_broken: bool) -> Iterator[Diagnostic]:
    if not is_broken:
        message = say("The push is stopped, because it could not be judged.")
        yield Diagnostic("push-not-judged", message, Severity.ERROR)
    else:
        sessions = [one for verdict in blocked for one in verdict.sessions if not one.passes]
        message = say("The push is stopped: a plan in it does not pass the gate.")
        if name == "range":
            message = say("The range does not pass the gate.")
        hint = None
        if sessions:
            from shlex import quote

            hint = say(
                "Put it right and commit (git wfp replan --from-findings mends some of it), or "
                'live with a finding: git wfp waive {id} --session {session} --reason "...".',
                id=_counting(sessions[0])[0].id,
                session=quote(sessions[0].plan.ref.id),
            )
        yield Diagnostic("push-stopped", message, Severity.ERROR, hint=hint)
    if name == "pre-push":
        yield Diagnostic(
            "gate-bypass", say("git push --no-verify goes past the gate once."), Severity.NOTE
        )


def _ref_line(one: Verdict) -> RefLine:
    return RefLine(
        one.update.ref,
        one.outcome.value,
        one.passes,
        one.commit,
        one.base,
        one.policy.value,
        tuple(report_line(session) for session in one.sessions),
        one.reasons,
    )


def _lines(verdicts: tuple[Verdict, ...], look: Look) -> Iterator[str]:
    shown: set[tuple[str | None, tuple[str, ...]]] = set()
    for one in verdicts:
        if one.passes and one.outcome is not Outcome.JUDGED:
            continue
        ref = visible(one.update.ref)
        for session in one.sessions:
            style = Style.ADDED if session.passes else Style.ERROR
            report = session.report
            yield look.paint(f"{ref}: {visible(report.session)}: {report.decision}", style)
            if not session.passes and (one.commit, one.base) not in shown:
                yield from _finding_lines(session, look)
        for reason in one.reasons:
            yield look.paint(f"{ref}: {look.say(reason.message)}", Style.ERROR)
            if reason.hint is not None:
                yield "  " + look.paint(look.say(reason.hint), Style.HINT)
        shown.add((one.commit, one.base))


def _finding_lines(session: Verified, look: Look) -> Iterator[str]:
    found = _counting(session)
    for finding in found[:_MOST]:
        place = visible(place_of(session.plan.ref, finding))
        yield f"  {finding.id}  {finding.level}  {finding.rule}  {place}"
        yield f"      {look.say(finding.message)}"
        if finding.recommendation is not None:
            yield "      " + look.paint(look.say(finding.recommendation), Style.HINT)
    if len(found) > _MOST:
        more = say("and {count} more: git wfp verify", count=len(found) - _MOST)
        yield "  " + look.say(more)


def _counting(session: Verified) -> list[Finding]:
    """Returns the findings that keep a session from passing: those of the decision's level."""
    found, decision = session.report.findings, session.report.decision
    return [one for one in found if decision_of((one.level,)) is decision] or list(found)
