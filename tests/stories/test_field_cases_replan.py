"""The field cases of the area replan: what went wrong for users of other tools, and not here."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.git.publishing import leavings
from tests.scene import PATIENCE, Scene
from tests.stories.dialogue import asked
from tests.stories.harbour import (
    FOLDER,
    SESSION,
    TASK,
    assert_clean,
    assert_untouched,
    edit,
    harbour,
    need,
    operations,
    plan_tree,
    replan,
    replanned,
    requirements,
    retitle,
    rolled_back,
    touched,
)

PRICE_FIRST = need("IMPL-3", "Show the price before asking for a name")
QUICK = {"WFP_LOCK_TIMEOUT": "0.2"}
READERS = (("status",), ("list",), ("next",), ("log",), ("diff",), ("use",))


def test_staged_work_stays_staged(scene: Scene) -> None:
    """F-RP-01: what the user has staged or is still editing is not swept into the replan."""
    harbour(scene)
    scene.write({"src/user.py": "mine = 1\n", "src/app.py": "print('still editing')\n"})
    scene.git("add", "src/user.py")
    before = scene.snapshot().outside(".workflow")
    replanned(scene, PRICE_FIRST)
    assert all(path.startswith(".workflow/") for path in touched(scene))
    after = scene.snapshot().outside(".workflow")
    assert (after.index, after.status, after.worktree) == (
        before.index,
        before.status,
        before.worktree,
    )


def test_a_held_index_lock(scene: Scene) -> None:
    """F-RP-02: a lock of another git is named and left alone; without it the command works."""
    harbour(scene)
    replanned(scene, PRICE_FIRST)
    before = scene.snapshot()
    lock = scene.path / ".git" / "index.lock"
    lock.touch()
    for run in (
        replan(scene, retitle("IMPL-3", "Quote"), env=QUICK),
        scene.run("rollback", "--last", env=QUICK),
    ):
        run.expect(6)
        assert "index.lock" in run.err
    assert lock.exists()
    lock.unlink()
    assert_untouched(scene, before)
    replanned(scene, retitle("IMPL-3", "Quote"))
    assert_clean(scene)


def test_in_the_middle_of_a_rebase(scene: Scene) -> None:
    """F-RP-03: replan and rollback refuse while git rebases, and the rebase ends as it should."""
    harbour(scene)
    for number in range(3):
        scene.write({f"src/{number}.py": f"{number}\n"})
        scene.commit(f"step {number}")
    scene.git("rebase", "-i", "HEAD~2", env={"GIT_SEQUENCE_EDITOR": "sed -i 1s/pick/edit/"})
    before = scene.snapshot()
    for run in (replan(scene, PRICE_FIRST), scene.run("rollback", "--last")):
        run.expect(6)
        assert "in the middle of a rebase" in run.err
    assert_untouched(scene, before)
    scene.git("rebase", "--continue", env={"GIT_EDITOR": "true"})
    subjects = scene.git("log", "--format=%s").splitlines()
    assert subjects == ["step 2", "step 1", "step 0", "plan: berths"]


@pytest.mark.parametrize("operation", ["merge", "cherry-pick", "revert", "bisect"])
def test_in_the_middle_of_something_else(scene: Scene, operation: str) -> None:
    """F-RP-03: every operation that git can be in the middle of is refused by its name."""
    harbour(scene)
    scene.git("switch", "--quiet", "--create", "other")
    scene.write({"src/app.py": "print('theirs')\n"})
    theirs = scene.commit("theirs")
    scene.git("switch", "--quiet", "main")
    scene.write({"src/app.py": "print('ours')\n"})
    ours = scene.commit("ours")
    words = {
        "merge": ("merge", "other"),
        "cherry-pick": ("cherry-pick", theirs),
        "revert": ("revert", "--no-edit", theirs),
        "bisect": ("bisect", "start", ours, "HEAD~1"),
    }
    scene.git(*words[operation], ok=(0, 1))
    before = scene.snapshot()
    run = replan(scene, PRICE_FIRST).expect(6)
    assert f"in the middle of a {operation}" in run.err
    assert_untouched(scene, before)


def test_detached_head(scene: Scene) -> None:
    """F-RP-04: on a detached HEAD the replan lands there, and rolling back restores the plan."""
    harbour(scene)
    base = scene.git("rev-parse", "HEAD")
    scene.git("checkout", "--quiet", "--detach")
    scene.run("status").expect(0)
    done = replanned(scene, PRICE_FIRST)
    assert scene.git("rev-parse", "HEAD") == done["commit"]
    assert scene.git("rev-parse", "main") == base
    rolled_back(scene, "--last")
    assert plan_tree(scene) == plan_tree(scene, base)
    assert scene.git("symbolic-ref", "--quiet", "HEAD", ok=(1,)) == ""
    names = scene.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split()
    assert not {"HEAD", "None"} & set(names)
    assert_clean(scene)


def test_no_commits_yet(scene: Scene) -> None:
    """F-RP-05: before the first commit readers work, and a replan makes one of the plan alone."""
    scene.write({"src/app.py": "print('harbour')\n"})
    plan = scene.session("nested", 4)
    for words in READERS:
        run = scene.run(*words).expect(0)
        assert "Traceback" not in run.err
    scene.run("show").expect(3)
    # What is not committed could not be told from the replan.
    scene.run("rollback", "--last").expect(5)
    assert scene.git("for-each-ref") == ""
    replanned(scene, PRICE_FIRST)
    names = scene.git("ls-tree", "-r", "--name-only", "HEAD").splitlines()
    assert {plan.file_of(task) for task in plan.tasks} < set(names)
    assert all(name.startswith(".workflow/") for name in names)
    assert scene.git("status", "--porcelain") == "?? src/"
    rolled_back(scene, "--last")
    assert scene.read(TASK) == plan.files[TASK]


def test_no_identity(scene: Scene, home: Path) -> None:
    """F-RP-06: without name and mail nothing is made and nobody invented; with them it works."""
    harbour(scene)
    nameless = {"GIT_CONFIG_GLOBAL": str(home / "nothing"), "GIT_CONFIG_COUNT": "0"}
    before = scene.snapshot()
    run = replan(scene, PRICE_FIRST, env=nameless).expect(6)
    assert "user.name" in run.err
    assert "user.email" in run.err
    assert_untouched(scene, before)
    scene.git("config", "user.name", "Ben Kai")
    scene.git("config", "user.email", "ben@example.org")
    replan(scene, PRICE_FIRST, env=nameless).expect(0)
    assert scene.git("log", "-1", "--format=%an <%ae>") == "Ben Kai <ben@example.org>"
    assert_clean(scene)


def _sign_with_ssh(scene: Scene, home: Path) -> None:
    key = home / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    allowed = home / "allowed"
    allowed.write_text(f"ada@example.org {key.with_suffix('.pub').read_text()}")
    scene.git("config", "gpg.format", "ssh")
    scene.git("config", "user.signingKey", str(key))
    scene.git("config", "gpg.ssh.allowedSignersFile", str(allowed))


def _sign_with_gpg(scene: Scene, home: Path) -> None:
    folder = home / ".gnupg"
    folder.mkdir(mode=0o700)
    subprocess.run(
        [
            *("gpg", "--batch", "--quiet", "--passphrase", "", "--pinentry-mode", "loopback"),
            *("--quick-gen-key", "Ada Lin <ada@example.org>", "ed25519", "sign", "never"),
        ],
        check=True,
        capture_output=True,
        env={**os.environ, "GNUPGHOME": str(folder)},
    )


@pytest.mark.parametrize("form", ["ssh", "openpgp"])
def test_signing_is_required(scene: Scene, home: Path, form: str) -> None:
    """F-RP-07: replan and rollback are signed where the user asks for it, with either kind of key.

    A signing program that fails means that nothing is made, never an unsigned commit.
    """
    harbour(scene)
    (_sign_with_ssh if form == "ssh" else _sign_with_gpg)(scene, home)
    scene.git("config", "commit.gpgSign", "true")
    try:
        replanned(scene, PRICE_FIRST)
        rolled_back(scene, "--last")
        assert scene.git("log", "-2", "--format=%G?").split() == ["G", "G"]
    finally:
        if form == "openpgp":
            subprocess.run(["gpgconf", "--kill", "gpg-agent"], check=False)
    program = "gpg.ssh.program" if form == "ssh" else "gpg.program"
    scene.git("config", program, "false")
    before = scene.snapshot()
    run = replan(scene, PRICE_FIRST).expect(6)
    assert "sign" in run.err
    assert_untouched(scene, before)


@pytest.mark.parametrize("source", ["exclude", "global", "project"])
def test_the_plan_is_ignored(scene: Scene, home: Path, source: str) -> None:
    """F-RP-08: an ignored plan is read, never "done" with nothing recorded; the rule is named."""
    places = {
        "exclude": scene.path / ".git" / "info" / "exclude",
        "global": home / "ignored",
        "project": scene.path / ".gitignore",
    }
    places[source].write_text(".workflow/\n")
    scene.git("config", "core.excludesFile", str(home / "ignored"))
    scene.session("nested", 4)
    scene.commit("everything but the plan")
    scene.run("status").expect(0)
    before = scene.snapshot()
    run = replan(scene, PRICE_FIRST).expect(6)
    assert "rule .workflow/" in run.err
    assert places[source].name in run.err
    assert_untouched(scene, before)


@pytest.mark.parametrize(
    ("attributes", "autocrlf"),
    [(None, "true"), ("* text eol=lf\n", "false"), ("* text eol=crlf\n", "false")],
)
def test_line_endings_are_converted(scene: Scene, attributes: str | None, autocrlf: str) -> None:
    """F-RP-09: the commit holds what `git add` would store, and its diff is the change alone."""
    scene.git("config", "core.autocrlf", autocrlf)
    scene.git("config", "core.safecrlf", "false")
    if attributes is not None:
        scene.write({".gitattributes": attributes})
    plan = scene.session("nested", 4)
    scene.write({path: text.replace("\n", "\r\n") for path, text in plan.files.items()})
    scene.commit("plan: berths")
    replanned(scene, PRICE_FIRST)
    assert scene.git("status", "--porcelain") == ""
    stored = scene.git("rev-parse", f"HEAD:{TASK}")
    assert scene.git("hash-object", f"--path={TASK}", TASK) == stored
    assert "\r\n" in scene.read(TASK)
    numbers = scene.git("diff", "--numstat", "HEAD~1", "HEAD", "--", TASK)
    # The entry before it gains a comma.
    assert numbers.split("\t")[:2] == ["2", "1"]
    before = plan_tree(scene, "HEAD~1")
    rolled_back(scene, "--last")
    assert plan_tree(scene) == before
    # As a checkout would write it.
    ending = "\n" if attributes == "* text eol=lf\n" else "\r\n"
    assert scene.read(TASK) == plan.files[TASK].replace("\n", ending)
    assert_clean(scene)


def test_a_branch_in_the_way(scene: Scene) -> None:
    """F-RP-10: a branch whose name blocks ours is named, and nothing half-made is left."""
    harbour(scene)
    scene.git("branch", "wfp")
    before = scene.snapshot()
    run = replan(scene, PRICE_FIRST).expect(6)
    assert "there is a branch wfp" in run.err
    assert_untouched(scene, before)


def test_a_branch_with_the_very_name(scene: Scene) -> None:
    """F-RP-10: a user's branch with the name that comes next keeps its commit and its place."""
    harbour(scene)
    scene.git("switch", "--quiet", "--create", "mine")
    mine = scene.commit("mine")
    scene.git("switch", "--quiet", "main")
    now = datetime.now(UTC)  # noqa: TID251 - the command will read the same clock
    names = [
        f"refs/heads/wfp/{SESSION}/replan-{now + timedelta(seconds=n):%Y-%m-%dT%H-%M-%S}"
        for n in range(120)
    ]
    creations = "".join(f"create {name} {mine}\n" for name in names)
    scene.git("update-ref", "--stdin", input=creations)
    scene.git("config", "wfp.replan.keepBranches", "all")
    done = replanned(scene, PRICE_FIRST)
    assert done["branch"].endswith("-2")
    assert done["replan"].endswith("-2")
    refs = scene.snapshot().refs
    assert {refs[name] for name in names} == {mine}


