"""Chapters: what one conversation is sent as, and how the next stretch of it begins with a summary of the last."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from bot.core.content_blocks import content_text, text_block
from bot.core.messages import RoleName
from bot.core.model import ModelReply, ModelRequest, ShowTextCallback, StopReason
from bot.core.prices import Micros, Usage
from bot.core.role import LEAD_ROLE_NAME, Role
from bot.core.texts import model, people
from tests.support.bench import Bench
from tests.support.engine_options import DELEGATION_LIMITS, engine_options, limits_with
from tests.support.fakes import Pause, delegates, failing, last_text, reply, uses, without_time

SMALL = engine_options(
    model__lead="some/local-model", model__context_tokens=8_000
)  # a chapter is too long above 5,600 tokens
NEW_LEAD = Role(name=RoleName("lead"), prompt="new lead", tools=frozenset({"read"}), limits=DELEGATION_LIMITS)
LONG = reply(text_block("a long answer"), usage=Usage(input=5_500, output=200))


@dataclass
class Today:
    """What time it is, as the test says."""

    now: datetime = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def first_texts(request: ModelRequest) -> list[str]:
    return [without_time(block["text"]) for block in request.transcript[0].content]


def surroundings(at: datetime, person: str = "Ann", chat: str = "room") -> str:
    here = model.CHAT(channel="fake", chat=chat, person=person)
    times = f"{model.TIMES(zone='UTC')}\n{model.ZONE_NOT_KNOWN(person=person)}"
    return model.SURROUNDINGS(facts=f"{model.TODAY_IN_ZONE(day=at.date(), time_zone='UTC')}\n{here}\n{times}")


async def test_a_changed_role_ends_the_chapter_with_a_summary_by_the_old_role(bench: Bench) -> None:
    today = Today()
    bench.model.says("lead", "noted", "Ann likes tea")
    async with bench.run(now=today):
        bench.chat.hears("I like tea")
        assert await bench.chat.said() == "noted"
    bench.roles[LEAD_ROLE_NAME] = NEW_LEAD
    bench.model.says("new lead", "tea, of course", "and again")
    async with bench.run(now=today):
        bench.chat.hears("what do I like?")
        assert await bench.chat.said() == "tea, of course"
        bench.chat.hears("sure?")
        assert await bench.chat.said() == "and again"
    old, summary, new, _ = bench.model.seen
    assert (summary.prefix, summary.may_call_tools) == (old.prefix, True)
    assert list(summary.transcript[: len(old.transcript)]) == list(old.transcript)
    assert last_text(summary) == model.SUMMARISE
    assert first_texts(new) == [
        surroundings(today.now),
        model.SUMMARY(summary="Ann likes tea"),
        "Ann: what do I like?",
    ]
    assert (len(new.transcript), new.prefix.system, new.may_call_tools) == (1, "new lead", True)
    assert len({request.chapter_name for request in bench.model.seen}) == 2


async def test_a_chapter_that_is_too_long_is_summarised_before_the_next_turn(bench: Bench) -> None:
    bench.model.says("lead", LONG, "the gist of it", "short again")
    async with bench.run(**SMALL):
        bench.chat.hears("tell me all")
        assert await bench.chat.said() == "a long answer"
        bench.chat.hears("and?")
        assert await bench.chat.said() == "short again"
    assert [last_text(request) == model.SUMMARISE for request in bench.model.seen] == [False, True, False]
    assert "the gist of it" in first_texts(bench.model.seen[2])[1]
    assert bench.rows("SELECT steps, status FROM turns") == [(1, "completed")] * 2  # a summary is no step


async def test_a_summary_is_paid_for_by_the_turn_that_needs_it(bench: Bench) -> None:
    bench.model.says("lead", "noted", "a summary")
    bench.model.says("new lead", "here")
    async with bench.run():
        bench.chat.hears("hello")
        await bench.chat.said()
    bench.roles[LEAD_ROLE_NAME] = NEW_LEAD
    async with bench.run():
        bench.chat.hears("again")
        await bench.chat.said()
    assert bench.select("cost, reserved", "turns", order="rowid") == [(3_000, 0), (6_000, 0)]


async def test_a_summary_that_fails_is_replaced_by_the_last_words_of_the_chapter(bench: Bench) -> None:
    bench.model.says("lead", LONG, failing, "here", "and here")
    async with bench.run(**SMALL):
        bench.chat.hears("tell me all")
        assert await bench.chat.said() == "a long answer"
        bench.chat.hears("and?")
        assert await bench.chat.said() == "here"
        bench.chat.hears("and now?")
        assert await bench.chat.said() == "and here"
    tail = first_texts(bench.model.seen[2])[1]
    before, _, after = model.END_WITHOUT_SUMMARY.partition("{end}")
    assert tail.startswith(before)
    assert "Ann: tell me all" in tail
    assert tail.endswith(f"\n\nassistant: a long answer{after}")
    assert model.SUMMARISE not in tail


async def test_a_summary_is_shown_to_nobody(bench: Bench) -> None:
    async def summary(request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        show("the secret gist")
        return reply(text_block("the secret gist"))

    bench.model.says("lead", LONG, summary, "short again")
    async with bench.run(**SMALL):
        bench.chat.hears("tell me all")
        assert await bench.chat.said() == "a long answer"
        bench.chat.hears("and?")
        assert await bench.chat.said() == "short again"
    assert not any(bench.chat.drafts.get_nowait().text for _ in range(bench.chat.drafts.qsize()))
    assert bench.select("text", "outbox", "text LIKE '%secret%'") == []


async def test_a_summary_that_a_stop_cut_off_is_made_by_the_next_turn(bench: Bench) -> None:
    pause = Pause()
    bench.model.says("lead", "noted", pause, "a summary", "as before")
    async with bench.run():
        bench.chat.hears("hello")
        await bench.chat.said()
    bench.roles[LEAD_ROLE_NAME], before = NEW_LEAD, bench.roles[LEAD_ROLE_NAME]
    async with bench.run():
        bench.chat.hears("again")
        await pause.reached.wait()
        bench.chat.hears("/stop")
        assert await bench.chat.said() == people.STOPPED(messages="“again”")
    bench.roles[LEAD_ROLE_NAME] = before  # the operator takes the change back
    async with bench.run():
        bench.chat.hears("and now?")
        assert await bench.chat.said() == "as before"
    assert [last_text(request) == model.SUMMARISE for request in bench.model.seen] == [False, True, True, False]
    assert "a summary" in first_texts(bench.model.seen[-1])[1]


async def test_every_request_extends_the_one_before_in_its_chapter(bench: Bench) -> None:
    bench.model.says("lead", reply(uses("read")), "one", delegates("researcher"), LONG, "the gist", "two", "three")
    bench.model.says("researcher", reply(uses("read")), reply(uses("message", text="hi")), "found")
    async with bench.run(**SMALL):
        for text in ("a", "b", "c", "d"):
            bench.chat.hears(text)
            await bench.chat.said()
    chapters = {request.chapter_name for request in bench.model.seen}
    assert len(chapters) == 3
    for chapter in chapters:
        requests = [request for request in bench.model.seen if request.chapter_name == chapter]
        for before, after in pairwise(requests):
            assert after.prefix == before.prefix
            assert list(after.transcript[: len(before.transcript)]) == list(before.transcript)
            assert len(after.transcript) > len(before.transcript)


async def test_two_people_share_the_prefix_and_differ_from_the_first_message_on(bench: Bench) -> None:
    today = Today()
    bench.model.says("lead", "to Ann", "to Bob")
    async with bench.run(now=today):
        bench.chat.hears("hello", chat="one")
        await bench.chat.said()
        bench.chat.hears("hello", by="Bob", chat="two")
        await bench.chat.said()
    ann, bob = bench.model.seen
    assert ann.prefix.canonical_json == bob.prefix.canonical_json
    assert [tool["name"] for tool in ann.prefix.tools] == sorted(tool["name"] for tool in ann.prefix.tools)
    assert first_texts(ann) == [surroundings(today.now, "Ann", "one"), "Ann: hello"]
    assert first_texts(bob) == [surroundings(today.now, "Bob", "two"), "Bob: hello"]


# The date


async def test_a_new_day_is_told_once_after_what_the_person_says(bench: Bench) -> None:
    today = Today()
    bench.model.says("lead", "one", "two", "three", "four")
    async with bench.run(now=today):
        for text in ("a", "b", "c", "d"):
            bench.chat.hears(text)
            await bench.chat.said()
            today.now += timedelta(hours=10)
    roles = [entry.role for entry in bench.model.seen[-1].transcript]
    user, assistant, system = "user", "assistant", "system"
    assert roles == [user, assistant, user, system, assistant, user, assistant, user, system]
    told = [content_text(entry.content) for entry in bench.model.seen[-1].transcript if entry.role == system]
    assert told == ["Today is Monday 2026-03-02.", "Today is Tuesday 2026-03-03."]


async def test_a_day_that_begins_in_mid_turn_is_told_in_the_notices_entry(bench: Bench) -> None:
    today = Today()

    async def past_midnight() -> ModelReply:
        today.now += timedelta(hours=1)
        return reply(uses("read"), stop=StopReason.CALLS)

    bench.model.says("lead", past_midnight, "done")
    async with bench.run(now=today, **engine_options(turn=limits_with(iterations=1))):
        bench.chat.hears("go")
        await bench.chat.said()
    assert (
        content_text(bench.model.seen[-1].transcript[-2].content)
        == f"Today is Monday 2026-03-02.\n{model.NEARLY_USED_UP}"
    )


async def test_the_day_is_the_operators(bench: Bench) -> None:
    today = Today()
    bench.model.says("lead", "one")
    async with bench.run(now=today, **engine_options(operator_time_zone=ZoneInfo("Asia/Tokyo"))):
        bench.chat.hears("hello")
        await bench.chat.said()
    assert "Today is Monday 2026-03-02 (Asia/Tokyo)." in first_texts(bench.model.seen[0])[0]
    assert bench.rows("SELECT DISTINCT day FROM spending") == [("2026-03-02",)]


async def test_a_turn_that_fails_after_a_summary_does_not_show_it_to_the_person(bench: Bench) -> None:
    bench.model.says("lead", LONG, "the gist of it", reply(text_block("I look"), uses("read")), failing)
    async with bench.run(**SMALL):
        bench.chat.hears("tell me all")
        assert await bench.chat.said() == "a long answer"
        bench.chat.hears("and?")
        assert await bench.chat.said() == people.NOT_FINISHED(reason="the model is not there", messages="“and?”")


@pytest.mark.parametrize("tokens", [120_000, 170_000, 240_000])
async def test_a_chapter_too_dear_for_the_usual_summary_holds_up_nobody(bench: Bench, tokens: int) -> None:
    long = Usage(input=500, cache_write_1h=tokens, output=200)
    bench.model.says("lead", reply(text_block("it says so"), usage=long))
    async with bench.run(**engine_options(model__lead="claude-sonnet-5-5")):
        bench.chat.hears("read it")
        assert await bench.chat.said() == "it says so"
        bench.model.says("lead", "a summary, or the answer", "the answer")
        bench.chat.hears("and page 3?")
        assert (await bench.chat.said()).endswith("the answer")
    assert bench.rows("SELECT DISTINCT status FROM turns") == [("completed",)]


async def test_a_summary_that_the_turn_cannot_pay_for_is_done_without(bench: Bench) -> None:
    long = Usage(input=500, cache_write_1h=170_000, output=200)
    bench.model.says("lead", reply(text_block("it says so"), usage=long), "the answer")
    settings = engine_options(model__lead="claude-sonnet-5-5", turn=limits_with(cost=Micros(300_000)))
    async with bench.run(**settings):
        for text, answer in (("read it", "it says so"), ("and page 3?", "the answer")):
            bench.chat.hears(text)
            assert (await bench.chat.said()).startswith(answer)
    assert model.SUMMARISE not in [last_text(request) for request in bench.model.seen]
    assert len({request.chapter_name for request in bench.model.seen}) == 2


async def test_a_chapter_too_dear_for_more_than_last_words_is_summarised(bench: Bench) -> None:
    bench.model.says("lead", reply(text_block("it says so"), usage=Usage(input=500, cache_write_1h=85_000, output=200)))
    bench.model.says("lead", "a summary", reply(uses("read")), "the answer")
    async with bench.run(**engine_options(model__lead="claude-opus-5-5")):
        for text, answer in (("read it", "it says so"), ("and page 3?", "the answer")):
            bench.chat.hears(text)
            assert await bench.chat.said() == answer
    assert [last_text(request) == model.SUMMARISE for request in bench.model.asked("lead")] == [
        False,
        True,
        False,
        False,
    ]
