"""One plan, written down in the three shapes that planning folders come in.

The shapes are twins: they say the same about the same tasks, so that a test can ask whether a
reader, a change or a merge treats them alike. *Nested* keeps requirements as a list under
`context`, *flat* keeps them as sentences of a description, *lite* embeds the tasks in `plan.json`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Shape = Literal["nested", "flat", "lite"]

GOAL = "Let guests book a berth in the harbour without a phone call"
CREATED = "2026-01-05T09:30:00.000Z"


@dataclass(frozen=True, slots=True)
class Story:
    """What one task is about, in no shape yet.

    Attributes:
        title: One line.
        requirements: What to do; each one sentence without its full stop.
        acceptance: When it is done.
        focus: Files and folders that it is about.
        needs: The positions, from 1, of the tasks that come before it.
        kind: The type of work.
    """

    title: str
    requirements: tuple[str, ...]
    acceptance: tuple[str, ...]
    focus: tuple[str, ...]
    needs: tuple[int, ...] = ()
    kind: str = "feature"


STORIES = (
    Story(
        "Store berths and bookings",
        ("Add tables for berths, boats and bookings", "Refuse two bookings of one berth and night"),
        ("A second booking of the same berth and night fails", "Migrations run in both directions"),
        ("src/store/schema.py", "src/store/bookings.py"),
    ),
    Story(
        "Search free berths",
        (
            "Find the free berths for a boat length and a range of nights",
            "Offer the tightest first",
        ),
        ("A boat of 9 m is never offered a berth of 8 m", "An empty harbour offers every berth"),
        ("src/search/free.py",),
        (1,),
    ),
    Story(
        "Quote a price",
        ("Price each night by season and boat length", "Round the total to full euros"),
        ("Three nights across a change of season cost the sum of both tariffs",),
        ("src/prices/quote.py", "src/prices/tariffs.json"),
        (1,),
    ),
    Story(
        "Book a berth in one request",
        (
            "Reserve the berth and store the quoted price together",
            "Answer a repeated request alike",
        ),
        ("Two guests who ask for the last berth get one booking and one refusal",),
        ("src/api/book.py", "src/api/errors.py"),
        (2, 3),
    ),
    Story(
        "Confirm a booking by mail",
        ("Send the confirmation after the booking is stored", "Attach a calendar entry"),
        ("A mail server that is down delays the mail and keeps the booking",),
        ("src/mail/confirm.py",),
        (4,),
    ),
    Story(
        "Cancel until the evening before",
        ("Allow a guest to cancel until 18 o'clock of the day before",),
        ("A cancelled berth is found by the next search",),
        ("src/api/cancel.py",),
        (4,),
    ),
    Story(
        "Print the day sheet",
        ("List arrivals and departures of one day by pier", "Mark guests who have not paid"),
        ("The sheet of a full harbour fits on two pages",),
        ("src/sheets/day.py", "src/sheets/templates"),
        (4,),
    ),
    Story(
        "Sign guests in by a mailed link",
        ("Send a link that signs a guest in once", "Let the link expire after an hour"),
        ("A link that was used before is refused",),
        ("src/auth/links.py",),
        (1,),
    ),
    Story(
        "Measure the search under load",
        ("Search a harbour of 2000 berths with ten years of bookings",),
        ("The report names the slowest query",),
        ("tests/load/search.py",),
        (2,),
        "test-gen",
    ),
    Story(
        "Write the harbour master's handbook",
        ("Describe a normal day, a full harbour and a storm",),
        ("A new harbour master can take a booking without help",),
        ("docs/handbook.md",),
        (5, 6, 7),
        "docs",
    ),
)


@dataclass(frozen=True, slots=True)
class PlanFolder:
    """One written plan.

    Attributes:
        id: Session id, which is the folder's name.
        path: The folder, from the repository root.
        shape: How it is written.
        tasks: Task ids in plan order.
        files: Text by path from the repository root.
    """

    id: str
    path: str
    shape: Shape
    tasks: tuple[str, ...]
    files: Mapping[str, str]

    def file_of(self, task: str) -> str:
        """Returns the path of the file that holds a task."""
        if self.shape == "lite":
            return f"{self.path}/plan.json"
        return f"{self.path}/.task/{task}.json"


def stories(count: int) -> tuple[Story, ...]:
    """Returns that many stories: the ten, then the ten again in further stages.

    A stage depends on the first task of the stage before it and else on itself only.
    """
    made = []
    for position in range(count):
        stage, within = divmod(position, len(STORIES))
        story, shift = STORIES[within], stage * len(STORIES)
        needs = tuple(n + shift for n in story.needs)
        if stage:
            needs = needs or (shift - len(STORIES) + 1,)
            title = f"{story.title}, stage {stage + 1}"
            story = Story(
                title, story.requirements, story.acceptance, story.focus, needs, story.kind
            )
        made.append(story)
    return tuple(made)


DEFAULT_IDS: Mapping[Shape, str] = {"nested": "IMPL-{}", "flat": "IMPL-{:03}", "lite": "T{}"}
DEFAULT_NAMES: Mapping[Shape, str] = {
    "nested": "WFS-berths",
    "flat": "WFS-berths-flat",
    "lite": "berths-2026-01-05",
}


def plan_folder(
    shape: Shape = "nested",
    tasks: int = 4,
    *,
    session: str | None = None,
    ids: str | None = None,
    done: int = 0,
) -> PlanFolder:
    """Writes one plan down.

    Args:
        shape: How to write it.
        tasks: How many tasks it has.
        session: Session id; by default one that is usual for the shape.
        ids: Pattern of the task ids, such as `IMPL-{}`, which twins may share; by default
            what is usual for the shape.
        done: How many of the first tasks are completed.

    Returns:
        The files of the session, which lie under `.workflow/`.
    """
    name = session or DEFAULT_NAMES[shape]
    pattern = ids or DEFAULT_IDS[shape]
    plan = stories(tasks)
    names = tuple(pattern.format(n + 1) for n in range(tasks))
    place = ".workflow/.lite-plan" if shape == "lite" else ".workflow/active"
    write = {"nested": _nested_files, "flat": _flat_files, "lite": _lite_files}[shape]
    files = write(name, plan, names, done)
    path = f"{place}/{name}"
    return PlanFolder(
        name, path, shape, names, {f"{path}/{file}": text for file, text in files.items()}
    )


def _needs(story: Story, names: Sequence[str]) -> list[str]:
    return [names[n - 1] for n in story.needs if n <= len(names)]


def _sentences(parts: Sequence[str]) -> str:
    return ". ".join(parts) + "."


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _status(position: int, done: int) -> str:
    return "completed" if position < done else "pending"


def _nested_files(
    session: str, plan: Sequence[Story], names: Sequence[str], done: int
) -> dict[str, str]:
    files = _documents(session, plan, names, done)
    for position, (name, story) in enumerate(zip(names, plan, strict=True)):
        files[f".task/{name}.json"] = _json(
            {
                "id": name,
                "title": story.title,
                "status": _status(position, done),
                "context_package_path": f".workflow/active/{session}/.process/context-package.json",
                "meta": {
                    "type": story.kind,
                    "agent": "@code-developer",
                    "execution_config": {
                        "method": "agent",
                        "cli_tool": None,
                        "enable_resume": False,
                    },
                },
                "context": {
                    "requirements": list(story.requirements),
                    "focus_paths": list(story.focus),
                    "acceptance": list(story.acceptance),
                    "depends_on": _needs(story, names),
                },
                "flow_control": {
                    "pre_analysis": [
                        {
                            "step": "look_around",
                            "action": "Read what is there",
                            "command": f"Read({story.focus[0]})",
                            "output_to": "present_code",
                            "on_error": "skip_optional",
                        }
                    ],
                    "implementation_approach": [
                        {
                            "step": step,
                            "title": requirement,
                            "description": f"{requirement}.",
                            "modification_points": [f"Change {story.focus[0]}"],
                            "logic_flow": ["Write a failing test", "Make it pass"],
                            "depends_on": [step - 1] if step > 1 else [],
                            "output": f"part_{step}",
                        }
                        for step, requirement in enumerate(story.requirements, 1)
                    ],
                    "target_files": list(story.focus),
                },
            }
        )
    return files


def _flat_files(
    session: str, plan: Sequence[Story], names: Sequence[str], done: int
) -> dict[str, str]:
    files = _documents(session, plan, names, done)
    files["plan.json"] = _json(
        {
            "summary": f"{GOAL}.",
            "approach": "Store first, then search and prices side by side, then the booking.",
            "task_ids": list(names),
            "task_count": len(names),
            "complexity": "Medium",
            "estimated_time": "3 days",
            "recommended_execution": "Sequential",
            "shared_context": {"tech_stack": ["Python", "PostgreSQL"], "conventions": []},
            "_metadata": {
                "timestamp": CREATED,
                "source": "action-planning-agent",
                "plan_type": "feature",
                "schema_version": "2.0",
            },
        }
    )
    for position, (name, story) in enumerate(zip(names, plan, strict=True)):
        files[f".task/{name}.json"] = _json(
            {
                "id": name,
                "title": story.title,
                "description": _sentences(story.requirements),
                "status": _status(position, done),
                "type": story.kind,
                "priority": "medium",
                "focus_paths": list(story.focus),
                "depends_on": _needs(story, names),
                "convergence": {
                    "criteria": list(story.acceptance),
                    "verification": "make test",
                    "definition_of_done": "A guest can use it",
                },
                "files": [{"path": path, "action": "modify"} for path in story.focus],
                "implementation": [
                    {"step": str(step), "description": requirement}
                    for step, requirement in enumerate(story.requirements, 1)
                ],
                "meta": {
                    "agent": "@code-developer",
                    "execution_config": {
                        "method": "agent",
                        "cli_tool": None,
                        "enable_resume": False,
                    },
                },
            }
        )
    return files


def _lite_files(
    session: str, plan: Sequence[Story], names: Sequence[str], done: int
) -> dict[str, str]:
    tasks = []
    for position, (name, story) in enumerate(zip(names, plan, strict=True)):
        task: dict[str, object] = {
            "id": name,
            "title": story.title,
            "scope": story.focus[0].rpartition("/")[0],
            "action": "Implement",
            "description": _sentences(story.requirements),
            "modification_points": [
                {"file": path, "target": "module", "change": story.title} for path in story.focus
            ],
            "implementation": ["Write a failing test", "Make it pass"],
            "acceptance": list(story.acceptance),
            "depends_on": _needs(story, names),
            "cli_execution_id": f"{session}-{name}",
        }
        if position < done:
            task["status"] = "completed"
        tasks.append(task)
    plan_json = {
        "summary": f"{GOAL}.",
        "approach": "Store first, then search and prices side by side, then the booking.",
        "tasks": tasks,
        "estimated_time": "3 days",
        "recommended_execution": "Agent",
        "complexity": "Medium",
        "_metadata": {
            "timestamp": CREATED,
            "source": "direct-planning",
            "planning_mode": "direct",
        },
    }
    return {"plan.json": _json(plan_json)}


def _documents(
    session: str, plan: Sequence[Story], names: Sequence[str], done: int
) -> dict[str, str]:
    """Returns the session's metadata, task list, plan document and summaries."""
    todo = [f"# Tasks: {GOAL}", "", "## Task Progress"]
    breakdown = []
    files = {}
    for position, (name, story) in enumerate(zip(names, plan, strict=True)):
        task = f"[📋](./.task/{name}.json)"
        if position < done:
            summary = f".summaries/{name}-summary.md"
            files[summary] = f"# Task: {name} {story.title}\n\n## Status: ✅ Complete\n"
            todo.append(f"- [x] **{name}**: {story.title} → {task} | [✅](./{summary})")
        else:
            todo.append(f"- [ ] **{name}**: {story.title} → {task}")
        breakdown.append(f"- **{name}**: {story.title}")
    todo += ["", "## Status Legend", "- `- [ ]` = open task", "- `- [x]` = completed task"]
    document = [
        f"# Implementation Plan: {GOAL}",
        "",
        "## 1. Summary",
        f"{GOAL}.",
        "",
        "## 4. Implementation Strategy",
        "**Execution Model**: Sequential",
        "",
        "## 5. Task Breakdown Summary",
        f"**{len(names)} tasks**, each with its own tests.",
        "",
        *breakdown,
        "",
        "## 8. Success Criteria",
        "- [ ] Every task is accepted",
    ]
    metadata = {
        "session_id": session,
        "project": GOAL,
        "description": f"{GOAL}.",
        "type": "workflow",
        "status": "active" if done else "planning",
        "created_at": CREATED,
        "progress": {"current_tasks": list(names)},
    }
    return {
        "workflow-session.json": _json(metadata),
        "TODO_LIST.md": "\n".join(todo) + "\n",
        "IMPL_PLAN.md": "\n".join(document) + "\n",
        **files,
    }
