"""The family, its chats on both platforms, and the services around the bot."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.month.back_to_english import back_to_english
from tests.month.clock import ShiftedClock
from tests.month.places import DiscordPlace, Place, TelegramPlace
from tests.stand_ins.claude import ClaudeStandIn
from tests.stand_ins.discord import Channel, DiscordStandIn, Person
from tests.stand_ins.telegram import Person as TelegramPerson
from tests.stand_ins.telegram import Room, TelegramStandIn
from tests.stand_ins.telegram.rates import Limits
from tests.stand_ins.transcriptions import API_KEY, TranscriptionStandIn

NUMBERS = {"Anna": 1001, "Ben": 1002, "Clara": 1003, "David": 1004, "Helga": 1005}
GUEST = "Helga"
ALL_RIGHTS = ["talk", "web", "read files", "write files", "memory", "delegate", "schedule"]
RIGHTS = {
    "Ben": [*ALL_RIGHTS, "shell"],
    "Clara": ALL_RIGHTS,
}
GUESTS = ("David", "Helga")  # they may talk and use the web; the owner gives David two rights more in a chat
GIVEN = ("memory", "schedule")


@dataclass
class Family:
    """All people, chats and services of the month."""

    folder: Path
    clock: ShiftedClock
    claude: ClaudeStandIn
    telegram: TelegramStandIn
    discord: DiscordStandIn
    voice: TranscriptionStandIn
    language: str = "en"  # of everybody except the grandmother
    people: dict[str, TelegramPerson] = field(default_factory=dict)
    members: dict[str, Person] = field(default_factory=dict)
    native_drafts: bool = False  # of Telegram
    places: dict[tuple[str, str], Place] = field(default_factory=dict)  # by platform (T or D) and name

    def __post_init__(self) -> None:
        self.telegram.world.bot.username = "nest_bot"
        self.telegram.world.reads_all = True
        for name, number in NUMBERS.items():
            self.people[name] = person = self.telegram.person(number, name)
            person.language = "de" if name == GUEST else self.language
            self.add(TelegramPlace("T", name, self.telegram.private(person), self.people))
        self.members = {name: self.discord.person(name) for name in NUMBERS if name != GUEST}
        for name, member in self.members.items():
            member.locale = {"de": "de", "en": "en-US"}[self.language]
            self.add(DiscordPlace("D", name, member.private(), self.members, self.discord))
        self.table = self.telegram.supergroup("Kitchen table", *self.people.values(), forum=True)
        self.table.chat.admins.add(NUMBERS["Ben"])
        self.add(TelegramPlace("T", "table", self.table, self.people))
        owners_last = sorted(self.members, key=lambda name: name == "Ben")  # the last owns the server
        self.nest = self.discord.guild("Nest", *(self.members[name] for name in owners_last))
        self.home = self.discord.channel(self.nest, "home")
        self.add(DiscordPlace("D", "home", self.home, self.members, self.discord))

    def open_topics(self) -> None:
        """Open what needs the bot to hear of it: topics and a thread."""
        for name, title in (("holiday", "Holiday"), ("school", "School")):
            topic = self.table.topic(self.people["Ben"], title)
            self.add(TelegramPlace("T", name, self.table, self.people, thread=topic.id))
        thread = self.discord.thread(self.home, "Skiing")
        self.add(DiscordPlace("D", "thread", thread, self.members, self.discord))

    def add(self, place: Place) -> Place:
        place.read = back_to_english if self.language == "de" else str
        self.places[place.platform, place.name] = place
        return place

    def config(self, *, with_voice: bool = False, **changes: Any) -> dict[str, Any]:
        """Return config.json: everything at its default, except who the family is and where the services are."""
        t_people = {str(NUMBERS[name]): RIGHTS[name] for name in RIGHTS}
        d_people = {str(self.members[name].id): RIGHTS[name] for name in RIGHTS}
        voice = {"voice": {"base_url": self.voice.base_url, "api_key": API_KEY}} if with_voice else {}
        return {
            "time_zone": "Europe/Berlin",
            "language": self.language,
            "model": {"base_url": self.claude.base_url},
            "limits": {"chat_day_usd": 500.0, "day_usd": 2000.0},
            **voice,
            **changes,
            "channels": {
                "telegram": {
                    "enabled": True,
                    "base_url": self.telegram.base_url,
                    "native_drafts": self.native_drafts,
                    "owner": NUMBERS["Anna"],
                    "allow_from": [NUMBERS[name] for name in (*RIGHTS, *GUESTS)],
                    "people": t_people,
                },
                "discord": {
                    "enabled": True,
                    "base_url": self.discord.base_url,
                    "gateway_url": self.discord.gateway_url,
                    "owner": self.members["Anna"].id,
                    "allow_from": [self.members[name].id for name in (*RIGHTS, "David")],
                    "people": d_people,
                },
            },
        }

    def write_config(self, **options: Any) -> None:
        (self.folder / "config.json").write_text(json.dumps(self.config(**options)))

    @property
    def workspace(self) -> Path:
        """The folder of everybody who has all rights, in their private chats and the groups."""
        folder = self.folder / "workspace"
        folder.mkdir(exist_ok=True)
        return folder

    @property
    def environment(self) -> dict[str, str]:
        homes = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), str(self.folder / "home"))
        return {
            "ANTHROPIC_API_KEY": self.claude.api_key,
            "TELEGRAM_BOT_TOKEN": self.telegram.token,
            "DISCORD_BOT_TOKEN": self.discord.token,
            **homes,
        }


@asynccontextmanager
async def family_at(folder: Path, clock: ShiftedClock, language: str = "en") -> AsyncIterator[Family]:
    """Yield the family in this folder, with all services, on the month's clock."""
    async with AsyncExitStack() as stack:
        claude = await stack.enter_async_context(ClaudeStandIn())
        telegram = await stack.enter_async_context(TelegramStandIn(now=clock, limits=Limits.none()))
        discord = await stack.enter_async_context(DiscordStandIn(now=clock))
        voice = await stack.enter_async_context(TranscriptionStandIn())
        discord.limits.identify_seconds = 0
        discord.limits.off()
        yield Family(folder, clock, claude, telegram, discord, voice, language)


__all__ = ["GUEST", "NUMBERS", "Channel", "Family", "Room", "family_at"]
