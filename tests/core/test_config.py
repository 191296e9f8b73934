"""Settings: defaults, the three places they come from, and what is refused or warned about."""

import dataclasses
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import example as with_example
from hypothesis import given
from hypothesis import strategies as st

from gitwfp.config import Loaded, Origin, Settings, Source, Tool, load
from gitwfp.config.keys import KEYS, TABLES, Key, accept, find_key, rows, text_value
from gitwfp.config.sample import example, toml_value
from gitwfp.config.settings import USUAL_TOOLS
from gitwfp.config.tomltext import MAX_BYTES, parse_document
from gitwfp.config.wording import nearest
from gitwfp.errors import ExitCode, Refusal, Severity
from gitwfp.git.config import read_config
from gitwfp.git.program import GitProgram
from tests.scene import Scene

ROOT = Path(__file__).resolve().parent.parent.parent

NOTHING: Mapping[str, str | None] = {}


def from_toml(text: str) -> Loaded:
    """Returns what a settings file alone gives."""
    return load(text.encode(), NOTHING, {})


def from_git(**settings: str | None) -> Loaded:
    """Returns what git's configuration alone gives; the names are without `wfp.`, `__` is a dot."""
    return load(None, {f"wfp.{key.replace('__', '.')}": v for key, v in settings.items()}, {})


def from_environment(**variables: str) -> Loaded:
    """Returns what the environment alone gives; the names are without `WFP_`."""
    return load(None, NOTHING, {f"WFP_{name}": value for name, value in variables.items()})


def refused(toml: bytes) -> Refusal:
    """Returns the refusal that a settings file meets."""
    with pytest.raises(Refusal) as caught:
        load(toml, NOTHING, {})
    assert caught.value.exit_code is ExitCode.USAGE
    return caught.value


# ------------------------------------------------------------------------------- the table


def test_nothing_set_is_all_defaults() -> None:
    """Without a file, without git settings and without variables, everything has its default."""
    loaded = load(None, NOTHING, {})
    assert loaded.settings == Settings()
    assert loaded.diagnostics == ()
    assert set(loaded.origins.values()) == {Origin(Source.DEFAULT)}


def test_the_documented_defaults() -> None:
    """The defaults are those that the documentation promises."""
    settings = Settings()
    assert (settings.limits.max_tasks, settings.limits.file_bytes) == (10, 8 * 1024 * 1024)
    replan = settings.replan
    assert (replan.on_dirty, replan.landing, replan.keep_branches) == ("checkpoint", "ff", 10)
    assert (replan.signoff, replan.planner) == (False, "rules")
    assert settings.lock.timeout == 2.0
    assert (settings.ui.language, settings.content.language) == ("", "en")
    assert dict(settings.tools) == dict.fromkeys(("codex", "gemini", "qwen", "claude"), Tool())


def test_the_table_covers_every_field() -> None:
    """The table of keys has a row for each field of the settings, in their order, and no other."""
    wanted = []
    for table in dataclasses.fields(Settings):
        holder = Tool() if table.name == "tools" else getattr(Settings(), table.name)
        prefix = "tools.*" if table.name == "tools" else table.name
        wanted += [f"{prefix}.{field.name}" for field in dataclasses.fields(holder)]
    assert [key.name for key in KEYS] == wanted
    assert set(TABLES) == {table.name for table in dataclasses.fields(Settings)}


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_every_default_is_allowed(key: Key) -> None:
    """A default is a value that its setting can have."""
    if key.default is not None:
        assert accept(key, key.default) == key.default


def test_names_are_different_everywhere() -> None:
    """No two settings share a name in the file, in git or in the environment."""
    pairs = list(rows(USUAL_TOOLS))
    for names in (
        {key.spelled(tool) for key, tool in pairs},
        {key.git_name(tool).lower() for key, tool in pairs},
        {key.variable(tool) for key, tool in pairs},
    ):
        assert len(names) == len(pairs)


