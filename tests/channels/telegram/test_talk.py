"""People talk with the bot in Telegram: everything between the stand-in's socket and the scripted model is real."""

import asyncio
from typing import Any

from bot.core import phrases
from bot.core.messages import Reaction
from bot.core.texts import people
from channels import people_texts
from channels.telegram import operator_texts
from tests.stand_ins.telegram import Malformed, TelegramStandIn
from tests.support.bench import Bench
from tests.support.fakes import Pause, delegates, reply, uses
from tests.support.patience import PATIENCE
from tests.support.places.telegram import ANN
from tests.support.telegram_bot import BEN, EVE, bot, private, said, sees
from tests.support.troubles import wait_for_row
from tests.support.writing_model import Writes

READS_NEXT = people.ROLE_READS_NEXT(number=1, role="Researcher")


async def test_two_roles_are_at_work_at_once_and_the_chat_sees_each(bench: Bench, server: TelegramStandIn) -> None:
    room, other = private(server), private(server, BEN, "Ben")
    together = asyncio.Barrier(2)

    async def working(name: str) -> Any:
        async with asyncio.timeout(PATIENCE):
            await together.wait()  # neither is answered before both have asked
        return reply(uses("message", text=f"{name} is at it"))

    bench.model.says("lead", delegates("researcher", "analyst"), "**All** is found.")
    bench.model.says("researcher", lambda: working("research"), "found")
    bench.model.says("analyst", lambda: working("analysis"), "counted")
    async with bot(bench, server):
        room.say(room.chat.person, "find out")
        there = await sees(server, room, lambda there: "All is found." in there)
    assert "[Researcher]: research is at it" in there
    assert "[Analyst]: analysis is at it" in there
    assert there[-1] == "All is found."
    assert there.count("All is found.") == 1
    assert said(other) == []
    assert room.answers()[-1].entities == [{"type": "bold", "offset": 0, "length": 3}]


async def test_a_reply_to_what_a_role_said_reaches_it_despite_a_kill(bench: Bench, server: TelegramStandIn) -> None:
    room, at_work = private(server), Pause()
    bench.model.says("lead", delegates("researcher"))
    bench.model.says("researcher", reply(uses("message", text="I look")), at_work)
    async with bot(bench, server):
        room.say(room.chat.person, "find out")
        await sees(server, room, lambda there: "[Researcher]: I look" in there)
        await at_work.reached.wait()
        [posted] = [one for one in room.answers() if one.text == "[Researcher]: I look"]
        await wait_for_row(bench, "outbox", "role = 'researcher' AND state = 'sent'")
        written = room.say(room.chat.person, "without prices", reply_to=posted)
        await server.until(lambda: bool(written.reactions))
        bench.crashes()
    bench.model.says("researcher", reply(uses("read")), "found")
    bench.model.says("lead", "All is found.")
    async with bot(bench, server):
        await sees(server, room, lambda there: "All is found." in there)
    assert "without prices" in bench.model.heard("researcher")[-1]
    assert list(written.reactions.values()) == [Reaction.READS_NEXT]
    assert READS_NEXT not in said(room)


async def test_a_chat_that_permits_no_such_reaction_reads_it_in_words(bench: Bench, server: TelegramStandIn) -> None:
    room, at_work = private(server), Pause()
    room.chat.reactions = frozenset("👍")
    bench.model.says("lead", delegates("researcher"), "All is found.")
    bench.model.says("researcher", at_work, "found")
    async with bot(bench, server):
        room.say(room.chat.person, "find out")
        await at_work.reached.wait()
        room.say(room.chat.person, "/tell 1 without prices")
        await sees(server, room, lambda there: READS_NEXT in there)
        at_work.go_on.set()
        await sees(server, room, lambda there: "All is found." in there)
    assert [call.refusal for call in server.calls if call.method == "setMessageReaction"] == [
        "400 Bad Request: REACTION_INVALID"
    ]


