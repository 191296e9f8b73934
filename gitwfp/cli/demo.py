"""`git wfp demo`: the main job in a throw-away repository, with a word about each step.

Every command is really run, in a process of its own, as somebody would type it. The demo ends
well only when each of them does, and when the rollback took back what it should and no more.
"""

import os
import re
import shlex
import sys
import tempfile
from collections.abc import Generator, Iterable
from typing import Final

import click

from gitwfp.classes import dataclass
from gitwfp.cli import answers
from gitwfp.cli.command import App, Result, command, option
from gitwfp.cli.look import Look, Style, visible, wrap
from gitwfp.errors import Diagnostic, Refusal, Severity, Text, say
from gitwfp.flows.demo import LOCK_OUT, SESSION, TASK, Playground, Ran, failed
from gitwfp.patterns import regex

_WIDTH: Final = 80
_PLAIN_WORD: Final = regex(r"[\w@%+=:,./~^-]+", re.ASCII)
_SPECIAL: Final = regex(r"[\"$`\\!]")

# The package's folder comes last, so that it only helps where nothing is installed.
_START: Final = (
    "import sys; sys.path.append(sys.argv.pop(1)); "
    "from gitwfp.cli.main import main; sys.exit(main())"
)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the walk: what is going to happen and why, and the command."""

    narration: Text
    words: tuple[str, ...]


Walk = Generator[Step, None, tuple[str, ...]]
"""The steps; it returns the commands to try afterwards."""


@command(
    "demo",
    help=say("Walks through the main job in a throw-away repository."),
    examples=("git wfp demo", "git wfp demo ~/toolshed"),
    notes=(
        say(
            "The repository is made in DIR, or in a fresh temporary folder, with a small project "
            "and two plans. It stays there to be looked at."
        ),
    ),
)
@click.argument("folder", required=False, metavar="[DIR]")
@option("--make-only", is_flag=True, help=say("Only make the repository; do not walk."))
def demo(app: App, folder: str | None, make_only: bool) -> Result:
    """Answers `git wfp demo`."""
    place = app.path(folder) if folder else _temporary_folder()
    playground = Playground(os.path.abspath(place), app.environ, _entry())
    playground.make()
    if make_only:
        start = as_typed(("git", "wfp", "status"))
        made = answers.Demo(playground.folder, SESSION, (), (start,))
        return Result(made, lambda look: _ending(made, look))
    done: list[answers.DemoStep] = []
    walk = walk_through(playground)
    while True:
        try:
            step = next(walk)
        except StopIteration as end:
            things: tuple[str, ...] = end.value
            break
        ran = playground.run(*step.words)
        line = answers.DemoStep(str(step.narration), as_typed(step.words), ran.code, ran.output)
        done.append(line)
        if not app.console.json:
            _tell(app, step, line)
        if ran.code != 0:
            raise _stopped(playground, ran)
    data = answers.Demo(playground.folder, SESSION, tuple(done), things)
    return Result(data, lambda look: _ending(data, look))


def walk_through(playground: Playground) -> Walk:
    """Yields the steps of the demo in order; each is run before the next one is asked for.

    Raises:
        Refusal: A check failed (negative).
    """
    start = playground.commit_id("HEAD")
    yield from _look_around()
    yield from _first_replan()
    first, name = playground.commit_id("HEAD"), playground.replan_id("HEAD")
    yield from _later_changes(playground)
    yield from _rollback(name)
    playground.check_rollback(first)
    yield from _judgement()
    yield from _plain_git()
    playground.check_neighbourhood(start)
    return (
        'git wfp replan IMPL-5 "Accept a hardware key as second factor" --dry-run',
        f"git wfp show {name}",
        "git wfp rollback HEAD",
    )


def _look_around() -> Iterable[Step]:
    yield Step(
        say(
            "Toolshed lends tools in a neighbourhood, and its repository holds two plans as files "
            "under .workflow/. One is a full session with a file for each task, the other a lite "
            "plan in a single file."
        ),
        _wfp("list"),
    )
    yield Step(
        say(
            "With several plans about, we choose the one that this worktree works on. The choice "
            "lies in the git directory and is not part of the project."
        ),
        _wfp("use", SESSION),
    )
    yield Step(
        say(
            "Where does the plan stand? One of five tasks is done, and the others wait for one "
            "another."
        ),
        _wfp("status"),
    )
    yield Step(
        say("What can be started now? A task is ready when everything that it depends on is done."),
        _wfp("next"),
    )


def _first_replan() -> Iterable[Step]:
    yield Step(
        say(
            "The security review wants a limit on guessing, so the plan changes. A sentence is "
            "enough: the replan becomes a branch and a commit, and lands on main."
        ),
        _wfp("replan", TASK, LOCK_OUT, "-y"),
    )
    yield Step(
        say(
            "A plan is compared by what it means, not by its lines. This is all that the replan "
            "changed."
        ),
        _wfp("diff", "HEAD~1", "HEAD"),
    )


def _later_changes(playground: Playground) -> Iterable[Step]:
    yield Step(
        say(
            "Recovery codes turn out to be two pieces of work, so their task is split. Whatever "
            "depended on it depends on the second part from now on."
        ),
        _wfp("replan", "Split IMPL-4 into Generate recovery codes; Redeem a recovery code", "-y"),
    )
    playground.edit_by_hand()
    yield Step(
        say(
            "Now somebody has added a requirement to IMPL-3 with an editor, right below the one "
            "of the first replan. Without revisions, diff compares HEAD with the worktree."
        ),
        _wfp("diff"),
    )
    yield Step(
        say(
            "Editing plan files by hand is allowed. Adopting the edit checks it and commits it "
            "with a reason, so that it can be taken back like any replan."
        ),
        _wfp("adopt", "Agreed in the security review", "-y"),
    )
    yield Step(
        say(
            "What if members could use passkeys as well? This replan stays on its branch, and "
            "main does not move."
        ),
        _wfp("replan", "IMPL-2", "Offer passkeys beside authenticator apps", "--branch-only", "-y"),
    )
    passkeys = playground.newest_branch()
    yield Step(
        say("Text messages would be another way. A second what-if waits beside the first."),
        _wfp("replan", "IMPL-2", "Offer text messages as a fallback", "--branch-only", "-y"),
    )
    messages = playground.newest_branch()
    yield Step(
        say("Which of the two? Side by side, seen from where they parted."),
        _wfp("compare", passkeys, messages),
    )
    yield Step(
        say("Everybody likes passkeys, so they land."),
        _wfp("land", passkeys, "-y"),
    )
    yield Step(
        say("Nobody wants text messages. The branch goes, and its commit is kept aside."),
        _wfp("drop", messages),
    )
    yield Step(
        say("Where do the requirements of IMPL-3 come from? Each has the change that wrote it."),
        _wfp("blame", TASK, "requirements"),
    )


def _rollback(name: str) -> Iterable[Step]:
    yield Step(
        say(
            "The history of the plan is git's own history, read by what each commit did to the "
            "plan. Nothing else is stored anywhere."
        ),
        _wfp("log"),
    )
    yield Step(
        say(
            "The lock-out would annoy members, so the first replan has to go, although three "
            "changes came after it. A rollback is a merge that understands plans: those three stay."
        ),
        _wfp("rollback", name, "-y"),
    )
    yield Step(
        say(
            "Only the lock-out is gone, and the line that was written by hand below it is still "
            "there. A revert by lines would have ended in a conflict."
        ),
        _wfp("diff", "HEAD~1", "HEAD"),
    )


def _judgement() -> Iterable[Step]:
    yield Step(
        say(
            "Is the plan still good? It is judged in ten dimensions, from what its goal asks for "
            "down to paths that exist. Each finding has a rule that git wfp explain explains."
        ),
        _wfp("verify", "--no-write"),
    )
    yield Step(
        say(
            "A push is judged in the same way, by the plans in its commits. git wfp init installs "
            "the hook; here is what a pipeline calls."
        ),
        _wfp("gate", "range", "HEAD~4..HEAD"),
    )


def _plain_git() -> Iterable[Step]:
    yield Step(
        say(
            "To git all of this is ordinary history, one commit for each change. It can be "
            "pushed, reviewed, reverted and bisected."
        ),
        ("git", "log", "--first-parent", "--oneline"),
    )
    yield Step(
        say(
            "The message of a replan says in sentences what changed, and in trailers what tools "
            "need. Only files under .workflow/ are touched, and in them only the lines concerned."
        ),
        ("git", "show", "--stat", "HEAD"),
    )
    yield Step(
        say("Is the repository sound? Git's own strict check has the last word, and it is silent."),
        ("git", "fsck", "--strict", "--no-progress"),
    )


def _wfp(*words: str) -> tuple[str, ...]:
    return ("git", "wfp", *words)


def _entry() -> tuple[str, ...]:
    home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return (sys.executable, "-P", "-c", _START, home)


def _temporary_folder() -> str:
    return os.path.join(tempfile.mkdtemp(prefix="git-wfp-demo-"), "toolshed")


def as_typed(words: Iterable[str]) -> str:
    """Returns a command as somebody would type it."""
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    if _PLAIN_WORD.fullmatch(word):
        return word
    return shlex.quote(word) if _SPECIAL.search(word) else f'"{word}"'


def _tell(app: App, step: Step, line: answers.DemoStep) -> None:
    """Shows a step as soon as it is done; programs get everything in one document at the end."""
    result = Result(
        answers.Demo("", SESSION, (line,), ()), lambda look: _step_lines(step, line, look)
    )
    app.finish(result)


def _step_lines(step: Step, line: answers.DemoStep, look: Look) -> Iterable[str]:
    width = min(look.columns or _WIDTH, _WIDTH) - len("# ")
    for part in wrap(look.say(step.narration), width):
        yield look.paint(f"# {part}", Style.QUIET)
    yield look.paint(f"$ {line.command}", Style.HEADING)
    yield from line.output.splitlines()
    yield ""


def _ending(data: answers.Demo, look: Look) -> Iterable[str]:
    if data.steps:
        yield look.say(
            say("Every command ended well; the rollback took back the first replan and no more.")
        )
    yield look.say(
        say("The repository stays in {folder}. Things to try there:", folder=data.folder)
    )
    for thing in data.things_to_try:
        yield f"  {visible(thing)}"


def _stopped(playground: Playground, ran: Ran) -> Refusal:
    refusal = failed(f"{as_typed(ran.words)} (exit {ran.code})")
    output = tuple(
        Diagnostic("output", say("{line}", line=line), Severity.ERROR)
        for line in (*ran.output.splitlines(), playground.folder)
    )
    return Refusal(
        refusal.code, refusal.message, refusal.exit_code, hint=refusal.hint, details=output
    )
