"""Where the workspaces of a worktree are, asked of git, which passes over what it ignores."""

from typing import TYPE_CHECKING

from gitwfp.files.paths import WORKFLOW, workspace_of
from gitwfp.git.program import to_text

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository


def workspaces_of(repo: "Repository") -> tuple[str, ...]:
    """Returns every `.workflow` folder of the worktree, outermost first, then by path.

    The root's is always one, whether or not it is there. Folders that git ignores are not looked
    into, since they may hold any number of files of others.
    """
    command = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    patterns = (f":(glob)**/{WORKFLOW}/**",)
    # Patterns are meant here, and not paths.
    done = repo.git.run(*command, "--", *patterns, env={"GIT_LITERAL_PATHSPECS": "0"})
    found = {workspace_of(to_text(path)) for path in done.out.split(b"\0") if path}
    known = {WORKFLOW, *(one for one in found if one is not None)}
    return tuple(sorted(known, key=lambda path: (path.count("/"), path)))
