"""The words of the commands of every day, understood without the library that parses the others.

Loading click costs more than an answer. What is plain here (`status WFS-auth --json`) means to
click the same; everything else, help and every mistake included, is left to it.
"""

from collections.abc import Callable, Sequence
from typing import Final

from gitwfp.cli.app import App, Result

_COMMON: Final = ("--json", "--no-input")
"""They have been looked for before, as in all commands."""
_SESSION: Final = ("--session", "-s")

_FLAGS: Final = {"--no-write": "no_write", "--all": "every", "--yes": "yes", "-y": "yes"}


def everyday(words: Sequence[str]) -> Callable[[App], Result] | None:
    """Returns the command that some words mean, None if they are not plain.

    Args:
        words: The words after `git wfp`, of which the first is that of a command.
    """
    if words[0] == "gate":
        return _gate(words[1:])
    if words[0] == "verify":
        return _verify(words[1:])
    if words[0] == "complete":
        return _complete(words[1:])
    from gitwfp.cli import looking

    sessions = _sessions(words[1:])
    if sessions is None:
        return None
    if words[0] == "list":
        return looking.list_ if not sessions else None
    if len(sessions) > 1:
        return None
    answer = looking.status if words[0] == "status" else looking.next_
    session = sessions[0] if sessions else None
    return lambda app: answer(app, session)


def _gate(words: Sequence[str]) -> Callable[[App], Result] | None:
    """Returns what git's hook and pipelines call: `pre-push REMOTE URL`, `range A..B`."""
    rest = [word for word in words[1:] if word not in _COMMON]
    if not rest or any(not word or word.startswith("-") for word in rest):
        return None
    if words[0] == "pre-push" and len(rest) == 2:
        from gitwfp.cli import judging

        return lambda app: judging.pre_push(app, rest[0])
    return None


def _complete(words: Sequence[str]) -> Callable[[App], Result] | None:
    """Returns what shells call: `complete -- WORDS`, and the same with `--quoted`."""
    is_quoted = words[:1] == ["--quoted"]
    rest = words[1:] if is_quoted else words
    if rest[:1] != ["--"]:
        return None
    from gitwfp.cli.completion import complete_words

    return lambda app: complete_words(app, rest[1:], quoted=is_quoted)


def _verify(words: Sequence[str]) -> Callable[[App], Result] | None:
    given = {flag: word for word in words for flag in (_FLAGS.get(word),) if flag is not None}
    sessions = _sessions([word for word in words if word not in _FLAGS])
    if sessions is None or len(sessions) > 1 or (sessions and "every" in given):
        return None
    from gitwfp.cli import verifying

    session = sessions[0] if sessions else None
    return lambda app: verifying.verify(
        app, session, every="every" in given, no_write="no_write" in given, yes="yes" in given
    )


def _sessions(words: Sequence[str]) -> list[str] | None:
    """Returns the sessions that words name, None if there is anything else among them."""
    found = []
    rest = iter(words)
    for word in rest:
        if word in _COMMON:
            continue
        name, has_value, value = word.partition("=")
        if word in _SESSION:
            session = next(rest, "")
        elif has_value and name == _SESSION[0]:
            session = value
        else:
            session = word
        if not session or session.startswith("-"):
            return None
        found.append(session)
    return found
