"""Objects: two stores that agree with git and with one another, and trees that are rewritten."""

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gitwfp.errors import ExitCode, Refusal
from gitwfp.git.objects import (
    FILE_MODE,
    LINK_MODE,
    SUBMODULE_MODE,
    TREE_MODE,
    LibraryObjects,
    ObjectMissing,
    ObjectStore,
    ProgramObjects,
    TreeEntry,
    rewrite_tree,
)
from gitwfp.git.program import GitFailed
from gitwfp.git.repository import Repository
from tests.scene import Scene

EXECUTABLE = 0o100755
ABSENT = "0123456789" * 4


def opened(scene: Scene) -> Repository:
    """Opens the repository of a scene."""
    return Repository.open(str(scene.path), os.environ, lasts=True)


def by_library(repo: Repository) -> ObjectStore:
    """Objects by the library."""
    return LibraryObjects([os.path.join(repo.common_dir, "objects")], ProgramObjects(repo))


def by_program(repo: Repository) -> ObjectStore:
    """Objects by the git program."""
    return ProgramObjects(repo)


@pytest.fixture(params=[by_library, by_program], ids=lambda maker: maker.__name__)
def store(request: pytest.FixtureRequest, scene: Scene) -> Iterator[ObjectStore]:
    """Each kind of store on the scene's repository."""
    maker: Callable[[Repository], ObjectStore] = request.param
    made = maker(opened(scene))
    yield made
    made.close()


@pytest.mark.parametrize("data", [b"", b"text\n", b"\r\n", bytes(range(256)) * 300])
def test_a_blob_has_gits_id_and_comes_back(scene: Scene, store: ObjectStore, data: bytes) -> None:
    """Bytes are stored as they are, under the id that git gives them."""
    blob = store.write_blob(data)
    assert blob == scene.git("hash-object", "--stdin", input=data)
    assert store.read_blob(blob) == data


def test_a_tree_is_sorted_and_kept_as_git_would(scene: Scene, store: ObjectStore) -> None:
    """Entries in any order give git's tree, with all modes and names that there are."""
    blob = store.write_blob(b"x")
    inner = store.write_tree([TreeEntry("f", FILE_MODE, blob)])
    entries = [
        TreeEntry("a", TREE_MODE, inner),
        TreeEntry("a.b", FILE_MODE, blob),
        TreeEntry("a0", EXECUTABLE, blob),
        TreeEntry("link", LINK_MODE, blob),
        TreeEntry("module", SUBMODULE_MODE, ABSENT),
        TreeEntry("old mode", 0o100664, blob),
        TreeEntry("caf\udce9", FILE_MODE, blob),
        TreeEntry('tab\tline\n"quote"', FILE_MODE, blob),
    ]
    tree = store.write_tree(entries)
    lines = b"".join(
        b"%06o %b %b\t%b\0"
        % (
            entry.mode,
            {TREE_MODE: b"tree", SUBMODULE_MODE: b"commit"}.get(entry.mode, b"blob"),
            entry.id.encode(),
            entry.name.encode("utf-8", "surrogateescape"),
        )
        for entry in entries
    )
    assert tree == scene.git("mktree", "-z", "--missing", input=lines)
    read = store.read_tree(tree)
    assert sorted(read, key=lambda e: e.name) == sorted(entries, key=lambda e: e.name)
    assert [entry.name for entry in read][:3] == ["a.b", "a", "a0"]


def test_the_empty_tree_can_be_written(scene: Scene, store: ObjectStore) -> None:
    """No entries at all are a tree as well."""
    empty = store.write_tree([])
    assert empty == scene.git("mktree", input="")
    assert store.read_tree(empty) == ()


def test_a_commit_names_its_tree(scene: Scene, store: ObjectStore) -> None:
    """The tree of a commit is git's, also when the commit was made after the store was opened."""
    for number in range(3):
        scene.write({"f": str(number)})
        made = scene.commit("f")
        assert store.tree_of(made) == scene.git("rev-parse", "HEAD^{tree}")


