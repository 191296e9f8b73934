"""`git wfp blame`: where each fact of a task comes from."""

from collections.abc import Iterable
from itertools import groupby

import click

from gitwfp.cli.command import App, Result, command, option
from gitwfp.cli.comparisons import Blame, BlameLine
from gitwfp.cli.history import session_in_history
from gitwfp.cli.lines import iso_time, log_line
from gitwfp.cli.look import Look, Style, cells, fit, pad, visible
from gitwfp.cli.options import SESSION_HELP
from gitwfp.cli.surroundings import surroundings
from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.files.codec import read_plan
from gitwfp.flows.blame import Fact
from gitwfp.flows.blame import blame as find_origins
from gitwfp.model import fields as f
from gitwfp.model.values import strings, thaw


@command(
    "blame",
    help=say("Shows which replan or commit gave each fact of a task its present form."),
    examples=("git wfp blame IMPL-3", "git wfp blame IMPL-3 requirements"),
)
@click.argument("task")
@click.argument("field", required=False)
@option("--session", "-s", metavar="WFS-x", help=SESSION_HELP)
@option("--at", metavar="REV|DATE", help=say("As it stood at a revision or a date."))
def blame(app: App, task: str, field: str | None, session: str | None, at: str | None) -> Result:
    """Answers `git wfp blame`."""
    with surroundings(app) as env:
        source, ref = session_in_history(env, at, session)
        if source.commit is None:
            raise Refusal(
                "no-history",
                say("There is no commit yet, so nothing has a history."),
                ExitCode.NOT_FOUND,
                hint=say("git wfp status shows the plan as it stands."),
            )
        plan = read_plan(source.tree, ref)
        facts = find_origins(env, ref, plan, source.commit, task, field)
        found = plan.task(task)
        data = Blame(
            ref.id,
            task if found is None else found.id,
            source.commit,
            tuple(_line(fact) for fact in facts),
        )
        return Result(data, lambda look: _lines(facts, look), pages=True)


def _line(fact: Fact) -> BlameLine:
    record = None if fact.record is None else log_line(fact.record)
    return BlameLine(f.label(fact.field), thaw(fact.value), record)


def _lines(facts: tuple[Fact, ...], look: Look) -> Iterable[str]:
    origins = {id(fact): _origin(fact, look) for fact in facts}
    width = max(map(cells, origins.values()), default=0)
    for field, group in groupby(facts, key=lambda fact: fact.field):
        yield look.paint(visible(f.label(field)), Style.HEADING)
        for fact in group:
            text = " ".join(strings(fact.value))
            line = f"  {pad(origins[id(fact)], width)}  {visible(text)}"
            yield line if look.columns is None else fit(line, look.columns, mark=look.mark)


def _origin(fact: Fact, look: Look) -> str:
    if fact.record is None:
        return look.say(say("before this history"))
    info = fact.record.info
    name = info.author.rpartition(" <")[0]
    return f"{info.id[:10]} {iso_time(info.time)[:10]} {visible(name)}"
