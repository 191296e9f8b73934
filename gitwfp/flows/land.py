"""Land: a what-if branch reaches the branch that is checked out."""

from dataclasses import dataclass, replace
from typing import Final

from gitwfp.change.changeset import between
from gitwfp.change.merge import Rules, Side, merge
from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, say
from gitwfp.files.bookkeeping import is_bookkeeping_line
from gitwfp.files.codec import read_plan
from gitwfp.files.paths import WORKFLOW, find_workspaces, is_safe_path, session_at
from gitwfp.files.tree import FileEdits
from gitwfp.files.writing import plan_edits
from gitwfp.flows.change import carry_out
from gitwfp.flows.env import Env
from gitwfp.flows.history import as_checked_out, plans_at
from gitwfp.flows.names import Stamp
from gitwfp.flows.snapshot import Snapshot
from gitwfp.flows.undo import conflict_refusal
from gitwfp.flows.work import Draft, Options, Outcome, Step
from gitwfp.git.history import (
    CommitInfo,
    changed_paths,
    commit_info,
    is_ancestor,
    merge_base,
    plan_commits,
)
from gitwfp.git.publish import worktree_form
from gitwfp.model.plan import SessionRef
from gitwfp.policy import message as m

_PLAIN: Final = (0, 0o100644, 0o100755)
"""Modes of what may land: nothing any more, a file."""


def land(env: Env, branch: str, prefer: Side | None, options: Options) -> Outcome:
    """Brings the replans of a branch onto the branch that is checked out.

    Where the branch simply continues HEAD, its commits land as they are; else each of them is
    made again on the plan as it is now, by a plan-aware merge.

    Args:
        env: The surroundings.
        branch: The branch, or any revision.
        prefer: The side that decides conflicts, if one was named.
        options: How it is carried out.

    Raises:
        Refusal: The branch changes more than plans, or more than one session, or conflicts.
    """
    env.begin_writing()
    tip = env.repo.resolve(branch)
    head = env.repo.head().commit
    base = merge_base(env.repo, head, tip) if head is not None else None
    if base is None:
        raise Refusal(
            "no-common-history",
            say("{branch} has no history in common with HEAD.", branch=branch),
            ExitCode.REFUSED,
            hint=say("Only a branch that was made from this one can land."),
        )
    # What has landed already still says by its last commit which session it was about.
    since = base if base != tip else next(iter(commit_info(env.repo, tip).parents), None)
    ref = _one_session(env, since, tip, branch)
    outcome = carry_out(env, ref, _Land(ref, branch, tip, prefer), options)
    # What lands keeps the id that it was made under, and is taken back by that.
    replan = commit_info(env.repo, tip).trailers.get(m.REPLAN, (tip,))[-1]
    landed = sum(1 for _ in plan_commits(env.repo, tip, (ref.folder,), since=base))
    return replace(
        outcome,
        stamp=replace(outcome.stamp, replan=replan),
        back=f"--to {head}" if landed > 1 else None,
    )


