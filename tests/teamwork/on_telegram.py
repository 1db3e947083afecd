"""The conversation on Telegram: a weekend in Lisbon. Ann steers a researcher, answers the other one's question, stops
the analyst, and asks something else meanwhile."""

from __future__ import annotations

from pathlib import Path

from bot.core.access import Access
from bot.core.messages import Address, PersonId, Reaction
from bot.core.texts import people
from tests.stand_ins.claude import ClaudeStandIn, Search, reply
from tests.stand_ins.clock import Clock
from tests.stand_ins.telegram import TelegramStandIn
from tests.stand_ins.telegram.rates import Limits
from tests.support.places.telegram import HASTY, UNPACED
from tests.teamwork.cast import LEAD, Cast, ask, delegate, page, say
from tests.teamwork.stage import START, Stage, bot_at_work, make_backend
from tests.teamwork.telegram_chat import PromptTelegram, TelegramChat

ANN = 7
REQUEST = "Plan a weekend in Lisbon for the four of us, 12 to 14 March. Compare flights and hotels."
STEER = "Not before noon on Friday, please. We work in the morning."
MEANWHILE = "How warm is it there in March?"
QUESTION = "Which part of Lisbon shall the hotel be in?"
PARTS = ("Baixa: flat and central", "Alfama: old and hilly")

FLIGHTS = "Flights for four from Zurich to Lisbon, 12 to 14 March: direct ones, with times and prices."
HOTELS = "Hotels in Lisbon for four, 12 to 14 March: two double rooms, at most 150 euros a room and night."
AROUND = "Getting around Lisbon for four in three days: what day passes, taxis and a rented car cost."

FOUND = """\
On Friday two direct flights have four seats left, at 10:35 for 118 euros and at 17:20 for 134 euros each.
Back on Sunday: 18:05 for 96 euros, 20:40 for 141 euros.
All prices are with hand luggage only."""
LUGGAGE = "A suitcase costs 45 euros each way, on each of them."
TRAMS = "A day pass for all trams and buses costs 6.80 euros each."
ANSWER = """\
**Lisbon, 12 to 14 March, for four**

• Out on Friday at 17:20, back on Sunday at 18:05: 230 euros each, 920 euros together.
• Hotel Figueira in Baixa: two double rooms for 128 euros a night each, 512 euros together.

That is **1,432 euros**, or 358 euros each. Getting around is not in it, as you stopped that: a day pass is 6.80 \
euros each."""


async def talk_on_telegram(folder: Path) -> Stage:
    """Have the conversation. Return the stage with what was written down and seen."""
    clock = Clock(START)
    async with ClaudeStandIn() as claude, TelegramStandIn(now=clock, limits=Limits.none()) as server:
        chat = TelegramChat(server, server.person(ANN, "Ann"))
        stage, backend = Stage(folder, clock, claude, chat), make_backend(folder, claude)
        channel = PromptTelegram(
            server.token,
            server.base_url,
            [(name, help()) for name, help in people.COMMANDS.items()],
            timing=HASTY,
            rates=UNPACED,
        )
        home = Address(channel="telegram", chat=str(ANN))
        async with bot_at_work(stage, backend, channel, Access(owner_id=PersonId(str(ANN)), owner_address=home)):
            await play(stage, chat, stage.cast)
        claude.verify()
        refused = [
            (call.method, call.refusal) for call in server.calls if call.refusal and "not modified" not in call.refusal
        ]
        assert refused == [], refused
    return stage


async def play(stage: Stage, chat: TelegramChat, cast: Cast) -> None:
    tasks = [delegate("researcher", FLIGHTS), delegate("researcher", HOTELS), delegate("analyst", AROUND)]
    lead = cast.add(
        LEAD,
        reply("I have flights, hotels and getting around looked into at the same time.", *tasks),
        reply("About 18 degrees by day and 11 at night, and it may rain. Flights and hotels are still being compared."),
        reply(ANSWER),
    )
    flights = cast.add(
        "researcher",
        reply(Search("direct flights Zurich Lisbon 12 March", (page("Zurich to Lisbon"),)), say(FOUND)),
        reply(Search("Zurich Lisbon price of a suitcase", (page("Luggage"),)), say(LUGGAGE)),
        reply(say("After noon only the flight at 17:20 is left, for 134 euros.")),
        reply("Out at 17:20 (134 euros), back at 18:05 (96 euros): 230 euros each, with hand luggage only."),
        about="Flights",
    )
    hotels = cast.add(
        "researcher",
        reply(Search("hotels Lisbon 12 March two double rooms", (page("Hotels in Lisbon"),)), ask(QUESTION, *PARTS)),
        reply("Hotel Figueira in Baixa, two double rooms, 128 euros a room and night."),
        about="Hotels",
    )
    around = cast.add(
        "analyst",
        reply(f"{TRAMS} Taxis and the car are still to come.", say(TRAMS)),
        reply("never said, because it is stopped"),
        about="around",
    )

    await stage.beat(lambda: chat.say(REQUEST), asking=1)
    await stage.beat(lead.speak, seconds=8, shows="at the same time", asking=3)
    await stage.beat(flights.speak, shows="[Researcher]: #1", asking=3)
    await stage.beat(around.speak, seconds=6, shows="[Analyst]", asking=3)
    await stage.beat(hotels.speak, seconds=9, shows="Which part", asking=2)
    await stage.beat(lambda: chat.say(STEER, to="two direct flights"), shows=Reaction.READS_NEXT, asking=2)
    await stage.beat(lambda: chat.tap(PARTS[0]), seconds=15, shows="✅", asking=3, deed=f"Ann taps [{PARTS[0]}]")
    await stage.beat(flights.speak, seconds=5, shows="suitcase", asking=3)
    await stage.beat(flights.speak, seconds=9, shows="After noon", asking=3)
    await stage.beat(lambda: chat.tap("⏹ 3"), asking=2, deed="Ann taps [⏹ 3]")
    stage.take_picture("at-work", toast=people.ROLES_STOPPED(roles="Analyst"))
    await stage.beat(lambda: chat.say(MEANWHILE), seconds=30, asking=3)
    await stage.beat(lead.speak, seconds=4, shows="18 degrees", asking=2)
    await stage.beat(flights.speak, seconds=25, asking=1)
    await stage.beat(hotels.speak, seconds=30, asking=1)
    await stage.beat(lead.speak, seconds=6, shows="1,432", asking=0)
    stage.take_picture("at-the-end", first=3, since=MEANWHILE)
