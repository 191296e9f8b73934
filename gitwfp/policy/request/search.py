"""Which task a statement is about, where it names none: ranked text search over the tasks.

Words of title, requirements, acceptance and focus paths are looked for; a word that few tasks
have counts more than one that many have, a word that no task has counts against all. English is
compared by stems and forgives a slip of the keyboard, Chinese by pairs of characters.

A task is clearly meant when it holds at least `CLEAR` of what a statement says and the next one
at most `LEAD` times as much, and when more than one word speaks for it.
"""

from collections.abc import Iterable, Iterator
from math import log
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.model import fields as f
from gitwfp.model.glossary import meanings_of
from gitwfp.model.plan import Plan
from gitwfp.model.task import Task, TaskId
from gitwfp.model.words import terms_of
from gitwfp.policy.request.grammar import Lazy
from gitwfp.policy.request.topics import topics_of

CLEAR: Final = 0.3
LEAD: Final = 0.8
NEAR: Final = 0.12
_BY_TOPIC: Final = 0.5
_UNKNOWN: Final = 0.55
_LEAST_MATCHED: Final = 2
_FUZZY: Final = 86.0
_FUZZY_LENGTH: Final = 5
_WEIGHTS: Final = {f.REQUIREMENTS: 0.9, f.ACCEPTANCE: 0.8, f.FOCUS_PATHS: 0.7}
_PARTS: Final = Lazy(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[\u3400-\u9fff]+")
# Words of asking: they say nothing about the thing that is asked for.
_ASKING: Final = frozenset(
    [
        "add",
        "need",
        "support",
        "us",
        "use",
        "mak",
        "provid",
        "creat",
        "build",
        "implement",
        "introduc",
        "allow",
        "enabl",
        "ensur",
        "new",
        "should",
        "want",
        "lik",
        "get",
        "giv",
        "let",
        "show",
        "display",
        "do",
        "don",
        "not",
        "never",
        "no",
        "more",
        "also",
        "now",
        "only",
        "each",
        "every",
        "ever",
        "befor",
        "after",
        "about",
        "than",
        "then",
        "so",
        "but",
        "if",
        "as",
        "per",
        "via",
        "instead",
        "within",
        "without",
        "across",
        "between",
    ]
)
_ASKING_ZH: Final = Lazy(
    "必须|需要|应该|应当|要求|支持|增加|新增|添加|实现|提供|可以|能够|我们|不能|不得|禁止|不再|以及|或者"
    "|如果|时候|之后|之前|所有|每个|每次|一个|一下|进行|使用|对于|关于"
    "|[要应需可能先再也都还将把被对从到给在和与或并且该这那其的了吗吧呢]",
)


@dataclass(frozen=True, slots=True)
class Hit:
    """A task and how much of a statement it holds, from 0 to 1."""

    task: TaskId
    score: float
    matched: int


class TaskIndex:
    """The tasks of a plan, made ready for search."""

    def __init__(self, plan: Plan) -> None:
        self._terms = {task.id: _terms(task) for task in plan.tasks.values()}
        self._topics = {
            task.id: topics_of(term for text, _ in _texts(task) for term in terms_of(text))
            for task in plan.tasks.values()
        }
        self._counts: dict[str, int] = {}
        for terms in self._terms.values():
            for term in terms:
                self._counts[term] = self._counts.get(term, 0) + 1

    def ranked(self, words: str) -> tuple[Hit, ...]:
        """Returns the tasks that hold something of some words, the best one first.

        Args:
            words: The statement, unmasked.
        """
        wanted = [self._known(term) for term in wanted_terms(words)]
        total = sum(self._weight(term) for term in wanted)
        hits = []
        for task_id, terms in self._terms.items():
            held = [term for term in wanted if term in terms]
            if held:
                score = sum(terms[term] * self._weight(term) for term in held) / total
                hits.append(Hit(task_id, score, _count(held)))
        return tuple(sorted(hits, key=lambda hit: -hit.score))

    def clearly(self, words: str) -> Hit | None:
        """Returns the one task that some words are clearly about, or None."""
        hits = self.ranked(words)
        if not hits or hits[0].score < CLEAR or hits[0].matched < _LEAST_MATCHED:
            return None
        return hits[0] if len(hits) == 1 or hits[1].score <= LEAD * hits[0].score else None

    def near(self, words: str) -> tuple[Hit, ...]:
        """Returns the tasks that are near to something new, by their words or by their topic.

        Args:
            words: What is new.
        """
        found = {hit.task: hit for hit in self.ranked(words)}
        asked = topics_of(terms_of(words))
        for task_id, held in self._topics.items():
            share = max((held.get(topic, 0) for topic in asked), default=0)
            if share:
                own = found.get(task_id, Hit(task_id, 0.0, 0))
                score = own.score + _BY_TOPIC * share / sum(held.values())
                found[task_id] = Hit(task_id, score, own.matched)
        order = {task_id: at for at, task_id in enumerate(self._terms)}
        return tuple(sorted(found.values(), key=lambda hit: (-hit.score, order[hit.task])))

    def _weight(self, term: str) -> float:
        count = self._counts.get(term, 0)
        most = log(1 + len(self._terms))
        return log(1 + len(self._terms) / count) if count else most * _UNKNOWN

    def _known(self, term: str) -> str:
        """Returns a term of the tasks that is meant by one with a slip in it, else itself."""
        if term in self._counts or len(term) < _FUZZY_LENGTH or not term.isascii():
            return term
        from rapidfuzz import fuzz, process

        near = [each for each in self._counts if each.isascii() and len(each) >= _FUZZY_LENGTH]
        found = process.extractOne(term, near, scorer=fuzz.ratio, score_cutoff=_FUZZY)
        return found[0] if found else term


def _count(terms: Iterable[str]) -> int:
    """Counts words; pairs of Chinese characters that overlap are parts of one."""
    pairs: list[str] = []
    count = 0
    for term in dict.fromkeys(terms):
        if term.isascii():
            count += 1
        elif not any(term[0] == other[-1] or term[-1] == other[0] for other in pairs):
            count += 1
            pairs.append(term)
    return count


def wanted_terms(words: str) -> tuple[str, ...]:
    """Returns what a statement is about, without words of asking, each term once."""
    terms = meanings_of(_ASKING_ZH.sub(" ", words))
    return tuple(dict.fromkeys(term for term in terms if term not in _ASKING))


def _terms(task: Task) -> dict[str, float]:
    """Returns the terms of a task with the weight of the best place they stand in."""
    found: dict[str, float] = {}
    for text, weight in _texts(task):
        for term in meanings_of(text):
            found[term] = max(weight, found.get(term, 0.0))
    return found


def _texts(task: Task) -> Iterator[tuple[str, float]]:
    yield task.title, 1.0
    for name, weight in _WEIGHTS.items():
        for text in task.texts(name):
            yield (" ".join(_PARTS.findall(text)) if name == f.FOCUS_PATHS else text), weight
