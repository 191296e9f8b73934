"""A good plan with everything a verification looks at, and ways to damage it, one at a time."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from gitwfp.files.codec import read_plan
from gitwfp.files.paths import find_sessions
from gitwfp.files.tree import MemoryFiles
from gitwfp.verify.facts import Facts
from tests.plans import plan_folder

FOLDER = ".workflow/active/WFS-berths"

NOTES = """# Planning Notes

## User Intent (Phase 1)

- **GOAL**: Let guests book a berth in the harbour without a phone call
- **SCOPE**: Search, prices, booking
- **KEY_CONSTRAINTS**:
  - Prices are in full euros

## Out of Scope
- Mobile app for boat owners

## Consolidated Constraints (Phase 4 Input)
1. Do not modify `src/legacy/`
2. No tracking cookies on the booking page
3. A reservation link expires after 60 minutes
4. No new third-party dependencies

## N+1 Context
### Decisions
| Decision | Rationale | Revisit? |
|----------|-----------|----------|
| Keep the tariff table in JSON | Harbour masters edit it | No |
| Search without an index | Small harbours | Yes |

### Deferred
- [ ] Waiting list for a full harbour
"""

PLAN_TAIL = """
## 9. Requirements
- **FR-1**: Find the free berths for a range of nights
- **FR-2**: Price each night by season
- **NFR-1**: A search answers within 300 ms
"""

ANALYSIS = """# Harbour master

| Feature | Priority |
|---------|----------|
| Quote a price by season | high |

## Success Criteria
- Two bookings of one berth are refused

## Risks
- Mail server down. Mitigation: keep the booking
"""

Files = dict[str, str]


def good() -> Files:
    """Returns the files of a plan that no rule finds anything in, and the code it is about."""
    files = dict(plan_folder("nested", 4).files)
    files[f"{FOLDER}/planning-notes.md"] = NOTES
    files[f"{FOLDER}/IMPL_PLAN.md"] += PLAN_TAIL
    files[f"{FOLDER}/.brainstorming/harbour-master/analysis.md"] = ANALYSIS
    files[f"{FOLDER}/plan.json"] = as_text(
        {
            "summary": "Guests book a berth in the harbour themselves",
            "approach": "Store, search, prices, booking",
            "task_ids": ["IMPL-1", "IMPL-2", "IMPL-3", "IMPL-4"],
            "task_count": 4,
        }
    )
    edit(files, "IMPL-2", lambda task: task["context"]["requirements"].append("NFR-1: be fast"))
    edit(
        files,
        "IMPL-2",
        lambda task: task["context"]["acceptance"].append("A search answers within 300 ms"),
    )
    edit(files, "IMPL-3", lambda task: task.update(priority="high"))
    for path in (
        "src/store/schema.py", "src/store/bookings.py", "src/search/free.py",
        "src/prices/quote.py", "src/prices/tariffs.json", "src/api/book.py", "src/api/errors.py",
    ):  # fmt: skip
        files[path] = "# code\n"
    files[f"{FOLDER}/.process/context-package.json"] = "{}\n"
    return files


def facts_of(files: Mapping[str, str]) -> Facts:
    """Returns what rules are given for the session in some files."""
    tree = MemoryFiles({path: text.encode() for path, text in files.items()})
    ref = find_sessions(tree)[0]
    return Facts(read_plan(tree, ref), tree)


def as_text(value: object) -> str:
    """Returns a JSON file's text."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def edit(files: Files, task: str, change: Callable[[Any], object]) -> None:
    """Changes a task's object in place."""
    path = f"{FOLDER}/.task/{task}.json"
    value = json.loads(files[path])
    change(value)
    files[path] = as_text(value)


def swap(name: str, old: str, new: str) -> Callable[[Files], None]:
    """Returns the damage that puts another text into a file of the session."""

    def damage(files: Files) -> None:
        path = f"{FOLDER}/{name}"
        assert old in files[path], (path, old)
        files[path] = files[path].replace(old, new, 1)

    return damage


def task(name: str, change: Callable[[Any], object]) -> Callable[[Files], None]:
    """Returns the damage that changes a task."""
    return lambda files: edit(files, name, change)


def wish(name: str, text: str) -> Callable[[Files], None]:
    """Returns the damage that adds a requirement to a task."""
    return task(name, lambda value: value["context"]["requirements"].append(text))


def each(*damages: Callable[[Files], None]) -> Callable[[Files], None]:
    """Returns several damages as one."""

    def damage(files: Files) -> None:
        for one in damages:
            one(files)

    return damage


def without_paths(value: Any) -> None:
    """Takes everything out of a task that says where it is done."""
    value["context"]["focus_paths"] = []
    value["flow_control"]["target_files"] = []


def copied(files: Files) -> None:
    """Adds IMPL-5, a copy of IMPL-3."""
    value = json.loads(files[f"{FOLDER}/.task/IMPL-3.json"])
    value["id"] = "IMPL-5"
    files[f"{FOLDER}/.task/IMPL-5.json"] = as_text(value)


