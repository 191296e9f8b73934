"""Commands that look at what happened to plans: log, show, diff."""

from collections.abc import Iterable
from itertools import islice

import click

from gitwfp.change.changeset import ChangeSet, between
from gitwfp.cli import answers
from gitwfp.cli.changes import change_lines as rendered_changes
from gitwfp.cli.command import App, Result, command, option
from gitwfp.cli.lines import change_lines, iso_time, log_line, session_diff
from gitwfp.cli.look import Look, Style, fit, visible
from gitwfp.cli.options import SESSION_HELP
from gitwfp.cli.surroundings import surroundings
from gitwfp.errors import Diagnostic, ExitCode, Refusal, Severity, Text, say
from gitwfp.flows.env import Env
from gitwfp.flows.history import Kind, Record, history, naming, plans_at
from gitwfp.flows.lookup import find_record
from gitwfp.flows.sessions import (
    choose_session_of_history,
    session_of_commit,
    session_of_replan,
)
from gitwfp.flows.view import Comparison, Source, compare_sources, source_of
from gitwfp.git.history import merge_base
from gitwfp.model.plan import Plan, SessionRef

_KINDS = {
    Kind.START: say("start"),
    Kind.REPLAN: say("replan"),
    Kind.ADOPT: say("adopt"),
    Kind.ROLLBACK: say("rollback"),
    Kind.CHECKPOINT: say("checkpoint"),
    Kind.OUTSIDE: say("outside change"),
}

_CUT_OFF = Diagnostic(
    "history-cut-off",
    say("The history is cut off here: the clone is shallow."),
    Severity.NOTE,
    hint=say("git fetch --unshallow gets the rest."),
)


@command(
    "log",
    help=say("Shows what happened to a session's plan, newest first."),
    examples=("git wfp log", "git wfp log --task IMPL-3 -n 5"),
)
@option("--session", "-s", metavar="WFS-x", help=SESSION_HELP)
@option("--task", metavar="IMPL-3", help=say("Only what names this task."))
@option("--since", metavar="DATE", help=say("Only what is not older, as ISO 8601."))
@option("--at", metavar="REV|DATE", help=say("The history of a revision instead of HEAD's."))
@option("-n", "--max-count", "count", type=click.IntRange(min=0), help=say("At most so many."))
def log(
    app: App,
    session: str | None,
    task: str | None,
    since: str | None,
    at: str | None,
    count: int | None,
) -> Result:
    """Answers `git wfp log`."""
    with surroundings(app) as env:
        source, ref = session_in_history(env, at, session)
        records: Iterable[Record] = ()
        if source.commit is not None:
            records = history(env, ref, source.commit, since=since)
        if task is not None:
            records = naming(records, task)
        records = tuple(records)
        found = tuple(islice(records, count))
        none = _nothing_shown(task, since, known=bool(records))
        data = answers.Log(ref.id, not env.repo.is_shallow, tuple(map(log_line, found)))
        cut = (_CUT_OFF,) if env.repo.is_shallow and len(found) == len(records) else ()
        return Result(data, lambda look: _log_lines(found, none, look), diagnostics=cut, pages=True)


@command(
    "show",
    help=say("Shows one replan: why, what it did, field by field."),
    examples=("git wfp show HEAD", "git wfp show WFS-auth/2026-11-30T19-07-52"),
)
@click.argument("name", default="HEAD", metavar="[REPLAN|REV]")
@option("--session", "-s", metavar="WFS-x", help=SESSION_HELP)
def show(app: App, name: str, session: str | None) -> Result:
    """Answers `git wfp show`."""
    with surroundings(app) as env:
        named = session or session_of_replan(name) or session_of_commit(env, name)
        source, ref = session_in_history(env, None, named)
        records = () if source.commit is None else history(env, ref, source.commit)
        record = find_record(env, ref, records, name)
        before, after = plans_at(env, ref, record.info)
        changes = between(before, after)
        data = answers.Show(
            ref.id,
            log_line(record),
            record.info.body,
            {key: ", ".join(values) for key, values in record.info.trailers.items()},
            change_lines(changes),
        )
        problems = problems_of(before, after)
        return Result(
            data, lambda look: _show_lines(record, changes, look), diagnostics=problems, pages=True
        )


@command(
    "diff",
    help=say("Compares plans by what they mean: HEAD with the worktree, or any two revisions."),
    examples=(
        "git wfp diff",
        "git wfp diff main...",
        "git wfp diff HEAD~3 HEAD --session WFS-auth",
    ),
)
@click.argument("revisions", nargs=-1, metavar="[A] [B]")
@option("--session", "-s", metavar="WFS-x", help=say("Only this session."))
@option("--staged", is_flag=True, help=say("Compare with what is staged."))
@option("--exit-code", "exit_code", is_flag=True, help=say("Exit with 1 when something differs."))
def diff(
    app: App, revisions: tuple[str, ...], session: str | None, staged: bool, exit_code: bool
) -> Result:
    """Answers `git wfp diff`."""
    with surroundings(app) as env:
        old, new = _sides(env, revisions, staged=staged)
        found = compare_sources(env, old, new, session)
        data = answers.Diff(old.name, new.name, tuple(map(session_diff, found)))
        code = ExitCode.NEGATIVE if exit_code and found else ExitCode.DONE
        problems = problems_of(*(side for one in found for side in (one.before, one.after)))
        return Result(data, lambda look: _diff_lines(found, look), code, problems, pages=True)


