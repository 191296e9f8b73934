"""Removals and replacements in what people write: "remove X", "replace X by Y", "把 X 改为 Y".

Here is found what the words are that name the old entry and the new one; which entry is meant is
decided in `edits`.
"""

import re
from itertools import islice
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.errors import say
from gitwfp.model import fields as f
from gitwfp.policy.request.grammar import Lazy, Unclear, match_whole, patterns
from gitwfp.policy.request.mentions import QUOTE, QUOTES, Masked
from gitwfp.policy.request.values import Revalued, read_value, value_instead
from gitwfp.policy.request.words import tidy

LISTS: Final = (f.REQUIREMENTS, f.ACCEPTANCE, f.FOCUS_PATHS)
"""Where an entry is looked for when its list is not named."""


@dataclass(frozen=True, slots=True)
class Removed:
    """An entry that goes, named by words about it."""

    fields: tuple[str, ...]
    words: str


@dataclass(frozen=True, slots=True)
class Kept:
    """An entry that is not to go, and the statement in its own words."""

    removed: Removed
    whole: str


@dataclass(frozen=True, slots=True)
class Ended:
    """What is to be so no longer: an entry that goes, or a requirement where no entry says it."""

    removed: Removed
    whole: str


@dataclass(frozen=True, slots=True)
class Relisted:
    """A list that gives way to another."""

    field: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Replaced:
    """An entry that gives way; each choice is one way to read the statement.

    Attributes:
        fields: The lists it may stand in.
        choices: Pairs of words about the old entry and the new words.
        whole: The statement in its own words.
        may_be_new: Whether the statement is a requirement of its own when no entry fits.
        is_only: Whether the one entry of the list is meant, whatever it says.
    """

    fields: tuple[str, ...]
    choices: tuple[tuple[str, str], ...]
    whole: str
    may_be_new: bool = False
    is_only: bool = False

    @property
    def surely_old(self) -> bool:
        """Whether the statement says that there is an entry."""
        return not self.may_be_new


