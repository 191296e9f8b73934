"""What every file tree promises, asked of each kind of tree there is."""

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitwfp.files.tree import Entry, EntryKind, FileTree, MemoryFiles, MissingFile, OverlayFiles
from gitwfp.git.objects import FILE_MODE, ProgramObjects, rewrite_tree
from gitwfp.git.repository import Repository
from gitwfp.git.trees import CommitFiles, FileTooLarge, WorktreeFiles
from tests.scene import Scene

Files = Mapping[str, bytes]
Maker = Callable[[Scene, Files], FileTree]

FILES: Files = {
    # In this order a sort by folder would differ from a sort by path.
    ".workflow/a-b": b"before the folder a\n",
    ".workflow/a/p.json": b'{"id": "IMPL-1"}\n',
    ".workflow/a/sub/deep.json": b"{}",
    ".workflow/a.md": b"after it\n",
    ".workflow/ab/p.json": b"not below a\n",
    ".workflow/empty": b"",
    ".workflow/binary": bytes(range(256)),
    ".workflow/crlf.md": b"one\r\ntwo\r\n",
    ".workflow/名.json": "\N{SNOWMAN}".encode(),
    ".workflow/caf\udce9.md": b"latin-1 name\n",
    '.workflow/with space and "quotes".md': b"1",
    ".workflow/with\nline break\tand tab": b"2",
    ".workflow/[ab]*?.md": b"globs\n",
    ".workflow/:(top)x": b"magic\n",
    "-leading-dash": b"3",
    "src/app.py": b"pass\n",
}


def memory(scene: Scene, files: Files) -> FileTree:
    """Files in a mapping."""
    return MemoryFiles(files)


def overlay(scene: Scene, files: Files) -> FileTree:
    """Half of the files by edits, and one file of the base removed, one replaced."""
    base = {path: data for n, (path, data) in enumerate(files.items()) if n % 2}
    edits: dict[str, bytes | None] = {p: d for p, d in files.items() if p not in base}
    first = next(iter(base))
    base |= {".workflow/gone": b"x", first: b"old"}
    return OverlayFiles(MemoryFiles(base), edits | {".workflow/gone": None, first: files[first]})


def worktree(scene: Scene, files: Files) -> FileTree:
    """Files on disk."""
    scene.write(files)
    return Repository.open(str(scene.path), os.environ).worktree_files()


def index(scene: Scene, files: Files) -> FileTree:
    """Files staged, while the worktree has lost them."""
    scene.write(files)
    scene.git("add", "--all")
    for path in files:
        os.unlink(os.fsencode(str(scene.path)) + b"/" + path.encode("utf-8", "surrogateescape"))
    return Repository.open(str(scene.path), os.environ).index_files()


def commit(scene: Scene, files: Files) -> FileTree:
    """Files of a commit, read by the library."""
    scene.write(files)
    repo = Repository.open(str(scene.path), os.environ)
    return repo.commit_files(scene.commit("all of it"))


def commit_by_program(scene: Scene, files: Files) -> FileTree:
    """Files of a commit, read by the git program."""
    scene.write(files)
    store = ProgramObjects(Repository.open(str(scene.path), os.environ))
    return CommitFiles(store, store.tree_of(scene.commit("all of it")))


ON_GIT = (worktree, index, commit, commit_by_program)
ALL = (memory, overlay, *ON_GIT)


@pytest.fixture(params=ALL, ids=lambda maker: maker.__name__)
def tree(request: pytest.FixtureRequest, scene: Scene) -> FileTree:
    """One tree of each kind with the same files."""
    maker: Maker = request.param
    return maker(scene, FILES)


def paths(entries: Iterator[Entry]) -> list[str]:
    """Returns the paths of entries."""
    return [entry.path for entry in entries]


def test_entries_are_all_files_in_order(tree: FileTree) -> None:
    """All files are listed, sorted by path as text, and all as files."""
    entries = list(tree.entries(""))
    assert [entry.path for entry in entries] == sorted(FILES)
    assert {entry.kind for entry in entries} == {EntryKind.FILE}


def test_each_file_reads_as_it_was_written(tree: FileTree) -> None:
    """Bytes come back unchanged, whatever is in them and in the name."""
    assert {path: tree.read(path) for path in paths(tree.entries(""))} == FILES


def test_a_prefix_is_a_folder_and_no_beginning_of_a_name(tree: FileTree) -> None:
    """Only what lies below the folder is listed, in order."""
    for prefix in (".workflow/a", ".workflow", "src", ".workflow/a/sub"):
        below = [path for path in sorted(FILES) if path.startswith(prefix + "/")]
        assert paths(tree.entries(prefix)) == below


