"""Answers of many shapes on both platforms: whole, within the limits, every link as it was."""

import re

import pytest

from bot.core.messages import Address, OutboundId, OutboundKind, OutboundMessage
from channels.discord.rendering import MAX_MESSAGE_CODE_POINTS, render_message_texts
from channels.telegram.rendering import render_message_parts, utf16_length
from tests.support.sample_answers import ANSWERS

LINK = re.compile(r"\]\((https://\S+?)\)(?=[\s.,;]|$)")
BARE = re.compile(r"(?<!\()https://[^\s)]*")


def message(text: str, channel: str) -> OutboundMessage:
    address = Address(channel=channel, chat="7")
    return OutboundMessage(id=OutboundId("t1"), address=address, kind=OutboundKind.REPLY, text=text)


def letters(text: str) -> str:
    """What there is to read: without the fences' languages, and without what only marks."""
    return re.sub(r"[\W_]", "", re.sub(r"^\s*```\w*$", "", text.replace("\u200b", ""), flags=re.MULTILINE))


def test_there_are_two_hundred() -> None:
    assert len(set(ANSWERS)) == 200


@pytest.mark.parametrize("answer", ANSWERS, ids=range(len(ANSWERS)))
def test_an_answer_is_whole_on_telegram(answer: str) -> None:
    pieces = list(render_message_parts(message(answer, "telegram")))
    assert all(0 < utf16_length(piece.text) <= 4_096 and len(piece.entities) <= 100 for piece in pieces)
    shown = "\n".join(piece.text for piece in pieces)
    assert letters(shown) == letters(LINK.sub("]", answer))
    behind = [entity.url for piece in pieces for entity in piece.entities if entity.url]
    assert behind == LINK.findall(answer)
    assert BARE.findall(shown) == BARE.findall(LINK.sub("]", answer))


@pytest.mark.parametrize("answer", ANSWERS, ids=range(len(ANSWERS)))
def test_an_answer_is_whole_on_discord(answer: str) -> None:
    parts = render_message_texts(message(answer, "discord"))
    assert all(0 < len(part) <= MAX_MESSAGE_CODE_POINTS for part in parts)
    assert all(part.count("```") % 2 == 0 for part in parts)
    shown = "\n".join(parts)
    assert letters(shown) == letters(answer)
    assert LINK.findall(shown) == LINK.findall(answer)
    assert BARE.findall(shown) == BARE.findall(answer)
