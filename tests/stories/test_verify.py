"""verify, explain and waive as a user types them."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.core.damages import DAMAGES, FOLDER, Files, good
from tests.scene import Scene

SESSION = "WFS-berths"


def planned(scene: Scene, *damages: str) -> Files:
    """Commits the good plan with some damages, and the code it is about."""
    files = good()
    for name in damages:
        DAMAGES[name][0](files)
    scene.write(files)
    scene.commit("the plan")
    return files


def answer(scene: Scene, *words: str, code: int = 0) -> Any:
    """Returns the data that a command answers with `--json`."""
    document = scene.run(*words, "--json").expect(code).json
    assert document["exit_code"] == code
    return document["data"]


def test_a_good_plan_passes(scene: Scene) -> None:
    """It exits with 0 and leaves both reports, which no plan command commits."""
    planned(scene)
    done = scene.run("verify").expect(0)
    assert done.out.splitlines()[0] == f"{SESSION}: PROCEED"
    report = scene.read(f"{FOLDER}/.process/PLAN_VERIFICATION.md")
    assert report.startswith("# Plan Verification Report\n")
    findings = json.loads(scene.read(f"{FOLDER}/.process/verification-findings.json"))
    assert findings["summary"]["recommendation"] == "PROCEED"
    assert findings["summary"]["coverage_percentage"] == 100
    data = answer(scene, "status")
    assert data["session"]["id"] == SESSION
    assert scene.run("diff", "--exit-code").expect(0).out is not None


def test_a_broken_plan_does_not(scene: Scene) -> None:
    """It exits with 1, names rule, task and file, and says what to do."""
    planned(scene, "dangling-dependency")
    data = answer(scene, "verify", code=1)
    assert data["passes"] is False
    [session] = data["sessions"]
    assert session["decision"] == "BLOCK_EXECUTION"
    [finding] = [one for one in session["findings"] if one["rule"] == "dangling-dependency"]
    assert finding["location"]["task"] == "IMPL-1"
    assert finding["location"]["path"] == f"{FOLDER}/.task/IMPL-1.json"
    assert finding["id"] == answer(scene, "verify", code=1)["sessions"][0]["findings"][0]["id"]


def test_another_revision_leaves_no_report(scene: Scene) -> None:
    """What is not in the worktree is judged where it is, and nothing is written."""
    planned(scene, "dangling-dependency")
    scene.write(good())
    assert answer(scene, "verify", "--at", "HEAD", code=1)["source"] == "HEAD"
    assert not list(Path(scene.path, FOLDER, ".process").glob("*erification*"))
    assert answer(scene, "verify", "--no-write")["passes"] is True
    assert not list(Path(scene.path, FOLDER, ".process").glob("*erification*"))
    scene.git("add", "-A")
    assert answer(scene, "verify", "--staged")["passes"] is True


def test_the_policy_decides_what_passes(scene: Scene) -> None:
    """gate.policy is the lowest decision that passes."""
    planned(scene, "no-acceptance")
    assert scene.run("verify").expect(0).code == 0
    scene.git("config", "wfp.gate.policy", "PROCEED")
    assert scene.run("verify").expect(1).out.startswith(f"{SESSION}: PROCEED_WITH_CAUTION")
    scene.git("config", "wfp.gate.policy", "BLOCK_EXECUTION")
    planned(scene, "dangling-dependency")
    assert scene.run("verify").expect(0).out.startswith(f"{SESSION}: BLOCK_EXECUTION")


def test_all_counts_what_it_cannot_judge(scene: Scene) -> None:
    """A session without tasks is a failure of its own, and does not hide the others."""
    files = planned(scene)
    scene.write({".workflow/active/WFS-empty/workflow-session.json": "{}"})
    done = scene.run("verify", "--all", "--json").expect(1)
    document = json.loads(done.out)
    assert [one["session"] for one in document["data"]["sessions"]] == [SESSION]
    assert [one["code"] for one in document["diagnostics"] if one["severity"] == "error"] == [
        "no-task"
    ]
    assert files


def test_a_waiver_is_a_commit_and_can_be_taken_back(scene: Scene) -> None:
    """The finding stays in the report as waived; rolling the waiver back brings it back."""
    planned(scene, "no-acceptance")
    [session] = answer(scene, "verify")["sessions"]
    [finding] = session["findings"]
    scene.run("waive", finding["id"], "--reason", "A spike.", "-y").expect(0)
    assert scene.git("log", "-1", "--format=%s").strip() == (
        "waive(IMPL-3): no-acceptance: A spike."
    )
    waivers = json.loads(scene.read(f"{FOLDER}/.process/waivers.json"))
    assert [one["reason"] for one in waivers["waivers"]] == ["A spike."]
    [session] = answer(scene, "verify")["sessions"]
    assert session["findings"] == []
    assert [one["reason"] for one in session["waived"]] == ["A spike."]
    scene.run("rollback", "--last", "-y").expect(0)
    [session] = answer(scene, "verify")["sessions"]
    assert [one["id"] for one in session["findings"]] == [finding["id"]]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("waive", "H00000000", "--reason", "x"), 3),
        (("waive", "no-acceptance", "--reason", " "), 2),
        (("waive", "no-acceptance", "--reason", "x", "--until", "soon"), 2),
        (("waive", "no-acceptance"), 2),
        (("explain", "no-such-rule"), 3),
        (("verify", "-s", "WFS-berths", "--all"), 2),
        (("verify", "WFS-nowhere"), 3),
        (("verify", "--format", "xml"), 2),
    ],
)
def test_what_is_refused(scene: Scene, words: tuple[str, ...], code: int) -> None:
    """Each refusal has its exit code, and nothing is written."""
    planned(scene, "no-acceptance")
    head = scene.git("rev-parse", "HEAD")
    scene.run(*words, "-y" if words[0] == "waive" else "--json").expect(code)
    assert scene.git("rev-parse", "HEAD") == head


def test_explain_says_all_of_a_rule(scene: Scene) -> None:
    """A rule is found by its id; a slip of the keyboard is understood."""
    text = scene.run("explain", "circular-dependency").expect(0).out
    for word in ("circular-dependency", "D. Dependency Integrity, CRITICAL", "Remedy: "):
        assert word in text
    wrong = scene.run("explain", "circular-dependncy").expect(3)
    assert "circular-dependency" in wrong.err
    rules = answer(scene, "explain")["rules"]
    assert {one["id"] for one in rules} == set(DAMAGES)


def test_sarif_is_what_code_hosts_read(scene: Scene) -> None:
    """The log has the form of SARIF 2.1.0: every result names a rule that is described."""
    planned(scene, "dangling-dependency", "title-drift")
    log = json.loads(scene.run("verify", "--sarif").expect(1).out)
    jsonschema.validate(log, SARIF)
    [run] = log["runs"]
    names = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for result in run["results"]:
        assert names[result["ruleIndex"]] == result["ruleId"]
    assert {"dangling-dependency", "title-drift"} <= set(names)
    text = scene.run("verify", "--format", "sarif").expect(1).out
    assert json.loads(text) == log


def test_annotations_stand_beside_the_lines(scene: Scene) -> None:
    """Each finding is one workflow command, whatever its text holds."""
    files = good()
    DAMAGES["title-drift"][0](files)
    files[f"{FOLDER}/TODO_LIST.md"] = files[f"{FOLDER}/TODO_LIST.md"].replace(
        "Feed the seagulls", "Feed 100% of the seagulls"
    )
    scene.write(files)
    scene.commit("the plan")
    [line] = scene.run("verify", "--format", "github").expect(0).out.splitlines()
    assert line.startswith(
        f"::warning file={FOLDER}/TODO_LIST.md,line=6,title=title-drift (MEDIUM)"
    )
    assert line.endswith("Feed 100%25 of the seagulls")


def test_the_report_speaks_the_language_of_the_repository(scene: Scene) -> None:
    """content.language is that of the report, whatever the terminal speaks."""
    planned(scene, "no-acceptance")
    scene.git("config", "wfp.content.language", "zh_CN")
    scene.run("verify").expect(0)
    assert "# 计划验证报告" in scene.read(f"{FOLDER}/.process/PLAN_VERIFICATION.md")


def test_a_link_in_the_place_of_the_report_is_not_followed(scene: Scene, tmp_path: Path) -> None:
    """The verdict stands; the file outside is untouched, and the report is said to be missing."""
    planned(scene)
    outside = tmp_path / "outside.md"
    outside.write_text("mine")
    folder = Path(scene.path, FOLDER, ".process")
    folder.mkdir(exist_ok=True)
    (folder / "PLAN_VERIFICATION.md").symlink_to(outside)
    done = scene.run("verify", "--json").expect(0)
    document = json.loads(done.out)
    assert "report-not-written" in [one["code"] for one in document["diagnostics"]]
    assert outside.read_text() == "mine"


SARIF = {
    "type": "object",
    "required": ["version", "runs", "$schema"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {"type": "object", "required": ["id"]},
                                    }
                                },
                            }
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["message", "ruleId"],
                            "properties": {
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "message": {"type": "object", "required": ["text"]},
                                "ruleIndex": {"type": "integer", "minimum": 0},
                                "partialFingerprints": {
                                    "type": "object",
                                    "additionalProperties": {"type": "string"},
                                },
                                "locations": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "properties": {
                                            "physicalLocation": {
                                                "type": "object",
                                                "required": ["artifactLocation"],
                                                "properties": {
                                                    "region": {
                                                        "type": "object",
                                                        "properties": {
                                                            "startLine": {
                                                                "type": "integer",
                                                                "minimum": 1,
                                                            }
                                                        },
                                                    }
                                                },
                                            },
                                            "logicalLocations": {"type": "array", "minItems": 1},
                                        },
                                    },
                                },
                                "suppressions": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "required": ["kind"],
                                        "properties": {"kind": {"enum": ["inSource", "external"]}},
                                    },
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}
"""The parts of the SARIF 2.1.0 schema (OASIS) that our logs use."""


def test_waiving_again(scene: Scene) -> None:
    """The same again changes nothing, another date takes the place of the first, none is past."""
    planned(scene, "no-acceptance")
    first = answer(scene, "waive", "no-acceptance", "--reason", "a spike")
    assert first["changed"]
    waived = answer(scene, "verify", "--no-write")["sessions"][0]["waived"]
    name = waived[0]["finding"]["id"]
    assert answer(scene, "waive", name, "--reason", "a spike")["changed"] is False
    assert answer(scene, "waive", name, "--reason", "x", "--until", "2999-01-01")["changed"]
    listed = json.loads(scene.read(f"{FOLDER}/.process/waivers.json"))["waivers"]
    assert [one.get("until") for one in listed] == ["2999-01-01"]
    scene.run("waive", name, "--reason", "x", "--until", "2020-01-01").expect(2)
