"""Repositories that are odd, damaged or made to harm: one sentence, and never a traceback."""

import os
import shutil
import subprocess
import zlib
from hashlib import sha1
from pathlib import Path

import pytest

from gitwfp.errors import ExitCode, Refusal
from gitwfp.files.tree import FileTree
from gitwfp.git import index as git_index
from gitwfp.git import journal as journals
from gitwfp.git.branches import refuse_blocked
from gitwfp.git.history import plan_commits
from gitwfp.git.objects import FILE_MODE, LibraryObjects, ObjectStore, ProgramObjects, rewrite_tree
from gitwfp.git.program import GitProgram
from gitwfp.git.recovery import recover
from gitwfp.git.refs import Head, read_ref
from gitwfp.git.smallfiles import read_own, write_own
from gitwfp.git.state import operation
from gitwfp.git.trees import CommitFiles, FileTooLarge
from gitwfp.git.worktree import Worktree
from tests.git.publishing import TASK, fail_at, leavings, open_at, plan, replan
from tests.scene import Scene

DEPTH = 1500
DEEP = "/".join(["d"] * DEPTH)


@pytest.fixture(params=[LibraryObjects, ProgramObjects], ids=["library", "program"])
def store(request: pytest.FixtureRequest, scene: Scene) -> ObjectStore:
    """The objects of the scene, by the library and by git."""
    program = ProgramObjects(open_at(scene))
    if request.param is ProgramObjects:
        return program
    return LibraryObjects([str(scene.path / ".git/objects")], program)


def put_object(scene: Scene, kind: str, content: bytes) -> str:
    """Stores an object that git itself would not write; returns its id."""
    data = f"{kind} {len(content)}\0".encode() + content
    object_id = sha1(data, usedforsecurity=False).hexdigest()
    file = scene.path / ".git/objects" / object_id[:2] / object_id[2:]
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(zlib.compress(data))
    return object_id


# -------------------------------------------------------------------------- deep folders


def make_deep(top: Path) -> None:
    """Makes folders within folders, and a file in the innermost one."""
    here = os.open(top, os.O_RDONLY)
    for _ in range(DEPTH):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("f", os.O_WRONLY | os.O_CREAT, dir_fd=here))
    os.close(here)


def test_folders_deeper_than_the_stack_are_listed(scene: Scene) -> None:
    """A worktree nested 1,500 deep is read like any other, and so is its file."""
    make_deep(scene.path)
    tree = open_at(scene).worktree_files()
    assert [entry.path for entry in tree.entries("")] == [f"{DEEP}/f"]
    assert tree.read(f"{DEEP}/f") == b""
    # Python before 3.13 removes such folders by a recursion of its own.
    subprocess.run(["rm", "-rf", str(scene.path / "d")], check=True)


def test_trees_deeper_than_the_stack_are_rewritten(scene: Scene) -> None:
    """A commit nested 1,500 deep is made, read and emptied again."""
    store = open_at(scene).objects()
    blob = store.write_blob(b"deep\n")
    tree = rewrite_tree(store, None, {f"{DEEP}/f": (FILE_MODE, blob)})
    files = CommitFiles(store, tree)
    assert [entry.path for entry in files.entries("")] == [f"{DEEP}/f"]
    assert files.read(f"{DEEP}/f") == b"deep\n"
    assert rewrite_tree(store, tree, {f"{DEEP}/f": None}) is None
    store.close()


def test_a_journal_that_nests_too_deeply_is_refused(scene: Scene) -> None:
    """JSON deeper than the stack is as unreadable as any other journal that is none."""
    plan(scene)
    with open_at(scene) as repo:
        write_own(repo, "journal", b"[" * 100_000)
        with pytest.raises(Refusal) as refused:
            recover(repo)
    assert refused.value.code == "journal-unreadable"


# --------------------------------------------------------------------- malformed objects

ID = bytes(range(20))


