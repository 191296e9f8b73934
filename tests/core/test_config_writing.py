"""One setting of a file set and taken out: everything else stays, to the byte."""

import tomllib
from collections.abc import Mapping

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gitwfp.config.keys import Value
from gitwfp.config.writing import with_value, without_value
from gitwfp.errors import ExitCode, Refusal

MARK = b"\xef\xbb\xbf"

TEAM = """\
# What the team agreed on.
[replan]
  on_dirty = "refuse"   # never by surprise
  # landing is left alone

[tools.codex]
command = [
  "codex", # the program
  "exec",
]
"""


def set_in(toml: str, name: str, value: Value) -> str:
    """Returns a text with a setting."""
    return with_value(toml.encode(), name, value).decode()


def unset_in(toml: str, name: str) -> str:
    """Returns a text without a setting."""
    return without_value(toml.encode(), name).decode()


@pytest.mark.parametrize(
    ("toml", "name", "value", "wanted"),
    [
        ("", "limits.max_tasks", 20, "[limits]\nmax_tasks = 20\n"),
        ("# none\n", "limits.max_tasks", 20, "# none\n\n[limits]\nmax_tasks = 20\n"),
        ("# none", "limits.max_tasks", 20, "# none\n\n[limits]\nmax_tasks = 20"),
        ("[limits]\r\n", "limits.max_tasks", 20, "[limits]\r\n\r\nmax_tasks = 20\r\n"),
        ("[ limits ] # c\n# d\n", "limits.max_tasks", 2, "[ limits ] # c\nmax_tasks = 2\n# d\n"),
        ("replan.signoff=true\n", "replan.planner", "x",
         'replan.signoff=true\nreplan.planner = "x"\n'),
        ("[tools]\ncodex.enabled=true", "tools.codex.command", ("a", 'b"'),
         '[tools]\ncodex.enabled=true\ncodex.command = ["a", "b\\""]'),
        ("tools.codex.enabled=true\n", "tools.qwen.enabled", False,
         "tools.codex.enabled=true\n\n[tools.qwen]\nenabled = false\n"),
        ("replan = {}\n", "replan.signoff", True, "replan = {signoff = true}\n"),
        ("replan = { landing = 'ff' } # c\n", "replan.signoff", True,
         "replan = { landing = 'ff', signoff = true } # c\n"),
        ("tools = {codex = {}}", "tools.codex.enabled", True, "tools = {codex = {enabled = true}}"),
        ("tools = {codex = {}}", "tools.qwen.enabled", True,
         "tools = {codex = {}, qwen.enabled = true}"),
    ],
)  # fmt: skip
def test_a_new_setting(toml: str, name: str, value: Value, wanted: str) -> None:
    """A setting goes where its neighbours are, and taking it out restores the bytes."""
    assert set_in(toml, name, value) == wanted
    assert unset_in(wanted, name) == toml


@pytest.mark.parametrize(
    ("toml", "name", "value", "wanted"),
    [
        ("[lock]\n timeout=1 # s\r\n", "lock.timeout", 3.0, "[lock]\n timeout=3.0 # s\r\n"),
        ('"lock" . "timeout" = 1', "lock.timeout", 0.5, '"lock" . "timeout" = 0.5'),
        ("[lock]\n'timeout'   =   1\n", "lock.timeout", 3.0, "[lock]\n'timeout'   =   3.0\n"),
        ("lock = { timeout = 1 } # s", "lock.timeout", 3.0, "lock = { timeout = 3.0 } # s"),
        ("tools = {codex.enabled = true}", "tools.codex.enabled", False,
         "tools = {codex.enabled = false}"),
        ("[replan]\nplanner = '''\nx'''\n[lock]", "replan.planner", "y",
         '[replan]\nplanner = "y"\n[lock]'),
    ],
)  # fmt: skip
def test_another_value(toml: str, name: str, value: Value, wanted: str) -> None:
    """A value is replaced where it stands; name, spaces and comment stay."""
    assert set_in(toml, name, value) == wanted


def test_comments_and_layout_stay() -> None:
    """What people wrote around a setting is theirs."""
    changed = set_in(TEAM, "replan.landing", "merge")
    assert changed == TEAM.replace("surprise\n", 'surprise\n  landing = "merge"\n')
    changed = set_in(TEAM, "tools.codex.enabled", False)
    assert changed == TEAM + "enabled = false\n"
    assert unset_in(TEAM, "replan.on_dirty") == TEAM.replace(
        '  on_dirty = "refuse"   # never by surprise\n', ""
    )
    assert unset_in(TEAM, "tools.codex.command") == TEAM.partition("\n[tools")[0]
    assert unset_in(TEAM, "lock.timeout") == TEAM


def test_a_setting_moves_no_other() -> None:
    """F-CF-01: after a table that dots have made, a line keeps the table that it is in."""
    toml = 'tools.codex.command = ["x"]\ngate = true\n'
    for name, value in (("tools.codex.enabled", False), ("tools.qwen.enabled", True)):
        changed = tomllib.loads(set_in(toml, name, value))
        assert changed["gate"] is True
        assert changed["tools"]["codex"]["command"] == ["x"]


@pytest.mark.parametrize(
    "toml", ["replan = 5\n", "[[replan]]\n", "[replan.landing]\nx = 1\n", "replan = [{}]"]
)
def test_what_cannot_be_untangled_is_left_alone(toml: str) -> None:
    """Where something else stands in the place of a table or value, nothing is guessed."""
    with pytest.raises(Refusal) as caught:
        set_in(toml, "replan.landing", "merge")
    assert (caught.value.code, caught.value.exit_code) == ("setting-entangled", ExitCode.REFUSED)


