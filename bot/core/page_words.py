"""What the owner writes in the page in a browser, on its way to the bot."""

import hashlib
import json
from dataclasses import dataclass
from enum import StrEnum

from bot.core.messages import MessageId

PAGE_MESSAGE_ID_PREFIX = "page:"
MAX_WORDS_CHARACTERS = 100_000


class PageAct(StrEnum):
    """What a form of the page does, and of what `PageWords.about` is the id."""

    WRITE = "write"  # in a conversation
    STOP = "stop"  # what is at work in a conversation
    TELL = "tell"  # a delegation
    STOP_DELEGATION = "stop delegation"
    ANSWER = "answer"  # a question

    @property
    def is_stop(self) -> bool:
        return self in (PageAct.STOP, PageAct.STOP_DELEGATION)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageWords:
    """What one form has sent. The same words of the same form are one message, however often they come."""

    form: str  # made for the form when the page was shown
    act: PageAct
    about: str
    text: str = ""

    @property
    def message_id(self) -> MessageId:
        """Return the id of the message that these words become. It depends on all of them: who goes back in the browser
        and sends the form with other words sends another message."""
        sent = json.dumps([self.form, self.act, self.about, self.text])
        return MessageId(f"{PAGE_MESSAGE_ID_PREFIX}{hashlib.sha256(sent.encode()).hexdigest()[:32]}")


def is_from_page(message: MessageId) -> bool:
    return message.startswith(PAGE_MESSAGE_ID_PREFIX)
