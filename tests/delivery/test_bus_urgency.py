"""What goes first in a chat's lane: each kind of message has its urgency, and the courier heeds it."""

import pytest

from bot.core.messages import Address, MessageId, OutboundId, OutboundKind, OutboundMessage
from bot.journal.bus import Urgency

HERE = Address(channel="fake", chat="room")


def message(kind: OutboundKind, reply_to: str | None = None) -> OutboundMessage:
    about = MessageId(reply_to) if reply_to else None
    return OutboundMessage(id=OutboundId("t1:m"), address=HERE, kind=kind, text="it", reply_to=about)


@pytest.mark.parametrize(
    ("said", "urgency"),
    [
        (message(OutboundKind.NOTICE, reply_to="m-1"), Urgency.ACKNOWLEDGEMENT),
        (message(OutboundKind.REPLY), Urgency.ANSWER),
        (message(OutboundKind.QUESTION), Urgency.ANSWER),
        (message(OutboundKind.APPROVAL), Urgency.ANSWER),
        (message(OutboundKind.UPDATE), Urgency.USUAL),
        (message(OutboundKind.NOTICE), Urgency.USUAL),
        (message(OutboundKind.BOARD), Urgency.USUAL),
    ],
    ids=lambda each: each.name if isinstance(each, Urgency) else each.kind,
)
def test_acknowledgements_go_first_then_answers_and_questions(said: OutboundMessage, urgency: Urgency) -> None:
    assert Urgency.for_message(said) is urgency
    assert Urgency.ACKNOWLEDGEMENT < Urgency.ANSWER < Urgency.USUAL
