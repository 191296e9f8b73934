"""Structural forms: statements that add, delete, split, merge or move whole tasks.

Each form is recognised as a whole statement or not at all, in English and Chinese. A statement
that speaks of restructuring in other words is `Unclear`: it must not pass for a requirement.
The word `this` stands for: the task that the request is about.
"""

import re
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.errors import say
from gitwfp.policy.request.addressing import without_echo
from gitwfp.policy.request.grammar import Lazy, Unclear, match_whole, patterns
from gitwfp.policy.request.mentions import TASK, TASKS, Masked, Mention
from gitwfp.policy.request.newtask import (
    BEHIND,
    TASK_SIGN,
    Create,
    Tasks,
    at_colon,
    create_goes_on,
    is_create,
    listed,
    names_new_task,
    read_create,
    title_of,
)
from gitwfp.policy.request.words import says_something, tidy


@dataclass(frozen=True, slots=True)
class Delete:
    """Tasks that go, and why."""

    tasks: Tasks
    why: str = ""


@dataclass(frozen=True, slots=True)
class Merge:
    """Tasks that become one."""

    tasks: Tasks
    with_this: bool
    title: str | None = None
    into: Mention | None = None


@dataclass(frozen=True, slots=True)
class Split:
    """A task that becomes several; each part with what else is said of it."""

    tasks: Tasks
    parts: tuple[tuple[str, tuple[str, ...]], ...]
    in_parallel: bool = False


@dataclass(frozen=True, slots=True)
class Move:
    """A task that gets another place in the order."""

    tasks: Tasks
    anchor: Mention
    behind: bool


Form = Create | Delete | Merge | Split | Move

_THIS: Final = (
    r"(?:(?:this|the|that|the current) task|it|this one|this|(?:该|此|这个|本|当前)任务|它)"
)
_TASK: Final = rf"(?:(?:the )?(?:sub-?)?tasks? |任务 ?)?{TASK}"
_REMOVE: Final = r"(?:delete|drop|remove|discard|get rid of)"
_REMOVE_ZH: Final = r"(?:删除掉?|移除|去掉|删掉|删去|废弃)"


_WANT: Final = Lazy(
    r"(?:(?:we|i|you)(?:'d| would)? (?:now )?(?:need|want|have|like|should|must)(?: you)?(?: to)? "
    r"|(?:我|我们|咱们)?(?:现在)?(?:想要?|希望|需要|要|应该)(?=[^不]))",
    re.IGNORECASE,
)
_BECAUSE: Final = Lazy(r"(?:\b(?:because|since) |因为|由于)(?P<why>.+)\Z", re.IGNORECASE)
_NO_REASON_ZH: Final = (
    r".*(?:如果|除非|或者|或是|但是?|不过|要是)|请|把|将|给|在|并|然后|同时|再|新增|增加|添加|删除"
    r"|修改|更新|改用|改为|使用|用|拆分|合并|移动|依赖|不再"
)
# What is told behind a comma, by a sentence with a subject of its own, is a reason too.
_REASON: Final = Lazy(
    r" ?[,;，；] ?(?P<why>"
    r"(?:as |since )?(?:we|they|it|it's|he|she|this|that|the|there|our|its|all|i|i'm|we're|that's|"
    r"nobody|no one|everything)\b"
    r"(?!.*\b(?:if|unless|until|or|but|except|instead)\b).+"
    rf"|(?!{_NO_REASON_ZH})[\u3400-\u9fff].+)\Z",
    re.IGNORECASE,
)

