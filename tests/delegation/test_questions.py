"""Questions to people: who may answer, what counts as an answer, and when a question ends without one."""

from bot.core.messages import OutboundKind, PlatformId
from bot.core.texts import model, people
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause, delegates, reply, uses

REPLY, QUESTION, NOTICE = OutboundKind.REPLY, OutboundKind.QUESTION, OutboundKind.NOTICE


async def test_a_question_is_answered_by_the_person_asked_and_once(bench: Bench) -> None:
    bench.model.says("lead", delegates("analyst"), "so be it")
    bench.model.says("analyst", reply(uses("ask_person", question="which?", options=["red", "blue"])), "red then")
    async with bench.run():
        bench.chat.hears("go")
        question = (await bench.chat.part(QUESTION)).message.id
        bench.chat.taps(question, "blue", by="Bob")
        assert await bench.chat.said(NOTICE) == people.QUESTION_FOR_ANOTHER()
        bench.chat.taps(question, "red")
        assert await bench.chat.said(REPLY) == "so be it"
        bench.chat.taps(question, "blue")
        assert await bench.chat.said(NOTICE) == people.QUESTION_CLOSED()
    assert bench.model.heard("analyst") == ["red"]


async def test_words_that_name_an_option_are_an_answer(bench: Bench) -> None:
    bench.model.says("lead", delegates("analyst"), "so be it")
    bench.model.says("analyst", reply(uses("ask_person", question="which?", options=["red", "blue"])), "blue then")
    async with bench.run():
        bench.chat.hears("go")
        await bench.chat.part(QUESTION)
        bench.chat.hears("Blue")
        assert await bench.chat.said(REPLY) == "so be it"
    assert bench.model.heard("analyst") == ["blue"]


async def test_a_number_alone_is_for_the_lead_and_in_a_reply_for_the_role(bench: Bench) -> None:
    bench.model.says("lead", delegates("analyst"), "two of what?", "so be it")
    bench.model.says("analyst", reply(uses("ask_person", question="which?", options=["red", "blue"])), "blue then")
    async with bench.run():
        bench.chat.hears("go")
        await bench.chat.part(QUESTION)
        bench.chat.hears("2")
        assert await bench.chat.said(REPLY) == "two of what?"
        [(asked,)] = bench.rows("SELECT json_extract(platform_ids, '$[0]') FROM outbox WHERE kind = 'question'")
        bench.chat.hears("2", reply_to=PlatformId(asked))
        assert await bench.chat.said(REPLY) == "so be it"
    assert bench.model.heard("analyst") == ["blue"]


async def test_a_picture_without_words_is_an_answer_that_names_it(bench: Bench) -> None:
    bench.model.says("lead", reply(uses("ask_person", question="How does it look?")), "seen")
    async with bench.run():
        bench.chat.hears("go")
        await bench.chat.part(OutboundKind.QUESTION)
        bench.chat.hears("", attachments=("a photo",))
        assert await bench.chat.said(OutboundKind.REPLY) == "seen"
    assert bench.model.heard("lead")[-1] == "a photo"


async def test_a_number_answers_what_the_lead_has_asked(bench: Bench) -> None:
    bench.model.says("lead", reply(uses("ask_person", question="which?", options=["red", "blue"])), "so be it")
    async with bench.run():
        bench.chat.hears("go")
        await bench.chat.part(QUESTION)
        bench.chat.hears("2")
        assert await bench.chat.said(REPLY) == "so be it"
    assert bench.model.heard("lead") == ["blue"]


async def test_other_words_end_the_wait_when_nothing_else_is_at_work(bench: Bench) -> None:
    bench.model.says("lead", delegates("analyst"), "never mind, then", "to Ann")
    bench.model.says("analyst", reply(uses("ask_person", question="which?", options=["red"])), "unanswered")
    async with bench.run(**engine_options(busy="queue")):
        bench.chat.hears("go")
        await bench.chat.part(QUESTION)
        bench.chat.hears("what is taking so long?")
        assert await bench.chat.said(REPLY) == "never mind, then"
    assert bench.model.heard("analyst") == [model.WROTE_INSTEAD(text="what is taking so long?")]


async def test_words_written_beside_a_working_sibling_end_the_wait_after_it(bench: Bench) -> None:
    pause = Pause("found")
    bench.model.says("lead", delegates("analyst", "researcher"), "never mind, then", "to Ann")
    bench.model.says("analyst", reply(uses("ask_person", question="which?", options=["red"])), "unanswered")
    bench.model.says("researcher", pause)
    async with bench.run(**engine_options(busy="queue")):
        bench.chat.hears("go")
        await bench.chat.part(QUESTION)
        bench.chat.hears("hurry")
        await bench.chat.is_taken_in()
        pause.go_on.set()
        assert await bench.chat.said(REPLY) == "never mind, then"


async def test_a_question_does_not_keep_somebody_else_waiting_for_long(bench: Bench) -> None:
    bench.model.says("lead", reply(uses("ask_person", question="which?")), "to Ann", "to Bob")
    async with bench.run(**engine_options(question_seconds_if_others_wait=0)):
        bench.chat.hears("go")
        await bench.chat.part(QUESTION)
        bench.chat.hears("and me?", by="Bob")
        assert [await bench.chat.said(REPLY) for _ in range(2)] == ["to Ann", "to Bob"]
    assert bench.model.heard("lead", 1) == [model.NOT_ANSWERED]


async def test_a_question_that_nobody_answers_is_over_at_its_deadline(bench: Bench) -> None:
    bench.model.says("lead", reply(uses("ask_person", question="which?")), "I chose myself")
    async with bench.run(**engine_options(question_timeout_seconds=0)):
        bench.chat.hears("go")
        assert await bench.chat.said(REPLY) == "I chose myself"
    assert bench.model.heard("lead") == [model.NOT_ANSWERED]
