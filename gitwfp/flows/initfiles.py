"""What init writes: files as values, and the settings file that a repository starts with."""

from collections.abc import Mapping

from gitwfp.classes import dataclass
from gitwfp.config.starter import starter, worth_noting
from gitwfp.errors import Diagnostic, Location, Severity, say
from gitwfp.files.toollist import TOOL_LIST, read_tool_list
from gitwfp.flows.env import Env
from gitwfp.git.program import to_bytes
from gitwfp.git.receipt import SETTINGS_FILE


@dataclass(frozen=True, slots=True)
class Written:
    """One file or folder that init makes or changes.

    Attributes:
        path: From the repository root.
        is_folder: Whether it is a folder.
        before: What the file holds now, None where there is nothing.
        after: What it gets; None for a folder.
        is_shared: Whether it is a hook or a setting, which all worktrees share.
    """

    path: str
    is_folder: bool = False
    before: bytes | None = None
    after: bytes | None = None
    is_shared: bool = False


def starting_settings(
    env: Env,
) -> tuple[list[Written], Mapping[str, bool], tuple[Diagnostic, ...]]:
    """Returns the settings file to write, the tools it imports, and what to say about both."""
    listed = read_tool_list(env.repo.worktree_files(env.settings.limits.file_bytes))
    notices = _ignored_settings(env)
    if listed.problem is not None:
        notices = (*notices, listed.problem)
    tools = worth_noting(listed.tools)
    kind = env.repo.workflow_kind(SETTINGS_FILE)
    if kind == "absent":
        text = starter(tools, TOOL_LIST, env.words)
        return [Written(SETTINGS_FILE, after=to_bytes(text))], tools, notices
    if kind != "file":
        notices = (*notices, _not_a_file())
    unknown = [
        name
        for name, enabled in tools.items()
        if name not in env.settings.tools or env.settings.tools[name].enabled != enabled
    ]
    if unknown:
        notices = (*notices, _not_imported(unknown))
    return [], {}, notices


def _ignored_settings(env: Env) -> tuple[Diagnostic, ...]:
    rule = env.repo.ignored_by(SETTINGS_FILE)
    if rule is None:
        return ()
    source, line, pattern = rule
    return (
        Diagnostic(
            "settings-ignored",
            say(
                "Git ignores {path}: rule {pattern} in {source}, line {line}.",
                path=SETTINGS_FILE,
                pattern=pattern,
                source=source,
                line=line,
            ),
            Severity.NOTE,
            Location(SETTINGS_FILE),
            say("Settings that others are to share have to be committed."),
        ),
    )


def _not_a_file() -> Diagnostic:
    return Diagnostic(
        "settings-not-a-file",
        say("{path} is no plain file, so the settings in it are not read.", path=SETTINGS_FILE),
        Severity.WARNING,
        Location(SETTINGS_FILE),
        say("Put a plain file in its place."),
    )


def _not_imported(tools: list[str]) -> Diagnostic:
    return Diagnostic(
        "tools-not-imported",
        say(
            "{path} sets tools otherwise than {settings}, which stays as it is: {tools}.",
            path=TOOL_LIST,
            settings=SETTINGS_FILE,
            tools=", ".join(sorted(tools)),
        ),
        Severity.NOTE,
        Location(TOOL_LIST),
        say("Add a table tools.NAME with enabled = true or false for those you want."),
    )
