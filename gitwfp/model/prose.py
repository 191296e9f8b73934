"""Prose as a list of sentences: what a description says, and the text changed as little as may be.

Flat tasks keep their requirements as sentences of one text. A sentence is compared without its
final full stop, so that `Do A` and `Do A.` are one; other terminators belong to it. Bullets and
numbers at the start of a line are layout, not words.

    >>> sentences("Edit src/auth.ts. Keep v1.2!  支持登录。")
    ('Edit src/auth.ts', 'Keep v1.2!', '支持登录')
    >>> rewrite_prose("Do A", ("Do A", "Do B"))
    'Do A. Do B.'

Lines are read one by one and a sentence is read the same alone as among others; this is what
makes a rewritten text say exactly what was wanted.
"""

import re
from collections.abc import Sequence
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.patterns import regex

_BREAK: Final = regex("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")  # as str.splitlines()
_HAN: Final = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_HAS_HAN: Final = regex(f"[{_HAN}]")
_MARKER: Final = regex(r"(?:[-*+•]|\d{1,3}[.)])\s+(?=\S)")
_TOKEN: Final = regex(
    r"(?P<code>(?P<tick>`+)(?!`).*?[^`](?P=tick)(?!`))|(?P<ticks>`+)"
    r"|(?P<url>[A-Za-z][A-Za-z0-9+.-]{0,20}://[^\s`<>，。！？；、（）]*[^\s`<>，。！？；、（）.,;:!?])"
    r"|(?P<wide>[。！？；]+[”’」』）】》〉)\]]*)"
    r"|(?P<narrow>[.!?;]+[\"'”’」』）】》〉)\]}*_]*)"
    r"|[A-Za-z0-9]+|[^\sA-Za-z0-9`.!?;。！？；]+|.",
    re.DOTALL,
)
_STOPS: Final = ".。"
_TERMINATORS: Final = ".!?;。！？；"
_CLOSERS: Final = "\"'”’」』）】》〉)]}*_"
_WIDE_END: Final = regex(r"[。！？；][”’」』）】》〉)\]]*\Z")

