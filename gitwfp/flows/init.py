"""Init: what a repository needs for plans is made, and what is there already is adopted.

Nothing is committed or staged, no byte of a plan changes, and a second run finds nothing to do.
What is written is noted in a receipt, by which `gitwfp.flows.deinit` takes it back.
"""

from collections.abc import Mapping
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.config.starter import starter, worth_noting
from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, Text, say
from gitwfp.files.codec import read_plan
from gitwfp.files.paths import WORKFLOW, find_sessions
from gitwfp.files.toollist import TOOL_LIST, read_tool_list
from gitwfp.flows.env import Env
from gitwfp.flows.sessions import workspace_here
from gitwfp.flows.ui import Choice
from gitwfp.git.ignores import HidingRule, IgnoreException, exception_for, hiding_rule
from gitwfp.git.program import to_bytes
from gitwfp.git.receipt import ATTRIBUTES_FILE, SETTINGS_FILE
from gitwfp.git.setup import carry_out, is_interrupted, settle
from gitwfp.model.plan import SessionRef


@dataclass(frozen=True, slots=True)
class Written:
    """One file or folder that init makes or changes.

    Attributes:
        path: From the repository root.
        is_folder: Whether it is a folder.
        before: What the file holds now, None where there is nothing.
        after: What it gets; None for a folder.
    """

    path: str
    is_folder: bool = False
    before: bytes | None = None
    after: bytes | None = None


@dataclass(frozen=True, slots=True)
class Adopted:
    """A session that is there already.

    Attributes:
        ref: Its address.
        title: Its title.
        tasks: How many tasks it has.
        problems: How many of its files could not be understood.
    """

    ref: SessionRef
    title: str
    tasks: int
    problems: int


@dataclass(frozen=True, slots=True)
class Initialised:
    """What init has found and done.

    Attributes:
        workspace: The `.workflow` folder.
        writes: What is made and changed, in order.
        sessions: The sessions that are adopted.
        tools: Tools that were imported, and whether each is enabled.
        hidden: The ignore rule that hides the workspace, None if none does any more.
        remedy: The lines that would let git see it, None if there are none.
        notices: What a person should know.
        written: Whether it happened; false for a dry run.
    """

    workspace: str
    writes: tuple[Written, ...]
    sessions: tuple[Adopted, ...]
    tools: Mapping[str, bool]
    hidden: HidingRule | None
    remedy: IgnoreException | None
    notices: tuple[Diagnostic, ...]
    written: bool

    @property
    def changed(self) -> bool:
        """Whether there is anything to make or change."""
        return bool(self.writes)


def init(env: Env, *, yes: bool, dry_run: bool) -> Initialised:
    """Sets a repository up for plans.

    Args:
        env: The surroundings.
        yes: Whether the exception to an ignore rule is written without asking.
        dry_run: Whether to stop before anything is written.

    Raises:
        Refusal: There is no worktree, `.workflow` is no folder, a file is in the way or cannot be
            written (environment).
    """
    env.repo.require_worktree()
    interrupted = begin(env, dry_run=dry_run)
    tree = env.repo.worktree_files(env.settings.limits.file_bytes)
    workspace = workspace_here(env, tree)
    _check_folder(env, workspace)
    settings, tools, notices = _settings(env)
    writes = [*_workspace(env, workspace), *settings]
    hidden = hiding_rule(env.repo, workspace)
    remedy = None
    if hidden is not None:
        remedy = exception_for(env.repo, workspace, hidden, env.words(_COMMENT))
        if remedy is not None and _is_wanted(env, workspace, hidden, remedy, yes, dry_run):
            writes.append(_exception(env, remedy))
            hidden = hidden if dry_run else None
        else:
            notices = (*notices, hidden_notice(workspace, hidden, remedy))
    if writes and not dry_run:
        edits = {one.path: (one.before, one.after) for one in writes if not one.is_folder}
        carry_out(env.repo, edits, lock_wait=env.settings.lock.timeout)
    return Initialised(
        workspace,
        tuple(writes),
        _sessions(env, workspace),
        tools,
        hidden,
        remedy,
        (*interrupted, *notices),
        written=bool(writes) and not dry_run,
    )


_COMMENT: Final = say("Plans belong to the repository.")


def hidden_notice(workspace: str, rule: HidingRule, remedy: IgnoreException | None) -> Diagnostic:
    """Returns what is said of an ignore rule that hides a workspace.

    Args:
        workspace: The `.workflow` folder.
        rule: The rule.
        remedy: The lines that would let git see the workspace.
    """
    message = say(
        "Git ignores the plans in {workspace}: rule {pattern} in {source}, line {line}.",
        workspace=workspace,
        pattern=rule.pattern,
        source=rule.source,
        line=rule.line,
    )
    hint = say("Take that rule away if plans are to be committed.")
    if remedy is not None:
        hint = say(
            "To have plans committed, git wfp init -y adds to {path}: {lines}",
            path=remedy.path,
            lines=" ".join(remedy.patterns),
        )
    return Diagnostic("workspace-ignored", message, Severity.WARNING, Location(workspace), hint)


def add_exception(env: Env, workspace: str) -> bool:
    """Adds the exception to the rule that hides a workspace; tells whether there was one to add.

    Raises:
        Refusal: The file cannot be written.
    """
    hidden = hiding_rule(env.repo, workspace)
    if hidden is None:
        return False
    remedy = exception_for(env.repo, workspace, hidden, env.words(_COMMENT))
    if remedy is None:
        return False
    one = _exception(env, remedy)
    carry_out(env.repo, {one.path: (one.before, one.after)}, lock_wait=env.settings.lock.timeout)
    return True


