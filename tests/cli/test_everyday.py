"""The plain words of the commands of every day mean what they mean to the library that parses."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitwfp.cli import judging, looking, verifying
from gitwfp.cli.app import App, Result
from gitwfp.cli.everyday import everyday
from gitwfp.cli.main import main
from gitwfp.cli.outputs import Version
from gitwfp.cli.table import COMMANDS
from tests.scene import Scene

WORDS = (
    *("WFS-a", "WFS-b", "a=b", "", "-", "--", "-s", "-sWFS-a", "-s=WFS-a", "--session"),
    *("--session=WFS-a", "--session=", "--sess", "--session=-x", "--json", "--no-input", "--at"),
    *(
        "--at=HEAD",
        "HEAD",
        "--staged",
        "--what-ifs",
        "-h",
        "--help",
        "--jso",
        "-C",
        ".",
        "--json=1",
        "--all",
        "--no-write",
        "-y",
        "--yes",
        "--no-w",
    ),
)

VERIFY = {"every": False, "form": None, "no_write": False, "yes": False}

Heard = list[tuple[str, dict[str, object]]]


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> Heard:
    """What the commands are called with, instead of an answer."""
    calls: Heard = []

    def listens(name: str) -> Callable[..., Result]:
        usual: dict[str, object] = {"at": None, "staged": False}
        usual |= {"what_ifs": False} if name == "list_" else {}
        usual |= VERIFY if name == "verify" else {}

        def listen(_: App, *sessions: str | None, **options: object) -> Result:
            calls.append((name, {"sessions": sessions, **usual, **options}))
            return Result(Version("1"))

        return listen

    for name in ("status", "list_", "next_"):
        monkeypatch.setattr(looking, name, listens(name))
    monkeypatch.setattr(verifying, "verify", listens("verify"))
    monkeypatch.setattr(judging, "pre_push", listens("pre_push"))
    return calls


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.sampled_from(["status", "list", "next", "verify"]),
    st.lists(st.sampled_from(WORDS), max_size=5),
)
def test_plain_words_mean_what_click_takes_them_for(
    heard: Heard, name: str, words: list[str]
) -> None:
    """Words that are understood without click lead to the same call as with it."""
    if everyday([name, *words]) is None:
        return
    heard.clear()
    assert main([name, *words]) == 0
    # Another table with the same commands is always parsed by click.
    assert main([name, *words], dict(COMMANDS)) == 0
    first, second = heard
    assert first == second


@pytest.mark.parametrize(
    "words",
    [
        ("status",),
        ("status", "WFS-a"),
        ("status", "-s", "WFS-a", "--json"),
        ("next", "--session=WFS-a", "--no-input"),
        ("list", "--json"),
        ("verify", "--no-write"),
        ("verify", "--all", "-y"),
        ("gate", "pre-push", "origin", "../central.git"),
    ],
)
def test_usual_words_are_plain(words: tuple[str, ...]) -> None:
    """What is typed all day is understood without click."""
    assert everyday(words) is not None


def test_what_the_hook_calls_is_plain(heard: Heard) -> None:
    """The gate is called alike with click and without it."""
    words = ["gate", "pre-push", "origin", "../central.git"]
    assert main(words) == main(words, dict(COMMANDS)) == 0
    assert heard[0] == heard[1]
    for more in (["--at"], ["--"], [""]):
        assert everyday([*words, *more]) is None
    assert everyday(["gate", "range", "HEAD~1..HEAD"]) is None


@pytest.mark.parametrize(
    "words",
    [
        ("status",),
        ("verify", "--no-write"),
        ("next",),
        ("list",),
        ("status", "--json"),
        ("status", "WFS-none"),
    ],
)
def test_both_ways_give_one_answer(
    scene: Scene,
    words: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Output, complaints and exit code are the same with click and without it."""
    scene.session("nested", 4)
    scene.session("flat", 3, session="WFS-second")
    scene.commit("plans")
    folder = Path(scene.path)
    for place in (folder, folder / ".workflow"):
        monkeypatch.chdir(place)
        plain = main(words), capsys.readouterr()
        parsed = main(words, dict(COMMANDS)), capsys.readouterr()
        assert plain == parsed
