"""Replan: what is wanted becomes operations, these become one commit."""

from collections.abc import Iterator

from gitwfp.change.kinds import sentence
from gitwfp.classes import dataclass, field, replace
from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, say
from gitwfp.files.codec import read_plan
from gitwfp.files.writing import plan_edits
from gitwfp.flows.change import carry_out
from gitwfp.flows.env import Env
from gitwfp.flows.names import Stamp
from gitwfp.flows.sessions import choose_session
from gitwfp.flows.snapshot import Snapshot
from gitwfp.flows.stages import Progress
from gitwfp.flows.ui import Choice
from gitwfp.flows.work import Draft, Options, Outcome, Step
from gitwfp.git.history import reachable_trailers
from gitwfp.model.plan import Plan, SessionRef
from gitwfp.policy import message as m
from gitwfp.policy.bookkeeping import Entry
from gitwfp.policy.bounds import bounded, check_execution
from gitwfp.policy.clarify import (
    Answers,
    Mode,
    Question,
    answered,
    assumed,
    is_about_execution,
    next_question,
)
from gitwfp.policy.followup import as_new_tasks
from gitwfp.policy.operations import Operation, Scope, UpdateTask
from gitwfp.policy.planning import Planned, Planner
from gitwfp.policy.replan import Limits, Proposal, propose, scope_of
from gitwfp.policy.ripple import Verdict, with_ripple


@dataclass(frozen=True, slots=True)
class Request:
    """A replan as it was asked for.

    Attributes:
        planner: Who says what the request means.
        session: The session named, if one was.
        answers: How far it shall go, as flags say.
        force: Whether completed tasks may change.
        asks: Whether the questions are asked before anything is shown.
        options: How it is carried out.
    """

    planner: Planner
    session: str | None = None
    answers: Answers = field(default_factory=Answers)
    force: bool = False
    asks: bool = False
    options: Options = field(default_factory=Options)


def replan(env: Env, request: Request) -> Outcome:
    """Carries out a replan.

    Raises:
        Refusal: See `gitwfp.flows.change.carry_out`; also when the request asks for nothing that
            is understood (usage).
    """
    env.begin_writing()
    tree = env.repo.worktree_files(env.settings.limits.file_bytes)
    ref = choose_session(env, tree, request.session, writing=True)
    work = _Replan(ref, request, request.answers, Progress(env.ui))
    if request.asks:
        work = work.clarified(env, read_plan(tree, ref))
    outcome = carry_out(env, ref, work, request.options)
    if outcome.written:
        work.progress.finished()
    return outcome