@pytest.mark.parametrize("wrong", [ABSENT, "", "HEAD", "abc", "--help", ABSENT + "\n", "A" * 40])
def test_an_object_that_is_not_there_is_missing(store: ObjectStore, wrong: str) -> None:
    """Absent ids and what is no full id raise `ObjectMissing`, and the store goes on working."""
    for read in (store.read_blob, store.read_tree, store.tree_of):
        with pytest.raises(ObjectMissing) as caught:
            read(wrong)
        assert caught.value.exit_code is ExitCode.ENVIRONMENT
    assert store.read_blob(store.write_blob(b"still here")) == b"still here"


def test_an_object_of_another_kind_is_refused(store: ObjectStore) -> None:
    """A blob is not read as a tree, nor a tree as a blob."""
    blob = store.write_blob(b"x")
    tree = store.write_tree([TreeEntry("f", FILE_MODE, blob)])
    for read, wrong in ((store.read_tree, blob), (store.tree_of, tree), (store.read_blob, tree)):
        with pytest.raises(Refusal) as caught:
            read(wrong)
        assert caught.value.code == "object-kind"


def test_a_damaged_object_is_refused_in_gits_words(scene: Scene, store: ObjectStore) -> None:
    """Neither garbage nor an empty file passes for content; the next read works."""
    good = store.write_blob(b"good")
    for number, damage in enumerate((b"garbage", b"")):
        blob = scene.git("hash-object", "-w", "--stdin", input=f"damaged {number}")
        file = scene.path / ".git/objects" / blob[:2] / blob[2:]
        file.chmod(0o644)
        file.write_bytes(damage)
        with pytest.raises(Refusal) as caught:
            store.read_blob(blob)
        assert blob in str(caught.value) or blob[2:] in str(caught.value)
        assert store.read_blob(good) == b"good"


def test_new_packs_are_found(scene: Scene, store: ObjectStore) -> None:
    """A store that is open for long sees what a repack moves and what comes with a pack."""
    scene.write({"f": "one"})
    first = scene.commit("one")
    tree = store.tree_of(first)
    scene.write({"f": "two"})
    second = scene.commit("two")
    scene.git("repack", "-a", "-d", "-q")
    scene.git("prune-packed")
    assert store.tree_of(first) == tree
    assert store.tree_of(second) == scene.git("rev-parse", "HEAD^{tree}")


def test_the_program_ends_with_its_store(scene: Scene) -> None:
    """Closing twice is fine, reading after it starts anew, and one forgotten leaves no process."""
    repo = opened(scene)
    store = ProgramObjects(repo)
    blob = store.write_blob(b"x")
    store.flush()
    assert store.read_blob(blob) == b"x"
    store.close()
    store.close()
    assert store.read_blob(blob) == b"x"
    process = store._batch._process if store._batch else None
    assert process is not None
    del store
    gc.collect()
    assert process.returncode == 0


def test_a_reader_that_was_killed_is_started_again(scene: Scene) -> None:
    """Ctrl-C reaches git too; a read after that works all the same."""
    store = ProgramObjects(opened(scene))
    blob = store.write_blob(b"x")
    store.flush()
    assert store.read_blob(blob) == b"x"
    assert store._batch is not None
    process = store._batch._process
    os.kill(process.pid, signal.SIGINT)
    process.wait()
    assert store.read_blob(blob) == b"x"
    store.close()


def test_a_write_that_fails_says_why(scene: Scene) -> None:
    """Where objects cannot be written, git's reason is given and no other exception escapes."""
    repo = opened(scene)
    objects = scene.path / ".git/objects"
    objects.rename(scene.path / ".git/moved")
    objects.write_text("in the way")
    store = by_program(repo)
    store.write_blob(b"x")
    with pytest.raises(GitFailed) as caught:
        store.flush()
    assert caught.value.command == "unpack-objects"
    assert caught.value.text


# ------------------------------------------------------------------------- the choice


