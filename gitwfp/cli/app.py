"""What a command is given and what it answers, whoever has understood its words.

Most commands have their words parsed by click (`gitwfp.cli.command`), those of every day by
`gitwfp.cli.everyday`. Nothing here needs either.
"""

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from gitwfp.classes import dataclass, field, replace
from gitwfp.cli.console import Console, Lines
from gitwfp.cli.envelope import Document
from gitwfp.errors import Diagnostic, ExitCode, Refusal, Text, say

if TYPE_CHECKING:
    from datetime import datetime

    from gitwfp.cli.outputs import Help, Output
    from gitwfp.git.witness import Witness

PROGRAM: Final = "git wfp"


def _silence(_: object) -> tuple[str, ...]:
    return ()


def _clock() -> "datetime":
    from datetime import UTC, datetime

    return datetime.now(UTC)  # noqa: TID251 - this is the edge that the time comes in at


@dataclass(frozen=True, slots=True)
class Result:
    """What a command answers.

    Attributes:
        data: The answer for programs, or what makes it where it costs more than its lines.
        lines: The same for people.
        exit_code: The exit code of the process.
        diagnostics: What a person should know besides.
        pages: Whether the lines may be many and go through a pager then.
        stands: What is done and stays so even if the answer reaches nobody.
    """

    data: "Output | Callable[[], Output]"
    lines: Lines = _silence
    exit_code: ExitCode = ExitCode.DONE
    diagnostics: tuple[Diagnostic, ...] = ()
    pages: bool = False
    stands: Text | None = None

    @property
    def document(self) -> Document:
        """The answer as the document that programs read."""
        data = self.data() if callable(self.data) else self.data
        return Document(data.KIND, data, self.exit_code, self.diagnostics)

    @property
    def for_people(self) -> Document:
        """The same without what only programs read."""
        return Document("", None, self.exit_code, self.diagnostics)


@dataclass(frozen=True, slots=True)
class App:
    """What every command is given.

    Attributes:
        console: The person or program at the other end.
        folder: Where the command runs; the repository is looked for from here.
        base: Where the user stands, which is elsewhere when git runs us through an alias that
            begins with `!`; paths that are typed start here.
        environ: The environment.
        now: The clock.
        witness: Notes what on disk the answer depends on; None where nobody asks.
    """

    console: Console
    folder: str
    base: str
    environ: Mapping[str, str]
    now: "Callable[[], datetime]" = field(default=_clock)
    witness: "Witness | None" = None

    def path(self, typed: str) -> str:
        """Returns the path that a typed one means."""
        return os.path.join(self.base, typed)

    def finish(self, result: Result) -> ExitCode:
        """Gives a command's answer and returns the exit code.

        Raises:
            Refusal: The answer cannot be written; says what is done nevertheless.
        """
        try:
            document = result.document if self.console.json else result.for_people
            self.console.answer(document, result.lines, pages=result.pages)
        except Refusal as refusal:
            if result.stands is None:
                raise
            raise Refusal(
                refusal.code, refusal.message, refusal.exit_code, hint=result.stands
            ) from refusal
        return result.exit_code


def help_result(command: str, text: str) -> Result:
    """Returns the answer to a question for help.

    Args:
        command: The command as it is typed.
        text: Its help.
    """

    def data() -> "Help":
        from gitwfp.cli.outputs import Help

        return Help(command, text)

    return Result(data, lambda _: text.split("\n"))


def standing(app: App, folders: tuple[str, ...]) -> App:
    """Returns the surroundings of a command that is to run as if started elsewhere.

    Args:
        app: The surroundings, with the folder that the process runs in.
        folders: The values of `-C`, each relative to the one before.

    Raises:
        Refusal: There is no such folder (usage).
    """
    base = os.path.join(app.folder, _alias_prefix(app.folder, app.environ))
    if not folders:
        return replace(app, base=base)
    for wanted in folders:
        base = os.path.join(base, wanted)
        if not os.path.isdir(base):
            raise Refusal(
                "no-such-folder",
                say("-C {folder}: there is no such folder.", folder=wanted),
                ExitCode.USAGE,
            )
    environ = {name: value for name, value in app.environ.items() if name != "GIT_PREFIX"}
    return replace(app, folder=base, base=base, environ=environ)


def _alias_prefix(folder: str, environ: Mapping[str, str]) -> str:
    """Returns where the user stood when git started us through an alias that begins with `!`.

    Git runs such an alias at the top of the worktree and says in GIT_PREFIX where it came from.
    """
    prefix = environ.get("GIT_PREFIX", "")
    at_top = os.path.lexists(os.path.join(folder, ".git"))
    is_folder = prefix.endswith("/") and os.path.isdir(os.path.join(folder, prefix))
    return prefix if at_top and is_folder else ""
