"""Questions to the person at a terminal: what they are, what typed words mean, who asks them.

A capable terminal gets lists to move in (`gitwfp.cli.picker`); any other one gets numbered lines.
In both, a number or a name is an answer, Enter takes the default, and the end of input cancels.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TextIO

from gitwfp.classes import dataclass
from gitwfp.cli import streams
from gitwfp.cli.look import Look, Style, harmless
from gitwfp.errors import ExitCode, Refusal, Text, say
from gitwfp.patterns import regex

if TYPE_CHECKING:
    from gitwfp.flows.ui import Choice

POINTER: Final = "»"
_MARKS: Final = POINTER + "●○"
_INCAPABLE: Final = frozenset({"", "dumb", "unknown"})
_CANCELS: Final = frozenset({"q", "quit", "exit", "cancel", "取消", "退出"})
_SAME: Final = {
    "y": frozenset({"yes", "ok", "是", "好", "确认"}),
    "n": frozenset({"no", "否", "不", "不要"}),
}
"""Words for the answers yes and no, where a question has them."""
_SEPARATORS: Final = regex("[,;，；、]")


@dataclass(frozen=True, slots=True)
class Offer:
    """One answer as it is shown.

    Attributes:
        key: What is returned.
        name: The answer in words.
        label: The same with the key in brackets.
        help: What it leads to, or nothing.
        alone: Whether it stands for all the others.
    """

    key: str
    name: str
    label: str
    help: str
    alone: bool


@dataclass(frozen=True, slots=True)
class Inquiry:
    """One question as it is shown, in the person's language and harmless.

    Attributes:
        text: What is asked.
        offers: The answers there are.
        defaults: The keys that Enter stands for.
        several: Whether several answers may be given.
    """

    text: str
    offers: tuple[Offer, ...]
    defaults: tuple[str, ...]
    several: bool

    def ordered(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Returns some keys in the order of the offers; one that stands for all stays alone."""
        chosen = [offer for offer in self.offers if offer.key in keys]
        alone = [offer for offer in chosen if offer.alone]
        return tuple(offer.key for offer in alone[:1] or chosen)

    def meant(self, typed: str) -> str | None:
        """Returns the key that somebody means: a number, a key or name, or how one begins."""
        numbers = {str(number): offer.key for number, offer in enumerate(self.offers, 1)}
        if typed in numbers:
            return numbers[typed]
        folded = typed.casefold()
        named = [(o.key, (o.key.casefold(), o.name.casefold())) for o in self.offers]
        exact = [key for key, names in named if folded in (*names, *_SAME.get(key, ()))]
        begun = [key for key, names in named if any(n.startswith(folded) for n in names if folded)]
        return exact[0] if exact else begun[0] if len(begun) == 1 else None

    def cancels(self, typed: str) -> bool:
        """Tells whether somebody wants to leave without an answer."""
        return self.meant(typed) is None and typed.casefold() in _CANCELS

    def all_meant(self, typed: str) -> tuple[str, ...] | str:
        """Returns the keys that somebody means, or the first word that means none.

        Words are separated by commas or spaces; a name that holds some is understood in full.
        """
        whole = self.meant(typed)
        if whole is not None:
            return (whole,)
        keys: list[str] = []
        for part in map(str.strip, _SEPARATORS.sub("\n", typed).split("\n")):
            for word in (part,) if self.meant(part) is not None else part.split():
                key = self.meant(word)
                if key is None:
                    return word
                keys.append(key)
        return self.ordered(keys) or typed

    def toggled(self, marked: Sequence[str], key: str) -> tuple[str, ...]:
        """Returns what is marked after one more answer was marked or unmarked.

        The answer that stands for all gives way to any other, and comes back after the last one.
        """
        alone = [offer.key for offer in self.offers if offer.alone]
        if key in alone:
            return (key,)
        left = [one for one in marked if one not in (key, *alone)]
        if key not in marked:
            left.append(key)
        return self.ordered(left or alone)


