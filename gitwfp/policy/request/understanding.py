"""From the text of a request to operations, without a model: what the rules planner understands.

What is said of one task becomes one `UpdateTask`; structural forms become operations of their
own. Precision comes before recall: what is not understood is handed back among the leftovers with
a reason and changes nothing; a removal or replacement that fits no entry clearly is refused.

    >>> understood = understand("acceptance: 429 after five failures", plan, task=TaskId("IMPL-3"),
    ...                         tools=(), known_paths=tree.has)
    >>> understood.operations[0].acceptance.add
    ('429 after five failures',)
"""

import re
from collections.abc import Iterable
from typing import Final, Literal

from gitwfp.classes import dataclass
from gitwfp.errors import Text, say
from gitwfp.model.plan import Plan
from gitwfp.model.task import TaskId
from gitwfp.policy.operations import Operation
from gitwfp.policy.request.capability import read_capability
from gitwfp.policy.request.forms import opens_task
from gitwfp.policy.request.grammar import Lazy
from gitwfp.policy.request.mentions import Masked, mask
from gitwfp.policy.request.order import derived_from
from gitwfp.policy.request.outline import remarks_of
from gitwfp.policy.request.pathwords import KnownPaths
from gitwfp.policy.request.placing import Permissions
from gitwfp.policy.request.reader import Leftover, Reader
from gitwfp.policy.request.statements import without_courtesy
from gitwfp.policy.tasks import required_task

Mode = Literal["task", "session"]

_TYPE: Final = Lazy(
    r"(?:\A|(?<=[\n.;。；!！]))[ \t]*(?P<said>(?:[-*] )?(?:update[ _-]?type|更新类型) ?"
    r"(?:[:：=]|is|为|是) ?[`'\"“]?(?P<type>implementation|all|实现|全部)[`'\"”]?[ \t]*"
    r"(?:[.;,。；，]|(?=\n)|\Z))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Understood:
    """What a request was understood to ask for.

    Attributes:
        operations: What is wanted, in the order of first mention; one update for each task.
        leftovers: What was left out.
        mode: Whether the request is about one task or about the session.
        derived: What was concluded rather than said: the mode, the scope, new paths.
    """

    operations: tuple[Operation, ...]
    leftovers: tuple[Leftover, ...]
    mode: Mode
    derived: tuple[Text, ...]


def mode_of(text: str, plan: Plan) -> tuple[Mode, tuple[TaskId, ...]]:
    """Tells what a request is about when no task was named beside it.

    Args:
        text: The request.
        plan: The plan it is about.

    Returns:
        Task mode and that task when the text names exactly one task of the plan, and not only as
        the neighbour of something new; else session mode and the tasks that it names, in the
        order of first mention. Ids are tolerant of case and zero padding; inside words, file
        names, code and longer quotations they do not count.
    """
    masked = mask(_unwrapped(text), plan)
    tasks = masked.known_in(masked.text)
    is_about = len(tasks) == 1 and not _starts_something(masked)
    return ("task" if is_about else "session"), tasks


def understand(
    text: str,
    plan: Plan,
    *,
    task: TaskId | None,
    tools: tuple[str, ...],
    known_paths: KnownPaths,
    update_type: str | None = None,
    may_add: bool = False,
    modules: tuple[str, ...] = (),
    taken_ids: Iterable[str] = (),
) -> Understood:
    """Turns the text of a request into operations.

    Args:
        text: The request, English or Chinese.
        plan: The plan that it is about.
        task: The task named beside the text, if any; else the text decides the mode.
        tools: The tools that may execute tasks; the agent always may.
        known_paths: Tells whether the tree has a file or folder.
        update_type: With `implementation` plain statements become implementation steps; with
            `all` those that are labelled as steps; else no step changes.
        may_add: Whether something new that no task is about becomes a task.
        modules: The modules that the request is limited to, as paths; none for all.
        taken_ids: Ids that were in use once, so that a note can name the new task it points to.

    Returns:
        The operations, what was left out, and what was concluded.

    Raises:
        Refusal: A task is not there (not found), a tool is not enabled or the request contradicts
            itself (usage), or a removal or replacement fits no entry clearly (plan refused).
    """
    text, said_type = without_type(_unwrapped(text))
    masked = mask(text, plan)
    named = masked.known_in(masked.text)
    derived: list[Text] = []
    if said_type is not None and update_type is None:
        update_type = said_type
        derived.append(say("The update type is {type}: the request says so.", type=said_type))
    subject = None
    if task is not None:
        subject = required_task(plan, task).id
    elif len(named) == 1 and not _starts_something(masked):
        subject = named[0]
        derived.append(say("It is about {task}, the only task that it names.", task=subject))
    permissions = Permissions(may_add, modules, taken_ids)
    reader = Reader(masked, plan, subject, tools, known_paths, update_type, permissions)
    for remark in remarks_of(masked, known_paths, tools):
        reader.read(remark)
    operations = reader.operations()
    derived.extend(reader.derived)
    derived.extend(derived_from(operations))
    derived.extend(reader.new_paths())
    mode: Mode = "session" if subject is None else "task"
    return Understood(operations, tuple(reader.leftovers), mode, tuple(derived))


def without_type(text: str) -> tuple[str, str | None]:
    """Takes "Update type: implementation" off a request.

    Returns:
        The rest of the request, and the update type if it says one that lets steps change.
    """
    found = _TYPE.search(text)
    if found is None:
        return text, None
    rest = text[: found.start("said")] + text[found.end() :]
    is_all = found["type"].lower() in ("all", "全部")
    return rest, "all" if is_all else "implementation"


def _starts_something(masked: Masked) -> bool:
    """Tells whether a request asks for something to have and names a task only beside it."""
    if not masked.is_only_beside(masked.text):
        return False
    heads = re.split(r"[,，;；。\n]|\.(?= |\Z)", masked.without_neighbours(masked.text))
    asked = (without_courtesy(head.strip())[0].removesuffix(" that").strip() for head in heads)
    head = next(filter(None, asked), "")
    return opens_task(head) or read_capability(head) is not None


def _unwrapped(text: str) -> str:
    """Takes quotes off that hold the whole request."""
    bare = text.strip()
    for opener, closer in ('""', "''", "“”", "「」"):
        inner = bare[1:-1]
        wraps = len(bare) > 2 and bare[0] == opener and bare[-1] == closer
        if wraps and opener not in inner and closer not in inner:
            return inner
    return text
