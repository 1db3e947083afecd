"""What the bot itself has put into others' conversations goes with a person who is forgotten."""

from bot.core.messages import OutboundKind
from bot.core.texts import people_accounts as texts
from tests.support.bench import Bench
from tests.support.fakes import Pause, reply, uses
from tests.support.forgotten_people import SECRETS, bytes_of_file, forget, talk

NOTICE, REPLY = OutboundKind.NOTICE, OutboundKind.REPLY


async def test_what_somebody_elses_search_has_found_goes(bench: Bench) -> None:
    async with bench.run():
        await talk(bench, "Ann", "hall", "walnut tree", *SECRETS[1:], group_chat="-5")
        bench.chat.hears("/new", by="Bob", chat="hall", group_chat="-5")  # Ann writes nothing in what begins here
        await bench.chat.said(NOTICE)
        pause = Pause("I know.")
        bench.model.says(
            "lead", reply(uses("conversation_search", query="tree"), uses("memory_search", query="group")), pause
        )
        bench.chat.hears("Cashew", by="Bob", chat="hall", group_chat="-5")
        await pause.reached.wait()
        assert await forget(bench) == texts.FORGET_OTHERS_AT_WORK()
        pause.go_on.set()
        assert await bench.chat.said(REPLY) == "I know."
        found = " ".join(bench.model.heard("lead"))
        assert "walnut" in found.lower()
        assert "It is a group." in found
        assert await forget(bench) == texts.FORGOTTEN()
        bench.model.says("lead", "Hello.")
        bench.chat.hears("and now?", by="Bob", chat="hall", group_chat="-5")
        assert await bench.chat.said(REPLY) == "Hello."
    after = bytes_of_file(bench.data)
    assert [word for word in (b"walnut", b"it is a group.") if word in after] == []
    assert b"cashew" in after
    assert bench.model.asked("lead")[-1].transcript[1:] == ()


async def test_what_no_search_has_found_goes_on(bench: Bench) -> None:
    async with bench.run():
        await talk(bench, "Ann", "ann", *SECRETS)
        await talk(bench, "Bob", "hall", "Cashew", "Macadamia", "Almond", group_chat="-5")
        assert await forget(bench) == texts.FORGOTTEN()
        await talk(bench, "Bob", "hall", "Peanut", "Peanut", "Peanut", group_chat="-5")
    assert bench.count("sessions", "address = 'fake:hall' AND parent IS NULL") == 1
