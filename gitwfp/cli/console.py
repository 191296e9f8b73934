"""The terminal, pipe or program at the other end: everything that is said goes through here.

Results go to standard output, everything else to standard error. With `--json` nothing is said on
the way, and exactly one document goes to standard output, also when a command fails.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TextIO

from gitwfp.cli import streams
from gitwfp.cli.envelope import Document, dump, envelope, failure
from gitwfp.cli.language import ENGLISH, chosen_language, translator
from gitwfp.cli.look import Look, Style, harmless, visible
from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, Text, say

if TYPE_CHECKING:
    # A console is made for `git wfp -h` too, which needs neither plans nor policies.
    from gitwfp.flows.ui import Choice, Preview, Stage

Lines = Callable[[Look], Iterable[str]]
"""What people read of an answer; made only when there are people."""

_LABELS: Final[Mapping[Severity, tuple[Text, Style]]] = {
    Severity.ERROR: (say("error:"), Style.ERROR),
    Severity.WARNING: (say("warning:"), Style.WARNING),
    Severity.NOTE: (say("note:"), Style.QUIET),
}
_HINT: Final = say("hint:")


class Console:
    """One command's way to speak to people and programs; implements `gitwfp.flows.ui.Ui`.

    Args:
        stdin: Standard input, None when it is closed.
        stdout: Standard output, None when it is closed.
        stderr: Standard error, None when it is closed.
        environ: The environment: language, colours, width, pager, WFP_NO_INPUT.
        json: Whether a program reads the output.
        no_input: Whether nobody may be asked.

    Attributes:
        stages: The steps of the command as they were told last.
    """

    def __init__(
        self,
        stdin: TextIO | None,
        stdout: TextIO | None,
        stderr: TextIO | None,
        environ: Mapping[str, str],
        *,
        json: bool = False,
        no_input: bool = False,
    ) -> None:
        self._stdin, self._stdout, self._stderr = stdin, stdout, stderr
        self._environ = environ
        self._no_input = no_input or environ.get("WFP_NO_INPUT", "") not in ("", "0")
        self._warnings: list[Diagnostic] = []
        self._told: list[Diagnostic] = []
        self._pager: str | None = None
        self._answered = False
        self.json = json
        self.stages: tuple[Stage, ...] = ()
        self.configure(None, None)

    def configure(self, language: str | None, pager: str | None) -> None:
        """Takes over what the configuration says.

        Args:
            language: The setting `ui.language`.
            pager: git's `core.pager`.
        """
        # What a program reads is English, also where people would read it translated.
        language = ENGLISH if self.json else chosen_language(self._environ, language)
        speak = translator(language)
        self._pager = pager
        self.look = self._look_of(self._stdout, speak)
        self.error_look = self._look_of(self._stderr, speak)

    def _look_of(self, stream: TextIO | None, speak: Callable[[Text], str]) -> Look:
        is_terminal = streams.is_terminal(stream)
        environ = self._environ
        return Look(
            speak,
            colour=is_terminal and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb",
            columns=streams.size(stream, environ)[0] if is_terminal else None,
            mark="…" if streams.can_show(stream, "…") else "...",
        )

    @property
    def interactive(self) -> bool:
        """Whether there is somebody at a terminal who sees everything and can be asked."""
        if self.json or self._no_input:
            return False
        return all(map(streams.is_terminal, (self._stdin, self._stdout, self._stderr)))

    def tell(self, text: Text) -> None:
        """Says how far the work has come, on standard error; not with `--json`."""
        if not self.json:
            self._say(self.error_look.say(text))

    def track(self, stages: Sequence["Stage"]) -> None:
        """Says on a terminal which steps are newly completed, and keeps them all for JSON."""
        for number, stage in enumerate(stages, 1):
            if stage.done and stage not in self.stages and self._shows_stages:
                told = say(
                    "[x] {number}/{total} {step}",
                    number=number,
                    total=len(stages),
                    step=stage.label,
                )
                self._say(self.error_look.paint(self.error_look.say(told), Style.QUIET))
        self.stages = tuple(stages)

    @property
    def _shows_stages(self) -> bool:
        return not self.json and streams.is_terminal(self._stderr)

    def warn(self, diagnostic: Diagnostic) -> None:
        """Says what a person should know, once, on standard error; with `--json` it is kept."""
        if self.json:
            self._warnings.append(diagnostic)
        elif diagnostic not in self._told:
            self._told.append(diagnostic)
            self._say(*diagnostic_lines(diagnostic, self.error_look))

    def show(self, block: "Preview") -> None:
        """Shows a change that has not happened yet, on standard output; not with `--json`."""
        if not self.json:
            from gitwfp.cli.render import preview

            self._print(preview(block, self.look), pages=False)
            self._told.extend(block.notices)

    def note(self, lines: Iterable[str]) -> None:
        """Says finished lines on standard error; not with `--json`."""
        if not self.json:
            self._say(*lines)

    def choose(
        self, question: Text, choices: Sequence["Choice"], default: str, *, flag: str
    ) -> str:
        """Asks a question on the terminal; see `gitwfp.flows.ui.Ui`."""
        return self._ask(question, choices, (default,), flag, several=False)[0]

    def choose_several(
        self, question: Text, choices: Sequence["Choice"], defaults: Sequence[str], *, flag: str
    ) -> tuple[str, ...]:
        """Asks a question that may have several answers; see `gitwfp.flows.ui.Ui`."""
        return self._ask(question, choices, defaults, flag, several=True)

    def _ask(
        self,
        question: Text,
        choices: Sequence["Choice"],
        defaults: Sequence[str],
        flag: str,
        *,
        several: bool,
    ) -> tuple[str, ...]:
        if not self.interactive:
            raise Refusal(
                "needs-answer",
                say("There is nobody to ask: {question}", question=question),
                ExitCode.USAGE,
                hint=say("Answer beforehand with {flag}.", flag=flag),
            )
        from gitwfp.cli.asking import ask, inquiry

        look = self.error_look
        asked = inquiry(question, choices, defaults, look, several=several)
        return ask(asked, self._stdin, self._stderr, look, self._environ)

    def answer(
        self, document: Document, lines: Lines, *, pages: bool = False, more: bool = False
    ) -> bool:
        """Gives a command's answer: the JSON document to a program, the lines to people.

        Args:
            document: The answer.
            lines: The same for people.
            pages: Whether it may be long and goes through a pager then.
            more: Whether further documents follow: one a line, as of a command that watches.

        Returns:
            Whether anybody still reads.
        """
        if self.json:
            earlier = [d for d in self._warnings if d not in document.diagnostics]
            kept = (*document.diagnostics, *earlier)
            self._warnings.clear()
            self._answered = not more
            return self._write_json(
                Document(document.kind, document.data, document.exit_code, kept)
            )
        read = self._print(lines(self.look), pages=pages)
        for diagnostic in document.diagnostics:
            self.warn(diagnostic)
        return read

    def refuse(self, refusal: Refusal) -> ExitCode:
        """Says why a command will not go on; returns the exit code."""
        if not self.json or self._answered or not self._write_failure(refusal):
            self._say(*refusal_lines(refusal, self.error_look))
        return refusal.exit_code

    def _write_failure(self, refusal: Refusal) -> bool:
        """Writes the document of a failure; False when there is no way to write it."""
        self._answered = True
        try:
            self._write_json(failure(refusal, tuple(self._warnings)))
        except Refusal:
            return False
        return True

    def _write_json(self, document: Document) -> bool:
        ascii_only = streams.encoding_of(self._stdout).replace("_", "-") not in ("utf-8", "utf8")
        return streams.write(self._stdout, dump(envelope(document), ascii_only=ascii_only) + "\n")

    def _print(self, lines: Iterable[str], *, pages: bool) -> bool:
        shown = [harmless(line, colour=self.look.colour) for line in lines]
        text = "".join(f"{line}\n" for line in shown)
        if pages and streams.is_terminal(self._stdout) and self._paged(text, len(shown)):
            return True
        return streams.write(self._stdout, text) if text else True

    def _paged(self, text: str, count: int) -> bool:
        from gitwfp.cli.pager import page, pager_command

        if count < streams.size(self._stdout, self._environ)[1]:
            return False
        command = pager_command(self._environ, self._pager)
        data = text.encode(streams.encoding_of(self._stdout), "replace")
        return command is not None and page(data, command, self._environ)

    def _say(self, *lines: str) -> None:
        colour = self.error_look.colour
        text = "".join(f"{harmless(line, colour=colour)}\n" for line in lines)
        try:
            streams.write(self._stderr, text)
        except Refusal:
            # Where complaints cannot be written, this one cannot either; the work goes on.
            self._stderr = None


def diagnostic_lines(diagnostic: Diagnostic, look: Look) -> tuple[str, ...]:
    """Returns a diagnostic as git shows one: what and where, then what to do."""
    label, style = _LABELS[diagnostic.severity]
    message = _placed(diagnostic.location, look.say(diagnostic.message))
    return (f"{look.paint(look.say(label), style)} {message}", *_hints(diagnostic.hint, look))


def refusal_lines(refusal: Refusal, look: Look) -> tuple[str, ...]:
    """Returns a refusal as git shows one: the error, its details, the hint."""
    label, style = _LABELS[Severity.ERROR]
    message = _placed(refusal.location, look.say(refusal.message))
    details = [
        f"  {line}"
        for detail in refusal.details
        for line in (
            _placed(detail.location, look.say(detail.message)),
            *_hints(detail.hint, look),
        )
    ]
    first = f"{look.paint(look.say(label), style)} {message}"
    return (first, *details, *_hints(refusal.hint, look))


def _placed(location: Location, message: str) -> str:
    """Returns a message behind its place, unless it says itself which file it is about."""
    is_named = location.path is not None and visible(location.path) in message
    return message if is_named and location.line is None else place(location) + message


def place(location: Location) -> str:
    """Returns a place as compilers write it, `path:line:column: `, empty when there is no path."""
    if location.path is None:
        return ""
    numbers = [str(n) for n in (location.line, location.column) if n is not None]
    return ":".join([visible(location.path), *numbers]) + ": "


def _hints(hint: Text | None, look: Look) -> tuple[str, ...]:
    if hint is None:
        return ()
    return (f"{look.paint(look.say(_HINT), Style.HINT)} {look.say(hint)}",)
