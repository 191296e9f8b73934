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
        EOFError: The input ends, or Ctrl-D was typed.
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
    if asked.several:
        _bind_marks(own, asked, control)
    else:
        # It marks the default, which would then look like no other answer.
        control.selected_options = []
        own.add(Keys.Any)(_typed(asked, control))
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


def _typed(asked: Inquiry, control: InquirerControl) -> Callable[[KeyPressEvent], None]:
    """Returns what moves the pointer to the answer whose number or name is being typed."""
    so_far = ""

    def type_on(event: KeyPressEvent) -> None:
        nonlocal so_far
        for typed in (so_far + event.data, event.data):
            so_far = typed if typed.isprintable() else ""
            key = asked.meant(so_far) if so_far else None
            if key is not None:
                control.pointed_at = _place(asked, key)
                return
            if any(name.casefold().startswith(so_far.casefold()) for name in _names(asked)):
                return

    return type_on


def _names(asked: Inquiry) -> list[str]:
    return [name for offer in asked.offers for name in (offer.key, offer.name)]


def _bind_marks(keys: KeyBindings, asked: Inquiry, control: InquirerControl) -> None:
    """Makes space and the digits mark answers, and leaves no key that marks in another way."""

    @keys.add(" ", eager=True)
    def mark(event: KeyPressEvent) -> None:
        del event
        key = asked.offers[control.pointed_at].key
        control.selected_options = list(asked.toggled(control.selected_options, key))

    for place, digit in enumerate(_DIGITS[: len(asked.offers)]):
        keys.add(digit, eager=True)(_moving(control, place, mark))
    for key in "ai":
        keys.add(key, eager=True)(_nothing)


def _moving(
    control: InquirerControl, place: int, then: Callable[[KeyPressEvent], None]
) -> Callable[[KeyPressEvent], None]:
    def move(event: KeyPressEvent) -> None:
        control.pointed_at = place
        then(event)

    return move


def _nothing(event: KeyPressEvent) -> None:
    del event


def _place(asked: Inquiry, key: str) -> int:
    return next(place for place, offer in enumerate(asked.offers) if offer.key == key)
