"""People of two platforms who write commands, without a bot: what each answers comes from the rows alone."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count

from bot.core.access import Access
from bot.core.limits import DecisionTerms
from bot.core.messages import Address, InboundKind, InboundMessage, MessageId, PersonId, Sender
from bot.core.rights import Right, Rights
from bot.core.settings import Settings
from bot.journal import linking
from bot.journal.admission import rights_of_sender
from bot.store import inbox
from bot.store.connection import Connection
from tests.support.rows import NOW

CODE = re.compile(r"[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}")
MEMORY_TOO: Rights = frozenset({Right.TALK, Right.WEB, Right.MEMORY})
ACCESS = {
    "telegram": Access(
        owner_id=PersonId("1"),
        owner_address=Address(channel="telegram", chat="1"),
        allowed_ids=frozenset({"7", "9"}),
        rights_by_id={"7": MEMORY_TOO},
        may_strangers_pair=True,
    ),
    "discord": Access(
        owner_id=PersonId("2"),
        allowed_ids=frozenset({"80", "-5"}),
        rights_by_id={"-6": frozenset({Right.TALK})},
        may_strangers_pair=True,
    ),
}
numbers: Iterator[int] = count(1)


def terms(now: datetime = NOW) -> DecisionTerms:
    return DecisionTerms(settings=Settings(), now=now, access_by_channel=ACCESS)


def written(text: str, channel: str, account: str, group_chat: str | None = None) -> InboundMessage:
    kind = InboundKind.COMMAND if text.startswith("/") else InboundKind.TEXT
    return InboundMessage(
        id=MessageId(f"{channel}:m{next(numbers)}"),
        address=Address(channel=channel, chat=group_chat or account),
        sender=Sender(id=PersonId(account), name=f"Name{account}"),
        text=text,
        sent_at=NOW,
        kind=kind,
        group_chat=group_chat,
    )


def writes(
    db: Connection, text: str, channel: str, account: str, *, minutes: float = 0, group: str | None = None
) -> str:
    """Return what the command of an account is answered."""
    now = NOW + timedelta(minutes=minutes)
    message = written(text, channel, account, group)
    inbox.add_inbound_message(db, message, now)
    run = linking.answer_unlink_command if text.startswith("/unlink") else linking.answer_link_command
    return run(db, message, terms(now))


def code_for(db: Connection, channel: str, account: str) -> str:
    """Return the code that an account makes."""
    found = CODE.search(writes(db, "/link", channel, account))
    assert found
    return found[0]


def link(db: Connection, first: tuple[str, str], other: tuple[str, str]) -> str:
    """Link another account with the first one. Return what the other one reads."""
    return writes(db, f"/link {code_for(db, *first)}", *other)


def rights_of(db: Connection, channel: str, account: str, group: str | None = None) -> Rights:
    message = written("", channel, account, group)
    return rights_of_sender(db, message.address, message.sender, group, terms())
