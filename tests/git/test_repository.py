"""Questions about repositories of each kind, and what is answered where there is none."""

import os
import subprocess
import sys
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitwfp.errors import ExitCode, Refusal
from gitwfp.git.config import Config, normal_key
from gitwfp.git.program import GitFailed, GitProgram
from gitwfp.git.repository import Head, Repository
from gitwfp.git.state import FileState, parse_status
from tests.scene import Scene


def opened(scene: Scene, folder: str = "", environ: Mapping[str, str] | None = None) -> Repository:
    """Opens a repository from a folder of a scene."""
    return Repository.open(str(scene.path / folder), {**os.environ, **(environ or {})})


def refused(scene: Scene, folder: str = "", environ: Mapping[str, str] | None = None) -> Refusal:
    """Returns the refusal to open a repository."""
    with pytest.raises(Refusal) as caught:
        opened(scene, folder, environ)
    return caught.value


@pytest.fixture
def planned(scene: Scene) -> Scene:
    """A repository with one commit that holds a plan."""
    scene.write({".workflow/plan.json": "{}\n", "src/app.py": "pass\n"})
    scene.commit("plan")
    return scene


# ------------------------------------------------------------------------------ finding it


def test_a_plain_repository(planned: Scene) -> None:
    """From its top, all is where it usually is."""
    repo = opened(planned)
    top = str(planned.path)
    assert (repo.top, repo.git_dir, repo.common_dir) == (top, f"{top}/.git", f"{top}/.git")
    assert (repo.is_bare, repo.is_shallow, repo.object_format, repo.prefix) == (
        False,
        False,
        "sha1",
        "",
    )
    assert repo.features() == ()
    assert repo.head() == Head("refs/heads/main", planned.git("rev-parse", "HEAD"))
    assert repo.head().branch == "main"


def test_one_run_of_git_finds_it(planned: Scene, tmp_path: Path) -> None:
    """Opening costs one process, whatever is asked about the place."""
    calls = tmp_path / "calls"
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    real = subprocess.run(["which", "git"], capture_output=True, text=True, check=True).stdout
    wrapper.write_text(f'#!/bin/sh\necho "$1" >>{calls}\nexec {real.strip()} "$@"\n')
    wrapper.chmod(0o755)
    path = f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}"
    assert opened(planned, "src", {"PATH": path}).prefix == "src/"
    assert calls.read_text().split() == ["rev-parse"]


@pytest.mark.parametrize("folder", ["src", "src/../.workflow", "."])
def test_a_folder_below_the_top(planned: Scene, folder: str) -> None:
    """The prefix says where the user stands, and files are read from the top all the same."""
    repo = opened(planned, folder)
    assert repo.top == str(planned.path)
    assert repo.prefix == {"src": "src/", ".": ""}.get(folder, ".workflow/")
    assert repo.worktree_files().read(".workflow/plan.json") == b"{}\n"
    assert [e.path for e in repo.index_files().entries("src")] == ["src/app.py"]
    repo.close()


def test_an_alias_of_the_shell_kind(planned: Scene) -> None:
    """Git starts such an alias at the top and says in a variable where the user stood."""
    script = planned.path.parent / "where.py"
    script.write_text(
        "import os\nfrom gitwfp.git.repository import Repository\n"
        "print(repr(Repository.open('.', os.environ).prefix))\n"
    )
    planned.git("config", "alias.where", f"!{sys.executable} {script}")
    assert planned.git("-C", "src", "where") == "'src/'"
    assert planned.git("where") == "''"


def test_a_bare_repository(planned: Scene) -> None:
    """It has commits and no worktree, and what needs one is refused."""
    bare = planned.clone("bare.git", "--bare")
    repo = opened(bare)
    assert (repo.top, repo.git_dir, repo.is_bare) == (None, str(bare.path), True)
    assert repo.features() == ("bare",)
    head = repo.head()
    assert head.ref == "refs/heads/main"
    with repo:
        assert repo.commit_files(head.commit).read("src/app.py") == b"pass\n"
    assert opened(bare, "refs").git_dir == str(bare.path)
    for ask in (repo.worktree_files, repo.worktree_state, repo.workflow_kind):
        with pytest.raises(Refusal) as caught:
            ask()
        assert (caught.value.code, caught.value.exit_code) == ("no-worktree", ExitCode.ENVIRONMENT)


def test_inside_the_git_folder(planned: Scene) -> None:
    """There is a repository and no worktree, whether git is told about it or not."""
    for environ in ({}, {"GIT_DIR": "."}):
        repo = opened(planned, ".git", environ)
        assert (repo.top, repo.git_dir) == (None, str(planned.path / ".git"))
        assert repo.head().branch == "main"


def test_a_linked_worktree(planned: Scene) -> None:
    """It has a git folder of its own and shares the other one."""
    planned.git("worktree", "add", "--quiet", "-b", "side", "../linked")
    linked = planned.beside("linked")
    repo = opened(linked)
    assert repo.top == str(linked.path)
    assert repo.git_dir == str(planned.path / ".git/worktrees/linked")
    assert repo.common_dir == str(planned.path / ".git")
    assert repo.head().branch == "side"
    assert repo.features() == ("linked worktree",)
    with repo:
        assert repo.commit_files(repo.head().commit).read("src/app.py") == b"pass\n"


