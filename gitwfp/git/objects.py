"""Reading and writing git objects, by the library or by the git program.

The two stores give equal answers. `LibraryObjects` is fast, but is worth its import, some forty
runs of git, only in a process that lasts, and does not know every kind of repository.
`ProgramObjects` asks git, which does: one process reads all, one writes all. `open_objects`
chooses. What the library cannot read or write it hands to git, which so has the last word on what
is missing or broken, in its own words.
"""

import os
import subprocess
import tempfile
import weakref
import zlib
from collections.abc import Iterable, Sequence
from typing import IO, TYPE_CHECKING

from gitwfp.git.features import is_shared
from gitwfp.git.objectstore import (
    FILE_MODE,
    LINK_MODE,
    SUBMODULE_MODE,
    TREE_MODE,
    ObjectMissing,
    ObjectStore,
    TreeEdits,
    TreeEntry,
    check_id,
    check_kind,
    commit_tree,
    parse_tree,
    rewrite_tree,
    tree_bytes,
)
from gitwfp.git.packing import object_id as id_of
from gitwfp.git.packing import pack
from gitwfp.git.program import GitFailed, GitProgram, to_text
from gitwfp.git.smallfiles import read_if_file

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

__all__ = [
    "FILE_MODE",
    "LINK_MODE",
    "SUBMODULE_MODE",
    "TREE_MODE",
    "LibraryObjects",
    "ObjectMissing",
    "ObjectStore",
    "ProgramObjects",
    "TreeEdits",
    "TreeEntry",
    "open_objects",
    "rewrite_tree",
]

# Git leaves new loose objects to the operating system by default, so that a power cut could leave
# a branch pointing at nothing.
_DURABLE = ("-c", "core.fsync=committed,loose-object")


class ProgramObjects:
    """Objects by the git program: one `cat-file --batch` reads, one `unpack-objects` writes.

    New objects wait in memory until they are flushed.

    Args:
        repo: The repository.
    """

    def __init__(self, repo: "Repository") -> None:
        self._git = repo.git
        self._format = repo.object_format
        self._batch: _Batch | None = None
        self._new: dict[str, tuple[str, bytes]] = {}
        self._stored: set[str] = set()

    def read(self, object_id: str, kind: str) -> bytes:
        """Returns the raw content of an object of one kind: blob, tree or commit."""
        check_id(object_id)
        waiting = self._new.get(object_id)
        if waiting is not None:
            check_kind(object_id, waiting[0], kind)
            return waiting[1]
        # Ctrl-C reaches the process too, perhaps while we are holding the signal back; one that
        # dies without a word is started again, once.
        for last_try in (False, True):
            if self._batch is None:
                self._batch = _Batch(self._git)
            answer = self._batch.ask(object_id)
            if answer is not None:
                break
            code, text = self._batch.close()
            self._batch = None
            if text or last_try:
                raise GitFailed("cat-file", code, text)
        assert answer is not None  # noqa: S101 - the loop ends by a break or an exception
        found, data = answer
        if found == "missing":
            # It may come some day.
            self._git.runs += 1
            raise ObjectMissing(object_id)
        check_kind(object_id, found, kind)
        # What stands in for a replaced object says nothing of whether that one is there.
        if id_of(kind, data, self._format) == object_id:
            self._stored.add(object_id)
        return data

    def read_blob(self, blob_id: str) -> bytes:
        """Returns the content of a blob; see `ObjectStore.read_blob`."""
        return self.read(blob_id, "blob")

    def read_tree(self, tree_id: str) -> tuple[TreeEntry, ...]:
        """Returns the entries of a tree; see `ObjectStore.read_tree`."""
        return tuple(parse_tree(tree_id, self.read(tree_id, "tree")))

    def tree_of(self, commit: str) -> str:
        """Returns the id of a commit's tree; see `ObjectStore.tree_of`."""
        return commit_tree(commit, self.read(commit, "commit"))

    def write_blob(self, data: bytes) -> str:
        """Stores a blob; see `ObjectStore.write_blob`."""
        return self.write("blob", data)

    def write_tree(self, entries: Iterable[TreeEntry]) -> str:
        """Stores a tree; see `ObjectStore.write_tree`."""
        return self.write("tree", tree_bytes(entries))

    def write_commit(self, data: bytes) -> str:
        """Stores a commit; see `ObjectStore.write_commit`."""
        return self.write("commit", data)

    def write(self, kind: str, data: bytes) -> str:
        """Takes an object of a kind to be stored with the next `flush`, and returns its id."""
        name = id_of(kind, data, self._format)
        if name not in self._stored:
            self._new[name] = (kind, data)
        return name

    def flush(self) -> None:
        """Stores what waits; see `ObjectStore.flush`."""
        if self._new:
            data = pack(self._new.values(), self._format)
            self._git.run(*_DURABLE, "unpack-objects", "-q", input=data)
            self._stored.update(self._new)
            self._new.clear()

    def close(self) -> None:
        """Ends the process that reads, and forgets what waits; see `ObjectStore.close`."""
        self._new.clear()
        if self._batch is not None:
            self._batch.close()
            self._batch = None


