"""Names of replan branches: free ones are found, old ones go only where nothing is lost."""

import pytest

from gitwfp.errors import ExitCode, Refusal
from gitwfp.git.publish import drop_branch, drop_old_branches, free_branch_name
from tests.git.publishing import BRANCH, open_at, plan
from tests.scene import Scene

SESSION = "wfp/WFS-harbour"


def branch(scene: Scene, minute: int, *, landed: bool = True, suffix: str = "") -> str:
    """Makes a replan branch with a commit of its own, which main reaches if it has landed."""
    name = f"{SESSION}/replan-2026-11-30T19-{minute:02}-00{suffix}"
    tree = scene.git("rev-parse", "HEAD^{tree}")
    commit = scene.git("commit-tree", tree, "-p", "HEAD", "-m", name)
    scene.git("branch", name, commit)
    if landed:
        scene.git("update-ref", "refs/heads/main", commit)
    return name


def branches(scene: Scene) -> list[str]:
    """Returns the replan branches that there are."""
    return scene.git("branch", "--list", "--format=%(refname:short)", "wfp/*").split()


def test_a_free_name_is_taken_as_it_is_and_a_taken_one_gets_a_number(scene: Scene) -> None:
    """`-2`, `-3` follow, whatever letters' case the taken one has."""
    plan(scene)
    with open_at(scene) as repo:
        assert free_branch_name(repo, BRANCH) == BRANCH
        scene.git("branch", BRANCH)
        assert free_branch_name(repo, BRANCH) == f"{BRANCH}-2"
        scene.git("branch", f"{BRANCH}-2/below")
        assert free_branch_name(repo, BRANCH) == f"{BRANCH}-3"
        assert free_branch_name(repo, BRANCH.replace("harbour", "Harbour")).endswith("-52")


def test_a_name_below_another_branch_is_refused(scene: Scene) -> None:
    """The blocking branch is named, at whatever depth it is."""
    plan(scene)
    scene.git("branch", SESSION)
    with open_at(scene) as repo, pytest.raises(Refusal) as refused:
        free_branch_name(repo, BRANCH)
    assert refused.value.exit_code == ExitCode.ENVIRONMENT
    assert f"a branch {SESSION}" in str(refused.value)


def test_only_the_newest_branches_stay(scene: Scene) -> None:
    """Landed branches beyond the last ones go; numbers count, and other names do not."""
    plan(scene)
    old = [branch(scene, 1), branch(scene, 2), branch(scene, 2, suffix="-2")]
    new = [branch(scene, 2, suffix="-10"), branch(scene, 3)]
    scene.git("branch", f"{SESSION}/mine")
    with open_at(scene) as repo:
        assert sorted(drop_old_branches(repo, SESSION, 2)) == sorted(old)
        assert drop_old_branches(repo, SESSION, 2) == ()
    assert sorted(branches(scene)) == sorted([*new, f"{SESSION}/mine"])
    assert scene.git("for-each-ref", "refs/wfp") == ""


def test_commits_found_nowhere_else_keep_their_branch(scene: Scene) -> None:
    """A what-if that did not land stays, however old it is."""
    plan(scene)
    what_if = branch(scene, 1, landed=False)
    gone = branch(scene, 2)
    with open_at(scene) as repo:
        assert drop_old_branches(repo, SESSION, 0) == (gone,)
    assert branches(scene) == [what_if]


def test_two_old_branches_do_not_vouch_for_each_other(scene: Scene) -> None:
    """Branches that are to go and reach each other's commits both stay."""
    plan(scene)
    first = branch(scene, 1, landed=False)
    second = f"{SESSION}/replan-2026-11-30T19-02-00"
    scene.git("branch", second, first)
    with open_at(scene) as repo:
        assert drop_old_branches(repo, SESSION, 0) == ()
    assert branches(scene) == [first, second]


def test_a_commit_that_only_a_tag_reaches_gets_a_ref_of_ours(scene: Scene) -> None:
    """Where no branch reaches it, `refs/wfp/replans` does from then on."""
    plan(scene)
    name = branch(scene, 1, landed=False)
    commit = scene.git("rev-parse", name)
    scene.git("tag", "kept", name)
    with open_at(scene) as repo:
        assert drop_old_branches(repo, f"refs/heads/{SESSION}/", 0) == (name,)
    ref = "refs/wfp/replans/WFS-harbour/2026-11-30T19-01-00"
    assert scene.git("rev-parse", ref) == commit


@pytest.mark.parametrize("where", ["here", "worktree", "rebase"])
def test_a_branch_in_use_is_never_removed(scene: Scene, where: str) -> None:
    """Checked out anywhere, or waiting for a rebase to end, a branch stays."""
    plan(scene)
    name = branch(scene, 1)
    if where == "here":
        scene.git("checkout", "--quiet", name)
    else:
        scene.git("worktree", "add", "--quiet", "../side", name)
    if where == "rebase":
        side = scene.beside("side")
        side.write({"src/app.py": "side\n"})
        side.git("commit", "--quiet", "--all", "--message", "side")
        scene.write({"src/app.py": "main\n"})
        scene.git("commit", "--quiet", "--message", "main", "src/app.py")
        side.git("rebase", "--quiet", "main", ok=(1,))
        scene.git("update-ref", "refs/heads/keep", name)
    with open_at(scene) as repo:
        assert drop_old_branches(repo, SESSION, 0) == ()
        with pytest.raises(Refusal) as refused:
            drop_branch(repo, name)
    assert refused.value.code == "branch-in-use"
    assert branches(scene) == [name]


def test_a_dropped_what_if_can_be_found_again(scene: Scene) -> None:
    """Dropping a branch that nothing else reaches leaves a ref of ours at its commit."""
    plan(scene)
    name = branch(scene, 1, landed=False)
    commit = scene.git("rev-parse", name)
    with open_at(scene) as repo:
        kept = drop_branch(repo, name)
        assert kept == "refs/wfp/replans/WFS-harbour/2026-11-30T19-01-00"
        scene.git("commit", "--quiet", "--allow-empty", "--message", "on")
        again = branch(scene, 1, landed=False)
        assert drop_branch(repo, again) != kept
        assert drop_branch(repo, branch(scene, 2)) is None
        with pytest.raises(Refusal) as refused:
            drop_branch(repo, "wfp/none")
    assert refused.value.exit_code == ExitCode.NOT_FOUND
    assert scene.git("rev-parse", kept) == commit
    assert branches(scene) == []
