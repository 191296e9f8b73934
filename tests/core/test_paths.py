"""Where things live: sessions of every era, and what each file of a session is to us."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitwfp.errors import ExitCode, Refusal
from gitwfp.files.codec import read_plan
from gitwfp.files.digest import intent_digest
from gitwfp.files.paths import (
    FileKind,
    check_session_id,
    find_sessions,
    find_workspaces,
    inside_of,
    is_task_file,
    kind_of,
    nearest_workspace,
    new_session_ref,
    session_at,
    stem_of,
    survey,
    task_path,
)
from gitwfp.files.tree import MemoryFiles
from gitwfp.model import fields as f
from gitwfp.model.plan import Place
from gitwfp.model.task import TaskId
from tests.plans import plan_folder
from tests.strategies import LAYOUTS, SHAPES, bytes_of, plan_of, ref_of

SESSION = "workflow-session.json"


@pytest.mark.parametrize(
    ("path", "session", "folder", "place"),
    [
        ("active/WFS-a/" + SESSION, "WFS-a", "active/WFS-a", Place.ACTIVE),
        ("sessions/WFS-a/.task/IMPL-1.json", "WFS-a", "sessions/WFS-a", Place.ACTIVE),
        ("WFS-a/TODO_LIST.md", "WFS-a", "WFS-a", Place.ACTIVE),
        ("archives/WFS-a/x", "WFS-a", "archives/WFS-a", Place.ARCHIVED),
        (".archives/WFS-a/x", "WFS-a", ".archives/WFS-a", Place.ARCHIVED),
        ("archived/WFS-a/x", "WFS-a", "archived/WFS-a", Place.ARCHIVED),
        (".lite-plan/login-2026/plan.json", "login-2026", ".lite-plan/login-2026", Place.LITE),
        (".lite-plan/.archived/x/plan.json", "x", ".lite-plan/.archived/x", Place.ARCHIVED),
        (".lite-fix/x/fix-plan.json", "x", ".lite-fix/x", Place.LITE),
        (".multi-cli-plan/MCP-x/plan.json", "MCP-x", ".multi-cli-plan/MCP-x", Place.LITE),
        (".task/IMPL-1.json", "root", "", Place.ACTIVE),
        ("IMPL_PLAN.md", "root", "", Place.ACTIVE),
        ("active/WFS-中文/x", "WFS-中文", "active/WFS-中文", Place.ACTIVE),
        ("active/WFS-a/deep/er/x", "WFS-a", "active/WFS-a", Place.ACTIVE),
    ],
)
def test_places_of_every_era(path: str, session: str, folder: str, place: Place) -> None:
    """A file of a session leads to it, wherever an era kept its sessions."""
    ref = session_at(".workflow", f".workflow/{path}")
    assert ref is not None
    assert (ref.id, ref.place) == (session, place)
    assert ref.folder == (f".workflow/{folder}" if folder else ".workflow")


@pytest.mark.parametrize(
    "path",
    [
        "active/WFS-a",
        "active/notes.md",
        "active/other/x.json",
        "archives/manifest.json",
        ".lite-plan/notes.md",
        ".multi-cli-plan/other/plan.json",
        "project-tech.json",
        "issues/1/x.json",
        ".task/tmp.json",
        ".task/backup/IMPL-1.json",
        ".lite-plan/.hidden/plan.json",
    ],
)
def test_neighbours_are_no_sessions(path: str) -> None:
    """Other files and folders in a workspace are no session."""
    assert session_at(".workflow", f".workflow/{path}") is None


@pytest.mark.parametrize(
    ("inside", "kind"),
    [
        (SESSION, FileKind.PLAN),
        ("plan.json", FileKind.PLAN),
        ("fix-plan.json", FileKind.PLAN),
        ("IMPL_PLAN.md", FileKind.PLAN),
        ("TODO_LIST.md", FileKind.PLAN),
        ("planning-notes.md", FileKind.PLAN),
        (".process/waivers.json", FileKind.PLAN),
        (".task/IMPL-1.json", FileKind.PLAN),
        (".task/IMPL-001.3-validation.json", FileKind.PLAN),
        (".summaries/IMPL-1-summary.md", FileKind.COMPANION),
        (".brainstorming/role/analysis.md", FileKind.COMPANION),
        (".process/context-package.json", FileKind.COMPANION),
        ("exploration-x.json", FileKind.COMPANION),
        ("planning-context.md", FileKind.COMPANION),
        (".process/PLAN_VERIFICATION.md", FileKind.REPORT),
        (".process/ACTION_PLAN_VERIFICATION.md", FileKind.REPORT),
        (".process/verification-findings.json", FileKind.REPORT),
        (".process/backup/replan-1/MANIFEST.md", FileKind.REPORT),
        (".task/backup/IMPL-1.json", FileKind.REPORT),
        (".task/tmp.json", FileKind.OTHER),
        (".task/notes.md", FileKind.OTHER),
        ("tasks.csv", FileKind.OTHER),
        ("x/plan.json", FileKind.OTHER),
    ],
)
def test_kinds_of_files(inside: str, kind: FileKind) -> None:
    """Decision 3: plan files, companions, reports, and what is not ours."""
    assert kind_of(inside) is kind


def test_workspaces_and_sessions() -> None:
    """Every workspace of a tree is found, and its sessions: active, lite, then archived, by id."""
    files = [
        ".workflow/active/WFS-b/x",
        ".workflow/active/WFS-a/x",
        ".workflow/archives/WFS-a/x",
        ".workflow/.lite-plan/z/plan.json",
        "packages/x/.workflow/active/WFS-c/x",
        "packages/.workflow",
        "src/.workflow/active/.workflow/active/WFS-d/x",
    ]
    tree = MemoryFiles(dict.fromkeys(files, b""))
    assert find_workspaces(tree) == (".workflow", "src/.workflow", "packages/x/.workflow")
    found = [(ref.id, ref.place.value) for ref in find_sessions(tree)]
    assert found == [
        ("WFS-a", "active"),
        ("WFS-b", "active"),
        ("z", "lite"),
        ("WFS-a", "archived"),
    ]
    [other] = find_sessions(tree, "packages/x/.workflow")
    assert other.folder == "packages/x/.workflow/active/WFS-c"


@pytest.mark.parametrize(
    ("prefix", "wanted"),
    [
        ("", ".workflow"),
        ("src", ".workflow"),
        ("packages/x", "packages/x/.workflow"),
        ("packages/x/src/deep/", "packages/x/.workflow"),
        ("packages/y", ".workflow"),
        ("packages/x/.workflow/active/WFS-a", "packages/x/.workflow"),
        (".workflow/active", ".workflow"),
    ],
)
def test_the_nearest_workspace(prefix: str, wanted: str) -> None:
    """Decision 6: the nearest workspace upward from where the user stands, else the root's."""
    tree = MemoryFiles({".workflow/active/a": b"", "packages/x/.workflow/active/b": b""})
    assert nearest_workspace(tree, prefix) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "..",
        "a/b",
        "a\\b",
        "../x",
        "/etc",
        "a\x00b",
        "a\nb",
        "\x1b[0m",
        ".git",
        ".GIT",
        "x" * 101,
    ],
)
def test_ids_that_leave_the_folder(text: str) -> None:
    """F-LP-05: a session id is one folder name; anything else is refused before it is used."""
    with pytest.raises(Refusal) as refusal:
        check_session_id(text)
    assert refusal.value.exit_code is ExitCode.USAGE


