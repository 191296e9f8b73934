"""The scene keeps its word: sealed, repeatable, exact, and impatient with unread runs."""

import json
import os
from itertools import combinations
from pathlib import Path

import pytest

from tests.plans import Shape, plan_folder
from tests.scene import Scene, logical_time
from tests.terminal import without_machine

SHAPES: tuple[Shape, ...] = ("nested", "flat", "lite")


def test_the_machine_is_sealed_off(home: Path, scene: Scene) -> None:
    """No variable, home, language or editor of the machine reaches a test."""
    assert Path(os.environ["HOME"]) == home
    assert "LANGUAGE" not in os.environ
    assert os.environ["EDITOR"] == "false"
    git_variables = {name for name in os.environ if name.startswith("GIT_")}
    assert git_variables == {"GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_TERMINAL_PROMPT"}
    origins = scene.git("config", "--list", "--show-scope").splitlines()
    assert {line.split("\t")[0] for line in origins} == {"global", "local"}


def test_what_a_test_does_to_its_environment_ends_with_it(pytester: pytest.Pytester) -> None:
    """A variable that one test sets is gone in the next, and so is a file in its home."""
    pytester.makeconftest("from tests.conftest import *")
    pytester.makepyfile(
        """
        import os
        from pathlib import Path

        def test_first(home):
            assert "LEFT" not in os.environ and not (home / "left").exists()
            os.environ["LEFT"] = "behind"
            (home / "left").touch()

        def test_second(home):
            assert "LEFT" not in os.environ and not (home / "left").exists()
            os.environ["LEFT"] = "behind"
            (home / "left").touch()
        """
    )
    pytester.runpytest_subprocess().assert_outcomes(passed=2)


def test_libgit2_sees_no_configuration_of_the_machine(scene: Scene) -> None:
    """The library's search paths are blank as soon as it is imported."""
    import pygit2

    levels = pygit2.enums.ConfigLevel
    for level in (levels.SYSTEM, levels.XDG, levels.GLOBAL):
        assert pygit2.settings.search_path[level] == ""
    assert "user.name" not in pygit2.Repository(str(scene.path)).config


def test_scenes_are_repeatable(tmp_path: Path, home: Path) -> None:
    """The same steps give the same commit ids, whatever the folder and the hour."""
    ids = set()
    for name in ("one", "two"):
        scene = Scene(tmp_path / name, home=home)
        scene.session("nested")
        scene.commit("plan: berths")
        scene.write({"src/berths.py": "BERTHS = 12\n"})
        ids.add(scene.commit("berths", n=7))
    assert len(ids) == 1


def test_commits_are_dated_by_logical_time(scene: Scene) -> None:
    """A commit has the date of its logical time, and the next one is a minute later."""
    scene.commit("first", n=30)
    scene.commit("second")
    dates = scene.git("log", "--reverse", "--format=%aI %cI").splitlines()
    expected = [logical_time(30).isoformat(), logical_time(31).isoformat()]
    assert [line.replace("Z", "+00:00") for line in dates] == [f"{d} {d}" for d in expected]


def test_git_fails_loudly(scene: Scene) -> None:
    """A git command that fails unexpectedly fails the test and shows what git said."""
    with pytest.raises(AssertionError, match="single revision"):
        scene.git("rev-parse", "--verify", "nowhere^{commit}", "--")
    assert scene.git("config", "no.such", ok=(1,)) == ""


def test_files_are_written_as_they_are(scene: Scene) -> None:
    """Text, bytes and JSON arrive exactly, and None removes a file."""
    scene.write({"a/text": "x\r\n", "bytes": b"\xff\x00", "data.json": {"title": "泊位"}})
    assert scene.read("a/text") == "x\r\n"
    assert (scene.path / "bytes").read_bytes() == b"\xff\x00"
    assert scene.read("data.json") == '{\n  "title": "泊位"\n}\n'
    scene.write({"bytes": None})
    assert not (scene.path / "bytes").exists()


@pytest.mark.parametrize("shape", SHAPES)
def test_sessions_are_complete(scene: Scene, shape: Shape) -> None:
    """Each shape has its tasks, its documents and valid JSON, under `.workflow/` only."""
    plan = scene.session(shape, tasks=6, done=2)
    assert len(plan.tasks) == 6
    for path in plan.files:
        assert path.startswith(plan.path + "/")
        assert (scene.path / path).is_file()
        if path.endswith(".json"):
            json.loads(scene.read(path))
    assert plan.tasks[3] in scene.read(plan.file_of(plan.tasks[3]))
    if shape != "lite":
        todo = scene.read(f"{plan.path}/TODO_LIST.md")
        assert todo.count("\n- [x] **") == 2
        assert todo.count("\n- [ ] **") == 4


def said(shape: Shape, tasks: int) -> list[dict[str, object]]:
    """Returns what a written plan says about each task, read without the product."""
    plan = plan_folder(shape, tasks, ids="IMPL-{}")
    found = []
    for name in plan.tasks:
        data = json.loads(plan.files[plan.file_of(name)])
        if shape == "lite":
            data = next(task for task in data["tasks"] if task["id"] == name)
        context = data.get("context", data)
        focus = context.get("focus_paths")
        requirements = context.get("requirements")
        found.append(
            {
                "id": data["id"],
                "title": data["title"],
                "requirements": requirements or data["description"].removesuffix(".").split(". "),
                "acceptance": context.get("acceptance") or data["convergence"]["criteria"],
                "focus": focus or [point["file"] for point in data["modification_points"]],
                "needs": context["depends_on"],
            }
        )
    return found


