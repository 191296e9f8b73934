"""Old and new spellings of plan records, made ours and back.

A record (a task, the session file, the plan overview) is a flat map of fields. This module
knows in which place each era of the format keeps a field, reads whichever place a file uses,
and writes a changed field into that same place, so that a file keeps its shape. What no rule
names is carried along under its JSON pointer.
"""

from collections.abc import Callable, Iterator, Mapping

from gitwfp.files.jsonpaths import (
    Raw,
    delete_at,
    get_at,
    is_free,
    put_back_blank,
    set_at,
)
from gitwfp.files.jsontext import Json
from gitwfp.files.places import TASK, Path, Places
from gitwfp.model import fields as f
from gitwfp.model.plan import Shape
from gitwfp.model.prose import rewrite_prose, sentences
from gitwfp.model.task import Status, read_status
from gitwfp.model.values import Value, freeze, is_empty, same, strings, thaw


def shape_of(raw: Mapping[str, Json]) -> Shape:
    """Returns the shape of a task's file: nested when it has `context` or `flow_control`."""
    nested = isinstance(raw.get("context"), dict) or isinstance(raw.get("flow_control"), dict)
    return Shape.NESTED if nested and "convergence" not in raw else Shape.FLAT


def keeps_list(raw: Mapping[str, Json], name: str) -> bool:
    """Tells whether a task's object keeps a field as a list rather than as prose."""
    used = _used_places(raw, TASK, name)
    path = used[0] if used else _free_place(raw, TASK, name, shape_of(raw))
    return path not in TASK.prose.get(name, ())


def read_fields(raw: Mapping[str, Json], places: Places) -> dict[str, Value]:
    """Returns the fields of a record; what says nothing is left out.

    Args:
        raw: The parsed JSON object.
        places: Where its kind of record keeps its fields.
    """
    fields: dict[str, Value] = {}
    taken: list[Path] = list(places.hidden)
    for name in places.known:
        used = _used_places(raw, places, name)
        taken.extend(used)
        value = _read(raw, places, name, used)
        if not is_empty(value):
            fields[name] = value
    for path, leaf in _leaves(raw, frozenset(taken)):
        fields[f.pointer(path)] = freeze(leaf)
    return fields


def edit_fields(
    raw: Mapping[str, Json],
    places: Places,
    before: Mapping[str, Value],
    after: Mapping[str, Value],
    *,
    shape: Shape = Shape.FLAT,
    like: Mapping[str, Json] | None = None,
) -> Raw:
    """Returns the JSON object with the fields changed in the places that the file uses.

    Args:
        raw: The parsed JSON object, which states `before`.
        places: Where its kind of record keeps its fields.
        before: The record as it is.
        after: The record as it shall be.
        shape: The shape that decides where a field goes which the file does not have yet.
        like: Another version of the same object; a field that shall be as it is there is
            spelt as it is there.
    """
    from copy import deepcopy

    changed: Raw = deepcopy(dict(raw))
    model = read_fields(like, places) if like is not None else {}
    carried = frozenset(f.pointer_path(name) for name in after if name.startswith("/"))
    for name in _in_writing_order(before, after, places):
        old, new = before.get(name), after.get(name)
        if same(old, new):
            continue
        if like is not None and same(model.get(name), new):
            _transplant(changed, like, places, name)
        else:
            _write(changed, places, name, new, shape, carried)
    return changed


def new_record(fields: Mapping[str, Value], places: Places, shape: Shape, start: Raw) -> Raw:
    """Returns a new JSON object for a record, complete by its shape.

    Args:
        fields: What it states.
        places: Where its kind of record keeps its fields.
        shape: The shape to write.
        start: The keys that come first, such as the id; empty places that the shape wants
            are in it already.
    """
    return edit_fields(start, places, {}, fields, shape=shape)


def _in_writing_order(
    before: Mapping[str, Value], after: Mapping[str, Value], places: Places
) -> list[str]:
    names = set(before) | set(after)
    known = [name for name in places.known if name in names]
    return known + sorted(names.difference(known), key=lambda name: (name not in before, name))


def _used_places(raw: Mapping[str, Json], places: Places, name: str) -> tuple[Path, ...]:
    """Returns the places of a field that the file uses, the one that counts first.

    Several only for dependencies, and for the status, which unified executors kept twice.
    """
    found = []
    for path in places.known.get(name, ()):
        value = get_at(raw, path)
        fits = value is not None and isinstance(value, dict) == (name == f.EXECUTION)
        if fits or (name == f.STATUS and isinstance(value, dict)):
            found.append(path)
    if name == f.STATUS:
        is_stale = len(found) > 1 and read_status(freeze(get_at(raw, found[0]))) is Status.PENDING
        return tuple(reversed(found)) if is_stale else tuple(found)
    if not found:
        for path in places.prose.get(name, ()):
            if isinstance(get_at(raw, path), str):
                return (path,)
    return tuple(found) if name == f.DEPENDS_ON else tuple(found[:1])


def _read(raw: Mapping[str, Json], places: Places, name: str, used: tuple[Path, ...]) -> Value:
    if not used:
        return None
    value = freeze(get_at(raw, used[0]))
    if name == f.DEPENDS_ON:
        every = (text.strip() for path in used for text in strings(freeze(get_at(raw, path))))
        return tuple(dict.fromkeys(text for text in every if text))
    if used[0] in places.prose.get(name, ()):
        return sentences(str(value))
    if name in f.TEXT_LISTS:
        return strings(value)
    if name == f.STATUS:
        status = read_status(value)
        if status is None:
            return value
        return None if status is Status.PENDING else status.value
    return value