_DELETE: Final = patterns(
    rf"{_REMOVE} (?P<tasks>{TASKS})(?: entirely| completely| again)?",
    rf"{_REMOVE} {_THIS}",
    r"delete|drop|remove|discard|删除|删掉|移除",
    rf"(?P<tasks>{TASKS}) (?:is|are)(?: no longer| not|n't) (?:needed|required|necessary)"
    r"(?: any ?more| any longer)?",
    r"(?:this|the) task is (?:no longer|not) (?:needed|required)(?: any ?more)?",
    rf"(?P<tasks>{TASKS}) ?(?:这?[个项]?任务)? ?(?:可以|应该|直接|都)*(?:删|去|移除)掉?[了吧]",
    rf"(?P<tasks>{TASKS}) ?(?:都|全部|这?[个项]?任务)? ?就?(?:不做|不要|不用做|取消)了",
    rf"{_THIS} ?(?:已经?|都|就)?(?:不再|不)(?:需要|做|要)了?",
    rf"(?:把|将)?{_REMOVE_ZH} ?(?P<tasks>{TASKS})(?: ?这?[个项]?任务)?了?",
    rf"(?:把|将)? ?(?P<tasks>{TASKS}) ?(?:都|全部|这?[个项]?任务)? ?{_REMOVE_ZH}了?",
    rf"(?:把|将)? ?{_THIS} ?{_REMOVE_ZH}了?|{_REMOVE_ZH} ?{_THIS}",
    rf"不再需要 ?(?P<tasks>{TASKS})了?|不再需要(?:该|此|这个|本)任务了?",
    rf"(?P<tasks>{TASKS}) ?(?:已经?)?(?:不再需要|不需要)了|(?P<same>{TASKS}) ?已?不再需要",
    r"(?:该|此|这个|本)任务(?:已经?)?不再需要了?",
)
_INTO: Final = r"(?: ?,? ?\b(?:into|to form|as|called|named)\b:? (?P<title>.+))?"
_INTO_ZH: Final = r"(?:[ ，]?(?:为|成为?|到|至|进|入)[:： ]*(?P<title>.+))?"
_MERGE: Final = patterns(
    rf"(?:merge|combine|join|fold) (?P<tasks>{TASKS})(?: with (?P<more>{TASKS}))?"
    rf"(?: together)?{_INTO}",
    rf"(?:merge|combine|join|fold)(?: {_THIS})? (?:with|into|and) (?P<more>{TASKS}){_INTO}",
    rf"(?:把|将)? ?(?P<tasks>{TASKS}) ?"
    rf"(?:合并(?:起来|在一起)?|合起来|合在一起|合成一个(?:任务)?|合为一个(?:任务)?){_INTO_ZH}",
    rf"(?:把|将)? ?{_THIS}? ?(?:与|和|跟|同) ?(?P<more>{TASKS}) ?合并(?:起来|在一起)?{_INTO_ZH}",
    rf"合并 ?(?P<tasks>{TASKS}){_INTO_ZH}",
    rf"合并(?:到|进|入) ?(?P<more>{TASKS})",
)
_SPLIT_VERB: Final = r"(?:split|divide|break|separate)"
_SPLIT_ZH: Final = r"(?:拆分|分拆|拆解|分解|拆)"
_SPLIT: Final = patterns(
    rf"{_SPLIT_VERB}(?: up| down)? (?P<tasks>{_TASK})(?: up| down)? into ?:?(?P<parts>.*)",
    rf"{_SPLIT_VERB}(?: up)? (?P<tasks>{_TASK})(?: up)? in (?P<parts>(?:two|three|\d)\b.*)",
    rf"{_SPLIT_VERB}(?: up| down)? {_THIS}(?: up| down)? into ?:?(?P<parts>.*)",
    r"(?:split|divide|break (?:up|down))(?: up)? into ?:?(?P<parts>.*)",
    rf"(?:把|将)? ?(?P<tasks>{_TASK}) ?{_SPLIT_ZH}(?:为|成)?(?:以下)? ?[:：]?(?P<parts>.*)",
    rf"(?:把|将) ?(?P<tasks>{_TASK}) ?分(?:为|成)(?:以下)? ?[:：]?(?P<parts>.*)",
    rf"{_SPLIT_ZH} ?(?P<tasks>{_TASK}) ?(?:为|成|:|：)+(?P<parts>.*)",
    rf"(?:(?:把|将)? ?{_THIS} ?)?{_SPLIT_ZH}(?:为|成)(?:以下)? ?[:：]?(?P<parts>.*)",
)
_MOVE: Final = patterns(
    rf"(?:move|put|place|reorder)(?: (?P<tasks>{_TASK})| {_THIS})? (?:to )?"
    rf"(?:right |directly |just |immediately )?"
    rf"(?P<where>before|after|ahead of|in front of|behind) (?P<anchor>{_TASK})"
    r"(?: in the (?:list|order|plan|queue|sequence|to-?do(?: list)?))?",
    rf"(?:把|将)? ?(?P<tasks>{_TASK})? ?(?:移动|移|挪动|挪|调整|放|排|提前|推迟)(?:到|至|在)? ?"
    rf"(?P<anchor>{_TASK}) ?的?(?P<where>之前|前面|以前|前|之后|后面|以后|后)",
    rf"(?:移动|调整) ?(?P<tasks>{_TASK}) ?(?:到|至) ?(?P<anchor>{_TASK}) ?的?"
    r"(?P<where>之前|前面|前|之后|后面|后)",
)

