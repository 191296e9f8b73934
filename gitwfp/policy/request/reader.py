"""Reading a request remark by remark: whom each is about, what it says, where it has its place.

What is said of a task is collected until the end, so that each task gets one update.
"""

import re
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.errors import Text, say
from gitwfp.model.plan import Plan
from gitwfp.model.task import TaskId, find_id
from gitwfp.policy.operations import CreateTask, EditSession, Operation, UpdateTask
from gitwfp.policy.request.addressing import Addressed, addressed, goes_on_as_sentence
from gitwfp.policy.request.edits import TaskEdits
from gitwfp.policy.request.execution import Intent
from gitwfp.policy.request.forms import Delete, Split, read_form, takes_list
from gitwfp.policy.request.fresh import extended, said_of_new
from gitwfp.policy.request.goal import goal_edit
from gitwfp.policy.request.grammar import Lazy, Unclear
from gitwfp.policy.request.mentions import TASK, TASKS, Masked, Mention
from gitwfp.policy.request.needs import Needs
from gitwfp.policy.request.newtask import Create
from gitwfp.policy.request.order import in_order, tasks_of
from gitwfp.policy.request.outline import Remark
from gitwfp.policy.request.pathwords import KnownPaths
from gitwfp.policy.request.phrases import (
    Phrase,
    is_plain,
    plain_requirement,
    read_phrase,
    read_under,
)
from gitwfp.policy.request.placing import Permissions, Placer
from gitwfp.policy.request.replacing import read_relisting, relists
from gitwfp.policy.request.structural import operations_of
from gitwfp.policy.request.words import tidy
from gitwfp.policy.tasks import required_task


@dataclass(frozen=True, slots=True)
class Leftover:
    """Words of a request that change nothing, and why."""

    words: str
    reason: Text


_HAN: Final = Lazy("[\u3400-\u9fff]")
_AFTER: Final = Lazy(
    rf"(?P<head>.+?),? (?:after|once|(?:that |which )?depends on|depending on) (?P<add>{TASKS})",
    re.IGNORECASE,
)
_SURE_DELETE: Final = Lazy(r"delete|discard|.*\btasks?\b|.*任务|删除|废弃", re.IGNORECASE)


