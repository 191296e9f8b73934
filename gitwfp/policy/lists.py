"""Edits of text lists: finding the entry that is meant, and applying a `ListEdit`."""

from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Final

from gitwfp.errors import ExitCode, Location, Refusal, say
from gitwfp.patterns import regex
from gitwfp.policy.operations import ListEdit

_SPACE: Final = regex(r"\s+")
_NEAREST: Final = 3


def plain(text: str) -> str:
    """Returns the form in which two entries are compared: case, spaces and a final stop aside."""
    return _SPACE.sub(" ", text).strip().rstrip(".。").strip().casefold()


def find_entry(entries: Iterable[str], wanted: str) -> str | None:
    """Returns the entry that a text names, or None."""
    return next((entry for entry in entries if plain(entry) == plain(wanted)), None)


def nearest_entries(entries: Iterable[str], wanted: str) -> tuple[str, ...]:
    """Returns the entries most like a text, the most like one first."""
    ranked = sorted(
        entries,
        key=lambda entry: SequenceMatcher(None, plain(entry), plain(wanted)).ratio(),
        reverse=True,
    )
    return tuple(ranked[:_NEAREST])


def edit_list(
    entries: tuple[str, ...], edit: ListEdit, *, task: str, field: str
) -> tuple[str, ...]:
    """Returns a list after an edit; an entry that is there already is not added again.

    Args:
        entries: The list as it is.
        edit: What happens to it.
        task: The task it belongs to, for messages.
        field: The field's name, for messages.

    Raises:
        Refusal: An entry to be removed or replaced is not there (plan refused).
    """
    result = list(entries if edit.set is None else dict.fromkeys(edit.set))
    for replacement in edit.replace:
        found = _required(result, replacement.old, task, field)
        if find_entry((entry for entry in result if entry != found), replacement.new) is None:
            result[result.index(found)] = replacement.new
        else:
            result.remove(found)
    for text in edit.remove:
        result.remove(_required(result, text, task, field))
    for text in edit.add:
        if find_entry(result, text) is None:
            result.append(text)
    return tuple(result)


def _required(entries: list[str], wanted: str, task: str, field: str) -> str:
    found = find_entry(entries, wanted)
    if found is not None:
        return found
    nearest = nearest_entries(entries, wanted)
    raise Refusal(
        "no-such-entry",
        say("Task {task} has no entry '{text}' in {field}.", task=task, text=wanted, field=field),
        ExitCode.REFUSED,
        hint=say("The nearest entries are: {entries}", entries=" | ".join(nearest))
        if nearest
        else say("The list is empty."),
        location=Location(task=task, field=field),
    )
