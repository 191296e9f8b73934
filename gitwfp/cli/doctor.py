"""The command that looks at everything that commands rely on: doctor."""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Final

from gitwfp.cli.command import App, Result, command, option
from gitwfp.cli.console import place
from gitwfp.cli.look import Look, Style
from gitwfp.cli.options import YES
from gitwfp.cli.setup_answers import CheckLine, Doctor
from gitwfp.cli.tolerant import read_settings, tolerant_surroundings
from gitwfp.errors import ExitCode, Refusal, Text, say, say_n
from gitwfp.flows.doctor import examine, repair
from gitwfp.flows.doctor.check import Check, Fix, Grade, looked, refused
from gitwfp.flows.doctor.program import git, libraries, python

_MARKS: Final[dict[Grade, tuple[Text, Style]]] = {
    Grade.OK: (say("ok"), Style.ADDED),
    Grade.NOTE: (say("note"), Style.QUIET),
    Grade.WARNING: (say("warning"), Style.WARNING),
    Grade.ERROR: (say("error"), Style.ERROR),
}

_DONE: Final[dict[Fix, Text]] = {
    Fix.JOURNAL: say("What the interrupted command left is settled."),
    Fix.PENDING: say("What commands that died have left is dropped."),
    Fix.IGNORE: say("The exception to the ignore rule is written."),
}


@command(
    "doctor",
    help=say("Looks at everything that commands rely on, and says what to do."),
    examples=("git wfp doctor", "git wfp doctor --fix"),
    notes=(
        say(
            "Nothing is changed without --fix, which asks before each thing and does only what is "
            "safe. The exit code is 1 when anything is worse than a note."
        ),
    ),
)
@option("--fix", is_flag=True, help=say("Put right what is safe to put right; asks each time."))
@YES
def doctor(app: App, fix: bool, yes: bool) -> Result:
    """Answers `git wfp doctor`."""
    if fix and not yes and not app.console.interactive:
        raise Refusal(
            "needs-answer",
            say("There is nobody to ask what may be put right."),
            ExitCode.USAGE,
            hint=say("Answer beforehand with {flag}.", flag="--yes"),
        )
    programs = [
        *looked("python", python),
        *looked("libraries", libraries),
        *looked("git-version", partial(git, app.folder, app.environ)),
    ]
    with ExitStack() as stack:
        try:
            env, told = stack.enter_context(tolerant_surroundings(app))
        except Refusal as refusal:
            expected = say("Git works in this folder.")
            why = say("Plans live in a git repository.")
            return _result((*programs, refused("repository", refusal, expected, why)), ())
        checks = tuple(examine(env, told))
        fixed: tuple[Fix, ...] = ()
        if fix:
            fixed = repair(env, checks, yes=yes)
            if fixed:
                checks = tuple(examine(env, read_settings(app, env.repo)[1]))
        return _result((*programs, *checks), fixed)


def _result(checks: Sequence[Check], fixed: tuple[Fix, ...]) -> Result:
    healthy = not any(check.is_bad for check in checks)
    data = Doctor(healthy, tuple(map(_line, checks)), tuple(one.value for one in fixed))
    return Result(
        data,
        lambda look: _lines(checks, fixed, look),
        ExitCode.DONE if healthy else ExitCode.NEGATIVE,
        pages=True,
    )


def _line(check: Check) -> CheckLine:
    return CheckLine(
        check.code,
        check.grade.value,
        check.observed,
        check.expected,
        check.why,
        check.remedy,
        check.location,
        None if check.fix is None else check.fix.value,
    )


def _lines(checks: Sequence[Check], fixed: tuple[Fix, ...], look: Look) -> Iterable[str]:
    for one in fixed:
        yield look.say(_DONE[one])
    for check in checks:
        word, style = _MARKS[check.grade]
        mark = look.paint(f"[{look.say(word)}]", style)
        yield f"{mark} {place(check.location)}{look.say(check.observed)}"
        if check.is_bad:
            yield "    " + look.say(say("Expected: {what}", what=check.expected))
            yield "    " + look.say(say("Why: {what}", what=check.why))
        if check.remedy is not None and check.grade is not Grade.OK:
            yield "    " + look.paint(look.say(say("To do: {what}", what=check.remedy)), Style.HINT)
    bad = sum(check.is_bad for check in checks)
    if bad:
        told = say_n("{count} thing needs care.", "{count} things need care.", bad)
    else:
        told = say("All is well.")
    yield look.paint(look.say(told), Style.HEADING)
    if any(check.fix is not None for check in checks):
        yield look.say(say("git wfp doctor --fix puts right what is safe to put right."))