@pytest.mark.parametrize(
    "content",
    [
        b"100644 f\0" + ID[:19],
        b"100644 f\0",
        b"100644 f",
        b"100644",
        b" f\0" + ID,
        b"100648 f\0" + ID,
        b"0o17 f\0" + ID,
        b"100644 \0" + ID,
        b"100644 f\0" + ID + b"x",
    ],
)
def test_a_malformed_tree_is_named(scene: Scene, store: ObjectStore, content: bytes) -> None:
    """Whatever is wrong with a tree, the refusal names the object and git fsck."""
    tree = put_object(scene, "tree", content)
    with pytest.raises(Refusal) as refused:
        store.read_tree(tree)
    assert (refused.value.code, refused.value.exit_code) == (
        "object-malformed",
        ExitCode.ENVIRONMENT,
    )
    assert tree in str(refused.value)
    assert "git fsck" in str(refused.value.hint)
    store.close()


@pytest.mark.parametrize("content", [b"", b"tree", b"tree \n", b"tree " + b"x" * 40 + b"\n"])
def test_a_malformed_commit_is_named(scene: Scene, store: ObjectStore, content: bytes) -> None:
    """A commit without a tree is refused like a tree that is none."""
    commit = put_object(scene, "commit", content)
    with pytest.raises(Refusal) as refused:
        store.tree_of(commit)
    assert refused.value.code == "object-malformed"
    assert commit in str(refused.value)
    store.close()


def test_a_blob_that_is_cut_off_is_refused(scene: Scene, store: ObjectStore) -> None:
    """A blob whose file was damaged is git's to explain."""
    blob = scene.git("hash-object", "-w", "--stdin", input="x" * 10_000)
    file = scene.path / ".git/objects" / blob[:2] / blob[2:]
    file.chmod(0o600)
    file.write_bytes(file.read_bytes()[:20])
    with pytest.raises(Refusal) as refused:
        store.read_blob(blob)
    assert refused.value.exit_code == ExitCode.ENVIRONMENT
    store.close()


def test_a_plan_in_a_malformed_tree_is_refused(scene: Scene) -> None:
    """The command that meets such a tree ends with exit code 6 and names the object."""
    plan(scene)
    tree = put_object(scene, "tree", b"100644 f\0")
    head = scene.git("rev-parse", "HEAD")
    commit = f"tree {tree}\nparent {head}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n"
    made = put_object(scene, "commit", commit.encode())
    run = scene.run("status", "--at", made).expect(6)
    assert tree in run.err
    assert "git fsck" in run.err


# ---------------------------------------------------------------------------- exact refs


@pytest.mark.parametrize(
    "ref", ["refs/HEAD", "refs/heads/HEAD", "refs/tags/HEAD", "refs/remotes/HEAD/HEAD"]
)
def test_a_ref_called_head_is_not_head(scene: Scene, ref: str) -> None:
    """On a branch without commits and on one with them, only HEAD itself counts."""
    made = plan(scene)
    scene.git("update-ref", ref, made)
    with open_at(scene) as repo:
        assert repo.head() == Head("refs/heads/main", made)
        scene.git("symbolic-ref", "HEAD", "refs/heads/unborn")
        assert repo.head() == Head("refs/heads/unborn", None)
        scene.git("symbolic-ref", ref, "refs/heads/main")
        assert repo.head() == Head("refs/heads/unborn", None)


def test_a_branch_called_head_can_be_checked_out(scene: Scene) -> None:
    """Ambiguous as the name is, the branch that is checked out is that one."""
    made = plan(scene)
    scene.git("update-ref", "refs/heads/HEAD", made)
    scene.git("symbolic-ref", "HEAD", "refs/heads/HEAD")
    assert open_at(scene).head() == Head("refs/heads/HEAD", made)


