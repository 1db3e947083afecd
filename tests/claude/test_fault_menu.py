"""Each thing that can go wrong with a request ends in an answer, a retry or a clear word; and the chat goes on."""

from dataclasses import replace

import pytest

from bot.core.phrases import refusal_text_for_person
from bot.core.texts import model, reasons
from bot.core.texts import people_model_faults as people
from bot.core.texts.people import NOT_FINISHED
from bot.models.claude.faults import append_hints
from tests.stand_ins.claude import Fault, Thinking, ToolUse, reply
from tests.support.claude_bot import QUICK, Talk, talk
from tests.support.engine_options import engine_options, limits_with
from tests.support.fakes import without_time

__all__ = ["talk"]

FINE = reply(Thinking(), "fine")
LEFT = NOT_FINISHED(reason="", messages="“hello”").removesuffix(".")
SHORT = engine_options(outage_patience_seconds=0.2)

PASSING = (
    *(Fault.RATE_LIMITED, Fault.RATE_LIMITED_MILLISECONDS, Fault.RATE_LIMITED_WITHOUT_HEADER, Fault.RAMP_LIMIT),
    *(Fault.API_ERROR, Fault.UNAVAILABLE, Fault.GATEWAY_TIMEOUT, Fault.OVERLOADED, Fault.TIMED_OUT, Fault.CONFLICT),
    *(Fault.BAD_REQUEST_RETRYABLE, Fault.RESET_BEFORE_HEAD, Fault.INDEX_GAP, Fault.UNNAMED_FRAMES),
    *(Fault.STREAM_OVERLOADED, Fault.STREAM_RATE_LIMIT, Fault.STREAM_API_ERROR),
    *(Fault.END_AFTER_DELTA, Fault.END_IN_TOOL_JSON, Fault.END_BEFORE_MESSAGE_STOP),
    *(Fault.CUT_AFTER_DELTA, Fault.RESET_AFTER_DELTA, Fault.TRUNCATED_TOOL_JSON),
    *(Fault.INVALID_TOOL_JSON, Fault.TWO_JSON_VALUES, Fault.ARRAY_INPUT),
)
BAD_JSON = (
    *(Fault.END_IN_TOOL_JSON, Fault.TRUNCATED_TOOL_JSON),
    *(Fault.INVALID_TOOL_JSON, Fault.TWO_JSON_VALUES, Fault.ARRAY_INPUT),
)
STALLS = (Fault.STALL_BEFORE_HEAD, Fault.STALL, Fault.STALL_WITH_PINGS)
HARMLESS = (
    *(Fault.UNKNOWN_EVENT, Fault.UNKNOWN_DELTA, Fault.DUPLICATE_MESSAGE_DELTA, Fault.EARLY_PING),
    *(Fault.UNKNOWN_BLOCK, Fault.UNKNOWN_STOP_REASON),
)
FOR_GOOD = {
    Fault.UNAUTHORIZED: reasons.MODEL_AT_FAULT(),
    Fault.PAYMENT_REQUIRED: reasons.MODEL_AT_FAULT(),
    Fault.CREDIT_TOO_LOW: reasons.MODEL_AT_FAULT(),
    Fault.FORBIDDEN: reasons.MODEL_AT_FAULT(),
    Fault.NO_SUCH_MODEL: reasons.MODEL_AT_FAULT(),
    Fault.TOO_LARGE: append_hints(people.TOO_LONG(), people.BEGIN_A_NEW_ONE()),
    Fault.PROMPT_TOO_LONG: append_hints(people.TOO_LONG(), people.BEGIN_A_NEW_ONE()),
    Fault.RATE_LIMITED_FOR_AN_HOUR: append_hints(reasons.MODEL_AWAY(), people.TRY_IN_MINUTES(minutes=60)),
    Fault.RATE_LIMITED_FOR_GOOD: append_hints(reasons.MODEL_AWAY(), people.TRY_LATER()),
    Fault.SPEND_LIMIT: reasons.MODEL_AT_FAULT(),
    Fault.CONTRACT_SPEND_LIMIT: reasons.MODEL_AT_FAULT(),
    Fault.LINKED_SPEND_LIMIT: reasons.MODEL_AT_FAULT(),
}
MUTE = (Fault.EMPTY, Fault.THINKING_ONLY)
PARTIAL = {
    Fault.MAX_TOKENS: f"fine\n{model.CUT_OFF}",
    Fault.WINDOW_EXCEEDED: f"fine\n{model.CUT_OFF}",
}
REFUSED = (Fault.REFUSAL, Fault.REFUSAL_AFTER_TEXT)
ODD_CALLS = {
    Fault.UNKNOWN_TOOL: model.NO_SUCH_TOOL(role="lead", tool="no_such_tool", tools=""),
    Fault.WRONG_CASE_TOOL: "read",
    Fault.WRONG_INPUT: "read",
}
SHOWN_ELSEWHERE = (Fault.BAD_REQUEST, Fault.PAUSE_TURN, Fault.NO_TERMINATOR, Fault.MAX_TOKENS_IN_THINKING)


