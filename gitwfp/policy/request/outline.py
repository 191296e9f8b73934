"""The outline of a request: every statement with what the headings above it say about it.

`IMPL-3:` or `## Acceptance criteria` over a list, `IMPL-3: a; b` in one line, a new task with its
requirements below it: here layout becomes meaning, once for all. What comes out is a flat list of
remarks; what a remark asks for is read in `understanding`.
"""

import re
from typing import Final

from gitwfp.classes import dataclass, replace
from gitwfp.errors import Text, say
from gitwfp.policy.request.addressing import addressed
from gitwfp.policy.request.capability import read_capability
from gitwfp.policy.request.chatter import (
    lacking,
    one_of_it,
    takes_back,
    why_idle,
    without_rest,
)
from gitwfp.policy.request.clauses import (
    begins_anew,
    clauses_of,
    is_form,
    stands_alone,
    surely_begins_anew,
)
from gitwfp.policy.request.forms import (
    TANGLED,
    Delete,
    is_tangled,
    opens_task,
    read_form,
    takes_list,
)
from gitwfp.policy.request.grammar import Lazy, Unclear
from gitwfp.policy.request.labels import Label, label_before_colon, label_of
from gitwfp.policy.request.leads import is_lead, without_lead
from gitwfp.policy.request.mentions import TASK, TASKS, Masked, Mention
from gitwfp.policy.request.pathwords import KnownPaths
from gitwfp.policy.request.phrases import is_order, is_plain
from gitwfp.policy.request.replacing import relists
from gitwfp.policy.request.statements import Kind, Statement, split_statements, without_courtesy
from gitwfp.policy.request.words import says_something


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing that a request says.

    Attributes:
        words: Its words, masked and without courtesy.
        tasks: The tasks that a heading or a word before a colon says it is about.
        label: What a heading says that it is.
        items: A list that belongs to it: parts, points, what a new task asks for.
        unread: Why it is left out, if layout alone tells so.
        place: The paragraph and the bullet that it stands in; see `Statement`.
    """

    words: str
    tasks: tuple[Mention, ...] = ()
    label: Label | None = None
    items: tuple[str, ...] = ()
    unread: Text | None = None
    place: tuple[int, int] = (0, 0)


def remarks_of(masked: Masked, known: KnownPaths, tools: tuple[str, ...]) -> tuple[Remark, ...]:
    """Returns what a request says, remark by remark.

    Args:
        masked: The request.
        known: Which paths the tree has.
        tools: The tools that may execute tasks.
    """
    return _Outline(masked, known, tools).read(
        split_statements(masked.text, lambda line: _ABOUT.fullmatch(line) is not None)
    )


_LONGEST: Final = 2000
_UNREAD: Final = {
    Kind.CODE: say("It is code."),
    Kind.TABLE: say("It is a table."),
    Kind.QUOTATION: say("It is a quotation."),
    Kind.TICKED: say("It is ticked as done."),
    Kind.FRONT_MATTER: say("It is front matter."),
}
_A_HEADING: Final = say("It is a heading and asks for nothing.")
_A_QUESTION: Final = say("It is a question.")
_UNDER_ASIDE: Final = say("It stands under a heading that asks for nothing.")
_ABOUT: Final = Lazy(
    r"(?:(?:(?:changes?|updates?) )?(?:to|for|in|on|of)|update|change|关于|对于|针对|对|修改"
    r"|更新|调整|变更)? ?"
    rf"(?P<tasks>{TASKS}) ?(?:的?(?:修改|变更|更新))?",
    re.IGNORECASE,
)
_ASIDE: Final = Lazy(
    r".*\b(?:out of scope|non-?goals?|not (?:in|part of)|background|context|motivation|rejected|"
    r"alternatives?|considered|history|notes?|examples?|questions?|why|currently|before)\b.*"
    r"|.*(?:背景|非目标|不做|范围外|不在范围|备选|备注|说明|示例|例如|动机|现状|原因|讨论|待定|问题).*",
    re.IGNORECASE,
)
_INTRODUCTION: Final = Lazy(
    r"(?:(?:make|do|apply|we need|there are|here are) )?(?:the following|these|some)"
    r"(?: changes| updates| edits| points| items| things)?|(?:plan |requested )?changes?|updates?|"
    r"to ?do|as follows|do this|(?:请)?(?:做|进行|完成)?(?:以下|如下)(?:几点|几项)?的?"
    r"(?:修改|更改|调整|变更|改动|更新|事项|内容)?|(?:修改|更改|调整|变更|改动|更新)(?:内容)?(?:如下)?",
    re.IGNORECASE,
)
_STARTS_ANEW: Final = Lazy(
    r"(?:add|implement|support|create|introduce|build|write)\b|增加|新增|添加|支持|实现|编写",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Context:
    """What headings say about the statements below them."""

    tasks: tuple[Mention, ...] = ()
    label: Label | None = None
    is_aside: bool = False
    holder: int | None = None


class _Outline:
    def __init__(self, masked: Masked, known: KnownPaths, tools: tuple[str, ...]) -> None:
        self._masked = masked
        self._known = known
        self._tools = tools
        self._remarks: list[Remark] = []
        self._contexts: dict[int, _Context] = {}
        self._place = (0, 0)
        self._lacking: tuple[Label, tuple[Mention, ...]] | None = None

    def read(self, statements: tuple[Statement, ...]) -> tuple[Remark, ...]:
        covered = {at for statement in statements for at in statement.under}
        at = 0
        while at < len(statements):
            statement = statements[at]
            self._place = statement.place
            context = self._context(statement.under)
            end = at + 1
            if statement.kind is Kind.HEADING:
                self._contexts[at] = self._heading(statement, context, is_covered=at in covered)
            elif statement.kind is not Kind.PROSE or context.is_aside:
                self._leave(statement.words, _UNREAD.get(statement.kind, _UNDER_ASIDE))
            elif surely_begins_anew(self._masked, statement.words) and context != _Context():
                # A list ends where a statement about whole tasks stands in it.
                self._sentence([statement.words], _Context(context.tasks))
            elif context.holder is not None:
                self._hold(context.holder, statement.words, context.label)
            else:
                while (
                    end < len(statements)
                    and statements[end].follows
                    and statements[end].kind is Kind.PROSE
                ):
                    end += 1
                self._sentence([part.words for part in statements[at:end]], context)
            at = end
        return tuple(self._remarks)

    def _context(self, under: tuple[int, ...]) -> _Context:
        merged = _Context()
        for context in (self._contexts[at] for at in under):
            merged = _Context(
                context.tasks or merged.tasks,
                context.label or merged.label,
                context.is_aside or merged.is_aside,
                context.holder if context.holder is not None else merged.holder,
            )
        return merged

    def _leave(self, words: str, reason: Text) -> None:
        self._remarks.append(Remark(words, unread=reason))

    def _hold(self, holder: int, words: str, label: Label | None) -> None:
        """Puts a statement into the list of a remark; a label in between goes before it."""
        item = f"{label.value.replace('_', ' ')}: {words}" if label else words
        held = self._remarks[holder]
        self._remarks[holder] = replace(held, items=(*held.items, item))

    def _heading(self, statement: Statement, outer: _Context, *, is_covered: bool) -> _Context:
        """Reads a heading: whom or what it speaks of, or the remark that its list belongs to."""
        words = without_courtesy(statement.words[:_LONGEST])[0]
        about = _ABOUT.fullmatch(words)
        said = addressed(self._masked, words)
        tasks = self._masked.tasks_in(about["tasks"]) if about else said.tasks
        label = None if about else label_of(said.rest) or label_of(words)
        if outer.holder is not None:
            if label is None or not is_covered:
                self._leave(statement.words, _A_HEADING)
            return _Context(label=label, is_aside=label is None)
        if is_covered and (about or label):
            return _Context(tasks, label)
        if is_covered and (
            takes_list(words, is_heading=True)
            or takes_list(said.rest, is_heading=True)
            or relists(said.rest)
        ):
            self._remarks.append(Remark(words, outer.tasks))
            return _Context(holder=len(self._remarks) - 1)
        if is_covered and (not words or _INTRODUCTION.fullmatch(words)):
            return _Context()
        if is_covered and statement.is_list and not _ASIDE.fullmatch(words):
            self._remarks.append(Remark(words, outer.tasks))
            return _Context(holder=len(self._remarks) - 1)
        self._leave(statement.words, _A_HEADING)
        is_aside = statement.is_list or is_tangled(words) or _ASIDE.fullmatch(words) is not None
        return _Context(tasks, is_aside=is_aside)

    def _sentence(self, parts: list[str], context: _Context) -> None:
        """Reads a sentence with what semicolons join to it."""
        tasks = context.tasks
        inherited: Label | None = None
        if self._is_asked(parts):
            self._leave("; ".join(parts), _A_QUESTION)
            return
        while parts:
            whole = parts.pop(0)
            while parts and self._is_one_more(whole, parts[0]):
                whole = f"{whole} {parts.pop(0)}"
            words, is_question = without_courtesy(whole)
            if not words and not says_something(whole):
                self._leave(whole, say("It holds no word."))
            words = without_rest(words)
            if not words:
                continue
            if len(words) > _LONGEST:
                self._leave(whole, say("It is too long for one statement."))
                continue
            if context.label is not None:
                self._remarks.append(Remark(words, tasks, context.label))
                continue
            if is_question:
                self._leave(whole, _A_QUESTION)
                continue
            if self._is_beside_the_point(whole, words, tasks):
                continue
            said = addressed(self._masked, words)
            if said.is_list:
                tasks, words = said.tasks, said.rest
            inherited = self._clauses(words, tasks, inherited, parts)

    def _is_asked(self, parts: list[str]) -> bool:
        """Tells whether a form with a list behind it is a question: "split it into a; b?"."""
        if len(parts) < 2 or not parts[-1].endswith(("?", "？")):
            return False
        opener = without_courtesy(parts[0])[0]
        return takes_list(opener, is_heading=False) or self._is_tangled(opener)

    def _is_one_more(self, whole: str, part: str) -> bool:
        """Tells whether a part names nothing but more tasks to delete: "delete IMPL-3; IMPL-4"."""
        is_bare = re.fullmatch(TASKS, part, re.IGNORECASE) is not None
        form = read_form(self._masked, whole, about_task=False) if is_bare else None
        return isinstance(form, Delete) and re.search(rf"{TASK}\Z", whole) is not None

    def _is_beside_the_point(self, whole: str, words: str, tasks: tuple[Mention, ...]) -> bool:
        """Reads what asks for nothing, and "add one" behind a word about what is missing."""
        lacked, self._lacking = self._lacking, None
        item = one_of_it(words)
        if item is not None and lacked is not None:
            label, about = lacked
            self._remarks.append(Remark(item, tasks or about, label))
            return True
        missing = lacking(words)
        reason = why_idle(words)
        if missing is not None:
            label_then = label_of(missing) or Label.REQUIREMENTS
            self._lacking = (label_then, self._masked.tasks_in(words))
            reason = say("It tells what is missing, not what to add.")
        if reason is None:
            return False
        if takes_back(words):
            taken = say("It is taken back: '{words}'.", words=self._masked.plain(whole))
            self._remarks = [replace(each, unread=each.unread or taken) for each in self._remarks]
        self._leave(whole, reason)
        return True

    def _clauses(
        self, words: str, tasks: tuple[Mention, ...], inherited: Label | None, parts: list[str]
    ) -> Label | None:
        """Reads one part of a sentence and returns the label that the next part inherits."""
        said = clauses_of(self._masked, words, self._known, self._tools)
        spoken_to = tasks
        if not is_order(self._masked, said[0], self._tools):
            spoken_to = tasks or addressed(self._masked, said[0]).tasks
        clauses = [clause for clause in map(without_rest, said) if clause]
        while clauses:
            clause = clauses.pop(0)
            rest, lead = without_lead(clause)
            if lead and not opens_task(clause) and read_capability(rest) is not None:
                # What it comes after is told before; what is new is read first.
                clause, clauses = rest, [lead, *clauses]
            elif clauses and is_lead(clause) and read_capability(clauses[0]) is not None:
                clause, clauses = clauses[0], [clause, *clauses[1:]]
            own = label_before_colon(clause)
            if own is not None or _STARTS_ANEW.match(clause):
                inherited = None
            is_item = inherited is not None and is_plain(
                self._masked, clause, self._known, self._tools
            )
            items: tuple[str, ...] = ()
            if opens_task(clause):
                # "Add task X, depends on IMPL-2" says it of the new task.
                while clauses and self._is_of_opened(clauses[0]):
                    items = (*items, clauses.pop(0))
            if not clauses and (takes_list(clause, is_heading=False) or _sets_list(clause)):
                items += self._items(parts, everything=opens_task(clause))
            elif not clauses and self._is_tangled(clause):
                more = self._items(parts, everything=False)
                if more:
                    self._leave("; ".join((clause, *more)), TANGLED)
                    continue
            label = inherited if is_item else None
            goes_on = clause != said[0] and self._is_order_alone(clause)
            whom = spoken_to if goes_on else tasks
            self._remarks.append(Remark(clause, whom, label, items, place=self._place))
            inherited = Label.ACCEPTANCE if is_item or own is Label.ACCEPTANCE else None
        return inherited

    def _is_order_alone(self, words: str) -> bool:
        """Tells whether a clause orders something of the task that the clause before names."""
        is_said_to_another = bool(addressed(self._masked, words).tasks)
        return not is_said_to_another and is_order(self._masked, words, self._tools)

    def _is_of_opened(self, words: str) -> bool:
        """Tells whether a clause goes on with the task that the one before adds."""
        is_said_to_another = bool(addressed(self._masked, words).tasks)
        return not is_said_to_another and not is_form(self._masked, words)

    def _is_tangled(self, words: str) -> bool:
        """Tells whether a statement will not be understood, and what goes on behind it neither."""
        form = read_form(self._masked, words, about_task=True)
        return (isinstance(form, Unclear) and not opens_task(words)) or (
            form is None and is_tangled(words)
        )

    def _items(self, parts: list[str], *, everything: bool) -> tuple[str, ...]:
        """Takes off what semicolons add to a form; what names a task is said for itself."""
        items = []
        while parts:
            words = without_courtesy(parts[0])[0]
            depends = everything and re.match("depends? on|依赖", words, re.IGNORECASE)
            if re.search(TASK, words) and not depends:
                break
            if everything and begins_anew(self._masked, words):
                break
            if not everything and stands_alone(self._masked, words, self._known, self._tools):
                break
            items.append(words)
            parts.pop(0)
        return tuple(item for item in items if item)


def _sets_list(words: str) -> bool:
    """Tells whether a statement, to whomever it is said, sets a list anew."""
    return relists(words) or relists(words.partition(": ")[2])
