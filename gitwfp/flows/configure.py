"""Settings changed on a person's behalf: in the repository's file, or in git's configuration.

The file is written at once and as a whole, and only when all of it can be understood afterwards.
Whoever saves it in the meantime keeps that version. Neither the index nor a commit is touched.
"""

import secrets
from enum import StrEnum
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.config import load
from gitwfp.config.keys import (
    TOOLS,
    Key,
    NotAllowed,
    Value,
    accept,
    find_key,
    rows,
    text_value,
)
from gitwfp.config.reading import FILE_NAME
from gitwfp.config.settings import USUAL_TOOLS
from gitwfp.config.wording import nearest, plain, shown
from gitwfp.config.writing import with_value, without_value
from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.git.folders import not_a_file
from gitwfp.git.program import GitProgram, to_text
from gitwfp.git.publish import held_back_signals
from gitwfp.git.repository import Repository
from gitwfp.git.worktree import EditedMeanwhile, Worktree

_NUMBER: Final = 0
_NOT_THERE: Final = 1


class Target(StrEnum):
    """Where a setting is changed."""

    FILE = "file"
    LOCAL = "local"
    GLOBAL = "global"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting, by the name that a person gave.

    Attributes:
        key: Its row in the table of all settings.
        name: Its name, `tools.codex.enabled`.
        tool: The tool that it is of; "" if it is of none.
    """

    key: Key
    name: str
    tool: str

    @property
    def git_name(self) -> str:
        """Its name in git's configuration."""
        return self.key.git_name(self.tool)


def setting_named(name: str) -> Setting:
    """Returns the setting of a name.

    Raises:
        Refusal: There is none (not found).
    """
    key = find_key(name)
    if key is None:
        known = [each.spelled(tool) for each, tool in rows(USUAL_TOOLS)]
        near = nearest(name, known)
        raise Refusal(
            "setting-not-found",
            say("There is no setting {name}.", name=plain(name)),
            ExitCode.NOT_FOUND,
            hint=say("Did you mean: {names}?", names=near)
            if near
            else say("git wfp config list shows all settings."),
        )
    return Setting(key, name, name.split(".")[1] if key.path[0] == TOOLS else "")


def understood(setting: Setting, text: str) -> Value:
    """Returns the value that a text stands for.

    Raises:
        Refusal: The setting cannot have it (usage); says what it can have.
    """
    try:
        return accept(setting.key, text_value(setting.key, text))
    except NotAllowed:
        raise Refusal(
            "bad-setting",
            say(
                "{name} cannot be {value}; it must be {allowed}.",
                name=setting.name,
                value=shown(text),
                allowed=setting.key.allowed,
            ),
            ExitCode.USAGE,
        ) from None


def write(
    repo: Repository, setting: Setting, text: str | None, target: Target, *, dry_run: bool
) -> bool:
    """Sets a setting or takes it out.

    Args:
        repo: The repository.
        setting: The setting.
        text: The value as it was typed; None takes the setting out.
        target: Where.
        dry_run: Whether to stop before anything is written.

    Returns:
        Whether anything changes.

    Raises:
        Refusal: The value cannot be had (usage), or the place cannot be written.
    """
    value = None if text is None else understood(setting, text)
    if target is not Target.FILE:
        return _write_git(repo.git, setting, text, target, dry_run=dry_run)
    before = settings_file(repo)
    old = before or b""
    new = without_value(old, setting.name) if text is None else with_value(old, setting.name, value)
    if new == old:
        return False
    load(new, {}, {})
    if not dry_run:
        with held_back_signals():
            _replace(Worktree(repo.require_worktree(), secrets.token_hex(8)), before, new)
    return True


def settings_file(repo: Repository) -> bytes | None:
    """Returns the settings file as it is now, None where there is none.

    Raises:
        Refusal: There is no worktree, or a link, a folder or a device is in its place.
    """
    top = repo.require_worktree()
    if repo.workflow_kind(FILE_NAME) not in ("file", "absent"):
        raise not_a_file(FILE_NAME)
    return Worktree(top, "").read(FILE_NAME)


def _replace(files: Worktree, before: bytes | None, after: bytes) -> None:
    try:
        files.prepare(FILE_NAME, _NUMBER, after)
        if before is not None:
            files.set_aside(FILE_NAME, _NUMBER)
        files.place(FILE_NAME, _NUMBER, before, remove=False)
        _check_aside(files, before)
    except BaseException:
        files.restore(FILE_NAME, _NUMBER, before, after)
        raise
    files.settle(FILE_NAME, _NUMBER, before)


def _check_aside(files: Worktree, before: bytes | None) -> None:
    if files.is_aside_edited(FILE_NAME, _NUMBER, before):
        raise EditedMeanwhile(FILE_NAME)


def _write_git(
    git: GitProgram, setting: Setting, text: str | None, target: Target, *, dry_run: bool
) -> bool:
    config = ("config", f"--{target}")
    done = git.run(*config, "-z", "--get-all", setting.git_name, ok=(0, _NOT_THERE))
    there = to_text(done.out).split("\0")[:-1]
    if there == ([] if text is None else [text]):
        return False
    if not dry_run:
        if text is None:
            git.run(*config, "--unset-all", setting.git_name)
        else:
            git.run(*config, "--replace-all", setting.git_name, text)
    return True
