"""Dependencies in what people write: "depends on IMPL-2", "不再依赖 IMPL-2"."""

import re
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.policy.request.grammar import Lazy, match_whole, patterns
from gitwfp.policy.request.mentions import TASK, TASKS, Masked, Mention


@dataclass(frozen=True, slots=True)
class Needs:
    """Dependencies that come, go, or are all there are."""

    add: tuple[Mention, ...] = ()
    remove: tuple[Mention, ...] = ()
    only: bool = False
    none: bool = False


_IT_BARE: Final = r"(?:(?:it|this|this task|the task|they) )?"
_IT: Final = _IT_BARE + r"(?:(?:should|must|shall|now|also|will|both|all|each) )*"
_MUST_NOT: Final = (
    r"(?:(?:must|should|shall|may|can|will|need|is|are)(?:n't| not)(?: to)?|cannot|can't|won't"
    r"|(?:do|does) not need to|(?:do|does)n't need to)"
)
_IT_ZH: Final = r"(?:(?:该|此|本|这个)?任务|它)?"
_WHY: Final = (
    r"(?: (?:as well|too|also|now))?"
    r"(?:[,，]? ?(?:\bbecause\b|\bfor\b|\bsince\b|\bas it\b|因为|由于).+)?"
)
_ADD: Final = rf"(?P<add>{TASKS})"
_GONE: Final = rf"(?P<remove>{TASKS}(?:,? (?:or|nor) {TASKS})*)"
"""In what is denied, "or" is as good as "and"."""
_NOUN: Final = r"dependenc(?:y|ies)"
_PUT_ZH: Final = r"(?:新增|增加|添加|加上|补充)"
_GO: Final = r"(?:remove|drop|delete)"
_GO_ZH: Final = r"(?:移除|删除|去掉|取消|解除)"
_SWAP_ZH: Final = r"(?:改为|改成|换成|替换为)"

