"""Init and deinit: what is made is taken back byte for byte, and what is there is left alone."""

import hashlib
import json
import os
import signal
import stat
import subprocess
import sys
import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from gitwfp.cli.main import main
from gitwfp.config import Settings, load
from gitwfp.config.keys import KEYS, TOOLS
from gitwfp.git.setup import STEPS
from tests.conftest import ROOT
from tests.plans import plan_folder
from tests.scene import Run, Scene
from tests.stories.dialogue import conversation
from tests.stories.harbour import FOLDER, SESSION, harbour, need, replanned

MADE = [".workflow", ".workflow/.gitattributes", ".wfp.toml"]


def everything(*folders: Path) -> dict[str, tuple[object, ...]]:
    """Returns every file, folder and link below some folders; a file with bytes and file time."""
    found: dict[str, tuple[object, ...]] = {}
    for folder in folders:
        for parent, names, files in os.walk(folder):
            for name in [*names, *files]:
                path = Path(parent, name)
                facts = path.lstat()
                mode = facts.st_mode
                if stat.S_ISLNK(mode):
                    found[str(path)] = ("link", str(path.readlink()))
                elif stat.S_ISREG(mode):
                    found[str(path)] = (mode, path.read_bytes(), facts.st_mtime_ns)
                else:
                    found[str(path)] = (mode,)
    return found


def init(scene: Scene, *words: str, **more: Any) -> Any:
    """Runs init; returns the data of its JSON document."""
    return scene.run("init", "--json", *words, **more).expect(0).json["data"]


def deinit(scene: Scene, *words: str, **more: Any) -> Any:
    """Runs deinit; returns the data of its JSON document."""
    return scene.run("deinit", "-y", "--json", *words, **more).expect(0).json["data"]


def quick(scene: Scene, *words: str) -> Any:
    """Runs a command in this process; returns the data of its JSON document."""
    out = StringIO()
    with redirect_stdout(out):
        assert main(["-C", str(scene.path), *words, "--json"]) == 0, out.getvalue()
    return json.loads(out.getvalue())["data"]


def answered(scene: Scene, *words: str) -> tuple[int, Any]:
    """Runs a command in this process; returns its exit code and its JSON document."""
    out = StringIO()
    with redirect_stdout(out):
        code = main(["-C", str(scene.path), *words, "--json"])
    return code, json.loads(out.getvalue())


def paths(data: Any) -> list[str]:
    """Returns the paths of the steps of an answer that are about files of the worktree."""
    return [step["path"] for step in data["steps"] if step["kind"] in ("file", "folder")]


def codes(run: Run) -> list[str]:
    """Returns the codes of the diagnostics of a document."""
    return [diagnostic["code"] for diagnostic in run.json["diagnostics"]]


# --------------------------------------------------------------- kinds of repositories


def no_commits(scene: Scene) -> Scene:
    """An unborn branch."""
    return scene


def with_commits(scene: Scene) -> Scene:
    """A project, staged and dirty files, a stash."""
    scene.write({"src/app.py": "print(1)\n", "a.txt": "a\n"})
    scene.commit("first")
    scene.write({"a.txt": "stashed\n"})
    scene.git("stash", "--quiet")
    scene.write({"a.txt": "dirty\n", "b.txt": "staged\n", "c.txt": "untracked\n"})
    scene.git("add", "b.txt")
    return scene


def husky(scene: Scene) -> Scene:
    """Hooks in `.husky/`, as husky installs them."""
    scene.write(
        {
            ".husky/pre-push": "npm test\n",
            ".husky/_/.gitignore": "*\n",
            ".husky/_/husky.sh": "#!/bin/sh\n",
            "package.json": '{"scripts": {"prepare": "husky"}}\n',
        }
    )
    scene.git("config", "core.hooksPath", ".husky/_")
    scene.commit("husky")
    return scene


def hooks_elsewhere(scene: Scene) -> Scene:
    """`core.hooksPath` leads out of the repository."""
    hooks = scene.path.parent / "hooks"
    hooks.mkdir()
    (hooks / "pre-push").write_text("#!/bin/sh\nexit 1\n")
    scene.git("config", "core.hooksPath", str(hooks))
    return with_commits(scene)


def hidden_by_the_user(scene: Scene) -> Scene:
    """The user's own ignore file hides all folders that begin with a dot."""
    (scene.home / "ignore").write_text(".*\n!.gitignore\n*.json\n")
    scene.git("config", "--global", "core.excludesFile", str(scene.home / "ignore"))
    return with_commits(scene)


