"""What on disk an answer was made from, noted while it is made.

Whatever looks at a path for an answer says so here: files that are read, folders that are listed,
and places where something could be that is not there. An answer stays right while all of them stay
as they are. That holds only for a *whole* witness: asking git for more than where we are, what is
configured, and what objects with a given id hold looks at paths that nobody notes.
"""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gitwfp.git.config import Config
    from gitwfp.git.repository import Repository


class Witness:
    """Notes the absolute paths that an answer depends on.

    Attributes:
        seen: By path, whether all that `lstat` says of it counts, or only that it is what it is.
        is_whole: Whether nothing was looked at that is not noted here.
    """

    def __init__(self) -> None:
        self.seen: dict[bytes, bool] = {}
        self.is_whole = False

    def note(self, path: str | bytes, *, whole: bool = True) -> None:
        """Notes a path, which need not exist.

        Args:
            path: The path.
            whole: Whether its content counts; False for a folder that is only passed through.
        """
        key = os.fsencode(path)
        self.seen[key] = whole or self.seen.get(key, False)

    def note_followed(self, path: str) -> None:
        """Notes a path that is read through links, and all the links on the way."""
        for _ in range(_MOST_LINKS):
            self.note(path)
            if not os.path.islink(path):
                return
            path = os.path.join(os.path.dirname(path), os.readlink(path))

    def note_place(self, start: str, repo: "Repository") -> None:
        """Notes what led git from the folder where the user stands to the repository."""
        top = repo.top or repo.git_dir
        folder = os.path.realpath(start)
        while True:
            self.note(os.path.join(folder, "HEAD"), whole=False)
            is_top = os.path.realpath(folder) == os.path.realpath(top)
            # The folder changes with every lock that git makes in it; a file says where it is.
            place = os.path.join(folder, ".git")
            self.note(place, whole=not os.path.isdir(place))
            if is_top or os.path.dirname(folder) == folder:
                break
            folder = os.path.dirname(folder)
        for name in ("HEAD", "objects", "refs", "commondir"):
            self.note(os.path.join(repo.git_dir, name), whole=name == "commondir")

    def note_config(self, config: "Config", repo: "Repository", environ: Mapping[str, str]) -> None:
        """Notes every file that git's configuration is from, or would be if it were there."""
        home = environ.get("HOME", "")
        own = environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
        usual = (
            environ.get("GIT_CONFIG_GLOBAL") or os.path.join(own, "git", "config"),
            os.path.join(home, ".gitconfig"),
            environ.get("GIT_CONFIG_SYSTEM") or "/etc/gitconfig",
            *_SYSTEM_FILES,
            os.path.join(repo.common_dir, "config"),
            os.path.join(repo.git_dir, "config.worktree"),
        )
        for path in (*usual, *filter(None, config.origins)):
            self.note_followed(path)
        for origin, key, value in config.includes:
            inner = os.path.join(home, value[2:]) if value.startswith("~/") else value
            self.note_followed(os.path.join(os.path.dirname(origin), inner))
            if key.lower().startswith("includeif."):
                # Which files count may depend on the branch.
                self.note(os.path.join(repo.git_dir, "HEAD"))


_MOST_LINKS = 40
"""So many links in a row the system follows."""

_SYSTEM_FILES = ("/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig")
"""Where git looks for the system's configuration, depending on how it was built."""
