"""Accounts that are linked by a code, and a person who is forgotten, while the bot is killed: each once, and whole."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bot.core.texts import people_accounts
from bot.core.texts import people_accounts as texts
from tests.rig.chat import Chat, Plot

if TYPE_CHECKING:
    from tests.rig.checks import Played

SCENARIO = "persons"
CODE = re.compile(r"/link ([A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4})")
LINKED_NOTICE = re.compile(re.escape(texts.LINKED_HERE(account="Ann (tg ann)")[:40]))
REFUSED_CODE = re.compile(re.escape(texts.WRONG_LINK_CODE()[:25]))
MOST_CODES = 4  # after five wrong ones an account has to wait for an hour
SECRET = "walnuts"  # what the person writes who is forgotten
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
    """Bob writes something, has himself forgotten, and writes again."""
    chat.types(f"and {SECRET}", "bob")
    await chat.sees("reply")
    chat.types("/forget everything", "bob")
    await chat.sees_question()
    chat.taps(people_accounts.FORGET_OPTION(), "bob")
    await reads(chat, re.escape(texts.FORGOTTEN()[:30]))
    chat.says("and", "bob")


PERSONS: dict[str, dict[str, Plot]] = {SCENARIO: {"tg:1": links, "wh:3": is_forgotten}}


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
    for table, column in (("inbox", "text"), ("outbox", "text"), ("entries", "body"), ("said", "text")):
        for row in db.execute(f"SELECT * FROM {table} WHERE {column} LIKE '%{SECRET}%'"):
            yield f"{table} still has {dict(row)}"


CHECKS = (persons,)