@given(st.text(max_size=110))
def test_session_ids_name_one_folder(text: str) -> None:
    """Whatever passes for a session id is a folder of its own below the workspace."""
    try:
        ref = new_session_ref(text)
    except Refusal:
        return
    assert ref.folder.split("/")[:-1] == [".workflow", "active"]
    assert ref.folder.split("/")[-1] not in {"", ".", "..", ".git"}
    path = task_path(ref, "IMPL-1")
    assert inside_of(ref, path) == ".task/IMPL-1.json"
    assert is_task_file(inside_of(ref, path))
    assert stem_of(inside_of(ref, path)) == "IMPL-1"


# -------------------------------------------------------------------- the intent digest


@pytest.mark.parametrize("shape", SHAPES)
def test_the_digest_is_of_meaning(shape: str) -> None:
    """Layout, statuses and check marks do not change the digest; each field of intent does."""
    folder = next(plan_folder(each, 4, ids="IMPL-{}") for each in SHAPES if each == shape)
    digest = intent_digest(plan_of(folder))
    for layout in LAYOUTS:
        plan = read_plan(MemoryFiles(layout.tree(folder)), ref_of(folder))
        assert intent_digest(plan) == digest
    plan = plan_of(folder)
    task = plan.tasks[TaskId("IMPL-2")]
    for name, value in ((f.STATUS, "completed"), ("/status_history", ("x",)), ("/updated_at", "x")):
        assert intent_digest(plan.with_task(task.with_field(name, value))) == digest
    for name in (f.TITLE, f.PRIORITY, "/meta/wave"):
        assert intent_digest(plan.with_task(task.with_field(name, "other"))) != digest
    for name in (f.REQUIREMENTS, f.ACCEPTANCE, f.DEPENDS_ON):
        assert intent_digest(plan.with_task(task.with_field(name, ("other",)))) != digest
    assert intent_digest(plan.without_task(TaskId("IMPL-2"))) != digest


def test_the_digest_and_the_list() -> None:
    """A ticked box changes no intent, a new title in the list does; an unreadable file counts."""
    folder = plan_folder("nested", 2)
    digest = intent_digest(plan_of(folder))
    path = f"{folder.path}/TODO_LIST.md"
    for old, new, is_same in (
        ("- [ ] **IMPL-1**", "- [x] **IMPL-1**", True),
        ("Store berths", "Keep berths", False),
    ):
        files = bytes_of(folder)
        files[path] = files[path].decode().replace(old, new).encode()
        changed = read_plan(MemoryFiles(files), ref_of(folder))
        assert (intent_digest(changed) == digest) is is_same
    one, two = (
        intent_digest(
            read_plan(
                MemoryFiles({**bytes_of(folder), f"{folder.path}/.task/X-1.json": data}),
                ref_of(folder),
            )
        )
        for data in (b"{", b"[")
    )
    assert len({digest, one, two}) == 3


NAMES = [".workflow", "active", "sessions", "archives", "WFS-a", "WFS-ab", "lite-plan"]
NAMES += [".task", "IMPL-1.json", "IMPL_PLAN.md", "x", ".b"]


@given(
    st.lists(
        st.lists(
            st.sampled_from(NAMES),
            min_size=1,
            max_size=5,
        ),
        max_size=12,
    )
)
def test_a_survey_finds_what_lies_at_each_path(paths: list[list[str]]) -> None:
    """Whatever lies side by side, the sessions are those that the paths lie in, one by one."""
    tree = MemoryFiles({"/".join([".workflow", *parts]): b"" for parts in paths})
    around = (session_at(".workflow", entry.path) for entry in tree.entries(".workflow"))
    assert set(survey(tree).sessions) == {ref for ref in around if ref is not None}
