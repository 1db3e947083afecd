"""How a message becomes an answer."""

from bot.core.messages import OutboundKind
from bot.core.model import ModelReply
from bot.core.prices import Micros
from bot.core.texts import model, people, reasons
from tests.support.bench import Bench
from tests.support.engine_options import engine_options, limits_with
from tests.support.fakes import PRICE, Pause, reply, role, uses

REPLY = OutboundKind.REPLY
A_REQUEST = 12_000  # micros: what must be left for a short prompt and the 1,024 tokens that a reply may need


async def test_a_message_is_answered(bench: Bench) -> None:
    bench.model.says("lead", "Hello Ann")
    async with bench.run():
        bench.chat.hears("hello", id="m1")
        part = await bench.chat.part()
    assert (part.text, part.message.reply_to) == ("Hello Ann", "m1")


async def test_a_message_delivered_twice_is_answered_once(bench: Bench) -> None:
    bench.model.says("lead", "one", "two")
    async with bench.run():
        bench.chat.hears("hello", id="same")
        assert await bench.chat.said() == "one"
        bench.chat.hears("hello", id="same")
        bench.chat.hears("again")
        assert await bench.chat.said() == "two"
    assert [bench.model.heard("lead", nth) for nth in (0, 1)] == [["Ann: hello"], ["Ann: again"]]


async def test_one_persons_burst_is_answered_together_and_in_turn_with_others(bench: Bench) -> None:
    pause = Pause("first")
    bench.model.says("lead", pause, "to both of Ann's", "to Bob", "to Ann's last")
    async with bench.run():
        bench.chat.hears("0", by="Bob")
        await pause.reached.wait()
        for text, person in (("1", "Ann"), ("2", "Ann"), ("3", "Bob"), ("4", "Ann")):
            bench.chat.hears(text, by=person)
        await bench.chat.is_taken_in()
        pause.go_on.set()
        said = [await bench.chat.said() for _ in range(4)]
    assert said == ["first", "to both of Ann's", "to Bob", "to Ann's last"]
    assert [bench.model.heard("lead", nth) for nth in (1, 2, 3)] == [["Ann: 1", "Ann: 2"], ["Bob: 3"], ["Ann: 4"]]


async def test_a_long_reply_is_one_message_in_several_parts(bench: Bench) -> None:
    bench.chat.length = 5
    bench.model.says("lead", "one two three")
    async with bench.run():
        bench.chat.hears("count")
        assert [await bench.chat.said() for _ in range(3)] == ["one t", "wo th", "ree"]


async def test_a_turn_that_reaches_its_limit_is_asked_once_more_without_tools(bench: Bench) -> None:
    bench.model.says("lead", reply(uses("read")), reply(uses("read")), "as far as I got")
    async with bench.run(**engine_options(turn=limits_with(iterations=2))):
        bench.chat.hears("dig")
        assert await bench.chat.said() == "as far as I got"
    assert [request.may_call_tools for request in bench.model.seen] == [True, True, False]


async def test_no_request_is_made_that_a_budget_above_it_cannot_pay(bench: Bench) -> None:
    bench.model.says("lead", "one", "two")
    async with bench.run(**engine_options(chat_day=Micros(2 * PRICE + A_REQUEST))):
        for text in ("a", "b", "c"):
            bench.chat.hears(text)
            said = await bench.chat.said()
    assert said == people.LEFT(reason=reasons.NO_MONEY["chat"](time_zone="UTC"), messages="“c”")
    assert len(bench.model.seen) == 2


async def test_a_tool_that_the_role_does_not_have_is_refused(bench: Bench) -> None:
    bench.roles["lead"] = role("lead", "read")
    bench.model.says("lead", reply(uses("change")), "I may not")
    async with bench.run():
        bench.chat.hears("change it")
        assert await bench.chat.said() == "I may not"
    assert bench.model.heard("lead") == [model.NO_SUCH_TOOL(role="lead", tool="change", tools="read")]
    assert bench.changed == []


async def test_a_bug_is_not_shown_to_people_and_does_not_stop_the_bot(bench: Bench) -> None:
    async def broken() -> ModelReply:
        raise RuntimeError("secret detail")

    bench.model.says("lead", broken, "still here")
    async with bench.run():
        bench.chat.hears("hello")
        assert "something went wrong" in await bench.chat.said()
        bench.chat.hears("hello?")
        assert await bench.chat.said() == "still here"
    assert [entry.role for entry in bench.model.seen[1].transcript] == ["user", "assistant", "user"]


async def test_new_waits_its_turn_and_begins_a_conversation(bench: Bench) -> None:
    pause = Pause("old")
    bench.model.says("lead", pause, "fresh")
    async with bench.run():
        bench.chat.hears("hello")
        await pause.reached.wait()
        bench.chat.hears("/new")
        bench.chat.hears("again")
        await bench.chat.is_taken_in()
        pause.go_on.set()
        assert [await bench.chat.said() for _ in range(3)] == ["old", people.NEW_CONVERSATION(), "fresh"]
    assert len(bench.model.seen[1].transcript) == 1
