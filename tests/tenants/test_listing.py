"""All tenants in lines: one that is broken, hangs or is half upgraded is a line among them, and not the end."""

import json
import os
from pathlib import Path

import pytest

from bot.core.errors import ConfigError
from bot.tenants import making_texts, texts
from bot.tenants.commands.list_tenants import list_tenant_statuses
from bot.tenants.creation import make_tenant
from bot.tenants.targets import Target
from bot.tenants.tenant import Tenant
from tests.support.wording import says
from tests.tenants.dolls import Dolls
from tests.tenants.nursery import NEW, Nursery
from tests.tenants.papers import KEY, blueprint, content

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="each tenant gets a user of its own, which takes root")


class Away(Dolls):
    """An engine that does not answer for one of them."""

    def is_running(self, tenant: Tenant) -> bool:
        if tenant.name == "hung":
            raise ConfigError("docker does not answer")
        return super().is_running(tenant)


def target_of(name: str) -> Target:
    return Away()


def test_each_tenant_is_a_line_in_any_state(tmp_path: Path) -> None:
    nursery = Nursery(tmp_path)
    for number, name in enumerate(("broken", "foreign", "hung", "idle", "unfinished", "unwell")):
        secrets = {"channels__telegram__token": f"{number + 1}:AAHtoken-of-{name}", "model__api_key": KEY}
        made, _ = make_tenant(nursery.root, blueprint(name, secrets=secrets, release="1"), Dolls(), content)
        (made.folder / "data/step").write_text("1")
    (nursery.root.path / "broken/tenant.json").write_text("{")
    record = json.loads((nursery.root.path / "foreign/tenant.json").read_text())
    (nursery.root.path / "foreign/tenant.json").write_text(json.dumps({**record, "target": "nomad"}))
    (nursery.root.path / "unwell/data/state").write_text("running by 1")
    (nursery.root.path / "unwell/secrets/model__api_key").write_text("bad")
    (nursery.root.path / "no-tenant").mkdir()
    nursery.tenant = nursery.root.read_tenant("unfinished")
    assert nursery.is_killed(lambda: nursery.upgrade(NEW, 3))

    found = {line.name: line for line in list_tenant_statuses(nursery.root, target_of)}
    assert list(found) == ["acme", "broken", "foreign", "hung", "idle", "unfinished", "unwell"]
    acme = found["acme"]
    assert acme.health
    assert (acme.state, acme.health.is_well, acme.health.spent_today_usd, acme.health.bot_version) == (
        "running",
        True,
        0.5,
        "1.0",
    )
    assert {name: line.state for name, line in found.items() if line.state != "running"} == {
        "broken": "unknown",
        "foreign": "unknown",
        "hung": "unknown",
        "idle": "stopped",
        "unfinished": "stopped",
    }
    path = nursery.root.path / "broken/tenant.json"
    assert found["broken"].notes == (making_texts.NO_RECORD(path=path),)
    path = nursery.root.path / "foreign/tenant.json"
    assert found["foreign"].notes == (making_texts.NO_SUCH_TARGET(path=path, target="nomad"),)
    assert found["hung"].notes == ("docker does not answer",)
    assert says(found["unfinished"].notes[0], texts.UPGRADE_INTERRUPTED, name="unfinished")
    assert found["unwell"].notes == ("it is unwell",)
