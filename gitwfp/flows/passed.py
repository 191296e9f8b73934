"""What has passed the gate without a word, noted so that the hook need not ask again.

The hook believes a note only while it is newer than git's configuration and the program, so that
what is noted here depends on nothing else: the two commits, and no variable, date or included file.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from gitwfp.errors import Refusal
from gitwfp.flows.env import Env
from gitwfp.flows.judgement import Outcome, Verdict
from gitwfp.git.program import to_bytes, to_text
from gitwfp.git.smallfiles import read_own, write_own
from gitwfp.verify.waivers import read_waivers

NAME: Final = "judged"
_MOST: Final = 50
_PLACES: Final = ("GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME", "HOME")
"""The variables that say where git's own settings are."""

_VARIABLES: Final = (
    "WFP_GATE_",
    "WFP_LIMITS_",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_SYSTEM",
)


def note_passed(env: Env, verdicts: Sequence[Verdict], environ: Mapping[str, str]) -> None:
    """Notes a push of one ref that passed, if nothing but its commits decided that.

    Args:
        env: The surroundings.
        verdicts: What was judged.
        environ: The environment.
    """
    places = "".join(f"|{environ.get(name, '')}" for name in _PLACES)
    lines = [_line(one) + places for one in verdicts if _is_certain(one)]
    is_plain = not any(name.startswith(_VARIABLES) for name in environ)
    if len(verdicts) != 1 or not lines or not is_plain or env.repo.config().includes:
        return
    try:
        known = to_text(read_own(env.repo, NAME) or b"").splitlines()
        kept = [line for line in known if line not in lines][-_MOST:]
        write_own(env.repo, NAME, to_bytes("\n".join((*kept, *lines, ""))))
    except Refusal:
        # The push is judged again next time; nothing else depends on the note.
        return


def _is_certain(one: Verdict) -> bool:
    is_judged = one.outcome in (Outcome.JUDGED, Outcome.UNTOUCHED)
    is_fixed = one.update.old is not None and bool(one.base)
    return is_judged and is_fixed and one.passes and not one.notices and not _ends(one)


def _ends(one: Verdict) -> bool:
    """Tells whether a waiver in it ends on a date."""
    return any(
        waiver.until is not None
        for session in one.sessions
        for waiver in read_waivers(session.plan)[0]
    )


def _line(one: Verdict) -> str:
    return f"{one.update.old} {one.update.new} {one.update.ref}"
