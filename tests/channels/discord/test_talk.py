"""The whole bot on Discord, end to end over sockets, with the scripted model: what people there see."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager

import pytest

from bot.core import phrases
from bot.core.access import Access
from bot.core.content_blocks import text_block
from bot.core.messages import PersonId, Reaction
from bot.core.model import ModelReply, ModelRequest, ShowTextCallback
from bot.core.rights import EVERY_RIGHT
from bot.core.texts import people
from bot.engine.commands import COMMAND_HANDLERS, NEW_CHAT_COMMAND
from channels import people_texts
from channels.discord import operator_texts
from tests.stand_ins.discord import Channel, Drop, Fault, Flag, Message, Permission, Person, Route, pointed_at
from tests.support.bench import Bench
from tests.support.both_platforms import BOARD
from tests.support.discord_channel import Town, channel_of, private, settled
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause, delegates, last_text, reply, uses
from tests.support.patience import PATIENCE
from tests.support.troubles import wait_for_row

QUICK = engine_options(draft_delay_seconds=0.05, draft_edit_seconds=(0.05,), delivery_retry_seconds=0.01)


class Talk:
    """The bot in the town: Ann owns it, and at home everybody may speak."""

    def __init__(self, bench: Bench, town: Town) -> None:
        self.bench = bench
        self.town = town
        home = frozenset({str(town.home.id)})
        owner = PersonId(str(town.ann.id))
        self.access = {
            "discord": Access(
                owner_id=owner, owner_address=private(town.ann), allowed_ids=home, others_rights=EVERY_RIGHT
            )
        }

    def run(self) -> AbstractAsyncContextManager[object]:
        self.bench.chat = channel_of(self.town.server)  # type: ignore[assignment]  # a real one
        return self.bench.run(access=self.access, **QUICK)

    async def connected(self) -> None:
        gateway = self.town.server.gateway
        await self.town.server.until(lambda: any(each.session for each in gateway.connections))

    async def said(self, key: str) -> str:
        """What the bot says under a key of the outbox (a pattern of SQL), once it says something there."""
        found: list[tuple[str]] = []
        async with asyncio.timeout(PATIENCE):
            while not found:
                found = self.bench.rows("SELECT text FROM outbox WHERE key LIKE ?", key)
                await asyncio.sleep(0.01)
        return found[0][0]

    async def shown(self, text: str) -> None:
        """Wait until the rows say that a message with this text is shown."""
        async with asyncio.timeout(PATIENCE):
            while not self.bench.count("outbox", f"state = 'sent' AND text LIKE '%{text}%'"):  # noqa: ASYNC110 -- rows
                await asyncio.sleep(0.01)

    async def sees(self, person: Person, channel: Channel, *texts: str) -> list[str]:
        """What the bot has said, as that person sees it, once all of these are there."""

        def there() -> list[str]:
            return [one.text for one in person.sees(channel) if one.author == "Retinue"]

        try:
            await self.town.server.until(lambda: all(any(text in each for each in there()) for text in texts), 5)
        except TimeoutError:
            raise AssertionError(f"{texts} did not come; there is {there()}") from None
        return there()


@pytest.fixture
async def talk(bench: Bench) -> AsyncIterator[Talk]:
    async with settled() as town:
        with pointed_at(town.server):
            yield Talk(bench, town)


@pytest.fixture
def town(talk: Talk) -> Town:
    return talk.town


async def echo(request: ModelRequest, show: ShowTextCallback) -> ModelReply:
    """A step of a script that says what it heard."""
    await asyncio.sleep(0)
    heard = last_text(request).split(": ")[-1]  # without the name of who speaks
    return reply(text_block(f"you said: {heard}"))


def of_bot(town: Town, channel: Channel, text: str) -> Message:
    [found] = [one for one in town.server.said(channel) if one.text == text]
    return found


async def test_two_roles_work_side_by_side_and_one_answer_rings_for_who_asked(talk: Talk, town: Town) -> None:
    both = asyncio.Barrier(2)

    async def meets() -> ModelReply:
        await both.wait()
        return reply(uses("message", text="at it"))

    talk.bench.model.says("lead", delegates("researcher", "analyst"), "it is **so**")
    talk.bench.model.says("researcher", meets, "found")
    talk.bench.model.says("analyst", meets, "counted")
    async with talk.run():
        await talk.connected()
        asked = town.ask("why?")
        said = await talk.sees(town.ann, town.general, "it is **so**")
    assert sorted(text for text in said if text.endswith("at it")) == ["[Analyst]: at it", "[Researcher]: at it"]
    assert said[-1] == "it is **so**"
    answer = of_bot(town, town.general, "it is **so**")
    assert (answer.reply_to, answer.mentions) == (asked, [town.ann])
    assert town.has_said(town.ann.private()) == []
    assert town.general.typing, "it was seen to be at work"
    town.server.verify()


async def test_questions_from_many_places_are_answered_where_they_were_asked(talk: Talk, town: Town) -> None:
    places = [town.general, town.server.thread(town.general, "a thread"), town.server.channel(town.home, "other")]
    talk.bench.model.says("lead", *[echo] * 4)
    async with talk.run():
        await talk.connected()
        for number, place in enumerate(places):
            town.ask(f"this in {number}", town.bob, place)
        town.ann.say(town.ann.private(), "this in private")
        for number, place in enumerate(places):
            assert len(await talk.sees(town.bob, place, f"you said: this in {number}")) == 1
        assert len(await talk.sees(town.ann, town.ann.private(), "you said: this in private")) == 1


async def test_only_the_asked_persons_button_answers_a_question(talk: Talk, town: Town) -> None:
    asks = uses("ask_person", question="Which?", options=["red", "blue"])
    talk.bench.model.says("lead", reply(asks), "so be it")
    async with talk.run():
        await talk.connected()
        town.ask("paint it", town.bob)
        await talk.sees(town.bob, town.general, "Which?")
        asked = of_bot(town, town.general, "Which?\n\n1. red\n2. blue")
        town.ann.tap(asked, asked.buttons[0]["custom_id"])
        refused = await talk.said("%:told")
        await talk.sees(town.ann, town.general, refused)
        assert talk.bench.rows("SELECT answer FROM questions") == [(None,)]
        town.bob.tap(asked, asked.buttons[1]["custom_id"])
        said = await talk.sees(town.bob, town.general, "so be it")
    assert talk.bench.model.heard("lead")[-1:] == ["blue"]
    assert refused not in said, "only Ann was told"


async def test_a_slash_command_is_answered_for_its_person_alone(talk: Talk, town: Town) -> None:
    pause = Pause()
    talk.bench.model.says("lead", pause)
    async with talk.run():
        await talk.connected()
        await town.server.until(lambda: town.server.world.commands)
        town.ask("something long", town.bob)
        await pause.reached.wait()
        town.bob.command(town.general, "status")
        status = await talk.said("%:done")
        assert await talk.sees(town.bob, town.general, status) == [status]
        assert "Bob" in status
        assert "“something long”" in status
        assert await talk.sees(town.ann, town.general) == []
        town.bob.command(town.general, "stop")
        await talk.sees(town.ann, town.general, "Stopped: “something long”")


@pytest.mark.parametrize("name", [name.removeprefix("/") for name in (*COMMAND_HANDLERS, NEW_CHAT_COMMAND)])
async def test_every_slash_command_ends_and_only_its_person_sees_how(talk: Talk, town: Town, name: str) -> None:
    pause = Pause()
    talk.bench.model.says("lead", pause)
    async with talk.run():
        await talk.connected()
        await town.server.until(lambda: town.server.world.commands)
        town.ask("something long", town.bob)
        await pause.reached.wait()
        given = town.ann.command(town.general, name)
        await town.server.until(lambda: given.original and Flag.LOADING not in given.original.flags)
        assert given.original
        assert given.original.text
        if name != "stop":  # the end of what it stops is told to all
            assert await talk.sees(town.bob, town.general) == [], "nobody else reads it"


async def test_only_the_person_who_asked_hears_of_a_new_conversation(talk: Talk, town: Town) -> None:
    async with talk.run():
        await talk.connected()
        await town.server.until(lambda: town.server.world.commands)
        town.ann.command(town.general, "new")
        await talk.sees(town.ann, town.general, people.NEW_CONVERSATION)
        assert await talk.sees(town.bob, town.general) == []


async def test_after_a_tap_everybody_sees_the_choice_and_the_chooser(talk: Talk, town: Town) -> None:
    asks = uses("ask_person", question="Which?", options=["red", "blue"])
    talk.bench.model.says("lead", reply(asks), "so be it")
    async with talk.run():
        await talk.connected()
        town.ask("paint it", town.bob)
        await talk.sees(town.bob, town.general, "Which?")
        asked = of_bot(town, town.general, "Which?\n\n1. red\n2. blue")
        tapped = town.bob.tap(asked, asked.buttons[1]["custom_id"])
        await talk.sees(town.ann, town.general, phrases.option_chosen_text("blue", "Bob"))
        await town.server.until(lambda: tapped.answered)
    assert not asked.buttons


async def test_messages_sent_while_the_bot_was_away_are_answered_in_order(talk: Talk, town: Town) -> None:
    talk.bench.model.says("lead", *[echo] * 4)
    async with talk.run():
        await talk.connected()
        town.ask("hello", town.bob)
        await talk.sees(town.bob, town.general, "you said: hello")
    for number in range(3):
        town.ask(f"missed {number}", [town.ann, town.bob][number % 2])
    async with talk.run():
        said = await talk.sees(town.bob, town.general, "you said: missed 2")
    answers = [text for text in said if text.startswith("you said")]
    assert answers == ["you said: hello", *(f"you said: missed {number}" for number in range(3))]


async def test_one_event_that_cannot_be_read_is_told_and_holds_up_nothing(talk: Talk, town: Town) -> None:
    talk.bench.model.says("lead", echo)
    async with talk.run():
        await talk.connected()
        town.server.drops.at("MESSAGE_CREATE", Drop.MALFORMED)
        town.ask("bad", town.bob)
        town.ask("good", town.bob)
        await talk.sees(town.bob, town.general, "you said: good", await talk.said("%:sorry"))
        await talk.sees(town.ann, town.ann.private(), await talk.said("aside:%"))


FAULTS = [
    (Fault.RESET_BEFORE,),
    (Fault.RESET_AFTER, Fault.RESET_AFTER),
    (Fault.CLOSED_AFTER,),
    (Fault.HALF_ANSWER,),
    (Fault.NOT_JSON,),
    (Fault.UNAVAILABLE, Fault.UNAVAILABLE, Fault.UNAVAILABLE),
    (Fault.BLACK_HOLE_BEFORE,),
    (Fault.BLACK_HOLE_AFTER,),
]


@pytest.mark.parametrize("faults", FAULTS)
async def test_an_answer_arrives_once_despite_faults_on_the_way(
    talk: Talk, town: Town, faults: tuple[Fault, ...]
) -> None:
    talk.bench.model.says("lead", "the answer", "and another")
    async with talk.run():
        await talk.connected()
        town.server.faults.on(Route.SEND, *faults)
        town.ask("well?", town.bob)
        await talk.sees(town.bob, town.general, "the answer")
        town.ask("and?", town.bob)
        said = await talk.sees(town.bob, town.general, "and another")
    assert said == ["the answer", "and another"]


async def test_the_owner_hears_how_to_mend_a_channel_that_forbids_writing(talk: Talk, town: Town) -> None:
    talk.bench.model.says("lead", "the answer")
    async with talk.run():
        await talk.connected()
        town.general.denied |= Permission.SEND_MESSAGES
        town.ask("well?", town.bob)
        await talk.sees(town.ann, town.ann.private(), operator_texts.MAY_NOT_SEND)
    assert town.has_said() == []


async def test_a_draft_grows_in_private_until_the_answer_takes_its_place(talk: Talk, town: Town) -> None:
    is_seen = asyncio.Event()

    async def slowly(request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        text = "Half an answer"
        while not is_seen.is_set():
            show(text)
            await asyncio.sleep(0.02)
        return reply(text_block(f"{text}, and the rest"))

    talk.bench.model.says("lead", slowly)
    async with talk.run():
        await talk.connected()
        town.ann.say(town.ann.private(), "go")
        await talk.sees(town.ann, town.ann.private(), "Half an answer")
        is_seen.set()
        await talk.sees(town.ann, town.ann.private(), "and the rest")
        await town.server.until(lambda: len(town.ann.sees(town.ann.private())) == 2)
        assert await talk.sees(town.ann, town.ann.private(), "and") == ["Half an answer, and the rest"]


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
    assert heard_but_boards(voices) == [("Researcher", "[Researcher]: I have found it"), ("Retinue", "so it is")]


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
        await town.server.until(lambda: bool(board_labels(town)))
        assert board_labels(town) == ["⏹ 1", "⏹ 2", people_texts.STOP_ALL, "details 1", "details 2"]
        town.ann.tap(*board_button(town, "details 2"))
        await talk.sees(town.ann, town.general, "2. Analyst, working")
        [log] = [each for each in town.ann.sees(town.general) if each.text.startswith("2. Analyst, working")]
        assert log.is_only_for_me
        await one.reached.wait()
        await other.reached.wait()
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
