"""Real projects are set up, examined and left as they were."""

import json
import shutil
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from gitwfp.cli.main import main
from tests.scene import Scene
from tests.stories.test_json_matrix import schema_errors
from tests.stories.test_setup import contents


def answer(scene: Scene, *words: str) -> Any:
    """Runs a command in this process; returns its JSON document, which fits its schema."""
    out = StringIO()
    with redirect_stdout(out):
        main(["-C", str(scene.path), *words, "--json"])
    document = json.loads(out.getvalue())
    assert schema_errors(document) == []
    return document


def test_real_projects(scene: Scene, corpus: Path, tmp_path: Path) -> None:
    """Init adopts every project without touching a byte, doctor reads it, deinit takes all back."""
    for project in sorted(path for path in corpus.iterdir() if path.is_dir()):
        place = tmp_path / "real" / project.name
        shutil.copytree(project, place)
        here = Scene(place, home=scene.home, init=None)
        here.git("init", "--quiet")
        before = contents(place)
        done = answer(here, "init", "-y")
        assert done["ok"], (project.name, done)
        assert done["data"]["sessions"] or not list(place.rglob(".workflow/active/WFS-*/*"))
        made = contents(place)
        config = str(place / ".git" / "config")
        assert {path for path in before if made[path] != before[path]} <= {config}
        examined = answer(here, "doctor")
        assert examined["kind"] == "doctor"
        assert [
            c for c in examined["data"]["checks"] if "could not be looked at" in c["observed"]
        ] == []
        assert contents(place) == made
        assert answer(here, "deinit", "-y")["ok"]
        assert contents(place) == before
        shutil.rmtree(place)
