"""`retinue run` as a service runs it: a process of its own, with the platforms and the model over sockets."""

import asyncio
import contextlib
import json
import logging
import os
import signal
import socket
import sys
from pathlib import Path

import pytest

from bot.assembly import replace_folder_with_project_pages
from bot.cli import texts
from bot.config.channel_access import access_of_channel
from bot.core.access import Access
from bot.core.exit_status import ExitStatus
from bot.core.messages import Address, PersonId
from bot.core.texts import operators, people
from bot.models.demo import rules
from bot.ops.checks import texts as check_texts
from bot.ops.log_redaction import RedactingFormatter
from bot.ops.watchdog import NOTIFY_VARIABLE
from channels.discord.platform import DiscordSettings
from channels.telegram.platform import TelegramSettings
from tests.stand_ins.claude import Hold, reply
from tests.stand_ins.claude.replies import Text
from tests.support.doctor_visit import doctor, lines
from tests.support.patience import PATIENCE
from tests.support.run_command import Service, service

__all__ = ["service"]

pytestmark = pytest.mark.timeout(60)  # each run imports three large libraries


@pytest.mark.fast
async def test_it_answers_on_both_platforms_says_one_line_and_stops_cleanly(service: Service) -> None:
    service.claude.script.say("Hello Ann", "Hello Owner")
    ann = service.telegram.person(7, "Ann")
    room, private = service.telegram.private(ann), service.discord.owner.private()
    async with service.run() as process:
        room.say(ann, "hello")
        await service.telegram.until(lambda: room.texts()[-1:] == ["Hello Ann"])
        service.discord.owner.say(private, "hello")
        await service.discord.until(
            lambda: [each.text for each in service.discord.said(private)][-1:] == ["Hello Owner"]
        )
        said = await service.shell.retinue("health", "--json")
        condition = json.loads(said.out)
        assert condition["process"] == str(process.pid)
        assert [each["name"] for each in condition["channels"]] == ["telegram", "discord"]
        assert await service.stopped(process, signal.SIGTERM) == (0, "")


def opened(process: int) -> set[str]:
    """The files that a process has open. One that it closes meanwhile is none of them."""
    files = set()
    for each in Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            files.add(os.readlink(each))
    return files


async def test_a_running_bot_shows_that_its_environment_is_in_use(service: Service) -> None:
    async with service.run() as process:
        assert str(Path(sys.prefix) / "pyvenv.cfg") in opened(process.pid)


async def test_a_terminal_is_attached_to_it_and_its_owner_obeyed(service: Service) -> None:
    service.claude.script.say("Good evening.")
    async with service.run() as process:
        said = await service.shell.retinue("chat", "-m", "hello")
        groups = await service.shell.retinue("chat", "-m", "/groups")
        assert process.returncode is None
    assert (said.status, said.out, said.err) == (0, "Good evening.\n", "")
    assert groups.status == 0


async def test_systemd_is_told_when_it_answers_that_it_turns_and_that_it_ends(service: Service) -> None:
    address = str(service.shell.folder / "notify")
    service.shell.settings[NOTIFY_VARIABLE] = address
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(address)
        listening.setblocking(False)
        async with service.run() as process:
            await told(listening, b"READY=1")
            await told(listening, b"WATCHDOG=1")
            process.send_signal(signal.SIGTERM)
            await told(listening, b"STOPPING=1")


async def told(listening: socket.socket, state: bytes) -> None:
    async with asyncio.timeout(PATIENCE):
        while await asyncio.get_running_loop().sock_recv(listening, 100) != state:
            pass


async def test_the_demo_answers_on_both_platforms_without_key_or_cost(service: Service) -> None:
    del service.shell.settings["ANTHROPIC_API_KEY"]
    config = json.loads((service.shell.folder / "config.json").read_text())
    service.shell.config(**{key: config[key] for key in config if key != "model"})
    ann = service.telegram.person(7, "Ann")
    room, private = service.telegram.private(ann), service.discord.owner.private()
    async with service.run("--demo", up=texts.DEMO_ANSWERING(channels="telegram and discord")) as process:
        for asked, answer in [("/usage", people.DEMO_IS_FREE()), ("thanks", rules.THANKS_REPLY)]:
            room.say(ann, asked)
            await service.telegram.until(lambda answer=answer: room.texts()[-1:] == [answer])  # type: ignore[misc]
        service.discord.owner.say(private, "write me a haiku")
        await service.discord.until(
            lambda: [each.text for each in service.discord.said(private)][-1:] == [rules.HAIKU_REPLY]
        )
        assert await service.stopped(process, signal.SIGTERM) == (0, "")
    assert not service.claude.requests


