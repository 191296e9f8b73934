"""The edits of one task: what a request says of it, collected into one `UpdateTask`.

Additions that are there already are left out; a removal or replacement has to fit an entry
clearly, or the whole request is refused with the nearest entries.
"""

from collections.abc import Callable
from typing import Final

from gitwfp.errors import Text, say, say_n
from gitwfp.model import fields as f
from gitwfp.model.plan import Plan
from gitwfp.model.task import Task, TaskId, find_id
from gitwfp.policy.lists import plain
from gitwfp.policy.operations import Execution, ListEdit, Replacement, UpdateTask
from gitwfp.policy.reasons import Because, together
from gitwfp.policy.reasons import said as said_of
from gitwfp.policy.request.entries import EntryFinder, HeldEdit, NoEntry, Replacements, path_key
from gitwfp.policy.request.execution import Intent
from gitwfp.policy.request.grammar import Unclear
from gitwfp.policy.request.needs import Needs
from gitwfp.policy.request.pathwords import KnownPaths, Trust, only_paths
from gitwfp.policy.request.phrases import Added, EntryEdit, Phrase, Titled
from gitwfp.policy.request.plantalk import why_no_requirement
from gitwfp.policy.request.positions import read_places
from gitwfp.policy.request.refusals import contradiction, no_such_entry
from gitwfp.policy.request.replacing import LISTS, Ended, Kept, Relisted, Removed, Replaced
from gitwfp.policy.request.values import Revalued
from gitwfp.policy.request.words import Entry, Match, best_match, tidy
from gitwfp.policy.tasks import required_task

Leave = Callable[[str, Text], None]
"""Takes words that change nothing, and why."""

_EDITED: Final = (f.REQUIREMENTS, f.ACCEPTANCE, f.FOCUS_PATHS, f.DEPENDS_ON, f.IMPLEMENTATION)
_WITH_STEPS: Final = ("implementation", "all")
_PLURAL: Final = {
    f.REQUIREMENTS: say("requirements"),
    f.ACCEPTANCE: say("acceptance criteria"),
    f.FOCUS_PATHS: say("focus paths"),
    f.DEPENDS_ON: say("dependencies"),
    f.IMPLEMENTATION: say("implementation steps"),
}
_SAYS_SO: Final = say("The task says so already.")
_HAS_TITLE: Final = say("The task has that title already.")
_DEPENDS_SO: Final = say("The task depends on just that already.")
_IS_FREE: Final = say("The task does not depend on that.")
MET: Final = frozenset({_SAYS_SO, _HAS_TITLE, _DEPENDS_SO, _IS_FREE})
"""Why words are left out that ask for what is so already."""
_NO_STEPS: Final = say(
    "Steps change only when that is asked for: add --update-type implementation, or write 'Update "
    "type: implementation.' in front of them."
)