@pytest.mark.parametrize(("one", "other"), tuple(combinations(SHAPES, 2)))
def test_shapes_are_twins(one: Shape, other: Shape) -> None:
    """Two shapes with shared ids say the same about every task."""
    assert said(one, 23) == said(other, 23)


def test_large_plans_have_no_loose_edge() -> None:
    """Every dependency of a plan of any size names an earlier task of it."""
    for tasks in (1, 2, 4, 10, 11, 57):
        facts = said("nested", tasks)
        earlier: set[object] = set()
        for fact in facts:
            needs = fact["needs"]
            assert isinstance(needs, list)
            assert set(needs) <= earlier
            earlier.add(fact["id"])


def test_runs_tell_code_output_and_errors_apart(scene: Scene) -> None:
    """A run has the exit code and both streams, and gets its input."""
    program = "import sys; print(input()); print('oops', file=sys.stderr); sys.exit(3)"
    run = scene.python("-c", program, input="hello\n")
    assert (run.code, run.out, run.err) == (3, "hello\n", "oops\n")


def test_runs_stand_where_they_are_told(scene: Scene) -> None:
    """A run stands in the folder that the test names, with the variables that it sets."""
    scene.write({"packages/web/x": ""})
    program = "import os; print(os.getcwd(), os.environ['SHADE'])"
    run = scene.python("-c", program, cwd="packages/web", env={"SHADE": "blue"}).expect(0)
    assert run.text == "<repo>/packages/web blue\n"


def test_a_run_on_a_terminal_has_one(scene: Scene) -> None:
    """On a terminal all three streams are one, 80 columns wide, and typing reaches the program."""
    program = (
        "import os, sys\n"
        "print([s.isatty() for s in (sys.stdin, sys.stdout, sys.stderr)], os.get_terminal_size())\n"
        "print('you said', input())\n"
        "print('rest', repr(sys.stdin.read()))\n"
    )
    run = scene.python("-c", program, input="yes\n", tty=True)
    assert run.code == 0
    assert run.err == ""
    assert run.out == (
        "[True, True, True] os.terminal_size(columns=80, lines=24)\nyou said yes\nrest ''\n"
    )
    assert scene.python("-c", "import sys; print(sys.stdin.isatty())").expect(0).out == "False\n"


def test_text_names_what_differs_between_machines(scene: Scene) -> None:
    """Paths, ids and times are replaced by names, and one id has one name, short or long."""
    first, second = scene.commit("one"), scene.commit("two")
    program = (
        f"print({first!r}, {second[:9]!r}, {first[:9]!r}, '2026-11-30T19-07-52', '2026-11-30')"
    )
    run = scene.python("-c", program).expect(0)
    assert run.text == "<id1> <id2> <id1> <time> <date>\n"
    assert without_machine("decade 12345678 acceded", {}) == "decade 12345678 acceded"
    assert without_machine("at 2026-01-05T09:30:00.000Z.", {}) == "at <time>."


def test_a_run_that_nobody_looked_at_fails(pytester: pytest.Pytester) -> None:
    """A test passes only if it looked at the exit code of every run."""
    pytester.makeconftest("from tests.conftest import *")
    pytester.makepyfile(
        """
        def test_unread(scene):
            assert scene.python("-c", "print(1)").out

        def test_read(scene):
            assert scene.python("-c", "raise SystemExit(4)").code == 4
        """
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*nobody looked at the exit code of: -c print(1)*"])


def test_snapshots_see_every_kind_of_change(scene: Scene) -> None:
    """Each thing that a command could disturb changes the snapshot, and looking changes nothing."""
    scene.write({"kept": "1\n", "hidden": "2\n", ".gitignore": "scrap\n"})
    scene.commit("start")
    seen = [scene.snapshot()]
    assert scene.snapshot() == seen[0]

    def differs() -> bool:
        seen.append(scene.snapshot())
        return seen[-1] not in seen[:-1]

    scene.git("update-index", "--assume-unchanged", "hidden")
    assert differs()
    scene.write({"scrap": "ignored\n"})
    assert differs()
    scene.write({"kept": "changed\n"})
    assert differs()
    scene.git("add", "kept")
    assert differs()
    (scene.path / "kept").chmod(0o755)
    assert differs()
    scene.git("stash")
    assert differs()
    scene.git("config", "wfp.some", "thing")
    assert differs()
    scene.write({".git/hooks/pre-push": "#!/bin/sh\n"})
    assert differs()
    scene.git("branch", "side")
    assert differs()
    scene.git("checkout", "--quiet", "--detach")
    assert differs()
    (scene.path / "link").symlink_to("kept")
    assert differs()


def test_snapshots_can_look_past_the_plan(scene: Scene) -> None:
    """What lies below one folder, and chosen refs, can be left out of a comparison."""
    scene.write({"kept": "1\n"})
    scene.commit("start")
    before = scene.snapshot()
    scene.session()
    scene.git("update-ref", "refs/wfp/pending/1", "HEAD")
    after = scene.snapshot()
    assert before != after
    assert before.outside(".workflow") == after.outside(".workflow").without_refs("refs/wfp/")


def test_clones_and_worktrees_are_scenes(scene: Scene) -> None:
    """A clone and a linked worktree can be acted upon and looked at like the first repository."""
    scene.write({"kept": "1\n"})
    commit = scene.commit("start")
    assert scene.clone("copy").git("rev-parse", "HEAD") == commit
    scene.git("worktree", "add", "--quiet", "-b", "side", "../linked")
    linked = scene.beside("linked").snapshot()
    assert linked.head == "refs/heads/side"
    assert {"HEAD", "main-worktree/HEAD"} <= set(linked.reflogs)