def test_a_prefix_that_is_a_file_yields_the_file(tree: FileTree) -> None:
    """A file is below itself, and no pattern in its name matches another one."""
    assert [paths(tree.entries(path)) for path in FILES] == [[path] for path in FILES]


def test_a_prefix_that_is_not_there_yields_nothing(tree: FileTree) -> None:
    """Neither patterns nor paths through a file nor odd spellings name anything."""
    for prefix in ("missing", ".workflow/a/p.json/below", ".workflow/*", "A", "..", "nul\0byte"):
        assert paths(tree.entries(prefix)) == []


NO_FILES = (
    "",
    "/",
    ".",
    "..",
    "missing",
    ".workflow",
    ".workflow/",
    ".workflow/a",
    ".workflow/a/../a.md",
    ".workflow//a.md",
    "./.workflow/a.md",
    ".workflow/a.md/",
    ".workflow/a.md/below",
    "/etc/passwd",
    "../outside",
    ".git/config",
    "nul\0byte",
    "x" * 5000,
    ".workflow/" + "x" * 300,
)


def test_what_is_no_file_raises_missing_file(tree: FileTree) -> None:
    """Folders, odd spellings and paths out of the tree are missing, and nothing else is raised."""
    for path in NO_FILES:
        with pytest.raises(MissingFile):
            tree.read(path)


