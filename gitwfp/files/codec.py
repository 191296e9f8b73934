"""From files to a plan: `read_plan` reads one session tolerantly from any tree.

Whatever cannot be understood becomes a problem of the plan, never an exception, and stands in the
way of nothing else. The way back is `gitwfp.files.writing`.
"""

from collections.abc import Mapping
from typing import Final

from gitwfp.classes import dataclass, field
from gitwfp.errors import Diagnostic, Location, Severity, Text, say
from gitwfp.files import dialects, places
from gitwfp.files.documents import read_markdown
from gitwfp.files.jsontext import BadJson, Json, parse
from gitwfp.files.paths import (
    FileKind,
    holds_plan_files,
    inside_of,
    is_task_file,
    kind_of,
    shown_id,
    stem_of,
)
from gitwfp.files.places import Places
from gitwfp.files.tree import Entry, EntryKind, FileTree, MissingFile
from gitwfp.model import fields as f
from gitwfp.model.plan import (
    FIX_PLAN_JSON,
    PLAN_JSON,
    SESSION_JSON,
    Document,
    Plan,
    SessionRef,
    Shape,
    Source,
)
from gitwfp.model.task import (
    Origin,
    Task,
    TaskId,
    id_key,
    is_task_id,
    read_status,
)
from gitwfp.model.values import Value

NOT_A_FOLDER: Final = "not-a-folder"
"""The code of the problem that a folder of plan files is none, so that any task may be hidden."""

_EMBEDDED: Final = frozenset({PLAN_JSON, FIX_PLAN_JSON})

Raw = dict[str, Json]


def read_plan(tree: FileTree, ref: SessionRef, *, companions: bool = False) -> Plan:
    """Reads one session from a tree.

    Args:
        tree: Where to read.
        ref: Which session.
        companions: Whether to read the companion files as well.

    Returns:
        The plan; what could not be understood is in its `problems`, never an exception.
    """
    return _Reading(tree, ref, companions).plan()