async def test_a_role_that_has_ended_answers_a_reply_itself_despite_a_kill(
    bench: Bench, server: TelegramStandIn
) -> None:
    room, at_work = private(server), Pause()
    bench.model.says("lead", delegates("researcher"), "All is found.")
    bench.model.says("researcher", reply(uses("message", text="I look")), "found", at_work)
    async with bot(bench, server):
        room.say(room.chat.person, "find out")
        await sees(server, room, lambda there: "All is found." in there)
        [posted] = [one for one in room.answers() if one.text == "[Researcher]: I look"]
        await wait_for_row(bench, "outbox", "role = 'researcher' AND state = 'sent'")
        written = room.say(room.chat.person, "and in winter?", reply_to=posted)
        await server.until(lambda: bool(written.reactions))
        await at_work.reached.wait()
        bench.crashes()
    bench.model.says("researcher", "colder")
    async with bot(bench, server):
        there = await sees(server, room, lambda there: "[Researcher]: colder" in there)
    assert there.count("[Researcher]: colder") == 1
    [answer] = [one for one in room.answers() if one.text == "[Researcher]: colder"]
    assert (answer.reply_to, answer.is_silent) == (written, False)
    assert list(written.reactions.values()) == [Reaction.TAKES_UP]


async def test_the_buttons_of_a_board_outlive_a_kill(bench: Bench, server: TelegramStandIn) -> None:
    room, one, other = private(server), Pause(), Pause()
    bench.model.says("lead", delegates("researcher", "analyst"))
    bench.model.says("researcher", one)
    long = [uses("message", text=f"step {number} of a long way, told in many words") for number in range(5)]
    bench.model.says("analyst", reply(*long), other)
    async with bot(bench, server):
        room.say(room.chat.person, "find out")
        await one.reached.wait()
        await other.reached.wait()
        await server.until(lambda: any("⏹ 2" in each.labels for each in room.answers()))
        [board] = [each for each in room.answers() if each.labels]
        assert board.is_silent
        assert board.labels == ["⏹ 1", "⏹ 2", people_texts.STOP_ALL(), "details 1", "details 2"]
        room.tap(room.chat.person, board, "details 2")
        await sees(server, room, lambda there: any(text.startswith("#2 Analyst, working") for text in there))
        [log] = [each for each in room.answers() if each.text.startswith("#2 Analyst, working")]
        assert [each["type"] for each in log.entities] == ["expandable_blockquote"]
        bench.crashes()
    one, other = Pause(), Pause("weighed")
    bench.model.says("researcher", one)
    bench.model.says("analyst", other)
    bench.model.says("lead", "only half is found")
    async with bot(bench, server):
        await one.reached.wait()
        tap = room.tap(room.chat.person, board, "⏹ 1")
        await server.until(lambda: people.ROLES_STOPPED(roles="Researcher") in (tap.heard, *said(room)))
        other.go_on.set()
        await sees(server, room, lambda there: "only half is found" in there)
        await server.until(lambda: board.labels == ["details 1", "details 2"])
        assert board.text.startswith("2 roles · ")
    assert bench.select("status", "turns", "depth = 1", order="id") == [("cancelled",), ("completed",)]


async def test_two_chats_with_the_same_question_at_once_hear_each_their_own(
    bench: Bench, server: TelegramStandIn
) -> None:
    rooms = private(server), private(server, BEN, "Ben")

    async def answer(request: Any, show: Any) -> Any:
        asked = str(request.transcript[0].as_json())
        return reply({"type": "text", "text": "for Ann" if f"telegram {ANN}" in asked else "for Ben"})

    bench.model.says("lead", answer, answer)
    async with bot(bench, server):
        for room in rooms:
            room.say(room.chat.person, "what is it?")
        for room, expected in zip(rooms, ("for Ann", "for Ben"), strict=True):
            assert await sees(server, room, lambda there: bool(there)) == [expected]