def test_nothing_changes(scene: Scene) -> None:
    """F-RP-11: the same replan again says that nothing changed, makes nothing, exits with 0."""
    harbour(scene)
    replanned(scene, PRICE_FIRST)
    before = scene.snapshot()
    run = replan(scene, PRICE_FIRST).expect(0)
    assert run.out == "Nothing changed.\n"
    again = replanned(scene, PRICE_FIRST)
    assert (again["changed"], again["commit"], again["replan"]) == (False, None, None)
    assert_untouched(scene, before)


FEATURES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "sha256": (),
    "split index": (("update-index", "--split-index"),),
    "sparse index": (("sparse-checkout", "set", "--cone", "--sparse-index", ".workflow"),),
    "partial clone": (
        ("config", "core.repositoryFormatVersion", "1"),
        ("config", "extensions.partialClone", "origin"),
    ),
    "worktree configuration": (("config", "extensions.worktreeConfig", "true"),),
}


@pytest.mark.parametrize("feature", FEATURES)
def test_uncommon_repositories(tmp_path: Path, home: Path, feature: str) -> None:
    """F-RP-12: where git works, so do readers, replan and rollback."""
    init = ("--object-format=sha256",) if feature == "sha256" else ()
    scene = Scene(tmp_path / "uncommon", home=home, init=init)
    harbour(scene)
    for words in FEATURES[feature]:
        scene.git(*words)
    scene.run("status").expect(0)
    before = plan_tree(scene)
    replanned(scene, PRICE_FIRST)
    scene.run("log").expect(0)
    rolled_back(scene, "--last")
    assert plan_tree(scene) == before
    assert_clean(scene)


