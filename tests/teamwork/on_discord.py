"""The conversation on Discord: a street party. In a channel where Bob is too, Ann steers the analyst, answers the
writer's question, stops the researcher, and asks something else meanwhile."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bot.core.access import Access
from bot.core.messages import PersonId, Reaction
from bot.core.rights import EVERY_RIGHT
from bot.core.texts import people
from channels.pacing import RateLimit
from tests.stand_ins.claude import ClaudeStandIn, Search, ToolUse, reply
from tests.stand_ins.clock import Clock
from tests.stand_ins.discord import DiscordStandIn, Person, pointed_at
from tests.support.discord_channel import QUICK, private
from tests.teamwork.cast import LEAD, Cast, ask, delegate, page, say
from tests.teamwork.discord_chat import DiscordChat, PromptDiscord
from tests.teamwork.stage import START, Stage, bot_at_work, make_backend

UNPACED = replace(QUICK, all_calls_limit=RateLimit(1_000, 1.0))
REQUEST = (
    "We have 600 euros for music at our street party on 20 June. Compare the bands in bands.md, find out what the city "
    "wants for closing the road, and draft the invitation."
)
STEER = "There are many small children. Nothing with amplifiers after eight, please."
ASIDE = "I have asked the city already. The permit is in my mailbox!"
MEANWHILE = "When does the sun set here on 20 June?"

BANDS = "Compare the three bands in bands.md for a street party: price (at most 600 euros), length, loudness."
ROAD = "Find out what the city wants for closing Mill Street on 20 June: form, fee and deadline."
INVITATION = "Draft the invitation to the neighbours for the street party on 20 June, about 60 words."
QUESTION = "In which language shall the invitation be?"
LANGUAGES = ("English", "German")
FILE = """\
# Bands that would come on 20 June

- The Amps: 900 euros, three hours, drums and amplifiers
- Trio Lindo: 580 euros, three hours, guitars and voices, no amplifiers
- Brass Aunts: 450 euros, two hours, nine horns, to be heard three streets away
"""
FORM = "The form is A-12, and the fee is 40 euros. I am looking for the deadline."
ANSWER = """\
**The street party is ready to be announced**

- **Music**: Trio Lindo, 580 euros for three hours. They need no amplifiers, so the children can sleep after eight.
- **Road**: you stopped that search. The form is A-12, and the fee is 40 euros.
- **Invitation**, German first:

> Liebe Nachbarn! Am 20. Juni feiern wir auf der Mühlenstrasse. Trio Lindo spielt ab 18 Uhr.
> Dear neighbours! On 20 June we celebrate in Mill Street. Trio Lindo plays from 6 pm."""


async def talk_on_discord(folder: Path) -> Stage:
    """Have the conversation. Return the stage with what was written down and seen."""
    (folder / "workspace").mkdir()
    (folder / "workspace" / "bands.md").write_text(FILE)
    clock = Clock(START)
    async with ClaudeStandIn() as claude, DiscordStandIn(now=clock) as server:
        server.limits.identify_seconds = 0
        server.limits.off()
        ann, bob = server.person("Ann"), server.person("Bob")
        chat = DiscordChat(server, ann, bob, guild="Mill Street", channel="street-party")
        stage, backend = Stage(folder, clock, claude, chat), make_backend(folder, claude)
        roles = backend.roles() if callable(backend.roles) else backend.roles
        channel = PromptDiscord(
            server.token,
            server.base_url,
            server.gateway_url,
            [(name, help()) for name, help in people.COMMANDS.items()],
            UNPACED,
            get_picture=lambda name: roles[name].picture,
        )
        access = Access(
            owner_id=PersonId(str(ann.id)),
            owner_address=private(ann),
            allowed_ids=frozenset({str(chat.guild.id)}),
            others_rights=EVERY_RIGHT,
        )
        with pointed_at(server):
            async with bot_at_work(stage, backend, channel, access):
                await server.until(lambda: any(each.session for each in server.gateway.connections))
                await server.until(lambda: bool(server.world.commands))
                await play(stage, chat, stage.cast, bob)
        claude.verify()
        server.verify()
    return stage


async def play(stage: Stage, chat: DiscordChat, cast: Cast, bob: Person) -> None:
    tasks = [delegate("analyst", BANDS), delegate("researcher", ROAD), delegate("writer", INVITATION)]
    lead = cast.add(
        LEAD,
        reply("The bands, the road and the invitation are being worked on.", *tasks),
        reply("At about 21:26, so it is light until ten. The bands and the invitation are still being worked on."),
        reply(ANSWER),
    )
    bands = cast.add(
        "analyst",
        reply(ToolUse("read_file", {"path": "bands.md"})),
        reply(say("Two of three bands fit: Brass Aunts for 450 euros, and Trio Lindo for 580. The Amps cost 900.")),
        reply(ToolUse("grep", {"pattern": "amplifiers", "path": "bands.md"})),
        reply(say("Without amplifiers it is Trio Lindo. The Brass Aunts have none, but nine horns.")),
        reply("Trio Lindo: 580 euros, three hours, no amplifiers."),
    )
    road = cast.add(
        "researcher",
        reply(Search("closing a road for a street party", (page("City rules"),)), FORM, say(FORM)),
        reply("never said, because it is stopped"),
    )
    invitation = cast.add(
        "writer",
        reply(ask(QUESTION, *LANGUAGES)),
        reply(
            "Liebe Nachbarn! Am 20. Juni feiern wir auf der Mühlenstrasse. Dear neighbours! On 20 June we celebrate."
        ),
    )

    await stage.beat(lambda: chat.say(REQUEST), asking=1)
    await stage.beat(lead.speak, seconds=7, shows="being worked on", asking=3)
    await stage.beat(bands.speak, seconds=4, asking=3)
    await stage.beat(bands.speak, seconds=9, shows="Two of three", asking=3)
    await stage.beat(road.speak, seconds=12, shows=FORM, asking=3)
    await stage.beat(invitation.speak, seconds=3, shows=QUESTION, asking=2)
    await stage.beat(lambda: chat.say(STEER, to="Two of three"), shows=Reaction.READS_NEXT, asking=2)
    await stage.beat(lambda: chat.say("Both, German first.", to=QUESTION), seconds=12, shows="✅", asking=3)
    await stage.beat(bands.speak, seconds=4, asking=3)
    await stage.beat(bands.speak, seconds=8, shows="Without amplifiers", asking=3)
    await stage.beat(lambda: chat.say_aside(bob, ASIDE), seconds=15, shows=ASIDE, asking=3)
    await stage.beat(lambda: chat.command("stop", which="2"), shows="Stopped", asking=2, deed="Ann: /stop which: 2")
    stage.take_picture("at-work")
    await stage.beat(lambda: chat.say(MEANWHILE), seconds=25, asking=3)
    await stage.beat(lead.speak, seconds=4, shows="21:26", asking=2)
    await stage.beat(bands.speak, seconds=22, asking=1)
    await stage.beat(invitation.speak, seconds=31, asking=1)
    await stage.beat(lead.speak, seconds=7, shows="ready to be announced", asking=0)
    stage.take_picture("at-the-end", first=3, since=MEANWHILE)
