"""What a request mentions by name: tasks, and passages that are to be taken as they stand.

A request is read through a mask: each task id and each quoted passage becomes one character of
Unicode's private planes. Grammar then sees `split X into Y` whatever the id looks like, nothing
is cut in the middle of a quotation, and `plain` gives the words back as they were written.

    >>> masked = mask("delete impl-3", plan)
    >>> masked.tasks_in(masked.text)
    (Mention(words='impl-3', task='IMPL-003'),)
"""

import re
from collections.abc import Iterator
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.model.plan import Plan
from gitwfp.model.task import TaskId, find_id
from gitwfp.policy.request.grammar import Lazy

TASK: Final = "(?-i:[\U00100000-\U0010fffd])"
"""Matches one task id in a masked text."""
QUOTE: Final = "(?-i:[\U000f0000-\U000ffffd])"
"""Matches one quoted passage in a masked text."""
QUOTES: Final = rf"{QUOTE}(?:(?:[ ,，、]|\band\b|和|与|及|以及)+{QUOTE})*"
"""Matches one quoted passage or a list of them."""
TASKS: Final = (
    rf"(?:(?:the |both |all )?(?:sub-?)?tasks? |both |任务 ?)?{TASK}"
    rf"(?:(?:[ ,，、&+]|\band\b|\bboth\b|\btasks?\b|和|与|及|以及|跟|任务)+{TASK})*"
)
"""Matches one task id or a list of them, with the word "task" before it."""

_FIRST_TASK: Final = 0x100000
_FIRST_QUOTE: Final = 0xF0000
_ROOM: Final = 0xFFFD
_PRIVATE: Final = Lazy("[\U000f0000-\U0010ffff]")
_PAIRS: Final = {
    '"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "「": "」", "『": "』", "《": "》",
    "(": ")", "（": "）", "[": "]", "【": "】",
}  # fmt: skip
_BRACKETS: Final = frozenset("(（[【")
_TERMINATOR: Final = Lazy(r"[.!?;。！？；,，、:：]")
_ID: Final = Lazy(
    r"(?<![A-Za-z0-9_./\\@$%=+-])[A-Za-z][A-Za-z0-9]*(?:[-._][A-Za-z0-9]+)*"
    r"(?![A-Za-z0-9_/\\]|\*(?!\*)|[-.@=(][A-Za-z0-9_(])"
)
_NUMBERED: Final = Lazy(r"([A-Za-z]+(?:[-_][A-Za-z]+)*[-_]?)\d+(?:[._-]\d+)*")
_FIELD_BEHIND: Final = Lazy(
    r"\.(?:context\.)?(?:requirements|acceptance|focus_paths|depends_on|title)\Z"
)
_ONLY_TASKS: Final = Lazy(TASKS)
_USUAL_PREFIX: Final = "impl-"
_LIKE_ID: Final = Lazy(r"[A-Z]{2,8}-\d{1,4}(?:\.\d{1,3})?")
# What has the form of an id and is the name of a standard.
_BESIDE: Final = Lazy(
    r"(?:\b(?:depend(?:s|ing)? (?:up)?on|after|before|blocked by|once|when|behind|needs?)"
    rf"|依赖(?:于)?|基于) ?{TASKS}(?: (?:is|are) (?:done|completed?|finished))?"
    rf"|(?:(?:在|等|待) ?)?{TASKS} ?(?:都|全部)?(?:完成|做完|结束)?了?"
    r"(?:之|以)?[前后](?![端台续缀面期])",
    re.IGNORECASE,
)
_STANDARD: Final = Lazy(
    r"(?:AES|ANSI|BASE|CRC|CVE|EN|ES|FIPS|GPT|HTTP|IEC|IEEE|IPV|ISO|MD|OAUTH|PEP|PSD|RFC|RSA|SHA"
    r"|TLS|UCS|USB|UTF|WCAG|WIN)-"
)
_DEPENDS_ON: Final = Lazy(
    r"(?:\bdepend(?:s|ing|ent)? (?:up)?on (?:tasks? )?|依赖(?:于|任务)? ?)"
    rf"(?:{TASK}[ ,、和与]*(?:and )?)*\Z",
    re.IGNORECASE,
)
_SAID_TO_BE_A_TASK: Final = Lazy(r"(?:\btasks? |任务 ?)\Z", re.IGNORECASE)
_FENCE: Final = Lazy(r"\s*(```|~~~)")
# Chinese input methods write letters and digits that are as wide as characters.
_WIDE_LETTER: Final = "[A-Za-z\uff21-\uff3a\uff41-\uff5a]"
_WIDE_ID: Final = Lazy(
    rf"{_WIDE_LETTER}{{1,12}}[-\uff0d][0-9\uff10-\uff19]{{1,4}}(?![0-9\uff10-\uff19])"
)
_NARROW: Final = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}


