"""Publishing: what is written, what is looked at, and what moves only if nobody else was there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.files.tree import FileTree
from gitwfp.git.index import settled_state, state_of
from gitwfp.git.publish import NewCommit, publish, worktree_form
from gitwfp.git.recovery import drop_pending
from tests.git.publishing import (
    BRANCH,
    FOLDER,
    LIST,
    NEW,
    NEW_FILES,
    NOW,
    OLD_FILES,
    TASK,
    fail_at,
    files_now,
    leavings,
    look_away,
    open_at,
    plan,
    replan,
)
from tests.scene import Scene

ROOT = Path(__file__).resolve().parents[2]


def assert_new(scene: Scene) -> None:
    """Asserts that HEAD, index and worktree are at the new plan, with nothing left over."""
    assert files_now(scene) == NEW_FILES
    # Before anything else refreshes the index: its entries know the files already.
    assert scene.git("diff-files") == ""
    assert scene.git("status", "--porcelain") == ""
    assert leavings(scene) == []
    scene.git("fsck", "--strict")


def refusal(scene: Scene, **changed: object) -> Refusal:
    """Publishes, asserts that it is refused without a trace, and returns the refusal."""
    before = scene.snapshot()
    with pytest.raises(Refusal) as refused:
        replan(scene, **changed)
    assert scene.snapshot() == before
    assert leavings(scene) == []
    return refused.value


def test_commits_are_stacked_and_the_last_one_lands(scene: Scene) -> None:
    """Checkpoint and replan become two commits; branch and HEAD are at the second."""
    base = plan(scene)
    edited = b"- [x] IMPL-1\n- [ ] IMPL-2\n"
    scene.write({LIST: edited})
    commits = [NewCommit("checkpoint(x): y", {LIST: edited}), NewCommit("replan", NEW_FILES)]
    made = replan(scene, commits=commits, expect={**OLD_FILES, LIST: edited})
    assert scene.git("rev-list", "HEAD").split() == [*reversed(made.commits), base]
    assert scene.git("show", f"{made.commits[0]}:{LIST}").encode() + b"\n" == edited
    assert made.branch == BRANCH
    assert scene.git("rev-parse", BRANCH) == made.commits[1]
    assert scene.git("reflog", "-1", "--format=%gs", "main") == "wfp: replan"
    moment = int(NOW.timestamp())
    assert scene.git("log", "-1", "--format=%at %ct") == f"{moment} {moment}"
    assert_new(scene)


def test_the_look_sees_the_commit_and_can_refuse_it(scene: Scene) -> None:
    """What was written is read back before anything moves; a refusal leaves nothing."""
    plan(scene)
    seen: dict[str, bytes] = {}

    def look(files: FileTree) -> None:
        seen.update({entry.path: files.read(entry.path) for entry in files.entries(FOLDER)})
        raise Refusal("broken-plan", say("No."), ExitCode.REFUSED)

    assert refusal(scene, look=look).code == "broken-plan"
    assert seen == {path: data for path, data in NEW_FILES.items() if data is not None}


def test_environment_names_author_committer_and_dates(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GIT_AUTHOR_* and GIT_COMMITTER_* win over the configuration and over the clock."""
    plan(scene)
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Bo")
    monkeypatch.setenv("GIT_AUTHOR_DATE", "@1000000000 +0200")
    monkeypatch.setenv("GIT_COMMITTER_EMAIL", "bot@example.org")
    replan(scene)
    shown = scene.git("log", "-1", "--format=%an %at %cn %ce %ct")
    assert shown == f"Bo 1000000000 Ada Lin bot@example.org {int(NOW.timestamp())}"


def test_without_an_identity_nothing_is_created(scene: Scene) -> None:
    """No invented author: the refusal comes first and names both settings."""
    plan(scene)
    Path(os.environ["GIT_CONFIG_GLOBAL"]).write_text("[user]\n\tuseConfigOnly = true\n")
    error = refusal(scene)
    assert error.exit_code == ExitCode.ENVIRONMENT
    assert "user.name" in str(error.hint)
    assert "user.email" in str(error.hint)


