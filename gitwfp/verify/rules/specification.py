"""Dimension F: a task says what to do, where, and when it is done."""

import re
from collections.abc import Iterable, Iterator, Mapping

from gitwfp.errors import say
from gitwfp.model import fields as f
from gitwfp.model.findings import Dimension, Level
from gitwfp.model.task import Status, Task, TaskId
from gitwfp.model.values import strings
from gitwfp.patterns import regex
from gitwfp.verify import texts
from gitwfp.verify.facts import Facts, clean_path
from gitwfp.verify.rule import Hit, Input, rule

_NEW = regex(
    r"\b(?:new|creat\w+|add\w*|generat\w+|scaffold\w*|build)\b|新建|创建|新增|生成", re.IGNORECASE
)
_VAGUE = regex(
    r"(?:it |everything |all |code |the (?:code|feature|task|system) )?(?:should |must )?"
    r"(?:works?|working|is (?:done|good|ok|fine|complete|correct|clean)|done|good|ok|completed?|"
    r"finished|as expected|looks? good|works? (?:well|properly|correctly|as expected|fine)|"
    r"properly|correctly|good quality|high quality|improved|better|tbd|todo|n/?a)[.!]?"
    r"|(?:the )?(?:users?|customers?|clients?|team|stakeholders?|reviewers?) "
    r"(?:is|are|feels?) (?:happy|satisfied|pleased)(?: with .*)?[.!]?"
    r"|(?:the )?(?:performance|quality|speed|usability|ux|design|security|code|results?) "
    r"(?:is|are) (?:acceptable|good|fine|ok|reasonable|sufficient|adequate|clean)[.!]?"
    r"|(?:功能)?(?:正常|完成|良好|可用|没问题|工作正常|运行正常|待定)[。！]?"
    r"|(?:用户|客户|团队)(?:对.{0,8})?满意[。！]?"
    r"|(?:性能|质量|体验|效果|速度)(?:可以)?(?:可?接受|良好|合格|不错|达标)[。！]?",
    re.IGNORECASE,
)
_PARTS = regex(r"[;；,，]\s*")


def _is_vague(text: str) -> bool:
    """Tells whether a criterion is nothing but empty phrases."""
    return all(_VAGUE.fullmatch(part.strip()) for part in _PARTS.split(text) if part.strip())


_NO_WORK = frozenset({Status.CONTAINER, Status.COMPLETED})


def _open(facts: Facts) -> Iterator[Task]:
    return (task for task in facts.work if task.is_open)


@rule(
    "focus-path-missing",
    Dimension.SPECIFICATION,
    Level.MEDIUM,
    finds=say("A focus path that is in no tree, and that no task says it makes."),
    why=say("Whoever carries out the task looks for a file that is not there."),
    example=say("IMPL-2 focuses on src/auht/login.ts; there is src/auth/login.ts."),
    remedy=say("Correct the path, or mark the file as new (action: create)."),
    inputs=(Input.INTENT, Input.TREE),
)
def focus_path_missing(facts: Facts) -> Iterator[Hit]:
    """Finds paths of open tasks that exist neither in the tree nor as something to be made."""
    if not facts.paths:
        return
    made = {path for paths in facts.creates.values() for path in paths}
    folders = {path.rpartition("/")[0] for path in made}
    for task in _open(facts):
        for text in task.texts(f.FOCUS_PATHS):
            path = clean_path(text)
            if path is None or ("/" not in path and "." not in path):
                continue
            if _NEW.search(text) or path in made or path in folders or facts.exists(path):
                continue
            if any(one.startswith(path + "/") for one in made) or _is_new(task, path):
                continue
            folder = path.rpartition("/")[0]
            near = _nearest(facts, path)
            # A file beside others may be one that the task is going to make.
            is_new = near is None and (not folder or facts.exists(folder))
            yield Hit(
                say("{task} focuses on {path}, which does not exist.", task=task.id, path=path),
                path,
                task.id,
                field=f.FOCUS_PATHS,
                level=Level.LOW if is_new else None,
                advice=None if near is None else say("Did you mean {path}?", path=near),
            )


