"""Where the program is that hooks and the merge driver start."""

import os
import shutil
import sys
from collections.abc import Mapping
from typing import Final

_NAME: Final = "git-wfp"


def program_path(environ: Mapping[str, str]) -> str | None:
    """Returns the absolute path of the program that runs now, None if there is none of its name.

    Args:
        environ: The environment.
    """
    started = os.path.abspath(sys.argv[0]) if sys.argv and sys.argv[0] else ""
    beside = os.path.join(os.path.dirname(os.path.abspath(sys.executable)), _NAME)
    for place in (started, beside):
        if os.path.basename(place) == _NAME and os.access(place, os.X_OK):
            return place
    found = shutil.which(_NAME, path=environ.get("PATH"))
    return None if found is None else os.path.abspath(found)
