"""A strict stand-in for Discord: REST v10 and the gateway, over real loopback sockets.

It refuses what Discord refuses, counts its limits, and loses connections as the fault menus say. It lets people talk,
tap and give commands, and remembers everything.

    async with DiscordStandIn() as server:
        ann = server.person("Ann")
        general = server.channel(server.guild("Home", ann), "general")
        server.faults.on(Route.SEND, Fault.RESET_AFTER)
        with pointed_at(server):
            ...  # a discord.Client with server.token
        ann.say(general, "hello", mentions=[server.bot])
        assert [one.text for one in ann.sees(general)] == [...]

The modules: snowflakes, errors, places, accounts, messages, interactions and events are what there is. world holds and
changes it, and people act on it. bodies and components read what a bot sends. conversation, answering, webhooks and
application are the endpoints. limits and faults act in rest. compression, drops, connections and sessions are the
gateway's. cdn has the files that people send. server connects them.
"""

from tests.stand_ins.discord.accounts import Webhook
from tests.stand_ins.discord.cdn import Upload
from tests.stand_ins.discord.drops import Drop
from tests.stand_ins.discord.events import Intent
from tests.stand_ins.discord.faults import EVERY, Fault
from tests.stand_ins.discord.interactions import Interaction
from tests.stand_ins.discord.limits import Rate
from tests.stand_ins.discord.messages import Flag, Message, Seen
from tests.stand_ins.discord.people import Person
from tests.stand_ins.discord.places import Channel, Guild, Kind, Permission
from tests.stand_ins.discord.pointing import pointed_at
from tests.stand_ins.discord.records import Frame, Request
from tests.stand_ins.discord.routes import Route
from tests.stand_ins.discord.server import DiscordStandIn

__all__ = [
    "EVERY",
    "Channel",
    "DiscordStandIn",
    "Drop",
    "Fault",
    "Flag",
    "Frame",
    "Guild",
    "Intent",
    "Interaction",
    "Kind",
    "Message",
    "Permission",
    "Person",
    "Rate",
    "Request",
    "Route",
    "Seen",
    "Upload",
    "Webhook",
    "pointed_at",
]