def crlf(scene: Scene) -> Scene:
    """Settings and ignore rules with CRLF, and no end of the last line."""
    scene.git("config", "core.autocrlf", "true")
    scene.write(
        {
            ".wfp.toml": "# ours\r\n[replan]\r\nkeep_branches = 3",
            ".gitignore": "*.log\r\n/.workflow/\r\n*.tmp",
        }
    )
    scene.commit("crlf")
    return scene


def linked_worktree(scene: Scene) -> Scene:
    """A linked worktree."""
    with_commits(scene)
    scene.git("worktree", "add", "--quiet", "-b", "side", "../linked")
    return scene.beside("linked")


def submodule(scene: Scene) -> Scene:
    """A submodule of another repository."""
    scene.write({"x": "x\n"})
    scene.commit("x")
    outer = Scene(scene.path.parent / "outer", home=scene.home)
    outer.git("submodule", "--quiet", "add", str(scene.path), "inner")
    outer.commit("with a submodule")
    return scene.beside("outer/inner")


def read_only_hooks(scene: Scene) -> Scene:
    """A hooks folder that nobody may write into."""
    with_commits(scene)
    hooks = scene.path / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    hooks.chmod(0o555)
    return scene


def hidden_in_this_clone(scene: Scene) -> Scene:
    """`.git/info/exclude` hides `.workflow`."""
    with_commits(scene)
    exclude = scene.path / ".git" / "info" / "exclude"
    exclude.parent.mkdir(exist_ok=True)
    exclude.write_text("/.workflow\n")
    return scene


def used_already(scene: Scene) -> Scene:
    """Other commands have left their things in the git folder."""
    harbour(scene)
    replanned(scene, need("IMPL-3", "Show the price"))
    scene.run("use", SESSION).expect(0)
    return scene


KINDS = (
    no_commits,
    with_commits,
    husky,
    hooks_elsewhere,
    hidden_by_the_user,
    crlf,
    linked_worktree,
    submodule,
    read_only_hooks,
    hidden_in_this_clone,
    used_already,
)


@pytest.mark.parametrize("kind", KINDS)
def test_there_and_back(scene: Scene, kind: Callable[[Scene], Scene]) -> None:
    """After init and deinit the whole tree and the git folders are what they were, byte by byte."""
    place = kind(scene)
    # Whatever git itself notes on the way to an answer is noted before.
    place.git("status")
    before = everything(scene.path.parent)
    done = init(place, "-y")
    assert done["changed"]
    assert done["written"]
    assert done["ignored"] is None
    assert place.git("check-ignore", "--no-index", f"{FOLDER}/.task/I.json", ok=(1,)) == ""
    made = everything(scene.path.parent)
    rewritten = {path for path in before if Path(path).name in (".gitignore", "config")}
    assert {p for p in before if made.get(p) != before[p]} <= rewritten
    assert not quick(place, "init")["changed"]
    assert everything(scene.path.parent) == made
    back = deinit(place)
    assert back["written"]
    after = everything(scene.path.parent)
    # A file that was changed and restored has its bytes and its mode back, not its time.
    assert {path: facts[:2] for path, facts in after.items()} == {
        path: facts[:2] for path, facts in before.items()
    }
    assert {p for p in before if before[p] != after[p]} <= rewritten
    assert not quick(place, "deinit", "-y")["changed"]


def era(number: str) -> dict[str, str]:
    """Returns the files of a session as an era of the original tool left them."""
    if number == "E0":
        return {
            ".workflow/session_status.jsonl": '{"session": "WFS-old", "status":"active"}\n',
            ".workflow/WFS-old/.task/impl-1.json": '{"id": "impl-1", "title": "One"}\n',
            ".workflow/WFS-old/IMPL_PLAN.md": "# Plan\n",
        }
    folder = {
        "E1": ".workflow/WFS-old",
        "E2": ".workflow/sessions/WFS-old",
        "E3": ".workflow/active/WFS-old",
        "E4": ".workflow/active/WFS-old",
        "lite": ".workflow/.lite-plan/old-2026-01-05",
        "archived": ".workflow/.archives/WFS-old",
    }[number]
    shape = {"E4": "flat", "lite": "lite"}.get(number, "nested")
    plan = plan_folder(shape, 3)  # type: ignore[arg-type]  # one of the three
    files = {path.replace(plan.path, folder): text for path, text in plan.files.items()}
    if number == "E1":
        files[".workflow/.active-WFS-old"] = ""
    return files


