"""Claude and what is no text: images and PDFs over the socket, and what becomes of those that it cannot read."""

import json
from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.core.images_and_pdfs import MAX_IMAGE_BYTES
from bot.core.role import LEAD_ROLE_NAME
from bot.models.claude.model_texts import FILE_LEFT_OUT
from bot.tools.files import file_tools
from tests.stand_ins.claude import Thinking, ToolUse, reply
from tests.support.claude_bot import PROMPTED, Talk, talk
from tests.support.engine_options import engine_options
from tests.support.sample_media import gif, jpeg, pdf, png, webp

__all__ = ["talk"]


@pytest.fixture
def seeing(talk: Talk) -> Talk:
    talk.roles = {**PROMPTED, LEAD_ROLE_NAME: replace(PROMPTED[LEAD_ROLE_NAME], tools=frozenset({"read_file", "read"}))}
    (talk.bench.data / "desk").mkdir()
    return talk


def desk(talk: Talk) -> Path:
    return talk.bench.data / "desk"


def run(talk: Talk, **options: Any) -> Any:
    return talk.run(tools=[*talk.bench.tools(), *file_tools(desk(talk))], **options)


def looks(name: str) -> Any:
    return reply(Thinking(), ToolUse("read_file", {"path": name}))


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.png", png()), ("a.jpg", jpeg()), ("a.gif", gif()), ("a.webp", webp()), ("a.pdf", pdf(2))],
)
async def test_media_is_sent_unchanged_with_its_true_type(seeing: Talk, name: str, content: bytes) -> None:
    (desk(seeing) / name).write_bytes(content)
    seeing.server.script.say(looks(name), reply(Thinking(), "I see."), "and on")
    async with run(seeing):
        assert await seeing.ask("look") == "I see."
        assert await seeing.ask("and?") == "and on"
    for request in seeing.server.requests[1:]:
        [result] = [block for block in request.asked.said[2]["content"] if block["type"] == "tool_result"]
        words, block = result["content"]
        assert words["text"].startswith(f"{name}: ")
        assert b64decode(block["source"]["data"]) == content
    assert seeing.server.requests[2].billed.read
    assert seeing.spent() == seeing.billed()
    seeing.server.verify()


async def test_the_largest_that_is_taken_here_is_taken_there(seeing: Talk) -> None:
    (desk(seeing) / "large.png").write_bytes(png(8_000, 8_000, padding=MAX_IMAGE_BYTES - len(png())))
    seeing.server.script.say(looks("large.png"), "I see.")
    async with run(seeing):
        assert await seeing.ask("look") == "I see."
    seeing.server.verify()


@pytest.mark.parametrize("named", [True, False])
async def test_an_unreadable_file_is_replaced_by_a_word_and_the_chat_goes_on(seeing: Talk, named: bool) -> None:
    (desk(seeing) / "bad.png").write_bytes(png(13, 13))
    seeing.server.unreadable = png(13, 13)
    seeing.server.names_places = named
    seeing.server.script.say(
        looks("bad.png"), reply(Thinking(), "It cannot be read."), reply(Thinking(), "and on"), "on"
    )
    async with run(seeing):
        assert await seeing.ask("look") == "It cannot be read."
        assert await seeing.ask("and?") == "and on"
    async with run(seeing):
        assert await seeing.ask("and then?") == "on"
    assert len(seeing.server.refused) == 2  # once in each process
    assert FILE_LEFT_OUT in json.dumps(seeing.server.requests[-1].body["messages"])
    assert seeing.spent() == seeing.billed()


@pytest.mark.filterwarnings("ignore:The model 'claude-sonnet-4-5' is deprecated:DeprecationWarning")
async def test_a_claude_that_is_in_no_table_sees_too(seeing: Talk) -> None:
    (desk(seeing) / "a.png").write_bytes(png())
    seeing.server.script.say(looks("a.png"), "I see it.")
    async with run(seeing, **engine_options(model__lead="claude-sonnet-4-5")):
        assert await seeing.ask("look") == "I see it."
    assert "base64" in str(seeing.server.requests[-1].asked.last)