def test_names_that_git_takes(scene: Scene) -> None:
    """Git itself stores and gives back a value under every name of the table."""
    git = GitProgram(str(scene.path), os.environ)
    for key, tool in rows(USUAL_TOOLS):
        git.run("config", key.git_name(tool), "x")
    stored = read_config(git).as_mapping()
    assert {n for n in stored if n.startswith("wfp.")} == {
        ".".join((*key.git_name(tool).split(".")[:-1], key.git_name(tool).split(".")[-1].lower()))
        for key, tool in rows(USUAL_TOOLS)
    }


def test_the_example_file_is_up_to_date() -> None:
    """`.wfp.toml.example` is what the table of keys says: write `example()` into it."""
    assert (ROOT / ".wfp.toml.example").read_bytes().decode() == example()


def test_the_example_is_the_defaults() -> None:
    """The example, copied as it is, changes nothing, sets every key and causes no warning."""
    loaded = from_toml(example())
    assert loaded.settings == Settings()
    assert loaded.diagnostics == ()
    unset = {name for name, origin in loaded.origins.items() if origin.source is Source.DEFAULT}
    assert unset == {f"tools.{tool}.command" for tool in USUAL_TOOLS}


def test_the_example_shows_a_command_for_each_tool() -> None:
    """With its lines for commands uncommented, the example is still a good settings file."""
    loaded = from_toml(example().replace("# command =", "command ="))
    assert {t: tool.command for t, tool in loaded.settings.tools.items()} == {
        t: (t,) for t in USUAL_TOOLS
    }


# ------------------------------------------------------------------------------ precedence


def test_the_stronger_place_wins() -> None:
    """Git's configuration wins over the file, and the environment over both."""
    toml = b"[limits]\nmax_tasks = 1\nfile_bytes = 1\n[lock]\ntimeout = 1\n"
    git = {"wfp.limits.fileBytes": "2", "wfp.lock.timeout": "2", "user.name": "Ada"}
    loaded = load(toml, git, {"WFP_LOCK_TIMEOUT": "3", "HOME": "here"})
    settings, origins = loaded.settings, loaded.origins
    assert (settings.limits.max_tasks, settings.limits.file_bytes) == (1, 2)
    assert settings.lock.timeout == 3.0
    assert loaded.diagnostics == ()
    assert origins["limits.max_tasks"] == Origin(Source.FILE, ".wfp.toml")
    assert origins["limits.file_bytes"] == Origin(Source.GIT, "wfp.limits.fileBytes")
    assert origins["lock.timeout"] == Origin(Source.ENVIRONMENT, "WFP_LOCK_TIMEOUT")
    assert origins["replan.landing"] == Origin(Source.DEFAULT)


def test_one_place_may_set_a_part_of_a_table() -> None:
    """A stronger place replaces single settings, not the whole table."""
    loaded = load(
        b'[tools.codex]\ncommand = ["codex", "exec"]\n', {"wfp.tools.codex.enabled": "no"}, {}
    )
    assert loaded.settings.tools["codex"] == Tool(False, ("codex", "exec"))


def test_settings_as_git_reports_them(scene: Scene) -> None:
    """What `git config` sets is in force, whatever the case of section and last part."""
    git = GitProgram(str(scene.path), os.environ)
    git.run("config", "wfp.replan.onDirty", "refuse")
    git.run("config", "WFP.replan.KEEPBRANCHES", "all")
    git.run("config", "wfp.limits.fileBytes", "1m")
    stored = {key: values[-1] for key, values in read_config(git).as_mapping().items()}
    settings = load(None, stored, {}).settings
    assert settings.replan.on_dirty == "refuse"
    assert settings.replan.keep_branches == "all"
    assert settings.limits.file_bytes == 1024 * 1024


@pytest.mark.parametrize(
    ("text", "wanted"),
    [(None, True), ("yes", True), ("ON", True), ("1", True), ("0", False), ("", False)],
)
def test_truth_values_are_those_of_git(text: str | None, wanted: bool) -> None:
    """A truth value in git's configuration may be written in each way that git knows."""
    assert from_git(replan__signoff=text).settings.replan.signoff is wanted


