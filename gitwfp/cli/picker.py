"""Lists on a terminal to pick answers from, with the arrow keys or by typing.

The only user of questionary and of prompt_toolkit below it, which takes as long to import as a
command takes to run: nothing imports this module before there is a question to ask.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final, TextIO

import questionary
from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Size
from prompt_toolkit.filters import Condition, Filter
from prompt_toolkit.input.defaults import create_input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent, merge_key_bindings
from prompt_toolkit.keys import Keys
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.output.vt100 import Vt100_Output
from questionary.prompts.common import InquirerControl

from gitwfp.cli import streams
from gitwfp.cli.asking import POINTER, Inquiry
from gitwfp.cli.look import Look, cells, wrap
from gitwfp.errors import say

_REQUESTS_TO_END: Final = (signal.SIGTERM, signal.SIGHUP)
_MARGIN: Final = 4
_DIGITS: Final = "123456789"
_MARK_ALL: Final = "ai"
"""Keys by which a checkbox marks all, or the others: letters like any other here."""
_STYLE: Final = questionary.Style(
    [
        ("qmark", "fg:ansicyan bold"),
        ("question", "bold"),
        ("pointer", "fg:ansicyan bold"),
        ("highlighted", "fg:ansicyan bold"),
        ("selected", "noreverse"),
    ]
)
_ONE: Final = say("(arrow keys or number, then Enter)")
_SEVERAL: Final = say("(arrow keys and space, or numbers, to mark; then Enter)")


def pick(asked: Inquiry, stdin: TextIO, stderr: TextIO, look: Look, term: str) -> tuple[str, ...]:
    """Shows a list until something is picked from it, then takes it away again.

    A request to end is followed as soon as the terminal is as it was before.

    Args:
        asked: The question.
        stdin: The terminal's keys.
        stderr: The terminal's screen.
        look: How text is shown.
        term: The kind of the terminal.

    Returns:
        The keys of what was picked.

    Raises:
        EOFError: The input ends, Ctrl-D or Esc was typed, or a word that cancels.
        Unmeant: A word was typed that is none of the answers.
        KeyboardInterrupt: Ctrl-C was typed, or the process was interrupted.
        OSError: The terminal has gone.
    """
    terminal: dict[str, Any] = {
        "input": create_input(stdin),
        "output": _screen(stderr, look, term),
        "erase_when_done": True,
    }
    offers = [
        questionary.Choice(
            f"{number}) {offer.label}" + (f"  {offer.help}" if offer.help else ""),
            offer.key,
            checked=asked.several and offer.key in asked.defaults,
        )
        for number, offer in enumerate(asked.offers, 1)
    ]
    common: dict[str, Any] = {"pointer": POINTER, "style": _STYLE, "use_jk_keys": False, **terminal}
    if asked.several:
        text, how = _fitted(asked.text, look.say(_SEVERAL), look.columns)
        question = questionary.checkbox(
            text, offers, initial_choice=asked.defaults[0], instruction=how, **common
        )
    else:
        text, how = _fitted(asked.text, look.say(_ONE), look.columns)
        question = questionary.select(
            text, offers, default=asked.defaults[0], instruction=how, **common
        )
    application = question.application
    control = _control(application)
    own = _ends()
    typing = _Typing(asked, control)
    typing.bind(own)
    if asked.several:
        _bind_marks(own, asked, control, ~Condition(typing.counts))
    else:
        # It marks the default, which would then look like no other answer.
        control.selected_options = []
    if application.key_bindings is None:
        raise AssertionError("a list has keys")
    # Of two functions for one key, the later one is called.
    application.key_bindings = merge_key_bindings([application.key_bindings, own])
    with _ended_by_signals(application) as check:
        found = application.run(pre_run=check)
    return tuple(found) if asked.several else (found,)


def _fitted(text: str, how: str, columns: int | None) -> tuple[str, str]:
    """Returns question and instruction as lines that fit, the latter as far as there is room."""
    room = (columns or streams.USUAL_COLUMNS) - _MARGIN
    lines = wrap(text, room)
    if cells(lines[-1]) + cells(how) < room:
        return "\n  ".join(lines), how
    return "\n  ".join(lines), f"\n  {how}" if cells(how) <= room else " "


def _screen(stderr: TextIO, look: Look, term: str) -> Output:
    """Returns the screen; it is never asked where its cursor is.

    Terminals that cannot say so would get a warning on the screen, and answers that come late
    would be taken for typed keys.
    """

    def size() -> Size:
        columns, rows = streams.size(stderr, {})
        return Size(rows=rows, columns=columns)

    return Vt100_Output(
        stderr,
        size,
        term=term,
        default_color_depth=ColorDepth.DEPTH_4_BIT if look.colour else ColorDepth.MONOCHROME,
        enable_cpr=False,
    )


def _control(application: Application[Any]) -> InquirerControl:
    """Returns the list itself: it knows where the pointer is and what is marked."""
    windows = application.layout.find_all_windows()
    return next(w.content for w in windows if isinstance(w.content, InquirerControl))


def _ends() -> KeyBindings:
    """Returns the keys that end a question without an answer."""
    keys = KeyBindings()

    @keys.add("c-d", eager=True)
    # Linux hands over a Ctrl-D that was typed before the list was there as NUL.
    @keys.add("c-@", eager=True)
    @keys.add("escape")
    def end(event: KeyPressEvent) -> None:
        event.app.exit(exception=EOFError)

    @keys.add("<sigint>", eager=True)
    def interrupt(event: KeyPressEvent) -> None:
        event.app.exit(exception=KeyboardInterrupt)

    return keys


@contextmanager
def _ended_by_signals(application: Application[Any]) -> Iterator[Callable[[], None]]:
    """Has a request to end take the list away first, and passes it on when the block is left.

    Left to the system it would kill the process and leave the terminal without echo and line ends.
    What somebody has set these signals to, such as nohup, stays.

    Yields:
        What ends the list if a request has come; called once the list can be ended.
    """
    came: list[int] = []

    def end() -> None:
        if came and application.is_running and not application.is_done:
            application.exit(exception=KeyboardInterrupt)

    def note(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the shape of a handler
        came.append(number)
        if application.loop is not None:
            application.loop.call_soon_threadsafe(end)

    is_main = threading.current_thread() is threading.main_thread()
    held = [n for n in _REQUESTS_TO_END if is_main and signal.getsignal(n) is signal.SIG_DFL]
    for number in held:
        signal.signal(number, note)
    try:
        yield end
    finally:
        for number in held:
            signal.signal(number, signal.SIG_DFL)
        for passed in came:
            signal.raise_signal(passed)


class Unmeant(Exception):  # noqa: N818 - a typed word, and no failure of ours
    """Somebody typed a word that is none of the answers; its text is the word."""


class _Typing:
    """The words that are being typed on a list; they count for more than where the pointer is.

    Args:
        asked: The question.
        control: The list.
    """

    def __init__(self, asked: Inquiry, control: InquirerControl) -> None:
        self._asked = asked
        self._control = control
        self._typed = ""
        self._at = control.pointed_at

    def bind(self, keys: KeyBindings) -> None:
        """Has the keys that stand for text collected, and read when Enter is typed."""
        keys.add(Keys.Any)(self._type)
        keys.add(Keys.BracketedPaste)(self._type)
        keys.add("backspace")(self._rub_out)
        keys.add(" ", eager=True, filter=Condition(self.counts))(self._type)
        for key in _MARK_ALL:
            keys.add(key, eager=True)(self._type)
        keys.add(Keys.ControlM, eager=True, filter=Condition(self.counts))(self._read)

    def _type(self, event: KeyPressEvent) -> None:
        """Moves the pointer to the answer whose number or name is being typed."""
        if not event.data.isprintable():
            return
        held = self._typed if self.counts() else ""
        typed = held + event.data
        if held.isdigit() and event.data.isdigit() and self._asked.meant(typed) is None:
            typed = event.data  # Another number instead of the one before.
        key = None if self._asked.several else self._asked.meant(typed.strip())
        if key is not None:
            self._control.pointed_at = _place(self._asked, key)
        self._typed = typed
        self._at = self._control.pointed_at

    def _rub_out(self, event: KeyPressEvent) -> None:
        del event
        self._typed = self._typed[:-1]

    def counts(self) -> bool:
        """Tells whether something was typed since the pointer was moved."""
        return bool(self._typed.strip()) and self._control.pointed_at == self._at

    def _read(self, event: KeyPressEvent) -> None:
        typed = self._typed.strip()
        found: tuple[str, ...] | str = self._asked.all_meant(typed)
        if self._asked.cancels(typed):
            event.app.exit(exception=EOFError)
        elif isinstance(found, str) or (len(found) > 1 and not self._asked.several):
            event.app.exit(exception=Unmeant(typed))
        else:
            event.app.exit(result=list(found) if self._asked.several else found[0])


def _bind_marks(
    keys: KeyBindings, asked: Inquiry, control: InquirerControl, is_free: Filter
) -> None:
    """Makes space and the digits mark answers.

    Args:
        keys: Where they are bound.
        asked: The question.
        control: The list.
        is_free: Tells whether no word is being typed.
    """

    @keys.add(" ", eager=True, filter=is_free)
    def mark(event: KeyPressEvent) -> None:
        del event
        key = asked.offers[control.pointed_at].key
        control.selected_options = list(asked.toggled(control.selected_options, key))

    for place, digit in enumerate(_DIGITS[: len(asked.offers)]):
        keys.add(digit, eager=True, filter=is_free)(_moving(control, place, mark))


def _moving(
    control: InquirerControl, place: int, then: Callable[[KeyPressEvent], None]
) -> Callable[[KeyPressEvent], None]:
    def move(event: KeyPressEvent) -> None:
        control.pointed_at = place
        then(event)

    return move


def _place(asked: Inquiry, key: str) -> int:
    return next(place for place, offer in enumerate(asked.offers) if offer.key == key)
