"""What a command costs before any clock is read: modules, git processes, objects.

These are counts, so they are the same on every machine; `benchmarks/` measures time.
"""

import json
from pathlib import Path

import pytest

from tests.scene import Scene

HEAVY = frozenset(
    {"markdown_it", "networkx", "pydantic", "pygit2", "rich", "tomlkit", "watchdog", "asyncio"}
)

DEAR = frozenset(
    {"click", "copy", "datetime", "difflib", "gettext", "hashlib", "inspect", "subprocess"}
    | {"gitwfp.cli.answers", "gitwfp.cli.command", "gitwfp.files.digest"}
)
"""What is worth its time in most commands, and not in those that are asked all day."""

REPORT = """\
import sys
from gitwfp.cli.main import main
code = main(sys.argv[1:])
sys.stderr.write("\\n".join(["modules:", *sys.modules]))
sys.exit(code)
"""

CHANGING = ("gitwfp.git.publish", "gitwfp.policy.replan", "gitwfp.flows.change")
"""What only commands need that change a plan."""


def operations(*tasks: str) -> dict[str, object]:
    """Returns operations that give each of some tasks one more requirement."""
    edit = {"requirements": {"add": ["Refuse a request that comes twice"]}}
    return {"operations": [{"type": "update", "task": task, **edit} for task in tasks]}


@pytest.fixture
def planned(scene: Scene) -> Scene:
    """A repository with a plan of six tasks, and a second commit."""
    scene.session("nested", tasks=6)
    scene.commit("plan: berths")
    scene.write({"src/app.py": "print('harbour')\n"})
    scene.commit("code")
    return scene


def modules(scene: Scene, *words: str) -> frozenset[str]:
    """Returns the modules that a command has loaded when it ends."""
    # A variable that is no setting would have its name compared with those of all settings.
    run = scene.python("-c", REPORT, *words, env={"WFP_CORPUS": ""}).expect(0)
    return frozenset(run.err.partition("modules:\n")[2].split("\n"))


def git_processes(scene: Scene, trace: Path, *words: str) -> list[str]:
    """Returns the git commands that a command starts, without those that git starts itself."""
    scene.run(*words, env={"GIT_TRACE2_EVENT": str(trace)}).expect(0)
    if not trace.exists():
        return []
    events = [json.loads(line) for line in trace.read_text().splitlines()]
    trace.unlink()
    return [
        " ".join(event["argv"])
        for event in events
        if event["event"] == "start" and "/" not in event["sid"]
    ]


@pytest.mark.parametrize("words", [("-h",), ("--version",), ("replan", "-h"), ("status", "-h")])
def test_help_loads_nothing_heavy(scene: Scene, words: tuple[str, ...]) -> None:
    """Help and version come without any library but the one that parses the command line."""
    assert modules(scene, *words) & HEAVY == frozenset()


@pytest.mark.parametrize("command", ["status", "list", "next"])
def test_the_commands_of_every_day_load_nothing_heavy(planned: Scene, command: str) -> None:
    """Status, list and next load no heavy library, and nothing that only changing a plan needs."""
    loaded = modules(planned, command)
    assert loaded & (HEAVY | DEAR) == frozenset()
    assert loaded.isdisjoint(CHANGING)


@pytest.mark.parametrize(
    ("words", "most"),
    [
        (("verify", "--no-write"), 8),
        (("gate", "pre-push", "origin", "../central.git"), 10),
        (("complete", "--", "status", ""), 3),
    ],
)
def test_what_hooks_and_shells_call_loads_nothing_heavy(
    planned: Scene, tmp_path: Path, words: tuple[str, ...], most: int
) -> None:
    """Verify, the gate and completion load no heavy library, not even that of the words."""
    lines = ""
    if words[0] == "gate":
        zeros = "0" * 40
        lines = f"refs/heads/main {planned.git('rev-parse', 'HEAD')} refs/heads/main {zeros}\n"
    run = planned.python("-c", REPORT, *words, input=lines).expect(0)
    loaded = frozenset(run.err.partition("modules:\n")[2].split("\n"))
    assert loaded & (HEAVY | {"click", "gitwfp.cli.command"}) == frozenset()
    planned.git("update-ref", "-d", "refs/notes/wfp")
    trace = tmp_path / "trace"
    planned.run(*words, input=lines, env={"GIT_TRACE2_EVENT": str(trace)}).expect(0)
    events = [json.loads(line) for line in trace.read_text().splitlines()]
    started = [e for e in events if e["event"] == "start" and "/" not in e["sid"]]
    assert len(started) <= most, [" ".join(event["argv"]) for event in started]


def test_the_log_loads_objects_and_nothing_else(planned: Scene) -> None:
    """Log reads objects, for changes made without gitwfp, and loads nothing else heavy."""
    loaded = modules(planned, "log")
    assert loaded & HEAVY <= {"pygit2"}
    assert loaded.isdisjoint(CHANGING)


@pytest.mark.parametrize(
    ("words", "most"),
    [(("status",), 2), (("list",), 2), (("next",), 2), (("log",), 5), (("-h",), 0)],
)
def test_looking_starts_few_git_processes(
    planned: Scene, tmp_path: Path, words: tuple[str, ...], most: int
) -> None:
    """A command that looks asks git where it is and what is configured, the log for commits too."""
    started = git_processes(planned, tmp_path / "trace", *words)
    assert len(started) <= most, "\n".join(started)


def test_changing_starts_a_bounded_number_of_git_processes(planned: Scene, tmp_path: Path) -> None:
    """Replan and rollback start so many git processes, however many files and commits there are."""
    planned.write({"operations.json": operations("IMPL-1")})
    planned.commit("operations")
    counts: list[int] = []
    for _ in range(2):
        words = ("replan", "-y", "--from", "operations.json")
        replan = git_processes(planned, tmp_path / "trace", *words)
        rollback = git_processes(planned, tmp_path / "trace", "rollback", "--last", "-y")
        assert len(replan) <= 18, "\n".join(replan)
        assert len(rollback) <= 20, "\n".join(rollback)
        counts.append(len(replan))
        planned.write({f"src/part{n}/module.py": f"n = {n}\n" for n in range(100)})
        planned.commit("more code")
    assert len(set(counts)) == 1


@pytest.mark.parametrize("size", [3, 400])
def test_a_replan_writes_as_many_objects_in_any_repository(planned: Scene, size: int) -> None:
    """Five changed files are five blobs, the trees above them and one commit: eleven objects."""
    planned.write({f"src/part{n % 20}/module{n}.py": f"n = {n}\n" for n in range(size)})
    planned.write({"operations.json": operations("IMPL-1", "IMPL-2", "IMPL-3", "IMPL-4")})
    planned.commit("code")
    before = loose_objects(planned)
    planned.run("replan", "-y", "--from", "operations.json").expect(0)
    changed = planned.git("diff", "--name-only", "HEAD~1", "HEAD").splitlines()
    assert len(changed) == 5
    assert loose_objects(planned) - before == 11


def loose_objects(scene: Scene) -> int:
    """Returns the number of loose objects."""
    return int(scene.git("count-objects").split()[0])
