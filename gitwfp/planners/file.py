"""The planner whose answer was made elsewhere: operations as JSON, checked by the schema.

pydantic guards this border. It reads into the same dataclasses that the rest of the program
works on, and the published schema is made from them, so the three cannot disagree.
"""

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Annotated, ClassVar, Final

from pydantic import Field, TypeAdapter, ValidationError

from gitwfp.classes import dataclass
from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, Text, say
from gitwfp.files.jsontext import BadJson, Json, parse
from gitwfp.model.fields import pointer
from gitwfp.model.plan import Plan
from gitwfp.policy.clarify import Answers, Mode
from gitwfp.policy.operations import STRICT, Operation
from gitwfp.policy.planning import Planned

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_TAG_PLACE = 2

_WORDS: Final = {
    "tuple_type": say("This must be a list."),
    "dict_type": say("This must be an object."),
    "mapping_type": say("This must be an object."),
    "dataclass_type": say("This must be an object."),
    "string_type": say("This must be a text."),
    "missing": say("This is missing."),
    "missing_argument": say("This is missing."),
    "missing_keyword_only_argument": say("This is missing."),
    "unexpected_keyword_argument": say("There is no such key."),
    "union_tag_not_found": say("An operation must say its type."),
    "union_tag_invalid": say(
        "The types of operations are create, update, delete, merge, split, reorder and session."
    ),
}

Tagged = Annotated[Operation, Field(discriminator="type")]


@dataclass(frozen=True, slots=True)
class Answer:
    """The document that `--from` reads.

    Attributes:
        operations: What is to be done, in order.
        reason: Why; the words of the request.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = STRICT

    operations: tuple[Tagged, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FilePlanner:
    """Hands in operations that were made elsewhere.

    Attributes:
        data: The JSON document: `{"operations": [...], "reason": "..."}` or the bare list.
        reason: The reason given on the command line; it wins over the document's.
    """

    data: bytes
    reason: str = ""
    name: str = "file"

    def mode(self, plan: Plan) -> None:
        """Returns None: operations made elsewhere leave nothing to ask."""
        del plan

    def plan(self, plan: Plan, answers: Answers, taken_ids: Iterable[str]) -> Planned:
        """Returns the operations of the document.

        Raises:
            Refusal: It is not JSON, or not what the schema allows; says where (plan refused).
        """
        del plan, answers, taken_ids
        answer = read_answer(self.data)
        tasks = {getattr(operation, "task", None) for operation in answer.operations}
        mode: Mode = "task" if len(tasks) == 1 and None not in tasks else "session"
        words = next((o.words for o in answer.operations if o.words), "")
        reasons = "; ".join(dict.fromkeys(o.reason for o in answer.operations if o.reason))
        reason = self.reason or answer.reason or words or reasons or "operations from a file"
        return Planned(answer.operations, mode, reason)


def read_answer(data: bytes) -> Answer:
    """Reads and checks operations.

    Raises:
        Refusal: See `FilePlanner.plan`.
    """
    try:
        value = parse(data)
    except BadJson as bad:
        raise Refusal(
            "bad-operations",
            bad.reason,
            ExitCode.REFUSED,
            hint=say("The schema is shown by git wfp schema in/operations."),
            location=Location(line=bad.line, column=bad.column),
        ) from bad
    document: Json = {"operations": value} if isinstance(value, list) else value
    try:
        return answer_type().validate_python(document)
    except ValidationError as error:
        raise _not_allowed(error) from error


@cache
def answer_type() -> TypeAdapter[Answer]:
    """Returns the reader of answers, which also knows their JSON Schema."""
    return TypeAdapter(Answer)


def _not_allowed(error: ValidationError) -> Refusal:
    details = []
    for item in error.errors(include_url=False, include_input=False):
        where = pointer(_without_tag(item["loc"]))
        details.append(
            Diagnostic(
                "bad-operation",
                say("{pointer}: {message}", pointer=where or "/", message=_in_words(item)),
                Severity.ERROR,
                Location(field=where or "/"),
            )
        )
    return Refusal(
        "bad-operations",
        say("The operations are not what the schema allows."),
        ExitCode.REFUSED,
        hint=say("The schema is shown by git wfp schema in/operations."),
        location=details[0].location if details else None,
        details=tuple(details),
    )


def _in_words(item: "ErrorDetails") -> Text:
    """Returns what pydantic found wrong, in words about JSON."""
    known = _WORDS.get(item["type"])
    return known if known is not None else say("{message}.", message=item["msg"])


def _without_tag(path: tuple[int | str, ...]) -> tuple[str, ...]:
    """Returns where an error lies; pydantic puts the kind of operation behind its index."""
    return tuple(str(part) for position, part in enumerate(path) if position != _TAG_PLACE)
