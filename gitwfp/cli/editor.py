"""The person's own editor, opened as git opens it."""

import subprocess
from collections.abc import Mapping

from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.git.program import GitProgram, to_bytes, to_text


def edit(folder: str, path: str, environ: Mapping[str, str]) -> None:
    """Opens a file in the editor that git would use, and waits until it is closed.

    Args:
        folder: Where git looks for its configuration, and where the editor starts.
        path: The file.
        environ: The environment.

    Raises:
        Refusal: There is no editor, or it ended with a failure (environment).
    """
    git = GitProgram(folder, environ)
    # What starts git silences its editor; here it is the editor that is asked for.
    git.environ.pop("GIT_EDITOR")
    git.environ |= {name: environ[name] for name in ("GIT_EDITOR",) if name in environ}
    editor = to_text(git.run("var", "GIT_EDITOR").out).removesuffix("\n")
    # As git does: the setting is a line for the shell, the path is not.
    shell = [b"sh", b"-c", to_bytes(f'{editor} "$@"'), to_bytes(editor), to_bytes(path)]
    ended = subprocess.run(shell, cwd=to_bytes(folder), env=environ, check=False)
    if ended.returncode:
        raise Refusal(
            "editor-failed",
            say(
                "The editor {editor} ended with exit code {code}.",
                editor=editor,
                code=ended.returncode,
            ),
            ExitCode.ENVIRONMENT,
            hint=say("GIT_EDITOR, core.editor or EDITOR name another one."),
        )
