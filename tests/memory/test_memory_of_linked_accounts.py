"""A person's memories follow them over /link to all their accounts, and stay where they were saved after /unlink."""

from contextlib import closing
from pathlib import Path

from bot.core.messages import OutboundKind
from bot.journal.forgetting import FORGET_OPTION
from bot.store.connection import WRITER_PRAGMAS
from tests.support.backup_bot import connection
from tests.support.bench import Bench
from tests.support.fakes import reply
from tests.support.memory_bot import digest, get, run, save, saves, says, search
from tests.support.search import index_all

NOTICE, QUESTION = OutboundKind.NOTICE, OutboundKind.QUESTION
ANN, BOB = {"by": "Ann", "chat": "ann"}, {"by": "Bob", "chat": "bob"}  # accounts of one person
OTHERS = {"by": "Bob", "chat": "hall", "group_chat": "-5"}


async def command(bench: Bench, text: str, **where: str) -> str:
    bench.chat.hears(text, **where)
    return await bench.chat.said(NOTICE)


async def link(bench: Bench) -> None:
    code = (await command(bench, "/link", **ANN)).split("/link ")[1].split()[0]
    await command(bench, f"/link {code}", **BOB)
    while not bench.chat.sent.empty():
        bench.chat.sent.get_nowait()


async def found(bench: Bench, **where: str) -> str:
    """Return the results of a search and of a look at the first two memories."""
    await says(bench, reply(search("likes"), get(1), get(2)), **where)
    return str(bench.model.heard("lead"))


async def test_a_linked_account_sees_the_memories_of_all_accounts(minded: Bench) -> None:
    async with run(minded):
        await says(minded, saves("Ann likes walnuts"), **ANN)
        await says(minded, saves("Bob likes almonds"), **BOB)
        await link(minded)
        for where in (ANN, BOB):
            said = await found(minded, **where)
            assert "walnuts" in said
            assert "almonds" in said
            told = await digest(minded, **where)
            assert "walnuts" in told
            assert "almonds" in told
            assert "walnuts" in await command(minded, "/memory", **where)
        assert "likes" not in (await found(minded, **OTHERS)).replace("words: like", "").replace("words: likes", "")


async def test_after_unlinking_each_account_has_its_own_memories_again(minded: Bench) -> None:
    async with run(minded):
        await link(minded)
        await says(minded, saves("Ann likes walnuts"), **ANN)
        await says(minded, saves("Bob likes almonds"), **BOB)
        await command(minded, "/unlink", **BOB)
        said = await found(minded, **BOB)
        assert "almonds" in said
        assert "walnuts" not in said
        said = await found(minded, **ANN)
        assert "walnuts" in said
        assert "almonds" not in said


async def test_forgetting_takes_the_memories_of_all_accounts_out_of_the_file(minded: Bench) -> None:
    async with run(minded):
        await says(minded, saves("Ann likes walnuts", "Ann likes hazelnuts"), **ANN)
        await says(minded, saves("Bob likes almonds"), **BOB)
        await says(minded, reply(save("Owner likes cashews")), by="Owner", chat="owner")
        await link(minded)
    with closing(connection(minded.data / "bot.db")) as db:
        db.executescript(WRITER_PRAGMAS)
        db.start_collecting_wake_ups()
        index_all(db)
    assert b"walnut" in bytes_of_file(minded.data)
    async with run(minded):
        minded.chat.hears("/forget everything", **BOB)
        question = (await minded.chat.part(QUESTION)).message.id
        minded.chat.taps(question, FORGET_OPTION, **BOB)
        await minded.chat.said(NOTICE)
    assert minded.select("text", "memories") == [("Owner likes cashews",)]
    assert [word for word in (b"walnut", b"hazelnut", b"almond") if word in bytes_of_file(minded.data)] == []


def bytes_of_file(data: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(data.glob("bot.db*"))).lower()
