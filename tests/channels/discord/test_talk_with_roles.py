"""People talk with roles on Discord: by reply, by the buttons of the board, and by answers to their questions."""

import pytest

from bot.core.messages import Reaction
from bot.core.texts import people
from channels import people_texts
from tests.stand_ins.discord import Fault, Message, Permission, Route
from tests.support.both_platforms import BOARD
from tests.support.discord_channel import Town
from tests.support.discord_talk import FAULTS, Talk
from tests.support.fakes import Pause, delegates, reply, uses
from tests.support.troubles import wait_for_row


@pytest.fixture
def voices(talk: Talk, town: Town) -> Town:
    """The town where the bot may manage webhooks, and a role that says something before it is done."""
    town.general.granted |= Permission.MANAGE_WEBHOOKS
    talk.bench.model.says("lead", delegates("researcher"), "so it is")
    talk.bench.model.says("researcher", reply(uses("message", text="I have found it")), "found")
    return town


@pytest.mark.parametrize("faults", FAULTS)
async def test_what_a_role_says_by_its_webhook_is_there_once_despite_faults(
    talk: Talk, voices: Town, faults: tuple[Fault, ...]
) -> None:
    async with talk.run():
        await talk.connected()
        voices.server.faults.on(Route.EXECUTE, *faults)
        voices.ask("why?")
        await talk.sees(voices.ann, voices.general, "so it is")
    (name, text), answer = heard_but_boards(voices)
    assert (text, answer) == ("[Researcher]: I have found it", ("Retinue", "so it is"))
    assert name == ("Researcher" if voices.server.to(Route.EXECUTE)[0].had_effect else "Retinue")


async def test_a_bot_killed_while_a_role_speaks_repeats_nothing(talk: Talk, voices: Town) -> None:
    voices.server.faults.on(Route.EXECUTE, Fault.BLACK_HOLE_AFTER)
    async with talk.run():
        await talk.connected()
        voices.ask("why?")
        await voices.server.until(lambda: voices.server.to(Route.EXECUTE))
        talk.bench.crashes()
    assert talk.bench.rows("SELECT state FROM outbox WHERE role = 'researcher'") == [("sending",)]
    async with talk.run():
        await talk.sees(voices.ann, voices.general, "so it is")
    assert heard_but_boards(voices) == [("Researcher", "[Researcher]: I have found it"), ("Retinue", "so it is")]
    assert len(voices.server.to(Route.EXECUTE)) == 1


async def test_a_bot_killed_when_it_has_made_a_webhook_speaks_by_it_once(talk: Talk, voices: Town) -> None:
    voices.server.faults.on(Route.CREATE_WEBHOOK, Fault.BLACK_HOLE_AFTER)
    async with talk.run():
        await talk.connected()
        voices.ask("why?")
        await voices.server.until(lambda: bool(voices.server.webhooks(voices.general)))
        talk.bench.crashes()
    async with talk.run():
        await talk.sees(voices.ann, voices.general, "so it is")
    assert heard_but_boards(voices) == [("Researcher", "[Researcher]: I have found it"), ("Retinue", "so it is")]
    assert len(voices.server.webhooks(voices.general)) == len(voices.server.to(Route.CREATE_WEBHOOK)) == 1


async def test_a_reply_to_a_roles_question_answers_it(talk: Talk, town: Town) -> None:
    town.general.granted |= Permission.MANAGE_WEBHOOKS
    talk.bench.model.says("lead", delegates("researcher"), "so it is")
    talk.bench.model.says("researcher", reply(uses("ask_person", question="Which?", options=["red", "blue"])), "found")
    async with talk.run():
        await talk.connected()
        town.ask("why?")
        await town.server.until(lambda: any("Which?" in text for _, text in town.server.heard_voices(town.general)))
        [asked] = [one for one in town.general.messages if one.author_name == "Researcher"]
        assert [button["label"] for button in asked.buttons] == ["red", "blue"]
        await talk.shown("Which?")
        town.ann.say(town.general, "blue, I think", reply_to=asked)
        await talk.sees(town.ann, town.general, "so it is")
    assert talk.bench.rows("SELECT answer FROM questions") == [("blue, I think",)]


