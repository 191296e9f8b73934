"""Adopt: hand edits of a plan become a change set of their own, verified and with a reason."""

from gitwfp.change.changeset import between
from gitwfp.change.kinds import sentence
from gitwfp.classes import dataclass
from gitwfp.errors import say
from gitwfp.flows.change import carry_out
from gitwfp.flows.env import Env
from gitwfp.flows.names import Stamp
from gitwfp.flows.replan import previous_replan
from gitwfp.flows.sessions import choose_session
from gitwfp.flows.snapshot import Snapshot, private_notes
from gitwfp.flows.work import Draft, Options, Outcome, Step
from gitwfp.model.plan import SessionRef
from gitwfp.policy import message as m


def adopt(env: Env, session: str | None, reason: str, options: Options) -> Outcome:
    """Commits what was edited by hand in a session's plan.

    Args:
        env: The surroundings.
        session: The session named, if one was.
        reason: Why, for the history.
        options: How it is carried out.

    Raises:
        Refusal: See `gitwfp.flows.change.carry_out`.
    """
    env.begin_writing()
    tree = env.repo.worktree_files(env.settings.limits.file_bytes)
    ref = choose_session(env, tree, session, writing=True)
    return carry_out(env, ref, _Adopt(ref, reason), options)


@dataclass(frozen=True, slots=True)
class _Adopt:
    ref: SessionRef
    reason: str
    kind: str = "adopt"
    takes_edits: bool = True

    def draft(self, env: Env, snapshot: Snapshot, stamp: Stamp) -> Draft:
        changes = between(snapshot.at_head, snapshot.here)
        reason = self.reason or env.words(say("edits made by hand"))
        message = m.Message(
            m.subject("adopt", self.ref.id, reason),
            tuple(env.words(sentence(change)) for change in changes.changes),
            {
                m.REPLAN: stamp.replan,
                m.SESSION: self.ref.id,
                m.MODE: "adopt",
                m.ADDED: m.listed(changes.added),
                m.UPDATED: m.listed(changes.updated),
                m.DELETED: m.listed(changes.deleted),
                m.PLANNER: "hand",
                m.BACKUP: "",
                m.PREVIOUS: previous_replan(snapshot) or "",
                m.BRANCH: stamp.branch,
            },
        )
        edits = snapshot.differing
        return Draft(
            before=snapshot.at_head,
            after=snapshot.here,
            steps=(Step(message, edits),) if edits else (),
            notes=private_notes(snapshot, self.ref),
            is_adoption=True,
        )
