"""Walks over commits, compared with what git log shows."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitwfp.errors import Refusal
from gitwfp.git.history import (
    ChangedPath,
    branches_holding,
    changed_paths,
    commit_info,
    contains,
    is_ancestor,
    merge_base,
    parse_log,
    plan_commits,
    reachable_trailers,
)
from gitwfp.git.repository import Repository
from tests.scene import Scene, logical_time

PLAN = (".workflow",)


def opened(scene: Scene, environ: Mapping[str, str] | None = None) -> Repository:
    """Opens the repository of a scene."""
    return Repository.open(str(scene.path), {**os.environ, **(environ or {})})


def change(scene: Scene, path: str, message: str) -> str:
    """Commits a change of one file and returns the commit's id."""
    file = scene.path / path
    before = file.read_text() if file.exists() else ""
    scene.write({path: before + message + "\n"})
    return scene.commit(message)


@pytest.fixture
def line(scene: Scene) -> tuple[Scene, list[str]]:
    """Five commits in a row, of which the even ones touch the plan."""
    paths = (".workflow/plan.json", "src/app.py")
    return scene, [change(scene, paths[n % 2], f"change {n}") for n in range(5)]


def test_only_commits_that_touch_the_paths_newest_first(line: tuple[Scene, list[str]]) -> None:
    """Other commits are passed over, and no path at all means every commit."""
    scene, made = line
    repo = opened(scene)
    assert [c.id for c in plan_commits(repo, made[4], PLAN)] == [made[4], made[2], made[0]]
    assert [c.id for c in plan_commits(repo, made[3], PLAN)] == [made[2], made[0]]
    assert [c.id for c in plan_commits(repo, made[4], ())] == made[::-1]
    assert list(plan_commits(repo, made[4], ["missing", "*.json"])) == []


def test_since_and_limit_cut_the_walk(line: tuple[Scene, list[str]]) -> None:
    """What is reachable from `since` is left out, itself too, and no more than `limit` come."""
    scene, made = line
    repo = opened(scene)
    assert [c.id for c in plan_commits(repo, made[4], PLAN, since=made[0])] == [made[4], made[2]]
    assert [c.id for c in plan_commits(repo, made[4], PLAN, since=made[2])] == [made[4]]
    assert [c.id for c in plan_commits(repo, made[4], PLAN, limit=2)] == [made[4], made[2]]
    assert list(plan_commits(repo, made[4], PLAN, limit=0)) == []
    assert list(plan_commits(repo, made[4], PLAN, since=made[4])) == []


def test_children_come_before_parents_whatever_their_dates(scene: Scene) -> None:
    """A commit with a wrong clock does not change places with its parent."""
    scene.write({".workflow/a": "1"})
    first = scene.commit("first", n=100)
    scene.write({".workflow/a": "2"})
    second = scene.commit("second", n=1)
    scene.write({".workflow/a": "3"})
    third = scene.commit("third", n=50)
    found = [commit.id for commit in plan_commits(opened(scene), third, PLAN)]
    assert found == [third, second, first]


def test_a_commit_tells_all_about_itself(scene: Scene) -> None:
    """Author, time with zone, subject, body and trailers are as they were written."""
    message = (
        "A subject\nthat goes on\n\nA body: with a colon.\n\n"
        "Wfp-Run: one\nWfp-Run: two\nWfp-Empty:\nSigned-off-by: Bo <bo@example.org>\n"
        "Wfp-Long: begins\n and goes on\n"
    )
    scene.git("commit", "--allow-empty", "-m", "parent")
    parent = scene.git("rev-parse", "HEAD")
    scene.git(
        *("commit", "--quiet", "--allow-empty", "--cleanup=verbatim", "--file=-"),
        input=message,
        env={
            "GIT_AUTHOR_NAME": "Bö <Lin",
            "GIT_AUTHOR_DATE": "1700000000 -0330",
            "GIT_COMMITTER_NAME": "Someone Else",
        },
    )
    info = commit_info(opened(scene), scene.git("rev-parse", "HEAD"))
    assert info.id == scene.git("rev-parse", "HEAD")
    assert info.parents == (parent,)
    assert info.author == "Bö Lin <ada@example.org>"
    assert info.time == (1700000000, -210)
    assert info.subject == "A subject that goes on"
    assert info.body.startswith("A body: with a colon.\n\nWfp-Run: one\n")
    assert info.trailers == {
        "Wfp-Run": ("one", "two"),
        "Wfp-Empty": ("",),
        "Signed-off-by": ("Bo <bo@example.org>",),
        "Wfp-Long": ("begins and goes on",),
    }
    assert not info.is_boundary