def test_an_empty_variable_is_not_set() -> None:
    """A variable that is exported without a value changes nothing."""
    loaded = load(b"[replan]\nsignoff = true\n", NOTHING, {"WFP_REPLAN_SIGNOFF": ""})
    assert loaded.settings.replan.signoff is True
    assert loaded.origins["replan.signoff"].source is Source.FILE


# ----------------------------------------------------------------------------------- tools


def test_tools_of_ones_own() -> None:
    """A tool becomes known by being mentioned in any of the three places, enabled by default."""
    loaded = load(
        b"[tools.aider]\n",
        {"wfp.tools.My-Tool.command": '["my", "-x"]'},
        {"WFP_TOOLS_CURSOR_AGENT_ENABLED": "no"},
    )
    tools = loaded.settings.tools
    assert tuple(tools) == (*USUAL_TOOLS, "aider", "My-Tool", "cursor_agent")
    assert tools["aider"] == Tool()
    assert tools["My-Tool"] == Tool(True, ("my", "-x"))
    assert tools["cursor_agent"] == Tool(enabled=False)
    assert loaded.diagnostics == ()
    assert loaded.origins["tools.aider.command"] == Origin(Source.DEFAULT)


def test_a_variable_finds_the_tool_that_is_known() -> None:
    """A variable speaks of the known tool that it fits, also where it cannot spell the name."""
    toml = b"[tools.My-Tool]\n"
    loaded = load(toml, NOTHING, {"WFP_TOOLS_MY_TOOL_COMMAND": '["my"]'})
    assert loaded.settings.tools["My-Tool"].command == ("my",)
    assert len(loaded.settings.tools) == len(USUAL_TOOLS) + 1


def test_tools_cannot_be_changed_in_place() -> None:
    """The mapping of tools is as frozen as the rest."""
    with pytest.raises(TypeError):
        Settings().tools["codex"] = Tool()  # type: ignore[index]


@pytest.mark.parametrize(
    "command", ['"codex exec"', "[]", '[""]', '["codex", 1]', '["a\\u0000b"]', "{}"]
)
def test_a_command_is_a_list_of_texts(command: str) -> None:
    """A command that a shell would have to take apart, or nobody could start, is refused."""
    refusal = refused(f"[tools.codex]\ncommand = {command}\n".encode())
    assert "tools.codex.command" in str(refusal)
    assert '["program", "argument"]' in str(refusal)
    assert refusal.location.line == 2


@pytest.mark.parametrize("name", ['""', '"a b"', '"a.b"', '"-x"', '"\\u001b[31m"', '"é"'])
def test_names_of_tools_are_plain(name: str) -> None:
    """A tool whose name no git key could hold is refused, and its name cannot harm a terminal."""
    refusal = refused(f"[tools.{name}]\nenabled = true\n".encode())
    assert "must have a name of English letters" in str(refusal)
    assert str(refusal).isprintable()


# ---------------------------------------------------------------------------- bad values


