"""The Planner interface: who turns a request into operations, and what an answer looks like.

Three kinds stand behind it (`gitwfp.planners`): built-in rules, an answer handed in as JSON, and
an external command.
"""

from dataclasses import dataclass
from typing import Protocol

from gitwfp.errors import Diagnostic
from gitwfp.model.plan import Plan
from gitwfp.policy.operations import Operation


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
    mode: str
    reason: str
    notes: tuple[Diagnostic, ...] = ()


class Planner(Protocol):
    """Turns a request into operations."""

    @property
    def name(self) -> str:
        """What the history calls it."""
        ...

    def plan(self, plan: Plan) -> Planned:
        """Returns what the request asks of a plan."""
        ...
