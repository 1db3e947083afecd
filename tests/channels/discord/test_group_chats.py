"""Servers on Discord: what people say to each other, when the bot answers, and how it starts there. All but the model
is real."""

import pytest

from bot.core.texts import people_groups
from tests.stand_ins.discord import Permission, Route
from tests.support.discord_channel import Town
from tests.support.discord_talk import Talk
from tests.support.fakes import Pause
from tests.support.telegram_bot import with_settings
from tests.support.troubles import wait_for_row

EVERYBODY, LEAVE = people_groups.EVERYBODY_OPTION(), people_groups.LEAVE_OPTION()


async def test_what_was_said_before_the_start_is_read_when_the_bot_is_addressed(talk: Talk, town: Town) -> None:
    town.bob.say(town.general, "long ago")
    town.answer(town.ask("hi"), "an old answer")
    town.ann.say(town.general, "I think Rome is nicer")
    town.bob.say(town.general, "No, Oslo")
    talk.bench.model.says("lead", "Rome", "Oslo")
    async with talk.run():
        await talk.connected()
        town.ask("who of us is right?")
        await talk.sees(town.ann, town.general, "Rome")
        town.bob.say(town.general, "I knew it")
        town.ask("and now?")
        await talk.sees(town.ann, town.general, "Oslo")
    first, second = (talk.bench.model.heard("lead", number)[-1] for number in (0, 1))
    assert "> Ann: I think Rome is nicer\n> Bob: No, Oslo" in first
    assert "long ago" not in first
    assert "> Bob: I knew it" in second
    assert len(town.server.to(Route.HISTORY)) == 1


async def test_without_the_right_to_read_the_bot_goes_without(talk: Talk, town: Town) -> None:
    town.general.denied |= Permission.READ_MESSAGE_HISTORY
    town.bob.say(town.general, "before")
    talk.bench.model.says("lead", "hello")
    async with talk.run():
        await talk.connected()
        town.bob.say(town.general, "since then")
        town.ask("hi")
        await talk.sees(town.ann, town.general, "hello")
    heard = talk.bench.model.heard("lead")[-1]
    assert "> Bob: since then" in heard
    assert "before" not in heard.replace("[Said in this chat before", "")


async def test_a_deleted_line_of_the_talk_is_forgotten(talk: Talk, town: Town) -> None:
    talk.bench.model.says("lead", "hello", "again")
    async with talk.run():
        await talk.connected()
        town.ask("hi")
        await talk.sees(town.ann, town.general, "hello")
        said = town.bob.say(town.general, "a slip")
        town.bob.delete(said)
        town.ask("and now?")
        await talk.sees(town.ann, town.general, "again")
    assert "a slip" not in str(talk.bench.model.seen)


async def test_a_deleted_message_that_waits_is_not_answered(talk: Talk, town: Town) -> None:
    at_work = Pause("hello")
    talk.bench.model.says("lead", at_work, "done")
    async with talk.run():
        await talk.connected()
        town.ask("hi")
        await at_work.reached.wait()
        waiting = town.ask("never mind", by=town.bob)
        await wait_for_row(talk.bench, "inbox", "text = 'never mind'")
        town.bob.delete(waiting)
        await wait_for_row(talk.bench, "inbox", f"key LIKE '%:{waiting.id}' AND state = 'done' AND text = ''")
        at_work.go_on.set()
        await talk.sees(town.ann, town.general, "hello")
        town.ask("more", by=town.bob)
        await talk.sees(town.ann, town.general, "done")
    assert "never mind" not in str(talk.bench.model.seen)


async def test_a_follow_up_in_a_thread_needs_no_mention(talk: Talk, town: Town) -> None:
    thread = town.server.thread(town.general, "Trip")
    talk.bench.model.says("lead", "hello", "again")
    async with talk.run():
        await talk.connected()
        town.ask("hi", channel=thread)
        await talk.sees(town.ann, thread, "hello")
        town.bob.say(thread, "Ann, wait", mentions=[town.ann])
        town.bob.say(thread, "go on")
        await talk.sees(town.ann, thread, "again")
    assert "Ann, wait" in talk.bench.model.heard("lead", 1)[-1]


