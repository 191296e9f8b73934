"""Questions on a terminal: picked, typed, adjusted, cancelled, interrupted; steps; flags elsewhere.

A capable terminal has lists to move in, a simple one has numbered lines; what comes of the answers
is the same.
"""

import json
import re
import signal
from typing import Any

import pytest

from tests.scene import Scene
from tests.stories.dialogue import (
    CAPABLE,
    CTRL_C,
    DOWN,
    END_OF_INPUT,
    ENTER,
    ESCAPE,
    SPACE,
    UP,
    conversation,
    dialogue,
    picked,
)
from tests.stories.harbour import assert_clean, assert_untouched, harbour, requirements

FIRST = "Show the price before asking for a name"
TASK_WORDS = ("replan", "IMPL-3", FIRST)
SESSION_WORDS = (
    "replan",
    "-i",
    "IMPL-1: keep a log. IMPL-2: keep a log too. IMPL-3: show the price first",
)
CHINESE = {"LC_ALL": "C.UTF-8", "WFP_UI_LANGUAGE": "zh_CN"}
ZH_LIST = "回车确认"
SESSION_STEPS = ["detect", "clarify", "analyze", "backup", "apply", "verify"]
TASK_STEPS = ["detect", "confirm", "apply"]


def steps(data: Any) -> tuple[list[str], int]:
    """Returns the names of the steps of an answer, and how many of the first are completed."""
    names = [line["step"] for line in data["steps"]]
    done = [line["step"] for line in data["steps"] if line["status"] == "completed"]
    assert names[: len(done)] == done
    assert {line["status"] for line in data["steps"]} <= {"completed", "pending"}
    return names, len(done)


def changed_tasks(scene: Scene) -> set[str]:
    """Returns the tasks whose files the last commit changed."""
    return set(re.findall(r"\.task/(.*)\.json", scene.git("show", "--format=", "--name-only")))


# ------------------------------------------------------------------------------------- lists


def test_a_session_by_arrow_keys(scene: Scene) -> None:
    """All four questions are answered by arrow keys; several modules may be marked."""
    harbour(scene)
    answers = [
        DOWN + DOWN + ENTER,  # task_restructure
        # From the last one, which stands for all, around to the first and on to the third.
        DOWN + SPACE + DOWN + DOWN + SPACE + ENTER,
        UP + ENTER,  # From the first around to the last, update_only.
        UP + DOWN + DOWN + UP + ENTER,
        ENTER,
    ]
    code, said = picked(scene, *SESSION_WORDS, answers=answers)
    assert code == 0, said
    order = [said.index(text) for text in ("How far", "Which modules", "What kind", "Shall")]
    assert order == sorted(order)
    assert "How far shall this replan go? Restructure tasks (task_restructure)" in said
    assert "Which modules are affected? api: 1 task (src/api), search: 1 task (src/search)" in said
    assert "What kind of task changes? Only update what tasks say (update_only)" in said
    assert "IMPL-3 does not work in the module src/api, src/search" in said
    assert "IMPL-3" not in changed_tasks(scene)
    assert_clean(scene)


def test_a_session_by_numbers_in_chinese(scene: Scene) -> None:
    """Numbers are typed; labels are Chinese, with the English identifier in brackets."""
    harbour(scene)
    answers = ["4\r", "2\r", "3\r", "2\r", "1\r"]
    code, said = picked(scene, *SESSION_WORDS, answers=answers, mark=ZH_LIST, env=CHINESE)
    assert code == 0, said
    for answer in ("(comprehensive)", "(src/prices)", "(update_only)", "(no)", "(y)"):
        assert re.search(rf"？ .*[\u4e00-\u9fff].*{re.escape(answer)}", said), answer
    assert "[x] 2/6 交互式需求澄清" in said
    assert changed_tasks(scene) == {"IMPL-3"}
    assert "Restructure" not in said
    assert_clean(scene)


def test_a_task_by_name_adjusted_twice(scene: Scene) -> None:
    """Adjusting asks again with the answers before as defaults; names may be typed as well."""
    harbour(scene)
    answers = ["a\r", "requirements\r", "yes\r", "2\r", ENTER, UP + DOWN + ENTER, "adj\r"]
    code, said = picked(scene, *TASK_WORDS, answers=[*answers, ENTER, "no\r", "y\r"])
    assert code == 0, said
    assert said.count("Modification plan") == 4
    assert said.count("What of the task shall change? Requirements and acceptance criteria") == 3
    assert said.count("be brought in line? Yes, dependent tasks get a note of it (yes)") == 2
    assert said.count("be brought in line? No, only this task (no)") == 1
    assert requirements(scene)[-1] == FIRST
    assert changed_tasks(scene) == {"IMPL-3"}
    assert_clean(scene)