def test_a_linked_worktree_of_a_bare_repository(planned: Scene) -> None:
    """It is not bare itself."""
    bare = planned.clone("bare.git", "--bare")
    bare.git("worktree", "add", "--quiet", "../linked", "main")
    repo = opened(bare.beside("linked"))
    assert (repo.is_bare, repo.head().branch, repo.common_dir) == (False, "main", str(bare.path))
    assert repo.checked_out_elsewhere("main") is None
    assert opened(bare).checked_out_elsewhere("main") == str(bare.path.parent / "linked")


def test_a_submodule(planned: Scene, tmp_path: Path) -> None:
    """It is a repository of its own whose git folder lies within the other's."""
    outer = Scene(tmp_path / "outer", home=planned.home)
    outer.git("submodule", "--quiet", "add", str(planned.path), "deps/inner")
    repo = opened(outer, "deps/inner/src")
    assert (repo.top, repo.prefix) == (str(outer.path / "deps/inner"), "src/")
    assert repo.git_dir == str(outer.path / ".git/modules/deps/inner")
    assert repo.features() == ("submodule",)
    assert repo.checked_out_elsewhere("main") is None
    assert repo.worktree_state() == ()


def test_a_git_folder_elsewhere(planned: Scene) -> None:
    """A clone with a separate git folder knows its worktree."""
    planned.clone("clone", "--separate-git-dir", str(planned.path.parent / "elsewhere"))
    repo = opened(planned.beside("clone"), "src")
    assert repo.top == str(planned.path.parent / "clone")
    assert repo.git_dir == str(planned.path.parent / "elsewhere")
    assert repo.checked_out_elsewhere("main") is None


def test_a_worktree_by_configuration(planned: Scene) -> None:
    """With core.worktree the files are elsewhere, and git still finds the way from there."""
    elsewhere = planned.path.parent / "files"
    elsewhere.mkdir()
    planned.git("config", "core.worktree", str(elsewhere))
    repo = opened(planned, ".git")
    assert repo.top == str(elsewhere)
    assert {state.code for state in repo.worktree_state()} == {".D"}


def test_git_dir_and_work_tree_by_environment(planned: Scene, tmp_path: Path) -> None:
    """Relative folders in git's variables are taken from where the user stands."""
    (tmp_path / "elsewhere/sub").mkdir(parents=True)
    environ = {"GIT_DIR": "../../project/.git", "GIT_WORK_TREE": ".."}
    repo = Repository.open(str(tmp_path / "elsewhere/sub"), {**os.environ, **environ})
    assert (repo.top, repo.prefix) == (str(tmp_path / "elsewhere"), "sub/")
    assert repo.git_dir == str(planned.path / ".git")
    assert {state.code for state in repo.worktree_state()} == {".D"}
    assert repo.head().branch == "main"


def test_git_dir_without_a_work_tree(planned: Scene) -> None:
    """Git then takes the folder where the user stands for the top."""
    repo = opened(planned, "src", {"GIT_DIR": str(planned.path / ".git")})
    assert (repo.top, repo.prefix) == (str(planned.path / "src"), "")


def test_an_index_by_environment(planned: Scene) -> None:
    """A hook of a commit with -a sees the index that the commit will have."""
    planned.git("read-tree", "--index-output=.git/other", "HEAD")
    planned.write({"new": "x"})
    planned.git("add", "new", env={"GIT_INDEX_FILE": ".git/other"})
    with opened(planned, "src", {"GIT_INDEX_FILE": ".git/other"}) as repo:
        assert "new" in [e.path for e in repo.index_files().entries("")]
    with opened(planned) as repo:
        assert "new" not in [e.path for e in repo.index_files().entries("")]


def test_a_folder_with_a_line_break_in_its_name(home: Path, tmp_path: Path) -> None:
    """Odd folder names do not mix up what git says about the place."""
    scene = Scene(tmp_path / "odd\nname" / "x", home=home)
    scene.write({"sub/f": "x"})
    made = scene.commit("f")
    repo = opened(scene, "sub")
    assert (repo.top, repo.prefix) == (str(scene.path), "sub/")
    assert repo.git_dir == str(scene.path / ".git")
    assert repo.head().commit == made


def test_a_detached_head(planned: Scene) -> None:
    """There is a commit and no branch."""
    planned.git("checkout", "--quiet", "--detach")
    head = opened(planned).head()
    assert (head.ref, head.branch, head.commit) == (None, None, planned.git("rev-parse", "HEAD"))


def test_a_branch_without_commits(scene: Scene) -> None:
    """There is a branch and no commit, and questions about it are answered."""
    scene.write({".workflow/plan.json": "{}"})
    repo = opened(scene)
    assert repo.head() == Head("refs/heads/main", None)
    assert repo.worktree_state() == (FileState(".workflow/plan.json", untracked=True, code="??"),)
    assert repo.operation_in_progress() is None
    assert repo.checked_out_elsewhere("main") is None
    assert list(repo.index_files().entries("")) == []
    with pytest.raises(Refusal) as caught:
        repo.resolve("HEAD")
    assert caught.value.exit_code is ExitCode.NOT_FOUND


