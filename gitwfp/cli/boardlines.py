"""The daemon's board as programs and people read it."""

from collections.abc import Iterator
from typing import Final

from gitwfp.cli import daemon_answers as d
from gitwfp.cli.envelope import Document, dump, envelope, failure
from gitwfp.cli.look import Look, Style, visible
from gitwfp.cli.reportlines import finding_line, report_line
from gitwfp.daemon.board import Board, Delta, State
from gitwfp.errors import Diagnostic, ExitCode, Refusal, Severity, say
from gitwfp.model.findings import Finding, Level
from gitwfp.model.plan import SessionRef
from gitwfp.verify.reportfile import place_of

_STYLES: Final = {
    Severity.ERROR: Style.ERROR,
    Severity.WARNING: Style.WARNING,
    Severity.NOTE: Style.QUIET,
}


class WireVoice:
    """Says what the daemon has to say as the documents that every command answers with."""

    def board(self, board: Board) -> bytes:
        """Returns the whole board."""
        return _line(Document(d.Board.KIND, board_line(board), exit_code_of(board)))

    def change(
        self, board: Board, deltas: tuple[Delta, ...], judged: tuple[SessionRef, ...]
    ) -> bytes:
        """Returns what became of sessions."""
        return _line(watch_document(board, deltas, judged))

    def heard(self) -> bytes:
        """Returns the answer to a request that asks for no board."""
        return _line(Document("heard", None))

    def misunderstood(self, request: str) -> bytes:
        """Returns the answer to a request that is none."""
        refusal = Refusal(
            "unknown-request",
            say("There is no request {name}.", name=visible(request) or "-"),
            ExitCode.USAGE,
            hint=say('A line is {{"op": "status"}}, as-of-now, subscribe, hello or stop.'),
        )
        return _line(failure(refusal))


def exit_code_of(board: Board) -> ExitCode:
    """Returns the exit code that a board stands for: as that of verify, or it is doubtful."""
    if any(one.severity is Severity.ERROR for one in board.doubts):
        return ExitCode.ENVIRONMENT
    return ExitCode.DONE if board.passes else ExitCode.NEGATIVE


def board_line(board: Board) -> d.Board:
    """Returns a board as programs read it."""
    return d.Board(
        board.top,
        board.passes,
        not board.doubts,
        board.doubts,
        board.remarks,
        board.backend,
        board.head,
        board.busy,
        board.pending,
        board.rounds,
        board.time,
        tuple(map(_state_line, board.states.values())),
    )


def watch_document(
    board: Board, deltas: tuple[Delta, ...], judged: tuple[SessionRef, ...]
) -> Document:
    """Returns what became of sessions as the document of one line."""
    data = d.Watch(
        board.passes,
        not board.doubts,
        board.doubts,
        board.busy,
        board.pending,
        board.rounds,
        board.time,
        tuple(ref.id for ref in judged),
        tuple(map(_delta_line, deltas)),
    )
    return Document(d.Watch.KIND, data, exit_code_of(board))


def _state_line(state: State) -> d.StateLine:
    report = None if state.verified is None else report_line(state.verified)
    ref = state.ref
    return d.StateLine(ref.id, ref.folder, state.passes, state.since, report, state.why_not)


def _delta_line(delta: Delta) -> d.DeltaLine:
    before, after = delta.before, delta.after
    return d.DeltaLine(
        delta.ref.id,
        delta.ref.folder,
        None if before is None or before.decision is None else before.decision.value,
        None if after is None or after.decision is None else after.decision.value,
        after is None or after.passes,
        tuple(map(finding_line, delta.found)),
        tuple(map(finding_line, delta.resolved)),
        None if after is None else after.why_not,
    )


def _line(document: Document) -> bytes:
    return dump(envelope(document)).encode("utf-8", "replace")


def board_lines(board: Board, look: Look) -> Iterator[str]:
    """Yields a board as people read it."""
    yield from trust_lines(board, look)
    for state in board.states.values():
        yield _head(state, look)
        for finding in state.findings:
            yield _finding(state.ref, finding, " ", look)
    if not board.states and board.busy is None:
        yield look.say(say("There is no session to judge."))


def trust_lines(board: Board, look: Look) -> Iterator[str]:
    """Yields why a board is not what it should be, if it is not."""
    for one in (*board.doubts, *board.remarks):
        yield look.paint(look.say(one.message), _STYLES[one.severity])
        if one.hint is not None:
            yield "  " + look.paint(look.say(one.hint), Style.HINT)
    if board.busy is not None:
        text = say("Git is at work ({what}); plans are judged when it is done.", what=board.busy)
        yield look.paint(look.say(text), Style.WARNING)


def delta_lines(board: Board, deltas: tuple[Delta, ...], look: Look) -> Iterator[str]:
    """Yields what became of sessions as people read it."""
    for delta in deltas:
        time = board.time[11:19]
        if delta.after is None:
            text = say("Session {session} is gone.", session=visible(delta.ref.id))
            yield f"{time}  {look.say(text)}"
            continue
        yield f"{time}  {_head(delta.after, look, before=delta.before)}"
        for finding in delta.resolved:
            yield look.paint(_finding(delta.ref, finding, "-", look, plain=True), Style.ADDED)
        for finding in delta.found:
            yield _finding(delta.ref, finding, "+", look)


def _head(state: State, look: Look, *, before: State | None = None) -> str:
    name = visible(state.ref.id)
    if state.why_not is not None:
        return f"{name}: " + _problem(state.why_not, look)
    decision = str(state.decision)
    if before is not None and before.decision not in (None, state.decision):
        decision = f"{before.decision} -> {decision}"
    style = Style.ERROR if not state.passes else Style.ADDED if not state.findings else None
    text = f"{name}: {decision}"
    return text if style is None else look.paint(text, style)


def _problem(why: Diagnostic, look: Look) -> str:
    return look.paint(look.say(why.message), _STYLES[why.severity])


def _finding(
    ref: SessionRef, finding: Finding, mark: str, look: Look, *, plain: bool = False
) -> str:
    place = visible(place_of(ref, finding))
    text = f"  {mark} {finding.level}  {finding.rule}  {place}  {look.say(finding.message)}"
    is_heavy = finding.level in (Level.CRITICAL, Level.HIGH)
    return text if plain else look.paint(text, Style.ERROR if is_heavy else Style.WARNING)
