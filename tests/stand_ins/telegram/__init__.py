"""A strict stand-in for the Telegram Bot API, over a real loopback socket.

It refuses what Telegram refuses, in Telegram's words and limits. It lets a test's people write, tap and block. It fails
as the fault menu says, and remembers every call and every message of every chat.

    async with TelegramStandIn(now=clock) as server:
        ann = server.person(7, "Ann")
        room = server.private(ann)
        room.say(ann, "hello")
        server.faults.next("sendMessage", Fault.RESET_AFTER)
        bot = Bot(server.token, base_url=server.base_url, base_file_url=server.base_file_url)
        assert room.texts() == ["hello", "Hello, Ann."]

It is stricter than Telegram in this: a burst is three messages, a tap can be answered for 15 seconds, and calls that
were on their way when another was refused make the wait longer, too. It is laxer in this: it finds no links or commands
in what the bot sends. It has no parse_mode, no inline messages, and of media to send only
photos, documents and albums of either.

The modules: errors, arguments, uploads, faults and spoiling know the protocol. texts, keyboards, people, messages,
media, chats and world are what there is. updates and rates count. methods and carrying change it all. rooms is what
people do. records is what is remembered. server connects them.
"""

from tests.stand_ins.clock import Clock
from tests.stand_ins.telegram.chats import Action, Chat, Kind, Standing, Topic
from tests.stand_ins.telegram.errors import Refusal
from tests.stand_ins.telegram.faults import ANY, Fault, Faults
from tests.stand_ins.telegram.malformed import Malformed
from tests.stand_ins.telegram.media import animation, document, live_photo, photo, rich, sticker, venue, voice
from tests.stand_ins.telegram.messages import Message, Version
from tests.stand_ins.telegram.people import Person
from tests.stand_ins.telegram.rates import Limits, Rates
from tests.stand_ins.telegram.records import Call
from tests.stand_ins.telegram.rooms import Room
from tests.stand_ins.telegram.server import TOKEN, TelegramStandIn
from tests.stand_ins.telegram.uploads import Upload
from tests.stand_ins.telegram.world import Tap, World

__all__ = [
    "ANY",
    "TOKEN",
    "Action",
    "Call",
    "Chat",
    "Clock",
    "Fault",
    "Faults",
    "Kind",
    "Limits",
    "Malformed",
    "Message",
    "Person",
    "Rates",
    "Refusal",
    "Room",
    "Standing",
    "Tap",
    "TelegramStandIn",
    "Topic",
    "Upload",
    "Version",
    "World",
    "animation",
    "document",
    "live_photo",
    "photo",
    "rich",
    "sticker",
    "venue",
    "voice",
]