def inquiry(
    question: Text,
    choices: Sequence["Choice"],
    defaults: Sequence[str],
    look: Look,
    *,
    several: bool,
) -> Inquiry:
    """Returns a question as it is shown.

    Args:
        question: What is asked.
        choices: The answers there are.
        defaults: The keys that Enter stands for.
        look: How text is shown.
        several: Whether several answers may be given.
    """
    offers = tuple(
        Offer(
            choice.key,
            look.say(choice.label),
            look.say(say("{label} ({key})", label=choice.label, key=choice.key)),
            look.say(choice.help) if choice.help is not None else "",
            choice.alone,
        )
        for choice in choices
    )
    return Inquiry(look.say(question), offers, tuple(defaults), several)


def ask(
    asked: Inquiry,
    stdin: TextIO | None,
    stderr: TextIO | None,
    look: Look,
    environ: Mapping[str, str],
) -> tuple[str, ...]:
    """Asks a question and returns the keys of the answer, at least one.

    Args:
        asked: The question.
        stdin: Where the answer is typed.
        stderr: Where the question is shown.
        look: How text is shown.
        environ: The environment; TERM says what the terminal can do.

    Raises:
        Refusal: The input ends (negative).
    """
    try:
        if stdin is None or stderr is None or not _is_capable(stdin, stderr, environ):
            return _ask_in_lines(asked, stdin, stderr, look)
        keys = _picked(asked, stdin, stderr, look, environ["TERM"])
    except (EOFError, OSError) as ended:
        # An input or output error is what a terminal gives that has been closed.
        raise Refusal(
            "cancelled", say("Cancelled; nothing was changed."), ExitCode.NEGATIVE
        ) from ended
    names = ", ".join(offer.label for offer in asked.offers if offer.key in keys)
    _print(stderr, look, f"{look.paint(asked.text, Style.HEADING)} {names}\n")
    return keys


def _picked(
    asked: Inquiry, stdin: TextIO, stderr: TextIO, look: Look, term: str
) -> tuple[str, ...]:
    from gitwfp.cli.picker import Unmeant, pick

    while True:
        try:
            return asked.ordered(pick(asked, stdin, stderr, look, term)) or asked.defaults
        except Unmeant as unmeant:
            _say_unmeant(str(unmeant), stderr, look)


def _say_unmeant(typed: str, stderr: TextIO | None, look: Look) -> None:
    _print(stderr, look, look.say(say("There is no answer '{answer}'.", answer=typed)) + "\n")


def _is_capable(stdin: TextIO, stderr: TextIO, environ: Mapping[str, str]) -> bool:
    """Tells whether a terminal is real, can move its cursor, and has the marks of a list."""
    if environ.get("TERM", "") in _INCAPABLE or not streams.can_show(stderr, _MARKS):
        return False
    with suppress(OSError, ValueError):
        return stdin.fileno() >= 0 and stderr.fileno() >= 0
    return False


def _ask_in_lines(
    asked: Inquiry, stdin: TextIO | None, stderr: TextIO | None, look: Look
) -> tuple[str, ...]:
    _print(stderr, look, f"{look.paint(asked.text, Style.HEADING)}\n")
    for number, offer in enumerate(asked.offers, 1):
        _print(stderr, look, f"  {number}) {offer.label}\n")
        if offer.help:
            _print(stderr, look, f"{look.paint(f'     {offer.help}', Style.QUIET)}\n")
    default = ", ".join(asked.defaults)
    prompt = (
        say("Numbers or names [{default}]:", default=default)
        if asked.several
        else say("Number or name [{default}]:", default=default)
    )
    while True:
        _print(stderr, look, f"{look.say(prompt)} ")
        line = streams.read_line(stdin)
        if not line:
            # Where the terminal has gone, nothing can be written on it either.
            with suppress(Refusal):
                _print(stderr, look, "\n")
            raise EOFError
        typed = line.strip()
        if not typed:
            return asked.defaults
        if asked.cancels(typed):
            raise EOFError
        one = None if asked.several else asked.meant(typed)
        found = asked.all_meant(typed) if asked.several else typed if one is None else (one,)
        if not isinstance(found, str):
            return found
        _say_unmeant(found, stderr, look)


def _print(stderr: TextIO | None, look: Look, text: str) -> None:
    lines = text.split("\n")
    streams.write(stderr, "\n".join(harmless(line, colour=look.colour) for line in lines))
