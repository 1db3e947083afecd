"""A tenant's life after it was made, as its operator types it: the bot is real, the platforms are stand-ins."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.tenants.operating import DYING, FAULTY, NEXT, Machine, machine_in, with_step

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="each tenant gets a user of its own, which takes root"),
    pytest.mark.timeout(120),
]


DIES = ("    logs.to_stderr(", "    raise SystemExit(7)\n    logs.to_stderr(")


@pytest.fixture
async def machine(tmp_path: Path) -> AsyncIterator[Machine]:
    async with machine_in(tmp_path) as there:
        yield there


async def test_under_load_it_is_backed_up_and_what_is_restored_goes_on(machine: Machine) -> None:
    await machine.add()
    await machine.compose("acme", "up", "--detach")
    await machine.talk("Hello", "Hello, Owner")
    saving = asyncio.create_task(machine.done("backup-tenant", "acme"))
    for number in range(3):
        await machine.talk(f"Message {number}", f"Answer {number}")
    assert "whole: 1 conversations" in await saving
    (archive,) = (machine.root / ".backups").iterdir()
    assert archive.stat().st_mode & 0o777 == 0o600
    assert "running  well " in await machine.done("list-tenants")

    said = await machine.done("restore-tenant", "acme", str(archive), "--wait", "30")
    assert "acme is well after" in said
    await machine.talk("Again", "Hello again")
    texts = machine.room.texts()
    assert sum("I was restored from a back-up" in text for text in texts) == 1
    assert "Hello, Owner" in json.dumps(machine.claude.requests[-1].body), "the same conversation goes on"
    assert "answering on telegram" in await machine.done("tenant-logs", "acme")
    owners = {path.stat().st_uid for path in (machine.root / "acme/data").rglob("*")}
    assert owners == {50_000}, "nobody but the tenant has written there"


async def test_an_upgrade_that_fails_is_rolled_back_and_the_next_one_goes_through(machine: Machine) -> None:
    await machine.add()
    machine.another(FAULTY, bot__store__migrations=with_step("SELECT id FROM nowhere"))
    new_step = with_step("CREATE TABLE news (id INTEGER PRIMARY KEY)")
    machine.another(DYING, bot__store__migrations=new_step, bot__cli__serving=lambda text: text.replace(*DIES))
    machine.another(NEXT, bot__store__migrations=new_step)
    await machine.compose("acme", "up", "--detach")
    await machine.talk("Hello", "Hello, Owner")
    step = (await machine.health())["rows"]["step"]

    said = await machine.run("upgrade-tenant", "acme", "--image", FAULTY)
    assert said.status == 1, said.out + said.err
    assert "acme has its old release again, and lost nothing" in said.out
    assert "no such table: nowhere" in said.out
    assert (await machine.health())["rows"]["step"] == step

    said = await machine.run("upgrade-tenant", "acme", "--image", DYING)
    assert said.status == 1, said.out + said.err
    assert "puts back the rows that were there before" in said.out
    assert (await machine.health())["rows"]["step"] == step
    await machine.talk("Still there?", "Of course")

    await machine.done("upgrade-tenant", "acme", "--image", NEXT)
    assert (await machine.health())["rows"]["step"] == step + 1
    await machine.talk("And now?", "The same as ever")
    assert machine.room.texts() == [
        "Hello",
        "Hello, Owner",
        "Still there?",
        "Of course",
        "And now?",
        "The same as ever",
    ]