@pytest.mark.parametrize("number", ["E0", "E1", "E2", "E3", "E4", "lite", "archived"])
def test_plans_of_every_era_are_adopted(scene: Scene, number: str) -> None:
    """What the original tool left is named and not touched, neither by init nor by deinit."""
    scene.write(era(number))
    scene.write({".workflow/.scratchpad/notes.txt": "x\r\n"})
    before = everything(scene.path)
    done = init(scene)
    (session,) = done["sessions"]
    assert session["folder"] in next(iter(f for f in era(number) if session["id"] in f))
    assert session["tasks"] == (1 if number == "E0" else 3)
    assert paths(done) == [".wfp.toml", ".workflow/.gitattributes"]
    assert done["next"] == ('git wfp start "..."' if number == "archived" else "git wfp status")
    told = scene.run("init").expect(0).out
    assert session["folder"] in told
    after = everything(scene.path)
    config = str(scene.path / ".git" / "config")
    assert {p for p in before if after[p] != before[p]} == {config}
    deinit(scene)
    back = everything(scene.path)
    assert {p for p in before if back.pop(p) != before[p]} == {config}
    assert back == {}


def test_what_init_says_and_makes(scene: Scene) -> None:
    """The folder, its attributes and a settings file of mere defaults; then the next step."""
    run = scene.run("init").expect(0)
    assert [line.partition(" ")[0] for line in run.out.splitlines()[:3]] == MADE
    assert run.out.splitlines()[-1] == 'Next: git wfp start "..."'
    assert run.err == ""
    assert scene.git("ls-files") == ""
    assert (
        scene.git("check-attr", "text", "eol", "--", f"{FOLDER}/IMPL_PLAN.md").count("unspecified")
        == 2
    )
    loaded = load(scene.read(".wfp.toml").encode(), {}, {})
    assert loaded.settings == Settings()
    assert loaded.diagnostics == ()
    again = scene.run("init").expect(0)
    assert again.out.startswith("Nothing to do")


def test_the_settings_file_shows_every_default(scene: Scene) -> None:
    """With the marks taken away it sets each setting but those of tools, to its default."""
    init(scene)
    lines = scene.read(".wfp.toml").splitlines()
    shown = [line.removeprefix("# ") for line in lines if "=" in line or line.startswith("# [")]
    values = tomllib.loads("\n".join(line for line in shown if not line.endswith(".")))
    found = {f"{table}.{key}": value for table in values for key, value in values[table].items()}
    assert found == {key.name: key.default for key in KEYS if key.path[0] != TOOLS}
    assert load("\n".join(shown[0:0]).encode(), {}, {}).settings == Settings()


def test_a_dry_run_writes_nothing(scene: Scene) -> None:
    """Both commands tell what they would do and leave everything as it is."""
    scene.write({".gitignore": ".workflow/\n"})
    before = everything(scene.path)
    told = init(scene, "-y", "--dry-run")
    assert paths(told) == [*MADE, ".gitignore"]
    assert not told["written"]
    assert "would be made" in scene.run("init", "--dry-run").expect(0).out
    assert everything(scene.path) == before
    init(scene, "-y")
    made = everything(scene.path)
    back = deinit(scene, "--dry-run")
    assert back["changed"]
    assert not back["written"]
    assert "would be as it was" in scene.run("deinit", "--dry-run").expect(0).out
    assert everything(scene.path) == made


def test_from_a_subfolder_and_through_an_alias(scene: Scene) -> None:
    """F-CL-02: wherever one stands, one `.workflow` at the root, unless a package has its own."""
    scene.write({"src/deep/x.py": "x\n"})
    assert init(scene, cwd="src/deep")["workspace"] == ".workflow"
    deinit(scene, cwd="src")
    scene.git("-c", "alias.p=!git-wfp", "-C", "src/deep", "p", "init")
    assert [path.parent for path in scene.path.rglob(".workflow")] == [scene.path]
    scene.session("nested", 2, root="packages/web/")
    assert init(scene, cwd="packages/web")["workspace"] == "packages/web/.workflow"


def test_a_home_with_a_workspace(scene: Scene, home: Path) -> None:
    """F-CF-04: nothing above the repository is adopted, imported, read as settings or written."""
    above = scene.path.parent
    files = {
        ".workflow/active/WFS-home/.task/IMPL-1.json": '{"id": "IMPL-1", "title": "Home"}\n',
        ".wfp.toml": "[replan]\nplanner = 1\n",
        ".claude/cli-tools.json": '{"tools": {"opencode": {"enabled": true}}}\n',
    }
    for folder in (above, home):
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
    outside = above / "outside"
    outside.mkdir()
    before = everything(above / ".workflow", above / ".claude", home, outside)
    done = init(scene)
    assert done["sessions"] == []
    assert done["tools"] == {}
    assert scene.beside("outside").run("init").expect(6).err
    deinit(scene)
    assert everything(above / ".workflow", above / ".claude", home, outside) == before


