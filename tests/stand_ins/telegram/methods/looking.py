"""Questions about chats, members and files."""

from __future__ import annotations

from tests.stand_ins.telegram.arguments import Arguments
from tests.stand_ins.telegram.errors import Json, bad
from tests.stand_ins.telegram.members import PERMISSIONS, member, standing_of
from tests.stand_ins.telegram.world import World

MAX_FILE_BYTES = 20 * 1024 * 1024
PATH_SECONDS = 3_600.0


def get_chat(world: World, arguments: Arguments) -> Json:
    chat = world.chat(arguments.text("chat_id"))
    chat.check_known(world.bot.id)
    gifts = ("unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription", "gifts_from_channels")
    whole = chat.as_json() | {"accent_color_id": 0, "max_reaction_count": 11}
    whole["accepted_gift_types"] = dict.fromkeys(gifts, False)
    return whole | ({"permissions": dict.fromkeys(PERMISSIONS, True)} if chat.is_group else {})


def get_chat_member(world: World, arguments: Arguments) -> Json:
    chat = world.chat(arguments.text("chat_id"))
    chat.check_known(world.bot.id)
    number = arguments.number("user_id")
    if number == world.bot.id:
        return member(world.bot, chat.standings[world.bot.id])
    if number not in world.people:
        raise bad("invalid user_id specified" if not number else "user not found")
    person = world.people[number]
    return member(person, standing_of(chat, person))


def get_chat_administrators(world: World, arguments: Arguments) -> list[Json]:
    chat = world.chat(arguments.text("chat_id"))
    chat.check_known(world.bot.id)
    if not chat.is_group:
        raise bad("there are no administrators in the private chat")
    found = [chat.people[number] for number in chat.admins]
    own = (
        [member(world.bot, chat.standings[world.bot.id])]
        if chat.standings[world.bot.id].value == "administrator"
        else []
    )
    return [member(person, standing_of(chat, person)) for person in found] + own


def get_file(world: World, arguments: Arguments) -> Json:
    """Return the path of a file for an hour. The file must be among the world's `files`."""
    name = arguments.text("file_id")
    if name not in world.files:
        raise bad("wrong file_id or the file is temporarily unavailable")
    size = len(world.files[name])
    if size > MAX_FILE_BYTES:
        raise bad("file is too big")
    path = f"files/{name}"
    world.file_paths[path] = world.now() + PATH_SECONDS
    return {"file_id": name, "file_unique_id": f"u-{name}", "file_size": size, "file_path": path}


LOOKING = {
    "getChat": get_chat,
    "getChatMember": get_chat_member,
    "getChatAdministrators": get_chat_administrators,
    "getFile": get_file,
}
