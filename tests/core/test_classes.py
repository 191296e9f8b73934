"""Our dataclasses are what the standard library would make of the same classes."""

import copy
import dataclasses
import importlib
import inspect
import pickle
import pkgutil
from typing import Any

import pytest

import gitwfp
from gitwfp import classes, lean


def _all() -> list[Any]:
    """Returns every dataclass of the package."""
    found = []
    for module in pkgutil.walk_packages(gitwfp.__path__, "gitwfp."):
        if module.name.endswith("__main__"):
            continue
        held = vars(importlib.import_module(module.name))
        found += [
            value
            for value in held.values()
            if inspect.isclass(value)
            and value.__module__ == module.name
            and "__lean_fields__" in vars(value)
        ]
    return found


CLASSES = _all()
VALUES = ("one", "other")


def _twin(cls: Any) -> Any:
    """Returns what the library makes of the fields of a class."""
    specified = []
    for each in lean.fields(cls):
        given: dict[str, Any] = {"compare": each.compare, "kw_only": each.kw_only}
        if each.default is not lean.field().default:
            given["default"] = each.default
        elif each.default_factory is not lean.field().default:
            given["default_factory"] = each.default_factory
        specified.append((each.name, object, dataclasses.field(**given)))
    is_ordered = "__lt__" in vars(cls)
    is_frozen = vars(cls)["__lean_frozen__"]
    return dataclasses.make_dataclass(
        cls.__qualname__, specified, frozen=is_frozen, order=is_ordered, slots=True
    )


def _given(cls: Any, value: str) -> dict[str, str]:
    """Returns a value for each field of a class."""
    return {each.name: f"{each.name} {value}" for each in lean.fields(cls)}


def _needed(cls: Any) -> dict[str, str]:
    """Returns a value for each field that a call must give."""
    nothing = lean.field().default
    return {
        each.name: each.name
        for each in lean.fields(cls)
        if each.default is nothing and each.default_factory is nothing
    }


def _raised(call: Any) -> type[BaseException] | None:
    try:
        call()
    except Exception as error:  # noqa: BLE001 - which one is what is asked
        return type(error)
    return None


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__qualname__)
def test_a_class_is_what_the_library_makes_of_it(cls: Any) -> None:
    """Construction, defaults, comparison, hashing, text and copies are the same."""
    twin = _twin(cls)
    one, again, other = (cls(**_given(cls, value)) for value in (*VALUES[:1], *VALUES))
    its_one, its_other = (twin(**_given(cls, value)) for value in VALUES)
    says_itself = "__repr__" in vars(cls) and vars(cls)["__repr__"].__module__ != "gitwfp.lean"
    assert says_itself or repr(one) == repr(its_one)
    assert one == again
    assert (one == other) is (its_one == its_other)
    assert one != its_one
    assert {name: getattr(one, name) for name in _given(cls, "")} == _given(cls, VALUES[0])
    assert _raised(lambda: hash(one)) is _raised(lambda: hash(its_one))
    if _raised(lambda: hash(one)) is None:
        assert hash(one) == hash(again)
    assert copy.copy(one) == copy.deepcopy(one) == pickle.loads(pickle.dumps(one)) == one
    assert not hasattr(one, "__dict__") or hasattr(cls.__mro__[1], "__dict__")


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__qualname__)
def test_a_class_is_called_as_the_library_has_it(cls: Any) -> None:
    """Defaults are there, what is needed is asked for, and what is not known is refused."""
    twin, needed = _twin(cls), _needed(cls)
    least, its_least = cls(**needed), twin(**needed)
    assert {each.name: getattr(least, each.name) for each in lean.fields(cls)} == {
        each.name: getattr(its_least, each.name) for each in dataclasses.fields(its_least)
    }
    assert str(inspect.signature(cls)).count(",") == str(inspect.signature(twin)).count(",")
    for made in (cls, twin):
        assert _raised(lambda made=made: made(**needed, unknown=1)) is TypeError
        if needed:
            assert _raised(made) is TypeError
    by_place = [each.name for each in lean.fields(cls) if not each.kw_only]
    assert cls.__match_args__ == twin.__match_args__ == tuple(by_place)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__qualname__)
def test_instances_change_as_the_library_lets_them(cls: Any) -> None:
    """A frozen instance stays as it is; another with some fields changed is another instance."""
    twin, given = _twin(cls), _given(cls, VALUES[0])
    one, its_one = cls(**given), twin(**given)
    for name in given:
        changed, its_changed = (
            classes.replace(one, **{name: "new"}),
            dataclasses.replace(its_one, **{name: "new"}),
        )
        assert (changed == one) is (its_changed == its_one)
        assert getattr(changed, name) == "new"
        may_set = _raised(lambda name=name: setattr(its_one, name, "new")) is None
        assert (_raised(lambda name=name: setattr(one, name, "new")) is None) is may_set
    if not given:
        assert classes.replace(one) == one


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__qualname__)
def test_the_library_knows_the_fields(cls: Any) -> None:
    """Whoever asks the library gets the fields of the class, and of an instance, from it."""
    names = [(each.name, each.compare, each.kw_only) for each in lean.fields(cls)]
    assert [(e.name, e.compare, e.kw_only) for e in dataclasses.fields(cls)] == names
    one: Any = cls(**_given(cls, VALUES[0]))
    assert classes.asdict(one) == dataclasses.asdict(one)
    assert dataclasses.is_dataclass(cls)
    assert classes.is_dataclass(cls)


@classes.dataclass(frozen=True, order=True)
class _Pair:
    left: int
    right: int = 0


def test_an_order() -> None:
    """Instances of an ordered class sort by their fields, and not among others."""
    assert sorted([_Pair(2), _Pair(1, 2), _Pair(1)]) == [_Pair(1), _Pair(1, 2), _Pair(2)]
    assert _Pair(1) <= _Pair(1) < _Pair(1, 1)
    assert _Pair(2) >= _Pair(2) > _Pair(1, 9)
    with pytest.raises(TypeError):
        sorted([_Pair(1), 1])  # type: ignore[type-var]


def test_there_are_many() -> None:
    """The classes of the package are these, and none of the library's is made at start-up."""
    assert len(CLASSES) > 200