# A full stop after these ends nothing: always, before a lower-case word, before a number.
_ABBREVIATIONS: Final = frozenset(
    ["e.g", "i.e", "eg", "ie", "cf", "vs", "viz", "dr", "mr", "mrs", "prof"]
)
_BEFORE_LOWER: Final = frozenset(
    ["etc", "al", "inc", "ltd", "corp", "approx", "incl", "esp", "resp", "dept", "est"]
)
_BEFORE_NUMBER: Final = frozenset(
    ["no", "nos", "fig", "figs", "sec", "ch", "eq", "pp", "vol", "ver", "v"]
)
_INITIALS: Final = regex(r"(?:[A-Za-z]\.)+[A-Za-z]\Z")
_LONGEST: Final = 16


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence where it stands: its characters with the terminator, and what comes before."""

    lead: str
    body: str
    sentence: str


def sentences(text: str) -> tuple[str, ...]:
    """Splits prose into sentences.

    Args:
        text: Any text, English or Chinese.

    Returns:
        The sentences in order, stripped and without a final full stop; empty ones are left out.
    """
    return tuple(piece.sentence for piece in _pieces(text)[0])


def is_sentence(text: str) -> bool:
    """Tells whether a text is exactly one sentence, as `sentences` returns them."""
    return sentences(text) == (text,)


def one_sentence(text: str) -> str:
    """Cleans a text into one sentence.

    Args:
        text: Any text; line breaks become spaces, sentences within it are joined by commas.

    Returns:
        One sentence for which `is_sentence` holds, or "" if the text says nothing.
    """
    # Each round joins what the round before could not; two are the rule.
    held = " ".join(text.split())
    for _ in range(8):
        found = sentences(held)
        if not found:
            return ""
        if len(found) == 1:
            if found[0] == held:
                return held
            held = found[0]
            continue
        parts = [open_part for part in found[:-1] if (open_part := part.rstrip(_TERMINATORS + " "))]
        held = ("，" if _HAS_HAN.search(held) else ", ").join([*parts, found[-1]])
    plain = re.sub(f"[`{_TERMINATORS}]+", " ", held)
    found = sentences(" ".join(plain.split()))
    return found[0] if found else ""


def rewrite_prose(text: str, wanted: tuple[str, ...]) -> str:
    """Changes a text so that it says the wanted sentences, and nothing more than that.

    Args:
        text: The text as it is.
        wanted: Its sentences as they shall be. An entry that is not one sentence stands for the
            sentences in it.

    Returns:
        The text: sentences that stay keep their characters and what separates them.
    """
    pieces, tail = _pieces(text)
    wanted = tuple(part for entry in wanted for part in sentences(entry))
    held = tuple(piece.sentence for piece in pieces)
    if held == wanted:
        return text
    if not wanted:
        return ""
    for lines in (False, True):
        result = _Writer(pieces, lines=lines).write(wanted, tail)
        if sentences(result) == wanted:
            return result
    return "\n".join(wanted)


def _pieces(text: str) -> tuple[list[_Piece], str]:
    """Splits a text into sentences with what stands before each, and what stands after all."""
    found: list[_Piece] = []
    gap = 0
    start = 0
    breaks = [(m.start(), m.end()) for m in _BREAK.finditer(text)]
    for stop, following in [*breaks, (len(text), len(text))]:
        line = text[start:stop].rstrip()
        at = 0
        while at < len(line):
            at = _after_markers(line, at)
            end = _sentence_end(line, at)
            sentence = _without_stop(line[at:end])
            if sentence:
                found.append(_Piece(text[gap : start + at], line[at:end], sentence))
                gap = start + end
            at = end
        start = following
    return found, text[gap:]


def _after_markers(line: str, at: int) -> int:
    """Skips spaces, bullets and numbers in front of a sentence."""
    while True:
        while at < len(line) and line[at].isspace():
            at += 1
        marker = _MARKER.match(line, at)
        if marker is None:
            return at
        at = marker.end()


def _sentence_end(line: str, start: int) -> int:
    """Finds the end of the sentence that begins at `start`, behind its terminator."""
    for token in _TOKEN.finditer(line, start):
        at = token.end()
        if token["wide"] is not None:
            return at
        if token["narrow"] is not None:
            end = _narrow_end(line, start, token.start(), at)
            if end:
                return end
    return len(line)


def _narrow_end(line: str, start: int, at: int, end: int) -> int:
    """Returns where an ASCII terminator ends the sentence, or 0 if it does not."""
    if end == len(line):
        return end
    following = line[end]
    if _HAS_HAN.match(following):
        before_digit = line[at] == "." and at > start and line[at - 1].isdigit()
        # Asterisks and quotes before a word may as well open what comes next.
        return 0 if before_digit or line[end - 1] in "\"'*_" or _is_short(line, start, at) else end
    if not following.isspace():
        return 0
    if line[at:end] == "." and _is_short(line, start, at):
        return 0
    return end


def _is_short(line: str, start: int, at: int) -> bool:
    """Tells whether the full stop at a place ends an abbreviation rather than a sentence."""
    if line[at] != ".":
        return False
    begin = at
    while begin > start and at - begin < _LONGEST and not line[begin - 1].isspace():
        begin -= 1
    word = line[begin:at].lstrip("(（[\"'")
    folded = word.casefold()
    if folded in _ABBREVIATIONS or (len(word) < _LONGEST and _INITIALS.match(word)):
        return True
    rest = line[at + 1 : at + 40].lstrip()[:1]
    return (folded in _BEFORE_LOWER and rest.islower()) or (
        folded in _BEFORE_NUMBER and rest.isdigit()
    )


def _without_stop(body: str) -> str:
    """Takes the final full stop off; an ellipsis stays."""
    body = body.strip()
    while body[-1:] and body[-1] in _STOPS and not (body[-2:-1] and body[-2] in _STOPS):
        body = body[:-1].strip()
    return body


@dataclass(frozen=True, slots=True)
class _Part:
    """A sentence of the text to be: what separates it from the one before, and its characters."""

    lead: str
    body: str
    is_new: bool = False

    @property
    def is_inline(self) -> bool:
        """Whether it follows on the same line."""
        return not _BREAK.search(self.lead)


class _Writer:
    """Puts sentences together in the manner of the text that they come from."""

    def __init__(self, pieces: Sequence[_Piece], *, lines: bool) -> None:
        self._pieces = pieces
        inner = [piece.lead for piece in pieces[1:]]
        broken = [lead for lead in inner if _BREAK.search(lead)]
        self._by_lines = lines or 2 * len(broken) > len(inner)
        self._line_lead = broken[-1] if broken else "\n"
        self._has_stops = not pieces or any(_is_ended(piece.body) for piece in pieces)
        wide = [piece.body for piece in pieces if _HAS_HAN.search(piece.body)]
        self._wide_stop = "." if any(body.endswith(".") for body in wide) else "。"

    def write(self, wanted: tuple[str, ...], tail: str) -> str:
        """Returns the text that says the wanted sentences, followed by the old text's end."""
        parts = self._parts(wanted)
        result = ""
        for position, part in enumerate(parts):
            result += part.lead + part.body
            goes_on = position + 1 < len(parts) and parts[position + 1].is_inline
            joined = part.is_new and position > 0 and part.is_inline
            styled = part.is_new and self._has_stops
            if (goes_on or joined or styled) and not _is_ended(part.body):
                result += self._stop(part.body)
        return result + tail

    def _parts(self, wanted: tuple[str, ...]) -> list[_Part]:
        parts: list[_Part] = []
        dropped: list[str] = []
        for old, new in _matched([piece.sentence for piece in self._pieces], wanted):
            piece = None if old is None else self._pieces[old]
            if new is None:
                dropped.append(piece.lead if piece else "")
                continue
            if piece is None:
                lead = self._new_lead(parts, dropped)
                parts.append(_Part(lead, wanted[new], is_new=True))
            else:
                body = piece.body
                if piece.sentence != wanted[new]:
                    body = wanted[new]
                    if _is_ended(piece.body) and not _is_ended(body):
                        body += self._stop(body)
                # Sentences put in front of all others have taken the text's beginning.
                is_pushed = old == 0 and bool(parts)
                lead = (
                    self._new_lead(parts, [])
                    if is_pushed
                    else _kept_lead(piece.lead, dropped, is_first=not parts)
                )
                parts.append(_Part(lead, body))
            dropped = []
        return parts

    def _new_lead(self, before: Sequence[_Part], dropped: Sequence[str]) -> str:
        if not before:
            leads = [*dropped, *(piece.lead for piece in self._pieces[:1]), ""]
            return leads[0]
        if self._by_lines:
            return _next_number(self._line_lead)
        last = before[-1].body
        ended = last if _is_ended(last) else last + self._stop(last)
        return "" if _WIDE_END.search(ended) else " "

    def _stop(self, body: str) -> str:
        return self._wide_stop if _HAS_HAN.search(body) else "."


