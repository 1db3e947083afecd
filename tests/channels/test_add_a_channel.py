"""docs/add-a-channel.md, done as it says: a platform is a folder and a line in the registry."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.cli import texts as cli_texts
from bot.cli.groups import texts as groups_texts
from bot.cli.setup_wizard import texts as setup_texts
from bot.config import texts as config_texts
from bot.config.groups import texts as group_texts
from bot.core.program_names import retinue_command
from bot.core.texts import setting_values
from bot.ops.checks import texts as check_texts
from tests.channels.toy import texts
from tests.stand_ins.claude import ClaudeStandIn
from tests.support.patience import PATIENCE
from tests.support.shell import REPOSITORY, Shell
from tests.support.toy_server import TOKEN, ToyServer, toy_server

pytestmark = pytest.mark.timeout(120)  # each command is a process of its own, and the bot starts in one
WITH_TOY = (sys.executable, "-m", "tests.channels.retinue_with_toy")


@pytest.fixture
async def toy() -> AsyncIterator[ToyServer]:
    async with toy_server() as server:
        yield server


@pytest.fixture
def shell(tmp_path: Path, toy: ToyServer) -> Shell:
    """A config with Toy in it, whose owner is Ann."""
    made = Shell(tmp_path, {"TOY_BOT_TOKEN": TOKEN}, WITH_TOY)
    made.config(channels={"toy": {"enabled": True, "owner": 7, "port": toy.port}})
    return made


def test_the_page_shows_the_folder_as_it_is() -> None:
    page = (REPOSITORY / "docs" / "add-a-channel.md").read_text()
    for name in ("platform", "channel"):
        assert (REPOSITORY / "tests" / "channels" / "toy" / f"{name}.py").read_text() in page


async def test_its_settings_have_a_section_and_its_token_a_variable(shell: Shell, toy: ToyServer) -> None:
    said = await shell.retinue("config")
    assert json.loads(said.out)["channels"]["toy"] == {
        "enabled": True,
        "token": "**********",
        "allow_from": [],
        "people": {},
        "owner": 7,
        "reactions": True,
        "port": toy.port,
    }
    assert cli_texts.SETTING_FROM(key="channels.toy.token", origin="TOY_BOT_TOKEN") in said.err
    schema = json.loads((await shell.retinue("config", "--schema")).out)
    assert schema["$defs"]["ToySettings"]["properties"]["port"]["maximum"] == 65_535


async def test_its_token_may_lie_in_the_folder_of_secrets(shell: Shell) -> None:
    del shell.settings["TOY_BOT_TOKEN"]
    secret = shell.folder / "secrets" / "channels__toy__token"
    secret.parent.mkdir()
    secret.write_text(TOKEN)
    secret.chmod(0o600)
    said = await shell.retinue("config")
    assert cli_texts.SETTING_FROM(key="channels.toy.token", origin=secret) in said.err


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("port", "x", config_texts.WRONG_VALUE(key="channels.toy.port", problem=setting_values.MUST_BE_WHOLE)),
        ("prot", 1, config_texts.UNKNOWN_SETTING(key="channels.toy.prot", nearest="channels.toy.port")),
    ],
)
async def test_a_wrong_setting_of_its_section_is_named(shell: Shell, key: str, value: object, problem: str) -> None:
    path = shell.config(channels={"toy": {key: value}})
    said = await shell.retinue("config")
    assert (said.status, said.err) == (2, f"retinue: {path}: {problem}\n")


async def test_without_a_token_it_does_not_start_and_says_which_variable(shell: Shell) -> None:
    del shell.settings["TOY_BOT_TOKEN"]
    said = await shell.retinue("run", "--demo")
    missing = cli_texts.NO_TOKEN(origin=shell.folder / "config.json", channel="toy", variable="TOY_BOT_TOKEN")
    assert (said.status, said.err) == (2, f"retinue: {missing}\n")


async def test_a_group_can_live_in_one_of_its_rooms(shell: Shell) -> None:
    said = await shell.retinue("groups", "add", "notes", "--channel", "toy", "--chat", "den")
    assert said.status == 0, said.err
    assert groups_texts.ALLOW_SERVER(key="channels.toy") in said.out
    said = await shell.retinue("groups", "add", "diary", "--channel", "toy", "--chat", "p8")
    assert groups_texts.ALLOW_CHAT(id=8, key="channels.toy") in said.out
    said = await shell.retinue("groups", "check")
    assert (said.status, said.out.splitlines()[0]) == (0, groups_texts.GROUPS_IN_ORDER(2, groups="diary, notes"))


async def test_an_address_of_another_form_is_a_fault_of_the_group(shell: Shell) -> None:
    file = shell.folder / "groups" / "notes" / "instructions.md"
    file.parent.mkdir(parents=True)
    file.write_text("---\naddress: toy:Den\n---\nYou take notes.")
    said = await shell.retinue("groups", "check")
    assert said.status == 1
    assert group_texts.NO_CHAT(example=texts.ADDRESS_EXAMPLE) in said.out + said.err


async def test_doctor_asks_it_who_the_bot_is(shell: Shell) -> None:
    said = await shell.retinue("doctor")
    assert f"ok       {texts.ANSWERS(name='Toybot')}\n" in said.out
    shell.settings["TOY_BOT_TOKEN"] = "42-wrong"
    said = await shell.retinue("doctor")
    refused = check_texts.CHECK_FAILS(name="toy", fault=texts.TOKEN_REFUSED)
    assert f"wrong    {refused} → {check_texts.OR_RUN_SETUP(command=retinue_command('setup'))}\n" in said.out


async def test_setup_asks_for_its_token_and_its_owner(shell: Shell, toy: ToyServer) -> None:
    del shell.settings["TOY_BOT_TOKEN"]
    path = shell.folder / "config.json"
    shell.settings.update(RETINUE_CHANNELS__TOY__PORT=str(toy.port), RETINUE_CONFIG=str(path))
    path.unlink()
    answers = ["", "n", "n", "y", "42-wrong", TOKEN, "y", "y"]
    said = await shell.retinue("setup", stdin="\n".join(answers) + "\n")
    assert said.status == 0, said.err
    for text in (
        setup_texts.ANSWER_ON(platform="Toy"),
        texts.ABOUT_TOKEN,
        texts.TOKEN_REFUSED,
        texts.THIS_IS(name="Toybot"),
        texts.MAKER_IS_OWNER(name="Ann"),
        setup_texts.NEXT_RUN(channels="toy"),
    ):
        assert text in said.out
    assert json.loads(path.read_text()) == {"channels": {"toy": {"enabled": True, "owner": 7}}}
    assert (shell.folder / "secrets" / "channels__toy__token").read_text() == f"{TOKEN}\n"


async def test_people_talk_with_the_bot_on_it(shell: Shell, toy: ToyServer) -> None:
    async with ClaudeStandIn() as claude:
        shell.settings.update(ANTHROPIC_API_KEY=claude.api_key, RETINUE_MODEL__BASE_URL=claude.base_url)
        claude.script.say("Good evening.", "You are welcome.")
        toy.say("p7", "hello")  # while nobody is there
        async with shell.begun("run") as process:
            await toy.until_said("p7", "Good evening.")
            toy.say("p7", "thanks")
            await toy.until_said("p7", "You are welcome.")
            health = json.loads((await shell.retinue("health", "--json")).out)
            process.send_signal(signal.SIGTERM)
            assert await asyncio.wait_for(process.wait(), PATIENCE) == 0
    assert ([each["name"] for each in health["channels"]], health["problems"]) == (["toy"], [])
    assert not toy.waiting


def test_a_platform_comes_too_late_once_the_settings_are_made() -> None:
    look = "import bot.config; from channels.registry import register; register('tests.channels.toy')"
    said = subprocess.run([sys.executable, "-c", look], cwd=REPOSITORY, capture_output=True, text=True)
    assert "AssertionError: register a platform before the settings are imported" in said.stderr
