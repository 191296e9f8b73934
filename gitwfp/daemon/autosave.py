"""Autosave: each state that came to rest and is not what HEAD has is kept."""

import logging
from collections.abc import Sequence
from typing import Final

from gitwfp.config.settings import Daemon
from gitwfp.errors import Refusal
from gitwfp.flows.autosave import keep, thin_out
from gitwfp.flows.env import Env
from gitwfp.model.plan import SessionRef

_LOG: Final = logging.getLogger(__name__)
_OFTEN: Final = 100


class Autosaver:
    """Keeps what is saved, if the settings want it; failing at it stops nothing else.

    Args:
        settings: The settings of the daemon.
    """

    def __init__(self, settings: Daemon) -> None:
        self._is_on = settings.autosave
        self._saved = 0

    def save(self, env: Env, refs: Sequence[SessionRef]) -> None:
        """Keeps the state of some sessions."""
        if not self._is_on or not refs:
            return
        try:
            if keep(env, refs) is not None:
                self._saved += 1
            if self._saved >= _OFTEN:
                self.tidy(env)
        except Refusal as refusal:
            _LOG.warning("autosave: %s", refusal)

    def tidy(self, env: Env) -> None:
        """Drops what is too old, or too much."""
        if not self._is_on:
            return
        self._saved = 0
        try:
            thin_out(env)
        except Refusal as refusal:
            _LOG.warning("autosave: %s", refusal)