def test_the_message_follows_the_commit_encoding(scene: Scene) -> None:
    """i18n.commitEncoding is honoured where it can spell the message, else UTF-8 is used."""
    plan(scene)
    scene.git("config", "i18n.commitEncoding", "ISO-8859-1")
    replan(scene, commits=[NewCommit("Hafenmeister prüft", NEW_FILES)])
    raw = subprocess.run(
        ["git", "cat-file", "commit", "HEAD"], cwd=scene.path, capture_output=True, check=True
    ).stdout
    assert b"\nencoding ISO-8859-1\n" in raw
    assert raw.endswith("prüft\n".encode("latin-1"))
    back = {path: OLD_FILES[path] for path in OLD_FILES}
    with open_at(scene) as repo:
        head = repo.head()
        publish(
            repo,
            base=head.commit,
            commits=[NewCommit("修改计划", back)],
            branch=None,
            move=head.ref,
            reflog="wfp: replan",
            expect=NEW_FILES,
            look=look_away,
            now=NOW,
        )
    assert scene.git("log", "-1", "--format=%s", "--encoding=UTF-8") == "修改计划"


def test_signoff_is_a_trailer(scene: Scene) -> None:
    """With signoff, the committer's line joins the trailers that are there."""
    plan(scene)
    replan(scene, signoff=True)
    shown = scene.git("log", "-1", "--format=%(trailers:only,unfold)").split("\n")
    assert shown[:2] == ["Wfp-Session: WFS-harbour", "Signed-off-by: Ada Lin <ada@example.org>"]


def test_further_parents_make_a_merge(scene: Scene) -> None:
    """A landing by merge has the branch as second parent."""
    plan(scene)
    scene.git("branch", "side")
    scene.git("commit", "--quiet", "--allow-empty", "--message", "on main")
    side = scene.git("rev-parse", "side")
    base = scene.git("rev-parse", "HEAD")
    replan(scene, commits=[NewCommit("merge", NEW_FILES, (side,))])
    assert scene.git("log", "-1", "--format=%P").split() == [base, side]
    assert_new(scene)


def test_a_commit_that_is_there_already_lands_as_it_is(scene: Scene) -> None:
    """A fast-forward moves to the commit on the branch, without making another one."""
    plan(scene)
    left = replan(scene, move=None)
    commits = [NewCommit("", NEW_FILES, made=left.commits[0])]
    made = replan(scene, commits=commits, branch=None)
    assert made.commits == left.commits
    assert scene.git("rev-parse", "HEAD") == left.commits[0]
    assert_new(scene)


def test_detached_head_moves_alone(scene: Scene) -> None:
    """On a detached HEAD only HEAD and the new branch move."""
    base = plan(scene)
    scene.git("checkout", "--quiet", "--detach")
    made = replan(scene)
    assert made.moved == "HEAD"
    assert scene.git("rev-parse", "main") == base
    assert scene.git("rev-parse", "HEAD") == made.commits[0]
    assert scene.git("symbolic-ref", "--quiet", "HEAD", ok=(1,)) == ""
    assert_new(scene)


@pytest.mark.parametrize("staged", [False, True])
def test_an_unborn_branch_gets_a_root_commit(scene: Scene, staged: bool) -> None:
    """The first commit of a repository holds the plan and nothing that the user has staged."""
    scene.write({"src/app.py": "", **{p: data for p, data in OLD_FILES.items() if data}})
    if staged:
        scene.git("add", "src/app.py")
    made = replan(scene, base=None)
    assert scene.git("log", "--format=%P") == ""
    assert scene.git("rev-parse", "main") == made.commits[0]
    assert "src" not in scene.git("ls-tree", "-r", "--name-only", "HEAD")
    assert scene.git("status", "--porcelain") == ("A  src/app.py" if staged else "?? src/")
    assert files_now(scene) == NEW_FILES
    assert leavings(scene) == []


def test_a_failure_on_an_unborn_branch_leaves_it_unborn(scene: Scene) -> None:
    """Nothing of a refused first commit stays."""
    scene.write({p: data for p, data in OLD_FILES.items() if data})
    before = files_now(scene)

    def fail() -> None:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        replan(scene, base=None, fail_at=fail_at("checked", fail))
    assert files_now(scene) == before
    assert scene.git("for-each-ref") == ""
    assert scene.git("ls-files") == ""
    assert leavings(scene) == []


