"""Refusals of what a request says of a task."""

from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, say
from gitwfp.model.task import TaskId
from gitwfp.policy.request.words import Match


def no_such_entry(task: TaskId, words: str, match: Match) -> Refusal:
    """Returns the refusal of words that fit no entry of a task clearly, with the nearest ones."""
    if match.found:
        message = say(
            "'{words}' means '{entry}', but it is not clear what that becomes.",
            words=words,
            entry=match.found[0].text,
        )
    elif match.rivals:
        message = say(
            "'{words}' fits more than one entry of task {task}.",
            words=words,
            task=task,
        )
    else:
        message = say("Task {task} has no entry like '{words}'.", words=words, task=task)
    return Refusal(
        "no-such-entry",
        message,
        ExitCode.REFUSED,
        hint=say(
            "Name an entry by its own words, or write 'requirement: ...' if it is a new "
            "requirement."
        ),
        location=Location(task=task),
        details=tuple(
            Diagnostic(
                "nearest-entry",
                say("{field}: {text}", field=entry.field, text=entry.text),
                Severity.NOTE,
                Location(task=task, field=entry.field),
            )
            for entry in (match.rivals or match.nearest)
        ),
    )


def contradiction(task: TaskId, first: str, second: str) -> Refusal:
    """Returns the refusal of a request that says two things of a task which exclude each other."""
    return Refusal(
        "contradiction",
        say(
            "The request contradicts itself about {task}: '{first}' and '{second}'.",
            task=task,
            first=first,
            second=second,
        ),
        ExitCode.USAGE,
        hint=say("Say which of the two is meant; nothing was changed."),
        location=Location(task=task),
    )