@dataclass(slots=True)
class _Reading:
    tree: FileTree
    ref: SessionRef
    companions: bool
    files: dict[str, bytes] = field(default_factory=dict)
    others: dict[str, bytes] = field(default_factory=dict)
    unreadable: set[str] = field(default_factory=set)
    problems: list[Diagnostic] = field(default_factory=list)
    tasks: dict[TaskId, Task] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)
    session: Mapping[str, Value] = field(default_factory=dict)
    shapes: dict[Shape, int] = field(default_factory=dict)

    def plan(self) -> Plan:
        name = self.ref.folder.rpartition("/")[2]
        if shown_id(name) != name:
            self._problem(
                "odd-session-name",
                say("The name of the folder of session {id} cannot be shown.", id=self.ref.id),
                where=Location(self.ref.folder, session=self.ref.id),
                hint=say("Give it a name without control characters, in UTF-8."),
            )
        for entry in self.tree.entries(self.ref.folder):
            inside = inside_of(self.ref, entry.path)
            kind = kind_of(inside)
            if kind is FileKind.PLAN:
                if entry.kind is EntryKind.FILE:
                    self._read_file(entry.path, inside)
                else:
                    self._cannot_read(
                        entry.path,
                        "not-a-file",
                        say("'{path}' is not a regular file.", path=entry.path),
                    )
            elif holds_plan_files(inside) and entry.kind is not EntryKind.FILE:
                found = unread_folder(entry)
                self._cannot_read(entry.path, found.code, found.message, hint=found.hint)
            elif kind is FileKind.COMPANION and self.companions and entry.kind is EntryKind.FILE:
                self._keep(entry.path, self.others)
        for name in sorted(_EMBEDDED & self.documents.keys()):
            self._read_embedded(name)
        ordered = {task_id: self.tasks[task_id] for task_id in sorted(self.tasks, key=id_key)}
        return Plan(
            ref=self.ref,
            session=self.session,
            tasks=ordered,
            documents=dict(sorted(self.documents.items())),
            others=self.others,
            shape=max(self.shapes, key=lambda shape: self.shapes[shape], default=Shape.FLAT),
            problems=tuple(self.problems),
            source=Source(self.files, frozenset(self.unreadable)),
        )

    def _keep(self, path: str, kept: dict[str, bytes]) -> bytes | None:
        try:
            kept[path] = self.tree.read(path)
        except MissingFile as missing:
            self._cannot_read(
                path,
                "unreadable-file",
                say("'{path}' cannot be read: {why}.", path=path, why=_why(missing)),
            )
            return None
        return kept[path]

    def _read_file(self, path: str, inside: str) -> None:
        data = self._keep(path, self.files)
        if data is None:
            return
        if inside.endswith(".md"):
            try:
                self.documents[inside] = read_markdown(inside, data)
            except UnicodeDecodeError:
                self._cannot_read(path, "not-utf-8", say("'{path}' is not UTF-8 text.", path=path))
            return
        raw = self._parse(path, data)
        if raw is None:
            return
        if is_task_file(inside):
            self._add_task(raw, Origin(path), stem_of(inside))
        elif inside == SESSION_JSON:
            self.session = dialects.read_fields(raw, places.SESSION)
        else:
            self.documents[inside] = Document(inside, dialects.read_fields(raw, places_of(inside)))

    def _parse(self, path: str, data: bytes) -> Raw | None:
        try:
            value = parse(data)
        except BadJson as bad:
            where = Location(path, bad.line, bad.column, session=self.ref.id)
            self._cannot_read(path, bad.code, bad.reason, where)
            return None
        if not isinstance(value, dict):
            self._cannot_read(
                path, "not-an-object", say("'{path}' does not hold a JSON object.", path=path)
            )
            return None
        return value

    def _read_embedded(self, name: str) -> None:
        path = f"{self.ref.folder}/{name}"
        listed = embedded_tasks(self.files[path])
        if not listed:
            return
        document = self.documents[name]
        rest = {key: held for key, held in document.parts.items() if key != "/tasks"}
        self.documents[name] = Document(name, rest)
        with_files = {task.id.lower() for task in self.tasks.values()}
        for index, raw in enumerate(listed):
            if id_of(raw, f"T{index + 1}").lower() not in with_files:
                self._add_task(raw, Origin(path, index), f"T{index + 1}")

    def _add_task(self, raw: Raw, origin: Origin, fallback: str) -> None:
        task_id = TaskId(id_of(raw, fallback))
        where = Location(origin.path, session=self.ref.id, task=task_id)
        if task_id in self.tasks:
            other = self.tasks[task_id].origin
            self.unreadable.add(origin.path)
            self._problem(
                "duplicate-task-id",
                say(
                    "Two files hold a task {id}: '{one}' and '{other}'.",
                    id=task_id,
                    one=other.path if other else "",
                    other=origin.path,
                ),
                Severity.ERROR,
                where,
                say("Give one of the two tasks an id of its own."),
            )
            return
        if not is_task_id(task_id):
            self._problem(
                "odd-task-id", say("'{id}' is an unusual task id.", id=task_id), where=where
            )
        fields = dialects.read_fields(raw, places.TASK)
        word = fields.get(f.STATUS)
        if word is not None and read_status(word) is None:
            self._problem(
                "unknown-status",
                say("Task {id} has the unknown status '{word}'.", id=task_id, word=word),
                where=where,
                hint=say("It is kept as it is and counts as pending."),
            )
        self.tasks[task_id] = Task(task_id, fields, origin)
        shape = Shape.EMBEDDED if origin.index is not None else dialects.shape_of(raw)
        self.shapes[shape] = self.shapes.get(shape, 0) + 1

    def _cannot_read(
        self,
        path: str,
        code: str,
        message: Text,
        where: Location | None = None,
        hint: Text | None = None,
    ) -> None:
        self.unreadable.add(path)
        where = where or Location(path, session=self.ref.id)
        self._problem(code, message, Severity.ERROR, where, hint)

    def _problem(
        self,
        code: str,
        message: Text,
        severity: Severity = Severity.WARNING,
        where: Location | None = None,
        hint: Text | None = None,
    ) -> None:
        self.problems.append(Diagnostic(code, message, severity, where or Location(), hint))


def unread_folder(entry: Entry) -> Diagnostic:
    """Returns the finding for what is no folder where plan files should be, and so hides them."""
    if entry.kind is EntryKind.LINK:
        text = say("'{path}' is a symbolic link, so nothing in it is read.", path=entry.path)
    elif entry.kind is EntryKind.SUBMODULE:
        text = say(
            "'{path}' is a repository of its own, so nothing in it is read.", path=entry.path
        )
    else:
        text = say("'{path}' is no folder that can be read.", path=entry.path)
    return Diagnostic(
        NOT_A_FOLDER,
        text,
        Severity.ERROR,
        Location(entry.path),
        say("Plans are read from real folders of this repository only; make it one."),
    )


def places_of(name: str) -> Places:
    """Returns where a JSON document keeps its fields."""
    return places.OVERVIEW if name in _EMBEDDED else places.PLAIN


def embedded_tasks(data: bytes) -> list[Raw]:
    """Returns the tasks that a plan.json holds itself, nothing when its list holds other things."""
    value = parse(data)
    listed = value.get("tasks") if isinstance(value, dict) else None
    if not isinstance(listed, list):
        return []
    found = [item for item in listed if isinstance(item, dict)]
    return found if len(found) == len(listed) else []


def id_of(raw: Mapping[str, Json], fallback: str) -> str:
    """Returns a task's id as its object states it, or else the fallback."""
    for key in ("id", "task_id"):
        value = raw.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return fallback


def _why(missing: MissingFile) -> object:
    """Returns the reason in words, which is the last thing that a tree says about it."""
    return missing.args[2] if len(missing.args) > 2 else say("it is not there")
