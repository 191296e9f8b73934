"""Records of verifications, kept as notes: what was found once is not looked for again.

A record belongs to what a plan means, so that it serves on every branch and in every clone that
has the notes. A second note lies on the id of the session's folder in a commit, for people:
`git notes --ref=wfp show REV:.workflow/active/WFS-x`.
"""

from gitwfp import __version__
from gitwfp.classes import dataclass, field
from gitwfp.errors import Diagnostic, Refusal, Severity, say
from gitwfp.flows.env import Env
from gitwfp.git.notes import NOTES, read_note, write_notes
from gitwfp.git.packing import object_id
from gitwfp.model.findings import Report, Waiver
from gitwfp.verify.facts import Facts
from gitwfp.verify.record import read_record, record_key, record_text
from gitwfp.verify.reportfile import place_of
from gitwfp.verify.run import VERSION, Results


@dataclass(slots=True)
class Records:
    """The records that one command reads and leaves.

    Attributes:
        env: The surroundings.
        reads: Whether what is recorded is believed.
        new: Notes to be written, by the id of the object that they are on.
    """

    env: Env
    reads: bool = True
    new: dict[str, bytes] = field(default_factory=dict)

    def begin(self, facts: Facts, waivers: tuple[Waiver, ...], policy: str) -> tuple[str, Results]:
        """Returns the id that a plan's record has, and what is recorded.

        Args:
            facts: What is known of the plan.
            waivers: The waivers of the session.
            policy: The lowest decision that passes.
        """
        ruleset = f"{VERSION}/{__version__}"
        key = record_key(facts, ruleset, waivers, policy)
        name = object_id("blob", key.text.encode("ascii"), self.env.repo.object_format)
        noted = read_note(self.env.repo, NOTES, name) if self.reads else None
        known = None if noted is None else read_record(noted)
        return name, dict(known or {})

    def end(self, name: str, results: Results, known: int, report: Report) -> None:
        """Takes what a verification has found.

        Args:
            name: The record's id.
            results: What the rules found, those that were recorded included.
            known: How many were recorded.
            report: The report.
        """
        if len(results) > known:
            self.new[name] = record_text(results, report.decision.value).encode("ascii")

    def show(self, tree: str, facts: Facts, report: Report) -> None:
        """Takes what is to be said, to people, of a session's folder in a commit."""
        note = _text(facts, report)
        if read_note(self.env.repo, NOTES, tree) != note:
            self.new[tree] = note

    def keep(self) -> tuple[Diagnostic, ...]:
        """Writes what is new; returns why it could not be, which changes no verdict."""
        if not self.new or self.env.repo.top is None:
            # A server keeps what is pushed to it, and a quarantined push leaves no ref behind.
            return ()
        notes, self.new = self.new, {}
        try:
            is_kept = write_notes(
                self.env.repo, NOTES, notes, now=self.env.now(), subject="wfp: verifications"
            )
        except Refusal as refusal:
            return (_not_kept(refusal),)
        return () if is_kept else (_not_kept(None),)


def _text(facts: Facts, report: Report) -> bytes:
    lines = [f"{report.session}: {report.decision.value}"]
    lines += [
        f"{one.id} {one.level.value} {one.rule} {place_of(facts.plan.ref, one)}: {one.message}"
        for one in report.findings
    ]
    return "\n".join((*lines, "")).encode("utf-8", "replace")


def _not_kept(why: Refusal | None) -> Diagnostic:
    return Diagnostic(
        "record-not-kept",
        say("The verification could not be recorded, so it will be made again: {why}", why=why)
        if why is not None
        else say("The verification could not be recorded: others wrote records at the same time."),
        Severity.NOTE,
    )
