"""What the commands answer in JSON: one frozen dataclass a kind.

Here are those of the command line itself, `gitwfp.cli.answers` has those of plans. They are the
published schemas `out/<kind>`: after a change, `make schemas` writes the files anew. Within a major
version, fields are only ever added.
"""

from collections.abc import Mapping
from typing import ClassVar, Protocol

from gitwfp.classes import dataclass


class Output(Protocol):
    """A dataclass that says which kind of answer it is."""

    KIND: ClassVar[str]


@dataclass(frozen=True, slots=True)
class Help:
    """The help of a command.

    Attributes:
        command: The command as it is typed.
        text: The help as people read it.
    """

    KIND: ClassVar[str] = "help"

    command: str
    text: str


@dataclass(frozen=True, slots=True)
class Version:
    """The version of the program.

    Attributes:
        version: Three numbers and a suffix, by PEP 440.
    """

    KIND: ClassVar[str] = "version"

    version: str


@dataclass(frozen=True, slots=True)
class Schemas:
    """The published JSON Schemas.

    Attributes:
        names: The names of all of them.
        name: The one asked for.
        schema: The one asked for.
    """

    KIND: ClassVar[str] = "schema"

    names: tuple[str, ...]
    name: str | None = None
    schema: Mapping[str, object] | None = None
