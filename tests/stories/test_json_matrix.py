"""With --json every command answers with one valid document, however it ends and wherever it runs.

Each command ends in success, a refusal, a usage error and outside of any repository. Each of these
runs in one of the surroundings in turn, so that every command and every way to end meets every
surrounding; with WFP_MATRIX=full, all combinations run.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gitwfp.cli.table import COMMANDS
from tests.conftest import ROOT, sealed_environment
from tests.scene import PATIENCE, Scene
from tests.stories.harbour import (
    FOLDER,
    SESSION,
    TASK,
    harbour,
    need,
    operations,
    replanned,
    retitle,
    rolled_back,
)

SCHEMAS = ROOT / "gitwfp" / "schemas" / "out"
FULL = os.environ.get("WFP_MATRIX") == "full"
THREADS = 4
REPLAN = operations(need("IMPL-3", "Show prices in cents"))
CYCLE = operations({"type": "update", "task": "IMPL-1", "depends_on": {"add": ["IMPL-4"]}})


@dataclass(frozen=True, slots=True)
class Surrounding:
    """Where a command runs.

    Attributes:
        env: Variables on top of the test's environment.
        stdin: `closed`, or `silent`: open, and nothing ever comes.
    """

    env: Mapping[str, str]
    stdin: str


SURROUNDINGS = (
    Surrounding({"LC_ALL": "C"}, "closed"),
    Surrounding({"LC_ALL": "zh_CN.UTF-8"}, "silent"),
    Surrounding({"LC_ALL": "C.UTF-8", "LANGUAGE": "zh_CN"}, "closed"),
    Surrounding({"LC_ALL": "C", "FORCE_COLOR": "1"}, "silent"),
)


@dataclass(frozen=True, slots=True)
class Case:
    """How a command is run, and what for.

    Attributes:
        good: Words that succeed; `{branch}` is the what-if's.
        bad: Words that are refused.
        codes: Exit codes that a refusal may have.
        before: What is done to the repository first.
        outside: The exit code outside of a repository.
    """

    good: tuple[str, ...]
    bad: tuple[str, ...]
    codes: tuple[int, ...] = (3,)
    before: Callable[[Path], object] | None = None
    outside: int = 6


def _edit(repo: Path) -> None:
    file = repo / FOLDER / ".task" / "IMPL-1.json"
    file.write_text(file.read_text().replace("Refuse two bookings", "Refuse three bookings"))


def _accept_nothing(repo: Path) -> None:
    file = repo / FOLDER / ".task" / "IMPL-3.json"
    task = json.loads(file.read_text())
    task["context"]["acceptance"] = []
    file.write_text(json.dumps(task, indent=2) + "\n")


CASES: Mapping[str, Case] = {
    "init": Case(("init",), ("-C", "nowhere", "init"), codes=(2,)),
    "start": Case(("start", "卖冰"), ("start", "  "), codes=(2,)),
    "list": Case(("list",), ("list", "--at", "nowhere")),
    "use": Case(("use", SESSION), ("use", "nowhere")),
    "status": Case(("status",), ("status", "nowhere")),
    "next": Case(("next",), ("next", "nowhere")),
    "replan": Case(
        ("replan", "--from", "replan.json"), ("replan", "--from", "cycle.json"), codes=(4,)
    ),
    "adopt": Case(("adopt", "Agreed"), ("adopt", "--session", "nowhere"), before=_edit),
    "verify": Case(("verify",), ("verify", "nowhere")),
    "explain": Case(("explain", "no-steps"), ("explain", "nowhere"), outside=0),
    "waive": Case(
        ("waive", "no-acceptance", "--reason", "卖冰"),
        ("waive", "nowhere", "--reason", "x"),
        before=_accept_nothing,
    ),
    "gate": Case(("gate", "range", "HEAD~1..HEAD"), ("gate", "range", "nowhere..HEAD")),
    "audit": Case(("audit", "HEAD~1..HEAD"), ("audit", "nowhere")),
    "sync": Case(("sync", "fetch", "."), ("sync", "fetch", "nowhere")),
    "merge-driver": Case(
        ("merge-driver", TASK, TASK, TASK, TASK),
        ("merge-driver", "nowhere", "nowhere", "nowhere", TASK),
        outside=3,
    ),
    "watch": Case(("watch", "--once"), ("watch", "--once", "--timeout", "no number"), codes=(2,)),
    "daemon": Case(("daemon", "stop"), ("daemon", "status"), codes=(1,)),
    "autosave": Case(("autosave", "list"), ("autosave", "restore", "newest")),
    "log": Case(("log",), ("log", "--session", "nowhere")),
    "show": Case(("show",), ("show", "nowhere")),
    "diff": Case(("diff", "HEAD~1"), ("diff", "nowhere")),
    "rollback": Case(("rollback", "--last"), ("rollback", "nowhere")),
    "undo": Case(("undo",), ("undo", "--session", "nowhere")),
    "redo": Case(("redo",), ("redo", "--session", "nowhere")),
    "land": Case(("land", "{branch}"), ("land", "nowhere")),
    "doctor": Case(("doctor",), ("doctor", "--fix"), codes=(2,), outside=1),
    "deinit": Case(("deinit",), ("-C", "nowhere", "deinit"), codes=(2,)),
    "blame": Case(("blame", "IMPL-1"), ("blame", "nowhere")),
    "compare": Case(("compare", "HEAD~1", "{branch}"), ("compare", "HEAD", "nowhere")),
    "drop": Case(("drop", "{branch}"), ("drop", "nowhere")),
    "prime": Case(("prime",), ("prime", "--session", "nowhere")),
    "config": Case(("config", "set", "lock.timeout", "3"), ("config", "get", "nowhere")),
    "completion": Case(("completion", "bash"), ("completion", "sh"), codes=(2,), outside=0),
    "help": Case(("help",), ("help", "nowhere"), codes=(2,), outside=0),
    "complete": Case(("complete", "sta"), ("-C", "nowhere", "complete"), codes=(2,), outside=0),
    "demo": Case(("demo", "../a-demo"), ("demo", "."), codes=(1, 2, 3, 4, 5, 6), outside=0),
    "schema": Case(("schema",), ("schema", "out/nothing"), outside=0),
}


@dataclass(frozen=True, slots=True)
class Template:
    """A prepared repository and what is in it."""

    path: Path
    branch: str


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, homes: Path) -> Template:
    """A harbour with two replans, one of them rolled back, and a what-if."""
    folder = tmp_path_factory.mktemp("matrix")
    home = homes / folder.name
    home.mkdir()
    sealed = sealed_environment(home, os.environ)
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ.keys() - sealed.keys():
            patch.delenv(name)
        for name, value in sealed.items():
            patch.setenv(name, value)
        scene = Scene(folder / "project", home=home)
        harbour(scene)
        replanned(scene, retitle("IMPL-3", "Quote"))
        replanned(scene, need("IMPL-2", "Sort by distance to the fuel pier"))
        rolled_back(scene, "--last")
        what_if = replanned(scene, need("IMPL-4", "Say why"), words=("--branch-only",))
        scene.write({"replan.json": REPLAN, "cycle.json": CYCLE})
    return Template(scene.path, what_if["branch"])


def run(
    words: tuple[str, ...], folder: Path, place: Surrounding
) -> subprocess.CompletedProcess[bytes]:
    """Runs a command with --json in some surrounding."""
    argv = [sys.executable, "-m", "gitwfp", *words, "--json"]
    if place.stdin == "closed":
        argv = ["sh", "-c", 'exec "$0" "$@" <&-', *argv]
    reader, writer = os.pipe()
    try:
        return subprocess.run(
            argv,
            cwd=folder,
            env={**os.environ, **place.env},
            stdin=reader,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
    finally:
        os.close(reader)
        os.close(writer)


def faults(done: subprocess.CompletedProcess[bytes], codes: tuple[int, ...]) -> Iterator[str]:
    """Yields what is wrong with an answer."""
    said = f"exit {done.returncode}\n{done.stdout.decode()}{done.stderr.decode()}"
    if done.returncode not in codes:
        yield f"not one of {codes}: {said}"
    if done.stderr:
        yield f"something is said beside the document: {said}"
    if b"\x1b" in done.stdout or done.stdout.count(b"\n") != 1:
        yield f"not one plain line: {said}"
    try:
        document = json.loads(done.stdout)
    except ValueError:
        yield f"not JSON: {said}"
        return
    if document["exit_code"] != done.returncode or document["ok"] != (done.returncode == 0):
        yield f"the document tells another end: {said}"
    yield from (f"{error}: {said}" for error in schema_errors(document))
    texts = [diagnostic["message"] for diagnostic in document["diagnostics"]]
    if any("\u4e00" <= letter <= "\u9fff" for text in texts for letter in text.replace("卖冰", "")):
        yield f"messages for programs are English: {said}"


def schema_errors(document: Any) -> list[str]:
    """Returns how a document breaks the schema that is published for its kind."""
    return [error.message for error in validator(document["kind"]).iter_errors(document)]


@cache
def validator(kind: str) -> Any:
    """Returns the validator of a kind of document."""
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads((SCHEMAS / f"{kind}.json").read_text("utf-8")))


def test_every_command_is_in_the_matrix() -> None:
    """A new command comes with its cases."""
    assert CASES.keys() == COMMANDS.keys()


ENDS = ("success", "refusal", "usage", "outside")


@pytest.mark.parametrize("end", ENDS)
def test_one_valid_document(template: Template, tmp_path: Path, end: str) -> None:
    """Exactly one document that fits its schema, nothing beside it, and the exit code it tells."""

    def answer(job: tuple[str, Surrounding, int]) -> list[str]:
        name, place, number = job
        case = CASES[name]
        words = tuple(word.format(branch=template.branch) for word in case.good)
        codes: tuple[int, ...] = (0,)
        folder = tmp_path / f"{name}-{number}" / "project"
        if end == "outside":
            folder.mkdir(parents=True)
            for file in ("replan.json", "cycle.json"):
                shutil.copy(template.path / file, folder)
            codes = (case.outside,)
        else:
            shutil.copytree(template.path, folder, symlinks=True)
        if end == "success" and case.before is not None:
            case.before(folder)
        if end == "refusal":
            words, codes = case.bad, case.codes
        if end == "usage":
            words, codes = (*words, "--nonsense"), (2,)
        done = run(words, folder, place)
        found = [f"{' '.join(words)} in {place}: {fault}" for fault in faults(done, codes)]
        if b"Traceback" in done.stdout + done.stderr:
            found.append(f"{' '.join(words)}: a traceback")
        return found

    jobs = [
        (name, place, number)
        for row, name in enumerate(CASES)
        for number, place in enumerate(SURROUNDINGS)
        if FULL or (row + ENDS.index(end)) % len(SURROUNDINGS) == number
    ]
    with ThreadPoolExecutor(THREADS) as pool:
        wrong = [fault for found in pool.map(answer, jobs) for fault in found]
    assert not wrong, "\n\n".join(wrong)
