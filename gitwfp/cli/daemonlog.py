"""The log of the daemon: a file that is put aside when it has grown, and the terminal if wanted."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from typing import Final, TextIO

_BYTES: Final = 1_000_000
_FORM: Final = "%(asctime)s %(levelname)s %(message)s"


@contextmanager
def logging_to(file: str, stream: TextIO | None) -> Iterator[None]:
    """Has what the daemon logs written.

    Args:
        file: The file; its predecessor is kept as `file.1`.
        stream: Where it is written too.
    """
    # Whatever somebody else put there is not written through.
    if os.path.islink(file):
        os.unlink(file)
    handlers: list[logging.Handler] = [
        RotatingFileHandler(file, maxBytes=_BYTES, backupCount=1, encoding="utf-8", delay=False)
    ]
    if stream is not None:
        handlers.append(logging.StreamHandler(stream))
    root = logging.getLogger()
    level = root.level
    root.setLevel(logging.INFO)
    for handler in handlers:
        handler.setFormatter(logging.Formatter(_FORM))
        root.addHandler(handler)
    try:
        yield
    finally:
        for handler in handlers:
            root.removeHandler(handler)
            handler.close()
        root.setLevel(level)
