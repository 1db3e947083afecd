"""Fill the books of the month from the stand-ins: what people wrote, what the model was asked, and what people read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from tests.month.books import REMINDER, Books, Request, Written
from tests.month.places import DiscordPlace, Place
from tests.month.script import View

if TYPE_CHECKING:
    from tests.month.family import Family

FILES_ON_TELEGRAM = frozenset({"photo", "document", "voice", "audio", "video"})


def written_in(family: Family, place: Place, message: Any, by: str) -> Written:
    """Return what the books keep of a message that somebody has written."""
    if isinstance(place, DiscordPlace):
        key = f"discord:{family.discord.bot.id}:{message.channel.id}:{message.id}"
        return Written(key, by, len(message.attachments))
    key = f"telegram:{family.telegram.world.bot.id}:{message.chat.id}:{message.id}"
    return Written(key, by, len(FILES_ON_TELEGRAM & message.media.keys()))


def hash_of_sent(family: Family) -> Callable[[str], str]:
    """Return a function from a file's reference on its platform to the hash of what was sent; empty if unknown."""

    def find(reference: str) -> str:
        if reference.startswith("["):
            content = family.discord.cdn.contents.get(urlsplit(json.loads(reference)[0]).path)
        else:
            content = family.telegram.world.files.get(reference)
        return hashlib.sha256(content).hexdigest() if content is not None else ""

    return find


def fill_books(books: Books, family: Family) -> None:
    books.requests = [
        Request(
            View(each.asked).place,
            f"{each.asked.before[-1]}:{len(each.asked.messages)}",
            each.status == 200 and not (each.hung_up or each.fault) and each.ended is not None and bool(each.reply),
            each.ended or 0.0,
        )
        for each in family.claude.requests
    ]
    books.reminders.clear()
    books.replies.clear()
    for place in family.places.values():
        address = quote(place.address, safe=":")
        for shown in place.shown():
            if shown.is_marked:
                continue
            if shown.text.startswith(REMINDER):
                books.reminders[address, shown.text.splitlines()[0].removeprefix(REMINDER)] += 1
            if shown.reply_to is not None:
                books.replies[f"{place}: {shown.reply_to} (id {shown.reply_to.id})", shown.text] += 1