def test_a_ref_is_read_by_its_full_name_only(scene: Scene) -> None:
    """`refs/heads/x` does not mean `refs/heads/refs/heads/x` where it is not there itself."""
    made = plan(scene)
    scene.git("update-ref", "refs/heads/refs/heads/x", made)
    scene.git("update-ref", "refs/heads/y/z", made)
    with open_at(scene) as repo:
        assert read_ref(repo, "refs/heads/x") is None
        assert read_ref(repo, "refs/heads/y") is None
        assert read_ref(repo, "refs/heads/y/z") == made
        scene.git("symbolic-ref", "HEAD", "refs/heads/x")
        assert repo.head() == Head("refs/heads/x", None)


def test_folders_and_packed_refs_say_nothing_about_a_branch(scene: Scene) -> None:
    """A branch is unborn beside branches below its name, and is not for lack of a loose file."""
    made = plan(scene)
    scene.git("pack-refs", "--all", "--prune")
    with open_at(scene) as repo:
        assert repo.head() == Head("refs/heads/main", made)
        scene.git("update-ref", "refs/heads/new/below", made)
        scene.git("symbolic-ref", "HEAD", "refs/heads/new")
        assert repo.head() == Head("refs/heads/new", None)


def test_a_branch_that_stands_for_another_one(scene: Scene) -> None:
    """A symbolic branch leads to the one at its end, whether that has commits or not."""
    made = plan(scene)
    scene.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    scene.git("symbolic-ref", "HEAD", "refs/heads/alias")
    with open_at(scene) as repo:
        assert repo.head() == Head("refs/heads/main", made)
        scene.git("symbolic-ref", "refs/heads/alias", "refs/heads/none")
        assert repo.head() == Head("refs/heads/none", None)


def test_head_as_a_link_is_read_by_git(scene: Scene) -> None:
    """An old kind of HEAD, a symbolic link, leads to its branch too."""
    made = plan(scene)
    head = scene.path / ".git/HEAD"
    head.unlink()
    head.symlink_to("refs/heads/main")
    assert open_at(scene).head() == Head("refs/heads/main", made)


def test_a_branch_named_like_an_operation_is_none(scene: Scene) -> None:
    """A branch called CHERRY_PICK_HEAD does not mean that git is in the middle of one."""
    made = plan(scene)
    scene.git("update-ref", "refs/heads/CHERRY_PICK_HEAD", made)
    with open_at(scene) as repo:
        (scene.path / ".git/reftable").mkdir()
        assert operation(repo) is None


def test_a_name_that_is_too_long_is_refused(scene: Scene) -> None:
    """A part that no file's name could hold is refused before anything is written."""
    plan(scene)
    with open_at(scene) as repo:
        refuse_blocked(repo, f"wfp/{'x' * 250}/replan")
        with pytest.raises(Refusal) as refused:
            refuse_blocked(repo, f"wfp/{'é' * 126}/replan")
    assert (refused.value.code, refused.value.exit_code) == (
        "branch-too-long",
        ExitCode.ENVIRONMENT,
    )


# ------------------------------------------------------------------------- environments