@pytest.mark.parametrize("forum_posts", [True, False])
async def test_the_first_message_of_a_forum_post_may_need_no_mention(
    talk: Talk, town: Town, *, forum_posts: bool
) -> None:
    forum = town.server.forum(town.home, "Questions")
    talk.bench.model.says("lead", "hello")
    async with talk.run(forum_posts=forum_posts):
        await talk.connected()
        first = town.ann.post(forum, "Trip", "where to?")
        if not forum_posts:
            town.ask("answer, please", channel=first.channel)
        await talk.sees(town.ann, first.channel, "hello")
    heard = talk.bench.model.heard("lead")[-1]
    assert ("> Ann: where to?" in heard) == (not forum_posts)


async def test_who_manages_the_server_may_set_the_mode(talk: Talk, town: Town) -> None:
    async with talk.run():
        await talk.connected()
        town.ann.say(town.general, "/mode always")
        await talk.sees(town.ann, town.general, people_groups.MODE_IS(mode=people_groups.MODES["always"]()))
        town.bob.say(town.general, "/mode off")  # the last of a server's people owns it
        await talk.sees(town.ann, town.general, people_groups.MODE_IS(mode=people_groups.MODES["off"]()))
        eve = town.server.person("Eve")
        town.home.members.append(eve)
        eve.say(town.general, "/mode mentioned")
        await talk.sees(town.ann, town.general, people_groups.MODE_OF_ADMINS())


async def test_in_mode_always_everything_is_answered_also_after_a_restart(talk: Talk, town: Town) -> None:
    talk.bench.model.says("lead", "It is noon", "It is Friday")
    async with talk.run():
        await talk.connected()
        town.ann.say(town.general, "/mode always")
        await talk.sees(town.ann, town.general, people_groups.MODE_IS(mode=people_groups.MODES["always"]()))
        town.bob.say(town.general, "what time is it?")
        await talk.sees(town.ann, town.general, "It is noon")
    town.bob.say(town.general, "and tomorrow?")
    async with talk.run():
        await talk.sees(town.ann, town.general, "It is Friday")


async def test_a_new_server_reads_hello_and_the_owner_lets_everybody_talk(talk: Talk, town: Town) -> None:
    talk.bench.model.says("lead", "hello Bob")
    async with talk.run():
        await talk.connected()
        team = town.server.invite("Team", town.bob)
        plans = town.server.channel(team, "plans")
        private = town.ann.private()
        await town.server.until(lambda: any("“Team”" in one.text for one in town.server.said(private)))
        [asked] = [one for one in town.server.said(private) if "“Team”" in one.text]
        town.ann.tap(asked, next(each["custom_id"] for each in asked.buttons if each["label"] == EVERYBODY))
        await wait_for_row(talk.bench, "group_starts", "decision = 'everybody'")
        town.ask("hi", by=town.bob, channel=plans)
        await talk.sees(town.bob, plans, "hello Bob")
    assert str(team.id) in asked.text
    assert talk.bench.count("questions") == 1


async def test_leaving_a_server_is_carried_out(talk: Talk, town: Town) -> None:
    async with talk.run():
        await talk.connected()
        team = town.server.invite("Team", town.bob)
        private = town.ann.private()
        await town.server.until(lambda: any("“Team”" in one.text for one in town.server.said(private)))
        [asked] = [one for one in town.server.said(private) if "“Team”" in one.text]
        town.ann.tap(asked, next(each["custom_id"] for each in asked.buttons if each["label"] == LEAVE))
        await town.server.until(lambda: not team.has_bot)
        await wait_for_row(talk.bench, "group_starts", "left_at IS NOT NULL")


async def test_servers_that_the_bot_knows_are_not_asked_about(talk: Talk, town: Town) -> None:
    async with talk.run():
        await talk.connected()
        town.ann.say(town.general, "/status")
        await talk.sees(town.ann, town.general, "")
    assert talk.bench.count("group_starts") == 0


async def test_follow_ups_may_be_switched_off(talk: Talk, town: Town) -> None:
    thread = town.server.thread(town.general, "Trip")
    talk.bench.model.says("lead", "hello", "again")
    async with talk.run(with_settings(group_chats__follow_ups=False)):
        await talk.connected()
        town.ask("hi", channel=thread)
        await talk.sees(town.ann, thread, "hello")
        town.bob.say(thread, "go on")
        town.ask("really", by=town.bob, channel=thread)
        await talk.sees(town.ann, thread, "again")
    assert "> Bob: go on" in talk.bench.model.heard("lead", 1)[-1]
