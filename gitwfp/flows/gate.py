"""The gates: a push, or a range of commits, is judged by the plans in its commits alone.

What counts is the commit that is pushed; the worktree is never looked at. The settings are those
of what the other side has already, so that no push can weaken the gate that it has to pass.
"""

from collections.abc import Iterator, Mapping, Sequence

from gitwfp.classes import dataclass, field, replace
from gitwfp.config import Settings, load
from gitwfp.config.reading import FILE_NAME
from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, say
from gitwfp.flows.env import Env
from gitwfp.flows.judgement import Judgement, Outcome, Verdict
from gitwfp.flows.records import Records
from gitwfp.git import pushes
from gitwfp.git.history import is_ancestor, merge_base
from gitwfp.git.pushes import Update
from gitwfp.policy.names import BRANCHES as WHAT_IFS

BRANCHES = "refs/heads/"
_PRIVATE = ("refs/notes/", "refs/wfp/")
"""Refs that hold records and backups, and no plan that anybody works by."""


def pre_push(env: Env, remote: str, data: bytes) -> tuple[Verdict, ...]:
    """Judges a push before it goes.

    Args:
        env: The surroundings.
        remote: The name of the remote, or its address.
        data: What git writes to the hook.

    Raises:
        Refusal: Git did not write that (environment).
    """
    updates = pushes.pre_push_updates(data)
    known = pushes.refs_of_remote(env.repo, remote)
    return _verdicts(env, updates, known)


def by_variables(env: Env, environ: Mapping[str, str]) -> tuple[Verdict, ...]:
    """Judges a push of which pre-commit tells in the environment; see `pre_push`.

    Args:
        env: The surroundings.
        environ: The environment.

    Raises:
        Refusal: It says nothing of a push (usage), or names no commit (not found).
    """
    tip = environ.get("PRE_COMMIT_TO_REF") or environ.get("PRE_COMMIT_LOCAL_BRANCH")
    if not tip:
        raise Refusal(
            "no-push",
            say("Nothing says what is pushed."),
            ExitCode.USAGE,
            hint=say("A pre-push hook calls git wfp gate pre-push REMOTE URL with git's lines."),
        )
    old = environ.get("PRE_COMMIT_FROM_REF")
    update = Update(
        environ.get("PRE_COMMIT_REMOTE_BRANCH") or tip,
        env.repo.resolve(tip),
        env.repo.resolve(old) if old else None,
    )
    known = pushes.refs_of_remote(env.repo, environ.get("PRE_COMMIT_REMOTE_NAME", ""))
    return _verdicts(env, (update,), known)


def pre_receive(env: Env, data: bytes) -> tuple[Verdict, ...]:
    """Judges a push where it arrives; see `pre_push`."""
    updates = pushes.pre_receive_updates(data)
    known = tuple(set(env.repo.refs("refs/heads/").values()))
    return _verdicts(env, updates, known)


def commit_range(env: Env, base: str, tip: str) -> tuple[Verdict, ...]:
    """Judges what one commit has more than another.

    Args:
        env: The surroundings.
        base: The commit that the settings are taken from, as any revision.
        tip: The commit that is judged, as any revision.

    Raises:
        Refusal: There is no such commit (not found).
    """
    old, new = env.repo.resolve(base), env.repo.resolve(tip)
    fork = None if is_ancestor(env.repo, old, new) else merge_base(env.repo, old, new)
    return _verdicts(env, (Update(tip, new, old),), (), fork)


def _verdicts(
    env: Env,
    updates: Sequence[Update],
    known: tuple[str, ...],
    fork: str | None = None,
) -> tuple[Verdict, ...]:
    records = Records(env, reads=_believes(env))
    found = tuple(_Gate(env, known, records, fork).verdicts(updates))
    told = records.keep()
    if told and found:
        found = (*found[:-1], replace(found[-1], notices=(*found[-1].notices, *told)))
    return found


def _believes(env: Env) -> bool:
    """Tells whether records count: in a bare repository only where git's configuration says so."""
    name = "wfp.gate.trustrecords"
    if env.repo.top is None:
        return env.repo.config().get_bool(name)
    return env.settings.gate.trust_records


def is_lenient(env: Env, base: str | None = None) -> bool:
    """Tells whether what cannot be judged is let through, with a warning.

    Args:
        env: The surroundings.
        base: The commit whose settings count; None for git's configuration alone.
    """
    try:
        toml = None if base is None else settings_file(env, base)
        return settings_by(env, toml).gate.on_error == "warn"
    except Refusal:
        return False


def settings_by(env: Env, toml: bytes | None) -> Settings:
    """Returns the settings that a file and git's configuration make.

    Raises:
        Refusal: They cannot be understood.
    """
    return load(toml, env.repo.config().below("wfp"), env.repo.git.environ).settings


def settings_file(env: Env, commit: str) -> bytes | None:
    """Returns the settings file of a commit, None if it has none."""
    try:
        return env.repo.commit_files(commit).read(FILE_NAME)
    except KeyError:
        return None


