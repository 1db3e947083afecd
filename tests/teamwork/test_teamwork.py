"""The conversations of docs/teamwork.md are had again: each must still be as the page and its pictures show it."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.teamwork.on_discord import talk_on_discord
from tests.teamwork.on_telegram import talk_on_telegram
from tests.teamwork.page import PAGE, draw_pictures, normalise, picture_path, read_conversation
from tests.teamwork.stage import Stage


@pytest.mark.parametrize("talk", [talk_on_telegram, talk_on_discord])
async def test_a_conversation_is_still_as_its_page_shows_it(
    talk: Callable[[Path], Awaitable[Stage]], tmp_path: Path
) -> None:
    stage = await talk(tmp_path)
    shown = read_conversation(PAGE.read_text(), stage.chat.name)
    assert normalise(shown) == normalise(stage.transcript.text), "write it again: python -m tests.teamwork"
    drawn = draw_pictures(stage)
    assert len(drawn) == 2
    for name, picture in drawn.items():
        assert normalise(picture_path(name).read_text()) == normalise(picture), name
