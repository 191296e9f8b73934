"""The section of IMPL_PLAN.md that speaks of a task, and what it is told of a change."""

import difflib
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitwfp.files.implplan import headings
from gitwfp.files.markdown import Lines, read_outline
from gitwfp.files.planningnotes import set_goal
from gitwfp.files.plansections import News, section_of, tell_section


def lines(text: str) -> Lines:
    """Returns the lines of a text that begins with a line break."""
    return tuple(text.strip("\n").split("\n"))


PLAN = lines("""
# Implementation plan: auth

## 2. Modules

### Auth module (src/auth)

Passwords are hashed.

### Module B: Billing

- Euros only

## 5. Task Breakdown

- IMPL-1: Log in
- IMPL-3: Pay

### IMPL-2: Log out [P1]

Scope:
- Close the session

Acceptance:

1. The token is refused

**Verification**: `make test`

---

### ~~IMPL-4: Old~~ (obsolete)

## 6. Phases (IMPL-7)

- **Tasks**: IMPL-3, IMPL-10
""")


def came(after: Lines, before: Lines = PLAN) -> list[str]:
    """Returns the lines that went and came, with their signs."""
    return [step for step in difflib.ndiff(before, after) if step[0] in "+-"]


def heading_of(task_id: str, *paths: str, text: Lines = PLAN) -> str | None:
    """Returns the heading of the section that speaks of a task."""
    found = section_of(text, task_id, paths)
    return None if found is None else text[found.start]


def test_the_section_of_a_task_is_found() -> None:
    """A heading that introduces the task wins, then one that names it, then a line of tasks."""
    assert heading_of("IMPL-2", "src/auth") == "### IMPL-2: Log out [P1]"
    assert heading_of("IMPL-7") == "## 6. Phases (IMPL-7)"
    assert heading_of("IMPL-10") == "## 6. Phases (IMPL-7)"
    assert heading_of("IMPL-1") is None
    assert heading_of("IMPL-4") is None
    both = ("# Phase (IMPL-1 to IMPL-3)", "# IMPL-1: Log in")
    assert heading_of("IMPL-1", text=both) == "# IMPL-1: Log in"


@pytest.mark.parametrize(
    ("path", "heading"),
    [
        ("src/auth", "### Auth module (src/auth)"),
        ("src/auth/login.ts", "### Auth module (src/auth)"),
        ("server/auth/", "### Auth module (src/auth)"),
        ("src/billing", "### Module B: Billing"),
        ("./src/billing/**", "### Module B: Billing"),
        ("src", None),
        ("src/modules", "## 2. Modules"),
        ("/", None),
        ("", None),
    ],
)
def test_the_section_of_a_module_is_found(path: str, heading: str | None) -> None:
    """A module is named by its path or by its folder's name alone, never in the title."""
    assert heading_of("IMPL-9", path) == heading
    assert heading_of("IMPL-9", "src/integration", text=("## Feature integration",)) is None


def test_a_task_s_own_section_gets_a_bullet_in_its_list() -> None:
    """Requirements and criteria go to the lists that the section has of them."""
    told = tell_section(PLAN, "IMPL-2", (), News(come=("Say goodbye",)))
    assert came(told) == ["+ - Say goodbye"]
    assert told[told.index("- Say goodbye") - 1] == "- Close the session"
    told = tell_section(told, "IMPL-2", (), News(come=("A page says so",), are_criteria=True))
    assert came(told) == ["+ - Say goodbye", "+ 2. A page says so"]


def test_a_module_s_section_names_the_task() -> None:
    """In a section about more than the task, the bullet says which task it is about."""
    told = tell_section(PLAN, "IMPL-1", ("src/auth/x.ts",), News(come=("Limit attempts",)))
    assert came(told) == ["+ ", "+ - IMPL-1: Limit attempts"]
    told = tell_section(told, "IMPL-3", ("src/billing",), News(come=("Round up",)))
    assert told[told.index("- Euros only") + 1] == "- IMPL-3: Round up"


def test_a_list_of_something_else_is_not_continued() -> None:
    """Behind a list under another label a list of its own begins, with another mark."""
    text = ("## IMPL-1: Log in", "", "Risks:", "- Nobody can log in", "", "## Next")
    told = tell_section(text, "IMPL-1", (), News(come=("Limit attempts",)))
    assert told == (*text[:4], "", "* Limit attempts", *text[4:])
    again = tell_section(told, "IMPL-1", (), News(come=("Log them",)))
    assert again == (*told[:6], "* Log them", *told[6:])


def test_labels_may_be_bullets_and_headings() -> None:
    """The list of requirements may lie below a bullet or a heading."""
    text = ("## IMPL-1: Log in", "- **Deliverables**:", "  - A page", "- **Files**: x")
    told = tell_section(text, "IMPL-1", (), News(come=("A form",)))
    assert told == (*text[:3], "  - A form", text[3])
    wide = ("## IMPL-1: Log in", "", "#### 需求", "", "- 登录页", "", "#### 备注", "无")
    told = tell_section(wide, "IMPL-1", (), News(come=("限流",)))
    assert told == (*wide[:5], "- 限流", *wide[5:])


