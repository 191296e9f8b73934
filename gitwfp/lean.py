"""Dataclasses that cost a command nothing until it uses them; see `gitwfp.classes`.

The constructor of a class is compiled when its first instance is made. The other methods are the
same functions for all classes, and go by the names of the fields.
"""

from operator import attrgetter

TYPE_CHECKING = False  # The constant of typing, whose import takes longer than all of this.
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Space = dict[str, Any]


class _Missing:
    """What stands for a default that there is not."""


class Field:
    """One field of a class.

    Attributes:
        name: Its name.
        type: What the class says of its type.
        default: The value of a call that leaves it out; `_Missing` for none.
        default_factory: What makes such a value; `_Missing` for none.
        compare: Whether it counts when instances are compared.
        kw_only: Whether it can only be given by its name.
    """

    __slots__ = ("compare", "default", "default_factory", "kw_only", "name", "type")

    def __init__(self, default: "Any", default_factory: "Any" = _Missing, *, compare: bool = True):
        self.name = ""
        self.type: Any = None
        self.default = default
        self.default_factory = default_factory
        self.compare = compare
        self.kw_only = False


def field(
    *, default: "Any" = _Missing, default_factory: "Any" = _Missing, compare: bool = True
) -> "Any":
    """Returns what a field is to be; see `dataclasses.field`."""
    return Field(default, default_factory, compare=compare)


def dataclass(
    cls: "Any" = None,
    /,
    *,
    frozen: bool = False,
    slots: bool = False,
    order: bool = False,
    kw_only: bool = False,
) -> "Any":
    """Makes a class a dataclass; see `dataclasses.dataclass`."""

    def made(cls: type) -> type:
        return _made(cls, frozen=frozen, slots=slots, order=order, kw_only=kw_only)

    return made if cls is None else made(cls)


def fields(of: "Any") -> tuple[Field, ...]:
    """Returns the fields of a dataclass or of an instance; see `dataclasses.fields`."""
    return tuple(of.__lean_fields__.values())


def is_dataclass(value: object) -> bool:
    """Tells whether a value is a dataclass or an instance of one."""
    return hasattr(value if isinstance(value, type) else type(value), "__lean_fields__")


def replace(value: "Any", /, **changes: object) -> "Any":
    """Returns an instance with some fields changed; see `dataclasses.replace`."""
    for name in value.__lean_fields__:
        if name not in changes:
            changes[name] = getattr(value, name)
    return type(value)(**changes)


def asdict(value: "Any") -> "Any":
    """Returns an instance and those in it as dictionaries; see `dataclasses.asdict`."""
    if is_dataclass(value):
        return {name: asdict(getattr(value, name)) for name in value.__lean_fields__}
    if isinstance(value, (list, tuple)):
        return type(value)(map(asdict, value))
    if isinstance(value, dict):
        return {asdict(key): asdict(held) for key, held in value.items()}
    return value


class _LibraryFields:
    """The fields as the library describes them, for whoever asks: pydantic does."""

    def __get__(self, instance: object, owner: "Any") -> object:
        import dataclasses

        specified = []
        for each in owner.__lean_fields__.values():
            given: Space = {"compare": each.compare, "kw_only": each.kw_only}
            if each.default is not _Missing:
                given["default"] = each.default
            elif each.default_factory is not _Missing:
                given["default_factory"] = each.default_factory
            specified.append((each.name, each.type, dataclasses.field(**given)))
        twin: Any = dataclasses.make_dataclass(owner.__name__, specified)
        return twin.__dataclass_fields__


def _made(cls: type, *, frozen: bool, slots: bool, order: bool, kw_only: bool) -> type:
    known: dict[str, Field] = {}
    for base in cls.__mro__[:0:-1]:
        known.update(vars(base).get("__lean_fields__", {}))
    own = _own_fields(cls, kw_only=kw_only)
    every = {**known, **own}
    space = {name: held for name, held in vars(cls).items() if name not in own}
    space.pop("__dict__", None)
    space.pop("__weakref__", None)
    if slots:
        space["__slots__"] = tuple(name for name in own if name not in known)
    else:
        space.update((n, f.default) for n, f in own.items() if f.default is not _Missing)
    space["__lean_fields__"] = every
    space["__lean_key__"] = _key([name for name, each in every.items() if each.compare])
    space["__dataclass_fields__"] = _LibraryFields()
    space["__match_args__"] = tuple(name for name, each in every.items() if not each.kw_only)
    _add_methods(space, frozen=frozen, order=order)
    # A class cannot be given slots afterwards, so it is made once more.
    new = type(cls)(cls.__name__, cls.__bases__, space)
    new.__qualname__ = cls.__qualname__
    return new


