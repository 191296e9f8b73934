"""Ids of tasks: how they are told apart, sorted, found, and made."""

import shlex
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitwfp.model.plan import Place, Plan, SessionRef, Shape
from gitwfp.model.task import Task, TaskId, find_id, id_key, is_task_id, unpadded
from gitwfp.policy.ids import new_ids
from gitwfp.policy.message import ids_in, listed, subject
from gitwfp.policy.names import as_argument, ref_part, replan_branch, replan_time

REF = SessionRef("WFS-t", ".workflow/active/WFS-t", Place.ACTIVE, ".workflow")
odd_ids = st.text(alphabet="AaZ019.-_²٣中\n/", max_size=8)
ids = st.from_regex(
    r"[A-Za-z][A-Za-z]{0,3}(-[0-9]{1,4}|\.[0-9]{1,2}|-[a-z]{1,3}){0,2}", fullmatch=True
)


def plan_with(names: tuple[str, ...], shape: Shape = Shape.NESTED) -> Plan:
    """Returns a plan of tasks without content."""
    tasks = {TaskId(name): Task(TaskId(name), {}) for name in names}
    return Plan(ref=REF, session={}, tasks=tasks, documents={}, shape=shape)


@pytest.mark.parametrize(
    ("names", "taken", "shape", "wanted"),
    [
        ((), (), Shape.NESTED, ("IMPL-1", "IMPL-2")),
        ((), (), Shape.EMBEDDED, ("T1", "T2")),
        (("IMPL-1", "IMPL-2"), (), Shape.NESTED, ("IMPL-3", "IMPL-4")),
        (("IMPL-001", "IMPL-002"), (), Shape.FLAT, ("IMPL-003",)),
        (("IMPL-009",), (), Shape.FLAT, ("IMPL-010",)),
        (("IMPL-999",), (), Shape.FLAT, ("IMPL-1000",)),
        (("IMPL-9",), (), Shape.FLAT, ("IMPL-10",)),
        (("IMPL-1", "IMPL-7"), (), Shape.NESTED, ("IMPL-8",)),
        (("IMPL-1",), ("IMPL-5",), Shape.NESTED, ("IMPL-6",)),
        (("IMPL-1",), ("IMPL-005",), Shape.NESTED, ("IMPL-6",)),
        (("IMPL-1",), ("impl-5",), Shape.NESTED, ("IMPL-6",)),
        (("IMPL-1",), ("TASK-50",), Shape.NESTED, ("IMPL-2",)),
        (("IMPL-1", "IMPL-1.1", "IMPL-1.2"), (), Shape.NESTED, ("IMPL-2",)),
        (("IMPL-A1", "IMPL-A2", "IMPL-B1"), (), Shape.NESTED, ("IMPL-A3",)),
        (("TASK-001", "TASK-002", "IMPL-9"), (), Shape.FLAT, ("TASK-003",)),
        (("T1", "T2"), (), Shape.EMBEDDED, ("T3",)),
        (("FIX1",), (), Shape.EMBEDDED, ("FIX2",)),
        (("L0",), (), Shape.FLAT, ("L1",)),
        (("alpha", "beta"), (), Shape.NESTED, ("IMPL-1",)),
        (("IMPL-" + "9" * 5000, "IMPL-2"), (), Shape.NESTED, ("IMPL-3",)),
    ],
)
def test_new_ids(
    names: tuple[str, ...], taken: tuple[str, ...], shape: Shape, wanted: tuple[str, ...]
) -> None:
    """Decision 14: the next id is one above the highest ever used, in the session's own style."""
    found = new_ids(plan_with(names, shape), iter(taken))
    assert tuple(islice(found, len(wanted))) == wanted


@given(st.lists(ids, max_size=6, unique=True), st.lists(ids, max_size=6))
def test_new_ids_are_new(names: list[str], taken: list[str]) -> None:
    """A new id is valid, and not one that is or was in use, whatever its padding and case."""
    fresh = list(islice(new_ids(plan_with(tuple(names)), taken), 5))
    used = {unpadded(text) for text in [*names, *taken]}
    assert not used & {unpadded(text) for text in fresh}
    assert len({unpadded(text) for text in fresh}) == 5
    assert all(is_task_id(text) for text in fresh)


