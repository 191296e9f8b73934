"""Writes the published JSON Schemas from the dataclasses: `python -m gitwfp.cli.schema_files`.

pydantic describes the dataclasses; what it cannot know is added here: the envelope around every
output, that an output always has all its fields, and that a sentence is a text.
"""

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from inspect import cleandoc
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import core_schema

from gitwfp.cli import (
    aids,
    answers,
    comparisons,
    daemon_answers,
    findings,
    gate_answers,
    outputs,
    setup_answers,
)
from gitwfp.cli.envelope import ERROR_KIND, SCHEMA_VERSION, dump
from gitwfp.cli.schema import FOLDER, URN
from gitwfp.errors import Diagnostic, ExitCode, Text
from gitwfp.patterns import regex
from gitwfp.planners.file import Answer, Tagged
from gitwfp.policy.operations import Operation

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

OPERATIONS: Final[TypeAdapter[Answer | tuple[Operation, ...]]] = TypeAdapter(
    Answer | tuple[Tagged, ...]
)

_MODULES: Final = (
    outputs,
    answers,
    comparisons,
    findings,
    gate_answers,
    daemon_answers,
    aids,
    setup_answers,
)

_ATTRIBUTE: Final = regex(r"^ {4}(\w+): (.*(?:\n {8,}.*)*)", re.MULTILINE)


class _Generator(GenerateJsonSchema):
    """Describes dataclasses with the words of their docstrings."""

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        """Returns the schema of a dataclass: no field more, and in outputs none less."""
        if schema["cls"] is Text:
            return {"type": "string"}
        found = super().dataclass_schema(schema)
        summary, attributes = _docstring(schema["cls"])
        found["description"] = summary
        found["additionalProperties"] = False
        found.pop("title", None)
        properties = found.get("properties", {})
        for name, value in properties.items():
            value.pop("title", None)
            if self.mode == "serialization":
                value.pop("default", None)
            if name in attributes and "$ref" not in value:
                value["description"] = attributes[name]
        required = set(found.get("required", ()))
        if self.mode == "serialization":
            required = set(properties)
        # A tag has a default to save writing it in Python; in JSON it tells the kinds apart.
        required |= {name for name, value in properties.items() if "const" in value}
        found["required"] = [name for name in properties if name in required]
        return found

    def tagged_union_schema(self, schema: core_schema.TaggedUnionSchema) -> JsonSchemaValue:
        """Returns the schema of a union, without the keyword that only OpenAPI knows."""
        found = super().tagged_union_schema(schema)
        found.pop("discriminator", None)
        return found

    def bytes_schema(self, schema: core_schema.BytesSchema) -> JsonSchemaValue:  # noqa: ARG002
        """Returns the schema of bytes, which become text in JSON."""
        return {"type": "string"}


def _docstring(cls: type[Any]) -> tuple[str, Mapping[str, str]]:
    """Returns the first paragraphs of a class's docstring and what it says of each attribute."""
    text = cleandoc(cls.__doc__ or "")
    summary, _, attributes = text.partition("\n\nAttributes:\n")
    found = _ATTRIBUTE.findall(attributes)
    return " ".join(summary.split()), {name: " ".join(words.split()) for name, words in found}


def _described(
    adapter: TypeAdapter[Any], mode: JsonSchemaMode
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the schema of a type, and the definitions that it refers to."""
    found = adapter.json_schema(mode=mode, schema_generator=_Generator)
    found.pop("title", None)
    return found, found.pop("$defs", {})


def _operations() -> dict[str, Any]:
    found, definitions = _described(OPERATIONS, "validation")
    return {
        "$schema": DIALECT,
        "$id": f"{URN}in:operations:{SCHEMA_VERSION}",
        "title": "in/operations",
        "description": "What is wanted of a plan: operations in their order, and the reason.",
        **found,
        "$defs": definitions,
    }


def _output(kind: str, cls: type[Any] | None) -> dict[str, Any]:
    """Returns the schema of a document: the envelope around one kind of answer."""
    diagnostics, definitions = _described(TypeAdapter(tuple[Diagnostic, ...]), "serialization")
    data: dict[str, Any] = {"type": "null"}
    if cls is not None:
        data, more = _described(TypeAdapter(cls), "serialization")
        definitions = {**definitions, **more}
    done, failed = [int(ExitCode.DONE)], [int(code) for code in ExitCode if code]
    properties = {
        "schema_version": {"const": SCHEMA_VERSION},
        "kind": {"const": kind},
        "ok": {"type": "boolean", "description": "Whether the exit code is 0."},
        "exit_code": {"enum": failed if cls is None else done + failed},
        "data": data,
        "diagnostics": diagnostics,
    }
    return {
        "$schema": DIALECT,
        "$id": f"{URN}out:{kind}:{SCHEMA_VERSION}",
        "title": f"out/{kind}",
        "description": "What every command answers when it fails."
        if cls is None
        else data.get("description", kind),
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        "$defs": dict(sorted(definitions.items())),
    }


def kinds() -> Mapping[str, type[outputs.Output]]:
    """Returns every kind of answer: the dataclasses of our modules that say their kind."""
    classes: dict[str, type[Any]] = {}
    for found in (found for module in _MODULES for found in vars(module).values()):
        kind = vars(found).get("KIND") if isinstance(found, type) else None
        if isinstance(kind, str):
            classes[kind] = found
    return classes


def schemas() -> Mapping[str, Mapping[str, Any]]:
    """Returns every published schema by name."""
    makers: dict[str, Callable[[], dict[str, Any]]] = {"in/operations": _operations}
    found: dict[str, Mapping[str, Any]] = {name: make() for name, make in makers.items()}
    found[f"out/{ERROR_KIND}"] = _output(ERROR_KIND, None)
    for kind, cls in kinds().items():
        found[f"out/{kind}"] = _output(kind, cls)
    return dict(sorted(found.items()))


def files() -> Mapping[str, str]:
    """Returns the text of every file by its path inside the folder of schemas."""
    return {f"{name}.json": dump(content, indent=2) + "\n" for name, content in schemas().items()}


def write(folder: str = FOLDER) -> None:
    """Writes the files and removes those whose schema is not there any more."""
    wanted = files()
    for direction in ("in", "out"):
        os.makedirs(os.path.join(folder, direction), exist_ok=True)
        for name in os.listdir(os.path.join(folder, direction)):
            if f"{direction}/{name}" not in wanted:
                os.remove(os.path.join(folder, direction, name))
    for path, text in wanted.items():
        with open(os.path.join(folder, *path.split("/")), "w", encoding="utf-8") as file:
            file.write(text)


def main(words: Sequence[str]) -> None:
    """Writes the files, into the folder named first if there is one."""
    write(*words[:1])


if __name__ == "__main__":
    main(sys.argv[1:])
