"""The menus of commands beside the input line, one for each kind of chat. Telegram keeps them, so the bot sets them
only if they have changed: a row of the owner's private chat names what was set last, and where."""

from __future__ import annotations

import hashlib
import json
import logging
import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from telegram import (
    BotCommand,
    BotCommandScope,
    BotCommandScopeAllChatAdministrators,
    BotCommandScopeAllGroupChats,
    BotCommandScopeAllPrivateChats,
    BotCommandScopeChat,
    BotCommandScopeDefault,
)

from bot.core.channel import InboundBus
from bot.core.command_menus import CommandMenu
from bot.core.command_places import CommandPlace, commands_offered_at
from bot.core.errors import ChatClosed, DeliveryError
from bot.core.messages import Address, HistoryReadEvent, InboundEvent, InboundMessage
from channels.telegram import operator_texts
from channels.telegram.client import TelegramClient
from channels.telegram.ids import CHANNEL_NAME

COMMAND_NAME_PATTERN = re.compile(r"[a-z0-9_]{1,32}")
MAX_COMMAND_HELP_LENGTH = 256
MAX_MENU_COMMANDS = 100
MAX_MENU_LANGUAGES = 10  # besides the operator's
LANGUAGE_CODE_PATTERN = re.compile(r"[a-z]{2}")
# Telegram shows the menu of the narrowest scope that a chat is in.
SCOPES: Mapping[CommandPlace, Callable[[], BotCommandScope]] = {
    CommandPlace.PRIVATE: BotCommandScopeAllPrivateChats,
    CommandPlace.GROUP: BotCommandScopeAllGroupChats,
    CommandPlace.GROUP_ADMIN: BotCommandScopeAllChatAdministrators,
}
SET_MENU_MARK = "menu:"  # before the digest of the menus in the `place` of the owner's chat
ANY_LANGUAGE = ""  # for everybody whose language has no menu of its own

MenuCommands = Sequence[tuple[str, str]]  # (name, what it is for)

