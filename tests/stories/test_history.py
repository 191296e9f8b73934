"""Whatever people do to commits, the log is complete, and rollback is right or refuses."""

import pytest

from tests.git.publishing import leavings
from tests.scene import Scene
from tests.stories.harbour import (
    SESSION,
    TASK,
    assert_clean,
    assert_untouched,
    edit,
    harbour,
    kinds,
    log,
    need,
    plan_tree,
    replanned,
    requirements,
    retitle,
    rolled_back,
)

PRICE_FIRST = need("IMPL-3", "Show the price before asking for a name")
IN_CENTS = need("IMPL-3", "Show prices in cents")
FIRST = PRICE_FIRST["requirements"]["add"][0]
SECOND = IN_CENTS["requirements"]["add"][0]


def two_replans(scene: Scene, *words: str) -> tuple[str, str]:
    """Replans twice, a source commit between; returns the replan ids."""
    one = replanned(scene, PRICE_FIRST, words=words)["replan"]
    scene.write({"src/between.py": "between = 1\n"})
    scene.commit("between")
    two = replanned(scene, IN_CENTS, words=words)["replan"]
    return one, two


def test_after_a_rebase(scene: Scene) -> None:
    """Rebased replans keep their ids; the older one is taken back and the newer stays."""
    harbour(scene)
    scene.git("switch", "--quiet", "--create", "work")
    one, two = two_replans(scene)
    scene.git("switch", "--quiet", "main")
    scene.write({"src/app.py": "print('main')\n"})
    scene.commit("main goes on")
    scene.git("switch", "--quiet", "work")
    scene.git("rebase", "--quiet", "main")
    assert [(e["kind"], e["replan"]) for e in log(scene)] == [
        ("replan", two),
        ("replan", one),
        ("outside", None),
    ]
    rolled_back(scene, one)
    assert FIRST not in requirements(scene)
    assert SECOND in requirements(scene)
    assert_clean(scene)


def test_after_a_squash_merge(scene: Scene) -> None:
    """What `merge --squash` makes is one entry, and all of it is taken back by its commit."""
    harbour(scene)
    tree = plan_tree(scene)
    scene.git("switch", "--quiet", "--create", "work")
    one, two = two_replans(scene)
    scene.git("switch", "--quiet", "main")
    scene.git("merge", "--quiet", "--squash", "work")
    scene.git("commit", "--quiet", "--no-edit")
    newest, first = log(scene)
    assert set(newest["replans"]) == {one, two}
    assert newest["tasks"] == ["IMPL-3"]
    assert first["kind"] == "outside"
    before = scene.snapshot()
    run = scene.run("rollback", one).expect(5)
    assert "squashed" in run.err
    assert_untouched(scene, before)
    rolled_back(scene, "HEAD")
    assert plan_tree(scene) == tree
    assert scene.read("src/between.py") == "between = 1\n"


def test_the_newest_replan_may_be_a_squash(scene: Scene) -> None:
    """`--last` takes back what was squashed last, and only then the replan before it."""
    harbour(scene)
    tree = plan_tree(scene)
    replanned(scene, retitle("IMPL-3", "Quote"))
    before = plan_tree(scene)
    scene.git("switch", "--quiet", "--create", "work")
    two_replans(scene)
    scene.git("switch", "--quiet", "main")
    scene.git("merge", "--quiet", "--squash", "work")
    scene.git("commit", "--quiet", "--no-edit")
    rolled_back(scene, "--last")
    assert plan_tree(scene) == before
    rolled_back(scene, "--last")
    assert plan_tree(scene) == tree


def test_replans_of_two_sessions_squashed(scene: Scene) -> None:
    """A commit made of replans of two sessions is in the log of both, and undone in one only."""
    harbour(scene)
    scene.session("nested", 4, session="WFS-other")
    scene.commit("another")
    one = replanned(scene, PRICE_FIRST, words=("--session", "WFS-berths"))
    two = replanned(scene, IN_CENTS, words=("--session", "WFS-other"))
    editors = {"GIT_SEQUENCE_EDITOR": "sed -i 2s/pick/squash/", "GIT_EDITOR": "true"}
    scene.git("rebase", "--quiet", "-i", "HEAD~2", env=editors)
    both = scene.git("rev-parse", "HEAD")
    for session, replan in (("WFS-berths", one["replan"]), ("WFS-other", two["replan"])):
        newest = log(scene, "--session", session)[0]
        assert newest["commit"] == both
        assert replan in newest["replans"]
    rolled_back(scene, "--last", "--session", "WFS-berths")
    assert FIRST not in requirements(scene)
    assert SECOND in scene.read(".workflow/active/WFS-other/.task/IMPL-3.json")


