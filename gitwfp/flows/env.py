"""What every use case is given: the repository, the settings, the person, the clock."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from gitwfp.classes import dataclass, field
from gitwfp.config import Settings
from gitwfp.errors import Diagnostic, Location, Severity, Text, say
from gitwfp.flows.ui import Ui
from gitwfp.git.repository import Repository

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class Env:
    """The surroundings of one command.

    Attributes:
        repo: The repository, seen from where the user stands.
        settings: The settings in force.
        ui: The person or program at the other end.
        now: The clock.
        words: Translates what is written into the repository (the content language).
    """

    repo: Repository
    settings: Settings
    ui: Ui
    now: "Callable[[], datetime]"
    words: Callable[[Text], str] = field(default=str)

    def time(self) -> str:
        """Returns the time now as ISO 8601 in UTC, to the second."""
        from datetime import UTC

        return self.now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def begin_reading(self) -> None:
        """Says so when an interrupted command has left the repository half-way."""
        from gitwfp.git.journal import pending_journal

        if pending_journal(self.repo):
            self.ui.warn(
                Diagnostic(
                    "interrupted-command",
                    say("An earlier command was interrupted; what you see may be half of it."),
                    Severity.WARNING,
                    Location(),
                    say("The next command that writes finishes it or takes it back."),
                )
            )

    def begin_writing(self) -> None:
        """Finishes or takes back what an interrupted command has left, and says so."""
        from gitwfp.git.recovery import recover

        told = recover(self.repo)
        if told is not None:
            self.ui.warn(told)