class TaskEdits:
    """What a request says of one task.

    Args:
        plan: The plan before.
        task: The task before.
        known: Which paths the tree has.
        update_type: The kind of update that was asked for, if any.
        leave: Where words go that change nothing.
    """

    def __init__(
        self,
        plan: Plan,
        task: Task,
        known: KnownPaths,
        update_type: str | None,
        leave: Leave,
    ) -> None:
        self._plan = plan
        self._task = task
        self._known = known
        self._update_type = update_type
        self._leave = leave
        self._title: str | None = None
        self._execution: Execution | None = None
        self._add: dict[str, list[str]] = {name: [] for name in _EDITED}
        self._remove: dict[str, list[str]] = {name: [] for name in _EDITED}
        self._replace: dict[str, list[Replacement]] = {name: [] for name in _EDITED}
        self._set: dict[str, tuple[str, ...]] = {}
        self._finder = EntryFinder(self._left, known, with_steps=update_type in _WITH_STEPS)
        self._causes: dict[str, str] = {}
        self._now = ""
        self._notes: list[str] = []
        self._noted: list[str] = []
        self.words: list[str] = []
        self.new_paths: list[str] = []

    def take(self, phrases: tuple[Phrase, ...], words: str) -> None:
        """Takes what one statement says.

        Args:
            phrases: Its meaning.
            words: The statement as it was written.

        Raises:
            Refusal: It removes or replaces what fits no entry clearly (plan refused), names a
                task that is not there (not found), or contradicts what was said before (usage).
        """
        self._now = words
        reasons = [reason for phrase in phrases if (reason := self._take(phrase)) is not None]
        if len(reasons) < len(phrases):
            self.words.append(words)
        elif reasons:
            self._leave(words, reasons[0])

    def note(self, texts: tuple[str, ...], reason: str, words: str) -> None:
        """Takes notes about what happens beside the task.

        Args:
            texts: The notes.
            reason: Why they are there.
            words: The statement that caused them.
        """
        self._notes.extend(texts)
        self._noted.append(reason)
        self.words.append(words)

    def _take(self, phrase: Phrase) -> Text | None:
        """Takes one phrase; returns why it changes nothing, if so."""
        match phrase:
            case Unclear():
                return phrase.reason
            case Titled():
                return self._take_title(phrase.title)
            case Intent():
                return self._take_intent(phrase)
            case Needs():
                return self._take_needs(phrase)
            case _:
                return self._take_entries(phrase)

    def _take_entries(self, phrase: EntryEdit) -> Text | None:
        match phrase:
            case Kept():
                return self._take_kept(phrase)
            case Ended():
                return self._take_ended(phrase)
            case Added():
                return self._take_added(phrase)
            case Removed():
                return self._take_removed(phrase)
            case Replaced():
                return self._take_replaced(phrase)
            case Revalued():
                return self._take_revalued(phrase)
            case Relisted():
                return self._take_relisted(phrase)

    def _take_intent(self, phrase: Intent) -> Text | None:
        if self._execution not in (None, phrase.execution):
            raise contradiction(self._task.id, self._causes["execution"], self._now)
        self._execution = phrase.execution
        self._causes["execution"] = self._now
        return None

    def _take_title(self, title: str) -> Text | None:
        if self._title not in (None, title):
            raise contradiction(self._task.id, self._causes["title"], self._now)
        if not title or title == self._task.title:
            return _HAS_TITLE
        self._title = title
        self._causes["title"] = self._now
        return None

    def _take_added(self, phrase: Added) -> Text | None:
        name = phrase.field
        if name == f.REQUIREMENTS and not phrase.sure and self._update_type == "implementation":
            name = f.IMPLEMENTATION
        elif name == f.IMPLEMENTATION and self._update_type not in _WITH_STEPS:
            return _NO_STEPS
        if name == f.REQUIREMENTS and not phrase.sure:
            why = next(filter(None, map(why_no_requirement, phrase.texts)), None)
            if why is not None:
                return why
        held = {_key(name, text) for text in (*self._left(name), *self._add[name])}
        fresh = [text for text in phrase.texts if text and _key(name, text) not in held]
        if not fresh:
            return _SAYS_SO
        self._add[name].extend(fresh)
        if name == f.FOCUS_PATHS:
            self.new_paths.extend(path for path in fresh if not self._known(path.rstrip("/")))
        return None

    def _left(self, name: str) -> tuple[str, ...]:
        """Returns the entries of a list that nothing was said against."""
        gone = {*self._remove[name], *(each.old for each in self._replace[name])}
        return tuple(text for text in self._task.texts(name) if text not in gone)

    def _take_removed(self, phrase: Removed) -> Text | None:
        if f.IMPLEMENTATION in phrase.fields and self._update_type not in _WITH_STEPS:
            return _NO_STEPS
        match = self._by_place(phrase.fields, phrase.words) or self._finder.removed(phrase)
        if not match.found:
            raise no_such_entry(self._task.id, phrase.words, match)
        for entry in match.found:
            self._remove[entry.field].append(entry.text)
        return None

    def _by_place(self, fields: tuple[str, ...], words: str) -> Match | None:
        """Finds the entries that words name by their place; None when they do not."""
        named = read_places(words, fields)
        if named is None:
            return None
        name, places = named
        entries = tuple(Entry(name, text) for text in self._task.texts(name))
        if not all(-1 <= place < len(entries) for place in places) or not entries:
            return Match((), (), entries)
        return Match(tuple(dict.fromkeys(entries[place] for place in places)), (), ())

    def _take_kept(self, phrase: Kept) -> Text | None:
        gone = [plain(text) for name in LISTS for text in self._remove[name]]
        if plain(phrase.removed.words) in gone:
            raise contradiction(self._task.id, self.words[-1] if self.words else "", self._now)
        if self._finder.keeps(phrase):
            return say("The task has it, and nothing takes it away.")
        return self._take_added(Added(f.REQUIREMENTS, (phrase.whole,)))

    def _take_ended(self, phrase: Ended) -> Text | None:
        found = self._finder.ended(phrase).found
        nearly = None if found else self._finder.nearly_ended(phrase)
        if nearly is not None:
            raise no_such_entry(self._task.id, phrase.removed.words, nearly)
        if not found:
            return self._take_added(Added(f.REQUIREMENTS, (phrase.whole,)))
        for entry in found:
            self._remove[entry.field].append(entry.text)
        return None

    def _take_replaced(self, phrase: Replaced) -> Text | None:
        if phrase.is_only:
            return self._take_only(phrase)
        for old, new in phrase.choices:
            named = self._by_place(phrase.fields, old)
            if named is not None:
                if len(named.found) != 1:
                    raise no_such_entry(self._task.id, old, named)
                self._put(((named.found[0], tidy(new)),))
                return None
        found = self._finder.replaced(phrase)
        if not isinstance(found, NoEntry):
            self._put(found)
            return None
        is_product = not found.match.rivals and self._finder.is_foreign(found.words)
        if phrase.may_be_new or is_product:
            return self._take_added(Added(f.REQUIREMENTS, (phrase.whole,)))
        raise no_such_entry(self._task.id, found.words, found.match)

    def _take_only(self, phrase: Replaced) -> Text | None:
        """Rewords the one entry of a list."""
        (name, *_), (_, new) = phrase.fields, phrase.choices[0]
        entries = self._left(name)
        if len(entries) != 1:
            return say("It does not say which entry of the list is meant.")
        self._put(((Entry(name, entries[0]), tidy(new)),))
        return None

    def _take_revalued(self, phrase: Revalued) -> Text | None:
        found = self._finder.revalued(phrase)
        if not found and phrase.is_order:
            near = best_match(phrase.what, self._finder.texts()).nearest
            raise no_such_entry(self._task.id, phrase.whole, Match((), (), near))
        if not found:
            return self._take_added(Added(f.REQUIREMENTS, (phrase.whole,)))
        self._put(found)
        return None

    def _put(self, replacements: Replacements) -> None:
        for entry, text in replacements:
            self._replace[entry.field].append(Replacement(entry.text, text))

    def has_entry_for(self, edit: HeldEdit) -> bool:
        """Tells whether the task has the entry that an edit is about, or may have it."""
        is_spoken_of = isinstance(edit, Removed) and self._finder.speaks_of(edit.words)
        return is_spoken_of or self._finder.has(edit)

    def _take_relisted(self, phrase: Relisted) -> Text | None:
        name = phrase.field
        texts = phrase.texts
        if name == f.FOCUS_PATHS:
            texts = only_paths(" ".join(texts), self._known, Trust.EXPECTED)
        if not texts:
            return say("It does not say what is to take the place of the list.")
        if list(map(plain, texts)) == list(map(plain, self._task.texts(name))):
            return _SAYS_SO
        self._set[name] = texts
        return None

    def _take_needs(self, phrase: Needs) -> Text | None:
        for task in (*phrase.add, *phrase.remove):
            name = f"{task.task or task.words} {task in phrase.add}"
            opposite = f"{task.task or task.words} {task not in phrase.add}"
            if opposite in self._causes:
                raise contradiction(self._task.id, self._causes[opposite], self._now)
            self._causes[name] = self._now
        held = {find_id(text, self._plan.tasks) or text: text for text in self._left(f.DEPENDS_ON)}
        add = [self._required(mention.task or mention.words) for mention in phrase.add]
        remove = [self._required(mention.task or mention.words) for mention in phrase.remove]
        if self._task.id in (*add, *remove):
            return say("{task} cannot depend on itself.", task=self._task.id)
        if phrase.none:
            remove = [TaskId(task) for task in held]
        if phrase.only:
            remove = [TaskId(task) for task in held if task not in add]
        gone = [task for task in dict.fromkeys(remove) if task in held]
        fresh = [task for task in add if task not in held and task not in self._add[f.DEPENDS_ON]]
        if remove and not gone and not fresh:
            return _IS_FREE
        if not gone and not fresh:
            return _DEPENDS_SO
        self._remove[f.DEPENDS_ON].extend(held[task] for task in gone)
        self._add[f.DEPENDS_ON].extend(fresh)
        return None

    def _required(self, wanted: str) -> TaskId:
        return required_task(self._plan, wanted).id

    def operation(self) -> UpdateTask | None:
        """Returns the one update, or None when nothing changes."""
        edits = {name: self._edit(name) for name in _EDITED}
        is_changed = any(edits.values()) or bool(self._notes)
        if not is_changed and self._title is None and self._execution is None:
            return None
        return UpdateTask(
            task=self._task.id,
            title=self._title,
            requirements=edits[f.REQUIREMENTS],
            acceptance=edits[f.ACCEPTANCE],
            focus_paths=edits[f.FOCUS_PATHS],
            depends_on=edits[f.DEPENDS_ON],
            implementation=edits[f.IMPLEMENTATION],
            notes=ListEdit(add=tuple(dict.fromkeys(self._notes))),
            execution=self._execution,
            reason=self._reason(edits),
            words="; ".join(self.words),
        )

    def _edit(self, name: str) -> ListEdit:
        if name in self._set:
            return ListEdit(set=tuple(dict.fromkeys((*self._set[name], *self._add[name]))))
        return ListEdit(
            tuple(self._add[name]), tuple(self._remove[name]), tuple(self._replace[name])
        )

    def _reason(self, edits: dict[str, ListEdit]) -> str:
        """Sums up what changes."""
        said: list[Text | str] = []
        for name, edit in edits.items():
            if edit.set is not None:
                said.append(say("replaces the whole list of {what}", what=_PLURAL[name]))
            if edit.add:
                said.append(say("adds {what}", what=_counted(len(edit.add), name)))
            if edit.remove:
                said.append(say("removes {what}", what=_counted(len(edit.remove), name)))
            if edit.replace:
                said.append(say("replaces {what}", what=_counted(len(edit.replace), name)))
        if self._title is not None:
            said.append(say("changes the title"))
        if self._execution is not None:
            said.append(say("changes who executes it"))
        whole = together([*said, *(said_of(reason) for reason in dict.fromkeys(self._noted))])
        return Because(whole) if isinstance(whole, Text) else whole


def _counted(count: int, name: str) -> Text:
    match name:
        case f.REQUIREMENTS:
            return say_n("a requirement", "{count} requirements", count)
        case f.ACCEPTANCE:
            return say_n("an acceptance criterion", "{count} acceptance criteria", count)
        case f.FOCUS_PATHS:
            return say_n("a focus path", "{count} focus paths", count)
        case f.DEPENDS_ON:
            return say_n("a dependency", "{count} dependencies", count)
        case _:
            return say_n("an implementation step", "{count} implementation steps", count)


def _key(name: str, text: str) -> str:
    return path_key(text) if name == f.FOCUS_PATHS else plain(text)