@pytest.mark.parametrize(
    ("line", "allowed"),
    [
        ("limits.max_tasks = 0", "a whole number, at least 1"),
        ("limits.max_tasks = true", "a whole number, at least 1"),
        ("limits.max_tasks = 3.0", "a whole number, at least 1"),
        ("limits.max_tasks = '3'", "a whole number, at least 1"),
        ("limits.max_tasks = 9223372036854775808", "a whole number, at least 1"),
        ("limits.file_bytes = [1]", "a whole number, at least 1"),
        ("replan.on_dirty = 'Refuse'", 'one of "checkpoint", "refuse"'),
        ("replan.landing = 1979-05-27", 'one of "ff", "merge", "manual"'),
        ("replan.keep_branches = -1", 'a whole number, at least 0, or "all"'),
        ("replan.keep_branches = 'some'", 'a whole number, at least 0, or "all"'),
        ("replan.signoff = 1", "true or false"),
        ("replan.planner = ' '", "a text of one line that is not empty"),
        ("lock.timeout = true", "a number of seconds from 0 to 86400"),
        ("lock.timeout = nan", "a number of seconds from 0 to 86400"),
        ("lock.timeout = inf", "a number of seconds from 0 to 86400"),
        ("lock.timeout = -0.5", "a number of seconds from 0 to 86400"),
        ("ui.language = 'e\\tn'", None),
        ('ui.language = "e\\tn"', "a text of one line"),
        ("content.language = ''", 'one of "en", "zh_CN"'),
        ("replan = 3", "a table of settings"),
        ("tools = ['codex']", "a table of settings"),
        ("tools.codex = true", "a table of settings"),
        ("replan.landing.x = 1", 'one of "ff", "merge", "manual"'),
    ],
)
def test_a_bad_value_in_the_file(line: str, allowed: str | None) -> None:
    """A value that a setting cannot have is refused with file, line, key and what is allowed."""
    toml = f"# a comment\n\n{line}\n".encode()
    if allowed is None:
        assert load(toml, NOTHING, {}).diagnostics == ()
        return
    refusal = refused(toml)
    key = line.partition(" ")[0].removesuffix(".x")
    assert refusal.code == "bad-setting"
    assert f"The setting {key} in .wfp.toml is " in str(refusal)
    assert f"it must be {allowed}." in str(refusal)
    assert (refusal.location.path, refusal.location.line) == (".wfp.toml", 3)
    assert refusal.hint is not None


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("limits__maxTasks", "ten"),
        ("limits__maxTasks", "1_0"),
        ("limits__maxTasks", "\uff11"),
        ("limits__maxTasks", "9" * 5000),
        ("limits__maxTasks", "9000000000000000000g"),
        ("limits__maxTasks", "all"),
        ("limits__maxTasks", None),
        ("limits__maxTasks", ""),
        ("lock__timeout", "nan"),
        ("lock__timeout", "1e999"),
        ("lock__timeout", ""),
        ("replan__signoff", "maybe"),
        ("replan__onDirty", "\x1b[31mrefuse"),
        ("ui__language", "\udcff"),
        ("tools__codex__command", "codex exec"),
        ("tools__codex__command", "[" * 100_000),
        ("tools__codex__command", '"codex"'),
    ],
)
def test_a_bad_value_elsewhere(key: str, text: str | None) -> None:
    """A bad value in git's configuration or the environment is refused by its name there."""
    with pytest.raises(Refusal) as caught:
        from_git(**{key: text})
    name = f"wfp.{key.replace('__', '.')}"
    assert caught.value.exit_code is ExitCode.USAGE
    assert f"Git's setting {name} is " in str(caught.value)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 300
    if not text:
        return
    variable = next(k.variable(tool) for k, tool in rows(USUAL_TOOLS) if k.git_name(tool) == name)
    with pytest.raises(Refusal, match=f"The environment variable {variable} is ") as caught:
        load(None, NOTHING, {variable: text})
    assert caught.value.exit_code is ExitCode.USAGE


def test_every_bad_value_is_told_at_once() -> None:
    """The refusal names the first bad value and carries the others as details."""
    with pytest.raises(Refusal) as caught:
        load(
            b"[replan]\nsignoff = 'yes'\n[limits]\nmax_tasks = 0\n",
            {"wfp.replan.landing": "squash"},
            {"WFP_LOCK_TIMEOUT": "soon"},
        )
    assert "replan.signoff" in str(caught.value)
    assert [(d.location.line, d.severity) for d in caught.value.details] == [
        (4, Severity.ERROR),
        (None, Severity.ERROR),
        (None, Severity.ERROR),
    ]


def test_a_bad_value_is_refused_although_overridden() -> None:
    """A stronger place does not hide a mistake in a weaker one."""
    with pytest.raises(Refusal, match="max_tasks"):
        load(b"limits.max_tasks = 0\n", NOTHING, {"WFP_LIMITS_MAX_TASKS": "5"})


