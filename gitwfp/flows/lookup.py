"""Finding the entry of a plan's history that a person names."""

from gitwfp.classes import replace
from gitwfp.errors import ExitCode, Location, Refusal, say
from gitwfp.flows.env import Env
from gitwfp.flows.history import Record, forced_record, picked_by, replans_of
from gitwfp.git.history import commit_info, plan_commits
from gitwfp.model.plan import SessionRef


def find_record(env: Env, ref: SessionRef, records: tuple[Record, ...], wanted: str) -> Record:
    """Returns the record that a person means: a replan id, its end, or any revision.

    Raises:
        Refusal: Nothing fits, or several commits carry the id (not found).
    """
    fitting = _carrying(records, wanted)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise Refusal(
            "replan-ambiguous",
            say("Several commits carry the replan id {id}.", id=wanted),
            ExitCode.NOT_FOUND,
            hint=say(
                "Name one of the commits: {commits}.",
                commits=", ".join(record.commit[:12] for record in fitting),
            ),
        )
    commit = _resolved(env, ref, wanted)
    held = next((record for record in records if record.commit == commit), None)
    if held is not None:
        return held
    found = forced_record(ref, commit_info(env.repo, commit))
    # A what-if that landed, a squash or a cherry-pick is another commit with the same replan id.
    again = [
        record
        for record in records
        if found.replan in record.replans or commit in picked_by(record.info)
    ]
    if len(again) == 1:
        return again[0]
    by = next((r.name for r in records if commit in r.reverts and r.undone_by is None), None)
    return replace(found, undone_by=by)


def names_a_part(env: Env, record: Record, wanted: str) -> bool:
    """Tells whether a person names one of several replans that a squash made one commit of."""
    if len(record.replans) < 2:
        return False
    if _carrying((record,), wanted):
        return True
    return env.repo.resolve(wanted) != record.commit


def _carrying(records: tuple[Record, ...], wanted: str) -> list[Record]:
    return [
        record
        for record in records
        if wanted in record.replans
        or wanted == record.replan
        or any(name.endswith("/" + wanted) for name in record.replans)
    ]


def _resolved(env: Env, ref: SessionRef, wanted: str) -> str:
    try:
        return env.repo.resolve(wanted)
    except Refusal as refusal:
        if refusal.code != "revision-not-found":
            raise
        where = _elsewhere(env, ref, wanted)
        raise Refusal(
            "replan-not-found",
            say("There is no replan {id} in the history of this branch.", id=wanted),
            ExitCode.NOT_FOUND,
            hint=say("It belongs to {refs}; switch there to take it back.", refs=where)
            if where
            else say("git wfp log lists the replans there are."),
            location=Location(session=ref.id),
        ) from refusal


def _elsewhere(env: Env, ref: SessionRef, wanted: str) -> str:
    """Names the branches whose history holds a replan id that this one lacks."""
    found = []
    for name, commit in env.repo.refs("refs/heads/").items():
        for info in plan_commits(env.repo, commit, (ref.folder,), full=True):
            if wanted in replans_of(info):
                found.append(name.removeprefix("refs/heads/"))
                break
    return ", ".join(found)