def test_after_an_interactive_squash(scene: Scene) -> None:
    """Two replans that `rebase -i` made one commit of are told as one, and undone as one."""
    harbour(scene)
    tree = plan_tree(scene)
    one = replanned(scene, PRICE_FIRST)["replan"]
    two = replanned(scene, IN_CENTS)["replan"]
    editors = {"GIT_SEQUENCE_EDITOR": "sed -i 2s/pick/squash/", "GIT_EDITOR": "true"}
    scene.git("rebase", "--quiet", "-i", "HEAD~2", env=editors)
    newest, _ = log(scene)
    assert set(newest["replans"]) == {one, two}
    rolled_back(scene, newest["commit"])
    assert plan_tree(scene) == tree
    assert log(scene)[1]["undone_by"] is not None


def test_after_a_cherry_pick(scene: Scene) -> None:
    """A replan that was picked onto another branch is known there and taken back there."""
    harbour(scene)
    scene.git("branch", "other")
    one, two = two_replans(scene)
    scene.git("switch", "--quiet", "other")
    tree = plan_tree(scene)
    scene.git("cherry-pick", log_commit(scene, "main", one))
    assert kinds(scene) == ["replan", "outside"]
    before = scene.snapshot()
    scene.run("rollback", two).expect(3)
    assert_untouched(scene, before)
    rolled_back(scene, one)
    assert plan_tree(scene) == tree


def log_commit(scene: Scene, branch: str, replan: str) -> str:
    """Returns the commit of a replan in the history of a branch."""
    entries = log(scene, "--at", branch)
    found: str = next(entry["commit"] for entry in entries if entry["replan"] == replan)
    return found


def test_after_an_amend_that_adds_code(scene: Scene) -> None:
    """The replan is still a replan, and the code in its commit is nobody's business."""
    harbour(scene)
    tree = plan_tree(scene)
    done = replanned(scene, PRICE_FIRST)
    scene.write({"src/feature.py": "feature = 1\n"})
    scene.git("add", "--all")
    scene.git("commit", "--quiet", "--amend", "--no-edit")
    assert [entry["replan"] for entry in log(scene)] == [done["replan"], None]
    rolled_back(scene, "--last")
    assert plan_tree(scene) == tree
    assert scene.read("src/feature.py") == "feature = 1\n"


def test_in_a_clone_of_one_branch(scene: Scene) -> None:
    """A clone that has only the branch knows the whole history and takes any replan back."""
    harbour(scene)
    one, two = two_replans(scene)
    clone = scene.clone("clone", "--single-branch", "--no-tags")
    assert [entry["replan"] for entry in log(clone)] == [two, one, None]
    rolled_back(clone, one)
    assert requirements(clone)[-1] == SECOND
    assert FIRST not in requirements(clone)
    assert_clean(clone)


def test_in_a_shallow_clone(scene: Scene) -> None:
    """Where history is cut off the log says so, and what lies at the cut is not guessed: 6."""
    harbour(scene)
    one, two = two_replans(scene)
    url = f"file://{scene.path}"
    scene.git("clone", "--quiet", "--depth=3", url, "../shallow")
    clone = scene.beside("shallow")
    document = clone.run("log", "--json").expect(0).json["data"]
    assert document["complete"] is False
    assert [entry["replan"] for entry in document["entries"]] == [two, one]
    assert "cut off" in clone.run("log").expect(0).err
    assert "cut off" not in clone.run("log", "-n", "1").expect(0).err
    before = clone.snapshot()
    run = clone.run("rollback", one, "-y").expect(6)
    assert "history ends" in run.err
    assert "--deepen" in run.err
    assert_untouched(clone, before)
    rolled_back(clone, two)
    assert requirements(clone)[-1] == FIRST


