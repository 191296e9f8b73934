"""Start: a new session's folder, in one commit."""

import unicodedata
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.files.paths import find_sessions, new_session_ref
from gitwfp.files.writing import plan_edits
from gitwfp.flows.change import carry_out
from gitwfp.flows.env import Env
from gitwfp.flows.names import Stamp
from gitwfp.flows.sessions import remember_choice, workspace_here
from gitwfp.flows.snapshot import Snapshot
from gitwfp.flows.work import Draft, Options, Outcome, Step
from gitwfp.model import fields as f
from gitwfp.model.plan import PLANNING_NOTES, Document, SessionRef, empty_plan
from gitwfp.model.values import Value
from gitwfp.patterns import regex
from gitwfp.policy import message as m

_PREFIX: Final = "WFS-"
_ID_LENGTH: Final = 50
_RESERVED: Final = frozenset({"con", "prn", "aux", "nul", "git"})
_NOT_WORD: Final = regex(r"[^0-9a-z\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af]+")


def start(env: Env, goal: str, options: Options) -> Outcome:
    """Makes a session for a goal and chooses it for this worktree.

    Args:
        env: The surroundings.
        goal: What is to be achieved.
        options: How it is carried out.

    Raises:
        Refusal: The goal is empty (usage); see also `gitwfp.flows.change.carry_out`.
    """
    text = goal.strip()
    if not text:
        raise Refusal(
            "no-goal",
            say("There is no goal for the session."),
            ExitCode.USAGE,
            hint=say('Say what you want to achieve: git wfp start "Add two-factor login".'),
        )
    tree = env.repo.worktree_files(env.settings.limits.file_bytes)
    workspace = workspace_here(env, tree)
    taken = {ref.id.casefold() for ref in find_sessions(tree, workspace)}
    ref = new_session_ref(session_id(text, frozenset(taken)), workspace)
    outcome = carry_out(env, ref, _Start(ref, text), options)
    if outcome.written and outcome.landed is not None:
        remember_choice(env, ref.id)
    return outcome


def session_id(goal: str, taken: frozenset[str]) -> str:
    """Returns the id of a new session: readable, a valid folder and branch name, not in use.

    Latin letters lose their accents, East Asian text stays, everything else becomes a hyphen.

    Args:
        goal: What the session is for.
        taken: Case-folded ids that are in use.
    """
    first = next((line for line in goal.splitlines() if line.strip()), "")
    plain = unicodedata.normalize("NFKD", first.lower())
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    slug = _NOT_WORD.sub("-", unicodedata.normalize("NFC", plain)).strip("-")
    slug = slug[: _ID_LENGTH - len(_PREFIX)].strip("-")
    if not slug or slug in _RESERVED:
        slug = f"session-{slug}".strip("-")
    candidate, number = _PREFIX + slug, 1
    while candidate.casefold() in taken:
        number += 1
        ending = f"-{number}"
        candidate = _PREFIX + slug[: _ID_LENGTH - len(_PREFIX) - len(ending)].strip("-") + ending
    return candidate


@dataclass(frozen=True, slots=True)
class _Start:
    ref: SessionRef
    goal: str
    kind: str = "start"
    takes_edits: bool = True

    def draft(self, env: Env, snapshot: Snapshot, stamp: Stamp) -> Draft:  # noqa: ARG002
        before = empty_plan(self.ref)
        if snapshot.here.source.files:
            raise Refusal(
                "session-exists",
                say("There is a folder {folder} already.", folder=self.ref.folder),
                ExitCode.REFUSED,
                hint=say("Use another goal, or git wfp use for the session that is there."),
            )
        title = m.one_line(self.goal.splitlines()[0])
        session: dict[str, Value] = {
            "/session_id": self.ref.id,
            f.TITLE: title,
            f.STATUS: "planning",
            "/type": "workflow",
            "/created_at": stamp.time,
        }
        if m.one_line(self.goal) != title:
            session["/description"] = self.goal
        notes = Document(PLANNING_NOTES, {f.LINES: _notes(self.ref.id, self.goal, stamp.time)})
        after = before.with_document(notes)
        after = type(after)(ref=after.ref, session=session, tasks={}, documents=after.documents)
        message = m.Message(
            m.subject("start", self.ref.id, title),
            (),
            {
                m.REPLAN: stamp.replan,
                m.SESSION: self.ref.id,
                m.MODE: "start",
                m.BACKUP: "",
                m.BRANCH: stamp.branch,
            },
        )
        return Draft(
            before=before,
            after=after,
            steps=(Step(message, plan_edits(before, after)),),
        )


def _notes(session: str, goal: str, time: str) -> tuple[str, ...]:
    """Returns the first planning notes: the user's intent, and headings for what will follow."""
    headings = (
        "Context Findings (Phase 2)",
        "Conflict Decisions (Phase 3)",
        "Consolidated Constraints (Phase 4 Input)",
        "Task Generation (Phase 4)",
        "N+1 Context",
    )
    lines = [
        "# Planning Notes",
        "",
        f"**Session**: {session}",
        f"**Created**: {time}",
        "",
        "## User Intent (Phase 1)",
        "",
        f"- **GOAL**: {m.one_line(goal)}",
        "- **KEY_CONSTRAINTS**: None specified",
    ]
    for heading in headings:
        lines += ["", f"## {heading}", "", "(To be filled)"]
    return tuple(lines)
