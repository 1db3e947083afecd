"""The results of a step: one answer for each call of the model, and no more than a role's tokens allow."""

from bot.core.messages import OutboundKind
from bot.core.texts import model
from bot.core.turn import Call, CallId, CallKind, CallState
from bot.journal import model_texts
from bot.journal.results import result_blocks_of_calls
from bot.tools import Arguments, ToolContext
from tests.support.bench import Bench, tool
from tests.support.engine_options import limits_with
from tests.support.fakes import delegates, reply, role, uses


def done(id: str, result: str, *, is_error: bool = False) -> Call:
    return Call(
        id=CallId(id),
        tool_use_id=f"toolu_{id.partition('.')[0]}",
        name="delegate",
        kind=CallKind.WAIT,
        arguments={},
        state=CallState.DONE,
        result=result,
        is_error=is_error,
    )


def test_each_call_has_its_answer_in_order() -> None:
    first, second = result_blocks_of_calls([done("t1/2/0", "found"), done("t1/2/1", "lost", is_error=True)])
    assert (first["tool_use_id"], first["content"], first.get("is_error")) == ("toolu_t1/2/0", "found", None)
    assert (second["tool_use_id"], second["content"], second["is_error"]) == ("toolu_t1/2/1", "lost", True)


def test_several_tasks_of_one_call_share_one_answer() -> None:
    [shared] = result_blocks_of_calls([done("t1/2/0.0", "found"), done("t1/2/0.1", "lost", is_error=True)])
    assert shared["content"] == f"found\n\n{model_texts.TASK_FAILED(number=2, result='lost')}"
    assert "is_error" not in shared


def test_an_answer_is_an_error_if_all_of_its_tasks_failed() -> None:
    [shared] = result_blocks_of_calls([done("t1/2/0.0", "no", is_error=True), done("t1/2/0.1", "no", is_error=True)])
    assert shared["is_error"]


async def test_a_result_that_leaves_a_role_no_last_words_is_an_error(bench: Bench) -> None:
    async def read(context: ToolContext, arguments: Arguments) -> str:
        return "word " * 30_000

    bench.roles["researcher"] = role("researcher", "read", limits=limits_with(tokens=20_000))
    bench.model.says("lead", delegates("researcher"), "done")
    bench.model.says("researcher", reply(uses("read")), "it is too long")
    async with bench.run(tools=[tool("read", CallKind.READ, frozenset(), read)]):
        bench.chat.hears("go")
        assert await bench.chat.said(OutboundKind.REPLY) == "done"
    assert bench.model.heard("researcher") == [model.NO_ROOM_FOR_RESULT]
