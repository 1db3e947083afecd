"""Reports of work that somebody began in a chat which has another agent by now, or none that is in order."""

from bot.core.messages import GroupName, OutboundKind
from bot.core.texts import people
from tests.support.bench import Bench
from tests.support.delegation_calls import says
from tests.support.fakes import Pause, delegates, reply, uses
from tests.support.group_bots import Registry, at, group

NOTICE = OutboundKind.NOTICE
MAIL, NOTES = group("mail", "notes"), group("notes")


async def test_a_report_of_another_agents_work_is_hidden_from_the_present_one(bench: Bench) -> None:
    pause, registry = Pause("a secret of mail's"), Registry(MAIL, NOTES)
    bench.model.says("mail", delegates("researcher", background=True), "begun")
    bench.model.says("researcher", pause)
    async with bench.run(groups=registry):
        assert await says(bench, "go", "mail") == "begun"
        registry.groups = Registry(group("notes", addresses=[at("mail")])).groups
        pause.go_on.set()
        assert await bench.chat.said(NOTICE) == people.REPORT_FOR_ANOTHER()
    assert not bench.model.asked("notes")


async def test_a_report_without_a_reader_can_be_asked_for_later(bench: Bench) -> None:
    pause, registry = Pause("found"), Registry(group("mail", tools=["delegate", "get_delegation"]))
    in_order = registry.groups
    bench.model.says("mail", delegates("researcher", background=True), "begun")
    bench.model.says("researcher", pause)
    async with bench.run(groups=registry):
        assert await says(bench, "go", "mail") == "begun"
        registry.groups = Registry(broken={at("mail"): GroupName("mail")}).groups
        pause.go_on.set()
        assert await bench.chat.said(NOTICE) == people.REPORT_WAITS_FOR_GROUP()
        registry.groups = in_order
        bench.model.says("mail", reply(uses("get_delegation", id="t1/2/0")), "so it is")
        assert await says(bench, "and?", "mail") == "so it is"
    assert bench.model.heard("mail")[0].endswith("[Researcher]: found")
