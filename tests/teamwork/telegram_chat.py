"""The private chat of a person with the bot on Telegram's stand-in, as that person sees it."""

from __future__ import annotations

from collections.abc import Sequence

from channels.telegram.channel import Telegram
from tests.stand_ins.telegram import Message, Person, Room, TelegramStandIn
from tests.stand_ins.telegram.texts import units
from tests.teamwork.chat import Heard, Post, Span

KINDS = {"bold": "bold", "code": "code", "pre": "code", "expandable_blockquote": "fold", "blockquote": "quote"}


class PromptTelegram(Telegram):
    """Telegram that edits a board at once: the conversation's clock stands still between two things that happen."""

    board_edit_seconds = 0.0


class TelegramChat:
    name = "telegram"

    def __init__(self, server: TelegramStandIn, person: Person) -> None:
        self.person = person
        self.room: Room = server.private(person)

    def posts(self) -> Sequence[Post]:
        return [self.post(message) for message in self.room.seen()]

    def post(self, message: Message, *, is_deep: bool = True) -> Post:
        reply_to = message.reply_to if is_deep else None
        return Post(
            id=str(message.id),
            author=message.sender.name,
            text=message.text,
            at=message.at,
            is_mine=message.sender is self.person,
            is_person=not message.sender.is_bot,
            spans=tuple(spans_of(message)),
            reply_to=self.post(reply_to, is_deep=False) if reply_to else None,
            buttons=tuple(tuple(button["text"] for button in row) for row in message.buttons),
            reactions=tuple(message.reactions.values()),
            is_edited=message.edited_at is not None,
            rings=message.sender is not self.person and not message.is_silent,
        )

    def say(self, text: str, *, to: str = "") -> None:
        self.room.say(self.person, text, reply_to=self.find(to) if to else None)

    def tap(self, label: str) -> Heard:
        [*_, message] = [each for each in self.room.answers() if label in each.labels]
        tap = self.room.tap(self.person, message, label)
        return lambda: None if tap.answer is None else tap.heard

    def find(self, words: str) -> Message:
        return [message for message in self.room.seen() if words in message.text][-1]


def spans_of(message: Message) -> list[Span]:
    """Return the formats of a message. Telegram counts UTF-16 units."""
    places, place = {0: 0}, 0
    for number, character in enumerate(message.text, 1):
        place += units(character)
        places[place] = number
    return [
        Span(KINDS[each["type"]], places[each["offset"]], places[each["offset"] + each["length"]])
        for each in message.entities
        if each["type"] in KINDS
    ]