def test_a_file_that_is_not_toml_is_not_changed() -> None:
    """The refusal says where the file is wrong."""
    with pytest.raises(Refusal, match="not valid TOML at line 1, column"):
        set_in("a = ", "lock.timeout", 1.0)
    with pytest.raises(Refusal, match="not valid TOML at line 1, column"):
        unset_in("=", "lock.timeout")


# ------------------------------------------------------------------------------ properties

SETTINGS: Mapping[str, Value] = {
    "limits.max_tasks": 20,
    "replan.landing": "merge",
    "replan.signoff": True,
    "lock.timeout": 0.5,
    "ui.language": 'a "quoted\\ 名字',
    "tools.codex.enabled": False,
    "tools.codex.command": ("a b", "c'd"),
    "tools.my-tool.enabled": True,
}
TABLES = st.sampled_from(
    ["limits", "replan", "'replan'", "lock", "ui", "tools", "tools.codex", 'tools . "codex"',
     "tools.my-tool", "other", "other.deep"]
)  # fmt: skip
FIELDS = st.sampled_from(
    ["max_tasks", "landing", '"landing"', "signoff", "timeout", "codex.enabled", "codex", "my-tool",
     "enabled", "command", "replan.on_dirty", "tools.codex.x", "lock.timeout", "lock", "odd", "x.y"]
)  # fmt: skip
VALUES = st.sampled_from(
    ["1", "true", "'ff' ", '"a\\"[\\\\"', "[1, [2]]", "[ # c\n 1, # ]\n]", "{}", "{ }", "{x = 1}",
     "{ enabled = true, command=['}'] }", "{codex = { enabled = true },q.r=1}", "'''\n[t]\n'''",
     '"""a\\"""b"""', "nan", "1979-05-27 07:32:00", "{landing='ff' , signoff = true}"]
)  # fmt: skip
LINES = st.one_of(
    st.builds("[{}]".format, TABLES),
    st.builds("  [ {} ] # why".format, TABLES),
    st.builds("[[{}]]".format, TABLES),
    st.builds("{} = {}".format, FIELDS, VALUES),
    st.builds("\t{}={} # [c".format, FIELDS, VALUES),
    st.sampled_from(["# '''", "", "  ", "#"]),
)


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    """Draws a valid file: any order, comments, both line endings, a mark, no end of line."""
    text = "\n".join(draw(st.lists(LINES, max_size=8))) + draw(st.sampled_from(["", "\n", "\n\n"]))
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        assume(False)
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return draw(st.sampled_from([b"", MARK])) + text.encode()


@given(documents(), st.sampled_from(sorted(SETTINGS)))
def test_set_and_unset_is_nothing(toml: bytes, name: str) -> None:
    """What was not set before, was set, and is taken out again, leaves the bytes from before."""
    assume(without_or_none(toml, name) == toml)
    try:
        changed = with_value(toml, name, SETTINGS[name])
    except Refusal as refusal:
        assert refusal.code == "setting-entangled"
        return
    assert without_value(changed, name) == toml


@given(documents(), st.sampled_from(sorted(SETTINGS)))
def test_every_other_line_stays(toml: bytes, name: str) -> None:
    """Setting adds lines and changes at most the lines of the one value; the order stays."""
    try:
        changed = with_value(toml, name, SETTINGS[name])
    except Refusal as refusal:
        assert refusal.code == "setting-entangled"
        return
    before, after = toml.split(b"\n"), changed.split(b"\n")
    same_head = next(
        (n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b),
        min(len(before), len(after)),
    )
    rest_before, rest_after = before[same_head:], after[same_head:]
    same_tail = next(
        (n for n, (a, b) in enumerate(zip(rest_before[::-1], rest_after[::-1], strict=False))
         if a != b),
        min(len(rest_before), len(rest_after)),
    )  # fmt: skip
    gone = rest_before[: len(rest_before) - same_tail]
    came = rest_after[: len(rest_after) - same_tail]
    # At most one statement goes, and header, blank line and setting come.
    assert len(came) <= 3 + len(gone)
    assert len(gone) <= 3
    field = name.rpartition(".")[2].encode()
    assert all(
        field in line or not line.strip() or line.strip() in (b"]", b"'''") for line in came[-1:]
    )
    assert with_value(changed, name, SETTINGS[name]) == changed


@given(documents(), st.sampled_from(sorted(SETTINGS)))
def test_no_other_setting_moves(toml: bytes, name: str) -> None:
    """F-CF-01: another parser finds every other setting at its place, with its value."""
    without = without_or_none(toml, name)
    assert without is None or others(without, name) == others(toml, name)
    try:
        changed = with_value(toml, name, SETTINGS[name])
    except Refusal as refusal:
        assert refusal.code == "setting-entangled"
        return
    assert others(changed, name) == others(toml, name)


def without_or_none(toml: bytes, name: str) -> bytes | None:
    """Returns a file without a setting, None where it cannot be taken out."""
    try:
        return without_value(toml, name)
    except Refusal:
        return None


def others(toml: bytes, name: str) -> dict[str, str]:
    """Returns every setting but one, as text that tells all values apart."""

    def leaves(value: object, path: tuple[str, ...]) -> dict[str, str]:
        if not isinstance(value, dict):
            return {".".join(path): repr(value)}
        return {k: v for part, one in value.items() for k, v in leaves(one, (*path, part)).items()}

    found = leaves(tomllib.loads(toml.removeprefix(MARK).decode()), ())
    found.pop(name, None)
    return found
