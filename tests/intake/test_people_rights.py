"""What people may have the bot do: by the settings, by the owner's word, and enforced wherever something is done."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.assembly import make_workspace_and_web_tools
from bot.config.channel_access import access_of_channel
from bot.core.access import Access
from bot.core.messages import Address, OutboundKind, PersonId
from bot.core.phrases import list_rights
from bot.core.rights import EVERY_RIGHT, GUEST_RIGHTS, Right, Rights
from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import model, people, people_access
from bot.engine.long_messages import MAX_MESSAGE_CHARACTERS_IN_PROMPT
from bot.tools.schedules import SCHEDULE_TOOL_NAMES
from bot.tools.workspace_scope import CHATS_FOLDER
from channels.telegram.platform import TelegramSettings
from tests.support.bench import Bench
from tests.support.delegation_calls import shown
from tests.support.engine_options import engine_options
from tests.support.fakes import reply, role, uses
from tests.support.group_bots import Registry, asks, group

REPLY, QUESTION = OutboundKind.REPLY, OutboundKind.QUESTION
OFFICE = Address(channel="fake", chat="office")
SHARED = {"fake": Access(owner_id=PersonId("Owner"), allowed_ids=frozenset({"Eve", "Bob"}), owner_address=OFFICE)}
FILES = GUEST_RIGHTS | {Right.READ_FILES, Right.WRITE_FILES}


def with_people(**people: frozenset[Right]) -> dict[str, Access]:
    return {"fake": replace(SHARED["fake"], rights_by_id=people)}


@pytest.fixture
def desk(bench: Bench, tmp_path: Path) -> Path:
    """The owner's workspace, with a file in it; the lead and a role have every tool."""
    workspace = tmp_path / "desk"
    workspace.mkdir()
    (workspace / "tax.txt").write_text("OWNER PRIVATE")
    bench.roles[LEAD_ROLE_NAME] = role("lead", delegates_to=None)
    bench.roles["helper"] = role("helper", delegates_to=None)
    return workspace


def options(desk: Path, **fields: Any) -> dict[str, Any]:
    settings = engine_options(writable_workspace=desk, approvals__enabled=False, **fields)  # rights hold all the same
    return {"tools": make_workspace_and_web_tools(desk), **settings}


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def refused(by: str, right: Right) -> str:
    return model.NOT_PERMITTED(person=by, right=right)


async def heard(bench: Bench, *calls: Any, by: str = "Eve", chat: str = "eve", **fields: Any) -> list[str]:
    """What the lead hears of calls that it makes for somebody."""
    bench.model.says("lead", reply(*calls), "done")
    bench.chat.hears("go", by=by, chat=chat, **fields)
    assert await bench.chat.said(REPLY) == "done"
    return bench.model.heard("lead")


async def test_a_guest_is_shown_only_the_web(bench: Bench, desk: Path) -> None:
    async with bench.run(access=SHARED, **options(desk)):
        await heard(bench, uses("read_file", path="tax.txt"))
    assert shown(bench, "lead") == sorted(
        ["ask_person", "web_fetch", "web_search", *SCHEDULE_TOOL_NAMES - {"schedule_create"}]
    )


@pytest.mark.parametrize("group_chat", [None, "-5"])
async def test_a_guest_reaches_nothing_of_the_owners(bench: Bench, desk: Path, group_chat: str | None) -> None:
    calls = [
        (uses("read_file", path="tax.txt"), Right.READ_FILES),
        (uses("grep", pattern="OWNER"), Right.READ_FILES),
        (uses("write_file", path="tax.txt", content="mine"), Right.WRITE_FILES),
        (uses("memory_search"), Right.MEMORY),
        (uses("memory_save", text="x"), Right.MEMORY),
        (uses("delegate", role="helper", task="read tax.txt"), Right.DELEGATE),
        (uses("list_delegations"), Right.DELEGATE),
    ]
    async with bench.run(access=SHARED, **options(desk)):
        said = await heard(bench, *(call for call, _ in calls), group_chat=group_chat)
        assert said == [refused("Eve", right) for _, right in calls]
    assert (desk / "tax.txt").read_text() == "OWNER PRIVATE"
    assert bench.count("memories") == bench.count("turns", "depth > 0") == 0


async def test_a_group_chat_keeps_its_prefix_for_every_author(bench: Bench, desk: Path) -> None:
    async with bench.run(access=SHARED, **options(desk)):
        for by in ("Owner", "Eve", "Owner"):
            said = await heard(bench, uses("read_file", path="tax.txt"), by=by, chat="hall", group_chat="-5")
            assert (refused("Eve", Right.READ_FILES) in said) is (by == "Eve")
    assert bench.select("max(chapter)", "chapters") == [(1,)]
    served = [request.server_tools for request in bench.model.seen]
    assert all(served), "all of them have the web"


