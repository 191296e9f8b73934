"""Which session a command is about."""

from typing import Final

from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, say
from gitwfp.files.codec import read_plan, unread_folder
from gitwfp.files.paths import (
    Survey,
    check_session_id,
    nearest_workspace,
    possible_sessions,
    session_at,
    shown_id,
    survey,
)
from gitwfp.files.tree import FileTree
from gitwfp.flows.env import Env
from gitwfp.git.program import to_bytes, to_text
from gitwfp.git.smallfiles import read_own, write_own
from gitwfp.model.plan import Place, SessionRef
from gitwfp.model.task import unpadded
from gitwfp.model.values import Value
from gitwfp.patterns import regex

_CHOICE: Final = "session"
_NO_SUCH: Final = frozenset({"session-not-found", "bad-session-id"})
_TIME: Final = regex(r"\d{4}-\d\d-\d\dT\d\d:\d\d")
_REPLAN_ID: Final = regex(r"([^/]+)/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:-\d+)?")


def sessions_here(env: Env, tree: FileTree) -> tuple[SessionRef, ...]:
    """Returns the sessions of the workspace nearest to where the user stands.

    What hides sessions, such as a link in the place of the workspace, is said.
    """
    return _survey_here(env, tree).sessions


def _survey_here(env: Env, tree: FileTree) -> Survey:
    found = survey(tree, workspace_here(env, tree))
    for entry in found.hiding:
        env.ui.warn(unread_folder(entry))
    return found


def workspace_here(env: Env, tree: FileTree) -> str:
    """Returns the `.workflow` folder that counts where the user stands."""
    return nearest_workspace(tree, env.repo.prefix)


def choose_session(env: Env, tree: FileTree, wanted: str | None, *, writing: bool) -> SessionRef:
    """Returns the session that a command is about.

    It is the one named; else the one in whose folder the user stands; else this worktree's
    choice (`git wfp use`); else the only active one. Where several are left, a person is asked;
    a command that only reads takes the most recently changed one and says so.

    Args:
        env: The surroundings.
        tree: Where the sessions are looked for.
        wanted: The session named by the user.
        writing: Whether the command changes the plan.

    Raises:
        Refusal: There is no such session, or several and nobody to ask (not found), or it is
            archived and may not be changed (plan refused).
    """
    ref = _chosen(env, tree, _survey_here(env, tree), wanted, writing=writing)
    if writing and ref.place is Place.ARCHIVED:
        raise Refusal(
            "session-archived",
            say("Session {session} is archived.", session=ref.id),
            ExitCode.REFUSED,
            hint=say("Unarchive it first."),
            location=Location(ref.folder, session=ref.id),
        )
    return ref


def choose_session_of_history(
    env: Env, tree: FileTree, rev: str | None, wanted: str | None, *, writing: bool
) -> SessionRef:
    """Returns the session whose history a command is about; see `choose_session`.

    Args:
        env: The surroundings.
        tree: Where the sessions are looked for.
        rev: The commit whose history is meant.
        wanted: The session named by the user; it may be gone by now.
        writing: Whether the command changes the plan.

    Raises:
        Refusal: See `choose_session`.
    """
    try:
        return choose_session(env, tree, wanted, writing=writing)
    except Refusal as refusal:
        known = refusal.code not in _NO_SUCH or wanted is None or rev is None
        gone = None if known else _gone_session(env, tree, rev or "", wanted or "")
        if gone is None:
            raise
        return gone


def session_of_replan(name: str | None) -> str | None:
    """Returns the session that a replan id names, None for anything else."""
    found = _REPLAN_ID.fullmatch(name or "")
    return None if found is None else found[1]


def session_of_commit(env: Env, rev: str) -> str | None:
    """Returns the one session whose files a commit changed, None for none or several."""
    try:
        commit = env.repo.resolve(rev)
    except Refusal as refusal:
        if refusal.code == "revision-not-found":
            return None
        raise
    from gitwfp.git.history import changed_paths, commit_info

    info = commit_info(env.repo, commit)
    tree = env.repo.commit_files(commit)
    workspace = workspace_here(env, tree)
    parent = next(iter(info.parents), None)
    changed = changed_paths(env.repo, parent, commit, workspace)
    found = {ref.id for c in changed if (ref := session_at(workspace, c.path)) is not None}
    return next(iter(found)) if len(found) == 1 else None


def remember_choice(env: Env, session: str) -> None:
    """Makes a session this worktree's choice.

    Raises:
        Refusal: The choice cannot be written (environment).
    """
    write_own(env.repo, _CHOICE, to_bytes(session + "\n"))


def remembered_choice(env: Env) -> str | None:
    """Returns this worktree's choice, None when there is none."""
    return to_text(read_own(env.repo, _CHOICE) or b"").removesuffix("\n") or None


