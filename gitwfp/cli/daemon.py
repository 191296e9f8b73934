"""Commands about the daemon: start, stop, restart, status, logs, run, unit."""

import os
import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

import click

from gitwfp.cli import daemon_answers as d
from gitwfp.cli.command import App, Result, command, option
from gitwfp.cli.group import group
from gitwfp.cli.look import Look, Style, visible
from gitwfp.cli.surroundings import surroundings
from gitwfp.cli.table import Entry, Table
from gitwfp.cli.tolerant import read_settings
from gitwfp.daemon import control, place
from gitwfp.errors import ExitCode, Refusal, Text, say
from gitwfp.flows.env import Env
from gitwfp.git.repository import Repository
from gitwfp.git.smallfiles import read_if_file

_WAYS: Final[Table] = {
    "start": Entry("gitwfp.cli.daemon:start", say("Starts the daemon of this worktree.")),
    "stop": Entry("gitwfp.cli.daemon:stop", say("Ends it.")),
    "restart": Entry("gitwfp.cli.daemon:restart", say("Ends it and starts it again.")),
    "status": Entry("gitwfp.cli.daemon:status", say("Shows whether it runs, and what it knows.")),
    "logs": Entry("gitwfp.cli.daemon:logs", say("Shows what it has written into its log.")),
    "run": Entry("gitwfp.cli.daemon:run", say("Runs it here, until it is interrupted.")),
    "unit": Entry("gitwfp.cli.daemon:unit", say("Prints a unit for systemd that runs it.")),
}

daemon = group(
    "daemon",
    _WAYS,
    help=say("Judges plans as they are saved, and keeps what is saved."),
    examples=("git wfp daemon start", "git wfp daemon status"),
    notes=(
        say(
            "There is one for each worktree. It reads plans and reports; it never changes a file "
            "of the worktree, the index or a branch."
        ),
    ),
)

_LINES: Final = 100
_PAUSE: Final = 0.2


def _folder(env: Env, *, make: bool = False) -> tuple[str, str]:
    """Returns the worktree's top and the daemon's folder."""
    return env.repo.require_worktree(), place.folder_of(env.repo, make=make)


@command(
    "start",
    help=say("Starts the daemon of this worktree, if none runs."),
    examples=("git wfp daemon start",),
    notes=(say("It goes on when the terminal is closed; git wfp daemon stop ends it."),),
)
def start(app: App) -> Result:
    """Answers `git wfp daemon start`."""
    with surroundings(app) as env:
        return _started(app, env, "start", stopped=False)


def _started(app: App, env: Env, action: str, *, stopped: bool) -> Result:
    top, folder = _folder(env, make=True)
    running, is_new = control.start(folder, control.own_words(top), _environ(app, env, top))
    text = say("The daemon runs.") if is_new else say("The daemon runs already.")
    return _result(
        d.Daemon(
            action, True, is_new or stopped, running.pid, top, os.path.join(folder, place.LOG)
        ),
        text,
    )


def _environ(app: App, env: Env, top: str) -> Mapping[str, str]:
    """Returns the environment of a process that stands elsewhere and means this repository."""
    environ = dict(app.environ)
    if "GIT_DIR" in environ:
        environ["GIT_DIR"] = env.repo.git_dir
        environ["GIT_WORK_TREE"] = top
    return environ


def _result(data: d.Daemon, text: Text, code: ExitCode = ExitCode.DONE) -> Result:
    def lines(look: Look) -> Iterator[str]:
        number = "" if data.pid is None else f" ({data.pid})"
        yield look.say(text) + number

    return Result(data, lines, code)


@command("stop", help=say("Ends the daemon of this worktree."), examples=("git wfp daemon stop",))
def stop(app: App) -> Result:
    """Answers `git wfp daemon stop`."""
    with surroundings(app) as env:
        top, folder = _folder(env)
        had = control.stop(folder)
        text = say("The daemon has ended.") if had else say("No daemon was running.")
        log = os.path.join(folder, place.LOG)
        return _result(d.Daemon("stop", False, had, None, top, log), text)


