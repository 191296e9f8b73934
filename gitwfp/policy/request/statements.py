"""A request as a sequence of statements: one thing said each, with the headings above it.

Requests come as a line of a shell, as a message with bullets, or as a Markdown file, in English
or Chinese. Splitting is layout and punctuation only; what a statement means is the business of
`forms` and `phrases` beside this module. Text comes in masked (`mentions`), so that nothing is
cut inside quotations, code and ids.

    >>> [s.words for s in split_statements("Add login; must pass lint. Please rename it")]
    ['Add login', 'must pass lint', 'Please rename it']
"""

import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Final

from gitwfp.classes import dataclass, field
from gitwfp.model.prose import sentences
from gitwfp.policy.request.grammar import Lazy


class Kind(StrEnum):
    """What a statement is by its layout."""

    PROSE = "prose"
    HEADING = "heading"
    CODE = "code"
    TABLE = "table"
    QUOTATION = "quotation"
    TICKED = "ticked"
    FRONT_MATTER = "front matter"


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that is said.

    Attributes:
        words: Its words without bullet and final full stop; a heading's without its colon.
        kind: What it is by layout.
        under: The positions of the headings above it, the outermost first.
        follows: Whether a semicolon joins it to the statement before.
        is_list: Of a heading: whether it is a line before a list rather than a title.
        place: The paragraph that it stands in, and the bullet there, 0 for none.
    """

    words: str
    kind: Kind = Kind.PROSE
    under: tuple[int, ...] = ()
    follows: bool = False
    is_list: bool = False
    place: tuple[int, int] = field(default=(0, 0), compare=False)


def split_statements(
    text: str, is_title: Callable[[str], bool] = lambda _: False
) -> tuple[Statement, ...]:
    """Splits a request into statements.

    Args:
        text: The masked text of the request.
        is_title: Tells whether a line is a title though it has no mark of one.

    Returns:
        The statements and the headings above them, in order.
    """
    return _Splitter(is_title).split(text)


_HAN: Final = "\u3400-\u9fff\uf900-\ufaff"
_SPACE: Final = Lazy(r"\s+")
_FENCE: Final = Lazy(r"\s*(```|~~~)")
_TITLE: Final = Lazy(r" {0,3}(#{1,6})\s+(.*?)[\s#]*")
_UNDERLINE: Final = Lazy(r" {0,3}(?:=+|-{2,})\s*")
_RULE: Final = Lazy(r"\s*([-*_=])(?:\s*\1){2,}\s*")
_BULLET: Final = Lazy(
    r"(?P<indent>\s*)(?:[-*+•·–—]\s+|[(（](?P<inside>\d{1,3}|[a-z])[)）]\s*|(?P<circled>[①-⑳])\s*"
    rf"|(?P<number>\d{{1,3}}|[a-z](?=[.)）]))(?:[.)）](?:\s+|(?=[{_HAN}]))|、\s*)"
    r"|(?P<han>[一二三四五六七八九十])、\s*|[一二三四五六七八九十]{2,3}、\s*)"
    r"(?P<tick>\[[ xX]\]\s+)?(?P<text>.*)"
)
_EMPHASIS: Final = Lazy(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_INLINE_NUMBER: Final = Lazy(
    rf"(?:(?<=[\s:：；;,，])|^)[(（]?(\d{{1,2}}|[a-z](?=[)）])|[一二三四五六七八九十](?=[、）)]))"
    rf"(?:[.](?=\s|[{_HAN}])|[)）、])\s*|([①-⑳])\s*"
)
_HAN_NUMBERS: Final = "一二三四五六七八九十"
_WRAPPED_FROM: Final = 40
_STICKY: Final = -1
_LOWEST: Final = 7


class _Splitter:
    """Reads lines; a bullet or paragraph is collected until something else begins."""

    def __init__(self, is_title: Callable[[str], bool]) -> None:
        self._is_title = is_title
        self._made: list[Statement] = []
        self._titles: list[tuple[int, int]] = []
        self._lists: list[tuple[int, int]] = []
        self._text = ""
        self._indent = 0
        self._is_bullet = False
        self._number = 0
        self._was_blank = False
        self._paragraph = 0
        self._bullets = 0

    def split(self, text: str) -> tuple[Statement, ...]:
        lines = text.splitlines()
        at = self._front_matter(lines)
        while at < len(lines):
            at = self._block(lines, at)
        self._flush()
        return tuple(self._made)

    def _front_matter(self, lines: list[str]) -> int:
        if lines[:1] == ["---"] and "---" in lines[1:]:
            end = lines.index("---", 1)
            if any(lines[1:end]):
                self._emit(" ".join(lines[1:end]), Kind.FRONT_MATTER)
            return end + 1
        return 0

    def _block(self, lines: list[str], at: int) -> int:
        """Reads one line, or several that belong together, and returns where to go on."""
        line = lines[at].expandtabs(4).rstrip()
        if not line.strip():
            self._flush()
            self._was_blank = True
            self._paragraph += 1
            return at + 1
        fence = _FENCE.match(line)
        if fence:
            return self._code(lines, at, fence[1])
        title = _TITLE.fullmatch(line)
        underlined = (
            at + 1 < len(lines)
            and not self._text
            and not _BULLET.fullmatch(line)
            and not _RULE.fullmatch(line)
            and _UNDERLINE.fullmatch(lines[at + 1])
        )
        if title or underlined:
            level = len(title[1]) if title else 1 + lines[at + 1].strip().startswith("-")
            self._title(title[2] if title else line, level)
            return at + (2 if underlined and not title else 1)
        bold = _EMPHASIS.fullmatch(line.strip())
        if _RULE.fullmatch(line):
            self._flush()
            self._lists.clear()
        elif self._is_title(bold[2] if bold else line.strip()) and not self._text:
            self._title(line, _LOWEST)
        elif line.lstrip().startswith(("|", ">")):
            self._flush()
            quotation = line.lstrip().startswith(">")
            self._emit(line.strip(), Kind.QUOTATION if quotation else Kind.TABLE)
        else:
            self._prose(line)
        self._was_blank = False
        return at + 1

    def _code(self, lines: list[str], at: int, fence: str) -> int:
        self._flush()
        end = at + 1
        while end < len(lines) and not lines[end].strip().startswith(fence):
            end += 1
        inside = " ".join(lines[at + 1 : end])
        if inside.strip():
            self._emit(inside, Kind.CODE)
        self._was_blank = False
        return end + 1

    def _title(self, words: str, level: int) -> None:
        self._flush()
        self._lists.clear()
        while self._titles and self._titles[-1][0] >= level:
            self._titles.pop()
        bare = _without_colon(_EMPHASIS.sub(r"\2", words.strip()))
        if bare:
            self._emit(bare, Kind.HEADING)
            self._titles.append((level, len(self._made) - 1))
        self._was_blank = False

    def _prose(self, line: str) -> None:
        indent = len(line) - len(line.lstrip())
        bullet = _BULLET.fullmatch(line)
        if bullet:
            self._flush()
            while self._lists and indent < self._lists[-1][0]:
                self._lists.pop()
            if bullet["tick"] and bullet["tick"][1] in "xX":
                self._emit(bullet["text"], Kind.TICKED)
            else:
                self._begin(bullet["text"], indent, is_bullet=True)
                signs = bullet["number"], bullet["inside"], bullet["circled"], bullet["han"]
                self._number = next((_number_of(sign) for sign in signs if sign), 0)
        elif self._text and self._goes_on(line.strip(), indent):
            self._text = _joined(self._text, line.strip())
        else:
            self._flush()
            if self._was_blank:
                self._lists.clear()
            self._begin(line.strip(), indent, is_bullet=False)

    def _begin(self, text: str, indent: int, *, is_bullet: bool) -> None:
        self._text, self._indent, self._is_bullet = text, indent, is_bullet
        self._bullets += is_bullet
        self._number = 0

    def _goes_on(self, line: str, indent: int) -> bool:
        """Tells whether a line continues the one before: indented below it, or wrapped."""
        if self._text.endswith((":", "：", *"。！？；.!?;")):
            return False
        if indent > self._indent:
            return True
        wrapped = len(self._text) >= _WRAPPED_FROM and line[0].islower() and line[0].isascii()
        return wrapped or self._text.endswith((",", "，", "、"))

    def _flush(self) -> None:
        text, self._text = self._text, ""
        text = _SPACE.sub(" ", _EMPHASIS.sub(r"\2", text)).strip()
        items = list(_numbered_items(text, self._number))
        head = items[0] if len(items) > 1 and not self._number and text.startswith(items[0]) else ""
        if head and not head.endswith((*":：;；,，、.。!！?？",)):
            # "Split it into 1) a 2) b": the numbers stand under the words before them.
            self._head_list(head, follows=False)
            for item in items[1:]:
                self._emit(item.rstrip(";；,，、.。 "))
            self._lists.pop()
            return
        for item in items:
            follows = False
            for sentence in sentences(item):
                words = sentence.rstrip(";； ")
                if _without_colon(words) not in ("", words):
                    self._head_list(_without_colon(words), follows=follows)
                elif words:
                    self._emit(words, follows=follows)
                follows = words != sentence

    def _head_list(self, words: str, *, follows: bool) -> None:
        """Begins a list under a line that ends in a colon.

        What is indented deeper belongs to a bullet, what stands level to a line. A line right
        below another (`IMPL-3:`, then `Acceptance:`) is nested in it, any other ends it.
        """
        level = self._indent + self._is_bullet
        last = len(self._made) - 1
        while self._lists and self._lists[-1][0] >= level:
            if self._lists[-1][1] == last:
                self._lists[-1] = (_STICKY, last)
            else:
                self._lists.pop()
        self._emit(words, Kind.HEADING, follows=follows, is_list=True)
        self._lists.append((level, len(self._made) - 1))

    def _emit(
        self,
        words: str,
        kind: Kind = Kind.PROSE,
        *,
        follows: bool = False,
        is_list: bool = False,
    ) -> None:
        under = tuple(at for _, at in (*self._titles, *self._lists))
        place = self._paragraph, self._bullets if self._is_bullet else 0
        self._made.append(Statement(_SPACE.sub(" ", words), kind, under, follows, is_list, place))


def _joined(text: str, line: str) -> str:
    wide = re.compile(f"[{_HAN}，、]")
    return text + ("" if wide.match(text[-1]) and wide.match(line) else " ") + line


def _without_colon(text: str) -> str:
    return text[:-1].rstrip() if text.endswith((":", "：")) else text


def _number_of(sign: str) -> int:
    """Returns the number that a sign before an item stands for: 2, b, ② and 二 are the second."""
    if sign.isdecimal():
        return int(sign)
    if sign in _HAN_NUMBERS:
        return _HAN_NUMBERS.index(sign) + 1
    return ord(sign) - ord("a") + 1 if sign.isascii() else ord(sign) - ord("①") + 1


def _numbered_items(text: str, number: int) -> Iterator[str]:
    """Yields the items of a numbered list that stands in one line, else the line.

    Args:
        text: The line.
        number: The number that was taken off its beginning, 0 for none.
    """
    if number > 1:
        yield text
        return
    ends = [0] if number else []
    starts = [0] if number else []
    for found in _INLINE_NUMBER.finditer(text):
        sign = found[1] or found[2]
        # "Support a) gzip" is a sentence; letters number items where the line began with one.
        is_loose = sign.isalpha() and sign.isascii() and not number
        is_loose = is_loose and text[: found.start()].rstrip()[-1:] not in (*":：;；", "")
        if _number_of(sign) == len(starts) + 1 and not is_loose:
            ends.append(found.start())
            starts.append(found.end())
    if len(starts) < 2:
        yield text
        return
    if text[: ends[0]].strip():
        yield text[: ends[0]].strip()
    for start, end in zip(starts, [*ends[1:], len(text)], strict=True):
        yield text[start:end].strip()


_STRUCTURAL: Final = (
    r"(?:(?:add|create|introduce|insert) (?:\w+ ){0,3}tasks?\b"
    r"|(?:delete|drop|remove|discard|split|merge|combine|move) (?:(?:the )?tasks? )?"
    r"[\U00100000-\U0010fffd])"
)
_STRUCTURAL_ZH: Final = (
    r"(?:(?:新增|增加|添加|创建|新建|建立|追加|加)(?:[一两二三四五几以下如新的个项条]*)任务"
    r"|(?:把|将|删除|移除|拆分|合并|移动|调整) ?(?:任务 ?)?[\U00100000-\U0010fffd])"
)
# "First names", "and/or", "请求" and "最后登录时间" begin with such words and are none.
_COURTESY: Final = Lazy(
    r"(?:(?:please |kindly )?note that(?= .*\b(?:must|should|shall|never|may not|cannot)\b)"
    r"|please|pls|kindly|(?:could|can|would|will) (?:you|some(?:one|body)|anyone)(?: please)?|"
    r"(?:could|can|may|shall) we please|let's|let us|also|and|then|"
    r"additionally|in addition|furthermore)(?: ?[,:：，] ?| |$)"
    r"|(?:next|finally|first|second|third|lastly|ok|okay|thanks|thank you)(?: ?[,，!！] ?|$)"
    rf"|(?:next|finally|first|second|third|lastly|afterwards?|after that|now) (?={_STRUCTURAL})"
    r"|(?:hi|hello|hey)(?: (?:all|team|there|everyone|folks))?(?: ?[,，!！.] ?|$)"
    r"|(?:麻烦你|麻烦(?!的)|劳驾|请你|请(?![求问假教客愿示])|帮我|帮忙|能否|能不能|可否|另外|此外|然后|"
    r"还有|并且|并(?=[增添删移合拆依使改])|第[一二三四五六七八九十](?:[步点条项](?!的?(?:需求|要求|验收|标准|路径|关注|聚焦|步骤))|(?=[，,:：、]))"
    rf"|(?:(?:我们|咱们)?还(?:需要|想要|需|要|得)?|同时|再|[一二三四五]是)(?={_STRUCTURAL_ZH}))"
    r"[，,:：、 ]*"
    r"|(?:同时|最后|首先|其次|再者|你好|您好|谢谢|多谢)(?:[，,:：、！!]+ ?|$)",
    re.IGNORECASE,
)
_THANKS: Final = Lazy(
    r"(?:^|[ ,，、])(?:please|pls|thanks(?: a lot)?|thank you|cheers"
    r"|(?:谢谢|多谢)(?:啦|了|你们?|您|哦)?)$"
    r"|(?<![酒网贴水])吧$",
    re.IGNORECASE,
)
# "..., is that possible?" behind a request makes it no question.
_TAG: Final = Lazy(
    r"[,，] ?(?:可以吗|可以么|好吗|好么|行吗|行么|行不行|好不好|可不可以|如何|怎么样"
    r"|(?:ok(?:ay)?|please|would you|could you|can you|will you|is that (?:ok|okay|possible)|"
    r"if (?:you|that is|that's) .{1,20}))\Z",
    re.IGNORECASE,
)
_ASKED: Final = Lazy(
    r"(?:could|can|would|will) (?:you|some(?:one|body)|anyone)\b|(?:could|can|may) we please\b"
    r"|(?:你|您|大家)好[，,！! ]*(?:能否|能不能|可否|可不可以|请(?!问)|麻烦)"
    r"|(?:hey|hi|hello)\b.{0,40}\bplease\b|能否|能不能|可否|请(?![求问])|please\b",
    re.IGNORECASE,
)


def without_courtesy(words: str) -> tuple[str, bool]:
    """Takes politeness and joining words off a statement.

    Returns:
        What is left, and whether it is a question rather than a polite request.
    """
    is_question = words.endswith(("?", "？"))
    bare = words.rstrip("!！?？ ")
    tag = _TAG.search(bare)
    if tag:
        bare, is_question = bare[: tag.start()], False
    is_polite = _ASKED.match(bare) is not None or bare.lower().endswith(" please")
    if is_question and not is_polite:
        return words, True
    bare = _THANKS.sub("", bare).rstrip(" ,，、")
    while (found := _COURTESY.match(bare)) and found.end():
        rest = bare[found.end() :].strip()
        # A sentence that began with a capital letter goes on doing so.
        bare = rest[:1].upper() + rest[1:] if bare[0].isupper() and rest.isascii() else rest
    return bare, False
