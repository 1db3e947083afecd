"""docs/telegram.md and docs/discord.md, step by step: what they name is there, and what they print is printed."""

import json
import re
from pathlib import Path

import pytest

from bot.cli.commands import COMMANDS
from bot.config import Config
from bot.core.texts import people
from channels.discord import operator_texts as discord_texts
from channels.registry import platforms
from channels.telegram import operator_texts as telegram_texts

DOCS = Path(__file__).parents[2] / "docs"
GUIDES = {name: (DOCS / f"{name}.md").read_text() for name in ("telegram", "discord")}
# What the guides have an operator write to @BotFather, or in Discord's client
COMMANDS_OF_OTHERS = {"/newbot", "/setprivacy", "/setuserpic", "/token"}
ASK = "/ask"  # Discord's own
STEPS_IN_PORTAL = ("Reset Token", "Message Content Intent", "Public Bot", "Interactions Endpoint URL", "Application ID")


def code_in(guide: str) -> list[str]:
    return re.findall(r"`([^`\n]+)`", guide)


@pytest.mark.parametrize("name", GUIDES)
def test_every_setting_that_a_guide_names_exists(name: str) -> None:
    keys = platforms()[name].settings_type.model_fields
    for code in code_in(GUIDES[name]):
        if key := re.match(rf"channels\.{name}\.(\w+)", code):
            assert key[1] in keys, code
        elif key := re.match(r"(group_chats|network)\.(\w+)", code):
            assert key[2] in type(getattr(Config(), key[1])).model_fields, code
        elif re.fullmatch(r"(allow|answer)_\w+", code):
            assert code in keys, code


@pytest.mark.parametrize("name", GUIDES)
def test_every_example_of_the_config_is_one(name: str) -> None:
    blocks = re.findall(r"```json\n(.*?)```", GUIDES[name], re.DOTALL)
    blocks += [code for code in code_in(GUIDES[name]) if code.startswith('{"')]
    assert blocks
    for block in blocks:
        given = json.loads(block)
        read = Config.model_validate(given).channels.by_name()[name]
        for key, value in given["channels"][name].items():
            found = getattr(read, key)
            assert (list(found) if isinstance(found, tuple) else found) == value


@pytest.mark.parametrize("name", GUIDES)
def test_every_command_that_a_guide_names_is_one(name: str) -> None:
    named = {found[0] for code in code_in(GUIDES[name]) if (found := re.match(r"/[a-z]+\b(?![/.])", code))}
    assert named <= people.COMMANDS.keys() | COMMANDS_OF_OTHERS | {ASK}
    run = {found[1] for code in code_in(GUIDES[name]) if (found := re.match(r"retinue ([a-z]+)", code))}
    assert run, "the guide says how to start"
    assert run <= COMMANDS.keys()


def test_the_steps_of_the_guides_are_those_that_setup_and_doctor_name() -> None:
    for step in STEPS_IN_PORTAL:
        assert step in GUIDES["discord"]
    told = discord_texts.SWITCH_INTENT_ON(portal="", id=1) + discord_texts.TOKEN_REFUSED
    assert all(step in told for step in ("Message Content Intent", "Reset Token"))
    assert "/newbot" in telegram_texts.ABOUT_TOKEN
    assert "/setprivacy" in GUIDES["telegram"]