def test_sha256(home: Path, tmp_path: Path) -> None:
    """A repository with SHA-256 ids works the same."""
    scene = Scene(tmp_path / "long", home=home, init=("--object-format=sha256",))
    plan(scene)
    made = replan(scene)
    assert len(made.commits[0]) == 64
    assert_new(scene)


def test_a_bare_repository_gets_a_branch(scene: Scene) -> None:
    """Without a worktree a replan can still be left on a branch."""
    plan(scene)
    bare = scene.clone("bare.git", "--bare")
    made = replan(bare, move=None)
    assert bare.git("rev-parse", BRANCH) == made.commits[0]
    assert bare.git("for-each-ref", "refs/wfp") == ""


def test_odd_names_are_paths_like_any_other(scene: Scene) -> None:
    """Spaces, quotes, newlines, globs, dashes and bytes that are no text survive."""
    plan(scene)
    names = ["a b", "-x", "*", 'q"uo', "li\nne", "ta\tb", "ünï", "\udcff", ":(top)x", "#c"]
    new: dict[str, bytes | None] = {f"{FOLDER}/{name}.json": b"{}\n" for name in names}
    replan(scene, commits=[NewCommit("odd", new)], expect=dict.fromkeys(new))
    assert scene.git("status", "--porcelain") == ""
    assert len(scene.git("ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0")) == 15
    back = dict.fromkeys(new)
    replan(scene, commits=[NewCommit("gone", back)], expect=new, branch=None)
    assert scene.git("status", "--porcelain") == ""
    assert files_now(scene) == OLD_FILES


# ------------------------------------------------------------- somebody else was there


def test_a_file_edited_before_is_not_overwritten(scene: Scene) -> None:
    """A worktree that is not as expected is refused, naming the file."""
    plan(scene)
    scene.write({TASK: "{}\n"})
    error = refusal(scene)
    assert error.code == "changed-meanwhile"
    assert error.exit_code == ExitCode.CONFLICT
    assert error.location.path == TASK


@pytest.mark.parametrize("step", ["looked", "index-locked", "file-ready"])
def test_a_file_saved_meanwhile_wins(scene: Scene, step: str) -> None:
    """An edit saved at any moment before its file is replaced stays; the rest goes back."""
    old = plan(scene)
    mine = "- [ ] mine\n"
    with pytest.raises(Refusal) as refused:
        replan(scene, fail_at=fail_at(step, lambda: scene.write({LIST: mine})))
    assert refused.value.exit_code == ExitCode.CONFLICT
    assert files_now(scene) == {**OLD_FILES, LIST: mine.encode()}
    assert scene.git("rev-parse", "HEAD") == old
    assert scene.git("status", "--porcelain") == f" M {LIST}"
    assert leavings(scene) == []


@pytest.mark.parametrize("rename", [False, True])
def test_a_file_saved_between_two_renames_wins(scene: Scene, rename: bool) -> None:
    """The old version is set aside and compared: also an editor that is quicker than us wins."""
    plan(scene)

    times = []

    def save() -> None:
        # The file that goes comes first, the task is the second to be set aside.
        times.append(1)
        if len(times) != 2:
            return
        if rename:
            other = scene.path / "other"
            other.write_bytes(b"mine\n")
            other.rename(scene.path / TASK)
        else:
            (scene.path / TASK).write_bytes(b"mine\n")

    with pytest.raises(Refusal) as refused:
        replan(scene, fail_at=fail_at("file-aside", save))
    assert refused.value.location.path == TASK
    assert files_now(scene) == {**OLD_FILES, TASK: b"mine\n"}
    assert leavings(scene) == []


def test_a_save_through_a_file_held_open_wins(scene: Scene) -> None:
    """Bytes written into the old file after it was replaced are found before the refs move."""
    plan(scene)
    with (scene.path / LIST).open("r+b") as editor:

        def save() -> None:
            editor.truncate(0)
            editor.write(b"late\n")
            editor.flush()

        with pytest.raises(Refusal) as refused:
            replan(scene, fail_at=fail_at("entries", save))
    assert refused.value.code == "changed-meanwhile"
    assert files_now(scene) == {**OLD_FILES, LIST: b"late\n"}
    assert leavings(scene) == []


