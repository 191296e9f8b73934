"""Judges what the rules planner makes of a request against what the battery expects.

Operations are judged by their effect on the plan, as `README.md` here says.
"""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gitwfp.change.changeset import between
from gitwfp.change.kinds import SessionEdited, TaskEdited
from gitwfp.errors import ExitCode, Refusal
from gitwfp.files.codec import read_plan
from gitwfp.files.paths import find_sessions
from gitwfp.files.tree import MemoryFiles
from gitwfp.model import fields as f
from gitwfp.model.plan import Plan
from gitwfp.model.task import TaskId
from gitwfp.model.values import strings
from gitwfp.planners.rules import RulesPlanner
from gitwfp.policy.bookkeeping import Entry
from gitwfp.policy.clarify import Answers
from gitwfp.policy.operations import CreateTask, MergeTasks, ReorderTask, Scope, SplitTask
from gitwfp.policy.replan import Limits, Proposal, propose
from gitwfp.verify.consistency import compare

FOLDER = Path(__file__).parent
TOOLS = ("codex", "gemini", "qwen", "claude")
ANSWERS = Answers(scope=Scope.COMPREHENSIVE)
_LISTS = (f.REQUIREMENTS, f.ACCEPTANCE, f.FOCUS_PATHS, f.DEPENDS_ON)
_REFUSALS = {
    ExitCode.USAGE: "usage",
    ExitCode.NOT_FOUND: "not_found",
    ExitCode.REFUSED: "refused",
}

