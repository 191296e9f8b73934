"""The Planner interface: who turns a request into operations, and what an answer looks like.

Three kinds stand behind it (`gitwfp.planners`): built-in rules, an answer handed in as JSON, and
an external command.
"""

from collections.abc import Iterable
from typing import Final, Protocol

from gitwfp.classes import dataclass
from gitwfp.errors import Diagnostic, Severity
from gitwfp.model.plan import Plan
from gitwfp.policy.clarify import Answers, Mode
from gitwfp.policy.operations import Operation

ALREADY_SO: Final = "already-so"
"""The code of a note that something asked for is so already."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A planner's answer.

    Attributes:
        operations: What is to be done.
        mode: `task` or `session`.
        reason: Why, in the requester's words.
        notes: What was derived, and what was not understood.
    """

    operations: tuple[Operation, ...]
    mode: Mode
    reason: str
    notes: tuple[Diagnostic, ...] = ()

    @property
    def is_met(self) -> bool:
        """Whether nothing is to be done because all that was asked for is so already."""
        warned = any(note.severity is not Severity.NOTE for note in self.notes)
        met = any(note.code == ALREADY_SO for note in self.notes)
        return met and not warned and not self.operations


class Planner(Protocol):
    """Turns a request into operations."""

    @property
    def name(self) -> str:
        """What the history calls it."""
        ...

    def mode(self, plan: Plan) -> Mode | None:
        """Returns what the request is about; None when nothing in it is open to questions."""
        ...

    def plan(self, plan: Plan, answers: Answers, taken_ids: Iterable[str]) -> Planned:
        """Returns what the request asks of a plan.

        Args:
            plan: The plan.
            answers: How far the request shall go; what is not answered is up to the planner.
            taken_ids: Ids that were in use once.
        """
        ...
