"""Words of texts, made ready to be compared: stems of English words, runs of Chinese signs.

Word order, endings and small words do not count, a slip of the keyboard is forgiven. Chinese is
compared by pairs of characters.

>>> terms_of("Exports the lists")
('export', 'list')
"""

from collections.abc import Sequence
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.patterns import regex

_HAN: Final = "\u3400-\u9fff\uf900-\ufaff"
_WORD: Final = regex(rf"[{_HAN}]+|[^\W_{_HAN}](?:[\w']*[^\W_{_HAN}])?")
_IS_HAN: Final = regex(f"[{_HAN}]")
_EMPTY_HAN: Final = regex("[的了吗吧呢]")
_EMPTY: Final = frozenset(
    [
        "a",
        "all",
        "also",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "been",
        "by",
        "can",
        "could",
        "for",
        "from",
        "has",
        "have",
        "in",
        "into",
        "is",
        "it",
        "its",
        "must",
        "of",
        "on",
        "or",
        "our",
        "shall",
        "should",
        "that",
        "the",
        "their",
        "them",
        "there",
        "these",
        "this",
        "those",
        "to",
        "was",
        "we",
        "were",
        "when",
        "which",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)
_SHORTEST_TYPO: Final = 5
_TYPO: Final = 0.84


def terms_of(text: str) -> tuple[str, ...]:
    """Returns what a text is searched by: stems of words, pairs of Chinese characters."""
    words = Words.of(text)
    pairs = (run[at : at + 2] for run in words.runs for at in range(len(run) - 1))
    return (*words.stems, *pairs)


def share_of(wanted: str, held: str) -> float:
    """Returns the share of some words that an entry holds, from 0 to 1."""
    asked = Words.of(wanted)
    return asked.share_in(Words.of(held)) if asked.weight else 0.0


def weight_of(text: str) -> float:
    """Returns how much a text says; two Chinese characters weigh as much as a word."""
    return Words.of(text).weight


@dataclass(frozen=True, slots=True)
class Words:
    """A text as what is compared.

    Attributes:
        stems: The stems of its words, small words left out.
        runs: Its runs of Chinese characters.
    """

    stems: tuple[str, ...]
    runs: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Words":
        """Returns the words of a text."""
        stems: list[str] = []
        runs: list[str] = []
        for word in _WORD.findall(text.casefold()):
            if _IS_HAN.match(word):
                runs.extend(run for run in _EMPTY_HAN.split(word) if run)
            elif word not in _EMPTY:
                stems.append(_stem(word))
        return cls(tuple(stems), tuple(runs))

    @property
    def weight(self) -> float:
        """How much there is to compare; two Chinese characters weigh as much as a word."""
        return len(self.stems) + sum(len(run) for run in self.runs) / 2

    def share_in(self, other: "Words") -> float:
        """Returns the share of these words that another text holds."""
        found = float(sum(_holds(other.stems, stem) for stem in self.stems))
        pairs = {run[at : at + 2] for run in other.runs for at in range(len(run) - 1)}
        signs = {sign for run in other.runs for sign in run}
        for run in self.runs:
            if len(run) == 1:
                found += (run in signs) / 2
                continue
            hits = [run[at : at + 2] in pairs for at in range(len(run) - 1)]
            found += (
                sum(
                    one or other_one
                    for one, other_one in zip([*hits, False], [False, *hits], strict=True)
                )
                / 2
            )
        return found / self.weight


def _stem(word: str) -> str:
    """Takes the commonest endings off an English word."""
    for ending, rest, shortest in (
        ("ies", "y", 5), ("ing", "", 6), ("ions", "", 7), ("ion", "", 6), ("ed", "", 5),
        ("es", "", 5), ("s", "", 4),
    ):  # fmt: skip
        if word.endswith(ending) and len(word) >= shortest and not word.endswith("ss"):
            word = word[: -len(ending)] + rest
            break
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def _holds(stems: Sequence[str], wanted: str) -> bool:
    if wanted in stems:
        return True
    if len(wanted) < _SHORTEST_TYPO or any(sign.isdigit() for sign in wanted):
        return False
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(b=wanted)
    for stem in stems:
        if abs(len(stem) - len(wanted)) <= 2 and len(stem) >= _SHORTEST_TYPO:
            matcher.set_seq1(stem)
            if matcher.ratio() >= _TYPO:
                return True
    return False