def test_back_again_and_again(scene: Scene) -> None:
    """Each `--last` goes one replan further back, until there is none left: 3."""
    harbour(scene)
    tree = plan_tree(scene)
    one, two = two_replans(scene)
    back_two = rolled_back(scene, "--last")
    assert requirements(scene)[-1] == FIRST
    back_one = rolled_back(scene, "--last")
    assert plan_tree(scene) == tree
    undone = {entry["replan"]: entry["undone_by"] for entry in log(scene)}
    assert undone[two] == back_two["replan"]
    assert undone[one] == back_one["replan"]
    before = scene.snapshot()
    scene.run("rollback", "--last").expect(3)
    assert_untouched(scene, before)


def test_redo_by_rolling_back_the_rollback(scene: Scene) -> None:
    """Rolling back a rollback redoes what it took back, byte for byte; and so on for ever."""
    harbour(scene)
    before = plan_tree(scene)
    one = replanned(scene, PRICE_FIRST)
    after = plan_tree(scene)
    back = rolled_back(scene, one["replan"])
    again = rolled_back(scene, back["replan"])
    assert plan_tree(scene) == after
    assert log(scene)[2]["undone_by"] is None
    rolled_back(scene, again["replan"])
    assert plan_tree(scene) == before
    scene.run("redo").expect(0)
    assert plan_tree(scene) == after


def test_back_to_a_revision(scene: Scene) -> None:
    """`--to REV` takes back every replan newer than it in one commit, and code stays."""
    harbour(scene)
    tree = plan_tree(scene)
    base = scene.git("rev-parse", "HEAD")
    one, two = two_replans(scene)
    count = int(scene.git("rev-list", "--count", "HEAD"))
    back = rolled_back(scene, "--to", base)
    assert plan_tree(scene) == tree
    assert int(scene.git("rev-list", "--count", "HEAD")) == count + 1
    assert scene.read("src/between.py") == "between = 1\n"
    newest = log(scene)[0]
    assert set(newest["reverts"]) == {one, two}
    assert newest["replan"] == back["replan"]
    assert [entry["undone_by"] for entry in log(scene)[1:3]] == [back["replan"]] * 2
    again = rolled_back(scene, "--to", base)
    assert again["changed"] is False


def test_an_outside_change_is_marked_and_undone(scene: Scene) -> None:
    """A change of the plan by hand is in the log as such, and its commit id takes it back."""
    harbour(scene)
    edit(scene, "full euros", "cents")
    by_hand = scene.commit("cents, by hand")
    done = replanned(scene, PRICE_FIRST)
    scene.write({"src/app.py": "print('no plan')\n"})
    scene.commit("no plan")
    assert [(entry["kind"], entry["commit"]) for entry in log(scene)][:2] == [
        ("replan", done["commit"]),
        ("outside", by_hand),
    ]
    assert "outside change" in scene.run("log").expect(0).out
    rolled_back(scene, by_hand[:10])
    assert requirements(scene) == [
        "Price each night by season and boat length",
        "Round the total to full euros",
        FIRST,
    ]
    assert log(scene)[0]["reverts"] == [by_hand]


def test_progress_alone_is_no_change_of_the_plan(scene: Scene) -> None:
    """A commit that only moves statuses is not in the log, and rollback keeps the progress."""
    harbour(scene)
    done = replanned(scene, PRICE_FIRST)
    edit(scene, '"status": "pending"', '"status": "completed"')
    scene.commit("IMPL-3 is done")
    assert kinds(scene) == ["replan", "outside"]
    rolled_back(scene, done["replan"])
    assert '"status": "completed"' in scene.read(TASK)
    assert FIRST not in requirements(scene)