@pytest.mark.parametrize("init", [(), ("--bare",)])
def test_a_file_called_head_is_not_head(home: Path, tmp_path: Path, init: tuple[str, ...]) -> None:
    """On a branch without commits, git would take such a file for what is meant."""
    scene = Scene(tmp_path / "unborn", home=home, init=init)
    if not init:
        scene.write({"HEAD": "x"})
    assert opened(scene).head() == Head("refs/heads/main", None)


def test_a_broken_head_is_not_taken_for_an_unborn_branch(planned: Scene) -> None:
    """A damaged branch must not look like a fresh repository."""
    (planned.path / ".git/refs/heads/main").write_text("garbage\n")
    with pytest.raises(Refusal) as caught:
        opened(planned).head()
    assert caught.value.code == "head-broken"


def test_a_shallow_clone(planned: Scene) -> None:
    """It is known to be one."""
    planned.write({"f": "x"})
    planned.commit("second")
    url = planned.path.as_uri()
    planned.git("clone", "--quiet", "--depth=1", url, "../shallow")
    repo = opened(planned.beside("shallow"))
    assert repo.is_shallow
    assert repo.features() == ("shallow",)


def test_a_split_index(planned: Scene) -> None:
    """It is named, and read all the same."""
    planned.git("update-index", "--split-index")
    with opened(planned) as repo:
        assert repo.features() == ("split index",)
        assert repo.index_files().read("src/app.py") == b"pass\n"
        assert repo.worktree_state() == ()


def test_a_sparse_index(planned: Scene) -> None:
    """It is named, and folders that are left out are read from it all the same."""
    planned.write({"docs/a.md": "a"})
    planned.commit("docs")
    planned.git("sparse-checkout", "set", "--cone", "--sparse-index", "src")
    with opened(planned) as repo:
        assert repo.features() == ("sparse checkout", "sparse index", "worktree configuration")
        assert repo.index_files().read(".workflow/plan.json") == b"{}\n"
        assert repo.worktree_state() == ()
        hidden = repo.worktree_state(".workflow", hidden=True)
        assert hidden == (FileState(".workflow/plan.json", skip_worktree=True),)
        assert repo.workflow_kind() == "absent"


def test_a_sha256_repository(home: Path, tmp_path: Path) -> None:
    """Its ids are longer, and nothing else is different."""
    scene = Scene(tmp_path / "long", home=home, init=("--object-format=sha256",))
    scene.write({".workflow/plan.json": "{}", "empty": ""})
    made = scene.commit("plan")
    with opened(scene) as repo:
        assert (repo.object_format, repo.features()) == ("sha256", ("sha256",))
        assert repo.resolve("main") == made
        assert repo.index_files().read(".workflow/plan.json") == b"{}"
        assert repo.index_files().read("empty") == b""


# ---------------------------------------------------------------- where there is none


def test_no_repository(home: Path, tmp_path: Path) -> None:
    """The refusal says so in one sentence, and what to do."""
    with pytest.raises(Refusal) as caught:
        Repository.open(str(tmp_path), os.environ)
    refusal = caught.value
    assert (refusal.code, refusal.exit_code) == ("not-a-repository", ExitCode.ENVIRONMENT)
    assert str(refusal.message) == f"{tmp_path} is not in a git repository."
    assert refusal.hint is not None


def test_no_folder(scene: Scene) -> None:
    """A folder that is gone is not taken for a missing git."""
    assert refused(scene, "missing").code == "folder-missing"


def test_no_git(scene: Scene, tmp_path: Path) -> None:
    """Without the git program, that is what is said."""
    refusal = refused(scene, environ={"PATH": str(tmp_path)})
    assert (refusal.code, refusal.exit_code) == ("git-missing", ExitCode.ENVIRONMENT)
    assert "2.38" in str(refusal.hint)


@pytest.mark.parametrize(
    "answer",
    [
        # What very old versions do with an option of rev-parse that they do not know: repeat it.
        'if [ "$1" = rev-parse ]; then echo "$2"; exit 0; fi',
        'if [ "$1" = rev-parse ]; then echo "usage: git rev-parse" >&2; exit 129; fi',
    ],
)
def test_an_old_git(scene: Scene, tmp_path: Path, answer: str) -> None:
    """A git that is too old is named with its version."""
    git = tmp_path / "git"
    git.write_text(f"#!/bin/sh\n{answer}\necho git version 2.17.1\n")
    git.chmod(0o755)
    refusal = refused(scene, environ={"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"})
    assert (refusal.code, refusal.exit_code) == ("git-too-old", ExitCode.ENVIRONMENT)
    assert "2.17.1" in str(refusal.message)
    assert "2.38" in str(refusal.message)


def test_the_version_can_be_required(scene: Scene) -> None:
    """The git of this machine passes, and a version that is not out yet does not."""
    git = opened(scene).git
    git.require_version()
    with pytest.raises(Refusal) as caught:
        git.require_version((99, 0))
    assert caught.value.code == "git-too-old"


@pytest.mark.parametrize(
    ("key", "value", "word"),
    [
        ("core.repositoryFormatVersion", "7", "version"),
        ("extensions.whatIsThis", "true", "whatisthis"),
        ("extensions.objectFormat", "md5", "md5"),
    ],
)
def test_a_format_that_git_does_not_know(scene: Scene, key: str, value: str, word: str) -> None:
    """The refusal carries git's own reason, in one line."""
    scene.git("config", "core.repositoryFormatVersion", "1")
    scene.git("config", key, value)
    refusal = refused(scene)
    assert refusal.exit_code is ExitCode.ENVIRONMENT
    assert word in str(refusal.message)
    assert "\n" not in str(refusal.message)
    assert refusal.code == "repository-unsupported"


