"""How an image is built: by the engine that answers, with what pip knows here, and its refusals in a line."""

import errno
import os
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.core.errors import ConfigError
from bot.core.program_names import git_revision
from bot.tenants import making_texts, texts
from bot.tenants.image import CONTAINERFILE, build_image, find_container_engine, find_pip_ca_file, format_pip_conf
from tests.support.wording import like

ID = "sha256:" + "5" * 64
ANSWERS = 'case "$*" in *info*) exit 0;; esac\n'
BUILDS = f"""{ANSWERS}
while [ $# -gt 1 ]; do
    case "$1" in --iidfile) printf %s {ID} > "$2";; esac
    shift
done
"""
Install = Callable[[str, str], None]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    file = tmp_path / "checkout" / "scripts" / "deploy" / "Containerfile"
    file.parent.mkdir(parents=True)
    file.write_text("FROM scratch\n")
    (tmp_path / "checkout" / "pyproject.toml").write_text('[project]\nversion = "1.2.3"\n')
    return tmp_path / "checkout"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Programs on a PATH of the test's own; each writes down its words."""
    programs = tmp_path / "programs"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    for name in ("DOCKER_HOST", "CONTAINER_HOST"):
        monkeypatch.delenv(name, raising=False)

    def install(name: str, body: str) -> None:
        log = shlex.quote(str(programs / f"{name}.log"))
        (programs / name).write_text(f'#!/bin/sh\necho "$*" >> {log}\n{body}')
        (programs / name).chmod(0o755)

    return install


def words(tmp_path: Path, name: str) -> str:
    return (tmp_path / "programs" / f"{name}.log").read_text()


def test_docker_builds_if_it_answers_and_returns_the_id(installed: Install, checkout: Path, tmp_path: Path) -> None:
    installed("docker", BUILDS + "echo one; echo two >&2\n")
    installed("podman", BUILDS)
    said: list[str] = []
    assert build_image(checkout, said.append, base="debian@sha256:1") == ID
    assert said[-2:] == ["one", "two"]
    asked = words(tmp_path, "docker").splitlines()[-1]
    assert f"build --file {checkout}/scripts/deploy/Containerfile" in asked
    assert "--build-arg BASE=debian@sha256:1" in asked
    assert not (tmp_path / "programs" / "podman.log").exists()


def test_podman_builds_if_docker_is_away_and_keeps_the_health_check(
    installed: Install, checkout: Path, tmp_path: Path
) -> None:
    installed("docker", "echo no daemon >&2; exit 1\n")
    installed("podman", BUILDS)
    assert build_image(checkout, lambda line: None) == ID
    assert "--format docker" in words(tmp_path, "podman")


def test_podman_is_asked_where_docker_hosts_address_leads(installed: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    installed("podman", ANSWERS)
    monkeypatch.setenv("DOCKER_HOST", "unix:///somewhere")
    assert find_container_engine() == ["podman", "--url", "unix:///somewhere"]
    monkeypatch.setenv("CONTAINER_HOST", "unix:///elsewhere")  # which podman reads itself
    assert find_container_engine() == ["podman"]


def test_without_an_engine_each_candidate_is_named_with_its_output(installed: Install, checkout: Path) -> None:
    installed("docker", "echo Cannot connect to the Docker daemon >&2; exit 1\n")
    with pytest.raises(ConfigError) as refusal:
        build_image(checkout, lambda line: None)
    docker = texts.COMMAND_FAILED(command="docker info", reason="Cannot connect to the Docker daemon")
    reasons = f"{docker}; {making_texts.NOT_INSTALLED(program='podman')}"
    assert str(refusal.value) == making_texts.NO_ENGINE(reasons=reasons)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (
            "echo step 1; echo 'ERROR: no such package'; exit 1\n",
            making_texts.BUILD_FAILED(reason="step 1 | ERROR: no such package"),
        ),
        ("echo 'write /x: no space left on device'; exit 1\n", making_texts.BUILD_DISK_FULL(program="docker")),
        ("exit 125\n", making_texts.BUILD_FAILED_SILENTLY),
        ("", making_texts.NO_IMAGE_ID(error=os.strerror(errno.ENOENT))),
    ],
)
def test_a_build_that_fails_is_told_with_its_last_lines(
    installed: Install, checkout: Path, body: str, told: str
) -> None:
    installed("docker", ANSWERS + body)
    with pytest.raises(ConfigError) as refusal:
        build_image(checkout, lambda line: None)
    assert str(refusal.value) == told
    assert "\n" not in str(refusal.value)


def test_a_folder_that_is_no_checkout_is_told_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=like(making_texts.NO_CHECKOUT, path=tmp_path / CONTAINERFILE)):
        build_image(tmp_path, lambda line: None)


def test_the_build_gets_pips_settings_but_nothing_of_this_machine_alone(tmp_path: Path) -> None:
    found = {
        "index-url": "https://ann:secret@packages.example/simple",
        "extra-index-url": "file:///opt/simple https://other.example/simple",
        "find-links": "/opt/wheels",
        "constraint": "/etc/pip/constraints.txt",
        "default-timeout": "180",
    }
    assert format_pip_conf(found, has_certificates=True) == (
        "[global]\n"
        "index-url = https://ann:secret@packages.example/simple\n"
        "extra-index-url = https://other.example/simple\n"
        "default-timeout = 180\n"
        "cert = /run/secrets/certificates.pem\n"
    )
    assert format_pip_conf({"find-links": "/opt/wheels"}, has_certificates=False) == ""
    bundle = tmp_path / "bundle.pem"
    bundle.touch()
    assert find_pip_ca_file({}, {"REQUESTS_CA_BUNDLE": str(bundle)}) == bundle
    assert find_pip_ca_file({"cert": "/nowhere"}, {}) is None


def test_an_index_with_a_password_is_a_build_secret_and_never_printed(
    installed: Install, checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://ann:secret@packages.example/simple")
    kept = tmp_path / "kept"
    installed("docker", BUILDS.replace("case", f'case "$1" in --secret) cp "${{2#*src=}}" {kept};; esac\n    case', 2))
    said: list[str] = []
    monkeypatch.setenv("PATH", f"{tmp_path / 'programs'}:/usr/bin:/bin")
    assert build_image(checkout, said.append) == ID
    assert "secret@" not in "\n".join(said) + words(tmp_path, "docker")
    assert "--secret id=pip.conf" in words(tmp_path, "docker")


def test_a_folder_that_git_does_not_know_has_no_revision(tmp_path: Path) -> None:
    assert git_revision(tmp_path) == ""