class Reader:
    """Reads remark by remark; what is said of a task is collected until the end."""

    def __init__(
        self,
        masked: Masked,
        plan: Plan,
        subject: TaskId | None,
        tools: tuple[str, ...],
        known: KnownPaths,
        update_type: str | None,
        permissions: Permissions,
    ) -> None:
        self._masked = masked
        self._plan = plan
        self._subject = subject
        self._tools = tools
        self._known = known
        self._update_type = update_type
        self._edits: dict[TaskId, TaskEdits] = {}
        self._order: list[Operation | TaskId] = []
        self._permissions = permissions
        self._placer = Placer(plan, self._edits_of, permissions)
        self._new_ones: list[CreateTask] = []
        self._opener: Remark | None = None
        self.leftovers: list[Leftover] = []
        self.derived: list[Text] = []

    def read(self, remark: Remark) -> None:
        """Reads one remark; the next ones may go on with a task that it adds."""
        made = len(self._new_ones)
        if not self._goes_on(remark):
            self._read(remark)
            self._opener = remark if len(self._new_ones) > made else None
            self._new_ones = self._new_ones[made:] if self._opener else []

    def _goes_on(self, remark: Remark) -> bool:
        """Takes what is said of tasks that the request has just added; tells whether it was."""
        if self._opener is None:
            return False
        said = said_of_new(
            self._masked,
            remark,
            self._opener,
            self._known,
            self._tools,
            subject=self._subject,
        )
        words = self._masked.plain(remark.words)
        for at, new in enumerate(self._new_ones if said else ()):
            more = extended(new, said, self._plan, words, first=True)
            self._order[self._order.index(new)] = more
            self._new_ones[at] = more
        return bool(said)

    def _read(self, remark: Remark) -> None:
        if remark.unread is not None:
            self._leave(remark.words, remark.unread)
        elif any(mention.task != self._subject for mention in remark.tasks) and self._subject:
            other = ", ".join(mention.words for mention in remark.tasks)
            self._leave(
                remark.words,
                say("It is said of {task}, not of the task that the request is about.", task=other),
            )
        elif remark.label is not None:
            phrases = read_under(self._masked, remark.label, remark.words, self._known)
            self._say(remark.tasks, remark.words, phrases)
        elif self._is_list(remark):
            self._read_list(remark)
        else:
            self._read_statement(remark)

    def _is_list(self, remark: Remark) -> bool:
        said = addressed(self._masked, remark.words).rest
        return bool(remark.items) and not (
            takes_list(remark.words, is_heading=True)
            or takes_list(said, is_heading=True)
            or relists(said)
        )

    def _read_list(self, remark: Remark) -> None:
        """Reads a line with a list below it that is neither a label nor a form.

        The line goes with each item where both together say something ("It depends on:"); else
        line and list are one requirement, so that no item is taken out of what it stands under.
        """
        said = addressed(self._masked, remark.words)
        tasks = said.tasks or remark.tasks
        words = said.rest if said.tasks else remark.words
        wide = _HAN.search(words) is not None
        joined = (
            words
            + ("：" if wide else ": ")
            + ("；" if wide else "; ").join(tidy(item) for item in remark.items)
        )
        together = [f"{words}{'' if wide else ' '}{item}" for item in remark.items]
        if not any(is_plain(self._masked, each, self._known, self._tools) for each in together):
            for each in together:
                phrases = read_phrase(self._masked, each, self._known, self._tools)
                self._say(tasks, each, phrases)
        elif all(
            is_plain(self._masked, each, self._known, self._tools) and not re.search(TASK, each)
            for each in (words, *remark.items)
        ):
            self._say(tasks, joined, plain_requirement(self._masked, joined, self._known))
        else:
            self._leave(joined, say("It is a list under a line that is not understood."))

    def _read_statement(self, remark: Remark) -> None:
        words = remark.words
        if not remark.items and self._read_goal(words, remark.tasks):
            return
        if self._read_form(words, words, remark.items, remark.tasks):
            return
        said = addressed(self._masked, words)
        tasks = remark.tasks
        rest = words
        if said.tasks and self._may_address(said, tasks):
            tasks = said.tasks
            if self._read_form(said.rest, words, remark.items, tasks):
                return
            rest = self._said_to(said, words)
        elif said.tasks and words.startswith(self._sign(words)):
            self._leave(words, say("It is said of another task than the request is about."))
            return
        relisted = read_relisting(self._masked, rest, remark.items)
        if relisted is not None:
            self._say(tasks, "; ".join((words, *remark.items)), (relisted,))
            return
        if remark.items:
            whole = "; ".join((words, *remark.items))
            self._leave(whole, say("It is a list under a line that is not understood."))
            return
        phrases = read_phrase(self._masked, rest, self._known, self._tools)
        others = set(self._masked.known_in(words)) - {each.task for each in tasks}
        is_plain_one = phrases == plain_requirement(self._masked, rest, self._known)
        if others and is_plain_one and not remark.tasks and self._subject is None:
            # "IMPL-2 is done before IMPL-3" speaks of both, whichever comes first.
            tasks = ()
        self._say(tasks, words, phrases)

    def _read_goal(self, words: str, tasks: tuple[Mention, ...]) -> bool:
        """Reads a new goal of the session; tells whether the statement was one."""
        about_task = bool(tasks) or self._subject is not None
        before = next((each for each in self._order if isinstance(each, EditSession)), None)
        goal = goal_edit(self._masked, words, before, about_task=about_task)
        if goal is not None:
            self._order.append(goal)
        return goal is not None

    def _may_address(self, said: Addressed, tasks: tuple[Mention, ...]) -> bool:
        """Tells whether the addressee that grammar found is one in this context."""
        ids = {mention.task for mention in said.tasks}
        if tasks:
            return ids == {mention.task for mention in tasks}
        return self._subject is None or ids == {self._subject}

    def _sign(self, words: str) -> str:
        found = re.search(TASK, words)
        return found[0] if found else "\0"

    def _said_to(self, said: Addressed, words: str) -> str:
        """Returns what is said to a task; a requirement that is a sentence keeps its subject."""
        keeps = words.startswith(self._sign(words)) and not said.is_list
        if not keeps or not goes_on_as_sentence(said):
            return said.rest
        is_asked = is_plain(self._masked, said.rest, self._known, self._tools)
        return words if is_asked else said.rest

    def _read_form(
        self, words: str, whole: str, items: tuple[str, ...], tasks: tuple[Mention, ...]
    ) -> bool:
        """Reads a structural form; tells whether the statement was one."""
        this = self._subject
        if tasks:
            this = tasks[0].task if len(tasks) == 1 else None
        form = read_form(self._masked, words, items, about_task=this is not None)
        if form is None:
            return False
        written = "; ".join((whole, *items))
        if items and not isinstance(form, Create | Split | Unclear):
            form = Unclear(say("It is a list under a line that is not understood."))
        if isinstance(form, Delete) and self._may_mean_dependency(form, words):
            form = Unclear(
                say(
                    "It may mean the task or the dependency on it; write 'delete task ...' or "
                    "'no longer depends on ...'."
                )
            )
        made: tuple[Operation, ...] | Unclear = form if isinstance(form, Unclear) else ()
        if not isinstance(form, Unclear):
            made = operations_of(
                self._masked,
                form,
                self._plan,
                this,
                self._masked.plain(written),
                self._known,
                self._tools,
            )
        if isinstance(made, Unclear):
            self._leave(written, made.reason)
            return True
        outside = next((t for each in made for t in tasks_of(each) if not self._allows(t)), None)
        if outside is not None:
            self._leave(written, self._permissions.elsewhere(outside))
        else:
            self._order.extend(made)
            self._new_ones.extend(each for each in made if isinstance(each, CreateTask))
        return True

    def _allows(self, task: TaskId) -> bool:
        return self._permissions.allows(self._plan.tasks[task])

    def _may_mean_dependency(self, form: Delete, words: str) -> bool:
        if self._subject is None or _SURE_DELETE.match(words):
            return False
        needs = self._plan.tasks[self._subject].depends_on
        held = {find_id(text, self._plan.tasks) for text in needs}
        return any(each.task is not None and each.task in held for each in form.tasks)

    def _say(self, tasks: tuple[Mention, ...], words: str, phrases: tuple[Phrase, ...]) -> None:
        """Says something to the tasks that a statement is about, or leaves it out."""
        named = self._masked.tasks_in(words)
        if not tasks and len(phrases) == 1 and isinstance(phrases[0], Intent):
            tasks = phrases[0].tasks
        if tasks:
            targets = [required_task(self._plan, each.task or each.words).id for each in tasks]
        elif self._subject is not None:
            targets = [self._subject]
        elif self._is_of_new_task(words):
            return
        elif len(named) == 1 and named[0].task is not None:
            targets = [named[0].task]
        elif named:
            self._leave(words, say("It names several tasks; say it of each by itself."))
            return
        else:
            self._place(words, phrases)
            return
        for target in targets:
            self._tell(target, words, phrases)

    def _is_of_new_task(self, words: str) -> bool:
        """Reads something new together with what it depends on."""
        if not self._masked.is_only_beside(words):
            return False
        found = _AFTER.fullmatch(words)
        if found is None or not is_plain(self._masked, words, self._known, self._tools):
            return False
        head = found["head"].strip(" ,，")
        before = len(self._new_ones)
        self._place(head, plain_requirement(self._masked, head, self._known))
        need = Needs(add=self._masked.tasks_in(found["add"]))
        for at in range(before, len(self._new_ones)):
            new = self._new_ones[at]
            more = extended(new, (need,), self._plan, self._masked.plain(words), first=True)
            self._order[self._order.index(new)] = more
            self._new_ones[at] = more
        return True

    def _tell(self, task: TaskId, words: str, phrases: tuple[Phrase, ...]) -> None:
        if self._allows(task):
            self._said_of(task).take(phrases, self._masked.plain(words))
        else:
            self._leave(words, self._permissions.elsewhere(task))

    def _place(self, words: str, phrases: tuple[Phrase, ...]) -> None:
        """Finds the place of what names no task."""
        said = self._masked.plain(words)
        placed = self._placer.place(said, phrases)
        if isinstance(placed, Unclear):
            self._leave(words, placed.reason)
        elif isinstance(placed, str):
            self.derived.append(say("It is said of {task}: '{words}'.", task=placed, words=said))
            self._tell(placed, words, phrases)
        else:
            self.derived.extend(
                say("No task is about '{words}': it becomes {task}.", words=said, task=each.id)
                for each in placed
                if isinstance(each, CreateTask) and each.id
            )
            self._take_new(placed)

    def _take_new(self, made: tuple[Operation, ...]) -> None:
        for each in made:
            if isinstance(each, UpdateTask):
                self._said_of(TaskId(each.task)).note(each.notes.add, each.reason, each.words)
            else:
                self._order.append(each)
                if isinstance(each, CreateTask):
                    self._new_ones.append(each)

    def _edits_of(self, task: TaskId) -> TaskEdits:
        if task not in self._edits:
            self._edits[task] = TaskEdits(
                self._plan, self._plan.tasks[task], self._known, self._update_type, self._leave
            )
        return self._edits[task]

    def _said_of(self, task: TaskId) -> TaskEdits:
        """Returns the edits of a task that something is said of, in its place in the order."""
        if task not in self._order:
            self._order.append(task)
        return self._edits_of(task)

    def _leave(self, words: str, reason: Text) -> None:
        self.leftovers.append(Leftover(self._masked.plain(words), reason))

    def new_paths(self) -> tuple[Text, ...]:
        """Returns a sentence for each focus path that the tree does not have."""
        paths = [path for edits in self._edits.values() for path in edits.new_paths]
        return tuple(
            say("The path {path} is new: the tree does not have it.", path=path)
            for path in dict.fromkeys(paths)
        )

    def operations(self) -> tuple[Operation, ...]:
        """Returns what is wanted; see `order`."""
        return in_order(self._order, self._edits)
