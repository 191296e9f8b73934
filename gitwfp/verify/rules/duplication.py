"""Dimension G: nothing is planned twice."""

from collections.abc import Iterator
from itertools import combinations

from gitwfp.errors import say
from gitwfp.model import fields as f
from gitwfp.model.findings import Dimension, Level
from gitwfp.model.task import Task
from gitwfp.verify import texts
from gitwfp.verify.facts import Facts, clean_path
from gitwfp.verify.rule import Hit, rule

_MOST_PAIRS = 300


@rule(
    "overlapping-tasks",
    Dimension.DUPLICATION,
    Level.LOW,
    finds=say("Two tasks that say nearly the same."),
    why=say("The work is done twice, or two agents undo what the other did."),
    example=say('IMPL-2: "Add login form". IMPL-5: "Build the form for signing in".'),
    remedy=say("Merge them: git wfp replan with a merge operation."),
)
def overlapping_tasks(facts: Facts) -> Iterator[Hit]:
    """Finds pairs of tasks that are alike by what they ask for, or by title and paths."""
    if len(facts.work) > _MOST_PAIRS:
        return
    about = {task.id: _about(task) for task in facts.work}
    paths = {task.id: frozenset(_paths(facts, task)) for task in facts.work}
    titles = {task.id: texts.terms(task.title) for task in facts.work}
    for one, other in combinations(facts.work, 2):
        alike = texts.likeness(about[one.id], about[other.id])
        names = texts.likeness(titles[one.id], titles[other.id])
        shared = texts.likeness(paths[one.id], paths[other.id]) if paths[one.id] else 0.0
        is_same = alike >= 0.8 and (names >= 0.5 or shared >= 0.5)
        is_near = (alike >= 0.5 and shared >= 0.5 and names >= 0.4) or (
            names >= 0.75 and len(titles[one.id]) >= 3 and (shared >= 0.5 or alike >= 0.4)
        )
        if is_same or is_near:
            yield Hit(
                say(
                    "{one} and {other} say nearly the same: {title}",
                    one=one.id,
                    other=other.id,
                    title=texts.short(one.title, 80),
                ),
                other.id,
                one.id,
                level=Level.MEDIUM if is_same else None,
            )


def _about(task: Task) -> frozenset[str]:
    said = (task.title, *task.texts(f.REQUIREMENTS), *task.texts(f.ACCEPTANCE))
    return frozenset[str]().union(*map(texts.terms, said))


def _paths(facts: Facts, task: Task) -> Iterator[str]:
    yield from facts.writes[task.id]
    yield from (path for text in task.texts(f.FOCUS_PATHS) if (path := clean_path(text)))


@rule(
    "requirement-covered-twice",
    Dimension.DUPLICATION,
    Level.LOW,
    finds=say("The same sentence asked for by two tasks."),
    why=say("One of the two will find it done, or do it again in another way."),
    example=say('IMPL-1 and IMPL-4 both ask for "Validate the e-mail address".'),
    remedy=say("Leave it in one of them."),
)
def requirement_covered_twice(facts: Facts) -> Iterator[Hit]:
    """Finds requirements that stand word for word in several tasks."""
    seen: dict[str, str] = {}
    for task in facts.work:
        for text in dict.fromkeys(task.texts(f.REQUIREMENTS)):
            plain = " ".join(text.split()).casefold().rstrip(".。")
            if len(texts.terms(text)) < 3:
                continue
            other = seen.setdefault(plain, task.id)
            if other != task.id:
                yield Hit(
                    say(
                        "{one} and {other} ask for the same: {text}",
                        one=other,
                        other=task.id,
                        text=texts.short(text, 80),
                    ),
                    f"{other} {plain}",
                    task.id,
                    field=f.REQUIREMENTS,
                )
