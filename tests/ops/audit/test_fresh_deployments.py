"""Nothing is reported of a bot that `retinue setup` or `add-tenant` has just made."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.config import load
from bot.core.findings import CheckFinding, CheckState
from bot.ops.audit.check_list import CHECKS, audit
from bot.ops.audit.subject import AuditedBot
from bot.tenants.creation import make_tenant
from bot.tenants.root import TenantsRoot
from bot.tenants.targets import ValidatorVerdict
from bot.tenants.targets.compose import Compose
from bot.tenants.targets.kubernetes import Kubernetes
from bot.tenants.targets.systemd import Systemd
from bot.tenants.tenant import Tenant
from tests.ops.audit.audited_place import ORDINARY_USER
from tests.ops.audit.tenant_files import RELEASES
from tests.stand_ins.claude import ClaudeStandIn
from tests.stand_ins.telegram import TelegramStandIn
from tests.support.shell import Shell
from tests.tenants.papers import COOK, PNG, blueprint, content

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="each tenant gets a user of its own, which takes root")
NO_DISCORD = "n"
ROLES = {"cook.md": COOK, "cook.png": PNG}


def faults(bot: AuditedBot) -> list[CheckFinding]:
    found = list(audit(bot))
    assert len(found) >= len(CHECKS)
    return [each for each in found if each.state is not CheckState.OK]


class WrittenCompose(Compose):
    """The target without its validators, which are programs of the machine."""

    def run_validators(self, tenant: Tenant, folder: Path) -> Iterator[ValidatorVerdict]:
        return iter(())


class WrittenSystemd(Systemd):
    """The same."""

    def run_validators(self, tenant: Tenant, folder: Path) -> Iterator[ValidatorVerdict]:
        return iter(())


class WrittenKubernetes(Kubernetes):
    """The same."""

    def run_validators(self, tenant: Tenant, folder: Path) -> Iterator[ValidatorVerdict]:
        return iter(())


@needs_root
@pytest.mark.parametrize("target", [WrittenCompose(), WrittenSystemd(), WrittenKubernetes()])
def test_of_a_new_tenant_nothing_is_reported(tmp_path: Path, target: Compose | Systemd | Kubernetes) -> None:
    name = next(each for each in RELEASES if each in type(target).__name__.lower())
    groups = {"home/instructions.md": "---\naddress: telegram:7\n---\nYou keep house."}
    plan = blueprint(target=name, release=RELEASES[name], role_files=ROLES, group_texts=groups)
    old = os.umask(0)
    try:
        tenant, _ = make_tenant(TenantsRoot(tmp_path / "srv"), plan, target, content)
    finally:
        os.umask(old)
    loaded = load(tenant.folder / "config.json", variables={})
    assert faults(AuditedBot(loaded=loaded)) == []
    (tenant.folder / "secrets/model__api_key").chmod(0o602)
    assert [each.text[:3] for each in faults(AuditedBot(loaded=loaded))] == ["A04"]


async def test_of_a_bot_that_setup_made_and_that_has_run_nothing_is_reported(tmp_path: Path) -> None:
    config = tmp_path / "home/retinue/config.json"
    async with ClaudeStandIn() as claude, TelegramStandIn() as telegram:
        variables = {"MODEL__BASE_URL": claude.base_url, "CHANNELS__TELEGRAM__BASE_URL": telegram.base_url}
        shell = Shell(tmp_path, {f"RETINUE_{name}": value for name, value in variables.items()})
        answers = [claude.api_key, "y", telegram.token, "n", "7", NO_DISCORD, "y"]
        said = await shell.retinue("setup", stdin="\n".join(answers) + "\n")
        assert said.status == 0, said.out
        claude.script.say("Hello Ann")
        said = await shell.retinue("chat", "-m", "hello")
        assert (said.status, said.out) == (0, "Hello Ann\n")
    loaded = load(config, variables={})
    assert [folder.name for _, folder in loaded.secret_folders] == ["secrets"]
    assert (loaded.config.data_dir / "bot.db").exists()
    assert faults(AuditedBot(loaded=loaded, user=ORDINARY_USER)) == []
