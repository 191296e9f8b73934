"""Commands about saved states: autosave list, show, restore."""

from collections.abc import Iterator
from typing import Final

import click

from gitwfp.cli import daemon_answers as d
from gitwfp.cli.command import App, Result, command, option
from gitwfp.cli.group import group
from gitwfp.cli.look import Look, Style, visible
from gitwfp.cli.options import DRY_RUN, SESSION
from gitwfp.cli.surroundings import surroundings
from gitwfp.cli.table import Entry, Table
from gitwfp.errors import ExitCode, Location, Refusal, say, say_n
from gitwfp.files.tree import EntryKind, FileTree, MissingFile
from gitwfp.flows import autosave as flow
from gitwfp.git.autosave import Save

_WAYS: Final[Table] = {
    "list": Entry("gitwfp.cli.autosave:list_", say("Lists the saved states, newest first.")),
    "show": Entry("gitwfp.cli.autosave:show", say("Shows what a saved state holds.")),
    "restore": Entry("gitwfp.cli.autosave:restore", say("Writes a saved state into the worktree.")),
}

autosave = group(
    "autosave",
    _WAYS,
    help=say("Has every saved version of a plan back."),
    examples=("git wfp autosave list", "git wfp autosave restore"),
    notes=(
        say(
            "While the daemon runs, each state of a plan that came to rest and is not committed is "
            "kept in a repository of its own inside the git folder; it is never pushed."
        ),
    ),
)

_MOST: Final = 20
_SHOWN: Final = 3


@command(
    "list",
    help=say("Lists the saved states, newest first."),
    examples=("git wfp autosave list", "git wfp autosave list --session WFS-auth -n 100"),
)
@SESSION
@option(
    "-n",
    "--count",
    type=click.IntRange(0),
    default=_MOST,
    metavar="COUNT",
    help=say("How many; the newest {count} by default.", count=_MOST),
)
def list_(app: App, session: str | None, count: int) -> Result:
    """Answers `git wfp autosave list`."""
    with surroundings(app) as env:
        every = flow.saved_states(env, session)
        found = every[:count]
        left = len(every) - len(found)

        def lines(look: Look) -> Iterator[str]:
            for save in found:
                yield _line(save, look)
            if not every:
                yield look.say(say("Nothing has been saved in this worktree yet."))
            elif left:
                text = say_n(
                    "{count} older one is left out.", "{count} older ones are left out.", left
                )
                yield look.paint(look.say(text), Style.QUIET)

        return Result(d.Saves(tuple(map(_save_line, found))), lines, pages=True)


def _line(save: Save, look: Look) -> str:
    sessions = ", ".join(visible(one) for one in _sessions(save))
    names = [visible(path.rpartition("/")[2]) for path in save.files]
    shown = ", ".join(names[:_SHOWN])
    if len(names) > _SHOWN:
        shown += " " + look.say(say("and {count} more", count=len(names) - _SHOWN))
    return f"{save.stamp}  {sessions}  {shown}"


def _sessions(save: Save) -> tuple[str, ...]:
    refs = map(flow.ref_of, save.sessions)
    return tuple(ref.id for ref in refs if ref is not None)


def _save_line(save: Save) -> d.SaveLine:
    return d.SaveLine(save.stamp, save.commit, _sessions(save), save.files)


@command(
    "show",
    help=say("Shows what a saved state holds, or a file of it."),
    examples=(
        "git wfp autosave show newest",
        "git wfp autosave show 20260131T094501 .workflow/active/WFS-auth/TODO_LIST.md",
    ),
    notes=(
        say("TIME is one of the list, or any time in UTC: the newest state that is not younger."),
    ),
)
@click.argument("time")
@click.argument("path", required=False)
def show(app: App, time: str, path: str | None) -> Result:
    """Answers `git wfp autosave show`."""
    with surroundings(app) as env, flow.state_at(env, time) as (save, files):
        now = env.repo.worktree_files(env.settings.limits.file_bytes)
        wanted = (path,) if path is not None else tuple(_paths(save, files))
        texts = []
        for name in wanted:
            content = _content(files, name)
            if content is None:
                raise _no_such_file(name, save)
            differs = _content(now, name) != content
            text = content.decode("utf-8", "replace") if path is not None else None
            texts.append(d.SavedFile(name, differs, text))

        def lines(look: Look) -> Iterator[str]:
            if path is not None:
                yield from (texts[0].text or "").removesuffix("\n").split("\n")
                return
            yield look.paint(_line(save, look), Style.HEADING)
            for one in texts:
                mark = look.say(say("differs now")) if one.differs else ""
                yield f"  {visible(one.path)}  {mark}".rstrip()

        return Result(d.SavedState(_save_line(save), tuple(texts)), lines, pages=True)


def _paths(save: Save, files: FileTree) -> Iterator[str]:
    for folder in save.sessions:
        for entry in files.entries(folder):
            if entry.kind is EntryKind.FILE:
                yield entry.path


def _content(files: FileTree, path: str) -> bytes | None:
    try:
        return files.read(path)
    except MissingFile:
        return None


def _no_such_file(path: str, save: Save) -> Refusal:
    return Refusal(
        "file-not-saved",
        say("{path} is not among the files that were saved at {time}.", path=path, time=save.stamp),
        ExitCode.NOT_FOUND,
        hint=say("git wfp autosave show {time} lists them.", time=save.stamp),
        location=Location(path=path),
    )


@command(
    "restore",
    help=say("Writes a saved state into the worktree; what is there is saved first."),
    examples=(
        "git wfp autosave restore",
        "git wfp autosave restore 20260131T094501 .workflow/active/WFS-auth/TODO_LIST.md",
    ),
    notes=(
        say(
            "TIME is one of the list, or any time in UTC: the newest state that is not younger. "
            "Without it, it is the newest state that is not what the worktree has."
        ),
        say("Nothing is committed; git diff shows what came back."),
    ),
)
@click.argument("time", default=flow.PREVIOUS)
@click.argument("paths", nargs=-1)
@SESSION
@DRY_RUN
def restore(
    app: App, time: str, paths: tuple[str, ...], session: str | None, dry_run: bool
) -> Result:
    """Answers `git wfp autosave restore`."""
    with surroundings(app) as env:
        env.begin_writing()
        done = flow.restore(env, time, session, paths, dry_run=dry_run)
        changed = bool(done.written or done.removed)
        data = d.Restored(
            _save_line(done.save),
            changed,
            changed and not dry_run,
            None if done.before is None else _save_line(done.before),
            done.written,
            done.removed,
        )

        def lines(look: Look) -> Iterator[str]:
            if not changed:
                yield look.say(say("The worktree is as it was at {time}.", time=done.save.stamp))
                return
            for path in done.written:
                yield look.paint(f"  {visible(path)}", Style.CHANGED)
            for path in done.removed:
                yield look.paint(f"  - {visible(path)}", Style.REMOVED)
            if dry_run:
                yield look.say(say("Nothing was written (dry run)."))
                return
            yield look.say(say("The worktree is as it was at {time}.", time=done.save.stamp))
            if done.before is not None:
                text = say("What was there before is saved as {time}.", time=done.before.stamp)
                yield look.paint(look.say(text), Style.QUIET)

        return Result(data, lines)
