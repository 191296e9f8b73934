"""Requests that name no task: the task that they are about, new tasks, the session's goal."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitwfp.errors import ExitCode, Refusal
from gitwfp.model.task import Task, TaskId
from gitwfp.policy.operations import CreateTask, Scope, UpdateTask, scope_needed
from gitwfp.policy.request.grammar import Lazy
from gitwfp.policy.request.search import TaskIndex
from tests.core.asking import ask, plan_of, task, told

DONE = Task(TaskId("IMPL-1"), {"title": "Choose a map library", "status": "completed"})
SHOP = plan_of(
    DONE,
    task(
        "IMPL-2",
        "Sign in with a password",
        requirements=("Hash passwords with bcrypt", "Lock the account after five failures"),
        acceptance=("A wrong password answers 401",),
        focus_paths=("src/auth/login.ts", "src/auth/tokens.ts"),
    ),
    task(
        "IMPL-3",
        "Show the parking map",
        requirements=("Draw a marker for each free bay", "Refresh the markers every 30 seconds"),
        acceptance=("The map opens in two seconds",),
        focus_paths=("src/map/view.ts",),
        depends_on=("IMPL-1",),
    ),
    task(
        "IMPL-4",
        "预订车位",
        requirements=("预订成功后发送短信", "每个用户最多预订 3 个车位"),
        acceptance=("重复预订返回 409",),
        focus_paths=("src/booking/api.ts",),
    ),
)

Case = tuple[str, Sequence[str]]

PLACED: tuple[Case, ...] = (
    ("The map must show a marker for occupied bays", ["IMPL-3"]),
    ("Markers on the parking map should be clustered", ["IMPL-3"]),
    ("Wrong passwords must lock the account", ["IMPL-2"]),
    ("Mrkers on the parkng map should be clustered", ["IMPL-3"]),
    ("重复预订时必须返回已有的预订编号", ["IMPL-4"]),
    ("预订成功后的短信要包含车位编号", ["IMPL-4"]),
)


@pytest.mark.parametrize(("text", "tasks"), PLACED)
def test_a_statement_goes_to_the_task_that_it_is_about(text: str, tasks: list[str]) -> None:
    """What names no task is said of the one that its words are clearly about, and that is told."""
    found = ask(text, None, plan=SHOP)
    assert [each.task for each in found.operations if isinstance(each, UpdateTask)] == tasks
    assert f"It is said of {tasks[0]}: '{text}'." in [str(each) for each in found.derived]


CHANGED: tuple[Case, ...] = (
    (
        "Refresh the markers every 10 seconds instead of 30",
        [
            (
                "IMPL-3 req: Refresh the markers every 30 seconds => Refresh the markers every 10"
                " seconds"
            )
        ],
    ),
    (
        "Change the marker refresh from 30 seconds to 10 seconds",
        [
            (
                "IMPL-3 req: Refresh the markers every 30 seconds => Refresh the markers every 10"
                " seconds"
            )
        ],
    ),
    (
        "Raise the lock to ten failures",
        ["IMPL-2 req: Lock the account after five failures => Lock the account after ten failures"],
    ),
    (
        "replace bcrypt by argon2",
        ["IMPL-2 req: Hash passwords with bcrypt => Hash passwords with argon2"],
    ),
    ("Remove the requirement about bcrypt", ["IMPL-2 -req: Hash passwords with bcrypt"]),
    (
        "每个用户的预订上限从 3 个改为 5 个",
        ["IMPL-4 req: 每个用户最多预订 3 个车位 => 每个用户最多预订 5 个车位"],
    ),
)


@pytest.mark.parametrize(("text", "expected"), CHANGED)
def test_a_change_goes_to_the_task_that_has_the_entry(text: str, expected: list[str]) -> None:
    """A value, a replacement and a removal find their entry wherever it is."""
    assert told(ask(text, None, plan=SHOP)) == expected


LEFT = (
    "Add tests",
    "The weather is fine on the parking map",
    "parking map",
    "Remove the obsolete things",
    "Let it rain",
    "depends on Redis",
    "use codex for execution",
    "rename to Maps",
    "acceptance: it works",
    "every task should log errors",
    "Great work on the map, see you on Monday",
    "I already merged the map branch",
    "maybe cluster the markers on the map",
    "fix it like last time",
    "优化一下",
    "待定",
    "所有任务都要有日志",
    "今天天气不错",
)


@pytest.mark.parametrize("text", LEFT)
def test_what_has_no_place_is_left_out(text: str) -> None:
    """Without a task that is clearly meant nothing changes, and it is said why."""
    found = ask(text, None, plan=SHOP, may_add=True)
    assert found.operations == ()
    assert all(str(each.reason) for each in found.leftovers)
    assert found.leftovers


def test_what_fits_a_finished_task_is_left_out() -> None:
    """A completed task is no place for a new requirement."""
    (left,) = ask("The map library must be choosable", None, plan=SHOP).leftovers
    assert "IMPL-1" in str(left.reason)


def test_an_entry_that_two_tasks_have_is_not_guessed() -> None:
    """A removal that several tasks could mean is refused, naming them."""
    plan = plan_of(
        task("T1", "One", requirements=("Log every request",)),
        task("T2", "Two", requirements=("Log every request",)),
    )
    with pytest.raises(Refusal) as refused:
        ask("remove the requirement to log every request", None, plan=plan)
    assert refused.value.exit_code is ExitCode.REFUSED
    assert "T1, T2" in str(refused.value.message)


def test_something_new_becomes_a_task_near_its_kind() -> None:
    """A capability that no task has becomes a task with all its parts, and neighbours a note."""
    found = ask("Add 2FA support", None, plan=SHOP, may_add=True)
    assert told(found) == [
        (
            "create Add 2FA support [req: Add 2FA support]"
            " [acc: 2FA support: covered by passing tests]"
            " [path: src/auth/] [dep: IMPL-2] [id: IMPL-5]"
        ),
        "IMPL-2 note: IMPL-5: 2FA support",
    ]
    assert all(each.words == "Add 2FA support" and each.reason for each in found.operations)
    assert "No task is about 'Add 2FA support': it becomes IMPL-5." in map(str, found.derived)


def test_several_neighbours_get_the_note() -> None:
    """As in the original's example, one task is added and the two that are near it updated."""
    plan = plan_of(
        task("IMPL-001", "Auth service", focus_paths=("src/auth/service.ts",)),
        task("IMPL-002", "Login API endpoints", focus_paths=("src/api/login.ts",)),
        task("IMPL-003", "Product search", focus_paths=("src/search/index.ts",)),
    )
    create, *updates = ask("Add 2FA support", None, plan=plan, may_add=True).operations
    assert isinstance(create, CreateTask)
    assert (create.id, create.depends_on) == ("IMPL-004", ("IMPL-001",))
    assert [(each.task, each.notes.add) for each in updates if isinstance(each, UpdateTask)] == [
        ("IMPL-001", ("IMPL-004: 2FA support",)),
        ("IMPL-002", ("IMPL-004: 2FA support",)),
    ]


