"""What every channel must do, shown with each of them."""

import asyncio
from collections.abc import Awaitable, Callable

from bot.core.content_blocks import text_block
from bot.core.model import ModelReply, ModelRequest, ShowTextCallback
from bot.core.texts import people
from tests.channels.contract.conftest import QUICK, at
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause, delegates, reply, uses
from tests.support.places import Place, has, seen
from tests.support.troubles import wait_for_row
from tests.support.wording import REPEAT_MARK


async def test_messages_are_answered_in_order(bench: Bench, place: Place) -> None:
    bench.model.says("lead", "first answer", "second answer", "third answer")
    async with at(bench, place):
        for number in ("first", "second", "third"):
            place.says(f"{number}?")
            there = await has(place, f"{number} answer")
    assert there == ["first answer", "second answer", "third answer"]


LONG = "\n\n".join(
    [
        *(f"Paragraph {n}: {'word ' * 60}" for n in range(20)),
        "```python\n" + "x = 1  # a line\n" * 400 + "```",
        "The end.",
    ]
)


async def test_a_long_answer_comes_whole_in_order_and_within_the_limits(bench: Bench, place: Place) -> None:
    bench.model.says("lead", LONG)
    async with at(bench, place, **engine_options(long_answer_parts=20)):
        place.says("tell me all")
        there = await has(place, "The end.")
    if place.length:
        assert len(there) > 1
        assert max(map(place.size, there)) <= place.length
    whole = "".join(there)
    assert [f"Paragraph {n}:" in whole for n in range(20)] == [True] * 20
    assert sorted(range(20), key=lambda n: whole.index(f"Paragraph {n}:")) == list(range(20))
    assert whole.count("# a line") == 400
    assert "".join(whole.split()).endswith("Theend.")