@command(
    "restart",
    help=say("Ends the daemon of this worktree and starts it again."),
    examples=("git wfp daemon restart",),
)
def restart(app: App) -> Result:
    """Answers `git wfp daemon restart`."""
    with surroundings(app) as env:
        _, folder = _folder(env, make=True)
        return _started(app, env, "restart", stopped=control.stop(folder))


@command(
    "status",
    help=say("Shows whether the daemon runs, and what it knows of each session."),
    examples=("git wfp daemon status", "git wfp daemon status --json"),
    notes=(say("It exits with 1 when none runs."),),
)
def status(app: App) -> Result:
    """Answers `git wfp daemon status`."""
    with surroundings(app) as env:
        top, folder = _folder(env)
        running = control.ask(folder, "status") if place.is_held(folder) else None
        is_held = running is not None or place.is_held(folder)
        log = os.path.join(folder, place.LOG)
        if running is None:
            text = (
                say("A daemon runs and does not answer.")
                if is_held
                else say("No daemon is running.")
            )
            data = d.Daemon("status", is_held, False, None, top, log)
            return _result(data, text, ExitCode.ENVIRONMENT if is_held else ExitCode.NEGATIVE)
        board: Any = running.answer.get("data")
        data = d.Daemon("status", True, False, running.pid, top, log, cast("d.Board", board))

        def lines(look: Look) -> Iterator[str]:
            pid = "-" if running.pid is None else running.pid
            yield look.say(say("The daemon runs ({pid}), {way}.", pid=pid, way=_way(board)))
            yield from _board_lines(board, look)

        return Result(data, lines)


def _way(board: Mapping[str, Any]) -> Text:
    if board["backend"] == "native":
        return say("told of changes by the system")
    return say("looking for changes by itself")


def _board_lines(board: Mapping[str, Any], look: Look) -> Iterator[str]:
    """Yields a board that came over the socket; its sentences are English."""
    for one in (*board["doubts"], *board["remarks"]):
        is_doubt = one in board["doubts"]
        yield look.paint(visible(one["message"]), Style.ERROR if is_doubt else Style.WARNING)
    if board["busy"] is not None:
        text = say("Git is at work ({what}); plans are judged when it is done.", what=board["busy"])
        yield look.paint(look.say(text), Style.WARNING)
    for state in board["sessions"]:
        name = visible(state["session"])
        report = state["report"]
        if report is None:
            yield f"{name}: {visible(state['problem']['message'])}"
            continue
        counts = [f"{count} {level}" for level, count in report["counts"].items() if count]
        told = ", ".join(counts) or look.say(say("nothing was found"))
        style = Style.PLAIN if state["passes"] else Style.ERROR
        line = f"{name}: {report['decision']}  {told}"
        yield line if style is Style.PLAIN else look.paint(line, style)
    for folder in board["pending"]:
        yield look.say(say("{folder} was saved and is not judged yet.", folder=folder))


@command(
    "logs",
    help=say("Shows the end of the daemon's log."),
    examples=("git wfp daemon logs", "git wfp daemon logs -f"),
)
@option("-f", "--follow", is_flag=True, help=say("Goes on as the log does, until interrupted."))
@option(
    "-n",
    "--lines",
    "count",
    type=click.IntRange(0),
    default=_LINES,
    metavar="COUNT",
    help=say("How many lines; the newest {count} by default.", count=_LINES),
)
def logs(app: App, follow: bool, count: int) -> Result:
    """Answers `git wfp daemon logs`."""
    with surroundings(app) as env:
        top, folder = _folder(env)
        file = os.path.join(folder, place.LOG)
        found = _tail(file, count)
        is_held = place.is_held(folder)

        def result(lines: tuple[str, ...]) -> Result:
            data = d.Daemon("logs", is_held, False, None, top, file, lines=lines)
            return Result(data, lambda look: _log_lines(lines, look))

        if not follow:
            return result(found)
        if not _said(app, result(found)):
            return result(())
        try:
            for lines in _growing(file):
                if lines and not _said(app, result(lines)):
                    break
        except KeyboardInterrupt:
            return result(())
        return result(())