def renamed(files: Files) -> None:
    """Puts IMPL-4 into a file of another name."""
    files[f"{FOLDER}/.task/IMPL-9.json"] = files.pop(f"{FOLDER}/.task/IMPL-4.json")


def strange(files: Files) -> None:
    """Makes IMPL-4 a task that has nothing to do with the plan."""

    def change(value: Any) -> None:
        value["title"] = "Paint the kitchen walls"
        value["context"] = {
            "requirements": ["Choose a colour for every wall"],
            "focus_paths": [],
            "acceptance": ["Each wall is dry"],
            "depends_on": [],
        }
        value["flow_control"] = {"implementation_approach": [{"step": 1, "title": "Paint"}]}

    edit(files, "IMPL-4", change)


def all_strange(files: Files) -> None:
    """Gives the plan a goal that none of its tasks is about."""
    for name in ("planning-notes.md", "plan.json", "workflow-session.json", "IMPL_PLAN.md"):
        path = f"{FOLDER}/{name}"
        for old in (
            "Let guests book a berth in the harbour without a phone call",
            "Guests book a berth in the harbour themselves",
        ):
            files[path] = files[path].replace(old, "Repair the kitchen of our youth hostel")


def two_makers(files: Files) -> None:
    """Lets IMPL-3 make a file that IMPL-2 changes without waiting for it."""
    made = [{"path": "src/prices/cache.py", "action": "create"}]
    used = [{"path": "src/prices/cache.py", "action": "modify"}]
    edit(files, "IMPL-3", lambda value: value["flow_control"].update(target_files=made))
    edit(files, "IMPL-2", lambda value: value["flow_control"].update(target_files=used))


def at_once(files: Files) -> None:
    """Lets two independent tasks change one file."""
    targets = ["src/prices/quote.py"]
    for name in ("IMPL-2", "IMPL-3"):
        edit(files, name, lambda value: value["flow_control"].update(target_files=targets))


def large(files: Files) -> None:
    """Makes IMPL-4 many times as large as the others."""
    more = [f"Handle the {n}th kind of boat in the reservation" for n in range(30)]
    edit(files, "IMPL-4", lambda value: value["context"]["requirements"].extend(more))


def crowded(files: Files) -> None:
    """Makes a plan of twelve tasks of it."""
    files.update(plan_folder("nested", 12).files)


VAGUE = "The user is happy with the result; performance is acceptable"

