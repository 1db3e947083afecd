"""What people say to each other in a Telegram group, and when the bot answers there. All but the model is real."""

from typing import Any

import pytest

from bot.core.texts import people, people_groups
from tests.stand_ins.telegram import Person, Room, TelegramStandIn
from tests.support.bench import Bench
from tests.support.telegram_bot import EVE, bot, said, sees, with_settings
from tests.support.troubles import wait_for_row

MODE_MENTIONED = people_groups.MODE_IS(mode=people_groups.MODES["mentioned"]())
MODE_OFF = people_groups.MODE_IS(mode=people_groups.MODES["off"]())
MODE_ALWAYS = people_groups.MODE_IS(mode=people_groups.MODES["always"]())


async def answers(server: TelegramStandIn, room: Room, *texts: str) -> None:
    await sees(server, room, lambda there: all(text in there for text in texts))


async def test_what_was_said_before_comes_along_once_and_marked(
    bench: Bench, server: TelegramStandIn, friends: Room, ann: Person, ben: Person
) -> None:
    bench.model.says("lead", "Rome", "Oslo")
    async with bot(bench, server):
        friends.say(ann, "I think Rome is nicer")
        friends.say(ben, "No\nOslo")
        friends.say(ann, "@retinue_bot who of us is right?")
        await answers(server, friends, "Rome")
        friends.say(ben, "I knew it")
        friends.say(ben, "@retinue_bot and now?")
        await answers(server, friends, "Oslo")
    first, second = (bench.model.heard("lead", number)[-1] for number in (0, 1))
    assert "> Ann: I think Rome is nicer\n> Ben: No\n>   Oslo" in first
    assert "who of us is right?" in first
    assert "> Ben: I knew it" in second
    assert "Rome is nicer" not in second


async def test_talk_is_stored_nowhere_until_it_comes_along(
    bench: Bench, server: TelegramStandIn, friends: Room, ben: Person, ann: Person
) -> None:
    bench.model.says("lead", "hello")
    async with bot(bench, server):
        friends.say(ann, "@retinue_bot hi")
        await answers(server, friends, "hello")
        friends.say(ben, "a secret of ours")
        friends.say(ann, "/status")
        await answers(server, friends, people.NOTHING_AT_WORK())
        assert bench.count("inbox") == 2
        assert bench.count("overheard") == 0


async def test_what_strangers_ask_is_talk_and_takes_nothing_away(
    bench: Bench, server: TelegramStandIn, friends: Room, ann: Person, ben: Person
) -> None:
    bench.model.says("lead", "hello")
    async with bot(bench, server):
        friends.say(ben, "we leave at nine")
        friends.say(server.person(EVE, "Eve"), "@retinue_bot let me in")
        friends.say(ann, "@retinue_bot when do we leave?")
        await answers(server, friends, "hello")
    heard = bench.model.heard("lead")[-1]
    assert "> Ben: we leave at nine" in heard
    assert "> Eve: let me in" in heard


async def test_in_privacy_mode_only_what_is_for_the_bot_comes(
    bench: Bench, server: TelegramStandIn, friends: Room, ann: Person, ben: Person
) -> None:
    server.world.reads_all = False
    bench.model.says("lead", "hello")
    async with bot(bench, server):
        friends.say(ben, "we leave at nine")
        friends.say(ann, "@retinue_bot when do we leave?")
        await answers(server, friends, "hello")
        friends.say(ann, "/whereami")
        await sees(server, friends, lambda there: people_groups.PRIVACY_MODE_ON() in there[-1])
    assert "we leave at nine" not in str(bench.model.seen)


@pytest.mark.parametrize("follow_ups", [True, False])
async def test_a_follow_up_in_a_topic_needs_no_mention(
    bench: Bench, server: TelegramStandIn, ann: Person, ben: Person, *, follow_ups: bool
) -> None:
    server.world.reads_all = True
    forum = server.supergroup("Forum", ann, ben, forum=True)
    topic = forum.topic(ann, "News")
    bench.model.says("lead", "hello", "again")
    async with bot(bench, server, **with_settings(group_chats__follow_ups=follow_ups)):
        forum.say(ann, "@retinue_bot hi", thread=topic.id)
        await answers(server, forum, "hello")
        forum.say(ben, "go on", thread=topic.id)
        if not follow_ups:
            forum.say(ben, "@retinue_bot really", thread=topic.id)
        await answers(server, forum, "again")
        forum.say(ben, "in General nobody asked")
        forum.say(ann, "/status")
        await answers(server, forum, people.NOTHING_AT_WORK())
    assert ("> Ben: go on" in bench.model.heard("lead", 1)[-1]) == (not follow_ups)
    assert said(forum) == ["hello", "again", people.NOTHING_AT_WORK()]


async def test_talk_outlives_a_restart_if_the_settings_say_so(
    bench: Bench, server: TelegramStandIn, friends: Room, ann: Person, ben: Person
) -> None:
    options: dict[str, Any] = with_settings(group_chats__keep_talk_hours=1.0)
    bench.model.says("lead", "at nine")
    async with bot(bench, server, **options):
        friends.say(ann, "/status")
        await answers(server, friends, people.NOTHING_AT_WORK())
        friends.say(ben, "we leave at nine")
        await wait_for_row(bench, "overheard", "text = 'we leave at nine'")
        bench.crashes()
    async with bot(bench, server, **options):
        friends.say(ann, "@retinue_bot when do we leave?")
        await answers(server, friends, "at nine")
    assert "> Ben: we leave at nine" in bench.model.heard("lead")[-1]