def kind(scene: Scene) -> type[ObjectStore]:
    """Returns the class of store that is chosen, having read and written with it."""
    with opened(scene) as repo:
        store = repo.objects()
        assert store is repo.objects()
        blob = store.write_blob(b"content")
        assert blob == scene.git("hash-object", "-w", "--stdin", input="content")
        edits = {".workflow/plan.json": (FILE_MODE, blob)}
        tree = rewrite_tree(store, None, edits)
        assert tree is not None
        store.flush()
        assert scene.git("show", f"{tree}:.workflow/plan.json") == "content"
        return type(store)


def test_a_common_repository_is_read_by_the_library(scene: Scene) -> None:
    """The library is the fast way for a process that lasts; any other leaves it out."""
    assert kind(scene) is LibraryObjects
    with Repository.open(str(scene.path), os.environ) as repo:
        assert isinstance(repo.objects(), ProgramObjects)


def test_what_was_written_is_there_when_it_is_flushed(scene: Scene) -> None:
    """Objects wait until they are flushed; what was closed before never came about."""
    store = by_program(opened(scene))
    one, two = store.write_blob(b"one"), store.write_blob(b"two")
    assert scene.git("cat-file", "--batch-check", input=one) == f"{one} missing"
    assert store.read_blob(two) == b"two"
    assert scene.git("cat-file", "--batch-check", input=two) == f"{two} missing"
    tree = store.write_tree([TreeEntry("file", FILE_MODE, one)])
    store.flush()
    assert scene.git("cat-file", "-p", tree).endswith("\tfile")
    assert store.write_blob(b"one") == one
    third = store.read_blob(scene.git("hash-object", "-w", "--stdin", input="there already"))
    assert scene.git("cat-file", "-p", store.write_blob(third)) == "there already"
    three = store.write_blob(b"three")
    store.close()
    store.flush()
    assert scene.git("cat-file", "--batch-check", input=three) == f"{three} missing"


@pytest.mark.parametrize(
    "extension", ["partialClone=origin", "preciousObjects=true", "worktreeConfig=true", "noop=1"]
)
def test_extensions_that_do_not_touch_objects_do_not_matter(scene: Scene, extension: str) -> None:
    """The library opens what git opens, although it does not know these repositories."""
    scene.git("config", "core.repositoryFormatVersion", "1")
    name, value = extension.split("=")
    scene.git("config", f"extensions.{name}", value)
    assert kind(scene) is LibraryObjects


def test_sha256_is_left_to_git(home: Path, tmp_path: Path) -> None:
    """The library would compute other ids."""
    scene = Scene(tmp_path / "sha256", home=home, init=("--object-format=sha256",))
    assert kind(scene) is ProgramObjects
    scene.write({"f": "x"})
    made = scene.commit("f")
    with opened(scene) as repo:
        assert len(made) == 64
        assert repo.commit_files(made).read("f") == b"x"


def test_a_shared_repository_is_left_to_git(scene: Scene) -> None:
    """What git writes there others may write into, too."""
    scene.git("config", "core.sharedRepository", "group")
    before = os.umask(0o077)
    try:
        assert kind(scene) is ProgramObjects
    finally:
        os.umask(before)
    folders = [
        folder for folder in (scene.path / ".git/objects").iterdir() if len(folder.name) == 2
    ]
    assert folders
    assert all(folder.stat().st_mode & 0o070 == 0o070 for folder in folders)


def test_replaced_objects_are_read_as_git_reads_them(scene: Scene) -> None:
    """Where a commit is replaced by another one, its plan is the replacement's."""
    scene.write({"f": "before"})
    first = scene.commit("first")
    scene.write({"f": "after"})
    second = scene.commit("second")
    scene.git("replace", first, second)
    assert kind(scene) is ProgramObjects
    with opened(scene) as repo:
        assert repo.commit_files(first).read("f") == b"after"


def test_another_owner_is_no_matter_once_git_agrees(scene: Scene, home: Path) -> None:
    """The library would refuse a folder that git was told to trust."""
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    scene.write({"f": "x"})
    made = scene.commit("f")
    for folder, _, files in os.walk(scene.path):
        for name in (".", *files):
            os.lchown(os.path.join(folder, name), 12345, 12345)
    with pytest.raises(Refusal) as caught:
        opened(scene)
    assert caught.value.code == "repository-not-trusted"
    assert "safe.directory" in str(caught.value.hint)
    with (home / ".gitconfig").open("a") as file:
        file.write("[safe]\n\tdirectory = *\n")
    assert kind(scene) is LibraryObjects
    with opened(scene) as repo:
        assert repo.commit_files(made).read("f") == b"x"


