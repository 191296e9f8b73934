"""Ripple: tasks that depend on a changed one get a note of what changed, and no more.

The note goes where the format keeps what a task inherits, so nobody's own requirements are
touched.
"""

from itertools import pairwise

from gitwfp.classes import dataclass
from gitwfp.errors import Text, say
from gitwfp.model import fields as f
from gitwfp.model.graph import dependents_of, edges_of
from gitwfp.model.plan import Plan
from gitwfp.model.task import Task, TaskId, id_key
from gitwfp.policy.clarify import Ripple
from gitwfp.policy.lists import plain
from gitwfp.policy.operations import ListEdit, Operation, UpdateTask
from gitwfp.policy.reasons import Because


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a dependent gets a note, and why.

    Attributes:
        task: The dependent.
        touched: Whether it does.
        why: The proof.
    """

    task: TaskId
    touched: bool
    why: Text


def with_ripple(
    plan: Plan, operations: tuple[Operation, ...], ripple: Ripple
) -> tuple[tuple[Operation, ...], tuple[Verdict, ...]]:
    """Returns operations with the notes that dependents get, and a verdict on each dependent.

    Args:
        plan: The plan.
        operations: What is wanted.
        ripple: `yes` notes every dependent that is still open, `analyze` only those that the
            change really concerns, `no` none.
    """
    named = {operation.task for operation in operations if isinstance(operation, UpdateTask)}
    result = list(operations)
    verdicts: list[Verdict] = []
    for operation in operations:
        if not isinstance(operation, UpdateTask):
            continue
        source = plan.task(operation.task)
        news = _news(operation)
        if source is None or not news:
            continue
        ways = dependents_of(edges_of(plan), (source.id,))
        for task_id in sorted(ways, key=id_key):
            verdict = _judge(source, plan.tasks[task_id], ways[task_id], news, ripple)
            verdicts.append(verdict)
            if verdict.touched and task_id not in named:
                result.append(_note(task_id, source, news, operation))
    return tuple(result), tuple(verdicts)


def _news(operation: UpdateTask) -> tuple[str, ...]:
    edits = (operation.requirements, operation.acceptance)
    fresh = [text for edit in edits for text in (*edit.add, *(edit.set or ()))]
    fresh += [item.new for edit in edits for item in edit.replace]
    return tuple(dict.fromkeys(fresh))


def _note(task_id: TaskId, source: Task, news: tuple[str, ...], cause: UpdateTask) -> UpdateTask:
    return UpdateTask(
        task=task_id,
        notes=ListEdit(add=tuple(f"{source.id}: {text}" for text in news)),
        reason=Because(
            say("{source} changes, and {task} depends on it", source=source.id, task=task_id)
        ),
        words=cause.words,
    )


def _judge(
    source: Task,
    task: Task,
    way: tuple[TaskId, ...],
    news: tuple[str, ...],
    ripple: Ripple,
) -> Verdict:
    chain = " -> ".join(way)
    if not task.is_open:
        return Verdict(task.id, False, say("{chain}: it is not open any more.", chain=chain))
    if ripple == "yes":
        return Verdict(task.id, True, say("{chain}: every dependent was asked for.", chain=chain))
    if ripple == "no":
        return Verdict(task.id, False, say("{chain}: listed only.", chain=chain))
    shared = sorted(set(source.texts(f.FOCUS_PATHS)) & set(task.texts(f.FOCUS_PATHS)))
    if shared:
        return Verdict(
            task.id, True, say("{chain}: both work on {path}.", chain=chain, path=shared[0])
        )
    words = _words(" ".join(news)) & _words(_text(task))
    if words:
        return Verdict(
            task.id,
            True,
            say("{chain}: it speaks of {words} too.", chain=chain, words=", ".join(sorted(words))),
        )
    if len(way) == 2:
        return Verdict(
            task.id, True, say("{chain}: it builds directly on the result.", chain=chain)
        )
    return Verdict(task.id, False, say("{chain}: no path and no word in common.", chain=chain))


def _text(task: Task) -> str:
    return " ".join([task.title, *task.texts(f.REQUIREMENTS), *task.texts(f.ACCEPTANCE)])


def _words(text: str) -> frozenset[str]:
    """Returns a text's telling words: Latin ones of five letters or more, pairs of Han ones."""
    folded = plain(text)
    latin = "".join(c if c.isalnum() and c.isascii() else " " for c in folded).split()
    wide = [c if c > "\u2e7f" else " " for c in folded]
    pairs = {"".join(pair) for pair in pairwise(wide) if " " not in pair}
    return frozenset({word for word in latin if len(word) >= 5} | pairs)
