"""What a tenant is under Compose, as Compose itself and a linter read it, and the commands that run it."""

import errno
import json
import os
import select
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.core.errors import ConfigError
from bot.tenants.programs import run_program
from bot.tenants.targets import texts
from bot.tenants.targets.compose import Compose, compose_command
from tests.support.patience import PATIENCE
from tests.support.wording import like
from tests.tenants.validators import change, have, tenant, verdict, written

PROJECT = ["-p", "retinue-acme", "--project-directory"]


def service(folder: Path) -> dict[str, Any]:
    bot: dict[str, Any] = yaml.safe_load((folder / "compose.yaml").read_text())["services"]["bot"]
    return bot


def fake(at: Path, name: str, script: str) -> None:
    at.mkdir(exist_ok=True)
    (at / name).write_text(f"#!/bin/sh\n{script}\n")
    (at / name).chmod(0o755)


def has_ended(process: int) -> bool:
    """Whether it does so before long."""
    try:
        watched = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([watched], [], [], PATIENCE)[0])
    finally:
        os.close(watched)


@pytest.mark.parametrize("secrets", [("model__api_key",), ()])
@pytest.mark.parametrize("release", ["sha256:" + "1" * 64, "registry.example/retinue@sha256:" + "1" * 64])
def test_the_written_files_pass_compose_and_the_linter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, secrets: tuple[str, ...], release: str
) -> None:
    have("docker-compose", "compose-lint", environment=monkeypatch)
    acme = written(Compose(), tenant(tmp_path / "acme", "compose", release=release), secrets=secrets)
    assert [(each.is_good, each.text) for each in Compose().run_validators(acme, acme.folder)] == [(True, "")] * 2


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("read_only: true # the", "read_onyl: true # the", "read_onyl"),
        ("networks: [own]", "networks: [other]", "other"),
        ("mem_limit: 512m", "mem_limit: much", "much"),
    ],
)
def test_compose_refuses_a_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, after: str, said: str
) -> None:
    have("docker-compose", environment=monkeypatch)
    acme = written(Compose(), tenant(tmp_path / "acme", "compose"))
    change(acme.folder / "compose.yaml", before, after)
    found = verdict(Compose(), acme, "config")
    assert not found.is_good
    assert said in found.text


def test_a_file_that_is_to_be_mounted_and_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    have("docker-compose", environment=monkeypatch)
    acme = written(Compose(), tenant(tmp_path / "acme", "compose"))
    for path in ("secrets/model__api_key", "config.json"):
        (acme.folder / path).unlink()
    found = verdict(Compose(), acme, "config")
    assert not found.is_good
    assert set(found.text.splitlines()) == {
        texts.MOUNT_MISSING(path=acme.folder / path) for path in ("secrets/model__api_key", "config.json")
    }


@pytest.mark.parametrize(
    "line",
    [
        "    cap_drop: [ALL]\n",
        '    security_opt: ["no-new-privileges:true"] #',
        "    read_only: true #",
    ],
)
def test_the_linter_misses_each_wall_that_is_taken_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    have("compose-lint", environment=monkeypatch)
    acme = written(Compose(), tenant(tmp_path / "acme", "compose"))
    change(acme.folder / "compose.yaml", line, "\n    #")
    assert verdict(Compose(), acme, "compose-lint").is_good is False


def test_the_bot_gets_its_own_files_and_nothing_else_of_the_machine(tmp_path: Path) -> None:
    acme = written(Compose(), tenant(tmp_path / "acme", "compose"))
    bot = service(acme.folder)
    mounts = {each["target"]: (each["source"], each.get("read_only", False)) for each in bot["volumes"]}
    assert mounts == {
        "/tenant/config.json": ("./config.json", True),
        "/tenant/roles": ("./roles", True),
        "/tenant/groups": ("./groups", False),
        "/tenant/workspace": ("./workspace", False),
        "/tenant/data": ("./data", False),
    }
    assert all(each["bind"] == {"create_host_path": False} for each in bot["volumes"])
    assert [each["target"] for each in bot["secrets"]] == [
        "/tenant/secrets/channels__telegram__token",
        "/tenant/secrets/model__api_key",
    ]
    assert str(tmp_path) not in (acme.folder / "compose.yaml").read_text()  # so that the folder may be moved


def test_the_bot_has_every_wall_and_every_limit(tmp_path: Path) -> None:
    bot = service(written(Compose(), tenant(tmp_path / "acme", "compose")).folder)
    assert not {"ports", "expose", "privileged", "cap_add", "devices", "network_mode", "pid", "ipc"} & set(bot)
    assert (bot["user"], bot["read_only"], bot["cap_drop"]) == ("20001:20001", True, ["ALL"])
    assert (bot["security_opt"], bot["init"], bot["networks"]) == (["no-new-privileges:true"], True, ["own"])
    assert (bot["mem_limit"], bot["memswap_limit"], bot["cpus"], bot["pids_limit"]) == ("512m", "512m", 0.5, 256)
    assert "/tmp:rw,noexec,nosuid,nodev,size=64m,mode=1777" in bot["tmpfs"]
    assert all(":rw,noexec,nosuid,nodev,size=" in each for each in bot["tmpfs"])


