"""What is let in, what is set aside, and what is kept of it."""

from dataclasses import replace

from bot.core.messages import Address, MessageId, PersonId, Sender, UnreadableEvent
from bot.core.texts import people
from bot.store import inbox
from tests.support.bench import ACCESS, Bench
from tests.support.fakes import delegates, message, reply, uses
from tests.support.troubles import goes_round, listed, wait_for_row

OFFICE = Address(channel="fake", chat="office")
HALF = "\ud83d"  # of a character: what some platforms send when they cut a text


async def test_of_a_stranger_nothing_is_kept_but_the_events_id(bench: Bench) -> None:
    async with bench.run():
        for _ in range(2):
            bench.chat.hears("let me in", by="Mallory", chat="dark alley", id="e1")
        bench.chat.hears("/stop", by="Mallory", chat="dark alley", id="e2")
        await bench.chat.is_taken_in()
        await goes_round(bench)
        rows = bench.rows("SELECT * FROM inbox WHERE key LIKE 'e_'")
    assert len(rows) == 2
    assert not any(word in str(rows) for word in ("let me in", "/stop", "Mallory", "alley"))
    assert bench.model.seen == []
    assert bench.chat.sent.empty()


async def test_a_strangers_tap_answers_nothing(bench: Bench) -> None:
    bench.model.says("lead", reply(uses("ask_person", question="which?", options=["red"])), "so be it")
    async with bench.run():
        bench.chat.hears("go")
        question = (await bench.chat.part()).message.id
        bench.chat.taps(question, "red", by="Mallory")
        await bench.chat.is_taken_in()
        assert bench.rows("SELECT state FROM questions") == [("open",)]
        bench.chat.taps(question, "red")
        assert await bench.chat.said() == "so be it"


async def test_only_who_may_speak_is_told_that_something_could_not_be_read(bench: Bench) -> None:
    async with bench.run():
        for name in ("Mallory", "", "Ann"):
            event = UnreadableEvent(
                id=MessageId(f"from {name}"),
                channel="fake",
                raw_event="{}",
                parse_error="odd",
                address=Address(channel="fake", chat=f"room of {name}"),
                sender=Sender(id=PersonId(name), name="") if name else None,
            )
            bench.chat.incoming.put_nowait(event)
        assert await bench.chat.said() == people.UNREADABLE()
    assert bench.select("address", "outbox") == [("fake:room%20of%20Ann",)]


async def test_an_unreadable_message_is_set_aside_told_once_and_blocks_nothing(bench: Bench) -> None:
    event = UnreadableEvent(id=MessageId("e1"), channel="fake", raw_event='{"odd": 1}', parse_error="no text in it")
    bench.model.says("lead", "Hello Ann")
    async with bench.run(access={"fake": replace(ACCESS["fake"], owner_address=OFFICE)}):
        bench.chat.incoming.put_nowait(event)
        bench.chat.incoming.put_nowait(event)
        bench.chat.hears("hello")
        parts = [await bench.chat.part() for _ in range(2)]
        await goes_round(bench)
        [aside] = listed(bench.data, inbox.list_messages_set_aside)
    assert sorted((part.message.address.chat, part.text) for part in parts) == [
        (
            "office",
            people.SET_ASIDE(channel="fake", reason="no text in it"),
        ),
        ("room", "Hello Ann"),
    ]
    assert bench.chat.sent.empty()
    assert (aside["key"], aside["text"], aside["why"]) == ("e1", '{"odd": 1}', "no text in it")


async def test_an_event_that_cannot_be_taken_in_is_set_aside_alone(bench: Bench) -> None:
    bench.model.says("lead", "to Ann", "to Bob")
    async with bench.run(access={"fake": replace(ACCESS["fake"], owner_address=OFFICE)}):
        bench.chat.hears("hello", chat="one")
        bench.chat.hears(None, id="e1")  # type: ignore[arg-type]  # an adapter with a bug
        bench.chat.hears("an odd place", chat=HALF, id="e2")
        bench.chat.hears("hello", by="Bob", chat="two")
        said = {(part := await bench.chat.part()).message.address.chat: part.text for _ in range(4)}
        aside = listed(bench.data, inbox.list_messages_set_aside)
    assert {said["one"], said["two"]} == {"to Ann", "to Bob"}
    assert said["office"].startswith(people.SET_ASIDE.english.partition("{reason}")[0].format(channel="fake"))
    assert said["room"] == people.UNREADABLE()
    assert [(row["key"], "an odd place" in row["text"]) for row in aside] == [("e1", False), ("e2", True)]


async def test_half_a_character_loses_no_message(bench: Bench) -> None:
    bench.model.says("lead", f"Hello {HALF}Ann")
    async with bench.run():
        bench.chat.hears(f"hello {HALF}", by="Ann", reply_to="7")
        assert await bench.chat.said() == "Hello \N{REPLACEMENT CHARACTER}Ann"
    assert bench.model.heard("lead") == ["Ann: hello \N{REPLACEMENT CHARACTER}"]


async def test_half_a_character_in_a_name_loses_no_message(bench: Bench) -> None:
    asked = message("hello")
    bench.model.says("lead", "Hello")
    async with bench.run():
        bench.chat.incoming.put_nowait(replace(asked, sender=replace(asked.sender, name=f"Ann{HALF}")))
        assert await bench.chat.said() == "Hello"
    assert bench.model.heard("lead") == ["Ann\N{REPLACEMENT CHARACTER}: hello"]


async def test_half_a_character_fails_no_delegation(bench: Bench) -> None:
    [use] = delegates("researcher").content
    bench.model.says("lead", reply({**use, "input": {"role": "researcher", "task": f"look {HALF}"}}), "there")
    bench.model.says("researcher", f"found {HALF}")
    async with bench.run():
        bench.chat.hears("go")
        assert await bench.chat.said() == "there"
    assert bench.model.heard("lead") == ["found \N{REPLACEMENT CHARACTER}"]


async def test_a_tap_on_what_was_never_asked_gets_a_line(bench: Bench) -> None:
    async with bench.run():
        bench.chat.taps("t9/2/0", "red")
        assert await bench.chat.said() == people.NO_SUCH_QUESTION()
        await wait_for_row(bench, "inbox", state="done")