def _nearest(facts: Facts, path: str) -> str | None:
    """Returns the path of the same folder, or of the same name elsewhere, that was meant."""
    from difflib import get_close_matches

    folder, _, name = path.rpartition("/")
    beside = [one for one in facts.paths if one.rpartition("/")[0] == folder]
    close = get_close_matches(path, beside, n=1, cutoff=0.85)
    if close:
        return close[0]
    namesakes = [one for one in facts.paths if one.rpartition("/")[2] == name]
    return namesakes[0] if len(namesakes) == 1 and "." in name else None


def _is_new(task: Task, path: str) -> bool:
    """Tells whether a task says, where it speaks of a file, that the file is new."""
    name = path.rpartition("/")[2]
    said = (task.title, *task.texts(f.REQUIREMENTS), *task.texts(f.ACCEPTANCE))
    return any(name in sentence and _NEW.search(sentence) for sentence in said)


@rule(
    "no-acceptance",
    Dimension.SPECIFICATION,
    Level.MEDIUM,
    finds=say("An open task without any acceptance criterion."),
    why=say("Nobody can tell when it is done."),
    example=say("IMPL-2.json has an empty list of criteria."),
    remedy=say("Add at least one that can be checked."),
)
def no_acceptance(facts: Facts) -> Iterator[Hit]:
    """Finds open tasks that accept nothing."""
    for task in facts.work:
        said = [text for text in task.texts(f.ACCEPTANCE) if text.strip()]
        checks = strings(task.fields.get("/convergence/verification"))
        if not said and not any(text.strip() for text in checks):
            yield Hit(
                say("{task} has no acceptance criterion.", task=task.id),
                "none",
                task.id,
                field=f.ACCEPTANCE,
            )


@rule(
    "vague-acceptance",
    Dimension.SPECIFICATION,
    Level.MEDIUM,
    finds=say("A task none of whose acceptance criteria can be checked."),
    why=say('"Works well" is true for one and false for the other.'),
    example=say('IMPL-2 accepts "works as expected" and nothing else.'),
    remedy=say("Name a number, a file, a command or a behaviour."),
)
def vague_acceptance(facts: Facts) -> Iterator[Hit]:
    """Finds tasks all of whose criteria are empty phrases."""
    for task in facts.work:
        said = [text.strip() for text in task.texts(f.ACCEPTANCE) if text.strip()]
        if said and all(map(_is_vague, said)):
            yield Hit(
                say(
                    "{task} accepts nothing that can be checked: {text}",
                    task=task.id,
                    text=texts.short(said[0]),
                ),
                "vague",
                task.id,
                field=f.ACCEPTANCE,
            )
        elif said and (phrase := next(filter(_is_vague, said), None)) is not None:
            yield Hit(
                say(
                    "A criterion of {task} cannot be checked: {text}",
                    task=task.id,
                    text=texts.short(phrase),
                ),
                phrase,
                task.id,
                field=f.ACCEPTANCE,
                level=Level.LOW,
            )


@rule(
    "no-title",
    Dimension.SPECIFICATION,
    Level.MEDIUM,
    finds=say("A task without a title."),
    why=say("Nobody can tell from a list what it is."),
    example=say("The title of IMPL-2 is empty."),
    remedy=say("Give it one: git wfp replan IMPL-N."),
)
def no_title(facts: Facts) -> Iterator[Hit]:
    """Finds tasks whose title is empty or is not there."""
    for task in facts.live:
        if not task.title.strip() or task.title == task.id:
            yield Hit(say("{task} has no title.", task=task.id), "title", task.id, field=f.TITLE)


@rule(
    "nothing-to-do",
    Dimension.SPECIFICATION,
    Level.MEDIUM,
    finds=say("An open task that says neither what is wanted nor how to do it."),
    why=say("Whoever carries it out has to guess."),
    example=say("IMPL-2 has a title and nothing else."),
    remedy=say("Add requirements, or the steps of its implementation."),
    inputs=(Input.INTENT, Input.PROGRESS),
)
def nothing_to_do(facts: Facts) -> Iterator[Hit]:
    """Finds open tasks without requirements and without steps."""
    for task in _open(facts):
        if not task.texts(f.REQUIREMENTS) and not task.fields.get(f.IMPLEMENTATION):
            yield Hit(
                say("{task} says neither what is wanted nor how.", task=task.id), "empty", task.id
            )