@dataclass(frozen=True, slots=True)
class Mention:
    """A task id in a request.

    Attributes:
        words: The id as it was written, with quotes that stood around it.
        task: The task that is meant; None for an id of the plan's form that no task has.
    """

    words: str
    task: TaskId | None


@dataclass(frozen=True, slots=True)
class Masked:
    """A request behind its mask.

    Attributes:
        text: The masked text.
        mentions: The task ids, in the order of their characters.
        quotes: The quoted passages with their quotes, themselves masked.
    """

    text: str
    mentions: tuple[Mention, ...]
    quotes: tuple[str, ...]

    def plain(self, part: str) -> str:
        """Returns a part of the masked text as it was written."""
        # Brackets of four kinds may hold one another, and the innermost a quotation or an id.
        for _ in range(8):
            if not _PRIVATE.search(part):
                return part
            part = _PRIVATE.sub(lambda found: self._written(found[0]), part)
        return part

    def tasks_in(self, part: str) -> tuple[Mention, ...]:
        """Returns the task ids in a part of the masked text, in order, each task once."""
        found = (self.mentions[ord(sign) - _FIRST_TASK] for sign in re.findall(TASK, part))
        return tuple({mention.task or mention.words: mention for mention in found}.values())

    def is_only_beside(self, part: str) -> bool:
        """Tells whether a part that begins with other words names tasks only as its neighbours."""
        signs = re.findall(TASK, part)
        spans = [found.span() for found in _BESIDE.finditer(part)]
        beside = sum(len(re.findall(TASK, part[start:end])) for start, end in spans)
        first = re.match(rf"\W*(?:(?:task|in|for|on|to|任务) ?)?{TASK}", part)
        is_first = first is not None and not any(start < first.end() <= end for start, end in spans)
        return bool(signs) and len(signs) == beside and not is_first

    def without_neighbours(self, part: str) -> str:
        """Returns a part without "after IMPL-2" and its like."""
        return _BESIDE.sub("", part).strip(" ,，;；")

    def known_in(self, part: str) -> tuple[TaskId, ...]:
        """Returns the tasks that a part names, those that exist."""
        return tuple(m.task for m in self.tasks_in(part) if m.task is not None)

    def literal(self, part: str) -> str:
        """Returns a part as it was written, without quotes that hold all of it."""
        bare = part.strip()
        written = self.plain(bare)
        if re.fullmatch(QUOTE, bare) and written[0] not in _BRACKETS:
            return written[1:-1].strip()
        return written

    def _written(self, sign: str) -> str:
        if ord(sign) >= _FIRST_TASK:
            return self.mentions[ord(sign) - _FIRST_TASK].words
        return self.quotes[ord(sign) - _FIRST_QUOTE]


def mask(text: str, plan: Plan) -> Masked:
    """Masks a request.

    Args:
        text: The request. Characters of the private planes in it count as unreadable.
        plan: The plan whose tasks are known.

    Returns:
        The request with ids and quotations behind one character each. An id in quotes of its own
        is an id; one inside a longer quotation, in code, in a path or in a longer word is not.
    """
    return _Masker(plan).mask(_PRIVATE.sub("\ufffd", text))