_KIND: Final = (
    r"(?P<kind>requirements?|acceptance criteri(?:on|a)|acceptance|criteri(?:on|a)|focus paths?|"
    r"focus|steps?)"
)
_KINDS: Final = r"(?P<kind>requirements|acceptance criteria|acceptance|criteria|focus paths)"
_KIND_ZH: Final = (
    r"(?P<kind>需求|要求|验收标准|验收条件|验收|关注路径|聚焦路径|路径|文件范围|关注范围|步骤)"
)
_GO: Final = r"(?:remove|drop|delete|get rid of|take out)"
_GO_ZH: Final = r"(?:删除掉?|移除|去掉|删掉|删去|去除)"
_SWAP_ZH: Final = r"(?:改为|改成|替换为|替换成|换成|换为|更改为|修改为|更换为|调整为)"
_WHAT: Final = r"(?P<what>.+)"
_FIELDS: Final = {
    "req": (f.REQUIREMENTS,), "需求": (f.REQUIREMENTS,), "要求": (f.REQUIREMENTS,),
    "acc": (f.ACCEPTANCE,), "cri": (f.ACCEPTANCE,), "验收": (f.ACCEPTANCE,),
    "foc": (f.FOCUS_PATHS,), "关注": (f.FOCUS_PATHS,), "聚焦": (f.FOCUS_PATHS,),
    "路径": (f.FOCUS_PATHS,), "文件": (f.FOCUS_PATHS,), "ste": (f.IMPLEMENTATION,),
    "步骤": (f.IMPLEMENTATION,),
}  # fmt: skip
_REMOVE: Final = patterns(
    rf"{_GO} (?:the )?{_KIND}(?: (?:about|for|on|that says|that|saying|called|named))?"
    rf" ?[:：]? ?{_WHAT}",
    rf"{_GO} {_WHAT} (?:from|in|out of) (?:the |its )?(?:list of )?{_KIND}",
    rf"(?:take|leave|strike) {_WHAT} (?:out of|from|off) (?:the |its )?(?:list of )?{_KIND}",
    rf"{_GO} (?:the )?{_WHAT} {_KIND}",
    rf"{_GO} {_WHAT}",
    rf"(?:it |this task |we |you )?no longer (?:needs?|requires?) (?:to )?{_WHAT}",
    rf"(?:it |this task |we |you )?(?:do|does)(?: not|n't) (?:need|require) {_WHAT} any ?more",
    rf"{_WHAT} (?:is|are) no longer (?:needed|required|necessary)",
    rf"{_WHAT} (?:is|are)(?: not|n't) (?:needed|required|necessary) any ?more",
    rf"从{_KIND_ZH}(?:中|里)? ?{_GO_ZH} ?{_WHAT}",
    rf"(?:把|将) ?{_WHAT} ?从{_KIND_ZH}(?:中|里)? ?{_GO_ZH}",
    rf"{_GO_ZH}(?:掉)? ?{_KIND_ZH} ?[:：]? ?{_WHAT}",
    rf"{_GO_ZH} ?(?P<what>.+?) ?的?{_KIND_ZH}",
    rf"{_GO_ZH} ?{_WHAT}",
    rf"(?:已)?不再(?:需要|要求) ?{_WHAT}",
    r"(?P<what>.+?) ?(?:已经?)?不再需要了?",
    rf"(?:把|将) ?(?P<what>.+?) ?{_GO_ZH}了?",
    rf"(?P<what>{QUOTE}) [^,;]+[,;] (?:so |please |and |then )*(?:remove|drop|delete) (?:it|that)",
    rf"(?P<what>{QUOTE}) ?[^，,；]+[，,；] ?(?:请|就|可以|所以)*(?:删掉|去掉|删除|移除)(?:它|吧)?",
    rf"(?P<what>{QUOTE})(?:这一?[条项个])?(?:需求|要求|标准|验收标准)?(?:可以)?(?:{_GO_ZH}|删)了?",
)
_QUOTED: Final = rf"(?P<what>{QUOTES})"
_REMOVE_SEVERAL: Final = patterns(
    rf"{_GO} (?:the )?(?:{_KIND} )?{_QUOTED}",
    rf"{_GO} {_QUOTED} (?:from|in|out of) (?:the |its )?(?:list of )?{_KIND}",
    rf"(?:it |this task |we )?no longer (?:needs?|requires?) {_QUOTED}",
    rf"{_QUOTED} (?:are|is) no longer (?:needed|required)",
    rf"{_GO_ZH}(?:掉)? ?(?:{_KIND_ZH} ?[:：]? ?)?{_QUOTED}(?:这?[两几三四]?[条项个])?"
    r"(?:需求|要求|标准)?了?",
    rf"(?:把|将)? ?{_QUOTED} ?(?:都|全部|这?[两几三四]?[条项个]|需求|要求|标准)*{_GO_ZH}了?",
    rf"(?:已)?不再(?:需要|要求) ?{_QUOTED}",
)
_WHO: Final = r"(?:(?P<who>(?:\S+ ){0,4}?\S+) )?(?:(?:should|must|shall|will|need|may) )?"
_END: Final = patterns(
    rf"{_WHO}no longer (?P<what>.+)",
    rf"{_WHO}(?:do|does|should|must|will)?(?: not|n't) (?P<what>.+) (?:any ?more|any longer)",
    r"stop (?P<what>\w+ing\b.+)",
    r"(?P<who>[^，,。不时后前]{0,8})不再 ?(?P<what>.+?)了?",
    r"(?:不用|不必|无需|用不着)再? ?(?P<what>.+?)了",
)
_KEEP: Final = patterns(rf"(?:keep|leave) (?P<what>{QUOTE})", rf"保留 ?(?P<what>{QUOTE})")
_NOBODY: Final = frozenset(
    {"the", "its", "this", "that", "a", "an", "my", "our", "这条", "该", "这个"}
)
_EVERYTHING: Final = Lazy(
    r"(?:all|every|everything|any|each|both|the rest)\b.*|(?:所有|全部|一切|任何).*",
    re.IGNORECASE,
)
_COUNT: Final = Lazy(
    r"(?:the )?(?:(?:first|last) )?(?:\d+|one|two|three|four|five|six|some|several|a few|an?)",
    re.IGNORECASE,
)
# "Delete expired sessions when ..." tells what the software does.
_TELLS: Final = Lazy(
    r"(?:时|前|后|之前|之后|的时候)(?:[，,]|要|需|应|必须|也|都|会)"
    r"|\b(?:when|whenever|as soon as|after|before|until|unless|every|once|if|while)\b",
    re.IGNORECASE,
)
_ABOUT_ZH: Final = Lazy(r"(?:关于|有关|涉及|对于) ?")
_REPLACE: Final = patterns(
    rf"(?:(?:change|update|replace|set) )?(?:the |its )?(?:{_KIND} )?(?P<old>{QUOTE}) ?"
    r"(?:->|=>|→|⇒|\b(?:to|with|by|becomes|should become|should be|should read)\b) ?"
    rf"(?P<new>{QUOTE})",
    rf"replace (?P<old>.+?) (?:with|by) (?P<new>.+?) (?:in|among|under) (?:the |its )?{_KIND}",
    rf"(?:in |among )?(?:the |its )?{_KIND},? replace (?P<old>.+?) (?:with|by) (?P<new>.+)",
    rf"(?:update|change|rewrite|revise) (?:the |its )?{_KIND} (?:about|on|for) (?P<old>.+?)"
    r"(?: ?: ?| to (?:say |read )?)(?P<new>.+)",
    rf"(?:把|将)?{_KIND_ZH}(?:中|里)?的? ?(?P<old>.+?) ?{_SWAP_ZH}[:：]? ?(?P<new>.+)",
    r"the (?P<old>.+?) (?P<kind>requirement|acceptance criterion|criterion) "
    r"(?:should|must|shall|needs to|has to) (?:now )?(?:say|read|state|be|become|ask|demand)"
    r"(?: that| instead| now)*:? (?P<new>.+)",
    rf"replace (?:the )?(?:{_KIND}(?: (?:about|for|on|that))? ?[:：]? ?)?"
    r"(?P<old>.+?) (?:with|by) (?P<new>.+)",
    rf"(?:把|将) ?(?:{_KIND_ZH} ?[:：]? ?)?(?P<old>.+?) ?{_SWAP_ZH}[:：]? ?(?P<new>.+)",
    r"(?:用|以) ?(?P<new>.+?) ?(?:来)?(?:代替|替代|取代|替换掉?|换掉) ?(?P<old>.+)",
)
_NTH: Final = r"(?:first|second|third|fourth|fifth|last|\d{1,2}(?:st|nd|rd|th))"
_TO_SAY: Final = r" (?:to|as|so that it says|to say|to read)(?: ?:)? (?P<new>.+)"
_REWORD: Final = patterns(
    rf"(?:reword|rephrase|rewrite|update|change|revise|set|edit) (?:the |its )?"
    rf"(?P<old>{_NTH} (?:requirement|acceptance criterion|criterion|focus path|step)){_TO_SAY}",
    r"(?P<old>(?:requirement|acceptance criterion|criterion) (?:# ?|no\.? ?)?\d{1,2}) ?: ?"
    r"(?P<new>.+)",
    rf"(?:the )?(?P<old>{_NTH} (?:requirement|acceptance criterion|criterion)) ?: ?(?P<new>.+)",
    rf"(?P<old>第 ?[一二三四五六七八九十\d]{{1,2}} ?[条项个]{_KIND_ZH.replace('?P<kind>', '?:')})"
    r" ?[:：] ?(?P<new>.+)",
    rf"(?:把|将)?(?P<old>(?:第 ?[一二三四五六七八九十\d]{{1,2}} ?|最后一?)[条项个]?"
    rf"{_KIND_ZH.replace('?P<kind>', '?:')}) ?(?:{_SWAP_ZH}|更新为|应为|应该是)[:：]? ?(?P<new>.+)",
)
# Without a place in the list it is clear only where the list has one entry.
_REWORD_ONE: Final = patterns(
    r"(?:reword|rephrase|rewrite|update|change|revise|set) (?:the |its )?(?:only )?"
    rf"(?P<kind>requirement|acceptance criterion|criterion){_TO_SAY}",
    rf"(?:把|将)?(?:唯一的)?{_KIND_ZH} ?(?:{_SWAP_ZH}|更新为)[:：]? ?(?P<new>.+)",
)
_FOCUS_SET: Final = patterns(
    r"(?:change|set|switch|move|limit) (?:the |its )?(?P<kind>focus)(?: paths?)? to:? (?P<new>.+)",
    rf"(?:把|将)?(?P<kind>(?:关注|聚焦)(?:路径|范围)?) ?(?:{_SWAP_ZH}|设为|设置为|限定为)[:：]? ?"
    r"(?P<new>.+)",
)
_INSTEAD: Final = patterns(
    r"(?P<new>.+?),? (?:instead of|in place of|rather than) (?P<old>.+)",
    r"instead of (?P<old>.+?), ?(?P<new>.+)",
    r"(?P<new>.+?)[，,]? ?(?:而不是|而非) ?(?P<old>.+)",
)
_FROM_TO: Final = patterns(
    r"(?:switch|change|move|set|turn) (?:the )?(?!from\b)[^,;]+? from (?P<both>.+? to .+)"
)
_CHANGE: Final = patterns(
    r"(?P<old>\w.{5,}?) ?(?:->|=>|→|⇒) ?(?P<new>\w.{5,})",
    r"(?:switch|migrate|move|change) (?:over )?from (?P<old>.+?) to (?P<new>.+)",
    r"(?:swap|exchange|trade) (?P<old>.+?) (?:for|with) (?P<new>.+)",
    r"(?:change|turn) (?:the )?(?P<old>.+?) (?:to|into):? (?P<new>.+)",
    rf"(?P<old>.+?) ?{_SWAP_ZH}[:：]? ?(?P<new>.+)",
)
_ALL: Final = patterns(
    rf"(?:replace|set) (?:all|the whole list)(?: of)?(?: the| its)? {_KINDS} (?:with|by|to)"
    r" ?[:：]? ?(?P<new>.*)",
    rf"(?:把|将)?(?:全部|所有|整个)?{_KIND_ZH}(?:列表)?(?:全部|都|整体|统一){_SWAP_ZH}"
    r" ?[:：]? ?(?P<new>.*)",
    rf"(?:把|将)?(?:全部|所有|整个){_KIND_ZH}(?:列表)?{_SWAP_ZH} ?[:：]? ?(?P<new>.*)",
)
_MOST: Final = 4
_BY: Final = Lazy(r" (?:with|by) ")
_TO: Final = Lazy(" to ")
_USE: Final = Lazy(
    r"(?:use|using|have|take|focus (?:only )?on|work (?:only )?in|look at)\b ?|(?:采用|使用|用) ?",
    re.IGNORECASE,
)
_NEGATED: Final = Lazy(
    r"(?:do not|don't|does not|doesn't|never|must not|mustn't|should not|shouldn't|may not|"
    r"cannot|can't|can not|will not|avoid|not|no(?! longer))\b|不要|不得|不能|不可|不应|不许|"
    r"不允许|不准|禁止|切勿|请勿|勿|别|避免|严禁|绝不|永不|无需|不需",
    re.IGNORECASE,
)
_ANY_MORE: Final = Lazy(r"\bany ?more$", re.IGNORECASE)


