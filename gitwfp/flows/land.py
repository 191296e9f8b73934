"""Land: a what-if branch reaches the branch that is checked out."""

from collections.abc import Iterable, Iterator, Mapping

from gitwfp.change.changeset import ChangeSet, between
from gitwfp.change.kinds import sentence
from gitwfp.change.merge import Conflict, Merged, Rules, Side, merge
from gitwfp.classes import dataclass, replace
from gitwfp.errors import Diagnostic, ExitCode, Refusal, Severity, say
from gitwfp.files.bookkeeping import is_bookkeeping_line, set_counts
from gitwfp.files.codec import read_plan
from gitwfp.files.tree import FileEdits
from gitwfp.files.writing import plan_edits
from gitwfp.flows.branch import WhatIf, brought, what_if
from gitwfp.flows.change import carry_out
from gitwfp.flows.conflicts import conflict_line, conflict_refusal
from gitwfp.flows.env import Env
from gitwfp.flows.history import as_checked_out, plans_at, replans_of
from gitwfp.flows.names import Stamp
from gitwfp.flows.snapshot import Snapshot
from gitwfp.flows.whatif import Landed, commits_beyond, open_what_ifs, picked_from
from gitwfp.flows.whole import Way, taken_whole, with_edits
from gitwfp.flows.work import Draft, Options, Outcome, Step
from gitwfp.git.history import (
    CommitInfo,
    changed_paths,
    commit_info,
    is_ancestor,
)
from gitwfp.git.publish import worktree_form
from gitwfp.model.plan import Plan, SessionRef
from gitwfp.policy import message as m
from gitwfp.policy.names import as_argument


def land(env: Env, branches: tuple[str, ...], prefer: Side | None, options: Options) -> Outcome:
    """Brings the replans of branches onto the branch that is checked out: all of them, or none.

    Where one branch simply continues HEAD, its commits land as they are; else each of them is
    made again on the plan as it is now, by a plan-aware merge, one branch after the other.

    Args:
        env: The surroundings.
        branches: The branches, or any revisions; at least one.
        prefer: The side that decides conflicts, if one was named.
        options: How it is carried out.

    Raises:
        Refusal: A branch changes more than plans, or they change more than one session, or
            conflict with the plan or with each other.
    """
    env.begin_writing()
    head = env.repo.head().commit
    found = [what_if(env, branch, head) for branch in dict.fromkeys(branches)]
    refs = {one.ref for one in found}
    if len(refs) > 1:
        raise Refusal(
            "not-one-session",
            say("The branches change more than one session."),
            ExitCode.REFUSED,
            hint=say("Land them session by session: {ids}.", ids=", ".join(r.id for r in refs)),
        )
    ref = found[0].ref
    outcome = carry_out(env, ref, _Land(ref, tuple(found), prefer), options)
    # What lands keeps the id that it was made under, and is taken back by that.
    new = brought(env, found, head, Landed(env, ref, head))
    lists = [infos for infos in new.values() if infos]
    newest = lists[-1][0] if lists else commit_info(env.repo, found[-1].tip)
    replan = newest.trailers.get(m.REPLAN, (newest.id,))[-1]
    landed = [info for infos in lists for info in infos]
    return replace(
        outcome,
        stamp=replace(outcome.stamp, replan=replan),
        back=f"--to {head}" if len(landed) > 1 else None,
        notices=(*outcome.notices, *(_by_hand(landed) if len(landed) > 1 else ())),
    )


def _by_hand(landed: Iterable[CommitInfo]) -> Iterator[Diagnostic]:
    """Yields a note for every commit that lands beside replans without being one."""
    for info in landed:
        if not replans_of(info):
            yield Diagnostic(
                "landed-by-hand",
                say(
                    "{commit} is no replan and lands too: {subject}",
                    commit=info.id[:12],
                    subject=info.subject,
                ),
                Severity.NOTE,
                hint=say("git wfp rollback {commit} takes it back.", commit=info.id[:12]),
            )


