"""Results of a verification that depend on what a plan means alone, as one text.

They belong to a key: the meaning, what the rules were told besides, and the version of the rules.
Only rules that declare the intent as their one input are in a record; all others always run.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.errors import Location, Text
from gitwfp.files.bookkeeping import is_bookkeeping_line
from gitwfp.files.digest import intent_text
from gitwfp.model import fields as f
from gitwfp.model.findings import Dimension, Finding, Level, Waiver
from gitwfp.model.values import canonical, freeze
from gitwfp.verify.facts import Facts
from gitwfp.verify.waivers import as_object

FORM: Final = 1
"""Of the text; a record of another form is not read."""

Recorded = Mapping[str, tuple[Finding, ...]]
"""Findings by the rule that found them; a rule that found nothing has an empty list."""


@dataclass(frozen=True, slots=True)
class RecordKey:
    """What a record belongs to.

    Attributes:
        text: All that the recorded results depend on, in one canonical text.
    """

    text: str


def record_key(facts: Facts, ruleset: str, waivers: Iterable[Waiver], policy: str) -> RecordKey:
    """Returns the key of a plan's record.

    Args:
        facts: What is known of the plan.
        ruleset: The version of the rules.
        waivers: The waivers of the session.
        policy: The lowest decision that passes.
    """
    plan = facts.plan
    live, work = {task.id for task in facts.live}, {task.id for task in facts.work}
    whole = {
        "form": FORM,
        "ruleset": ruleset,
        "policy": policy,
        "waivers": [as_object(one) for one in waivers],
        "max_tasks": facts.max_tasks,
        "folder": plan.ref.folder,
        "intent": intent_text(plan),
        # Findings name lines, and bookkeeping moves them without changing the intent.
        "lines": {
            name: [at for at, line in enumerate(document.lines) if is_bookkeeping_line(line)]
            for name, document in plan.documents.items()
            if f.LINES in document.parts
        },
        "places": {
            task_id: task.origin.path
            for task_id, task in plan.tasks.items()
            if task.origin is not None
        },
        "problems": [
            [one.code, str(one.message), one.location.path, one.location.line]
            for one in plan.problems
        ],
        # The order of the tasks is bookkeeping, and some rules go by it.
        "order": list(plan.order),
        "gone": sorted(plan.tasks.keys() - live),
        "containers": sorted(live - work),
        "analyses": [[path, list(lines)] for path, lines in facts.analyses],
    }
    return RecordKey(canonical(freeze(whole)))


def record_text(recorded: Recorded, decision: str) -> str:
    """Returns a record.

    Args:
        recorded: The findings by rule.
        decision: What was decided when it was made, for whoever reads the note.
    """
    content = {
        "form": FORM,
        "decision": decision,
        "rules": {
            name: [_as_object(one) for one in found] for name, found in sorted(recorded.items())
        },
    }
    return json.dumps(content, ensure_ascii=True, separators=(",", ":")) + "\n"


def read_record(text: bytes) -> Recorded | None:
    """Returns what a record says, None if it is none or one of another form."""
    try:
        content = json.loads(text)
        if content["form"] != FORM:
            return None
        return {
            str(name): tuple(_finding(one) for one in found)
            for name, found in content["rules"].items()
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _as_object(one: Finding) -> dict[str, object]:
    where = one.location
    return {
        "rule": one.rule,
        "level": one.level.value,
        "dimension": one.dimension.value,
        "subject": one.subject,
        "message": _text(one.message),
        "recommendation": None if one.recommendation is None else _text(one.recommendation),
        "location": [where.path, where.line, where.column, where.session, where.task, where.field],
    }


def _text(text: Text) -> list[object]:
    values = {
        name: value if isinstance(value, int | float | bool) else str(value)
        for name, value in text.values.items()
    }
    return [text.template, values, text.plural, text.count]


def _finding(content: Mapping[str, object]) -> Finding:
    advice = content["recommendation"]
    path, line, column, session, task, field = _list(content["location"], 6)
    return Finding(
        str(content["rule"]),
        Level(str(content["level"])),
        _as_text(content["message"]),
        Location(
            _text_or_none(path),
            _number_or_none(line),
            _number_or_none(column),
            _text_or_none(session),
            _text_or_none(task),
            _text_or_none(field),
        ),
        str(content["subject"]),
        None if advice is None else _as_text(advice),
        Dimension(str(content["dimension"])),
    )


def _as_text(content: object) -> Text:
    template, values, plural, count = _list(content, 4)
    if not isinstance(template, str) or not isinstance(values, dict) or type(count) is not int:
        raise ValueError("no sentence")
    text = Text(template, values, _text_or_none(plural), count)
    # A template that its values do not fill would fail where it is printed.
    str(text)
    return text


def _list(content: object, length: int) -> list[object]:
    if not isinstance(content, list) or len(content) != length:
        raise ValueError("no list of that length")
    return content


def _text_or_none(value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise ValueError("no text")
    return value


def _number_or_none(value: object) -> int | None:
    if value is not None and type(value) is not int:
        raise ValueError("no number")
    return value
