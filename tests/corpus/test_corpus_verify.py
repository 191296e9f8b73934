"""Every real session is verified: by rules that end, with findings that say where."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from gitwfp.cli.main import main
from gitwfp.model.findings import Level
from gitwfp.verify.run import find_rule, rules
from tests.corpus.folders import folder_names, make_repository, read_folder
from tests.stories.test_json_matrix import schema_errors

FEW = 16
"""A session may have so many findings that stop it; more would be a rule that finds too much."""


def answer(place: Path, *words: str) -> tuple[int, Any]:
    """Runs a command in this process; returns its exit code and its document."""
    out = StringIO()
    with redirect_stdout(out):
        code = main(["-C", str(place), *words, "--json"])
    return code, json.loads(out.getvalue())


def places(path: Path) -> Iterator[Path]:
    """Yields a folder for each workspace of the projects of today, as repositories."""
    for name in (name for name in folder_names() if "/" not in name):
        folder = read_folder(name)
        place = path / name
        make_repository(folder, place)
        for workspace in sorted({ref.workspace for ref in folder.sessions}):
            yield (place / workspace).parent


@pytest.mark.timeout(300)
def test_every_session_is_verified(corpus: Path, tmp_path: Path) -> None:
    """None fails but for want of a plan, and worktree and commit are judged the same."""
    assert corpus.is_dir()
    decisions: Counter[str] = Counter()
    found: Counter[tuple[str, str]] = Counter()
    for place in places(tmp_path):
        code, document = answer(place, "verify", "--all", "--no-write")
        assert code in (0, 1), (place, document)
        assert schema_errors(document) == []
        refused = [one for one in document["diagnostics"] if one["severity"] == "error"]
        assert {one["code"] for one in refused} <= {"no-task", "no-impl-plan"}
        decisions.update(one["code"] for one in refused)
        for session in document["data"]["sessions"]:
            decisions[session["decision"]] += 1
            stopping = [
                one for one in session["findings"] if one["severity"] in ("CRITICAL", "HIGH")
            ]
            assert len(stopping) <= FEW, (place, session["session"], stopping)
            for one in session["findings"]:
                found[one["severity"], one["rule"]] += 1
                where = one["location"]
                assert find_rule(one["rule"]) is not None
                assert where["session"] == session["session"]
                assert where["task"] or where["path"] or one["rule"]
                assert one["message"].strip()
                assert one["recommendation"]
        _, again = answer(place, "verify", "--all", "--at", "HEAD")
        assert findings(again) == findings(document)
    assert decisions.total() > 40
    assert len({rule for _, rule in found}) > len(rules()) // 3
    assert {level for level, _ in found} == {level.value for level in Level}


def findings(document: Any) -> list[list[str]]:
    """Returns the ids of what was found in each session."""
    return [[one["id"] for one in session["findings"]] for session in document["data"]["sessions"]]
