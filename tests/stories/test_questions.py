"""Questions on a terminal: asked, adjusted, cancelled, interrupted; flags answer them elsewhere."""

import pytest

from tests.scene import Scene
from tests.stories.dialogue import CTRL_C, conversation
from tests.stories.harbour import assert_clean, assert_untouched, harbour, requirements

FIRST = "Show the price before asking for a name"
TASK_WORDS = ("replan", "IMPL-3", FIRST)
SESSION_WORDS = ("replan", "-i", "IMPL-3: show the price first. IMPL-2: log every change")


def test_adjusted_twice(scene: Scene) -> None:
    """Adjusting asks the questions again, with the answers before as defaults, then confirms."""
    harbour(scene)
    answers = ["a\n", "requirements\n", "yes\n", "a\n", "\n", "no\n", "y\n"]
    code, said = conversation(scene, *TASK_WORDS, answers=answers)
    assert code == 0, said
    assert said.count("Modification plan") == 3
    assert "[requirements]" in said
    assert "[yes]" in said
    assert requirements(scene)[-1] == FIRST
    assert_clean(scene)


def test_questions_of_a_session(scene: Scene) -> None:
    """With -i the questions come before anything is shown, and what is needless is not asked."""
    harbour(scene)
    code, said = conversation(scene, *SESSION_WORDS, answers=["plan_update\n", "\n", "no\n", "\n"])
    assert code == 0, said
    scope, module = said.index("How far"), said.index("Which module")
    assert scope < module < said.index("dependencies") < said.index("Modification plan")
    assert "What kind of task changes" not in said
    assert_clean(scene)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_interrupted_at_any_question(scene: Scene, number: int) -> None:
    """Ctrl-C at a question ends with 130 and leaves no trace."""
    harbour(scene)
    before = scene.snapshot()
    answers = ["a\n", "\n", "\n"][: number - 1]
    code, said = conversation(scene, *TASK_WORDS, answers=[*answers, CTRL_C])
    assert code == 130, said
    assert_untouched(scene, before)


def test_cancelled(scene: Scene) -> None:
    """Cancel ends with 1 and leaves no trace."""
    harbour(scene)
    before = scene.snapshot()
    code, said = conversation(scene, *TASK_WORDS, answers=["a\n", "\n", "\n", "n\n"])
    assert code == 1, said
    assert "nothing was changed" in said
    assert_untouched(scene, before)


def test_questions_in_chinese(scene: Scene) -> None:
    """In Chinese the labels are Chinese, with the English identifier in brackets."""
    harbour(scene)
    code, said = conversation(
        scene,
        *TASK_WORDS,
        answers=["a\n", "requirements\n", "no\n", "y\n"],
        prompt="序号或名称",
        env={"LC_ALL": "C.UTF-8", "WFP_UI_LANGUAGE": "zh_CN"},
    )
    assert code == 0, said
    assert "(requirements)" in said
    assert "Requirements and acceptance" not in said
    assert_clean(scene)


def test_ripple_by_flag(scene: Scene) -> None:
    """--ripple yes gives each open dependent a note of the change, in the same commit."""
    harbour(scene)
    words = ("replan", "IMPL-1", FIRST, "--ripple", "yes", "-y", "--json")
    data = scene.run(*words).expect(0).json["data"]
    notes = [
        change
        for change in data["changes"]
        if change["field"] == "inherited" and f"IMPL-1: {FIRST}" in change["after"]
    ]
    assert {change["task"] for change in notes} == {d["task"] for d in data["impact"]["dependents"]}
    assert notes
    assert_clean(scene)


def test_no_questions_without_a_terminal(scene: Scene) -> None:
    """-i without a terminal is refused and names the flags; a contradicting flag is refused."""
    harbour(scene)
    before = scene.snapshot()
    run = scene.run(*SESSION_WORDS).expect(2)
    for flag in ("--scope", "--module", "--task-changes", "--dependencies", "--ripple"):
        assert flag in run.err
    contradiction = ("replan", "delete IMPL-4", "--task-changes", "update_only", "-y")
    assert "update_only" in scene.run(*contradiction).expect(2).err
    assert (
        "task_restructure"
        in scene.run("replan", "delete IMPL-4", "--scope", "tasks_only").expect(2).err
    )
    assert_untouched(scene, before)


def test_a_new_capability_becomes_a_task(scene: Scene) -> None:
    """Under a comprehensive scope a capability that no task is about becomes one, in one commit."""
    harbour(scene)
    commits = len(scene.git("rev-list", "HEAD").split())
    words = ("replan", "Add 2FA support", "--scope", "comprehensive", "-y", "--json")
    data = scene.run(*words).expect(0).json["data"]
    assert len(data["added"]) == 1
    assert len(scene.git("rev-list", "HEAD").split()) == commits + 1
    again = scene.run("replan", "Add SSO for the harbour office", *words[2:]).expect(0)
    assert any(note["code"] == "assumed" for note in again.json["diagnostics"])
    assert_clean(scene)
