"""Looks at hook and merge driver: whether a push would really reach the gate."""

import os
import re
import secrets
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from gitwfp.errors import Location, say
from gitwfp.flows.doctor.check import Check, Grade
from gitwfp.flows.env import Env
from gitwfp.flows.hooks import shown
from gitwfp.git.driver import NAME
from gitwfp.git.hookfolder import hook_folder
from gitwfp.git.hooks import read_hook_receipt
from gitwfp.git.hooktext import HOOKS, PROBE
from gitwfp.git.program import to_text
from gitwfp.git.smallfiles import read_if_file
from gitwfp.patterns import regex

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

_PROGRAM = regex(rb"^_wfp_program='(.*)'$", re.MULTILINE)
_MANAGED: Final = (".husky/pre-push", "lefthook.yml", "lefthook.yaml", ".pre-commit-config.yaml")
_PATIENCE: Final = 60.0
_WHY: Final = say("Without it a broken plan reaches others before anybody notices.")
_INIT: Final = say("git wfp init installs it, or prints the line to add.")


def hook(env: Env) -> Iterator[Check]:
    """Tells whether a push from here is judged, by trying one that goes nowhere."""
    repo = env.repo
    if repo.top is None:
        return
    expected = say("A push from here reaches the gate.")
    places = _places(repo)
    missing = _missing_program(places)
    if missing is not None:
        yield Check(
            "hook",
            Grade.WARNING,
            say("The hook starts {program}, which is not there.", program=missing),
            expected,
            say("Such a hook refuses every push that changes a plan."),
            _INIT,
        )
        return
    if not places:
        was_there = bool(read_hook_receipt(repo).hooks)
        yield Check(
            "hook",
            Grade.WARNING if was_there else Grade.NOTE,
            say("The hook that git wfp init installed is gone.")
            if was_there
            else say("No hook judges what is pushed from here."),
            expected,
            _WHY,
            _INIT,
            Location(shown(repo, hook_folder(repo).path)),
        )
        return
    if repo.head().commit is None:
        yield Check(
            "hook",
            Grade.NOTE,
            say("Whether a push reaches the hook cannot be tried before the first commit."),
            expected,
            _WHY,
        )
        return
    is_reached = _is_reached(repo)
    yield Check(
        "hook",
        Grade.OK if is_reached else Grade.WARNING,
        say("A push from here reaches the gate.")
        if is_reached
        else say("A push from here does not reach the gate, although a hook names it."),
        expected,
        _WHY,
        None
        if is_reached
        else say(
            "See that git may run the hook: its mode, core.hooksPath ({path}), what runs first.",
            path=repo.config().get("core.hookspath") or "-",
        ),
    )


def merge_driver(env: Env) -> Iterator[Check]:
    """Tells whether git merges plans field by field here."""
    repo = env.repo
    if repo.top is None:
        return
    sample = ".workflow/active/WFS-x/.task/IMPL-1.json"
    done = repo.git.run("check-attr", "-z", "merge", "--", sample)
    wanted = to_text(done.out).split("\0")[2:3] == [NAME]
    command = repo.config().get(f"merge.{NAME}.driver")
    expected = say("git merge merges plans field by field.")
    why = say("Lines of JSON that are merged one by one may be no plan, or none that was meant.")
    if wanted and command:
        yield Check("merge-driver", Grade.OK, say("It does."), expected, why)
    elif wanted:
        yield Check(
            "merge-driver",
            Grade.WARNING,
            say("Attributes ask for the merge driver, and it is not registered in this clone."),
            expected,
            why,
            _INIT,
        )
    elif command:
        yield Check(
            "merge-driver",
            Grade.WARNING,
            say("The merge driver is registered, and no attribute asks for it."),
            expected,
            why,
            say("git wfp init adds the lines to {path}.", path=".workflow/.gitattributes"),
        )
    else:
        yield Check(
            "merge-driver",
            Grade.NOTE,
            say("Git merges plans by lines here."),
            expected,
            why,
            _INIT,
        )


def _places(repo: "Repository") -> dict[str, bytes]:
    """Returns the files that name the gate, with their content."""
    folder = hook_folder(repo).path
    names = [os.path.join(folder, HOOKS[0] + ending) for ending in ("", ".legacy")]
    names += [os.path.join(repo.top or "", name) for name in _MANAGED]
    found = {}
    for name in names:
        content = read_if_file(os.path.realpath(name))
        if content is not None and b"git-wfp" in content:
            found[name] = content
    return found


def _missing_program(places: dict[str, bytes]) -> str | None:
    for content in places.values():
        recorded = _PROGRAM.search(content)
        if recorded is not None:
            program = to_text(recorded[1]).replace("'\\''", "'")
            if not os.access(program, os.X_OK):
                return program
    return None


def _is_reached(repo: "Repository") -> bool:
    """Pushes to an empty repository, with the word that makes our hook stop and say so."""
    token = secrets.token_hex(8)
    with tempfile.TemporaryDirectory(prefix="wfp-probe-") as place:
        repo.git.run("init", "--quiet", "--bare", place)
        done = repo.git.run(
            "push",
            "--dry-run",
            place,
            "HEAD:refs/heads/probe",
            ok=tuple(range(256)),
            env={PROBE: token},
            timeout=_PATIENCE,
        )
    return f"({token})".encode() in done.out + done.err
