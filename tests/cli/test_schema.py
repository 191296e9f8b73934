"""The published schemas are those of the code, and what commands answer obeys them."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from gitwfp.cli import schema as published
from gitwfp.cli.main import main
from gitwfp.cli.schema_files import OPERATIONS, files, write
from gitwfp.errors import Refusal
from tests.cli.commands import TABLE

FOLDER = Path(published.FOLDER)


def checked(name: str, document: object) -> None:
    """Holds a document against a published schema."""
    jsonschema.validate(document, published.read(name), jsonschema.Draft202012Validator)


def run(
    capsys: pytest.CaptureFixture[str], *argv: str, table: Any = None, code: int = 0
) -> dict[str, Any]:
    """Runs a command with --json and holds its answer against the schema of its kind."""
    options = {} if table is None else {"commands": table}
    assert main([*argv, "--json"], **options) == code
    said = capsys.readouterr()
    assert said.err == ""
    document: dict[str, Any] = json.loads(said.out)
    if document["kind"] != "said":
        checked(f"out/{document['kind']}", document)
    return document


def test_the_files_are_those_of_the_code() -> None:
    """Each file says what the code says, and there is no other; `make schemas` writes them."""
    held = {
        path.relative_to(FOLDER).as_posix(): path.read_text("utf-8")
        for path in FOLDER.rglob("*.json")
    }
    assert held == dict(files())


def test_writing_leaves_nothing_stale(tmp_path: Path) -> None:
    """Writing the schemas makes the folders and removes what is not published any more."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "stale.json").write_text("{}")
    write(str(tmp_path))
    names = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.json")}
    assert names == set(files())


@pytest.mark.parametrize("name", published.names())
def test_schemas_are_schemas(name: str) -> None:
    """Each one is valid, has an id that finds it, and resolves all its references."""
    schema = published.read(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"urn:gitwfp:schema:{name.replace('/', ':')}:1"
    assert published.find(str(schema["$id"])) == name
    assert published.find(name) == name
    with pytest.raises(jsonschema.ValidationError):
        checked(name, {"no": "such"})


def test_outputs_are_closed() -> None:
    """An output may neither lack a field nor have one more."""
    good = {
        "schema_version": "1",
        "kind": "version",
        "ok": True,
        "exit_code": 0,
        "data": {"version": "1.0"},
        "diagnostics": [],
    }
    checked("out/version", good)
    for bad in (
        {**good, "more": 1},
        {**good, "data": {"version": "1.0", "more": 1}},
        {**good, "data": {}},
        {**good, "data": None},
        {**good, "kind": "help"},
        {name: value for name, value in good.items() if name != "diagnostics"},
    ):
        with pytest.raises(jsonschema.ValidationError):
            checked("out/version", bad)


def test_answers_obey_their_schemas(capsys: pytest.CaptureFixture[str]) -> None:
    """Help, version, schemas and every kind of failure are as published."""
    assert run(capsys, "--version")["kind"] == "version"
    assert run(capsys, "-h")["data"]["command"] == "git wfp"
    assert run(capsys, "schema")["data"]["names"] == list(published.names())
    one = run(capsys, "schema", "in/operations")["data"]
    assert one["schema"] == published.read("in/operations")
    assert run(capsys, "schema", "nothing", code=3)["kind"] == "error"
    for words, code in ((("zzz",), 2), (("refuse",), 4), (("interrupt",), 130)):
        assert run(capsys, *words, table=TABLE, code=code)["kind"] == "error"
    noisy = run(capsys, "warn", table=TABLE)
    assert noisy["diagnostics"]
    checked("out/error", {**noisy, "kind": "error", "ok": False, "exit_code": 1, "data": None})


def test_people_read_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    """Without --json the names are lines, and a schema is itself the JSON on standard output."""
    assert main(["schema"]) == 0
    assert capsys.readouterr().out.splitlines() == list(published.names())
    assert main(["schema", "operations"]) == 0
    assert json.loads(capsys.readouterr().out) == published.read("in/operations")
    assert main(["schema", "opertions"]) == 3
    assert "Did you mean: in/operations?" in capsys.readouterr().err


def test_names_are_unmistakable() -> None:
    """A name that fits none is refused with those that are close, or with where to look."""
    with pytest.raises(Refusal) as error:
        published.find("../../etc/passwd")
    assert error.value.code == "schema-not-found"
    assert str(error.value.hint) == "git wfp schema lists the names."


CREATE = {"type": "create", "title": "Moor"}


@pytest.mark.parametrize(
    ("operations", "is_valid"),
    [
        ([], True),
        ([CREATE], True),
        ([{**CREATE, "requirements": ["Cleat"], "reason": "tide"}], True),
        ([{"type": "update", "task": "IMPL-1", "requirements": {"add": ["x"]}}], True),
        ([{"type": "update", "task": "IMPL-1", "set": {"priority": "high"}}], True),
        ([{"type": "delete", "task": "IMPL-1", "dependents": "bridge"}], True),
        ([{"type": "split", "task": "IMPL-1", "parts": [{"title": "a"}, {"title": "b"}]}], True),
        ([{"type": "merge", "tasks": ["IMPL-1", "IMPL-2"]}], True),
        ([{"type": "reorder", "task": "IMPL-1", "before": "IMPL-2"}], True),
        ([{"type": "session", "title": "Harbour"}], True),
        ([{"title": "Moor"}], False),
        ([{"type": "sink", "task": "IMPL-1"}], False),
        ([{**CREATE, "colour": "red"}], False),
        ([{"type": "create"}], False),
        ([{"type": "update", "task": "IMPL-1", "requirements": ["x"]}], False),
        ([{"type": "update", "task": "IMPL-1", "set": {"id": "x"}}], False),
        ([{"type": "delete", "task": "IMPL-1", "dependents": "sink"}], False),
        ([{"type": "delete", "task": 1}], False),
        (CREATE, False),
    ],
)
def test_the_schema_of_operations_is_what_is_accepted(operations: object, is_valid: bool) -> None:
    """What the published schema allows is what the program takes, and nothing else."""
    try:
        checked("in/operations", operations)
    except jsonschema.ValidationError:
        assert not is_valid
    else:
        assert is_valid
    try:
        OPERATIONS.validate_json(json.dumps(operations))
    except ValidationError:
        assert not is_valid
    else:
        assert is_valid