def test_every_fault_of_the_menu_is_shown_here() -> None:
    shown = [*PASSING, *STALLS, *HARMLESS, *FOR_GOOD, *MUTE, *PARTIAL, *REFUSED, *ODD_CALLS, *SHOWN_ELSEWHERE]
    assert sorted(shown) == sorted(Fault)


@pytest.mark.parametrize("fault", PASSING)
async def test_a_passing_fault_is_tried_again(talk: Talk, fault: Fault) -> None:
    talk.server.script.say(FINE, "and on")
    talk.server.faults.append(fault)
    async with talk.run():
        assert await talk.ask("hello") == "fine"
        assert without_time(await talk.ask("and then?")) == "and on"
    assert len(talk.server.requests) == 3
    talk.server.verify()


@pytest.mark.parametrize("fault", STALLS)
async def test_a_server_that_stalls_is_left(talk: Talk, fault: Fault) -> None:
    talk.server.script.say(FINE, "and on")
    talk.server.faults.append(fault)
    async with talk.run(patience=replace(QUICK, timeout_seconds=0.5)):
        assert await talk.ask("hello") == "fine"
        assert talk.server.requests[0].hung_up
        assert without_time(await talk.ask("and then?")) == "and on"
    talk.server.verify()


@pytest.mark.parametrize("fault", HARMLESS)
async def test_an_odd_but_whole_reply_is_an_answer(talk: Talk, fault: Fault) -> None:
    talk.server.script.say(FINE, "and on")
    talk.server.faults.append(fault)
    async with talk.run():
        assert await talk.ask("hello") == "fine"
        assert without_time(await talk.ask("and then?")) == "and on"
    assert len(talk.server.requests) == 2
    talk.server.verify()


async def test_a_whole_reply_is_taken_though_its_connection_breaks(talk: Talk) -> None:
    talk.server.script.say(FINE)  # said again, since the server thinks it was not read
    talk.server.faults.append(Fault.NO_TERMINATOR)
    async with talk.run():
        assert await talk.ask("hello") == "fine"
        assert without_time(await talk.ask("and then?")) == "fine"
    assert len(talk.server.requests) == 2
    talk.server.verify()


@pytest.mark.parametrize(("fault", "words"), FOR_GOOD.items())
async def test_a_lasting_fault_is_told_at_once(talk: Talk, fault: Fault, words: str) -> None:
    talk.server.script.say("and on")
    talk.server.faults.append(fault)
    async with talk.run():
        told = await talk.ask("hello")
        assert told.startswith(LEFT)
        assert told == f"{LEFT}{words}."
        assert talk.server.api_key not in told
        assert without_time(await talk.ask("and then?")) == "and on"
    assert len(talk.server.requests) == 2
    assert talk.spent() == talk.billed()
    talk.server.verify()