@dataclass(slots=True)
class _Gate:
    """Judges the refs of one push.

    Attributes:
        env: The surroundings.
        known: Commits that the other side has.
        records: What is known already, and takes what is found.
        fork: Where the plan is compared from, if that is not the old commit.
        done: What was made of a commit, by commit and base.
    """

    env: Env
    known: tuple[str, ...]
    records: Records
    fork: str | None = None
    done: dict[tuple[str, tuple[str, ...]], Verdict] = field(default_factory=dict)

    def verdicts(self, updates: Sequence[Update]) -> Iterator[Verdict]:
        """Yields one verdict for each ref, in git's order."""
        ids = [one for update in updates for one in (update.new, update.old) if one is not None]
        commits = pushes.commits_of(self.env.repo, ids) if ids else {}
        for update in updates:
            try:
                yield self._verdict(update, commits)
            except Refusal as refusal:
                base = None if update.old is None else commits.get(update.old)
                yield _unjudged(update, refusal, lenient=is_lenient(self.env, base))

    def _verdict(self, update: Update, commits: Mapping[str, str]) -> Verdict:
        if update.new is None:
            return Verdict(update, Outcome.DELETED)
        if update.ref.startswith(_PRIVATE):
            return Verdict(update, Outcome.PRIVATE)
        commit = commits.get(update.new)
        if commit is None:
            if not pushes.is_here(self.env.repo, update.new):
                raise _missing(update)
            return Verdict(update, Outcome.NO_COMMIT, notices=(_no_commit(update),))
        old = None if update.old is None else commits.get(update.old)
        base, nearest = self._base(commit, old, is_new=update.old is None)
        env, notices = self._with_settings(commit, nearest)
        known = self.done.get((commit, base))
        if known is None:
            known = Judgement(env, commit, base, self.fork, self.records).verdict(update)
            known = replace(known, notices=(*notices, *known.notices))
            self.done[commit, base] = known
        return _with_what_if(env, replace(known, update=update))

    def _base(
        self, commit: str, old: str | None, *, is_new: bool
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Returns the commits that a pushed one is held against, and those that settings are from.

        It is what the ref leads to now. For a new ref they are the nearest commits that the
        other side has. A new ref that adds no commit to them, and one whose own commit was never
        fetched, are judged whole: nobody here knows what it led to.
        """
        if old is not None:
            return (old,), (old,)
        if not self.known:
            return (), ()
        here = pushes.commits_of(self.env.repo, self.known)
        reach = pushes.reach_beyond(self.env.repo, commit, tuple(sorted(set(here.values()))))
        nearest = tuple(sorted(reach.nearest))
        return (nearest if reach.is_new and is_new else ()), nearest

    def _with_settings(
        self, commit: str, base: tuple[str, ...]
    ) -> tuple[Env, tuple[Diagnostic, ...]]:
        """Returns the surroundings with the settings that the judgement goes by."""
        env = self.env
        texts = [settings_file(env, one) for one in (*base[:1], commit)]
        try:
            settings = settings_by(env, texts[0])
        except Refusal:
            # A push that mends the file must be possible, and one that broke it gains nothing.
            settings = settings_by(env, None)
            notice = Diagnostic(
                "gate-settings-unreadable",
                say("The settings of the gate cannot be understood; the defaults are in force."),
                Severity.WARNING,
                Location(FILE_NAME),
            )
            return replace(env, settings=settings), (notice,)
        if texts[0] != texts[-1] and _differs(env, settings, texts[-1]):
            notice = Diagnostic(
                "gate-settings-differ",
                say(
                    "{path} sets the gate otherwise than in {base}, by which the push is judged.",
                    path=FILE_NAME,
                    base=base[0][:12],
                ),
                Severity.NOTE,
                Location(FILE_NAME),
            )
            return replace(env, settings=settings), (notice,)
        return replace(env, settings=settings), ()


def _differs(env: Env, now: Settings, toml: bytes | None) -> bool:
    """Tells whether a file sets the gate otherwise; one that cannot be read does."""
    try:
        return now.gate != settings_by(env, toml).gate
    except Refusal:
        return True


def _unjudged(update: Update, refusal: Refusal, *, lenient: bool) -> Verdict:
    level = Severity.WARNING if lenient else Severity.ERROR
    main = Diagnostic(refusal.code, refusal.message, level, refusal.location, refusal.hint)
    told = (main, *(replace(one, severity=level) for one in refusal.details))
    if lenient:
        return Verdict(update, Outcome.COULD_NOT_JUDGE, notices=told)
    return Verdict(update, Outcome.COULD_NOT_JUDGE, reasons=told)


def _with_what_if(env: Env, verdict: Verdict) -> Verdict:
    """Returns a verdict with what there is to say of the branch of a what-if."""
    ref = verdict.update.ref
    if verdict.outcome is not Outcome.JUDGED or not ref.startswith(f"{BRANCHES}{WHAT_IFS}/"):
        return verdict
    branch = ref.removeprefix(BRANCHES)
    if env.settings.gate.allow_what_if:
        notice = Diagnostic(
            "what-if-pushed",
            say(
                "{branch} is the branch of a what-if; it does not land by being pushed.",
                branch=branch,
            ),
            Severity.NOTE,
        )
        return replace(verdict, notices=(*verdict.notices, notice))
    reason = Diagnostic(
        "what-if-refused",
        say("{branch} is the branch of a what-if, and gate.allow_what_if is false.", branch=branch),
        Severity.ERROR,
        hint=say("Land it with git wfp land, then push the branch that it landed on."),
    )
    return replace(verdict, reasons=(*verdict.reasons, reason))


def _missing(update: Update) -> Refusal:
    return Refusal(
        "object-missing",
        say("The object {id} of {ref} is not in this repository.", id=update.new, ref=update.ref),
        ExitCode.ENVIRONMENT,
        hint=say("git fsck says what is missing."),
    )


def _no_commit(update: Update) -> Diagnostic:
    return Diagnostic(
        "no-commit",
        say("{ref} leads to no commit, so there is no plan in it.", ref=update.ref),
        Severity.NOTE,
    )