async def test_in_a_group_chat_the_bot_answers_only_people_who_address_it(
    bench: Bench, server: TelegramStandIn
) -> None:
    ann, ben, eve = (server.person(*who) for who in ((ANN, "Ann"), (BEN, "Ben"), (EVE, "Eve")))
    server.world.reads_all = True
    group = server.supergroup("Friends", ann, ben, eve)
    bench.model.says("lead", "yes, Ann", "yes, Ben")
    async with bot(bench, server):
        group.say(ben, "talking to you all")
        group.say(eve, "@retinue_bot let me in")
        asked = group.say(ann, "@retinue_bot are you there?")
        await sees(server, group, lambda there: "yes, Ann" in there)
        group.say(ben, "and for me?", reply_to=group.answers()[-1])
        there = await sees(server, group, lambda there: "yes, Ben" in there)
    assert there == ["yes, Ann", "yes, Ben"]
    assert group.answers()[0].reply_to is asked
    assert 'id 7 "Ann":' in bench.model.heard("lead", 0)[-1]
    assert "> Ben: talking to you all" in bench.model.heard("lead", 0)[-1]
    assert "> yes, Ann" in bench.model.heard("lead", 1)[-1]


async def test_topics_are_conversations_of_their_own(bench: Bench, server: TelegramStandIn) -> None:
    ann = server.person(ANN, "Ann")
    forum = server.supergroup("Forum", ann, forum=True)
    topic = forum.topic(ann, "News")
    bench.model.says("lead", "in the topic", "in the first")
    async with bot(bench, server):
        forum.say(ann, "@retinue_bot hi", thread=topic.id)
        await sees(server, forum, lambda there: "in the topic" in there)
        forum.say(ann, "@retinue_bot hi")
        await sees(server, forum, lambda there: "in the first" in there)
    assert said(forum, topic.id) == ["in the topic"]
    assert len(bench.model.seen[-1].transcript) == 1
    assert {seen.thread for seen in forum.typing} == {topic.id, 1}, "in General too"


async def test_messages_sent_while_the_bot_was_down_are_answered_in_order(
    bench: Bench, server: TelegramStandIn
) -> None:
    room = private(server)
    bench.model.says("lead", "one", "two and three")
    async with bot(bench, server):
        room.say(room.chat.person, "first")
        await sees(server, room, lambda there: "one" in there)
    room.say(room.chat.person, "second")
    room.say(room.chat.person, "third")
    async with bot(bench, server):
        await sees(server, room, lambda there: "two and three" in there)
    assert said(room)[-1] == "two and three"
    heard = "".join(bench.model.heard("lead"))
    assert heard.index("second") < heard.index("third")


async def test_a_group_chat_that_becomes_a_supergroup_goes_on(bench: Bench, server: TelegramStandIn) -> None:
    ann = server.person(ANN, "Ann")
    group = server.group("Friends", ann)
    bench.model.says("lead", "hello", "still here")
    async with bot(bench, server):
        group.say(ann, "@retinue_bot hi")
        await sees(server, group, lambda there: "hello" in there)
        moved = group.migrate(ann)
        moved.say(ann, "@retinue_bot and now?")
        await sees(server, moved, lambda there: "still here" in there)
    assert "hello" in str(bench.model.seen[-1].transcript)


async def test_an_answer_on_its_way_follows_a_chat_that_moves(bench: Bench, server: TelegramStandIn) -> None:
    ann = server.person(ANN, "Ann")
    group, pause = server.group("Friends", ann), Pause("late answer")
    bench.model.says("lead", pause)
    async with bot(bench, server):
        group.say(ann, "@retinue_bot hi")
        await pause.reached.wait()
        server.world.updates.allowed = frozenset({"callback_query"})  # nobody tells the bot
        moved = group.migrate(ann)
        pause.go_on.set()
        await sees(server, moved, lambda there: "late answer" in there)
    assert said(group) == []


