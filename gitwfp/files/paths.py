"""Where things live under `.workflow/`: finding sessions, and sorting a session's files.

The places that earlier versions of the format used are listed in one table; new sessions are
made in `active/` and archived in `archives/` only.
"""

import re
from enum import StrEnum
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.files.tree import Entry, EntryKind, FileTree
from gitwfp.model.plan import (
    FIX_PLAN_JSON,
    IMPL_PLAN,
    PLAN_JSON,
    PLANNING_NOTES,
    SESSION_JSON,
    TODO_LIST,
    WAIVERS_JSON,
    Place,
    SessionRef,
)
from gitwfp.patterns import regex

WORKFLOW: Final = ".workflow"
ROOT_SESSION: Final = "root"
TASK_FOLDER: Final = ".task"

_PLACES: Final[tuple[tuple[str, str, Place], ...]] = (
    ("active/", "WFS-", Place.ACTIVE),
    ("sessions/", "WFS-", Place.ACTIVE),
    ("", "WFS-", Place.ACTIVE),
    ("archives/", "WFS-", Place.ARCHIVED),
    (".archives/", "WFS-", Place.ARCHIVED),
    ("archived/", "WFS-", Place.ARCHIVED),
    (".lite-plan/.archived/", "", Place.ARCHIVED),
    (".lite-plan/", "", Place.LITE),
    (".lite-fix/", "", Place.LITE),
    (".multi-cli-plan/", "MCP-", Place.LITE),
)

_PLAN_FILES: Final = frozenset(
    {
        SESSION_JSON,
        PLAN_JSON,
        FIX_PLAN_JSON,
        IMPL_PLAN,
        TODO_LIST,
        PLANNING_NOTES,
        WAIVERS_JSON,
    }
)

_PLAN_FOLDERS: Final = frozenset({"", TASK_FOLDER, WAIVERS_JSON.rpartition("/")[0]})

_REPORTS: Final = regex(
    r"\.process/(PLAN_VERIFICATION\.md|ACTION_PLAN_VERIFICATION\.md|verification-findings\.json"
    r"|backup/.*)|\.task/(backup|versions|archive)/.*"
)

_COMPANIONS: Final = regex(
    r"(\.summaries|\.brainstorming|\.process)/.+"
    r"|(exploration[^/]*|diagnos[^/]*|clarifications|execution-context|session-metadata"
    r"|context-package|test-checklist|feature-index)\.json"
    r"|(planning-context|code-review[^/]*|test-review|context)\.md"
)

_LEFTOVERS: Final = frozenset({"tmp.json", "temp.json"})

_SHORT_NAME: Final = regex(r"git~\d+")
_IGNORABLE: Final = regex("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")

_SESSION_ID: Final = regex(r"[^\x00-\x1f\x7f/\\]{1,100}")

# Control characters of both sets, marks that turn a line around, line breaks that only Unicode
# knows, bytes that are not UTF-8 (halves of surrogate pairs here), and space at either end: none of
# it would come back from a commit message, and a terminal would obey some of it.
_UNSHOWN: Final = regex(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
    r"|^\s+|\s+$"
)
_ENCODED: Final = regex(r"(?:%[0-9A-F]{2})+")


class FileKind(StrEnum):
    """What a file in a session's folder is to us.

    A *plan* file is read, compared and merged by field; a *companion* is committed with the
    session as it is; a *report* never makes a plan dirty; the rest is not ours.
    """

    PLAN = "plan"
    COMPANION = "companion"
    REPORT = "report"
    OTHER = "other"


def kind_of(inside: str) -> FileKind:
    """Returns what a file is, by its path inside the session's folder."""
    if inside in _PLAN_FILES or is_task_file(inside):
        return FileKind.PLAN
    if _REPORTS.fullmatch(inside):
        return FileKind.REPORT
    if _COMPANIONS.fullmatch(inside):
        return FileKind.COMPANION
    return FileKind.OTHER


def is_task_file(inside: str) -> bool:
    """Tells whether a path inside a session's folder is a task's file."""
    folder, _, name = inside.rpartition("/")
    return folder == TASK_FOLDER and name.endswith(".json") and name not in _LEFTOVERS


def task_path(ref: SessionRef, task_id: str) -> str:
    """Returns the path of the file that a new task of a session gets."""
    return f"{ref.folder}/{TASK_FOLDER}/{task_id}.json"


def stem_of(inside: str) -> str:
    """Returns the id that a task's file is named after."""
    return inside.rpartition("/")[2].removesuffix(".json")


def inside_of(ref: SessionRef, path: str) -> str:
    """Returns a path as seen from the session's folder."""
    return path[len(ref.folder) + 1 :]


def is_safe_path(path: str) -> bool:
    """Tells whether a path of a tree may be written into a worktree.

    Git refuses the same names: steps out of the tree, and `.git` in every spelling that some file
    system takes for it (case, `git~1`, trailing dots and spaces, characters that HFS+ ignores).
    """
    return not any(_is_unsafe(part) for part in path.split("/"))


def _is_unsafe(part: str) -> bool:
    bare = _IGNORABLE.sub("", part).rstrip(". ").casefold()
    return bare in {"", ".git"} or _SHORT_NAME.fullmatch(bare) is not None or "\0" in part


def find_workspaces(tree: FileTree) -> tuple[str, ...]:
    """Returns every `.workflow` folder of a tree, outermost first, then by path."""
    around = (workspace_of(entry.path) for entry in tree.entries(""))
    found = {workspace for workspace in around if workspace is not None}
    return tuple(sorted(found, key=lambda path: (path.count("/"), path)))


