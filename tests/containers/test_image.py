"""The image of this checkout, really built, and what is in it."""

import json
import re
import time
from importlib.metadata import version
from typing import Any

import pytest

from bot.core.program_names import git_revision
from tests.containers.engine import Engine
from tests.support.patience import PATIENCE
from tests.support.shell import REPOSITORY

LOOK = """
import importlib.metadata, importlib.resources, importlib.util, json, os, re, shutil, sys
from pathlib import Path
site = Path(importlib.util.find_spec("bot").origin).parents[1]
sources = [path for path in site.rglob("*.py")]
print(json.dumps({
    "user": [os.getuid(), os.getgid()],
    "packages": [re.sub("[_.]", "-", each.name.lower()) for each in importlib.metadata.distributions(path=[str(site)])],
    "roles": sorted(each.name for each in importlib.resources.files("roles").iterdir() if each.name.endswith(".md")),
    "uncompiled": [str(path) for path in sources if not Path(importlib.util.cache_from_source(str(path))).is_file()],
    "tools": [name for name in ("pip", "pip3", "gcc", "cc", "uv", "git") if shutil.which(name)],
    "has_tests": importlib.util.find_spec("tests") is not None,
    "prefix": sys.prefix,
    "secrets": [*map(str, Path("/run/secrets").glob("*")), *map(str, Path("/root").glob(".*"))],
}))
"""


@pytest.fixture(scope="module")
def found(engine: Engine, image: str) -> dict[str, Any]:
    ran = engine.podman("run", "--rm", "--read-only", "--entrypoint", "python", image, "-c", LOOK, seconds=60.0)
    assert ran.returncode == 0, ran.stderr
    result: dict[str, Any] = json.loads(ran.stdout)
    return result


def test_it_runs_as_nobody_in_particular_and_holds_nothing_to_build_with(found: dict[str, Any]) -> None:
    assert found["user"] == [65532, 65532]
    assert found["tools"] == []
    assert found["has_tests"] is False
    assert found["secrets"] == []


def test_the_image_has_the_locked_packages_and_the_compiled_project(found: dict[str, Any]) -> None:
    text = (REPOSITORY / "scripts" / "deploy" / "requirements.lock").read_text()
    locked = re.findall(r"^([a-z0-9-]+)==(?!.*;)", text, re.MULTILINE)  # what is for every platform and Python
    packages = set(found["packages"])
    assert {*locked, "retinue"} <= packages
    assert not packages & {"pytest", "mypy", "setuptools"}
    assert found["roles"] == sorted(path.name for path in (REPOSITORY / "roles").glob("*.md"))
    assert found["uncompiled"] == []


def test_it_says_what_it_is_and_how_it_is_run_and_asked(engine: Engine, image: str) -> None:
    [told] = json.loads(engine.done(["podman", "--url", engine.variables["DOCKER_HOST"], "inspect", image]))
    assert told["Config"]["Entrypoint"] == ["retinue"]
    assert told["Config"]["Cmd"] == ["run"]
    assert told["Config"]["StopSignal"] == "SIGTERM"
    assert told["Healthcheck"]["Test"] == ["CMD", "retinue", "health"]
    labels = told["Config"]["Labels"]
    assert labels["org.opencontainers.image.version"] == version("retinue")
    assert labels["org.opencontainers.image.revision"] == git_revision(REPOSITORY)


def test_ended_processes_are_cleaned_up(engine: Engine, image: str) -> None:
    """Without that an engine tells nobody of the end, and restarts nothing."""
    url = engine.variables["DOCKER_HOST"]
    container = engine.done(["podman", "--url", url, "run", "--detach", image, "--version"]).strip()
    status = ["podman", "--url", url, "inspect", "--format", "{{.State.Status}}", container]
    until = time.monotonic() + PATIENCE
    while (found := engine.done(status).strip()) != "exited" and time.monotonic() < until:
        time.sleep(0.05)
    assert found == "exited", 'it would be "stopped"'
    engine.done(["podman", "--url", url, "rm", container])
