"""What becomes of a reply: cut short, empty, without words, or as long as the window."""

from bot.core.content_blocks import text_block
from bot.core.model import StopReason
from bot.core.texts import model, people, reasons
from tests.support.bench import Bench
from tests.support.fakes import delegates, last_text, reply, uses

ROOM = 16_000  # tokens that the lead may write


async def test_a_call_that_was_cut_is_asked_for_once_more_with_twice_the_room(bench: Bench) -> None:
    cut = reply(text_block("let me"), uses("change"), stop=StopReason.LENGTH)
    bench.model.says("lead", cut, reply(uses("change"), stop=StopReason.CALLS), "changed")
    async with bench.run():
        bench.chat.hears("change it")
        assert await bench.chat.said() == "changed"
    assert [request.max_tokens for request in bench.model.seen] == [ROOM, 2 * ROOM, ROOM]
    assert [len(request.transcript) for request in bench.model.seen] == [1, 1, 3]  # nothing of what was cut is kept
    assert len(bench.changed) == 1
    assert bench.rows("SELECT cost FROM requests") == [(3_000,)] * 3
    assert bench.rows("SELECT steps FROM turns") == [(2,)]


async def test_a_call_cut_twice_is_not_run_and_the_text_beside_it_is_the_answer(bench: Bench) -> None:
    cut = reply(text_block("let me"), uses("change"), stop=StopReason.LENGTH)
    bench.model.says("lead", cut, cut, "still here")
    async with bench.run():
        bench.chat.hears("change it")
        assert await bench.chat.said() == f"let me\n{model.CUT_OFF}"
        bench.chat.hears("go on")
        assert await bench.chat.said() == "still here"
    assert bench.changed == []
    assert bench.model.seen[-1].transcript[1].content == [text_block("let me")]


async def test_a_text_that_was_cut_is_kept_and_marked(bench: Bench) -> None:
    bench.model.says("lead", reply(text_block("once upon"), stop=StopReason.LENGTH))
    async with bench.run():
        bench.chat.hears("tell me")
        assert await bench.chat.said() == f"once upon\n{model.CUT_OFF}"
    assert len(bench.model.seen) == 1


async def test_an_empty_reply_is_asked_once_for_words(bench: Bench) -> None:
    bench.model.says("lead", reply(), "sorry: here")
    async with bench.run():
        bench.chat.hears("hello")
        assert await bench.chat.said() == "sorry: here"
    assert last_text(bench.model.seen[1]) == model.SAY_ANSWER


async def test_two_replies_without_words_are_told_as_no_answer(bench: Bench) -> None:
    bench.model.says("lead", reply(), reply(), "here", delegates("researcher"), "nothing came")
    bench.model.says("researcher", reply(), reply())
    async with bench.run():
        bench.chat.hears("hello")
        assert await bench.chat.said() == people.NO_ANSWER
        bench.chat.hears("hello?")
        assert await bench.chat.said() == "here"
        bench.chat.hears("ask somebody")
        assert await bench.chat.said() == "nothing came"
    assert bench.model.heard("lead") == ["(no output)"]


async def test_thinking_alone_is_no_answer_and_is_kept_as_it_came(bench: Bench) -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "sig"}
    bench.model.says("lead", reply(thinking), "here")
    async with bench.run():
        bench.chat.hears("hello")
        assert await bench.chat.said() == "here"
    assert bench.model.seen[1].transcript[1].content == [thinking]


async def test_a_full_window_ends_the_turn_with_the_words_so_far(bench: Bench) -> None:
    bench.model.says("lead", reply(text_block("as far as"), uses("change"), stop=StopReason.WINDOW))
    async with bench.run():
        bench.chat.hears("dig")
        assert await bench.chat.said() == f"as far as\n{model.CUT_OFF}"
    assert bench.select("status, reason", "turns") == [("budget", reasons.CONTEXT_FULL)]
    assert bench.changed == []