def test_objects_in_quarantine_are_seen(scene: Scene) -> None:
    """On the side that is pushed to, new objects are elsewhere until the push is let in."""
    quarantine = scene.path.parent / "quarantine"
    quarantine.mkdir()
    old = scene.git("hash-object", "-w", "--stdin", input="old")
    environ = {
        **os.environ,
        "GIT_OBJECT_DIRECTORY": str(quarantine),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(scene.path / ".git/objects"),
    }
    new = scene.git("hash-object", "-w", "--stdin", input="new", env=environ)
    with Repository.open(str(scene.path), environ, lasts=True) as repo:
        store = repo.objects()
        assert isinstance(store, LibraryObjects)
        assert (store.read_blob(old), store.read_blob(new)) == (b"old", b"new")
        third = store.write_blob(b"third")
    assert (quarantine / third[:2] / third[2:]).exists()


def test_a_partial_clone_fetches_what_it_lacks(scene: Scene) -> None:
    """A blob that was left at the remote is fetched by git, and then read."""
    scene.git("config", "uploadpack.allowFilter", "true")
    scene.git("config", "uploadpack.allowAnySHA1InWant", "true")
    scene.write({".workflow/plan.json": "old"})
    old = scene.commit("old")
    scene.write({".workflow/plan.json": "new"})
    scene.commit("new")
    url = scene.path.as_uri()
    scene.git("clone", "--quiet", "--filter=blob:none", url, str(scene.path.parent / "partial"))
    partial = scene.beside("partial")
    blob = scene.git("rev-parse", f"{old}:.workflow/plan.json")
    missing = partial.git("rev-list", "--objects", "--missing=print", "--all")
    assert f"?{blob}" in missing
    with opened(partial) as repo:
        assert "partial clone" in repo.features()
        assert isinstance(repo.objects(), LibraryObjects)
        assert repo.commit_files(old).read(".workflow/plan.json") == b"old"

        # Neither rewriting a tree fetches its neighbours,
        other = scene.git("hash-object", "-w", "--stdin", input="at the remote only")
        root = scene.git("mktree", input=f"100644 blob {other}\tother\n")
        kept = repo.objects().write_tree([TreeEntry("other", FILE_MODE, other)])
        assert kept == root
        assert ProgramObjects(repo).write_tree([TreeEntry("other", FILE_MODE, other)]) == root
        # nor is the remote's absence taken for an empty file.
        partial.git("remote", "set-url", "origin", str(scene.path.parent / "gone"))
        with pytest.raises(Refusal):
            repo.objects().read_blob(other)


