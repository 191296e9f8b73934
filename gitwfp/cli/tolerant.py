"""Opens what set-up commands work in, also where the settings cannot be understood."""

from collections.abc import Iterator
from contextlib import contextmanager

from gitwfp.cli.app import App
from gitwfp.cli.language import translator
from gitwfp.cli.surroundings import SETTINGS_FILE
from gitwfp.config import Settings, load
from gitwfp.errors import Diagnostic, Refusal, Severity
from gitwfp.flows.env import Env
from gitwfp.git.repository import Repository


@contextmanager
def tolerant_surroundings(app: App) -> Iterator[tuple[Env, tuple[Diagnostic, ...]]]:
    """Opens the repository that the user stands in, and closes it again.

    Args:
        app: The command's surroundings.

    Yields:
        What a use case is given, and what is wrong with the settings. Where they cannot be
        understood, the defaults are in force.

    Raises:
        Refusal: There is no repository.
    """
    with Repository.open(app.folder, app.environ) as repo:
        settings, told = read_settings(app, repo)
        pager = repo.config().get("core.pager")
        app.console.configure(settings.ui.language or None, pager)
        words = translator(settings.content.language)
        yield Env(repo, settings, app.console, app.now, words), told


def read_settings(app: App, repo: Repository) -> tuple[Settings, tuple[Diagnostic, ...]]:
    """Returns the settings in force and what is wrong with them; the defaults if too much is."""
    try:
        config = repo.config()
        git_config = {key: config.get(key) for key in config.keys_below("wfp")}
        loaded = load(_file(repo), git_config, app.environ)
    except Refusal as refusal:
        place = refusal.location
        main = Diagnostic(refusal.code, refusal.message, Severity.ERROR, place, refusal.hint)
        return Settings(), (main, *refusal.details)
    return loaded.settings, loaded.diagnostics


def _file(repo: Repository) -> bytes | None:
    tree = repo.commit_files(repo.head().commit) if repo.top is None else repo.worktree_files()
    try:
        return tree.read(SETTINGS_FILE)
    except KeyError:
        return None