def test_a_new_file_that_appears_meanwhile_stays(scene: Scene) -> None:
    """A file made where ours should go is not overwritten."""
    plan(scene)
    with pytest.raises(Refusal) as refused:
        replan(scene, fail_at=fail_at("file-ready", lambda: scene.write({NEW: "mine\n"})))
    assert refused.value.code == "changed-meanwhile"
    assert files_now(scene) == {**OLD_FILES, NEW: b"mine\n"}
    assert leavings(scene) == []


@pytest.mark.parametrize("step", ["looked", "checked"])
def test_a_branch_that_moved_meanwhile_stays_where_it_is(scene: Scene, step: str) -> None:
    """A commit made between look and move is kept, and the replan is refused."""
    plan(scene)
    tree = scene.git("rev-parse", "HEAD^{tree}")
    mine = scene.git("commit-tree", tree, "-p", "HEAD", "-m", "mine")

    def move() -> None:
        scene.git("update-ref", "refs/heads/main", mine)

    with pytest.raises(Refusal) as refused:
        replan(scene, fail_at=fail_at(step, move))
    assert refused.value.code == "branch-moved"
    assert refused.value.exit_code == ExitCode.CONFLICT
    assert scene.git("rev-parse", "HEAD") == mine
    assert files_now(scene) == OLD_FILES
    assert scene.git("status", "--porcelain") == ""
    assert BRANCH not in scene.git("branch")
    assert leavings(scene) == []


def test_a_switch_to_another_branch_is_noticed(scene: Scene) -> None:
    """HEAD on another branch, though at the same commit, is not what the caller saw."""
    plan(scene)

    def switch() -> None:
        scene.git("checkout", "--quiet", "-b", "other")

    with pytest.raises(Refusal) as refused:
        replan(scene, fail_at=fail_at("looked", switch))
    assert refused.value.code == "branch-moved"
    assert files_now(scene) == OLD_FILES


def test_a_held_index_lock_is_named_and_left(scene: Scene) -> None:
    """Another git's index.lock stops us, stays, and is no obstacle once it is gone."""
    plan(scene)
    before = scene.snapshot()
    lock = scene.path / ".git" / "index.lock"
    lock.write_bytes(b"")
    with pytest.raises(Refusal) as refused:
        replan(scene)
    assert refused.value.exit_code == ExitCode.ENVIRONMENT
    assert "index.lock" in str(refused.value)
    assert lock.read_bytes() == b""
    assert scene.snapshot() == before
    lock.unlink()
    assert leavings(scene) == []
    replan(scene)
    assert_new(scene)


@pytest.mark.parametrize("ref", ["refs/heads/main", "HEAD"])
def test_a_held_ref_lock_puts_everything_back(scene: Scene, ref: str) -> None:
    """When git cannot lock a ref, files and index go back and git's words are passed on."""
    plan(scene)
    before = scene.snapshot()
    lock = scene.path / ".git" / f"{ref}.lock"
    lock.write_bytes(b"")
    with pytest.raises(Refusal) as refused:
        replan(scene)
    assert refused.value.code == "refs-refused"
    assert f"{ref}.lock" in str(refused.value)
    lock.unlink()
    assert scene.snapshot() == before
    assert leavings(scene) == []


def test_the_lock_names_its_holder(scene: Scene) -> None:
    """A second writer in the same worktree is refused with pid and age of the first."""
    plan(scene)
    errors: list[Refusal] = []

    def second() -> None:
        with pytest.raises(Refusal) as refused:
            replan(scene, branch="wfp/second")
        errors.append(refused.value)

    replan(scene, fail_at=fail_at("files", second))
    assert errors[0].code == "locked"
    assert errors[0].exit_code == ExitCode.ENVIRONMENT
    assert str(os.getpid()) in str(errors[0])
    assert_new(scene)


