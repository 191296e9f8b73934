"""Doctor: looks at everything that commands rely on, changes nothing, and says what to do.

`check` says what a finding is; `program`, `repository`, `leavings`, `plans` and `gate` hold the
looks.
Each look ends in findings, also when it fails. `repair` does what is safe, one thing at a time.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from gitwfp.errors import Diagnostic, Text, say
from gitwfp.flows.doctor import gate, leavings, plans, repository
from gitwfp.flows.doctor.check import Check, Fix, Probe, looked
from gitwfp.flows.env import Env
from gitwfp.flows.init import add_exception
from gitwfp.flows.sessions import workspace_here
from gitwfp.flows.ui import Choice
from gitwfp.git.recovery import recover

__all__ = ["Check", "examine", "repair"]

PROBES: Final[tuple[tuple[str, Probe], ...]] = (
    ("features", repository.features),
    ("head", repository.head),
    ("identity", repository.identity),
    ("operation", repository.operation),
    ("worktrees", repository.worktrees),
    ("journal", leavings.journal),
    ("pending-refs", leavings.pending_refs),
    ("locks", leavings.locks),
    ("temporary-files", leavings.temporary_files),
    ("receipt", leavings.receipt),
    ("workspace", plans.workspace),
    ("ignore-rules", plans.ignore_rules),
    ("attributes", plans.attributes),
    ("sessions", plans.sessions),
    ("hook", gate.hook),
    ("merge-driver", gate.merge_driver),
)
"""What is looked at, by the reference of the finding."""

_QUESTIONS: Final[dict[Fix, Text]] = {
    Fix.JOURNAL: say("Finish or take back what the interrupted command left?"),
    Fix.PENDING: say("Drop what commands that died have left behind?"),
    Fix.IGNORE: say("Add an exception to the ignore rule that hides the plans?"),
}


def examine(env: Env, settings: Sequence[Diagnostic]) -> Iterator[Check]:
    """Yields what is found in a repository; nothing in it changes.

    Args:
        env: The surroundings.
        settings: What is wrong with the settings.
    """
    yield from plans.settings(settings)
    for code, probe in PROBES:
        yield from looked(code, partial(probe, env))


def repair(env: Env, checks: Sequence[Check], *, yes: bool) -> tuple[Fix, ...]:
    """Puts right what is safe to put right; returns what was.

    Args:
        env: The surroundings.
        checks: What was found.
        yes: Whether not to ask.

    Raises:
        Refusal: There is nobody to ask (usage), or what was begun cannot be done.
    """
    wanted = dict.fromkeys(check.fix for check in checks if check.fix is not None)
    return tuple(fix for fix in wanted if (yes or _agreed(env, fix)) and _carry_out(env, fix))


def _agreed(env: Env, fix: Fix) -> bool:
    choices = (Choice("y", say("yes")), Choice("n", say("no")))
    return env.ui.choose(_QUESTIONS[fix], choices, default="n", flag="--yes") == "y"


def _carry_out(env: Env, fix: Fix) -> bool:
    if fix is Fix.IGNORE:
        tree = env.repo.worktree_files(env.settings.limits.file_bytes)
        return add_exception(env, workspace_here(env, tree))
    told = recover(env.repo, lock_wait=env.settings.lock.timeout)
    if told is not None:
        env.ui.warn(told)
    return True
