"""Waive: decide to live with a finding, as a commit that is reviewed like any other."""

from collections.abc import Mapping

from gitwfp.change.changeset import between
from gitwfp.classes import dataclass
from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, Text, say
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
from gitwfp.model.plan import WAIVERS_JSON, Document, Plan, SessionRef
from gitwfp.model.values import Value, freeze
from gitwfp.patterns import regex
from gitwfp.policy import message as m
from gitwfp.verify.waivers import as_object, waiver_of

_LIST = "/waivers"
_DATE = regex(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")


def waive(
    env: Env, session: str | None, finding: str, reason: str, until: str | None, options: Options
) -> Outcome:
    """Records that a finding is to be lived with.

    Args:
        env: The surroundings.
        session: The session named, if one was.
        finding: The finding's id, or a rule's where it has one finding alone.
        reason: Why.
        until: The last day on which it counts, `YYYY-MM-DD`; None for good.
        options: How it is carried out.

    Raises:
        Refusal: There is no such finding (not found), the reason is empty or the date is none
            (usage); see also `gitwfp.flows.change.carry_out`.
    """
    if not reason.strip():
        raise Refusal(
            "no-reason",
            say("A waiver needs a reason."),
            ExitCode.USAGE,
            hint=say('Say why it can be lived with: --reason "...".'),
        )
    if until is not None and not _DATE.fullmatch(until):
        raise Refusal(
            "odd-date",
            say("'{date}' is no date.", date=until),
            ExitCode.USAGE,
            hint=say("Write it as in 2026-01-31."),
        )
    if until is not None and until < env.time()[:10]:
        raise Refusal(
            "date-past",
            say("{date} is over already.", date=until),
            ExitCode.USAGE,
            hint=say("Give a day that is still to come, or none for good."),
        )
    env.begin_writing()
    tree = env.repo.worktree_files(env.settings.limits.file_bytes)
    ref = choose_session(env, tree, session, writing=True)
    by = env.repo.identity("committer").rpartition(" <")[0]
    return carry_out(env, ref, _Waive(ref, finding, reason.strip(), until, by), options)


@dataclass(frozen=True, slots=True)
class _Waive:
    ref: SessionRef
    finding: str
    reason: str
    until: str | None
    by: str
    kind: str = "waive"
    takes_edits: bool = True

    def draft(self, env: Env, snapshot: Snapshot, stamp: Stamp) -> Draft:
        before = snapshot.here
        tree = env.repo.worktree_files(env.settings.limits.file_bytes)
        report = judged(env, tree, before).report
        for one in report.waived:
            if self.finding.upper() == one.finding.id and one.waiver.until == self.until:
                return Draft(before, before, (), notes=(_waived_already(one.finding),))
        found = self._found((*report.findings, *(one.finding for one in report.waived)))
        after = _with_waiver(before, found, self)
        edits = plan_edits(before, after)
        changes = between(before, after)
        sentence = say(
            "The finding {id} of {rule} is lived with: {reason}",
            id=found.id,
            rule=found.rule,
            reason=self.reason,
        )
        message = m.Message(
            m.subject("waive", found.location.task or self.ref.id, f"{found.rule}: {self.reason}"),
            (env.words(sentence),),
            {
                m.REPLAN: stamp.replan,
                m.SESSION: self.ref.id,
                m.MODE: "waive",
                m.UPDATED: m.listed(changes.updated),
                m.PLANNER: "hand",
                m.BACKUP: "",
                m.PREVIOUS: previous_replan(snapshot) or "",
                m.BRANCH: stamp.branch,
            },
        )
        steps = (Step(message, edits),) if edits else ()
        return Draft(before, after, steps, notes=private_notes(snapshot, self.ref))

    def _found(self, findings: tuple[Finding, ...]) -> Finding:
        fitting = [one for one in findings if self.finding.upper() == one.id]
        fitting = fitting or [one for one in findings if self.finding == one.rule]
        if len(fitting) == 1:
            return fitting[0]
        raise Refusal(
            "finding-not-found",
            self._what_is_wrong(fitting),
            ExitCode.NOT_FOUND,
            hint=say(
                "The findings are {ids}.", ids=", ".join(one.id for one in (fitting or findings))
            )
            if findings
            else say("git wfp verify finds nothing in this session."),
            location=Location(session=self.ref.id),
        )

    def _what_is_wrong(self, fitting: list[Finding]) -> Text:
        if fitting:
            return say(
                "{rule} has {count} findings; name one.", rule=self.finding, count=len(fitting)
            )
        return say("There is no finding {id}.", id=self.finding)


def _waived_already(finding: Finding) -> Diagnostic:
    return Diagnostic(
        "waived-already",
        say("{id} of {rule} is waived already.", id=finding.id, rule=finding.rule),
        Severity.NOTE,
        finding.location,
    )


def _with_waiver(plan: Plan, finding: Finding, work: _Waive) -> Plan:
    held = plan.documents.get(WAIVERS_JSON)
    parts = dict(held.parts) if held is not None else {}
    listed = parts.get(_LIST)
    waiver = waiver_of(finding, work.reason, work.by, work.until)
    entry = freeze({key: value for key, value in as_object(waiver).items() if value is not None})
    kept = [
        one for one in (listed if isinstance(listed, tuple) else ()) if not _is_same(one, entry)
    ]
    parts[_LIST] = (*kept, entry)
    return plan.with_document(Document(WAIVERS_JSON, parts))


def _is_same(one: Value, other: Value) -> bool:
    """Tells whether two entries waive the same finding."""
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        return False
    return all(one.get(name) == other.get(name) for name in ("rule", "task", "subject"))