def test_answers_that_leave_nothing_are_asked_again(scene: Scene) -> None:
    """Answers that exclude what the request says are no end: it is said why, and asked again."""
    harbour(scene)
    answers = ["a\r", "depends_on\r", ENTER, "requirements\r", ENTER, "y\r"]
    code, said = picked(scene, *TASK_WORDS, answers=answers)
    assert code == 0, said
    assert said.count("warning: No modifications specified") == 1
    assert "the requirements are left out, because the update type is depends_on" in said
    assert requirements(scene)[-1] == FIRST


def test_marked_modules_are_the_next_defaults(scene: Scene) -> None:
    """When the answers are adjusted, the modules marked before are marked again."""
    harbour(scene)
    first = ["2\r", "24\r", ENTER, "a\r"]
    code, said = picked(scene, *SESSION_WORDS, answers=[*first, ENTER, ENTER, ENTER, "n\r"])
    assert code == 1, said
    answer = "Which modules are affected? prices: 1 task (src/prices), store: 1 task (src/store)"
    assert said.count(answer) == 2
    assert "● 2) prices" in said
    assert "○ 5) All affected modules (all)" in said


@pytest.mark.parametrize(
    "typed",
    [
        *("n\r", "3\r", DOWN + DOWN + ENTER, END_OF_INPUT, ESCAPE),
        *("no\r", "q\r", "quit\r", "Cancel\r", "否\r", "取消\r"),
    ],
)
def test_cancelled_in_a_list(scene: Scene, typed: str) -> None:
    """Cancel, Ctrl-D, Esc and the words for it end with 1 and leave no trace."""
    harbour(scene)
    before = scene.snapshot()
    code, said = picked(scene, *TASK_WORDS, answers=[typed])
    assert code == 1, said
    assert "nothing was changed" in said
    assert_untouched(scene, before)


@pytest.mark.parametrize(
    "typed", ["x", "9", "exactly", "yes but", "x1", "是的吗", "\x1b[200~sure\x1b[201~"]
)
def test_what_is_no_answer_is_asked_again(scene: Scene, typed: str) -> None:
    """A typed word that is none of the answers is never taken for the one that is pointed at."""
    harbour(scene)
    before = scene.snapshot()
    code, said = picked(scene, *TASK_WORDS, answers=[f"{typed}\r", "n\r"])
    assert code == 1, said
    assert "There is no answer '" in said
    assert_untouched(scene, before)


def test_the_pointer_counts_once_it_is_moved(scene: Scene) -> None:
    """What was typed before an arrow key is forgotten, and so is what was rubbed out."""
    harbour(scene)
    for typed in ("x" + DOWN + DOWN + ENTER, "nx\x7f\r"):
        code, said = picked(scene, *TASK_WORDS, answers=[typed])
        assert code == 1, said
        assert "There is no answer" not in said


def test_several_by_their_names(scene: Scene) -> None:
    """Where several answers may be given, words name them; an unknown one is asked again."""
    harbour(scene)
    answers = ["2\r", "src/api, nowhere\r", "src/api, src/search\r", ENTER, "n\r"]
    code, said = picked(scene, *SESSION_WORDS, answers=answers)
    assert code == 1, said
    assert "There is no answer 'src/api, nowhere'." in said
    assert "Which modules are affected? api: 1 task (src/api), search: 1 task (src/search)" in said


@pytest.mark.parametrize("words", ["The weather is nice", "IMPL-3 looks good"])
def test_what_is_not_understood_asks_nothing(scene: Scene, words: str) -> None:
    """No question is asked where no answer would make a change of the request."""
    harbour(scene)
    before = scene.snapshot()
    code, said = picked(scene, "replan", "-i", words, answers=[])
    assert code == 2, said
    assert "How far" not in said
    assert "is left out" in said
    assert_untouched(scene, before)


