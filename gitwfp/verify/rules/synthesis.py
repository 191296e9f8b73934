"""Dimension E: the plan follows what the role analyses have come to."""

import re
from collections.abc import Collection, Iterator

from gitwfp.classes import replace
from gitwfp.errors import say
from gitwfp.files.markdown import Lines, Outline, plain_heading, read_outline
from gitwfp.model import fields as f
from gitwfp.model.findings import Dimension, Level
from gitwfp.patterns import regex
from gitwfp.verify import texts
from gitwfp.verify.facts import Facts
from gitwfp.verify.notes import Note, items, plain, rows
from gitwfp.verify.rule import Hit, Input, rule

_SUCCESS = regex(r"(?:.* )?success (?:criteria|metrics)\b.*|.*(?:成功|验收)(?:标准|指标).*")
_RISKS = regex(r"(?:.* )?(?:risks?|mitigations?)\b.*|.*(?:风险|缓解).*")
_MITIGATION = regex(
    r"(?:\*\*)?(?:mitigations?|缓解(?:措施)?|应对(?:措施)?)(?:\*\*)?\s*[:：]\s*(.+)", re.IGNORECASE
)
_PRIORITY = regex(
    r"\b(?P<word>critical|highest|high|medium|low|must[- ]have|should[- ]have|could[- ]have|"
    r"nice[- ]to[- ]have|p[0-3])\b|(?P<wide>最高|高|中|低)(?:优先级)?",
    re.IGNORECASE,
)
_HEIGHT = {
    "critical": 3, "highest": 3, "high": 3, "must have": 3, "must-have": 3, "p0": 3, "p1": 3,
    "最高": 3, "高": 3, "medium": 2, "should have": 2, "should-have": 2, "p2": 2, "中": 2,
    "low": 1, "could have": 1, "could-have": 1, "nice to have": 1, "nice-to-have": 1, "p3": 1,
    "低": 1, "normal": 2,
}  # fmt: skip
_LABELLED = regex(
    r"(?P<what>.+?)\s*[(（\[|:：—–-]+\s*(?:priority|优先级)?\s*[:：=]?\s*(?P<rest>.+)",
    re.IGNORECASE,
)
_COLUMN = regex(r"mitigations?(?: .*)?|缓解(?:措施)?|应对(?:措施)?", re.IGNORECASE)
_TAKEN_UP = 0.34
_TREE = (Input.INTENT, Input.TREE)


@rule(
    "priority-conflict",
    Dimension.SYNTHESIS,
    Level.HIGH,
    finds=say("A task with another priority than the role analyses give to its subject."),
    why=say("What matters most would be done last."),
    example=say('The analysis: "Audit log: high". IMPL-4, the audit log: low.'),
    remedy=say("Set the priority of the task, or correct the analysis."),
    inputs=_TREE,
)
def priority_conflict(facts: Facts) -> Iterator[Hit]:
    """Finds tasks that an analysis holds high and the plan low, or the other way round."""
    for path, lines in facts.analyses:
        outline = read_outline(lines)
        stated: list[tuple[int, str, int]] = []
        for at, cells in rows(lines, outline, range(len(lines))):
            heights = [height for cell in cells[1:] if (height := _height(cell, whole=True))]
            if len(heights) == 1 and cells[0]:
                stated.append((at, max(cells[:2], key=len), heights[0]))
        for at, line in enumerate(lines):
            if "priorit" not in line.lower() and "优先级" not in line:
                continue
            form = _LABELLED.match(plain(line).lstrip("-*+ ")) if outline.is_text[at] else None
            height = _height(form["rest"], whole=False) if form is not None else 0
            if form is not None and height:
                stated.append((at, form["what"], height))
        for at, what, height in stated:
            yield from _conflicts(facts, path, at, what, height)


def _conflicts(facts: Facts, path: str, at: int, what: str, height: int) -> Iterator[Hit]:
    wanted = texts.terms(what)
    for task in facts.work:
        given = task.fields.get(f.PRIORITY)
        own = _HEIGHT.get(str(given).strip().lower(), 0)
        if not own or abs(own - height) < 2:
            continue
        names = texts.terms(task.title)
        by_id = bool(facts.named[task.id] & facts.named_in(what))
        near = max(texts.share(wanted, names), texts.share(names, wanted))
        if by_id or (min(len(wanted), len(names)) >= 2 and near >= 0.75):
            yield Hit(
                say(
                    "{task} has the priority {given}; {path}, line {line}, says otherwise: {what}",
                    task=task.id,
                    given=given,
                    path=path,
                    line=at + 1,
                    what=texts.short(what, 60),
                ),
                f"{path} {what}",
                task.id,
                field=f.PRIORITY,
            )


