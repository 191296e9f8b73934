"""A commit that we write ourselves is the one that `git commit-tree` would have made."""

import os
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitwfp.git.commits import NewCommit, raw_commit, write_commits
from gitwfp.git.packing import object_id
from gitwfp.git.repository import Repository
from tests.scene import Scene

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


# Git takes Unicode's noncharacters for no UTF-8 at all and writes other letters in their place.
_LETTERS = st.characters(codec="utf-8", exclude_characters="\0").filter(
    lambda letter: ord(letter) & 0xFFFE != 0xFFFE and letter not in map(chr, range(0xFDD0, 0xFDF0))
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    message=st.text(_LETTERS, min_size=1),
    parents=st.integers(0, 3),
)
def test_the_same_commit_as_gits(scene: Scene, message: str, parents: int) -> None:
    """Whatever the message and however many the parents, the id is git's."""
    tree = scene.git("mktree", input="")
    above = [scene.git("commit-tree", tree, "-m", str(number)) for number in range(parents)]
    # A parent that is named twice counts once.
    above += above[:1]
    dates = {"GIT_AUTHOR_DATE": "@1800000000 +0100", "GIT_COMMITTER_DATE": "@1800000001 +0000"}
    with Repository.open(str(scene.path), {**os.environ, **dates}) as repo:
        raw = raw_commit(tree, above, repo.identity("author"), repo.identity("committer"), message)
    assert raw is not None
    options = [word for parent in above for word in ("-p", parent)]
    text = message if message.endswith("\n") else message + "\n"
    made = scene.git("commit-tree", *options, "-F", "-", tree, input=text.encode(), env=dates)
    assert object_id("commit", raw, "sha1") == made


@pytest.mark.parametrize(
    "env",
    [
        {},
        {"GIT_AUTHOR_NAME": "Ærø, 'the' <bold>", "GIT_COMMITTER_EMAIL": "x@y.example"},
        {"GIT_AUTHOR_DATE": "2020-02-03T04:05:06+0900"},
        {"GIT_COMMITTER_DATE": "@1700000000 -0330"},
    ],
)
def test_who_and_when_are_gits(scene: Scene, env: dict[str, str]) -> None:
    """Names are cleaned and dates read as git does, also where the environment sets them."""
    scene.write({"a": "1"})
    base = scene.commit("base")
    environ = {k: v for k, v in os.environ.items() if not k.endswith("_DATE")} | env
    with Repository.open(str(scene.path), environ) as repo:
        new = (NewCommit("subject\n\nbody", {"a": b"2"}),)
        (made,) = write_commits(repo, base, new, now=NOW, signoff=False, timeout=1)
    scene.git("update-ref", "refs/heads/made", made)
    scene.git("fsck", "--strict")
    date = f"@{int(NOW.timestamp())} +0000"
    dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    tree = scene.git("rev-parse", f"{made}^{{tree}}")
    words = ("commit-tree", "-p", base, "-F", "-", tree)
    assert scene.git(*words, input="subject\n\nbody\n", env={**dates, **env}) == made


@pytest.mark.parametrize("config", ["ISO-8859-1", "UTF-8"])
def test_another_encoding_is_left_to_git(scene: Scene, config: str) -> None:
    """Where messages are to be in another encoding, git makes the commit and says which."""
    base = scene.commit("base")
    scene.git("config", "i18n.commitEncoding", config)
    with Repository.open(str(scene.path), os.environ) as repo:
        new = (NewCommit("größer", {"a": b"2"}),)
        (made,) = write_commits(repo, base, new, now=NOW, signoff=False, timeout=1)
    assert scene.git("log", "-1", "--encoding=UTF-8", "--format=%B%e", made) == (
        "größer\n" + ("" if config == "UTF-8" else config)
    )


def test_what_git_would_change_is_left_to_it() -> None:
    """A name that is no UTF-8 and a message with a NUL are not for us to write."""
    who = "A <a@example.org> 1 +0000"
    assert raw_commit("1" * 40, (), "\udce9 <a@example.org> 1 +0000", who, "text") is None
    assert raw_commit("1" * 40, (), who, who, "te\0xt") is None
