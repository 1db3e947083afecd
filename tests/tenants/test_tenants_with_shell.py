"""`add-tenant --shell`: what a tenant gets then, what it opens, and where it is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.core.errors import ConfigError
from bot.tenants import making_texts
from bot.tenants.targets import TEMPLATES_FOLDER
from bot.tenants.targets.compose import SECCOMP_FILE, Compose
from bot.tenants.tenant import SHELL_BY_ENGINE, SHELL_BY_PROFILE, Tenant
from tests.tenants.papers import blueprint, telegram
from tests.tenants.validators import have, tenant, written

OPENED = {
    "clone": [{"index": 0, "value": 0x7E020000, "valueTwo": 0x7E020000, "op": "SCMP_CMP_MASKED_EQ"}],
    "unshare": [{"index": 0, "value": 0x10000000, "valueTwo": 0, "op": "SCMP_CMP_EQ"}],
    "mount": [],
    "pivot_root": [],
    "umount2": [{"index": 1, "value": 2, "valueTwo": 0, "op": "SCMP_CMP_EQ"}],
}
# Calls that engines refuse to containers without capabilities
REFUSED = [
    "bpf",
    "keyctl",
    "ptrace",
    "setns",
    "init_module",
    "kexec_load",
    "open_by_handle_at",
    "perf_event_open",
    "reboot",
    "io_uring_setup",
]


def profile() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((TEMPLATES_FOLDER / SECCOMP_FILE).read_text())
    return found


def test_the_profile_opens_only_what_its_comments_name() -> None:
    rules = profile()["syscalls"]
    opened = {name: rule["args"] for rule in rules if "OPENED" in rule["comment"] for name in rule["names"]}
    assert opened == OPENED
    usual = [name for rule in rules if "OPENED" not in rule["comment"] for name in rule["names"]]
    assert not set(usual) & ({*OPENED, *REFUSED} - {"clone"})
    assert len(usual) == len(set(usual))
    assert profile()["defaultAction"] == "SCMP_ACT_ERRNO"


@pytest.mark.parametrize(
    ("shell", "options", "memory", "has_profile"),
    [
        ("", ["no-new-privileges:true"], "512m", False),
        (SHELL_BY_ENGINE, ["no-new-privileges:true"], "1g", False),
        (SHELL_BY_PROFILE, ["no-new-privileges:true", f"seccomp:./{SECCOMP_FILE}"], "1g", True),
    ],
)
def test_the_container_of_a_tenant_with_a_shell_has_the_profile(
    tmp_path: Path, shell: str, options: list[str], memory: str, has_profile: bool
) -> None:
    acme = written(Compose(), tenant(tmp_path / "acme", "compose", shell=shell))
    for name in ("bot", "once"):
        service = yaml.safe_load((acme.folder / "compose.yaml").read_text())["services"][name]
        assert (service["security_opt"], service["mem_limit"]) == (options, memory)
    assert (acme.folder / SECCOMP_FILE).exists() == has_profile


def test_compose_and_the_linter_take_a_tenant_with_a_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    have("docker-compose", "compose-lint", environment=monkeypatch)
    acme = written(Compose(), tenant(tmp_path / "acme", "compose", shell=SHELL_BY_PROFILE))
    assert [(each.is_good, each.text) for each in Compose().run_validators(acme, acme.folder)] == [(True, "")] * 2


@pytest.mark.parametrize("target", ["systemd", "kubernetes"])
def test_only_compose_takes_a_shell(tmp_path: Path, target: str) -> None:
    with pytest.raises(ConfigError) as refused:
        blueprint(target=target, shell=SHELL_BY_PROFILE).build_checked_config(tmp_path)
    assert str(refused.value) == making_texts.SHELL_ONLY_IN_COMPOSE(target=target)


def test_a_shell_is_switched_on_with_limits_that_the_operator_may_change(tmp_path: Path) -> None:
    plan = blueprint(shell=SHELL_BY_PROFILE, config_values={**telegram(), "shell": {"max_seconds": 9}})
    plan.enable_shell()
    shell = plan.build_checked_config(tmp_path).shell
    assert (shell.enabled, shell.max_processes, shell.memory_megabytes, shell.max_seconds) == (True, 100, 384, 9)


def test_the_record_of_a_tenant_without_a_shell_is_as_before(tmp_path: Path) -> None:
    def keys(shell: str) -> set[str]:
        found: Tenant = tenant(tmp_path / "acme", "compose", shell=shell)
        return set(json.loads(found.to_json()))

    assert keys(SHELL_BY_PROFILE) - keys("") == {"shell"}