def test_a_bare_repository_that_git_does_not_trust(planned: Scene, home: Path) -> None:
    """Git's setting against bare repositories inside others is respected."""
    bare = planned.clone("bare.git", "--bare")
    with (home / ".gitconfig").open("a") as file:
        file.write("[safe]\n\tbareRepository = explicit\n")
    assert refused(bare).code == "repository-not-trusted"
    assert opened(bare, environ={"GIT_DIR": str(bare.path)}).head().branch == "main"


# ------------------------------------------------------------------------------- the program


def test_git_never_waits_for_a_person(planned: Scene) -> None:
    """Editors and prompts fail at once, and our own input is left alone."""
    git = opened(planned).git
    with pytest.raises(GitFailed):
        git.run("commit", "--allow-empty", timeout=30)
    with pytest.raises(GitFailed):
        git.run("rebase", "-i", "--root", timeout=30)
    assert git.run("hash-object", "--stdin", timeout=30).out.strip() == (
        b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    )


def test_a_failure_carries_gits_words(planned: Scene) -> None:
    """Command, exit code and text are kept, in English whatever the user's language."""
    git = opened(planned, environ={"LC_ALL": "zh_CN.UTF-8", "LANGUAGE": "zh_CN"}).git
    with pytest.raises(GitFailed) as caught:
        git.run("-c", "core.pager=cat", "update-ref", "refs/heads/x", "nonsense")
    failure = caught.value
    assert (failure.command, failure.exit_status) == ("update-ref", 128)
    assert failure.text.startswith("fatal: ")
    assert failure.text in str(failure)
    assert failure.exit_code is ExitCode.ENVIRONMENT
    assert git.run("rev-parse", "--verify", "--quiet", "nonsense", ok=(1,)).code == 1


def test_a_run_can_be_given_a_time(planned: Scene) -> None:
    """A git that takes too long is ended, and that is a failure like another."""
    git = opened(planned).git
    with pytest.raises(GitFailed, match="no answer"):
        git.run("-c", "alias.wait=!sleep 60", "wait", timeout=0.2)


def test_arguments_and_input_are_bytes_for_git(planned: Scene) -> None:
    """Names that are not UTF-8 and variables for one run reach git as they are."""
    git = opened(planned).git
    name = "caf\udce9"
    blob = git.run("hash-object", "-w", "--stdin", input=b"x").out.decode().strip()
    index = {"GIT_INDEX_FILE": str(planned.path / ".git/own")}
    git.run("update-index", "--add", "--cacheinfo", f"100644,{blob},{name}", env=index)
    assert git.run("ls-files", "-z", env=index).out == b"caf\xe9\0"
    assert b"caf" not in git.run("ls-files", "-z").out


def test_users_pathspec_settings_do_not_reach_us(planned: Scene) -> None:
    """`git --glob-pathspecs wfp` must neither fail nor change what a path means."""
    repo = opened(planned, environ={"GIT_GLOB_PATHSPECS": "1", "GIT_ICASE_PATHSPECS": "1"})
    assert repo.worktree_state(".WORKFLOW") == ()
    assert repo.unmerged_paths("*") == ()


# --------------------------------------------------------------------------------- revisions


def test_revisions_of_all_kinds_are_resolved(planned: Scene) -> None:
    """Branches, tags, ids, ancestors, searches and reflogs all give the full commit id."""
    first = planned.git("rev-parse", "HEAD")
    planned.git("tag", "-a", "v1", "-m", "one")
    planned.write({"f": "x"})
    second = planned.commit("second: with a subject")
    repo = opened(planned, "src")
    for rev in ("v1", "HEAD~1", "HEAD^", first, first[:10], "main~1", "HEAD@{1}", ":/plan"):
        assert repo.resolve(rev) == first
    for rev in ("HEAD", "main", "refs/heads/main", "@", second[:8], ":/second: with"):
        assert repo.resolve(rev) == second


@pytest.mark.parametrize(
    "rev",
    [
        "",
        "nonsense",
        "-h",
        "--all",
        "--git-dir",
        "-1",
        "HEAD~99",
        "HEAD:src",
        "HEAD^{tree}",
        "main..HEAD",
        "^HEAD",
        "0" * 40,
        "2024-13-45x",
        "tomorrowish",
        "nul\0",
        "caf\udce9",
        ":/no such message",
    ],
)
def test_what_names_no_commit_is_not_found(planned: Scene, rev: str) -> None:
    """Typing errors, options and objects of other kinds never become a commit."""
    with pytest.raises(Refusal) as caught:
        opened(planned).resolve(rev)
    assert (caught.value.code, caught.value.exit_code) == (
        "revision-not-found",
        ExitCode.NOT_FOUND,
    )


