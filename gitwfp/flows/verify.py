"""Verify: judge a session's plan from any tree, and leave the report beside it."""

from gitwfp.classes import dataclass
from gitwfp.errors import Diagnostic, Location, Severity, say
from gitwfp.files.codec import read_plan
from gitwfp.files.digest import intent_digest
from gitwfp.files.tree import FileTree
from gitwfp.flows.env import Env
from gitwfp.flows.records import Records
from gitwfp.flows.sessions import choose_session, sessions_here
from gitwfp.flows.view import Source
from gitwfp.git.reports import write_report
from gitwfp.git.trees import CommitFiles
from gitwfp.model.findings import GateDecision, Report
from gitwfp.model.plan import Place, Plan, SessionRef
from gitwfp.verify import findingsfile, reportfile
from gitwfp.verify.facts import Facts
from gitwfp.verify.run import verify
from gitwfp.verify.waivers import read_waivers


@dataclass(frozen=True, slots=True)
class Verified:
    """One session, judged.

    Attributes:
        plan: The plan as it was read.
        report: What was found.
        digest: The intent digest of the plan.
        passes: Whether the decision is at least as good as `gate.policy`.
        written: The paths of the reports that were written.
        notices: What a person should know besides.
    """

    plan: Plan
    report: Report
    digest: str
    passes: bool
    written: tuple[str, ...] = ()
    notices: tuple[Diagnostic, ...] = ()


def judge(env: Env, tree: FileTree, ref: SessionRef, records: Records | None = None) -> Verified:
    """Verifies one session whose plan is all there.

    Args:
        env: The surroundings.
        tree: Where to read.
        ref: The session.
        records: What is known already, and takes what is found; None for neither.

    Raises:
        Refusal: There is nothing to verify; see `gitwfp.verify.run.verify`.
    """
    return judged(env, tree, read_plan(tree, ref), records)


def judged(
    env: Env,
    tree: FileTree,
    plan: Plan,
    records: Records | None = None,
    *,
    is_whole: bool = True,
) -> Verified:
    """Verifies a plan that was read already; see `judge`."""
    waivers, problems = read_waivers(plan)
    facts = Facts(plan, tree, max_tasks=env.settings.limits.max_tasks)
    policy, today = GateDecision(env.settings.gate.policy), env.time()[:10]
    if records is None:
        report = verify(facts, waivers=waivers, today=today, is_whole=is_whole)
    else:
        name, results = records.begin(facts, waivers, policy.value)
        known = len(results)
        report = verify(facts, waivers=waivers, today=today, is_whole=is_whole, results=results)
        records.end(name, results, known, report)
        folder = tree.folder_id(plan.ref.folder) if isinstance(tree, CommitFiles) else None
        if folder is not None:
            records.show(folder, facts, report)
    return Verified(
        plan,
        report,
        intent_digest(plan),
        report.decision.passes(policy),
        notices=(*problems, *report.notes),
    )


def sessions_to_verify(
    env: Env, source: Source, wanted: str | None, *, every: bool
) -> tuple[SessionRef, ...]:
    """Returns the sessions that a command is to verify.

    Args:
        env: The surroundings.
        source: Where they are looked for.
        wanted: The session named, if one was.
        every: Whether all that are not archived are meant.

    Raises:
        Refusal: There is no such session (not found).
    """
    if not every:
        return (choose_session(env, source.tree, wanted, writing=False),)
    return tuple(ref for ref in sessions_here(env, source.tree) if ref.place is not Place.ARCHIVED)


def leave_report(env: Env, verified: Verified) -> tuple[tuple[str, ...], tuple[Diagnostic, ...]]:
    """Writes both reports into the worktree.

    They are no part of the plan: git sees them, no command of ours commits them, and a report
    that cannot be written changes nothing about the verdict.

    Returns:
        The paths that were written, and why one could not be.
    """
    ref, report, time = verified.plan.ref, verified.report, env.time()
    texts = {
        reportfile.NAME: reportfile.report_text(ref, report, time, env.words),
        findingsfile.NAME: findingsfile.findings_text(ref, report, time, env.words),
    }
    written: list[str] = []
    notices: list[Diagnostic] = []
    for name, text in texts.items():
        path = f"{ref.folder}/{name}"
        why = write_report(env.repo, path, text.encode("utf-8", "replace"))
        if why is None:
            written.append(path)
            continue
        notices.append(
            Diagnostic(
                "report-not-written",
                say("{path} could not be written: {why}", path=path, why=why.message),
                Severity.WARNING,
                Location(path, session=ref.id),
                why.hint,
            )
        )
    return tuple(written), tuple(notices)
