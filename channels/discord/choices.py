"""Offer what may follow a slash command, while somebody types it. Discord waits three seconds for the choices; without
an answer the person types on."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace

from bot.core.channel import InboundBus
from bot.core.command_choices import MAX_CHOICE_CHARACTERS, MAX_CHOICES, ChoiceRequest, CommandChoice
from bot.core.errors import DeliveryError
from channels.discord import operator_texts
from channels.discord.api import DiscordApi
from channels.discord.fields import read_id_field, read_text_field
from channels.discord.ids import MALFORMED_DATA_ERRORS, JsonObject
from channels.discord.interactions import (
    CALLBACK_PATH,
    CHOICE_INTERACTION_TYPE,
    CHOICES_ANSWER_TYPE,
    COMMAND_INTERACTION_TYPE,
    read_interaction,
)
from channels.discord.message_reader import DiscordMessageReader

SECONDS_TO_FIND_CHOICES = 2.0

log = logging.getLogger(__name__)


def is_choice_request(raw: object) -> bool:
    return isinstance(raw, dict) and raw.get("type") == CHOICE_INTERACTION_TYPE


@dataclass(frozen=True, slots=True)
class CommandChoices:
    api: DiscordApi  # in one short attempt: late choices are of no use

    async def answer(self, raw: object, reader: DiscordMessageReader, door: InboundBus) -> None:
        """Answer somebody who types with choices, with none if they could not be found in time."""
        try:
            assert isinstance(raw, dict), "the caller has looked"
            request = read_choice_request(raw, reader)
            ids = {"interaction_id": read_id_field(raw, "id"), "webhook_token": read_text_field(raw, "token")}
            choices = await self.find_choices(request, door) if request else []
            body = {"type": CHOICES_ANSWER_TYPE, "data": {"choices": choices}}
            await self.api.request("POST", CALLBACK_PATH, body=body, **ids)
        except MALFORMED_DATA_ERRORS as error:
            log.warning(operator_texts.LOG_EVENT_SET_ASIDE, type(error).__name__)
        except (DeliveryError, OSError) as error:
            log.debug(operator_texts.LOG_NOT_ACKNOWLEDGED, error)

    async def find_choices(self, request: ChoiceRequest, door: InboundBus) -> list[JsonObject]:
        try:
            async with asyncio.timeout(SECONDS_TO_FIND_CHOICES):
                found = await door.list_command_choices(request)
        except TimeoutError:
            return []
        return [describe_choice(each) for each in found[:MAX_CHOICES] if each.text and each.value]


def describe_choice(choice: CommandChoice) -> JsonObject:
    return {"name": choice.text[:MAX_CHOICE_CHARACTERS], "value": choice.value[:MAX_CHOICE_CHARACTERS]}


def read_choice_request(raw: JsonObject, reader: DiscordMessageReader) -> ChoiceRequest | None:
    """Return what somebody types. Raise like `read_message`."""
    message = read_interaction({**raw, "type": COMMAND_INTERACTION_TYPE}, reader)
    options = raw["data"].get("options") or []
    typed = next((str(each.get("value", "")) for each in options if each.get("focused")), None)
    if message is None or typed is None:
        return None
    return ChoiceRequest(message=replace(message, text=message.text or "/"), typed=typed)
