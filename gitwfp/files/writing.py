"""From a plan to files: `plan_edits` writes exactly.

Writing changes only what changed between two plans: every file is rewritten from the text it
was read from, so unknown keys, key order, indentation, endings and a missing final newline
survive, and an unchanged plan gives no edit at all.
"""

from collections.abc import Mapping
from copy import deepcopy

from gitwfp.classes import dataclass, field
from gitwfp.files import dialects, places
from gitwfp.files.codec import Raw, embedded_tasks, id_of, places_of
from gitwfp.files.documents import markdown_bytes, new_markdown
from gitwfp.files.jsontext import Json, parse, render, rewrite
from gitwfp.files.paths import task_path
from gitwfp.files.places import Places
from gitwfp.files.tree import FileEdits
from gitwfp.model.plan import FIX_PLAN_JSON, PLAN_JSON, SESSION_JSON, Document, Plan, Shape
from gitwfp.model.task import Origin, Task, same_fields
from gitwfp.model.values import Value, freeze, same


def plan_edits(before: Plan, after: Plan, *, like: Plan | None = None) -> FileEdits:
    """Returns the edits that make the files of one plan state another.

    Args:
        before: A plan as it was read.
        after: The plan wanted; same session.
        like: Another version of the plan. A file or field that shall be as it is there is
            spelt as it is there.

    Returns:
        New bytes by path from the repository root; no entry for a file that does not change.
    """
    return _Writing(before, after, like).edits()


def task_json(plan: Plan, task: Task) -> Mapping[str, Json]:
    """Returns a task's JSON object as its file has it, empty when there is none."""
    if task.origin is None:
        return {}
    return _task_object(plan.source.files, task.origin)


