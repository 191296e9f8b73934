"""Names that git sees: replan ids, branches, private refs."""

from typing import Final

from gitwfp.patterns import regex

BRANCHES: Final = "wfp"
REPLAN_REFS: Final = "refs/wfp/replans"

_FORBIDDEN: Final = regex(r"[\x00-\x20\x7f~^:?*\[\\%/]|\.\.|@\{|^\.|\.$|\.lock$|^-|^@$")


def ref_part(text: str) -> str:
    """Returns a text as one component of a ref: what git forbids there is percent-encoded.

    The rules are those of `git check-ref-format`; a slash is encoded too.
    """
    safe = _FORBIDDEN.sub(lambda match: _percent(match[0]), text)
    return safe or "%00"


def as_argument(text: str) -> str:
    """Returns a text as one word of a command that a person copies into a shell."""
    if text and all(sign.isalnum() or sign in "@%+=:,./_-" for sign in text):
        return text
    inner = text.replace("'", "'\"'\"'")
    return f"'{inner}'"


def replan_time(time: str) -> str:
    """Returns an ISO time, `2026-11-30T19:07:52Z`, as it stands in a replan id."""
    return time[:19].replace(":", "-")


def replan_branch(session: str, stamp: str, kind: str = "replan") -> str:
    """Returns the short name of the branch that a replan is made on."""
    return f"{BRANCHES}/{ref_part(session)}/{kind}-{stamp}"


def _percent(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "surrogateescape"))
