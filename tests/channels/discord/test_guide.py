"""docs/discord.md, held to the program; and what is imported when."""

import re
import subprocess
import sys
from pathlib import Path

import discord
import pytest

from channels.discord import bot_profile, operator_texts
from channels.discord.api import MESSAGES_PER_PAGE
from channels.discord.event_queue import Backfill
from channels.discord.gateway import MAX_RATE_LIMIT_WAIT_SECONDS
from channels.discord.rendering import MAX_MESSAGE_CODE_POINTS
from channels.discord.sending import MAX_BUTTONS
from channels.discord.timing import DEFAULT_TIMING

GUIDE = (Path(__file__).parents[3] / "docs" / "discord.md").read_text()


def test_the_invitation_asks_for_exactly_the_permissions_of_the_table() -> None:
    [asked] = re.findall(r"permissions=(\d+)", GUIDE)
    needed = discord.Permissions(
        view_channel=True,
        send_messages=True,
        read_message_history=True,
        send_messages_in_threads=True,
        add_reactions=True,
        embed_links=True,
        attach_files=True,
        create_public_threads=True,
        manage_webhooks=True,
    )
    assert needed == bot_profile.INVITE_PERMISSIONS, "setup and doctor give another invitation than the guide"
    rows = re.findall(r"^\| [\w ]+ \| (\d+) \|", GUIDE, re.MULTILINE)
    assert int(asked) == needed.value == sum(map(int, rows))


@pytest.mark.parametrize("words", ["Reset Token", "Message Content Intent"])
def test_guide_and_fault_call_a_step_in_the_portal_by_the_same_name(words: str) -> None:
    assert words in GUIDE
    assert words in operator_texts.TOKEN_REFUSED + operator_texts.NO_INTENT


def test_the_numbers_are_those_of_the_program() -> None:
    flat, timing, page = " ".join(GUIDE.split()), DEFAULT_TIMING, MESSAGES_PER_PAGE
    for text in (
        f"longer than {MAX_MESSAGE_CODE_POINTS:,} characters",
        f"{page} messages of each chat in turn, {page * Backfill.max_pages_per_chat:,} of one",
        f"and {page * Backfill.max_pages_in_all:,} of all at one start",
        f"{timing.message_limit.max_calls} messages in {timing.message_limit.window_seconds:.0f} seconds",
        f"{timing.all_calls_limit.max_calls / timing.all_calls_limit.window_seconds:.0f} requests a second",
        f"up to {MAX_RATE_LIMIT_WAIT_SECONDS:.0f} seconds",
        f"buttons, up to {MAX_BUTTONS}",
    ):
        assert text in flat


def test_the_library_is_imported_only_with_the_channel() -> None:
    look = "import channels.discord, channels.pacing, sys; assert not {'discord', 'aiohttp'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", look], check=True)


def test_only_this_channel_imports_the_library() -> None:
    modules = [*Path("bot").rglob("*.py"), *Path("channels").rglob("*.py")]
    importers = {path.parent for path in modules if re.search(r"^(import|from) discord\b", path.read_text(), re.M)}
    assert importers == {Path("channels/discord")}
