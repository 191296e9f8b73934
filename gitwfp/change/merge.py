"""Three plans into one: rollback, landing and merging are this function.

Taking back a replan is a merge whose base is the plan at the replan and whose other side is the
plan at its parent (the lesson of jj's `operation revert`). Fields merge by their kind: lists as
ordered sets, prose by sentence, documents by line, the rest as a whole. Conflicts are values
with both sides; nothing ever writes conflict markers into a plan.
"""

import json
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Final

from gitwfp.change.counts import SetCounts, recounted
from gitwfp.change.kept import listing, without_kept
from gitwfp.change.sequences import Overlap, merge_sequences
from gitwfp.classes import dataclass, field, replace
from gitwfp.model import fields as f
from gitwfp.model.plan import SESSION_JSON, Document, Plan
from gitwfp.model.task import Task, TaskId, id_key, same_fields, with_field
from gitwfp.model.values import Value, canonical, freeze, same
from gitwfp.patterns import regex

_CHECK_BOX: Final = regex(r"^(\s*(?:[-*+]\s+)?\[)([^\]]{0,12})(\].*)$")
_NUMBER: Final = regex(r"([0-9]{1,9})")


class Side(StrEnum):
    """Which side a conflict is decided for."""

    OURS = "ours"
    THEIRS = "theirs"


@dataclass(frozen=True, slots=True)
class Conflict:
    """A field that both sides changed, differently.

    Attributes:
        field: Field name; "" when a whole task or file is concerned.
        base: What it was; None when it was not there.
        ours: What our side made of it.
        theirs: What their side made of it.
        task: The task concerned, if one is.
        document: The document or companion file concerned, if one is.
    """

    field: str
    base: Value
    ours: Value
    theirs: Value
    task: TaskId | None = None
    document: str | None = None