@rule(
    "no-steps",
    Dimension.SPECIFICATION,
    Level.LOW,
    finds=say("A task without implementation steps, in a plan whose other tasks have them."),
    why=say("The plan was thought through for the others."),
    example=say("flow_control.implementation_approach of IMPL-2 is an empty list."),
    remedy=say("Add the steps."),
    inputs=(Input.INTENT, Input.PROGRESS),
)
def no_steps(facts: Facts) -> Iterator[Hit]:
    """Finds tasks with an empty flow where most others have one."""
    if len(facts.work) < 2:
        return
    having = [task for task in facts.work if task.fields.get(f.IMPLEMENTATION)]
    if len(having) * 2 < len(facts.work):
        return
    for task in facts.work:
        if not task.fields.get(f.IMPLEMENTATION):
            yield Hit(
                say("{task} has no implementation steps; the others have.", task=task.id),
                "steps",
                task.id,
                field=f.IMPLEMENTATION,
                level=Level.MEDIUM if task.is_open else None,
            )


@rule(
    "no-focus-path",
    Dimension.SPECIFICATION,
    Level.LOW,
    finds=say("A task that names neither files nor folders, in a plan whose other tasks do."),
    why=say("It cannot be told what it touches, nor what runs into it."),
    example=say("IMPL-2 has an empty list of focus paths."),
    remedy=say("Name the folders or files that it is about."),
)
def no_focus_path(facts: Facts) -> Iterator[Hit]:
    """Finds tasks without any path where most others have some."""
    having = [task for task in facts.work if task.texts(f.FOCUS_PATHS) or facts.writes[task.id]]
    if len(having) * 2 <= len(facts.work):
        return
    for task in facts.work:
        if not task.texts(f.FOCUS_PATHS) and not facts.writes[task.id]:
            yield Hit(
                say("{task} names neither files nor folders.", task=task.id),
                "paths",
                task.id,
                field=f.FOCUS_PATHS,
            )


@rule(
    "missing-artifact",
    Dimension.SPECIFICATION,
    Level.MEDIUM,
    finds=say("A reference to an artifact that is not there."),
    why=say("The agent that carries out the task is told to read it first."),
    example=say("IMPL-2 refers to .brainstorming/ux/analysis.md; there is none."),
    remedy=say("Correct the path, or remove the reference."),
    inputs=(Input.INTENT, Input.TREE),
)
def missing_artifact(facts: Facts) -> Iterator[Hit]:
    """Finds artifacts of open tasks whose file exists nowhere, each once."""
    if facts.tree is None:
        return
    naming: dict[str, list[TaskId]] = {}
    for task in _open(facts):
        for path in _artifacts(task):
            clean = clean_path(path.replace("//", "/"))
            if clean is not None and not _is_there(facts, clean):
                naming.setdefault(clean, []).append(task.id)
    for path, tasks in naming.items():
        told = dict.fromkeys(tasks)
        yield Hit(
            say("{tasks} refer to {path}, which does not exist.", tasks=_few(told), path=path)
            if len(told) > 1
            else say("{task} refers to {path}, which does not exist.", task=tasks[0], path=path),
            path,
            tasks[0],
        )


def _few(tasks: Iterable[TaskId]) -> str:
    names = list(tasks)
    return ", ".join(names[:3]) + (f" (+{len(names) - 3})" if len(names) > 3 else "")


def _artifacts(task: Task) -> Iterator[str]:
    package = task.fields.get("/context_package_path")
    if isinstance(package, str):
        yield package
    for name in ("/artifacts", "/context/artifacts"):
        value = task.fields.get(name)
        for item in value if isinstance(value, tuple) else ():
            path = item.get("path") if isinstance(item, Mapping) else item
            if isinstance(path, str):
                yield path


def _is_there(facts: Facts, path: str) -> bool:
    workspace, folder = facts.plan.ref.workspace, facts.plan.ref.folder
    inside = path.partition(".workflow/")[2]
    tail = path.rpartition(facts.plan.ref.id + "/")[2]
    return any(
        facts.exists(one)
        for one in (path, f"{folder}/{path}", f"{workspace}/{inside or path}", f"{folder}/{tail}")
    )
