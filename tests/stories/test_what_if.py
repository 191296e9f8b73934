"""What-ifs, landings, hand edits that are adopted, and sessions with any title."""

from pathlib import Path
from typing import Any

import pytest

from tests.git.publishing import leavings
from tests.scene import Scene
from tests.stories.harbour import (
    FOLDER,
    TASK,
    Operation,
    assert_clean,
    assert_untouched,
    edit,
    harbour,
    kinds,
    log,
    need,
    plan_tree,
    replan,
    replanned,
    requirements,
    retitle,
    rolled_back,
)

PRICE_FIRST = need("IMPL-3", "Show the price before asking for a name")
IN_CENTS = need("IMPL-3", "Show prices in cents")
FIRST = PRICE_FIRST["requirements"]["add"][0]
SECOND = IN_CENTS["requirements"]["add"][0]


def what_if(scene: Scene, *wanted: Operation) -> Any:
    """Makes a what-if; returns the data of its document."""
    return replanned(scene, *wanted, words=("--branch-only",))


def landed(scene: Scene, branch: str, *words: str) -> Any:
    """Lands a branch; returns the data of the document."""
    return scene.run("land", branch, "--json", *words).expect(0).json["data"]


def test_a_what_if_waits_and_lands_as_it_is(scene: Scene) -> None:
    """--branch-only moves nothing but its branch; landed at once, its very commit is HEAD."""
    harbour(scene)
    before = scene.snapshot()
    waiting = what_if(scene, PRICE_FIRST)
    assert waiting["landed"] is None
    assert scene.snapshot().without_refs(f"refs/heads/{waiting['branch']}") == before
    assert "git wfp land" in replan(scene, IN_CENTS, words=("--branch-only",)).expect(0).out
    done = landed(scene, waiting["branch"])
    assert scene.git("rev-parse", "HEAD") == waiting["commit"] == done["commit"]
    assert log(scene)[0]["replan"] == waiting["replan"]
    assert_clean(scene)
    rolled_back(scene, waiting["replan"])
    assert FIRST not in requirements(scene)


def test_a_what_if_lands_after_the_plan_went_on(scene: Scene) -> None:
    """When HEAD has moved, it is made again on the new plan, under the same id."""
    harbour(scene)
    waiting = what_if(scene, PRICE_FIRST)
    other = replanned(scene, IN_CENTS)
    scene.write({"src/app.py": "print('meanwhile')\n"})
    scene.commit("meanwhile")
    landed(scene, waiting["branch"])
    newest = log(scene)[0]
    assert (newest["kind"], newest["replan"]) == ("replan", waiting["replan"])
    assert newest["commit"] != waiting["commit"]
    assert set(requirements(scene)) > {FIRST, SECOND}
    assert scene.git("rev-list", "--count", "HEAD~1..HEAD") == "1"
    assert_clean(scene)
    rolled_back(scene, waiting["replan"])
    assert requirements(scene)[-1] == SECOND
    rolled_back(scene, other["replan"])
    assert SECOND not in requirements(scene)


def test_landing_the_same_what_if_twice(scene: Scene) -> None:
    """The second landing finds nothing to do: 0, nothing changed."""
    harbour(scene)
    waiting = what_if(scene, PRICE_FIRST)
    landed(scene, waiting["branch"])
    before = scene.snapshot()
    assert "Nothing changed." in scene.run("land", waiting["branch"]).expect(0).out
    assert_untouched(scene, before)


def test_two_what_ifs_from_one_plan(scene: Scene) -> None:
    """Alternatives that add to the same list both land, one after the other."""
    harbour(scene)
    one, two = what_if(scene, PRICE_FIRST), what_if(scene, IN_CENTS)
    landed(scene, one["branch"])
    landed(scene, two["branch"])
    assert set(requirements(scene)) > {FIRST, SECOND}
    assert [entry["replan"] for entry in log(scene)][:2] == [two["replan"], one["replan"]]
    assert_clean(scene)


@pytest.mark.parametrize(("side", "title"), [("--ours", "Quote now"), ("--theirs", "Quote later")])
def test_landing_with_a_conflict(scene: Scene, side: str, title: str) -> None:
    """A field that both changed is a conflict: 5, by field, nothing written; a side decides."""
    harbour(scene)
    waiting = what_if(scene, retitle("IMPL-3", "Quote later"))
    replanned(scene, retitle("IMPL-3", "Quote now"))
    before = scene.snapshot()
    run = scene.run("land", waiting["branch"], "-y").expect(5)
    assert "IMPL-3, title: here 'Quote now'; there 'Quote later'" in run.err
    assert_untouched(scene, before)
    # --ours keeps all that is here: there is nothing to agree to.
    scene.run("land", waiting["branch"], side).expect(0 if side == "--ours" else 2)
    assert_untouched(scene, before)
    scene.run("land", waiting["branch"], side, "-y").expect(0)
    assert f'"title": "{title}"' in scene.read(TASK)
    assert leavings(scene) == []