@pytest.mark.parametrize(
    "text",
    ["Build a dashboard, depends on IMPL-3", "Build a dashboard after IMPL-3"],
)
def test_something_new_depends_on_what_it_names(text: str) -> None:
    """A task named only as what comes before something new is not what the request is about."""
    (made,) = ask(text, None, plan=SHOP, may_add=True).operations
    assert isinstance(made, CreateTask)
    assert (made.title, made.depends_on) == ("Build a dashboard", ("IMPL-3",))
    assert made.words.startswith("Build a dashboard")


MADE: tuple[Case, ...] = (
    ("After IMPL-3, add a task: A b", ["create A b [dep: IMPL-3]"]),
    ("Once IMPL-3 is done, add a task called A b", ["create A b [dep: IMPL-3]"]),
    ("After IMPL-3 add task A b; after IMPL-2, add task C d", ["IMPL-3", "IMPL-2"]),
    ("add a task that depends on IMPL-3: A b", ["create A b [dep: IMPL-3]"]),
    ("add a task: A b once IMPL-3 is done", ["create A b [dep: IMPL-3]"]),
    ("In src/x, add a task: A b", ["create A b [path: src/x]"]),
    ("add a task in src/x: A b", ["create A b [path: src/x]"]),
    ("add a task: A b in src/x", ["create A b in src/x [path: src/x]"]),
    (
        "add a task: A b, it depends on IMPL-2. Touches src/x",
        ["create A b [path: src/x] [dep: IMPL-2]"],
    ),
    (
        "Add task: A b. It depends on IMPL-2 and touches src/x. It must be fast. Must pass lint.",
        ["create A b [req: must be fast] [acc: Must pass lint] [path: src/x] [dep: IMPL-2]"],
    ),
    (
        "Add task: A b\n- depends on IMPL-2\n- touches src/x\n- remove c",
        ["create A b [req: remove c] [path: src/x] [dep: IMPL-2]"],
    ),
    ("Add tasks: A and B. Both depend on IMPL-2.", ["IMPL-2", "IMPL-2"]),
    ("Add task: A b. It depends on IMPL-2. Add task: C d. It needs IMPL-3.", ["IMPL-2", "IMPL-3"]),
    ("在 IMPL-3 之后，新增任务：甲", ["create 甲 [dep: IMPL-3]"]),
    ("IMPL-3 完成后新增任务：甲", ["create 甲 [dep: IMPL-3]"]),
    ("新增一个依赖 IMPL-3 的任务：甲", ["create 甲 [dep: IMPL-3]"]),
    ("新增任务（依赖 IMPL-3）：甲", ["create 甲 [dep: IMPL-3]"]),
    ("依赖 IMPL-3，新增任务：甲", ["create 甲 [dep: IMPL-3]"]),
    ("在 src/x 中新增任务：甲", ["create 甲 [path: src/x]"]),
    (
        "新增任务：甲，它依赖 IMPL-2。修改 src/x。必须通过测试。",
        ["create 甲 [acc: 必须通过测试] [path: src/x] [dep: IMPL-2]"],
    ),
    ("新增任务：甲。它依赖 IMPL-2。新增任务：乙。它依赖 IMPL-3。", ["IMPL-2", "IMPL-3"]),
)