log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class TelegramMenus:
    """The menus of one bot. `commands_by_language` are all commands by the code of a language, as Telegram knows it,
    for example "de"; those of ANY_LANGUAGE are for everybody else."""

    client: TelegramClient
    commands_by_language: Mapping[str, MenuCommands]
    owner: int | None
    _is_owner_unknown: bool = False  # Telegram takes a menu for the owner's chat only once the owner has written there

    async def set_changed_menus(self, door: InboundBus) -> None:
        """Set the menus if they are not those that were set last, and take away those of a former owner and of former
        languages. A failure is logged: the commands work without menus, and the next start tries again."""
        if not any(self.commands_by_language.values()):
            return
        mark = SET_MENU_MARK + ":".join([self.digest(), *self.commands_by_language])
        marked = {
            each.address: each.place
            for each in await door.list_known_chats(CHANNEL_NAME)
            if each.place and each.place.startswith(SET_MENU_MARK)
        }
        owner_chat = None if self.owner is None else Address(channel=CHANNEL_NAME, chat=str(self.owner))
        former = [address for address, place in marked.items() if place != SET_MENU_MARK and address != owner_chat]
        if owner_chat and not former and marked.get(owner_chat) == mark:
            return
        before = {language for place in marked.values() for language in languages_of_mark(place or "")}
        try:
            for address in former:
                for language in {*before, *self.commands_by_language}:
                    await self.delete_menu(BotCommandScopeChat(int(address.chat)), language)
            await self.delete_menus_of_languages(before - self.commands_by_language.keys())
            await self.set_menus_for_all()
            await self.set_menu_of_owner()
        except ChatClosed:
            self._is_owner_unknown = True
            owner_chat = None
        except (DeliveryError, OSError) as error:
            log.warning(operator_texts.LOG_MENU_NOT_FILLED, error)
            return
        now = str(int(time.time()))  # a cursor that only goes forward; Telegram's histories have none
        noted = [HistoryReadEvent(address=address, cursor=now, place=SET_MENU_MARK) for address in former]
        noted += [HistoryReadEvent(address=owner_chat, cursor=now, place=mark)] if owner_chat else []
        if noted:
            await door.publish(noted)

    async def set_menu_of_new_owner(self, events: Sequence[InboundEvent], door: InboundBus) -> None:
        """Set the owner's menu if these events are the first that the owner has written."""
        if self._is_owner_unknown and any(self.is_written_by_owner(event) for event in events):
            self._is_owner_unknown = False
            await self.set_changed_menus(door)

    def is_written_by_owner(self, event: InboundEvent) -> bool:
        return isinstance(event, InboundMessage) and event.address.chat == str(self.owner)

    async def delete_menus_of_languages(self, languages: Collection[str]) -> None:
        for language in sorted(languages):
            for scope in SCOPES.values():
                await self.delete_menu(scope(), language)
            if self.owner is not None:
                await self.delete_menu(BotCommandScopeChat(self.owner), language)

    async def set_menus_for_all(self) -> None:
        await self.delete_menu(BotCommandScopeDefault(), ANY_LANGUAGE)  # an earlier version has set that one
        for language, commands in self.commands_by_language.items():
            for place, scope in SCOPES.items():
                await self.set_menu(scope(), language, make_menu(place, commands))

    async def set_menu_of_owner(self) -> None:
        if self.owner is not None:
            for language, commands in self.commands_by_language.items():
                await self.set_menu(BotCommandScopeChat(self.owner), language, make_menu(CommandPlace.OWNER, commands))

    async def set_menu(self, scope: BotCommandScope, language: str, menu: Sequence[BotCommand]) -> None:
        code = language or None
        await self.client.call("setMyCommands", lambda bot: bot.set_my_commands(menu, scope, code))

    async def delete_menu(self, scope: BotCommandScope, language: str) -> None:
        code = language or None
        await self.client.call("deleteMyCommands", lambda bot: bot.delete_my_commands(scope, code))

    def digest(self) -> str:
        """Return a digest of all menus, and of who the owner is."""
        menus = [
            [language, place, [each.to_dict() for each in make_menu(place, commands)]]
            for language, commands in self.commands_by_language.items()
            for place in CommandPlace
        ]
        return hashlib.sha256(json.dumps([self.owner, menus]).encode()).hexdigest()[:16]


def commands_by_language(menus: Sequence[CommandMenu]) -> dict[str, MenuCommands]:
    """Return the commands by the code of a language as Telegram knows it: two letters, or ANY_LANGUAGE for the first
    menu. A language that shares its two letters with another is left out, unless its whole tag are these letters; so
    are others than the first MAX_MENU_LANGUAGES, because each takes several requests."""
    found: dict[str, CommandMenu] = {}
    for menu in sorted(menus, key=lambda menu: (menu is not menus[0], len(menu.language.code))):
        if LANGUAGE_CODE_PATTERN.fullmatch(code := menu.language.code.partition("-")[0]):
            found.setdefault(code, menu)
    others = [(code, menu) for code, menu in sorted(found.items()) if menu is not menus[0]]
    if left_out := [code for code, _ in others[MAX_MENU_LANGUAGES:]]:
        log.warning(operator_texts.LOG_LANGUAGES_WITHOUT_MENU, ", ".join(left_out), MAX_MENU_LANGUAGES)
    return {code: menu.commands for code, menu in others[:MAX_MENU_LANGUAGES]}


def languages_of_mark(mark: str) -> list[str]:
    """Return the languages that a mark names behind its digest."""
    return mark.removeprefix(SET_MENU_MARK).split(":")[1:]


def make_menu(place: CommandPlace, commands: MenuCommands) -> list[BotCommand]:
    """Return the menu of a place. Leave out what Telegram would refuse."""
    offered = [
        (name.removeprefix("/"), help[:MAX_COMMAND_HELP_LENGTH]) for name, help in commands_offered_at(place, commands)
    ]
    menu = [BotCommand(name, help) for name, help in offered if COMMAND_NAME_PATTERN.fullmatch(name) and help]
    return menu[:MAX_MENU_COMMANDS]