@pytest.mark.parametrize("message", ["", "\n\n", "only a subject", "Wfp-Run: not a trailer"])
def test_messages_without_a_body(scene: Scene, message: str) -> None:
    """An empty message and a mere subject have neither body nor trailers."""
    tree = scene.git("mktree", input="")
    made = scene.git("commit-tree", tree, input=message)
    info = commit_info(opened(scene), made)
    assert (info.subject, info.body, info.trailers) == (message.strip(), "", {})
    assert info.parents == ()


def test_other_encodings_come_as_text(scene: Scene) -> None:
    """A declared encoding is converted, and bytes that are no text do no harm."""
    scene.git("config", "i18n.commitEncoding", "ISO-8859-1")
    scene.git("config", "i18n.logOutputEncoding", "ISO-8859-1")
    tree = scene.git("mktree", input="")
    latin = scene.git("commit-tree", tree, input="caf\udce9\n\nWfp-Run: na\udcefve\n")
    scene.git("config", "--unset", "i18n.commitEncoding")
    who = "A <a@b> 1 +0000"
    raw = f"tree {tree}\nparent {latin}\nauthor {who}\ncommitter {who}\n\ncaf\udce9\n"
    broken = scene.git("hash-object", "-t", "commit", "-w", "--stdin", input=raw)
    repo = opened(scene)
    first, second = plan_commits(repo, broken, ())
    assert first.subject == "caf\N{REPLACEMENT CHARACTER}"
    assert (second.subject, second.trailers) == ("café", {"Wfp-Run": ("naïve",)})


def test_users_settings_for_log_do_not_matter(line: tuple[Scene, list[str]]) -> None:
    """Formats, colours, signatures, notes and following renames are for people."""
    scene, made = line
    plain = list(plan_commits(opened(scene), made[4], (".workflow/plan.json",)))
    for key, value in {
        "color.ui": "always",
        "format.pretty": "oneline",
        "log.date": "relative",
        "log.decorate": "full",
        "log.follow": "true",
        "log.showSignature": "true",
        "log.mailmap": "false",
        "notes.displayRef": "*",
        "core.pager": "false",
        "core.quotePath": "true",
        "diff.renames": "copies",
    }.items():
        scene.git("config", key, value)
    scene.git("notes", "add", "-m", "a note", made[4])
    assert list(plan_commits(opened(scene), made[4], (".workflow/plan.json",))) == plain


@pytest.fixture
def merged(scene: Scene) -> tuple[Scene, dict[str, str]]:
    """Two branches that both changed the plan, and one whose changes cancel out."""
    made = {"base": change(scene, ".workflow/a", "base")}
    for name in ("left", "right", "idle"):
        scene.git("switch", "--quiet", "--create", name, made["base"])
        if name == "idle":
            made["idle 1"] = change(scene, ".workflow/idle", "idle 1")
            scene.git("rm", "--quiet", ".workflow/idle")
            made["idle 2"] = scene.commit("idle 2\n\nWfp-Tasks-Deleted: IMPL-9")
        else:
            made[name] = change(scene, f".workflow/{name}", f"{name}\n\nWfp-Tasks-Added: {name}")
    scene.git("switch", "--quiet", "main")
    for n, name in enumerate(("left", "right", "idle")):
        date = logical_time(100 + n).isoformat()
        env = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        scene.git("merge", "--quiet", "--no-ff", "--no-edit", name, env=env)
        made[f"merge {name}"] = scene.git("rev-parse", "HEAD")
    return scene, made


def test_walks_go_into_what_was_merged(merged: tuple[Scene, dict[str, str]]) -> None:
    """Both sides of a merge are seen; one that changed nothing in the end only in full."""
    scene, made = merged
    repo = opened(scene)
    names = {commit: name for name, commit in made.items()}
    found = [names[c.id] for c in plan_commits(repo, made["merge idle"], PLAN)]
    assert set(found) == {"merge right", "left", "right", "base"}
    assert found == [names[i] for i in git_log(scene, "--date-order")]
    full = [names[c.id] for c in plan_commits(repo, made["merge idle"], PLAN, full=True)]
    assert {"idle 1", "idle 2"} <= set(full)
    assert full == [names[i] for i in git_log(scene, "--date-order", "--full-history")]
    merge = commit_info(repo, made["merge left"])
    assert merge.parents == (made["base"], made["left"])


