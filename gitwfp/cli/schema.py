"""`git wfp schema`: the published JSON Schemas, as they lie in the package.

`in/*` is what may be handed in, `out/*` what each command answers with `--json`. The files are
written from the code by `gitwfp.cli.schema_files`.
"""

import json
import os
from typing import Final

import click

from gitwfp.cli.command import App, Result, command
from gitwfp.cli.envelope import dump
from gitwfp.cli.outputs import Schemas
from gitwfp.errors import ExitCode, Refusal, say

FOLDER: Final = os.path.join(os.path.dirname(os.path.dirname(__file__)), "schemas")
URN: Final = "urn:gitwfp:schema:"
_ENDING: Final = ".json"
_CLOSE: Final = 0.7


def names() -> tuple[str, ...]:
    """Returns the names of all published schemas, such as `in/operations`."""
    found = []
    for folder in ("in", "out"):
        files = sorted(os.listdir(os.path.join(FOLDER, folder)))
        found += [f"{folder}/{name.removesuffix(_ENDING)}" for name in files]
    return tuple(found)


def read(name: str) -> dict[str, object]:
    """Returns a published schema.

    Args:
        name: One of `names`.
    """
    with open(os.path.join(FOLDER, *name.split("/")) + _ENDING, encoding="utf-8") as file:
        content: dict[str, object] = json.load(file)
    return content


def find(wanted: str) -> str:
    """Returns the name of the schema that somebody means: in full, without folder, or by `$id`.

    Raises:
        Refusal: There is none, or more than one (not found).
    """
    known = names()
    plain = wanted.removesuffix(_ENDING)
    if plain.startswith(URN):
        plain = plain.removeprefix(URN).rpartition(":")[0].replace(":", "/")
    fitting = [name for name in known if plain in (name, name.partition("/")[2])]
    if len(fitting) == 1:
        return fitting[0]
    from difflib import get_close_matches

    bare = [name.partition("/")[2] for name in known]
    close = fitting or [known[bare.index(n)] for n in get_close_matches(plain, bare, cutoff=_CLOSE)]
    close = close or get_close_matches(plain, known, cutoff=_CLOSE)
    raise Refusal(
        "schema-not-found",
        say("There is no schema {name}.", name=wanted)
        if not fitting
        else say("{name} can be more than one schema.", name=wanted),
        ExitCode.NOT_FOUND,
        hint=say("Did you mean: {names}?", names=", ".join(dict.fromkeys(close)))
        if close
        else say("git wfp schema lists the names."),
    )


@command(
    "schema",
    help=say("Prints the JSON Schemas of what goes in and what comes out."),
    examples=("git wfp schema", "git wfp schema in/operations", "git wfp schema error --json"),
    notes=(
        say("Without NAME it lists the names; with NAME it prints that schema."),
        say("in/* is what may be handed in, out/* what commands answer with --json."),
    ),
)
@click.argument("name", required=False)
def schema(app: App, name: str | None) -> Result:  # noqa: ARG001 - every command is given it
    """Answers with the names of the schemas, or with one of them."""
    known = names()
    if name is None:
        return Result(Schemas(known), lambda _: known)
    found = find(name)
    content = read(found)
    return Result(
        Schemas(known, found, content), lambda _: dump(content, indent=2).split("\n"), pages=True
    )
