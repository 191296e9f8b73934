"""What the commands that change plans share: their options, and what they answer."""

from collections.abc import Iterable, Sequence

from gitwfp.change.kinds import sentence
from gitwfp.classes import replace
from gitwfp.cli.answers import StepLine
from gitwfp.cli.command import Result
from gitwfp.cli.lines import change, rollback_command
from gitwfp.cli.look import Look, Style, visible
from gitwfp.errors import Severity, Text, say
from gitwfp.flows.ui import Stage
from gitwfp.flows.work import Outcome, as_diagnostic, changed_files


def result_of(outcome: Outcome, name: str, stages: Sequence[Stage] = ()) -> Result:
    """Returns what a command that changes a plan answers.

    Args:
        outcome: What it did.
        name: The command.
        stages: The steps it took.
    """
    older = tuple(as_diagnostic(finding, Severity.NOTE) for finding in outcome.older)
    steps = tuple(StepLine(one.name, "completed" if one.done else "pending") for one in stages)
    return Result(
        replace(change(outcome, name), steps=steps),
        lambda look: _summary(outcome, look),
        diagnostics=(*outcome.notices, *older),
        stands=_stands(outcome),
    )


def _stands(outcome: Outcome) -> Text | None:
    if not outcome.written:
        return None
    return say(
        "The change itself is made: {replan} is commit {commit}.",
        replan=outcome.stamp.replan,
        commit=outcome.commit,
    )


def _summary(outcome: Outcome, look: Look) -> Iterable[str]:
    if not outcome.changed:
        yield look.say(say("Nothing changed."))
        return
    if not outcome.written:
        yield look.say(say("Nothing was written (dry run)."))
        return
    yield look.paint(look.say(_headline(outcome)), Style.HEADING)
    if not _is_new(outcome):
        for changed in outcome.changes.of_intent.changes:
            yield f"  {look.say(sentence(changed))}"
    for label, value in _facts(outcome):
        if value:
            yield f"  {look.say(label)}: {visible(value)}"


def _is_new(outcome: Outcome) -> bool:
    """Tells whether the session was not there before, so that no field of it is news."""
    before = None if outcome.draft is None else outcome.draft.before
    return before is not None and not before.source.paths and not outcome.changes.added


def _headline(outcome: Outcome) -> Text:
    if _is_new(outcome):
        return say("Session {session} is started.", session=outcome.ref.id)
    if outcome.landed is None:
        return say("{replan} is on its branch.", replan=outcome.stamp.replan)
    return say("{replan} is done.", replan=outcome.stamp.replan)


def _facts(outcome: Outcome) -> list[tuple[Text, str]]:
    draft = outcome.draft
    proposal = draft.proposal if draft is not None else None
    changes = outcome.changes
    command_back = rollback_command(outcome)
    facts = [
        (say("Commit"), outcome.commit or ""),
        (say("Branch"), outcome.branch or ""),
        (say("Backup"), outcome.backup or ""),
        (say("Checkpoint"), outcome.checkpoint or ""),
        (say("Scope"), proposal.scope.value if proposal is not None else ""),
        (say("Added"), ", ".join(changes.added)),
        (say("Updated"), ", ".join(changes.updated)),
        (say("Deleted"), ", ".join(changes.deleted)),
        (say("Folder"), outcome.ref.folder),
        (say("Files"), ", ".join(changed_files(outcome.ref, draft.edits)) if draft else ""),
    ]
    if command_back is not None:
        facts.append((say("To take it back"), command_back))
    elif outcome.branch is not None:
        facts.append((say("To land it"), f"git wfp land {outcome.branch}"))
    return facts