def git_log(scene: Scene, *options: str) -> list[str]:
    """Returns what git log lists for the plan."""
    return scene.git("log", "--format=%H", *options, "HEAD", "--", *PLAN).split()


def test_trailers_of_all_that_is_reachable(merged: tuple[Scene, dict[str, str]]) -> None:
    """Values come from every branch that was merged, those of an undone one too, each once."""
    scene, made = merged
    repo = opened(scene)
    keys = ("Wfp-Tasks-Added", "wfp-tasks-deleted", "Wfp-None")
    found = reachable_trailers(repo, made["merge idle"], keys, PLAN)
    assert set(found["Wfp-Tasks-Added"]) == {"left", "right"}
    assert found["wfp-tasks-deleted"] == ("IMPL-9",)
    assert found["Wfp-None"] == ()
    assert reachable_trailers(repo, made["left"], keys)["Wfp-Tasks-Added"] == ("left",)
    assert reachable_trailers(repo, made["base"], keys)["Wfp-Tasks-Added"] == ()


def test_trailers_newest_first_and_each_once(scene: Scene) -> None:
    """A value that comes again is not listed twice, and a mention in the text does not count."""
    for n, text in enumerate(("Wfp-Id: b", "Wfp-Id: a\nWfp-Id: c", "WFP-ID: b", "x\n\nnot one")):
        scene.write({"f": str(n)})
        scene.commit(f"Wfp-Id: subject\n\nWfp-Id: text before\n\n{text}")
    repo = opened(scene)
    assert reachable_trailers(repo, "HEAD", ["Wfp-Id"]) == {"Wfp-Id": ("b", "a", "c")}
    assert reachable_trailers(repo, "HEAD", []) == {}


def test_a_shallow_boundary_is_marked(line: tuple[Scene, list[str]]) -> None:
    """Where history is cut off there are no parents, and that is said."""
    scene, made = line
    scene.git("clone", "--quiet", "--depth=2", scene.path.as_uri(), "../shallow")
    repo = opened(scene.beside("shallow"))
    commits = list(plan_commits(repo, made[4], ()))
    assert [(c.id, c.is_boundary) for c in commits] == [(made[4], False), (made[3], True)]
    assert commits[1].parents == ()


def test_changed_paths_are_gits(scene: Scene) -> None:
    """Added, removed, changed, renamed, of another mode or kind: each path by itself."""
    scene.write({".workflow/kept": "k", ".workflow/gone": "g", ".workflow/moved": "m" * 99})
    scene.write({".workflow/mode": "x", ".workflow/kind": "to be a link", "src/a": "1"})
    before = scene.commit("before")
    scene.git("mv", ".workflow/moved", ".workflow/to\there")
    scene.write({".workflow/gone": None, ".workflow/new": "n", "src/a": "2"})
    (scene.path / ".workflow/mode").chmod(0o755)
    (scene.path / ".workflow/kind").unlink()
    (scene.path / ".workflow/kind").symlink_to("kept")
    after = scene.commit("after")
    repo = opened(scene)

    def blob(commit: str, name: str) -> str:
        return scene.git("rev-parse", f"{commit}:.workflow/{name}")

    plain, executable, link = 0o100644, 0o100755, 0o120000
    assert changed_paths(repo, before, after, ".workflow") == (
        ChangedPath(".workflow/gone", blob(before, "gone"), None, plain, 0),
        ChangedPath(".workflow/kind", blob(before, "kind"), blob(after, "kind"), plain, link),
        ChangedPath(".workflow/mode", blob(before, "mode"), blob(after, "mode"), plain, executable),
        ChangedPath(".workflow/moved", blob(before, "moved"), None, plain, 0),
        ChangedPath(".workflow/new", None, blob(after, "new"), 0, plain),
        ChangedPath(".workflow/to\there", None, blob(after, "to\there"), 0, plain),
    )
    assert [c.path for c in changed_paths(repo, before, after)][-1] == "src/a"
    assert changed_paths(repo, before, before) == ()
    assert changed_paths(repo, before, after, "src/*") == ()
    with pytest.raises(Refusal) as caught:
        changed_paths(repo, scene.git("rev-parse", f"{after}^{{tree}}"), after)
    assert caught.value.code == "object-kind"


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_nothing_stands_for_the_empty_tree(home: Path, tmp_path: Path, object_format: str) -> None:
    """Compared with None, all paths are new or gone."""
    init = (f"--object-format={object_format}",)
    scene = Scene(tmp_path / object_format, home=home, init=init)
    scene.write({"a": "1", "b": "2"})
    made = scene.commit("two")
    repo = opened(scene)
    assert [(c.path, c.before) for c in changed_paths(repo, None, made)] == [
        ("a", None),
        ("b", None),
    ]
    assert [(c.path, c.after) for c in changed_paths(repo, made, None)] == [
        ("a", None),
        ("b", None),
    ]
    assert changed_paths(repo, None, None) == ()