def test_of_racing_processes_one_wins(scene: Scene) -> None:
    """Of four processes that start from one commit one lands, and the others are told why."""
    base = plan(scene)
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from gitwfp.errors import Refusal\n"
        "from tests.git import publishing\n"
        "from tests.scene import Scene\n"
        "path, home, base, name = sys.argv[1:]\n"
        "scene = Scene(Path(path), home=Path(home), init=None)\n"
        "sys.stdin.readline()\n"
        "try:\n"
        "    publishing.replan(scene, base=base, branch=name, lock_wait=20)\n"
        "except Refusal as error:\n"
        "    sys.exit(int(error.exit_code))\n"
    )
    arguments = [sys.executable, "-c", script, str(scene.path), str(scene.home), base]
    children = [
        subprocess.Popen([*arguments, f"wfp/race/{n}"], cwd=ROOT, stdin=subprocess.PIPE)
        for n in range(4)
    ]
    for child in children:
        assert child.stdin is not None
        child.stdin.write(b"\n")
        child.stdin.close()
    codes = sorted(child.wait() for child in children)
    assert codes == [0, 5, 5, 5]
    assert len(scene.git("rev-list", "HEAD").split()) == 2
    assert len(scene.git("branch", "--list", "wfp/race/*").split()) == 1
    assert_new(scene)


def test_worktrees_race_without_harm(scene: Scene) -> None:
    """Writers in different worktrees do not wait for each other and do not lose anything."""
    base = plan(scene)
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from tests.git import publishing\n"
        "from tests.scene import Scene\n"
        "path, home, name = sys.argv[1:]\n"
        "scene = Scene(Path(path), home=Path(home), init=None)\n"
        "publishing.replan(scene, branch=name)\n"
    )
    names = [f"side{n}" for n in range(3)]
    for name in names:
        scene.git("worktree", "add", "--quiet", "-b", name, f"../{name}")
    children = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(scene.path.parent / n), str(scene.home), f"wfp/{n}"],
            cwd=ROOT,
        )
        for n in names
    ]
    assert [child.wait() for child in children] == [0, 0, 0]
    for name in names:
        assert scene.git("rev-parse", f"{name}~1") == base
        assert_new(scene.beside(name))


# ---------------------------------------------------------------- names and signatures


def test_a_branch_in_the_way_is_named(scene: Scene) -> None:
    """A branch `wfp` makes every `wfp/...` impossible, and the refusal says so."""
    plan(scene)
    scene.git("branch", "wfp")
    error = refusal(scene)
    assert error.code == "branch-blocked"
    assert error.exit_code == ExitCode.ENVIRONMENT
    assert "a branch wfp" in str(error)


def test_a_branch_of_that_name_is_not_moved(scene: Scene) -> None:
    """A branch that appeared under the wanted name keeps its commit."""
    plan(scene)
    scene.git("branch", BRANCH)
    error = refusal(scene)
    assert error.code == "refs-refused"
    assert BRANCH in str(error)


def test_a_signed_commit_verifies(scene: Scene, home: Path) -> None:
    """With commit.gpgsign and an SSH key, both commits carry a signature that git accepts."""
    plan(scene)
    key = home / "key"
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ada", "-f", str(key)], check=True
    )
    (home / "signers").write_text(f"ada@example.org {key.with_suffix('.pub').read_text()}")
    for name, value in {
        "commit.gpgSign": "true",
        "gpg.format": "ssh",
        "user.signingKey": str(key),
        "gpg.ssh.allowedSignersFile": str(home / "signers"),
    }.items():
        scene.git("config", name, value)
    commits = [NewCommit("checkpoint", {}), NewCommit("replan", NEW_FILES)]
    replan(scene, commits=commits)
    assert scene.git("log", "-2", "--format=%G?").split() == ["G", "G"]
    assert_new(scene)


@pytest.mark.parametrize("signer", ["#!/bin/sh\necho no key >&2\nexit 1\n", None])
def test_a_failing_signer_leaves_nothing(scene: Scene, home: Path, signer: str | None) -> None:
    """A commit that should be signed and cannot be is refused; it is never made unsigned."""
    plan(scene)
    program = home / "signer"
    if signer is not None:
        program.write_text(signer)
        program.chmod(0o755)
    scene.git("config", "commit.gpgSign", "true")
    scene.git("config", "gpg.program", str(program))
    error = refusal(scene)
    assert error.code == "cannot-sign"
    assert error.exit_code == ExitCode.ENVIRONMENT
    assert "commit.gpgsign" in str(error.hint)


