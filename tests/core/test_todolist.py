"""TODO lists: every form that is read, and editors that touch one task's lines."""

import difflib
import json
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gitwfp.files.todolist import (
    Lines,
    add_task,
    has_task_lines,
    ids_mentioned,
    is_editable,
    move_task,
    neutral_lines,
    remove_task,
    retitle,
    retitle_all,
    strike,
    strike_all,
    todo_items,
)

LIST: Lines = (
    "# Tasks: Login",
    "",
    "## Task Progress",
    "- [x] **IMPL-1**: Log in → [📋](./.task/IMPL-1.json) | [✅](./.summaries/IMPL-1-summary.md)",
    "  - Note of a person",
    "- [ ] **IMPL-2**: Log out → [📋](./.task/IMPL-2.json)",
    "",
    "## Status Legend",
    "- `- [ ]` = Pending task",
    "- [ ] IMPL-99: an example",
)


def lines(text: str) -> Lines:
    """Returns the lines of a text that begins with a line break."""
    return tuple(text.strip("\n").split("\n"))


def changed(before: Lines, after: Lines) -> tuple[list[str], list[str]]:
    """Returns the lines that went and the lines that came."""
    steps = list(difflib.ndiff(before, after))
    return (
        [step[2:] for step in steps if step.startswith("- ")],
        [step[2:] for step in steps if step.startswith("+ ")],
    )


@pytest.mark.parametrize(
    ("line", "task_id", "mark", "title"),
    [
        ("- [ ] **IMPL-1**: Title → [📋](./.task/IMPL-1.json)", "IMPL-1", "open", "Title"),
        ("- [x] **IMPL-1**: T → [✅](./.summaries/IMPL-1-summary.md)", "IMPL-1", "done", "T"),
        ("- [X] IMPL-A2: Title (TDD)", "IMPL-A2", "done", "Title (TDD)"),
        (
            "* [~] `IMPL-002` P0-1 建立（depends_on: `IMPL-001`）",
            "IMPL-002",
            "in_progress",
            "P0-1 建立",
        ),
        ("+ [!] IMPL-3 Title", "IMPL-3", "blocked", "Title"),
        ("  - [⧗] IMPL-3.1： 标题", "IMPL-3.1", "in_progress", "标题"),
        ("- [✅] T4: Title", "T4", "done", "Title"),
        ("- [IN PROGRESS] IMPL-4: Title", "IMPL-4", "in_progress", "Title"),
        ("- [COMPLETED] IMPL-4: Title", "IMPL-4", "done", "Title"),
        ("▸ **IMPL-5**: Title → [📋](./.task/IMPL-5.json)", "IMPL-5", "open", "Title"),
        ("- [ ] **IMPL-6: Title** -> [task](./.task/IMPL-6.json)", "IMPL-6", "open", "Title"),
        ("- [ ] **IMPL-6:** Title", "IMPL-6", "open", "Title"),
        ("- [ ] IMPL-7: (write → reload) → [📋](x.json)", "IMPL-7", "open", "(write → reload)"),
        (
            "- [ ] IMPL-8: Remove the cache (deprecated)",
            "IMPL-8",
            "open",
            "Remove the cache (deprecated)",
        ),
        ("- [x] 提取样式 → [✅ 2025-12-14]", None, "done", "提取样式"),
        ("- [ ] SHA-256 support", None, "open", "SHA-256 support"),
        ("- [ ] IMPL-1/IMPL-2 agree", None, "open", "IMPL-1/IMPL-2 agree"),
        ("- [ ] IMPL-1 → IMPL-2", None, "open", "IMPL-1 → IMPL-2"),
        ("- [ ] **Phase 3**: Later", None, "open", "Phase 3**: Later"),
    ],
)
def test_items_are_read_in_every_form(
    line: str, task_id: str | None, mark: str, title: str
) -> None:
    """Bullets, boxes, decoration, arrows and links differ; id, mark and title come out."""
    (item,) = todo_items((line,))
    assert (item.id, item.mark, item.title, item.obsolete) == (task_id, mark, title, False)
    assert item.is_container is line.startswith("▸")