_TANGLED: Final = patterns(
    r"\b(?:delet|drop|remov|discard|split|divid|merg|combin|mov|reorder|swap|exchang|replac|cancel|"
    r"freez|skip|archiv|clos|reopen|complet|finish|mark)(?:e|s|es|ing|ping|ting|ling)?\b(?: up)? "
    rf"(?:{_TASK}|(?:this|the) task\b)",
    r"(?:删除|移除|去掉|删掉|拆分|合并|移动|废弃|交换|替换|取消|冻结|跳过|归档|关闭|完成|标记) ?"
    rf"(?:{_TASK}|(?:该|此|这个|本)任务)",
    rf"\b(?:put|move|place|bring|do|start|run) {_TASK} (?:first|last|next|earlier|later|up|down"
    r"|to the (?:top|end|bottom|front|start|back))\b",
    rf"{TASK} ?(?:移|挪|排|放|提)(?:到|在|至)?最?(?:前|后)(?:面)?",
    r"^(?:移|挪|排|提)(?:到|在|至)?最?(?:前|后)(?:面)?$",
    rf"\bmake {_TASK} (?:the )?(?:first|last|next)\b",
    r"[,，] ?(?:so |then |please |and )*(?:split|divide|break) (?:it|this|them)\b",
    r"(?:太大|过大|太长|太复杂)了?[，,] ?(?:所以|请|就)*拆",
    rf"{TASK} ?(?:删除|移除|去掉|删掉|拆分|合并|移到|废弃)",
    r"\b(?:add|create|introduce|insert)(?: (?:an?|one|another|some|two|three|new)){1,2}"
    r" (?:sub-?)?tasks?\b",
    r"\b(?:add|create|introduce|insert) (?:an? |new |the )*sub-?tasks?\b",
    r"\b(?:delete|drop|remove|split|merge)(?: all| both| these| the)? (?:sub-?)?tasks?(?: and\b|$)",
    r"(?:新增|增加|添加|创建|新建)[一两三几多]?[个项条]?(?:新的?)?(?:任务(?![\u4e00-\u9fff])|子任务)",
)
TANGLED: Final = say("It speaks of restructuring tasks, but not in a form that is known.")
"""Why a statement is left out that speaks of restructuring in other words."""

_COUNTED: Final = Lazy(
    r" ?(?:(?:two|three|four|five|\d|[两二三四五]) ?[个项]? ?(?:new |separate |子)?"
    r"(?:(?:sub-?)?tasks|parts|部分|任务)|the following(?: tasks)?|以下(?:任务)?) ?[:：]? ?"
    r"| ?(?:two|three|four|five|\d|[两二三四五] ?[个项]|\d ?[个项]) ?[:：] ?",
    re.IGNORECASE,
)
_OF_PARTS: Final = Lazy(
    r"(?:where |with |and )?(?:the |each |both )?"
    r"(?:first|second|third|last|latter|former|other|one)\b.*\b(?:depend|after|before|need|wait|follow)\w*\b.*"
    r"|(?:后者|前者|第[一二三四]个|后一个|前一个|它们).*(?:依赖|之后|之前|完成).*",
    re.IGNORECASE,
)
_PARALLEL: Final = Lazy(r"[ ,，(（](?:in parallel|side by side|并行)[)）]?\Z", re.IGNORECASE)
_LOOSE_TASK: Final = Lazy(
    r"(?:one|an?|a single|one single)(?: new)? task|one|一个任务|一个", re.IGNORECASE
)
_ONE_CALLED: Final = Lazy(
    r"(?:(?:one|an?|a single)(?: new)? task|one|一个任务)(?: (?:called|named)|[:：]) ?"
    r"(?P<title>.+)",
    re.IGNORECASE,
)


def without_wish(words: str) -> str:
    """Takes "we need to" and its like off a statement that is an order in the end."""
    return _WANT.sub("", words, count=1) if _WANT.match(words) else words


def read_form(
    masked: Masked, words: str, more: tuple[str, ...] = (), *, about_task: bool
) -> Form | Unclear | None:
    """Reads a structural form.

    Args:
        masked: The request.
        words: One statement, masked and without courtesy.
        more: What a semicolon or a list below adds to it, as far as it may belong to it.
        about_task: Whether the request is about one task, which "delete" alone then means.

    Returns:
        The form; `Unclear` when it speaks of restructuring in another way; None when it does not
        speak of restructuring.
    """
    words = without_wish(words)
    plain = without_echo(words)
    because = _BECAUSE.search(plain)
    bare = plain[: because.start()].rstrip(" ,，") if because else plain
    why = masked.plain(because["why"]) if because else ""
    told = _REASON.search(plain)
    return (
        _read_delete(masked, bare, why, about_task=about_task)
        or (
            _read_delete(
                masked, plain[: told.start()], masked.plain(told["why"]), about_task=about_task
            )
            if told
            else None
        )
        or _read_merge(masked, bare, about_task=about_task)
        or _read_split(masked, words, more, about_task=about_task)
        or _read_move(masked, bare, about_task=about_task)
        or read_create(masked, words, more, about_task=about_task)
    )