@pytest.mark.parametrize(("text", "expected"), MADE)
def test_what_a_new_task_depends_on_may_stand_before_and_behind(
    text: str, expected: list[str]
) -> None:
    """Dependencies, paths and criteria beside a new task become part of it, and nothing is left."""
    found = ask(text, None, plan=SHOP)
    made = [each for each in found.operations if isinstance(each, CreateTask)]
    assert found.leftovers == ()
    assert told(found) == expected or [each.depends_on[0] for each in made] == expected
    assert len(made) == len(found.operations)


def test_another_task_in_the_same_sentence_is_another_task() -> None:
    """What is said to a task that is there is no part of the one that the sentence adds."""
    found = ask('We should add a task called "Ice", and IMPL-4 should depend on IMPL-2', None)
    assert told(found) == ["create Ice", "IMPL-4 +dep: IMPL-2"]
    assert told(ask("在 IMPL-3 后端增加缓存", None)) == ["IMPL-3 +req: 后端增加缓存"]


def test_what_is_said_elsewhere_is_not_of_the_new_task() -> None:
    """Another bullet, another paragraph and another task are not about the task just added."""
    for text in (
        "- Add task: A b\n- depends on IMPL-2",
        "Add task: A b.\n\nDepends on IMPL-2.",
        "Add task: A b. Delete IMPL-4. It depends on IMPL-2.",
        "Add task: A b. IMPL-4 depends on it.",
        "新增任务：甲。IMPL-4 依赖它。",
    ):
        found = ask(text, None, plan=SHOP)
        assert [each.depends_on for each in found.operations if isinstance(each, CreateTask)] == [
            ()
        ]
        assert not any(isinstance(each, UpdateTask) for each in found.operations)
        assert len(found.leftovers) == 1


def test_a_new_task_may_depend_on_the_one_asked_about() -> None:
    """In a request about one task "this task" is that one, also behind a new task."""
    found = ask("Add task: A b. It depends on this task. This task must be fast.", "IMPL-3")
    assert told(found) == ["create A b [dep: IMPL-3]", "IMPL-3 +req: This task must be fast"] or (
        told(found) == ["IMPL-3 +req: This task must be fast", "create A b [dep: IMPL-3]"]
    )


@pytest.mark.parametrize("text", ["After IMPL-3, add offline maps", "在 IMPL-3 之后增加离线地图"])
def test_something_new_comes_after_what_is_named_before_it(text: str) -> None:
    """The task that something new comes after is no task that the request is about."""
    found = ask(text, None, plan=SHOP, may_add=True)
    made = [each for each in found.operations if isinstance(each, CreateTask)]
    assert [each.depends_on[0] for each in made] == ["IMPL-3"]
    assert "之后" not in made[0].title