async def test_a_guest_without_the_web_is_not_shown_it_in_a_group_chat(bench: Bench, desk: Path) -> None:
    async with bench.run(access=with_people(Eve=frozenset({Right.TALK})), **options(desk)):
        await heard(bench, uses("list_delegations"), group_chat="-5")
    assert [request.server_tools for request in bench.model.seen] == [frozenset()] * 2


async def test_files_of_a_guest_are_the_chats_own(bench: Bench, desk: Path) -> None:
    async with bench.run(access=with_people(Eve=FILES), **options(desk)):
        no_file, _ = await heard(
            bench, uses("read_file", path="tax.txt"), uses("write_file", path="note.md", content="hers")
        )
        assert "OWNER PRIVATE" not in no_file
        [climbed] = await heard(bench, uses("read_file", path="../../tax.txt"))
        assert "OWNER PRIVATE" not in climbed
        assert await heard(bench, uses("read_file", path="note.md")) != await heard(
            bench, uses("read_file", path="note.md"), chat="other"
        )
    assert (desk / CHATS_FOLDER / "fake-eve" / "note.md").read_text() == "hers"


async def test_a_person_with_all_rights_works_in_the_workspace(bench: Bench, desk: Path) -> None:
    async with bench.run(access=with_people(Eve=EVERY_RIGHT), **options(desk)):
        [read] = await heard(bench, uses("read_file", path="tax.txt"))
    assert "OWNER PRIVATE" in read


async def test_a_long_message_of_a_guest_is_no_file_of_the_owners(bench: Bench, desk: Path) -> None:
    bench.model.says("lead", "read", "read")
    async with bench.run(access=with_people(Bob=FILES), **options(desk)):
        for by in ("Eve", "Bob"):
            bench.chat.hears("x" * (MAX_MESSAGE_CHARACTERS_IN_PROMPT + 1), by=by, chat=by)
            await bench.chat.said(REPLY)
    assert {path.relative_to(desk).parts[0] for path in files_in(desk)} == {CHATS_FOLDER, "tax.txt"}
    assert len(files_in(desk / CHATS_FOLDER)) == len(files_in(desk / CHATS_FOLDER / "fake-Bob" / "received")) == 1


async def test_roles_have_no_right_that_their_person_lacks(bench: Bench, desk: Path) -> None:
    bench.model.says("helper", reply(uses("read_file", path="tax.txt"), uses("memory_search")), "found")
    async with bench.run(access=with_people(Eve=GUEST_RIGHTS | {Right.DELEGATE}), **options(desk)):
        await heard(bench, uses("delegate", role="helper", task="look"))
    assert bench.model.heard("helper") == [refused("Eve", Right.READ_FILES), refused("Eve", Right.MEMORY)]


async def test_a_group_that_is_asked_has_no_right_that_the_person_lacks(bench: Bench, desk: Path) -> None:
    (desk / "plan.md").write_text("THE PLAN")
    registry = Registry(group("alpha", "beta", tools=(), workspace=desk), group("beta", tools=(), workspace=desk))
    bench.model.says("alpha", asks("beta"), "done")
    bench.model.says("beta", reply(uses("read_file", path="plan.md")), "nothing")
    access = with_people(Eve=GUEST_RIGHTS | {Right.DELEGATE})
    async with bench.run(
        access=access,
        groups=registry,
        tools=make_workspace_and_web_tools(desk, registry),
        **engine_options(writable_workspace=desk),
    ):
        bench.chat.hears("go", by="Eve", chat="alpha")
        assert await bench.chat.said(REPLY) == "done"
    assert bench.model.heard("beta") == [refused("Eve", Right.READ_FILES)]


async def test_a_report_in_the_background_is_told_to_the_same_prefix(bench: Bench, desk: Path) -> None:
    bench.model.says("lead", reply(uses("delegate", role="helper", task="look", background=True)), "begun", "told")
    bench.model.says("helper", "found")
    access = with_people(Eve=GUEST_RIGHTS | {Right.DELEGATE})
    async with bench.run(access=access, **options(desk)):
        bench.chat.hears("go", by="Eve", chat="hall", group_chat="-5")
        assert {await bench.chat.said(REPLY), await bench.chat.said(REPLY)} == {"begun", "told"}
    assert bench.select("max(chapter)", "chapters", "session NOT LIKE '%/%'") == [(1,)]


async def test_a_person_without_the_right_to_talk_is_not_heard(bench: Bench) -> None:
    async with bench.run(access=with_people(Eve=frozenset())):
        bench.chat.hears("hello", by="Eve")
        await bench.chat.is_taken_in()
    assert bench.rows("SELECT text FROM inbox") == [("",)]


# What the owner says


