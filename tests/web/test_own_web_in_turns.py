"""The web tools that run here, in a turn of a bot whose model's server has none."""

from dataclasses import replace

from bot.core.role import LEAD_ROLE_NAME
from bot.core.sources import Source
from tests.support.bench import ROLES, Bench
from tests.support.fakes import reply, uses
from tests.support.own_web import OwnWeb


async def test_a_turn_searches_reads_and_has_read_the_web(bench: Bench, web: OwnWeb) -> None:
    lead = ROLES[LEAD_ROLE_NAME]
    bench.roles[LEAD_ROLE_NAME] = replace(lead, tools=frozenset({*(lead.tools or ()), *web.tools}))
    address = web.has_page("<body><p>It leaves at 20:40.")
    bench.model.says(
        "lead", reply(uses("web_search", query="night train"), uses("web_fetch", url=address)), "At 20:40."
    )
    async with bench.run(tools=[*bench.tools(), *web.tools.values()]):
        bench.chat.hears("when does it leave?")
        assert await bench.chat.said() == "At 20:40."
    found, read = bench.select("result", "calls", order="rowid")
    assert "https://one.example/" in str(found)
    assert "It leaves at 20:40." in str(read)
    [(sources,)] = bench.select("sources", "sessions")
    assert str(Source.WEB) in sources


async def test_a_call_that_fails_is_told_to_the_model(bench: Bench, web: OwnWeb) -> None:
    lead = ROLES[LEAD_ROLE_NAME]
    bench.roles[LEAD_ROLE_NAME] = replace(lead, tools=frozenset({*(lead.tools or ()), *web.tools}))
    bench.model.says("lead", reply(uses("web_fetch", url="http://127.0.0.2/")), "I can't.")
    async with bench.run(tools=[*bench.tools(), *web.tools.values()]):
        bench.chat.hears("read it")
        assert await bench.chat.said() == "I can't."
    [(result,)] = bench.select("result", "calls")
    assert "127.0.0.2 is not on the public internet" in str(result)
