"""Seals every test from the machine that it runs on, and hands out scenes.

Home, configuration, identity, language, time zone and editor are the test's own, so that a test
means the same on a laptop with a signed-commit setup, in CI, and in Chinese.
"""

import importlib.abc
import importlib.machinery
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings

from tests.scene import Scene

ROOT = Path(__file__).resolve().parent.parent

# A slow machine is no reason to fail; in CI the same examples run every time. WFP_EXAMPLES asks for
# more of them, here and where a test has a number of its own.
settings.register_profile(
    "gitwfp",
    deadline=None,
    max_examples=100 if "WFP_EXAMPLES" in os.environ else 40,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("gitwfp")


def pytest_configure() -> None:
    """Lets every signal arrive that the shell which started the tests has had ignored.

    A shell without job control starts what it sends into the background with Ctrl-C ignored, and
    each process that a test starts would inherit that.
    """
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            is_ctrl_c = number == signal.SIGINT
            signal.signal(number, signal.default_int_handler if is_ctrl_c else signal.SIG_DFL)


GIT_CONFIG = """\
[user]
\tname = Ada Lin
\temail = ada@example.org
[init]
\tdefaultBranch = main
[gc]
\tauto = 0
[maintenance]
\tauto = false
[protocol "file"]
\tallow = always
"""

DROPPED = {
    "CI",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "EMAIL",
    "FORCE_COLOR",
    "GNUPGHOME",
    "LANGUAGE",
    "LINES",
    "NO_COLOR",
    "SSH_ASKPASS",
    "SSH_AUTH_SOCK",
    "TEXTDOMAINDIR",
}
DROPPED_PREFIXES = ("GIT_", "LC_", "LANG", "PYTHON", "WFP_", "XDG_")
KEPT = {"WFP_CORPUS"}


def sealed_environment(home: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Returns an environment that knows this home and nothing else of the machine.

    Args:
        home: An existing folder; it becomes HOME and holds the git configuration.
        environ: The environment of the machine, for PATH and the like.
    """
    kept = {
        name: value
        for name, value in environ.items()
        if name in KEPT or (name not in DROPPED and not name.startswith(DROPPED_PREFIXES))
    }
    git_config = home / ".gitconfig"
    git_config.write_text(GIT_CONFIG)
    return kept | {
        "EDITOR": "false",
        "GIT_CONFIG_GLOBAL": str(git_config),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "HOME": str(home),
        "LC_ALL": "C",
        "PAGER": "cat",
        # The code of this tree runs, whatever the environment has installed.
        "PATH": os.pathsep.join(
            [str(Path(sys.executable).parent), environ.get("PATH", os.defpath)]
        ),
        "PYTHONPATH": str(ROOT),
        "TERM": "dumb",
        "TZ": "UTC",
        "VISUAL": "false",
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_RUNTIME_DIR": str(home),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
    }


def blank_search_paths(pygit2: ModuleType) -> None:
    """Takes libgit2's configuration files of system and user away."""
    levels = pygit2.enums.ConfigLevel
    for level in (levels.PROGRAMDATA, levels.SYSTEM, levels.XDG, levels.GLOBAL):
        pygit2.settings.search_path[level] = ""


class _BlankedLoader(importlib.abc.Loader):
    """Loads pygit2 and blanks its search paths before anyone can use it."""

    def __init__(self, loader: importlib.abc.Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Makes the module as the real loader does."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Runs the module, then blanks the search paths."""
        self._loader.exec_module(module)
        blank_search_paths(module)


class _Pygit2Finder(importlib.abc.MetaPathFinder):
    """Finds pygit2 only: tests that never import it do not pay for it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Returns the spec of pygit2 with the blanking loader, and None for all else."""
        if fullname != "pygit2":
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _BlankedLoader(spec.loader)
        return spec


sys.meta_path.insert(0, _Pygit2Finder())


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the homes of all tests of this process."""
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def home(homes: Path) -> Iterator[Path]:
    """Seals a test; the value is its home folder."""
    folder = Path(tempfile.mkdtemp(dir=homes))
    before = dict(os.environ)
    sealed = sealed_environment(folder, before)
    os.environ.clear()
    os.environ.update(sealed)
    time.tzset()
    try:
        yield folder
    finally:
        os.environ.clear()
        os.environ.update(before)
        time.tzset()
        shutil.rmtree(folder, ignore_errors=True)


_passed = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remembers whether the test itself passed, for the fixtures that end after it."""
    report = yield
    if report.when == "call":
        item.stash[_passed] = report.passed
    return report


@pytest.fixture
def scene(home: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Scene]:
    """A repository in a folder of its own; a run of the command that no one looked at fails."""
    made = Scene(tmp_path / "project", home=home)
    yield made
    if request.node.stash.get(_passed, False):
        unchecked = made.unchecked_runs()
        if unchecked:
            pytest.fail(f"nobody looked at the exit code of: {'; '.join(unchecked)}")


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real plan folders, from `WFP_CORPUS` or beside the project."""
    folder = Path(os.environ.get("WFP_CORPUS", ROOT.parent / "shared" / "corpus"))
    if not folder.is_dir():
        pytest.skip("no corpus: set WFP_CORPUS to a folder of plan folders")
    return folder