@pytest.mark.parametrize("answered", range(5))
def test_interrupted_in_any_list(scene: Scene, answered: int) -> None:
    """Ctrl-C at any question ends with 130, leaves no trace and gives the terminal back."""
    harbour(scene)
    before = scene.snapshot()
    answers = ["3\r", "1\r", ENTER, ENTER][:answered]
    code, said = picked(scene, *SESSION_WORDS, answers=[*answers, CTRL_C])
    assert code == 130, said
    assert said.count("Interrupted.") == 1
    assert_untouched(scene, before)


@pytest.mark.parametrize("answered", range(4))
def test_interrupted_while_adjusting(scene: Scene, answered: int) -> None:
    """The same holds for the questions about one task, before and after they are adjusted."""
    harbour(scene)
    before = scene.snapshot()
    answers = ["a\r", ENTER, ENTER][:answered]
    code, said = picked(scene, *TASK_WORDS, answers=[*answers, CTRL_C])
    assert code == 130, said
    assert_untouched(scene, before)


def test_interrupted_from_elsewhere(scene: Scene) -> None:
    """A signal of another program at a question is an interruption as Ctrl-C is."""
    harbour(scene)
    before = scene.snapshot()
    with dialogue(scene, *TASK_WORDS, env=CAPABLE) as talk:
        talk.until_list(1)
        talk.signal(signal.SIGINT)
        assert talk.end() == 130, talk.said
        talk.assert_restored()
    assert_untouched(scene, before)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("answered", [0, 1])
def test_asked_to_end_from_elsewhere(scene: Scene, number: signal.Signals, answered: int) -> None:
    """A request to end at a list is followed once the terminal is as it was, without a trace."""
    harbour(scene)
    before = scene.snapshot()
    with dialogue(scene, *TASK_WORDS, env=CAPABLE) as talk:
        for asked in range(answered):
            talk.until_list(asked + 1)
            talk.type("a\r")
        talk.until_list(answered + 1)
        talk.signal(number)
        assert talk.end() == -number, talk.said
        talk.assert_restored()
    assert_untouched(scene, before)


def test_deaf_to_a_request_to_end(scene: Scene) -> None:
    """A command that was started deaf to a signal, as by nohup, goes on asking."""
    harbour(scene)
    with dialogue(scene, *TASK_WORDS, env=CAPABLE, ignoring=(signal.SIGHUP,)) as talk:
        talk.until_list(1)
        talk.signal(signal.SIGHUP)
        talk.type("n\r")
        assert talk.end() == 1, talk.said
        talk.assert_restored()


@pytest.mark.parametrize("kind", ["xterm-256color", "dumb"])
def test_the_terminal_goes_away(scene: Scene, kind: str) -> None:
    """When the terminal is closed the command ends, also where it is deaf to that signal."""
    harbour(scene)
    before = scene.snapshot()
    for ignoring, expected in (((), -signal.SIGHUP), ((signal.SIGHUP,), 1)):
        with dialogue(scene, *TASK_WORDS, env={"TERM": kind}, ignoring=ignoring) as talk:
            talk.until("Enter)" if kind != "dumb" else "[y]:")
            assert talk.hang_up() == expected
    assert_untouched(scene, before)


def test_typed_ahead(scene: Scene) -> None:
    """Keys that are typed before there is a list hold for it, also the one that cancels."""
    harbour(scene)
    code, said = picked(scene, *TASK_WORDS, answers=["a\r1\r2\ra\r5\r1\ry\r"])
    assert code == 0, said
    assert said.count("Modification plan") == 3
    with dialogue(scene, *TASK_WORDS[:2], "Show the harbour first", env=CAPABLE) as talk:
        talk.type(END_OF_INPUT)
        assert talk.end() == 1, talk.said


def test_a_narrow_terminal_without_colours(scene: Scene) -> None:
    """Twenty columns are enough; with NO_COLOR there are none, and no library complains."""
    harbour(scene)
    env = {"PYTHONWARNINGS": "error", **CAPABLE}
    with dialogue(scene, *TASK_WORDS, env=env, columns=20) as talk:
        talk.until("3) Cancel")
        talk.type(ENTER)
        assert talk.end() == 0, talk.said
        talk.assert_restored()
    assert "Apply this change?" in talk.text
    assert "1) Confirm (y)" in talk.text
    assert re.search(r"\x1b\[[0-9;]*3[0-9]", talk.said) is None
    assert "\x1b[6n" not in talk.said
    assert "WARNING" not in talk.said


