"""What something new comes after, where that is said before its name: "after IMPL-2, add ...".

>>> without_lead("After <IMPL-2>, add task: Ship")     # <IMPL-2> is one masked character
('add task: Ship', 'After <IMPL-2>')
"""

import re
from typing import Final

from gitwfp.policy.request.grammar import Lazy, match_whole, patterns
from gitwfp.policy.request.mentions import TASKS
from gitwfp.policy.request.statements import without_courtesy

DONE: Final = (
    r"(?: (?:is|are|has been|have been) (?:all )?(?:done|completed?|finished|ready|merged|landed))"
)
"""Matches "is done" behind a task."""
_AFTER: Final = (
    rf"(?:after|once|when|behind|(?:depending|building) on|(?:that |which )?depends on) {TASKS}"
    rf"{DONE}?"
)
_AFTER_ZH: Final = (
    rf"(?:(?:在|等|待) ?)?{TASKS} ?(?:都|全部)?(?:完成|做完|结束)?了?"
    r"(?:之后|以后|后(?![端台续缀面期]))"
    rf"|(?:依赖(?:于)?|基于) ?{TASKS}"
)
_ADD: Final = (
    r"(?:add|create|introduce|insert)(?: an?| one| another| the)?(?: new| extra| separate)? task"
)
_ADD_ZH: Final = r"(?:新增|增加|添加|创建|新建|建立|追加|加)(?:一个|一项|个|一条)?(?:新的?)?"
_PATH: Final = r"[^\s,，、:：;；\U000f0000-\U0010ffff]*/[^\s,，、:：;；\U000f0000-\U0010ffff]*"
_IN_PATH: Final = patterns(
    rf"(?:in|under|within) (?P<lead>{_PATH}) ?[,，] ?(?P<rest>.+)",
    rf"(?P<head>{_ADD}) (?:in|under|within) (?P<lead>{_PATH})"
    r"(?P<tail> ?[:：] ?.+| (?:called|named|titled) .+)",
    rf"在 ?(?P<lead>{_PATH}) ?(?:目录)?[中里下] ?[，,]? ?(?P<rest>.+)",
)
_FRONT: Final = patterns(
    rf"(?P<lead>{_AFTER}) ?[,，]? (?:then )?(?P<rest>.+)",
    rf"(?P<lead>{_AFTER_ZH}) ?[，,]? ?(?:再|就|还)?(?P<rest>.+)",
)
_INSIDE: Final = patterns(
    rf"(?P<head>{_ADD}) [(（]?(?P<lead>{_AFTER})[)）]?"
    r"(?P<tail> ?[:：] ?.+| (?:called|named|titled) .+)",
    rf"(?P<head>{_ADD_ZH})(?P<lead>{_AFTER_ZH}) ?(?:执行|进行|开始)?的(?P<tail>任务.+)",
    rf"(?P<head>{_ADD_ZH}任务) ?[（(](?P<lead>{_AFTER_ZH})[)）](?P<tail>.+)",
)
_ALONE: Final = Lazy(
    rf"{_AFTER}|{_AFTER_ZH}|(?:in|under|within) {_PATH}|在 ?{_PATH} ?(?:目录)?[中里下]",
    re.IGNORECASE,
)


def without_lead(words: str) -> tuple[str, str]:
    """Takes what something comes after, or lies in, off the front or the middle of a statement.

    Args:
        words: The statement, masked.

    Returns:
        What is left, and what was taken off; "" for nothing.
    """
    found = match_whole((*_INSIDE, *_FRONT, *_IN_PATH), words)
    if found is None:
        return words, ""
    if "rest" in found:
        return without_courtesy(found["rest"])[0], found["lead"]
    return found["head"] + found["tail"], found["lead"]


def is_lead(words: str) -> bool:
    """Tells whether words say nothing but what something comes after or lies in."""
    return _ALONE.fullmatch(words) is not None
