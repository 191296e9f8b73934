"""Commands that set a repository up for plans, and take that back: init, deinit."""

from collections.abc import Iterable
from typing import Final, Literal

import click

from gitwfp.cli.command import App, Result, command, option
from gitwfp.cli.look import Look, Style, visible
from gitwfp.cli.options import DRY_RUN, YES
from gitwfp.cli.programpath import program_path
from gitwfp.cli.setup_answers import AdoptedLine, Deinit, IgnoreLine, Init, SetupStep
from gitwfp.cli.tolerant import tolerant_surroundings
from gitwfp.errors import Text, say, say_n
from gitwfp.flows.deinit import Deinitialised, Fate, Returned
from gitwfp.flows.deinit import deinit as take_back
from gitwfp.flows.init import Initialised, Wishes
from gitwfp.flows.init import init as set_up
from gitwfp.flows.initfiles import Written
from gitwfp.git.hooktext import HOOKS
from gitwfp.git.receipt import ATTRIBUTES_FILE
from gitwfp.model.plan import Place

_START: Final = 'git wfp start "..."'
_STATUS: Final = "git wfp status"

_Action = Literal["remove", "restore", "keep", "gone"]


@command(
    "init",
    help=say("Sets a repository up for plans, and adopts those that are there."),
    examples=("git wfp init", "git wfp init --hook post-merge", "git wfp init --dry-run"),
    notes=(
        say(
            "Besides the folder .workflow it makes .wfp.toml, and with --yes adds an exception to "
            ".gitignore where a rule hides .workflow. Nothing is committed or staged, and git wfp "
            "deinit takes all of it back."
        ),
        say(
            "It installs the hook pre-push beside what is there, and registers the merge driver "
            "of plans. Where a hook manager keeps the hooks, it prints the line to add."
        ),
    ),
)
@option(
    "--hook",
    "more",
    type=click.Choice(HOOKS[1:]),
    metavar="NAME",
    multiple=True,
    help=say("Also installs prepare-commit-msg or post-merge; may be repeated."),
)
@option("--no-hooks", is_flag=True, help=say("Installs no hook and no merge driver."))
@YES
@DRY_RUN
def init(app: App, more: tuple[str, ...], no_hooks: bool, yes: bool, dry_run: bool) -> Result:
    """Answers `git wfp init`."""
    hooks = () if no_hooks else tuple(dict.fromkeys((HOOKS[0], *more)))
    with tolerant_surroundings(app) as (env, told):
        wishes = Wishes(hooks, program_path(app.environ))
        done = set_up(env, wishes, yes=yes, dry_run=dry_run)
        data = _init(done)
        return Result(
            data,
            lambda look: _init_lines(done, data, look),
            diagnostics=(*told, *done.notices),
            stands=say("What was to be made is made.") if done.written else None,
        )


@command(
    "deinit",
    help=say("Takes back what init made, byte for byte."),
    examples=("git wfp deinit --dry-run", "git wfp deinit -y"),
    notes=(
        say(
            "What was changed since stays as it is and is named. A .workflow folder that holds "
            "plans stays too."
        ),
    ),
)
@YES
@DRY_RUN
def deinit(app: App, yes: bool, dry_run: bool) -> Result:
    """Answers `git wfp deinit`."""
    with tolerant_surroundings(app) as (env, told):
        done = take_back(env, yes=yes, dry_run=dry_run)
        steps = tuple(SetupStep(one.path, _kind(one), _ACTIONS[one.fate]) for one in done.returned)
        return Result(
            Deinit(done.changed, done.written, steps),
            lambda look: _deinit_lines(done, look),
            diagnostics=(*told, *done.notices),
            stands=say("What was to be taken back is taken back.") if done.written else None,
        )


_ACTIONS: Final[dict[Fate, _Action]] = {
    Fate.REMOVED: "remove",
    Fate.RESTORED: "restore",
    Fate.KEPT: "keep",
    Fate.GONE: "gone",
}


def _init(done: Initialised) -> Init:
    rule, remedy = done.hidden, done.remedy
    ignored = None
    if rule is not None:
        ignored = IgnoreLine(
            rule.source,
            rule.line,
            rule.pattern,
            None if remedy is None else remedy.path,
            () if remedy is None else remedy.patterns,
        )
    has_plans = any(one.ref.place is not Place.ARCHIVED for one in done.sessions)
    return Init(
        done.workspace,
        done.changed,
        done.written,
        tuple(
            SetupStep(
                one.path,
                _kind(one),
                "make" if one.before is None else "change",
            )
            for one in done.writes
        ),
        tuple(
            AdoptedLine(
                one.ref.id, one.ref.folder, one.ref.place.value, one.title, one.tasks, one.problems
            )
            for one in done.sessions
        ),
        done.tools,
        ignored,
        _STATUS if has_plans else _START,
    )


def _init_lines(done: Initialised, data: Init, look: Look) -> Iterable[str]:
    if not done.changed:
        yield look.say(say("Nothing to do: this repository is set up."))
    for one in done.writes:
        yield look.say(_made(one, written=done.written))
    if done.tools:
        names = ", ".join(sorted(done.tools))
        yield look.say(say("Tools taken over from cli-tools.json: {names}.", names=names))
    if done.sessions:
        yield look.say(
            say_n(
                "{count} session is there already; none of its bytes change:",
                "{count} sessions are there already; none of their bytes change:",
                len(done.sessions),
            )
        )
    for session in done.sessions:
        tasks = look.say(say_n("{count} task", "{count} tasks", session.tasks))
        title = f"  {visible(session.title)}" if session.title else ""
        yield f"  {visible(session.ref.folder)}  {tasks}{title}"
        if session.problems:
            told = say_n(
                "{count} of its files has something that is not understood.",
                "{count} of its files have something that is not understood.",
                session.problems,
            )
            yield look.paint(f"    {look.say(told)}", Style.QUIET)
    if done.changed and not done.written:
        yield look.say(say("Nothing was written (dry run)."))
        return
    if done.written:
        yield look.say(say("Nothing is committed; do that when you like."))
    yield look.say(say("Next: {command}", command=data.next))


def _kind(one: Written | Returned) -> Literal["file", "folder", "hook", "setting"]:
    if one.is_folder:
        return "folder"
    if one.is_shared:
        return "setting" if one.path.startswith("merge.") else "hook"
    return "file"


def _made(one: Written, *, written: bool) -> Text:
    path = one.path
    if one.before is None:
        if written:
            return say("{path} is made.", path=path)
        return say("{path} would be made.", path=path)
    if one.is_shared or path == ATTRIBUTES_FILE:
        if written:
            return say("{path} gets a section; what else is in it stays.", path=path)
        return say("{path} would get a section; what else is in it would stay.", path=path)
    if written:
        return say("{path} gets an exception.", path=path)
    return say("{path} would get an exception.", path=path)


def _deinit_lines(done: Deinitialised, look: Look) -> Iterable[str]:
    if not done.changed:
        yield look.say(say("Nothing to take back: git wfp init made nothing here."))
        return
    for one in done.returned:
        if one.fate is Fate.REMOVED:
            if done.written:
                yield look.say(say("{path} is removed.", path=one.path))
            else:
                yield look.say(say("{path} would be removed.", path=one.path))
        elif one.fate is Fate.RESTORED:
            if done.written:
                yield look.say(say("{path} is as it was before.", path=one.path))
            else:
                yield look.say(say("{path} would be as it was before.", path=one.path))
        elif one.fate is Fate.GONE:
            yield look.say(say("{path} is gone already.", path=one.path))
    if not done.written:
        yield look.say(say("Nothing was written (dry run)."))