def is_negated(words: str, *, anywhere: bool = False) -> bool:
    """Tells whether a statement begins with "do not" or its like, or has one in it."""
    if _ANY_MORE.search(words):
        return False
    return (_NEGATED.search if anywhere else _NEGATED.match)(words) is not None


def read_removal(masked: Masked, words: str) -> Removed | Unclear | None:
    """Reads a removal, or returns None if the statement is none."""
    found = match_whole(_REMOVE, words)
    if found is None:
        return None
    what = tidy(found["what"])
    if what.lower() in _NOBODY:
        return Unclear(say("It does not say which of them; name the entries one by one."))
    fields = _fields(found)
    if fields == LISTS and _TELLS.search(what):
        return None
    what = _ABOUT_ZH.sub("", what, count=1) if _ABOUT_ZH.match(what) else what
    kind = found.get("kind")
    if kind and _COUNT.fullmatch(what) and words.lower().endswith(f"{what} {kind}".lower()):
        return Unclear(say("It does not say which of them; name the entries one by one."))
    if _EVERYTHING.match(what):
        return Unclear(say("It would remove whole lists; name the entries one by one."))
    return Removed(fields, masked.literal(what))


def read_removals(masked: Masked, words: str) -> tuple[Removed, ...]:
    """Reads the removal of several quoted entries, each of which has to be there."""
    found = match_whole(_REMOVE_SEVERAL, words)
    signs = re.findall(QUOTE, found["what"]) if found is not None else []
    if found is None or len(signs) < 2:
        return ()
    fields = _fields(found)
    return tuple(Removed(fields, masked.literal(sign)) for sign in signs)


