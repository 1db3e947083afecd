"""The page docs/teamwork.md and its pictures: what stands there, and what should."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from tests.teamwork import discord_picture, telegram_picture
from tests.teamwork.stage import Stage

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "teamwork.md"
HEADINGS = {"telegram": "## On Telegram", "discord": "## On Discord"}
TITLES = {
    "telegram-at-work": "Two researchers and an analyst at work in a private chat on Telegram",
    "telegram-at-the-end": "The late report in the same chat",
    "discord-at-work": "An analyst, a researcher and a writer at work in a channel on Discord",
    "discord-at-the-end": "The late report in the same channel",
}
TIME, SECONDS, MONEY = re.compile(r"\b\d\d:\d\d\b"), re.compile(r"\b\d+ s\b"), re.compile(r"\$\d+\.\d\d")


def draw_pictures(stage: Stage) -> dict[str, str]:
    """Return the pictures of a conversation by their names."""
    drawn = {}
    for moment, scene in stage.scenes.items():
        name = f"{stage.chat.name}-{moment}"
        if stage.chat.name == "telegram":
            drawn[name] = telegram_picture.draw(scene.posts, TITLES[name], scene.toast)
        else:
            drawn[name] = discord_picture.draw(scene.posts, TITLES[name], "street-party")
    return drawn


def picture_path(name: str) -> Path:
    return DOCS / "pictures" / f"teamwork-{name}.svg"


def read_conversation(page: str, platform: str) -> str:
    """Return the conversation that stands on the page, without its indentation."""
    block = page[slice(*find_block(page, platform))]
    return "\n".join(line.removeprefix("    ") for line in block.split("\n"))


def replace_conversations(page: str, texts: Mapping[str, str]) -> str:
    """Return the page with these conversations, by platform."""
    for platform, text in texts.items():
        begin, end = find_block(page, platform)
        block = "\n".join(f"    {line}".rstrip() for line in text.split("\n"))
        page = page[:begin] + block + page[end:]
    return page


def find_block(page: str, platform: str) -> tuple[int, int]:
    """Return where the code block below a platform's heading begins and ends."""
    heading = page.index(f"{HEADINGS[platform]}\n")
    found = re.compile(r"^    .*(?:\n+    .*)*", re.MULTILINE).search(page, heading)
    assert found, f"no code below {HEADINGS[platform]}"
    return found.span()


def normalise(text: str) -> str:
    """Return a text without its times and amounts of money, which may differ from machine to machine."""
    return MONEY.sub("$N", SECONDS.sub("N s", TIME.sub("HH:MM", text)))
