"""Which entries of a task a statement means, and what becomes of them.

A removal or replacement fits an entry clearly or not at all; what fits is found here, what is then
done about it is decided in `edits`.
"""

import re
from collections.abc import Callable
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.model import fields as f
from gitwfp.model.words import share_of, weight_of
from gitwfp.policy.lists import plain
from gitwfp.policy.request.grammar import Lazy
from gitwfp.policy.request.pathwords import KnownPaths, Trust, only_paths
from gitwfp.policy.request.replacing import LISTS, Ended, Kept, Removed, Replaced, without_use
from gitwfp.policy.request.values import Revalued, with_value
from gitwfp.policy.request.words import (
    Entry,
    Match,
    best_match,
    can_stand_for,
    is_value_for,
    put_in_place,
    tidy,
)

HeldEdit = Removed | Replaced | Revalued | Kept | Ended
"""What a statement may say of an entry that there is."""

_TELLING: Final = 2.5
_NEARLY: Final = 0.54
_MOSTLY: Final = 0.6
_SEVERAL: Final = Lazy(r"\b(?:and|or)\b|[,;，；、和与及或]", re.IGNORECASE)
_NARROWS: Final = Lazy(
    r"\b(?:for|to|when|if|on|in|at|during|until|without|with|from|by|after|before|than)\b"
    r"|[给对向为在当]|时|之前|之后",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class NoEntry:
    """Words that mean no entry clearly, and what they came near to."""

    words: str
    match: Match


Replacements = tuple[tuple[Entry, str], ...]
"""Entries and what becomes of each."""


class EntryFinder:
    """Finds entries of one task.

    Args:
        left: Returns the entries of a list that nothing was said against.
        known: Which paths the tree has.
        with_steps: Whether implementation steps are looked at where no list is named.
    """

    def __init__(
        self, left: Callable[[str], tuple[str, ...]], known: KnownPaths, *, with_steps: bool
    ) -> None:
        self._left = left
        self._known = known
        self._with_steps = with_steps

    def has(self, edit: HeldEdit) -> bool:
        """Tells whether the task has the entry that an edit is about, or one of several like it."""
        match edit:
            case Kept():
                return self.keeps(edit)
            case Ended():
                return bool(self.ended(edit).found)
            case Removed():
                found = self.removed(edit)
                return bool(found.found or found.rivals)
            case Replaced():
                replaced = self.replaced(edit)
                return not isinstance(replaced, NoEntry) or bool(replaced.match.rivals)
            case Revalued():
                return bool(self.revalued(edit))

    def removed(self, edit: Removed) -> Match:
        """Finds the entry that is to go."""
        return self._whole(self._match(edit.fields, edit.words), edit.words)

    def ended(self, edit: Ended) -> Match:
        """Finds the entry that a statement ends; one that says less ends no more than a part.

        "No longer export orders for guests" leaves "Export orders" as it is.
        """
        match = self.removed(edit.removed)
        words = edit.removed.words
        if all(share_of(words, entry.text) >= 1.0 for entry in match.found):
            return match
        return Match((), (), ()) if _NARROWS.search(words) else match

    def nearly_ended(self, edit: Ended) -> Match | None:
        """Finds what a statement about the end of something comes near to and does not name."""
        match = self.ended(edit)
        words = edit.removed.words
        is_near = weight_of(words) >= 2 and any(
            share_of(words, entry.text) >= _NEARLY for entry in match.nearest
        )
        return match if match.rivals or is_near else None

    def keeps(self, edit: Kept) -> bool:
        """Tells whether the task has what a statement says is not to go."""
        match = best_match(edit.removed.words, self._entries(edit.removed.fields), is_topic=True)
        return bool(match.found or match.rivals)

    def revalued(self, edit: Revalued) -> Replacements:
        """Finds the entry that gets another value."""
        found = with_value(self.texts(), edit)
        return (found,) if found is not None else ()

    def texts(self) -> tuple[Entry, ...]:
        """Returns the entries that are sentences."""
        return tuple(each for each in self._entries(LISTS) if each.field != f.FOCUS_PATHS)

    def replaced(self, edit: Replaced) -> Replacements | NoEntry:
        """Finds the entry that gives way, reading the statement in each way it can be read."""
        entries = self._entries(edit.fields)
        nearest: NoEntry | None = None
        for old, new in edit.choices:
            match = self._match(edit.fields, old)
            found = match.found or self._only_place(entries, old, new)
            made = [
                (
                    entry,
                    self._replaced(entry, old, new, edit.whole, may_be_new=edit.may_be_new),
                )
                for entry in found
            ]
            texts = tuple((entry, text) for entry, text in made if text)
            if found and len(texts) == len(found):
                return texts
            nearest = nearest or NoEntry(old, match)
        return nearest or NoEntry(edit.whole, Match((), (), ()))

    def is_foreign(self, words: str) -> bool:
        """Tells whether words say much and none of it stands in the task: they name no entry."""
        return weight_of(words) >= _TELLING and not any(
            share_of(words, entry.text) for entry in self._entries(LISTS)
        )

    def speaks_of(self, words: str) -> bool:
        """Tells whether all of some words stand in one entry."""
        return any(share_of(words, entry.text) >= 1.0 for entry in self._entries(LISTS))

    def _entries(self, fields: tuple[str, ...]) -> tuple[Entry, ...]:
        if fields == LISTS and self._with_steps:
            fields = (*fields, f.IMPLEMENTATION)
        return tuple(Entry(name, text) for name in fields for text in self._left(name))

    def _match(self, fields: tuple[str, ...], words: str) -> Match:
        """Finds the entry that words mean.

        Paths are named by paths, never by words that stand in them; where the list is named,
        the entry's topic is enough.
        """
        paths = self._entries((f.FOCUS_PATHS,))
        if f.FOCUS_PATHS in fields and only_paths(words, self._known, Trust.EXPECTED):
            wanted = path_key(words.strip("`\"'"))
            keys = {entry: path_key(entry.text) for entry in paths}
            exact = [entry for entry in paths if keys[entry] == wanted]
            fits = exact or [entry for entry in paths if keys[entry].endswith("/" + wanted)]
            if fits:
                return Match(tuple(fits[:1]) if len(fits) == 1 else (), tuple(fits[1:]), ())
            if fields != LISTS and "/" in wanted:
                return Match((), (), paths)
        if fields != LISTS:
            return best_match(words, self._entries(fields), is_topic=True)
        texts = tuple(each for each in self._entries(fields) if each.field != f.FOCUS_PATHS)
        return best_match(words, texts)

    def _whole(self, match: Match, words: str) -> Match:
        """Returns a match without entries of which only one of several things is named.

        "Remove the weekly report" does not take "Offer daily and weekly reports" away.
        """
        if any(_SEVERAL.search(e.text) and share_of(e.text, words) < _MOSTLY for e in match.found):
            return Match((), (), match.found)
        return match

    def _replaced(
        self, entry: Entry, old: str, new: str, whole: str, *, may_be_new: bool
    ) -> str | None:
        """Returns what an entry becomes, or None when the new words are too few to stand for it."""
        if entry.field == f.FOCUS_PATHS:
            paths = only_paths(without_use(new), self._known, Trust.EXPECTED)
            return paths[0] if len(paths) == 1 else None
        if plain(entry.text) == plain(old):
            return tidy(new)
        if is_value_for(old, new):
            # "change the timeout to 15 minutes" says all of the new entry.
            says_both = plain(old) in plain(whole) and can_stand_for(new, entry.text)
            return tidy(new) if says_both else whole
        placed = put_in_place(entry.text, old, without_use(new))
        if placed is not None or not can_stand_for(new, entry.text):
            return placed
        # "VAT changes to being charged by ..." names its subject in front only.
        return whole if may_be_new and not share_of(old, new) else tidy(new)

    def _only_place(self, entries: tuple[Entry, ...], old: str, new: str) -> tuple[Entry, ...]:
        """Finds the one entry in which the old words stand and the new ones can take over."""
        if is_value_for(old, new):
            return ()
        texts = [entry for entry in entries if entry.field != f.FOCUS_PATHS]
        places = [entry for entry in texts if put_in_place(entry.text, old, without_use(new))]
        return (places[0],) if len(places) == 1 else ()


def path_key(path: str) -> str:
    """Returns the form in which two paths are compared."""
    return path.rstrip("/").removeprefix("./")
