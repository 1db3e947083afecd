"""Who wakes up: one reader per topic, with the names of what has changed since it last looked."""

import asyncio

import pytest

from bot.store.signals import Topic, WakeUpSignals

MAIL, TURNS = Topic("mail"), Topic("turns")


async def test_a_reader_hears_of_its_topics_and_of_no_others() -> None:
    signals = WakeUpSignals()
    with signals.listen(MAIL) as mail, signals.listen(TURNS) as turns:
        signals.wake({MAIL: {"a"}})
        signals.wake({MAIL: {"b"}, Topic("other"): {"c"}})
        async with asyncio.timeout(1):
            await mail.wait()
        assert mail.take_names_and_clear() == {MAIL: {"a", "b"}}
        assert not mail.is_set()
        assert not turns.is_set()


async def test_a_topic_has_one_reader_at_a_time() -> None:
    signals = WakeUpSignals()
    with signals.listen(MAIL), pytest.raises(RuntimeError), signals.listen(MAIL):
        pass
    with signals.listen(MAIL):
        pass
