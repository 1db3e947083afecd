"""`retinue sessions requests` and `again`: what the model was asked in a turn, and the turn once more."""

import json

from bot.app import BotServices
from bot.cli.sessions import texts
from bot.core.messages import Address, OutboundKind, PersonId, Sender
from bot.core.texts import forks
from bot.ops import request_texts as verdicts
from bot.ops.control.forks import FORK_REQUEST, make_fork_answerer
from bot.ops.control.server import ControlServer
from bot.ops.health import retinue_version
from tests.stand_ins.claude import ClaudeStandIn, ToolUse, reply
from tests.support.bench import Bench
from tests.support.claude_bot import Talk
from tests.support.running_bot import bench, shell
from tests.support.shell import Shell

__all__ = ["bench", "shell"]

HERE, OWNER = Address(channel="fake", chat="own"), Sender(id=PersonId("Owner"), name="Owner")


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


async def test_a_turn_is_tried_again_by_the_bot_that_runs(bench: Bench, shell: Shell) -> None:
    async def serve(services: BotServices) -> None:
        answer = make_fork_answerer(services.forks, HERE, OWNER, retinue_version())
        await ControlServer(bench.data, {FORK_REQUEST: answer}).run()

    bench.model.says("lead", "first", "again")
    async with bench.run(serve_control_socket=serve):
        bench.chat.hears("hi")
        await bench.chat.said(OutboundKind.REPLY)
        said = await shell.retinue("sessions", "again", "t1", "--words", "hello again")
        assert await bench.chat.said(OutboundKind.REPLY) == "again"
    assert (said.status, said.err) == (0, "")
    [turn] = bench.select("turn", "inbox", "text = 'hello again'")
    assert said.out.startswith(f"{turn[0]} tries it again")
    without = await shell.retinue("sessions", "again", "t1")
    assert (without.status, without.err.strip().endswith(forks.BOT_AWAY())) == (1, True)