def test_reading_the_worktree_never_loads_the_library(scene: Scene) -> None:
    """The library takes longer to import than most commands may take."""
    scene.write({"f": "x"})
    scene.commit("f")
    program = """
import os, sys
from gitwfp.git.repository import Repository
from gitwfp.git import history
repo = Repository.open(".", os.environ, lasts=True)
repo.worktree_files().read("f")
repo.head(), repo.worktree_state(), repo.tree_id("HEAD", "")
list(history.plan_commits(repo, "HEAD", ["f"]))
sys.exit("pygit2" in sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], cwd=scene.path, check=True)


# ---------------------------------------------------------------------------- rewriting

NAMES = st.sampled_from(["a", "b", "a-", "a.b", "é", "ab", "\udcff", "x y"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
CONTENTS = st.binary(max_size=4)
MODES = st.sampled_from([FILE_MODE, EXECUTABLE])
TREES = st.dictionaries(PATHS, st.tuples(MODES, CONTENTS), max_size=8)
EDITS = st.dictionaries(PATHS, st.none() | CONTENTS, max_size=6)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One bare repository for many trees."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run(["git", "init", "--quiet", "--bare", str(folder)], check=True)
    return folder


def git_tree(bare: Path, files: Mapping[str, tuple[int, str]]) -> str:
    """Returns the tree that git makes of files, by way of an index of its own."""
    environ = {**os.environ, "GIT_INDEX_FILE": str(bare / "index.test"), "GIT_DIR": str(bare)}

    def run(*args: str, data: bytes = b"") -> bytes:
        return subprocess.run(
            ["git", *args], input=data, env=environ, check=True, capture_output=True
        ).stdout

    lines = [
        b"%06o %b 0\t%b\0" % (mode, blob.encode(), path.encode("utf-8", "surrogateescape"))
        for path, (mode, blob) in files.items()
    ]
    run("read-tree", "--empty")
    run("update-index", "-z", "--index-info", data=b"".join(lines))
    return run("write-tree").decode().strip()


def below(path: str, other: str) -> bool:
    """Tells whether a path is strictly below another one."""
    return path.startswith(other + "/")


@settings(max_examples=80)
@example(start={"b/a": (FILE_MODE, b"")}, edits={"b": None, "b/b": None})
@example(start={}, edits={"a": None, "a/a": b""})
@example(start={"a": (FILE_MODE, b"")}, edits={"a": None, "a/a": b""})
@given(start=TREES, edits=EDITS)
def test_rewriting_gives_the_tree_that_git_gives(
    bare: Path, start: Mapping[str, tuple[int, bytes]], edits: Mapping[str, bytes | None]
) -> None:
    """For any files and edits: git's own tree, or a refusal exactly where a path is in the way."""
    with Repository.open(str(bare), os.environ, lasts=True) as repo:
        store = repo.objects()
        before = {
            path: (mode, store.write_blob(data))
            for path, (mode, data) in start.items()
            if not any(below(path, other) for other in start)
        }
        tree = rewrite_tree(store, None, before)
        assert (tree or EMPTY_TREE) == git_tree(bare, before)

        wanted = {
            p: None if d is None else (FILE_MODE, store.write_blob(d)) for p, d in edits.items()
        }
        after = dict(before)
        for path, edit in wanted.items():
            if edit is None:
                after.pop(path, None)
            else:
                after[path] = (before.get(path, edit)[0], edit[1])
        clash = any(below(path, other) for path in after for other in after)
        # Removing is refused too where it would have to go through a file or remove a folder.
        lost = any(
            (below(path, other) and wanted.get(other, ()) is not None)
            or (below(other, path) and other in after and path not in before)
            for path in wanted
            for other in before
        )
        if clash or lost:
            with pytest.raises(Refusal) as caught:
                rewrite_tree(store, tree, wanted)
            assert caught.value.code == "path-blocked"
        else:
            result = rewrite_tree(store, tree, wanted)
            assert (result or EMPTY_TREE) == git_tree(bare, after)
            assert (result is None) == (not after)


EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


@pytest.fixture
def library(scene: Scene) -> Iterator[ObjectStore]:
    """The usual store on the scene's repository."""
    with opened(scene) as repo:
        yield repo.objects()


def test_only_folders_on_the_way_are_read_and_written(scene: Scene, library: ObjectStore) -> None:
    """A change deep down touches as many trees as it is deep, however many there are."""
    blob = library.write_blob(b"x")
    files = {f"d{n}/e{n}/f": (FILE_MODE, blob) for n in range(20)}
    tree = rewrite_tree(library, None, files)

    class Counting:
        """Passes on and counts."""

        def __init__(self) -> None:
            self.reads = self.writes = 0

        def read_blob(self, blob_id: str) -> bytes:
            raise AssertionError("no blob is needed")

        def read_tree(self, tree_id: str) -> tuple[TreeEntry, ...]:
            self.reads += 1
            return library.read_tree(tree_id)

        def tree_of(self, commit: str) -> str:
            raise AssertionError("no commit is needed")

        def write_blob(self, data: bytes) -> str:
            raise AssertionError("no blob is needed")

        def write_tree(self, entries: object) -> str:
            self.writes += 1
            return library.write_tree(entries)  # type: ignore[arg-type]

        def write_commit(self, data: bytes) -> str:
            raise AssertionError("no commit is made")

        def flush(self) -> None:
            raise AssertionError("whoever writes says when")

        def close(self) -> None:
            raise AssertionError("it is not ours to close")

    counting = Counting()
    other = library.write_blob(b"y")
    rewrite_tree(counting, tree, {"d3/e3/f": (FILE_MODE, other)})
    assert (counting.reads, counting.writes) == (3, 3)
    counting = Counting()
    assert rewrite_tree(counting, tree, {"d3/e3/f": (FILE_MODE, blob), "d4/none": None}) == tree
    assert counting.writes == 0