def test_what_an_entry_said_gives_way() -> None:
    """The bullet that said it says the new words in the same place, or goes."""
    changed = News(gone=("close the session.",), come=("Close all sessions",))
    told = tell_section(PLAN, "IMPL-2", (), changed)
    assert came(told) == ["- - Close the session", "+ - Close all sessions"]
    gone = tell_section(PLAN, "IMPL-2", (), News(gone=("Close the session",)))
    assert came(gone) == ["- - Close the session"]
    assert tell_section(PLAN, "IMPL-2", (), News(gone=("Passwords are hashed",))) == PLAN
    at = PLAN.index("- Close the session") + 1
    longer = (*PLAN[:at], "  with a note", *PLAN[at:])
    assert tell_section(longer, "IMPL-2", (), News(gone=("Close the session",))) == longer


def test_what_may_be_written_can_be_limited() -> None:
    """News that stand only in a list of their kind, or only instead of others, add nothing else."""
    only = News(come=("x",), are_criteria=True, only_listed=True)
    assert tell_section(PLAN, "IMPL-1", ("src/auth",), only) == PLAN
    only = News(("Euros",), ("Dollars",), only_instead=True)
    assert tell_section(PLAN, "IMPL-3", ("src/billing",), only) == PLAN


def test_the_goal_in_the_notes_follows() -> None:
    """The labelled line has the new goal, or the paragraph below a heading that is the label."""
    for line, wanted in (
        ("- **GOAL**: Sign in", "- **GOAL**: New"),
        ("- **Goal**: `x`", "- **Goal**: New"),
        ("GOAL: 做", "GOAL: New"),
        ("- **目标**：做", "- **目标**：New"),
    ):
        assert set_goal(("# Notes", "", line, "- **SCOPE**: y"), "New") == (
            *("# Notes", "", wanted),
            "- **SCOPE**: y",
        )
    heading = ("### GOAL", "做完。", "", "### SCOPE", "x")
    assert set_goal(heading, "- New") == ("### GOAL", "\\- New", *heading[2:])
    assert set_goal(("### GOAL", "one", "two"), "New") is None
    assert set_goal(("```", "GOAL: x", "```", "The goal: x"), "New") is None


texts = st.lists(
    st.sampled_from(
        [
            *("", "", "# Plan", "## src/a", "### Sub", "text", "- bullet", "* star", "  deeper"),
            *(
                "1. one",
                "  - nested",
                "Scope:",
                "**Acceptance**:",
                "#### Requirements",
                "- [ ] box",
            ),
            *("### IMPL-1: one", "## A module", "- **Tasks**: IMPL-1", "---", "```", "<!-- c -->"),
            *("| IMPL-1 | x |", "Title", "===", "- It is so", "- IMPL-1: It is so"),
        ]
    ),
    max_size=16,
).map(tuple)
news = st.builds(News, come=st.just(("It is new",)), are_criteria=st.booleans())


@given(texts, news)
def test_told_and_taken_back_is_nothing(text: Lines, what: News) -> None:
    """What was told once is not told twice, and all that is taken back with it is its own line."""
    told = tell_section(text, "IMPL-1", ("src/a",), what)
    assert tell_section(told, "IMPL-1", ("src/a",), what) == told
    assert [one.text for one in headings(told)] == [one.text for one in headings(text)]
    rest = iter(told)
    assert all(line in rest for line in text), "what was there is there, in its order"
    new = Counter(told) - Counter(text)
    assert sum(count for line, count in new.items() if line.strip()) == (told != text)
    outline, after = read_outline(text), read_outline(told)
    hidden = [line for line, is_text in zip(text, outline.is_text, strict=True) if not is_text]
    still = [line for line, is_text in zip(told, after.is_text, strict=True) if not is_text]
    assert still == hidden
    back = tell_section(told, "IMPL-1", ("src/a",), News(gone=what.come))
    assert [line for line in back if line.strip()] == [line for line in text if line.strip()]


@given(texts)
def test_an_entry_changes_in_its_line_alone(text: Lines) -> None:
    """An entry that gives way to another changes one line; where none says it, nothing goes."""
    what = News(("It is so",), ("It is new",), only_instead=True)
    told = tell_section(text, "IMPL-1", ("src/a",), what)
    differing = [(old, new) for old, new in zip(text, told, strict=True) if old != new]
    assert len(differing) <= 1
    assert all(new == old.replace("It is so", "It is new") for old, new in differing)


@given(st.lists(st.text(alphabet=st.characters(exclude_characters="\n")), max_size=6).map(tuple))
def test_any_text_can_be_read_and_told(text: Lines) -> None:
    """No line, however strange, makes an editor fail."""
    section_of(text, "IMPL-1", ("src/a",))
    tell_section(text, "IMPL-1", (text[0] if text else "",), News((*text[:1],), (*text[1:2],)))
    set_goal(text, "New")


def test_real_plans_are_told_in_one_place(corpus: Path) -> None:
    """On every real plan, news of a task add a line or two, and most plans take them."""
    told = plans = 0
    for path in sorted(corpus.glob("**/IMPL_PLAN.md")):
        text = tuple(path.read_bytes().decode().replace("\r\n", "\n").split("\n"))
        plans += 1
        took = False
        for task_id in ("IMPL-001", "IMPL-1", "IMPL-1.1"):
            after = tell_section(text, task_id, (), News(come=("Limit attempts",)))
            took = took or after != text
            assert len(after) - len(text) in (0, 1, 2), path
            assert tell_section(after, task_id, (), News(gone=("Limit attempts",))) == text, path
        told += took
    assert told >= plans / 2