async def test_doctor_checks_the_database_and_the_workspace_of_a_running_demo(service: Service) -> None:
    del service.shell.settings["ANTHROPIC_API_KEY"]
    channels = json.loads((service.shell.folder / "config.json").read_text())["channels"]
    service.shell.config(channels=channels)
    up = texts.DEMO_ANSWERING(channels="telegram and discord")
    async with service.run("--demo", up=up) as process:
        said = await doctor(service.shell)
        await service.stopped(process, signal.SIGTERM)
    assert (said.status, lines(said, "wrong")) == (0, [])
    workspace = check_texts.WORKSPACE(folder=service.shell.data / "demo" / "pages")
    assert {check_texts.DEMO_ANSWERS, check_texts.DATABASE_WHOLE, workspace} <= {*lines(said, "ok")}
    said = await doctor(service.shell)
    assert (said.status, lines(said, "wrong")) == (1, [f"{check_texts.NO_MODEL} → {check_texts.SET_MODEL}"])


def test_the_demos_output_on_a_platform_matches_its_page_without_a_config(tmp_path: Path) -> None:
    source = tmp_path / "source"
    for name in ("docs/page.md", "roles/role.md", "README.md", "config.json", "secrets/token", ".env"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(name)
    for _ in range(2):  # the second time over the first
        folder = replace_folder_with_project_pages(source, tmp_path / "data" / "pages")
        found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
        assert found == {"docs/page.md", "roles/role.md", "README.md"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=str)
async def test_the_second_signal_ends_it_at_once_and_nothing_is_lost(service: Service, number: signal.Signals) -> None:
    service.claude.script.say(reply(Hold(asyncio.Event()), Text("Hello Ann")))
    ann = service.telegram.person(7, "Ann")
    room = service.telegram.private(ann)
    async with service.run() as process:
        room.say(ann, "hello")
        while not service.claude.requests:  # noqa: ASYNC110 -- it has nobody to tell
            await asyncio.sleep(0.01)
        process.send_signal(number)
        await asyncio.sleep(0.5)
        assert process.returncode is None, "a turn is at work: it may come to its end"
        status, _ = await service.stopped(process, number)
    assert status == -number
    service.claude.script.say("Hello again, Ann")
    async with service.run():
        await service.telegram.until(lambda: room.texts()[-1:] == ["Hello again, Ann"])


async def test_refused_tokens_are_told_and_no_secret_is_ever_written(service: Service) -> None:
    service.shell.settings["TELEGRAM_BOT_TOKEN"] = "123456:revoked-token"
    service.shell.settings["DISCORD_BOT_TOKEN"] = "revoked.discord.token"
    async with service.run() as process:
        faults: list[str] = []
        while not all(faults) or len(faults) < 2:
            said = await service.shell.retinue("health", "--json")
            faults = [channel["fault"] for channel in json.loads(said.out)["channels"]]
        status, errors = await service.stopped(process, signal.SIGTERM)
    assert status == 0
    assert all("token" in fault for fault in faults)
    told = "".join([errors, *faults, said.out])
    assert not any(secret in told for secret in service.shell.settings.values())


async def test_a_second_bot_on_a_folder_names_the_holder_and_claims_no_answers(
    service: Service,
) -> None:
    async with service.run() as process:
        said = await service.shell.retinue("run")
        assert (said.status, said.out) == (ExitStatus.IN_USE, "")
        assert said.err == f"retinue: {operators.FOLDER_IN_USE(folder=service.shell.data, process=process.pid)}\n"


def test_the_settings_decide_who_may_speak() -> None:
    assert access_of_channel("telegram", TelegramSettings(owner=7, allow_from=(8, -100))) == Access(
        owner_id=PersonId("7"),
        allowed_ids=frozenset({"8", "-100"}),
        owner_address=Address(channel="telegram", chat="7"),
        may_strangers_pair=True,
    )
    assert access_of_channel("discord", DiscordSettings(owner=9)).owner_address == Address(channel="discord", chat="@9")
    assert access_of_channel("discord", DiscordSettings(allow_from="*")) == Access(
        is_public=True, may_strangers_pair=True
    )


def test_a_secret_in_a_traceback_is_not_logged() -> None:
    try:
        raise OSError("GET https://api.telegram.org/bot123:abc/getMe")
    except OSError:
        record = logging.LogRecord("a", logging.ERROR, "a.py", 1, "with %s", ("123:abc",), sys.exc_info())
    line = RedactingFormatter({"123:abc", "abc"}).format(record)
    assert "abc" not in line
    assert "GET https://api.telegram.org/bot…/getMe" in line