@pytest.mark.parametrize("fault", MUTE)
async def test_a_reply_without_words_is_asked_for_once_more(talk: Talk, fault: Fault) -> None:
    talk.server.script.say("", FINE, "and on")
    talk.server.faults.append(fault)
    async with talk.run():
        assert await talk.ask("hello") == "fine"
        assert without_time(await talk.ask("and then?")) == "and on"
    talk.server.verify()


async def test_thinking_that_uses_up_the_reply_may_be_twice_as_long(talk: Talk) -> None:
    talk.server.script.say("", FINE, "and on")
    talk.server.faults.append(Fault.MAX_TOKENS_IN_THINKING)
    async with talk.run():
        assert await talk.ask("hello") == "fine"
        assert without_time(await talk.ask("and then?")) == "and on"
    assert [request.body["max_tokens"] for request in talk.server.requests] == [16_000, 32_000, 16_000]
    talk.server.verify()


@pytest.mark.parametrize(("fault", "answer"), PARTIAL.items())
async def test_the_written_part_of_a_reply_is_kept(talk: Talk, fault: Fault, answer: str) -> None:
    talk.server.script.say(reply("fine"), "and on")
    talk.server.faults.append(fault)
    async with talk.run():
        assert await talk.ask("hello") == answer
        assert without_time(await talk.ask("and then?")) == "and on"
    talk.server.verify()


async def test_a_paused_reply_goes_on_and_an_endlessly_paused_one_ends(talk: Talk) -> None:
    talk.server.faults.append(*[Fault.PAUSE_TURN] * 2)
    async with talk.run():
        assert (await talk.ask("hello")).startswith("Searching.\nSearching.\nYou said: ")
        talk.server.faults.append(*[Fault.PAUSE_TURN] * 6)
        assert await talk.ask("and?") == "\n".join(["Searching."] * 6)
        assert without_time(await talk.ask("and then?")) == "You said: Ann: and then?"
    assert len(talk.server.requests) == 3 + 6 + 1
    assert talk.spent() == talk.billed()


@pytest.mark.parametrize("fault", REFUSED)
async def test_a_refusal_is_told_and_leaves_no_trace(talk: Talk, fault: Fault) -> None:
    talk.server.script.say("secret", "and on")
    talk.server.faults.append(fault)
    async with talk.run():
        assert await talk.ask("hello") == f"{LEFT}{refusal_text_for_person('cyber')}."
        assert without_time(await talk.ask("and then?")) == "and on"
    talk.server.verify()


@pytest.mark.parametrize(("fault", "result"), ODD_CALLS.items())
async def test_an_odd_call_is_answered_with_an_error_or_by_what_was_meant(
    talk: Talk, fault: Fault, result: str
) -> None:
    talk.server.script.say(reply(Thinking(), ToolUse("read")), "I see", "and on")
    talk.server.faults.append(fault)
    async with talk.run():
        assert await talk.ask("hello") == "I see"
        assert without_time(await talk.ask("and then?")) == "and on"
    assert talk.server.requests[1].asked.results[0].startswith(result)
    talk.server.verify()


@pytest.mark.parametrize("fault", BAD_JSON)
async def test_a_call_is_run_once_and_only_with_all_of_its_arguments(talk: Talk, fault: Fault) -> None:
    talk.server.script.say(reply(ToolUse("change", {"to": "this"})), "changed")
    talk.server.faults.append(fault)
    async with talk.run():
        assert await talk.ask("change it") == "changed"
    assert len(talk.bench.changed) == 1
    assert talk.server.requests[-1].asked.said[1]["content"][0]["input"] == {"to": "this"}
    talk.server.verify()


async def test_a_call_in_a_reply_that_does_not_wait_for_it_is_not_run(talk: Talk) -> None:
    talk.server.script.say(reply("I would", ToolUse("change"), stop_reason="end_turn"), "and on")
    async with talk.run():
        assert await talk.ask("change it") == "I would"
        assert without_time(await talk.ask("and then?")) == "and on"
    assert talk.bench.changed == []
    talk.server.verify()