DAMAGES: Mapping[str, tuple[Callable[[Files], None], ...]] = {
    "goal-without-task": (all_strange,),
    "task-outside-goal": (strange,),
    "success-criterion-untouched": (
        swap("IMPL_PLAN.md", "Every task is accepted", "Bounce rate of newsletters below 2 %"),
    ),
    "excluded-but-planned": (wish("IMPL-4", "Build the mobile app for boat owners"),),
    "requirement-uncovered": (
        swap("IMPL_PLAN.md", "- **FR-2**", "- **FR-3**: Export the ledger as PDF\n- **FR-2**"),
    ),
    "task-without-requirement": (
        each(wish("IMPL-1", "For FR-2"), wish("IMPL-2", "For FR-2"), wish("IMPL-3", "For FR-2")),
    ),
    "quality-without-acceptance": (
        task("IMPL-2", lambda value: value["context"].update(acceptance=["An offer is made"])),
    ),
    "unreadable-file": (
        swap(".task/IMPL-2.json", '"title"', '<<<<<<< HEAD\n"title"'),
        swap(".task/IMPL-2.json", '"title"', "title"),
        swap("plan.json", '"task_count": 4', '"task_count": NaN'),
    ),
    "duplicate-task-id": (task("IMPL-3", lambda value: value.update(id="IMPL-2")),),
    "unresolved-conflict": (
        task("IMPL-2", lambda value: value.update(_wfp_conflicts=[{"field": "title"}])),
    ),
    "task-not-listed": (
        swap("TODO_LIST.md", "- [ ] **IMPL-3**: Quote a price → [📋](./.task/IMPL-3.json)\n", ""),
    ),
    "listed-without-task": (
        swap("TODO_LIST.md", "## Task Progress\n", "## Task Progress\n- [ ] **IMPL-8**: Moor\n"),
    ),
    "task-count-drift": (
        swap("IMPL_PLAN.md", "**4 tasks**", "**6 tasks**"),
        swap("plan.json", '"task_count": 4', '"task_count": 5'),
        swap("plan.json", '"IMPL-4"', '"IMPL-7"'),
        swap("workflow-session.json", '"IMPL-4"', '"IMPL-7"'),
    ),
    "title-drift": (
        swap("TODO_LIST.md", "Quote a price", "Feed the seagulls"),
        swap("TODO_LIST.md", "Quote a price", "Search free berths"),
        swap("IMPL_PLAN.md", "Quote a price", "Search free berths"),
    ),
    "status-drift": (swap("TODO_LIST.md", "- [ ] **IMPL-1**", "- [x] **IMPL-1**"),),
    "unknown-status": (task("IMPL-2", lambda value: value.update(status="almost")),),
    "id-differs-from-file": (renamed,),
    "requirement-of-two-texts": (
        swap("planning-notes.md", "## Out of", "- FR-1: Import the boats from CSV\n\n## Out of"),
    ),
    "term-spelt-several-ways": (
        each(
            wish("IMPL-1", "Store the harbourmaster of a berth"),
            wish("IMPL-2", "Show the harbour-master of a berth"),
        ),
    ),
    "constraint-broken": (
        wish("IMPL-4", "Set tracking cookies on the booking page"),
        wish("IMPL-4", "Add the dependency leftpad: npm install leftpad"),
    ),
    "forbidden-path": (
        task("IMPL-2", lambda value: value["context"]["focus_paths"].append("src/legacy/db.py")),
    ),
    "constraint-value": (wish("IMPL-4", "A reservation link expires after 15 minutes"),),
    "more-tasks-than-allowed": (
        swap("planning-notes.md", "2. No tracking", "5. At most 3 tasks\n2. No tracking"),
    ),
    "circular-dependency": (
        task("IMPL-1", lambda value: value["context"].update(depends_on=["IMPL-4"])),
        task("IMPL-1", lambda value: value["context"].update(depends_on=["IMPL-1"])),
    ),
    "dangling-dependency": (
        task("IMPL-1", lambda value: value["context"].update(depends_on=["IMPL-99"])),
    ),
    "unresolved-placeholder": (
        task("IMPL-1", lambda value: value["context"].update(depends_on=["CROSS::A::login"])),
    ),
    "done-before-its-dependency": (task("IMPL-4", lambda v: v.update(status="completed")),),
    "waits-for-what-is-gone": (task("IMPL-1", lambda v: v.update(status="cancelled")),),
    "used-before-made": (two_makers,),
    "order-against-dependencies": (
        swap("plan.json", '"IMPL-1",\n    "IMPL-2"', '"IMPL-2",\n    "IMPL-1"'),
    ),
    "redundant-dependency": (
        task("IMPL-4", lambda value: value["context"]["depends_on"].append("IMPL-1")),
    ),
    "priority-conflict": (task("IMPL-3", lambda value: value.update(priority="low")),),
    "analysis-criterion-missing": (
        swap(
            ".brainstorming/harbour-master/analysis.md",
            "Two bookings of one berth are refused",
            "Newsletter opened twice monthly",
        ),
    ),
    "mitigation-missing": (
        swap(
            ".brainstorming/harbour-master/analysis.md",
            "keep the booking",
            "circuit breaker dashboards",
        ),
    ),
    "deferred-but-planned": (wish("IMPL-4", "Offer a waiting list for a full harbour"),),
    "decision-contradicted": (
        wish("IMPL-3", "Move out: remove the tariff table in JSON"),
        wish("IMPL-3", "Replace the JSON tariff table with SQL"),
    ),
    "revisit-ignored": (swap("planning-notes.md", "Search without an index", "Polling websocket"),),
    "focus-path-missing": (
        task("IMPL-2", lambda value: value["context"].update(focus_paths=["src/serch/free.py"])),
    ),
    "no-title": (
        task("IMPL-3", lambda value: value.update(title="")),
        task("IMPL-3", lambda value: value.pop("title")),
    ),
    "requirement-unknown": (wish("IMPL-4", "Meet FR-77 of the harbour office"),),
    "planned-without-task": (
        swap("IMPL_PLAN.md", "- **IMPL-4**", "- **IMPL-7**: Print the bill\n- **IMPL-4**"),
    ),
    "no-acceptance": (task("IMPL-3", lambda value: value["context"].update(acceptance=[])),),
    "vague-acceptance": (
        task("IMPL-3", lambda value: value["context"].update(acceptance=["It works correctly"])),
        task("IMPL-3", lambda value: value["context"]["acceptance"].append("Works as expected.")),
        task("IMPL-3", lambda value: value["context"].update(acceptance=[VAGUE])),
    ),
    "nothing-to-do": (
        task(
            "IMPL-3",
            lambda value: (
                value["context"].update(requirements=[]),
                value.update(flow_control={}),
            ),
        ),
    ),
    "no-steps": (task("IMPL-3", lambda value: value.update(flow_control={})),),
    "no-focus-path": (lambda files: edit(files, "IMPL-3", without_paths),),
    "missing-artifact": (
        task(
            "IMPL-3",
            lambda value: value["context"].update(
                artifacts=[{"type": "role_analyses", "path": ".brainstorming/cook/analysis.md"}]
            ),
        ),
    ),
    "overlapping-tasks": (copied,),
    "requirement-covered-twice": (wish("IMPL-2", "Price each night by season and boat length"),),
    "parallel-writes": (at_once,),
    "oversized-task": (large,),
    "effort-mismatch": (each(large, task("IMPL-4", lambda value: value.update(effort="small"))),),
    "too-many-tasks": (crowded,),
}
"""Damages by the rule that has to find them."""
