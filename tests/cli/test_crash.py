"""Reports of bugs hold what helps and nothing that is nobody's business."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from gitwfp.cli.crash import as_refusal, scrubbed
from gitwfp.errors import ExitCode

NOW = datetime(2026, 11, 30, 19, 7, 52, tzinfo=UTC)
# In pieces: no file of the project names a home folder.
HOMES, USERS = "/ho" + "me", "/Us" + "ers"
ENVIRON = {
    "HOME": f"{HOMES}/ada",
    "MY_TOKEN": "s3cr3t-value",
    "DB_PASSWORD": "short",
    "OPENAI_API_KEY": "key-of-ada",
    "EDITOR": "visible-editor",
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{HOMES}/ada/plan.json", "~/plan.json"),
        (f"at {HOMES}/ada", "at ~"),
        (f"{HOMES}/adam/x and {USERS}/eve/y", "~/x and ~/y"),
        (f"/srv{HOMES}/x", f"/srv{HOMES}/x"),
        ("git push https://ada:pw@host/x", "git push https://***@host/x"),
        ("https://host/x@y", "https://host/x@y"),
        ("--token=abc --secret abc", "--token=*** --secret ***"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer ***"),
        ("{'password': 'abc'}", "{'password': '***'}"),
        ("ghp_0123456789abcdef AKIAIOSFODNN7EXAMPLE", "*** ***"),
        ("s3cr3t-value and key-of-ada", "*** and ***"),
        ("short visible-editor", "short visible-editor"),
        ("Tokens expire after an hour", "Tokens expire after an hour"),
        ("task IMPL-3", "task IMPL-3"),
    ],
)
def test_secrets_and_homes_are_taken_out(text: str, expected: str) -> None:
    """Values of secret variables, credentials, known tokens and home folders are replaced."""
    assert scrubbed(text, ENVIRON) == expected


@pytest.mark.parametrize("home", ["", "/"])
def test_a_home_that_is_none_hides_nothing(home: str) -> None:
    """Without a home, or with the root as one, paths stay readable."""
    assert scrubbed("/srv/plan.json", {"HOME": home}) == "/srv/plan.json"


def test_reports_do_not_overwrite_one_another(tmp_path: Path) -> None:
    """Two bugs in one second have two reports; the environment of the bug is in each."""
    (tmp_path / ".git").mkdir()
    environ = {"LANG": "zh_CN.UTF-8", "WFP_UI_LANGUAGE": "en", "OTHER": "not told"}
    for _ in range(2):
        refusal = as_refusal(ValueError("\udcff"), ("x",), str(tmp_path), environ, NOW)
        assert refusal.exit_code is ExitCode.BUG
    reports = sorted(path.name for path in (tmp_path / ".git" / "wfp").iterdir())
    assert reports == ["crash-20261130T190752Z-2.txt", "crash-20261130T190752Z.txt"]
    text = (tmp_path / ".git" / "wfp" / reports[1]).read_text("utf-8")
    assert "LANG=zh_CN.UTF-8" in text
    assert "WFP_UI_LANGUAGE=en" in text
    assert "not told" not in text
    assert "ValueError: \\udcff" in text


def test_the_git_folder_is_found_without_git(tmp_path: Path) -> None:
    """A bare repository, a linked worktree and GIT_DIR each get their own report."""
    (tmp_path / "bare" / "objects").mkdir(parents=True)
    (tmp_path / "bare" / "HEAD").touch()
    (tmp_path / "linked" / "deep").mkdir(parents=True)
    (tmp_path / "linked" / ".git").write_text("gitdir: ../bare/worktrees/linked\n")
    for folder, environ, expected in (
        ("bare/objects", {}, "bare/wfp"),
        ("linked/deep", {}, "bare/worktrees/linked/wfp"),
        ("linked", {"GIT_DIR": "../elsewhere"}, "elsewhere/wfp"),
    ):
        as_refusal(ValueError("x"), (), str(tmp_path / folder), environ, NOW)
        assert (tmp_path / expected / "crash-20261130T190752Z.txt").is_file()