_COMES: Final = patterns(
    rf"{_IT}(?:depends?|(?:is|be) dependent) (?P<only>only )?(?:up)?on {_ADD}"
    r"(?:,? (?:and |but )?(?:not|no longer|instead of|rather than)(?: on)? "
    rf"{_GONE}(?: any ?more)?)?{_WHY}",
    rf"{_IT}(?:only depends? on|depends? on only) {_ADD}(?P<only>){_WHY}",
    rf"{_IT}depends? on {_ADD}(?P<only>) (?:only|alone)",
    rf"(?:add|set)(?: an?| the)?(?: new)? {_NOUN}(?: on| to|:) ?{_ADD}{_WHY}",
    rf"add {_ADD} (?:to|as) (?:an? |its |the )?(?:list of )?{_NOUN}",
    rf"{_IT}(?:(?:start|run|do|begin|come|execute)s? (?:it |this |this task )?)?after {_ADD}"
    r"(?: is (?:done|complete|completed|finished))?",
    rf"{_IT}(?:can(?:not)? |may |must )?(?:only |not )?(?:be )?(?:start|begin|run|follow|done)s?"
    rf"(?:ed)? (?:only )?(?:once|when|after|until|before) {_ADD} "
    r"(?:is|are|has been|have been) (?:all )?(?:done|completed?|finished|ready|merged|landed)",
    rf"(?:set|change|make) (?:the |its )?(?:{_NOUN}|depends_on)(?: list)? (?P<only>to|=|:) ?"
    rf"\[?{_ADD}\]?",
    rf"{_IT}(?:needs?|requires?) {_ADD}"
    r"(?: first| too| as well| to be (?:done|finished)(?: first)?)?",
    rf"{_IT}(?:is |be )?(?:blocked by|waits? for) {_ADD}{_WHY}",
    rf"{_IT_ZH}(?:需|应该?|也|还|要)*(?P<only>仅|只)?依赖(?:于)? ?{_ADD}"
    rf"(?:[，,]? ?(?:而不是|而非|不再依赖) ?{_GONE})?{_WHY}",
    rf"{_PUT_ZH}(?:对)? ?{_ADD} ?的?依赖(?:关系)?{_WHY}",
    rf"{_PUT_ZH}依赖(?:于|到)? ?[:：]?{_ADD}{_WHY}",
    rf"(?:必须|只能|需|应该?|得|要)*(?:等到?|在|待) ?{_ADD} ?(?:都|全部)?"
    r"(?:完成|做完|结束|上线|就绪)?(?:了)?(?:之后|以后|后)?(?:才|再)(?:能|可以?)?(?:开始|进行|执行|做|启动)",
    rf"(?:把|将)?(?:依赖(?:关系)?)(?P<only>设为|设置为|改为|改成) ?\[?{_ADD}\]?",
    rf"{_IT_ZH}改为依赖(?:于)? ?{_ADD}(?:[，,]? ?(?:而不是|而非|(?:且|并)?不再依赖) ?{_GONE})?",
    rf"(?:要)?(?:在|等|待)? ?{_ADD} ?(?:都|全部)?(?:完成|做完|结束)?了?(?:之后|以后|后)(?:再)?"
    r"(?:开始|进行|执行|做)?",
    rf"基于 ?{_ADD}",
    rf"(?:depending|building) on {_ADD}|(?:once|when) (?P<same>{TASKS}) (?:is|are) (?:all )?"
    r"(?:done|completed?|finished|ready)",
)
_GOES: Final = patterns(
    rf"{_IT}no longer (?:depends?|rel(?:y|ies)) on {_GONE}{_WHY}",
    rf"{_IT}(?:does not|doesn't|do not|don't|need not) depend on {_GONE}"
    rf"(?: any ?more| any longer)?{_WHY}",
    rf"{_IT}(?:no longer needs?|(?:does not|doesn't|do not|don't) need) {_GONE}"
    r"(?: any ?more| any longer| first)?",
    rf"{_IT_BARE}{_MUST_NOT} (?:depend|rely) on {_GONE}(?: any ?more| any longer| again)?{_WHY}",
    rf"{_IT}stops? depending on {_GONE}{_WHY}",
    rf"{_GO} (?:the |its |any )?{_NOUN}(?: on| to|:)? ?{_GONE}{_WHY}",
    rf"{_IT}can (?:be done|start|run|go ahead) without {_GONE}",
    rf"{_GO} (?:the )?{_GONE} {_NOUN}",
    rf"{_GO} {_GONE} (?:from|as) (?:an? |its |the )?(?:list of )?{_NOUN}",
    rf"{_IT_ZH}(?:已)?不再依赖(?:于)? ?{_GONE}了?{_WHY}",
    rf"{_IT_ZH}(?:也|都)?(?:不|不应该?|不能|不得|不可|不要|不需|不必|无需|别)(?:要|再)*依赖(?:于)?"
    rf" ?{_GONE} ?了?{_WHY}",
    rf"{_GO_ZH}(?:掉)?(?:对)? ?{_GONE} ?的?依赖(?:关系)?{_WHY}",
    rf"{_GO_ZH}依赖 ?[:：]?{_GONE}",
    rf"从依赖(?:关系|列表)?(?:中|里) ?{_GO_ZH} ?{_GONE}",
)
_THEN: Final = r"(?:,? (?:and|but)(?: then)?|[,;]) "
_NOW_ZH: Final = r"(?:并|而|而是|然后)?(?:改为|改成|改|转而)?"
_CHANGES: Final = patterns(
    rf"{_GO} (?:the |its )?{_NOUN} (?:on|to) {_GONE}{_THEN}(?:let it |make it |have it )?{_IT}"
    rf"depends? on {_ADD}(?: instead)?{_WHY}",
    rf"{_GO} (?:the |its )?{_NOUN} (?:on|to) {_GONE}{_THEN}add (?:an? |the )?(?:one|{_NOUN})? ?"
    rf"(?:on|to) {_ADD}(?: instead)?{_WHY}",
    rf"{_IT}(?:no longer depends?|{_MUST_NOT} depend|(?:do|does)(?: not|n't) depend) on {_GONE}"
    rf"(?: any ?more)?{_THEN}(?:(?:it )?depends? )?on {_ADD}(?: instead)?{_WHY}",
    rf"{_GO_ZH}(?:掉)?(?:对)? ?{_GONE} ?的?依赖(?:关系)?[，,、]? ?{_NOW_ZH}依赖(?:于)? ?{_ADD}",
    rf"{_IT_ZH}不(?:再|要|应该?)*依赖(?:于)? ?{_GONE}[，,、] ?{_NOW_ZH}依赖(?:于)? ?{_ADD}",
    rf"replace (?:the |its )?{_NOUN}(?: on)? {_GONE} (?:with|by) {_ADD}",
    rf"(?:把|将)(?:对)? ?{_GONE} ?的依赖{_SWAP_ZH}(?:对)? ?{_ADD}(?: ?的依赖)?",
    rf"(?:把|将)?依赖(?:从)? ?{_GONE} ?{_SWAP_ZH} ?{_ADD}",
)
_NONE: Final = patterns(
    rf"{_IT}(?:depends? on (?:nothing|no (?:other )?tasks?)(?: any ?more| at all)?"
    r"|no longer depends? on (?:anything|any (?:other )?tasks?)"
    rf"|has no (?:more )?{_NOUN})",
    rf"(?:{_GO}|clear) (?:all|any)(?: of)?(?: its| the)? {_NOUN}|clear (?:its |the )?{_NOUN}",
    rf"(?:it |this task )?(?:needs |has |with )?no (?:more )?{_NOUN}(?: any ?more| at all)?",
    rf"{_IT_ZH}不(?:再)?依赖(?:于)?(?:任何|其他)(?:其他)?任务|清空依赖(?:关系)?|没有依赖|(?:{_GO_ZH}|清空)(?:所有|全部)依赖(?:关系)?",
)
_TANGLED: Final = Lazy(
    rf"\bdepend\w*\b[^.]{{0,20}}?\bon (?:the )?(?:tasks? )?{TASK}|依赖(?:于)? ?{TASK}"
    rf"|{TASK} ?的?依赖|\bdependenc\w+ (?:on|to) {TASK}"
    r"|\bdepends? on (?:it|them|that|the new (?:task|one))\Z|依赖(?:于)?(?:它们?|新任务)\Z",
    re.IGNORECASE,
)


def read_needs(masked: Masked, words: str) -> Needs | None:
    """Reads a statement about dependencies, or returns None if it is none."""
    if match_whole(_NONE, words) is not None:
        return Needs(none=True)
    found = match_whole((*_GOES, *_CHANGES, *_COMES), words)
    if found is None:
        return None
    add, remove = found.get("add", found.get("same", "")), found.get("remove", "")
    return Needs(masked.tasks_in(add), masked.tasks_in(remove), only="only" in found)


def speaks_of_needs(words: str) -> bool:
    """Tells whether a statement speaks of a dependency on a task somewhere in it."""
    return _TANGLED.search(words) is not None