@dataclass(frozen=True, slots=True)
class _Land:
    ref: SessionRef
    what_ifs: tuple[WhatIf, ...]
    prefer: Side | None
    kind: str = "land"
    takes_edits: bool = False

    def draft(self, env: Env, snapshot: Snapshot, stamp: Stamp) -> Draft:
        head = snapshot.head.commit
        here = Landed(env, self.ref, head)
        new = brought(env, self.what_ifs, head, here)
        notes = tuple(
            note for one in new if (note := _landed_already(env, one, head, here)) is not None
        )
        missing = [one for one, commits in new.items() if commits]
        if not missing:
            return Draft(before=snapshot.here, after=snapshot.here, steps=(), notes=notes)
        first = missing[0]
        if self._goes_on(env, head, missing, new[first]):
            draft = self._forward(env, snapshot, first.tip, new[first][0])
        else:
            draft = self._again(env, snapshot, {one: new[one][::-1] for one in missing}, stamp)
        overlaps = tuple(self._overlaps(env, draft.after))
        return replace(draft, notes=(*draft.notes, *notes, *overlaps))

    def _goes_on(
        self, env: Env, head: str | None, missing: list[WhatIf], new: list[CommitInfo]
    ) -> bool:
        """Tells whether one branch continues HEAD and has nothing that landed in another form."""
        tip = missing[0].tip
        if len(missing) > 1 or head is None or not is_ancestor(env.repo, head, tip):
            return False
        return len(new) == len(commits_beyond(env, self.ref, head, tip))

    def _overlaps(self, env: Env, after: Plan) -> Iterator[Diagnostic]:
        """Yields a note for every other what-if that could not land any more after this."""
        landing = {one.tip for one in self.what_ifs}
        for other in open_what_ifs(env, self.ref):
            if any(is_ancestor(env.repo, other.tip, mine) for mine in landing):
                continue
            met = [
                conflict_line(self.ref, conflict)
                for conflict in self._stacked(env, after, other.commits[::-1]).conflicts
            ]
            if met:
                yield Diagnostic(
                    "what-ifs-overlap",
                    say(
                        "{branch} waits too, and overlaps: {what}",
                        branch=other.branch,
                        what=met[0].message,
                    ),
                    Severity.NOTE,
                    met[0].location,
                )

    def _forward(self, env: Env, snapshot: Snapshot, tip: str, newest: CommitInfo) -> Draft:
        limit = env.settings.limits.file_bytes
        head = snapshot.head.commit or ""
        after = read_plan(env.repo.commit_files(tip, limit), self.ref, companions=True)
        edits: dict[str, bytes | None] = {
            changed.path: None
            if changed.after is None
            else worktree_form(env.repo, changed.path, changed.after)
            for changed in changed_paths(env.repo, head, tip, self.ref.folder)
        }
        message = m.Message(newest.subject, (), {})
        return Draft(snapshot.here, after, (Step(message, edits, made=tip),))

    def _again(
        self,
        env: Env,
        snapshot: Snapshot,
        commits: Mapping[WhatIf, list[CommitInfo]],
        stamp: Stamp,
    ) -> Draft:
        start = plan = snapshot.here
        firm: FileEdits = {}
        held: FileEdits = {}
        steps: list[Step] = []
        refused: list[Diagnostic] = []
        for one, info in ((one, info) for one, infos in commits.items() for info in infos):
            base, theirs = plans_at(env, self.ref, info)
            like = as_checked_out(env, theirs, info.id, snapshot.head.commit)
            way = Way(next(iter(info.parents), None), info.id, base, theirs)
            taken: FileEdits = {}
            if way.unreadable:
                whole = taken_whole(env, snapshot, plan, way, held)
                base, theirs, taken = whole.base, whole.theirs, whole.edits
                firm = {**held, **taken}
                start = plan = with_edits(env, plan, firm)
            merged = merge(
                base, plan, theirs, Rules(is_bookkeeping_line, set_counts, prefer=self.prefer)
            )
            if merged.conflicts:
                raise self._cannot_land(env, snapshot, commits, one, merged.conflicts)
            changes = between(plan, merged.plan)
            if not taken and not changes:
                continue
            message = _message_again(info, stamp)
            if self.prefer is Side.OURS and _is_contested(base, plan, theirs):
                if not taken and not changes.of_intent:
                    refused.append(_refused(info))
                    continue
                message = _message_of_the_rest(env, message, changes)
            edits = {**firm, **plan_edits(start, merged.plan, like=like)}
            steps.append(Step(message, _since(snapshot.here, held, edits)))
            held = edits
            plan = replace(merged.plan, source=start.source)
        return Draft(
            before=snapshot.here,
            after=plan,
            steps=tuple(steps),
            notes=tuple(refused),
            asks_for_yes=self.prefer is not None and bool(steps),
        )

    def _cannot_land(
        self,
        env: Env,
        snapshot: Snapshot,
        commits: Mapping[WhatIf, list[CommitInfo]],
        one: WhatIf,
        conflicts: tuple[Conflict, ...],
    ) -> Refusal:
        """Returns the refusal that names what stands in the way: the plan, or another branch."""
        plan = snapshot.here
        for other, infos in commits.items():
            if other is one or self._stacked(env, plan, commits[one]).conflicts:
                break
            plan = self._stacked(env, plan, infos).plan
            if self._stacked(env, plan, commits[one]).conflicts:
                return conflict_refusal(
                    self.ref,
                    conflicts,
                    say(
                        "{branch} and {other} cannot land together: they contradict each other.",
                        branch=one.branch,
                        other=other.branch,
                    ),
                    say(
                        "Nothing was written. Land one of the two only, or decide with --ours "
                        "(keep what {other} brings) or --theirs.",
                        other=other.branch,
                    ),
                )
        is_id_taken = any(c.task and not c.field and c.base is None for c in conflicts)
        return conflict_refusal(
            self.ref,
            conflicts,
            say("{branch} cannot land: the plan changed since.", branch=one.branch),
            say(
                "Nothing was written. Another task has taken the id of its new one: to have "
                "both, drop {branch} and replan it anew. --ours keeps the task that is here, "
                "--theirs puts the other in its place.",
                branch=one.branch,
            )
            if is_id_taken
            else None,
        )

    def _stacked(self, env: Env, plan: Plan, infos: Iterable[CommitInfo]) -> Merged:
        """Returns a plan with some commits made again on it."""
        conflicts: list[Conflict] = []
        for info in infos:
            base, theirs = plans_at(env, self.ref, info)
            merged = merge(
                base, plan, theirs, Rules(is_bookkeeping_line, set_counts, prefer=self.prefer)
            )
            plan = merged.plan
            conflicts += merged.conflicts
        return Merged(plan, tuple(conflicts))