@pytest.mark.parametrize(
    "line",
    [
        "- [x] ~~IMPL-1: Title~~ (obsolete)",
        "- [x] ~~**IMPL-1**: Title~~ (已废弃,替换为 IMPL-2)",
        "- [x] IMPL-1: Title (removed)",
        "- [ ] IMPL-1: Title (obsolete)",
        "- [x] **IMPL-1**: Title → [📋](./.task/IMPL-1.json) (已废弃)",
    ],
)
def test_removed_tasks_are_obsolete_whatever_the_box_says(line: str) -> None:
    """A struck line, or one with the remark, stands for no task, but its id is not free."""
    (item,) = todo_items((line,))
    assert (item.id, item.obsolete, item.title) == ("IMPL-1", True, "Title")
    assert ids_mentioned((line,)) == ("IMPL-1",)


@pytest.mark.parametrize(
    "line",
    [
        "- [Implementation Plan](./IMPL_PLAN.md)",
        "- `- [ ]` = Pending",
        "[note] text",
        "- plain bullet",
        "- [Note] IMPLEMENTATION",
        "- [ ]",
    ],
)
def test_other_lines_are_no_items(line: str) -> None:
    """Links, legends and bullets without a box are left to people."""
    assert todo_items((line,)) == ()


def test_code_comments_legends_and_edges_hold_no_items() -> None:
    """A task in a fence, a comment, front matter or a legend is an example, not a task."""
    text = lines("""
---
tasks: "- [ ] IMPL-0: x"
---
# Tasks
```
- [ ] IMPL-1: in code
```
  ~~~~
  - [ ] IMPL-2: in code
  ~~~
  ~~~~
<!--
- [ ] IMPL-3: hidden
-->
## ✅ 任务状态说明
- [ ] IMPL-4: legend
## Cross-Module Dependencies
- [ ] IMPL-A1: edge
### Deeper
- [ ] IMPL-A2: edge
## Tasks
- [ ] IMPL-5: real
""")
    assert [item.id for item in todo_items(text)] == ["IMPL-5"]
    assert todo_items(text)[0].line == len(text) - 1


def test_known_ids_of_any_form_are_found() -> None:
    """An id that looks like none is a task's if there is such a task."""
    text = ("- [ ] login flow: Title", "- [ ] SHA-256 hash")
    assert not has_task_lines(text)
    found = todo_items(text, ("login flow", "SHA-256"))
    assert [(item.id, item.title) for item in found] == [
        ("login flow", "Title"),
        ("SHA-256", "hash"),
    ]


def test_a_mention_is_no_second_line_of_a_task() -> None:
    """Where a task has its line, a criterion that begins with its name stays a criterion."""
    text = ("- [ ] **IMPL-1**: Title", "- [ ] IMPL-1 passes in CI")
    assert [item.id for item in todo_items(text)] == ["IMPL-1", None]
    assert retitle(text, "IMPL-1", "New")[1] == text[1]


def test_lists_without_task_lines_are_left_alone() -> None:
    """In a table, or under a heading for each task, there is nothing to edit."""
    table = ("| ID | Title |", "|---|---|", "| IMPL-1 | Log in |")
    heads = ("### IMPL-1: Log in", "- [ ] **任务**: x", "- [ ] IMPL-1.1: detail")
    for text in (table, heads, (), ("# Tasks", "")):
        assert not is_editable(text)
        assert add_task(text, "IMPL-2", "Log out", "./.task/IMPL-2.json") == text
        assert move_task(text, "IMPL-1", before="IMPL-2") == text
        for edit in (strike, remove_task):
            assert edit(text, "IMPL-1") == text
    assert ids_mentioned(table) == ("IMPL-1",)
    assert ids_mentioned(heads) == ("IMPL-1", "IMPL-1.1")
    assert is_editable(heads, ("IMPL-1.1",))


