"""Looks at the plans: their folder, what hides or converts them, sessions, settings."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from gitwfp.errors import Diagnostic, Location, say, say_n
from gitwfp.files.codec import read_plan
from gitwfp.files.paths import (
    WORKFLOW,
    FileKind,
    find_sessions,
    find_workspaces,
    inside_of,
    kind_of,
)
from gitwfp.files.tree import EntryKind, FileTree
from gitwfp.flows.doctor.check import Check, Fix, Grade, from_diagnostic
from gitwfp.flows.env import Env
from gitwfp.flows.init import hidden_notice
from gitwfp.flows.sessions import workspace_here
from gitwfp.git.conversion import Rules, rules_for
from gitwfp.git.ignores import exception_for, hiding_rule
from gitwfp.model.plan import Place, SessionRef

_MOST_SHOWN: Final = 20
_USUAL_FILES: Final = ("workflow-session.json", "IMPL_PLAN.md", ".task/IMPL-1.json")


def settings(told: Sequence[Diagnostic]) -> Iterator[Check]:
    """Looks at what reading the settings has brought up."""
    expected = say("Every setting is known and has a value that it can have.")
    why = say("A setting that is not understood has no effect, or keeps commands from running.")
    for diagnostic in told:
        yield from_diagnostic("settings", diagnostic, expected, why)
    if not told:
        yield Check("settings", Grade.OK, say("All settings are understood."), expected, why)


def workspace(env: Env) -> Iterator[Check]:
    """Looks at the folder of the plans."""
    folder = _folder(env)
    expected = say("{folder} is a folder of this repository.", folder=folder)
    why = say("Plans are only written into a real folder.")
    if env.repo.top is None:
        observed = say("There is no worktree here, so plans are read from commits only.")
        yield Check("workspace", Grade.NOTE, observed, expected, why)
        return
    kind = env.repo.workflow_kind(folder)
    if kind == "folder":
        observed = say("Plans are in {folder}.", folder=folder)
        yield Check("workspace", Grade.OK, observed, expected, why)
    elif kind == "absent":
        yield Check(
            "workspace",
            Grade.NOTE,
            say("There is no {folder} yet.", folder=folder),
            expected,
            why,
            say("git wfp init makes it, and so does the first git wfp start."),
        )
    else:
        yield Check(
            "workspace",
            Grade.ERROR,
            say("{folder} is no folder but a {kind}.", folder=folder, kind=kind),
            expected,
            why,
            say("Go to the repository that really holds the plans, or give that another name."),
            Location(folder),
        )


def ignore_rules(env: Env) -> Iterator[Check]:
    """Looks for ignore rules that hide plans from git."""
    if env.repo.top is None or env.repo.workflow_kind(_folder(env)) not in ("folder", "absent"):
        return
    expected = say("No ignore rule hides plans.")
    why = say("Git does not commit what it ignores, so plans are not changed there.")
    rule = hiding_rule(env.repo, _folder(env))
    if rule is None:
        yield Check("ignore-rules", Grade.OK, say("Git sees the plans."), expected, why)
        return
    remedy = exception_for(env.repo, _folder(env), rule, "")
    told = hidden_notice(_folder(env), rule, remedy)
    yield Check(
        "ignore-rules",
        Grade.ERROR,
        told.message,
        expected,
        why,
        told.hint,
        told.location,
        Fix.IGNORE if remedy is not None else None,
    )


def attributes(env: Env) -> Iterator[Check]:
    """Looks for attributes by which git stores plan files otherwise than they are."""
    if env.repo.top is None:
        return
    tree = env.repo.worktree_files(env.settings.limits.file_bytes)
    usual = [f"{_folder(env)}/active/WFS-any/{name}" for name in _USUAL_FILES]
    rules = rules_for(env.repo, dict.fromkeys([*usual, *_plan_files(tree, _folder(env))]))
    expected = say("Git stores plan files as they are.")
    why = say("A filter or an encoding can make a commit that another computer reads otherwise.")
    filtered = _named(rules, usual, lambda rule: rule.program)
    expanded = _named(rules, usual, lambda rule: rule.ident)
    converted = _named(rules, usual, lambda rule: rule.eol is not None)
    if filtered is not None:
        yield Check(
            "attributes",
            Grade.WARNING,
            say("A filter or an encoding is set for plan files, as for {path}.", path=filtered),
            expected,
            why,
            say("Take plan files out of it in {file}.", file=f"{_folder(env)}/.gitattributes"),
            Location(filtered),
        )
    if expanded is not None:
        yield Check(
            "attributes",
            Grade.NOTE,
            say("Git expands $Id$ in plan files, as in {path}.", path=expanded),
            expected,
            why,
            location=Location(expanded),
        )
    if converted is not None:
        yield Check(
            "attributes",
            Grade.NOTE,
            say("Git converts line endings of plan files, as of {path}.", path=converted),
            expected,
            say("This does no harm; a replan writes the endings that a checkout would."),
            location=Location(converted),
        )
    if filtered is expanded is converted is None:
        observed = say("Plan files are stored as they are.")
        yield Check("attributes", Grade.OK, observed, expected, why)


def sessions(env: Env) -> Iterator[Check]:
    """Looks at every session of every workspace: whether it can be understood, and its id."""
    tree = _tree(env)
    # One walk: the tree may be large.
    spaces = find_workspaces(tree)
    expected = say("Every plan file can be read.")
    why = say("What cannot be understood is not shown, and not changed.")
    found = [ref for space in spaces for ref in find_sessions(tree, space)]
    problems = [(ref, problem) for ref in found for problem in read_plan(tree, ref).problems]
    for _, problem in problems[:_MOST_SHOWN]:
        yield from_diagnostic("sessions", problem, expected, why)
    if len(problems) > _MOST_SHOWN:
        more = say_n(
            "{count} more thing is not understood.",
            "{count} more things are not understood.",
            len(problems) - _MOST_SHOWN,
        )
        yield Check("sessions", Grade.WARNING, more, expected, why)
    for entry in (e for space in spaces for e in tree.entries(space)):
        if entry.kind is EntryKind.OTHER:
            yield Check(
                "sessions",
                Grade.WARNING,
                say("{path} cannot be read.", path=entry.path),
                expected,
                why,
                say("Check its permissions."),
                Location(entry.path),
            )
    if not problems:
        observed = say_n("{count} session is read.", "{count} sessions are read.", len(found))
        yield Check("sessions", Grade.OK, observed, expected, why)
    yield from _shared_ids(found)


def _shared_ids(found: Sequence[SessionRef]) -> Iterator[Check]:
    expected = say("A session's id is in one place only.")
    why = say("A command that is given the id cannot know which of them is meant.")
    places: dict[tuple[str, str], list[str]] = {}
    for ref in found:
        if ref.place is not Place.ARCHIVED:
            places.setdefault((ref.workspace, ref.id), []).append(ref.folder)
    twice = {key: folders for key, folders in places.items() if len(folders) > 1}
    for (_, session), folders in sorted(twice.items()):
        yield Check(
            "session-ids",
            Grade.WARNING,
            say(
                "Session {session} lies in {folders}.",
                session=session,
                folders=", ".join(folders),
            ),
            expected,
            why,
            say("Give one of them another name, or archive it."),
            Location(folders[0], session=session),
        )
    if not twice:
        yield Check("session-ids", Grade.OK, say("Every id is used once."), expected, why)


def _folder(env: Env) -> str:
    return WORKFLOW if env.repo.top is None else workspace_here(env, _tree(env))


def _tree(env: Env) -> FileTree:
    limit = env.settings.limits.file_bytes
    if env.repo.top is None:
        return env.repo.commit_files(env.repo.head().commit, limit)
    return env.repo.worktree_files(limit)


def _plan_files(tree: FileTree, folder: str) -> Iterator[str]:
    for ref in find_sessions(tree, folder):
        for entry in tree.entries(ref.folder):
            if kind_of(inside_of(ref, entry.path)) is FileKind.PLAN:
                yield entry.path


def _named(
    rules: Mapping[str, Rules], usual: Sequence[str], holds: Callable[[Rules], bool]
) -> str | None:
    """Returns a path that a rule holds for, one that is really there before a usual one."""
    found = [path for path, rule in rules.items() if holds(rule)]
    real = [path for path in found if path not in usual]
    return next(iter(real or found), None)