async def tell(bench: Bench, text: str) -> str:
    bench.chat.hears(text, by="Owner", chat="office")
    return await bench.chat.said()


def may_use(rights: Rights) -> str:
    return people_access.PERSON_MAY(person="Eve", channel="fake", rights=list_rights(rights))


async def test_the_owner_gives_and_takes_rights_by_buttons(bench: Bench, desk: Path) -> None:
    async with bench.run(access=SHARED, **options(desk)):
        lines = [f"fake {name}: {list_rights(GUEST_RIGHTS)}" for name in ("Bob", "Eve")]
        assert await tell(bench, "/people") == "\n".join([*lines, people_access.PEOPLE_USAGE()])
        bench.chat.hears("/people fake Eve", by="Owner", chat="office")
        asked = (await bench.chat.part(QUESTION)).message
        assert asked.text == may_use(GUEST_RIGHTS)
        give = f"Give {Right.READ_FILES}"
        bench.chat.taps(asked.id, str(asked.options.index(give) + 1), by="Owner", chat="office")
        now = may_use(GUEST_RIGHTS | {Right.READ_FILES})
        both = [(await bench.chat.part()).message for _ in range(2)]
        assert [each.text for each in both] == [now, now]
        [again] = [each for each in both if each.kind is QUESTION]
        assert f"Take {Right.READ_FILES}" in again.options
        [said] = await heard(bench, uses("list_dir"))
        assert said != refused("Eve", Right.READ_FILES)
        bench.chat.taps(asked.id, "1", by="Owner", chat="office")
        assert await bench.chat.said() == people.QUESTION_CLOSED()
        assert await tell(bench, f"/people fake Eve take {Right.READ_FILES}") == may_use(GUEST_RIGHTS)
        assert await heard(bench, uses("list_dir"), chat="later", group_chat="-5") == [refused("Eve", Right.READ_FILES)]


async def test_nobody_else_changes_rights(bench: Bench) -> None:
    async with bench.run(access=SHARED):
        bench.chat.hears("/people fake Eve", by="Owner", chat="office")
        asked = (await bench.chat.part(QUESTION)).message
        bench.chat.taps(asked.id, "2", by="Eve", chat="office")
        await bench.chat.said()
        bench.chat.hears("/people fake Eve give memory", by="Eve", chat="eve")
        await bench.chat.said()
        bench.chat.hears("/people fake Eve give memory", by="Owner", chat="hall", group_chat="-5")
        await bench.chat.said()
    assert bench.rows("SELECT * FROM rights") == []


async def test_commands_do_not_change_rights_from_the_settings(bench: Bench) -> None:
    async with bench.run(access=with_people(Eve=FILES)):
        assert await tell(bench, "/people fake Eve give memory") == people_access.RIGHTS_IN_SETTINGS(
            person="Eve", channel="fake"
        )
        assert await tell(bench, "/people fake Owner take web") == people_access.OWNER_MAY_ALL()
        assert await tell(bench, "/people fake Eve give nonsense") == people_access.RIGHTS_IN_SETTINGS(
            person="Eve", channel="fake"
        )
        assert await tell(bench, "/people fake Bob give nonsense") == people_access.PEOPLE_USAGE()
        assert await tell(bench, "/people elsewhere Bob") == people_access.PEOPLE_USAGE()


def test_the_settings_name_rights_by_person_by_chat_and_for_others() -> None:
    settings = TelegramSettings.model_validate(
        {"owner": 1, "people": {"5": "all", "-7": ["talk", "read files"], "*": ["talk"]}}
    )
    access = access_of_channel("telegram", settings)
    assert access.rights_by_id == {"5": EVERY_RIGHT, "-7": frozenset({Right.TALK, Right.READ_FILES})}
    assert access.others_rights == frozenset({Right.TALK})
    assert access_of_channel("telegram", TelegramSettings()).others_rights == GUEST_RIGHTS


@pytest.mark.parametrize("people", [{"5": ["fly"]}, {"5": "some"}, {"Eve": "all"}, {"5": None}])
def test_an_unknown_right_or_id_is_refused(people: Any) -> None:
    with pytest.raises(ValueError, match="people"):
        TelegramSettings.model_validate({"people": people})


async def test_a_group_chat_in_the_settings_gives_its_rights_to_everybody_there(bench: Bench, desk: Path) -> None:
    access = {"fake": Access(rights_by_id={"-5": FILES})}
    async with bench.run(access=access, **options(desk)):
        [said] = await heard(bench, uses("list_dir"), chat="-5", group_chat="-5")
        assert said != refused("Eve", Right.READ_FILES)
        bench.chat.hears("in private", by="Eve", chat="eve")
        await bench.chat.is_taken_in()
    assert bench.count("turns") == 1
