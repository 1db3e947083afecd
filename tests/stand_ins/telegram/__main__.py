"""Run the stand-in by hand: python -m tests.stand_ins.telegram [--port N] [--token TOKEN] [--person ID:NAME] [--calls].

It prints the command that connects a bot to it, and the one that asks how that bot is doing. Each typed line is a
message of that person in a private chat. It shows what the bot writes there, and each refused call. With --calls it
shows every call instead.
"""

import argparse
import asyncio
import contextlib

from tests.stand_ins.by_hand import bot_commands, typed_lines
from tests.stand_ins.telegram import TOKEN, Call, Message, Room, TelegramStandIn

POINT_A_BOT_AT_IT = """
To point a bot at it, paste this in a second terminal, in the same folder:

{command}

To see how that bot is doing, paste this in a third one:

{health}

When the bot says that it is answering, type a message here. The bot gets it as a private message from {name} (id {id}).
Ctrl-C ends this.
"""


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
        print(POINT_A_BOT_AT_IT.format(command=command, health=health, name=ann.name, id=ann.id), flush=True)
        tasks.create_task(show_calls(server, only_refused=not shows_calls), name="showing calls")
        if not shows_calls:
            tasks.create_task(show_messages(server, room), name="showing messages")
        async for line in typed_lines():
            room.say(ann, line)


async def show_messages(server: TelegramStandIn, room: Room) -> None:
    """Print each message of the bot, and again when it is edited."""
    shown: dict[int, str] = {}

    def unseen() -> list[Message]:
        return [message for message in room.answers() if shown.get(message.id) != text_of(message)]

    while True:
        await server.until(lambda: bool(unseen()))
        for message in unseen():
            print(f"{message.sender.name}{' (edited)' * (message.id in shown)}: {text_of(message)}", flush=True)
            shown[message.id] = text_of(message)


def text_of(message: Message) -> str:
    """Return the text with the buttons below it."""
    return "\n".join([message.text, *(f"[{label}]" for label in message.labels)])


async def show_calls(server: TelegramStandIn, *, only_refused: bool) -> None:
    """Print each call when it is finished, except polls that found nothing."""
    shown: set[Call] = set()
    while True:
        await server.until(lambda: bool(met(server) - shown))
        for call in sorted(met(server) - shown, key=lambda call: call.number):
            shown.add(call)
            if call.refusal or (call.result != [] and not only_refused):
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