def test_a_signer_that_hangs_is_given_up(scene: Scene, home: Path) -> None:
    """A signing program that waits for ever is stopped after the time given."""
    plan(scene)
    program = home / "signer"
    program.write_text("#!/bin/sh\nexec sleep 5\n")
    program.chmod(0o755)
    scene.git("config", "commit.gpgSign", "true")
    scene.git("config", "gpg.program", str(program))
    assert refusal(scene, sign_timeout=0.3).code == "cannot-sign"


# ----------------------------------------------------------------------- line endings

CONVERSIONS = {
    "autocrlf": ({"core.autocrlf": "true"}, None),
    "input": ({"core.autocrlf": "input"}, None),
    "eol-crlf": ({}, "*.md text eol=crlf\n"),
    "eol-lf": ({}, "*.md text eol=lf\n"),
    "auto": ({}, "* text=auto\n"),
    "auto-native": ({"core.eol": "crlf"}, "* text=auto\n"),
    "no-text": ({"core.autocrlf": "true"}, "*.md -text\n"),
    "old-crlf": ({}, "*.md crlf\n"),
    "macro": ({"core.autocrlf": "true"}, "*.md binary\n"),
    "ident": ({}, "*.md ident\n"),
    "encoding": ({}, "*.md text working-tree-encoding=UTF-16LE-BOM\n"),
    "filter": (
        {"filter.up.clean": "tr a-z A-Z", "filter.up.smudge": "tr A-Z a-z"},
        "* filter=up\n",
    ),
    "no-such-filter": ({}, "* filter=lfs\n"),
}