def test_an_unknown_feature(scene: Scene) -> None:
    """F-RP-12: what git itself cannot open is refused in one line that names it."""
    harbour(scene)
    scene.git("config", "core.repositoryFormatVersion", "1")
    scene.git("config", "extensions.teleport", "true")
    for run in (scene.run("status"), replan(scene, PRICE_FIRST)):
        run.expect(6)
        assert "teleport" in run.err
        assert "Traceback" not in run.err


KILLER = """\
#!/bin/sh
# Kills the whole group of the command when refs are touched for the nth time.
count=$(( $(cat "$COUNTER" 2>/dev/null || echo 0) + 1 ))
echo "$count" > "$COUNTER"
if [ "$count" = "$FATAL" ]; then kill -9 0; fi
cat > /dev/null
"""


def _killed(scene: Scene, fatal: int) -> int:
    counter = scene.home / f"counter-{fatal}"
    done = subprocess.run(
        [sys.executable, "-m", "gitwfp", "replan", "--from", "-"],
        cwd=scene.path,
        env={**os.environ, "COUNTER": str(counter), "FATAL": str(fatal)},
        input=operations(PRICE_FIRST).encode(),
        capture_output=True,
        timeout=PATIENCE,
        check=False,
        start_new_session=True,
    )
    return done.returncode


