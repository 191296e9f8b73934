"""Commit messages: a subject people read, sentences, and trailers that machines read.

The change set itself is not in the message; it is what lies between the commit and its parent.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.patterns import regex

SUBJECT_LENGTH: Final = 72

REPLAN: Final = "Wfp-Replan"
SESSION: Final = "Wfp-Session"
MODE: Final = "Wfp-Mode"
SCOPE: Final = "Wfp-Scope"
ADDED: Final = "Wfp-Tasks-Added"
UPDATED: Final = "Wfp-Tasks-Updated"
DELETED: Final = "Wfp-Tasks-Deleted"
PLANNER: Final = "Wfp-Planner"
BACKUP: Final = "Wfp-Backup"
PREVIOUS: Final = "Wfp-Prev"
BRANCH: Final = "Wfp-Branch"
REVERTS: Final = "Wfp-Reverts"
CHECKPOINT: Final = "Wfp-Checkpoint"

# What a terminal obeys: both sets of control characters, and marks that turn a line around.
_CONTROL: Final = regex(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]+"
)


_OWN_TRAILER: Final = regex(r"^\s*(?=Wfp-)", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Message:
    """A commit message in parts.

    Attributes:
        subject: One line.
        sentences: The body, one bullet each.
        trailers: Values by key; an empty value leaves its trailer out.
        note: A paragraph before the trailers, kept as it is.
    """

    subject: str
    sentences: tuple[str, ...]
    trailers: Mapping[str, str]
    note: str = ""

    def text(self) -> str:
        """Returns the whole message with a final newline."""
        body = "\n".join(f"- {one_line(sentence)}" for sentence in self.sentences)
        trailers = "\n".join(
            f"{key}: {one_line(value)}" for key, value in self.trailers.items() if value
        )
        # A line of the reason that looks like one of our trailers must not read as one.
        kept = "\n".join(one_line(line) for line in self.note.splitlines())
        note = _OWN_TRAILER.sub("> ", kept)
        parts = [self.subject, body, note, trailers]
        return "\n\n".join(part for part in parts if part) + "\n"


def subject(kind: str, about: str, reason: str) -> str:
    """Returns `kind(about): reason`, cut so that the whole line has at most 72 characters."""
    line = f"{kind}({one_line(about)}): {one_line(reason)}".rstrip()
    if len(line) <= SUBJECT_LENGTH:
        return line
    cut = line[: SUBJECT_LENGTH - 1].rstrip()
    head, space, _ = cut.rpartition(" ")
    return (head if space and len(head) > SUBJECT_LENGTH // 2 else cut) + "\u2026"


def one_line(text: str) -> str:
    """Returns a text without line breaks and control characters."""
    return _CONTROL.sub(" ", text).strip()


def listed(ids: Iterable[str]) -> str:
    """Returns ids as one trailer value."""
    return ", ".join(ids)


def ids_in(values: Iterable[str]) -> tuple[str, ...]:
    """Returns the ids that trailer values list."""
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())