def test_colours(scene: Scene) -> None:
    """Where colours are welcome, the pointer has one."""
    harbour(scene)
    with dialogue(scene, *TASK_WORDS, env={**CAPABLE, "NO_COLOR": ""}) as talk:
        talk.until_list(1)
        talk.type("n\r")
        assert talk.end() == 1
    assert re.search(r"\x1b\[[0-9;]*36[0-9;]*m » ", talk.said)


def test_which_session_in_a_list(scene: Scene) -> None:
    """With several sessions and a terminal it is asked which; id, number and arrows answer."""
    harbour(scene)
    scene.session("nested", 2, session="WFS-other")
    scene.commit("another")
    for answer in ("WFS-other\r", "2\r", DOWN + ENTER):
        code, said = picked(scene, "replan", "IMPL-2", FIRST, answers=[answer, "n\r"])
        assert code == 1, said
        assert "Which session? WFS-other (.workflow/active/WFS-other)" in said
        assert "Modification plan for WFS-other" in said
    code, said = picked(scene, "replan", "IMPL-2", FIRST, answers=[CTRL_C])
    assert code == 130, said


def test_lists_are_loaded_for_questions_only(scene: Scene) -> None:
    """A replan that asks nothing loads no library for questions."""
    harbour(scene)
    report = (
        "import sys\nfrom gitwfp.cli.main import main\ncode = main(sys.argv[1:])\n"
        "print(sorted({'asyncio', 'prompt_toolkit', 'questionary'} & set(sys.modules)))\n"
        "sys.exit(code)"
    )
    for tty in (True, False):
        run = scene.python("-c", report, *TASK_WORDS, "-y", "--dry-run", tty=tty).expect(0)
        assert run.out.splitlines()[-1] == "[]"


# ----------------------------------------------------------------------------- numbered lines


def test_a_simple_terminal_adjusted_twice(scene: Scene) -> None:
    """On a simple terminal the questions are lines, and nothing moves the cursor."""
    harbour(scene)
    answers = ["a\n", "requirements\n", "yes\n", "a\n", "\n", "no\n", "y\n"]
    code, said = conversation(scene, *TASK_WORDS, answers=answers)
    assert code == 0, said
    assert said.count("Modification plan") == 3
    assert "[requirements]" in said
    assert "[yes]" in said
    assert "\x1b" not in said
    assert requirements(scene)[-1] == FIRST
    assert_clean(scene)


def test_a_simple_terminal_and_a_session(scene: Scene) -> None:
    """With -i the questions come before anything is shown, and what is needless is not asked."""
    harbour(scene)
    answers = ["plan_update\n", "nowhere\n", "1, src/search\n", "no\n", "\n"]
    code, said = conversation(scene, *SESSION_WORDS, prompt="Number", answers=answers)
    assert code == 0, said
    scope, module = said.index("How far"), said.index("Which modules")
    assert scope < module < said.index("dependencies") < said.index("Modification plan")
    assert "There is no answer 'nowhere'." in said
    assert "Numbers or names [all]:" in said
    assert "What kind of task changes" not in said
    assert "IMPL-3 does not work in the module src/api, src/search" in said
    assert_clean(scene)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_interrupted_at_any_line(scene: Scene, number: int) -> None:
    """Ctrl-C at a question ends with 130 and leaves no trace."""
    harbour(scene)
    before = scene.snapshot()
    answers = ["a\n", "\n", "\n"][: number - 1]
    code, said = conversation(scene, *TASK_WORDS, answers=[*answers, CTRL_C])
    assert code == 130, said
    assert_untouched(scene, before)


@pytest.mark.parametrize("last", ["n\n", END_OF_INPUT])
def test_cancelled_at_a_line(scene: Scene, last: str) -> None:
    """Cancel, and the end of input, end with 1 and leave no trace."""
    harbour(scene)
    before = scene.snapshot()
    code, said = conversation(scene, *TASK_WORDS, answers=["a\n", "\n", "\n", last])
    assert code == 1, said
    assert "nothing was changed" in said
    assert_untouched(scene, before)


def test_lines_in_chinese(scene: Scene) -> None:
    """In Chinese the labels are Chinese, with the English identifier in brackets."""
    harbour(scene)
    code, said = conversation(
        scene,
        *TASK_WORDS,
        answers=["a\n", "requirements\n", "no\n", "y\n"],
        prompt="序号或名称",
        env=CHINESE,
    )
    assert code == 0, said
    assert "(requirements)" in said
    assert "Requirements and acceptance" not in said
    assert "[x] 3/3 应用任务修改" in said
    assert_clean(scene)