def _own_fields(cls: type, *, kw_only: bool) -> dict[str, Field]:
    own: dict[str, Field] = {}
    space = vars(cls)
    for name, kind in space.get("__annotations__", {}).items():
        if "ClassVar" in (kind if isinstance(kind, str) else str(kind)):
            continue
        given = space.get(name, _Missing)
        own[name] = given if isinstance(given, Field) else Field(given)
        own[name].name, own[name].type, own[name].kw_only = name, kind, kw_only
    return own


def _key(names: list[str]) -> "Callable[[Any], object]":
    return attrgetter(*names) if names else _nothing


def _nothing(_: object) -> tuple[()]:
    return ()


def _add_methods(space: "Space", *, frozen: bool, order: bool) -> None:
    """Adds what a class does not define itself."""
    space["__lean_frozen__"] = frozen
    space.setdefault("__init__", _first_init)
    space.setdefault("__repr__", _repr)
    space.setdefault("__eq__", _eq)
    if space.get("__hash__") is None:
        space["__hash__"] = _hash if frozen else None
    if frozen:
        space.update(__setattr__=_refuse_set, __delattr__=_refuse_delete)
        space.setdefault("__getstate__", _state)
        space.setdefault("__setstate__", _set_state)
    if order:
        space.update(__lt__=_lt, __le__=_le, __gt__=_gt, __ge__=_ge)


def _first_init(self: "Any", /, *args: object, **kwargs: object) -> None:
    """Compiles the constructor of a class, which takes this one's place."""
    owner: Any = next(cls for cls in type(self).__mro__ if "__lean_fields__" in vars(cls))
    owner.__init__ = _compiled_init(owner)
    owner.__init__(self, *args, **kwargs)


def _compiled_init(owner: "Any") -> "Callable[..., None]":
    given: Space = {"set_": object.__setattr__, "missing": _Missing}
    by_place: list[str] = ["self"]
    by_name: list[str] = []
    body: list[str] = []
    for name, each in owner.__lean_fields__.items():
        parameter, value = name, name
        if each.default is not _Missing:
            given[f"default_{name}"] = each.default
            parameter += f"=default_{name}"
        elif each.default_factory is not _Missing:
            given[f"make_{name}"] = each.default_factory
            parameter += "=missing"
            value = f"make_{name}() if {name} is missing else {name}"
        (by_name if each.kw_only else by_place).append(parameter)
        is_frozen = owner.__lean_frozen__
        body.append(f" set_(self, {name!r}, {value})" if is_frozen else f" self.{name} = {value}")
    listed = ", ".join([*by_place, *(["*", *by_name] if by_name else [])])
    scope: Space = {}
    # The text holds nothing but names of fields, which are names of Python.
    exec(f"def __init__({listed}):\n" + "\n".join(body or [" pass"]), given, scope)  # noqa: S102
    made: Callable[..., None] = scope["__init__"]
    made.__qualname__ = f"{owner.__qualname__}.__init__"
    return made


def _repr(self: "Any") -> str:
    said = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__lean_fields__)
    return f"{type(self).__qualname__}({said})"


def _eq(self: "Any", other: "Any") -> bool:
    if other.__class__ is not self.__class__:
        # Anything else may know how to compare itself with this.
        return NotImplemented  # type: ignore[no-any-return]
    return self is other or bool(self.__lean_key__(self) == other.__lean_key__(other))


def _hash(self: "Any") -> int:
    return hash(self.__lean_key__(self))


def _lt(self: "Any", other: "Any") -> bool:
    return bool(self.__lean_key__(self) < _key_of(self, other))


def _le(self: "Any", other: "Any") -> bool:
    return bool(self.__lean_key__(self) <= _key_of(self, other))


def _gt(self: "Any", other: "Any") -> bool:
    return bool(self.__lean_key__(self) > _key_of(self, other))


def _ge(self: "Any", other: "Any") -> bool:
    return bool(self.__lean_key__(self) >= _key_of(self, other))


def _key_of(self: "Any", other: "Any") -> "Any":
    if other.__class__ is not self.__class__:
        raise TypeError(f"{type(self).__name__} and {type(other).__name__} have no order")
    return other.__lean_key__(other)


def _refuse_set(_self: object, name: str, _value: object) -> None:
    raise AttributeError(f"cannot assign to field {name!r}")


def _refuse_delete(_self: object, name: str) -> None:
    raise AttributeError(f"cannot delete field {name!r}")


def _state(self: "Any") -> list[object]:
    return [getattr(self, name) for name in self.__lean_fields__]


def _set_state(self: "Any", state: list[object]) -> None:
    for name, value in zip(self.__lean_fields__, state, strict=True):
        object.__setattr__(self, name, value)