def test_a_branch_with_code_does_not_land(scene: Scene) -> None:
    """A branch that changes more than plans is for `git merge`: 4, and the path is named."""
    harbour(scene)
    waiting = what_if(scene, PRICE_FIRST)
    scene.git("switch", "--quiet", waiting["branch"])
    scene.write({"src/x.py": "x = 1\n"})
    scene.commit("x")
    scene.git("switch", "--quiet", "main")
    before = scene.snapshot()
    run = scene.run("land", waiting["branch"], "-y").expect(4)
    assert "src/x.py" in run.err
    assert "git merge" in run.err
    assert_untouched(scene, before)
    assert "no commit" in scene.run("land", "nowhere").expect(3).err


def test_landing_by_merge(scene: Scene) -> None:
    """With landing = merge, the first line of the history has one line a replan."""
    harbour(scene)
    scene.git("config", "wfp.replan.landing", "merge")
    tree = plan_tree(scene)
    one = replanned(scene, PRICE_FIRST)
    edit(scene, "full euros", "cents")
    two = replanned(scene, IN_CENTS)
    subjects = scene.git("log", "--first-parent", "--format=%s").splitlines()
    assert len(subjects) == 3
    assert all(subject.startswith("Merge wfp/WFS-berths/replan-") for subject in subjects[:2])
    assert kinds(scene) == ["replan", "checkpoint", "replan", "outside"]
    assert scene.git("rev-parse", two["branch"]).strip() == two["commit"]
    rolled_back(scene, one["replan"])
    assert FIRST not in requirements(scene)
    rolled_back(scene, two["replan"])
    assert "cents" in scene.read(TASK)
    assert plan_tree(scene) != tree
    assert len(scene.git("log", "--first-parent", "--format=%s").splitlines()) == 5
    assert_clean(scene)


def test_landing_by_hand(scene: Scene) -> None:
    """With landing = manual, a replan waits on its branch until it is landed."""
    harbour(scene)
    scene.git("config", "wfp.replan.landing", "manual")
    head = scene.git("rev-parse", "HEAD")
    done = replanned(scene, PRICE_FIRST)
    assert done["landed"] is None
    assert scene.git("rev-parse", "HEAD") == head
    assert FIRST not in requirements(scene)
    landed(scene, done["branch"])
    assert requirements(scene)[-1] == FIRST


def test_old_branches_go(scene: Scene) -> None:
    """Of landed replans the newest branches stay, as many as asked for; a what-if is kept."""
    harbour(scene)
    scene.git("config", "wfp.replan.keepBranches", "2")
    waiting = what_if(scene, retitle("IMPL-1", "Store"))
    replans = [replanned(scene, need("IMPL-3", f"Point {n} counts")) for n in range(4)]
    names = scene.git("for-each-ref", "--format=%(refname:short)", "refs/heads/wfp").split()
    assert set(names) == {waiting["branch"], *(done["branch"] for done in replans[-2:])} or (
        set(names) == {done["branch"] for done in replans[-2:]}
        and scene.git("for-each-ref", f"--contains={waiting['commit']}", "refs/wfp/replans")
    )
    rolled_back(scene, replans[0]["replan"])
    assert [entry["branch"] for entry in log(scene)][-2] == replans[0]["branch"]


def test_hand_edits_can_be_refused(scene: Scene) -> None:
    """With on_dirty = refuse, a replan over hand edits ends with 5 and points to adopt."""
    harbour(scene)
    edit(scene, "full euros", "cents")
    before = scene.snapshot()
    run = replan(scene, PRICE_FIRST, env={"WFP_REPLAN_ON_DIRTY": "refuse"}).expect(5)
    assert TASK in run.err
    assert "git wfp adopt" in run.err
    run = replan(scene, PRICE_FIRST, words=("--branch-only",)).expect(5)
    assert "git wfp adopt" in run.err
    assert_untouched(scene, before)


def test_a_checkpoint_is_what_rollback_returns_to(scene: Scene) -> None:
    """Hand edits, also new files, become a commit of their own, and are there after a rollback."""
    harbour(scene)
    text = edit(scene, "full euros", "cents")
    scene.write({f"{FOLDER}/planning-notes.md": "# Notes\n", f"{FOLDER}/.summaries/x.md": "x\n"})
    done = replanned(scene, PRICE_FIRST)
    assert scene.git("rev-list", "--count", "HEAD") == "3"
    assert done["checkpoint"] == done["backup"] == scene.git("rev-parse", "HEAD~1")
    assert kinds(scene) == ["replan", "checkpoint", "outside"]
    rolled_back(scene, done["replan"])
    assert scene.read(TASK) == text
    assert plan_tree(scene) == plan_tree(scene, done["checkpoint"])
    assert_clean(scene)


