"""Questions about one repository, seen from one worktree.

`Repository.open` asks git where we are, once; each question after that is asked anew, except for
the configuration. Nothing here changes a repository.
"""

import os
import re
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.files.tree import FileTree, MemoryFiles
from gitwfp.git import opening, state
from gitwfp.git.config import Config, read_config
from gitwfp.git.objectstore import ObjectStore
from gitwfp.git.opening import Place
from gitwfp.git.program import GitProgram, to_text
from gitwfp.git.reffiles import find_refs
from gitwfp.git.refs import Head, read_head
from gitwfp.git.state import FileState
from gitwfp.git.trees import FILE_BYTES, CommitFiles, IndexFiles, WorktreeFiles
from gitwfp.git.witness import Witness
from gitwfp.patterns import regex

__all__ = ["Head", "Repository"]


class Repository:
    """One repository seen from one worktree; to be closed, best by a `with`.

    Args:
        place: Where it is.
        git: The program, running at the worktree's top, or in the git folder where there is none.
        witness: Notes what is looked at in the worktree and around it.

    Attributes:
        git: The program.
        top: The worktree's top; None in a bare repository and inside a git folder.
        git_dir: The worktree's own git folder.
        common_dir: The git folder that all worktrees share.
        is_bare: Whether it is bare.
        is_shallow: Whether its history is cut off.
        object_format: sha1 or sha256.
        prefix: Where the user stands, from the top, with a slash at the end; "" at the top.
        lasts: Whether the process goes on for so long that what is slow to load pays.
    """

    def __init__(self, place: Place, git: GitProgram, witness: Witness | None = None) -> None:
        self.git = git
        self._witness = witness
        self.top = place.top
        self.git_dir = place.git_dir
        self.common_dir = place.common_dir
        self.is_bare = place.is_bare
        self.is_shallow = place.is_shallow
        self.object_format = place.object_format
        self.prefix = place.prefix
        self.lasts = False
        self._config: Config | None = None
        self._objects: ObjectStore | None = None

    @classmethod
    def open(
        cls,
        start: str,
        environ: Mapping[str, str],
        witness: Witness | None = None,
        *,
        lasts: bool = False,
    ) -> Self:
        """Finds the repository that a folder belongs to.

        Args:
            start: The folder where the user stands.
            environ: The environment, of which git's own variables count.
            witness: Notes what is looked at.
            lasts: Whether the process goes on for so long that what is slow to load pays.

        Returns:
            The repository.

        Raises:
            Refusal: There is none (`not-a-repository`), or git does not take it.
        """
        repo = cls(*opening.find(start, environ), witness)
        repo.lasts = lasts
        if witness is not None:
            witness.note_place(start, repo)
        return repo

    def close(self) -> None:
        """Lets go of the object store; may be called twice."""
        if self._objects is not None:
            self._objects.close()
            self._objects = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def look_at(self, path: str) -> None:
        """Notes that an answer depends on a path in the git folder."""
        if self._witness is not None:
            self._witness.note(path)

    def look_at_history(self) -> None:
        """Notes all that lets a commit's id stand for another history than it does by itself."""
        for name in ("refs/replace", "packed-refs", "info/grafts", "shallow"):
            self.look_at(os.path.join(self.common_dir, name))

    def doubt(self) -> None:
        """Says that an answer depends on something that is not noted."""
        self.git.runs += 1

    def swear(self) -> None:
        """Says that all that an answer was made from is noted, if that is so."""
        if self._witness is not None and self._config is not None:
            self._witness.note_config(self._config, self, self.git.environ)
            # Objects are asked for by id, and by the library only in a process that lasts.
            self._witness.is_whole = self.git.runs == 1 and not self.lasts

    @property
    def has_ref_table(self) -> bool:
        """Whether refs are in a table (reftable) and not in files."""
        return os.path.isdir(os.path.join(self.common_dir, "reftable"))

    def require_worktree(self) -> str:
        """Returns the worktree's top; raises the refusal `no-worktree` where there is none."""
        if self.top is None:
            raise Refusal(
                "no-worktree",
                say("The repository {folder} has no worktree here.", folder=self.git_dir),
                ExitCode.ENVIRONMENT,
                hint=say("Go into a worktree, or name a commit where the command takes one."),
            )
        return self.top

    def head(self) -> Head:
        """Tells where HEAD is; raises the refusal `head-broken` if it leads nowhere."""
        return read_head(self)

    def resolve(self, rev: str) -> str:
        """Returns the full id of the commit that a revision or a date names.

        A date means the newest commit of HEAD's own line that is not younger; a day without a time
        means the day's end.

        Args:
            rev: Any revision that git understands, a date in ISO 8601, or `2 days ago`.

        Returns:
            The commit's id.

        Raises:
            Refusal: There is no such commit (`revision-not-found`), or there are several.
        """
        # With a dash it would be an option, and with a caret all but that commit.
        if not rev or rev.startswith(("-", "^")) or "\0" in rev:
            raise _not_found(rev)
        # A search for a message would take the suffix for a part of the message.
        wanted = rev if rev.startswith(":/") else rev + "^{commit}"
        done = self.git.run("rev-parse", "--verify", "--end-of-options", wanted, ok=(0, 1, 128))
        if done.code == 0:
            return done.out.decode("ascii").strip()
        if b"ambiguous" in done.err and re.fullmatch(r"[0-9a-f]+", rev):
            raise Refusal(
                "revision-ambiguous",
                say("More than one object has an id that starts with {rev}.", rev=rev),
                ExitCode.NOT_FOUND,
                hint=say("Give more of its digits."),
            )
        day = _DATE.fullmatch(rev)
        if day is None:
            raise _not_found(rev)
        date = rev + " 23:59:59" if day["day"] else rev
        command = ("rev-list", "-1", "--first-parent", "--before=" + date, "HEAD", "--")
        found = self.git.run(*command, ok=(0, 128)).out.decode("ascii").strip()
        if not found:
            raise Refusal(
                "revision-not-found",
                say("There was no commit yet at {date}.", date=rev),
                ExitCode.NOT_FOUND,
                hint=say("git log --reverse shows the first commit; give a later date."),
            )
        return found

    def tree_id(self, commit: str, path: str) -> str | None:
        """Returns the id of the folder at a path of a commit, None if there is no folder.

        Args:
            commit: A commit's or a tree's id.
            path: The path; "" is the root.
        """
        if not path:
            command = ("rev-parse", "--verify", "--end-of-options", commit + "^{tree}")
            return self.git.run(*command).out.decode("ascii").strip()
        done = self.git.run("ls-tree", "-z", "--full-tree", commit, "--", path)
        facts = done.out.partition(b"\t")[0].decode("ascii").split(" ")
        return facts[2] if facts[0] == "040000" else None

    def config(self) -> Config:
        """Returns the configuration in force, read once."""
        if self._config is None:
            self._config = read_config(self.git)
        return self._config

    def identity(self, role: str, env: Mapping[str, str] | None = None) -> str:
        """Returns who would be recorded in a commit, as git writes it: name, mail, time, zone.

        Args:
            role: author or committer.
            env: Variables to set for this question, such as a date.

        Raises:
            Refusal: Git does not know who the user is (`identity-missing`), or has another reason,
                such as a date that is none, which it gives in its own words.
        """
        variable = {"author": "GIT_AUTHOR_IDENT", "committer": "GIT_COMMITTER_IDENT"}[role]
        done = self.git.run("var", variable, ok=(0, 1, 128), env=env)
        if done.code != 0:
            failure = self.git.failure(("var", variable), done.code, done.err)
            if not any(sign in str(failure) for sign in _NO_IDENTITY):
                raise failure
            raise Refusal(
                "identity-missing",
                say("Git does not know who you are, so no commit can be made."),
                ExitCode.ENVIRONMENT,
                hint=say(
                    "Set {name} and {mail}: git config --global {name} ...",
                    name="user.name",
                    mail="user.email",
                ),
            )
        return to_text(done.out).strip()

    def operation_in_progress(self) -> str | None:
        """Names what git is in the middle of: merge, rebase, cherry-pick, revert, bisect or am."""
        return state.operation(self)

    def unmerged_paths(self, prefix: str = "") -> tuple[str, ...]:
        """Returns the paths below a folder that the index has unmerged."""
        return state.unmerged(self.git, prefix)

    def checked_out_elsewhere(self, branch: str) -> str | None:
        """Returns another worktree that has a branch checked out, or will have after a rebase.

        Args:
            branch: Its short name or its full ref.

        Returns:
            The worktree's top, None if there is none. One whose folder is gone does not count.
        """
        ref = branch if branch.startswith("refs/") else "refs/heads/" + branch
        is_main = os.path.realpath(self.git_dir) == os.path.realpath(self.common_dir)
        if is_main and not state.linked_folders(self.common_dir):
            return None
        main, *linked = state.worktrees(self.git)
        own = None if self.top is None else os.path.realpath(self.top)
        others = [] if is_main else [main]
        others += [tree for tree in linked if os.path.realpath(tree.path) != own]
        for tree in others:
            if tree.ref == ref and not tree.is_prunable:
                return tree.path
        folders = [(self.common_dir, main.path), *state.linked_folders(self.common_dir)]
        for git_dir, path in folders:
            is_other = os.path.realpath(git_dir) != os.path.realpath(self.git_dir)
            if is_other and os.path.isdir(path) and ref in state.replayed_branches(git_dir):
                return path
        return None

    def ignored_by(self, path: str) -> tuple[str, int, str] | None:
        """Returns source, line and pattern of the rule that ignores a path that is not tracked."""
        return state.ignoring_rule(self.git, path)

    def refs(self, prefix: str) -> Mapping[str, str]:
        """Returns what refs point to, by full name.

        Args:
            prefix: A full ref, or the folder of refs to look in, such as `refs/heads/wfp/`.
        """
        found = find_refs(self, prefix)
        if found is not None:
            return found
        done = self.git.run("for-each-ref", "--format=%(objectname) %(refname)", prefix)
        pairs = (line.split(" ", 1) for line in to_text(done.out).splitlines())
        return {name: object_id for object_id, name in pairs}

    def worktree_state(self, prefix: str = "", *, hidden: bool = False) -> tuple[FileState, ...]:
        """Returns the paths below a folder that differ between HEAD, index and worktree.

        Args:
            prefix: The folder; "" is the root.
            hidden: Whether to look for marks in the index too that keep git from looking at a
                path, and to return the paths so hidden.
        """
        self.require_worktree()
        states = state.file_states(self.git, prefix)
        return state.with_hidden(states, state.hidden_paths(self.git, prefix)) if hidden else states

    def features(self) -> tuple[str, ...]:
        """Names what is uncommon about the repository, such as `sparse index`."""
        from gitwfp.git.features import features

        return features(self)

    def workflow_kind(self, path: str = ".workflow") -> str:
        """Tells what a path of the worktree is: folder, file, link, submodule, other or absent."""
        from gitwfp.git.features import path_kind

        return path_kind(self, path)

    def worktree_files(self, file_bytes: int = FILE_BYTES) -> FileTree:
        """Returns the worktree as a file tree, with what a sparse checkout leaves out of it."""
        files = WorktreeFiles(self.require_worktree(), file_bytes, self._witness)
        if not self.config().get_bool("core.sparsecheckout"):
            return files
        from gitwfp.git.hidden import SparseFiles

        return SparseFiles(self, files, self.index_files(file_bytes))

    def index_files(self, file_bytes: int = FILE_BYTES) -> IndexFiles:
        """Returns the index as a file tree."""
        return IndexFiles(self, file_bytes)

    def commit_files(self, commit: str | None, file_bytes: int = FILE_BYTES) -> FileTree:
        """Returns a commit as a file tree; None, for a branch without commits, is an empty one."""
        if commit is None:
            return MemoryFiles({})
        store = self.objects()
        return CommitFiles(store, store.tree_of(commit), file_bytes)

    def objects(self) -> ObjectStore:
        """Returns the object store, opened once."""
        if self._objects is None:
            from gitwfp.git.objects import open_objects

            self.look_at_history()
            self._objects = open_objects(self)
        return self._objects


# Git takes any text for a date, and one that it does not understand for now; so only what is
# plainly a date is handed to it as one.
_DATE = regex(
    r"""
    (?P<day>\d{4}-\d{2}-\d{2})
    | \d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?\ ?(Z|[+-]\d{2}:?\d{2})?
    | now | today | yesterday | noon | midnight | tea
    | last\ (minute|hour|day|week|month|year|(mon|tues|wednes|thurs|fri|satur|sun)day)
    | (\d+|a|an|one|two|three|four|five|six|seven|eight|nine|ten)
      [ .](second|minute|hour|day|week|month|year)s?[ .]ago
    """,
    re.VERBOSE | re.IGNORECASE,
)


_NO_IDENTITY = (
    "tell me who you are",
    "empty ident name",
    "auto-detect",
    "disallowed characters",
)
"""What git says when it lacks a name or a mail, and not a date or a readable configuration."""


def _not_found(rev: str) -> Refusal:
    return Refusal(
        "revision-not-found",
        say("There is no commit {rev} in this repository.", rev=rev),
        ExitCode.NOT_FOUND,
        hint=say("Give a branch, a tag, a commit id, or a date such as 2024-05-31."),
    )
