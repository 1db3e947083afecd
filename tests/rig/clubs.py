"""Group chats to which the bot is added while it is killed: it says hello, its owner decides, and each counts once."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bot.core.texts import Sentence
from bot.core.texts import people_groups as texts
from tests.rig.chat import Chat, Plot
from tests.support.wording import REPEAT_MARK

if TYPE_CHECKING:
    from tests.rig.checks import Played

SCENARIO = "clubs"
CLUB = "club"  # the ids of group chats begin with it
OWNER, OWNER_CHAT, GUEST = "owner", "tg:owner", "gus"  # nobody has let the guest in
WHISPERED = "whispered"  # what the guest says while nobody may talk
EVERYBODY, OWNER_ONLY, LEAVE = texts.EVERYBODY_OPTION, texts.OWNER_ONLY_OPTION, texts.LEAVE_OPTION
TOLD = {EVERYBODY: texts.EVERYBODY_MAY_TALK, OWNER_ONLY: texts.OWNER_ONLY, LEAVE: texts.LEAVING}


def is_club(address: str) -> bool:
    return address.split(":")[1].startswith(CLUB)


def title_of(address: str) -> str:
    return f"Title-{address.split(':')[1]}"


def joined(chat: Chat, kind: str) -> dict[str, str]:
    """Return the messages of a kind that were shown in a chat, with their parts joined."""
    found: dict[str, str] = {}
    for send in chat.first_sends(kind):
        key = send["key"].rsplit(":", 1)[0]
        found[key] = f"{found.get(key, '')} {send['text'].replace(REPEAT_MARK, '')}"
    return {key: " ".join(text.split()) for key, text in found.items()}


async def reads(chat: Chat, words: str, times: int = 1) -> None:
    """Wait until so many notices of a chat hold these words."""
    while sum(words in text for text in joined(chat, "notice").values()) < times:
        chat.world.happened.clear()
        await chat.world.happened.wait()


async def sees_replies(chat: Chat, number: int) -> None:
    while len(joined(chat, "reply")) < number:
        chat.world.happened.clear()
        await chat.world.happened.wait()


async def decides(chat: Chat, option: Sentence, times: int = 1) -> None:
    """Let the owner answer the newest question about this club, which is the one with this number."""
    owner = Chat(chat.world, chat.rng, OWNER_CHAT, chat.tags)
    club = chat.address.split(":")[1]
    while len(asked := [key for key, text in joined(owner, "question").items() if f"{club})" in text]) < times:
        chat.world.happened.clear()
        await chat.world.happened.wait()
    owner.taps(option(), OWNER, f"{asked[-1]}:0")
    owner.taps(option(), OWNER, f"{asked[-1]}:0")  # it counts once
    await reads(owner, TOLD[option](title=title_of(chat.address)))


async def is_open(chat: Chat) -> None:
    """The owner lets everybody talk, and its mode is changed."""
    chat.adds_bot(GUEST)
    await reads(chat, texts.OWNER_DECIDES())
    chat.types(f"and {WHISPERED}", GUEST)
    await decides(chat, EVERYBODY)
    chat.says("and", GUEST)
    await sees_replies(chat, 1)
    chat.types("/mode always", GUEST)
    await reads(chat, texts.MODE_OF_OWNER())
    chat.types("/mode always", OWNER)
    await reads(chat, texts.MODES["always"]()[:30])
    chat.is_overheard("and", GUEST)
    await sees_replies(chat, 2)
    chat.types("/mode off", GUEST, is_admin=True)
    await reads(chat, texts.MODES["off"]()[:20])
    chat.is_unheard("and", GUEST)
    await chat.is_taken_in()
    chat.types("/mode mentioned", GUEST, is_admin=True)
    await reads(chat, texts.MODES["mentioned"]()[:30])
    chat.is_unheard("and", GUEST, kind="overheard")
    chat.says("and", GUEST)
    await sees_replies(chat, 3)


async def is_for_owner(chat: Chat) -> None:
    """The owner keeps the bot for himself there: the guest is not heard."""
    chat.adds_bot(GUEST)
    await decides(chat, OWNER_ONLY)
    chat.types(f"and {WHISPERED}", GUEST)
    chat.says("and", OWNER)
    await sees_replies(chat, 1)
    chat.says("and")


async def is_left(chat: Chat) -> None:
    """The owner has the bot leave. The guest brings it back in vain; the owner himself is asked again."""
    chat.adds_bot(GUEST)
    await decides(chat, LEAVE)
    await leaves(chat, 1)
    chat.adds_bot(GUEST)
    await leaves(chat, 2)
    chat.adds_bot(OWNER)
    await decides(chat, EVERYBODY, 2)
    chat.says("and", GUEST)


async def leaves(chat: Chat, times: int) -> None:
    while chat.world.left[chat.address] < times:
        chat.world.happened.clear()
        await chat.world.happened.wait()


CLUBS: dict[str, dict[str, Plot]] = {
    SCENARIO: {f"tg:{CLUB}1": is_open, f"dc:{CLUB}2": is_left, f"wh:{CLUB}3": is_for_owner}
}
ENDS: dict[
    Plot, tuple[int, int, int, str]
] = {  # by plot: how often the owner was asked, how often it said hello and left, and who may talk at last
    is_open: (1, 1, 0, "everybody"),
    is_for_owner: (1, 1, 0, "owner"),
    is_left: (2, 2, 2, "everybody"),
}


def clubs(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """Each club was greeted, asked about, decided and left as often as it should be, and no stranger's word is kept."""
    if run.scenario != SCENARIO:
        return
    rows = {f"{row['channel']}:{row['group_chat']}": row for row in db.execute("SELECT * FROM group_starts")}
    asked = Counter(
        f"{channel}:{chat}"
        for channel, chat in db.execute(
            "SELECT arguments ->> 'channel', arguments ->> 'group_chat' FROM questions WHERE state = 'answered'"
        )
    )
    hello = Counter(address for (address,) in db.execute("SELECT address FROM outbox WHERE key LIKE 'added:%:hello'"))
    told = Counter(
        found[1] for (text,) in db.execute("SELECT text FROM outbox") for found in [TITLE.search(text)] if found
    )
    for address in run.world.clubs:
        questions, hellos, left, decision = ENDS[CLUBS[SCENARIO][address]]
        run.figures["clubs"] += 1
        is_as_wanted = (asked[address], hello[address], run.world.left[address]) == (questions, hellos, left)
        if not is_as_wanted or told[title_of(address)] != 2 * questions:
            times = f"{asked[address]} questions, {hello[address]} hellos, left {run.world.left[address]} times"
            yield f"{address}: {times}"
        if rows[address]["decision"] != decision or rows[address]["left_at"]:
            yield f"{address} is {dict(rows[address])}"
    for table in ("inbox", "overheard"):
        for row in db.execute(f"SELECT * FROM {table} WHERE text LIKE '%{WHISPERED}%'"):
            yield f"{table} has {dict(row)}"


TITLE = re.compile(f"“(Title-{CLUB}\\d)”")
CHECKS = (clubs,)