@pytest.mark.parametrize(("side", "title"), [("--ours", "Quote at once"), ("--theirs", None)])
def test_a_task_that_was_edited_later(scene: Scene, side: str, title: str | None) -> None:
    """The conflict is told by field and nothing is written; a side decides it, with --yes."""
    plan = harbour(scene)
    first = replanned(
        scene, {**retitle("IMPL-3", "Quote fairly"), "requirements": {"add": [FIRST]}}
    )
    replanned(scene, retitle("IMPL-3", "Quote at once"))
    before = scene.snapshot()
    run = scene.run("rollback", first["replan"], "-y").expect(5)
    assert "IMPL-3, title" in run.err
    assert "requirements" not in run.err
    assert_untouched(scene, before)
    scene.run("rollback", first["replan"], side).expect(2)
    assert_untouched(scene, before)
    rolled_back(scene, first["replan"], side, "-y")
    assert FIRST not in requirements(scene)
    old = '"title": "Quote a price"'
    assert old in plan.files[TASK]
    assert (f'"title": "{title}"' if title else old) in scene.read(TASK)
    assert_clean(scene)


def test_two_sessions_in_one_commit(scene: Scene) -> None:
    """A commit that changes two plans is in the log of both, and is taken back in one only."""
    harbour(scene)
    twin = scene.session("flat", 3, session="WFS-other")
    scene.commit("two sessions")
    edit(scene, "full euros", "cents")
    other = twin.file_of(twin.tasks[0])
    text = edit(scene, "Store berths and bookings", "Store berths", other)
    both = scene.commit("both plans")
    for session in ("WFS-berths", "WFS-other"):
        assert log(scene, "--session", session)[0]["commit"] == both
    rolled_back(scene, both, "--session", "WFS-berths")
    assert "full euros" in scene.read(TASK)
    assert scene.read(other) == text
    assert leavings(scene) == []


def test_the_log_of_one_task_and_of_a_while(scene: Scene) -> None:
    """The log narrows to a task, to so many entries, and to what is not older than a date."""
    harbour(scene)
    one = replanned(scene, PRICE_FIRST)["replan"]
    two = replanned(scene, need("IMPL-1", "Store the harbour's name"))["replan"]
    assert [entry["replan"] for entry in log(scene, "--task", "IMPL-03")] == [one, None]
    assert [entry["replan"] for entry in log(scene, "-n", "1")] == [two]
    assert [entry["replan"] for entry in log(scene, "--since", "2026-06-01")] == [two, one]
    assert log(scene, "--since", "2999-01-01T00:00:00+08:00") == []
    assert "ISO 8601" in scene.run("log", "--since", "yesterday").expect(2).err
    assert [entry["replan"] for entry in log(scene, "--at", "HEAD~1")] == [one, None]


def test_plain_git_reads_it_too(scene: Scene) -> None:
    """Subjects fit in a line, trailers are git's own, and `git revert` can do what we do."""
    harbour(scene)
    tree = plan_tree(scene)
    done = replanned(scene, PRICE_FIRST)
    subject = scene.git("log", "-1", "--format=%s")
    assert subject == "replan(IMPL-3): as agreed"
    trailers = dict(
        line.split(": ", 1)
        for line in scene.git("log", "-1", "--format=%(trailers:only,unfold)").splitlines()
        if line
    )
    assert trailers["Wfp-Replan"] == done["replan"]
    assert trailers["Wfp-Tasks-Updated"] == "IMPL-3"
    assert trailers["Wfp-Backup"] == done["backup"] == scene.git("rev-parse", "HEAD~1")
    scene.git("revert", "--no-edit", "HEAD")
    assert plan_tree(scene) == tree
    back = log(scene)[0]
    assert back["kind"] == "outside"
    rolled_back(scene, "HEAD")
    assert requirements(scene)[-1] == FIRST
    assert "This reverts commit " in scene.git("log", "-1", "--format=%b")


def test_a_commit_that_broke_a_file(scene: Scene) -> None:
    """What a commit made unreadable is named by show and compare, not only shown as gone."""
    harbour(scene)
    scene.git("branch", "sound")
    scene.write({TASK: "{ not json"})
    scene.commit("broken")
    for words in (("show", "HEAD"), ("compare", "sound", "HEAD"), ("diff", "sound", "HEAD")):
        problems = scene.run(*words, "--json").expect(0).json["diagnostics"]
        assert [problem["location"]["path"] for problem in problems] == [TASK], words
        assert TASK in scene.run(*words).expect(0).err