@pytest.mark.parametrize("maker", ON_GIT, ids=lambda maker: maker.__name__)
def test_links_and_submodules_are_one_entry(scene: Scene, tmp_path: Path, maker: Maker) -> None:
    """Neither is followed, and nothing can be read of it or through it."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.json").write_text("secret")
    (scene.path / "to-folder").symlink_to(outside)
    (scene.path / "to-file").symlink_to(outside / "secret.json")
    (scene.path / "to-nothing").symlink_to("nowhere")
    other = Scene(tmp_path / "other", home=scene.home)
    other.write({"inner.json": "{}"})
    other.commit("inner")
    scene.git("submodule", "--quiet", "add", str(other.path), "module")
    tree = maker(scene, {"plain": b"1"})

    kinds = {entry.path: entry.kind for entry in tree.entries("")}
    assert kinds == {
        ".gitmodules": EntryKind.FILE,
        "module": EntryKind.SUBMODULE,
        "plain": EntryKind.FILE,
        "to-file": EntryKind.LINK,
        "to-folder": EntryKind.LINK,
        "to-nothing": EntryKind.LINK,
    }
    for path in ("module", "to-file", "to-folder"):
        assert paths(tree.entries(path)) == [path]
    for path in ("module/inner.json", "to-folder/secret.json"):
        assert paths(tree.entries(path)) == []
        with pytest.raises(MissingFile):
            tree.read(path)
    for path in ("module", "to-file", "to-folder", "to-nothing"):
        with pytest.raises(MissingFile):
            tree.read(path)


@pytest.mark.parametrize("maker", [worktree, index, commit], ids=lambda maker: maker.__name__)
def test_a_file_above_the_limit_is_too_large(scene: Scene, maker: Maker) -> None:
    """It raises `FileTooLarge`, which says how large; one just at the limit is read."""
    maker(scene, {"large": b"12345", "just": b"1234"})
    repo = Repository.open(str(scene.path), os.environ)
    with repo:
        tree: FileTree
        if maker is worktree:
            tree = repo.worktree_files(4)
        elif maker is index:
            tree = repo.index_files(4)
        else:
            tree = repo.commit_files(repo.head().commit, 4)
        assert tree.read("just") == b"1234"
        with pytest.raises(FileTooLarge) as caught:
            tree.read("large")
    assert (caught.value.path, caught.value.size, caught.value.limit) == ("large", 5, 4)


def test_a_pipe_is_listed_and_never_opened(scene: Scene) -> None:
    """A named pipe is an entry of kind OTHER; reading it neither blocks nor works."""
    os.mkfifo(scene.path / "pipe")
    tree = WorktreeFiles(str(scene.path))
    assert list(tree.entries("")) == [Entry("pipe", EntryKind.OTHER)]
    with pytest.raises(MissingFile):
        tree.read("pipe")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_what_may_not_be_read_is_there_all_the_same(scene: Scene) -> None:
    """A closed folder is one entry of kind OTHER, and a closed file is missing with its errno."""
    scene.write({"closed/a": b"1", "file": b"2"})
    (scene.path / "closed").chmod(0)
    (scene.path / "file").chmod(0)
    tree = WorktreeFiles(str(scene.path))
    assert list(tree.entries("")) == [
        Entry("closed", EntryKind.OTHER),
        Entry("file", EntryKind.FILE),
    ]
    with pytest.raises(MissingFile) as caught:
        tree.read("file")
    assert caught.value.args[1] == 13
    (scene.path / "closed").chmod(0o700)


def test_the_root_of_a_worktree_may_be_reached_through_a_link(scene: Scene, tmp_path: Path) -> None:
    """Only what is inside the worktree must not be a link."""
    scene.write(FILES)
    (tmp_path / "link").symlink_to(scene.path)
    tree = WorktreeFiles(str(tmp_path / "link"))
    assert paths(tree.entries("")) == sorted(FILES)
    assert tree.read("src/app.py") == FILES["src/app.py"]


def test_an_unmerged_path_of_the_index_is_one_entry(scene: Scene) -> None:
    """An unmerged path is neither listed three times nor read from one of the sides."""
    scene.write({"f": "base\n", "g": "g\n"})
    scene.commit("base")
    scene.git("switch", "--quiet", "--create", "side")
    scene.write({"f": "side\n"})
    scene.commit("side")
    scene.git("switch", "--quiet", "main")
    scene.write({"f": "main\n"})
    scene.commit("main")
    scene.git("merge", "side", ok=(1,))
    with Repository.open(str(scene.path), os.environ) as repo:
        tree = repo.index_files()
        assert [(e.path, e.kind, e.id is None) for e in tree.entries("")] == [
            ("f", EntryKind.OTHER, True),
            ("g", EntryKind.FILE, False),
        ]
        with pytest.raises(MissingFile):
            tree.read("f")


def test_a_path_that_is_only_announced_is_not_in_the_index(scene: Scene) -> None:
    """After `add --intent-to-add` a path has no staged content; an empty file has."""
    scene.write({"announced": "text\n", "empty": ""})
    scene.git("add", "empty")
    scene.git("add", "--intent-to-add", "announced")
    with Repository.open(str(scene.path), os.environ) as repo:
        assert paths(repo.index_files().entries("")) == ["empty"]


def test_an_empty_commit_tree_has_no_files(scene: Scene) -> None:
    """A branch without commits and an empty tree read as no files at all."""
    with Repository.open(str(scene.path), os.environ) as repo:
        assert list(repo.commit_files(None).entries("")) == []
        empty = CommitFiles(repo.objects(), None)
        assert list(empty.entries("")) == list(empty.entries("a")) == []
        with pytest.raises(MissingFile):
            empty.read("a")


def test_a_blob_that_is_gone_reads_as_missing_and_is_still_listed(scene: Scene) -> None:
    """A damaged repository does not look like one in which the plan was removed."""
    scene.write({"f": "lost\n"})
    made = scene.commit("f")
    blob = scene.git("rev-parse", "HEAD:f")
    (scene.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with Repository.open(str(scene.path), os.environ) as repo:
        tree = repo.commit_files(made)
        assert paths(tree.entries("")) == ["f"]
        with pytest.raises(MissingFile, match=blob):
            tree.read("f")


NAMES = st.sampled_from(["a", "b", "a-", "a.b", "é", "A", "ab", "\udcff", " "])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


def without_clashes(files: Files) -> Files:
    """Returns the files without those that lie below another one."""
    return {
        path: data
        for path, data in files.items()
        if not any(path.startswith(other + "/") for other in files)
    }


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One bare repository for many trees."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run(["git", "init", "--quiet", "--bare", str(folder)], check=True)
    return folder


@settings(max_examples=60)
@given(files=st.dictionaries(PATHS, st.binary(max_size=8)), prefix=st.just("") | PATHS)
def test_a_commit_and_a_mapping_agree(bare: Path, files: Files, prefix: str) -> None:
    """For any files and any prefix the tree of a commit answers as the mapping does."""
    files = without_clashes(files)
    with Repository.open(str(bare), os.environ) as repo:
        store = repo.objects()
        edits = {path: (FILE_MODE, store.write_blob(data)) for path, data in files.items()}
        tree = CommitFiles(store, rewrite_tree(store, None, edits))
        plain = MemoryFiles(files)
        assert paths(tree.entries(prefix)) == paths(plain.entries(prefix))
        assert {path: tree.read(path) for path in files} == files
