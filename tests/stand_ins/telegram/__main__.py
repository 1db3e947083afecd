"""Run the stand-in by hand: python -m tests.stand_ins.telegram [--port N] [--token TOKEN] [--person ID:NAME] [--calls].

It prints the command that connects a bot to it, and the one that asks how that bot is doing. Each typed line is a
message of that person in a private chat; `reply 3 TEXT` and `tap 3 LABEL` are about the message with that number. It
shows what the bot writes there, with buttons and reactions, and each refused call. With --calls it shows every call
instead.
"""

import argparse
import asyncio
import contextlib

from tests.stand_ins.by_hand import HOW_TO_TYPE, Transcript, bot_commands, tell, typed_lines
from tests.stand_ins.telegram import TOKEN, Call, Message, Room, TelegramStandIn
from tests.stand_ins.telegram.people import Person

POINT_A_BOT_AT_IT = """
To point a bot at it, paste this in a second terminal, in the same folder:

{command}

To see how that bot is doing, paste this in a third one:

{health}

When the bot says that it is answering, type a message here. The bot gets it as a private message from {name} (id {id}).
{how_to_type}
Ctrl-C ends this.
"""
CHANGES_NOTHING = "message is not modified"


async def run(port: int, token: str, person: str, *, shows_calls: bool) -> None:
    number, _, name = person.partition(":")
    async with TelegramStandIn(port=port, token=token) as server, asyncio.TaskGroup() as tasks:
        print(f"base_url {server.base_url}\nbase_file_url {server.base_file_url}\ntoken {server.token}")
        room = server.private(ann := server.person(int(number), name or "You"))
        settings = {
            "RETINUE_CHANNELS__TELEGRAM__ENABLED": "true",
            "RETINUE_CHANNELS__TELEGRAM__OWNER": ann.id,
            "RETINUE_CHANNELS__TELEGRAM__BASE_URL": server.base_url,
            "RETINUE_CHANNELS__TELEGRAM__TOKEN": server.token,
        }
        command, health = bot_commands(settings, "run --demo", "health")
        whose = {"name": ann.name, "id": ann.id, "how_to_type": HOW_TO_TYPE}
        print(POINT_A_BOT_AT_IT.format(command=command, health=health, **whose), flush=True)
        shown = Transcript[Message]()
        tasks.create_task(show_calls(server, only_refused=not shows_calls), name="showing calls")
        if not shows_calls:
            tasks.create_task(show_messages(server, room, shown), name="showing messages")
        async for line in typed_lines():
            do_what_is_typed(room, ann, line, shown)


def do_what_is_typed(room: Room, ann: Person, line: str, shown: Transcript[Message]) -> None:
    typed = shown.parse(line)
    if typed is None:
        return
    if typed.message is None or typed.verb == "reply":
        room.say(ann, typed.text, reply_to=typed.message)
    elif typed.text in typed.message.labels and not typed.message.deleted_at:
        room.tap(ann, typed.message, typed.text)
    else:
        tell(f"There is no button {typed.text} below it.")


async def show_messages(server: TelegramStandIn, room: Room, shown: Transcript[Message]) -> None:
    """Print each message of the bot, and again when it is edited, its reactions, and its answers to taps."""
    known: list[object] = []
    heard: set[str] = set()  # the taps whose answer was printed

    def state() -> list[object]:
        seen = [(each, each.text, each.labels, [*each.reactions.values()]) for each in room.seen()]
        return [*seen, *(tap.heard for tap in room.world.taps.values())]

    while True:
        await server.until(lambda: state() != known)
        known[:] = state()
        for message in room.seen():
            if message.sender is room.world.bot:
                shown.show(message, message.sender.name, message.text, message.labels)
            else:
                shown.show_reactions(message, message.text, message.reactions.values())
        for tap in room.world.taps.values():
            if tap.heard and tap.id not in heard:
                heard.add(tap.id)
                tell(f"(over the chat) {tap.heard}")


async def show_calls(server: TelegramStandIn, *, only_refused: bool) -> None:
    """Print each call when it is finished, except polls that found nothing. If `only_refused`, leave out edits that
    change nothing too: they are refused, but nothing is wrong."""
    shown: set[Call] = set()
    while True:
        await server.until(lambda: bool(met(server) - shown))
        for call in sorted(met(server) - shown, key=lambda call: call.number):
            shown.add(call)
            is_wrong = bool(call.refusal) and CHANGES_NOTHING not in str(call.refusal)
            if is_wrong if only_refused else (call.refusal or call.result != []):
                print(line_of(call), flush=True)


def met(server: TelegramStandIn) -> set[Call]:
    return {call for call in server.calls if call.status or call.fault}


def line_of(call: Call) -> str:
    return f"{call.status} {call.method} {call.parameters} {call.refusal}".rstrip()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.stand_ins.telegram", description="A stand-in for Telegram.")
    parser.add_argument("--port", type=int, default=0, help="any free one by default")
    parser.add_argument("--token", default=TOKEN, help=f"the bot's token ({TOKEN})")
    parser.add_argument("--person", default="7:You", metavar="ID:NAME", help="who says what is typed (7:You)")
    parser.add_argument("--calls", action="store_true", help="show every call of the bot, not its messages")
    given = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(run(given.port, given.token, given.person, shows_calls=given.calls))


if __name__ == "__main__":
    main()
