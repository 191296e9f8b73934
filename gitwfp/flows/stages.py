"""The steps of a replan, for those who watch it: six about a session, three about one task.

A step is told when it is completed. Backup, changes and verification are one indivisible act, so
they are completed together or not at all.
"""

from collections.abc import Mapping
from typing import Final

from gitwfp.errors import Text, say
from gitwfp.flows.ui import Stage, Ui
from gitwfp.policy.clarify import Mode

_STAGES: Final[Mapping[Mode, Mapping[str, Text]]] = {
    "session": {
        "detect": say("Mode detection and session discovery"),
        "clarify": say("Interactive requirement clarification"),
        "analyze": say("Impact analysis and plan generation"),
        "backup": say("Backup creation"),
        "apply": say("Apply modifications to artifacts"),
        "verify": say("Verify consistency"),
    },
    "task": {
        "detect": say("Detect session and load task"),
        "confirm": say("Interactive update confirmation"),
        "apply": say("Apply task modifications"),
    },
}


class Progress:
    """How far one replan has come; it never goes back, also when answers are adjusted.

    Args:
        ui: Who is told.
    """

    def __init__(self, ui: Ui) -> None:
        self._ui = ui
        self._mode: Mode = "session"
        self._done = 0

    def reached(self, mode: Mode, name: str) -> None:
        """Says that a step is completed, and those before it; a step that a mode lacks is none.

        Args:
            mode: What the request is about.
            name: The step.
        """
        self._mode = mode
        names = list(_STAGES[mode])
        if name in names:
            self._tell(names.index(name) + 1)

    def finished(self) -> None:
        """Says that all steps are completed."""
        self._tell(len(_STAGES[self._mode]))

    def _tell(self, done: int) -> None:
        self._done = max(done, self._done)
        self._ui.track(
            [
                Stage(name, label, number <= self._done)
                for number, (name, label) in enumerate(_STAGES[self._mode].items(), 1)
            ]
        )