# ------------------------------------------------------------------------- unknown names


@pytest.mark.parametrize(
    ("toml", "line", "name", "near"),
    [
        (
            "[replan]\nlanding = 'ff'\non-dirty = 'refuse'\n",
            3,
            "replan.on-dirty",
            "replan.on_dirty",
        ),
        ("[replan]\nOnDirty = 'refuse'\n", 2, "replan.OnDirty", "replan.on_dirty"),
        ("[limit]\nmax_tasks = 3\n", 1, "limit", "limits"),
        ("max_tasks = 3\n", 1, "max_tasks", "limits.max_tasks"),
        ("replan = { signof = true }\n", 1, "replan.signof", "replan.signoff"),
        ("[tools.aider]\ncomand = ['a']\n", 2, "tools.aider.comand", "tools.aider.command"),
        (
            "[tools]\n[tools.codex]\n'enable' = true\n",
            3,
            "tools.codex.enable",
            "tools.codex.enabled",
        ),
        ("a = '''\n[x]\n'''\n[lock]\ntime_out = 1\n", 5, "lock.time_out", "lock.timeout"),
    ],
)
def test_an_unknown_key_in_the_file(toml: str, line: int, name: str, near: str) -> None:
    """A name that is not known gets a warning with file, line and the nearest name that is."""
    loaded = from_toml(toml)
    warning = loaded.diagnostics[-1]
    assert warning.code == "unknown-setting"
    assert warning.severity is Severity.WARNING
    assert f" {name}," in str(warning.message)
    assert (warning.location.path, warning.location.line) == (".wfp.toml", line)
    assert str(warning.hint) == f"The nearest known name is {near}."
    changed = loaded.settings.tools.keys() - set(USUAL_TOOLS)
    assert changed <= {"aider"}


def test_an_unknown_table_is_one_warning() -> None:
    """A table of another version costs one warning, not one for each of its keys."""
    loaded = from_toml("[zebra]\nenable = true\ndebounce-ms = 5\n[zebra.more]\nx = 1\n")
    assert [d.location.line for d in loaded.diagnostics] == [1]
    assert "git wfp config list" in str(loaded.diagnostics[0].hint)
    assert loaded.settings == Settings()


def test_the_file_has_the_name_that_it_was_given() -> None:
    """Messages name the file that was read, wherever it lies."""
    loaded = load(b"x = 1\n", NOTHING, {}, path="sub/.wfp.toml")
    assert loaded.diagnostics[0].location.path == "sub/.wfp.toml"
    assert "sub/.wfp.toml" in str(loaded.diagnostics[0].message)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("wfp.replanOnDirty", "wfp.replan.onDirty"),
        ("wfp.Replan.onDirty", "wfp.replan.onDirty"),
        ("wfp.replan.on-dirty", "wfp.replan.onDirty"),
        ("wfp.limits.max", "wfp.limits.maxTasks"),
        ("wfp.tools.aider.enable", "wfp.tools.aider.enabled"),
        ("wfp.tools..enabled", None),
        ("wfp.tools.a b.enabled", None),
        ("wfp.tools.*.enabled", None),
        ("wfp.replan.", None),
    ],
)
def test_an_unknown_key_in_git(name: str, near: str | None) -> None:
    """A key below `wfp` that is no setting gets a warning, with the nearest name."""
    loaded = load(None, {name: "refuse"}, {})
    (warning,) = loaded.diagnostics
    assert f"Git's setting {name} is not known" in str(warning.message)
    assert loaded.settings == Settings()
    if near is not None:
        assert str(warning.hint) == f"The nearest known name is {near}."


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("WFP_REPLAN_ONDIRTY", "WFP_REPLAN_ON_DIRTY"),
        ("WFP_MAX_TASKS", "WFP_LIMITS_MAX_TASKS"),
        ("WFP_TOOLS_CODEX_ENABLE", "WFP_TOOLS_CODEX_ENABLED"),
    ],
)
def test_an_unknown_variable(name: str, near: str) -> None:
    """A variable that resembles a setting gets a warning with the nearest name."""
    (warning,) = load(None, NOTHING, {name: "1"}).diagnostics
    assert name in str(warning.message)
    assert str(warning.hint) == f"The nearest known name is {near}."