def test_misspelt_settings_are_named(scene: Scene) -> None:
    """F-CF-02: unknown settings are named with the nearest one, bad ones too; init goes on."""
    scene.write({".wfp.toml": "[replan]\nkeep-branches = 3\n[limit]\nmax_tasks = 3\n"})
    run = scene.run("init", "--json").expect(0)
    hints = [d["hint"] for d in run.json["diagnostics"] if d["code"] == "unknown-setting"]
    assert any("keep_branches" in hint for hint in hints)
    scene.write({".wfp.toml": "[replan]\nkeep_branches = -1\n"})
    run = scene.run("init", "--json").expect(0)
    assert "bad-setting" in codes(run)
    assert scene.read(".wfp.toml") == "[replan]\nkeep_branches = -1\n"


def test_a_settings_file_that_is_a_link(scene: Scene, home: Path) -> None:
    """F-CF-03: a link in the place of the settings stays a link, and is said not to be read."""
    (home / "dotfiles.toml").write_text("[replan]\nsignoff = true\n")
    (scene.path / ".wfp.toml").symlink_to(home / "dotfiles.toml")
    run = scene.run("init", "--json").expect(0)
    assert "settings-not-a-file" in codes(run)
    deinit(scene)
    assert (scene.path / ".wfp.toml").readlink() == home / "dotfiles.toml"


def test_tools_are_imported(scene: Scene) -> None:
    """A project's `cli-tools.json` becomes settings: names and states, and no command."""
    tools = {
        "gemini": {"enabled": True, "command": "gemini"},
        "qwen": {"enabled": False},
        "opencode": {"type": "builtin"},
        "a b; rm": {"enabled": True},
    }
    scene.write({".claude/cli-tools.json": {"version": "1.0.0", "tools": tools}})
    done = init(scene)
    assert done["tools"] == {"opencode": True, "qwen": False}
    settings = load(scene.read(".wfp.toml").encode(), {}, {}).settings
    assert settings.tools["opencode"].enabled
    assert not settings.tools["qwen"].enabled
    assert settings.tools["opencode"].command is None
    assert not init(scene)["changed"]
    scene.write({".wfp.toml": "# mine\n"})
    run = scene.run("init", "--json").expect(0)
    assert codes(run) == ["tools-not-imported"]
    assert scene.read(".wfp.toml") == "# mine\n"


def test_a_tool_list_that_cannot_be_read(scene: Scene) -> None:
    """A broken list is named with its line, and the rest is done."""
    scene.write({".claude/cli-tools.json": '{\n "tools": {,}\n}\n'})
    run = scene.run("init", "--json").expect(0)
    (told,) = run.json["diagnostics"]
    assert told["location"]["path"] == ".claude/cli-tools.json"
    assert told["location"]["line"] == 2
    assert run.json["data"]["changed"]


# ------------------------------------------------------------------------- ignore rules


def test_an_ignore_rule_is_named(scene: Scene) -> None:
    """F-RP-08: rule, file and line are named, and the exception is written only when wanted."""
    scene.write({".gitignore": "*.log\n.workflow/\n"})
    run = scene.run("init", "--json").expect(0)
    ignored = run.json["data"]["ignored"]
    assert (ignored["source"], ignored["line"], ignored["pattern"]) == (
        ".gitignore",
        2,
        ".workflow/",
    )
    assert ignored["exception"] == ["!/.workflow/"]
    assert codes(run) == ["workspace-ignored"]
    assert scene.read(".gitignore") == "*.log\n.workflow/\n"
    told = scene.run("init").expect(0)
    assert "rule .workflow/ in .gitignore, line 2" in told.err
    assert paths(init(scene, "-y")) == [".gitignore", ".workflow/.gitattributes"]
    assert scene.read(".gitignore").endswith("\n!/.workflow/\n")
    scene.run("start", "Sell ice").expect(0)


@pytest.mark.parametrize(
    ("rules", "lines"),
    [
        (".workflow\n", ["!/.workflow/"]),
        (".*\n", ["!/.workflow/", "!/.workflow/**"]),
        ("/.workflow/*\n", ["!/.workflow/", "!/.workflow/**"]),
        ("*.json\n", ["!/.workflow/", "!/.workflow/**"]),
        (".workflow/\n*.md\n", ["!/.workflow/", "!/.workflow/**"]),
    ],
)
def test_the_fewest_lines_that_help(scene: Scene, rules: str, lines: list[str]) -> None:
    """The exception is as narrow as the rules allow, and git then sees every plan file."""
    scene.write({".gitignore": rules})
    assert quick(scene, "init")["ignored"]["exception"] == lines
    quick(scene, "init", "-y")
    scene.session("nested", 3)
    listed = scene.git("ls-files", "--others", "--exclude-standard", ".workflow").splitlines()
    assert len(listed) == len(list(plan_folder("nested", 3).files)) + 1


