"""A transcript as people read it, in Markdown, and as scripts do."""

import json
from base64 import b64encode
from pathlib import Path

import pytest

from bot.cli.sessions import session_reader, transcript_markdown
from bot.core.content_blocks import text_block
from bot.core.model import TranscriptEntry
from bot.core.role import LEAD_ROLE_NAME
from bot.core.turn import TurnId
from bot.store.session_records import LocatedEntry
from bot.tools.files import file_tools
from tests.engine.test_citations import cited
from tests.support.bench import Bench
from tests.support.fakes import reply, role, uses
from tests.support.sample_media import png


def test_an_answer_that_cites_is_one_paragraph_with_its_links() -> None:
    content = [text_block("It is"), cited(" so", "https://a.example/x"), text_block(".")]
    entry = TranscriptEntry(role="assistant", content=content)
    passage = LocatedEntry(chapter=1, model="m", seq=2, turn=TurnId("t1"), turns_role=LEAD_ROLE_NAME, entry=entry)
    assert list(transcript_markdown.transcript_paragraphs([passage])) == [
        "### 2. Lead",
        "It is so ([a.example](https://a.example/x)).",
    ]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            [{"type": "web_search_result", "title": "Mats", "url": "https://a.example", "encrypted_content": "Zm9v"}],
            "Mats https://a.example",
        ),
        (
            {"type": "web_fetch_result", "url": "https://a.example", "content": {"type": "document"}},
            "https://a.example",
        ),
        ({"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}, "max_uses_exceeded"),
    ],
)
def test_the_pages_that_the_server_found_are_named(content: object, told: str) -> None:
    block = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": content}
    assert transcript_markdown.block_as_markdown(block) == f"```\n{told}\n```"


async def test_as_json_what_is_no_text_stands_in_its_place(bench: Bench, tmp_path: Path) -> None:
    bench.roles[LEAD_ROLE_NAME] = role("lead", "read_file")
    (tmp_path / "cat.png").write_bytes(png())
    bench.model.says("lead", reply(uses("read_file", path="cat.png")), "a cat")
    async with bench.run(tools=[*bench.tools(), *file_tools(tmp_path)]):
        bench.chat.hears("look")
        await bench.chat.said()
    [transcript] = json.loads(session_reader.session_as_json_text(bench.data, "room"))["transcripts"].values()
    [result] = transcript[2]["content"]
    source = {"type": "base64", "media_type": "image/png", "data": b64encode(png()).decode()}
    assert result["content"][1] == {"type": "image", "source": source}