Request = dict[str, Any]
Effect = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the planner made of a request.

    Attributes:
        effects: What it does to the plan, each with the text that a pattern is held against.
        refused: The kind of refusal, if it was refused.
        leftovers: What it said it did not understand.
    """

    effects: tuple[tuple[Effect, str], ...]
    refused: str | None
    leftovers: tuple[str, ...]


def requests(language: str) -> list[Request]:
    """Returns the requests of a language: `english` or `chinese`."""
    found: list[Request] = json.loads((FOLDER / f"{language}.json").read_text("utf-8"))
    return found


def battery_plan() -> Plan:
    """Returns the plan that the requests are about."""
    root = FOLDER / "plan"
    files = {
        "." + path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }
    tree = MemoryFiles(files)
    (ref,) = find_sessions(tree)
    return read_plan(tree, ref)


def answer_to(request: Request, plan: Plan) -> Answer:
    """Returns what the planner makes of a request, the whole way to a verified change set."""
    planner = RulesPlanner(request["request"], request["task"], TOOLS, lambda _: False)
    try:
        planned = planner.plan(plan, ANSWERS, ())
        leftovers = tuple(str(note.message) for note in planned.notes)
        if not planned.operations:
            return Answer((), "usage", leftovers)
        entry = Entry("WFS-x/t", "2026-11-30T19:07:52Z", "why", Scope.COMPREHENSIVE, "b~1")
        proposal = propose(plan, planned.operations, entry, Limits())
    except Refusal as refusal:
        return Answer((), _REFUSALS[refusal.exit_code], (str(refusal.message),))
    if compare(plan, proposal.after, max_tasks=20).added:
        return Answer((), "refused", leftovers)
    return Answer(tuple(_effects(plan, proposal)), None, leftovers)


def verdict(request: Request, answer: Answer) -> tuple[Counter[str], list[str]]:
    """Compares an answer with what is expected.

    Returns:
        Counts of `right`, `missing` and `extra` effects, and what is wrong in words.
    """
    expect = request["expect"]
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    left = list(answer.effects)
    for kind, pattern in _expected(expect["operations"]):
        hit = next((one for one in left if one[0] == kind and _fits(pattern, one[1])), None)
        if hit is None:
            counts["missing"] += 1
            wrong.append(f"missing {' '.join(kind)}: {pattern}")
        else:
            counts["right"] += 1
            left.remove(hit)
    for kind, text in left:
        if kind[0] != "near":
            counts["extra"] += 1
            wrong.append(f"extra {' '.join(kind)}: {text}")
    if expect["refused"] is not None and answer.refused is None:
        wrong.append("not refused")
    elif expect["refused"] is not None and request["clear"] and answer.refused != expect["refused"]:
        wrong.append(f"refused as {answer.refused}, not as {expect['refused']}")
    elif expect["refused"] is None and answer.refused is not None:
        wrong.append(f"refused as {answer.refused}: {' '.join(answer.leftovers)}")
    said = " ".join(answer.leftovers).casefold()
    wrong += [f"not reported: {words}" for words in expect["leftovers"] if not _fits(words, said)]
    return counts, wrong


def _effects(plan: Plan, proposal: Proposal) -> list[tuple[Effect, str]]:
    found: list[tuple[Effect, str]] = []
    shaped: set[str] = set()
    made: set[str] = set()
    new = {each.title for each in proposal.operations if isinstance(each, CreateTask)}
    fresh = [task for task in proposal.after.tasks.values() if task.id not in plan.tasks]
    for operation in proposal.operations:
        if isinstance(operation, SplitTask):
            split = plan.task(operation.task)
            shaped.add(split.id if split else operation.task)
            for number, part in enumerate(operation.parts):
                found.append((("split", shaped_id(plan, operation.task), str(number)), part.title))
                made.update(task.id for task in fresh if task.title == part.title)
        elif isinstance(operation, MergeTasks):
            ids = sorted(shaped_id(plan, name) for name in operation.tasks)
            shaped.update(ids)
            found.append((("merge", *ids), ""))
            made.update([next(task.id for task in fresh if task.title not in new)])
        elif isinstance(operation, ReorderTask):
            ids = [shaped_id(plan, name) for name in (operation.task, operation.before)]
            found.append((("reorder", *ids), ""))
    for task in fresh:
        if task.id not in made:
            found.append((("create",), task.title))
            found.extend((("near", task.id), on) for on in task.depends_on)
    gone = plan.tasks.keys() - proposal.after.tasks.keys() - shaped
    found += [(("delete", name), "") for name in gone]
    return found + _field_effects(plan, proposal, {task.id for task in fresh}, bool(shaped))


def _field_effects(
    plan: Plan, proposal: Proposal, created: set[TaskId], rewired: bool
) -> list[tuple[Effect, str]]:
    found: list[tuple[Effect, str]] = []
    for change in between(plan, proposal.after).of_intent.changes:
        if isinstance(change, SessionEdited):
            found.append((("session",), str(change.after)))
        if isinstance(change, TaskEdited):
            found.extend(_edits(change, set(created), rewired=rewired))
    return found


def shaped_id(plan: Plan, name: str) -> str:
    """Returns an id as the plan spells it."""
    task = plan.task(name)
    return task.id if task is not None else name


def _edits(change: TaskEdited, created: set[str], *, rewired: bool) -> list[tuple[Effect, str]]:
    start: Effect = ("update", change.task, change.field)
    if change.field == f.INHERITED:
        return [(("near", change.task), "")]
    if change.field not in _LISTS:
        return [(start, json.dumps(change.after, ensure_ascii=False, sort_keys=True))]
    before, after = Counter(strings(change.before)), Counter(strings(change.after))
    edits: list[tuple[Effect, str]] = [
        ((*start, "add"), text) for text in (after - before).elements()
    ]
    edits += [((*start, "remove"), text) for text in (before - after).elements()]
    if change.field == f.DEPENDS_ON:
        if rewired:
            return [(("near", change.task), text) for _, text in edits]
        return [(("near", change.task), t) if t in created else (k, t) for k, t in edits]
    return edits


def _expected(operations: list[dict[str, Any]]) -> list[tuple[Effect, str]]:
    found: list[tuple[Effect, str]] = []
    for operation in operations:
        kind, task = operation["type"], operation.get("task", "")
        if kind == "update":
            found.extend(_expected_update(task, operation))
        elif kind == "split":
            found.extend(((kind, task, str(n)), p) for n, p in enumerate(operation["parts"]))
        elif kind == "merge":
            found.append(((kind, *sorted(operation["tasks"])), ""))
        elif kind == "reorder":
            found.append(((kind, task, operation["before"]), ""))
        elif kind == "delete":
            found.append(((kind, task), ""))
        else:
            found.append(((kind,), " & ".join(operation["title_has"])))
    return found


def _expected_update(task: str, operation: dict[str, Any]) -> list[tuple[Effect, str]]:
    found: list[tuple[Effect, str]] = []
    for name, edit in operation.get("fields", {}).items():
        for way in ("add", "remove"):
            found.extend((("update", task, name, way), text) for text in edit.get(way, ()))
        for item in edit.get("replace", ()):
            found.append((("update", task, name, "remove"), item["old"]))
            found.append((("update", task, name, "add"), item["new"]))
    if "title" in operation:
        found.append((("update", task, f.TITLE), operation["title"]))
    if "execution" in operation:
        tool = operation["execution"]["cli_tool"] or "agent"
        found.append((("update", task, f.EXECUTION), tool))
    return found


def _fits(pattern: str, text: str) -> bool:
    folded = text.casefold()
    return all(word.strip().casefold() in folded for word in pattern.split("&"))