def _is_contested(base: Plan, ours: Plan, theirs: Plan) -> bool:
    """Tells whether two descendants of a plan contradict each other."""
    return bool(merge(base, ours, theirs, Rules(is_bookkeeping_line, set_counts)).conflicts)


def _refused(info: CommitInfo) -> Diagnostic:
    return Diagnostic(
        "kept-as-it-is",
        say("{name} does not land: --ours keeps all that it would change.", name=_name(info)),
        Severity.NOTE,
        hint=say("--theirs lands it, and takes back what stands against it."),
    )


def _name(info: CommitInfo) -> str:
    return info.trailers.get(m.REPLAN, (info.id[:12],))[-1]


def _message_of_the_rest(env: Env, message: m.Message, changes: ChangeSet) -> m.Message:
    """Returns the message of a commit of which only a part lands: it says what that part is."""
    return replace(
        message,
        sentences=tuple(env.words(sentence(change)) for change in changes.of_intent.changes),
        trailers={
            **message.trailers,
            m.ADDED: m.listed(changes.added),
            m.UPDATED: m.listed(changes.updated),
            m.DELETED: m.listed(changes.deleted),
        },
        note="",
    )


def _since(plan: Plan, held: FileEdits, edits: FileEdits) -> FileEdits:
    """Returns what some edits of a plan's files add to earlier ones, or take back of them."""
    fresh = {path: data for path, data in edits.items() if path not in held or held[path] != data}
    files = {**plan.source.files, **plan.others}
    return {**{path: files.get(path) for path in held.keys() - edits.keys()}, **fresh}


def _landed_already(env: Env, one: WhatIf, head: str | None, here: Landed) -> Diagnostic | None:
    """Returns the note that nothing of a branch is new, or that a part of it was taken back."""
    beyond = commits_beyond(env, one.ref, head, one.tip)
    landed = [info for info in beyond if here.holds(info)]
    if not beyond:
        landed = [commit_info(env.repo, one.tip)]
    by = next((by for info in landed if (by := here.taken_back_by(info)) is not None), None)
    if by is not None:
        return Diagnostic(
            "landed-already",
            say("{branch} landed already, and {by} took it back.", branch=one.branch, by=by),
            Severity.NOTE,
            hint=say(
                "To have it again, take that back: git wfp rollback {by}.", by=as_argument(by)
            ),
        )
    if len(landed) < len(beyond):
        return None
    return Diagnostic(
        "landed-already",
        say("{branch} has nothing that is not here already.", branch=one.branch),
        Severity.NOTE,
    )


def _message_again(info: CommitInfo, stamp: Stamp) -> m.Message:
    """Returns a commit's message for the commit that is made from it: same id, new branch."""
    trailers = {key: ", ".join(values) for key, values in info.trailers.items()}
    trailers[m.BACKUP] = ""
    trailers[m.BRANCH] = stamp.branch
    body = _without_trailers(info)
    if not replans_of(info):
        body = f"{body}\n\n{picked_from(info)}".strip()
    return m.Message(info.subject, (), trailers, note=body)


def _without_trailers(info: CommitInfo) -> str:
    paragraphs = info.body.strip().split("\n\n")
    if info.trailers and paragraphs and m.SESSION in paragraphs[-1]:
        paragraphs = paragraphs[:-1]
    return "\n\n".join(paragraphs)