@pytest.mark.parametrize("committed", [b"- [ ] one\n", b"- [ ] one\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("kind", CONVERSIONS)
def test_blobs_are_what_git_add_stores(scene: Scene, kind: str, committed: bytes) -> None:
    """Line endings, ident, encodings and filters: same blob as `git add`, clean status after it."""
    settings, attributes = CONVERSIONS[kind]
    # The file is committed before any conversion is in force.
    scene.write({LIST: committed, ".gitattributes": ""})
    scene.commit("plan")
    for name, value in settings.items():
        scene.git("config", name, value)
    scene.write({".gitattributes": attributes or ""})
    encoding = "utf-16-le" if kind == "encoding" else "utf-8"
    mark = b"\xff\xfe" if kind == "encoding" else b""
    before = mark + "- [ ] one\r\n".encode(encoding)
    after = mark + "- [ ] one\r\n- [ ] $Id: abc$\r\n".encode(encoding)
    scene.write({LIST: after})
    added = scene.clone("added")
    for name, value in settings.items():
        added.git("config", name, value)
    added.write({".gitattributes": attributes or "", LIST: after})
    added.git("add", ".gitattributes", LIST)
    wanted = added.git("rev-parse", f":{LIST}")
    scene.git("commit", "--quiet", "--allow-empty", "--message", "rules", ".gitattributes")
    scene.write({LIST: before})
    replan(scene, commits=[NewCommit("list", {LIST: after})], expect={LIST: before})
    assert scene.git("rev-parse", f"HEAD:{LIST}") == wanted
    assert (scene.path / LIST).read_bytes() == after
    assert scene.git("status", "--porcelain") == ""
    assert leavings(scene) == []


@pytest.mark.parametrize("kind", CONVERSIONS)
def test_the_worktree_form_is_what_checkout_writes(scene: Scene, kind: str) -> None:
    """`worktree_form` gives the bytes that git would put into the worktree."""
    settings, attributes = CONVERSIONS[kind]
    for name, value in settings.items():
        scene.git("config", name, value)
    scene.write({".gitattributes": attributes or ""})
    scene.commit("rules")
    data = "- [ ] one\n- [ ] $Id$\n"
    blob = scene.git("hash-object", "-w", "--stdin", "--no-filters", input=data)
    scene.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{LIST}")
    scene.git("checkout-index", "--force", LIST)
    with open_at(scene) as repo:
        assert worktree_form(repo, LIST, blob) == (scene.path / LIST).read_bytes()


def test_a_shared_repository_stays_writable_for_the_group(scene: Scene) -> None:
    """With core.sharedRepository, objects, refs and our own folder are open to the group."""
    plan(scene)
    scene.git("config", "core.sharedRepository", "group")
    (scene.path / ".git").chmod(0o2775)
    made = replan(scene)
    tree = scene.git("rev-parse", f"{made.commits[0]}^{{tree}}")
    folder = scene.path / ".git" / "objects" / tree[:2]
    assert folder.stat().st_mode & 0o020
    assert (scene.path / ".git" / "index").stat().st_mode & 0o020
    assert (scene.path / ".git" / "wfp").stat().st_mode & 0o020
    assert (scene.path / ".git" / "wfp" / "lock").stat().st_mode & 0o020


def test_paths_must_be_expected(scene: Scene) -> None:
    """A caller that does not say what it saw at a path has a bug, and learns it."""
    plan(scene)
    with pytest.raises(ValueError, match="IMPL-1"):
        replan(scene, expect={})


def test_dropping_a_pending_ref_that_is_gone_is_nothing(scene: Scene) -> None:
    """Dropping twice is as good as once."""
    plan(scene)
    with open_at(scene) as repo:
        assert drop_pending(repo, "0123456789abcdef") is None


def age_index(scene: Scene) -> None:
    """Waits until the clock of the disk has gone on so far that a later index tells itself."""
    index, mark = scene.path / ".git/index", scene.path / ".git/mark"
    while settled_state(str(index), str(mark)) is None:
        mark.write_text("")
    mark.unlink()


@pytest.mark.parametrize("aged", [True, False], ids=["old index", "new index"])
def test_what_is_staged_before_the_lock_is_noticed(scene: Scene, aged: bool) -> None:
    """An entry that somebody stages after our look at the index and before our lock of it stays."""
    plan(scene)
    other = scene.git("hash-object", "-w", "--stdin", input="somebody else's\n")
    if aged:
        age_index(scene)

    def stage() -> None:
        scene.git("update-index", "--cacheinfo", f"100644,{other},{TASK}")

    with pytest.raises(Refusal) as refused:
        replan(scene, fail_at=fail_at("journal", stage))
    assert refused.value.code == "staged-differently"
    assert other in scene.git("ls-files", "-s", TASK)
    assert files_now(scene) == OLD_FILES
    assert leavings(scene) == []


def test_what_else_is_staged_before_the_lock_stays_staged(scene: Scene) -> None:
    """Another file's entry that comes between look and lock is in the index afterwards."""
    plan(scene)
    scene.write({"src/new.py": "1\n"})
    age_index(scene)
    replan(scene, fail_at=fail_at("journal", lambda: scene.git("add", "src/new.py")))
    assert scene.git("diff", "--cached", "--name-only") == "src/new.py"
    assert scene.git("status", "--porcelain") == "A  src/new.py"


def test_an_index_that_may_be_written_in_the_same_instant_is_not_settled(tmp_path: Path) -> None:
    """Only an index that is older than the clock's step tells that nobody wrote it since."""
    index, mark = tmp_path / "index", tmp_path / "mark"
    assert settled_state(str(index), str(mark)) is None
    index.write_text("1")
    mark.write_text("")
    assert settled_state(str(index), str(mark)) is None
    while settled_state(str(index), str(mark)) is None:
        mark.write_text("")
    before = settled_state(str(index), str(mark))
    assert before == state_of(str(index))
    index.write_text("2")
    os.utime(index, (0, 0))
    assert before != state_of(str(index))
    index.unlink()
    assert state_of(str(index)) is None


@pytest.mark.parametrize("role", ["author", "committer"])
def test_configuration_names_author_and_committer_apart(scene: Scene, role: str) -> None:
    """`author.name` and `committer.name` count for their role, as in git's own commits."""
    plan(scene)
    scene.git("config", f"{role}.name", "Bo")
    done = replan(scene)
    told = scene.git("show", "-s", "--format=%an, %cn, %at, %ct", done.commits[-1]).split(", ")
    seconds = str(int(NOW.timestamp()))
    names = ["Bo", "Ada Lin"] if role == "author" else ["Ada Lin", "Bo"]
    assert told == [*names, seconds, seconds]
