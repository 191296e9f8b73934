"""The catalogue says every sentence of the program, and says it right.

`make catalogue` brings it up to date with the source; the translations are then written in the
`.po` file.
"""

import ast
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po

from gitwfp.cli.language import CHINESE, DOMAIN

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "gitwfp" / "locale" / CHINESE / "LC_MESSAGES"

Sentence = str | tuple[str, str]


def calls() -> Iterator[tuple[str, str, ast.Call]]:
    """Yields every call of `say` and `say_n` in the package: where, which, the call."""
    for file in sorted((ROOT / "gitwfp").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                function = node.func
                # `look.say` speaks a sentence; only `errors.say` marks one.
                marks = isinstance(function, ast.Attribute) and _is_errors(function.value)
                name = function.attr if marks and isinstance(function, ast.Attribute) else None
                name = function.id if isinstance(function, ast.Name) else name
                if name in {"say", "say_n"}:
                    yield f"{file.relative_to(ROOT)}:{node.lineno}", name, node


def _is_errors(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id == "errors"


def templates(name: str, call: ast.Call) -> tuple[str, ...] | None:
    """Returns the one template of `say` or the two of `say_n`; None if one is no literal."""
    found = []
    for argument in call.args[: 2 if name == "say_n" else 1]:
        if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str)):
            return None
        found.append(argument.value)
    return tuple(found) or None


def sentences() -> set[Sentence]:
    """Returns the keys under which the catalogue must know the source's sentences."""
    found: set[Sentence] = set()
    for _, name, call in calls():
        texts = templates(name, call)
        if texts is not None:
            found.add((texts[0], texts[1]) if name == "say_n" else texts[0])
    return found


def fields(template: str) -> set[str]:
    """Returns the names of a template's fields, with attributes and formats cut off."""
    parsed = string.Formatter().parse(template)
    return {name.split(".")[0].split("[")[0] for _, name, _, _ in parsed if name is not None}


def key_of(message: Message) -> Sentence:
    """Returns a message's key: its singular, or singular and plural."""
    return message.id if isinstance(message.id, str) else (message.id[0], message.id[1])


def texts_of(value: str | list[str] | tuple[str, ...] | None) -> tuple[str, ...]:
    """Returns one text, several or none as several."""
    return (value or "",) if isinstance(value, str | None) else tuple(value)


@pytest.fixture(scope="module")
def catalogue() -> Catalog:
    """The Chinese catalogue as translators write it."""
    with (FOLDER / f"{DOMAIN}.po").open("rb") as file:
        return read_po(file, locale=CHINESE, domain=DOMAIN, abort_invalid=True)


@pytest.fixture(scope="module")
def messages(catalogue: Catalog) -> list[Message]:
    """The messages of the catalogue without its header."""
    return [message for message in catalogue if message.id]


def test_every_sentence_is_a_literal() -> None:
    """A sentence that is put together at run time could never be found in a catalogue."""
    assert [where for where, name, call in calls() if templates(name, call) is None] == []


def test_every_field_of_a_sentence_is_filled() -> None:
    """Each field of a template has a value, and each value has a field."""
    found = []
    for where, name, call in calls():
        texts = templates(name, call)
        given = {keyword.arg for keyword in call.keywords}
        if texts is None or None in given:
            continue
        wanted = set().union(*(fields(text) for text in texts))
        if wanted - {"count"} != given - {"count"} or (name == "say" and wanted != given):
            found.append(f"{where}: {sorted(wanted)} filled by {sorted(map(str, given))}")
    assert found == []


def test_the_catalogue_covers_the_source() -> None:
    """No sentence is missing from the catalogue, and none in it is stale."""
    with (FOLDER / f"{DOMAIN}.po").open("rb") as file:
        known = {key_of(message) for message in read_po(file, locale=CHINESE) if message.id}
    assert {"missing": sentences() - known, "stale": known - sentences()} == {
        "missing": set(),
        "stale": set(),
    }


def test_every_message_is_translated(messages: list[Message]) -> None:
    """No message of the catalogue is empty or marked as uncertain."""
    assert [m.id for m in messages if not all(texts_of(m.string))] == []
    assert [m.id for m in messages if m.fuzzy] == []


def test_translations_fill_the_same_fields(messages: list[Message]) -> None:
    """A translation has the fields of its sentence, no more and no fewer."""
    found = {}
    for message in messages:
        # Chinese has one form for all numbers; it follows the English plural.
        original = texts_of(message.id)[-1]
        for translation in texts_of(message.string):
            if translation and fields(translation) != fields(original):
                found[original] = translation
    assert found == {}


def test_translations_end_as_their_sentences_do(messages: list[Message]) -> None:
    """A sentence with a full stop has one in Chinese too, and a phrase has none."""
    found = {}
    for message in messages:
        original = texts_of(message.id)[-1]
        for translation in texts_of(message.string):
            stopped = original.endswith(".") and not original.endswith("...")
            if translation and stopped != translation.endswith("。"):
                found[original] = translation
    assert found == {}


def test_the_compiled_catalogue_is_fresh(messages: list[Message]) -> None:
    """What the program loads is what the translators wrote."""
    with (FOLDER / f"{DOMAIN}.mo").open("rb") as file:
        compiled = {key_of(m): texts_of(m.string) for m in read_mo(file) if m.id}
    written = {key_of(m): texts_of(m.string) for m in messages if all(texts_of(m.string))}
    assert compiled == written