def test_killed_between_steps(scene: Scene) -> None:
    """F-RP-13: killed whenever refs are touched, the plan is the old or the new one, never mixed.

    The next command needs no help, and what the user has in the worktree is never touched.
    """
    harbour(scene)
    base = scene.git("rev-parse", "HEAD")
    old = plan_tree(scene)
    hook = scene.path / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(KILLER)
    hook.chmod(0o755)
    scene.write({"src/user.py": "mine = 1\n"})
    fatal, ends = 0, set()
    while True:
        fatal += 1
        code = _killed(scene, fatal)
        if code == 0:
            break
        assert code == -signal.SIGKILL
        no_killing = {"COUNTER": str(scene.home / "counter"), "FATAL": "0"}
        scene.run("replan", "--from", "-", input=operations(), env=no_killing).expect(0)
        assert leavings(scene) == []
        scene.git("fsck", "--strict", "--no-dangling")
        assert scene.git("status", "--porcelain") == "?? src/user.py"
        ends.add(requirements(scene)[-1] == PRICE_FIRST["requirements"]["add"][0])
        scene.git("reset", "--quiet", "--hard", base, env=no_killing)
        assert plan_tree(scene) == old
    assert fatal > 4
    assert ends == {False, True}


def test_the_branch_moves_while_the_tool_waits(scene: Scene) -> None:
    """F-RP-14: a commit made while the prompt is open stays, and the replan comes on top of it."""
    harbour(scene)
    scene.write({"operations.json": operations(PRICE_FIRST)})
    made: list[str] = []

    def meanwhile() -> None:
        scene.write({"src/app.py": "print('meanwhile')\n"})
        made.append(scene.commit("meanwhile"))

    code, said = asked(
        scene, "replan", "--from", "operations.json", meanwhile=meanwhile, answer="y\n"
    )
    assert code == 0, said
    assert scene.git("rev-parse", "HEAD~1") == made[0]
    assert requirements(scene)[-1] == PRICE_FIRST["requirements"]["add"][0]
    assert_clean(scene)


def test_marks_of_the_index_stay(scene: Scene) -> None:
    """F-RP-15: skip-worktree and assume-unchanged survive replan and rollback."""
    scene.write({"src/local.cfg": "shared\n"})
    harbour(scene)
    scene.git("update-index", "--skip-worktree", "src/local.cfg")
    scene.git("update-index", "--assume-unchanged", "src/app.py")
    scene.write({"src/local.cfg": "private\n", "src/app.py": "print('private')\n"})
    before = scene.git("ls-files", "-v")
    replanned(scene, PRICE_FIRST)
    assert scene.git("ls-files", "-v") == before
    rolled_back(scene, "--last")
    assert scene.git("ls-files", "-v") == before
    assert not re.search("local.cfg|app.py", "".join(touched(scene) + touched(scene, "HEAD~1")))
    assert scene.read("src/local.cfg") == "private\n"


def test_marks_on_plan_files(scene: Scene) -> None:
    """F-RP-15: a mark on a plan file itself stays there too."""
    harbour(scene)
    scene.git("update-index", "--assume-unchanged", TASK)
    before = scene.git("ls-files", "-v", FOLDER)
    replanned(scene, PRICE_FIRST)
    assert scene.git("ls-files", "-v", FOLDER) == before


def test_hand_edits_come_first(scene: Scene) -> None:
    """A replan over hand edits commits them apart, and rolling it back returns to them."""
    harbour(scene)
    text = edit(scene, "Round the total to full euros", "Round the total to cents")
    done = replanned(scene, PRICE_FIRST)
    assert scene.git("show", "-s", "--format=%s", done["checkpoint"]).startswith("checkpoint(")
    rolled_back(scene, "--last")
    assert scene.read(TASK) == text
