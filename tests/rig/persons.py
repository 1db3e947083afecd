"""Accounts that are linked by a code, and a person who is forgotten, while the bot is killed: each once, and whole."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bot.core.texts import people_accounts as texts
from bot.journal.forgetting import FORGET_OPTION
from tests.rig.chat import Chat, Plot

if TYPE_CHECKING:
    from tests.rig.checks import Played

SCENARIO = "persons"
CODE = re.compile(r"/link ([A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4})")
SECRET = "walnuts"  # what the person writes who is forgotten
LINKED = [("dc", "zoe", "tg:ann"), ("tg", "ann", "tg:ann")]


def notices(chat: Chat) -> str:
    return "".join(send["text"] for send in chat.first_sends("notice"))


async def reads(chat: Chat, words: str | re.Pattern[str]) -> str:
    """Wait until the notices of a chat hold these words. Return what was found."""
    while not (found := re.search(words, notices(chat))):
        chat.world.happened.clear()
        await chat.world.happened.wait()
    return found[found.re.groups]


async def links(chat: Chat) -> None:
    """Ann links an account that may not talk yet, on another platform, and talks from there."""
    there = Chat(chat.world, chat.rng, "dc:2", chat.tags)
    chat.types("/link")
    code = await reads(chat, CODE)
    there.types("/link AAAA-AAAA", "zoe")
    there.types(f"/link {code}", "zoe")
    await reads(there, re.escape(texts.LINKED_HERE(account="Ann (tg ann)")[:40]))
    there.says("and", "zoe")
    chat.says("and")
    await there.sees("reply")


async def is_forgotten(chat: Chat) -> None:
    """Bob writes something, has himself forgotten, and writes again."""
    chat.types(f"and {SECRET}", "bob")
    await chat.sees("reply")
    chat.types("/forget everything", "bob")
    await chat.sees_question()
    chat.taps(FORGET_OPTION, "bob")
    await reads(chat, re.escape(texts.FORGOTTEN()[:30]))
    chat.says("and", "bob")


PERSONS: dict[str, dict[str, Plot]] = {SCENARIO: {"tg:1": links, "wh:3": is_forgotten}}


def persons(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """Accounts are linked, and nothing is left of what a forgotten person has written or was told."""
    if run.scenario != SCENARIO:
        return
    linked = [tuple(row) for row in db.execute("SELECT channel, account, person FROM linked_accounts ORDER BY 1, 2")]
    if linked != LINKED:
        yield f"linked are {linked}"
    if left := db.execute("SELECT count(*) FROM link_codes").fetchone()[0]:
        yield f"{left} codes are left"
    for table, column in (("inbox", "text"), ("outbox", "text"), ("entries", "body"), ("said", "text")):
        for row in db.execute(f"SELECT * FROM {table} WHERE {column} LIKE '%{SECRET}%'"):
            yield f"{table} still has {dict(row)}"


CHECKS = (persons,)
