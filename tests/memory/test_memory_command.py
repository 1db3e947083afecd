"""`/memory`: see, search, export and forget what is remembered."""

from dataclasses import replace

from bot.core.messages import OutboundKind
from bot.core.rights import GUEST_RIGHTS, Right
from bot.core.texts import people
from bot.core.texts import people_accounts as texts
from tests.support.bench import ACCESS, Bench
from tests.support.fakes import reply
from tests.support.group_bots import Registry, group
from tests.support.memory_bot import run, save, says

NOTICE = OutboundKind.NOTICE


async def ask(bench: Bench, text: str, by: str = "Ann", **fields: str) -> str:
    bench.chat.hears(text, by=by, **fields)
    return await bench.chat.said(NOTICE)


async def remember(bench: Bench) -> None:
    await says(bench, reply(save("the cat is red"), save("Bob rides a bicycle")))


async def test_memory_shows_what_is_remembered_newest_first(minded: Bench) -> None:
    async with run(minded):
        assert await ask(minded, "/memory") == texts.NOTHING_REMEMBERED()
        await remember(minded)
        lines = (await ask(minded, "/memory")).splitlines()
    assert lines[0] == texts.REMEMBERED()
    assert ["bicycle" in lines[1], "cat" in lines[2], lines[3]] == [True, True, texts.MEMORY_COMMANDS()]


async def test_memory_search_finds_by_words(minded: Bench) -> None:
    async with run(minded):
        await remember(minded)
        found = await ask(minded, "/memory search bicycle")
        assert "Bob rides a bicycle" in found
        assert "cat" not in found
        assert await ask(minded, "/memory search zebra") == texts.NO_MEMORY_FOUND(words="zebra")


async def test_memory_export_shows_everything_oldest_first(minded: Bench) -> None:
    async with run(minded):
        await remember(minded)
        one, two = (await ask(minded, "/memory export")).split("\n\n")
    assert one.endswith(": the cat is red")
    assert two.endswith(": Bob rides a bicycle")


async def test_memory_forgets_what_was_confirmed_too(minded: Bench) -> None:
    async with run(minded):
        await remember(minded)
        assert await ask(minded, "/memory forget 1") == people.MEMORIES_FORGOTTEN(numbers="1")
        assert await ask(minded, "/memory forget 1") == people.NO_SUCH_MEMORY()
    assert minded.select("text", "memories") == [("Bob rides a bicycle",)]


async def test_in_a_group_chat_one_forgets_only_what_is_ones_own(minded: Bench) -> None:
    limited = {"fake": replace(ACCESS["fake"], others_rights=GUEST_RIGHTS | {Right.MEMORY})}
    async with run(minded, access=limited):
        minded.model.says("lead", reply(save("the cat is red")), "noted")
        minded.chat.hears("remember", by="Ann", chat="hall", group_chat="-5")
        assert await minded.chat.said(OutboundKind.REPLY) == "noted"
        at = {"chat": "hall", "group_chat": "-5"}
        assert await ask(minded, "/memory forget 1", by="Bob", **at) == people.OWNER_CONFIRMS()
        assert await ask(minded, "/memory forget 1", by="Ann", **at) == people.MEMORIES_FORGOTTEN(numbers="1")


async def test_in_private_nobody_decides_about_a_groups_memories_alone(minded: Bench) -> None:
    limited = {"fake": replace(ACCESS["fake"], others_rights=GUEST_RIGHTS | {Right.MEMORY})}
    async with run(minded, access=limited, groups=Registry(group("alpha", tools=("memory_save",)))):
        minded.model.says("alpha", reply(save("the cat is red")), "noted")
        minded.chat.hears("remember", by="Ann", chat="alpha")
        assert await minded.chat.said(OutboundKind.REPLY) == "noted"
        assert await ask(minded, "/memory forget 1", by="Bob", chat="alpha") == people.OWNER_CONFIRMS()
        told = people.MEMORIES_FORGOTTEN(numbers="1")
        assert await ask(minded, "/memory forget 1", by="Owner", chat="alpha") == told


async def test_a_number_that_no_memory_can_have_is_told(minded: Bench) -> None:
    async with run(minded):
        for command in ("/memory forget", "/memory keep"):
            assert await ask(minded, f"{command} 99999999999999999999") == people.MEMORY_USAGE()


async def test_a_long_export_is_a_file_after_its_beginning(minded: Bench) -> None:
    minded.chat.length = 500
    async with run(minded):
        await says(minded, reply(*(save(f"{n} " + "walnut " * 50) for n in range(9))))
        minded.chat.hears("/memory export")
        parts = [await minded.chat.part(NOTICE) for _ in range(2)]
    assert parts[1].text == people.WHOLE_ANSWER()
    [file] = parts[1].files
    with file.open() as content:
        assert content.read().decode().count("walnut") == 450


async def test_without_the_right_to_memory_one_only_forgets_ones_own(minded: Bench) -> None:
    async with run(minded):
        await remember(minded)
    guests = {"fake": replace(ACCESS["fake"], others_rights=GUEST_RIGHTS)}
    async with run(minded, access=guests):
        for command in ("/memory", "/memory search cat", "/memory export", "/memory keep 1"):
            assert await ask(minded, command) == texts.MEMORY_NOT_ALLOWED()
        assert await ask(minded, "/memory forget 1", by="Bob") == texts.MEMORY_NOT_ALLOWED()
        assert await ask(minded, "/memory forget 1") == people.MEMORIES_FORGOTTEN(numbers="1")
