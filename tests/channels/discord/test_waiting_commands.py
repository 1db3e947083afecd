"""Edits and deletions of commands that wait, on Discord: what has not begun yet can be changed and called off."""

import pytest

from tests.support.discord_channel import Town
from tests.support.discord_talk import Talk
from tests.support.fakes import Pause, delegates, reply, uses
from tests.support.troubles import wait_for_row


@pytest.mark.parametrize("is_deleted", [True, False])
async def test_a_new_that_waits_is_called_off(talk: Talk, town: Town, *, is_deleted: bool) -> None:
    at_work = Pause("hello")
    talk.bench.model.says("lead", at_work, "done")
    async with talk.run():
        await talk.connected()
        town.ask("hi")
        await at_work.reached.wait()
        waiting = town.bob.say(town.general, "/new")
        await wait_for_row(talk.bench, "inbox", "text = '/new'")
        if is_deleted:
            town.bob.delete(waiting)
            await wait_for_row(talk.bench, "inbox", f"key LIKE '%:{waiting.id}' AND state = 'done'")
            town.ask("what is next?", by=town.bob)
        else:
            town.bob.edit(waiting, "what is next?")
        await wait_for_row(talk.bench, "inbox", "text = 'what is next?'")
        at_work.go_on.set()
        await talk.sees(town.bob, town.general, "hello", "done")
    assert talk.bench.count("sessions") == 1
    assert "/new" not in str(talk.bench.model.seen)


async def test_words_of_a_deleted_tell_are_not_read(talk: Talk, town: Town) -> None:
    looking = Pause(reply(uses("read")))
    talk.bench.model.says("lead", delegates("researcher"), "it is found")
    talk.bench.model.says("researcher", looking, "found")
    async with talk.run():
        await talk.connected()
        town.ask("look it up")
        await looking.reached.wait()
        told = town.ann.say(town.general, "/tell 1 leave out the prices")
        await wait_for_row(talk.bench, "inbox", "text = 'leave out the prices'")
        town.ann.delete(told)
        await wait_for_row(talk.bench, "inbox", f"key LIKE '%:{told.id}' AND text = ''")
        looking.go_on.set()
        await talk.sees(town.ann, town.general, "it is found")
    assert "leave out the prices" not in str(talk.bench.model.seen)


async def test_a_question_by_ask_that_waits_is_called_off_by_stop(talk: Talk, town: Town) -> None:
    at_work = Pause("hello")
    talk.bench.model.says("lead", at_work, "done")
    async with talk.run():
        await talk.connected()
        await town.server.until(lambda: town.server.world.commands)
        town.ask("hi")
        await at_work.reached.wait()
        town.bob.command(town.general, "ask", text="never mind")
        await wait_for_row(talk.bench, "inbox", "text = 'never mind'")
        town.bob.command(town.general, "stop")
        await wait_for_row(talk.bench, "inbox", "text = 'never mind' AND state = 'done'")
        at_work.go_on.set()
        await talk.sees(town.ann, town.general, "hello")
    assert "never mind" not in str(talk.bench.model.seen)