def test_a_command_while_the_bot_is_stopped_has_all_that_the_bot_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(tmp_path / "bin", "docker-compose", "exit 0")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    acme = written(Compose(), tenant(tmp_path / "acme", "compose"))
    services = yaml.safe_load((acme.folder / "compose.yaml").read_text())["services"]
    own = {"profiles": ["once"], "restart": "no", "healthcheck": {"disable": True}}
    assert services["once"] == services["bot"] | own
    look, command = map(json.loads, Compose().retinue_command_while_stopped(acme, ["restore", "-"])[-2:])
    assert look[-5:] == ["ps", "--all", "--format", "json", "once"]
    assert command[-7:] == ["run", "-T", "--no-deps", "--remove-orphans", "once", "restore", "-"]
    assert "--rm" not in command  # with it the status of the command is lost, under Podman


def test_no_registry_is_asked_for_an_image_that_was_built_here(tmp_path: Path) -> None:
    pulled = {
        release: service(written(Compose(), tenant(tmp_path / name, "compose", release=release)).folder)["pull_policy"]
        for name, release in {"one": "sha256:" + "1" * 64, "two": "registry.example/retinue@sha256:" + "1" * 64}.items()
    }
    assert list(pulled.values()) == ["never", "missing"]


def test_the_compose_that_answers_first_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path / "bin", "docker", "exit 1")  # without its plugin
    fake(tmp_path / "bin", "podman", "exit 0")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    acme = tenant(tmp_path / "acme", "compose")
    file = ["--env-file", "/dev/null", "-f", str(acme.folder / "compose.yaml")]
    assert Compose().retinue_command_while_running(acme, ["health", "--json"]) == [
        *("podman", "compose", *PROJECT, str(acme.folder), *file),
        *("exec", "-T", "bot", "retinue", "health", "--json"),
    ]


def test_a_missing_compose_is_told_with_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    acme = written(Compose(), tenant(tmp_path / "acme", "compose"))
    with pytest.raises(ConfigError, match=texts.NO_COMPOSE):
        Compose().commands_to_start_bot(acme)
    assert [each.is_good for each in Compose().run_validators(acme, acme.folder)] == [None, None]
    assert verdict(Compose(), acme, "config").text == texts.NO_COMPOSE


def test_the_operators_own_settings_of_compose_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path / "bin", "docker-compose", 'if [ "$1" != version ]; then env; echo "$@"; fi')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("COMPOSE_FILE", "/elsewhere.yaml")
    monkeypatch.setenv("COMPOSE_PROJECT_NAME", "other")
    monkeypatch.setenv("DOCKER_HOST", "unix:///run/mine.sock")
    acme = tenant(tmp_path / "acme", "compose")
    said = run_program(compose_command(acme, "ps")).out
    assert not [line for line in said.splitlines() if line.startswith("COMPOSE_")]
    assert "DOCKER_HOST=unix:///run/mine.sock" in said
    assert said.splitlines()[-1].startswith("-p retinue-acme --project-directory")


def test_it_runs_where_compose_names_a_container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = tmp_path / "answers"
    fake(tmp_path / "bin", "docker-compose", f'[ "$1" = version ] || cat "{answers}" || exit 1')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    acme = tenant(tmp_path / "acme", "compose")
    answers.write_text("0a1b2c\n")
    assert Compose().is_running(acme)
    answers.write_text("\n")
    assert not Compose().is_running(acme)
    answers.unlink()
    with pytest.raises(ConfigError, match=os.strerror(errno.ENOENT)):
        Compose().is_running(acme)


def test_a_program_that_never_ends_is_ended_with_all_it_has_started(tmp_path: Path) -> None:
    fake(tmp_path, "endless", f"sleep 1000 & echo $! > {tmp_path / 'child'}; wait")
    before = time.monotonic()
    with pytest.raises(ConfigError, match=like(texts.NOT_ENDED_IN_TIME, seconds=1)):
        run_program([str(tmp_path / "endless")], seconds=1)
    assert time.monotonic() - before < 15
    assert has_ended(int((tmp_path / "child").read_text()))


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(ConfigError, match=like(texts.CANNOT_RUN, program="no-such-program")):
        run_program(["no-such-program"])


def test_a_folder_that_is_not_mounted_keeps_the_bot_from_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(tmp_path / "bin", "docker-compose", "exit 0")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    acme = tenant(tmp_path / "acme", "compose", disk="2G")
    for command in (
        Compose().commands_to_start_bot,
        lambda each: Compose().retinue_command_while_stopped(each, ["migrate"]),
    ):
        with pytest.raises(ConfigError, match=like(texts.NOT_MOUNTED, folder=acme.folder / "disk")):
            command(acme)


def test_the_linters_report_is_not_taken_for_good_when_it_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(tmp_path / "bin", "compose-lint", "echo broken")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/usr/bin:/bin")
    acme = written(Compose(), tenant(tmp_path / "acme", "compose"))
    assert verdict(Compose(), acme, "compose-lint").is_good is False
    report = {"findings": [{"rule_id": "CL-0001", "message": "too open"}], "errors": [], "warnings": []}
    fake(tmp_path / "bin", "compose-lint", f"echo '{json.dumps(report)}'")
    assert verdict(Compose(), acme, "compose-lint").text == "CL-0001: too open"