def slowly(text: str) -> Callable[[ModelRequest, ShowTextCallback], Awaitable[ModelReply]]:
    """A step of a script that writes for a while before it has said all."""

    async def step(request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        for length in range(1, len(text)):
            show(text[:length])
            await asyncio.sleep(0.01)
        return reply(text_block(text))

    return step


async def test_a_draft_is_never_left_beside_its_finished_message(bench: Bench, place: Place) -> None:
    bench.model.says("lead", slowly("Half an answer, and the rest"))
    async with at(bench, place):
        place.says("go")
        await seen(place, lambda there: list(there) == ["Half an answer, and the rest"])


async def test_roles_at_work_say_who_speaks_at_the_beginning_of_every_part(bench: Bench, place: Place) -> None:
    news = "news " * 1_000
    bench.model.says("lead", delegates("researcher", "analyst"), "both are done")
    bench.model.says("researcher", reply(uses("message", text=news)), "found")
    bench.model.says("analyst", reply(uses("message", text="[Analyst]: counting")), "counted")
    async with at(bench, place):
        place.says("go")
        there = await has(place, "both are done")
    said = [text for text in there if not (text.startswith("#") or text[:1].isdigit())]  # without the board
    assert said[-1] == "both are done"
    assert "[Analyst]: counting" in said
    others = [text for text in said[:-1] if text != "[Analyst]: counting"]
    assert others
    assert all(text.startswith("[Researcher]: ") for text in others)
    assert sum(text.count("news") for text in others) == 1_000


async def test_a_question_is_answered_by_what_the_platform_has_for_it(bench: Bench, place: Place) -> None:
    ask = uses("ask_person", question="Which colour?", options=["red", "green"])
    bench.model.says("lead", reply(ask), "so be it")
    async with at(bench, place):
        place.says("paint it")
        await has(place, "Which colour?")
        place.answers("green")
        await has(place, "so be it")
    assert bench.model.heard("lead")[-1:] == ["green"]


async def test_a_stop_is_obeyed_in_mid_turn_and_the_next_message_answered(bench: Bench, place: Place) -> None:
    pause = Pause()
    bench.model.says("lead", pause, "here again")
    async with at(bench, place):
        place.says("something long")
        await pause.reached.wait()
        place.says("/stop")
        await has(place, "Stopped: “something long”")
        place.says("and now?")
        await has(place, "here again")


async def test_an_answer_begun_before_a_restart_arrives_once(bench: Bench, place: Place) -> None:
    pause = Pause()
    bench.model.says("lead", pause, "after all")
    async with at(bench, place):
        place.says("go")
        await pause.reached.wait()
        bench.crashes()
    async with at(bench, place):
        there = await has(place, "after all")
    assert [text for text in there if text != "…"] == ["after all"]


async def test_a_message_cut_off_before_it_was_taken_arrives(bench: Bench, place: Place) -> None:
    bench.model.says("lead", "there you are", "and more")
    async with at(bench, place):
        place.cuts(was_taken=False)
        place.says("go")
        await has(place, "there you are")
        place.says("more")
        there = await has(place, "and more")
    assert [text.removeprefix(REPEAT_MARK) for text in there] == ["there you are", "and more"]


async def test_a_message_cut_off_after_it_was_taken_is_never_doubled_unmarked(bench: Bench, place: Place) -> None:
    bench.model.says("lead", "there you are", "and more")
    async with at(bench, place):
        place.cuts(was_taken=True)
        place.says("go")
        await has(place, "there you are")
        place.says("more")
        there = await has(place, "and more")
    doubled = ["there you are", REPEAT_MARK + "there you are"] if place.marks_repeats else ["there you are"]
    assert there == [*doubled, "and more"]


async def test_a_message_while_three_roles_work_is_answered_first_despite_a_kill(bench: Bench, place: Place) -> None:
    roles, thinks = ("researcher", "analyst", "writer"), Pause()
    bench.model.says("lead", delegates(*roles), thinks)
    first = [Pause() for _ in roles]
    for role, pause in zip(roles, first, strict=True):
        bench.model.says(role, pause)
    async with at(bench, place):
        place.says("find out")
        for pause in first:
            await pause.reached.wait()
        place.says("how long will it take?")
        await thinks.reached.wait()
        bench.crashes()
    again = [Pause("found") for _ in roles]
    for role, pause in zip(roles, again, strict=True):
        bench.model.says(role, pause)
    bench.model.says("lead", "an hour, I think", "all is found")
    async with at(bench, place):
        await has(place, "an hour, I think")
        assert bench.count("turns", "depth > 0 AND state != 'ended'") == len(roles)
        for pause in again:
            pause.go_on.set()
        there = await has(place, "all is found")
    assert [text for text in there if text in ("an hour, I think", "all is found")] == [
        "an hour, I think",
        "all is found",
    ]


async def test_roles_that_cost_much_start_when_ann_agrees_despite_a_kill(bench: Bench, place: Place) -> None:
    bench.model.says("lead", delegates("researcher"), "first", delegates("researcher", "researcher"), "both are done")
    bench.model.says("researcher", "found", "one", "two")
    question = people.MAY_ROLES_START(2, cost="")[:30]
    asking = {**QUICK, **engine_options(swarm__ask_above_usd=0.000_001)}
    async with at(bench, place, **asking):
        place.says("go")
        await has(place, "first")
        place.says("again")
        await has(place, question)
        await wait_for_row(bench, "outbox", "kind = 'question' AND state = 'sent'")
        bench.crashes()
    async with at(bench, place, **asking):
        assert bench.count("turns", "depth > 0") == 1
        while not bench.count("questions", "answer IS NOT NULL"):  # a tap is lost if the bot is not connected yet
            place.answers(people.START_COSTLY_ROLES())
            await asyncio.sleep(0.1)
        there = await has(place, "both are done")
    assert bench.count("turns", "depth > 0 AND status = 'completed'") == 3
    assert sum(text.startswith(question) for text in there) == 1
