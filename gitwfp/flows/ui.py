"""What a use case may ask of the person or program at the other end.

The command line implements `Ui`; tests implement it with a list. Nothing here prints or reads.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from gitwfp.classes import dataclass
from gitwfp.errors import Diagnostic, Text

if TYPE_CHECKING:
    # Whoever asks a question need not load what can be shown.
    from gitwfp.change.changeset import ChangeSet
    from gitwfp.model.plan import SessionRef
    from gitwfp.policy.replan import Proposal


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to a question.

    Attributes:
        key: What is typed and returned: an identifier or a letter, never translated.
        label: The answer in a few words.
        help: What it leads to.
        alone: Whether it stands for all the others, so that it is not taken together with them.
    """

    key: str
    label: Text
    help: Text | None = None
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Stage:
    """One of the steps that a command takes, for those who watch it.

    Attributes:
        name: Its identifier, never translated.
        label: What is done in it.
        done: Whether it is completed.
    """

    name: str
    label: Text
    done: bool = False


class Drafted(Protocol):
    """What may stand behind a preview: a replan."""

    @property
    def proposal(self) -> "Proposal | None":
        """The replan, None for a change that is none, such as a rollback."""
        ...


class Preview(Protocol):
    """A change as it is shown before it happens; the value that is applied is the one shown."""

    @property
    def ref(self) -> "SessionRef":
        """The session it concerns."""
        ...

    @property
    def changes(self) -> "ChangeSet":
        """What changes."""
        ...

    @property
    def draft(self) -> Drafted | None:
        """What stands behind it, if anything does."""
        ...

    @property
    def notices(self) -> tuple[Diagnostic, ...]:
        """What a person should know."""
        ...


class Ui(Protocol):
    """The person or program at the other end."""

    @property
    def interactive(self) -> bool:
        """Whether there is somebody who can be asked."""
        ...

    def tell(self, text: Text) -> None:
        """Says how far the work has come; a program at the other end is not told."""
        ...

    def track(self, stages: Sequence[Stage]) -> None:
        """Says which steps are completed, or keeps it for the JSON document.

        Args:
            stages: All steps of the command, each time anew.
        """
        ...

    def warn(self, diagnostic: Diagnostic) -> None:
        """Says what a person should know, or keeps it for the JSON document."""
        ...

    def show(self, block: Preview) -> None:
        """Shows a change that has not happened yet."""
        ...

    def choose(self, question: Text, choices: Sequence[Choice], default: str, *, flag: str) -> str:
        """Asks a question.

        Args:
            question: What is asked.
            choices: The answers there are.
            default: The key that an empty answer stands for.
            flag: The option of the command that answers it beforehand, such as `--yes`.

        Returns:
            The key of the answer.

        Raises:
            Refusal: There is nobody to ask (usage), or the input ends (negative).
        """
        ...

    def choose_several(
        self, question: Text, choices: Sequence[Choice], defaults: Sequence[str], *, flag: str
    ) -> tuple[str, ...]:
        """Asks a question that several answers can be given to; see `choose`.

        Args:
            question: What is asked.
            choices: The answers there are.
            defaults: The keys that an empty answer stands for.
            flag: The option of the command that answers it beforehand.

        Returns:
            The keys of the answers in the order of the choices, at least one.
        """
        ...
