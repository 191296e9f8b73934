"""Comparing what texts of a plan say: what they are about, what they allow, what they forbid.

Two statements contradict one another when they are about the same things and one of them forbids
or takes away what the other asks for. That is judged clause by clause, and only where nearly all of
the words of the one stand in the other, because a false alarm costs more than one that is missed.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.model.glossary import meanings_of
from gitwfp.patterns import regex

_PARTS: Final = regex(r"(?<=[a-z0-9])(?=[A-Z])")
_JOINTS: Final = regex(r"[/\\_.]+")
_CLAUSE: Final = regex(
    r"[;；,，。、!?！？（）\[\]]+|(?<!\w)\(|\)(?!\w)|(?<!\d)\.(?=\s|\Z)|\s+[-–—]+\s+|:\s|：|"
    r"\b(?:but|because|so that|unless|except|while|whereas|which)\b|但是?|因为|除非|以便|而且|同时",
    re.IGNORECASE,
)
_FORBIDS: Final = regex(
    r"\b(?:no|not|never|none|nothing|without|cannot|avoid(?:s|ing)?|forbid(?:s|den)?|"
    r"prohibit(?:s|ed)?|refuse|exclud(?:e|es|ed|ing)|out of scope|ban(?:s|ned)?|"
    r"disallow(?:s|ed)?|stop|zero)\b|n't\b"
    r"|不(?!同|断|仅|只|但|少|错|过|一样|[低高小大少多]于|超过|超出)|无(?!论|缝|障碍)|勿|禁止?|避免|切勿|未经|免除|零(?!散|件|售)",
    re.IGNORECASE,
)
_TAKES_AWAY: Final = regex(
    r"\b(?:remov(?:e|es|ed|ing)|delet(?:e|es|ed|ing)|drop(?:s|ped|ping)?|discard(?:s|ed)?|"
    r"replac(?:e|es|ed|ing)|instead of|get rid of|rid of|eliminat(?:e|es|ed|ing)|"
    r"disabl(?:e|es|ed|ing)|abandon(?:s|ed)?|break(?:s|ing)?|bypass(?:es)?|skip(?:s|ped)?|"
    r"migrat(?:e|es|ed|ing) (?:away )?from|switch(?:es|ing)? from|no longer|ignor(?:e|es|ing))\b"
    r"|删除|移除|去掉|去除|替换|取代|弃用|废弃|取消|停用|禁用|跳过|绕过|忽略|破坏|不再",
    re.IGNORECASE,
)
# Words that say how much a thing is wanted, and not which thing.
_HOLLOW: Final = frozenset(
    [
        "add",
        "adds",
        "use",
        "us",
        "us",
        "used",
        "using",
        "must",
        "should",
        "shall",
        "need",
        "allow",
        "allowed",
        "keep",
        "preserv",
        "preserve",
        "ensur",
        "ensure",
        "requir",
        "require",
        "mak",
        "make",
        "support",
        "implement",
        "creat",
        "create",
        "updat",
        "update",
        "provid",
        "remain",
        "only",
        "all",
        "any",
        "every",
        "each",
        "new",
        "exist",
        "current",
        "user",
        "task",
        "code",
        "file",
        "work",
        "chang",
        "change",
        "do",
        "get",
        "set",
        "via",
        "per",
        "than",
        "then",
        "if",
        "so",
        "be",
        "not",
        "no",
        "never",
        "without",
        "avoid",
        "plan",
        "build",
        "modif",
        "modify",
        "touch",
        "introduc",
        "complet",
        "strictly",
        "strict",
        "follow",
        "complianc",
        "compliant",
        "apply",
        "within",
        "across",
        "other",
        "more",
        "least",
        "most",
        "may",
        "might",
        "permit",
        "prohibit",
        "forbid",
        "forbidden",
        "exclud",
        "cannot",
        "instead",
        "still",
        "also",
        "includ",
        "replac",
        "remov",
        "delet",
        "drop",
        "scope",
        "out",
        "goal",
        "done",
        "well",
        "into",
        "onto",
        "upon",
        "before",
        "befor",
        "after",
        "during",
        "whil",
        "when",
        "where",
        "what",
        "how",
        "who",
        "why",
        "a",
        "1",
        "2",
        "3",
        "4",
        "5",
    ]
)


_EXCHANGES: Final = (
    (
        regex(
            r"\b(?:replac\w*|swap\w*|substitut\w*|chang\w+|convert\w*|migrat\w*|switch\w*)\s+"
            r"(?!to\b|into\b|by\b|with\b)(?:from\s+)?(?P<old>.+?)\s+(?:with|by|to|into|for)\s+(?P<new>.+)",
            re.IGNORECASE,
        ),
        ("old", "new"),
    ),
    (
        regex(r"(?P<new>.*?)\b(?:instead of|rather than|in place of)\b(?P<old>.+)", re.IGNORECASE),
        ("new", "old"),
    ),
    (regex(r"(?:将|把)?(?P<old>.+?)(?:替换|改|换|迁移)(?:为|成|到)(?P<new>.+)"), ("old", "new")),
    (regex(r"(?:用|以|使用|采用)(?P<new>.+?)(?:替换|取代|代替|替代)(?P<old>.+)"), ("new", "old")),
)
"""Ways to say that one thing takes the place of another."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a clause says.

    Attributes:
        terms: What it is about.
        forbids: Whether it forbids, lacks or takes away what it is about.
        text: The clause.
    """

    terms: frozenset[str]
    forbids: bool
    text: str


@lru_cache(maxsize=1 << 14)
def terms(text: str) -> frozenset[str]:
    """Returns what a text is about: its telling words, in either language.

    Words that are joined, as in `camelCase` and `src/auth_token.py`, count one by one.
    """
    apart = _JOINTS.sub(" ", _PARTS.sub(" ", text))
    return frozenset(term for term in meanings_of(apart) if term not in _HOLLOW)


def share(wanted: frozenset[str], held: frozenset[str]) -> float:
    """Returns the share of some terms that others hold, from 0 to 1; 0 for no terms."""
    return len(wanted & held) / len(wanted) if wanted else 0.0


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Returns how much two sets of terms have in common, from 0 to 1 (Jaccard)."""
    return len(one & other) / len(one | other) if one or other else 0.0


