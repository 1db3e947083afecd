"""A tenant's life after it was made, as its operator types it: the bot is real, the platforms are stand-ins."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.core.texts import people
from bot.tenants import texts
from bot.tenants.commands import texts as printed
from tests.support.wording import says
from tests.tenants.operating import DYING, NEXT, OWNER, THIS, Machine, machine_in, with_step
from tests.tenants.papers import COOK, PNG

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="each tenant gets a user of its own, which takes root"),
    pytest.mark.timeout(300),
]

NOTICE = people.RESTORED(time=datetime(2026, 1, 1, tzinfo=UTC)).partition("2026")[0]
DIES = ("return serve(", "raise SystemExit(7) or serve(")


@pytest.fixture
async def machine(tmp_path: Path) -> AsyncIterator[Machine]:
    async with machine_in(tmp_path) as there:
        yield there


async def test_a_conversation_survives_backup_restore_upgrade_and_rollback(
    machine: Machine,
) -> None:
    await machine.add()
    await machine.compose("acme", "up", "--detach")
    await machine.talk("Hello", "Hello, Owner")
    saving = asyncio.create_task(machine.done("backup-tenant", "acme"))
    for number in range(2):
        await machine.talk(f"Message {number}", f"Answer {number}")
    assert says(await saving, texts.BACKED_UP)
    (archive,) = (machine.root / ".backups").iterdir()
    assert archive.stat().st_mode & 0o777 == 0o600
    assert "running  well " in await machine.done("list-tenants")

    assert says(await machine.done("restore-tenant", "acme", str(archive)), texts.WELL, name="acme")
    await machine.talk("Again", "Hello again")
    assert sum(NOTICE in text for text in machine.room.texts()) == 1
    assert "Hello, Owner" in json.dumps(machine.claude.requests[-1].body), "the same conversation goes on"

    new_step = with_step("CREATE TABLE news (id INTEGER PRIMARY KEY)")
    machine.another(DYING, bot__store__migrations=new_step, bot__cli__run=lambda text: text.replace(*DIES))
    machine.another(NEXT, bot__store__migrations=new_step)
    step = (await machine.health())["rows"]["step"]
    said = await machine.run("upgrade-tenant", "acme", "--image", DYING)
    assert said.status == 1, said.out + said.err
    assert says(said.out, texts.PUTTING_ROWS_BACK)
    assert (await machine.health())["rows"]["step"] == step
    await machine.talk("Still there?", "Of course")

    running = (await machine.health())["process"]
    said = await machine.run("upgrade-tenant", "acme", "--image", f"sha256:{'9' * 64}")
    assert said.status == 2
    assert says(said.err, texts.NO_SUCH_RELEASE)
    assert (await machine.health())["process"] == running

    said_of_all = await machine.done("upgrade-tenant", "--all", "--image", NEXT)
    assert said_of_all.splitlines()[0] == printed.ONE_OF_ALL(name="acme", number=1, count=1)
    assert (await machine.health())["rows"]["step"] == step + 1
    await machine.talk("And now?", "The same as ever")
    shown = machine.room.texts()
    assert shown[-4:] == ["Still there?", "Of course", "And now?", "The same as ever"]
    assert sum(NOTICE in text for text in shown) == 1, "an upgrade is nothing that people are told of"
    owners = {path.stat().st_uid for path in (machine.root / "acme/data").rglob("*")}
    assert owners == {50_000}, "nobody but the tenant has written there"
    assert "answering on telegram" in await machine.done("tenant-logs", "acme")


async def test_a_removed_tenant_is_made_again_from_its_archive(machine: Machine) -> None:
    await machine.add()
    (machine.root / "acme/roles/cook.md").write_text(COOK)
    (machine.root / "acme/roles/cook.png").write_bytes(PNG)
    await machine.done("add-tenant", "acme")
    await machine.compose("acme", "up", "--detach")
    await machine.talk("Hello", "Hello, Owner")
    said = await machine.run("remove-tenant", "acme", stdin="no\n")
    assert (said.status, printed.NOTHING_DONE in said.out) == (1, True)
    await machine.done("remove-tenant", "acme", "--yes", "--delete")
    assert await machine.done("list-tenants") == f"{printed.NO_TENANTS(root=machine.root)}\n"
    (archive,) = (machine.root / ".archive").iterdir()

    secrets = f"{machine.telegram.token}\n"
    said_of_it = await machine.done(
        *("restore-tenant", "zeta", str(archive), "--image", THIS), stdin=f"{machine.claude.api_key}\n{secrets}"
    )
    assert says(said_of_it, printed.MADE_OF_BACKUP, name="zeta")
    assert (machine.root / "zeta/roles/cook.png").read_bytes() == PNG
    assert json.loads((machine.root / "zeta/config.json").read_text())["channels"]["telegram"]["owner"] == OWNER
    assert json.loads(await machine.done("list-tenants", "--json"))["state"] == "stopped"

    renewed = machine.telegram.token
    out = await machine.done("rotate-secret", "zeta", "channels.telegram.token", "--from", "-", stdin=renewed)
    assert "telegram: @" in out
    await machine.compose("zeta", "up", "--detach")
    await machine.talk("Do you know me?", "I do")
    assert "Hello, Owner" in json.dumps(machine.claude.requests[-1].body)
