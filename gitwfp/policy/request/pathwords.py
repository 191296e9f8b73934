"""Finding paths in what people write.

`src/auth/login.ts` is a path wherever it stands; `and/or`, `TCP/IP`, `/api/users`, `Node.js` and
`application/json` are not. What is known to the tree is always a path. Where only paths are
expected (`focus on ...`) less is asked of one.
"""

import re
from collections.abc import Callable
from enum import IntEnum
from typing import Final

from gitwfp.policy.request.grammar import Lazy

KnownPaths = Callable[[str], bool]
"""Tells whether the tree has a file or a folder at a path."""

_BARE: Final = Lazy(
    r"(?<![A-Za-z0-9_./\\@:~$#=-])\.{0,2}[A-Za-z0-9_@*\[{(][A-Za-z0-9_.@*+\-\[\](){}$/]*"
)
_WIDE: Final = Lazy(r"(?<!\S)[A-Za-z0-9_.@-]+/\S*[\u3400-\u9fff]\S*")
_QUOTED: Final = Lazy(r"`([^`\s]+)`|\"([^\"\s]+)\"|'([^'\s]+)'|“([^”\s]+)”|「([^」\s]+)」")
_SPACED: Final = Lazy(
    r"`([^`]+ [^`]+)`|\"([^\"]+ [^\"]+)\"|“([^”]+ [^”]+)”|「([^」]+ [^」]+)」"
    r"|(?<![A-Za-z0-9])'([^']+ [^']+)'(?![A-Za-z0-9])"
)
_HAN: Final = Lazy("[\u3400-\u9fff]")
_LINES: Final = Lazy(r":\d+(?:[-:]\d+)?\Z")
_ENDING: Final = Lazy(r"[^/]\.[A-Za-z][A-Za-z0-9]{0,9}\Z|(?:^|/)\.[A-Za-z][\w.-]+\Z")
_HOST: Final = Lazy(r"(?:[\w-]+\.)+(?:com|org|net|io|dev|cn|edu|gov)\Z", re.IGNORECASE)
_LIBRARY: Final = Lazy(r"[A-Z][A-Za-z0-9]*\.(?:js|io|ai|net)\Z")
_SHAPE: Final = Lazy(r"[\w.@*+\-\[\](){}$/]+")
_JOINS: Final = Lazy(
    r"(?:[\s,，、;；:：&+`\"'“”「」.。()（）]|\band\b|\balso\b|\bplus\b|和|与|及|以及)*"
)
_SOURCES: Final = frozenset(
    [
        "c",
        "cc",
        "cfg",
        "cpp",
        "cs",
        "css",
        "go",
        "gradle",
        "graphql",
        "h",
        "hpp",
        "html",
        "ini",
        "ipynb",
        "java",
        "js",
        "json",
        "jsx",
        "kt",
        "less",
        "lock",
        "lua",
        "md",
        "mjs",
        "cjs",
        "php",
        "proto",
        "ps1",
        "py",
        "pyi",
        "rb",
        "rs",
        "scss",
        "sh",
        "sql",
        "svelte",
        "swift",
        "toml",
        "ts",
        "tsx",
        "txt",
        "vue",
        "xml",
        "yaml",
        "yml",
    ]
)
_ROOTS: Final = frozenset(
    [
        "api",
        "app",
        "apps",
        "assets",
        "backend",
        "bin",
        "client",
        "cmd",
        "config",
        "db",
        "docs",
        "frontend",
        "internal",
        "lib",
        "libs",
        "migrations",
        "modules",
        "packages",
        "pkg",
        "public",
        "scripts",
        "server",
        "services",
        "source",
        "spec",
        "src",
        "static",
        "styles",
        "test",
        "tests",
        "tools",
        "web",
    ]
)


class Trust(IntEnum):
    """How readily a word with a slash is taken for a path."""

    IN_PROSE = 0
    ALONE = 1
    EXPECTED = 2


