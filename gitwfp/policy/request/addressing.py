"""To whom a statement is said: `IMPL-3: ...`, `add ... to IMPL-3`, `the criteria of IMPL-3 ...`."""

import re
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.policy.request.grammar import Lazy, patterns
from gitwfp.policy.request.mentions import TASKS, Masked, Mention


@dataclass(frozen=True, slots=True)
class Addressed:
    """A statement and the tasks that it is said to.

    Attributes:
        tasks: The tasks that it is addressed to; none when it names no addressee.
        rest: What is said to them, masked.
        is_list: Whether the addressee stands before a colon and what follows is a list.
    """

    tasks: tuple[Mention, ...]
    rest: str
    is_list: bool = False


FIELD: Final = (
    r"(?:acceptance(?:[ _]criteri(?:on|a))?|criteri(?:on|a)|requirements?|focus(?:[ _]paths?)?"
    r"|depends_on|dependenc(?:y|ies)|title|execution(?: method| tool)?|executor)"
)
"""Matches what a list or value of a task is called in English."""
FIELD_ZH: Final = (
    r"(?:验收(?:标准|条件|准则)?|需求|要求|(?:关注|聚焦)?路径|(?:关注|文件|聚焦)?范围|依赖(?:关系)?|标题"
    r"|执行(?:方式|工具)?)"
)
"""Matches what a list or value of a task is called in Chinese."""
_EDIT_ZH: Final = r"(?:请)?(?:删除掉?|移除|去掉|删掉|删去|去除|修改|更新|调整|替换)"

_BEFORE_COLON: Final = Lazy(
    rf"(?:(?:in|for|on|to|update|change|在|给|对|更新|修改) ?)?(?P<tasks>{TASKS})"
    r" ?(?:中|里|上)?(?: ?[:：]| - | — |——) ?(?P<rest>.+)",
    re.IGNORECASE,
)
_IN_FIELD: Final = patterns(
    rf"(?P<rest>.*?\b{FIELD}) (?:of|in|for) (?P<tasks>{TASKS})(?P<more>.*)",
    r"(?:(?:update|change|modify|edit|adjust|set|in|for) )?"
    rf"(?P<tasks>{TASKS})(?:\.(?:context\.)?|'s )(?P<rest>{FIELD}\b.*)",
    rf"(?P<head>(?:(?!{TASKS}).)*?) ?(?P<tasks>{TASKS}) ?(?:中|里)?的 ?"
    rf"(?P<rest>(?:(?:第 ?[一二三四五六七八九十\d]{{1,2}} ?|最后一?)[条项个] ?)?{FIELD_ZH}.*)",
    rf"(?P<head>{_EDIT_ZH}) ?(?P<tasks>{TASKS}) ?(?:中|里)的? ?(?P<rest>.+)",
)
# "..., please take it out of IMPL-6" says again what was said before the comma.
_ECHO: Final = patterns(
    r"(?P<rest>.+?) ?[,，;；] ?(?:(?:so|and|please) )*(?:take|remove|drop|delete|strike) "
    rf"(?:it|that|them|this)(?: out)? (?:of|from) (?P<tasks>{TASKS})",
    rf"(?P<rest>.+?)[，,] ?(?P<tasks>{TASKS}) ?的?(?:{FIELD_ZH})? ?(?:也|要|请)*"
    r"(?:同步|相应|一并|随之)(?:地)?(?:修改|更新|调整)",
)
_ECHO_BARE: Final = Lazy(
    r" ?[,，] ?(?:(?:so|and|please) )*(?:take|remove|drop|delete|strike) (?:it|that|them)(?: out)?"
    r"|[，,] ?(?:(?:所以|那就|直接|就|请|可以|把它|将其) ?)*(?:删掉|删除|去掉|移除)(?:它|吧|即可)?",
    re.IGNORECASE,
)
_IN_FRONT: Final = patterns(
    rf"(?:in|for|on|to|with|regarding) (?P<tasks>{TASKS}) ?[,，] ?(?P<rest>.+)",
    rf"in (?P<tasks>{TASKS}) (?P<rest>(?:the|all|each|every|no|any)\b.+)",
    rf"(?:update|change|adjust|modify|revise|extend) (?P<tasks>{TASKS}),? to (?P<rest>.+)",
    rf"(?:make|let|have) (?P<tasks>{TASKS}) (?P<rest>depend\b.+)",
    rf"(?:在|给|对|为|把|将|让|使) ?(?P<tasks>{TASKS}) ?"
    r"(?!(?:完成)?(?:之|以)?[前后](?![端台续缀面期]))(?:中|里面|里|上|的)? ?[，,]? ?"
    r"(?P<rest>.+)",
    rf"从 ?(?P<tasks>{TASKS}) ?(?:中|里)?的? ?(?P<rest>.+)",
    rf"(?P<tasks>{TASKS})(?:'s| ?的|,| ?，| ?中| ?里)? ?(?P<rest>.+)",
)
_BEHIND: Final = patterns(
    rf"(?P<rest>(?:add|include|put|apply)\b.+) (?:to|in|into|for) (?P<tasks>{TASKS})",
    rf"(?P<rest>(?:remove|drop|delete)\b.+) from (?P<tasks>{TASKS})",
    rf"(?P<rest>(?:replace|change|swap|take|keep)\b.+) (?:in|of|from|for) (?P<tasks>{TASKS})",
    r"(?P<rest>(?:(?:we|you|it|i) )?(?:no longer needs?|(?:do|does)(?: not|n't) need) .+) "
    rf"(?:in|for|from) (?P<tasks>{TASKS})",
    rf"(?P<rest>(?:rename|retitle)\b.*?) ?(?P<tasks>{TASKS})(?P<more> (?:to|as) .+)",
)