def test_a_session_that_is_gone(scene: Scene) -> None:
    """A start is taken back and redone; meanwhile the session still has a history, by its name."""
    harbour(scene)
    done = scene.run("start", "Sell ice", "--json").expect(0).json["data"]
    tree = plan_tree(scene)
    back = rolled_back(scene, done["replan"], "-y")
    assert not (scene.path / done["folder"]).exists()
    assert kinds(scene, "--session", done["session"]) == ["rollback", "start"]
    assert scene.run("show", done["replan"], "--json").expect(0).json["data"]["entry"]
    scene.run("log", "--session", "WFS-never").expect(3)
    rolled_back(scene, back["replan"])
    assert plan_tree(scene) == tree
    assert_clean(scene)


def test_a_replan_id_names_its_session(scene: Scene) -> None:
    """Among several sessions, show and rollback take the one that the replan id begins with."""
    harbour(scene)
    lite = scene.session("lite", 3)
    scene.commit("a lite one")
    tree = plan_tree(scene)
    update = need(lite.tasks[0], "Keep the fuel pier free")
    done = replanned(scene, update, words=("--session", lite.id))
    shown = scene.run("show", done["replan"], "--json").expect(0).json["data"]
    assert shown["session"] == lite.id
    rolled_back(scene, done["replan"])
    assert plan_tree(scene) == tree


def diverge(scene: Scene, ours: str, theirs: str) -> None:
    """Commits a change by hand here and another one on the branch `work`."""
    scene.git("switch", "--quiet", "--create", "work")
    edit(scene, *theirs.split(" -> "))
    scene.commit("theirs")
    scene.git("switch", "--quiet", "main")
    edit(scene, *ours.split(" -> "))
    scene.commit("ours")
    scene.git("merge", "--quiet", "--no-commit", "work", ok=(0, 1))


def test_a_merge_that_only_merges(scene: Scene) -> None:
    """A merge commit whose plan is the merge of both sides is no change of its own."""
    harbour(scene)
    diverge(scene, ours="full euros -> cents", theirs="Quote a price -> Quote")
    scene.commit("merged")
    assert {entry["subject"] for entry in log(scene)} == {"ours", "theirs", "plan: berths"}


def test_a_merge_that_was_decided_by_hand(scene: Scene) -> None:
    """What somebody made of a conflict is a change of its own, and is taken back by its id."""
    harbour(scene)
    diverge(scene, ours="full euros -> cents", theirs="full euros -> dimes")
    scene.write({TASK: scene.git("show", f"HEAD:{TASK}").replace("cents", "pounds") + "\n"})
    scene.commit("pounds")
    newest = log(scene)[0]
    assert (newest["kind"], newest["subject"]) == ("outside", "pounds")
    rolled_back(scene, newest["commit"])
    assert requirements(scene)[-1] == "Round the total to cents"


def test_taking_a_whole_session_back_needs_a_yes(scene: Scene) -> None:
    """Rolling back the commit that brought a session removes it, which nobody does by accident."""
    harbour(scene)
    before = scene.snapshot()
    refused = scene.run("rollback", "HEAD", "--json").expect(2).json
    assert refused["diagnostics"][0]["code"] == "needs-yes"
    assert_untouched(scene, before)
    scene.run("rollback", "HEAD", "-y").expect(0)
    assert SESSION not in scene.run("list").expect(0).out


def test_the_log_after_a_merge_goes_by_date(scene: Scene) -> None:
    """Replans of two branches that were merged stand in the order in which they were made."""
    harbour(scene)
    scene.git("switch", "--quiet", "--create", "side")
    for day, branch, task in ((1, "side", 1), (2, "main", 2), (3, "side", 3), (4, "main", 4)):
        scene.git("switch", "--quiet", branch)
        date = {"GIT_COMMITTER_DATE": f"2026-06-0{day}T12:00:00Z"}
        replanned(scene, need(f"IMPL-{task}", f"Say what day {day} brings"), env=date)
    scene.git("merge", "--quiet", "--no-edit", "-Xours", "side")
    assert [entry["tasks"] for entry in log(scene, "-n", "4")] == [
        ["IMPL-4"],
        ["IMPL-3"],
        ["IMPL-2"],
        ["IMPL-1"],
    ]