def _said(app: App, result: Result) -> bool:
    return app.console.answer(result.document, result.lines, more=True)


def _log_lines(lines: tuple[str, ...], look: Look) -> Iterator[str]:
    del look
    yield from map(visible, lines)


def _tail(file: str, count: int) -> tuple[str, ...]:
    data = b"".join(read_if_file(file + end) or b"" for end in (".1", ""))
    lines = data.decode("utf-8", "replace").splitlines()
    return tuple(lines[max(0, len(lines) - count) :])


def _growing(file: str) -> Iterator[tuple[str, ...]]:
    """Yields the new lines of a file that grows and may be put aside for a new one."""
    inode, at = _state_of(file)
    while True:
        now, size = _state_of(file)
        if now != inode or size < at:
            inode, at = now, 0
        if size > at:
            data = (read_if_file(file) or b"")[at:]
            whole = data.rpartition(b"\n")[0]
            at += len(whole) + 1 if whole else 0
            yield tuple(whole.decode("utf-8", "replace").split("\n")) if whole else ()
        else:
            yield ()
        time.sleep(_PAUSE)


def _state_of(file: str) -> tuple[int, int]:
    try:
        found = os.stat(file)
    except OSError:
        return 0, 0
    return found.st_ino, found.st_size


@command(
    "run",
    help=say("Runs the daemon in the foreground, for systemd, tmux and containers."),
    examples=("git wfp daemon run",),
)
@option("--detached", is_flag=True, hidden=True, help=say("Says nothing but into the log."))
def run(app: App, detached: bool) -> Result:
    """Answers `git wfp daemon run`."""
    from gitwfp.cli.boardlines import WireVoice
    from gitwfp.cli.daemonlog import logging_to
    from gitwfp.daemon.run import AlreadyRunning
    from gitwfp.daemon.run import run as run_daemon
    from gitwfp.daemon.surroundings import Opened

    with surroundings(app) as env:
        top, folder = _folder(env, make=True)
    log = os.path.join(folder, place.LOG)

    def open_env() -> Opened:
        repo = Repository.open(app.folder, app.environ)
        settings, told = read_settings(app, repo)
        return Env(repo, settings, app.console, app.now), told

    os.chdir(os.sep)
    with logging_to(log, None if detached else sys.stderr):
        try:
            run_daemon(open_env, WireVoice())
        except AlreadyRunning:
            return _result(
                d.Daemon("run", True, False, None, top, log), say("The daemon runs already.")
            )
    return _result(d.Daemon("run", False, True, None, top, log), say("The daemon has ended."))


@command(
    "unit",
    help=say("Prints a unit for systemd that runs the daemon of this worktree for its user."),
    examples=("git wfp daemon unit > ~/.config/systemd/user/gitwfp-api.service",),
    notes=(say("Then: systemctl --user daemon-reload, systemctl --user enable --now gitwfp-api."),),
)
def unit(app: App) -> Result:
    """Answers `git wfp daemon unit`."""
    from gitwfp.cli.programpath import program_path

    with surroundings(app) as env:
        top = env.repo.require_worktree()
        program = program_path(app.environ)
        if program is None:
            raise Refusal(
                "no-program",
                say("The program git-wfp was not found."),
                ExitCode.ENVIRONMENT,
                hint=say("Install gitwfp so that git-wfp is in PATH."),
            )
        text = _UNIT.format(
            name=_unit_text(os.path.basename(top)),
            words=" ".join(map(_unit_word, (program, "-C", top, "daemon", "run"))),
        )
        name = "gitwfp-" + "".join(c if c.isalnum() else "-" for c in os.path.basename(top))
        return Result(
            d.Unit(f"{name}.service", text), lambda _: text.removesuffix("\n").split("\n")
        )


_UNIT: Final = """\
[Unit]
Description=git wfp daemon of {name}

[Service]
Type=exec
ExecStart={words}
Restart=on-failure

[Install]
WantedBy=default.target
"""


def _unit_text(text: str) -> str:
    return visible(text).replace("%", "%%")


def _unit_word(word: str) -> str:
    """Returns a word as systemd.syntax(7) and systemd.service(5) want it in a command line."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'