def test_variables_for_other_purposes_are_left_alone() -> None:
    """Variables with our prefix that are no settings, and all others, cause no warning."""
    loaded = load(None, NOTHING, {"WFP_NO_INPUT": "1", "WFP_CORPUS": "x", "PATH": "y", "wfp_x": ""})
    assert loaded.diagnostics == ()


def test_a_flood_of_unknown_names_is_cut() -> None:
    """Thousands of unknown names give a screenful of warnings and one with the rest's number."""
    loaded = from_toml("".join(f"k{n} = 1\n" for n in range(1000)))
    assert len(loaded.diagnostics) == 21
    assert str(loaded.diagnostics[-1].message) == "980 more settings are not known."


def test_names_in_warnings_cannot_harm_a_terminal() -> None:
    """A name with control characters or of any length is shown escaped and cut."""
    key = "\\u001b[31m\\u202e" + "x" * 5000
    (warning,) = from_toml(f'"{key}" = 1\n').diagnostics
    assert str(warning.message).isprintable()
    assert len(str(warning.message)) < 200


def test_nothing_is_near_to_something_else() -> None:
    """No name is suggested that is not alike."""
    assert nearest("quux", [key.spelled() for key, _ in rows(())]) is None


# ------------------------------------------------------------------------ the file's text


@pytest.mark.parametrize(
    ("toml", "line", "column"),
    [
        (b"[limits]\nmax_tasks = = 3\n", 2, 13),
        (b"[limits]\r\nmax_tasks = = 3\r\n", 2, 13),
        (b"\xef\xbb\xbfmax_tasks = = 3\n", 1, 13),
        (b"a = 1\na = 2", 2, 6),
        (b"[replan]\nlanding = ff\n", 2, 11),
        (b'a = """\nx', 2, 2),
        (b"a = 1\rb = 2\n", 1, 6),
    ],
)
def test_invalid_toml(toml: bytes, line: int, column: int) -> None:
    """A file that is not TOML is refused with file, line, column and the parser's reason."""
    refusal = refused(toml)
    assert refusal.code == "bad-config-file"
    location = refusal.location
    assert (location.path, location.line, location.column) == (".wfp.toml", line, column)
    assert f".wfp.toml is not valid TOML at line {line}, column {column}: " in str(refusal)
    assert isinstance(refusal.__cause__, tomllib.TOMLDecodeError)


@pytest.mark.parametrize(
    "toml",
    [
        b"[replan]\r\nlanding = 'merge'\r\n",
        b"\xef\xbb\xbf[replan]\nlanding = 'merge'",
        b"\xef\xbb\xbf[replan]\r\nlanding = 'merge'",
    ],
)
def test_windows_files_are_read(toml: bytes) -> None:
    """A byte order mark and CRLF, as editors on Windows write them, make no difference."""
    assert load(toml, NOTHING, {}).settings.replan.landing == "merge"


@pytest.mark.parametrize("toml", [b"", b"\n", b"# only a comment", b"\xef\xbb\xbf", b"[replan]"])
def test_an_empty_file_is_all_defaults(toml: bytes) -> None:
    """A file without a setting is as good as none."""
    loaded = load(toml, NOTHING, {})
    assert (loaded.settings, loaded.diagnostics) == (Settings(), ())


def test_a_file_in_another_encoding() -> None:
    """A file that is not UTF-8 is refused with the place of its first bad byte."""
    refusal = refused(b"[ui]\n# \xc3\xa9 caf\xe9\n")
    assert (refusal.location.line, refusal.location.column) == (2, 8)
    assert refused("[ui]\n".encode("utf-16")).location.line == 1
    assert str(refusal.hint) == "Save the file as UTF-8."


