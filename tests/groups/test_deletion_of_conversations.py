"""Conversations deleted where a chat was a group's for a while, and the lead's before and after."""

from bot.core.messages import OutboundKind
from tests.cli.test_sessions_delete import shelf_deleted
from tests.support.bench import Bench
from tests.support.delegation_calls import says
from tests.support.group_bots import Registry, at, group
from tests.support.running_bot import bench

__all__ = ["bench"]

MAIL = Registry(group("mail", addresses=[at("room")])).groups
NOTICE = OutboundKind.NOTICE


async def talk(bench: Bench, registry: Registry) -> None:
    """The lead's, the group's, the lead's again; and in each time a command that no turn takes."""
    for groups, command in ((Registry().groups, "/first"), (MAIL, "/second"), (Registry().groups, "/third")):
        registry.groups = groups
        await says(bench, "hello")
        bench.chat.hears(command)
        assert command in await bench.chat.said(NOTICE)


def commands(bench: Bench) -> list[str]:
    return [text for (text,) in bench.rows("SELECT text FROM inbox WHERE text LIKE '/%' ORDER BY seq")]


def notices(bench: Bench) -> int:
    [(number,)] = bench.rows("SELECT count(*) FROM outbox WHERE kind = 'notice'")
    return int(number)


async def test_a_deleted_conversation_takes_only_words_of_its_own_times_along(bench: Bench) -> None:
    registry = Registry()
    bench.model.says("lead", "one", "three")
    bench.model.says("mail", "two")
    async with bench.run(groups=registry):
        await talk(bench, registry)
    (of_lead,), (of_mail,) = bench.rows("SELECT id FROM sessions ORDER BY rowid")
    assert shelf_deleted(bench, of_mail)[1]
    assert (commands(bench), notices(bench)) == (["/first", "/third"], 2)
    assert shelf_deleted(bench, of_lead)[1]
    assert (commands(bench), notices(bench)) == ([], 0)