def test_an_id_cut_too_short_is_ambiguous(scene: Scene) -> None:
    """With several candidates none is chosen."""
    commits = "".join(
        f"commit refs/heads/many\ncommitter A <a@b> {n} +0000\ndata 0\n" for n in range(1500)
    )
    scene.git("fast-import", "--quiet", input=commits)
    starts = sorted(made[:4] for made in scene.git("rev-list", "many").split())
    twice = next(a for a, b in pairwise(starts) if a == b)
    with pytest.raises(Refusal) as caught:
        opened(scene).resolve(twice)
    assert caught.value.code == "revision-ambiguous"
    assert caught.value.exit_code is ExitCode.NOT_FOUND


def test_dates_name_the_commit_of_that_time(scene: Scene) -> None:
    """A date is the newest commit that is not younger; a day means its end."""
    days = {}
    for day in (3, 5, 7):
        date = f"2026-01-0{day}T12:00:00+0000"
        env = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        scene.git("commit", "--quiet", "--allow-empty", "-m", f"day {day}", env=env)
        days[day] = scene.git("rev-parse", "HEAD")
    repo = opened(scene)
    assert repo.resolve("2026-01-04") == days[3]
    assert repo.resolve("2026-01-05") == days[5]
    assert repo.resolve("2026-01-05T11:59:59Z") == days[3]
    assert repo.resolve("2026-01-05 12:00") == days[5]
    assert repo.resolve("2026-01-05 14:00:00 +0200") == days[5]
    assert repo.resolve("2030-06-01") == days[7]
    with pytest.raises(Refusal) as caught:
        repo.resolve("2026-01-02")
    assert caught.value.exit_code is ExitCode.NOT_FOUND


def test_words_for_dates_are_understood(scene: Scene) -> None:
    """`yesterday` and the like are dates, unless a branch has that name."""
    date = "2020-01-01T00:00:00Z"
    env = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    scene.git("commit", "--quiet", "--allow-empty", "-m", "old", env=env)
    old = scene.git("rev-parse", "HEAD")
    repo = opened(scene)
    for words in ("yesterday", "2 days ago", "1.week.ago", "last monday", "an hour ago"):
        assert repo.resolve(words) == old
    scene.git("commit", "--quiet", "--allow-empty", "-m", "new")
    new = scene.git("rev-parse", "HEAD")
    assert repo.resolve("yesterday") == old
    scene.git("branch", "yesterday")
    assert repo.resolve("yesterday") == new


def test_a_folder_of_a_commit_has_an_id(planned: Scene) -> None:
    """Folders have ids; files, links and what is not there have none."""
    (planned.path / "link").symlink_to("src")
    made = planned.commit("link")
    repo = opened(planned, "src")
    assert repo.tree_id(made, ".workflow") == planned.git("rev-parse", "HEAD:.workflow")
    assert repo.tree_id(made, "") == planned.git("rev-parse", "HEAD^{tree}")
    for path in ("src/app.py", "missing", "link", "link/x", "*", ".workflow/plan.json/x"):
        assert repo.tree_id(made, path) is None


def test_refs_are_listed_below_a_prefix(planned: Scene) -> None:
    """Full names and ids, of that folder of refs only."""
    made = planned.git("rev-parse", "HEAD")
    for name in ("refs/wfp/pending/a", "refs/wfp/pendingx", "refs/heads/wfp/x"):
        planned.git("update-ref", name, made)
    repo = opened(planned)
    assert repo.refs("refs/wfp/pending/") == {"refs/wfp/pending/a": made}
    assert repo.refs("refs/heads/main") == {"refs/heads/main": made}
    assert repo.refs("refs/none/") == {}


# ------------------------------------------------------------------------ configuration


def test_the_configuration_is_gits(planned: Scene, home: Path) -> None:
    """All scopes count, the command line too, and keys are as insensitive as git's."""
    planned.git("config", "wfp.Some", "local")
    planned.git("config", "branch.Feature/X.remote", "origin")
    planned.git("config", "--add", "wfp.many", "1")
    planned.git("config", "--add", "wfp.many", "two\nlines = 2")
    planned.git("config", "wfp.empty", "")
    with (planned.path / ".git/config").open("a") as file:
        file.write("[wfp]\n\tbare\n")
    environ = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "wfp.some", "GIT_CONFIG_VALUE_0": "env"}
    config = opened(planned, environ=environ).config()
    assert config.get("WFP.SOME") == "env"
    assert config.get_all("wfp.some") == ("local", "env")
    assert config.scope("wfp.some") == "command"
    assert config.scope("user.name") == "global"
    assert config.get("user.name") == "Ada Lin"
    assert config.get("branch.Feature/X.Remote") == "origin"
    assert config.get("branch.feature/x.remote") is None
    assert config.get_all("wfp.many") == ("1", "two\nlines = 2")
    assert (config.get("wfp.empty"), config.get_bool("wfp.empty", True)) == ("", False)
    assert (config.get("wfp.bare"), config.get_bool("wfp.bare")) == ("", True)
    assert (config.get("none.such"), config.get("none.such", "x")) == (None, "x")
    assert config.scope("none.such") is None
    assert set(config.keys_below("branch")) >= {"branch.Feature/X.remote"}
    assert config.as_mapping()["wfp.many"] == config.get_all("wfp.many")