@pytest.mark.parametrize(
    ("text", "task_id", "added", "behind"),
    [
        (LIST, "IMPL-3", "- [ ] **IMPL-3**: New → [📋](LINK)", LIST[5]),
        (("- [x] IMPL-1: A", "  note"), "IMPL-2", "- [ ] IMPL-2: New", "  note"),
        (("* [x] `TASK-1` A",), "TASK-2", "* [ ] `TASK-2` New", "* [x] `TASK-1` A"),
        (
            ("- [x] **IMPL-1: A** -> [task](./.task/a.json)", "lazy"),
            "IMPL-2",
            "- [ ] **IMPL-2: New** -> [task](LINK)",
            "lazy",
        ),
        (
            ("- [x] **IMPL-1**: A → [✅](./.summaries/a.md)",),
            "IMPL-2",
            "- [ ] **IMPL-2**: New → [📋](LINK)",
            "- [x] **IMPL-1**: A → [✅](./.summaries/a.md)",
        ),
        (
            ("▸ **IMPL-1**: A", "  - [ ] **IMPL-1.1**: B", "    more"),
            "IMPL-2",
            "- [ ] **IMPL-2**: New",
            "    more",
        ),
        (
            ("▸ **IMPL-1**: A", "  - [ ] **IMPL-1.1**: B", "- [ ] **IMPL-2**: C"),
            "IMPL-1.2",
            "  - [ ] **IMPL-1.2**: New",
            "  - [ ] **IMPL-1.1**: B",
        ),
        (
            ("- [ ] IMPL-1: A", "- [ ] IMPL-1.1: B", "- [ ] IMPL-2: C"),
            "IMPL-2.1",
            "- [ ] IMPL-2.1: New",
            "- [ ] IMPL-2: C",
        ),
        (
            ("## Module A", "- [ ] IMPL-A1: A", "", "## Module B", "- [ ] IMPL-B1: B"),
            "IMPL-A2",
            "- [ ] IMPL-A2: New",
            "- [ ] IMPL-A1: A",
        ),
        (
            ("## Module A", "- [ ] IMPL-A1: A", "", "## Module B", "Text.", "## Notes"),
            "IMPL-B1",
            "- [ ] IMPL-B1: New",
            "Text.",
        ),
        (("- [x] ~~IMPL-1: A~~ (obsolete)",), "IMPL-2", "- [ ] IMPL-2: New", None),
    ],
)
def test_a_new_task_looks_like_its_neighbours(
    text: Lines, task_id: str, added: str, behind: str | None
) -> None:
    """It stands behind the last task of its kind, with that one's notes, and in its style."""
    link = f"./.task/{task_id}.json"
    result = add_task(text, task_id, "New", link)
    gone, came = changed(text, result)
    assert (gone, came) == ([], [added.replace("LINK", link)])
    assert result[result.index(came[0]) - 1] == (behind or text[-1])
    assert remove_task(result, task_id) == text


def test_a_new_task_is_placed_behind_the_one_that_is_named() -> None:
    """`after_id` wins over the order of ids; a subtask goes below its parent."""
    assert add_task(LIST, "IMPL-3", "New", "x", after_id="IMPL-1")[5].startswith("- [ ] **IMPL-3**")
    child = add_task(LIST, "IMPL-1.1", "New", "x.json", after_id="IMPL-1")
    assert child[5] == "  - [ ] **IMPL-1.1**: New → [📋](x.json)"


def test_a_list_with_blank_lines_between_tasks_keeps_them() -> None:
    """Where items stand apart, a new one does too, and removing it takes the blank line."""
    text = ("- [ ] IMPL-1: A", "  note", "", "- [ ] IMPL-2: B", "", "## Notes")
    result = add_task(text, "IMPL-3", "C", "")
    assert result == (*text[:4], "", "- [ ] IMPL-3: C", "", "## Notes")
    assert remove_task(result, "IMPL-3") == text
    last = (*text[:4], "", "## Later", "- [ ] IMPL-4: D", "")
    assert add_task(last, "IMPL-5", "E", "") == (*last[:7], "", "- [ ] IMPL-5: E", "")


def test_adding_a_task_that_is_listed_changes_nothing() -> None:
    """A live line stays, also under another zero padding; a struck one is opened again."""
    assert add_task(LIST, "IMPL-2", "Other", "x") == LIST
    assert add_task(LIST, "IMPL-002", "Other", "x") == LIST
    struck = strike(LIST, "IMPL-2")
    assert add_task(struck, "IMPL-2", "Log out", "./.task/IMPL-2.json") == LIST


def test_a_task_gets_another_title() -> None:
    """Box, id, notes and links of the line stay; all else stays in any case."""
    gone, came = changed(LIST, retitle(LIST, "IMPL-1", " Sign\n in "))
    assert gone == [LIST[3]]
    assert came == [LIST[3].replace("Log in", "Sign in")]
    note = ("- [ ] `IMPL-2` A（depends_on: `IMPL-1`）",)
    assert retitle(note, "IMPL-2", "B") == ("- [ ] `IMPL-2` B（depends_on: `IMPL-1`）",)
    more = ("- [ ] IMPL-2: A → [📋](./.task/IMPL-2.json) — waits for ops",)
    assert retitle(more, "IMPL-2", "B") == (more[0].replace("A →", "B →"),)
    assert retitle(("- [ ] IMPL-2:",), "IMPL-2", "B") == ("- [ ] IMPL-2: B",)


