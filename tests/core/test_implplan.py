"""IMPL_PLAN.md: its outline, and what a replan may touch in it."""

import difflib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from gitwfp.files.implplan import (
    Lines,
    add_task_line,
    change_entries,
    drop_change,
    headings,
    is_bookkeeping_line,
    note_change,
    retitle_task,
    set_counts,
    set_modified_date,
    strike_task,
)
from gitwfp.files.markdown import as_paragraph, read_outline


def lines(text: str) -> Lines:
    """Returns the lines of a text that begins with a line break."""
    return tuple(text.strip("\n").split("\n"))


PLAN = lines("""
---
identifier: WFS-login
title: "# no heading"
---

# Implementation Plan: Login

**Last Modified**: 2026-01-02

## 1. Summary

Build it.

```md
## 9. Changes
- in code: IMPL-1
```

## 5. Task Breakdown Summary

### Task Count
**2 tasks** (flat)

### Task Structure
- **IMPL-1**: Log in
  - with a note
- **IMPL-2**: Log out

### Dependencies
- IMPL-2 after IMPL-1

## 6. Phases

### Phase 1: Frontend
- **Tasks**: IMPL-1, IMPL-10

#### IMPL-2: Log out [P1] [Summary](./x.md)

Text of two.
""")


def came(before: Lines, after: Lines) -> list[str]:
    """Returns the lines that went and came, with their signs."""
    return [step for step in difflib.ndiff(before, after) if step[0] in "+-"]


def test_headings_are_those_that_a_reader_sees() -> None:
    """Front matter, code and comments have none; an underlined paragraph is one."""
    found = headings(PLAN)
    assert [(one.level, one.text) for one in found][:3] == [
        (1, "Implementation Plan: Login"),
        (2, "1. Summary"),
        (2, "5. Task Breakdown Summary"),
    ]
    text = lines("""
Title
=====
<!--
# hidden
-->
Two
lines
---
- item
---
# Closed #
#no heading
""")
    assert [(one.line, one.level, one.text, one.lines) for one in headings(text)] == [
        (0, 1, "Title", 2),
        (5, 2, "Two lines", 3),
        (10, 1, "Closed", 1),
    ]


def test_real_documents_have_the_headings_that_a_parser_finds(corpus: Path) -> None:
    """Our reading of headings and fences agrees with markdown-it on every real plan and list."""
    parser = MarkdownIt("commonmark").enable("table")
    compared = 0
    for path in [*corpus.glob("**/IMPL_PLAN.md"), *corpus.glob("**/TODO_LIST.md")]:
        text = tuple(path.read_bytes().decode().replace("\r\n", "\n").split("\n"))
        outline = read_outline(text)
        front = outline.is_text.index(True) if text[0] == "---" else 0
        body = ("",) * front + text[front:]
        wanted = []
        code: set[int] = set()
        for token in parser.parse("\n".join(body)):
            if token.map is not None and token.type == "heading_open" and token.level == 0:
                wanted.append((token.map[0], int(token.tag[1])))
            if token.map is not None and token.type == "fence":
                code |= set(range(*token.map))
        found = [(one.line, one.level) for one in outline.headings]
        # Front matter that does not stand first is an underlined heading to a parser.
        assert [one for one in wanted if ":" not in body[one[0]] or one in found] == found, path
        assert {at for at in range(front, len(text)) if not outline.is_text[at]} == code, path
        compared += 1
    assert compared > 40


