"""What becomes of one request to the model: made again, given up, refused, or the last one."""

from bot.core.content_blocks import content_text
from bot.core.errors import ModelRefused, RetryableModelFailure
from bot.core.messages import OutboundKind
from bot.core.model import ModelReply, ModelRequest, ShowTextCallback, StopReason
from bot.core.phrases import refusal_text_for_person
from bot.core.prices import Usage
from bot.core.texts import model, people, people_models, reasons
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import delegates, failing, last_text, reply, role, uses

REPLY = OutboundKind.REPLY


async def overloaded() -> ModelReply:
    raise RetryableModelFailure("overloaded", seconds=0)


async def refusing() -> ModelReply:
    raise ModelRefused


def turns(bench: Bench) -> list[tuple[str, str]]:
    return [(status, reason) for status, reason in bench.rows("SELECT status, reason FROM turns ORDER BY rowid")]


async def test_a_failed_request_is_made_again_and_each_is_charged(bench: Bench) -> None:
    bench.model.says("lead", overloaded, overloaded, "at last")
    async with bench.run():
        bench.chat.hears("hello")
        assert await bench.chat.said() == "at last"
    assert [request.attempt for request in bench.model.seen] == [1, 2, 3]
    assert len({str(request.transcript) for request in bench.model.seen}) == 1
    rows = bench.rows("SELECT attempt, state, cost > 0 FROM requests ORDER BY id")
    assert rows == [(1, "settled", 1), (2, "settled", 1), (3, "settled", 1)]
    assert bench.rows("SELECT (SELECT sum(cost) FROM requests) = cost, reserved, steps FROM turns") == [(1, 0, 1)]


async def test_a_request_that_was_never_sent_costs_nothing(bench: Bench) -> None:
    async def unsent(request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        request.meter.sent_at_loop_seconds = None
        raise RetryableModelFailure("no connection", seconds=0)

    bench.model.says("lead", unsent, "at last")
    async with bench.run():
        bench.chat.hears("hello")
        assert await bench.chat.said() == "at last"
    assert bench.rows("SELECT cost FROM requests ORDER BY id") == [(0,), (3_000,)]


async def test_each_request_counts_its_own_attempts(bench: Bench) -> None:
    bench.model.says("lead", overloaded, reply(uses("read")), overloaded, "at last")
    async with bench.run():
        bench.chat.hears("hello")
        assert await bench.chat.said() == "at last"
    assert [request.attempt for request in bench.model.seen] == [1, 2, 1, 2]


async def test_a_long_wait_for_another_attempt_is_explained_once(bench: Bench) -> None:
    async def busy() -> ModelReply:
        raise RetryableModelFailure("the rate limit is reached", seconds=0.02)

    bench.model.says("lead", busy, busy, delegates("researcher"), "done", "and again")
    bench.model.says("researcher", busy, "found")
    async with bench.run(**engine_options(announced_wait_seconds=0.01)):
        bench.chat.hears("hello")
        assert await bench.chat.said(REPLY) == "done"
        bench.chat.hears("hello again")
        assert await bench.chat.said(REPLY) == "and again"
    notices = bench.rows("SELECT text, is_quiet FROM outbox WHERE kind = 'notice'")
    assert notices == [(people_models.TRYING_AGAIN(reason="The rate limit is reached"), 1)]


async def test_nobody_is_told_of_a_wait_that_is_short(bench: Bench) -> None:
    bench.model.says("lead", overloaded, "in time")
    async with bench.run():
        bench.chat.hears("hello")
        assert await bench.chat.said(REPLY) == "in time"
    assert bench.select("text", "outbox", "kind = 'notice'") == []


async def test_an_unable_model_is_one_short_reply_and_the_chat_goes_on(bench: Bench) -> None:
    bench.model.says("lead", failing, "here again")
    async with bench.run():
        bench.chat.hears("hello")
        assert await bench.chat.said() == people.NOT_FINISHED(reason="the model is not there", messages="“hello”")
        bench.chat.hears("hello?")
        assert await bench.chat.said() == "here again"
    assert turns(bench) == [("failed", "the model is not there"), ("completed", "")]
    assert [entry.role for entry in bench.model.seen[1].transcript] == ["user", "assistant", "user"]
    assert content_text(bench.model.seen[1].transcript[1].content) == "(failed: the model is not there)"


async def test_a_role_whose_model_fails_is_an_error_that_the_lead_can_read(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "without it, then")
    bench.model.says("researcher", failing)
    async with bench.run():
        bench.chat.hears("go")
        assert await bench.chat.said() == "without it, then"
    result = bench.model.seen[-1].transcript[-1].content[0]
    failed = model.SUBAGENT_FAILED(role="Researcher", reason="the model is not there", delegation="t1/2/0")
    assert (result["content"], result["is_error"]) == (failed, True)


async def test_after_two_refusals_running_the_conversation_is_left_behind(bench: Bench) -> None:
    bench.model.says("lead", refusing, reply(stop=StopReason.REFUSAL), "afresh")
    async with bench.run():
        for text in ("one", "two"):
            bench.chat.hears(text)
            assert await bench.chat.said() == people.NOT_FINISHED(
                reason=refusal_text_for_person(""), messages=f"“{text}”"
            )
        bench.chat.hears("three")
        assert await bench.chat.said() == "afresh"
    assert [len(request.transcript) for request in bench.model.seen] == [1, 3, 1]
    assert last_text(bench.model.seen[-1]).endswith("Ann: three")
    assert bench.rows("SELECT chapter FROM chapters ORDER BY chapter") == [(1,), (2,)]


async def test_an_answer_between_two_refusals_keeps_the_conversation(bench: Bench) -> None:
    bench.model.says("lead", refusing, "fine", refusing, "still here")
    async with bench.run():
        for text in ("one", "two", "three", "four"):
            bench.chat.hears(text)
            await bench.chat.said()
    assert len(bench.model.seen[-1].transcript) == 7


async def test_a_turn_that_would_overrun_the_window_is_asked_for_its_last_words(bench: Bench) -> None:
    bench.roles["lead"] = role("lead", "read")
    bench.model.says("lead", reply(uses("read"), usage=Usage(cache_read=7_000)), "as far as I got")
    async with bench.run(**engine_options(model__lead="some/local-model", model__context_tokens=8_000)):
        bench.chat.hears("dig")
        assert await bench.chat.said() == "as far as I got"
    assert [request.may_call_tools for request in bench.model.seen] == [True, False]
    assert turns(bench) == [("budget", reasons.CONTEXT_FULL())]
