"""A request may have 30 delegations in all."""

from bot.core.content_blocks import text_block
from bot.core.limits import MAX_DELEGATIONS_PER_REQUEST
from bot.core.messages import OutboundKind
from bot.core.model import ModelReply, ModelRequest, ShowTextCallback
from bot.core.texts import model
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import reply, uses
from tests.support.troubles import wait_for_row

REFUSED = model.NO_MORE_DELEGATIONS(most=MAX_DELEGATIONS_PER_REQUEST)


def parts(*numbers: int, background: bool = False) -> ModelReply:
    """Return a reply that delegates one part for each number."""
    return reply(
        *(uses("delegate", role="researcher", task=f"part {number}", background=background) for number in numbers)
    )


async def ask(bench: Bench) -> None:
    bench.chat.hears("go")
    assert await bench.chat.said(OutboundKind.REPLY) == "there"


async def test_the_thirty_first_delegation_of_a_request_is_an_error(bench: Bench) -> None:
    bench.model.says("lead", *(parts(*range(step, step + 10)) for step in (0, 10, 20)), parts(30), "there")
    bench.model.says("researcher", *["found"] * 30)
    async with bench.run():
        await ask(bench)
    assert bench.count("turns", "depth > 0") == MAX_DELEGATIONS_PER_REQUEST
    assert bench.model.heard("lead") == [REFUSED]


async def test_those_in_the_background_count_too(bench: Bench) -> None:
    bench.model.says("lead", *(parts(*range(step, step + 10)) for step in (0, 10)), parts(*range(20, 29)))
    bench.model.says("lead", parts(29, background=True), parts(30), *["there"] * 2)
    bench.model.says("researcher", *["found"] * 30)
    async with bench.run():
        await ask(bench)
        await bench.chat.said(OutboundKind.REPLY)
    assert bench.select("result", "calls", "is_error") == [(REFUSED,)]


async def test_the_next_request_may_delegate_again(bench: Bench) -> None:
    bench.model.says("lead", *(parts(*range(step, step + 10)) for step in (0, 10, 20)), "there")
    bench.model.says("lead", parts(0), "there")
    bench.model.says("researcher", *["found"] * 31)
    async with bench.run():
        await ask(bench)
        await ask(bench)
    assert bench.count("turns", "depth > 0") == MAX_DELEGATIONS_PER_REQUEST + 1


async def test_those_that_are_begun_on_reports_without_a_persons_word_count_too(bench: Bench) -> None:
    async def step(request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        has_results = any(block["type"] == "tool_result" for block in request.transcript[-1].content)
        return reply(text_block("there")) if has_results else parts(bench.count("turns"), background=True)

    bench.model.says("lead", parts(-1, -2, background=True), "there", *[step] * 80)
    bench.model.says("researcher", *["found"] * 40)
    async with bench.run(**engine_options(chat_day=10**9, day=10**9)):
        await ask(bench)
        await wait_for_row(bench, "calls", "is_error")
    assert bench.count("turns", "depth > 0") == MAX_DELEGATIONS_PER_REQUEST
    assert set(bench.select("result", "calls", "is_error")) == {(REFUSED,)}