@dataclass(frozen=True, slots=True)
class _Land:
    ref: SessionRef
    branch: str
    tip: str
    prefer: Side | None
    kind: str = "land"
    takes_edits: bool = False

    def draft(self, env: Env, snapshot: Snapshot, stamp: Stamp) -> Draft:
        head = snapshot.head.commit
        landed = Diagnostic(
            "landed-already",
            say("{branch} has nothing that is not here already.", branch=self.branch),
            Severity.NOTE,
        )
        nothing = Draft(before=snapshot.here, after=snapshot.here, steps=(), notes=(landed,))
        if head is None or is_ancestor(env.repo, self.tip, head):
            return nothing
        base = merge_base(env.repo, head, self.tip)
        commits = [
            info
            for info in plan_commits(env.repo, self.tip, (self.ref.folder,), since=base)
            if len(info.parents) == 1
        ]
        if not commits:
            return nothing
        if base == head:
            return self._forward(env, snapshot, commits[0])
        return self._again(env, snapshot, list(reversed(commits)), stamp)

    def _forward(self, env: Env, snapshot: Snapshot, newest: CommitInfo) -> Draft:
        limit = env.settings.limits.file_bytes
        head = snapshot.head.commit or ""
        after = read_plan(env.repo.commit_files(self.tip, limit), self.ref, companions=True)
        edits: dict[str, bytes | None] = {
            changed.path: None
            if changed.after is None
            else worktree_form(env.repo, changed.path, changed.after)
            for changed in changed_paths(env.repo, head, self.tip, self.ref.folder)
        }
        message = m.Message(newest.subject, (), {})
        return Draft(snapshot.here, after, (Step(message, edits, made=self.tip),))

    def _again(
        self, env: Env, snapshot: Snapshot, commits: list[CommitInfo], stamp: Stamp
    ) -> Draft:
        plan = snapshot.here
        held: FileEdits = {}
        steps: list[Step] = []
        for info in commits:
            base, theirs = plans_at(env, self.ref, info)
            merged = merge(base, plan, theirs, Rules(is_bookkeeping_line, prefer=self.prefer))
            if merged.conflicts:
                raise conflict_refusal(
                    self.ref,
                    merged.conflicts,
                    say("{branch} cannot land: the plan changed since.", branch=self.branch),
                )
            if not between(plan, merged.plan):
                continue
            like = as_checked_out(env, theirs, info.id, snapshot.head.commit)
            edits = plan_edits(snapshot.here, merged.plan, like=like)
            fresh = {path: data for path, data in edits.items() if held.get(path) != data}
            held = edits
            steps.append(Step(_message_again(info, stamp), fresh))
            plan = replace(merged.plan, source=snapshot.here.source)
        return Draft(
            before=snapshot.here,
            after=plan,
            steps=tuple(steps),
            asks_for_yes=self.prefer is not None,
        )


def _message_again(info: CommitInfo, stamp: Stamp) -> m.Message:
    """Returns a commit's message for the commit that is made from it: same id, new branch."""
    trailers = {key: ", ".join(values) for key, values in info.trailers.items()}
    trailers[m.BACKUP] = ""
    trailers[m.BRANCH] = stamp.branch
    body = _without_trailers(info)
    return m.Message(info.subject, (), trailers, note=body)


def _without_trailers(info: CommitInfo) -> str:
    paragraphs = info.body.strip().split("\n\n")
    if info.trailers and paragraphs and m.SESSION in paragraphs[-1]:
        paragraphs = paragraphs[:-1]
    return "\n\n".join(paragraphs)


def _one_session(env: Env, base: str | None, tip: str, branch: str) -> SessionRef:
    items = tuple(changed_paths(env.repo, base, tip, ""))
    changed = [item.path for item in items]
    odd = [i.path for i in items if not is_safe_path(i.path) or i.after_mode not in _PLAIN]
    if odd:
        raise Refusal(
            "branch-has-odd-files",
            say(
                "{branch} has something that is not a plain file: {path}.",
                branch=branch,
                path=odd[0],
            ),
            ExitCode.REFUSED,
            hint=say("Look at the branch with git before you use anything of it."),
            location=Location(odd[0]),
        )
    foreign = [path for path in changed if WORKFLOW not in path.split("/")[:-1]]
    if foreign:
        raise Refusal(
            "branch-has-code",
            say("{branch} changes more than plans: {path}.", branch=branch, path=foreign[0]),
            ExitCode.REFUSED,
            hint=say("Merge it with git merge."),
            location=Location(foreign[0]),
        )
    tree = env.repo.commit_files(tip)
    refs: dict[str, SessionRef] = {}
    for workspace in find_workspaces(tree):
        for path in changed:
            if path.startswith(workspace + "/"):
                ref = session_at(workspace, path)
                if ref is not None:
                    refs.setdefault(ref.folder, ref)
    if len(refs) != 1:
        raise Refusal(
            "not-one-session",
            say("{branch} does not change exactly one session.", branch=branch),
            ExitCode.REFUSED,
            hint=say("Sessions concerned: {ids}.", ids=", ".join(r.id for r in refs.values()))
            if refs
            else say("It changes none; there is nothing to land."),
        )
    return next(iter(refs.values()))
