"""Init: what a repository needs for plans is made, and what is there already is adopted.

Nothing is committed or staged, no byte of a plan changes, and a second run finds nothing to do.
What is written is noted in a receipt, by which `gitwfp.flows.deinit` takes it back.
"""

from collections.abc import Mapping
from typing import Final

from gitwfp.classes import dataclass, replace
from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, Text, say
from gitwfp.files.codec import read_plan
from gitwfp.files.paths import WORKFLOW, find_sessions
from gitwfp.flows.env import Env
from gitwfp.flows.hooks import HookPlan, HookWish, install_hooks, plan_hooks
from gitwfp.flows.initfiles import Written, starting_settings
from gitwfp.flows.sessions import workspace_here
from gitwfp.flows.ui import Choice
from gitwfp.git.driver import merge_attributes
from gitwfp.git.ignores import HidingRule, IgnoreException, exception_for, hiding_rule
from gitwfp.git.program import to_bytes
from gitwfp.git.receipt import ATTRIBUTES_FILE, guarded
from gitwfp.git.setup import carry_out, is_interrupted, settle
from gitwfp.git.worktree import Worktree
from gitwfp.model.plan import SessionRef


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


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a person wants of init.

    Attributes:
        hooks: The hooks to install; none where no hook and no merge driver are wanted.
        program: The program that hooks start, as an absolute path; None if it was not found.
    """

    hooks: tuple[str, ...] = ()
    program: str | None = None


def init(env: Env, wishes: Wishes, *, yes: bool, dry_run: bool) -> Initialised:
    """Sets a repository up for plans.

    Args:
        env: The surroundings.
        wishes: What is wanted.
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
    settings, tools, notices = starting_settings(env)
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
    if hidden is None and wishes.hooks:
        writes = _with_attributes(env, workspace, writes)
    edits = {one.path: (one.before, one.after) for one in writes if not one.is_folder}
    hooks = HookPlan()
    if wishes.hooks:
        hooks = plan_hooks(env.repo, wishes.hooks, wishes.program)
        notices = (*notices, *hooks.notices)
        writes.extend(_hook(wish) for wish in hooks.wishes)
    if not dry_run:
        if edits:
            carry_out(env.repo, edits, lock_wait=env.settings.lock.timeout)
        if wishes.hooks and wishes.program is not None:
            with guarded(env.repo, env.settings.lock.timeout):
                notices = (*notices, *install_hooks(env.repo, hooks, wishes.program))
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


def _with_attributes(env: Env, workspace: str, writes: list[Written]) -> list[Written]:
    """Returns what is to be written, with the attributes by which git merges plans field by field.

    They lie in the repository's own workspace; those of packages are left to whoever keeps them.
    """
    if workspace != WORKFLOW:
        return writes
    new = next((one for one in writes if one.path == ATTRIBUTES_FILE), None)
    if new is not None:
        whole = replace(new, after=(new.after or b"") + merge_attributes())
        return [whole if one is new else one for one in writes]
    kind = env.repo.workflow_kind(ATTRIBUTES_FILE)
    if kind not in ("file", "absent"):
        return writes
    before = Worktree(env.repo.require_worktree(), "").read(ATTRIBUTES_FILE)
    if before is not None and merge_attributes() in before:
        return writes
    start = before or b""
    if start and not start.endswith(b"\n"):
        start += b"\n"
    return [*writes, Written(ATTRIBUTES_FILE, before=before, after=start + merge_attributes())]


def _hook(wish: HookWish) -> Written:
    return Written(wish.name, before=None if wish.is_new else b"", after=b"", is_shared=True)


_ATTRIBUTES: Final = (
    say("Attributes of the plans in this folder; this file also keeps the folder in git."),
    say("Line endings are left to the settings of each repository."),
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
