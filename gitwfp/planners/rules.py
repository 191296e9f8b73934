"""The planner that is built in: deterministic rules, no model."""

from collections.abc import Callable
from dataclasses import dataclass

from gitwfp.errors import Diagnostic, Location, Severity, say
from gitwfp.model.plan import Plan
from gitwfp.policy.planning import Planned
from gitwfp.policy.request import understand
from gitwfp.policy.tasks import required_task


@dataclass(frozen=True, slots=True)
class RulesPlanner:
    """Reads a request in words.

    Attributes:
        text: The request.
        task: The task it was addressed to, as the user named it.
        tools: Names of the execution tools that are enabled.
        is_path: Tells whether the repository has a path.
        update_type: What an update may concern; "all" for everything.
        may_add: Whether something new that no task is about becomes a task.
        modules: The modules it is limited to; none for all.
        taken_ids: Ids that were in use once.
    """

    text: str
    task: str | None
    tools: tuple[str, ...]
    is_path: Callable[[str], bool]
    update_type: str | None = None
    may_add: bool = False
    modules: tuple[str, ...] = ()
    taken_ids: tuple[str, ...] = ()
    name: str = "rules"

    def plan(self, plan: Plan) -> Planned:
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
            update_type=self.update_type,
            may_add=self.may_add,
            modules=self.modules,
            taken_ids=self.taken_ids,
        )
        notes = [
            Diagnostic("derived", text, Severity.NOTE, Location(session=plan.ref.id, task=task))
            for text in found.derived
        ]
        notes += [
            Diagnostic(
                "not-understood",
                say("'{words}' is left out. {why}", words=leftover.words, why=leftover.reason),
                Severity.WARNING,
                Location(session=plan.ref.id, task=task),
            )
            for leftover in found.leftovers
        ]
        return Planned(found.operations, found.mode, self.text.strip(), tuple(notes))