def test_a_rule_that_no_line_helps_against(scene: Scene) -> None:
    """Where a folder above is ignored, or the plans ignore themselves, no line is offered."""
    scene.write({".gitignore": "packages/\n"})
    scene.session("nested", 2, root="packages/web/")
    run = scene.run("init", "-y", "--json", cwd="packages/web").expect(0)
    assert run.json["data"]["ignored"]["exception_file"] is None
    scene.write({".gitignore": "", ".workflow/.gitignore": "*\n"})
    run = scene.run("init", "-y", "--json").expect(0)
    assert run.json["data"]["ignored"]["source"] == ".workflow/.gitignore"
    assert run.json["data"]["ignored"]["exception_file"] is None
    assert scene.read(".workflow/.gitignore") == "*\n"


def test_on_a_terminal_the_exception_is_asked_for(scene: Scene) -> None:
    """The question names file and line; no is the default, and yes writes it."""
    scene.write({".gitignore": ".workflow/\n"})
    code, said = conversation(scene, "init", answers=["\n"])
    assert code == 0
    assert "Add an exception to .gitignore: !/.workflow/?" in said
    assert scene.read(".gitignore") == ".workflow/\n"
    code, said = conversation(scene, "init", answers=["y\n"])
    assert code == 0
    assert "!/.workflow/" in scene.read(".gitignore")


# ------------------------------------------------------------------------------ refusals


def test_where_no_plans_can_live(scene: Scene, tmp_path: Path) -> None:
    """A bare repository, a link, a file or a submodule in the place of the folder: 6, in a line."""
    scene.write({"x": "x\n"})
    scene.commit("x")
    bare = scene.clone("bare.git", "--bare")
    before = everything(bare.path)
    for command in ("init", "deinit"):
        assert "has no worktree" in bare.run(command, "-y").expect(6).err
    assert everything(bare.path) == before
    (tmp_path / "elsewhere").mkdir()
    folder = scene.path / ".workflow"
    folder.symlink_to(tmp_path / "elsewhere")
    assert ".workflow is no folder" in scene.run("init").expect(6).err
    folder.unlink()
    folder.write_text("a file\n")
    assert ".workflow is no folder" in scene.run("init").expect(6).err
    folder.unlink()
    scene.git("submodule", "--quiet", "add", str(bare.path), ".workflow")
    assert ".workflow is no folder" in scene.run("init").expect(6).err
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_an_ignore_file_that_is_a_link(scene: Scene, tmp_path: Path) -> None:
    """An ignore file that is a link is not written through."""
    (tmp_path / "ignores").write_text(".workflow/\n")
    scene.git("config", "core.excludesFile", str(tmp_path / "ignores"))
    (scene.path / ".gitignore").symlink_to(tmp_path / "ignores")
    done = init(scene, "-y")
    assert done["ignored"]["exception_file"] is None
    assert (tmp_path / "ignores").read_text() == ".workflow/\n"


def test_a_disk_that_does_not_take_it(scene: Scene) -> None:
    """A failure half-way puts back what was done: the folder is made first, the settings fail."""
    scene.write({"x": "x\n"})
    before = everything(scene.path)
    script = (
        "import sys\n"
        "from gitwfp.cli.main import main\n"
        "from gitwfp.git import setup\n"
        "seen = []\n"
        "def hook(name):\n"
        "    seen.append(name)\n"
        "    if seen.count('placed') == 2: raise OSError(28, 'No space left', 'disk')\n"
        "setup.no_hook = hook\n"
        "sys.exit(main())\n"
    )
    run = scene.python("-c", script, "init").expect(6)
    assert "No space left" in run.err
    assert everything(scene.path) == before


# -------------------------------------------------------------------------------- deinit


def test_deinit_needs_a_yes(scene: Scene) -> None:
    """Without a terminal it needs --yes: 2; a person is asked, and no is the default."""
    init(scene)
    made = everything(scene.path)
    run = scene.run("deinit").expect(2)
    assert "--yes" in run.err
    code, said = conversation(scene, "deinit", answers=["\n"])
    assert code == 1
    assert ".wfp.toml" in said
    assert everything(scene.path) == made
    code, _ = conversation(scene, "deinit", answers=["y\n"])
    assert code == 0
    assert not (scene.path / ".workflow").exists()


