"""A request in words through the real command: what it says back, in whose language."""

import json
import re

from tests.scene import Scene
from tests.stories.harbour import assert_clean, harbour

CHINESE = {"LC_ALL": "C.UTF-8", "WFP_UI_LANGUAGE": "zh_CN"}
HAN = re.compile("[\u3400-\u9fff]")
SEVERAL = (
    "split IMPL-2 into Near berths; Far berths. Add task: Harbour map. IMPL-1: must pass lint. "
    "The weather is fine."
)


def test_reasons_are_said_in_the_language_of_the_terminal(scene: Scene) -> None:
    """Reasons, what is assumed and notes are Chinese on a Chinese terminal, also where joined."""
    harbour(scene)
    said = scene.run("replan", SEVERAL, "--dry-run", env=CHINESE).expect(0).text
    for words in (
        "原因：请求要求拆分它",
        "原因：请求要求新增它",
        "原因：新增 1 条验收标准",
        "采用默认值：所有受影响的模块",
        "已略去“The weather is fine”",
    ):
        assert words in said, said
    assert "because" not in said
    assert "the request" not in said


def test_reasons_of_notes_are_said_too(scene: Scene) -> None:
    """Why a dependent gets a note is said in the language of the terminal."""
    harbour(scene)
    words = ("IMPL-1: must pass lint", "--ripple", "yes", "--dry-run")
    said = scene.run("replan", *words, env=CHINESE).expect(0).text
    assert "原因：IMPL-1 有改动，而 IMPL-2 依赖它" in said


def test_what_is_written_stays_in_the_language_of_the_content(scene: Scene) -> None:
    """The commit and the files follow `content.language`, and JSON is English, on any terminal."""
    harbour(scene)
    run = scene.run("replan", SEVERAL, "-y", "--json", env=CHINESE).expect(0)
    reasons = {line["reason"] for line in run.json["data"]["operations"]}
    assert "the request splits it" in reasons
    assert not HAN.search(json.dumps(run.json, ensure_ascii=False))
    assert not HAN.search(scene.git("show", "--format=%B"))
    assert_clean(scene)