def test_a_removed_task_is_struck_out() -> None:
    """The line keeps bold and indentation, loses its links, and is not struck twice."""
    result = strike(LIST, "IMPL-2", "已废弃")
    assert changed(LIST, result) == ([LIST[5]], ["- [x] ~~**IMPL-2**: Log out~~ (已废弃)"])
    assert strike(result, "IMPL-2") == result
    caret = ("  ▸ IMPL-3: A",)
    assert strike(caret, "IMPL-3") == ("  ▸ ~~IMPL-3: A~~ (obsolete)",)
    note = ("- [ ] IMPL-2: A → [📋](./.task/IMPL-2.json) — waits",)
    assert strike(note, "IMPL-2") == ("- [x] ~~IMPL-2: A~~ (obsolete) — waits",)


def test_all_lines_of_a_task_are_edited() -> None:
    """A task that is listed twice is one task."""
    text = ("- [ ] IMPL-4: A", "- [x] IMPL-4: A -> [📋](./.task/IMPL-4.json)", "  - [x] Red")
    assert retitle(text, "IMPL-4", "B") == tuple(line.replace(" A", " B") for line in text)
    assert [item.obsolete for item in todo_items(strike(text, "IMPL-4"))] == [True, True, False]
    assert remove_task(text, "IMPL-4") == ()


def test_removing_a_parent_keeps_the_lines_of_its_subtasks() -> None:
    """Notes go with the task, other tasks do not."""
    text = ("- [ ] IMPL-1: A", "  note", "  - [ ] IMPL-1.1: B", "    note", "- [ ] IMPL-2: C")
    assert remove_task(text, "IMPL-1") == text[2:]


def test_a_task_moves_with_its_children_and_notes() -> None:
    """Order changes, lines do not."""
    text = ("## A", "- [ ] IMPL-1: A", "- [ ] IMPL-2: B", "  - [ ] sub", "  note", "", "## B")
    assert move_task(text, "IMPL-2", before="IMPL-1") == (
        "## A",
        *text[2:5],
        "- [ ] IMPL-1: A",
        "",
        "## B",
    )
    assert move_task(text, "IMPL-1", before="IMPL-2") == text
    assert move_task(text, "IMPL-1", before="IMPL-9") == text
    assert move_task(text, "IMPL-1", before="IMPL-1") == text
    loose = ("- [ ] IMPL-1: A", "", "- [ ] IMPL-2: B", "  note")
    assert move_task(loose, "IMPL-2", before="IMPL-1") == (
        "- [ ] IMPL-2: B",
        "  note",
        "",
        "- [ ] IMPL-1: A",
    )


def test_progress_does_not_change_what_a_list_means() -> None:
    """Ticking a box, adding a summary link or a sign of status leaves the neutral lines equal."""
    done = tuple(
        line.replace("[ ] **IMPL-2**", "[x] **IMPL-2**").replace(
            "[📋](./.task/IMPL-2.json)", "[✅](./.summaries/IMPL-2-summary.md)"
        )
        for line in LIST
    )
    assert done != LIST
    assert neutral_lines(done) == neutral_lines(LIST)
    assert neutral_lines(("### ☐ IMPL-1: A",)) == neutral_lines(("### ✅ IMPL-1: A",))
    assert neutral_lines(("  - [~] step",)) == ("  - [ ] step",)
    assert neutral_lines(retitle(LIST, "IMPL-2", "Else")) != neutral_lines(LIST)
    assert neutral_lines(strike(LIST, "IMPL-2")) != neutral_lines(LIST)
    assert len(neutral_lines(LIST)) == len(LIST)


