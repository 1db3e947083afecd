"""`retinue setup`: asked and answered as a person would, with the platforms' stand-ins at the other end."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.cli import texts as cli_texts
from bot.cli.setup_wizard import texts
from bot.config import load
from channels.discord import operator_texts as discord_texts
from channels.discord.platform import DEVELOPER_PORTAL_URL
from channels.telegram import operator_texts as telegram_texts
from tests.stand_ins.claude import ClaudeStandIn
from tests.stand_ins.discord import DiscordStandIn, Intent
from tests.stand_ins.telegram import TelegramStandIn
from tests.support.patience import PATIENCE
from tests.support.shell import Said, Shell

pytestmark = pytest.mark.timeout(60)  # each run imports three large libraries
NO_MODEL, NO_TELEGRAM, NO_DISCORD = "\n", "n\n", "n\n"


@pytest.fixture
async def claude() -> AsyncIterator[ClaudeStandIn]:
    async with ClaudeStandIn() as server:
        yield server


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramStandIn]:
    async with TelegramStandIn() as server:
        yield server


@pytest.fixture
async def discord() -> AsyncIterator[DiscordStandIn]:
    async with DiscordStandIn() as server:
        yield server


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Where nobody is reached, unless a test says where somebody is."""
    nobody = "http://127.0.0.1:9"
    return Shell(
        tmp_path,
        {
            "RETINUE_CONFIG": str(tmp_path / "config.json"),
            "RETINUE_MODEL__BASE_URL": nobody,
            "RETINUE_CHANNELS__TELEGRAM__BASE_URL": f"{nobody}/bot",
            "RETINUE_CHANNELS__DISCORD__BASE_URL": f"{nobody}/api/v10",
        },
    )


def found(shell: Shell) -> dict[str, Any]:
    values: dict[str, Any] = json.loads((shell.folder / "config.json").read_text())
    return values


