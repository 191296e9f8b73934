"""Requests in tests: a plan to ask about, and what was understood, written down one fact a line."""

from gitwfp.model import fields as f
from gitwfp.model.plan import Place, Plan, SessionRef, Shape
from gitwfp.model.task import Task, TaskId
from gitwfp.model.values import Value
from gitwfp.policy.operations import (
    CreateTask,
    DeleteTask,
    EditSession,
    ListEdit,
    MergeTasks,
    Operation,
    ReorderTask,
    SplitTask,
    UpdateTask,
)
from gitwfp.policy.request import Understood, understand

TOOLS = ("codex", "gemini")
KNOWN = {"src", "src/auth", "src/auth/login.ts", "lib", "package.json", "README.md", "docs"}


def task(task_id: str, title: str, **lists: tuple[str, ...]) -> Task:
    """Returns a task with a title and lists."""
    fields: dict[str, Value] = {f.TITLE: title, **lists}
    return Task(TaskId(task_id), fields)


def plan_of(*tasks: Task) -> Plan:
    """Returns a plan of some tasks."""
    ref = SessionRef("WFS-auth", ".workflow/active/WFS-auth", Place.ACTIVE, ".workflow")
    return Plan(
        ref=ref,
        session={},
        tasks={each.id: each for each in tasks},
        documents={},
        shape=Shape.NESTED,
    )


PLAN = plan_of(
    task("IMPL-1", "Store users"),
    task("IMPL-2", "Serve the API", requirements=("Answer in JSON",)),
    task(
        "IMPL-3",
        "Sign in",
        requirements=(
            "Hash passwords with bcrypt",
            "Export the list as CSV",
            "Sessions expire after 30 minutes",
            "登录失败时记录审计日志",
            "超时时间为 30 分钟",
            "Do not log passwords",
        ),
        acceptance=("A wrong password answers 401", "Lock the account after 5 failures"),
        focus_paths=("src/auth/login.ts", "src/legacy"),
        depends_on=("IMPL-1",),
        implementation=("Write a failing test",),
    ),
    task("IMPL-4", "Send mail"),
    task("IMPL-5", "Write the docs"),
)

SHORT = {
    f.REQUIREMENTS: "req",
    f.ACCEPTANCE: "acc",
    f.FOCUS_PATHS: "path",
    f.DEPENDS_ON: "dep",
    f.IMPLEMENTATION: "step",
}


def ask(
    text: str,
    about: str | None = "IMPL-3",
    update_type: str | None = None,
    *,
    plan: Plan = PLAN,
    may_add: bool = False,
    modules: tuple[str, ...] = (),
) -> Understood:
    """Understands a request about a plan, the one above unless another is given."""
    return understand(
        text,
        plan,
        task=TaskId(about) if about else None,
        tools=TOOLS,
        known_paths=KNOWN.__contains__,
        update_type=update_type,
        may_add=may_add,
        modules=modules,
    )


def told(understood: Understood) -> list[str]:
    """Writes down what was understood, one fact a line."""
    lines = [line for each in understood.operations for line in facts(each)]
    return [*lines, *(f"left: {each.words}" for each in understood.leftovers)]


def facts(operation: Operation) -> list[str]:
    """Writes down one operation."""
    match operation:
        case UpdateTask():
            return update_facts(operation)
        case CreateTask():
            lists = [
                ("req", operation.requirements),
                ("acc", operation.acceptance),
                ("path", operation.focus_paths),
                ("dep", operation.depends_on),
                ("after", (operation.after,) if operation.after else ()),
                ("id", (operation.id,) if operation.id else ()),
            ]
            said = [f" [{name}: {' | '.join(texts)}]" for name, texts in lists if texts]
            return [f"create {operation.title}{''.join(said)}"]
        case DeleteTask():
            return [f"delete {operation.task}"]
        case MergeTasks():
            return [f"merge {' + '.join(operation.tasks)} = {operation.title}"]
        case SplitTask():
            parts = [": ".join((part.title, *part.requirements)) for part in operation.parts]
            return [f"split {operation.task} {operation.order} {' | '.join(parts)}"]
        case ReorderTask():
            return [f"move {operation.task} before {operation.before}"]
        case EditSession():
            return [f"session {operation.title}"]


def update_facts(operation: UpdateTask) -> list[str]:
    """Writes down an update."""
    lines = []
    if operation.title is not None:
        lines.append(f"title: {operation.title}")
    if operation.execution is not None:
        lines.append(f"exec: {operation.execution.cli_tool or operation.execution.method}")
    lines += [f"note: {text}" for text in operation.notes.add]
    for name, short in SHORT.items():
        edit = getattr(operation, name)
        assert isinstance(edit, ListEdit)
        lines += [f"+{short}: {text}" for text in edit.add]
        lines += [f"-{short}: {text}" for text in edit.remove]
        lines += [f"{short}: {each.old} => {each.new}" for each in edit.replace]
        lines += [f"={short}: {text}" for text in edit.set or ()]
    return [f"{operation.task} {line}" for line in lines]
