"""The scripts that a fresh machine meets first, and the lock they install."""

import fcntl
import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
SCRIPTS = [path for path in sorted((REPOSITORY / "scripts").iterdir()) if path.is_file() and not path.suffix]
LOCKS = (
    "requirements.lock",
    "scripts/deploy/requirements.lock",
    "scripts/deploy/build.lock",
    "scripts/deploy/image.lock",
    "tests/tenants/validators.lock",
    "tests/web_page/client.lock",
    "tests/browser/browser.lock",
    "scripts/docs.lock",
)
PYTHON = Path(sys.executable)
INSTALL = runpy.run_path(str(REPOSITORY / "scripts" / "install.py"))
WITHOUT_ENSUREPIP = """#!/bin/sh
[ "$1" = -I ] || exec {python} "$@"
hide='import runpy, sys; del sys.argv[0]; sys.modules["ensurepip"] = None
runpy.run_path(sys.argv[0], run_name="__main__")'
shift
exec {python} -I -c "$hide" "$@"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of what the scripts need, in a folder whose name has a space."""
    project = tmp_path / "a project"
    shutil.copytree(REPOSITORY / "scripts", project / "scripts")
    for name in ("requirements.lock", "pyproject.toml"):
        shutil.copy(REPOSITORY / name, project)
    tools = tmp_path / "bin"  # no uv, and no Python but $PYTHON
    tools.mkdir()
    (tools / "dirname").symlink_to(shutil.which("dirname") or "")
    return project


def script(project: Path, name: str, *arguments: str, python: Path = PYTHON) -> "subprocess.CompletedProcess[str]":
    environment = {"PATH": str(project.parent / "bin"), "PYTHON": str(python)}
    command = ["/bin/sh", str(project / "scripts" / name), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, cwd=project.parent)