@dataclass(frozen=True, slots=True)
class Merged:
    """The outcome of a merge: the plan, with our side wherever there is a conflict."""

    plan: Plan
    conflicts: tuple[Conflict, ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """What a merge must be told.

    Attributes:
        is_bookkeeping: Tells whether a line of a document is bookkeeping: a date, a count.
        set_counts: Writes a number of tasks where a document states another one.
        theirs_first: Whether their insertions go before ours where both insert at one place;
            right for a rollback, whose other side is the older one.
        prefer: The side that decides conflicts, or None to report them.
    """

    is_bookkeeping: Callable[[str], bool]
    set_counts: SetCounts
    theirs_first: bool = False
    prefer: Side | None = None


def merge(base: Plan, ours: Plan, theirs: Plan, rules: Rules) -> Merged:
    """Merges two descendants of a plan.

    Args:
        base: The common ancestor.
        ours: The plan that the result starts from; the result keeps its text.
        theirs: The other descendant.
        rules: What decides order, bookkeeping lines and conflicts.
    """
    return _Merge(base, ours, theirs, rules).run()


@dataclass(slots=True)
class _Merge:
    base: Plan
    ours: Plan
    theirs: Plan
    rules: Rules
    conflicts: list[Conflict] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)

    def run(self) -> Merged:
        if self._drops_a_grown_session() and self._decide(
            Conflict("", self.base.title, self.ours.title, None, document=SESSION_JSON)
        ):
            return Merged(self.ours, tuple(self.conflicts))
        plan = replace(self.ours, session=self._session())
        for task_id in sorted(self.base.tasks.keys() | self.theirs.tasks.keys(), key=id_key):
            plan = self._task(plan, task_id)
        for name in sorted(self.base.documents.keys() | self.theirs.documents.keys()):
            base, ours = _parts(self.base, name), _parts(self.ours, name)
            theirs = without_kept(base, _parts(self.theirs, name), self.kept)
            parts = self._record(base, ours, theirs, None, name)
            plan = plan.with_document(Document(name, parts))
        plan = listing(replace(plan, others=self._others()), self.ours, self.kept)
        plan = recounted(self.base, self.ours, self.theirs, plan, self.rules.set_counts)
        return Merged(plan, tuple(self.conflicts))

    def _session(self) -> Mapping[str, Value]:
        base, ours = self.base.session, self.ours.session
        merged = self._record(base, ours, self.theirs.session, None, None)
        is_later = not same(base.get(f.REPLAN_HISTORY), ours.get(f.REPLAN_HISTORY))
        if not is_later or f.LAST_REPLAN not in ours:
            return merged
        # Who has replanned since has set the time anew, be it to the same second.
        last = ours[f.LAST_REPLAN]
        if same(last, _time_of_last(ours)):
            last = _time_of_last(merged)
        return with_field(merged, f.LAST_REPLAN, last)

    def _drops_a_grown_session(self) -> bool:
        """Tells whether their side lacks the session that got tasks on ours since."""
        gone = bool(self.base.session) and not self.theirs.session and not self.theirs.tasks
        return gone and bool(self.ours.tasks.keys() - self.base.tasks.keys())

    def _task(self, plan: Plan, task_id: TaskId) -> Plan:
        base = self.base.tasks.get(task_id)
        ours = self.ours.tasks.get(task_id)
        theirs = self.theirs.tasks.get(task_id)
        if ours is not None and theirs is not None:
            if base is None and not self._unchanged(ours, theirs):
                # Two tasks that took the same id are no two versions of one task.
                keep = self._decide(Conflict("", None, _whole(ours), _whole(theirs), task=task_id))
                return plan if keep else plan.with_task(replace(theirs, origin=ours.origin))
            held = base.fields if base is not None else {}
            fields = self._record(held, ours.fields, theirs.fields, task_id, None)
            return plan.with_task(replace(ours, fields=fields))
        if ours is None and theirs is None:
            return plan
        if base is None:
            return plan if theirs is None else plan.with_task(replace(theirs, origin=None))
        present = ours if ours is not None else theirs
        if present is None or self._unchanged(base, present):
            return plan.without_task(task_id) if ours is not None else plan
        keep_ours = self._decide(
            Conflict("", _whole(base), _whole(ours), _whole(theirs), task=task_id)
        )
        chosen = ours if keep_ours else theirs
        if chosen is None:
            return plan.without_task(task_id)
        self.kept.add(task_id)
        return plan.with_task(chosen if keep_ours else replace(chosen, origin=None))

    def _unchanged(self, base: Task, side: Task) -> bool:
        """Tells whether a side left a task's meaning alone; progress does not keep a task."""
        names = base.fields.keys() | side.fields.keys()
        return all(
            same(base.fields.get(name), side.fields.get(name))
            for name in names
            if f.role_of(name) is f.Role.INTENT
        )

    def _record(
        self,
        base: Mapping[str, Value],
        ours: Mapping[str, Value],
        theirs: Mapping[str, Value],
        task: TaskId | None,
        document: str | None,
    ) -> Mapping[str, Value]:
        if same_fields(base, theirs):
            return ours
        merged: dict[str, Value] = {}
        names = [*ours, *(name for name in [*theirs, *base] if name not in ours)]
        for name in dict.fromkeys(names):
            value = self._value(
                name, base.get(name), ours.get(name), theirs.get(name), task, document
            )
            if value is not None and (value != () or name == f.LINES):
                merged[name] = value
        return merged

    def _value(
        self,
        name: str,
        base: Value,
        ours: Value,
        theirs: Value,
        task: TaskId | None,
        document: str | None,
    ) -> Value:
        if same(ours, theirs) or same(base, theirs):
            return ours
        if same(base, ours):
            return theirs
        # An empty list is no fact, so no fact may be an empty list; but no file is no empty file.
        absent: Value = None if name == f.LINES else ()
        sides = [absent if value is None else value for value in (base, ours, theirs)]
        if all(isinstance(side, tuple) for side in sides):
            return self._lists(name, sides, task, document)
        if f.role_of(name) is f.Role.BOOKKEEPING:
            return ours
        keep_ours = self._decide(Conflict(name, base, ours, theirs, task, document))
        return ours if keep_ours else theirs

    def _lists(
        self, name: str, sides: list[Value], task: TaskId | None, document: str | None
    ) -> Value:
        is_text = name == f.LINES
        base, ours, theirs = (_keys(side, is_text) for side in sides)
        bookkeeping = f.role_of(name) is f.Role.BOOKKEEPING

        def settle(overlap: Overlap) -> tuple[str, ...] | None:
            if bookkeeping:
                return overlap.ours
            return self._settle_lines(overlap) if is_text else None

        merged, overlaps = merge_sequences(
            base, ours, theirs, settle=settle, theirs_first=self.rules.theirs_first
        )
        if not is_text:
            merged = tuple(dict.fromkeys(merged)) if _is_set(ours) and _is_set(theirs) else merged
        if overlaps:
            keep_ours = True
            for overlap in overlaps:
                keep_ours = self._decide(
                    Conflict(
                        name,
                        _values(overlap.base, is_text),
                        _values(overlap.ours, is_text),
                        _values(overlap.theirs, is_text),
                        task,
                        document,
                    )
                )
            if not keep_ours:
                merged, _ = merge_sequences(
                    base,
                    ours,
                    theirs,
                    settle=lambda overlap: settle(overlap) or overlap.theirs,
                    theirs_first=self.rules.theirs_first,
                )
        return _values(merged, is_text)

    def _settle_lines(self, overlap: Overlap) -> tuple[str, ...] | None:
        lines = (*overlap.base, *overlap.ours, *overlap.theirs)
        if all(self.rules.is_bookkeeping(line) for line in lines) or self._differ_in_count(lines):
            return _merge_counts(overlap) or overlap.ours
        if len(overlap.base) == len(overlap.ours) == len(overlap.theirs) == 1:
            return _merge_check_box(overlap)
        return None

    def _differ_in_count(self, lines: tuple[str, ...]) -> bool:
        """Tells whether lines are the same one but for the number of tasks that they state."""
        without = [self._without_count(line) for line in lines]
        return None not in without and len(set(without)) == 1

    def _without_count(self, line: str) -> str | None:
        """Returns a line with its number of tasks as nought; None if it states none."""
        found = (self.rules.set_counts((line,), int(n), 0)[0] for n in _NUMBER.findall(line))
        return next((text for text in found if text != line), None)

    def _others(self) -> Mapping[str, bytes]:
        merged = dict(self.ours.others)
        for path in sorted(self.base.others.keys() | self.theirs.others.keys()):
            base, ours = self.base.others.get(path), self.ours.others.get(path)
            theirs = self.theirs.others.get(path)
            if theirs in (base, ours):
                continue
            conflict = Conflict("", _opaque(base), _opaque(ours), _opaque(theirs), document=path)
            if base != ours and self._decide(conflict):
                continue
            if theirs is None:
                merged.pop(path, None)
            else:
                merged[path] = theirs
        return merged

    def _decide(self, conflict: Conflict) -> bool:
        """Notes a conflict unless a side is preferred; tells whether ours is to be kept."""
        if self.rules.prefer is None:
            self.conflicts.append(conflict)
        return self.rules.prefer is not Side.THEIRS