def test_a_change_is_noted_at_the_end_and_dropped_again() -> None:
    """The section is made for the first bullet and goes with the last one."""
    one = note_change(PLAN, "2026-11-30: split IMPL-2")
    assert one == (*PLAN, "", "## Changes", "", "- 2026-11-30: split IMPL-2")
    two = note_change(one, "more\n words")
    assert two == (*one, "- more words")
    assert change_entries(two) == ("2026-11-30: split IMPL-2", "more words")
    assert note_change(two, "more words") == two
    assert drop_change(two, "more words") == one
    assert drop_change(drop_change(two, "2026-11-30: split IMPL-2"), "more words") == PLAN
    assert drop_change(PLAN, "never noted") == PLAN


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ((), ("## Changes", "", "- new")),
        (("# T", "text", "", ""), ("# T", "text", "", "## Changes", "- new", "", "")),
        (("## 4. 变更记录", "* old", "", "## Z"), ("## 4. 变更记录", "* old", "* new", "", "## Z")),
        (
            ("## Changes", "", "Text.", "", "---", "", "*end*", "## Z"),
            ("## Changes", "", "Text.", "", "---", "", "*end*", "- new", "## Z"),
        ),
        (
            ("## Changes", "", "Text.", "", "---", "", "### Z"),
            ("## Changes", "", "Text.", "", "- new", "", "---", "", "### Z"),
        ),
        (("text", "```", "open"), ("text", "", "## Changes", "", "- new", "```", "open")),
    ],
)
def test_a_change_fits_the_document(text: Lines, result: Lines) -> None:
    """Blank lines, bullets, footers and open fences of the document are respected."""
    assert note_change(text, "new") == result
    assert drop_change(result, "new") == text


def test_an_entry_cannot_become_another_block() -> None:
    """What a request says stays a line of words, in bullets and in paragraphs."""
    for text in ("# Head", "- item", "```", "1. one", "---", "> quote", "| a |", "<!-- x"):
        assert as_paragraph(text) == "\\" + text
        noted = note_change(("# T",), text)
        assert change_entries(noted) == ("\\" + text,)
        assert len(headings(noted)) == 2
        assert drop_change(noted, text) == ("# T",)
    assert note_change(PLAN, " \n") == PLAN


def test_bullets_of_people_are_theirs() -> None:
    """A bullet with further lines is no entry, and keeps the section alive."""
    text = ("## Changes", "", "- long", "  story", "", "- short")
    assert change_entries(text) == ("short",)
    assert drop_change(text, "long") == text
    assert drop_change(text, "short") == text[:4]


def test_a_task_line_joins_the_breakdown() -> None:
    """It stands behind the last task of the list and its notes, in their style."""
    assert came(PLAN, add_task_line(PLAN, "IMPL-3", "New")) == ["+ - **IMPL-3**: New"]
    text = ("## 3. 任务拆解（Wave-1）", "1. `IMPL-001` 定义", "2. `IMPL-002` 实现", "", "## 4. DAG")
    result = add_task_line(text, "IMPL-003", "验证")
    assert result[3] == "3. `IMPL-003` 验证"
    assert add_task_line(result, "IMPL-003", "验证") == result
    for other in (
        ("## Task Breakdown", "| IMPL-1 | A |"),
        ("## Task Breakdown", "### IMPL-1: A", "- Effort: 2h"),
        ("## Other", "- **IMPL-1**: A"),
    ):
        assert add_task_line(other, "IMPL-2", "B") == other


def test_a_task_is_renamed_where_it_is_introduced() -> None:
    """Its line in the breakdown and its heading change; tags behind the title stay."""
    result = retitle_task(PLAN, "IMPL-2", "Sign out")
    assert [line[2:] for line in came(PLAN, result) if line[0] == "+"] == [
        "- **IMPL-2**: Sign out",
        "#### IMPL-2: Sign out [P1] [Summary](./x.md)",
    ]
    assert retitle_task(result, "IMPL-2", "Sign out") == result
    assert retitle_task(PLAN, "IMPL-9", "X") == PLAN
    assert retitle_task(("### ✅ IMPL-1: A",), "IMPL-1", "B") == ("### ✅ IMPL-1: B",)
    assert retitle_task(("### IMPL-1 results",), "IMPL-1", "B") == ("### IMPL-1 results",)