def test_progress_is_no_edit(scene: Scene) -> None:
    """A status that moved rides along and does not stand in the way of a rollback."""
    harbour(scene)
    done = replanned(scene, PRICE_FIRST)
    path = f"{FOLDER}/.task/IMPL-1.json"
    text = edit(scene, '"status": "pending"', '"status": "completed"', path)
    rolled_back(scene, done["replan"])
    assert scene.read(path) == text
    assert scene.git("status", "--porcelain") == f" M {path}"


def test_adopt(scene: Scene) -> None:
    """Hand edits become a change with a reason, which is in the log and can be taken back."""
    harbour(scene)
    tree = plan_tree(scene)
    text = edit(scene, "full euros", "cents")
    done = scene.run("adopt", "Agreed", "in the review", "--json").expect(0).json["data"]
    assert scene.git("log", "-1", "--format=%s") == "adopt(WFS-berths): Agreed in the review"
    assert scene.read(TASK) == text
    assert kinds(scene) == ["adopt", "outside"]
    assert_clean(scene)
    assert scene.run("adopt").expect(0).out == "Nothing changed.\n"
    rolled_back(scene, done["replan"])
    assert plan_tree(scene) == tree


def test_a_broken_plan_is_not_adopted(scene: Scene) -> None:
    """A cycle made by hand is refused with its whole path: 4; as a checkpoint it is recorded."""
    harbour(scene)
    edit(scene, '"depends_on": []', '"depends_on": ["IMPL-4"]', f"{FOLDER}/.task/IMPL-1.json")
    before = scene.snapshot()
    run = scene.run("adopt", "oops").expect(4)
    assert "IMPL-1" in run.err
    assert "->" in run.err
    assert_untouched(scene, before)
    done = replanned(scene, PRICE_FIRST)
    assert done["checkpoint"] is not None
    assert_clean(scene)


def test_the_same_title_twice(scene: Scene) -> None:
    """A second session of the same title gets an id of its own."""
    one = scene.run("start", "Add two-factor login", "--json").expect(0).json["data"]
    two = scene.run("start", "Add two-factor login", "--json").expect(0).json["data"]
    assert (one["session"], two["session"]) == (
        "WFS-add-two-factor-login",
        "WFS-add-two-factor-login-2",
    )
    assert scene.run("use", "--json").expect(0).json["data"]["session"] == two["session"]
    assert_clean(scene)


def test_titles_in_any_script(scene: Scene) -> None:
    """F-LP-01: each gets a folder and a branch of its own, and the full title is in the file."""
    titles = ("预订泊位", "取消预订", "🚢", "!!!", "Über café", "🚣")
    found = []
    for title in titles:
        done = scene.run("start", title, "--json").expect(0).json["data"]
        found.append(done["session"])
        assert f'"{title}"' in scene.read(f"{done['folder']}/workflow-session.json")
        scene.git("rev-parse", "--verify", done["branch"])
    assert len({session.casefold() for session in found}) == len(titles)
    assert found[0] == "WFS-预订泊位"
    assert found[4] == "WFS-uber-cafe"
    listed = scene.run("list", "--json").expect(0).json["data"]["sessions"]
    assert {session["title"] for session in listed} == set(titles)
    done = scene.run(
        *("replan", "--from", "-", "--session", found[0], "--json", "-y"),
        input='[{"type": "create", "title": "画泊位图", "requirements": ["画出每个泊位"]}]',
    )
    scene.git("rev-parse", "--verify", done.expect(0).json["data"]["branch"])
    rolled_back(scene, "--last", "--session", found[0])
    assert_clean(scene)


ODD_NAMES = ("../../outside", "a/b", "C:\\x", "con", "name.", ".git", "-rf", "..", "a\nb")


def test_titles_that_are_also_paths(scene: Scene, tmp_path: Path) -> None:
    """F-LP-05: odd titles become safe names, and nothing appears outside `.workflow/`."""
    for title in ODD_NAMES[:6]:
        done = scene.run("start", "--json", "--", title).expect(0).json["data"]
        assert done["folder"].startswith(".workflow/active/WFS-")
        assert "/" not in done["folder"].removeprefix(".workflow/active/")
    assert [path.name for path in tmp_path.iterdir()] == ["project"]
    assert {path.name for path in scene.path.iterdir()} == {".git", ".workflow"}
    assert_clean(scene)


def test_session_ids_that_are_also_paths(scene: Scene) -> None:
    """F-LP-05: such an id is refused by the commands that take one, and nothing is touched."""
    harbour(scene)
    before = scene.snapshot()
    commands = (("status",), ("log",), ("rollback", "--last"), ("adopt", "x"), ("replan", "More"))
    for number, odd in enumerate(ODD_NAMES[:7]):
        run = scene.run(*commands[number % len(commands)], f"--session={odd}")
        assert run.code in (2, 3), (odd, run.err)
        assert "Traceback" not in run.err
    assert scene.run("use", "--", "../../outside").code in (2, 3)
    assert_untouched(scene, before)