@pytest.mark.parametrize(
    "value", ["true", "Yes", "ON", "1", "7", "-1", "1k", "false", "no", "Off", "0", ""]
)
def test_booleans_are_read_as_git_reads_them(scene: Scene, value: str) -> None:
    """For all spellings git and we agree."""
    scene.git("config", "a.b", value)
    theirs = scene.git("config", "--type=bool", "a.b")
    assert opened(scene).config().get_bool("a.b") == (theirs == "true")


@pytest.mark.parametrize("value", ["0", "12", "-3", "2k", "3M", "1g"])
def test_numbers_are_read_as_git_reads_them(scene: Scene, value: str) -> None:
    """Units are powers of 1024."""
    scene.git("config", "a.b", value)
    assert opened(scene).config().get_int("a.b", 5) == int(scene.git("config", "--type=int", "a.b"))


def test_a_value_of_the_wrong_type_is_refused() -> None:
    """The refusal names the key and the value."""
    config = Config([("local", "a.b", "maybe")])
    with pytest.raises(Refusal, match=r"a\.b cannot have the value 'maybe'") as caught:
        config.get_bool("a.b")
    assert caught.value.code == "bad-config"
    with pytest.raises(Refusal):
        config.get_int("a.b", 1)
    assert config.get_int("a.c", 1) == 1


@given(key=st.text(alphabet="aA.bB/-", max_size=12))
def test_keys_have_one_normal_form(key: str) -> None:
    """Making a key normal twice changes nothing, and the middle is never touched."""
    once = normal_key(key)
    assert normal_key(once) == once
    assert once.lower() == normal_key(key.lower()).lower()


# ----------------------------------------------------------------------------- the identity


def test_the_identity_is_gits(planned: Scene) -> None:
    """Configuration and environment count, as they do for git's own commits."""
    repo = opened(planned, environ={"GIT_AUTHOR_NAME": "Bo", "GIT_AUTHOR_DATE": "1700000000 +0100"})
    assert repo.identity("author") == "Bo <ada@example.org> 1700000000 +0100"
    assert repo.identity("committer").startswith("Ada Lin <ada@example.org> ")


