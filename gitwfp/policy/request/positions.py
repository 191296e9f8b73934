"""Entries named by their place in a list: "the second requirement", "第二条验收标准"."""

import re
from typing import Final

from gitwfp.model import fields as f
from gitwfp.policy.request.grammar import Lazy

_WORDS: Final = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
)  # fmt: skip
_HAN: Final = "一二三四五六七八九十"
_KIND: Final = (
    r"(?: (?P<kind>requirement|acceptance criterion|criterion|acceptance|focus path|path|step)s?)?"
)
_KIND_ZH: Final = r"(?:的? ?(?P<kind>需求|要求|验收(?:标准|条件)?|(?:关注|聚焦)?路径|步骤))?"
_ONE: Final = Lazy(
    r"(?:the )?(?:(?P<lead>requirement|acceptance criterion|criterion|focus path|step) )?"
    rf"(?:(?P<word>{'|'.join(_WORDS)}|last)|(?P<nth>\d{{1,2}})(?:st|nd|rd|th)"
    rf"|(?:# ?|no\.? ?|number )?(?P<number>\d{{1,2}}))(?: (?:one|entry|item))?{_KIND}",
    re.IGNORECASE,
)
_ONE_ZH: Final = Lazy(
    rf"(?P<last>最后) ?一?[条项个]?{_KIND_ZH}|第 ?(?P<number>[{_HAN}]|\d{{1,2}}) ?[条项个]?"
    + _KIND_ZH.replace("kind", "nth"),
)
_AND: Final = Lazy(r" ?[,，、] ?(?:and )?| and | ?(?:和|与|及) ?")
_FIELDS: Final = {
    "requirement": f.REQUIREMENTS, "需求": f.REQUIREMENTS, "要求": f.REQUIREMENTS,
    "focus path": f.FOCUS_PATHS, "path": f.FOCUS_PATHS, "step": f.IMPLEMENTATION,
    "步骤": f.IMPLEMENTATION, "路径": f.FOCUS_PATHS, "关注路径": f.FOCUS_PATHS,
    "聚焦路径": f.FOCUS_PATHS,
}  # fmt: skip


def read_places(words: str, fields: tuple[str, ...]) -> tuple[str, tuple[int, ...]] | None:
    """Reads words that name entries by their place.

    Args:
        words: The words, such as "second" or "第二条需求".
        fields: The lists that the entries may stand in, as far as the statement says.

    Returns:
        The list and the places in it, counted from 0, -1 for the last; None when the words name
        no place, or no list.
    """
    name = fields[0] if len(fields) == 1 else None
    places: list[int] = []
    for part in _AND.split(words.strip()):
        found = _ONE.fullmatch(part)
        wide = _ONE_ZH.fullmatch(part)
        if found is not None:
            place = _place(found["word"], found["nth"] or found["number"])
            kind = found["kind"] or found["lead"]
        elif wide is not None:
            place = _place("last" if wide["last"] else None, wide["number"])
            kind = wide["kind"] or wide["nth"]
        else:
            return None
        if kind is not None:
            name = _FIELDS.get(kind.lower(), f.ACCEPTANCE)
        places.append(place)
    return (name, tuple(places)) if name is not None else None


def _place(word: str | None, number: str | None) -> int:
    if word is not None:
        return _WORDS.index(word.lower()) if word.lower() != "last" else -1
    sign = number or ""
    return (_HAN.index(sign) if sign in _HAN else int(sign) - 1) if sign else -1