async def test_a_tap_on_a_closed_question_is_told_to_the_one_who_tapped(bench: Bench, server: TelegramStandIn) -> None:
    room = private(server)
    ask = uses("ask_person", question="Which?", options=["red", "green"])
    bench.model.says("lead", reply(ask), "green it is")
    async with bot(bench, server):
        room.say(room.chat.person, "paint")
        await sees(server, room, lambda there: any("Which?" in text for text in there))
        asking = room.answers()[-1]
        red = asking.buttons[0][0]["callback_data"]  # before the buttons go
        first = room.tap(room.chat.person, asking, "green")
        await sees(server, room, lambda there: "green it is" in there)
        late = room.send_tap(room.chat.person, asking, red)
        await server.until(lambda: bool(late.answer and first.answer))
        await sees(
            server, room, lambda there: any(phrases.option_chosen_text("green", "Ann") in text for text in there)
        )
    [(closed,)] = bench.rows("SELECT text FROM outbox WHERE key LIKE '%:told'")
    assert (first.heard, late.heard) == ("", closed)
    assert bench.rows("SELECT answer FROM questions") == [("green",)]
    assert said(room)[-1] == "green it is"


async def test_a_question_is_answered_by_the_number_of_its_option(bench: Bench, server: TelegramStandIn) -> None:
    room = private(server)
    bench.model.says("lead", reply(uses("ask_person", question="Which?", options=["red", "green"])), "so be it")
    async with bot(bench, server):
        room.say(room.chat.person, "paint")
        await sees(server, room, lambda there: any("2. green" in text for text in there))
        room.say(room.chat.person, "2", reply_to=room.answers()[-1])
        await sees(server, room, lambda there: "so be it" in there)
    assert bench.model.heard("lead")[-1] == "green"


async def test_a_draft_is_edited_and_the_answer_takes_its_place(bench: Bench, server: TelegramStandIn) -> None:
    room, step = private(server), Writes("**Hello** Ann")
    bench.model.says("lead", step)
    async with bot(bench, server):
        room.say(room.chat.person, "hi")
        async with asyncio.timeout(PATIENCE):
            while said(room) != ["Hel"]:
                step.shows("**Hel**")
                await asyncio.sleep(0.01)
        step.ends()
        await sees(server, room, lambda there: there == ["Hello Ann"])
    (message,) = room.answers()
    assert not message.is_silent


async def test_somebody_at_work_is_seen_typing(bench: Bench, server: TelegramStandIn) -> None:
    group = server.supergroup("Friends", server.person(ANN, "Ann"))
    pause = Pause("done")
    bench.model.says("lead", pause)
    async with bot(bench, server):
        group.say(server.person(ANN, "Ann"), "@retinue_bot go")
        async with asyncio.timeout(PATIENCE):
            await server.until(lambda: bool(group.typing))
        pause.go_on.set()
        await sees(server, group, lambda there: there == ["done"])


async def test_a_malformed_message_is_told_of_and_the_next_is_answered(bench: Bench, server: TelegramStandIn) -> None:
    room = private(server)
    bench.model.says("lead", "here")
    async with bot(bench, server):
        room.malformed(room.chat.person, Malformed.DATE_IN_WORDS)
        room.say(room.chat.person, "hello")
        there = await sees(server, room, lambda there: "here" in there and len(there) > 2)
    [(sorry,)] = bench.rows("SELECT text FROM outbox WHERE key LIKE '%:sorry'")
    assert sorry in there


async def test_a_chat_that_shut_the_bot_out_is_told_to_the_owner(bench: Bench, server: TelegramStandIn) -> None:
    room, other, pause = private(server), private(server, BEN, "Ben"), Pause("for Ben")
    bench.model.says("lead", pause)
    async with bot(bench, server):
        other.say(other.chat.person, "hi")
        await pause.reached.wait()
        other.block()
        pause.go_on.set()
        (told,) = await sees(server, room, lambda there: bool(there))
    assert operator_texts.BOT_BLOCKED in told
    assert "for Ben" not in told
