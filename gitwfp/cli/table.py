"""The commands of `git wfp`: where each lies, and what it does in one line.

A command's module is imported when the command runs; its help in the list comes from here.
"""

from collections.abc import Mapping
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.errors import Text, say


@dataclass(frozen=True, slots=True)
class Entry:
    """One command of the list.

    Attributes:
        target: Where it is made: `module:attribute`.
        help: What it does, in one line.
        hidden: Whether the list leaves it out.
    """

    target: str
    help: Text
    hidden: bool = False


Table = Mapping[str, Entry]

COMMANDS: Final[Table] = {
    "init": Entry("gitwfp.cli.init:init", say("Sets a repository up for plans.")),
    "start": Entry("gitwfp.cli.change:start", say("Starts a session for a goal.")),
    "list": Entry("gitwfp.cli.inspect:list_", say("Lists the sessions.")),
    "use": Entry("gitwfp.cli.inspect:use", say("Chooses the session of this worktree.")),
    "status": Entry("gitwfp.cli.inspect:status", say("Shows where a session's plan stands.")),
    "next": Entry("gitwfp.cli.inspect:next_", say("Shows which tasks can be started.")),
    "replan": Entry(
        "gitwfp.cli.change:replan", say("Changes a plan: one branch, one commit, landed.")
    ),
    "adopt": Entry("gitwfp.cli.change:adopt", say("Commits what was edited by hand in a plan.")),
    "verify": Entry("gitwfp.cli.verify:verify", say("Judges a plan in ten dimensions.")),
    "explain": Entry("gitwfp.cli.explain:explain", say("Says what a rule of verify means.")),
    "waive": Entry("gitwfp.cli.waive:waive", say("Records that a finding is lived with.")),
    "gate": Entry("gitwfp.cli.gate:gate", say("Stops a push that would break a plan.")),
    "audit": Entry(
        "gitwfp.cli.sync:audit", say("Finds commits that changed plans otherwise than they say.")
    ),
    "sync": Entry("gitwfp.cli.sync:sync", say("Shares records and backups with a remote.")),
    "watch": Entry(
        "gitwfp.cli.watch:watch", say("Shows findings as they appear while plans are saved.")
    ),
    "daemon": Entry(
        "gitwfp.cli.daemon:daemon", say("Judges plans as they are saved, and keeps what is saved.")
    ),
    "autosave": Entry(
        "gitwfp.cli.autosave:autosave", say("Has every saved version of a plan back.")
    ),
    "log": Entry("gitwfp.cli.history:log", say("Shows what happened to a plan, newest first.")),
    "show": Entry("gitwfp.cli.history:show", say("Shows one replan, field by field.")),
    "blame": Entry("gitwfp.cli.blame:blame", say("Shows where each fact of a task comes from.")),
    "diff": Entry("gitwfp.cli.history:diff", say("Compares plans by what they mean.")),
    "rollback": Entry("gitwfp.cli.undo:rollback", say("Takes back one replan; later ones stay.")),
    "undo": Entry("gitwfp.cli.undo:undo", say("Takes back the newest change of a plan.")),
    "redo": Entry("gitwfp.cli.undo:redo", say("Brings back what was taken back last.")),
    "land": Entry("gitwfp.cli.undo:land", say("Lands a replan that was left on its branch.")),
    "compare": Entry("gitwfp.cli.whatif:compare", say("Shows two what-ifs side by side.")),
    "drop": Entry("gitwfp.cli.whatif:drop", say("Deletes a what-if; its commit is kept aside.")),
    "doctor": Entry("gitwfp.cli.doctor:doctor", say("Looks at everything that commands rely on.")),
    "deinit": Entry("gitwfp.cli.init:deinit", say("Takes back what init made.")),
    "prime": Entry(
        "gitwfp.cli.prime:prime",
        say("Briefs an agent: session, ready tasks, the commands it needs."),
    ),
    "config": Entry("gitwfp.cli.config:config", say("Shows and changes settings.")),
    "demo": Entry(
        "gitwfp.cli.demo:demo", say("Walks through the main job in a throw-away repository.")
    ),
    "schema": Entry(
        "gitwfp.cli.schema:schema",
        say("Prints the JSON Schemas of what goes in and what comes out."),
    ),
    "completion": Entry(
        "gitwfp.cli.complete:completion", say("Prints what makes a shell complete git wfp.")
    ),
    "help": Entry(
        "gitwfp.cli.help:help_", say("Explains a command, and says where the manual page is.")
    ),
    "merge-driver": Entry(
        "gitwfp.cli.mergedriver:merge_driver", say("Merges one file of a plan."), hidden=True
    ),
    "complete": Entry(
        "gitwfp.cli.complete:complete", say("Answers a shell that completes."), hidden=True
    ),
}
"""All commands, in the order of the list."""
