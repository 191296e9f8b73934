"""Records of verifications: made once, believed where they may be, never in the way."""

import json

import pytest

from gitwfp.classes import replace
from gitwfp.model import fields as f
from gitwfp.model.task import with_field
from gitwfp.verify.facts import Facts
from gitwfp.verify.record import read_record, record_text
from gitwfp.verify.rule import INTENT_ALONE
from gitwfp.verify.run import Results, rules, verify
from tests.core.damages import DAMAGES, FOLDER, facts_of, good
from tests.scene import Scene
from tests.stories.harbour import replanned, retitle
from tests.stories.pushing import BROKEN, SESSION, damage, guarded, planned, push

NOTES = "refs/notes/wfp"


def notes(scene: Scene) -> dict[str, str]:
    """Returns the notes by the object that they are on."""
    listed = scene.git("notes", "--ref=wfp", "list").split("\n")
    pairs = (line.split(" ") for line in listed if line)
    return {name: scene.git("cat-file", "blob", blob) for blob, name in pairs}


def decision(scene: Scene, *words: str, code: int = 0) -> str:
    """Verifies; returns the decision."""
    run = scene.run("verify", "--json", *words).expect(code)
    return str(run.json["data"]["sessions"][0]["decision"])


def test_an_unchanged_plan_is_recorded_once(scene: Scene) -> None:
    """On another branch, and with other statuses, the record is the same."""
    planned(scene, "no-acceptance")
    first = decision(scene)
    record = notes(scene)
    assert len(record) == 1
    tip = scene.git("rev-parse", NOTES)
    scene.git("switch", "-qc", "topic")
    scene.write({"src/x.py": "x = 1\n"})
    scene.commit("code")
    assert decision(scene) == first
    assert scene.git("rev-parse", NOTES) == tip
    task = f"{FOLDER}/.task/IMPL-1.json"
    scene.write({task: scene.read(task).replace('"pending"', '"in_progress"')})
    assert decision(scene) == first
    assert scene.git("rev-parse", NOTES) == tip
    damage(scene, BROKEN)
    assert decision(scene, code=1) == "BLOCK_EXECUTION"
    assert scene.git("rev-parse", NOTES) != tip


def test_a_note_for_people(scene: Scene) -> None:
    """Of a commit, the note on the session's folder says what was decided."""
    planned(scene, BROKEN)
    decision(scene, "--at", "HEAD", code=1)
    shown = scene.git("notes", "--ref=wfp", "show", f"HEAD:{FOLDER}")
    assert shown.startswith(f"{SESSION}: BLOCK_EXECUTION\n")
    assert "dangling-dependency" in shown


@pytest.mark.parametrize("content", ["", "{", "[]", '{"form": 1, "rules": {"x": [1]}}', "\0"])
def test_a_record_that_is_none(scene: Scene, content: str) -> None:
    """Whatever somebody put there, the plan is verified."""
    planned(scene, BROKEN)
    decision(scene, code=1)
    [name] = notes(scene)
    blob = scene.git("hash-object", "-w", "--stdin", input=content)
    scene.git("notes", "--ref=wfp", "add", "-f", "--allow-empty", "-C", blob, name)
    assert decision(scene, code=1) == "BLOCK_EXECUTION"
    assert read_record(notes(scene)[name].encode()) is not None


def test_a_gate_that_believes_nothing(scene: Scene) -> None:
    """A forged record passes where it is believed; a server, or a setting, believes none."""
    planned(scene, BROKEN)
    bare = guarded(scene)
    push(scene).expect(1)
    [name] = [key for key, text in notes(scene).items() if text.startswith("{")]
    record = json.loads(notes(scene)[name])
    record["rules"] = {rule: [] for rule in record["rules"]}
    blob = scene.git("hash-object", "-w", "--stdin", input=json.dumps(record))
    scene.git("notes", "--ref=wfp", "add", "-f", "-C", blob, name)
    scene.git("config", "wfp.gate.trustRecords", "false")
    push(scene).expect(1)
    scene.git("notes", "--ref=wfp", "add", "-f", "-C", blob, name)
    scene.git("config", "wfp.gate.trustRecords", "true")
    push(scene).expect(0)
    assert bare.git("for-each-ref", NOTES) == ""
    scene.git("push", "-q", "origin", NOTES)
    tip, zeros = bare.git("rev-parse", "main"), "0" * 40
    line = f"{zeros} {tip} refs/heads/again\n"
    bare.git("update-ref", "-d", "refs/heads/main")
    bare.run("gate", "pre-receive", input=line).expect(1)