@dataclass(frozen=True, slots=True)
class Survey:
    """What a workspace holds.

    Attributes:
        sessions: Its sessions: active ones first, then lite, then archived, by id.
        closed: Those of them whose folder is none, but a link or a repository of its own.
        hiding: What is no folder where the workspace or its sessions should be.
    """

    sessions: tuple[SessionRef, ...]
    closed: frozenset[SessionRef]
    hiding: tuple[Entry, ...]


def survey(tree: FileTree, workspace: str = WORKFLOW) -> Survey:
    """Looks through a workspace once."""
    places = {workspace, *(f"{workspace}/{start}".rstrip("/") for start, _, _ in _PLACES)}
    found: dict[str, SessionRef] = {}
    closed: set[SessionRef] = set()
    hiding = []
    last = "/"
    for entry in tree.entries(workspace):
        if entry.path.startswith(last):
            # In the session that the path before lies in.
            continue
        is_file = entry.kind is EntryKind.FILE
        ref = session_at(workspace, entry.path if is_file else entry.path + "/")
        if ref is not None:
            found.setdefault(ref.folder, ref)
            if entry.path == ref.folder:
                closed.add(ref)
            elif ref.folder != workspace:
                last = ref.folder + "/"
        elif entry.path in places and not is_file:
            hiding.append(entry)
    rank = list(Place)
    ordered = sorted(found.values(), key=lambda ref: (rank.index(ref.place), ref.id, ref))
    return Survey(tuple(ordered), frozenset(closed), tuple(hiding))


def find_sessions(tree: FileTree, workspace: str = WORKFLOW) -> tuple[SessionRef, ...]:
    """Returns the sessions of a workspace: active ones first, then lite, then archived, by id.

    A link or a repository in the place of a session's folder is one too, although nothing in it is
    read: `read_plan` says so.
    """
    return survey(tree, workspace).sessions


def session_at(workspace: str, path: str) -> SessionRef | None:
    """Returns the session whose folder a path lies in, or None; a folder's path ends in a slash."""
    inside = path[len(workspace) + 1 :]
    for start, prefix, place in _PLACES:
        if not inside.startswith(start + prefix):
            continue
        name, slash, _ = inside[len(start) :].partition("/")
        if slash and (name == "" or name.startswith(".")):
            continue
        if slash:
            return SessionRef(shown_id(name), f"{workspace}/{start}{name}", place, workspace)
    if is_task_file(inside) or inside in (IMPL_PLAN, TASK_FOLDER + "/"):
        return SessionRef(ROOT_SESSION, workspace, Place.ACTIVE, workspace)
    return None


def possible_sessions(session_id: str, workspace: str = WORKFLOW) -> tuple[SessionRef, ...]:
    """Returns the addresses that a session of that id may have had, the usual ones first."""
    names = dict.fromkeys((session_id, _ENCODED.sub(_decoded, session_id)))
    return tuple(
        SessionRef(shown_id(name), f"{workspace}/{start}{name}", place, workspace)
        for name in names
        for start, prefix, place in _PLACES
        if "/" not in name and is_safe_path(name)
        if name.startswith(prefix) and not name.startswith(".")
    )


def holds_plan_files(inside: str) -> bool:
    """Tells whether plan files may lie below a path inside a session's folder; "" is the folder."""
    return inside in _PLAN_FOLDERS


def shown_id(folder: str) -> str:
    """Returns the id of the session in a folder of that name.

    It is the name, with all percent-encoded that would not show as what it is or not survive in a
    commit message; so the id serves everywhere, and whatever a folder is called it has one.
    """
    return _UNSHOWN.sub(lambda match: "".join(map(_percent, match[0])), folder)


def _percent(character: str) -> str:
    code = ord(character)
    is_byte = 0xDC80 <= code <= 0xDCFF
    data = bytes([code - 0xDC00]) if is_byte else character.encode("utf-8", "surrogatepass")
    return "".join(f"%{byte:02X}" for byte in data)


def _decoded(match: re.Match[str]) -> str:
    return bytes.fromhex(match[0].replace("%", "")).decode("utf-8", "surrogateescape")


def new_session_ref(session_id: str, workspace: str = WORKFLOW) -> SessionRef:
    """Returns the address of a session that is about to be made."""
    check_session_id(session_id)
    return SessionRef(session_id, f"{workspace}/active/{session_id}", Place.ACTIVE, workspace)


def check_session_id(text: str) -> None:
    """Refuses an id for a new session that could name anything but one folder.

    Raises:
        Refusal: The text is empty, too long, a relative step, or holds separators or control
            characters (usage).
    """
    if not _SESSION_ID.fullmatch(text) or text in {".", ".."} or text.lower() == ".git":
        raise Refusal(
            "bad-session-id",
            say("'{id}' cannot be a session's id.", id=text),
            ExitCode.USAGE,
            hint=say("A session id is one folder name, such as WFS-auth."),
        )


def nearest_workspace(tree: FileTree, prefix: str) -> str:
    """Returns the workspace for a folder: the nearest one upward, else the root's.

    Args:
        tree: Where workspaces are looked for; only the folders on the way up are.
        prefix: The folder where the user stands, from the repository root ("" is the root).
    """
    inside = workspace_of(prefix.strip("/") + "/")
    if inside is not None:
        return inside
    parts = prefix.strip("/").split("/") if prefix.strip("/") else []
    for length in range(len(parts), 0, -1):
        candidate = "/".join([*parts[:length], WORKFLOW])
        if any(entry.path != candidate for entry in tree.entries(candidate)):
            return candidate
    return WORKFLOW


def workspace_of(path: str) -> str | None:
    """Returns the outermost `.workflow` folder that a path lies in, None for none."""
    above = path.split("/")[:-1]
    return "/".join(above[: above.index(WORKFLOW) + 1]) if WORKFLOW in above else None
