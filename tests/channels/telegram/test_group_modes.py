"""`/mode` in a Telegram group: when the bot answers there, and who may change that. All but the model is real."""

from bot.core.texts import people_groups
from tests.stand_ins.telegram import Person, Room, TelegramStandIn
from tests.support.bench import Bench
from tests.support.telegram_bot import BEN, EVE, bot, sees

MODE_MENTIONED = people_groups.MODE_IS(mode=people_groups.MODES["mentioned"]())
MODE_OFF = people_groups.MODE_IS(mode=people_groups.MODES["off"]())
MODE_ALWAYS = people_groups.MODE_IS(mode=people_groups.MODES["always"]())


async def answers(server: TelegramStandIn, room: Room, *texts: str) -> None:
    await sees(server, room, lambda there: all(text in there for text in texts))


async def test_an_admin_switches_the_bot_off_and_on(
    bench: Bench, server: TelegramStandIn, friends: Room, ann: Person, ben: Person
) -> None:
    friends.chat.admins.add(EVE)  # she may not talk to the bot, but she may tell it to be silent
    bench.model.says("lead", "here again")
    async with bot(bench, server):
        friends.say(server.person(EVE, "Eve"), "/mode off")
        await answers(server, friends, MODE_OFF)
        friends.say(ann, "@retinue_bot are you there?")
        friends.say(server.person(EVE, "Eve"), "/Mode\nmentioned")
        await answers(server, friends, MODE_MENTIONED)
        friends.say(ann, "@retinue_bot and now?")
        await answers(server, friends, "here again")
    assert "are you there?" not in str(bench.model.seen)


async def test_only_the_owner_lets_the_bot_answer_everything(
    bench: Bench, server: TelegramStandIn, friends: Room, ann: Person, ben: Person
) -> None:
    friends.chat.admins.add(BEN)
    bench.model.says("lead", "one", "two")
    async with bot(bench, server):
        friends.say(ben, "/mode always")
        await answers(server, friends, people_groups.MODE_OF_OWNER())
        friends.say(ann, "/mode always")
        await answers(server, friends, MODE_ALWAYS)
        asked = friends.say(ben, "what time is it?")
        await answers(server, friends, "one")
        friends.say(ben, "@eve this is for you")
        friends.say(ann, "and this for Ben", reply_to=asked)
        friends.say(ben, "and tomorrow?")
        await answers(server, friends, "two")
    heard = bench.model.heard("lead", 1)[-1]
    assert "> Ben: @eve this is for you\n> Ann: and this for Ben" in heard


async def test_somebody_else_may_not_change_the_mode(
    bench: Bench, server: TelegramStandIn, friends: Room, ben: Person
) -> None:
    async with bot(bench, server):
        friends.say(ben, "/mode off")
        await answers(server, friends, people_groups.MODE_OF_ADMINS())
    assert bench.count("chat_modes") == 0


async def test_many_commands_ask_once_whether_somebody_is_an_admin(
    bench: Bench, server: TelegramStandIn, friends: Room, ben: Person
) -> None:
    for _ in range(5):
        friends.say(ben, "/mode off")
    async with bot(bench, server):
        await answers(server, friends, people_groups.MODE_OF_ADMINS())
    assert len([call for call in server.calls if call.method == "getChatMember"]) == 1
