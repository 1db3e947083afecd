"""A turn that makes the same call again and again: the model is told, then the turn is stopped."""

from bot.core.content_blocks import content_text
from bot.core.limits import CALL_REPEATS_TO_STOP
from bot.core.messages import OutboundKind
from bot.core.texts import model, people, reasons
from tests.support.bench import Bench
from tests.support.fakes import delegates, reply, uses

REPLY = OutboundKind.REPLY
STOPPED = people.LEFT(reason=reasons.CALL_REPEATED(CALL_REPEATS_TO_STOP, tool="read"), messages="“go”")


def told(times: int) -> str:
    return model.CALL_REPEATED(tool="read", times=times, most=CALL_REPEATS_TO_STOP)


def notes(bench: Bench) -> list[str]:
    """Return what the harness has told the lead, by request."""
    last = [request.transcript[-1] for request in bench.model.asked("lead")]
    return [content_text(entry.content) if entry.role == "system" else "" for entry in last]


async def ask(bench: Bench) -> str:
    async with bench.run():
        bench.chat.hears("go")
        return await bench.chat.said(REPLY)


async def test_the_model_is_told_at_the_third_same_call(bench: Bench) -> None:
    bench.model.says("lead", *(reply(uses("read", path="a")) for _ in range(4)), "there")
    assert await ask(bench) == "there"
    assert notes(bench) == ["", "", "", told(3), told(4)]


async def test_a_turn_is_stopped_at_the_fifth_same_call(bench: Bench) -> None:
    bench.model.says("lead", *(reply(uses("read", path="a", line=1)) for _ in range(5)))
    assert await ask(bench) == STOPPED
    assert bench.select("status", "turns") == [("budget",)]
    assert bench.count("calls", f"result = '{model.CALL_NOT_RUN}'") == 1


async def test_the_order_of_arguments_makes_no_other_call(bench: Bench) -> None:
    orders = [{"x": 1, "y": 2}, {"y": 2, "x": 1}]
    bench.model.says("lead", *(reply(uses("read", **orders[number % 2])) for number in range(5)))
    assert await ask(bench) == STOPPED


async def test_a_call_with_other_arguments_is_another_call(bench: Bench) -> None:
    bench.model.says("lead", *(reply(uses("read", path=str(number))) for number in range(6)), "there")
    assert await ask(bench) == "there"
    assert set(notes(bench)) == {""}


async def test_a_file_may_be_read_again_after_each_change(bench: Bench) -> None:
    for number in range(6):
        bench.model.says("lead", reply(uses("read", path="a")), reply(uses("change", to=number)))
    bench.model.says("lead", "there")
    assert await ask(bench) == "there"
    assert set(notes(bench)) == {""}


async def test_a_file_may_be_read_again_after_a_role_has_worked(bench: Bench) -> None:
    for number in range(6):
        work = uses("delegate", role="researcher", task=f"revise it, round {number}")
        bench.model.says("lead", reply(work), reply(uses("read", path="draft.md")))
    bench.model.says("researcher", *["revised"] * 6)
    bench.model.says("lead", "there")
    assert await ask(bench) == "there"
    assert set(notes(bench)) == {""}


async def test_the_same_task_again_and_again_is_stopped(bench: Bench) -> None:
    bench.model.says("lead", *(reply(uses("read"), uses("delegate", role="researcher", task="go")) for _ in range(5)))
    bench.model.says("researcher", *["found"] * 5)
    assert reasons.CALL_REPEATED(CALL_REPEATS_TO_STOP, tool="delegate") in await ask(bench)


async def test_the_same_change_again_and_again_is_stopped(bench: Bench) -> None:
    bench.model.says("lead", *(reply(uses("read"), uses("change")) for _ in range(5)))
    assert reasons.CALL_REPEATED(CALL_REPEATS_TO_STOP, tool="change") in await ask(bench)
    assert len(bench.changed) == CALL_REPEATS_TO_STOP - 1


async def test_equal_calls_of_one_reply_count_once(bench: Bench) -> None:
    bench.model.says("lead", delegates(*["researcher"] * 6), "there")
    bench.model.says("researcher", *["found"] * 6)
    assert await ask(bench) == "there"


async def test_a_role_that_repeats_itself_reports_what_it_has(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", *(reply({"type": "text", "text": "half"}, uses("read")) for _ in range(5)))
    assert await ask(bench) == "there"
    assert bench.select("status, report", "turns", "depth = 1") == [("budget", "\n\n".join(["half"] * 5))]
