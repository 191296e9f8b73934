"""Dimension C: the files of a plan say the same."""

from collections import defaultdict
from collections.abc import Iterator

from gitwfp.errors import say
from gitwfp.files import todolist
from gitwfp.model import fields as f
from gitwfp.model.findings import Dimension, Level
from gitwfp.model.plan import IMPL_PLAN, PLAN_JSON, SESSION_JSON, TODO_LIST
from gitwfp.model.task import IdIndex, Status, TaskId, find_id, is_task_id, read_status
from gitwfp.model.values import strings
from gitwfp.patterns import regex
from gitwfp.verify import texts
from gitwfp.verify.facts import Facts
from gitwfp.verify.rule import Hit, Input, rule
from gitwfp.verify.sections import Titled, titles

_TERM = regex(r"(?<![\w-])[A-Za-z]{3,}(?:[- ][A-Za-z]{3,})(?![\w-])")


@rule(
    "task-count-drift",
    Dimension.CONSISTENCY,
    Level.MEDIUM,
    finds=say("A count of tasks that differs from the number there are."),
    why=say("Somebody has added or lost a task without the plan knowing it."),
    example=say("IMPL_PLAN.md says 8 tasks; .task holds 7."),
    remedy=say("Correct the count, or find the task that is missing."),
    inputs=(Input.INTENT, Input.PROGRESS),
)
def task_count_drift(facts: Facts) -> Iterator[Hit]:
    """Finds counts and lists of tasks that are not those of the tasks."""
    plan = facts.plan
    here = len(plan.tasks)
    numbers = {here, len(facts.live), len(facts.work)}
    if not here:
        return
    overview = plan.documents.get(PLAN_JSON)
    if overview is not None:
        yield from _overview_drift(facts, numbers)
    for name in (IMPL_PLAN, TODO_LIST):
        document = plan.documents.get(name)
        stated = _stated_count(document.lines) if document is not None else None
        if stated is not None and stated[1] not in numbers:
            at, number = stated
            yield Hit(
                say(
                    "{document} says {stated} tasks; there are {number}.",
                    document=name,
                    stated=number,
                    number=here,
                ),
                name,
                path=facts.path(name),
                line=at + 1,
            )
    yield from _session_drift(facts, numbers)
    current = strings(plan.session.get(f.CURRENT_TASKS))
    ids = IdIndex(plan.tasks)
    strange = [name for name in current if ids.find(name) is None]
    if strange:
        yield Hit(
            say(
                "The session's current tasks name {tasks}, which do not exist.",
                tasks=", ".join(strange[:5]),
            ),
            SESSION_JSON,
            path=facts.path(SESSION_JSON),
        )


def _session_drift(facts: Facts, numbers: set[int]) -> Iterator[Hit]:
    """Finds counts and lists of tasks in the session's file, wherever tools write them."""
    plan, path = facts.plan, facts.path(SESSION_JSON)
    for name in ("/task_count", "/total_tasks", "/progress/total_tasks", "/progress/total"):
        stated = plan.session.get(name)
        if type(stated) is int and stated not in numbers:
            yield Hit(
                say(
                    "{document} says {stated} tasks; there are {number}.",
                    document=SESSION_JSON,
                    stated=stated,
                    number=len(plan.tasks),
                ),
                f"{SESSION_JSON} {name}",
                path=path,
            )
    ids = IdIndex(plan.tasks)
    listed = plan.session.get("/tasks")
    names = strings(listed) if isinstance(listed, tuple) else tuple(_keys_below(facts, "/tasks/"))
    if not any(ids.find(name) is not None for name in names):
        return
    strange = [name for name in names if ids.find(name) is None and is_task_id(name)]
    if strange:
        yield Hit(
            say(
                "The session's tasks name {tasks}, which do not exist.",
                tasks=", ".join(strange[:5]),
            ),
            f"{SESSION_JSON} tasks",
            path=path,
        )


def _keys_below(facts: Facts, start: str) -> Iterator[str]:
    for name in facts.plan.session:
        if name.startswith(start):
            yield name[len(start) :].partition("/")[0]