def test_a_removed_task_is_struck_where_it_is_introduced() -> None:
    """Mentions elsewhere are left to people."""
    result = strike_task(PLAN, "IMPL-2")
    assert [line[2:] for line in came(PLAN, result) if line[0] == "+"] == [
        "- ~~**IMPL-2**: Log out~~ (obsolete)",
        "#### ~~IMPL-2: Log out~~ (obsolete) [P1] [Summary](./x.md)",
    ]
    assert strike_task(result, "IMPL-2") == result
    assert retitle_task(result, "IMPL-2", "New") == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("**2 tasks** (flat)", "**3 tasks** (flat)"),
        ("### Task Count: **2 tasks**", "### Task Count: **3 tasks**"),
        ("- **Total Tasks**: 2", "- **Total Tasks**: 3"),
        ("**Total Tasks:** 2", "**Total Tasks:** 3"),
        ("**2 个任务** (扁平)", "**3 个任务** (扁平)"),
        ("**总任务数**: 2", "**总任务数**: 3"),
        ("**总计**: 2个任务，约15.5人天", "**总计**: 3个任务，约15.5人天"),
        ("## Module A: Frontend (2 tasks)", "## Module A: Frontend (3 tasks)"),
        ("## 4. 任务拆解（2 个）", "## 4. 任务拆解（3 个）"),
        ("**12 tasks**", "**12 tasks**"),
        ("Total Tasks: 22", "Total Tasks: 22"),
        ("We split 2 tasks (2 tasks) here", "We split 2 tasks (2 tasks) here"),
        ("- **High** (P1): 2 tasks", "- **High** (P1): 2 tasks"),
    ],
)
def test_counts_are_kept_where_they_are_stated(text: str, result: str) -> None:
    """Lines that state the number of tasks follow it; other numbers are not counts."""
    assert set_counts((text,), 2, 3) == (result,)
    assert set_counts((result,), 3, 2) == (text,)


def test_counts_in_code_and_of_modules_are_left_alone() -> None:
    """A number in a fence is an example; where each module has one, none is the total."""
    text = ("```", "**2 tasks**", "```", "## A (2 tasks)", "## B (1 task)", "Total Tasks: 2")
    assert set_counts(text, 2, 1) == (*text[:5], "Total Tasks: 1")
    assert set_counts(("**1 task**",), 1, 2) == ("**2 tasks**",)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("**Last Modified**: 2026-01-02", "**Last Modified**: DATE"),
        ("**Last Updated:** 2026-01-02T10:00:00Z", "**Last Updated:** DATE"),
        ("## Updated: 2026-02-01", "## Updated: DATE"),
        ("(Updated at 2026-03-03)", "(Updated at DATE)"),
        ("**更新时间**: 2026-02-02 (v2.0)", "**更新时间**: DATE (v2.0)"),
        ("**最后更新**: 2025-12-07", "**最后更新**: DATE"),
        ("- Last updated: 2026/1/2", "- Last updated: DATE"),
        ("**Created**: 2026-01-02", None),
        ("- Updated backend services", None),
        ("- Updated 2026-01-02: a new requirement", None),
        ("更新 CMakeLists.txt", None),
    ],
)
def test_the_date_of_change_is_kept_where_there_is_one(text: str, result: str | None) -> None:
    """Only lines that state when the document was changed get the new date."""
    date = "2026-11-30"
    wanted = text if result is None else result.replace("DATE", date)
    assert set_modified_date((text,), date) == (wanted,)
    assert set_modified_date(("```", text), date) == ("```", text)
    assert is_bookkeeping_line(text) is (result is not None)


@pytest.mark.parametrize(
    ("line", "is_book"),
    [
        ("**Total Tasks**: 12", True),
        ("- **Completed**: 6 ✅", True),
        ("- **In Progress**: 0", True),
        ("**已完成**: 17 (100%) ✅", True),
        ("**完成**: 12/12 | **进度**: 100% ✅", True),
        ("- **Completion**: 50%", True),
        ("**Status**: Completed", True),
        ("**状态**: ✅ 已完成", True),
        ("**3 tasks** (flat)", True),
        ("- Pending: 3 approvals by legal", False),
        ("**Status**: Active users see it", False),
        ("Completed: the login flow", False),
        ("- **IMPL-1**: Log in", False),
        ("", False),
    ],
)
def test_bookkeeping_is_told_from_content(line: str, is_book: bool) -> None:
    """Counts, progress and states follow from the plan; a sentence about them does not."""
    assert is_bookkeeping_line(line) is is_book


