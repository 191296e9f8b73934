"""The command that says what a rule means: explain."""

from collections.abc import Iterator

import click

from gitwfp.cli import findings as f
from gitwfp.cli.app import App, Result
from gitwfp.cli.command import command
from gitwfp.cli.look import Look, Style, pad
from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.model.findings import Dimension
from gitwfp.verify.reportfile import DIMENSIONS
from gitwfp.verify.rule import Rule
from gitwfp.verify.run import find_rule, rules


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
