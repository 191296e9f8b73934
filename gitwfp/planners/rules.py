"""The planner that is built in: deterministic rules, no model."""

from collections.abc import Callable, Iterable

from gitwfp.classes import dataclass
from gitwfp.errors import Diagnostic, Location, Severity, say
from gitwfp.model.plan import Plan
from gitwfp.policy.clarify import Answers, Mode
from gitwfp.policy.planning import ALREADY_SO, Planned
from gitwfp.policy.request import mode_of, understand
from gitwfp.policy.request.edits import MET
from gitwfp.policy.request.order import derived_from
from gitwfp.policy.tasks import required_task


@dataclass(frozen=True, slots=True)
class RulesPlanner:
    """Reads a request in words.

    Attributes:
        text: The request.
        task: The task it was addressed to, as the user named it.
        tools: Names of the execution tools that are enabled.
        is_path: Tells whether the repository has a path.
    """

    text: str
    task: str | None
    tools: tuple[str, ...]
    is_path: Callable[[str], bool]
    name: str = "rules"

    def mode(self, plan: Plan) -> Mode:
        """Returns `task` for a request about one task, else `session`."""
        return "task" if self.task is not None else mode_of(self.text, plan)[0]

    def plan(self, plan: Plan, answers: Answers, taken_ids: Iterable[str]) -> Planned:
        """Returns the operations that the words mean.

        Raises:
            Refusal: The task does not exist (not found), or a statement contradicts the plan.
        """
        task = required_task(plan, self.task).id if self.task is not None else None
        found = understand(
            self.text,
            plan,
            task=task,
            tools=self.tools,
            known_paths=self.is_path,
            update_type=answers.update_type,
            may_add=answers.may_add,
            modules=answers.modules or (),
            taken_ids=taken_ids,
        )
        # What a flag has answered was not concluded from the text.
        concluded = derived_from(found.operations, answers.given)
        given = [text for text in derived_from(found.operations) if text not in concluded]
        notes = [
            Diagnostic("derived", text, Severity.NOTE, Location(session=plan.ref.id, task=task))
            for text in found.derived
            if text not in given
        ]
        notes += [
            Diagnostic(
                ALREADY_SO if leftover.reason in MET else "not-understood",
                say("'{words}' is left out. {why}", words=leftover.words, why=leftover.reason),
                Severity.NOTE if leftover.reason in MET else Severity.WARNING,
                Location(session=plan.ref.id, task=task),
            )
            for leftover in found.leftovers
        ]
        return Planned(found.operations, found.mode, self.text.strip(), tuple(notes))
