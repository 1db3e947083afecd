"""Tenants on paper: a target that writes one file and runs nothing, and what a tenant is made of."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.config import LoadedConfig
from bot.core.errors import ConfigError
from bot.tenants.creation import Blueprint
from bot.tenants.root import TenantsRoot
from bot.tenants.targets import Command, ValidatorVerdict
from bot.tenants.tenant import Tenant

TELEGRAM, KEY = "4242:AAHtelegram-token_of_a_test", "sk-ant-key-of-a-test"
DISCORD = "MTIzNDU2Nzg5MDEyMzQ1Njc4.Gabcde.discord-token-of-a-test"  # of the bot 123456789012345678

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
COOK = "---\ndescription: Cooks.\npicture: cook.png\n---\nYou cook."


@dataclass
class Paper:
    """Its validator finds fault with every text that holds one of these words."""

    faults: Collection[str] = ()
    extra: Mapping[str, str] = field(default_factory=dict)

    def render_artefacts(self, tenant: Tenant, secrets: Collection[str], files: Collection[str]) -> Mapping[str, str]:
        return {"paper.txt": f"{tenant.name} {tenant.uid} {tenant.release} {sorted(secrets)}\n", **self.extra}

    def run_validators(self, tenant: Tenant, folder: Path) -> Iterator[ValidatorVerdict]:
        text = (folder / "paper.txt").read_text()
        fault = next((word for word in self.faults if word in text), None)
        yield ValidatorVerdict(validator="reader", is_good=fault is None, text=f"{fault} is not liked" if fault else "")

    def commands_to_start_bot(self, tenant: Tenant) -> list[Command]:
        return []

    def commands_to_stop_bot(self, tenant: Tenant) -> list[Command]:
        return []

    def is_running(self, tenant: Tenant) -> bool:
        return False

    def retinue_command_while_running(self, tenant: Tenant, words: Sequence[str]) -> Command:
        return ["true"]

    def retinue_command_while_stopped(self, tenant: Tenant, words: Sequence[str]) -> Command:
        return ["true"]

    def release_version_command(self, tenant: Tenant, release: str) -> Command | None:
        return None

    def logs_command(self, tenant: Tenant, *, follow: bool, lines: int) -> Command:
        return ["true"]

    def commands_to_remove_deployment(self, tenant: Tenant) -> list[Command]:
        return []

    def operator_start_steps(self, tenant: Tenant) -> list[str]:
        return ["read it"]


def telegram(**settings: Any) -> dict[str, Any]:
    """The settings of a tenant that only its owner talks to."""
    return {"channels": {"telegram": {"enabled": True, "owner": 7, **settings}}}


def blueprint(name: str = "acme", target: str = "compose", **fields: Any) -> Blueprint:
    given: dict[str, Any] = {
        "config_values": telegram(),
        "secrets": {"channels__telegram__token": TELEGRAM, "model__api_key": KEY},
        "release": "sha256:" + "1" * 64,
        "retinue_version": "1.2.3",
    }
    return Blueprint(name=name, target=target, **{**given, **fields})


def content(loaded: LoadedConfig) -> None:
    """A look that finds nothing wrong."""


def discontent(loaded: LoadedConfig) -> None:
    raise ConfigError(f"{loaded.path}: this is wrong")


def tenants_in(root: TenantsRoot) -> list[Tenant]:
    """The tenants there, by name."""
    return [root.read_tenant(folder.name) for folder in root.tenant_folders()]