texts = st.lists(
    st.sampled_from(
        [
            "",
            "",
            "# Plan",
            "## 1. Summary",
            "### Sub",
            "text",
            "- bullet",
            "* star",
            "  deeper",
            "1. IMPL-1: one",
            "- **IMPL-2**: two",
            "## Task Breakdown",
            "### IMPL-1: one",
            "**2 tasks**",
            "**Last Modified**: 2026-01-01",
            "---",
            "```",
            "<!-- c -->",
            "| IMPL-1 | x |",
            "Title",
            "===",
        ]
    ),
    max_size=16,
).map(tuple)
with_changes = st.builds(
    lambda front, body, back: (*front, "## Changes", *body, *back),
    texts,
    st.sampled_from([("- old",), ("", "Text."), ("", "- old", "", "- older"), ("text", "* old")]),
    st.sampled_from([(), ("",), ("", "## Next", "x"), ("## Next",), ("### Sub", "- x")]),
)
entries = st.sampled_from(["2026-11-30: x", "# new", "- y", "支持登录", "---", "a  b"])


@given(st.one_of(texts, with_changes), entries)
@example(("---", "```", "---"), "x")
def test_note_then_drop_is_nothing(text: Lines, entry: str) -> None:
    """A change that was noted and dropped leaves the document byte for byte as it was."""
    noted = note_change(text, entry)
    assert as_paragraph(entry) in change_entries(noted)
    assert note_change(noted, entry) == noted
    assert drop_change(noted, entry) == text
    assert not [line for line in difflib.ndiff(text, noted) if line.startswith("- ")]


@given(texts, st.sampled_from(["IMPL-1", "IMPL-2"]))
def test_editors_settle_and_touch_few_lines(text: Lines, task_id: str) -> None:
    """Each editor does its work once, and never inside a fence."""
    outline = read_outline(text)
    hidden = [line for line, is_text in zip(text, outline.is_text, strict=True) if not is_text]
    edits: tuple[Callable[[Lines], Lines], ...] = (
        lambda doc: add_task_line(doc, "IMPL-7", "New"),
        lambda doc: retitle_task(doc, task_id, "New"),
        lambda doc: strike_task(doc, task_id),
        lambda doc: set_counts(doc, 2, 3),
        lambda doc: set_modified_date(doc, "2026-11-30"),
    )
    for edit in edits:
        result = edit(text)
        assert edit(result) == result
        after = read_outline(result)
        still = [line for line, is_text in zip(result, after.is_text, strict=True) if not is_text]
        assert still == hidden


@given(st.lists(st.text(alphabet=st.characters(exclude_characters="\n")), max_size=6).map(tuple))
def test_any_text_can_be_read_and_edited(text: Lines) -> None:
    """No line, however strange, makes a reader or an editor fail."""
    headings(text)
    strike_task(retitle_task(add_task_line(text, "IMPL-1", "T"), "IMPL-1", "U"), "IMPL-1")
    set_modified_date(set_counts(text, 1, 2), "2026-11-30")
    for line in text:
        is_bookkeeping_line(line)


def test_real_plans_survive_edits(corpus: Path) -> None:
    """On every real plan, notes come and go without a trace and edits touch few lines."""
    listed = 0
    for path in sorted(corpus.glob("**/IMPL_PLAN.md")):
        text = tuple(path.read_bytes().decode().replace("\r\n", "\n").split("\n"))
        noted = note_change(text, "2026-11-30: x")
        assert drop_change(noted, "2026-11-30: x") == text, path
        assert len(noted) - len(text) <= 4
        grown = add_task_line(text, "IMPL-999", "New")
        listed += grown != text
        assert len(grown) - len(text) in (0, 1)
        for task_id in ("IMPL-001", "IMPL-1", "IMPL-1.1"):
            for result in (retitle_task(text, task_id, "New"), strike_task(text, task_id)):
                assert sum(a != b for a, b in zip(text, result, strict=True)) <= 3, path
    assert listed >= 6