@lru_cache(maxsize=1 << 14)
def clauses(text: str) -> tuple[Said, ...]:
    """Returns what the clauses of a text say; those that are about nothing are left out."""
    said = []
    for part in _CLAUSE.split(text):
        for piece, is_taken in _exchanged(part or ""):
            about = terms(piece)
            if about:
                said.append(Said(about, is_negative(piece) != is_taken, piece.strip()))
    return tuple(said)


def _exchanged(clause: str) -> tuple[tuple[str, bool], ...]:
    """Splits a clause that puts one thing in the place of another.

    Returns:
        The parts, each with whether the exchange takes it away.
    """
    for form, order in _EXCHANGES:
        match = form.search(clause)
        if match is not None:
            parts = {"old": (match["old"], True), "new": (match["new"], False)}
            return tuple(parts[name] for name in order)
    return ((clause, False),)


def is_negative(text: str) -> bool:
    """Tells whether a clause forbids, lacks or takes away what it is about.

    Two negations in one clause, as in "do not remove", make it a demand again.
    """
    forbids = bool(_FORBIDS.search(text))
    takes = bool(_TAKES_AWAY.search(text))
    return forbids != takes


def is_like(one: str, other: str, least: float) -> bool:
    """Tells whether two texts say nearly the same, by what they are about.

    Args:
        one: A text.
        other: Another one.
        least: How much they must have in common, from 0 to 1.
    """
    return likeness(terms(one), terms(other)) >= least


def contradiction(
    statement: str, texts: Iterable[str], *, least: float = 0.75
) -> tuple[str, str] | None:
    """Finds where texts ask for what a statement forbids, or forbid what it asks for.

    Args:
        statement: A constraint or decision.
        texts: The sentences of a task.
        least: Which share of what a clause of the statement is about must stand in the other.

    Returns:
        The clause of the statement and that of the texts, or None.
    """
    whole = frozenset[str]().union(*(one.terms for one in clauses(statement)))
    rules = [one for one in clauses(statement) if _is_telling(one, whole)]
    if not rules:
        return None
    for text in texts:
        for said in clauses(text):
            for held in rules:
                if held.forbids != said.forbids and share(held.terms, said.terms) >= least:
                    return held.text, said.text
    return None


def _is_telling(clause: Said, whole: frozenset[str]) -> bool:
    """Tells whether a clause says enough by itself to be held against others.

    What is demanded is spoken of in many ways, so that more of it must come up than of what is
    forbidden.
    """
    if len(clause.terms) < 2:
        return False
    return clause.forbids or len(clause.terms) >= 3 or 2 * len(clause.terms) >= len(whole)


_VALUE: Final = regex(
    r"(?<![\w.#-])(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>%|ms|s|sec(?:onds?)?|min(?:utes?)?|hours?|"
    r"days?|weeks?|kb|mb|gb|px|rem|em|tasks?|users?|items?|times|x|秒|毫秒|分钟|小时|天|个|次|元)"
    r"(?![\w-])",
    re.IGNORECASE,
)
_UNITS: Final = {
    "sec": "s", "second": "s", "seconds": "s", "秒": "s", "毫秒": "ms", "minute": "min",
    "minutes": "min", "分钟": "min", "hours": "hour", "小时": "hour", "days": "day", "天": "day",
    "weeks": "week", "tasks": "task", "users": "user", "items": "item",
}  # fmt: skip


def values(text: str) -> dict[str, frozenset[str]]:
    """Returns the numbers of a text by their unit."""
    found: dict[str, set[str]] = {}
    for match in _VALUE.finditer(text):
        unit = match["unit"].lower()
        found.setdefault(_UNITS.get(unit, unit), set()).add(match["number"])
    return {unit: frozenset(numbers) for unit, numbers in found.items()}


def values_differ(one: str, other: str) -> bool:
    """Tells whether two texts give different numbers of the same unit, none of them in common."""
    here, there = values(one), values(other)
    return any(here[unit].isdisjoint(there[unit]) for unit in here.keys() & there.keys())


def is_wide(about: frozenset[str]) -> bool:
    """Tells whether terms are mostly Chinese, and so can have no word in common with English."""
    plain = [term for term in about if not term.startswith("#")]
    return sum(not term.isascii() for term in plain) * 2 > len(plain)


def short(text: str, most: int = 120) -> str:
    """Returns a text on one line, cut where it is long."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"