def test_what_was_changed_since_stays(scene: Scene) -> None:
    """Edited files and a folder with plans are named and left; the rest goes, and the receipt."""
    scene.write({".gitignore": ".workflow/\n"})
    init(scene, "-y")
    scene.write({".wfp.toml": scene.read(".wfp.toml") + "[ui]\nlanguage = 'en'\n"})
    plan = scene.session("nested", 2)
    run = scene.run("deinit", "-y", "--json").expect(0)
    fates = {step["path"]: step["action"] for step in run.json["data"]["steps"]}
    assert fates == {
        ".git/hooks/pre-push": "remove",
        "merge.wfp.driver": "remove",
        ".workflow/.gitattributes": "remove",
        ".wfp.toml": "keep",
        ".gitignore": "restore",
        ".workflow": "keep",
    }
    assert codes(run) == ["left-as-it-is", "left-as-it-is"]
    assert (scene.path / plan.path).is_dir()
    assert scene.read(".gitignore") == ".workflow/\n"
    assert not (scene.path / ".git" / "wfp").exists()
    assert not deinit(scene)["changed"]


def test_what_is_gone_already(scene: Scene) -> None:
    """What somebody has removed by hand is said to be gone, and a second init makes it again."""
    init(scene)
    (scene.path / ".wfp.toml").unlink()
    assert "gone" in [step["action"] for step in deinit(scene, "--dry-run")["steps"]]
    assert paths(init(scene)) == [".wfp.toml"]
    assert {step["action"] for step in deinit(scene)["steps"]} == {"remove"}
    assert [path.name for path in scene.path.iterdir()] == [".git"]


def test_an_edit_between_two_inits_survives(scene: Scene) -> None:
    """Where somebody edited a file after init, deinit goes back to that edit and not past it."""
    scene.write({".gitignore": ".workflow/\n"})
    init(scene, "-y")
    mine = ".workflow/\n*.mine\n"
    scene.write({".gitignore": mine})
    init(scene, "-y")
    assert scene.read(".gitignore").startswith(mine)
    deinit(scene)
    assert scene.read(".gitignore") == mine


def test_remembered_answers_go_with_the_folder(scene: Scene) -> None:
    """Where init made our folder, answers remembered in it since go with it; other files stay."""
    scene.session("nested", 2)
    scene.commit("a plan")
    for name in (None, "mine"):
        before = everything_in_git(scene)
        init(scene)
        answers = scene.path / ".git" / "wfp" / "answers"
        for words in (("status",), ("list",), ("next",)):
            remembered(scene, answers, *words)
        if name is not None:
            (answers / name).write_text("mine\n")
        deinit(scene)
        if name is None:
            assert everything_in_git(scene) == before
        else:
            assert [path.name for path in answers.iterdir()] == [name]
            assert [path.name for path in answers.parent.iterdir()] == ["answers"]


def test_answers_from_before_init_stay(scene: Scene) -> None:
    """Where our folder was there before init, deinit leaves it and what is in it."""
    scene.session("nested", 2)
    scene.commit("a plan")
    answers = scene.path / ".git" / "wfp" / "answers"
    remembered(scene, answers, "status")
    before = everything_in_git(scene)
    init(scene)
    deinit(scene)
    assert everything_in_git(scene) == before


def everything_in_git(scene: Scene) -> dict[str, tuple[object, ...]]:
    """Returns everything in the git folder; the index may be refreshed by any git."""
    found = contents(scene.path / ".git")
    del found[str(scene.path / ".git" / "index")]
    return found


def remembered(scene: Scene, answers: Path, *words: str) -> None:
    """Runs a command until its answer is remembered, which files that are too new prevent."""
    for _ in range(100):
        scene.run(*words).expect(0)
        if any(path.name.startswith(words[0]) for path in answers.glob("*")):
            return
    raise AssertionError(f"the answer to {words} was never remembered")


def test_a_receipt_of_the_future(scene: Scene) -> None:
    """A receipt that this version cannot read is refused by name, and stays."""
    init(scene)
    receipt = scene.path / ".git" / "wfp" / "receipt.json"
    fields = json.loads(receipt.read_text())
    assert fields["version"] == 1
    receipt.write_text(json.dumps({**fields, "version": 2}))
    before = everything(scene.path)
    for words in (("deinit", "-y"), ("init",)):
        assert "receipt.json" in scene.run(*words).expect(6).err
    assert everything(scene.path) == before


CODE = b"code\n"
DONE = "sha256:" + hashlib.sha256(CODE).hexdigest()
FOREIGN: list[object] = [
    "src/main.py",
    "../victim.txt",
    "/victim.txt",
    ".git/keep",
    ".GIT/keep",
    ".git/hooks/pre-commit",
    "a\0b",
    "a\0b/.gitignore",
    "\ud800",
    "\ud800/.gitignore",
    "../.gitignore",
    ".git/.gitignore",
    ".workflow/.gitignore",
    ".workflow/active/WFS-a/IMPL_PLAN.md",
    "src/.wfp.toml",
    ".workflow",
    f"{'a' * 300}/.gitignore",
    f"{'a/' * 3000}.gitignore",
    "",
    ".",
    "src/",
    5,
    None,
]


