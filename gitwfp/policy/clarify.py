"""Clarification: which questions a request leaves open, and what is assumed where nobody is asked.

Pure questions and answers. A flag of the command line is an answer given beforehand; answers
given before an adjustment are the defaults of the next round.
"""

from collections.abc import Mapping
from typing import Final, Literal, TypeVar

from gitwfp.classes import dataclass, fields, replace
from gitwfp.errors import Text, say, say_n
from gitwfp.model import fields as f
from gitwfp.model.plan import Plan
from gitwfp.policy.operations import (
    CreateTask,
    DeleteTask,
    MergeTasks,
    Operation,
    Scope,
    SplitTask,
    UpdateTask,
    scope_needed,
)
from gitwfp.policy.reasons import together

Mode = Literal["task", "session"]
TaskChanges = Literal["update_only", "add_remove", "merge_split"]
UpdateType = Literal["requirements", "implementation", "focus_paths", "depends_on", "all"]
Ripple = Literal["yes", "no", "analyze"]

MODULES_SHOWN: Final = 8
"""With the answer for all of them, each has a digit of its own."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What is known about how far a replan shall go; None is not answered.

    Attributes:
        scope: How far it may reach.
        modules: The modules concerned, as paths; empty for all that are affected.
        task_changes: Whether tasks are updated, added and removed, or merged and split.
        dependencies: Whether dependencies may change.
        update_type: What of a task may change.
        ripple: Whether dependents get a note of it.
    """

    scope: Scope | None = None
    modules: tuple[str, ...] | None = None
    task_changes: TaskChanges | None = None
    dependencies: bool | None = None
    update_type: UpdateType | None = None
    ripple: Ripple | None = None

    @property
    def given(self) -> frozenset[str]:
        """The names of the answers that are known."""
        return frozenset(each.name for each in fields(self) if getattr(self, each.name) is not None)

    @property
    def may_add(self) -> bool:
        """Whether something new that no task is about may become a task.

        A scope that restructures tasks means adding and removing unless task changes say else.
        """
        if self.task_changes is not None:
            return self.task_changes == "add_remove"
        return self.scope is not None and self.scope.rank >= Scope.TASK_RESTRUCTURE.rank


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to a question.

    Attributes:
        value: The identifier, never translated.
        label: The answer in words; whoever shows it adds the identifier in brackets.
        alone: Whether it stands for all the others.
    """

    value: str
    label: Text
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """One question about a replan.

    Attributes:
        name: The field of `Answers` that it fills.
        text: What is asked.
        options: The answers there are.
        defaults: The answers that are taken when none is given; one, unless several may be given.
        flag: The option of the command that answers it beforehand.
        several: Whether several answers may be given.
    """

    name: str
    text: Text
    options: tuple[Option, ...]
    defaults: tuple[str, ...]
    flag: str
    several: bool = False


def next_question(plan: Plan, mode: Mode, known: Answers, before: Answers) -> Question | None:
    """Returns the next open question, None when everything needed is known.

    Args:
        plan: The plan; modules are taken from its tasks' focus paths.
        mode: `task` or `session`.
        known: What is answered already.
        before: The answers of the round before, which are the defaults now.
    """
    asked = _TASK_QUESTIONS if mode == "task" else _SESSION_QUESTIONS
    for name in asked:
        if getattr(known, name) is None and _matters(name, known):
            return _question(plan, name, before)
    return None


def answered(known: Answers, question: Question, values: tuple[str, ...]) -> Answers:
    """Returns the answers with one more.

    Args:
        known: What is answered already.
        question: What was asked.
        values: What was answered: one value, or several where the question takes several.
    """
    value = values[0]
    match question.name:
        case "scope":
            return replace(known, scope=Scope(value))
        case "modules":
            return replace(known, modules=() if ALL_MODULES in values else values)
        case "task_changes":
            return replace(known, task_changes=_one_of(value, _TASK_CHANGES))
        case "dependencies":
            return replace(known, dependencies=value == "yes")
        case "update_type":
            return replace(known, update_type=_one_of(value, _UPDATE_TYPES))
        case _:
            return replace(known, ripple=_one_of(value, _RIPPLES))


def assumed(mode: Mode, known: Answers, operations: tuple[Operation, ...] = ()) -> Text | None:
    """Returns what is assumed in place of the questions about a session, for people to see.

    Args:
        mode: What the request is about; nothing is assumed about a single task but what the
            summary shows anyway.
        known: What flags have answered.
        operations: What is done; what it answers by itself is derived and not assumed.
    """
    is_wider = any(scope_needed(each) is not Scope.TASKS_ONLY for each in operations)
    reshapes = any(isinstance(each, CreateTask | _RESHAPING) for each in operations)
    rewires = any(
        bool(each.depends_on) if isinstance(each, UpdateTask) else isinstance(each, _RESHAPING)
        for each in operations
    )
    open_ones = {
        "scope": known.scope is None and not is_wider,
        "modules": known.modules is None,
        "task_changes": known.task_changes is None and known.scope is None and not reshapes,
        "dependencies": known.dependencies is None and not rewires,
    }
    parts = [_ASSUMED[name] for name, is_open in open_ones.items() if is_open]
    if mode == "task" or not parts:
        return None
    return say("Assumed where the request says nothing else: {defaults}.", defaults=together(parts))


def is_about_execution(operations: tuple[Operation, ...]) -> bool:
    """Tells whether a request says who executes tasks and nothing else, so nothing is open."""
    return bool(operations) and all(
        isinstance(o, UpdateTask)
        and o.execution is not None
        and o == UpdateTask(task=o.task, execution=o.execution, reason=o.reason, words=o.words)
        for o in operations
    )


def modules_of(plan: Plan) -> Mapping[str, int]:
    """Returns the folders that the tasks' focus paths lie in, with the number of these tasks.

    The folders of most tasks come first.
    """
    counts: dict[str, int] = {}
    for task in plan.tasks.values():
        for folder in {_module(path) for path in task.texts(f.FOCUS_PATHS)}:
            if folder:
                counts[folder] = counts.get(folder, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def lies_in(path: str, modules: tuple[str, ...]) -> bool:
    """Tells whether a focus path belongs to one of some modules."""
    return any(path == module or path.startswith(module.rstrip("/") + "/") for module in modules)


ALL_MODULES: Final = "all"

_SESSION_QUESTIONS: Final = ("scope", "modules", "task_changes", "dependencies")
_TASK_QUESTIONS: Final = ("update_type", "ripple")

_RESHAPING: Final = DeleteTask | MergeTasks | SplitTask
_ASSUMED: Final = {
    "scope": say("scope tasks_only"),
    "modules": say("all affected modules"),
    "task_changes": say("task changes update_only"),
    "dependencies": say("dependencies kept"),
}

_TASK_CHANGES: Final[Mapping[TaskChanges, Text]] = {
    "add_remove": say("Add and remove tasks"),
    "merge_split": say("Merge and split tasks"),
    "update_only": say("Only update what tasks say"),
}
_UPDATE_TYPES: Final[Mapping[UpdateType, Text]] = {
    "requirements": say("Requirements and acceptance criteria"),
    "implementation": say("The implementation approach"),
    "focus_paths": say("Which files"),
    "depends_on": say("Dependencies"),
    "all": say("All of it"),
}
_RIPPLES: Final[Mapping[Ripple, Text]] = {
    "yes": say("Yes, dependent tasks get a note of it"),
    "no": say("No, only this task"),
    "analyze": say("Not sure, work it out for me"),
}
_SCOPES: Final[Mapping[Scope, Text]] = {
    Scope.TASKS_ONLY: say("Only update task details"),
    Scope.PLAN_UPDATE: say("Update the plan as well"),
    Scope.TASK_RESTRUCTURE: say("Restructure tasks"),
    Scope.COMPREHENSIVE: say("Replan comprehensively"),
}


def _matters(name: str, known: Answers) -> bool:
    rank = known.scope.rank if known.scope is not None else 0
    if name == "modules":
        return rank >= Scope.PLAN_UPDATE.rank
    if name == "task_changes":
        return rank >= Scope.TASK_RESTRUCTURE.rank
    return True


def _question(plan: Plan, name: str, before: Answers) -> Question:
    match name:
        case "scope":
            options = tuple(Option(scope.value, label) for scope, label in _SCOPES.items())
            default = (before.scope or Scope.TASKS_ONLY).value
            text = say("How far shall this replan go?")
            return Question(name, text, options, (default,), "--scope")
        case "modules":
            counts = modules_of(plan)
            found = tuple(counts)[:MODULES_SHOWN]
            options = (
                *(Option(path, _module_label(path, counts[path])) for path in found),
                Option(ALL_MODULES, say("All affected modules"), alone=True),
            )
            defaults = tuple(path for path in found if path in (before.modules or ()))
            text = say("Which modules are affected?")
            return Question(
                name, text, options, defaults or (ALL_MODULES,), "--module", several=True
            )
        case "task_changes":
            return Question(
                name,
                say("What kind of task changes?"),
                tuple(Option(value, label) for value, label in _TASK_CHANGES.items()),
                (before.task_changes or "add_remove",),
                "--task-changes",
            )
        case "dependencies":
            return Question(
                name,
                say("Shall dependencies be reconsidered?"),
                (
                    Option("yes", say("Yes, they may change")),
                    Option("no", say("No, keep them as they are")),
                ),
                ("yes" if before.dependencies else "no",),
                "--dependencies",
            )
        case "update_type":
            return Question(
                name,
                say("What of the task shall change?"),
                tuple(Option(value, label) for value, label in _UPDATE_TYPES.items()),
                (before.update_type or "all",),
                "--update-type",
            )
        case _:
            return Question(
                name,
                say("Shall tasks that depend on it be brought in line?"),
                tuple(Option(value, label) for value, label in _RIPPLES.items()),
                (before.ripple or "no",),
                "--ripple",
            )


def _module_label(path: str, tasks: int) -> Text:
    name = path.rpartition("/")[2]
    return say_n("{name}: {count} task", "{name}: {count} tasks", tasks, name=name)


def _module(path: str) -> str:
    """Returns the module that a focus path lies in: at most two folders, no file name."""
    parts = [part for part in path.strip().strip("/").split("/") if part not in ("", ".")]
    if parts and "." in parts[-1].lstrip("."):
        parts = parts[:-1]
    return "/".join(parts[:2])


_Word = TypeVar("_Word", bound=str)


def _one_of(value: str, known: Mapping[_Word, Text]) -> _Word:
    return next(word for word in known if word == value)
