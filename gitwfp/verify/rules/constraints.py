"""Dimension I: no task breaks a constraint that the notes state."""

import re
from collections.abc import Iterator

from gitwfp.errors import say
from gitwfp.model import fields as f
from gitwfp.model.findings import Dimension, Level
from gitwfp.model.task import Task
from gitwfp.patterns import regex
from gitwfp.verify import texts
from gitwfp.verify.facts import Facts, clean_path
from gitwfp.verify.notes import Note
from gitwfp.verify.rule import Hit, rule

_PATH = regex(r"`([^`\s]+)`|(?<![\w/.-])((?:[\w.-]+/)+[\w.*-]*|[\w-]+\.(?:[a-z]{1,4}))(?![\w/])")
_HANDS_OFF = regex(
    r"\b(?:(?:do|must|shall|should|may|can)\s*(?:not|n't)|cannot|never|don't|no|without|avoid)\b"
    r"[^.;,]*\b(?:touch|modif\w+|chang\w+|edit\w*|alter\w*|writ\w+|delet\w+|remov\w+|break\w*|"
    r"rewrit\w+|move|rename)\b"
    r"|\b(?:read[- ]only|untouched|unchanged|off[- ]limits|frozen|forbidden)\b"
    r"|(?:不得|禁止|不要|不能|不可|勿|避免|不允许|不应)[^。；，]*(?:修改|改动|更改|变更|触碰|编辑|删除|动)"
    r"|保持不变|只读",
    re.IGNORECASE,
)
_MOST_TASKS = regex(
    r"(?:at most|no more than|max(?:imum)?(?: of)?|up to|不超过|至多|最多)\s*(\d{1,3})\s*"
    r"(?:impl\w* )?(?:tasks?|个任务|项任务)",
    re.IGNORECASE,
)
_NO_NEW = regex(
    r"\b(?:no|without|avoid|not add|not introduce|never add)\s+(?:any |adding |introducing )*"
    r"(?:new |additional |extra |third[- ]party |external |runtime )+"
    r"(?:runtime |npm |python )?(?:dependenc\w+|packages?|librar\w+)\b"
    r"|(?:不得|禁止|不|避免|无需?)(?:引入|新增|增加|添加)(?:任何)?(?:新的?|第三方|外部)*(?:依赖|库|包)",
    re.IGNORECASE,
)
_INSTALLS = regex(
    r"\b(?:npm (?:i|install)|yarn add|pnpm add|pip install|cargo add|go get|poetry add|uv add)"
    r"\s+[\w@-]"
    r"|\b(?:add|introduce|install)\w*\s+(?:the |a |an )?(?:new |third[- ]party |external )*"
    r"(?:[\w@/.-]+\s+)?(?:dependency|package|library)\b"
    r"|(?:引入|新增|安装|添加)[^。；，]{0,20}(?:依赖|库|包)",
    re.IGNORECASE,
)


@rule(
    "constraint-broken",
    Dimension.CONSTRAINTS,
    Level.CRITICAL,
    finds=say("A task that asks for what a constraint forbids, or takes away what it demands."),
    why=say("Constraints are what the user has set; a task does not overrule them."),
    example=say('Constraint 4: "No emoji icons". IMPL-3: "Use emoji icons for the status".'),
    remedy=say("Change the task, or have the constraint changed by whoever set it."),
)
def constraint_broken(facts: Facts) -> Iterator[Hit]:
    """Finds statements of tasks that contradict a constraint."""
    for note in facts.constraints:
        for task in facts.work:
            found = texts.contradiction(note.text, facts.sentences[task.id], least=0.8)
            if found is None and _adds_dependency(note, facts.sentences[task.id]):
                found = (note.text, "")
            if found is None:
                continue
            yield Hit(
                say(
                    "{task} breaks the constraint: {text}. It says: {said}",
                    task=task.id,
                    text=texts.short(note.text),
                    said=texts.short(found[1]),
                )
                if found[1]
                else say(
                    "{task} breaks the constraint: {text}",
                    task=task.id,
                    text=texts.short(note.text),
                ),
                f"{note.text} {task.id}",
                task.id,
            )


