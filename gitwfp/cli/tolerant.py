"""Opens what set-up commands work in, also where the settings cannot be understood."""

from collections.abc import Iterator
from contextlib import contextmanager

from gitwfp.cli.app import App
from gitwfp.cli.language import translator
from gitwfp.cli.surroundings import settings_file
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
        loaded = load(settings_file(repo), repo.config().below("wfp"), app.environ)
    except Refusal as refusal:
        place = refusal.location
        main = Diagnostic(refusal.code, refusal.message, Severity.ERROR, place, refusal.hint)
        return Settings(), (main, *refusal.details)
    return loaded.settings, loaded.diagnostics