@pytest.mark.parametrize(
    "toml",
    [
        b"a" + b".a" * 100_000 + b" = 1",
        b"x = {'a'" + b" . 'a'" * 40_000 + b" = 1}",
        b"[a" + b".a" * 100_000 + b"]",
        b"a = " + b"[" * 100_000,
        b"a = " + b"{a=" * 50_000,
        b"a = 1\nb = " + b"9" * 5000,
        b'"""\\' * 60_000,
        b'"\\' * 120_000,
        b"x" * (MAX_BYTES + 1),
    ],
    ids=["key", "inline", "table", "lists", "tables", "digits", "quotes", "escapes", "size"],
)
@pytest.mark.timeout(20)
def test_hostile_files_are_refused(toml: bytes) -> None:
    """Text that would keep a parser busy for minutes or exhaust its stack is refused instead."""
    assert refused(toml).code == "bad-config-file"


def test_the_line_of_a_number_with_too_many_digits() -> None:
    """A number that Python does not read is refused with its line."""
    assert refused(b"a = 1\nb = " + b"9" * 5000 + b"\n").location.line == 2


def test_lines_of_everything() -> None:
    """Each table and setting is found on its line, past strings, lists and comments."""
    text = (
        "# [limits]\n"
        'top = """\n[limits]\nmax_tasks = 1 \\""" """\n'
        "[ limits ] # [replan]\n"
        "list = [ # ]\n  '[replan]',\n]\n"
        '"max_tasks" = 3\n'
        "\n"
        "[[many]]\n"
        "x = ''''''\n"
        "[tools]\n"
        "codex.enabled = true\n"
        "qwen = { enabled = true, command = ['q#', \"]\"] }\n"
    )
    document = parse_document(text.encode(), "f")
    wanted = {
        ("top",): 2,
        ("limits",): 5,
        ("limits", "list"): 6,
        ("limits", "max_tasks"): 9,
        ("many",): 11,
        ("many", "x"): 12,
        ("tools",): 13,
        ("tools", "codex"): 14,
        ("tools", "codex", "enabled"): 14,
        ("tools", "qwen", "command"): 15,
        ("replan",): None,
    }
    assert {path: document.line(path) for path in wanted} == wanted


# ------------------------------------------------------------------------------ properties

NAMES = st.sampled_from(
    ["limits", "max_tasks", "replan", "landing", "tools", "codex", "x-1", "'y'"]
)
VALUES = st.sampled_from(
    ["1", "true", "'ff'", '"a\\"["', "[1, [2]]", "[\n 1, # ]\n]", "{x = 1}", "'''\n[t]\n'''", "1.5"]
)
LINES = st.one_of(
    st.builds("[{}]".format, NAMES),
    st.builds("[{}.{}]".format, NAMES, NAMES),
    st.builds("[[{}]]".format, NAMES),
    st.builds("{} = {}".format, NAMES, VALUES),
    st.builds("{}.{} = {} # [c".format, NAMES, NAMES, VALUES),
    st.just("# '''"),
    st.just(""),
)
DOCUMENTS = st.lists(LINES, max_size=6).map("\n".join)