@pytest.mark.parametrize("missing", ["user.name", "user.email"])
def test_no_identity_is_refused(scene: Scene, home: Path, missing: str) -> None:
    """The two settings are named, and no one is invented."""
    (home / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    for key in {"user.name", "user.email"} - {missing}:
        scene.git("config", key, "Ada")
    with pytest.raises(Refusal) as caught:
        opened(scene, environ={"EMAIL": ""}).identity(
            "author" if "name" in missing else "committer"
        )
    refusal = caught.value
    assert (refusal.code, refusal.exit_code) == ("identity-missing", ExitCode.ENVIRONMENT)
    assert "user.name" in str(refusal.hint)
    assert "user.email" in str(refusal.hint)


# ------------------------------------------------------------- operations and worktrees


@pytest.fixture
def diverged(scene: Scene) -> Scene:
    """Branches main and side that both changed f since they parted."""
    scene.write({"f": "base\n", "g": "g\n"})
    scene.commit("base")
    scene.git("switch", "--quiet", "--create", "side")
    scene.write({"f": "side\n"})
    scene.commit("side 1")
    scene.write({"f": "side again\n"})
    scene.commit("side 2")
    scene.git("switch", "--quiet", "main")
    scene.write({"f": "main\n"})
    scene.commit("main 1")
    return scene


CONFLICTS = {
    "merge": ("merge", "side"),
    "rebase": ("rebase", "side"),
    "am": ("am", "../patch"),
    "cherry-pick": ("cherry-pick", "side"),
    "revert": ("revert", "--no-edit", "side~1"),
}


@pytest.mark.parametrize("name", CONFLICTS)
def test_an_operation_that_stopped_is_named(diverged: Scene, name: str) -> None:
    """Whatever git stopped in the middle of has its name, and none has when it is over."""
    patch = diverged.git("format-patch", "--stdout", "side~1..side")
    (diverged.path.parent / "patch").write_text(patch + "\n")
    repo = opened(diverged, "")
    assert repo.operation_in_progress() is None
    diverged.git(*CONFLICTS[name], ok=(1, 128))
    assert repo.operation_in_progress() == name
    if name != "am":
        assert repo.unmerged_paths() == ("f",)
        assert repo.unmerged_paths("g") == ()
    diverged.git(name, "--abort")
    assert repo.operation_in_progress() is None
    assert repo.unmerged_paths() == ()


@pytest.mark.parametrize("backend", ["--merge", "--apply"])
def test_both_kinds_of_rebase_are_one(diverged: Scene, backend: str) -> None:
    """A rebase is a rebase, also while it is stopped at a cherry-pick."""
    diverged.git("rebase", backend, "side", ok=(1,))
    assert opened(diverged).operation_in_progress() == "rebase"


@pytest.mark.parametrize("name", ["cherry-pick", "revert"])
def test_a_series_between_two_steps_is_in_progress(diverged: Scene, name: str) -> None:
    """After the user has committed a step by hand, only the list of what is left tells."""
    diverged.git(name, "side~1", "side", ok=(1,))
    diverged.write({"f": "resolved\n"})
    diverged.commit("resolved by hand")
    assert opened(diverged).operation_in_progress() == name


def test_a_bisect_is_in_progress(diverged: Scene) -> None:
    """It is one, although nothing conflicts."""
    diverged.git("bisect", "start")
    assert opened(diverged).operation_in_progress() == "bisect"
    diverged.git("bisect", "reset")
    assert opened(diverged).operation_in_progress() is None


def test_operations_belong_to_one_worktree(diverged: Scene) -> None:
    """A merge in one worktree is none in the other."""
    diverged.git("worktree", "add", "--quiet", "../linked", "side")
    diverged.git("cherry-pick", "side", ok=(1,))
    assert opened(diverged.beside("linked")).operation_in_progress() is None


def test_unmerged_entries_without_an_operation(diverged: Scene) -> None:
    """A conflict of a stash or a squash leaves no operation, and unmerged paths."""
    diverged.git("merge", "--squash", "side", ok=(1,))
    repo = opened(diverged)
    assert repo.operation_in_progress() is None
    assert repo.unmerged_paths() == ("f",)
    assert [(s.path, s.conflict, s.code) for s in repo.worktree_state()] == [("f", True, "UU")]


def test_a_branch_that_is_checked_out_elsewhere(diverged: Scene) -> None:
    """Seen from each worktree the other one is found, and one's own does not count."""
    diverged.git("worktree", "add", "--quiet", "../linked dir", "side")
    linked = diverged.beside("linked dir")
    here, there = opened(diverged), opened(linked)
    assert here.checked_out_elsewhere("side") == str(linked.path)
    assert here.checked_out_elsewhere("refs/heads/side") == str(linked.path)
    assert here.checked_out_elsewhere("main") is None
    assert there.checked_out_elsewhere("main") == str(diverged.path)
    assert there.checked_out_elsewhere("side") is None
    assert here.checked_out_elsewhere("other") is None


@pytest.mark.parametrize("backend", ["--merge", "--apply"])
def test_a_branch_that_is_rebased_elsewhere(diverged: Scene, backend: str) -> None:
    """While a rebase runs, HEAD is detached there, and the branch is in use all the same."""
    diverged.git("worktree", "add", "--quiet", "../linked", "side")
    linked = diverged.beside("linked")
    linked.git("rebase", backend, "main", ok=(1,))
    repo = opened(diverged)
    assert repo.checked_out_elsewhere("side") == str(linked.path)
    diverged.git("rebase", backend, "side", ok=(1,))
    assert repo.checked_out_elsewhere("main") is None
    assert opened(linked).checked_out_elsewhere("main") == str(diverged.path)


def test_a_branch_that_is_bisected_elsewhere(diverged: Scene) -> None:
    """A bisect comes back to its branch."""
    diverged.git("worktree", "add", "--quiet", "../linked", "side")
    linked = diverged.beside("linked")
    linked.git("bisect", "start", "side", "side~2")
    assert opened(diverged).checked_out_elsewhere("side") == str(linked.path)


def test_a_worktree_whose_folder_is_gone_holds_nothing(diverged: Scene) -> None:
    """A branch is free again when the folder was removed."""
    diverged.git("worktree", "add", "--quiet", "../linked", "side")
    (diverged.path.parent / "linked").rename(diverged.path.parent / "removed")
    assert opened(diverged).checked_out_elsewhere("side") is None


# ---------------------------------------------------------------------- files and rules


def test_states_of_files(planned: Scene) -> None:
    """Staged, unstaged, both, removed, untracked, announced: each is told from the others."""
    names = ("both", "removed", "staged", "unstaged", "clean", "odd name\n")
    planned.write(
        {f"d/{name}": "1\n" for name in names} | {"elsewhere": "1\n", ".gitignore": "*.tmp"}
    )
    planned.commit("files")
    planned.write({"d/both": "2\n", "d/staged": "2\n", "d/odd name\n": "2\n"})
    planned.git("add", "d/both", "d/staged")
    planned.write({"d/both": "3\n", "d/unstaged": "2\n", "elsewhere": "2\n", "d/removed": None})
    planned.write({"d/new/deep/untracked": "x", "d/announced": "x", "d/ignored.tmp": "x"})
    planned.git("add", "--intent-to-add", "d/announced")
    planned.git("mv", "d/clean", "d/moved")
    planned.git("config", "status.showUntrackedFiles", "no")
    planned.git("config", "status.relativePaths", "true")
    planned.git("config", "status.renames", "copies")
    assert opened(planned, "src").worktree_state("d") == (
        FileState("d/announced", unstaged=True, intent_to_add=True, code=".A"),
        FileState("d/both", staged=True, unstaged=True, code="MM"),
        FileState("d/clean", staged=True, code="D."),
        FileState("d/moved", staged=True, code="A."),
        FileState("d/new/deep/untracked", untracked=True, code="??"),
        FileState("d/odd name\n", unstaged=True, code=".M"),
        FileState("d/removed", unstaged=True, code=".D"),
        FileState("d/staged", staged=True, code="M."),
        FileState("d/unstaged", unstaged=True, code=".M"),
    )


def test_hidden_paths_are_told_when_asked_for(planned: Scene) -> None:
    """Marks in the index that keep git from looking are shown, with what else is the matter."""
    planned.write({"a": "1", "b": "1", "c": "1"})
    planned.commit("three")
    planned.git("update-index", "--skip-worktree", "a")
    planned.git("update-index", "--assume-unchanged", "b")
    planned.write({"a": "2", "b": "2", "c": "2"})
    repo = opened(planned)
    changed = FileState("c", unstaged=True, code=".M")
    assert repo.worktree_state() == (changed,)
    assert repo.worktree_state(hidden=True) == (
        FileState("a", skip_worktree=True),
        FileState("b", assume_unchanged=True),
        changed,
    )


def test_a_changed_submodule_is_one(planned: Scene) -> None:
    """Also when the configuration says to ignore it."""
    planned.clone("module")
    planned.git("submodule", "--quiet", "add", "../module", "module")
    planned.commit("module")
    planned.write({"module/new": "x"})
    planned.git("config", "diff.ignoreSubmodules", "all")
    (state,) = opened(planned).worktree_state()
    assert (state.path, state.submodule, state.code) == ("module", True, ".M")


@given(st.binary(max_size=200))
def test_only_known_lines_of_status_are_read(output: bytes) -> None:
    """Headers, ignored files and lines that come with a later git are passed over."""
    harmless = b"".join(b"# " + part + b"\0! x\0" for part in output.split(b"\0"))
    assert list(parse_status(harmless)) == []


def test_ignored_paths_and_the_rule(planned: Scene, home: Path) -> None:
    """Source, line and pattern are named for what git would not add, and for nothing else."""
    planned.write({".gitignore": "# rules\n*.tmp\n!keep.tmp\n", ".workflow/extra.json": "{}"})
    (planned.path / ".git/info/exclude").write_text("\n.workflow/\n")
    repo = opened(planned, "src")
    assert repo.ignored_by("a.tmp") == (".gitignore", 2, "*.tmp")
    assert repo.ignored_by("keep.tmp") is None
    assert repo.ignored_by(":(top)a.tmp") == (".gitignore", 2, "*.tmp")
    assert repo.ignored_by("src/app.py") is None
    assert repo.ignored_by(".workflow/extra.json") == (".git/info/exclude", 2, ".workflow/")
    # A tracked file stays in the plan, whatever the rules say.
    assert repo.ignored_by(".workflow/plan.json") is None
    (home / "ignore").write_text("*.global\n")
    planned.git("config", "core.excludesFile", str(home / "ignore"))
    assert opened(planned).ignored_by("x.global") == (str(home / "ignore"), 1, "*.global")


def test_what_the_plan_folder_is(planned: Scene, tmp_path: Path) -> None:
    """Folder, file, link, submodule (checked out or not) and absence are told apart."""
    repo = opened(planned)
    assert repo.workflow_kind() == "folder"
    assert repo.workflow_kind("src/app.py") == "file"
    assert repo.workflow_kind("src/app.py/below") == "absent"
    assert repo.workflow_kind("missing") == "absent"
    (planned.path / "link").symlink_to(".workflow")
    assert repo.workflow_kind("link") == "link"
    os.mkfifo(planned.path / "pipe")
    assert repo.workflow_kind("pipe") == "other"
    (planned.path / "empty").mkdir()
    assert repo.workflow_kind("empty") == "folder"

    outer = Scene(tmp_path / "outer", home=planned.home)
    outer.git("submodule", "--quiet", "add", str(planned.path), ".workflow")
    assert opened(outer).workflow_kind() == "submodule"
    outer.commit("module")
    outer.git("submodule", "--quiet", "deinit", "--all")
    assert opened(outer).workflow_kind() == "submodule"


def test_a_plan_folder_that_is_a_link(planned: Scene) -> None:
    """Nothing is read through it, in the worktree as in the commit."""
    planned.git("mv", ".workflow", "plans")
    (planned.path / ".workflow").symlink_to("plans")
    made = planned.commit("a link")
    with opened(planned) as repo:
        assert repo.workflow_kind() == "link"
        for tree in (repo.worktree_files(), repo.index_files(), repo.commit_files(made)):
            assert [(e.path, e.kind) for e in tree.entries(".workflow")] == [(".workflow", "link")]


def test_reading_changes_nothing(planned: Scene) -> None:
    """All questions together leave index, refs, configuration and files as they were."""
    planned.write({"src/app.py": "changed\n", "new": "x"})
    before = planned.snapshot()
    index = (planned.path / ".git/index").read_bytes()
    with opened(planned) as repo:
        head = repo.head()
        for tree in (repo.worktree_files(), repo.index_files(), repo.commit_files(head.commit)):
            for entry in tree.entries(""):
                tree.read(entry.path)
        repo.worktree_state(hidden=True)
        repo.identity("author")
        repo.features()
        repo.checked_out_elsewhere("main")
        repo.ignored_by("x")
    assert planned.snapshot() == before
    assert (planned.path / ".git/index").read_bytes() == index


def test_the_program_is_closed_with_the_repository(planned: Scene) -> None:
    """Closing twice is fine, and the repository can be asked again after it."""
    repo = opened(planned)
    made = repo.head().commit
    assert repo.commit_files(made).read("src/app.py") == b"pass\n"
    repo.close()
    repo.close()
    assert repo.commit_files(made).read("src/app.py") == b"pass\n"
    repo.close()


def test_git_runs_where_it_is_told(planned: Scene) -> None:
    """A program of its own can be had for another folder."""
    git = GitProgram(str(planned.path / "src"), os.environ)
    assert git.run("rev-parse", "--show-prefix").out == b"src/\n"
    assert git.version() >= (2, 38)
