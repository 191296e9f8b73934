"""People at a terminal are asked, shown and paged to; programs and pipes never are."""

import io
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from gitwfp.cli.console import Console
from gitwfp.cli.pager import pager_command
from gitwfp.errors import Diagnostic, ExitCode, Refusal, say
from gitwfp.flows.ui import Choice, Ui
from tests.scene import PATIENCE, Run, Scene
from tests.stories.dialogue import dialogue

Wfp = Callable[..., Run]


@pytest.fixture
def wfp(scene: Scene) -> Wfp:
    """Runs the `git wfp` that has the commands of `tests.cli.commands`."""

    def run(*argv: str, **more: Any) -> Run:
        return scene.python("-m", "tests.cli.commands", *argv, **more)

    return run


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Says so."""
        return True


def console(
    typed: str = "",
    *,
    environ: Mapping[str, str] | None = None,
    out: io.StringIO | None = None,
    **more: bool,
) -> tuple[Console, io.StringIO, io.StringIO]:
    """Returns a console on a terminal, with its two outputs."""
    stdout, stderr = out if out is not None else Terminal(), Terminal()
    made = Console(
        Terminal(typed),
        stdout,
        stderr,
        environ if environ is not None else {"NO_COLOR": "1"},
        **more,
    )
    return made, stdout, stderr


CHOICES = (
    Choice("tasks_only", say("Tasks"), say("Only what tasks say.")),
    Choice("task_restructure", say("Structure")),
    Choice("plan_update", say("The plan \x1b[31mtoo{x}", x="\x1b")),
)


def test_the_console_is_what_use_cases_are_given() -> None:
    """A console is a `Ui` for the type checker and at run time."""
    made: Ui = console()[0]
    assert made.interactive


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        (b"\n", "tasks_only"),
        (b"2\n", "task_restructure"),
        (b"plan_update\n", "plan_update"),
        (b"  PLAN_Update \n", "plan_update"),
        (b"p\n", "plan_update"),
        (b"task\n4\n0\n-1\n\xff\nx\ntask\n3\n", "plan_update"),
    ],
)
def test_a_question_is_answered_by_number_or_name(scene: Scene, typed: bytes, key: str) -> None:
    """Number, key and the beginning of one key are answers; anything else is asked again."""
    with dialogue(scene, "ask", module="tests.cli.commands") as talk:
        talk.type(typed)
        assert talk.end() == 0, talk.said
    assert talk.said.endswith(f"answer: {key}\n")
    assert "  1) Tasks (tasks_only)\n" in talk.said
    assert "     Only what tasks say." in talk.said
    # One answer of each line was none, but for the last one.
    assert talk.said.count("Number or name [tasks_only]: ") == len(typed.splitlines())
    assert talk.said.count("There is no answer '") == len(typed.splitlines()) - 1


@pytest.mark.parametrize(
    ("typed", "key"),
    [(b"2\n", "task_restructure"), (b"plan\r", "plan_update"), (b"9\rtasks\r", "tasks_only")],
)
def test_a_list_is_answered_by_number_or_name(wfp: Wfp, typed: bytes, key: str) -> None:
    """The same answers are typed where there is a list; what means nothing is asked again."""
    run = wfp("ask", tty=True, input=typed).expect(0)
    assert run.out.endswith(f"answer: {key}\n")
    assert ("There is no answer '9'." in run.out) is typed.startswith(b"9")
    assert "1) Tasks (tasks_only)  Only what tasks say." in run.out
    assert "Number or name" not in run.out


def test_the_end_of_input_cancels(wfp: Wfp) -> None:
    """Ctrl-D at a question is no answer: exit 1, nothing changed."""
    run = wfp("ask", tty=True).expect(1)
    assert run.out.rstrip().endswith("Cancelled; nothing was changed.")


@pytest.mark.parametrize(
    ("argv", "env"),
    [(("ask", "--no-input"), {}), (("--no-input", "ask"), {}), (("ask",), {"WFP_NO_INPUT": "1"})],
)
def test_nobody_is_asked_who_does_not_want_to(
    wfp: Wfp, argv: tuple[str, ...], env: dict[str, str]
) -> None:
    """--no-input and WFP_NO_INPUT refuse a question even on a terminal, naming its option."""
    run = wfp(*argv, tty=True, env=env, input=b"2\n").expect(2)
    assert "How far may it reach?" in run.out
    assert "--scope" in run.out
    assert "1)" not in run.out


def test_programs_are_not_asked(wfp: Wfp) -> None:
    """With --json a question on a terminal is refused in one document."""
    run = wfp("ask", "--json", tty=True, input=b"2\n").expect(2)
    assert run.json["diagnostics"][0]["code"] == "needs-answer"
    assert run.json["diagnostics"][0]["hint"] == "Answer beforehand with --scope."


def test_no_question_without_a_terminal(scene: Scene) -> None:
    """Closed, empty and silent input are each refused at once, with the option to give."""
    words = [sys.executable, "-m", "tests.cli.commands", "ask"]
    closed = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *words],
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    empty = subprocess.run(
        words, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False
    )
    reading, writing = os.pipe()
    try:
        silent = subprocess.run(
            words, stdin=reading, capture_output=True, timeout=PATIENCE, check=False
        )
    finally:
        os.close(reading)
        os.close(writing)
    for done in (closed, empty, silent):
        assert done.returncode == 2
        assert done.stdout == b""
        assert b"hint: Answer beforehand with --scope." in done.stderr


def test_hooks_are_not_asked(scene: Scene) -> None:
    """In a git hook nobody can answer, so the command refuses and git goes on as hooks decide."""
    hook = scene.path / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        f'#!/bin/sh\n"{sys.executable}" -m tests.cli.commands ask; echo "exit $?" >&2\n'
    )
    hook.chmod(0o755)
    done = subprocess.run(
        ["git", "commit", "--allow-empty", "--message", "x"],
        cwd=scene.path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert "Answer beforehand with --scope." in done.stderr
    assert "exit 2" in done.stderr


def test_a_question_is_harmless() -> None:
    """What a plan says in a question or a label cannot move the terminal."""
    made, out, err = console("3\n")
    question = say("Which of {plan}?", plan="\x1b]0;x\x07")
    assert made.choose(question, CHOICES, "tasks_only", flag="--scope") == "plan_update"
    assert out.getvalue() == ""
    assert "\x1b" not in err.getvalue()
    assert r"Which of \x1b]0;x\x07?" in err.getvalue()


@pytest.mark.parametrize(
    ("environ", "is_coloured"),
    [
        ({}, True),
        ({"TERM": "xterm"}, True),
        ({"TERM": "dumb"}, False),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, True),
    ],
)
def test_colours_are_for_terminals(environ: dict[str, str], is_coloured: bool) -> None:
    """Colours need a terminal that can show them and a user who has not said no."""
    made, _, err = console(environ=environ)
    made.warn(Diagnostic("x", say("Odd.")))
    assert ("\x1b[" in err.getvalue()) is is_coloured
    assert made.look.colour is is_coloured
    piped, _, _ = console(environ=environ, out=io.StringIO())
    assert piped.look.colour is False
    assert piped.look.columns is None
    assert piped.interactive is False


@pytest.mark.parametrize(
    ("columns", "expected"), [("40", 40), ("5", 20), ("", 80), ("wide", 80), ("9" * 5000, 80)]
)
def test_the_width_is_the_terminals(columns: str, expected: int) -> None:
    """COLUMNS says how wide a terminal is; nonsense means 80, and nothing is below 20."""
    assert console(environ={"COLUMNS": columns})[0].look.columns == expected


def test_progress_is_for_people() -> None:
    """What is told on the way goes to standard error, and nowhere with --json."""
    made, out, err = console()
    made.tell(say("Reading {x}.", x="a\nb"))
    assert (out.getvalue(), err.getvalue()) == ("", "Reading a\\nb.\n")
    made, out, err = console(json=True)
    made.tell(say("Reading."))
    made.warn(Diagnostic("x", say("Odd.")))
    made.note(["x"])
    assert (out.getvalue(), err.getvalue()) == ("", "")


def test_a_document_is_written_once() -> None:
    """After the document, a refusal goes to standard error: there is never a second one."""
    made, out, err = console(json=True)
    refusal = Refusal("x", say("Late."), ExitCode.ENVIRONMENT)
    assert made.refuse(refusal) is ExitCode.ENVIRONMENT
    assert made.refuse(refusal) is ExitCode.ENVIRONMENT
    assert out.getvalue().count("\n") == 1
    assert "error: Late." in err.getvalue()


def test_the_configuration_is_taken_over(tmp_path: Path) -> None:
    """The setting of the language changes what is said from then on, but not in JSON."""
    made, _, err = console()
    made.configure("zh_CN", None)
    made.tell(say("A value is missing here."))
    assert err.getvalue() == "此处缺少一个值。\n"
    made = console(json=True)[0]
    made.configure("zh_CN", None)
    assert made.look.say(say("A value is missing here.")) == "A value is missing here."


@pytest.mark.parametrize(
    ("environ", "configured", "expected"),
    [
        ({}, None, "less"),
        ({"PAGER": "more"}, None, "more"),
        ({"PAGER": "more"}, "delta", "delta"),
        ({"PAGER": "more", "GIT_PAGER": "most -x"}, "delta", "most -x"),
        ({"GIT_PAGER": ""}, "delta", None),
        ({"PAGER": "cat"}, None, None),
        ({"PAGER": "more"}, "", None),
    ],
)
def test_the_pager_is_gits(
    environ: dict[str, str], configured: str | None, expected: str | None
) -> None:
    """GIT_PAGER, core.pager, PAGER and less are asked in this order; empty and cat mean none."""
    assert pager_command(environ, configured) == expected


def test_long_output_is_paged_on_a_terminal(wfp: Wfp, tmp_path: Path) -> None:
    """Output longer than the screen goes to the pager, with git's settings for less."""
    env = {"PAGER": f'(echo "$LESS $LV"; wc -l) > {tmp_path}/seen; echo paged'}
    run = wfp("say", "泊位", "--times", "50", tty=True, env=env).expect(0)
    assert run.out == "paged\n"
    assert (tmp_path / "seen").read_text().split() == ["FRX", "-c", "50"]
    assert wfp("say", "x", "--times", "5", tty=True, env=env).expect(0).out.count("x") == 5
    assert wfp("say", "x", "--times", "50", env=env).expect(0).out.count("x") == 50
    run = wfp("say", "x", "--times", "50", "--json", tty=True, env=env).expect(0)
    assert run.json["kind"] == "said"


def test_a_pager_that_is_not_there_hides_nothing(wfp: Wfp) -> None:
    """Without the pager the output is printed; one that stops early is no error."""
    run = wfp("say", "x", "--times", "50", tty=True, env={"PAGER": "no-such-pager"}).expect(0)
    assert run.out.count("It is called x.") == 50
    run = wfp("say", "x", "--times", "9000", tty=True, env={"PAGER": "true"}).expect(0)
    assert run.out == ""