def test_new_tasks_get_ids_of_their_own() -> None:
    """Two capabilities in one request become two tasks, past every id that was ever in use."""
    found = ask("Add 2FA support. 支持导出 PDF", None, plan=SHOP, may_add=True)
    made = [each for each in found.operations if isinstance(each, CreateTask)]
    assert [each.id for each in made] == ["IMPL-5", "IMPL-6"]
    assert made[1].acceptance == ("导出 PDF：有自动化测试并全部通过",)


@pytest.mark.parametrize("text", ["Add 2FA support", "支持导出 PDF", "We need a loyalty programme"])
def test_something_new_is_left_out_where_tasks_may_not_be_added(text: str) -> None:
    """Without leave to add tasks a capability is left out and the answer names the option."""
    found = ask(text, None, plan=SHOP)
    assert found.operations == ()
    assert "--task-changes add_remove" in str(found.leftovers[0].reason)


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("The goal is now to open three car parks", "Open three car parks"),
        ("Change the session goal to: three car parks", "Three car parks"),
        ('Rename the session to "parking, v2"', "parking, v2"),
        ("Session goal: faster booking", "Faster booking"),
        ("The session's goal is now: faster booking", "Faster booking"),
        ("会话目标改为 先支持预订", "先支持预订"),
        ("目标改为先支持预订", "先支持预订"),
        ("把整个会话的标题改成“停车二期”", "停车二期"),
    ],
)
def test_the_goal_of_the_session_changes(text: str, goal: str) -> None:
    """The session's goal is a change of the session, which needs the widest scope."""
    (operation,) = ask(text, None, plan=SHOP).operations
    assert told(ask(text, None, plan=SHOP)) == [f"session {goal}"]
    assert scope_needed(operation) is Scope.COMPREHENSIVE


def test_two_goals_contradict_each_other() -> None:
    """A request that gives the session two goals changes nothing."""
    with pytest.raises(Refusal):
        ask("Session goal: a. Session goal: b.", None, plan=SHOP)


def test_only_the_modules_asked_for_are_touched() -> None:
    """With modules given, what concerns tasks elsewhere is left out with that reason."""
    text = "IMPL-2: add a. IMPL-3: add b. delete IMPL-4"
    found = ask(text, None, plan=SHOP, modules=("src/map",))
    assert told(found) == ["IMPL-3 +req: add b", "left: IMPL-2: add a", "left: delete IMPL-4"] or (
        told(found) == ["IMPL-3 +req: add b", "left: add a", "left: delete IMPL-4"]
    )
    assert all("src/map" in str(each.reason) for each in found.leftovers)


def test_a_new_task_works_in_the_module_asked_for() -> None:
    """With modules given, a new task works there and depends on nothing elsewhere."""
    (made,) = ask("Add 2FA support", None, plan=SHOP, may_add=True, modules=("src/map",)).operations
    assert isinstance(made, CreateTask)
    assert (made.focus_paths, made.depends_on) == (("src/map",), ())


@pytest.mark.parametrize("text", ["Add task X, depends on IMPL-1", "新增任务 日志，依赖 IMPL-1"])
def test_a_new_task_depends_on_tasks_that_are_there(text: str) -> None:
    """An id of the usual form that no task has is never taken for words of a title."""
    for plan in (plan_of(), plan_of(task("T7", "x")), plan_of(task("STORY-7", "x"))):
        with pytest.raises(Refusal) as refused:
            ask(text, None, plan=plan)
        assert refused.value.exit_code is ExitCode.NOT_FOUND


def test_search_is_about_what_is_said() -> None:
    """Words of asking find nothing; a slip of the keyboard and the other language do."""
    index = TaskIndex(SHOP)
    assert index.ranked("please add support for it") == ()
    assert index.ranked("passwrd")[0].task == "IMPL-2"
    assert index.ranked("密码")[0].task == "IMPL-2"
    assert index.clearly("password") is None


@given(st.text(max_size=80), st.booleans(), st.sampled_from([(), ("src/map",)]))
def test_any_text_is_answered(text: str, may_add: bool, modules: tuple[str, ...]) -> None:
    """Whatever is written, there is an answer or a refusal, and every change has a cause."""
    try:
        found = ask(text, None, plan=SHOP, may_add=may_add, modules=modules)
    except Refusal as refusal:
        assert str(refusal.message)
        return
    assert all(each.words and each.reason for each in found.operations)


def test_every_pattern_compiles() -> None:
    """Patterns are compiled when first used, so a test has to try them all."""
    import gc

    made = [each for each in gc.get_objects() if isinstance(each, Lazy)]
    assert len(made) > 50
    assert all(each.compiled for each in made)