@pytest.mark.parametrize("may_react", [True, False])
async def test_a_reply_to_what_a_role_said_by_its_webhook_reaches_it_despite_a_kill(
    talk: Talk, town: Town, *, may_react: bool
) -> None:
    town.general.granted |= Permission.MANAGE_WEBHOOKS
    if not may_react:
        town.general.denied |= Permission.ADD_REACTIONS
    reads_next = people.ROLE_READS_NEXT(number=1, role="Researcher")
    at_work = Pause()
    talk.bench.model.says("lead", delegates("researcher"))
    talk.bench.model.says("researcher", reply(uses("message", text="I look")), at_work)
    async with talk.run():
        await talk.connected()
        town.ask("why?")
        await at_work.reached.wait()
        await talk.shown("I look")
        [posted] = [one for one in town.general.messages if one.author_name == "Researcher"]
        written = town.ann.say(town.general, "without prices", reply_to=posted)
        if may_react:
            await town.server.until(lambda: bool(written.reactions))
        else:
            await talk.sees(town.ann, town.general, reads_next)
        talk.bench.crashes()
    talk.bench.model.says("researcher", reply(uses("read")), "found")
    talk.bench.model.says("lead", "so it is")
    async with talk.run():
        await talk.sees(town.ann, town.general, "so it is")
    assert "without prices" in talk.bench.model.heard("researcher")[-1]
    assert written.reactions == ({Reaction.READS_NEXT: [town.server.world.bot]} if may_react else {})
    assert [text for _, text in heard_but_boards(town)].count(reads_next) == (not may_react)


async def test_a_role_that_has_ended_answers_a_reply_itself_despite_a_kill(talk: Talk, town: Town) -> None:
    town.general.granted |= Permission.MANAGE_WEBHOOKS
    at_work = Pause()
    talk.bench.model.says("lead", delegates("researcher"), "so it is")
    talk.bench.model.says("researcher", reply(uses("message", text="I look")), "found", at_work)
    async with talk.run():
        await talk.connected()
        town.ask("why?")
        await talk.sees(town.ann, town.general, "so it is")
        await talk.shown("I look")
        [posted] = [one for one in town.general.messages if one.author_name == "Researcher"]
        written = town.ann.say(town.general, "and in winter?", reply_to=posted)
        await town.server.until(lambda: bool(written.reactions))
        await at_work.reached.wait()
        talk.bench.crashes()
    talk.bench.model.says("researcher", "colder")
    async with talk.run():
        await talk.sees(town.ann, town.general, "[Researcher]: colder")
    assert list(written.reactions) == [Reaction.TAKES_UP]
    [answer] = [one for one in town.ann.sees(town.general) if "colder" in one.text]
    assert answer.message.reply_to is written
    assert answer.rings


async def test_the_buttons_of_a_board_outlive_a_kill(talk: Talk, town: Town) -> None:
    one, other = Pause(), Pause()
    talk.bench.model.says("lead", delegates("researcher", "analyst"))
    talk.bench.model.says("researcher", one)
    talk.bench.model.says("analyst", other)
    async with talk.run():
        await talk.connected()
        town.ask("why?")
        await one.reached.wait()
        await other.reached.wait()
        await town.server.until(lambda: bool(board_labels(town)))
        assert board_labels(town) == ["⏹ 1", "⏹ 2", people_texts.STOP_ALL(), "details 1", "details 2"]
        town.ann.tap(*board_button(town, "details 2"))
        await talk.sees(town.ann, town.general, "#2 Analyst, working")
        [log] = [each for each in town.ann.sees(town.general) if each.text.startswith("#2 Analyst, working")]
        assert log.is_only_for_me
        talk.bench.crashes()
    one, other = Pause(), Pause("weighed")
    talk.bench.model.says("researcher", one)
    talk.bench.model.says("analyst", other)
    talk.bench.model.says("lead", "only half is found")
    async with talk.run():
        await talk.connected()
        await one.reached.wait()
        town.ann.tap(*board_button(town, "⏹ 1"))
        await wait_for_row(talk.bench, "turns", "number = 1 AND status = 'cancelled'")
        other.go_on.set()
        await talk.sees(town.ann, town.general, "only half is found", "2 roles · ")
        await town.server.until(lambda: board_labels(town) == ["details 1", "details 2"])


def board_labels(town: Town) -> list[str]:
    return [button["label"] for message in town.server.said(town.general) for button in message.buttons]


def board_button(town: Town, label: str) -> tuple[Message, str]:
    """Return the board, and the id of its button with this label."""
    there = [(message, button) for message in town.server.said(town.general) for button in message.buttons]
    [(message, button)] = [each for each in there if each[1]["label"] == label]
    return message, button["custom_id"]


def heard_but_boards(town: Town) -> list[tuple[str, str]]:
    """What the bot and its roles have said, without the board."""
    heard = town.server.heard_voices(town.general)
    return [(name, text) for name, text in heard if not BOARD.match(text)]
