"""What a group chat is to the bot: when it answers there, and what it heard there that was not for it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.core.messages import Address, InboundMessage, MessageId, PersonId, Quote

MAX_TALK_CHARACTERS = 6_000  # that come with one message
MAX_LINE_CHARACTERS = 500


class ChatMode(StrEnum):
    """When the bot answers in a group chat."""

    MENTIONED = "mentioned"  # if somebody names it, replies to it or gives it a command
    OFF = "off"  # only commands
    ALWAYS = "always"  # everything that is not for somebody else


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkLine:
    """What somebody said in a group chat, and not to the bot."""

    id: MessageId
    address: Address
    person: PersonId
    name: str
    text: str
    sent_at: datetime


def talk_line_of_message(message: InboundMessage) -> TalkLine:
    forwarded = [quote.text for quote in message.quotes if quote.is_forwarded]
    files = [file.name or file.kind.value for file in message.files]
    told = [*([message.text] if message.text else []), *forwarded, *(f"[{each}]" for each in files)]
    told += [f"[{each}]" for each in message.attachments]
    text = " ".join(told)
    cut = text if len(text) <= MAX_LINE_CHARACTERS else f"{text[:MAX_LINE_CHARACTERS].rstrip()} …"
    return TalkLine(
        id=message.id,
        address=message.address,
        person=message.sender.id,
        name=message.sender.name,
        text=cut,
        sent_at=message.sent_at,
    )


def quotes_of_talk(lines: list[TalkLine]) -> tuple[Quote, ...]:
    """Return the newest of these lines as quotes, oldest first, within MAX_TALK_CHARACTERS."""
    found: list[Quote] = []
    left = MAX_TALK_CHARACTERS
    for line in reversed(lines):
        left -= len(line.text)
        if left < 0:
            break
        found.append(Quote(author=line.name, text=line.text, is_earlier_talk=True))
    return tuple(reversed(found))
