"""What users met in similar tools, of files that are odd and of graphs: verify tells the truth."""

import json
import os
from typing import Any

import pytest

from gitwfp.verify.facts import Facts
from gitwfp.verify.run import verify
from tests.core.damages import FOLDER, facts_of, good
from tests.scene import Scene
from tests.stories.harbour import need, replanned
from tests.stories.pushing import SESSION, planned

TASK = f"{FOLDER}/.task/IMPL-1.json"
TODO = f"{FOLDER}/TODO_LIST.md"


def found(scene: Scene, *words: str, code: int | None = None) -> list[Any]:
    """Returns the findings of the one session."""
    run = scene.run("verify", "--no-write", "--json", *words)
    assert run.code in ((0, 1) if code is None else (code,)), run.out + run.err
    findings: list[Any] = run.json["data"]["sessions"][0]["findings"]
    return findings


def of_rule(findings: list[Any], rule: str) -> list[Any]:
    """Returns the findings of one rule."""
    return [one for one in findings if one["rule"] == rule]


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ('"title":', '"title": "Twice", "title":', "title"),
        ('"status": "pending"', '"status": "pending", "estimate": NaN', "NaN"),
        ('"status": "pending"', '"status": "pending", "estimate": Infinity', "Infinity"),
        ('"status": "pending"', '"status": "pending", "estimate": -Infinity', "Infinity"),
        ('"status": "pending"', '"status": "pending", "x": ' + "[" * 5000 + "]" * 5000, "deep"),
    ],
    ids=["F-VL-01 keys", "F-VL-02 NaN", "F-VL-02 Infinity", "F-VL-02 minus", "F-VL-06 nesting"],
)
def test_json_that_is_none(scene: Scene, old: str, new: str, word: str) -> None:
    """F-VL-01, 02, 06: an error with file, place and what it is; never half of it taken."""
    planned(scene)
    text = scene.read(TASK)
    assert old in text
    scene.write({TASK: text.replace(old, new, 1)})
    [finding] = of_rule(found(scene, code=1), "unreadable-file")
    assert finding["severity"] == "CRITICAL"
    assert finding["location"]["path"] == TASK
    assert finding["location"]["line"] is not None
    assert word in finding["message"]


def test_nothing_but_brackets(scene: Scene) -> None:
    """F-VL-06: a file of a hundred thousand brackets is one more unreadable file."""
    planned(scene)
    scene.write({TASK: "[" * 100_000 + "]" * 100_000})
    assert of_rule(found(scene, code=1), "unreadable-file")
    scene.run("status").expect(0)


@pytest.mark.parametrize("name", [TASK, TODO, f"{FOLDER}/IMPL_PLAN.md", f"{FOLDER}/plan.json"])
def test_a_byte_order_mark(scene: Scene, name: str) -> None:
    """F-VL-03: it is as if it were not there, for every command, and it stays."""
    planned(scene)
    before = found(scene)
    scene.write({name: "\ufeff" + scene.read(name)})
    assert found(scene) == before
    scene.commit("with a mark")
    assert found(scene, "--at", "HEAD") == before
    scene.run("gate", "range", "HEAD~1..HEAD").expect(0)
    replanned(scene, need("IMPL-1", "Remember the pier"))
    assert scene.read(name).startswith("\ufeff")


@pytest.mark.parametrize("mixed", [False, True])
def test_line_ends_of_windows(scene: Scene, mixed: bool) -> None:
    """F-VL-04: documents with CRLF, or both, are judged the same and keep them."""
    planned(scene)
    before = found(scene)
    for name in ("TODO_LIST.md", "IMPL_PLAN.md", "planning-notes.md"):
        lines = scene.read(f"{FOLDER}/{name}").split("\n")
        ends = ["\r\n" if not mixed or number % 2 else "\n" for number in range(len(lines))]
        text = "".join(line + end for line, end in zip(lines, ends, strict=True))
        scene.write({f"{FOLDER}/{name}": text})
    assert found(scene) == before


def test_examples_in_fences(scene: Scene) -> None:
    """F-VL-05: what stands in a code block is no task, no box, no heading and no requirement."""
    planned(scene)
    before = found(scene)
    fence = (
        "\n```markdown\n## Tasks\n- [ ] fake\n- [ ] **IMPL-77**: not one\n- FR-99: nothing\n```\n"
    )
    for name in ("TODO_LIST.md", "IMPL_PLAN.md", "planning-notes.md"):
        scene.write({f"{FOLDER}/{name}": scene.read(f"{FOLDER}/{name}") + fence})
    assert found(scene) == before


@pytest.mark.parametrize(
    ("key", "value"), [("priority", 7), ("priority", True), ("title", 5), ("status", False)]
)
def test_values_of_another_kind(scene: Scene, key: str, value: object) -> None:
    """F-VL-07: they are kept as they are written, also by a change of the same file."""
    planned(scene)
    task = json.loads(scene.read(TASK))
    task[key] = value
    scene.write({TASK: task})
    found(scene)
    scene.commit("odd")
    replanned(scene, need("IMPL-1", "Remember the pier"))
    assert json.loads(scene.read(TASK))[key] == value
    assert type(json.loads(scene.read(TASK))[key]) is type(value)


