"""Options that several commands have."""

from gitwfp.cli.command import option
from gitwfp.errors import say

SESSION_HELP = say("The session; by default the one you are in, or have chosen.")
AT_HELP = say("Look at a revision or a date instead of the worktree.")
STAGED_HELP = say("Look at what is staged.")
YES = option("--yes", "-y", is_flag=True, help=say("Ask nothing; take the defaults."))
DRY_RUN = option("--dry-run", is_flag=True, help=say("Show everything and write nothing."))
SESSION = option("--session", "-s", metavar="WFS-x", help=SESSION_HELP)
BRANCH_ONLY = option(
    "--branch-only", is_flag=True, help=say("Leave it on its branch; land it later.")
)