def _kept_lead(lead: str, dropped: Sequence[str], *, is_first: bool) -> str:
    """Chooses between a sentence's own lead and the leads of those dropped before it."""
    if not dropped:
        return lead
    if is_first:
        breaks = list(_BREAK.finditer(lead))
        return lead[breaks[-1].end() :] if breaks else dropped[0]
    return max([lead, *dropped], key=lambda each: len(_BREAK.findall(each)))


def _is_ended(body: str) -> bool:
    """Tells whether a sentence has a terminator, also one inside closing quotes."""
    return body.rstrip(_CLOSERS)[-1:] in tuple(_TERMINATORS)


def _next_number(lead: str) -> str:
    """Counts on in a numbered list."""
    return re.sub(r"\d+(?=[.)]\s+\Z)", lambda found: str(int(found[0]) + 1), lead)


def _matched(held: Sequence[str], wanted: Sequence[str]) -> list[tuple[int | None, int | None]]:
    """Pairs old sentences with wanted ones; one that replaces another stands in its place."""
    from difflib import SequenceMatcher

    head = 0
    limit = min(len(held), len(wanted))
    while head < limit and held[head] == wanted[head]:
        head += 1
    rest = SequenceMatcher(None, held[head:], wanted[head:], autojunk=False)
    steps: list[tuple[int | None, int | None]] = [(at, at) for at in range(head)]
    for _, old, old_end, new, new_end in rest.get_opcodes():
        shared = min(old_end - old, new_end - new)
        steps.extend((head + old + at, head + new + at) for at in range(shared))
        steps.extend((head + at, None) for at in range(old + shared, old_end))
        steps.extend((None, head + at) for at in range(new + shared, new_end))
    return steps