def executable(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_is_short_plain_shell_and_says_what_it_is_for(path: Path) -> None:
    subprocess.run(["/bin/sh", "-n", path], check=True)
    lines = path.read_text().splitlines()
    assert len(lines) <= 22
    assert lines[1].startswith("# ")
    assert os.access(path, os.X_OK) is lines[0].startswith("#!")


@pytest.mark.parametrize("name", LOCKS)
def test_the_lock_names_no_place_to_load_from_and_a_hash_for_everything(name: str) -> None:
    text = (REPOSITORY / name).read_text()
    entries = re.split(r"\n(?=\S)", text.partition("\n#    scripts/lock\n")[2].strip())
    assert "://" not in text
    assert not re.search(r"^\s*-", text.replace("    --hash", ""), re.MULTILINE)
    assert all(re.match(r"[a-z0-9-]+==\S+ .*\\\n    --hash=sha256:", entry) for entry in entries)


def test_the_locks_hold_all_that_the_project_asks_for() -> None:
    texts = "".join((REPOSITORY / name).read_text() for name in LOCKS)
    locked = set(re.findall(r"^([a-z0-9-]+)==", texts, re.MULTILINE))
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    groups = project["dependency-groups"].values()
    asked = [*project["project"]["dependencies"], *chain(*groups), *project["build-system"]["requires"]]
    names = {re.split("[<>=]", name)[0].lower().replace(".", "-") for name in asked}  # as a lock spells them
    assert names <= locked


def test_the_images_packages_have_the_versions_used_in_development() -> None:
    whole, runs, builds = (
        dict(re.findall(r"^([a-z0-9-]+)==(\S+)", (REPOSITORY / path).read_text(), re.MULTILINE)) for path in LOCKS[:3]
    )
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    asked = {re.split("[<>=]", name)[0].lower().replace(".", "-") for name in project["project"]["dependencies"]}
    assert asked <= set(runs)
    assert set(builds) == {"setuptools"}
    assert runs.items() | builds.items() <= whole.items()
    developing = {re.split("[<>=]", name)[0].lower() for name in project["dependency-groups"]["dev"]}
    assert not set(runs) & developing


def test_the_notice_names_every_package_that_comes_along() -> None:
    deploy = REPOSITORY / "scripts" / "deploy"
    texts = "".join((deploy / name).read_text() for name in ("requirements.lock", "image.lock"))
    locked = set(re.findall(r"(?m)^([a-z0-9-]+)==", texts))
    named = dict(re.findall(r"(?m)^- ([a-z0-9-]+): (.+)$", (REPOSITORY / "NOTICE").read_text()))
    assert named.keys() == locked


def test_without_a_fitting_python_one_line_says_so(project: Path) -> None:
    said = script(project, "run", python=Path("/nowhere/python3"))
    assert (said.returncode, said.stdout) == (1, "")
    assert re.fullmatch(r"retinue: needs Python 3\.11 or newer as /nowhere/python3; .*\n", said.stderr)


def test_without_ensurepip_one_line_names_the_package_to_install(project: Path) -> None:
    python = executable(project.parent / "python", WITHOUT_ENSUREPIP.format(python=PYTHON))
    said = script(project, "run", python=python)
    assert (said.returncode, said.stdout) == (1, "")
    [line] = said.stderr.splitlines()
    assert "-venv" in line
    assert f"python3.{sys.version_info[1]}-venv" in line


def test_the_environment_of_another_checkout_is_left_alone(project: Path) -> None:
    stamp = executable(project.parent / "other" / "made-from", "another's")
    (project / ".venv").symlink_to(stamp.parent)
    said = script(project, "run")
    assert (said.returncode, said.stdout) == (1, "")
    assert said.stderr.startswith("retinue: .venv is a link, and")
    assert stamp.read_text() == "another's"


def test_run_passes_its_words_on_and_without_any_opens_the_chat(project: Path) -> None:
    made(project, INSTALL["TOOLS"])
    for words, answer in [((), "1 chat\n"), (("config", "--config", "a file"), "3 config --config a file\n")]:
        said = script(project, "run", *words)
        assert (said.returncode, said.stdout, said.stderr) == (0, answer, "")


def made(project: Path, tools: str, *, is_stale: bool = False) -> Path:
    """An environment whose retinue prints its words."""
    executable(project / ".venv" / "bin" / "retinue", '#!/bin/sh\necho "$# $*"\n')
    (project / ".venv" / "pyvenv.cfg").touch()
    lines = runpy.run_path(str(project / "scripts" / "install.py"))["stamp"]()
    lines = [lines[0], "older" if is_stale else lines[1], tools, ""]
    (project / ".venv" / "made-from").write_text("\n".join(lines))
    return project / ".venv" / "pyvenv.cfg"


def test_an_environment_that_a_running_bot_uses_is_left_as_it_is(project: Path) -> None:
    used = made(project, "", is_stale=True)
    with used.open() as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        said = script(project, "run", "health")
        assert (said.returncode, said.stdout) == (0, "1 health\n")
        assert said.stderr.startswith("retinue: a bot runs in .venv, which is older")
        assert "older" in (project / ".venv" / "made-from").read_text()
        said = script(project, "test")
        assert said.returncode == 1
        assert "stop the bot, or use another checkout" in said.stderr
    without = executable(project.parent / "python", WITHOUT_ENSUREPIP.format(python=PYTHON))
    assert "-venv" in script(project, "run", "health", python=without).stderr, "now it would be made again"


def test_the_users_environment_serves_run_and_not_the_tests(project: Path) -> None:
    made(project, "")
    assert script(project, "run", "health").stdout == "1 health\n"
    without = executable(project.parent / "python", WITHOUT_ENSUREPIP.format(python=PYTHON))
    assert "-venv" in script(project, "test", python=without).stderr, "the tools would be installed"


def test_the_python_of_the_environment_goes_before_another_on_path(project: Path) -> None:
    made(project, "")
    (project / ".venv" / "bin" / "python").symlink_to(PYTHON)
    executable(project.parent / "bin" / "python3", "#!/bin/sh\nexit 1\n")
    environment = {"PATH": str(project.parent / "bin")}
    command = ["/bin/sh", str(project / "scripts" / "run"), "health"]
    said = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (said.stdout, said.stderr) == ("1 health\n", "")


@pytest.mark.parametrize(
    ("system", "machine", "is_ours"),
    [("Linux", "x86_64", True), ("Linux", "aarch64", True), ("Darwin", "arm64", True), ("Linux", "riscv64", False),
     ("Windows", "AMD64", False)],
)  # fmt: skip
def test_elsewhere_than_linux_and_macos_one_line_says_so(system: str, machine: str, is_ours: bool) -> None:
    if is_ours:
        INSTALL["check_machine"](system, machine)
        return
    with pytest.raises(SystemExit, match=f"this is {system} on {machine}; on Windows use WSL 2 or the image"):
        INSTALL["check_machine"](system, machine)
