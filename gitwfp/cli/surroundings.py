"""Opens what a command works in: the repository, the settings, the content's language."""

from collections.abc import Iterator
from contextlib import contextmanager

from gitwfp.cli.app import App
from gitwfp.cli.language import translator
from gitwfp.config import Loaded, Settings, load
from gitwfp.config.reading import FILE_NAME
from gitwfp.flows.env import Env
from gitwfp.git.repository import Repository


@contextmanager
def surroundings(app: App) -> Iterator[Env]:
    """Opens the repository that the user stands in, and closes it again.

    Args:
        app: The command's surroundings.

    Raises:
        Refusal: There is no repository, or the settings cannot be understood.
    """
    with Repository.open(app.folder, app.environ, app.witness) as repo:
        settings = _settings(app, repo)
        app.console.configure(settings.ui.language or None, repo.config().get("core.pager"))
        words = translator(settings.content.language)
        yield Env(repo, settings, app.console, app.now, words)
        repo.swear()


def loaded_settings(app: App, repo: Repository) -> Loaded:
    """Reads the settings in force and where they come from.

    Args:
        app: The command's surroundings.
        repo: The repository.

    Raises:
        Refusal: They cannot be understood.
    """
    return load(settings_file(repo), repo.config().below("wfp"), app.environ)


def _settings(app: App, repo: Repository) -> Settings:
    loaded = loaded_settings(app, repo)
    for diagnostic in loaded.diagnostics:
        app.console.warn(diagnostic)
    return loaded.settings


def settings_file(repo: Repository) -> bytes | None:
    """Returns the settings file of the worktree, or of HEAD where there is no worktree."""
    tree = repo.commit_files(repo.head().commit) if repo.top is None else repo.worktree_files()
    try:
        return tree.read(FILE_NAME)
    except KeyError:
        return None
