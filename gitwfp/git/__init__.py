"""Everything that touches a git repository: reading it, and publishing into it.

`program` starts the git program, `repository` answers questions about one repository, `objects`
reads and writes objects, `trees` shows the worktree, the index or a commit as a `FileTree`,
and `history` walks commits. No other package imports pygit2 or starts git.
"""