def _write(
    raw: Raw, places: Places, name: str, new: Value, shape: Shape, carried: frozenset[Path]
) -> None:
    """Writes a field where it is, or else where neither it nor what is carried along stands."""
    used = tuple(path for path in _used_places(raw, places, name) if path not in carried)
    if name.startswith("/") and is_empty(new):
        delete_at(raw, f.pointer_path(name))
        return
    if not used:
        if not is_empty(new):
            _write_fresh(raw, places, name, new, shape, carried)
        return
    if name == f.DEPENDS_ON and len(used) > 1:
        _write_several(raw, used, strings(new))
        return
    path = used[0]
    held = get_at(raw, path)
    if path in places.prose.get(name, ()):
        set_at(raw, path, rewrite_prose(str(held), strings(new)))
    elif name == f.STATUS:
        for each in used:
            set_at(raw, each, _status_word(get_at(raw, each), new))
    elif name in f.TEXT_LISTS:
        texts = strings(new)
        if isinstance(held, list):
            set_at(raw, path, _keep_items(held, texts, _form_of(name)))
        else:
            set_at(raw, path, texts[0] if len(texts) == 1 else list(texts))
    elif is_empty(new):
        if isinstance(held, list):
            set_at(raw, path, [])
        else:
            delete_at(raw, path)
    else:
        set_at(raw, path, _json(new))


def _write_fresh(
    raw: Raw, places: Places, name: str, new: Value, shape: Shape, carried: frozenset[Path]
) -> None:
    if name.startswith("/"):
        path = f.pointer_path(name)
    else:
        path = _free_place(raw, places, name, shape, carried)
    if path in places.prose.get(name, ()):
        set_at(raw, path, rewrite_prose("", strings(new)))
    else:
        set_at(raw, path, _json(new))


def _free_place(
    raw: Mapping[str, Json],
    places: Places,
    name: str,
    shape: Shape,
    carried: frozenset[Path] = frozenset(),
) -> Path:
    """Returns where a field goes that the file does not have yet: where nothing else stands.

    A flat task never gains a `context`, so places in one come last for it.
    """
    known = places.known.get(name, ())
    if shape is not Shape.NESTED:
        known = tuple(sorted(known, key=lambda path: path[0] == "context"))
    usual = places.fresh.get(shape, {}).get(name, known[0] if known else (name,))
    free = (path for path in (usual, *known) if path not in carried and is_free(raw, path))
    return next(free, usual)


def _status_word(held: Json | Mapping[str, Json], new: Value) -> Json:
    word = str(new) if new is not None else Status.PENDING.value
    if not isinstance(held, dict):
        return word
    return {**held, "value" if "value" in held and "state" not in held else "state": word}


def _write_several(raw: Raw, used: tuple[Path, ...], wanted: tuple[str, ...]) -> None:
    """Writes a list that a file keeps in more than one place: each keeps what it has of it."""
    held = {path: strings(freeze(get_at(raw, path))) for path in used}
    known = {text.strip() for texts in held.values() for text in texts}
    lists: list[tuple[str, ...]] = []
    for position, path in enumerate(used):
        own = {text.strip() for text in held[path]}
        takes_new = position == 0
        lists.append(tuple(t for t in wanted if t in own or (takes_new and t not in known)))
    if tuple(dict.fromkeys(text for texts in lists for text in texts)) != wanted:
        lists[0] = wanted  # the places together cannot tell this order
    for path, texts in zip(used, lists, strict=True):
        if tuple(text.strip() for text in held[path]) != texts:
            value = get_at(raw, path)
            items: list[Json] = value if isinstance(value, list) else [value]
            set_at(raw, path, _keep_items(items, texts, str.strip))


def _form_of(name: str) -> Callable[[str], str]:
    """Returns how two entries of a list field are compared; ids are read without white space."""
    return str.strip if name == f.DEPENDS_ON else str


def _keep_items(held: list[Json], texts: tuple[str, ...], form: Callable[[str], str]) -> list[Json]:
    """Returns a list that reads as `texts`, reusing the items that are there, whatever they are."""
    stock: dict[str, list[Json]] = {}
    for item in held:
        stock.setdefault(form(strings((freeze(item),))[0]), []).append(item)
    result: list[Json] = []
    for text in texts:
        waiting = stock.get(form(text))
        result.append(waiting.pop(0) if waiting else text)
    return result


def _transplant(raw: Raw, like: Mapping[str, Json], places: Places, name: str) -> None:
    from copy import deepcopy

    if name.startswith("/"):
        wanted: tuple[Path, ...] = (f.pointer_path(name),)
        here = wanted
    else:
        wanted = _used_places(like, places, name)
        here = _used_places(raw, places, name)
    for path in here:
        if path not in wanted or get_at(like, path) is None:
            delete_at(raw, path, like)
            put_back_blank(raw, path, like)
    for path in wanted:
        value = get_at(like, path)
        if value is not None:
            set_at(raw, path, deepcopy(value), like)


def _leaves(raw: Mapping[str, Json], taken: frozenset[Path]) -> Iterator[tuple[Path, Json]]:
    """Yields what no field took: the values of objects that are not objects themselves."""
    stack: list[tuple[Path, Json]] = [((key,), value) for key, value in reversed(list(raw.items()))]
    while stack:
        path, value = stack.pop()
        if path in taken:
            continue
        if isinstance(value, dict):
            stack.extend(((*path, key), inner) for key, inner in reversed(value.items()))
        elif not (value is None or value in ("", [])):
            yield path, value


def _json(value: Value) -> Json:
    return thaw(value)  # type: ignore[return-value]  # a frozen JSON value thaws to JSON