def read_keeping(masked: Masked, words: str) -> Kept | None:
    """Reads "do not remove X", or returns None if the statement is another."""
    kept = match_whole(_KEEP, words)
    if kept is not None:
        said = Removed(LISTS, masked.literal(tidy(kept["what"])))
        return Kept(said, tidy(masked.plain(words)))
    found = _NEGATED.match(words)
    removed = read_removal(masked, words[found.end() :].strip()) if found else None
    return Kept(removed, tidy(masked.plain(words))) if isinstance(removed, Removed) else None


def read_end(masked: Masked, words: str) -> Ended | None:
    """Reads "no longer do X", or returns None if the statement is another."""
    found = match_whole(_END, words)
    if found is None:
        return None
    said = masked.literal(tidy(found.get("who", "") + " " + found["what"]))
    return Ended(Removed((f.REQUIREMENTS, f.ACCEPTANCE), said), tidy(masked.plain(words)))


def read_replacement(masked: Masked, words: str) -> Replaced | Revalued | None:
    """Reads a replacement, or returns None if the statement is none."""
    whole = tidy(masked.plain(words))
    value = read_value(masked, words)
    if value is not None and (not is_negated(words, anywhere=True) or value.old is not None):
        return value
    reworded = _read_rewording(masked, words, whole)
    if reworded is not None:
        return reworded
    found = match_whole(_REPLACE, words)
    if found is not None:
        choices = [(found["old"], found["new"])]
        if words.lower().startswith("replace "):
            # "replace a with b by c" can be read in two ways.
            choices = _splits(f"{found['old']} with {found['new']}", _BY)
        whole = re.sub(r"^(?:把|将) ?", "", whole)
        return Replaced(_fields(found), _literal(masked, choices), whole)
    if is_negated(words, anywhere=True):
        return None
    found = match_whole(_INSTEAD, words)
    if found is not None:
        pairs = _literal(masked, [(found["old"], found["new"])])
        return value_instead(pairs[0][1], pairs[0][0], whole) or Replaced(LISTS, pairs, whole)
    found = match_whole(_FROM_TO, words)
    if found is not None:
        return Replaced(
            LISTS, _literal(masked, _splits(found["both"], _TO)), whole, may_be_new=True
        )
    found = match_whole(_CHANGE, words)
    if found is None:
        return None
    pairs = _literal(masked, [(found["old"], found["new"])])
    return Replaced(LISTS, pairs, whole, may_be_new=True)


