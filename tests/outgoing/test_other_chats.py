"""To which other chats a text may be sent: the person's own, and none beyond the walls of a group."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from bot.core.access import Access
from bot.core.clients import LOCAL_CLIENT
from bot.core.messages import OutboundKind, PersonId
from bot.core.model import ModelReply
from bot.core.rights import NO_RIGHTS
from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import model, people, people_holds
from bot.tools import texts
from tests.support.bench import Bench
from tests.support.client_bench import running_for_clients
from tests.support.delegation_calls import shown
from tests.support.engine_options import engine_options
from tests.support.fakes import delegates, reply, role, uses
from tests.support.group_bots import Registry, at, group
from tests.support.mailing import Post

NOTICE, REPLY, APPROVAL = OutboundKind.NOTICE, OutboundKind.REPLY, OutboundKind.APPROVAL
HELLO = people.SENT_FOR_PERSON(person="Ann", text="Hello.")
TOOLS = ("delegate", "send_message")


@pytest.fixture(autouse=True)
def lead(bench: Bench) -> None:
    bench.roles[LEAD_ROLE_NAME] = role("lead", *TOOLS, "browse", delegates_to=None)


def run(bench: Bench, **more: Any) -> AbstractAsyncContextManager[Any]:
    return bench.run(**engine_options(send_to_other_chats=True), **more)


def sends(chat: str) -> ModelReply:
    return reply(uses("send_message", chat=chat, text="Hello."))


async def talk(bench: Bench, *chats: str, by: str = "Ann", is_private: bool = False) -> None:
    """Let somebody write in these chats, and be answered by the agent there."""
    for chat in chats:
        bench.chat.hears("hi", by=by, chat=chat, group_chat=None if is_private else chat)
        assert await bench.chat.said(REPLY)


def told(bench: Bench, who: str = "lead") -> str:
    return bench.model.heard(who)[-1]


async def test_a_text_goes_to_another_chat_of_the_person_and_says_for_whom(bench: Bench) -> None:
    bench.model.says("lead", "hi", sends("fake:den"), "sent")
    async with run(bench):
        await talk(bench, "den")
        bench.chat.hears("tell those in the den hello")
        part = await bench.chat.part(NOTICE)
        assert (part.message.address, part.message.text, part.message.may_ring) == (at("den"), HELLO, True)
        assert await bench.chat.said(REPLY) == "sent"
    assert told(bench) == model.MESSAGE_ON_ITS_WAY(chat="fake:den")


@pytest.mark.parametrize("named", ["fake:cellar", "fake:room", "fake:nowhere", "fake:office", ""])
async def test_no_text_goes_where_its_person_does_not_talk_with_the_bot(bench: Bench, named: str) -> None:
    """In the cellar only Bob writes; the room is here; in the office she may not talk any more."""
    bench.model.says("lead", "hi", "hi", "hi", sends(named), "no")
    async with run(bench):
        await talk(bench, "den", "office")
        await talk(bench, "cellar", by="Bob")
    access = Access(
        owner_id=PersonId("Owner"), allowed_ids=frozenset({"den", "room"}), rights_by_id={"office": NO_RIGHTS}
    )
    async with run(bench, access={"fake": access}):
        bench.chat.hears("send it", group_chat="room")
        assert await bench.chat.said(REPLY) == "no"
    assert told(bench) == texts.NOT_A_CHAT_TO_SEND_TO(chats="fake:den")


HOME = group("home", is_main=True, tools=TOOLS)
MAIL, NOTES, IDLE = (group(name, *may, tools=TOOLS) for name, *may in (("mail", "notes"), ("notes",), ("idle",)))


@pytest.mark.parametrize(
    ("asking", "may"),
    [
        ("home", ["idle (the group idle)", "mail (the group mail)", "notes (the group notes)"]),
        ("mail", ["notes (the group notes)"]),
        ("notes", []),
        ("room", ["den"]),
        ("den", ["room"]),
    ],
)
async def test_a_text_stays_within_the_walls_of_its_group(bench: Bench, asking: str, may: Sequence[str]) -> None:
    chats = ["home", "mail", "notes", "idle", "room", "den"]
    for chat in chats:
        bench.model.says(chat if chat in chats[:4] else "lead", "hi")
    who = asking if asking in chats[:4] else "lead"
    async with run(bench, groups=Registry(HOME, MAIL, NOTES, IDLE)):
        await talk(bench, *chats)
        bench.model.says(who, sends("?"), "no")
        bench.chat.hears("send it", chat=asking, group_chat=asking)
        assert await bench.chat.said(REPLY) == "no"
    listed = ", ".join(f"fake:{each}" for each in may)
    assert told(bench, who) == (texts.NOT_A_CHAT_TO_SEND_TO(chats=listed) if may else texts.NO_OTHER_CHATS)


async def test_an_own_private_chat_is_within_all_walls_and_a_group_has_a_name(bench: Bench) -> None:
    bench.model.says("lead", "hi")
    bench.model.says(
        "notes", "hi", reply(*(uses("send_message", chat=to, text="Hello.") for to in ("fake:Ann", "?"))), "1"
    )
    bench.model.says("mail", "hi", sends("Notes"), "2")
    async with run(bench, groups=Registry(HOME, MAIL, NOTES)):
        await talk(bench, "Ann", is_private=True)
        await talk(bench, "notes", "mail")
        bench.chat.hears("send it", chat="notes", group_chat="notes")
        assert (await bench.chat.part(NOTICE)).message.address == at("Ann")
        assert await bench.chat.said(REPLY) == "1"
        bench.chat.hears("send it", chat="mail", group_chat="mail")
        assert (await bench.chat.part(NOTICE)).message.address == at("notes")


async def test_a_thread_of_the_owner_s_own_client_is_no_chat(bench: Bench) -> None:
    """A text that is sent there would reach nobody."""
    bench.roles["writer"] = role("writer")
    bench.model.says("writer", "written")
    bench.model.says("lead", "hi", sends("?"), "no")
    async with running_for_clients(bench, send_to_other_chats=True) as bot:
        await bot.ask("follow", LOCAL_CLIENT, id=await bot.begin(LOCAL_CLIENT, role="writer", task="write"))
        await talk(bench, "den", by="Owner")
        bench.chat.hears("send it", by="Owner", chat="owner")
        assert await bench.chat.said(REPLY) == "no"
    assert told(bench) == texts.NOT_A_CHAT_TO_SEND_TO(chats="fake:den")


async def test_no_role_sends_texts_to_other_chats(bench: Bench) -> None:
    bench.roles["writer"] = role("writer", "send_message")
    bench.model.says("lead", "hi", delegates("writer"), "done")
    bench.model.says("writer", sends("fake:den"), "no")
    async with run(bench):
        await talk(bench, "den")
        bench.chat.hears("have it sent")
        assert await bench.chat.said(REPLY) == "done"
    assert bench.count("outbox", "address = 'fake:den' AND kind = 'notice'") == 0


@pytest.mark.parametrize("is_named", [True, False])
async def test_after_others_words_only_the_person_names_the_chat(bench: Bench, is_named: bool) -> None:
    bench.is_gate_open = False
    bench.model.says("lead", "hi", reply(uses("browse")), sends("fake:den"), "done")
    async with run(bench, tools=Post().tools()):
        await talk(bench, "den")
        bench.chat.hears("read the page" + (" and send hello to fake:den" if is_named else ""))
        if is_named:
            assert await bench.chat.said(NOTICE) == HELLO
        else:
            assert people_holds.NOT_ASKED_FOR(value="") in await bench.chat.said(APPROVAL)


async def test_without_the_setting_there_is_no_such_tool(bench: Bench) -> None:
    bench.model.says("lead", "done")
    async with bench.run():
        bench.chat.hears("hi")
        assert await bench.chat.said(REPLY) == "done"
    assert "send_message" not in shown(bench, "lead")