class _Batch:
    """One running `git cat-file --batch`, ended when nobody holds it any more."""

    def __init__(self, git: GitProgram) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        try:
            self._process = git.start("cat-file", "--batch", stderr=self._errors, by_id=True)
        except BaseException:
            self._errors.close()
            raise
        self._end = weakref.finalize(self, _end, self._process, self._errors)

    def ask(self, object_id: str) -> tuple[str, bytes] | None:
        """Returns kind and content of an object, or None if the process has died."""
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: PT018, S101 - pipes
        try:
            self._process.stdin.write(object_id.encode("ascii") + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return None
        header = self._process.stdout.readline().split()
        if len(header) < 2:
            return None
        if len(header) == 2:
            return "missing", b""
        data = self._process.stdout.read(int(header[2]) + 1)
        return None if len(data) != int(header[2]) + 1 else (header[1].decode("ascii"), data[:-1])

    def close(self) -> tuple[int, str]:
        """Ends the process and returns its exit code and what it complained about."""
        result = self._end()
        return result if result is not None else (0, "")


def _end(process: subprocess.Popen[bytes], errors: IO[bytes]) -> tuple[int, str]:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except BrokenPipeError:
                # What was still in the buffer has no reader any more, and needs none.
                continue
    code = process.wait()
    errors.seek(0)
    text = to_text(errors.read()).strip()
    errors.close()
    return code, text


class LibraryObjects:
    """Objects by libgit2, in this process.

    Only an object folder is opened and never a whole repository: so neither ownership nor
    extensions nor the kind of ref storage matter, about which git was asked already.

    Args:
        folders: The folder of objects to read and write, and then those that are only read.
        program: Asked for all that the library fails at.
    """

    def __init__(self, folders: Sequence[str], program: ProgramObjects) -> None:
        import pygit2

        self._program = program
        # The library has few exception classes, and uses built-in ones for the same failures.
        self._failures = (pygit2.GitError, OSError, KeyError, ValueError, zlib.error)
        self._folders = tuple(folders)
        self._kinds: dict[str, int] = {
            "blob": pygit2.enums.ObjectType.BLOB,
            "tree": pygit2.enums.ObjectType.TREE,
            "commit": pygit2.enums.ObjectType.COMMIT,
        }
        self._odb = pygit2.Odb(folders[0])
        for folder in folders[1:]:
            self._odb.add_disk_alternate(folder)
        self._is_durable = False

    def read_blob(self, blob_id: str) -> bytes:
        """Returns the content of a blob; see `ObjectStore.read_blob`."""
        return self._read(blob_id, "blob")

    def read_tree(self, tree_id: str) -> tuple[TreeEntry, ...]:
        """Returns the entries of a tree; see `ObjectStore.read_tree`."""
        return tuple(parse_tree(tree_id, self._read(tree_id, "tree")))

    def tree_of(self, commit: str) -> str:
        """Returns the id of a commit's tree; see `ObjectStore.tree_of`."""
        return commit_tree(commit, self._read(commit, "commit"))

    def write_blob(self, data: bytes) -> str:
        """Stores a blob; see `ObjectStore.write_blob`."""
        return self._write("blob", data) or self._program.write_blob(data)

    def write_tree(self, entries: Iterable[TreeEntry]) -> str:
        """Stores a tree; see `ObjectStore.write_tree`."""
        entries = tuple(entries)
        return self._write("tree", tree_bytes(entries)) or self._program.write_tree(entries)

    def write_commit(self, data: bytes) -> str:
        """Stores a commit; see `ObjectStore.write_commit`."""
        return self._write("commit", data) or self._program.write_commit(data)

    def flush(self) -> None:
        """Stores what git has to store; see `ObjectStore.flush`."""
        self._program.flush()

    def close(self) -> None:
        """Ends the program, if it was needed; see `ObjectStore.close`."""
        self._program.close()

    def _read(self, object_id: str, kind: str) -> bytes:
        check_id(object_id)
        try:
            loose = self._loose(object_id)
            found, data = self._odb.read(object_id) if loose is None else loose
        except self._failures:
            # Git fetches what a partial clone lacks, and explains what is broken.
            return self._program.read(object_id, kind)
        return data if found == self._kinds[kind] else self._program.read(object_id, kind)

    def _loose(self, object_id: str) -> tuple[int | None, bytes] | None:
        """Returns kind and content of an object that has a file of its own, else None.

        The library waits for ever at the end of such a file if it was cut off.
        """
        from hashlib import sha1

        for folder in self._folders:
            packed = read_if_file(os.path.join(folder, object_id[:2], object_id[2:]))
            if packed is not None:
                stream = zlib.decompressobj()
                whole = stream.decompress(packed)
                if not stream.eof or sha1(whole, usedforsecurity=False).hexdigest() != object_id:
                    raise ValueError(object_id)
                head, _, content = whole.partition(b"\0")
                return self._kinds.get(to_text(head.partition(b" ")[0])), content
        return None

    def _write(self, kind: str, data: bytes) -> str | None:
        if not self._is_durable:
            import pygit2

            pygit2.settings.enable_fsync_gitdir(True)
            self._is_durable = True
        try:
            return str(self._odb.write(self._kinds[kind], data))
        except self._failures:
            # The caller then asks git, which succeeds or says what is in the way.
            return None


def open_objects(repo: "Repository") -> ObjectStore:
    """Opens a repository's objects: by the library where that is right and pays, else by git.

    Args:
        repo: The repository.

    Returns:
        The store, to be closed by the caller.
    """
    program = ProgramObjects(repo)
    if not repo.lasts or _needs_program(repo):
        return program
    environ = repo.git.environ
    own = environ.get("GIT_OBJECT_DIRECTORY") or os.path.join(repo.common_dir, "objects")
    others = environ.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", "")
    # Git quotes a folder whose name has the separator in it; only git reads those.
    if '"' in others:
        return program
    folders = (own, *filter(None, others.split(os.pathsep)))
    places = [os.path.join(repo.git.cwd, folder) for folder in folders]
    # Folders that these borrow objects from would be read by the library alone.
    if any(os.path.lexists(os.path.join(place, "info", "alternates")) for place in places):
        return program
    try:
        return LibraryObjects(places, program)
    except ImportError:
        # A broken or missing wheel makes us slower, not useless.
        return program


# Those that say nothing about how objects are stored.
_HARMLESS_EXTENSIONS = frozenset(
    {
        "extensions.noop",
        "extensions.objectformat",
        "extensions.partialclone",
        "extensions.preciousobjects",
        "extensions.refstorage",
        "extensions.relativeworktrees",
        "extensions.worktreeconfig",
    }
)


def _needs_program(repo: "Repository") -> bool:
    """Tells whether only git reads and writes this repository's objects rightly."""
    if repo.object_format != "sha1":
        return True
    config = repo.config()
    # The library would write files that teammates cannot replace.
    if is_shared(config.get("core.sharedRepository")):
        return True
    if any(k not in _HARMLESS_EXTENSIONS for k in config.keys_below("extensions")):
        return True
    # Git reads a replaced object as its replacement, the library does not.
    return bool(repo.refs("refs/replace/"))
