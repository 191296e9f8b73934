"""What is said of a task right behind the statement that adds it, as in "It depends on IMPL-2".

The next sentences of the same line or bullet, and the bullets below such a line, go on with the
new task where they say what it depends on, which files it touches or when it is done. "It" and
"the new task" stand for it, so with them any requirement does.
"""

import re
from collections.abc import Iterable
from typing import Final

from gitwfp.classes import replace
from gitwfp.model import fields as f
from gitwfp.model.plan import Plan
from gitwfp.model.task import TaskId
from gitwfp.policy.operations import CreateTask
from gitwfp.policy.request.clauses import begins_anew
from gitwfp.policy.request.grammar import Lazy
from gitwfp.policy.request.mentions import TASK, Masked, Mention
from gitwfp.policy.request.needs import Needs
from gitwfp.policy.request.outline import Remark
from gitwfp.policy.request.pathwords import KnownPaths, Trust, only_paths
from gitwfp.policy.request.phrases import Added, Phrase, plain_requirement, read_phrase
from gitwfp.policy.request.replacing import Removed, Replaced
from gitwfp.policy.tasks import required_task

_IT: Final = Lazy(
    r"(?:(?P<this>this task|this|(?:该|此|本|这个)任务)|it|that task|the (?:new )?task|the new one"
    r"|they|both(?: tasks| of them)?|all of them|它们?|其|新任务|两者|二者)"
    r"(?: (?:also|then|now|both|all)|都|也)*(?: (?=[a-z])|(?<=[^\x00-\x7f]) ?)",
    re.IGNORECASE,
)


_ON_THIS: Final = Lazy(
    r"depends? on this(?: task| one)?|依赖(?:于)?(?:该|此|本|这个)任务", re.IGNORECASE
)
_TOUCHES: Final = Lazy(
    r"(?:changes?|edits?|modif(?:y|ies)|touch(?:es)?"
    r"|(?:lives?|lies?|works?|goes|belongs) (?:in|on|into|to)) (?P<paths>.+)"
    r"|(?:修改|改动|更新|涉及|位于|放在) ?(?P<wide>.+)",
    re.IGNORECASE,
)


def said_of_new(
    masked: Masked,
    remark: Remark,
    opener: Remark,
    known: KnownPaths,
    tools: tuple[str, ...],
    *,
    subject: TaskId | None,
) -> tuple[Phrase, ...]:
    """Returns what a remark says of the task that the one before has added, () for nothing.

    Args:
        masked: The request.
        remark: The remark.
        opener: The one that added the task.
        known: Which paths the tree has.
        tools: The tools that may execute tasks.
        subject: The task that the request is about, which "this task" then is.
    """
    paragraph, bullet = remark.place
    is_below = opener.place == (paragraph, 0) and bullet > 0
    is_near = is_below or remark.place == opener.place
    if not is_near or remark.unread or remark.label or remark.items or remark.tasks != opener.tasks:
        return ()
    named = _IT.match(remark.words)
    words = remark.words[named.end() :] if named else remark.words
    if begins_anew(masked, remark.words) or not words:
        return ()
    if subject is not None and named and named["this"]:
        return ()
    if subject is not None and _ON_THIS.fullmatch(words):
        return (Needs(add=(Mention(subject, subject),)),)
    said = _read(masked, words, known, tools, is_item=is_below)
    if not all(_fits(each, is_sure=is_below or named is not None) for each in said):
        return ()
    has_needs = any(isinstance(each, Needs) for each in said)
    return said if has_needs or re.search(TASK, words) is None else ()


def _read(
    masked: Masked, words: str, known: KnownPaths, tools: tuple[str, ...], *, is_item: bool
) -> tuple[Phrase, ...]:
    """Reads what a statement says of a new task."""
    touched = _TOUCHES.fullmatch(words)
    named = masked.plain(touched["paths"] or touched["wide"]) if touched else ""
    paths = only_paths(named, known, Trust.ALONE) if touched else ()
    if paths:
        return (Added(f.FOCUS_PATHS, paths),)
    said = read_phrase(masked, words, known, tools)
    if is_item and any(isinstance(each, Removed | Replaced) for each in said):
        # There is nothing in it yet to remove or to replace.
        return plain_requirement(masked, words, known)
    return said


def _fits(phrase: Phrase, *, is_sure: bool) -> bool:
    """Tells whether a new task can have what a phrase says."""
    if isinstance(phrase, Needs):
        return bool(phrase.add) and not phrase.remove
    if not isinstance(phrase, Added):
        return False
    return phrase.field in (f.ACCEPTANCE, f.FOCUS_PATHS) or (
        is_sure and phrase.field == f.REQUIREMENTS
    )


def extended(
    new: CreateTask, phrases: Iterable[Phrase], plan: Plan, words: str, *, first: bool = False
) -> CreateTask:
    """Returns a new task with what more is said of it.

    Args:
        new: The task.
        phrases: What is said.
        plan: The plan, for the tasks that it depends on.
        words: The statement as it was written.
        first: Whether dependencies that are told come before those that were concluded.

    Raises:
        Refusal: It names a task that is not there (not found).
    """
    lists: dict[str, tuple[str, ...]] = {
        f.REQUIREMENTS: new.requirements,
        f.ACCEPTANCE: new.acceptance,
        f.FOCUS_PATHS: new.focus_paths,
    }
    needs: tuple[TaskId | str, ...] = new.depends_on
    for phrase in phrases:
        if isinstance(phrase, Added):
            lists[phrase.field] = tuple(dict.fromkeys((*lists[phrase.field], *phrase.texts)))
        elif isinstance(phrase, Needs):
            told = tuple(required_task(plan, each.task or each.words).id for each in phrase.add)
            needs = tuple(dict.fromkeys((*told, *needs) if first else (*needs, *told)))
    return replace(
        new,
        requirements=lists[f.REQUIREMENTS],
        acceptance=lists[f.ACCEPTANCE],
        focus_paths=lists[f.FOCUS_PATHS],
        depends_on=needs,
        words=words if new.words in words else f"{new.words}; {words}",
    )
