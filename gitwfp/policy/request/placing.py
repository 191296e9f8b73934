"""What names no task: which task is it said of, or is it something new?

A removal or a change belongs to the task that has the entry, anything else to the task that it is
clearly about (`search`). What fits none is left out with the reason; so is something new where
tasks may not be added.
"""

from collections.abc import Callable, Iterable
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.errors import ExitCode, Refusal, Text, say
from gitwfp.model.plan import Plan
from gitwfp.model.task import Task, TaskId
from gitwfp.policy.operations import CreateTask, Operation
from gitwfp.policy.request.capability import lies_in_modules, new_task_for, read_capability
from gitwfp.policy.request.edits import TaskEdits
from gitwfp.policy.request.entries import HeldEdit
from gitwfp.policy.request.execution import Intent
from gitwfp.policy.request.grammar import Lazy, Unclear
from gitwfp.policy.request.needs import Needs
from gitwfp.policy.request.phrases import Added, Phrase, Titled
from gitwfp.policy.request.positions import read_places
from gitwfp.policy.request.replacing import Relisted, Removed, Replaced
from gitwfp.policy.request.search import TaskIndex
from gitwfp.policy.request.values import Revalued

Placed = TaskId | tuple[Operation, ...] | Unclear
"""The task that a statement is said of, what it brings, or why it has no place."""

_NO_TASK: Final = say("It names no task.")
_IGNORE_CASE: Final = 2
# A wish says what is to be or what to do; "the weather is fine" says neither.
_WISH: Final = Lazy(
    r".*\b(?:must|should|shall|needs?|has to|have to|ought|may|can|cannot|can't|will|never|always|"
    r"don't|mustn't|shouldn't|required?|instead of|at (?:most|least)|no more than)\b.*"
    r"|(?:do not|accept|add|allow|announce|answer|apply|archive|ask|assign|avoid|batch|block|cache|"
    r"calculate|cap|change|charge|check|clean|clear|close|collect|combine|compress|compute|confirm|"
    r"convert|copy|count|cover|create|cut|debounce|define|delay|delete|deliver|deny|describe|detect|"
    r"disable|disallow|display|document|drop|emit|enable|encrypt|enforce|ensure|escape|explain|expose|"
    r"export|extend|extract|fail|fetch|fill|filter|fix|forbid|format|generate|give|group|handle|hash|"
    r"hide|highlight|honou?r|ignore|implement|import|improve|include|increase|index|inform|integrate|"
    r"invalidate|issue|keep|label|lead|let|limit|link|list|load|localize|lock|log|make|mark|mask|"
    r"measure|merge|migrate|mirror|move|normali[sz]e|notify|offer|open|optimi[sz]e|order|paginate|"
    r"parse|persist|pin|prefill|prevent|print|process|prompt|protect|provide|publish|queue|read|"
    r"recalculate|record|redirect|reduce|refund|refuse|reject|release|reload|remember|remind|remove|"
    r"rename|render|repeat|replace|report|request|require|reset|resize|resolve|respond|restore|"
    r"restrict|retry|return|reuse|round|run|sanitize|save|schedule|search|secure|send|separate|serve|"
    r"set|ship|show|sign|skip|sort|speed|split|start|stop|store|stream|strip|suggest|support|switch|"
    r"test|throttle|time|track|translate|trim|trigger|try|tune|turn|unify|unlock|update|upgrade|use|"
    r"validate|verify|warn|wait|wrap|write)\b.*"
    r"|.*(?:要|必须|应|需|支持|增加|新增|添加|不再|不得|不能|禁止|不要|可以|允许|只能|最多|至少|不超过|改|提高|降低"
    r"|返回|显示|记录|发送|校验|检查|拒绝|提供|使用|采用|实现|保留|自动|默认|限制).*",
    _IGNORE_CASE,
)


@dataclass(frozen=True, slots=True)
class Permissions:
    """How far a request may reach.

    Attributes:
        may_add: Whether something new may become a task.
        modules: The modules it is limited to; none for all.
        taken: Ids that are not free though no task has them.
    """

    may_add: bool = False
    modules: tuple[str, ...] = ()
    taken: Iterable[str] = ()

    def allows(self, task: Task) -> bool:
        """Tells whether a task may be touched."""
        return lies_in_modules(task, self.modules)

    def elsewhere(self, task: TaskId) -> Text:
        """Returns why a task is not touched."""
        return say(
            "{task} does not work in the module {modules}.",
            task=task,
            modules=", ".join(self.modules),
        )


