"""The whole command with roles that have pictures: each is seen on Discord by its own, also after a kill."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.stand_ins.claude import Asked, Reply, ToolUse, reply
from tests.stand_ins.discord import Channel, Fault, Permission, Route, Webhook
from tests.support.both_platforms import role_of
from tests.support.run_command import Service, served
from tests.support.shell import REPOSITORY

PATIENCE = 30.0  # seconds, two starts among it
PNG, GIF, JPEG = b"\x89PNG\r\n\x1a\n" + bytes(8), b"GIF89a" + bytes(8), b"\xff\xd8\xff" + bytes(8)
ROLE = "---\ndescription: Knows the kitchen.\ntools: [message]\n{picture}---\nYou are a {name}.\n"
PICTURES = {"cook": ("cook.png", PNG), "waiter": ("waiter.gif", GIF), "baker": ("bread.jpeg", JPEG), "guest": ("", b"")}
pytestmark = pytest.mark.timeout(120)


def script(asked: Asked) -> Reply:
    """All roles that a question names say something; then they are done."""
    role = role_of(asked)
    if role != "lead":
        return reply("done") if asked.step else reply(ToolUse("message", {"text": f"news of the {role}"}))
    named = [each for each in (*PICTURES, "researcher") if each in asked.turn_text]
    calls = [ToolUse("delegate", {"role": each, "task": f"Look into it, {each}."}) for each in named]
    return reply("so it is") if asked.step else reply(*calls)


@dataclass
class Kitchen:
    service: Service
    general: Channel

    def ask(self, text: str) -> None:
        discord = self.service.discord
        discord.owner.say(self.general, text, mentions=[discord.bot])

    async def until_answered(self, times: int = 1) -> None:
        discord = self.service.discord
        await discord.until(lambda: self.texts().count("so it is") == times, PATIENCE)

    def texts(self) -> list[str]:
        return [text for _, text in self.service.discord.heard_voices(self.general)]

    def pictures(self) -> dict[str, bytes | None]:
        """By the name above each message of a role: the picture beside it."""
        return {
            each.author_name: each.author.picture for each in self.general.messages if isinstance(each.author, Webhook)
        }


@pytest.fixture
async def kitchen(tmp_path: Path) -> AsyncIterator[Kitchen]:
    async with served(tmp_path) as service:
        (folder := tmp_path / "roles").mkdir()
        for name, (file, content) in PICTURES.items():
            if file:
                (folder / file).write_bytes(content)
            picture = f"picture: {file}\n" if file else ""
            (folder / f"{name}.md").write_text(ROLE.format(name=name, picture=picture))
        service.discord.limits.identify_seconds = 0
        service.claude.script.rule(script)
        [guild] = service.discord.world.guilds.values()
        general = service.discord.channel(guild, "general")
        general.granted |= Permission.MANAGE_WEBHOOKS
        yield Kitchen(service, general)


async def test_several_roles_at_once_have_each_their_own_picture(kitchen: Kitchen) -> None:
    async with asyncio.timeout(2 * PATIENCE), kitchen.service.run():
        await until_connected(kitchen)
        kitchen.ask("what do cook, waiter, baker, guest and researcher say?")
        await kitchen.until_answered()
        shipped = (REPOSITORY / "roles" / "researcher.png").read_bytes()
        assert kitchen.pictures() == {"Cook": PNG, "Waiter": GIF, "Baker": JPEG, "Guest": None, "Researcher": shipped}
        assert len(kitchen.service.discord.webhooks(kitchen.general)) == 5
        (kitchen.service.shell.folder / "roles" / "cook.png").write_bytes(PNG + b"new")
        times = 1
        while kitchen.pictures()["Cook"] == PNG:  # the running bot looks at the files every two seconds
            times += 1
            kitchen.ask("and what does the cook say?")
            await kitchen.until_answered(times)
    assert kitchen.pictures()["Cook"] == PNG + b"new"
    assert len(kitchen.service.discord.webhooks(kitchen.general)) == 5
    kitchen.service.discord.verify()


@pytest.mark.parametrize(
    ("route", "fault"),
    [(Route.CREATE_WEBHOOK, Fault.BLACK_HOLE_AFTER), (Route.EXECUTE, Fault.BLACK_HOLE_BEFORE)],
    ids=["before it knows the webhook", "before the first post arrives"],
)
async def test_a_kill_between_a_webhook_and_its_first_post_loses_nothing(
    kitchen: Kitchen, route: Route, fault: Fault
) -> None:
    discord = kitchen.service.discord
    async with asyncio.timeout(2 * PATIENCE):
        async with kitchen.service.run() as process:
            await until_connected(kitchen)
            discord.faults.on(route, fault)
            kitchen.ask("what does the cook say?")
            await discord.until(lambda: any(each.fault for each in discord.to(route)), PATIENCE)
            process.kill()
        [made] = discord.webhooks(kitchen.general)
        assert kitchen.pictures() == {}
        async with kitchen.service.run():
            await kitchen.until_answered()
    assert discord.webhooks(kitchen.general) == [made]
    assert kitchen.pictures() == {"Cook": PNG}
    assert Counter(kitchen.texts())["[Cook]: news of the cook"] == 1


async def until_connected(kitchen: Kitchen) -> None:
    await kitchen.service.discord.until(lambda: bool(kitchen.service.discord.gateway.sessions), PATIENCE)