def test_an_executable_stays_one(library: ObjectStore) -> None:
    """The mode in an edit is for new files only."""
    blob, other = library.write_blob(b"x"), library.write_blob(b"y")
    tree = library.write_tree([TreeEntry("run", EXECUTABLE, blob)])
    result = rewrite_tree(library, tree, {"run": (FILE_MODE, other), "new": (EXECUTABLE, blob)})
    assert result is not None
    assert {e.name: (e.mode, e.id) for e in library.read_tree(result)} == {
        "run": (EXECUTABLE, other),
        "new": (EXECUTABLE, blob),
    }


def test_emptied_folders_go_and_the_last_file_takes_all(library: ObjectStore) -> None:
    """A removal leaves no empty folder behind, and a tree without files is None."""
    blob = library.write_blob(b"x")
    tree = rewrite_tree(library, None, {"a/b/c": (FILE_MODE, blob), "d": (FILE_MODE, blob)})
    smaller = rewrite_tree(library, tree, {"a/b/c": None})
    assert smaller is not None
    assert [entry.name for entry in library.read_tree(smaller)] == ["d"]
    assert rewrite_tree(library, smaller, {"d": None}) is None
    assert rewrite_tree(library, None, {"d": None, "e/f": None}) is None


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("link", "symbolic link"),
        ("link/plan.json", "symbolic link"),
        ("module", "submodule"),
        ("module/plan.json", "submodule"),
        ("file/plan.json", "is a file"),
        ("folder", "is a folder"),
        ("", "not a path"),
        ("/absolute", "not a path"),
        ("folder/../f", "not a path"),
        ("folder//f", "not a path"),
        ("folder/", "not a path"),
        (".git/config", "not a path"),
        ("folder/.GIT/config", "not a path"),
        ("nul\0", "not a path"),
    ],
)
def test_what_is_in_the_way_is_named(library: ObjectStore, path: str, reason: str) -> None:
    """Writing and removing are refused by name where a path is no plain file in plain folders."""
    blob = library.write_blob(b"x")
    tree = library.write_tree(
        [
            TreeEntry("file", FILE_MODE, blob),
            TreeEntry("folder", TREE_MODE, library.write_tree([TreeEntry("f", FILE_MODE, blob)])),
            TreeEntry("link", LINK_MODE, blob),
            TreeEntry("module", SUBMODULE_MODE, ABSENT),
        ]
    )
    for edit in ((FILE_MODE, blob), None):
        with pytest.raises(Refusal, match=reason) as caught:
            rewrite_tree(library, tree, {path: edit})
        assert caught.value.location.path == path.removesuffix("/plan.json")
        assert caught.value.exit_code is ExitCode.ENVIRONMENT


def test_a_file_and_a_folder_change_places(library: ObjectStore) -> None:
    """Edits that clear the way themselves are no matter in which order they come."""
    blob = library.write_blob(b"x")
    folder = rewrite_tree(library, None, {"a/b": (FILE_MODE, blob)})
    file = rewrite_tree(library, None, {"a": (FILE_MODE, blob)})
    to_file = {"a": (FILE_MODE, blob), "a/b": None}
    to_folder = {"a": None, "a/b": (FILE_MODE, blob)}
    assert rewrite_tree(library, folder, to_file) == file
    assert rewrite_tree(library, folder, dict(reversed(to_file.items()))) == file
    assert rewrite_tree(library, file, to_folder) == folder
    assert rewrite_tree(library, file, dict(reversed(to_folder.items()))) == folder
