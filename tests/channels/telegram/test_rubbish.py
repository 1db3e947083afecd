"""Whatever Telegram sends in the place of anything is read or set aside: an error would end the bot at each start."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from bot.core.messages import InboundMessage, UnreadableEvent
from channels.telegram.polling import UpdateBatch
from channels.telegram.timing import TelegramTiming
from channels.telegram.update_reader import TelegramUpdateReader

RUBBISH: tuple[Any, ...] = (None, [], {}, "", 0, -1, True, 1.5, "x", [1], {"a": 1}, [None], 2**62, 2**70, "\ud800")
ANN = {"id": 7, "is_bot": False, "first_name": "Ann", "last_name": "Lee"}
GROUP = {"id": -100, "type": "supergroup", "title": "Crew"}
ASKED: dict[str, Any] = {
    "message_id": 5,
    "date": 1_790_000_000,
    "chat": {"id": 7, "type": "private"},
    "from": ANN,
    "text": "hello",
    "entities": [{"type": "bold", "offset": 0, "length": 2}],
}
MENTION = {"text": "@our_bot hi", "entities": [{"type": "mention", "offset": 0, "length": 8}], "chat": GROUP}
REPLY = {"reply_to_message": ASKED, "quote": {"text": "hell"}, "message_thread_id": 3, "is_topic_message": True}
FORWARD = {"forward_origin": {"type": "user", "sender_user": ANN}, "media_group_id": "1"}
ELSEWHERE = {"external_reply": {"origin": {"type": "chat", "sender_chat": GROUP}}, "quote": {"text": "q"}}
SPOT = {"latitude": 1.0, "longitude": 2.0}
PLACE = {"venue": {"title": "Home", "location": SPOT}, "location": {**SPOT, "live_period": 60}}
FILES = {"voice": {"duration": 3, "file_id": "v"}, "document": {"file_name": "f"}, "sticker": {"emoji": "x"}}
PHOTO = {"photo": [{"file_id": "p", "width": 3, "file_size": 5}], "dice": {"emoji": "x", "value": 1}}
POLL = {"poll": {"question": "q", "options": [{"text": "a", "voter_count": 1}]}, "gift": {"text": "b"}}
LIST = {"checklist": {"title": "t", "tasks": [{"text": "a", "completion_date": 1}]}, "paid_media": {"star_count": 1}}
CELLS = [[{"text": {"type": "url", "text": "a", "url": "b"}}]]
BLOCKS = [{"type": "table", "cells": CELLS}, {"type": "photo", "photo": [{"file_id": "p"}], "caption": {"text": "c"}}]
UPDATES: dict[str, dict[str, Any]] = {
    "a reply in a topic": {"message": {**ASKED, **MENTION, **REPLY}},
    "a forward": {"message": {**ASKED, **FORWARD}},
    "a reply to elsewhere": {"message": {**ASKED, **ELSEWHERE}},
    "media": {"message": {**ASKED, **PLACE, **FILES}},
    "a photo": {"message": {**ASKED, **PHOTO}},
    "what is told in words": {"message": {**ASKED, **POLL, **LIST}},
    "a rich message": {"message": {**ASKED, "rich_message": {"blocks": BLOCKS}}},
    "an edit": {"edited_message": ASKED, "message": None},
    "a tap": {"callback_query": {"id": "9", "data": "1:t1/0", "from": ANN, "message": ASKED}, "message": None},
    "a move": {"message": {**ASKED, "chat": GROUP, "migrate_to_chat_id": -200}},
}


@pytest.mark.parametrize("update", UPDATES.values(), ids=UPDATES)
def test_rubbish_in_the_place_of_anything_is_read_or_set_aside(update: dict[str, Any]) -> None:
    for path in paths({"update_id": 1, **update}):
        for rubbish in RUBBISH:
            batch = UpdateBatch(TelegramUpdateReader(bot_id=99, bot_username="our_bot"))
            batch.add_new_updates([spoilt({"update_id": 1, **update}, path, rubbish)])
            batch.seconds_to_wait_by_chat(TelegramTiming())
            for event in batch.take_unpublished_events():
                assert not isinstance(event, InboundMessage | UnreadableEvent) or str(event.address)


def paths(whole: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to each thing in some JSON."""
    within = whole.items() if isinstance(whole, dict) else enumerate(whole) if isinstance(whole, list) else ()
    for name, each in within:
        yield (*above, name)
        yield from paths(each, (*above, name))


def spoilt(update: Any, path: tuple[Any, ...], rubbish: Any) -> Any:
    *above, last = path
    whole = found = deepcopy(update)
    for name in above:
        found = found[name]
    found[last] = rubbish
    return whole
