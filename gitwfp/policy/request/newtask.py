"""New tasks in what people write: "add task Audit log: log every login", "新增任务：审计日志".

A new task is announced by the word itself and a name; "add task filtering to the board" may as
well be a requirement and is left unclear where the request is about one task.
"""

import re
from typing import Final

from gitwfp.classes import dataclass, replace
from gitwfp.errors import say
from gitwfp.policy.request.grammar import Lazy, Unclear, match_whole, patterns
from gitwfp.policy.request.leads import DONE, without_lead
from gitwfp.policy.request.mentions import QUOTE, TASK, TASKS, Masked, Mention
from gitwfp.policy.request.words import as_title, says_something, tidy

Tasks = tuple[Mention, ...]
"""The tasks a form names; none stands for the task that the request is about."""


@dataclass(frozen=True, slots=True)
class Create:
    """New tasks, one for each title.

    Attributes:
        titles: What they are called.
        items: What the one asks for.
        said: What each of several asks for, by title; "" for nothing.
        after: The task that they come after.
        needs: The tasks that they depend on.
        id: The id that the one is to have.
    """

    titles: tuple[str, ...]
    items: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    after: Mention | None = None
    needs: Tasks = ()
    id: Mention | None = None


_TASK: Final = rf"(?:(?:the )?(?:sub-?)?tasks? |任务 ?)?{TASK}"
TASK_SIGN: Final = Lazy(TASK)
BEHIND: Final = ("after", "behind", "后", "之后", "后面", "以后")
_TASK_NOUN: Final = Lazy(
    r"(?: (?:sub-?)?tasks| parts|(?:这?[两二三四五几]个)(?:子?任务|部分))\Z", re.IGNORECASE
)
_ADD_ZH: Final = r"(?:新增|增加|添加|创建|新建|建立|追加|加)"
_MORE: Final = (
    r"(?:another|one more|an?(?: further| second| third)?)(?: new| separate)? (?P<noun>task)"
)
_CREATE: Final = patterns(
    r"(?:(?:add|create|introduce|insert)(?: an?| one| another| the)?(?: new| extra| separate)?"
    r"|new) (?P<noun>task)\b(?P<rest>.*)",
    rf"{_ADD_ZH}(?:一个|一项|个|一条)?(?:新的?)?(?P<noun>任务)(?!如下)(?P<rest>.*)",
    # Behind a task that is added, "and another task: ..." adds one more.
    rf"{_MORE}(?P<rest>(?: ?[:：]| (?:called|named|titled) ).+)",
    rf"(?P<bare>{_MORE})(?P<rest> (?:to|for) (?!that\b|this\b|it\b)"
    r"(?!.*\b(?:is|are|was|were|must|should|has|have|can|will|exists?)\b).+)",
    r"(?:另|再|再来)?(?:一个|一项|一条)(?:新的?)?(?P<noun>任务)(?P<rest>[:：].+)",
    r"(?P<noun>(?P<bare>task|任务))(?P<rest> ?[:：].+)",
)
_CREATE_MANY: Final = patterns(
    r"(?:(?:add|create|introduce|insert)(?: the| these| following| some| more| new| separate"
    r"| (?P<count>two|three|four|five|six|[2-9]))*|new) tasks\b(?P<rest>.*)",
    rf"{_ADD_ZH}(?:以下|如下|下列|这)? ?(?P<count>[两二三四五六几]|[2-9]) ?[个项条](?:新的?)?"
    r"任务(?P<rest>.*)",
    rf"{_ADD_ZH}(?:(?:以下|如下|下列|这些)(?:新的?)?任务|任务如下)(?P<rest>.*)",
)
_NUMBERS: Final = (
    {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
    | {sign: number + 2 for number, sign in enumerate("二三四五六")}
    | {"两": 2}
)
_QUOTES: Final = Lazy(rf"{QUOTE}(?: ?(?:[,，、&和与及]|\band\b)+ ?{QUOTE})+")
# A name that stands apart from the word "task".
_APART: Final = patterns(
    r" ?[:：] ?.+", r" (?:called|named|titled) .+", rf" ?{QUOTE}.*", rf" {TASK} ?[:：]? .+"
)
_NAMED: Final = patterns(
    r" ?[:：] ?(?P<title>.+)",
    r" (?:called|named|titled) (?P<title>.+)",
    r"(?:来|去)?(?:做|负责|处理|用于|用来)(?P<title>(?=[^\x00-\x7f]).+)",
    r"(?:来|去)(?P<title>(?=[^\x00-\x7f]).+)",
    r" ?[，,] ?(?P<title>(?=[^\x00-\x7f]).+)",
    r" (?:to|for) (?P<title>.+)",
    rf" ?(?P<title>{QUOTE}.*)",
    rf" (?P<id>{TASK}) ?[:：]? (?P<title>.+)",
)
_MAY_BE_TASK: Final = Unclear(
    say("It may mean a new task or a requirement; write 'add task: ...' for a task.")
)
_NO_NAME: Final = Unclear(say("It is not clear what the new task is called."))
_TAIL: Final = patterns(
    rf"(?P<title>.+?)[ ,，(（](?:that |which |and )?(?:depends|depending) on "
    rf"(?P<needs>{TASKS})[)）]?",
    rf"(?P<title>.+?)[ ,，(（](?P<where>after|before) (?P<anchor>{_TASK})[)）]?",
    rf"(?P<title>.+?)[ ,，(（](?:after|once|when) (?P<needs>{TASKS}){DONE}?[)）]?",
    rf"(?P<title>.+?)[ ,，(（]依赖(?:于)? ?(?P<needs>{TASKS})[)）]?",
    rf"(?P<title>.+?)[ ,，(（](?:放|排|安排)?在 ?(?P<anchor>{_TASK}) ?"
    r"(?P<where>之后|之前|后|前)[)）]?",
    rf"(?P<title>.+?)[ ,，(（](?:在|等|待)? ?(?P<needs>{TASKS}) ?(?:都|全部)?(?:完成|做完|结束)?"
    r"(?:之后|以后|后)(?:再|才)?(?:执行|进行|开始|做)?[)）]?",
)


_TAIL_BEFORE: Final = patterns(
    rf".+?[ ,，(（]before {_TASK}[)）]?",
    rf".+?[ ,，(（](?:放)?在 ?{_TASK} ?(?:之前|前面?|以前)[)）]?",
)
_WITH: Final = patterns(
    r"(?P<title>.+?)(?: ?[,，;；])? (?:with|and|has|having|whose) (?:the |an? |these |its )?"
    r"(?P<label>acceptance(?: criteri(?:on|a))?|criteri(?:on|a)|requirements?|focus(?: paths?)?)"
    rf"(?: (?:is|are))?(?: (?P<said>{QUOTE}(?:(?:[ ,]| and )+{QUOTE})*))?",
    r"(?P<title>.+?)(?: ?[,，;；] ?(?:其)?| ?的|(?<=\S) ?其)"
    r"(?P<label>验收(?:标准|条件)?|需求|要求|关注路径)"
    rf"(?:是|为)?(?: ?(?P<said_zh>{QUOTE}(?:[，、和]?{QUOTE})*))?",
)


def is_create(words: str) -> bool:
    """Tells whether a statement adds a task, or begins to."""
    words, _ = _bare(words)
    return match_whole((*_CREATE, *_CREATE_MANY), words) is not None


def names_new_task(words: str) -> bool:
    """Tells whether a statement adds a task beyond doubt: "task" and its name stand apart."""
    words, _ = _bare(words)
    found = match_whole(_CREATE_MANY, words)
    if found is not None and not found["rest"]:
        return True
    found = found or match_whole(_CREATE, words)
    return found is not None and match_whole(_APART, found["rest"]) is not None


def create_goes_on(words: str) -> bool:
    """Tells whether semicolons continue a new task: after a colon, or where tasks are listed."""
    words, _ = _bare(words)
    if match_whole(_CREATE_MANY, words) is not None:
        return True
    return match_whole(_CREATE, words) is not None and re.search("[:：]", words) is not None


def read_create(
    masked: Masked, words: str, more: tuple[str, ...], *, about_task: bool
) -> Create | Unclear | None:
    """Reads a new task, or several.

    Args:
        masked: The request.
        words: The statement, masked.
        more: What a list adds to it.
        about_task: Whether the request is about one task, so that more is asked of the words.
    """
    words, lead = _bare(words)
    several = match_whole(_CREATE_MANY, words)
    if several is not None:
        made = _read_many(masked, several["rest"], more, several.get("count", ""))
    else:
        made = _read_one(masked, words, more, about_task=about_task)
    if not lead or not isinstance(made, Create):
        return made
    needs = masked.tasks_in(lead)
    if not needs and any(made.said):
        return Unclear(say("It is not clear which of the new tasks works in {path}.", path=lead))
    items = made.items if needs else (*made.items, lead)
    return replace(made, needs=(*needs, *made.needs), items=items)


def _read_one(
    masked: Masked, words: str, more: tuple[str, ...], *, about_task: bool
) -> Create | Unclear | None:
    """Reads one new task, or several in quotes."""
    found = match_whole(_CREATE, words)
    named = None if found is None else _name_of(found, about_task=about_task)
    if named is None or isinstance(named, Unclear):
        return named
    name, beside = _behind_name(named["title"])
    title, _, items = at_colon(name)
    label, title, told = _labelled(title)
    items = told or items
    title, needs, after = _placed(masked, title)
    if match_whole(_TAIL_BEFORE, title) is not None:
        return Unclear(say("A new task is put behind others, not before one."))
    if TASK_SIGN.search(title) or not says_something(masked.plain(title)):
        return _NO_NAME
    wanted = (*beside, *(label + item for item in (items, *more) if item))
    if label and not wanted:
        return _NO_NAME
    if _QUOTES.fullmatch(title) and not wanted:
        titles = tuple(masked.literal(sign) for sign in re.findall(QUOTE, title))
        return Create(titles, after=after, needs=needs)
    mention = masked.tasks_in(named["id"])[0] if "id" in named else None
    return Create((title_of(masked, title),), wanted, (), after, needs, mention)


def _name_of(found: dict[str, str], *, about_task: bool) -> dict[str, str] | Unclear | None:
    """Returns the name that a new task is given, and its id, if it is given one."""
    rest = found["rest"]
    if about_task and "bare" in found:
        return _MAY_BE_TASK
    named = match_whole(_NAMED, rest)
    if named is not None:
        return named
    bare = re.fullmatch(r" (?P<title>.+)", rest)
    if bare is None:
        return Unclear(say("It does not say what the new task is called.")) if not rest else None
    if about_task and not bare["title"][0].isupper() and found["noun"].isascii():
        return _MAY_BE_TASK
    return {"title": bare["title"]}


_IN: Final = patterns(
    r"(?:in|at|under|with focus on|focus(?:ing|ed)? on|touching|and touches|works? in|located in) "
    r"(?P<path>\S*[/.]\S*)",
    r"(?P<path>[^\s()（）]+/[^\s()（）]+)[)）]",
    r"(?:放|位于|写|建|实现)?(?:在|到|于) ?(?P<path>\S*[/.]\S*?)(?:中|里|下)?",
)
_ASKS: Final = patterns(
    r"(?:它|其)?(?P<label>需求|要求|验收(?:标准|条件)?|关注路径)(?:是|为|[:：])? ?(?P<said>.+)",
    r"(?:its |the )?(?P<label>requirements?|acceptance(?: criteri(?:on|a))?|criteri(?:on|a))"
    r"(?: is| are|:) (?P<said>.+)",
)
_APPENDED: Final = Lazy(
    rf"(?P<name>{QUOTE}|[^,，;；]+?(?=[,，;；])) ?[,，;；(（]? ?(?P<more>[^,，、;； ].*)"
)


def _behind_name(title: str) -> tuple[str, tuple[str, ...]]:
    """Divides what stands behind a name in quotes into what the new task asks for.

    Returns:
        The name with what is left, and the requirements, criteria and paths behind it.
    """
    found = _APPENDED.fullmatch(title)
    if found is None:
        return title, ()
    parts = re.split(r" ?[,，;；] ?(?:and )?", found["more"])
    wanted: list[str] = []
    for at, part in enumerate(parts):
        place, asked = match_whole(_IN, part), match_whole(_ASKS, part)
        if place is not None:
            wanted.append(f"focus paths: {place['path']}")
        elif asked is not None:
            wanted.append(f"{asked['label']}: {asked['said']}")
        elif wanted and wanted[-1].startswith(("要求", "需求", "requirement")):
            # What goes on behind a requirement is one more.
            wanted.append(part)
        else:
            rest = ", ".join(parts[at:])
            return (found["name"] + " " + rest if wanted else title), tuple(wanted)
    return found["name"], tuple(wanted)


def _labelled(title: str) -> tuple[str, str, str]:
    """Takes "with acceptance" off a title.

    Returns:
        The label of what follows, the title, and what follows if it stands in quotes.
    """
    found = match_whole(_WITH, title)
    if found is None:
        return "", title, ""
    return f"{found['label']}: ", found["title"], found.get("said", found.get("said_zh", ""))


def _bare(words: str) -> tuple[str, str]:
    """Takes "after IMPL-2" off the front of a statement that adds a task."""
    rest, lead = without_lead(words)
    if lead and match_whole((*_CREATE, *_CREATE_MANY), rest) is not None:
        return rest, lead
    return words, ""


def _read_many(
    masked: Masked, rest: str, more: tuple[str, ...], count: str
) -> Create | Unclear | None:
    """Reads several new tasks: in one line, or one in each line of a list."""
    rest = rest.lstrip(" :：,，")
    texts = [rest, *more] if rest and more else [*more] if more else listed(rest)
    parts = [at_colon(text) for text in texts]
    if not parts:
        return Unclear(say("It does not say what the new tasks are called."))
    if any(
        TASK_SIGN.search(title) or not says_something(masked.plain(title)) for title, *_ in parts
    ):
        return _NO_NAME
    wanted = _NUMBERS.get(count.lower(), int(count) if count.isdigit() else len(parts))
    if wanted != len(parts):
        return Unclear(
            say("It speaks of {count} new tasks and names {named}.", count=wanted, named=len(parts))
        )
    titles = tuple(title_of(masked, title) for title, *_ in parts)
    return Create(titles, said=tuple(said for *_, said in parts))


def _placed(masked: Masked, title: str) -> tuple[str, Tasks, Mention | None]:
    """Takes "depends on IMPL-2" and "after IMPL-2" off a new task's title."""
    found = match_whole(_TAIL, title)
    if found is None:
        return title, (), None
    if "needs" in found:
        return found["title"], masked.tasks_in(found["needs"]), None
    anchor = masked.tasks_in(found["anchor"])[0]
    behind = found["where"].lower() in BEHIND
    return (found["title"], (anchor,), anchor) if behind else (title, (), None)


def listed(text: str) -> list[str]:
    """Splits a list in one line: by semicolons, else by commas, else by "and"."""
    if re.search("[;；]", text):
        found = re.split("[;；]", text)
    else:
        found = re.split(r"[,，、]", text)
        found[-1:] = re.split(r" and |和|与|以及", found[-1])
    bare = [re.sub(r"^(?:and |和|与|以及)", "", part.strip()) for part in found]
    bare = [part for part in bare if part]
    if bare:
        bare[-1] = _TASK_NOUN.sub("", bare[-1])
    return bare


def at_colon(text: str) -> tuple[str, str, str]:
    """Divides a text at its first colon: what is before, the colon, what is behind."""
    found = re.search(r" ?[:：](?: |(?<=：)|(?=[^\x00-\x7f]))", text)
    if found is None:
        return text, "", ""
    return text[: found.start()], found[0], text[found.end() :].strip()


def title_of(masked: Masked, text: str) -> str:
    """Returns words as a title; a quoted one stands as it is."""
    literal = masked.literal(tidy(text))
    return literal if literal != masked.plain(tidy(text)) else as_title(literal)
