"""The merge driver that git calls: `git-wfp merge-driver BASE OURS THEIRS PATH`."""

import click

from gitwfp.cli.command import App, Result, command
from gitwfp.cli.gate_answers import MergeDriver
from gitwfp.errors import Diagnostic, ExitCode, Location, Refusal, Severity, say
from gitwfp.flows.conflicts import conflict_line
from gitwfp.flows.filemerge import merge_file, merge_lines, session_of_file


@command(
    "merge-driver",
    help=say("Merges one file of a plan field by field, as git asks for it."),
    examples=("git wfp merge-driver %O %A %B %P",),
    notes=(
        say(
            "git wfp init registers it. OURS gets the result; what both sides changed differently "
            "is recorded in it, and the exit code is 1."
        ),
    ),
)
@click.argument("base")
@click.argument("ours")
@click.argument("theirs")
@click.argument("path")
def merge_driver(app: App, base: str, ours: str, theirs: str, path: str) -> Result:
    """Answers `git wfp merge-driver`."""
    ref = session_of_file(path)
    names = [app.path(name) for name in (base, ours, theirs)]
    if ref is None:
        # Attributes may reach further than plans do; other files are merged as git would.
        is_clean = merge_lines(app.folder, app.environ, *names)
        code = ExitCode.DONE if is_clean else ExitCode.NEGATIVE
        return Result(MergeDriver(path, is_clean, ()), exit_code=code)
    versions = [_read(name) for name in names]
    merged = merge_file(ref, path, *versions)
    if merged.content != versions[1]:
        with open(names[1], "wb") as file:
            file.write(merged.content)
    told = tuple(conflict_line(ref, one) for one in merged.conflicts)
    if not merged.is_read:
        told = (_unread(path),)
    code = ExitCode.DONE if merged.is_clean else ExitCode.NEGATIVE
    return Result(MergeDriver(path, merged.is_clean, told), exit_code=code, diagnostics=told)


def _read(name: str) -> bytes:
    try:
        with open(name, "rb") as file:
            return file.read()
    except OSError as error:
        raise Refusal(
            "cannot-read-input",
            say("'{path}' cannot be read: {why}.", path=name, why=error.strerror or error),
            ExitCode.NOT_FOUND,
        ) from error


def _unread(path: str) -> Diagnostic:
    return Diagnostic(
        "cannot-merge",
        say("{path} cannot be merged by field; it holds our version.", path=path),
        Severity.ERROR,
        Location(path),
        say("git checkout --conflict=merge, or git show :3:{path}, shows theirs.", path=path),
    )
