"""The live view of plans: watch."""

import time
from collections.abc import Iterator
from typing import Any, Final, cast

import click

from gitwfp.cli import daemon_answers as d
from gitwfp.cli.boardlines import (
    board_line,
    board_lines,
    delta_lines,
    exit_code_of,
    trust_lines,
    watch_document,
)
from gitwfp.cli.command import App, Result, command, option
from gitwfp.cli.surroundings import surroundings
from gitwfp.cli.tolerant import read_settings
from gitwfp.daemon.board import Board, Delta
from gitwfp.daemon.surroundings import Opened
from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.flows.env import Env
from gitwfp.git.repository import Repository
from gitwfp.model.plan import SessionRef

_USUAL_WAIT: Final = 30.0


@command(
    "watch",
    help=say("Shows findings as they appear and vanish while plans are saved."),
    examples=("git wfp watch", "git wfp watch --once --json"),
    notes=(
        say("It needs no daemon, and goes on until it is interrupted."),
        say(
            "With --once it waits until what was saved has come to rest, shows what is known then, "
            "and exits as verify does: with 0 if every session passes gate.policy, with 1 if not."
        ),
    ),
)
@option("--once", is_flag=True, help=say("Shows the state as of now and ends."))
@option(
    "--timeout",
    type=click.FloatRange(min=0.0),
    default=_USUAL_WAIT,
    metavar="SECONDS",
    help=say("How long --once waits while git is at work; {count} by default.", count=30),
)
def watch(app: App, once: bool, timeout: float) -> Result:
    """Answers `git wfp watch`."""
    with surroundings(app) as env:
        top = env.repo.require_worktree()
        if once:
            answer = _asked(env) if app.console.json else None
            if answer is not None:
                return answer
            return _once(app, top, timeout)
    return _live(app, top)


def _asked(env: Env) -> Result | None:
    """Returns what the daemon knows as of now, None where none answers."""
    from gitwfp.daemon import control, place

    folder = place.folder_of(env.repo)
    running = control.ask(folder, "as-of-now")
    if running is None:
        return None
    board: Any = running.answer.get("data")
    code = running.answer.get("exit_code")
    if not isinstance(board, dict) or not isinstance(code, int) or board.get("pending"):
        return None
    return Result(cast("d.Board", _Board(board)), exit_code=ExitCode(code))


class _Board(dict[str, Any]):
    """A board that came over the socket, as it is."""

    KIND = d.Board.KIND


def _open(app: App) -> Opened:
    repo = Repository.open(app.folder, app.environ)
    settings, told = read_settings(app, repo)
    return Env(repo, settings, app.console, app.now), told


def _once(app: App, top: str, timeout: float) -> Result:
    from gitwfp.daemon.watching import settled_board

    board = settled_board(lambda: _open(app), top, timeout)
    if board is None:
        raise Refusal(
            "not-settled",
            say("Nothing could be judged within {count} s.", count=timeout),
            ExitCode.ENVIRONMENT,
            hint=say("See git status: a merge or a rebase may be under way."),
        )
    return _result(board)


def _result(board: Board) -> Result:
    return Result(
        board_line(board), lambda look: board_lines(board, look), exit_code_of(board), pages=False
    )


def _live(app: App, top: str) -> Result:
    from gitwfp.daemon.watching import Watching

    last = Board(top)
    is_first = True

    def told(
        _: Env | None, board: Board, deltas: tuple[Delta, ...], judged: tuple[SessionRef, ...]
    ) -> None:
        nonlocal last, is_first
        doubts = (board.doubts, board.remarks, board.busy)
        is_doubt = doubts != (last.doubts, last.remarks, last.busy)
        show_all, is_first, last = is_first, False, board
        document = watch_document(board, deltas, judged)

        def lines(look: Any) -> Iterator[str]:
            if show_all:
                yield from board_lines(board, look)
                return
            if is_doubt:
                yield from trust_lines(board, look)
            yield from delta_lines(board, deltas, look)

        if not app.console.answer(document, lines, more=True):
            watching.stop()

    watching = Watching(lambda: _open(app), top, told)
    try:
        watching.run()
    except KeyboardInterrupt:
        time.sleep(0)
    finally:
        watching.end()
    return Result(board_line(last), lambda _: (), exit_code_of(last))