def _time_of_last(session: Mapping[str, Value]) -> Value:
    """Returns when the last replan was that a session records; None where it records none."""
    history = session.get(f.REPLAN_HISTORY)
    last = history[-1] if isinstance(history, tuple) and history else None
    return last.get("timestamp") if isinstance(last, Mapping) else None


def _merge_counts(overlap: Overlap) -> tuple[str, ...] | None:
    """Merges one line that states one number; a date has three."""
    found = [_NUMBER.split(line) for line in (*overlap.base, *overlap.ours, *overlap.theirs)]
    if len(found) != 3 or any(len(parts) != 3 for parts in found):
        return None
    base, ours, theirs = (int(parts[1]) for parts in found)
    return (f"{found[1][0]}{max(ours + theirs - base, 0)}{found[1][2]}",)


def _merge_check_box(overlap: Overlap) -> tuple[str, ...] | None:
    """Merges one list line whose box one side ticked while the other changed its text."""
    found = [_CHECK_BOX.match(side[0]) for side in (overlap.base, overlap.ours, overlap.theirs)]
    base, ours, theirs = found
    if base is None or ours is None or theirs is None:
        return None
    chosen = []
    for group in (1, 2, 3):
        was, mine, their = base[group], ours[group], theirs[group]
        if their in (was, mine):
            chosen.append(mine)
        elif was == mine:
            chosen.append(their)
        else:
            return None
    return ("".join(chosen),)


def _parts(plan: Plan, name: str) -> Mapping[str, Value]:
    return plan.documents[name].parts if name in plan.documents else {}


def _whole(task: Task | None) -> Value:
    return None if task is None else task.title


def _opaque(data: bytes | None) -> Value:
    return None if data is None else len(data)


def _keys(value: Value, is_text: bool) -> tuple[str, ...]:
    items = value if isinstance(value, tuple) else ()
    return tuple(str(item) if is_text else canonical(item) for item in items)


def _values(keys: tuple[str, ...], is_text: bool) -> Value:
    return keys if is_text else tuple(freeze(json.loads(key)) for key in keys)


def _is_set(keys: tuple[str, ...]) -> bool:
    return len(set(keys)) == len(keys)