def _overview_drift(facts: Facts, numbers: set[int]) -> Iterator[Hit]:
    plan = facts.plan
    parts = plan.documents[PLAN_JSON].parts
    listed, count = strings(parts.get(f.TASK_IDS)), parts.get(f.TASK_COUNT)
    path = facts.path(PLAN_JSON)
    ids = IdIndex(plan.tasks)
    strange = [name for name in listed if ids.find(name) is None]
    missing = [task.id for task in facts.live if find_id(task.id, map(TaskId, listed)) is None]
    if strange:
        yield Hit(
            say("plan.json lists {tasks}, which do not exist.", tasks=", ".join(strange[:5])),
            "strange",
            path=path,
            level=Level.HIGH,
        )
    if listed and missing:
        yield Hit(
            say("plan.json does not list {tasks}.", tasks=", ".join(missing[:5])),
            "missing",
            path=path,
        )
    if isinstance(count, int) and count not in numbers:
        yield Hit(
            say(
                "plan.json counts {stated} tasks; there are {number}.",
                stated=count,
                number=len(plan.tasks),
            ),
            "count",
            path=path,
        )


def _stated_count(lines: tuple[str, ...]) -> tuple[int, int] | None:
    """Returns the line and the number of tasks that a document states, None if it states none."""
    from gitwfp.files.bookkeeping import stated_counts

    found = stated_counts(lines)
    return found[0] if found else None


@rule(
    "title-drift",
    Dimension.CONSISTENCY,
    Level.MEDIUM,
    finds=say("A task that TODO_LIST.md or IMPL_PLAN.md calls by another title."),
    why=say("Two people who speak of the same task mean different work."),
    example=say('IMPL-2.json: "Add login form". TODO_LIST.md: "IMPL-2: Write docs".'),
    remedy=say("Use one title in all places: git wfp replan IMPL-N sets it everywhere."),
)
def title_drift(facts: Facts) -> Iterator[Hit]:
    """Finds titles that have nothing to do with the task's, and titles of two tasks swapped."""
    plan = facts.plan
    for name in (TODO_LIST, IMPL_PLAN):
        document = plan.documents.get(name)
        if document is None:
            continue
        if name == TODO_LIST:
            listed = todolist.todo_items(document.lines, tuple(plan.tasks))
            given = {
                item.id: Titled(item.line, item.title, is_sure=True)
                for item in reversed(listed)
                if item.id is not None and not item.obsolete
            } or dict(titles(plan, document.lines))
        else:
            given = dict(titles(plan, document.lines))
        for task in plan.tasks.values():
            if task.id not in given or f.TITLE not in task.fields:
                continue
            yield from _title_hit(facts, name, task.id, given[task.id])


def _title_hit(facts: Facts, name: str, task: TaskId, given: Titled) -> Iterator[Hit]:
    at, title = given.line, given.title
    own = facts.plan.tasks[task].title
    if same_title(own, title):
        return
    # An item of a list may be a sentence about the task: there only the very title counts.
    least = 0.9 if given.is_sure else 1.0
    twin = next(
        (
            other.id
            for other in facts.plan.tasks.values()
            if other.id != task and other.title != own and _is_title_of(other.title, title, least)
        ),
        None,
    )
    if twin is not None:
        yield Hit(
            say(
                "{document} gives {task} the title of {other}: {title}",
                document=name,
                task=task,
                other=twin,
                title=texts.short(title),
            ),
            name,
            task,
            facts.path(name),
            at + 1,
            f.TITLE,
            level=Level.HIGH,
        )
        return
    if not given.is_sure:
        return
    yield Hit(
        say(
            "{document} calls {task} something else: {title}",
            document=name,
            task=task,
            title=texts.short(title),
        ),
        name,
        task,
        facts.path(name),
        at + 1,
        f.TITLE,
    )


def _has_wide(text: str) -> bool:
    """Tells whether a text has Chinese characters in it."""
    return any(char >= "\u2e80" for char in text)


def _is_title_of(own: str, title: str, least: float) -> bool:
    if least >= 1.0:
        return own.casefold().strip() == title.casefold().strip()
    return same_title(own, title, least)


def same_title(one: str, other: str, least: float = 0.45) -> bool:
    """Tells whether two titles can be of one task: one may be a shorter form of the other."""
    from rapidfuzz import fuzz

    plain = one.casefold().strip(), other.casefold().strip()
    if plain[0] == plain[1]:
        return True
    here, there = texts.terms(one), texts.terms(other)
    if _has_wide(one) != _has_wide(other):
        return True  # One of them may be a translation.
    if least < 0.9 and (texts.share(here, there) >= 0.75 or texts.share(there, here) >= 0.75):
        return True
    return fuzz.token_sort_ratio(*plain) >= 100 * least or texts.likeness(here, there) >= least