@dataclass(frozen=True, slots=True)
class _Replan:
    ref: SessionRef
    request: Request
    answers: Answers
    progress: Progress
    kind: str = "replan"
    takes_edits: bool = True

    def clarified(self, env: Env, plan: Plan) -> "_Replan":
        """Asks the open questions before anything is shown, if the request leaves any open."""
        planned = self.request.planner.plan(plan, self.answers, ())
        if not planned.operations and not self._can_be_understood(plan):
            # No answer to any question would make it a change.
            return self
        return self if is_about_execution(planned.operations) else self.asked(env, plan)

    def asked(self, env: Env, plan: Plan) -> "_Replan":
        """Asks the open questions; what was answered before is the default now."""
        mode = self.request.planner.mode(plan)
        known = self.request.answers
        if mode is not None:
            self.progress.reached(mode, "detect")
        while mode is not None:
            question = next_question(plan, mode, known, self.answers)
            if question is None:
                break
            known = answered(known, question, _answer(env, question))
        return replace(self, answers=known)

    def draft(self, env: Env, snapshot: Snapshot, stamp: Stamp) -> Draft:
        """Returns what the request makes of the plan; answers that exclude it are asked again."""
        try:
            return self._drafted(env, snapshot, stamp)
        except Refusal as refusal:
            is_of_flags = self.answers == self.request.answers
            is_usage = refusal.exit_code is ExitCode.USAGE
            if is_of_flags or not is_usage or not self._can_be_understood(snapshot.here):
                raise
            for told in (*refusal.details, Diagnostic(refusal.code, refusal.message)):
                env.ui.warn(told)
        return self.asked(env, snapshot.here).draft(env, snapshot, stamp)

    def _can_be_understood(self, plan: Plan) -> bool:
        """Tells whether the request means a change under the answers that allow the most."""
        most = Answers(scope=Scope.COMPREHENSIVE, dependencies=True, update_type="all")
        try:
            return bool(self.request.planner.plan(plan, most, ()).operations)
        except Refusal:
            return False

    def _drafted(self, env: Env, snapshot: Snapshot, stamp: Stamp) -> Draft:
        retired = _RetiredIds(env, snapshot.head.commit, self.ref)
        planner, answers = self.request.planner, self.answers
        planned = planner.plan(snapshot.here, answers, retired)
        self.progress.reached(planned.mode, "detect")
        self.progress.reached(planned.mode, "clarify")
        operations, left_out = bounded(planned.operations, answers)
        check_execution(operations, _enabled_tools(env))
        planned = replace(planned, operations=operations, notes=(*planned.notes, *left_out))
        if not planned.operations and (planner.mode(snapshot.here) is None or planned.is_met):
            return Draft(snapshot.here, snapshot.here, (), notes=planned.notes)
        if not planned.operations:
            raise _nothing_understood(planned)
        operations, verdicts = with_ripple(snapshot.here, operations, answers.ripple or "no")
        limits = Limits(answers.scope, answers.dependencies, self.request.force)
        scope = scope_of(operations, limits.scope)
        entry = Entry(
            replan=stamp.replan,
            time=stamp.time,
            reason=m.one_line(planned.reason),
            scope=scope,
            backup=f"{stamp.branch}~1",
            obsolete=env.words(say("obsolete")),
        )
        try:
            proposal = propose(snapshot.here, operations, entry, limits, retired)
        except Refusal as refusal:
            if refusal.code != "task-completed" or not _wants_new_task(env, refusal):
                raise
            operations = as_new_tasks(snapshot.here, operations)
            entry = replace(entry, scope=scope_of(operations, limits.scope))
            proposal = propose(snapshot.here, operations, entry, limits, retired)
        message = self._message(env, snapshot, planned, proposal, stamp)
        edits = plan_edits(snapshot.here, proposal.after)
        self.progress.reached(planned.mode, "analyze")
        return Draft(
            before=snapshot.here,
            after=proposal.after,
            steps=(Step(message, edits),) if edits else (),
            proposal=proposal,
            notes=(
                *planned.notes,
                *proposal.notes,
                *_verdict_notes(self.ref, verdicts, answers),
                *_assumed(env, planner.mode(snapshot.here), answers, operations, self.request),
            ),
            adjust=None
            if planner.mode(snapshot.here) is None or is_about_execution(planned.operations)
            else lambda: self.asked(env, snapshot.here),
            asks_for_yes=not all(isinstance(o, UpdateTask) for o in proposal.operations),
        )

    def _message(
        self, env: Env, snapshot: Snapshot, planned: Planned, proposal: Proposal, stamp: Stamp
    ) -> m.Message:
        changes = proposal.changes
        return m.Message(
            m.subject("replan", _about(planned, proposal) or self.ref.id, planned.reason),
            tuple(env.words(sentence(change)) for change in changes.of_intent.changes),
            {
                m.REPLAN: stamp.replan,
                m.SESSION: self.ref.id,
                m.MODE: planned.mode,
                m.SCOPE: proposal.scope.value,
                m.ADDED: m.listed(changes.added),
                m.UPDATED: m.listed(changes.updated),
                m.DELETED: m.listed(changes.deleted),
                m.PLANNER: self.request.planner.name,
                m.BACKUP: "",
                m.PREVIOUS: previous_replan(snapshot) or "",
                m.BRANCH: stamp.branch,
            },
            note=planned.reason if len(planned.reason) > m.SUBJECT_LENGTH // 2 else "",
        )


