"""What a rule is: a function from the facts of a plan to what it finds, and its documentation.

Example:
    ```python
    @rule(
        "empty-title",
        Dimension.SPECIFICATION,
        Level.LOW,
        finds=say("A task without a title."),
        why=say("Nobody can tell what it is for."),
        example=say("IMPL-2 has an empty title."),
        remedy=say("Give it a title."),
    )
    def empty_title(facts: Facts) -> Iterator[Hit]:
        ...
    ```

A rule declares what it looks at. What depends on the intent of the plan alone gives the same
answer for as long as the intent digest is the same, and can be remembered.
"""

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.errors import Location, Text
from gitwfp.model.findings import Dimension, Finding, Level
from gitwfp.verify.facts import Facts


class Input(StrEnum):
    """What a rule looks at besides its own settings."""

    INTENT = "intent"
    PROGRESS = "progress"
    TREE = "tree"
    SESSIONS = "sessions"


INTENT_ALONE: Final = frozenset({Input.INTENT})
"""The inputs of rules whose results are the same for as long as the intent is."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One place where a rule applies.

    Attributes:
        message: What is the matter.
        subject: What tells it from other hits of the rule.
        task: The task it is about.
        path: The file it is in, from the repository root.
        line: The line in it, from 1.
        field: The field of the task.
        level: How much it weighs, where that is not what the rule's findings usually do.
        advice: What to do, where the rule's remedy does not say it.
    """

    message: Text
    subject: str
    task: str | None = None
    path: str | None = None
    line: int | None = None
    field: str | None = None
    level: Level | None = None
    advice: Text | None = None


Check = Callable[[Facts], Iterable[Hit]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule.

    Attributes:
        id: Its stable id.
        dimension: What it looks at.
        level: How much its findings weigh, unless one says otherwise.
        inputs: What its answer depends on.
        finds: What it finds, in a sentence.
        why: Why that matters.
        example: A plan that has it.
        remedy: How to put it right.
        check: The function.
    """

    id: str
    dimension: Dimension
    level: Level
    inputs: frozenset[Input]
    finds: Text
    why: Text
    example: Text
    remedy: Text
    check: Check

    def findings(self, facts: Facts) -> Iterable[Finding]:
        """Yields what the rule finds in a plan."""
        for hit in self.check(facts):
            task = facts.plan.tasks.get(hit.task) if hit.task is not None else None  # type: ignore[call-overload]
            path = hit.path or (task.origin.path if task is not None and task.origin else None)
            where = Location(
                path,
                hit.line,
                session=facts.plan.ref.id,
                task=hit.task,
                field=hit.field,
            )
            yield Finding(
                self.id,
                hit.level or self.level,
                hit.message,
                where,
                hit.subject,
                hit.advice or self.remedy,
                self.dimension,
            )


_RULES: Final[dict[str, Rule]] = {}


def rule(
    name: str,
    dimension: Dimension,
    level: Level,
    *,
    finds: Text,
    why: Text,
    example: Text,
    remedy: Text,
    inputs: Iterable[Input] = (Input.INTENT,),
) -> Callable[[Check], Check]:
    """Returns the decorator that makes a rule of a function; see `Rule`."""

    def decorate(check: Check) -> Check:
        if name in _RULES:
            raise ValueError(name)
        _RULES[name] = Rule(
            name, dimension, level, frozenset(inputs), finds, why, example, remedy, check
        )
        return check

    return decorate


def declared() -> Mapping[str, Rule]:
    """Returns the rules of all modules that are imported, by id."""
    return _RULES