@rule(
    "status-drift",
    Dimension.CONSISTENCY,
    Level.LOW,
    finds=say("A task whose box in TODO_LIST.md says another state than its file."),
    why=say("Work is done twice, or not at all."),
    example=say("IMPL-1 is completed in its file and open in the list."),
    remedy=say("Tick the box, or correct the status; the file counts."),
    inputs=(Input.INTENT, Input.PROGRESS),
)
def status_drift(facts: Facts) -> Iterator[Hit]:
    """Finds check marks and statuses that differ about whether a task is done."""
    document = facts.plan.documents.get(TODO_LIST)
    if document is None:
        return
    ids = IdIndex(facts.plan.tasks)
    if read_status(facts.plan.session.get(f.STATUS)) is Status.COMPLETED:
        left = [task.id for task in facts.work if task.is_open]
        if left:
            yield Hit(
                say("The session is completed, and {tasks} are not.", tasks=", ".join(left[:5])),
                "session",
                path=facts.path(SESSION_JSON),
                level=Level.MEDIUM,
            )
    for item in todolist.todo_items(document.lines, tuple(facts.plan.tasks)):
        found = ids.find(item.id) if item.id is not None else None
        if found is None or item.obsolete or item.is_container:
            continue
        task = facts.plan.tasks[found]
        done = task.status is Status.COMPLETED
        if done != (item.mark == "done"):
            yield Hit(
                say("{task} is {status}; the list says otherwise.", task=found, status=task.status),
                "mark",
                found,
                facts.path(TODO_LIST),
                item.line + 1,
                f.STATUS,
            )


@rule(
    "requirement-of-two-texts",
    Dimension.CONSISTENCY,
    Level.HIGH,
    finds=say("A requirement that two places state with different meanings."),
    why=say("Whoever reads one of them builds the wrong thing."),
    example=say('planning-notes.md: "FR-1: export as PDF". IMPL_PLAN.md: "FR-1: import CSV".'),
    remedy=say("State it the same in both places, or give one of them another id."),
)
def requirement_of_two_texts(facts: Facts) -> Iterator[Hit]:
    """Finds requirement ids whose statements contradict or have nothing in common."""
    for one in facts.requirements:
        first = one.notes[0]
        for other in one.notes[1:]:
            here, there = texts.terms(first.text), texts.terms(other.text)
            if min(len(here), len(there)) < 2 or texts.is_wide(here) != texts.is_wide(there):
                continue
            opposed = texts.contradiction(first.text, (other.text,), least=0.6) is not None
            if not opposed and (here & there) and not texts.values_differ(first.text, other.text):
                continue
            yield Hit(
                say(
                    "{id} is stated in two ways: {one} / {other}",
                    id=one.id,
                    one=texts.short(first.text, 60),
                    other=texts.short(other.text, 60),
                ),
                one.id,
                path=other.path,
                line=other.line,
                level=Level.CRITICAL if opposed else None,
            )
            break


@rule(
    "term-spelt-several-ways",
    Dimension.CONSISTENCY,
    Level.LOW,
    finds=say("A term that the titles of tasks spell in several ways."),
    why=say("Who searches for one spelling does not find the other."),
    example=say('IMPL-1 says "front-end", IMPL-2 "frontend".'),
    remedy=say("Use one spelling."),
)
def term_spelt_several_ways(facts: Facts) -> Iterator[Hit]:
    """Finds words that stand joined, hyphenated and apart in the titles and requirements."""
    joined: dict[str, set[str]] = defaultdict(set)
    for task in facts.live:
        said = " ".join((task.title, *task.texts(f.REQUIREMENTS)))
        words = regex(r"(?<![\w/.-])[a-z]{4,}(?![\w/.-])").findall(said)
        for word in words:
            joined[word].add(word)
        for pair in _TERM.findall(said):
            if "-" in pair and pair.islower():
                joined[pair.replace("-", "")].add(pair)
    for bare, ways in sorted(joined.items()):
        if len(ways) > 1:
            yield Hit(say("One term is spelt {ways}.", ways=", ".join(sorted(ways))), bare)
