"""`retinue sessions requests`: what the model was asked in a turn, built again from its rows."""

import json

from bot.cli.sessions import texts
from bot.ops import request_texts as verdicts
from tests.stand_ins.claude import ClaudeStandIn, ToolUse, reply
from tests.support.bench import Bench
from tests.support.claude_bot import Talk
from tests.support.running_bot import bench, shell
from tests.support.shell import Shell

__all__ = ["bench", "shell"]


async def test_each_request_is_shown_and_its_json_is_what_was_sent(bench: Bench, shell: Shell) -> None:
    async with ClaudeStandIn() as server:
        talk = Talk(bench, server)
        server.script.say(reply("I look", ToolUse("read")), "It says so.")
        async with talk.run():
            await talk.ask("what does it say?")
    said = await shell.retinue("sessions", "requests", "t1")
    assert (said.status, said.err) == (0, "")
    assert len(said.out.splitlines()) == said.out.count(verdicts.AS_SENT()) == 2
    found = json.loads((await shell.retinue("sessions", "requests", "t1", "--json")).out)
    assert [each["body"] for each in found] == [request.body for request in server.requests]


async def test_of_a_model_that_keeps_nothing_it_says_so(bench: Bench, shell: Shell) -> None:
    bench.model.says("lead", "hello")
    async with bench.run():
        bench.chat.hears("hi")
        await bench.chat.said()
    said = await shell.retinue("sessions", "requests", "t1")
    assert verdicts.NOT_KEPT() in said.out
    assert (
        (await shell.retinue("sessions", "requests", "t9"))
        .err.strip()
        .endswith(texts.NO_SUCH_BUT["turn"](part="t9", nearest="t1"))
    )
