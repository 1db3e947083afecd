"""Pastes that a client has cut into several messages. Telegram does not say so: their lengths and times show it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from bot.core.messages import Address, InboundEvent, InboundKind, InboundMessage, OverheardMessage, PersonId
from channels.telegram.rendering import utf16_length

# UTF-16 units. Clients cut at 4,096, or at the last space or line break before that.
MIN_CUT_PASTE_LENGTH = 3_500
LONGEST_GAP = timedelta(seconds=10)  # between two parts: a client sends them one after the other


@dataclass
class PasteParts:
    """Knows whose last message may go on in the next one."""

    _ends: dict[tuple[Address, PersonId], datetime] = field(default_factory=dict)  # of parts that are long enough

    def mark_pasted(self, events: Sequence[InboundEvent]) -> list[InboundEvent]:
        """Return the events. Of the parts of a cut paste nothing counts as written by their sender: a paste that fits
        into one message is too long to be typed, too."""
        marked = list(events)
        places: dict[tuple[Address, PersonId], int] = {}
        for place, event in enumerate(events):
            message = event.message if isinstance(event, OverheardMessage) else event
            if not isinstance(message, InboundMessage) or message.kind is not InboundKind.TEXT:
                continue
            key = (message.address, message.sender.id)
            end = self._ends.pop(key, None)
            if end is not None and abs(message.sent_at - end) <= LONGEST_GAP:
                for part in {places.get(key, place), place}:
                    marked[part] = without_written_words(events[part])
            if utf16_length(message.text) >= MIN_CUT_PASTE_LENGTH:
                self._ends[key], places[key] = message.sent_at, place
        return marked


def without_written_words(event: InboundEvent) -> InboundEvent:
    match event:
        case InboundMessage():
            return replace(event, written="")
        case OverheardMessage():
            return replace(event, message=replace(event.message, written=""))
    return event
