"""The command config: settings listed, read, set, taken out and edited, from every place."""

import os
import stat
from typing import Any

import pytest

from gitwfp.config.keys import KEYS
from gitwfp.flows.configure import _replace
from gitwfp.git.worktree import EditedMeanwhile, Worktree
from tests.scene import Scene
from tests.stories.harbour import harbour

FILE = ".wfp.toml"
TEAM = "# What the team agreed on.\r\n[replan]\r\n  landing = 'ff' # for now\r\n"


def document_of(scene: Scene, *words: str, code: int = 0) -> Any:
    """Runs a command of config with --json and returns its document."""
    return scene.run("config", *words, "--json").expect(code).json


def test_all_settings_with_where_they_come_from(scene: Scene) -> None:
    """List shows every setting; with --show-origin also the place, and never a file's content."""
    scene.write({FILE: "[replan]\nlanding = 'merge'\n[tools.mine]\ncommand = ['secret-words']\n"})
    scene.git("config", "--global", "wfp.lock.timeout", "5")
    env = {"WFP_REPLAN_SIGNOFF": "yes"}
    told = scene.run("config", "list", "--show-origin", env=env).expect(0).out
    lines = [line.split(None, 1) for line in told.splitlines()]
    assert [FILE, 'replan.landing = "merge"'] in lines
    assert ["WFP_REPLAN_SIGNOFF", "replan.signoff = true"] in lines
    assert "wfp.lock.timeout (global)  lock.timeout = 5.0" in told
    assert "tools.codex.command is not set" in told
    document = scene.run("config", "list", "--json", env=env).expect(0).json
    settings = {line["name"]: line for line in document["data"]["settings"]}
    assert settings.keys() >= {key.name for key in KEYS if "*" not in key.name}
    assert settings["tools.mine.command"]["value"] == ["secret-words"]
    assert settings["lock.timeout"]["scope"] == "global"
    assert settings["limits.max_tasks"]["origin"] == "default"
    plain = scene.run("config", "list").expect(0).out
    assert 'replan.landing = "merge"' in plain.splitlines()


def test_one_value(scene: Scene) -> None:
    """Get prints a value as one types it, and exits with 1 where there is none."""
    scene.write({FILE: "[tools.codex]\ncommand = ['codex', 'exec']\n"})
    assert scene.run("config", "get", "replan.landing").expect(0).out == "ff\n"
    assert scene.run("config", "get", "replan.signoff").expect(0).out == "false\n"
    got = scene.run("config", "get", "tools.codex.command").expect(0).out
    assert got == '["codex", "exec"]\n'
    assert scene.run("config", "get", "tools.qwen.command").expect(1).out == ""
    assert scene.run("config", "get", "tools.new.enabled").expect(0).out == "true\n"


@pytest.mark.parametrize(
    ("name", "near"), [("replan.on-dirty", "replan.on_dirty"), ("max_tasks", "limits.max_tasks")]
)
@pytest.mark.parametrize("words", [("get",), ("unset",), ("set", "x")])
def test_an_unknown_name(scene: Scene, words: tuple[str, ...], name: str, near: str) -> None:
    """F-CF-02: a slip in a name is refused with the nearest name that is known."""
    verb, *value = words
    assert f"Did you mean: {near}?" in scene.run("config", verb, name, *value).expect(3).err
    assert not (scene.path / FILE).exists()


def test_misspelt_keys_are_told(scene: Scene) -> None:
    """F-CF-02: a name that is not known is a warning with file, line and the nearest name."""
    scene.write({FILE: "[lock]\ntime-out = 1\n[limit]\n"})
    told = scene.run("config", "list").expect(0).err
    assert f"{FILE}:2:" in told
    assert "The nearest known name is lock.timeout." in told
    assert f"{FILE}:3:" in told


def test_set_and_unset_leave_nothing_behind(scene: Scene) -> None:
    """Set writes one line; unset takes it away; nothing is staged and nothing committed."""
    scene.write({FILE: TEAM})
    scene.commit("settings")
    (scene.path / FILE).chmod(0o640)
    head = scene.git("rev-parse", "HEAD")
    told = scene.run("config", "set", "replan.signoff", "on").expect(0).out
    assert told == f"replan.signoff is true now, in {FILE}.\n"
    assert scene.read(FILE) == TEAM + "  signoff = true\r\n"
    assert stat.S_IMODE((scene.path / FILE).stat().st_mode) == 0o640
    assert scene.git("status", "--porcelain") == f" M {FILE}"
    assert scene.git("rev-parse", "HEAD") == head
    assert "Nothing changed" in scene.run("config", "set", "replan.signoff", "yes").expect(0).out
    assert scene.run("config", "unset", "replan.signoff").expect(0).out
    assert scene.read(FILE) == TEAM
    assert document_of(scene, "unset", "replan.signoff")["data"]["changed"] is False
    assert sorted(os.listdir(scene.path)) == [".git", FILE]