def paths_in(text: str, known: KnownPaths, trust: Trust = Trust.IN_PROSE) -> tuple[str, ...]:
    """Finds the paths that a text names.

    Args:
        text: The text as it was written.
        known: Which paths the tree has.
        trust: How readily a word is taken for a path here.

    Returns:
        The paths as written, without `./` in front and line numbers behind, each once.
    """
    found = []
    rest = text
    for quoted in _QUOTED.finditer(text):
        inner = next(group for group in quoted.groups() if group)
        path = _path(inner, known, trust, quoted=True)
        if path:
            found.append((quoted.start(), path))
        blank = " " * (quoted.end() - quoted.start())
        rest = rest[: quoted.start()] + blank + rest[quoted.end() :]
    for quoted in _SPACED.finditer(text):
        inner = next(group for group in quoted.groups() if group).strip().removeprefix("./")
        if _is_spaced(inner, known, trust):
            found.append((quoted.start(), inner))
            blank = " " * (quoted.end() - quoted.start())
            rest = rest[: quoted.start()] + blank + rest[quoted.end() :]
    for token in _WIDE.finditer(rest):
        # Where a name in Chinese ends is known only of a path that is there.
        if known(token[0].rstrip("/")):
            found.append((token.start(), token[0]))
            rest = rest[: token.start()] + " " * len(token[0]) + rest[token.end() :]
    for token in _BARE.finditer(rest):
        following = rest[token.end() : token.end() + 1]
        # `docs/` directly before Chinese characters is the beginning of a name that goes on.
        goes_on = bool(_HAN.match(following)) and following not in "中里下内和与及的等也"
        if (goes_on and token[0].endswith("/")) or rest[token.end() :].startswith("://"):
            continue
        path = _path(_balanced(token[0]), known, trust, quoted=False)
        if path:
            found.append((token.start(), path))
    return tuple(dict.fromkeys(path for _, path in sorted(found)))


def only_paths(text: str, known: KnownPaths, trust: Trust = Trust.ALONE) -> tuple[str, ...]:
    """Returns the paths of a text that says nothing else, or nothing."""
    paths = paths_in(text, known, trust)
    rest = _LINES.sub("", text.strip())
    for path in sorted(paths, key=len, reverse=True):
        rest = rest.replace("./" + path, " ").replace(path, " ")
    return paths if _JOINS.fullmatch(re.sub(r":\d+(?:-\d+)?", " ", rest)) else ()


def is_outside(text: str) -> bool:
    """Tells whether a text is one path that leads out of the repository."""
    bare = text.strip("`\"' ")
    return " " not in bare and re.match(r"/\w|~/|\.\./|[A-Za-z]:[\\/]", bare) is not None


def _is_spaced(text: str, known: KnownPaths, trust: Trust) -> bool:
    """Tells whether words in quotes are one path with blanks in its names."""
    if known(text.rstrip("/")):
        return True
    parts = text.split()
    if (
        trust is Trust.IN_PROSE
        or len(parts) < 2
        or not all(_SHAPE.fullmatch(part) for part in parts)
    ):
        return False
    # With an ending in front they are several paths; `src/` alone begins one.
    is_one = not any(_ENDING.search(part) for part in parts[:-1])
    begins = "/" in parts[0] and not parts[0].startswith("/") and ".." not in text.split("/")
    is_sure = _ENDING.search(parts[-1]) is not None or text.endswith("/") or known(parts[0])
    return is_one and begins and (is_sure or trust is Trust.EXPECTED)


def _path(token: str, known: KnownPaths, trust: Trust, *, quoted: bool) -> str | None:
    """Returns a token as a path, or None if it is none."""
    token = _LINES.sub("", token.rstrip(".,:")).removeprefix("./")
    bare = token.rstrip("/")
    parts = bare.split("/")
    if (
        len(bare) < 2
        or not _SHAPE.fullmatch(token)
        or token.startswith(("/", "-"))
        or ".." in parts
        or "" in parts
        or not any(sign.isalpha() for sign in token)
    ):
        return None
    nested = "/" in token
    expected = trust is Trust.EXPECTED
    if (nested or "." in token or expected or quoted) and known(bare):
        return token
    if _HOST.match(parts[0]) or ("@" in bare and not nested):
        return None
    ending = bare.rpartition(".")[2].lower() if _ENDING.search(bare) else ""
    if nested:
        sure = bool(ending) or token.endswith("/") or known(parts[0]) or expected
        return token if sure or (trust is Trust.ALONE and parts[0] in _ROOTS) else None
    plausible = ending in _SOURCES and not _LIBRARY.match(bare) and not bare.startswith(".")
    return token if plausible and (expected or quoted) else None


def _balanced(token: str) -> str:
    """Takes closing brackets off that the token does not open."""
    for opener, closer in ("()", "[]", "{}"):
        while token.endswith(closer) and token.count(closer) > token.count(opener):
            token = token[:-1]
    return token