def test_what_is_skipped_does_not_pass(scene: Scene) -> None:
    """F-VL-08: ten sessions, four that cannot be read: ten are counted, and four are named."""
    folders = [FOLDER.replace("berths", f"berths-{number}") for number in range(10)]
    for folder in folders:
        scene.write({path.replace(FOLDER, folder): text for path, text in good().items()})
    broken = {0: b"", 1: b"\xff\xfe", 2: b"<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> x\n", 3: b"{"}
    for number, content in broken.items():
        scene.write({f"{folders[number]}/.task/IMPL-2.json": content})
    run = scene.run("verify", "--all", "--no-write", "--json").expect(1)
    sessions = run.json["data"]["sessions"]
    assert len(sessions) == 10
    failed = [one["session"] for one in sessions if of_rule(one["findings"], "unreadable-file")]
    assert failed == [f"{SESSION}-{number}" for number in range(4)]
    assert all(one["passes"] for one in sessions[4:])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(scene: Scene) -> None:
    """F-VL-08: a task without permission is named, and does not count as fine."""
    planned(scene)
    (scene.path / TASK).chmod(0)
    assert of_rule(found(scene, code=1), "unreadable-file")


def edges(**wanted: list[str]) -> dict[str, str]:
    """Returns the good plan with the dependencies of some tasks set; `IMPL_1` is IMPL-1."""
    files = good()
    for name, on in wanted.items():
        path = f"{FOLDER}/.task/{name.replace('_', '-')}.json"
        task = json.loads(files[path])
        task["context"]["depends_on"] = on
        files[path] = json.dumps(task)
    return files


def test_circles(scene: Scene) -> None:
    """F-GR-01: each is told with its members in order, itself, two, and two that are apart."""
    files = edges(IMPL_1=["IMPL-1"], IMPL_2=["IMPL-3"], IMPL_3=["IMPL-2"], IMPL_4=[])
    scene.write(files)
    messages = [one["message"] for one in of_rule(found(scene, code=1), "circular-dependency")]
    assert sorted(messages) == [
        "Circular dependency: IMPL-1 -> IMPL-1.",
        "Circular dependency: IMPL-2 -> IMPL-3 -> IMPL-2.",
    ]


def test_a_dependency_on_a_ghost(scene: Scene) -> None:
    """F-GR-02: both ends are named, similar ids suggested, and nobody is ready for it."""
    scene.write(edges(IMPL_1=["IMPL-44"]))
    [finding] = of_rule(found(scene, code=1), "dangling-dependency")
    assert "IMPL-1" in finding["message"]
    assert "IMPL-44" in finding["message"]
    assert "IMPL-4" in finding["recommendation"]
    ready = scene.run("next", "--json").expect(0).json["data"]
    assert "IMPL-1" not in [one["id"] for one in ready["ready"]]


def many(layers: int, width: int) -> Facts:
    """Returns a plan of layers in which each task depends on all of the layer before."""
    files = {path: text for path, text in good().items() if "/.task/" not in path}
    task = json.loads(good()[TASK])
    for layer in range(layers):
        for at in range(width):
            name = f"IMPL-{layer * width + at + 1}"
            on = [f"IMPL-{(layer - 1) * width + k + 1}" for k in range(width)] if layer else []
            value = {**task, "id": name, "context": {**task["context"], "depends_on": on}}
            files[f"{FOLDER}/.task/{name}.json"] = json.dumps(value)
    return facts_of(files)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("layers", "width"), [(40, 2), (250, 4)])
def test_ladders(layers: int, width: int) -> None:
    """F-GR-03: layers that all depend on the layer before take no time that doubles with each."""
    facts = many(layers, width)
    assert len(facts.plan.tasks) == layers * width
    report = verify(facts, is_whole=False)
    assert "circular-dependency" not in {one.rule for one in report.findings}


def test_numbers_for_ids(scene: Scene) -> None:
    """F-GR-04: 5 and "5" are one task, told as one id twice; a file keeps its own way."""
    files = {path: text for path, text in good().items() if "/.task/" not in path}
    base = json.loads(good()[TASK])
    for name, task_id, on in (("a", 1, ["2"]), ("b", "1", []), ("c", 2, [])):
        value = {**base, "id": task_id, "context": {**base["context"], "depends_on": on}}
        files[f"{FOLDER}/.task/{name}.json"] = json.dumps(value)
    scene.write(files)
    assert of_rule(found(scene, code=1), "duplicate-task-id")
    assert not of_rule(found(scene), "dangling-dependency")


def test_one_id_in_two_files(scene: Scene) -> None:
    """F-GR-05: both files are named and neither is dropped; a file that was edited is no twin."""
    planned(scene)
    text = scene.read(TASK)
    scene.write({TASK: text.replace("Store berths", "Keep berths")})
    assert not of_rule(found(scene), "duplicate-task-id")
    scene.write({f"{FOLDER}/.task/IMPL-1-again.json": text})
    [finding] = of_rule(found(scene, code=1), "duplicate-task-id")
    assert "IMPL-1.json" in finding["message"]
    assert "IMPL-1-again.json" in finding["message"]
