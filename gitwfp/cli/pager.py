"""Long output goes through a pager, by git's rules."""

import subprocess
from collections.abc import Mapping
from typing import Final

_DEFAULT: Final = "less"
# What git sets for a user who has set nothing: quit if it fits, keep colours, leave the screen.
_SETTINGS: Final = {"LESS": "FRX", "LV": "-c"}
_CANNOT_RUN: Final = frozenset({126, 127})


def pager_command(environ: Mapping[str, str], configured: str | None) -> str | None:
    """Returns the pager that the user wants, None for none.

    Args:
        environ: The environment: GIT_PAGER wins over all, PAGER comes after the configuration.
        configured: The value of `core.pager`, if there is one.
    """
    wishes = (environ.get("GIT_PAGER"), configured, environ.get("PAGER"), _DEFAULT)
    wanted = next(wish for wish in wishes if wish is not None)
    return None if wanted in ("", "cat") else wanted


def page(text: bytes, command: str, environ: Mapping[str, str]) -> bool:
    """Shows a text in a pager and waits until its user has seen enough.

    Args:
        text: What is shown; the pager reads it, no shell does.
        command: The pager, as git reads it: a line for the shell, written by the user.
        environ: The environment; LESS and LV are set where they are not.

    Returns:
        Whether there is such a pager.
    """
    shell = ["sh", "-c", command]
    try:
        viewer = subprocess.Popen(shell, stdin=subprocess.PIPE, env={**_SETTINGS, **environ})
    except OSError:
        return False
    interrupted = True
    while interrupted:
        try:
            viewer.communicate(text)
            interrupted = False
        except KeyboardInterrupt:
            # Ctrl-C is meant for the pager, which shares the terminal and goes on.
            text = b""
    return viewer.returncode not in _CANNOT_RUN