def problems_of(*plans: Plan) -> tuple[Diagnostic, ...]:
    """Returns what could not be read of some plans, each problem once."""
    return tuple(dict.fromkeys(problem for plan in plans for problem in plan.problems))


def session_in_history(env: Env, at: str | None, session: str | None) -> tuple[Source, SessionRef]:
    """Returns the commit whose history is meant, and the session, also if it is gone by now."""
    commit = env.repo.resolve(at) if at is not None else env.repo.head().commit
    tree = env.repo.commit_files(commit, env.settings.limits.file_bytes)
    here = source_of(env).tree if at is None else tree
    ref = choose_session_of_history(env, here, commit, session, writing=False)
    return Source(tree, commit, at or "HEAD"), ref


def _sides(env: Env, revisions: tuple[str, ...], *, staged: bool) -> tuple[Source, Source]:
    if len(revisions) > 2:
        raise Refusal(
            "too-many-revisions",
            say("A diff compares two revisions; {count} were given.", count=len(revisions)),
            ExitCode.USAGE,
            hint=say("Give A, or A B, or A...B."),
        )
    if len(revisions) == 1 and "..." in revisions[0]:
        left, _, right = revisions[0].partition("...")
        one, other = env.repo.resolve(left or "HEAD"), env.repo.resolve(right or "HEAD")
        base = merge_base(env.repo, one, other) or one
        return source_of(env, at=base), source_of(env, at=other)
    if len(revisions) == 1 and ".." in revisions[0]:
        left, _, right = revisions[0].partition("..")
        return source_of(env, at=left or "HEAD"), source_of(env, at=right or "HEAD")
    if len(revisions) == 2:
        return source_of(env, at=revisions[0]), source_of(env, at=revisions[1])
    head = env.repo.head().commit
    if not revisions and head is None:
        old = Source(env.repo.commit_files(None), None, "HEAD")
    else:
        old = source_of(env, at=revisions[0] if revisions else "HEAD")
    return old, source_of(env, staged=staged)


def _nothing_shown(task: str | None, since: str | None, *, known: bool) -> Text:
    """Returns what is said instead of a history that has no lines."""
    if known:
        return say("Nothing is shown, as you asked for no entry at all.")
    if task is not None:
        return say("Nothing in this history names the task {task}.", task=task)
    if since is not None:
        return say("Nothing has happened to this plan since {date}.", date=since)
    return say("Nothing has happened to this plan yet.")


def _log_lines(records: tuple[Record, ...], none: Text, look: Look) -> Iterable[str]:
    if not records:
        yield look.say(none)
    for record in records:
        kind = look.say(_KINDS[record.kind])
        when = iso_time(record.info.time)[:16].replace("T", " ")
        name = record.replan.rpartition("/")[2] if record.replan else record.commit[:12]
        line = f"{record.commit[:10]}  {when}  {visible(record.info.subject)}"
        if look.columns is not None:
            line = fit(line, look.columns, mark=look.mark)
        yield look.paint(line, Style.QUIET) if record.undone_by else line
        yield look.paint(f"            {_about(record, kind, name, look)}", Style.QUIET)


def _about(record: Record, kind: str, name: str, look: Look) -> str:
    parts = [kind]
    if record.replan:
        parts.append(visible(name))
    if record.tasks:
        parts.append(visible(", ".join(record.tasks)))
    if record.undone_by:
        parts.append(look.say(say("rolled back by {by}", by=record.undone_by.rpartition("/")[2])))
    if record.kind is Kind.OUTSIDE:
        parts.append(visible(record.info.author))
    return " - ".join(parts)


def _show_lines(record: Record, changes: ChangeSet, look: Look) -> Iterable[str]:
    facts: list[tuple[Text, str]] = [
        (say("Commit"), record.commit),
        (say("Author"), record.info.author),
        (say("Date"), iso_time(record.info.time)),
    ]
    if record.replan:
        facts.insert(0, (say("Replan"), record.replan))
    if record.undone_by:
        facts.append((say("Rolled back by"), record.undone_by))
    yield look.paint(visible(record.info.subject), Style.HEADING)
    for label, value in facts:
        yield f"{look.say(label)}: {visible(value)}"
    yield ""
    yield from rendered_changes(changes, look)


def _diff_lines(found: tuple[Comparison, ...], look: Look) -> Iterable[str]:
    if not found:
        yield look.say(say("The plans do not differ."))
    for compared in found:
        yield look.paint(visible(compared.after.ref.id), Style.HEADING)
        yield from rendered_changes(between(compared.before, compared.after), look)
        if compared.path_before != compared.path_after:
            yield look.say(
                say(
                    "Critical path: {before} becomes {after}.",
                    before=" > ".join(compared.path_before) or "-",
                    after=" > ".join(compared.path_after) or "-",
                )
            )
