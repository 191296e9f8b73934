"""What is uncommon about a repository, in words for people and for `git wfp doctor`."""

import os
import stat
from typing import TYPE_CHECKING

from gitwfp.git.program import to_bytes

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

_NAMED_EXTENSIONS = {
    "extensions.compatobjectformat": "second object format",
    "extensions.objectformat": None,
    "extensions.partialclone": "partial clone",
    "extensions.preciousobjects": "precious objects",
    "extensions.refstorage": None,
    "extensions.worktreeconfig": "worktree configuration",
    "extensions.relativeworktrees": "relative worktrees",
    "extensions.noop": None,
}


def features(repo: "Repository") -> tuple[str, ...]:
    """Names what is uncommon about a repository, sorted.

    Args:
        repo: The repository.

    Returns:
        Some of: alternates, bare, linked worktree, partial clone, precious objects, reftable,
        relative worktrees, replaced objects, second object format, sha256, shallow, shared, sparse
        checkout, sparse index, split index, submodule, worktree configuration, and `unknown
        extension NAME`.
    """
    config = repo.config()
    found = {
        _NAMED_EXTENSIONS.get(key, "unknown extension " + key.removeprefix("extensions."))
        for key in config.keys_below("extensions")
    }
    is_linked = os.path.realpath(repo.git_dir) != os.path.realpath(repo.common_dir)
    is_sparse = config.get_bool("core.sparseCheckout")
    has_promisor = any(
        key.endswith(".promisor") and config.get_bool(key) for key in config.keys_below("remote")
    )
    facts = {
        "alternates": _exists(repo.common_dir, "objects/info/alternates"),
        "bare": repo.is_bare,
        "linked worktree": is_linked,
        "partial clone": has_promisor,
        "reftable": repo.has_ref_table,
        "replaced objects": bool(repo.refs("refs/replace/")),
        "sha256": repo.object_format == "sha256",
        "shallow": repo.is_shallow,
        "shared": is_shared(config.get("core.sharedRepository")),
        "sparse checkout": is_sparse,
        "sparse index": is_sparse and config.get_bool("index.sparse"),
        "split index": any(n.startswith("sharedindex.") for n in os.listdir(repo.git_dir)),
        "submodule": is_submodule(repo),
    }
    found.update(name for name, holds in facts.items() if holds)
    return tuple(sorted(name for name in found if name is not None))


def is_shared(setting: str | None) -> bool:
    """Tells whether a value of core.sharedRepository lets others write into the repository."""
    return setting is not None and setting.lower() not in {"umask", "false", "no", "off", "0"}


def is_submodule(repo: "Repository") -> bool:
    """Tells whether the repository is checked out as a submodule of another one."""
    if repo.top is None:
        return False
    command = ("rev-parse", "--show-superproject-working-tree")
    return bool(repo.git.run(*command).out.strip())


def path_kind(repo: "Repository", path: str) -> str:
    """Tells what a path of the worktree is: folder, file, link, submodule, other or absent.

    A submodule that is not checked out is one too, although its folder is empty or missing.
    """
    full = os.path.join(to_bytes(repo.require_worktree()), to_bytes(path))
    try:
        mode = os.lstat(full).st_mode
    except (FileNotFoundError, NotADirectoryError):
        mode = 0
    if stat.S_ISDIR(mode) and os.path.lexists(os.path.join(full, b".git")):
        return "submodule"
    if (not mode or (stat.S_ISDIR(mode) and not os.listdir(full))) and _is_gitlink(repo, path):
        return "submodule"
    for is_kind, name in _KINDS:
        if is_kind(mode):
            return name
    return "other" if mode else "absent"


_KINDS = ((stat.S_ISDIR, "folder"), (stat.S_ISREG, "file"), (stat.S_ISLNK, "link"))


def _is_gitlink(repo: "Repository", path: str) -> bool:
    return repo.git.run("ls-files", "-s", "-z", "--", path).out.startswith(b"160000 ")


def _exists(folder: str, name: str) -> bool:
    return os.path.exists(os.path.join(folder, name))