IDS = ("IMPL-1", "IMPL-2", "IMPL-2.1", "IMPL-A1", "IMPL-010", "T3")
titles = st.sampled_from(["Log in", "登录", "a → b", "Use `x`", "**bold** move", "x (TDD)", "1"])
item_lines = st.builds(
    lambda indent, bullet, box, form, task_id, title, links: (
        indent + bullet + box + " " + form.format(id=task_id, title=title) + links
    ),
    st.sampled_from(["", "", "", "  ", "\t"]),
    st.sampled_from(["- ", "- ", "* "]),
    st.sampled_from(["[ ]", "[x]", "[~]"]),
    st.sampled_from(["**{id}**: {title}", "{id}: {title}", "`{id}` {title}", "**{id}: {title}**"]),
    st.sampled_from(IDS),
    titles,
    st.sampled_from(["", " → [📋](./.task/x.json)", " -> [task](./.task/x.json)", "  "]),
)
other_lines = st.sampled_from(
    [
        "",
        "",
        "# Tasks",
        "## Module A",
        "## Status Legend",
        "  - note",
        "    deep note",
        "lazy text",
        "---",
        "- plain",
        "1. first",
        "| IMPL-9 | x |",
        "- [x] ~~IMPL-7: gone~~ (obsolete)",
        "▸ **IMPL-8**: Box",
        "  - [x] Red phase",
        "> quote",
        "- [ ] no id",
    ]
)
fences = st.sampled_from(
    [("```", "- [ ] IMPL-1: in code", "", "```"), ("  ~~~", "  x", "  ~~~"), ("<!-- x", "-->")]
)
documents = st.lists(
    st.one_of(item_lines.map(lambda line: (line,)), other_lines.map(lambda line: (line,)), fences),
    max_size=14,
).map(lambda parts: tuple(line for part in parts for line in part))
new_ids = st.sampled_from(["IMPL-3", "IMPL-2.2", "IMPL-A4", "IMPL-7.1", "T9"])


@given(documents, new_ids, titles, st.sampled_from([None, *IDS]))
def test_add_then_remove_is_nothing(
    text: Lines, task_id: str, title: str, after_id: str | None
) -> None:
    """A task that came and went leaves the list byte for byte as it was."""
    result = add_task(text, task_id, title, "./.task/new.json", after_id=after_id)
    gone, came = changed(text, result)
    assert gone == []
    assert [line for line in came if line.strip()] == came[-1:]
    if result != text:
        item = next(item for item in todo_items(result, (task_id,)) if item.id == task_id)
        assert (item.title, item.mark, item.obsolete) == (title, "open", False)
    else:
        assert not any(item.id for item in todo_items(text))
    assert remove_task(result, task_id) == text


@given(documents, st.sampled_from(IDS), titles)
def test_a_new_title_changes_the_lines_of_the_task_alone(
    text: Lines, task_id: str, title: str
) -> None:
    """Every live line of the task says the title; nothing else differs."""
    result = retitle(text, task_id, title)
    items = todo_items(text, (task_id,))
    own = {item.line for item in items if item.id == task_id and not item.obsolete}
    assert len(result) == len(text)
    assert all(at in own for at, line in enumerate(text) if result[at] != line)
    after = {item.line: item for item in todo_items(result, (task_id,))}
    assert all(after[at].title == title and after[at].id == task_id for at in own)
    assert retitle(result, task_id, title) == result


@given(documents)
def test_the_same_titles_leave_a_list_alone(text: Lines) -> None:
    """Giving a task the title it has changes no byte."""
    for item in todo_items(text):
        if item.id is not None:
            same = [one for one in todo_items(text) if one.id == item.id]
            assume(len({one.title for one in same}) == 1)
            assert retitle(text, item.id, item.title) == text


@given(documents, st.sampled_from(IDS))
def test_striking_touches_the_lines_of_the_task_alone(text: Lines, task_id: str) -> None:
    """All live lines of the task become obsolete, once."""
    result = strike(text, task_id)
    touched = {at for at, line in enumerate(text) if result[at] != line}
    items = {item.line: item for item in todo_items(result, (task_id,))}
    assert all(items[at].obsolete and items[at].mark == "done" for at in touched)
    assert all(item.obsolete for item in items.values() if item.id == task_id)
    assert strike(result, task_id) == result


@given(documents, st.sampled_from(IDS), st.sampled_from(IDS))
def test_moving_keeps_every_line(text: Lines, task_id: str, before: str) -> None:
    """A move puts the task in front of the other and loses or makes no line with words."""
    result = move_task(text, task_id, before=before)
    assert sorted(line for line in result if line) == sorted(line for line in text if line)
    if result != text:
        order = [item.id for item in todo_items(result, (task_id, before))]
        assert order.index(task_id) < order.index(before)


@given(documents)
def test_neutral_lines_stay_neutral(text: Lines) -> None:
    """Neutral lines are as many as the lines, and neutral themselves."""
    neutral = neutral_lines(text)
    assert len(neutral) == len(text)
    assert neutral_lines(neutral) == neutral