def is_tangled(words: str) -> bool:
    """Tells whether a statement speaks of restructuring tasks somewhere in it."""
    return names_new_task(words) or any(pattern.search(words) for pattern in _TANGLED)


def takes_list(words: str, *, is_heading: bool) -> bool:
    """Tells whether a form goes on behind it: parts of a split, what a new task asks for.

    Args:
        words: The statement.
        is_heading: Whether a list stands below it; else semicolons continue it.
    """
    bare = without_wish(words)
    if match_whole(_SPLIT, bare) is not None:
        return True
    return is_create(bare) if is_heading else create_goes_on(bare)


def opens_task(words: str) -> bool:
    """Tells whether a statement adds a task, so that what follows may be what it asks for."""
    return is_create(without_wish(words))


_NO_TASK: Final = say("It does not say which task is meant.")


def _read_delete(
    masked: Masked, words: str, why: str, *, about_task: bool
) -> Delete | Unclear | None:
    found = match_whole(_DELETE, words)
    if found is None:
        return None
    tasks = masked.tasks_in(found.get("tasks", found.get("same", "")))
    return Delete(tasks, why) if tasks or about_task else Unclear(_NO_TASK)


def _read_merge(masked: Masked, words: str, *, about_task: bool) -> Merge | Unclear | None:
    found = match_whole(_MERGE, words)
    if found is None:
        return None
    tasks = masked.tasks_in(found.get("tasks", "") + found.get("more", ""))
    with_this = "tasks" not in found
    if with_this and not about_task:
        return Unclear(_NO_TASK)
    title = found.get("title", "").strip()
    into = None
    if re.fullmatch(_TASK, title, re.IGNORECASE):
        into = masked.tasks_in(title)[0]
        tasks = masked.tasks_in(found.get("tasks", "") + found.get("more", "") + title)
        title = ""
    if len(tasks) + with_this < 2:
        # In Chinese "A 合并到 B" may as well be said of this task alone.
        return Unclear(say("A merge needs two tasks or more."))
    named = _ONE_CALLED.fullmatch(title)
    title = named["title"] if named else title
    if _LOOSE_TASK.fullmatch(title):
        title = ""
    return Merge(tasks, with_this, title_of(masked, title) or None, into)


def _read_split(
    masked: Masked, words: str, more: tuple[str, ...], *, about_task: bool
) -> Split | Unclear | None:
    found = match_whole(_SPLIT, words)
    if found is None:
        return None
    tasks = masked.tasks_in(found.get("tasks", ""))
    if not tasks and not about_task:
        return Unclear(_NO_TASK)
    text = found.get("parts", "").strip()
    parallel = _PARALLEL.search(text) or (_PARALLEL.search(more[-1]) if more else None)
    text = _PARALLEL.sub("", text).rstrip(" ,，")
    counted = _COUNTED.match(text)
    text = text[counted.end() :] if counted else text
    texts = [text, *(_PARALLEL.sub("", part) for part in more)] if more else listed(text)
    parts = tuple(_part(masked, part) for part in texts if says_something(masked.plain(part)))
    if len(parts) < 2:
        if not tasks and not counted:
            return None
        return Unclear(say("A split needs the names of two parts or more."))
    titles = [title.casefold() for title, _ in parts]
    if (
        len(set(titles)) < len(titles)
        or any(TASK_SIGN.search(part) for part in texts)
        or any(_OF_PARTS.fullmatch(part.strip()) for part in texts)
    ):
        return Unclear(say("The parts of the split are not clear."))
    return Split(tasks, parts, parallel is not None)


def _part(masked: Masked, text: str) -> tuple[str, tuple[str, ...]]:
    """Reads one part of a split: a title, and after a colon what it asks for."""
    text = re.sub(r"^(?:and |和|与|以及)", "", text.strip())
    title, _, rest = at_colon(text)
    said = (tidy(masked.plain(rest)),) if rest else ()
    return title_of(masked, title), said


def _read_move(masked: Masked, words: str, *, about_task: bool) -> Move | Unclear | None:
    found = match_whole(_MOVE, words)
    if found is None:
        return None
    tasks = masked.tasks_in(found.get("tasks", ""))
    if not tasks and not about_task:
        return Unclear(_NO_TASK)
    anchor = masked.tasks_in(found["anchor"])[0]
    return Move(tasks, anchor, found["where"].lower() in BEHIND)