def _read_rewording(masked: Masked, words: str, whole: str) -> Replaced | None:
    """Reads new words for an entry that is named by its place, or that is the only one."""
    found = match_whole(_REWORD, words)
    if found is not None:
        return Replaced(LISTS, _literal(masked, [(found["old"], found["new"])]), whole)
    found = match_whole(_REWORD_ONE, words)
    if found is None or _fields(found) == (f.FOCUS_PATHS,):
        return None
    return Replaced(
        _fields(found), (("", masked.literal(tidy(found["new"]))),), whole, is_only=True
    )


def read_relisting(masked: Masked, words: str, items: tuple[str, ...]) -> Relisted | None:
    """Reads "replace all criteria with: a; b", or returns None if the statement is another."""
    found = match_whole(_ALL, words) or (match_whole(_FOCUS_SET, words) if not items else None)
    if found is None:
        return None
    texts = (tidy(masked.literal(text)) for text in (found["new"], *items))
    return Relisted(_fields(found)[0], tuple(dict.fromkeys(text for text in texts if text)))


def relists(words: str) -> bool:
    """Tells whether a statement sets a list anew, so that semicolons go on with its entries."""
    return match_whole(_ALL, words) is not None


def without_use(new: str) -> str:
    """Returns the new words of a replacement without "use" in front."""
    return _USE.sub("", new, count=1) if _USE.match(new) else new


def _splits(both: str, joint: Lazy) -> list[tuple[str, str]]:
    """Returns the ways to divide words into an old entry and a new one."""
    found = islice(joint.finditer(both), _MOST)
    return [(both[: each.start()], both[each.end() :]) for each in found]


def _literal(masked: Masked, pairs: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((masked.literal(tidy(old)), masked.literal(tidy(new))) for old, new in pairs)


def _fields(found: dict[str, str]) -> tuple[str, ...]:
    kind = found.get("kind", "").lower()
    return next((fields for start, fields in _FIELDS.items() if kind.startswith(start)), LISTS)