_DONE: Final = r"(?:done|complete|completed|finished|ready|merged|over)"
_MUST: Final = r"(?:must|should|has to|have to|needs? to|is to|will)"
_FIRST: Final = rf"(?P<first>{TASKS})"
_THEN: Final = rf"(?P<tasks>{TASKS})"
# What is said of two tasks, with what that means for the one that waits.
_NEEDS: Final = patterns(
    rf"{_FIRST} {_MUST} (?:be {_DONE}|come|happen|run|finish) before {_THEN}"
    r"(?: (?:starts?|begins?|runs?))?",
    rf"{_FIRST} (?:blocks?|(?:is|are) (?:a )?prerequisites? (?:of|for)) {_THEN}",
    rf"(?:let|have|make) {_THEN} (?:only )?(?:start|begin|run|wait)(?: only)? "
    rf"(?:after|until|once|when|for) {_FIRST}(?: (?:is|are) (?:all )?{_DONE})?",
    rf"{_FIRST} ?(?:要|必须|应该?|需要?)*(?:先于|早于) ?{_THEN} ?(?:完成|做完?|执行)?",
)
_FREE: Final = patterns(
    rf"{_THEN} ?(?:不需要|不用|无需|不必)(?:再)?等(?:待|到)? ?{_FIRST} ?(?:完成|做完|结束)?了?",
)
_RELATED: Final = (
    *((pattern, "depends on ") for pattern in _NEEDS),
    *((pattern, "no longer depends on ") for pattern in _FREE),
)

_SENTENCE_VERB: Final = Lazy(
    r"must|should|shall|will|can|may|has|is|are|was|needs?|does|also|now|[a-z]{3,}[^s]s",
    re.IGNORECASE,
)


def addressed(masked: Masked, statement: str) -> Addressed:
    """Finds out which tasks a statement is said to: `IMPL-3: ...`, `add ... to IMPL-3`.

    Args:
        masked: The request.
        statement: One statement of it, masked.

    Returns:
        The addressees and the rest of the statement; without an addressee all of it.
    """
    colon = _BEFORE_COLON.fullmatch(statement)
    if colon:
        return Addressed(masked.tasks_in(colon["tasks"]), colon["rest"], is_list=True)
    for pattern, rest in _RELATED:
        related = pattern.fullmatch(statement)
        if related:
            return Addressed(masked.tasks_in(related["tasks"]), rest + related["first"])
    for pattern in (*_ECHO, *_IN_FIELD, *_IN_FRONT, *_BEHIND):
        found = pattern.fullmatch(statement)
        if found:
            said = found.groupdict()
            rest = (said.get("head") or "") + found["rest"] + (said.get("more") or "")
            return Addressed(masked.tasks_in(found["tasks"]), rest.strip())
    return Addressed((), statement)


def without_echo(words: str) -> str:
    """Takes "..., so delete it" off a statement that has said so before."""
    found = next((each for each in _ECHO_BARE.finditer(words) if each.end() == len(words)), None)
    return words[: found.start()].rstrip() if found and found.start() else words


def goes_on_as_sentence(said: Addressed) -> bool:
    """Tells whether the addressees are the subject of a sentence that goes on with its verb."""
    verb = said.rest.split(" ", 1)[0]
    return len(said.tasks) > 1 or _SENTENCE_VERB.fullmatch(verb) is not None