@given(st.lists(st.text(alphabet=st.characters(exclude_characters="\n")), max_size=6).map(tuple))
def test_any_text_can_be_read_and_edited(text: Lines) -> None:
    """No line, however strange, makes a reader or an editor fail."""
    todo_items(text, ("IMPL-1", "odd id"))
    ids_mentioned(text)
    neutral_lines(text)
    for edit in (strike, remove_task):
        edit(text, "IMPL-1")
    add_task(text, "IMPL-1", "T", "x")
    retitle(text, "IMPL-1", "T")


def corpus_lists(corpus: Path) -> list[tuple[Path, Lines, tuple[str, ...]]]:
    """Returns the real lists with their lines and the ids of the tasks beside them."""
    found = []
    for path in sorted(corpus.glob("**/TODO_LIST.md*")):
        text = path.read_bytes().decode()
        ids = []
        for task in sorted(path.parent.glob(".task/*.json")):
            try:
                value = json.loads(task.read_text())
            except ValueError:
                continue
            ids.append(str(value.get("id", task.stem)))
        found.append((path, tuple(text.replace("\r\n", "\n").split("\n")), tuple(ids)))
    assert len(found) > 20
    return found


def test_real_lists_name_their_tasks(corpus: Path) -> None:
    """Where a real list keeps its tasks as items, every task with a file is found in it."""
    editable = 0
    for path, text, ids in corpus_lists(corpus):
        listed = {item.id for item in todo_items(text, ids)}
        if is_editable(text, ids):
            editable += 1
            assert set(ids) <= listed, path
            assert not any("](" in item.title for item in todo_items(text, ids) if item.id), path
    assert editable > 18


def test_real_lists_survive_edits_of_each_task(corpus: Path) -> None:
    """Edits of a real list touch one line; what came goes without a trace."""
    for path, text, ids in corpus_lists(corpus):
        result = add_task(text, "IMPL-998", "New", "./.task/IMPL-998.json", known_ids=ids)
        gone, came = changed(text, result)
        assert not gone
        assert len(came) in ((1, 2) if is_editable(text, ids) else (0,)), path
        assert remove_task(result, "IMPL-998", ids) == text, path
        for item in todo_items(text, ids):
            if item.id is None or item.obsolete:
                continue
            titled = retitle(text, item.id, "Other title", ids)
            assert "Other title" in titled[item.line]
            assert len(changed(text, titled)[1]) <= 2, path
            struck = strike(text, item.id, known_ids=ids)
            assert len(changed(text, struck)[1]) <= 2, path
            assert todo_items(titled, ids)[0].line == todo_items(text, ids)[0].line


def test_several_tasks_at_once_are_the_same_as_one_by_one() -> None:
    """Retitling and striking many tasks in one reading gives what one after the other gives."""
    lines = tuple(
        f"- [ ] **IMPL-{n:03}**: Task {n} → [📋](./.task/IMPL-{n:03}.json)" for n in range(1, 40)
    )
    titles = {f"IMPL-{n}": f"New {n}" for n in range(1, 40, 2)}
    gone = tuple(f"IMPL-{n}" for n in range(2, 40, 4))
    one_by_one = lines
    for task_id, title in titles.items():
        one_by_one = retitle(one_by_one, task_id, title)
    for task_id in gone:
        one_by_one = strike(one_by_one, task_id, "obsolete")
    assert one_by_one != lines
    assert strike_all(retitle_all(lines, titles), gone, "obsolete") == one_by_one
    assert retitle_all(lines, {}) == strike_all(lines, ()) == lines


def test_ids_that_differ_in_padding_alone_are_told_apart() -> None:
    """A line belongs to the task that is spelt just so, where there is one."""
    lines = ("- [ ] IMPL-1: A", "- [ ] IMPL-01: B")
    titles = {"IMPL-1": "C", "IMPL-01": "D"}
    assert retitle_all(lines, titles) == ("- [ ] IMPL-1: C", "- [ ] IMPL-01: D")
    assert retitle_all(lines[:1], titles) == ("- [ ] IMPL-1: C",)
    assert retitle_all(lines[:1], {"IMPL-01": "D"}, ("IMPL-1", "IMPL-01")) == lines[:1]
    assert retitle_all(lines[:1], {"IMPL-01": "D"}) == ("- [ ] IMPL-1: D",)
