"""The neighbourhood of a plan stays as it is: index, flags, edits, stash, hooks, refs, reflogs."""

from collections.abc import Callable

import pytest

from tests.git.publishing import leavings
from tests.scene import Scene
from tests.snapshots import Snapshot
from tests.stories.harbour import (
    drop,
    edit,
    harbour,
    need,
    plan_tree,
    replanned,
    retitle,
    rolled_back,
)

PRICE_FIRST = need("IMPL-3", "Show the price before asking for a name")
OURS = ("refs/heads/wfp/", "refs/wfp/")


def neighbours(scene: Scene) -> None:
    """Fills a repository with all that a planning command must leave alone."""
    for name in ("staged", "both", "dirty", "skipped", "assumed", "stashed", "gone", "renamed"):
        scene.write({f"src/{name}.cfg": f"old {name}\n"})
    scene.write({".gitignore": "*.log\n", "bin/tool": "#!/bin/sh\n"})
    (scene.path / "bin" / "tool").chmod(0o755)
    harbour(scene)
    scene.write({"src/stashed.cfg": "stashed\n"})
    scene.git("stash", "--quiet")
    scene.write({"src/staged.cfg": "staged\n", "src/both.cfg": "staged\n"})
    scene.git("add", "src/staged.cfg", "src/both.cfg")
    scene.git("mv", "src/renamed.cfg", "src/moved.cfg")
    scene.git("rm", "--quiet", "src/gone.cfg")
    scene.write({"src/both.cfg": "dirty\n", "src/dirty.cfg": "dirty\n"})
    scene.git("update-index", "--skip-worktree", "src/skipped.cfg")
    scene.git("update-index", "--assume-unchanged", "src/assumed.cfg")
    scene.write({"src/skipped.cfg": "private\n", "src/assumed.cfg": "private\n"})
    scene.write({"src/announced.cfg": "soon\n", "src/untracked.cfg": "new\n", "x.log": "noise\n"})
    scene.git("add", "--intent-to-add", "src/announced.cfg")
    scene.git("branch", "other")
    scene.git("tag", "--annotate", "--message", "kept", "kept")
    scene.git("update-ref", "refs/notes/mine", scene.git("rev-parse", "HEAD"))
    for name in ("post-commit", "pre-commit", "commit-msg", "post-checkout", "post-rewrite"):
        hook = scene.path / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text("#!/bin/sh\ntouch ../hook-ran\nexit 1\n")
        hook.chmod(0o755)


def beside(snapshot: Snapshot, *moved: str) -> Snapshot:
    """Returns what must be the same: all but plan files, our refs and the refs that move."""
    return snapshot.outside(".workflow").without_refs(*OURS, *moved)


Act = Callable[[Scene], object]


def _replan_and_back(scene: Scene) -> None:
    replanned(scene, PRICE_FIRST)
    rolled_back(scene, "--last")


def _what_if_and_land(scene: Scene) -> None:
    done = replanned(scene, retitle("IMPL-3", "Quote"), words=("--branch-only",))
    scene.run("land", done["branch"], "-y").expect(0)


def _edit_and_adopt(scene: Scene) -> None:
    edit(scene, "full euros", "cents")
    scene.run("adopt", "cents it is").expect(0)


def _start(scene: Scene) -> None:
    scene.run("start", "Open a second harbour").expect(0)


def _restructure(scene: Scene) -> None:
    create = {"type": "create", "title": "Weigh the boats", "requirements": ["Weigh each boat"]}
    replanned(scene, drop("IMPL-3"), create, words=("-y",))


@pytest.mark.parametrize(
    "act", [_replan_and_back, _what_if_and_land, _edit_and_adopt, _start, _restructure]
)
def test_everything_beside_the_plan_stays(scene: Scene, act: Act) -> None:
    """Whatever is done to the plan, only its files, our refs, and the branch at HEAD change."""
    neighbours(scene)
    before = beside(scene.snapshot(), "refs/heads/main", "HEAD")
    act(scene)
    after = scene.snapshot()
    assert beside(after, "refs/heads/main", "HEAD") == before
    assert after.head == "refs/heads/main"
    assert leavings(scene) == []
    assert not list(scene.path.parent.rglob("hook-ran"))
    changed = scene.git("diff", "--name-only", "other", "main").split()
    assert all(path.startswith(".workflow/") for path in changed)


@pytest.mark.parametrize("words", [("--dry-run",), ("--branch-only",)])
def test_what_only_looks_or_waits(scene: Scene, words: tuple[str, ...]) -> None:
    """A dry run changes nothing at all; a what-if makes its branch and leaves HEAD and plan."""
    neighbours(scene)
    before = scene.snapshot()
    replanned(scene, PRICE_FIRST, words=words)
    after = scene.snapshot()
    assert after.without_refs(*OURS) == before
    if words == ("--dry-run",):
        assert after == before


def test_readers_change_nothing(scene: Scene) -> None:
    """Commands that look leave the very bytes of the index, and every timestamp in it."""
    neighbours(scene)
    replanned(scene, PRICE_FIRST)
    index = scene.path / ".git" / "index"
    before, data = scene.snapshot(), index.read_bytes()
    for words in (("status",), ("list",), ("next",), ("log",), ("show",), ("diff",), ("use",)):
        scene.run(*words).expect(0)
        scene.run(*words, "--json").expect(0)
    assert index.read_bytes() == data
    assert scene.snapshot() == before


def test_reflogs_tell_what_happened(scene: Scene) -> None:
    """The branch and HEAD each get one entry a command, which names the replan."""
    harbour(scene)
    tree = plan_tree(scene)
    replanned(scene, PRICE_FIRST)
    rolled_back(scene, "--last")
    for ref in ("main", "HEAD"):
        lines = scene.git("reflog", "show", "--format=%gs", ref).splitlines()
        assert lines[:2] == ["wfp: rollback(IMPL-3): as agreed", "wfp: replan(IMPL-3): as agreed"]
    assert plan_tree(scene, "main@{2}") == tree