async def test_a_text_of_blanks_is_not_sent_back(talk: Talk) -> None:
    talk.server.script.say(reply(Thinking(), "\n\n", ToolUse("read")), reply("\n", Thinking(), "done"), "and on")
    async with talk.run():
        assert await talk.ask("look") == "done"
        assert without_time(await talk.ask("and then?")) == "and on"
    assert not [refusal for refusal in talk.server.refused if "whitespace" in str(refusal)]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault.OVERLOADED, append_hints(reasons.MODEL_AWAY(), people.TRY_LATER())),
        (
            Fault.END_AFTER_DELTA,
            append_hints(people.ANSWER_BROKE_OFF(model=people.MODEL()), people.ATTEMPTS(3), people.TRY_AGAIN()),
        ),
    ],
)
async def test_trouble_without_end_is_told(talk: Talk, fault: Fault, words: str) -> None:
    talk.server.faults.always(fault)
    async with talk.run(**SHORT):
        told = await talk.ask("hello")
        talk.server.faults.always(None)
        assert without_time(await talk.ask("again")) == "You said: Ann: again"
    assert told.startswith(LEFT)
    assert words in told
    assert len(talk.server.requests) >= 4


async def test_a_server_that_is_away_is_told_and_costs_nothing(talk: Talk) -> None:
    async with talk.run(models=["claude-sonnet-5-5"], **SHORT):
        async with talk.server.away():
            told = await talk.ask("hello")
        assert without_time(await talk.ask("again")) == "You said: Ann: again"
    assert told == f"{LEFT}{append_hints(reasons.MODEL_AWAY(), people.TRY_LATER())}."
    assert talk.spent() == talk.billed()


async def test_all_who_want_a_model_wait_when_one_of_them_is_told_to(talk: Talk) -> None:
    talk.server.faults.append(Fault.RATE_LIMITED)
    async with talk.run():
        talk.bench.chat.hears("one", chat="a")
        await talk.server.until(lambda: bool(talk.server.requests) and not talk.server.answering)
        talk.bench.chat.hears("two", chat="b")
        for _ in range(2):
            await talk.bench.chat.part()
    first, *rest = talk.server.requests
    assert len(rest) == 2
    assert all(request.arrived - first.arrived >= 1 for request in rest)


async def test_a_failed_call_of_two_and_twelve_at_once_are_all_answered(talk: Talk) -> None:
    twelve = reply(*(ToolUse("read") for _ in range(12)))
    talk.server.script.say(reply(ToolUse("no_such_tool"), ToolUse("read")), twelve, "done")
    async with talk.run():
        assert await talk.ask("hello") == "done"
    assert [len(request.asked.results) for request in talk.server.requests] == [0, 2, 12]
    talk.server.verify()


async def test_calls_for_ever_and_a_call_though_none_is_allowed_end_at_the_limit(talk: Talk) -> None:
    talk.server.script.each(reply("I look", ToolUse("read")))
    async with talk.run(**engine_options(turn=limits_with(iterations=3))):
        assert await talk.ask("dig") == "I look"
        assert model.LAST_WORDS(reason=reasons.STEPS_USED(3)) in str(talk.server.requests[-1].body)
        assert without_time(await talk.ask("and then?")) == "I look"
    assert not talk.server.refused


async def test_a_role_that_fails_while_its_siblings_work_is_told_to_the_lead(talk: Talk) -> None:
    calls = [ToolUse("delegate", {"role": role, "task": "look"}) for role in ("researcher", "analyst")]
    talk.server.script.say(reply(*calls), "one of them failed", system="the lead")
    talk.server.script.say("found", system="the researcher")
    talk.server.faults.when(lambda asked: "the analyst" in asked.system, Fault.FORBIDDEN)
    async with talk.run():
        assert await talk.ask("go") == "one of them failed"
    found, failed = talk.server.requests[-1].asked.results
    assert "[Researcher]: found" in found
    assert failed.startswith(f"Sub-agent 'Analyst' failed: {reasons.MODEL_AT_FAULT()}")
    talk.server.verify()
