"""The roles of people whose messages come from a channel's history: Discord tells them only with new messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from channels.discord.api import DiscordApi, DiscordRefusal
from channels.discord.ids import JsonObject
from channels.discord.locations import ChannelLocation

MEMBER_PATH = "/guilds/{guild_id}/members/{user_id}"
GONE_CODES = (10007, 10013)  # the person has left the server, or deleted the account
NO_ROLES: JsonObject = {"roles": []}


@dataclass
class HistoryMembers:
    api: DiscordApi
    is_on: bool  # whether the settings name roles; otherwise Discord is not asked
    _known: dict[tuple[str, str], JsonObject] = field(default_factory=dict)  # by server and person

    def forget(self) -> None:
        """Ask again: roles may have changed."""
        self._known.clear()

    async def add_to_messages(self, page: list[Any], place: ChannelLocation) -> list[Any]:
        """Return the messages of a server's channel with their writers as members. Raise like a request."""
        if not self.is_on or place.guild_id is None:
            return page
        return [await self.add_to_message(each, place.guild_id) for each in page]

    async def add_to_message(self, raw: Any, guild: str) -> Any:
        author = raw.get("author") if isinstance(raw, dict) else None
        id = author.get("id") if isinstance(author, dict) and not author.get("bot") else None
        if not isinstance(id, str) or not id.isdecimal():  # no person, or unreadable anyway
            return raw
        if (guild, id) not in self._known:
            self._known[guild, id] = await self.fetch_member(guild, id)
        return {**raw, "member": self._known[guild, id]}

    async def fetch_member(self, guild: str, person: str) -> JsonObject:
        try:
            found = await self.api.request("GET", MEMBER_PATH, guild_id=guild, user_id=person)
        except DiscordRefusal as refusal:
            if refusal.code in GONE_CODES:
                return NO_ROLES
            raise
        return found if isinstance(found, dict) else NO_ROLES