class _Masker:
    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._prefixes = {
            match[1].lower() for task_id in plan.tasks if (match := _NUMBERED.fullmatch(task_id))
        } | {_USUAL_PREFIX}
        self._found: dict[str, TaskId | None] = {}
        self._mentions: list[Mention] = []
        self._quotes: list[str] = []

    def mask(self, text: str) -> Masked:
        text = _WIDE_ID.sub(lambda found: found[0].translate(_NARROW), text)
        lines = []
        fence = ""
        for line in text.splitlines():
            mark = _FENCE.match(line)
            if mark and fence in ("", mark[1]):
                fence = "" if fence else mark[1]
            lines.append(line if fence or mark else self._masked_line(line))
        return Masked("\n".join(lines), tuple(self._mentions), tuple(self._quotes))

    def _masked_line(self, line: str) -> str:
        """Masks quotations first, then ids in what is left."""
        result = ""
        at = 0
        for start, end in quoted_spans(line):
            inner = line[start + 1 : end - 1].strip()
            result += line[at:start]
            at = end
            if line[start] in _BRACKETS:
                # A bracket is cut only where a terminator stands in it.
                text = self._masked_line(line[start + 1 : end - 1])
                is_cut = _TERMINATOR.search(text) and not _ONLY_TASKS.fullmatch(text)
                text = line[start] + text + line[end - 1]
                result += self._quote(text) if is_cut else text
            elif _ID.fullmatch(inner) and (task := self._task(inner)) is not None:
                result += self._mention(Mention(line[start:end], task))
            else:
                result += self._quote(line[start:end])
        return self._with_ids(result + line[at:])

    def _with_ids(self, line: str) -> str:
        result = ""
        at = 0
        for found in _ID.finditer(line):
            word = found[0]
            behind = _FIELD_BEHIND.search(word)
            word = word[: behind.start()] if behind else word
            task = self._task(word)
            # An id without a number may as well be a word of the language.
            if not any(sign.isdigit() for sign in word) and not _SAID_TO_BE_A_TASK.search(
                line[max(0, found.start() - 8) : found.start()]
            ):
                continue
            before = result + line[at : found.start()]
            if task is None and not self._is_unknown_task(word, before):
                continue
            result += line[at : found.start()] + self._mention(Mention(word, task))
            at = found.start() + len(word)
        return result + line[at:]

    def _is_unknown_task(self, word: str, before: str) -> bool:
        """Tells whether a word is the id of a task that is not there, by form or by place."""
        shape = _NUMBERED.fullmatch(word)
        if shape is not None and shape[1].lower() in self._prefixes:
            return True
        is_id = _LIKE_ID.fullmatch(word) is not None and not _STANDARD.match(word)
        return is_id and _DEPENDS_ON.search(before) is not None

    def _task(self, word: str) -> TaskId | None:
        if word not in self._found:
            self._found[word] = find_id(word, self._plan.tasks)
        return self._found[word]

    def _mention(self, mention: Mention) -> str:
        if len(self._mentions) >= _ROOM:
            return mention.words
        self._mentions.append(mention)
        return chr(_FIRST_TASK + len(self._mentions) - 1)

    def _quote(self, text: str) -> str:
        if len(self._quotes) >= _ROOM:
            return text
        self._quotes.append(text)
        return chr(_FIRST_QUOTE + len(self._quotes) - 1)


def quoted_spans(line: str) -> Iterator[tuple[int, int]]:
    """Yields where quotations, code and brackets stand in a line, outermost ones only.

    A straight single quote counts where a word begins or ends; an apostrophe is none.
    """
    at = 0
    missing: set[str] = set()
    while at < len(line):
        closer = _PAIRS.get(line[at], "")
        if closer and closer not in missing:
            end = _closing(line, at, closer)
            if end > at + 1:
                yield at, end + 1
                at = end
            elif end < 0 and not _is_apostrophe(line, at):
                missing.add(closer)
        at += 1


def _is_apostrophe(line: str, at: int) -> bool:
    return line[at] == "'" and at > 0 and line[at - 1].isalnum()


def _closing(line: str, start: int, closer: str) -> int:
    """Finds the sign that closes a quotation, or returns -1."""
    if _is_apostrophe(line, start):
        return -1
    end = line.find(closer, start + 1)
    while closer == "'" and 0 <= end < len(line) - 1 and line[end + 1].isalnum():
        end = line.find(closer, end + 1)
    return end