@pytest.mark.parametrize(
    ("wanted", "known", "found"),
    [
        ("IMPL-1", ("IMPL-1", "IMPL-001"), "IMPL-1"),
        ("impl-1", ("IMPL-1", "IMPL-001"), "IMPL-1"),
        ("IMPL-01", ("IMPL-1",), "IMPL-1"),
        ("impl-3", ("IMPL-003",), "IMPL-003"),
        ("IMPL-3", ("IMPL-03", "IMPL-003"), None),
        ("impl-1", ("IMPL-1", "Impl-1"), None),
        ("IMPL-1", ("IMPL-10", "IMPL-11"), None),
        ("IMPL-1", ("IMPL-1.1",), None),
        ("IMPL-1.01", ("IMPL-01.1",), "IMPL-01.1"),
        ("", ("IMPL-1",), None),
        ("IMPL-1", ("IMPL-1", "IMPL-1"), "IMPL-1"),
        ("impl-1", ("IMPL-1", "IMPL-1"), "IMPL-1"),
    ],
)
def test_finding_ids(wanted: str, known: tuple[str, ...], found: str | None) -> None:
    """An id is found exactly, else but for case, else but for padding; never if two would fit."""
    assert find_id(wanted, map(TaskId, known)) == found


@given(odd_ids, odd_ids, odd_ids)
def test_any_text_can_be_sorted(one: str, other: str, third: str) -> None:
    """Whatever a file calls its tasks, they have one order, in which numbers count."""
    keys = [id_key(text) for text in (one, other, third)]
    keys.sort()
    assert keys[0] <= keys[1] <= keys[2]
    assert id_key("IMPL-2") < id_key("IMPL-10") < id_key("IMPL-10.1") < id_key("IMPL-11")
    assert id_key("IMPL-" + "9" * 5000) < id_key("IMPL-" + "9" * 5001)
    assert id_key("IMPL-007") == id_key("impl-7")


@pytest.mark.parametrize(
    ("text", "is_id"),
    [
        ("IMPL-1", True),
        ("IMPL-1.2.3", True),
        ("IMPL-001.3-validation", True),
        ("IMPL-fix_1", True),
        ("T1", True),
        ("A" * 64, True),
        ("A" * 65, False),
        ("", False),
        ("1", False),
        ("-1", False),
        ("IMPL-", False),
        ("IMPL--1", False),
        ("..", False),
        ("IMPL/1", False),
        ("IMPL\\1", False),
        ("IMPL-1\n", False),
        ("IMPL-é", False),
        ("IMPL 1", False),
    ],
)
def test_what_can_be_an_id(text: str, is_id: bool) -> None:
    """An id begins with a letter, names one file and no path, and is at most 64 characters."""
    assert is_task_id(text) is is_id


@given(st.lists(ids, max_size=5))
def test_ids_in_a_trailer(names: list[str]) -> None:
    """Ids listed in a trailer are read back."""
    assert ids_in([listed(names)]) == tuple(names)


@given(st.text(max_size=60), st.text(max_size=120))
def test_subjects_are_short_lines(about: str, reason: str) -> None:
    """A subject is one line of at most 72 characters, whatever the request said."""
    line = subject("replan", about, reason)
    assert len(line) <= 72
    assert line.isprintable() or not (about + reason).isprintable()
    assert "\n" not in line


@given(st.text(max_size=40))
def test_ref_parts(text: str) -> None:
    """Any text becomes one valid component of a ref, and different texts stay different."""
    part = ref_part(text)
    assert part
    assert not any(each in part for each in (" ", "~", "^", ":", "?", "*", "[", "\\", "/", ".."))
    assert not part.startswith((".", "-"))
    assert not part.endswith((".", ".lock"))


def test_branches_and_times() -> None:
    """A replan's branch and time are spelt as the documents say."""
    stamp = replan_time("2026-11-30T19:07:52Z")
    assert stamp == "2026-11-30T19-07-52"
    assert replan_branch("WFS-auth", stamp) == "wfp/WFS-auth/replan-2026-11-30T19-07-52"


@given(st.text())
def test_arguments_to_copy(text: str) -> None:
    """A shell reads a word that is copied from a hint as the text that it stands for."""
    assert shlex.split(as_argument(text)) == [text]


@pytest.mark.parametrize("plain", ["WFS-a/2026-11-30T19-07-52", "WFS-登录/2026", "HEAD~1"])
def test_ordinary_arguments_stay_as_they_are(plain: str) -> None:
    """What no shell takes for anything else is not quoted, but for what may be."""
    assert as_argument(plain) == (plain if "~" not in plain else f"'{plain}'")