@dataclass(slots=True)
class _Writing:
    before: Plan
    after: Plan
    like: Plan | None
    objects: dict[str, Raw] = field(default_factory=dict)
    shrunk: dict[str, Raw] = field(default_factory=dict)
    done: dict[str, bytes | None] = field(default_factory=dict)

    def edits(self) -> FileEdits:
        if not same_fields(self.before.session, self.after.session):
            self._edit_json(SESSION_JSON, places.SESSION, self.before.session, self.after.session)
        for name in sorted(self.before.documents.keys() | self.after.documents.keys()):
            self._edit_document(name)
        self._edit_tasks()
        for path, raw in self.objects.items():
            held = self.before.source.files.get(path)
            model = self.like.source.files.get(path) if self.like is not None else None
            held = held if held is not None else model
            if held is not None and path in self.shrunk:
                held = rewrite(held, self.shrunk[path])
            style = self._neighbour(path) if held is None else None
            self.done[path] = rewrite(held, raw) if held is not None else render(raw, style)
        for path in sorted(self.before.others.keys() | self.after.others.keys()):
            if self.before.others.get(path) != self.after.others.get(path):
                self.done[path] = self.after.others.get(path)
        self._take_over_whole_files()
        known = {**self.before.source.files, **self.before.others}
        return {path: data for path, data in sorted(self.done.items()) if data != known.get(path)}

    def _neighbour(self, path: str) -> bytes | None:
        """Returns a file of the same folder, from which a new one takes its layout."""
        source = self.before.source
        folder = path.rpartition("/")[0] + "/"
        beside = (
            name
            for name in sorted(source.files)
            if name.startswith(folder) and "/" not in name[len(folder) :]
        )
        usable = (n for n in beside if n.endswith(".json") and n not in source.unreadable)
        name = next(usable, None)
        return None if name is None else source.files[name]

    def _take_over_whole_files(self) -> None:
        """Takes a file's bytes from `like` where it states there what it shall state here."""
        if self.like is None:
            return
        for path, data in self.done.items():
            model = self.like.source.files.get(path)
            if path in self.like.source.unreadable:
                continue
            if data is not None and model is not None and _states_same(path, data, model):
                self.done[path] = model

    def _edit_json(
        self, name: str, spelling: Places, old: Mapping[str, Value], new: Mapping[str, Value]
    ) -> None:
        path = f"{self.before.ref.folder}/{name}"
        if not new and not self._holds_tasks(path):
            self.done[path] = None
        elif path not in self.before.source.files:
            start: Raw = {"session_id": self.after.ref.id} if name == SESSION_JSON else {}
            rest = {key: held for key, held in new.items() if key != "/session_id"}
            self.objects[path] = dialects.new_record(rest, spelling, Shape.FLAT, start)
        else:
            self.objects[path] = dialects.edit_fields(
                self._object(path), spelling, old, new, like=_object_in(self.like, path)
            )

    def _holds_tasks(self, path: str) -> bool:
        origins = (task.origin for task in self.after.tasks.values())
        return any(origin is not None and origin.path == path for origin in origins)

    def _edit_document(self, name: str) -> None:
        before = self.before.documents.get(name, Document(name, {}))
        after = self.after.documents.get(name, Document(name, {}))
        if same_fields(before.parts, after.parts):
            return
        path = f"{self.before.ref.folder}/{name}"
        held = self.before.source.files.get(path)
        if not name.endswith(".md"):
            self._edit_json(name, places_of(name), before.parts, after.parts)
        elif not after.parts:
            self.done[path] = None
        elif held is None or not before.parts:
            self.done[path] = new_markdown(after)
        else:
            self.done[path] = markdown_bytes(held, before, after)

    def _edit_tasks(self) -> None:
        """Edits tasks where they are, then takes out those that go, then puts in those that come.

        In this order, because tasks of a list are known by their position in it.
        """
        gone: dict[str, list[int]] = {}
        for old in self.before.tasks.values():
            new = self.after.tasks.get(old.id)
            if old.origin is None:
                continue
            if new is not None:
                if not same_fields(old.fields, new.fields):
                    self._edit_task(old, new, old.origin)
            elif old.origin.index is None:
                self.done[old.origin.path] = None
            else:
                gone.setdefault(old.origin.path, []).append(old.origin.index)
        for path, indexes in gone.items():
            if self._goes_with_its_tasks(path):
                self.objects.pop(path, None)
                self.done[path] = None
                continue
            listed = self._object(path)["tasks"]
            if isinstance(listed, list):
                kept = [raw for index, raw in enumerate(listed) if index not in indexes]
                self.objects[path]["tasks"] = kept
                # Written in two steps, so that a new task takes nothing from the text of an old.
                self.shrunk[path] = deepcopy(self.objects[path])
        for task in self.after.tasks.values():
            if task.id not in self.before.tasks:
                self._add_task(task)

    def _goes_with_its_tasks(self, path: str) -> bool:
        """Tells whether nothing is left of a file that held tasks; by `like` if it said no more."""
        if path in self.done and self.done[path] is None:
            return True
        document = self.after.documents.get(path.removeprefix(f"{self.before.ref.folder}/"))
        if self.like is None or self._holds_tasks(path) or (document and document.parts):
            return False
        return path not in self.like.source.paths

    def _edit_task(self, old: Task, new: Task, origin: Origin) -> None:
        raw = _task_object(self.before.source.files, origin)
        model = self.like.tasks.get(new.id) if self.like is not None else None
        changed = dialects.edit_fields(
            raw,
            places.TASK,
            old.fields,
            new.fields,
            shape=Shape.EMBEDDED if origin.index is not None else dialects.shape_of(raw),
            like=task_json(self.like, model) if self.like is not None and model else None,
        )
        if origin.index is None:
            self.objects[origin.path] = changed
            return
        listed = self._object(origin.path)["tasks"]
        if isinstance(listed, list):
            listed[origin.index] = changed

    def _add_task(self, task: Task) -> None:
        model = self.like.tasks.get(task.id) if self.like is not None else None
        if model is not None and model.origin is not None and self.like is not None:
            raw = dialects.edit_fields(
                task_json(self.like, model), places.TASK, model.fields, task.fields
            )
            path, embedded = model.origin.path, model.origin.index is not None
        else:
            shape = self.before.shape
            raw = dialects.new_record(task.fields, places.TASK, shape, _blank_task(task.id, shape))
            embedded = shape is Shape.EMBEDDED
            path = self._embedding_path() if embedded else task_path(self.before.ref, task.id)
        if not embedded:
            self.objects[self._free_path(path)] = raw
            return
        holder = self._object(path)
        listed = holder.setdefault("tasks", [])
        if isinstance(listed, list):
            position = self._position_like(path, listed, task.id)
            listed.insert(position, raw)

    def _free_path(self, path: str) -> str:
        """Returns a path for a new file: not one where something else stands and stays."""
        gone = {path for path, data in self.done.items() if data is None}
        taken = (self.before.source.paths - gone) | self.objects.keys()
        stem = path.removesuffix(".json")
        names = (f"{stem}-{number}.json" for number in range(2, len(taken) + 3))
        return next(name for name in (path, *names) if name not in taken)

    def _position_like(self, path: str, listed: list[Json], task_id: str) -> int:
        """Returns where a task that comes back goes: behind its neighbour of the other version."""
        model = self.like.source.files.get(path) if self.like is not None else None
        if model is None:
            return len(listed)
        order = [id_of(raw, f"T{index + 1}") for index, raw in enumerate(embedded_tasks(model))]
        if task_id not in order:
            return len(listed)
        at = order.index(task_id)
        here = [id_of(raw, f"T{n + 1}") for n, raw in enumerate(listed) if isinstance(raw, dict)]
        behind = (here.index(other) + 1 for other in reversed(order[:at]) if other in here)
        before = (here.index(other) for other in order[at + 1 :] if other in here)
        return next(behind, next(before, len(listed)))

    def _embedding_path(self) -> str:
        for name in (PLAN_JSON, FIX_PLAN_JSON):
            path = f"{self.before.ref.folder}/{name}"
            if path in self.before.source.files:
                return path
        return f"{self.before.ref.folder}/{PLAN_JSON}"

    def _object(self, path: str) -> Raw:
        if path not in self.objects:
            self.objects[path] = _object(self.before.source.files, path)
        return self.objects[path]


