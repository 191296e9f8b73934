"""JSON objects by path: reading, setting and taking away what lies a few keys down.

A path is a tuple of keys. `like` is another version of the same object; what is set or taken away
leaves the object as that version has it: keys in its places, its empty holders and nulls.
"""

from collections.abc import Mapping

from gitwfp.files.jsontext import Json
from gitwfp.files.places import Path
from gitwfp.model.values import freeze, is_empty

Raw = dict[str, Json]


def get_at(raw: Mapping[str, Json], path: Path) -> Json:
    """Returns the value at a path, None if nothing is there."""
    held: Json | Mapping[str, Json] = raw
    for key in path:
        if not isinstance(held, Mapping):
            return None
        held = held.get(key)
    return held  # type: ignore[return-value]  # a Mapping here is the dict inside the raw object


def is_free(raw: Mapping[str, Json], path: Path) -> bool:
    """Tells whether a value can be set at a path without writing over something else."""
    for depth in range(1, len(path)):
        holder = get_at(raw, path[:depth])
        if not isinstance(holder, dict) and not is_empty(freeze(holder)):
            return False
    return is_empty(freeze(get_at(raw, path)))


def set_at(raw: Raw, path: Path, value: Json, like: Mapping[str, Json] | None = None) -> None:
    """Sets a value, making the objects on the way; a new key goes where `like` has it."""
    held = raw
    for depth, key in enumerate(path[:-1]):
        inner = held.get(key)
        if not isinstance(inner, dict):
            inner = {}
            _place(held, key, inner, get_at(like, path[:depth]) if like is not None else None)
        held = inner
    _place(held, path[-1], value, get_at(like, path[:-1]) if like is not None else None)


def _place(held: Raw, key: str, value: Json, like: Json | Mapping[str, Json]) -> None:
    if key in held or not isinstance(like, Mapping):
        held[key] = value
        return
    following = list(like)[list(like).index(key) + 1 :] if key in like else []
    before = next((name for name in following if name in held), None)
    items = list(held.items())
    held.clear()
    for name, inner in items:
        if name == before:
            held[key] = value
        held[name] = inner
    held.setdefault(key, value)


def delete_at(raw: Raw, path: Path, like: Mapping[str, Json] | None = None) -> None:
    """Removes a value, and the objects that hold nothing any more and that `like` does not have."""
    holders = [raw]
    for key in path[:-1]:
        inner = holders[-1].get(key)
        if not isinstance(inner, dict):
            return
        holders.append(inner)
    holders[-1].pop(path[-1], None)
    for depth in range(len(holders) - 1, 0, -1):
        in_like = like is not None and isinstance(get_at(like, path[:depth]), dict)
        if holders[depth] or in_like:
            return
        holders[depth - 1].pop(path[depth - 1], None)


def put_back_blank(raw: Raw, path: Path, like: Mapping[str, Json]) -> None:
    """Puts back the null or the like that another version has at a place or on the way to it."""
    from copy import deepcopy

    for depth in range(1, len(path) + 1):
        holder = get_at(like, path[: depth - 1])
        if not isinstance(holder, Mapping) or path[depth - 1] not in holder:
            return
        blank = holder[path[depth - 1]]
        if not isinstance(blank, dict) or not blank:
            set_at(raw, path[:depth], deepcopy(blank), like)
            return
