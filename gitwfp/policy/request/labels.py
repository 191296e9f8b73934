"""Labels: what a heading, or words before a colon, say that follows."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from gitwfp.policy.request.grammar import Lazy, match_whole, patterns
from gitwfp.policy.request.mentions import QUOTES, TASK


class Label(StrEnum):
    """What a heading or a word before a colon says that follows."""

    REQUIREMENTS = "requirements"
    ACCEPTANCE = "acceptance"
    FOCUS_PATHS = "focus_paths"
    DEPENDS_ON = "depends_on"
    IMPLEMENTATION = "implementation"
    TITLE = "title"
    REMOVE = "remove"


_NEW: Final = (
    r"(?:(?:add|new|additional|extra)(?: an?| the)?(?: new)? |(?:update|change|modify|edit|set) "
    r"|(?:新增|增加|添加|补充|更新|修改|调整)(?:一下|一条|一项|一个)?)?(?:the )?"
)
_PUT_ZH: Final = r"(?:加|补|新增|增加|添加|补充|追加)"
_LABELS: Final = {
    Label.ACCEPTANCE: (
        r"(?:acceptance(?: criteri(?:on|a)| tests?)?|criteri(?:on|a)|ac|done when|"
        r"definition of done|验收(?:标准|条件|准则)?|完成(?:标准|条件))"
    ),
    Label.REQUIREMENTS: r"(?:requirements?|reqs?|(?:功能)?需求|要求)",
    Label.FOCUS_PATHS: (
        r"(?:focus(?:[ _]paths?)?|paths?|files?|scope"
        r"|(?:关注|聚焦|相关|涉及)?(?:路径|文件)|聚焦|范围)"
    ),
    Label.DEPENDS_ON: r"(?:depend(?:s[ _]on|encies|ency)|依赖(?:关系|任务)?)",
    Label.IMPLEMENTATION: (
        r"(?:(?:implementation )?(?:steps?|approach)|implementation"
        r"|(?:实现|实施)(?:步骤|方案)?|步骤)"
    ),
    Label.TITLE: r"(?:(?:new )?(?:task )?title|(?:新|任务)?标题)",
    Label.REMOVE: r"(?:remove|delete|drop|no longer needed|删除|移除|去掉|不再需要)",
}
_HEADINGS: Final = {
    label: Lazy(rf"{_NEW}(?:context\.)?{words}", re.IGNORECASE) for label, words in _LABELS.items()
}
_ONE_MORE_ZH: Final = rf"{_PUT_ZH}(?:上|入)?(?:[一两几]?[条项个])?(?:新的?)?"
_LABELLED: Final = {
    label: Lazy(
        rf"{_NEW}(?:context\.)?{words}(?: ?[:：] ?| ?\+?= ?(?={QUOTES}\Z)"
        rf"|(?: |(?<=[\u3400-\u9fff]))(?={QUOTES}\Z)"
        rf"|(?:中|里)?(?:再)?{_PUT_ZH}(?:上|入)?(?:(?:一[条项个])? ?[:：] ?|(?={QUOTES}\Z)))"
        r"(?P<rest>.+)",
        re.IGNORECASE,
    )
    for label, words in _LABELS.items()
}
# "Add a requirement that ..." and "..., to the requirements" name the list, too.
_NAMING: Final = {
    label: patterns(
        rf"(?:add|write|include|append)(?: (?:an?|another|one more|the|new))+ {words}"
        r"(?: that|,| which says(?: that)?| saying(?: that)?)? (?P<rest>.+)",
        rf"(?:add|write|include|append|put) (?P<rest>(?:(?!{TASK}).)+) (?:to|in|into|as|among) "
        rf"(?:the |its |an? )?(?:new )?(?:list of )?{words}",
        rf"(?:再|请|另外)*{_ONE_MORE_ZH}{words} ?[，,] ?(?P<rest>.+)",
        rf"(?:再|请|另外)+{_ONE_MORE_ZH}{words} ?[:：] ?(?P<rest>.+)",
        rf"{_PUT_ZH}(?:上|入)?[一两几][条项个](?:新的?)?{words} ?[:：] ?(?P<rest>.+)",
    )
    for label, words in _LABELS.items()
    if label in (Label.ACCEPTANCE, Label.REQUIREMENTS)
}


def label_of(words: str) -> Label | None:
    """Returns what a heading says that follows, if it says just that."""
    bare = re.sub(r"(?:的|list|列表|s to add)$", "", words.strip(), flags=re.IGNORECASE).strip()
    return next((label for label, pattern in _HEADINGS.items() if pattern.fullmatch(bare)), None)


def label_before_colon(words: str) -> Label | None:
    """Returns the label that a statement begins with."""
    return next((label for label, pattern in _LABELLED.items() if pattern.fullmatch(words)), None)


def labelled(words: str) -> Iterator[tuple[Label, str]]:
    """Yields the labels that a statement names, each with what it says under that label."""
    for label, pattern in _LABELLED.items():
        found = pattern.fullmatch(words)
        if found:
            yield label, found["rest"]
    for label, tried in _NAMING.items():
        named = match_whole(tried, words)
        if named:
            yield label, named["rest"]