def test_a_dry_run_writes_nothing(scene: Scene) -> None:
    """A dry run says what would change, in the file and in git's configuration."""
    for words in ((), ("--local",), ("--global",)):
        told = scene.run("config", "set", "lock.timeout", "3", "--dry-run", *words).expect(0).out
        assert "would be 3.0" in told
        assert scene.run("config", "get", "lock.timeout").expect(0).out == "2.0\n"
    assert not (scene.path / FILE).exists()


def test_git_holds_settings_too(scene: Scene) -> None:
    """With --local and --global it is git's configuration that is changed, by git."""
    scene.run("config", "set", "replan.on_dirty", "refuse", "--local").expect(0)
    assert scene.git("config", "--local", "wfp.replan.onDirty") == "refuse"
    scene.run("config", "set", "replan.planner", "-x", "--global").expect(2)
    scene.run("config", "set", "--global", "--", "replan.planner", "-x").expect(0)
    assert scene.git("config", "--global", "wfp.replan.planner") == "-x"
    scene.git("config", "--local", "--add", "wfp.replan.onDirty", "checkpoint")
    told = scene.run("config", "set", "replan.landing", "merge").expect(0)
    assert told.err == ""
    told = scene.run("config", "set", "replan.on_dirty", "refuse").expect(0)
    assert "wfp.replan.ondirty decides on replan.on_dirty: checkpoint is in force." in told.err
    scene.run("config", "unset", "replan.on_dirty", "--local").expect(0)
    scene.git("config", "--local", "wfp.replan.onDirty", ok=(1,))
    assert scene.run("config", "get", "replan.on_dirty").expect(0).out == "refuse\n"
    assert document_of(scene, "unset", "replan.on_dirty", "--local")["data"]["changed"] is False
    scene.run("config", "set", "lock.timeout", "1", "--local", "--global").expect(2)


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("replan.landing", "rebase", 'one of "ff", "merge", "manual"'),
        ("limits.max_tasks", "0", "a whole number, at least 1"),
        ("tools.codex.command", "codex exec", "a list of texts"),
        ("replan.signoff", "maybe", "true or false"),
    ],
)
def test_a_value_that_cannot_be(scene: Scene, name: str, value: str, allowed: str) -> None:
    """A value that a setting cannot have is refused with what it can have, wherever it goes."""
    for words in ((), ("--local",)):
        assert (
            f"it must be {allowed}" in scene.run("config", "set", name, value, *words).expect(2).err
        )
    assert not (scene.path / FILE).exists()


def test_a_broken_file_is_mended_but_not_broken_further(scene: Scene) -> None:
    """A bad value can be set right; while another one is bad, nothing is written."""
    scene.write({FILE: "[lock]\ntimeout = -1\n"})
    scene.run("status").expect(2)
    scene.run("config", "set", "replan.landing", "merge").expect(2)
    assert scene.read(FILE) == "[lock]\ntimeout = -1\n"
    scene.run("config", "set", "lock.timeout", "1").expect(0)
    assert scene.read(FILE) == "[lock]\ntimeout = 1.0\n"


@pytest.mark.parametrize("kind", ["link", "folder"])
def test_what_is_no_file_is_not_written(scene: Scene, kind: str) -> None:
    """F-CF-03: a link stays a link and its target as it is; a folder stays too."""
    place, target = scene.path / FILE, scene.path.parent / "dotfiles.toml"
    target.write_bytes(TEAM.encode())
    target.chmod(0o600)
    if kind == "link":
        place.symlink_to(target)
    else:
        place.mkdir()
    told = scene.run("config", "set", "lock.timeout", "1").expect(6).err
    assert f"{FILE} is a link, a folder or a device, not a file." in told
    scene.run("config", "edit").expect(6)
    assert place.is_symlink() == (kind == "link")
    assert target.read_bytes() == TEAM.encode()
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_settings_of_the_home_folder_stay_there(scene: Scene) -> None:
    """F-CF-04: nothing above the repository is read as its settings, nor written to."""
    home = scene.path.parent
    (home / FILE).write_text("[replan]\nlanding = 'manual'\n")
    (home / ".workflow" / "active").mkdir(parents=True)
    scene.write({"deep/er/x": "x"})
    assert scene.run("config", "get", "replan.landing", cwd="deep/er").expect(0).out == "ff\n"
    scene.run("config", "set", "replan.landing", "merge", cwd="deep/er").expect(0)
    assert scene.read(FILE) == '[replan]\nlanding = "merge"\n'
    assert (home / FILE).read_text() == "[replan]\nlanding = 'manual'\n"
    (home / "outside").mkdir()
    outside = scene.beside("outside")
    outside.run("config", "list").expect(6)
    outside.run("config", "set", "replan.landing", "merge").expect(6)
    assert sorted(os.listdir(home / "outside")) == []


