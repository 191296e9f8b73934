"""Holds the walls of the design: layers, purity, size, documentation, and no leftovers."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "gitwfp"
PURE_ROOMS = ("errors.py", "config.py", "model", "change", "files", "verify", "policy", "draft")
BANNED_CALLS = {"__import__", "breakpoint", "eval", "exec", "input", "open", "print"}
BANNED_METHODS = {"now", "today", "utcnow"}
SOFT_LIMIT, HARD_LIMIT = 350, 420
WRITTEN_IN = {".cfg", ".json", ".md", ".po", ".py", ".sh", ".toml", ".yaml", ".yml", ""}


def python_files(*folders: Path) -> list[Path]:
    """Returns the modules below some folders."""
    return sorted(file for folder in folders for file in folder.rglob("*.py"))


def parsed(file: Path) -> ast.Module:
    """Returns the syntax tree of a module."""
    return ast.parse(file.read_text("utf-8"), str(file))


def place(file: Path, node: ast.AST | None = None) -> str:
    """Returns where a complaint belongs, as an editor opens it."""
    line = getattr(node, "lineno", 1)
    return f"{file.relative_to(ROOT)}:{line}"


def is_pure(file: Path) -> bool:
    """Tells whether a module belongs to a pure room."""
    return file.relative_to(PACKAGE).parts[0] in PURE_ROOMS


def test_import_contracts_hold() -> None:
    """Layers point down, strangers stay strangers, and each library stays in its room."""
    command = Path(sys.executable).parent / "lint-imports"
    done = subprocess.run(
        [command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_pure_rooms_call_nothing_outside() -> None:
    """The core neither prints nor opens nor asks nor looks at the clock."""
    found = []
    for file in filter(is_pure, python_files(PACKAGE)):
        for node in ast.walk(parsed(file)):
            if not isinstance(node, ast.Call):
                continue
            called = node.func
            if isinstance(called, ast.Name) and called.id in BANNED_CALLS:
                found.append(f"{place(file, node)} {called.id}")
            if isinstance(called, ast.Attribute) and called.attr in BANNED_METHODS:
                found.append(f"{place(file, node)} {called.attr}")
    assert found == []


def test_modules_fit_in_a_head() -> None:
    """No module is longer than the hard limit, and few are longer than the soft one."""
    lengths = {
        place(file): len(file.read_text("utf-8").splitlines()) for file in python_files(PACKAGE)
    }
    assert {name: n for name, n in lengths.items() if n > HARD_LIMIT} == {}
    long = {name: n for name, n in lengths.items() if n > SOFT_LIMIT}
    assert len(long) <= max(1, len(lengths) // 10), f"too many long modules: {long}"


def is_overload(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """Tells whether a definition only gives one of a function's signatures."""
    return any(isinstance(d, ast.Name) and d.id == "overload" for d in node.decorator_list)


def public_definitions(tree: ast.Module) -> Iterator[ast.AST]:
    """Yields the public functions, classes and methods of a module."""
    waiting: list[ast.Module | ast.ClassDef] = [tree]
    while waiting:
        for node in waiting.pop().body:
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            if node.name.startswith("_") or is_overload(node):
                continue
            yield node
            if isinstance(node, ast.ClassDef):
                waiting.append(node)


def is_documented(node: ast.AST) -> bool:
    """Tells whether a module, class or function has a docstring."""
    documented = ast.AsyncFunctionDef | ast.ClassDef | ast.FunctionDef | ast.Module
    return isinstance(node, documented) and bool(ast.get_docstring(node))


def test_everything_public_is_documented() -> None:
    """Each module, public class, function and method of the package says what it is."""
    found = []
    for file in python_files(PACKAGE):
        tree = parsed(file)
        nodes = [tree, *public_definitions(tree)]
        found += [place(file, node) for node in nodes if not is_documented(node)]
    assert found == []


def test_every_test_states_its_promise() -> None:
    """Each test has a docstring, and its first paragraph is one sentence."""
    found = []
    for file in python_files(ROOT / "tests"):
        for node in ast.walk(parsed(file)):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                promise = (ast.get_docstring(node) or "").split("\n\n")[0]
                if not promise.rstrip().endswith("."):
                    found.append(f"{place(file, node)} {node.name}")
    assert found == []


def written_files() -> Iterator[tuple[Path, str]]:
    """Yields every text file of the project with its text, without what tools leave behind."""
    for entry in sorted(ROOT.iterdir()):
        if entry.name in {"build", "demo", "dist"} or (
            entry.name.startswith(".") and entry.name not in {".ci", ".github"}
        ):
            continue
        for file in [entry] if entry.is_file() else sorted(entry.rglob("*")):
            if file.is_file() and file.suffix in WRITTEN_IN and "__pycache__" not in file.parts:
                yield file, file.read_text("utf-8", "replace")


# In pieces, so that this file does not find itself.
UNFINISHED = re.compile(
    r"#\s*TO" + r"DO\b|\bTO" + r"DO:|\b(?:FIX" + r"ME|XX" + r"X)\b|NotImplemented" + r"Error"
)
ASLEEP = re.compile(r"\btime\.sle" + r"ep\(")
GIVEN_UP = re.compile(r"pytest\.mark\.(?:sk" + r"ip\b|xfa" + r"il\b)")
SILENT = re.compile(r"except[^\n]*:\s*\n\s*(?:pass|\.\.\.)\s*$", re.MULTILINE)


@pytest.mark.parametrize(
    ("folders", "pattern"),
    [
        (("gitwfp", "hooks"), UNFINISHED),
        (("gitwfp",), SILENT),
        (("tests",), ASLEEP),
        (("tests",), GIVEN_UP),
    ],
    ids=["unfinished work", "swallowed exceptions", "sleeps", "tests given up"],
)
def test_nothing_is_left_over(folders: tuple[str, ...], pattern: re.Pattern[str]) -> None:
    """No mark of unfinished work, silent handler, sleep or disabled test is in the project."""
    found = []
    for file, text in written_files():
        if file.relative_to(ROOT).parts[0] in folders:
            found += [
                f"{file.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}"
                for match in pattern.finditer(text)
            ]
    assert found == []


def test_no_path_of_a_machine_is_written_down() -> None:
    """No file names the folder that the project or its author happens to live in."""
    homes = re.compile(r"/(?:home|Users)/(?!<)[a-z][\w.-]*/|/ro" + r"ot/")
    beside = "../" + "shared"
    found = []
    for file, text in written_files():
        name = file.relative_to(ROOT).as_posix()
        if str(ROOT) + "/" in text or homes.search(text):
            found.append(name)
        if beside in text and not name.startswith("tests/"):
            found.append(name)
    assert found == []
