"""`git wfp config`: settings listed with where they come from, read, set, taken out and edited."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

import click

from gitwfp.cli import aids
from gitwfp.cli.command import App, Result, command, option
from gitwfp.cli.editor import edit as open_editor
from gitwfp.cli.group import group
from gitwfp.cli.look import Look, Style, cells, pad, visible
from gitwfp.cli.options import DRY_RUN
from gitwfp.cli.surroundings import loaded_settings, surroundings
from gitwfp.cli.table import Entry, Table
from gitwfp.config import Loaded, Source, load
from gitwfp.config.keys import Value, rows
from gitwfp.config.reading import FILE_NAME
from gitwfp.config.sample import toml_value
from gitwfp.errors import Diagnostic, ExitCode, Refusal, Severity, Text, say
from gitwfp.flows.configure import (
    Setting,
    Target,
    setting_named,
    settings_file,
    understood,
    write,
)
from gitwfp.git.config import Config, read_config
from gitwfp.git.repository import Repository

_LOCAL = option(
    "--local", is_flag=True, help=say("In git's configuration of this repository instead.")
)
_GLOBAL = option("--global", "all_", is_flag=True, help=say("In your own git configuration."))

_SETTINGS: Final[Table] = {
    "list": Entry("gitwfp.cli.config:list_", say("Lists all settings with their values.")),
    "get": Entry("gitwfp.cli.config:get", say("Prints the value of one setting.")),
    "set": Entry("gitwfp.cli.config:set_", say("Gives a setting a value.")),
    "unset": Entry("gitwfp.cli.config:unset", say("Takes a setting out, for its default.")),
    "edit": Entry("gitwfp.cli.config:edit", say("Opens the settings file in your editor.")),
}

config = group(
    "config",
    _SETTINGS,
    help=say("Shows and changes settings."),
    examples=("git wfp config list --show-origin", "git wfp config set replan.landing merge"),
    notes=(
        say(
            "A setting stands in {file}, which the repository shares, or in git's configuration "
            "(wfp.*), which wins over the file; a variable of the environment (WFP_*) wins over "
            "both.",
            file=FILE_NAME,
        ),
    ),
)


@command(
    "list",
    help=say("Lists all settings with their values."),
    examples=("git wfp config list", "git wfp config list --show-origin"),
)
@option("--show-origin", is_flag=True, help=say("Say where each value comes from."))
def list_(app: App, show_origin: bool) -> Result:
    """Answers `git wfp config list`."""
    with surroundings(app) as env:
        loaded = loaded_settings(app, env.repo)
        found = tuple(
            _line(Setting(key, key.spelled(tool), tool), loaded, env.repo.config())
            for key, tool in rows(loaded.settings.tools)
        )
        data = aids.ConfigList(found)
        return Result(data, lambda look: _list_lines(found, look, show_origin), pages=True)


@command(
    "get",
    help=say("Prints the value of one setting."),
    examples=("git wfp config get replan.landing",),
    notes=(say("The exit code is 1 where the setting has no value."),),
)
@click.argument("name", metavar="KEY")
def get(app: App, name: str) -> Result:
    """Answers `git wfp config get`."""
    with surroundings(app) as env:
        setting = setting_named(name)
        line = _line(setting, loaded_settings(app, env.repo), env.repo.config())
        return Result(
            aids.ConfigGet(line),
            lambda _: () if line.value is None else (visible(_bare(line.value)),),
            ExitCode.NEGATIVE if line.value is None else ExitCode.DONE,
        )


@command(
    "set",
    help=say("Gives a setting a value."),
    examples=(
        "git wfp config set replan.landing merge",
        "git wfp config set --global ui.language zh_CN",
        'git wfp config set tools.codex.command \'["codex", "exec"]\'',
    ),
    notes=(
        say(
            "It is written into {file} at the worktree's root, where comments, layout and every "
            "other setting stay as they are. Nothing is staged or committed.",
            file=FILE_NAME,
        ),
    ),
)
@click.argument("name", metavar="KEY")
@click.argument("value")
@_LOCAL
@_GLOBAL
@DRY_RUN
def set_(app: App, name: str, value: str, local: bool, all_: bool, dry_run: bool) -> Result:
    """Answers `git wfp config set`."""
    target = _target(local=local, all_=all_)
    with _opened(app) as repo:
        setting = setting_named(name)
        wanted = understood(setting, value)
        changed = write(repo, setting, value, target, dry_run=dry_run)
        return _changed(app, repo, setting, wanted, target, changed=changed, dry_run=dry_run)


@command(
    "unset",
    help=say("Takes a setting out, for its default."),
    examples=("git wfp config unset replan.landing", "git wfp config unset --local lock.timeout"),
)
@click.argument("name", metavar="KEY")
@_LOCAL
@_GLOBAL
@DRY_RUN
def unset(app: App, name: str, local: bool, all_: bool, dry_run: bool) -> Result:
    """Answers `git wfp config unset`."""
    target = _target(local=local, all_=all_)
    with _opened(app) as repo:
        setting = setting_named(name)
        changed = write(repo, setting, None, target, dry_run=dry_run)
        return _changed(app, repo, setting, None, target, changed=changed, dry_run=dry_run)


@command(
    "edit",
    help=say("Opens the settings file in your editor."),
    examples=("git wfp config edit",),
    notes=(say("Afterwards the file is checked; it stays as you saved it."),),
)
def edit(app: App) -> Result:
    """Answers `git wfp config edit`."""
    with _opened(app) as repo:
        before = settings_file(repo)
        if not app.console.interactive:
            raise Refusal(
                "needs-terminal",
                say("An editor needs a terminal, and here is none."),
                ExitCode.USAGE,
                hint=say("git wfp config set changes a setting without an editor."),
            )
        top = repo.require_worktree()
        open_editor(top, os.path.join(top, FILE_NAME), app.environ)
        after = settings_file(repo)
        diagnostics = _checked(after)
        data = aids.ConfigEdit(FILE_NAME, before != after)
        text = (
            say("{file} is changed.", file=FILE_NAME) if data.changed else say("Nothing changed.")
        )
        return Result(data, lambda look: [look.say(text)], diagnostics=diagnostics)


@contextmanager
def _opened(app: App) -> Iterator[Repository]:
    """Opens the repository, also where the settings cannot be understood: they are to be mended."""
    with Repository.open(app.folder, app.environ) as repo:
        try:
            language = loaded_settings(app, repo).settings.ui.language or None
        except Refusal:
            language = None
        app.console.configure(language, repo.config().get("core.pager"))
        yield repo


def _target(*, local: bool, all_: bool) -> Target:
    if local and all_:
        raise Refusal(
            "two-places",
            say("--local and --global exclude each other."),
            ExitCode.USAGE,
            hint=say("Give one of them, or neither for {file}.", file=FILE_NAME),
        )
    return Target.LOCAL if local else Target.GLOBAL if all_ else Target.FILE


def _line(setting: Setting, loaded: Loaded, git: Config) -> aids.SettingLine:
    table, _, field = setting.name.rpartition(".")
    tools = loaded.settings.tools
    holder = tools.get(setting.tool) if setting.tool else getattr(loaded.settings, table)
    # A tool that nobody mentions has the values that every tool starts with.
    value = setting.key.default if holder is None else getattr(holder, field)
    origin = loaded.origins.get(setting.name)
    source = Source.DEFAULT if origin is None else origin.source
    place = None if origin is None else origin.name
    is_git = source is Source.GIT and place is not None
    return aids.SettingLine(
        setting.name,
        value,
        source.value,
        place,
        git.scope(place) if is_git and place is not None else None,
        setting.key.doc,
        setting.key.allowed,
    )


def _changed(
    app: App,
    repo: Repository,
    setting: Setting,
    value: Value,
    target: Target,
    *,
    changed: bool,
    dry_run: bool,
) -> Result:
    place = FILE_NAME if target is Target.FILE else setting.git_name
    data = aids.ConfigChange(
        setting.name, target.value, place, value, changed, changed and not dry_run
    )
    told = _told(data)
    return Result(
        data,
        lambda look: [look.say(told)],
        diagnostics=() if dry_run else _outdone(app, repo, setting, target, value),
        stands=told if data.written else None,
    )


def _told(data: aids.ConfigChange) -> Text:
    facts = {"name": data.name, "place": data.place}
    if not data.changed and data.value is None:
        return say("Nothing changed: {name} is not set in {place}.", **facts)
    if not data.changed:
        return say("Nothing changed: {place} says so already.", place=data.place)
    if data.value is None:
        if data.written:
            return say("{name} is not set in {place} any more.", **facts)
        return say("{name} would go from {place} (dry run).", **facts)
    value = toml_value(data.value)
    if data.written:
        return say("{name} is {value} now, in {place}.", value=value, **facts)
    return say("{name} would be {value}, in {place} (dry run).", value=value, **facts)


def _outdone(
    app: App, repo: Repository, setting: Setting, target: Target, value: Value
) -> tuple[Diagnostic, ...]:
    """Returns what keeps the change from having its effect: a place that wins, a broken setting."""
    git = read_config(repo.git)
    toml = None if repo.top is None else settings_file(repo)
    try:
        loaded = load(toml, git.below("wfp"), app.environ)
    except Refusal as refusal:
        return (
            Diagnostic(
                refusal.code, refusal.message, Severity.WARNING, refusal.location, refusal.hint
            ),
        )
    line = _line(setting, loaded, git)
    here = {
        Target.FILE: line.origin == Source.FILE,
        Target.LOCAL: line.scope == Target.LOCAL,
        Target.GLOBAL: line.scope == Target.GLOBAL,
    }
    if here[target] or line.place is None or (value is None and target is not Target.FILE):
        return ()
    if value is None and line.origin == Source.FILE:
        return ()
    return (
        Diagnostic(
            "setting-outdone",
            say(
                "{place} decides on {name}: {value} is in force.",
                place=line.place,
                name=setting.name,
                value=_bare(line.value),
            ),
            Severity.NOTE,
        ),
    )


def _checked(toml: bytes | None) -> tuple[Diagnostic, ...]:
    """Returns the warnings about a file that somebody has edited."""
    try:
        return load(toml, {}, {}).diagnostics
    except Refusal as refusal:
        raise Refusal(
            refusal.code,
            refusal.message,
            refusal.exit_code,
            hint=say("The file stays as you saved it; git wfp config edit opens it again."),
            location=refusal.location,
            details=refusal.details,
        ) from refusal


def _bare(value: Value) -> str:
    """Returns a value as one would type it."""
    if isinstance(value, str):
        return value
    return "" if value is None else toml_value(value)


def _list_lines(
    found: tuple[aids.SettingLine, ...], look: Look, show_origin: bool
) -> Iterable[str]:
    origins = [_origin(line, look) for line in found] if show_origin else [""] * len(found)
    width = max(map(cells, origins))
    for line, origin in zip(found, origins, strict=True):
        start = look.paint(pad(origin, width), Style.QUIET) + "  " if show_origin else ""
        if line.value is None:
            yield start + look.say(say("{name} is not set", name=line.name))
        else:
            yield f"{start}{line.name} = {visible(toml_value(line.value))}"


def _origin(line: aids.SettingLine, look: Look) -> str:
    if line.place is None:
        return look.say(say("default"))
    if line.scope is None:
        return visible(line.place)
    return look.say(say("{place} ({scope})", place=line.place, scope=line.scope))