def begin(env: Env, *, dry_run: bool) -> tuple[Diagnostic, ...]:
    """Takes back what any interrupted command left, and returns what there is to say about it.

    Args:
        env: The surroundings.
        dry_run: Whether nothing may be written; what was interrupted is only told then.
    """
    if dry_run:
        env.begin_reading()
        return (interrupted_notice(),) if is_interrupted(env.repo) else ()
    env.begin_writing()
    if not settle(env.repo, lock_wait=env.settings.lock.timeout):
        return ()
    return (
        Diagnostic(
            "setup-undone",
            say("An earlier git wfp init or deinit was interrupted; what it had begun is undone."),
            Severity.NOTE,
        ),
    )


def interrupted_notice() -> Diagnostic:
    """Returns what is said where an init or deinit was interrupted and nothing was done yet."""
    return Diagnostic(
        "setup-interrupted",
        say("An earlier git wfp init or deinit was interrupted; what you see may be half of it."),
        Severity.WARNING,
        hint=say("Run git wfp init or git wfp deinit; each takes that back first."),
    )


def _check_folder(env: Env, workspace: str) -> None:
    kind = env.repo.workflow_kind(workspace)
    if kind not in ("folder", "absent"):
        raise Refusal(
            "workspace-not-a-folder",
            say(
                "{folder} is no folder of this repository, so no plans can live there.",
                folder=workspace,
            ),
            ExitCode.ENVIRONMENT,
            hint=say("Where it is a link or a submodule, go to the repository it leads to.")
            if kind in ("link", "submodule")
            else say("Give that file another name."),
            location=Location(workspace),
        )


def _workspace(env: Env, workspace: str) -> list[Written]:
    if env.repo.workflow_kind(workspace) != "absent":
        return []
    # Git keeps no empty folder, and this is where attributes of plans have their place.
    text = "".join(f"# {env.words(sentence)}\n" for sentence in _ATTRIBUTES)
    return [Written(WORKFLOW, is_folder=True), Written(ATTRIBUTES_FILE, after=to_bytes(text))]


_ATTRIBUTES: Final = (
    say("Attributes of the plans in this folder; this file also keeps the folder in git."),
    say("Line endings are left to the settings of each repository."),
)


def _settings(
    env: Env,
) -> tuple[list[Written], Mapping[str, bool], tuple[Diagnostic, ...]]:
    """Returns the settings file to write, the tools it imports, and what to say about both."""
    listed = read_tool_list(env.repo.worktree_files(env.settings.limits.file_bytes))
    notices = _ignored_settings(env)
    if listed.problem is not None:
        notices = (*notices, listed.problem)
    tools = worth_noting(listed.tools)
    kind = env.repo.workflow_kind(SETTINGS_FILE)
    if kind == "absent":
        text = starter(tools, TOOL_LIST, env.words)
        return [Written(SETTINGS_FILE, after=to_bytes(text))], tools, notices
    if kind != "file":
        notices = (*notices, _not_a_file())
    unknown = [
        name
        for name, enabled in tools.items()
        if name not in env.settings.tools or env.settings.tools[name].enabled != enabled
    ]
    if unknown:
        notices = (*notices, _not_imported(unknown))
    return [], {}, notices


def _ignored_settings(env: Env) -> tuple[Diagnostic, ...]:
    rule = env.repo.ignored_by(SETTINGS_FILE)
    if rule is None:
        return ()
    source, line, pattern = rule
    return (
        Diagnostic(
            "settings-ignored",
            say(
                "Git ignores {path}: rule {pattern} in {source}, line {line}.",
                path=SETTINGS_FILE,
                pattern=pattern,
                source=source,
                line=line,
            ),
            Severity.NOTE,
            Location(SETTINGS_FILE),
            say("Settings that others are to share have to be committed."),
        ),
    )


def _not_a_file() -> Diagnostic:
    return Diagnostic(
        "settings-not-a-file",
        say("{path} is no plain file, so the settings in it are not read.", path=SETTINGS_FILE),
        Severity.WARNING,
        Location(SETTINGS_FILE),
        say("Put a plain file in its place."),
    )


def _not_imported(tools: list[str]) -> Diagnostic:
    return Diagnostic(
        "tools-not-imported",
        say(
            "{path} sets tools otherwise than {settings}, which stays as it is: {tools}.",
            path=TOOL_LIST,
            settings=SETTINGS_FILE,
            tools=", ".join(sorted(tools)),
        ),
        Severity.NOTE,
        Location(TOOL_LIST),
        say("Add a table tools.NAME with enabled = true or false for those you want."),
    )


def _is_wanted(
    env: Env,
    workspace: str,
    rule: HidingRule,
    remedy: IgnoreException,
    yes: bool,
    dry_run: bool,
) -> bool:
    if yes or dry_run or not env.ui.interactive:
        return yes
    env.ui.warn(hidden_notice(workspace, rule, remedy))
    question: Text = say(
        "Add an exception to {path}: {lines}?",
        path=remedy.path,
        lines=" ".join(remedy.patterns),
    )
    choices = (
        Choice("y", say("yes, plans are to be committed")),
        Choice("n", say("no, they stay out of git")),
    )
    return env.ui.choose(question, choices, default="n", flag="--yes") == "y"


def _exception(env: Env, remedy: IgnoreException) -> Written:
    after = remedy.content(env.words(_COMMENT))
    return Written(remedy.path, before=remedy.before, after=after)


def _sessions(env: Env, workspace: str) -> tuple[Adopted, ...]:
    tree = env.repo.worktree_files(env.settings.limits.file_bytes)
    found = []
    for ref in find_sessions(tree, workspace):
        plan = read_plan(tree, ref)
        found.append(Adopted(ref, plan.title, len(plan.tasks), len(plan.problems)))
    return tuple(found)
