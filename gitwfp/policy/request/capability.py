"""Something new: "Add 2FA support" as a task of its own, with its place among the others.

What no task is clearly about and what is asked for as a thing to have becomes a new task. It works
in the module of the task most like it and depends on it; the tasks near it get a note.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.errors import say
from gitwfp.files import todolist
from gitwfp.files.paths import inside_of, is_task_file, stem_of
from gitwfp.model import fields as f
from gitwfp.model.plan import TODO_LIST, Plan
from gitwfp.model.task import Task, TaskId
from gitwfp.model.words import weight_of
from gitwfp.policy.ids import new_ids
from gitwfp.policy.operations import CreateTask, ListEdit, Operation, UpdateTask
from gitwfp.policy.reasons import Because
from gitwfp.policy.request.grammar import Lazy, match_whole, patterns
from gitwfp.policy.request.search import NEAR, TaskIndex
from gitwfp.policy.request.words import as_title, tidy

_MOST_NEAR: Final = 2
_LONGEST_NAME: Final = 60
_HAVE: Final = patterns(
    r"(?P<verb>add|support|introduce|implement|build|create|provide|offer|enable|integrate|"
    r"develop|include|set up) (?:an? |the |some |new )*(?P<what>.+)",
    r"(?:we|i|you|users|customers|people|it) (?:also |now |will |still )*"
    r"(?:needs?|wants?|requires?|should have|must have|would like)(?: to have)? "
    r"(?:an? |the |some |new )*(?P<what>(?!to\b).+)",
    r"(?:我们|用户|客户|系统)?(?:还|也|现在)*(?P<verb>增加|新增|添加|支持|实现|引入|提供|接入|开发|加上|加入)"
    r"(?:一个|一套|一种|对|一下)?(?P<what>.+)",
    r"(?:我们|用户|客户|系统|产品)?(?:还|也|现在)*(?:需要|想要|要有|应有|得有)(?:一个|一套|一种|有)?"
    r"(?P<what>.+)",
)
# A thing to have is named, not told: no finite verb, no condition, no pronoun.
_TOLD: Final = Lazy(
    r"\b(?:must|should|shall|when|if|because|it|them|this|that|these|those|is|are|was|which)\b"
    r"|[。；;]|如果|的时候|必须|应该|它|这个|那个",
    re.IGNORECASE,
)
_VAGUE: Final = Lazy(
    r"(?:more|better|some|other|additional|another)?\s*(?:stuff|things?|tasks?|tests?|features?|"
    r"functionality|improvements?|changes?|something|details?|info(?:rmation)?|code|comments?)"
    r"|.*(?:东西|一些|什么的|之类|等等)|(?:功能|任务|测试|内容|细节|代码|注释)",
    re.IGNORECASE,
)
_QUOTED: Final = Lazy(r"[\"'`“「]([^\"'`“”「」]+)[\"'`”」]")
_HAN: Final = Lazy("[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Capability:
    """Something to have.

    Attributes:
        name: What it is called.
        title: The title of the task that brings it.
        asked: What the task asks for.
    """

    name: str
    title: str
    asked: str


def read_capability(words: str) -> Capability | None:
    """Reads a statement that asks for something to have, or returns None if it is another."""
    text = tidy(words)
    found = match_whole(_HAVE, text)
    if found is None:
        return None
    what = tidy(found["what"])
    if _TOLD.search(what) or _VAGUE.fullmatch(what) or not weight_of(what) >= 1:
        return None
    if len(what) > _LONGEST_NAME:
        return None
    quoted = _QUOTED.fullmatch(what)
    if quoted:
        name = tidy(quoted[1])
        return Capability(name, as_title(name), name)
    return Capability(what, as_title(text) if "verb" in found else as_title(what), text)


def new_task_for(
    plan: Plan,
    index: TaskIndex,
    wanted: Capability,
    words: str,
    taken: Iterable[str],
    modules: tuple[str, ...],
) -> tuple[Operation, ...]:
    """Returns the task that brings something new, and the notes that point to it.

    Args:
        plan: The plan.
        index: Its tasks, ready for search.
        wanted: What is new.
        words: The statement as it was written.
        taken: Ids that are not free though no task has them, those of this request among them.
        modules: The modules that the request is limited to; none for all.
    """
    near = [
        plan.tasks[hit.task]
        for hit in index.near(wanted.name)
        if hit.score >= NEAR and lies_in_modules(plan.tasks[hit.task], modules)
    ][:_MOST_NEAR]
    is_wide = _HAN.search(words) is not None
    new_id = next(new_ids(plan, [*taken, *_ids_in_use(plan)]))
    folders = modules or tuple(dict.fromkeys(filter(None, map(_folder, near))))[:1]
    name = wanted.name[:1].upper() + wanted.name[1:]
    proof = f"{name}：有自动化测试并全部通过" if is_wide else f"{name}: covered by passing tests"
    create = CreateTask(
        title=wanted.title,
        id=new_id,
        requirements=(wanted.asked,),
        acceptance=(proof,),
        focus_paths=folders,
        depends_on=tuple(task.id for task in near[:1]),
        reason=Because(say("no task is about it")),
        words=words,
    )
    notes = (
        UpdateTask(
            task=task.id,
            notes=ListEdit(add=(f"{new_id}: {wanted.name}",)),
            reason=Because(
                say("{task} builds on it", task=new_id)
                if task is near[0]
                else say("{task} is near to it", task=new_id)
            ),
            words=words,
        )
        for task in near
        if task.is_open
    )
    return (create, *notes)


def lies_in_modules(task: Task, modules: tuple[str, ...]) -> bool:
    """Tells whether a task works in one of some modules; without modules every task does."""
    paths = [path.removeprefix("./") for path in task.texts(f.FOCUS_PATHS)]
    return not modules or any(
        path == bare or path.startswith(bare + "/")
        for path in paths
        for bare in (module.removeprefix("./").rstrip("/") for module in modules)
    )


def _folder(task: Task) -> str | None:
    """Returns the folder that most focus paths of a task lie in, with a slash behind."""
    folders = Counter(
        path.rpartition("/")[0] if "." in path.rpartition("/")[2] else path.rstrip("/")
        for path in task.texts(f.FOCUS_PATHS)
    )
    folders.pop("", None)
    return next((f"{folder}/" for folder, _ in folders.most_common(1)), None)


def _ids_in_use(plan: Plan) -> tuple[TaskId | str, ...]:
    """Returns the ids that list lines and file names hold, whether or not a task has them."""
    document = plan.documents.get(TODO_LIST)
    listed = todolist.ids_mentioned(document.lines) if document is not None else ()
    names = (inside_of(plan.ref, path) for path in plan.source.paths)
    return (*listed, *(stem_of(name) for name in names if is_task_file(name)))