def _answer(env: Env, question: Question) -> tuple[str, ...]:
    choices = tuple(
        Choice(option.value, option.label, alone=option.alone) for option in question.options
    )
    text, flag = question.text, question.flag
    if question.several:
        return env.ui.choose_several(text, choices, question.defaults, flag=flag)
    return (env.ui.choose(text, choices, question.defaults[0], flag=flag),)


def previous_replan(snapshot: Snapshot) -> str | None:
    """Returns the session's newest commit that carries a replan id, as a hint for walkers."""
    for commit in snapshot.recent[:1]:
        if m.REPLAN in commit.trailers:
            return commit.id
        return commit.trailers.get(m.PREVIOUS, ("",))[0]
    return None


def _about(planned: Planned, proposal: Proposal) -> str | None:
    """Returns the task that a replan of one task is about, as the plan spells it."""
    if planned.mode != "task":
        return None
    named = getattr(proposal.operations[0], "task", None)
    task = proposal.before.task(named) if named is not None else None
    return task.id if task is not None else None


class _RetiredIds:
    """The ids that commits below HEAD say they added or deleted, looked for when they are needed.

    Args:
        env: The surroundings.
        head: The commit at HEAD.
        ref: The session.
    """

    def __init__(self, env: Env, head: str | None, ref: SessionRef) -> None:
        self._env = env
        self._head = head
        self._ref = ref
        self._ids: tuple[str, ...] | None = None if head is not None else ()

    def __iter__(self) -> Iterator[str]:
        if self._ids is None and self._head is not None:
            keys = (m.ADDED, m.DELETED)
            found = reachable_trailers(self._env.repo, self._head, keys, (self._ref.folder,))
            self._ids = tuple(m.ids_in(value for key in keys for value in found[key]))
        return iter(self._ids or ())


def _enabled_tools(env: Env) -> tuple[str, ...]:
    return tuple(name for name, tool in env.settings.tools.items() if tool.enabled)


def _verdict_notes(
    ref: SessionRef, verdicts: tuple[Verdict, ...], answers: Answers
) -> tuple[Diagnostic, ...]:
    """Returns why each dependent gets a note or not, where that was asked for."""
    if answers.ripple in (None, "no"):
        return ()
    return tuple(
        Diagnostic(
            "ripple" if verdict.touched else "no-ripple",
            verdict.why,
            Severity.NOTE,
            Location(session=ref.id, task=verdict.task),
        )
        for verdict in verdicts
    )


def _assumed(
    env: Env,
    mode: Mode | None,
    answers: Answers,
    operations: tuple[Operation, ...],
    request: Request,
) -> tuple[Diagnostic, ...]:
    """Returns what was assumed because nobody was asked."""
    text = assumed(mode, answers, operations) if mode is not None else None
    if text is None or request.asks or (env.ui.interactive and not request.options.yes):
        return ()
    return (Diagnostic("assumed", text, Severity.NOTE),)


def _wants_new_task(env: Env, refusal: Refusal) -> bool:
    """Offers a new task for additional work on a completed one, where there is a terminal."""
    if not env.ui.interactive:
        return False
    choice = env.ui.choose(
        say("{refusal} Make a new task for this?", refusal=refusal.message),
        (
            Choice("y", say("New task"), say("It will depend on the completed one.")),
            Choice("n", say("Cancel"), say("Leave everything as it is.")),
        ),
        default="y",
        flag="--force",
    )
    return choice == "y"


def _nothing_understood(planned: Planned) -> Refusal:
    return Refusal(
        "no-modifications",
        say("No modifications specified: nothing in the request is understood as a change."),
        ExitCode.USAGE,
        hint=say(
            'Say what shall change, as in: git wfp replan IMPL-3 "Tokens expire after an hour"; '
            'or what is to be done, as in: "add task ...".'
        ),
        details=planned.notes,
    )