def files(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def has_shown(said: Said, *secrets: str) -> bool:
    return any(secret in said.out + said.err for secret in secrets)


async def test_from_nothing_to_a_config_that_is_checked_step_by_step(
    shell: Shell, claude: ClaudeStandIn, telegram: TelegramStandIn, discord: DiscordStandIn
) -> None:
    shell.settings["RETINUE_MODEL__BASE_URL"] = claude.base_url
    shell.settings["RETINUE_CHANNELS__TELEGRAM__BASE_URL"] = telegram.base_url
    shell.settings["RETINUE_CHANNELS__DISCORD__BASE_URL"] = discord.base_url
    discord.portal.intents = Intent(0)
    answers = [
        *("sk-ant-wrong", claude.api_key),
        *("y", "1:wrong", telegram.token, "n", "Ann", "7"),
        *("y", discord.token, "y"),
        "y",
    ]
    said = await shell.retinue("setup", stdin="\n".join(answers) + "\n")
    assert (said.status, said.err) == (0, "")
    assert not has_shown(said, "sk-ant-wrong", claude.api_key, telegram.token, discord.token)
    assert (said.out.count(texts.API_KEY), said.out.count(telegram_texts.TOKEN_OR_MESSAGE)) == (2, 2), (
        "the first was refused"
    )
    for words in (
        texts.MODEL_IS_THERE(model="claude-sonnet-5-5"),
        telegram_texts.THIS_IS(name="retinue_bot"),
        texts.NO_NUMERIC_ID,
        discord_texts.THIS_IS(0, name="Retinue"),
        discord_texts.OWNS_APPLICATION(name="Owner"),
        discord_texts.SWITCH_INTENT_ON(portal=DEVELOPER_PORTAL_URL, id=discord.bot.id),
        discord_texts.INVITE(link=f"https://discord.com/oauth2/authorize?client_id={discord.bot.id}&permissions="),
    ):
        assert words in said.out
    assert found(shell) == {
        "channels": {
            "telegram": {"enabled": True, "owner": 7},
            "discord": {"enabled": True, "owner": discord.owner.id},
        }
    }
    secrets = shell.folder / "secrets"
    assert {path.name: path.stat().st_mode & 0o777 for path in secrets.iterdir()} == {
        "model__api_key": 0o600,
        "channels__telegram__token": 0o600,
        "channels__discord__token": 0o600,
    }
    assert secrets.stat().st_mode & 0o777 == 0o700
    config = load(shell.folder / "config.json", variables={}).config
    assert config.model.api_key
    assert config.model.api_key.get_secret_value() == claude.api_key
    assert config.channels.telegram.token
    assert config.channels.telegram.token.get_secret_value() == telegram.token


@pytest.mark.fast
async def test_without_any_answer_nothing_is_written(shell: Shell) -> None:
    said = await shell.retinue("setup", stdin="\n\n\n")
    told = texts.NOTHING_TO_WRITE(chat="retinue chat", setup="retinue setup")
    assert (said.status, said.out.splitlines()[-1], files(shell.folder)) == (1, told, {})


@pytest.mark.fast
async def test_the_suggested_next_commands_exist(shell: Shell) -> None:
    said = await shell.retinue("setup", stdin=f"sk-ant-x\n{NO_TELEGRAM}{NO_DISCORD}y\n")
    named = [
        line.split()[1] for line in said.out.partition(texts.NEXT)[2].splitlines() if line.startswith("  retinue ")
    ]
    assert named == ["chat", "setup"]
    for name in named:
        assert (await shell.retinue(name, "--help")).status == 0


async def test_a_new_config_is_the_users_own_and_is_found_from_every_folder(shell: Shell) -> None:
    del shell.settings["RETINUE_CONFIG"]
    said = await shell.retinue("setup", stdin=f"sk-ant-x\n{NO_TELEGRAM}{NO_DISCORD}y\n")
    path = shell.folder / "home" / "retinue" / "config.json"
    assert texts.NEW_CONFIG(path=path) in said.out
    assert "--config" not in said.out
    assert (await shell.retinue("config")).err.startswith(f"{cli_texts.SETTINGS_FROM_FILE(path=path)}\n")


async def test_a_person_without_a_token_goes_on_without_that_platform(shell: Shell) -> None:
    said = await shell.retinue("setup", stdin="sk-ant-x\ny\n\ny\n\ny\n")
    assert said.status == 0, said.out
    assert texts.LEFT_OUT(platform="Telegram") in said.out
    assert texts.LEFT_OUT(platform="Discord") in said.out
    assert found(shell) == {}
    assert files(shell.folder)["secrets/model__api_key"] == "sk-ant-x\n"
    assert texts.NEXT_TOKEN(platform="Telegram") in said.out.partition(texts.NEXT)[2]


@pytest.mark.fast
async def test_the_token_is_found_in_what_botfather_writes(shell: Shell) -> None:
    token = "7654321:" + "AbC-_123" * 4
    pasted = f"Use this token to access the API: {token} Keep it."
    said = await shell.retinue("setup", stdin=f"{NO_MODEL}y\n{pasted}\n7\nn\ny\n")
    assert said.status == 0, said.out
    assert files(shell.folder)["secrets/channels__telegram__token"] == f"{token}\n"


async def test_offline_it_says_what_it_could_not_check_and_goes_on(shell: Shell) -> None:
    said = await shell.retinue("setup", stdin="sk-ant-x\ny\n1:abc\n\ny\nabc.def\n\ny\n")
    assert said.status == 0, said.out
    counts = [said.out.count(each.partition("{reason}")[0]) for each in (texts.NOT_CHECKED_FOR, texts.NOT_CHECKED)]
    assert counts == [1, 2]
    assert found(shell)["channels"]["telegram"]["enabled"]
    assert (shell.folder / "secrets" / "channels__telegram__token").read_text() == "1:abc\n"
    assert not has_shown(said, "sk-ant-x", "1:abc", "abc.def")


async def test_the_sender_of_the_next_private_message_may_become_the_owner(
    shell: Shell, telegram: TelegramStandIn
) -> None:
    shell.settings["RETINUE_CHANNELS__TELEGRAM__BASE_URL"] = telegram.base_url
    eve, ann = telegram.person(6, "Eve"), telegram.person(7, "Ann")
    telegram.private(eve).say(eve, "I was here before")
    async with shell.begun("setup") as process:
        assert process.stdin
        process.stdin.write(f"{NO_MODEL}y\n{telegram.token}\ny\n".encode())
        await telegram.until(lambda: len(telegram.accepted("getUpdates")) >= 1)
        telegram.private(eve).say(eve, "and am again")
        process.stdin.write(b"n\n")
        telegram.private(ann).say(ann, "it is me")
        process.stdin.write(f"y\n{NO_DISCORD}y\n".encode())
        async with asyncio.timeout(2 * PATIENCE):
            out, _ = await process.communicate()
    assert telegram_texts.HAS_WRITTEN(name="Eve", id=6) in out.decode()
    assert found(shell)["channels"]["telegram"] == {"enabled": True, "owner": 7}
    assert len(telegram.world.updates.waiting) == 3, "nothing was confirmed"


async def test_a_person_can_type_the_id_instead_of_waiting_for_a_message(
    shell: Shell, telegram: TelegramStandIn
) -> None:
    shell.settings["RETINUE_CHANNELS__TELEGRAM__BASE_URL"] = telegram.base_url
    async with shell.begun("setup") as process:
        assert process.stdin
        process.stdin.write(f"{NO_MODEL}y\n{telegram.token}\ny\n".encode())
        await telegram.until(lambda: len(telegram.accepted("getUpdates")) >= 2)
        process.send_signal(signal.SIGINT)
        process.stdin.write(f"7\n{NO_DISCORD}y\n".encode())
        async with asyncio.timeout(2 * PATIENCE):
            out, errors = await process.communicate()
    assert (process.returncode, errors) == (0, b"")
    assert telegram_texts.NOT_WAITED_FOR in out.decode()
    assert found(shell)["channels"]["telegram"]["owner"] == 7


async def test_a_webhook_is_removed_on_request_and_waiting_updates_are_kept(
    shell: Shell, telegram: TelegramStandIn
) -> None:
    shell.settings["RETINUE_CHANNELS__TELEGRAM__BASE_URL"] = telegram.base_url
    ann = telegram.person(7, "Ann")
    telegram.private(ann).say(ann, "hello")
    telegram.world.webhook = "https://elsewhere.example/hook"
    await shell.retinue("setup", stdin=f"{NO_MODEL}y\n{telegram.token}\ny\nn\n7\n{NO_DISCORD}y\n")
    assert (telegram.world.webhook, len(telegram.world.updates.waiting)) == ("", 1)


async def test_existing_files_are_kept_unless_the_person_decides_otherwise(shell: Shell) -> None:
    shell.config(busy="queue", channels={"telegram": {"owner": 7, "token": "1:old"}})
    before = files(shell.folder)
    said = await shell.retinue("setup", stdin="\n")
    assert (said.status, said.out.splitlines()[-1]) == (1, texts.NOTHING_WRITTEN)
    said = await shell.retinue("setup", stdin=f"y\n{NO_MODEL}{NO_TELEGRAM}{NO_DISCORD}n\n")
    assert (said.status, files(shell.folder)) == (1, before)
    said = await shell.retinue("setup", stdin=f"y\n{NO_MODEL}y\nn\n1:new\nn\n{NO_DISCORD}y\n")
    assert said.status == 0, said.out
    assert texts.REPLACES(path=shell.folder / "config.json") in said.out
    assert found(shell) == {"busy": "queue", "channels": {"telegram": {"owner": 7, "enabled": True}}}
    assert files(shell.folder)["secrets/channels__telegram__token"] == "1:new\n"


async def test_answers_that_end_too_soon_leave_everything_as_it_was(shell: Shell) -> None:
    answers = "sk-ant-x\ny\n1:abc\n7\ny\nabc.def\n8\ny\n".splitlines(keepends=True)
    for count in range(0, len(answers), 2):
        said = await shell.retinue("setup", stdin="".join(answers[:count]))
        assert (said.status, files(shell.folder)) == (2, {})
        assert said.err == f"retinue: {texts.ANSWERS_ENDED}\n"


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, -15), (signal.SIGKILL, -9)], ids=str
)
async def test_an_interruption_leaves_nothing_half_written(shell: Shell, number: signal.Signals, status: int) -> None:
    async with shell.begun("setup") as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"sk-ant-x\nn\nn\n")
        async with asyncio.timeout(2 * PATIENCE):
            await process.stdout.readuntil(texts.WRITE_THIS.encode())
        process.send_signal(number)
        await process.wait()
    assert (process.returncode, files(shell.folder)) == (status, {})


async def test_an_unwritable_folder_is_one_clear_line_and_keeps_the_old_config(shell: Shell) -> None:
    shell.config(busy="queue")
    (shell.folder / "secrets").write_text("a file")
    said = await shell.retinue("setup", stdin="y\nsk-ant-x\nn\nn\ny\n")
    assert (said.status, found(shell)) == (2, {"busy": "queue"})
    cannot_write = texts.CANNOT_WRITE(path=shell.folder / "secrets", reason="")
    assert said.err.startswith(f"retinue: {cannot_write.rstrip(': ')}")
    assert not [path for path in shell.folder.iterdir() if path.name.endswith(".new")]
