"""Accounts that are linked by a code, and a person who is forgotten, while the bot is killed: each once, and whole."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.core.texts import people_accounts
from bot.core.texts import people_accounts as texts
from tests.rig import traces
from tests.rig.arrivals import sends
from tests.rig.chat import Chat, Plot
from tests.rig.clubs import sees_replies
from tests.rig.files import HAS_DESK
from tests.rig.schedules import HAS_CLOCK, PLAN
from tests.rig.traces import INDEXED_AT_ONCE

if TYPE_CHECKING:
    from tests.rig.checks import Played

SCENARIO = "persons"
CODE = re.compile(r"/link ([A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4})")
SECRET, STEM = "quokkas", "quokka"  # what the person writes who is forgotten
LINKED_NOTICE = re.compile(re.escape(texts.LINKED_HERE(account="Ann (tg ann)")[:40]))
REFUSED_CODE = re.compile(re.escape(texts.WRONG_LINK_CODE()[:25]))
MOST_CODES = 4  # after five wrong ones an account has to wait for an hour
LINKED = [("dc", "zoe", "tg:ann"), ("tg", "ann", "tg:ann")]


def notices(chat: Chat) -> str:
    return "".join(send["text"] for send in chat.first_sends("notice"))


async def reads(chat: Chat, words: str | re.Pattern[str], times: int = 1) -> str:
    """Wait until the notices of a chat hold these words so many times. Return what was found last."""
    while len(found := [*re.finditer(words, notices(chat))]) < times:
        chat.world.happened.clear()
        await chat.world.happened.wait()
    return found[-1][found[-1].re.groups]


async def is_linked(chat: Chat, refusals: int) -> bool:
    """Wait until the account is linked here, or until more codes were refused than so many."""
    while not LINKED_NOTICE.search(notices(chat)):
        if len(REFUSED_CODE.findall(notices(chat))) > refusals:
            return False
        chat.world.happened.clear()
        await chat.world.happened.wait()
    return True


async def links(chat: Chat) -> None:
    """Ann links an account that may not talk yet, on another platform, and talks from there. If the code has ended when
    it comes, because the bot was away for so long, she makes a new one."""
    there = Chat(chat.world, chat.rng, "dc:2", chat.tags)
    there.types("/link AAAA-AAAA", "zoe")
    for refusals in range(1, MOST_CODES + 1):
        chat.types("/link")
        there.types(f"/link {await reads(chat, CODE, refusals)}", "zoe")
        if await is_linked(there, refusals):
            break
    there.says("and", "zoe")
    chat.says("and")
    await there.sees("reply")


async def is_forgotten(chat: Chat) -> None:
    """Bob writes, plans, saves and sends something, also where others write. He has himself forgotten, and writes
    again."""
    there = Chat(chat.world, chat.rng, SHARED, chat.tags)
    chat.types(f"{PLAN} {' | '.join(KEPT)}", "bob")
    await sees_replies(chat, 1)
    sends(chat, f"and {SECRET}", f"{SECRET} list", by="bob", is_answered=False)
    await sees_replies(chat, 2)
    there.says("and")
    await sees_replies(there, 1)
    there.types(f"and {SECRET}", "bob")
    await sees_replies(there, 2)
    chat.types("/forget everything", "bob")
    await chat.sees("question")
    while texts.FORGOTTEN()[:30] not in notices(chat):  # not while anything is on its way
        chat.taps(people_accounts.FORGET_OPTION(), "bob")
        await chat.pause(0.3)
    chat.says("and", "bob")
    there.says("and")


SHARED = "wh:4"  # the chat where others write too
KEPT = (
    f"memory_save text={SECRET}",
    f"remind_me text={SECRET} when=PT3H",
    f"remind_me text={SECRET} when=PT0S",
    f"schedule_create task=news when=PT2H only_if=file_changed what={SECRET}.txt",
    f"send_file path=notes.md caption={SECRET}",
)
PERSONS: dict[str, dict[str, Plot]] = {SCENARIO: {"tg:1": links, "wh:3": is_forgotten}}
PERSONS_SETTINGS: dict[str, dict[str, Any]] = {
    SCENARIO: {HAS_DESK: True, HAS_CLOCK: True, INDEXED_AT_ONCE: ["english"]}
}


def persons(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """Accounts are linked, and nothing is left of what a forgotten person has written or was told."""
    if run.scenario != SCENARIO:
        return
    linked = [tuple(row) for row in db.execute("SELECT channel, account, person FROM linked_accounts ORDER BY 1, 2")]
    has_linked = db.execute("SELECT 1 FROM inbox WHERE text LIKE '/link%'").fetchone()  # not each run plays all chats
    if linked != (LINKED if has_linked else []):
        yield f"linked are {linked}"
    if left := db.execute("SELECT count(*) FROM link_codes").fetchone()[0]:
        yield f"{left} codes are left"
    yield from traces.find_in_rows(db, STEM)
    [data] = [row["file"] for row in db.execute("PRAGMA database_list") if row["name"] == "main"]
    # The next close of the file would empty the log.
    for folder in (Path(data).parent, run.folder / "workspace") if run.has_closed else ():
        yield from traces.find_in_files(folder, STEM)


CHECKS = (persons,)