def _states_same(path: str, data: bytes, model: bytes) -> bool:
    if path.endswith(".md"):
        return data.replace(b"\r\n", b"\n").rstrip(b"\n") == model.replace(b"\r\n", b"\n").rstrip(
            b"\n"
        )
    return _equal_json(parse(data), parse(model))


def _equal_json(one: Json, other: Json) -> bool:
    return same(freeze(one), freeze(other))


def _blank_task(task_id: str, shape: Shape) -> Raw:
    """Returns the keys that a new task's file has in any case, by the shape of its session."""
    if shape is Shape.NESTED:
        return {
            "id": task_id,
            "title": "",
            "status": "pending",
            "meta": {},
            "context": {"requirements": [], "focus_paths": [], "acceptance": [], "depends_on": []},
            "flow_control": {
                "pre_analysis": [],
                "implementation_approach": [],
                "target_files": [],
            },
        }
    if shape is Shape.FLAT:
        return {
            "id": task_id,
            "title": "",
            "description": "",
            "status": "pending",
            "focus_paths": [],
            "depends_on": [],
            "convergence": {"criteria": []},
            "files": [],
            "implementation": [],
        }
    return {
        "id": task_id,
        "title": "",
        "description": "",
        "implementation": [],
        "acceptance": [],
        "depends_on": [],
    }


def _object(files: Mapping[str, bytes], path: str) -> Raw:
    if path not in files:
        return {}
    value = parse(files[path])
    return value if isinstance(value, dict) else {}


def _task_object(files: Mapping[str, bytes], origin: Origin) -> Raw:
    if origin.index is None:
        return _object(files, origin.path)
    return embedded_tasks(files[origin.path])[origin.index]


def _object_in(plan: Plan | None, path: str) -> Raw | None:
    if plan is None or path not in plan.source.files or path in plan.source.unreadable:
        return None
    return _object(plan.source.files, path)