def test_the_shallow_file_may_be_elsewhere(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """GIT_SHALLOW_FILE cuts the history off where git does, also where it names nothing."""
    first = plan(scene)
    scene.write({"f": "x"})
    second = scene.commit("second")
    cut = scene.path.parent / "cut"
    cut.write_text(second + "\n")
    for place, expected in ((cut, [(second, True)]), (cut / "none", None), (scene.path, None)):
        monkeypatch.setenv("GIT_SHALLOW_FILE", str(place))
        with open_at(scene) as repo:
            found = [(c.id, c.is_boundary) for c in plan_commits(repo, second, ())]
            assert found == (expected or [(second, False), (first, False)])


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("GIT_INDEX_FILE", "."),
        ("GIT_INDEX_FILE", "none/index"),
        ("GIT_OBJECT_DIRECTORY", "none"),
        ("GIT_ALTERNATE_OBJECT_DIRECTORIES", "none:src/app.py"),
        ("GIT_NAMESPACE", "../x"),
        ("GIT_NAMESPACE", "name"),
        ("GIT_CEILING_DIRECTORIES", "/"),
        ("GIT_COMMON_DIR", "none"),
        ("GIT_WORK_TREE", "none"),
        ("GIT_CONFIG_COUNT", "x"),
        ("GIT_GRAFT_FILE", "."),
    ],
)
def test_odd_variables_are_obeyed_or_refused(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    """Whatever a variable of git's points to: it works as git does, or there is a sentence."""
    plan(scene)
    monkeypatch.setenv(variable, value)
    try:
        with open_at(scene) as repo:
            head = repo.head()
            list(repo.commit_files(head.commit).entries(".workflow"))
            list(repo.index_files().entries(".workflow"))
            list(plan_commits(repo, head.commit or "", ()))
            replan(scene)
    except Refusal as refusal:
        assert refusal.exit_code in (ExitCode.ENVIRONMENT, ExitCode.CONFLICT)
    monkeypatch.delenv(variable)
    assert leavings(scene) == []


@pytest.mark.parametrize("prefix", ["../", "/", "/etc/", "./", "src/../", "src//"])
def test_a_prefix_that_leads_elsewhere_does_not_count(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, prefix: str
) -> None:
    """GIT_PREFIX says where the user stands in this worktree, and nowhere else."""
    plan(scene)
    monkeypatch.setenv("GIT_PREFIX", prefix)
    assert open_at(scene).prefix == ""


@pytest.mark.parametrize("variable", ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"])
def test_a_date_that_is_none_is_called_so(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """Git's own words about the date are shown, and nobody is asked who they are."""
    plan(scene)
    monkeypatch.setenv(variable, "garbage")
    with pytest.raises(Refusal) as refused:
        replan(scene)
    assert refused.value.exit_code == ExitCode.ENVIRONMENT
    assert "invalid date format: garbage" in str(refused.value)
    assert leavings(scene) == []


def test_a_git_that_cannot_be_started_is_refused(scene: Scene) -> None:
    """An environment that is too large for the system is a sentence with the system's reason."""
    git = GitProgram(str(scene.path), {**os.environ, "LARGE": "x" * 3_000_000})
    with pytest.raises(Refusal) as refused:
        git.run("version")
    assert (refused.value.code, refused.value.exit_code) == (
        "git-not-started",
        ExitCode.ENVIRONMENT,
    )


# ------------------------------------------------------------------- our own small files

FILES = ("wfp/session", "wfp/journal", "wfp/lock")
FOLDERS = ("wfp", "wfp/pending")
IN_THE_WAY = [
    *((name, kind) for name in FILES for kind in ("folder", "link", "pipe")),
    *((name, kind) for name in FOLDERS for kind in ("file", "link", "pipe")),
]


def put_in_the_way(place: Path, kind: str) -> None:
    """Puts something of a kind where another thing should be."""
    place.parent.mkdir(exist_ok=True)
    if place.is_dir():
        place.rmdir()
    place.unlink(missing_ok=True)
    if kind == "folder":
        place.mkdir()
    elif kind == "file":
        place.write_text("x")
    elif kind == "link":
        place.symlink_to("/etc")
    elif kind == "pipe":
        os.mkfifo(place)


@pytest.mark.parametrize(("name", "kind"), IN_THE_WAY)
def test_what_is_in_the_place_of_our_files_is_refused(scene: Scene, name: str, kind: str) -> None:
    """Neither followed nor waited for: one sentence that names the place, and exit code 6."""
    plan(scene)
    before = scene.git("rev-parse", "HEAD")
    place = scene.path / ".git" / name
    put_in_the_way(place, kind)

    def use() -> None:
        with open_at(scene) as repo:
            if name == "wfp/session":
                read_own(repo, "session")
            recover(repo)
            replan(scene)

    with pytest.raises(Refusal) as refused:
        use()
    assert refused.value.exit_code == ExitCode.ENVIRONMENT
    assert str(place) in str(refused.value)
    assert scene.git("rev-parse", "HEAD") == before
    assert os.path.lexists(place)


def test_a_choice_is_written_whole_or_not_at_all(scene: Scene) -> None:
    """A link in its place is replaced and not written through; a folder is left, and named."""
    plan(scene)
    place = scene.path / ".git/wfp/session"
    target = scene.path.parent / "target"
    target.write_text("mine")
    with open_at(scene) as repo:
        put_in_the_way(place, "folder")
        with pytest.raises(Refusal) as refused:
            write_own(repo, "session", b"WFS-a\n")
        assert str(place) in str(refused.value)
        assert os.listdir(place.parent) == ["session"]
        place.rmdir()
        place.symlink_to(target)
        write_own(repo, "session", b"WFS-a\n")
        assert read_own(repo, "session") == b"WFS-a\n"
    assert target.read_text() == "mine"


def test_strange_marks_of_processes_are_left_alone(scene: Scene) -> None:
    """What is no mark of ours in the folder of marks is neither locked nor removed."""
    plan(scene)
    folder = scene.path / ".git/wfp/pending"
    folder.mkdir(parents=True)
    (folder / "0123456789abcdef").mkdir()
    os.mkfifo(folder / "0123456789abcdee")
    (folder / "a b").write_text("")
    with open_at(scene) as repo:
        assert journals.abandoned(repo) == ()
        assert recover(repo) is None
    assert len(os.listdir(folder)) == 3
    shutil.rmtree(folder)


# ------------------------------------------------------------------------- many long paths


def test_more_paths_than_a_command_can_name(scene: Scene) -> None:
    """Index entries are found for paths that are longer together than a command may be."""
    blob = scene.git("hash-object", "-w", "--stdin", input="x")
    paths = [f".workflow/active/WFS-a/.process/{'n' * 200}{n:05}" for n in range(15_000)]
    lines = "".join(f"100644 {blob}\t{path}\n" for path in [*paths, "src/app.py"])
    scene.git("update-index", "--index-info", input=lines)
    with open_at(scene) as repo:
        found = git_index.read_entries(repo, paths[1:])
        # As one value, because a comparison of the lists would be explained line by line.
        assert (list(found) == paths[1:]) is True
        assert git_index.read_entries(repo, ["src", "none"]).keys() == {"src/app.py"}
        assert git_index.read_entries(repo, [".workflow/active/WFS-a/.process/n"]) == {}
        assert len(git_index.read_entries(repo, [".workflow"])) == len(paths)


def test_an_interrupted_write_is_put_back(scene: Scene) -> None:
    """A full disk, a closed folder: whatever ends the write, no lock and no journal stays."""
    plan(scene)

    def fail() -> None:
        raise OSError(30, "Read-only file system")

    with pytest.raises(Refusal) as refused:
        replan(scene, fail_at=fail_at("file-ready", fail))
    assert refused.value.exit_code == ExitCode.ENVIRONMENT
    assert leavings(scene) == []
    assert scene.git("status", "--porcelain") == ""


def test_the_look_reads_as_much_as_its_caller(scene: Scene) -> None:
    """What is too large in the plan that was shown is too large in the commit, and nothing else."""
    plan(scene)
    unread: list[str] = []

    def look(files: FileTree) -> None:
        for entry in files.entries(".workflow"):
            try:
                files.read(entry.path)
            except FileTooLarge as error:
                unread.append(error.path)

    replan(scene, look=look, file_bytes=30)
    assert unread == [TASK]


def test_a_folder_where_a_file_should_be_is_named(scene: Scene) -> None:
    """What reads a file of the worktree says so when a folder is in its place."""
    (scene.path / "folder").mkdir()
    with pytest.raises(Refusal) as refused:
        Worktree(str(scene.path), "x").read("folder")
    assert refused.value.location.path == "folder"