def test_a_bare_repository_is_read(scene: Scene) -> None:
    """In a bare repository the settings of HEAD are shown; the file cannot be set there."""
    scene.write({FILE: "[replan]\nlanding = 'merge'\n"})
    scene.commit("settings")
    bare = scene.clone("bare.git", "--bare")
    assert bare.run("config", "get", "replan.landing").expect(0).out == "merge\n"
    assert bare.run("config", "list", "--show-origin").expect(0).out.startswith("default")
    bare.run("config", "set", "replan.landing", "ff").expect(6)
    bare.run("config", "edit").expect(6)
    bare.run("config", "set", "replan.landing", "manual", "--local").expect(0)
    assert bare.run("config", "get", "replan.landing").expect(0).out == "manual\n"


def test_linked_worktrees_have_their_own_file(scene: Scene) -> None:
    """The file is the one of the worktree that one stands in."""
    harbour(scene)
    scene.git("worktree", "add", "--quiet", "--detach", str(scene.path.parent / "linked"))
    linked = scene.beside("linked")
    linked.run("config", "set", "lock.timeout", "1").expect(0)
    assert not (scene.path / FILE).exists()
    assert linked.read(FILE) == "[lock]\ntimeout = 1.0\n"


def test_without_a_terminal_no_editor(scene: Scene) -> None:
    """Where nobody sits, edit opens nothing and says what to do instead."""
    told = scene.run("config", "edit", env={"GIT_EDITOR": "touch opened"}).expect(2).err
    assert "git wfp config set" in told
    assert document_of(scene, "edit", code=2)["kind"] == "error"
    assert not (scene.path / "opened").exists()


def test_an_editor_is_the_one_of_git(scene: Scene) -> None:
    """Edit opens git's editor, checks what was saved, and leaves it as it is even if it is bad."""
    scene.git("config", "core.editor", "printf '[lock]\\ntimeout = 1\\n' >>")
    assert "is changed" in scene.run("config", "edit", tty=True).expect(0).out
    assert scene.read(FILE) == "[lock]\ntimeout = 1\n"
    told = scene.run("config", "edit", tty=True, env={"GIT_EDITOR": "true"}).expect(0).out
    assert "Nothing changed." in told
    told = scene.run("config", "edit", tty=True).expect(2).out
    assert f"{FILE}:3" in told
    assert "stays as you saved it" in told
    assert scene.read(FILE) == "[lock]\ntimeout = 1\n" * 2
    told = scene.run("config", "edit", tty=True, env={"GIT_EDITOR": "false"}).expect(6).out
    assert "The editor false ended with exit code 1." in told


def test_config_alone_explains_itself(scene: Scene) -> None:
    """Without a verb the help is shown; it is a usage error, as everywhere."""
    told = scene.run("config").expect(2).err
    for verb in ("list", "get", "set", "unset", "edit"):
        assert f"    {verb} " in told


def test_who_saves_meanwhile_wins(scene: Scene) -> None:
    """A file that was saved, or made, after it was read stays as that person saved it."""
    place = scene.path / FILE
    files = Worktree(str(scene.path), "tag")
    place.write_text("# saved meanwhile\n")
    for seen in (None, b"# as it was read\n"):
        with pytest.raises(EditedMeanwhile):
            _replace(files, seen, b"# ours\n")
        assert place.read_text() == "# saved meanwhile\n"
        assert sorted(os.listdir(scene.path)) == [".git", FILE]


def test_a_disk_that_refuses_leaves_the_file(scene: Scene) -> None:
    """Where the folder cannot be written, the file stays and the refusal says so."""
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    scene.write({FILE: TEAM})
    scene.path.chmod(0o555)
    try:
        told = scene.run("config", "set", "replan.signoff", "true").expect(6).err
    finally:
        scene.path.chmod(0o755)
    assert f"{FILE} cannot be written" in told
    assert scene.read(FILE) == TEAM
