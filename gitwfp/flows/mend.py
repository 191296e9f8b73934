"""Mend: findings of a verification become one replan that puts right what has one answer."""

from gitwfp.change.changeset import between
from gitwfp.change.kinds import sentence
from gitwfp.classes import dataclass
from gitwfp.errors import Diagnostic, Location, Severity, say, say_n
from gitwfp.files.writing import plan_edits
from gitwfp.flows.change import carry_out
from gitwfp.flows.env import Env
from gitwfp.flows.names import Stamp
from gitwfp.flows.replan import previous_replan
from gitwfp.flows.sessions import choose_session
from gitwfp.flows.snapshot import Snapshot, private_notes
from gitwfp.flows.verify import judged
from gitwfp.flows.work import Draft, Options, Outcome, Step
from gitwfp.model.findings import Finding
from gitwfp.model.plan import SessionRef
from gitwfp.policy import message as m
from gitwfp.policy.bookkeeping import Entry, derive
from gitwfp.policy.operations import Scope
from gitwfp.policy.repair import repair
from gitwfp.policy.tasks import Draft as PlanDraft
from gitwfp.policy.tasks import unreadable_file

_MOST = 3
"""How often a plan is verified: what is mended can bring other findings to light."""


def mend(env: Env, session: str | None, options: Options) -> Outcome:
    """Verifies a session's plan and puts right what can be.

    Args:
        env: The surroundings.
        session: The session named, if one was.
        options: How it is carried out.

    Raises:
        Refusal: See `gitwfp.flows.change.carry_out`.
    """
    env.begin_writing()
    tree = env.repo.worktree_files(env.settings.limits.file_bytes)
    ref = choose_session(env, tree, session, writing=True)
    return carry_out(env, ref, _Mend(ref), options)


@dataclass(frozen=True, slots=True)
class _Mend:
    ref: SessionRef
    kind: str = "replan"
    takes_edits: bool = True

    def draft(self, env: Env, snapshot: Snapshot, stamp: Stamp) -> Draft:
        before = plan = snapshot.here
        for path in sorted(before.source.unreadable):
            # What is in it may be what counts, lists and edges speak of.
            raise unreadable_file(before, path)
        tree = env.repo.worktree_files(env.settings.limits.file_bytes)
        obsolete = env.words(say("obsolete"))
        mended: list[Finding] = []
        left: tuple[Finding, ...] = ()
        for _ in range(_MOST):
            report = judged(env, tree, plan, is_whole=False).report
            left = report.findings
            done = repair(plan, left, obsolete)
            if not done.mended:
                break
            plan = done.plan
            mended.extend(done.mended)
        notes = (*(_mended(one) for one in mended), *_left(self.ref, left))
        if not mended:
            return Draft(before, before, (), notes=notes)
        count = len(mended)
        reason = str(
            say_n(
                "{count} finding is mended",
                "{count} findings are mended",
                count,
            )
        )
        entry = Entry(
            stamp.replan, stamp.time, reason, Scope.PLAN_UPDATE, f"{stamp.branch}~1", obsolete
        )
        derived = derive(before, PlanDraft(plan, {}), entry)
        changes = between(before, derived.plan)
        message = m.Message(
            m.subject("replan", self.ref.id, reason),
            tuple(env.words(sentence(change)) for change in changes.of_intent.changes),
            {
                m.REPLAN: stamp.replan,
                m.SESSION: self.ref.id,
                m.MODE: "session",
                m.SCOPE: Scope.PLAN_UPDATE.value,
                m.ADDED: m.listed(changes.added),
                m.UPDATED: m.listed(changes.updated),
                m.DELETED: m.listed(changes.deleted),
                m.PLANNER: "findings",
                m.BACKUP: "",
                m.PREVIOUS: previous_replan(snapshot) or "",
                m.BRANCH: stamp.branch,
            },
        )
        edits = plan_edits(before, derived.plan)
        return Draft(
            before,
            derived.plan,
            (Step(message, edits),) if edits else (),
            notes=(*notes, *derived.notes, *private_notes(snapshot, self.ref)),
        )


def _mended(one: Finding) -> Diagnostic:
    return Diagnostic(
        "finding-mended",
        say("Mended, {rule}: {message}", rule=one.rule, message=str(one.message)),
        Severity.NOTE,
        one.location,
    )


def _left(ref: SessionRef, findings: tuple[Finding, ...]) -> tuple[Diagnostic, ...]:
    if not findings:
        return ()
    return (
        Diagnostic(
            "findings-left",
            say_n(
                "{count} finding has no one answer and is left to you.",
                "{count} findings have no one answer and are left to you.",
                len(findings),
            ),
            Severity.NOTE,
            Location(session=ref.id),
            say("git wfp verify lists what there is."),
        ),
    )
