"""The menus of commands: which chat is offered what, and when they are set."""

import json

from bot.core.command_menus import CommandMenu
from bot.core.command_places import PLACES_OF_COMMANDS
from bot.core.languages import Language
from bot.core.texts import people
from channels.telegram.menus import SET_MENU_MARK, commands_by_language
from tests.stand_ins.telegram import Fault, Person, Room, TelegramStandIn
from tests.support.places.telegram import ANN, address
from tests.support.telegram_bot import BEN
from tests.support.telegram_channel import Ear, at_work, becomes, say

COMMANDS = tuple((name, str(use)) for name, use in people.COMMANDS.items())
NAMES = [name for name, _ in COMMANDS]


def menu(server: TelegramStandIn, language: str = "", **scope: object) -> list[str] | None:
    """Return the names in the menu of a scope; None if it has no menu."""
    found = server.world.commands.get((json.dumps(scope, sort_keys=True), language))
    return None if found is None else [f"/{each['command']}" for each in found]


def menu_calls(server: TelegramStandIn) -> int:
    return sum(call.method in ("setMyCommands", "deleteMyCommands") for call in server.calls)


async def menus_are_set(ear: Ear, owner: int = ANN) -> None:
    await ear.until(
        lambda: (ear.chats[address(owner)].place or "") > SET_MENU_MARK if address(owner) in ear.chats else False
    )


async def test_each_kind_of_chat_has_a_menu_of_its_own(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    say(room, "hello")
    async with at_work(server, ear, commands=COMMANDS, owner=ANN):
        await menus_are_set(ear)
    private, group = menu(server, type="all_private_chats"), menu(server, type="all_group_chats")
    owners, admins = menu(server, type="chat", chat_id=ANN), menu(server, type="all_chat_administrators")
    assert owners == [name for name in NAMES if name != "/mode"]
    assert private == [name for name in owners if name not in ("/people", "/pair", "/groups")]
    assert admins == [name for name in NAMES if name not in PLACES_OF_COMMANDS or name == "/mode"]
    assert group == [name for name in admins if name != "/mode"]
    assert menu(server, type="default") is None


async def test_a_restart_sets_no_menu_again(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    say(room, "hello")
    async with at_work(server, ear, commands=COMMANDS, owner=ANN):
        await menus_are_set(ear)
    before = menu_calls(server)
    say(room, "again")
    async with at_work(server, ear, commands=COMMANDS, owner=ANN):
        await ear.hears("again")
    assert menu_calls(server) == before > 0


async def test_a_changed_command_sets_the_menus_again(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    say(room, "hello")
    for commands in (COMMANDS, COMMANDS[1:]):
        async with at_work(server, ear, commands=commands, owner=ANN):
            await becomes(lambda: menu(server, type="chat", chat_id=ANN) == [n for n, _ in commands if n != "/mode"])  # noqa: B023
            await menus_are_set(ear)


async def test_a_former_owner_loses_the_owners_menu(server: TelegramStandIn, room: Room, ben: Person, ear: Ear) -> None:
    say(room, "hello")
    server.private(ben)
    async with at_work(server, ear, commands=COMMANDS, owner=ANN):
        await menus_are_set(ear)
    async with at_work(server, ear, commands=COMMANDS, owner=BEN):
        await menus_are_set(ear, BEN)
    assert menu(server, type="chat", chat_id=ANN) is None
    assert "/pair" in (menu(server, type="chat", chat_id=BEN) or ())
    before = menu_calls(server)
    say(room, "again")
    async with at_work(server, ear, commands=COMMANDS, owner=BEN):
        await ear.hears("again")
    assert menu_calls(server) == before


async def test_a_new_owner_gets_the_menu_with_the_first_message(server: TelegramStandIn, ear: Ear) -> None:
    room = server.private(server.person(ANN, "Ann"), started=False)
    async with at_work(server, ear, commands=COMMANDS, owner=ANN):
        await becomes(lambda: menu(server, type="all_chat_administrators") is not None)
        assert menu(server, type="chat", chat_id=ANN) is None
        say(room, "hello")
        await menus_are_set(ear)
    assert "/pair" in (menu(server, type="chat", chat_id=ANN) or ())


async def test_a_language_has_menus_of_its_own(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    say(room, "hello")
    german = {"de": [("/help", "was ich verstehe")]}
    async with at_work(server, ear, commands=COMMANDS, owner=ANN, commands_by_language=german):
        await menus_are_set(ear)
    assert menu(server, "de", type="all_private_chats") == ["/help"]
    assert len(menu(server, type="all_private_chats") or ()) > 20


def mark_of_owners_menu(ear: Ear) -> str:
    chat = ear.chats.get(address(ANN))  # it is there once its first message has come
    return (chat and chat.place) or ""


async def test_a_language_that_is_gone_has_no_menu_any_more(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    say(room, "hello")
    for code, german in (("de", {"de": COMMANDS}), ("fr", {"fr": COMMANDS})):
        async with at_work(server, ear, commands=COMMANDS, owner=ANN, commands_by_language=german):
            await becomes(lambda: bool(menu(server, code, type="chat", chat_id=ANN)))  # noqa: B023
            await ear.until(lambda: mark_of_owners_menu(ear).endswith(code))  # noqa: B023
    assert {language for _, language in server.world.commands} == {"", "fr"}


def menus_of(*codes: str) -> list[CommandMenu]:
    return [CommandMenu(language=Language(code=code, name=code), commands=[("help", code)]) for code in codes]


def test_telegram_gets_two_letters_for_each_language() -> None:
    found = commands_by_language(menus_of("de", "de-at", "en", "fil", "pt-br", "zh-hans", "zh"))
    assert {code: help for code, [(_, help)] in found.items()} == {"en": "en", "pt": "pt-br", "zh": "zh"}
    assert commands_by_language(()) == {}


def test_many_languages_do_not_mean_many_requests() -> None:
    many = menus_of("en", *(f"{first}{second}" for first in "abc" for second in "uvwxyz"))
    assert list(commands_by_language(many)) == ["au", "av", "aw", "ax", "ay", "az", "bu", "bv", "bw", "bx"]


async def test_each_language_takes_four_requests(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    say(room, "hello")
    async with at_work(server, ear, commands=COMMANDS, owner=ANN, commands_by_language={"de": COMMANDS}):
        await menus_are_set(ear)
    assert menu_calls(server) == 1 + 2 * 4


async def test_names_that_telegram_would_refuse_are_left_out(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    say(room, "hello")
    listed = [("/start", "Begin"), ("help", "What I can do"), ("Not A Name", "x")]
    async with at_work(server, ear, commands=listed, owner=ANN):
        await menus_are_set(ear)
    assert menu(server, type="all_private_chats") == ["/start", "/help"]


async def test_menus_that_could_not_be_set_are_tried_at_the_next_start(
    server: TelegramStandIn, room: Room, ear: Ear
) -> None:
    server.faults.next("setMyCommands", Fault.SERVER_ERROR)
    say(room, "hello")
    async with at_work(server, ear, commands=COMMANDS, owner=ANN):
        await ear.hears("hello")
        await becomes(lambda: menu_calls(server) >= 2)
    assert ear.chats == {}
    async with at_work(server, ear, commands=COMMANDS, owner=ANN):
        await menus_are_set(ear)