def test_notes_that_cannot_be_written(scene: Scene) -> None:
    """The verdict stands, and that it was not recorded is told."""
    planned(scene)
    (scene.path / ".git" / "refs" / "notes").mkdir()
    (scene.path / ".git" / "refs" / "notes" / "wfp.lock").write_text("")
    run = scene.run("verify", "--json").expect(0)
    assert "record-not-kept" in [one["code"] for one in run.json["diagnostics"]]


@pytest.mark.parametrize("name", sorted(DAMAGES))
def test_what_is_recorded_depends_on_the_intent_alone(name: str) -> None:
    """Recorded rules find the same whatever the tasks' progress, and a record comes back whole."""
    files = good()
    DAMAGES[name][0](files)
    plan = facts_of(files).plan
    before: Results = {}
    verify(Facts(plan), is_whole=False, results=before)
    moved = plan
    for number, task in enumerate(plan.tasks.values()):
        status = ("in_progress", "completed", "failed", "blocked")[number % 4]
        moved = moved.with_task(replace(task, fields=with_field(task.fields, f.STATUS, status)))
    for one in rules():
        if one.inputs == INTENT_ALONE and one.id in before:
            assert tuple(one.findings(Facts(moved))) == before[one.id], one.id
    again = read_record(record_text(before, "PROCEED").encode())
    assert again is not None
    assert {rule: [str(one.message) for one in found] for rule, found in again.items()} == {
        rule: [str(one.message) for one in found] for rule, found in before.items()
    }


def test_records_are_shared(scene: Scene) -> None:
    """Push and fetch carry notes and backups, and what both have made goes together."""
    planned(scene)
    guarded(scene)
    decision(scene)
    push(scene, "--no-verify", "origin", "main").expect(0)
    branch = replanned(scene, retitle("IMPL-1", "Otherwise"), words=("--branch-only",))["branch"]
    scene.run("drop", branch).expect(0)
    first = scene.run("sync", "push", "--json").expect(0).json["data"]
    assert (first["records"], first["backups"]) == (1, 1)
    assert scene.run("sync", "push", "--json").expect(0).json["data"]["records"] == 0
    scene.git("clone", "-q", "../central.git", "../other")
    other = scene.beside("other")
    damage(other, "no-acceptance")
    other.commit("other")
    decision(other)
    damage(scene, BROKEN)
    decision(scene, code=1)
    scene.run("sync", "push").expect(0)
    done = other.run("sync", "fetch", "--json").expect(0).json["data"]
    assert (done["records"], done["backups"]) == (2, 1)
    assert len(notes(other)) == 3
    other.run("sync", "push").expect(0)
    scene.run("sync", "fetch").expect(0)
    assert notes(scene) == notes(other)
    assert scene.git("for-each-ref", "refs/notes", "--format=%(refname)") == NOTES
    scene.run("sync", "fetch", "nowhere").expect(3)
    scene.run("sync", "fetch", "../nowhere").expect(6)


def test_an_audit_names_what_went_around(scene: Scene) -> None:
    """Edits outside and trailers that are not true are named; all else is not."""
    planned(scene)
    start = scene.git("rev-parse", "HEAD")
    replanned(scene, retitle("IMPL-1", "Otherwise"))
    replanned(scene, {"type": "create", "title": "New"}, words=("-y",))
    scene.run("rollback", "--last", "-y").expect(0)
    clean = scene.run("audit", f"{start}..HEAD", "--json").expect(0).json["data"]
    assert (clean["commits"], clean["found"]) == (3, [])
    damage(scene, BROKEN)
    scene.commit("by hand")
    replanned(scene, retitle("IMPL-3", "Say a price"))
    message = scene.git("log", "-1", "--format=%B").replace("IMPL-3", "IMPL-2")
    scene.git("commit", "-q", "--amend", "-m", message)
    run = scene.run("audit", f"{start}..HEAD", "--json").expect(1)
    assert [(one["breach"], one["tasks"]) for one in run.json["data"]["found"]] == [
        ("trailers", ["IMPL-3"]),
        ("outside", ["IMPL-1"]),
    ]
    assert "by hand" in scene.run("audit").expect(1).out
    scene.run("audit", "nowhere..HEAD").expect(3)