NO_FOLDERS: list[object] = ["abc", {}, [1], [[1]], ["src"], [".."], ["/"], ["\0"]]
NO_TAGS: list[object] = ["../../x", "a/b", "\0", "", "x", 1, None, "0" * 11 + "\n"]
NOTHING_DOING: list[object] = [[], {}, "x", 0, False]


def forged(path: object, before: object, after: object) -> dict[str, object]:
    """Returns what a receipt that somebody has edited says of a file."""
    return {"path": path, "before": before, "after": after}


FORGED: list[dict[str, Any]] = [
    *[{"files": [forged(path, None, DONE)]} for path in FOREIGN],
    *[{"files": [forged(path, "ZXZpbAo=", DONE)]} for path in FOREIGN],
    {"files": {}},
    {"files": [5]},
    {"files": [forged(".wfp.toml", None, None)]},
    {"files": [forged(".wfp.toml", "ZXZpbAo=", DONE)]},
    {"files": [forged(".gitignore", 5, DONE)]},
    {"files": [forged(".gitignore", "ZX\u00e9", DONE)]},
    {"files": [forged(".gitignore", None, {})]},
    {"files": [forged(".gitignore", "ZXZpbAo=", None)]},
    {"files": [forged(".gitignore", None, DONE), forged(".gitignore", "ZXZpbAo=", DONE)]},
    *[{"folders": folders} for folders in NO_FOLDERS],
    {"own_folder": "yes"},
    {"version": True},
    {"version": "1"},
    {"more": 1},
]


@pytest.mark.parametrize("under_way", [False, True], ids=["finished", "under-way"])
def test_a_receipt_that_somebody_edited(scene: Scene, under_way: bool) -> None:
    """What init does not make is neither removed nor overwritten: the receipt is refused whole."""
    scene.write({"src/main.py": CODE, ".gitignore": CODE})
    (scene.path / ".git" / "keep").write_bytes(CODE)
    victim = scene.path.parent / "victim.txt"
    victim.write_bytes(CODE)
    place = scene.path / ".git" / "wfp" / "receipt.json"
    place.parent.mkdir()
    receipt = {"version": 1, "files": [], "folders": [], "own_folder": False, "doing": None}
    cases = [{**receipt, **fields} for fields in FORGED]
    if under_way:
        doing = {"tag": "0" * 12, "files": [], "folders": []}
        allowed = {"own_folder", "version"}
        cases = [
            {**receipt, "doing": {**doing, **fields}}
            for fields in FORGED
            if not allowed & fields.keys()
            # A removal is what a deinit that is under way does.
            and fields != {"files": [forged(".gitignore", "ZXZpbAo=", None)]}
        ]
        files = [forged(".gitignore", None, DONE)]
        wrong = [{**doing, "tag": tag, "files": files} for tag in NO_TAGS]
        cases += [{**receipt, "doing": one} for one in (*wrong, *NOTHING_DOING)]
    for case in cases:
        place.write_text(json.dumps(case))
        before = everything(scene.path)
        for words in (("deinit", "-y"), ("deinit", "--dry-run"), ("init",)):
            code, answer = answered(scene, *words)
            assert code == 6, (case, answer)
            assert answer["diagnostics"][0]["code"] == "receipt-unreadable", case
        assert answered(scene, "doctor")[0] != 70, case
        assert everything(scene.path) == before
        assert victim.read_bytes() == CODE


# ----------------------------------------------------------------------------- crashes

KILL = """
import os, signal, sys
from gitwfp.cli.main import main
from gitwfp.git import setup
step, number = sys.argv[1], int(sys.argv[2])
seen = []
def hook(name):
    seen.append(name)
    if seen.count(step) == number:
        os.kill(os.getpid(), signal.SIGKILL)
setup.no_hook = hook
sys.exit(main(sys.argv[3:]))
"""

MOMENTS = [(step, 1) for step in STEPS] + [("prepared", 3), ("placed", 2), ("placed", 3)]