class Placer:
    """Finds the place of statements that name no task.

    Args:
        plan: The plan.
        edits_of: Returns the edits of a task, where entries are looked for.
        permissions: How far the request may reach.
    """

    def __init__(
        self, plan: Plan, edits_of: Callable[[TaskId], TaskEdits], permissions: Permissions
    ) -> None:
        self._plan = plan
        self._edits_of = edits_of
        self._permissions = permissions
        self._index: TaskIndex | None = None
        self._new_ids: list[str] = []

    def place(self, words: str, phrases: tuple[Phrase, ...]) -> Placed:
        """Finds the place of a statement.

        Args:
            words: The statement as it was written.
            phrases: Its meaning.

        Raises:
            Refusal: It removes or changes what several tasks have (plan refused).
        """
        unclear = next((each for each in phrases if isinstance(each, Unclear)), None)
        if unclear is not None:
            return unclear
        if any(isinstance(each, Needs | Titled | Intent | Relisted) for each in phrases):
            return Unclear(_NO_TASK)
        if any(_is_by_place(each) for each in phrases):
            return Unclear(say("It does not say which task is meant."))
        edit = next(
            (each for each in phrases if isinstance(each, HeldEdit)),
            None,
        )
        if edit is not None:
            holder = self._holder(words, edit)
            is_product = isinstance(edit, Replaced | Revalued) and not edit.surely_old
            if holder is not None:
                return holder
            if not is_product:
                return Unclear(say("No task has an entry like it."))
        return self._about(words, phrases)

    def _search(self) -> TaskIndex:
        if self._index is None:
            self._index = TaskIndex(self._plan)
        return self._index

    def _holder(self, words: str, edit: HeldEdit) -> TaskId | None:
        """Returns the one open task that has the entry that is to go or to change."""
        holders = [
            task.id
            for task in self._plan.tasks.values()
            if task.is_open and self._edits_of(task.id).has_entry_for(edit)
        ]
        if len(holders) > 1:
            clear = self._search().clearly(words)
            if clear is None or clear.task not in holders:
                raise _several(words, holders)
            return clear.task
        return holders[0] if holders else None

    def _about(self, words: str, phrases: tuple[Phrase, ...]) -> Placed:
        text = " ".join(t for each in phrases if isinstance(each, Added) for t in each.texts)
        is_sure = all(isinstance(each, Added) and each.sure for each in phrases)
        clear = self._search().clearly(text or words)
        if clear is not None and (is_sure or _WISH.fullmatch(words)):
            if not self._plan.tasks[clear.task].is_open:
                return Unclear(say("It fits {task}, which is not open any more.", task=clear.task))
            return clear.task
        wanted = None if is_sure else read_capability(words)
        if wanted is not None and clear is None:
            return self._new(words)
        hits = [hit for hit in self._search().ranked(words) if hit.matched > 1][:2]
        if len(hits) > 1:
            return Unclear(
                say(
                    "It fits {one} and {other}; name the task that is meant.",
                    one=hits[0].task,
                    other=hits[1].task,
                )
            )
        return Unclear(say("It names no task, and none is clearly about it."))

    def _new(self, words: str) -> Placed:
        wanted = read_capability(words)
        if wanted is None or not self._permissions.may_add:
            return Unclear(
                say(
                    "It is something new that no task is about; use --task-changes add_remove to "
                    "make it a task."
                )
            )
        taken = (*self._permissions.taken, *self._new_ids)
        made = new_task_for(
            self._plan, self._search(), wanted, words, taken, self._permissions.modules
        )
        self._new_ids += [each.id for each in made if isinstance(each, CreateTask) and each.id]
        return made


def _is_by_place(phrase: Phrase) -> bool:
    """Tells whether a phrase names entries by their place in a list, which every task has."""
    match phrase:
        case Removed():
            return read_places(phrase.words, phrase.fields) is not None
        case Replaced():
            return any(read_places(old, phrase.fields) is not None for old, _ in phrase.choices)
        case _:
            return False


def _several(words: str, holders: Iterable[TaskId]) -> Refusal:
    return Refusal(
        "ambiguous-entry",
        say(
            "'{words}' fits entries of several tasks: {tasks}.",
            words=words,
            tasks=", ".join(holders),
        ),
        ExitCode.REFUSED,
        hint=say("Name the task that is meant."),
    )