def test_kinship(merged: tuple[Scene, dict[str, str]]) -> None:
    """Bases, ancestors and the refs that hold a commit are git's."""
    scene, made = merged
    repo = opened(scene)
    tree = scene.git("mktree", input="")
    stranger = scene.git("commit-tree", tree, "-m", "stranger")
    assert merge_base(repo, made["left"], made["right"]) == made["base"]
    assert merge_base(repo, made["left"], made["merge idle"]) == made["left"]
    assert merge_base(repo, made["left"], stranger) is None
    assert is_ancestor(repo, made["base"], made["left"])
    assert is_ancestor(repo, made["left"], made["left"])
    assert not is_ancestor(repo, made["left"], made["right"])
    assert not is_ancestor(repo, made["left"], stranger)
    scene.git("update-ref", "refs/wfp/pending/x", made["right"])
    assert branches_holding(repo, made["left"]) == ("refs/heads/left", "refs/heads/main")
    assert contains(repo, made["right"]) == (
        "refs/heads/main",
        "refs/heads/right",
        "refs/wfp/pending/x",
    )
    assert contains(repo, made["right"], "refs/wfp/") == ("refs/wfp/pending/x",)
    assert contains(repo, stranger) == ()


def test_what_is_no_commit_is_refused(line: tuple[Scene, list[str]]) -> None:
    """Ids that are not there and options raise a refusal, and nothing is found by mistake."""
    scene, _ = line
    repo = opened(scene)
    for wrong in ("0" * 40, "--all", "nonsense"):
        with pytest.raises(Refusal):
            commit_info(repo, wrong)
        with pytest.raises(Refusal):
            list(plan_commits(repo, wrong, PLAN))
        with pytest.raises(Refusal):
            is_ancestor(repo, wrong, "HEAD")
        with pytest.raises(Refusal):
            changed_paths(repo, wrong, "HEAD")


def test_replaced_commits_are_seen_as_git_shows_them(line: tuple[Scene, list[str]]) -> None:
    """History after a `git replace` is the one that the user sees in git log."""
    scene, made = line
    scene.git("replace", "--graft", made[2])
    assert [c.id for c in plan_commits(opened(scene), made[4], PLAN)] == [made[4], made[2]]


LINES = st.text(
    alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0\x1e\x1f\r"),
    max_size=12,
)


KEYS = st.from_regex(re.compile(r"[A-Z][a-z-]{0,5}", re.ASCII), fullmatch=True)


@given(
    subject=LINES.map(lambda text: " ".join(text.split())),
    body=st.lists(LINES).map("\n".join),
    trailers=st.lists(st.tuples(KEYS, LINES)),
    count=st.integers(min_value=0, max_value=3),
)
def test_any_text_survives_the_way_through_a_log(
    subject: str, body: str, trailers: list[tuple[str, str]], count: int
) -> None:
    """What git writes in our format is taken apart into what it was made of."""
    fields = (
        "1" * 40,
        "2" * 40 + " " + "3" * 40,
        "A <a@b>",
        "12 +0530",
        subject,
        body + "\n",
        "\x1e".join(f"{key}\x1f{value}" for key, value in trailers),
    )
    record = "\0".join(fields).encode() + b"\0"
    commits = list(parse_log(record * count, frozenset({"1" * 40})))
    assert len(commits) == count
    for commit in commits:
        assert commit.parents == ("2" * 40, "3" * 40)
        assert (commit.author, commit.time, commit.is_boundary) == ("A <a@b>", (12, 330), True)
        assert (commit.subject, commit.body) == (subject, (body + "\n").rstrip("\n"))
        flat = [(key, value) for key, values in commit.trailers.items() for value in values]
        assert sorted(flat) == sorted((key, value.strip()) for key, value in trailers)
