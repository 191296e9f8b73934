"""Clarification, bounds and ripple: what is asked, what is excluded, who gets a note."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from gitwfp.errors import ExitCode, Refusal
from gitwfp.model import fields as f
from gitwfp.model.plan import Plan
from gitwfp.model.task import Task, TaskId
from gitwfp.policy.bounds import bounded
from gitwfp.policy.clarify import (
    Answers,
    Mode,
    answered,
    assumed,
    is_about_execution,
    lies_in,
    modules_of,
    next_question,
)
from gitwfp.policy.operations import (
    CreateTask,
    DeleteTask,
    EditSession,
    Execution,
    ListEdit,
    Operation,
    Scope,
    UpdateTask,
)
from gitwfp.policy.request.order import derived_from
from gitwfp.policy.ripple import with_ripple
from tests.battery.judge import battery_plan


@pytest.fixture(scope="module")
def plan() -> Plan:
    """The plan of the battery."""
    return battery_plan()


def asked(
    plan: Plan, mode: Mode, replies: Mapping[str, str], known: Answers | None = None
) -> list[str]:
    """Returns the names of the questions that come when each is answered."""
    answers, names = known or Answers(), []
    while (question := next_question(plan, mode, answers, Answers())) is not None:
        names.append(question.name)
        reply = replies.get(question.name)
        answers = answered(answers, question, question.defaults if reply is None else (reply,))
    return names


def test_session_questions_follow_the_scope(plan: Plan) -> None:
    """The wider the scope, the more is asked; never more than four questions."""
    narrow = asked(plan, "session", {"scope": "tasks_only"})
    assert narrow == ["scope", "dependencies"]
    middle = asked(plan, "session", {"scope": "plan_update"})
    assert middle == ["scope", "modules", "dependencies"]
    for scope in ("task_restructure", "comprehensive"):
        wide = asked(plan, "session", {"scope": scope})
        assert wide == ["scope", "modules", "task_changes", "dependencies"]


def test_task_questions(plan: Plan) -> None:
    """About one task two things are asked: what may change, and whether dependents follow."""
    assert asked(plan, "task", {}) == ["update_type", "ripple"]


def test_a_flag_answers_its_question(plan: Plan) -> None:
    """What a flag says is not asked."""
    known = Answers(scope=Scope.COMPREHENSIVE, dependencies=True, modules=("src/auth",))
    assert asked(plan, "session", {}, known) == ["task_changes"]
    assert asked(plan, "task", {}, Answers(update_type="all", ripple="yes")) == []


def test_answers_before_are_the_defaults(plan: Plan) -> None:
    """Adjusting starts from what was answered in the round before."""
    modules = ("src/web", "src/api", "src/gone")
    before = Answers(scope=Scope.PLAN_UPDATE, modules=modules, dependencies=True)
    question = next_question(plan, "session", Answers(), before)
    assert question is not None
    assert question.defaults == ("plan_update",)
    known = Answers(scope=Scope.PLAN_UPDATE)
    question = next_question(plan, "session", known, before)
    assert question is not None
    assert set(question.defaults) == {"src/api", "src/web"}


def test_several_modules_may_be_answered(plan: Plan) -> None:
    """Modules are the one question with several answers; all of them is the default."""
    known = Answers(scope=Scope.PLAN_UPDATE)
    question = next_question(plan, "session", known, Answers())
    assert question is not None
    assert question.several
    assert question.defaults == ("all",)
    assert [option.value for option in question.options if option.alone] == ["all"]
    assert answered(known, question, ("all",)).modules == ()
    assert answered(known, question, ("docs", "src/api")).modules == ("docs", "src/api")
    assert not any(
        asked.several
        for mode in ("session", "task")
        if (asked := next_question(plan, mode, Answers(), Answers())) is not None
    )


def test_every_module_has_a_digit(plan: Plan) -> None:
    """However many modules there are, the choices fit on the digits, the most used ones first."""
    tasks = {
        TaskId(f"IMPL-{n}"): Task(
            TaskId(f"IMPL-{n}"), {f.FOCUS_PATHS: tuple(f"m{k}/x.py" for k in range(n))}
        )
        for n in range(1, 15)
    }
    question = next_question(
        replace(plan, tasks=tasks), "session", Answers(scope=Scope.PLAN_UPDATE), Answers()
    )
    assert question is not None
    assert [option.value for option in question.options] == [*(f"m{n}" for n in range(8)), "all"]
    assert str(question.options[0].label) == "m0: 14 tasks"


def test_who_executes_is_no_question() -> None:
    """Nothing is open in a request that only says who executes tasks."""
    intent = UpdateTask(task="IMPL-003", execution=Execution("cli", "codex"), words="use codex")
    assert is_about_execution((intent,))
    assert not is_about_execution(())
    assert not is_about_execution((intent, UpdateTask(task="IMPL-003", title="Cart")))
    assert not is_about_execution((replace(intent, requirements=ListEdit(add=("A",))),))
    assert not is_about_execution((DeleteTask(task="IMPL-003"),))


def test_modules_come_from_focus_paths(plan: Plan) -> None:
    """The modules to choose from are the folders that the tasks work in."""
    found = modules_of(plan)
    assert {"src/auth", "src/api", "src/payments", "src/web", "docs"} <= set(found)
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert all(lies_in(f"{module}/x.ts", (module,)) for module in found)
    assert not lies_in("src/authors/x.ts", ("src/auth",))


def test_may_add() -> None:
    """A scope that restructures allows new tasks, unless the task changes say else."""
    assert not Answers().may_add
    assert Answers(scope=Scope.COMPREHENSIVE).may_add
    assert Answers(task_changes="add_remove").may_add
    assert not Answers(scope=Scope.COMPREHENSIVE, task_changes="update_only").may_add


def test_assumptions_are_said_for_sessions_only() -> None:
    """What nobody was asked is said, but for what flags have answered."""
    text = str(assumed("session", Answers()))
    for word in ("tasks_only", "update_only", "modules", "dependencies"):
        assert word in text
    assert "dependencies" not in str(assumed("session", Answers(dependencies=False)))
    assert assumed("task", Answers()) is None


@pytest.mark.parametrize(
    ("operation", "gone"),
    [
        (CreateTask(title="New"), ("tasks_only", "update_only")),
        (DeleteTask(task="IMPL-008"), ("tasks_only", "update_only", "dependencies")),
        (
            UpdateTask(task="IMPL-008", depends_on=ListEdit(add=("IMPL-001",))),
            ("dependencies",),
        ),
        (UpdateTask(task="IMPL-008", title="New"), ()),
    ],
)
def test_what_a_request_answers_is_not_assumed(operation: Operation, gone: tuple[str, ...]) -> None:
    """An assumption never contradicts what the request does: that is derived, not assumed."""
    text = str(assumed("session", Answers(), (operation,)))
    for word in ("tasks_only", "update_only", "dependencies", "modules"):
        assert (word in text) is (word not in gone)


@pytest.mark.parametrize("operation", [CreateTask(title="New"), DeleteTask(task="IMPL-008")])
def test_a_flag_that_contradicts_the_request_is_a_mistake(
    operation: CreateTask | DeleteTask,
) -> None:
    """--task-changes update_only with a request that adds or deletes is refused as usage."""
    with pytest.raises(Refusal) as caught:
        bounded((operation,), Answers(task_changes="update_only"))
    assert caught.value.exit_code is ExitCode.USAGE
    assert bounded((operation,), Answers(task_changes="add_remove"))[0] == (operation,)


def test_an_update_type_leaves_the_rest_out_and_says_so() -> None:
    """Only what the update type names stays; what is left out is said; an empty update goes."""
    both = UpdateTask(
        task="IMPL-003",
        requirements=ListEdit(add=("A",)),
        focus_paths=ListEdit(add=("src/x",)),
        words="A. focus on src/x",
    )
    (left,), notes = bounded((both,), Answers(update_type="focus_paths"))
    assert isinstance(left, UpdateTask)
    assert not left.requirements
    assert left.focus_paths == both.focus_paths
    assert [note.location.field for note in notes] == ["requirements"]
    gone, notes = bounded((both,), Answers(update_type="depends_on"))
    assert gone == ()
    assert len(notes) == 2
    assert bounded((both,), Answers(update_type="all")) == ((both,), ())


def test_ripple_yes_notes_every_open_dependent(plan: Plan) -> None:
    """Each open task that reaches the changed one gets a note that names it; closed ones do not."""
    change = UpdateTask(task="IMPL-3", requirements=ListEdit(add=("Limit the rate",)))
    operations, verdicts = with_ripple(plan, (change,), "yes")
    noted = {o.task: o.notes.add for o in operations[1:] if isinstance(o, UpdateTask)}
    assert {"IMPL-004", "IMPL-005", "IMPL-006", "IMPL-007", "IMPL-008"} == set(noted)
    assert all(texts == ("IMPL-003: Limit the rate",) for texts in noted.values())
    assert {verdict.task for verdict in verdicts} == set(noted)
    assert all("IMPL-003" in str(verdict.why) for verdict in verdicts)


def test_ripple_no_touches_nobody(plan: Plan) -> None:
    """Without ripple the operations stay as they are, and each dependent is listed."""
    change = UpdateTask(task="IMPL-003", acceptance=ListEdit(add=("429 is answered",)))
    operations, verdicts = with_ripple(plan, (change,), "no")
    assert operations == (change,)
    assert verdicts
    assert not any(verdict.touched for verdict in verdicts)


def test_ripple_analyze_gives_a_proof_for_each(plan: Plan) -> None:
    """Each dependent is judged, with the chain to it and what the two have in common."""
    change = UpdateTask(task="IMPL-003", requirements=ListEdit(add=("Limit the rate",)))
    operations, verdicts = with_ripple(plan, (change,), "analyze")
    touched = {verdict.task for verdict in verdicts if verdict.touched}
    assert touched == {o.task for o in operations[1:] if isinstance(o, UpdateTask)}
    assert all("->" in str(verdict.why) for verdict in verdicts)


def test_a_change_without_news_has_no_ripple(plan: Plan) -> None:
    """A title or a path is nothing that dependents have to know."""
    change = UpdateTask(task="IMPL-003", title="Cart", focus_paths=ListEdit(add=("src/x",)))
    assert with_ripple(plan, (change,), "yes") == ((change,), ())


def test_what_a_flag_says_is_not_concluded() -> None:
    """The widest scope is concluded from the request, and nothing that was given beside it."""
    operations = (
        DeleteTask(task="IMPL-1", words="drop it"),
        EditSession(title="Less", words="the goal is less"),
    )
    assert [str(text) for text in derived_from(operations)] == [
        "The scope is comprehensive: the request says 'the goal is less'.",
        "Task changes include add_remove: the request says 'drop it'.",
    ]
    given = Answers(scope=Scope.COMPREHENSIVE, task_changes="add_remove").given
    assert given == {"scope", "task_changes"}
    assert derived_from(operations, given) == []