def killed(scene: Scene, step: str, number: int, *words: str) -> None:
    """Runs a command that kills itself at a step."""
    done = subprocess.run(
        [sys.executable, "-c", KILL, step, str(number), *words],
        cwd=scene.path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


def contents(folder: Path) -> dict[str, tuple[object, ...]]:
    """Returns everything below a folder without file times."""
    return {path: facts[:2] for path, facts in everything(folder).items()}


@pytest.mark.parametrize(("step", "number"), MOMENTS)
def test_a_kill_in_the_middle_of_init(scene: Scene, step: str, number: int) -> None:
    """After a kill deinit brings everything back, and another init brings everything about."""
    scene.write({".gitignore": "*.log\n.workflow/\n"})
    before = contents(scene.path)
    killed(scene, step, number, "init", "-y")
    quick(scene, "deinit", "-y")
    assert contents(scene.path) == before
    killed(scene, step, number, "init", "-y")
    quick(scene, "init", "-y")
    assert sorted(paths(quick(scene, "deinit", "--dry-run"))) == sorted([*MADE, ".gitignore"])
    assert not quick(scene, "init")["changed"]
    quick(scene, "deinit", "-y")
    assert contents(scene.path) == before


@pytest.mark.parametrize(("step", "number"), [m for m in MOMENTS if m[0] != "written"])
def test_a_kill_in_the_middle_of_deinit(scene: Scene, step: str, number: int) -> None:
    """A deinit that is killed is begun again by the next one, or taken back by init."""
    scene.write({".gitignore": "*.log\n.workflow/\n"})
    before = contents(scene.path)
    quick(scene, "init", "-y")
    made = {p: f for p, f in contents(scene.path).items() if "receipt" not in p}
    killed(scene, step, number, "deinit", "-y")
    quick(scene, "init", "-y")
    assert {p: f for p, f in contents(scene.path).items() if "receipt" not in p} == made
    killed(scene, step, number, "deinit", "-y")
    quick(scene, "deinit", "-y")
    assert contents(scene.path) == before


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_output_that_cannot_be_encoded(scene: Scene, encoding: str) -> None:
    """F-CL-03: what the output cannot hold is replaced; nothing fails, nothing is half done."""
    scene.session("nested", 2, session="WFS-预订泊位")
    poor = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "LC_ALL": "zh_CN.UTF-8"}
    for words in (("init",), ("doctor",), ("deinit", "-y")):
        run = scene.run(*words, env=poor).expect(0)
        assert "?" in run.out
    assert not (scene.path / ".wfp.toml").exists()


@pytest.mark.parametrize("stdin", ["closed", "empty", "silent"])
def test_without_anybody_to_ask(scene: Scene, stdin: str) -> None:
    """F-CL-04: no prompt hangs or takes a yes for granted; the flag that answers is named."""
    scene.write({".gitignore": ".workflow/\n"})
    quick(scene, "init")
    before = everything(scene.path)
    for words, code in ((("init",), 0), (("deinit",), 2), (("doctor", "--fix"), 2)):
        argv = [sys.executable, "-m", "gitwfp", *words]
        if stdin == "closed":
            argv = ["sh", "-c", 'exec "$0" "$@" <&-', *argv]
        reader, writer = os.pipe()
        try:
            if stdin == "empty":
                os.close(writer)
            done = subprocess.run(
                argv, cwd=scene.path, stdin=reader, capture_output=True, timeout=60, check=False
            )
        finally:
            os.close(reader)
            if stdin != "empty":
                os.close(writer)
        assert done.returncode == code, done.stderr
        assert (b"--yes" if code else b"init -y") in done.stderr
    assert everything(scene.path) == before


def test_settings_that_git_ignores(scene: Scene) -> None:
    """A rule that hides the settings file as well is told, and is no reason to stop."""
    scene.write({".gitignore": ".w*\n"})
    run = scene.run("init", "-y", "--json").expect(0)
    assert codes(run) == ["settings-ignored"]
    assert run.json["data"]["ignored"] is None


def test_several_at_once(scene: Scene) -> None:
    """Of several at once each does it, finds it done, or says that another one was faster."""
    before = contents(scene.path)
    with ThreadPoolExecutor(4) as pool:
        ended = list(pool.map(lambda _: scene.run("init").code, range(4)))
    assert set(ended) <= {0, 5}
    assert 0 in ended
    assert not quick(scene, "init")["changed"]
    with ThreadPoolExecutor(4) as pool:
        ended = list(pool.map(lambda _: scene.run("deinit", "-y").code, range(4)))
    assert set(ended) <= {0, 5}
    quick(scene, "deinit", "-y")
    assert contents(scene.path) == before


def test_in_chinese(scene: Scene) -> None:
    """Messages follow the person's language, and what is written the language of the content."""
    chinese = {"LC_ALL": "zh_CN.UTF-8"}
    scene.git("config", "wfp.content.language", "zh_CN")
    for words in (("init",), ("init",), ("deinit", "--dry-run"), ("deinit", "-y"), ("deinit",)):
        said = scene.run(*words, env=chinese).expect(0).out
        assert any("\u4e00" <= letter <= "\u9fff" for letter in said), said
    init(scene)
    for path in (".wfp.toml", ".workflow/.gitattributes"):
        assert any("\u4e00" <= letter <= "\u9fff" for letter in scene.read(path))
