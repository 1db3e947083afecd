"""`add-tenant --shell`: what a tenant gets then, and what it opens."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.tenants.targets import TEMPLATES_FOLDER, make_target, texts
from bot.tenants.targets.compose import SECCOMP_FILE, Compose
from bot.tenants.targets.kubernetes import Kubernetes
from bot.tenants.targets.systemd import Systemd
from bot.tenants.tenant import SHELL_BY_ENGINE, SHELL_BY_PROFILE, Tenant
from tests.tenants.papers import blueprint, telegram
from tests.tenants.test_artefacts_kubernetes import IMAGE, pod
from tests.tenants.test_artefacts_systemd import RELEASE, runnable, settings
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


OPENED_IN_UNIT = {
    "RestrictNamespaces": ["", "user mnt pid net ipc uts cgroup"],
    "SystemCallFilter": ["mount umount2 pivot_root capset"],
    "RestrictAddressFamilies": ["AF_NETLINK"],
    "ProcSubset": ["all"],
    "MemoryMax": ["1G"],
}


def test_the_unit_of_a_tenant_with_a_shell_opens_what_bubblewrap_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    have("systemd-analyze", environment=monkeypatch)
    release = runnable(tmp_path / "release")
    acme = written(Systemd(), tenant(tmp_path / "acme", "systemd", release=release, shell=SHELL_BY_PROFILE))
    assert settings(acme.folder / "systemd" / "retinue@acme.service.d" / "shell.conf") == OPENED_IN_UNIT
    verified, scored = Systemd().run_validators(acme, acme.folder)
    assert (verified.is_good, verified.text) == (True, "")
    assert scored.text.startswith("Overall exposure level for retinue@acme.service: 2.3 ")
    installed = [each.split()[-1] for each in Systemd().operator_start_steps(acme) if each.startswith("install")]
    assert "/etc/systemd/system/retinue@acme.service.d/shell.conf" in installed


@pytest.mark.parametrize(
    ("config", "is_told"),
    [
        ({"shell": {"hosts": ["packages.example.org"]}}, True),
        ({"mcp": {"servers": {"web": {"command": "web", "hosts": ["*"]}}}}, True),
        ({"shell": {"enabled": True}}, False),
    ],
)
def test_the_steps_say_what_named_hosts_need_beside_the_unit(
    tmp_path: Path, config: dict[str, object], is_told: bool
) -> None:
    acme = written(Systemd(), tenant(tmp_path / "acme", "systemd", release=RELEASE, shell=SHELL_BY_PROFILE))
    path = acme.folder / "config.json"
    path.write_text(json.dumps(config))
    assert (f"# {texts.NAMED_HOSTS_SHUT(path=path)}" in Systemd().operator_start_steps(acme)) is is_told


def test_the_pod_of_a_tenant_with_a_shell_has_the_profile_of_its_node(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    have("kubectl", "kubernetes-validate", environment=monkeypatch)
    acme = written(Kubernetes(), tenant(tmp_path / "acme", "kubernetes", release=IMAGE, shell=SHELL_BY_PROFILE))
    assert [(each.is_good, each.text) for each in Kubernetes().run_validators(acme, acme.folder)] == [(True, "")] * 3
    found = pod(acme)
    own = {"type": "Localhost", "localhostProfile": "retinue/shell.json"}
    assert found["securityContext"]["seccompProfile"] == own  # Pod Security allows that in “restricted”
    assert found["containers"][0]["resources"]["limits"]["memory"] == "1Gi"
    assert json.loads((acme.folder / SECCOMP_FILE).read_text()) == profile()
    first, *_ = Kubernetes().operator_start_steps(acme)
    path = "/var/lib/kubelet/seccomp/retinue/shell.json"
    assert texts.PROFILE_ON_EACH_NODE(file=acme.folder / SECCOMP_FILE, path=path) in first


@pytest.mark.parametrize(("target", "release"), [("systemd", "/opt/retinue"), ("kubernetes", IMAGE)])
def test_without_a_shell_nothing_of_it_is_written(tmp_path: Path, target: str, release: str) -> None:
    acme = written(make_target(target), tenant(tmp_path / "acme", target, release=release))
    names = {path.name for path in acme.folder.rglob("*")}
    assert not names & {SECCOMP_FILE, "shell.conf"}
    assert "Localhost" not in "".join(path.read_text() for path in acme.folder.glob("*.yaml"))


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
