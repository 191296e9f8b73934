"""Completion in real shells: live names, git's own completion, and names that are traps."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.scene import PATIENCE, Scene
from tests.stories.harbour import SESSION, harbour, need, replanned
from tests.terminal import run_in_terminal

GIT_COMPLETION = next(
    (
        path
        for path in (
            Path("/usr/share/bash-completion/completions/git"),
            Path("/usr/local/share/bash-completion/completions/git"),
            Path("/opt/homebrew/etc/bash_completion.d/git-completion.bash"),
        )
        if path.exists()
    ),
    None,
)
TRAP = "WFS-$(touch trapped)`touch trapped`;touch trapped"

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not on this machine")
needs_git_completion = pytest.mark.skipif(
    GIT_COMPLETION is None, reason="git's completion for bash is not on this machine"
)

ASK = """\
complete_line() {
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
    COMPREPLY=()
    if [[ $1 == git ]]; then __git_wrap__git_main; else _git_wfp_alone; fi
    printf '%s\\n' "${COMPREPLY[@]}"
}
"""


def bash(scene: Scene, *commands: str, git: bool = True) -> str:
    """Runs lines in a bash that has our completion, and git's own if wanted."""
    start = ['eval "$(git wfp completion bash)"', ASK]
    if git:
        start.insert(0, f"source {GIT_COMPLETION}")
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-c", "\n".join([*start, *commands])],
        cwd=scene.path,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout


def test_what_the_shells_ask(scene: Scene) -> None:
    """Every candidate is a line, and the next line says what it stands for."""
    harbour(scene)
    branch = replanned(scene, need("IMPL-2", "Show the tide"), words=("--branch-only",))["branch"]
    replan = replanned(scene, need("IMPL-3", "Show the price"))["replan"]

    def offered(*words: str) -> dict[str, str]:
        lines = scene.run("complete", "--", *words).expect(0).out.splitlines()
        return dict(zip(lines[::2], lines[1::2], strict=True))

    assert offered("status", "") == {SESSION: "Active"}
    assert offered("blame", "IMPL-1")["IMPL-1"] != ""
    assert "IMPL-2" in offered("replan", "--session", SESSION, "")
    assert list(offered("rollback", "")) == [replan]
    assert list(offered("land", "")) == [branch]
    assert {"HEAD", "main"} <= offered("diff", "").keys()
    assert offered("config", "set", "replan.landing", "m") == {"merge": "", "manual": ""}
    assert offered("config", "get", "lock.")["lock.timeout"] != ""
    assert "out/status" in offered("schema", "out/st")
    assert list(offered("help", "conf")) == ["config"]
    assert list(offered("help", "config", "s")) == ["set"]
    assert offered("help", "status", "") == {}
    assert offered("-C", ".", "log", "-s", "") == {SESSION: "Active"}
    document = scene.run("complete", "--json", "--", "stat").expect(0).json
    assert [one["word"] for one in document["data"]["candidates"]] == ["status"]


def test_nothing_is_wrong_anywhere(scene: Scene) -> None:
    """Outside of a repository, in an empty or a broken one, completing fails nowhere."""
    outside = scene.path.parent / "outside"
    outside.mkdir()
    place = scene.beside("outside")
    told = place.run("complete", "--", "").expect(0)
    assert "status" in told.out.splitlines()
    assert "--session" in place.run("complete", "--", "status", "--se").expect(0).out
    lines = (("status", ""), ("blame", ""), ("rollback", ""), ("land", ""), ("diff", ""), ("x", ""))
    for where in (place, scene):
        for line in lines:
            run = where.run("complete", "--", *line).expect(0)
            assert (run.out.replace("HEAD\n\n", ""), run.err) == ("", ""), line
    scene.write({".wfp.toml": "[[", f".workflow/active/{SESSION}/workflow-session.json": "{"})
    (scene.path / ".git" / "HEAD").write_text("nonsense")
    for line in lines:
        assert scene.run("complete", "--", *line).expect(0).err == ""
    assert scene.run("complete").expect(0).err == ""


@needs_bash
@needs_git_completion
def test_through_gits_completion_in_bash(scene: Scene) -> None:
    """After `git wfp`, git's completion asks ours; an alias and -C are understood too."""
    harbour(scene)
    scene.git("config", "alias.w", "wfp")
    told = bash(
        scene,
        "complete_line git wfp re",
        "complete_line git w next ''",
        f"cd ..; complete_line git -C '{scene.path}' wfp blame IMPL-3",
        f"cd '{scene.path}'; complete_line git wfp replan --scope = ta",
        "complete_line git wfp replan --scope ta",
        "complete_line git wf",
    )
    assert told.splitlines() == [
        "replan ",
        "redo ",
        f"{SESSION} ",
        "IMPL-3 ",
        "tasks_only ",
        "task_restructure ",
        "tasks_only ",
        "task_restructure ",
        "wfp ",
    ]