def last_change(tree: FileTree, ref: SessionRef) -> str:
    """Returns the newest timestamp inside the session file, "" when there is none."""
    found: list[str] = []
    stack: list[Value] = list(read_plan(tree, ref).session.values())
    while stack:
        value = stack.pop()
        if isinstance(value, str) and _TIME.match(value):
            found.append(value)
        elif isinstance(value, tuple):
            stack.extend(value)
        elif isinstance(value, dict):
            stack.extend(value.values())
    return max(found, default="")


def _chosen(
    env: Env, tree: FileTree, found: Survey, wanted: str | None, *, writing: bool
) -> SessionRef:
    known = found.sessions
    if wanted is not None:
        return _named(known, wanted)
    standing = _standing_in(env, known)
    if standing is not None:
        return standing
    choice = remembered_choice(env)
    if choice is not None and any(ref.id == choice for ref in known):
        return _named(known, choice)
    real = [ref for ref in known if ref not in found.closed] or known
    active = [ref for ref in real if ref.place is Place.ACTIVE]
    candidates = active or [ref for ref in real if ref.place is Place.LITE]
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        if writing:
            from gitwfp.git.checks import check_ready

            # A workspace that no plan can be written to is the better reason.
            check_ready(env.repo, (workspace_here(env, tree),))
        raise _no_session(known)
    if not writing:
        newest = max(candidates, key=lambda ref: (last_change(tree, ref), ref.id))
        env.ui.warn(
            Diagnostic(
                "session-guessed",
                say("There are several sessions; this is the most recent, {id}.", id=newest.id),
                Severity.NOTE,
                Location(newest.folder, session=newest.id),
                say("Choose one for this worktree with git wfp use, or name it with --session."),
            )
        )
        return newest
    return _asked(env, candidates)


def _asked(env: Env, candidates: list[SessionRef]) -> SessionRef:
    if not env.ui.interactive:
        raise Refusal(
            "several-sessions",
            say("There are several sessions: {ids}.", ids=", ".join(r.id for r in candidates)),
            ExitCode.NOT_FOUND,
            hint=say("Name one with --session, or choose one with git wfp use."),
        )
    from gitwfp.flows.ui import Choice

    folder = env.ui.choose(
        say("Which session?"),
        tuple(Choice(ref.folder, say("{id}", id=ref.id)) for ref in candidates),
        default=candidates[0].folder,
        flag="--session",
    )
    return next(ref for ref in candidates if ref.folder == folder)


def _named(known: tuple[SessionRef, ...], wanted: str) -> SessionRef:
    for test in (shown_id, unpadded):
        fitting = [ref for ref in known if test(ref.id) == test(wanted)]
        living = [ref for ref in fitting if ref.place is not Place.ARCHIVED] or fitting
        if len(living) == 1:
            return living[0]
        if living:
            raise Refusal(
                "session-ambiguous",
                say("There is more than one session {id}.", id=wanted),
                ExitCode.NOT_FOUND,
                hint=say(
                    "They lie in: {folders}. Run the command inside the one you mean.",
                    folders=", ".join(ref.folder for ref in living),
                ),
            )
    check_session_id(wanted)
    raise Refusal(
        "session-not-found",
        say("There is no session {id}.", id=wanted),
        ExitCode.NOT_FOUND,
        hint=say("The sessions are: {ids}.", ids=", ".join(ref.id for ref in known))
        if known
        else say("There is no session at all; make one with git wfp start."),
    )


def _gone_session(env: Env, tree: FileTree, rev: str, wanted: str) -> SessionRef | None:
    """Returns the session of that id which commits below a revision had."""
    from gitwfp.git.history import plan_commits

    for ref in possible_sessions(wanted, workspace_here(env, tree)):
        if any(plan_commits(env.repo, rev, (ref.folder,), limit=1)):
            return ref
    return None


def _standing_in(env: Env, known: tuple[SessionRef, ...]) -> SessionRef | None:
    prefix = env.repo.prefix.rstrip("/")
    inside = [ref for ref in known if prefix == ref.folder or prefix.startswith(ref.folder + "/")]
    deepest = max(inside, key=lambda ref: len(ref.folder), default=None)
    return None if deepest is not None and deepest.folder == deepest.workspace else deepest


def _no_session(known: tuple[SessionRef, ...]) -> Refusal:
    archived = ", ".join(ref.id for ref in known)
    hint = say('Make one: git wfp start "what you want to achieve".')
    if archived:
        hint = say("Make one with git wfp start. Archived are: {ids}.", ids=archived)
    return Refusal(
        "no-active-session",
        say("There is no active session."),
        ExitCode.NOT_FOUND,
        hint=hint,
    )