def _height(text: str, *, whole: bool) -> int:
    if whole:
        return _HEIGHT.get(text.strip().lower(), 0)
    match = _PRIORITY.search(text)
    return _HEIGHT.get(match[0].lower().removesuffix("优先级"), 0) if match is not None else 0


@rule(
    "analysis-criterion-missing",
    Dimension.SYNTHESIS,
    Level.MEDIUM,
    finds=say("A success criterion of a role analysis that appears nowhere in the plan."),
    why=say("A role was asked, and its answer has got lost."),
    example=say('The security analysis wants "tokens rotated daily"; no task rotates anything.'),
    remedy=say("Take it up in the acceptance of a task, or in the plan's success criteria."),
    inputs=_TREE,
)
def analysis_criterion_missing(facts: Facts) -> Iterator[Hit]:
    """Finds criteria of analyses that share no word with the tasks and the plan."""
    yield from _missing(facts, _SUCCESS, is_risk=False)


@rule(
    "mitigation-missing",
    Dimension.SYNTHESIS,
    Level.HIGH,
    finds=say("A mitigation of a risk in a role analysis that appears nowhere in the plan."),
    why=say("The risk was seen, and nobody does anything about it."),
    example=say('The analysis: "Mitigation: feature flag". No task speaks of a flag.'),
    remedy=say("Add it to a task or to the risk assessment of IMPL_PLAN.md."),
    inputs=_TREE,
)
def mitigation_missing(facts: Facts) -> Iterator[Hit]:
    """Finds mitigations of analyses that share no word with the tasks and the plan."""
    yield from _missing(facts, _RISKS, is_risk=True)


def _missing(facts: Facts, form: re.Pattern[str], *, is_risk: bool) -> Iterator[Hit]:
    if not facts.work:
        return
    held = [facts.terms[task.id] for task in facts.live]
    held += [terms for line in facts.impl_plan or () if len(terms := texts.terms(line)) > 1]
    for path, lines in facts.analyses:
        outline = read_outline(lines)
        for heading in outline.headings:
            if not form.fullmatch(plain_heading(heading.text)):
                continue
            body = outline.own_lines(heading)
            if is_risk:
                for note in _in_table(path, lines, outline, body):
                    if _is_lost(note.text, held):
                        # A table lists risks of every weight, many of them met by how one works.
                        yield replace(_lost(note, note.text, is_risk=True), level=Level.MEDIUM)
            for note in items(path, lines, outline, body):
                said = _MITIGATION.search(note.text) if is_risk else None
                if is_risk and said is None:
                    continue
                text = said[1] if said is not None else note.text
                if _is_lost(text, held):
                    yield _lost(note, text, is_risk=is_risk)


def _is_lost(text: str, held: Collection[frozenset[str]]) -> bool:
    """Tells whether no task and no line of the plan says a third of what a sentence says."""
    wanted = texts.terms(text)
    if len(wanted) < 2:
        return False
    fitting = [one for one in held if texts.is_wide(one) == texts.is_wide(wanted)]
    return bool(fitting) and all(texts.share(wanted, one) < _TAKEN_UP for one in fitting)


def _in_table(path: str, lines: Lines, outline: Outline, body: range) -> Iterator[Note]:
    """Yields the mitigations in tables that have a column for them."""
    column: int | None = None
    for at, cells in rows(lines, outline, body):
        heads = [number for number, cell in enumerate(cells) if _COLUMN.fullmatch(cell)]
        if heads:
            column = heads[0]
        elif column is not None and column < len(cells) and cells[column].strip():
            yield Note(cells[column], path, at + 1)


def _lost(note: Note, text: str, *, is_risk: bool) -> Hit:
    short = texts.short(text)
    message = (
        say("Nothing in the plan takes up the mitigation: {text}", text=short)
        if is_risk
        else say("Nothing in the plan takes up the criterion: {text}", text=short)
    )
    return Hit(message, note.text, path=note.path, line=note.line)