@needs_bash
def test_bash_without_gits_completion(scene: Scene) -> None:
    """After `git-wfp` it works alone."""
    harbour(scene)
    scene.write({"notes/plan.md": "x", "note s.md": "x"})
    told = bash(
        scene,
        "complete_line git-wfp sta",
        "complete_line git-wfp status --session ''",
        "complete_line git-wfp replan --from no",
        "complete_line git-wfp status --nothing ''",
        git=False,
    )
    assert told.splitlines() == [
        "start ",
        "status ",
        f"{SESSION} ",
        "note\\ s.md ",
        "notes/",
        f"{SESSION} ",
    ]


@needs_bash
@needs_git_completion
def test_hostile_names_are_only_names(scene: Scene) -> None:
    """A session or branch whose name is a command is offered quoted, and runs nothing."""
    plan = scene.session("flat", tasks=1)
    names = (TRAP, "WFS-new\nline;touch trapped", "WFS-it's")
    for name in names:
        scene.write({path.replace(plan.id, name): text for path, text in plan.files.items()})
    scene.commit("plans")
    scene.git("branch", "wfp/x/$(touch${IFS}trapped)`touch${IFS}trapped`")
    scene.git("commit", "--quiet", "--allow-empty", "--message", "onwards")
    scene.git("update-ref", "refs/heads/wfp/x/$(touch${IFS}trapped)", "HEAD~1")
    told = bash(
        scene,
        "complete_line git wfp status ''",
        r"complete_line git wfp status 'WFS-\$\(to'",
        """complete_line git wfp status "'WFS-\\$" """,
        """complete_line git wfp status '"WFS-' """,
        "complete_line git wfp diff 'wfp/'",
        "complete_line git-wfp status 'WFS-$'",
        'complete_line git-wfp status "WFS-\\`"',
        # What is offered, put on a line and run, is the name and nothing else.
        'complete_line git wfp status \'WFS-$\'; eval "set -- ${COMPREPLY[0]}"; echo "is: $1"',
    )
    assert f"is: {TRAP}" in told.splitlines()
    assert r"WFS-it\'s " in told.splitlines()
    assert r"wfp/x/\$\(touch\$\{IFS\}trapped\)\`touch\$\{IFS\}trapped\` " in told.splitlines()
    assert r"WFS-new%0Aline\;touch\ trapped " in told.splitlines()
    assert not list(scene.path.rglob("trapped"))


@needs_bash
@needs_git_completion
def test_a_person_presses_tab(scene: Scene, home: Path) -> None:
    """In a bash on a terminal the key completes to a name that runs nothing but the command."""
    plan = scene.session("flat", tasks=1)
    scene.write({path.replace(plan.id, TRAP): text for path, text in plan.files.items()})
    start = home / "bashrc"
    start.write_text(
        f"PS1='> '\nsource {GIT_COMPLETION}\neval \"$(git wfp completion bash)\"\n"
        "bind 'set enable-bracketed-paste off' 'set bell-style none'\n"
    )
    typed = "git wfp use WFS-\\$\t\ngit wfp stat\tWFS-\\$\t | head -1\nexit\n"
    argv = ("bash", "--noprofile", "--rcfile", str(start), "-i")
    environ = {**os.environ, "GIT_PAGER": "cat"}
    _, said = run_in_terminal(argv, scene.path, environ, typed.encode(), PATIENCE)
    assert f"This worktree uses {TRAP} now." in said.decode(), said
    assert not list(scene.path.rglob("trapped"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_scripts_are_printed(scene: Scene, shell: str) -> None:
    """Each script is printed as it is, asks git wfp complete, and its own shell can read it."""
    script = scene.run("completion", shell).expect(0).out
    assert "complete" in script
    assert scene.run("completion", shell, "--json").expect(0).json["data"]["script"] == script
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not on this machine")
    checked = subprocess.run(
        [shell, "-n"], input=script, text=True, capture_output=True, timeout=PATIENCE, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")


def test_an_unknown_shell(scene: Scene) -> None:
    """A shell that there is no script for is refused with those that there are."""
    assert "fish" in scene.run("completion", "powershell").expect(2).err


def test_completing_imports_little(scene: Scene) -> None:
    """A command is completed without any library that reads objects, plans' prose or graphs."""
    harbour(scene)
    report = (
        "import sys; from gitwfp.cli.main import main; main(sys.argv[1:]); "
        "print(*sys.modules, sep='\\n', file=sys.stderr)"
    )
    heavy = {"markdown_it", "networkx", "pydantic", "pygit2", "rich", "tomlkit", "watchdog"}
    for line in (("sta",), ("status", ""), ("replan", "--sc"), ("blame", "")):
        run = scene.python("-c", report, "complete", "--", *line).expect(0)
        assert heavy.isdisjoint(run.err.split()), line