@given(DOCUMENTS)
@with_example("x-1 = '''\n[t]\n'''\n[limits]")
def test_lines_agree_with_the_parser(text: str) -> None:
    """The text up to the line before a top-level name lacks it, and some text from there has it."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    document = parse_document(text.encode(), "f")
    rows_of_text = text.split("\n")
    for name in values:
        line = document.line((name,))
        assert line is not None
        assert name not in tomllib.loads("\n".join(rows_of_text[: line - 1]))
        assert any(name in parsed_or_nothing(rows_of_text[:end]) for end in range(line, line + 4))


def parsed_or_nothing(lines: list[str]) -> dict[str, object]:
    """Returns the values of a text, or none if it stops in the middle of something."""
    try:
        return tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError:
        return {}


@given(st.one_of(st.binary(max_size=60), DOCUMENTS.map(str.encode), st.text().map(str.encode)))
def test_any_bytes_give_settings_or_a_refusal(toml: bytes) -> None:
    """Whatever the file holds, the answer is settings or a refusal that can be shown."""
    try:
        loaded = load(toml, NOTHING, {})
    except Refusal as refusal:
        assert refusal.exit_code is ExitCode.USAGE
        assert str(refusal).isprintable()
    else:
        assert all(str(d.message).isprintable() for d in loaded.diagnostics)


@given(
    st.dictionaries(
        st.one_of(
            st.sampled_from([f"wfp.{t}.{k}" for t in ("replan", "tools.x", "") for k in ("a", "")]),
            st.text(max_size=8).map("wfp.{}".format),
            st.text(max_size=8),
        ),
        st.one_of(st.none(), st.text(max_size=8)),
        max_size=4,
    ),
    st.dictionaries(
        st.one_of(
            st.sampled_from([key.variable("x") for key in KEYS]),
            st.text(max_size=8).map("WFP_TOOLS_{}_ENABLED".format),
            st.text(max_size=8),
        ),
        st.one_of(st.text(max_size=8), st.sampled_from(["1", "en", "ff", '["a"]'])),
        max_size=4,
    ),
)
def test_any_surroundings_give_settings_or_a_refusal(
    git_config: dict[str, str | None], environ: dict[str, str]
) -> None:
    """Whatever git and the environment say, the answer is settings or a refusal."""
    try:
        load(None, git_config, environ)
    except Refusal as refusal:
        assert refusal.exit_code is ExitCode.USAGE
        assert str(refusal).isprintable()


@given(
    st.fixed_dictionaries(
        {
            "limits.max_tasks": st.integers(1, 2**63 - 1),
            "replan.keep_branches": st.one_of(st.integers(0, 2**63 - 1), st.just("all")),
            "replan.signoff": st.booleans(),
            "replan.landing": st.sampled_from(["ff", "merge", "manual"]),
            "lock.timeout": st.floats(0, 86400),
            "tools.codex.command": st.lists(st.text("ab \"'\\é文", min_size=1), min_size=1).filter(
                lambda words: bool(words[0].strip())
            ),
        }
    )
)
def test_a_value_means_the_same_everywhere(values: dict[str, object]) -> None:
    """A value written in the file, in git's configuration or in the environment is the same."""
    lines, git_config, environ = [], {}, {}
    for name, value in values.items():
        key = find_key(name)
        assert key is not None
        accepted = accept(key, value)
        written = toml_value(accepted)
        lines.append(f"{name} = {written}\n")
        text = str(value) if isinstance(value, str) else written
        assert accept(key, text_value(key, text)) == accepted
        tool = name.split(".")[1] if name.startswith("tools.") else ""
        git_config[key.git_name(tool)] = environ[key.variable(tool)] = text
    settings = from_toml("".join(lines)).settings
    assert load(None, dict(git_config), {}).settings == settings
    assert load(None, NOTHING, environ).settings == settings


def test_a_setting_is_found_by_its_name() -> None:
    """A name finds its row, a tool's setting under any tool's name; the pattern is no name."""
    for key in KEYS:
        assert find_key(key.spelled("aider")) is key
    for name in ("", "replan", "replan.x", "tools.*.enabled", "tools.codex", "tools..enabled"):
        assert find_key(name) is None


def test_a_variable_sets_its_setting() -> None:
    """Texts, choices and numbers come through the environment as well."""
    settings = from_environment(
        UI_LANGUAGE="zh_CN", CONTENT_LANGUAGE="zh_CN", LIMITS_MAX_TASKS="+12", LOCK_TIMEOUT=".5"
    ).settings
    assert (settings.ui.language, settings.content.language) == ("zh_CN", "zh_CN")
    assert (settings.limits.max_tasks, settings.lock.timeout) == (12, 0.5)
