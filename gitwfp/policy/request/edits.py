"""The edits of one task: what a request says of it, collected into one `UpdateTask`.

Additions that are there already are left out; a removal or replacement has to fit an entry
clearly, or the whole request is refused with the nearest entries.
"""

from collections.abc import Callable
from typing import Final

from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, Text, say
from gitwfp.model import fields as f
from gitwfp.model.plan import Plan
from gitwfp.model.task import Task, TaskId, find_id
from gitwfp.policy.lists import plain
from gitwfp.policy.operations import Execution, ListEdit, Replacement, UpdateTask
from gitwfp.policy.request.execution import Intent
from gitwfp.policy.request.grammar import Unclear
from gitwfp.policy.request.needs import Needs
from gitwfp.policy.request.pathwords import KnownPaths, Trust, only_paths
from gitwfp.policy.request.phrases import Added, Phrase, Titled
from gitwfp.policy.request.replacing import LISTS, Relisted, Removed, Replaced, without_use
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
from gitwfp.policy.tasks import required_task

Leave = Callable[[str, Text], None]
"""Takes words that change nothing, and why."""

_EDITED: Final = (f.REQUIREMENTS, f.ACCEPTANCE, f.FOCUS_PATHS, f.DEPENDS_ON, f.IMPLEMENTATION)
_SINGULAR: Final = {
    f.REQUIREMENTS: "requirement",
    f.ACCEPTANCE: "acceptance criterion",
    f.FOCUS_PATHS: "focus path",
    f.DEPENDS_ON: "dependency",
    f.IMPLEMENTATION: "implementation step",
}
_PLURAL: Final = {
    f.REQUIREMENTS: "requirements",
    f.ACCEPTANCE: "acceptance criteria",
    f.FOCUS_PATHS: "focus paths",
    f.DEPENDS_ON: "dependencies",
    f.IMPLEMENTATION: "implementation steps",
}


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
        self._causes: dict[str, str] = {}
        self._now = ""
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

    def _take_entries(
        self, phrase: Added | Removed | Replaced | Revalued | Relisted
    ) -> Text | None:
        match phrase:
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
            return say("The task has that title already.")
        self._title = title
        self._causes["title"] = self._now
        return None

    def _take_added(self, phrase: Added) -> Text | None:
        name = phrase.field
        if name == f.REQUIREMENTS and not phrase.sure and self._update_type == "implementation":
            name = f.IMPLEMENTATION
        elif name == f.IMPLEMENTATION and self._update_type not in ("implementation", "all"):
            return say("Steps change only when the update type is 'implementation' or 'all'.")
        held = {_key(name, text) for text in (*self._left(name), *self._add[name])}
        fresh = [text for text in phrase.texts if text and _key(name, text) not in held]
        if not fresh:
            return say("The task says so already.")
        self._add[name].extend(fresh)
        if name == f.FOCUS_PATHS:
            self.new_paths.extend(path for path in fresh if not self._known(path.rstrip("/")))
        return None

    def _left(self, name: str) -> tuple[str, ...]:
        """Returns the entries of a list that nothing was said against."""
        gone = {*self._remove[name], *(each.old for each in self._replace[name])}
        return tuple(text for text in self._task.texts(name) if text not in gone)

    def _entries(self, fields: tuple[str, ...]) -> tuple[Entry, ...]:
        if fields == LISTS and self._update_type in ("implementation", "all"):
            fields = (*fields, f.IMPLEMENTATION)
        return tuple(Entry(name, text) for name in fields for text in self._left(name))

    def _match(self, fields: tuple[str, ...], words: str) -> Match:
        """Finds the entry that words mean.

        Paths are named by paths, never by words that stand in them; where the list is named,
        the entry's topic is enough.
        """
        if fields != LISTS:
            return best_match(words, self._entries(fields), is_topic=True)
        paths = self._entries((f.FOCUS_PATHS,))
        if only_paths(words, self._known, Trust.EXPECTED):
            wanted = _key(f.FOCUS_PATHS, words.strip("`\"'"))
            keys = {entry: _key(entry.field, entry.text) for entry in paths}
            exact = [entry for entry in paths if keys[entry] == wanted]
            fits = exact or [entry for entry in paths if keys[entry].endswith("/" + wanted)]
            if fits:
                return Match(tuple(fits[:1]) if len(fits) == 1 else (), tuple(fits[1:]), ())
        texts = tuple(each for each in self._entries(fields) if each.field != f.FOCUS_PATHS)
        return best_match(words, texts)

    def _take_removed(self, phrase: Removed) -> Text | None:
        if f.IMPLEMENTATION in phrase.fields and self._update_type not in ("implementation", "all"):
            return say("Steps change only when the update type is 'implementation' or 'all'.")
        match = self._match(phrase.fields, phrase.words)
        if not match.found:
            raise self._no_such_entry(phrase.words, match)
        for entry in match.found:
            self._remove[entry.field].append(entry.text)
        return None

    def _take_replaced(self, phrase: Replaced) -> Text | None:
        entries = self._entries(phrase.fields)
        nearest: tuple[str, Match] | None = None
        for old, new in phrase.choices:
            match = self._match(phrase.fields, old)
            found = match.found or self._only_place(entries, old, new)
            texts = [self._replaced(entry, old, new, phrase.whole) for entry in found]
            if found and all(texts):
                for entry, text in zip(found, texts, strict=True):
                    self._replace[entry.field].append(Replacement(entry.text, text or ""))
                return None
            nearest = nearest or (old, match)
        if phrase.may_be_new or nearest is None:
            return self._take_added(Added(f.REQUIREMENTS, (phrase.whole,)))
        raise self._no_such_entry(*nearest)

    def _take_revalued(self, phrase: Revalued) -> Text | None:
        texts = [each for each in self._entries(LISTS) if each.field != f.FOCUS_PATHS]
        found = with_value(texts, phrase)
        if found is not None:
            entry, text = found
            self._replace[entry.field].append(Replacement(entry.text, text))
            return None
        return self._take_added(Added(f.REQUIREMENTS, (phrase.whole,)))

    def _take_relisted(self, phrase: Relisted) -> Text | None:
        name = phrase.field
        texts = phrase.texts
        if name == f.FOCUS_PATHS:
            texts = only_paths(" ".join(texts), self._known, Trust.EXPECTED)
        if not texts:
            return say("It does not say what is to take the place of the list.")
        if list(map(plain, texts)) == list(map(plain, self._task.texts(name))):
            return say("The task says so already.")
        self._set[name] = texts
        return None

    def _replaced(self, entry: Entry, old: str, new: str, whole: str) -> str | None:
        """Returns what an entry becomes, or None when the new words are too few to stand for it."""
        if entry.field == f.FOCUS_PATHS:
            paths = only_paths(new, self._known, Trust.EXPECTED)
            return paths[0] if len(paths) == 1 else None
        if plain(entry.text) == plain(old):
            return tidy(new)
        if is_value_for(old, new):
            # "change the timeout to 15 minutes" says all of the new entry.
            return whole
        return put_in_place(entry.text, old, without_use(new)) or (
            tidy(new) if can_stand_for(new, entry.text) else None
        )

    def _only_place(self, entries: tuple[Entry, ...], old: str, new: str) -> tuple[Entry, ...]:
        """Finds the one entry in which the old words stand and the new ones can take over."""
        if is_value_for(old, new):
            return ()
        texts = [entry for entry in entries if entry.field != f.FOCUS_PATHS]
        places = [entry for entry in texts if put_in_place(entry.text, old, without_use(new))]
        return (places[0],) if len(places) == 1 else ()

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
            return say("It does not say which task depends on {task}.", task=self._task.id)
        if phrase.none:
            remove = [TaskId(task) for task in held]
        if phrase.only:
            remove = [TaskId(task) for task in held if task not in add]
        gone = [task for task in dict.fromkeys(remove) if task in held]
        fresh = [task for task in add if task not in held and task not in self._add[f.DEPENDS_ON]]
        if remove and not gone and not fresh:
            return say("The task does not depend on that.")
        if not gone and not fresh:
            return say("The task depends on just that already.")
        self._remove[f.DEPENDS_ON].extend(held[task] for task in gone)
        self._add[f.DEPENDS_ON].extend(fresh)
        return None

    def _required(self, wanted: str) -> TaskId:
        return required_task(self._plan, wanted).id

    def _no_such_entry(self, words: str, match: Match) -> Refusal:
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
                task=self._task.id,
            )
        else:
            message = say(
                "Task {task} has no entry like '{words}'.", words=words, task=self._task.id
            )
        return Refusal(
            "no-such-entry",
            message,
            ExitCode.REFUSED,
            hint=say(
                "Name an entry by its own words, or write 'requirement: ...' if it is a new "
                "requirement."
            ),
            location=Location(task=self._task.id),
            details=tuple(
                Diagnostic(
                    "nearest-entry",
                    say("{field}: {text}", field=entry.field, text=entry.text),
                    Severity.NOTE,
                    Location(task=self._task.id, field=entry.field),
                )
                for entry in (match.rivals or match.nearest)
            ),
        )

    def operation(self) -> UpdateTask | None:
        """Returns the one update, or None when nothing changes."""
        edits = {name: self._edit(name) for name in _EDITED}
        if not any(edits.values()) and self._title is None and self._execution is None:
            return None
        return UpdateTask(
            task=self._task.id,
            title=self._title,
            requirements=edits[f.REQUIREMENTS],
            acceptance=edits[f.ACCEPTANCE],
            focus_paths=edits[f.FOCUS_PATHS],
            depends_on=edits[f.DEPENDS_ON],
            implementation=edits[f.IMPLEMENTATION],
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
        """Sums up what changes, in English: it goes into the commit with the plan's content."""
        said = []
        for name, edit in edits.items():
            if edit.set is not None:
                said.append(f"replaces the whole list of {_PLURAL[name]}")
            for verb, count in (
                ("adds", len(edit.add)),
                ("removes", len(edit.remove)),
                ("replaces", len(edit.replace)),
            ):
                if count:
                    said.append(f"{verb} {_counted(count, name)}")
        if self._title is not None:
            said.append("changes the title")
        if self._execution is not None:
            said.append("changes who executes it")
        return ", ".join(said)


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


def _counted(count: int, name: str) -> str:
    if count == 1:
        noun = _SINGULAR[name]
        return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
    return f"{count} {_PLURAL[name]}"


def _key(name: str, text: str) -> str:
    return text.rstrip("/").removeprefix("./") if name == f.FOCUS_PATHS else plain(text)
