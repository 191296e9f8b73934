"""The briefing for an agent: short, in English, and true."""

from tests.scene import Scene
from tests.stories.harbour import SESSION, harbour

LIMIT = 40


def test_an_agent_is_briefed(scene: Scene) -> None:
    """Session, where the plan stands, ready tasks, five commands, exit codes: under 40 lines."""
    harbour(scene)
    told = scene.run("prime", env={"LC_ALL": "zh_CN.UTF-8"}).expect(0).out
    ready = scene.run("next", "--json").expect(0).json["data"]["ready"]
    assert f"session: {SESSION}" in told
    assert f"{len(ready)} ready" in told
    assert all(f"  {task['id']}  {task['title']}" in told.splitlines() for task in ready)
    assert told.count("\n  git wfp ") == 5
    assert "  5  changed meanwhile" in told
    assert len(told.splitlines()) < LIMIT
    assert told.isascii()


def test_the_same_for_programs(scene: Scene) -> None:
    """With --json the facts come one by one, and the text as it is printed."""
    harbour(scene)
    data = scene.run("prime", "--json").expect(0).json["data"]
    assert data["text"] + "\n" == scene.run("prime").expect(0).out
    assert (data["session"], data["others"]) == (SESSION, [])
    assert {line["code"] for line in data["exit_codes"]} == {0, 2, 3, 4, 5, 6}


def test_a_large_plan_is_still_a_short_briefing(scene: Scene) -> None:
    """However many tasks and sessions there are, the briefing stays short and says what it left."""
    for number in range(9):
        scene.session("flat", tasks=1, session=f"WFS-other-{number}")
    plan = scene.session("flat", tasks=30, session="WFS-large")
    hostile = {path: text.replace("depends_on", "was_on") for path, text in plan.files.items()}
    scene.write(
        {
            path: text.replace('"title": "', '"title": "\\u001b[31m')
            for path, text in hostile.items()
        }
    )
    told = scene.run("prime", "-s", "WFS-large").expect(0).out
    assert len(told.splitlines()) < LIMIT
    assert " more" in told
    assert "WFS-other-0" in told
    assert "\x1b" not in told
    assert max(map(len, told.splitlines())) <= 100


def test_before_the_first_session(scene: Scene) -> None:
    """Without a session the briefing says how to begin; a wrong name is a refusal."""
    told = scene.run("prime").expect(0).out
    assert "git wfp start" in told
    assert scene.run("prime", "--json").expect(0).json["data"]["session"] is None
    scene.run("prime", "--session", "WFS-nowhere").expect(3)
