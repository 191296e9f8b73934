"""The facts of a plan that rules look at, each worked out when the first rule asks for it."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final

from gitwfp.files.markdown import Lines
from gitwfp.files.tree import EntryKind, FileTree, MissingFile
from gitwfp.model import fields as f
from gitwfp.model.graph import Edges, edges_of
from gitwfp.model.plan import IMPL_PLAN, PLAN_JSON, PLANNING_NOTES, TODO_LIST, Plan
from gitwfp.model.task import IdIndex, Task, TaskId
from gitwfp.model.values import Value, strings
from gitwfp.patterns import regex
from gitwfp.verify import texts
from gitwfp.verify.notes import Note, Notes, read_notes
from gitwfp.verify.requirements import Requirement, mentions, requirements

_LINE_PART: Final = regex(r"(?<=[\w)\]])(?::[\w<>, -]*)+\Z|\s+\(.*\)\Z|#L?\d.*\Z")
_WILD: Final = regex(r"[*?\[{<]|\.\.\.|…")
_BRAINSTORMING: Final = ".brainstorming"
_ANALYSIS: Final = regex(
    r"[^/]+/(?:analysis[^/]*|synthesis[^/]*)\.md|guidance-specification\.md"
    r"|synthesis-specification\.md|feature-specs/[^/]+\.md"
)
_MOST_TEXT: Final = 400
_COVERS: Final = 0.6
# Where some writers put what is wanted, beside the fields of the format.
_MORE_TEXTS: Final = (
    "/description", "/what", "/why", "/context/objective", "/context/background",
    "/context/deliverables", "/implementation_steps", "/objective", "/details",
)  # fmt: skip


class Facts:
    """What rules are given.

    Args:
        plan: The plan.
        tree: The files that the plan speaks of, None where there are none to look at.
        max_tasks: How many open tasks a session may have.
        others: Other active plans of the workspace.
    """

    def __init__(
        self,
        plan: Plan,
        tree: FileTree | None = None,
        *,
        max_tasks: int = 10,
        others: tuple[Plan, ...] = (),
    ) -> None:
        self.plan = plan
        self.tree = tree
        self.max_tasks = max_tasks
        self.others = others

    # ---------------------------------------------------------------------------- tasks

    @cached_property
    def live(self) -> tuple[Task, ...]:
        """The tasks that are to be or have been done: none discarded, skipped or cancelled."""
        from gitwfp.model.task import Status

        gone = {Status.DISCARDED, Status.CANCELLED, Status.SKIPPED}
        return tuple(task for task in self.plan.tasks.values() if task.status not in gone)

    @cached_property
    def work(self) -> tuple[Task, ...]:
        """The live tasks that are no containers of others."""
        from gitwfp.model.task import Status

        return tuple(task for task in self.live if task.status is not Status.CONTAINER)

    @cached_property
    def edges(self) -> Edges:
        """The dependencies that lead to a task."""
        return edges_of(self.plan)

    @cached_property
    def reach(self) -> Mapping[TaskId, frozenset[TaskId]]:
        """For each task all that it depends on, directly or not."""
        found: dict[TaskId, frozenset[TaskId]] = {}
        for start in self.edges:
            seen: set[TaskId] = set()
            queue = list(self.edges[start])
            while queue:
                at = queue.pop()
                if at in found:
                    seen |= {at, *found[at]}
                elif at not in seen:
                    seen.add(at)
                    queue.extend(self.edges.get(at, ()))
            found[start] = frozenset(seen)
        return found

    def are_ordered(self, one: TaskId, other: TaskId) -> bool:
        """Tells whether one of two tasks waits for the other."""
        return one in self.reach.get(other, ()) or other in self.reach.get(one, ())

    @cached_property
    def sentences(self) -> Mapping[TaskId, tuple[str, ...]]:
        """What each task says, sentence by sentence."""
        return {task.id: tuple(_sentences(task)) for task in self.plan.tasks.values()}

    @cached_property
    def terms(self) -> Mapping[TaskId, frozenset[str]]:
        """What each task is about."""
        return {
            task_id: frozenset[str]().union(*map(texts.terms, said[:_MOST_TEXT]))
            for task_id, said in self.sentences.items()
        }

    @cached_property
    def named(self) -> Mapping[TaskId, frozenset[str]]:
        """The requirements that each task names, in any of its fields."""
        return {
            task.id: mentions("\n".join(_strings(dict(task.fields))))
            for task in self.plan.tasks.values()
        }

    @cached_property
    def writes(self) -> Mapping[TaskId, tuple[str, ...]]:
        """The files that each task says it changes, as paths from the repository root."""
        return {task.id: written_paths(task) for task in self.plan.tasks.values()}

    @cached_property
    def creates(self) -> Mapping[TaskId, tuple[str, ...]]:
        """The files that each task says it makes."""
        return {
            task.id: tuple(
                path
                for item in _objects(task.fields.get(f.TARGET_FILES))
                if str(item.get("action", "")).lower() in ("create", "add", "new")
                and (path := clean_path(_path_of(item)))
            )
            for task in self.plan.tasks.values()
        }

    # ------------------------------------------------------------------------ documents

    @cached_property
    def impl_plan(self) -> Lines | None:
        """The lines of IMPL_PLAN.md, None if there is none."""
        document = self.plan.documents.get(IMPL_PLAN)
        return document.lines if document is not None else None

    @cached_property
    def notes(self) -> Notes:
        """What planning-notes.md says."""
        document = self.plan.documents.get(PLANNING_NOTES)
        if document is None:
            return Notes()
        return read_notes(self.path(PLANNING_NOTES), document.lines)

    @cached_property
    def plan_notes(self) -> Notes:
        """What IMPL_PLAN.md says that is of the kinds of planning notes."""
        return read_notes(self.path(IMPL_PLAN), self.impl_plan) if self.impl_plan else Notes()

    @cached_property
    def excluded(self) -> tuple[Note, ...]:
        """What is said to be out of scope."""
        session = [
            Note(text, self.path("workflow-session.json"), 1)
            for text in strings(self.plan.session.get("/non_goals"))
        ]
        return (*self.notes.excluded, *self.plan_notes.excluded, *session)

    @cached_property
    def analyses(self) -> tuple[tuple[str, Lines], ...]:
        """The role analyses and specifications of the brainstorming, by path."""
        folder = f"{self.plan.ref.folder}/{_BRAINSTORMING}"
        if self.tree is None:
            return ()
        found = []
        for entry in self.tree.entries(folder):
            inside = entry.path[len(folder) + 1 :]
            if entry.kind is not EntryKind.FILE or not _ANALYSIS.fullmatch(inside):
                continue
            try:
                text = self.tree.read(entry.path).decode("utf-8")
            except (MissingFile, UnicodeDecodeError):
                continue
            found.append((entry.path, tuple(line.rstrip("\r") for line in text.split("\n"))))
        return tuple(found)

    @cached_property
    def documents(self) -> tuple[Lines, ...]:
        """The lines of the plan's documents and of the analyses."""
        own = (document.lines for document in self.plan.documents.values())
        return (*filter(None, own), *(lines for _, lines in self.analyses))

    @cached_property
    def requirements(self) -> tuple[Requirement, ...]:
        """The requirements with an id that the plan's documents and analyses state."""
        documents = [
            (self.path(name), document.lines)
            for name, document in self.plan.documents.items()
            if name in (IMPL_PLAN, PLANNING_NOTES, TODO_LIST)
        ]
        return requirements((*documents, *self.analyses))

    @cached_property
    def mapped(self) -> Mapping[str, frozenset[TaskId]]:
        """The tasks that lines of IMPL_PLAN.md name together with a requirement."""
        found: dict[str, set[TaskId]] = {}
        ids = self.plan.tasks
        for line in self.impl_plan or ():
            names = mentions(line)
            if names:
                here = {task_id for task_id in ids if names_id(line, task_id)}
                for name in names:
                    found.setdefault(name, set()).update(here)
        return {name: frozenset(tasks) for name, tasks in found.items()}

    @cached_property
    def covering(self) -> Mapping[str, frozenset[TaskId]]:
        """The tasks that cover each requirement: that name it, or that say what it says."""
        found: dict[str, frozenset[TaskId]] = {}
        live = {task.id for task in self.live}
        for one in self.requirements:
            by_name = {task for task in live if one.id in self.named[task]}
            by_name |= self.mapped.get(one.id, frozenset()) & live
            if not by_name:
                wanted = texts.terms(one.gist)
                by_name = {
                    task
                    for task in live
                    if len(wanted) >= 2 and texts.share(wanted, self.terms[task]) >= _COVERS
                }
            found[one.id] = frozenset(by_name)
        return found

    @cached_property
    def goals(self) -> tuple[str, ...]:
        """What the whole is for, in the words of the notes, the session and plan.json."""
        overview = self.plan.documents.get(PLAN_JSON)
        summary = strings(overview.parts.get("/summary")) if overview is not None else ()
        said = [note.text for note in self.notes.goals or self.plan_notes.goals]
        title = self.plan.session.get(f.TITLE)
        return (*said, *strings(title), *strings(self.plan.session.get("/description")), *summary)

    @cached_property
    def criteria(self) -> tuple[Note, ...]:
        """The success criteria of the whole."""
        from gitwfp.verify.sections import success_criteria

        return success_criteria(self)

    @cached_property
    def constraints(self) -> tuple[Note, ...]:
        """The constraints that the notes state."""
        return self.notes.constraints

    def named_in(self, text: str) -> frozenset[str]:
        """Returns the requirements that a text names."""
        return mentions(text)

    def is_unreadable(self, task_id: str) -> bool:
        """Tells whether a file that is named after a task is there and cannot be understood."""
        stems = {
            path.rpartition("/")[2].removesuffix(".json") for path in self.plan.source.unreadable
        }
        return IdIndex(TaskId(stem) for stem in stems).find(task_id) is not None

    def path(self, name: str) -> str:
        """Returns the path of a file of the session, from the repository root."""
        return f"{self.plan.ref.folder}/{name}"

    # ---------------------------------------------------------------------------- files

    def exists(self, path: str) -> bool:
        """Tells whether a path names something in the tree; True where there is no tree."""
        if self.tree is None:
            return True
        return next(iter(self.tree.entries(path)), None) is not None

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The paths of the tree that belong to no plan and no hidden folder."""
        if self.tree is None:
            return ()
        return tuple(
            entry.path
            for entry in self.tree.entries("")
            if not entry.path.startswith(".") and "/.workflow/" not in f"/{entry.path}"
        )


def names_id(text: str, task_id: str) -> bool:
    """Tells whether a text names a task by its id, and not only one whose id begins with it."""
    if task_id not in text:
        return False
    return re.search(rf"(?<![\w.-]){re.escape(task_id)}(?![\w-]|\.\d)", text) is not None


def clean_path(text: str) -> str | None:
    """Returns a path as a tree knows it, without lines and functions; None for a pattern."""
    path = _LINE_PART.sub("", text.strip().strip("`").replace("\\", "/"))
    path = path.removeprefix("./").rstrip("/")
    if not path or _WILD.search(path) or path.startswith(("/", "~", "../")) or " " in path:
        return None
    return path


def _sentences(task: Task) -> Iterator[str]:
    yield task.title
    for name in (f.REQUIREMENTS, f.ACCEPTANCE, f.SCOPE):
        yield from task.texts(name)
    for name in _MORE_TEXTS:
        yield from strings(task.fields.get(name))
    yield from strings(task.fields.get("/convergence/definition_of_done"))
    for step in _objects(task.fields.get(f.IMPLEMENTATION)):
        for key in ("title", "description"):
            yield from strings(step.get(key))
        for key in ("modification_points", "logic_flow", "actions"):
            yield from strings(step.get(key))
    steps = task.fields.get(f.IMPLEMENTATION)
    if isinstance(steps, tuple):
        yield from (step for step in steps if isinstance(step, str))


def written_paths(task: Task) -> tuple[str, ...]:
    """Returns the files that a task says it changes, as paths from the repository root."""
    named = [*strings(task.fields.get(f.TARGET_FILES))]
    for step in (task.fields, *_objects(task.fields.get(f.IMPLEMENTATION))):
        for key in ("modification_points", "/modification_points"):
            named.extend(_path_of(point) for point in _objects(step.get(key)))
    paths = (clean_path(text) for text in named)
    return tuple(dict.fromkeys(path for path in paths if path))


def _path_of(item: Mapping[str, Value]) -> str:
    for key in ("path", "file", "name"):
        value = item.get(key)
        if isinstance(value, str):
            return value
    return ""


def _objects(value: Value) -> tuple[Mapping[str, Value], ...]:
    if isinstance(value, Mapping):
        return (value,)
    if isinstance(value, tuple):
        return tuple(item for item in value if isinstance(item, Mapping))
    return ()


def _strings(value: Value) -> Iterator[str]:
    """Yields every text in a value, however deep."""
    queue = [value]
    while queue:
        at = queue.pop()
        if isinstance(at, str):
            yield at
        elif isinstance(at, Mapping):
            queue.extend(at.values())
        elif isinstance(at, tuple):
            queue.extend(at)