def _adds_dependency(note: Note, sentences: tuple[str, ...]) -> bool:
    if not _NO_NEW.search(note.text):
        return False
    return any(
        _INSTALLS.search(clause) and not texts.is_negative(clause)
        for sentence in sentences
        for clause in (sentence,)
    )


@rule(
    "forbidden-path",
    Dimension.CONSTRAINTS,
    Level.CRITICAL,
    finds=say("A task that writes to a path which a constraint puts out of reach."),
    why=say("The user has said that these files stay as they are."),
    example=say('Constraint: "do not modify src/legacy/". IMPL-2 focuses on src/legacy/db.ts.'),
    remedy=say("Take the path out of the task, or have the constraint changed."),
)
def forbidden_path(facts: Facts) -> Iterator[Hit]:
    """Finds focus paths and target files below a path that may not be touched."""
    for note in facts.constraints:
        if not _HANDS_OFF.search(note.text):
            continue
        closed = [
            path
            for found in _PATH.findall(note.text)
            if (path := clean_path((found[0] or found[1]).rstrip("*"))) and "." not in path[:1]
        ]
        for task in facts.work:
            for path in _paths(facts, task):
                below = next(
                    (one for one in closed if path == one or path.startswith(one + "/")), None
                )
                if below is not None:
                    yield Hit(
                        say(
                            "{task} works on {path}, which a constraint closes: {text}",
                            task=task.id,
                            path=path,
                            text=texts.short(note.text),
                        ),
                        f"{path} {below}",
                        task.id,
                        field=f.FOCUS_PATHS,
                    )
                    break


def _paths(facts: Facts, task: Task) -> tuple[str, ...]:
    focus = tuple(path for text in task.texts(f.FOCUS_PATHS) if (path := clean_path(text)))
    return tuple(dict.fromkeys((*facts.writes[task.id], *focus)))


@rule(
    "constraint-value",
    Dimension.CONSTRAINTS,
    Level.HIGH,
    finds=say("A task that gives another number than a constraint does for the same thing."),
    why=say("One of the two is wrong, and the constraint is what was agreed."),
    example=say('Constraint: "Tokens expire after 15 minutes". IMPL-1: "... after 60 minutes".'),
    remedy=say("Use the number of the constraint, or have the constraint changed."),
)
def constraint_value(facts: Facts) -> Iterator[Hit]:
    """Finds numbers of the same unit that differ between a constraint and a task on its subject."""
    for note in facts.constraints:
        for rule_clause in texts.clauses(note.text):
            if not texts.values(rule_clause.text) or len(rule_clause.terms) < 3:
                continue
            wanted = frozenset(t for t in rule_clause.terms if not t[:1].isdigit())
            for task in facts.work:
                hit = _other_value(rule_clause.text, wanted, facts.sentences[task.id])
                if hit is not None:
                    yield Hit(
                        say(
                            "{task} gives another number than the constraint: {text}. "
                            "It says: {said}",
                            task=task.id,
                            text=texts.short(note.text),
                            said=texts.short(hit),
                        ),
                        f"{note.text} {task.id}",
                        task.id,
                    )


def _other_value(held: str, wanted: frozenset[str], sentences: tuple[str, ...]) -> str | None:
    for sentence in sentences:
        for said in texts.clauses(sentence):
            about = texts.share(wanted, said.terms)
            if len(wanted) >= 2 and about >= 0.8 and texts.values_differ(held, said.text):
                return said.text
    return None


@rule(
    "more-tasks-than-allowed",
    Dimension.CONSTRAINTS,
    Level.HIGH,
    finds=say("More tasks than a constraint allows."),
    why=say("The user has set how large the plan may be."),
    example=say('Constraint: "at most 5 tasks". There are seven.'),
    remedy=say("Merge tasks, or have the constraint changed."),
)
def more_tasks_than_allowed(facts: Facts) -> Iterator[Hit]:
    """Finds plans that are larger than a constraint of theirs."""
    for note in facts.constraints:
        match = _MOST_TASKS.search(note.text)
        if match is not None and len(facts.work) > int(match[1]):
            yield Hit(
                say(
                    "There are {number} tasks; a constraint allows {limit}.",
                    number=len(facts.work),
                    limit=int(match[1]),
                ),
                note.text,
                path=note.path,
                line=note.line,
            )