# -------------------------------------------------------------------------------------- steps


def test_steps_on_a_terminal(scene: Scene) -> None:
    """A terminal is told each completed step once: six about a session, three about a task."""
    harbour(scene)
    code, said = picked(scene, *SESSION_WORDS, answers=["1\r", "2\r", "a\r", "1\r", "2\r", "y\r"])
    assert code == 0, said
    assert re.findall(r"\[x\] (\d/\d) ", said) == [f"{n}/6" for n in range(1, 7)]
    detected, asked = said.index("[x] 1/6 Mode detection"), said.index("How far")
    assert detected < asked < said.index("[x] 2/6 Interactive requirement clarification")
    assert said.index("[x] 3/6 Impact") < said.index("Modification plan")
    assert said.rindex("Apply this change?") < said.index("[x] 4/6 Backup creation")
    code, said = picked(scene, *TASK_WORDS, answers=["n\r"])
    assert re.findall(r"\[x\] (\d/\d) ", said) == ["1/3"]
    run = scene.run(*TASK_WORDS, "-y").expect(0)
    assert "[x] 1/3" not in run.out + run.err


def test_steps_in_json(scene: Scene) -> None:
    """The document says which steps there were and which are completed; nothing else is printed."""
    harbour(scene)
    session = ("replan", SESSION_WORDS[-1], "--json")
    dry = scene.run(*session, "--dry-run").expect(0)
    assert steps(dry.json["data"]) == (SESSION_STEPS, 3)
    assert dry.err == ""
    assert steps(scene.run(*session).expect(0).json["data"]) == (SESSION_STEPS, 6)
    task = (*TASK_WORDS, "--json")
    assert steps(scene.run(*task, "--dry-run").expect(0).json["data"]) == (TASK_STEPS, 1)
    assert steps(scene.run(*task).expect(0).json["data"]) == (TASK_STEPS, 3)
    title = {"operations": [{"type": "update", "task": "IMPL-1", "title": "Berths first"}]}
    handed = ("replan", "--from", "-", "--json")
    run = scene.run(*handed, input=json.dumps(title)).expect(0)
    assert steps(run.json["data"]) == (TASK_STEPS, 3)
    again = scene.run(*handed, input=json.dumps(title)).expect(0).json["data"]
    assert again["changed"] is False
    assert steps(again) == (TASK_STEPS, 1)
    assert scene.run("rollback", "--last", "--json").expect(0).json["data"]["steps"] == []


# ---------------------------------------------------------------------------- without questions


def test_who_executes_needs_no_question(scene: Scene) -> None:
    """A request that only says who executes a task leaves nothing open, also with -i."""
    harbour(scene)
    words = ("replan", "-i", "IMPL-3", "Use codex for execution")
    code, said = picked(scene, *words, answers=["y\r"])
    assert code == 0, said
    assert "What of the task" not in said
    assert "Adjust" not in said
    assert_clean(scene)


def test_modules_by_flag(scene: Scene) -> None:
    """--module may be given again and answers its question."""
    harbour(scene)
    words = (*SESSION_WORDS, "--module", "src/api", "--module", "src/search")
    code, said = picked(scene, *words, answers=["2\r", "2\r", "y\r"])
    assert code == 0, said
    assert "Which modules" not in said
    assert "IMPL-3 does not work in the module src/api, src/search" in said
    assert "IMPL-3" not in changed_tasks(scene)


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


def test_what_was_adjusted_is_what_lands_after_the_branch_moved(scene: Scene) -> None:
    """A commit of somebody else's while we ask changes nothing of what was agreed to."""
    harbour(scene)
    with dialogue(scene, *TASK_WORDS) as talk:
        for number, answer in enumerate(["a\n", "requirements\n", "yes\n"], 1):
            talk.until_prompt(number)
            talk.type(answer)
        talk.until_prompt(4)
        scene.write({"src/other.py": "other = 1\n"})
        scene.commit("somebody else's")
        talk.type("y\n")
        assert talk.end() == 0, talk.said
    assert changed_tasks(scene) == {"IMPL-3", "IMPL-4"}
    assert_clean(scene)
